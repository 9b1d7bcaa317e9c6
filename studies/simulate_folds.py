"""Simulation of averages over folds whose models were fitted to the other folds.

The estimand is the mean true AUC of the K fitted models. Run by studies/evidence.py.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

import pauci
from evidence_tables import number

SEPARATION = 1.2
"""Distance of the class means, along the first feature."""

CASES: tuple[tuple[int, int, int, bool], ...] = (
    (200, 5, 2, True),
    (200, 5, 10, True),
    (200, 5, 40, True),
    (400, 10, 20, True),
    (200, 5, 40, False),
)
"""Rows, folds, features, and whether each model was fitted to the other folds of the same data."""


def folds(replicates: int = 1000, cases: Sequence[tuple[int, int, int, bool]] = CASES):
    """Return the table `folds`: coverage and standard errors of averages over folds.

    "conservative" is the coverage on the same samples with ``conservative=True``.
    """
    rows = []
    for case in cases:
        n, count, features, same = case
        seed = 700 + CASES.index(case)
        covered, ratio, safe = behaviour(n, count, features, replicates, seed, same=same)
        models = "the other folds" if same else "other data"
        sizes = [str(n), str(count), str(features)]
        rows.append([*sizes, models, number(100 * covered), f"{ratio:.2f}", number(100 * safe)])
    header = ["rows", "folds", "features", "models fitted to", "coverage", "SE/SD", "conservative"]
    return {"folds": [header, *rows]}


def behaviour(
    n: int, count: int, features: int, replicates: int, seed: int, *, same: bool
) -> tuple[float, float, float]:
    """Return coverage, SE/SD, and the coverage of the conservative interval."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    fold = np.arange(n) // 2 % count
    covered, safe, errors, variances = 0, 0, [], []
    for _ in range(replicates):
        x, other_data = (_drawn(rng, labels, features) for _ in range(2))
        scores, true = np.empty(n), []
        for k in range(count):
            train = x if same else other_data
            weights = _fitted(train[fold != k], labels[fold != k])
            scores[fold == k] = x[fold == k] @ weights
            length = np.sqrt(2.0 * weights @ weights)
            true.append(float(ndtr(SEPARATION * weights[0] / length)))
        sample, target = pauci.Sample(labels, scores, fold=fold), float(np.mean(true))
        e = pauci.estimate(sample, pauci.AUC())
        low, high = e.interval()
        covered += low <= target <= high
        low, high = pauci.estimate(sample, pauci.AUC(), conservative=True).interval()
        safe += low <= target <= high
        errors.append(e.value - target)
        variances.append(e.se**2)
    ratio = float(np.sqrt(np.mean(variances)) / np.std(errors))
    return covered / replicates, ratio, safe / replicates


def _drawn(rng: np.random.Generator, labels: np.ndarray, features: int) -> np.ndarray:
    x = rng.standard_normal((labels.size, features))
    x[:, 0] += SEPARATION * labels
    return x


def _fitted(x: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the coefficients of Fisher's linear discriminant."""
    means = [x[labels == c].mean(axis=0) for c in (1, 0)]
    centred = np.concatenate([x[labels == c] - m for c, m in zip((1, 0), means, strict=True)])
    return np.linalg.solve(centred.T @ centred / (len(x) - 2), means[0] - means[1])
