"""Simulation of intervals of measures with estimated ends, on curves that are not smooth.

"joined" and "logit" are the kinds of interval of `pauci.estimate`. Run by studies/evidence.py.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import ndtr

import pauci

Tail = Callable[[np.ndarray], np.ndarray]


class Scores(NamedTuple):
    """Scores of both classes: how they are drawn, and the proportions above a score."""

    draw_pos: Callable[[np.random.Generator, int], np.ndarray]
    draw_neg: Callable[[np.random.Generator, int], np.ndarray]
    pos_above: Tail
    neg_above: Tail
    grid: np.ndarray


def mixture(parts: Sequence[tuple[float, float, float]]):
    """Return how a mixture of normal distributions is drawn, and its upper tail."""
    weights, means, sds = (np.array(v) for v in zip(*parts, strict=True))

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        which = rng.choice(len(weights), n, p=weights)
        return rng.normal(means[which], sds[which])

    def above(x: np.ndarray) -> np.ndarray:
        return np.asarray(
            sum(w * ndtr((m - x) / s) for w, m, s in zip(weights, means, sds, strict=True))
        )

    return draw, above


def mixtures(pos: Sequence[tuple[float, float, float]], neg: Sequence[tuple[float, float, float]]):
    """Return scores that are mixtures of normal distributions."""
    (draw_pos, pos_above), (draw_neg, neg_above) = mixture(pos), mixture(neg)
    return Scores(draw_pos, draw_neg, pos_above, neg_above, np.linspace(12.0, -12.0, 60_001))


def distributions(pos, neg, low: float, high: float):
    """Return scores of two distributions of scipy.stats."""
    return Scores(
        lambda rng, n: pos.rvs(n, random_state=rng),
        lambda rng, n: neg.rvs(n, random_state=rng),
        pos.sf,
        neg.sf,
        np.linspace(high, low, 60_001),
    )


def ratings(pos: Sequence[float], neg: Sequence[float]):
    """Return scores on a rating scale, from the proportions of the ratings 1, 2, ..."""
    p, q = np.array(pos), np.array(neg)

    def above(shares: np.ndarray) -> Tail:
        cumulative = np.concatenate((np.cumsum(shares[::-1])[::-1], [0.0]))
        return lambda x: cumulative[np.clip(np.floor(x).astype(int), 0, len(shares))]

    return Scores(
        lambda rng, n: rng.choice(len(p), n, p=p) + 1.0,
        lambda rng, n: rng.choice(len(q), n, p=q) + 1.0,
        above(p),
        above(q),
        np.arange(len(p) + 0.5, -0.5, -1.0),
    )


def hurdle(mean: float, zeros_pos: float, zeros_neg: float):
    """Return gamma scores of which a part is 0 in both classes."""
    pos, neg = stats.gamma(2.0, scale=mean), stats.gamma(2.0)

    def drawn(dist, share):
        return lambda rng, n: np.where(rng.random(n) < share, 0.0, dist.rvs(n, random_state=rng))

    grid = np.concatenate((np.linspace(40.0, 1e-9, 60_000), [-1.0]))
    return Scores(
        drawn(pos, zeros_pos),
        drawn(neg, zeros_neg),
        lambda x: np.where(x < 0.0, 1.0, (1.0 - zeros_pos) * pos.sf(x)),
        lambda x: np.where(x < 0.0, 1.0, (1.0 - zeros_neg) * neg.sf(x)),
        grid,
    )


POPULATIONS = {
    "binormal": mixtures([(1, 1.2, 1)], [(1, 0, 1)]),
    "binormal, positives wide": mixtures([(1, 1.5, 2)], [(1, 0, 1)]),
    "three modes of negatives": mixtures(
        [(1, 1.0, 1.2)], [(0.35, -2.5, 0.2), (0.35, 0.0, 0.2), (0.3, 2.2, 0.2)]
    ),
    "two modes of positives": mixtures([(0.5, -0.5, 0.2), (0.5, 2.5, 0.2)], [(1, 0, 1)]),
    "plateau": mixtures([(0.55, 2.6, 0.5), (0.45, -1.2, 0.5)], [(0.2, 1.2, 0.3), (0.8, -0.6, 0.6)]),
    "U-shaped": mixtures([(0.4, 3.0, 0.5), (0.6, -2.0, 0.5)], [(1, 0, 0.6)]),
    "crossing Gumbel": distributions(stats.gumbel_r(0.9, 1.0), stats.gumbel_l(0.0, 0.8), -20, 20),
    "t with 2.5 df, AUC .985": distributions(stats.t(2.5, 4.1), stats.t(2.5), -200, 200),
    "lognormal": distributions(stats.lognorm(1.0, scale=3.0), stats.lognorm(0.8), 0, 120),
    "hurdle gamma": hurdle(2.5, 0.25, 0.55),
    "four ratings": ratings((0.1, 0.2, 0.3, 0.4), (0.5, 0.3, 0.15, 0.05)),
    "seven ratings": ratings(
        (0.05, 0.05, 0.1, 0.15, 0.2, 0.2, 0.25), (0.3, 0.2, 0.2, 0.1, 0.1, 0.06, 0.04)
    ),
}


def curve(scores: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Return the population curve from (0, 0) to (1, 1)."""
    x, y = scores.neg_above(scores.grid), scores.pos_above(scores.grid)
    x, y = np.concatenate(([0.0], x, [1.0])), np.concatenate(([0.0], y, [1.0]))
    return np.maximum.accumulate(x), np.maximum.accumulate(y)


def true_value(scores: Scores, measure: pauci.Measure) -> float:
    """Return a partial area of the population, or LocalC."""
    x, y = curve(scores)
    axis = measure.region.axis
    low, high = map(float, measure.region.bounds)
    if axis == "tpr":  # with the classes exchanged
        x, y = 1.0 - y[::-1], 1.0 - x[::-1]
        low, high = 1.0 - high, 1.0 - low
    y1, y2 = np.interp(low, x, y), np.interp(high, x, y)
    inside = (x > low) & (x < high)
    xs, ys = np.concatenate(([low], x[inside], [high])), np.concatenate(([y1], y[inside], [y2]))
    area = float(np.trapezoid(ys, xs))
    if isinstance(measure, pauci.LocalC):
        share = (area - y1 * (high - low)) / ((high - low) * (y2 - y1))
        return float(share)
    right = 0.5 if isinstance(measure, (pauci.PAUCc, pauci.PartialC)) else 1.0
    value = area + right * ((1.0 - high) * y2 - (1.0 - low) * y1)
    if getattr(measure, "normalized", False):
        value /= (1.0 - right) * (high - low) + right * (y2 - y1)
    return float(value)
