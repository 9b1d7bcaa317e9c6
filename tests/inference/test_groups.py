"""Estimates and comparisons by group: values, gaps, shared units, heterogeneity, bad input."""

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import special, stats

import pauci
from pauci.errors import DegenerateWarning, UndefinedError

RNG = np.random.default_rng(11)
N = 240
Y = RNG.random(N) < 0.4
A, B, C = (Y * shift + RNG.normal(size=N) for shift in (1.2, 0.8, 0.5))
SEX = np.where(RNG.random(N) < 0.5, "F", "M")
SITE = RNG.choice(["x", "y", "z"], N)
PATIENT = np.arange(N) // 3
PART = pauci.PAUCc(fpr=(0, 0.3))
MEASURES = [pauci.AUC(), PART, pauci.AP()]


def sample(rows=slice(None), scores=("a", "b"), **columns):
    every = {"a": A, "b": B, "c": C}
    return pauci.Sample(
        Y[rows],
        {name: every[name][rows] for name in scores},
        **{name: np.asarray(values)[rows] for name, values in columns.items()},
    )


COLUMNS = {
    "rows": {},
    "weights": {"weight": RNG.random(N) + 0.5},
    "frequencies": {"frequency": RNG.integers(1, 4, N)},
    "clusters": {"cluster": PATIENT},
}


@pytest.mark.parametrize(
    ("columns", "variance"),
    [(name, "influence") for name in COLUMNS] + [("rows", "jackknife"), ("clusters", "jackknife")],
)
def test_estimates_equal_those_of_separate_samples(columns, variance):
    columns = COLUMNS[columns]
    measures = MEASURES if variance == "influence" else [pauci.AUC()]
    by_group = pauci.estimate(sample(**columns), measures, variance, by=SITE)
    assert by_group.groups == ["x", "y", "z"]
    for group in by_group.groups:
        apart = pauci.estimate(sample(group == SITE, **columns), measures, variance)
        for e, expected in zip(by_group.in_group(group), apart, strict=True):
            assert (e.group, e.n_pos, e.n_neg) == (group, expected.n_pos, expected.n_neg)
            for name in ("value", "se", "df"):
                assert getattr(e, name) == pytest.approx(getattr(expected, name), rel=1e-9)
            assert e.interval() == pytest.approx(expected.interval(), rel=1e-9)


def test_the_overall_estimates_are_those_of_all_rows():
    expected = pauci.estimate(sample(), MEASURES)
    for reference in (None, "overall"):
        overall = pauci.estimate(sample(), MEASURES, by=SEX, reference=reference).overall
        assert [e.value for e in overall] == [e.value for e in expected]
        assert [e.se for e in overall] == pytest.approx([e.se for e in expected], rel=1e-12)


@pytest.mark.parametrize("columns", COLUMNS)
def test_gaps_from_all_rows_are_differences_of_a_part_and_the_whole(columns):
    one, measures = sample(**COLUMNS[columns]), [pauci.AUC(), pauci.AUK()]
    gaps = pauci.estimate(one, measures, by=SITE, reference="overall").gaps
    everyone = {(e.classifier, e.measure): e.value for e in pauci.estimate(one, measures)}
    assert [(g.first, g.second) for g in gaps] == [(k, "all rows") for k in "xyz"] * 4
    for g in gaps:
        first, second = g.estimates
        assert second.value == everyone[first.classifier, first.measure]
        assert (first.classifier, first.measure) == (second.classifier, second.measure)
        assert (g.pairing, g.kind_used()) == ("group as part of all rows", "wald")
        assert g.df_used() == g.df
        variance = first.se**2 + second.se**2 - 2.0 * g.correlation * first.se * second.se
        assert g.se == pytest.approx(math.sqrt(variance), rel=1e-9)


def test_overlapping_groups_share_rows():
    masks = {"women": SEX == "F", "x": SITE == "x"}
    r = pauci.estimate(sample(scores=["a"]), pauci.AUC(), by=masks)
    assert r.shared
    assert r.cov[0, 1] > 0.0
    assert r.gaps[0].pairing == "groups with shared rows"
    same = pauci.estimate(sample(scores=["a"]), pauci.AUC(), by={1: SEX == "F", 2: SEX == "F"})
    assert same.gaps[0].difference == 0.0
    assert same.gaps[0].se == pytest.approx(0.0, abs=1e-12)


SCALES = {
    pauci.AUC(): special.logit,
    pauci.OE(): np.log,
    pauci.CalibrationIntercept(): lambda value: value,
}


@pytest.mark.parametrize(
    "measure",
    [pytest.param(m, marks=pytest.mark.keep) for m in SCALES],
    ids=[repr(m) for m in SCALES],
)
def test_heterogeneity_equals_a_calculation_by_hand(measure):
    scale = SCALES[measure]
    risks = pauci.Sample(Y, {"a": special.expit(A)})
    one = risks if measure.of_risks else sample(scores=["a"])
    r = pauci.estimate(one, measure, by=SITE)
    test = r.heterogeneity()
    value, se, df = (np.array([getattr(e, n) for e in r]) for n in ("value", "se", "df"))
    slope = (scale(value + 1e-5) - scale(value - 1e-5)) / 2e-5
    theta, v = scale(value), (slope * se) ** 2
    w = 1 / v
    mean = (w * theta).sum() / w.sum()
    spread = ((1 - w / w.sum()) ** 2 / df).sum()
    f = (w * (theta - mean) ** 2).sum() / 2 / (1 + 2 * spread / 8)
    assert test.statistic == pytest.approx(f, rel=1e-6)
    assert (test.df, test.df_denominator) == (2.0, pytest.approx(8 / (3 * spread), rel=1e-6))
    assert test.pvalue == pytest.approx(stats.f.sf(f, 2, 8 / (3 * spread)), rel=1e-6)


ARCSINE = {
    pauci.Youden(threshold=0.5): lambda x: np.arcsin(np.sqrt((x + 1) / 2)),
    pauci.LRPositive(threshold=0.5): lambda x: np.arctan(np.sqrt(x)),
}


def welch_of_limits(quantities, scale):
    """Return F and its denominator, with variances from the 50% and 95% limits."""
    ends = [[q.interval(level) for level in (0.5, 0.95)] for q in quantities]
    limits = scale(np.array(ends))
    df = [q.df_used() for q in quantities]
    quantiles = np.array([stats.t.ppf([0.75, 0.975], d) for d in df])
    theta = limits.mean(axis=(1, 2))
    v = ((limits - theta[:, None, None]) ** 2).sum(axis=(1, 2)) / (2 * (quantiles**2).sum(axis=1))
    w = 1 / v
    spread = ((1 - w / w.sum()) ** 2 / [q.df for q in quantities]).sum()
    count = len(quantities)
    mean = (w * theta).sum() / w.sum()
    f = (w * (theta - mean) ** 2).sum() / (count - 1)
    f /= 1 + 2 * (count - 2) * spread / (count**2 - 1)
    return f, (count**2 - 1) / (3 * spread) if spread else math.inf


@pytest.mark.parametrize("measure", ARCSINE, ids=[repr(m) for m in ARCSINE])
def test_heterogeneity_of_measures_with_their_own_limits_uses_these(measure):
    r = pauci.estimate(sample(scores=["a"]), measure, by=SITE)
    test = r.heterogeneity()
    f, denominator = welch_of_limits(r, ARCSINE[measure])
    assert test.statistic == pytest.approx(f, rel=1e-9)
    assert test.df_denominator == pytest.approx(denominator, rel=1e-9)


def test_heterogeneity_of_differences_with_their_own_limits_uses_these():
    r = pauci.compare(sample(), pauci.Sensitivity(threshold=0.5), by=SITE)
    f, denominator = welch_of_limits(r, lambda x: x)
    assert r.heterogeneity().statistic == pytest.approx(f, rel=1e-9)
    assert r.heterogeneity().df_denominator == pytest.approx(denominator, rel=1e-9)
    one_sided = pauci.compare(
        sample(), pauci.Sensitivity(threshold=0.5), by=SITE, alternative="greater"
    )
    assert one_sided.heterogeneity().pvalue == r.heterogeneity().pvalue


def test_gaps_of_differences_combine_their_limits():
    """The distances of the limits are approximately those of Zou and Donner (2008)."""
    r = pauci.compare(sample(), pauci.Sensitivity(threshold=0.5), by=SITE)
    first, second = r.in_group("x"), r.in_group("y")
    gap = r.gaps[0]
    assert gap.kind_used() == first.kind_used() == "newcombe"
    below = second.difference - second.interval().low
    low = np.hypot(below, first.interval().high - first.difference)
    assert gap.value == pytest.approx(second.difference - first.difference)
    assert gap.interval().low == pytest.approx(gap.value - low, rel=0.02)
    assert pauci.compare(sample(), pauci.AUC(), by=SITE).gaps[0].kind_used() == "wald"


def test_heterogeneity_is_defined_if_a_group_separates_the_classes():
    apart = np.where(SITE == "x", Y * 10.0 + A, A)
    with pytest.warns(DegenerateWarning):
        r = pauci.estimate(pauci.Sample(Y, {"a": apart}), pauci.AUC(), by=SITE)
    assert r[0].se == 0.0
    f, denominator = welch_of_limits(r, lambda x: np.arcsin(np.sqrt(x)))
    test = r.heterogeneity()
    assert test.statistic == pytest.approx(f, rel=1e-9)
    assert test.df_denominator == pytest.approx(denominator, rel=1e-9)
    assert test.pvalue < 0.01


@pytest.mark.filterwarnings("ignore::pauci.errors.FewClustersWarning")
def test_heterogeneity_is_undefined_if_one_cluster_has_most_rows():
    """Their proportions have less than one degree of freedom; F was 10^8."""
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(16), [270] + [2] * 15)
    shift = rng.normal(size=16)[cluster]
    y = rng.random(300) < 0.35
    scores = {c: d * y + 0.5 * shift + rng.normal(size=300) for c, d in (("a", 1.3), ("b", 0.8))}
    site = np.where(rng.random(300) < 0.5, "x", "y")
    s = pauci.Sample(y, scores, cluster=cluster)
    result = pauci.estimate(s["a"], pauci.Sensitivity(threshold=0.5), by=site)
    with pytest.raises(UndefinedError, match="'x' has no finite interval or less than one"):
        result.heterogeneity()
    assert (result.gaps.to_frame()["pvalue"] > 0.5).all()
    assert pauci.compare(s, pauci.Sensitivity(threshold=0.5), by=site).heterogeneity().pvalue > 0.05


def test_heterogeneity_rejects_equal_groups_with_narrow_modes_rarely():
    rng = np.random.default_rng(3)
    rejected = 0
    group = np.repeat(np.arange(6), 120)
    y = np.tile(np.arange(120) < 40, 6)
    for _ in range(20):
        mode = rng.choice(3, y.size, p=[0.2, 0.5, 0.3])
        noise = np.array([0.03, 0.03, 0.5])[mode] * rng.normal(size=y.size)
        pos = np.array([0.3, 1.4, 2.4])[mode] + noise
        scores = np.where(y, pos, rng.normal(size=y.size))
        found = pauci.estimate(pauci.Sample(y, scores), pauci.PAUCc(tpr=(0.8, 1)), by=group)
        rejected += found.heterogeneity().pvalue < 0.05
    assert rejected <= 3  # with standard errors 14


def test_heterogeneity_between_groups_with_few_common_clusters_is_tested_by_hotelling():
    """T^2 of the contrasts, with the effective number of clusters of the smaller class."""
    hospital = np.arange(N) % 9
    r = pauci.estimate(sample(scores=["a"], cluster=hospital), pauci.AUC(), by=SITE)
    test = r.heterogeneity()
    value = np.array([e.value for e in r])
    slope = np.diag(1 / (value * (1 - value)))
    contrasts = np.array([[-1, 1, 0], [-1, 0, 1]])
    d, v = (contrasts @ np.log(value / (1 - value)), contrasts @ slope @ r.cov @ slope)
    square = d @ np.linalg.solve(v @ contrasts.T, d)
    sizes = [np.bincount(hospital[label == Y]) for label in (1, 0)]
    nu = min(m.sum() ** 2 / (m**2).sum() for m in sizes) - 1
    f = square * (nu - 1) / (nu * 2)
    assert (test.df, test.df_denominator) == (2.0, pytest.approx(nu - 1))
    assert test.statistic == pytest.approx(f, rel=1e-9)
    assert test.pvalue == pytest.approx(stats.f.sf(f, 2, nu - 1), rel=1e-9)
    assert f"Hotelling's test: F(2, {nu - 1:.3g}) =" in test.report()
    patients = pauci.estimate(sample(scores=["a"], cluster=PATIENT), pauci.AUC(), by=SITE)
    assert "Welch's test" in patients.heterogeneity().report()
    masks = {"women": SEX == "F", "x": SITE == "x", "not z": SITE != "z"}
    overlapping = pauci.estimate(sample(scores=["a"]), pauci.AUC(), by=masks)
    average = overlapping.contrast([1 / 3, 1 / 3, 1 / 3])
    test = overlapping.heterogeneity()
    assert test.test == "Hotelling's test"
    assert test.df_denominator == pytest.approx(average.df - 1, rel=1e-9)
    some = {
        name: mask & (hospital < 8) for name, mask in (("x", SITE == "x"), ("rest", SITE != "x"))
    }
    half = pauci.estimate(sample(scores=["a"], cluster=hospital), pauci.AUC(), by=some)
    assert 6.5 < half.common_cluster_df <= 7.0
    own = sample(scores=["a"], cluster=[f"{s}{h}" for s, h in zip(SITE, hospital, strict=True)])
    separate = pauci.estimate(own, pauci.AUC(), by=SITE).heterogeneity()
    assert separate.test == "Welch's test"  # no cluster is in several groups


def test_groups_with_one_cluster_of_a_class_are_small():
    cluster = np.where(SITE == "x", np.where(Y, -1, PATIENT), PATIENT)
    s = sample(cluster=cluster)
    with pytest.raises(pauci.InputError, match="fewer than two observations or clusters") as caught:
        pauci.estimate(s, PART, by=SITE)
    assert "'x' (1 cluster with positives)" in str(caught.value)
    result = pauci.estimate(s["a"], PART, by=SITE, skip_small=True)
    assert result.groups == ["y", "z"]
    assert "1 group left out: 'x' (1 cluster with positives)" in result.report()
    with pytest.raises(pauci.InputError, match="1 cluster with positives"):
        pauci.compare(s, PART, by=SITE)


@pytest.mark.parametrize(
    ("by", "columns", "words"),
    [
        ({"women": SEX == "F", "again": SEX == "F", "x": SITE == "x"}, {}, "singular"),
        (RNG.choice(list("abcdef"), N), {"cluster": np.arange(N) % 5}, "but there are 3"),
    ],
)
def test_heterogeneity_without_enough_units_is_undefined(by, columns, words):
    r = pauci.estimate(sample(scores=["a"], **columns), pauci.AUC(), by=by)
    with pytest.raises(pauci.UndefinedError, match=words):
        r.heterogeneity()
    assert words in r.report()


def test_results_are_selected_by_group():
    r = pauci.estimate(sample(scores=["a"]), pauci.AUC(), by=SEX)
    assert r["F"] is r.in_group("F") is r[0]
    c = pauci.compare(sample(), pauci.AUC(), by=SEX)
    assert c["M"] is c.in_group("M") is c[1]
    with pytest.raises(pauci.InputError, match="not a group"):
        r.in_group("Q")
    with pytest.raises(KeyError, match="F, a, AUC"):
        r["Q"]


def test_categories_keep_their_order():
    grades = pd.Series(pd.Categorical(SITE, ["z", "unused", "x", "y"], ordered=True), name="grade")
    r = pauci.estimate(sample(scores=["a"]), pauci.AUC(), by=grades)
    assert (r.groups, r.by) == (["z", "x", "y"], "grade")


@pytest.mark.parametrize(
    ("dtype", "order"), [(pl.Enum(["z", "unused", "x", "y"]), "zxy"), (pl.Categorical, "xyz")]
)
def test_groups_of_polars_are_in_the_order_of_an_enum_or_sorted(dtype, order):
    """The order of a Categorical of Polars is that in which the rows occur."""
    grades = pl.Series("grade", SITE[::-1]).cast(dtype)
    frame = pl.DataFrame({"y": Y[::-1], "a": A[::-1], "grade": grades})
    by = [grades, pd.Categorical(grades.to_list(), list(order))]
    found = [pauci.estimate(pauci.Sample(frame["y"], frame["a"]), PART, by=g) for g in by]
    for data in (frame, frame.lazy()):
        s = pauci.Sample.from_frame(data, "y", "a", group="grade")
        found.append(pauci.estimate(s, PART, by="grade"))
    assert [r.groups for r in found] == [list(order)] * 4
    assert [r.by for r in found] == ["grade", "group", "grade", "grade"]


@pytest.mark.parametrize("columns", [{}, {"cluster": PATIENT}])
@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_the_bootstrap_of_overlapping_groups_draws_copies(columns):
    """Rows with a frequency had the variance of rows that occur once."""
    by = {"women": SEX == "F", "not x": SITE != "x"}
    times = 1 + np.arange(N) % 3
    copies = np.repeat(np.arange(N), times)
    method = pauci.Bootstrap(2000, rng=1)
    s = sample(scores=["a"], frequency=times, **columns)
    found = pauci.estimate(s, pauci.AUC(), variance=method, by=by)
    repeated = sample(copies, scores=["a"], **columns)
    expected = pauci.estimate(repeated, pauci.AUC(), by={k: m[copies] for k, m in by.items()})
    np.testing.assert_allclose(found.cov, expected.cov, rtol=0.15)
    weighted = sample(scores=["a"], weight=times / 2, **columns)
    found, expected = (
        pauci.estimate(weighted, pauci.AUC(), variance=v, by=by) for v in (method, "influence")
    )
    np.testing.assert_allclose(found.cov, expected.cov, rtol=0.15)


def test_small_groups_are_counted_in_every_output():
    by = np.where(np.arange(N) == 0, "tiny", SEX)
    with pytest.raises(pauci.InputError, match="'tiny'") as caught:
        pauci.estimate(sample(), pauci.AUC(), by=by)
    assert "skip_small" in caught.value.hint
    for function, s in ((pauci.estimate, sample(scores=["a"])), (pauci.compare, sample())):
        r = function(s, pauci.AUC(), by=by, skip_small=True)
        assert [g for g, _ in r.skipped] == ["tiny"]
        for text in (r.summary(), r.report(), r.to_markdown()):
            assert "1 group left out: 'tiny'" in " ".join(text.split())
        (reason,) = (why for _, why in r.skipped)
        for found in (r, r.gaps, r.heterogeneity()):
            assert found.to_frame().attrs == {"skipped": {"tiny": reason}}
            for text in (found.summary(), found.report(), found.to_html()):
                assert " ".join(text.split()).count("1 group left out") == 1
        assert "1 group left out: 'tiny'" in r.plot().get_xlabel().replace("\n", " ")
    assert pauci.estimate(sample(), pauci.AUC(), by=SEX).to_frame().attrs == {}
    cutoffs = pauci.cutoff(sample(scores=["a"]), by=by, skip_small=True, specificity=0.8, repeats=1)
    assert list(cutoffs.to_frame().attrs["skipped"]) == ["tiny"]
    with pytest.raises(pauci.InputError, match="too small"):
        pauci.estimate(sample(), pauci.AUC(), by=by, skip_small=True, reference="tiny")


@pytest.mark.parametrize(
    ("options", "argument", "words"),
    [
        ({"by": "gender"}, "by", "groupings .*sex"),
        ({"by": SEX[1:]}, "by", "239 rows"),
        ({"by": np.ones(N)}, "by", "one group"),
        ({"by": Y.astype(int)}, "by", "equals the labels"),
        ({"by": np.where(Y, "n", "p")}, "by", "equals the labels"),
        ({"by": np.where(np.arange(N) == 4, None, SEX)}, "by", "missing value .row 4"),
        ({"by": {"a": SEX == "F"}}, "by", "1 group"),
        ({"by": {"a": SEX == "F", None: SEX == "M"}}, "by", "None"),
        ({"by": {"a": SEX == "F", "b": np.ones(N)}}, "by", "boolean mask"),
        ({"by": {"a": SEX == "F", "b": SEX == "Q"}}, "by", "0 positives"),
        ({"by": "sex", "reference": "f"}, "reference", "Did you mean 'F'"),
        ({"by": np.arange(N) % 2 + 2024, "reference": "2025"}, "reference", "Did you mean 2025\\?"),
        pytest.param(
            {"by": pd.Series(SEX, index=np.arange(N)[::-1])},
            "by",
            "different orders",
            marks=pytest.mark.keep,
        ),
        (
            {"by": {"a": SEX == "F", "b": pd.Series(Y, index=np.arange(N)[::-1])}},
            "by",
            "different orders",
        ),
        ({"reference": "F"}, "reference", "by="),
        ({"skip_small": True}, "skip_small", "by="),
    ],
)
def test_bad_groups_are_named(options, argument, words):
    with pytest.raises((pauci.InputError, TypeError), match=words) as caught:
        pauci.estimate(
            pauci.Sample(pd.Series(Y), {"a": A, "b": B}, group={"sex": SEX}), pauci.AUC(), **options
        )
    assert caught.value.argument == argument


def test_draws_do_not_depend_on_the_order_of_a_pair():
    """As without groups, the difference b - a is the negative of a - b in every replicate."""
    method = pauci.Bootstrap(60, rng=3)
    first, second = (
        pauci.compare(sample(), pauci.AUC(), variance=method, by=SEX, pair=pair)
        for pair in (("a", "b"), ("b", "a"))
    )
    for one, other in zip([*first, *first.overall], [*second, *second.overall], strict=True):
        assert one.difference == -other.difference
        np.testing.assert_array_equal(one.resampled.replicates, -other.resampled.replicates)
    whole = pauci.compare(sample(), pauci.AUC(), variance=method, pair=("b", "a"))
    np.testing.assert_array_equal(
        second.overall[0].resampled.replicates, whole.resampled.replicates
    )


def test_a_list_of_groupings_is_not_the_group_of_each_row():
    several = pauci.Sample(Y, A, group={"sex": SEX, "site": SITE})
    with pytest.raises(pauci.InputError, match="must name one grouping") as caught:
        pauci.estimate(several, PART, by=["sex", "site"])
    assert caught.value.argument == "by"


@pytest.mark.parametrize("adjust", ["holm", "max-t", None])
def test_reports_of_differences_have_the_adjusted_p_values_of_the_gaps(adjust):
    result = pauci.compare(sample(), PART, by=SITE, adjust=adjust)
    tests = [gap.test() for gap in result.gaps]
    expected = result.gaps.adjusted_by(result.adjust, tests)
    word = "adjusted p" if result.adjust != "none" else "p"
    assert all(f"{word} = {p:.3f}" in result.report() for p in expected)
    cells = result.to_html().split("</tr>")
    assert all(any(f"{p:.3f}" in row for row in cells) for p in expected)


DAYS = pd.Series(pd.date_range("2020-01-30", periods=3, freq="D"))[RNG.integers(0, 3, N)]
SECOND = [pd.Timestamp("2020-01-31"), datetime.date(2020, 1, 31), np.datetime64("2020-01-31")]
DATES = {
    "ns": DAYS.to_numpy().astype("datetime64[ns]"),
    "us": DAYS.astype("datetime64[us]"),
    "days": DAYS.to_numpy().astype("datetime64[D]"),
    "time zone": DAYS.dt.tz_localize("America/New_York"),
    "dates": DAYS.dt.date,
    "timestamps": DAYS.astype(object),
    "periods": DAYS.dt.to_period("D"),
    "Polars": pl.Series(DAYS.dt.date.tolist()),
}


@pytest.mark.parametrize("dates", DATES.values(), ids=list(DATES))
def test_dates_of_any_type_are_found(dates):
    dates = dates.reset_index(drop=True) if isinstance(dates, pd.Series) else dates
    by_day = pauci.estimate(sample()["a"], pauci.AUC(), by=dates)
    assert not any(isinstance(day, int) for day in by_day.groups)
    assert list(map(str, by_day.to_frame()["group"]))[1].startswith("2020-01-31")
    for second in (*SECOND, "2020-01-31", by_day.groups[1]):
        assert by_day.in_group(second).group == by_day.groups[1]
        chosen = pauci.estimate(sample()["a"], pauci.AUC(), by=dates, reference=second)
        assert chosen.reference == by_day.groups[1]
    for other in (datetime.date(2020, 3, 1), "2020-03-01", "January", 3):
        with pytest.raises(ValueError, match="reference="):
            pauci.estimate(sample()["a"], pauci.AUC(), by=dates, reference=other)


def test_times_with_nanoseconds_are_no_integers():
    times = DAYS.to_numpy().astype("datetime64[ns]") + np.timedelta64(7, "ns")
    groups = pauci.estimate(sample(), pauci.AUC(), by=times).groups
    assert str(groups[1]) == "2020-01-31T00:00:00.000000007"


@pytest.mark.parametrize("labels", [("F", "f"), ("M", "M "), ("a  b", "A b"), (1, "1")])
def test_groups_that_differ_only_in_case_blanks_or_type_are_refused(labels):
    group = np.array([*labels, "other"], dtype=object)[RNG.integers(0, 3, N)]
    with pytest.raises(ValueError, match=r"differ only in case.*each group") as caught:
        pauci.estimate(sample(), pauci.AUC(), by=group)
    assert caught.value.argument == "by"
    with pytest.raises(ValueError, match="differ only in case") as caught:
        pauci.Sample.from_frame(pd.DataFrame({"y": Y, "a": A, "g": group}), "y", "a", group="g")
    assert caught.value.argument == "group"
