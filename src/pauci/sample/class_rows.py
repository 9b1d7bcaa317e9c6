"""Rows of several classes, and scores that have a column for each class or order the classes.

Two classes, or a class and the rest, are rows and ratings like those of any sample of positives and
negatives, on which all measures are defined. Measures of all classes together use `ClassRatings` in
place of a curve.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve.polyline import Point
from pauci.curve.region import WHOLE, Bounds, ResolvedRegion
from pauci.errors import DataName, InputError, InputTypeError, UndefinedError, show
from pauci.sample import columns, weights
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataOptions, Design, Rows, kish
from pauci.sample.validation import validate
from pauci.sample.vectors import VERIFIED, DataColumns, NamedColumn, NamedColumns

_LARGEST_EXCESS = 1e-3
"""Largest difference from 1 of a sum of probabilities that is attributed to rounding."""

_MOST_CLASSES = 12
"""Largest number of classes whose sizes are listed."""

Columns = tuple["ClassRows", dict[str, Ratings]]


@dataclass(frozen=True, eq=False)
class ClassRows(Rows):
    """Rows of several classes; `positive` is whether a row is in the last class.

    Parameters
    ----------
    class_of : ndarray of int, shape (n,)
        The number of the class of each row.
    classes : tuple
        Labels of the classes, in their order.
    ordered : bool
        Whether the order of the classes is known: it was passed, or that of numbers or categories.
    strata : tuple of int, optional
        The classes on which a measure depends, which are strata of the rows; None for all classes.
        If it is empty, the measure depends on the random sizes of the classes, and all rows are one
        stratum.
    event : ndarray of bool, shape (n,), optional
        Whether the reference value of each row was observed; other values are only known to be
        higher.
    """

    class_of: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    classes: tuple[Any, ...] = ()  # type: ignore[misc]  # those of two classes are empty
    ordered: bool = True
    strata: tuple[int, ...] | None = None
    event: BoolArray | None = None

    _columns = (*Rows._columns, "class_of", "event")
    _of_all = ("design", "classes", "ordered", "strata")

    @classmethod
    def of(
        cls,
        rows: Rows,
        class_of: IntArray,
        classes: tuple[Any, ...],
        *,
        ordered: bool,
        event: BoolArray | None = None,
    ) -> "ClassRows":
        """Return rows with these classes."""
        known = {f.name: getattr(rows, f.name) for f in fields(Rows) if f.init}
        known |= {"class_of": class_of, "classes": classes, "ordered": ordered}
        return cls(**known, event=event)

    def checked(self) -> "ClassRows":
        """Return these rows; raise an error for a class without rows."""
        for k in range(len(self.classes)):
            self.check_class(k)
        return self

    @property
    def class_masks(self) -> tuple[BoolArray, ...]:
        """Whether each row is in each of the classes."""
        return tuple(self.class_of == k for k in range(len(self.classes)))

    @cached_property
    def class_sizes(self) -> tuple[int, ...]:
        """Number of rows of each class, copies included."""
        sizes = np.bincount(self.class_of, self.copies, len(self.classes))
        return tuple(map(round, sizes.tolist()))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the classes that are strata; empty if all rows are one stratum.

        By default these are all classes, unless a class has a single unit, as each value of a
        continuous outcome has.
        """
        if self.strata is not None:
            return self.strata
        return () if min(self.units_of_classes) < 2.0 else tuple(range(len(self.classes)))

    @property
    def one_stratum(self) -> bool:
        """Whether contributions of rows are centred over all rows, as with estimated weights."""
        return self.strata == () or self.has_estimated_weights

    @property
    def _strata(self) -> Iterator[BoolArray]:
        """Whether each row is in each of the strata."""
        for k in self.numbers:
            yield self.class_of == k
        if not self.numbers:
            yield np.ones(self.class_of.size, bool)

    @cached_property
    def units(self) -> tuple[float, float]:
        """Numbers of independent observations of the two smallest strata.

        With sampling weights, they are the effective numbers of Kish. A single stratum is divided
        so that the smaller number is that of disjoint pairs of units of different classes; a
        cluster with several classes counts as a pair.
        """
        sizes = sorted(self.units_of(rows) for rows in self._strata)
        if len(sizes) > 1:
            return sizes[0], sizes[1]
        (total,) = sizes
        if self.cluster is not None:
            total += int(np.count_nonzero(np.bincount(self._classes_in_clusters[1]) > 1))
        mass = np.ones(self.class_of.size) if self.mass is None else self.mass
        largest = np.argmax(np.bincount(self.class_of, mass))
        pairs = min(total / 2.0, self.units_of(self.class_of != largest))
        return pairs, total - pairs

    @cached_property
    def effective_units(self) -> tuple[float, float]:
        """Effective numbers of rows, or clusters with their weights, of the smallest strata."""
        if self.cluster is None:
            return self.units
        sizes = sorted(self.effective_clusters(self.cluster))
        return sizes[0], sizes[min(1, len(sizes) - 1)]

    def effective_clusters(self, cluster: IntArray) -> list[float]:
        """Return the effective number of clusters of each stratum, by the masses of their rows."""
        mass = np.ones(cluster.size) if self.mass is None else self.mass
        return [kish(np.bincount(cluster[rows], mass[rows])) for rows in self._strata]

    @property
    def class_list(self) -> tuple[tuple[Any, int], ...]:
        """The label and the number of rows of each class; a single entry for many classes."""
        if len(self.classes) > _MOST_CLASSES:
            return ((f"rows with {len(self.classes):,} reference values", sum(self.class_sizes)),)
        return tuple(zip(self.classes, self.class_sizes, strict=True))

    @property
    def few_clusters(self) -> str:
        """The number of clusters with the rarest class, or of all clusters, in words."""
        return super().few_clusters if self.numbers else f"there are only {self.clusters} clusters"

    @property
    def all_units(self) -> float:
        """Number of independent units: rows, or clusters."""
        return float(self.unit_rows if self.clusters is None else self.clusters)

    @cached_property
    def units_of_classes(self) -> tuple[float, ...]:
        """Number of independent units of each class: rows, or clusters that contain it."""
        if self.cluster is None:
            return tuple(map(float, self.class_sizes))
        numbers = np.bincount(self._classes_in_clusters[0], minlength=len(self.classes))
        return tuple(map(float, numbers.tolist()))

    @cached_property
    def _classes_in_clusters(self) -> IntArray:
        """The pairs of a class and a cluster that contains it, an array of shape (2, pairs)."""
        assert self.cluster is not None
        counted = np.ones(self.class_of.size) if self.copies is None else self.copies
        pairs = np.stack([self.class_of, self.cluster])[:, counted > 0]
        return np.asarray(np.unique(pairs, axis=1))

    @property
    def effective_classes(self) -> list[tuple[str, float, float]]:
        """Each class with the effective and the actual number of its rows or clusters."""
        names = [f"rows of class {show(self.classes[k])}" for k in self.numbers] or ["rows"]
        counts = [self.units_of_classes[k] for k in self.numbers] or [self.all_units]
        if self.cluster is None:
            sizes = [self.units_of(rows) for rows in self._strata]
        else:
            sizes = self.effective_clusters(self.cluster)
        return list(zip(names, sizes, counts, strict=True))

    def number_of(self, label: object, argument: str = "order") -> int:
        """Return the number of the class with a label, or raise an error."""
        for k, known in enumerate(self.classes):
            if checks.equal(known, label):
                return k
        problem = f"is not one of the classes: {checks.show_first(list(self.classes))}."
        raise InputError.of(argument, label, problem)

    def check_strata(self, used: Sequence[int]) -> None:
        """Raise an error if a used class, or the whole sample, has fewer than two units."""
        if self.strata != ():
            for k in used:
                self.check_class(k, 2.0)
        elif self.all_units < 2.0:
            raise UndefinedError("all rows are in one cluster: a standard error needs two.")

    def check_class(self, k: int, fewest: float = 1.0) -> None:
        """Raise an error for a class with too few rows, or clusters."""
        if self.units_of_classes[k] >= fewest:
            return
        number, unit = self.units_of_classes[k], "row" if self.cluster is None else "cluster"
        raise UndefinedError(
            f"class {show(self.classes[k])} has {number:g} {unit}{'s' * (number != 1.0)} here, but "
            f"{'a standard error' if fewest > 1 else 'the measure'} needs at least {fewest:g} of "
            f"each class.",
            hint="Collect more rows of this class, or leave the class out.",
        )

    def positions(self, k: int, other: int | None) -> IntArray:
        """Return the positions of the rows of a class, and of another class or the rest.

        If weights are estimated, they are all rows, with weight 0 in other classes.
        """
        if other is None or self.has_estimated_weights:
            return np.arange(self.class_of.size)
        return np.flatnonzero((self.class_of == k) | (self.class_of == other))

    @cached_property
    def _pairs(self) -> dict[tuple[int, int | None], Rows]:
        return {}

    def between(self, k: int, other: int | None = None) -> Rows:
        """Return the rows of a class as positives and those of another one, or the rest."""
        if (k, other) not in self._pairs:
            for number in (k,) if other is None else (k, other):
                self.check_class(number)
            known = {f.name: getattr(self, f.name) for f in fields(Rows) if f.init}
            known |= {"positive": self.class_of == k, "fold": None, "fold_names": (), "groups": ()}
            if other is None and len(self.classes) > 2:
                rest = [label for label in self.classes if label is not self.classes[k]]
                others = checks.show_first(rest)
                label = f"label {show(self.classes[k])} against the rest ({others})"
                known["rest"] = "; ".join(filter(None, [label, self.rest]))
            rows = Rows(**known)
            if other is not None and self.has_estimated_weights:
                rows = rows.within(np.flatnonzero((self.class_of == k) | (self.class_of == other)))
            elif other is not None:
                part = rows.part(self.positions(k, other))
                rows = replace(part, dropped=self.dropped, is_count_table=self.is_count_table)
            rows.make_read_only()
            self._pairs[k, other] = rows
        return self._pairs[k, other]


class ClassRatings(Ratings):
    """The scores of one classifier for rows of several classes, in place of a curve.

    `values` has a column for each class, or is one score by which the classes are ordered.
    """

    __slots__ = ("_of_pairs", "has_columns", "resolved", "results")

    rows: ClassRows

    def __init__(self, name: str, scores: columns.Scores, rows: ClassRows) -> None:
        super().__init__(name, scores, rows)
        self._of_pairs: dict[tuple[int, int | None], Ratings] = {}
        self.results: dict[Any, Any] = {}  # of measures
        self.has_columns: bool = scores.values.ndim == 2  # rather than one score of all classes
        whole, (n_pos, n_neg) = Bounds(0.0, 1.0), map(float, rows.counts)
        region = ResolvedRegion(whole, whole, (np.nan, np.nan), n_pos, n_neg)
        self.resolved: dict[Any, ResolvedRegion] = {WHOLE: region}

    @property
    def curve(self) -> Any:
        """These ratings, from which measures of several classes are calculated."""
        return self

    start: ClassVar[Point] = Point(0, 0.0, 0.0, 0.0)
    end: ClassVar[Point] = Point(1, 0.0, 1.0, 1.0)

    def group_rows(self, label: object) -> None:
        """Do nothing, because the rows have no common tie groups."""

    @property
    def codes(self) -> IntArray:
        """The same tie group for all rows, because those of the columns differ."""
        return np.zeros(self.rows.class_of.size, np.int64)

    @property
    def groups(self) -> int:
        """The number of tie groups, 1, because those of the columns differ."""
        return 1

    def part(self, rows: Rows, index: IntArray) -> "ClassRatings":
        """Return the ratings of the rows at some positions."""
        assert isinstance(rows, ClassRows)
        return ClassRatings(self.name, self.on_scale(self.values.take(index, axis=0)), rows)

    def resampled(self, times: AnyArray) -> "ClassRatings":
        """Return the ratings with each row as often as it was drawn.

        If weights are estimated, `times` are the masses of the rows in the resample.
        """
        (drawn,) = times.nonzero()
        rows = replace(replace(self.rows, weight_map=None).take(drawn), cluster=None)
        if self.rows.has_estimated_weights:
            return self.part(replace(rows, frequency=None, weight=times[drawn]), drawn)
        return self.part(replace(rows, frequency=times[drawn]), drawn)

    @property
    def table(self) -> NoReturn:
        """Raise an error, because there is no curve of several classes."""
        raise no_curve(self.rows)

    def between(self, k: int, other: int | None = None) -> Ratings:
        """Return the scores of a class for its rows and those of another class, or the rest."""
        if (k, other) not in self._of_pairs:
            rows, index = self.rows.between(k, other), self.rows.positions(k, other)
            column = self.values[:, k] if self.has_columns else self.values
            self._of_pairs[k, other] = self.with_values(column.take(index), rows)
        return self._of_pairs[k, other]


def add_up(probabilities: AnyArray) -> bool:
    """Return whether the columns of probabilities add up to 1 in all rows, apart from rounding."""
    return bool((np.abs(probabilities.sum(axis=1) - 1.0) <= _LARGEST_EXCESS).all())


def no_curve(rows: ClassRows) -> InputError:
    """Return the error for a function that requires positives and negatives."""
    return InputError(
        f"the sample has the classes {checks.show_first(list(rows.classes))}, which have no ROC "
        "curve together, so that this method is not available.",
        argument="sample",
        hint=f"Use sample.versus_rest({show(rows.classes[-1])}) for a class and the rest; and for "
        "standard errors of measures of several classes variance='influence', 'jackknife' or "
        "pauci.Bootstrap().",
    )


def read_classes(
    y: Any, probabilities: Any, classes: Any, extras: NamedColumns, options: DataOptions, event: Any
) -> Columns:
    """Validate labels of several classes and their scores, and return the rows and ratings."""
    if event is not None and VERIFIED in extras:
        raise InputError.about("event", "and verified= exclude each other.", value=event)
    several = isinstance(probabilities, Mapping)
    named = columns.by_classifier("probabilities", probabilities, options.name, "score")
    matrices = {key: _matrix(key, values, several) for key, values in named.items()}
    widths = {key: len(of_each) for key, of_each in matrices.items()}
    width = next(iter(widths.values()))
    if len(set(widths.values())) > 1:
        problem = f"has different numbers of columns: {widths}."
        raise InputError.about("probabilities", problem, value=widths)
    labels = [list(v.columns) for v in named.values() if hasattr(v, "columns")]
    if classes is None and labels and width > 1:
        classes = labels[0]
    for of_frame in labels if width > 1 else []:
        if of_frame != list(classes or ()):
            problem = (
                f"has the columns {checks.show_first(of_frame)}, but the classes are "
                f"{checks.show_first(list(classes or ()))}; the order must be the same."
            )
            raise InputError.about("probabilities", problem, value=of_frame)
    class_of, known, ordered = classes_of_labels(y, classes, width)
    scores = {}
    for key, of_each in matrices.items():
        for k, values in enumerate(of_each):
            words = "probabilities" + f"[{key!r}]" * several + f"[:, {k}]" * (width > 1)
            scores[f"{key} {k}"] = NamedColumn(DataName(words, "probabilities"), values)
    scored = ((f"probabilities {k}", v) for k, v in named.items())
    columns.check_same_order([("y", y), ("event", event), *scored])
    label = NamedColumn(DataName("y", "y"), class_of == len(known) - 1)
    names = f"rows of class {show(known[-1])}", "rows of other classes"
    rows, ratings = validate(DataColumns(label, scores, extras), options, names=names)
    found = {k: [ratings[f"{k} {i}"] for i in range(len(v))] for k, v in matrices.items()}
    stacked = {k: np.stack([r.values for r in v], axis=1) for k, v in found.items()}
    unequal = [key for key, values in stacked.items() if width > 1 and not add_up(values)]
    notes = [f"columns of {checks.show_first(unequal)} do not add up to 1"] if unequal else []
    observed = None if event is None else _events(event, class_of.size, known, options.design)
    if observed is not None:
        censored = int(np.count_nonzero(~observed))
        notes.append(f"{checks.count(censored, 'row')} with a censored reference value")
    rest = "; ".join([*notes, *[rows.rest] * (VERIFIED in extras)])
    index = columns.index_of(y) if rows.index is None else rows.index
    rows = replace(rows, rest=rest, index=index)
    of_classes = ClassRows.of(rows, class_of, known, ordered=ordered, event=observed).checked()
    result: dict[str, Ratings] = {}
    for key, (r, *others) in found.items():
        scores_of = columns.Scores(stacked[key]) if others else r.on_scale(r.values)
        result[key] = ClassRatings(key, scores_of, of_classes)
    return of_classes, result


def _events(event: Any, n: int, classes: Sequence[Any], design: Design) -> BoolArray:
    """Return whether each reference value was observed, and not censored."""
    if design != "cohort" or any(isinstance(label, str) for label in classes):
        problem = "is for follow-up times as y and design='cohort'."
        raise InputError.about("event", problem, value=event)
    values = weights.non_negative("event", event, n, "y")
    if not np.isin(values, (0, 1)).all() or not values.any():
        found = checks.show_first(np.unique(values).tolist())
        problem = (
            f"has the values {found}, but must be 1 for an event and 0 for a censored row, with at "
            "least one event."
        )
        hint = "Code competing events as 0, or pass event == code."
        raise InputError.about("event", problem, value=event, hint=hint)
    observed: BoolArray = values == 1
    return observed


def _matrix(key: Any, values: Any, several: bool) -> list[Any]:
    """Return the columns of the scores of a classifier."""
    argument = f"probabilities[{key!r}]" if several else "probabilities"
    if hasattr(values, "columns") and checks.is_pandas(values):
        return [values.iloc[:, k] for k in range(values.shape[1])]
    shape = checks.shape_of(argument, values)
    if len(shape) == 1:
        return [values]
    if len(shape) != 2 or shape[1] < 1:
        problem = (
            f"has the shape {shape}; it must have a column for each class, or be one score by "
            "which the classes are ordered."
        )
        raise InputError.about(argument, problem, value=values)
    return list(np.asarray(values).T)


def classes_of_labels(
    y: Any, classes: Any, width: int = 1, name: str = "y"
) -> tuple[IntArray, tuple[Any, ...], bool]:
    """Return the class of each row, the classes, and whether their order is known."""
    found = weights.grouping_of(DataName(name, getattr(name, "argument", name)), y)
    present = list(found.labels)
    dtype = getattr(y, "dtype", None)
    has_texts = any(isinstance(label, str) for label in present)
    ordered = bool(getattr(dtype, "ordered", False)) or not has_texts
    if classes is None:
        if width not in (1, len(present)):
            problem = f"has {width} columns, but the classes of y are {checks.show_first(present)}."
            hint = "Pass the class of each column, such as classes=model.classes_."
            raise InputError.about("probabilities", problem, value=width, hint=hint)
        known = present
    else:
        listed = checks.values_of("classes", classes, "classes")
        if not all(isinstance(label, Hashable) for label in listed):
            raise InputTypeError.of("classes", classes, "must be a sequence of classes.")
        known, ordered = list(dict.fromkeys(listed)), True
        if len(known) < len(listed):
            raise InputError.of("classes", listed, "has a class twice.")
        if width not in (1, len(known)):
            problem = f"has {len(known)} classes, but there are {width} columns."
            raise InputError.of("classes", listed, problem, shown=f"[{checks.show_first(listed)}]")
        without = [label for label in present if label not in {*known}]
        absent = [label for label in known if label not in {*present}]
        of_rows = f"those of the rows are {checks.show_first(present)}, compared in their type"
        hint = f"The classes are {checks.show_first(known)}; {of_rows}."
        if without:
            problem = "without a column" if width > 1 else "that are not among classes"
            problem = f"has labels {problem}: {checks.show_first(without)}."
            raise InputError.about(name, problem, value=without, hint=hint)
        if absent:
            problem = f"has classes of which there is no row: {checks.show_first(absent)}."
            raise UndefinedError.about("classes", problem, value=absent, hint=hint)
    if len(known) < 2:
        problem = f"has one class only: {checks.show_first(known)}."
        raise InputError.about(name, problem, value=known)
    position = {label: k for k, label in enumerate(known)}
    return np.array([position[label] for label in present])[found.codes], tuple(known), ordered


def read_class_counts(
    scores: Any, counts: Any, options: DataOptions, *, fractional: bool
) -> Columns:
    """Return the rows and ratings of a table of counts with a column for each class."""
    checks.check_text("name", options.name)
    if hasattr(counts, "columns"):
        counts = {label: counts[label] for label in counts.columns}
    if not isinstance(counts, Mapping) or len(counts) < 2:
        problem = "must be a dict, or a data frame, with the counts of each class by its label."
        raise InputTypeError.about("classes", problem, value=counts)
    rated = columns.scores("scores", scores, np.size(scores))
    size = rated.values.size
    if np.unique(rated.values).size < size:
        raise InputError.about("scores", "has a category twice.", value=scores)
    cells, advice = [], "Pass 0 for no observation."
    for label, column in counts.items():
        name = DataName(f"classes[{label!r}]", "classes", missing_advice=advice)
        cells.append(weights.counts(name, column, size, fractional=fractional))
    class_of = np.repeat(np.arange(len(cells)), size)
    is_last, copies = class_of == len(cells) - 1, np.concatenate(cells)
    of_two = Rows(is_last, copies, None, None, options.design, is_count_table=True)
    rows = ClassRows.of(of_two, class_of, tuple(counts), ordered=True).checked()
    of_cells = rated._replace(values=np.tile(rated.values, len(cells)))
    title = options.name or "score"
    return rows, {title: ClassRatings(title, of_cells, rows)}
