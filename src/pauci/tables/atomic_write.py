"""Atomic writing of files: a file is written completely or not at all."""

import contextlib
import os
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from pathlib import Path


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
    from pathlib import Path  # on use: importing the package takes less time without it

    try:
        target = Path(os.path.realpath(path))
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
        with trial.open("xb"):
            pass
        trial.unlink()
    except (OSError, ValueError) as error:
        raise _unwritable(path, argument, error) from None


def _unwritable(path: Any, argument: str, error: Exception) -> InputError:
    """Return an error with the reason why a path cannot be written."""
    if isinstance(error, InputError):
        return error
    reason = getattr(error, "strerror", None) or str(error)
    return InputError.of(argument, str(path), f"cannot be written: {reason}.")


def check_suffix(path: Any, argument: str, suffix: str) -> None:
    """Raise an error for the path of a document that ends in another suffix, such as .doc."""
    if isinstance(path, (str, os.PathLike)) and not str(path).lower().endswith(suffix):
        raise InputError.of(
            argument, str(path), f"must end in {suffix}, the format that is written."
        )


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
        _write_to(path, content, argument)
        return
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError.of(
            argument, path, "must be a path, such as 'table.docx', or a file object."
        )
    try:
        from pathlib import Path

        target = Path(os.path.realpath(path))
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
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        raise _unwritable(path, argument, error) from None


def _write_to(stream: Any, content: bytes, argument: str) -> None:
    """Write to an open file, which must be binary."""
    try:
        stream.write(content)
    except TypeError:
        raise InputTypeError.of(
            argument,
            stream,
            "is a file of text; a document is binary.",
            hint="Open it in mode 'wb', or use io.BytesIO().",
        ) from None


def _temporary_path(target: "Path") -> "Path":
    """Return the path of a new file in the same directory."""
    return target.with_name(f".pauci-{os.urandom(8).hex()}.part")
