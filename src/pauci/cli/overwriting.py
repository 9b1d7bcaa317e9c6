"""Files that a command reads are not written to, whatever they are called."""

import glob
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pauci.errors import InputError, arg

_QUERY = "duckdb:"
_QUOTED = re.compile(r"""'((?:[^']|'')*)'|"((?:[^"]|"")*)"|\$\$(.*?)\$\$""", re.DOTALL)
"""Texts and names in a query, each of which may be a file."""


def refuse_overwriting(parameters: Sequence[click.Parameter], values: Mapping[str, Any]) -> None:
    """Refuse to write to a file that is read, or to one file twice.

    Files that are read are the arguments of a command, and its options about data that take a file.
    Those that are written to are its options about output that take one.
    """
    read: list[str] = []
    written: dict[str, str] = {}
    database: str | None = None
    for parameter in parameters:
        value = values.get(str(parameter.name))
        if value is None:
            continue
        if isinstance(parameter, click.Argument):
            read += [value] if isinstance(value, str) else value
        elif str(parameter.metavar or "").startswith("FILE"):
            if getattr(parameter, "group", None) == "Output":
                written[str(parameter.name)] = value
            else:
                read.append(value)
                database = value if parameter.name == "database" else database
    for name, path in written.items():
        there = os.path.isfile(path)  # noqa: PTH113  # a name that is too long is none
        if there and database is not None:
            read += _views_of(database)
            database = None
        if there and any(_names(word, path) for word in read):
            raise InputError(
                arg(name, path), " is a file that this command reads; name another one."
            )
        for other, before in written.items():
            if other == name:
                break
            if os.path.realpath(path) == os.path.realpath(before) or _same(path, before):
                raise InputError(
                    arg(name, path), " is the file of ", arg(other), " as well; name another one."
                )


def _names(word: str, path: str) -> bool:
    """Tell whether a file of the command line, a pattern or a query names an existing file."""
    if word == "-":
        return _is_standard_input(path)
    return any(_same(file, path) for file in _files_of(word))


def _files_of(word: str) -> Iterator[str]:
    """Yield the files that a word may stand for."""
    if word.startswith(_QUERY):
        for quoted in _QUOTED.findall(word):
            text = "".join(quoted).replace("''", "'").replace('""', '"')
            yield from _files_of(str(Path(text).expanduser()))
        return
    yield word
    if glob.has_magic(word):
        yield from glob.iglob(word, recursive=True)  # noqa: PTH207


def _views_of(database: str) -> list[str]:
    """Return what the views and macros of a database ask, as queries of the command line.

    What is no database, or cannot be opened, is refused where it is asked.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        return []
    try:
        with duckdb.connect(database, read_only=True) as connection:
            found = connection.execute(
                "select sql from duckdb_views() where not internal union all "
                "select macro_definition from duckdb_functions() where not internal"
            ).fetchall()
    except duckdb.Error:
        return []
    return [f"{_QUERY}{text}" for (text,) in found if text]


def _same(first: str, second: str) -> bool:
    """Tell whether two paths lead to one file."""
    try:
        return os.path.samefile(first, second)  # noqa: PTH121
    except (OSError, ValueError):
        return False


def _is_standard_input(path: str) -> bool:
    """Tell whether standard input is redirected from a file."""
    try:
        return os.path.samestat(os.fstat(sys.stdin.fileno()), os.stat(path))  # noqa: PTH116
    except (OSError, ValueError, AttributeError):  # closed, or not a file of the system
        return False
