"""The boundary: turn what a user passes into clean arrays, once, or say what is wrong with it.

Every function either returns a clean, read-only array or raises an error that names the
argument, the value received and the way out. Nothing is dropped, guessed or flipped here, so
the code behind it can assume clean input.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.signedinteger[Any]]
FloatArray = NDArray[np.float64]
AnyArray = NDArray[Any]

_LARGEST_EXACT_FLOAT = 2**53


def is_pandas(value: object) -> bool:
    """Tell whether `value` is a pandas object, without importing pandas."""
    return type(value).__module__.partition(".")[0] == "pandas"


def labels(y_true: object, positive: object = None, argument: str = "y_true") -> BoolArray:
    """Return a boolean array, True for the positive class.

    0/1, True/False and -1/1 are understood as they are; any other pair of labels needs
    `positive`, the label of the positive class.
    """
    values = vector(argument, y_true)
    refuse_missing(argument, values)
    if positive is None:
        is_positive = _conventional_labels(argument, values)
    else:
        is_positive = _named_labels(argument, values, positive)
    n_pos = int(np.count_nonzero(is_positive))
    if n_pos in (0, values.size):
        raise ValueError(
            f"{argument} holds one class only: all {values.size} rows are "
            f"{show(values[0])}. An ROC curve needs positives and negatives."
        )
    clean: BoolArray = read_only(is_positive)
    return clean


def _conventional_labels(argument: str, values: AnyArray) -> BoolArray:
    if values.dtype.kind == "b":
        return values.astype(np.bool_)
    if values.dtype.kind in "iuf":
        is_positive: BoolArray = values == 1
        for negative in (0, -1):
            if bool((is_positive | (values == negative)).all()):
                return is_positive
    distinct = _distinct(values)
    if len(distinct) == 1:
        return np.zeros(values.size, np.bool_)
    if len(distinct) > 2:
        raise ValueError(
            f"{argument} has {len(distinct)} distinct values ({_show_some(distinct)}), and a "
            "label takes two. Are y_true and y_score swapped? Otherwise build the two-valued label "
            "first, for example y == 'cancer'."
        )
    raise ValueError(
        f"{argument} holds the labels {_show_some(distinct)}; which one is positive? "
        f"Pass positive={distinct[0]!r} or positive={distinct[-1]!r}."
    )


def _named_labels(argument: str, values: AnyArray, positive: object) -> BoolArray:
    if isinstance(positive, (list, tuple, set, dict, np.ndarray)):
        raise TypeError(f"positive={positive!r} must be one label, not a collection.")
    if _is_missing(positive):
        raise ValueError(
            f"positive={positive!r} is not among the labels of {argument}: a missing value is no "
            "label. Name the positive one."
        )
    with np.errstate(all="ignore"):
        is_positive = np.asarray(values == positive)
    if is_positive.shape != values.shape or not is_positive.any():
        raise ValueError(
            f"positive={positive!r} is not among the labels of {argument} "
            f"({_show_some(_distinct(values))})."
        )
    rest = values[~is_positive]
    if rest.size and not bool((rest == rest[0]).all()):
        distinct = _distinct(values)
        raise ValueError(
            f"{argument} has {len(distinct)} distinct values ({_show_some(distinct)}), and a "
            "label takes two. Build the two-valued label first, for example y == 'cancer'."
        )
    return is_positive.astype(np.bool_)


def scores(argument: str, y_score: object, n: int) -> tuple[AnyArray, tuple[object, ...] | None]:
    """Return a private copy of the scores (integers stay integers) and, if any, the categories."""
    categories: tuple[object, ...] | None = None
    dtype: Any = getattr(y_score, "dtype", None)
    if is_pandas(y_score) and hasattr(dtype, "categories"):
        if not dtype.ordered:
            raise TypeError(
                f"{argument} is an unordered Categorical ({_show_some(list(dtype.categories))}), "
                "so its categories have no direction. Order them from least to most positive: "
                "pd.Categorical(x, categories=[...], ordered=True)."
            )
        refuse_missing(argument, y_score)
        categories = tuple(dtype.categories)
        accessor: Any = getattr(y_score, "cat", y_score)
        values = np.array(accessor.codes, dtype=np.int64)
    else:
        values = vector(argument, y_score)
        kind = values.dtype.kind
        if kind == "c":
            raise TypeError(
                f"{argument} is complex ({values.dtype}); pass real scores, such as x.real."
            )
        if kind not in "biuf":
            refuse_missing(argument, values)
            row = next((i for i, v in enumerate(values.flat) if not _is_number(v)), 0)
            raise TypeError(
                f"{argument} has dtype {values.dtype}, not numbers: row {row} holds "
                f"{show(values.flat[row])}. Convert the scores yourself, for example with "
                "pd.to_numeric(x) or np.asarray(x, dtype=float)."
            )
        refuse_missing(argument, values)
        if kind == "f":
            if not np.isfinite(values).all():
                bad = np.flatnonzero(~np.isfinite(values))
                raise ValueError(
                    f"{argument} has {bad.size} infinite value{'s' * (bad.size > 1)} "
                    f"({_where(bad)}). Clip them, or rank the scores first "
                    "(scipy.stats.rankdata keeps order and ties)."
                )
            # A wider type merges no distinct values, so ties stay exactly the ties of the input.
            target = np.float64 if values.dtype.itemsize <= 8 else values.dtype
            values = np.array(values, dtype=target)
        else:
            values = np.array(values, dtype=np.int8 if kind == "b" else values.dtype)
    if values.size != n:
        raise ValueError(
            f"{argument} has {values.size} rows and y_true has {n}; they must be the same rows."
        )
    return read_only(values), categories


def level(value: object) -> float:
    """Return a confidence level strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"level={value!r} must be a number between 0 and 1, such as 0.95.")
    number = float(value)
    if not 0.0 < number < 1.0:
        hint = f" Did you mean {number / 100:g}?" if 2.0 <= number < 100.0 else ""
        raise ValueError(f"level={value!r} must lie strictly between 0 and 1.{hint}")
    return number


def finite(argument: str, value: object) -> float:
    """Return a finite real number as a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{argument}={value!r} must be a number.")
    if not math.isfinite(value):
        raise ValueError(f"{argument}={value!r} must be finite.")
    return float(value)


def same_index(first: object, second: object, argument: str) -> None:
    """Refuse two pandas objects that hold the same row labels in different orders."""
    if not (is_pandas(first) and is_pandas(second)):
        return
    a: Any = getattr(first, "index", None)
    b: Any = getattr(second, "index", None)
    if a is None or b is None or len(a) != len(b) or a.equals(b):
        return
    if a.is_unique and b.is_unique and a.sort_values().equals(b.sort_values()):
        raise ValueError(
            f"y_true and {argument} carry the same index in different orders, so their rows do "
            f"not match. Align them ({argument}.loc[y_true.index]), or pass .to_numpy() to pair "
            "by position."
        )


def named_scores(y_score: object, name: str | None) -> Iterator[tuple[str, str, object]]:
    """Yield (classifier, name in messages, values) of a single score or of a dict of scores."""
    if name is not None and (not isinstance(name, str) or not name):
        raise TypeError(f"name={name!r} must be a string that is not empty.")
    if isinstance(y_score, Mapping):
        if name is not None:
            raise ValueError(f"name={name!r} goes with a single score; a dict carries its names.")
        if not y_score:
            raise ValueError("y_score={} holds no classifier; pass {'name': scores}.")
        for key, values in y_score.items():
            if not isinstance(key, str) or not key:
                raise TypeError(f"y_score has the key {key!r}; classifiers are named by strings.")
            yield key, f"y_score[{key!r}]", values
        return
    if is_pandas(y_score) and hasattr(y_score, "columns"):
        raise TypeError(
            "y_score is a DataFrame; use pauci.Sample.from_frame(frame, label=..., scores=[...])."
        )
    series_name = getattr(y_score, "name", None) if is_pandas(y_score) else None
    yield (
        name or (series_name if isinstance(series_name, str) else None) or "score",
        "y_score",
        y_score,
    )


def vector(argument: str, value: object) -> AnyArray:
    """Return a 1-D array view of `value` without converting its numbers."""
    if value is None:
        raise TypeError(f"{argument} is None; pass one value per row.")
    if isinstance(value, (str, bytes, dict, set)):
        raise TypeError(
            f"{argument} is a {type(value).__name__}; pass an array with one value per row."
        )
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            count = int(np.ma.getmaskarray(value).sum())
            raise ValueError(
                f"{argument} has {count} masked value{'s' * (count > 1)}; leave those rows out of "
                "every column: keep = ~np.ma.getmaskarray(x)."
            )
        value = value.data
    if is_pandas(value):
        refuse_missing(argument, value)
        numpy_dtype = getattr(getattr(value, "dtype", None), "numpy_dtype", None)
        array = np.asarray(value, dtype=numpy_dtype)
    else:
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise TypeError(f"{argument} is not a flat array of values: {error}.") from None
    if array.dtype.kind == "f" and isinstance(value, (list, tuple)):
        _refuse_rounding(argument, value)
    if array.ndim == 0:
        raise TypeError(f"{argument} is a {type(value).__name__}; pass one value per row.")
    if array.ndim == 2 and argument.startswith(("y_score", "column")):
        hint = "pass proba[:, 1]" if array.shape[1] == 2 else "pass one column"
        raise ValueError(
            f"{argument} has shape {array.shape}; it must be 1-D: {hint}, or a dict of "
            "named columns for several classifiers."
        )
    if array.ndim != 1:
        hint = "one column, frame['name']" if is_pandas(value) else "x.ravel()"
        raise ValueError(f"{argument} has shape {array.shape}; it must be 1-D: pass {hint}.")
    if array.size == 0:
        raise ValueError(f"{argument} is empty; pass at least one positive and one negative row.")
    return array


def _refuse_rounding(argument: str, value: list[Any] | tuple[Any, ...]) -> None:
    """Refuse a list whose large integers would become ties as floats."""
    for v in value:
        if type(v) is int and abs(v) > _LARGEST_EXACT_FLOAT and int(float(v)) != v:
            raise ValueError(
                f"{argument} mixes the integer {v} with other numbers, and as a float it would be "
                "rounded. Pass an integer array."
            )


def refuse_missing(argument: str, value: Any) -> None:
    """Refuse missing values of any kind, with their number and the way to leave them out."""
    if is_pandas(value):
        missing = (
            np.asarray(value.isna()).reshape(-1) if hasattr(value, "isna") else np.zeros(0, bool)
        )
    elif not isinstance(value, np.ndarray):
        return
    elif value.dtype.kind in "fcmM":
        missing = np.isnan(value) if value.dtype.kind in "fc" else np.isnat(value)
    elif value.dtype.kind == "O":
        missing = np.array([_is_missing(v) for v in value.flat], dtype=bool)
    else:
        return
    if missing.any():
        rows = np.flatnonzero(missing)
        quoted = re.search("'(.*)'", argument)
        column = quoted[1] if quoted else argument
        raise ValueError(
            f"{argument} has {rows.size} missing value{'s' * (rows.size > 1)} ({_where(rows)}). "
            "Rows are never dropped for you: impute them, or leave them out of every column with "
            f"df = df.dropna(subset=[{column!r}])."
        )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _is_missing(value: object) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN alone is unequal to itself
    except (TypeError, ValueError):
        return type(value).__name__ in ("NAType", "NaTType")


def _distinct(values: AnyArray) -> list[object]:
    try:
        return list(np.unique(values).tolist())
    except TypeError:
        return sorted(set(values.tolist()), key=repr)


def show(value: object) -> str:
    """Return a value as Python would write it."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _show_some(values: list[object], most: int = 4) -> str:
    shown = ", ".join(repr(v) for v in values[:most])
    return shown + (", ..." if len(values) > most else "")


def _where(rows: NDArray[np.intp], most: int = 3) -> str:
    shown = ", ".join(str(int(r)) for r in rows[:most])
    return f"row{'s' * (rows.size > 1)} {shown}" + (", ..." if rows.size > most else "")


def read_only(values: Any) -> Any:
    """Return an array after protecting it from changes."""
    values.flags.writeable = False
    return values
