"""Tests of one estimate against a fixed value, and estimates selected by name."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

import pauci
from pauci.intervals import analytic
from strategies import samples
from tabular_results import reader_study

MEASURES = [
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.4)),
    pauci.PAUCc(fpr=(0, 0.4)),
    pauci.AP(),
    pauci.AUK(),
    pauci.MaxKappa(),
    pauci.PAUC(fpr=(0, 0.4)) / pauci.AUC(),
]


def make(seed=1, n=120, shift=1.0, **options):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n // 3, n - n // 3]))
    return pauci.Sample(y, rng.normal(size=n) + shift * y, **options)


def test_the_wald_test_is_its_formula():
    e = pauci.estimate(make(), pauci.AUC())
    test = e.test(0.7, kind="wald")
    z = (e.value - 0.7) / e.se
    assert (test.statistic, test.df, test.kind) == (pytest.approx(z), np.inf, "wald")
    assert test.pvalue == pytest.approx(2 * norm.sf(abs(z)))
    assert e.test(0.7, "greater", kind="wald").pvalue == pytest.approx(norm.sf(z))
    assert e.test(0.7, "less", kind="wald").pvalue == pytest.approx(norm.cdf(z))


def test_the_default_test_is_on_the_log_odds_with_a_t_quantile():
    e = pauci.estimate(make(), pauci.AUC())
    test = e.test(0.7)
    z = (np.log(e.value / (1 - e.value)) - np.log(0.7 / 0.3)) * e.value * (1 - e.value) / e.se
    assert (test.statistic, test.df) == (pytest.approx(z), e.df)
    assert test.pvalue == pytest.approx(2 * student.sf(abs(z), e.df))


@pytest.mark.usefixtures("quiet")
@given(
    samples(min_size=2),
    st.sampled_from(MEASURES),
    st.sampled_from(["cohort", "case-control"]),
    st.sampled_from(["influence", "delta", pauci.Bootstrap(60, rng=1), pauci.Jackknife()]),
    st.floats(0, 1),
    st.floats(0.5, 0.98),
    st.sampled_from([None, "wald", "logit", "bca", "basic"]),
)
def test_tests_and_intervals_agree(data, measure, design, variance, place, level, kind):
    y, s = data
    sample = pauci.Sample(y, s, design=design)
    try:
        e = pauci.estimate(sample, measure, variance)
        ends = e.interval(level, kind)
    except ValueError:
        return
    low, high = (b if np.isfinite(b) else 5.0 for b in e.scale)
    null = low + place * (high - low)
    p = e.test(null, kind=kind).pvalue
    if min(abs(null - ends.low), abs(null - ends.high)) < 1e-9 or abs(p - (1 - level)) < 1e-9:
        return
    assert (p < 1 - level) == (not ends.low <= null <= ends.high)
    one_sided = [e.test(null, side, kind).pvalue for side in ("greater", "less")]
    assert p == pytest.approx(min(1.0, 2 * min(one_sided)))
    assert min(one_sided) >= 0


def test_a_null_outside_the_range_is_an_error():
    e = pauci.estimate(make(), pauci.PAUC(fpr=(0, 0.2)))
    with pytest.raises(
        ValueError, match=r"null=0.5 is not a possible value.*between 0 and 0.2"
    ) as c:
        e.test(0.5)
    assert (c.value.argument, c.value.value) == ("null", 0.5)
    with pytest.raises(ValueError, match="alternative='more' is not known"):
        e.test(0.1, "more")


TWO = pauci.Sample(
    np.tile([0, 1], 30),
    {"a": np.arange(60.0) % 17, "b": np.arange(60.0) % 13},
    group=[0, 1, 1] * 20,
)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("null", [1.5, -1.5, 30])
@pytest.mark.parametrize(
    "function",
    [
        lambda null: pauci.estimate(TWO["a"], pauci.AUC()).test(null),
        lambda null: pauci.compare(TWO, pauci.AUC(), null=null),
        lambda null: pauci.compare(TWO, pauci.AUC(), null=null, by="group"),
        lambda null: pauci.estimate(TWO, [pauci.AUC()]).contrast([1, -1], null=null),
        lambda null: pauci.estimate(TWO, [pauci.AUC()]).contrast([0.5, 0.5], null=null),
        lambda null: pauci.estimate(TWO, [pauci.AUC()]).contrast([1, -1]).test(null),
        lambda null: pauci.estimate(TWO, [pauci.AUC()]).joint([0.5, null]),
        lambda null: pauci.compare(TWO, [pauci.AUC(), pauci.AP()]).joint([0, null]),
        lambda null: pauci.scan(TWO, pauci.PAUC, fpr=[0.5, 1], null=null),
        lambda null: pauci.sample_size(TWO, pauci.AUC(), difference=0.1, null=null),
        lambda null: pauci.power(TWO, pauci.AUC(), 50, 50, difference=0.1, null=null),
        lambda null: pauci.power(TWO["a"], pauci.AUC(), 50, 50, value=0.8, null=null),
        lambda null: pauci.mrmc(reader_study(), pauci.AUC(), null=null),
    ],
)
def test_no_function_tests_against_an_impossible_value(function, null):
    """Instead, all p-values would be 0 and every power 1."""
    with pytest.raises(pauci.InputError, match=r"not a possible|inside the range") as caught:
        function(null)
    assert caught.value.argument == "null"


def test_the_test_has_a_summary():
    test = pauci.estimate(make(), pauci.PAUCc(fpr=(0, 0.3))).test(0.1, "greater")
    assert list(test.to_frame().columns)[-5:-2] == ["df", "pvalue", "kind"]
    assert "one-sided (greater)" in " ".join(test.summary().split())
    assert "at FPR 0 to 0.3" in test.report()
    assert "p < 0.001 against 0.1, one-sided (greater)" in test.report()
    assert "nan" not in repr(test) + test.summary() + test.report() + test.to_latex()
    with pytest.warns(pauci.errors.DegenerateWarning):
        perfect = pauci.estimate(pauci.Sample([0] * 9 + [1] * 9, range(18)), pauci.AUC())
    at_limit = perfect.test(0.7)
    assert at_limit.kind == "limit"
    assert np.isnan(at_limit.statistic)
    assert at_limit.pvalue == pytest.approx(2 * 0.7**9)
    assert "nan" not in at_limit.summary() + at_limit.report()


def test_estimates_are_selected_by_classifier_or_measure():
    y = [0, 1] * 20
    rng = np.random.default_rng(2)
    scores = pd.DataFrame(rng.normal(size=(40, 2)), columns=["s100b", "ndka"]).add(
        np.array(y), axis=0
    )
    sample = pauci.Sample(y, {name: scores[name] for name in scores})
    one = pauci.estimate(sample, [pauci.AUC()])
    assert one["s100b"] is one[0]
    both = pauci.estimate(sample, [pauci.AUC(), pauci.PAUC(fpr=(0, 0.5))])
    picked = both["ndka"]
    assert [e.measure.label for e in picked] == ["AUC", "pAUC"]
    np.testing.assert_array_equal(picked.cov, both.cov[2:, 2:])
    assert [e.classifier for e in both["pAUC"]] == ["s100b", "ndka"]
    assert picked["AUC"] is both[2]
    with pytest.raises(KeyError, match=r"'s100' is not a name.*Did you mean 's100b'"):
        both["s100"]


def test_a_new_kind_of_interval_requires_one_entry(monkeypatch):
    """A kind half as wide as Wald's is available in intervals, tests, frames and sentences."""
    monkeypatch.setitem(
        analytic.ESTIMATE_KINDS, "half", lambda value, se, *_: analytic.Wald(value, se / 2)
    )
    e = pauci.estimate(make(), pauci.AUC())
    wald, half = e.interval(kind="wald"), e.interval(kind="half")
    assert half.high - half.low == pytest.approx((wald.high - wald.low) / 2)
    assert e.test(0.7, kind="half").statistic == pytest.approx(
        2 * e.test(0.7, kind="wald").statistic
    )
    assert e.to_frame(kind="half")["kind"].item() == "half"
    assert "95% CI: half" in e.summary(kind="half")
