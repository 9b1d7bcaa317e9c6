"""`risk_table`: discrimination, calibration, net benefit and distribution of predicted risks."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.accepted import Number as AcceptedNumber
from pauci.analyses.risk_table_layout import DISTRIBUTION, RISKS, aspect_of
from pauci.calls import validate_call, validate_constructor, validate_methods
from pauci.cautions.about_data import check_scores
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.kinds import Kind
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
from pauci.measures.risks import risks_of
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates, JointTest
from pauci.results.layout import Layout
from pauci.results.presented import Presented
from pauci.results.row import PlainRow
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    from pauci.tables.json_document import Content

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
        Number of observations, or the sum of their weights.
    low, median, high : float
        Quartiles of the risks.
    """

    classifier: str
    label: str
    total: float
    low: float
    median: float
    high: float


@validate_methods
@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
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

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        rows = []
        for measure in dict.fromkeys(e.measure for e in self.estimates):
            names = {"aspect": aspect_of(measure), "statistic": measure.label}
            for q in (*self.estimates, *self.differences):
                if q.measure != measure:
                    continue
                low, high = q.interval(level)
                compared = isinstance(q, Comparison)
                numbers = {
                    "classifier": f"{q.first} - {q.second}" if compared else q.classifier,
                    "low": low,
                    "high": high,
                    "level": level,
                    "kind": q.kind_used(),
                    "pvalue": q.pvalue if compared else math.nan,
                    "error": q.se_shown,
                }
                rows.append(PlainRow(q, **names, **numbers))
        for d in self.distribution:
            numbers = {
                "aspect": DISTRIBUTION,
                "statistic": f"risk of {d.label}: median (quartiles)",
                "value": d.median,
                "se": math.nan,
                "level": math.nan,
                "kind": None,
                "pvalue": math.nan,
                "error": max((d.high - d.low) / 10.0, 1e-6),
            }
            rows.append(PlainRow(d, **numbers))
        return rows

    def _layout(self) -> Layout:
        return RISKS

    def _described(self, rows: Any) -> Sequence[Estimate]:  # noqa: ARG002
        return self.estimates.estimates

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
    >>> print(pauci.risk_table(sample, probability=0.1).report().split("\n")[3])
    Net benefit of m: 0.087 (95% CI 0.065 to 0.113) at 0.1 (treating all 0.044).
    """
    if not isinstance(sample, Sample):
        raise InputTypeError.about(
            "sample",
            f"is a {type(sample).__name__}, but risk_table needs a Sample: "
            "pauci.risk_table(pauci.Sample(y_true, risk)).",
            value=sample,
        )
    check_scores(sample, [(name, OE()) for name in sample.names])
    options: dict[str, Any] = {"prevalence": prevalence, "harm": harm}
    benefits = [NetBenefit(q, **options) for q in _probabilities(probability, sample)]
    used, undefined = _defined(
        sample,
        [
            AUC(),
            OE(),
            CalibrationIntercept(),
            CalibrationSlope(),
            Brier(),
            Brier(scaled=True),
            LogLoss(),
            *benefits,
        ],
    )
    estimates: Estimates = estimate(sample, used)
    differences: tuple[Comparison, ...] = ()
    if len(sample.names) == 2:
        compared: Any = compare(sample, used)
        differences = tuple(compared)
    joint = {}
    calibration = [CalibrationIntercept(), CalibrationSlope()]
    if not any(m in undefined for m in calibration):
        for name in sample.names:
            at = [
                i
                for i, e in enumerate(estimates)
                if e.classifier == name and e.measure in calibration
            ]
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
    if np.ndim(probability) == 0:
        return [probability]
    listed = list(dict.fromkeys(probability))
    if not listed:
        raise InputError.of("probability", probability, "is empty; pass a number, or omit it.")
    return [checks.finite("probability", q) for q in listed]


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
    for label in ("positives", "negatives"):
        mass = np.concatenate([t.pos if label == "positives" else t.neg for t in tables])
        sums = np.cumsum(mass.astype(np.float64)[order])
        at = np.searchsorted(sums, np.multiply(_QUARTILES, sums[-1]))
        low, median, high = risk[order][np.minimum(at, risk.size - 1)].tolist()
        yield RiskQuartiles(name, label, float(sums[-1]), low, median, high)
