"""Checks of arguments, the types of the arguments of public functions, and equality of results.

The functions check general arguments: numbers, flags and choices. They return a validated value, or
raise an error that names the argument, the value received and a remedy.

Results are compared by `EqualByFields`: those with the same numbers are equal, even if some numbers
are NaN.

The types cover what a type checker can detect before the program runs: ``pauci.PAUC(fpr=0.1)`` is
reported by a type checker, ``pauci.PAUC(fpr=(0, 1.5))`` only at run time, when the value of every
argument is checked as well. Public functions quote the names of the types in their annotations, so
that ``help()`` shows the name instead of the expanded union.
"""

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import IO, TYPE_CHECKING, Any, Literal, SupportsFloat, TypeAlias, TypeGuard, TypeVar

import numpy as np

from pauci.errors import InputError, InputTypeError, show

if TYPE_CHECKING:
    from numpy.random import Generator

# Equivalent to the types of numpy.typing, whose import is slow.
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]

IntArray = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]

FloatArray = np.ndarray[Any, np.dtype[np.float64]]

ComplexArray = np.ndarray[Any, np.dtype[np.complex128]]

AnyArray = np.ndarray[Any, np.dtype[Any]]

T = TypeVar("T")


def is_pandas(value: object) -> bool:
    """Return whether `value` is a pandas object, without importing pandas."""
    return type(value).__module__.partition(".")[0] == "pandas"


def level(value: object) -> float:
    """Return a confidence level of at least 0.5 and below 1."""
    if not is_number(value):
        raise InputTypeError.of("level", value, "must be a number between 0 and 1, such as 0.95.")
    number = float(value) if is_finite(value) else math.inf
    if 50.0 <= number < 100.0:
        hint = f" Did you mean {number / 100:g}?"
        raise InputError.of("level", value, f"must be at least 0.5 and below 1.{hint}")
    if 2.0 <= number < 50.0 or 0.0 < number < 0.5:
        meant = 1.0 - (number if number < 0.5 else number / 100)
        raise InputError.of(
            "level",
            value,
            "is not a confidence level between 0.5 and 1.",
            hint=f"Did you mean level={float(f'{meant:.12g}')!r} for a {100 * meant:g}% interval?",
        )
    if not 0.5 <= number < 1.0:
        raise InputError.of("level", value, "must be at least 0.5 and below 1, such as 0.95.")
    return number


def size_of_test(value: object) -> float:
    """Return the size of a test, ``alpha``, strictly between 0 and 1."""
    number = finite("alpha", value)
    if not 0.0 < number < 1.0:
        hint = f" Did you mean {number / 100:g}?" if 1.0 <= number < 100.0 else ""
        raise InputError.of(
            "alpha", value, f"must lie strictly between 0 and 1, such as 0.05.{hint}"
        )
    return number


def finite(argument: str, value: object) -> float:
    """Return a finite real number as a float."""
    if not is_number(value):
        raise InputTypeError.of(argument, value, "must be a number.")
    if not is_finite(value):
        raise InputError.of(argument, value, "must be finite.")
    return float(value)


def is_number(value: object) -> TypeGuard["int | float | np.integer[Any] | np.floating[Any]"]:
    """Return whether a value is a real number of Python or NumPy."""
    numbers = int, float, np.integer, np.floating
    return isinstance(value, numbers) and not isinstance(value, bool)


def is_finite(number: Any) -> bool:
    """Return whether a number is finite, and in the range of floating-point numbers."""
    return bool(-sys.float_info.max <= number <= sys.float_info.max)


def array_of_numbers(argument: str, values: object, needed: str = "must be numbers.") -> FloatArray:
    """Return numbers as an array, or raise an error that states what is needed."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iufO" or values is np.ma.masked:
            raise TypeError
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError.of(argument, values, needed) from None


def values_of(argument: str, values: Any, noun: str = "numbers") -> list[Any]:
    """Return a sequence of numbers, or of objects called `noun`, as a list of Python objects."""
    if isinstance(values, (str, bytes, dict, set, frozenset)):
        raise InputTypeError.of(argument, values, f"must be a sequence of {noun}.")
    try:
        listed = list(values)
    except TypeError:
        raise InputTypeError.of(
            argument, values, f"is a single value, but must be a sequence of {noun}."
        ) from None
    return [v.tolist() if isinstance(v, (np.generic, np.ndarray)) else v for v in listed]


def listed(values: Any) -> list[Any]:
    """Return one value or several as a list; None is no value."""
    if values is None:
        return []
    several = np.iterable(values) and not isinstance(values, (str, bytes))
    return list(values) if several else [values]


def shape_of(argument: str, values: Any) -> tuple[int, ...]:
    """Return the shape of an array or of nested lists."""
    try:
        return np.shape(values)
    except ValueError:
        raise InputError.about(
            argument, "holds lists of different lengths.", value=values
        ) from None


def equal(value: object, other: object) -> bool:
    """Return whether two values are equal; arrays and missing values are equal to none."""
    try:
        return bool(value == other)
    except (TypeError, ValueError, NotImplementedError):  # the last one of Arrow strings
        return False


def was_or_were(n: int) -> str:
    """Return the verb of a sentence about so many rows."""
    return "was" if n == 1 else "were"


class Horizon(float):
    """A time, which labels results and is written without superfluous digits."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self:.10g}"


def kind_of(value: object) -> str:
    """Return the type of a value with its article, such as ``an Estimate``."""
    name = type(value).__name__
    return f"{'an' if name.startswith((*'AEIOaeio', 'nd')) else 'a'} {name}"


def count(n: float, noun: str) -> str:
    """Return ``1 row`` or ``2,000 rows``; sums of weights may be fractions."""
    return f"{f'{n:,}' if isinstance(n, int) else f'{n:,.10g}'} {noun}{'s' * (n != 1)}"


def show_first(values: Sequence[object], most: int = 4) -> str:
    """Return the reprs of the first values of a list."""
    some = ", ".join(show(v) for v in values[:most])
    return some + (", ..." if len(values) > most else "")


def float_or_array(values: Any) -> Any:
    """Return an array, or a single number as a float."""
    return values if np.ndim(values) else float(values)


def read_only(values: Any) -> Any:
    """Return an array after making it read-only."""
    values.flags.writeable = False
    return values


def nearest(value: object, choices: Iterable[object], prefix: str = "") -> str:
    """Return ``". Did you mean 'x'?"`` for the choice that resembles `value`, else ``"."``.

    The choice is shown after a prefix, such as ``pauci.``.
    """
    import difflib  # imported here because the import is slow

    lowered = {str(option).lower(): option for option in choices}
    word = str(value).lower()
    close = difflib.get_close_matches(word, list(lowered), n=3)
    # Transposed letters are the most likely mistake.
    close.sort(key=lambda option: sorted(option) != sorted(word))
    if not close:
        return "."
    option = lowered[close[0]]
    return f". Did you mean {prefix + option if isinstance(option, str) else option!r}?"


_MOST_NAMES = 8
"""Largest number of names that a message lists."""

_LARGEST = 10**12
"""Largest number of rows, replicates and other units."""


def some_of(choices: Iterable[object], value: object) -> str:
    """Return names separated by commas; of many, those that resemble a value and the first ones."""
    names = list(map(str, choices))
    if len(names) <= _MOST_NAMES:
        return ", ".join(names)
    import difflib  # imported here because the import is slow

    close = difflib.get_close_matches(show(value).strip("'"), names, n=_MOST_NAMES)
    some = list(dict.fromkeys([*close, *names]))[:_MOST_NAMES]
    more = len(names) - len(some)
    return f"{', '.join(some)} and {more:,} other{'s' * (more > 1)}"


def check_whole(argument: str, value: object, least: int) -> None:
    """Raise an error unless the value is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError.of(argument, value, "must be a whole number.")
    if value < least:
        raise InputError.of(argument, value, f"must be at least {least}.")
    if value > _LARGEST:
        raise InputError.of(argument, value, f"must be at most {_LARGEST:,}.")


def check_seed(argument: str, value: object) -> None:
    """Raise an error unless the value is None, a whole number or a random number generator."""
    if value is None or isinstance(value, np.random.Generator):
        return
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError.of(
            argument, value, "must be None, a whole number or a numpy Generator."
        )
    if value < 0:
        raise InputError.of(argument, value, "must not be negative.")


def check_text(argument: str, value: object) -> None:
    """Raise an error unless the value is None or a text that is not empty."""
    if value is not None and (not isinstance(value, str) or not value):
        raise InputTypeError.of(argument, value, "must be a string that is not empty.")


def check_flag(argument: str, value: object) -> None:
    """Raise an error unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError.of(argument, value, "must be True or False.")


def wrong_type(argument: str, value: object, expected: str) -> InputTypeError:
    """Return the error for an argument of the wrong type: ``x is a list; pass <expected>.``."""
    return InputTypeError.about(argument, f"is {kind_of(value)}; pass {expected}.", value=value)


_DELONG = "The method of DeLong is the default, variance='influence'."

_CHOICE_ADVICE = {
    ("variance", "delong"): "The method of DeLong is 'influence', which is the default.",
    ("variance", "analytic"): "The analytic method is 'influence', which is the default.",
    ("method", "delong"): "The method of DeLong is 'influence', which is the default.",
    ("kind", "delong"): f"{_DELONG} kind= selects how an interval is calculated from the standard "
    "error.",
}
"""Advice on values that other software accepts, by argument and value in lower case."""


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Raise an error unless the value is one of the choices."""
    options = list(choices)
    if not isinstance(value, str) or value not in options:
        accepted = ", ".join(repr(option) for option in options)
        advice = _CHOICE_ADVICE.get((argument, str(value).lower()))
        hint = nearest(value, options) if advice is None else f". {advice}"
        raise InputError.of(argument, value, f"is not known{hint} Accepted: {accepted}.")


def objects_of(values: Sequence[object]) -> AnyArray:
    """Return values of any kind, such as tuples, as a vector of objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def all_or_none(values: "Iterable[T | None]") -> "list[T] | None":
    """Return values as a list; None if one of them is None."""
    listed = list(values)
    known = [v for v in listed if v is not None]
    return known if len(known) == len(listed) else None


class EqualByFields:
    """Base class of dataclasses; fields with ``compare=False`` are not compared.

    In the comparison that `dataclasses` generates, two NaN are equal only if they are the same
    object (up to Python 3.12) or never (from Python 3.13 on), and arrays cannot be compared. All
    results are therefore dataclasses with ``eq=False`` that are compared here.
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(map(_equal, self._compared(), other._compared()))

    def __hash__(self) -> int:
        return hash((type(self), *map(_hashable, self._compared())))

    def _compared(self) -> list[Any]:
        """Return the values that are compared."""
        return _values(self)


def _values(result: Any) -> list[Any]:
    return [getattr(result, f.name) for f in fields(result) if f.compare]


def _is_record(value: object) -> bool:
    """Return whether a value is a dataclass, of internal numbers, without an own comparison."""
    return is_dataclass(value) and type(value).__eq__ is object.__eq__


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if type(a) is not type(b) or a.shape != b.shape:
            return False
        if a.dtype.kind in "fiub" and b.dtype.kind in "fiub":
            return np.array_equal(a, b, equal_nan=True)
        return _equal(a.tolist(), b.tolist())
    if type(a) is type(b):
        if isinstance(a, (tuple, list)):
            return len(a) == len(b) and all(map(_equal, a, b))
        if isinstance(a, dict):
            return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
        if _is_record(a):
            return all(map(_equal, _values(a), _values(b)))
    return bool(a == b)


def _hashable(value: Any) -> Any:
    """Return a value that is equal for equal values, and has a hash."""
    if isinstance(value, float) and value != value:
        return "nan"  # the hash of NaN depends on the object
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, (tuple, list)):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return len(value)
    return type(value) if _is_record(value) else value


Number: TypeAlias = float | np.floating[Any] | np.integer[Any]
"""A real number. Type checkers accept an int where a float is expected (PEP 484)."""

Bound: TypeAlias = Number | Fraction
"""A rate, such as an FPR. Fractions are not rounded to floats."""

RegionBounds: TypeAlias = tuple[Bound, Bound] | list[float] | list[int] | AnyArray
"""A range of rates, such as ``(0, 0.1)``. The length is checked for tuples, but not for lists."""

ScoreBounds: TypeAlias = tuple[Any, Any] | list[Any] | AnyArray
"""A range of scores, such as ``(4, None)``. Scores are numbers or ordered categories."""

Cutoff: TypeAlias = Any
"""A threshold: a number or an ordered category, or a mapping of names of classifiers to them."""

RegionEnds: TypeAlias = Literal["north-east", "middle"]
"""The point of a step of the curve at which a region ends."""

Rates: TypeAlias = Bound | Iterable[Bound]
"""One rate or several."""

RegionFamily: TypeAlias = Iterable[Bound] | Iterable[RegionBounds]
"""The variable ends of a family of regions, or the regions themselves."""

Vector: TypeAlias = Iterable[Any]
"""A column: a list, array, tensor or series of any library, all of which are iterable."""

Scores: TypeAlias = Vector | Mapping[str, Vector]
"""A column of scores, or a mapping of names of classifiers to columns."""

GroupColumns: TypeAlias = Mapping[str, Vector]
"""Columns with groups of the rows, by name."""

By: TypeAlias = "str | Vector | Mapping[Any, Vector]"
"""The name of a grouping, the group of every row, or masks of the rows of each group."""

Function: TypeAlias = Callable[[Any, Any], SupportsFloat]
"""A function of (labels, scores)."""

Seed: TypeAlias = "int | np.integer[Any] | Generator"
"""A seed or a random number generator."""

BinaryFile: TypeAlias = "IO[bytes]"
"""An open file to which a document is written."""

MaybeSeveral: TypeAlias = Any
"""The result for several classifiers, where a type checker does not know how many there are.

The number of classifiers of a `Sample` is not part of its type. Since most samples have a single
classifier, the return type of ``estimate(sample, pauci.AUC())`` is ``Estimate | MaybeSeveral``.
Editors then complete the attributes of `Estimate` and report misspelled ones, and ``.value`` can be
used without a test of the type, which ``Estimate | Estimates`` would require. The same convention
is used by typeshed for ``re.Match.group``, which rarely returns None. If a list of measures is
passed, the type of the result does not depend on the sample.

A type parameter for the number of classifiers would not solve this: it is unknown if the scores
are not typed, as are those of most libraries. For a call that then matches several overloads, type
checkers infer Any, and the attributes of `Estimate` are unknown as well."""
