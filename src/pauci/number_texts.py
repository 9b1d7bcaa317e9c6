"""Numbers that are written as text: decimal marks, separators of thousands, per cent signs.

A *notation* is a pair of a decimal mark and a separator of thousands, which may be empty. All
columns of a file have the same notation. It is found from the texts; if two notations give
different numbers, both are offered in an error.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.checks import check_choice
from pauci.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Notation = tuple[str, str]

PLAIN: Notation = (".", "")
_BLANKS = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_THOUSANDS = ("", ",", ".", "'", "\N{RIGHT SINGLE QUOTATION MARK}", *_BLANKS)
_MINUS = "\N{MINUS SIGN}"
_PART = 10_000
NUMBER_LIKE = re.compile(
    rf"\s*[+{_MINUS}-]?(?:[\d{re.escape(''.join(_THOUSANDS))}e+-]*\d|inf(?:inity)?)(?:\s*%)?\s*"
    r"|\s*\d*[.,]\s*",
    re.I,
)
"""Texts that may be numbers in some notation."""


def check_notation(decimal: object, thousands: object) -> None:
    """Raise an error for marks that are not characters of numbers, or the same."""
    if decimal is not None:
        check_choice("decimal", decimal, (".", ","))
    if thousands is not None and not (isinstance(thousands, str) and thousands in _THOUSANDS):
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
    if thousands == ",":  # 1,23,456 in India
        whole = rf"(?:[1-9]\d?(?:,\d\d)+,\d{{3}}|{whole})"
    number = rf"(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:e[+-]?\d+)?|inf(?:inity)?"
    return re.compile(rf"[+-]?(?:{number})", re.IGNORECASE)


def number_of(text: str, notation: Notation) -> float | int | None:
    """Return the number that a text is in a notation, without a per cent sign, or None."""
    text = text.strip().removesuffix("%").rstrip().replace(_MINUS, "-")
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
    """Return a column of texts as numbers, or None if one of its cells is not a number.

    Per cent signs are omitted if all cells have them.
    """
    import pandas as pd

    numbers: list[float | int] = []
    signs = set[bool]()
    for cell in distinct_cells(column):
        number = number_of(cell, notation) if isinstance(cell, str) else cell
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            return None
        numbers.append(number)
        signs.add(is_per_cent(cell))
    if len(signs) != 1:
        return None
    whole = not column.hasnans and all(isinstance(n, int) for n in numbers)
    large = whole and max(map(abs, numbers)) >= 2**63
    values = np.array([*numbers, math.nan], dtype=object if large else np.float64)
    values = np.array(numbers, dtype=np.int64) if whole and not large else values
    return pd.Series(values[pd.factorize(column)[0]], column.index, name=column.name)


def is_per_cent(cell: object) -> bool:
    """Return whether a cell is a text that ends in a per cent sign."""
    return isinstance(cell, str) and cell.rstrip().endswith("%")


def not_numbers(texts: Iterable[str]) -> set[str]:
    """Return the texts that are not numbers in the notation that most of them have."""
    distinct = set(texts)
    used = set[str]().union(*distinct)
    possible = dict.fromkeys((d, t if t in used else "") for d, t in notations(None, None))
    fewest = distinct
    for notation, signs in product(possible, (False, True)):
        others = (t for t in distinct if is_per_cent(t) != signs or number_of(t, notation) is None)
        fewest = min(fewest, {*islice(others, len(fewest))}, key=len)
    return fewest


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


def notation_in(column: "pd.Series[Any]", read: Mapping[str, Any]) -> Notation:
    """Return the notation of a column of texts in a file, by the attributes of its table."""
    possible = [(decimal, thousands) for decimal, thousands in read.get("notations", {}).values()]
    return notations_of([column], possible or [PLAIN], read.get("sep"))[0]


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
        if not NUMBER_LIKE.fullmatch(cell):
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


# Ratings

_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
_RATING = re.compile(rf"(\D*?)(\d\d?|{'|'.join(_ROMAN)})([-+]|[a-eA-E]|F|(?<=\d)[xX])?")
_RATINGS = range(3, 13)
_MOST_OTHERS = 5


def order_of_ratings(cells: Iterable[object]) -> list[str]:
    """Return ratings such as 2, 3, 4a and 4b from the lowest to the highest.

    They are few numbers, some with a letter or a sign behind them or Roman, after the same text. A
    few other texts can be codes of missing values. If cells are others, the result is empty.
    """
    counts = Counter[str]()
    for cell in (cell for cell in cells if cell == cell):
        counts[str(cell)] += 1
        if len(counts) > _RATINGS.stop + _MOST_OTHERS:
            return []
    found = {text: match for text in counts if (match := _RATING.fullmatch(text.strip()))}
    named = any(match[3] or match[2] in _ROMAN for match in found.values())
    is_few = len(found) in _RATINGS and 2 * len(found) <= sum(counts[text] for text in found)
    before = {match[1] for match in found.values()}
    if not named or not is_few or len(before) > 1 or len(counts) - len(found) > _MOST_OTHERS:
        return []

    def rank(text: str) -> tuple[int, int, str]:
        _, number, end = found[text].groups("")
        size = int(number) if number.isdigit() else _ROMAN.index(number) + 1
        return size, -1 if end == "-" else len(end), end.lower()

    return sorted(found, key=rank)
