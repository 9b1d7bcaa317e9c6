"""Numbers as they are written in text files, with decimal marks and marks between thousands.

The marks are never guessed: ``1.010`` is a number with three decimals, or one thousand and ten.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.sample.columns import censoring_advice

if TYPE_CHECKING:
    import pandas as pd

BLANKS = "[ \N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}]"
APOSTROPHES = "['\N{RIGHT SINGLE QUOTATION MARK}]"
GROUP_MARKS = {".": r"\.", ",": ",", "_": "_", "space": BLANKS, "apostrophe": APOSTROPHES}
"""Patterns of the marks between thousands, by their names in options."""

_NAMES = {"dot": ".", "point": ".", "comma": ",", "underscore": "_", "'": "apostrophe"}
_LIKE_A_NUMBER = re.compile(
    rf"[+-]?[\d.,]([\d.,_]|{BLANKS}|{APOSTROPHES})*(e[+-]?\d+)?", re.IGNORECASE
)
_THOUSANDS = re.compile(
    rf"\s*[+-]?\d{{1,3}}((?:[_,.]|{BLANKS}|{APOSTROPHES})\d{{3}})+([.,]\d+)?\s*"
)
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+(e[+-]?\d+)?\s*", re.IGNORECASE)
LARGEST_WHOLE = 2**64 - 1
NUMBERS_OF_CATEGORIES = "ordered categories are written as numbers, such as 1 to 5."


class Marks(NamedTuple):
    """The decimal mark of numbers, and the mark between their thousands; None if they have none."""

    decimal: str | None
    thousands: str | None


def thousands_mark(word: str) -> str | None:
    """Return the name of a mark between thousands; None if it is not known."""
    word = _NAMES.get(word.lower(), word.lower())
    return next(
        (name for name, mark in GROUP_MARKS.items() if word == name or re.fullmatch(mark, word)),
        None,
    )


def possible_marks(texts: Iterable[str]) -> list[Marks]:
    """Return the marks with which all numbers among some texts can be read.

    A number with a mark between thousands has it between all of its thousands, and no number
    without it has more than three digits before the decimal mark. Other texts are ignored.
    """
    numbers = [text for text in map(str.strip, texts) if _LIKE_A_NUMBER.fullmatch(text)]
    present = [name for name, mark in GROUP_MARKS.items() if re.search(mark, "\n".join(numbers))]
    pairs: list[tuple[str | None, str | None]] = [(None, None)]
    if len(present) == 1:
        pairs = [(present[0], None), (None, present[0])]
    elif present:
        pairs = [(present[0], present[1]), (present[1], present[0])] * (len(present) == 2)
    return [
        Marks(decimal, thousands)
        for decimal, thousands in pairs
        if decimal in (None, ".", ",")
        and all(map(_pattern(decimal, thousands, consistent=True).fullmatch, numbers))
    ]


def two_readings(texts: Sequence[str], *, in_same_order: bool) -> str | None:
    """Return the first number in which a dot may be the decimal mark or separate thousands.

    Parameters
    ----------
    texts : sequence of str
        The cells of a column.
    in_same_order : bool
        Whether numbers are returned that both readings put into the same order.
    """
    if len(possible_marks(texts)) < 2:
        return None
    marked = [text for text in texts if "." in text]
    others = {float(t) for t in texts if "." not in t and _LIKE_A_NUMBER.fullmatch(t.strip())}
    return marked[0] if in_same_order or others - {0.0} else None


def may_have_two_readings(values: Any) -> bool:
    """Return whether numbers that were read with a decimal point may be groups of three digits."""
    if values.dtype.kind != "f":
        return False
    numbers = np.abs(values.to_numpy()[values.notna().to_numpy()])
    in_thousandths = numbers * 1000.0
    return bool(
        (numbers < 1000.0).all()
        and ((numbers == 0.0) | (numbers >= 1.0)).all()
        and (np.abs(in_thousandths - np.rint(in_thousandths)) < 1e-6).all()
        and (numbers % 1.0).any()
    )


def _pattern(
    decimal: str | None, thousands: str | None = None, *, consistent: bool = False
) -> re.Pattern[str]:
    """Return the pattern of a number; `consistent` requires marks between all thousands."""
    whole = r"\d{1,3}" if consistent and thousands is not None else r"\d+"
    if thousands is not None:
        whole = rf"([1-9]\d{{0,2}}({GROUP_MARKS[thousands]}\d{{3}})+|{whole})"
    if decimal is None:
        number = whole
    else:
        point = re.escape(decimal)
        number = rf"({whole}({point}\d*)?|{point}\d+)"
    return re.compile(rf"\s*[+-]?{number}(e[+-]?\d+)?\s*", re.IGNORECASE)


def invalid_numbers(
    texts: Sequence[str], decimal: str | None, thousands: str | None = None
) -> list[int]:
    """Return the positions of the texts that are not numbers in a column of numbers."""
    # Without fractions there are whole numbers of 64 bits, and with a sign one bit less.
    signed = any(text.lstrip().startswith("-") for text in texts)
    largest = LARGEST_WHOLE // 2 if signed else LARGEST_WHOLE
    number = _pattern(decimal or ".", thousands)
    return [i for i, text in enumerate(texts) if not _is_number(text, number, largest)]


def _is_number(text: str, number: re.Pattern[str], largest: int) -> bool:
    if text.strip().lower().lstrip("+-") in ("inf", "infinity"):
        return True  # refused later, as infinite
    if not number.fullmatch(text):
        return False
    digits = text.strip().lstrip("+-")
    return not digits.isdigit() or len(digits) < 19 or int(digits[:30]) <= largest


def numbers_of_texts(
    values: "pd.Series[Any]", decimal: str, thousands: str | None = None
) -> "pd.Series[Any]":
    """Return a column of texts as numbers if it has only numbers and missing values.

    A column of a text file is text if one of its cells is, which may be in another row.
    """
    if values.dtype.kind in "biufc" or str(values.dtype) == "category":
        return values
    number, texts = _pattern(decimal, thousands), values.dropna().tolist()
    if not all(isinstance(v, str) and _is_number(v, number, LARGEST_WHOLE // 2) for v in texts):
        return values

    def plain(text: str) -> str:
        text = text if thousands is None else re.sub(GROUP_MARKS[thousands], "", text.strip())
        return text.replace(decimal, ".")

    whole = len(texts) == len(values) and all(
        plain(v).strip().lstrip("+-").isdigit() for v in texts
    )
    if whole:
        return values.map(lambda v: int(plain(v)))
    return values.map(lambda v: float(plain(v)), na_action="ignore").astype(float)


def reason_not_a_number(
    texts: Sequence[str],
    invalid: Sequence[str],
    decimal: str | None,
    of_categories: str = NUMBERS_OF_CATEGORIES,
) -> tuple[str, str]:
    """Return why the first invalid text of a column is not a number, and a remedy."""
    first = invalid[0]
    of_marks = _reason_of_marks(texts, invalid, decimal)
    if of_marks is not None:
        return of_marks
    if _THOUSANDS.fullmatch(first):
        return "", "Write numbers without separators of thousands."
    if _pattern(decimal or ".").fullmatch(first):
        return ", a whole number too large to be kept exactly", "Divide the column."
    censored = censoring_advice(first)
    if censored is not None:
        return ", which is not a number", censored
    return (
        ", which is not a number",
        f"A missing value is a blank cell or NA; {of_categories}",
    )


def _reason_of_marks(
    texts: Sequence[str], invalid: Sequence[str], decimal: str | None
) -> tuple[str, str] | None:
    """Return the reason and remedy for numbers with other marks; None for other texts."""
    first, marks = invalid[0], []
    if decimal is not None and _LIKE_A_NUMBER.fullmatch(first.strip()):
        marks = possible_marks(texts) or possible_marks(invalid)
    if len(marks) == 2:
        return ", which can be read in two ways", advice_on_two_readings(marks[0].decimal or "")
    if len(marks) == 1:
        ((point, thousands),) = marks
        words = []
        if point is not None and point != decimal:
            words.append(f"--decimal {point}")
        if thousands is not None:
            words.append(f"--thousands {thousands}")
        if words:
            what = {None: "no fraction", ".": "a decimal point", ",": "a decimal comma"}[point]
            what = "separators of thousands" if thousands is not None else what
            verb = "Use" if decimal == "," and point == "." else "Add"
            return f", a number with {what}", f"{verb} {' '.join(words)}"
    return None


def advice_on_two_readings(mark: str) -> str:
    """Return the options for the two readings of numbers such as 1.010."""
    name = {".": "dot", ",": "comma"}[mark]
    return (
        f"If the {name} is the decimal mark, add --decimal {mark} If it separates thousands, add "
        f"--thousands {mark}"
    )
