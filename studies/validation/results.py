"""Files of results: rows with named columns."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file, none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write all rows, and put the file in the place of the old one when it is whole."""
    part = path.with_suffix(".part")
    with part.open("w", newline="") as file:
        _writer(file, columns).writeheader()
        _writer(file, columns).writerows(rows)
    part.replace(path)


def append(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write more rows at the end of a file."""
    with path.open("a", newline="") as file:
        _writer(file, columns).writerows(rows)


def _writer(file, columns: Sequence[str]) -> csv.DictWriter:
    return csv.DictWriter(file, columns, restval="", lineterminator="\n")
