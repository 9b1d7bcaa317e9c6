"""`risk_table`: discrimination, calibration, net benefit and distribution of predicted risks."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.accepted import Number as AcceptedNumber
from pauci.calls import validate_call, validate_constructor, validate_methods
from pauci.cautions.about_data import check_scores
from pauci.equality import EqualByFields
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
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
from pauci.results.captions import classifiers_phrase, intervals_phrase, list_or_count
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate, Estimates
from pauci.results.joint_test import JointTest
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.data_frames import frame
from pauci.tables.table import (
    Cell,
    Column,
    IntervalCell,
    Note,
    Number,
    PValue,
    RichText,
    Symbol,
    Table,
    Verbatim,
    ends_column,
)
from pauci.tables.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

DISCRIMINATION, CALIBRATION = "discrimination", "calibration"
ACCURACY, BENEFIT, DISTRIBUTION = "overall accuracy", "net benefit", "distribution"

_QUARTILES = (0.25, 0.5, 0.75)

FIELDS = (
    "aspect",
    "statistic",
    "classifier",
    "value",
    "se",
    "low",
    "high",
    "level",
    "kind",
    "pvalue",
)
"""The columns of the data frame."""


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


class _RiskLine(NamedTuple):
    """A row: the aspect, the statistic, what it is about, and its value with an interval."""

    aspect: str
    statistic: str
    classifier: str
    quantity: Estimate | Comparison | None
    quartiles: RiskQuartiles | None = None


@validate_methods
@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class RiskTable(EqualByFields, Tabular):
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

    @property
    def _lines(self) -> Iterator[_RiskLine]:
        """Yield the rows in order."""
        for measure in dict.fromkeys(e.measure for e in self.estimates):
            aspect, label = aspect_of(measure), measure.label
            for e in self.estimates:
                if e.measure == measure:
                    yield _RiskLine(aspect, label, e.classifier, e)
            for c in self.differences:
                if c.measure == measure:
                    yield _RiskLine(aspect, label, f"{c.first} - {c.second}", c)
        for q in self.distribution:
            statistic = f"risk of {q.label}: median (quartiles)"
            yield _RiskLine(DISTRIBUTION, statistic, q.classifier, None, q)

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        several = len(self.classifiers) > 1
        columns = [Column("aspect"), Column("statistic")]
        columns += [Column("classifier")] * several
        columns += [Column("estimate"), Column(Symbol("SE")), ends_column(level)]
        tested = bool(self.differences)
        columns += [Column(Symbol("p"))] * tested
        rows: list[list[Cell]] = []
        aspect = statistic = ""
        for line in self._lines:
            cells: list[Cell] = [
                line.aspect if line.aspect != aspect else None,
                line.statistic if (line.aspect, line.statistic) != (aspect, statistic) else None,
            ]
            aspect, statistic = line.aspect, line.statistic
            cells += [Verbatim(line.classifier)] * several
            cells += _numbers(line, level)
            if tested:
                q = line.quantity
                cells.append(PValue(q.pvalue) if isinstance(q, Comparison) else None)
            rows.append(cells)
        first = self.estimates[0]
        caption: RichText = (
            "AUC, calibration, Brier score, log loss and net benefit of the predicted risks of ",
            *classifiers_phrase(self.classifiers),
            ", and their differences (paired)" * tested,
            f", with {intervals_phrase(level, self._kinds)}; {first.sizes}",
        )
        return Table("Predicted risks", caption, columns, rows, self._notes(level))

    @property
    def _kinds(self) -> str:
        """The kinds of the intervals of the estimates in words."""
        return ", ".join(dict.fromkeys(fmt.proper(e.kind_used()) for e in self.estimates))

    def _notes(self, level: float) -> list[Note]:
        """Return the notes of the table."""
        first = self.estimates[0]
        treated = "; ".join(f"{fmt.decimal(v)} at {q:g}" for q, v in self.treat_all.items())
        notes = [
            Note(f"{fmt.percent(level)} intervals: {self._kinds}. SE: {fmt.proper(first.source)}."),
            Note(f"Net benefit of treating all: {treated}; of treating none: 0."),
            Note("Risks are calibrated if O/E is 1, the intercept 0 and the slope 1."),
        ]
        for name, test in self.joint.items():
            of = (" of ", Verbatim(name)) if len(self.classifiers) > 1 else ()
            notes.append(Note(("Intercept 0 and slope 1", *of, ": ", *test.words, ".")))
        if self.differences:
            notes.append(Note(f"Differences are {self.differences[0].pairing}, with Wald tests."))
        if self.undefined:
            words = list_or_count([m.label for m in self.undefined], "measures")
            notes.append(Note(f"Undefined for these risks: {words}."))
        notes.append(Note(f"{first.sizes}."))
        return notes

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """Return a data frame with a row for each statistic and classifier, or difference.

        In the rows of the distribution, ``value`` is the median, and ``low`` and ``high`` are the
        quartiles.
        """
        records = []
        for line in self._lines:
            record: dict[str, Any] = {
                "aspect": line.aspect,
                "statistic": line.statistic,
                "classifier": line.classifier,
                "se": math.nan,
                "level": math.nan,
                "kind": None,
                "pvalue": math.nan,
            }
            if line.quartiles is not None:
                q = line.quartiles
                record |= {"value": q.median, "low": q.low, "high": q.high}
            else:
                assert line.quantity is not None
                low, high = line.quantity.interval(level)
                record |= {
                    "value": line.quantity.value,
                    "se": line.quantity.se,
                    "low": low,
                    "high": high,
                    "level": level,
                    "kind": line.quantity.kind_used(),
                }
                if isinstance(line.quantity, Comparison):
                    record["pvalue"] = line.quantity.pvalue
            records.append(record)
        return frame(FIELDS, records)

    def report(self, level: float = 0.95) -> str:
        """Return a sentence about each aspect, for every classifier and their difference."""
        return "\n".join(self._sentences(level))

    def _sentences(self, level: float) -> list[str]:
        sentences = []
        for name in self.classifiers:
            for aspect in (DISCRIMINATION, CALIBRATION, ACCURACY, BENEFIT):
                of_aspect = [
                    e
                    for e in self.estimates
                    if e.classifier == name and aspect_of(e.measure) == aspect
                ]
                listed = [f"{_named(e.measure)}{_with_interval(e, level)}" for e in of_aspect]
                tested = ""
                if aspect == BENEFIT:
                    listed = [
                        f"{text} at {q:g} (treating all {fmt.decimal(v)})"
                        for text, (q, v) in zip(listed, self.treat_all.items(), strict=True)
                    ]
                if aspect == CALIBRATION and name in self.joint:
                    tested = f"; intercept 0 and slope 1: {self.joint[name]._text}"
                sentences.append(f"{aspect.capitalize()} of {name}: {', '.join(listed)}{tested}.")
            parts = [
                f"{q.median:.3g} (quartiles {q.low:.3g} to {q.high:.3g}) in "
                f"{fmt.observations(q.total)} {q.label}"
                for q in self.distribution
                if q.classifier == name
            ]
            sentences.append(f"The median risk of {name} was {' and '.join(parts)}.")
        if self.differences:
            listed = [
                f"{c.measure.label} {_with_interval(c, level)}, {fmt.p_value(c.pvalue)}"
                for c in self.differences
            ]
            pair = f"{self.differences[0].first} - {self.differences[0].second}"
            sentences.append(f"Differences {pair}: {'; '.join(listed)}.")
        return sentences

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.classifiers)})"


def aspect_of(measure: Measure) -> str:
    """Return the aspect of performance to which a measure belongs."""
    if isinstance(measure, AUC):
        return DISCRIMINATION
    if isinstance(measure, NetBenefit):
        return BENEFIT
    return ACCURACY if isinstance(measure, (Brier, LogLoss)) else CALIBRATION


def _numbers(line: _RiskLine, level: float) -> list[Cell]:
    """Return the estimate, its standard error and its interval as cells."""
    if line.quartiles is not None:
        q = line.quartiles
        error = max((q.high - q.low) / 10.0, 1e-6)
        return [Number(q.median, error), None, IntervalCell(q.low, q.high, error)]
    q, error = line.quantity, line.quantity.se_shown  # type: ignore[assignment,union-attr]
    low, high = q.interval(level)  # type: ignore[attr-defined]
    return [
        Number(q.value, error),  # type: ignore[attr-defined]
        Number(q.se, error),  # type: ignore[attr-defined]
        IntervalCell(low, high, error),
    ]


def _named(measure: Measure) -> str:
    """Return the name of a measure before its value; empty for net benefit, which is the aspect."""
    return "" if isinstance(measure, NetBenefit) else f"{measure.label} "


def _with_interval(q: Any, level: float) -> str:
    low, high = (fmt.number(v, q.se_shown) for v in q.interval(level))
    return f"{fmt.number(q.value, q.se_shown)} ({fmt.percent(level)} CI {low} to {high})"


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
    Net benefit of m: 0.087 (95% CI 0.063 to 0.112) at 0.1 (treating all 0.044).
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
