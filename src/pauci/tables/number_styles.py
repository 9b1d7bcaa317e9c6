"""How journals write numbers: leading zeros, p-values, intervals and symbols.

A cell of a table (`pauci.tables.table`) is formatted by a `Style`. Numbers are formatted in ASCII,
as siunitx requires; `typeset` replaces ASCII signs by typographic ones.
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
    """A formatted text; `number` is the number in ASCII if the text is only a number."""

    runs: tuple[Run, ...]
    number: str = ""

    @property
    def text(self) -> str:
        """The text without italics."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True)
class Style:
    """How one journal writes numbers.

    Attributes
    ----------
    name : str
        Name of the style.
    decimals, decimals_of_statistics : int
        Decimals of an estimate without a standard error, and those of a test statistic.
    zero, zero_of_p : bool
        Whether numbers that cannot exceed 1, and p-values, have a zero before the decimal point.
    joined : bool
        Whether both ends of an interval are in one column.
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
        """Return a number in ASCII, with decimals according to its standard error.

        Parameters
        ----------
        value, error, apart
            As for `pauci.tables.number_format.number`.
        unit : bool
            Whether the number cannot exceed 1.
        """
        digits = fmt.number(value, error, distinct_from=distinct_from, without=self.decimals)
        return self.stated(digits, unit=unit)

    def fixed(self, value: float, decimals: int, *, unit: bool = False) -> str:
        """Return a number in ASCII with a fixed number of decimals; 0 has no sign."""
        return self.stated(fmt.fixed(value, decimals), unit=unit)

    def stated(self, digits: str, *, unit: bool = False) -> str:
        """Return a formatted number, without the zero before the point if the style omits it."""
        return digits if self.zero or not unit else _without_zero(digits)

    def p_value(self, value: float) -> str:
        """Return a p-value, such as ``<0.001`` or ``.012``."""
        if math.isnan(value):
            return ""
        if value < _SMALLEST_P:
            text = "<0.001"
        elif self.name == "ama":
            # Two decimals, but three for small values and near .05.
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
        """Return ``0.735 (0.691-0.776)`` in the format of the journal."""
        ends = self.interval(low, high)
        return f"{typeset(value)} {ends}" if self.name == "apa" else f"{typeset(value)} ({ends})"

    def symbol(self, text: str) -> Run:
        """Return a statistical symbol."""
        return Run(self.p if text == "p" else text, text in self.italic)

    def heading(self, text: str) -> str:
        """Return the start of a heading, with a capital letter in journal styles."""
        plain_word = re.fullmatch(r"[a-z][a-z ]*", text) and self.joined
        return text[:1].upper() + text[1:] if plain_word else text


STYLES: dict[str, Style] = {
    "plain": Style("plain"),
    "apa": Style(
        "apa",
        3,
        2,
        zero=False,
        zero_of_p=False,
        joined=True,
        italic=("p", "t", "z", "F", "df", "SE", "J", "n"),
    ),
    "ama": Style(
        "ama",
        3,
        2,
        zero_of_p=False,
        joined=True,
        p="P",
        italic=("p", "t", "z", "F", "df", "J"),
    ),
}


def style_of(name: str) -> Style:
    """Return a style by its name."""
    check_choice("style", name, STYLES)
    return STYLES[name]


def typeset(number: str) -> str:
    """Return an ASCII number with typographic signs."""
    if number == "nan":
        return DASH
    return number.replace("-", MINUS).replace("inf", INFINITY)


def typeset_words(text: str) -> str:
    """Return a text with typographic signs for minus, <= and >=."""
    text = _MINUS_IN_WORDS.sub(MINUS, text)
    return text.replace("<=", "\N{LESS-THAN OR EQUAL TO}").replace(
        ">=", "\N{GREATER-THAN OR EQUAL TO}"
    )


def _without_zero(text: str) -> str:
    """Return a number without the zero before the decimal point."""
    return re.sub(r"^([-<>]?)0\.(?=\d)", r"\1.", text)
