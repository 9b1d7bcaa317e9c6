"""Tables of counts calculated by a backend, for one classifier or for all columns together.

Rows are grouped by their score or, if a resolution is specified, by the cell of the score. The
number of the cell is the difference from the smallest score, multiplied by a power of two and
rounded down. These operations yield the same numbers on every backend, so cells do not depend on
the partitioning of the rows.
"""

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import column_values, narwhals, numeric_values
from pauci.backends.source import Source, collect
from pauci.checks import AnyArray
from pauci.errors import InputError

MAX_GROUPS = 2_000_000
"""Largest number of rows of a grouped table in memory, each of about 100 bytes."""

MAX_ROWS = 10_000_000
"""Largest number of rows of the table of all columns that is loaded for methods that require single
rows. Each row takes about 250 bytes, including the memory of the backend."""

_MIN_ROWS_FOR_SHARE = 1000
"""Smallest number of rows from which the proportion of distinct rows is estimated."""

_LARGEST_EXACT = 2**53
"""Largest integer up to which all integers are exact in double precision."""


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
class ScoreCells:
    """Cells of width 1/scale, from the smallest score upwards, for the scores of one classifier."""

    low: float
    scale: float
    prescale: float = 1.0
    """Factor by which scores are multiplied first, so that their range does not overflow."""

    @classmethod
    def from_range(cls, low: float, high: float, bits: int) -> "ScoreCells | None":
        """Return at most 2^bits + 1 cells that cover a range; None for a single score."""
        prescale = 1.0 if math.isfinite(high - low) else 0.25
        width = high * prescale - low * prescale
        if width == 0.0:
            return None
        _, exponent = math.frexp(width)
        return cls(low * prescale, math.ldexp(1.0, min(bits - exponent, 1000)), prescale)

    def number(self, column: Any) -> Any:
        """Return an expression for the number of the cell of each score."""
        nw = narwhals()
        score = column.cast(nw.Float64)
        if self.prescale != 1.0:
            score = score * self.prescale
        return ((score - self.low) * self.scale).floor().cast(nw.Int64)


def score_cells(source: Source, bits: int) -> dict[str, ScoreCells]:
    """Return the cells of each classifier whose scores could exceed the number of cells."""
    cells = {}
    for a in source.scores:
        if a.key not in source.ranges:
            continue  # an ordinal scale
        low, high = source.ranges[a.key]
        if a.column.dtype.is_integer():
            if int(high) - int(low) < 2**bits:
                continue
            if max(abs(int(low)), abs(int(high))) > _LARGEST_EXACT:
                raise InputError(
                    f"{a.name} contains integers above 2^53, which are not exact in double "
                    "precision, as the calculation of cells requires.",
                    argument="resolution",
                    hint="Subtract a constant, or use resolution='exact'.",
                    shell_hint="Subtract a constant, or use --resolution exact.",
                )
        score_range = ScoreCells.from_range(float(low), float(high), bits)
        if score_range is not None:
            cells[a.key] = score_range
    return cells


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
        if self._exceeds(["label", f"key{i}"], MAX_GROUPS):
            if refuse:
                raise self._too_large(i)
            return None
        names = ["label", f"key{i}", *sums, *(["low", "high"] if numeric else [])]
        grouped = frame.select(*dict.fromkeys(["label", f"key{i}", a.key, *sums])).group_by(
            "label", f"key{i}"
        )
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
        # If all groups fit, fewer than 95% of the first most / 8 rows are expected to be distinct.
        # Otherwise the table is too large, and it is not calculated.
        if self._distinct_share(keys, most) > 0.95 or self._exceeds(keys, most):
            return None
        table = collect_table(frame.group_by(*keys).agg(nw.col("copies").sum()), most)
        if table is None:
            return None
        columns = {name: to_array(table[name]) for name in keys}
        return columns | {"copies": to_integers(table["copies"])}

    def _distinct_share(self, keys: Sequence[str], most: int) -> float:
        """Return the proportion of distinct rows among the first rows; NaN if there are few."""
        few = most // 8
        if few < _MIN_ROWS_FOR_SHARE or self.source.rows <= most:
            return math.nan
        first = self.frame.head(few).select(*keys).group_by(*keys).agg(narwhals().len())
        return _length(first) / few

    def _exceeds(self, keys: Sequence[str], most: int) -> bool:
        """Return whether the first rows alone have more groups than `most`.

        In this case the table of all rows is not calculated. If fewer than half of the first rows
        are distinct, the groups are not counted and False is returned.
        """
        if self.source.rows <= most or self._distinct_share(keys, most) < 0.5:
            return False
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
        """Return the error for a classifier with too many scores, with a possible resolution."""
        return InputError(
            f"{self.source.scores[i].name} has more than {MAX_GROUPS:,} groups of equal score "
            "and label, too many for a table in memory.",
            argument="resolution",
            hint="Sort all scores with resolution='exact', round them to fewer digits, or count "
            f"them in cells with resolution={int(math.log2(MAX_GROUPS / 2 - 1))!r} or less. The "
            "binning error of cells is bounded, and the bound is reported.",
            shell_hint="Sort all scores with --resolution exact, round them to fewer digits, or "
            f"count them in cells with --resolution {int(math.log2(MAX_GROUPS / 2 - 1))} or less. "
            "The binning error of cells is bounded, and the bound is reported.",
        )


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
