"""The memory that reading a file may take, and the contents of compressed files within it.

Files of the command line are limited by the memory of the computer. Uploads of `pauci app` have a
fixed room, so that none of them stops the app, whatever they contain.
"""

import bz2
import gzip
import io
import lzma
import math
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from pauci.errors import InputError

_PART = 2**20

_OF_CELL, _OF_ROW, _OF_COLUMN = 8, 110, 5000
"""Numbers of bytes of cells, rows and columns of a table and the analysis of two of its columns."""

_OF_ARROW = 40
"""Number of bytes of a cell of Parquet or Feather while it is read."""

_OF_ELEMENT = 120
"""Number of bytes of an element of XML, as parsers keep it."""


@dataclass(frozen=True)
class FileContent:
    """A file whose bytes are in memory, and how many bytes of memory reading it may take."""

    name: str
    content: bytes = field(repr=False)
    room: float = math.inf

    @property
    def suffix(self) -> str:
        """The end of the name from its last dot, in lower case."""
        return Path(self.name).suffix.lower()

    def check(self, needed: float, size: str) -> None:
        """Raise an error if more memory is needed; `size` is that of the file, in words."""
        if needed > self.room:
            raise InputError(
                f"reading {size} takes more than {self.room / 1e6:,.0f} MB of memory, the limit of "
                "an upload.",
                hint="Start the app with it: pauci app FILE.",
            )

    def check_table(self, rows: float, columns: float, reading: float) -> None:
        """Raise an error if a table needs more while it is read, or when it is analyzed."""
        analysis = rows * (_OF_ROW + columns * _OF_CELL) + columns * _OF_COLUMN
        self.check(max(reading, analysis), f"{rows:,} rows and {columns:,} columns")

    def check_archive(self) -> None:
        """Raise an error if the parts of a spreadsheet, which is an archive of XML, need more.

        No more than the stated size of a part is ever unpacked.
        """
        if self.room == math.inf or not self.content.startswith(b"PK"):
            return
        with zipfile.ZipFile(io.BytesIO(self.content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
            self.check(size + len(self.content), f"{size / 1e6:,.0f} MB of unpacked XML")
            elements = 0
            for part in archive.infolist():
                with archive.open(part) as stream:
                    while text := stream.read(_PART):
                        elements += text.count(b"<") - text.count(b"</")
            self.check(size + elements * _OF_ELEMENT, f"{elements:,} elements of XML")


# Files that state their sizes


def check_parquet(file: FileContent) -> None:
    """Check a file of Parquet, in which a text may be stored once for many rows."""
    import pyarrow as pa
    from pyarrow import compute, parquet

    schema = parquet.read_schema(io.BytesIO(file.content))
    is_text = pa.types.is_string, pa.types.is_large_string, pa.types.is_binary
    texts = [field.name for field in schema if any(test(field.type) for test in is_text)]
    stored = parquet.ParquetFile(io.BytesIO(file.content), read_dictionary=texts)
    groups = [stored.metadata.row_group(i) for i in range(stored.num_row_groups)]
    n_bytes = len(file.content) + sum(group.total_byte_size for group in groups)
    n_bytes += _OF_ARROW * stored.metadata.num_rows * len(schema)
    file.check_table(stored.metadata.num_rows, len(schema), n_bytes)
    for batch in stored.iter_batches(columns=texts) if texts and file.room < math.inf else ():
        for column in batch.columns:
            lengths = compute.binary_length(column.dictionary).take(column.indices)
            n_bytes += compute.sum(lengths).as_py() or 0
            file.check(n_bytes, f"{n_bytes / 1e6:,.0f} MB of texts")


def check_feather(file: FileContent) -> None:
    """Check a file of Feather."""
    import pyarrow as pa
    from pyarrow import dataset

    part = dataset.FeatherFileFormat().make_fragment(pa.py_buffer(file.content))
    rows, columns = part.count_rows(), len(part.physical_schema)
    file.check_table(rows, columns, len(file.content) + _OF_ARROW * rows * columns)


def check_sas(file: FileContent) -> None:
    """Check a file of SAS."""
    import pandas as pd

    form: Any = "xport" if file.content.startswith(b"HEADER RECORD") else "sas7bdat"
    with pd.read_sas(io.BytesIO(file.content), format=form, iterator=True) as reader:
        stated: Any = reader
        names = ("nobs", "record_length") if form == "xport" else ("row_count", "row_length")
        rows, width = (getattr(stated, name) for name in names)
        file.check_table(rows, len(stated.columns), 2 * rows * width + len(file.content))


# Compressed files


def _zip(stream: IO[bytes]) -> IO[bytes]:
    archive = zipfile.ZipFile(stream)
    members = [
        m for m in archive.namelist() if not m.endswith("/") and not m.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        raise ValueError(f"it contains {len(members)} files; unpack it first")
    return archive.open(members[0])


def _zstd(stream: IO[bytes]) -> Any:
    import pyarrow  # zstandard, which pandas uses, reads a truncated file without an error

    return pyarrow.CompressedInputStream(stream, "zstd")


_OPENERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": _zstd,
    b"PK\x03\x04": _zip,
}
"""Functions that open compressed files, by the first bytes of the files."""

_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ValueError)

LARGEST = 4 * 10**9
"""Largest number of bytes of an unpacked file."""


def unpacked(file: FileContent) -> FileContent:
    """Return a file that may be compressed with its unpacked content."""
    name, content = file.name, file.content
    opener = next((o for start, o in _OPENERS.items() if content.startswith(start)), None)
    if opener is None or file.suffix in (".xlsx", ".xlsm", ".ods", ".xls"):
        return file
    whole, size = io.BytesIO(), 0
    try:
        with opener(io.BytesIO(content)) as stream:
            while size <= LARGEST and (part := stream.read(_PART)):
                size += whole.write(part)
                needed = len(content) + 2 * size
                file.check(needed, f"{size / 1e6:,.0f} MB and more, unpacked,")
    except InputError as error:
        raise error.replaced(where=f"file {name!r}") from None
    except _DAMAGED as error:
        raise InputError(f"file {name!r} cannot be unpacked: {error}.") from None
    if size > LARGEST:
        raise InputError(f"file {name!r} is larger than {LARGEST / 1e9:g} GB when unpacked.")
    name = re.sub(r"\.(?:gz|bz2|xz|zst|zip)$", "", name, flags=re.IGNORECASE)
    return replace(file, name=name, content=whole.getvalue())
