"""Samples of tables of counts, tables of counts of samples, and samples of several samples.

Counts in pandas objects are matched to the categories by their index. Positions are used if there
is no index, or if it is the default index of pandas.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, IntArray, count, is_pandas, shape_of, show_first
from pauci.errors import DataName, DoubtfulDataWarning, InputError, InputTypeError, warn
from pauci.sample import columns, weights
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataOptions, ExcludedRows, FrameRows, Grouping, Rows
from pauci.sample.vectors import concatenated, is_missing, vector

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ("positives", "negatives")
"""The columns of the numbers of both classes."""


def read_counts(
    scores: Any,
    positives: Any,
    negatives: Any,
    names: Any,
    options: DataOptions,
    *,
    fractional: bool,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the cells of a table of counts as rows, with their ratings."""
    positive, design, lower_is_positive, name = options
    checks.check_text("name", name)
    joint: dict[str, Any] = {}
    if is_pandas(scores) and hasattr(scores, "columns"):
        if positives is not None or negatives is not None or names is not None:
            problem = (
                "is a DataFrame with a whole table of counts; pass it alone, or pass the "
                "categories, the counts of positives and the counts of negatives."
            )
            raise InputTypeError.about("scores", problem, value=scores)
        if {*COUNTS} <= {*scores.columns}:
            positives, negatives = (scores[column].to_numpy() for column in COUNTS)
            joint = _scores_in(scores, name, positive)
            if len(joint) == 1:
                name, scores = joint.popitem()
        else:
            scores, positives, negatives = _split(scores, positive)
            name = name or (scores.name if isinstance(scores.name, str) else None)
    elif positive is not None:
        problem = (
            "applies to a whole table in a DataFrame, but positives and negatives are passed "
            "separately."
        )
        raise InputError.of("positive", positive, problem)
    titles = tuple(joint) or (name or "score",)
    if names is not None:
        two = isinstance(names, (list, tuple)) and len(names) == 2
        if not two or not all(isinstance(n, str) and n for n in names) or names[0] == names[1]:
            raise InputError.of("names", names, "must be two different names, such as ('A', 'B').")
        titles = tuple(names)
    lower = columns.names_with_lower_positive(lower_is_positive, titles)
    counted: list[Any] = []
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
        values = _in_order(argument, values, scores, categories, paired=names is not None)
        if names is not None:
            table = np.asarray(values)
            if table.shape != (k, k):
                problem = (
                    f"has shape {table.shape}; paired ratings in {k} categories need a ({k}, {k}) "
                    "table, the first rating in rows."
                )
                raise InputError.about(argument, problem, value=values)
            values = table.ravel()
        advice = "A category without observations has the count 0."
        data_name = DataName(argument, argument, missing_advice=advice)
        counted.append(weights.counts(data_name, values, size, fractional=fractional))
    if len(titles) == 1:
        _warn_if_cumulative(*counted)
    is_positive = np.repeat([True, False], size)
    rows = Rows(is_positive, np.concatenate(counted), None, None, design, is_count_table=True)
    ratings = {}
    for title, cell in zip(titles, cells, strict=True):
        down, of_cells = title in lower, joint.get(title, scores)
        length = vector("scores", of_cells).size
        rated = columns.scores("scores", of_cells, length, lower_is_positive=down)
        twice = rated._replace(values=np.tile(rated.values[cell], 2))  # noqa: PD011
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
    problem = (
        "and negatives never fall in the order of the scores, like cumulative counts, whose last "
        f"ones ({positives[-1]:g} and {negatives[-1]:g}) are the totals. The counts of each "
        "category alone are needed."
    )
    hint = "If they are cumulative, pass the differences, such as np.diff(positives, prepend=0)."
    warn(DoubtfulDataWarning.about("positives", problem, value=positives, hint=hint))


def _check_dimensions(scores: Any, positives: Any, negatives: Any, names: Any) -> None:
    """Raise an error for square tables without `names`, and for scores that are not a vector."""
    shapes = shape_of("positives", positives), shape_of("negatives", negatives)
    if names is None and all(len(shape) == 2 for shape in shapes):
        problem = (
            f"positives has shape {np.shape(positives)}; tables of paired ratings require the "
            "names of both classifiers, names=('A', 'B')."
        )
        raise InputError(problem, argument="names")
    if isinstance(scores, (list, tuple)) and any(np.ndim(s) for s in scores):
        problem = (
            "holds sequences, but paired ratings have one scale. Pass the categories of both "
            "together, with counts of 0 for unused ones."
        )
        raise InputError.about("scores", problem, value=scores)


def _categories(scores: Any) -> list[Any]:
    """Return the categories of the scores, each of which must occur once."""
    values, labels, *_ = columns.scores("scores", scores, vector("scores", scores).size)
    categories = values.tolist() if labels is None else [labels[code] for code in values]
    unique, times = np.unique(values, return_counts=True)
    if unique.size < values.size:
        repeated = unique[times > 1][0].item()
        category = repeated if labels is None else labels[repeated]
        problem = f"holds the category {category!r} more than once; add up its counts first."
        raise InputError.about("scores", problem, value=category)
    return categories


def _split(table: Any, positive: Any) -> tuple[Any, Any, Any]:
    """Return categories, positives and negatives of a table with the truth in rows or columns."""
    axes = {"rows": table.index, "columns": table.columns}
    truths = {word: _positive_of(list(axis), positive) for word, axis in axes.items()}
    chosen = [word for word, column in truths.items() if column is not None]
    if len(chosen) != 1:
        parts = (f"{word} {show_first(list(axis))}" for word, axis in axes.items() if len(axis))
        both = "; ".join(parts)
        problem = (
            f"is a table whose rows and columns could both be the truth ({both})."
            if chosen
            else "is a table in which neither rows nor columns are the two classes "
            f"({both}). Pass it without totals; the labels of the classes must be 0/1, -1/1 or "
            "booleans, or positive= must be one of them."
        )
        hint = "Pass its parts: pauci.Sample.from_counts(categories, positives, negatives)."
        raise InputError.about("scores", problem, value=table, hint=hint)
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
    if positive is None and set(labels) not in ({0, 1}, {-1, 1}):
        return None
    wanted = 1 if positive is None else positive
    positions = [i for i, label in enumerate(labels) if bool(label == wanted)]
    return positions[0] if len(positions) == 1 else None


def _in_order(
    argument: str, values: Any, scores: Any, categories: list[Any], *, paired: bool
) -> Any:
    """Return counts in the order of the categories, which their index may hold in any order."""
    if not is_pandas(values) or not hasattr(values, "iloc"):
        return values
    of_scores = list(scores.index) if is_pandas(scores) and hasattr(scores, "iloc") else None
    order = partial(_order, argument, of_scores, categories)
    values = values.iloc[order("index", list(values.index))]
    if not paired or not hasattr(values, "columns"):
        return values
    values = values.iloc[:, order("columns", list(values.columns))]
    if not values.size:
        return values
    return np.stack([vector(argument, values.iloc[:, j]) for j in range(values.shape[1])], axis=1)


def _order(
    argument: str, of_scores: list[Any] | None, categories: list[Any], axis: str, labels: list[Any]
) -> list[int] | slice:
    """Return the position of each category in an index, or a slice if the order is the same.

    The order is the same if the index equals that of `scores`, as for columns of one frame.
    Otherwise the labels may be the categories, the index of `scores` in another order, or positions
    if they are the default index.
    """
    if labels == of_scores:
        return slice(None)
    if len(labels) != len(categories) and not set(labels) < set(categories):
        return slice(None)  # the sizes differ, for which an error is raised later
    other = of_scores
    if other is None and labels == list(range(len(categories))):
        other = labels
    meanings = [categories] if other is None else [categories, other]
    orders = [o for o in (_places(labels, wanted) for wanted in meanings) if o is not None]
    if orders and all(order == orders[0] for order in orders):
        return orders[0]
    if orders:
        by = "positions" if of_scores is None else "the rows"
        problem = f"could mean the categories or {by} of scores, in different orders"
        advice = f"Pass {argument}.to_numpy() in the order of scores."
    elif len(labels) != len(categories):
        lacking = [c for c in categories if c not in set(labels)]
        problem = f"lacks the category {show_first(lacking)} of scores"
        advice = f"If its count is 0, use {argument}.reindex({axis}=scores, fill_value=0)."
    else:
        problem = "holds neither the categories nor the index of scores"
        advice = f"Use the categories as {axis}, or pass {argument}.to_numpy() to use positions."
    text = f"{argument}.{axis} ({show_first(labels)}) {problem}. {advice}"
    raise InputError(text, argument=argument, value=labels)


def _places(labels: list[Any], wanted: list[Any]) -> list[int] | None:
    """Return the positions of the wanted labels, or None if the labels are another set."""
    position = {label: i for i, label in enumerate(labels)}
    if len(position) < len(labels) or len(labels) != len(wanted) or set(wanted) != set(position):
        return None
    return [position[label] for label in wanted]


def counts_of(sample: Any, smallest: int | None) -> "pd.DataFrame":
    """Return the numbers of positives and negatives at each score, or combination of scores."""
    import pandas as pd

    _check_independent([sample], "sample", "a table of counts")
    ratings = list(map(sample.ratings, sample.names))
    for r in ratings:
        if r.lower_is_positive:
            problem = f"means more positive in lower scores of {r.name}, which no table states."
            hint = "Make the sample of the negated scores."
            raise InputError.about("lower_is_positive", problem, value=True, hint=hint)
        if r.name in COUNTS:
            problem = f"{r.name!r} is the name of a classifier, like a column of counts."
            raise InputError(problem, argument="sample", hint="Use another name.")
    # Counts of sorted combinations of scores, the highest scores first.
    positive, copies = sample.rows.positive, sample.rows.frequency
    ones = np.ones(positive.size, np.int64) if copies is None else copies
    numbers = pd.DataFrame(dict(zip(COUNTS, (ones * positive, ones * ~positive), strict=True)))
    table = numbers.groupby([r.values for r in ratings]).sum()[::-1]  # noqa: PD011
    table = table[table.any(axis=1)]
    if smallest is not None:
        table = _merged(table, smallest, sample.names)
    for i, r in enumerate(ratings):
        values: Any = table.index.get_level_values(i).to_numpy()
        if r.categories is not None:
            values = pd.Categorical.from_codes(values, pd.Index(r.categories), ordered=True)
        elif isinstance(r.score_type, type):  # a less precise type of NumPy
            values = values.astype(r.score_type)
        table.insert(i, "score" if len(ratings) == 1 else r.name, values)
    if len(ratings) == 1:
        table["classifier"] = ratings[0].name
    return table.reset_index(drop=True)


def _merged(table: "pd.DataFrame", smallest: int, names: Sequence[str]) -> "pd.DataFrame":
    """Return neighbouring scores merged until no number of a class is between 0 and `smallest`.

    The position of a group of scores is that of its lowest score.
    """
    checks.check_whole("smallest", smallest, 1)
    if len(names) > 1:
        problem = f"merges the scores of one classifier, and this sample has {len(names)}."
        hint = f"Make a table of each, such as sample[{names[0]!r}].counts(smallest={smallest})."
        raise InputError.of("smallest", smallest, problem, hint=hint)
    sums = np.vstack(([0, 0], table.cumsum()))
    from_below = len(table) - _bounds((sums[-1] - sums)[::-1].tolist(), smallest)[::-1]
    bounds = max(_bounds(sums.tolist(), smallest), from_below, key=len)
    if len(bounds) == 2 and (len(table) > 1 or sums[-1].min() < smallest):
        problem = "leaves a single score, because one of the classes has too few rows."
        raise InputError.of("smallest", smallest, problem, hint="Use a smaller number.")
    if len(bounds) <= len(table):
        problem = (
            f"merges {count(len(table), 'score')} of {names[0]} into {len(bounds) - 1:,}; the "
            "lowest score of a group stands for it, and measures of the table differ from those "
            "of the rows."
        )
        warn(DoubtfulDataWarning.of("smallest", smallest, problem))
    merged = table.iloc[bounds[1:] - 1].copy()
    merged[:] = np.diff(sums[bounds], axis=0)
    return merged


def _bounds(sums: list[list[int]], smallest: int) -> IntArray:
    """Return the bounds of groups of scores, each as small as the groups before it allow."""
    bounds, last = [0], len(sums) - 1

    def allowed(start: int, stop: int) -> bool:
        sizes = [b - a for a, b in zip(sums[start], sums[stop], strict=True)]
        return all(n == 0 or n >= smallest for n in sizes)

    for stop in range(1, last):
        if allowed(bounds[-1], stop):
            bounds.append(stop)
    while len(bounds) > 1 and not allowed(bounds[-1], last):
        bounds.pop()
    return np.array([*bounds, last])


def joined_samples(samples: Any, kind: type[Any]) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows of several samples as those of one, with their ratings."""
    listed = list(samples.values()) if isinstance(samples, Mapping) else samples
    if not isinstance(listed, (list, tuple)) or not all(isinstance(s, kind) for s in listed):
        problem = "must be a list of samples, or a dict of them by name."
        raise InputTypeError.about("samples", problem, value=samples)
    every = [s.rows for s in listed]
    if len(every) < 2:
        problem = f"has {count(len(every), 'sample')}; pass at least two."
        raise InputError.about("samples", problem, value=samples)
    if len(set(map(id, every))) < len(every):
        raise InputError.about("samples", "has the same sample twice.", value=samples)
    _check_independent(listed, "samples", "a sample of several")
    properties = list(map(_properties, listed))
    for what, first in properties[0].items():
        other = next((p[what] for p in properties if p[what] != first), first)
        if other != first:
            problem = f"have different {what}: {first} and {other}."
            raise InputError.about("samples", problem, value=other)
    positive = np.concatenate([rows.positive for rows in every])
    sizes = [rows.positive.size for rows in every]
    frequency = concatenated([rows.frequency for rows in every], sizes, 1)
    excluded = ExcludedRows.of_samples(rows.excluded for rows in every)
    more: dict[str, Any] = {n: getattr(excluded, n) for n in ("dropped", "left_out", "rest")}
    more["is_count_table"] = all(rows.is_count_table for rows in every)
    if any(rows.frame_rows is not None for rows in every):
        uncounted = sum(rows.uncounted for rows in every)
        more["frame_rows"] = FrameRows(uncounted, any(rows.has_frequencies for rows in every))
    if isinstance(samples, Mapping):
        of_rows = np.repeat(np.arange(len(every)), sizes)
        more["groups"] = (Grouping("sample", of_rows, tuple(samples)),)
    rows = Rows(positive, frequency, None, None, every[0].design, **more)
    joined = {}
    for name in listed[0].names:
        same = [s.ratings(name) for s in listed]
        joined[name] = same[0].with_values(np.concatenate([r.values for r in same]), rows)  # noqa: PD011
        if any(r.score_type != same[0].score_type for r in same):
            joined[name].score_type = None
    return rows, joined


def _properties(sample: Any) -> dict[str, Any]:
    """Return the properties in which samples must agree to be joined, by name."""
    found = {"designs": sample.design, "classifiers": ", ".join(sorted(sample.names))}
    for r in map(sample.ratings, sample.names):
        found[f"categories of {r.name}"] = r.categories
        found[f"directions (lower_is_positive) of {r.name}"] = r.lower_is_positive
    return found


def _check_independent(samples: Sequence[Any], argument: str, result: str) -> None:
    """Raise an error for samples whose rows are not independent or do not have a single label."""
    for sample in samples:
        rows = sample.rows
        alike = rows.independent and rows.has_one_curve and not rows.has_estimated_weights
        if not alike or rows.marks is not None:
            problem = (
                f"{result} has independent rows without weights, clusters, folds, horizons, marks, "
                f"predicted labels or several classes, unlike {sample!r}."
            )
            raise InputError(problem, argument=argument, hint="Use the data of the rows.")
