"""Conclusions of one-sided tests against a margin: non-inferiority, or superiority by a margin.

A difference first - second is tested against the null -m with the alternative "greater", or m with
"less". The conclusion follows from the one-sided bound of the difference: the first is not inferior
by m if the lower bound is above -m (or if the upper bound is below m, for "less").
"""

import math

from pauci.intervals.analytic import Alternative, Interval
from pauci.tables import number_format as fmt


def conclusion_phrase(
    null: float,
    alternative: Alternative,
    ends: Interval,
    level: float,
    error: float,
    pvalue: float | None = None,
) -> str:
    """Return the margin, the conclusion and the bound of the difference; empty without a margin.

    Parameters
    ----------
    null, alternative : float, str
        The hypotheses about the difference first - second.
    ends : Interval
        The one-sided interval of the difference at this level.
    level : float
        Confidence level of the bound; the size of the test is 1 - level.
    error : float
        The standard error that determines the decimals.
    pvalue : float, optional
        The adjusted p-value that decides instead of the bound.
    """
    if not null or alternative == "two-sided":
        return ""
    greater = alternative == "greater"
    bound = ends.low if greater else ends.high
    beyond = bound > null if greater else bound < null
    is_shown = beyond if pvalue is None else pvalue < 1.0 - level
    margin = f"{abs(null):g}"
    if (null < 0.0) == greater:
        shown, claim = f"non-inferior at margin {margin}", f"non-inferiority at margin {margin}"
    else:
        shown, claim = f"superior by more than {margin}", f"superiority by more than {margin}"
    side = f"{'lower' if greater else 'upper'} {fmt.percent(level)} bound"
    number = fmt.number(bound, error, distinct_from=(null,)) if math.isfinite(bound) else str(bound)
    adjusted = "" if pvalue is None else f", adjusted {fmt.p_value(pvalue)}"
    return f"{shown if is_shown else f'{claim} not shown'}: {side} {number}{adjusted}"
