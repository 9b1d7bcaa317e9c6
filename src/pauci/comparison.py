"""Results of `compare`: one difference with its test, or several with their joint covariance."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from scipy.special import ndtr, ndtri

from pauci import interval, report, validate
from pauci.errors import check_choice
from pauci.estimates import Estimate
from pauci.interval import DIFFERENCE_KINDS, Interval
from pauci.measures.base import Measure
from pauci.simultaneous import LargestStatistic
from pauci.validate import FloatArray

if TYPE_CHECKING:
    import pandas as pd

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Comparison:
    """The difference of one measure between two classifiers, with its test.

    Attributes
    ----------
    estimates : tuple of two Estimate
        The two classifiers.
    difference, se : float
        First minus second, and its standard error.
    correlation : float
        Correlation of the two estimates: 0 for independent samples, or where an SE is 0.
    null : float
        Difference under the null hypothesis.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``; one-sided tests have one-sided intervals.
    paired : bool
        Whether both classifiers scored the same rows.
    """

    estimates: tuple[Estimate, Estimate]
    difference: float
    se: float
    correlation: float
    null: float
    alternative: Alternative
    paired: bool

    @property
    def first(self) -> str:
        """Name of the first classifier."""
        return self.estimates[0].classifier

    @property
    def second(self) -> str:
        """Name of the second classifier."""
        return self.estimates[1].classifier

    @property
    def measure(self) -> Measure:
        """The measure that is compared."""
        return self.estimates[0].measure

    @property
    def statistic(self) -> float:
        """(difference - null)/se, a standard normal deviate under the null hypothesis."""
        excess = self.difference - self.null
        if self.se > 0.0:
            return excess / self.se
        return math.copysign(math.inf, excess) if excess else 0.0

    @property
    def pvalue(self) -> float:
        """p-value of the test: below alpha exactly when ``interval(1 - alpha)`` excludes `null`."""
        sign = {"two-sided": 0, "greater": 1, "less": -1}[self.alternative]
        excess = self.difference - self.null
        if self.se > 0.0:
            z = excess / self.se
            return float(2.0 * ndtr(-abs(z)) if sign == 0 else ndtr(-sign * z))
        distance = abs(excess) if sign == 0 else max(sign * excess, 0.0)
        tail = interval.limit_tail(distance, self._width, self._pairs)
        return min(2.0 * tail, 1.0) if sign == 0 else tail

    def interval(self, level: float = 0.95, kind: Literal["wald"] | None = None) -> Interval:
        """Return a confidence interval of the difference.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level, strictly between 0 and 1.
        kind : {"wald"}, optional
            The default is ``"wald"``. Where the standard error is 0 the interval is what k pairs
            without any visible difference cannot exclude (`pauci.interval.limit_margin`).

        Returns
        -------
        Interval
            Named tuple ``(low, high)``; one end is infinite for a one-sided alternative.

        Raises
        ------
        ValueError
            For an unknown kind, or a level outside (0, 1).
        """
        level = validate.level(level)
        if kind is not None:
            check_choice("kind", kind, DIFFERENCE_KINDS)
        tail = (1.0 - level) / (2.0 if self.alternative == "two-sided" else 1.0)
        return self._interval(level, -float(ndtri(tail)))

    def _interval(self, level: float, critical: float, count: int = 1) -> Interval:
        """Return the interval with a critical value, or its limit shared among `count`."""
        if self.se > 0.0:
            margin = critical * self.se
        else:
            sides = 2.0 if self.alternative == "two-sided" else 1.0
            tail = (1.0 - level) / sides / count
            margin = interval.limit_margin(self._width, self._pairs, tail)
        low = -math.inf if self.alternative == "less" else self.difference - margin
        high = math.inf if self.alternative == "greater" else self.difference + margin
        return Interval(low, high)

    @property
    def _oriented(self) -> float:
        """The statistic in the direction of the alternative."""
        if self.alternative == "two-sided":
            return abs(self.statistic)
        return self.statistic if self.alternative == "greater" else -self.statistic

    @property
    def _width(self) -> float:
        return max(high - low for low, high in (e.measure.range for e in self.estimates))

    @property
    def _region(self) -> str:
        """The region in words; of each classifier if they differ."""
        places = [str(e.measure.region) for e in self.estimates]
        if places[0] == places[1]:
            return places[0]
        return "; ".join(
            f"{e.classifier}: {p}" for e, p in zip(self.estimates, places, strict=True)
        )

    @property
    def _pairs(self) -> float:
        return min(e.measure.pairs(*e.units) for e in self.estimates)

    @property
    def _kind(self) -> str:
        return "limit" if self.se == 0.0 else DIFFERENCE_KINDS[0]

    def record(self, level: float = 0.95) -> dict[str, Any]:
        """Return the row of `to_frame` as a dict."""
        low, high = self.interval(level)
        values = (
            self.first, self.second, self.measure.symbol, self._region, self.difference,
            self.se, self.statistic, self.pvalue, self.pvalue, self.null, self.alternative,
            low, high, level, self._kind, self.correlation,
        )  # fmt: skip
        return dict(zip(report.COMPARISON_COLUMNS, values, strict=True))

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """Return a data frame of one row; with one comparison ``p_adjusted`` equals ``pvalue``."""
        return report.frame(report.COMPARISON_COLUMNS, [self.record(level)])

    def summary(self, level: float = 0.95) -> str:
        """Return a text table with both estimates, their difference and the test."""
        low, high = self.interval(level)
        body = []
        for e in self.estimates:
            ends = e.interval(level)
            body.append([e.classifier, *map(report.number, (e.value, e.se, *ends)), "", ""])
        test = [f"{self.statistic:.3f}", report.p_cell(self.pvalue)]
        body.append(
            ["difference", *map(report.number, (self.difference, self.se, low, high)), *test]
        )
        a, b = self.estimates
        sizes = f"{a.n_pos:,} positives, {a.n_neg:,} negatives"
        if not self.paired:
            sizes += f" against {b.n_pos:,} positives, {b.n_neg:,} negatives"
        region = f" over {self._region}" if self.measure.place else ""
        kinds = ", ".join(dict.fromkeys([*(e._kind(None) for e in self.estimates), self._kind]))
        notes = [
            f"{'Paired' if self.paired else 'Independent'}, correlation {self.correlation:.3f}. "
            f"Null difference {self.null:g}, {self.alternative}.",
            f"{report.percent(level)} intervals: {kinds}. {sizes}.",
        ]
        title = f"{self.measure.symbol}{region}: {self.first} - {self.second}"
        header = ["", "estimate", "SE", "low", "high", "z", "p"]
        return report.text_table(title, header, body, notes)

    def report(self, level: float = 0.95) -> str:
        """Return one sentence for a paper."""
        a, b = self.estimates
        low, high = self.interval(level)
        where = ""
        if self.measure.place:
            place = self._region
            ends = [
                f"{report.range_phrase(axis.upper(), *getattr(e.region, axis))} for {e.classifier}"
                for axis in ("tpr", "fpr")
                for e in self.estimates
                if axis.upper() not in place
            ]
            where = f" over {place}" + (f" ({', '.join(ends)})" if ends else "")
        sizes = f"{a.n_pos:,} positives, {a.n_neg:,} negatives"
        if not self.paired:
            sizes += f" and {b.n_pos:,} positives, {b.n_neg:,} negatives"
        null = f", null difference {self.null:g}" if self.null else ""
        sided = "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        normalized = "normalized " if getattr(self.measure, "normalized", False) else ""
        return (
            f"The {normalized}{self.measure.title} ({self.measure.symbol}){where} was "
            f"{report.number(a.value)} for {a.classifier} and {report.number(b.value)} for "
            f"{b.classifier}: difference {report.number(self.difference)} "
            f"({report.interval_phrase(low, high, level, self._kind)}; z = {self.statistic:.2f}, "
            f"{report.p_value(self.pvalue)}{null}{sided}; "
            f"{'paired' if self.paired else 'independent samples'}, {sizes})."
        )


@dataclass(frozen=True)
class JointTest:
    """A Wald test that all differences are 0 at once.

    Attributes
    ----------
    statistic : float
        d' V^- d, chi-squared under the null hypothesis.
    df : int
        Degrees of freedom: the rank of the covariance matrix V of the differences.
    pvalue : float
        p-value.
    """

    statistic: float
    df: int
    pvalue: float


@dataclass(frozen=True, eq=False)
class Comparisons(Sequence[Comparison]):
    """Several comparisons, with p-values adjusted for their number.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Measure by measure, each with all pairs of classifiers.
    cov : ndarray of shape (m, m)
        Covariance matrix of the differences.
    adjust : str
        Method of the adjustment.
    """

    comparisons: tuple[Comparison, ...]
    cov: FloatArray
    adjust: str

    @overload
    def __getitem__(self, index: int) -> Comparison: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Comparison, ...]: ...
    def __getitem__(self, index: int | slice) -> Comparison | tuple[Comparison, ...]:
        """Return one comparison, or a tuple of several."""
        return self.comparisons[index]

    def __len__(self) -> int:
        """Return the number of comparisons."""
        return len(self.comparisons)

    def __iter__(self) -> Iterator[Comparison]:
        """Iterate over the comparisons."""
        return iter(self.comparisons)

    @cached_property
    def p_adjusted(self) -> tuple[float, ...]:
        """The p-values adjusted for the number of comparisons, by ``adjust``."""
        raw = [c.pvalue for c in self]
        if self.adjust == "none":
            return tuple(raw)
        if self.adjust == "max-t":
            return tuple(
                self._largest.tail(c._oriented) if c.se > 0.0 else min(1.0, len(self) * c.pvalue)
                for c in self
            )
        from statsmodels.stats.multitest import multipletests

        return tuple(float(p) for p in multipletests(raw, method=self.adjust)[1])

    @cached_property
    def _largest(self) -> LargestStatistic:
        return LargestStatistic(self.cov, two_sided=self[0].alternative == "two-sided")

    def joint(self) -> JointTest:
        """Test that all differences are 0 at once.

        Returns
        -------
        JointTest
            The Wald statistic with the generalized inverse of the covariance matrix: all pairs of
            k classifiers have k - 1 degrees of freedom.

        Raises
        ------
        ValueError
            If the comparisons have a null difference other than 0.
        """
        from scipy.special import chdtrc

        if any(c.null for c in self):
            raise ValueError(
                "joint() tests that all differences are 0; these comparisons have "
                f"null={self[0].null:g}."
            )
        eigenvalues, vectors = np.linalg.eigh(self.cov)
        held = eigenvalues > 1e-10 * max(float(eigenvalues[-1]), 0.0)
        df = int(held.sum())
        if df == 0:
            return JointTest(0.0, 0, 1.0)
        scores = vectors[:, held].T @ np.array([c.difference for c in self])
        statistic = float((scores**2 / eigenvalues[held]).sum())
        return JointTest(statistic, df, float(chdtrc(df, statistic)))

    def intervals(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return simultaneous intervals: all of them hold at once with probability `level`.

        They use the quantile of the largest of the correlated statistics
        (`pauci.simultaneous`) and agree with the p-values of ``adjust="max-t"``.
        """
        level = validate.level(level)
        critical = self._largest.quantile(level)
        return tuple(c._interval(level, critical, len(self)) for c in self)

    def record(self, level: float = 0.95) -> list[dict[str, Any]]:
        """Return the rows of `to_frame` as dicts."""
        rows = [c.record(level) for c in self]
        for row, p in zip(rows, self.p_adjusted, strict=True):
            row["p_adjusted"] = p
        if self.adjust == "max-t":
            for row, ends in zip(rows, self.intervals(level), strict=True):
                row["low"], row["high"], row["kind"] = *ends, "simultaneous"
        return rows

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """Return a data frame with a row per comparison.

        Intervals are simultaneous with ``adjust="max-t"``, else each stands for itself.
        """
        return report.frame(report.COMPARISON_COLUMNS, self.record(level))

    def summary(self, level: float = 0.95) -> str:
        """Return a text table with a row per comparison and the joint test."""
        body = [
            [
                f"{r['first']} - {r['second']}",
                r["measure"],
                r["region"],
                *(report.number(r[k]) for k in ("difference", "se", "low", "high")),
                f"{r['statistic']:.3f}",
                *(report.p_cell(r[k]) for k in ("pvalue", "p_adjusted")),
            ]
            for r in self.record(level)
        ]
        header = ["", "measure", "region", "estimate", "SE", "low", "high", "z", "p", "adjusted p"]
        kinds = ", ".join(dict.fromkeys(r["kind"] for r in self.record(level)))
        first = self[0]
        notes = [
            f"{'Paired' if first.paired else 'Independent'}. Adjusted by {self.adjust}. "
            f"Null difference {first.null:g}, {first.alternative}.",
            f"{report.percent(level)} intervals: {kinds}.",
        ]
        if not first.null:
            test = self.joint()
            notes.append(
                f"All equal: chi-squared {test.statistic:.3f}, df {test.df}, "
                f"{report.p_value(test.pvalue)}."
            )
        return report.text_table("Comparisons", header, body, notes)

    def report(self, level: float = 0.95) -> str:
        """Return one sentence per comparison."""
        sentences = [c.report(level) for c in self]
        return "\n".join(
            f"{s[:-1]} Adjusted for {len(self)} comparisons ({self.adjust}): {report.p_value(p)}."
            for s, p in zip(sentences, self.p_adjusted, strict=True)
        )
