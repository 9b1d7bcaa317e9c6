"""Numbers as text, in the styles of journals: digits, leading zeros, p-values and symbols.

A cell of a table (`pauci.tables.table`) is formatted by a `Style`. Numbers are formatted in ASCII,
as siunitx requires; `typeset` replaces ASCII signs by typographic ones.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from pauci.checks import Horizon, check_choice
from pauci.checks import count as count

DECIMALS = 3
"""Decimals of a number whose standard error does not require more or fewer."""

_MOST_DECIMALS = 8

_PRECISION = 13
"""Decimals that do not depend on the order of calculations."""

_MOST_PLACES = 12

_NOISE = 1e-12
"""Standard errors and differences up to this size are rounding errors."""

_ALL_ROWS = "all rows"
"""The name of the whole sample, next to those of groups."""

_PROPER = {
    "wald": "Wald",
    "newcombe": "Newcombe",
    "bca": "BCa",
    "student": "studentized",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini and Hochberg",
    "by": "Benjamini and Yekutieli",
    "influence": "influence values",
}


def proper(word: str) -> str:
    """Return the name of a method in sentences, given its name in code."""
    return _PROPER.get(word, word)


def decimals_of(error: float) -> int:
    """Return the decimals of numbers with a standard error.

    They are 3 for errors from 0.01 to 1. Other errors have two significant digits, with at most 8
    decimals. Without a standard error (0, rounding errors, infinity and NaN) they are also 3.
    """
    if not _NOISE < error < math.inf:
        return DECIMALS
    rounded = f"{error:.1e}"  # 0.996 is 1.0
    if 0.01 <= float(rounded) < 1.0:
        return DECIMALS
    return min(max(1 - int(rounded.partition("e")[2]), 0), _MOST_DECIMALS)


def smallest_error(errors: Iterable[float]) -> float:
    """Return the standard error that determines the decimals of a table; 0 if there is none."""
    return min((error for error in errors if _NOISE < error < math.inf), default=0.0)


def named(name: str, noun: str = "classifier") -> str:
    """Return a name, with a noun before a number, as in ``classifier 1``.

    Groups whose names have several words are in quotation marks.
    """
    try:
        float(name)
    except ValueError:
        quoted = noun == "group" and " " in name and name not in (_ALL_ROWS, repr(name[1:-1]))
        return f'"{name}"' if quoted else name
    return f"{noun} {name}"


def noun_of_group(group: object) -> str:
    """Return the noun for a group before its name: ``group`` or ``horizon``."""
    return "horizon" if isinstance(group, Horizon) else "group"


def in_group(group: object) -> str:
    """Return a group after a noun, as in ``svm in "F"``, ``in group 3`` or ``at horizon 5``."""
    if group is None:
        return ""
    if isinstance(group, Horizon):
        return f" at horizon {group}"
    name = named(name_of_group(group), "group")
    return f" in {name}" if name != str(group) else f' in "{name}"'


def name_of_group(group: object) -> str:
    """Return the name of a group, in quotation marks if it is blank; None means all rows."""
    if group is None:
        return _ALL_ROWS
    return str(group) if str(group).strip() else repr(str(group))


def name_of_reference(reference: object) -> str:
    """Return the name of the group with which the others are compared."""
    return name_of_group(None if reference == "overall" else reference)


def of_cell(reader: str, modality: str) -> str:
    """Return the name of a reader in a modality: ``Ann (CT)``, ``reader 3 (modality 1)``."""
    return f"{named(reader, 'reader')} ({named(modality, 'modality')})"


def difference(first: str, second: str, noun: str = "classifier") -> str:
    """Return the name of a difference: ``svm - nn``, ``modality 1 - modality 2``."""
    return f"{named(first, noun)} - {named(second, noun)}"


def number(value: float, error: float = 0.0, *, distinct_from: Iterable[float] = ()) -> str:
    """Return a number with decimals according to its standard error.

    Parameters
    ----------
    value, error : float
        The number, and the standard error that determines the decimals (`decimals_of`). Without
        one, numbers from 10 to 100 have one decimal and larger ones none.
    distinct_from : iterable of float
        Numbers from which this one must be distinguishable unless it is equal to them, such as the
        null value of a test; it has more decimals if necessary.

    Notes
    -----
    A number between -1 and 1 that would be printed as 0, 1 or -1 is printed as ``<0.001``,
    ``>-0.001``, ``>0.999`` or ``<-0.999``.
    """
    has_error = _NOISE < error < math.inf
    if not (has_error or value):
        return "0"
    places = decimals_of(error) if has_error else _decimals_by_size(value)
    for other in distinct_from:
        if abs(value - other) > max(1e-6 * error, _NOISE * max(1.0, abs(other))):
            places = _distinct_places(value, other, places)
    return with_places(value, places, error=error)


def _decimals_by_size(value: float) -> int:
    return DECIMALS if abs(value) < 10.0 else 1 if abs(value) < 100.0 else 0


def _distinct_places(value: float, other: float, places: int) -> int:
    """Return the decimals, at least `places`, with which two numbers can be distinguished."""
    while places < _MOST_PLACES and fixed(value, places) == fixed(other, places):
        places += 1
    return places


def places_of(value: float, low: float, high: float) -> int:
    """Return the decimals of a number and its interval: two digits of half the width.

    They are at least three if no number exceeds 1. Without an interval they are three, or fewer
    for large numbers.
    """
    finite = [abs(v) for v in (value, low, high) if math.isfinite(v)]
    at_least = DECIMALS * (max(finite, default=0.0) <= 1.0 + _NOISE)
    half = (high - low) / 2.0
    if not _NOISE < half < math.inf:
        half = abs(value - (low if math.isfinite(low) else high))
    if not _NOISE < half < math.inf:
        size = max(finite, default=0.0)
        return at_least or (0 if abs(size - round(size)) < 1e-9 else _decimals_by_size(size))
    exponent = int(f"{half:.1e}".partition("e")[2])
    return min(max(1 - exponent, at_least), _MOST_DECIMALS)


def with_places(
    value: float, places: int, *, error: float = 0.0, distinct_from: float = math.nan
) -> str:
    """Return a number with this number of decimals, as ``<0.001`` if it is not quite 0.

    It has more decimals if necessary to be distinguished from another number.
    """
    if not math.isfinite(value):
        return str(value)
    if abs(value - distinct_from) > _NOISE:
        places = _distinct_places(value, distinct_from, places)
    text = fixed(value, places)
    limit = float(text)
    inside = -1.0 < value < 1.0 and limit in (0.0, 1.0, -1.0)
    if not inside or abs(value - limit) <= max(1e-6 * error, _NOISE):
        return text
    unit = 10.0**-places
    return f"<{fixed(limit + unit, places)}" if value > limit else f">{fixed(limit - unit, places)}"


@lru_cache
def place(words: str) -> str:
    """Return a part of the curve in words, as in the names of rows: shorter than in sentences."""
    words = re.sub(r"^at ", "", words)
    words = re.sub(r"^scores of (.*) and above$", r"score >= \1", words)
    words = re.sub(r"^scores of (.*) and below$", r"score <= \1", words)
    if "score" in words:
        return words
    return re.sub(r"\b\d\.\d{4,}", lambda number: _as_fraction(number[0]), words)


def with_place(label: str | None, words: str | None) -> str:
    """Return the label of a measure, followed by the part of the curve if there is one."""
    return ", ".join(filter(None, (label, words)))


def _as_fraction(digits: str) -> str:
    """Return a simple fraction instead of its first digits, or three digits of other numbers."""
    near, places = Fraction(digits).limit_denominator(12), len(digits.partition(".")[2])
    is_simple = abs(near - Fraction(digits)) < Fraction(1, 10**places)
    return str(near) if is_simple else f"{float(digits):.3g}"


def fixed(value: float, places: int) -> str:
    """Return a number with a fixed number of decimals; 0 has no sign.

    Sums in another order may differ in the last bit, so this bit must not decide how a number such
    as 0.8925 is rounded.
    """
    text = f"{round(value, _PRECISION):.{places}f}"
    return text if text.strip("-0.") else text.removeprefix("-")


def bound(value: object) -> str:
    """Return an end of a range with up to four significant digits."""
    return f"{value + 0.0:.4g}" if isinstance(value, float) else str(value)  # -0 is 0


def degrees(df: float) -> str:
    """Return degrees of freedom: ``7``, ``53.2`` or ``1,204``."""
    return f"{df:.3g}" if df < 99.95 or math.isinf(df) else f"{df:,.0f}"


def p_value(value: float) -> str:
    """Return ``p = 0.012`` or ``p < 0.001``."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def p_cell(value: float) -> str:
    """Return a p-value for a table: ``0.012`` or ``<0.001``."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def listed(texts: Sequence[str]) -> str:
    """Return texts joined with commas and "and"."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def observations(value: float) -> str:
    """Return a number of observations; one below 100 has a decimal if a bound divides ties."""
    nearest = round(value)
    whole = value >= 99.95 or abs(value - nearest) < 1e-9
    return f"{nearest:,}" if whole else f"{value:,.1f}"


def percent(level: float) -> str:
    """Return a confidence level as a percentage."""
    return f"{100 * level:g}%"


def hypothesis(null: float) -> str:
    """Return the value of a hypothesis: as it was given, or four digits of a converted one."""
    text = f"{null:g}"
    return text if math.isclose(float(text), null, rel_tol=1e-12) else f"{null:.4g}"


def sided(alternative: str) -> str:
    """Return an alternative hypothesis as it is written in tables."""
    return alternative if alternative == "two-sided" else f"one-sided ({alternative})"


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
    decimals_of_statistics : int
        Decimals of a test statistic.
    zero, zero_of_p : bool
        Whether numbers that cannot exceed 1, and p-values, have a zero before the decimal point.
    p : str
        The symbol of a p-value.
    italic : tuple of str
        Symbols in italics.
    """

    name: StyleName
    decimals_of_statistics: int = 3
    zero: bool = True
    zero_of_p: bool = True
    p: str = "p"
    italic: tuple[str, ...] = ()

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

    def value_with_interval(self, *numbers: str) -> str:
        """Return ``0.735 (0.691-0.776)`` in the format of the journal, from ASCII numbers."""
        value, low, high = map(typeset, numbers)
        if self.name == "apa":
            return f"{value} [{low}, {high}]"
        has_sign = any(s in low + high for s in (MINUS, INFINITY, "<", ">"))
        return f"{value} ({low}{'-' if self.name == 'ama' and not has_sign else ' to '}{high})"

    def symbol(self, text: str) -> Run:
        """Return a statistical symbol."""
        return Run(self.p if text == "p" else text, text in self.italic)

    def heading(self, text: str) -> str:
        """Return the start of a heading, with a capital letter in journal styles."""
        plain_word = re.fullmatch(r"[a-z][a-z ]*", text) and self.name != "plain"
        return text[:1].upper() + text[1:] if plain_word else text


_ITALIC = ("p", "t", "z", "F", "df", "J")

_APA = Style("apa", 2, zero=False, zero_of_p=False, italic=(*_ITALIC, "SE", "n"))
_AMA = Style("ama", 2, zero_of_p=False, p="P", italic=_ITALIC)

STYLES: dict[str, Style] = {"plain": Style("plain"), "apa": _APA, "ama": _AMA}


def style_of(name: str) -> Style:
    """Return a style by its name."""
    check_choice("style", name, STYLES)
    return STYLES[name]


def typeset(number: str) -> str:
    """Return an ASCII number with typographic signs."""
    return DASH if number == "nan" else number.replace("-", MINUS).replace("inf", INFINITY)


def typeset_words(text: str) -> str:
    """Return a text with typographic signs for minus, <= and >=."""
    text = _MINUS_IN_WORDS.sub(MINUS, text).replace("<=", "\N{LESS-THAN OR EQUAL TO}")
    return text.replace(">=", "\N{GREATER-THAN OR EQUAL TO}")


def _without_zero(text: str) -> str:
    """Return a number without the zero before the decimal point."""
    return re.sub(r"^([<>]?-?)0\.(?=\d)", r"\1.", text)
