"""The frames of the completed data sets of a multiple imputation."""

from contextlib import suppress
from typing import Any

import numpy as np

from pauci.backends.frames import LazyColumns, backend_errors, collect, narwhals, open_frame
from pauci.checks import BoolArray, count, is_pandas, kind_of, show_first
from pauci.errors import DataName, InputError, InputTypeError
from pauci.sample.frame_columns import column_of
from pauci.sample.vectors import missing_entries, refuse_missing

_NUMBERS = "Number all rows, those of the incomplete data by 0."


def completed_frames(frames: Any, imputation: Any) -> list[Any]:
    """Return the frame of each completed data set, from a list or from the rows of one frame."""
    if isinstance(frames, (list, tuple)):
        if imputation is not None:
            raise InputError.of(
                "imputation", imputation, "is for a single frame with the rows of all imputations."
            )
        completed = list(map(_in_memory, frames))
    else:
        completed = _parts(_in_memory(frames), imputation)
    if len(completed) < 2:
        raise InputError.about(
            "frames",
            f"has {count(len(completed), 'completed data set')}; the variance between imputations "
            "needs at least two.",
            value=frames,
        )
    for frame in completed:
        if not hasattr(open_frame(frame), "columns"):
            raise InputTypeError.about(
                "frames", f"holds {kind_of(frame)}; pass data frames.", value=frame
            )
    sizes = [len(frame) for frame in completed]
    if len({*sizes}) > 1:
        raise InputError.about(
            "frames",
            f"has completed data sets of different numbers of rows: {show_first([*sizes])}.",
            value=frames,
        )
    return completed


def _in_memory(frame: Any) -> Any:
    """Return a frame, whose rows are read if it is lazy."""
    opened = open_frame(frame)
    if not isinstance(opened, LazyColumns):
        return frame
    with backend_errors(opened.lazy):
        return collect(opened.lazy).to_native()


def _parts(frame: Any, imputation: Any) -> list[Any]:
    """Return the rows of each imputation, without the incomplete data of number 0."""
    if imputation is None:
        raise InputTypeError.of(
            "imputation",
            None,
            "is missing: the column with the number of the imputation of each row, such as .imp.",
            shown="",
            hint="Or pass a list with the frame of each completed data set.",
        )
    opened = open_frame(frame)
    column = column_of(opened, "imputation", imputation)
    refuse_missing(
        DataName(f"column {imputation!r}", "imputation", missing_advice=_NUMBERS), column
    )
    numbers = np.asarray(column)
    masks = [numbers == k for k in dict.fromkeys(numbers.tolist())]
    original = np.array([number in (0, "0") for number in numbers.tolist()])
    if _are_incomplete(opened, original):
        masks = [mask for mask in masks if not original[mask].any()]
    if is_pandas(frame):
        return [frame[mask] for mask in masks]
    nw = narwhals()
    native = nw.from_native(frame, eager_only=True)
    return [native.filter(mask.tolist()).to_native() for mask in masks]


def _are_incomplete(frame: Any, rows: BoolArray) -> bool:
    """Return whether some rows have missing values in a column that is complete in the others."""
    for name in frame.columns if rows.any() else ():
        with suppress(
            InputTypeError
        ):  # of nested values, which may be in columns that are not used
            missing = missing_entries(np.asarray(frame[name]))
            if missing.shape == rows.shape and missing[rows].any() and not missing[~rows].any():
                return True
    return False
