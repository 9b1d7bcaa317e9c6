"""Tables in JSON: records, columns or rows, as pandas writes them, and a record in each line."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError
from pauci.files.memory_limit import Room

if TYPE_CHECKING:
    import pandas as pd

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


def table_of_json(text: bytes, room: Room) -> "pd.DataFrame":
    """Return the table in a text; its index has the rows, or the lines if each has a record."""
    import pandas as pd

    parsed = _bytes_to_parse(text)
    room.check(parsed, f"{len(text) / 1e6:,.0f} MB of JSON")
    lines: Sequence[int] | None = None
    try:
        content = json.loads(text, object_pairs_hook=_object)
    except ValueError as error:
        content, lines = _records_of_lines(text, error)
    arguments = _columns_and_rows(content)
    n_rows, n_columns = _shape(arguments["data"])
    room.check_table(n_rows, n_columns, parsed + _OF_CELL * n_rows * n_columns)
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
        if {"columns", "data"} <= content.keys():
            return {"data": content["data"], "columns": content["columns"]}
        if {"schema", "data"} <= content.keys():
            return {"data": content["data"]}
        if parts and _are(list, parts):
            return {"data": content}
        if parts and _are(dict, parts):
            return {"data": content if _are_columns(content) else parts}
        content = [content]
    if isinstance(content, list) and _are(dict, content):
        return {"data": content}
    raise _no_table("its JSON is no table")


def _shape(data: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns of records, rows or columns."""
    parts = list(data.values() if isinstance(data, dict) else data)
    keys = set[str]().union(*(part for part in parts if isinstance(part, dict)))
    size = max([len(keys), *(len(part) for part in parts if isinstance(part, list))])
    return (size, len(parts)) if isinstance(data, dict) else (len(parts), size)


def _are(kind: type, parts: Iterable[Any]) -> bool:
    return all(isinstance(part, kind) for part in parts)


def _are_columns(content: dict[str, dict[str, Any]]) -> bool:
    """Return whether objects in an object are columns, whose keys are the numbers of rows."""
    if all(key.isdigit() for column in content.values() for key in column):
        return True
    if all(map(str.isdigit, content)):
        return False
    raise _no_table("the objects in its JSON can be rows or columns")


def _no_table(problem: str) -> InputError:
    return InputError(
        f"{problem}.",
        hint="Write a list of records, such as by to_json(orient='records') of pandas.",
    )
