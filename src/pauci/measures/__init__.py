"""Measures of a part of the ROC curve, one module per family."""

# Listed by name, because type checkers do not evaluate sums of lists.
from pauci.measures.accuracy import Accuracy
from pauci.measures.area import AUC, PAUC, PAUCc, PAUCx
from pauci.measures.balanced_accuracy import BalancedAccuracy
from pauci.measures.base import REGISTRY, Measure, register
from pauci.measures.brier import Brier
from pauci.measures.calibration_intercept import CalibrationIntercept
from pauci.measures.calibration_slope import CalibrationSlope
from pauci.measures.concordance import LocalC, PartialC
from pauci.measures.f_score import F
from pauci.measures.influence import Influence
from pauci.measures.kappa import AUK, MaxKappa
from pauci.measures.kappa_at_cutoff import Kappa
from pauci.measures.likelihood_ratios import LRNegative, LRPositive
from pauci.measures.log_loss import LogLoss
from pauci.measures.mcc import MCC
from pauci.measures.net_benefit import NetBenefit
from pauci.measures.npv import NPV
from pauci.measures.oe import OE
from pauci.measures.point import Sensitivity, Specificity
from pauci.measures.ppv import PPV
from pauci.measures.precision import AP, InitialTPR
from pauci.measures.predicted_positive_rate import PredictedPositiveRate
from pauci.measures.scaled_area import PAI, SPA
from pauci.measures.user_function import Statistic
from pauci.measures.youden import Youden

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
