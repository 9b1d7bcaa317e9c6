"""`compare`: tests of two classifiers on one part of the curve, paired or independent."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from scipy.special import ndtr, ndtri

from pauci import interval, report, validate
from pauci.errors import DegenerateWarning, check_choice, nearest
from pauci.estimate import Estimate, as_measures, joint
from pauci.interval import DIFFERENCE_KINDS, Interval
from pauci.measures.base import Measure
from pauci.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

Alternative = Literal["two-sided", "greater", "less"]

_SAME = 1e-14
"""A variance of the difference below this share of the two variances is cancellation noise."""


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
        if self.se > 0.0:
            margin = -float(ndtri(tail)) * self.se
        else:
            margin = interval.limit_margin(self._width, self._pairs, tail)
        low = -math.inf if self.alternative == "less" else self.difference - margin
        high = math.inf if self.alternative == "greater" else self.difference + margin
        return Interval(low, high)

    @property
    def _width(self) -> float:
        low, high = self.measure.range
        return high - low

    @property
    def _pairs(self) -> float:
        return min(e.measure.pairs(e.n_pos, e.n_neg) for e in self.estimates)

    @property
    def _kind(self) -> str:
        return "limit" if self.se == 0.0 else DIFFERENCE_KINDS[0]

    def record(self, level: float = 0.95) -> dict[str, Any]:
        """Return the row of `to_frame` as a dict."""
        low, high = self.interval(level)
        values = (
            self.first, self.second, self.measure.symbol, str(self.measure.region), self.difference,
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
        test = [
            f"{self.statistic:.3f}",
            report.p_value(self.pvalue).removeprefix("p ").removeprefix("= "),
        ]
        body.append(
            ["difference", *map(report.number, (self.difference, self.se, low, high)), *test]
        )
        a, b = self.estimates
        sizes = f"{a.n_pos:,} positives, {a.n_neg:,} negatives"
        if not self.paired:
            sizes += f" against {b.n_pos:,} positives, {b.n_neg:,} negatives"
        region = f" over {self.measure.place}" if self.measure.place else ""
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
        if place := self.measure.place:
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


def compare(
    samples: Sample | Sequence[Sample],
    measure: Measure,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    pair: tuple[str, str] | None = None,
) -> Comparison:
    """Test the difference of a measure between two classifiers.

    Parameters
    ----------
    samples : Sample or list of two Sample
        One sample with two classifiers on the same rows (a paired test), or a list of two samples
        of one classifier each (independent).
    measure : Measure
        What to compare, such as ``pauci.PAUCc(fpr=(0, 0.1))``.
    null : float, default 0
        Difference under the null hypothesis: ``null=-0.05, alternative="greater"`` tests that the
        first classifier is not inferior by 0.05.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the difference first - second under the alternative hypothesis.
    pair : tuple of two str, optional
        The two classifiers to compare, in that order, of a sample that has more.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError
        If `samples` or `measure` is something else.
    ValueError
        If there are not exactly two classifiers, or `null` or `alternative` is out of bounds.

    Warns
    -----
    DegenerateWarning
        If the standard error of the difference is 0, as for a classifier against itself.

    Notes
    -----
    The variance of a paired difference is :math:`V_{11} + V_{22} - 2 V_{12}` with the joint
    covariance V of `pauci.covariance`: for the AUC the test of DeLong et al. (1988).
    Independent samples have :math:`V_{12} = 0`. The statistic is referred to the normal
    distribution.

    Examples
    --------
    >>> import pauci
    >>> y = [0, 1, 0, 1, 0, 1] * 9
    >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
    >>> c = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.5)))
    >>> round(c.difference, 4), round(c.pvalue, 4)
    (0.0556, 0.6099)
    """
    if not isinstance(samples, Sample):
        _check_list(samples)
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    null = validate.finite("null", null)
    measures = as_measures(measure)
    if len(measures) > 1:
        raise ValueError(f"measure holds {len(measures)} measures; compare them one by one.")
    low, high = measures[0].range
    if abs(null) >= high - low:
        raise ValueError(
            f"null={null:g} is no possible difference: {measures[0]!r} lies between {low:g} "
            f"and {high:g}."
        )
    if isinstance(samples, Sample):
        first, second = _pair_of(samples, pair)
        (a, b), cov = joint(samples, [(first, measures[0]), (second, measures[0])])
        shared = float(cov[0, 1])
        correlation = shared / math.sqrt(cov[0, 0] * cov[1, 1]) if a.se and b.se else 0.0
        correlation = min(max(correlation, -1.0), 1.0)
        paired = True
    else:
        a, b = (joint(s, [(s.names[0], measures[0])])[0][0] for s in _two_samples(samples, pair))
        if a.classifier == b.classifier:
            a, b = _renamed(a, "sample 1"), _renamed(b, "sample 2")
        shared, correlation, paired = 0.0, 0.0, False
    total = a.se**2 + b.se**2
    variance = total - 2.0 * shared
    se = math.sqrt(variance) if variance > _SAME * total else 0.0
    if se == 0.0:
        warnings.warn(
            f"the difference of {measures[0]!r} between {a.classifier} and {b.classifier} has "
            'standard error 0: its interval and p-value are of kind "limit", which rest on the '
            "number of observations alone.",
            DegenerateWarning,
            stacklevel=2,
        )
    return Comparison((a, b), a.value - b.value, se, correlation, null, alternative, paired)


def _renamed(e: Estimate, name: str) -> Estimate:
    return replace(e, classifier=f"{e.classifier} ({name})")


def _pair_of(sample: Sample, pair: object) -> tuple[str, str]:
    """Return the names of the two classifiers to compare within one sample."""
    names = sample.names
    if pair is not None:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(f"pair={pair!r} must name two classifiers, such as ('a', 'b').")
        first, second = str(pair[0]), str(pair[1])
        for name in (first, second):
            if name not in names:
                raise ValueError(
                    f"pair={pair!r}: {name!r} is not a classifier of this sample"
                    f"{nearest(name, names)} It has: {', '.join(names)}."
                )
        return first, second
    if len(names) == 1:
        raise ValueError(
            f"the sample holds one classifier ({names[0]}), and a comparison needs two: "
            "pauci.Sample(y_true, {'a': scores_a, 'b': scores_b}) for the same rows, or "
            "pauci.compare([sample_a, sample_b], measure) for different ones."
        )
    if len(names) > 2:
        raise ValueError(
            f"the sample holds {len(names)} classifiers ({', '.join(names)}); "
            f"pick two: pair=({names[0]!r}, {names[1]!r})."
        )
    return names[0], names[1]


def _check_list(samples: object) -> None:
    """Refuse anything but a list of samples."""
    if not isinstance(samples, (list, tuple)) or not all(isinstance(s, Sample) for s in samples):
        raise TypeError(
            f"samples is a {type(samples).__name__}; compare takes one Sample, "
            "pauci.Sample(y_true, {'a': scores_a, 'b': scores_b}), for classifiers on the same "
            "rows, or a list of two Samples."
        )


def _two_samples(samples: Sequence[Sample], pair: object) -> tuple[Sample, Sample]:
    """Return the two samples of an independent comparison."""
    if pair is not None:
        raise ValueError(
            f"pair={pair!r} goes with one sample; a list of samples is in order already."
        )
    if len(samples) != 2:
        raise ValueError(f"samples holds {len(samples)} samples; compare two.")
    for s in samples:
        if len(s) != 1:
            raise ValueError(
                f"a sample in the list holds {len(s)} classifiers ({', '.join(s.names)}); "
                f"pick one, such as sample[{s.names[0]!r}]."
            )
    a, b = samples
    if a._rows is b._rows:
        raise ValueError(
            "the two samples hold the same rows, so they are not independent. For the paired test "
            f"pass one sample: pauci.compare(sample[[{a.names[0]!r}, {b.names[0]!r}]], measure)."
        )
    return a, b
