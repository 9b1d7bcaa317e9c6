"""Tables in JSON: records, columns or rows, as pandas writes them, and a record in each line."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_START = re.compile(rb'\[\s*[\[\]{]|\{\s*["}]')
_MARKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"


def is_json(content: bytes) -> bool:
    """Return whether bytes begin as JSON of objects or lists does."""
    start = content[:1000].lstrip(_MARKS).replace(b"\0", b"")
    return _START.match(start) is not None


def table_of_json(text: bytes) -> "pd.DataFrame":
    """Return the table in a text; its index has the rows, or the lines if each has a record."""
    import pandas as pd

    lines: Sequence[int] | None = None
    try:
        content = json.loads(text, object_pairs_hook=_object)
    except ValueError as error:
        content, lines = _records_of_lines(text, error)
    frame = pd.DataFrame(**_columns_and_rows(content))
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
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{repeated!r} occurs twice in an object")
    return content


def _records_of_lines(text: bytes, error: ValueError) -> tuple[list[Any], Sequence[int]]:
    """Return the objects in the lines of a text that is not JSON as a whole, and their lines."""
    written = [(i, line) for i, line in enumerate(text.split(b"\n"), 1) if line.strip()]
    records: list[Any] = []
    for i, line in written:
        try:
            records.append(json.loads(line, object_pairs_hook=_object))
        except ValueError as of_line:
            problem = f"line {i}: {of_line}" if records else str(error)
            raise InputError(f"it is not valid JSON ({problem}).") from None
    return records, [i for i, _ in written]


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
