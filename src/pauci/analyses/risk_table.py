"""`risk_table`: discrimination, calibration, net benefit and distribution of predicted risks.

A calibration curve shows the proportion of positives as a function of the predicted risk. The
isotonic regression of the label on the risk is the increasing function that fits best. It has no
tuning parameters, and its steps are the bins of a calibration diagram (Dimitriadis, Gneiting and
Jordan 2021, PNAS 118:e2016191118). A logistic regression on a restricted cubic spline of the log
odds gives a smooth curve.

The pointwise limits are percentiles of bootstrap replicates: of the isotonic regression on
resampled data (``"confidence"``), or on labels that are drawn from the risks (``"consistency"``).
The latter show which deviations from the diagonal are compatible with correct risks.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_call, validated_dataclass
from pauci.cautions.about_data import check_scores
from pauci.checks import AnyArray, FloatArray
from pauci.checks import Number as AcceptedNumber
from pauci.errors import InputError, UndefinedError
from pauci.inference.arguments import check_sample
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Kind
from pauci.measures import (
    AUC,
    OE,
    Brier,
    CalibrationIntercept,
    CalibrationSlope,
    LogLoss,
    Measure,
    NetBenefit,
)
from pauci.measures.risks import Risks, risks_of
from pauci.resampling.bootstrap import Bootstrap, check_rows, scheme_of
from pauci.resampling.draws import EstimatedWeightsPool, Pool
from pauci.resampling.evaluate import Engine
from pauci.results.captions import list_or_count
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.facts import Fact, facts_of_rows
from pauci.results.family import Estimates, JointTest
from pauci.results.presented import Presented
from pauci.results.quantity import PlainRow, Row
from pauci.sample.ratings import Ratings
from pauci.sample.sample import Sample
from pauci.special import expit, logistic_regression
from pauci.tables.table import EstimateCell, RichText, Verbatim

if TYPE_CHECKING:
    from pauci.tables.json_document import Content

DISCRIMINATION, CALIBRATION = "discrimination", "calibration"

ACCURACY, BENEFIT, DISTRIBUTION = "overall accuracy", "net benefit", "distribution"
"""The aspects of performance, to each of which rows of the table belong."""


def aspect_of(measure: Measure) -> str:
    """Return the aspect of performance to which a measure belongs."""
    if isinstance(measure, AUC):
        return DISCRIMINATION
    if isinstance(measure, NetBenefit):
        return BENEFIT
    return ACCURACY if isinstance(measure, (Brier, LogLoss)) else CALIBRATION


BandKind = Literal["confidence", "consistency"]

_QUANTILES = ((0.05, 0.35, 0.65, 0.95), (0.1, 0.5, 0.9))
"""Positions of the knots of the spline; fewer knots are used if these are not distinct."""

_GRID = 200

_BLOCK = 100


class CalibrationCurve(NamedTuple):
    """The calibration curve of a classifier.

    Parameters
    ----------
    risk : ndarray of shape (K,)
        Distinct risks in increasing order.
    observed : ndarray of shape (K,)
        The isotonic regression at each risk.
    low, high : ndarray of shape (K,)
        Pointwise limits, for a consistency band those around the diagonal.
    smooth : tuple of two ndarray, or None
        Risks, and the smooth curve at them; None if it is not defined.
    pos, neg : ndarray of shape (K,)
        Proportions of the positives, and of the negatives, with each risk.
    """

    risk: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    smooth: tuple[FloatArray, FloatArray] | None
    pos: FloatArray
    neg: FloatArray


def calibration_curve(
    ratings: Ratings, band: BandKind, level: float, options: Bootstrap
) -> CalibrationCurve:
    """Return the calibration curve of a classifier whose scores are risks."""
    risks = risks_of(ratings.table)
    p, pos, neg = risks.p[::-1], risks.pos[::-1], risks.neg[::-1]
    draw = _resampled_fits if band == "confidence" else _consistent_fits
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draw(ratings, p, options), (tail, 1.0 - tail), axis=0)
    fitted, shares = isotonic(p, pos, neg), (pos / risks.share, neg / (1.0 - risks.share))
    return CalibrationCurve(p, fitted, low, high, smooth_curve(risks), *shares)


def isotonic(p: FloatArray, pos: AnyArray, neg: AnyArray) -> FloatArray:
    """Return the isotonic regression of the label at each risk, from weights by class.

    The risks are in increasing order. At risks without any row it is interpolated linearly.
    """
    from scipy.optimize import isotonic_regression

    weight = pos + neg
    (kept,) = np.nonzero(weight > 0.0)
    fitted = isotonic_regression(pos[kept] / weight[kept], weights=weight[kept]).x
    return np.asarray(fitted if kept.size == p.size else np.interp(p, p[kept], fitted))


def _resampled_fits(ratings: Ratings, p: FloatArray, options: Bootstrap) -> FloatArray:
    """Return the isotonic regression on resampled rows, an array of shape (replicates, K)."""
    pool = resampled_pool(ratings, options)
    engine = Engine(pool, [])
    fits: list[FloatArray] = []
    while len(fits) < options.n_resamples:
        size = min(pool.block, options.n_resamples - len(fits))
        block = pool.drawn(len(fits) // pool.block, size)
        for ((pos, neg),) in engine.counts(block, size, _BLOCK):
            fits.append(isotonic(p, pos[::-1], neg[::-1]))
    return np.array(fits)


def resampled_pool(ratings: Ratings, options: Bootstrap) -> Pool:
    """Return the pool of the rows; estimated weights are estimated again in each resample."""
    rows = ratings.rows
    check_rows(rows)
    scheme, seed = scheme_of(rows, options), options.seed()
    if not rows.has_estimated_weights:
        return Pool(rows, [ratings], scheme, seed)
    every = np.arange(rows.positive.size)
    return EstimatedWeightsPool(rows, [ratings], scheme, seed, index=[every])


def _consistent_fits(ratings: Ratings, p: FloatArray, options: Bootstrap) -> FloatArray:
    """Return the isotonic regression on labels that are drawn from the risks of the rows."""
    rows = ratings.rows
    rng = np.random.default_rng(options.seed())
    group = p.size - 1 - ratings.codes
    mass = np.ones(group.size) if rows.mass is None else rows.mass.astype(np.float64)
    of_rows = p[group]
    fits = []
    for _ in range(options.n_resamples):
        label = rng.random(group.size) < of_rows
        pos, neg = (np.bincount(group[c], mass[c], p.size) for c in (label, ~label))
        fits.append(isotonic(p, pos, neg))
    return np.array(fits)


def smooth_curve(risks: Risks) -> tuple[FloatArray, FloatArray] | None:
    """Return risks and a logistic regression on a spline of their log odds.

    None if a risk is 0 or 1, if all risks are equal, or if the regression does not converge.
    """
    if not 0.0 < risks.p[-1] < risks.p[0] < 1.0:
        return None
    x = risks.log_odds[::-1]
    pos, weight = risks.pos[::-1], risks.all[::-1]
    knots = _knots(x, weight)
    grid = np.linspace(x[0], x[-1], _GRID)
    coefficients = logistic_regression(_basis(x, knots), pos, weight)
    if coefficients is None:
        return None
    return expit(grid), expit(_basis(grid, knots) @ coefficients)


def _knots(x: FloatArray, weight: FloatArray) -> FloatArray:
    """Return distinct knots at quantiles of the rows; empty for a straight line."""
    shares = np.cumsum(weight) - weight / 2.0
    for quantiles in _QUANTILES:
        knots = np.interp(quantiles, shares / weight.sum(), x)
        if np.diff(knots).min() > 1e-3 * (x[-1] - x[0]):
            return np.asarray(knots)
    return np.empty(0)


def _basis(x: FloatArray, knots: FloatArray) -> FloatArray:
    """Return the columns of a restricted cubic spline, which is linear beyond the outer knots."""
    columns = [np.ones(x.size), x]
    if knots.size:
        span = (knots[-1] - knots[0]) ** 2

        def cubic(knot: float) -> FloatArray:
            return np.asarray(np.maximum(x - knot, 0.0) ** 3 / span)

        last, before = knots[-1], knots[-2]
        for knot in knots[:-2]:
            shares = (last - knot) / (last - before), (before - knot) / (last - before)
            columns.append(cubic(knot) - shares[0] * cubic(before) + shares[1] * cubic(last))
    return np.column_stack(columns)


_QUARTILES = (0.25, 0.5, 0.75)


class RiskQuartiles(NamedTuple):
    """The distribution of the risks of one class.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    label : {"positives", "negatives"}
        The class.
    total : float
        Number of observations.
    low, median, high : float
        Quartiles of the risks.
    """

    classifier: str
    label: str
    total: float
    low: float
    median: float
    high: float


@validated_dataclass
class RiskTable(Presented[Kind]):
    """Performance of predicted risks, by aspect.

    Attributes
    ----------
    estimates : Estimates
        The measures of every classifier.
    differences : tuple of Comparison
        Differences of all measures, if there are two classifiers.
    joint : dict of str to JointTest
        The joint test of an intercept of 0 and a slope of 1 of every classifier, where both are
        defined.
    distribution : tuple of RiskQuartiles
        Quartiles of the risks of positives and of negatives.
    treat_all : dict of float to float
        Net benefit of treating all, by threshold probability; that of treating none is 0.
    undefined : tuple of Measure
        Measures that are left out, because a risk is exactly 0 or 1, or the risks separate the
        classes.
    """

    estimates: Estimates
    differences: tuple[Comparison, ...]
    joint: dict[str, JointTest]
    distribution: tuple[RiskQuartiles, ...]
    treat_all: dict[float, float]
    undefined: tuple[Measure, ...] = ()

    @property
    def classifiers(self) -> list[str]:
        """Names of the classifiers."""
        return list(dict.fromkeys(e.classifier for e in self.estimates))

    _without_kinds = "a risk table, whose measures have intervals of different kinds."

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        rows = []
        for measure in dict.fromkeys(e.measure for e in self.estimates):
            names = {"aspect": aspect_of(measure), "statistic": measure.label}
            for q in (*self.estimates, *self.differences):
                if q.measure != measure:
                    continue
                row = Row(q, level, None)
                compared = isinstance(q, Comparison)
                name = f"{q.first} - {q.second}" if compared else q.classifier
                numbers = {k: row.record[k] for k in ("low", "high", "level", "kind", "pvalue")}
                rows.append(PlainRow(q, **names, classifier=name, **numbers, row=row))
        for d in self.distribution:
            statistic = f"risk of {d.label}: median (quartiles)"
            numbers = {"value": d.median, "kind": None}
            numbers |= dict.fromkeys(("se", "level", "pvalue"), math.nan)
            rows.append(PlainRow(d, aspect=DISTRIBUTION, statistic=statistic, **numbers))
        return rows

    _fields = "aspect statistic classifier value se low high level kind pvalue"

    @property
    def _described(self) -> Sequence[Estimate]:  # type: ignore[override]
        return self.estimates.estimates

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        return facts_of_rows(row["row"] for row in rows if "row" in row)

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        """Return the tests of calibration, the distribution of the risks, and what is undefined."""
        notes: list[RichText] = []
        for name, test in self.joint.items():
            of = (" of ", Verbatim(name)) if len(self.classifiers) > 1 else ()
            notes.append(("Intercept 0 and slope 1", *of, ": ", *test.words, "."))
        for name in self.classifiers:
            risks = ", ".join(
                f"{q.label} {EstimateCell(q.median, q.low, q.high).plain()}"
                for q in self.distribution
                if q.classifier == name
            )
            notes.append(("Median risk (quartiles) of ", Verbatim(name), f": {risks}."))
        if self.undefined:
            words = list_or_count([m.label for m in self.undefined], "measures")
            notes.append(f"Undefined for these risks: {words}.")
        return notes

    def _content(self, level: float, kind: Any) -> "Content":
        tests = [{"classifier": name, **t._rows(level, None)[0]} for name, t in self.joint.items()]
        of_all = [{"probability": q, "value": v} for q, v in self.treat_all.items()]
        parts = {"intercept 0 and slope 1": tests, "net benefit of treating all": of_all}
        return replace(super()._content(level, kind), parts=parts)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.classifiers)})"


@validate_call
def risk_table(
    sample: Sample,
    *,
    probability: "AcceptedNumber | Sequence[AcceptedNumber] | None" = None,
    prevalence: "AcceptedNumber | None" = None,
    harm: "AcceptedNumber" = 0.0,
) -> RiskTable:
    r"""Return discrimination, calibration, net benefit and distribution of predicted risks.

    Parameters
    ----------
    sample : Sample
        One classifier or several on the same rows, whose scores are risks between 0 and 1.
    probability : number or sequence of number, optional
        Threshold probabilities of the net benefit; the default is the prevalence, rounded to two
        digits, where treating all has a net benefit of about 0.
    prevalence : number, optional
        Prevalence in the target population, for the net benefit.
    harm : number, default 0
        Harm of measuring the risk, in units of net benefit.

    Returns
    -------
    RiskTable
        With ``estimates``, ``differences`` of two classifiers, the ``joint`` test of an intercept
        of 0 and a slope of 1, the ``distribution`` of the risks, ``summary()``, ``to_frame()`` and
        ``report()``, which has a sentence for each aspect.

    Raises
    ------
    TypeError, ValueError
        If `sample` is not a sample, if a score is not a risk, or if a probability is not between 0
        and 1.

    Notes
    -----
    These are the aspects that guidelines ask for (Collins et al. 2024, Van Calster et al. 2025).
    The calibration intercept and slope and the log loss are left out if a risk is exactly 0 or 1.

    References
    ----------
    G. S. Collins, K. G. M. Moons, P. Dhiman et al. (2024), BMJ 385:e078378.

    B. Van Calster et al. (2025), Lancet Digital Health, on performance measures for predictive
    artificial intelligence models.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dcurves()
    >>> sample = pauci.Sample(frame["cancer"], frame["cancerpredmarker"], name="m")
    >>> print(pauci.risk_table(sample, probability=0.1).report().split("\n")[-1])
    The net benefit at risk 0.1 was 0.087 (95% CI 0.065 to 0.113) for m and 0.044 for treat all.
    """
    check_sample(sample, "risk_table")
    check_scores(sample, [(name, OE()) for name in sample.names])
    options: dict[str, Any] = {"prevalence": prevalence, "harm": harm}
    benefits = [NetBenefit(q, **options) for q in _probabilities(probability, sample)]
    calibration = [CalibrationIntercept(), CalibrationSlope()]
    accuracy = [Brier(), Brier(scaled=True), LogLoss()]
    used, undefined = _defined(sample, [AUC(), OE(), *calibration, *accuracy, *benefits])
    estimates: Estimates = estimate(sample, used)
    differences: tuple[Comparison, ...] = ()
    if len(sample.names) == 2:
        compared: Any = compare(sample, used)
        differences = tuple(compared)
    joint = {}
    if not any(m in undefined for m in calibration):
        for name in sample.names:
            of_name = (e.classifier == name and e.measure in calibration for e in estimates)
            at = [i for i, is_used in enumerate(of_name) if is_used]
            with suppress(UndefinedError):  # too few rows or clusters
                joint[name] = estimates._part(at).joint(null=[0.0, 1.0])
    quartiles = tuple(q for name in sample.names for q in _quartiles(sample, name))
    share = sample.prevalence if prevalence is None else float(prevalence)
    treat_all = {
        float(m.probability): float(replace(m, harm=0.0).of_rates(1.0, 1.0, share))
        for m in benefits
    }
    return RiskTable(estimates, differences, joint, quartiles, treat_all, tuple(undefined))


def _probabilities(probability: Any, sample: Sample) -> list[Any]:
    """Return the threshold probabilities."""
    if probability is None:
        return [float(f"{sample.prevalence:.2g}")]
    numbers = [checks.finite("probability", q) for q in checks.listed(probability)]
    if not numbers:
        raise InputError.of("probability", probability, "is empty; pass a number, or omit it.")
    return list(dict.fromkeys(numbers))


def _defined(sample: Sample, measures: Sequence[Measure]) -> tuple[list[Measure], list[Measure]]:
    """Return the measures that are defined for all classifiers, and the others."""
    used, undefined = [], []
    for measure in measures:
        try:
            for part in sample.folds():
                for name in part.names:
                    measure.on(part.ratings(name).curve)
        except (InputError, UndefinedError):
            undefined.append(measure)
        else:
            used.append(measure)
    return used, undefined


def _quartiles(sample: Sample, name: str) -> Iterator[RiskQuartiles]:
    """Yield the quartiles of the risks of positives and of negatives."""
    tables = [part.ratings(name).table for part in sample.folds()]
    risk = np.concatenate([risks_of(table).p for table in tables])
    order = np.argsort(risk, kind="stable")
    rows = sample.rows
    for label, count in zip(("positives", "negatives"), rows.counts, strict=True):
        mass = np.concatenate([t.pos if label == "positives" else t.neg for t in tables])
        sums = np.cumsum(mass.astype(np.float64)[order])
        at = np.searchsorted(sums, np.multiply(_QUARTILES, sums[-1]))
        low, median, high = risk[order][np.minimum(at, risk.size - 1)].tolist()
        total = float(count if rows.has_weights else sums[-1])
        yield RiskQuartiles(name, label, total, low, median, high)
