"""Attributes of averages over folds, from the definitions: bias, df, support, cautions.

Folds have different sizes, so that the sum, mean, minimum and maximum over folds all differ.
"""

import math
import warnings

import numpy as np
import pytest
from scipy.stats import norm

import pauci
from pauci.intervals.mid_p import MidP
from reference import areas, auc

SIZES = ((6, 9), (8, 14), (11, 7))
PART = pauci.PAUC(fpr=(0, 0.4))

pytestmark = pytest.mark.filterwarnings(
    "ignore::pauci.errors.SmallRegionWarning",
    "ignore::pauci.errors.DegenerateWarning",
)


def folds_of(sizes=SIZES, seed=1, shift=1.2):
    """Return labels, scores and folds, with different class sizes in the folds."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat([1, 0], size) for size in sizes])
    fold = np.repeat(np.arange(len(sizes)), [sum(size) for size in sizes])
    return y, shift * y + rng.normal(size=y.size) + 4.0 * fold, fold


def partial_area(y, s):
    """The area up to FPR 0.4 from the definition, a fraction."""
    return float(areas(y.tolist(), s.tolist(), "fpr", 0.0, 0.4)[0])


def jackknife_bias(y, s, value):
    """Return the bias by leaving out rows of each class: sum of (n - 1) (mean - value)."""
    bias, whole = 0.0, value(y, s)
    for label in (0, 1):
        rows = np.flatnonzero(y == label)
        without = [value(np.delete(y, i), np.delete(s, i)) for i in rows]
        bias += (rows.size - 1) * (np.mean(without) - whole)
    return bias


def test_the_bias_of_an_average_is_the_mean_of_those_within_folds():
    y, s, fold = folds_of()
    biases = [jackknife_bias(y[fold == k], s[fold == k], partial_area) for k in range(3)]
    found = pauci.estimate(pauci.Sample(y, s, fold=fold), PART, variance=pauci.Jackknife())
    assert abs(np.mean(biases)) > 1e-4
    assert found.bias == pytest.approx(np.mean(biases), rel=1e-9)


def test_the_bias_of_a_bootstrap_is_that_of_its_averages():
    y, s, fold = folds_of()
    sample = pauci.Sample(y, s, fold=fold)
    found = pauci.estimate(sample, PART, variance=pauci.Bootstrap(200, rng=1))
    value = np.mean([partial_area(y[fold == k], s[fold == k]) for k in range(3)])
    assert found.bias == pytest.approx(found.resampled.replicates.mean() - value, rel=1e-9)


def test_degrees_of_freedom_are_limited_by_the_clusters_of_the_smaller_class_in_each_fold():
    """All positives of a fold have one score: the variance comes from many negatives alone.

    The limits of the folds are combined by the formula of Welch.
    """
    folds, n_pos, n_neg = 3, 12, 60
    y = np.tile(np.repeat([1, 0], [n_pos, n_neg]), folds)
    fold = np.repeat(np.arange(folds), n_pos + n_neg)
    rng = np.random.default_rng(3)
    s = np.where(y == 1, 0.8, rng.normal(size=y.size))
    cluster = np.arange(y.size)
    cluster[y == 1] = y.size + np.arange(folds * n_pos) // 2  # six clusters of two in each fold
    found = pauci.estimate(pauci.Sample(y, s, fold=fold, cluster=cluster), pauci.AUC())
    own = []
    for k in range(folds):
        wins = (s[(fold == k) & (y == 0)] < 0.8).astype(float)
        own.append(wins.var(ddof=1) / n_neg)
    assert found.se == pytest.approx(math.sqrt(sum(own)) / folds, rel=1e-9)
    limit = sum(own) ** 2 / sum(v**2 / (6 - 1) for v in own)
    assert found.df == pytest.approx(limit, rel=1e-9)
    assert 6 - 1 < found.df < found.rows.cluster_df == 3 * 6 - 1


def test_observations_inside_are_those_of_all_folds():
    """A local c of a range of scores depends on the smaller class inside, in each fold."""
    y, s, fold = folds_of(((9, 14), (12, 10), (10, 16)))
    s = s - 4.0 * fold  # one range of scores for all folds
    low, high = -0.2, 1.6
    counts = [
        [int(((y == label) & (fold == k) & (s >= low) & (s < high)).sum()) for label in (1, 0)]
        for k in range(3)
    ]
    measure = pauci.LocalC(threshold=(low, high))
    found = pauci.estimate(pauci.Sample(y, s, fold=fold), measure)
    assert found.support == sum(min(pair) for pair in counts)
    assert len({min(pair) for pair in counts}) > 1
    assert (found.region.n_pos, found.region.n_neg) == tuple(np.sum(counts, axis=0))
    within = []
    for k in range(3):
        inside = (fold == k) & (s >= low) & (s < high)
        within.append(float(auc(y[inside].tolist(), s[inside].tolist())))
    assert found.value == pytest.approx(np.mean(within), rel=1e-12)


def test_the_effective_size_is_that_of_the_fold_with_fewest():
    """k = n0 p / (1 - p) of average precision at a prevalence p."""
    y, s, fold = folds_of(((30, 90), (40, 120), (20, 150)))
    measure = pauci.AP(prevalence=0.25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        found = pauci.estimate(pauci.Sample(y, s, fold=fold), measure)
    assert found.effective_size == pytest.approx(90 / 3, rel=1e-12)


@pytest.mark.parametrize("measure", [pauci.AUK(), PART], ids=repr)
def test_the_bounds_of_an_average_are_the_average_bounds(measure):
    """The bounds are the averages of the bounds of the folds at their prevalences."""
    y, s, fold = folds_of(((10, 30), (30, 20), (15, 16)))
    found = pauci.estimate(pauci.Sample(y, s, fold=fold), measure)
    ends = []
    for k in range(3):
        labels = y[fold == k]
        noise = np.linspace(0.0, 0.5, labels.size)  # no ties, as in the scores
        separated = (pauci.Sample(labels, sign * labels + noise).ratings() for sign in (-1, 1))
        ends.append([measure.on(r.curve) for r in separated])
    assert found.bounds == pytest.approx(tuple(np.mean(ends, axis=0)), rel=1e-9)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_the_acceleration_of_an_average_is_that_of_all_its_rows():
    """z of a row is its placement less the AUC, over n of its class, sqrt(n / (n - 1)) and K."""
    y, s, fold = folds_of(((6, 30), (9, 25), (8, 40)), shift=2.0)
    found = pauci.estimate(
        pauci.Sample(y, s, fold=fold), pauci.AUC(), variance=pauci.Bootstrap(99, rng=1)
    )
    z = []
    for k in range(3):
        pos, neg = (s[(fold == k) & (y == label)] for label in (1, 0))
        wins = pos[:, None] > neg
        for part in (wins.mean(axis=1), -wins.mean(axis=0)):
            rest = np.abs(part) - wins.mean()
            z.extend(rest / np.sqrt(part.size * (part.size - 1.0)) / 3)
    z = np.array(z)
    expected = (z**3).sum() / (6 * (z**2).sum() ** 1.5)
    moments = found.resampled.moments
    assert moments.second == pytest.approx((z**2).sum(), rel=1e-9)
    assert moments.third / (6 * moments.second**1.5) == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_the_interval_is_that_of_the_average():
    """Intervals of single folds near 1 do not affect that of the average."""
    measure = pauci.AUC()
    rng = np.random.default_rng(6)
    labels, fold = np.arange(120) % 2, np.arange(120) // 30
    scores = rng.standard_normal(120) + np.array([3.0, 0.8, 0.8, 0.8])[fold] * labels
    first = fold == 0
    alone = pauci.estimate(pauci.Sample(labels[first], scores[first]), measure)
    assert alone.binormal_se
    e = pauci.estimate(pauci.Sample(labels, scores, fold=fold), measure)
    low, high = e.interval()
    at = np.log([low / (1 - low), e.value / (1 - e.value), high / (1 - high)])
    assert e.kind_used() == "logit"
    assert at[2] - at[1] == pytest.approx(at[1] - at[0])
    assert low < e.value < high


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("kind", [pauci.Sensitivity, pauci.Specificity, pauci.Accuracy])
def test_an_average_of_proportions_has_the_limits_of_its_rows(kind):
    rng = np.random.default_rng(7)
    labels, fold = np.arange(120) % 2, np.arange(120) // 30
    scores = rng.standard_normal(120) + labels
    one, measure = pauci.Sample(labels, scores), kind(threshold=0.6)
    folds = pauci.Sample(labels, scores, fold=fold)
    of_rows, average = (pauci.estimate(s, measure) for s in (one, folds))
    assert average.value == pytest.approx(of_rows.value)
    assert average.kind_used() == "mid-p"
    # The design effect is the variance of the average relative to that of independent rows.
    n = {"accuracy": 120}.get(kind.key, 60)
    near = (n * average.value + 1.0) / (n + 2.0)
    v = near * (1.0 - near) / (n - 1.0)
    v0 = average.value * (1.0 - average.value) / (n - 1.0)
    effect = max(1.0, (average.se**2 + v - v0) / v)
    expected = MidP(average.value * n / effect, n / effect)
    for level in (0.8, 0.95):
        tail = 0.5 * (1.0 - level)
        ends = expected.lower(tail), expected.upper(tail)
        assert average.interval(level) == pytest.approx(ends, rel=1e-12)
    conservative = pauci.estimate(folds, measure, conservative=True)
    ratio = np.ptp(conservative.interval()) / np.ptp(average.interval())
    assert ratio == pytest.approx(np.sqrt(2.0), rel=0.1)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_repetitions_do_not_narrow_the_limits_of_a_perfect_proportion():
    labels, row = np.arange(60) % 2, np.tile(np.arange(60), 3)
    rng = np.random.default_rng(8)
    fold = np.concatenate([10 * r + rng.permutation(60) % 3 for r in range(3)])
    scores = np.tile(rng.uniform(size=60) + labels, 3)
    sample = pauci.Sample(np.tile(labels, 3), scores, fold=fold, cluster=row)
    e = pauci.estimate(sample, pauci.Sensitivity(threshold=0.5))
    alone = pauci.estimate(pauci.Sample(labels, scores[:60]), pauci.Sensitivity(threshold=0.5))
    assert (e.value, e.kind_used()) == (1.0, "mid-p")
    assert e.interval() == pytest.approx(alone.interval())


OTHER_LIMITS = [
    pauci.F(threshold=0.6),
    pauci.PPV(threshold=0.6, prevalence=0.2),
    pauci.Kappa(threshold=0.6),
]
"""Measures with limits that are not those of a proportion at a given threshold."""


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize(
    "measure",
    [
        OTHER_LIMITS[0],
        *(pytest.param(m, marks=pytest.mark.long) for m in OTHER_LIMITS[1:]),
    ],
    ids=repr,
)
def test_other_averages_have_the_limits_of_a_profile_over_the_folds(measure):
    """Deviates of independent folds are proportional to the distances from their limits."""
    y, s, fold = folds_of(((20, 30), (25, 40), (18, 26)), shift=1.4)
    average = pauci.estimate(pauci.Sample(y, s, fold=fold), measure)
    parts = [pauci.estimate(pauci.Sample(y[fold == k], s[fold == k]), measure) for k in range(3)]
    assert average.kind_used() == parts[0].kind_used() != "logit"
    for level in (0.8, 0.95):
        critical = norm.isf(0.5 * (1.0 - level))
        for side in (0, 1):
            distances = np.array([abs(e.interval(level)[side] - e.value) for e in parts])
            deviates = critical * distances / np.sqrt((distances**2).sum())
            tails = norm.sf(deviates).tolist()
            ends = [e.binomial.ends for e in parts]
            limits = [(e.lower, e.upper)[side](t) for e, t in zip(ends, tails, strict=True)]
            expected = np.mean(limits)
            assert average.interval(level)[side] == pytest.approx(expected, rel=1e-9)
    low, _ = average.interval()
    assert average.test(low).pvalue == pytest.approx(0.05)
    conservative = pauci.estimate(pauci.Sample(y, s, fold=fold), measure, conservative=True)
    ratio = np.ptp(conservative.interval()) / np.ptp(average.interval())
    assert ratio == pytest.approx(np.sqrt(2.0), rel=0.15)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("measure", OTHER_LIMITS[:1] + OTHER_LIMITS[3:], ids=repr)
@pytest.mark.parametrize("shift", [1.4, 9.0])
def test_repetitions_do_not_narrow_other_limits(measure, shift):
    """The same folds three times, also if they have no variance, have the limits of one time."""
    y, s, fold = folds_of(((20, 30), (25, 40), (18, 26)), shift=shift)
    once = pauci.estimate(pauci.Sample(y, s, fold=fold), measure)
    repeats = np.repeat([0, 10, 20], y.size)
    cluster = np.tile(np.arange(y.size), 3)
    sample = pauci.Sample(
        np.tile(y, 3), np.tile(s, 3), fold=np.tile(fold, 3) + repeats, cluster=cluster
    )
    e = pauci.estimate(sample, measure)
    assert e.value == pytest.approx(once.value)
    # Limits that are based on the standard error have its factor for the number of units.
    close = {"rel": 1e-3} if e.kind_used() == "profile" else {"abs": 0.02 * np.ptp(once.interval())}
    assert e.interval() == pytest.approx(once.interval(), **close)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("measure", [OTHER_LIMITS[0], OTHER_LIMITS[1]], ids=repr)
def test_clusters_in_several_folds_widen_the_limits(measure):
    """Rows that occur twice in a fold count once."""
    y, s, fold = folds_of(((20, 30), (25, 40), (18, 26)), shift=1.4)
    other = np.where(np.arange(y.size) == 0, 2 - fold, fold)  # one copy is in another fold
    cluster = np.tile(np.arange(y.size), 2)
    twice = {"fold": np.concatenate((fold, other)), "cluster": cluster}
    e = pauci.estimate(pauci.Sample(np.tile(y, 2), np.tile(s, 2), **twice), measure)
    once = pauci.estimate(pauci.Sample(y, s, fold=fold), measure)
    assert np.ptp(e.interval()) > 0.9 * np.ptp(once.interval())
