"""Samples from tables of counts.

Counts in pandas objects are matched to the categories by their index. Positions are used if there
is no index, or if it is the default index of pandas.
"""

from typing import Any

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, is_pandas, shape_of, show_first
from pauci.errors import DataName, DoubtfulDataWarning, InputError, InputTypeError, warn
from pauci.sample import columns, weights
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Design, Rows
from pauci.sample.tables_of_counts import COUNTS
from pauci.sample.vectors import is_missing, vector


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
    checks.check_text("name", name)
    joint: dict[str, Any] = {}
    if is_pandas(scores) and hasattr(scores, "columns"):
        _check_passed_alone(scores, positives, negatives, names)
        if {*COUNTS} <= {*scores.columns}:
            positives, negatives = (scores[column].to_numpy() for column in COUNTS)
            joint = _scores_in(scores, name, positive)
            if len(joint) == 1:
                name, scores = joint.popitem()
        else:
            scores, positives, negatives = split(scores, positive)
            name = name or (scores.name if isinstance(scores.name, str) else None)
    elif positive is not None:
        raise InputError.of(
            "positive",
            positive,
            "applies to a whole table in a DataFrame, but positives and negatives are passed "
            "separately.",
        )
    titles = tuple(joint) or ((name or "score",) if names is None else weights.two_names(names))
    lower = columns.names_with_lower_positive(lower_is_positive, titles)
    count: list[Any] = []
    categories: list[Any] = []
    if joint:
        cells = np.tile(np.arange(len(scores)), (len(joint), 1))
    else:
        _check_dimensions(scores, positives, negatives, names)
        categories = _categories(scores)
        k = len(categories)
        cells = np.indices((k,) * len(titles)).reshape(len(titles), -1)
    size = cells.shape[1]
    for argument, values in (("positives", positives), ("negatives", negatives)):
        values = in_order(argument, values, scores, categories, paired=names is not None)
        if names is not None:
            values = weights.square(argument, values, k)
        advice = "A category without observations has the count 0."
        data_name = DataName(argument, argument, missing_advice=advice)
        count.append(weights.counts(data_name, values, size, fractional=fractional))
    if len(titles) == 1:
        _warn_if_cumulative(*count)
    is_positive = np.repeat([True, False], size)
    rows = Rows(is_positive, np.concatenate(count), None, None, design, is_count_table=True)
    ratings = {}
    for title, cell in zip(titles, cells, strict=True):
        down, of_cells = title in lower, joint.get(title, scores)
        length = weights.length("scores", of_cells)
        rated = columns.scores("scores", of_cells, length, lower_is_positive=down)
        twice = rated._replace(values=np.tile(rated.values[cell], 2))
        ratings[title] = Ratings(title, twice, rows)
    return rows, ratings


def _scores_in(table: Any, name: Any, positive: object) -> dict[str, Any]:
    """Return the scores of each classifier in a table of `Sample.counts`, by name."""
    if positive is not None:
        problem = "does not apply to a table with the columns positives and negatives."
        raise InputError.of("positive", positive, problem)
    scores = {str(c): table[c] for c in table.columns if c not in COUNTS}
    known = list(dict.fromkeys(scores.pop("classifier", ()) if "score" in scores else ()))
    if not scores:
        raise InputError.about("scores", "has no column of scores.", value=table)
    if len(known) > 1:
        problem = f"has the tables of {len(known)} classifiers ({show_first(known)})."
        hint = f"Pass one of them: table[table['classifier'] == {known[0]!r}]."
        raise InputError.about("scores", problem, value=table, hint=hint)
    if len(scores) > 1 and name is not None:
        problem = f"is the name of one classifier, and the table has {len(scores)}."
        raise InputError.of("name", name, problem)
    if len(scores) > 1:
        return scores
    return {name or str([*known, *scores][0]): values for values in scores.values()}


_FEWEST_CUMULATIVE = 4
"""Number of categories from which counts that never fall are taken to be cumulative."""


def _warn_if_cumulative(positives: AnyArray, negatives: AnyArray) -> None:
    """Warn if the counts of both classes never fall in the order of the categories."""
    if positives.size < _FEWEST_CUMULATIVE:
        return
    if any((np.diff(n) < 0).any() or n[0] == n[-1] for n in (positives, negatives)):
        return
    warn(
        DoubtfulDataWarning.about(
            "positives",
            "and negatives never fall in the order of the scores, like cumulative "
            f"counts, whose last ones ({positives[-1]:g} and {negatives[-1]:g}) are the totals. "
            "The counts of each category alone are needed.",
            value=positives,
            hint="If they are cumulative, pass the differences, such as np.diff(positives, "
            "prepend=0).",
        )
    )


def _check_passed_alone(table: Any, positives: Any, negatives: Any, names: Any) -> None:
    """Raise an error for counts or names that are passed beside a whole table."""
    if positives is not None or negatives is not None or names is not None:
        raise InputTypeError.about(
            "scores",
            "is a DataFrame with a whole table of counts; pass it alone, or pass the categories, "
            "the counts of positives and the counts of negatives.",
            value=table,
        )


def _check_dimensions(scores: Any, positives: Any, negatives: Any, names: Any) -> None:
    """Raise an error for square tables without `names`, and for scores that are not a vector."""
    shapes = shape_of("positives", positives), shape_of("negatives", negatives)
    if names is None and all(len(shape) == 2 for shape in shapes):
        raise InputError(
            f"positives has shape {np.shape(positives)}; tables of paired ratings require the "
            "names of both classifiers, names=('A', 'B').",
            argument="names",
        )
    if isinstance(scores, (list, tuple)) and any(np.ndim(s) for s in scores):
        raise InputError.about(
            "scores",
            "holds sequences, but paired ratings have one scale. Pass the categories of both "
            "together, with counts of 0 for unused ones.",
            value=scores,
        )


def _categories(scores: Any) -> list[Any]:
    """Return the categories of the scores, each of which must occur once."""
    values, labels, *_ = columns.scores("scores", scores, weights.length("scores", scores))
    categories = values.tolist() if labels is None else [labels[code] for code in values]
    unique, times = np.unique(values, return_counts=True)
    if unique.size < values.size:
        repeated = unique[times > 1][0].item()
        category = repeated if labels is None else labels[repeated]
        raise InputError.about(
            "scores",
            f"holds the category {category!r} more than once; add up its counts first.",
            value=category,
        )
    return categories


def split(table: Any, positive: Any) -> tuple[Any, Any, Any]:
    """Return categories, positives and negatives of a table with the truth in rows or columns."""
    axes = {"rows": table.index, "columns": table.columns}
    truths = {word: _positive_of(list(axis), positive) for word, axis in axes.items()}
    chosen = [word for word, column in truths.items() if column is not None]
    parts = "pauci.Sample.from_counts(categories, positives, negatives)"
    if len(chosen) != 1:
        both = "; ".join(
            f"{word} {show_first(list(axis))}" for word, axis in axes.items() if len(axis)
        )
        problem = (
            f"is a table whose rows and columns could both be the truth ({both})."
            if chosen
            else "is a table in which neither rows nor columns are the two classes "
            f"({both}). Pass it without totals; the labels of the classes must be 0/1, -1/1 or "
            "booleans, or positive= must be one of them."
        )
        raise InputError.about(
            "scores",
            problem,
            value=table,
            hint=f"Pass its parts: {parts}.",
        )
    columns.refuse_similar_labels("scores", list(axes[chosen[0]]))
    which = truths[chosen[0]]
    assert which is not None
    if chosen[0] == "columns":
        return table.index, table.iloc[:, which], table.iloc[:, 1 - which]
    return table.columns, table.iloc[which], table.iloc[1 - which]


def _positive_of(labels: list[Any], positive: Any) -> int | None:
    """Return the position of the positive label, or None if these are not labels of classes."""
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
    index_of_scores = None
    if is_pandas(scores) and hasattr(scores, "iloc"):
        index_of_scores = list(scores.index)
    order = _order(argument, "index", list(values.index), index_of_scores, categories)
    values = values if order is None else values.iloc[order]
    if not paired or not hasattr(values, "columns"):
        return values
    order = _order(argument, "columns", list(values.columns), index_of_scores, categories)
    values = values if order is None else values.iloc[:, order]
    if not values.size:
        return values
    return np.stack([vector(argument, values.iloc[:, j]) for j in range(values.shape[1])], axis=1)


def _order(
    argument: str,
    axis: str,
    labels: list[Any],
    index_of_scores: list[Any] | None,
    categories: list[Any],
) -> list[int] | None:
    """Return the position of each category in the labels of an index; None for the same order.

    The order is the same if the index equals that of `scores`, as for columns of one frame.
    Otherwise the labels may be the categories, the index of `scores` in another order, or positions
    if they are the default index.
    """
    if labels == index_of_scores:
        return None
    if len(labels) != len(categories) and not set(labels) < set(categories):
        return None  # the sizes differ, for which an error is raised later
    orders = _possible_orders(labels, index_of_scores, categories)
    if orders and all(order == orders[0] for order in orders):
        return orders[0]
    if orders:
        by = "positions" if index_of_scores is None else "the rows"
        problem = f"could mean the categories or {by} of scores, in different orders"
        advice = f"Pass {argument}.to_numpy() in the order of scores."
    elif len(labels) != len(categories):
        lacking = [c for c in categories if c not in set(labels)]
        problem = f"lacks the category {show_first(lacking)} of scores"
        advice = f"If its count is 0, use {argument}.reindex({axis}=scores, fill_value=0)."
    else:
        problem = "holds neither the categories nor the index of scores"
        advice = f"Use the categories as {axis}, or pass {argument}.to_numpy() to use positions."
    raise InputError(
        f"{argument}.{axis} ({show_first(labels)}) {problem}. {advice}",
        argument=argument,
        value=labels,
    )


def _possible_orders(
    labels: list[Any], index_of_scores: list[Any] | None, categories: list[Any]
) -> list[list[int]]:
    """Return the positions of the categories for each possible meaning of the labels."""
    orders = [_places(labels, categories)]
    if index_of_scores is not None:
        orders.append(_places(labels, index_of_scores))
    elif labels == list(range(len(categories))):
        orders.append(labels)
    return [order for order in orders if order is not None]


def _places(labels: list[Any], wanted: list[Any]) -> list[int] | None:
    """Return the positions of the wanted labels, or None if the labels are another set."""
    position = {label: i for i, label in enumerate(labels)}
    if len(position) < len(labels) or len(labels) != len(wanted) or set(wanted) != set(position):
        return None
    return [position[label] for label in wanted]
