"""Pairs of classifiers whose curves have gaps, modes or ties, for simulations of bands."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

import pauci

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
