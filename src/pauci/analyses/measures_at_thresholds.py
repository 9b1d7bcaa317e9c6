"""Values and limits of measures at many thresholds, which are those of arrays of counts.

They are equal to the values and limits of single estimates at the same thresholds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.measures.at_cutoff import AtCutoff
from pauci.results.binomial_limits import limits_at_cutoff, takes_limits_along
from pauci.sample.ratings import Ratings
from pauci.variance.cutoff_counts import CutoffCounts

_TINY_SHARE = 1e-16
"""Smallest proportion of a class at which measures are evaluated."""

LimitArrays = tuple[FloatArray, FloatArray]
"""Lower and upper limits, one per threshold."""


class MeasureColumns(NamedTuple):
    """Values and limits of measures at some thresholds, and the kinds of the limits, by name."""

    values: dict[str, FloatArray]
    limits: dict[str, LimitArrays]
    kinds: dict[str, str]


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Thresholds of a classifier, at which the first `called` tie groups are called positive."""

    ratings: Ratings
    called: IntArray

    @property
    def counts(self) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
        """True positives, false positives, false negatives and true negatives."""
        table = self.ratings.table
        tp, fp = table.at(self.called)
        return tp, fp, table.total_pos - tp, table.total_neg - fp

    @property
    def rates(self) -> tuple[FloatArray, FloatArray]:
        """The true and the false positive rates."""
        table = self.ratings.table
        tp, fp = table.at(self.called)
        return tp / table.total_pos, fp / table.total_neg

    @property
    def distance(self) -> FloatArray:
        """The distance from the corner (0, 1) of the ROC plane."""
        tpr, fpr = self.rates
        return np.hypot(fpr, 1.0 - tpr)

    def values(self, measures: Mapping[str, AtCutoff]) -> dict[str, FloatArray]:
        """Return measures, which are evaluated at these thresholds instead of their own."""
        tpr, fpr = self.rates
        values = {}
        for name, measure in measures.items():
            share = measure.fixed_share
            if measure.uses_sample_prevalence:
                of_sample = self.ratings.table.prevalence
                share = min(max(of_sample, _TINY_SHARE), 1.0 - _TINY_SHARE)
            values[name] = np.asarray(measure.of_rates(tpr, fpr, share))
        return values

    def columns(self, measures: Mapping[str, AtCutoff], level: float) -> MeasureColumns:
        """Return the values of measures, with their limits if these are calculated from counts."""
        values, tail = self.values(measures), 0.5 * (1.0 - checks.level(level))
        columns = MeasureColumns(values, {}, {})
        if takes_limits_along(self.ratings.rows):
            counts = CutoffCounts.along(self.ratings, self.called)
            for name, measure in measures.items():
                of_rows = limits_at_cutoff(measure, self.ratings.rows, counts, values[name])
                low, high = of_rows.ends.lower(tail), of_rows.ends.upper(tail)
                columns.limits[name] = _around(values[name], low, high)
                columns.kinds[name] = of_rows.kind
        return columns


def _around(value: FloatArray, low: Any, high: Any) -> LimitArrays:
    """Return limits that contain the value, NaN where it is undefined."""
    undefined = np.isnan(value)
    return (
        np.where(undefined, np.nan, np.fmin(low, value)),
        np.where(undefined, np.nan, np.fmax(high, value)),
    )
