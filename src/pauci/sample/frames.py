"""Adapters: what a sample is made of, taken out of data frames and tables of counts.

Columns of a frame are found by name, and the counts of a table by the categories in its index.
Labels decide; positions count only where there are no labels, or those that pandas makes up.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import (
    BoolArray,
    DataName,
    IntArray,
    about,
    is_missing,
    is_pandas,
    missing_in,
    nearest,
    show_some,
    vector,
)
from pauci.errors import (
    InputError,
    InputTypeError,
    MissingRowsWarning,
    Part,
    RowNumbers,
    Spelled,
    arg,
    naming_rows,
    shown,
    warn,
)
from pauci.sample import columns, weights
from pauci.sample.restrict import Restriction, holds, refuse_unlabelled, say_left_out
from pauci.sample.rows import Design, Ratings, Rows


class Column(NamedTuple):
    """A column of a frame: what messages call it, and its values; None if it was not asked for."""

    name: DataName
    values: Any


class FrameColumns(NamedTuple):
    """The columns that a sample is made of, and which rows of the frame they are."""

    label: Column
    scores: dict[str, Column]
    extras: dict[str, Column]
    """Frequency, weight and cluster."""
    kept: IntArray | None
    """Rows that are left, None if all are."""
    dropped: int
    left_out: int = 0
    """Rows whose label is none of the two that are wanted."""


def read_columns(
    frame: Any,
    label: Any,
    scores: Any,
    extras: dict[str, Any],
    *,
    drop_missing: object,
    restriction: Restriction | None = None,
) -> FrameColumns:
    """Find the columns of a frame, and leave out rows with missing values if that is asked for.

    Rows whose label is none of the two of a `restriction` are left out in any case.
    """
    if not hasattr(frame, "columns") or isinstance(frame, type):
        raise InputTypeError(
            f"frame is a {type(frame).__name__}; pass a data frame of pandas, Polars, "
            "PyArrow, DuckDB, Dask, Spark or Ibis, or use pauci.Sample(y_true, y_score) for "
            "arrays.",
            argument="frame",
            value=frame,
        )
    if not isinstance(drop_missing, (bool, np.bool_)):
        raise InputTypeError(arg("drop_missing", drop_missing), " must be True or False.")
    names: list[Any] = list(scores) if isinstance(scores, (list, tuple)) else [scores]
    if not all(isinstance(key, str) for key in names):
        raise InputTypeError(arg("scores", scores), " must name columns by strings.")
    if not names:
        raise InputError(arg("scores", []), " names no column; pass one or more score columns.")
    if label is None:
        raise InputTypeError(arg("label", None), " must name the column of the labels.")
    found = FrameColumns(
        _column(frame, "label", label),
        {key: _column(frame, "scores", key) for key in names},
        {
            argument: _column(frame, argument, key, f"{argument} column {key!r}")
            for argument, key in extras.items()
        },
        None,
        0,
    )
    for key in names:
        if names.count(key) > 1:
            raise InputError(
                arg("scores"), f" names {key!r} twice; name each column once.",
                argument="scores", value=key,
            )  # fmt: skip
        if key == label:
            raise InputError(
                arg("scores"), f" names {key!r}, the column of the labels, which would predict "
                "themselves; name another column.", argument="scores", value=key,
            )  # fmt: skip
    if drop_missing or restriction is not None:
        return _rows_taken(found, restriction or Restriction({}), drop=bool(drop_missing))
    return found


def _column(frame: Any, argument: str, key: Any, words: str = "") -> Column:
    """Return a column of a frame, by its name."""
    name = DataName(words or f"column {key!r}", argument, key, _mend(key))
    if key is None:
        return Column(name, None)
    available = [str(c) for c in frame.columns]
    if isinstance(key, (list, dict, set)) or is_pandas(key) or isinstance(key, np.ndarray):
        raise InputTypeError(
            f"{argument} is a {type(key).__name__}; name one column.", argument=argument, value=key
        )
    if key not in frame.columns:
        raise InputError(
            arg(argument, key),
            f" is not a column{nearest(key, available)} The columns are: {', '.join(available)}.",
        )
    values = frame[key]
    if getattr(values, "ndim", 1) != 1:
        raise InputError(arg(argument, key), f" names {values.shape[1]} columns; rename them.")
    return Column(name, values)


def _mend(key: Any) -> Sequence[Part]:
    """Return what to do about missing values in a column of a frame."""
    python = f"drop_missing=True, or with df = df.dropna(subset=[{key!r}])"
    return (
        "Rows are never dropped for you: impute them, or leave them out of every column with ",
        shown(Spelled(python, "--drop-missing")),
        ".",
    )


def _rows_taken(found: FrameColumns, restriction: Restriction, *, drop: bool) -> FrameColumns:
    """Return the columns without rows that do not take part, and warn of it.

    These are the rows of other labels than the two of the restriction, and if `drop` is true those
    that lack a value in any column; codes of missing values are refused if it is false.
    """
    used = [found.label, *found.scores.values(), *found.extras.values()]
    taking_part: Any = True
    left_out = 0
    if restriction.negative is not None:
        wanted = holds(found.label.values, [restriction.positive, restriction.negative])
        no_label = _lacking(found.label.values)
        refuse_unlabelled(
            found.label.name,
            np.asarray(found.label.values)[~no_label if no_label.size else ...],
            {"positive": restriction.positive, "negative": restriction.negative},
        )  # fmt: skip
        taking_part = wanted | no_label if no_label.size else wanted
        left_out = int(np.count_nonzero(~taking_part))
        say_left_out(left_out, wanted.size, restriction.positive, restriction.negative)
    missing = {}
    for name, values in used:
        if values is not None:
            lacking = _lacking(values)
            coded = holds(values, restriction.codes.get(name.column, [])) & taking_part
            if coded.any() and not drop:
                rows = np.flatnonzero(coded)
                raise InputError(
                    f"{name} has {rows.size} missing value{'s' * (rows.size > 1)} (",
                    RowNumbers.first(rows), "), by the codes of ", arg("missing"), ". ", *name.mend,
                    **about(name, values),
                )  # fmt: skip
            lacking = (lacking | coded if lacking.size else coded) & taking_part
            if drop and lacking.any():
                missing[name] = lacking
    gone = np.logical_or.reduce(list(missing.values())) if missing else np.False_
    stays = taking_part & ~gone
    if np.ndim(stays) == 0 or stays.all():
        return found
    counts = [f"{lacking.sum()} in {name}" for name, lacking in missing.items()]
    gone_rows, kept = np.flatnonzero(gone), np.flatnonzero(stays)
    if not kept.size:
        raise InputError(
            arg("drop_missing", True),
            f" leaves no row: all {stays.size} lack a value ({', '.join(counts)}).",
        )
    if missing:
        warn(
            MissingRowsWarning,
            f"{gone_rows.size} of {stays.size} rows were dropped (",
            RowNumbers.first(gone_rows),
            "), as ",
            arg("drop_missing"),
            f" asks: missing values are {', '.join(counts)}.",
            argument="drop_missing",
        )

    def rest(column: Column) -> Column:
        values = column.values
        if values is not None:
            values = values[kept] if isinstance(values, np.ndarray) else _taken(values, kept)
        return Column(column.name, values)

    return FrameColumns(
        rest(found.label),
        {key: rest(column) for key, column in found.scores.items()},
        {key: rest(column) for key, column in found.extras.items()},
        kept,
        int(stays.size - kept.size - left_out),
        left_out,
    )


def _lacking(values: Any) -> BoolArray:
    """Return which values are missing; nothing of a kind that cannot be."""
    return missing_in(values if is_pandas(values) else np.asarray(values))


def _taken(values: Any, positions: Any) -> Any:
    """Return some entries of a column, by position."""
    return values.iloc[positions] if hasattr(values, "iloc") else np.asarray(values)[positions]


def rows_of_the_frame(kept: IntArray | None) -> AbstractContextManager[None]:
    """Let errors about rows that are left speak of the rows of the whole frame."""

    def of_the_frame(rows: RowNumbers) -> RowNumbers:
        assert kept is not None
        return rows._replace(positions=tuple(int(kept[i]) for i in rows.positions))

    return naming_rows(None if kept is None else of_the_frame)


def read_counts(
    scores: Any,
    positives: Any,
    negatives: Any,
    *,
    name: Any,
    names: Any,
    positive: Any,
    lower_is_positive: object,
    design: Design,
    fractional: bool,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the cells of a table of counts as rows, with their ratings."""
    if is_pandas(scores) and hasattr(scores, "columns"):
        if positives is not None or negatives is not None or names is not None:
            raise InputTypeError(
                "scores is a DataFrame: a whole table of categories by truth goes alone. Else "
                "pass the categories, then the counts of positives and of negatives.",
                argument="scores",
                value=scores,
            )
        scores, positives, negatives = split(scores, positive)
        title = scores.name
        name = title if name is None and isinstance(title, str) and title else name
    elif positive is not None:
        raise InputError(
            arg("positive", positive),
            " says which rows or columns of a whole table are the positives; here positives and "
            "negatives come apart.",
        )
    if name is not None and (not isinstance(name, str) or not name):
        raise InputTypeError(arg("name", name), " must be a string that is not empty.")
    if names is None and np.ndim(positives) == np.ndim(negatives) == 2:
        raise InputError(
            f"positives has shape {np.shape(positives)}: a table of paired ratings needs the "
            "names of both, names=('A', 'B').",
            argument="names",
        )
    if isinstance(scores, (list, tuple)) and any(np.ndim(s) for s in scores):
        raise InputError(
            "scores holds sequences; paired ratings share one scale. Pass the categories of "
            "both together, and 0 for those that a rater did not use.",
            argument="scores",
            value=scores,
        )
    titles = (name or "score",) if names is None else weights.two_names(names)
    lower = columns.of_lower(lower_is_positive, titles)
    k = weights.length("scores", scores)
    categories, labels = columns.scores("scores", scores, k)
    unique, times = np.unique(categories, return_counts=True)
    if unique.size < k:
        twice = unique[times > 1][0].item()
        raise InputError(
            f"scores holds the category {twice if labels is None else labels[twice]!r} more than "
            "once; add up its counts first.",
            argument="scores",
            value=twice if labels is None else labels[twice],
        )
    known = categories.tolist() if labels is None else [labels[code] for code in categories]
    grid = [np.arange(k)] if names is None else list(np.meshgrid(*[np.arange(k)] * 2))[::-1]
    cells = [codes.ravel() for codes in grid]
    count = []
    for argument, values in (("positives", positives), ("negatives", negatives)):
        values = in_order(argument, values, scores, known, paired=names is not None)
        if names is not None:
            values = weights.square(argument, values, k)
        data_name = DataName(
            argument, argument, mend=("A category that nobody was put in has the count 0.",)
        )
        count.append(weights.counts(data_name, values, cells[0].size, fractional=fractional))
    is_positive = np.repeat([True, False], cells[0].size)
    rows = Rows(is_positive, np.concatenate(count), None, None, design, of_counts=True)
    ratings = {}
    for title, cell in zip(titles, cells, strict=True):
        down = title in lower
        rated, labels = columns.scores("scores", scores, k, lower_is_positive=down)
        ratings[title] = Ratings(
            title, np.tile(rated[cell], 2), rows, labels, lower_is_positive=down
        )
    return rows, ratings


def split(table: Any, positive: Any) -> tuple[Any, Any, Any]:
    """Return categories, positives and negatives of a table with the truth in rows or columns."""
    axes = {"rows": table.index, "columns": table.columns}
    truths = {word: _positive_of(list(axis), positive) for word, axis in axes.items()}
    chosen = [word for word, column in truths.items() if column is not None]
    parts = "pauci.Sample.from_counts(categories, positives, negatives)"
    if len(chosen) != 1:
        both = "; ".join(
            f"{word} {show_some(list(axis))}" for word, axis in axes.items() if len(axis)
        )
        problem = (
            f"scores is a table whose rows and columns could both be the truth ({both})."
            if chosen
            else f"scores is a table of which neither rows nor columns are a truth ({both}): two "
            "labels, without totals, that are 0/1, booleans or -1/1, or of which one is named by "
        )
        more: list[Part] = [] if chosen else [arg("positive"), "."]
        raise InputError(
            problem, *more, f" Pass its parts: {parts}.", argument="scores", value=table
        )
    which = truths[chosen[0]]
    assert which is not None
    if chosen[0] == "columns":
        return table.index, table.iloc[:, which], table.iloc[:, 1 - which]
    return table.columns, table.iloc[which], table.iloc[1 - which]


def _positive_of(labels: list[Any], positive: Any) -> int | None:
    """Return which of two labels is the positive one, None if they are no labels of classes."""
    if len(labels) != 2 or any(isinstance(v, tuple) or is_missing(v) for v in labels):
        return None
    if positive is not None:
        positions = [i for i, label in enumerate(labels) if bool(label == positive)]
    else:
        understood = [{0, 1}, {-1, 1}]
        positions = [
            i for i, label in enumerate(labels) if label == 1 and set(labels) in understood
        ]
    return positions[0] if len(positions) == 1 else None


def in_order(
    argument: str, values: Any, scores: Any, categories: list[Any], *, paired: bool
) -> Any:
    """Return counts in the order of the categories, which their index may hold in any order."""
    if not is_pandas(values) or not hasattr(values, "iloc"):
        return values
    of_scores = scores.index if is_pandas(scores) and hasattr(scores, "iloc") else None
    order = _order(argument, "index", values.index, of_scores, categories)
    values = values if order is None else values.iloc[order]
    if not paired or not hasattr(values, "columns"):
        return values
    order = _order(argument, "columns", values.columns, of_scores, categories)
    values = values if order is None else values.iloc[:, order]
    if not values.size:
        return values
    return np.stack([vector(argument, values.iloc[:, j]) for j in range(values.shape[1])], axis=1)


def _order(
    argument: str, what: str, index: Any, of_scores: Any, categories: list[Any]
) -> list[int] | None:
    """Return where in an index each category is; None if positions are meant.

    The index of `scores`, if it has one, comes first: columns of one frame share theirs, whatever
    it holds. Then come the categories, and at last positions for an index that nobody chose.
    """
    labels, k = list(index), len(categories)
    if of_scores is not None and labels == list(of_scores):
        return None
    by_category = _places(labels, categories)
    by_row = None if of_scores is None else _places(labels, list(of_scores))
    by_position = list(range(k)) if of_scores is None and labels == list(range(k)) else None
    ways = [way for way in (by_row, by_category, by_position) if way is not None]
    if ways and all(way == ways[0] for way in ways):
        return ways[0]
    name, shown_labels = f"{argument}.{what}", show_some(labels)
    if ways:
        by = "the rows" if by_position is None else "positions"
        problem = f"could mean the categories or {by} of scores, in different orders"
        advice = f"Pass {argument}.to_numpy() in the order of scores."
    elif len(labels) != k and set(labels) < set(categories):
        lacking = [c for c in categories if c not in set(labels)]
        problem = f"lacks the category {show_some(lacking)} of scores"
        advice = f"Its count is 0: {argument}.reindex({what}=scores, fill_value=0)."
    elif len(labels) != k:
        return None  # a matter of sizes, which the counts are checked for
    else:
        problem = "holds neither the categories nor the index of scores"
        advice = f"Give it the categories, or pass {argument}.to_numpy() to count by position."
    raise InputError(
        f"{name} ({shown_labels}) {problem}. {advice}", argument=argument, value=labels
    )


def _places(labels: list[Any], wanted: list[Any]) -> list[int] | None:
    """Return where each wanted label is, None unless the labels are the same set."""
    position = {label: i for i, label in enumerate(labels)}
    if len(position) < len(labels) or len(labels) != len(wanted) or set(wanted) != set(position):
        return None
    return [position[label] for label in wanted]
