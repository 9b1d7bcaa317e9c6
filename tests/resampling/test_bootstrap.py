"""The bootstrap: recomputed replicates, exact enumeration, closed forms, seeds, options."""

import itertools
import math
import signal
import subprocess
import sys
import time
import tracemalloc
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauci
from pauci.curve.counts import tabulate
from pauci.curve.polyline import Curve
from pauci.errors import UndefinedError
from pauci.measures import AP, AUC, AUK, PAUC, InitialTPR, PAUCc
from pauci.resampling.bootstrap import Bootstrap, resample
from pauci.resampling.draws import Pool
from pauci.resampling.evaluate import Engine, run
from pauci.variance.units import Problem
from processes import session
from registry import instances
from strategies import samples

pytestmark = pytest.mark.usefixtures("quiet")
MEASURES = instances((0.13, 0.61), spread=3.0)


def engine_of(sample, measures, scheme="stratified", seed=1, **options):
    columns = list(map(sample.ratings, sample.names))
    wanted = [(c, m) for c in range(len(columns)) for m in measures]
    return Engine(Pool(sample.rows, columns, scheme, seed, **options), wanted)


def by_hand(engine, times):
    """Return every measure, recomputed on a sample of the drawn rows."""
    rows, codes = engine.pool.base
    again, own = engine.pool.resampled_rows(rows, times)
    values = []
    for c, measure in engine.targets:
        scores = -codes[c].astype(float) if own is None else -codes[c][own].astype(float)
        labels = engine.pool.columns[c].table.scores
        scores = labels[(-scores).astype(int)]
        mass = again.mass
        held = slice(None) if mass is None else mass > 0
        table, _ = tabulate(
            scores[held],
            again.positive[held],
            None if mass is None else mass[held],
            engine.pool.rows.counts,
            want_codes=True,
        )
        if not table.total_pos or not table.total_neg:
            values.append(math.nan)
            continue
        fixed = engine.pool.rows.design == "case-control"
        object.__setattr__(table, "fixed_prevalence", fixed)
        curve = Curve(table)
        try:
            values.append(measure.value(curve, measure.region.piece(curve)))
        except ValueError as error:
            # A range of scores without drawn rows has area 0 or is undefined.
            values.append(None if "no row" in str(error) else math.nan)
    return values


def assert_replicates_are_right(engine, size=6, rel=1e-10):
    found = engine.values(0, size, batch=2)
    block = engine.pool.drawn(0, size)
    for r, times in enumerate(engine.pool.multiplicities(block)):
        expected = by_hand(engine, times)
        known = [v is not None for v in expected]
        expected = np.array(expected, float)[known]
        np.testing.assert_allclose(found[r, known], expected, rtol=rel, atol=1e-12)


@pytest.mark.long
@settings(max_examples=30)
@given(
    samples(min_size=4, classifiers=2),
    st.sampled_from(["stratified", "cohort"]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_every_replicate_is_the_measure_of_the_resampled_rows(data, scheme, by_rows, seed):
    y, a, b = data
    sample = pauci.Sample(y, {"a": a, "b": b})
    engine = engine_of(sample, MEASURES, scheme, seed, by_rows=by_rows)
    assert_replicates_are_right(engine)


@settings(max_examples=12)
@given(samples(min_size=6), st.integers(0, 10**6), st.booleans())
@pytest.mark.long
def test_clusters_and_weights_are_resampled_whole(data, seed, weighted):
    y, s = data
    rng = np.random.default_rng(seed)
    options = {"cluster": rng.integers(0, max(2, len(y) // 2), len(y))}
    if weighted:
        options["weight"] = rng.uniform(0.5, 2, len(y))
    plain = [m for m in MEASURES if not getattr(m, "corrected", False)]
    engine = engine_of(pauci.Sample(y, s, **options), plain, "cluster", seed)
    assert_replicates_are_right(engine)


@settings(max_examples=12)
@given(samples(min_size=6), st.integers(0, 10**6))
@pytest.mark.long
def test_weights_follow_their_rows(data, seed):
    y, s = data
    weight = np.random.default_rng(seed).uniform(0.5, 2, len(y))
    plain = [m for m in MEASURES if not getattr(m, "corrected", False)]
    engine = engine_of(pauci.Sample(y, s, weight=weight), plain, "stratified", seed)
    assert_replicates_are_right(engine)


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("options", [{}, {"negatives": True}, {"rescaled": True}], ids=str)
def test_corrected_average_precision_of_a_design_is_swept(design, options):
    """The rows that the correction leaves out are those of one sample, or of two."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [9, 30])
    for s in (rng.normal(size=39) + y, np.round(rng.normal(size=39) + y)):
        measures = [AP(p, corrected=True, **options) for p in (None, 0.3)]
        engine = engine_of(pauci.Sample(y, s, design=design), measures, "stratified", 1)
        assert engine.all_swept
        assert_replicates_are_right(engine)


def enumerated(y, s, measure):
    """Mean and variance over all n1^n1 n0^n0 resamples."""
    pos, neg = s[y == 1], s[y == 0]
    values = []
    labels = np.repeat([True, False], [pos.size, neg.size])
    for p in itertools.product(pos, repeat=pos.size):
        for q in itertools.product(neg, repeat=neg.size):
            table, _ = tabulate(np.array([*p, *q]), labels, None, (3, 4), want_codes=False)
            curve = Curve(table)
            values.append(measure.value(curve, measure.region.piece(curve)))
    return np.mean(values), np.var(values)


@pytest.mark.parametrize(
    "measure", [AUC(), PAUC(fpr=(0, 0.5)), PAUCc(tpr=(0.5, 1)), AP()], ids=repr
)
def test_the_engine_agrees_with_all_resamples_of_a_tiny_sample(measure):
    y, s = np.array([1, 1, 1, 0, 0, 0, 0]), np.array([4.0, 3, 2, 3, 2, 1, 1])
    mean, variance = enumerated(y, s, measure)
    n = 40_000
    engine = engine_of(pauci.Sample(y, s), [measure])
    values = np.concatenate([engine.values(i, 500, 500) for i in range(n // 500)])[:, 0]
    noise = math.sqrt(variance / n)
    assert abs(values.mean() - mean) <= 4 * noise
    assert values.var() == pytest.approx(variance, rel=0.04)


def ideal_variance(y, s):
    """Variance of the AUC over all resamples, in closed form (Bandos, Rockette and Gur 2006)."""
    wins = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    m, n = wins.shape
    theta, rows, columns = wins.mean(), wins.mean(axis=1), wins.mean(axis=0)
    by_rows, by_columns, total = rows.var(), columns.var(), wins.var()
    interaction = total - by_rows - by_columns
    assert theta == pytest.approx(rows.mean())
    return by_rows / m + by_columns / n + interaction / (m * n)


@pytest.mark.parametrize("digits", [0, 3])
def test_the_variance_of_the_auc_is_that_of_the_ideal_bootstrap(digits):
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [20, 30])
    s = np.round(rng.normal(size=50) + y, digits)
    e = pauci.estimate(pauci.Sample(y, s), AUC(), Bootstrap(40_000, "stratified", rng=3))
    assert e.se**2 == pytest.approx(ideal_variance(y, s), rel=0.03)


@pytest.mark.parametrize("scheme", ["stratified", "cohort"])
def test_rows_and_cells_of_a_table_have_the_same_distribution(scheme):
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [60, 140])
    a, b = (np.round(rng.normal(size=200) + y) for _ in range(2))
    sample = pauci.Sample(y, {"a": a, "b": b})
    both = []
    for by_rows in (True, False):
        engine = engine_of(sample, [AUC(), AP(), PAUCc(threshold=(1, 3))], scheme, by_rows=by_rows)
        values = np.concatenate([engine.values(i, 500, 500) for i in range(16)])
        both.append((values.mean(axis=0), np.cov(values, rowvar=False)))
    (mean_a, cov_a), (mean_b, cov_b) = both
    sd = np.sqrt(np.diag(cov_a))
    assert (np.abs(mean_a - mean_b) <= 4 * sd * math.sqrt(2 / 8000)).all()
    np.testing.assert_allclose(cov_a / np.outer(sd, sd), cov_b / np.outer(sd, sd), atol=0.08)


@pytest.mark.long
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_standard_errors_agree_with_influence(design):
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [250, 250])
    sample = pauci.Sample(y, np.round(rng.normal(size=500) + y, 0), design=design)
    measures = [m for m in instances((0.13, 0.61), spread=2.0) if m.key != "maxkappa"]
    measures = [m for m in measures if "ends" not in repr(m)]
    boot = pauci.estimate(sample, measures, Bootstrap(1500, rng=6))
    plain = pauci.estimate(sample, measures)
    for a, b in zip(boot, plain, strict=True):
        assert a.value == b.value
        assert a.se == pytest.approx(b.se, rel=0.12), a.measure


def test_clustered_standard_errors_agree_with_influence():
    rng = np.random.default_rng(7)
    cluster = np.repeat(np.arange(150), 3)
    shared = rng.normal(size=150)[cluster]
    y = rng.integers(0, 2, 450)
    sample = pauci.Sample(y, shared + rng.normal(size=450) + y, cluster=cluster)
    boot = pauci.estimate(sample, [AUC(), AP(), PAUC(fpr=(0, 0.5))], Bootstrap(3000, rng=1))
    plain = pauci.estimate(sample, [AUC(), AP(), PAUC(fpr=(0, 0.5))])
    for a, b in zip(boot, plain, strict=True):
        assert a.se == pytest.approx(b.se, rel=0.1)
    assert "cluster" in boot.summary()


@pytest.fixture
def two():
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [40, 80])
    common = rng.normal(size=120) + y
    a, b = (np.round(common + rng.normal(size=120), 1) for _ in range(2))
    return pauci.Sample(y, {"a": a, "b": b})


MIXED = [AUC(), PAUCc(fpr=(0, 0.2)), AP(corrected=True), AUK()]


def replicates(sample, **options):
    es = pauci.estimate(sample, MIXED, Bootstrap(1203, rng=11, **options))
    return np.array([e.resampled.replicates for e in es])


def test_results_depend_only_on_the_seed(two):
    expected = replicates(two)
    np.testing.assert_array_equal(replicates(two, n_jobs=2), expected)
    np.testing.assert_array_equal(replicates(two, batch=7), expected)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        np.testing.assert_array_equal(replicates(two), expected)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        np.testing.assert_array_equal(replicates(two), expected)


def test_the_same_rows_are_drawn_for_all_measures(two):
    expected = replicates(two)
    both = pauci.estimate(two, AUC(), Bootstrap(1203, rng=11))
    np.testing.assert_array_equal(both[1].resampled.replicates, expected[4])


def test_more_resamples_begin_with_the_same_ones(two):
    short, long = (
        pauci.estimate(two["a"], AUC(), Bootstrap(n, rng=5)).resampled.replicates
        for n in (1000, 1500)
    )
    np.testing.assert_array_equal(long[:1000], short)


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_numbers(two):
    distributed = pytest.importorskip("distributed")
    expected = replicates(two)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client = distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with client, joblib.parallel_config(backend="dask"):
            found = replicates(two)
    np.testing.assert_array_equal(found, expected)


def test_a_seed_is_drawn_and_kept(two):
    e = pauci.estimate(two["a"], AUC(), Bootstrap(200))
    again = pauci.estimate(two["a"], AUC(), Bootstrap(200, rng=e.resampled.seed))
    assert again.se == e.se
    assert f"seed {e.resampled.seed}" in " ".join(e.summary().split())
    rng = np.random.default_rng(1)
    first, second = (pauci.estimate(two["a"], AUC(), Bootstrap(200, rng=rng)) for _ in range(2))
    assert first.se != second.se


KINDS = ["percentile", "basic", "bca", "student", "wald", "logit"]


def test_intervals_of_every_kind(two):
    e = pauci.estimate(two["a"], PAUCc(fpr=(0, 0.3)), Bootstrap(999, rng=1))
    values = np.sort(e.resampled.replicates)
    low, high = e.interval(0.9, "percentile")
    assert (low, high) == (values[48], values[950])
    assert e.interval(0.9, "basic") == pytest.approx((2 * e.value - high, 2 * e.value - low))
    for kind in KINDS:
        low, high = e.interval(kind=kind)
        assert low < e.value < high
        wide = e.interval(0.99, kind)
        assert wide.low <= low < high <= wide.high
    assert e.to_frame()["kind"].item() == "bca"
    assert e.to_frame()["variance"].item() == "bootstrap"


def test_the_acceleration_is_that_of_the_jackknife(two):
    y = two.rows.positive.astype(int)
    s = two.ratings("a").values
    sample = pauci.Sample(y, s, design="case-control")
    e = pauci.estimate(sample, AUC(), Bootstrap(100, rng=1))
    third = second = 0.0
    for c in (0, 1):
        own = np.flatnonzero(y == c)
        left = [
            pauci.estimate(pauci.Sample(np.delete(y, i), np.delete(s, i)), AUC()).value for i in own
        ]
        u = (np.mean(left) - np.array(left)) * (own.size - 1) / own.size
        second += (u**2).sum()
        third += (u**3).sum()
    found = e.resampled.moments.third / e.resampled.moments.second**1.5
    assert found == pytest.approx(third / second**1.5, rel=0.05)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["bca", "percentile", "basic", "student", "wald"]),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.floats(-0.15, 0.15),
    st.floats(0.5, 0.99),
)
def test_tests_and_intervals_agree(kind, alternative, null, level):
    c = COMPARED[alternative]
    c = pauci.Comparison(
        *(getattr(c, f) for f in ("estimates", "difference", "se", "correlation")),
        null,
        alternative,
        c.paired,
        c.resampled,
    )
    p, (low, high) = c.pvalue_of(kind), c.interval(level, kind)
    if abs(p - (1 - level)) > 1e-9:
        assert (p < 1 - level) == (not low <= null <= high)


def _compared():
    rng = np.random.default_rng(9)
    y = np.repeat([1, 0], [30, 50])
    common = rng.normal(size=80) + y
    sample = pauci.Sample(y, {k: common + rng.normal(size=80) for k in "ab"})
    return {
        alternative: pauci.compare(
            sample, PAUCc(fpr=(0, 0.4)), alternative=alternative, variance=Bootstrap(199, rng=2)
        )
        for alternative in ("two-sided", "greater", "less")
    }


COMPARED = _compared()


def test_paired_and_independent_comparisons(two):
    paired = pauci.compare(two, AUC(), variance=Bootstrap(2000, rng=1))
    plain = pauci.compare(two, AUC())
    assert paired.se == pytest.approx(plain.se, rel=0.1)
    assert paired.correlation == pytest.approx(plain.correlation, abs=0.1)
    assert paired.pvalue == pytest.approx(plain.pvalue, abs=0.1)
    y = two.rows.positive
    a, b = (pauci.Sample(y, two.ratings(k).values, name=k) for k in "ab")
    apart = pauci.compare([a, b], AUC(), variance=Bootstrap(2000, rng=1))
    assert apart.se == pytest.approx(pauci.compare([a, b], AUC()).se, rel=0.1)
    one, other = (e.resampled.replicates for e in apart.estimates)
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.1
    assert "bootstrap" in apart.summary()
    several = pauci.compare(two, [AUC(), AP()], variance=Bootstrap(500, rng=1))
    assert np.isfinite(several.cov).all()
    assert "bootstrap" in several.summary()


def test_undefined_replicates_are_counted_and_reported():
    y = [1] * 3 + [0] * 30
    sample = pauci.Sample(y, np.arange(33)[::-1] % 7)
    e = pauci.estimate(sample, AUC(), Bootstrap(500, "cohort", rng=1))
    assert 0 < e.resampled.n_undefined <= 25 + 10
    assert f"Undefined in {e.resampled.n_undefined} replicates" in " ".join(e.summary().split())
    rare = pauci.Sample([1] * 2 + [0] * 30, np.arange(32)[::-1] % 7)
    with pytest.raises(
        ValueError, match=r"undefined in .*% of the replicates.*scheme='stratified'"
    ):
        pauci.estimate(rare, AUC(), Bootstrap(500, "cohort", rng=1))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_resamples": 1}, ValueError, "n_resamples=1 must be at least 2"),
        ({"n_resamples": 2.5}, TypeError, "n_resamples=2.5"),
        ({"n_resamples": 10**12}, ValueError, "n_resamples=1000000000000 is too large"),
        ({"scheme": "rows"}, ValueError, "scheme='rows' is not known"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0 leaves no worker"),
        ({"n_jobs": 1.5}, TypeError, "n_jobs=1.5"),
        ({"n_jobs": 99_999}, ValueError, "n_jobs=99999 is more than"),
        ({"batch": 0}, ValueError, "batch=0"),
        ({"rng": -1}, ValueError, "rng=-1"),
        ({"rng": "1"}, TypeError, "rng='1'"),
        ({"progress": 1}, TypeError, "progress=1"),
        ({"progress": "always"}, ValueError, "progress=.always. must be True, False or"),
    ],
)
def test_options_out_of_bounds(options, error, words):
    with pytest.raises(error, match=words):
        Bootstrap(**options)


def test_random_numbers_are_not_reused(two):
    """Random numbers differ between blocks, between class sizes and rows, and between samples."""
    engine = engine_of(two["a"], [AUC()], "cohort")
    blocks = [engine.values(i, 500, 500)[:, 0] for i in range(4)]
    assert np.abs(np.corrcoef(blocks) - np.eye(4)).max() < 0.2
    drawn = [engine.pool.drawn(i, 500) for i in range(3)]
    seeds = [s for block in drawn for s in (block.words, block.rng.bit_generator.seed_seq)]
    assert len({np.random.SFC64(seed).random_raw() for seed in seeds}) == 6
    assert len({boot.rng for boot in Bootstrap(rng=3).for_samples(6)}) == 6


def check_standard_error(boot, delta, n):
    """Assert that a bootstrap agrees with the delta method within four simulation errors.

    Neither has the rows of estimated ends. The simulation error of a standard error from B
    replicates of a nearly normal value is se / sqrt(2 (B - 1)).
    The variances also differ by the factor 1 - 1/n, for n observations of the smaller class.
    """
    replicates = boot.resampled.replicates.size
    simulation = delta.se / np.sqrt(2 * (replicates - 1))
    assert boot.se == pytest.approx(delta.se, abs=4 * simulation + delta.se / n)


def test_counts_beyond_64_bits_use_the_reference_implementation():
    """Twice the pairs are 1.8e19 here, more than 2^63."""
    sample = pauci.Sample.from_counts(
        [3, 2, 1], [2 * 10**9, 10**9, 10**6], [10**8, 10**9, 2 * 10**9]
    )
    e = pauci.estimate(sample, [AUC(), PAUC(fpr=(0, 0.5))], Bootstrap(2000, rng=1))
    plain = pauci.estimate(sample, [AUC(), PAUC(fpr=(0, 0.5))], "delta")
    for boot, delta in zip(e, plain, strict=True):
        check_standard_error(boot, delta, 10**9)
        assert boot.resampled.distribution == pytest.approx(boot.value, rel=1e-3)


def test_counts_beyond_32_bits_use_the_reference_implementation():
    """The sums of a sweep have 32 bits, although twice the pairs are only 1e12 here."""
    sample = pauci.Sample.from_counts([3, 2, 1], [60, 30, 10], [10**8, 10**9, 4 * 10**9])
    e = pauci.estimate(sample, [AUC(), PAUC(fpr=(0, 0.5))], Bootstrap(2000, rng=1))
    plain = pauci.estimate(sample, [AUC(), PAUC(fpr=(0, 0.5))], "delta")
    for boot, delta in zip(e, plain, strict=True):
        check_standard_error(boot, delta, 100)


def with_values(two, values):
    """Return a bootstrap with prescribed replicates."""
    m = values.shape[1]
    problem = Problem((two.ratings("a"),) * m, (AUC(),) * m)
    found = resample(problem, Bootstrap(len(values), rng=1))
    vars(found)["values"] = values
    return found


@pytest.mark.parametrize(("m", "refused"), [(12, False), (13, True)])
def test_half_of_the_replicates_must_have_all_estimates(two, m, refused):
    values = np.random.default_rng(1).normal(size=(100, m))
    for i in range(m):
        values[4 * i : 4 * i + 4, i] = np.nan  # 4% each, never together
    if refused:
        with pytest.raises(UndefinedError, match="in 52% of the replicates one of the measures"):
            with_values(two, values).check()
    else:
        with_values(two, values).check()


def test_each_variance_uses_all_replicates_that_are_defined(two):
    values = np.random.default_rng(1).normal(size=(100, 3)) @ [[1, 2, 0], [0, 1, 1], [0, 0, 1]]
    values[:4, 0] = values[10:13, 1] = np.nan
    found = with_values(two, values).covariance
    assert np.diag(found) == pytest.approx(np.nanvar(values, axis=0, ddof=1))
    sd = np.sqrt(np.diag(found))
    complete = values[~np.isnan(values).any(axis=1)]
    np.testing.assert_allclose(found / np.outer(sd, sd), np.corrcoef(complete, rowvar=False))


def test_a_variance_that_cancels_is_zero(two):
    """The difference of identical estimates is a rounding error."""
    problem = Problem((two.ratings("a"),) * 3, (PAUC(fpr=(0, 0.3)),) * 3)
    found = resample(problem, Bootstrap(100, rng=1)).combined([0, 1, 2], [0.3, 0.6, -0.9])
    assert (found.variances() == 0.0).all()


def test_replicates_of_all_estimates_must_fit_into_memory(two):
    assert Bootstrap(10**8).n_resamples == 10**8
    with pytest.raises(ValueError, match=r"times 4 estimates is too large.*25,000,000 or fewer"):
        pauci.estimate(two, [AUC(), AP()], Bootstrap(10**8))


@pytest.mark.long
@pytest.mark.parametrize("m", [100, 1000])
def test_memory_grows_with_estimates_as_their_covariance_does(m):
    """Memory grows with m^2 and not with m^3, which would be 8 GB for a thousand measures."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [40, 60])
    sample = pauci.Sample(y, np.round(rng.normal(size=100) + y, 1))
    measures = [PAUC(fpr=(0, i / m)) for i in range(1, m + 1)]
    pauci.estimate(sample, AUC(), Bootstrap(20, rng=1))
    tracemalloc.start()
    es = pauci.estimate(sample, measures, Bootstrap(60, rng=1))
    assert es.cov.shape == (m, m)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 4 * 8 * m**2 + 60e3 * m
    assert np.isfinite(es[m // 2].interval(0.8, "student")).all()


def test_standard_errors_of_replicates_are_the_same_in_one_pass_or_several(two, monkeypatch):
    measures = [AUC(), AP(), PAUC(fpr=(0, 0.5))]
    both = []
    for budget in (10**9, 0):
        monkeypatch.setattr("pauci.resampling.bootstrap._BUDGET", budget)
        es = pauci.estimate(two, measures, Bootstrap(60, rng=1, batch=50))
        both.append([e.resampled.variances() for e in es])
    np.testing.assert_allclose(*both, rtol=1e-12)


NEAR_CHANCE = [1, 0] * 6, [4, 5, 2, 3, 6, 1, 7, 1, 2, 8, 5, 3]
BETTER = [1] * 7 + [0] * 7, [6, 9, 8, 9, 7, 6, 8, 6, 7, 4, 7, 1, 3, 1]


@pytest.mark.parametrize(
    ("ratio", "data"),
    [
        (InitialTPR(), BETTER),
        (AP() / PAUC(fpr=(0, 0.6)), NEAR_CHANCE),
        (AUC() / AUC(rescaled=True), BETTER),
    ],
    ids=repr,
)
def test_a_ratio_by_zero_leaves_a_replicate_without_a_standard_error(ratio, data):
    """In small samples a resampled AUC is sometimes 1/2, or an area 0."""
    y, s = data
    e = pauci.estimate(pauci.Sample(y, s), [ratio, AUC()], Bootstrap(400, rng=1))
    ratios, areas = (one.resampled.variances() for one in e)
    undefined = np.isnan(e[0].resampled.replicates)
    assert undefined.any()
    assert (ratios[undefined] == 0.0).all(), "without a standard error"
    assert (ratios[~undefined] > 0.0).mean() > 0.9
    alone = pauci.estimate(pauci.Sample(y, s), AUC(), Bootstrap(400, rng=1))
    np.testing.assert_allclose(areas, alone.resampled.variances(), rtol=1e-12)
    flat = pauci.Sample(y, [1] * len(y)).ratings("score").curve
    with pytest.raises(UndefinedError, match=r"is undefined here: .* is 0"):
        (AUC() / AUC(rescaled=True)).influence_on(flat)


def test_invalid_schemes_for_the_sample():
    y, s = [0, 1] * 10, range(20)
    with pytest.raises(ValueError, match="scheme='cluster' requires"):
        pauci.estimate(pauci.Sample(y, s), AUC(), Bootstrap(10, "cluster"))
    clustered = pauci.Sample(y, s, cluster=np.arange(20) // 2)
    with pytest.raises(ValueError, match="resamples rows"):
        pauci.estimate(clustered, AUC(), Bootstrap(10, "stratified"))
    with pytest.raises(ValueError, match="at least two"):
        pauci.estimate(pauci.Sample(y, s, cluster=[1] * 20), AUC(), Bootstrap(10))
    with pytest.raises(TypeError, match=r"pass pauci\.Bootstrap\(\)"):
        pauci.estimate(pauci.Sample(y, s), AUC(), Bootstrap)
    one = pauci.Sample([1] + [0] * 9, range(10))
    for measure in (AUC(), lambda y, s: s[y == 1].mean()):
        with pytest.raises(ValueError, match="1 row with a positive label"):
            pauci.estimate(one, measure, Bootstrap(10, "stratified"))


def test_progress_is_shown(two, capfd):
    for n_jobs in (1, 2):
        pauci.estimate(two["a"], AUC(), Bootstrap(2000, rng=1, progress=True, n_jobs=n_jobs))
        assert "2000/2000" in capfd.readouterr().err


def test_threads_stop_after_the_current_block(two):
    """If one task fails or is interrupted, the other threads must end."""
    begun = []

    class Slow(Engine):
        def values(self, index, size, *_):
            begun.append(index)
            time.sleep(0.05)
            if index == 0:
                raise KeyboardInterrupt
            return np.zeros((size, 1))

    engine = Slow(Pool(two.rows, [two.ratings("a")], "stratified", 1), [(0, AUC())])
    with joblib.parallel_config(backend="threading"), pytest.raises(KeyboardInterrupt):
        run(engine, "values", 500 * 320, 1, n_jobs=2)
    time.sleep(0.2)
    seen = len(begun)
    time.sleep(0.3)
    assert len(begun) == seen < 100


def test_case_control_clusters_keep_the_prevalence():
    """Clusters contain both classes, but the prevalence of the design is kept."""
    rng = np.random.default_rng(6)
    y = np.repeat([1, 0], [80, 160])
    cluster = np.arange(240) // 4
    s = rng.normal(size=240) + 1.2 * y + rng.normal(size=60)[cluster]
    sample = pauci.Sample(y, s, cluster=cluster, design="case-control")
    boot = pauci.estimate(sample, [AP(), AUK(), AUC()], Bootstrap(4000, rng=1))
    plain = pauci.estimate(sample, [AP(), AUK(), AUC()])
    for b, e in zip(boot, plain, strict=True):
        assert b.se == pytest.approx(e.se, rel=0.12)
    given = pauci.estimate(sample, AP(prevalence=1 / 3), Bootstrap(4000, rng=1))
    np.testing.assert_allclose(boot[0].resampled.replicates, given.resampled.replicates, rtol=1e-12)


def test_five_clusters_of_a_class_are_enough_to_draw_from():
    y, s = [0, 1] * 15, np.arange(30) % 7
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for k in (5, 4):
            sample = pauci.Sample(y, s, cluster=np.arange(30) // 2 % k)
            pauci.estimate(sample, AUC(), Bootstrap(50, rng=1))
    told = [str(w.message) for w in told if "the bootstrap draws from" in str(w.message)]
    assert ["draws from 4 clusters" in words for words in told] == [True]


def test_few_clusters_issue_a_warning_in_compare():
    y, s = [0, 1] * 15, np.arange(30) % 7
    with pytest.warns(pauci.errors.ResamplingWarning, match="draws from 3 clusters"):
        pauci.estimate(pauci.Sample(y, s, cluster=np.arange(30) % 3), AUC(), Bootstrap(50, rng=1))


def test_fractional_counts_and_large_clustered_frequencies_are_an_error():
    table = pauci.Sample.from_counts([1, 2, 3], [1.5, 2.5, 9.5], [9.5, 5.5, 3.5], fractional=True)
    with pytest.raises(ValueError, match="counts are fractional"):
        pauci.estimate(table, AUC(), Bootstrap(50))
    y, s = [0, 1] * 3, range(6)
    many = pauci.Sample(y, s, cluster=[0, 0, 1, 1, 2, 2], frequency=[10**8] * 6)
    with pytest.raises(ValueError, match="6e\\+08 rows in clusters"):
        pauci.estimate(many, AUC(), Bootstrap(50))


def test_weighted_frequencies_are_drawn_as_cells():
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [40, 60])
    s, weight = rng.normal(size=100) + y, rng.uniform(0.5, 2, 100)
    times = np.full(100, 10**9)
    many = pauci.Sample(y, s, weight=weight, frequency=times)
    boot = pauci.estimate(many, AUC(), Bootstrap(2000, rng=1))
    check_standard_error(boot, pauci.estimate(many, AUC()), 40)


def test_replicates_are_drawn_on_demand(two):
    r = resample(Problem((two.ratings("a"),), (AUC(),)), Bootstrap(10, rng=1))
    assert "values" not in vars(r)
    assert r.values.shape == (10, 1)


@pytest.mark.long
def test_plain_functions_bootstrap_too(two):
    from sklearn.metrics import roc_auc_score

    by_function = pauci.estimate(two, roc_auc_score, Bootstrap(300, rng=4))
    by_measure = pauci.estimate(two, AUC(), Bootstrap(300, rng=4))
    for a, b in zip(by_function, by_measure, strict=True):
        assert a.value == pytest.approx(b.value, rel=1e-12)
        np.testing.assert_allclose(a.resampled.replicates, b.resampled.replicates, rtol=1e-12)
        for kind in ("percentile", "basic"):
            assert a.interval(kind=kind) == pytest.approx(b.interval(kind=kind), rel=1e-12)
        assert a.interval() == a.interval(kind="bca")
    c = pauci.compare(two, roc_auc_score, variance=Bootstrap(300, rng=4))
    assert c.se == pytest.approx(pauci.compare(two, AUC(), variance=Bootstrap(300, rng=4)).se)
    assert "roc_auc_score" in c.summary()
    assert "whole curve" not in by_function[0].summary(), "nobody knows what it looks at"
    with pytest.raises(ValueError, match="kind='student' needs the influence values"):
        by_function[0].interval(kind="student")
    with pytest.raises(ValueError, match="roc_auc_score is a plain function"):
        pauci.estimate(two, roc_auc_score)


def test_errors_of_a_function_are_raised(two):
    calls = []

    def broken(*_):
        calls.append(1)
        if len(calls) > 3:
            raise ValueError("my own mistake")
        return 0.5

    with pytest.raises(ValueError, match="my own mistake") as caught:
        pauci.estimate(two["a"], broken, Bootstrap(100, rng=1))
    assert "broken raised this on a resample" in caught.value.__notes__[0]
    listing = pauci.Statistic(lambda *_: [1, 2], "listing")
    with pytest.raises(TypeError, match="listing returned a list"):
        pauci.estimate(two["a"], listing, Bootstrap(10, rng=1))


INTERRUPTED = """
import numpy as np, pauci
if __name__ == "__main__":
    y = np.repeat([1, 0], [300, 700])
    sample = pauci.Sample(y, np.random.default_rng(1).normal(size=1000) + y)
    boot = pauci.Bootstrap(10**6, rng=1, n_jobs=2)
    print("ready", flush=True)
    pauci.estimate(sample, pauci.AP(corrected=True), boot)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_an_interrupt_stops_all_workers(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        process.stdout.readline()
        time.sleep(8)
        assert len(session(process.pid)) > 1, "workers have started"
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
    assert process.returncode != 0
    time.sleep(2)
    assert not session(process.pid)
