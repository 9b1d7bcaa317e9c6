"""Samples from frames on a backend, which counts the rows and returns tables.

If the table of all columns is small, the sample is in memory: its rows are those of the table, with
frequencies. Otherwise the rows stay on the backend (`on_backend`), and each classifier has a table.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from pauci.backends.aggregate import MAX_ROWS, Counting, Marginal, check_unchanged, score_cells
from pauci.backends.frames import LazyColumns, backend_errors, narwhals
from pauci.backends.sort import BATCH, StreamedColumns, sorted_table
from pauci.backends.source import Source, UsedColumn, collect, read_columns
from pauci.backends.unit_sums import RowSums
from pauci.checks import (
    AnyArray,
    BoolArray,
    check_choice,
    check_flag,
    check_whole,
    distinct_values,
    is_missing,
)
from pauci.curve.counts import CountTable, table_without_overflow
from pauci.curve.exact_sums import cumulative_sums
from pauci.curve.polyline import Curve
from pauci.errors import InputError, InputTypeError, original_row_numbers
from pauci.sample import columns, weights
from pauci.sample.frame_columns import Choices, FrameColumns, NamedColumn, find_columns
from pauci.sample.on_backend import BackendRows, Load, Powers
from pauci.sample.ratings import Ratings
from pauci.sample.restrict import Restriction, refuse_unlabelled, warn_left_out
from pauci.sample.rows import FrameRows, InMemoryRows, Rows
from pauci.sample.validation import validated

Resolution = int | Literal["exact"] | None

_MOST_BITS = 52


class GroupedScores(NamedTuple):
    """The scores of the groups of one classifier."""

    key: AnyArray
    """Distinct keys, in order."""
    score: AnyArray
    """The lowest score of each group, at which all its rows are called positive."""
    cells: tuple[AnyArray, AnyArray] | None
    """Scores and best scores of the groups as in `Ratings`; None if no group has several."""
    categories: tuple[object, ...] | None

    def of(self, key: AnyArray) -> Any:
        """Return the scores of some keys; categories as a categorical of pandas."""
        if self.categories is not None:
            import pandas as pd

            return pd.Series(pd.Categorical(key, categories=list(self.categories), ordered=True))
        if self.score is self.key:
            return key
        return self.score[np.searchsorted(self.key, key)]


class OneTable(NamedTuple):
    """The table of one classifier, and the numbers needed for its sums over rows."""

    curve: Curve
    keys: AnyArray
    """The keys of the tie groups on the backend, best group first."""
    powers: tuple[Powers, Powers]
    """For positives and negatives the sums of squared weights, and of fourth powers, by group."""
    cells: tuple[AnyArray, AnyArray] | None


def check_resolution(value: object) -> None:
    """Raise an error for a resolution other than a number of bits, "exact" or None."""
    if value is None or value == "exact":
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(
            f'resolution={value!r} must be a number of bits, "exact" or None.',
            argument="resolution",
            value=value,
        )
    check_whole("resolution", value, 1)
    if value > _MOST_BITS:
        raise InputError(
            f"resolution={value!r} must be at most {_MOST_BITS}, the digits of a double.",
            argument="resolution",
            value=value,
            hint="Use resolution='exact' for all of them.",
            shell_hint="Use --resolution exact for all of them.",
        )


def read_backend(
    frame: LazyColumns,
    label: Any,
    scores: Any,
    extras: dict[str, Any],
    choices: Choices,
    *,
    drop_missing: object,
    resolution: object,
    restriction: Restriction,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings of a frame on a backend, which aggregates the rows."""
    check_choice("design", choices.design, ("cohort", "case-control"))
    check_flag("drop_missing", drop_missing)
    with backend_errors(frame.lazy):
        selected = find_columns(frame, label, scores, extras)
        used = list(_used(selected))
        lazy, left_out = _restricted(frame.lazy, used, restriction)
        source = replace(
            read_columns(lazy, used, drop_missing=bool(drop_missing)), left_out=left_out
        )
        bits = int(resolution) if isinstance(resolution, (int, np.integer)) else None
        cells = {} if bits is None else score_cells(source, bits)
        counting = Counting(source, cells, _scale(source, selected))
        refuse = resolution != "exact"
        tables = [counting.marginal(i, refuse=refuse) for i in range(len(source.scores))]
        with unnumbered_rows():
            return _from_tables(counting, tables, selected, choices)


def _from_tables(
    counting: Counting,
    tables: Sequence[Marginal | None],
    selected: FrameColumns,
    choices: Choices,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return rows in memory if the table of all columns is small, else rows on the backend.

    A table that is None is too large for memory.
    """
    source = counting.source
    marginals = [m for m in tables if m is not None]
    if len(marginals) < len(tables):
        groups = scores_themselves(counting, selected)
    else:
        check_unchanged(source, marginals, None)
        groups = grouped_scores(counting, marginals, selected, choices)
        first = marginals[0]
        positive = columns.labels(
            first.label, choices.positive, selected.label.name, rows=source.rows
        )
        totals = (float(first.mass[which].sum()) for which in (positive, ~positive))
        check_class_weights(source, (next(totals), next(totals)))
        if len(marginals) == 1 and not any(map(source.has, ("weight", "cluster", "fold"))):
            table = {"label": first.label, "key0": first.key, "copies": first.rows}
            return _joint_sample(counting, table, first.zero_weight, groups, selected, choices)
        joint = counting.joint()
        if joint is not None:
            check_unchanged(source, marginals, joint)
            return _joint_sample(counting, joint, first.zero_weight, groups, selected, choices)
    load = partial(_loaded, counting, groups, selected, choices)
    return sample_on_backend(counting, tables, selected, choices, load)


def _loaded(
    counting: Counting, groups: dict[str, GroupedScores], selected: FrameColumns, choices: Choices
) -> tuple[InMemoryRows, dict[str, Ratings]] | None:
    """Return the rows and ratings in memory; None if there are too many rows."""
    table = counting.joint(MAX_ROWS)
    if table is None:
        return None
    with unnumbered_rows():
        return _joint_sample(counting, table, counting.zero_weight(), groups, selected, choices)


def _scale(source: Source, selected: FrameColumns) -> float:
    """Return the power of two that makes the largest weight less than 1, as in memory."""
    if "weight above 0" not in source.ranges:
        return 1.0
    low, high = source.ranges["weight above 0"]
    with unnumbered_rows():  # weights too far apart to calculate with both are refused
        weights.weight(np.array([low, high]), 2, selected.extras["weight"].name)
    return math.ldexp(1.0, -math.frexp(high)[1])


def _used(selected: FrameColumns) -> Iterator[UsedColumn]:
    """Yield the columns that are used, with their short names."""
    yield UsedColumn("label", "label", selected.label.values, selected.label.name)
    for i, column in enumerate(selected.scores.values()):
        yield UsedColumn(f"score{i}", "score", column.values, column.name)
    for part, column in selected.extras.items():
        name, values = column
        if values is not None:
            yield UsedColumn(part, part, values, name)


def _joint_sample(
    counting: Counting,
    table: dict[str, AnyArray],
    zero_weight: int,
    groups: dict[str, GroupedScores],
    selected: FrameColumns,
    choices: Choices,
) -> tuple[InMemoryRows, dict[str, Ratings]]:
    """Return rows in memory, which are the rows of the table of all columns."""
    source = counting.source
    # Backends return rows in any order, and the draws of a bootstrap depend on the order.
    order = np.lexsort([_ranks(v) for v in table.values()])
    table = {name: v[order] for name, v in table.items()}
    scores = {
        name: NamedColumn(column.name, groups[name].of(table[f"key{i}"]))
        for i, (name, column) in enumerate(selected.scores.items())
    }
    extras = {
        part: NamedColumn(column.name, table.get(part)) for part, column in selected.extras.items()
    }
    extras["frequency"] = NamedColumn(selected.extras["frequency"].name, table["copies"])
    rows, ratings = validated(
        NamedColumn(selected.label.name, table["label"]), scores, extras, choices,
        source.dropped, source.left_out,
    )  # fmt: skip
    rows = replace(rows, of_frame=FrameRows(source.rows, zero_weight, source.has("frequency")))
    return rows, {
        name: Ratings(
            name, r.values, rows, r.categories, lower_is_positive=r.lower_is_positive,
            cells=groups[name].cells,
        )
        for name, r in ratings.items()
    }  # fmt: skip


def _ranks(values: AnyArray) -> AnyArray:
    if values.dtype.kind in "biuf":
        return values
    try:
        return np.unique(values, return_inverse=True)[1]
    except TypeError:  # spans of time that have months, for one, have no order
        return np.unique([str(value) for value in values], return_inverse=True)[1]


def unnumbered_rows() -> AbstractContextManager[None]:
    """Omit row numbers from errors, because the rows of a table of counts are not the user's."""
    return original_row_numbers([])


def _restricted(
    frame: Any, used: Sequence[UsedColumn], restriction: Restriction
) -> tuple[Any, int]:
    """Return a lazy frame without excluded rows, and the number of rows with other labels.

    Codes of missing values become missing values.
    """
    nw = narwhals()
    changed = []
    for a in used:
        column = a.column.name
        comparable = _comparable(a, restriction.codes.get(column, []))
        if comparable:
            coded = nw.any_horizontal(*(nw.col(column) == c for c in comparable), ignore_nulls=True)
            changed.append(nw.when(~coded).then(nw.col(column)).alias(column))
    left_out = 0
    label = next(a for a in used if a.role == "label")
    if restriction.negative is not None:
        column = nw.col(label.column.name)
        wanted = _comparable(label, [restriction.positive, restriction.negative])
        if len(wanted) < 2:
            raise InputError(
                f"negative={restriction.negative!r} or the positive label "
                f"{restriction.positive!r} is not a value of {label.name}, which has dtype "
                f"{label.column.dtype}.",
                argument="negative",
                value=restriction.negative,
            )
        taking_part = (column == wanted[0]) | (column == wanted[1]) | column.is_null()
        total, everything = _length(frame), frame
        frame = frame.filter(taking_part)
        there = _some_labels(frame, label.column.name)
        if not all(w in there for w in wanted):
            labels = np.array(_some_labels(everything, label.column.name), dtype=object)
            refuse_unlabelled(
                label.name, labels,
                {"positive": restriction.positive, "negative": restriction.negative},
            )  # fmt: skip
        left_out = total - _length(frame)
        warn_left_out(left_out, total, restriction.positive, restriction.negative)
    return (frame.with_columns(*changed) if changed else frame), left_out


def _comparable(a: UsedColumn, values: list[Any]) -> list[Any]:
    """Return those of some values that the values of a column can equal."""
    number = bool(a.column.dtype.is_numeric() or a.column.dtype == narwhals().Boolean)
    return [v for v in values if isinstance(v, str) is not number and not is_missing(v)]


def _some_labels(frame: Any, column: str, most: int = 20) -> list[Any]:
    """Return some of the distinct values of a column."""
    distinct = frame.select(narwhals().col(column)).drop_nulls().unique()
    return list(collect(distinct.head(most))[column].to_list())


def _length(frame: Any) -> int:
    return int(collect(frame.select(narwhals().len().alias("rows")))["rows"].to_list()[0])


def sample_on_backend(
    counting: Counting,
    marginals: Sequence[Marginal | None],
    selected: FrameColumns,
    choices: Choices,
    load: Load,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return rows that stay on the backend, and ratings from a table for each classifier.

    A table that is None is too large for memory and is sorted on the backend. Folds require single
    rows, which are loaded.
    """
    source = counting.source
    if source.has("fold"):
        loaded = load()
        if loaded is not None:
            return loaded
        raise InputError(
            f"fold={selected.extras['fold'].name.column!r} takes the table of all columns "
            f"together, which has more than {MAX_ROWS:,} rows here. Round the scores to fewer "
            "digits, take a random sample of the rows, or load all rows first.",
            argument="fold",
            value=selected.extras["fold"].name.column,
        )
    names = tuple(selected.scores)
    labels = counting.labels()
    positive = columns.labels(labels, choices.positive, selected.label.name, rows=source.rows)
    of_positives = distinct_values(labels[positive])
    tables = [
        _streamed(counting, i, of_positives, selected, choices)
        if m is None
        else _counted(counting, i, m, selected, choices)
        for i, m in enumerate(marginals)
    ]
    first = tables[0].curve.table
    keys = [t.keys for t in tables]
    sums = RowSums(
        counting, of_positives, keys, (first.rows_pos, first.rows_neg), source.has("cluster")
    )
    sizes = _sizes(sums, first, tables[0].powers)
    rows = BackendRows(
        replace(sums, clustered=sizes.clusters is not None), names, [t.powers for t in tables],
        load, FrameRows(source.rows, counting.zero_weight(), source.has("frequency")),
        counts=(first.rows_pos, first.rows_neg), prevalence=first.prevalence,
        design=choices.design, has_weights=source.has("weight"), dropped=source.dropped,
        left_out=source.left_out, **sizes._asdict(),
    )  # fmt: skip
    ratings = {}
    for name, table in zip(names, tables, strict=True):
        ratings[name] = Ratings.of_curve(name, rows, table.curve)
        ratings[name].cells = table.cells
    return rows, ratings


def _counted(
    counting: Counting, i: int, m: Marginal, selected: FrameColumns, choices: Choices
) -> OneTable:
    """Return the table of a classifier from its counts."""
    name, column = list(selected.scores.items())[i]
    lower = name in columns.of_lower(choices.lower_is_positive, list(selected.scores))
    groups = _groups_of(counting, i, m, lower=lower)
    positive = columns.labels(m.label, choices.positive, selected.label.name)
    key, at = np.unique(m.key, return_inverse=True)
    values, categories = columns.scores(
        column.name, groups.of(key), key.size, lower_is_positive=lower
    )
    order = np.argsort(values)[::-1]

    def by_group(sums: AnyArray, which: BoolArray) -> AnyArray:
        total = np.zeros(order.size, sums.dtype)
        np.add.at(total, at[which], sums[which])
        return total[order]

    both = (positive, ~positive)
    rows = [int(m.rows[which].sum()) for which in both]
    sums = [by_group(m.mass, which) for which in both]
    curve = _curve(values[order], sums, rows, counting, choices, lower, categories)
    first, second = ((by_group(m.squares, which), by_group(m.fourths, which)) for which in both)
    return OneTable(curve, key[order], (first, second), groups.cells)


def _streamed(
    counting: Counting, i: int, labels: list[Any], selected: FrameColumns, choices: Choices
) -> OneTable:
    """Return the table of a classifier whose scores are sorted on the backend."""
    name = list(selected.scores)[i]
    lower = name in columns.of_lower(choices.lower_is_positive, list(selected.scores))
    table = sorted_table(counting, i, labels, descending=not lower)
    key = table[f"key{i}"]
    scores = key
    if lower:  # a minus sign would give zeros one
        floats = key.dtype.kind == "f"
        scores = 0.0 - key if floats else columns.negated(selected.scores[name].name, key)
    weighted = counting.source.has("weight")
    mass, squares, fourths = ("mass", "squares", "fourths") if weighted else ("counted",) * 3
    rows = [int(table[f"counted {label}"].sum()) for label in (1, 0)]
    sums = [table[f"{mass} {label}"] for label in (1, 0)]
    curve = _curve(scores, sums, rows, counting, choices, lower, None)
    first, second = ((table[f"{squares} {c}"], table[f"{fourths} {c}"]) for c in (1, 0))
    return OneTable(curve, key, (first, second), None)


def _curve(
    scores: AnyArray,
    sums: Sequence[AnyArray],
    rows: Sequence[int],
    counting: Counting,
    choices: Choices,
    lower: bool,
    categories: tuple[object, ...] | None,
) -> Curve:
    """Return the curve of sums by tie group, best first."""
    cum_pos, cum_neg = (_running(s) for s in sums)
    check_class_weights(counting.source, (float(cum_pos[-1]), float(cum_neg[-1])))
    table = table_without_overflow(scores, cum_pos, cum_neg, (rows[0], rows[1]))
    fixed = choices.design == "case-control"
    return Curve(
        replace(table, categories=categories, fixed_prevalence=fixed, lower_is_positive=lower)
    )


def check_class_weights(source: Source, totals: tuple[float, float]) -> None:
    """Raise an error for weights or frequencies that are 0 in a whole class."""
    given = [part for part in ("weight", "frequency") if source.has(part)]
    for label, total in zip(("positives", "negatives"), totals, strict=True):
        if not total > 0.0:
            raise InputError(
                f"{' times '.join(given)} is 0 in all {label}; each class needs a row that counts.",
                argument=given[0],
                value=0,
            )


def _running(sums: AnyArray) -> AnyArray:
    """Return running sums with a leading 0; those of a memory map are a memory map too."""
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
    effective: tuple[float, float]
    clusters: int | None


def _sizes(sums: RowSums, table: CountTable, powers: tuple[Powers, Powers]) -> Sizes:
    """Return the numbers of independent units; clusters of one row each are no clusters."""
    source = sums.counting.source
    counts = table.rows_pos, table.rows_neg
    totals = float(table.total_pos), float(table.total_neg)
    class_units = float(counts[0]), float(counts[1])
    facts = sums.cluster_facts() if source.has("cluster") else None
    if facts is None or facts.any == sum(counts):
        units = class_units
        if source.has("weight"):
            pos, neg = (t**2 / float(p[0].sum()) for t, p in zip(totals, powers, strict=True))
            units = pos, neg
        return Sizes(class_units, units, units, None)
    class_units = effective = float(facts.pos), float(facts.neg)
    if source.has("weight"):
        pos, neg = (t**2 / s for t, s in zip(totals, facts.squares, strict=True))
        effective = pos, neg
    return Sizes(class_units, class_units, effective, facts.any)


def grouped_scores(
    counting: Counting, marginals: Sequence[Marginal], selected: FrameColumns, choices: Choices
) -> dict[str, GroupedScores]:
    """Return the scores of the keys of each classifier."""
    lower = columns.of_lower(choices.lower_is_positive, list(selected.scores))
    return {
        name: _groups_of(counting, i, m, lower=name in lower)
        for i, (name, m) in enumerate(zip(selected.scores, marginals, strict=True))
    }


def scores_themselves(counting: Counting, selected: FrameColumns) -> dict[str, GroupedScores]:
    """Return the scores of keys that are scores themselves."""
    any_key = np.empty(0)
    return {
        name: GroupedScores(any_key, any_key, None, counting.source.categories(a.key))
        for name, a in zip(selected.scores, counting.source.scores, strict=True)
    }


def _groups_of(counting: Counting, i: int, m: Marginal, *, lower: bool) -> GroupedScores:
    """Return the scores of the keys of a classifier."""
    a = counting.source.scores[i]
    if a.key not in counting.cells:
        return GroupedScores(m.key, m.key, None, counting.source.categories(a.key))
    key, at = np.unique(m.key, return_inverse=True)
    low, high = np.full(key.size, np.inf), np.full(key.size, -np.inf)
    np.minimum.at(low, at, m.low.astype(np.float64))
    np.maximum.at(high, at, m.high.astype(np.float64))
    score, cells = (low, (low, high))
    if lower:  # negated there
        score, cells = (high, (-high[::-1], -low[::-1]))
    return GroupedScores(key, score, cells if (low < high).any() else None, None)
