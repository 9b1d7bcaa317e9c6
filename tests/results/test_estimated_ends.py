"""Intervals of measures with estimated ends: logit limits that are extended with moved ends."""

import numpy as np
import pytest

import pauci
from pauci.measures import AUC, PAUC, LocalC, PartialC, PAUCc, PAUCx
from pauci.results.extensions import MovedEnds

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
def test_intervals_of_other_data_are_not_extended(options):
    y = np.arange(160) % 2
    scores = np.random.default_rng(2).normal(size=160) + y
    e = pauci.estimate(pauci.Sample(y, scores, **options), PAUCc(fpr=(0, 0.3)))
    assert (e.kind_used(), e.limits) == ("logit", None)
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
    assert isinstance(once.limits, MovedEnds)
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
        (PAUCc(fpr=(0, 0.3)) / AUC(), "wald"),
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


def test_joined_limits_of_a_difference_follow_from_the_logit_limits():
    """Zou and Donner (2008), at a level whose quantile is the same for estimates and difference."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [300, 400])
    a, b = rng.normal(size=(2, 700)) + [[1.4], [0.8]] * y
    c = pauci.compare(pauci.Sample(y, {"a": a, "b": b}), PAUCc(fpr=(0, 0.2)))
    (la, ua), (lb, ub) = (e.interval() for e in c.estimates)
    va, vb = (e.value for e in c.estimates)
    for found, da, db, sign in (
        (c.interval().low, va - la, ub - vb, -1),
        (c.interval().high, ua - va, vb - lb, 1),
    ):
        expected = np.sqrt(da**2 + db**2 - 2 * c.correlation * da * db)
        assert found == pytest.approx(va - vb + sign * expected, rel=0.02)


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
