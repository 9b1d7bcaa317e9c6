from . import datasets, errors, plot
from .analyses.band import Band, band
from .analyses.meta import Heterogeneity, MetaAnalysis, meta
from .analyses.meta_accuracy import AccuracyEstimate, AccuracyMeta, meta_accuracy
from .analyses.operating_points import (
    OperatingPoint,
    OperatingPoints,
    curve_points,
    operating_points,
)
from .analyses.permutation import PermutationTest, permutation_test
from .analyses.planned_study import assumed_risks, binormal
from .analyses.profile import Profile, Profiles, profile
from .analyses.risk_table import RiskTable, risk_table
from .analyses.sample_size import SampleSize, expected_width, power, sample_size
from .analyses.scan import Scan, scan
from .cutoffs.choose import cutoff
from .cutoffs.cutoff_results import Cutoff, Cutoffs, CutoffSet, UncertainZone, Validation
from .errors import (
    InputError,
    InputTypeError,
    PauciError,
    PauciWarning,
    UndefinedError,
)
from .files.read_table import read_table
from .fits.curve_fits import (
    BinormalFit,
    ContaminatedFit,
    ProperFit,
    fit_binormal,
    fit_contaminated,
    fit_proper,
)
from .inference.compare import compare
from .inference.estimate import estimate
from .inference.join import join
from .inference.pool import pool
from .inference.predicted_labels import with_predictions
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
    PDI,
    PPV,
    REGISTRY,
    SPA,
    VUS,
    Accuracy,
    BalancedAccuracy,
    Brier,
    CalibrationIntercept,
    CalibrationSlope,
    CIndex,
    F,
    HandTill,
    Influence,
    InitialTPR,
    Kappa,
    LocalC,
    LogLoss,
    LRNegative,
    LRPositive,
    Macro,
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
    VersusRest,
    Youden,
    register,
)
from .readers.analysis import ReaderAnalysis
from .readers.contrasts import ReaderTest
from .readers.froc import Froc, froc
from .readers.mrmc import mrmc
from .readers.power import mrmc_power
from .readers.study import ReaderStudy
from .report.page import write_report
from .resampling.bootstrap import Bootstrap
from .results.comparison import Comparison
from .results.estimates import Estimate, OneSampleTest
from .results.family import Comparisons, Estimates, JointTest, OneSampleTests, Quantities
from .results.heterogeneity import GroupComparisons, GroupEstimates, HeterogeneityTest
from .results.ranks import Ranks
from .results.stored import StoredResult, read_result
from .sample.sample import Imputations, Sample
from .variance.leave_one_out import Jackknife

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
    "PDI",
    "PPV",
    "REGISTRY",
    "SPA",
    "VUS",
    "Accuracy",
    "AccuracyEstimate",
    "AccuracyMeta",
    "BalancedAccuracy",
    "Band",
    "BinormalFit",
    "Bootstrap",
    "Brier",
    "CIndex",
    "CalibrationIntercept",
    "CalibrationSlope",
    "Comparison",
    "Comparisons",
    "ContaminatedFit",
    "Cutoff",
    "CutoffSet",
    "Cutoffs",
    "Estimate",
    "Estimates",
    "F",
    "Froc",
    "GroupComparisons",
    "GroupEstimates",
    "HandTill",
    "Heterogeneity",
    "HeterogeneityTest",
    "Imputations",
    "Influence",
    "InitialTPR",
    "InputError",
    "InputTypeError",
    "Interval",
    "Jackknife",
    "JointTest",
    "Kappa",
    "LRNegative",
    "LRPositive",
    "LocalC",
    "LogLoss",
    "Macro",
    "MaxKappa",
    "Measure",
    "MetaAnalysis",
    "NetBenefit",
    "OneSampleTest",
    "OneSampleTests",
    "OperatingPoint",
    "OperatingPoints",
    "PAUCc",
    "PAUCx",
    "PartialC",
    "PauciError",
    "PauciWarning",
    "PermutationTest",
    "PredictedPositiveRate",
    "Profile",
    "Profiles",
    "ProperFit",
    "Quantities",
    "Ranks",
    "ReaderAnalysis",
    "ReaderStudy",
    "ReaderTest",
    "Resampled",
    "RiskTable",
    "Sample",
    "SampleSize",
    "Scan",
    "Sensitivity",
    "Specificity",
    "Statistic",
    "StoredResult",
    "UncertainZone",
    "UndefinedError",
    "Validation",
    "VersusRest",
    "Youden",
    "assumed_risks",
    "band",
    "binormal",
    "compare",
    "curve_points",
    "cutoff",
    "datasets",
    "errors",
    "estimate",
    "expected_width",
    "fit_binormal",
    "fit_contaminated",
    "fit_proper",
    "froc",
    "join",
    "meta",
    "meta_accuracy",
    "mrmc",
    "mrmc_power",
    "operating_points",
    "permutation_test",
    "plot",
    "pool",
    "power",
    "profile",
    "read_result",
    "read_table",
    "register",
    "risk_table",
    "sample_size",
    "scan",
    "with_predictions",
    "write_report",
]
