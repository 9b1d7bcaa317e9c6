"""Files of SPSS and Stata, read with pyreadstat.

Cells are the numbers that are stored. Value labels name them: ``--positive yes`` selects the number
whose label is yes, and columns that name groups, classifiers, readers and modalities have the
labels. SPSS and Stata let users declare values as missing, such as 9 for "unknown". They are
treated as missing, which a warning states, unless ``--user-missing values`` is used.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any

from pauci.cli.data import Data
from pauci.cli.options import Reading
from pauci.cli.shell_syntax import shortened
from pauci.errors import InputError, install_advice, numbered

_SPSS = (b"$FL2", b"$FL3")
_OLD_STATA = (0x69, 0x74)
_MOST_SHOWN = 5


def is_spss(raw: bytes) -> bool:
    """Return whether the first bytes are those of a file of SPSS."""
    return raw[:4] in _SPSS


def is_stata(raw: bytes) -> bool:
    """Return whether the first bytes are those of a file of Stata."""
    old = raw[1:3] in (b"\x01\x01", b"\x02\x01") and raw[3:4] == b"\x00"
    return raw.startswith(b"<stata_dta>") or (old and raw[0] in range(*_OLD_STATA))


def statistical_file(raw: bytes, name: str, reading: Reading, needed: Sequence[str]) -> Data:
    """Return the table in a file of SPSS or Stata."""
    program = "SPSS" if is_spss(raw) else "Stata"
    frame, labels = _read(raw, name, program, user_missing=False)
    declared: dict[str, dict[Any, int]] = {}
    if reading.user_missing != "missing":
        stored, _ = _read(raw, name, program, user_missing=True)
        declared = _declared(frame, stored, [c for c in frame if list(frame).count(c) == 1])
    if reading.user_missing == "values":
        if program == "Stata" and declared.keys() & set(needed):
            raise InputError.of(
                "user_missing",
                reading.user_missing,
                f"does not apply to {name}: missing values of Stata, such as .a, are no numbers.",
                hint="Use --user-missing missing.",
            )
        frame = stored if program == "SPSS" else frame
        declared = {}
    for column in frame:
        frame[column] = _as_in_text(frame[column])
    return Data(
        name,
        frame,
        lambda positions, _: numbered([p + 1 for p in positions], "row"),
        value_labels=labels,
        declared={
            column: _listed(counts, labels.get(column, {})) for column, counts in declared.items()
        },
    )


def _read(
    raw: bytes, name: str, program: str, *, user_missing: bool
) -> tuple[Any, dict[str, dict[Any, str]]]:
    """Return the cells, and the labels of values by column."""
    try:
        import pyreadstat
    except ModuleNotFoundError:
        raise InputError(
            f"{name} is a file of {program}, and reading it requires pyreadstat.",
            hint=install_advice("spss"),
        ) from None
    function = pyreadstat.read_sav if program == "SPSS" else pyreadstat.read_dta
    try:
        frame, meta = function(io.BytesIO(raw), user_missing=user_missing)
    except Exception as error:  # pyreadstat raises errors of many types
        raise InputError(f"{name} cannot be read as a file of {program}: {error}.") from None
    return frame, dict(meta.variable_value_labels)


def _declared(frame: Any, stored: Any, columns: Sequence[str]) -> dict[str, dict[Any, int]]:
    """Return the values of columns that are declared as missing, with their numbers of rows."""
    found = {}
    for column in columns:
        values = stored[column][frame[column].isna() & stored[column].notna()]
        if frame[column].dtype.kind == "f" or (values != "").any():
            found[column] = values.value_counts(sort=False).to_dict()
    return {column: counts for column, counts in found.items() if counts}


def _listed(counts: Mapping[Any, int], labels: Mapping[Any, str]) -> str:
    """Return values with their labels and their numbers of rows."""
    shown = [
        f"{_written(v)}{_meaning(labels.get(v))} in {n:,} row{'s' * (n != 1)}"
        for v, n in list(counts.items())[:_MOST_SHOWN]
    ]
    return ", ".join(shown) + ", ..." * (len(counts) > _MOST_SHOWN)


def _written(value: Any) -> str:
    """Return a value as SPSS and Stata show it."""
    if isinstance(value, str) and len(value) == 1 and value.isalpha():
        return f".{value}"  # an extended missing value of Stata
    return f"{value:g}" if isinstance(value, float) else shortened(str(value))


def _meaning(label: str | None) -> str:
    return "" if label is None else f" ({shortened(label)})"


def _as_in_text(values: Any) -> Any:
    """Return whole numbers as such, and blank texts as missing, as they are read from a text."""
    if values.dtype.kind == "f":
        whole = values.notna().all() and (values == values.round()).all()
        return values.astype("int64") if whole and (values.abs() < 2**53).all() else values
    return values if values.dtype.kind in "iub" else values.mask(values == "")
