"""Scores counted in cells: checks of the binning error against the standard error."""

import math

from pauci.errors import InputError, ResolutionWarning, warn
from pauci.measures.base import Measure
from pauci.sample.ratings import Ratings
from pauci.tables.number_format import rounded_up

_LARGEST_BOUND = 1.0
"""Largest acceptable bound of the binning error, in standard errors."""

_MAX_RATIO = 99
"""Ratio of the bound to the standard error above which the exact ratio is not reported."""

_SMALL_BOUND = 0.2
"""Bound of the binning error, in standard errors, up to which there is no warning."""


def binning_error_of(ratings: Ratings, measure: Measure, value: float) -> float:
    """Return the bound of the binning error of a value; 0 if scores were not counted in cells."""
    tops = ratings.cell_tops
    if tops is None:
        return 0.0
    from pauci.measures.binning_error import binning_error

    return binning_error(measure, ratings.curve, tops, value)


def check_bound(
    measure: Measure, classifier: str, noun: str, bound: float, se: float, *, force: bool | None
) -> None:
    """Raise an error if the binning error may exceed the standard error; warn if it is smaller.

    Parameters
    ----------
    measure, classifier, noun : Measure, str, str
        The measure, the classifier or classifiers, and the quantity: "value" or "difference".
    bound, se : float
        The bound of the binning error, and the standard error.
    force : bool or None
        Whether the user accepts such results; None if the calling function has no such argument.
    """
    if bound <= _SMALL_BOUND * se:
        return
    if math.isnan(bound):
        reason = f"the binning error of its {noun} is unknown"
    elif math.isinf(bound):
        reason = f"the binning error of its {noun} is unbounded"
    else:
        reason = f"the binning error of its {noun} may be up to {rounded_up(bound)}, "
        ratio = bound / se if se > 0.0 else math.inf
        multiple = rounded_up(ratio) if ratio < _MAX_RATIO else f"more than {_MAX_RATIO}"
        reason += f"{multiple} standard errors"
    hint, shell_hint = (
        f"Keep all scores with {exact}, or use more cells with a larger {option}"
        for exact, option in (
            ("resolution='exact'", "resolution="),
            ("--resolution exact", "--resolution"),
        )
    )
    message = f"{reason}."
    if bound > _LARGEST_BOUND * se and not force:
        if force is not None:
            report = ", or report the result with an interval that includes this error with"
            hint, shell_hint = f"{hint}{report} force=True", f"{shell_hint}{report} --force"
        raise InputError(
            message,
            argument="resolution",
            measure=measure,
            classifier=classifier,
            hint=f"{hint}.",
            shell_hint=f"{shell_hint}.",
        )
    warn(
        ResolutionWarning(
            message,
            argument="resolution",
            measure=measure,
            classifier=classifier,
            hint=f"{hint}.",
            shell_hint=f"{shell_hint}.",
        )
    )
