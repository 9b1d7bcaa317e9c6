"""Samples from data frames in memory; frames on a backend are passed on to `from_backend`."""

from typing import Any

import numpy as np

from pauci.backends.frames import LazyColumns, open_frame
from pauci.checks import (
    BoolArray,
    check_flag,
    error_subject,
    is_pandas,
    missing_entries,
)
from pauci.errors import InputError, InputTypeError, MissingRowsWarning, original_row_numbers, warn
from pauci.sample.frame_columns import (
    Choices,
    FrameColumns,
    NamedColumn,
    find_columns,
    missing_advice,
)
from pauci.sample.ratings import Ratings
from pauci.sample.restrict import (
    Restriction,
    holds,
    refuse_unlabelled,
    restriction_of,
    warn_left_out,
)
from pauci.sample.rows import Rows
from pauci.sample.validation import validated


def read_frame(
    frame: Any,
    label: Any,
    scores: Any,
    extras: dict[str, Any],
    choices: Choices,
    *,
    drop_missing: object,
    resolution: object,
    missing: Any,
    negative: object,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings of a data frame, in memory or on a backend."""
    frame = open_frame(frame)
    if not hasattr(frame, "columns") or isinstance(frame, type):
        raise InputTypeError(
            f"frame is a {type(frame).__name__}; pass a data frame of pandas, Polars, "
            "PyArrow, DuckDB, Dask, Spark or Ibis, or use pauci.Sample(y_true, y_score) for "
            "arrays.",
            argument="frame",
            value=frame,
        )
    restriction = restriction_of(
        missing, label, scores, [str(c) for c in frame.columns], choices.positive, negative
    )
    if isinstance(frame, LazyColumns) or resolution is not None:
        from pauci.sample.from_backend import check_resolution, read_backend

        check_resolution(resolution)
        if isinstance(frame, LazyColumns):
            return read_backend(
                frame, label, scores, extras, choices,
                drop_missing=drop_missing, resolution=resolution, restriction=restriction,
            )  # fmt: skip
    check_flag("drop_missing", drop_missing)
    selected = find_columns(frame, label, scores, extras)
    if drop_missing or restriction.codes or restriction.negative is not None:
        selected = _without_excluded(selected, restriction, drop=bool(drop_missing))
    with original_row_numbers(selected.kept):
        return validated(
            selected.label, selected.scores, selected.extras, choices,
            selected.dropped, selected.left_out,
        )  # fmt: skip


def _without_excluded(
    selected: FrameColumns, restriction: Restriction, *, drop: bool
) -> FrameColumns:
    """Return the columns without excluded rows, and warn about these.

    Excluded are the rows with other labels than the two of the restriction and, if `drop` is true,
    those that lack a value in any column; if it is false, codes of missing values raise an error.
    """
    wanted, left_out = _with_wanted_label(selected.label, restriction)
    missing = _missing_by_column(selected, restriction, wanted, drop=drop)
    gone = np.logical_or.reduce(list(missing.values())) if missing else np.False_
    stays = wanted & ~gone
    if np.ndim(stays) == 0 or stays.all():
        return selected
    counts = [f"{lacking.sum()} in {name}" for name, lacking in missing.items()]
    gone_rows, kept = np.flatnonzero(gone), np.flatnonzero(stays)
    if not kept.size:
        raise InputError(
            f"drop_missing=True leaves no row: all {stays.size} lack a value "
            f"({', '.join(counts)}).",
            argument="drop_missing",
            value=True,
        )
    if missing:
        warn(
            MissingRowsWarning(
                f"{gone_rows.size} of {stays.size} rows were dropped because of missing values: "
                f"{', '.join(counts)}.",
                argument="drop_missing",
                rows=gone_rows,
            )
        )

    def rest(column: NamedColumn) -> NamedColumn:
        values = column.values
        if values is not None:
            values = values[kept] if isinstance(values, np.ndarray) else _taken(values, kept)
        return NamedColumn(column.name, values)

    return FrameColumns(
        rest(selected.label),
        {key: rest(column) for key, column in selected.scores.items()},
        {key: rest(column) for key, column in selected.extras.items()},
        kept,
        int(stays.size - kept.size - left_out),
        left_out,
    )


def _with_wanted_label(label: NamedColumn, restriction: Restriction) -> tuple[Any, int]:
    """Return which rows have one of the two labels of the restriction, or none; and the others."""
    if restriction.negative is None:
        return True, 0
    wanted = holds(label.values, [restriction.positive, restriction.negative])
    no_label = _lacking(label.values)
    refuse_unlabelled(
        label.name,
        np.asarray(label.values)[~no_label if no_label.size else ...],
        {"positive": restriction.positive, "negative": restriction.negative},
    )
    taking_part = wanted | no_label if no_label.size else wanted
    left_out = int(np.count_nonzero(~taking_part))
    warn_left_out(left_out, wanted.size, restriction.positive, restriction.negative)
    return taking_part, left_out


def _missing_by_column(
    selected: FrameColumns, restriction: Restriction, wanted: Any, *, drop: bool
) -> dict[str, BoolArray]:
    """Return, by the name of each column, which wanted rows lack a value, if there are any."""
    missing: dict[str, BoolArray] = {}
    for name, values in (
        selected.label, *selected.scores.values(), *selected.extras.values()
    ):  # fmt: skip
        if values is None:
            continue
        lacking = _lacking(values)
        coded = holds(values, restriction.codes.get(name.column, [])) & wanted
        if coded.any() and not drop:
            rows = np.flatnonzero(coded)
            hint, shell_hint = missing_advice(name.column)
            raise InputError(
                f"{name} has {rows.size} missing value{'s' * (rows.size > 1)}, by its codes of "
                "missing values.",
                rows=rows,
                hint=hint,
                shell_hint=shell_hint,
                **error_subject(name, values),
            )
        lacking = (lacking | coded if lacking.size else coded) & wanted
        if drop and lacking.any():
            missing[name] = lacking
    return missing


def _lacking(values: Any) -> BoolArray:
    """Return which values are missing; nothing of a kind that cannot be."""
    return missing_entries(values if is_pandas(values) else np.asarray(values))


def _taken(values: Any, positions: Any) -> Any:
    """Return some entries of a column, by position."""
    return values.iloc[positions] if hasattr(values, "iloc") else np.asarray(values)[positions]
