"""Which rows of a frame take part: codes of missing values, and two labels out of several."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, is_missing, is_pandas, nearest
from pauci.engines.frames import narwhals
from pauci.engines.source import Asked, collected
from pauci.errors import InputError, InputTypeError, MissingRowsWarning, arg, warn
from pauci.sample.columns import refuse_unknown_label


class Restriction(NamedTuple):
    """What counts as missing in which column, and the two labels that are wanted.

    Parameters
    ----------
    codes : mapping of str to list
        The values of a column that are codes of missing values.
    positive, negative : object
        The labels of the two classes; a negative label of None leaves no row out.
    """

    codes: Mapping[str, list[Any]]
    positive: Any = None
    negative: Any = None


def restriction_of(
    missing: Any, label: Any, scores: Any, columns: list[str], positive: Any, negative: Any
) -> Restriction:
    """Return the restriction that was asked for, checked.

    Parameters
    ----------
    missing : scalar, list, or dict of str to these
        Codes of missing values: in the columns of label and scores, or in those that a dict names.
    label, scores : str, sequence of str
        Columns of the label and of the scores.
    columns : list of str
        All columns of the frame.
    positive, negative : scalar, optional
        The labels of the two classes.
    """
    if negative is not None:
        if positive is None:
            raise InputError(
                arg("negative", negative), " goes with ", arg("positive"), ", the other label."
            )
        if isinstance(negative, (list, tuple, set, dict, np.ndarray)) or is_missing(negative):
            raise InputTypeError(arg("negative", negative), " must be one label.")
        if negative == positive:
            raise InputError(arg("negative", negative), " is ", arg("positive", positive), " too.")
    if missing is None:
        return Restriction({}, positive, negative)
    if isinstance(missing, Mapping):
        for name in missing:
            if name not in columns:
                raise InputError(
                    arg("missing", missing),
                    f": {name!r} is not a column{nearest(name, columns)} The columns are: "
                    f"{', '.join(columns)}.",
                )
        return Restriction(
            {str(name): _listed(codes) for name, codes in missing.items()}, positive, negative
        )
    names = [label, *(scores if isinstance(scores, (list, tuple)) else [scores])]
    codes = _listed(missing)
    return Restriction({n: codes for n in names if isinstance(n, str)}, positive, negative)


def _listed(codes: Any) -> list[Any]:
    several = isinstance(codes, (list, tuple, set, frozenset, np.ndarray))
    return list(codes) if several else [codes]


def holds(values: Any, wanted: list[Any]) -> BoolArray:
    """Return where values equal one of some, each compared with what it can equal."""
    array = values if is_pandas(values) else np.asarray(values)
    found = np.zeros(len(array), bool)
    kind = getattr(getattr(array, "dtype", None), "kind", "O")
    for value in wanted:
        text = isinstance(value, str)
        if (kind in "biufc" and text) or (kind in "US" and not text) or is_missing(value):
            continue  # a text is no number, and numpy would warn of the question
        same = array == value
        if is_pandas(same) and hasattr(same, "fillna"):
            same = same.fillna(False)
        found |= np.asarray(same, dtype=bool)
    return found


def refuse_unlabelled(argument: str, values: AnyArray, labels: Mapping[str, Any]) -> None:
    """Refuse a label, by the argument that names it, that no row has."""
    for name, wanted in labels.items():
        if not holds(values, [wanted]).any():
            refuse_unknown_label(argument, name, wanted, values)


def say_left_out(left_out: int, total: int, positive: Any, negative: Any) -> None:
    """Warn of rows that were left out for their label."""
    if left_out:
        warn(
            MissingRowsWarning,
            f"{left_out} of {total} rows were left out, as their label is neither ",
            arg("positive", positive),
            " nor ",
            arg("negative", negative),
            ".",
            argument="negative",
        )


def restricted(frame: Any, asked: Sequence[Asked], restriction: Restriction) -> tuple[Any, int]:
    """Return a lazy frame with codes as missing values, without rows of other labels; their number.

    What is asked of the engine is one count more where two labels are wanted out of several.
    """
    nw = narwhals()
    changed = []
    for a in asked:
        column = a.values.column
        comparable = _comparable(a, restriction.codes.get(column, []))
        if comparable:
            coded = nw.any_horizontal(*(nw.col(column) == c for c in comparable), ignore_nulls=True)
            changed.append(nw.when(~coded).then(nw.col(column)).alias(column))
    left_out = 0
    label = next(a for a in asked if a.part == "label")
    if restriction.negative is not None:
        column = nw.col(label.values.column)
        wanted = _comparable(label, [restriction.positive, restriction.negative])
        if len(wanted) < 2:
            raise InputError(
                arg("negative", restriction.negative), " or ",
                arg("positive", restriction.positive),
                f" is no value of {label.name}, which has dtype {label.values.dtype}.",
            )  # fmt: skip
        taking_part = (column == wanted[0]) | (column == wanted[1]) | column.is_null()
        total, everything = _length(frame), frame
        frame = frame.filter(taking_part)
        there = _some_labels(frame, label.values.column)
        if not all(w in there for w in wanted):
            labels = np.array(_some_labels(everything, label.values.column), dtype=object)
            refuse_unlabelled(
                label.name, labels,
                {"positive": restriction.positive, "negative": restriction.negative},
            )  # fmt: skip
        left_out = total - _length(frame)
        say_left_out(left_out, total, restriction.positive, restriction.negative)
    return (frame.with_columns(*changed) if changed else frame), left_out


def _comparable(a: Asked, values: list[Any]) -> list[Any]:
    """Return those of some values that the values of a column can equal."""
    number = bool(a.values.dtype.is_numeric() or a.values.dtype == narwhals().Boolean)
    return [v for v in values if isinstance(v, str) is not number and not is_missing(v)]


def _some_labels(frame: Any, column: str, most: int = 20) -> list[Any]:
    """Return some of the distinct values of a column."""
    distinct = frame.select(narwhals().col(column)).drop_nulls().unique()
    return list(collected(distinct.head(most))[column].to_list())


def _length(frame: Any) -> int:
    return int(collected(frame.select(narwhals().len().alias("rows")))["rows"].to_list()[0])
