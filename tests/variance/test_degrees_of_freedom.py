"""Degrees of freedom of a difference, recomputed from the rows."""

import math
import pickle
from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import t

import pauci
from pauci.measures import AP, AUC, PAUC, PAUCc
from pauci.variance import Problem, Uncertainty, VarianceMethod
from pauci.variance.degrees_of_freedom import (
    ClassMoments,
    DegreesOfFreedom,
    LimitedDf,
    Moments,
    degrees_of_freedom,
)
from pauci.variance.influence_covariance import sums_of
from pauci.variance.method import InfluenceVariance


def rows_of(n_pos, n_neg, seed=1, **options):
    """A paired sample with heavy noise in one classifier, and its labels and scores."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    common = rng.normal(size=y.size) + y
    scores = {"a": common + rng.normal(size=y.size), "b": common + rng.standard_t(3, y.size)}
    return y, scores, pauci.Sample(y, scores, **options)


@pytest.mark.parametrize("scarce", [0, 1])
@pytest.mark.parametrize("variance", ["influence", pauci.Jackknife(), pauci.Bootstrap(60, rng=1)])
@pytest.mark.usefixtures("quiet")
def test_degrees_of_freedom_are_limited_by_clusters_of_the_smaller_class(variance, scarce):
    """Of sixty clusters, six contain positives, and count as six or less if their sizes differ."""
    rng = np.random.default_rng(6)
    cluster = np.repeat(np.arange(60), rng.integers(2, 12, 60))
    y = np.where(cluster < 6, rng.integers(0, 2, cluster.size), 0)
    y[np.flatnonzero(cluster == 5)[:2]] = 1, 0
    y = y if scarce else 1 - y
    scores = {k: rng.normal(size=y.size) + y + rng.normal(size=60)[cluster] for k in "abc"}
    sample = pauci.Sample(y, scores, cluster=cluster)
    sizes = [np.bincount(cluster[y == label]) for label in (1, 0)]
    held = min(m.sum() ** 2 / (m**2).sum() for m in sizes)
    assert 3 < held < 6
    measures = [AUC(), PAUCc(fpr=(0, 0.5)), PAUC(tpr=(0.5, 1)) / AUC()]
    es = pauci.estimate(sample, measures, variance)
    assert [e.cluster_df for e in es] == pytest.approx([held - 1] * len(es))
    held *= 1.0 + 1e-9
    assert all(e.df <= held - 1 for e in es)
    for kind in ("wald", "logit"):
        assert all(e.df_used(kind) <= held - 1 for e in es if np.isfinite(sum(e.bounds)))
    assert all(c.df <= held - 1 for c in pauci.compare(sample, measures, variance=variance))
    apart = [pauci.Sample(y, s, cluster=cluster, name=k) for k, s in scores.items()]
    both = pauci.compare(apart[:2], AUC(), independent=True, variance=variance)
    assert both.df <= 2 * (held - 1)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("variance", ["influence", pauci.Jackknife(), pauci.Bootstrap(50, rng=1)])
@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_of_one_row_are_rows_for_every_source(variance, weighted):
    if weighted and variance != "influence":
        pytest.skip("takes rows that count alike")
    given = {"weight": np.linspace(0.2, 3.0, 52)} if weighted else {}
    y, scores, _ = rows_of(12, 40)
    rows = [pauci.Sample(y, scores, **given, **c) for c in ({}, {"cluster": np.arange(y.size)})]
    for measure in (AUC(), AP(), PAUCc(fpr=(0, 0.3))):
        e, f = (pauci.estimate(s["a"], measure, variance) for s in rows)
        assert (e.value, e.se, e.units, e.clusters) == (f.value, f.se, f.units, f.clusters)
        assert e.interval() == f.interval()
    idle = np.r_[y, 1], {k: np.r_[v, 0.0] for k, v in scores.items()}
    if weighted:  # a row of weight 0 is in nobody's cluster
        weight = np.r_[given["weight"], 0.0]
        idle = pauci.Sample(*idle, weight=weight, cluster=[*range(52), 0])
        assert pauci.estimate(idle["a"], AUC()).se == pauci.estimate(rows[0]["a"], AUC()).se


@pytest.mark.filterwarnings("ignore::pauci.errors.UnequalSamplesWarning")
def test_independent_samples_have_those_of_satterthwaite():
    """(V1 + V2)^2 / (V1^2/df1 + V2^2/df2), Satterthwaite (1946)."""
    first, second = rows_of(30, 30, 1)[2]["a"], rows_of(500, 500, 2)[2]["b"]
    for measure in (AUC(), PAUC(fpr=(0, 0.2)), PAUCc(tpr=(0.8, 1))):
        c = pauci.compare([first, second], measure)
        v, df = np.array([(e.se**2, e.df) for e in c.estimates]).T
        assert c.df == pytest.approx(v.sum() ** 2 / (v**2 / df).sum())
        assert df.min() <= c.df <= df.sum()
        wald = c.inverted_test(0.0, "two-sided", "wald")
        assert wald.pvalue == pytest.approx(2 * t.sf(abs(c.difference / c.se), c.df), rel=1e-9)


def test_measures_without_influence_have_the_normal_distribution():
    def share(labels, scores):
        return float(np.mean(scores[labels == 1] > 1.0))

    _, _, sample = rows_of(20, 30)
    c = pauci.compare(sample, share, variance=pauci.Bootstrap(50, rng=1))
    assert c.df == np.inf
    two = pauci.compare(sample, [share, AUC()], variance=pauci.Bootstrap(50, rng=1))
    assert [np.isinf(c.df) for c in two] == [True, False]


class Fixed(VarianceMethod):
    """A covariance with given degrees of freedom for a, b and c."""

    key: ClassVar[str] = "fixed"

    def __init__(self, df, df_of_sum=None):
        self.df, self.df_of_sum = df, df_of_sum

    def covariance(self, problem: Problem) -> Uncertainty:
        plain = InfluenceVariance().covariance(problem).matrix
        return Uncertainty(plain, self.df, df_of_sum=self.df_of_sum)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_a_user_defined_method_determines_degrees_of_freedom():
    y, scores, _ = rows_of(30, 30)
    sample = pauci.Sample(y, {**scores, "c": scores["a"] + 0.5 * scores["b"]})
    known = pauci.compare(sample, AUC(), variance=Fixed(np.array([12.0, 5.0, 8.0])))
    assert [c.df for c in known] == [5, 8, 5], "the fewest of the two that take part"
    assert known[0].pvalue == pytest.approx(2 * t.sf(abs(known[0].statistic), 5))
    by_rule = [c.df for c in pauci.compare(sample, AUC(), variance=Fixed(None))]
    assert by_rule == [c.df for c in pauci.compare(sample, AUC())]
    asked = []

    def rule(weights):
        asked.append(weights.tolist())
        return 17

    said = pauci.compare(sample, AUC(), variance=Fixed([9.0, 9.0, 9.0], rule))
    assert [c.df for c in said] == [17, 17, 17]
    assert asked == [[1, -1, 0], [1, 0, -1], [0, 1, -1]], "each difference once"
    halves = [sample["a"], pauci.Sample(y, scores["b"], name="b")]
    apart = pauci.compare(halves, AUC(), variance=Fixed([6.0]), independent=True)
    v = np.array([e.se**2 for e in apart.estimates])
    assert apart.df == pytest.approx(v.sum() ** 2 / (v**2 / 6).sum())


@pytest.mark.usefixtures("quiet")
def test_a_difference_with_standard_error_0_does_not_affect_the_others():
    """The difference from a copy of a classifier has variance 0."""
    y, scores, _ = rows_of(20, 30)
    sample = pauci.Sample(y, {**scores, "copy": scores["a"]})
    cs = pauci.compare(sample, AUC(), adjust="max-t")
    assert [np.isinf(c.df) for c in cs] == [False, True, False]
    assert cs.df == cs[0].df == pytest.approx(cs[2].df, rel=1e-12)
    constant = pauci.Sample(y, {"a": scores["a"], "constant": np.zeros(50)})
    c = pauci.compare(constant, AUC())
    assert c.df == pytest.approx(c.estimates[0].df, rel=1e-12)


@pytest.mark.parametrize("paired", [True, False])
def test_a_pickled_comparison_has_contributions_of_units_instead_of_scores(paired):
    n = 5000
    y, scores, sample = rows_of(n // 2, n // 2)
    apart = [sample["a"], pauci.Sample(y, scores["b"], name="b")]
    c = pauci.compare(sample if paired else apart, AUC(), independent=not paired)
    assert type(c.df) is float
    stored = pickle.dumps(c)
    assert len(stored) < (27 if paired else 62) * n + 10_000
    for name, values in scores.items():
        assert sample.ratings(name).values[:4].tobytes() == values[:4].tobytes()
        assert values[:4].tobytes() not in stored
    again = pickle.loads(stored)
    assert again == c
    assert again.uncertainty.df_of(np.ones(1)) == pytest.approx(c.df, rel=1e-12)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("n", [10, 67, 201, 1500])
@pytest.mark.parametrize(
    "measure", [AUC(), PAUC(fpr=(0, 0.1)), AP(), AP(rescaled=True), PAUCc(fpr=(0, 0.2))], ids=str
)
def test_degrees_of_freedom_are_infinite_if_no_variance_is_estimated(measure, n):
    """Without misranked rows only the pseudo-observations of estimated ends have a variance."""
    rng = np.random.default_rng(n)
    y = np.arange(n) < n // 3
    for extra in ({}, {"weight": rng.exponential(size=n)}, {"frequency": rng.integers(1, 4, n)}):
        e = pauci.estimate(pauci.Sample(y, y + 0.5 * rng.random(n), **extra), measure)
        if measure != PAUCc(fpr=(0, 0.2)):
            assert e.se == 0.0
        assert e.df == np.inf


def test_only_the_estimates_in_a_sum_limit_its_degrees_of_freedom():
    limits, matrix = np.array([3.0, 50.0]), np.eye(2)
    rule = DegreesOfFreedom(None, np.zeros(2, bool), limits, matrix)
    by_user = LimitedDf(lambda weights: 999.0 + weights.size, limits, matrix)
    for weights, limit in (([1.0, 0.0], 3.0), ([0.0, 1.0], 50.0), ([1.0, -1.0], 3.0)):
        assert rule(np.array(weights)) == by_user(np.array(weights)) == limit


@pytest.mark.parametrize("known", [0.0, 0.5, 3.0])
def test_a_known_part_of_a_variance_increases_the_degrees_of_freedom(known):
    """Satterthwaite (1946) with infinite df of the known part: df (V1 + V2)^2 / V1^2."""
    y, scores = np.arange(60) % 2, np.random.default_rng(3).normal(size=60) + np.arange(60) % 2
    sums = sums_of(Problem((pauci.Sample(y, scores).ratings(),), (AUC(),)))
    one, infinite, variance = np.ones(1, bool), np.array([math.inf]), sums.matrix()
    alone = DegreesOfFreedom(sums, one, infinite, variance)
    both = DegreesOfFreedom(sums, one, infinite, variance, variance * (1.0 + known))
    expected = alone.of_each() * (1.0 + known) ** 2
    np.testing.assert_allclose(both.of_each(), expected)
    np.testing.assert_allclose(both(np.ones(1)), expected[0])


def test_exchanging_the_classes_does_not_change_the_degrees_of_freedom():
    """A single unit that holds both classes joins one of two strata with two units each."""
    first, second = Moments(0.5, 0.2, 2.0), Moments(0.1, 0.009, 2.0)
    single = Moments(0.3, 0.09, 1.0)
    df = degrees_of_freedom([ClassMoments(first, second, single)])
    assert df == degrees_of_freedom([ClassMoments(second, first, single)])
    joined = 0.2 - 0.5**2 / 2.0 + 0.099 - 0.4**2 / 3.0
    welch = 0.5**2 + 0.4**2 / 2.0
    assert df == pytest.approx(min(2 * 0.9**2 / joined, 0.9**2 / welch))
