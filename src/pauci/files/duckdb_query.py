"""Queries and patterns of Parquet files, which DuckDB counts without loading their rows."""

import glob
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from pauci.backends.frames import ConnectedRelation, missing_package
from pauci.errors import InputError

PREFIX = "duckdb:"
_DATABASE = re.compile(r"(\S+\.(?:db|ddb|duckdb)):(?=\s*\w)")
_PARQUET = (".parquet", ".pq")

_FOLDERS: "list[tempfile.TemporaryDirectory[str]]" = []
"""Folders of temporary files, which are deleted when the process ends."""


def is_for_duckdb(path: str) -> bool:
    """Return whether a path is a query, or a pattern of Parquet files."""
    return path.startswith(PREFIX) or (
        glob.has_magic(path) and path.endswith(_PARQUET) and not Path(path).exists()
    )


def relation_of(path: str) -> ConnectedRelation:
    """Return the rows of a query or of all files that match a pattern, which remain there."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise missing_package("duckdb", "duckdb") from None
    query, database = path.removeprefix(PREFIX), None
    if path.startswith(PREFIX) and (match := _DATABASE.match(query)):
        query, database = query[match.end() :], match[1]
    try:
        connection = _connected(duckdb, database)
        if path.startswith(PREFIX):
            return ConnectedRelation(_queried(duckdb, connection, query), connection)
        files = sorted(glob.glob(path, recursive=True))  # noqa: PTH207
        if not files:
            raise InputError(f"{path!r} matches no file; check the path.")
        relation = connection.read_parquet([glob.escape(f) for f in files], union_by_name=True)
        return ConnectedRelation(relation, connection)
    except duckdb.Error as error:
        first = str(error).strip().splitlines()[0]
        if isinstance(error, duckdb.PermissionException):
            first += " (only local files are read, and no extensions are installed)"
        raise InputError(f"{path!r}: DuckDB reports: {first}") from None


def _connected(duckdb: Any, database: str | None) -> Any:
    """Return a connection that reads local files, and writes only temporary ones."""
    if database is not None and not Path(database).is_file():
        raise InputError(f"the database {database!r} does not exist; check the path.")
    connection = duckdb.connect(database or ":memory:", read_only=database is not None)
    folder = tempfile.TemporaryDirectory(prefix="pauci-")
    _FOLDERS.append(folder)
    anchors = {Path(path).resolve().anchor for path in (".", folder.name, Path.home())}
    listed = ", ".join(map(_quoted, sorted(anchors)))
    for setting in (
        "enable_progress_bar = false",
        f"temp_directory = {_quoted(folder.name)}",
        "autoinstall_known_extensions = false",
        f"allowed_directories = [{listed}]",
        "enable_external_access = false",
    ):
        connection.execute(f"set {setting}")
    return connection


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _queried(duckdb: Any, connection: Any, query: str) -> Any:
    """Return the rows of a query; other statements could write."""
    kinds = duckdb.StatementType
    types = [statement.type for statement in connection.extract_statements(query)]
    if types == [kinds.MULTI]:  # a PIVOT that looks for its columns, but a COPY of one as well
        query = f"select * from (\n{query.strip().rstrip(';')}\n)"
        with suppress(duckdb.ParserException):
            if len(connection.extract_statements(query)) == 1:
                types = [kinds.SELECT]
    if types != [kinds.SELECT]:
        raise InputError("a query is one SELECT or PIVOT: duckdb:SELECT * FROM 'a.parquet'")
    return connection.sql(query)
