"""Figures of samples and results, with matplotlib (``pip install 'pauci[plot]'``).

Every function takes ``ax=``, the axes to draw in, and returns them. Without it there is a new
figure in the width of a journal's column, 85 mm, with letters of 7 points and more, in colours that
the colour-blind and a print in grey tell apart. matplotlib loads with the first figure.

Write one to a file with ``ax.figure.savefig("figure.pdf")``. In a vector file text stays text if
``matplotlib.rcParams["svg.fonttype"] = "none"`` and ``["pdf.fonttype"] = 42`` are set before.
"""

from pauci.plot.band_plot import band
from pauci.plot.concordance_matrix import concordance
from pauci.plot.fitted_curve import fitted
from pauci.plot.forest_plot import forest
from pauci.plot.operating_points_plot import operating_points
from pauci.plot.other_curves import hits, kappa, precision_recall
from pauci.plot.profile_plot import profile
from pauci.plot.rating_counts import ratings
from pauci.plot.reader_plots import reader_curves, readers
from pauci.plot.replicate_histogram import permutations, replicates
from pauci.plot.roc_curve import roc
from pauci.plot.scan_plot import scan

__all__ = [
    "band",
    "concordance",
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
    "roc",
    "scan",
]
