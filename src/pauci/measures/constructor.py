"""How measures are made: arguments that other packages call differently are refused with ours."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from pauci.checks import refuse_foreign


def refusing_foreign(cls: type) -> Callable[..., None]:
    """Return the constructor of a class, with an error that shows our names for foreign ones."""
    make: Callable[..., None] = cls.__init__  # type: ignore[misc]
    known = inspect.signature(make).parameters

    @wraps(make)
    def init(self: object, /, *args: Any, **options: Any) -> None:
        foreign = {name: value for name, value in options.items() if name not in known}
        if foreign:
            refuse_foreign(foreign, f"pauci.{cls.__name__}", [n for n in known if n != "self"])
        make(self, *args, **options)

    return init
