"""Validation of vectors: one value per row, without missing values.

Labels, scores, frequencies, weights, clusters and folds are vectors. The functions return an array,
or raise an error that names the data and the rows, with a remedy. Scores may also be the
probabilities of both classes, a matrix whose column of the positive class is used.
"""

import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray, is_pandas, show_first
from pauci.errors import DataName, InputError, InputTypeError

VERIFIED = "verified"
"""Key of the column that states which labels are known."""


class NamedColumn(NamedTuple):
    """The name of a column in messages and its values, which are None if it is not used."""

    name: DataName
    values: Any


NamedColumns = dict[str, NamedColumn]
"""Columns by classifier, or by the key of what they are, such as "weight"."""


class DataColumns(NamedTuple):
    """The columns of a sample, and the rows of a frame that they contain."""

    label: NamedColumn
    scores: NamedColumns
    extras: NamedColumns
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

    def converted(self, function: Callable[[Any], Any]) -> "DataColumns":
        """Return these columns with a function of their values."""

        def of_column(column: NamedColumn) -> NamedColumn:
            unused = column.values is None
            return column if unused else column._replace(values=function(column.values))

        return self._replace(
            label=of_column(self.label),
            scores={key: of_column(column) for key, column in self.scores.items()},
            extras={key: of_column(column) for key, column in self.extras.items()},
        )


ABSENT = NamedColumn(DataName("", ""), None)

EXTRAS = ("frequency", "weight", "cluster", "fold")
"""Keys of optional values of each row besides the label and the scores."""

GROUP = "group "
"""Precedes the name of a grouping in the keys of further optional values."""


def array_column(key: str, values: Any) -> NamedColumn:
    """Return a column that was passed as an array; messages name a group after its argument."""
    name = DataName(key, key)
    if key.startswith(GROUP):
        name = DataName(repr(key.removeprefix(GROUP)), "group", after_argument=True)
    return NamedColumn(name, values)


def concatenated(
    arrays: Sequence[AnyArray | None], sizes: Sequence[int], fill: int
) -> AnyArray | None:
    """Return concatenated arrays, filled with a number for those that are None; None if all are."""
    known = next((a for a in arrays if a is not None), None)
    if known is None:
        return None
    pairs = zip(arrays, sizes, strict=True)
    return np.concatenate([np.full(n, fill, known.dtype) if a is None else a for a, n in pairs])


_LARGEST_EXACT_FLOAT = 2**53

_NONE_MISSING = np.zeros(0, bool)


def vector(name: str, value: object) -> AnyArray:
    """Return a 1-D array view of `value` without converting its numbers."""
    if value is None:
        raise InputTypeError.about(name, "is None; pass one value per row.", value=value)
    if isinstance(value, (str, bytes, dict, set)):
        problem = f"is a {type(value).__name__}; pass an array with one value per row."
        raise InputTypeError.about(name, problem, value=value)
    if type(value) is np.ndarray and value.dtype.kind != "V":
        array: AnyArray = value
    else:
        # Without importing numpy.ma.
        if "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray):
            masked = np.ma.getmaskarray(value)
            if masked.any():
                count = int(masked.sum())
                problem = f"has {count} masked value{'s' * (count > 1)}."
                hint = "Leave those rows out of every column: keep = ~np.ma.getmaskarray(x)."
                rows = np.flatnonzero(masked.ravel())
                raise InputError.about(name, problem, value=value, rows=rows, hint=hint)
            value = value.data
        if is_pandas(value):
            if hasattr(value, "levels"):
                problem = "is a MultiIndex; pass one value per row, such as one of its levels."
                raise InputTypeError.about(name, problem, value=value)
            refuse_missing(name, value)
            numpy_dtype = getattr(getattr(value, "dtype", None), "numpy_dtype", None)
            array = np.asarray(value, dtype=numpy_dtype)
        else:
            array = _from_sequence(name, value)
        if array.dtype.kind == "f" and isinstance(value, (list, tuple)):
            _refuse_rounding(name, value)
    if array.ndim != 1:
        _refuse_shape(name, value, array)
    if array.size == 0:
        problem = "is empty; pass at least one positive and one negative row."
        raise InputError.about(name, problem, value=value)
    return array


def _from_sequence(name: str, value: object) -> AnyArray:
    """Return a sequence or another array-like object as an array."""
    _refuse_batches(name, value)
    try:
        return as_array(value)
    except (ValueError, TypeError, RuntimeError) as error:
        reason = str(error).rstrip(".")
        if "inhomogeneous" in reason:  # NumPy's message does not name the argument
            reason = "it holds sequences of different lengths. Pass one value per row"
        problem = f"is not a flat array of values: {reason}."
        raise InputTypeError.about(name, problem, value=value) from None


def _refuse_shape(name: str, value: object, array: AnyArray) -> None:
    """Raise an error for an array that is not 1-D, with advice on obtaining a 1-D array."""
    if array.ndim == 0:
        problem = f"is a {type(value).__name__}; pass one value per row."
        raise InputTypeError.about(name, problem, value=value)
    columns = array.shape[1] if array.ndim == 2 else 0
    if columns > 1 and name.startswith(("y_score", "column")):
        hint = "pass proba[:, 1]" if columns == 2 else "pass one column"
        problem = (
            f"has shape {array.shape}; it must be 1-D, or have the probability of each class, with "
            f"sums of 1: {hint}, or a dict of named columns for several classifiers."
        )
        raise InputError.about(name, problem, value=value)
    if is_pandas(value):
        hint = "one column, frame['name']"
    elif columns > 1 and len(array) != 1:
        hint = "one column, x[:, 1], or the class of each row, x.argmax(axis=1) == 1"
    else:
        hint = "np.ravel(x)" if isinstance(value, (list, tuple)) else "x.ravel()"
    problem = f"has shape {array.shape}; it must be 1-D: pass {hint}."
    raise InputError.about(name, problem, value=value)


def as_array(value: Any) -> AnyArray:
    """Return an object as an array; it may be a tensor with a gradient, on a device, in bfloat16.

    The conversion is exact: single precision contains all numbers of bfloat16.
    """
    try:
        array = np.asarray(value)
    except (TypeError, RuntimeError):
        if isinstance(value, (list, tuple)) and any(hasattr(v, "detach") for v in value):
            return np.asarray([as_array(v) for v in value])
        if not hasattr(value, "detach"):
            raise
        tensor = value.detach()
        tensor = tensor.cpu() if hasattr(tensor, "cpu") else tensor
        tensor = tensor.float() if str(tensor.dtype).endswith("bfloat16") else tensor
        array = np.asarray(tensor)
    is_bfloat16 = array.dtype.kind == "V" and array.dtype.name == "bfloat16"
    return array.astype(np.float32) if is_bfloat16 else array


def _refuse_batches(name: str, value: object) -> None:
    """Raise an error for a list of arrays or tensors, such as the predictions of each batch."""
    if not isinstance(value, (list, tuple)):
        return
    if not any(getattr(v, "ndim", 0) for v in value):
        return
    several = name.startswith("y_score")
    more = ", and several classifiers are a dict of named columns." if several else "."
    problem = (
        f"is a {type(value).__name__} of arrays; pass one value per row. Batches of rows are "
        f"joined by np.concatenate(x), or torch.cat(x){more}"
    )
    raise InputTypeError.about(name, problem, value=value)


def number_vector(name: str, value: object) -> AnyArray:
    """Return one-dimensional data as an array, with numbers that are not objects."""
    return unboxed_numbers(name, vector(name, value))


def unboxed_numbers(name: str, values: AnyArray) -> AnyArray:
    """Convert an array of objects that are all numbers, or all booleans, to an array of these.

    Decimals and fractions are converted to floats if these distinguish the same values.
    """
    if values.dtype.kind != "O" or values.ndim != 1:
        return values
    numbers = (bool, int, float, np.bool_, np.integer, np.floating)
    objects = values.tolist()
    if not all(isinstance(v, numbers) for v in objects):
        return _from_exact_numbers(name, values)
    booleans = sum(isinstance(v, (bool, np.bool_)) for v in objects)
    if 0 < booleans < len(objects):
        return values  # booleans mixed with numbers are a mistake rather than 0 and 1
    array = np.asarray(objects)
    if array.dtype.kind == "f":
        _refuse_rounding(name, [int(v) if isinstance(v, np.integer) else v for v in objects])
    return array


def _from_exact_numbers(name: str, values: AnyArray) -> AnyArray:
    """Return decimals and fractions as floats; arrays of other objects are returned unchanged."""
    exact = (Decimal, Fraction)
    objects = values.tolist()
    if not all(isinstance(v, (int, *exact)) and not isinstance(v, bool) for v in objects):
        return values
    try:
        floats = np.array([float(v) for v in objects])
    except (OverflowError, ValueError):  # such as a signalling NaN
        return values
    if len(set(floats.tolist())) < len(set(objects)) and not np.isnan(floats).any():
        problem = "has different decimals that are the same as floats."
        hint = "Rank them first (scipy.stats.rankdata keeps order and ties)."
        raise InputError.about(name, problem, value=objects, hint=hint)
    return floats


def _refuse_rounding(name: str, value: list[Any] | tuple[Any, ...]) -> None:
    """Raise an error for a list with a large integer that would be rounded to a float."""
    for i, v in enumerate(value):
        if type(v) is int and abs(v) > _LARGEST_EXACT_FLOAT and int(float(v)) != v:
            problem = (
                f"mixes the integer {v} with other numbers, and as a float it would be rounded."
            )
            raise InputError.about(name, problem, value=v, rows=[i], hint="Pass an integer array.")


def missing_entries(value: Any) -> BoolArray:
    """Return a mask of missing entries, empty for lists and types without missing values."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            return np.isnan(value)
        if value.dtype.kind in "mM":
            return np.isnat(value)
        if value.dtype.kind == "O":
            values = value.ravel()
            try:
                return np.asarray((values != values) | (values == None), dtype=bool)  # noqa: E711
            except (TypeError, ValueError):  # pandas' NA, or objects that are compared elementwise
                return np.array([is_missing(v) for v in values], dtype=bool)
    elif is_pandas(value) and hasattr(value, "isna"):
        return np.asarray(value.isna()).reshape(-1)
    return _NONE_MISSING


def missing_rows(values: Any) -> BoolArray:
    """Return whether the value of each row of a column is missing."""
    missing = missing_entries(values if is_pandas(values) else np.asarray(values))
    return missing if missing.size else np.zeros(len(values), bool)


def numbered(values: Sequence[Any]) -> tuple[IntArray, list[Any]]:
    """Return the number of each value among the distinct ones, and these in order of occurrence.

    A value that cannot be hashed raises a `TypeError`.
    """
    distinct = list(dict.fromkeys(values))
    numbers = {value: i for i, value in enumerate(distinct)}
    return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values)), distinct


_LARGEST_RANGE = 4
"""Largest ratio of a range of integers to their number up to which they are counted."""


def numbered_in_order(values: AnyArray) -> tuple[IntArray, AnyArray]:
    """Return the number of each value among the distinct ones in ascending order, and these.

    Integers of a small range are counted, in less time than they are sorted.
    """
    if values.size and values.dtype.kind in "iu":
        low, high = int(values.min()), int(values.max())
        if low >= 0 and high < _LARGEST_RANGE * values.size:
            low = 0
        if high - low < _LARGEST_RANGE * values.size and high < 2**62:
            offsets = values.astype(np.int64) - low if low else values
            occurs = np.zeros(high - low + 1, bool)
            occurs[offsets] = True
            number = np.cumsum(occurs) - 1
            return number.take(offsets), (np.flatnonzero(occurs) + low).astype(values.dtype)
    distinct, numbers = np.unique(values, return_inverse=True)
    return numbers.reshape(-1), distinct


UNVERIFIED = " If labels are known in some rows only, pass verified=."


def refuse_missing(name: str, value: Any) -> None:
    """Raise an error for missing values, with their number and advice on leaving them out."""
    missing = missing_entries(value)
    if not (missing.size and missing.any()):
        return
    rows = np.flatnonzero(missing)
    condition = "x.notna()" if is_pandas(value) else "~pd.isna(x)"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        condition = "~np.isnan(x)"
    advice = "Rows are never dropped silently: impute them, or leave them out of every array"
    hint = getattr(name, "missing_advice", "") or (
        f"{advice}: keep = {condition}, then y_true[keep], y_score[keep]."
        + UNVERIFIED * (name == "y_true")
    )
    problem = f"has {rows.size} missing value{'s' * (rows.size > 1)}."
    raise InputError.about(name, problem, value=value, rows=rows, hint=hint)


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)  # only NaN and NaT differ from themselves
    except (TypeError, ValueError):
        return type(value).__name__ in ("NAType", "NaTType")


def distinct_values(values: AnyArray) -> list[object]:
    """Return the distinct values in order, or sorted by their repr if they have no order."""
    try:
        return list(np.unique(values).tolist())
    except TypeError:
        return sorted(set(values.tolist()), key=repr)


_LARGEST_ERROR = 0.01
"""Largest difference from 1 of the sum of a row, for half precision as well."""


def scores_of_positive(
    name: str, values: Any, label_name: str, labels: Any, positive: BoolArray
) -> Any:
    """Return the column of the positive class of a matrix of probabilities; else the values.

    The columns of ``predict_proba`` are in the order of the sorted labels.

    Parameters
    ----------
    name, label_name : str
        The names of the scores and of the labels in messages.
    values : object
        Scores, or an array of shape (n, k) with the probabilities of k classes.
    labels : array_like of shape (n,)
        The labels.
    positive : ndarray of bool, shape (n,)
        Whether each row is a positive.
    """
    if not _is_matrix(values):
        return values
    matrix = as_array(values)
    if matrix.ndim != 2 or matrix.shape[1] < 2 or matrix.dtype.kind not in "fiu":
        return values
    refuse_missing(name, matrix)
    error = np.abs(matrix.sum(axis=1, dtype=np.float64) - 1.0)
    if not len(matrix) or (matrix < 0).any() or error.max() > _LARGEST_ERROR:
        return values
    classes = distinct_values(vector(label_name, labels))
    if len(classes) != matrix.shape[1] or len(matrix) != positive.size:
        problem = (
            f"has the shape {matrix.shape}, but {label_name} has {positive.size:,} rows and "
            f"{len(classes)} labels ({show_first(classes)})."
        )
        hint = "Pass the column of the positive class, proba[:, list(model.classes_).index(label)]."
        raise InputError.about(name, problem, value=values, hint=hint)
    label = as_array(vector(label_name, labels))[positive.argmax()]
    at = next(i for i, other in enumerate(classes) if other == label)
    column: AnyArray = matrix[:, at]
    return column


def _is_matrix(values: Any) -> bool:
    """Return whether values may be a matrix, other than a data frame."""
    if is_pandas(values):
        return False
    if isinstance(values, (list, tuple)):
        rows = all(isinstance(v, (list, tuple)) for v in values)
        return rows and len({len(v) for v in values}) == 1
    return getattr(values, "ndim", 1) == 2
