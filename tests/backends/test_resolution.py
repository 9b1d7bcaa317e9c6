"""Scores in cells: the same cells on every backend, and a valid error bound."""

import math
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import pauci
from backend_frames import LAZY, rows
from pauci.cautions.about_estimates import check_bound
from pauci.measures.concordance import GroupMeasure

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]

MEASURES = [
    pauci.AUC(),
    pauci.PAUCc(fpr=(0.1, 0.3)),
    pauci.PAUCc(tpr=(0.4, 0.8), normalized=True),
    pauci.PAUC(fpr=(0, 0.2)),
    pauci.PAUCx(fpr=(0.05, 0.5)),
    pauci.LocalC(fpr=(0.1, 0.6)),
    pauci.AP(),
    pauci.AP(negatives=True, prevalence=0.1),
    pauci.AUK(),
    pauci.MaxKappa(),
    pauci.Sensitivity(fpr=0.1),
    pauci.PAUCc(fpr=(0, 0.2)) / pauci.AUC(),
]


def both(backend, frame, resolution, **given):
    given = {"label": "y", "scores": ["a", "b"]} | given
    lazy = LAZY[backend](frame)
    return (
        pauci.Sample.from_frame(lazy, resolution=resolution, **given),
        pauci.Sample.from_frame(frame, **given),
    )


def of_cells(frame, sample):
    """Return a frame in which each score is replaced by that of its cell."""
    cells = {}
    for name in sample.names:
        table = sample.ratings(name).table
        sign, ends = -1 if table.lower_is_positive else 1, np.unique(table.scores)
        cells[name] = sign * ends[np.searchsorted(ends, sign * frame[name], "right") - 1]
    return frame.assign(**cells)


@pytest.mark.parametrize("given", [{}, {"lower_is_positive": "a"}, {"weight": "w"}], ids=str)
@pytest.mark.parametrize("backend", LAZY)
def test_the_error_is_within_the_bound(backend, given):
    frame = rows(600, digits=9)
    sample, exact = both(backend, frame, 5, **given)
    options = {"label": "y", "scores": ["a", "b"]} | given
    cells = pauci.Sample.from_frame(of_cells(frame, sample), **options)
    estimates, others, binned = (
        pauci.estimate(s, MEASURES, force=True) for s in (sample, exact, cells)
    )
    by_score = pauci.PAUCc(threshold=(0.51, 1.77))
    by_threshold = (pauci.estimate(s, [by_score], force=True) for s in (sample, exact))
    for e, other in zip(*by_threshold, strict=True):
        assert 0.0 < abs(e.value - other.value) <= e.resolution_bound < 0.1
    for e, other, same in zip(estimates, others, binned, strict=True):
        assert 0.0 < e.resolution_bound < 0.4 or e.value == 0.0
        assert abs(e.value - other.value) <= e.resolution_bound
        assert e.to_frame()["resolution_bound"].item() == e.resolution_bound
        assert e.value == pytest.approx(same.value, rel=1e-12)
        assert e.se == pytest.approx(same.se, rel=1e-9)
    c = pauci.compare(sample, pauci.AUC(), force=True)
    assert c.resolution_bound == sum(e.resolution_bound for e in c.estimates)
    assert "counted in cells: the binning error of the" in c.summary()
    assert "counted in cells: the binning error of the" in estimates.summary()


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300, 1e9])
def test_cells_are_equal_on_all_engines(scale):
    frame = rows(500, digits=9)
    frame["a"] = frame["a"] * scale + (0.0 if scale != 1e9 else 1e15)
    tables = [both(backend, frame, 7, scores="a")[0].ratings().table for backend in LAZY]
    for table in tables[1:]:
        for name in ("scores", "cum_pos", "cum_neg"):
            np.testing.assert_array_equal(getattr(table, name), getattr(tables[0], name))
    assert 20 < tables[0].size <= 2**7 + 1


@pytest.mark.parametrize("backend", LAZY)
def test_cells_of_one_score_have_no_binning_error(backend):
    for scores, bits in (("a", 16), ("rating", 4), ("rating", 3)):
        sample, exact = both(backend, rows(), bits, scores=scores)
        for measure in MEASURES[:4]:
            e, other = (pauci.estimate(s, measure) for s in (sample, exact))
            assert e.resolution_bound == 0.0
            assert e.value == pytest.approx(other.value, rel=1e-12)
            assert e.se == pytest.approx(other.se, rel=1e-12)
        assert "cells" not in e.summary()


def test_the_bound_of_the_auc_is_half_of_the_pairs_within_cells():
    sample, _ = both("polars lazy", rows(500, digits=9), 4, scores="a")
    e, table = pauci.estimate(sample, pauci.AUC(), force=True), sample.ratings().table
    hides = sample.ratings().cell_tops > table.scores
    pairs = float((table.pos * table.neg)[hides].sum())
    assert e.resolution_bound == pytest.approx(pairs / table.total_pos / table.total_neg / 2)


@pytest.mark.parametrize(("resolution", "slope"), [(4, 0.5), (6, 1.5)])
def test_the_bound_of_the_calibration_slope_holds_for_all_risks_in_the_cells(resolution, slope):
    rng = np.random.default_rng(4)
    x = rng.normal(size=900) / slope - 1.0
    y, p = (rng.random(900) < 1 / (1 + np.exp(-slope * x))).astype(int), 1 / (1 + np.exp(-x))
    frame = pytest.importorskip("polars").DataFrame({"y": y, "p": p}).lazy()
    sample = pauci.Sample.from_frame(frame, label="y", scores="p", resolution=resolution)
    measure = pauci.CalibrationSlope()
    e, tops = pauci.estimate(sample, measure, force=True), sample.ratings().cell_tops
    with pytest.raises(pauci.InputError, match="binning error of its value may be up to"):
        pauci.estimate(sample, measure)
    low, high = np.sort(sample.ratings().table.scores), np.sort(tops)
    cell = np.searchsorted(low, p, side="right") - 1
    far = 0.0
    for up in (y, 1 - y, np.ones(900), rng.random(900), (p > 0.3) == y, (p > 0.3) != y):
        other = low[cell] + up * (high - low)[cell]
        found = float(measure.on(pauci.Sample(y, other).ratings().curve))
        far = max(far, abs(found - e.value))
    assert 0.4 * e.resolution_bound < far <= e.resolution_bound


def test_folds_average_the_bounds():
    sample, exact = both("polars lazy", rows(900, digits=9), 6, fold="fold")
    for measure in MEASURES[:3]:
        both_ways = (pauci.estimate(s, [measure], force=True) for s in (sample, exact))
        for e, other in zip(*both_ways, strict=True):
            assert 0 < abs(e.value - other.value) <= e.resolution_bound < 0.3


def result_and_warnings(call):
    """Return the result of a call and its warnings."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        return call(), [w.message for w in given]


@pytest.mark.parametrize(
    ("bound", "warned", "refused"),
    [
        (0.0, 0, 0),
        (0.019, 0, 0),
        (0.021, 1, 0),
        (0.099, 1, 0),
        (0.101, 1, 1),
        (math.inf, 1, 1),
        (math.nan, 1, 0),
    ],
)
def test_a_bound_is_compared_with_the_standard_error(bound, warned, refused):
    def check(force):
        return check_bound("AUC", " of a: ", "value", bound, 0.1, force=force)

    _, messages = result_and_warnings(lambda: check(True))
    assert [type(m) for m in messages] == [pauci.errors.ResolutionWarning] * warned
    for force, advised in ((False, True), (None, False)):
        if not refused:
            assert len(result_and_warnings(lambda f=force: check(f))[1]) == warned
            continue
        with pytest.raises(pauci.InputError, match="resolution='exact'") as error:
            check(force)
        assert ("force=True" in str(error.value)) == advised


RATIO = GroupMeasure("lr_pos", pauci.PAUCc(fpr=(0, 0.2)).region)
ALTERNATIVES = ("two-sided", "greater", "less")
BOUND = 0.013


@pytest.fixture(scope="module")
def plain():
    """Results without cells."""
    sample = pauci.Sample.from_frame(rows(400, digits=9), "y", ["a", "b"])
    bootstrap = pauci.Bootstrap(999, rng=3)
    return [
        (pauci.estimate(sample["a"], pauci.AUC()), None),
        (pauci.estimate(sample["a"], pauci.AUC()), "wald"),
        (pauci.estimate(sample["a"], RATIO), "log"),
        (pauci.estimate(sample["a"], pauci.AUC(), bootstrap), "percentile"),
    ], [
        (pauci.compare(sample, pauci.AUC(), null=0.05, alternative=a, variance=v), k)
        for a in ALTERNATIVES
        for v, k in (("influence", None), (bootstrap, "basic"))
    ]


def test_estimates_are_wider_by_the_bound_and_tests_agree(plain):
    for e, kind in plain[0]:
        cells = replace(e, resolution_bound=BOUND)
        low, high = e.interval(0.9, kind)
        assert cells.interval(0.9, kind) == pytest.approx((low - BOUND, high + BOUND), rel=1e-12)
        tolerance = 1e-6 if kind != "percentile" else 0.01
        for end, towards in ((low - BOUND, "greater"), (high + BOUND, "less")):
            test = cells.test(end, kind=kind)
            assert test.pvalue == pytest.approx(0.1, abs=tolerance)
            assert cells.test(end, towards, kind).pvalue == pytest.approx(0.05, abs=tolerance)
            shifted = end + (BOUND if towards == "greater" else -BOUND)
            statistic = e.test(shifted, kind=kind).statistic
            assert test.statistic == pytest.approx(statistic, nan_ok=True)
        assert cells.test(e.value + 0.9 * BOUND, kind=kind).pvalue > 0.9


def test_an_interval_with_a_bound_stays_in_the_range(plain):
    e, _ = plain[0][0]
    assert replace(e, resolution_bound=0.9).interval() == (0.0, 1.0)
    assert replace(e, resolution_bound=math.inf).interval() == (0.0, 1.0)
    assert replace(e, resolution_bound=math.nan).interval() == e.interval()
    assert replace(e, resolution_bound=math.inf).test(0.99).pvalue == 1.0


def cells_of(c, bound):
    return replace(c, estimates=tuple(replace(e, resolution_bound=bound) for e in c.estimates))


def test_differences_are_wider_by_both_bounds_and_tests_agree(plain):
    for c, kind in plain[1]:
        cells = cells_of(c, BOUND)
        low, high = c.interval(0.9, kind)
        assert cells.interval(0.9, kind) == pytest.approx(
            (low - 2 * BOUND, high + 2 * BOUND), rel=1e-12
        )
        for end in cells.interval(0.9, kind):
            if math.isfinite(end):
                p = cells.inverted_test(end, cells.alternative, kind).pvalue
                assert p == pytest.approx(0.1, abs=1e-6 if kind is None else 0.01)
        if kind is None:
            shift = {"two-sided": 0.0, "greater": -2 * BOUND, "less": 2 * BOUND}[c.alternative]
            away = c.difference - c.null
            if c.alternative == "two-sided":
                shift = -math.copysign(min(2 * BOUND, abs(away)), away)
            assert cells.statistic == pytest.approx((away + shift) / c.se, abs=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_simultaneous_intervals_agree_with_adjusted_tests_of_cells(alternative):
    sample = pauci.Sample.from_frame(rows(400, digits=9), "y", ["a", "b", "rating"])
    cs = pauci.compare(sample, pauci.AUC(), alternative=alternative, adjust="max-t")
    cells = replace(cs, quantities=tuple(cells_of(c, 0.005) for c in cs))
    for before, now in zip(cs.simultaneous(), cells.simultaneous(), strict=True):
        assert now == pytest.approx((before.low - 0.01, before.high + 0.01), rel=1e-12)
    for p, (low, high) in zip(cells.p_adjusted, cells.simultaneous(), strict=True):
        assert (p < 0.05) == (not low <= 0.0 <= high)


def test_a_joint_test_allows_for_the_binning_error():
    """Its statistic is at most the smallest over all possible values."""
    sample = pauci.Sample.from_frame(rows(400, digits=9), "y", ["a", "b", "rating"])
    cs = pauci.compare(sample, pauci.AUC())
    d, inverse = np.array([c.difference for c in cs]), np.linalg.pinv(cs.cov)
    contrasts = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    before = cs.joint()
    for bound in (0.0, 0.002, 0.01):
        grid = np.array(np.meshgrid(*[np.linspace(-bound, bound, 9)] * 3)).reshape(3, -1)
        moved = d[:, None] + contrasts @ grid
        smallest = np.einsum("ik,ij,jk->k", moved, inverse, moved).min()
        now = replace(cs, quantities=tuple(cells_of(c, bound) for c in cs)).joint()
        assert 0.5 * smallest <= now.statistic <= smallest * (1 + 1e-12)
        assert now.pvalue >= before.pvalue
        assert now.df == before.df
    assert replace(cs, quantities=tuple(cells_of(c, 0.5) for c in cs)).joint().pvalue == 1.0


def test_too_few_cells_are_an_error():
    sample, exact = both("duckdb", rows(4000, digits=9), 1)
    for call in (pauci.estimate, pauci.compare):
        with pytest.raises(
            pauci.InputError, match=r"may be up to 0\.2.*omit resolution.*force=True"
        ):
            call(sample, pauci.AUC())
    e, messages = result_and_warnings(lambda: pauci.estimate(sample["a"], pauci.AUC(), force=True))
    kinds = [type(m) for m in messages]
    assert pauci.errors.ResolutionWarning in kinds
    assert pauci.errors.ReversedScoresWarning not in kinds
    low, high = e.interval()
    assert low < pauci.estimate(exact["a"], pauci.AUC()).value < high
    assert high - low > 0.2
    assert pauci.errors.ResolutionWarning in [type(c) for c in e.cautions]
    with pytest.raises(pauci.InputError, match="resolution='exact'") as error:
        pauci.profile(sample["a"], by="fpr", edges=[0, 0.5, 1])
    assert "force" not in str(error.value)


def test_differences_are_compared_with_their_standard_error():
    """The standard error of a difference is smaller than those of similar classifiers."""
    frame = rows(2000, digits=9)
    frame["b"] = frame["a"] + 0.02 * frame["b"]
    sample, _ = both("polars lazy", frame, 8)
    estimates = pauci.estimate(sample, pauci.AUC())
    assert all(e.resolution_bound < e.se for e in estimates)
    with pytest.raises(pauci.InputError, match="of its difference"):
        pauci.compare(sample, pauci.AUC())
    c, messages = result_and_warnings(lambda: pauci.compare(sample, pauci.AUC(), force=True))
    assert any("of its difference" in str(m) for m in messages)
    assert c.pvalue > 0.5


@pytest.mark.parametrize(
    "measure",
    [
        pauci.OE(),
        pauci.CalibrationIntercept(),
        pauci.Brier(),
        pauci.Brier(scaled=True),
        pauci.LogLoss(),
        pauci.LogLoss() - pauci.AUC(),
    ],
    ids=repr,
)
def test_the_binning_error_of_measures_of_risks_is_bounded(measure):
    rng = np.random.default_rng(3)
    y = (np.arange(4000) % 10 == 0).astype(int)
    risk = 1 / (1 + np.exp(2.5 - 1.3 * y - rng.normal(size=y.size)))
    frame = pl.LazyFrame({"y": y, "risk": risk})
    exact, bounds = pauci.estimate(pauci.Sample(y, risk), measure), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.ResolutionWarning)
        for bits in (5, 8, 10):
            sample = pauci.Sample.from_frame(
                frame, label="y", scores="risk", positive=1, resolution=bits
            )
            e = pauci.estimate(sample, measure, force=True)
            bounds.append(e.resolution_bound)
            assert abs(e.value - exact.value) <= e.resolution_bound
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > 5 * bounds[-1] > 0
