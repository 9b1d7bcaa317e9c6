from . import datasets, plot
from .analyses.assumed_sample import binormal
from .analyses.band import band
from .analyses.band_results import Band
from .analyses.curve_points import curve_points
from .analyses.operating_points import operating_points
from .analyses.operating_points_results import OperatingPoint, OperatingPoints
from .analyses.permutation import PermutationTest, permutation_test
from .analyses.profile import profile
from .analyses.profile_results import Profile, Profiles
from .analyses.risk_table import RiskTable, risk_table
from .analyses.sample_size import expected_width, power, sample_size
from .analyses.sample_size_results import SampleSize
from .analyses.scan import scan
from .analyses.scan_results import Scan
from .cutoffs.choose import cutoff
from .cutoffs.results import Cutoff, Cutoffs, CutoffSet, UncertainZone
from .errors import (
    BiasedDifferenceWarning,
    ChosenThresholdWarning,
    CornerWarning,
    DegenerateWarning,
    DifferentScalesWarning,
    DominantWeightsWarning,
    FarPrevalenceWarning,
    FewClustersWarning,
    FewInfluentialWarning,
    HardPredictionsWarning,
    HiddenRowsWarning,
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
    RepeatedRowsWarning,
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
from .fits.fit_results import BinormalFit, ContaminatedFit, ProperFit
from .fits.verbs import fit_binormal, fit_contaminated, fit_proper
from .inference.compare import compare
from .inference.estimate import estimate
from .inference.join import join
from .intervals.analytic import Interval
from .intervals.resampled import Resampled
from .measures import (
    AP,
    AUC,
    AUK,
    MCC,
    NPV,
    OE,
    PAI,
    PAUC,
    PPV,
    REGISTRY,
    SPA,
    Accuracy,
    BalancedAccuracy,
    Brier,
    CalibrationIntercept,
    CalibrationSlope,
    F,
    Influence,
    InitialTPR,
    Kappa,
    LocalC,
    LogLoss,
    LRNegative,
    LRPositive,
    MaxKappa,
    Measure,
    NetBenefit,
    PartialC,
    PAUCc,
    PAUCx,
    PredictedPositiveRate,
    Sensitivity,
    Specificity,
    Statistic,
    Youden,
    register,
)
from .readers.analysis import ReaderAnalysis
from .readers.components import ReaderTest
from .readers.mrmc import mrmc
from .readers.power import mrmc_power
from .readers.study import ReaderStudy
from .report.page import report_page
from .report.reader_page import reader_page
from .resampling.bootstrap import Bootstrap
from .results.comparison import Comparison
from .results.estimates import Estimate, OneSampleTest
from .results.family import Comparisons, Estimates, JointTest, Quantities
from .results.group_results import GroupComparisons, GroupEstimates
from .results.heterogeneity import HeterogeneityTest
from .sample.sample import Sample
from .variance.jackknife import Jackknife

__version__: str

__all__ = [
    "AP",
    "AUC",
    "AUK",
    "MCC",
    "NPV",
    "OE",
    "PAI",
    "PAUC",
    "PPV",
    "REGISTRY",
    "SPA",
    "Accuracy",
    "BalancedAccuracy",
    "Band",
    "BiasedDifferenceWarning",
    "BinormalFit",
    "Bootstrap",
    "Brier",
    "CalibrationIntercept",
    "CalibrationSlope",
    "ChosenThresholdWarning",
    "Comparison",
    "Comparisons",
    "ContaminatedFit",
    "CornerWarning",
    "Cutoff",
    "CutoffSet",
    "Cutoffs",
    "DegenerateWarning",
    "DifferentScalesWarning",
    "DominantWeightsWarning",
    "Estimate",
    "Estimates",
    "F",
    "FarPrevalenceWarning",
    "FewClustersWarning",
    "FewInfluentialWarning",
    "GroupComparisons",
    "GroupEstimates",
    "HardPredictionsWarning",
    "HeterogeneityTest",
    "HiddenRowsWarning",
    "Influence",
    "InitialTPR",
    "InputError",
    "InputTypeError",
    "Interval",
    "Jackknife",
    "JackknifeWarning",
    "JointTest",
    "Kappa",
    "LRNegative",
    "LRPositive",
    "LocalC",
    "LogLoss",
    "MaxKappa",
    "Measure",
    "MissingCodeWarning",
    "MissingRowsWarning",
    "NetBenefit",
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
    "PredictedPositiveRate",
    "Profile",
    "Profiles",
    "ProperFit",
    "Quantities",
    "ReaderAnalysis",
    "ReaderStudy",
    "ReaderTest",
    "ReaderVarianceWarning",
    "RepeatedRowsWarning",
    "Resampled",
    "ResamplingWarning",
    "ResolutionWarning",
    "ReversedScoresWarning",
    "RiskTable",
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
    "UncertainZone",
    "UndefinedError",
    "UnequalSamplesWarning",
    "UnpairedWarning",
    "Youden",
    "band",
    "binormal",
    "compare",
    "curve_points",
    "cutoff",
    "datasets",
    "estimate",
    "expected_width",
    "fit_binormal",
    "fit_contaminated",
    "fit_proper",
    "join",
    "mrmc",
    "mrmc_power",
    "operating_points",
    "permutation_test",
    "plot",
    "power",
    "profile",
    "reader_page",
    "register",
    "report_page",
    "risk_table",
    "sample_size",
    "scan",
]
