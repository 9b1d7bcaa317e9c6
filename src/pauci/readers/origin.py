"""Where readings stand in what was passed, so that messages name the rows that users have."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from pauci.checks import IntArray
from pauci.errors import InputError, InputTypeError, Part, RowNumbers


class Origin(NamedTuple):
    """The row, or line of a file, that each reading was taken from."""

    rows: IntArray
    noun: str = "row"


@contextmanager
def telling_rows(origin: Origin | None) -> Iterator[None]:
    """Have messages name the rows that readings were taken from, not those of the readings."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        if origin is None:
            raise
        parts = [_taken_from(part, origin) for part in error.parts]
        raise type(error)(*parts, argument=error.argument, value=error.value) from None


def _taken_from(part: Part, origin: Origin) -> Part:
    if not isinstance(part, RowNumbers):
        return part
    rows = dict.fromkeys(int(origin.rows[position]) for position in part.positions)
    return RowNumbers(tuple(rows), part.more, origin.noun)


def row_named_by(error: InputError | InputTypeError) -> int | None:
    """Return the first row that a message names, if it names any."""
    for part in error.parts:
        if isinstance(part, RowNumbers):
            return part.positions[0]
    return None
