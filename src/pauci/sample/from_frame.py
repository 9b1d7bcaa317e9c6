"""Samples from data frames in memory; those of engines are passed to `from_backend`."""

from collections import Counter
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from pauci.backends.frames import LazyColumns, open_frame, warn_dropped
from pauci.checks import (
    BoolArray,
    check_flag,
    check_text,
    check_whole,
    equal,
    is_finite,
    is_pandas,
    listed,
    nearest,
)
from pauci.errors import InputError, InputTypeError
from pauci.number_texts import notation_in, numbers_of
from pauci.sample.case_columns import warn_if_cases_recur
from pauci.sample.columns import index_of
from pauci.sample.frame_columns import (
    MISSING_ADVICE,
    FrameColumns,
    check_index_of_frame,
    find_columns,
)
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataOptions, Rows
from pauci.sample.validation import (
    Restriction,
    check_labels_occur,
    check_left_out,
    equals_any,
    lines_of,
    original_row_numbers,
    parse_restriction,
    validate,
    warn_if_rows_depend,
)
from pauci.sample.vectors import VERIFIED, NamedColumn, missing_entries
from pauci.sample.verified import with_known_labels


def read_frame(
    frame: Any,
    label: Any,
    scores: Any,
    extras: dict[str, Any],
    options: DataOptions,
    *,
    drop_missing: object,
    resolution: object,
    thresholds: object,
    missing: Any,
    negative: object,
    name: str | None,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings of a data frame, in memory or on an engine."""
    frame = open_frame(frame)
    if not hasattr(frame, "columns") or isinstance(frame, type):
        raise InputTypeError.about(
            "frame",
            f"is a {type(frame).__name__}; pass a data frame of pandas, Polars, PyArrow, DuckDB, "
            "Dask, Spark or Ibis, or use pauci.Sample(y_true, y_score) for arrays.",
            value=frame,
        )
    restriction = parse_restriction(
        missing, label, scores, [str(c) for c in frame.columns], options.positive, negative
    )
    check_resolution(resolution)
    check_flag("drop_missing", drop_missing)
    selected = find_columns(frame, label, scores, extras)
    if name is not None:
        selected, options = _renamed(selected, options, name)
    ends = thresholds_by_classifier(thresholds, list(selected.scores))
    if isinstance(frame, LazyColumns) and VERIFIED in extras:
        selected = selected.loaded_from(frame)
        return _read_memory(selected, options, restriction, drop_missing=bool(drop_missing))
    if not isinstance(frame, LazyColumns):
        lines, noun = lines_of(frame)
        with original_row_numbers(lines, noun):
            return _read_memory(
                selected, options, restriction, drop_missing=bool(drop_missing), frame=frame
            )
    from pauci.sample.from_backend import read_backend

    return read_backend(
        frame.lazy,
        selected,
        options,
        restriction,
        drop_missing=bool(drop_missing),
        resolution=resolution,
        thresholds=ends,
    )


def _renamed(
    selected: FrameColumns, options: DataOptions, name: str
) -> tuple[FrameColumns, DataOptions]:
    """Return the columns and options with another name of the only classifier."""
    check_text("name", name)
    if len(selected.scores) > 1:
        raise InputError.of(
            "name",
            name,
            "is for a single score; several classifiers have the names of their columns.",
        )
    ((column, values),) = selected.scores.items()
    lower = options.lower_is_positive
    if equal(lower, column) or (isinstance(lower, (list, tuple, set)) and set(lower) == {column}):
        options = options._replace(lower_is_positive=True)
    return selected._replace(scores={name: values}), options


def check_resolution(value: object) -> None:
    """Raise an error for a resolution other than a number of cells, "exact" or None."""
    if value is None or equal(value, "exact"):
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError.of("resolution", value, 'must be a number of cells or "exact".')
    check_whole("resolution", value, 2)


def thresholds_by_classifier(value: object, names: list[str]) -> dict[str, list[float]]:
    """Return the thresholds of each classifier, or raise an error."""
    if isinstance(value, Mapping):
        for name in value:
            if name not in names:
                raise InputError.of(
                    "thresholds",
                    value,
                    f": {name!r} is not a classifier of this sample{nearest(name, names)} It has: "
                    f"{', '.join(names)}.",
                )
        return {name: _numbers(values) for name, values in value.items()}
    return dict.fromkeys(names, _numbers(value))


def _numbers(value: object) -> list[float]:
    """Return one or several thresholds as a list."""
    several = listed(value)
    if not all(isinstance(t, Real) and is_finite(t) for t in several):
        raise InputTypeError.of("thresholds", value, "must be one or several finite numbers.")
    return [float(t) for t in several]


def _read_memory(
    selected: FrameColumns,
    options: DataOptions,
    restriction: Restriction,
    *,
    drop_missing: bool,
    frame: Any = None,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings of columns in memory, of a frame that may have other columns."""
    known = selected.extras.get(VERIFIED)
    if known is not None:
        for argument, value in (("missing", restriction.codes), ("negative", restriction.negative)):
            if value:
                raise InputError.of(argument, value, "is not available with verified=.", shown="")
        selected = selected._replace(label=with_known_labels(selected.label, known))
    if drop_missing or restriction.codes or restriction.negative is not None:
        selected = without_excluded(selected, restriction, drop=drop_missing)
    extras = selected.extras
    check_index_of_frame(extras["fold"], extras["cluster"], index_of(selected.label.values))
    with original_row_numbers(selected.kept):
        read = getattr(frame, "attrs", {})
        if restriction.codes and "read_as" in read:
            selected = _numbers_without_codes(selected, restriction, read)
        validated = validate(
            selected.label,
            selected.scores,
            selected.extras,
            options,
            selected.dropped,
            selected.left_out,
        )
    if frame is None or extras["frequency"].values is not None:
        return validated
    if not warn_if_cases_recur(frame, selected, options.positive):
        rows, ratings = validated
        warn_if_rows_depend(rows, next(iter(ratings.values())).values)
    return validated


def without_excluded(
    selected: FrameColumns, restriction: Restriction, *, drop: bool
) -> FrameColumns:
    """Return the columns without the excluded rows, and issue a warning about these rows.

    Rows with labels other than the two of the restriction are excluded. If `drop` is true, rows
    with a missing value in any column are excluded as well; otherwise codes of missing values raise
    an error.
    """
    restriction.check_codes_occur(
        {
            str(name.column): [
                code
                for code in restriction.codes.get(name.column, [])
                if equals_any(values, [code]).any()
            ]
            for name, values in selected.used
        }
    )
    wanted, left_out = _with_wanted_label(selected.label, restriction)
    missing = _missing_by_column(selected, restriction, wanted, drop=drop)
    incomplete = np.logical_or.reduce(list(missing.values())) if missing else np.False_
    included = wanted & ~incomplete
    if np.ndim(included) == 0 or included.all():
        return selected
    counts = [f"{mask.sum()} in {name}" for name, mask in missing.items()]
    dropped_rows, kept = np.flatnonzero(incomplete), np.flatnonzero(included)
    lines, noun = lines_of(selected.label.values)
    warn_dropped(
        counts,
        dropped_rows.size,
        included.size if kept.size else 0,
        dropped_rows if lines is None else lines[dropped_rows],
        noun or "row",
    )

    def select_rows(column: NamedColumn) -> NamedColumn:
        values: Any = column.values
        if values is not None:
            values = values.iloc[kept] if hasattr(values, "iloc") else np.asarray(values)[kept]
        return NamedColumn(column.name, values)

    return FrameColumns(
        select_rows(selected.label),
        {key: select_rows(column) for key, column in selected.scores.items()},
        {key: select_rows(column) for key, column in selected.extras.items()},
        kept,
        int(included.size - kept.size - left_out),
        left_out,
    )


def _numbers_without_codes(
    selected: FrameColumns, restriction: Restriction, read: Mapping[str, Any]
) -> FrameColumns:
    """Return the columns of a file as numbers that are texts because of codes of missing values."""

    def converted(column: NamedColumn) -> NamedColumn:
        name, values = column
        if values.dtype.kind in "iufbM" or not restriction.codes.get(name.column):
            return column
        numbers = numbers_of(values, notation_in(values.reset_index(drop=True), read))
        return column if numbers is None else NamedColumn(name, numbers)

    scores = {key: converted(column) for key, column in selected.scores.items()}
    label = selected.label if restriction.positive is not None else converted(selected.label)
    return selected._replace(label=label, scores=scores)


def _with_wanted_label(label: NamedColumn, restriction: Restriction) -> tuple[Any, int]:
    """Return the mask of rows whose label is missing or one of two, and the number of others."""
    if restriction.negative is None:
        return True, 0
    wanted = equals_any(label.values, [restriction.positive, restriction.negative])
    no_label = _missing_mask(label.values)
    check_labels_occur(
        label.name,
        np.asarray(label.values)[~no_label if no_label.size else ...],
        {"positive": restriction.positive, "negative": restriction.negative},
    )
    included = wanted | no_label if no_label.size else wanted
    others = Counter(np.asarray(label.values)[~included].tolist())
    check_left_out(label.name, others, wanted.size, restriction.positive, restriction.negative)
    return included, others.total()


def _missing_by_column(
    selected: FrameColumns, restriction: Restriction, wanted: Any, *, drop: bool
) -> dict[str, BoolArray]:
    """Return a mask of the wanted rows with a missing value for each column that has any."""
    missing: dict[str, BoolArray] = {}
    for name, values in selected.used:
        mask = _missing_mask(values)
        coded = equals_any(values, restriction.codes.get(name.column, [])) & wanted
        if coded.any() and not drop:
            rows = np.flatnonzero(coded)
            raise InputError.about(
                name,
                f"has {rows.size} missing value{'s' * (rows.size > 1)}, by its codes of missing "
                "values.",
                value=values,
                rows=rows,
                hint=MISSING_ADVICE,
            )
        mask = (mask | coded if mask.size else coded) & wanted
        if drop and mask.any():
            missing[name] = mask
    return missing


def _missing_mask(values: Any) -> BoolArray:
    """Return a mask of missing values, empty for types without missing values."""
    return missing_entries(values if is_pandas(values) else np.asarray(values))
