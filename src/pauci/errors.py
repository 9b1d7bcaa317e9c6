"""Warnings that the package raises, and the wording its error messages share.

Bad input always raises ``ValueError`` or ``TypeError``; a result that can be computed but
should not be trusted blindly comes with one of the warnings below, so that it can be turned
into an error or silenced by class.
"""

import difflib
from collections.abc import Iterable

import numpy as np


class PauciWarning(UserWarning):
    """Base class of every warning that this package raises."""


class ReversedScoresWarning(PauciWarning):
    """The AUC is below 0.5: higher scores may mean *less* positive in these data."""


class DegenerateWarning(PauciWarning):
    """The standard error is 0, or the value at an end of its range: large-sample theory fails."""


class SmallRegionWarning(PauciWarning):
    """Fewer than five observations are expected on the axis that bounds the region."""


class SamplingRatioWarning(PauciWarning):
    """A measure that depends on the prevalence is evaluated at that of a case-control sample."""


class TableWarning(PauciWarning):
    """The multinomial delta method is asked of data with almost as many categories as rows."""


class ResamplingWarning(PauciWarning):
    """A bootstrap has too few replicates for an interval, or too little to draw from."""


class JackknifeWarning(PauciWarning):
    """The jackknife is asked for a measure and data for which it is not consistent."""


class PlanningWarning(PauciWarning):
    """A sample size rests on a difference that the pilot does not distinguish from 0."""


def nearest(value: object, choices: Iterable[str]) -> str:
    """Return ``". Did you mean 'x'?"`` for the choice that resembles `value`, else ``"."``."""
    lowered = {option.lower(): option for option in choices}
    word = str(value).lower()
    close = difflib.get_close_matches(word, list(lowered), n=3)
    # Letters in the wrong order are the likeliest slip.
    close.sort(key=lambda option: sorted(option) != sorted(word))
    return f". Did you mean {lowered[close[0]]!r}?" if close else "."


def check_whole(argument: str, value: object, least: int) -> None:
    """Raise unless the value is a whole number, and at least so large."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{argument}={value!r} must be a whole number.")
    if value < least:
        raise ValueError(f"{argument}={value!r} must be at least {least}.")


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Raise ``ValueError`` that names the argument, the value and what is accepted."""
    options = list(choices)
    if not isinstance(value, str) or value not in options:
        accepted = ", ".join(repr(option) for option in options)
        raise ValueError(
            f"{argument}={value!r} is not known{nearest(value, options)} Accepted: {accepted}."
        )
