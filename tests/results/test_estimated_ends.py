"""Intervals of measures with estimated ends: which limits they have, and for which data."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import pauci
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.measures import AUC, PAUC, LocalC, PartialC, PAUCc, PAUCx
from pauci.results.extensions import EstimatedEnds

REGIONS = [
    {"fpr": (0, 0.2)},
    {"fpr": (0, 0.55)},
    {"fpr": (0.25, 0.6)},
    {"fpr": (0.3, 1)},
    {"tpr": (0.6, 1)},
    {"tpr": (0, 0.7)},
    {"tpr": (0.35, 0.8)},
]


def drawn(sizes, rng):
    y = np.repeat([1, 0], sizes)
    return pauci.Sample(y, rng.normal(size=y.size) + 1.2 * y)


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize("level", [0.6, 0.9, 0.99])
def test_test_and_interval_agree(region, level):
    e = pauci.estimate(drawn((80, 120), np.random.default_rng(8)), PAUCc(**region))
    low, high = e.interval(level)
    for end, inside in ((low, 1), (high, -1)):
        step = 1e-6 * (high - low)
        assert e.test(end + inside * step).pvalue >= 1 - level
        if e.scale.low < end - inside * step < e.scale.high:
            assert e.test(end - inside * step).pvalue <= 1 - level + 1e-9


def test_the_partial_c_has_the_interval_of_the_concordant_area():
    sample = drawn((60, 80), np.random.default_rng(12))
    a, b = (pauci.estimate(sample, m(fpr=(0.1, 0.4))) for m in (PAUCc, PartialC))
    assert a.interval() == pytest.approx(b.interval(), rel=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"weight": np.repeat([1.0, 2.0], [80, 80])},
        {"cluster": np.arange(160) // 2},
        {"fold": np.arange(160) // 2 % 2},
    ],
    ids=lambda options: next(iter(options)),
)
@pytest.mark.usefixtures("quiet")
def test_intervals_of_all_designs_are_averaged_over_the_ends(options):
    y = np.arange(160) % 2
    scores = np.random.default_rng(2).normal(size=160) + y
    e = pauci.estimate(pauci.Sample(y, scores, **options), PAUCc(fpr=(0, 0.3)))
    assert e.kind_used() == "logit"
    assert isinstance(e.limits, EstimatedEnds)
    assert e.limits.errors.explained > 0.0
    logit = replace(e, limits=None).interval()
    assert e.interval() == pytest.approx(logit, abs=0.2 * np.ptp(logit))
    assert max(abs(a - b) for a, b in zip(e.interval(), logit, strict=True)) > 1e-4
    with pytest.raises(ValueError, match="kind='joined' is not available here"):
        e.interval(kind="joined")


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.usefixtures("quiet")
def test_frequencies_count_as_rows(region):
    rng = np.random.default_rng(6)
    y, s, f = np.arange(90) % 2, np.round(3 * rng.normal(size=90)), rng.integers(1, 5, 90)
    s += 3 * y
    once = pauci.estimate(pauci.Sample(y, s, frequency=f), PAUCc(**region))
    each = pauci.estimate(pauci.Sample(np.repeat(y, f), np.repeat(s, f)), PAUCc(**region))
    assert isinstance(once.limits, EstimatedEnds)
    assert once.interval() == pytest.approx(each.interval(), rel=1e-10)


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.usefixtures("quiet")
def test_exchanging_the_classes_mirrors_the_region(region):
    """The area below a curve is that to the right of the curve with the classes exchanged."""
    ((axis, (low, high)),) = region.items()
    rng = np.random.default_rng(14)
    y, s = np.repeat([1, 0], [70, 90]), np.round(2 * rng.normal(size=160), 1)
    s += 2 * y
    other = {"tpr" if axis == "fpr" else "fpr": (1 - high, 1 - low)}
    a = pauci.estimate(pauci.Sample(y, s), PAUCc(**region, ends="middle"))
    b = pauci.estimate(pauci.Sample(1 - y, -s), PAUCc(**other, ends="middle"))
    assert a.value == pytest.approx(b.value)
    assert a.interval() == pytest.approx(b.interval(), rel=1e-6)


@pytest.mark.parametrize(
    ("measure", "kind"),
    [
        (PAUCc(fpr=(0, 0.3)), "joined"),
        (PAUCx(fpr=(0.1, 0.3)), "joined"),
        (PartialC(fpr=(0, 0.3)), "joined"),
        (PAUC(tpr=(0.6, 0.9), normalized=True), "joined"),
        (LocalC(fpr=(0, 0.3)), "joined"),
        (PAUCc(fpr=(0, 0.3)) / AUC(), "joined"),
        (PAUC(fpr=(0, 0.3)), "wald"),
        (PAUCx(tpr=(0.6, 1)), "wald"),
        (AUC(), "wald"),
        (PAUC(fpr=(0, 0.1)) / PAUC(fpr=(0.1, 0.3)), "wald"),
    ],
    ids=repr,
)
@pytest.mark.usefixtures("quiet")
def test_differences_join_the_limits_if_an_end_is_estimated(measure, kind):
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [60, 80])
    a, b = rng.normal(size=(2, 140)) + [[1.4], [0.8]] * y
    c = pauci.compare(pauci.Sample(y, {"a": a, "b": b}), measure)
    assert c.kind_used() == kind


@pytest.mark.parametrize("measure", [PAUCc(fpr=(0, 0.2)), PAUC(tpr=(0.5, 0.9))], ids=repr)
def test_smooth_curves_nearly_keep_their_intervals(measure):
    """Large samples with smooth curves, where the value is nearly linear in the end."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [3000, 4000])
    scores = rng.normal(size=(2, 7000)) + [[1.4], [0.8]] * y
    sample = pauci.Sample(y, dict(zip("ab", scores, strict=True)))
    c, (e, _) = pauci.compare(sample, measure), pauci.estimate(sample, [measure])
    assert (c.kind_used(), e.kind_used()) == ("joined", "logit")
    wald, logit = c.interval(kind="wald"), replace(e, limits=None).interval()
    assert c.interval() == pytest.approx(wald, abs=0.08 * np.ptp(wald))
    assert e.interval() == pytest.approx(logit, abs=0.08 * np.ptp(logit))


def with_outliers(seed=1, sizes=(80, 80)):
    """A tenth of the negatives score higher than all positives, so that R(0.1) is 0."""
    rng = np.random.default_rng(seed)
    negatives = rng.normal(size=sizes[1]) + 8.0 * (rng.random(sizes[1]) < 0.1)
    scores = np.concatenate((rng.normal(size=sizes[0]) + 1.5, negatives))
    return np.repeat([1, 0], sizes), scores


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("design", ["rows", "clusters"])
def test_coverage_at_a_jump(design):
    """Logit limits of most samples with fewer than a tenth of outliers miss the value."""
    score = np.linspace(20.0, -10.0, 30_001)
    fpr, tpr = 0.9 * ndtr(-score) + 0.1 * ndtr(8.0 - score), ndtr(1.5 - score)
    for rates in (fpr, tpr):
        rates[0], rates[-1] = 0.0, 1.0
    measure = PAUCc(fpr=(0, 0.1), normalized=True)
    true = measure.on(Curve(CountTable(score[1:], tpr, fpr, 1, 1)))
    covered = by_logit = 0
    for seed in range(40):
        y, s = with_outliers(seed)
        options = {}
        if design == "clusters":
            y, s = np.repeat(y, 2), np.repeat(s, 2)
            options["cluster"] = np.arange(y.size) // 2
        e = pauci.estimate(pauci.Sample(y, s, **options), measure)
        low, high = e.interval()
        covered += low <= true <= high
        low, high = replace(e, limits=None).interval()
        by_logit += low <= true <= high
    assert by_logit < 0.8 * 40
    assert covered >= 0.9 * 40


@pytest.mark.usefixtures("quiet")
def test_the_statistic_belongs_to_the_p_value():
    e = pauci.estimate(drawn((40, 60), np.random.default_rng(8)), PAUCc(fpr=(0, 0.3)))
    for null in (0.2, 0.4, 0.5):
        test = e.test(null)
        assert test.pvalue == pytest.approx(2 * stats.t.sf(abs(test.statistic), test.df), rel=1e-6)
        assert (test.statistic > 0.0) == (test.pvalue / 2 == e.test(null, "greater").pvalue)


@pytest.mark.parametrize("method", ["jackknife", pauci.Bootstrap(99, rng=1)], ids=repr)
@pytest.mark.usefixtures("quiet")
def test_other_variances_have_no_errors_of_ends(method):
    y, s = with_outliers()
    sample, measure = pauci.Sample(y, {"a": s, "b": s[::-1]}), PAUCc(fpr=(0, 0.2))
    assert pauci.estimate(sample, [measure], variance=method)[0].limits is None
    c = pauci.compare(sample, measure, variance=method)
    assert (c.ends, c.kind_used()) == (None, "wald")


@pytest.mark.usefixtures("quiet")
def test_undefined_values_are_replaced_by_the_estimate():
    """Between neighbouring ends there may be no pairs, so that a local c is undefined."""
    y, s = np.repeat([1, 0], [30, 12]), np.random.default_rng(4).normal(size=42)
    e = pauci.estimate(pauci.Sample(y, s + y), LocalC(tpr=(0.4, 0.6)))
    assert np.isfinite(e.limits.errors.at_ends.values).all()
    low, high = e.interval()
    assert 0.0 <= low < e.value < high <= 1.0


@pytest.mark.usefixtures("quiet")
def test_intervals_of_normalized_areas_near_1_cover():
    """Negatives with heavy tails: without the lower bound of the variance 80% are covered."""
    from scipy import stats
    from scipy.integrate import quad

    negatives = stats.t(2)

    def height(x):
        return stats.t.sf(negatives.isf(x) - 5.2, 2)

    end = height(0.1)
    area = quad(height, 0, 0.1, limit=200)[0]
    true = (2 * area + 0.9 * end) / (0.1 + end)
    rng, y, covered, widened = np.random.default_rng(12), np.repeat([1, 0], [100, 60]), 0, 0
    for _ in range(100):
        scores = rng.standard_t(2, 160) + 5.2 * y
        e = pauci.estimate(pauci.Sample(y, scores), PAUCc(fpr=(0, 0.1), normalized=True))
        low, high = e.interval()
        covered += low <= true <= high
        widened += e.binormal_se > e.se
    assert covered >= 90
    assert widened > 10
