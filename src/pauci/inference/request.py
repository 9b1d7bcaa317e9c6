"""What is estimated of a sample and which differences are tested, from the checked arguments."""

from collections.abc import Sequence
from typing import NamedTuple

from pauci.intervals.analytic import Alternative
from pauci.measures.base import Measure
from pauci.sample.sample import Sample
from pauci.variance.method import VarianceMethod

Target = tuple[str, Measure]
"""A classifier and a measure of it."""


class SampleRequest(NamedTuple):
    """A sample, what is estimated of it, and how."""

    sample: Sample
    targets: Sequence[Target]
    method: VarianceMethod
    """The source of standard errors."""
    force: bool | None = None
    """As for `estimate`; None if the calling function has no such argument."""
    conservative: bool = False
    """Whether the variance of averages over folds is doubled."""


class DifferenceTests(NamedTuple):
    """The tests of differences between targets."""

    positions: Sequence[tuple[int, int]]
    """The positions of both targets of each difference."""
    null: float
    alternative: Alternative
    adjust: str
    """The adjustment of p-values."""
