"""What both ways to an estimate return."""

from typing import NamedTuple

from pauci.results.estimate import Estimate
from pauci.variance.base import Uncertainty


class Solution(NamedTuple):
    """Estimates on the same rows, and how uncertain they are together."""

    estimates: list[Estimate]
    uncertainty: Uncertainty
