"""What can be calculated for each bootstrap sample, as rows of integers for the kernels."""

from pauci.curve.region import WHOLE, Region

OUTPUTS = 5
"""Number of outputs of a request. For a piece: area, FPR and TPR of its start, FPR and TPR of its
end. For a number: the number, and the prevalence of the replicate."""

PIECE = 0
NUMBERS = (
    "ap",
    "ap of negatives",
    "corrected ap",
    "corrected ap of negatives",
    "auk",
    "max kappa",
    "prevalence",
)
"""Functions of a resampled curve and a prevalence that can be requested."""

NORTH_EAST, SOUTH_WEST, KNOT = 0, 2, 3
_AXES = ("fpr", "tpr")
_RULES = ("north-east", "middle", "south-west", "knot")
_CODES = {"piece": PIECE} | {kind: code for code, kind in enumerate(NUMBERS, PIECE + 1)}


def knows(kind: str) -> bool:
    """Return whether the kernels support requests of this kind."""
    return kind in _CODES


def request(
    kind: str, classifier: int = 0, region: Region | tuple[int, int] = WHOLE
) -> tuple[int, ...]:
    """Return a request for one classifier in each replicate, as a row of integers.

    The kind is that of a `pauci.measures.base.Request`. A pair instead of a region is a range of
    tie groups: the first group, and the first group after the range.
    """
    code = _CODES[kind]
    if isinstance(region, tuple):
        knots = [number for k in region for number in (k, 1, KNOT)]
        return (code, classifier, 0, *knots)
    row = [code, classifier, _AXES.index(region.rate_ends[0].axis)]
    for _, rate, rule in region.rate_ends:
        row += [*rate.as_integer_ratio(), _RULES.index(rule)]
    return tuple(row)
