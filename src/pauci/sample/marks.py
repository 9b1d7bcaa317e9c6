"""Marks with places: the rows of a sample by which figures of merit of free responses are areas.

A reader or an algorithm marks suspicious places in a case, and rates each mark. A mark on a lesion
is a hit, any other mark is a false mark. In the figures of merit of Chakraborty (2017), Observer
Performance Methods for Diagnostic Imaging, lesions are compared with the highest false marks of
cases, so that they are the AUC of a sample whose positives are lesions, whose negatives are cases,
and whose clusters are cases. Partial areas, points, tests and analyses of readers are those of this
sample. A figure of merit is a function from `Marks` to `FigureRows` (`FIGURES`).
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray, Number
from pauci.errors import DataName, InputError, InputTypeError, RepeatedRowsWarning, warn
from pauci.sample import columns
from pauci.sample.frame_columns import column_of, complete_column
from pauci.sample.ratings import Ratings
from pauci.sample.repeated_rows import crossed_columns, joint_codes, unused_columns
from pauci.sample.rows import CurveStatement, Design, Grouping, Rows
from pauci.sample.vectors import missing_rows, numbered
from pauci.sample.weights import grouping_of
from pauci.sample.weights import weight as scaled_weights

_LISTS = (list, tuple, set, frozenset, np.ndarray)

_TOLERANCE = 5e-3
"""Largest deviation from 1 of the sum of the weights of a case, which are often rounded."""


class FigureRows(NamedTuple):
    """The rows of a sample for a figure of merit."""

    scores: AnyArray
    """Scores by cell (a reader in a modality, or an algorithm) and row."""
    positive: BoolArray
    case: IntArray
    """The case of each row, which is its cluster."""
    lesion: IntArray
    """The lesion of each row; -1 for other rows."""
    weight: FloatArray | None = None
    frequency: IntArray | None = None


class Truth(NamedTuple):
    """Cases, and their lesions in the order of the cases."""

    cases: tuple[object, ...]
    lesion_case: IntArray
    numbers: dict[tuple[int, object], int]
    """The number of each lesion by its case and its name, in their order."""
    weight: FloatArray
    """The weight of each lesion; those of a case add up to 1."""
    rows: Any
    """A frame with a row for each lesion, if weights or places are read from it."""
    groups: tuple[Grouping, ...] = ()
    """Groups of the cases."""


@dataclass(frozen=True, eq=False)
class Marks:
    """The marks of several cells (readers in modalities, or algorithms) on the same cases.

    Attributes
    ----------
    truth : Truth
        Cases and lesions.
    cell, case, lesion : ndarray of int
        Of each mark; the lesion is -1 for a false mark.
    rating : ndarray
        The rating of each mark.
    read : ndarray of bool, shape (cells, cases)
        Whether a case was read.
    kind : str or callable
        The figure of merit.
    places : str
        How marks were assigned to lesions, unless the data state the lesions.
    """

    truth: Truth
    cell: IntArray
    case: IntArray
    lesion: IntArray
    rating: AnyArray
    read: BoolArray
    kind: "str | Callable[[Marks], FigureRows]" = "wAFROC"
    places: str = ""

    @cached_property
    def unmarked(self) -> float:
        """The score of lesions and cases without marks, which is below all ratings."""
        low = float(self.rating.min())
        return min(low - 1.0, math.nextafter(low, -math.inf))

    @cached_property
    def no_credit(self) -> float:
        """The score of a lesion that ranks below cases without marks."""
        return min(self.unmarked - 1.0, math.nextafter(self.unmarked, -math.inf))

    @cached_property
    def with_lesions(self) -> BoolArray:
        """Whether each case has lesions."""
        return np.bincount(self.truth.lesion_case, minlength=len(self.truth.cases)) > 0

    @cached_property
    def highest_false(self) -> FloatArray:
        """The highest false mark by cell and case; `unmarked` without one."""
        return self._highest(len(self.truth.cases), self.case, self.lesion < 0)

    @cached_property
    def highest_hits(self) -> FloatArray:
        """The highest mark by cell and lesion; `unmarked` without one."""
        return self._highest(self.truth.lesion_case.size, self.lesion, self.lesion >= 0)

    def _highest(self, n: int, at: IntArray, which: BoolArray) -> FloatArray:
        best = np.full((len(self.read), n), self.unmarked)
        np.maximum.at(best, (self.cell[which], at[which]), self.rating[which])
        return best

    def rows(self) -> FigureRows:
        """Return the rows of the figure of merit."""
        made = self.kind(self) if callable(self.kind) else FIGURES[self.kind][0](self)
        if not isinstance(made, FigureRows):
            raise InputTypeError.about(
                "kind", f"returned a {type(made).__name__}; it must return FigureRows.", value=made
            )
        return made

    @property
    def statement(self) -> CurveStatement:
        """The figure of merit, and what is done with unmarked lesions and repeated marks."""
        kind = self.kind
        name = getattr(kind, "__name__", repr(kind)) if callable(kind) else kind
        described = "" if callable(kind) else f": {FIGURES[kind][1]}"
        return CurveStatement.of([f"{name} of marks{described}", *self.conventions], name)

    @property
    def conventions(self) -> list[str]:
        """What is done with unmarked lesions and repeated marks, and how places were compared."""
        words = []
        if self.kind != "LROC":
            words.append("unmarked lesions and cases share the lowest rank")
        hits = np.count_nonzero(self.lesion >= 0)
        repeated = int(hits - np.count_nonzero(self.highest_hits > self.unmarked))
        if repeated:
            marks = checks.count(repeated, "mark")
            words.append(f"the highest mark on a lesion counts ({marks} on the same one ignored)")
        return [*words, self.places] if self.places else words


def _lesions_and_cases(marks: Marks, *, weighted: bool, every_case: bool) -> FigureRows:
    """Return lesions as positives, and the highest false marks of cases as negatives."""
    truth, n = marks.truth, len(marks.truth.cases)
    cases = np.arange(n) if every_case else np.flatnonzero(~marks.with_lesions)
    lesions = truth.lesion_case
    return FigureRows(
        np.hstack([marks.highest_false[:, cases], marks.highest_hits]),
        np.repeat([False, True], [cases.size, lesions.size]),
        np.concatenate([cases, lesions]),
        np.concatenate([np.full(cases.size, -1), np.arange(lesions.size)]),
        np.concatenate([np.ones(cases.size), truth.weight]) if weighted else None,
    )


def _cases(marks: Marks, scores: FloatArray) -> FigureRows:
    """Return cases as rows, those with lesions as positives."""
    n = len(marks.truth.cases)
    return FigureRows(scores, marks.with_lesions, np.arange(n), np.full(n, -1))


def _highest_mark(marks: Marks) -> FigureRows:
    """Return the highest mark of each case, on a lesion or not."""
    best = marks.highest_false.T.copy()
    np.maximum.at(best, marks.truth.lesion_case, marks.highest_hits.T)
    return _cases(marks, np.ascontiguousarray(best.T))


def _forced_mark(marks: Marks) -> FigureRows:
    """Return the rating of the single mark of each case, without credit if it misses all lesions.

    Cases with lesions whose mark misses them rank below all others, so that the area under the
    curve is that under the LROC curve (Swensson 1996, Medical Physics 23:1709-1725), which ends at
    an FPF of 1.
    """
    n = len(marks.truth.cases)
    found = np.zeros(marks.read.shape, np.int64)
    np.add.at(found, (marks.cell, marks.case), 1)
    odd = np.argwhere((found != 1) & marks.read)
    if odd.size:
        cell, case = odd[0]
        problem = (
            f"requires a single mark in each case, but case {marks.truth.cases[case]!r} has "
            f"{checks.count(int(found[cell, case]), 'mark')}."
        )
        hint = "For free responses use kind='wAFROC' or pauci.froc."
        raise InputError.of("kind", "LROC", problem, hint=hint)
    scores = np.full((len(marks.read), n), marks.no_credit)
    counts = (marks.lesion >= 0) | ~marks.with_lesions[marks.case]
    scores[marks.cell[counts], marks.case[counts]] = marks.rating[counts]
    return _cases(marks, scores)


def froc_rows(marks: Marks, slots: int) -> FigureRows:
    """Return lesions as positives, and as negatives a number of places in each case.

    Every false mark is at a place of its own, and the other places of the case have no mark, so
    that the false positive rate is the number of false marks per case divided by `slots`. Unmarked
    lesions rank last: beyond its last point, the curve is horizontal.
    """
    truth, n, cells = marks.truth, len(marks.truth.cases), len(marks.read)
    false = np.flatnonzero(marks.lesion < 0)
    place = marks.cell[false] * n + marks.case[false]
    order = np.argsort(place, kind="stable")
    number = np.bincount(place, minlength=cells * n)
    rank = np.empty(false.size, np.int64)
    rank[order] = np.arange(false.size) - np.repeat(np.cumsum(number) - number, number)
    most = number.reshape(cells, n).max(axis=0)
    first = np.cumsum(most) - most
    scores = np.full((cells, int(most.sum())), marks.unmarked)
    scores[marks.cell[false], first[marks.case[false]] + rank] = marks.rating[false]
    lesions = marks.highest_hits
    lesions = np.where(lesions == marks.unmarked, marks.no_credit, lesions)
    size = scores.shape[1] + n
    return FigureRows(
        np.hstack([scores, np.full((cells, n), marks.unmarked), lesions]),
        np.repeat([False, True], [size, lesions.shape[1]]),
        np.concatenate([np.repeat(np.arange(n), most), np.arange(n), truth.lesion_case]),
        np.concatenate([np.full(size, -1), np.arange(lesions.shape[1])]),
        frequency=np.concatenate(
            [np.ones(scores.shape[1], np.int64), slots - most, np.ones(lesions.shape[1], np.int64)]
        ),
    )


FIGURES: dict[str, tuple[Callable[[Marks], FigureRows], str]] = {
    f"{'w' * weighted}AFROC{'1' * every_case}": (
        partial(_lesions_and_cases, weighted=weighted, every_case=every_case),
        f"{lesions} against the highest false mark of {cases}",
    )
    for every_case, cases in (
        (False, "each case without lesions"),
        (True, "every case, also of those with lesions"),
    )
    for weighted, lesions in (
        (False, "each lesion"),
        (True, "lesions, with weights that add up to 1 in a case,"),
    )
}
"""The functions that return the rows of each figure of merit, and its description."""

FIGURES |= {
    "ROC": (_highest_mark, "the highest mark of each case, whatever its place"),
    "LROC": (
        _forced_mark,
        "one mark in each case, without credit for a mark that is not on a lesion, so that the "
        "curve ends at the fraction of cases with a correct mark",
    ),
}

FigureOfMerit = (
    Literal["AFROC", "wAFROC", "AFROC1", "wAFROC1", "ROC", "LROC"] | Callable[[Marks], FigureRows]
)


class Places(NamedTuple):
    """Arguments: columns of the frames, how places are compared, and the figure of merit."""

    case: str
    lesion: str | None
    lesions: str | None = None
    weights: str = "equal"
    radius: Number | str | None = None
    coordinates: Sequence[str] = ("x", "y")
    groups: Sequence[str] = ()
    rating: str = "rating"
    kind: Any = "wAFROC"


def check_frames(**frames: Any) -> None:
    """Raise an error unless all arguments are data frames with rows."""
    for name, frame in frames.items():
        if not checks.is_pandas(frame) or not hasattr(frame, "columns"):
            problem = f"is a {type(frame).__name__}; pass a pandas DataFrame."
            raise InputTypeError.about(name, problem, value=frame)
        if not len(frame):
            raise InputError.about(name, "has no rows.")


def read_classifiers(
    marks: Any, cases: Any, places: Places, classifier: str | None, name: str
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and the ratings of the marks of one reader, or of algorithms."""
    check_frames(marks=marks, cases=cases)
    names, cell = _cells_of(marks, classifier, name)
    found = read_marks(marks, cases, cell, len(names), places)
    used = [places.case, places.rating, places.lesion, *places.coordinates, classifier]
    hits = np.flatnonzero(found.lesion >= 0)
    lesion = joint_codes(found.cell[hits], found.lesion[hits])
    crossed = crossed_columns(marks, unused_columns(marks, used), hits, lesion)
    if crossed:
        reader, modality = (*crossed, classifier)[:2]
        problem = (
            f"lesions have several marks, which differ in {' and '.join(map(repr, crossed))}, and "
            "only the highest counts."
        )
        hint = (
            "For readers or modalities use pauci.ReaderStudy.from_marks(marks, cases, "
            f"reader={reader!r}, modality={modality!r}), and for algorithms classifier={reader!r}."
        )
        warn(RepeatedRowsWarning(problem, argument="marks", hint=hint))
    return sample_of_marks(found, found.rows(), names, found.statement)


def read_marks(marks: Any, cases: Any, cell: IntArray, cells: int, places: Places) -> Marks:
    """Return the marks in the columns of a frame, with the cell of each, on the cases of another.

    All cells read all cases.
    """
    rating, kind = places.rating, places.kind
    if not callable(kind) or isinstance(kind, type):
        checks.check_choice("kind", kind, FIGURES)
    truth = _truth_of(cases, places)
    of_case = _cases_of_marks(marks, places.case, truth.cases)
    name = DataName(f"column {rating!r} of marks", "rating", rating)
    ratings = columns.scores(name, column_of(marks, "rating", rating), len(marks))
    if ratings.categories is not None:
        raise InputTypeError.of("rating", rating, "is categorical; pass numbers.")
    words = ""
    if places.radius is None:
        given = checks.listed(places.coordinates)
        if len(given) != 2 or not all(map(checks.equal, given, ("x", "y"))):
            problem = "is for marks with places."
            raise InputError.of("coordinates", places.coordinates, problem, hint="Pass radius=.")
        lesion = _lesions_by_name(marks, places, truth, of_case)
    else:
        lesion = _lesions_by_place(marks, places, truth, of_case)
        words = "a mark hits the nearest lesion within its radius"
        if not isinstance(places.radius, str):
            words = f"a mark hits the nearest lesion within a radius of {places.radius:g}"
    read = np.ones((cells, len(truth.cases)), bool)
    values = np.asarray(ratings.values, np.float64)
    if ratings.values.dtype.kind in "iu" and np.abs(values).max() > 2**53:
        problem = "has whole numbers beyond 2**53; divide them by a constant, or rank."
        raise InputError.of("rating", rating, problem)
    found = Marks(truth, cell, of_case, lesion, values, read, kind, words)
    if found.with_lesions.all() and kind not in ("AFROC1", "wAFROC1") and not callable(kind):
        problem = "requires cases without lesions, of which there are none."
        hint = (
            "Use kind='wAFROC1', with the highest false marks of cases with lesions, or pauci.froc "
            "of a study of that kind."
        )
        raise InputError.of("kind", kind, problem, hint=hint)
    return found


def with_read_cases(marks: Marks, read: Any, cell: IntArray, case: str) -> Marks:
    """Return the marks with the cases that each cell read, from the rows of a frame."""
    of_case = _cases_of_marks(read, case, marks.truth.cases, "read")
    mask = np.zeros_like(marks.read)
    mask[cell, of_case] = True
    odd = np.flatnonzero(~mask[marks.cell, marks.case])
    if odd.size:
        problem = (
            f"has no row for case {marks.truth.cases[marks.case[odd[0]]]!r}, in which the reader "
            "made a mark."
        )
        raise InputError.about("read", problem, rows=odd)
    return replace(marks, read=mask)


def _column_of_lesions(cases: Any, places: Places) -> str | None:
    """Return the column of `cases` with lesions; None if only their coordinates are given."""
    if places.lesions is not None:
        column_of(cases, "lesions", places.lesions)
        return places.lesions
    for name in (places.lesion, "lesions"):
        if isinstance(name, Hashable) and name is not None and name in cases.columns:
            return str(name)
    if places.radius is not None:
        return None
    problem = (
        "is missing: the column of cases with the number of lesions, a list of their names or, in "
        "a row for each lesion, its name, which is missing for cases without lesions."
    )
    raise InputError.of("lesions", None, problem, shown="")


def _truth_of(cases: Any, places: Places) -> Truth:
    """Return cases and lesions from a frame with a row for each case, or for each lesion."""
    column = _column_of_lesions(cases, places)
    of_case = complete_column(cases, "case", places.case, " of cases")
    weighted = not checks.equal(places.weights, "equal")
    if weighted:
        column_of(cases, "weights", places.weights)
    if column is None:
        first = next(iter(places.coordinates), None)
        present = ~missing_rows(column_of(cases, "coordinates", first))
        number = cases.groupby(of_case.to_numpy(), sort=False).cumcount() + 1
        column, cases = "lesion", cases.assign(lesion=number.where(present))
    elif column != places.lesion and _are_counts(cases[column], of_case):
        lists = [list(range(1, int(k) + 1)) for k in cases[column]]
        cases = cases.assign(**{column: checks.objects_of(lists)})
    if cases[column].dtype == object and any(isinstance(v, _LISTS) for v in cases[column]):
        listed = [column, places.weights][: 1 + weighted]
        _check_lists(cases, listed, places.case)
        cases = cases.explode(listed)
    codes, known = numbered(cases[places.case].tolist())
    names, has = _names_in(cases[column]), ~missing_rows(cases[column])
    if not has.any():
        raise InputError.about("cases", "has no case with lesions.")
    _check_cases(known, codes, has)
    order = np.flatnonzero(has)[np.argsort(codes[has], kind="stable")]
    lesion_case = codes[order]
    keys = list(zip(lesion_case.tolist(), map(names.__getitem__, order.tolist()), strict=True))
    numbers = {key: i for i, key in enumerate(keys)}
    if len(numbers) < len(keys):
        case, name = next(key for i, key in enumerate(keys) if numbers[key] != i)
        problem = f": lesion {name!r} of case {known[case]!r} occurs twice."
        raise InputError.about("cases", problem, value=name)
    rows = cases.iloc[order] if weighted or places.radius is not None else None
    weight = _weights_of(known, lesion_case, rows, places.weights)
    groups = _groups_of(cases, places.groups, known, codes)
    return Truth(tuple(known), lesion_case, numbers, weight, rows, groups)


def _groups_of(
    cases: Any, names: Sequence[str], known: Sequence[object], codes: IntArray
) -> tuple[Grouping, ...]:
    """Return the groups of the cases, which are the same in all rows of a case."""
    groups = []
    for name in names:
        values = complete_column(cases, "group", name, " of cases")
        first = np.unique(codes, return_index=True)[1]
        odd = np.flatnonzero(values.to_numpy() != values.to_numpy()[first][codes])
        if odd.size:
            raise InputError.of("group", name, f": case {known[codes[odd[0]]]!r} is in two groups.")
        groups.append(grouping_of(f"group={name!r}", values.iloc[first], name))
    return tuple(groups)


def _are_counts(values: Any, cases: Any) -> bool:
    """Return whether there is a whole number of lesions for each case, in a row for each."""
    if values.dtype.kind not in "iu" or missing_rows(values).any() or cases.duplicated().any():
        return False
    if (values < 0).any():
        problem = f"has the negative number {int(values.min())}."
        raise InputError.about("lesions", problem, value=int(values.min()))
    return True


def _check_lists(cases: Any, listed: Sequence[str], case: str) -> None:
    """Raise an error for lists of weights that are not as long as those of lesions."""
    for name in listed[1:]:
        lengths = [
            [len(v) if isinstance(v, _LISTS) else 1 for v in cases[c]] for c in (listed[0], name)
        ]
        odd = [i for i, (a, b) in enumerate(zip(*lengths, strict=True)) if a != b]
        if odd:
            problem = (
                f"has {lengths[1][odd[0]]} weights for "
                f"{checks.count(lengths[0][odd[0]], 'lesion')} of case "
                f"{cases[case].tolist()[odd[0]]!r}."
            )
            raise InputError.of("weights", name, problem)


def _check_cases(known: Sequence[object], codes: IntArray, has: BoolArray) -> None:
    """Raise an error for repeated cases, and for cases with and without lesions."""
    with_lesions, without = (np.bincount(codes[w], minlength=len(known)) for w in (has, ~has))
    for odd, words in (
        ((with_lesions > 0) & (without > 0), "has lesions, and a row without a lesion"),
        (without > 1, "has several rows without a lesion"),
    ):
        if odd.any():
            case = int(np.flatnonzero(odd)[0])
            problem = f": case {known[case]!r} {words}; a case without lesions has a single row."
            rows = np.flatnonzero(codes == case)
            raise InputError.about("cases", problem, value=known[case], rows=rows)


def _weights_of(
    known: Sequence[object], lesion_case: IntArray, rows: Any, column: str
) -> FloatArray:
    """Return the weights of lesions, which must add up to 1 in each case."""
    numbers = np.bincount(lesion_case, minlength=len(known))
    if rows is None or checks.equal(column, "equal"):
        return np.asarray(1.0 / numbers[lesion_case])
    values = np.asarray(complete_column(rows, "weights", column, " of cases"), np.float64)
    sums = np.bincount(lesion_case, values, minlength=len(known))
    odd = (numbers > 0) & ~(np.abs(sums - 1.0) <= _TOLERANCE)
    if odd.any() or (values < 0.0).any():
        case = int(lesion_case[values < 0.0][0] if (values < 0.0).any() else np.argmax(odd))
        shown = ", ".join(f"{v:g}" for v in values[lesion_case == case][:6])
        problem = (
            f": the weights of the lesions of case {known[case]!r} are {shown}, with the sum "
            f"{sums[case]:g}; they must not be negative and add up to 1."
        )
        raise InputError.of("weights", column, problem)
    return values / sums[lesion_case]


def _cases_of_marks(
    marks: Any, case: str, cases: tuple[object, ...], frame: str = "marks"
) -> IntArray:
    """Return the case of each row of a frame, by default of each mark."""
    import pandas as pd

    column = complete_column(marks, "case", case, f" of {frame}")
    codes = pd.Index(list(cases)).get_indexer(pd.Index(column))
    unknown = np.flatnonzero(codes < 0)
    if unknown.size:
        names = list(dict.fromkeys(column.iloc[unknown].tolist()))
        problem = (
            f"has rows of {checks.count(len(names), 'case')} that cases does not have: "
            f"{checks.show_first(names)}."
        )
        hint = "cases must have every case that was read, also those without lesions or marks."
        raise InputError.about(frame, problem, value=names[0], rows=unknown, hint=hint)
    return codes


def _names_in(column: Any) -> list[Any]:
    """Return names; whole numbers are floats in a column with missing values."""
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in column.tolist()]


def _lesions_by_name(marks: Any, places: Places, truth: Truth, of_case: IntArray) -> IntArray:
    """Return the lesion of each mark by its name in the case; -1 if it is missing."""
    import pandas as pd

    if places.lesion is None:
        problem = "must name the column of marks with the lesion, or pass radius=."
        raise InputTypeError.of("lesion", None, problem)
    column = column_of(marks, "lesion", places.lesion)
    hits = np.flatnonzero(~missing_rows(column))
    names = column.iloc[hits]
    of_hits = pd.MultiIndex.from_arrays([of_case[hits], names])
    found = pd.MultiIndex.from_tuples(list(truth.numbers)).get_indexer(of_hits)
    unknown = np.flatnonzero(found < 0)
    if unknown.size:
        name, case = _names_in(names)[unknown[0]], of_case[hits[unknown[0]]]
        in_case = [lesion for of, lesion in truth.numbers if of == case]
        there = "It has no lesions."
        if in_case:
            there = f"Its lesions are: {checks.show_first(in_case)}."
        problem = (
            f"has a mark on lesion {name!r} of case {truth.cases[case]!r}, which does not exist. "
            f"{there}"
        )
        hint = "The lesion of a false mark is missing (NaN or None)."
        raise InputError.about("marks", problem, value=name, rows=hits[unknown], hint=hint)
    lesion = np.full(len(marks), -1, np.int64)
    lesion[hits] = found
    return lesion


def _lesions_by_place(marks: Any, places: Places, truth: Truth, of_case: IntArray) -> IntArray:
    """Return the nearest lesion of the case within its radius; -1 if there is none."""
    if isinstance(places.lesion, Hashable) and places.lesion in marks.columns:
        problem = (
            "assigns marks to lesions by their places, but marks has the column "
            f"{places.lesion!r}. Use one of both."
        )
        raise InputError.of("radius", places.radius, problem)
    import pandas as pd

    columns_of_places = checks.listed(places.coordinates)
    if not columns_of_places:
        raise InputError.of("coordinates", places.coordinates, "names no column.")
    at, centre = (
        np.column_stack([_coordinates(frame, name, words) for name in columns_of_places])
        for frame, words in ((marks, "marks"), (truth.rows, "cases"))
    )
    radius = places.radius
    if isinstance(radius, str):
        radii = _coordinates(truth.rows, radius, "cases", "radius")
    else:
        radii = np.full(len(centre), checks.finite("radius", radius))
    if not (radii > 0.0).all():
        raise InputError.of("radius", radius, "must be positive and finite.")
    # Each mark with each lesion of its case
    in_cases = pd.DataFrame({"case": truth.lesion_case, "lesion": np.arange(len(centre))})
    both = pd.DataFrame({"case": of_case, "mark": np.arange(of_case.size)}).merge(in_cases)
    both["distance"] = np.linalg.norm(at[both["mark"]] - centre[both["lesion"]], axis=1)
    within = both[both["distance"] <= radii[both["lesion"]]].sort_values(["distance", "lesion"])
    nearest = within.groupby("mark")["lesion"].first()
    return nearest.reindex(range(of_case.size), fill_value=-1).to_numpy(np.int64)


def _coordinates(frame: Any, name: str, words: str, argument: str = "coordinates") -> FloatArray:
    """Return finite numbers in a column."""
    values = complete_column(frame, argument, name, f" of {words}")
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputTypeError.of(argument, name, f"of {words} must have numbers.") from None
    if not np.isfinite(numbers).all():
        raise InputError.of(argument, name, f"of {words} must have finite numbers.")
    return numbers


def _cells_of(marks: Any, classifier: str | None, name: str) -> tuple[Sequence[str], IntArray]:
    """Return the names of algorithms, and the number of that of each mark."""
    if classifier is None:
        checks.check_text("name", name)
        return [name], np.zeros(len(marks), np.int64)
    if name != "marks":
        raise InputError.of("name", name, "is for a single classifier, but classifier= is passed.")
    import pandas as pd

    cell, names = pd.factorize(complete_column(marks, "classifier", classifier, " of marks"))
    return list(map(str, names)), cell.astype(np.int64)


def rows_of_marks(
    marks: Marks, made: FigureRows, design: Design, statement: str
) -> tuple[Rows, list[FloatArray]]:
    """Return the rows of a sample for the figure of merit, and the scores of each cell."""
    weight = made.weight
    if weight is not None and np.ptp(weight) == 0.0:
        weight = None
    rows = Rows(
        made.positive,
        made.frequency,
        scaled_weights(weight, made.case.size, "weights"),
        made.case,
        design,
        cluster_labels=checks.objects_of(marks.truth.cases),
        rest=statement,
        groups=tuple(g._replace(codes=g.codes[made.case]) for g in marks.truth.groups),
        marks=marks,
    )
    rows.check()
    return rows.without_single_clusters(), list(made.scores)


def sample_of_marks(
    marks: Marks, made: FigureRows, names: Sequence[str], statement: str
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and the ratings of a sample, in which each cell is a classifier."""
    rows, scores = rows_of_marks(marks, made, "cohort", statement)
    of_cells = zip(names, scores, strict=True)
    return rows, {name: Ratings(name, columns.Scores(values), rows) for name, values in of_cells}
