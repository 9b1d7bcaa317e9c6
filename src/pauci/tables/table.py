"""Tables of results: typed cells, columns, a caption and notes.

Text, Markdown, LaTeX, HTML and Word are written from this one description. A result has a layout
(`pauci.results.presented`), from which its table follows; data inherit from
`pauci.tables.tabular.Tabular` and have one method, ``_table(level, kind)``, that returns a `Table`.
A cell is a number with its meaning (`Number`, `IntervalCell`, `PValue`, ...), because styles differ
in digits, and ``None`` is an empty cell. Text chosen by users is wrapped in `Verbatim` and shown
unchanged; in a plain ``str`` hyphens before numbers become minus signs. Captions, headings and
notes may be tuples of such parts. The caption describes the table, and notes the methods and the
data; ``page=False`` restricts a note to `summary`, and ``text=False`` excludes it from `summary`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pauci import checks
from pauci.tables import number_format as fmt
from pauci.tables.number_format import DASH, Form, Run, Style, typeset, typeset_words


class Part(ABC):
    """A cell, or a part of a caption, note or heading, with its formats."""

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


class _Numeric(Part):
    """A cell that is one number."""

    numeric = True

    @abstractmethod
    def ascii(self, style: Style) -> str:
        """Return the number in ASCII."""

    def form(self, style: Style) -> Form:
        """Return the number with typographic signs."""
        return number_form(self.ascii(style))


def number_form(number: str) -> Form:
    """Return an ASCII number as a formatted text."""
    finite = number if any(c.isdigit() for c in number) else ""
    return Form((Run(typeset(number)),), finite)


@dataclass(frozen=True)
class Number(_Numeric):
    """A number with the standard error that determines its decimals.

    The estimate, its standard error and its interval have the same `error`, so that they have the
    same decimals; it is 0 if there is no standard error. `unit` numbers cannot exceed 1.
    """

    value: float
    error: float = 0.0
    unit: bool = False

    def plain(self) -> str:
        """Return the number with the decimals of its standard error."""
        return fmt.number(self.value, self.error)

    def ascii(self, style: Style) -> str:
        """Return the number in ASCII."""
        return style.stated(self.plain(), unit=self.unit)


@dataclass(frozen=True)
class IntervalCell(Part):
    """Both ends of an interval: two cells, or one if the style joins them.

    The infinite end of a one-sided interval is an empty cell.
    """

    low: float
    high: float
    error: float = 0.0
    unit: bool = False
    one_sided: bool = False

    numeric = True

    @property
    def ends(self) -> tuple[Number | None, Number | None]:
        """The two ends as cells."""
        low = Number(self.low, self.error, self.unit)
        high = Number(self.high, self.error, self.unit)
        no_low, no_high = math.isinf(self.low), math.isinf(self.high)
        if not self.one_sided or no_low == no_high:
            return low, high
        return (None, high) if no_low else (low, None)

    def plain(self) -> str:
        """Return both ends as one text."""
        return " to ".join(map(plain, self.ends))

    def form(self, style: Style) -> Form:
        """Return both ends as one text, or the name and the value of a bound."""
        low, high = (None if end is None else end.ascii(style) for end in self.ends)
        if low is not None and high is not None:
            return Form((Run(style.interval(low, high)),))
        name, bound = ("upper", high) if low is None else ("lower", low)
        return Form((Run(f"{name} bound {typeset(bound or '')}"),))


@dataclass(frozen=True)
class WithEnds(Part):
    """A number with its interval in one cell; a dash if it is undefined."""

    value: float
    low: float
    high: float
    unit: bool = False

    numeric = True

    @property
    def _numbers(self) -> list[str]:
        width = self.high - self.low
        return [fmt.decimal(v, width) for v in (self.value, self.low, self.high)]

    def plain(self) -> str:
        """Return ``0.735 (0.691-0.776)``."""
        if math.isnan(self.value):
            return "-"
        value, low, high = self._numbers
        dash = " to " if any(sign in low + high for sign in "-<>") else "-"
        return f"{value} ({low}{dash}{high})"

    def form(self, style: Style) -> Form:
        """Return the number with its interval in the format of the journal."""
        if math.isnan(self.value):
            return Form((Run(DASH),))
        parts = (style.stated(number, unit=self.unit) for number in self._numbers)
        return Form((Run(style.value_with_interval(*parts)),))


@dataclass(frozen=True)
class StatisticCell(_Numeric):
    """A test statistic or, with `unit`, a correlation; empty if there is none (NaN)."""

    value: float
    unit: bool = False

    def plain(self) -> str:
        """Return three decimals."""
        return "" if math.isnan(self.value) else f"{self.value:.3f}"

    def ascii(self, style: Style) -> str:
        """Return the number with the decimals of the style."""
        if math.isnan(self.value):
            return ""
        return style.stated(fmt.fixed(self.value, style.decimals_of_statistics), unit=self.unit)


@dataclass(frozen=True)
class Fixed(_Numeric):
    """A number that is text already, such as a null value chosen by the user or a threshold."""

    digits: str
    unit: bool = False

    def plain(self) -> str:
        """Return the digits."""
        return self.digits

    def ascii(self, style: Style) -> str:
        """Return the digits, with or without the zero before the point."""
        return style.stated(self.digits, unit=self.unit)


@dataclass(frozen=True)
class PValue(_Numeric):
    """A p-value; empty if there is none (NaN)."""

    value: float

    def plain(self) -> str:
        """Return ``0.012`` or ``<0.001``."""
        return "" if math.isnan(self.value) else fmt.p_cell(self.value)

    def ascii(self, style: Style) -> str:
        """Return the number in ASCII."""
        return style.p_value(self.value)


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


@dataclass(frozen=True)
class Count(_Numeric):
    """A count, with commas between thousands; it may be fractional."""

    value: float

    def plain(self) -> str:
        """Return the number with commas."""
        return f"{self.value:,}" if isinstance(self.value, int) else f"{self.value:,.10g}"

    def ascii(self, style: Style) -> str:  # noqa: ARG002
        """Return the number without commas."""
        return self.plain().replace(",", "")

    def form(self, style: Style) -> Form:
        """Return the number with commas."""
        return Form((Run(typeset(self.plain())),), self.ascii(style))


@dataclass(frozen=True)
class Observations(Part):
    """A number of observations with its interval, without one if it is known exactly."""

    value: float
    low: float
    high: float

    numeric = True

    @property
    def _ends(self) -> tuple[str, str] | None:
        return None if self.low == self.high else (f"{self.low:,.1f}", f"{self.high:,.1f}")

    def plain(self) -> str:
        """Return ``12 (8.1-16.3)``."""
        value = fmt.observations(self.value)
        return value if self._ends is None else f"{value} ({'-'.join(self._ends)})"

    def form(self, style: Style) -> Form:
        """Return the number with its interval in the format of the journal."""
        value = fmt.observations(self.value)
        if self._ends is None:
            return Form((Run(value),), value.replace(",", ""))
        return Form((Run(style.value_with_interval(value, *self._ends)),))


class Degrees(Count):
    """Degrees of freedom; empty if they are infinite."""

    def plain(self) -> str:
        """Return ``7``, ``53.2`` or ``1,204``."""
        return fmt.degrees(self.value) if math.isfinite(self.value) else ""


@dataclass(frozen=True)
class RangeCell(Part):
    """A range of numbers: ``0.2-0.4``, or a single number."""

    low: float
    high: float
    unit: bool = False

    numeric = True

    def plain(self) -> str:
        """Return the number in ASCII."""
        return fmt.span(self.low, self.high)

    def form(self, style: Style) -> Form:
        """Return the range with the dash of the journal."""
        ends = fmt.bound(self.low), fmt.bound(self.high)
        first, last = (style.stated(end, unit=self.unit) for end in ends)
        if first == last:
            return number_form(first)
        if self.low < 0.0:
            return Form((Run(f"{typeset(first)} to {typeset(last)}"),))
        return Form((Run(f"{first}{'-' if style.name == 'ama' else DASH}{typeset(last)}"),))


def score_cell(score: object, text: str) -> Part:
    """Return the text of a score as a cell: of a number, or of the user's category."""
    return Fixed(text) if isinstance(score, (int, float)) else Verbatim(text)


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
class Column:
    """A column; intervals have two columns, headed by `ends`, unless the style joins them."""

    heading: RichText
    ends: tuple[str, str] | None = None


def ends_column(level: float, which: str = "", *, one_sided: bool = False) -> Column:
    """Return a column of intervals, or of bounds if they are one-sided.

    `which` is appended to the headings, as in ``", all"``.
    """
    heading = f"{fmt.percent(checks.level(level))} {'bound' if one_sided else 'CI'}{which}"
    return Column(heading, (f"low{which}", f"high{which}"))


@dataclass(frozen=True)
class Note:
    """A note below a table: in `summary` (text), in all other formats (page), or in both."""

    words: RichText
    text: bool = True
    page: bool = True


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes
    ----------
    title : RichText
        Title in `summary`.
    caption : RichText
        Description of the table in all other formats, which can be understood on its own.
    columns : sequence of Column
        Columns; the first one contains the names of the rows.
    rows : sequence of sequences of Cell
        A cell per column.
    notes : sequence of Note
        Notes on the methods and the data.
    abbreviations : dict of str to str
        Abbreviations and their meanings, in addition to those of all tables.
    in_text : sequence of int, optional
        Positions of the rows that `summary` prints; the default is all.
    """

    title: RichText
    caption: RichText
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[Note] = ()
    abbreviations: dict[str, str] = field(default_factory=dict)
    in_text: Sequence[int] | None = None
