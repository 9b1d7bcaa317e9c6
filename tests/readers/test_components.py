"""Variance components, the test of all modalities, and what is cut off at 0, from known matrices.

No scores: the estimates of the cells are drawn, or set, with a covariance that is known.
"""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import pauci
from pauci.curve.region import Bounds
from pauci.readers.cells import CellEstimates
from pauci.readers.components import COMPONENT_NAMES, components_of, f_test
from pauci.readers.contrasts import Averages, Group, Spread
from pauci.readers.mrmc import _averaged, _global_test
from pauci.readers.over_cases import OverCases

READERS, MODALITIES = 5, 3
READER = np.tile(np.arange(READERS), MODALITIES)
GROUP = np.repeat(np.arange(MODALITIES), READERS)


def matrix(same, by_reader, by_modality, neither):
    """A matrix of all cells from its four different entries."""
    one, other = READER[:, None] == READER, GROUP[:, None] == GROUP
    return np.where(
        one, np.where(other, same, by_reader), np.where(other, by_modality, neither)
    )  # fmt: skip


CASES = matrix(8.0, 3.5, 4.0, 2.5)


def averages(values, covariance, *, cases=True):
    groups = [
        Group(str(i), np.flatnonzero(i == GROUP), np.full(READERS, 1 / READERS))
        for i in range(MODALITIES)
    ]
    return Averages(groups, READER, CellEstimates(values, covariance), True, cases)


def test_components_are_unbiased():
    """Readers of variance 3, by modalities 2, and cases: means over many studies."""
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


def test_the_test_of_all_modalities_has_its_size():
    """Obuchowski and Rockette's F on Hillis' degrees of freedom, with many draws."""
    whole = CASES + matrix(5.0, 3.0, 0.0, 0.0)
    draws = np.random.default_rng(2).multivariate_normal(np.zeros(15), whole, 3000)
    found = [_global_test(averages(v, CASES), GROUP, "equal") for v in draws]
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
    fixed = _global_test(averages(values, CASES, cases=False), GROUP, "equal")
    assert fixed.statistic == pytest.approx(statistic * bottom / ms)
    assert f_test(1.7, 2, math.inf).pvalue == pytest.approx(stats.chi2(2).sf(3.4))


def test_cases_never_take_from_what_readers_bring():
    """Readers who agree more across modalities than within: the difference is negative."""
    odd = matrix(8.0, 3.5, 2.0, 3.0)
    values = np.random.default_rng(3).normal(size=15)
    spread = averages(values, odd).spread({0: 1.0, 1: -1.0})
    first, second = values[:5], values[5:10]
    among = (first - second).var(ddof=1) / READERS
    assert spread.variance == pytest.approx(among)
    assert spread.df == pytest.approx(READERS - 1)
    assert spread.fixed_readers == pytest.approx(2 / 5 * (8 - 3.5 + 4 * (2 - 3)))
    usual = averages(values, CASES).spread({0: 1.0, 1: -1.0})
    assert usual.variance == pytest.approx(among + 2 * 1.5)
    assert usual.df == pytest.approx((among + 3) ** 2 / (among**2 / 4))


@pytest.mark.parametrize("variance", [0.97, 0.5, -0.1])
def test_a_variance_below_that_of_fixed_readers_is_told_and_can_be_raised(variance):
    """The larger of both, on the degrees of freedom that it has by the same formula."""
    found = averages(np.random.default_rng(4).normal(size=15), CASES)
    signs = ((0, 1.0), (1, -1.0))
    # Of 8 degrees of freedom: chi-squared over them lies below 0.574 in one of five studies.
    spread = Spread(variance, 3.0, 1.0, df_of_readers=8.0)
    of_cases = [OverCases(Bounds(0.0, 1.0), 40.0, math.inf)] * MODALITIES
    improbable = int(variance < stats.chi2.ppf(0.2, 8) / 8)
    for conservative in (True, False):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            a = _averaged(found, signs, spread, of_cases, pauci.AUC(), conservative, both=True)
        assert [w.category for w in caught] == [pauci.ReaderVarianceWarning] * improbable
        if conservative or variance < 0:
            assert a.se == 1.0
            assert a.df == (pytest.approx(3.0 / variance**2) if variance > 0 else math.inf)
        else:
            assert (a.se, a.df) == (math.sqrt(variance), 3.0)
    for alike in (Spread(1.0, 3.0, 1.0), Spread(1.0 - 1e-12, 3.0, 1.0)):
        same = _averaged(found, signs, alike, of_cases, pauci.AUC(), True, both=True)
        assert same.df == 3.0
