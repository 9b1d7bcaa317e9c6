"""How journals write numbers: leading zeros, p-values, intervals and symbols.

A cell of a table (`pauci.tables.table`) asks a `Style` for its text. Numbers come as ASCII, which
siunitx reads; `typeset` gives them the signs of a page.
"""

import math
import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pauci.checks import check_choice
from pauci.tables import number_format as fmt

StyleName = Literal["plain", "apa", "ama"]

MINUS, DASH, INFINITY = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{INFINITY}"

_SMALLEST_P = 0.001
_MINUS_IN_WORDS = re.compile(r"(?<![^\s(\[,;=])-(?=\.?\d)|(?<= )-(?= )|(?<=\bLR)-(?!\w)")


class Run(NamedTuple):
    """A piece of text, upright or italic."""

    text: str
    italic: bool = False


class Form(NamedTuple):
    """How a cell looks on a page; `number` is its ASCII number where it is nothing else."""

    runs: tuple[Run, ...]
    number: str = ""

    @property
    def text(self) -> str:
        """The text without its slant."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True)
class Style:
    """How one journal writes numbers.

    Attributes
    ----------
    name : str
        What users call it.
    decimals, decimals_of_statistics : int
        Decimals of an estimate without a standard error, and those of a test statistic.
    zero, zero_of_p : bool
        Whether a number that cannot exceed 1, and a p-value, have a zero before the point.
    joined : bool
        Whether both ends of an interval stand in one column.
    p : str
        The symbol of a p-value.
    italic : tuple of str
        Symbols in italics.
    """

    name: StyleName
    decimals: int = fmt.DECIMALS
    decimals_of_statistics: int = 3
    zero: bool = True
    zero_of_p: bool = True
    joined: bool = False
    p: str = "p"
    italic: tuple[str, ...] = ()

    def number(
        self,
        value: float,
        error: float = 0.0,
        *,
        unit: bool = False,
        distinct_from: tuple[float, ...] = (),
    ) -> str:
        """Return a number in ASCII, with as many decimals as its standard error is worth.

        Parameters
        ----------
        value, error, apart
            As for `pauci.tables.number_format.number`.
        unit : bool
            Whether such a number cannot exceed 1.
        """
        digits = fmt.number(value, error, distinct_from=distinct_from, without=self.decimals)
        return self.stated(digits, unit=unit)

    def fixed(self, value: float, decimals: int, *, unit: bool = False) -> str:
        """Return a number in ASCII with so many decimals; 0 has no sign."""
        return self.stated(fmt.fixed(value, decimals), unit=unit)

    def stated(self, digits: str, *, unit: bool = False) -> str:
        """Return digits as they are, but for the zero before the point."""
        return digits if self.zero or not unit else _without_zero(digits)

    def p_value(self, value: float) -> str:
        """Return a p-value, such as ``<0.001`` or ``.012``."""
        if math.isnan(value):
            return ""
        if value < _SMALLEST_P:
            text = "<0.001"
        elif self.name == "ama":
            # Two digits, but three where they are small, or where two would hide the side of .05.
            two = value >= 0.01 and not 0.045 <= value < 0.055
            text = ">0.99" if value > 0.99 else f"{value:.{2 if two else 3}f}"
        else:
            text = ">0.999" if self.name == "apa" and value > 0.9995 else f"{value:.3f}"
        return text if self.zero_of_p else _without_zero(text)

    def interval(self, low: str, high: str) -> str:
        """Return both ends of an interval as one text, from their ASCII numbers."""
        first, last = typeset(low), typeset(high)
        if self.name == "apa":
            return f"[{first}, {last}]"
        if any(sign in first + last for sign in (MINUS, INFINITY)):
            return f"{first} to {last}"
        return f"{first}{'-' if self.name == 'ama' else DASH}{last}"

    def value_with_interval(self, value: str, low: str, high: str) -> str:
        """Return ``0.735 (0.691-0.776)`` as the journal writes it."""
        ends = self.interval(low, high)
        return f"{typeset(value)} {ends}" if self.name == "apa" else f"{typeset(value)} ({ends})"

    def symbol(self, text: str) -> Run:
        """Return a statistical symbol."""
        return Run(self.p if text == "p" else text, text in self.italic)

    def heading(self, text: str) -> str:
        """Return the words at the start of a heading: journals have a capital there."""
        plain_word = re.fullmatch(r"[a-z][a-z ]*", text) and self.joined
        return text[:1].upper() + text[1:] if plain_word else text


STYLES: dict[str, Style] = {
    "plain": Style("plain"),
    "apa": Style(
        "apa", 3, 2, zero=False, zero_of_p=False, joined=True,
        italic=("p", "t", "z", "F", "df", "SE", "J", "n"),
    ),
    "ama": Style(
        "ama", 3, 2, zero_of_p=False, joined=True, p="P", italic=("p", "t", "z", "F", "df", "J"),
    ),
}  # fmt: skip


def style_of(name: str) -> Style:
    """Return a style by its name."""
    check_choice("style", name, STYLES)
    return STYLES[name]


def typeset(number: str) -> str:
    """Return an ASCII number with the signs of a page."""
    if number == "nan":
        return DASH
    return number.replace("-", MINUS).replace("inf", INFINITY)


def typeset_words(text: str) -> str:
    """Return our own words with the signs of a page: true minus signs, and <= as one sign."""
    text = _MINUS_IN_WORDS.sub(MINUS, text)
    return text.replace("<=", "\N{LESS-THAN OR EQUAL TO}").replace(
        ">=", "\N{GREATER-THAN OR EQUAL TO}"
    )


def _without_zero(text: str) -> str:
    """Return a number without the zero before its point."""
    return re.sub(r"^([-<>]?)0\.(?=\d)", r"\1.", text)
