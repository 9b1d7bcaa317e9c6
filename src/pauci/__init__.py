"""Statistical inference for one part of the ROC curve.

Put labels and scores in a `Sample`, name a measure with its region, and `estimate` or `compare`.
"""

from importlib import import_module
from importlib.util import find_spec

import lazy_loader

from pauci.calls import no_attribute

__version__ = "0.2.0"

# Public names are listed in __init__.pyi; a module is imported when one of its names is first used.
_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name in __all__:
        return _public(name)
    if not name.startswith("_") and find_spec(f"pauci.{name}"):
        return import_module(f"pauci.{name}")
    raise AttributeError(no_attribute(name, __dir__()))


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
