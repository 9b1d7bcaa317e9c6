"""Simulation of differences of sensitivities and of specificities at a given point of the curve.

The limits of both estimates are joined, or the interval is Wald's. Run by studies/evidence.py.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

import pauci
from evidence_tables import Table, number, size_of

MEASURES = (pauci.Sensitivity(fpr=0.1), pauci.Specificity(tpr=0.85))
LABELS = ("sensitivity", "specificity")

Quantiles = Callable[[np.ndarray], np.ndarray]


def _normal(mean: float, sd: float) -> Quantiles:
    return lambda u: mean + sd * ndtri(u)


def _mixture(share: float, *modes: tuple[float, float]) -> Quantiles:
    """Return the quantiles of two normals, the first of which has this share."""
    at = np.linspace(-12.0, 16.0, 40_001)
    first, second = (ndtr((at - mean) / sd) for mean, sd in modes)
    cdf = share * first + (1.0 - share) * second
    return lambda u: np.interp(u, cdf, at)


def _ratings(quantiles: Quantiles) -> Quantiles:
    """Return five ratings."""
    return lambda u: np.clip(np.floor(quantiles(u) / 0.9), -1.0, 3.0)


SCORES: dict[str, tuple[Quantiles, Quantiles]] = {
    "binormal": (_normal(0, 1), _normal(1.2, 1)),
    "wide": (_normal(0, 1), _normal(1.6, 2)),
    "narrow": (_normal(0, 1), _normal(1.4, 0.5)),
    "gap": (_normal(0, 1), _mixture(0.15, (-0.3, 0.5), (2.2, 0.5))),
    "two modes": (_mixture(0.85, (0, 0.5), (2.5, 0.5)), _normal(1.8, 1)),
    "ratings": (_ratings(_normal(0, 1)), _ratings(_normal(1.5, 1.1))),
}
"""Quantile functions of negatives and of positives. The positives of "gap" have few scores near
their 0.15 quantile, and the negatives of "two modes" near their 0.9 quantile."""


class Case(NamedTuple):
    """The scores of both classifiers, the sizes, and the correlation; None for two samples."""

    first: str
    second: str
    sizes: tuple[int, int]
    correlation: float | None = 0.5


SMALL, MIDDLE, LARGE = (40, 60), (200, 200), (1000, 1000)
CASES = (
    *[Case("binormal", "binormal", n) for n in ((20, 20), SMALL, MIDDLE, LARGE)],
    *[Case("binormal", "binormal", SMALL, rho) for rho in (0.0, 0.9, None)],
    *[Case("wide", "narrow", n) for n in ((20, 20), SMALL, MIDDLE)],
    *[Case("binormal", "gap", n) for n in (SMALL, MIDDLE, LARGE)],
    *[Case("binormal", "gap", SMALL, rho) for rho in (0.0, 0.9, None)],
    *[Case("two modes", "binormal", n) for n in (SMALL, MIDDLE)],
    *[Case("ratings", "ratings", n) for n in ((20, 20), SMALL, MIDDLE)],
    *[Case("ratings", "binormal", n) for n in (SMALL, MIDDLE)],
    *[Case("binormal", "wide", n) for n in ((15, 400), (400, 15))],
)


def points(replicates: int = 400, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `points`: sizes of tests of the true difference, and relative widths."""
    rows = []
    for case in cases:
        names = case.first if case.first == case.second else f"{case.first}, {case.second}"
        relation = "independent" if case.correlation is None else f"{case.correlation:g}"
        cells = _cells(case, replicates)
        rows.append([names, relation, size_of(case.sizes), *cells])
    tests = ("Wald", "joined", "Wald, one-sided", "joined, one-sided", "width")
    header = [f"{label}: {test}" for label in LABELS for test in tests]
    return {"points": [["scores", "correlation", "n1/n0", *header], *rows]}


def _cells(case: Case, replicates: int) -> list[str]:
    """Return the sizes of tests of both measures, and the median width relative to Wald's."""
    rng = np.random.default_rng([910, CASES.index(case)])
    true = np.subtract(*(_true_values(SCORES[name]) for name in case[:2]))
    rejected, widths = np.zeros((len(MEASURES), 4)), np.empty((replicates, len(MEASURES)))
    for k in range(replicates):
        found = pauci.compare(drawn_pair(rng, case), MEASURES)
        for i, (c, t) in enumerate(zip(found, true, strict=True)):
            wald, joined = (c.interval(0.95, kind) for kind in ("wald", "joined"))
            bounds = (c.interval(0.9, kind).low for kind in ("wald", "joined"))
            rejected[i] += [not low <= t <= high for low, high in (wald, joined)] + [
                t < low for low in bounds
            ]
            widths[k, i] = (joined.high - joined.low) / (wald.high - wald.low)
    sizes, medians = 100.0 * rejected / replicates, np.median(widths, axis=0)
    return [
        text
        for row, width in zip(sizes, medians, strict=True)
        for text in (*map(number, row), f"{width:.2f}")
    ]


def drawn_pair(rng: np.random.Generator, case: Case):
    """Return a sample of both classifiers, or two samples."""
    y = np.repeat([1, 0], case.sizes)
    rho = case.correlation or 0.0
    common = rng.standard_normal(y.size)
    columns = {}
    for name, scores in zip("ab", case[:2], strict=True):
        z = math.sqrt(rho) * common + math.sqrt(1.0 - rho) * rng.standard_normal(y.size)
        negatives, positives = (quantiles(ndtr(z)) for quantiles in SCORES[scores])
        columns[name] = np.where(y == 1, positives, negatives)
    if case.correlation is None:
        return [pauci.Sample(y, {name: scores}) for name, scores in columns.items()]
    return pauci.Sample(y, columns)


def roc_of(quantiles: tuple[Quantiles, Quantiles]) -> tuple[np.ndarray, np.ndarray]:
    """Return the FPR and the TPR of the points of the ROC curve of a population."""
    at = (np.arange(1_000_000) + 0.5) / 1e6
    negatives, positives = (q(at) for q in quantiles)
    cuts = np.unique(np.concatenate((negatives[::97], positives[::97])))[::-1]
    fpr, tpr = (
        np.concatenate(([0.0], 1.0 - np.searchsorted(s, cuts, side="left") / s.size, [1.0]))
        for s in (negatives, positives)
    )
    new = np.append(True, (np.diff(fpr) > 0.0) | (np.diff(tpr) > 0.0))
    return fpr[new], tpr[new]


def _true_values(quantiles: tuple[Quantiles, Quantiles]) -> np.ndarray:
    """Return the value of each measure in a population."""
    fpr, tpr = roc_of(quantiles)
    return np.array([np.interp(0.1, fpr, tpr), 1.0 - np.interp(0.85, tpr, fpr)])
