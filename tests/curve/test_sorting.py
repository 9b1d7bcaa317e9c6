"""Sorting and counting, compared with NumPy."""

import itertools
import pickle

import numpy as np
import pytest

import pauci
from blocks import use_small_blocks
from pauci.curve import sorting
from pauci.curve.counts import CountTable, LargeCountTable, tabulate

DTYPES = ["float64", "float32", "int8", "uint8", "int16", "int32", "int64", "uint64", "longdouble"]


@pytest.fixture(params=[1, 2], ids=["one processor", "two processors"])
def small_blocks(request, monkeypatch):
    """Use small blocks, so that few rows run through the code for many."""
    use_small_blocks(monkeypatch, 16, "curve.sorting", "curve.counts", "curve.exact_sums")
    monkeypatch.setattr(sorting, "LARGE_BLOCK", 24)
    monkeypatch.setattr(sorting, "_MIN_ROWS_FOR_THREADS", 0)
    monkeypatch.setattr(sorting, "_MIN_ROWS_TO_PACK", 0)
    monkeypatch.setattr(sorting, "_processors", lambda: request.param)


def scores(dtype, ties, n=203):
    rng = np.random.default_rng(len(dtype) + ties)
    if np.dtype(dtype).kind == "f":
        values = rng.normal(size=n)
        values = np.round(values, 1) if ties else values
        values[:3] = 0.0, -0.0, 0.0
    else:
        values = rng.integers(0, 20 if ties else 120, n)
    return values.astype(dtype), rng.random(n) < (0.2 if ties else 0.7)


def expected(values, positive):
    """Count every group by comparing each distinct value with all rows."""
    distinct = np.unique(values)[::-1]
    pos, neg = ([int((values[c] == v).sum()) for v in distinct] for c in (positive, ~positive))
    codes = [int(np.flatnonzero(distinct == v)[0]) for v in values]
    return distinct, np.cumsum([0, *pos]), np.cumsum([0, *neg]), codes


def sorted_counts(values, positive):
    """Return distinct values and cumulative counts, by NumPy."""
    distinct, group = np.unique(values, return_inverse=True)
    counts = [np.bincount(group[c], minlength=distinct.size)[::-1] for c in (positive, ~positive)]
    return distinct[::-1], *(np.append(0, np.cumsum(c)) for c in counts)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_cumulative_counts(dtype, share):
    for size in [*range(20), 1_000, 70_001]:
        mask = np.random.default_rng(size).random(size) < share
        counts = sorting.cumulative_counts(mask, dtype)
        assert counts.dtype == dtype
        assert counts.tolist() == np.cumsum(mask).tolist()


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("ties", [False, True], ids=["few ties", "ties"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("want_codes", [False, True], ids=["values", "rows"])
def test_the_table_is_that_of_comparing_all(dtype, ties, want_codes):
    values, positive = scores(dtype, ties)
    sizes = int(positive.sum()), int((~positive).sum())
    table, codes = tabulate(values, positive, None, sizes, want_codes=want_codes)
    distinct, cum_pos, cum_neg, rows = expected(values, positive)
    assert table.scores.tolist() == distinct.tolist()
    assert table.cum_pos.tolist() == cum_pos.tolist()
    assert table.cum_neg.tolist() == cum_neg.tolist()
    assert table.cum_pos.dtype == table.cum_neg.dtype == np.int64
    assert codes is None if not want_codes else codes.tolist() == rows


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("ties", [None, False, True], ids=["no ties", "few ties", "ties"])
def test_a_large_table_gives_the_same_results(ties):
    values, positive = scores("float64", bool(ties))
    if ties is None:
        values[:2] = 5.0, -5.0
    sizes = int(positive.sum()), int((~positive).sum())
    large, _ = tabulate(values, positive, None, sizes, want_codes=False)
    assert isinstance(large, LargeCountTable)
    assert large.is_untied == (ties is None)
    distinct, cum_pos, cum_neg, _ = expected(values, positive)
    plain = CountTable(distinct, cum_pos, cum_neg, *sizes)
    top = large.part(2, 30)  # before the sums of the other groups have been calculated
    assert [a.tolist() for a in top] == [a.tolist() for a in plain.part(2, 30)]
    some = np.array([0, 3, large.size])
    again = pickle.loads(pickle.dumps(large))
    for one, other in ((again, plain), (large, plain), (large.swapped(), plain.swapped())):
        for first, stop in ((0, other.size), (0, 0), (3, 3), (0, 50), (20, other.size), (40, 90)):
            assert one.twice_area(first, stop) == other.twice_area(first, stop)
        assert one.exact
        assert one.size == other.size
        assert (one.total_pos, one.total_neg) == (other.total_pos, other.total_neg)
        assert one.scores.tolist() == other.scores.tolist()
        assert one.cum_pos.tolist() == other.cum_pos.tolist()
        assert one.cum_neg.tolist() == other.cum_neg.tolist()
        assert [a.tolist() for a in one.part(5, 40)] == [a.tolist() for a in other.part(5, 40)]
        assert one.at(7) == other.at(7)
        assert [a.tolist() for a in one.at(some)] == [a.tolist() for a in other.at(some)]
        levels = np.array([-1.0, 0.0, 0.5, 1.0, 10.0, 33.3, 1e3])
        for of in ("positives", "negatives"):
            for side in ("left", "right"):
                found = [t.find(of, levels, side) for t in (one, other)]
                assert found[0].tolist() == found[1].tolist()
                for level in (0, 1, 10, other.total_pos, other.total_neg, 500):
                    assert one.find(of, level, side) == other.find(of, level, side)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    "values",
    [
        1.0 + np.arange(300) % 7 * np.finfo(float).eps,
        -1e-300 * (np.arange(300) % 11),
        np.array([0.0, -0.0, 5e-324, -5e-324] * 60),
        2**62 + np.arange(300) % 13,
        -(2**63) + np.arange(300) % 13,
        (np.arange(300) * 7919 % 300).astype(np.float32),
        np.r_[np.repeat(0.5, 200), 0.5 + np.arange(100)[::-1] * 1e-16],
    ],
    ids=["last bits", "tiny", "zeros", "large integers", "least integers", "float32", "ties too"],
)
def test_the_order_is_exact(values):
    order, ends_group = sorting.sort_rows(values)
    assert sorted(order.tolist()) == list(range(values.size))
    ordered = np.sort(values)
    assert values[order].tolist() == ordered.tolist()
    assert ends_group.tolist() == [*(ordered[1:] != ordered[:-1]).tolist(), True]


@pytest.mark.parametrize("low", [-(2**63), 2**63 - 5, 2**64 - 5])
def test_integers_at_the_ends_of_their_types_are_counted(low):
    dtype = np.uint64 if low >= 2**63 - 5 else np.int64
    values = np.array([low, low + 1, low + 4, low + 1, low], dtype)
    positive = np.array([True, False, True, True, False])
    groups, _, least = sorting.count_integers(values, positive)
    assert least == low
    assert groups.distinct().tolist() == [low + 4, low + 1, low]
    assert groups.cum_pos.tolist() == [0, 1, 2, 3]
    assert groups.cum_rows.tolist() == [0, 1, 3, 5]


def test_a_failure_in_a_thread_is_raised(monkeypatch):
    monkeypatch.setattr(sorting, "_processors", lambda: 2)

    def fail():
        raise MemoryError("none left")

    with pytest.raises(MemoryError, match="none left"):
        sorting.run_jobs([fail, fail], 2**20)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("of_rows", [False, True], ids=["values", "rows"])
def test_the_smallest_and_largest_numbers_are_in_order(of_rows):
    """Labels and row numbers replace the last bits, which must not change a number to infinity."""
    largest, zero = np.finfo(float).max, np.array([0.0, -0.0, 5e-324, -5e-324, 1e-323])
    ends = np.nextafter(largest, 0), largest, -largest, np.nextafter(-largest, 0)
    values = np.r_[np.tile(zero, 20), np.repeat(ends, 9), np.linspace(-1, 1, 90)]
    positive = np.arange(values.size) % 3 == 0
    sizes = int(positive.sum()), int((~positive).sum())
    table, codes = tabulate(values, positive, None, sizes, want_codes=of_rows)
    distinct, cum_pos, cum_neg, rows = expected(values, positive)
    assert table.scores.tolist() == distinct.tolist()
    assert (table.score(0), table.score(table.size - 1)) == (largest, -largest)
    assert table.cum_pos.tolist() == cum_pos.tolist()
    assert table.cum_neg.tolist() == cum_neg.tolist()
    assert codes is None if not of_rows else codes.tolist() == rows


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("label", ["positives", "negatives"])
def test_merged_groups_are_those_of_the_definition(label, ties):
    """Neighbouring groups without rows of a class are one group, also at the ends of blocks."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        n, share = int(rng.integers(20, 70)), rng.choice([0.05, 0.3, 0.7, 0.95])
        values = rng.permutation(n) * 1.0 if not ties else np.arange(n) * 19 // 20 * 1.0
        positive = rng.random(n) < share
        positive[:2] = True, False
        sizes = int(positive.sum()), int((~positive).sum())
        table, _ = tabulate(values, positive, None, sizes, want_codes=False)
        assert isinstance(table, LargeCountTable)
        expected_groups = []  # score, positives and negatives
        of_class = 1 if label == "positives" else 2
        for group in zip(
            table.scores.tolist(), table.pos.tolist(), table.neg.tolist(), strict=True
        ):
            if expected_groups and not group[of_class] and not expected_groups[-1][of_class]:
                _, pos, neg = expected_groups.pop()
                group = group[0], group[1] + pos, group[2] + neg
            expected_groups.append(group)
        merged = table.merged(label)
        assert merged.cum_pos[-1] == sizes[0]
        assert merged.cum_neg[-1] == sizes[1]
        columns = merged.scores, merged.pos, merged.neg
        groups = zip(*(c.tolist() for c in columns), strict=True)
        assert list(groups) == expected_groups


@pytest.mark.parametrize("copies", [3 * 10**4, 10**9, 15 * 10**8, 2 * 10**9, 10**15])
def test_areas_of_large_frequencies_do_not_overflow(copies):
    """Twice the number of pairs exceeds 64 bits from a billion copies of each row."""
    y, scores = np.array([1, 0, 1, 0, 1]), np.array([5, 2, 4, 3, 3])
    single = pauci.Sample(y, scores).ratings().curve
    many = pauci.Sample(y, scores, frequency=np.full(5, copies)).ratings().curve
    for measure in (pauci.AUC(), pauci.PAUC(fpr=(0, 0.5)), pauci.PAUCc(fpr=(0.2, 0.7)), pauci.AP()):
        assert measure.on(many) == pytest.approx(measure.on(single), rel=1e-12)
    assert pauci.AUC().on(many) == pytest.approx(5.5 / 6, abs=1e-12)


def test_single_rows_next_to_zero():
    """One row at each of the smallest numbers among many others, as single rows and as ties."""
    rng = np.random.default_rng(9)
    for labels in itertools.product([False, True], repeat=4):
        scores = np.r_[0.0, 0.0, -5e-324, 5e-324, rng.normal(size=20_000)]
        positive = np.r_[np.array(labels), rng.random(20_000) < 0.5]
        sizes = int(positive.sum()), int((~positive).sum())
        for _ in range(4):
            order = rng.permutation(scores.size)
            table, _ = tabulate(scores[order], positive[order], None, sizes, want_codes=False)
            distinct, cum_pos, cum_neg = sorted_counts(scores, positive)
            assert np.array_equal(table.scores, distinct)
            assert np.array_equal(table.cum_pos, cum_pos)
            assert np.array_equal(table.cum_neg, cum_neg)
