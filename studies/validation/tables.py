"""Tables of the pages as Markdown and as files."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"[-−]?\d*\.?\d+( |,|%|$)")


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table. Columns whose cells begin with a number are aligned to the right."""
    body = [[str(cell) for cell in row] for row in rows]
    if any(len(row) != len(header) for row in body):
        raise ValueError(f"all rows must have {len(header)} cells, like the header")
    rule = ["---:" if _is_numeric(row[i] for row in body) else "---" for i in range(len(header))]
    return "".join(f"| {' | '.join(line)} |\n" for line in (header, rule, *body))


def as_csv(table: str) -> str:
    """Return a Markdown table as comma-separated values, without the marks of code."""
    header, _, *rows = table.strip().splitlines()
    out = io.StringIO()
    for line in (header, *rows):
        cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        csv.writer(out, lineterminator="\n").writerow(cell.strip("`") for cell in cells)
    return out.getvalue()


def _is_numeric(cells: Iterable[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_NUMBER.match(cell) for cell in filled)
