"""Samples of frames on an engine: counts travel, rows stay where they are.

Where the table of all that a sample is made of is small, it is a sample like any other, whose rows
are the cells of the table with their frequency. Else rows stay on the engine (`elsewhere`), and
each classifier has its own table.
"""

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from pauci.checks import AnyArray, check_choice, check_flag, check_whole
from pauci.engines.counting import MOST_ROWS, Counting, cells_of, refuse_changed
from pauci.engines.frames import spoken
from pauci.engines.source import Asked, LazyColumns, Source, read
from pauci.errors import InputError, InputTypeError, arg, naming_rows
from pauci.sample import columns, weights
from pauci.sample.frames import Column, FrameColumns, read_columns
from pauci.sample.restrict import Restriction, restricted
from pauci.sample.rows import Design, Grouped, Ratings, Rows
from pauci.sample.tables_elsewhere import (
    Choices,
    GroupedScores,
    grouped_scores,
    refuse_idle_class,
    sample_elsewhere,
    scores_themselves,
)
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
    restriction: Restriction | None = None,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return rows and ratings of a frame on an engine, which does the counting."""
    check_choice("design", design, ("cohort", "case-control"))
    check_flag("drop_missing", drop_missing)
    with spoken(frame):
        found = read_columns(LazyColumns(frame), label, scores, extras, drop_missing=False)
        asked, left_out = list(_asked(found)), 0
        if restriction is not None:
            frame, left_out = restricted(frame, asked, restriction)
        source = read(frame, asked, drop_missing=bool(drop_missing))
        source = replace(source, left_out=left_out)
        cells = (
            cells_of(source, int(resolution)) if isinstance(resolution, (int, np.integer)) else {}
        )
        counting = Counting(source, cells, _scale(source, found))
        refuse = resolution != "exact"
        tables = [counting.marginal(i, refuse=refuse) for i in range(len(source.scores))]
        marginals = [m for m in tables if m is not None]
        choices = Choices(positive, design, lower_is_positive)
        with somewhere():
            if len(marginals) < len(tables):
                groups = scores_themselves(counting, found)
                load = partial(_loaded, counting, groups, found, choices)
                return sample_elsewhere(counting, tables, found, choices, load)
            refuse_changed(source, marginals, None)
            groups = grouped_scores(counting, marginals, found, choices)
            first = marginals[0]
            positives = columns.labels(first.label, positive, found.label.name, rows=source.rows)
            totals = (float(first.mass[which].sum()) for which in (positives, ~positives))
            refuse_idle_class(source, (next(totals), next(totals)))
            if len(marginals) == 1 and not any(map(source.has, ("weight", "cluster", "fold"))):
                (m,) = marginals
                alone = {"label": m.label, "key0": m.key, "copies": m.rows}
                return _joint_sample(counting, alone, m.idle, groups, found, choices)
            table = counting.joint()
            if table is not None:
                refuse_changed(source, marginals, table)
                return _joint_sample(counting, table, marginals[0].idle, groups, found, choices)
            load = partial(_loaded, counting, groups, found, choices)
            return sample_elsewhere(counting, tables, found, choices, load)


def _loaded(
    counting: Counting, groups: dict[str, GroupedScores], found: FrameColumns, choices: Choices
) -> tuple[Rows, dict[str, Ratings]] | None:
    """Return a sample whose rows stay away as one whose rows are here; None of too many."""
    table = counting.joint(MOST_ROWS)
    if table is None:
        return None
    with somewhere():
        return _joint_sample(counting, table, counting.idle(), groups, found, choices)


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
    order = np.lexsort([_ranks(v) for v in table.values()])
    table = {name: v[order] for name, v in table.items()}
    scores = {
        name: Column(column.name, groups[name].of(table[f"key{i}"]))
        for i, (name, column) in enumerate(found.scores.items())
    }
    extras = {part: Column(column.name, table.get(part)) for part, column in found.extras.items()}
    extras["frequency"] = Column(found.extras["frequency"].name, table["copies"])
    rows, ratings = validated(
        Column(found.label.name, table["label"]), choices.positive, scores, extras,
        choices.design, choices.lower_is_positive, source.dropped, source.left_out,
    )  # fmt: skip
    rows = replace(rows, grouped=Grouped(source.rows, idle, source.has("frequency")))
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


def somewhere() -> AbstractContextManager[None]:
    """Let errors about rows of a grouped table speak of a row of the frame, not of a number."""
    return naming_rows(lambda _: "a row")
