"""Data frames of results, and data frames as JSON or CSV."""

import math
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


def render(table: "pd.DataFrame", form: str) -> str:
    """Return a data frame as JSON or CSV.

    In CSV, text that a spreadsheet would read as a formula is preceded by an apostrophe.
    """
    if form == "csv":
        table = table.map(_csv_cell).rename(columns=_csv_cell)
        # Python quotes carriage returns only if lines end with them, except for recent versions.
        text = table.to_csv(index=False, lineterminator="\r\n")
        return _QUOTED_OR_END.sub(lambda match: match[1] or "\n", text).rstrip("\n")
    if form != "json":
        raise ValueError(f"form must be 'json' or 'csv', not {form!r}")
    records = [{str(k): _plain(v) for k, v in r.items()} for r in table.to_dict("records")]
    import json

    return json.dumps(records, indent=2)


def _csv_cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _plain(value: Any) -> Any:
    """Return a Python scalar; NaN and infinity, which JSON does not have, become None."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
