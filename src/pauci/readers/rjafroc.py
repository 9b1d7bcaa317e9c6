"""Marks with places in the Excel format of RJafroc: the sheets Truth, TP (or LL) and FP (or NL)."""

import os
from typing import Any, NamedTuple

import numpy as np

from pauci.errors import InputError, InputTypeError, install_advice
from pauci.readers.read_data import name_of

_SHEETS = {"truth": ("truth",), "hits": ("tp", "ll"), "false": ("fp", "nl")}
_IDS = {"readerid": "reader", "modalityid": "modality", "caseid": "case", "lesionid": "lesion"}
_KINDS = {"ROC": "ROC", "FROC": "wAFROC", "LROC": "LROC"}


class RjafrocFrames(NamedTuple):
    """The frames that `ReaderStudy.from_marks` takes, and the kind for the paradigm of the file."""

    marks: Any
    cases: Any
    read: Any
    weights: str
    kind: str


def frames_of_rjafroc(path: Any) -> RjafrocFrames:
    """Return the marks, the cases with their lesions, and who read which case."""
    import pandas as pd

    sheets = _sheets(path)
    truth, hits, false = (_sheet(sheets, names, path) for names in _SHEETS.values())
    paradigm = truth.pop("paradigm") if "paradigm" in truth.columns else pd.Series(dtype=object)
    words = [str(v).strip().upper() for v in paradigm.dropna()]
    kind = next((_KINDS[w] for w in words if w in _KINDS), "wAFROC")
    _require(truth, ("case", "lesion"), "Truth")
    for frame, sheet in ((hits, "TP"), (false, "FP")):
        _require(frame, ("reader", "modality", "case", "rating"), sheet)
    _require(hits, ("lesion",), "TP")
    marks = pd.concat(
        [
            f.reindex(columns=["reader", "modality", "case", "lesion", "rating"])
            for f in (hits, false)
        ]
        if len(false)
        else [hits],
        ignore_index=True,
    )
    cases = truth.assign(lesion=truth["lesion"].where(truth["lesion"] != 0))
    weights = "equal"
    if "weight" in cases.columns and cases["weight"].fillna(0).ne(0).any():
        weights = "weight"
    return RjafrocFrames(marks, cases, _readings_listed(truth, marks), weights, kind)


def _sheets(path: Any) -> dict[str, Any]:
    """Return the sheets of a workbook by name."""
    import pandas as pd

    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError.about("path", f"is a {type(path).__name__}; pass a path.", value=path)
    try:
        sheets = pd.read_excel(path, sheet_name=None, dtype=object)
    except ImportError:
        raise InputError(
            "an Excel workbook requires openpyxl, which is not installed.",
            argument="path",
            hint=install_advice("excel"),
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError.of("path", str(path), f"cannot be read: {reason}.") from None
    return {str(name).strip().lower(): frame for name, frame in sheets.items()}


def _sheet(sheets: dict[str, Any], names: tuple[str, ...], path: Any) -> Any:
    """Return a sheet with its columns by the names of this package, without empty rows."""
    name = next((n for n in names if n in sheets), None)
    if name is None:
        raise InputError.of(
            "path",
            str(path),
            f"has no sheet {' or '.join(n.upper() for n in names)}. The sheets are: "
            f"{', '.join(sheets)}.",
        )
    frame = sheets[name].dropna(how="all")
    keys = ["".join(c for c in str(column).lower() if c.isalnum()) for column in frame.columns]
    frame = frame.set_axis(
        [_IDS.get(k, "rating" if k.endswith("rating") else k) for k in keys], axis=1
    )
    for column in {"reader", "modality", "case"} & {*frame.columns}:
        frame[column] = [v if v is np.nan else name_of(v).strip() for v in frame[column]]
    for column in {"lesion", "rating", "weight"} & {*frame.columns}:
        frame[column] = frame[column].infer_objects()
    return frame


def _require(frame: Any, columns: tuple[str, ...], sheet: str) -> None:
    """Raise an error for a sheet without one of these columns."""
    lacking = [column for column in columns if column not in frame.columns]
    if lacking:
        names = {ours: theirs for theirs, ours in _IDS.items()}
        shown = ", ".join(names.get(c, f"{sheet}_Rating") for c in lacking)
        raise InputError.about("path", f"has no column {shown} in the sheet {sheet}.")


def _readings_listed(truth: Any, marks: Any) -> Any:
    """Return a row for each case that a reader read in a modality, as Truth lists them.

    Without such lists, every reader read every case in every modality in which the reader marked.
    """
    import pandas as pd

    if not {"reader", "modality"} <= {*truth.columns}:
        cells = marks[["reader", "modality"]].drop_duplicates()
        return cells.merge(truth[["case"]].drop_duplicates(), how="cross")
    listed = truth.drop_duplicates("case")
    rows = [
        (reader.strip(), modality.strip(), case)
        for readers, modalities, case in zip(
            listed["reader"], listed["modality"], listed["case"], strict=True
        )
        for reader in str(readers).split(",")
        for modality in str(modalities).split(",")
    ]
    return pd.DataFrame(rows, columns=["reader", "modality", "case"])
