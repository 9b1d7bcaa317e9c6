"""Samples of the sampling designs: independent rows, clusters, weights and folds."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

import pauci
from design import Group
from populations import Population

WITHIN = 0.5
"""Correlation of the normal deviates of the scores within a cluster."""

SCREENED = 0.3
"""Proportion of the negatives that are screen-positive, all of whom are verified."""

VERIFIED = 0.1
"""Proportion of the screen-negatives that are verified."""


def sizes(group: Group, rng: np.random.Generator) -> tuple[int, int]:
    """Return the class sizes of a sample."""
    if group.design != "cohort":
        return group.n_pos, group.n_neg
    n, positives = group.n_pos + group.n_neg, 0
    while not 2 <= positives <= n - 2:
        positives = int(rng.binomial(n, group.n_pos / n))
    return positives, n - positives


def deviates(
    rng: np.random.Generator,
    n: int,
    correlation: float,
    cluster: np.ndarray | None = None,
    count: int = 2,
) -> np.ndarray:
    """Return rows of uniform numbers; normal deviates of the first and the others correlate."""
    z = rng.standard_normal((count, n))
    if cluster is not None:
        effect = rng.standard_normal((count, cluster.max() + 1))[:, cluster]
        z = WITHIN**0.5 * effect + (1.0 - WITHIN) ** 0.5 * z
    z[1:] = correlation * z[0] + (1.0 - correlation**2) ** 0.5 * z[1:]
    return ndtr(z)


def small_clusters(rng: np.random.Generator, n_pos: int, n_neg: int) -> np.ndarray:
    """Return clusters of four or five rows of one class."""
    return np.concatenate(
        [np.repeat(np.arange(n), rng.integers(4, 6, n))[:n] for n in (n_pos, n_neg)]
    ) + np.repeat([0, n_pos], (n_pos, n_neg))


def unequal_clusters(rng: np.random.Generator, n: int, largest: float, others: int) -> np.ndarray:
    """Return one cluster with this proportion of the rows, and others of about equal size.

    Clusters contain both classes.
    """
    return np.where(rng.random(n) < largest, 0, rng.integers(1, 1 + others, n))


UNEQUAL = {"8 effective clusters": (0.30, 15), "11 effective clusters": (0.25, 20)}
"""Proportion of the rows in the largest cluster, and number of the other clusters."""


def drawn(
    group: Group, populations: Sequence[Population], rng: np.random.Generator
) -> pauci.Sample:
    """Return a sample with the scores of one or more classifiers, named a, b, ..."""
    n_pos, n_neg = sizes(group, rng)
    y, extras = np.repeat([1, 0], (n_pos, n_neg)), {}
    if "clusters" in group.design:
        extras["cluster"] = (
            unequal_clusters(rng, y.size, *UNEQUAL[group.detail])
            if group.detail in UNEQUAL
            else small_clusters(rng, n_pos, n_neg)
        )
    elif group.design == "weights 0.7-1.3":
        extras["weight"] = rng.uniform(0.7, 1.3, y.size)
    elif group.design == "weights 10:1":
        extras["weight"] = np.where(rng.random(y.size) < 0.2, 10.0, 1.0)
    elif group.design == "folds":
        extras["fold"] = np.concatenate([rng.permutation(n) % 5 for n in (n_pos, n_neg)])
    u = deviates(rng, y.size, group.correlation, extras.get("cluster"), len(populations))
    scores = [p.scores(v[:n_pos], v[n_pos:]) for p, v in zip(populations, u, strict=True)]
    if group.design == "verification":
        positive = scores[0] >= populations[0].neg_score(np.array(SCREENED))
        kept = positive | (rng.random(y.size) < VERIFIED)
        extras["weight"] = np.where(positive, 1.0, 1.0 / VERIFIED)[kept]
        y, scores = y[kept], [s[kept] for s in scores]
    named = dict(zip("abcdefgh", scores, strict=False)) if len(scores) > 1 else scores[0]
    return pauci.Sample(
        y, named, design="cohort" if group.design == "cohort" else "case-control", **extras
    )
