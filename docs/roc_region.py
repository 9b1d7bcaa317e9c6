"""Draw the picture of the README: one part of two ROC curves, with its estimates.

Usage: python docs/roc_region.py [OUTPUT.png]
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt
from sklearn.metrics import roc_curve

import pauci

REGION = (0, 1 / 3)
COLOURS = {"svm": "#b3541e", "nn": "#1f5f8b"}


def main(path: Path) -> None:
    """Write the picture to a file."""
    frame = pauci.datasets.load_ljubljana_scores()
    sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    measure = pauci.PAUCc(fpr=REGION)
    test = pauci.compare(sample, measure)

    figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    axes.axvspan(*REGION, color="0.93", lw=0)
    axes.plot([0, 1], [0, 1], color="0.7", lw=1, ls=":")
    for e in test.estimates:
        fpr, tpr, _ = roc_curve(frame["recurrence"], frame[e.classifier])
        low, high = e.interval()
        label = f"{e.classifier}: pAUCc {e.value:.3f} (95% CI {low:.3f} to {high:.3f})"
        axes.plot(fpr, tpr, color=COLOURS[e.classifier], lw=1.8, label=label)
        axes.plot([e.region.fpr.high], [e.region.tpr.high], "o", color=COLOURS[e.classifier], ms=6)
    low, high = test.interval()
    axes.set_title(
        f"Difference on FPR 0 to 1/3: {test.difference:.3f} "
        f"(95% CI {low:.3f} to {high:.3f}), p = {test.pvalue:.2f}",
        fontsize=11,
    )
    axes.set(xlim=(0, 1), ylim=(0, 1.005), xlabel="False positive rate (1 - specificity)")
    axes.set_ylabel("True positive rate (sensitivity)")
    axes.set_xticks(np.arange(0, 1.01, 0.2))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False, fontsize=10)
    figure.savefig(path, dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    default = Path(__file__).with_suffix(".png")
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
