"""The frames of the completed data sets of a multiple imputation."""

from typing import Any

import numpy as np

from pauci.backends.frames import narwhals, open_frame
from pauci.checks import count, is_pandas, kind_of, show_first
from pauci.errors import InputError, InputTypeError
from pauci.sample.frame_columns import column_of


def completed_frames(frames: Any, imputation: Any) -> list[Any]:
    """Return the frame of each completed data set, from a list or from the rows of one frame."""
    if isinstance(frames, (list, tuple)):
        if imputation is not None:
            raise InputError.of(
                "imputation", imputation, "is for a single frame with the rows of all imputations."
            )
        completed = list(frames)
    else:
        completed = _parts(frames, imputation)
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


def _parts(frame: Any, imputation: Any) -> list[Any]:
    """Return the rows of each imputation; those of number 0 are the incomplete data."""
    if imputation is None:
        raise InputTypeError.of(
            "imputation",
            None,
            "is missing: the column with the number of the imputation of each row, such as .imp.",
            shown="",
            hint="Or pass a list with the frame of each completed data set.",
        )
    numbers = np.asarray(column_of(open_frame(frame), "imputation", imputation))
    masks = [numbers == k for k in dict.fromkeys(numbers.tolist()) if k != 0]
    if is_pandas(frame):
        return [frame[mask] for mask in masks]
    nw = narwhals()
    native = nw.from_native(frame, eager_only=True)
    return [native.filter(mask.tolist()).to_native() for mask in masks]
