"""Tables of counts of samples, and samples of several tables or sets of rows."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.checks import IntArray, count
from pauci.errors import DoubtfulDataWarning, InputError, InputTypeError, warn
from pauci.sample.ratings import Ratings
from pauci.sample.rows import ExcludedRows, FrameRows, Rows
from pauci.sample.vectors import concatenated
from pauci.sample.weights import Grouping

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ("positives", "negatives")
"""The columns of the numbers of both classes."""


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
    """Return the bounds of groups of scores, each as small as the numbers before it allow."""
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
    excluded = reduce(ExcludedRows.plus, (rows.excluded for rows in every))
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
    """Raise an error for samples whose rows are not independent or have not one label each."""
    for sample in samples:
        rows = sample.rows
        alike = rows.independent and rows.has_one_curve and not rows.has_estimated_weights
        if not alike or rows.marks is not None:
            problem = (
                f"{result} has independent rows without weights, clusters, folds, horizons, marks, "
                f"predicted labels or several classes, unlike {sample!r}."
            )
            raise InputError(problem, argument=argument, hint="Use the data of the rows.")
