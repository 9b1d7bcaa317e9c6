"""Design effects of differences between cut-offs, for clusters and sampling weights."""

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.cutoffs.best_set import Candidates
from pauci.cutoffs.optimism import CodedRows


def design_effects(coded: CodedRows, c: Candidates) -> FloatArray | None:
    """Return the ratio of variances for each pair of candidates; None for independent rows.

    It is the variance of the difference of the criterion, linearized at the first candidate, with
    the clusters and weights, divided by that of as many independent rows.
    """
    if coded.mass is None and coded.cluster is None:
        return None
    pos, neg = _influence(coded, c.entries)
    units = pos.shape[0]
    factor = units / max(units - 1, 1)
    products = [factor * (a.T @ b) for a, b in ((pos, pos), (neg, neg), (pos, neg))]
    of_pos, of_neg, both = map(_of_differences, products)
    shares = [
        np.abs(np.subtract.outer(above, above)) / n
        for above, n in ((c.pos, c.n_pos), (c.neg, c.n_neg))
    ]
    independent = [s * (1.0 - s) / n for s, n in zip(shares, (c.n_pos, c.n_neg), strict=True)]
    w1, w0 = c.by_tpr[:, None], c.by_fpr[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = (w1**2 * of_pos + w0**2 * of_neg - 2.0 * w1 * w0 * both) / (
            w1**2 * independent[0] + w0**2 * independent[1]
        )
    return np.where(np.isfinite(ratio), ratio, 1.0)


def _of_differences(covariance: FloatArray) -> FloatArray:
    """Return the (co)variances of the differences of each pair of candidates."""
    own = np.diagonal(covariance)
    return np.asarray(own[:, None] + own[None, :] - covariance - covariance.T)


def _influence(coded: CodedRows, entries: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the contributions of each unit to both rates at each candidate."""
    column = np.searchsorted(entries, coded.code, side="right")
    size = entries.size + 1
    n = coded.code.size
    unit = np.arange(n) if coded.cluster is None else coded.cluster
    units = int(unit.max()) + 1
    mass = np.ones(n) if coded.mass is None else coded.mass
    both = []
    for label in (coded.positive, ~coded.positive):
        cells = np.bincount(unit[label] * size + column[label], mass[label], units * size)
        above = np.cumsum(cells.reshape(units, size), axis=1)
        total = above[:, -1:]
        rate = above[:, :-1].sum(axis=0) / total.sum()
        both.append((above[:, :-1] - rate * total) / total.sum())
    return both[0], both[1]
