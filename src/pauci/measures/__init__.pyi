from .area import AUC, PAI, PAUC, SPA, PAUCc, PAUCx
from .at_cutoff import Sensitivity, Specificity
from .base import Measure, Statistic
from .classes import PDI, VUS, CIndex, ClassMeasure, HandTill, Macro, VersusRest
from .concordance import LocalC, PartialC
from .decisions import (
    MCC,
    NPV,
    PPV,
    Accuracy,
    BalancedAccuracy,
    F,
    Kappa,
    LRNegative,
    LRPositive,
    PredictedPositiveRate,
    Youden,
)
from .influence import Influence
from .kappa import AUK, MaxKappa
from .precision import AP, InitialTPR
from .registry import REGISTRY, register
from .risks import OE, Brier, CalibrationIntercept, CalibrationSlope, LogLoss, NetBenefit

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
    "BalancedAccuracy",
    "Brier",
    "CIndex",
    "CalibrationIntercept",
    "CalibrationSlope",
    "ClassMeasure",
    "F",
    "HandTill",
    "Influence",
    "InitialTPR",
    "Kappa",
    "LRNegative",
    "LRPositive",
    "LocalC",
    "LogLoss",
    "Macro",
    "MaxKappa",
    "Measure",
    "NetBenefit",
    "PAUCc",
    "PAUCx",
    "PartialC",
    "PredictedPositiveRate",
    "Sensitivity",
    "Specificity",
    "Statistic",
    "VersusRest",
    "Youden",
    "register",
]
