"""Results as plain values and as JSON documents, for other programs.

JSON has neither NaN nor infinity. An undefined number (NaN) is null. An infinite one is the string
``"Infinity"`` or ``"-Infinity"``, as in the JSON of protocol buffers: `float` of Python and
``Number`` of JavaScript read it, and a bound that does not exist differs from an undefined one.
"""

import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from numbers import Integral, Real
from typing import Any

import pauci
from pauci.errors import PauciWarning
from pauci.tables.table import Table, plain

SCHEMA = 1
"""Version of the schema; keys are added without a new version."""

_PACKAGES = ("numpy", "scipy")
"""Packages on whose versions results depend, for example through random numbers."""


@dataclass(frozen=True)
class Content:
    """What a result consists of.

    Parameters
    ----------
    rows : sequence of mapping
        The rows of the data frame.
    table : Table
        The table, with its caption and notes.
    sentences : sequence of str
        The sentences of ``report``.
    sizes : sequence of mapping
        The sizes of the data, and the numbers of rows that are not used.
    cautions : sequence of PauciWarning
        The warnings that the result contains.
    seed : int, optional
        The seed of the random numbers, if the rows do not have it.
    parts : mapping of str to sequence of mapping, optional
        Rows of further data frames, by name.
    """

    rows: Sequence[Mapping[str, Any]]
    table: Table
    sentences: Sequence[str] = ()
    sizes: Sequence[Mapping[str, Any]] = ()
    cautions: Sequence[PauciWarning] = ()
    seed: int | None = None
    parts: Mapping[str, Sequence[Mapping[str, Any]]] | None = None


def document(name: str, content: Content, level: float) -> dict[str, Any]:
    """Return a result as plain values, which `json.dumps` writes without NaN or infinity."""
    rows = [plain_value(dict(row)) for row in content.rows]
    levels = _distinct([row["level"] for row in rows if "level" in row])
    seeds = _distinct([row.get("seed") for row in rows]) or [content.seed]
    found = {
        "schema": SCHEMA,
        "result": name,
        "level": levels[0] if levels else level if _has_ends(rows) else None,
        "caption": plain(content.table.caption),
        "rows": rows,
        "cautions": _distinct(caution_as_values(c) for c in content.cautions),
        "sizes": _distinct([plain_value(dict(sizes)) for sizes in content.sizes]),
        "seed": seeds[0] if len(seeds) == 1 else seeds,
        "notes": [plain(note.words) for note in content.table.notes],
        "report": list(content.sentences),
        "versions": versions(),
    }
    if content.parts:
        found["parts"] = {k: [plain_value(dict(r)) for r in v] for k, v in content.parts.items()}
    return found


def caution_as_values(caution: PauciWarning) -> dict[str, Any]:
    """Return a warning as plain values."""
    return {
        "category": type(caution).__name__,
        "message": str(caution),
        "classifier": caution.classifier,
        "measure": None if caution.measure is None else repr(caution.measure),
    }


def as_json(value: Any) -> str:
    """Return plain values as JSON."""
    return json.dumps(value, indent=2, allow_nan=False)


def plain_value(value: Any) -> Any:
    """Return a value as None, bool, int, float, str, list or dict."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(v) for key, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_value(v) for v in value]
    if value is None or type(value) in (bool, str):
        return value
    if _is_numeric_array(value):
        item = value.tolist()
        if type(item) is not type(value):  # an extended precision remains
            return plain_value(item)
    if isinstance(value, Integral):
        return int(value)
    return _number(float(value)) if isinstance(value, Real) else str(value)


def _is_numeric_array(value: Any) -> bool:
    """Return whether a value is a number or an array of NumPy, and not a date or an object."""
    return hasattr(value, "tolist") and value.dtype.kind in "biufU"


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else "Infinity" if value > 0.0 else "-Infinity"


def _has_ends(rows: Sequence[Mapping[str, Any]]) -> bool:
    return any(name.endswith("_low") for row in rows[:1] for name in row)


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Return the distinct values that are not None, in their order."""
    found: list[Any] = []
    for value in values:
        if value is not None and value not in found:
            found.append(value)
    return found


@cache
def _installed() -> dict[str, str]:
    found = {"pauci": pauci.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python, NumPy and SciPy."""
    return dict(_installed())
