"""A table that the command line has read, and what its rows are called."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pauci.cli.wording import CommandWording, RowNames, shortened
from pauci.errors import InputError, Part, RowNumbers, arg

if TYPE_CHECKING:
    import pandas as pd

DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+(e[+-]?\d+)?\s*", re.IGNORECASE)
_THOUSANDS = re.compile(r"\s*[+-]?\d{1,3}([_ ,.'’]\d{3})+([.,]\d+)?\s*")
_COMMAS_OF_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")
_LARGEST_WHOLE = 2**64 - 1


@dataclass(frozen=True, eq=False)
class Data:
    """A table that was read, and what its rows are called."""

    name: str
    frame: "pd.DataFrame"
    row_names: RowNames
    decimal: str | None = None
    """The decimal mark of a text; None where numbers are kept as numbers."""

    @property
    def wording(self) -> CommandWording:
        """How messages about these data speak."""
        return CommandWording(self.row_names)

    def error(self, *parts: Any) -> InputError:
        """Return an error about these data."""
        return InputError(f"{self.name}: ", InputError(*parts).said(self.wording))

    def refuse_blank(self, option: str, column: str) -> None:
        """Refuse blank cells in a column that tells rows apart or holds counts."""
        blank = self.frame[column].isna().to_numpy().nonzero()[0]
        if blank.size:
            raise self.error(
                f"column {column!r} ({option}) is blank in ",
                RowNumbers.first(blank),
                "; every row needs it.",
            )

    def refuse_text(self, column: str) -> None:
        """Refuse cells that are no numbers in a column of numbers, and say what may be meant."""
        values = self.frame[column]
        if values.dtype.kind in "biufc" or str(values.dtype) == "category":
            return
        number = _pattern_of_numbers(self.decimal)
        texts = [
            (i, v if isinstance(v, str) else str(v))
            for i, v in enumerate(values.tolist())
            if isinstance(v, str) or (isinstance(v, int) and abs(v) > _LARGEST_WHOLE // 2)
        ]
        # Without fractions there are whole numbers of 64 bits, and with a sign one bit less.
        signed = any(v.lstrip().startswith("-") for _, v in texts)
        most = _LARGEST_WHOLE // 2 if signed else _LARGEST_WHOLE
        bad = [(i, v) for i, v in texts if not _is_number(v, number, most)]
        if not bad:
            return
        i, value = bad[0]
        raise self.error(
            f"column {column!r} holds {shortened(value)!r} in ", RowNumbers((i,)),
            f" (and text in {len(bad) - 1:,} more)" if len(bad) > 1 else "",
            *why_no_number([v for _, v in bad], self.decimal),
        )  # fmt: skip


def refuse_lists(option: str, columns: Sequence[str], available: Sequence[str]) -> None:
    """Refuse several columns in one value of an option that is given once for each."""
    for column in columns:
        names = [name.strip() for name in re.split("[,;]", column)]
        if column not in available and len(names) > 1 and set(names) & set(available):
            raise InputError(
                arg(option, column), " is not a column. Give each column an option of its own: ",
                arg(option, names), ".",
            )  # fmt: skip


def why_no_number(texts: Sequence[str], decimal: str | None) -> tuple[Part, ...]:
    """Return what the first of some texts is in place of a number, and the way out."""
    if decimal == "." and all(_COMMAS_OF_THOUSANDS.fullmatch(v) for v in texts):
        return (
            ", which can be read in two ways: if the comma separates thousands, write numbers "
            "without it; if it is a decimal comma, add ", arg("decimal", ","), ".",
        )  # fmt: skip
    if decimal == "." and all(DECIMAL_COMMA.fullmatch(v) for v in texts):
        return ", a number with a decimal comma: add ", arg("decimal", ",")
    if decimal == "," and all(_plain_float(v) for v in texts):
        return ", a number with a decimal point: leave out ", arg("decimal"), "."
    if _THOUSANDS.fullmatch(texts[0]):
        return ("; write numbers without separators of thousands.",)
    if _pattern_of_numbers(decimal).fullmatch(texts[0]):
        return (", a whole number too large to be kept exactly; divide the column.",)
    return (", which is no number; a missing value is a blank cell or NA.",)


def _pattern_of_numbers(decimal: str | None) -> re.Pattern[str]:
    mark = re.escape(decimal or ".")
    return re.compile(rf"\s*[+-]?(\d+({mark}\d*)?|{mark}\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)


def _is_number(text: str, number: re.Pattern[str], most: int) -> bool:
    if text.strip().lower().lstrip("+-") in ("inf", "infinity"):
        return True  # refused later, as infinite
    if not number.fullmatch(text):
        return False
    digits = text.strip().lstrip("+-")
    return not digits.isdigit() or len(digits) < 19 or int(digits[:30]) <= most


def _plain_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def spells(text: str, value: object) -> bool:
    """Tell whether a word of the command line names a label that was parsed."""
    if str(value) == text or (isinstance(value, bool) and str(value) == text.capitalize()):
        return True
    try:
        return isinstance(value, (int, float)) and float(text) == value
    except ValueError:
        return False
