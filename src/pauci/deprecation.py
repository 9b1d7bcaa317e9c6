"""Former names of public attributes, which warn for one release before they are removed."""

import warnings
from typing import Any


class RenamedAttribute:
    """The former name of an attribute or method: it works and issues a `DeprecationWarning`.

    Parameters
    ----------
    new : str
        The present name of the attribute in the same class.

    Examples
    --------
    >>> class Result:
    ...     p_value = 0.02
    ...     pvalue = RenamedAttribute("p_value")
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     value = Result().pvalue
    >>> value, str(caught[0].message)
    (0.02, 'Result.pvalue was renamed: use Result.p_value. It will be removed in a later release.')
    """

    def __init__(self, new: str) -> None:
        self._new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self._old = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        warnings.warn(
            f"{owner.__name__}.{self._old} was renamed: use {owner.__name__}.{self._new}. "
            "It will be removed in a later release.",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(instance, self._new)
