"""Files and queries that DuckDB reads for the command line without loading all rows.

These are patterns of several files, queries, and any file for which a resolution is given.
"""

import glob
import gzip
import re
import zlib
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauci.backends.frames import ConnectedRelation, is_interrupt, missing_package
from pauci.cli.data import (
    TextTable,
    is_spelling_of,
    refuse_lists,
    refuse_repeated,
    refuse_repeated_categories,
    typed_codes,
)
from pauci.cli.options import Reading, RowColumns
from pauci.cli.read_files import PACKED, check_gzip, name_of, refuse_options, text_format
from pauci.cli.shell_syntax import SHELL, shortened, warnings_in
from pauci.cli.written_numbers import (
    advice_on_two_readings,
    reason_not_a_number,
    two_readings,
)
from pauci.errors import InputError, PauciError
from pauci.sample.rows import Design
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    import tempfile

    from pauci.sample.from_backend import Resolution

_QUERY = "duckdb:"
_PARQUET = (".parquet", ".pq")
_TEXTS = (".csv", ".tsv", ".tab", ".txt")
_MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"]
_NOT_BY_DUCKDB = ("thousands", "sheet", "header_row", "user_missing")
_TYPES = ["BIGINT", "DOUBLE", "VARCHAR"]
"""Types of columns in text files; others would turn yes and no into booleans, text into dates."""

_NO_TEXTS = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE")
"""Types of labels that are not text."""

_MOST_LABELS = 100

_HEAD = 2**16
"""Number of characters of a text in which its header is checked."""

_LONGEST_LINE = 2**26
"""Largest number of characters of the last of these lines."""

_LINE_ENDS = {"\n": "\\n", "\r\n": "\\r\\n"}
"""Line ends and their names in DuckDB."""


def is_for_engine(file: str, rows: RowColumns) -> bool:
    """Return whether a file, pattern or query is read by DuckDB."""
    resolution, database = _resolution_of(rows.resolution), rows.database
    if file.startswith(_QUERY):
        return True
    if database is not None:
        raise InputError(
            "--database requires a query instead of the file: duckdb:SELECT ...",
            argument="database",
            value=database,
        )
    pattern = file != "-" and glob.has_magic(file) and not Path(file).exists()
    if file == "-" and resolution is not None:
        raise InputError.of(
            "resolution",
            resolution,
            "applies to files and queries that DuckDB reads, but standard input is read into "
            "memory.",
        )
    return resolution is not None or pattern


def sample_on_engine(
    file: str,
    reading: Reading,
    rows: RowColumns,
    design: Design,
    fold: str | None,
    codes: Sequence[str],
    groups: Sequence[str] = (),
) -> Sample:
    """Make a sample that DuckDB counts; `codes` mean a missing number."""
    if reading.where:
        raise InputError(
            "--where is for files that are read into memory; with DuckDB, select rows by a query: "
            "duckdb:SELECT * FROM 'data.parquet' WHERE ...",
            argument="where",
        )
    optional = (rows.frequency, rows.weight, rows.cluster, fold, *groups)
    needed = [c for c in (rows.label, *rows.scores, *optional) if c is not None]
    is_query = file.startswith(_QUERY)
    name = f"query {shortened(file[len(_QUERY) :].strip())!r}" if is_query else name_of(file)
    duckdb = _duckdb()
    try:
        connection = _connected(duckdb, rows.database)
        relation, blanked = _relation_of(connection, file, name, reading, rows, needed, codes)
        refuse_repeated(relation.columns, needed, name)
        refuse_lists("scores", rows.scores, relation.columns)
        refuse_lists("lower_is_positive", rows.lower_is_positive, relation.columns)
        if rows.categories:
            relation = _with_ordered_categories(relation, rows.scores, rows.categories, name)
        labels = (rows.positive, rows.negative)
        relation, (positive, negative) = _labelled(relation, rows.label, labels)
        with warnings_in(SHELL):
            return Sample.from_frame(
                ConnectedRelation(relation, connection),
                rows.label,
                list(rows.scores),
                positive=positive,
                negative=negative,
                frequency=rows.frequency,
                weight=rows.weight,
                cluster=rows.cluster,
                design=design,
                lower_is_positive=list(rows.lower_is_positive) or False,
                drop_missing=rows.drop_missing,
                fold=fold,
                group=list(groups) or None,
                resolution=_resolution_of(rows.resolution),
                missing=typed_codes(rows.missing, blanked),
            )
    except PauciError as error:
        raise _about(name, error) from None
    except duckdb.Error as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        raise _refusal_of_duckdb(duckdb, name, error) from None
    except RuntimeError as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        raise


def _relation_of(
    connection: Any,
    file: str,
    name: str,
    reading: Reading,
    rows: RowColumns,
    needed: Sequence[str],
    codes: Sequence[str],
) -> tuple[Any, list[str]]:
    """Return the rows of a query or of files, and the codes that are read as missing values."""
    if file.startswith(_QUERY):
        return _queried(connection, file[len(_QUERY) :], reading), []
    scores = () if rows.categories else rows.scores
    numbers = [c for c in (*scores, rows.frequency, rows.weight) if c is not None]
    return _files(
        connection, file, name, reading, needed, numbers, codes, (rows.label, *rows.scores)
    )


def _refusal_of_duckdb(duckdb: Any, name: str, error: Exception) -> InputError:
    """Return the error for a file or query that DuckDB refuses."""
    first = str(error).strip().splitlines()[0]
    if isinstance(error, duckdb.PermissionException):
        first += " (only local files are read, and no extensions are installed)"
    return InputError(f"{name}: DuckDB reports: {first}")


def _about(name: str, error: Any) -> InputError:
    """Return an error of the package with the name of the file in it."""
    sentence = SHELL.sentence(error)
    message = sentence if sentence.startswith(name) else f"{name}: {sentence}"
    return InputError(message, argument=error.argument, value=error.value)


def _duckdb() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise missing_package("duckdb", "duckdb") from None
    return duckdb


def _connected(duckdb: Any, database: str | None) -> Any:
    """Return a connection that cannot write to files of the user."""
    if database is not None:
        _check_database(database)
    import tempfile

    connection = duckdb.connect(database or ":memory:", read_only=database is not None)
    folder = tempfile.TemporaryDirectory(prefix="pauci-")
    _FOLDERS.append(folder)  # deleted when the command ends
    connection.execute("set enable_progress_bar = false")
    connection.execute(f"set temp_directory = {_quoted(folder.name)}")
    # Queries may read only local files: no URLs, and no extensions that are downloaded.
    anchors = {Path(path).resolve().anchor for path in (".", folder.name, Path.home())}
    listed = ", ".join(_quoted(anchor) for anchor in sorted(anchors))
    connection.execute("set autoinstall_known_extensions = false")
    connection.execute(f"set allowed_directories = [{listed}]")
    connection.execute("set enable_external_access = false")
    return connection


def _check_database(database: str) -> None:
    """Refuse a file that is not a DuckDB database, which is recognized by its first bytes."""
    try:
        with Path(database).open("rb") as file:
            head = file.read(12)
    except OSError:
        raise InputError.of("database", database, "does not exist; check the path.") from None
    if head[8:] != b"DUCK":
        raise InputError.of(
            "database",
            database,
            "is not a DuckDB database. Other files are named in the query: duckdb:SELECT * FROM "
            f"{_quoted(shortened(database))}.",
        )


_FOLDERS: list["tempfile.TemporaryDirectory[str]"] = []


def _quoted(text: str) -> str:
    """Return a text as an SQL literal."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _queried(connection: Any, query: str, reading: Reading) -> Any:
    """Return the rows of a query."""
    refuse_options(reading, "a query")
    if not query.strip():
        raise InputError("duckdb: needs a query, such as duckdb:SELECT * FROM 'a.parquet'")
    # Other statements could write, and only the last of several would return rows.
    kinds = _duckdb().StatementType
    types = [statement.type for statement in connection.extract_statements(query)]
    if types == [kinds.MULTI]:  # a PIVOT that looks for its columns, but a COPY of one as well
        query = f"select * from (\n{query.strip().rstrip(';')}\n)"
        with suppress(_duckdb().ParserException):
            if len(connection.extract_statements(query)) == 1:
                types = [kinds.SELECT]
    if types != [kinds.SELECT]:
        raise InputError("the query must be one SELECT or PIVOT statement.")
    return connection.sql(query)


def _line_terminator(line_ends: Set[str | None]) -> dict[str, Any]:
    """Return the argument of DuckDB for the line end that all files share, if there is one."""
    end = next(iter(line_ends)) if len(line_ends) == 1 else None
    return {"lineterminator": _LINE_ENDS[end]} if end else {}


def _matching_files(pattern: str, name: str) -> tuple[list[str], str]:
    """Return the files that match a pattern, and the kind that they share."""
    magic = glob.has_magic(pattern) and not Path(pattern).exists()
    files = glob.glob(pattern, recursive=True) if magic else [pattern]  # noqa: PTH207
    files = sorted(file for file in files if Path(file).is_file())
    if not files:
        raise InputError(f"{name} matches no file; check the path, and quote the pattern.")
    kinds = {_kind(file, name) for file in files}
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of several formats, but needs one.")
    return files, kinds.pop()


def _files(
    connection: Any,
    pattern: str,
    name: str,
    reading: Reading,
    needed: Sequence[str],
    numbers: Sequence[str],
    codes: Sequence[str],
    coded: Sequence[str],
) -> tuple[Any, list[str]]:
    """Return the rows of all files that match a pattern; their suffix is their format.

    Also return those of the words `codes` that occur in the columns `coded` of texts, where they
    are read as missing values.
    """
    files, kind = _matching_files(pattern, name)
    if kind == "parquet":
        refuse_options(reading, "Parquet files")
        return connection.read_parquet(_as_named(files), union_by_name=True), []
    refuse_options(reading, "text files that DuckDB reads", _NOT_BY_DUCKDB)
    for file in files:
        if Path(file).suffix == ".gz":
            check_gzip(file, name_of(file))
    sep, decimal = text_format(files[0], reading)
    line_ends = {_check_header(file, sep, decimal, reading, needed) for file in files}
    line_terminator = _line_terminator(line_ends)

    def relation_of(dtype: dict[str, str], missing: Sequence[str] = (*_MISSING, *codes)) -> Any:
        return connection.read_csv(
            _as_named(files),
            header=True,
            sep=sep,
            decimal=decimal,
            encoding=reading.encoding or "utf-8",
            na_values=list(dict.fromkeys(missing)),
            sample_size=-1,
            union_by_name=True,
            auto_type_candidates=_TYPES,
            **line_terminator,
            **({"dtype": dtype} if dtype else {}),
        )

    relation = relation_of({})
    types = {c: str(kind) for c, kind in zip(relation.columns, relation.types, strict=True)}
    for column in dict.fromkeys(numbers):
        if types.get(column) == "VARCHAR":
            _refuse_texts(relation, column, decimal)
        elif reading.decimal is None:
            _refuse_two_readings(relation, column, relation_of, in_same_order=sep != ",")
    large = _whole_beyond_bigint(
        relation,
        [c for c in dict.fromkeys(numbers) if types.get(c) == "DOUBLE"],
        relation_of,
    )
    blanked: list[str] = []
    if codes:
        coded = [c for c in coded if c in types]
        texts = relation_of(dict.fromkeys(coded, "VARCHAR"), [""])
        blanked = _words_that_occur(texts, coded, codes)
    return relation_of(dict.fromkeys(large, "UBIGINT")) if large else relation, blanked


def _words_that_occur(texts: Any, columns: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the words that are in some cell of columns of texts."""
    found = []
    for word in words:
        cells = (texts.filter(f"{_column(c)} = {_quoted(word)}").limit(1) for c in columns)
        if any(rows.fetchall() for rows in cells):
            found.append(word)
    return found


def _whole_beyond_bigint(
    relation: Any, columns: Sequence[str], read_as: Callable[[dict[str, str]], Any]
) -> list[str]:
    """Return columns of whole numbers beyond BIGINT, which DuckDB reads as doubles.

    Whole numbers beyond 64 bits raise an error, as for files read into memory, because different
    ones could be equal as doubles.
    """
    if not columns:
        return []
    sizes = ", ".join(f"max(abs({_column(c)}))" for c in columns)
    result = []
    for column, size in zip(columns, relation.aggregate(sizes).fetchall()[0], strict=True):
        if size is None or size < 2.0**63:
            continue
        quoted = _column(column)
        texts = read_as({column: "VARCHAR"}).filter(f"{quoted} is not null")
        digits = f"regexp_full_match(trim({quoted}), '[+-]?[0-9]+')"
        if texts.filter(f"not {digits}").limit(1).fetchall():
            continue  # some have fractions, so the column is of doubles in memory too
        if texts.filter(f"try_cast({quoted} as ubigint) is null").limit(1).fetchall():
            invalid = texts.filter(f"try_cast({quoted} as bigint) is null").project(quoted)
            largest = max((text for (text,) in invalid.limit(_MOST_LABELS).fetchall()), key=len)
            reason, hint = reason_not_a_number([], [largest], None)
            raise InputError(f"column {column!r} holds {shortened(largest)!r}{reason}.", hint=hint)
        result.append(column)
    return result


def _refuse_texts(relation: Any, column: str, decimal: str) -> None:
    """Refuse cells that are not numbers in a column of numbers, as for files read into memory."""
    quoted = _column(column)
    as_number = f"replace({quoted}, ',', '.')" if decimal == "," else quoted
    not_a_number = f"try_cast({as_number} as double) is null"
    if decimal == ",":
        not_a_number = f"({not_a_number} or contains({quoted}, '.'))"
    invalid = relation.filter(f"{quoted} is not null and {not_a_number}").project(quoted)
    texts = [text for (text,) in invalid.limit(_MOST_LABELS).fetchall()]
    if texts:
        reason, hint = reason_not_a_number(texts, texts, decimal)
        raise InputError(f"column {column!r} holds {shortened(texts[0])!r}{reason}.", hint=hint)


def _refuse_two_readings(
    relation: Any,
    column: str,
    read_as: Callable[[dict[str, str]], Any],
    *,
    in_same_order: bool,
) -> None:
    """Refuse a column of numbers such as 1.010, as for files read into memory."""
    at = relation.columns.index(column) if column in relation.columns else None
    if at is None or str(relation.types[at]) != "DOUBLE":
        return
    size = f"abs({_column(column)})"
    other = f"{size} >= 1000 or ({size} > 0 and {size} < 1)"
    rounded = f"abs({size} * 1000 - round({size} * 1000)) < 1e-6"
    if relation.filter(f"{other} or not ({rounded})").limit(1).fetchall():
        return
    cells = read_as({column: "VARCHAR"}).project(_column(column)).distinct()
    texts = [text for (text,) in cells.fetchall() if text is not None]
    text = two_readings(texts, in_same_order=in_same_order)
    if text is not None:
        raise InputError(
            f"column {column!r} holds {shortened(text)!r}, which can be read in two ways.",
            hint=advice_on_two_readings("."),
        )


def _column(name: str) -> str:
    """Return the name of a column as an SQL identifier."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _as_named(files: Sequence[str]) -> list[str]:
    """Return names that DuckDB does not interpret as patterns."""
    return [glob.escape(file) for file in files]


def _check_header(
    file: str, sep: str, decimal: str, reading: Reading, needed: Sequence[str]
) -> str | None:
    """Raise an error for a text by its first lines, as for files read into memory.

    Return the end of its header line.
    """
    if decimal == sep:
        raise InputError.of(
            "decimal",
            decimal,
            "is also the column separator; specify the separator with --sep, such as --sep ';'.",
        )
    packed = Path(file).suffix in PACKED
    if packed and Path(file).suffix != ".gz":
        return None
    read: Any = gzip.open if packed else open
    try:
        with read(
            file, "rt", encoding=reading.encoding or "utf-8-sig", errors="replace", newline=""
        ) as f:
            head = f.read(_HEAD)
            head += "" if head.endswith("\n") else f.readline(_LONGEST_LINE)
    except (LookupError, OSError, EOFError, zlib.error):  # reported when the whole file is read
        return None
    TextTable(name_of(file), head.encode(), sep, decimal).header(needed)
    ends = re.match(r'(?:[^"\r\n]|"[^"]*")*(\r\n|\n)', head)
    return ends[1] if ends else None


def _kind(file: str, name: str) -> str:
    path = Path(file)
    suffix = path.with_suffix("").suffix if path.suffix in PACKED else path.suffix
    if suffix.lower() in _PARQUET:
        return "parquet"
    if suffix.lower() in _TEXTS and path.suffix not in (".zip", ".bz2", ".xz", ".zst"):
        return "text"
    raise InputError(
        f"{name}: DuckDB reads {', '.join((*_PARQUET, *_TEXTS))} (and .gz) here, but "
        f"{shortened(path.name)!r} is none of these.",
        hint="Other files are read one at a time, without --resolution.",
    )


def _with_ordered_categories(
    relation: Any, columns: Sequence[str], categories: Sequence[str], name: str
) -> Any:
    """Return the rows with columns of ratings as ordered categories."""
    refuse_repeated_categories(categories)
    listed = ", ".join(map(_quoted, categories))
    for name_of_column in columns:
        if name_of_column not in relation.columns:
            continue  # an error of the columns
        column = _column(name_of_column)
        text = f"trim(cast({column} as varchar))"
        unknown = relation.filter(f"{text} not in ({listed})").project(text)
        for (value,) in unknown.limit(1).fetchall():
            raise InputError(
                f"{name}: column {name_of_column!r} holds {value!r}, which is not one of the "
                f"categories {', '.join(categories)}.",
                hint=f"Add --category {value!r} at its place in the order.",
            )
        relation = relation.project(f"* replace (cast({text} as enum({listed})) as {column})")
    return relation


def _labelled(relation: Any, label: str, texts: Sequence[str | None]) -> tuple[Any, list[object]]:
    """Return the rows, and the labels in them that option values spell.

    True and False in texts are booleans, as for files read into memory.
    """
    if label not in relation.columns:
        return relation, list(texts)
    column = _column(label)
    kind = str(relation.types[relation.columns.index(label)])
    if all(text is None for text in texts) and kind in _NO_TEXTS:
        return relation, list(texts)  # so that not all rows are searched
    distinct = relation.project(column).distinct().limit(_MOST_LABELS)
    values = [v for (v,) in distinct.fetchall() if v is not None]
    if values and all(isinstance(v, str) and v.lower() in ("true", "false") for v in values):
        relation = relation.project(f"* replace (lower({column}) = 'true' as {column})")
        values = [True, False]
    chosen = [
        next((v for v in values if text is not None and is_spelling_of(text, v)), text)
        for text in texts
    ]
    return relation, chosen


def _resolution_of(word: str | None) -> "Resolution":
    """Return the value of `--resolution`."""
    if word is None:
        return None
    if word == "exact":
        return "exact"
    if not re.fullmatch(r"\d{1,9}", word):
        raise InputError.of("resolution", word, "must be a number of bits, or exact.")
    return int(word)
