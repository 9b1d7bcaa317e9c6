"""Statistical inference for one part of the ROC curve.

Put labels and scores in a `Sample`, name a measure with its region, and `estimate` or `compare`.
"""

from pauci import datasets, measures
from pauci.compare import compare
from pauci.comparison import Comparison
from pauci.comparisons import Comparisons, JointTest
from pauci.errors import (
    DegenerateWarning,
    PauciWarning,
    PlanningWarning,
    ReversedScoresWarning,
    SmallRegionWarning,
)
from pauci.estimate import estimate
from pauci.estimates import Estimate, Estimates
from pauci.interval import Interval
from pauci.measures import *  # noqa: F403
from pauci.planning import SampleSize, binormal, power, sample_size
from pauci.sample import Sample

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Comparisons",
    "DegenerateWarning",
    "Estimate",
    "Estimates",
    "Interval",
    "JointTest",
    "PauciWarning",
    "PlanningWarning",
    "ReversedScoresWarning",
    "Sample",
    "SampleSize",
    "SmallRegionWarning",
    "binormal",
    "compare",
    "datasets",
    "estimate",
    "power",
    "sample_size",
]
__all__ += measures.__all__
