"""The kernels of the bootstrap against the curves of resampled rows, by numba and by NumPy."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.metrics import average_precision_score

import both_kernels as kn
import pauci
from both_kernels import cluster_layout, row_layout
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, AxisRegion, PointRegion
from pauci.resampling import kernels
from pauci.resampling.draws import BATCH, initial_states, next_words
from pauci.resampling.numpy_kernels import KINDS, OUTPUTS, request
from strategies import AXES, bounds

RULES = st.sampled_from(["north-east", "middle", "south-west"])
NAN = float("nan")


@st.composite
def regions(draw):
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.fractions(0, 1, max_denominator=draw(st.sampled_from([6, 60]))))
        return PointRegion(draw(AXES), at, draw(RULES))
    return AxisRegion(draw(AXES), *draw(bounds()), draw(RULES))


@st.composite
def problems(draw, max_size=12):
    """Draw codes of two classifiers on the same rows, numbers of draws, and random states."""
    n1, n0 = draw(st.integers(1, max_size)), draw(st.integers(1, max_size))
    groups = np.array(draw(st.lists(st.integers(1, 9), min_size=2, max_size=2)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    # A code may have no rows, for example if all frequencies are 0.
    codes = np.stack([rng.integers(0, k, n1 + n0) for k in groups]).astype(np.int32)
    sizes = rng.integers(1, 2 * max_size, (2, 3))
    return codes, n1, groups, tuple(sizes), states_of(rng.integers(2**32))


def states_of(seed):
    return initial_states(np.random.SeedSequence(seed))


def drawn(states, size, n):
    """The rows that are drawn, from the 32-bit halves of the next words, in their order."""
    words = next_words(states, -(-size // (2 * BATCH)))
    return [(int(w) >> s & (2**32 - 1)) * n >> 32 for w in words for s in (0, 32)][:size]


def resampled(problem):
    """Yield the row numbers of each replicate, positives first."""
    codes, n1, _, sizes, states = problem
    states = states.copy()
    for size1, size0 in zip(*(s.tolist() for s in sizes), strict=True):
        pos = drawn(states, size1, n1)
        neg = drawn(states, size0, codes.shape[1] - n1)
        yield np.array(pos), np.array(neg) + n1


def curve_of(pos, neg):
    """The curve of counts by tie group, with groups of no count left in."""
    cum_pos, cum_neg = (np.concatenate(([0], np.cumsum(c))) for c in (pos, neg))
    scores = -np.arange(float(len(pos)))
    return Curve(CountTable(scores, cum_pos, cum_neg, int(cum_pos[-1]), int(cum_neg[-1])))


def counted(problem, rows, c):
    codes, _, groups, *_ = problem
    return [np.bincount(codes[c, r], minlength=groups[c]) for r in rows]


def layout_of(problem):
    codes, n1, groups, *_ = problem
    return row_layout(codes[:, :n1], codes[:, n1:], groups)


def swept(problem, requests, targets=None):
    targets = np.full(len(requests), NAN) if targets is None else np.array(targets)
    out = np.full((problem[3][0].size, len(requests), OUTPUTS), -9.0)
    states = problem[4].copy()
    kn.sweep(states, problem[3], layout_of(problem), (np.array(requests), targets), out)
    return out


def expected_piece(curve, region):
    start, end = region.piece(curve)
    return [curve.area(start, end), start.fpr, start.tpr, end.fpr, end.tpr]


def kappas(pos, neg, share):
    n1, n0 = pos.sum(), neg.sum()
    share = n1 / (n1 + n0) if np.isnan(share) else share
    x, y = (np.concatenate(([0], np.cumsum(c))) / c.sum() for c in (neg, pos))
    f = share * y + (1 - share) * x
    return x, 2 * share * (1 - share) * (y - x) / (share * (1 - f) + (1 - share) * f)


def precision(pos, neg, share):
    """Average precision at a prevalence, by its definition."""
    total = 0.0
    for k in np.flatnonzero(pos):
        y, x = pos[: k + 1].sum() / pos.sum(), neg[: k + 1].sum() / neg.sum()
        total += pos[k] / pos.sum() * share * y / (share * y + (1 - share) * x)
    return total


@given(problems(), st.lists(regions(), min_size=1, max_size=4))
def test_parts_are_those_of_the_resampled_curve(problem, cuts):
    asked = [(c, r) for r in cuts for c in (1, 0)]
    found = swept(problem, [request("piece", c, r) for c, r in asked])
    for answers, rows in zip(found, resampled(problem), strict=True):
        for answer, (c, region) in zip(answers, asked, strict=True):
            curve = curve_of(*counted(problem, rows, c))
            start, end = region.piece(curve)
            expected = expected_piece(curve, region)
            if start.share == end.share == 0.0:
                assert answer.tolist() == expected
            else:
                assert answer == pytest.approx(expected, rel=1e-14, abs=1e-15)


@given(problems(), AXES, bounds(), st.sampled_from(["north-east", "middle"]))
def test_empty_groups_have_no_effect(problem, axis, bound, ends):
    region = pauci.PAUCc(**{axis: bound, "ends": ends}).region
    found = swept(problem, [request("piece", 0, region)])
    for answer, rows in zip(found[:, 0], resampled(problem), strict=True):
        pos, neg = counted(problem, rows, 0)
        held = pos + neg > 0
        expected = expected_piece(curve_of(pos[held], neg[held]), region)
        assert answer == pytest.approx(expected, rel=1e-14, abs=1e-15)


@given(problems(), st.data())
def test_groups_are_selected_by_positions(problem, data):
    curves = [[curve_of(*counted(problem, rows, c)) for rows in resampled(problem)] for c in (0, 1)]
    asked = []
    for c in (0, 1):
        size = curves[c][0].table.size
        first = data.draw(st.integers(0, size - 1))
        asked.append((first, data.draw(st.integers(first + 1, size))))
    found = swept(problem, [request("piece", c, asked[c]) for c in (0, 1)])
    for r, answers in enumerate(found):
        for c, answer in enumerate(answers):
            curve = curves[c][r]
            start, end = (curve.knot(k) for k in asked[c])
            expected = [curve.area(start, end), start.fpr, start.tpr, end.fpr, end.tpr]
            assert answer.tolist() == expected


def corrected_precision(pos, neg, target):
    """Return the jackknife of the rows of one sample, or of two at a given prevalence."""
    if min(pos.sum(), neg.sum()) < 2:
        return NAN

    def value(pos, neg):
        own = pos.sum() / (pos.sum() + neg.sum())
        return precision(pos, neg, own if np.isnan(target) else target)

    without = [[], []]
    for c, counts in enumerate((pos, neg)):
        for k in np.flatnonzero(counts):
            fewer = [pos.copy(), neg.copy()]
            fewer[c][k] -= 1
            without[c].append((counts[k], value(*fewer)))
    whole = value(pos, neg)
    bias = 0.0
    for rows in [[*without[0], *without[1]]] if np.isnan(target) else without:
        times, values = np.array(rows).T
        bias += (times.sum() - 1) * (times @ values / times.sum() - whole)
    return min(max(whole - bias, 0.0), 1.0)


@given(problems(), st.sampled_from([NAN, 0.01, 0.3, 0.9]))
def test_other_areas(problem, target):
    requests = [request(k, c) for k in KINDS[1:] for c in (0, 1)]
    found = swept(problem, requests, [target] * len(requests))
    assert (found[:, :, 2:] == -9.0).all()
    sizes = np.stack(problem[3])
    assert (found[:, :, 1] == (sizes[0] / sizes.sum(axis=0))[:, None]).all()
    for answers, rows in zip(found[:, :, 0].tolist(), resampled(problem), strict=True):
        for c in (0, 1):
            pos, neg = counted(problem, rows, c)
            x, kappa = kappas(pos, neg, target)
            if np.isnan(target):
                scores = -problem[0][c, np.concatenate(rows)]
                labels = np.repeat([1, 0], [rows[0].size, rows[1].size])
                up = average_precision_score(labels, scores)
                down = average_precision_score(1 - labels, -scores)
            else:
                up = precision(pos, neg, target)
                down = precision(neg[::-1], pos[::-1], 1 - target)
            auk = (np.diff(x) * (kappa[1:] + kappa[:-1])).sum() / 2
            expected = [
                *(up, down),
                corrected_precision(pos, neg, target),
                corrected_precision(neg[::-1], pos[::-1], 1 - target),
                *(auk, kappa.max()),
                pos.sum() / (pos.sum() + neg.sum()),
            ]
            assert answers[c::2] == pytest.approx(expected, abs=1e-13, nan_ok=True)


@given(problems(), st.lists(regions(), min_size=1, max_size=2))
def test_counts_give_the_same_as_rows(problem, cuts):
    requests = [request("piece", c, r) for r in cuts for c in (0, 1)]
    requests += [request(k, c) for k in KINDS for c in (0, 1)]
    found = swept(problem, requests)
    groups = problem[2]
    counts = tuple(np.full((3, 2, groups.max()), -9) for _ in range(2))
    kn.count(problem[4].copy(), problem[3], layout_of(problem), counts)
    for r, rows in enumerate(resampled(problem)):
        for c in (0, 1):
            for side, expected in zip(counts, counted(problem, rows, c), strict=True):
                assert side[r, c, : groups[c]].tolist() == expected.tolist()
                assert (side[r, c, groups[c] :] == -9).all()
    again = np.full_like(found, -9.0)
    asked = np.array(requests), np.full(len(requests), NAN)
    kn.sweep_counts(counts, groups, asked, again)
    np.testing.assert_allclose(again, found, rtol=1e-14, atol=1e-15)
    assert (again[:, : 2 * len(cuts)] == found[:, : 2 * len(cuts)]).all()


@given(problems(), regions(), st.integers(1, 5), st.integers(0, 99))
def test_kernel_draws_keep_clusters_whole(problem, region, n_clusters, seed):
    codes, n1, groups, *_ = problem
    rng = np.random.default_rng(seed)
    n = codes.shape[1]
    order = rng.permutation(n)
    codes, positive = codes[:, order], order < n1
    cluster = rng.integers(0, n_clusters, n)
    cluster[rng.integers(n)] = n_clusters - 1
    layout = cluster_layout(codes, positive, cluster, groups)
    draws = np.array([n_clusters, 1, 2 * n_clusters])
    states = states_of(seed)
    requests = [request("piece", c, region) for c in (0, 1)] + [request("ap")]
    out = np.zeros((3, 3, OUTPUTS))
    kn.sweep(states.copy(), (draws,), layout, (np.array(requests), np.full(3, NAN)), out)
    counts = np.zeros((3, 2, groups.max()), int), np.zeros((3, 2, groups.max()), int)
    kn.count(states.copy(), (draws,), layout, counts)
    for r, size in enumerate(draws.tolist()):
        chosen = drawn(states, size, n_clusters)
        rows = np.concatenate([np.flatnonzero(cluster == g) for g in chosen])
        for c in (0, 1):
            pos, neg = (
                np.bincount(codes[c, rows[own]], minlength=groups[c])
                for own in (positive[rows], ~positive[rows])
            )
            assert counts[0][r, c, : groups[c]].tolist() == pos.tolist()
            assert counts[1][r, c, : groups[c]].tolist() == neg.tolist()
            if min(pos.sum(), neg.sum()) == 0:
                assert np.isnan(out[r]).all()
                continue
            expected = expected_piece(curve_of(pos, neg), region)
            assert out[r, c] == pytest.approx(expected, rel=1e-14, abs=1e-15)
            if c == 0:
                share = pos.sum() / (pos.sum() + neg.sum())
                assert out[r, 2, 0] == pytest.approx(precision(pos, neg, share), abs=1e-14)


def example(sizes, n1=40, n0=60, levels=15, seed=5):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, levels, (2, n1 + n0)).astype(np.int32)
    return codes, n1, np.array([levels, levels]), sizes, states_of(seed)


EVERYTHING = [request(k, c) for k in KINDS for c in (0, 1)]
EVERYTHING += [request("piece", 1, AxisRegion("tpr", Fraction(4, 5), Fraction(1)))]


def test_a_replicate_without_a_class_is_nan():
    sizes = np.array([3, 0, 5, 0]), np.array([4, 4, 0, 0])
    found = swept(example(sizes), EVERYTHING)
    assert np.isnan(found[1:]).all()
    assert np.isfinite(found[0]).all()


def test_empty_counts_are_nan():
    counts = np.array([[[1, 0, 2]], [[0, 0, 0]]]), np.array([[[0, 3, 1]], [[1, 1, 1]]])
    out = np.zeros((2, 1, OUTPUTS))
    kn.sweep_counts(counts, np.array([3]), (np.array([request("piece")]), np.array([NAN])), out)
    assert np.isnan(out[1]).all()
    assert out[0, 0].tolist() == [(3 * 1 + 1 * 2) / 12, 0.0, 0.0, 1.0, 1.0]


def test_the_same_states_give_the_same_replicates_in_any_batches():
    rng = np.random.default_rng(8)
    sizes = rng.integers(1, 90, 20), rng.integers(1, 90, 20)
    problem = example(sizes)
    whole, parts = swept(problem, EVERYTHING), []
    layout, targets = layout_of(problem), np.full(len(EVERYTHING), NAN)
    for some in np.split(np.arange(20), [1, 2, 9]):
        part = sizes[0][some], sizes[1][some]
        parts.append(np.full((some.size, *whole.shape[1:]), -9.0))
        # The states are advanced, so that the next part continues with the next words.
        kn.sweep(problem[4], part, layout, (np.array(EVERYTHING), targets), parts[-1])
    assert np.array_equal(np.concatenate(parts), whole)


def ranked(problem):
    """The same rows in the ranking of the first classifier, in which sums are calculated faster."""
    codes, n1, *_ = problem
    order = np.lexsort((codes[0], np.arange(codes.shape[1]) >= n1))
    return codes[:, order], *problem[1:]


@pytest.mark.parametrize("n", [1, 2, 8, 63])
def test_up_to_255_draws_of_a_row_are_counted(n):
    """Eight counts are added in one word, so that their sums must not exceed a byte either."""
    problem = ranked(example((np.full(9, 255), np.arange(247, 256)), n1=n, n0=n, levels=3))
    for answers, rows in zip(swept(problem, EVERYTHING), resampled(problem), strict=True):
        for c in (0, 1):
            curve = curve_of(*counted(problem, rows, c))
            assert answers[c].tolist() == expected_piece(curve, WHOLE)


@pytest.mark.parametrize("n", [64, 1000])
def test_up_to_four_draws_per_row_are_counted(n):
    problem = ranked(example((np.full(3, 4 * n), np.full(3, 4 * n)), n1=n, n0=n, levels=n))
    for answers, rows in zip(swept(problem, EVERYTHING), resampled(problem), strict=True):
        for c in (0, 1):
            curve = curve_of(*counted(problem, rows, c))
            assert answers[c].tolist() == expected_piece(curve, WHOLE)


def test_an_overflow_of_sums_is_practically_impossible():
    """A union bound over samples of as many draws per row as are accepted."""
    most, ratio, rows_of_a_word = kernels.LARGEST, kernels.MOST_PER_UNIT, 8
    for rows in (64, 1000, 10**6, 2**32):
        draws = ratio * rows
        tail = binom.logsf(most, draws, rows_of_a_word / rows) / np.log(10)
        assert np.log10(rows) + tail < -120
    problem = ranked(example((np.array([ratio * 64]),) * 2, n1=64, n0=64))
    swept(problem, EVERYTHING)
    problem = example((np.array([ratio * 64 + 1]),) * 2, n1=64, n0=64)
    with pytest.raises(ValueError, match=f"at most {ratio} draws per row, or {most} draws"):
        swept(problem, EVERYTHING)


@pytest.mark.parametrize("sizes", [(256, 5), (5, 256), (2**17, 2**16)])
def test_samples_that_may_overflow_the_counts_are_an_error(sizes):
    problem = example(tuple(np.array([size]) for size in sizes), n1=63, n0=63)
    with pytest.raises(ValueError, match="at most 4 draws per row, or 255 draws"):
        swept(problem, EVERYTHING)


def test_too_many_draws_of_clusters_are_an_error():
    codes, positive = np.zeros((1, 6), np.int32), np.arange(6) < 3
    layout = cluster_layout(codes, positive, np.arange(6) // 2, np.array([1]))
    counts = np.zeros((1, 1, 1), int), np.zeros((1, 1, 1), int)
    kn.count(states_of(1), (np.array([255]),), layout, counts)
    assert counts[0].sum() + counts[1].sum() == 2 * 255
    with pytest.raises(ValueError, match="255 draws"):
        kn.count(states_of(1), (np.array([256]),), layout, counts)


def test_areas_of_long_samples_are_exact():
    rng = np.random.default_rng(2)
    codes = np.stack([rng.permutation(5000) for _ in range(2)]).astype(np.int32)
    sizes = np.full(4, 1500), np.full(4, 3500)
    problem = codes, 1500, np.array([5000, 5000]), sizes, states_of(3)
    cuts = [WHOLE, AxisRegion("fpr", Fraction(0), Fraction(1, 10))]
    cuts += [AxisRegion(a, Fraction(1, 5), Fraction(4, 5), "middle") for a in ("fpr", "tpr")]
    found = swept(problem, [request("piece", c, r) for r in cuts for c in (0, 1)])
    for answers, rows in zip(found, resampled(problem), strict=True):
        curves = [curve_of(*counted(problem, rows, c)) for c in (0, 1)]
        expected = [expected_piece(curve, r) for r in cuts for curve in curves]
        np.testing.assert_allclose(answers, expected, rtol=1e-15)


@pytest.mark.parametrize("n1", [127, 128, 131, 300])
@pytest.mark.parametrize("target", [NAN, 0.2])
def test_average_precisions_of_several_blocks_of_rows(n1, target):
    """The rows of a class are not tied for the first classifier, and tied for the second."""
    rng = np.random.default_rng(n1)
    untied = rng.permutation(2 * n1)
    codes = np.stack([untied, untied // 7]).astype(np.int32)
    sizes = np.full(3, n1), np.array([1, n1, 2 * n1])
    problem = codes, n1, codes.max(axis=1) + 1, sizes, states_of(5)
    layout = layout_of(problem)
    assert [u.tolist() for u in layout.untied] == [[1, 0], [1, 0]]
    requests = [request(k, c) for k in ("ap", "ap of negatives") for c in (0, 1)]
    found = swept(problem, requests, [target] * 4)[:, :, 0]
    for answers, rows in zip(found, resampled(problem), strict=True):
        counts = [counted(problem, rows, c) for c in (0, 1)]
        expected = []
        for up in (False, True):
            for pos, neg in counts:
                share = pos.sum() / (pos.sum() + neg.sum()) if np.isnan(target) else target
                if up:
                    pos, neg, share = neg[::-1], pos[::-1], 1.0 - share
                expected.append(precision(pos, neg, share))
        assert answers == pytest.approx(expected, rel=1e-13)


def test_workers_do_not_compile_again():
    compiled = pytest.importorskip("pauci.resampling.numba_kernels", exc_type=ImportError)
    problem = example((np.array([3]), np.array([4])))
    first, known = swept(problem, EVERYTHING), len(compiled._core.signatures)
    layout = pickle.loads(pickle.dumps(layout_of(problem)))
    out = np.zeros_like(first)
    targets = np.full(len(EVERYTHING), NAN)
    kn.sweep(problem[4].copy(), problem[3], layout, (np.array(EVERYTHING), targets), out)
    assert np.array_equal(out[:, 0], first[:, 0])
    assert len(compiled._core.signatures) == known


def test_code_is_compiled_once_for_all_calls():
    """For few and many rows, one and two classifiers, rows, clusters and counts."""
    compiled = pytest.importorskip("pauci.resampling.numba_kernels", exc_type=ImportError)
    from numba.types import Literal

    small = example((np.array([3]), np.array([4])))
    many = np.array([2**16]), np.array([2**16 + 1])
    large = example(many, n1=2**16, n0=2**16)
    alone = (small[0][:1], 40, small[2][:1], *small[3:])
    for problem in (small, large, alone):
        swept(problem, [row for row in EVERYTHING if row[1] < len(problem[0])])
        counts = tuple(np.zeros((1, len(problem[0]), 15), int) for _ in range(2))
        kn.count(problem[4], problem[3], layout_of(problem), counts)
        out = np.zeros((1, 1, OUTPUTS))
        kn.sweep_counts(counts, problem[2], (np.array([request("ap")]), np.array([NAN])), out)
    codes, positive = np.zeros((1, 6), np.int32), np.arange(6) < 3
    layout = cluster_layout(codes, positive, np.arange(6) // 2, np.array([1]))
    draws, out = np.array([200]), np.zeros((1, 1, OUTPUTS))
    kn.sweep(states_of(1), (draws,), layout, (np.array([request("piece")]), np.array([NAN])), out)
    assert len(compiled._core.signatures) == 1
    parts = [f for f in vars(compiled).values() if hasattr(f, "nopython_signatures")]
    assert parts
    # Parts are not compiled again for other constants either.
    assert all(not isinstance(t, Literal) for f in parts for s in f.signatures for t in s)
