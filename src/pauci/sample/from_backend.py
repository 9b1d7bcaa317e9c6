"""Samples whose rows stay on an engine.

Samples from frames on a backend, which counts the rows and returns tables.

If the joint table of all columns is small, its rows become the rows of a sample in memory, with
frequencies. Otherwise the rows stay on the backend (`on_backend`), and each classifier has a table.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from pauci.backends.aggregate import (
    BATCH,
    MAX_ROWS,
    Counting,
    Marginal,
    StreamedColumns,
    cell_counts,
    check_unchanged,
    most_wanted_cells,
    sorted_table,
)
from pauci.backends.cells import CellPlan, ScoreCells
from pauci.backends.frames import backend_errors
from pauci.backends.source import (
    Source,
    UsedColumn,
    occurring_codes,
    read_columns,
    replace_codes,
    rows_with_labels,
)
from pauci.backends.unit_sums import GroupKeys, RowSums
from pauci.checks import AnyArray, BoolArray, IntArray, check_choice
from pauci.curve.counts import CountTable, table_without_overflow
from pauci.curve.exact_sums import cumulative_sums, in_score_type, in_type_of
from pauci.curve.polyline import Curve
from pauci.errors import DataName, InputError, InputTypeError, each_warning_once
from pauci.sample import columns, weights
from pauci.sample.frame_columns import DataOptions, FrameColumns, NamedColumn
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DerivedFacts, Design, FrameRows, InMemoryRows, Rows
from pauci.sample.validation import (
    GROUP,
    Restriction,
    check_labels_occur,
    check_left_out,
    is_extra,
    original_row_numbers,
    validate,
)
from pauci.sample.vectors import distinct_values, numbered

_LOADS = {"duckdb": ".df()", "dask": ".compute()", "pyspark": ".toPandas()", "ibis": ".to_pandas()"}

"""The method that loads the rows of a lazy frame, if it is not ``.collect()``."""


class GroupSums(NamedTuple):
    """Sums over the rows of a class in each tie group of a classifier."""

    rows: AnyArray
    """Numbers of rows with positive weight, including copies."""
    squares: AnyArray
    """Sums of squared weights."""
    fourths: AnyArray
    """Sums of fourth powers of the weights."""


Load = Callable[[], "tuple[InMemoryRows, dict[str, Ratings]] | None"]

"""Loads the table of all columns as rows and ratings in memory; None if it is too large."""


@dataclass(frozen=True, eq=False)
class BackendRows(DerivedFacts):
    """Rows on a backend; the properties of `Rows` are summary statistics.

    Parameters
    ----------
    sums : RowSums
        Calculates sums over the rows on the backend.
    names : tuple of str
        The classifiers.
    by_group : list
        For each classifier, for positives and for negatives, the sums over the rows of each tie
        group.
    load : callable
        Function that loads the rows.
    frame_rows : FrameRows
        The numbers of rows of the frame and of rows with zero weight, and whether the frame has
        frequencies.
    class_units : tuple of two float
        Number of rows of each class with positive weight, or of clusters that contain such rows.
    counts, units, effective_units, clusters, prevalence, design, has_weights
        As for `Rows`.
    dropped, left_out, rest
        As for `Rows`.
    """

    sums: RowSums
    names: tuple[str, ...]
    by_group: list[tuple[GroupSums, GroupSums]]
    load: Load
    frame_rows: FrameRows
    class_units: tuple[float, float]
    counts: tuple[int, int]
    units: tuple[float, float]
    effective_units: tuple[float, float]
    clusters: int | None
    prevalence: float
    design: Design
    has_weights: bool
    dropped: int = 0
    left_out: int = 0
    rest: str = ""
    cells_at: dict[Any, Any] = field(default_factory=dict)
    """The counts at cut-offs that were queried before, by classifier and point."""

    @property
    def has_clusters(self) -> bool:
        """Whether the rows are in clusters, some of them with several rows."""
        return self.clusters is not None

    @property
    def has_frequencies(self) -> bool:
        """Whether the rows of the frame have frequencies."""
        return self.frame_rows.has_frequencies

    @property
    def uncounted(self) -> int:
        """Number of rows with weight or frequency 0."""
        return self.frame_rows.zero_weight

    @property
    def fold_names(self) -> tuple[object, ...]:
        """An empty tuple, because folds require the rows in memory."""
        return ()

    @property
    def is_count_table(self) -> bool:
        """False, because the rows of a frame are not the cells of a table of counts."""
        return False

    @property
    def cluster_labels(self) -> AnyArray | None:
        """Labels of the clusters, which are queried from the backend at each call."""
        return self.sums.cluster_labels() if self.sums.counting.source.has("cluster") else None

    def same_in_order(self, other: Rows) -> bool:  # noqa: ARG002
        """Return False, because the rows of a backend have no order."""
        return False

    @cached_property
    def loaded(self) -> "tuple[InMemoryRows, dict[str, Ratings]]":
        """The rows in memory, with their ratings; an error is raised if there are too many rows."""
        with backend_errors(self.sums.counting.source.frame):
            loaded = self.load()
        if loaded is None:
            self.single_rows()
        self.sums.check(sum(loaded[0].counts))
        return loaded

    def single_rows(self) -> NoReturn:
        """Raise an error for a method that requires single rows."""
        frame = self.sums.counting.source.frame
        load = _LOADS.get(str(frame.implementation.value), ".collect()")
        raise InputError(
            f"this requires single rows, but the {self.frame_rows.total:,} rows of this sample "
            f"stay on {self.sums.backend}.",
            hint="sample.in_memory() loads the table of all columns if it has no more than "
            f"{MAX_ROWS:,} rows. Standard errors with variance='influence' do not require single "
            "rows, except by group. Otherwise draw a random sample of the rows, or load all of "
            f"them first (frame{load}).",
            argument="frame",
        )

    def __getstate__(self) -> dict[str, Any]:
        frame = self.sums.counting.source.frame
        if str(frame.implementation.value) in ("duckdb", "pyspark", "ibis"):
            raise InputTypeError(
                f"the {self.frame_rows.total:,} rows of this sample stay on {self.sums.backend}, "
                "whose connection cannot be pickled. Pickle the estimates, or create the sample "
                "from the frame again.",
                argument="frame",
            )
        return self.__dict__

    def __deepcopy__(self, memo: object) -> "BackendRows":
        return self  # immutable, and its connection cannot be copied


Resolution = int | Literal["exact"] | None

_CELLS_PER_ROOT = 14

"""Number of cells in proportion to the square root of the number of rows."""


class GroupedScores(NamedTuple):
    """The scores of the groups of one classifier."""

    key: AnyArray
    """Distinct keys, in order."""
    score: AnyArray
    """The lowest score of each group, at which all its rows are predicted positive."""
    cells: tuple[AnyArray, AnyArray] | None
    """As in `Ratings`; None if no group contains several scores."""
    categories: tuple[object, ...] | None

    def scores_of(self, key: AnyArray) -> Any:
        """Return the scores of keys; categories are returned as a categorical of pandas."""
        if self.categories is not None:
            return _categorical(key, self.categories)
        if self.score is self.key:
            return key
        return self.score[np.searchsorted(self.key, key)]


class ClassifierTable(NamedTuple):
    """The table of one classifier, and the numbers needed for its sums over rows."""

    curve: Curve
    keys: GroupKeys
    """The keys of the tie groups on the backend."""
    by_group: tuple[GroupSums, GroupSums]
    """Sums over the rows of each group, for each class."""
    cells: tuple[AnyArray, AnyArray] | None


class CountedCells:
    """How the scores of a sample on a backend are counted, and how to count them in other cells.

    Parameters
    ----------
    source : Source
        The columns.
    options : DataOptions
        Positive label, design and direction of the scores.
    plans : dict of str to CellPlan
        How finely the scores are divided, for the classifiers whose scores are counted in cells.
    exact : bool
        Whether all distinct scores are kept, however many there are.
    cells : dict of str to ScoreCells, optional
        The cells of columns whose scores were counted before.
    """

    def __init__(
        self,
        source: Source,
        options: DataOptions,
        plans: dict[str, CellPlan],
        *,
        exact: bool,
        cells: dict[str, ScoreCells] | None = None,
    ) -> None:
        self.source: Source = source
        self.options: DataOptions = options
        self.plans: dict[str, CellPlan] = plans
        self.exact: bool = exact
        self.cells: dict[str, ScoreCells] = cells or {}
        self._latest: CountedCells | None = None
        self._result: tuple[Rows, dict[str, Ratings]] | None = None

    def read(self) -> "tuple[Rows, dict[str, Ratings], CountedCells]":
        """Return the rows, the ratings and the cells of the sample."""
        source, plans = self.source, dict(self.plans)
        lower = columns.names_with_lower_positive(
            self.options.lower_is_positive, source.classifiers
        )
        with backend_errors(source.frame):
            counting, tables = Counting(source, {}, source.weight_scale), []
            for i, name in enumerate(source.classifiers):
                plan, first = plans.get(name), self.cells.get(source.scores[i].key)
                table = counting.exact(i, plan and plan.most) if first is None else None
                if table is None and not self.exact:
                    plan = plans.setdefault(name, _first_plan(source))
                    counting, table = counting.in_cells(i, plan, lower=name in lower, first=first)
                tables.append(table)
            with without_row_numbers():
                rows, ratings = _from_tables(counting, tables, self.options)
        counted = CountedCells(source, self.options, plans, exact=self.exact, cells=counting.cells)
        return rows, ratings, counted

    def recounted(
        self, plans: dict[str, CellPlan]
    ) -> "tuple[Rows, dict[str, Ratings], CountedCells]":
        """Return the rows, the ratings and the cells with other plans; the last ones are kept."""
        if self._latest is None or self._latest.plans != plans:
            other = CountedCells(
                self.source, self.options, plans, exact=self.exact, cells=self.cells
            )
            rows, ratings, self._latest = other.read()
            self._result = rows, ratings
        assert self._result is not None
        return (*self._result, self._latest)

    def in_type_of_scores(self, name: str, threshold: float) -> float:
        """Return a threshold rounded to the type of the scores of a classifier."""
        i = self.source.classifiers.index(name)
        return float(in_score_type(threshold, self.source.score_type(i)))

    def larger_number(self, plan: CellPlan, factor: float) -> int:
        """Return a number of cells that is larger by at least a factor, if this is possible."""
        return min(math.ceil(plan.number * factor), most_wanted_cells())


def _first_plan(source: Source, most: int | None = None) -> CellPlan:
    """Return a plan with `most` cells, or a number of cells that increases with that of the rows.

    The binning error of the AUC is about 1/2 divided by the number of cells, and its standard error
    is inversely proportional to the square root of the number of rows.
    """
    wanted = _CELLS_PER_ROOT * math.sqrt(source.rows) if most is None else most
    return CellPlan(min(math.ceil(wanted), most_wanted_cells()), most)


def read_backend(
    frame: Any,
    selected: FrameColumns,
    options: DataOptions,
    restriction: Restriction,
    *,
    drop_missing: bool,
    resolution: Any,
    connection: Any,
) -> tuple[Rows, dict[str, Ratings], CountedCells]:
    """Return the rows, ratings and cells of a lazy frame; `connection` is as in `Source`."""
    check_choice("design", options.design, ("cohort", "case-control"))
    used = list(_used_columns(selected))
    with backend_errors(frame):
        restriction.check_codes_occur(occurring_codes(frame, used, restriction.codes))
    label_type = used[0].column.dtype
    options = options._replace(positive=in_type_of(options.positive, label_type))
    restriction = restriction._replace(
        positive=in_type_of(restriction.positive, label_type),
        negative=in_type_of(restriction.negative, label_type),
    )
    frame, left_out = _with_wanted_labels(frame, used[0], restriction)
    with backend_errors(frame):
        frame, used = replace_codes(frame, used, restriction.codes)
        source = read_columns(frame, used, drop_missing=drop_missing, left_out=left_out)
        source = replace(source, connection=connection)
    most = None if resolution in (None, "exact") else 2 ** int(resolution)
    plans = {} if most is None else dict.fromkeys(source.classifiers, _first_plan(source, most))
    counted = CountedCells(source, options, plans, exact=resolution == "exact")
    with each_warning_once():
        return counted.read()


def _from_tables(
    counting: Counting,
    tables: Sequence[Marginal | None],
    options: DataOptions,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return rows in memory if the table of all columns is small, else rows on the backend.

    Tables that are too large for memory are passed as None.
    """
    source = counting.source
    if source.positive_weights is not None:  # raises an error if their ratio is too large
        weights.weight(np.array(source.positive_weights), 2, source.column("weight").name)
    marginals = [m for m in tables if m is not None]
    if len(marginals) < len(tables):
        unused = np.empty(0)
        groups = {
            name: GroupedScores(unused, unused, None, source.categories(a.key))
            for name, a in zip(source.classifiers, source.scores, strict=True)
        }
    else:
        check_unchanged(source, marginals, None)
        groups = grouped_scores(counting, marginals, options)
        first = marginals[0]
        positive = columns.labels(
            first.label, options.positive, source.label.name, rows=source.rows
        ).positive
        totals = (float(first.mass[which].sum()) for which in (positive, ~positive))
        check_class_weights(source, (next(totals), next(totals)))
        others = [u for u in source.used if is_extra(u.key) and u.key != "frequency"]
        if len(marginals) == 1 and not others:
            table = {"label": first.label, "key0": first.key, "copies": first.rows}
            return _joint_sample(counting, table, first.zero_weight, groups, options)
        joint = counting.joint()
        if joint is not None:
            check_unchanged(source, marginals, joint)
            return _joint_sample(counting, joint, first.zero_weight, groups, options)
    load = partial(_load_rows, counting, groups, options)
    return sample_on_backend(counting, tables, options, load)


def _load_rows(
    counting: Counting,
    groups: dict[str, GroupedScores],
    options: DataOptions,
) -> tuple[InMemoryRows, dict[str, Ratings]] | None:
    """Return the rows and ratings in memory; None if there are too many rows."""
    table = counting.joint(MAX_ROWS)
    if table is None:
        return None
    with without_row_numbers():
        return _joint_sample(counting, table, counting.zero_weight(), groups, options)


def _used_columns(selected: FrameColumns) -> Iterator[UsedColumn]:
    """Yield the columns that are used, with their short names."""
    yield UsedColumn("label", "label", selected.label.values, selected.label.name)
    for i, (classifier, column) in enumerate(selected.scores.items()):
        yield UsedColumn(f"score{i}", "score", column.values, column.name, classifier)
    for part, column in selected.extras.items():
        name, values = column
        if values is not None:
            yield UsedColumn(part, part.partition(" ")[0], values, name)


def _joint_sample(
    counting: Counting,
    table: dict[str, AnyArray],
    zero_weight: int,
    groups: dict[str, GroupedScores],
    options: DataOptions,
) -> tuple[InMemoryRows, dict[str, Ratings]]:
    """Return rows in memory from the table of all columns."""
    source = counting.source
    # The order of the rows of a backend is arbitrary, and bootstrap samples depend on the order.
    order = _lexical_order(list(table.values()))
    table = {name: v[order] for name, v in table.items()}
    scores = {
        name: NamedColumn(a.name, groups[name].scores_of(table[f"key{i}"]))
        for i, (name, a) in enumerate(zip(source.classifiers, source.scores, strict=True))
    }
    table["frequency"] = table["copies"]
    names = {a.key: a.name for a in source.used}
    names.setdefault("frequency", DataName("frequency", "frequency"))
    extras = {
        part: NamedColumn(names[part], _group_values(source, part, table[part]))
        for part in table
        if is_extra(part)
    }
    rows, ratings = validate(
        NamedColumn(source.label.name, table["label"]),
        scores,
        extras,
        options,
        source.dropped,
        source.left_out,
    )
    rows = replace(rows, frame_rows=FrameRows(source.rows, zero_weight, source.has("frequency")))
    return rows, {
        name: Ratings(
            name,
            r.values,
            rows,
            r.categories,
            lower_is_positive=r.lower_is_positive,
            cells=groups[name].cells,
            score_type=source.score_type(i),
        )
        for i, (name, r) in enumerate(ratings.items())
    }


def _group_values(source: Source, part: str, values: AnyArray) -> Any:
    """Return the values of a column; those of ordered groups as a categorical of pandas."""
    ordered = source.categories(part) if part.startswith(GROUP) else None
    return values if ordered is None else _categorical(values, ordered)


def _categorical(values: AnyArray, categories: Sequence[object]) -> Any:
    """Return an ordered categorical of pandas."""
    import pandas as pd

    return pd.Series(pd.Categorical(values, categories=list(categories), ordered=True))


def _lexical_order(columns: Sequence[AnyArray]) -> IntArray:
    """Return the order of `numpy.lexsort`, which is slower for columns with few values."""
    order = np.arange(columns[0].size)
    for column in columns:
        ranks = _ranks(column)
        if ranks.size and ranks.dtype.kind in "biu":
            least, largest = ranks.min(), ranks.max()
            if least == largest:
                continue
            if least >= 0 and largest < 2**16:  # sorted in linear time
                ranks = ranks.astype(np.uint16)
        order = order[np.argsort(ranks[order], kind="stable")]
    return order


def _ranks(values: AnyArray) -> AnyArray:
    if values.dtype.kind in "biuf":
        return values
    if values.dtype.kind != "O":
        return np.unique(values, return_inverse=True)[1]
    numbers, distinct = numbered(values.tolist())  # only the distinct objects are sorted
    try:
        order = sorted(range(len(distinct)), key=distinct.__getitem__)
    except TypeError:  # values without an order, such as intervals of time with months
        order = sorted(range(len(distinct)), key=lambda i: str(distinct[i]))
    return np.argsort(order)[numbers]


def _with_wanted_labels(frame: Any, label: UsedColumn, restriction: Restriction) -> tuple[Any, int]:
    """Return a lazy frame without the rows with other labels, and the number of these rows."""
    positive, negative = restriction.positive, restriction.negative
    if negative is None:
        return frame, 0
    rows, others, total, labels = rows_with_labels(frame, label, positive, negative)
    check_labels_occur(label.name, labels, {"positive": positive, "negative": negative})
    check_left_out(label.name, others, total, positive, negative)
    return rows, sum(others.values())


def without_row_numbers() -> AbstractContextManager[None]:
    """Omit row numbers from errors, because rows of a table of counts are not rows of the frame."""
    return original_row_numbers([])


def sample_on_backend(
    counting: Counting,
    marginals: Sequence[Marginal | None],
    options: DataOptions,
    load: Load,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return rows that stay on the backend, and ratings from a table for each classifier.

    If a table is None because it is too large for memory, the scores are sorted on the backend.
    Folds require single rows, which are loaded; groups do so when results by group are requested.
    """
    source = counting.source
    if source.has("fold"):
        loaded = load()
        if loaded is not None:
            return loaded
        raise InputError.of(
            "fold",
            source.column("fold").name.column,
            "requires the joint table of all columns in memory, but it has more than "
            f"{MAX_ROWS:,} rows. Round the scores to fewer digits, draw a random sample of the "
            "rows, or load all rows first.",
        )
    names = tuple(source.classifiers)
    labels = counting.labels()
    positive, rest = columns.labels(labels, options.positive, source.label.name, rows=source.rows)
    positive_labels = distinct_values(labels[positive])
    tables = [
        _table_from_sorted_scores(counting, i, positive_labels, options)
        if m is None
        else _table_from_counts(counting, i, m, options)
        for i, m in enumerate(marginals)
    ]
    first = tables[0].curve.table
    keys = [t.keys for t in tables]
    sums = RowSums(
        counting, positive_labels, keys, (first.rows_pos, first.rows_neg), source.has("cluster")
    )
    sizes = _sizes(sums, first, tables[0].by_group)
    rows = BackendRows(
        replace(sums, clustered=sizes.clusters is not None),
        names,
        [t.by_group for t in tables],
        load,
        FrameRows(source.rows, counting.zero_weight(), source.has("frequency")),
        counts=(first.rows_pos, first.rows_neg),
        prevalence=first.prevalence,
        design=options.design,
        has_weights=source.has("weight"),
        dropped=source.dropped,
        left_out=source.left_out,
        rest=rest,
        **sizes._asdict(),
    )
    ratings = {}
    for name, table in zip(names, tables, strict=True):
        ratings[name] = Ratings.from_curve(name, rows, table.curve)
        ratings[name].cells = table.cells
        table.curve.table._set(cells=table.cells)
    return rows, ratings


def _table_from_counts(
    counting: Counting, i: int, m: Marginal, options: DataOptions
) -> ClassifierTable:
    """Return the table of a classifier from counts in memory."""
    source = counting.source
    lower = source.classifiers[i] in columns.names_with_lower_positive(
        options.lower_is_positive, source.classifiers
    )
    groups = _grouped_scores(counting, i, m, lower=lower)
    positive = columns.labels(m.label, options.positive, source.label.name).positive
    key, at = np.unique(m.key, return_inverse=True)
    values, categories, _ = columns.scores(
        source.scores[i].name, groups.scores_of(key), key.size, lower_is_positive=lower
    )
    order = np.argsort(values)[::-1]

    def grouped(sums: AnyArray, which: BoolArray) -> AnyArray:
        total = np.zeros(order.size, sums.dtype)
        np.add.at(total, at[which], sums[which])
        return total[order]

    both = (positive, ~positive)
    rows = [int(m.rows[which].sum()) for which in both]
    sums = [grouped(m.mass, which) for which in both]
    curve = _curve(values[order], sums, rows, counting, i, options, lower, categories)
    unweighted = m.squares is m.rows
    first, second = (
        GroupSums(*[total] * 3)
        if unweighted
        else GroupSums(*(grouped(s, which) for s in (m.rows, m.squares, m.fourths)))
        for total, which in zip(sums, both, strict=True)
    )
    keys = GroupKeys(key[order], slice(None))
    cells = counting.cells.get(source.scores[i].key)
    if cells is not None and cells.counts is not None:
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        counted = cells.counts.key
        keys = GroupKeys(counted, rank[np.searchsorted(key, cells.merged(counted))])
    return ClassifierTable(curve, keys, (first, second), groups.cells)


def _table_from_sorted_scores(
    counting: Counting, i: int, labels: list[Any], options: DataOptions
) -> ClassifierTable:
    """Return the table of a classifier whose scores are sorted on the backend."""
    source = counting.source
    lower = source.classifiers[i] in columns.names_with_lower_positive(
        options.lower_is_positive, source.classifiers
    )
    table = sorted_table(counting, i, labels, descending=not lower)
    key = table[f"key{i}"]
    scores = key
    if lower:  # the unary minus would change 0.0 to -0.0
        floats = key.dtype.kind == "f"
        scores = 0.0 - key if floats else columns.negate(source.scores[i].name, key)
    weighted = source.has("weight")
    mass, squares, fourths = ("mass", "squares", "fourths") if weighted else ("counted",) * 3
    rows = [int(table[f"counted {label}"].sum()) for label in (1, 0)]
    sums = [table[f"{mass} {label}"] for label in (1, 0)]
    curve = _curve(scores, sums, rows, counting, i, options, lower, None)
    first, second = (
        GroupSums(*(table[f"{name} {c}"] for name in ("counted", squares, fourths))) for c in (1, 0)
    )
    return ClassifierTable(curve, GroupKeys(key, slice(None)), (first, second), None)


def _curve(
    scores: AnyArray,
    sums: Sequence[AnyArray],
    rows: Sequence[int],
    counting: Counting,
    i: int,
    options: DataOptions,
    lower: bool,
    categories: tuple[object, ...] | None,
) -> Curve:
    """Return the curve from sums by tie group, best group first."""
    cum_pos, cum_neg = (_cumulative_sums(s) for s in sums)
    check_class_weights(counting.source, (float(cum_pos[-1]), float(cum_neg[-1])))
    table = table_without_overflow(scores, cum_pos, cum_neg, (rows[0], rows[1]))
    fixed = options.design == "case-control"
    return Curve(
        replace(
            table,
            categories=categories,
            fixed_prevalence=fixed,
            lower_is_positive=lower,
            score_type=counting.source.score_type(i),
        )
    )


def check_class_weights(source: Source, totals: tuple[float, float]) -> None:
    """Raise an error for weights or frequencies that are 0 in a whole class."""
    names = [name for name in ("weight", "frequency") if source.has(name)]
    for label, total in zip(("positives", "negatives"), totals, strict=True):
        if not total > 0.0:
            raise InputError(
                f"{' times '.join(names)} is 0 in all {label}; each class needs a row with "
                "positive weight.",
                argument=names[0],
                value=0,
            )


def _cumulative_sums(sums: AnyArray) -> AnyArray:
    """Return cumulative sums with a leading 0; for a memory map the result is a memory map."""
    if not isinstance(sums, np.memmap):
        return np.append(np.zeros(1, sums.dtype), cumulative_sums(sums))
    streamed, total = StreamedColumns({"cum": sums.dtype}), sums.dtype.type(0)
    streamed.add({"cum": np.zeros(1, sums.dtype)})
    for first in range(0, sums.size, BATCH):
        part = total + cumulative_sums(np.asarray(sums[first : first + BATCH]))
        streamed.add({"cum": part})
        total = part[-1]
    return streamed.arrays()["cum"]


class Sizes(NamedTuple):
    """Numbers of independent units, as in `BackendRows`."""

    class_units: tuple[float, float]
    units: tuple[float, float]
    effective_units: tuple[float, float]
    clusters: int | None


def _sizes(sums: RowSums, table: CountTable, by_group: tuple[GroupSums, GroupSums]) -> Sizes:
    """Return the numbers of independent units; clusters are ignored if each has a single row."""
    source = sums.counting.source
    counts = table.rows_pos, table.rows_neg
    totals = float(table.total_pos), float(table.total_neg)
    class_units = float(counts[0]), float(counts[1])
    facts = sums.cluster_facts() if source.has("cluster") else None
    if facts is None or facts[0] == sum(counts):
        units = class_units
        if source.has("weight"):
            pos, neg = (
                t**2 / float(g.squares.sum()) for t, g in zip(totals, by_group, strict=True)
            )
            units = pos, neg
        return Sizes(class_units, units, units, None)
    number, (n_pos, n_neg), squares = facts
    class_units = float(n_pos), float(n_neg)
    pos, neg = (t**2 / s for t, s in zip(totals, squares, strict=True))
    return Sizes(class_units, class_units, (pos, neg), number)


def grouped_scores(
    counting: Counting, marginals: Sequence[Marginal], options: DataOptions
) -> dict[str, GroupedScores]:
    """Return the grouped scores of each classifier."""
    classifiers = counting.source.classifiers
    lower = columns.names_with_lower_positive(options.lower_is_positive, classifiers)
    return {
        name: _grouped_scores(counting, i, m, lower=name in lower)
        for i, (name, m) in enumerate(zip(classifiers, marginals, strict=True))
    }


def _grouped_scores(counting: Counting, i: int, m: Marginal, *, lower: bool) -> GroupedScores:
    """Return the grouped scores of a classifier."""
    a = counting.source.scores[i]
    if a.key not in counting.cells:
        return GroupedScores(m.key, m.key, None, counting.source.categories(a.key))
    key, _, low, high = cell_counts(m)
    score, cells = (low, (low, high))
    if lower:  # the values of `Ratings` are negated
        score, cells = (high, (-high[::-1], -low[::-1]))
    return GroupedScores(key, score, cells if (low < high).any() else None, None)
