"""Tables in texts: columns with separators, and JSON of records, columns or rows.

The separator, the decimal mark, the encoding and the line of the header are found where only one
reading is possible. JSON is read as pandas writes it, or as a record in each line.
"""

import codecs
import csv
import io
import json
import re
import warnings
from array import array
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from statistics import median
from typing import Any

import numpy as np

from pauci import number_texts
from pauci.errors import InputError
from pauci.files.memory_limit import FileContent
from pauci.number_texts import PLAIN, Notation

_NAMES = {"\t": "tab", " ": "space"}
_SPELLED = {"\\t": "\t", **{name: sep for sep, name in _NAMES.items()}}
_SEPARATORS = (",", ";", "\t", "|", " ")
BLANK = [*(" " * n for n in range(1, 9)), "\N{NO-BREAK SPACE}"]
FIRST_RECORDS = 200
_MOST_TITLES, _MOST_FOOTERS = 20, 5
_PART = 2**20


def table_of_text(file: FileContent, options: Mapping[str, Any]) -> Any:
    """Return the table in a text with separators."""
    found: list[str] = []
    sep, header_row = options["sep"], options["header_row"]
    text, encoding = _decoded(file, options["encoding"], found)
    _check_first(text, sep, file)
    if sep is None and file.suffix in (".tsv", ".tab"):
        sep = "\t"
    elif sep is None:
        sep = _separator_of(text)
        if sep != ",":
            found.append(f"columns separated by {_NAMES.get(sep, repr(sep))}")
    sep = _SPELLED.get(sep.lower(), sep)
    if len(sep) != 1 or sep.isalnum() or sep in '"\r\n':
        raise InputError.of("sep", sep, "must be one character, 'tab' or 'space'.")
    first = list(islice(_records(text, sep), FIRST_RECORDS))
    above, units = place_of_header(first, header_row)
    _check_cells(text, sep, len(first[above][1]), file)
    if header_row is None:
        refuse_units(first[above:], "line")
        found += [f"the header in line {first[above][0]}"] if above else []
    text, lines = _with_lines(text, sep, above, units)
    notations = number_texts.notations(options["decimal"], options["thousands"])
    frame, texts, possible = _columns_of(text, sep, lines, notations, file)
    _set_numbers(frame, texts, possible, found)
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
        content = io.BytesIO()
        written = io.TextIOWrapper(content, "utf-8", newline="")
        csv.writer(written, delimiter=sep, lineterminator="\n").writerows(records())
        written.flush()
        text = content.getvalue()
    else:
        deque(records(), maxlen=0)
    return text, np.frombuffer(lines, dtype=np.int64)


_BYTES_OF_CELL, _BYTES_OF_ROW, _BYTES_OF_TEXT = 24, 16, 190
"""Numbers of bytes of cells and rows while they are read, and of the rows of a column of texts."""


def _check_cells(text: bytes, sep: str, n_columns: int, file: FileContent) -> None:
    """Raise an error if the cells need much memory; shorter records are filled."""
    rows = text.count(b"\n") + 1
    numbers = b"0123456789.+-eE\n" + sep.encode()
    start = text.find(b"\n") + 1
    parts = (text[i : i + _PART] for i in range(start, len(text), _PART))
    has_texts = any(part.translate(None, numbers) for part in parts)
    cells = max(rows * n_columns, text.count(sep.encode()) + rows)
    of_row = _BYTES_OF_ROW + _BYTES_OF_TEXT * has_texts
    reading = 3 * len(text) + _BYTES_OF_CELL * cells + of_row * rows
    file.check_table(rows - 1, n_columns, reading)


def _check_first(text: bytes, sep: str | None, file: FileContent) -> None:
    """Raise an error if the first records, which are examined cell by cell, need much memory."""
    first = list(islice(io.BytesIO(text), FIRST_RECORDS))
    marks = [mark.encode() for mark in ([sep] if sep else _SEPARATORS)]
    columns = max(line.count(mark) for mark in marks for line in first) + 1
    file.check_table(text.count(b"\n"), 1, len(text))
    file.check_table(1, columns, len(text))
    longest = text if b'"' in text else b"".join(first)  # a record may have any number of lines
    cells = max(map(longest.count, marks))
    file.check(len(text) + 5 * len(longest) + 100 * cells, f"{cells:,} cells in the first rows")


def _columns_of(
    text: bytes, sep: str, lines: Any, possible: Sequence[Notation], file: FileContent
) -> tuple[Any, Any, Sequence[Notation]]:
    """Return the columns of a text as pandas reads them, as texts, and their notations."""
    frame: Any = _parsed(text, sep, lines)
    possible, doubtful = _doubts(frame, possible)
    if doubtful:
        reading = 3 * len(text) + frame.size * (2 * _BYTES_OF_CELL) + len(frame) * _BYTES_OF_TEXT
        file.check_table(len(frame), frame.shape[1], reading)
    texts = _parsed(text, sep, lines, dtype=str) if doubtful else frame
    is_text = [dtype.kind not in "iufb" for dtype in frame.dtypes]
    unsettled = [c for i, (_, c) in enumerate(texts.items()) if is_text[i] or i in doubtful]
    possible = number_texts.notations_of(unsettled, possible, sep)
    notation = possible[0]
    if notation != PLAIN:
        in_groups = {"dtype": str} if notation[1] else {"decimal": notation[0]}
        frame = texts = _parsed(text, sep, lines, **in_groups)
    return frame, texts, possible


def _set_numbers(frame: Any, texts: Any, possible: Sequence[Notation], found: list[str]) -> None:
    """Replace columns by the numbers in a notation that are in their texts, or by the texts."""
    notation, without_signs = possible[0], []
    is_text = [dtype.kind not in "iufbMm" for dtype in frame.dtypes]
    for i, (name, cells) in enumerate(texts.items()):
        numbers = number_texts.numbers_of(cells, notation) if is_text[i] else None
        if numbers is not None or (is_text[i] and texts is not frame):
            frame.isetitem(i, cells if numbers is None else numbers)
        if numbers is not None and any(map(number_texts.is_per_cent, cells)):
            without_signs.append(repr(name))
    frame.attrs["notations"] = {"".join(notation): notation for notation in possible}
    frame.attrs["arguments"] = dict(zip(("decimal", "thousands"), notation, strict=True))
    found += [number_texts.name_of_notation(notation)] if notation != PLAIN else []
    found += [f"per cent signs of {', '.join(without_signs)} removed"] * bool(without_signs)


def _doubts(frame: Any, possible: Sequence[Notation]) -> tuple[Sequence[Notation], list[int]]:
    """Return the remaining notations, and the columns of floats that may have thousands.

    A decimal point in any other column settles the decimal mark.
    """
    in_groups = any(thousands == "." for _, thousands in possible)
    doubtful, settled = [], False
    for i, (_, column) in enumerate(frame.items()):
        if column.dtype.kind == "f":
            if in_groups and number_texts.may_have_thousands(column):
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
            options |= {"index_col": False, "low_memory": False, "na_values": BLANK}
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


def _decoded(file: FileContent, encoding: str | None, found: list[str]) -> tuple[bytes, str]:
    """Return a text in UTF-8 with Unix line ends, and its encoding, stated if it was found."""
    content = file.content
    file.check(2 * len(content), f"{len(content) / 1e6:,.0f} MB")
    name = marked_encoding(content) if encoding is None else encoding
    try:
        text, letters = _in_utf8(name, file)
    except LookupError:
        problem = "is not known, such as utf-8 or cp1252."
        raise InputError.of("encoding", encoding, problem) from None
    except UnicodeError:
        if encoding is not None:
            raise InputError.of("encoding", encoding, "is not that of the text.") from None
        try:
            name = "cp1252"
            text, letters = _in_utf8(name, file)
        except UnicodeError:
            problem = "is not UTF-8; state it, such as encoding='latin-1'."
            raise InputError.about("encoding", problem) from None
    if encoding is None and name != "utf-8":
        listed = ", ".join(sorted(c for c in letters if not c.isascii() and c.isalpha())[:6])
        found.append(f"encoding {name}{f' (with {listed})' if listed else ''}")
    text = text.removeprefix(codecs.BOM_UTF8)
    text = text.replace(b"\r\n", b"\n") if b"\r\n" in text else text
    text = text if b"\n" in text else text.replace(b"\r", b"\n")
    if not text or text.isspace():
        raise InputError("it is empty; it needs a header line and rows.")
    return text, name


def _in_utf8(encoding: str, file: FileContent) -> tuple[bytes, set[str]]:
    """Return a text in UTF-8, and the characters in it.

    It is decoded in parts, because a string takes up to four bytes for each character.
    """
    "a".encode(encoding)  # an error for what is no encoding of text
    decoder = codecs.getincrementaldecoder(encoding)()
    content, text, characters = file.content, io.BytesIO(), set[str]()
    for start in range(0, len(content) + 1, _PART):
        end = start + _PART
        part = decoder.decode(content[start:end], final=end > len(content))
        characters.update(part)
        text.write(part.encode())
        file.check(len(content) + text.tell(), f"{text.tell() / 1e6:,.0f} MB of text")
    return text.getvalue(), characters


def marked_encoding(content: bytes) -> str:
    """Return the encoding that the first bytes of a text state, by default UTF-8."""
    marks = {b"\xff\xfe\0\0": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    return next((e for mark, e in marks.items() if content.startswith(mark)), "utf-8")


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


def _separator_of(text: bytes) -> str:
    """Return the separator that gives records of one length below names that are no numbers."""
    fitting: dict[str, int] = {}
    places: dict[str, int] = {}
    for sep in _SEPARATORS:
        records = [cells for _, cells in islice(_records(text, sep), FIRST_RECORDS)]
        above, _ = place_of_header(list(enumerate(records)), None)
        names = records[above]
        lengths = list(map(len, records[above:]))
        last = len(lengths) - lengths[::-1].index(len(names))
        lengths = lengths[:last] if 1 < last >= len(lengths) - _MOST_FOOTERS else lengths
        numbers = any(number_texts.number_of(cell, PLAIN) is not None for cell in names)
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
        ways = ", ".join(f"{n} columns by {_NAMES.get(s, s)!r}" for s, n in fitting.items())
        problem = f"its columns can be separated in several ways ({ways})."
        raise InputError(problem, argument="sep", hint=f"State {offered}.")
    return next(iter(fitting), ",")


def place_of_header(
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


def refuse_units(records: Sequence[tuple[int, Sequence[str]]], noun: str) -> None:
    """Raise an error for units below the header, the first record: the row can be skipped.

    They are texts that do not recur below, and one of them is a unit above numbers.
    """
    row = records[1][1] if len(records) > 2 else []
    if not any(map(_UNITS.fullmatch, map(str.strip, row))) or any(map(_is_number, row)):
        return
    (header, _), (line, _), *below = records
    of_columns = zip_longest(*(cells for _, cells in below), fillvalue="")
    columns = [list(filter(str.strip, column)) for column in of_columns]
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
    notations = number_texts.notations(None, None)
    return any(number_texts.number_of(cell, notation) is not None for notation in notations)


def with_numbers(frame: Any, options: Mapping[str, Any], found: list[str]) -> Any:
    """Return a table with numbers in the columns of texts that are numbers."""
    texts = [frame.iloc[:, i] for i, t in enumerate(frame.dtypes) if t.kind not in "iufbMm"]
    notations = number_texts.notations(options["decimal"], options["thousands"])
    possible = number_texts.notations_of(texts, notations)
    _set_numbers(frame, frame, possible, found)
    frame.attrs["read_as"] = ", ".join(found)
    return frame


# JSON

_START = re.compile(rb'\[\s*[\[\]{]|\{\s*["}]')
_MARKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"


def is_json(content: bytes) -> bool:
    """Return whether bytes begin as JSON of objects or lists does."""
    start = content[:1000].lstrip(_MARKS).replace(b"\0", b"")
    return _START.match(start) is not None


_OF_OBJECT, _OF_VALUE, _OF_STRING, _OF_CELL = 200, 40, 60, 24
"""Numbers of bytes of objects, values and strings of JSON, and of cells of their table."""


def _bytes_to_parse(text: bytes) -> int:
    """Return about how many bytes a text and its values take; keys of one array are shared."""
    is_array = text[:1000].lstrip().startswith(b"[")
    objects, keys = text.count(b"{"), text.count(b'":')
    values = objects + text.count(b"[") + text.count(b",") + keys
    strings = text.count(b'"') // 2 - is_array * keys
    decoded = (2 if text.isascii() else 5) * len(text)
    return decoded + objects * _OF_OBJECT + values * _OF_VALUE + strings * _OF_STRING


def table_of_json(file: FileContent, options: Mapping[str, Any]) -> Any:
    """Return the table in JSON, or in lines of JSON."""
    found: list[str] = []
    text, encoding = _decoded(file, options["encoding"], found)
    frame = with_numbers(_records_in(text, file), options, found)
    frame.attrs["arguments"]["encoding"] = encoding
    return frame


def _records_in(text: bytes, file: FileContent) -> Any:
    """Return the table in a text; its index has the rows, or the lines if each has a record."""
    import pandas as pd

    parsed = _bytes_to_parse(text)
    file.check(parsed, f"{len(text) / 1e6:,.0f} MB of JSON")
    lines: Sequence[int] | None = None
    try:
        content = json.loads(text, object_pairs_hook=_object)
    except ValueError as error:
        content, lines = _records_of_lines(text, error)
    arguments = _columns_and_rows(content)
    n_rows, n_columns = _shape(arguments["data"])
    file.check_table(n_rows, n_columns, parsed + _OF_CELL * n_rows * n_columns)
    frame = pd.DataFrame(**arguments)
    if not frame.size:
        raise InputError("it is empty; it needs rows with names of columns.")
    for i, name in enumerate(frame.columns):
        nested = [cell for cell in frame.iloc[:, i] if isinstance(cell, (dict, list))]
        if nested:
            raise _no_table(f"column {name!r} holds {json.dumps(nested[0])[:40]}, not one value")
    frame.columns = pd.Index(list(map(str, frame.columns)))
    rows = range(1, len(frame) + 1) if lines is None else lines
    frame.index = pd.Index(rows, name="row" if lines is None else "line")
    return frame


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raise an error if a name in it is repeated."""
    content = dict(pairs)
    if len(content) < len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{repeated!r} occurs twice in an object")
    return content


def _records_of_lines(text: bytes, error: ValueError) -> tuple[list[Any], Sequence[int]]:
    """Return the objects in the lines of a text that is not JSON as a whole, and their lines."""
    records: list[Any] = []
    lines: list[int] = []
    for i, line in enumerate(io.BytesIO(text), 1):
        try:
            if line.strip():
                records.append(json.loads(line, object_pairs_hook=_object))
                lines.append(i)
        except ValueError as of_line:
            problem = f"line {i}: {of_line}" if records else str(error)
            raise InputError(f"it is not valid JSON ({problem}).") from None
    return records, lines


def _columns_and_rows(content: Any) -> dict[str, Any]:
    """Return the arguments of a data frame."""
    if isinstance(content, dict):
        parts = list(content.values())
        kinds = {*map(type, parts)}
        if {"columns", "data"} <= content.keys():
            return {"data": content["data"], "columns": content["columns"]}
        if {"schema", "data"} <= content.keys():
            return {"data": content["data"]}
        if kinds == {list}:
            return {"data": content}
        if kinds == {dict}:  # columns, whose keys are numbers of rows, or rows
            if all(key.isdigit() for part in parts for key in part):
                return {"data": content}
            if not all(map(str.isdigit, content)):
                raise _no_table("the objects in its JSON can be rows or columns")
            return {"data": parts}
        content = [content]
    if isinstance(content, list) and {*map(type, content)} <= {dict}:
        return {"data": content}
    raise _no_table("its JSON is no table")


def _shape(data: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns of records, rows or columns."""
    parts = list(data.values() if isinstance(data, dict) else data)
    keys = set[str]().union(*(part for part in parts if isinstance(part, dict)))
    size = max([len(keys), *(len(part) for part in parts if isinstance(part, list))])
    return (size, len(parts)) if isinstance(data, dict) else (len(parts), size)


def _no_table(problem: str) -> InputError:
    hint = "Write a list of records, such as by to_json(orient='records') of pandas."
    return InputError(f"{problem}.", hint=hint)
