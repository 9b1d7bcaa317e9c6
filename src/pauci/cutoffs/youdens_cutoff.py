"""Youden's cut-off of a classifier, as tables of operating points and pages name it."""

from pauci.cutoffs.choose import Cutoff, cutoff
from pauci.errors import InputError, UndefinedError
from pauci.measures.decisions import Youden
from pauci.sample.sample import Sample

SEED = 19500132
"""Seed of the folds, so that a page is a function of the data."""

_MOST_ROWS = 100_000
"""Largest number of rows for which the cut-off is named without being requested."""


def youdens_cutoff(sample: Sample) -> Cutoff:
    """Return the cut-off of one classifier with the largest Youden index."""
    return cutoff(sample, maximize=Youden, rng=SEED)


def youdens_cutoff_if_any(sample: Sample) -> Cutoff | None:
    """Return Youden's cut-off, or None if it cannot be chosen, or takes long to cross-fit."""
    if sample.n_pos + sample.n_neg > _MOST_ROWS:
        return None
    try:
        return youdens_cutoff(sample)
    except (InputError, UndefinedError):
        return None
