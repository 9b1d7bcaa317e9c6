"""Files of data as data frames of pandas, whose index has the lines or rows of the file.

The separator, the decimal mark, the encoding and the row of the header are found where only one
reading is possible, and ``frame.attrs["read_as"]`` states what was found.
"""

import functools
import glob
import io
import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from pauci import errors
from pauci.backends.frames import ConnectedRelation, missing_package
from pauci.calls import validate_call
from pauci.checks import check_choice, check_text, nearest
from pauci.datasets import bundled_files
from pauci.errors import HiddenRowsWarning, InputError, InputTypeError
from pauci.files import texts
from pauci.files.memory_limit import FileContent, check_feather, check_parquet, check_sas, unpacked
from pauci.number_texts import check_notation

if TYPE_CHECKING:
    import pandas as pd

_MOST_DECLARED = 5
_PART = 2**20


@validate_call
def read_table(
    path: "str | os.PathLike[str]",
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header_row: int | tuple[int, int] | None = None,
    thousands: str | None = None,
    user_missing: Literal["missing", "values"] | None = None,
) -> "pd.DataFrame":
    """Read a file of data, as the command line and the app do.

    Text files (CSV and others), JSON, Excel, Parquet, SPSS, Stata, SAS and Feather are read by
    pandas according to their suffix. Text files may be compressed. If columns, numbers or the
    header could be read in two ways, an error asks for one of the arguments; otherwise they are
    found.

    Parameters
    ----------
    path : str or os.PathLike
        A file, ``"-"`` for standard input, ``"example:NAME"`` for the bundled data set NAME, or a
        query of DuckDB, ``"duckdb:SELECT ..."`` or ``"duckdb:trial.db:SELECT ..."``. The rows of a
        query, and of a pattern such as ``"scores-*.parquet"``, remain in DuckDB, and are counted
        there by `Sample.from_frame`.
    sep : str, optional
        Separator of the columns of a text file: one character, ``"tab"`` or ``"space"``.
    decimal : {".", ","}, optional
        Decimal mark of numbers that are written as text.
    encoding : str, optional
        Encoding of a text file. The default is UTF-8, and cp1252 for bytes that are not UTF-8.
    sheet : str, optional
        Name of the sheet of an Excel file that has several.
    header_row : int or tuple of int, optional
        Line of the names of the columns, if there are titles above it. A pair of lines is that of
        the names and that of the units below them, which is skipped.
    thousands : str, optional
        Separator of groups of three digits: ``"."``, ``","``, ``"'"`` or a blank.
    user_missing : {"missing", "values"}, optional
        What the values are that a file of SPSS or Stata declares as missing. By default they are
        missing, and `Sample.from_frame` warns about those in its columns. State ``"missing"`` for
        no warning, or ``"values"`` if they are values like the others.

    Returns
    -------
    pandas.DataFrame
        The index has the line of each row in a text file, or its row in a sheet, to which messages
        of `Sample.from_frame` refer. ``attrs["read_as"]`` states what was found,
        ``attrs["arguments"]`` are all arguments by name, ``attrs["value_labels"]`` are the labels
        of values of SPSS and Stata by column, and ``attrs["declared_missing"]`` the values that
        were declared as missing, in words.

    Raises
    ------
    ValueError
        If the file cannot be read, or can be read in two ways.

    Warns
    -----
    HiddenRowsWarning
        If rows of a sheet are hidden, which are read like the others.

    Examples
    --------
    >>> import pauci
    >>> pauci.read_table("example:fawcett").head(2)
          label  score
    line
    2         1    0.9
    3         1    0.8
    """
    if isinstance(path, str) and is_for_duckdb(path):
        return cast("pd.DataFrame", relation_of(path))
    values = sep, encoding, decimal, thousands, sheet, header_row, user_missing
    return table_in(content_of(path), **dict(zip(_ARGUMENTS, values, strict=True)))


def content_of(path: "str | os.PathLike[str]") -> FileContent:
    """Return the bytes of a file, of standard input, or of a bundled data set."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InputTypeError.of("path", path, "must be the name of a file.") from None
    if name == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed.")
        stream = getattr(sys.stdin, "buffer", None)
        content = sys.stdin.read().encode() if stream is None else stream.read()
        return FileContent("standard input", content)
    if name.startswith("example:"):
        files = bundled_files()
        key = name.removeprefix("example:")
        if key not in files:
            problem = f"{name!r} is no data set{nearest(key, files)} There are: {', '.join(files)}."
            raise InputError(problem)
        return FileContent(files[key].name, files[key].read_bytes())
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name):
        raise InputError(f"{errors.show(name)} is a URL; download the file first.")
    try:
        return FileContent(Path(name).name, Path(name).read_bytes())
    except FileNotFoundError:
        raise InputError(f"file {errors.show(name)} does not exist; check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"file {errors.show(name)} cannot be read: {reason}.") from None


_ARGUMENTS = ("sep", "encoding", "decimal", "thousands", "sheet", "header_row", "user_missing")


def table_in(file: FileContent, **arguments: Any) -> "pd.DataFrame":
    """Return the table in the bytes of a file; the arguments are those of `read_table`."""
    options: dict[str, Any] = {**dict.fromkeys(_ARGUMENTS), **arguments}
    check_notation(options["decimal"], options["thousands"])
    user_missing = options["user_missing"]
    if user_missing is not None:
        check_choice("user_missing", user_missing, ("missing", "values"))
    check_text("sep", options["sep"])
    check_text("encoding", options["encoding"])
    named, file = file.name, unpacked(file)
    of_text = texts.table_of_text, _OF_TEXT, ""
    usual = _READERS[".json"] if texts.is_json(file.content) else of_text
    read, accepted, extra = _READERS.get(file.suffix, usual)
    for argument, value in options.items():
        if value is not None and argument not in accepted:
            raise InputError.of(argument, value, f"does not apply to {named!r}.")
    options["header_row"] = _header_and_units(options["header_row"])
    try:
        is_plain = "encoding" in accepted and options["encoding"] is None
        if is_plain and b"\0" in file.content and texts.marked_encoding(file.content) == "utf-8":
            problem = "it is not text, because it contains null bytes."
            hint = (
                f"Files that are read end in {', '.join(_READERS)}, .csv, .tsv or .txt; a text may "
                "need encoding='utf-16-le'."
            )
            raise InputError(problem, hint=hint)
        frame: pd.DataFrame = read(file, options)
    except InputError as error:
        raise error.replaced(where=f"file {named!r}") from None
    except Exception as error:  # readers raise what their parsers raise
        missing = isinstance(error, ImportError) and extra
        problem = f"file {named!r} cannot be read: {str(error).strip().rstrip('.')}."
        hint = errors.install_advice(extra) if missing else ""
        raise InputError(problem, hint=hint) from None
    attributes = {"read_as": "", "arguments": {}, **frame.attrs, "source": named}
    frame.attrs = {n: _Facts(v) if isinstance(v, dict) else v for n, v in attributes.items()}
    return frame


class _Facts(dict[str, Any]):
    """An attribute of a table, which pandas would copy whenever a column is selected."""

    def __deepcopy__(self, _: object) -> "_Facts":
        return self


def _header_and_units(rows: Any) -> tuple[int, int | None] | None:
    """Return the row of the header, and that of the units."""
    if rows is None:
        return None
    header, units = rows if isinstance(rows, tuple) and len(rows) == 2 else (rows, None)
    whole = all(isinstance(r, int) and not isinstance(r, bool) for r in (header, units or 1))
    if not whole or header < 1 or (units is not None and units <= header):
        problem = "must be a line of the file, or a pair: that of the units below it."
        raise InputError.of("header_row", rows, problem)
    return header, units


# Other files


def _excel(file: FileContent, options: Mapping[str, Any]) -> Any:
    """Return the table in a sheet; cells of text are numbers if a whole column of them is."""
    import pandas as pd

    sheet = options["sheet"]
    file.check_archive()
    with pd.ExcelFile(io.BytesIO(file.content)) as book:
        sheets = list(map(str, book.sheet_names))
        if sheet is not None and sheet not in sheets:
            raise InputError.of("sheet", sheet, f"is not one of the sheets: {', '.join(sheets)}.")
        if sheet is None and len(sheets) > 1:
            problem = f"is needed, because there are several: {', '.join(sheets)}."
            raise InputError.about("sheet", problem, value=sheets)
        sheet = sheet or sheets[0]
        is_xml = getattr(book, "engine", "") == "openpyxl"
        path = book.book[sheet]._worksheet_path.lstrip("/") if is_xml else ""
        hidden = _hidden_rows(file, path) if is_xml else []
        cells = pd.read_excel(
            book, sheet_name=sheet, header=None, dtype=object, na_values=texts.BLANK
        )
    cells.index = pd.RangeIndex(1, len(cells) + 1, name="row")
    frame = _below_header(cells.dropna(how="all"), options["header_row"])
    header, row = frame.attrs.pop("header"), frame.attrs.pop("header_row")
    frame = texts.with_numbers(frame, options, [header] * bool(header))
    frame.attrs["arguments"] |= {"sheet": sheet, "header_row": row}
    hidden = frame.index.intersection(hidden).tolist()
    if hidden:
        shown = errors.numbered(hidden[:3], "row") + ", ..." * (len(hidden) > 3)
        problem = (
            f"{len(hidden):,} hidden row{'s' * (len(hidden) > 1)} of the sheet are read like the "
            f"others ({shown})."
        )
        errors.warn(HiddenRowsWarning(problem))
    return frame


def _below_header(cells: Any, header_row: tuple[int, int | None] | None) -> Any:
    """Return the rows of a sheet below the names of the columns, which are its columns."""
    if not len(cells):
        raise InputError("the sheet is empty; it needs the names of columns and rows.")
    first = cells.iloc[: texts.FIRST_RECORDS].fillna("").astype(str)
    records = list(zip(first.index.tolist(), first.to_numpy().tolist(), strict=True))
    above, units = texts.place_of_header(records, header_row)
    if header_row is None:
        texts.refuse_units(records[above:], "row")
    row, names = records[above]
    frame = cells.iloc[above + 1 :].drop(index=[r for r in [units] if r in cells.index])
    used = [bool(name) or frame[i].notna().any() for i, name in enumerate(names)]
    frame = frame.set_axis(names, axis=1).loc[:, used].infer_objects()
    frame.attrs["header"] = f"the header in row {row}" if above and header_row is None else ""
    frame.attrs["header_row"] = row
    return frame


def _hidden_rows(file: FileContent, path: str) -> list[int]:
    """Return the rows of a sheet that are hidden by a filter or by hand, and check its size."""
    hidden, columns_of = [], dict[bytes, int]()
    row = column = columns = 0
    for match in _tags(file.content, path):
        if match[1] == b"row":
            row, column = int(match[3] or row + 1), 0
            hidden += [row] * bool(re.search(rb'\bhidden="(?:1|true)"', match[0]))
        else:
            name = match[2] or b""
            if name not in columns_of:
                columns_of[name] = functools.reduce(lambda n, c: 26 * n + c - 64, name, 0)
            column = columns_of[name] or column + 1
            columns = max(columns, column)
    file.check_table(row, columns, len(file.content))
    return hidden


def _tags(content: bytes, path: str) -> Iterator[re.Match[bytes]]:
    """Yield the tags of rows and cells of a sheet, with their columns and rows."""
    pattern = re.compile(rb'<(?:\w+:)?(row|c)\b(?:[^>]*?\br="([A-Z]*)(\d*)")?[^>]*>')
    with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(path) as stream:
        rest = b""
        while part := stream.read(_PART):
            part = rest + part
            last = part.rfind(b"<")
            yield from pattern.finditer(part, 0, last)
            rest = part[last:]


def _statistical(file: FileContent, options: Mapping[str, Any]) -> "pd.DataFrame":
    """Return the numbers in a file of SPSS or Stata, with the labels of values as an attribute."""
    import pyreadstat

    content, user_missing = file.content, options["user_missing"]
    is_stata = file.suffix == ".dta"
    read = pyreadstat.read_dta if is_stata else pyreadstat.read_sav
    try:
        stated = read(io.BytesIO(content), metadataonly=True)[1]
        width = sum(max(width, 8) for width in stated.variable_storage_width.values())
        rows = stated.number_rows or len(content) / max(width, 1)
        file.check_table(rows, stated.number_columns or 0, 6 * rows * width + len(content))
        frame, meta = read(io.BytesIO(content))
        stored = read(io.BytesIO(content), user_missing=True)[0]
    except InputError:
        raise
    except Exception as error:  # pyreadstat raises errors of many types
        raise ValueError(str(error)) from None
    labels: dict[str, dict[Any, str]] = meta.variable_value_labels
    declared: dict[str, str] = {}
    for column in map(str, frame):
        values = stored[column][frame[column].isna() & stored[column].notna()]
        words = _declared(values[values != ""], labels.get(column, {}), is_stata)
        if words:
            declared[column] = words
    if user_missing == "values":
        if is_stata and declared:
            problem = (
                "does not apply: missing values of Stata, such as .a, are no numbers "
                f"({next(iter(declared.values()))})."
            )
            hint = "State user_missing='missing'."
            raise InputError.of("user_missing", user_missing, problem, hint=hint)
        frame = stored
    for column in map(str, frame):
        values = frame[column]
        if values.dtype.kind == "f":
            whole = values.notna().all() and (values % 1.0 == 0.0).all()
            frame[column] = values.astype("int64") if whole else values
        elif values.dtype.kind not in "iubM":
            frame[column] = values.mask(values == "")
    frame.index = frame.index.rename("row") + 1
    frame.attrs |= {"value_labels": dict(labels), "arguments": {"user_missing": user_missing}}
    if user_missing is None:
        frame.attrs["declared_missing"] = declared
    return frame


def _declared(values: "pd.Series[Any]", labels: Mapping[Any, str], is_stata: bool) -> str:
    """Return values that are declared as missing, with their labels and numbers of rows."""
    parts = []
    for value, n in values.value_counts(sort=False).items():
        code = f"{value:g}" if isinstance(value, float) else f"{'.' * is_stata}{value}"
        label = f" ({labels[value]})" if value in labels else ""
        parts.append(f"{code}{label} in {n:,} row{'s' * (n != 1)}")
    return ", ".join(parts[:_MOST_DECLARED]) + ", ..." * (len(parts) > _MOST_DECLARED)


def _by_pandas(
    function: str, check: Callable[[FileContent], None], **options: Any
) -> Callable[..., "pd.DataFrame"]:
    """Return a reader of pandas for the bytes of a file, after a check of its size."""

    def read(file: FileContent, _: Mapping[str, Any]) -> "pd.DataFrame":
        import pandas as pd

        check(file)
        frame: pd.DataFrame = getattr(pd, function)(io.BytesIO(file.content), **options)
        if any(name is not None for name in frame.index.names):
            frame = frame.reset_index()
        frame.columns = pd.Index(list(map(str, frame.columns)))
        frame.index = pd.RangeIndex(1, len(frame) + 1, name="row")
        return frame

    return read


_OF_TEXT = ("sep", "decimal", "encoding", "thousands", "header_row")
_OF_JSON = ("decimal", "encoding", "thousands")
_OF_SHEETS = ("decimal", "thousands", "sheet", "header_row")


_sas7bdat = _by_pandas("read_sas", check_sas, format="sas7bdat", encoding="infer")
_xport = _by_pandas("read_sas", check_sas, format="xport", encoding="latin-1")
_parquet = _by_pandas("read_parquet", check_parquet), (), "parquet"
_READERS: dict[str, tuple[Callable[..., "pd.DataFrame"], tuple[str, ...], str]] = {
    ".xlsx": (_excel, _OF_SHEETS, "excel"),
    **dict.fromkeys((".xls", ".ods"), (_excel, _OF_SHEETS, "")),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), (texts.table_of_json, _OF_JSON, "")),
    **dict.fromkeys((".parquet", ".pq"), _parquet),
    ".feather": (_by_pandas("read_feather", check_feather), (), "parquet"),
    **dict.fromkeys((".sav", ".dta"), (_statistical, ("user_missing",), "spss")),
    ".sas7bdat": (_sas7bdat, (), ""),
    ".xpt": (_xport, (), ""),
}
"""The reader, its arguments and the extra it requires by the suffix of the file; files with any
other suffix are text."""


# Queries and patterns of Parquet files, which DuckDB counts without loading their rows

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
