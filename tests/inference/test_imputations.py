"""Results of completed data sets are pooled by Rubin's rules."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import pauci
from pauci.inference.pool import barnard_rubin_df, rubins_rules

N, M = 90, 4
MEASURES = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.3))]


def samples(count=M, n=N, seed=1, **kwargs):
    """Completed data sets: every third score of a is drawn again."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    a, b = y + rng.normal(size=n), 0.5 * y + rng.normal(size=n)
    missing = rng.random(n) < 0.3
    drawn = [np.where(missing, 0.4 + rng.normal(size=n), a) for _ in range(count)]
    return [pauci.Sample(y, {"a": a_m, "b": b}, **kwargs) for a_m in drawn]


def estimates(measures=MEASURES, **kwargs):
    return [pauci.estimate(s, measures, **kwargs) for s in samples()]


def rubin(values, variances, complete):
    """The formulas of Barnard and Rubin (1999) for a single quantity."""
    m = len(values)
    w, b = np.mean(variances), np.var(values, ddof=1)
    t = w + (1 + 1 / m) * b
    gamma = (1 + 1 / m) * b / t
    shrinkage = 1.0 if math.isinf(complete) else (complete + 1) / (complete + 3)
    observed = complete * shrinkage * (1 - gamma)
    inverse = float(gamma**2 / (m - 1) + 1 / observed)
    return np.mean(values), t, 1 / inverse if inverse else math.inf


def test_published_example_with_the_degrees_of_freedom_of_rubin_1987():
    auc = np.array([0.84, 0.78, 0.75, 0.71, 0.79])
    se = np.array([0.04, 0.05, 0.01, 0.02, 0.03]) / (auc * (1 - auc))
    x = np.log(auc / (1 - auc))[:, None]
    mean, within, total = rubins_rules(x, [np.array([[s**2]]) for s in se])
    df = barnard_rubin_df(within[0, 0], total[0, 0], 5, math.inf)
    assert df == pytest.approx(8.45, abs=0.005)
    ends = mean[0] + np.array([0, -1, 1]) * stats.t.ppf(0.975, df) * np.sqrt(total[0, 0])
    np.testing.assert_allclose(1 / (1 + np.exp(-ends)), [0.7771, 0.5971, 0.8913], atol=5e-5)


@pytest.mark.parametrize("position", range(4))
def test_an_estimate_is_pooled_on_the_scale_of_the_log_odds(position):
    each = [es[position] for es in estimates()]
    low, high = each[0].bounds
    v, se = (np.array([getattr(e, f) for e in each]) for f in ("value", "se"))
    slopes = 1 / (v - low) + 1 / (high - v)
    complete = min(e.df_used() for e in each)
    x, t, df = rubin(np.log((v - low) / (high - v)), (se * slopes) ** 2, complete)

    def back(x):
        return low + (high - low) / (1 + np.exp(-x))

    pooled = pauci.pool(each)
    assert pooled.value == pytest.approx(back(x), rel=1e-12)
    assert pooled.df == pytest.approx(df, rel=1e-12)
    ends = back(x + np.array([-1, 1]) * stats.t.ppf(0.95, df) * np.sqrt(t))
    np.testing.assert_allclose(pooled.interval(0.9), ends, rtol=1e-10)
    of_family = pauci.pool(estimates())[position]
    assert (of_family.value, of_family.df) == pytest.approx((pooled.value, pooled.df), rel=1e-12)
    assert of_family.se == pytest.approx(pooled.se, rel=1e-10)
    text = pooled.report()
    assert f"pooled over {M} imputations (Rubin's rules)" in text
    assert f"pooled over {M} imputations (Rubin's rules)" in " ".join(pooled.summary().split())
    assert pooled.to_frame()["imputations"].item() == M
    assert np.isnan(pooled.pvalue)


def test_a_comparison_is_pooled_on_its_own_scale():
    each = [pauci.compare(s, pauci.AUC(), null=0.01, alternative="greater") for s in samples()]
    x, t, df = rubin([c.value for c in each], [c.se**2 for c in each], min(c.df for c in each))
    pooled = pauci.pool(each)
    np.testing.assert_allclose([pooled.value, pooled.se, pooled.df], [x, t**0.5, df], rtol=1e-12)
    assert pooled.pvalue == pytest.approx(stats.t.sf((x - 0.01) / t**0.5, df), rel=1e-9)
    assert "one-sided" in pooled.report()
    assert pooled.missing_information == pytest.approx(
        1 - (1 - 2 / (df + 3)) * np.mean([c.se**2 for c in each]) / t
    )


def test_covariance_of_several_measures_and_differences():
    families = [pauci.compare(s, MEASURES) for s in samples()]
    values = np.array([[c.value for c in f] for f in families])
    total = np.mean([f.cov for f in families], axis=0) + (1 + 1 / M) * np.cov(values.T)
    pooled = pauci.pool(families)
    np.testing.assert_allclose(pooled.cov, total, rtol=1e-12)
    weights = np.array([1.0, -1.0])
    contrast = pooled.contrast([1, -1])
    _, t, df = rubin(
        values @ weights,
        [weights @ f.cov @ weights for f in families],
        min(f.uncertainty.df_of(weights) for f in families),
    )
    assert (contrast.se**2, contrast.df) == pytest.approx((t, df), rel=1e-10)
    assert pooled.p_adjusted == pytest.approx(
        pooled.adjusted_by("holm", [c.test() for c in pooled]), rel=1e-12
    )
    assert "p (Holm)" in pooled.summary()
    restored = pickle.loads(pickle.dumps(pooled))
    assert restored == pooled
    assert restored.contrast([1, -1]).df == pytest.approx(df, rel=1e-10)


def joint_test(values, within, complete, null):
    """Return F, its denominator degrees of freedom and the p-value of Li et al. (1991)."""
    m, k = values.shape
    d = values.mean(axis=0) - null
    inverse = np.linalg.inv(within)
    r = (1 + 1 / m) * np.trace(np.cov(values.T).reshape(k, k) @ inverse) / k
    t = k * (m - 1)
    if t > 4:
        nu = 4 + (t - 4) * (1 + (1 - 2 / t) / r) ** 2
    else:
        nu = t * (1 + 1 / k) * (1 + 1 / r) ** 2 / 2
    limit = (complete - k + 1) * (complete + 1) / (complete + 3) / (1 + r)
    f, nu = d @ inverse @ d / (k * (1 + r)), 1 / (1 / nu + 1 / limit)
    return f, nu, stats.f.sf(f, k, nu)


@pytest.mark.parametrize("count", [2, 3, M])
def test_joint_test_of_several_differences(count):
    families = [pauci.compare(s, MEASURES) for s in samples()[:count]]
    values = np.array([[c.value for c in f] for f in families])
    within = np.mean([f.cov for f in families], axis=0)
    complete = min(c.df for f in families for c in f)
    pooled = pauci.pool(families)
    null = [0.05, 0.02]
    test = pooled.joint(null=null)
    expected = joint_test(values, within, complete, null)
    assert (test.f, test.df_denominator, test.pvalue) == pytest.approx(expected, rel=1e-9)
    assert test.df == 2
    assert f"Wald {test.statistic:.3f}, F(2, " in test.report()
    assert "Li, Raghunathan and Rubin's test" in " ".join(test.summary().split())
    assert pickle.loads(pickle.dumps(pooled)).joint(null=null).pvalue == test.pvalue


def test_joint_test_of_one_quantity_is_its_own_test():
    pooled = pauci.pool([pauci.compare(s, [pauci.AUC()]) for s in samples(9)])
    assert pooled.joint().pvalue == pytest.approx(pooled[0].pvalue, rel=1e-9)


def test_joint_test_of_all_pairs_is_that_of_two_of_them():
    rng = np.random.default_rng(4)
    y = np.arange(N) % 3 == 0
    b, c, each = y + rng.normal(size=N), rng.normal(size=N), rng.normal(size=(M, N))
    data = [pauci.Sample(y, {"a": y + a, "b": b, "c": c}) for a in each]
    all_pairs = pauci.pool([pauci.compare(s, pauci.AUC()) for s in data])
    two = pauci.pool([pauci.compare(s, pauci.AUC(), baseline="c") for s in data])
    first, second = all_pairs.joint(), two.joint()
    assert (first.df, second.df) == (2, 2)
    assert first.statistic == pytest.approx(second.statistic, rel=1e-9)


def test_equal_completed_data_sets_have_the_result_of_one():
    s = samples(1)[0]
    each = [pauci.estimate(s["a"], pauci.AUC()) for _ in range(3)]
    pooled, e = pauci.pool(each), each[0]
    assert (pooled.value, pooled.se) == pytest.approx((e.value, e.se), rel=1e-12)
    assert pooled.df == pytest.approx(e.df * (e.df + 1) / (e.df + 3), rel=1e-9)


@pytest.mark.parametrize(
    "measure", [pauci.LRPositive(threshold=0.4), pauci.NetBenefit(probability=0.2)]
)
def test_ratios_are_pooled_as_logarithms_and_unbounded_measures_as_they_are(measure):
    rng = np.random.default_rng(3)
    y = np.arange(N) % 3 == 0
    each = []
    for _ in range(3):
        score = 1 / (1 + np.exp(-(y + rng.normal(size=N) - 1)))
        each.append(pauci.estimate(pauci.Sample(y, score), measure))
    values = [e.value for e in each]
    pooled = pauci.pool(each)
    is_ratio = pooled.kind_used() == "log"
    mean = np.exp(np.mean(np.log(values))) if is_ratio else np.mean(values)
    assert is_ratio == (isinstance(measure, type(pauci.LRPositive(threshold=0))))
    assert pooled.value == pytest.approx(mean, rel=1e-12)


def test_bootstraps_are_pooled_by_their_standard_errors():
    each = estimates(pauci.AUC(), variance=pauci.Bootstrap(50, rng=1))
    pooled = pauci.pool(each)
    assert pooled["a"].kind_used() == "logit"
    assert pooled["a"].se > each[0]["a"].se


def test_pooled_results_are_not_joined_as_independent_with_results_of_the_same_rows():
    data = samples()
    pooled = pauci.pool([pauci.estimate(s, pauci.AUC()) for s in data])
    with pytest.raises(pauci.InputError, match="rows in common"):
        pauci.join([pooled, pauci.estimate(data[0], pauci.AUC())])


def test_results_that_cannot_be_pooled_are_errors():
    one, two, *_ = estimates(pauci.AUC())
    y = np.arange(N) % 3 == 0
    larger = pauci.estimate(samples(n=N + 3)[0], pauci.AUC())
    scores = {"a": y + 0.1 * np.arange(N), "c": np.arange(N) % 7}
    renamed = pauci.estimate(pauci.Sample(y, scores), pauci.AUC())
    cases = [
        ([one], "has 1 result,"),
        ([], "has 0 results"),
        ([one, one], "result 2 is passed twice"),
        ([one, larger], "numbers of rows"),
        ([one, renamed], "quantities"),
        ([one, pauci.compare(samples(1)[0], pauci.AUC())], "type"),
        ([one, two, pauci.estimate(samples()[2], pauci.PAUC(fpr=(0, 0.1)))], "1 and 3 differ"),
    ]
    for results, words in cases:
        with pytest.raises(pauci.InputError, match=words):
            pauci.pool(results)
    for wrong in (one, "ab", 3, [one, 0.8], [one, one.contrast([1, -1])]):
        with pytest.raises(pauci.InputTypeError):
            pauci.pool(wrong)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_an_estimate_at_a_limit_is_an_error_but_a_difference_is_not():
    y = np.arange(30) % 3 == 0
    rng = np.random.default_rng(2)
    data = [
        pauci.Sample(y, {"a": y + 0.1 * rng.random(30), "b": y + rng.normal(size=30)})
        for _ in range(3)
    ]
    with pytest.raises(pauci.UndefinedError, match=r"result 1.*at a limit"):
        pauci.pool([pauci.estimate(s["a"], pauci.AUC()) for s in data])
    each = [pauci.compare(s, pauci.AUC()) for s in data]
    pooled = pauci.pool(each)
    half = stats.t.ppf(0.975, pooled.df) * pooled.se
    assert pooled.low == pytest.approx(pooled.value - half)


def test_the_order_of_the_results_does_not_matter_and_two_are_enough():
    each = [pauci.compare(s, MEASURES, null=0.02) for s in samples(2)]
    forward, back = pauci.pool(each), pauci.pool(each[::-1])
    np.testing.assert_allclose(forward.cov, back.cov, rtol=1e-12)
    assert [c.df for c in forward] == pytest.approx([c.df for c in back], rel=1e-9)
    assert "Tests against 0.02 and 0.06667, two-sided." in " ".join(forward.summary().split())
    assert all("adjusted p" in line for line in forward.report().splitlines()[:-1])
    assert len(forward["AUC"].to_frame()) == 1


def test_imputed_outcomes_change_the_numbers_of_positives_but_not_of_rows():
    rng = np.random.default_rng(5)
    each = []
    for n_pos in (30, 33):
        y = np.arange(N) < n_pos
        each.append(pauci.estimate(pauci.Sample(y, y + rng.normal(size=N)), pauci.AUC()))
    assert f"{N} observations" in pauci.pool(each).summary()


@pytest.mark.parametrize("complete", [3.0, 40.0, math.inf])
def test_degrees_of_freedom_lie_below_both_of_their_parts(complete):
    df = [barnard_rubin_df(1.0, total, 5, complete) for total in (1.0, 1.2, 2.0, 50.0)]
    assert df == sorted(df, reverse=True)
    assert all(v <= complete for v in df)
    assert df[-1] < 5.0
    assert barnard_rubin_df(0.0, 0.0, 5, math.inf) == math.inf
    assert barnard_rubin_df(0.0, 1.0, 5, 10.0) == 4.0


def completed(count=3, n=60, seed=5):
    """Frames of completed data sets, and one frame of all with the incomplete data."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    frame = pd.DataFrame({"y": np.where(y, "yes", "no"), "b": y + rng.normal(size=n)})
    missing = rng.random(n) < 0.3
    frames = [frame.assign(a=y + rng.normal(size=n)) for _ in range(count)]
    for other in frames[1:]:
        other["a"] = other["a"].where(missing, frames[0]["a"])
    parts = [frames[0].assign(a=frames[0]["a"].mask(missing)), *frames]
    return frames, pd.concat(parts, keys=range(count + 1), names=[".imp", "row"]).reset_index(
        ".imp"
    )


def test_estimates_and_comparisons_of_completed_frames_are_pooled_in_one_call():
    frames, rows = completed()
    measures = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.3))]
    listed = pauci.Sample.from_imputations(frames, "y", ["a", "b"], positive="yes")
    each = [pauci.Sample.from_frame(f, "y", ["a", "b"], positive="yes") for f in frames]
    assert (len(listed), repr(listed)) == (3, "Imputations(a, b: 3 of 60 rows)")
    for data in (
        listed,
        *(
            pauci.Sample.from_imputations(f, "y", ["a", "b"], ".imp", "yes")
            for f in (rows, pl.from_pandas(rows), pl.from_pandas(rows).to_arrow())
        ),
        pauci.Sample.from_imputations(pl.from_pandas(rows).lazy(), "y", ["a", "b"], ".imp", "yes"),
        pauci.Sample.from_imputations(
            [pl.from_pandas(f).lazy() for f in frames], "y", ["a", "b"], positive="yes"
        ),
    ):
        expected = pauci.pool([pauci.compare(s, measures, adjust="none") for s in each])
        found = pauci.compare(data, measures, adjust="none")
        assert found == expected
        np.testing.assert_array_equal(found.cov, expected.cov)
        e = pauci.estimate(sample=data["a"], measure=pauci.AUC(), variance="jackknife")
        assert e == pauci.pool([pauci.estimate(s["a"], pauci.AUC(), "jackknife") for s in each])
    assert [s.names for s in listed[["b"]]] == [("b",)] * 3


def test_warnings_of_completed_data_sets_are_issued_once():
    frames, _ = completed()
    data = pauci.Sample.from_imputations([f[:6] for f in frames], "y", "b", positive="yes")
    with pytest.warns(pauci.errors.PauciWarning) as caught:
        pauci.estimate(data, pauci.PAUC(fpr=(0, 0.3)))
    messages = [str(w.message) for w in caught]
    assert len({*messages}) == len(messages)


def test_completed_data_sets_that_cannot_be_pooled():
    frames, rows = completed()
    for match, data, options in (
        ("has 1 completed data set;", frames[:1], {}),
        ("different numbers of rows: 60, 60, 50", [*frames[:2], frames[2][:50]], {}),
        ("imputation= is missing", rows, {}),
        ("imputation='nothing' is not a column", rows, {"imputation": "nothing"}),
        ("is for a single frame", frames, {"imputation": ".imp"}),
        ("has 1 completed data set;", rows[rows[".imp"] < 2], {"imputation": ".imp"}),
        (
            "column 'number' has 60 missing values",
            rows.assign(number=rows[".imp"].replace(0, np.nan)),
            {"imputation": "number"},
        ),
    ):
        with pytest.raises((ValueError, TypeError), match=match):
            pauci.Sample.from_imputations(data, "y", "b", positive="yes", **options)
    data = pauci.Sample.from_imputations(frames, "y", "b", positive="yes")
    with pytest.raises(TypeError, match="Results by group are pooled one group at a time"):
        pauci.estimate(data, pauci.AUC(), by=np.arange(60) % 2)
    with pytest.raises(TypeError, match="is an Imputations, but profile needs a Sample"):
        pauci.profile(data, edges=(0, 0.5, 1))


def test_imputations_may_be_numbered_from_0():
    _, rows = completed()
    complete = rows.assign(a=rows["b"], note=np.nan)
    for changed, size in ((rows, 3), (complete, 4)):
        for numbers in (int, float, str, "category"):
            frame = changed.assign(**{".imp": changed[".imp"].astype(numbers)})
            for f in (frame, pl.from_pandas(frame)):
                data = pauci.Sample.from_imputations(f, "y", ["a", "b"], ".imp", "yes")
                assert len(data) == size
    unused = rows.assign(a=rows["b"], predictor=np.where(rows[".imp"] == 0, np.nan, 1.0))
    assert len(pauci.Sample.from_imputations(unused, "y", "a", ".imp", "yes")) == 3


def results_of_labels(labels, rng):
    """Return estimates with these labels, and scores that are drawn anew."""
    pairs = [(y, y + rng.normal(size=len(y))) for y in labels]
    if labels[0].dtype == bool:
        return [pauci.estimate(pauci.Sample(*pair), pauci.AUC()) for pair in pairs]
    return [pauci.estimate(pauci.Sample.from_classes(*pair), pauci.CIndex()) for pair in pairs]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("classes", [2, 3])
def test_results_of_other_rows_are_not_pooled_but_those_with_imputed_outcomes(seed, count, classes):
    rng = np.random.default_rng(seed)

    def drawn():
        values = rng.choice(classes, 150, p=[0.7, 0.3] if classes == 2 else [0.5, 0.3, 0.2])
        return values == 1 if classes == 2 else values

    missing, first = rng.random(150) < 0.4, drawn()
    imputed = [np.where(missing, drawn(), first) for _ in range(count)]
    assert np.isfinite(pauci.pool(results_of_labels(imputed, rng)).se)
    with pytest.raises(pauci.InputError, match=r"labels that differ in .*pauci\.join"):
        pauci.pool(results_of_labels([drawn() for _ in range(count)], rng))
    shorter = [first[: 150 - 20 * i] for i in range(count)]
    with pytest.raises(pauci.InputError, match=r"numbers of rows.*pauci\.join"):
        pauci.pool(results_of_labels(shorter, rng))
