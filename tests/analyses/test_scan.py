"""Scans of several regions: simultaneous intervals and the global p-value."""

import functools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
from pauci.intervals.simultaneous import LargestStatistic

RNG = np.random.default_rng(3)
N = 300
Y = (RNG.random(N) < 0.4).astype(int)
A = Y + RNG.normal(size=N)
B = 0.5 * A + 0.6 * Y + RNG.normal(size=N)
BOTH = pauci.Sample(Y, {"a": A, "b": B})
X = np.linspace(0.1, 0.8, 8)
FORMS = {
    "paired": (BOTH, {}),
    "one": (BOTH["a"], {"null": 0.05}),
    "independent": ([BOTH["a"], pauci.Sample(1 - Y, -B, name="c")], {}),
    "clusters": (pauci.Sample(Y, {"a": A, "b": B}, cluster=np.arange(N) // 4), {}),
    "weights": (pauci.Sample(Y, {"a": A, "b": B}, weight=RNG.uniform(0.2, 2, N)), {}),
    "frequency": (pauci.Sample(Y, {"a": A, "b": B}, frequency=np.arange(N) % 3 + 1), {}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("quiet")
def test_p_and_intervals_agree(form):
    """p < alpha exactly when some simultaneous interval at 1 - alpha excludes the null."""
    samples, options = FORMS[form]
    for kind in (pauci.PAUC, pauci.PAUCc):
        f = pauci.scan(samples, kind, fpr=X, rng=1, n_draws=20_000, **options)
        for alpha in (0.5, 0.3, 0.2, 0.1, 0.05, 0.01, 0.001, f.pvalue * 1.0001, f.pvalue * 0.9999):
            if not 1e-6 < alpha <= 0.5:
                continue
            low, high = np.transpose(f.simultaneous(1 - alpha))
            outside = (f.null < low) | (f.null > high)
            assert (f.pvalue < alpha) == outside.any(), alpha
            assert ((f.p_adjusted < alpha) == outside).all()


def test_a_family_of_one_is_that_of_compare_and_estimate():
    f = pauci.scan(BOTH, pauci.PAUCc, fpr=[0.3], rng=1)
    c = pauci.compare(BOTH, pauci.PAUCc(fpr=(0, 0.3)))
    assert f.pvalue == pytest.approx(c.pvalue, rel=1e-9)
    assert f.simultaneous(0.9)[0] == pytest.approx(c.interval(0.9), rel=1e-9)
    g = pauci.scan(BOTH["a"], pauci.PAUC, fpr=[0.3], rng=1)
    e = pauci.estimate(BOTH["a"], pauci.PAUC(fpr=(0, 0.3)))
    assert g.null[0] == pytest.approx(0.045)
    assert g.pvalue == pytest.approx(e.test(0.045).pvalue, rel=1e-9)
    assert g.simultaneous()[0] == pytest.approx(e.interval(), rel=1e-9)


@pytest.mark.parametrize("measure", [pauci.Sensitivity, pauci.Specificity])
@pytest.mark.parametrize("moved", [0, 1, 20])
@pytest.mark.usefixtures("quiet")
def test_a_single_point_has_the_interval_of_estimate(measure, moved):
    """Also at the limits of the range: with no, one or many positives below negatives."""
    y = np.repeat([1, 0], [40, 60])
    order = np.arange(100, 0, -1.0)
    order[:moved] -= 45.5
    sample = pauci.Sample(y, order)
    f = pauci.scan(sample, measure, **{measure.scalar: [0.5, 0.6]}, rng=1)
    es = pauci.estimate(sample, [measure(**{measure.scalar: x}) for x in (0.5, 0.6)])
    assert set(f.to_frame()["kind"]) == {e.kind_used() for e in es}
    for i, e in enumerate(es):
        assert f.pointwise()[i] == e.interval()
        assert f.pvalues()[i] == e.test(f.null[i]).pvalue
    (first, _) = es.simultaneous()
    assert first.low <= es[0].interval().low <= es[0].interval().high <= first.high
    (alone,) = pauci.estimate(sample, [es[0].measure]).simultaneous()
    assert alone == pytest.approx(es[0].interval(), abs=1e-9)


def test_pointwise_are_those_of_compare():
    f = pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=1)
    cs = pauci.compare(BOTH, [pauci.PAUCc(fpr=(0, x)) for x in X], adjust="none")
    np.testing.assert_allclose(f.cov, cs.cov)
    np.testing.assert_allclose(f.pointwise(), [c.interval() for c in cs])
    np.testing.assert_allclose(f.pvalues(), [c.pvalue for c in cs])
    np.testing.assert_allclose(f.value, [c.difference for c in cs])


def test_single_step_lies_between_one_test_and_bonferroni():
    f = pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=1)
    alone, adjusted = f.pvalues(), f.p_adjusted
    assert (alone <= adjusted).all()
    assert (adjusted <= np.minimum(1, len(f) * alone) + 1e-12).all()
    own, joint = f.pointwise(), f.simultaneous()
    assert (joint.low < own.low).all()
    assert (joint.high > own.high).all()


def test_the_distribution_is_that_of_correlated_normals():
    """Against draws of another generator from the correlation of the regions."""
    f = pauci.scan(BOTH, pauci.PAUC, fpr=X, rng=1)
    spread = np.sqrt(np.diag(f.cov))
    draws = np.random.default_rng(8).multivariate_normal(
        np.zeros(len(f)), f.cov / np.outer(spread, spread), 200_000, method="svd"
    )
    expected = np.quantile(np.abs(draws).max(1), 0.95)
    assert f.critical(0.95) == pytest.approx(expected, abs=0.015)


@pytest.mark.usefixtures("quiet")
def test_the_joint_covariance_is_that_of_the_bootstrap():
    """The process u -> difference of pAUC(0, u), resampled."""
    f = pauci.scan(BOTH, pauci.PAUC, fpr=X, rng=1)
    rng = np.random.default_rng(4)
    pos, neg = np.flatnonzero(Y), np.flatnonzero(Y == 0)
    replicates = []
    for _ in range(800):
        rows = np.concatenate([rng.choice(pos, pos.size), rng.choice(neg, neg.size)])
        curves = [pauci.Sample(Y[rows], s[rows]).ratings().curve for s in (A, B)]
        replicates.append([np.subtract(*(pauci.PAUC(fpr=(0, x)).on(c) for c in curves)) for x in X])
    cov = np.cov(np.array(replicates).T)
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), f.se, rtol=0.1)
    correlation = f.cov / np.outer(f.se, f.se)
    np.testing.assert_allclose(np.corrcoef(np.array(replicates).T), correlation, atol=0.08)


@pytest.mark.usefixtures("quiet")
def test_seeds_repeat_and_are_shown():
    f, g = (pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=7) for _ in range(2))
    assert f.pvalue == g.pvalue
    assert "seed 7" in " ".join(f.summary().split())
    h = pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=None)
    assert h.seed == pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=h.seed).seed
    assert h.pvalue == pytest.approx(f.pvalue, abs=0.01)
    np.testing.assert_array_equal(
        pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=h.seed).simultaneous().low, h.simultaneous().low
    )


@pytest.mark.usefixtures("quiet")
def test_order_of_rows_does_not_matter():
    order = np.random.default_rng(2).permutation(N)
    f = pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=1)
    g = pauci.scan(
        pauci.Sample(Y[order], {"a": np.exp(A[order]), "b": B[order]}), pauci.PAUCc, fpr=X, rng=1
    )
    np.testing.assert_allclose(f.cov, g.cov, rtol=1e-9)
    assert f.pvalue == pytest.approx(g.pvalue, abs=1e-4)


@pytest.mark.usefixtures("quiet")
def test_tripled_rows_are_frequencies():
    f = pauci.scan(
        pauci.Sample(Y, {"a": A, "b": B}, frequency=np.full(N, 3)), pauci.PAUCc, fpr=X, rng=1
    )
    g = pauci.scan(
        pauci.Sample(np.tile(Y, 3), {"a": np.tile(A, 3), "b": np.tile(B, 3)}),
        pauci.PAUCc,
        fpr=X,
        rng=1,
    )
    np.testing.assert_allclose(f.cov, g.cov, rtol=1e-9)
    assert f.pvalue == pytest.approx(g.pvalue, abs=1e-4)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=8, unique=True), st.integers(0, 99))
def test_more_regions_never_lower_an_adjusted_p_value(ends, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 2
    sample = pauci.Sample(y, {"a": y + rng.normal(size=60), "b": y + rng.normal(size=60)})
    family = sorted(k / 20 for k in ends)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        few = pauci.scan(sample, pauci.PAUC, fpr=family, rng=1, n_draws=2000)
        many = pauci.scan(
            sample, pauci.PAUC, fpr=[k / 20 for k in range(1, 21)], rng=1, n_draws=2000
        )
    for x, p in zip(family, few.p_adjusted, strict=True):
        at = int(np.flatnonzero(np.isclose(many.x, x))[0])
        # Monte Carlo error of 2,000 draws: three standard errors of the difference
        assert p <= many.p_adjusted[at] + 0.05
        assert few.pvalues()[family.index(x)] == pytest.approx(many.pvalues()[at])


@pytest.mark.parametrize(
    ("axis", "values", "low", "high"),
    [
        ("fpr", [0.1, 0.5], [0, 0], [0.1, 0.5]),
        ("tpr", [0.1, 0.5], [0.1, 0.5], [1, 1]),
        ("sensitivity", [0.1, 0.5], [0.1, 0.5], [1, 1]),
        ("specificity", [0.1, 0.5], [0.1, 0.5], [1, 1]),
        ("threshold", [0.0, 1.0], [0, 1], [np.inf, np.inf]),
        ("fpr", [(0.1, 0.2), (0.05, 0.5)], [0.1, 0.05], [0.2, 0.5]),
    ],
)
@pytest.mark.usefixtures("quiet")
def test_families_of_every_axis(axis, values, low, high):
    f = pauci.scan(BOTH, pauci.PAUCc, **{axis: values}, rng=1)
    assert f.low.tolist() == low
    assert f.high.tolist() == high
    for m, a, b in zip(f.measures, low, high, strict=True):
        assert m == pauci.PAUCc(**{axis: (a, b)})
    assert f[low[1], high[1]] is f.parts[1]
    assert f.at(f.x[1]) is f.parts[1]
    assert f[-1] is f.parts[-1]


@pytest.mark.usefixtures("quiet")
def test_thresholds_increase_if_lower_is_positive():
    sample = pauci.Sample(Y, {"a": -A, "b": -B}, lower_is_positive=True)
    f = pauci.scan(sample, pauci.PAUCc, threshold=[-1.0, 0.0], rng=1)
    g = pauci.scan(BOTH, pauci.PAUCc, threshold=[0.0, 1.0], rng=1)
    np.testing.assert_allclose(f.value, g.value[::-1])
    with pytest.raises(pauci.InputError, match="lower scores of one are positive"):
        pauci.scan(
            pauci.Sample(Y, {"a": A, "b": -B}, lower_is_positive="b"), pauci.PAUCc, threshold=[0.0]
        )


@pytest.mark.usefixtures("quiet")
def test_classes_and_factories():
    for measure in (
        functools.partial(pauci.PAUCc, normalized=True),
        lambda fpr: pauci.PAUCc(fpr=fpr, normalized=True),
    ):
        f = pauci.scan(BOTH, measure, fpr=[0.1, 0.2], rng=1)
        assert f.measures[0] == pauci.PAUCc(fpr=(0, 0.1), normalized=True)
    g = pauci.scan(BOTH, lambda fpr: pauci.PAUC(fpr=fpr) / pauci.AUC(), fpr=[0.1, 0.2], rng=1)
    assert "FPR 0 to 0.2" in g.summary()
    assert g.largest.region in ("FPR 0 to 0.1", "FPR 0 to 0.2")
    h = pauci.scan(BOTH, pauci.Sensitivity, fpr=[0.1, 0.2], rng=1)
    assert h.measures[1] == pauci.Sensitivity(fpr=0.2)


@pytest.mark.usefixtures("quiet")
def test_chance_is_the_null_of_estimates():
    f = pauci.scan(BOTH["a"], pauci.PAUC, fpr=X, rng=1)
    np.testing.assert_allclose(f.null, X**2 / 2)
    g = pauci.scan(BOTH["a"], functools.partial(pauci.PAUCc, normalized=True), tpr=X, rng=1)
    np.testing.assert_allclose(g.null, 0.5)
    h = pauci.scan(BOTH["a"], pauci.PAUCc, threshold=[0, 1], rng=1)
    assert math.isnan(h.pvalue)
    assert "no test" in repr(h)
    assert "Largest estimate over" in " ".join(h.summary().split())
    h.report()
    h.to_frame()
    assert h.largest.position == 0


def test_regions_with_few_observations_issue_one_warning_or_are_omitted():
    family = np.linspace(0.01, 0.8, 30)
    with pytest.warns(pauci.PauciWarning) as caught:
        f = pauci.scan(BOTH, pauci.PAUC, fpr=family, rng=1)
    kinds = [w.category for w in caught]
    assert len(kinds) == len(set(kinds))
    assert pauci.errors.SmallRegionWarning in kinds
    assert any(f.cautions)
    n_neg = BOTH.n_neg
    g = pauci.scan(BOTH, pauci.PAUC, fpr=family, rng=1, fewest=10)
    assert (n_neg * g.x >= 10).all()
    assert len(g.excluded) == 30 - len(g) > 0
    assert "observations excluded" in " ".join(g.summary().split())


@pytest.mark.parametrize(
    ("axis", "positives", "width"),
    [
        ("fpr", False, lambda x: x),
        ("specificity", False, lambda x: 1 - x),
        ("tpr", True, lambda x: 1 - x),
        ("sensitivity", True, lambda x: 1 - x),
    ],
)
@pytest.mark.usefixtures("quiet")
def test_fewest_counts_the_class_of_the_axis(axis, positives, width):
    """The expected number in a region is that of the class times the width."""
    family = np.linspace(0.05, 0.95, 19)
    n = BOTH.n_pos if positives else BOTH.n_neg
    enough = n * width(family) >= 40
    f = pauci.scan(BOTH["a"], pauci.PAUCc, rng=1, n_draws=2000, fewest=40, **{axis: family})
    np.testing.assert_allclose(f.x, family[enough])
    assert len(f.excluded) == (~enough).sum()
    other = (BOTH.n_neg if positives else BOTH.n_pos) * width(family) >= 40
    assert (other != enough).any()
    pairs = [(0.1, 0.2), (0.1, 0.6)]  # of widths 0.1 and 0.5
    g = pauci.scan(BOTH["a"], pauci.PAUC, rng=1, n_draws=2000, fewest=0.3 * n, **{axis: pairs})
    assert list(zip(g.low, g.high, strict=True)) == pairs[1:]


@pytest.mark.usefixtures("quiet")
def test_fewest_counts_what_lies_on_the_nearer_side_of_a_point():
    """A sensitivity at FPR 0.95 depends on the 5% of the negatives beyond it."""
    family = [0.05, 0.2, 0.5, 0.8, 0.95]
    f = pauci.scan(
        BOTH["a"], pauci.Sensitivity, fpr=family, rng=1, n_draws=2000, fewest=0.15 * BOTH.n_neg
    )
    assert f.x.tolist() == [0.2, 0.5, 0.8]
    g = pauci.scan(
        BOTH["a"], pauci.Specificity, tpr=family, rng=1, n_draws=2000, fewest=0.15 * BOTH.n_pos
    )
    assert g.x.tolist() == [0.2, 0.5, 0.8]


@pytest.mark.usefixtures("quiet")
def test_fewest_counts_the_smaller_of_two_samples_and_clusters_as_units():
    small = pauci.Sample(Y[:120], B[:120], name="c")
    f = pauci.scan(
        [BOTH["a"], small],
        pauci.PAUC,
        fpr=[0.1, 0.5],
        rng=1,
        n_draws=2000,
        fewest=0.2 * small.n_neg,
        independent=True,
    )
    assert f.x.tolist() == [0.5]
    cluster = np.arange(N) // 10
    holding = len({c for c, label in zip(cluster.tolist(), Y.tolist(), strict=True) if not label})
    g = pauci.scan(
        pauci.Sample(Y, A, cluster=cluster),
        pauci.PAUC,
        fpr=[0.5, 0.9],
        rng=1,
        n_draws=2000,
        fewest=0.7 * holding,
    )
    assert g.x.tolist() == [0.9]
    assert 0.7 * holding < 0.5 * BOTH.n_neg


@pytest.mark.usefixtures("quiet")
def test_identical_classifiers_have_no_significant_region():
    f = pauci.scan(pauci.Sample(Y, {"a": A, "b": A}), pauci.PAUC, fpr=X, rng=1)
    assert f.pvalue == 1.0
    low, high = np.transpose(f.simultaneous())
    assert (low < 0).all()
    assert (high > 0).all()
    assert np.isfinite([low, high]).all()


@pytest.mark.usefixtures("quiet")
def test_perfect_separation_and_nearly_equal_regions():
    perfect = pauci.Sample(Y, {"a": 9 * Y + A, "b": B})
    f = pauci.scan(perfect, pauci.PAUC, fpr=[0.2, 0.200001, 0.3], rng=1)
    assert f.pvalue < 0.001
    assert np.isfinite(np.array(f.simultaneous())).all()
    alone = pauci.scan(perfect["a"], pauci.PAUC, fpr=[0.2, 0.3], rng=1)
    assert alone.pvalue < 0.001
    assert (alone.simultaneous().low <= alone.pointwise().low).all()


@pytest.mark.usefixtures("quiet")
def test_the_bootstrap_gives_the_covariance():
    f = pauci.scan(BOTH, pauci.PAUC, fpr=X, rng=1, variance=pauci.Bootstrap(500, rng=2))
    g = pauci.scan(BOTH, pauci.PAUC, fpr=X, rng=1)
    np.testing.assert_allclose(f.se, g.se, rtol=0.15)
    assert f.pvalue == pytest.approx(g.pvalue, abs=0.1)
    one = pauci.scan(BOTH["a"], pauci.PAUC, fpr=X, rng=1, variance=pauci.Bootstrap(500, rng=2))
    assert set(one.to_frame()["kind"]) == {"logit"}


@pytest.mark.usefixtures("quiet")
def test_one_sided_tests_and_margins():
    f = pauci.scan(BOTH, pauci.PAUC, fpr=X, rng=1, alternative="greater", null=-0.05)
    low, high = np.transpose(f.simultaneous(0.9))
    assert np.isinf(high).all()
    assert (f.pvalue < 0.1) == (low > -0.05).any()
    assert f.pvalue >= f.pvalues().min()
    assert "above -0.05 in the pAUC in any of 8 regions)" in " ".join(f.summary().split())
    same = pauci.scan(
        BOTH, pauci.PAUC, fpr=[(0, 0.1), (0.3, 0.4)], alternative="greater", null=-0.05
    )
    assert "above -0.5 in any of 2 regions)" in " ".join(same.summary().split())
    assert "against -0.5, one-sided" in same.report()
    less = pauci.scan(BOTH, pauci.PAUC, fpr=X, rng=1, alternative="less")
    assert "below 0 in any of 8 regions)" in " ".join(less.summary().split())
    two_sided = pauci.scan(BOTH, pauci.PAUC, fpr=X, rng=1)
    assert "other than 0 in any of 8 regions)" in " ".join(two_sided.summary().split())


@pytest.mark.usefixtures("quiet")
def test_the_report_states_that_the_region_was_selected():
    text = pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=1).report()
    for words in ("8 regions (", "selected on these data", "adjusted p = "):
        assert words in text


@pytest.mark.usefixtures("quiet")
def test_frames_and_formats():
    f = pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=1)
    table = f.to_frame(0.9)
    assert list(table.columns) == [
        "first",
        "second",
        "measure",
        "region",
        "axis",
        "region_low",
        "region_high",
        "x",
        "value",
        "se",
        "df",
        "statistic",
        "null",
        "pvalue",
        "p_adjusted",
        "low",
        "high",
        "simultaneous_low",
        "simultaneous_high",
        "alternative",
        "level",
        "kind",
        "variance",
        "seed",
        "n_draws",
        "cautions",
        "dropped",
        "left_out",
        "rescaled",
    ]
    assert len(table) == len(X)
    for text in (f.to_latex(), f.to_markdown(), f.summary(), repr(f)):
        assert "FPR 0" in text
    assert len(repr(f)) < 200


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"measure": pauci.AUC, "fpr": X}, "no region to scan; .*PAUCc"),
        ({"measure": pauci.PAUC(fpr=(0, 0.1)), "fpr": X}, "functools.partial"),
        ({"measure": "paucc", "fpr": X}, "measure is a str"),
        ({"measure": int, "fpr": X}, "not a measure"),
        ({"measure": pauci.PAUC}, "none was passed"),
        ({"measure": pauci.PAUC, "fpr": X, "tpr": X}, "fpr and tpr"),
        ({"measure": pauci.PAUC, "fpr": 0.1}, "single value"),
        ({"measure": pauci.PAUC, "fpr": "0.1"}, "sequence of numbers"),
        ({"measure": pauci.PAUC, "fpr": []}, "no region"),
        ({"measure": pauci.PAUC, "fpr": [0, 0.1]}, r"fpr=\[\(0, 0.1\)\]"),
        ({"measure": pauci.PAUC, "tpr": [0.5, 1]}, r"tpr=\[\(0.9, 1\)\]"),
        ({"measure": pauci.PAUC, "fpr": [0.2, 0.1]}, "must increase"),
        ({"measure": pauci.PAUC, "fpr": [0.2, math.nan]}, "not finite"),
        ({"measure": pauci.PAUC, "fpr": [0.1, (0, 0.2)]}, "mixes"),
        ({"measure": pauci.PAUC, "fpr": [(0, 0.2), (0, 0.2)]}, "twice"),
        ({"measure": pauci.PAUC, "fpr": [(0, 0.2, 0.3)]}, "pair"),
        ({"measure": pauci.PAUC, "fpr": [20]}, "percentages"),
        ({"measure": pauci.Sensitivity, "tpr": [0.2]}, "fpr= or specificity="),
        ({"measure": lambda x: pauci.PAUC(fpr=x), "fpr": X}, "lambda fpr"),
        ({"measure": lambda fpr: 3, "fpr": X}, "must return a measure"),  # noqa: ARG005
        ({"measure": pauci.SPA, "threshold": [0.0]}, "does not take threshold"),
        ({"measure": pauci.PAUC, "threshold": [0.0], "fewest": 3}, "FPR or TPR axis"),
        ({"measure": pauci.PAUC, "fpr": X, "fewest": 1e5}, "excludes all regions"),
        ({"measure": pauci.PAUC, "fpr": X, "null": 0.5}, "not a possible difference"),
        ({"measure": pauci.PAUC, "fpr": X, "rng": "a"}, "rng='a'"),
        ({"measure": pauci.PAUC, "fpr": X, "n_draws": 10}, "at least 1000"),
        ({"measure": pauci.PAUC, "fpr": X, "alternative": "up"}, "Accepted"),
        ({"measure": pauci.PAUC, "fpr": X, "conf_level": 0.9}, "conf_level"),
    ],
)
def test_errors_about_bad_input_have_hints(arguments, words):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        pauci.scan(BOTH, **arguments)


def test_too_many_classifiers_are_an_error_with_a_hint():
    three = pauci.Sample(Y, {"a": A, "b": B, "c": A + B})
    with pytest.raises(pauci.InputError, match=r"sample\[\['a', 'b'\]\]"):
        pauci.scan(three, pauci.PAUC, fpr=X)
    with pytest.raises(pauci.InputError, match="one classifier each"):
        pauci.scan([three, BOTH], pauci.PAUC, fpr=X)
    with pytest.raises(pauci.InputTypeError, match="a Sample"):
        pauci.scan(A, pauci.PAUC, fpr=X)
    with pytest.raises(pauci.InputError, match="differences of two"):
        pauci.scan(BOTH["a"], pauci.PAUC, fpr=X, alternative="less")


def test_tails_and_quantiles_of_the_largest_agree():
    cov = np.array([[1.0, 0.7, 0.2], [0.7, 1.0, 0.4], [0.2, 0.4, 1.0]])
    largest = LargestStatistic(cov, two_sided=True, seed=5, draws=10_000)
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        q = largest.quantile(level)
        assert largest.tail(q * (1 + 1e-9)) < 1 - level + 1e-12
        assert largest.tail(q * (1 - 1e-9)) >= 1 - level - 1e-12


def _noise(rng, n, correlation):
    z = rng.standard_normal((2, n))
    z[1] = correlation * z[0] + math.sqrt(1 - correlation**2) * z[1]
    return z


@pytest.mark.slow
@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("shape", [(1.2, 1.0), (1.5, 1.6)])
@pytest.mark.usefixtures("quiet")
def test_size_of_the_p_value(shape, independent):
    """Some region differs significantly in about 5% of samples if none differs (60 + 120)."""
    rng = np.random.default_rng(11)
    y = np.repeat([1, 0], [60, 120])
    mean, sd = shape
    family = np.arange(1, 21) * 0.05
    rejected = 0
    for i in range(600):
        scores = [
            np.where(y == 1, mean + sd * z, z)
            for z in _noise(rng, y.size, 0.0 if independent else 0.6)
        ]
        samples = (
            [pauci.Sample(y, s) for s in scores]
            if independent
            else pauci.Sample(y, dict(zip("ab", scores, strict=True)))
        )
        f = pauci.scan(
            samples, pauci.PAUC, fpr=family, rng=i, n_draws=2000, independent=independent
        )
        rejected += f.pvalue < 0.05
    assert 0.02 <= rejected / 600 <= 0.075  # four standard errors of 600 samples: 3.6 points


@pytest.mark.slow
@pytest.mark.usefixtures("quiet")
def test_simultaneous_coverage():
    """Simultaneous intervals cover all u in about 95%, pointwise intervals in about 86%."""
    from scipy.special import ndtr, ndtri

    grid = (np.arange(20_000) + 0.5) / 20_000
    curves = [np.cumsum(ndtr(mean + ndtri(grid))) / 20_000 for mean in (1.5, 1.0)]
    family = np.arange(1, 21) * 0.05
    true = np.interp(family, (np.arange(20_000) + 1) / 20_000, curves[0] - curves[1])
    rng = np.random.default_rng(12)
    y = np.repeat([1, 0], [60, 120])
    together = alone = 0
    for i in range(600):
        a, b = _noise(rng, y.size, 0.6)
        sample = pauci.Sample(y, {"a": a + 1.5 * y, "b": b + 1.0 * y})
        f = pauci.scan(sample, pauci.PAUC, fpr=family, rng=i, n_draws=2000)
        low, high = np.transpose(f.simultaneous())
        together += ((low <= true) & (true <= high)).all()
        low, high = np.transpose(f.pointwise())
        alone += ((low <= true) & (true <= high)).all()
    assert 0.92 <= together / 600 <= 0.98
    assert 0.80 <= alone / 600 <= 0.92


def test_a_terminal_shows_and_states_a_selection_of_many_regions():
    y = np.repeat([1, 0], [90, 150])
    rng = np.random.default_rng(3)
    sample = pauci.Sample(y, {"a": y + rng.normal(size=240), "b": y + rng.normal(size=240)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        family = pauci.scan(sample, pauci.PAUC, fpr=np.arange(1, 51) / 50, rng=1)
        few = pauci.scan(sample, pauci.PAUC, fpr=np.arange(1, 16) / 15, rng=1)
    regions = [family.region_name(i) for i in range(50)]

    def shown(text):
        return [w for w in regions if any(row.startswith((w + " ", f"| {w} ")) for row in text)]

    text = family.summary().splitlines()
    assert 11 <= len(shown(text)) <= 12
    assert {regions[0], regions[-1], family.largest.region} <= set(shown(text))
    words = f"{len(shown(text))} of 50 regions are shown; to_frame() has all."
    assert words in " ".join(family.summary().split())
    assert shown(family.to_markdown().splitlines()) == regions
    assert "of 50 regions," not in family.to_markdown()
    assert family.to_html().count("<tr") == 51
    assert len(family.to_frame()) == 50
    assert "of 15 regions," not in few.summary()


@pytest.mark.parametrize(
    ("measure", "axis", "values"),
    [
        (pauci.PPV, "threshold", [0.2, 0.5, 0.9]),
        (pauci.LRPositive, "threshold", [0.2, 0.5]),
        (pauci.Sensitivity, "threshold", [0.2, 0.5]),
        (functools.partial(pauci.F, beta=2), "sensitivity", [0.6, 0.8]),
        (functools.partial(pauci.NPV, prevalence=0.1), "fpr", [0.1, 0.3]),
    ],
)
def test_measures_at_a_cutoff_are_scanned_over_points(measure, axis, values):
    measures = [measure(**{axis: v}) for v in values]
    f = pauci.scan(BOTH, measure, **{axis: values}, rng=1, n_draws=2000)
    one = pauci.scan(BOTH["a"], measure, **{axis: values}, rng=1, n_draws=2000)
    differences = pauci.compare(BOTH, measures)
    estimates = pauci.estimate(BOTH["a"], measures)
    np.testing.assert_array_equal(f.pointwise(), [c.interval() for c in differences])
    np.testing.assert_array_equal(one.pointwise(), [e.interval() for e in estimates])
    assert [part.difference for part in f] == [c.difference for c in differences]
    assert "over scores" not in one.report()
    with pytest.raises(pauci.InputError, match="not an axis of this measure at a single point"):
        pauci.scan(BOTH, pauci.Youden, fpr=[0.1, 0.2])
