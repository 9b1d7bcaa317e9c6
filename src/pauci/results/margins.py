"""Conclusions of one-sided tests against a margin: non-inferiority, or superiority by a margin.

A difference first - second is tested against a null value with an alternative on one side. If the
alternative favours the first (larger values of a measure whose larger values are better, or smaller
values of one like `Brier`), the conclusion is about the first, and otherwise about the second. It
follows from the one-sided bound of the difference: with the alternative "greater", the first is not
inferior by m if the lower bound is above -m, and superior by more than m if it is above m.
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
    *,
    higher_is_better: bool | None = True,
    second: str = "",
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
    higher_is_better : bool, optional
        Whether larger values of the measure are better; None if neither is.
    second : str
        The name of the second, for conclusions about it.
    """
    if not null or alternative == "two-sided":
        return ""
    greater = alternative == "greater"
    bound = ends.low if greater else ends.high
    beyond = bound > null if greater else bound < null
    is_shown = beyond if pvalue is None else pvalue < 1.0 - level
    shown, claim = _claims(null, higher_is_better, second, greater=greater)
    side = f"{'lower' if greater else 'upper'} {fmt.percent(level)} bound"
    number = fmt.number(bound, error, distinct_from=(null,)) if math.isfinite(bound) else str(bound)
    adjusted = "" if pvalue is None else f", adjusted {fmt.p_value(pvalue)}"
    return f"{shown if is_shown else f'{claim} not shown'}: {side} {number}{adjusted}"


def _claims(
    null: float, higher_is_better: bool | None, second: str, *, greater: bool
) -> tuple[str, str]:
    """Return the conclusion of a test that rejects, and the claim of one that does not."""
    inferiority = (null < 0.0) == greater
    margin = f"{'at margin' if inferiority else 'by more than'} {abs(null):g}"
    if higher_is_better is None:
        shown = f"difference {'above' if greater else 'below'} {null:g}"
        claim = shown
    elif greater == higher_is_better or not second:
        shown = f"{'non-inferior' if inferiority else 'superior'} {margin}"
        claim = f"{'non-inferiority' if inferiority else 'superiority'} {margin}"
    else:
        claim = f"{'non-inferiority' if inferiority else 'superiority'} of {second} {margin}"
        shown = f"{claim} shown"
    return shown, claim
