"""Figures of samples and results, with matplotlib (the extra ``plot``).

Every function takes ``ax=``, the axes to draw in, and returns them. By default it creates a figure
that is as wide as a journal column, 85 mm, with text of at least 7 points. The colours can be
distinguished by colour-blind readers and in greyscale print. matplotlib is imported when the first
figure is drawn.

Save a figure with ``ax.figure.savefig("figure.pdf")``. Vector files keep text as text if
``matplotlib.rcParams["svg.fonttype"] = "none"`` and ``["pdf.fonttype"] = 42`` are set before.
"""

from pauci.plot.concordance_matrix import concordance
from pauci.plot.figures_of_results import (
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
from pauci.plot.other_curves import hits, kappa, precision_recall
from pauci.plot.rating_counts import ratings
from pauci.plot.reader_curves import reader_curves
from pauci.plot.risk_figures import calibration, decision_curve, risk_panels, risks
from pauci.plot.roc_curve import roc
from pauci.plot.roc_display import RocDisplay

__all__ = [
    "RocDisplay",
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
