"""Compressed files: what is inside, up to a limit, whatever their names say."""

import bz2
import gzip
import io
import lzma
import math
import zipfile
import zlib
from typing import IO

from pauci.cli.wording import shortened
from pauci.errors import InputError, arg

PACKED = (".gz", ".bz2", ".xz", ".zip")
"""Suffixes of compressed files."""

LARGEST_UNPACKED = 2.0
"""Gigabytes that a compressed file may hold, unless the user allows for more."""

_DEEPEST = 3
"""How often a file may be compressed again."""

_CHUNK = 2**20

_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""What unpacking a damaged file raises."""


def unpacked(raw: bytes, name: str, limit: float | None = None) -> bytes:
    """Return the bytes of a file that may be compressed; `limit` is in gigabytes."""
    largest = LARGEST_UNPACKED if limit is None else limit
    if not (math.isfinite(largest) and largest > 0.0):
        raise InputError(arg("unpack_limit", largest), " must be a number of gigabytes above 0.")
    for _ in range(_DEEPEST):
        try:
            if raw[:2] == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
                    raw = _read(stream, name, largest)
            elif raw[:3] == b"BZh" and raw[4:10] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
                with bz2.BZ2File(io.BytesIO(raw)) as stream:
                    raw = _read(stream, name, largest)
            elif raw[:6] == b"\xfd7zXZ\x00":
                with lzma.LZMAFile(io.BytesIO(raw)) as stream:
                    raw = _read(stream, name, largest)
            elif raw[:4] == b"PK\x03\x04" and not is_excel(raw):
                raw = _only_member(raw, name, largest)
            else:
                break
        except (*_DAMAGED, ValueError, RuntimeError) as error:
            if isinstance(error, InputError):
                raise
            raise _damaged(name, error) from None
    if is_excel(raw):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if sum(member.file_size for member in archive.infolist()) > largest * 1e9:
                raise _too_large(name, largest)
    return raw


def check_gzip(file: str, name: str) -> None:
    """Refuse a damaged .gz file that DuckDB is to unpack, which checks no sums."""
    try:
        with gzip.open(file) as stream:
            while stream.read(_CHUNK):
                pass
    except _DAMAGED as error:
        raise _damaged(name, error) from None


def _damaged(name: str, error: Exception) -> InputError:
    return InputError(f"{name} is compressed and cannot be unpacked: {error}.")


def _read(stream: IO[bytes] | gzip.GzipFile, name: str, largest: float) -> bytes:
    """Return all of a stream; one that goes on is not read to its end."""
    taken = io.BytesIO()
    while chunk := stream.read(_CHUNK):
        taken.write(chunk)
        if taken.tell() > largest * 1e9:
            raise _too_large(name, largest)
    return taken.getvalue()


def _too_large(name: str, largest: float) -> InputError:
    return InputError(
        f"{name} holds more than {largest:g} GB once it is unpacked. If that is meant and there is "
        "enough memory, raise the limit with ",
        arg("unpack_limit"),
        "; of .gz files DuckDB reads a part at a time, with ",
        arg("resolution", "exact"),
        ".",
    )


def _only_member(raw: bytes, name: str, largest: float) -> bytes:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = [
            m for m in archive.namelist() if not m.endswith("/") and not m.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            held = ", ".join(repr(shortened(m)) for m in members[:5]) or "nothing"
            raise InputError(f"{name} must hold one file, and holds {held}; unpack it first.")
        with archive.open(members[0]) as member:
            return _read(member, name, largest)


def is_excel(raw: bytes) -> bool:
    """Tell whether a file is a workbook of Excel, which is an archive of several."""
    if raw[:4] != b"PK\x03\x04":
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return "[Content_Types].xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False
