"""Files of data as data frames of pandas, whose index has the lines or rows of the file.

The separator, the decimal mark, the encoding and the row of the header are found where only one
reading is possible, and ``frame.attrs["read_as"]`` states what was found.
"""

import codecs
import csv
import functools
import io
import os
import re
import sys
import warnings
import zipfile
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from pauci.calls import validate_call
from pauci.checks import check_choice, check_text, nearest
from pauci.datasets import bundled_files
from pauci.errors import (
    HiddenRowsWarning,
    InputError,
    InputTypeError,
    install_advice,
    numbered,
    show,
    warn,
)
from pauci.files.duckdb_query import is_for_duckdb, relation_of
from pauci.files.json_tables import is_json, table_of_json
from pauci.files.memory_limit import (
    ANY,
    Room,
    check_feather,
    check_parquet,
    check_sas,
    unpacked,
)
from pauci.number_texts import (
    PLAIN,
    Notation,
    check_notation,
    is_per_cent,
    may_have_thousands,
    name_of_notation,
    notations,
    notations_of,
    number_of,
    numbers_of,
)

if TYPE_CHECKING:
    import pandas as pd

_NAMES = {"\t": "tab", " ": "space"}
_SPELLED = {"\\t": "\t", **{name: sep for sep, name in _NAMES.items()}}
_SEPARATORS = (",", ";", "\t", "|", " ")
_BLANK = [*(" " * n for n in range(1, 9)), "\N{NO-BREAK SPACE}"]
_FIRST_RECORDS = 200
_MOST_TITLES, _MOST_FOOTERS = 20, 5
_MOST_DECLARED = 5
_PART = 2**20


@dataclass(frozen=True)
class FileContent:
    """A file whose bytes are in memory."""

    name: str
    content: bytes = field(repr=False)
    room: Room = ANY


@validate_call
def read_table(
    path: "str | os.PathLike[str]",
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | tuple[int, int] | None = None,
    thousands: str | None = None,
    user_missing: Literal["missing", "values"] | None = None,
) -> "pd.DataFrame":
    """Read a file of data, as the command line and the app do.

    Text files (CSV and others), JSON, Excel, Parquet, SPSS, Stata, SAS and Feather are read by
    pandas according to their suffix. Text files may be compressed. If columns, numbers or the
    header could be read in two ways, an error asks for one of the arguments; otherwise they are
    found.

    Parameters
    ----------
    path : str or os.PathLike
        A file, ``"-"`` for standard input, ``"example:NAME"`` for the bundled data set NAME, or a
        query of DuckDB, ``"duckdb:SELECT ..."`` or ``"duckdb:trial.db:SELECT ..."``. The rows of a
        query, and of a pattern such as ``"scores-*.parquet"``, remain in DuckDB, and are counted
        there by `Sample.from_frame`.
    sep : str, optional
        Separator of the columns of a text file: one character, ``"tab"`` or ``"space"``.
    decimal : {".", ","}, optional
        Decimal mark of numbers that are written as text.
    encoding : str, optional
        Encoding of a text file. The default is UTF-8, and cp1252 for bytes that are not UTF-8.
    sheet : str, optional
        Name of the sheet of an Excel file that has several.
    header_row : int or tuple of int, optional
        Line of the names of the columns, if there are titles above it. A pair of lines is that of
        the names and that of the units below them, which is skipped.
    thousands : str, optional
        Separator of groups of three digits: ``"."``, ``","``, ``"'"`` or a blank.
    user_missing : {"missing", "values"}, optional
        What the values are that a file of SPSS or Stata declares as missing. By default they are
        missing, and `Sample.from_frame` warns about those in its columns. State ``"missing"`` for
        no warning, or ``"values"`` if they are values like the others.

    Returns
    -------
    pandas.DataFrame
        The index has the line of each row in a text file, or its row in a sheet, to which messages
        of `Sample.from_frame` refer. ``attrs["read_as"]`` states what was found,
        ``attrs["arguments"]`` are all arguments by name, ``attrs["value_labels"]`` are the labels
        of values of SPSS and Stata by column, and ``attrs["declared_missing"]`` the values that
        were declared as missing, in words.

    Raises
    ------
    ValueError
        If the file cannot be read, or can be read in two ways.

    Warns
    -----
    HiddenRowsWarning
        If rows of a sheet are hidden, which are read like the others.

    Examples
    --------
    >>> import pauci
    >>> pauci.read_table("example:fawcett").head(2)
          label  score
    line
    2         1    0.9
    3         1    0.8
    """
    if isinstance(path, str) and is_for_duckdb(path):
        relation: pd.DataFrame = cast("Any", relation_of(path))
        return relation
    return table_in(
        content_of(path),
        sep=sep,
        decimal=decimal,
        encoding=encoding,
        sheet=sheet,
        header_row=header_row,
        thousands=thousands,
        user_missing=user_missing,
    )


def content_of(path: "str | os.PathLike[str]") -> FileContent:
    """Return the bytes of a file, of standard input, or of a bundled data set."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InputTypeError.of("path", path, "must be the name of a file.") from None
    if name == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed.")
        stream = getattr(sys.stdin, "buffer", None)
        content = sys.stdin.read().encode() if stream is None else stream.read()
        return FileContent("standard input", content)
    if name.startswith("example:"):
        files = bundled_files()
        key = name.removeprefix("example:")
        if key not in files:
            raise InputError(
                f"{name!r} is no data set{nearest(key, files)} There are: {', '.join(files)}."
            )
        return FileContent(files[key].name, files[key].read_bytes())
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name):
        raise InputError(f"{show(name)} is a URL; download the file first.")
    try:
        return FileContent(Path(name).name, Path(name).read_bytes())
    except FileNotFoundError:
        raise InputError(f"file {show(name)} does not exist; check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"file {show(name)} cannot be read: {reason}.") from None


_ARGUMENTS = ("sep", "encoding", "decimal", "thousands", "sheet", "header_row", "user_missing")


def table_in(file: FileContent, **arguments: Any) -> "pd.DataFrame":
    """Return the table in the bytes of a file; the arguments are those of `read_table`."""
    options: dict[str, Any] = {**dict.fromkeys(_ARGUMENTS), **arguments}
    check_notation(options["decimal"], options["thousands"])
    user_missing = options["user_missing"]
    if user_missing is not None:
        check_choice("user_missing", user_missing, ("missing", "values"))
    check_text("sep", options["sep"])
    check_text("encoding", options["encoding"])
    name, content = unpacked(file.name, file.content, file.room)
    usual = _READERS[".json"] if is_json(content) else _Reader(_text, _OF_TEXT)
    reader = _READERS.get(Path(name).suffix.lower(), usual)
    for argument, value in options.items():
        if value is not None and argument not in reader.arguments:
            raise InputError.of(argument, value, f"does not apply to {file.name!r}.")
    if reader.arguments:
        options["header_row"] = _header_and_units(options["header_row"])
    try:
        frame = reader.read(
            content, name=name, room=file.room, **(options if reader.arguments else {})
        )
    except InputError as error:
        raise error.replaced(where=f"file {file.name!r}") from None
    except Exception as error:  # readers raise what their parsers raise
        missing = isinstance(error, ImportError) and reader.extra
        raise InputError(
            f"file {file.name!r} cannot be read: {str(error).strip().rstrip('.')}.",
            hint=install_advice(reader.extra) if missing else "",
        ) from None
    attributes = {"read_as": "", "arguments": {}, **frame.attrs, "source": file.name}
    frame.attrs = {n: _Facts(v) if isinstance(v, dict) else v for n, v in attributes.items()}
    return frame


class _Facts(dict[str, Any]):
    """An attribute of a table, which pandas would copy whenever a column is selected."""

    def __deepcopy__(self, _: object) -> "_Facts":
        return self


def _header_and_units(rows: Any) -> tuple[int, int | None] | None:
    """Return the row of the header, and that of the units."""
    if rows is None:
        return None
    header, units = rows if isinstance(rows, tuple) and len(rows) == 2 else (rows, None)
    whole = all(isinstance(r, int) and not isinstance(r, bool) for r in (header, units or 1))
    if not whole or header < 1 or (units is not None and units <= header):
        raise InputError.of(
            "header_row", rows, "must be a line of the file, or a pair: that of the units below it."
        )
    return header, units


# Text


def _text(
    content: bytes,
    *,
    name: str,
    room: Room,
    sep: str | None,
    decimal: str | None,
    encoding: str | None,
    thousands: str | None,
    header_row: tuple[int, int | None] | None,
    **_: object,
) -> "pd.DataFrame":
    """Return the table in a text."""
    found: list[str] = []
    text, encoding = _decoded(content, encoding, found, room)
    _check_first(text, sep, room)
    sep = _found_separator(text, name, found) if sep is None else _SPELLED.get(sep.lower(), sep)
    if len(sep) != 1 or sep.isalnum() or sep in '"\r\n':
        raise InputError.of("sep", sep, "must be one character, 'tab' or 'space'.")
    first = list(islice(_records(text, sep), _FIRST_RECORDS))
    above, units = _place_of_header(first, header_row)
    _check_cells(text, sep, len(first[above][1]), room)
    if header_row is None:
        _refuse_units(first[above:], "line")
        found += [f"the header in line {first[above][0]}"] if above else []
    text, lines = _with_lines(text, sep, above, units)
    frame = _columns_of(text, sep, lines, notations(decimal, thousands), found, room)
    frame.attrs |= {"read_as": ", ".join(found), "sep": sep}
    read = {"sep": _NAMES.get(sep, sep), "encoding": encoding, "header_row": first[above][0]}
    frame.attrs["arguments"] |= read
    return frame


def _with_lines(text: bytes, sep: str, above: int, units: int | None) -> tuple[bytes, Any]:
    """Return a text without titles, units and blank records, and the line of each record."""
    blank = rb"(?m)^[ \t%b]*\n|\n[ \t%b]+\Z" % ((re.escape(sep).encode(),) * 2)
    starts = [b"\n" + first for first in (b"\n", b" ", b"\t", sep.encode())]  # much faster
    may_be_blank = text[:1].isspace() or any(start in text for start in starts)
    irregular = bool(above or units is not None or (may_be_blank and re.search(blank, text)))
    if not irregular and b'"' not in text:
        return text, range(1, text.count(b"\n") + 1 + (not text.endswith(b"\n")))
    lines = array("q")

    def records() -> Iterator[list[str]]:
        for line, cells in islice(_records(text, sep), above, None):
            if line != units:
                lines.append(line)
                yield cells

    if irregular:
        text = _written(records(), sep)
    else:
        deque(records(), maxlen=0)
    return text, np.frombuffer(lines, dtype=np.int64)


_BYTES_OF_CELL, _BYTES_OF_ROW, _BYTES_OF_TEXT = 24, 16, 190
"""Numbers of bytes of cells and rows while they are read, and of the rows of a column of texts."""


def _check_cells(text: bytes, sep: str, n_columns: int, room: Room) -> None:
    """Raise an error if the cells need much memory; shorter records are filled."""
    rows = text.count(b"\n") + 1
    numbers = b"0123456789.+-eE\n" + sep.encode()
    start = text.find(b"\n") + 1
    parts = (text[i : i + _PART] for i in range(start, len(text), _PART))
    has_texts = any(part.translate(None, numbers) for part in parts)
    cells = max(rows * n_columns, text.count(sep.encode()) + rows)
    reading = (
        3 * len(text) + _BYTES_OF_CELL * cells + (_BYTES_OF_ROW + _BYTES_OF_TEXT * has_texts) * rows
    )
    room.check_table(rows - 1, n_columns, reading)


def _check_first(text: bytes, sep: str | None, room: Room) -> None:
    """Raise an error if the first records, which are examined cell by cell, need much memory."""
    first = list(islice(io.BytesIO(text), _FIRST_RECORDS))
    marks = [mark.encode() for mark in ([sep] if sep else _SEPARATORS)]
    columns = max(line.count(mark) for mark in marks for line in first) + 1
    room.check_table(text.count(b"\n"), 1, len(text))
    room.check_table(1, columns, len(text))
    longest = text if b'"' in text else b"".join(first)  # a record may have any number of lines
    cells = max(map(longest.count, marks))
    room.check(len(text) + 5 * len(longest) + 100 * cells, f"{cells:,} cells in the first rows")


def _found_separator(text: bytes, name: str, found: list[str]) -> str:
    """Return the separator that a text has, and state another one than the usual."""
    if Path(name).suffix.lower() in (".tsv", ".tab"):
        return "\t"
    sep = _separator_of(text)
    if sep != ",":
        found.append(f"columns separated by {_NAMES.get(sep, repr(sep))}")
    return sep


def _columns_of(
    text: bytes, sep: str, lines: Any, possible: Sequence[Notation], found: list[str], room: Room
) -> "pd.DataFrame":
    """Return the columns of a text, with numbers in the one notation that they have."""
    frame: Any = _parsed(text, sep, lines)
    possible, doubtful = _doubts(frame, possible)
    if doubtful:
        reading = 3 * len(text) + frame.size * (2 * _BYTES_OF_CELL) + len(frame) * _BYTES_OF_TEXT
        room.check_table(len(frame), frame.shape[1], reading)
    texts = _parsed(text, sep, lines, dtype=str) if doubtful else frame
    is_text = [dtype.kind not in "iufb" for dtype in frame.dtypes]
    unsettled = [c for i, (_, c) in enumerate(texts.items()) if is_text[i] or i in doubtful]
    possible = notations_of(unsettled, possible, sep)
    notation = possible[0]
    if notation != PLAIN:
        in_groups = {"dtype": str} if notation[1] else {"decimal": notation[0]}
        frame = texts = _parsed(text, sep, lines, **in_groups)
    _set_numbers(frame, texts, possible, found)
    table: pd.DataFrame = frame
    return table


def _set_numbers(frame: Any, texts: Any, possible: Sequence[Notation], found: list[str]) -> None:
    """Replace columns by the numbers in a notation that are in their texts, or by the texts."""
    notation, without_signs = possible[0], []
    is_text = [dtype.kind not in "iufbMm" for dtype in frame.dtypes]
    for i, (name, cells) in enumerate(texts.items()):
        numbers = numbers_of(cells, notation) if is_text[i] else None
        if numbers is not None or (is_text[i] and texts is not frame):
            frame.isetitem(i, cells if numbers is None else numbers)
        if numbers is not None and any(map(is_per_cent, cells)):
            without_signs.append(repr(name))
    frame.attrs["notations"] = {"".join(notation): notation for notation in possible}
    frame.attrs["arguments"] = dict(zip(("decimal", "thousands"), notation, strict=True))
    found += [name_of_notation(notation)] if notation != PLAIN else []
    found += [f"per cent signs of {', '.join(without_signs)} removed"] * bool(without_signs)


def _doubts(frame: Any, possible: Sequence[Notation]) -> tuple[Sequence[Notation], list[int]]:
    """Return the remaining notations, and the columns of floats that may have thousands.

    A decimal point in any other column settles the decimal mark.
    """
    in_groups = any(thousands == "." for _, thousands in possible)
    doubtful, settled = [], False
    for i, (_, column) in enumerate(frame.items()):
        if column.dtype.kind == "f":
            if in_groups and may_have_thousands(column):
                doubtful.append(i)
            else:
                settled = settled or (column % 1.0 > 0.0).any()
    if settled and PLAIN in possible:
        possible = [notation for notation in possible if notation[0] == "."]
    return possible, doubtful


def _parsed(text: bytes, sep: str, lines: Any, **options: Any) -> Any:
    """Return a text as pandas reads it, under the names in its first record."""
    import pandas as pd

    version = tuple(map(int, pd.__version__.split(".")[:2]))
    if version < (3, 1) and "dtype" not in options:  # older versions can round the last digit
        options["float_precision"] = "round_trip"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            options |= {"index_col": False, "low_memory": False, "na_values": _BLANK}
            frame = pd.read_csv(io.BytesIO(text), sep=sep, **options)
    except (pd.errors.ParserError, pd.errors.ParserWarning):
        names, *records = _records(text, sep)
        for i, (_, cells) in enumerate(records, 1):
            if len(cells) > len(names[1]):
                raise InputError(
                    f"line {lines[i]} has {len(cells)} cells, and the header {len(names[1])}.",
                    hint="Are there separators in values without quotes? If the names of the "
                    "columns are in another line, state header_row=.",
                ) from None
        raise
    if len(lines) != len(frame) + 1:
        raise InputError("the quotes of a cell are not closed.")
    frame.index = pd.Index(lines[1:], name="line")
    frame.columns = pd.Index(next(_records(text, sep))[1])  # pandas changes names that repeat
    return frame


def _decoded(
    content: bytes, encoding: str | None, found: list[str], room: Room
) -> tuple[bytes, str]:
    """Return a text in UTF-8 with Unix line ends, and its encoding, stated if it was found."""
    room.check(2 * len(content), f"{len(content) / 1e6:,.0f} MB")
    name = _marked_encoding(content) if encoding is None else encoding
    try:
        text, letters = _in_utf8(content, name, room)
    except LookupError:
        raise InputError.of(
            "encoding", encoding, "is not known, such as utf-8 or cp1252."
        ) from None
    except UnicodeError:
        if encoding is not None:
            raise InputError.of("encoding", encoding, "is not that of the text.") from None
        try:
            name = "cp1252"
            text, letters = _in_utf8(content, name, room)
        except UnicodeError:
            raise InputError.about(
                "encoding", "is not UTF-8; state it, such as encoding='latin-1'."
            ) from None
    if encoding is None and name != "utf-8":
        listed = ", ".join(sorted(c for c in letters if not c.isascii() and c.isalpha())[:6])
        found.append(f"encoding {name}{f' (with {listed})' if listed else ''}")
    text = text.removeprefix(codecs.BOM_UTF8)
    text = text.replace(b"\r\n", b"\n") if b"\r\n" in text else text
    text = text if b"\n" in text else text.replace(b"\r", b"\n")
    if not text or text.isspace():
        raise InputError("it is empty; it needs a header line and rows.")
    return text, name


def _in_utf8(content: bytes, encoding: str, room: Room) -> tuple[bytes, set[str]]:
    """Return a text in UTF-8, and the characters in it.

    It is decoded in parts, because a string takes up to four bytes for each character.
    """
    "a".encode(encoding)  # an error for what is no encoding of text
    decoder = codecs.getincrementaldecoder(encoding)()
    text, characters = io.BytesIO(), set[str]()
    for start in range(0, len(content) + 1, _PART):
        end = start + _PART
        part = decoder.decode(content[start:end], final=end > len(content))
        characters.update(part)
        text.write(part.encode())
        room.check(len(content) + text.tell(), f"{text.tell() / 1e6:,.0f} MB of text")
    return text.getvalue(), characters


def _marked_encoding(content: bytes) -> str:
    """Return the encoding that the first bytes of a text state, by default UTF-8."""
    marks = {b"\xff\xfe\0\0": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    name = next((e for mark, e in marks.items() if content.startswith(mark)), "utf-8")
    if name == "utf-8" and b"\0" in content:
        raise InputError(
            "it is not text, because it contains null bytes.",
            hint=f"Files that are read end in {', '.join(_READERS)}, .csv, .tsv or .txt; a "
            "text may need encoding='utf-16-le'.",
        )
    return name


def _records(text: bytes, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the cells of each record with a cell that is not blank."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(io.TextIOWrapper(io.BytesIO(text), "utf-8", newline=""), delimiter=sep)
        line = 1
        for cells in reader:
            if any(map(str.strip, cells)):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"it cannot be read: {error}.") from None
    finally:
        csv.field_size_limit(limit)


def _written(records: Iterable[Sequence[str]], sep: str) -> bytes:
    """Return records as text."""
    content = io.BytesIO()
    text = io.TextIOWrapper(content, "utf-8", newline="")
    csv.writer(text, delimiter=sep, lineterminator="\n").writerows(records)
    text.flush()
    return content.getvalue()


def _separator_of(text: bytes) -> str:
    """Return the separator that gives records of one length below names that are no numbers."""
    fitting: dict[str, int] = {}
    places: dict[str, int] = {}
    for sep in _SEPARATORS:
        records = [cells for _, cells in islice(_records(text, sep), _FIRST_RECORDS)]
        above, _ = _place_of_header(list(enumerate(records)), None)
        names = records[above]
        lengths = list(map(len, records[above:]))
        last = len(lengths) - lengths[::-1].index(len(names))
        lengths = lengths[:last] if 1 < last >= len(lengths) - _MOST_FOOTERS else lengths
        numbers = any(number_of(cell, PLAIN) is not None for cell in names)
        is_usual = lengths.count(len(names)) >= 0.95 * len(lengths)
        if len(names) > 1 and is_usual and not numbers:
            fitting[sep], places[sep] = len(names), above
    above = min(map(places.__getitem__, fitting), default=0)
    most = max((n for s, n in fitting.items() if places[s] == above), default=0)
    # More columns below more titles are possible, but not if there would be no titles.
    fitting = {s: n for s, n in fitting.items() if places[s] == above or (above and n > most)}
    if len(fitting) > 1:
        fitting.pop(" ", None)
    if len(fitting) > 1:
        offered = " or ".join(f"sep={_NAMES.get(sep, sep)!r}" for sep in fitting)
        raise InputError(
            f"its columns can be separated in several ways ({_counts(fitting)}).",
            argument="sep",
            hint=f"State {offered}.",
        )
    return next(iter(fitting), ",")


def _counts(fitting: Mapping[str, int]) -> str:
    return ", ".join(f"{n} columns by {_NAMES.get(sep, sep)!r}" for sep, n in fitting.items())


def _place_of_header(
    records: Sequence[tuple[int, Sequence[str]]], rows: tuple[int, int | None] | None
) -> tuple[int, int | None]:
    """Return the position of the record with the names of the columns, and the line of units.

    Titles precede the names. They are records of one cell, or of fewer cells than is usual below:
    two fewer, or one if a cell is a number, as in "Study;2023", or if the next record is a title.
    """
    if rows is not None:
        position = next((i for i, (line, _) in enumerate(records) if line == rows[0]), None)
        if position is None:
            raise InputError.of("header_row", rows[0], "is not a line with names of columns.")
        return position, rows[1]
    filled = [sum(bool(cell.strip()) for cell in cells) for _, cells in records]
    possible = [i for i, n in enumerate(filled[:_MOST_TITLES]) if n > 1]
    first, usual = next(iter(possible), 0), median(filled)
    words = [i for i in possible if not any(map(_is_number, records[i][1]))]
    followed = first + 1 in possible and filled[first + 1] < usual
    if filled[first] < usual - (first in words and not followed):
        first = next((i for i in words if filled[i] >= usual), first)
    return first, None


_UNIT = (
    r"(?:[\u00b5\u03bcmnpkdcMG]?(?:g|l|m|s|h|mol|eq|Pa|Hz|I?U|IE|Bq|Gy)|min|d|a|HU|mm ?Hg"
    r"|years?|months?|weeks?|days?|hours?|Jahren?|Monaten?|Wochen|Tagen?|ans|mois|jours|\u00e5r)"
)
_POWER = r"[23\u00b2\u00b3]?"
_UNITS = re.compile(
    r"[\[(].*[\])]|[%\u2030]|\u00b0 ?[CF]|points?|Punkte|"
    rf"(?:[\Wx]?10\W{{0,2}}[\d\u2070-\u2079]+|{_UNIT}){_POWER}"
    rf"(?:[/ ](?:\d[\d.,]* ?)?{_UNIT}{_POWER})*",
    re.IGNORECASE,
)
"""Units of the columns of a table."""


def _refuse_units(records: Sequence[tuple[int, Sequence[str]]], noun: str) -> None:
    """Raise an error for units below the header, the first record: the row can be skipped.

    They are texts that do not recur below, and one of them is a unit above numbers.
    """
    row = records[1][1] if len(records) > 2 else []
    if not any(map(_UNITS.fullmatch, map(str.strip, row))) or any(map(_is_number, row)):
        return
    (header, _), (line, _), *below = records
    columns = [
        list(filter(str.strip, column))
        for column in zip_longest(*(cells for _, cells in below), fillvalue="")
    ]
    filled = [(cell.strip(), c) for cell, c in zip(row, columns, strict=False) if cell.strip()]
    units = [
        cell
        for cell, column in filled
        if _UNITS.fullmatch(cell) and 2 * sum(map(_is_number, column)) > len(column)
    ]
    recurs = any(cell.strip("-") and cell in column for cell, column in filled)
    if units and not recurs:
        shown = ", ".join(map(repr, units[:3]))
        raise InputError(
            f"{noun} {line} seems to have the units of the columns ({shown}).",
            argument="header_row",
            hint=f"State header_row=({header}, {line}) to skip it, or header_row={header} if it "
            "is a row like the others.",
        )


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number in any notation."""
    return any(number_of(cell, notation) is not None for notation in notations(None, None))


# Other files


def _excel(
    content: bytes,
    *,
    room: Room,
    sheet: str | None,
    header_row: tuple[int, int | None] | None,
    decimal: str | None,
    thousands: str | None,
    **_: object,
) -> "pd.DataFrame":
    """Return the table in a sheet; cells of text are numbers if a whole column of them is."""
    import pandas as pd

    room.check_archive(content)
    with pd.ExcelFile(io.BytesIO(content)) as book:
        sheets = list(map(str, book.sheet_names))
        if sheet is not None and sheet not in sheets:
            raise InputError.of("sheet", sheet, f"is not one of the sheets: {', '.join(sheets)}.")
        if sheet is None and len(sheets) > 1:
            raise InputError.about(
                "sheet",
                f"is needed, because there are several: {', '.join(sheets)}.",
                value=sheets,
            )
        sheet = sheet or sheets[0]
        is_xml = getattr(book, "engine", "") == "openpyxl"
        path = book.book[sheet]._worksheet_path.lstrip("/") if is_xml else ""
        hidden = _hidden_rows(content, path, room) if is_xml else []
        cells = pd.read_excel(book, sheet_name=sheet, header=None, dtype=object, na_values=_BLANK)
    cells.index = pd.RangeIndex(1, len(cells) + 1, name="row")
    frame = _below_header(cells.dropna(how="all"), header_row)
    header, row = frame.attrs.pop("header"), frame.attrs.pop("header_row")
    frame = _with_numbers(frame, notations(decimal, thousands), [header] * bool(header))
    frame.attrs["arguments"] |= {"sheet": sheet, "header_row": row}
    _warn_about_hidden_rows(frame.index.intersection(hidden).tolist())
    table: pd.DataFrame = frame
    return table


def _with_numbers(frame: Any, possible: Sequence[Notation], found: list[str]) -> Any:
    """Return a table with numbers in the columns of texts that are numbers."""
    texts = [frame.iloc[:, i] for i, t in enumerate(frame.dtypes) if t.kind not in "iufbMm"]
    possible = notations_of(texts, possible)
    _set_numbers(frame, frame, possible, found)
    frame.attrs["read_as"] = ", ".join(found)
    return frame


def _below_header(cells: Any, header_row: tuple[int, int | None] | None) -> Any:
    """Return the rows of a sheet below the names of the columns, which are its columns."""
    if not len(cells):
        raise InputError("the sheet is empty; it needs the names of columns and rows.")
    texts = cells.iloc[:_FIRST_RECORDS].fillna("").astype(str)
    records = list(zip(texts.index.tolist(), texts.to_numpy().tolist(), strict=True))
    above, units = _place_of_header(records, header_row)
    if header_row is None:
        _refuse_units(records[above:], "row")
    row, names = records[above]
    frame = cells.iloc[above + 1 :].drop(index=[r for r in [units] if r in cells.index])
    used = [bool(name) or frame[i].notna().any() for i, name in enumerate(names)]
    frame = frame.set_axis(names, axis=1).loc[:, used].infer_objects()
    frame.attrs["header"] = f"the header in row {row}" if above and header_row is None else ""
    frame.attrs["header_row"] = row
    return frame


def _hidden_rows(content: bytes, path: str, room: Room) -> list[int]:
    """Return the rows of a sheet that are hidden by a filter or by hand, and check its size."""
    hidden, columns_of = [], dict[bytes, int]()
    row = column = columns = 0
    for match in _tags(content, path):
        if match[1] == b"row":
            row, column = int(match[3] or row + 1), 0
            hidden += [row] * bool(re.search(rb'\bhidden="(?:1|true)"', match[0]))
        else:
            name = match[2] or b""
            if name not in columns_of:
                columns_of[name] = functools.reduce(lambda n, c: 26 * n + c - 64, name, 0)
            column = columns_of[name] or column + 1
            columns = max(columns, column)
    room.check_table(row, columns, len(content))
    return hidden


def _tags(content: bytes, path: str) -> Iterator[re.Match[bytes]]:
    """Yield the tags of rows and cells of a sheet, with their columns and rows."""
    pattern = re.compile(rb'<(?:\w+:)?(row|c)\b(?:[^>]*?\br="([A-Z]*)(\d*)")?[^>]*>')
    with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(path) as stream:
        rest = b""
        while part := stream.read(_PART):
            part = rest + part
            last = part.rfind(b"<")
            yield from pattern.finditer(part, 0, last)
            rest = part[last:]


def _warn_about_hidden_rows(hidden: Sequence[int]) -> None:
    """Warn about hidden rows, which are read like the others."""
    if hidden:
        shown = numbered(hidden[:3], "row") + ", ..." * (len(hidden) > 3)
        warn(
            HiddenRowsWarning(
                f"{len(hidden):,} hidden row{'s' * (len(hidden) > 1)} of the sheet are read like "
                f"the others ({shown})."
            )
        )


def _json(
    content: bytes,
    *,
    room: Room,
    encoding: str | None,
    decimal: str | None,
    thousands: str | None,
    **_: object,
) -> "pd.DataFrame":
    """Return the table in JSON, or in lines of JSON."""
    found: list[str] = []
    text, encoding = _decoded(content, encoding, found, room)
    frame = _with_numbers(table_of_json(text, room), notations(decimal, thousands), found)
    frame.attrs["arguments"]["encoding"] = encoding
    table: pd.DataFrame = frame
    return table


def _statistical(
    content: bytes, *, name: str, room: Room, user_missing: str | None, **_: object
) -> "pd.DataFrame":
    """Return the numbers in a file of SPSS or Stata, with the labels of values as an attribute."""
    import pyreadstat

    is_stata = name.lower().endswith(".dta")
    read = pyreadstat.read_dta if is_stata else pyreadstat.read_sav
    try:
        stated = read(io.BytesIO(content), metadataonly=True)[1]
        width = sum(max(width, 8) for width in stated.variable_storage_width.values())
        rows = stated.number_rows or len(content) / max(width, 1)
        room.check_table(rows, stated.number_columns or 0, 6 * rows * width + len(content))
        frame, meta = read(io.BytesIO(content))
        stored = read(io.BytesIO(content), user_missing=True)[0]
    except InputError:
        raise
    except Exception as error:  # pyreadstat raises errors of many types
        raise ValueError(str(error)) from None
    labels: dict[str, dict[Any, str]] = meta.variable_value_labels
    declared: dict[str, str] = {}
    for column in map(str, frame):
        values = stored[column][frame[column].isna() & stored[column].notna()]
        words = _declared(values[values != ""], labels.get(column, {}), is_stata)
        if words:
            declared[column] = words
    if user_missing == "values":
        if is_stata and declared:
            raise InputError.of(
                "user_missing",
                user_missing,
                f"does not apply: missing values of Stata, such as .a, are no numbers "
                f"({next(iter(declared.values()))}).",
                hint="State user_missing='missing'.",
            )
        frame = stored
    for column in map(str, frame):
        values = frame[column]
        if values.dtype.kind == "f":
            whole = values.notna().all() and (values % 1.0 == 0.0).all()
            frame[column] = values.astype("int64") if whole else values
        elif values.dtype.kind not in "iubM":
            frame[column] = values.mask(values == "")
    frame.index = frame.index.rename("row") + 1
    frame.attrs |= {"value_labels": dict(labels), "arguments": {"user_missing": user_missing}}
    if user_missing is None:
        frame.attrs["declared_missing"] = declared
    return frame


def _declared(values: "pd.Series[Any]", labels: Mapping[Any, str], is_stata: bool) -> str:
    """Return values that are declared as missing, with their labels and numbers of rows."""
    parts = []
    for value, n in values.value_counts(sort=False).items():
        code = f"{value:g}" if isinstance(value, float) else f"{'.' * is_stata}{value}"
        label = f" ({labels[value]})" if value in labels else ""
        parts.append(f"{code}{label} in {n:,} row{'s' * (n != 1)}")
    return ", ".join(parts[:_MOST_DECLARED]) + ", ..." * (len(parts) > _MOST_DECLARED)


def _by_pandas(
    function: str, check: Callable[[bytes, Room], None], **options: Any
) -> Callable[..., "pd.DataFrame"]:
    """Return a reader of pandas for the bytes of a file, after a check of its size."""

    def read(content: bytes, *, room: Room, **_: object) -> "pd.DataFrame":
        import pandas as pd

        check(content, room)
        frame: pd.DataFrame = getattr(pd, function)(io.BytesIO(content), **options)
        if any(name is not None for name in frame.index.names):
            frame = frame.reset_index()
        frame.columns = pd.Index(list(map(str, frame.columns)))
        frame.index = pd.RangeIndex(1, len(frame) + 1, name="row")
        return frame

    return read


_OF_TEXT = ("sep", "decimal", "encoding", "thousands", "header_row")
_OF_JSON = ("decimal", "encoding", "thousands")
_OF_SHEETS = ("decimal", "thousands", "sheet", "header_row")
_OF_STATISTICS = ("user_missing",)


class _Reader(NamedTuple):
    read: Callable[..., "pd.DataFrame"]
    arguments: tuple[str, ...] = ()
    extra: str = ""


_READERS = {
    ".xlsx": _Reader(_excel, _OF_SHEETS, "excel"),
    ".xls": _Reader(_excel, _OF_SHEETS),
    ".ods": _Reader(_excel, _OF_SHEETS),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), _Reader(_json, _OF_JSON)),
    ".parquet": _Reader(_by_pandas("read_parquet", check_parquet), (), "parquet"),
    ".pq": _Reader(_by_pandas("read_parquet", check_parquet), (), "parquet"),
    ".feather": _Reader(_by_pandas("read_feather", check_feather), (), "parquet"),
    ".sav": _Reader(_statistical, _OF_STATISTICS, "spss"),
    ".dta": _Reader(_statistical, _OF_STATISTICS, "spss"),
    ".sas7bdat": _Reader(_by_pandas("read_sas", check_sas, format="sas7bdat", encoding="infer")),
    ".xpt": _Reader(_by_pandas("read_sas", check_sas, format="xport", encoding="latin-1")),
}
"""Readers by the suffix of the file; files with any other suffix are text."""
