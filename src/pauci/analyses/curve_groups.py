"""Groups along the ROC curve, and the measures of each."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from pauci import checks
from pauci.checks import FloatArray
from pauci.curve.region import ResolvedRegion
from pauci.equality import EqualByFields
from pauci.intervals.kinds import Kind
from pauci.results.estimates import Estimate

MEASURES = (
    "paucc",
    "normalized",
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "lr_pos",
    "lr_neg",
    "lr_range",
    "n_pos",
    "n_neg",
)
"""The measures and the numbers of observations of each group."""

COUNTED = {"n_pos": "share_pos", "n_neg": "share_neg"}
"""The proportions of the classes from which numbers of observations are calculated."""


class Series(NamedTuple):
    """One measure of all groups: ndarrays of shape (groups,), NaN if it is undefined.

    ``simultaneous_low`` and ``simultaneous_high`` are the ends of simultaneous intervals.
    """

    low_edge: FloatArray
    high_edge: FloatArray
    value: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    simultaneous_low: FloatArray
    simultaneous_high: FloatArray


class GroupValue(NamedTuple):
    """One measure of one group with its interval, NaN if it is undefined."""

    value: float
    se: float
    low: float
    high: float
    kind: str
    df: float


_UNDEFINED = GroupValue(math.nan, math.nan, math.nan, math.nan, "", math.nan)


@dataclass(frozen=True, eq=False)
class Group(EqualByFields):
    """One group along the curve.

    ``group["sensitivity"]`` is an `Estimate`.

    Attributes
    ----------
    number : int
        Position of the group, from 0.
    low, high : float
        The edges.
    region : str
        The name of the group, such as ``FPR 0 to 0.1``.
    where : ResolvedRegion, optional
        Position of the group on the curve: both axes, thresholds, observations inside. None if the
        group contains no row.
    estimates : dict of str to Estimate
        All measures that are defined. ``share_pos`` and ``share_neg`` are the proportions of the
        classes in the group; a proportion that is fixed by the edges is not estimated.
    undefined : dict of str to str
        Reasons why the other measures are undefined.
    """

    number: int
    low: float
    high: float
    region: str
    where: ResolvedRegion | None
    estimates: dict[str, Estimate] = field(repr=False)
    undefined: dict[str, str]

    @property
    def n_pos(self) -> float:
        """Number of positives in the group, a fraction if an edge divides a tie group."""
        return 0.0 if self.where is None else self.where.n_pos

    @property
    def n_neg(self) -> float:
        """Number of negatives in the group, a fraction if an edge divides a tie group."""
        return 0.0 if self.where is None else self.where.n_neg

    def __getitem__(self, measure: str) -> Estimate:
        """Return the estimate of a measure."""
        if measure in self.estimates:
            return self.estimates[measure]
        if measure in self.undefined:
            raise KeyError(
                f"{measure!r} is undefined over {self.region}: {self.undefined[measure]}"
            )
        raise KeyError(
            f"{measure!r} is not an estimate of this group"
            f"{checks.nearest(measure, self.estimates)} There are: {', '.join(self.estimates)}."
        )

    def estimate_of(self, measure: str) -> Estimate | None:
        """Return the estimate of a measure, or that of the proportion of a number; None if none."""
        return self.estimates.get(COUNTED.get(measure, measure))

    def cell(self, measure: str, level: float = 0.95, kind: Kind | None = None) -> GroupValue:
        """Return a measure, or a number of observations, with its interval."""
        checks.check_choice("measure", measure, MEASURES)
        e, n = self.estimate_of(measure), 1.0
        if measure in COUNTED:
            if e is None:  # fixed by the edges
                n = self.n_pos if measure == "n_pos" else self.n_neg
                if self.where is None:
                    return _UNDEFINED
                return GroupValue(n, 0.0, n, n, "known", math.inf)
            n = float(e.n_pos if measure == "n_pos" else e.n_neg)
        if e is None:
            return _UNDEFINED
        used = kind_for(e, kind)
        low, high = e.interval(level, used)
        return GroupValue(
            n * e.value, n * e.se, n * low, n * high, e.kind_used(used), e.df_used(used)
        )


def kind_for(e: Estimate, kind: Kind | None) -> Kind | None:
    """Return a kind of interval that the measure has, such as log instead of logit for a ratio."""
    if kind == "logit" and math.isinf(e.bounds.high):
        return "log" if e.resampled is None else None
    if kind == "log" and math.isfinite(e.bounds.high):
        return "logit" if e.resampled is None else None
    return kind
