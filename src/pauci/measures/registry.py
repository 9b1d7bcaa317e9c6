"""The registry of measures. Importing this module loads all families of measures."""

from importlib import import_module

from pauci.calls import names_in_other_packages
from pauci.checks import nearest
from pauci.measures.base import REGISTRY, register

__all__ = ["REGISTRY", "register", "suggestion"]

_FAMILIES = [
    f"pauci.measures.{name}"
    for name in ("kappa", "at_cutoff", "area", "concordance", "decisions", "risks", "precision")
]
for _module in _FAMILIES:
    import_module(_module)

# The order does not depend on which families were loaded before; measures of users are the last.
_places = {name: place for place, name in enumerate(_FAMILIES)}
_measures = sorted(REGISTRY.items(), key=lambda m: _places.get(m[1].__module__, len(_places)))
REGISTRY.clear()
REGISTRY.update(_measures)


def suggestion(word: object) -> str:
    """Return ``". Did you mean 'ap'?"`` for another name of a measure or a misspelled key.

    If no measure resembles the word, ``"."`` is returned.
    """
    normalized, aliases = _normalized(str(word)), names_in_other_packages()["measures"]
    for key, kind in REGISTRY.items():
        names = {_normalized(kind.title), _normalized(kind.__name__), *aliases.get(key, "").split()}
        if normalized in names:
            return f". Did you mean {key!r}?"
    return nearest(word, REGISTRY)


def _normalized(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())
