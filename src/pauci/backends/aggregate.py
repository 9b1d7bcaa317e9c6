"""Counts and sorted tables that an engine computes, for one classifier or for all columns together.

Rows are grouped by their score or by the cell of the score (`pauci.backends.cells`). If all
distinct scores of a classifier are required, the engine sorts them and streams them to a file that
is unlinked when it is created, so that it is always removed when the process ends.
"""

import functools
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.cells import CellCounts, CellPlan, ScoreCells, ScoreRange, count_in_cells
from pauci.backends.frames import as_narwhals, collect, column_values, narwhals, numeric_values
from pauci.backends.source import Source
from pauci.checks import AnyArray
from pauci.errors import InputError

MAX_GROUPS = 2_000_000

"""Largest number of rows of a grouped table in memory, each of about 100 bytes."""

MAX_ROWS = 10_000_000

"""Largest number of rows of the table of all columns that is loaded for methods that require single
rows. Each row takes about 250 bytes, including the memory of the backend."""

_MIN_ROWS_FOR_SHARE = 1000

"""Smallest number of rows from which the proportion of distinct rows is estimated."""

_LARGEST_SHARE = 0.95

"""Largest proportion of distinct rows among the first eighth of a full table. If all groups fit, it
is expected to be less. Otherwise the table is too large, and it is not calculated."""

_SMALLEST_SHARE = 0.5

"""Proportion of distinct rows below which the table of all rows is calculated."""

_LARGEST_EXACT = 2**53

"""Largest integer up to which all integers are exact in double precision."""


def most_wanted_cells() -> int:
    """Return the largest number of cells that can be requested.

    Cells are divided more finely than requested, and each has a row in the table for each class.
    """
    return MAX_GROUPS // 4


class Marginal(NamedTuple):
    """The table of one classifier, with a row for each label and tie group or cell that occurs.

    Parameters
    ----------
    label : ndarray
        Label of each row of the table, with the values of the user's data.
    key : ndarray
        The key of the group on the backend: the score itself, or the number of its cell.
    low, high : ndarray
        Smallest and largest score of each row of the table; for ordinal scales the category.
    rows : ndarray of int
        Number of rows with positive weight, including copies.
    mass, squares, fourths : ndarray
        Sums over rows, including copies, of the weights, their squares and their fourth powers.
    zero_weight : int
        Number of rows with zero weight.
    """

    label: AnyArray
    key: AnyArray
    low: Any
    high: Any
    rows: AnyArray
    mass: AnyArray
    squares: AnyArray
    fourths: AnyArray
    zero_weight: int


@dataclass(frozen=True)
class Counting:
    """Counts that a backend calculates.

    Parameters
    ----------
    source : Source
        The columns.
    cells : dict of str to ScoreCells
        The cells of each column of scores that is counted in cells.
    scale : float
        The factor of the weights, a power of two that makes the largest weight less than 1.
    """

    source: Source
    cells: dict[str, ScoreCells]
    scale: float = 1.0

    def in_cells(
        self, i: int, plan: CellPlan, *, lower: bool, first: ScoreCells | None = None
    ) -> "tuple[Counting, Marginal]":
        """Return the counting and the table of a classifier whose scores are counted in cells.

        Scores on an ordinal scale are counted without cells.

        Parameters
        ----------
        i : int
            The position of the classifier.
        plan : CellPlan
            How finely its scores are divided.
        lower : bool
            Whether lower scores mean more positive.
        first : ScoreCells, optional
            Cells in which the scores were counted before.
        """
        key = self.source.scores[i].key
        scores = self._range_to_divide(i)
        if scores is None:
            marginal = self.marginal(i)
            assert marginal is not None
            return self, marginal

        def count(cells: ScoreCells) -> tuple[CellCounts, Marginal]:
            marginal = replace(self, cells=self.cells | {key: cells}).marginal(i)
            assert marginal is not None
            return cell_counts(marginal), marginal

        first = first or ScoreCells.from_range(scores, plan, lower_is_positive=lower)
        cells, marginal = count_in_cells(count, first, plan, MAX_GROUPS // 2)
        counting = replace(self, cells=self.cells | {key: cells})
        return counting, marginal._replace(key=cells.merged(marginal.key))

    def exact(self, i: int, most: int | None = None) -> Marginal | None:
        """Return the table of all scores of a classifier.

        None if it is too large for memory, or if there are more scores than `most`.
        """
        if most is None:
            return self.marginal(i, refuse=False)
        most = min(most, MAX_GROUPS)
        key = f"key{i}"
        first = self.frame.head(2 * most).select(key).group_by(key).agg(narwhals().len())
        marginal = self.marginal(i, refuse=False) if _length(first) <= most else None
        if marginal is None or np.unique(marginal.key).size > most:
            return None
        return marginal

    def _range_to_divide(self, i: int) -> ScoreRange | None:
        """Return the range of the scores of a classifier; None if cells are not required."""
        a = self.source.scores[i]
        if a.key not in self.source.ranges:
            return None  # an ordinal scale
        low, high = self.source.ranges[a.key]
        if low == high:
            return None
        if a.column.dtype.is_integer() and max(abs(int(low)), abs(int(high))) > _LARGEST_EXACT:
            raise InputError(
                f"{a.name} contains integers above 2^53, which are not exact in double precision, "
                "as the calculation of cells requires.",
                argument="resolution",
                hint="Subtract a constant, or use resolution='exact'.",
            )
        return ScoreRange(float(low), float(high))

    @property
    def frame(self) -> Any:
        """The frame with the keys of the scores, "key0" and so on, the weights and the copies."""
        nw = narwhals()
        source = self.source
        frame = source.frame
        added = []
        for i, a in enumerate(source.scores):
            column = nw.col(a.key)
            if a.key in self.cells:
                column = self.cells[a.key].number(column)
            elif a.column.dtype.is_float():  # joins of some backends distinguish -0.0 and 0.0
                column = nw.when(column == 0.0).then(nw.lit(0.0)).otherwise(column)
            added.append(column.alias(f"key{i}"))
        one = nw.lit(1).cast(nw.Int64)
        copies = nw.col("frequency").cast(nw.Int64) if source.has("frequency") else one
        added.append(copies.alias("copies"))
        if source.has("weight"):
            added.append((nw.col("weight").cast(nw.Float64) * self.scale).alias("w"))
        frame = frame.with_columns(*added)
        if not source.has("weight"):
            return frame.with_columns(nw.col("copies").alias("counted"))
        none = nw.lit(0).cast(nw.Int64)
        counted = nw.when(nw.col("w") > 0).then(nw.col("copies")).otherwise(none)
        return frame.with_columns(counted.alias("counted"))

    def marginal(self, i: int, *, refuse: bool = True) -> Marginal | None:
        """Return the table of a classifier.

        If it is too large for memory, an error is raised, or None is returned if `refuse` is False.
        """
        nw = narwhals()
        a = self.source.scores[i]
        weighted, numeric = self.source.has("weight"), a.key in self.cells
        zero = (nw.col("counted") == 0).cast(nw.Int64).alias("zero_weight")
        frame = self.frame.with_columns(zero)
        sums = ["counted", "zero_weight"]
        if weighted:
            powers = powers_of_weights()
            frame = frame.with_columns(*(power.alias(name) for name, power in powers.items()))
            sums += powers
        extremes = []
        if numeric:
            extremes = [nw.col(a.key).min().alias("low"), nw.col(a.key).max().alias("high")]
        keys = ["label", f"key{i}"]
        if not numeric and self._exceeds(keys, MAX_GROUPS):
            if refuse:
                raise self._too_large(i)
            return None
        names = [*keys, *sums, *(["low", "high"] if numeric else [])]
        grouped = frame.select(*dict.fromkeys([*keys, a.key, *sums])).group_by(*keys)
        table = collect_table(
            grouped.agg(*(nw.col(s).sum() for s in sums), *extremes).select(*names)
        )
        if table is None:
            if refuse:
                raise self._too_large(i)
            return None
        counted = to_integers(table["counted"])
        key = to_array(table[f"key{i}"])
        mass = squares = fourths = counted
        if weighted:
            mass, squares, fourths = (to_array(table[s]) for s in ("mass", "squares", "fourths"))
        low, high = (to_array(table[s]) for s in ("low", "high")) if numeric else (key, key)
        return Marginal(
            to_array(table["label"]),
            key,
            low,
            high,
            counted,
            mass,
            squares,
            fourths,
            int(to_integers(table["zero_weight"]).sum()),
        )

    def joint(self, most: int | None = None) -> dict[str, AnyArray] | None:
        """Return the number of copies of each distinct row of all columns.

        None if the table has more rows than `most`, by default `MAX_GROUPS`.
        """
        most = MAX_GROUPS if most is None else most
        nw = narwhals()
        source = self.source
        keys = ["label", *(f"key{i}" for i in range(len(source.scores)))]
        keys += [a.key for a in source.used if a.role in ("weight", "cluster", "fold", "group")]
        frame = self.frame.select(*keys, "copies")
        if self._exceeds(keys, most):
            return None
        table = collect_table(frame.group_by(*keys).agg(nw.col("copies").sum()), most)
        if table is None:
            return None
        columns = {name: to_array(table[name]) for name in keys}
        for i, a in enumerate(source.scores):
            if a.key in self.cells:
                columns[f"key{i}"] = self.cells[a.key].merged(columns[f"key{i}"])
        return columns | {"copies": to_integers(table["copies"])}

    def _distinct_share(self, keys: Sequence[str], most: int) -> float:
        """Return the proportion of distinct rows among the first rows; NaN if there are few."""
        few = most // 8
        if few < _MIN_ROWS_FOR_SHARE or self.source.rows <= most:
            return math.nan
        first = self.frame.head(few).select(*keys).group_by(*keys).agg(narwhals().len())
        return _length(first) / few

    def _exceeds(self, keys: Sequence[str], most: int) -> bool:
        """Return whether the rows have more groups than `most`, judging by the first rows.

        In this case the table of all rows is not calculated. If the first rows are nearly all
        distinct, or fewer than half of them, the groups of more rows are not counted.
        """
        if self.source.rows <= most:
            return False
        share = self._distinct_share(keys, most)
        if share > _LARGEST_SHARE or share < _SMALLEST_SHARE:
            return share > _LARGEST_SHARE
        start = self.frame.head(2 * most).select(*keys).group_by(*keys).agg(narwhals().len())
        return _length(start) > most

    def labels(self) -> AnyArray:
        """Return the distinct labels."""
        frame = self.source.frame.select("label").group_by("label").agg(narwhals().len())
        table = collect_table(frame)
        if table is None:  # not a label of two classes; some values are shown in the error message
            table = collect(self.source.frame.select("label").head(MAX_GROUPS))
        return to_array(table["label"])

    def zero_weight(self) -> int:
        """Return the number of rows with zero weight."""
        nw = narwhals()
        if not (self.source.has("weight") or self.source.has("frequency")):
            return 0
        zero = self.frame.select((nw.col("counted") == 0).cast(nw.Int64).alias("zero_weight"))
        return int(
            collect(zero.select(nw.col("zero_weight").sum()))["zero_weight"].to_list()[0] or 0
        )

    def _too_large(self, i: int) -> InputError:
        """Return the error for a classifier with too many groups of equal score and label."""
        return InputError(
            f"{self.source.scores[i].name} and {self.source.label.name} have more than "
            f"{MAX_GROUPS:,} groups of equal score and label, too many for a table in memory. The "
            "labels must be those of two classes.",
            argument="label",
        )


def cell_counts(marginal: Marginal) -> CellCounts:
    """Return the counts of the cells, of all labels together."""
    key, at = np.unique(marginal.key, return_inverse=True)
    rows = np.zeros(key.size, marginal.mass.dtype)
    np.add.at(rows, at, marginal.mass)
    low, high = np.full(key.size, np.inf), np.full(key.size, -np.inf)
    np.minimum.at(low, at, marginal.low.astype(np.float64))
    np.maximum.at(high, at, marginal.high.astype(np.float64))
    return CellCounts(key, rows, low, high)


def check_unchanged(
    source: Source, tables: Sequence[Marginal], joint: dict[str, AnyArray] | None
) -> None:
    """Raise an error for a frame whose rows or scores differ between passes over it."""
    first_label = tables[0].label[:1]

    def sizes(labels: AnyArray, counts: AnyArray) -> tuple[int, int]:
        return int(counts[labels == first_label].sum()), int(counts.sum())

    expected = sizes(tables[0].label, tables[0].rows)
    unchanged = source.has("frequency") or expected[1] + tables[0].zero_weight == source.rows
    for a, m in zip(source.scores, tables, strict=True):
        unchanged &= sizes(m.label, m.rows) == expected
        if a.key in source.ranges and len(m.low):
            unchanged &= (m.low.min(), m.high.max()) == tuple(source.ranges[a.key])
    if joint is not None:
        counts = joint["copies"]
        if "weight" in joint:
            counts = np.where(joint["weight"] > 0, counts, 0)
        unchanged &= sizes(joint["label"], counts) == expected
    if not unchanged:
        raise InputError(
            "the rows of the frame differ each time they are read. Store the result of a random "
            "query, or of a table that is being changed, and use the stored rows.",
            argument="frame",
        )


def powers_of_weights() -> dict[str, Any]:
    """Return the expressions that are summed for weights, squares and fourth powers."""
    w = narwhals().col("w")
    mass = w * narwhals().col("copies")
    return {"mass": mass, "squares": mass * w, "fourths": mass * w * w * w}


def is_one_of(labels: Sequence[Any]) -> Any:
    """Return an expression for whether the label of a row equals one of these labels."""
    label = narwhals().col("label")
    return functools.reduce(operator.or_, (label == other for other in labels))


def _length(frame: Any) -> int:
    """Return the number of rows of a table without loading them."""
    table = collect(frame.select(narwhals().len().alias("rows")))
    return int(table["rows"].to_list()[0])


def collect_table(grouped: Any, most: int | None = None) -> Any:
    """Load a grouped table; None if it has more rows than `most`, by default `MAX_GROUPS`."""
    most = MAX_GROUPS if most is None else most
    table = collect(grouped.head(most + 1))
    return None if len(table) > most else table


def to_integers(series: Any) -> AnyArray:
    """Return sums of integers, which are decimals in DuckDB, as an array of integers."""
    return numeric_values(series.cast(narwhals().Int64))


def to_array(series: Any) -> AnyArray:
    """Return a column of a grouped table as an array."""
    values = column_values(series)
    return np.asarray(values)


BATCH = 2**18


class StreamedColumns:
    """Columns, each of which is written to a temporary file in batches."""

    def __init__(self, dtypes: dict[str, Any]) -> None:
        import tempfile

        self._files = {name: tempfile.TemporaryFile() for name in dtypes}  # noqa: SIM115
        self._dtypes = dtypes

    def add(self, columns: dict[str, AnyArray]) -> None:
        """Append a batch."""
        for name, values in columns.items():
            np.ascontiguousarray(values, self._dtypes[name]).tofile(self._files[name])

    def arrays(self) -> dict[str, AnyArray]:
        """Return the columns as memory maps."""
        result: dict[str, AnyArray] = {}
        for name, file in self._files.items():
            file.flush()
            result[name] = np.memmap(file, self._dtypes[name], mode="r")
            file.close()  # the file exists as long as the memory map
        return result


def sorted_table(
    counting: Counting, i: int, labels: Sequence[Any], *, descending: bool
) -> dict[str, AnyArray]:
    """Return the distinct scores of a classifier in order, with sums over the rows of each score.

    The numbers of rows are "counted 1" for the positives and "counted 0" for the negatives. With
    weights there are also "mass", "squares" and "fourths" for both classes.
    """
    nw = narwhals()
    key = f"key{i}"
    positive = is_one_of(labels)
    sums = {"counted": nw.col("counted")}
    if counting.source.has("weight"):
        sums |= powers_of_weights()
    columns = []
    for name, values in sums.items():
        zero = nw.lit(0).cast(nw.Int64) if name == "counted" else nw.lit(0.0)
        columns += [
            nw.when(positive).then(values).otherwise(zero).alias(f"{name} 1"),
            nw.when(positive).then(zero).otherwise(values).alias(f"{name} 0"),
        ]
    names = [f"{name} {label}" for name in sums for label in (1, 0)]
    grouped = counting.frame.select(key, *columns).group_by(key)
    table = grouped.agg(*(nw.col(name).sum() for name in names))
    counts = [nw.col(name).cast(nw.Int64) for name in names[:2]]
    ordered = table.select(key, *counts, *names[2:]).sort(key, descending=descending)
    score_type = counting.source.scores[i].column.dtype
    is_integer = score_type.is_integer() or score_type == nw.Boolean
    # The look-up table of the second pass is joined on the keys, so their types must agree.
    key_type = np.uint64 if score_type == nw.UInt64 else np.int64 if is_integer else np.float64
    dtypes: dict[str, Any] = {key: key_type}
    dtypes |= {name: np.int64 if name in names[:2] else np.float64 for name in names}
    streamed = StreamedColumns(dtypes)
    for batch in _batches(ordered):
        streamed.add({name: to_array(batch[name]) for name in (key, *names)})
    return streamed.arrays()


def _batches(ordered: Any) -> Iterator[Any]:
    """Yield a sorted lazy frame in batches if the backend supports them, else as a whole."""
    native, backend = ordered.to_native(), ordered.implementation
    if backend.is_duckdb():
        reader = getattr(native, "to_arrow_reader", None) or native.fetch_arrow_reader
        import pyarrow as pa

        for batch in reader(BATCH):
            yield as_narwhals(pa.Table.from_batches([batch]))
        return
    if backend.is_polars() and hasattr(native, "collect_batches"):
        for batch in native.collect_batches(chunk_size=BATCH, maintain_order=True):
            yield as_narwhals(batch)
        return
    yield collect(ordered)
