"""Scores counted in cells: what these may hide of a result, held against its standard error."""

import math
from collections.abc import Sequence

from pauci.errors import InputError, Part, ResolutionWarning, arg, warn
from pauci.measures.base import Measure
from pauci.results.format import rounded_up
from pauci.sample.rows import Ratings

_LARGEST_BOUND = 1.0
"""Standard errors that cells may hide; a result of which they may hide more is refused."""

_MANY = 99
"""Standard errors of which more are not told apart."""

_SMALL_BOUND = 0.2
"""Standard errors that cells may hide without a warning."""


def hidden_by_cells_of(ratings: Ratings, measure: Measure, value: float) -> float:
    """Return how much of a value is hidden by cells, if scores were counted in such."""
    tops = ratings.cell_tops
    if tops is None:
        return 0.0
    from pauci.measures.hidden import hidden_by_cells

    return hidden_by_cells(measure, ratings.curve, tops, value)


def check_bound(
    measure: Part, of: str, what: str, bound: float, se: float, *, force: bool | None
) -> None:
    """Refuse a result of which cells may hide more than a standard error, and warn of less.

    Parameters
    ----------
    measure, of, what : Part, str, str
        The measure, whose it is, and what the bound is of: "value" or "difference".
    bound, se : float
        The bound on what cells hide, and the standard error.
    force : bool or None
        Whether the user wants such results; None where a verb does not ask.
    """
    if bound <= _SMALL_BOUND * se:
        return
    if math.isnan(bound):
        reason = f"how much of its {what} cells of scores hide is not known"
    elif math.isinf(bound):
        reason = f"cells of scores may hide any {what}"
    else:
        reason = f"cells of scores may hide up to {rounded_up(bound)} of its {what}, "
        ratio = bound / se if se > 0.0 else math.inf
        shown = rounded_up(ratio) if ratio < _MANY else f"more than {_MANY}"
        reason += f"{shown} standard errors"
    way: Sequence[Part] = (". Keep all scores with ", arg("resolution", "exact"), ", or count more "
                           "cells with a larger ", arg("resolution"))  # fmt: skip
    if bound > _LARGEST_BOUND * se and not force:
        forced: Sequence[Part] = () if force is None else (
            ", or have the result with an interval that includes the bound with ",
            arg("force", True),
        )  # fmt: skip
        raise InputError(measure, of, reason, *way, *forced, ".", argument="resolution")
    warn(ResolutionWarning, measure, of, reason, *way, ".", argument="resolution")
