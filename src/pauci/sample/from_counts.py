"""Samples from tables of counts.

The counts of pandas objects are found by the categories in their index. Positions are used only
without labels, or for the default index of pandas.
"""

from typing import Any

import numpy as np

from pauci.checks import DataName, is_missing, is_pandas, show_some, vector
from pauci.errors import InputError, InputTypeError
from pauci.sample import columns, weights
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Design, InMemoryRows


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
) -> tuple[InMemoryRows, dict[str, Ratings]]:
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
            f"positive={positive!r} says which rows or columns of a whole table are the "
            "positives; here positives and negatives come apart.",
            argument="positive",
            value=positive,
        )
    if name is not None and (not isinstance(name, str) or not name):
        raise InputTypeError(
            f"name={name!r} must be a string that is not empty.", argument="name", value=name
        )
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
        advice = "A category without observations has the count 0."
        data_name = DataName(argument, argument, about_missing=(advice, advice))
        count.append(weights.counts(data_name, values, cells[0].size, fractional=fractional))
    is_positive = np.repeat([True, False], cells[0].size)
    rows = InMemoryRows(is_positive, np.concatenate(count), None, None, design, of_counts=True)
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
            "labels, without totals, that are 0/1, booleans or -1/1, or of which one is positive=."
        )
        raise InputError(
            problem,
            argument="scores",
            value=table,
            hint=f"Pass its parts: {parts}.",
            shell_hint="",
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
