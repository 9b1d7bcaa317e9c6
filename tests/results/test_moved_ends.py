"""Intervals that are extended to the values with moved ends of the region."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

import pauci
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.errors import UndefinedError
from pauci.intervals.extended import extended
from pauci.results.moved_ends import MovedEnds, MovedLimits, _moves

MEASURES = [
    pauci.PAUC(fpr=(0, 0.2)),
    pauci.PAUC(fpr=(0.25, 0.6)),
    pauci.PAUCx(tpr=(0.7, 1)),
    pauci.PAUCx(tpr=(0.3, 0.8)),
    pauci.PAUCc(fpr=(0, 0.3)),
    pauci.PAUCc(fpr=(0.2, 1)),
    pauci.PAUCc(tpr=(0.4, 0.7)),
    pauci.PAUC(tpr=(0, 0.6), normalized=True),
    pauci.PAUCx(fpr=(0.1, 0.4), normalized=True),
    pauci.LocalC(fpr=(0.3, 0.7)),
    pauci.LocalC(tpr=(0.3, 0.7)),
    pauci.SPA(fpr=(0, 0.2)),
    pauci.PAI(tpr=0.6),
    pauci.PartialC(fpr=(0.1, 0.5)),
    pauci.PAUCc(fpr=(0, 0.2)) / pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.1)) / pauci.PAUC(fpr=(0, 0.4)),
    pauci.PAUC(fpr=(0, 0.1)) - pauci.PAUC(fpr=(0.1, 0.4)),
]


def rows(step=None, sizes=(40, 50), seed=4):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    s = rng.normal(size=y.size) + 1.1 * y
    return y, s if step is None else np.round(s / step)


def drawn(step=None, sizes=(40, 50)):
    return pauci.Sample(*rows(step, sizes))


def positions_of(moved):
    """The positions of the ends, of shape (deviates, moves, ends)."""
    distinct, which = _moves(tuple(float(r) for r in moved.rates), moved._size)
    return distinct.T[which]


def with_outliers(seed=1, sizes=(80, 80)):
    """A tenth of the negatives score higher than all positives, so that R(0.1) is 0."""
    rng = np.random.default_rng(seed)
    negatives = rng.normal(size=sizes[1]) + 8.0 * (rng.random(sizes[1]) < 0.1)
    scores = np.concatenate((rng.normal(size=sizes[0]) + 1.5, negatives))
    return pauci.Sample(np.repeat([1, 0], sizes), scores)


def on_stretched_curve(curve, measure, axis, known, positions):
    """The value on the curve with a knot at each position, which is moved to the known rate."""
    along, across = (curve.fpr, curve.tpr) if axis == "fpr" else (curve.tpr, curve.fpr)
    heights = np.interp(positions, along, across)
    at = np.searchsorted(along, positions)
    along, across = np.insert(along, at, positions), np.insert(across, at, heights)
    along = np.interp(along, [0, *positions, 1], [0, *known, 1])
    fpr, tpr = (along, across) if axis == "fpr" else (across, along)
    rows = curve.table.rows_pos, curve.table.rows_neg
    table = CountTable(np.arange(fpr.size - 1)[::-1], tpr, fpr, *rows)
    return measure.on(Curve(table))


@pytest.mark.parametrize("step", [None, 0.3, 1.0])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_values_are_those_on_stretched_curves(measure, step):
    curve = drawn(step).ratings().curve
    moved = MovedEnds.of(curve, measure)
    known = [float(r) for r in moved.rates]
    for deviate in (4, 19, 39):
        found = zip(positions_of(moved)[deviate], moved._values[deviate], strict=True)
        for positions, value in found:
            try:
                expected = on_stretched_curve(curve, measure, moved.axis, known, positions)
            except UndefinedError:
                assert np.isnan(value)
                continue
            assert value == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("count", [3, 8, 14])
def test_values_are_those_of_a_weighted_sample(count):
    """Negatives above a score and below it have weights with which the FPR at the score is x."""
    (y, s), measure = rows(), pauci.PAUCc(fpr=(0, 0.2)) / pauci.AUC()
    above = np.sort(s[y == 0])[::-1][count - 1]
    share = count / 50
    weight = np.where(s >= above, 0.2 / share, 0.8 / (1 - share))
    weighted = pauci.estimate(pauci.Sample(y, s, weight=np.where(y == 1, 1.0, weight)), measure)
    moved = MovedEnds.of(drawn().ratings().curve, measure)
    near = np.abs(positions_of(moved)[..., 0] - share) * 50 < 0.01
    assert near.any()
    lowest, highest = (f(moved._values[near]) for f in (np.min, np.max))
    assert lowest - 1e-5 <= weighted.value <= highest + 1e-5


def test_positions_are_quantiles_of_binomial_proportions():
    from scipy import stats

    moved = MovedEnds.of(drawn(sizes=(40, 400)).ratings().curve, pauci.PAUC(fpr=(0, 0.1)))
    for deviate, row in ((9, 1.0), (19, 2.0), (29, 3.0)):
        counts = np.round(positions_of(moved)[deviate, :, 0] * 400)
        quantiles = stats.binom(400, 0.1).ppf(stats.norm.cdf([-row, row]))
        assert np.abs(np.unique(counts) - quantiles).max() <= 1


def test_an_interval_reaches_the_value_if_the_curve_jumps_at_the_end():
    sample = with_outliers()
    e = pauci.estimate(sample, pauci.PAUC(fpr=(0, 0.1)))
    assert e.value > 0.0
    without = replace(e, limits=None).interval()
    assert without.low > 1e-6
    assert e.interval().low <= 1e-9
    assert e.interval().high >= without.high


def test_coverage_at_a_jump():
    """Without moved ends, most samples with fewer than a tenth of outliers miss the value."""
    score = np.linspace(20.0, -10.0, 30_001)
    fpr = 0.9 * ndtr(-score) + 0.1 * ndtr(8.0 - score)
    tpr = ndtr(1.5 - score)
    for rates in (fpr, tpr):
        rates[0], rates[-1] = 0.0, 1.0
    measure = pauci.PAUCc(fpr=(0, 0.1), normalized=True)
    true = measure.on(Curve(CountTable(score[1:], tpr, fpr, 1, 1)))
    covered = covered_without = 0
    for seed in range(60):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pauci.PauciWarning)
            e = pauci.estimate(with_outliers(seed), measure)
        covered += e.interval().low <= true <= e.interval().high
        low, high = replace(e, limits=None).interval()
        covered_without += low <= true <= high
    assert covered_without < 0.8 * 60
    assert covered >= 0.9 * 60


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.9999])
@pytest.mark.parametrize(
    "measure",
    [pauci.PAUC(fpr=(0, 0.1)), pauci.PAUCc(fpr=(0, 0.1)), pauci.PAUCc(fpr=(0, 0.1)) / pauci.AUC()],
    ids=repr,
)
def test_tests_agree_with_extended_intervals(measure, level):
    e = pauci.estimate(with_outliers(), measure)
    low, high = e.interval(level)
    for end, inwards in ((low, 1), (high, -1)):
        step = 1e-6 * (high - low)
        if e.scale.low <= end - inwards * step <= e.scale.high:
            assert e.test(end + inwards * step).pvalue >= 1 - level
            assert e.test(end - inwards * step).pvalue <= 1 - level + 1e-9


def test_the_statistic_belongs_to_the_pvalue():
    from scipy import stats

    e = pauci.estimate(with_outliers(), pauci.PAUC(fpr=(0, 0.1)))
    test = e.test(1e-5)
    assert test.pvalue == pytest.approx(2 * stats.t.sf(abs(test.statistic), test.df), rel=1e-6)
    assert test.statistic > 0.0
    assert test.pvalue > replace(e, limits=None).test(1e-5).pvalue


def test_margins_do_not_decrease_with_the_level():
    e = pauci.estimate(with_outliers(), pauci.PAUCc(fpr=(0, 0.1)))
    ends = [e.interval(level) for level in np.linspace(0.51, 0.9999, 60).tolist()]
    assert (np.diff([i.low for i in ends]) <= 1e-12).all()
    assert (np.diff([i.high for i in ends]) >= -1e-12).all()


def test_undefined_values_extend_the_limits_to_the_range():
    e = pauci.estimate(drawn(sizes=(30, 12)), pauci.LocalC(tpr=(0.4, 0.6)))
    margins = e.limits.limits(e.value, e.scale).margins
    assert np.isnan(e.limits._values).any()
    assert margins[0, -1] == pytest.approx(e.value)
    assert margins[1, -1] == pytest.approx(1.0 - e.value)


@pytest.mark.parametrize(
    "measure",
    [
        pauci.AUC(),
        pauci.AP(),
        pauci.AUK(),
        pauci.Sensitivity(fpr=0.1),
        pauci.PAUCc(fpr=(0, 0.3), tpr=(0.4, 1)),
        pauci.PAUC(threshold=(0, 1)),
        pauci.PAUC(fpr=(0, 0.3)) / pauci.PAUCx(tpr=(0.3, 1)),
    ],
    ids=repr,
)
def test_other_measures_have_no_moved_ends(measure):
    assert not isinstance(pauci.estimate(drawn(), measure).limits, MovedEnds)


def test_weights_clusters_and_other_variances_have_no_moved_ends():
    (y, s), measure = rows(), pauci.PAUC(fpr=(0, 0.2))
    weight, cluster = np.linspace(1, 2, y.size), np.arange(y.size) // 2
    assert pauci.estimate(pauci.Sample(y, s, weight=weight), measure).limits is None
    assert pauci.estimate(pauci.Sample(y, s, cluster=cluster), measure).limits is None
    assert pauci.estimate(drawn(), measure, variance="jackknife").limits is None


def test_smooth_curves_keep_their_interval():
    sample = drawn(sizes=(300, 300))
    e = pauci.estimate(sample, pauci.PAUC(fpr=(0, 0.2)))
    assert e.interval() == replace(e, limits=None).interval()
    assert e.test(0.1) == replace(e, limits=None).test(0.1)


def test_limits_without_a_deviate_have_none():
    from pauci.intervals.analytic import Limit, Logit

    moved = MovedLimits(0.5, np.zeros((2, 40)))
    assert not hasattr(extended(0.5, Limit(0.5, 0.0, 1.0, 20.0), moved), "deviate")
    assert extended(0.5, Logit(0.5, 0.1, 0.0, 1.0), moved).deviate(0.4) > 0.0


def test_estimates_with_moved_ends_can_be_pickled():
    e = pauci.estimate(with_outliers(), pauci.PAUC(fpr=(0, 0.1)))
    assert pickle.loads(pickle.dumps(e)).interval() == e.interval()


@pytest.mark.parametrize("x", [0.02, 0.1, 0.5, 0.9, 0.98])
@pytest.mark.parametrize("row", [29, 39])
def test_positions_have_the_skewness_of_binomial_proportions(x, row):
    """The middle of both quantiles differs from n x; the average over n removes the rounding."""
    from scipy import stats

    z, middles = (row + 1) / 10, []
    for n in range(20_000, 20_040):
        positions = _moves((x, 0.5 + x / 2), float(n))
        counts = n * positions.distinct.T[positions.which][row]
        exact = stats.binom(n, x).ppf(stats.norm.cdf([-z, z]))
        # The moves are those of each end and of their distance, in both directions.
        middles.append([(counts[0, 0] + counts[3, 0]) / 2 - n * x, exact.mean() - n * x])
    found, expected = np.mean(middles, axis=0)
    assert found == pytest.approx(expected, abs=0.2)
    assert expected == pytest.approx((1 - 2 * x) * (z**2 - 1) / 6, abs=0.3)
