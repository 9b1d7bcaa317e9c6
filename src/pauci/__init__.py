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
    ReaderVarianceWarning,
    ResamplingWarning,
    ReversedScoresWarning,
    SamplingRatioWarning,
    SmallFoldsWarning,
    SmallRegionWarning,
    TableWarning,
    UndefinedError,
    UnequalSamplesWarning,
    UnpairedWarning,
)
from pauci.fits.fit import BinormalFit, ContaminatedFit, ProperFit
from pauci.fits.verbs import fit_binormal, fit_contaminated, fit_proper
from pauci.inference.assumptions import binormal
from pauci.inference.band import band
from pauci.inference.compare import compare
from pauci.inference.curve_points import curve_points
from pauci.inference.estimate import estimate
from pauci.inference.operating_points import operating_points
from pauci.inference.permutation import PermutationTest, permutation_test
from pauci.inference.planning import expected_width, power, sample_size
from pauci.inference.profile import profile
from pauci.inference.scan import scan
from pauci.intervals.analytic import Interval
from pauci.intervals.resampled import Resampled
from pauci.measures import *  # noqa: F403
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.components import ReaderTest
from pauci.readers.mrmc import mrmc
from pauci.readers.power import mrmc_power
from pauci.readers.study import ReaderStudy
from pauci.report.page import report_page
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.band import Band
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons, JointTest
from pauci.results.estimate import Estimate, Estimates
from pauci.results.one_sample import OneSampleTest
from pauci.results.operating_points import OperatingPoint, OperatingPoints
from pauci.results.profile import Profile, Profiles
from pauci.results.sample_size import SampleSize
from pauci.results.scan import Scan
from pauci.sample.sample import Sample
from pauci.variance.jackknife import Jackknife

__version__ = "0.1.0"

__all__ = [
    "Band",
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
    "Profile",
    "Profiles",
    "ProperFit",
    "ReaderAnalysis",
    "ReaderStudy",
    "ReaderTest",
    "ReaderVarianceWarning",
    "Resampled",
    "ResamplingWarning",
    "ReversedScoresWarning",
    "Sample",
    "SampleSize",
    "SamplingRatioWarning",
    "Scan",
    "SmallFoldsWarning",
    "SmallRegionWarning",
    "TableWarning",
    "UndefinedError",
    "UnequalSamplesWarning",
    "UnpairedWarning",
    "band",
    "binormal",
    "compare",
    "curve_points",
    "datasets",
    "estimate",
    "expected_width",
    "fit_binormal",
    "fit_contaminated",
    "fit_proper",
    "mrmc",
    "mrmc_power",
    "operating_points",
    "permutation_test",
    "plot",
    "power",
    "profile",
    "report_page",
    "sample_size",
    "scan",
]
__all__ += measures.__all__


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
