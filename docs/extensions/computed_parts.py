"""Tables and numbers of pages, by name: `part("evidence bias")` is one of them."""

import re
from collections.abc import Callable
from pathlib import Path

import comparison_page
import pages
import reference_tables
import results
import scale_page
import silent
import speed_bootstrap
import study_cells
from tables import markdown

STUDIES = Path(__file__).resolve().parents[2] / "studies"


def of_evidence(name: str) -> str:
    """Return a table of the simulations of the method page."""
    path = STUDIES / "evidence" / f"{name}.csv"
    rows = results.read(path)
    if not rows:
        raise KeyError(f"there is no table {name!r} in {path.parent.name}")
    versions = {row.get("versions", "") for row in rows}
    note = ""
    if len(versions) == 1 and (shared := versions.pop()):
        note = f"\nAll rows: {shared}."
        rows = [{k: v for k, v in row.items() if k != "versions"} for row in rows]
    body = [[_separated(cell) for cell in row.values()] for row in rows]
    return f"{markdown(list(rows[0]), body)}{note}"


def _separated(cell: str) -> str:
    """Return a whole number of five digits or more with commas between thousands."""
    return f"{int(cell):,}" if cell.isdecimal() and len(cell) > 4 else cell


MAKERS: dict[str, Callable[[str], str]] = {
    "bootstrap": speed_bootstrap.part,
    "columns": reference_tables.of_columns,
    "commands": reference_tables.of_commands,
    "comparison": comparison_page.part,
    "evidence": of_evidence,
    "measures": reference_tables.of_measures,
    "scale": scale_page.part,
    "validation": pages.part,
    "warnings": reference_tables.of_warnings,
}

MODULES = (comparison_page, pages, reference_tables, silent, study_cells)

FILES = [
    *(STUDIES / "evidence").glob("*.csv"),
    *(STUDIES / "validation").glob("*.csv"),
    *scale_page.FILES,
    *(Path(module.__file__) for module in MODULES),
]
"""The files from which the parts are computed."""


def part(full_name: str) -> str:
    """Return a part as Markdown, with "0.05" for ".05"; its name begins with the source."""
    maker, _, name = full_name.partition(" ")
    if maker not in MAKERS:
        raise KeyError(f"{maker!r} is not one of {', '.join(MAKERS)}")
    return re.sub(r"(?<![\w.])\.(?=\d)", "0.", MAKERS[maker](name))
