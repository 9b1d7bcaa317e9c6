"""`froc`: the FROC curve of marks with places, with intervals and differences.

The FROC curve shows the lesion sensitivity against the number of false marks per case. Its rows are
those of `pauci.sample.marks.froc_rows`: the negatives are a number of places in each case, so that
the false positive rate is the number of false marks per case divided by that number, and the FROC
curve is the ROC curve on another scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_call, validated_dataclass
from pauci.checks import Bound, By, FloatArray
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Bounds, Piece, Region, rational
from pauci.errors import (
    InputError,
    InputTypeError,
    SmallRegionWarning,
    each_warning_once,
    held_warnings,
    warn,
)
from pauci.inference.arguments import Variance
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Kind
from pauci.measures.area import PAUC
from pauci.measures.at_cutoff import Sensitivity
from pauci.measures.base import Measure, Request
from pauci.measures.influence import Influence, combine
from pauci.readers.analysis import METHODS, source_of
from pauci.readers.mrmc import Factor, mrmc
from pauci.readers.read_data import readings_of_rows
from pauci.readers.study import ReaderStudy
from pauci.results.facts import Fact, fact_of
from pauci.results.presented import Presented
from pauci.results.quantity import Quantity, Row
from pauci.sample.marks import FigureRows, Marks, froc_rows, sample_of_marks
from pauci.sample.rows import CurveStatement
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.tables.table import RichText


BANDOS = "Bandos, Rockette, Song and Gur 2009, Biometrics 65:247-256"


CPM_POINTS = tuple(Fraction(2) ** k for k in range(-3, 4))
"""The numbers of false marks per image of the competition performance metric."""


def _text(false_marks: Fraction) -> str:
    """Return a number of false marks as a fraction of a small denominator, or as a decimal."""
    return str(false_marks) if false_marks.denominator <= 16 else f"{float(false_marks):.4g}"


def _per_image(false_marks: Fraction) -> str:
    """Return a number of false marks per image in words."""
    return f"{_text(false_marks)} false mark{'s' * (false_marks != 1)} per image"


@dataclass(frozen=True, eq=False, repr=False)
class LesionSensitivity(Sensitivity):
    """The fraction of lesions that are marked, at a number of false marks per case.

    Parameters
    ----------
    fpr : Fraction
        The number of false marks per case divided by `slots`.
    slots : int
        The number of places in each case.
    """

    key: ClassVar[str] = "lesion-sensitivity"
    symbol: ClassVar[str] = "lesion sensitivity"
    title: ClassVar[str] = "lesion sensitivity"

    slots: int = field(default=1, kw_only=True)

    @property
    def false_marks(self) -> Fraction:
        """The number of false marks per case."""
        return Fraction(self.region.rate_ends[0].rate) * self.slots

    @property
    def region_phrase(self) -> str:
        """The number of false marks in words."""
        return f"at {_per_image(self.false_marks)}"

    @property
    def label(self) -> str:
        """The sensitivity with the number of false marks, which distinguishes the points."""
        return f"sensitivity at {_text(self.false_marks)}"

    @property
    def label_and_place(self) -> tuple[str, str]:
        """The sensitivity, and the number of false marks."""
        return "sensitivity", _per_image(self.false_marks).replace(" per ", "/")

    def __repr__(self) -> str:
        return f"LesionSensitivity({_text(self.false_marks)})"


@dataclass(frozen=True, eq=False, repr=False)
class FrocSum(Measure):
    """A sum of measures of the FROC curve with a common weight.

    Parameters
    ----------
    members : tuple of Measure
        The measures.
    weight : float
        Their weight.
    symbol, title : str
        The names of the sum.
    """

    key: ClassVar[str] = "froc-sum"
    reference: ClassVar[str] = BANDOS
    has_region: ClassVar[bool] = False
    region: ClassVar[Region] = WHOLE

    members: tuple[Measure, ...]
    weight: float
    symbol: str  # type: ignore[misc]
    title: str  # type: ignore[misc]

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions of all members."""
        return tuple(region for m in self.members for region in m.regions)

    @property
    def known_ends(self) -> bool:  # type: ignore[override]
        """Whether the ends of all members are known."""
        return all(m.known_ends for m in self.members)

    @property
    def range(self) -> Bounds:
        """The weighted sums of the ends of the ranges."""
        low, high = (self.weight * sum(m.range[k] for m in self.members) for k in (0, 1))
        return Bounds(low, high)

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the weighted sum of the values."""
        return self.weight * sum(m.on(curve) for m in self.members)

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return the weighted sum of the influence values."""
        influences = [m.influence_on(curve) for m in self.members]
        return combine(influences, [self.weight] * len(influences))

    def requests(self) -> tuple[Request, ...]:
        """Return the requests of all members, one for each."""
        return tuple(request for m in self.members for request in m.requests())

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the values on resampled curves."""
        pairs = zip(self.members, answers, strict=True)
        values = [m.from_replicates(answer) for m, answer in pairs]
        return np.asarray(self.weight * np.sum(values, axis=0))

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the smallest number of pairs."""
        return min(m.pairs(n_pos, n_neg) for m in self.members)

    def __repr__(self) -> str:
        return self.symbol


def froc_measures(
    false_marks: Sequence[Fraction], limit: Fraction, slots: int
) -> tuple[list[Measure], Measure, Measure]:
    """Return the lesion sensitivities, their average, and the area up to a limit."""
    points = [LesionSensitivity(fpr=x / slots, slots=slots) for x in false_marks]
    numbers = ", ".join(map(_text, false_marks))
    symbol = "CPM" if tuple(false_marks) == CPM_POINTS else "average sensitivity"
    title = f"average lesion sensitivity at {numbers} false marks per image"
    title += " (CPM)" * (symbol == "CPM")
    average = FrocSum(tuple(points), 1.0 / len(points), symbol, title)
    title = f"area under the FROC curve up to {_per_image(limit)}"
    area = FrocSum((PAUC(fpr=(0, limit / slots)),), float(slots), "FROC area", title)
    return [*points], average, area


class FrocQuantity(NamedTuple):
    """An estimate, or a difference of two, of a measure of the FROC curve."""

    measure: Measure
    quantity: Quantity[Any]
    first: str
    second: str = ""


_PLACES = 100
"""Ratio of the number of places in a case to the largest number of false marks in a case, plus 1.
It does not depend on the requested points, because it enters the smoothing; the results are nearly
those of an unlimited number of places."""

_RANGE = 100_000
"""Ratio of the largest to the smallest number of false marks; the largest is half the number of
places.
"""


@validated_dataclass
class Froc(Presented[Kind]):
    """The FROC curve of readers or algorithms: lesion sensitivity against false marks per image.

    Attributes
    ----------
    items : tuple of FrocQuantity
        The estimates of all measures, and the differences.
    measures : tuple of Measure
        The lesion sensitivities at numbers of false marks per image, their average (CPM), and the
        area up to a limit.
    analyses : tuple of Estimates, Comparison or ReaderAnalysis
        The results of `estimate` and `compare`, or of `mrmc` for each measure.
    curve : pandas.DataFrame
        The points of the curves.
    basis : str
        Numbers of cases and lesions, and what is done with repeated marks, in words.
    source : str
        Source of the standard errors in words.
    """

    items: tuple[FrocQuantity, ...]
    measures: tuple[Measure, ...]
    analyses: tuple[Any, ...]
    curve: "pd.DataFrame" = field(compare=False)
    basis: str
    source: str

    _fields = (
        "first second group measure region false_marks value se df statistic pvalue low high "
        "level kind"
    )

    _noun_of_names, _states_errors = "modality", False

    @property
    def _basis(self) -> str:  # type: ignore[override]
        return self.basis

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        facts = []
        for row in rows:
            first, second, group = (row.record[k] for k in ("first", "second", "group"))
            names = {"classifier": (first, second) if second else first}
            if group is not None:
                names["group"] = str(group)
            facts.append(fact_of(row, row.record["of"], "", names))
        return facts

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        return [f"Standard errors: {fmt.proper(self.source)}."]

    @property
    def points(self) -> "pd.DataFrame":
        """The lesion sensitivities at the numbers of false marks per image."""
        return self._part(self.measures[:-2])

    @property
    def cpm(self) -> "pd.DataFrame":
        """The average of the lesion sensitivities at these numbers."""
        return self._part(self.measures[-2:-1])

    @property
    def area(self) -> "pd.DataFrame":
        """The area under the FROC curve up to the limit."""
        return self._part(self.measures[-1:])

    def _part(self, measures: Sequence[Measure]) -> "pd.DataFrame":
        found = self.to_frame()
        keep = [item.measure in measures for item in self.items]
        return found[keep].reset_index(drop=True)

    def __repr__(self) -> str:
        names = list(dict.fromkeys(i.first for i in self.items if not i.second))
        average = self.measures[-2]
        values = [i.quantity for i in self.items if i.measure == average and not i.second]
        texts = [f"{average.symbol} {fmt.number(q.value, q.se)}" for q in values]
        return f"Froc({', '.join(f'{n}: {v}' for n, v in zip(names, texts, strict=True))})"

    def _rows(self, level: float, kind: Any) -> list[Row]:
        rows = []
        for measure, q, first, second in self.items:
            more = {"of": measure, "first": first, "second": second}
            more |= {"measure": measure.label, "region": measure.region_phrase}
            more["group"] = getattr(q, "group", None)
            more["false_marks"] = float(getattr(measure, "false_marks", np.nan))
            rows.append(Row(q, level, kind, more=more))
        return rows

    def plot(
        self, *, level: float = 0.95, kind: Kind | None = None, ax: "Axes | None" = None
    ) -> "Axes":
        """Draw the FROC curves, with the lesion sensitivities and their intervals.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Kind of the intervals.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes

        Notes
        -----
        The axis of false marks is logarithmic. The curves of the readers of a study are thin lines,
        and their averages are points.
        """
        from pauci.drawings.curves import draw_froc

        frame = self.to_frame(level=level, kind=kind)
        frame = frame[np.isfinite(frame["false_marks"]) & (frame["second"] == "")]
        curves = []
        for name, of_curve in frame.groupby("first", sort=False):
            points = of_curve[["false_marks", "value", "low", "high"]].to_numpy()
            part = self.curve[self.curve["name"] == name]
            lines = [
                (p["false_marks"].to_numpy(), p["sensitivity"].to_numpy())
                for _, p in part.groupby("reader", sort=False)
            ]
            curves.append((name, points, lines))
        return draw_froc(curves, ax)


@validate_call
def froc(
    data: "Sample | ReaderStudy",
    false_marks: "Sequence[Bound] | Bound" = CPM_POINTS,
    limit: Bound = 1,
    *,
    by: "By | None" = None,
    variance: "Variance" = "influence",
    readers: Factor = "random",
    cases: Factor = "random",
    standalone: str | None = None,
) -> Froc:
    r"""Estimate the FROC curve of marks with places.

    Parameters
    ----------
    data : Sample or ReaderStudy
        Marks with places, from `Sample.from_marks` or `ReaderStudy.from_marks` of any kind.
    false_marks : number or sequence of number, default (1/8, 1/4, 1/2, 1, 2, 4, 8)
        The numbers of false marks per image at which the lesion sensitivity is estimated, and
        averaged. The average of the default numbers is the competition performance metric (CPM).
    limit : number, default 1
        The number of false marks per image up to which the area under the curve is estimated.
    by : str, optional
        For a sample: a grouping of the cases, as for `estimate`.
    variance : str or VarianceMethod, default "influence"
        Method for covariances over cases, as for `estimate` and `mrmc`.
    readers, cases : {"random", "fixed"}, default "random"
        For a study: whether readers or cases are a random sample, as for `mrmc`.
    standalone : str, optional
        For a study: the modality of an algorithm, as for `mrmc`.

    Returns
    -------
    Froc
        ``.points``, ``.cpm``, ``.area`` and ``.curve`` (data frames), ``.summary()``,
        ``.report()``, ``.plot()``.

    Raises
    ------
    TypeError, ValueError
        If the data are not marks with places, or if a number of false marks is not positive.

    Notes
    -----
    At a rating t, :math:`y(t)` is the fraction of lesions with a mark rated at least t, and
    :math:`x(t)` the number of false marks rated at least t, divided by the number of cases, with
    and without lesions. Between two points the curve is straight, and beyond the last one it is
    horizontal. Each lesion counts equally, and of several marks on a lesion the highest counts.

    All quantities are means over cases, or functions of these, so that their covariance is that of
    sums over cases: if each case has places that false marks can fill, the curve is an ROC curve of
    clustered rows (`pauci.sample.marks.froc_rows`). The threshold of a sensitivity at a number of
    false marks is estimated, as for `Sensitivity` at a given specificity.

    References
    ----------
    D. P. Chakraborty (2017), Observer Performance Methods for Diagnostic Imaging. A. I. Bandos,
    H. E. Rockette, T. Song and D. Gur (2009), Biometrics 65:247-256. A. A. A. Setio et al. (2017),
    Medical Image Analysis 42:1-13.

    Examples
    --------
    >>> import pauci
    >>> marks, cases = pauci.datasets.load_marks(), pauci.datasets.load_marked_cases()
    >>> ai = marks[marks["modality"] == "AI"]
    >>> sample = pauci.Sample.from_marks(ai, cases, name="AI")
    >>> pauci.froc(sample)
    Froc(AI: CPM 0.669)
    """
    found = _marks_of(data)
    points = [_positive("false_marks", x) for x in checks.listed(false_marks)]
    if not points:
        raise InputError.about("false_marks", "is empty.", value=false_marks)
    end = _positive("limit", limit)
    false = found.lesion < 0
    places = found.cell[false] * len(found.truth.cases) + found.case[false]
    slots = _PLACES * (int(np.bincount(places).max(initial=0)) + 1)
    for argument, number in (*(("false_marks", x) for x in points), ("limit", end)):
        if not slots / (2 * _RANGE) <= number <= slots / 2:
            problem = (
                f"must be between {slots / (2 * _RANGE):g} and {slots / 2:g} for these marks, a "
                f"range of {_RANGE:,}."
            )
            raise InputError.of(argument, float(number), problem)
    several, average, area = froc_measures(points, end, slots)
    measures = [*several, average, area]
    options: dict[str, Any] = {"readers": readers, "cases": cases, "standalone": standalone}
    statement = CurveStatement.of(["FROC of marks", *found.conventions], "FROC")
    made = found, froc_rows(found, slots), statement
    with held_warnings() as held:
        if isinstance(data, ReaderStudy):
            if by is not None:
                raise InputError.of("by", by, "is for samples, not for reader studies.")
            options |= {"method": variance}
            results = _of_study(data, made, measures, options)
        else:
            for name, value in options.items():
                default = None if name == "standalone" else "random"
                if not (value is default or checks.equal(value, default)):
                    raise InputError.of(name, value, "is for reader studies, not for samples.")
            results = _of_sample(data, made, measures, variance, by)
    with each_warning_once():
        for warning in held:
            if isinstance(warning, SmallRegionWarning):
                problem = f"{warning.value:.3g} false marks are expected; 95% intervals can cover "
                problem += "less than 90% if there are so few."
                hint = "Use a larger number of false marks per image."
                warning = warning.replaced(problem=problem, hint=hint)
            warn(warning)
    analyses, items, cells, source = results
    order = {m: i for i, m in enumerate(measures)}
    items.sort(key=lambda item: (bool(item.second), item.first, item.second, order[item.measure]))
    curve, basis = _curves(cells, slots), _basis(found, statement)
    return Froc(tuple(items), tuple(measures), tuple(analyses), curve, basis, source)


_Parts = tuple[list[Any], list[FrocQuantity], list[tuple[str, str, Any]], str]
"""The analyses, their quantities, the ratings of each curve with its names, and the source."""


_Made = tuple[Marks, FigureRows, str]
"""The marks, the rows of their figure of merit, and the statement on these."""


def _of_study(
    data: ReaderStudy, made: _Made, measures: Sequence[Measure], options: dict[str, Any]
) -> _Parts:
    """Return the analyses of the readers of a study by each measure."""
    reader, modality = (np.array([cell[i] for cell in data.cells]) for i in (0, 1))
    readings = readings_of_rows((data.readers, data.modalities), (reader, modality), *made)
    study = ReaderStudy._of(readings, data.sampling, lower_is_positive=False)
    analyses = [mrmc(study, measure, **options) for measure in measures]
    items = []
    for measure, analysis in zip(measures, analyses, strict=True):
        items += [FrocQuantity(measure, a, a.name) for a in analysis.averages]
        items += [FrocQuantity(measure, d, d.name, d.second) for d in analysis.contrasts]
    names = study.modalities, study.readers
    cells = [(names[0][c.modality], names[1][c.reader], c.ratings) for c in study.cells]
    first = analyses[0]
    return analyses, items, cells, f"{source_of(first)}; {first.factors}"


def _of_sample(
    data: Sample, made: _Made, measures: Sequence[Measure], variance: Variance, by: "By | None"
) -> _Parts:
    """Return the estimates of each algorithm or group, and their differences."""
    marks, rows, statement = made
    sample = Sample._of(*sample_of_marks(marks, rows, data.names, statement))
    estimates: Any = estimate(sample, list(measures), variance, by=by)
    analyses = [estimates]
    items = [FrocQuantity(e.measure, e, e.full_name) for e in estimates]
    compared: list[Any] = []
    if by is not None:
        compared = list(estimates.gaps)
    elif len(data.names) > 1:
        for measure in measures:
            result: Any = compare(sample, measure, variance)
            analyses.append(result)
            compared += result if isinstance(result, Sequence) else [result]
    items += [FrocQuantity(c.measure, c, c.first, c.second) for c in compared]
    cells = [(name, name, sample.ratings(name)) for name in sample.names]
    return analyses, items, cells, METHODS.get(estimates[0].variance, estimates[0].source)


def _marks_of(data: Any) -> Marks:
    """Return the marks of a sample or study; raise an error for other data."""
    if not isinstance(data, (Sample, ReaderStudy)):
        raise checks.wrong_type("data", data, "a Sample or a ReaderStudy of marks")
    marks: Marks | None = data.rows.marks
    if marks is None:
        problem = (
            "has no marks with places: create it by Sample.from_marks or ReaderStudy.from_marks."
        )
        raise InputTypeError.about("data", problem, value=data)
    if isinstance(data, Sample) and len(data.names) != len(marks.read):
        problem = (
            f"has {len(data.names)} of {len(marks.read)} classifiers of these marks; create a "
            "sample of the marks of these alone."
        )
        raise InputError.about("data", problem, value=data)
    return marks


def _positive(argument: str, value: Bound) -> Fraction:
    """Return a positive number of false marks as an exact number."""
    if isinstance(value, Fraction) and checks.is_finite(value):
        number = value
    else:
        number = rational(checks.finite(argument, value))
    if number <= 0:
        raise InputError.of(argument, value, "must be positive.")
    return number


def _basis(marks: Marks, statement: str) -> str:
    """Return the numbers of cases and lesions, and the conventions, in words."""
    cases, lesions = len(marks.truth.cases), marks.truth.lesion_case.size
    with_lesions = int(np.count_nonzero(marks.with_lesions))
    return (
        f"{fmt.count(cases, 'image')}, {with_lesions:,} with {fmt.count(lesions, 'lesion')}; "
        f"{fmt.count(marks.case.size, 'mark')}; {statement}"
    )


def _curves(cells: Sequence[tuple[str, str, Any]], slots: int) -> "pd.DataFrame":
    """Return the points of the curves at all ratings."""
    import pandas as pd

    frames = []
    for name, reader, ratings in cells:
        table = ratings.table
        pos, neg = (np.cumsum(n) for n in (table.pos, table.neg))
        rated: FloatArray = table.scores > (ratings.rows.marks.unmarked)
        part = {"name": name, "reader": reader, "threshold": table.scores[rated]}
        part["false_marks"] = slots * neg[rated] / table.total_neg
        part["sensitivity"] = pos[rated] / table.total_pos
        frames.append(pd.DataFrame(part))
    return pd.concat(frames, ignore_index=True)
