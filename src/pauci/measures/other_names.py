"""Names of the measures in papers and other software, for suggestions in error messages."""

from pauci.calls import names_in_other_packages
from pauci.checks import nearest
from pauci.measures.base import REGISTRY


def suggestion(word: object) -> str:
    """Return ``". Did you mean 'ap'?"`` for another name of a measure or a misspelled key.

    If no measure resembles the word, ``"."`` is returned.
    """
    normalized, aliases = _normalized(str(word)), names_in_other_packages()["measures"]
    for key, kind in REGISTRY.items():
        names = {
            _normalized(kind.title),
            _normalized(kind.__name__),
            *aliases.get(key, "").split(),
        }
        if normalized in names:
            return f". Did you mean {key!r}?"
    return nearest(word, REGISTRY)


def _normalized(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())
