"""Draw the picture of the README: one part of two ROC curves, with its estimates.

Usage: python docs/roc_region.py [OUTPUT.png]
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import pauci


def main(path: Path) -> None:
    """Write the picture to a file."""
    frame = pauci.datasets.load_ljubljana_scores()
    sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    test = pauci.compare(sample, pauci.PAUCc(fpr=(0, 1 / 3)))
    axes = pauci.plot.roc(sample, test)
    axes.figure.set_size_inches(4.6, 4.2)
    axes.figure.savefig(path, dpi=200)
    plt.close(axes.figure)


if __name__ == "__main__":
    default = Path(__file__).with_suffix(".png")
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
