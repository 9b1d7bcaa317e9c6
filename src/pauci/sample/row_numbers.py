"""Row numbers of the user's data in errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pauci.errors import InputError, InputTypeError


@contextmanager
def original_row_numbers(origin: Any, noun: str | None = None) -> Iterator[None]:
    """Convert the row numbers of errors to row numbers of the user's data.

    Parameters
    ----------
    origin : array of int or None
        The row of the user's data from which each row was taken; None if they are the same. If it
        is empty, the rows have no numbers in the user's data, and row numbers are omitted.
    noun : str, optional
        The noun for rows of the user's data, if not "row".
    """
    try:
        yield
    except (InputError, InputTypeError) as error:
        if origin is None:
            raise
        rows = [int(origin[i]) for i in error.rows] if len(origin) else []
        converted = error.replaced(rows=tuple(dict.fromkeys(rows)), row_noun=noun or error.row_noun)
        raise converted from None


def lines_of(frame: Any) -> tuple[Any, str | None]:
    """Return the lines or rows of a file that are the index of a frame, and their noun.

    They are the index of frames of `pauci.read_table`; other frames have row numbers (None).
    """
    index: Any = getattr(frame, "index", None)
    if "read_as" not in getattr(frame, "attrs", {}) or getattr(index, "name", None) is None:
        return None, None
    return index.to_numpy(), str(index.name)
