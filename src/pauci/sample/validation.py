"""Validation of the arguments of a sample, restriction to rows, and the numbers of rows."""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import (
    AnyArray,
    BoolArray,
    check_choice,
    is_pandas,
    listed,
    nearest,
    show_first,
    some_of,
    was_or_were,
)
from pauci.curve.exact_sums import in_type_of
from pauci.errors import DataName, InputError, InputTypeError, MissingRowsWarning, show, warn
from pauci.sample import columns, weights
from pauci.sample.columns import refuse_similar_labels, refuse_unknown_label
from pauci.sample.ratings import Ratings
from pauci.sample.recurring_rows import (
    labels_repeat,
    order_repeats,
    warn_about_copies,
    warn_if_cases_cross_folds,
    warn_if_rows_recur,
)
from pauci.sample.rows import DataOptions, Rows, WeightMap
from pauci.sample.vectors import VERIFIED, NamedColumn, is_missing, scores_of_positive
from pauci.sample.weights import grouping_of

EXTRAS = ("frequency", "weight", "cluster", "fold")

"""Optional values of each row besides the label and the scores."""

GROUP = "group "

"""Precedes the name of a grouping in the keys of further optional values."""


def is_extra(key: str) -> bool:
    """Return whether a key is that of an optional value of each row."""
    return key in EXTRAS or key.startswith(GROUP)


_ABSENT = NamedColumn(DataName("", ""), None)


def validate(
    label: NamedColumn,
    scores: dict[str, NamedColumn],
    extras: dict[str, NamedColumn],
    options: DataOptions,
    dropped: int = 0,
    left_out: int = 0,
    weight_map: WeightMap | None = None,
    rest: str = "",
    names: tuple[str, str] = ("positives", "negatives"),
    competing: str = "",
    sizes: tuple[int, int] | None = None,
) -> tuple[Rows, dict[str, Ratings]]:
    """Validate the data of a sample and return its rows and ratings.

    `weight_map` is that of estimated weights, and `rest` describes the classes of labels that were
    derived from other data. `names` are those of positives and negatives in messages, and `sizes`
    their numbers of rows, if the data are groups of rows. `competing` are the rows that are left
    out for a competing event.
    """
    positive, design, lower_is_positive = options
    check_choice("design", design, ("cohort", "case-control"))
    lower = columns.names_with_lower_positive(lower_is_positive, list(scores))
    is_positive, described = columns.labels(label.values, positive, label.name)
    n = is_positive.size
    values: dict[str, columns.Scores] = {}
    inputs = (label, *scores.values(), *extras.values())
    columns.check_same_order(inputs)
    for name, (words, column) in scores.items():
        column = scores_of_positive(words, column, label.name, label.values, is_positive)
        values[name] = columns.scores(words, column, n, lower_is_positive=name in lower)
    found = None
    if VERIFIED in extras:
        from pauci.sample.verified import verification_weights

        found = verification_weights(values, is_positive, extras, design)
        extras, weight_map = {**extras, "weight": found.weight}, found.weight_map
        described = "; ".join(filter(None, (described, found.words)))
    frequency, weight, cluster, fold = [extras.get(key, _ABSENT) for key in EXTRAS]
    clusters = cluster_labels = None
    if cluster.values is not None:
        clusters, cluster_labels = weights.coded(cluster.name, cluster.values, n)
    rows = Rows(
        is_positive,
        weights.frequency(frequency.values, n, frequency.name),
        weights.weight(weight.values, n, weight.name),
        clusters,
        design,
        dropped,
        cluster_labels=cluster_labels,
        left_out=left_out,
        rest=rest or described,
        weight_map=weight_map,
        index=next((i for i in (columns.index_of(v) for _, v in inputs) if i is not None), None),
        competing=competing,
    )
    rows.check(names, sizes)
    weights.warn_if_probabilities(weight.values, is_positive, clusters, weight.name)
    if fold.values is not None:
        codes, fold_names = weights.fold(fold.name, fold.values, is_positive, rows.mass)
        rows = replace(rows, fold=codes, fold_names=fold_names)
        if clusters is not None:
            warn_if_cases_cross_folds(clusters, codes)
        elif rows.frequency is None:
            warn_if_rows_recur(codes, is_positive, [v.values for v in values.values()], rows.index)
    groups = []
    for key, column in extras.items():
        if key.startswith(GROUP):
            groups.append(grouping_of(column.name, column.values, key.removeprefix(GROUP)))
            groups[-1].check(column.name, is_positive)
    rows = rows.without_single_clusters()
    if groups:
        rows = replace(rows, groups=tuple(groups))
    if found is not None and found.label is not None:
        rows = replace(rows, predictions=found.predictions(rows))
    return rows, {name: Ratings(name, v, rows) for name, v in values.items()}


def warn_if_rows_depend(rows: Rows, scores: AnyArray) -> None:
    """Warn about rows without clusters, or clusters, that seem to be readings of the same cases.

    Copies of rows without clusters are reported with the estimates.
    """
    names, positive = rows.cluster_labels, rows.positive
    if rows.frequency is not None:
        return
    if names is not None:
        from pauci.sample.case_columns import warn_if_clusters_depend

        warn_if_clusters_depend(rows, names, scores)
    elif not rows.has_folds and not order_repeats(positive, scores):
        warn_about_copies(labels_repeat(positive))


_MOST_LABELS = 6

"""Largest number of labels of rows left out that a message lists."""


class Code(NamedTuple):
    """A code of missing values; one that was typed may mean a text or a number."""

    meanings: list[Any]
    required: bool = True
    """Whether the code must occur in the data."""


class Restriction(NamedTuple):
    """The values that are missing values in each column, and the two labels to keep.

    Parameters
    ----------
    codes : mapping of str to list
        The values of a column that are codes of missing values.
    positive, negative : object
        The labels of the two classes. If the negative label is None, no row is left out.
    required : sequence of tuple
        Columns and the meanings of a code, one of which must occur in one of them.
    """

    codes: Mapping[str, list[Any]]
    positive: Any = None
    negative: Any = None
    required: Sequence[tuple[list[str], list[Any]]] = ()

    def check_codes_occur(self, occurring: Mapping[str, list[Any]]) -> None:
        """Raise an error for a code that does not occur in the columns that are used.

        `occurring` are those of the codes of each used column that occur in it.
        """
        for names, meanings in self.required:
            used = [name for name in names if name in occurring]
            if not used or any(m in occurring[name] for name in used for m in meanings):
                continue
            raise InputError.of(
                "missing",
                meanings[0],
                f"is not a value of column{'s' * (len(used) > 1)} "
                f"{show_first(list[object](used))}, so no value would be treated as missing.",
                hint="Correct or omit it.",
            )


def parse_restriction(
    missing: Any, label: Any, scores: Any, columns: list[str], positive: Any, negative: Any
) -> Restriction:
    """Validate the options and return the restriction.

    Parameters
    ----------
    missing : scalar, list, or dict of str to these
        Codes of missing values in the columns of the label and the scores, or in the columns that
        are the keys of a dict.
    label, scores : str, sequence of str
        Columns of the label and of the scores.
    columns : list of str
        All columns of the frame.
    positive, negative : scalar, optional
        The labels of the two classes.
    """
    if negative is not None:
        if positive is None:
            raise InputError.of(
                "negative",
                negative,
                "requires the positive label as well.",
                hint="Specify it with positive=.",
            )
        if isinstance(negative, (list, tuple, set, dict, np.ndarray)) or is_missing(negative):
            raise InputTypeError.of("negative", negative, "must be one label.")
        if negative == positive:
            raise InputError.of("negative", negative, "is the positive label too.")
    if missing is None:
        return Restriction({}, positive, negative)
    if isinstance(missing, Mapping):
        _check_columns(missing, columns)
        codes_of = {str(name): _as_list(codes) for name, codes in missing.items()}
        where = [([name], code) for name, codes in codes_of.items() for code in codes]
    else:
        listed = [label, *(scores if isinstance(scores, (list, tuple)) else [scores])]
        names = [name for name in listed if isinstance(name, str)]
        codes_of = dict.fromkeys(names, _as_list(missing))
        where = [(names, code) for code in _as_list(missing)]
    meanings = {
        name: [meaning for code in codes for meaning in code.meanings]
        for name, codes in codes_of.items()
    }
    required = [(names, code.meanings) for names, code in where if code.required]
    return Restriction(meanings, positive, negative, required)


def _check_columns(missing: Mapping[Any, Any], columns: list[str]) -> None:
    """Raise an error for codes of a column that does not exist."""
    for name in missing:
        if name not in columns:
            raise InputError.of(
                "missing",
                missing,
                f": {name!r} is not a column{nearest(name, columns)} The columns are: "
                f"{some_of(columns, name)}.",
            )


def _as_list(codes: Any) -> list[Code]:
    return [
        code
        if isinstance(code, Code)
        else Code([code.item() if isinstance(code, np.generic) else code])
        for code in listed(codes)
        if not is_missing(code)
    ]


def equals_any(values: Any, wanted: list[Any]) -> BoolArray:
    """Return a mask of the values that equal one of several others of comparable type."""
    array = values if is_pandas(values) else np.asarray(values)
    mask = np.zeros(len(array), bool)
    kind = getattr(getattr(array, "dtype", None), "kind", "O")
    for value in wanted:
        text = isinstance(value, str)
        if (kind in "biufc" and text) or (kind in "US" and not text) or is_missing(value):
            continue  # texts and numbers are never equal, and numpy would issue a warning
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            value = float(value) if abs(value) < sys.float_info.max else math.inf
        if np.iterable(value) and not text:
            continue
        same = array == in_type_of(value, getattr(array, "dtype", None))
        if is_pandas(same) and hasattr(same, "fillna"):
            same = same.fillna(False)
        mask |= np.asarray(same, dtype=bool)
    return mask


def check_labels_occur(argument: str, values: AnyArray, labels: Mapping[str, Any]) -> None:
    """Raise an error for a label that does not occur."""
    for name, wanted in labels.items():
        if not equals_any(values, [wanted]).any():
            refuse_unknown_label(argument, name, wanted, values)


def check_left_out(
    argument: str, others: Mapping[Any, int], total: int, positive: Any, negative: Any
) -> None:
    """Issue a warning if rows are left out because of their label.

    Labels that differ from those of the two classes only in case, blanks or type raise an error.

    Parameters
    ----------
    argument : str
        The name of the labels in messages.
    others : mapping of label to int
        The numbers of rows with other labels, by label.
    total : int
        The number of all rows.
    positive, negative : object
        The labels of the two classes.
    """
    classes = [positive, negative]
    refuse_similar_labels(argument, [*classes, *others], classes)
    if not others:
        return
    ordered = sorted(others.items(), key=lambda item: (-item[1], str(item[0])))
    listed = [f"{show(label)} ({number:,})" for label, number in ordered[:_MOST_LABELS]]
    if len(ordered) > _MOST_LABELS:
        listed.append(f"and {len(ordered) - _MOST_LABELS:,} other labels")
    warn(
        MissingRowsWarning(
            f"{sum(others.values())} of {total} rows {was_or_were(sum(others.values()))} left out, "
            f"as their label is neither {positive!r} (positive) nor {negative!r} (negative): "
            f"{', '.join(listed)}.",
            argument="negative",
        )
    )


@contextmanager
def original_row_numbers(origin: Any, noun: str | None = None) -> Iterator[None]:
    """Convert the row numbers of errors to row numbers of the user's data.

    Parameters
    ----------
    origin : array of int or None
        The row of the user's data from which each row was taken; None if they are the same. If it
        is empty, the rows have no numbers in the user's data, and row numbers are omitted.
    noun : str, optional
        The noun for rows of the user's data, if not "row".
    """
    try:
        yield
    except (InputError, InputTypeError) as error:
        if origin is None:
            raise
        rows = [int(origin[i]) for i in error.rows] if len(origin) else []
        converted = error.replaced(rows=tuple(dict.fromkeys(rows)), row_noun=noun or error.row_noun)
        raise converted from None


def lines_of(frame: Any) -> tuple[Any, str | None]:
    """Return the lines or rows of a file that are the index of a frame, and their noun.

    They are the index of frames of `pauci.read_table`; other frames have row numbers (None).
    """
    index: Any = getattr(frame, "index", None)
    if "read_as" not in getattr(frame, "attrs", {}) or getattr(index, "name", None) is None:
        return None, None
    return index.to_numpy(), str(index.name)
