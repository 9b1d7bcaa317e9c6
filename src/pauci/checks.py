"""Checks of arguments that know nothing of curves: numbers, choices, vectors without gaps.

Every function either returns a clean value or raises an error that names the argument, the value
received and the way out.
"""

import math
import sys
from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np

from pauci.errors import InputError, InputTypeError

# As NDArray of numpy.typing, which takes longer to load than it is worth here.
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
IntArray = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
AnyArray = np.ndarray[Any, np.dtype[Any]]

_LARGEST_EXACT_FLOAT = 2**53


def is_pandas(value: object) -> bool:
    """Tell whether `value` is a pandas object, without importing pandas."""
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
    """What messages call some data, such as ``y_score['nn']``, with the argument they came by.

    Parameters
    ----------
    words : str
        What messages call the data.
    argument : str
        The argument that they came by.
    column : str, optional
        The column of a frame that they are, which is what that argument was given.
    about_missing : tuple of str and str, optional
        The advice about missing values, in Python and on the command line.
    about_labels : tuple of str and str, optional
        The advice about labels of more than two classes, in Python and on the command line.
    """

    argument: str
    column: Any
    about_missing: tuple[str, str] | None
    about_labels: tuple[str, str] | None

    def __new__(
        cls, words: str, argument: str, column: Any = None,
        about_missing: tuple[str, str] | None = None, about_labels: tuple[str, str] | None = None,
    ) -> "DataName":  # fmt: skip
        """Return the words as a text that knows more."""
        name = super().__new__(cls, words)
        name.argument, name.column = argument, column
        name.about_missing, name.about_labels = about_missing, about_labels
        return name

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.argument, self.column, self.about_missing, self.about_labels


def about(name: str, value: object) -> dict[str, Any]:
    """Return the argument and the value that an error about some data is about."""
    if not isinstance(name, DataName):
        return {"argument": name.partition("[")[0], "value": value}
    return {"argument": name.argument, "value": value if name.column is None else name.column}


def _is_masked(value: object) -> "TypeGuard[np.ma.MaskedArray[Any, Any]]":
    """Tell whether `value` is a masked array; without such numpy need not load what makes them."""
    return "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray)


def vector(name: str, value: object) -> AnyArray:
    """Return a 1-D array view of `value` without converting its numbers."""
    given = about(name, value)
    if value is None:
        raise InputTypeError(f"{name} is None; pass one value per row.", **given)
    if isinstance(value, (str, bytes, dict, set)):
        raise InputTypeError(
            f"{name} is a {type(value).__name__}; pass an array with one value per row.", **given
        )
    if _is_masked(value):
        value = _unmasked(name, value)
    array = _from_pandas(name, value) if is_pandas(value) else _converted(name, value)
    if array.dtype.kind == "f" and isinstance(value, (list, tuple)):
        _refuse_rounding(name, value)
    if array.ndim != 1:
        _refuse_shape(name, value, array)
    if array.size == 0:
        raise InputError(
            f"{name} is empty; pass at least one positive and one negative row.", **given
        )
    return array


def _unmasked(name: str, value: Any) -> AnyArray:
    """Return the data of a masked array without masked values; others raise an error."""
    masked = np.ma.getmaskarray(value)
    if masked.any():
        count = int(masked.sum())
        raise InputError(
            f"{name} has {count} masked value{'s' * (count > 1)}.",
            rows=np.flatnonzero(masked.ravel()),
            hint="Leave those rows out of every column: keep = ~np.ma.getmaskarray(x).",
            **about(name, value),
        )
    data: AnyArray = value.data
    return data


def _from_pandas(name: str, value: Any) -> AnyArray:
    """Return the values of a pandas object without missing values."""
    if hasattr(value, "levels"):
        raise InputTypeError(
            f"{name} is a MultiIndex; pass one value per row, such as one of its levels.",
            **about(name, value),
        )
    refuse_missing(name, value)
    numpy_dtype = getattr(getattr(value, "dtype", None), "numpy_dtype", None)
    return np.asarray(value, dtype=numpy_dtype)


def _converted(name: str, value: object) -> AnyArray:
    """Return an array of a sequence or another array-like object."""
    _refuse_batches(name, value)
    try:
        return _array_of(value)
    except (ValueError, TypeError, RuntimeError) as error:
        reason = str(error).rstrip(".")
        if "inhomogeneous" in reason:  # of NumPy's message, which does not name the argument
            reason = "it holds sequences of different lengths. Pass one value per row"
        raise InputTypeError(
            f"{name} is not a flat array of values: {reason}.", **about(name, value)
        ) from None


def _refuse_shape(name: str, value: object, array: AnyArray) -> None:
    """Raise an error for an array that is not 1-D, with the way to a 1-D array."""
    given = about(name, value)
    if array.ndim == 0:
        raise InputTypeError(
            f"{name} is a {type(value).__name__}; pass one value per row.", **given
        )
    columns = array.shape[1] if array.ndim == 2 else 0
    if columns > 1 and name.startswith(("y_score", "column")):
        hint = "pass proba[:, 1]" if columns == 2 else "pass one column"
        raise InputError(
            f"{name} has shape {array.shape}; it must be 1-D: {hint}, or a dict of "
            "named columns for several classifiers.",
            **given,
        )
    if is_pandas(value):
        hint = "one column, frame['name']"
    elif columns > 1 and len(array) != 1:
        hint = "one column, x[:, 1], or the class of each row, x.argmax(axis=1) == 1"
    else:
        hint = "np.ravel(x)" if isinstance(value, (list, tuple)) else "x.ravel()"
    raise InputError(f"{name} has shape {array.shape}; it must be 1-D: pass {hint}.", **given)


def _array_of(value: Any) -> AnyArray:
    """Return an array of what may be a tensor: with a gradient, on a device, in bfloat16.

    None of these has numbers that numpy does not hold: bfloat16 is exact in single precision.
    """
    try:
        array = np.asarray(value)
    except (TypeError, RuntimeError):
        if isinstance(value, (list, tuple)) and any(hasattr(v, "detach") for v in value):
            return np.asarray([_array_of(v) for v in value])
        if not hasattr(value, "detach"):
            raise
        tensor = value.detach()
        tensor = tensor.cpu() if hasattr(tensor, "cpu") else tensor
        tensor = tensor.float() if str(tensor.dtype).endswith("bfloat16") else tensor
        array = np.asarray(tensor)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _refuse_batches(name: str, value: object) -> None:
    """Refuse a list of arrays or tensors, such as the predictions of each batch."""
    if not isinstance(value, (list, tuple)):
        return
    if not any(getattr(v, "ndim", 0) for v in value):
        return
    several = name.startswith("y_score")
    raise InputTypeError(
        f"{name} is a {type(value).__name__} of arrays; pass one value per row. Batches of rows "
        "are joined by np.concatenate(x), or torch.cat(x)"
        + (", and several classifiers are a dict of named columns." if several else "."),
        **about(name, value),
    )


def plain(name: str, values: AnyArray) -> AnyArray:
    """Return an array of objects that are all numbers, or all booleans, as an array of these."""
    if values.dtype.kind != "O" or values.ndim != 1:
        return values
    numbers = (bool, int, float, np.bool_, np.integer, np.floating)
    objects = values.tolist()
    if not all(isinstance(v, numbers) for v in objects):
        return values
    booleans = sum(isinstance(v, (bool, np.bool_)) for v in objects)
    if 0 < booleans < len(objects):
        return values  # True among numbers is a mistake rather than a 1
    array = np.asarray(objects)
    if array.dtype.kind == "f":
        _refuse_rounding(name, [int(v) if isinstance(v, np.integer) else v for v in objects])
    return array


def _refuse_rounding(name: str, value: list[Any] | tuple[Any, ...]) -> None:
    """Refuse a list whose large integers would become ties as floats."""
    for i, v in enumerate(value):
        if type(v) is int and abs(v) > _LARGEST_EXACT_FLOAT and int(float(v)) != v:
            raise InputError(
                f"{name} mixes the integer {v} with other numbers, and as a float it would be "
                "rounded.",
                rows=[i],
                hint="Pass an integer array.",
                **about(name, v),
            )


def missing_in(value: Any) -> BoolArray:
    """Return which entries are missing; none of an array that cannot hold such, or of a list."""
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
    """Refuse missing values of any kind, with their number and the way to leave them out."""
    rows = np.flatnonzero(missing_in(value))
    if not rows.size:
        return
    there = "x.notna()" if is_pandas(value) else "~pd.isna(x)"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        there = "~np.isnan(x)"
    advice = "Rows are never dropped silently: impute them, or leave them out of every array"
    hint, shell_hint = getattr(name, "about_missing", None) or (
        f"{advice}: keep = {there}, then y_true[keep], y_score[keep].",
        f"{advice}, --drop-missing.",
    )
    raise InputError(
        f"{name} has {rows.size} missing value{'s' * (rows.size > 1)}.",
        rows=rows,
        hint=hint,
        shell_hint=shell_hint,
        **about(name, value),
    )


def is_missing(value: object) -> bool:
    """Tell whether a value is None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN alone is unequal to itself
    except (TypeError, ValueError):
        return type(value).__name__ in ("NAType", "NaTType")


def distinct_values(values: AnyArray) -> list[object]:
    """Return the distinct values in order, or by what they look like if they have no order."""
    try:
        return list(np.unique(values).tolist())
    except TypeError:
        return sorted(set(values.tolist()), key=repr)


def show(value: object) -> str:
    """Return a value as Python would write it."""
    return _short(repr(value.item() if isinstance(value, np.generic) else value))


def show_some(values: list[object], most: int = 4) -> str:
    """Return the first of many values as Python would write them."""
    some = ", ".join(_short(repr(v)) for v in values[:most])
    return some + (", ..." if len(values) > most else "")


def _short(text: str, most: int = 80) -> str:
    """Return a text whose middle is left out if it is long: a cell can hold megabytes."""
    return text if len(text) <= most else f"{text[: most - 20]}...{text[-10:]}"


def read_only(values: Any) -> Any:
    """Return an array after protecting it from changes."""
    values.flags.writeable = False
    return values


def nearest(value: object, choices: Iterable[str]) -> str:
    """Return ``". Did you mean 'x'?"`` for the choice that resembles `value`, else ``"."``."""
    import difflib  # on use: importing the package takes less time without it

    lowered = {option.lower(): option for option in choices}
    word = str(value).lower()
    close = difflib.get_close_matches(word, list(lowered), n=3)
    # Letters in the wrong order are the likeliest slip.
    close.sort(key=lambda option: sorted(option) != sorted(word))
    return f". Did you mean {lowered[close[0]]!r}?" if close else "."


def check_whole(argument: str, value: object, least: int) -> None:
    """Raise unless the value is a whole number, and at least so large."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(
            f"{argument}={value!r} must be a whole number.", argument=argument, value=value
        )
    if value < least:
        raise InputError(
            f"{argument}={value!r} must be at least {least}.", argument=argument, value=value
        )


def check_flag(argument: str, value: object) -> None:
    """Raise unless the value is True or False."""
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
_OTHER_CHOICES = {
    ("variance", "delong"): "The method of DeLong is 'influence', which is the default.",
    ("variance", "analytic"): "The analytic method is 'influence', which is the default.",
    ("method", "delong"): "The method of DeLong is 'influence', which is the default.",
    ("kind", "delong"): f"{_DELONG} It is a standard error, and a kind says how it becomes an "
    "interval.",
}
"""Choices that other software names so, by argument, and what they are here."""


def other_choice(argument: str, value: object) -> str | None:
    """Return what the choice of another package is called here, if it is known."""
    return _OTHER_CHOICES.get((argument, str(value).lower()))


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Raise ``ValueError`` that names the argument, the value and what is accepted."""
    options = list(choices)
    if not isinstance(value, str) or value not in options:
        accepted = ", ".join(repr(option) for option in options)
        known = other_choice(argument, value)
        hint = nearest(value, options) if known is None else f". {known}"
        raise InputError(
            f"{argument}={value!r} is not known{hint} Accepted: {accepted}.",
            argument=argument,
            value=value,
        )
