"""Files that the command line reads: text of any separator, Parquet, Excel, SPSS, Stata.

Files may be compressed. The format of a file is recognized by its first bytes. The separator, the
decimal mark and the encoding of a text are never guessed: where another choice fits, the message
proposes it.
"""

import bz2
import gzip
import io
import lzma
import math
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any

from pauci.cli.data import Data, TextTable, refuse_repeated
from pauci.cli.excel_files import excel_text, is_excel
from pauci.cli.options import LARGEST_UNPACKED, Reading
from pauci.cli.shell_syntax import shortened
from pauci.cli.statistical_files import is_spss, is_stata, statistical_file
from pauci.cli.where import Condition, selected, state_in_output
from pauci.cli.written_numbers import thousands_mark
from pauci.datasets import bundled_files
from pauci.errors import InputError, install_advice, numbered

READ = "text with a header line (CSV, TSV), Excel (.xlsx), Parquet, SPSS (.sav) or Stata (.dta)"
"""The files that the command line reads."""

_SPELLED = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}
_TAB_SUFFIXES = (".tsv", ".tab")
_OF_FORMATS = ("sep", "decimal", "thousands", "encoding", "sheet", "header_row", "user_missing")
"""Options that do not apply to files of every format."""


@dataclass(frozen=True)
class FileContent:
    """A file whose bytes are in memory, such as an upload."""

    name: str
    content: bytes = field(repr=False)

    @classmethod
    def of(cls, path: str) -> "FileContent":
        """Read the bytes of a file."""
        return cls(Path(path).name, _bytes(path, name_of(path)))


def read(
    file: str | FileContent,
    reading: Reading,
    needed: Sequence[str],
    codes: Mapping[str, Sequence[str]] | None = None,
) -> Data:
    """Read the rows of a file, or of standard input, that satisfy the conditions.

    `needed` are the columns that will be used, and `codes` the words that mean a missing value in
    columns of numbers. The number of rows is stated in the output of the command.
    """
    conditions = [Condition.parse(text) for text in reading.where]
    columns = list(dict.fromkeys([*needed, *(c.column for c in conditions)]))
    path, name = file.name if isinstance(file, FileContent) else file, name_of(file)
    data = _table_in(_bytes(file, name), path, name, reading, columns, codes or {})
    chosen, statement = selected(data, conditions)
    state_in_output(path, statement)
    return chosen


def _table_in(
    stored: bytes,
    path: str,
    name: str,
    reading: Reading,
    needed: Sequence[str],
    codes: Mapping[str, Sequence[str]],
) -> Data:
    """Return the table in the bytes of a file, whose format is recognized by the first of them."""
    _refuse_foreign_file(stored, name)  # also before: an OpenDocument file is an archive
    raw = _unpacked(stored, name, reading.unpack_limit)
    if raw[:4] == b"PAR1":
        refuse_options(reading, f"{name}, which is a Parquet file")
        return _parquet(raw, name, needed)
    if is_spss(raw) or is_stata(raw):
        options = [option for option in _OF_FORMATS if option != "user_missing"]
        refuse_options(reading, f"{name}, which is a file of SPSS or Stata", options)
        return statistical_file(raw, name, reading, needed)
    if is_excel(raw):
        options = ["sep", "encoding", "user_missing"]
        refuse_options(reading, f"{name}, which is an Excel file", options)
        _check_header_row(reading.header_row)
        decimal, thousands = _marks(reading)
        text, numbers = excel_text(raw, name, reading, decimal)
        table = TextTable(name, text, ",", decimal, "row", numbers)
        return _with_marks(table, reading, thousands).data(needed, codes)
    if raw[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise InputError(f"{name} is an old or protected Excel file; save it as .xlsx or .csv.")
    _refuse_foreign_file(raw, name)
    refuse_options(reading, f"{name}, which is a text file", ["sheet", "user_missing"])
    sep, decimal = text_format(path, reading)
    text = _in_utf8(raw, name, reading.encoding)
    _check_header_row(reading.header_row)
    above = (reading.header_row or 1) - 1
    table = TextTable(name, _below(text, above), sep, decimal, above=above)
    return _with_marks(table, reading, _marks(reading)[1]).data(needed, codes)


def _with_marks(table: TextTable, reading: Reading, thousands: str | None) -> TextTable:
    """Return a table with a mark between thousands."""
    stated = reading.decimal is not None or thousands is not None
    return replace(table, thousands=thousands, marks_stated=stated)


def _marks(reading: Reading) -> tuple[str, str | None]:
    """Return the decimal mark, and the name of the mark between thousands."""
    if reading.decimal not in (None, ".", ","):
        raise InputError.of("decimal", reading.decimal, "must be '.' or ','.")
    if reading.thousands is None:
        return reading.decimal or ".", None
    thousands = thousands_mark(reading.thousands)
    if thousands is None:
        raise InputError.of(
            "thousands", reading.thousands, "must be one of: . , _ space apostrophe."
        )
    decimal: str = reading.decimal or ("," if thousands == "." else ".")
    if decimal == thousands:
        raise InputError.of("thousands", reading.thousands, "is also the decimal mark.")
    return decimal, thousands


def _check_header_row(row: int | None) -> None:
    if row is not None and row < 1:
        raise InputError.of("header_row", row, "must be at least 1, the first row.")


def _below(text: bytes, lines: int) -> bytes:
    """Return a text without its first lines."""
    if not lines:
        return text
    ends = islice(re.finditer(rb"\r\n|\n|\r", text), lines - 1, None)
    end = next(ends, None)
    return b"" if end is None else text[end.end() :]


def text_format(file: str | FileContent, reading: Reading) -> tuple[str, str]:
    """Return the separator and the decimal mark of a text."""
    path = file.name if isinstance(file, FileContent) else file
    tabs = any(suffix in _TAB_SUFFIXES for suffix in Path(path).suffixes[-2:])
    sep = _separator(reading.sep) if reading.sep is not None else "\t" if tabs else ","
    return sep, _marks(reading)[0]


def name_of(file: str | FileContent) -> str:
    """Return the name of a file in messages."""
    if isinstance(file, FileContent):
        return f"file {shortened(file.name)!r}"
    if file == "-":
        return "standard input"
    examples = {str(path): f"example:{name}" for name, path in bundled_files().items()}
    return f"file {shortened(examples.get(file, file))!r}"


def refuse_options(reading: Reading, subject: str, options: Sequence[str] = _OF_FORMATS) -> None:
    """Raise an error for options that do not apply to the format of the file."""
    for option in options:
        if getattr(reading, option) is not None:
            raise InputError.about(option, f"does not apply to {subject}.")


def _separator(word: str) -> str:
    character = _SPELLED.get(word.lower(), word)
    if (
        len(character) != 1
        or not character.isascii()
        or character.isalnum()
        or character in '"\r\n'
    ):
        raise InputError.of(
            "sep", word, "must be one character, such as ';', or one of: tab, space."
        )
    return character


def _bytes(file: str | FileContent, name: str) -> bytes:
    if isinstance(file, FileContent):
        return file.content
    if file == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed.")
        stream = getattr(sys.stdin, "buffer", None)
        raw: bytes = sys.stdin.read().encode() if stream is None else stream.read()
        return raw
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", file):
        raise InputError(f"{name} is a URL; download the file first.")
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name} does not exist; check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{name} cannot be read: {reason}.") from None


def _parquet(raw: bytes, name: str, needed: Sequence[str]) -> Data:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise InputError(
            f"{name} is a Parquet file, and reading it requires pyarrow.",
            hint=install_advice("parquet"),
        ) from None
    try:
        table = parquet.read_table(pyarrow.BufferReader(raw))
        frame = table.to_pandas()
    except (pyarrow.ArrowException, OSError, ValueError, TypeError) as error:
        raise InputError(f"{name} cannot be read as Parquet: {error}.") from None
    if any(n is not None for n in frame.index.names):
        frame = frame.reset_index()
    frame.columns = [str(c) for c in frame.columns]  # options name columns by strings
    refuse_repeated([str(c) for c in table.column_names], needed, name)
    return Data(name, frame, lambda positions, _: numbered([p + 1 for p in positions], "row"))


def _in_utf8(raw: bytes, name: str, encoding: str | None) -> bytes:
    """Return a text in UTF-8, without a byte order mark."""
    if encoding is None and b"\x00" in raw:
        wide = _wide_encoding(raw)
        if wide is None:
            raise _not_text(name)
        raise InputError(
            f"{name} looks like {wide[: len('utf-16')].upper()}.", hint=f"Try --encoding {wide}."
        )
    try:
        text = raw.decode(encoding or "utf-8")
    except LookupError:
        raise InputError.of(
            "encoding", encoding, "is not known; try utf-8, cp1252, latin-1 or utf-16."
        ) from None
    except (UnicodeError, ValueError) as error:
        at = getattr(error, "start", 0)
        line = raw[:at].count(b"\n") + 1
        raise InputError(
            f"{name} is not text in {encoding or 'utf-8'} (line {line}).",
            hint=f"Try --encoding {_other_encoding(raw)}.",
        ) from None
    if encoding is not None:
        try:
            raw = text.encode()
        except UnicodeError:
            raise InputError(
                f"{name} is not text in {encoding}.",
                hint=f"Try --encoding {_other_encoding(raw)}.",
            ) from None
    if b"\x00" in raw:
        raise InputError(
            f"{name} cannot be read as text: it contains null bytes. Accepted: {READ}."
        )
    return raw.removeprefix("\ufeff".encode())


_WIDE_MARKS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order marks; those of UTF-32 begin with those of UTF-16."""

_NULLS_OF_WIDE = {
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}
"""Which of four bytes are null in most characters."""


def _wide_encoding(raw: bytes) -> str | None:
    """Return the encoding of a text with several bytes per character, or None."""
    for mark, encoding in _WIDE_MARKS.items():
        if raw.startswith(mark):
            return encoding
    nulls = [raw[i::4].count(0) > len(raw) // 8 for i in range(4)]
    return _NULLS_OF_WIDE.get((nulls[0], nulls[1], nulls[2], nulls[3]))


def _not_text(name: str) -> InputError:
    return InputError(f"{name} cannot be read as text: it contains null bytes. Accepted: {READ}.")


def _other_encoding(raw: bytes) -> str:
    """Return an encoding that may be the right one for bytes that are not UTF-8."""
    try:
        raw.decode("utf-8")
    except UnicodeError:
        pass
    else:
        return "utf-8"
    try:
        raw.decode("cp1252")
    except UnicodeError:
        return "latin-1"
    return "cp1252"


# Compressed files

PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst")
"""Suffixes of compressed files."""

_DEEPEST = 3
"""Largest number of nested compressions."""

_CHUNK = 2**20


def _unpacked(raw: bytes, name: str, limit: float | None) -> bytes:
    """Return the bytes of a file that may be compressed; `limit` is in gigabytes."""
    largest = LARGEST_UNPACKED if limit is None else limit
    if not (math.isfinite(largest) and largest > 0.0):
        raise InputError.of("unpack_limit", largest, "must be a number of gigabytes above 0.")
    for _ in range(_DEEPEST):
        opened = next((o for start, o in _OPENERS.items() if re.match(start, raw)), None)
        if opened is None or is_excel(raw):
            break
        try:
            with opened(io.BytesIO(raw)) as stream:
                raw = _read_up_to(stream, name, largest)
        except ModuleNotFoundError:
            raise InputError(
                f"{name} is compressed by zstd, and reading it requires pyarrow.",
                hint=install_advice("parquet"),
            ) from None
        except _DAMAGED as error:
            if isinstance(error, InputError):
                raise
            raise _damaged(name, error) from None
    if is_excel(raw):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if sum(member.file_size for member in archive.infolist()) > largest * 1e9:
                raise _too_large(name, largest)
    return raw


def _open_zip(file: IO[bytes]) -> IO[bytes]:
    archive = zipfile.ZipFile(file)
    members = [
        member
        for member in archive.namelist()
        if not member.endswith("/") and not member.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        held = ", ".join(repr(shortened(m)) for m in members[:5]) or "nothing"
        raise ValueError(f"it must contain one file, but contains {held}; unpack it first")
    return archive.open(members[0])


def _open_zstd(file: IO[bytes]) -> Any:
    import pyarrow  # zstandard, which pandas uses, reads a truncated file without an error

    return pyarrow.CompressedInputStream(file, "zstd")


_OPENERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    rb"\x1f\x8b": gzip.open,
    rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)": bz2.open,
    rb"\xfd7zXZ\x00": lzma.open,
    rb"\x28\xb5\x2f\xfd": _open_zstd,
    rb"PK\x03\x04": _open_zip,
}
"""Functions that open compressed files, by the first bytes of the files."""

_DAMAGED = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    ValueError,
    RuntimeError,
)
"""Errors of damaged files; pyarrow's are among them."""


def _read_up_to(stream: IO[bytes], name: str, largest: float) -> bytes:
    """Return the content of a stream; raise an error if it exceeds the limit."""
    content = io.BytesIO()
    while chunk := stream.read(_CHUNK):
        content.write(chunk)
        if content.tell() > largest * 1e9:
            raise _too_large(name, largest)
    return content.getvalue()


def check_gzip(file: str, name: str) -> None:
    """Refuse a damaged .gz file that DuckDB would read, which does not verify checksums."""
    try:
        with gzip.open(file) as stream:
            while stream.read(_CHUNK):
                pass
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(name, error) from None


def _damaged(name: str, error: Exception) -> InputError:
    return InputError(f"{name} is compressed and cannot be unpacked: {error}.")


def _too_large(name: str, largest: float) -> InputError:
    return InputError(
        f"{name} is larger than {largest:g} GB when it is unpacked.",
        hint="If this is intended and there is enough memory, raise the limit with "
        "--unpack-limit. DuckDB reads .gz files in parts, with --resolution exact.",
    )


# Files of other programs

_PANDAS = "save it as CSV, or in Python: pandas.{}({!r}).to_csv('data.csv', index=False)"

_SIGNATURES: tuple[tuple[int, bytes, str, str], ...] = (
    (12, b"\xc2\xea\x81\x60\xb3\x14", "a SAS file", _PANDAS.format("read_sas", "data.sas7bdat")),
    (0, b"HEADER RECORD*******", "a SAS transport file", _PANDAS.format("read_sas", "data.xpt")),
    (0, b"X\n\x00\x00\x00", "an R file (.rds)", "in R: write.csv(readRDS('data.rds'), 'data.csv')"),
    (0, b"RDX", "an R file (.RData)", "in R load it, and write.csv the data frame"),
    (0, b"ARROW1", "an Arrow file", _PANDAS.format("read_feather", "data.arrow")),
    (0, b"FEA1", "a Feather file", _PANDAS.format("read_feather", "data.feather")),
    (0, b"ORC", "an ORC file", _PANDAS.format("read_orc", "data.orc")),
    (0, b"Obj\x01", "an Avro file", "save it as Parquet"),
    (0, b"\x89HDF\r\n", "an HDF5 file", "write its table as CSV or Parquet"),
    (0, b"MATLAB 5.0 MAT-file", "a MATLAB file", "in MATLAB: writetable(T, 'data.csv')"),
    (0, b"\x93NUMPY", "a NumPy array", "in Python use pauci.Sample with the array"),
    (0, b"SQLite format 3\x00", "an SQLite database", "export its table as CSV"),
    (8, b"DUCK", "a DuckDB database", "in DuckDB: COPY t TO 'data.parquet', t being its table"),
    (30, b"mimetypeapplication/vnd.oasis", "an OpenDocument file", "save it as .xlsx or .csv"),
    (0, b"%PDF-", "a PDF file", "save the table that it shows as .xlsx or .csv"),
    (0, b"{\\rtf", "a rich text file", "save the table that it shows as .xlsx or .csv"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first"),
    (0, b"Rar!\x1a\x07", "a RAR archive", "unpack it first"),
)
"""Position and content of the first bytes of a file, its format, and what to do."""

_PICKLES = {b"\x80" + bytes([version]) for version in (2, 3, 4, 5)}


def _refuse_foreign_file(raw: bytes, name: str) -> None:
    """Raise an error if the bytes of a file are those of an unsupported format."""
    for place, signature, description, advice in _SIGNATURES:
        if raw[place : place + len(signature)] == signature:
            raise InputError(
                f"{name} is {description}, which cannot be read; {advice}. Accepted: {READ}."
            )
    if raw[:2] in _PICKLES and raw.rstrip(b"\n")[-1:] == b".":
        raise InputError(
            f"{name} is a pickle of Python, which cannot be read; write the data frame with "
            f"to_csv or to_parquet. Accepted: {READ}."
        )
