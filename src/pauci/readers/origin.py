"""Where readings stand in what was passed, so that messages name the rows that users have."""

from contextlib import AbstractContextManager
from typing import NamedTuple

from pauci.checks import IntArray
from pauci.errors import InputError, InputTypeError, RowNumbers, naming_rows


class Origin(NamedTuple):
    """The row, or line of a file, that each reading was taken from."""

    rows: IntArray
    noun: str = "row"


def telling_rows(origin: Origin | None) -> AbstractContextManager[None]:
    """Have messages name the rows that readings were taken from, not those of the readings."""

    def taken_from(part: RowNumbers) -> RowNumbers:
        assert origin is not None
        rows = dict.fromkeys(int(origin.rows[position]) for position in part.positions)
        return RowNumbers(tuple(rows), part.more, origin.noun)

    return naming_rows(None if origin is None else taken_from)


def row_named_by(error: InputError | InputTypeError) -> int | None:
    """Return the first row that a message names, if it names any."""
    for part in error.parts:
        if isinstance(part, RowNumbers):
            return part.positions[0]
    return None
