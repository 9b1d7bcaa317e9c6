"""Degrees of freedom of a difference, recomputed from the rows."""

import math
import pickle
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import t

import pauci
import rule
from pauci.measures import AP, AUC, PAUC, PAUCc, PAUCx
from pauci.variance import Problem, Uncertainty, VarianceMethod
from pauci.variance.joint import uncertainty_of_problem
from pauci.variance.method import InfluenceVariance
from pauci.variance.z import UnitLabels, Z


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
    measures = [AUC(), PAUCx(threshold=(0, 2), normalized=True), PAUC(threshold=(0, 1)) / AUC()]
    es = pauci.estimate(sample, measures, variance)
    assert [e.rows.cluster_df for e in es] == pytest.approx([held - 1] * len(es))
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
        assert (e.value, e.se, e.rows.units) == (f.value, f.se, f.rows.units)
        assert e.interval() == f.interval()
    idle = np.r_[y, 1], {k: np.r_[v, 0.0] for k, v in scores.items()}
    if weighted:  # a row of weight 0 is in nobody's cluster
        weight = np.r_[given["weight"], 0.0]
        idle = pauci.Sample(*idle, weight=weight, cluster=[*range(52), 0])
        se = pauci.estimate(rows[0]["a"], AUC()).se
        assert pauci.estimate(idle["a"], AUC()).se == pytest.approx(se, rel=1e-12)


def test_independent_samples_have_those_of_satterthwaite():
    """(V1 + V2)^2 / (V1^2/df1 + V2^2/df2), Satterthwaite (1946)."""
    first, second = rows_of(30, 30, 1)[2]["a"], rows_of(500, 500, 2)[2]["b"]
    for measure in (
        AUC(),
        PAUC(threshold=(0, 2), normalized=True),
        PAUCx(threshold=(0, 1)) / AUC(),
    ):
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

    def __init__(self, df):
        self.df = df

    def covariance(self, problem: Problem) -> Uncertainty:
        return Uncertainty(uncertainty_of_problem(problem, InfluenceVariance()).matrix, self.df)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_a_user_defined_method_determines_degrees_of_freedom():
    y, scores, _ = rows_of(30, 30)
    sample = pauci.Sample(y, {**scores, "c": scores["a"] + 0.5 * scores["b"]})
    known = pauci.compare(sample, AUC(), variance=Fixed(np.array([12.0, 5.0, 8.0])))
    assert [c.df for c in known] == [5, 8, 5], "the fewest of the two that take part"
    assert known[0].pvalue == pytest.approx(2 * t.sf(abs(known[0].statistic), 5))
    by_rule = [c.df for c in pauci.compare(sample, AUC(), variance=Fixed(None))]
    assert by_rule == [c.df for c in pauci.compare(sample, AUC())]
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
    assert len(stored) < (27 if paired else 72) * n + 10_000
    for name, values in scores.items():
        assert sample.ratings(name).values[:4].tobytes() == values[:4].tobytes()
        assert values[:4].tobytes() not in stored
    again = pickle.loads(stored)
    assert again == c
    assert again.uncertainty.df_of(np.ones(1)) == pytest.approx(c.df, rel=1e-12)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("n", [10, 67, 201, 1500])
@pytest.mark.parametrize("measure", [AUC(), PAUC(fpr=(0, 0.1)), AP(), AP(rescaled=True)], ids=str)
def test_degrees_of_freedom_are_infinite_if_no_variance_is_estimated(measure, n):
    """Without misranked rows only the rows of z that are no units have a variance."""
    rng = np.random.default_rng(n)
    y = np.arange(n) < n // 3
    for extra in ({}, {"weight": rng.exponential(size=n)}, {"frequency": rng.integers(1, 4, n)}):
        e = pauci.estimate(pauci.Sample(y, y + 0.5 * rng.random(n), **extra), measure)
        f = e.influence().iloc[:, 0]
        assert f.iloc[: y.size].abs().max() < 1e-15
        assert e.se == pytest.approx(np.linalg.norm(f.iloc[y.size :]))
        assert e.df == np.inf


@pytest.mark.usefixtures("quiet")
def test_only_the_estimates_in_a_sum_limit_its_degrees_of_freedom():
    """Clusters limit those of a class; user-defined degrees of freedom are limited too."""
    rng = np.random.default_rng(2)
    columns = []
    for size in (4, 50):
        cluster = np.repeat(np.arange(size), 3) + 1000 * size
        y = np.arange(cluster.size) % 2
        columns.append(pauci.Sample(y, y + rng.normal(size=y.size), cluster=cluster))
    es = pauci.estimate(columns, AUC(), shared_clusters=False)
    by_user = pauci.estimate(columns, AUC(), variance=Fixed(np.array([999.0])))
    for family in (es, by_user):
        limits = [e.rows.cluster_df for e in family]
        assert limits[0] < 4 < 40 < limits[1]
        assert family.contrast([1, 0]).df <= limits[0]
        assert 4 < family.contrast([0, 1]).df <= limits[1]


def test_other_rows_do_not_change_the_degrees_of_freedom():
    """Their part of a variance is not estimated from units, and is not treated as known."""
    y, scores = np.arange(60) % 2, np.random.default_rng(3).normal(size=60) + np.arange(60) % 2
    problem = Problem((pauci.Sample(y, scores).ratings(),), (AUC(),))
    z = uncertainty_of_problem(problem, InfluenceVariance()).z
    both = replace(z, known=np.sqrt(3.0 * z.cov), keys=[("unseen",)])
    assert both.cov == pytest.approx(4.0 * z.cov)
    assert both.df(np.ones(1)) == z.df(np.ones(1))


def test_exchanging_the_classes_does_not_change_the_degrees_of_freedom():
    """A single unit that holds both classes joins one of two strata with two units each."""
    first, second, single = [0.6, -0.4], [0.1, 0.3], [0.55]
    found = []
    for strata in ((3, 4), (4, 3)):
        z = np.array([*first, *second, *single])[:, None]
        codes = np.repeat([*strata, 1], [2, 2, 1])[:, None]
        labels = [UnitLabels(5, np.arange(5))]
        limits = np.array([math.inf])
        found.append(Z(z, codes, np.ones((1, 1), bool), limits, labels).df(np.ones(1)))
    assert found[0] == found[1] == pytest.approx(rule.degrees_of_freedom([first, second + single]))
