"""Samples from data frames in memory, or on an engine that delivers the rows that are needed.

At most four rows for each of `resolution` cells are read from an engine as they are. Of more rows,
a pass over the columns of numbers decides: few distinct rows are grouped by the engine, with their
numbers as frequencies. Others are read in batches, in which scores with more than `resolution`
distinct values are replaced by the numbers of their cells (`pauci.backends.cells`). Of a single
score without other columns, the rows of each cell are counted. From there on the rows are those of
any other sample.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np

from pauci import checks
from pauci.backends import frames
from pauci.backends.cells import CELLS, DRAWN, ScoreCells, counted, draw, encoded, joined
from pauci.backends.source import (
    Source,
    UsedColumn,
    occurring_codes,
    read_columns,
    refuse_codes,
    replace_codes,
    rows_with_labels,
)
from pauci.checks import AnyArray, BoolArray
from pauci.curve.exact_sums import in_score_type, in_type_of, score_type_of
from pauci.errors import DataName, InputError, InputTypeError
from pauci.number_texts import notation_in, numbers_of
from pauci.progress import ProgressBar
from pauci.sample import columns, frame_columns, vectors
from pauci.sample.frame_columns import MISSING_ADVICE, Restriction
from pauci.sample.ratings import Ratings
from pauci.sample.repeated_rows import warn_if_cases_recur
from pauci.sample.rows import DataOptions, FrameRows, RowOptions, Rows
from pauci.sample.validation import validate, warn_if_rows_depend
from pauci.sample.vectors import EXTRAS, GROUP, VERIFIED, DataColumns, NamedColumn
from pauci.sample.verified import with_known_labels


def read_frame(
    frame: Any,
    label: Any,
    scores: Any,
    extras: dict[str, Any],
    options: DataOptions,
    rows: RowOptions,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings of a data frame, in memory or on an engine."""
    opened = frame_columns.opened_frame(frame, "use pauci.Sample(y_true, y_score) for arrays")
    names = [str(c) for c in opened.columns]
    restriction = frame_columns.parse_restriction(rows, label, scores, names, options.positive)
    check_resolution(rows.resolution)
    checks.check_flag("drop_missing", rows.drop_missing)
    selected = frame_columns.find_columns(opened, label, scores, extras)
    selected, options = frame_columns.renamed(selected, options)
    ends = thresholds_by_classifier(rows.thresholds, list(selected.scores))
    if isinstance(opened, frames.LazyColumns):
        if VERIFIED not in extras:
            return _read_engine(opened.lazy, selected, options, restriction, rows, ends)
        selected, opened = frame_columns.loaded_columns(selected, opened), None
    with frame_columns.original_row_numbers(*frame_columns.lines_of(opened)):
        return _read_memory(selected, options, restriction, opened, drop=bool(rows.drop_missing))


def check_resolution(value: object) -> None:
    """Raise an error for a resolution other than a number of cells, "exact" or None."""
    if value is None or checks.equal(value, "exact"):
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError.of("resolution", value, 'must be a number of cells or "exact".')
    checks.check_whole("resolution", value, 2)


def thresholds_by_classifier(value: object, names: list[str]) -> dict[str, list[float]]:
    """Return the thresholds of each classifier, or raise an error."""
    if isinstance(value, Mapping):
        columns.check_names("thresholds", value, value, names)
        return {name: _numbers(values) for name, values in value.items()}
    return dict.fromkeys(names, _numbers(value))


def _numbers(value: object) -> list[float]:
    """Return one or several thresholds as a list."""
    several = checks.listed(value)
    if not all(isinstance(t, Real) and checks.is_finite(t) for t in several):
        raise InputTypeError.of("thresholds", value, "must be one or several finite numbers.")
    return [float(t) for t in several]


def _read_memory(
    selected: DataColumns, options: DataOptions, restriction: Restriction, frame: Any, *, drop: bool
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings of columns in memory, of a frame that may have other columns."""
    known = selected.extras.get(VERIFIED)
    if known is not None:
        for argument, value in (("missing", restriction.codes), ("negative", restriction.negative)):
            if value:
                raise InputError.of(argument, value, "is not available with verified=.", shown="")
        selected = selected._replace(label=with_known_labels(selected.label, known))
    if drop or restriction.codes or restriction.negative is not None:
        selected = frame_columns.without_excluded(selected, restriction, drop=drop)
    extras = selected.extras
    index = columns.index_of(selected.label.values)
    frame_columns.check_index_of_frame(extras["fold"], extras["cluster"], index)
    with frame_columns.original_row_numbers(selected.kept):
        read = getattr(frame, "attrs", {})
        if restriction.codes and "read_as" in read:
            selected = _numbers_without_codes(selected, restriction, read)
        validated = validate(selected, options)
    if frame is None or extras["frequency"].values is not None:
        return validated
    if not warn_if_cases_recur(frame, selected, options.positive):
        rows, ratings = validated
        warn_if_rows_depend(rows, next(iter(ratings.values())).values)
    return validated


def _numbers_without_codes(
    selected: DataColumns, restriction: Restriction, read: Mapping[str, Any]
) -> DataColumns:
    """Convert columns that are texts only because of codes of missing values to numbers."""

    def converted(column: NamedColumn) -> NamedColumn:
        name, values = column
        if values.dtype.kind in "iufbM" or not restriction.codes.get(name.column):
            return column
        numbers = numbers_of(values, notation_in(values.reset_index(drop=True), read))
        return column if numbers is None else NamedColumn(name, numbers)

    scores = {key: converted(column) for key, column in selected.scores.items()}
    label = selected.label if restriction.positive is not None else converted(selected.label)
    return selected._replace(label=label, scores=scores)


# Multiple imputation

_NUMBERS = "Number all rows, those of the incomplete data by 0."


def completed_frames(given: Any, imputation: Any) -> list[Any]:
    """Return the frame of each completed data set, from a list or from the rows of one frame."""
    if isinstance(given, (list, tuple)):
        if imputation is not None:
            problem = "is for a single frame with the rows of all imputations."
            raise InputError.of("imputation", imputation, problem)
        completed = list(map(_in_memory, given))
    else:
        completed = _parts(_in_memory(given), imputation)
    if len(completed) < 2:
        problem = (
            f"has {checks.count(len(completed), 'completed data set')}; the variance between "
            "imputations needs at least two."
        )
        raise InputError.about("frames", problem, value=given)
    for frame in completed:
        if not hasattr(frames.open_frame(frame), "columns"):
            problem = f"holds {checks.kind_of(frame)}; pass data frames."
            raise InputTypeError.about("frames", problem, value=frame)
    sizes: list[object] = [len(frame) for frame in completed]
    if len({*sizes}) > 1:
        shown = checks.show_first(sizes)
        problem = f"has completed data sets of different numbers of rows: {shown}."
        raise InputError.about("frames", problem, value=given)
    return completed


def _in_memory(frame: Any) -> Any:
    """Return a frame, whose rows are read if it is lazy."""
    opened = frames.open_frame(frame)
    if not isinstance(opened, frames.LazyColumns):
        return frame
    with frames.backend_errors(opened.lazy):
        return frames.collect(opened.lazy).to_native()


def _parts(frame: Any, imputation: Any) -> list[Any]:
    """Return the rows of each imputation, without the incomplete data of number 0."""
    if imputation is None:
        problem = (
            "is missing: the column with the number of the imputation of each row, such as .imp."
        )
        hint = "Or pass a list with the frame of each completed data set."
        raise InputTypeError.of("imputation", None, problem, shown="", hint=hint)
    opened = frames.open_frame(frame)
    column = frame_columns.column_of(opened, "imputation", imputation)
    name = DataName(f"column {imputation!r}", "imputation", missing_advice=_NUMBERS)
    vectors.refuse_missing(name, column)
    numbers = np.asarray(column)
    masks = [numbers == k for k in dict.fromkeys(numbers.tolist())]
    original = np.array([number in (0, "0") for number in numbers.tolist()])
    if _are_incomplete(opened, original):
        masks = [mask for mask in masks if not original[mask].any()]
    if checks.is_pandas(frame):
        return [frame[mask] for mask in masks]
    nw = frames.narwhals()
    native = nw.from_native(frame, eager_only=True)
    return [native.filter(mask.tolist()).to_native() for mask in masks]


def _are_incomplete(frame: Any, rows: BoolArray) -> bool:
    """Return whether some rows have missing values in a column that is complete in the others."""
    for name in frame.columns if rows.any() else ():
        # Nested values may be in columns that are not used.
        with suppress(InputTypeError):
            missing = vectors.missing_entries(np.asarray(frame[name]))
            if missing.shape == rows.shape and missing[rows].any() and not missing[~rows].any():
                return True
    return False


# Frames on an engine

Resolution = int | Literal["exact"] | None

_LEAST_COPIES = 4.0
"""Mean number of equal rows from which the engine groups them."""

_ROWS_PER_CELL = 4
"""Number of rows for each cell up to which all rows are read as they are."""

_MOST_LABELS = 2**20
"""Largest number of distinct labels that are read."""

_BYTES, _BYTES_OF_COLUMN = 30, 20
"""Bytes for each row in memory, and for each of its scores, weights and clusters; twice as many for
a score that is not in cells, and has to be sorted."""

_LARGEST_EXACT = 2**53
"""Largest integer up to which all integers are exact in double precision."""


RowsRead = tuple[dict[str, AnyArray], Mapping[str, ScoreCells]]
"""Rows, or groups of equal rows, in memory, and the cells of scores that are in cells.

The columns are whether each row is positive ("label"), its scores and its other columns. A score in
cells is the number of its cell.
"""


def _read_engine(
    frame: Any,
    selected: DataColumns,
    options: DataOptions,
    restriction: Restriction,
    rows: RowOptions,
    thresholds: Mapping[str, Sequence[float]],
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and the ratings of a lazy frame."""
    checks.check_choice("design", options.design, ("cohort", "case-control"))
    used = list(_used_columns(selected))
    with frames.backend_errors(frame):
        occurring = occurring_codes(frame, used, restriction.codes)
    restriction.check_codes_occur(occurring)
    labels = restriction.positive, restriction.negative
    positive, negative = (in_type_of(label, used[0].column.dtype) for label in labels)
    left_out = 0
    if negative is not None:  # only rows with these labels are used
        restriction = restriction._replace(positive=positive, negative=negative)
        frame, others, total, present = rows_with_labels(frame, used[0], positive, negative)
        restriction.check_labels(used[0].name, present, others, total)
        left_out = sum(others.values())
    # Rows of an engine have no numbers that messages could state.
    with frames.backend_errors(frame), frame_columns.original_row_numbers([]):
        if not rows.drop_missing:
            refuse_codes(frame, used, occurring, MISSING_ADVICE)
        frame, used = replace_codes(frame, used, restriction.codes)
        drop = bool(rows.drop_missing)
        source = read_columns(frame, used, drop_missing=drop, left_out=left_out)
        source = _with_labels(source, positive)
        names = [a.classifier for a in source.scores]
        lower = columns.names_with_lower_positive(options.lower_is_positive, names)
        table = _table(source, rows.resolution, _starts(source, thresholds, lower))
        return _sample(source, table, options)


def _used_columns(selected: DataColumns) -> Iterator[UsedColumn]:
    """Yield the columns that are used, with their short names."""
    yield UsedColumn("label", "label", selected.label.values, selected.label.name)
    for i, (classifier, column) in enumerate(selected.scores.items()):
        yield UsedColumn(f"score{i}", "score", column.values, column.name, classifier)
    for part, column in selected.extras.items():
        name, values = column
        if values is not None:
            yield UsedColumn(part, part.partition(" ")[0], values, name)


def _starts(
    source: Source, thresholds: Mapping[str, Sequence[float]], lower: set[str]
) -> dict[str, list[float]]:
    """Return the scores at which cells begin, so that thresholds are ends of cells."""
    starts = {}
    for a in source.scores:
        score_type = score_type_of(a.column.dtype)
        given = [in_score_type(t, score_type) for t in thresholds.get(a.classifier, ())]
        # Scores at or below a threshold are positive if lower scores are.
        starts[a.key] = [math.nextafter(t, math.inf) if a.classifier in lower else t for t in given]
    return starts


def _with_labels(source: Source, positive: Any) -> Source:
    """Return the source with its labels, which the engine counts."""
    number = frames.narwhals().len().alias("rows")
    counted = source.frame.select("label").group_by("label").agg(number)
    found = frames.collect(counted.head(_MOST_LABELS))
    labels, rows = to_array(found["label"]), to_array(found["rows"])
    name = source.label.name
    is_positive, rest = columns.labels(labels, positive, name, rows=source.rows)
    (chosen,) = labels[is_positive][:1]
    n_pos = int(rows[is_positive].sum())
    counts = n_pos, source.rows - n_pos
    return replace(source, positive=chosen, class_rows=counts, rest=rest)


def _table(source: Source, resolution: Any, starts: Mapping[str, Sequence[float]]) -> RowsRead:
    """Return the rows, grouped or with scores in cells if there are many."""
    most = CELLS if resolution is None else source.rows if resolution == "exact" else resolution
    keys = source.numbers
    if source.rows <= _ROWS_PER_CELL * most or not keys:
        return _rows(source, {}, many=False)
    scores = [a.key for a in source.scores if a.key in keys]
    share = min(1.0, DRAWN / source.rows)
    drawn = joined(list(_read(source, keys, partial(draw, scores, keys, share))))
    distinct_scores, rows_of_scores, hashes = drawn
    many = [k for k, v in zip(scores, distinct_scores, strict=True) if v.size / share > most]
    distinct = hashes.size / share
    texts = [a.key for a in source.used[1:] if a.key not in (*keys, "frequency")]
    if texts:  # the largest possible number of distinct rows
        numbers = [frames.narwhals().col(key).n_unique() for key in texts]
        found = frames.collect(source.frame.select(*numbers))
        distinct *= math.prod(float(found[key].to_list()[0]) for key in texts)
    if distinct <= source.rows / _LEAST_COPIES or (not many and distinct <= most):
        return _grouped(source, distinct)
    cells = {}
    for key, values, rows in zip(scores, distinct_scores, rows_of_scores, strict=True):
        if key in many:
            low, high = source.ranges[key]
            _refuse_changed(values[0] < low or values[-1] > high)
            _check_precision(source.column(key), source.ranges[key])
            cells[key] = ScoreCells.of(values, rows, source.ranges[key], starts[key], most)
    if cells and all(a.key in ("label", "score0", "frequency") for a in source.used):
        return _counted(source, cells)
    return _rows(source, cells)


def _check_precision(a: UsedColumn, ends: tuple[float, float]) -> None:
    """Raise an error for integers that cannot be put into cells."""
    if a.column.dtype.is_integer() and max(abs(int(end)) for end in ends) > _LARGEST_EXACT:
        problem = (
            f"{a.name} contains integers above 2^53, which are not exact in double precision, as "
            "the calculation of cells requires."
        )
        hint = "Subtract a constant, or use resolution='exact'."
        raise InputError(problem, argument="resolution", hint=hint)


def _read(
    source: Source, keys: Sequence[str], function: Any, *, many: bool = True
) -> Iterator[Any]:
    """Yield the results of a function for each batch of the rows."""
    with ProgressBar(source.rows, "reading", " rows") as bar:
        for rows, found in frames.mapped(source.frame.select(*keys), function, many=many):
            yield found
            bar.add(rows)


class _ColumnReader:
    """The values of a column, batch by batch; texts are stored once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: AnyArray = np.empty(0)
        self._filled = 0
        self._texts: dict[Any, int] = {}

    def add(self, values: AnyArray) -> None:
        """Append a batch."""
        if values.dtype.kind not in "biufmM":
            known = self._texts
            numbers = (known.setdefault(value, len(known)) for value in values.tolist())
            values = np.fromiter(numbers, np.int32, values.size)
        if not self._filled:
            self._values = np.empty(self._size, values.dtype)
        stop = self._filled + values.size
        self._values[self._filled : stop] = values[: self._size - self._filled]
        self._filled = stop

    def array(self) -> AnyArray:
        """Return all values."""
        _refuse_changed(self._filled != self._size)
        return checks.objects_of(list(self._texts))[self._values] if self._texts else self._values


def _rows(source: Source, cells: Mapping[str, ScoreCells], *, many: bool = True) -> RowsRead:
    """Return all rows, with scores in cells."""
    keys = [a.key for a in source.used]
    _check_memory(source, source.rows, in_cells=len(cells))
    values = {key: _ColumnReader(source.rows) for key in keys}
    for found in _read(source, keys, partial(encoded, source.positive, cells), many=many):
        for key, array in found.items():
            values[key].add(array)
    found = {key: values.pop(key).array() for key in keys}
    _refuse_changed(int(found["label"].sum()) != source.class_rows[0])
    for key, (low, high) in source.ranges.items():
        array = found[key]
        last = cells[key].scores.size - 1 if key in cells else high
        _refuse_changed(array.max() != last or (key not in cells and array.min() != low))
    return found, cells


def _counted(source: Source, cells: Mapping[str, ScoreCells]) -> RowsRead:
    """Return the number of rows of each class in each cell of the only score."""
    ((key, of_score),) = cells.items()
    counts = np.zeros(2 * of_score.scores.size + 2, np.int64)
    occurs, rows = np.zeros(counts.size, bool), np.zeros(2, np.int64)
    keys = [a.key for a in source.used]
    for at, numbers, of_class in _read(source, keys, partial(counted, source.positive, cells)):
        counts[at] += numbers
        occurs[at] = True
        rows += of_class
    # The largest score is in the last cell, and none is beyond.
    _refuse_changed(rows.sum() != source.rows or occurs[-2:].any() or not occurs[-4:].any())
    _refuse_changed(int(rows[1]) != source.class_rows[0])
    (at,) = occurs.nonzero()
    found = {"label": at % 2 == 1, key: (at // 2).astype(np.int32), "frequency": counts[at]}
    return found, cells


def _grouped(source: Source, distinct: float) -> RowsRead:
    """Return the distinct rows, which the engine groups, with their frequencies."""
    nw = frames.narwhals()
    _check_memory(source, min(distinct, source.rows))
    keys = [a.key for a in source.used if a.role != "frequency"]
    one = nw.lit(1).cast(nw.Int64)
    copies = nw.col("frequency").cast(nw.Int64) if source.has("frequency") else one
    frame = source.frame.with_columns(copies.alias("copies"), one.alias("rows"))
    sums = [nw.col(name).sum() for name in ("copies", "rows")]
    found = frames.collect(frame.select(*keys, "copies", "rows").group_by(*keys).agg(*sums))
    table = {key: to_array(found[key]) for key in keys}
    table["label"] = np.asarray(table["label"] == source.positive, bool)
    sums_of = {name: to_array(found[name].cast(nw.Int64)) for name in ("copies", "rows")}
    _refuse_changed(sums_of["rows"].sum() != source.rows)
    _refuse_changed(int(sums_of["rows"][table["label"]].sum()) != source.class_rows[0])
    table["frequency"] = sums_of["copies"]
    # The order of groups is arbitrary, and bootstrap samples depend on it.
    order = np.lexsort([_ranks(column) for column in table.values()])
    return {key: values[order] for key, values in table.items()}, {}


def to_array(series: Any) -> AnyArray:
    """Return a column of a table in memory as an array."""
    return np.asarray(frames.column_values(series))


def _check_memory(source: Source, rows: float, *, in_cells: int = 0) -> None:
    """Raise an error if the rows need more memory than this process may use."""
    number = len(source.used) - 1 + len(source.scores) - in_cells
    several = len(source.scores) > 1
    advice = "one score at a time, " if several else ""
    frames.check_memory(
        rows * (_BYTES + _BYTES_OF_COLUMN * number),
        f"{source.rows:,} rows",
        f"Read {advice}fewer rows (a random sample), or scores that are rounded to fewer digits.",
    )


def _refuse_changed(changed: object) -> None:
    """Raise an error for a frame whose rows differ each time it is read."""
    if changed:
        problem = (
            "the rows of the frame differ each time they are read. Store the result of a random "
            "query, or of a table that is being changed, and use the stored rows."
        )
        raise InputError(problem, argument="frame")


def _sample(
    source: Source, table: RowsRead, options: DataOptions
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and the ratings of a table."""
    found, cells = table
    names = {a.key: a.name for a in source.used} | {"label": source.label.name}
    names.setdefault("frequency", DataName("frequency", "frequency"))
    scores = {}
    for a in source.scores:
        if a.key in cells:
            values = cells[a.key].scores.take(found[a.key])
        else:
            values = _in_categories(source, a.key, found.pop(a.key))
        scores[a.classifier] = NamedColumn(a.name, values)
    extras = {}
    for key in [key for key in found if key in EXTRAS or key.startswith(GROUP)]:
        ordered = key.startswith((GROUP, "fold"))
        values = _in_categories(source, key, found.pop(key)) if ordered else found.pop(key)
        extras[key] = NamedColumn(names[key], values)
    label = NamedColumn(source.label.name, found.pop("label"))
    data = DataColumns(label, scores, extras, None, source.dropped, source.left_out)
    options = options._replace(positive=None)
    rows, ratings = validate(data, options, rest=source.rest, sizes=source.class_rows)
    del label, scores, extras, data  # so that columns that were converted do not take memory
    facts = FrameRows(source.zero_weight, source.has("frequency"))
    rows = replace(rows, frame_rows=facts)
    for a in source.scores:
        r = ratings[a.classifier]
        r.rows, r.score_type = rows, score_type_of(a.column.dtype)
        if a.key in cells:
            of_score = cells[a.key]
            r.tabulate_cells(found.pop(a.key), of_score.scores, of_score.single)
    return rows, ratings


def _in_categories(source: Source, key: str, values: AnyArray) -> Any:
    """Return the values of a column with an ordinal scale as an ordered categorical of pandas."""
    dtype = source.column(key).column.dtype
    if not isinstance(dtype, frames.narwhals().Enum):
        return values
    import pandas as pd

    return pd.Series(pd.Categorical(values, categories=list(dtype.categories), ordered=True))


def _ranks(values: AnyArray) -> AnyArray:
    """Return numbers in the order of values."""
    if values.dtype.kind in "iu" and values.size and 0 <= values.min() <= values.max() < 2**16:
        return values.astype(np.uint16)  # sorted in linear time
    if values.dtype.kind in "biuf":
        return values
    if values.dtype.kind != "O":
        return np.unique(values, return_inverse=True)[1]
    numbers, distinct = vectors.numbered(values.tolist())  # only the distinct objects are sorted
    try:
        order = sorted(range(len(distinct)), key=distinct.__getitem__)
    except TypeError:  # values without an order, such as intervals of time with months
        order = sorted(range(len(distinct)), key=lambda i: str(distinct[i]))
    return np.argsort(order)[numbers]
