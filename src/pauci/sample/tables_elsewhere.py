"""Samples whose rows stay on an engine: a table for each classifier, and the sizes of all."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, distinct_values
from pauci.curve.counts import Table, guarded
from pauci.curve.exact_sums import running
from pauci.curve.polyline import Curve
from pauci.engines.counting import MOST_ROWS, Counting, Marginal
from pauci.engines.joining import RowsOnEngine
from pauci.engines.sorting import BATCH, Streamed, sorted_table
from pauci.engines.source import Source
from pauci.errors import InputError, arg
from pauci.sample import columns
from pauci.sample.elsewhere import Load, Powers, RowsElsewhere, Sizes
from pauci.sample.frames import FrameColumns
from pauci.sample.rows import Design, Grouped, Ratings, Rows


class Choices(NamedTuple):
    """What the user says of the data."""

    positive: object
    design: Design
    lower_is_positive: object


class GroupedScores(NamedTuple):
    """What the keys of one classifier mean on the scale of the scores."""

    key: AnyArray
    """Distinct keys, in order."""
    score: AnyArray
    """The score at which all of a group is called positive."""
    cells: tuple[AnyArray, AnyArray] | None
    """Scores and best scores of the groups as in `Ratings`; None if no group holds several."""
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
    """The table of one classifier, and what the second pass over the rows takes."""

    curve: Curve
    keys: AnyArray
    """What tie groups are called on the engine, best first."""
    powers: tuple[Powers, Powers]
    """For positives and negatives the sums of squared weights, and of fourth powers, by group."""
    cells: tuple[AnyArray, AnyArray] | None


def sample_elsewhere(
    counting: Counting,
    marginals: Sequence[Marginal | None],
    found: FrameColumns,
    choices: Choices,
    load: Load,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return a sample whose rows stay on the engine, each classifier with a table of its own.

    A table that is None is too large to be taken at once, and is sorted on the engine. What takes
    single rows loads them; folds do at once.
    """
    source = counting.source
    if source.has("fold"):
        loaded = load()
        if loaded is not None:
            return loaded
        raise InputError(
            arg("fold", found.extras["fold"].name.column),
            f" takes the table of all columns together, which has more than {MOST_ROWS:,} rows "
            "here. Round the scores to fewer digits, take a random sample of the rows, or load all "
            "rows first.",
        )
    names = tuple(found.scores)
    labels = counting.labels()
    positive = columns.labels(labels, choices.positive, found.label.name, rows=source.rows)
    of_positives = distinct_values(labels[positive])
    tables = [
        _streamed(counting, i, of_positives, found, choices)
        if m is None
        else _counted(counting, i, m, found, choices)
        for i, m in enumerate(marginals)
    ]
    first = tables[0].curve.table
    keys = [t.keys for t in tables]
    away = RowsOnEngine(
        counting, of_positives, keys, (first.rows_pos, first.rows_neg), source.has("cluster")
    )
    sizes = _sizes(away, first, tables[0].powers)
    away = replace(away, clustered=sizes.clusters is not None)
    counts = Grouped(source.rows, counting.idle(), source.has("frequency"))
    rows = RowsElsewhere(
        away, sizes, names, [t.powers for t in tables],
        choices.design, counts, load, weighted=source.has("weight"), dropped=source.dropped,
        left_out=source.left_out,
    )  # fmt: skip
    ratings = {}
    for name, one in zip(names, tables, strict=True):
        ratings[name] = Ratings.of_curve(name, rows, one.curve)
        ratings[name].cells = one.cells
    return rows, ratings


def _counted(
    counting: Counting, i: int, m: Marginal, found: FrameColumns, choices: Choices
) -> OneTable:
    """Return the table of a classifier from its counts."""
    name, column = list(found.scores.items())[i]
    lower = name in columns.of_lower(choices.lower_is_positive, list(found.scores))
    groups = _groups_of(counting, i, m, lower=lower)
    positive = columns.labels(m.label, choices.positive, found.label.name)
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
    counting: Counting, i: int, labels: list[Any], found: FrameColumns, choices: Choices
) -> OneTable:
    """Return the table of a classifier whose scores the engine sorts."""
    name = list(found.scores)[i]
    lower = name in columns.of_lower(choices.lower_is_positive, list(found.scores))
    table = sorted_table(counting, i, labels, descending=not lower)
    key = table[f"key{i}"]
    scores = key
    if lower:  # a minus sign would give zeros one
        floats = key.dtype.kind == "f"
        scores = 0.0 - key if floats else columns.negated(found.scores[name].name, key)
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
    refuse_idle_class(counting.source, (float(cum_pos[-1]), float(cum_neg[-1])))
    table = guarded(scores, cum_pos, cum_neg, (rows[0], rows[1]))
    fixed = choices.design == "case-control"
    return Curve(
        replace(table, categories=categories, fixed_prevalence=fixed, lower_is_positive=lower)
    )


def refuse_idle_class(source: Source, totals: tuple[float, float]) -> None:
    """Refuse weights or frequencies that leave a class without any row."""
    given = [part for part in ("weight", "frequency") if source.has(part)]
    for label, total in zip(("positives", "negatives"), totals, strict=True):
        if not total > 0.0:
            raise InputError(
                f"{' times '.join(given)} is 0 in all {label}; each class needs a row that counts.",
                argument=given[0],
                value=0,
            )


def _running(sums: AnyArray) -> AnyArray:
    """Return running sums with a leading 0; of many in a file without a name, as they came."""
    if not isinstance(sums, np.memmap):
        return np.append(np.zeros(1, sums.dtype), running(sums))
    streamed, total = Streamed({"cum": sums.dtype}), sums.dtype.type(0)
    streamed.add({"cum": np.zeros(1, sums.dtype)})
    for first in range(0, sums.size, BATCH):
        part = total + running(np.asarray(sums[first : first + BATCH]))
        streamed.add({"cum": part})
        total = part[-1]
    return streamed.arrays()["cum"]


def _sizes(away: RowsOnEngine, table: Table, powers: tuple[Powers, Powers]) -> Sizes:
    """Return how much the rows tell."""
    source = away.counting.source
    counts = table.rows_pos, table.rows_neg
    totals = float(table.total_pos), float(table.total_neg)
    of_class = float(counts[0]), float(counts[1])
    facts = away.cluster_facts() if source.has("cluster") else None
    if facts is None or facts.any == sum(counts):  # no clusters, or each of them is a row
        units = of_class
        if source.has("weight"):
            pos, neg = (t**2 / float(p[0].sum()) for t, p in zip(totals, powers, strict=True))
            units = pos, neg
        return Sizes(counts, units, units, None, of_class, table.prevalence)
    of_class = effective = float(facts.pos), float(facts.neg)
    if source.has("weight"):
        pos, neg = (t**2 / s for t, s in zip(totals, facts.squares, strict=True))
        effective = pos, neg
    return Sizes(counts, of_class, effective, facts.any, of_class, table.prevalence)


def grouped_scores(
    counting: Counting, marginals: Sequence[Marginal], found: FrameColumns, choices: Choices
) -> dict[str, GroupedScores]:
    """Return the scores behind the keys of each classifier."""
    lower = columns.of_lower(choices.lower_is_positive, list(found.scores))
    return {
        name: _groups_of(counting, i, m, lower=name in lower)
        for i, (name, m) in enumerate(zip(found.scores, marginals, strict=True))
    }


def scores_themselves(counting: Counting, found: FrameColumns) -> dict[str, GroupedScores]:
    """Return what keys mean that are not cells: the scores."""
    any_key = np.empty(0)
    return {
        name: GroupedScores(any_key, any_key, None, counting.source.categories(a.key))
        for name, a in zip(found.scores, counting.source.scores, strict=True)
    }


def _groups_of(counting: Counting, i: int, m: Marginal, *, lower: bool) -> GroupedScores:
    """Return the scores behind the keys of a classifier."""
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
