"""Statistical inference for one part of the ROC curve.

Put labels and scores in a `Sample`, name a measure with its region, and `estimate` or `compare`.
"""

from pauci import datasets, measures, plot
from pauci.errors import (
    ChosenThresholdWarning,
    CornerWarning,
    DegenerateWarning,
    DominantWeightsWarning,
    FarPrevalenceWarning,
    FewClustersWarning,
    FewInfluentialWarning,
    HardPredictionsWarning,
    InputError,
    InputTypeError,
    JackknifeWarning,
    MissingRowsWarning,
    PauciError,
    PauciWarning,
    PlanningWarning,
    ResamplingWarning,
    ReversedScoresWarning,
    SamplingRatioWarning,
    SmallRegionWarning,
    TableWarning,
    UndefinedError,
    UnequalSamplesWarning,
    UnpairedWarning,
)
from pauci.fits.fit import BinormalFit, ContaminatedFit, ProperFit
from pauci.fits.verbs import fit_binormal, fit_contaminated, fit_proper
from pauci.inference.assumptions import binormal
from pauci.inference.compare import compare
from pauci.inference.curve_points import curve_points
from pauci.inference.estimate import estimate
from pauci.inference.operating_points import operating_points
from pauci.inference.permutation import PermutationTest, permutation_test
from pauci.inference.planning import power, sample_size
from pauci.intervals.analytic import Interval
from pauci.intervals.resampled import Resampled
from pauci.measures import *  # noqa: F403
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons, JointTest
from pauci.results.estimate import Estimate, Estimates
from pauci.results.one_sample import OneSampleTest
from pauci.results.operating_points import OperatingPoint, OperatingPoints
from pauci.results.sample_size import SampleSize
from pauci.sample.sample import Sample
from pauci.variance.jackknife import Jackknife

__version__ = "0.1.0"

__all__ = [
    "BinormalFit",
    "Bootstrap",
    "ChosenThresholdWarning",
    "Comparison",
    "Comparisons",
    "ContaminatedFit",
    "CornerWarning",
    "DegenerateWarning",
    "DominantWeightsWarning",
    "Estimate",
    "Estimates",
    "FarPrevalenceWarning",
    "FewClustersWarning",
    "FewInfluentialWarning",
    "HardPredictionsWarning",
    "InputError",
    "InputTypeError",
    "Interval",
    "Jackknife",
    "JackknifeWarning",
    "JointTest",
    "MissingRowsWarning",
    "OneSampleTest",
    "OperatingPoint",
    "OperatingPoints",
    "PauciError",
    "PauciWarning",
    "PermutationTest",
    "PlanningWarning",
    "ProperFit",
    "Resampled",
    "ResamplingWarning",
    "ReversedScoresWarning",
    "Sample",
    "SampleSize",
    "SamplingRatioWarning",
    "SmallRegionWarning",
    "TableWarning",
    "UndefinedError",
    "UnequalSamplesWarning",
    "UnpairedWarning",
    "binormal",
    "compare",
    "curve_points",
    "datasets",
    "estimate",
    "fit_binormal",
    "fit_contaminated",
    "fit_proper",
    "operating_points",
    "permutation_test",
    "plot",
    "power",
    "sample_size",
]
__all__ += measures.__all__


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
