"""Tables of results: typed cells, columns, a title and notes.

Text, Markdown, LaTeX, HTML and Word are written from this one description. The table of a result
follows from its facts (`pauci.results.pivot`); other classes that inherit from
`pauci.tables.tabular.Tabular` return a `Table` from ``_table``. A cell is a number with its
meaning (`EstimateCell`, `p_value_cell`, ...), because styles differ in digits, and ``None`` is an
empty cell. Text chosen by users is wrapped in `Verbatim` and shown unchanged; in a plain ``str``
hyphens before numbers become minus signs. Titles, headings and notes may be tuples of such parts.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from pauci.tables import number_format as fmt
from pauci.tables.number_format import DASH, Form, Run, Style, typeset, typeset_words


class Part(ABC):
    """A cell, or a part of a title, note or heading, with its formats."""

    numeric: ClassVar[bool] = False

    @abstractmethod
    def plain(self) -> str:
        """Return the text in `summary`, in ASCII except for names chosen by users."""

    @abstractmethod
    def form(self, style: Style) -> Form:
        """Return the formatted text in a style."""


@dataclass(frozen=True)
class Verbatim(Part):
    """Text chosen by a user, which is shown unchanged."""

    text: str

    def plain(self) -> str:
        """Return the text."""
        return self.text

    def form(self, style: Style) -> Form:  # noqa: ARG002
        """Return the text."""
        return Form((Run(self.text),))


@dataclass(frozen=True)
class Symbol(Part):
    """A statistical symbol, such as p or SE."""

    text: str

    def plain(self) -> str:
        """Return the letters."""
        return self.text

    def form(self, style: Style) -> Form:
        """Return the letters in the style of the journal."""
        return Form((style.symbol(self.text),))


@dataclass(frozen=True)
class Digits(Part):
    """A cell that is one number, of which the digits are text already.

    Parameters
    ----------
    digits : str
        The number in `summary`.
    unit : bool
        Whether it cannot exceed 1, so that some styles omit the zero before the point.
    styled : callable, optional
        Returns the number in a style, if it has other digits there.
    """

    digits: str
    unit: bool = False
    styled: Callable[[Style], str] | None = field(default=None, compare=False)

    numeric = True

    def plain(self) -> str:
        """Return the digits."""
        return self.digits

    def form(self, style: Style) -> Form:
        """Return the number with typographic signs."""
        digits = self.digits if self.styled is None else self.styled(style)
        number = style.stated(digits, unit=self.unit)
        finite = number.replace(",", "") if any(c.isdigit() for c in number) else ""
        return Form((Run(typeset(number)),), finite)


def number_cell(value: float, error: float = 0.0, unit: bool = False) -> Digits:
    """Return a number with the decimals of its standard error; `unit` as for `Digits`."""
    return Digits(fmt.number(value, error), unit)


def count_cell(value: float) -> Digits:
    """Return a count, with commas between thousands; it may be fractional."""
    return Digits(f"{value:,}" if isinstance(value, int) else f"{value:,.10g}")


def degrees_cell(df: float) -> Digits:
    """Return degrees of freedom: ``7``, ``53.2`` or ``1,204``; empty if they are infinite."""
    return Digits(fmt.degrees(df) if math.isfinite(df) else "")


def statistic_cell(value: float, unit: bool = False) -> Digits:
    """Return a test statistic or, with `unit`, a correlation; empty if there is none (NaN)."""
    if math.isnan(value):
        return Digits("")
    return Digits(
        f"{value:.3f}", unit, lambda style: fmt.fixed(value, style.decimals_of_statistics)
    )


def p_value_cell(value: float) -> Digits:
    """Return a p-value, ``0.012`` or ``<0.001``; empty if there is none (NaN)."""
    digits = "" if math.isnan(value) else fmt.p_cell(value)
    return Digits(digits, styled=lambda style: style.p_value(value))


@dataclass(frozen=True)
class EstimateCell(Part):
    """An estimate with its interval or bound, and the counts of a proportion.

    Its decimals are two digits of half the width of the interval, and at least three if no number
    exceeds 1. `unit` numbers cannot exceed 1. A number whose interval is NaN is written without it.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    counts: tuple[float, float] | None = None
    unit: bool = True
    one_sided: bool = False

    numeric = True

    @cached_property
    def places(self) -> int:
        """The decimals of all three numbers."""
        return fmt.places_of(self.value, self.low, self.high)

    @cached_property
    def _texts(self) -> list[str]:
        """All three numbers."""
        error = (self.high - self.low) / 2.0 if self.high > self.low else 0.0
        numbers = self.value, self.low, self.high
        return [fmt.with_places(v, self.places, error=error) for v in numbers]

    def _bound(self, low: str, high: str) -> str:
        """Return what a one-sided interval states; empty for other intervals."""
        if not self.one_sided or math.isinf(self.low) == math.isinf(self.high):
            return ""
        return f"at least {low}" if math.isinf(self.high) else f"at most {high}"

    @property
    def number(self) -> str:
        """The estimate alone."""
        return self._texts[0]

    @property
    def ends(self) -> str:
        """The interval, or the bound; empty if the number has none."""
        _, low, high = self._texts
        if not self.high > self.low:
            return ""
        unbounded = math.isinf(self.low) and math.isinf(self.high)
        return self._bound(low, high) or ("unbounded" if unbounded else f"{low} to {high}")

    @property
    def _counts(self) -> str:
        return "" if self.counts is None else "{:,g}/{:,g}".format(*self.counts)

    def plain(self) -> str:
        """Return ``0.735 (0.691 to 0.776)``, followed by counts; a dash if it is undefined."""
        return self._plain

    @cached_property
    def _plain(self) -> str:
        if math.isnan(self.value):
            return "-"
        ends, counts = self.ends, self._counts
        return self._texts[0] + f" ({ends})" * bool(ends) + f"  {counts}" * bool(counts)

    def sentence(self, name: str) -> str:
        """Return ``0.735 (36/49; 95% CI 0.691 to 0.776)``, with the name of the interval."""
        ends = self.ends
        inside = "; ".join(filter(None, (self._counts, ends and f"{name} {ends}")))
        return self._texts[0] + f" ({inside})" * bool(inside)

    def form(self, style: Style) -> Form:
        """Return the number with its interval in the format of the journal."""
        if math.isnan(self.value):
            return Form((Run(DASH),))
        value, low, high = (style.stated(text, unit=self.unit) for text in self._texts)
        text = typeset(value)
        bound = self._bound(typeset(low), typeset(high))
        if bound:
            text += f" ({bound})"
        elif self.high > self.low:
            text = style.value_with_interval(value, low, high)
        counts = self._counts
        return Form((Run(text + f"; {counts}" * bool(counts)),))


@dataclass(frozen=True)
class PEquals(Part):
    """A p-value in a sentence: ``p = 0.012`` or ``p < 0.001``."""

    value: float

    def plain(self) -> str:
        """Return symbol and value."""
        return fmt.p_value(self.value)

    def form(self, style: Style) -> Form:
        """Return symbol and value."""
        text = style.p_value(self.value)
        relation, number = (text[0], text[1:]) if text[0] in "<>" else ("=", text)
        return Form((style.symbol("p"), Run(f" {relation} {number}")))


def columns_of_f_test(
    statistic: float, df: float, df_denominator: float, pvalue: float
) -> list[tuple["RichText", list["Cell"]]]:
    """Return the columns of a test; if the second degrees of freedom are infinite, without F."""
    finite = math.isfinite(df_denominator)
    return [
        (Symbol("F"), [statistic_cell(statistic) if finite else None]),
        ((Symbol("df"), " 1") if finite else Symbol("df"), [count_cell(df)]),
        ((Symbol("df"), " 2"), [degrees_cell(df_denominator) if finite else None]),
        (Symbol("p"), [p_value_cell(pvalue)]),
    ]


def score_cell(score: object, text: str) -> Part:
    """Return the text of a score as a cell: of a number, or of the user's category."""
    return Digits(text) if isinstance(score, (int, float)) else Verbatim(text)


def difference_of(first: str, second: str, noun: str = "classifier") -> tuple[Part | str, ...]:
    """Return the name of a difference, as in ``svm - nn`` or ``classifier 1 - classifier 2``."""
    return Verbatim(fmt.named(first, noun)), " - ", Verbatim(fmt.named(second, noun))


RichText = str | Part | tuple[str | Part, ...]
Cell = RichText | None


def parts_of(text: RichText) -> tuple[str | Part, ...]:
    """Return a text as a tuple of its parts."""
    return text if isinstance(text, tuple) else (text,)


def plain(text: Cell) -> str:
    """Return the plain text of a cell, as in `summary`."""
    if text is None:
        return ""
    if isinstance(text, tuple):
        return "".join(map(plain, text))
    return text if isinstance(text, str) else text.plain()


def form(text: Cell, style: Style) -> Form:
    """Return the formatted text of a cell in a style."""
    if text is None:
        return Form(())
    if isinstance(text, str):
        return Form((Run(typeset_words(text)),))
    if isinstance(text, tuple):
        return Form(tuple(run for part in text for run in form(part, style).runs))
    return text.form(style)


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes
    ----------
    title : RichText
        What the table is about, which can be understood on its own.
    headings : sequence of RichText
        Headings of the columns; the first columns contain the names of the rows.
    rows : sequence of sequences of Cell
        A cell per column.
    notes : sequence of RichText
        Sentences about the methods and the data, which are one paragraph below the table.
    abbreviations : dict of str to str
        Abbreviations and their meanings, in addition to those of all tables.
    stubs : int
        Number of columns with names.
    """

    title: RichText
    headings: Sequence[RichText]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[RichText] = ()
    abbreviations: dict[str, str] = field(default_factory=dict)
    stubs: int = 1
