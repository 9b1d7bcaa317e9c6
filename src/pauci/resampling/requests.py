"""What is calculated for each bootstrap sample, with the formulas of counts above a threshold.

The formulas are those of arrays as well as of numbers in compiled loops. There are p of n rows of a
class above the threshold, and q of the other rows.
"""

from typing import Any

from pauci.curve.region import WHOLE, Region

OUTPUTS = 5

"""Number of outputs of a request. For a piece: area, FPR and TPR of its start, FPR and TPR of its
end. For a number: the number, and the prevalence of the replicate."""

KINDS = (
    "piece",
    "ap",
    "ap of negatives",
    "corrected ap",
    "corrected ap of negatives",
    "auk",
    "max kappa",
    "prevalence",
)

"""A piece of a resampled curve, and the functions of the curve and a prevalence."""

(
    PIECE,
    AP,
    AP_OF_NEGATIVES,
    CORRECTED_AP,
    CORRECTED_AP_OF_NEGATIVES,
    AUK,
    MAX_KAPPA,
    PREVALENCE,
) = range(len(KINDS))

NORTH_EAST, SOUTH_WEST, KNOT = 0, 2, 3

_AXES = ("fpr", "tpr")

_RULES = ("north-east", "middle", "south-west", "knot")


def knows(kind: str) -> bool:
    """Return whether the kernels support requests of this kind."""
    return kind in KINDS


def request(
    kind: str, classifier: int = 0, region: Region | tuple[int, int] = WHOLE
) -> tuple[int, ...]:
    """Return a request for one classifier in each replicate, as a row of integers.

    The kind is that of a `pauci.measures.base.Request`. A pair instead of a region is a range of
    tie groups: the first group, and the first group after the range.
    """
    code = KINDS.index(kind)
    if isinstance(region, tuple):
        knots = [number for k in region for number in (k, 1, KNOT)]
        return (code, classifier, 0, *knots)
    row = [code, classifier, _AXES.index(region.rate_ends[0].axis)]
    for _, rate, rule in region.rate_ends:
        row += [*rate.as_integer_ratio(), _RULES.index(rule)]
    return tuple(row)


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
