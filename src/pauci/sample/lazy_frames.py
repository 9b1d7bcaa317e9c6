"""Samples of frames on an engine: counts travel, rows stay where they are.

Where the table of all that a sample is made of is small, it is a sample like any other, whose rows
are the cells of the table with their frequency. Else rows stay on the engine (`elsewhere`), and
each classifier has its own table.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, check_flag, check_whole
from pauci.engines.counting import Counting, Marginal, cells_of
from pauci.engines.source import Asked, LazyColumns, read
from pauci.errors import InputError, InputTypeError, RowNumbers, arg
from pauci.sample import columns
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
    check_flag("drop_missing", drop_missing)
    found = read_columns(LazyColumns(frame), label, scores, extras, drop_missing=False)
    source = read(frame, list(_asked(found)), drop_missing=bool(drop_missing))
    cells = cells_of(source, int(resolution)) if isinstance(resolution, (int, np.integer)) else {}
    counting = Counting(source, cells)
    marginals = [counting.marginal(i) for i in range(len(source.scores))]
    return _joint_sample(counting, marginals, found, positive, design, lower_is_positive)


def _asked(found: FrameColumns) -> Iterator[Asked]:
    """Yield the columns with the names that they have from here on."""
    yield Asked("label", "label", found.label.values, found.label.name)
    for i, column in enumerate(found.scores.values()):
        yield Asked(f"score{i}", "score", column.values, column.name)
    for part, column in found.extras.items():
        if column.values is not None:
            yield Asked(part, part, column.values, column.name)


def _joint_sample(
    counting: Counting,
    marginals: list[Marginal],
    found: FrameColumns,
    positive: object,
    design: Design,
    lower_is_positive: object,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return a sample whose rows are the cells of the joint table."""
    source = counting.source
    if len(marginals) == 1 and not any(map(source.has, ("weight", "cluster", "fold"))):
        (m,) = marginals
        table = {"label": m.label, "key0": m.key, "copies": m.rows}
    else:
        found_table = counting.joint()
        assert found_table is not None
        table = found_table
    # Engines return rows in any order, and what a bootstrap draws depends on theirs.
    order = np.lexsort([np.unique(v, return_inverse=True)[1] for v in table.values()])
    table = {name: v[order] for name, v in table.items()}
    groups = grouped_scores(counting, marginals, found, lower_is_positive)
    scores = {
        name: Column(column.name, groups[name].of(table[f"key{i}"]))
        for i, (name, column) in enumerate(found.scores.items())
    }
    extras = {part: Column(column.name, table.get(part)) for part, column in found.extras.items()}
    extras["frequency"] = Column(found.extras["frequency"].name, table["copies"])
    with somewhere():
        rows, ratings = validated(
            Column(found.label.name, table["label"]), positive, scores, extras, design,
            lower_is_positive, source.dropped,
        )  # fmt: skip
    rows = replace(rows, grouped=Grouped(source.rows, marginals[0].idle, source.has("frequency")))
    return rows, {
        name: Ratings(
            name, r.values, rows, r.categories, lower_is_positive=r.lower_is_positive,
            hides=groups[name].hides,
        )
        for name, r in ratings.items()
    }  # fmt: skip


class GroupedScores(NamedTuple):
    """What the keys of one classifier mean on the scale of the scores."""

    key: AnyArray
    """Distinct keys, in order."""
    score: AnyArray
    """The score at which all of a group is called positive."""
    hides: BoolArray | None
    """Whether each group holds several scores, best group first; None if none does."""
    categories: tuple[object, ...] | None

    def of(self, key: AnyArray) -> Any:
        """Return the scores of some keys; categories as a categorical of pandas."""
        if self.categories is not None:
            import pandas as pd

            return pd.Series(pd.Categorical(key, categories=list(self.categories), ordered=True))
        if self.score is self.key:
            return key
        return self.score[np.searchsorted(self.key, key)]


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
        hides = low < high if name in lower else (low < high)[::-1]
        score = high if name in lower else low
        groups[name] = GroupedScores(key, score, hides if hides.any() else None, None)
    return groups


@contextmanager
def somewhere() -> Iterator[None]:
    """Let errors about rows of a grouped table speak of a row of the frame, not of a number."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        parts = ["a row" if isinstance(part, RowNumbers) else part for part in error.parts]
        raise type(error)(*parts, argument=error.argument, value=error.value) from None
