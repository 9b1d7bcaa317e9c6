"""Measures of a part of the ROC curve, one module per family."""

# Listed by name, because type checkers do not evaluate sums of lists.
from pauci.measures.area import AUC, PAI, PAUC, SPA, PAUCc, PAUCx
from pauci.measures.base import REGISTRY, Measure, register
from pauci.measures.concordance import LocalC, PartialC
from pauci.measures.decisions import (
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
from pauci.measures.influence import Influence
from pauci.measures.kappa import AUK, MaxKappa
from pauci.measures.net_benefit import NetBenefit
from pauci.measures.point import Sensitivity, Specificity
from pauci.measures.precision import AP, InitialTPR
from pauci.measures.risks import OE, Brier, CalibrationIntercept, CalibrationSlope, LogLoss
from pauci.measures.user_function import Statistic

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
    "Brier",
    "CalibrationIntercept",
    "CalibrationSlope",
    "F",
    "Influence",
    "InitialTPR",
    "Kappa",
    "LRNegative",
    "LRPositive",
    "LocalC",
    "LogLoss",
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
    "Youden",
    "register",
]
