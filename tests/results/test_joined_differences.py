"""Differences of measures of points: joined limits, their tests, and adjustments."""

import math

import numpy as np
import pytest
from scipy import stats

import pauci

pytestmark = pytest.mark.usefixtures("quiet")

MEASURES = (
    pauci.Sensitivity(fpr=0.15),
    pauci.Specificity(tpr=0.8),
    pauci.PPV(threshold=0.5),
    pauci.Youden(threshold=0.5),
    pauci.PPV(sensitivity=0.8),
)
DESIGNS = ("paired", "independent", "weights", "clusters", "ratings", "groups")


def data(n=90, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation((np.arange(n) < 0.4 * n).astype(int))
    common = rng.normal(size=n) + 1.1 * y
    return (
        rng,
        y,
        {k: common + s * rng.normal(size=n) for k, s in zip("abc", (0.6, 1.5, 1), strict=True)},
    )


def comparison_of(design, measure, **options):
    rng, y, scores = data()
    two = {k: scores[k] for k in "ab"}
    if design == "independent":
        samples = [
            pauci.Sample(y, {"a": scores["a"]}),
            pauci.Sample(y[:60], {"b": scores["b"][:60]}),
        ]
        return pauci.compare(samples, measure, **options)
    given = {}
    if design == "weights":
        given["weight"] = rng.uniform(0.5, 2, y.size)
    elif design == "clusters":
        given["cluster"] = np.arange(y.size) // 3
    elif design == "ratings":
        two = {k: np.digitize(v, [-0.5, 0.5, 1.5]) for k, v in two.items()}
    elif design == "groups":
        found = pauci.estimate(pauci.Sample(y, scores["a"]), measure, by=np.arange(y.size) % 2)
        return found.gaps[0]
    return pauci.compare(pauci.Sample(y, two, **given), measure, **options)


AT_THRESHOLDS = [pauci.Specificity(threshold=0.5), *MEASURES[2:4]]
AT_POINTS = [*MEASURES[:2], MEASURES[4]]


def limit_at(e, z):
    """Return the limits of an estimate at normal deviates."""
    ends, tails = e.binomial.ends, stats.norm.sf(np.abs(z)).tolist()
    return [ends.upper(t) if d > 0.0 else ends.lower(t) for t, d in zip(tails, z, strict=True)]


def difference_of_limits(a, b, correlation, level):
    """Return quantiles of the difference of limits at deviates with a correlation."""
    z = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    first, second = np.meshgrid(z, z, indexing="ij")
    second = correlation * first + math.sqrt(1.0 - correlation**2) * second
    at = np.linspace(-5.0, 5.0, 81)
    values = np.interp(first, at, limit_at(a, at)) - np.interp(second, at, limit_at(b, at))
    tail = 0.5 * (1.0 - level)
    return np.quantile(values, (tail, 1.0 - tail))


@pytest.mark.parametrize("measure", AT_THRESHOLDS, ids=str)
@pytest.mark.parametrize("design", DESIGNS)
def test_limits_at_thresholds_follow_from_those_of_both_estimates(design, measure):
    c = comparison_of(design, measure)
    assert (c.kind_used(), c.ends) == ("joined", None)
    assert {e.kind_used() for e in c.estimates} <= {"mid-p", "profile"}
    for level in (0.8, 0.95):
        expected = difference_of_limits(*c.estimates, c.correlation, level)
        assert c.interval(level) == pytest.approx(expected, abs=0.01 * np.ptp(expected))


@pytest.mark.parametrize("measure", AT_POINTS, ids=str)
@pytest.mark.parametrize("design", DESIGNS)
def test_limits_at_points_are_averaged_over_the_ends(design, measure):
    """The rest of the variance is that which the ends do not explain."""
    c = comparison_of(design, measure)
    assert c.kind_used() == "joined"
    assert {e.kind_used() for e in c.estimates} == {"profile" if measure.key == "ppv" else "mid-p"}
    (values, shares, _), explained, least = c.ends.errors
    assert (0.0 < explained < c.se**2, least > 0.0) == (True, True)
    rest = max(c.se**2 - explained, 0.05**2 * explained, least)
    for level in (0.8, 0.95):
        low, high = c.interval(level)
        for limit, below in ((low, 0.5 - 0.5 * level), (high, 0.5 + 0.5 * level)):
            found = shares @ stats.t.cdf((limit - values) / math.sqrt(rest), c.df)
            assert found == pytest.approx(below, abs=2e-4)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("null", [0.0, -0.1, 0.2])
@pytest.mark.parametrize("design", DESIGNS[:-1])
def test_test_and_interval_agree_at_every_level(design, null, alternative):
    for measure in MEASURES:
        c = comparison_of(design, measure, null=null, alternative=alternative)
        for kind in (None, "wald"):
            p = c.pvalue_of(kind)
            for level in (1 - 0.999 * p, 1 - 1.001 * p, 0.6, 0.8, 0.95, 0.999):
                if level < 0.501:
                    continue
                low, high = c.interval(level, kind)
                assert (low <= null <= high) == (p >= 1 - level)
        assert c.pvalue == c.pvalue_of("joined") != c.pvalue_of("wald")


@pytest.mark.parametrize("design", DESIGNS)
def test_the_statistic_is_the_deviate_of_the_p_value(design):
    c = comparison_of(design, MEASURES[0])
    assert c.df_used() == c.df
    assert 2 * stats.t.sf(abs(c.statistic), c.df) == pytest.approx(c.pvalue, rel=1e-9)
    above = c.inverted_test(0.0, "greater").pvalue
    assert (c.statistic > 0.0) == (above < 0.5)
    assert min(above, 1.0 - above) == pytest.approx(c.pvalue / 2.0)
    wald = c.statistic_of("wald")
    assert wald == pytest.approx(c.difference / c.se, rel=1e-12)
    assert ("t(" in c.report()) == math.isfinite(c.df)
    assert "95% joined CI" in c.report()
    assert str(c).count("joined") == 1


def test_contrasts_are_compared_alike():
    _, y, scores = data()
    sample, measure = pauci.Sample(y, scores), MEASURES[1]
    es, cs = pauci.estimate(sample, measure), pauci.compare(sample, measure)
    for weights, c in zip(([1, -1, 0], [1, 0, -1], [0, 1, -1]), cs, strict=True):
        contrast = es.contrast(weights)
        assert contrast.kind_used() == "joined"
        assert contrast.interval() == pytest.approx(c.interval(), rel=1e-12)
        assert contrast.pvalue == pytest.approx(c.pvalue, rel=1e-9)
    null = 0.3
    third = es.contrast([1, -0.5, -0.5], null=null)
    low, high = third.interval(1 - third.pvalue)
    assert min(abs(low - null), abs(high - null)) == pytest.approx(0.0, abs=1e-9)
    assert es.contrast([0.5, 0.5, 0]).kind_used() == "logit"


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("kind", [None, "wald"])
def test_simultaneous_intervals_agree_with_adjusted_p_values(kind, alternative):
    _, y, scores = data()
    cs = pauci.compare(
        pauci.Sample(y, scores), MEASURES, adjust="max-t", null=-0.05, alternative=alternative
    )
    adjusted = cs.adjusted(kind)
    for i, p in enumerate(adjusted):
        assert p >= cs[i].pvalue_of(kind)
        for level in (1 - 1.02 * p, 1 - 0.98 * p):
            if level > 0.501:
                low, high = cs.simultaneous(level, kind)[i]
                assert (low <= -0.05 <= high) == (p >= 1 - level)
    frame = cs.to_frame(kind=kind)
    np.testing.assert_allclose(frame.p_adjusted, adjusted)
    np.testing.assert_allclose(frame[["low", "high"]], cs.simultaneous(0.95, kind))


def test_other_variance_methods_and_measures_have_wald_intervals():
    _, y, scores = data()
    sample = pauci.Sample(y, {k: scores[k] for k in "ab"})
    assert pauci.compare(sample, pauci.AUC()).kind_used() == "wald"
    for method in ("jackknife", pauci.Bootstrap(99, rng=1)):
        assert pauci.compare(sample, MEASURES[0], variance=method).kind_used() == "wald"
    with pytest.raises(ValueError, match="kind"):
        pauci.compare(sample, pauci.AUC()).interval(kind="joined")


def test_a_perfect_classifier_is_joined_with_its_limits():
    """Its standard error is 0, and its limits are those of its counts, not of a logit interval."""
    _, y, scores = data()
    sample = pauci.Sample(np.r_[y, y, y], {"a": np.r_[y, y, y], "b": np.tile(scores["b"], 3)})
    for measure in (MEASURES[0], pauci.Sensitivity(threshold=0.5)):
        c = pauci.compare(sample, measure)
        a, b = c.estimates
        assert a.degenerate
        low, high = c.interval()
        assert low < c.difference < high <= 1.0
        assert low == pytest.approx(a.value - b.interval().high, abs=0.15 * (high - low))
    expected = difference_of_limits(a, b, c.correlation, 0.95)
    assert c.interval() == pytest.approx(expected, abs=0.02 * np.ptp(expected))


def test_fixed_readers_are_compared_alike():
    _, y, scores = data()
    pair = pauci.Sample(y, {k: scores[k] for k in "ab"})
    c = pauci.compare(pair, MEASURES[0])
    import pandas as pd

    frame = pd.DataFrame(
        {
            "reader": "r",
            "modality": np.repeat(["a", "b"], y.size),
            "case": np.tile(np.arange(y.size), 2),
            "label": np.tile(y, 2),
            "score": np.r_[scores["a"], scores["b"]],
        }
    )
    columns = {k: k for k in frame}
    study = pauci.ReaderStudy.from_frame(frame, **columns, positive=1)
    (row,) = pauci.mrmc(study, MEASURES[0], readers="fixed").differences.to_dict("records")
    found = [row[k] for k in ("difference", "pvalue", "low", "high")]
    assert found == pytest.approx([c.difference, c.pvalue, *c.interval()], rel=1e-9)


def test_gaps_from_all_rows_have_the_degrees_of_freedom_of_the_difference():
    rng = np.random.default_rng(1)
    y = rng.permutation(150) % 2
    sample = pauci.Sample(y, rng.normal(size=150) + y)
    group = np.where(rng.random(150) < 0.2, "a", "b")
    for gap in pauci.estimate(sample, pauci.AUC(), by=group, reference="overall").gaps:
        assert gap.kind_used() == "joined"
        assert gap.df_used() == gap.df < 60.0
