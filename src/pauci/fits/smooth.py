r"""Measures of a smooth ROC curve, evaluated on fine tables.

A measure is evaluated on a table of narrow groups of scores. The scores in a group are treated as
tied, which causes an error proportional to the width h of the groups for average precision and to
:math:`h^2` for other measures. Richardson extrapolation removes these errors.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.fits.models import CurveModel, Pair
from pauci.measures.base import Measure

_STEPS = 4_000


def with_midpoints(edges: FloatArray) -> FloatArray:
    """Return increasing thresholds with the midpoints between them."""
    result = np.empty(2 * edges.size - 1)
    result[::2] = edges
    result[1::2] = (edges[1:] + edges[:-1]) / 2.0
    return result


def curve_between(
    edges: FloatArray,
    pos: FloatArray,
    neg: FloatArray,
    totals: tuple[float, float] = (1.0, 1.0),
    rows: tuple[int, int] | None = None,
    *,
    fixed_prevalence: bool = False,
) -> Curve:
    """Return the curve through the operating points at thresholds, the highest first.

    `pos` and `neg` are the proportions above the thresholds, and `totals` the class weights.
    """
    scores = np.append(edges, -np.inf)
    above_pos = np.concatenate(([0.0], pos * totals[0], [totals[0]]))
    above_neg = np.concatenate(([0.0], neg * totals[1], [totals[1]]))
    n_pos, n_neg = rows or (scores.size, scores.size)
    return Curve(
        CountTable(scores, above_pos, above_neg, n_pos, n_neg, fixed_prevalence=fixed_prevalence)
    )


def extrapolated_value(
    measure: Measure, edges: FloatArray, curve_at: Callable[[FloatArray], Curve], halvings: int = 1
) -> float:
    """Return the value of a measure on a smooth curve by Richardson extrapolation."""
    values = []
    for _ in range(halvings + 1):
        values.append(measure.on(curve_at(edges)))
        edges = with_midpoints(edges)
    factor = 2.0
    while len(values) > 1:
        values = [(factor * fine - coarse) / (factor - 1.0) for coarse, fine in pairwise(values)]
        factor *= 2.0
    return float(measure.range.clip(values[0]))


class SmoothCurve(NamedTuple):
    """The curve of a model for given parameters and sample sizes.

    Parameters
    ----------
    model : CurveModel
        The family of curves.
    theta : tuple of two float
        Parameters of the model.
    prevalence : float
        Proportion of positives.
    rows : tuple of two int
        Numbers of positives and negatives.
    fixed_prevalence : bool
        Whether the proportion of positives is fixed by design.
    """

    model: CurveModel
    theta: Pair
    prevalence: float
    rows: tuple[int, int]
    fixed_prevalence: bool

    def value(self, measure: Measure) -> float:
        """Return the value of a measure on this curve, with an error of about 1e-8."""
        measure = measure.estimand
        return extrapolated_value(measure, self._edges(measure), self._curve, halvings=2)

    def curve(self, measure: Measure) -> Curve:
        """Return a fine polyline with points at the ends of the region of a measure."""
        return self._curve(with_midpoints(self._edges(measure.estimand)))

    def at(self, rates: FloatArray, which: int) -> FloatArray:
        """Return thresholds with given proportions of a class (0: positives) above them."""
        low, high = self.model.domain(self.theta)
        reach = 60.0 / min([1.0, *(p for p in self.theta if p > 0.0)])
        a, b = np.full(rates.size, max(low, -reach)), np.full(rates.size, min(high, reach))
        for _ in range(80):
            middle = (a + b) / 2.0
            higher = self.model.shares(middle, self.theta)[which] > rates
            a, b = np.where(higher, middle, a), np.where(higher, b, middle)
        return np.asarray((a + b) / 2.0)

    def _edges(self, measure: Measure) -> FloatArray:
        """Return a fine grid of thresholds that contains the ends of all regions."""
        ends: dict[str, list[float]] = {"tpr": [], "fpr": []}
        for region in measure.regions:
            for end in region.rate_ends:
                ends[end.axis].append(float(end.rate))
        grids = [self.model.edges(_STEPS, self.theta)]
        for which, rates in enumerate(ends.values()):
            inside = [r for r in rates if 0.0 < r < 1.0]
            if inside:
                grids.append(self.at(np.array(inside), which))
        return np.unique(np.concatenate(grids))

    def _curve(self, edges: FloatArray) -> Curve:
        decreasing = edges[::-1]
        totals = self.prevalence, 1.0 - self.prevalence
        pos, neg = self.model.shares(decreasing, self.theta)
        # Rounding errors must not make a proportion decrease as the threshold decreases.
        pos, neg = (np.maximum.accumulate(np.minimum(x, 1.0)) for x in (pos, neg))
        return curve_between(
            decreasing, pos, neg, totals, self.rows, fixed_prevalence=self.fixed_prevalence
        )
