"""Wald's test of the simulations: standard errors from plain influence values, by brute force."""

import numpy as np
import pytest
from scipy import stats

import pauci
from simulate_rule import MEASURES, PlainInfluence


def scores(n_pos, n_neg, seed=4):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_neg])
    common = rng.normal(size=y.size)
    return y, {"a": common + rng.normal(size=y.size) + 2 * y, "b": common + 1.2 * y}


def left_out(y, s, measure):
    """Return the standard error of a difference from values without each row, by class."""
    values = np.empty(y.size)
    for i in range(y.size):
        rest = np.arange(y.size) != i
        a, b = (measure.on(pauci.Sample(y[rest], s[n][rest]).ratings().curve) for n in "ab")
        values[i] = a - b
    classes = [values[y == c] for c in (0, 1)]
    return np.sqrt(sum((v.size - 1) ** 2 / v.size * v.var(ddof=1) for v in classes))


@pytest.mark.parametrize(
    ("measure", "tolerance"),
    [(pauci.AUC(), 1e-9), (pauci.AP(0.4), 0.02), (pauci.PAUC(fpr=(0, 0.2)), 0.02)],
    ids=str,
)
def test_errors_are_those_of_leaving_out_rows(measure, tolerance):
    y, s = scores(120, 181)
    c = pauci.compare(pauci.Sample(y, s), measure, variance=PlainInfluence())
    assert c.se == pytest.approx(left_out(y, s, measure), rel=tolerance)
    t = c.difference / c.se
    assert c.pvalue == pytest.approx(2.0 * stats.t.sf(abs(t), c.df))


def test_points_have_the_estimated_slope():
    """Positives count above the threshold, and negatives there times the slope of the curve."""
    y, s = scores(60, 91)
    sample, measure, x = pauci.Sample(y, s), pauci.Sensitivity(fpr=0.1), 0.1
    values = []
    for name in "ab":
        threshold = np.sort(s[name][y == 0])[-10]  # the tenth of 91 divides the class at 9.1/91
        (end,) = measure.influence_on(sample.ratings(name).curve).ends
        before = np.where(s[name] > threshold, 1.0, np.where(s[name] == threshold, x, 0.0))
        values.append(np.where(y == 1, before, -end.slope * before))
    d = values[0] - values[1]
    expected = np.sqrt(sum(d[y == c].var(ddof=1) / (y == c).sum() for c in (0, 1)))
    c = pauci.compare(sample, measure, variance=PlainInfluence())
    assert c.se == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_large_samples_of_smooth_curves_have_the_error_of_the_rule(measure):
    """The estimated slopes differ by about 8% from those of the curves."""
    sample = pauci.Sample(*scores(6000, 9000))
    rule, plain = (pauci.compare(sample, measure, v) for v in ("influence", PlainInfluence()))
    assert plain.se == pytest.approx(rule.se, rel=0.08)
    assert plain.difference == rule.difference
