"""Result of `scan`: a family of regions, with intervals that hold at once and one p-value."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from pauci import checks
from pauci.accepted import Bound, Number
from pauci.calls import answering_constructor
from pauci.checks import FloatArray
from pauci.errors import PauciWarning
from pauci.intervals.analytic import Alternative, critical_value, upper_tail
from pauci.intervals.kinds import Kind
from pauci.intervals.simultaneous import LargestStatistic
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results.cells import Table
from pauci.results.comparison import Comparison
from pauci.results.drawing import Drawable
from pauci.results.estimate import Estimate
from pauci.results.frames import cautions_of, frame
from pauci.results.scan_contents import estimates_behind, label_of, table_of_scan
from pauci.results.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SCAN_COLUMNS = (
    "first", "second", "measure", "region", "axis", "region_low", "region_high", "x", "value",
    "se", "df", "statistic", "null", "pvalue", "p_adjusted", "low", "high", "simultaneous_low",
    "simultaneous_high", "alternative", "level", "kind", "variance", "seed", "n_draws",
    "cautions",
)  # fmt: skip

_HIGHEST_LEVEL = 1.0 - 2.0**-53
"""The last level below 1 in floating point numbers."""


class Limits(NamedTuple):
    """Lower and upper ends of intervals, one per region."""

    low: FloatArray
    high: FloatArray


class Largest(NamedTuple):
    """The region of a family with the most evidence against the null.

    ``pvalue`` is adjusted over the family and ``pvalue_alone`` is not; `low` and `high` are the
    ends of the simultaneous interval at the level asked for, 0.95 by default.
    """

    position: int
    region: str
    x: float
    value: float
    se: float
    low: float
    high: float
    pvalue: float
    pvalue_alone: float


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Scan(Sequence[Estimate | Comparison], Tabular, Drawable):
    """A family of regions looked at together.

    Iterating gives the `Estimate` or `Comparison` of each region; an index picks one: a position,
    or the region itself as a pair, ``scan[0, 0.1]``. `at` picks by the end that moves.

    Attributes
    ----------
    parts : tuple of Estimate, or of Comparison
        One for each region.
    low, high : ndarray of shape (m,)
        The regions, on `axis`.
    x : ndarray of shape (m,)
        Where each region is drawn: its end that moves, or its middle where regions were given as
        pairs.
    axis : str
        ``"fpr"``, ``"tpr"``, ``"specificity"``, ``"sensitivity"`` or ``"threshold"``.
    nested : bool
        Whether the regions are a family with one end that moves.
    cov : ndarray of shape (m, m)
        Covariance matrix of the estimates or differences.
    null : ndarray of shape (m,)
        Value of each under the null hypothesis; NaN where there is none.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``.
    seed, n_draws : int
        What the largest statistic was simulated with, and how often.
    excluded : tuple of str
        Regions that were left out, as fewer than `fewest` observations are expected in them.
    by_chance : bool
        Whether the null is what chance gives in each region.
    """

    parts: tuple[Estimate, ...] | tuple[Comparison, ...]
    low: FloatArray
    high: FloatArray
    x: FloatArray
    axis: str
    nested: bool
    cov: FloatArray = field(repr=False)
    null: FloatArray
    alternative: Alternative
    seed: int
    n_draws: int
    excluded: tuple[str, ...] = ()
    fewest: float = 0.0
    by_chance: bool = False

    def __len__(self) -> int:
        """Return the number of regions."""
        return len(self.parts)

    def __iter__(self) -> Iterator[Estimate | Comparison]:
        """Iterate over the estimates or comparisons."""
        return iter(self.parts)

    @overload
    def __getitem__(self, index: int) -> Estimate | Comparison: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Estimate | Comparison, ...]: ...
    @overload
    def __getitem__(self, index: tuple[Bound, Bound]) -> Estimate | Comparison: ...
    def __getitem__(self, index: Any) -> Any:
        """Return the estimate or comparison of a region, by position or as a pair (low, high)."""
        if not isinstance(index, tuple):
            return self.parts[index]
        if len(index) == 2:
            ends = [float(v) for v in index]
            found = np.flatnonzero(np.isclose(self.low, ends[0]) & np.isclose(self.high, ends[1]))
            if found.size:
                return self.parts[int(found[0])]
        raise KeyError(f"no region {index!r} on {self.axis}; there are {self.span}.")

    def at(self, x: Number) -> Estimate | Comparison:
        """Return the estimate or comparison of the region whose moving end is `x`."""
        found = np.flatnonzero(np.isclose(self.x, checks.finite("x", x)))
        if not found.size:
            near = self.x[int(np.nanargmin(np.abs(self.x - x)))]
            raise KeyError(f"no region at {x!r}; the nearest is at {near:.6g}.")
        return self.parts[int(found[0])]

    @property
    def differences(self) -> bool:
        """Whether the family is one of differences between two classifiers."""
        return isinstance(self.parts[0], Comparison)

    @property
    def names(self) -> tuple[str, ...]:
        """The classifier, or both."""
        first = self.parts[0]
        return (first.first, first.second) if isinstance(first, Comparison) else (first.classifier,)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measure of each region."""
        return tuple(p.measure for p in self.parts)

    @property
    def value(self) -> FloatArray:
        """Estimates, or differences: ndarray of shape (m,)."""
        return np.array([_value(p) for p in self.parts])

    @property
    def se(self) -> FloatArray:
        """Standard errors: ndarray of shape (m,)."""
        return np.array([p.se for p in self.parts])

    @property
    def cautions(self) -> tuple[tuple[PauciWarning, ...], ...]:
        """What was warned of each region."""
        return tuple(
            tuple(caution for e in estimates_behind(p) for caution in e.cautions)
            for p in self.parts
        )

    def pointwise(self, level: float = 0.95, kind: Kind | None = None) -> Limits:
        """Return intervals that each stand for their own region, ndarrays of shape (m,).

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            As for the interval of an `Estimate` or a `Comparison`. The default is analytic, with
            the standard errors of the bootstrap too: on the log odds for estimates, Wald for
            differences.
        """
        return self._limits(checks.level(level), kind)

    def simultaneous(self, level: float = 0.95, kind: Kind | None = None) -> Limits:
        """Return intervals that hold for all regions at once, ndarrays of shape (m,).

        They are the pointwise ones at a higher level, which the distribution of the largest
        statistic gives (`scan`). At level 1 - alpha one of them excludes the null exactly when
        `pvalue` is below alpha.
        """
        q = self._largest.quantile(checks.level(level))
        own = max(1.0 - self._sides * upper_tail(q), level)
        return self._limits(min(own, _HIGHEST_LEVEL), kind)

    def critical(self, level: float = 0.95) -> float:
        """Return the quantile of the largest statistic, in standard errors."""
        return self._largest.quantile(checks.level(level))

    @property
    def pvalue(self) -> float:
        """The p-value of "somewhere in the family"; NaN where no region has a null."""
        return self.p_value()

    def p_value(self, kind: Kind | None = None) -> float:
        """Return the p-value for all regions together, of tests of a kind."""
        adjusted = self.adjusted(kind)
        return float(np.nanmin(adjusted)) if np.isfinite(adjusted).any() else math.nan

    @property
    def p_adjusted(self) -> FloatArray:
        """For each region the p-value adjusted over the family: ndarray of shape (m,)."""
        return self.adjusted()

    def adjusted(self, kind: Kind | None = None) -> FloatArray:
        """Return the p-value of each region, adjusted over the family (single step)."""
        alone = self.pvalues(kind)
        # A p-value that is 0 in floats is beyond all draws.
        deviates = [critical_value(max(p / self._sides, 1e-300)) for p in alone]
        return np.array([
            math.nan if math.isnan(p) else max(p, self._largest.tail(z))
            for p, z in zip(alone, deviates, strict=True)
        ])  # fmt: skip

    def pvalues(self, kind: Kind | None = None) -> FloatArray:
        """Return the p-value of each region by itself: ndarray of shape (m,)."""
        return np.array([self._test(i, kind)[1] for i in range(len(self))])

    @property
    def statistic(self) -> FloatArray:
        """The t or z statistic of each region by itself; NaN where it has none."""
        return np.array([self._test(i)[0] for i in range(len(self))])

    @property
    def largest(self) -> Largest:
        """The region with the most evidence against the null."""
        return self.largest_at()

    def largest_at(self, level: float = 0.95, kind: Kind | None = None) -> Largest:
        """Return the region with the most evidence, its simultaneous interval at this level.

        Of several whose p-values are alike to the last digit it is the one with the largest
        statistic. Without a null it is the one with the largest value.
        """
        alone = self.pvalues(kind)
        if np.isnan(alone).all():
            i = int(np.argmax(self.value))
        else:
            size = np.nan_to_num(np.abs(self.statistic))
            order = np.lexsort((-size, np.where(np.isnan(alone), np.inf, alone)))
            i = int(order[0])
        ends = self.simultaneous(level, kind)
        part = self.parts[i]
        return Largest(
            i, self.words(i), float(self.x[i]), _value(part), part.se, float(ends.low[i]),
            float(ends.high[i]), float(self.adjusted(kind)[i]), float(alone[i]),
        )  # fmt: skip

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame with a row per region, pointwise and simultaneous intervals."""
        level = checks.level(level)
        alone, adjusted, t = self.pvalues(kind), self.adjusted(kind), self.statistic
        own, joint = self.pointwise(level, kind), self.simultaneous(level, kind)
        names = (*self.names, None)[:2]
        rows = []
        for i in range(len(self)):
            p: Any = self.parts[i]
            used = self.kind_of(p, kind)
            values = (
                *names, label_of(p.measure), self.words(i), self.axis, self.low[i], self.high[i],
                self.x[i], _value(p), p.se, p.df_used(used), t[i], self.null[i], alone[i],
                adjusted[i], own.low[i], own.high[i], joint.low[i], joint.high[i],
                self.alternative, level, p.kind_used(used), estimates_behind(p)[0].variance,
                self.seed, self.n_draws, cautions_of(estimates_behind(p)),
            )  # fmt: skip
            rows.append(dict(zip(SCAN_COLUMNS, values, strict=True)))
        return frame(SCAN_COLUMNS, rows)

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return sentences for a paper, which say that the region was chosen after looking."""
        best = self.largest_at(level, kind)
        part = self.parts[best.position]
        what = f"difference {fmt.difference(*self.names)}" if self.differences else "estimate"
        numbers = best.low, best.high, level, "simultaneous", best.se, best.value
        ends, value = fmt.interval_phrase(*numbers), fmt.number(best.value, best.se)
        name = part.measure.name if part.measure.region_phrase else label_of(part.measure)
        looked = f"The {name} of {' and '.join(self.names)} was evaluated over {self.family}. "
        side = "" if self.alternative == "two-sided" else f", {fmt.sided(self.alternative)}"
        if math.isnan(best.pvalue):
            return (
                f"{looked}The largest {what} was {value}, over {best.region} "
                f"({ends}). The region was chosen after looking at all of them, which the interval "
                f"allows for ({self.basis})."
            )
        null = float(self.null[best.position])
        against = f"chance ({fmt.number(null)})" if self.by_chance else f"{null:g}"
        return (
            f"{looked}The {what} that lies most standard errors from {against} was "
            f"{value}, {part.measure.region.preposition} "
            f"{best.region} ({ends}; {fmt.p_value(best.pvalue)} adjusted over the family by the "
            f"largest statistic{side}; by itself {fmt.p_value(best.pvalue_alone)}). The region was "
            "chosen after looking at all of them, which the interval and the adjusted p-value "
            f"allow for ({self.basis})."
        )

    def _table(self, level: float, kind: Any) -> Table:
        return table_of_scan(self, checks.level(level), kind)

    def words(self, i: int) -> str:
        """Return a region in words; a combination of measures tells it by its ends alone."""
        part: Any = self.parts[i]
        if not part.measure.region_phrase:
            name = {"fpr": "FPR", "tpr": "TPR", "threshold": "scores"}.get(self.axis, self.axis)
            return fmt.range_phrase(name, float(self.low[i]), float(self.high[i]))
        return str(part.region_phrase if isinstance(part, Comparison) else part.region.words)

    @property
    def basis(self) -> str:
        """What the family rests on, in words."""
        part = self.parts[0]
        if isinstance(part, Comparison):
            return f"{'paired' if part.paired else 'independent samples'}, {part.sizes}"
        return part.basis

    @property
    def span(self) -> str:
        """The family in a few words."""
        ends = f"{fmt.bound(float(self.x[0]))} to {fmt.bound(float(self.x[-1]))}"
        if not self.nested:
            return f"{len(self)} regions of the {self.axis} axis"
        return f"{len(self)} regions with their moving end from {ends}"

    @property
    def family(self) -> str:
        """The family in words: ``50 regions, FPR 0 to x for x from 0.02 to 1``."""
        many = f"{fmt.count(len(self), 'region')}"
        if not self.nested or len(self) == 1:
            some = [self.words(i) for i in range(min(len(self), 4))]
            return f"{many}, {'; '.join(some)}{'; ...' * (len(self) > 4)}"
        name = {"fpr": "FPR", "tpr": "TPR", "threshold": "score"}.get(self.axis, self.axis)
        ends = f"from {fmt.bound(float(self.x[0]))} to {fmt.bound(float(self.x[-1]))}"
        if self.parts[0].measure.region.preposition == "at":
            return f"{fmt.count(len(self), 'point')}, {name} {ends}"
        shape = "FPR 0 to x" if self.axis == "fpr" else f"{name} x to 1"
        if self.axis == "threshold":
            shape = f"scores from x {'down' if math.isinf(float(self.low[0])) else 'up'}"
        return f"{many}, {shape} for x {ends}"

    @property
    def _sides(self) -> int:
        return 2 if self.alternative == "two-sided" else 1

    @cached_property
    def _largest(self) -> LargestStatistic:
        cov = np.array(self.cov)
        certain = np.diagonal(cov) <= 0.0
        # What has no visible error is correlated with nothing that could be known.
        cov[certain, :] = cov[:, certain] = 0.0
        cov[certain, certain] = 1.0
        return LargestStatistic(cov, two_sided=self._sides == 2, seed=self.seed, draws=self.n_draws)

    def kind_of(self, part: Any, kind: Kind | None) -> Any:
        """Return the kind of interval of a region: analytic where none is named."""
        if kind is None and isinstance(part, Estimate):
            return part.analytic_kind
        return kind

    def _limits(self, level: float, kind: Any) -> Limits:
        ends = [p.interval(level, self.kind_of(p, kind)) for p in self.parts]
        return Limits(*(np.array(side) for side in zip(*ends, strict=True)))

    def _test(self, i: int, kind: Any = None) -> tuple[float, float]:
        """Return the statistic and the p-value of a region by itself."""
        part, null = self.parts[i], float(self.null[i])
        if isinstance(part, Comparison):
            statistic = part.statistic_of(kind)
            return (math.nan if statistic is None else statistic), part.p_value(kind)
        if math.isnan(null):
            return math.nan, math.nan
        test = part.test(null, kind=self.kind_of(part, kind))
        return test.statistic, test.pvalue

    def __repr__(self) -> str:
        test = fmt.p_value(self.pvalue) if math.isfinite(self.pvalue) else "no test"
        label = label_of(self.parts[0].measure)
        family = self.family if self.nested else self.span
        return f"Scan({' - '.join(map(fmt.named, self.names))}, {label}: {family}; {test})"


def _value(part: Any) -> float:
    return float(part.difference if isinstance(part, Comparison) else part.value)
