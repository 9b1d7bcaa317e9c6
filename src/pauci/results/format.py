"""The words of results: numbers, ranges, levels and kinds as tables and sentences write them."""

import math

from pauci.measures.effective_size import FEWEST_FOR_TRUST

_PROPER = {
    "wald": "Wald", "bca": "BCa", "student": "studentized", "holm": "Holm",
    "bonferroni": "Bonferroni", "sidak": "Sidak", "holm-sidak": "Holm and Sidak",
    "simes-hochberg": "Simes and Hochberg", "hommel": "Hommel",
    "fdr_bh": "Benjamini and Hochberg", "fdr_by": "Benjamini and Yekutieli",
}  # fmt: skip


def proper(word: str) -> str:
    """Return a method as it is written in a sentence, from how it is written in code."""
    return _PROPER.get(word, word)


def number(value: float) -> str:
    """Return a number with four decimals, or more where it would read as 0."""
    if value == 0.0 or not math.isfinite(value):
        return "0" if value == 0.0 else str(value)
    return f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.2g}"


def bound(value: object) -> str:
    """Return an end of a range, or a threshold, with up to four significant digits."""
    return f"{value + 0.0:.4g}" if isinstance(value, float) else str(value)  # -0 is 0


def degrees(df: float) -> str:
    """Return degrees of freedom: ``7``, ``53.2`` or ``1,204``."""
    return f"{df:.3g}" if df < 99.95 or math.isinf(df) else f"{df:,.0f}"


def deviate(df: float) -> str:
    """Return what a statistic is called: ``z``, or ``t(53.2)`` with its degrees of freedom."""
    return "z" if math.isinf(df) else f"t({degrees(df)})"


def p_value(value: float) -> str:
    """Return ``p = 0.012`` or ``p < 0.001``."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def p_cell(value: float) -> str:
    """Return a p-value for a table: ``0.012`` or ``<0.001``."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def count(n: int, noun: str) -> str:
    """Return ``1 row`` or ``2,000 rows``."""
    return f"{n:,} {noun}{'s' * (n != 1)}"


def observations(value: float) -> str:
    """Return a number of observations, with a decimal where an edge cuts a tie group."""
    nearest = round(value)
    return f"{nearest:,}" if abs(value - nearest) < 1e-9 * max(value, 1.0) else f"{value:,.1f}"


def few_effective(size: float | None) -> str:
    """Return how many observations decide at a prevalence, in words; nothing if enough do."""
    if size is None or size >= FEWEST_FOR_TRUST:
        return ""
    return f"effectively {size:.3g} observations decide at this prevalence"


def percent(level: float) -> str:
    """Return a confidence level as a percentage."""
    return f"{100 * level:g}%"


def interval_phrase(low: float, high: float, level: float, kind: str) -> str:
    """Return ``95% Wald CI 0.1 to 0.2``; an infinite end makes it one-sided."""
    if math.isinf(low) and math.isinf(high):
        ends = "unbounded"
    elif math.isinf(high):
        ends = f"{number(low)} and above"
    elif math.isinf(low):
        ends = f"{number(high)} and below"
    else:
        ends = f"{number(low)} to {number(high)}"
    return f"{percent(level)} {proper(kind)} CI {ends}"


def range_phrase(name: str, low: object, high: object) -> str:
    """Return ``TPR 0.2 to 0.4``."""
    return f"{name} {bound(low)} to {bound(high)}"


def span(low: object, high: object) -> str:
    """Return ``0.2-0.4``, or a single number."""
    first, last = bound(low), bound(high)
    return first if first == last else f"{first}-{last}"


def threshold_phrase(low: object, high: object, *, lower_is_positive: bool = False) -> str:
    """Return the score range of a region in words, starting from the end that is inside."""
    if lower_is_positive:
        if isinstance(low, float) and math.isinf(low):
            return f"scores from {bound(high)} down"
        return f"scores from {bound(high)} down to above {bound(low)}"
    if isinstance(high, float) and math.isinf(high):
        return f"scores from {bound(low)} up"
    return f"scores from {bound(low)} to below {bound(high)}"


def sided(alternative: str) -> str:
    """Return an alternative as a table says it."""
    return alternative if alternative == "two-sided" else f"one-sided ({alternative})"


def decimal(value: float) -> str:
    """Return three decimals, fewer of large ratios, or one digit of what would read as 0."""
    if 0.0 < abs(value) < 0.0005:
        return f"{value:.1g}"
    decimals = 3 if abs(value) < 10.0 else 1 if abs(value) < 100.0 else 0
    return f"{value + 0.0:.{decimals}f}"
