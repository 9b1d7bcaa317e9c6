"""Names of the measures in papers and other software, for suggestions in error messages."""

from pauci.checks import nearest
from pauci.measures.base import REGISTRY

_ALIASES = {
    "auc": "auroc aucroc rocauc cstatistic cindex",
    "pauc": "partialauc aucpartial partialrocauc partialarea",
    "paucx": "horizontalarea partialaucsensitivity",
    "paucc": "concordantauc",
    "ap": "auprc aucpr aupr prauc prcauc averageprecisionscore precisionrecall",
    "spa": "mcclish standardizedpauc standardizedpartialauc spauc correctedpauc",
    "pai": "jiang",
    "auk": "aukappa kappaauc",
    "maxkappa": "kappa cohenkappa cohenskappa",
    "sensitivity": "tpr recall truepositiverate sens",
    "specificity": "tnr truenegativerate spec selectivity",
}


def suggestion(word: object) -> str:
    """Return ``". Did you mean 'ap'?"`` for another name of a measure or a misspelled key.

    If no measure resembles the word, ``"."`` is returned.
    """
    normalized = _normalized(str(word))
    for key, kind in REGISTRY.items():
        names = {
            _normalized(kind.title),
            _normalized(kind.__name__),
            *_ALIASES.get(key, "").split(),
        }
        if normalized in names:
            return f". Did you mean {key!r}?"
    return nearest(word, REGISTRY)


def _normalized(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())
