from .concordance_matrix import concordance
from .figures_of_results import (
    band,
    cutoff,
    fitted,
    forest,
    operating_points,
    permutations,
    profile,
    readers,
    replicates,
    scan,
)
from .other_curves import hits, kappa, precision_recall
from .rating_counts import ratings
from .reader_curves import reader_curves
from .risk_figures import calibration, decision_curve, risk_panels, risks
from .roc_curve import roc

__all__ = [
    "band",
    "calibration",
    "concordance",
    "cutoff",
    "decision_curve",
    "fitted",
    "forest",
    "hits",
    "kappa",
    "operating_points",
    "permutations",
    "precision_recall",
    "profile",
    "ratings",
    "reader_curves",
    "readers",
    "replicates",
    "risk_panels",
    "risks",
    "roc",
    "scan",
]
