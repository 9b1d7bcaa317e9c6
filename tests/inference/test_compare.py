"""Comparisons: properties of the tests, and intervals that agree with them."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm, t

import pauci
import reference
from makers import normal_scores, related_scores
from pauci.measures import AUC, PAUCc
from simulate import clustered
from strategies import samples

M = PAUCc(fpr=(0, 0.3))


@pytest.fixture
def sample():
    return pauci.Sample(*related_scores(50, 70, 1, {"a": 1, "b": 0.5}, shuffled=True))


def test_the_difference_follows_from_the_joint_covariance(sample):
    es = pauci.estimate(sample, [M])
    c = pauci.compare(sample, M)
    assert c.difference == es[0].value - es[1].value
    assert c.se**2 == pytest.approx(es.cov[0, 0] + es.cov[1, 1] - 2 * es.cov[0, 1], rel=1e-12)
    assert c.correlation == pytest.approx(es.cov[0, 1] / (es[0].se * es[1].se))
    wald = c.inverted_test(0.0, "two-sided", "wald")
    assert wald.statistic == c.difference / c.se
    assert wald.pvalue == pytest.approx(2 * t.sf(abs(wald.statistic), c.df))
    assert c.paired


def test_exchanging_the_classifiers_changes_the_sign(sample):
    c, d = pauci.compare(sample, M), pauci.compare(sample, M, pair=("b", "a"))
    assert d.difference == -c.difference
    assert (d.statistic, d.pvalue) == pytest.approx((-c.statistic, c.pvalue), rel=1e-10)
    less = pauci.compare(sample, M, alternative="less", pair=("b", "a"))
    greater = pauci.compare(sample, M, alternative="greater")
    assert less.pvalue == pytest.approx(greater.pvalue, rel=1e-10)


def test_independent_samples(sample):
    other = pauci.Sample(*normal_scores(40, 40, 2), name="c")
    c = pauci.compare([sample["a"], other], M)
    a, b = c.estimates
    frames = [pauci.estimate(x, M).influence() for x in (sample["a"], other)]
    shifts = [f.loc["shift"].item() for f in frames]
    variance = a.se**2 + b.se**2 - 2.0 * np.prod(shifts)  # the shifts of all samples are one row
    assert c.se == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert c.correlation == pytest.approx(np.prod(shifts) / (a.se * b.se), rel=1e-9)
    assert (c.paired, c.first, c.second) == (False, "a", "c")
    assert (a.n_pos, b.n_pos) == (50, 40)


@given(
    samples(classifiers=2, min_size=3),
    st.floats(-0.9, 0.9),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.floats(0.5, 0.99),
)
@pytest.mark.usefixtures("quiet")
def test_p_is_below_alpha_exactly_when_the_interval_excludes_the_null(
    data, null, alternative, level
):
    y, a, b = data
    c = pauci.compare(pauci.Sample(y, {"a": a, "b": b}), AUC(), null=null, alternative=alternative)
    low, high = c.interval(level)
    margin = min(abs(null - low), abs(null - high))
    assert 0 <= c.pvalue <= 1
    if margin > 1e-9:
        assert (c.pvalue < 1 - level) == (not low <= null <= high)


def test_non_inferiority(sample):
    area = pauci.PAUC(fpr=(0, 0.3))
    c = pauci.compare(sample, area, null=-0.05, alternative="greater")
    plain = pauci.compare(sample, area)
    assert c.statistic == pytest.approx((plain.difference + 0.05) / plain.se)
    assert c.pvalue == pytest.approx(t.sf(c.statistic, c.df))
    assert c.df == plain.df
    assert c.interval().high == np.inf
    assert "Tests against -0.1667, one-sided (greater)." in " ".join(c.summary().split())


def test_two_perfect_classifiers_are_not_proven_equal():
    """With twenty pairs without an error, a difference of 1 - 0.025^(1/20) is possible."""
    y = np.repeat([0, 1], 20)
    with pytest.warns(pauci.errors.DegenerateWarning):
        c = pauci.compare(pauci.Sample(y, {"a": np.arange(40), "b": np.arange(40) ** 2}), AUC())
    assert c.pvalue == 1
    assert c.interval() == pytest.approx((-(1 - 0.025 ** (1 / 20)), 1 - 0.025 ** (1 / 20)))
    assert "nan" not in c.summary() + c.report()


@pytest.mark.parametrize("apart", [1, 2, 5])
def test_classifiers_that_hardly_differ_have_a_standard_error(apart):
    """The variance is small compared with those of the classifiers: DeLong from all pairs."""
    y, a = normal_scores(300, 400, 7)
    b = a.copy()
    b[:apart] -= 0.05
    c = pauci.compare(pauci.Sample(y, {"a": a, "b": b}), AUC())
    aa, bb, ab = (reference.delong(y, s, t) for s, t in ((a, a), (b, b), (a, b)))
    assert 0 < (aa + bb - 2 * ab) / (aa + bb) < 1e-3
    assert c.se**2 == pytest.approx(aa + bb - 2 * ab, rel=1e-8)


def test_few_clusters_have_t_tests():
    y, scores, cluster = clustered(1, 8)
    c = pauci.compare(pauci.Sample(y, scores, cluster=cluster), AUC())
    sizes = [np.bincount(cluster[y == label]) for label in (1, 0)]
    df = min(m.sum() ** 2 / (m**2).sum() for m in sizes) - 1
    assert 6 < df < 7
    assert c.df == pytest.approx(df)
    assert c.pvalue == pytest.approx(2 * t.sf(abs(c.statistic), df))
    assert c.interval() == pytest.approx(t.interval(0.95, df, c.difference, c.se))
    assert f" {df:.3g} " in " ".join(c.summary(details=True).split())
    assert f"t ({df:.1f} df)" in " ".join(c.summary().split())
    alone = pauci.Sample(y, scores, cluster=np.arange(y.size))
    apart = pauci.compare(pauci.Sample(y, scores), AUC())
    assert pauci.compare(alone, AUC()).df == pytest.approx(apart.df)
    assert pauci.compare(alone, AUC()).pvalue == pytest.approx(apart.pvalue)
    one, two = (pauci.Sample(y, scores[k], cluster=cluster, name=k) for k in ("a", "b"))
    both = pauci.compare([one, two], AUC(), independent=True)
    v = [pauci.estimate(sample, AUC()).se ** 2 for sample in (one, two)]
    assert both.df == pytest.approx(df * sum(v) ** 2 / sum(x**2 for x in v))  # Welch
    plain = pauci.Sample(y, scores["b"], name="b")
    with_plain = pauci.compare([one, plain], AUC(), independent=True)
    assert with_plain.df == pytest.approx(df * (with_plain.se**2 / v[0]) ** 2)
    assert pauci.estimate(one, PAUCc(fpr=(0, 0.5))).rows.cluster_df == pytest.approx(df)


def test_tests_of_few_clusters_keep_their_size():
    rejected = np.zeros(2)
    for seed in range(200):
        y, scores, cluster = clustered([3, seed], 8, 20)
        c = pauci.compare(pauci.Sample(y, scores, cluster=cluster), AUC())
        rejected += [c.pvalue < 0.05, 2 * norm.sf(abs(c.statistic)) < 0.05]
    low, high = binom.ppf([0.001, 0.999], 200, 0.05)
    assert low <= rejected[0] <= high
    assert rejected[1] > rejected[0] + 5, "the normal distribution rejects too often"


@pytest.mark.parametrize(
    "measures",
    [
        (pauci.AP(prevalence=0.1), pauci.AP(prevalence=0.4)),
        (pauci.AP(negatives=True), pauci.AP()),
        (AUC(rescaled=True), AUC()),
        (pauci.MaxKappa(0.5), pauci.MaxKappa(0.01)),
        (PAUCc(fpr=(0, 0.2), normalized=True), PAUCc(fpr=(0, 0.2))),
    ],
    ids=repr,
)
def test_measures_may_differ_in_their_regions_alone(measures):
    y, scores, _ = clustered(1, 8)
    with pytest.raises(ValueError, match="only their regions may differ"):
        pauci.compare(pauci.Sample(y, scores), dict(zip("ab", measures, strict=True)))


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
@pytest.mark.filterwarnings("ignore::pauci.errors.HardPredictionsWarning")
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_perfect_classifier_has_uncertainty_in_a_difference(alternative):
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [12, 15])
    b = rng.normal(size=27) + y
    for first, second in (("up", "b"), ("b", "up")):
        sample = pauci.Sample(y, {"up": y, "b": b})[[first, second]]
        c = pauci.compare(sample, AUC(), alternative=alternative)
        margin = norm.ppf(0.975 if alternative == "two-sided" else 0.95) * c.se
        low, high = c.interval()
        unseen = c.difference - low if first == "up" else high - c.difference
        assert unseen > margin * 1.01
        for null in (-0.6, -0.3, -0.1, 0.0, 0.1, 0.3, 0.6):
            d = dataclasses.replace(c, null=null)
            for level in (0.8, 0.95, 0.99):
                ends = d.interval(level)
                assert (d.pvalue < 1 - level) == (not ends.low <= null <= ends.high)


def apart(y, other=None, **options):
    """Return two samples with equal or different labels."""
    rng = np.random.default_rng(5)
    other = y if other is None else other
    return [
        pauci.Sample(labels, rng.normal(size=len(labels)) + labels, name=name, **options)
        for labels, name in ((y, "svm"), (other, "nn"))
    ]


SHUFFLED = np.random.default_rng(6).permutation(np.repeat([1, 0], [20, 30]))


@pytest.mark.parametrize("options", [{}, {"weight": np.arange(50) % 7 + 1.0}])
def test_samples_that_may_be_the_same_rows_issue_a_warning(options):
    samples = apart(SHUFFLED, **options)
    with pytest.warns(pauci.errors.UnpairedWarning) as caught:
        c = pauci.compare(samples, [AUC(), M])
    [message] = [str(w.message) for w in caught]
    assert "samples 1 and 2 have the same labels in the same order" in message
    assert "pauci.Sample(y, {'svm': ..., 'nn': ...})" in message
    assert "independent=True" in message
    assert not c[0].paired
    meant = pauci.compare(samples, [AUC(), M], independent=True)
    np.testing.assert_array_equal(meant.cov, c.cov)


def test_the_paired_call_that_it_names_has_another_standard_error():
    rng = np.random.default_rng(7)
    common = rng.normal(size=50) + SHUFFLED
    scores = {n: common + rng.normal(size=50) / 3 for n in "ab"}
    with pytest.warns(pauci.errors.UnpairedWarning):
        wrong = pauci.compare([pauci.Sample(SHUFFLED, s) for s in scores.values()], AUC())
    assert wrong.se > 2 * pauci.compare(pauci.Sample(SHUFFLED, scores), AUC()).se


@pytest.mark.parametrize(
    "samples",
    [
        apart(SHUFFLED, SHUFFLED[::-1]),
        apart(SHUFFLED, SHUFFLED[:-1]),
        apart(SHUFFLED, frequency=np.arange(50) + 1),
        [
            pauci.Sample.from_counts([1, 2, 3], p, [9, 4, 2], name=str(p))
            for p in ([1, 3, 9], [1, 5, 8])
        ],
        [*apart(SHUFFLED)[:1], *apart(SHUFFLED, weight=np.arange(50) + 1.0)[1:]],
    ],
)
def test_samples_with_different_rows_issue_no_warning(samples):
    assert not pauci.compare(samples, AUC()).paired


def test_classifiers_of_one_sample_are_not_independent(sample):
    with pytest.raises(ValueError, match="independent=True needs a list of samples"):
        pauci.compare(sample, AUC(), independent=True)
    assert pauci.compare(sample, AUC(), independent=False).paired
    with pytest.raises(TypeError, match="independent='yes' must be True or False"):
        pauci.compare(sample, AUC(), independent="yes")


@pytest.mark.usefixtures("quiet")
def test_the_number_of_differences_is_limited_before_any_is_calculated():
    """The covariance matrix of the differences of 200 classifiers would take 3 GB."""
    noise = np.random.default_rng(1).normal(size=(200, 50))
    scores = {f"m{i}": x + 2 * SHUFFLED for i, x in enumerate(noise)}
    sample = pauci.Sample(SHUFFLED, scores)
    with pytest.raises(
        ValueError, match=r"200 classifiers.*19,900.*baseline='m0'.*pair="
    ) as raised:
        pauci.compare(sample, AUC())
    assert raised.value.argument == "samples"
    assert len(pauci.compare(sample, AUC(), baseline="m0")) == 199
    assert len(pauci.compare(sample, AUC(), pair=[("m0", "m1"), ("m0", "m2")])) == 2


@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_the_number_of_differences_is_limited_in_groups_and_in_lists():
    rng, y = np.random.default_rng(5), np.arange(60) % 2
    sample = pauci.Sample(y, {f"m{i}": rng.normal(size=60) for i in range(60)})
    halves = {g: np.arange(60) // 2 % 3 == g for g in range(3)}
    with pytest.raises(pauci.InputError, match="5,310 differences in 3 groups") as caught:
        pauci.compare(sample, pauci.AUC(), by=halves)
    assert "baseline='m0'" in caught.value.hint
    assert len(pauci.compare(sample, pauci.AUC(), by=halves, baseline="m0")) == 177
    listed = [pauci.Sample(y, rng.normal(size=60), name=f"m{i}") for i in range(102)]
    with pytest.raises(pauci.InputError, match="5,151 differences;") as caught:
        pauci.compare(listed, pauci.AUC(), independent=True)
    assert "baseline" not in caught.value.hint
