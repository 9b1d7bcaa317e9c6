"""Results as plain values, JSON documents and data frames, and files that are replaced at once.

JSON has neither NaN nor infinity. An undefined number (NaN) is null. An infinite one is the string
``"Infinity"`` or ``"-Infinity"``, as in the JSON of protocol buffers: `float` of Python and
``Number`` of JavaScript read it, and a bound that does not exist differs from an undefined one.
"""

import contextlib
import hashlib
import json
import math
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import pauci
from pauci.errors import InputError, InputTypeError, PauciWarning
from pauci.installation import commit
from pauci.tables.table import Table, plain

if TYPE_CHECKING:
    from pathlib import Path


SCHEMA = 1
"""Version of the schema; keys are added without a new version."""

_PACKAGES = ("numpy", "scipy")
"""Packages on whose versions results depend, for example through random numbers."""

_version = cache(version)


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
    quantities : sequence of mapping or None
        What the value of each row is (`pauci.results.stored.describe`), or None for other rows.
    """

    rows: Sequence[Mapping[str, Any]]
    table: Table
    sentences: Sequence[str] = ()
    sizes: Sequence[Mapping[str, Any]] = ()
    cautions: Sequence[PauciWarning] = ()
    seed: int | None = None
    parts: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    quantities: Sequence[Mapping[str, Any] | None] = ()


def document(name: str, content: Content, level: float) -> dict[str, Any]:
    """Return a result as plain values, which `json.dumps` writes without NaN or infinity."""
    rows = [plain_value(dict(row)) for row in content.rows]
    levels = _distinct([row["level"] for row in rows if "level" in row])
    seeds = _distinct([row.get("seed") for row in rows]) or [content.seed]
    has_ends = any(name.endswith("_low") for row in rows[:1] for name in row)
    found = {
        "schema": SCHEMA,
        "result": name,
        "level": levels[0] if levels else level if has_ends else None,
        "caption": plain(content.table.title),
        "rows": rows,
        "cautions": _distinct(caution_as_values(c) for c in content.cautions),
        "sizes": _distinct([plain_value(dict(sizes)) for sizes in content.sizes]),
        "seed": seeds[0] if len(seeds) == 1 else seeds,
        "notes": [plain(note) for note in content.table.notes],
        "report": list(content.sentences),
        "versions": versions(),
    }
    if any(content.quantities):
        found["quantities"] = plain_value(content.quantities)
    if content.parts:
        found["parts"] = {k: [plain_value(dict(r)) for r in v] for k, v in content.parts.items()}
    return {**found, "commit": commit(), "date": date_of_today()}


def date_of_today() -> str:
    """Return the date, or that of ``SOURCE_DATE_EPOCH`` for files that must not change."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    today = time.localtime() if seconds is None else time.gmtime(int(seconds))
    return time.strftime("%Y-%m-%d", today)


def file_as_values(path: Any) -> dict[str, Any]:
    """Return the name, the size and the SHA-256 of a file of data, by which it is recognized."""
    from pathlib import Path

    try:
        with Path(path).open("rb") as stream:
            digest, size = hashlib.file_digest(stream, "sha256"), stream.tell()
    except (OSError, ValueError, TypeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.of("data", str(path), f"cannot be read: {reason}.") from None
    return {"file": Path(path).name, "bytes": size, "sha256": digest.hexdigest()}


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
    # Numbers and arrays of NumPy, but not of dates or objects.
    if hasattr(value, "tolist") and value.dtype.kind in "biufU":
        item = value.tolist()
        if type(item) is not type(value):  # an extended precision remains
            return plain_value(item)
    if isinstance(value, Integral):
        return int(value)
    if not isinstance(value, Real):
        return str(value)
    number = float(value)
    if math.isinf(number):
        return "Infinity" if number > 0.0 else "-Infinity"
    return None if math.isnan(number) else number


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Return the distinct values that are not None, in their order."""
    found: list[Any] = []
    for value in values:
        if value is not None and value not in found:
            found.append(value)
    return found


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python, NumPy and SciPy."""
    found = {"pauci": pauci.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = _version(package)
    return found


def check_writable(path: Any, argument: str = "path") -> None:
    """Raise an error for a path that cannot be written, before a long computation starts.

    Parameters
    ----------
    path : str or os.PathLike
        Path of the file to be written. No file is left there.
    argument : str
        Name of the argument in error messages.

    Raises
    ------
    InputError
        If the path is a directory, or no file can be created in its directory.
    """
    with _target_of(path, argument) as target:
        if target.is_dir():
            raise InputError.of(argument, str(path), "is a directory; name a file.")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied")
        if target.exists() and not target.is_file():  # a device or a pipe
            return
        with contextlib.suppress(FileNotFoundError):
            target.lstat()  # raises an error for a name that is too long
        # Permissions, quotas and read-only disks are only known after an attempt to write.
        trial = _temporary_path(target)
        trial.touch(exist_ok=False)
        trial.unlink()


@contextlib.contextmanager
def _target_of(path: Any, argument: str) -> "Iterator[Path]":
    """Yield the file at a path; an error of the system is raised as one about the argument."""
    from pathlib import Path  # on use: importing the package takes less time without it

    try:
        yield Path(os.path.realpath(path))
    except InputError:
        raise
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.of(argument, str(path), f"cannot be written: {reason}.") from None


def check_suffix(path: Any, argument: str, suffix: str) -> None:
    """Raise an error for the path of a document that ends in another suffix, such as .doc."""
    if isinstance(path, (str, os.PathLike)) and not str(path).lower().endswith(suffix):
        problem = f"must end in {suffix}, the format that is written."
        raise InputError.of(argument, str(path), problem)


def write_file(path: Any, content: bytes, argument: str = "path") -> None:
    """Write a file; if that fails, no part of it is left and an existing file is unchanged.

    Parameters
    ----------
    path : str, os.PathLike or binary file object
        Path of the file, or an open file, in which the content is written.
    content : bytes
        Complete content of the file.
    argument : str
        Name of the argument in error messages.

    Raises
    ------
    InputError
        If the path cannot be written.
    """
    if hasattr(path, "write"):
        try:
            path.write(content)
        except TypeError:
            problem = "is a file of text; a document is binary."
            hint = "Open it in mode 'wb', or use io.BytesIO()."
            raise InputTypeError.of(argument, path, problem, hint=hint) from None
        return
    if not isinstance(path, (str, os.PathLike)):
        problem = "must be a path, such as 'table.docx', or a file object."
        raise InputTypeError.of(argument, path, problem)
    with _target_of(path, argument) as target:
        if target.exists() and not target.is_file():  # a directory, a device or a pipe
            target.write_bytes(content)
            return
        part = _temporary_path(target)
        try:
            with part.open("xb") as stream:
                stream.write(content)
            if target.exists():
                if not os.access(target, os.W_OK):
                    raise PermissionError(13, "Permission denied")
                part.chmod(target.stat().st_mode)
            part.replace(target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def _temporary_path(target: "Path") -> "Path":
    """Return the path of a new file in the same directory."""
    return target.with_name(f".pauci-{os.urandom(8).hex()}.part")
