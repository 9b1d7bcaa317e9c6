"""Formulas of counts above a threshold: of arrays, and of numbers in compiled loops.

There are p of n rows of a class above the threshold, and q of the other rows.
"""

from typing import Any

_SMALLEST = 1e-300  # added to a sum of counts so that it is not 0, without effect on other sums


def precision(p: Any, q: Any, odds: Any) -> Any:
    """Return the precision if each of the other rows counts as `odds` rows."""
    return p / (p + (odds * q + _SMALLEST))


def bias_of_one_sample(p: Any, q: Any, n: Any) -> Any:
    """Return the sum of the changes of the precision over all rows, left out as one sample."""
    return (n - p) * q / ((p + q) * (p + q - 1.0))


def bias_of_two_samples(p: Any, q: Any, n: Any, against: Any, odds: Any) -> Any:
    """Return the same sum if the rows of each class are left out as a sample of their own.

    The prevalence is given, so that each of the `against` other rows counts as `odds` * n rows.
    """
    of_all, of_fewer, of_more = odds * n, odds * (n - 1), odds * n * against / (against - 1)
    of_class = (n - 1) * (n - p) * (odds * q) ** 2
    of_class = of_class / ((p + of_fewer * q) * (p - 1.0 + of_fewer * q))
    of_others = of_all * of_more * (against - q) / against * q * p
    of_others = of_others / ((p + of_more * q) * (p + of_more * (q - 1.0)))
    return (of_class + of_others) / (p + of_all * q)


def kappa(p: Any, q: Any, n1: Any, n0: Any, share: Any) -> Any:
    """Return Cohen's kappa of p of n1 positives and q of n0 negatives at a prevalence."""
    scale, slope = 2.0 * share * (1.0 - share) / n1 / n0, 1.0 - 2.0 * share
    by_pos, by_neg = slope * share / n1, slope * (1.0 - share) / n0
    return scale * (p * n0 - q * n1) / (share + by_pos * p + by_neg * q)


def area_of_part(width: Any, before: Any, after: Any, low: Any, high: Any) -> Any:
    """Return twice the area, in pairs, below a part of a tie group of `width` negatives."""
    return width * (high - low) * (2 * before + (low + high) * (after - before))
