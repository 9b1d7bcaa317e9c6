"""More than two classifiers, samples or measures: adjusted, joint and simultaneous inference."""

import dataclasses
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, f, multivariate_normal, norm, t
from statsmodels.stats.multitest import multipletests

import pauci
from columns import COMPARISON_COLUMNS
from fresh_process import loaded_by
from makers import related_scores
from pauci.intervals.simultaneous import (
    ADJUSTMENTS,
    DRAWS,
    LargestStatistic,
    adjusted_pvalues,
)
from pauci.measures import AUC, PAUC, PAUCc
from pauci.variance import Uncertainty
from simulate import clustered
from strategies import samples

M, KNOWN = PAUCc(fpr=(0, 0.3)), PAUC(threshold=(0, 2), normalized=True)
"""Measures with an estimated end, and with known ends in differences."""


def make_sample(seed=1, names="abcd", n=120):
    spreads = {name: 1 + i / 2 for i, name in enumerate(names)}
    return pauci.Sample(*related_scores(n // 2, n - n // 2, seed, spreads, shuffled=True))


def test_all_pairs_of_all_measures_in_order():
    cs = pauci.compare(make_sample(), [AUC(), M])
    assert isinstance(cs, pauci.Comparisons)
    expected = [(m, *p) for m in ("AUC", "pAUCc") for p in combinations("abcd", 2)]
    assert [(c.measure.symbol, c.first, c.second) for c in cs] == expected
    frame = cs.to_frame()
    assert list(frame.columns) == COMPARISON_COLUMNS
    assert len(frame) == len(cs) == 12


def test_each_comparison_equals_a_separate_one():
    sample = make_sample()
    for c in pauci.compare(sample, [AUC(), M]):
        alone = pauci.compare(sample, c.measure, pair=(c.first, c.second))
        assert c.difference == alone.difference
        assert c.se == pytest.approx(alone.se, rel=1e-12)
        assert c.pvalue == pytest.approx(alone.pvalue, rel=1e-9)


def test_covariance_of_differences_is_the_contrast_of_the_joint_covariance():
    sample = make_sample(names="abc")
    cs = pauci.compare(sample, M)
    es = pauci.estimate(sample, [M])
    contrast = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    np.testing.assert_allclose(cs.cov, contrast @ es.cov @ contrast.T, rtol=1e-12, atol=1e-18)


@pytest.mark.parametrize("adjust", [a for a in ADJUSTMENTS if a not in ("none", "max-t")])
@example(p=[0.01, 0.02, 0.02, 0.03, 0.9])
@example(p=[0.5, math.nan, 0.001])
@given(p=st.lists(st.sampled_from([0.0, 1.0, 0.02, 0.03, math.nan]) | st.floats(0, 1), min_size=1))
@pytest.mark.long
def test_adjusted_p_values_are_those_of_statsmodels(adjust, p):
    name = {"bh": "fdr_bh", "by": "fdr_by"}.get(adjust, adjust)
    with np.errstate(invalid="ignore"):
        expected = multipletests(p, method=name)[1]
    np.testing.assert_allclose(adjusted_pvalues(p, adjust), expected, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("adjust", ["bonferroni", "holm", "bh", "by"])
def test_comparisons_are_adjusted_for_their_number(adjust):
    cs = pauci.compare(make_sample(), M, adjust=adjust)
    assert cs.p_adjusted == tuple(adjusted_pvalues([c.pvalue for c in cs], cs.adjust))
    assert cs.adjust == adjust


@pytest.mark.parametrize("adjust", ["sidak", "holm-sidak", "simes-hochberg", "fdr_bh", "fdr_by"])
def test_other_adjustments_are_not_available(adjust):
    with pytest.raises(pauci.InputError, match="'bh'") as caught:
        pauci.compare(make_sample(), M, adjust=adjust)
    assert (caught.value.argument, caught.value.value) == ("adjust", adjust)


@pytest.mark.long
def test_results_do_not_load_statsmodels():
    code = (
        "import pauci\n"
        "s = {'a': [1, 3, 2, 2, 3, 4] * 3, 'b': [1, 2, 3, 3, 2, 4] * 3, 'c': range(18)}\n"
        f"for adjust in {ADJUSTMENTS}:\n"
        "    cs = pauci.compare(pauci.Sample([0, 1] * 9, s), pauci.AUC(), adjust=adjust)\n"
        "    cs.summary(), cs.report(), cs.to_frame(), cs.to_json()\n"
    )
    assert not {m for m in loaded_by(code) if m.startswith("statsmodels")}


def test_without_adjustment_p_values_are_unchanged():
    for adjust in ("none", None):
        cs = pauci.compare(make_sample(), M, adjust=adjust)
        assert cs.p_adjusted == tuple(c.pvalue for c in cs)


def df_by_directions(z, positive, draws=40_000):
    """Degrees of freedom of a covariance matrix: averages over contrasts of random direction."""
    rng = np.random.default_rng(1)
    whitened = z @ np.linalg.cholesky(np.linalg.inv(z.T @ z))
    a = rng.normal(size=(z.shape[1], draws))
    sums = whitened @ (a / np.linalg.norm(a, axis=0))
    between = welch = 0.0
    for part in (sums[positive], sums[~positive]):
        square, m = (part**2).sum(axis=0) ** 2, len(part)
        between += ((part**4).sum(axis=0) - square / m).mean()
        welch += (square / (m - 1)).mean()
    return min(2.0 / between, 1.0 / welch)


@pytest.mark.parametrize("count", [3, 4, 7])
def test_the_joint_test_does_not_depend_on_the_contrasts(count):
    sample = make_sample(names="abcdefg"[:count])
    expected = pauci.compare(sample, M).joint()
    es = pauci.estimate(sample, [M])
    mixed = np.random.default_rng(2).normal(size=(count - 1, count))
    mixed -= mixed.mean(axis=1, keepdims=True)
    for joint in (
        pauci.compare(sample, M, baseline="b").joint(),
        es.contrasts(mixed).joint(),
    ):
        assert (joint.statistic, joint.df_denominator, joint.pvalue) == pytest.approx(
            (expected.statistic, expected.df_denominator, expected.pvalue), rel=1e-7
        )


@given(st.integers(0, 2**16), st.permutations("abc"), st.sampled_from([M, PAUCc(tpr=(0.3, 0.7))]))
@settings(max_examples=5, phases=[Phase.generate])
def test_the_joint_test_of_estimated_ends_does_not_depend_on_an_order(seed, order, measure):
    sample = make_sample(seed, "abc", 60)
    joint = pauci.compare(sample, measure).joint()
    other = pauci.compare(sample[list(order)], measure, baseline=order[1]).joint()
    found, expected = ((j.statistic, j.df, j.df_denominator, j.pvalue) for j in (other, joint))
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("null", [0.0, 0.05])
@pytest.mark.parametrize(
    "measure", [M, pauci.Sensitivity(fpr=0.2), PAUCc(tpr=(0.3, 0.7))], ids=repr
)
def test_the_joint_test_of_a_single_difference_is_its_test(measure, null):
    (c,) = cs = pauci.compare(make_sample(names="ab"), [measure])
    assert c.kind_used() == "wald"
    expected = c.inverted_test(null, "two-sided").pvalue
    assert cs.joint([null]).pvalue == pytest.approx(expected, rel=1e-9)


@pytest.mark.long
def test_the_joint_test_hardly_loses_size_with_more_classifiers():
    """By the smallest degrees of freedom of the pairs it rejects .5% of true hypotheses."""
    y, runs, rejected = np.repeat([1, 0], 20), 400, 0
    for seed in range(runs):
        rng = np.random.default_rng([13, seed])
        scores = rng.normal(size=(5, 40)) + rng.normal(size=40) + y
        joint = pauci.compare(
            pauci.Sample(y, dict(zip("abcde", scores, strict=True))), AUC()
        ).joint()
        rejected += joint.pvalue < 0.05
    assert 0.012 < rejected / runs < 0.07


def test_the_joint_test_is_hotellings_test_of_independent_contrasts():
    """T^2 of three contrasts that span all pairs; F = T^2 (nu - 2)/(3 nu) on 3 and nu - 2 df."""
    sample = make_sample()
    cs = pauci.compare(sample, KNOWN)
    test = cs.joint()
    es = pauci.estimate(sample, [KNOWN])
    contrast = np.array([[1, -1, 0, 0], [0, 1, -1, 0], [0, 0, 1, -1]])
    d = contrast @ [e.value for e in es]
    statistic = d @ np.linalg.solve(contrast @ es.cov @ contrast.T, d)
    assert test.df == 3
    assert test.statistic == pytest.approx(statistic, rel=1e-8)
    z = es.influence().to_numpy() @ contrast.T
    assert len(z) == sample.rows.positive.size
    nu = df_by_directions(z, np.asarray(sample.rows.positive, bool))
    assert nu > 1.1 * min(c.df for c in cs)
    assert test.df_denominator == pytest.approx(nu - 2, rel=0.01)
    nu = test.df_denominator + 2
    assert test.f == pytest.approx(statistic * (nu - 2) / (3 * nu), rel=1e-8)
    assert test.pvalue == pytest.approx(f.sf(statistic * (nu - 2) / (3 * nu), 3, nu - 2), rel=1e-8)
    assert test.pvalue > chi2.sf(statistic, 3)
    with pytest.raises(ValueError, match=r"null 0.01"):
        pauci.compare(sample, M, null=0.01).joint()


def test_two_classifiers_give_the_same_joint_p_as_their_own_test():
    cs = pauci.compare(make_sample(names="ab"), [PAUC(fpr=(0, 0.3))])
    assert cs.joint().pvalue == pytest.approx(cs[0].pvalue, rel=1e-9)
    assert cs.p_adjusted == pytest.approx((cs[0].pvalue,))


@pytest.mark.parametrize("z", [0.5, 1.5, 2.2, 3.0])
def test_the_largest_statistic_has_its_normal_probability(z):
    """Against numerical integration of the trivariate normal; 100,000 draws, 4 standard errors."""
    corr = np.array([[1, 0.7, 0.2], [0.7, 1, 0.5], [0.2, 0.5, 1]])
    inside = multivariate_normal(cov=corr).cdf([z] * 3, lower_limit=[-z] * 3)
    largest = LargestStatistic(corr, two_sided=True)
    error = 4 * np.sqrt(inside * (1 - inside) / DRAWS)
    assert largest.tail(z) == pytest.approx(1 - inside, abs=error + 1e-5)
    upper = multivariate_normal(cov=corr).cdf([z] * 3)
    assert LargestStatistic(corr, two_sided=False).tail(z) == pytest.approx(
        1 - upper, abs=4 * np.sqrt(upper * (1 - upper) / DRAWS) + 1e-5
    )


@pytest.mark.parametrize("correlation", [0.0, 1.0])
def test_the_largest_statistic_at_the_extremes(correlation):
    corr = np.full((4, 4), correlation) + (1 - correlation) * np.eye(4)
    got = LargestStatistic(corr, two_sided=True).quantile(0.95)
    share = 0.95 ** (1 / 4) if correlation == 0 else 0.95
    assert got == pytest.approx(norm.ppf(0.5 + share / 2), abs=0.01)


@settings(max_examples=15)
@given(
    samples(classifiers=3, min_size=4),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.floats(-0.3, 0.3),
    st.floats(0.5, 0.99),
)
@pytest.mark.usefixtures("quiet")
def test_max_t_agrees_with_simultaneous_intervals(data, alternative, null, level):
    y, *scores = data
    sample = pauci.Sample(y, dict(zip("abc", scores, strict=True)))
    cs = pauci.compare(sample, AUC(), null=null, alternative=alternative, adjust="max-t")
    for c, p, (low, high) in zip(cs, cs.p_adjusted, cs.intervals(level), strict=True):
        assert c.pvalue <= p + 1e-12 <= 1 + 1e-12
        own = c.interval(level)
        assert low <= own.low + 1e-12
        assert high >= own.high - 1e-12
        if min(abs(null - low), abs(null - high)) > 1e-9:
            assert (p < 1 - level) == (not low <= null <= high)


def test_max_t_is_sharper_than_bonferroni_and_repeats():
    sample = make_sample()
    cs = pauci.compare(sample, M, adjust="max-t")
    again = pauci.compare(sample, M, adjust="max-t")
    assert "Differences: simultaneous." in cs.summary().replace("\n", " ")
    assert "p (max-t)" in cs.summary()
    bonferroni = pauci.compare(sample, M, adjust="bonferroni").p_adjusted
    assert cs.p_adjusted == again.p_adjusted
    assert all(p <= b for p, b in zip(cs.p_adjusted, bonferroni, strict=True))
    assert set(cs.to_frame()["kind"]) == {"simultaneous"}


def test_more_than_two_independent_samples():
    parts = [make_sample(seed, names="x")["x"] for seed in range(3)]
    cs = pauci.compare(parts, [AUC(), M])
    assert [(c.first, c.second) for c in cs[:3]] == [
        ("x (sample 1)", "x (sample 2)"),
        ("x (sample 1)", "x (sample 3)"),
        ("x (sample 2)", "x (sample 3)"),
    ]
    two = pauci.compare(parts[:2], AUC())
    assert (cs[0].difference, cs[0].se) == pytest.approx((two.difference, two.se), rel=1e-14)
    es = [pauci.estimate(p, [AUC(), M]) for p in parts]
    assert cs.cov[0, 3] == pytest.approx(es[0].cov[0, 1] + es[1].cov[0, 1])
    assert cs.cov[0, 1] == pytest.approx(es[0][0].se ** 2)


def test_one_threshold_range_per_classifier():
    sample = make_sample(names="ab")
    own = {"a": PAUCc(threshold=(0, 1)), "b": PAUCc(threshold=(0.5, 3))}
    c = pauci.compare(sample, own)
    es = [pauci.estimate(sample[n], own[n]) for n in "ab"]
    assert c.difference == es[0].value - es[1].value
    assert "a: scores from 0 to below 1; b: scores from 0.5 to below 3" in c.report()
    assert (
        c.to_frame()["region"].item()
        == "a: scores from 0 to below 1; b: scores from 0.5 to below 3"
    )


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        pytest.param({"a": AUC()}, r"for each of 'a', 'b'", id="one missing"),
        pytest.param({"a": AUC(), "b": M}, "only their regions", id="two measures"),
        pytest.param(
            {"a": PAUC(fpr=(0, 0.1)), "b": PAUC(fpr=(0, 0.1), normalized=True)},
            "only their regions",
            id="two scales",
        ),
    ],
)
def test_bad_measures_by_name(measure, words):
    with pytest.raises(ValueError, match=words):
        pauci.compare(make_sample(names="ab"), measure)


def test_unknown_adjustment_and_repeated_pair():
    sample = make_sample()
    with pytest.raises(ValueError, match=r"adjust='holms' is not known. Did you mean 'holm'"):
        pauci.compare(sample, M, adjust="holms")
    with pytest.raises(ValueError, match="same classifier twice"):
        pauci.compare(sample, M, pair=("a", "a"))


@pytest.mark.usefixtures("quiet")
def test_identical_classifiers_among_others():
    base = make_sample(names="ab")
    a, b = (base.ratings(n).values for n in "ab")
    sample = pauci.Sample(base.rows.positive, {"a": a, "copy": a.copy(), "b": b})
    for adjust in ("holm", "max-t"):
        cs = pauci.compare(sample, M, adjust=adjust)
        assert cs[0].se == 0
        assert cs.p_adjusted[0] == 1
        assert np.isfinite(cs.p_adjusted).all()
        assert cs.joint().df == 1


@pytest.mark.usefixtures("quiet")
def test_paired_tables_equal_their_rows():
    rng = np.random.default_rng(2)
    tables = {c: rng.integers(0, 9, (3, 3)) for c in (1, 0)}
    sample = pauci.Sample.from_counts(
        [10, 20, 30], positives=tables[1], negatives=tables[0].tolist(), names=("A", "B")
    )
    y, a, b = [], [], []
    for label, table in tables.items():
        for i, j in np.ndindex(3, 3):
            y += [label] * table[i, j]
            a += [10 * (i + 1)] * table[i, j]
            b += [10 * (j + 1)] * table[i, j]
    expected = pauci.compare(pauci.Sample(y, {"A": a, "B": b}), AUC())
    c = pauci.compare(sample, AUC())
    assert c.difference == expected.difference
    assert c.se == pytest.approx(expected.se, rel=1e-12)


@pytest.mark.parametrize(
    ("positives", "names", "words"),
    [
        pytest.param([[1, 2], [3, 4]], ("A", "B"), r"shape \(2, 2\).*\(3, 3\)", id="other size"),
        pytest.param(np.ones((3, 3)) / 2, ("A", "B"), "holds 0.5", id="fractional"),
        pytest.param(-np.ones((3, 3)), ("A", "B"), "negative", id="negative"),
        pytest.param(np.ones((3, 3)), ("A", "A"), "two different names", id="one name"),
    ],
)
def test_bad_paired_tables(positives, names, words):
    with pytest.raises(ValueError, match=words):
        pauci.Sample.from_counts([1, 2, 3], positives, np.ones((3, 3)), names=names)


def log_odds(value, measure):
    low, high = measure.range
    return np.log((value - low) / (high - value))


def test_simultaneous_intervals_of_estimates():
    """Those of each estimate, at the level of the largest of six deviates."""
    es = pauci.estimate(make_sample(names="abc"), [AUC(), PAUC(fpr=(0, 0.3))])
    critical = LargestStatistic(es.cov, two_sided=True).quantile(0.95)
    assert norm.ppf(0.975) < critical < norm.ppf(1 - 0.025 / 6)
    for e, ends in zip(es, es.simultaneous(), strict=True):
        assert ends == pytest.approx(e.interval(1 - 2 * norm.sf(critical)), rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("variance", ["influence", pauci.Bootstrap(80, rng=1), pauci.Jackknife()])
@pytest.mark.usefixtures("quiet")
def test_simultaneous_intervals_cover_more_than_pointwise_ones(variance, level):
    """Logit, log and Wald scales, a value at its limit, and few clusters with positives.

    All stay inside the range, where intervals of the form value -/+ margin need not.
    """
    rng = np.random.default_rng(8)
    cluster = np.repeat(np.arange(30), 4)
    y = np.where(cluster < 7, np.arange(120) % 2, 0)
    scores = {"a": rng.normal(size=120) + 2 * y, "b": rng.normal(size=120) + y, "best": y}
    measures = [AUC(), M, AUC() / PAUC(fpr=(0, 0.3)), AUC() - AUC() / PAUC(fpr=(0, 0.3))]
    for options in ({}, {"cluster": cluster}):
        es = pauci.estimate(pauci.Sample(y, scores, **options), measures, variance)
        assert {e.kind_used("wald") for e in es} == {"wald", "limit"}
        for e, (low, high) in zip(es, es.simultaneous(level), strict=True):
            usual = "log" if e.bounds.low >= 0 else "wald"
            bounded = np.isfinite(e.bounds.high - e.bounds.low)
            own = e.interval(level, "logit" if bounded else usual)
            assert low <= own.low <= e.value <= own.high <= high
            if bounded or usual == "log":
                assert e.scale.low <= low <= high <= e.scale.high
    one = pauci.estimate(pauci.Sample(y, {"a": scores["a"]}), [AUC()])
    # The tolerance is the accuracy of SciPy's t quantile.
    assert tuple(one.simultaneous(level)[0]) == pytest.approx(tuple(one[0].interval(level)), 1e-9)


def few_clusters(names, clusters=6, rng=None):
    """Return classifiers with the same curve on few clusters with a common effect."""
    rng = np.random.default_rng(4) if rng is None else rng
    cluster = np.repeat(np.arange(clusters), rng.integers(2, 21, clusters))
    y = np.arange(cluster.size) % 2
    effect = rng.normal(size=(len(names), clusters))[:, cluster]
    scores = y + effect + rng.normal(size=(len(names), y.size))
    return pauci.Sample(y, dict(zip(names, scores, strict=True)), cluster=cluster)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_too_few_clusters_for_a_joint_test_are_stated():
    """A covariance from six clusters has at most rank five."""
    sample = few_clusters("abcdefg")
    cs = pauci.compare(sample, AUC())
    words = r"joint\(\) tests 6 differences at once.*\d degrees of freedom, .* only 5.* clusters"
    with pytest.raises(pauci.UndefinedError, match=words) as caught:
        cs.joint()
    assert "fewer classifiers or measures, collect more clusters" in str(caught.value)
    assert "adjust='holm'" in str(caught.value)
    assert "p (Holm)" in cs.summary()
    assert cs.report().count("adjusted p") == 21
    for adjust in ("max-t", "none"):
        again = pauci.compare(sample, AUC(), adjust=adjust)
        assert len(again.to_frame()) == 21
    two = pauci.compare(sample[["a", "b", "c"]], AUC())
    nu = min(c.df for c in two)
    assert 1 < nu <= 5
    test = two.joint()
    assert (test.df, test.df_denominator) == (2, pytest.approx(nu - 1))
    assert test.pvalue == pytest.approx(f.sf(test.statistic * (nu - 1) / (2 * nu), 2, nu - 1))


@pytest.mark.usefixtures("quiet")
def test_too_few_rows_for_a_joint_test_are_an_error():
    y = np.repeat([1, 0], 5)
    scores = np.random.default_rng(1).normal(size=(9, 10))
    sample = pauci.Sample(y, {f"c{i}": s + 0.5 * y for i, s in enumerate(scores)})
    cs = pauci.compare(sample, AUC())
    with pytest.raises(
        pauci.UndefinedError, match=r"more than 7 degrees of freedom, .*observations"
    ):
        cs.joint()


@pytest.mark.usefixtures("quiet")
def test_max_t_uses_the_degrees_of_freedom_of_each_difference():
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [9, 60])
    scores = {
        k: rng.normal(size=69) * spread + y for k, spread in zip("abc", (1, 1, 3), strict=True)
    }
    scores["a"][:2] -= 4
    cs = pauci.compare(pauci.Sample(y, scores), AUC(), adjust="max-t")
    each = [c.df for c in cs]
    assert max(each) > 1.1 * min(each) == 1.1 * cs.df
    largest = LargestStatistic(cs.cov, two_sided=True)
    for c, p, (low, high) in zip(cs, cs.p_adjusted, cs.simultaneous(), strict=True):
        assert c.pvalue == pytest.approx(2 * t.sf(abs(c.statistic), c.df))
        assert p == largest.tail(norm.isf(c.pvalue / 2)) > c.pvalue
        reach = t.isf(norm.sf(largest.quantile(0.95)), c.df) * c.se
        assert (low, high) == pytest.approx((c.difference - reach, c.difference + reach))
    frame = cs.to_frame()
    assert frame["df"].tolist() == each
    assert frame["pvalue"].tolist() == pytest.approx(2 * t.sf(frame["statistic"].abs(), each))


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_fractional_counts_scale_like_whole_ones():
    whole = pauci.Sample.from_counts([1, 2, 3], [4, 10, 30], [30, 12, 2])
    half = pauci.Sample.from_counts([1, 2, 3], [2, 5, 15.0], [15, 6, 1], fractional=True)
    quarter = pauci.Sample.from_counts([1, 2, 3], [1, 2.5, 7.5], [7.5, 3, 0.5], fractional=True)
    values = [pauci.estimate(s, AUC()) for s in (whole, half, quarter)]
    assert values[0].value == pytest.approx(values[2].value, abs=1e-14)
    ratio = np.sqrt(43 / 10)  # (n - 1)/(n/4 - 1) in both classes of 44
    assert values[2].se / values[0].se == pytest.approx(ratio, rel=1e-12)
    counted = pauci.Sample.from_counts([1, 2, 3], [2, 5, 15], [15, 6, 1])
    assert values[1].se == pytest.approx(pauci.estimate(counted, AUC()).se, rel=1e-12)
    with pytest.raises(ValueError, match=r"holds 2.5.*fractional=True"):
        pauci.Sample.from_counts([1, 2, 3], [1, 2.5, 7.5], [7, 3, 1])


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_the_joint_test_counts_differences_without_error():
    y = np.repeat([1, 0], [30, 40])
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 70)) + y
    certain = pauci.compare(pauci.Sample(y, {"up": y, "down": -y, "twice": 2 * y}), AUC())
    joint = certain.joint()
    assert joint.statistic == np.inf
    assert joint.df == 0
    assert 0 < joint.pvalue == pytest.approx(2 * min(c.pvalue for c in certain if c.difference))
    same = pauci.compare(pauci.Sample(y, {"a": a, "b": 3 * a, "c": a + 1}), AUC()).joint()
    assert (same.statistic, same.df, same.pvalue) == (0.0, 0, 1.0)
    plain = pauci.compare(pauci.Sample(y, {"a": a, "b": b}), AUC())
    twin = pauci.compare(pauci.Sample(y, {"a": a, "b": b, "c": a + 1}), AUC()).joint()
    assert twin.pvalue == pytest.approx(plain.pvalue, rel=1e-9)


def test_the_joint_test_is_free_of_the_scales_of_the_measures():
    sample = make_sample(names="ab")
    tiny = KNOWN - PAUC(fpr=(0, 0.28))
    joint = pauci.compare(sample, [AUC(), tiny]).joint()
    cs = pauci.compare(sample, [AUC(), tiny])
    d = np.array([c.difference for c in cs])
    expected = d @ np.linalg.solve(cs.cov, d)
    assert joint.df == 2
    assert joint.statistic == pytest.approx(expected, rel=1e-8)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_a_perfect_against_a_reversed_classifier_has_uncertainty():
    y = np.repeat([1, 0], [10, 12])
    c = pauci.compare(pauci.Sample(y, {"up": y, "down": -y}), AUC())
    assert (c.difference, c.se) == (1.0, 0.0)
    assert c.pvalue == pytest.approx(2 * 0.5**10)
    low, high = c.interval()
    assert high == 1.0
    assert low == pytest.approx(1 - 2 * (1 - 0.025**0.1))
    shifted = pauci.compare(pauci.Sample(y, {"up": y, "down": -y}), AUC(), null=low)
    assert shifted.pvalue == pytest.approx(0.05, rel=1e-6)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_one_sided_comparisons_have_a_two_sided_joint_test():
    y = np.repeat([1, 0], 10)
    sample = pauci.Sample(y, {"up": y, "down": -y})
    for alternative in ("two-sided", "less"):
        cs = pauci.compare(sample, [AUC()], alternative=alternative)
        expected = pauci.compare(sample, AUC()).pvalue
        assert cs.joint().pvalue == pytest.approx(expected)
    assert "one-sided (less)" in cs.summary()


def test_no_adjustment_is_reported_for_a_single_comparison():
    sample = make_sample()
    assert "adjusted" not in pauci.compare(sample, M, adjust="none").report()
    assert "adjusted" not in pauci.compare(sample[["a", "b"]], [M]).report()
    several = pauci.compare(sample, M, adjust="bh")
    assert "adjusted p = " in several.report()
    assert "p (Benjamini and Hochberg)" in several.summary()


def test_max_t_of_a_clustered_sample_has_degrees_of_freedom():
    """df is the effective number of clusters minus 1, for single and joint t tests."""
    y, scores, cluster = clustered(1, 8)
    sample = pauci.Sample(y, scores, cluster=cluster)
    (c,) = cs = pauci.compare(sample, [AUC()], adjust="max-t")
    sizes = [np.bincount(cluster[y == label]) for label in (1, 0)]
    df = min(m.sum() ** 2 / (m**2).sum() for m in sizes) - 1
    assert cs.p_adjusted == pytest.approx((2 * t.sf(abs(c.statistic), df),))
    assert cs.intervals(0.9)[0] == pytest.approx(t.interval(0.9, df, c.difference, c.se))


@pytest.mark.parametrize("count", [3, 6, 9])
def test_all_pairs_have_the_rank_of_their_contrasts(count):
    """k classifiers have k - 1 linearly independent differences; other eigenvalues are rounding."""
    for n in (60, 3000):
        sample = make_sample(3, "abcdefghi"[:count], n)
        test = pauci.compare(sample, KNOWN).joint()
        es = pauci.estimate(sample, [KNOWN])
        contrast = np.eye(count)[:-1] - np.eye(count)[1:]
        d = contrast @ [e.value for e in es]
        statistic = d @ np.linalg.solve(contrast @ es.cov @ contrast.T, d)
        assert test.df == count - 1
        assert test.statistic == pytest.approx(statistic, rel=1e-6)


@pytest.mark.parametrize("nu", [np.inf, 15.5])
@pytest.mark.parametrize("exponent", [2, 4, 6, 8])
def test_a_contrast_with_small_variance_counts_in_the_joint_test(exponent, nu):
    """Two nearly equal differences: an eigenvalue of 10^-e is not a rounding error."""
    small = 10.0**-exponent
    cov = np.array([[1.0, 1.0 - small], [1.0 - small, 1.0]])
    base = pauci.compare(make_sample(names="ab"), AUC())
    d = 0.5, 0.5 + np.sqrt(small)
    cs = pauci.Comparisons(
        tuple(dataclasses.replace(base, difference=v, se=1.0, df=nu) for v in d),
        Uncertainty(cov),
        adjust="none",
    )
    # (d1 + d2)^2 / (2 (2 - e)) + (d1 - d2)^2 / (2 e), along the two eigenvectors
    expected = sum(d) ** 2 / (2 * (2 - small)) + 0.5
    test = cs.joint()
    assert test.df == 2
    assert test.statistic == pytest.approx(expected, rel=1e-5)
    p = chi2.sf(expected, 2) if np.isinf(nu) else f.sf(expected * (nu - 1) / (2 * nu), 2, nu - 1)
    assert test.pvalue == pytest.approx(p, rel=1e-5)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("adjust", [a for a in ADJUSTMENTS if a not in ("none", "max-t")])
def test_classifiers_that_agree_have_adjusted_p_values_of_one(adjust):
    s = np.arange(20.0)
    same = pauci.Sample(np.tile([0, 1], 10), {"a": s, "b": s, "c": s})
    cs = pauci.compare(same, pauci.AUC(), adjust=adjust)
    assert [c.pvalue for c in cs] == [1.0] * 3
    assert cs.to_frame()["p_adjusted"].tolist() == [1.0] * 3


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_max_t_treats_p_values_at_a_limit_as_independent():
    """The distribution of the largest statistic does not apply to them."""
    y, s = related_scores(20, 20, 4, {"a": 1, "b": 1.5})
    cs = pauci.compare(pauci.Sample(y, {"perfect": y, **s}), AUC(), adjust="max-t")
    assert [c.estimates[0].se == 0.0 for c in cs] == [True, True, False]
    for c, p in list(zip(cs, cs.p_adjusted, strict=True))[:2]:
        assert 0 < c.pvalue < 0.2
        assert p == pytest.approx(1 - (1 - c.pvalue) ** 3, abs=4e-3)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("measure", [AUC(), pauci.AP(), PAUC(fpr=(0, 0.3))], ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_the_same_rows_in_another_order_have_a_difference_without_standard_error(seed, measure):
    """The variances and the covariance of both differ by rounding errors, of either sign."""
    rng = np.random.default_rng(seed)
    y, rows, order = np.arange(60) % 2, np.arange(60), rng.permutation(60)
    s = y + rng.normal(size=60)
    both = [
        pauci.Sample(y, s, cluster=rows, name="in order"),
        pauci.Sample(y[order], s[order], cluster=rows[order], name="in another order"),
    ]
    c = pauci.compare(both, measure, shared_clusters=True)
    assert (c.se, c.kind_used()) == (0.0, "limit")


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("regions", [[0.4], [0.3, 0.6, 1.0]])
def test_rounding_does_not_make_simultaneous_inference_narrower_than_single(regions, alternative):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = np.arange(60) % 2
        sample = pauci.Sample(y, {"a": y + rng.normal(size=60), "b": y + rng.normal(size=60)})
        scan = pauci.scan(sample, PAUC, fpr=regions, alternative=alternative)
        assert (scan.p_adjusted >= scan.pvalues()).all()
        for level in (0.5, 0.95, 0.999, 1.0 - 2.0**-53):
            together, single = scan.simultaneous(level), scan.pointwise(level)
            assert (together.low <= single.low).all()
            assert (together.high >= single.high).all()
