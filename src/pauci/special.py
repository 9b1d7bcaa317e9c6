"""`scipy.special`, loaded when one of its functions is first asked for.

It takes longer to load than numpy and this package together, and an estimate needs none of it:
only intervals and tests do. ``special.ndtr`` here is ``scipy.special.ndtr``.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return a function of `scipy.special`, and keep it."""
    if name.startswith("__"):
        raise AttributeError(name)
    import scipy.special

    function = getattr(scipy.special, name)
    globals()[name] = function
    return function
