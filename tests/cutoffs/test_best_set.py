"""Comparisons of cut-offs and the set of the best ones, against loops and other simulations."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from pauci.cutoffs.uncertainty import (
    Candidates,
    CodedRows,
    Criterion,
    candidates,
    comparisons,
    design_effects,
    kept,
)

YOUDEN = Criterion(
    lambda tpr, fpr, _: tpr - fpr,
    lambda tpr, fpr, _: (-np.ones_like(fpr), np.ones_like(tpr)),
)


def f_slopes(tpr, fpr, share):
    total = share * tpr + share + (1 - share) * fpr
    slope = 2 * share * (share + (1 - share) * fpr) / total**2
    return -2 * share * tpr * (1 - share) / total**2, slope


F1 = Criterion(
    lambda tpr, fpr, share: 2 * share * tpr / (share * tpr + share + (1 - share) * fpr),
    f_slopes,
    of_share=True,
)
MORE_POSITIVES = Criterion(
    lambda tpr, fpr, _: 3 * tpr - fpr,
    lambda tpr, fpr, _: (-np.ones_like(fpr), 3 * np.ones_like(tpr)),
)


def data(n_pos=40, n_neg=70, seed=3, decimals=1):
    rng = np.random.default_rng(seed)
    score = np.round(np.r_[rng.normal(1.2, 1, n_pos), rng.normal(size=n_neg)], decimals)
    values, code = np.unique(-score, return_inverse=True)
    return CodedRows(code, np.arange(score.size) < n_pos, values.size), -values


def cumulative(rows):
    mass = np.ones(rows.code.size) if rows.mass is None else rows.mass
    return [
        np.r_[0.0, np.cumsum(np.bincount(rows.code[c], mass[c], rows.groups))]
        for c in (rows.positive, ~rows.positive)
    ]


def compared(rows, criterion=YOUDEN):
    sizes = rows.positive.sum(), (~rows.positive).sum()
    return candidates(*cumulative(rows), sizes, criterion)


@pytest.mark.parametrize("criterion", [YOUDEN, MORE_POSITIVES, F1], ids=["youden", "3:1", "F"])
def test_comparisons_are_binomial_tests(criterion):
    rows, _ = data()
    c = compared(rows, criterion)
    t = comparisons(c)
    n1, n0 = 40, 70
    for i in range(1, c.entries.size):
        w1, w0 = c.by_tpr[i], c.by_fpr[i]
        share = (n1 / w1) / (n1 / w1 + n0 / w0)
        for j in range(c.entries.size):
            lower, higher = sorted((c.entries[i], c.entries[j]))
            between = (rows.code >= lower) & (rows.code < higher)
            pos, neg = (between & rows.positive).sum(), (between & ~rows.positive).sum()
            m = pos + neg
            if m in (0, n1 + n0):
                assert t[i, j] == 0.0
                continue
            gained, p = (pos, share) if j > i else (neg, 1 - share)
            tail = stats.binom.sf(gained, m, p) + 0.5 * stats.binom.pmf(gained, m, p)
            ratio = 1.0
            if criterion is YOUDEN:
                ratio = 1 - m / (n1 + n0)
            if criterion is MORE_POSITIVES:
                u = m / (n1 / w1 + n0 / w0)
                ratio = (w1 * (1 - u / w1) / n1 + w0 * (1 - u / w0) / n0) / (w1 / n1 + w0 / n0)
            expected = -stats.norm.ppf(tail) / np.sqrt(max(ratio, 0.01))
            assert t[i, j] == pytest.approx(expected, abs=1e-6, rel=1e-6)


def test_candidates_contain_the_best_cutoff_and_quantiles():
    rows, _ = data(600, 900, decimals=9)
    cum_pos, cum_neg = cumulative(rows)
    c = compared(rows)
    assert int((cum_pos / 600 - cum_neg / 900).argmax()) in c.entries
    assert 45 <= c.entries.size <= 52
    assert c.entries[-1] == rows.groups
    assert np.diff(c.pos + c.neg).max() <= 60.5  # a twenty-fifth of the rows


def test_all_cutoffs_of_ratings_are_candidates():
    rows = CodedRows(np.repeat([0, 1, 2, 0, 1, 2], [9, 4, 2, 1, 5, 9]), np.arange(30) < 15, 3)
    assert compared(rows).entries.tolist() == [0, 1, 2, 3]


def test_critical_values_of_another_simulation():
    """Without clearly worse cut-offs, the test of each is that of the largest of normal draws."""
    above = np.array([20.0, 22, 24, 26, 28])
    c = Candidates(np.arange(1, 6), above, above, 50.0, 50.0, np.ones(5), np.ones(5), True)
    t = np.zeros((5, 5))
    shares = (np.diff(above, prepend=0, append=50) + 2 / 6) / 52
    rate = np.cumsum(shares)[:-1]
    cov = 2 * (np.minimum.outer(rate, rate) - np.outer(rate, rate)) / 50
    draws = np.random.default_rng(9).multivariate_normal(np.zeros(5), cov, 40_000)
    for i in range(5):
        others = np.arange(5) != i
        difference = draws[:, others] - draws[:, [i]]
        sd = np.sqrt(cov.diagonal()[others] + cov[i, i] - 2 * cov[i, others])
        critical = np.quantile((difference / sd).max(axis=1), 0.95)
        for value, expected in ((critical - 0.12, True), (critical + 0.12, False)):
            t[:] = 0.0
            t[i, others] = value
            assert kept(c, t, 0.95)[i] == expected


def test_a_cutoff_that_another_exceeds_clearly_is_left_out():
    rows, values = data(400, 400, decimals=9)
    c = compared(rows)
    inside = values[c.entries[kept(c, comparisons(c), 0.95)] - 1]
    assert inside.min() < 0.6 < inside.max()  # the best cut-off in the population
    assert inside.min() > 0.0
    assert inside.max() < 1.4


def test_sets_at_higher_levels_are_larger():
    rows, _ = data(100, 100, decimals=9)
    c = compared(rows)
    t = comparisons(c)
    sets = [kept(c, t, level) for level in (0.8, 0.95, 0.999)]
    assert all((a <= b).all() for a, b in pairwise(sets))
    assert sets[0].sum() < sets[2].sum()


@pytest.mark.parametrize("design", ["weights", "clusters", "both"])
def test_design_effects_of_the_definition(design):
    rows, _ = data(40, 60)
    rng = np.random.default_rng(2)
    mass = rng.gamma(2.0, size=100) if design != "clusters" else None
    cluster = rng.integers(0, 18, 100) if design != "weights" else None
    rows = CodedRows(rows.code, rows.positive, rows.groups, mass, cluster)
    c = compared(rows, MORE_POSITIVES)
    found = design_effects(rows, c)
    weight = np.ones(100) if mass is None else mass
    unit = np.arange(100) if cluster is None else cluster
    units = unit.max() + 1
    for i, j in ((2, 7), (9, 4)):
        sums = np.zeros(units)
        independent = 0.0
        for label, n, slope in ((rows.positive, 40, 3.0), (~rows.positive, 60, -1.0)):
            total = weight[label].sum()
            first, second = (((rows.code < c.entries[k]) & label).astype(float) for k in (i, j))
            moved = second - first
            mean = (weight * moved).sum() / total
            contribution = slope * weight * (moved - mean) * label / total
            sums += np.bincount(unit, contribution, units)
            independent += slope**2 * abs(mean) * (1 - abs(mean)) / n
        expected = units / (units - 1) * (sums**2).sum() / independent
        assert found[i, j] == pytest.approx(expected, rel=1e-9)


def test_independent_rows_have_no_design_effects():
    rows, _ = data()
    assert design_effects(rows, compared(rows)) is None
