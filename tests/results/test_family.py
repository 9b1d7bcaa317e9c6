"""Families of quantities: contrasts, contrasts of contrasts, joint tests and multiplicity."""

import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

import pauci
from pauci.curve.region import Bounds
from pauci.results.family import Family
from pauci.results.quantity import scale_of_contrast, sums_to_zero
from pauci.results.weighted_sums import Contrast, WeightedSum
from pauci.variance.method import Uncertainty

pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")

MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.4))]


def sample(seed=0, n=60, names=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    common = rng.normal(size=n) + 0.8 * y
    return pauci.Sample(y, {name: common + rng.normal(size=n) for name in names})


def family_of(estimates):
    return Family(tuple(estimates), Uncertainty(estimates.cov))


def numbers(values, covariance, df=math.inf):
    """Return a family of averages with known values and covariance."""
    covariance = np.asarray(covariance, float)
    members = [
        WeightedSum((str(i),), v, math.sqrt(s), df, math.sqrt(s), Bounds(-math.inf, math.inf))
        for i, (v, s) in enumerate(zip(values, np.diag(covariance), strict=True))
    ]
    return Family(tuple(members), Uncertainty(covariance, np.full(len(members), df)))


@given(st.integers(0, 10**6))
def test_the_contrasts_of_a_family_are_the_differences_of_compare(seed):
    s = sample(seed)
    family = family_of(pauci.estimate(s, MEASURES))
    cs = pauci.compare(s, MEASURES)
    position = {(e.classifier, e.measure): i for i, e in enumerate(family.quantities)}
    weights = np.zeros((len(cs), len(family)))
    for row, c in zip(weights, cs, strict=True):
        for e, sign in zip(c.estimates, (1.0, -1.0), strict=True):
            row[position[e.classifier, e.measure]] = sign
    differences = family.contrasts(weights)
    for d, c in zip(differences.quantities, cs, strict=True):
        assert isinstance(d, Contrast)
        assert (d.value, d.se) == pytest.approx((c.difference, c.se), rel=1e-12)
        assert d.scale == c.scale
        low, high = d.interval(0.9, kind="wald")
        margin = stats.norm.isf(0.05) * c.se
        assert (low, high) == pytest.approx((d.value - margin, d.value + margin), rel=1e-9)
    np.testing.assert_allclose(differences.cov, cs.cov, rtol=1e-12, atol=1e-18)


@given(st.integers(0, 10**6))
def test_a_difference_of_differences_is_one_contrast(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    family = numbers(rng.normal(size=4), root @ root.T)
    gaps = family.contrasts(np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]]))
    of_gaps = gaps.contrast(np.array([1.0, -1.0]))
    direct = family.contrast(np.array([1.0, -1.0, -1.0, 1.0]))
    assert (of_gaps.value, of_gaps.se) == pytest.approx((direct.value, direct.se), rel=1e-9)


def test_contrasts_are_selected_by_their_labels():
    weights = [[1, -1, 0, 0, 0, 0], [0, 0, 1, -1, 0, 0], [0, 0, 0, 0, 1, -1]]
    contrasts = pauci.estimate(sample(), MEASURES).contrasts(weights, labels=["x", "y", "x"])
    assert contrasts["y"] is contrasts[1]
    both = contrasts["x"]
    assert type(both) is type(contrasts)
    assert both.quantities == (contrasts[0], contrasts[2])
    np.testing.assert_array_equal(both.cov, contrasts.cov[::2, ::2])
    with pytest.raises(ValueError, match="weights: 'z' is not the name of a quantity"):
        contrasts.contrast({"y": 1, "z": -1})
    with pytest.raises(KeyError, match="'z' is not a name in these quantities"):
        contrasts["z"]
    with pytest.raises(TypeError):
        contrasts[0, 1]


def test_the_variance_of_a_sum_is_that_of_its_weights():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(5, 5))
    family, weights = numbers(rng.normal(size=5), root @ root.T), np.array([0.2, 0, -1.5, 0.3, 2])
    assert family.variance(weights) == pytest.approx(weights @ root @ root.T @ weights, rel=1e-12)
    average = family.weighted_sum(np.full(5, 0.2), ("mean",), variance=4.0, df=7.0)
    assert (average.se, average.df, average.name, average.second) == (2.0, 7.0, "mean", "")
    assert average.se_within == pytest.approx(math.sqrt((root @ root.T).sum()) / 5, rel=1e-12)
    assert not isinstance(average, Contrast)


def test_identical_quantities_have_a_difference_without_error():
    family = numbers([0.7, 0.7], [[0.01, 0.01], [0.01, 0.01]])
    d = family.weighted_sum(np.array([1.0, -1.0]), ("a", "b"))
    assert (d.value, d.se, d.kind_used()) == (0.0, 0.0, "limit")
    assert family.correlation(0, 1) == 1.0


@given(st.integers(0, 10**6), st.floats(0.5, 0.999))
@pytest.mark.long
def test_the_simultaneous_interval_of_one_quantity_is_its_interval(seed, level):
    (e,) = pauci.estimate(sample(seed), [pauci.PAUCc(fpr=(0, 0.4))])[:1]
    (alone,) = Family((e,), Uncertainty(np.array([[e.se**2]]))).simultaneous(level)
    assert alone == pytest.approx(e.interval(level, e.analytic_kind), rel=1e-9)
    c = pauci.compare(sample(seed), pauci.AUC(), pair=("a", "b"))
    (alone,) = Family((c,), Uncertainty(np.array([[c.se**2]]))).simultaneous(level)
    assert alone == pytest.approx(c.interval(level), rel=1e-9)


def test_simultaneous_intervals_agree_with_adjusted_p_values():
    cs = pauci.compare(sample(5), MEASURES, adjust="max-t")
    family = Family(cs.comparisons, Uncertainty(cs.cov))
    tests = [c.inverted_test(0.0, "two-sided") for c in cs]
    adjusted = family.adjusted_by("max-t", tests)
    assert adjusted == pytest.approx(cs.p_adjusted)
    for c, p, (low, high) in zip(cs, adjusted, family.simultaneous(0.9), strict=True):
        assert p >= c.pvalue
        assert (p < 0.1) == (not low <= 0.0 <= high)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@given(
    z=st.floats(-4, 4), own=st.floats(3, 200), least=st.floats(2, 30), level=st.floats(0.5, 0.99)
)
def test_adjusted_p_values_are_not_below_the_unadjusted(alternative, z, own, least, level):
    pair = tuple(
        Contrast(("a", "b"), value, 0.1, df, 0.1, Bounds(-1.0, 1.0), alternative=alternative)
        for value, df in ((0.1 * z, own), (0.0, least))
    )
    family = Family(pair, Uncertainty(0.01 * np.eye(2)), draws=2000)
    tests = [q.inverted_test(0.0, alternative) for q in pair]
    intervals = family.simultaneous(level)
    for q, test, p, ends in zip(
        pair, tests, family.adjusted_by("max-t", tests), intervals, strict=True
    ):
        assert p >= test.pvalue
        alone = q.interval(level)
        assert ends.low <= alone.low
        assert ends.high >= alone.high
        if min(abs(ends.low), abs(ends.high), abs(p - (1 - level))) > 1e-3:
            assert (p < 1 - level) == (not ends.low <= 0.0 <= ends.high)


@pytest.mark.parametrize("df", [4.0, math.inf])
def test_the_largest_of_two_independent_statistics(df):
    """Both the p-value and the level are Sidak's, whatever the degrees of freedom."""
    family = numbers([2.5, 0.3], np.eye(2), df=df)
    first, second = (q.inverted_test(0, "two-sided") for q in family)
    adjusted, nan = family.adjusted_by("max-t", [first, second._replace(pvalue=math.nan)])
    assert adjusted == pytest.approx(1 - (1 - first.pvalue) ** 2, rel=0.05)
    assert math.isnan(nan)
    tail = (1 - math.sqrt(0.95)) / 2
    assert family.simultaneous().high[0] == pytest.approx(2.5 + stats.t(df).isf(tail), rel=5e-3)


def test_the_joint_test_is_walds_or_hotellings():
    rng = np.random.default_rng(7)
    root = rng.normal(size=(3, 3))
    covariance, values = root @ root.T, rng.normal(size=3)
    t2 = values @ np.linalg.solve(covariance, values)
    wald = numbers(values, covariance).joint()
    assert (wald.statistic, wald.df) == pytest.approx((t2, 3))
    assert wald.pvalue == pytest.approx(stats.chi2(3).sf(t2))
    hotelling = numbers(values, covariance, df=12.0).joint()
    assert hotelling.pvalue == pytest.approx(stats.f(3, 10).sf(t2 * 10 / (3 * 12)))
    with pytest.raises(pauci.UndefinedError, match="2 degrees of freedom"):
        numbers(values, covariance, df=2.0).joint()


def uneven(seed):
    """Return a family of quantities with other ranges and numbers of pairs."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    family = numbers(rng.normal(size=4), root @ root.T, df=rng.uniform(5.0, 50.0))
    members = [
        replace(q, label=(f"n{i}",), pairs=float(p), scale=Bounds(-w, w))
        for i, (q, p, w) in enumerate(
            zip(
                family,
                rng.integers(5, 99, 4),
                rng.uniform(5, 9, 4),
                strict=True,
            )
        )
    ]
    return Family(tuple(members), family.uncertainty)


def weights_in(words):
    """Return the weights of the names in the label of a contrast, such as "n0 - 0.5 x n2"."""
    term = r"(?:([\d.]+) x )?(n\d)"
    assert re.fullmatch(rf"(- )?{term}( [+-] {term})*", words)
    terms = re.findall(rf"([+-]?) ?{term}", words)
    return {name: float(f"{sign}{size or 1}") for sign, size, name in terms}


@given(
    st.lists(st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0]), min_size=4, max_size=4).filter(
        any
    ),
    st.integers(0, 10**6),
)
@example([-1.0, 0.0, 1.0, 0.0], 1)
def test_a_contrast_is_the_sum_that_its_label_states(weights, seed):
    family = uneven(seed)
    names = [q.name for q in family]
    c = family.contrast(weights, null=0.1, alternative="greater")
    used = [(w, q) for w, q in zip(weights, family, strict=True) if w]
    assert weights_in(c.words) == {q.name: w for w, q in used}
    assert c.value == pytest.approx(sum(w * q.value for w, q in used))
    assert c.se**2 == pytest.approx(np.array(weights) @ family.cov @ weights)
    assert c.pairs == min(q.pairs for _, q in used)
    by_name = dict(zip(names, weights, strict=True))
    assert family.contrast(by_name, null=0.1, alternative="greater") == c
    opposite = family.contrast(np.negative(weights), null=-0.1, alternative="less")
    assert (opposite.value, opposite.se, opposite.df) == (-c.value, c.se, c.df)
    assert opposite.pvalue == pytest.approx(c.pvalue, rel=1e-9)
    assert opposite.interval(0.9) == pytest.approx([-end for end in c.interval(0.9)[::-1]])
    backwards = Family(tuple(family)[::-1], Uncertainty(family.cov[::-1, ::-1]))
    assert weights_in(backwards.contrast(by_name).words) == weights_in(c.words)


@pytest.mark.parametrize(
    "alternatives", [["two-sided"] * 3, ["greater"] * 3, ["less"] * 3, ["two-sided"] * 2 + ["less"]]
)
def test_the_individual_level_of_independent_quantities(alternatives):
    """Three independent intervals of level c cover together with probability c^3."""
    family = numbers(np.zeros(3), np.eye(3))
    members = map(lambda q, side: replace(q, alternative=side), family, alternatives)
    intervals = Family(tuple(members), family.uncertainty).simultaneous(0.9)
    assert len(set(alternatives)) == 1 or intervals[2].low == -math.inf
    for ends, side in zip(intervals, alternatives, strict=True):
        finite = -ends.low if side == "greater" else ends.high
        sides = 2 if "two-sided" in alternatives else 1
        assert finite == pytest.approx(stats.norm.isf((1 - 0.9 ** (1 / 3)) / sides), abs=2e-2)


def test_the_scale_of_a_contrast():
    unit, ratio = Bounds(0.0, 1.0), Bounds(0.0, math.inf)
    assert scale_of_contrast([1, -1], [unit, Bounds(0.0, 0.5)]) == (-1.0, 1.0)
    assert scale_of_contrast([1, -1, -1, 1], [unit] * 4) == (-2.0, 2.0)
    assert scale_of_contrast([0.5, 0.5], [unit, Bounds(0.5, 1.0)]) == (0.25, 1.0)
    assert scale_of_contrast([2.0, -1.0], [unit, unit]) == (-1.0, 2.0)
    assert scale_of_contrast([0.5, 0.5], [ratio, ratio]) == (0.0, math.inf)
    assert sums_to_zero([1 / 3, 1 / 3, 1 / 3, -1])
    assert not sums_to_zero([1 / 3, 1 / 3, 1 / 3])


def test_weighted_sums_are_equal_by_value_and_can_be_pickled():
    family = numbers([0.7, 0.6], [[0.01, 0.002], [0.002, 0.02]])
    d = family.weighted_sum(np.array([1.0, -1.0]), ("a", "b"))
    assert pickle.loads(pickle.dumps(d)) == d
    assert d != family.weighted_sum(np.array([-1.0, 1.0]), ("b", "a"))


@pytest.mark.parametrize("weights", ["a", [1.0, "b"], [[1.0], [1.0, 2.0]]])
def test_weights_that_are_not_numbers_are_errors(weights):
    family = numbers([0.7, 0.6], [[0.01, 0.002], [0.002, 0.02]])
    with pytest.raises(pauci.InputTypeError, match="list of numbers") as caught:
        family.contrast(weights)
    assert caught.value.argument == "weights"
    with pytest.raises(pauci.InputTypeError, match="list of numbers"):
        family.contrasts([weights])


def test_no_contrasts_are_an_error():
    family = numbers([0.7, 0.6], [[0.01, 0.002], [0.002, 0.02]])
    for weights in ([], np.zeros((0, 2))):
        with pytest.raises(pauci.InputError, match="weights is empty"):
            family.contrasts(weights)


def test_a_sum_that_is_not_a_difference_is_tested_only_against_a_stated_value():
    rng = np.random.default_rng(5)
    y = rng.random(80) < 0.5
    sample = pauci.Sample(y, {name: rng.normal(size=80) + y for name in "abc"})
    estimates = pauci.estimate(sample, pauci.AUC())
    mean = estimates.contrast([0.5, 0.5, 0.0])
    assert math.isnan(mean.pvalue)
    assert "p =" not in mean.report()
    assert "t =" not in mean.report()
    frame = estimates.contrasts([[0.5, 0.5, 0.0], [1.0, -1.0, 0.0]]).to_frame()
    assert frame["null"].isna().tolist() == frame["pvalue"].isna().tolist() == [True, False]
    with pytest.raises(pauci.InputError, match="null is required"):
        mean.test()
    tested = estimates.contrast([0.5, 0.5, 0.0], null=0.5, alternative="greater")
    assert tested.test() == mean.test(0.5, "greater")
    assert "against 0.5" in tested.report()
    differences = pauci.compare(sample, pauci.AUC())
    assert differences.contrast([0.5, 0.5, 0.0]).null == 0.0


def test_a_single_result_has_the_contrasts_and_the_influence_of_a_family_of_one():
    rng = np.random.default_rng(6)
    y = rng.random(80) < 0.5
    sample = pauci.Sample(y, {name: rng.normal(size=80) + y for name in "ab"})
    single = pauci.estimate(sample["a"], pauci.AUC()), pauci.compare(sample, pauci.AUC())
    listed = pauci.estimate(sample["a"], [pauci.AUC()]), pauci.compare(sample, [pauci.AUC()])
    for one, family in zip(single, listed, strict=True):
        assert one.influence().equals(family.influence())
        assert one.contrast([2.0]) == family.contrast([2.0])
        assert one.contrast([2.0], null=0.1).test() == family.contrast([2.0], null=0.1).test()
        assert one.contrast([1.0]).contrast([-1.0]).se == pytest.approx(one.se)
    assert single[0].contrast({"AUC": 1.0}).null is None
    assert single[1].contrast([1.0]).null == 0.0
    with pytest.raises(pauci.InputError, match="member of several results"):
        pauci.estimate(sample, pauci.AUC())["a"].influence()
