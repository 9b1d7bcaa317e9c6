"""Joined limits of measures with estimated ends, from the formula and the covariance matrix."""

import pickle

import numpy as np
import pytest

import pauci
from pauci.measures import AUC, PAUC, LocalC, PartialC, PAUCc, PAUCx, Sensitivity, Specificity
from pauci.results.joined_ends import EstimatedEnds
from pauci.variance.area_and_heights import covariance_with_heights
from pauci.variance.problem import Problem

RNG = np.random.default_rng(12)
SCALES = {"continuous": None, "many ties": 4.0, "few ratings": 1.0}
SIZES = [(30, 30), (100, 100), (400, 50), (60, 900)]
REGIONS = [
    {"fpr": (0, 0.2)},
    {"fpr": (0, 0.55)},
    {"fpr": (0.25, 0.6)},
    {"fpr": (0.3, 1)},
    {"tpr": (0.6, 1)},
    {"tpr": (0, 0.7)},
    {"tpr": (0.35, 0.8)},
]


def drawn(sizes, scale, rng=RNG):
    y = np.repeat([1, 0], sizes)
    s = rng.normal(size=y.size) + 1.2 * y
    return pauci.Sample(y, s if SCALES[scale] is None else np.round(SCALES[scale] * s))


def parts(region):
    """The area with known ends, the heights, and their weights in the area with estimated ends."""
    ((axis, bounds),) = region.items()
    if axis == "fpr":
        heights = [
            (Sensitivity(fpr=x), (1 - x) * s)
            for x, s in zip(bounds, (-1, 1), strict=True)
            if 0 < x < 1
        ]
        return PAUC(fpr=bounds), PAUCx(fpr=bounds), heights
    heights = [
        (Specificity(tpr=y), y * s) for y, s in zip(bounds, (1, -1), strict=True) if 0 < y < 1
    ]
    return PAUCx(tpr=bounds), PAUC(tpr=bounds), heights


def by_formula(es, weights, level):
    """Zou and Donner (2008), from the intervals and the covariance matrix of `estimate`."""
    se = np.sqrt(es.cov.diagonal())
    rho = es.cov / np.outer(se, se)
    value = sum(w * e.value for w, e in zip(weights, es, strict=True))
    ends = []
    for side in (0, 1):
        distances = []
        for w, e in zip(weights, es, strict=True):
            low, high = e.interval(level)
            lower = (side == 0) == (w > 0)
            distances.append(w * (e.value - low if lower else high - e.value))
        d = np.array(distances)
        ends.append(value + (2 * side - 1) * np.sqrt(d @ rho @ d))
    return value, ends


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.usefixtures("quiet")
def test_covariances_are_those_of_the_influence_values(sizes, scale, region):
    """The measure minus the area is the weighted sum of the heights.

    The result is exact if no height is averaged over the width of an observation; otherwise the
    rows between the height and its average are neglected.
    """
    sample = drawn(sizes, scale)
    area, measure, _ = parts(region)
    es = pauci.estimate(sample, [area, measure])
    ((ratings, _, piece),) = Problem((sample.ratings(),), (measure,)).evaluated
    ends = measure.influence(ratings.curve, piece).ends
    weights = np.array([e.factor if e.axis == "fpr" else -e.factor for e in ends])
    covariances = covariance_with_heights(ratings.curve.table, piece, es[0].value, ends)
    with_area, of_heights = covariances[0, 1:], covariances[1:, 1:]
    np.testing.assert_array_equal(covariances, covariances.T)
    found = np.array([weights @ with_area, weights @ of_heights @ weights])
    (va, cov), (_, vm) = es.cov
    pseudo = es[1].pseudo_variance
    expected = np.array([cov - va, vm - pseudo - 2 * cov + va])
    exact = all(e.mean == e.share for e in ends)
    scales = np.sqrt([va * expected[1], expected[1] ** 2])
    np.testing.assert_allclose(found / scales, expected / scales, atol=1e-9 if exact else 0.02)


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.usefixtures("quiet")
def test_limits_follow_the_formula(region, level):
    sample = drawn((150, 200), "many ties", np.random.default_rng(5))
    area, measure, heights = parts(region)
    es = pauci.estimate(sample, [area, *(h for h, _ in heights)])
    for share, kind in ((1.0, type(measure)), (0.5, PAUCc)):
        e = pauci.estimate(sample, kind(**region))
        weights = [1.0, *(share * w for _, w in heights)]
        value, (low, high) = by_formula(es, weights, level)
        assert e.kind_used() == "joined"
        assert e.value == pytest.approx(value, abs=1e-12)
        logit = e.interval(level, kind="logit")
        if min(w for _, w in heights) < 0:  # the union
            low, high = min(low, logit.low), max(high, logit.high)
        found = e.interval(level)
        assert found == pytest.approx((max(low, e.scale.low), min(high, e.scale.high)), abs=2e-4)


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.usefixtures("quiet")
def test_normalized_areas_are_extended_to_the_logit_interval(region):
    """Their weights are the derivatives, by finite differences in the area and the heights."""
    sample = drawn((150, 200), "many ties", np.random.default_rng(5))
    _, measure, _ = parts(region)
    e = pauci.estimate(sample, type(measure)(**region, normalized=True))
    logit, (low, high) = e.interval(kind="logit"), e.interval()
    joined = e.estimated_ends.limits(e, e.df)
    assert low == pytest.approx(max(min(logit.low, joined.lower(0.025)), 0.0))
    assert high == pytest.approx(min(max(logit.high, joined.upper(0.025)), 1.0))
    area, *heights = (p.value for p in joined.parts)
    (x1, x2) = next(iter(region.values()))
    if "tpr" in region:
        x1, x2 = 1 - x2, 1 - x1

    def value(area, *heights):
        y1, y2 = ends(x1, x2, heights)
        return (area + (1 - x2) * y2 - (1 - x1) * y1) / (y2 - y1)

    at, step = [area, *heights], 1e-6
    if "tpr" in region:
        at[1:] = heights[::-1]
    assert value(*at) == pytest.approx(e.value)
    weights = [p.weight for p in joined.parts]
    if "tpr" in region:
        weights[1:] = weights[:0:-1]
    for i, weight in enumerate(weights):
        moved = [v + step * (i == k) for k, v in enumerate(at)]
        assert (value(*moved) - e.value) / step == pytest.approx(weight, rel=1e-3, abs=1e-4)


def test_a_normalized_area_with_an_added_height_is_extended_as_well():
    y = np.repeat([1, 0], 100)
    s = np.random.default_rng(1).normal(size=200) + 0.3 * y
    e = pauci.estimate(pauci.Sample(y, s), PAUCc(fpr=(0, 0.2), normalized=True))
    joined, logit = e.estimated_ends.limits(e, e.df), e.interval(kind="logit")
    assert joined.parts[1].weight > 0
    assert logit.low < joined.lower(0.025) or logit.high > joined.upper(0.025)
    assert e.interval().low == min(logit.low, joined.lower(0.025))
    assert e.interval().high == max(logit.high, joined.upper(0.025))


def ends(x1, x2, heights):
    """Both heights; those at the corners are known."""
    first = [] if x1 > 0 else [0.0]
    last = [] if x2 < 1 else [1.0]
    return [*first, *heights, *last]


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize("level", [0.6, 0.9, 0.99])
def test_test_and_interval_agree(region, level):
    e = pauci.estimate(drawn((80, 120), "continuous", np.random.default_rng(8)), PAUCc(**region))
    low, high = e.interval(level)
    for end, inside in ((low, 1), (high, -1)):
        if e.scale.low < end < e.scale.high:
            assert e.test(end).pvalue == pytest.approx(1 - level, rel=1e-6)
            step = 1e-4 * (high - low)
            assert e.test(end + inside * step).pvalue > 1 - level
            if e.scale.low < end - inside * step < e.scale.high:
                assert e.test(end - inside * step).pvalue < 1 - level


def test_the_partial_c_has_the_interval_of_the_concordant_area():
    sample = drawn((60, 80), "continuous")
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
def test_other_data_have_logit_limits(options):
    y = np.arange(160) % 2
    scores = np.random.default_rng(2).normal(size=160) + y
    e = pauci.estimate(pauci.Sample(y, scores, **options), PAUCc(fpr=(0, 0.3)))
    assert e.kind_used() == "logit"
    with pytest.raises(ValueError, match="kind='joined' is not available here"):
        e.interval(kind="joined")


@pytest.mark.parametrize("measure", [AUC(), PAUC(fpr=(0, 0.3)), LocalC(fpr=(0, 0.3))], ids=repr)
def test_measures_without_joined_limits(measure):
    e = pauci.estimate(drawn((60, 80), "continuous"), measure)
    assert e.estimated_ends is None
    assert e.kind_used() == "logit"


def test_an_area_without_variance_has_the_limits_of_pairs():
    """All positives exceed all negatives: the area and both heights are at their limits."""
    y = np.repeat([1, 0], [30, 40])
    e = pauci.estimate(pauci.Sample(y, np.arange(70)[::-1]), PAUCc(fpr=(0.1, 0.5)))
    low, high = e.interval()
    assert 0 < low < e.value < high


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.usefixtures("quiet")
def test_frequencies_count_as_rows(region):
    rng = np.random.default_rng(6)
    y, s, f = np.arange(90) % 2, np.round(3 * rng.normal(size=90)), rng.integers(1, 5, 90)
    s += 3 * y
    once = pauci.estimate(pauci.Sample(y, s, frequency=f), PAUCc(**region))
    each = pauci.estimate(pauci.Sample(np.repeat(y, f), np.repeat(s, f)), PAUCc(**region))
    assert once.kind_used() == "joined"
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


def test_an_estimate_with_joined_limits_can_be_pickled():
    e = pauci.estimate(drawn((60, 80), "continuous"), PAUCc(fpr=(0, 0.3)))
    again = pickle.loads(pickle.dumps(e))
    assert isinstance(again.estimated_ends, EstimatedEnds)
    assert again.interval() == e.interval()
