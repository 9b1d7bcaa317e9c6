from .figures_of_results import fitted, forest, operating_points, ratings, reader_curves
from .other_curves import concordance, hits, kappa, precision_recall
from .risk_figures import calibration, decision_curve, risk_panels, risks
from .roc_curve import roc

__all__ = [
    "calibration",
    "concordance",
    "decision_curve",
    "fitted",
    "forest",
    "hits",
    "kappa",
    "operating_points",
    "precision_recall",
    "ratings",
    "reader_curves",
    "risk_panels",
    "risks",
    "roc",
]
