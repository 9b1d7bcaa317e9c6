"""Populations of the validation study: scores of both classes, with the ROC curve and its inverse.

A population consists of the survival functions of its two score distributions and their inverses,
so that dependent scores can be drawn from uniform numbers, and true values require no simulation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import stats
from scipy.special import ndtr, ndtri

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Population:
    """Scores of positives and of negatives.

    `tail` functions return the proportion of a class above a score (for discrete scores, at or
    above it), and `score` functions the score that a proportion of the class exceeds.
    """

    name: str
    pos_tail: Function
    neg_tail: Function
    pos_score: Function
    neg_score: Function
    knots: tuple[tuple[float, float], ...] = ()
    """Operating points of a discrete population, from (0, 0) to (1, 1)."""
    corners: tuple[float, ...] = ()
    """FPR of the bends of a continuous curve."""
    gaps: tuple[float, ...] = ()
    """FPR between two modes of a class, where the curve is nearly vertical or horizontal."""
    cuts: tuple[float, float] = (0.0, 1.0)
    """The score range of the study's threshold region, low <= score < high."""
    curve: tuple[Function, Function] | None = None
    """The curve and its inverse, if a large tie makes them straight beyond an FPR."""
    tied: float = 1.0
    """The FPR beyond which all scores are tied."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """FPR where a continuous curve is not smooth, which divide the range of integrals."""
        return (*self.corners, *self.gaps)

    def roc(self, fpr):
        """Return the TPR at an FPR."""
        if self.knots:
            return np.interp(fpr, *zip(*self.knots, strict=True))
        if self.curve:
            return self.curve[0](fpr)
        return self.pos_tail(self.neg_score(fpr))

    def inverse(self, tpr):
        """Return the FPR at a TPR."""
        if self.knots:
            x, y = zip(*self.knots, strict=True)
            return np.interp(tpr, y, x)
        if self.curve:
            return self.curve[1](tpr)
        return self.neg_tail(self.pos_score(tpr))

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> np.ndarray:
        """Return scores, positives first."""
        return self.scores(rng.random(n_pos), rng.random(n_neg))

    def scores(self, pos: np.ndarray, neg: np.ndarray) -> np.ndarray:
        """Return the scores at these uniform numbers, positives first."""
        return np.concatenate((self.pos_score(pos), self.neg_score(neg)))


def continuous(
    name, pos_tail, neg_tail, pos_score, neg_score, *, corners=(), gaps=()
) -> Population:
    """Return a population whose threshold region is that of FPR .05 to .33."""
    cuts = tuple(float(neg_score(np.array(x))) for x in (0.33, 0.05))
    functions = pos_tail, neg_tail, pos_score, neg_score
    return Population(name, *functions, corners=corners, gaps=gaps, cuts=cuts)


def of_distributions(name, positives, negatives) -> Population:
    """Return a population from two SciPy distributions."""
    return continuous(name, positives.sf, negatives.sf, positives.isf, negatives.isf)


def binormal(mean: float, sd: float, name: str) -> Population:
    """Return negatives from N(0, 1), positives from N(mean, sd^2)."""
    return continuous(
        name,
        lambda s: ndtr((mean - s) / sd),
        lambda s: ndtr(-s),
        lambda u: mean - sd * ndtri(u),
        lambda u: -ndtri(u),
    )


Modes = Sequence[tuple[float, float, float]]


def _of_modes(modes: Modes) -> tuple[Function, Function]:
    """Return the tail of a mixture of normal distributions and its inverse.

    Each mode has a proportion, a mean and a standard deviation.
    """

    def tail(score):
        return sum(p * ndtr((mean - np.asarray(score)) / sd) for p, mean, sd in modes)

    ends = [mean + 9.0 * k * sd for _, mean, sd in modes for k in (-1.0, 1.0)]
    narrowest = min(sd for _, _, sd in modes)
    count = max(200_001, round(2000 * (max(ends) - min(ends)) / narrowest))
    grid = np.linspace(min(ends), max(ends), count)
    tails = tail(grid)
    return tail, lambda u: np.interp(-np.asarray(u), -tails, grid)


def mixture(name: str, positives: Modes, negatives: Modes, between=None, cuts=None) -> Population:
    """Return mixtures of normal distributions, with scores `between` two modes of a class.

    By default these are the scores four standard deviations from the mean of each mode.
    """
    (pos_tail, pos_score), (neg_tail, neg_score) = map(_of_modes, (positives, negatives))
    if between is None:
        modes = [*positives, *negatives]
        between = [mean + k * sd for _, mean, sd in modes for k in (-4.0, 4.0)]
    gaps = tuple(float(neg_tail(s)) for s in sorted(between, reverse=True))
    functions = pos_tail, neg_tail, pos_score, neg_score
    population = continuous(name, *functions, gaps=gaps)
    return population if cuts is None else replace(population, cuts=cuts)


def partly_like_negatives(name: str, share: float, mean: float, sd: float) -> Population:
    """Return negatives from N(0, 1), positives a mixture of N(mean, sd^2) and of negatives."""
    modes = [(share, mean, sd), (1.0 - share, 0.0, 1.0)]
    return mixture(name, modes, [(1.0, 0.0, 1.0)], between=())


def bend(name: str, at: float, height: float) -> Population:
    """Return a curve of two straight parts that meet at (at, height); scores are 1 - FPR."""

    def roc(x):
        return np.interp(x, (0.0, at, 1.0), (0.0, height, 1.0))

    def inverse(y):
        return np.interp(y, (0.0, height, 1.0), (0.0, at, 1.0))

    return continuous(
        name,
        lambda s: roc(1.0 - s),
        lambda s: 1.0 - s,
        lambda u: 1.0 - inverse(u),
        lambda u: 1.0 - u,
        corners=(at,),
    )


def ordinal(
    name: str, positives: Sequence[float], negatives: Sequence[float], cuts: tuple[float, float]
) -> Population:
    """Return ratings 1..K with these probabilities."""
    p, q = (np.concatenate(([0.0], np.cumsum(v[::-1]))) for v in (positives, negatives))
    p[-1] = q[-1] = 1.0
    highest = float(len(positives))

    def tail(cum, s):
        return cum[np.clip(np.floor(highest + 1.0 - np.asarray(s)), 0, highest).astype(int)]

    def score(cum, u):
        return highest - (np.searchsorted(cum, u, side="left").clip(1) - 1.0)

    knots = tuple(zip(q.tolist(), p.tolist(), strict=True))
    each = partial(tail, p), partial(tail, q), partial(score, p), partial(score, q)
    return Population(name, *each, knots=knots, cuts=cuts)


def counts(name: str, positives, negatives) -> Population:
    """Return counts with these two SciPy distributions, as ratings 1 + count."""
    highest = int(max(d.isf(1e-9) for d in (positives, negatives)))
    k = np.arange(highest + 1)
    shares = [np.append(d.pmf(k[:-1]), d.sf(highest - 1)) for d in (positives, negatives)]
    low, high = (1.0 + float(np.argmax(negatives.sf(k - 1) <= x)) for x in (0.33, 0.05))
    return ordinal(name, *shares, cuts=(low, high))


def improved(population: Population, shift: float, name: str) -> Population:
    """Return a population whose TPR is larger by `shift` on the normal scale.

    The population must not have a curve that a tie makes straight.
    """

    def higher(tpr):
        return ndtr(ndtri(tpr) + shift)

    return replace(
        population,
        name=name,
        pos_tail=lambda s: higher(population.pos_tail(s)),
        pos_score=lambda u: population.pos_score(ndtr(ndtri(u) - shift)),
        knots=tuple((x, float(higher(y))) for x, y in population.knots),
    )


def _rounded(name: str, mean: float, sd: float, step: float) -> Population:
    """Return binormal scores rounded to a grid, with many ties."""
    edges = np.arange(-3.0, mean + 3.0 * sd, step)
    tails = [np.concatenate((ndtr((m - edges) / s), [0.0])) for m, s in ((mean, sd), (0.0, 1.0))]
    shares = [np.concatenate(([1.0 - t[0]], -np.diff(t))) for t in tails]
    middle = len(shares[0])
    return ordinal(name, *shares, cuts=(middle * 0.5, middle * 0.7))


def of_curve(name: str, roc: Function, inverse: Function, corners, tied: float) -> Population:
    """Return scores 1 - FPR of a curve, and score 0 beyond the FPR `tied`.

    The curve has to be a straight line beyond this FPR.
    """
    return Population(
        name,
        lambda s: roc(1.0 - np.asarray(s)),
        lambda s: 1.0 - np.asarray(s),
        lambda u: np.where(inverse(u) < tied, 1.0 - inverse(u), 0.0),
        lambda u: np.where(u < tied, 1.0 - u, 0.0),
        corners=corners,
        cuts=(1.0 - min(0.33, tied), 0.95),
        curve=(roc, inverse),
        tied=tied,
    )


def zero_inflated(name: str, base: Population, share_pos: float, share_neg: float) -> Population:
    """Return scores of `base` for these proportions of the classes, and score 0 for the rest."""

    def roc(x):
        inside = share_pos * base.roc(np.minimum(x / share_neg, 1.0))
        outside = share_pos + (1.0 - share_pos) * (x - share_neg) / (1.0 - share_neg)
        return np.where(x < share_neg, inside, outside)

    def inverse(y):
        inside = share_neg * base.inverse(np.minimum(y / share_pos, 1.0))
        outside = share_neg + (1.0 - share_neg) * (y - share_pos) / (1.0 - share_pos)
        return np.where(y < share_pos, inside, outside)

    return of_curve(name, roc, inverse, (share_neg,), share_neg)


def detected(name: str, base: Population, share_neg: float) -> Population:
    """Return scores of `base` with a limit of detection exceeded by a share of the negatives."""
    height = float(base.roc(share_neg))

    def roc(x):
        beyond = height + (1.0 - height) * (x - share_neg) / (1.0 - share_neg)
        return np.where(x < share_neg, base.roc(np.minimum(x, share_neg)), beyond)

    def inverse(y):
        beyond = share_neg + (1.0 - share_neg) * (y - height) / (1.0 - height)
        return np.where(y < height, base.inverse(np.minimum(y, height)), beyond)

    return of_curve(name, roc, inverse, (share_neg,), share_neg)


CROSSED: dict[str, Population] = {
    p.name: p
    for p in (
        binormal(1.466, 1.0, "binormal"),
        binormal(1.2, 0.5, "binormal, positives narrow"),
        binormal(1.9, 1.8, "binormal, positives wide"),
        of_distributions("gamma", stats.gamma(1.5, scale=3.0), stats.gamma(1.5)),
        of_distributions("lognormal", stats.lognorm(0.7, scale=3.0), stats.lognorm(1.0)),
        of_distributions("logistic", stats.logistic(2.0), stats.logistic()),
        of_distributions("beta", stats.beta(4.0, 3.0), stats.beta(2.0, 4.0)),
        of_distributions("t3", stats.t(3, loc=1.5), stats.t(3)),
        partly_like_negatives("improper mixture", 0.7, 2.5, 0.6),
        bend("bend at the end", 0.1, 0.6),
        ordinal(
            "ordinal, 5", (0.05, 0.10, 0.20, 0.30, 0.35), (0.40, 0.30, 0.15, 0.10, 0.05), (3.0, 5.0)
        ),
        ordinal(
            "ordinal, 7",
            (0.03, 0.05, 0.08, 0.14, 0.20, 0.22, 0.28),
            (0.30, 0.24, 0.18, 0.12, 0.08, 0.05, 0.03),
            (4.0, 6.0),
        ),
        _rounded("heavy ties", 1.466, 1.0, 0.5),
        binormal(0.0, 1.0, "AUC .5"),
        binormal(float(ndtri(0.98) * 2**0.5), 1.0, "AUC .98"),
        binormal(float(ndtri(0.995) * 2**0.5), 1.0, "AUC .995"),
        detected("limit of detection", binormal(1.466, 1.0, "base"), 0.2),
        zero_inflated("zero-inflated", binormal(0.8, 1.0, "base"), 0.7, 0.3),
        of_distributions("Weibull", stats.weibull_min(1.5, scale=3.0), stats.weibull_min(1.5)),
        of_distributions("Laplace", stats.laplace(2.0), stats.laplace()),
        of_distributions("Laplace, AUC .988", stats.laplace(5.0), stats.laplace()),
        of_distributions("t3, AUC .964", stats.t(3, loc=4.0), stats.t(3)),
        of_distributions("calibrated risks", stats.beta(1.5, 2.0), stats.beta(0.5, 3.0)),
        partly_like_negatives("5% missed", 0.95, 3.0, 1.0),
        mixture(
            "three modes of negatives",
            [(1.0, 1.0, 1.2)],
            [(0.35, -2.5, 0.2), (0.33, 0.0, 0.2), (0.32, 2.2, 0.2)],
            between=(-1.25, 1.1),
        ),
        mixture(
            "outliers of negatives",
            [(1.0, 1.5, 1.0)],
            [(0.9, 0.0, 1.0), (0.1, 5.0, 0.3)],
            between=(3.8,),
        ),
        mixture(
            "two modes of positives",
            [(0.5, -0.5, 0.2), (0.5, 2.5, 0.2)],
            [(1.0, 0.0, 1.0)],
            between=(1.0,),
            cuts=(0.5, 2.5),
        ),
        mixture(
            "three modes of positives",
            [(0.33, -0.5, 0.2), (0.35, 1.0, 0.2), (0.32, 3.0, 0.3)],
            [(1.0, 0.0, 1.0)],
            between=(0.25, 1.9),
        ),
        mixture(
            "U-shaped",
            [(0.6, -2.0, 0.5), (0.4, 3.0, 0.5)],
            [(1.0, 0.0, 0.6)],
            between=(1.0,),
            cuts=(0.3, 3.0),
        ),
        mixture(
            "plateau",
            [(0.45, -1.2, 0.5), (0.55, 2.6, 0.5)],
            [(0.8, -0.6, 0.6), (0.2, 1.2, 0.3)],
            between=(0.5,),
        ),
        of_distributions("crossing Gumbel", stats.gumbel_r(0.9), stats.gumbel_l(0.0, 0.8)),
        binormal(0.6, 2.5, "crossing binormal"),
        of_distributions("t2.5, AUC .985", stats.t(2.5, loc=6.5), stats.t(2.5)),
        of_distributions(
            "skewed Weibull", stats.weibull_min(0.6, scale=4.0), stats.weibull_min(0.8)
        ),
        zero_inflated(
            "hurdle gamma",
            of_distributions("base", stats.gamma(2.0, scale=2.5), stats.gamma(2.0)),
            0.75,
            0.6,
        ),
        ordinal("ordinal, 4", (0.1, 0.2, 0.3, 0.4), (0.5, 0.3, 0.15, 0.05), (2.0, 4.0)),
        ordinal(
            "tie in the middle",
            (0.04, 0.05, 0.06, 0.07, 0.30, 0.10, 0.12, 0.13, 0.13),
            (0.10, 0.10, 0.10, 0.10, 0.40, 0.08, 0.06, 0.04, 0.02),
            (5.0, 8.0),
        ),
    )
}
"""Populations of the cells of every size."""

DIFFICULT: dict[str, Population] = {
    p.name: p
    for p in (
        mixture(
            "narrow mode at FPR .1",
            [(0.5, 1.0, 1.0), (0.5, 2.25, 0.05)],
            [(0.875, 0.0, 1.0), (0.1, 2.2, 0.05), (0.025, 3.5, 0.3)],
        ),
        mixture(
            "narrow modes at FPR .07, .21",
            [(0.3, 2.53, 0.04), (0.2, 2.0, 0.3), (0.3, 1.53, 0.04), (0.2, 0.3, 0.6)],
            [
                (0.03, 3.5, 0.3),
                (0.08, 2.5, 0.05),
                (0.06, 2.0, 0.1),
                (0.08, 1.5, 0.05),
                (0.75, -0.5, 0.6),
            ],
        ),
        mixture(
            "narrow modes at TPR .4, .7",
            [
                (0.3, 2.5, 0.3),
                (0.2, 1.5, 0.04),
                (0.1, 1.1, 0.1),
                (0.2, 0.7, 0.04),
                (0.2, -0.3, 0.3),
            ],
            [(0.5, -0.6, 0.6), (0.2, 0.72, 0.04), (0.15, 1.48, 0.04), (0.15, 1.5, 1.0)],
        ),
        mixture(
            "gaps at FPR .07, .21",
            [(0.3, 4.3, 0.4), (0.3, 2.5, 0.3), (0.4, -0.1, 0.5)],
            [(0.07, 4.0, 0.2), (0.14, 2.2, 0.2), (0.79, -0.3, 0.4)],
        ),
        mixture(
            "gaps at TPR .4, .8",
            [(0.4, 3.2, 0.3), (0.4, 1.6, 0.2), (0.2, -1.2, 0.3)],
            [(0.3, 1.5, 0.3), (0.7, -1.3, 0.4)],
        ),
        mixture(
            "positives in a gap of negatives",
            [(0.5, 1.7, 0.2), (0.5, 3.2, 0.5)],
            [(0.85, 0.0, 0.4), (0.15, 3.2, 0.3)],
        ),
        mixture(
            "rare outliers of negatives",
            [(1.0, 1.5, 1.0)],
            [(0.985, 0.0, 1.0), (0.015, 6.0, 0.5)],
        ),
        mixture("outliers of positives", [(0.93, 1.5, 1.0), (0.07, -4.0, 0.5)], [(1.0, 0.0, 1.0)]),
        mixture(
            "outliers of both classes",
            [(0.9, 1.5, 0.7), (0.1, -3.0, 1.0)],
            [(0.9, 0.0, 0.7), (0.1, 4.5, 1.0)],
        ),
        of_distributions("t1.5", stats.t(1.5, loc=3.0), stats.t(1.5)),
        binormal(float(ndtri(0.999) * 2**0.5), 1.0, "AUC .999"),
        zero_inflated("80% tied at the lowest score", binormal(0.8, 1.0, "base"), 0.6, 0.2),
        ordinal(
            "80% tied at the highest score",
            (0.02, 0.03, 0.05, 0.10, 0.80),
            (0.50, 0.25, 0.12, 0.08, 0.05),
            (3.0, 5.0),
        ),
        counts("Poisson", stats.poisson(5.0), stats.poisson(2.0)),
        counts("negative binomial", stats.nbinom(1.5, 0.15), stats.nbinom(0.6, 0.25)),
        mixture("inverted at the start", [(1.0, 2.0, 0.6)], [(0.05, 4.5, 0.2), (0.95, 0.0, 1.0)]),
        mixture(
            "inverted inside",
            [(0.4, 3.2, 0.4), (0.4, 1.2, 0.2), (0.2, -1.0, 0.6)],
            [(0.1, 3.2, 0.5), (0.3, 2.0, 0.15), (0.6, -1.0, 0.6)],
        ),
        mixture(
            "comb",
            [(w, k + 0.5, 0.08) for k, w in enumerate((0.06, 0.08, 0.13, 0.20, 0.25, 0.28))],
            [(w, k, 0.08) for k, w in enumerate((0.28, 0.25, 0.20, 0.12, 0.09, 0.06))],
        ),
        mixture("comb of negatives", [(1.0, 7.0, 2.5)], [(1 / 7, 1.4 * k, 0.08) for k in range(7)]),
    )
}
"""Populations of the cells that are about the ends of a region."""

POPULATIONS = CROSSED | DIFFICULT
