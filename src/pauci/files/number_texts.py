"""Numbers that are written as text: decimal marks and separators of thousands.

A *notation* is a pair of a decimal mark and a separator of thousands, which may be empty. All
columns of a file have the same notation. It is found from the texts; if two notations give
different numbers, both are offered in an error.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Notation = tuple[str, str]

PLAIN: Notation = (".", "")
_BLANKS = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_THOUSANDS = ("", ",", ".", "'", "\N{RIGHT SINGLE QUOTATION MARK}", *_BLANKS)
_PART = 10_000
_NUMBER_LIKE = re.compile(
    rf"\s*[+-]?(?:[\d{re.escape(''.join(_THOUSANDS))}e+-]*\d|inf(?:inity)?)\s*|\s*\d*[.,]\s*", re.I
)
"""Texts that may be numbers in some notation."""


def check_notation(decimal: object, thousands: object) -> None:
    """Raise an error for marks that are not characters of numbers, or the same."""
    if decimal not in (None, ".", ","):
        raise InputError.of("decimal", decimal, "must be '.' or ','.")
    if thousands not in (None, *_THOUSANDS):
        raise InputError.of("thousands", thousands, "must be one of , . ' or a blank.")
    if decimal is not None and decimal == thousands:
        raise InputError.of("thousands", thousands, "is also the decimal mark.")


def notations(decimal: str | None, thousands: str | None) -> list[Notation]:
    """Return the notations that are possible with the marks that are given."""
    marks = [decimal] if decimal else [".", ","]
    separators = _THOUSANDS if thousands is None else (thousands,)
    return [(d, t) for t in separators for d in marks if d != t]


@cache
def _pattern(notation: Notation) -> re.Pattern[str]:
    decimal, thousands = map(re.escape, notation)
    whole = rf"(?:[1-9]\d{{0,2}}(?:{thousands}\d{{3}})+|\d+)" if thousands else r"\d+"
    number = rf"(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:e[+-]?\d+)?|inf(?:inity)?"
    return re.compile(rf"[+-]?(?:{number})", re.IGNORECASE)


def number_of(text: str, notation: Notation) -> float | int | None:
    """Return the number that a text is in a notation, or None."""
    text = text.strip()
    if _pattern(notation).fullmatch(text) is None:
        return None
    decimal, thousands = notation
    plain = (text.replace(thousands, "") if thousands else text).replace(decimal, ".")
    return int(plain) if plain.lstrip("+-").isdigit() else float(plain)


def distinct_cells(column: "pd.Series[Any]") -> Iterator[Any]:
    """Yield the different cells of a column that are not missing."""
    import pandas as pd

    cells: Any = column.unique()
    cells = cells[~pd.isna(cells)]
    for start in range(0, len(cells), _PART):  # objects of Python take ten times as much memory
        yield from cells[start : start + _PART].tolist()


def numbers_of(column: "pd.Series[Any]", notation: Notation) -> "pd.Series[Any] | None":
    """Return a column of texts as numbers, or None if one of its cells is not a number."""
    import pandas as pd

    numbers: list[float | int] = []
    for cell in distinct_cells(column):
        number = number_of(cell, notation) if isinstance(cell, str) else cell
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            return None
        numbers.append(number)
    if not numbers:
        return None
    whole = not column.hasnans and all(isinstance(n, int) for n in numbers)
    large = whole and max(map(abs, numbers)) >= 2**63
    values = np.array([*numbers, math.nan], dtype=object if large else np.float64)
    values = np.array(numbers, dtype=np.int64) if whole and not large else values
    return pd.Series(values[pd.factorize(column)[0]], column.index, name=column.name)


def may_have_thousands(column: "pd.Series[Any]") -> bool:
    """Return whether the fractions of a column of floats could be groups of three digits.

    A text such as 1.010 is read as 1.01, so that fewer digits can remain.
    """
    values = np.abs(column.to_numpy(dtype=float))
    values = values[np.isfinite(values)]
    fractions = values[values % 1.0 != 0.0]
    scaled = fractions * 1000.0
    return bool(
        fractions.size
        and ((fractions >= 1.0) & (fractions < 1000.0)).all()
        and (np.abs(scaled - np.round(scaled)) < 1e-6).all()
    )


def notations_of(
    columns: "Sequence[pd.Series[Any]]", possible: Sequence[Notation], sep: str | None = None
) -> Sequence[Notation]:
    """Return the notations of columns of texts, or raise an error if their numbers differ.

    The first is that of the file; the others matter for texts that are not numbers yet. Columns
    that are not numbers in any notation are ignored.
    """
    fitting = [(column, values) for column in columns if (values := _values(column, possible))]
    common = [n for n in possible if all(n in values for _, values in fitting)]
    for column, values in fitting if common else ():
        for other in common[1:]:
            unsettled = sep != "," or common[0][0] != "."
            doubt = _doubtful_row(values[common[0]], values[other], of_multiples=unsettled)
            if doubt is not None:
                raise _two_notations(column, doubt, common[0], other)
    return common or possible


def _doubtful_row(
    one: "pd.Series[Any]", other: "pd.Series[Any]", *, of_multiples: bool
) -> int | None:
    """Return the first position at which two readings of a column differ, or None.

    Without `of_multiples`, two readings that differ by a constant factor are not doubtful, such as
    those of 0.125 and 1.010, which have the same number of decimals.
    """
    first, second = one.to_numpy(dtype=float), other.to_numpy(dtype=float)
    differs = np.flatnonzero((first != second) & ~np.isnan(first))
    used = np.isfinite(first) & (first != 0.0)
    ratios = second[used] / first[used]
    if not differs.size or (not of_multiples and np.allclose(ratios, ratios[0])):
        return None
    return int(differs[0])


def _values(
    column: "pd.Series[Any]", possible: Sequence[Notation]
) -> "dict[Notation, pd.Series[Any]]":
    """Return the numbers of a column in each notation in which all of its cells are numbers."""
    used = set[str]()
    for cell in map(str, distinct_cells(column)):
        if not _NUMBER_LIKE.fullmatch(cell):
            return {}
        used.update(cell)
    found: dict[Notation, Any] = {}
    for decimal, thousands in possible:
        without = decimal, "" if thousands not in used else thousands
        found[decimal, thousands] = (
            found[without] if without in found else numbers_of(column, without)
        )
    return {notation: values for notation, values in found.items() if values is not None}


def name_of_notation(notation: Notation) -> str:
    """Return a notation in words."""
    decimal, thousands = notation
    groups = f", groups of three digits separated by {thousands!r}" if thousands else ""
    return f"decimal mark {decimal!r}{groups}"


def _two_notations(column: "pd.Series[Any]", row: int, *both: Notation) -> InputError:
    text = str(column.iloc[row])
    readings = " or ".join(f"{number_of(text, notation):.15g}" for notation in both)
    marks = " or ".join(f"thousands={t!r}" if t else f"decimal={d!r}" for d, t in both)
    return InputError(
        f"column {column.name!r} holds {text!r}, which can be {readings}.",
        argument="decimal",
        value=text,
        rows=[column.index[row]],
        row_noun=str(column.index.name or "row"),
        hint=f"State {marks}.",
    )
