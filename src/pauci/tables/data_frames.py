"""Data frames of results, and data frames as CSV."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that start a formula in a spreadsheet."""

_QUOTED_OR_END = re.compile(r'("(?:[^"]|"")*")|\r\n')
"""A field in quotes, or the end of a line."""


def frame(columns: str | Sequence[str], records: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return records as a data frame with exactly these columns.

    As for `collections.namedtuple`, the names can be a string in which blanks separate them.
    """
    import pandas as pd

    names = columns.split() if isinstance(columns, str) else list(columns)
    return pd.DataFrame([[record[c] for c in names] for record in records], columns=names)


def as_csv(table: "pd.DataFrame") -> str:
    """Return a data frame as CSV.

    Text that a spreadsheet would read as a formula is preceded by an apostrophe.
    """
    table = table.map(_csv_cell).rename(columns=_csv_cell)
    # Python quotes carriage returns only if lines end with them, except for recent versions.
    text = table.to_csv(index=False, lineterminator="\r\n")
    return _QUOTED_OR_END.sub(lambda match: match[1] or "\n", text).rstrip("\n")


def _csv_cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
