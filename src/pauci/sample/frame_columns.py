"""The columns of a data frame from which a sample is created."""

from typing import Any, NamedTuple

import numpy as np

from pauci.checks import IntArray, is_pandas, nearest
from pauci.errors import DataName, InputError, InputTypeError, MissingRowsWarning, warn
from pauci.sample.rows import Design


class DataOptions(NamedTuple):
    """Options that describe the data."""

    positive: object
    design: Design
    lower_is_positive: object


class NamedColumn(NamedTuple):
    """The name of a column in messages and its values, which are None if it is not used."""

    name: DataName
    values: Any


class FrameColumns(NamedTuple):
    """The columns of a sample, and the rows of the frame that they contain."""

    label: NamedColumn
    scores: dict[str, NamedColumn]
    extras: dict[str, NamedColumn]
    """Frequency, weight, cluster and fold."""
    kept: IntArray | None = None
    """Positions of the rows that are not excluded; None if no row is excluded."""
    dropped: int = 0
    left_out: int = 0
    """Number of rows left out because of their label."""


_NAMED_BY_STRINGS = "Columns of numbers are renamed by frame.columns = frame.columns.astype(str)."


def find_columns(frame: Any, label: Any, scores: Any, extras: dict[str, Any]) -> FrameColumns:
    """Return the columns of a frame by name."""
    names: list[Any] = list(scores) if isinstance(scores, (list, tuple)) else [scores]
    if not all(isinstance(key, str) for key in names):
        raise InputTypeError.of(
            "scores", scores, "must name columns by strings.", hint=_NAMED_BY_STRINGS
        )
    if not names:
        raise InputError.of("scores", [], "names no column; pass one or more score columns.")
    if label is None:
        raise InputTypeError.of("label", None, "must name the column of the labels.")
    selected = FrameColumns(
        _column(frame, "label", label),
        {key: _column(frame, "scores", key) for key in names},
        {
            part: _column(frame, argument, key, after_argument=True)
            for part, key in extras.items()
            for argument in part.split()[:1]
        },
    )
    for key in names:
        if names.count(key) > 1:
            raise InputError.of(
                "scores", key, f"names {key!r} twice; name each column once.", shown=""
            )
        if key == label:
            raise InputError.of(
                "scores",
                key,
                f"names {key!r}, the column of the labels, which would predict themselves; name "
                "another column.",
                shown="",
            )
    return selected


def column_of(frame: Any, argument: str, key: Any) -> Any:
    """Return a single column of a frame; any other key raises an error."""
    if isinstance(key, (list, dict, set, np.ndarray)) or is_pandas(key):
        raise InputTypeError.about(
            argument, f"is a {type(key).__name__}, but must be the name of a column.", value=key
        )
    if key not in frame.columns:
        available = [str(c) for c in frame.columns]
        if isinstance(key, str) and key in available:
            raise InputError.of(
                argument,
                key,
                "is not a column, because the names of the columns are not strings.",
                hint=_NAMED_BY_STRINGS,
            )
        raise InputError.of(
            argument,
            key,
            f"is not a column{nearest(key, available)} The columns are: {', '.join(available)}.",
        )
    values = frame[key]
    if getattr(values, "ndim", 1) != 1:
        n = values.shape[1]
        problem = (
            f"{n} columns; rename them" if n > 1 else "columns of several levels; flatten them"
        )
        raise InputError.of(argument, key, f"names {problem}.")
    declared = getattr(frame, "attrs", {}).get("declared_missing", {}).get(key)
    if declared:
        warn(
            MissingRowsWarning(
                f"the file declares values as missing, and they are treated as missing: {declared} "
                f"in column {key!r}.",
                argument="user_missing",
                hint="If they are values like the others, use user_missing='values'.",
            )
        )
    return values


def _column(frame: Any, argument: str, key: Any, *, after_argument: bool = False) -> NamedColumn:
    """Return a column of a frame by name."""
    name = DataName(
        f"column {key!r}", argument, key, missing_advice(key), after_argument=after_argument
    )
    if key is None:
        return NamedColumn(name, None)
    return NamedColumn(name, column_of(frame, argument, key))


def missing_advice(key: Any) -> str:
    """Return advice on missing values in a column of a frame."""
    return (
        "Rows are never dropped silently: impute them, or leave them out of every column with "
        f"drop_missing=True, or with df = df.dropna(subset=[{key!r}])."
    )
