"""Pseudo-observations: one more observation at each level of an estimated end that has few."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pauci
from derivatives import difference_quotient
from makers import normal_scores
from pauci.intervals import analytic
from pauci.measures import AUC, PAUC, LocalC, PAUCc, PAUCx
from pauci.measures.influence import End
from pauci.variance.influence_covariance import covariance
from pauci.variance.joint import pseudo_variance
from pauci.variance.units import Problem

pytestmark = pytest.mark.usefixtures("quiet")

# The area V below a piece of the curve over an FPR region is known, its two heights are not.
VALUES = {
    PAUCc: lambda v, x1, x2, y1, y2: v + ((1 - x2) * y2 - (1 - x1) * y1) / 2,
    PAUCx: lambda v, x1, x2, y1, y2: v + (1 - x2) * y2 - (1 - x1) * y1,
    LocalC: lambda v, x1, x2, y1, y2: (v - y1 * (x2 - x1)) / ((x2 - x1) * (y2 - y1)),
}
REGIONS = [(0, 0.1), (0, 0.33), (0.2, 0.25), (0.3, 0.7), (0.5, 1)]
MIRRORED = {PAUC: PAUCx, PAUCx: PAUC, PAUCc: PAUCc, LocalC: LocalC}


def few_beyond(seed, n_pos=15, n_neg=37):
    """Return data with few positives beyond the ends; no FPR of the regions is a corner."""
    return normal_scores(n_pos, n_neg, seed, shift=2.0)


def seen(sample, *measures):
    """Return the covariance without pseudo-observations."""
    pairs = [(sample.ratings(name), m) for name in sample.names for m in measures]
    ratings, targets = zip(*pairs, strict=True)
    return covariance(sample.rows, Problem(ratings, targets).all_terms)


def by_one_more_at_each_level(y, s, cls, region, **options):
    """Return the formula of the module, with rows counted on both sides of the ends."""
    pos, neg = s[y == 1], np.sort(s[y == 0])[::-1]
    n = pos.size
    at = [None if x in (0, 1) else neg[int(x * neg.size)] for x in region]
    before = [np.full(n, x == 1) if a is None else pos > a for x, a in zip(region, at, strict=True)]
    heights = np.array([b.mean() for b in before])
    area = PAUC(fpr=region).on(pauci.Sample(y, s).ratings().curve)
    normalized = options.get("normalized", False)

    def value(y1, y2):
        x1, x2 = region
        result = VALUES[cls](area, x1, x2, y1, y2)
        horizontal = {PAUCc: 0.5, PAUCx: 1.0}.get(cls, 0.0)
        length = (1 - horizontal) * (x2 - x1) + horizontal * (y2 - y1)
        return result / length if normalized else result

    by = [difference_quotient(lambda h, d=d: value(*(heights + h * d))) for d in np.eye(2)]
    by = [0.0 if x in (0, 1) else b for x, b in zip(region, by, strict=True)]
    u = by[0] * before[0] + by[1] * before[1]
    added = 0.0
    levels = [(True, True)] * (region[0] > 0) + [(False, True)] + [(False, False)] * (region[1] < 1)
    for inside_1, inside_2 in levels:
        here = sum((before[0] == inside_1) & (before[1] == inside_2))
        level = by[0] * inside_1 + by[1] * inside_2
        share = max(1 - here / 5, 0)
        added += share * (level - u.mean()) ** 2 / (n * (n + 1))
    return added


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (PAUCc, {}),
        (PAUCx, {}),
        (LocalC, {}),
        (PAUCx, {"normalized": True}),
        (PAUCc, {"normalized": True}),
    ],
)
def test_the_variance_has_one_pseudo_observation_per_level(cls, options, region, seed):
    y, s = few_beyond(seed)
    sample, m = pauci.Sample(y, s), cls(fpr=region, **options)
    try:
        e = pauci.estimate(sample, m)
    except pauci.UndefinedError:  # no positive in the region
        assert cls is LocalC or options
        return
    added = by_one_more_at_each_level(y, s, cls, region, **options)
    assert e.se**2 == pytest.approx(seen(sample, m)[0, 0] + added, rel=1e-7)
    # A table of counts has the same levels.
    delta = pauci.estimate(sample, m, variance="delta")
    part, of_delta = e.se**2 - added, delta.se**2 - added
    rounding = 1e-9 * part + 1e-12
    assert 14 / 15 * part - rounding <= of_delta <= 36 / 37 * part + rounding


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("cls", MIRRORED)
def test_pseudo_variances_are_the_same_with_exchanged_classes(cls, region):
    """With classes swapped and scores negated, FPR (a, b) becomes TPR (1 - b, 1 - a)."""
    y, s = few_beyond(3)
    low, high = region
    straight = PAUC(fpr=region) if cls is PAUC else cls(fpr=region)
    mirrored = MIRRORED[cls](tpr=(1 - high, 1 - low))
    try:
        a = pauci.estimate(pauci.Sample(y, s), straight)
    except pauci.UndefinedError:
        with pytest.raises(pauci.UndefinedError):
            pauci.estimate(pauci.Sample(1 - y, -s), mirrored)
        return
    b = pauci.estimate(pauci.Sample(1 - y, -s), mirrored)
    assert b.value == pytest.approx(a.value, abs=1e-13)
    assert b.se == pytest.approx(a.se, rel=1e-9)
    assert (a.se > np.sqrt(seen(pauci.Sample(y, s), straight)[0, 0])) == (cls is not PAUC)


def test_five_at_each_level_are_enough():
    """Positives at each level of FPR 0.2 to 0.6: at 5 nothing is added, at 4 a fifth."""
    m = PAUCc(fpr=(0.2, 0.6))
    negatives = np.arange(100.0)[::-1]
    for counts in ([5, 5, 5], [4, 20, 20], [20, 4, 20], [20, 9, 4], [20, 9, 0]):
        s = np.r_[np.repeat([89.5, 59.5, 19.5], counts), negatives]
        y = np.r_[np.ones(sum(counts)), np.zeros(100)]
        sample = pauci.Sample(y, s)
        n, shares = sum(counts), np.array(counts) / sum(counts)
        # V counts all; the TPR at 0.6 has factor 0.4/2, that at 0.2 has -0.8/2.
        levels = np.array([0.2 - 0.4, 0.2, 0.0])
        lacking = np.maximum(1 - np.array(counts) / 5, 0)
        expected = lacking @ (levels - levels @ shares) ** 2 / (n * (n + 1))
        added = pauci.estimate(sample, m).se ** 2 - seen(sample, m)[0, 0]
        assert added == pytest.approx(expected, rel=1e-9, abs=1e-18)
        assert (added > 1e-12) == (min(counts) < 5)


@given(st.integers(0, 10**6), st.integers(6, 30), st.sampled_from([0.13, 0.3, 0.5, 0.77]))
@pytest.mark.usefixtures("quiet")
def test_areas_over_adjacent_regions_add_up_to_the_auc_with_its_error(seed, n_pos, cut):
    """The common end cancels in the sum, so there are no pseudo-observations."""
    sample = pauci.Sample(*few_beyond(seed, n_pos))
    auc = pauci.estimate(sample, AUC())
    for cls in (PAUCc, PAUC, PAUCx):
        parts = cls(fpr=(0, cut)), cls(fpr=(cut, 1))
        whole = pauci.estimate(sample, parts[0] + parts[1])
        assert whole.value == pytest.approx(auc.value, abs=1e-13)
        assert whole.se == pytest.approx(auc.se, rel=1e-10, abs=1e-13)


@given(st.integers(0, 10**6), st.integers(4, 20), st.integers(4, 20))
@pytest.mark.usefixtures("quiet")
def test_several_at_once_have_a_covariance_matrix(seed, n_pos, n_neg):
    """Pseudo-observations of one classifier are correlated; those of two are not."""
    y, first = normal_scores(n_pos, n_neg, seed, shift=2.0)
    _, second = normal_scores(n_pos, n_neg, seed + 1, shift=1.0)
    sample = pauci.Sample(y, {"a": first, "b": first + second})
    measures = [PAUCc(fpr=(0, 0.23)), PAUCc(tpr=(0.61, 1)), AUC(), PAUCx(fpr=(0.23, 0.57))]
    before, es = seen(sample, *measures), pauci.estimate(sample, measures)
    scale = np.sqrt(np.outer(es.cov.diagonal(), es.cov.diagonal())) + 1e-300
    assert np.linalg.eigvalsh(es.cov / scale).min() > -1e-10
    added = es.cov.diagonal() - before.diagonal()
    assert (added >= -1e-15).all()
    assert es.cov[:4, 4:] == pytest.approx(before[:4, 4:], abs=1e-13)
    for one in (slice(0, 4), slice(4, 8)):
        spread = np.sqrt(before[one, one].diagonal())
        correlated = np.flatnonzero(spread > 1e-12)
        part = before[one, one][np.ix_(correlated, correlated)]
        part = part / np.outer(spread, spread)[np.ix_(correlated, correlated)]
        root = np.sqrt(np.maximum(added[one][correlated], 0))
        gained = (es.cov - before)[one, one][np.ix_(correlated, correlated)]
        assert gained == pytest.approx(part * np.outer(root, root), abs=1e-9)


def test_pseudo_variances_do_not_depend_on_copies_order_or_scale():
    y, s = few_beyond(5)
    rng = np.random.default_rng(1)
    k = rng.integers(1, 3, y.size)
    order = rng.permutation(y.size)
    for m in (PAUCc(fpr=(0, 0.3)), PAUCc(tpr=(0.4, 0.7)), LocalC(threshold=(0.5, 3.0))):
        e = pauci.estimate(pauci.Sample(y, s), m)
        assert e.se**2 > seen(pauci.Sample(y, s), m)[0, 0] * 1.001
        moved = pauci.estimate(pauci.Sample(y[order], s[order]), m)
        assert (moved.value, moved.se) == (e.value, e.se)
        counted = pauci.estimate(pauci.Sample(y, s, frequency=k), m)
        copied = pauci.estimate(pauci.Sample(np.repeat(y, k), np.repeat(s, k)), m)
        assert counted.se == pytest.approx(copied.se, rel=1e-12)
        assert counted.df == pytest.approx(copied.df, rel=1e-9)


@pytest.mark.parametrize(("low", "high"), [(0.5, 1.5), (-3.0, 0.0), (1.0, 9.0)])
def test_a_local_c_depends_on_the_smaller_class_inside(low, high):
    """The error is multiplied by sqrt((k + 1)/k), with at most k - 1 degrees of freedom."""
    y, s = normal_scores(40, 25, 6)
    sample, m = pauci.Sample(y, s), LocalC(threshold=(low, high))
    inside = (s >= low) & (s < high)
    k = min(inside[y == 1].sum(), inside[y == 0].sum())
    assert k > 2
    e = pauci.estimate(sample, m)
    assert e.support == pytest.approx(k, rel=1e-12)
    assert e.se**2 == pytest.approx(seen(sample, m)[0, 0] * (k + 1) / k, rel=1e-12)
    assert e.df <= k - 1 + 1e-9
    assert e.to_frame()["df"].item() == e.df
    other = pauci.Sample(y, {"a": s, "b": s + normal_scores(40, 25, 7)[1]})
    c = pauci.compare(other, m)
    assert c.df <= min(e.support for e in c.estimates) - 1
    whole = pauci.estimate(sample, LocalC(fpr=(0.1, 0.6)))
    assert whole.support == np.inf


def steep(rng, n=200):
    """Return scores of a curve that is steep at TPR 0.4, where the FPR of the ends varies."""
    return np.concatenate([rng.normal(1.9, 1.8, n), rng.normal(size=n)])


def test_intervals_are_not_narrower_than_the_error_of_the_observations():
    """The error of the estimated ends can exceed that of binomial pairs."""
    rng, y, checked = np.random.default_rng(1), np.repeat([1, 0], 200), 0
    for _ in range(20):
        sample, measure = pauci.Sample(y, steep(rng)), pauci.PAUC(tpr=(0.4, 0.7))
        e = pauci.estimate(sample, measure, variance="delta")
        if not e.pseudo_variance:
            continue
        checked += 1
        observed = math.sqrt(e.se**2 - e.pseudo_variance)
        low, high = e.interval()
        full = analytic.interval(analytic.Logit(e.value, e.se, *e.scale), 0.95)
        margin = observed * stats.norm.isf(0.025)
        assert low <= max(e.value - margin, full.low) + 1e-12
        assert high >= min(e.value + margin, full.high) - 1e-12
    assert checked > 10


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(-3, 3)), min_size=1, max_size=4),
    st.integers(9, 20),
    st.randoms(),
)
def test_levels_of_ends_that_are_bounded_in_different_ways(ends, n, random):
    """By counting observations; bounds in ranks and in rates are not in the order of the ends."""
    bounds = random.sample(range(1, 99), len(ends))
    given_ends = [
        End("fpr", Fraction(b, 99), before / n, float(factor))
        for b, (before, factor) in zip(bounds, ends, strict=True)
    ]
    # By rank of the observation: the sum of the factors of the ends that it is before.
    u = np.array([sum(f for before, f in ends if i < before) for i in range(n)])
    expected, places = 0.0, [0, *sorted(before for before, _ in ends), n]
    order = sorted(range(len(ends)), key=lambda k: (ends[k][0], bounds[k]))
    for k, (first, last) in enumerate(pairwise(places)):
        level = sum(ends[j][1] for j in order[k:])
        expected += max(1 - (last - first) / 5, 0) * (level - u.mean()) ** 2 / (n * (n + 1))
    assert pseudo_variance(given_ends, float(n)) == pytest.approx(expected, rel=1e-9, abs=1e-12)
