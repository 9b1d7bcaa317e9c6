"""Comparisons of pairs of the estimates of a family."""

from collections.abc import Sequence

from pauci.intervals.analytic import Alternative
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Family
from pauci.results.weighted_sums import WeightedSum


def positions_of_pairs(
    names: Sequence[str], pairs: Sequence[tuple[str, str]], measures: int
) -> list[tuple[int, int]]:
    """Return the positions of the two estimates of each comparison, ordered by measure.

    The estimates of the measures of a classifier are consecutive.
    """
    at = {name: i * measures for i, name in enumerate(names)}
    return [(at[first] + i, at[second] + i) for i in range(measures) for first, second in pairs]


def difference_between(
    family: Family[Estimate],
    pair: tuple[int, int],
    difference: WeightedSum,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    paired: bool = False,
    shared: bool = False,
    joined: bool = False,
) -> Comparison:
    """Return the comparison of two estimates of a family."""
    first, second = pair
    a, b = family[first], family[second]
    return Comparison(
        (a, b),
        difference.value,
        difference.se,
        family.correlation(first, second),
        null,
        alternative,
        paired,
        difference.resampled,
        difference.df,
        shared,
        joined=joined or difference.correlations is not None,
    )
