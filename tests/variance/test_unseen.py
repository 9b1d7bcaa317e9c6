"""Rows of z for scores that the sample lacks, and limits near a bound of the range."""

import math

import numpy as np
import pytest
from scipy import stats

import pauci
from pauci.variance import unseen
from pauci.variance.ends import HALF
from pauci.variance.units import Term
from pauci.variance.unseen import changes_by_unseen


def scores(n_pos=30, n_neg=60, shift=1.0, seed=4):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], (n_pos, n_neg))
    return y, rng.normal(size=y.size) + shift * y


def changes(y, s, measure, **options):
    ratings = pauci.Sample(y, s, **options).ratings()
    term = Term(ratings, measure.influence_on(ratings.curve))
    return changes_by_unseen(term, measure, measure.on(ratings.curve))


@pytest.mark.parametrize("label", [1, 0])
def test_precision_changes_by_half_an_observation_above_others(label):
    """Positives score highest, negatives are tied with half of the positives above the others."""
    y, s = scores()
    name, n = ("positives" if label else "negatives"), np.count_nonzero(y == label)
    above = np.sort(s[(y == 1) & (s > s[y == 0].max())])
    at = s.max() + 1.0 if label else above[above.size // 2] if above.size else s.max() + 1.0
    share = HALF / n
    weight = 90.0 * np.append(np.where(y == label, 1.0 - share, 1.0), share * n)
    moved = pauci.Sample(np.append(y, label), np.append(np.minimum(s, at), at), weight=weight)
    value, seen = (pauci.AP().on(x.ratings().curve) for x in (moved, pauci.Sample(y, s)))
    assert changes(y, s, pauci.AP())[name] == pytest.approx(value - seen, rel=1e-9)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("seed", range(3))
def test_few_rows_in_a_range_have_a_factor_and_few_degrees_of_freedom(seed, monkeypatch):
    """k positives are between the 7th and the 25th highest of 60 negatives."""
    y, s = scores(seed=seed)
    high, low = np.sort(s[y == 0])[[-7, -25]]  # 6 and 24 of 60 are above
    k = np.count_nonzero((s[y == 1] > low) & (s[y == 1] < high))
    measure, sample = pauci.LocalC(fpr=(0.1, 0.4)), pauci.Sample(y, s)
    e = pauci.estimate(sample, measure)
    monkeypatch.setattr(pauci.LocalC, "support", lambda *_: math.inf)
    of_many = pauci.estimate(sample, measure)
    assert 3 < k < 20
    assert e.se / of_many.se == pytest.approx(math.sqrt(1 + 1 / k))
    assert e.df == k - 1 < of_many.df


def test_equal_weights_change_nothing():
    y, s = scores()
    assert changes(y, s, pauci.AP(), weight=np.full(y.size, 3.0)) == pytest.approx(
        changes(y, s, pauci.AP())
    )


def test_a_share_of_rows_with_small_weights_is_smaller(monkeypatch):
    y, s = scores(60, 90)
    weight = np.where(s > 1.0, 1.0, 9.0)
    found = changes(y, s, pauci.AP(), weight=weight)
    monkeypatch.setattr(unseen, "_units_at_an_end", lambda ratings, _: ratings.rows.units)
    for name, change in changes(y, s, pauci.AP(), weight=weight).items():
        assert 0.0 < found[name] / change < 0.9


@pytest.mark.parametrize(
    ("measure", "classes"),
    [
        (pauci.AUC(), ["negatives", "positives"]),
        (pauci.Specificity(tpr=0.9), ["positives"]),
        (pauci.PAUCx(tpr=(0.8, 1)), ["positives"]),
        (pauci.Sensitivity(fpr=0.1), ["negatives"]),
        (pauci.PAUC(fpr=(0, 0.2)), ["negatives"]),
        (pauci.PAUCc(threshold=(-1, 4)), ["negatives", "positives"]),
        (pauci.AUK(), []),
    ],
    ids=repr,
)
def test_a_row_with_a_large_weight_is_of_the_class_of_the_axis(measure, classes):
    y, s = scores(shift=1.5)
    rank = s.argsort().argsort()
    found = changes(y, s, measure, weight=np.where((rank < 5) | (rank >= 85), 40.0, 1.0))
    assert set(found) == {f"row among {label}" for label in classes}
    assert all(abs(change) > 0.0 for change in found.values())


def test_an_average_lacks_half_an_observation_of_all_folds():
    y, s = scores(20, 20)
    fold = np.arange(20) % 4
    repeated, rows = np.concatenate([fold, fold, fold + 4, fold + 4]), np.tile(np.arange(40), 2)
    sample = pauci.Sample(y[rows], s[rows], fold=repeated, cluster=rows)
    frame = pauci.estimate(sample, pauci.AP()).influence()
    of_folds = [changes(y[k], s[k], pauci.AP()) for k in (np.tile(fold, 2) == f for f in range(4))]
    for name in ("positives", "negatives"):
        found = [frame.loc[i].item() for i in frame.index if str(i).endswith(f"unseen {name}")]
        expected = np.mean([c[name] for c in of_folds]) / 4.0
        assert found == pytest.approx([expected])


@pytest.mark.usefixtures("quiet")
def test_limits_near_a_bound_are_those_of_pairs_and_ends():
    """The margin of 40 binomial observations and that of a moved end are combined as squares."""
    y, s = scores(40, 60, 2.5, 1)
    e = pauci.estimate(pauci.Sample(y, s), pauci.Sensitivity(fpr=0.1))
    misses = 40.0 * (1.0 - e.value)
    assert 0.0 < misses < 5.0
    pairs = stats.beta.ppf(0.025, 40.0 - misses, misses + 1.0)
    error, q = e.limits.error, stats.t.isf(0.025, e.df)
    margin = np.hypot(e.value - pairs, q * error.of_others)
    below = q * np.hypot(error.se, np.sqrt(error.reach[0]))
    log_odds = np.log(e.value / (1.0 - e.value)) - below
    assert e.interval().low == pytest.approx(
        max(e.value - margin, 1.0 / (1.0 + np.exp(-log_odds))), rel=1e-5
    )
    low, high = e.interval()
    for null in (low, high):
        if 0.0 < null < 1.0:
            assert e.test(null=null).pvalue == pytest.approx(0.05, rel=1e-6)


@pytest.mark.usefixtures("quiet")
def test_limits_of_a_value_at_a_bound_reach_a_mode_beyond_the_end():
    """The sensitivity is 0 before the mode of seven negatives, and 1 after it."""
    s = np.concatenate((np.linspace(1, 2, 40), np.linspace(3, 4, 7), np.linspace(-1, 0, 53)))
    e = pauci.estimate(pauci.Sample(np.repeat([1, 0], [40, 60]), s), pauci.Sensitivity(fpr=0.1))
    assert e.value == 0.0
    assert e.interval().high > 0.95
