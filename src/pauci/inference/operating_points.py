r"""Operating points: what calling every score from a threshold up positive does, one row each.

Unlike the other results, this one takes each threshold as fixed before the data were seen, so
that true and false positives are binomial. Of many thresholds, the best looking one is better than
its interval says.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from pauci import checks
from pauci.checks import FloatArray, check_choice
from pauci.errors import InputError, InputTypeError, SamplingRatioWarning, arg, warn
from pauci.measures.kappa import kappa, kappa_slopes
from pauci.measures.prevalence import checked_prevalence
from pauci.results import format as fmt
from pauci.results import tables
from pauci.results.frames import frame
from pauci.sample.rows import Design
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

METHODS = {
    "wilson": "Wilson", "beta": "Clopper-Pearson", "agresti_coull": "Agresti-Coull",
    "jeffreys": "Jeffreys", "normal": "Wald",
}  # fmt: skip
_MEASURES = {
    "sensitivity": "sensitivity", "specificity": "specificity", "ppv": "PPV", "npv": "NPV",
    "kappa": "kappa", "lr_pos": "LR+", "lr_neg": "LR-",
}  # fmt: skip

_EPSILON = float(np.finfo(np.float64).eps)

Ends = tuple[FloatArray, FloatArray]
"""Lower and upper ends of intervals, one per row."""


class OperatingPoint(NamedTuple):
    """One threshold: counts, and measures (NaN where 0/0). Intervals are in the tables."""

    threshold: Any
    true_positives: float
    false_positives: float
    false_negatives: float
    true_negatives: float
    sensitivity: float
    specificity: float
    ppv: float
    npv: float
    kappa: float
    lr_pos: float
    lr_neg: float


@dataclass(frozen=True, eq=False)
class OperatingPoints(tables.Tabular):
    """The operating points of one classifier, the strictest threshold first.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    prevalence : float
        Share of the positives that PPV, NPV and kappa are meant for.
    assumed : bool
        Whether this prevalence was given, rather than that of the sample.
    design : str
        Sampling design.
    method : str
        Interval of a binomial proportion.
    points : tuple of OperatingPoint
        One per distinct score; iterating over the result gives the same.
    """

    classifier: str
    prevalence: float
    assumed: bool
    design: Design
    method: str
    points: tuple[OperatingPoint, ...] = field(repr=False)

    def __len__(self) -> int:
        """Return the number of operating points."""
        return len(self.points)

    def __iter__(self) -> Iterator[OperatingPoint]:
        """Iterate over the operating points."""
        return iter(self.points)

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """Return a data frame with a row per threshold, each interval at this level by itself.

        Columns: ``threshold``, the four counts, and each measure m with ``m_low`` and ``m_high``.
        """
        columns = list(OperatingPoint._fields[:5])
        columns += [f"{m}{end}" for m in _MEASURES for end in ("", "_low", "_high")]
        cells = [
            [*point[:5], *(number for triple in triples for number in triple)]
            for point, triples in zip(self, self._triples(level), strict=True)
        ]
        return frame(columns, [dict(zip(columns, row, strict=True)) for row in cells])

    def _triples(self, level: float) -> list[tuple[tuple[float, float, float], ...]]:
        """Return (value, low, high) of every measure at every threshold."""
        level = checks.level(level)
        tp, fp, fn, tn, *values = np.array([point[1:] for point in self], dtype=np.float64).T
        value = dict(zip(_MEASURES, values, strict=True))
        n_pos, n_neg = tp[-1:], fp[-1:]  # the last threshold calls everybody positive
        ends = {
            "sensitivity": _binomial(tp, n_pos, level, self.method),
            "specificity": _binomial(tn, n_neg, level, self.method),
            "ppv": _binomial(tp, tp + fp, level, self.method),
            "npv": _binomial(tn, tn + fn, level, self.method),
            "kappa": self._kappa(tp, fp, fn, tn, level),
            "lr_pos": _ratio(value["lr_pos"], tp, n_pos, fp, n_neg, level),
            "lr_neg": _ratio(value["lr_neg"], fn, n_pos, tn, n_neg, level),
        }
        if self.assumed:
            # The log odds of PPV are ln LR+ plus a known number, those of NPV minus ln LR- less it.
            odds = float(logit(self.prevalence))
            with np.errstate(divide="ignore"):
                ppv = [expit(np.log(end) + odds) for end in ends["lr_pos"]]
                npv = [expit(-np.log(end) - odds) for end in ends["lr_neg"]]
            ends |= {"ppv": (ppv[0], ppv[1]), "npv": (npv[1], npv[0])}
        # Jeffreys intervals leave out 0 and 1, and rounding may leave out any value at an end.
        columns = [
            zip(v.tolist(), np.minimum(low, v).tolist(), np.maximum(high, v).tolist(), strict=True)
            for v, (low, high) in ((value[m], ends[m]) for m in _MEASURES)
        ]
        return list(zip(*columns, strict=True))

    def _kappa(
        self, tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray, level: float
    ) -> Ends:
        share, n_pos, n_neg = self.prevalence, tp[-1:], fp[-1:]
        x, y = fp / n_neg, tp / n_pos
        estimated = self.design == "cohort" and not self.assumed
        by = kappa_slopes(x, y, share)
        variance = by.tpr**2 * y * (fn / n_pos) / n_pos + by.fpr**2 * x * (tn / n_neg) / n_neg
        if estimated:
            variance += by.prevalence**2 * share * (1.0 - share) / (n_pos + n_neg)
        margin = float(ndtri(0.5 + level / 2.0)) * np.sqrt(variance)
        value = kappa(x, y, share)
        low, high = np.maximum(value - margin, -1.0), np.minimum(value + margin, 1.0)
        corner = (tp * fn == 0.0) & (fp * tn == 0.0)
        each = 1.0 - (1.0 - level) / (3.0 if estimated else 2.0)
        y_low, y_high = _binomial(tp[corner], n_pos, each, "beta")
        x_low, x_high = _binomial(fp[corner], n_neg, each, "beta")
        shares = np.array([share])
        if estimated:
            shares = np.concatenate(_binomial(n_pos, n_pos + n_neg, each, "beta"))
            shares = shares.clip(_EPSILON, 1.0 - _EPSILON)  # kappa is 0/0 beyond
        low[corner] = _kappas(x_high, y_low, shares).min(axis=0)
        high[corner] = _kappas(x_low, y_high, shares).max(axis=0)
        return low, high

    def _table(self, level: float, kind: Any) -> tables.TextTable:
        if kind is not None:
            raise InputError(
                arg("kind", kind),
                " does not apply to operating points; choose the interval of a "
                "proportion with method= in operating_points.",
            )
        body = [
            [fmt.bound(p.threshold), *map(_count, p[1:3]), *(_cell(*t) for t in triples)]
            for p, triples in zip(self, self._triples(level), strict=True)
        ]
        which = f"Proportions: {METHODS[self.method]}"
        source = "the ratio of the sampling" if self.design == "case-control" else "the sample's"
        if self.assumed:
            which = f"Sensitivity, specificity: {METHODS[self.method]}; PPV, NPV: logit"
            source = "given"
        n_pos, n_neg = map(_count, self.points[-1][1:3])
        notes = [
            f"{fmt.percent(level)} intervals. {which}; kappa: Wald; LR+, LR-: log;",
            "from Clopper-Pearson limits where counts of 0 leave these undefined.",
            f"Positive: scores from the threshold up. Prevalence {self.prevalence:.4g}: {source}.",
            f"Design: {self.design}. {n_pos} positives, {n_neg} negatives.",
        ]
        header = ["threshold", "TP", "FP", *_MEASURES.values()]
        return tables.TextTable(f"Operating points of {self.classifier}", header, body, notes)


def operating_points(
    sample: Sample, *, prevalence: float | None = None, method: str = "wilson"
) -> OperatingPoints:
    r"""Return counts, predictive values, kappa and likelihood ratios at every threshold.

    Parameters
    ----------
    sample : Sample
        One classifier, without sampling weights or clusters.
    prevalence : number, optional
        Share of the positives in the population that PPV, NPV and kappa are meant for, strictly
        between 0 and 1; the default is the sample's.
    method : {"wilson", "beta", "agresti_coull", "jeffreys", "normal"}, default "wilson"
        Interval of a proportion, as statsmodels names it; ``"beta"`` is Clopper-Pearson.

    Returns
    -------
    OperatingPoints
        An `OperatingPoint` per distinct score, the highest first: a threshold calls the scores
        from there up positive. Intervals are in the tables, at any level.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`, or `prevalence` not a number.
    ValueError
        For several classifiers, sampling weights, clusters, an unknown method, or a prevalence
        outside (0, 1).

    Warns
    -----
    SamplingRatioWarning
        If the sample is case-control and no prevalence is given: PPV, NPV and kappa then hold for
        the ratio of the sampling.

    Notes
    -----
    With :math:`x = FP/n_0`, :math:`y = TP/n_1` and the prevalence :math:`\pi`, intervals take the
    thresholds as fixed and the rows as independent, and hold one at a time. All are widened to hold
    the estimate, which at counts of 0 and n is part of the Jeffreys one (Brown, Cai and DasGupta
    2001, Statistical Science 16:101-133).

    - Sensitivity, specificity, :math:`PPV = TP/(TP + FP)` and :math:`NPV = TN/(TN + FN)`: the
      binomial interval of `method`; of the last two it is conservative in a case-control sample.
    - LR+ :math:`= y/x` and LR- :math:`= (1 - y)/(1 - x)`: log intervals with
      :math:`SE^2(\ln LR+) = 1/TP - 1/n_1 + 1/FP - 1/n_0`, likewise with FN and TN (Simel, Samsa and
      Matchar 1991, Journal of Clinical Epidemiology 44:763-770).
    - PPV and NPV at a given prevalence: :math:`\pi y/(\pi y + (1 - \pi) x)` and
      :math:`(1 - \pi)(1 - x)/((1 - \pi)(1 - x) + \pi (1 - y))`. Their log odds are
      :math:`\ln LR+ + \mathrm{logit}\,\pi` and :math:`-\ln LR- - \mathrm{logit}\,\pi`, so their
      logit intervals (Mercaldo, Lau and Zhou 2007, Statistics in Medicine 26:2170-2183) are those
      of the likelihood ratios, transformed.
    - Kappa: Wald intervals cut at -1 and 1, with the delta method's variance :math:`\kappa_y^2 y
      (1 - y)/n_1 + \kappa_x^2 x (1 - x)/n_0 + \kappa_\pi^2 \pi (1 - \pi)/(n_1 + n_0)`. The last
      term is for the prevalence of a cohort, where the sum equals the variance of Fleiss, Cohen and
      Everitt (1969, Psychological Bulletin 72:323-327).

    Where a ratio is 0 or infinite, or its standard error 0 (kappa: where x and y are both 0 or 1),
    the ends are the extremes over the Clopper-Pearson intervals of x and y, each at level
    :math:`1 - \alpha/2`: numerator low over denominator high, and the reverse. By Bonferroni's
    inequality that holds at :math:`1 - \alpha` or more. For kappa with an estimated prevalence, its
    Clopper-Pearson interval is a third, all at :math:`1 - \alpha/3`. A ratio 0/0 is NaN and so are
    its ends: NPV and LR- at the lowest threshold, PPV and LR+ where nobody is called positive.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    >>> points = pauci.operating_points(ct, prevalence=0.1)
    >>> points.points[0][:3]
    (5.0, 33, 2)
    >>> row = points.to_frame(level=0.9).iloc[0]
    >>> [round(float(row[c]), 3) for c in ("ppv", "ppv_low", "ppv_high")]
    [0.676, 0.396, 0.869]
    """
    if not isinstance(sample, Sample):
        raise InputTypeError(
            f"sample is a {type(sample).__name__}, and operating_points takes a Sample: "
            "operating_points(pauci.Sample(y_true, y_score))."
        )
    check_choice("method", method, METHODS)
    given = checked_prevalence(prevalence)
    if len(sample) > 1:
        raise InputError(
            f"sample holds {len(sample)} classifiers ({', '.join(sample.names)}), and operating "
            f"points are those of one; pick it with sample[{sample.names[0]!r}]."
        )
    rows = sample.rows
    for what, held in (("sampling weights", rows.weight), ("clusters", rows.cluster)):
        if held is not None:
            raise InputError(
                f"sample has {what}, and the intervals of operating_points take rows to be "
                "independent and alike. Use pauci.estimate with measures such as "
                "pauci.Sensitivity(fpr=0.1), whose standard errors allow for them."
            )
    curve = sample.ratings().curve
    table, x, y = curve.table, curve.fpr[1:], curve.tpr[1:]
    share = sample.prevalence if given is None else given
    if given is None and sample.design == "case-control":
        warn(
            SamplingRatioWarning,
            "PPV, NPV and kappa depend on the prevalence, and in this case-control sample it was "
            f"chosen: they hold for a share of {share:.3g} positives. Name the prevalence that is "
            "meant with ",
            arg("prevalence"),
            ".",
        )
    tp, fp = table.cum_pos[1:], table.cum_neg[1:]
    fn, tn = table.total_pos - tp, table.total_neg - fp
    misses, passes = fn / table.total_pos, tn / table.total_neg  # 1 - y loses digits
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if given is None:
            ppv, npv = tp / (tp + fp), tn / (tn + fn)
        else:
            ppv = share * y / (share * y + (1.0 - share) * x)
            npv = (1.0 - share) * passes / ((1.0 - share) * passes + share * misses)
        columns = (tp, fp, fn, tn, y, passes, ppv, npv, kappa(x, y, share), y / x, misses / passes)
    values = zip(*(column.tolist() for column in columns), strict=True)
    points = tuple(OperatingPoint(table.threshold(k), *row) for k, row in enumerate(values))
    return OperatingPoints(sample.names[0], share, given is not None, sample.design, method, points)


def _binomial(count: FloatArray, total: FloatArray, level: float, method: str) -> Ends:
    """Return intervals of proportions, NaN where nothing was counted."""
    from statsmodels.stats.proportion import proportion_confint

    some = total > 0.0
    low, high = proportion_confint(count, np.where(some, total, 1.0), 1.0 - level, method)
    return np.where(some, low, np.nan), np.where(some, high, np.nan)


def _ratio(
    ratio: FloatArray, a: FloatArray, n_a: FloatArray, b: FloatArray, n_b: FloatArray, level: float
) -> Ends:
    """Return intervals of the ratio of a/n_a to b/n_b."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        se = np.sqrt((n_a - a) / (a * n_a) + (n_b - b) / (b * n_b))
        factor = np.exp(ndtri(0.5 + level / 2.0) * se)
        low, high = ratio / factor, ratio * factor
        edge = (a == 0.0) | (b == 0.0) | (se == 0.0)
        a_low, a_high = _binomial(a[edge], n_a, 0.5 + level / 2.0, "beta")
        b_low, b_high = _binomial(b[edge], n_b, 0.5 + level / 2.0, "beta")
        low[edge], high[edge] = a_low / b_high, a_high / b_low
    return low, high


def _kappas(fpr: FloatArray, tpr: FloatArray, shares: FloatArray) -> FloatArray:
    r"""Return kappa at the ends of a range of prevalences and where it is extreme in between.

    :math:`2 (y - x) / \kappa = x / \pi + (1 - y) / (1 - \pi) + 2 (y - x)` is convex in the
    prevalence, so there is one such place.
    """
    rise, fall = np.sqrt(fpr), np.sqrt(1.0 - tpr)
    turn = np.divide(rise, rise + fall, out=np.zeros_like(rise), where=rise + fall > 0.0)
    turn = np.clip(turn, shares[0], shares[-1])
    return np.stack([kappa(fpr, tpr, share) for share in (*shares, turn)])


def _count(value: float) -> str:
    """Return a count, which may be fractional."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def _cell(value: float, low: float, high: float) -> str:
    """Return ``0.735 (0.691-0.776)``, or a dash for what is undefined."""
    if math.isnan(value):
        return "-"
    return f"{_decimal(value)} ({_decimal(low)}{' to ' if low < 0 else '-'}{_decimal(high)})"


def _decimal(value: float) -> str:
    """Return three decimals, fewer of large ratios, or one digit of what would read as 0."""
    if 0.0 < abs(value) < 0.0005:
        return f"{value:.1g}"
    decimals = 3 if abs(value) < 10.0 else 1 if abs(value) < 100.0 else 0
    return f"{value + 0.0:.{decimals}f}"
