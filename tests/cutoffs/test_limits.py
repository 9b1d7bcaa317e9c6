"""Limits of cut-offs at a rate, against order statistics and binomial tails."""

import numpy as np
import pytest
from scipy import stats

from pauci.cutoffs.uncertainty import AtSensitivity, AtSpecificity, Counts, EqualRates, limits


def counts(pos, neg, effective=None):
    cum = [np.r_[0.0, np.cumsum(c)] for c in (pos, neg)]
    rows = float(sum(pos)), float(sum(neg))
    return Counts(*cum, rows, (np.array(pos) + np.array(neg)) > 1, effective or rows)


def untied(seed, n=200):
    pos = np.random.default_rng(seed).random(n) < 0.3 + 0.4 * (np.arange(n) < n / 2)
    return pos.astype(int), (~pos).astype(int)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_limits_at_a_specificity_are_order_statistics(rate, level):
    pos, neg = untied(1)
    n = neg.sum()
    # Conover: X_(l) and X_(u) with P(X <= l - 1) <= tail and P(X >= u) <= tail.
    tail = (1 - level) / 2
    sizes = np.arange(n + 1)
    below = max(k for k in sizes if stats.binom.cdf(k - 1, n, rate) <= tail)
    above = min(k for k in sizes if stats.binom.sf(k - 1, n, rate) <= tail)
    highest, lowest = limits(counts(pos, neg), AtSpecificity(rate), level)
    ranks = n - np.cumsum(neg) + neg  # rank from below of the negative in each group
    at_below = int(np.flatnonzero((ranks == below) & (neg == 1))[0]) + 1
    at_above = int(np.flatnonzero((ranks == above) & (neg == 1))[0]) + 1
    # Entries between two negatives have the same specificity; the interval has the widest.
    assert lowest <= at_below
    assert neg[lowest - 1 : at_below].sum() == 1
    assert highest <= at_above
    assert neg[highest - 1 : at_above].sum() == 1


@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_limits_at_a_sensitivity_are_those_of_a_specificity_of_the_opposite_scale(rate):
    pos, neg = untied(2)
    highest, lowest = limits(counts(pos, neg), AtSensitivity(rate), 0.9)
    n, above = pos.sum(), np.r_[0, np.cumsum(pos)]
    enough = stats.binom.sf(above - 1, n, rate) <= 0.05
    too_few = stats.binom.cdf(above, n, rate) <= 0.05
    assert lowest == np.flatnonzero(enough)[0]
    assert highest == np.flatnonzero(too_few)[-1] + 1


def test_ratings_end_at_the_next_category_that_is_not_excluded():
    pos, neg = [500, 300, 200, 100, 50], [10, 40, 150, 300, 500]
    table = counts(pos, neg)
    # Specificity at entries 0 to 5: 1, .99, .95, .8, .5, 0.
    assert limits(table, AtSpecificity(0.9), 0.95) == (2, 2)
    assert limits(table, AtSpecificity(0.95), 0.95) == (1, 2)
    # Sensitivity: 0, .435, .696, .870, .957, 1.
    assert limits(table, AtSensitivity(0.9), 0.95) == (4, 4)
    assert limits(table, AtSensitivity(0.7), 0.95) == (2, 3)


def test_few_rows_give_no_limit():
    pos, neg = [5, 5], [4, 4]
    assert limits(counts(pos, neg), AtSpecificity(0.95), 0.95)[0] is None
    assert limits(counts(pos, neg), AtSensitivity(0.95), 0.95)[1] is None


def test_a_design_effect_is_that_of_fewer_rows():
    pos, neg = untied(3, 400)
    table = counts(pos, neg)
    half = counts(pos, neg, (table.rows[0] / 4, table.rows[1] / 4))
    for rule in (AtSpecificity(0.8), AtSensitivity(0.8), EqualRates()):
        (high, low), (higher, lower) = (limits(t, rule, 0.95) for t in (table, half))
        assert higher < high <= low < lower
        assert 1.5 < (lower - higher) / (low - high) < 2.6


def test_equal_rates_by_the_score_test():
    pos, neg = untied(4, 600)
    highest, lowest = limits(counts(pos, neg), EqualRates(), 0.95)
    n1, n0 = pos.sum(), neg.sum()
    tp, fp = np.r_[0, np.cumsum(pos)], np.r_[0, np.cumsum(neg)]
    z = []
    for k in range(601):
        found = [[tp[k], n1 - tp[k]], [n0 - fp[k], fp[k]]]
        chi2 = stats.chi2_contingency(found, correction=False).statistic if 0 < k < 600 else 1e9
        z.append(np.sign(tp[k] / n1 - 1 + fp[k] / n0) * np.sqrt(chi2))
    z = np.array(z)
    assert highest == np.flatnonzero(z < -1.959964)[-1] + 1
    assert lowest == np.flatnonzero(z > 1.959964)[0]
