"""Statistical inference for one part of the ROC curve.

Put labels and scores in a `Sample`, name a measure with its region, and `estimate` or `compare`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pauci.calls import no_attribute
from pauci.errors import (
    ChosenThresholdWarning,
    CornerWarning,
    DegenerateWarning,
    DifferentScalesWarning,
    DominantWeightsWarning,
    FarPrevalenceWarning,
    FewClustersWarning,
    FewInfluentialWarning,
    HardPredictionsWarning,
    InputError,
    InputTypeError,
    JackknifeWarning,
    MissingCodeWarning,
    MissingRowsWarning,
    PauciError,
    PauciWarning,
    PlanningWarning,
    PoorFitWarning,
    ReaderVarianceWarning,
    ResamplingWarning,
    ResolutionWarning,
    ReversedScoresWarning,
    SamplingRatioWarning,
    SmallFoldsWarning,
    SmallRegionWarning,
    TableWarning,
    UndefinedError,
    UnequalSamplesWarning,
    UnpairedWarning,
)
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Interval
from pauci.measures import (
    AP,
    AUC,
    AUK,
    PAI,
    PAUC,
    REGISTRY,
    SPA,
    Influence,
    InitialTPR,
    LocalC,
    MaxKappa,
    Measure,
    PartialC,
    PAUCc,
    PAUCx,
    Sensitivity,
    Specificity,
    Statistic,
    register,
)
from pauci.results.estimate import Estimate, Estimates
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    from pauci import datasets, plot
    from pauci.fits.fit import BinormalFit, ContaminatedFit, ProperFit
    from pauci.fits.verbs import fit_binormal, fit_contaminated, fit_proper
    from pauci.inference.assumptions import binormal
    from pauci.inference.band import band
    from pauci.inference.compare import compare
    from pauci.inference.curve_points import curve_points
    from pauci.inference.operating_points import operating_points
    from pauci.inference.permutation import PermutationTest, permutation_test
    from pauci.inference.planning import expected_width, power, sample_size
    from pauci.inference.profile import profile
    from pauci.inference.scan import scan
    from pauci.intervals.resampled import Resampled
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
    from pauci.results.one_sample import OneSampleTest
    from pauci.results.operating_points import OperatingPoint, OperatingPoints
    from pauci.results.profile import Profile, Profiles
    from pauci.results.sample_size import SampleSize
    from pauci.results.scan import Scan
    from pauci.variance.jackknife import Jackknife

_LOADED_ON_USE = {
    "pauci.fits.fit": "BinormalFit ContaminatedFit ProperFit",
    "pauci.fits.verbs": "fit_binormal fit_contaminated fit_proper",
    "pauci.inference.assumptions": "binormal",
    "pauci.inference.band": "band",
    "pauci.inference.compare": "compare",
    "pauci.inference.curve_points": "curve_points",
    "pauci.inference.operating_points": "operating_points",
    "pauci.inference.permutation": "PermutationTest permutation_test",
    "pauci.inference.planning": "expected_width power sample_size",
    "pauci.inference.profile": "profile",
    "pauci.inference.scan": "scan",
    "pauci.intervals.resampled": "Resampled",
    "pauci.readers.analysis": "ReaderAnalysis",
    "pauci.readers.components": "ReaderTest",
    "pauci.readers.mrmc": "mrmc",
    "pauci.readers.power": "mrmc_power",
    "pauci.readers.study": "ReaderStudy",
    "pauci.report.page": "report_page",
    "pauci.resampling.bootstrap": "Bootstrap",
    "pauci.results.band": "Band",
    "pauci.results.comparison": "Comparison",
    "pauci.results.comparisons": "Comparisons JointTest",
    "pauci.results.one_sample": "OneSampleTest",
    "pauci.results.operating_points": "OperatingPoint OperatingPoints",
    "pauci.results.profile": "Profile Profiles",
    "pauci.results.sample_size": "SampleSize",
    "pauci.results.scan": "Scan",
    "pauci.variance.jackknife": "Jackknife",
}
"""What is not needed for an estimate, by module: it loads when it is first asked for."""

_MODULE_OF = {name: module for module, names in _LOADED_ON_USE.items() for name in names.split()}
_MODULE_OF |= {room: f"pauci.{room}" for room in ("datasets", "fits", "plot", "readers", "report")}

__version__ = "0.1.0"

__all__ = [
    "AP",
    "AUC",
    "AUK",
    "PAI",
    "PAUC",
    "REGISTRY",
    "SPA",
    "Band",
    "BinormalFit",
    "Bootstrap",
    "ChosenThresholdWarning",
    "Comparison",
    "Comparisons",
    "ContaminatedFit",
    "CornerWarning",
    "DegenerateWarning",
    "DifferentScalesWarning",
    "DominantWeightsWarning",
    "Estimate",
    "Estimates",
    "FarPrevalenceWarning",
    "FewClustersWarning",
    "FewInfluentialWarning",
    "HardPredictionsWarning",
    "Influence",
    "InitialTPR",
    "InputError",
    "InputTypeError",
    "Interval",
    "Jackknife",
    "JackknifeWarning",
    "JointTest",
    "LocalC",
    "MaxKappa",
    "Measure",
    "MissingCodeWarning",
    "MissingRowsWarning",
    "OneSampleTest",
    "OperatingPoint",
    "OperatingPoints",
    "PAUCc",
    "PAUCx",
    "PartialC",
    "PauciError",
    "PauciWarning",
    "PermutationTest",
    "PlanningWarning",
    "PoorFitWarning",
    "Profile",
    "Profiles",
    "ProperFit",
    "ReaderAnalysis",
    "ReaderStudy",
    "ReaderTest",
    "ReaderVarianceWarning",
    "Resampled",
    "ResamplingWarning",
    "ResolutionWarning",
    "ReversedScoresWarning",
    "Sample",
    "SampleSize",
    "SamplingRatioWarning",
    "Scan",
    "Sensitivity",
    "SmallFoldsWarning",
    "SmallRegionWarning",
    "Specificity",
    "Statistic",
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
    "register",
    "report_page",
    "sample_size",
    "scan",
]


if not TYPE_CHECKING:  # with it, checkers would take any name to be there

    def __getattr__(name: str) -> object:
        if name not in _MODULE_OF:
            raise AttributeError(no_attribute(name, __dir__()))
        module = import_module(_MODULE_OF[name])
        # A module of that name is set by its import; a function takes the place of its module.
        value = module if _MODULE_OF[name] == f"pauci.{name}" else getattr(module, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
