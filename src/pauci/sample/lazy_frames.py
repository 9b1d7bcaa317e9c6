"""Samples of frames on an engine: counts travel, rows stay where they are.

Where the table of all that a sample is made of is small, it is a sample like any other, whose rows
are the cells of the table with their frequency. Else rows stay on the engine (`elsewhere`), and
each classifier has its own table.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, check_choice, check_flag, check_whole, distinct_values
from pauci.curve.counts import Table, guarded
from pauci.curve.exact_sums import running
from pauci.curve.polyline import Curve
from pauci.engines.counting import MOST_GROUPS, Counting, Marginal, cells_of
from pauci.engines.joining import RowsOnEngine
from pauci.engines.source import Asked, LazyColumns, Source, read
from pauci.errors import InputError, InputTypeError, RowNumbers, arg
from pauci.sample import columns, weights
from pauci.sample.elsewhere import Powers, RowsElsewhere, Sizes
from pauci.sample.frames import Column, FrameColumns, read_columns
from pauci.sample.rows import Design, Grouped, Ratings, Rows
from pauci.sample.validation import validated

Resolution = int | Literal["exact"] | None

_MOST_BITS = 52


def check_resolution(value: object) -> None:
    """Refuse what is neither bits of a resolution, nor "exact", nor None."""
    if value is None or value == "exact":
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(
            arg("resolution", value), ' must be a number of bits, "exact" or None.'
        )
    check_whole("resolution", value, 1)
    if value > _MOST_BITS:
        raise InputError(
            arg("resolution", value),
            f" must be at most {_MOST_BITS}, the digits of a double. Use ",
            arg("resolution", "exact"),
            " for all of them.",
        )


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


def read_lazy(
    frame: Any,
    label: Any,
    scores: Any,
    extras: dict[str, Any],
    positive: object,
    design: Design,
    lower_is_positive: object,
    *,
    drop_missing: object,
    resolution: object,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return rows and ratings of a frame on an engine, which does the counting."""
    check_choice("design", design, ("cohort", "case-control"))
    check_flag("drop_missing", drop_missing)
    found = read_columns(LazyColumns(frame), label, scores, extras, drop_missing=False)
    source = read(frame, list(_asked(found)), drop_missing=bool(drop_missing))
    cells = cells_of(source, int(resolution)) if isinstance(resolution, (int, np.integer)) else {}
    counting = Counting(source, cells, _scale(source, found))
    marginals = [counting.marginal(i) for i in range(len(source.scores))]
    groups = grouped_scores(counting, marginals, found, lower_is_positive)
    choices = Choices(positive, design, lower_is_positive)
    with somewhere():
        if len(marginals) == 1 and not any(map(source.has, ("weight", "cluster", "fold"))):
            (m,) = marginals
            alone = {"label": m.label, "key0": m.key, "copies": m.rows}
            return _joint_sample(counting, alone, m.idle, groups, found, choices)
        table = counting.joint()
        if table is not None:
            return _joint_sample(counting, table, marginals[0].idle, groups, found, choices)
        if source.has("fold"):
            raise InputError(
                arg("fold", extras["fold"]),
                f" takes the table of all columns together, which has more than {MOST_GROUPS:,} "
                "rows here. Count scores in fewer cells with ",
                arg("resolution", 8),
                ", or load the rows first.",
            )
        return _sample_elsewhere(counting, marginals, groups, found, choices)


def _scale(source: Source, found: FrameColumns) -> float:
    """Return the power of two that puts the largest weight below 1, as in memory."""
    if "weight above 0" not in source.ranges:
        return 1.0
    low, high = source.ranges["weight above 0"]
    with somewhere():  # weights too far apart to calculate with both are refused
        weights.weight(np.array([low, high]), 2, found.extras["weight"].name)
    return math.ldexp(1.0, -math.frexp(high)[1])


def _asked(found: FrameColumns) -> Iterator[Asked]:
    """Yield the columns with the names that they have from here on."""
    yield Asked("label", "label", found.label.values, found.label.name)
    for i, column in enumerate(found.scores.values()):
        yield Asked(f"score{i}", "score", column.values, column.name)
    for part, column in found.extras.items():
        name, values = column
        if values is not None:
            yield Asked(part, part, values, name)


def _joint_sample(
    counting: Counting,
    table: dict[str, AnyArray],
    idle: int,
    groups: dict[str, GroupedScores],
    found: FrameColumns,
    choices: Choices,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return a sample whose rows are the cells of the joint table."""
    source = counting.source
    # Engines return rows in any order, and what a bootstrap draws depends on theirs.
    order = np.lexsort([np.unique(v, return_inverse=True)[1] for v in table.values()])
    table = {name: v[order] for name, v in table.items()}
    scores = {
        name: Column(column.name, groups[name].of(table[f"key{i}"]))
        for i, (name, column) in enumerate(found.scores.items())
    }
    extras = {part: Column(column.name, table.get(part)) for part, column in found.extras.items()}
    extras["frequency"] = Column(found.extras["frequency"].name, table["copies"])
    rows, ratings = validated(
        Column(found.label.name, table["label"]), choices.positive, scores, extras,
        choices.design, choices.lower_is_positive, source.dropped,
    )  # fmt: skip
    rows = replace(rows, grouped=Grouped(source.rows, idle, source.has("frequency")))
    return rows, {
        name: Ratings(
            name, r.values, rows, r.categories, lower_is_positive=r.lower_is_positive,
            cells=groups[name].cells,
        )
        for name, r in ratings.items()
    }  # fmt: skip


def _sample_elsewhere(
    counting: Counting,
    marginals: list[Marginal],
    groups: dict[str, GroupedScores],
    found: FrameColumns,
    choices: Choices,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return a sample whose rows stay on the engine, each classifier with a table of its own."""
    source = counting.source
    weighted, names = source.has("weight"), tuple(found.scores)
    lower = columns.of_lower(choices.lower_is_positive, names)
    curves, keys, powers = [], [], []
    for name, m in zip(names, marginals, strict=True):
        positive = columns.labels(m.label, choices.positive, found.label.name)
        key, at = np.unique(m.key, return_inverse=True)
        values, categories = columns.scores(
            found.scores[name].name, groups[name].of(key), key.size, lower_is_positive=name in lower
        )
        order = np.argsort(values)[::-1]

        def by_group(
            sums: AnyArray, which: BoolArray, at: AnyArray = at, order: AnyArray = order
        ) -> AnyArray:
            total = np.zeros(order.size, sums.dtype)
            np.add.at(total, at[which], sums[which])
            return total[order]

        both = (positive, ~positive)
        counts = tuple(int(m.rows[which].sum()) for which in both)
        cum = [np.append(0, running(by_group(m.mass, which))) for which in both]
        for label, total in zip(("positives", "negatives"), cum, strict=True):
            if not total[-1] > 0:
                argument = "weight" if weighted else "frequency"
                raise InputError(
                    f"{argument} is 0 in all {label}; each class needs a row that counts.",
                    argument=argument, value=0,
                )  # fmt: skip
        table = guarded(values[order], cum[0], cum[1], (counts[0], counts[1]))
        fixed = choices.design == "case-control"
        curves.append(
            Curve(
                replace(
                    table, categories=categories, fixed_prevalence=fixed,
                    lower_is_positive=name in lower,
                )
            )
        )  # fmt: skip
        keys.append(key[order])
        first, second = ((by_group(m.squares, which), by_group(m.fourths, which)) for which in both)
        powers.append((first, second))
    table = curves[0].table
    of_positives = distinct_values(marginals[-1].label[positive])
    away = RowsOnEngine(counting, of_positives, keys, (table.rows_pos, table.rows_neg))
    rows = RowsElsewhere(
        away, _sizes(away, table, powers[0]), names, powers, choices.design,
        Grouped(source.rows, marginals[0].idle, source.has("frequency")),
        weighted=weighted, dropped=source.dropped,
    )  # fmt: skip
    ratings = {}
    for name, curve in zip(names, curves, strict=True):
        ratings[name] = Ratings.of_curve(name, rows, curve)
        ratings[name].cells = groups[name].cells
    return rows, ratings


def _sizes(away: RowsOnEngine, table: Table, powers: tuple[Powers, Powers]) -> Sizes:
    """Return how much the rows tell."""
    source = away.counting.source
    counts = table.rows_pos, table.rows_neg
    totals = float(table.total_pos), float(table.total_neg)
    of_class = float(counts[0]), float(counts[1])
    if not source.has("cluster"):
        units = of_class
        if source.has("weight"):
            pos, neg = (t**2 / float(p[0].sum()) for t, p in zip(totals, powers, strict=True))
            units = pos, neg
        return Sizes(counts, units, units, None, of_class, table.prevalence)
    facts = away.cluster_facts()
    of_class = effective = float(facts.pos), float(facts.neg)
    if source.has("weight"):
        pos, neg = (t**2 / s for t, s in zip(totals, facts.squares, strict=True))
        effective = pos, neg
    return Sizes(counts, of_class, effective, facts.any, of_class, table.prevalence)


def grouped_scores(
    counting: Counting, marginals: list[Marginal], found: FrameColumns, lower_is_positive: object
) -> dict[str, GroupedScores]:
    """Return the scores behind the keys of each classifier."""
    lower = columns.of_lower(lower_is_positive, list(found.scores))
    groups = {}
    for i, (name, m) in enumerate(zip(found.scores, marginals, strict=True)):
        a = counting.source.scores[i]
        if a.key not in counting.cells:
            categories = counting.source.categories(a.key)
            groups[name] = GroupedScores(m.key, m.key, None, categories)
            continue
        key, at = np.unique(m.key, return_inverse=True)
        low, high = np.full(key.size, np.inf), np.full(key.size, -np.inf)
        np.minimum.at(low, at, m.low.astype(np.float64))
        np.maximum.at(high, at, m.high.astype(np.float64))
        score, cells = (low, (low, high))
        if name in lower:  # negated there
            score, cells = (high, (-high[::-1], -low[::-1]))
        groups[name] = GroupedScores(key, score, cells if (low < high).any() else None, None)
    return groups


@contextmanager
def somewhere() -> Iterator[None]:
    """Let errors about rows of a grouped table speak of a row of the frame, not of a number."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        parts = ["a row" if isinstance(part, RowNumbers) else part for part in error.parts]
        raise type(error)(*parts, argument=error.argument, value=error.value) from None
