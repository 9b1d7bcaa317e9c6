"""Tables of counts of samples, and samples of several tables or sets of rows."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, IntArray, count
from pauci.errors import DoubtfulDataWarning, InputError, InputTypeError, warn
from pauci.sample.ratings import Ratings
from pauci.sample.rows import ExcludedRows, Rows
from pauci.sample.weights import Grouping

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ("positives", "negatives")
"""The columns of the numbers of both classes."""


def counts_of(sample: Any, smallest: int | None) -> "pd.DataFrame":
    """Return the numbers of positives and negatives at each score, or combination of scores."""
    import pandas as pd

    (of_sample,) = _independent_ratings([sample], "sample", "a table of counts")
    ratings = list(of_sample.values())
    for r in ratings:
        if r.lower_is_positive:
            problem = (
                f"means more positive in lower scores of {r.name}, which a table does not state."
            )
            hint = "Make the sample of the negated scores."
            raise InputError.about("lower_is_positive", problem, value=True, hint=hint)
        if r.name in COUNTS:
            problem = f"{r.name!r} is the name of a classifier, like a column of counts."
            raise InputError(problem, argument="sample", hint="Use another name.")
    scores, codes = zip(*(np.unique(r.values, return_inverse=True) for r in ratings), strict=True)
    cells, cell = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    positive, copies = sample.rows.positive, sample.rows.frequency
    ones = np.ones(positive.size, np.int64) if copies is None else copies
    columns = []
    for of_class in (positive, ~positive):
        numbers = np.zeros(len(cells), ones.dtype)
        np.add.at(numbers, cell.reshape(-1)[of_class], ones[of_class])
        columns.append(numbers)
    order = np.flatnonzero(columns[0] + columns[1])[::-1]  # the highest scores first
    if smallest is None:
        columns = [numbers[order] for numbers in columns]
    else:
        order, columns = _merged(order, columns, smallest, sample.names)
    frame: dict[str, Any] = {}
    for r, distinct, of_cell in zip(ratings, scores, cells[order].T, strict=True):
        values = distinct[of_cell]
        if r.categories is not None:
            values = pd.Categorical.from_codes(values, pd.Index(r.categories), ordered=True)
        elif isinstance(r.score_type, type):  # a less precise type of NumPy
            values = values.astype(r.score_type)
        frame["score" if len(ratings) == 1 else r.name] = values
    frame |= dict(zip(COUNTS, columns, strict=True))
    if len(ratings) == 1:
        frame["classifier"] = ratings[0].name
    return pd.DataFrame(frame)


def _merged(
    order: IntArray, columns: Sequence[AnyArray], smallest: int, names: Sequence[str]
) -> tuple[IntArray, list[AnyArray]]:
    """Return neighbouring scores merged until no number of a class is between 0 and `smallest`.

    The position of a group of scores is that of its lowest score.
    """
    checks.check_whole("smallest", smallest, 1)
    if len(names) > 1:
        problem = f"merges the scores of one classifier, and this sample has {len(names)}."
        hint = f"Make a table of each, such as sample[{names[0]!r}].counts(smallest={smallest})."
        raise InputError.of("smallest", smallest, problem, hint=hint)
    sums = np.stack([np.concatenate(([0], np.cumsum(numbers[order]))) for numbers in columns], 1)
    from_below = order.size - _bounds((sums[-1] - sums)[::-1], smallest)[::-1]
    bounds = max(_bounds(sums, smallest), from_below, key=len)
    if len(bounds) == 2 and (order.size > 1 or sums[-1].min() < smallest):
        problem = "leaves a single score, because one of the classes has too few rows."
        raise InputError.of("smallest", smallest, problem, hint="Use a smaller number.")
    if len(bounds) <= order.size:
        warn(
            DoubtfulDataWarning.of(
                "smallest",
                smallest,
                f"merges {count(order.size, 'score')} of {names[0]} into {len(bounds) - 1:,}; the "
                "lowest score of a group stands for it, and measures of the table differ from "
                "those of the rows.",
            )
        )
    return order[bounds[1:] - 1], list(np.diff(sums[bounds], axis=0).T)


def _bounds(sums: AnyArray, smallest: int) -> IntArray:
    """Return the bounds of groups of scores, each as small as the numbers before it allow."""
    rows, bounds, last = sums.tolist(), [0], len(sums) - 1

    def allowed(start: int, stop: int) -> bool:
        sizes = [b - a for a, b in zip(rows[start], rows[stop], strict=True)]
        return all(n == 0 or n >= smallest for n in sizes)

    for stop in range(1, last):
        if allowed(bounds[-1], stop):
            bounds.append(stop)
    while len(bounds) > 1 and not allowed(bounds[-1], last):
        bounds.pop()
    return np.array([*bounds, last])


def joined_samples(samples: object, kind: type[Any]) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows of several samples as those of one, with their ratings."""
    names, listed = _checked(samples, kind)
    ratings = _independent_ratings(listed, "samples", "a sample of several")
    for what, found in (
        ("designs", [s.design for s in listed]),
        ("classifiers", [", ".join(sorted(s.names)) for s in listed]),
    ):
        _check_same(what, found)
    every = [s.rows for s in listed]
    sizes = [rows.positive.size for rows in every]
    copies = None
    if any(rows.has_frequencies for rows in every):
        ones = (np.ones(n, np.int64) for n in sizes)
        copies = [
            one if r.frequency is None else r.frequency for r, one in zip(every, ones, strict=True)
        ]
    excluded = reduce(ExcludedRows.plus, (rows.excluded for rows in every))
    groups: tuple[Grouping, ...] = ()
    if names:
        of_rows = np.repeat(np.arange(len(names)), sizes)
        groups = (Grouping("sample", of_rows, tuple(names)),)
    rows = Rows(
        np.concatenate([rows.positive for rows in every]),
        None if copies is None else np.concatenate(copies),
        None,
        None,
        listed[0].design,
        excluded.dropped,
        all(rows.is_count_table for rows in every),
        left_out=excluded.left_out,
        rest=excluded.rest,
        groups=groups,
    )
    joined = {}
    for name in listed[0].names:
        same = [of_sample[name] for of_sample in ratings]
        _check_same(f"categories of {name}", [r.categories for r in same])
        _check_same(
            f"directions (lower_is_positive) of {name}", [r.lower_is_positive for r in same]
        )
        joined[name] = same[0].with_values(np.concatenate([r.values for r in same]), rows)  # noqa: PD011
        if any(r.score_type != same[0].score_type for r in same):
            joined[name].score_type = None
    return rows, joined


def _checked(samples: Any, kind: type[Any]) -> tuple[list[str], list[Any]]:
    """Return the names of samples, if there are any, and the samples."""
    names = list(samples) if isinstance(samples, Mapping) else []
    listed = list(samples.values()) if isinstance(samples, Mapping) else samples
    if not isinstance(listed, (list, tuple)) or not all(isinstance(s, kind) for s in listed):
        problem = "must be a list of samples, or a dict of them by name."
        raise InputTypeError.about("samples", problem, value=samples)
    if len(listed) < 2:
        problem = f"has {count(len(listed), 'sample')}; pass at least two."
        raise InputError.about("samples", problem, value=samples)
    if len({id(s.rows) for s in listed}) < len(listed):
        raise InputError.about("samples", "has the same sample twice.", value=samples)
    return names, list(listed)


def _check_same(what: str, found: Sequence[Any]) -> None:
    """Raise an error if samples differ."""
    different = list(dict.fromkeys(found))
    if len(different) > 1:
        problem = f"have different {what}: {' and '.join(map(str, different))}."
        raise InputError.about("samples", problem, value=found)


def _independent_ratings(
    samples: Sequence[Any], argument: str, result: str
) -> list[dict[str, Ratings]]:
    """Return the ratings of samples of independent rows; raise an error for other samples."""
    for sample in samples:
        rows = sample.rows
        others = {
            "weights": rows.has_weights or rows.has_estimated_weights,
            "clusters": rows.has_clusters,
            "folds": rows.has_folds,
            "several horizons": bool(rows.horizons),
            "predicted labels": rows.predictions is not None,
            "marks": rows.marks is not None,
            "several classes": bool(sample.classes),
        }
        for words, present in others.items():
            if present:
                problem = f"a sample with {words} cannot be {result}, which has independent rows."
                raise InputError(problem, argument=argument, hint="Use the data of the rows.")
    return [{name: sample.ratings(name) for name in sample.names} for sample in samples]
