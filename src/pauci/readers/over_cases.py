"""What the cases behind an average over readers tell of its interval."""

import math
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray
from pauci.curve.region import Bounds
from pauci.measures.base import Measure
from pauci.readers.cells import CellEstimates
from pauci.readers.contrasts import Group
from pauci.readers.study import ReaderStudy
from pauci.variance.moments import Moments, degrees_of_freedom


class OverCases(NamedTuple):
    """The range of an average, and how many independent cases inform it."""

    scale: Bounds
    pairs: float
    """Disjoint pairs of a positive and a negative case, or cluster; readers where cases are fixed.
    """
    df: float
    """Degrees of freedom of the variance over cases."""


def over_cases(
    study: ReaderStudy, measure: Measure, found: CellEstimates, group: Group, *, random_cases: bool
) -> OverCases:
    """Return what the cases tell that the readers of a group read."""
    low, high = (
        math.fsum(w * found.scales[k][end] for w, k in zip(group.weights, group.cells, strict=True))
        for end in (0, 1)
    )
    scale = Bounds(low, high)
    if not random_cases:
        return OverCases(scale, float(group.cells.size), math.inf)
    read = np.zeros(study.positive.size, dtype=bool)
    for k in group.cells:
        read[study.cells[k].cases] = True
    of_class = [_units(study, read & study.positive), _units(study, read & ~study.positive)]
    n_pos, n_neg = (float(units.size) for units in of_class)
    pairs = measure.pairs(n_pos, n_neg)
    support = min(found.support[k] for k in group.cells)
    if math.isfinite(support):
        pairs = max(min(pairs, support), 1.0)
    if found.contributions is None:
        return OverCases(scale, pairs, math.inf)
    z = group.weights @ found.contributions[group.cells]
    strata = of_class if study.cluster is None else [_units(study, read)]
    df = degrees_of_freedom(
        Moments(float((z[u] ** 2).sum()), float((z[u] ** 4).sum()), float(u.size)) for u in strata
    )
    if study.cluster is not None:
        df = min(df, n_pos - 1.0, n_neg - 1.0)
    return OverCases(scale, pairs, df)


def _units(study: ReaderStudy, cases: AnyArray) -> AnyArray:
    """Return the independent units among cases: these, or their clusters."""
    return np.flatnonzero(cases) if study.cluster is None else np.unique(study.cluster[cases])
