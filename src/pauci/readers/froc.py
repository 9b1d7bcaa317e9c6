"""`froc`: the FROC curve of marks with places, with intervals and differences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_call, validate_constructor
from pauci.checks import Bound, By, FloatArray
from pauci.curve.region import rational
from pauci.errors import InputError, InputTypeError, each_warning_once
from pauci.inference.arguments import Variance
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Kind
from pauci.measures.base import Measure
from pauci.measures.lesion_sensitivity import froc_measures
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.mrmc import Factor, mrmc
from pauci.readers.read_data import readings_of_rows
from pauci.readers.study import ReaderStudy
from pauci.results.layout import ESTIMATE, INTERVAL, SE, STATISTIC, Layout, P, TableColumn, View
from pauci.results.presented import Presented
from pauci.results.quantity import Quantity
from pauci.results.row import Row
from pauci.sample.marks import Marks, froc_rows, sample_of_marks
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.table import Note, Verbatim, difference_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_POINTS = (0.125, 0.25, 0.5, 1, 2, 4, 8)

_FEWEST_SLOTS = 2
"""Smallest ratio of the number of places in a case to the largest number of false marks."""


class FrocQuantity(NamedTuple):
    """An estimate, or a difference of two, of a measure of the FROC curve."""

    measure: Measure
    quantity: Quantity[Any]
    first: str
    second: str = ""


def _name(row: Row) -> Any:
    first, second = row.record["first"], row.record["second"]
    return difference_of(first, second) if second else Verbatim(first)


def _notes(view: View) -> list[Note]:
    result = view.result
    return [
        Note("FROC curve: lesions with a mark, against false marks per image (of all images)."),
        Note(f"{result.basis}."),
        Note(f"SE: {result.source}. p-values are not adjusted for several comparisons."),
    ]


def _sentences(view: View) -> list[str]:
    """Return a sentence about the average sensitivity and the area of each curve and difference."""
    result = view.result
    sentences = []
    for row in view.rows:
        measure, r = row.record["of"], row.record
        if measure not in (result.measures[-2], result.measures[-1]):
            continue
        value = f"{fmt.number(r['value'], row.error)} ({row.quantity.interval_phrase(view.level)}"
        if r["second"]:
            test = row.quantity.inverted_test(0.0, "two-sided").phrase
            names = f"{r['first']} and {r['second']}"
            sentences.append(
                f"The difference in {measure.title} between {names} was {value}; {test})."
            )
        else:
            sentences.append(f"The {measure.title} of {r['first']} was {value}).")
    return [*sentences, f"{result.basis}; {result.source}."]


FROC = Layout(
    title="FROC curve",
    columns=[
        TableColumn("curve", _name),
        TableColumn("measure", lambda row: row.record["measure"]),
        ESTIMATE,
        SE,
        INTERVAL,
        STATISTIC,
        P,
    ],
    fields="first second group measure region false_marks value se df statistic pvalue low high "
    "level kind",
    notes=_notes,
    sentences=_sentences,
    sizes=lambda _: (),
    meanings=lambda _: {"FROC": "free-response ROC", "CPM": "average lesion sensitivity"},
)


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
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
    curve: "pd.DataFrame"
    basis: str
    source: str

    _layout_name = "pauci.readers.froc.FROC"

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
        values = [i.quantity for i in self.items if i.measure == self.measures[-2] and not i.second]
        shown = (
            f"{n}: CPM {fmt.number(q.value, q.se)}" for n, q in zip(names, values, strict=True)
        )
        return f"Froc({', '.join(shown)})"

    def _rows(self, level: float, kind: Any) -> list[Row]:
        errors = {
            m: fmt.smallest_error(i.quantity.se for i in self.items if i.measure == m)
            for m in self.measures
        }
        return [
            Row(
                item.quantity,
                level,
                kind,
                errors[item.measure],
                more={
                    "of": item.measure,
                    "first": item.first,
                    "second": item.second,
                    "group": getattr(item.quantity, "group", None),
                    "measure": item.measure.label,
                    "region": item.measure.region_phrase,
                    "false_marks": float(getattr(item.measure, "false_marks", np.nan)),
                },
            )
            for item in self.items
        ]

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
        from pauci.plot.curves import FrocCurve, draw_froc

        rows = [
            row
            for row in self._rows(checks.level(level), kind)
            if np.isfinite(row.record["false_marks"]) and not row.record["second"]
        ]
        curves = []
        for name in dict.fromkeys(row.record["first"] for row in rows):
            of_curve = [row.record for row in rows if row.record["first"] == name]
            points = np.array(
                [[r[k] for k in ("false_marks", "value", "low", "high")] for r in of_curve]
            )
            part = self.curve[self.curve["name"] == name]
            lines = [
                (p["false_marks"].to_numpy(), p["sensitivity"].to_numpy())
                for _, p in part.groupby("reader", sort=False)
            ]
            curves.append(FrocCurve(name, points, lines))
        return draw_froc(curves, ax)


@validate_call
def froc(
    data: "Sample | ReaderStudy",
    false_marks: Sequence[Bound] = _POINTS,
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
    false_marks : sequence of number, default (1/8, 1/4, 1/2, 1, 2, 4, 8)
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
    sums over cases: with places in each case that a false mark can fill, the curve is an ROC curve
    of clustered rows (`pauci.sample.marks.froc_rows`). A sensitivity at a number of false marks has
    an estimated threshold, as that of `Sensitivity` at a given specificity.

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
    >>> pauci.froc(sample, false_marks=(0.25, 0.5, 1))
    Froc(AI: CPM 0.574)
    """
    found = _marks_of(data)
    points = [_positive("false_marks", x) for x in false_marks]
    if not points:
        raise InputError.about("false_marks", "is empty.", value=false_marks)
    end = _positive("limit", limit)
    most = int(np.bincount(_place(found)).max(initial=0))
    slots = max(most + 1, math.ceil(_FEWEST_SLOTS * max(*points, end)))
    several, average, area = froc_measures(points, end, slots)
    measures = [*several, average, area]
    made = froc_rows(found, slots)
    statement = "; ".join(["FROC of marks", *found.conventions])
    with each_warning_once():
        if isinstance(data, ReaderStudy):
            if by is not None:
                raise InputError.of("by", by, "is for samples, not for reader studies.")
            cells = data.cells
            readings = readings_of_rows(
                data.readers,
                data.modalities,
                np.array([c.reader for c in cells]),
                np.array([c.modality for c in cells]),
                found,
                made,
                statement,
            )
            study = ReaderStudy._of(readings, data.sampling, lower_is_positive=False)
            options: dict[str, Any] = {"method": variance, "standalone": standalone}
            analyses: list[Any] = [mrmc(study, m, readers, cases, **options) for m in measures]
            items = [i for m, a in zip(measures, analyses, strict=True) for i in _averages(m, a)]
            cells_of = [
                (study.modalities[c.modality], study.readers[c.reader], c.ratings)
                for c in study.cells
            ]
            source = f"{analyses[0].factors}, covariances over cases by {analyses[0].method}"
        else:
            sample = object.__new__(Sample)
            sample._set(*sample_of_marks(found, made, data.names, statement))
            result: Any = estimate(sample, measures, variance, by=by)
            analyses, items = [result], [FrocQuantity(e.measure, e, e.full_name) for e in result]
            for m in measures if len(data.names) > 1 and by is None else ():
                compared: Any = compare(sample, m, variance)
                analyses.append(compared)
                listed = compared if isinstance(compared, Sequence) else [compared]
                items += [FrocQuantity(m, c, c.first, c.second) for c in listed]
            for gap in result.gaps if by is not None else ():
                items.append(FrocQuantity(gap.measure, gap, gap.first, gap.second))
            cells_of = [(n, n, sample.ratings(n)) for n in sample.names]
            source = result[0].source
    order = {m: i for i, m in enumerate(measures)}
    items.sort(key=lambda item: (bool(item.second), item.first, item.second, order[item.measure]))
    basis = _basis(found, statement)
    return Froc(
        tuple(items), tuple(measures), tuple(analyses), _curves(cells_of, slots), basis, source
    )


def _marks_of(data: Any) -> Marks:
    """Return the marks of a sample or study; raise an error for other data."""
    if not isinstance(data, (Sample, ReaderStudy)):
        raise checks.wrong_type("data", data, "a Sample or a ReaderStudy of marks")
    marks: Marks | None = (
        data.marks if isinstance(data, ReaderStudy) else getattr(data.rows, "marks", None)
    )
    if marks is None:
        raise InputTypeError.about(
            "data",
            "has no marks with places: create it by Sample.from_marks or ReaderStudy.from_marks.",
            value=data,
        )
    if isinstance(data, Sample) and len(data.names) != len(marks.read):
        raise InputError.about(
            "data",
            f"has {len(data.names)} of {len(marks.read)} classifiers of these marks; create a "
            "sample of the marks of these alone.",
            value=data,
        )
    return marks


def _positive(argument: str, value: Bound) -> Fraction:
    """Return a positive number of false marks as an exact number."""
    number = value if isinstance(value, Fraction) else rational(checks.finite(argument, value))
    if number <= 0:
        raise InputError.of(argument, value, "must be positive.")
    return number


def _place(marks: Marks) -> Any:
    """Return the cell and case of each false mark, as a number."""
    false = marks.lesion < 0
    return marks.cell[false] * len(marks.truth.cases) + marks.case[false]


def _averages(measure: Measure, analysis: ReaderAnalysis) -> list[FrocQuantity]:
    """Return the averages of an analysis of readers, and their differences."""
    return [FrocQuantity(measure, a, a.name) for a in analysis.averages] + [
        FrocQuantity(measure, d, d.name, d.second) for d in analysis.contrasts
    ]


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
        part = {
            "name": name,
            "reader": reader,
            "threshold": table.scores[rated],
            "false_marks": slots * neg[rated] / table.total_neg,
            "sensitivity": pos[rated] / table.total_pos,
        }
        frames.append(pd.DataFrame(part))
    return pd.concat(frames, ignore_index=True)
