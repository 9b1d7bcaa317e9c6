"""Data frames of results, and data frames as JSON or CSV."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that start a formula in a spreadsheet."""


def frame(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return records as a data frame with exactly these columns."""
    import pandas as pd

    return pd.DataFrame([[record[c] for c in columns] for record in records], columns=list(columns))


def render(table: "pd.DataFrame", form: str) -> str:
    """Return a data frame as JSON or CSV.

    In CSV, text that a spreadsheet would read as a formula is preceded by an apostrophe.
    """
    if form == "csv":
        return table.map(_csv_cell).to_csv(index=False, lineterminator="\n").rstrip("\n")
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
