"""Former names of public attributes and arguments, which warn for one release before removal."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

ClassT = TypeVar("ClassT", bound=type)


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


def renamed_argument(old: str, new: str) -> Callable[[ClassT], ClassT]:
    """Return a decorator of a class whose constructor also takes the former name of an argument.

    Examples
    --------
    >>> @renamed_argument("size", "n")
    ... class Result:
    ...     def __init__(self, n):
    ...         self.n = n
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = Result(size=3)
    >>> result.n, str(caught[0].message)
    (3, 'Result(size=) was renamed: use Result(n=). It will be removed in a later release.')
    """

    def decorated(cls: ClassT) -> ClassT:
        construct = cls.__init__  # type: ignore[misc]

        @wraps(construct)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            if old in kwargs:
                warnings.warn(
                    f"{cls.__name__}({old}=) was renamed: use {cls.__name__}({new}=). "
                    "It will be removed in a later release.",
                    DeprecationWarning,
                    stacklevel=2,
                )
                kwargs[new] = kwargs.pop(old)
            construct(self, *args, **kwargs)

        cls.__init__ = __init__  # type: ignore[misc]
        return cls

    return decorated
