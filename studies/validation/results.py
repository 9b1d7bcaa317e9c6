"""Files of results: rows with named columns."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file, or an empty list if it does not exist."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write all rows to a temporary file, and replace the old file by it."""
    part = path.with_suffix(".part")
    with part.open("w", newline="") as file:
        _writer(file, columns).writeheader()
        _writer(file, columns).writerows(rows)
    part.replace(path)


def append(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Append rows to a file."""
    with path.open("a", encoding="utf-8", newline="") as file:
        _writer(file, columns).writerows(rows)


def _writer(file, columns: Sequence[str]) -> csv.DictWriter:
    return csv.DictWriter(file, columns, restval="", lineterminator="\n")
