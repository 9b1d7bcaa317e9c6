"""Columns of frames by name, and the rows of frames that are used."""

import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.backends import frames
from pauci.checks import AnyArray, BoolArray
from pauci.curve.exact_sums import in_type_of
from pauci.errors import DataName, InputError, InputTypeError, MissingRowsWarning, show, warn
from pauci.sample import vectors
from pauci.sample.columns import refuse_similar_labels, refuse_unknown_label
from pauci.sample.rows import RowOptions
from pauci.sample.vectors import UNVERIFIED, DataColumns, NamedColumn

_BYTES = 250
"""Bytes for each row of a lazy frame whose weights are estimated."""


def opened_frame(frame: Any, otherwise: str) -> Any:
    """Return the columns of a frame by name; `otherwise` is the advice for other objects."""
    opened = frames.open_frame(frame)
    if hasattr(opened, "columns") and not isinstance(frame, type):
        return opened
    problem = (
        f"is a {type(frame).__name__}; pass a data frame of pandas, Polars, PyArrow, DuckDB, Dask, "
        f"Spark or Ibis, or {otherwise}."
    )
    raise InputTypeError.about("frame", problem, value=frame)


def complete_column(frame: Any, argument: str, name: Any, words: str = "") -> Any:
    """Return a column of a frame, or raise an error if it has missing values.

    `words` are the frame in error messages.
    """
    values = column_of(frame, argument, name)
    vectors.refuse_missing(DataName(f"column {name!r}{words}", argument, name), values)
    return values


def loaded_columns(selected: DataColumns, frame: frames.LazyColumns) -> DataColumns:
    """Return columns of a lazy frame with their values in memory."""
    names = dict.fromkeys(column.values.name for column in selected.used)
    with frames.backend_errors(frame.lazy):
        rows = frames.number_of_rows(frame.lazy)
        frames.check_memory(_BYTES * rows, f"{rows:,} rows", "Draw a random sample of the rows.")
        table = frames.open_frame(frames.collect(frame.lazy.select(*names)).to_native())
    return selected.converted(lambda values: table[values.name])


_NAMED_BY_STRINGS = "Columns of numbers are renamed by frame.columns = frame.columns.astype(str)."


def find_columns(
    frame: Any, label: Any, scores: Any, extras: dict[str, Any], argument: str = "label"
) -> DataColumns:
    """Return the columns of a frame by name."""
    names: list[Any] = list(scores) if isinstance(scores, (list, tuple)) else [scores]
    if not all(isinstance(key, str) for key in names):
        problem = "must name columns by strings."
        raise InputTypeError.of("scores", scores, problem, hint=_NAMED_BY_STRINGS)
    if not names:
        raise InputError.of("scores", [], "names no column; pass one or more score columns.")
    if label is None:
        raise InputTypeError.of("label", None, "must name the column of the labels.")
    of_label = named_column(frame, argument, label)
    of_scores = {key: named_column(frame, "scores", key) for key in names}
    others = {p: named_column(frame, p.split()[0], key, after=True) for p, key in extras.items()}
    for key in names:
        if names.count(key) > 1:
            problem = f"names {key!r} twice; name each column once."
            raise InputError.of("scores", key, problem, shown="")
        if checks.equal(key, label) or checks.equal(key, extras.get("time")):
            what = "labels" if argument == "label" else "times or events"
            problem = (
                f"names {key!r}, the column of the {what}, which would predict themselves; name "
                "another column."
            )
            raise InputError.of("scores", key, problem, shown="")
    return DataColumns(of_label, of_scores, others)


def renamed(selected: DataColumns, options: Any) -> tuple[DataColumns, Any]:
    """Return the columns and options with the name of a single classifier that was passed."""
    name = options.name
    checks.check_text("name", name)
    if name is None:
        return selected, options
    if len(selected.scores) > 1:
        problem = "is for a single score; several classifiers have the names of their columns."
        raise InputError.of("name", name, problem)
    ((column, values),) = selected.scores.items()
    lower = options.lower_is_positive
    listed = isinstance(lower, (list, tuple, set)) and set(lower) == {column}
    if listed or checks.equal(lower, column):
        options = options._replace(lower_is_positive=True)
    return selected._replace(scores={name: values}), options


def column_of(frame: Any, argument: str, key: Any) -> Any:
    """Return a single column of a frame; any other key raises an error."""
    if isinstance(key, (list, dict, set, np.ndarray)) or checks.is_pandas(key):
        problem = f"is a {type(key).__name__}, but must be the name of a column."
        raise InputTypeError.about(argument, problem, value=key)
    if key not in frame.columns:
        available = [str(c) for c in frame.columns]
        if isinstance(key, str) and key in available:
            problem = "is not a column, because the names of the columns are not strings."
            raise InputError.of(argument, key, problem, hint=_NAMED_BY_STRINGS)
        raise InputError.of(argument, key, _no_column(key, available))
    values = frame[key]
    if getattr(values, "ndim", 1) != 1:
        n = values.shape[1]
        several = (
            f"{n} columns; rename them" if n > 1 else "columns of several levels; flatten them"
        )
        raise InputError.of(argument, key, f"names {several}.")
    declared = getattr(frame, "attrs", {}).get("declared_missing", {}).get(key)
    if declared:
        problem = (
            f"the file declares values as missing, and they are treated as missing: {declared} in "
            f"column {key!r}."
        )
        hint = "If they are values like the others, use user_missing='values'."
        warn(MissingRowsWarning(problem, argument="user_missing", hint=hint))
    return values


def _no_column(name: object, available: list[str]) -> str:
    """Return the text of an error about a name that is not that of a column."""
    columns = checks.some_of(available, name)
    return f"is not a column{checks.nearest(name, available)} The columns are: {columns}."


def named_column(frame: Any, argument: str, key: Any, *, after: bool = False) -> NamedColumn:
    """Return a column of a frame by name; without a key, its values are None."""
    advice = MISSING_ADVICE + UNVERIFIED * (argument == "label")
    name = DataName(f"column {key!r}", argument, key, advice, after_argument=after)
    return NamedColumn(name, None if key is None else column_of(frame, argument, key))


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


_MOST_LABELS = 6
"""Largest number of labels of rows left out that a message lists."""


class Code(NamedTuple):
    """A code of missing values; a code from the command line may be a text or a number."""

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

        `occurring` are the codes of each used column that occur in it.
        """
        for names, meanings in self.required:
            used = [name for name in names if name in occurring]
            if not used or any(m in occurring[name] for name in used for m in meanings):
                continue
            problem = (
                f"is not a value of column{'s' * (len(used) > 1)} "
                f"{checks.show_first(list[object](used))}, so no value would be treated as missing."
            )
            raise InputError.of("missing", meanings[0], problem, hint="Correct or omit it.")

    def check_labels(
        self, argument: str, present: AnyArray, others: Mapping[Any, int], total: int
    ) -> None:
        """Issue a warning if rows are left out because of their label.

        A label of one of the classes that does not occur, and labels that differ from it only in
        case, blanks or type, raise an error.

        Parameters
        ----------
        argument : str
            The name of the labels in messages.
        present : ndarray
            Labels that occur.
        others : mapping of label to int
            The numbers of rows with labels of neither class, by label.
        total : int
            The number of all rows.
        """
        classes = {"positive": self.positive, "negative": self.negative}
        for name, wanted in classes.items():
            if not equals_any(present, [wanted]).any():
                refuse_unknown_label(argument, name, wanted, present)
        refuse_similar_labels(argument, [*classes.values(), *others], list(classes.values()))
        if not others:
            return
        ordered = sorted(others.items(), key=lambda item: (-item[1], str(item[0])))
        several = [f"{show(label)} ({number:,})" for label, number in ordered[:_MOST_LABELS]]
        if len(ordered) > _MOST_LABELS:
            several.append(f"and {len(ordered) - _MOST_LABELS:,} other labels")
        number = sum(others.values())
        problem = (
            f"{number} of {total} rows {checks.was_or_were(number)} left out, as "
            f"{'its' if number == 1 else 'their'} label is neither {self.positive!r} (positive) "
            f"nor {self.negative!r} (negative): "
            f"{', '.join(several)}."
        )
        warn(MissingRowsWarning(problem, argument="negative"))


def parse_restriction(
    options: RowOptions, label: Any, scores: Any, columns: list[str], positive: Any
) -> Restriction:
    """Validate the options and return the restriction.

    Parameters
    ----------
    options : RowOptions
        The negative label, if rows with other labels are left out, and codes of missing values in
        the columns of the label and the scores, or in the columns that are the keys of a dict.
    label, scores : str, sequence of str
        Columns of the label and of the scores.
    columns : list of str
        All columns of the frame.
    positive : scalar, optional
        The positive label.
    """
    missing, negative = options.missing, options.negative
    if negative is not None:
        if positive is None:
            problem = "requires the positive label as well."
            raise InputError.of("negative", negative, problem, hint="Specify it with positive=.")
        several = isinstance(negative, (list, tuple, set, dict, np.ndarray))
        if several or vectors.is_missing(negative):
            raise InputTypeError.of("negative", negative, "must be one label.")
        if negative == positive:
            raise InputError.of("negative", negative, "is the positive label too.")
    if missing is None:
        return Restriction({}, positive, negative)
    if isinstance(missing, Mapping):
        for name in missing:
            if name not in columns:
                raise InputError.of("missing", missing, f": {name!r} {_no_column(name, columns)}")
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


def _as_list(codes: Any) -> list[Code]:
    known = [code for code in checks.listed(codes) if not vectors.is_missing(code)]
    known = [code.item() if isinstance(code, np.generic) else code for code in known]
    return [code if isinstance(code, Code) else Code([code]) for code in known]


def equals_any(values: Any, wanted: list[Any]) -> BoolArray:
    """Return a mask of the values that equal one of several others of comparable type."""
    array = values if checks.is_pandas(values) else np.asarray(values)
    mask = np.zeros(len(array), bool)
    kind = getattr(getattr(array, "dtype", None), "kind", "O")
    for value in wanted:
        text = isinstance(value, str)
        if (kind in "biufc" and text) or (kind in "US" and not text) or vectors.is_missing(value):
            continue  # texts and numbers are never equal, and numpy would issue a warning
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            value = float(value) if abs(value) < sys.float_info.max else math.inf
        if np.iterable(value) and not text:
            continue
        same = array == in_type_of(value, getattr(array, "dtype", None))
        if checks.is_pandas(same) and hasattr(same, "fillna"):
            same = same.fillna(False)
        mask |= np.asarray(same, dtype=bool)
    return mask


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


def without_excluded(selected: DataColumns, restriction: Restriction, *, drop: bool) -> DataColumns:
    """Return the columns without the excluded rows, and issue a warning about these rows.

    Rows with labels other than the two of the restriction are excluded. If `drop` is true, rows
    with a missing value in any column are excluded as well; otherwise codes of missing values raise
    an error.
    """
    occurring = {}
    for name, values in selected.used:
        codes = restriction.codes.get(name.column, [])
        occurring[str(name.column)] = [code for code in codes if equals_any(values, [code]).any()]
    restriction.check_codes_occur(occurring)
    name, values = selected.label
    wanted, left_out = np.ones(len(values), bool), 0
    if restriction.negative is not None:
        no_label, array = vectors.missing_rows(values), np.asarray(values)
        wanted = equals_any(values, [restriction.positive, restriction.negative]) | no_label
        others = Counter(array[~wanted].tolist())
        restriction.check_labels(name, array[~no_label], others, wanted.size)
        left_out = others.total()
    missing = _missing_by_column(selected, restriction, wanted, drop=drop)
    incomplete = np.zeros(wanted.size, bool)
    for mask in missing.values():
        incomplete |= mask
    included = wanted & ~incomplete
    if included.all():
        return selected
    counts = [f"{mask.sum()} in {name}" for name, mask in missing.items()]
    dropped_rows, kept = np.flatnonzero(incomplete), np.flatnonzero(included)
    lines, noun = lines_of(selected.label.values)
    shown = dropped_rows if lines is None else lines[dropped_rows]
    total = included.size if kept.size else 0
    frames.warn_dropped(counts, dropped_rows.size, total, shown, noun or "row")
    return selected.converted(
        lambda values: values.iloc[kept] if hasattr(values, "iloc") else np.asarray(values)[kept]
    )._replace(kept=kept, dropped=dropped_rows.size, left_out=left_out)


def _missing_by_column(
    selected: DataColumns, restriction: Restriction, wanted: BoolArray, *, drop: bool
) -> dict[str, BoolArray]:
    """Return a mask of the wanted rows with a missing value for each column that has any."""
    missing: dict[str, BoolArray] = {}
    for name, values in selected.used:
        coded = equals_any(values, restriction.codes.get(name.column, [])) & wanted
        if coded.any() and not drop:
            rows = np.flatnonzero(coded)
            problem = (
                f"has {rows.size} missing value{'s' * (rows.size > 1)}, by its codes of missing "
                "values."
            )
            raise InputError.about(name, problem, value=values, rows=rows, hint=MISSING_ADVICE)
        mask = coded | (vectors.missing_rows(values) & wanted)
        if drop and mask.any():
            missing[name] = mask
    return missing
