"""Columns of frames by name."""

from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import (
    LazyColumns,
    backend_errors,
    collect,
    number_of_rows,
    open_frame,
)
from pauci.checks import IntArray, is_pandas, nearest, some_of
from pauci.errors import (
    DataName,
    InputError,
    InputTypeError,
    MissingRowsWarning,
    warn,
)
from pauci.sample.vectors import UNVERIFIED, NamedColumn, refuse_missing

_BYTES = 250
"""Bytes for each row of a lazy frame whose weights are estimated."""


def complete_column(frame: Any, argument: str, name: Any, words: str = "") -> Any:
    """Return a column of a frame, or raise an error if it has missing values.

    `words` are the frame in error messages.
    """
    values = column_of(frame, argument, name)
    refuse_missing(DataName(f"column {name!r}{words}", argument, name), values)
    return values


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

    @property
    def used(self) -> list[NamedColumn]:
        """The columns that are used."""
        columns = (self.label, *self.scores.values(), *self.extras.values())
        return [column for column in columns if column.values is not None]

    def loaded_from(self, frame: LazyColumns) -> "FrameColumns":
        """Return these columns of a lazy frame with their values in memory."""
        from pauci.backends.memory import check_memory

        names = dict.fromkeys(column.values.name for column in self.used)
        with backend_errors(frame.lazy):
            rows = number_of_rows(frame.lazy)
            check_memory(_BYTES * rows, f"{rows:,} rows", "Draw a random sample of the rows.")
            table = open_frame(collect(frame.lazy.select(*names)).to_native())

        def loaded(column: NamedColumn) -> NamedColumn:
            unused = column.values is None
            return column if unused else column._replace(values=table[column.values.name])

        return self._replace(
            label=loaded(self.label),
            scores={key: loaded(column) for key, column in self.scores.items()},
            extras={key: loaded(column) for key, column in self.extras.items()},
        )


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
            f"is not a column{nearest(key, available)} The columns are: {some_of(available, key)}.",
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
    advice = MISSING_ADVICE + UNVERIFIED * (argument == "label")
    name = DataName(f"column {key!r}", argument, key, advice, after_argument=after_argument)
    if key is None:
        return NamedColumn(name, None)
    return NamedColumn(name, column_of(frame, argument, key))


MISSING_ADVICE = (
    "Rows are never dropped silently: impute them, or leave them out of every column with "
    "drop_missing=True."
)
"""Advice on missing values in a column of a frame."""


def check_index_of_frame(fold: NamedColumn, cluster: NamedColumn, index: Any) -> None:
    """Raise an error for the folds of a data frame whose index repeats, if there is no cluster."""
    if fold.values is None or cluster.values is not None or index is None or index.is_unique:
        return
    repeated = np.flatnonzero(index.duplicated(keep=False))
    (label,) = index[repeated[:1]].tolist()
    raise InputError(
        f"{fold.name}: the index of the frame repeats ({label!r}), as it does if a "
        "cross-validation is repeated, and there is no cluster= to identify rows that were "
        "predicted several times.",
        argument="cluster",
        value=None,
        rows=repeated,
        hint="Pass the column with the id of each row as cluster= (frame.reset_index() makes a "
        "column of the index). If all rows are different, use frame.reset_index(drop=True).",
    )
