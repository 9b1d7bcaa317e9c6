"""Variance components, their truncation at 0, and the test of all modalities, from known matrices.

There are no scores: the estimates of the cells are drawn, or set, with a known covariance.
"""

import math

import numpy as np
import pytest
from scipy import stats

import pauci
from pauci.curve.region import Bounds
from pauci.intervals.student_t import f_tail
from pauci.readers.contrasts import (
    COMPONENT_NAMES,
    ReaderAverages,
    ReaderEstimate,
    ReaderGroup,
    ReaderVariance,
    components_of,
)
from pauci.readers.mrmc import _global_test
from pauci.results.family import Family
from pauci.sample.rows import RowFacts
from pauci.variance.method import Uncertainty

READERS, MODALITIES = 5, 3
READER = np.tile(np.arange(READERS), MODALITIES)
GROUP = np.repeat(np.arange(MODALITIES), READERS)


def matrix(same, by_reader, by_modality, neither):
    """Return the covariance matrix of all cells from its four different entries."""
    one, other = READER[:, None] == READER, GROUP[:, None] == GROUP
    return np.where(one, np.where(other, same, by_reader), np.where(other, by_modality, neither))


CASES = matrix(8.0, 3.5, 4.0, 2.5)


def averages(values, covariance, *, cases=True, readers=True):
    groups = [
        ReaderGroup(str(i), np.flatnonzero(i == GROUP), np.full(READERS, 1 / READERS))
        for i in range(MODALITIES)
    ]
    cells = [
        ReaderEstimate(
            "score",
            pauci.AUC(),
            v,
            math.sqrt(s),
            None,
            RowFacts(50, 50, "cohort"),
            Bounds(-9.0, 9.0),
            reader=str(r),
            modality=str(g),
        )
        for r, g, v, s in zip(READER, GROUP, values, np.diag(covariance), strict=True)
    ]
    family = Family(tuple(cells), Uncertainty(covariance))
    return ReaderAverages(groups, READER, family, readers, cases)


def test_components_are_unbiased():
    """Readers with variance 3, readers by modalities with 2, and cases: means over many studies."""
    of_reader, of_both = 3.0, 2.0
    whole = CASES + matrix(of_reader + of_both, of_reader, 0.0, 0.0)
    draws = np.random.default_rng(1).multivariate_normal(np.zeros(15), whole, 8000)
    found = np.array([components_of(v, CASES, READER, GROUP) for v in draws])
    mean = dict(zip(COMPONENT_NAMES, found.mean(axis=0), strict=True))
    error = dict(zip(COMPONENT_NAMES, found.std(axis=0) / math.sqrt(len(draws)), strict=True))
    assert [mean[k] for k in ("error", "cov1", "cov2", "cov3")] == pytest.approx([8, 3.5, 4, 2.5])
    assert [mean[k] for k in ("r1", "r2", "r3")] == pytest.approx([3.5 / 8, 0.5, 2.5 / 8])
    for name, value in (("reader", of_reader), ("reader_by_modality", of_both)):
        assert abs(mean[name] - value) < 4 * error[name]


@pytest.mark.long
def test_the_test_of_all_modalities_has_its_size():
    """Obuchowski and Rockette's F test with Hillis' degrees of freedom, with many draws."""
    whole = CASES + matrix(5.0, 3.0, 0.0, 0.0)
    draws = np.random.default_rng(2).multivariate_normal(np.zeros(15), whole, 3000)
    found = [_global_test(averages(v, CASES), "equal") for v in draws]
    assert 0.035 < np.mean([t.pvalue < 0.05 for t in found]) < 0.065
    values, test = draws[0], found[0]
    table = values.reshape(MODALITIES, READERS)
    rest = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    ms = (rest**2).sum() / ((READERS - 1) * (MODALITIES - 1))
    bottom = ms + READERS * 1.5
    statistic = READERS * table.mean(axis=1).var(ddof=1) / bottom
    df = bottom**2 / (ms**2 / ((READERS - 1) * (MODALITIES - 1)))
    assert (test.statistic, test.df, test.df_denominator) == pytest.approx((statistic, 2, df))
    assert test.pvalue == pytest.approx(stats.f(2, df).sf(statistic))
    fixed = _global_test(averages(values, CASES, cases=False), "equal")
    assert fixed.statistic == pytest.approx(statistic * bottom / ms)
    assert f_tail(1.7, 2, math.inf) == pytest.approx(stats.chi2(2).sf(3.4))


def test_the_covariance_of_cases_never_reduces_the_variance():
    """Readers who agree more across modalities than within: the difference is negative."""
    odd = matrix(8.0, 3.5, 2.0, 3.0)
    values = np.random.default_rng(3).normal(size=15)
    variance = averages(values, odd).variance({0: 1.0, 1: -1.0})
    first, second = values[:5], values[5:10]
    among = (first - second).var(ddof=1) / READERS
    assert variance.variance == pytest.approx(among)
    assert variance.df == pytest.approx(READERS - 1)
    assert variance.fixed_readers == pytest.approx(2 / 5 * (8 - 3.5 + 4 * (2 - 3)))
    usual = averages(values, CASES).variance({0: 1.0, 1: -1.0})
    assert usual.variance == pytest.approx(among + 2 * 1.5)
    assert usual.df == pytest.approx((among + 3) ** 2 / (among**2 / 4))


def test_with_fixed_readers_the_test_of_all_modalities_is_walds():
    values = np.random.default_rng(5).normal(size=15)
    test = _global_test(averages(values, CASES, readers=False), "equal")
    means = values.reshape(MODALITIES, READERS).mean(axis=1)
    weights = np.kron([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]], np.full(READERS, 1 / READERS))
    difference = means[:2] - means[2]
    wald = difference @ np.linalg.solve(weights @ CASES @ weights.T, difference)
    assert (test.statistic, test.df) == pytest.approx((wald / 2, 2), rel=1e-12)
    assert test.pvalue == pytest.approx(stats.chi2(2).sf(wald), rel=1e-10)


@pytest.mark.parametrize("value", [0.97, 0.5, -0.1])
def test_a_variance_below_that_of_fixed_readers_is_reported_and_can_be_raised(value):
    """The larger variance is used, with its degrees of freedom by the same formula."""
    # With 8 degrees of freedom, chi-squared over them lies below 0.574 in one of five studies.
    variance = ReaderVariance(value, 3.0, 1.0, df_of_readers=8.0)
    assert variance.understated == (value < stats.chi2.ppf(0.2, 8) / 8)
    raised = (1.0, pytest.approx(3.0 / value**2) if value > 0 else math.inf)
    assert variance.reported(conservative=True) == raised
    assert variance.reported(conservative=False) == (raised if value < 0 else (value, 3.0))
    for equal in (ReaderVariance(1.0, 3.0, 1.0), ReaderVariance(1.0 - 1e-12, 3.0, 1.0)):
        assert equal.reported(conservative=True)[1] == 3.0
    fixed_cases = ReaderVariance(value, 3.0, 1.0, random_cases=False)
    assert not fixed_cases.understated
    assert not fixed_cases.is_raised(conservative=True)
