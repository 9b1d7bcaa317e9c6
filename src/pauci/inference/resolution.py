"""Scores counted in cells: checks of the binning error against the standard error."""

import math
from collections.abc import Sequence

from pauci.errors import InputError, Part, ResolutionWarning, arg, warn
from pauci.measures.base import Measure
from pauci.results.format import rounded_up
from pauci.sample.rows import Ratings

_LARGEST_BOUND = 1.0
"""Largest acceptable bound of the binning error, in standard errors."""

_MANY = 99
"""Number of standard errors above which the exact number is not reported."""

_SMALL_BOUND = 0.2
"""Bound of the binning error, in standard errors, up to which there is no warning."""


def hidden_by_cells_of(ratings: Ratings, measure: Measure, value: float) -> float:
    """Return the bound of the binning error of a value, 0 if scores were not counted in cells."""
    tops = ratings.cell_tops
    if tops is None:
        return 0.0
    from pauci.measures.hidden import hidden_by_cells

    return hidden_by_cells(measure, ratings.curve, tops, value)


def check_bound(
    measure: Part, of: str, what: str, bound: float, se: float, *, force: bool | None
) -> None:
    """Raise an error if the binning error may exceed the standard error; warn if it is smaller.

    Parameters
    ----------
    measure, of, what : Part, str, str
        The measure, the classifier, and the quantity: "value" or "difference".
    bound, se : float
        The bound of the binning error, and the standard error.
    force : bool or None
        Whether the user accepts such results; None if the calling function has no such argument.
    """
    if bound <= _SMALL_BOUND * se:
        return
    if math.isnan(bound):
        reason = f"the binning error of its {what} is unknown"
    elif math.isinf(bound):
        reason = f"the binning error of its {what} is unbounded"
    else:
        reason = f"the binning error of its {what} may be up to {rounded_up(bound)}, "
        ratio = bound / se if se > 0.0 else math.inf
        shown = rounded_up(ratio) if ratio < _MANY else f"more than {_MANY}"
        reason += f"{shown} standard errors"
    advice: Sequence[Part] = (
        ". Keep all scores with ", arg("resolution", "exact"),
        ", or use more cells with a larger ", arg("resolution"),
    )  # fmt: skip
    if bound > _LARGEST_BOUND * se and not force:
        forced: Sequence[Part] = () if force is None else (
            ", or report the result with an interval that includes this error with ",
            arg("force", True),
        )  # fmt: skip
        raise InputError(measure, of, reason, *advice, *forced, ".", argument="resolution")
    warn(ResolutionWarning, measure, of, reason, *advice, ".", argument="resolution")
