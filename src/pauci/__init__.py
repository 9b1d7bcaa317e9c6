"""Statistical inference for one part of the ROC curve.

Put labels and scores in a `Sample`, name a measure with its region, and `estimate` or `compare`.
"""

from pauci import datasets, measures
from pauci.bootstrap import Bootstrap
from pauci.compare import compare
from pauci.comparison import Comparison
from pauci.comparisons import Comparisons, JointTest
from pauci.curves import curve_points
from pauci.errors import (
    DegenerateWarning,
    JackknifeWarning,
    PauciWarning,
    PlanningWarning,
    ResamplingWarning,
    ReversedScoresWarning,
    SamplingRatioWarning,
    SmallRegionWarning,
    TableWarning,
)
from pauci.estimate import estimate
from pauci.estimates import Estimate, Estimates
from pauci.interval import Interval
from pauci.jackknife import Jackknife
from pauci.measures import *  # noqa: F403
from pauci.operating import OperatingPoint, OperatingPoints, operating_points
from pauci.permutation import PermutationTest, permutation_test
from pauci.planning import SampleSize, binormal, power, sample_size
from pauci.resampled import Resampled
from pauci.sample import Sample

__version__ = "0.1.0"

__all__ = [
    "Bootstrap",
    "Comparison",
    "Comparisons",
    "DegenerateWarning",
    "Estimate",
    "Estimates",
    "Interval",
    "Jackknife",
    "JackknifeWarning",
    "JointTest",
    "OperatingPoint",
    "OperatingPoints",
    "PauciWarning",
    "PermutationTest",
    "PlanningWarning",
    "Resampled",
    "ResamplingWarning",
    "ReversedScoresWarning",
    "Sample",
    "SampleSize",
    "SamplingRatioWarning",
    "SmallRegionWarning",
    "TableWarning",
    "binormal",
    "compare",
    "curve_points",
    "datasets",
    "estimate",
    "operating_points",
    "permutation_test",
    "power",
    "sample_size",
]
__all__ += measures.__all__
