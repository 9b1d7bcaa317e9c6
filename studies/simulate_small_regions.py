"""Simulation of regions with few observations, by the sizes of the classes, and their warnings.

Run by studies/evidence.py.
"""

from collections.abc import Sequence

import numpy as np
from scipy import stats

import pauci
import simulate
from evidence_tables import CONTINUOUS, Table, holds, number, samples, size_of
from pauci.errors import DegenerateWarning

MEASURES = (pauci.PAUC(fpr=(0, 0.1)), pauci.PAUC(fpr=(0.2, 0.3)))
RATIOS = (1, 2, 5)
EXPECTED = (1, 2, 3, 5, 8)


def small_regions(
    replicates: int = 300, all_expected: Sequence[int] = EXPECTED
) -> dict[str, Table]:
    """Return the table `small-regions`: coverage by the class sizes and the negatives inside."""
    rows = []
    for expected in all_expected:
        for ratio in RATIOS:
            sizes = 10 * expected * ratio, 10 * expected
            covered = []
            for seed, population in enumerate(CONTINUOUS):
                true = [simulate.truth(population, m) for m in MEASURES]
                hits = np.zeros(len(MEASURES))
                for sample in samples(population, sizes, replicates, 870 + seed):
                    found = pauci.estimate(sample, MEASURES)
                    hits += [holds(e.interval(), t) for e, t in zip(found, true, strict=True)]
                covered.append(100.0 * hits / replicates)
            mean, worst = np.mean(covered, axis=0), np.min(covered, axis=0)
            cells = [number(v[i]) for i in range(len(MEASURES)) for v in (mean, worst)]
            rows.append([str(expected), str(ratio), *cells])
    header = [f"FPR {r}: {w}" for r in ("[0, 0.1]", "[0.2, 0.3]") for w in ("mean", "lowest")]
    return {"small-regions": [["expected inside", "positives per negative", *header], *rows]}


SMALL = ((12, 12), (15, 20), (20, 15), (12, 60))
"""Numbers of positives and of negatives."""

AREAS = (
    *(pauci.PAUC(fpr=r) for r in ((0, 0.05), (0, 0.1), (0, 0.2), (0.1, 0.3), (0.2, 0.25))),
    *(pauci.PAUCx(tpr=r) for r in ((0.9, 1), (0.8, 1))),
    *(pauci.PAUCc(fpr=r) for r in ((0, 0.1), (0, 0.2), (0.1, 0.15))),
    pauci.PAUCc(tpr=(0.8, 1)),
    pauci.SPA(fpr=(0, 0.1)),
)

INSIDE = {"below 1": (0, 1), "1 to 2": (1, 2), "2 and more": (2, np.inf)}
"""Numbers of observations that are expected in a region."""


def region_warnings(
    replicates: int = 60, all_sizes: Sequence[tuple[int, int]] = SMALL
) -> dict[str, Table]:
    """Return the table `region-warnings`: coverage and warnings by the number expected inside."""
    rows = []
    for sizes in all_sizes:
        cells = []
        for seed, population in enumerate(CONTINUOUS):
            true = [simulate.truth(population, m) for m in AREAS]
            drawn = samples(population, sizes, replicates, 890 + seed)
            found = [pauci.estimate(sample, AREAS) for sample in drawn]
            for i, measure in enumerate(AREAS):
                n = sizes[measure.region.axis == "fpr"]
                estimates = [of_sample[i] for of_sample in found]
                cells.append((n * measure.region.width + 1e-9, *_coverage(estimates, true[i])))
        inside, *columns = np.array(cells).T
        for words, (low, high) in INSIDE.items():
            covers, silent, few, degenerate = (
                c[(low <= inside) & (inside < high)] for c in columns
            )
            if not covers.size:
                continue
            fine = covers >= 90.0
            means = covers.mean(), covers.min(), few[fine].mean(), degenerate[fine].mean()
            known = silent[~np.isnan(silent)]
            below = number(100.0 * np.mean(known < 90.0)) if known.size else "-"
            rows.append([size_of(sizes), words, str(covers.size), *map(number, means), below])
    header = ["n1/n0", "expected inside", "cells", "coverage", "lowest"]
    header += ["warned: few inside", "warned: SE 0", "silent cells below 90"]
    return {"region-warnings": [header, *rows]}


TAILS = {
    "normal": (stats.norm(1.5), stats.norm()),
    "normal, AUC 0.76": (stats.norm(1), stats.norm()),
    "t, 3 df": (stats.t(3, loc=1.5), stats.t(3)),
    "t, 3 df, AUC 0.94": (stats.t(3, loc=3), stats.t(3)),
    "Laplace": (stats.laplace(1.5), stats.laplace()),
    "logistic": (stats.logistic(2), stats.logistic()),
    "lognormal": (stats.lognorm(0.8, loc=1), stats.lognorm(0.8)),
    "gamma": (stats.gamma(2, loc=1.5), stats.gamma(2)),
    "exponential": (stats.expon(scale=4), stats.expon()),
    "uniform": (stats.uniform(0.4, 1), stats.uniform(0, 1)),
}
"""Distributions of positives and of negatives."""

OF_POINTS = ((30, 30), (40, 150), (150, 40), (100, 100))
"""Numbers of positives and of negatives."""

BEYOND = (0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0)


def points_beyond(
    replicates: int = 150, all_expected: Sequence[float] = BEYOND
) -> dict[str, Table]:
    """Return the table `points-beyond`: coverage by the observations expected beyond a point."""
    of_number: dict[float, list[float]] = {expected: [] for expected in all_expected}
    for seed, (positives, negatives) in enumerate(TAILS.values()):
        for n_pos, n_neg in OF_POINTS:
            rng, y = np.random.default_rng(910 + seed), np.repeat([1, 0], [n_pos, n_neg])
            measures, true = [], []
            for expected in all_expected:
                x, u = expected / n_neg, expected / n_pos
                measures += [pauci.Sensitivity(fpr=x), pauci.Specificity(tpr=1.0 - u)]
                true += [positives.sf(negatives.isf(x)), negatives.cdf(positives.ppf(u))]
            covered = np.zeros((replicates, len(measures)))
            for k in range(replicates):
                scores = [
                    d.rvs(n, random_state=rng) for d, n in ((positives, n_pos), (negatives, n_neg))
                ]
                found = pauci.estimate(
                    pauci.Sample(y, np.concatenate(scores), design="case-control"), measures
                )
                for i, e in enumerate(found):
                    extreme = any(isinstance(c, DegenerateWarning) for c in e.cautions)
                    covered[k, i] = np.nan if extreme else holds(e.interval(), true[i])
            known = np.mean(~np.isnan(covered), axis=0) >= 0.2
            means = np.nanmean(covered[:, known], axis=0)
            for i, mean in zip(np.flatnonzero(known), means, strict=True):
                of_number[all_expected[i // 2]].append(100.0 * mean)
    rows = []
    for expected, cells in of_number.items():
        below = 100.0 * np.mean(np.array(cells) < 90.0)
        numbers = map(number, (np.mean(cells), np.min(cells), below))
        rows.append([f"{expected:g}", str(len(cells)), *numbers])
    return {"points-beyond": [["expected beyond", "cells", "mean", "lowest", "below 90"], *rows]}


OF_A_CLASS = (2, 3, 4, 5, 6, 7, 10, 15)
AUCS = (0.75, 0.85, 0.95)


def few_of_a_class(
    replicates: int = 1000, all_positives: Sequence[int] = OF_A_CLASS
) -> dict[str, Table]:
    """Return the table `few-of-a-class`: tests of estimates of different rows, one of them of few.

    The other sample has 60 rows of each class of the same binormal population.
    """
    measures, rows = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.2))], []
    for n_pos in all_positives:
        sizes = []
        for auc in AUCS:
            shift, rejected = np.sqrt(2.0) * stats.norm.ppf(auc), np.zeros(len(measures))
            for seed in range(replicates):
                rng, arms = np.random.default_rng([990, seed]), []
                for counts in ((n_pos, 60), (60, 60)):
                    y = np.repeat([1, 0], counts)
                    arms.append(pauci.Sample(y, rng.normal(size=y.size) + shift * y))
                found = pauci.compare(arms, measures, adjust="none")
                rejected += [c.pvalue < 0.05 for c in found]
            sizes += map(number, 100.0 * rejected / replicates)
        rows.append([str(n_pos), *sizes])
    header = [f"AUC {auc:g}: {name}" for auc in AUCS for name in ("AUC", "pAUC")]
    return {"few-of-a-class": [["positives", *header], *rows]}


def _coverage(estimates: Sequence[pauci.Estimate], true: float) -> tuple[float, ...]:
    """Return percentages: coverage, that without a warning, and samples with each warning."""
    covers = np.array([holds(e.interval(), true) for e in estimates])
    kinds = [{type(c) for c in e.cautions} for e in estimates]
    degenerate = np.array([DegenerateWarning in k for k in kinds])
    few = np.array([bool(k - {DegenerateWarning}) for k in kinds])
    silent = ~(degenerate | few)
    unwarned = covers[silent].mean() if silent.mean() >= 0.2 else np.nan
    return tuple(100.0 * v for v in (covers.mean(), unwarned, few.mean(), degenerate.mean()))
