"""Covariances against DeLong by brute force, statsmodels, and the formula applied to rows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.nonparametric import rank_compare_2indep

import pauci
import reference
from pauci.curve.polyline import Curve
from pauci.measures import AUC, PAUCc
from pauci.measures.influence import Influence
from pauci.variance.contributions import z_of_terms
from pauci.variance.units import Term
from strategies import samples


def terms_of(sample, measures):
    terms = []
    for ratings in map(sample.ratings, sample.names):
        curve = Curve(ratings.table)
        terms += [Term(ratings, m.influence(curve, m.region.piece(curve))) for m in measures]
    return terms


@given(samples(classifiers=2))
@pytest.mark.usefixtures("quiet")
def test_auc_covariance_is_that_of_delong(data):
    y, a, b = data
    sample = pauci.Sample(y, {"a": a, "b": b})
    cov = z_of_terms(sample.rows, terms_of(sample, [AUC()])).cov
    expected = [[reference.delong(y, s, t) for t in (a, b)] for s in (a, b)]
    np.testing.assert_allclose(cov, expected, atol=1e-15, rtol=1e-12)


@given(samples(min_size=3))
def test_auc_variance_is_that_of_statsmodels(data):
    y, s = map(np.asarray, data)
    sample = pauci.Sample(y, s)
    var = z_of_terms(sample.rows, terms_of(sample, [AUC()])).cov[0, 0]
    assume(var > 1e-12)
    result = rank_compare_2indep(s[y == 1], s[y == 0], use_t=False)
    expected = result.var / y.size
    assert var == pytest.approx(expected, rel=1e-12)


def by_rows(rows, terms, slopes):
    """Return the covariance by the formula of the module docstring, row by row."""
    y = rows.positive
    n = y.size
    f = np.ones(n) if rows.frequency is None else rows.frequency
    w = np.ones(n) if rows.weight is None else rows.weight
    held = (f > 0) & (w > 0)
    group = np.arange(n) if rows.cluster is None else rows.cluster
    total, pi = (f * w).sum(), (f * w)[y].sum() / (f * w).sum()
    if rows.cluster is None:
        size = {c: f[held & (y == c)].sum() for c in (True, False)}
        everything = f[held].sum()
    else:
        size = {c: len(set(group[held & (y == c)])) for c in (True, False)}
        everything = len(set(group[held]))
    z = np.zeros((len(terms), n))
    for t, (term, g) in enumerate(zip(terms, slopes, strict=True)):
        codes = term.ratings.codes
        u = np.where(y, *(v.take(codes, mode="clip") for v in term.influence[:2]))
        for c in (True, False):
            mine = y == c
            mean = (f * w * u)[mine].sum() / (f * w)[mine].sum()
            factor = np.sqrt(size[c] / (size[c] - 1)) / (f * w)[mine].sum()
            z[t, mine] = factor * w[mine] * (u[mine] - mean)
        z[t] += np.sqrt(everything / (everything - 1)) * g * w * (y - pi) / total
    if rows.cluster is None:
        return (f * z) @ z.T
    sums = np.array([(f * z)[:, group == k].sum(1) for k in set(group)])
    return sums.T @ sums


@pytest.mark.parametrize("frequency", [False, True], ids=["", "frequency"])
@pytest.mark.parametrize("weight", [False, True], ids=["", "weight"])
@pytest.mark.parametrize("cluster", [False, True], ids=["", "cluster"])
@pytest.mark.parametrize("classifiers", [1, 2])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("slope", [0.0, 0.7])
def test_every_design_follows_the_one_formula(
    frequency, weight, cluster, classifiers, design, slope
):
    rng = np.random.default_rng(8)
    n = 60
    y = rng.permutation(np.repeat([1, 0], n // 2))
    scores = {name: np.round(rng.normal(size=n) + y, 1) for name in "ab"[:classifiers]}
    sample = pauci.Sample(
        y,
        scores,
        frequency=rng.integers(0, 4, n) if frequency else None,
        weight=rng.uniform(0, 2, n) * (rng.random(n) > 0.1) if weight else None,
        cluster=rng.integers(0, 20, n) if cluster else None,
        design=design,
    )
    terms = [
        Term(t.ratings, Influence(t.influence.pos, t.influence.neg, slope * (i + 1)))
        for i, t in enumerate(terms_of(sample, [AUC(), PAUCc(fpr=(0, 0.31))]))
    ]
    used = [t.influence.prevalence if design == "cohort" else 0.0 for t in terms]
    expected = by_rows(sample.rows, terms, used)
    np.testing.assert_allclose(z_of_terms(sample.rows, terms).cov, expected, rtol=1e-10, atol=1e-16)


@given(samples(classifiers=2, min_size=4), st.floats(1e-6, 1e6))
@pytest.mark.usefixtures("quiet")
def test_weights_have_no_scale_in_covariances(data, scale):
    y, a, b = data
    w = np.linspace(1, 2, len(y))
    covs = [
        z_of_terms(s.rows, terms_of(s, [AUC()])).cov
        for s in (pauci.Sample(y, {"a": a, "b": b}, weight=k * w) for k in (1.0, scale))
    ]
    np.testing.assert_allclose(*covs, rtol=1e-9, atol=1e-15)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_clustered_standard_errors_agree_with_a_simulated_truth():
    """60 clusters of 1 to 5 rows with a shared effect: SE/SD within 3% and 2 simulation errors."""
    rng = np.random.default_rng(21)
    replicates = 3000
    values, clustered, plain = np.empty((3, replicates))
    m = AUC()
    for i in range(replicates):
        cluster = np.repeat(np.arange(60), rng.integers(1, 6, 60))
        y = rng.random(cluster.size) < rng.beta(0.5, 0.5, 60)[cluster]
        s = rng.normal(size=60)[cluster] + rng.normal(size=cluster.size) + 1.2 * y
        es = [pauci.estimate(pauci.Sample(y, s, cluster=c), m) for c in (cluster, None)]
        values[i], clustered[i], plain[i] = es[0].value, es[0].se, es[1].se
    sd = values.std()
    assert clustered.mean() / sd == pytest.approx(1, abs=0.03 + 2 / np.sqrt(2 * replicates))
    assert abs(plain.mean() / sd - 1) > 0.05


def test_fractional_counts_follow_the_same_formula():
    pos, neg = np.array([2.5, 7.5, 5.25]), np.array([10.5, 7.5, 2.5])
    table = pauci.Sample.from_counts([1, 2, 3], pos, neg, fractional=True)
    wins = np.array([[0.5, 1, 1], [0, 0.5, 1], [0, 0, 0.5]])  # row: score of the negative
    placements = {"pos": neg @ wins / neg.sum(), "neg": wins @ pos / pos.sum()}
    variance = 0.0
    for mass, u in ((pos, placements["pos"]), (neg, placements["neg"])):
        m = mass.sum()
        variance += mass @ (u - mass @ u / m) ** 2 / (m * (m - 1.0))
    assert pauci.estimate(table, AUC()).se == pytest.approx(np.sqrt(variance), rel=1e-12)


def test_equal_weights_that_are_not_binary_fractions_give_the_same_bound():
    # Sums of 300,000 tenths with rounding would miss the group of FPR 0.3.
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [500, 300_000])
    s = rng.normal(size=y.size) + y
    m = PAUCc(fpr=(0, 0.3))
    plain = pauci.estimate(pauci.Sample(y, s), m)
    tenths = pauci.estimate(pauci.Sample(y, s, weight=np.full(y.size, 0.1)), m)
    assert tenths.value == pytest.approx(plain.value, rel=1e-12)
    # Ends of weighted rows have an effective number of rows, n - 1 instead of n.
    assert tenths.se == pytest.approx(plain.se, rel=1e-6)
