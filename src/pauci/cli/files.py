"""Files that the command line reads: text of any separator, Parquet, Excel, compressed or not.

What a file is follows from its first bytes, which are certain. The separator, the decimal mark and
the encoding of a text are never guessed: where another choice fits, the message proposes it.
"""

import csv
import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pauci.cli.data import DECIMAL_COMMA, Data
from pauci.cli.foreign_files import READ, refuse_foreign_file
from pauci.cli.unpacking import is_excel, unpacked
from pauci.cli.wording import numbered, separator, shortened
from pauci.errors import InputError, arg

_SEPARATORS = (",", ";", "\t", "|", " ")
_SPELLED = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}
_TAB_SUFFIXES = (".tsv", ".tab")
_OF_TEXTS = ("sep", "decimal", "encoding")

_WIDE = 1000
"""Of texts with more columns only those are read that are asked for."""


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, by the options of these names."""

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    unpack_limit: float | None = None
    """Gigabytes that a compressed file may hold."""
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Words that stand for a missing value in a column of numbers."""


def read(file: str, reading: Reading, needed: Sequence[str]) -> Data:
    """Read a file, or standard input; `needed` are the columns that will be looked for."""
    name = name_of(file)
    stored = _bytes(file, name)
    refuse_foreign_file(stored, name)  # also before: an OpenDocument file is an archive
    raw = unpacked(stored, name, reading.unpack_limit)
    if raw[:4] == b"PAR1":
        refuse_options(reading, f"{name}, which is a Parquet file")
        return _parquet(raw, name, needed)
    if is_excel(raw):
        refuse_options(reading, f"{name}, which is an Excel file", _OF_TEXTS)
        text, numbers = _excel(raw, name, reading.sheet)
        return Text(name, text, ",", None, "row", numbers).data(needed, reading.codes)
    if raw[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise InputError(f"{name} is an old or protected Excel file; save it as .xlsx or .csv.")
    refuse_foreign_file(raw, name)
    refuse_options(reading, f"{name}, which is a text file", ("sheet",))
    sep, decimal = text_format(file, reading)
    return Text(name, _in_utf8(raw, name, reading.encoding), sep, decimal).data(
        needed, reading.codes
    )


def text_format(file: str, reading: Reading) -> tuple[str, str]:
    """Return the separator and the decimal mark of a text."""
    tabs = any(suffix in _TAB_SUFFIXES for suffix in Path(file).suffixes[-2:])
    sep = _separator(reading.sep) if reading.sep is not None else "\t" if tabs else ","
    return sep, _decimal(reading.decimal, sep)


def name_of(file: str) -> str:
    """Return what messages call a file."""
    return "standard input" if file == "-" else f"file {shortened(file)!r}"


def refuse_options(
    reading: Reading, what: str, options: Sequence[str] = (*_OF_TEXTS, "sheet")
) -> None:
    """Refuse options of reading that have no meaning for what is read."""
    for option in options:
        if getattr(reading, option) is not None:
            raise InputError(arg(option), f" has no meaning for {what}.")


def _separator(word: str) -> str:
    character = _SPELLED.get(word.lower(), word)
    if (
        len(character) != 1
        or not character.isascii()
        or character.isalnum()
        or character in '"\r\n'
    ):
        raise InputError(
            arg("sep", word), " must be one character, such as ';', or one of: tab, space."
        )
    return character


def _decimal(word: str | None, sep: str) -> str:
    decimal = "." if word is None else word
    if decimal not in (".", ","):
        raise InputError(arg("decimal", decimal), " must be '.' or ','.")
    if decimal == sep:
        raise InputError(
            arg("decimal", decimal), " cannot be the separator of columns as well: name that with ",
            arg("sep"), ", such as ", arg("sep", ";"), ", or write numbers with a decimal point.",
        )  # fmt: skip
    return decimal


def _bytes(file: str, name: str) -> bytes:
    if file == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed.")
        stream = getattr(sys.stdin, "buffer", None)
        raw: bytes = sys.stdin.read().encode() if stream is None else stream.read()
        return raw
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", file):
        raise InputError(f"{name} is a URL, and nothing is fetched; download it first.")
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name} does not exist; check the path.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{name} cannot be read: {why}.") from None


def _parquet(raw: bytes, name: str, needed: Sequence[str]) -> Data:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise InputError(
            f"{name} is a Parquet file, and reading it takes pyarrow: pip install 'pauci[parquet]'."
        ) from None
    try:
        table = parquet.read_table(pyarrow.BufferReader(raw))
        frame = table.to_pandas()
    except (pyarrow.ArrowException, OSError, ValueError, TypeError) as error:
        raise InputError(f"{name} cannot be read as Parquet: {error}.") from None
    if any(n is not None for n in frame.index.names):
        frame = frame.reset_index()
    refuse_repeated([str(c) for c in table.column_names], needed, name)
    return Data(name, frame, lambda positions, _: numbered("row", [p + 1 for p in positions]))


def _excel(raw: bytes, name: str, sheet: str | None) -> tuple[bytes, list[int]]:
    """Return a sheet as comma-separated text, and the row of the sheet for each line of it."""
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise InputError(
            f"{name} is an Excel file, and reading it takes openpyxl: pip install 'pauci[excel]'."
        ) from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
    except Exception as error:  # openpyxl raises what its parsers raise
        raise InputError(f"{name} cannot be read as an Excel file: {error}.") from None
    titles = [s.title for s in book.worksheets]
    if sheet is not None and sheet not in titles:
        raise InputError(
            arg("sheet", sheet), f" is not in {name}; its sheets are: {', '.join(titles)}."
        )
    if sheet is None and len(titles) != 1:
        raise InputError(
            f"{name} has {len(titles)} sheets ({', '.join(titles)}); name one with ", arg("sheet"),
            ".",
        )  # fmt: skip
    chosen = book[titles[0] if sheet is None else sheet]
    text, numbers = io.StringIO(newline=""), []
    writer = csv.writer(text)
    try:
        chosen.reset_dimensions()
        for number, cells in enumerate(chosen.iter_rows(values_only=True), 1):
            words = ["" if c is None else str(c) for c in cells]
            while words and not words[-1].strip():
                words.pop()
            if words:
                writer.writerow(words)
                numbers.append(number)
    except Exception as error:
        raise InputError(f"{name} cannot be read as an Excel file: {error}.") from None
    return text.getvalue().encode(errors="replace"), numbers


def _in_utf8(raw: bytes, name: str, encoding: str | None) -> bytes:
    """Return a text in UTF-8, without the mark that may say so."""
    if encoding is None and b"\x00" in raw:
        wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff") or raw[1::2].count(0) > len(raw) // 4
        if not wide:
            raise InputError(
                f"{name} cannot be read as text: it holds zero bytes. Read are {READ}."
            )
        raise InputError(
            f"{name} looks like UTF-16; try ",
            arg("encoding", "utf-16" if raw[:1] in (b"\xff", b"\xfe") else "utf-16-le"), ".",
        )  # fmt: skip
    try:
        text = raw.decode(encoding or "utf-8")
    except LookupError:
        raise InputError(
            arg("encoding", encoding), " is not known; try utf-8, cp1252, latin-1 or utf-16."
        ) from None
    except (UnicodeError, ValueError) as error:
        at = getattr(error, "start", 0)
        line = raw[:at].count(b"\n") + 1
        raise InputError(
            f"{name} is not text in {encoding or 'utf-8'} (line {line}); try ",
            arg("encoding", _other_encoding(raw)), ".",
        ) from None  # fmt: skip
    if encoding is not None:
        try:
            raw = text.encode()
        except UnicodeError:
            raise InputError(
                f"{name} is not text in {encoding}; try ",
                arg("encoding", _other_encoding(raw)),
                ".",
            ) from None
    if b"\x00" in raw:
        raise InputError(f"{name} cannot be read as text: it holds zero bytes. Read are {READ}.")
    return raw.removeprefix("\ufeff".encode())


def _other_encoding(raw: bytes) -> str:
    """Return an encoding that may be the right one for bytes that are not UTF-8."""
    try:
        raw.decode("utf-8")
    except UnicodeError:
        pass
    else:
        return "utf-8"
    try:
        raw.decode("cp1252")
    except UnicodeError:
        return "latin-1"
    return "cp1252"


def _lines(text: bytes) -> io.TextIOWrapper:
    """Return a text line by line; a StringIO would take four bytes for each character."""
    return io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")


def _records(text: bytes, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the cells of each record that is not blank."""
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
    """Refuse columns of the same name among those that are needed."""
    for column in needed:
        if header.count(column) > 1:
            raise InputError(
                f"{name} has {header.count(column)} columns called {shortened(column)!r}; "
                "rename them, so that each has a name of its own."
            )


@dataclass(frozen=True)
class Text:
    """A table as text, with a header line; `numbers` are of its records where not their lines."""

    name: str
    text: bytes
    sep: str
    decimal: str | None
    noun: str = "line"
    numbers: Sequence[int] | None = None
    _limit: int = field(default=200, repr=False)

    @cached_property
    def _lines(self) -> list[int]:
        """The number of every record, that of the header first."""
        if self.numbers is not None:
            return list(self.numbers)
        return [line for line, _ in _records(self.text, self.sep)]

    def _row_names(self, positions: Sequence[int], _: str) -> str:
        if max(positions, default=0) + 1 < len(self._lines):
            return numbered(self.noun, [self._lines[p + 1] for p in positions])
        return numbered("row", [p + 1 for p in positions])

    def data(self, needed: Sequence[str], codes: Mapping[str, Sequence[str]]) -> Data:
        """Return the table, after checks of what pandas would pass over in silence."""
        import pandas as pd

        header = self.header(needed)
        some = self._asked_of_many(header, needed)
        # By default older pandas can miss the last digit of a number, which makes or breaks ties.
        version = tuple(int(part) for part in pd.__version__.split(".")[:2])
        exact: dict[str, Any] = {"float_precision": "round_trip"} if version < (3, 1) else {}
        try:
            frame = pd.read_csv(
                io.BytesIO(self.text), sep=self.sep, decimal=self.decimal or ".", index_col=False,
                low_memory=False, usecols=some,
                na_values={column: list(words) for column, words in codes.items()}, **exact,
            )  # fmt: skip
        except (pd.errors.ParserError, ValueError, OverflowError) as error:
            self._refuse_long_rows(len(header), all_rows=True)
            raise InputError(f"{self.name} cannot be read: {error}.") from None
        if some is not None:
            self._refuse_long_rows(len(header), all_rows=True)
            header = [header[i] for i in some]
        if len(header) == frame.shape[1]:
            frame.columns = pd.Index(header)
        return Data(self.name, frame, self._row_names, self.decimal)

    def _asked_of_many(self, header: Sequence[str], needed: Sequence[str]) -> list[int] | None:
        """Return which columns are asked for where there are very many; None for all of fewer."""
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
            self._refuse_other_separator(header, needed)
            refuse_repeated(header, needed, self.name)
            self._refuse_long_rows(len(header), all_rows=False)
        except StopIteration:
            raise InputError(f"{self.name} is empty; it needs a header line and rows.") from None
        except csv.Error as error:
            raise InputError(f"{self.name} cannot be read: {error}.") from None
        return header

    def _refuse_other_separator(self, header: list[str], needed: Sequence[str]) -> None:
        """Refuse a text whose columns come apart with another separator, and propose that."""
        if self.numbers is not None or set(needed) <= set(header):
            return
        for other in _SEPARATORS:
            if other == self.sep:
                continue
            some = [cells for (_, cells), _ in zip(
                _records(self.text, other), range(self._limit), strict=False
            )]  # fmt: skip
            if not some:
                continue
            alike = (
                len(header) == 1 and len(some[0]) > 1 and {len(c) for c in some} == {len(some[0])}
            )
            found = len(header) == 1 or other != " "  # blanks around names are no separators
            if not ((set(needed) <= set(some[0]) and found) or (alike and other != " ")):
                continue
            columns = [i for i, c in enumerate(some[0]) if c in needed]
            commas = self.decimal == "." and other != "," and any(
                DECIMAL_COMMA.fullmatch(cells[i]) for cells in some[1:] for i in columns
                if i < len(cells)
            )  # fmt: skip
            options = f"--sep {separator(other)}" + " --decimal ," * commas
            now = "tab" if self.sep == "\t" else repr(self.sep)
            raise InputError(
                f"{self.name} does not have its columns separated by {now} "
                f"(the first line is {shortened(self.sep.join(header))!r}); add {options}"
            )

    def _refuse_long_rows(self, width: int, *, all_rows: bool) -> None:
        """Refuse rows with more cells than the header, which would shift the columns.

        pandas itself refuses every such row but the first.
        """
        for i, (line, cells) in enumerate(_records(self.text, self.sep)):
            if len(cells) > width:
                where = f"{self.noun} {line if self.numbers is None else self.numbers[i]}"
                raise InputError(
                    f"{self.name} has {len(cells)} cells in {where} and {width} in the header, so "
                    "it is not clear which column is which; are there commas at the ends of lines, "
                    "or in values without quotes?"
                )
            if i == 1 and not all_rows:
                return
