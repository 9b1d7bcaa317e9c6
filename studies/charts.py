"""Charts at the beginning of the pages on validation and comparison."""

from pathlib import Path

import matplotlib.pyplot as plt

import comparison_page
import pages
import silent
from study_cells import estimates_of, load, with_silent_samples

OURS, OTHERS, RANGE = "#0B3C6F", "#DB7B1B", "#8CC0E6"
MARKERS = dict(zip(comparison_page.MEASURES, "osD^", strict=True))
SETTINGS = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
}


def coverage_by_measure(path: Path = pages.STUDY) -> None:
    """Draw the coverage of intervals without a warning, by measure, against 95%."""
    part = estimates_of(load(path))
    families = {k.strip("`"): v for k, v in silent.families(part).items() if "class" not in k}
    with plt.rc_context(SETTINGS):
        axes = plt.subplots(figsize=(6.2, 0.28 * len(families) + 0.9), layout="constrained")[1]
        for y, which in enumerate(families.values()):
            covers = with_silent_samples(part[which])["unwarned_coverage"]
            q = covers.quantile([0.01, 0.1, 0.5, 0.9, 0.99]).to_numpy()
            axes.plot(q[[0, 4]], [y, y], color=RANGE, lw=1.2)
            axes.plot(q[[1, 3]], [y, y], color=RANGE, lw=4.5, solid_capstyle="butt")
            axes.plot(q[2], y, "o", color=OURS, ms=5)
        axes.axvline(95.0, color="0.4", lw=0.9, ls=(0, (4, 2)), zorder=0)
        axes.set_yticks(range(len(families)), families)
        axes.invert_yaxis()
        axes.set_xlabel("Coverage of 95% intervals (%): median, 10 to 90%, 1 to 99% of cells")


def coverage_of_methods() -> None:
    """Draw the coverage of the default and of other software, with a dot for each cell."""
    rows = [r for r in comparison_page.read() if r["kind"] == "estimates"]
    methods = {m: comparison_page.of(rows, m) for m in comparison_page.METHODS}
    methods = {m: found for m, found in methods.items() if found}
    step = 0.15
    with plt.rc_context(SETTINGS):
        axes = plt.subplots(figsize=(6.2, 0.5 * len(methods) + 1.3), layout="constrained")[1]
        for y, (method, found) in enumerate(methods.items()):
            colour = OURS if method is comparison_page.DEFAULT else OTHERS
            for k, (measure, marker) in enumerate(MARKERS.items()):
                covers = [float(r["coverage"]) for r in found if r["measure"] == measure]
                at = y + step * (k - 1.5)
                axes.plot(covers, [at] * len(covers), marker, color=colour, ms=4, alpha=0.8)
        for measure, marker in MARKERS.items():
            label = comparison_page.MEASURES[measure]
            axes.plot([], [], marker, color="0.3", ms=4, label=label)
        axes.axvline(95.0, color="0.4", lw=0.9, ls=(0, (4, 2)), zorder=0)
        axes.set_yticks(range(len(methods)), [m.label.strip("*") for m in methods])
        axes.invert_yaxis()
        axes.set_xlabel("Coverage of 95% intervals (%); every dot is a population and a size")
        axes.figure.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=8)
