"""Tables of counts calculated by a backend: of one classifier, or of all columns together.

A score stands for its tie group, or with a resolution for its cell: the scores between two
multiples of a power of two above the smallest one. The difference, the product with a power of two
and the floor are the same numbers on every backend, and what a cell holds does not depend on how
rows are spread over partitions.
"""

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import narwhals, numbers_of, values_of
from pauci.backends.source import Source, collected
from pauci.checks import AnyArray
from pauci.errors import InputError

MOST_GROUPS = 2_000_000
"""Largest number of rows of a grouped table in memory; about 100 bytes each."""

MOST_ROWS = 10_000_000
"""Rows of the table of all columns that are taken into memory for what needs single rows; some 250
bytes each, with those of the backend."""

_FEWEST_TO_TELL = 1000
"""Rows of which the share of different ones tells how many groups there are."""

_LARGEST_EXACT = 2**53
"""Whole numbers up to this one are doubles."""


class Marginal(NamedTuple):
    """The table of one classifier: a row for each label and tie group, or cell, that occurs.

    Parameters
    ----------
    label : ndarray
        Label of each row of the table, as the user has it.
    key : ndarray
        The key of a group on the backend: the score itself, or the number of its cell.
    low, high : ndarray
        Smallest and largest score of each row of the table; of ordinal scales the category.
    rows : ndarray of int
        Copies of rows that carry weight.
    mass, squares, fourths : ndarray
        Sums of the weights and of their squares and fourth powers, copies counted.
    idle : int
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
    idle: int


@dataclass(frozen=True)
class ScoreCells:
    """The scores of one classifier in cells of width 1/scale above the smallest."""

    low: float
    scale: float
    before: float = 1.0
    """What scores are multiplied by first, where their range is no double."""

    @classmethod
    def of(cls, low: float, high: float, bits: int) -> "ScoreCells | None":
        """Return cells by which 2^bits or fewer, and one, hold the range; None of one score."""
        before = 1.0 if math.isfinite(high - low) else 0.25
        width = high * before - low * before
        if width == 0.0:
            return None
        _, exponent = math.frexp(width)
        return cls(low * before, math.ldexp(1.0, min(bits - exponent, 1000)), before)

    def number(self, column: Any) -> Any:
        """Return the number of the cell of each score."""
        nw = narwhals()
        score = column.cast(nw.Float64)
        if self.before != 1.0:
            score = score * self.before
        return ((score - self.low) * self.scale).floor().cast(nw.Int64)


def cells_of(source: Source, bits: int) -> dict[str, ScoreCells]:
    """Return the cells of each classifier that has more scores than these would be."""
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
                    f"{a.name} holds whole numbers above 2^53, which are not told apart as "
                    "doubles, and cells are made of these.",
                    argument="resolution",
                    hint="Subtract a constant, or use resolution='exact'.",
                    shell_hint="Subtract a constant, or use --resolution exact.",
                )
        of_scores = ScoreCells.of(float(low), float(high), bits)
        if of_scores is not None:
            cells[a.key] = of_scores
    return cells


@dataclass(frozen=True)
class Counting:
    """Counts that a backend calculates.

    Parameters
    ----------
    source : Source
        The columns.
    cells : dict of str to ScoreCells
        Of the scores that are counted in cells.
    scale : float
        The factor of weights: the power of two that makes the largest less than 1.
    """

    source: Source
    cells: dict[str, ScoreCells]
    scale: float = 1.0

    @property
    def frame(self) -> Any:
        """The frame with a key for each score, "key0" and so on, the weight, and copies."""
        nw = narwhals()
        source = self.source
        frame = source.frame
        added = []
        for i, a in enumerate(source.scores):
            column = nw.col(a.key)
            if a.key in self.cells:
                column = self.cells[a.key].number(column)
            elif a.column.dtype.is_float():  # joins of some backends tell -0.0 from 0.0
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
        """Return the table of a classifier; one too large for memory raises an error or is None."""
        nw = narwhals()
        a = self.source.scores[i]
        weighted, numeric = self.source.has("weight"), a.key in self.cells
        zero = (nw.col("counted") == 0).cast(nw.Int64).alias("idle")
        frame = self.frame.with_columns(zero)
        sums = ["counted", "idle"]
        if weighted:
            powers = powers_of_weights()
            frame = frame.with_columns(*(power.alias(name) for name, power in powers.items()))
            sums += powers
        extremes = []
        if numeric:
            extremes = [
                nw.col(a.key).min().alias("low"), nw.col(a.key).max().alias("high")
            ]  # fmt: skip
        if self._surely_more(["label", f"key{i}"], MOST_GROUPS):
            if refuse:
                raise self._too_large(i)
            return None
        names = ["label", f"key{i}", *sums, *(["low", "high"] if numeric else [])]
        grouped = frame.select(*dict.fromkeys(["label", f"key{i}", a.key, *sums])).group_by(
            "label", f"key{i}"
        )
        table = taken(grouped.agg(*(nw.col(s).sum() for s in sums), *extremes).select(*names))
        if table is None:
            if refuse:
                raise self._too_large(i)
            return None
        counted = whole(table["counted"])
        key = array(table[f"key{i}"])
        mass = squares = fourths = counted
        if weighted:
            mass, squares, fourths = (array(table[s]) for s in ("mass", "squares", "fourths"))
        low, high = (array(table[s]) for s in ("low", "high")) if numeric else (key, key)
        return Marginal(
            array(table["label"]), key, low, high, counted, mass, squares, fourths,
            int(whole(table["idle"]).sum()),
        )  # fmt: skip

    def joint(self, most: int | None = None) -> dict[str, AnyArray] | None:
        """Return the number of copies of each distinct row of all columns.

        None if that table has more rows than `most` or `MOST_GROUPS`.
        """
        most = MOST_GROUPS if most is None else most
        nw = narwhals()
        source = self.source
        keys = ["label", *(f"key{i}" for i in range(len(source.scores)))]
        keys += [part for part in ("weight", "cluster", "fold") if source.has(part)]
        frame = self.frame.select(*keys, "copies")
        # Of so many groups that fit, the first eighth as many rows would be fewer than 95 %
        # different ones; a table with more need not be made to be seen to be too large.
        if self._different(keys, most) > 0.95 or self._surely_more(keys, most):
            return None
        table = taken(frame.group_by(*keys).agg(nw.col("copies").sum()), most)
        if table is None:
            return None
        found = {name: array(table[name]) for name in keys}
        return found | {"copies": whole(table["copies"])}

    def _different(self, keys: Sequence[str], most: int) -> float:
        """Return the share of different ones among the first rows; NaN where rows are few."""
        few = most // 8
        if few < _FEWEST_TO_TELL or self.source.rows <= most:
            return math.nan
        first = self.frame.head(few).select(*keys).group_by(*keys).agg(narwhals().len())
        return _length(first) / few

    def _surely_more(self, keys: Sequence[str], most: int) -> bool:
        """Return whether the first rows alone have more groups than `most`.

        A table of all rows then need not be made to be seen to be too large. If few of the very
        first rows differ, not so many are looked at.
        """
        if self.source.rows <= most or self._different(keys, most) < 0.5:
            return False
        start = self.frame.head(2 * most).select(*keys).group_by(*keys).agg(narwhals().len())
        return _length(start) > most

    def labels(self) -> AnyArray:
        """Return the distinct labels."""
        frame = self.source.frame.select("label").group_by("label").agg(narwhals().len())
        found = taken(frame)
        if found is None:  # no label of two classes, and shown as what it is
            found = collected(self.source.frame.select("label").head(MOST_GROUPS))
        return array(found["label"])

    def idle(self) -> int:
        """Return the number of rows with zero weight."""
        nw = narwhals()
        if not (self.source.has("weight") or self.source.has("frequency")):
            return 0
        zero = self.frame.select((nw.col("counted") == 0).cast(nw.Int64).alias("idle"))
        return int(collected(zero.select(nw.col("idle").sum()))["idle"].to_list()[0] or 0)

    def _too_large(self, i: int) -> InputError:
        """Return the error about scores that are too many, and which resolution would do."""
        return InputError(
            f"{self.source.scores[i].name} has more than {MOST_GROUPS:,} groups of equal score "
            "and label, and a table of so many is not taken into memory.",
            argument="resolution",
            hint="Have all sorted with resolution='exact', round the scores to fewer digits, or "
            f"count them in cells with resolution={int(math.log2(MOST_GROUPS / 2 - 1))!r} or "
            "less, where what cells hide is bounded and reported.",
            shell_hint="Have all sorted with --resolution exact, round the scores to fewer "
            "digits, or count them in cells with --resolution "
            f"{int(math.log2(MOST_GROUPS / 2 - 1))} or less, where what cells hide is bounded and "
            "reported.",
        )


def refuse_changed(
    source: Source, tables: Sequence[Marginal], together: dict[str, AnyArray] | None
) -> None:
    """Raise an error for a frame that returns other rows or scores each time it is read."""
    one = tables[0].label[:1]

    def sizes(labels: AnyArray, counts: AnyArray) -> tuple[int, int]:
        return int(counts[labels == one].sum()), int(counts.sum())

    expected = sizes(tables[0].label, tables[0].rows)
    alike = source.has("frequency") or expected[1] + tables[0].idle == source.rows
    for a, m in zip(source.scores, tables, strict=True):
        alike &= sizes(m.label, m.rows) == expected
        if a.key in source.ranges and len(m.low):
            alike &= (m.low.min(), m.high.max()) == tuple(source.ranges[a.key])
    if together is not None:
        counts = together["copies"]
        if "weight" in together:
            counts = np.where(together["weight"] > 0, counts, 0)
        alike &= sizes(together["label"], counts) == expected
    if not alike:
        raise InputError(
            "the rows are not the same each time that they are read. A query that draws at random, "
            "or a table that somebody changes, must be stored first.",
            argument="frame",
        )


def powers_of_weights() -> dict[str, Any]:
    """Return what a row with its copies adds to the sums of weights, squares and fourth powers."""
    w = narwhals().col("w")
    mass = w * narwhals().col("copies")
    return {"mass": mass, "squares": mass * w, "fourths": mass * w * w * w}


def is_one_of(labels: Sequence[Any]) -> Any:
    """Return the expression that the label of a row equals one of these, compared one by one."""
    label = narwhals().col("label")
    return functools.reduce(operator.or_, (label == other for other in labels))


def _length(frame: Any) -> int:
    """Return the number of rows of a table without loading them."""
    found = collected(frame.select(narwhals().len().alias("rows")))
    return int(found["rows"].to_list()[0])


def taken(grouped: Any, most: int | None = None) -> Any:
    """Return a grouped table in memory, None if it has more rows than `most` or `MOST_GROUPS`."""
    most = MOST_GROUPS if most is None else most
    table = collected(grouped.head(most + 1))
    return None if len(table) > most else table


def whole(series: Any) -> AnyArray:
    """Return sums of integers, which DuckDB has as decimals, as integers."""
    return numbers_of(series.cast(narwhals().Int64))


def array(series: Any) -> AnyArray:
    """Return a column of a grouped table."""
    values = values_of(series)
    return np.asarray(values)
