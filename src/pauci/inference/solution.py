"""Estimates and their covariance, from a sample or from fitted curves."""

from typing import NamedTuple

from pauci.results.estimate import Estimate
from pauci.variance.base import Uncertainty


class Solution(NamedTuple):
    """Estimates on the same rows, and their joint uncertainty."""

    estimates: list[Estimate]
    uncertainty: Uncertainty
