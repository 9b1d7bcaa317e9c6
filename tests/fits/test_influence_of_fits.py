"""Sandwich errors of fits, and merged likelihood, from their definitions.

The classes differ in size. The log-likelihood is written from the binormal model and differentiated
numerically, so that no derivative of the package is used.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

import pauci
from fits import FITS
from pauci.fits import likelihood

POS, NEG = np.array([14, 6, 8, 14]), np.array([40, 12, 9, 3])
Y = np.repeat([1, 0], [POS.sum(), NEG.sum()])
RATING = np.concatenate([np.repeat(range(4), POS), np.repeat(range(4), NEG)])
STEP = 1e-4


def log_shares(parameters):
    """Log probabilities of the likelihood, shape (2, 4), negatives first."""
    a, b, *cuts = parameters
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return np.log(np.diff([stats.norm.cdf(ends), stats.norm.cdf(b * ends - a)], axis=1))


def effects_of_rows(at, weight):
    """Return the contribution of each row to the parameters: inverse curvature times its slope."""
    moves = np.eye(at.size) * STEP

    def of_rows(parameters):
        return log_shares(parameters)[Y, RATING]

    slopes = np.array([(of_rows(at + m) - of_rows(at - m)) / (2 * STEP) for m in moves]).T
    curvature = np.empty((at.size, at.size))
    for i, j in np.ndindex(at.size, at.size):
        m, n = moves[i], moves[j]
        both = of_rows(at + m + n) - of_rows(at + m - n) - of_rows(at - m + n) + of_rows(at - m - n)
        curvature[i, j] = -(weight * both).sum() / (4 * STEP**2)
    return np.linalg.solve(curvature, (weight[:, None] * slopes).T).T


def squares(units):
    """Sum of squares about the mean of independent units, times n / (n - 1)."""
    rest = units - units.mean(axis=0)
    return len(units) / (len(units) - 1) * rest.T @ rest


def test_the_sandwich_of_clusters_is_that_of_the_likelihood():
    """Two rows of one class in each cluster."""
    rng = np.random.default_rng(1)
    cluster = np.empty(Y.size, int)
    for label in (0, 1):
        rows = rng.permutation(np.flatnonzero(label == Y))
        cluster[rows] = 100 * label + np.arange(rows.size) // 2
    fit = pauci.fit_binormal(pauci.Sample(Y, RATING, cluster=cluster))
    effects = effects_of_rows(np.array([*fit.maximum.theta, *fit.cuts]), np.ones(Y.size))
    expected = sum(
        squares(np.array([effects[cluster == c].sum(axis=0) for c in np.unique(cluster[k == Y])]))
        for k in (0, 1)
    )
    np.testing.assert_allclose(fit.cov, expected, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(fit.cov_parameters, expected[:2, :2], rtol=1e-4)


def test_the_sandwich_of_weights_is_that_of_the_likelihood():
    weight = np.random.default_rng(2).uniform(0.5, 2.0, Y.size)
    fit = pauci.fit_binormal(pauci.Sample(Y, RATING, weight=weight))
    weight *= Y.size / weight.sum()
    effects = effects_of_rows(np.array([*fit.maximum.theta, *fit.cuts]), weight)
    expected = 0.0
    for k in (0, 1):
        w, z = weight[k == Y], effects[k == Y]
        rest = z - w[:, None] * (z.sum(axis=0) / w.sum())  # of slopes, not of weights
        expected += w.size / (w.size - 1) * rest.T @ rest
    np.testing.assert_allclose(fit.cov_parameters, expected[:2, :2], rtol=1e-4)


def test_two_fits_to_the_same_rows_share_contributions():
    """The correlation of two fits is that of the contributions of the rows."""
    other = np.minimum(RATING + np.random.default_rng(3).integers(0, 2, Y.size), 3)
    sample = pauci.Sample(Y, {"a": RATING, "b": other})
    fits = [pauci.fit_binormal(s) for s in sample]
    effects = []
    for fit, rating in zip(fits, (RATING, other), strict=True):
        table = pauci.Sample(Y, rating)
        alone = pauci.fit_binormal(table)
        assert alone.maximum.theta == fit.maximum.theta
        at = np.array([*fit.maximum.theta, *fit.cuts])
        moves = np.eye(at.size) * STEP
        slopes = np.array(
            [(log_shares(at + m) - log_shares(at - m))[Y, rating] / (2 * STEP) for m in moves]
        )
        by_auc = alone.model.auc
        slope = np.array(
            [
                (by_auc(tuple((at + m)[:2])) - by_auc(tuple((at - m)[:2]))) / (2 * STEP)
                for m in moves[:2]
            ]
        )
        effects.append(slope @ (fit.cov @ slopes)[:2])
    both = np.array(effects)
    expected = sum(squares(both[:, k == Y].T) for k in (0, 1))
    correlation = expected[0, 1] / np.sqrt(expected[0, 0] * expected[1, 1])
    found = pauci.compare(fits, pauci.AUC()).correlation
    assert found == pytest.approx(correlation, abs=0.02)


def many_ties():
    """Return whole scores from 0 to about 70, with runs of one class and neighbours of both."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [90, 150])
    shift = 16 * y * (rng.random(y.size) < 0.75)
    return y, np.round(25 + 9 * rng.normal(size=y.size) + shift).astype(int)


def test_only_neighbours_of_one_class_are_merged():
    y, s = many_ties()
    fit = pauci.fit_binormal(pauci.Sample(y, s))
    together, kinds = [], []
    for score in np.unique(s):
        pair = [int(((s == score) & (y == k)).sum()) for k in (1, 0)]
        kind = tuple(np.array(pair) > 0)
        if kinds and kinds[-1] == kind != (True, True):
            together[-1] = [a + b for a, b in zip(together[-1], pair, strict=True)]
        else:
            together.append(pair)
        kinds.append(kind)
    assert len(kinds) > likelihood.MAX_UNMERGED
    assert sum(a == b == (True, True) for a, b in itertools.pairwise(kinds)) > 5
    assert fit.counts.T.tolist() == together


@pytest.mark.parametrize("model", FITS)
def test_merging_does_not_change_the_fit_if_other_categories_have_both_classes(model, monkeypatch):
    y, s = many_ties()
    together = FITS[model](pauci.Sample(y, s))
    monkeypatch.setattr(likelihood, "MAX_UNMERGED", 10_000)
    apart = FITS[model](pauci.Sample(y, s))
    assert together.counts.shape[1] < apart.counts.shape[1]
    assert together.maximum.theta == pytest.approx(apart.maximum.theta, rel=1e-5)
    np.testing.assert_allclose(together.cov_parameters, apart.cov_parameters, rtol=1e-4)


@pytest.mark.parametrize(("categories_of_all", "kept"), [(50, 50), (51, 50)])
def test_fifty_categories_are_not_merged(categories_of_all, kept):
    """The two lowest have negatives only, and are merged if there are more than 50."""
    pos, neg = np.full(categories_of_all, 2), np.full(categories_of_all, 3)
    pos[:2], neg[0] = 0, 4
    table = pauci.Sample.from_counts(range(categories_of_all), pos, neg).ratings().table
    found = likelihood.categories_of(table, 1.0)
    assert found.counts.shape[1] == kept
    assert found.merged == (kept < categories_of_all)
    assert found.counts[:, 0].tolist() == [0, 7 if found.merged else 4]


def test_the_area_and_metz_and_pans_parameters_of_a_fit():
    sample = pauci.Sample.from_counts(range(4), POS, NEG)
    fit = pauci.fit_binormal(sample)
    logit, margin = np.log(fit.auc / (1 - fit.auc)), fit.auc_se / (fit.auc * (1 - fit.auc))
    for level in (0.9, 0.95):
        z = stats.norm.ppf((1 + level) / 2)
        ends = [1 / (1 + np.exp(-(logit + sign * z * margin))) for sign in (-1, 1)]
        assert tuple(fit.auc_interval(level)) == pytest.approx(ends, rel=1e-9)
    proper = pauci.fit_proper(sample)
    assert proper.d_a == pytest.approx(np.sqrt(2) * proper.a / np.sqrt(1 + proper.b**2), rel=1e-12)
    assert proper.c == pytest.approx((proper.b - 1) / (proper.b + 1), rel=1e-12)
