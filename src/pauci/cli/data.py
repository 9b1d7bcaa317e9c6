"""A table that the command line has read, with checks that pandas does not make.

The separator and the decimal mark of a text are never guessed: where another choice fits, the
message proposes it.
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from pauci.checks import count
from pauci.cli.shell_syntax import SHELL, ShellSyntax, separator, shortened
from pauci.cli.written_numbers import (
    LARGEST_WHOLE,
    NUMBERS_OF_CATEGORIES,
    advice_on_two_readings,
    invalid_numbers,
    may_have_two_readings,
    numbers_of_texts,
    possible_marks,
    reason_not_a_number,
    two_readings,
)
from pauci.curve.score_types import exact_number
from pauci.errors import InputError, MissingRowsWarning, RowNames, numbered, warn
from pauci.sample.restrict import Code

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = (",", ";", "\t", "|", " ")

_FIRST_RECORDS = 200
"""Number of records in which other separators are tried."""

_MOST_TITLES = 20
"""Number of records in which the names of the columns are searched if the first lacks them."""

_WIDE = 1000
"""Number of columns of a text above which only the needed columns are read."""

ORDER_OF_CATEGORIES = (
    "ratings in words need their order: --category VALUE for each, from the most negative to the "
    "most positive."
)
"""Advice about ordered categories of scores."""


@dataclass(frozen=True, eq=False)
class Data:
    """A table that was read, and the names of its rows in messages."""

    name: str
    frame: "pd.DataFrame"
    row_names: RowNames
    decimal: str | None = None
    """The decimal mark of a text; None for files that store numbers as numbers."""

    thousands: str | None = None
    """The mark between thousands of a text."""

    two_readings: "Callable[[str, pd.Series[Any]], str | None] | None" = None
    """Returns a cell of a column of numbers that can be read in two ways, if there is any."""

    value_labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    """The labels of values by column, in files of SPSS and Stata."""

    declared: Mapping[str, str] = field(default_factory=dict)
    """The values by column that the file declares as missing, with their numbers of rows."""

    blanked: frozenset[str] = frozenset()
    """Words that mean a missing value, and that were read as such where they occurred."""

    header: tuple[str, ...] | None = None
    """The names of all columns of a text; None for other files, whose columns are all read."""

    @property
    def columns(self) -> list[str]:
        """The names of all columns, also of those that were not needed."""
        return list(map(str, self.frame.columns) if self.header is None else self.header)

    @property
    def syntax(self) -> ShellSyntax:
        """The syntax of messages about these data, whose rows have names."""
        return ShellSyntax(self.row_names)

    def error(self, message: str, rows: Iterable[Any] = (), hint: str = "") -> InputError:
        """Return an error about these data, or about some of their rows."""
        error = InputError(message, rows=rows, hint=hint)
        return InputError(f"{self.name}: {self.syntax.sentence(error)}")

    def with_value_labels(self, columns: Iterable[str | None]) -> "Data":
        """Return the data with the labels of values instead of these in columns of names."""
        named = {}
        for column in {c for c in columns if c is not None} & set(self.value_labels):
            labels, values = self.value_labels[column], self.frame[column]
            distinct = values.dropna().unique().tolist()
            texts = {v: labels[v] for v in distinct if v in labels}
            if len(set(texts.values())) == len(distinct):
                named[column] = values.map(texts)
        return replace(self, frame=self.frame.assign(**named)) if named else self

    def state_declared(self, columns: Iterable[str | None]) -> None:
        """Warn about values in columns that the file declares as missing."""
        parts = [
            f"{self.declared[c]} in column {c!r}"
            for c in dict.fromkeys(columns)
            if c is not None and c in self.declared
        ]
        if parts:
            warn(
                MissingRowsWarning(
                    f"{self.name} declares values as missing, and they are treated as missing: "
                    f"{'; '.join(parts)}.",
                    argument="user_missing",
                    hint="If they are values like the others, use --user-missing values.",
                )
            )

    def refuse_blank(self, option: str, column: str) -> None:
        """Raise an error for blank cells in a column that identifies rows or holds counts."""
        blank = self.frame[column].isna().to_numpy().nonzero()[0]
        if blank.size:
            raise self.error(
                f"column {column!r} ({option}) is blank, but every row requires it.", blank
            )

    def refuse_text(self, column: str, of_categories: str = NUMBERS_OF_CATEGORIES) -> None:
        """Refuse cells that are not numbers, or can be read as two numbers, and suggest a way out.

        `of_categories` is the advice about ordered categories.
        """
        values = self.frame[column]
        if values.dtype.kind in "biufc" or str(values.dtype) == "category":
            text = None if self.two_readings is None else self.two_readings(column, values)
            if text is not None:
                raise self.error(
                    f"column {column!r} holds {shortened(text)!r}, which can be read in two ways.",
                    hint=advice_on_two_readings("."),
                )
            return
        rows, texts = [], []
        for i, v in enumerate(values.tolist()):
            if isinstance(v, str) or (isinstance(v, int) and abs(v) > LARGEST_WHOLE // 2):
                rows.append(i)
                texts.append(str(v))
        invalid = invalid_numbers(texts, self.decimal, self.thousands)
        if not invalid:
            return
        value, others = texts[invalid[0]], len(invalid) - 1
        more = f", and text in {count(others, 'more row')}" if others else ""
        wrong = [texts[i] for i in invalid]
        reason, hint = reason_not_a_number(texts, wrong, self.decimal, of_categories)
        message = f"column {column!r} holds {shortened(value)!r}{reason}{more}."
        raise self.error(message, [rows[invalid[0]]], hint)


def refuse_repeated_categories(categories: Sequence[str]) -> None:
    """Refuse a value of --category that is given twice."""
    repeated = next((c for c in categories if categories.count(c) > 1), None)
    if repeated is not None:
        raise InputError.of("category", repeated, "is given twice.")


def refuse_lists(option: str, columns: Sequence[str], available: Sequence[str]) -> None:
    """Refuse several columns in one value of an option that is repeated for each column."""
    for column in columns:
        names = [name.strip() for name in re.split("[,;]", column)]
        if column not in available and len(names) > 1 and set(names) & set(available):
            options = " ".join(SHELL.assignment(option, name) for name in names)
            raise InputError.of(
                option,
                column,
                "is not a column.",
                hint=f"Use one option for each column: {options}.",
            )


def typed_codes(words: Sequence[str], blanked: Collection[str]) -> list[Code] | None:
    """Return codes of missing values, or None without any.

    Words that were read as missing values no longer occur in the columns where they did.
    """
    return [Code(_meanings_of(word), word not in blanked) for word in words] or None


def _meanings_of(word: str) -> list[object]:
    """Return the values in a column that an option value may spell: a text, a number."""
    for kind in (int, float):
        with suppress(ValueError):
            number = kind(word)
            return [word] if number != number else [word, number]
    return [word]


def number_of(word: str) -> float | int:
    """Return the number of an option, without rounding a large integer."""
    return exact_number(int(word) if word.strip().lstrip("+-").isdecimal() else float(word))


def is_spelling_of(text: str, value: object) -> bool:
    """Return whether an option value spells a value in the data."""
    if str(value) == text or (isinstance(value, bool) and str(value) == text.capitalize()):
        return True
    try:
        if isinstance(value, datetime):
            return datetime.fromisoformat(text) == value
        return isinstance(value, (int, float)) and float(text) == value
    except (ValueError, TypeError):  # a date with a time zone cannot be compared to one without
        return False


# Text


def exact_numbers() -> dict[str, Any]:
    """Return the options of ``pandas.read_csv`` that read the last digit of numbers exactly.

    By default older pandas can round it, which changes ties.
    """
    import pandas as pd

    version = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {"float_precision": "round_trip"} if version < (3, 1) else {}


def _lines(text: bytes) -> io.TextIOWrapper:
    """Return a text line by line; a StringIO would take four bytes for each character."""
    return io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")


def _records(text: bytes, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each record that is not blank."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        reader, line = csv.reader(_lines(text), delimiter=sep), 1
        for cells in reader:
            if len(cells) > 1 or (cells and cells[0].strip(" \t")):
                yield line, cells
            line = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


def refuse_repeated(header: Sequence[str], needed: Sequence[str], name: str) -> None:
    """Raise an error for columns of the same name among those that are needed."""
    for column in needed:
        if header.count(column) > 1:
            raise InputError(
                f"{name} has {header.count(column)} columns called {shortened(column)!r}; "
                "give them different names."
            )


def _separates(
    sep: str, records: Sequence[list[str]], header: Sequence[str], needed: Sequence[str]
) -> bool:
    """Return whether a separator gives the needed columns, or records of one length.

    `header` is the first line as split by the chosen separator. Spaces around names are not
    separators.
    """
    first = records[0]
    if set(needed) <= set(first):
        return len(header) == 1 or sep != " "
    same_length = {len(cells) for cells in records} == {len(first)}
    return len(header) == 1 and len(first) > 1 and same_length and sep != " "


@dataclass(frozen=True)
class TextTable:
    """A table as text with a header line.

    `numbers` are row numbers that differ from lines, and `above` is the number of lines above the
    header, which the text does not have. `marks_stated` is whether the user stated the marks.
    """

    name: str
    text: bytes
    sep: str
    decimal: str | None
    noun: str = "line"
    numbers: Sequence[int] | None = None
    above: int = 0
    thousands: str | None = None
    marks_stated: bool = False

    @cached_property
    def _lines(self) -> list[int]:
        """The number of every record, that of the header first."""
        if self.numbers is not None:
            return list(self.numbers)
        return [line + self.above for line, _ in _records(self.text, self.sep)]

    def _row_names(self, positions: Sequence[int], _: str) -> str:
        if max(positions, default=0) + 1 < len(self._lines):
            return numbered([self._lines[p + 1] for p in positions], self.noun)
        return numbered([p + 1 for p in positions], "row")

    def data(self, needed: Sequence[str], codes: Mapping[str, Sequence[str]]) -> Data:
        """Return the table, after checks that pandas does not make."""
        import pandas as pd

        header = self.header(needed)
        columns = tuple(header)
        positions = self._needed_of_many(header, needed)
        try:
            frame = pd.read_csv(
                io.BytesIO(self.text),
                sep=self.sep,
                decimal=self.decimal or ".",
                index_col=False,
                low_memory=False,
                usecols=positions,
                na_values={column: list(texts) for column, texts in codes.items()},
                **exact_numbers(),
            )
        except (pd.errors.ParserError, ValueError, OverflowError) as error:
            self._refuse_long_rows(len(header), all_rows=True)
            raise InputError(f"{self.name} cannot be read: {error}.") from None
        if positions is not None:
            self._refuse_long_rows(len(header), all_rows=True)
            header = [header[i] for i in positions]
        if len(header) == frame.shape[1]:
            frame.columns = pd.Index(header)
        blanked = self._occurring(header, positions, codes)
        if self.thousands is not None:
            frame = frame.apply(numbers_of_texts, args=(self.decimal or ".", self.thousands))
        return Data(
            self.name,
            frame,
            self._row_names,
            self.decimal,
            self.thousands,
            None if self.marks_stated else self._two_readings,
            blanked=blanked,
            header=columns,
        )

    def _two_readings(self, column: str, values: "pd.Series[Any]") -> str | None:
        """Return a cell of a column of numbers that can be read in two ways, if there is any."""
        if not may_have_two_readings(values):
            return None
        (_, header), *records = _records(self.text, self.sep)
        cells = [r[header.index(column)] for _, r in records if len(r) == len(header)]
        return two_readings(cells, in_same_order=self.sep != ",")

    def _occurring(
        self, header: list[str], positions: list[int] | None, codes: Mapping[str, Sequence[str]]
    ) -> frozenset[str]:
        """Return the words among the codes that occur in the columns of the codes."""
        import pandas as pd

        words = {word for texts in codes.values() for word in texts}
        places = range(len(header)) if positions is None else positions
        columns = [i for i, name in zip(places, header, strict=True) if name in codes]
        if not words or not columns:
            return frozenset()
        cells = pd.read_csv(
            io.BytesIO(self.text),
            sep=self.sep,
            index_col=False,
            usecols=columns,
            dtype=str,
            keep_default_na=False,
        )
        return frozenset(word for word in words if bool((cells == word).to_numpy().any()))

    def _needed_of_many(self, header: Sequence[str], needed: Sequence[str]) -> list[int] | None:
        """Return the positions of the needed columns if there are very many columns, else None."""
        if len(header) <= _WIDE:
            return None
        positions = {name: i for i, name in enumerate(header)}
        for column in needed:
            if column not in positions:
                raise InputError(
                    f"{self.name} has {len(header):,} columns, and none of them is called "
                    f"{shortened(column)!r}; the first is {shortened(header[0])!r}."
                )
        return sorted({positions[column] for column in needed})

    def header(self, needed: Sequence[str]) -> list[str]:
        """Return the names of the columns, after checks of the first lines."""
        try:
            _, header = next(_records(self.text, self.sep))
            self._refuse_title(header, needed)
            self._refuse_other_separator(header, needed)
            refuse_repeated(header, needed, self.name)
            self._refuse_long_rows(len(header), all_rows=False)
        except StopIteration:
            raise InputError(f"{self.name} is empty; it needs a header line and rows.") from None
        except csv.Error as error:
            raise InputError(f"{self.name} cannot be read: {error}.") from None
        return header

    def _refuse_title(self, header: list[str], needed: Sequence[str]) -> None:
        """Raise an error if the names of the columns are below the first line, such as a title."""
        if not needed or set(needed) <= set(header):
            return
        first = islice(enumerate(_records(self.text, self.sep)), 1, _MOST_TITLES)
        for i, (line, cells) in first:
            if set(needed) <= set(cells):
                number = line + self.above if self.numbers is None else self.numbers[i]
                raise InputError(
                    f"{self.name} has the names of its columns in {self.noun} {number}, below "
                    f"{shortened(next(filter(None, header), ''))!r}; add --header-row {number}"
                )

    def _refuse_other_separator(self, header: list[str], needed: Sequence[str]) -> None:
        """Raise an error for a text with another column separator, and propose that one."""
        if self.numbers is not None or set(needed) <= set(header):
            return
        for other in _SEPARATORS:
            records = [r for _, r in islice(_records(self.text, other), _FIRST_RECORDS)]
            if other == self.sep or not records or not _separates(other, records, header, needed):
                continue
            columns = [i for i, c in enumerate(records[0]) if c in needed]
            options = f"--sep {separator(other)}"
            if self.decimal == "." and other != ",":
                options += _marks_in(records, columns)
            now = "tab" if self.sep == "\t" else repr(self.sep)
            raise InputError(
                f"{self.name} does not have its columns separated by {now} "
                f"(the first line is {shortened(self.sep.join(header))!r}); add {options}"
            )

    def _refuse_long_rows(self, width: int, *, all_rows: bool) -> None:
        """Refuse rows with more cells than the header, which would shift the columns.

        pandas refuses every such row except the first.
        """
        for i, (line, cells) in enumerate(_records(self.text, self.sep)):
            if len(cells) > width:
                number = line + self.above if self.numbers is None else self.numbers[i]
                place = f"{self.noun} {number}"
                reason = (
                    "are there commas at the ends of lines, or in values without quotes?"
                    if self.numbers is None
                    else f"the first {self.noun} must contain the name of every column."
                )
                raise InputError(
                    f"{self.name} has {len(cells)} cells in {place} and {width} in the header, so "
                    f"the columns cannot be assigned; {reason}"
                )
            if i == 1 and not all_rows:
                return


def _marks_in(records: Sequence[Sequence[str]], columns: Sequence[int]) -> str:
    """Return the options for the marks of numbers in columns that can be read in one way."""
    for i in columns:
        marks = possible_marks(cells[i] for cells in records[1:] if i < len(cells))
        if len(marks) == 1 and marks[0].decimal == ",":
            thousands = marks[0].thousands
            return " --decimal ," + f" --thousands {thousands}" * (thousands is not None)
    return ""
