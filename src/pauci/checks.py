"""Validation of general arguments: numbers, choices, and vectors without missing values.

Every function returns a validated value, or raises an error that names the argument, the value
received and a remedy.
"""

import math
import sys
from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np

from pauci.errors import InputError, InputTypeError

# Equivalent to the types of numpy.typing, whose import is slow.
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
IntArray = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
AnyArray = np.ndarray[Any, np.dtype[Any]]

_LARGEST_EXACT_FLOAT = 2**53


def is_pandas(value: object) -> bool:
    """Return whether `value` is a pandas object, without importing pandas."""
    return type(value).__module__.partition(".")[0] == "pandas"


def level(value: object) -> float:
    """Return a confidence level of at least 0.5 and below 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputTypeError(
            f"level={value!r} must be a number between 0 and 1, such as 0.95.",
            argument="level",
            value=value,
        )
    number = float(value)
    if 50.0 <= number < 100.0:
        hint = f" Did you mean {number / 100:g}?"
        raise InputError(
            f"level={value!r} must lie strictly between 0 and 1.{hint}",
            argument="level",
            value=value,
        )
    if 2.0 <= number < 50.0 or 0.0 < number < 0.5:
        meant = 1.0 - (number if number < 0.5 else number / 100)
        raise InputError(
            f"level={value!r} is not a confidence level between 0.5 and 1.",
            argument="level",
            value=value,
            hint=f"Did you mean level={float(f'{meant:.12g}')!r} for a {100 * meant:g} % interval?",
            shell_hint=f"Did you mean --level {float(f'{meant:.12g}')} for a {100 * meant:g} % "
            "interval?",
        )
    if not 0.5 <= number < 1.0:
        raise InputError(
            f"level={value!r} must lie strictly between 0 and 1, such as 0.95.",
            argument="level",
            value=value,
        )
    return number


def size_of_test(value: object) -> float:
    """Return the size of a test, ``alpha``, strictly between 0 and 1."""
    number = finite("alpha", value)
    if not 0.0 < number < 1.0:
        hint = f" Did you mean {number / 100:g}?" if 1.0 <= number < 100.0 else ""
        raise InputError(
            f"alpha={value!r} must lie strictly between 0 and 1, such as 0.05.{hint}",
            argument="alpha",
            value=value,
        )
    return number


def finite(argument: str, value: object) -> float:
    """Return a finite real number as a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputTypeError(
            f"{argument}={value!r} must be a number.", argument=argument, value=value
        )
    if not math.isfinite(value):
        raise InputError(f"{argument}={value!r} must be finite.", argument=argument, value=value)
    return float(value)


class DataName(str):
    """The name of data in messages, such as ``y_score['nn']``, with the argument that holds them.

    Parameters
    ----------
    words : str
        The name of the data in messages.
    argument : str
        The argument by which the data were passed.
    column : str, optional
        The column of a frame that contains the data; it is the value of the argument.
    missing_advice : tuple of str and str, optional
        Advice on missing values, in Python and on the command line.
    label_advice : tuple of str and str, optional
        Advice on labels of more than two classes, in Python and on the command line.
    """

    argument: str
    column: Any
    missing_advice: tuple[str, str] | None
    label_advice: tuple[str, str] | None

    def __new__(
        cls, words: str, argument: str, column: Any = None,
        missing_advice: tuple[str, str] | None = None, label_advice: tuple[str, str] | None = None,
    ) -> "DataName":  # fmt: skip
        """Return the words as a string with the other arguments as attributes."""
        name = super().__new__(cls, words)
        name.argument, name.column = argument, column
        name.missing_advice, name.label_advice = missing_advice, label_advice
        return name

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.argument, self.column, self.missing_advice, self.label_advice


def error_subject(name: str, value: object) -> dict[str, Any]:
    """Return the attributes `argument` and `value` of an error about data."""
    if not isinstance(name, DataName):
        return {"argument": name.partition("[")[0], "value": value}
    return {"argument": name.argument, "value": value if name.column is None else name.column}


def _is_masked(value: object) -> "TypeGuard[np.ma.MaskedArray[Any, Any]]":
    """Return whether `value` is a masked array, without importing `numpy.ma`."""
    return "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray)


def vector(name: str, value: object) -> AnyArray:
    """Return a 1-D array view of `value` without converting its numbers."""
    subject = error_subject(name, value)
    if value is None:
        raise InputTypeError(f"{name} is None; pass one value per row.", **subject)
    if isinstance(value, (str, bytes, dict, set)):
        raise InputTypeError(
            f"{name} is a {type(value).__name__}; pass an array with one value per row.", **subject
        )
    if _is_masked(value):
        value = _from_masked_array(name, value)
    array = _from_pandas(name, value) if is_pandas(value) else _from_sequence(name, value)
    if array.dtype.kind == "f" and isinstance(value, (list, tuple)):
        _refuse_rounding(name, value)
    if array.ndim != 1:
        _refuse_shape(name, value, array)
    if array.size == 0:
        raise InputError(
            f"{name} is empty; pass at least one positive and one negative row.", **subject
        )
    return array


def _from_masked_array(name: str, value: Any) -> AnyArray:
    """Return the data of a masked array; masked values raise an error."""
    masked = np.ma.getmaskarray(value)
    if masked.any():
        count = int(masked.sum())
        raise InputError(
            f"{name} has {count} masked value{'s' * (count > 1)}.",
            rows=np.flatnonzero(masked.ravel()),
            hint="Leave those rows out of every column: keep = ~np.ma.getmaskarray(x).",
            **error_subject(name, value),
        )
    data: AnyArray = value.data
    return data


def _from_pandas(name: str, value: Any) -> AnyArray:
    """Return the values of a pandas object; missing values raise an error."""
    if hasattr(value, "levels"):
        raise InputTypeError(
            f"{name} is a MultiIndex; pass one value per row, such as one of its levels.",
            **error_subject(name, value),
        )
    refuse_missing(name, value)
    numpy_dtype = getattr(getattr(value, "dtype", None), "numpy_dtype", None)
    return np.asarray(value, dtype=numpy_dtype)


def _from_sequence(name: str, value: object) -> AnyArray:
    """Return a sequence or another array-like object as an array."""
    _refuse_batches(name, value)
    try:
        return _to_array(value)
    except (ValueError, TypeError, RuntimeError) as error:
        reason = str(error).rstrip(".")
        if "inhomogeneous" in reason:  # NumPy's message does not name the argument
            reason = "it holds sequences of different lengths. Pass one value per row"
        raise InputTypeError(
            f"{name} is not a flat array of values: {reason}.", **error_subject(name, value)
        ) from None


def _refuse_shape(name: str, value: object, array: AnyArray) -> None:
    """Raise an error for an array that is not 1-D, with advice on obtaining a 1-D array."""
    subject = error_subject(name, value)
    if array.ndim == 0:
        raise InputTypeError(
            f"{name} is a {type(value).__name__}; pass one value per row.", **subject
        )
    columns = array.shape[1] if array.ndim == 2 else 0
    if columns > 1 and name.startswith(("y_score", "column")):
        hint = "pass proba[:, 1]" if columns == 2 else "pass one column"
        raise InputError(
            f"{name} has shape {array.shape}; it must be 1-D: {hint}, or a dict of "
            "named columns for several classifiers.",
            **subject,
        )
    if is_pandas(value):
        hint = "one column, frame['name']"
    elif columns > 1 and len(array) != 1:
        hint = "one column, x[:, 1], or the class of each row, x.argmax(axis=1) == 1"
    else:
        hint = "np.ravel(x)" if isinstance(value, (list, tuple)) else "x.ravel()"
    raise InputError(f"{name} has shape {array.shape}; it must be 1-D: pass {hint}.", **subject)


def _to_array(value: Any) -> AnyArray:
    """Return an object as an array; it may be a tensor with a gradient, on a device, in bfloat16.

    The conversion is exact: single precision contains all numbers of bfloat16.
    """
    try:
        array = np.asarray(value)
    except (TypeError, RuntimeError):
        if isinstance(value, (list, tuple)) and any(hasattr(v, "detach") for v in value):
            return np.asarray([_to_array(v) for v in value])
        if not hasattr(value, "detach"):
            raise
        tensor = value.detach()
        tensor = tensor.cpu() if hasattr(tensor, "cpu") else tensor
        tensor = tensor.float() if str(tensor.dtype).endswith("bfloat16") else tensor
        array = np.asarray(tensor)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _refuse_batches(name: str, value: object) -> None:
    """Raise an error for a list of arrays or tensors, such as the predictions of each batch."""
    if not isinstance(value, (list, tuple)):
        return
    if not any(getattr(v, "ndim", 0) for v in value):
        return
    several = name.startswith("y_score")
    raise InputTypeError(
        f"{name} is a {type(value).__name__} of arrays; pass one value per row. Batches of rows "
        "are joined by np.concatenate(x), or torch.cat(x)"
        + (", and several classifiers are a dict of named columns." if several else "."),
        **error_subject(name, value),
    )


def unboxed_numbers(name: str, values: AnyArray) -> AnyArray:
    """Convert an array of objects that are all numbers, or all booleans, to an array of these."""
    if values.dtype.kind != "O" or values.ndim != 1:
        return values
    numbers = (bool, int, float, np.bool_, np.integer, np.floating)
    objects = values.tolist()
    if not all(isinstance(v, numbers) for v in objects):
        return values
    booleans = sum(isinstance(v, (bool, np.bool_)) for v in objects)
    if 0 < booleans < len(objects):
        return values  # booleans mixed with numbers are a mistake rather than 0 and 1
    array = np.asarray(objects)
    if array.dtype.kind == "f":
        _refuse_rounding(name, [int(v) if isinstance(v, np.integer) else v for v in objects])
    return array


def _refuse_rounding(name: str, value: list[Any] | tuple[Any, ...]) -> None:
    """Raise an error for a list with a large integer that would be rounded to a float."""
    for i, v in enumerate(value):
        if type(v) is int and abs(v) > _LARGEST_EXACT_FLOAT and int(float(v)) != v:
            raise InputError(
                f"{name} mixes the integer {v} with other numbers, and as a float it would be "
                "rounded.",
                rows=[i],
                hint="Pass an integer array.",
                **error_subject(name, v),
            )


def missing_entries(value: Any) -> BoolArray:
    """Return a mask of missing entries, empty for lists and types without missing values."""
    if is_pandas(value):
        return np.asarray(value.isna()).reshape(-1) if hasattr(value, "isna") else np.zeros(0, bool)
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            return np.isnan(value)
        if value.dtype.kind in "mM":
            return np.isnat(value)
        if value.dtype.kind == "O":
            return np.array([is_missing(v) for v in value.flat], dtype=bool)
    return np.zeros(0, bool)


def refuse_missing(name: str, value: Any) -> None:
    """Raise an error for missing values, with their number and advice on leaving them out."""
    rows = np.flatnonzero(missing_entries(value))
    if not rows.size:
        return
    condition = "x.notna()" if is_pandas(value) else "~pd.isna(x)"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        condition = "~np.isnan(x)"
    advice = "Rows are never dropped silently: impute them, or leave them out of every array"
    hint, shell_hint = getattr(name, "missing_advice", None) or (
        f"{advice}: keep = {condition}, then y_true[keep], y_score[keep].",
        f"{advice}, --drop-missing.",
    )
    raise InputError(
        f"{name} has {rows.size} missing value{'s' * (rows.size > 1)}.",
        rows=rows,
        hint=hint,
        shell_hint=shell_hint,
        **error_subject(name, value),
    )


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


def show(value: object) -> str:
    """Return the repr of a value, shortened if it is long."""
    return _short(repr(value.item() if isinstance(value, np.generic) else value))


def show_first(values: list[object], most: int = 4) -> str:
    """Return the reprs of the first values of a list."""
    some = ", ".join(_short(repr(v)) for v in values[:most])
    return some + (", ..." if len(values) > most else "")


def _short(text: str, most: int = 80) -> str:
    """Return a text, without its middle if it is long, because a value can have megabytes."""
    return text if len(text) <= most else f"{text[: most - 20]}...{text[-10:]}"


def read_only(values: Any) -> Any:
    """Return an array after making it read-only."""
    values.flags.writeable = False
    return values


def nearest(value: object, choices: Iterable[str]) -> str:
    """Return ``". Did you mean 'x'?"`` for the choice that resembles `value`, else ``"."``."""
    import difflib  # imported here because the import is slow

    lowered = {option.lower(): option for option in choices}
    word = str(value).lower()
    close = difflib.get_close_matches(word, list(lowered), n=3)
    # Transposed letters are the most likely mistake.
    close.sort(key=lambda option: sorted(option) != sorted(word))
    return f". Did you mean {lowered[close[0]]!r}?" if close else "."


def check_whole(argument: str, value: object, least: int) -> None:
    """Raise an error unless the value is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(
            f"{argument}={value!r} must be a whole number.", argument=argument, value=value
        )
    if value < least:
        raise InputError(
            f"{argument}={value!r} must be at least {least}.", argument=argument, value=value
        )


def check_flag(argument: str, value: object) -> None:
    """Raise an error unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(
            f"{argument}={value!r} must be True or False.", argument=argument, value=value
        )


def wrong_type(argument: str, value: object, expected: str) -> InputTypeError:
    """Return the error for an argument of the wrong type: ``x is a list; pass <expected>.``."""
    return InputTypeError(
        f"{argument} is a {type(value).__name__}; pass {expected}.", argument=argument, value=value
    )


_DELONG = "The method of DeLong is the default, variance='influence'."
_CHOICE_ADVICE = {
    ("variance", "delong"): "The method of DeLong is 'influence', which is the default.",
    ("variance", "analytic"): "The analytic method is 'influence', which is the default.",
    ("method", "delong"): "The method of DeLong is 'influence', which is the default.",
    ("kind", "delong"): f"{_DELONG} kind= selects how an interval is calculated from the standard "
    "error.",
}
"""Advice on values that other software accepts, by argument and value in lower case."""


def choice_advice(argument: str, value: object) -> str | None:
    """Return the advice on a value that other software accepts; None if there is none."""
    return _CHOICE_ADVICE.get((argument, str(value).lower()))


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Raise an error unless the value is one of the choices."""
    options = list(choices)
    if not isinstance(value, str) or value not in options:
        accepted = ", ".join(repr(option) for option in options)
        advice = choice_advice(argument, value)
        hint = nearest(value, options) if advice is None else f". {advice}"
        raise InputError(
            f"{argument}={value!r} is not known{hint} Accepted: {accepted}.",
            argument=argument,
            value=value,
        )
