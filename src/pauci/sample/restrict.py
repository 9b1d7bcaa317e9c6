"""Selection of the rows of a frame by codes of missing values and by two of several labels."""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, is_pandas, nearest, show, show_first, was_or_were
from pauci.curve.score_types import in_type_of
from pauci.errors import InputError, InputTypeError, MissingRowsWarning, warn
from pauci.sample.columns import refuse_similar_labels, refuse_unknown_label
from pauci.sample.vectors import is_missing

_MOST_LABELS = 6
"""Largest number of labels of rows left out that a message lists."""


class Code(NamedTuple):
    """A code of missing values; one that was typed may mean a text or a number."""

    meanings: list[Any]
    required: bool = True
    """Whether the code must occur in the data."""


class RequiredCode(NamedTuple):
    """A code of missing values, one meaning of which must occur in one of several columns."""

    columns: list[str]
    meanings: list[Any]


class Restriction(NamedTuple):
    """The values that are missing values in each column, and the two labels to keep.

    Parameters
    ----------
    codes : mapping of str to list
        The values of a column that are codes of missing values.
    positive, negative : object
        The labels of the two classes. If the negative label is None, no row is left out.
    required : sequence of RequiredCode
        The codes that must occur.
    """

    codes: Mapping[str, list[Any]]
    positive: Any = None
    negative: Any = None
    required: Sequence[RequiredCode] = ()

    def check_codes_occur(self, occurring: Mapping[str, list[Any]]) -> None:
        """Raise an error for a code that does not occur in the columns that are used.

        `occurring` are those of the codes of each used column that occur in it.
        """
        for columns, meanings in self.required:
            used = [name for name in columns if name in occurring]
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
        _check_negative(positive, negative)
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
    meanings = {name: _all_meanings(codes) for name, codes in codes_of.items()}
    required = [RequiredCode(names, code.meanings) for names, code in where if code.required]
    return Restriction(meanings, positive, negative, required)


def _check_negative(positive: Any, negative: Any) -> None:
    """Raise an error for a negative label that is not one label beside the positive one."""
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


def _check_columns(missing: Mapping[Any, Any], columns: list[str]) -> None:
    """Raise an error for codes of a column that does not exist."""
    for name in missing:
        if name not in columns:
            raise InputError.of(
                "missing",
                missing,
                f": {name!r} is not a column{nearest(name, columns)} The columns are: "
                f"{', '.join(columns)}.",
            )


def _all_meanings(codes: list[Code]) -> list[Any]:
    return [meaning for code in codes for meaning in code.meanings]


def _as_list(codes: Any) -> list[Code]:
    several = isinstance(codes, (list, tuple, set, frozenset, np.ndarray))
    return [
        code
        if isinstance(code, Code)
        else Code([code.item() if isinstance(code, np.generic) else code])
        for code in (codes if several else [codes])
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
