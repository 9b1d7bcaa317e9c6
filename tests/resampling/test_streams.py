"""The random streams of the bootstrap: known words, NumPy's words, distribution of draws."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, multinomial

import both_kernels
from both_kernels import row_layout
from pauci.resampling.draws import (
    BATCH,
    STEPS,
    STREAMS,
    drawn_counts,
    initial_states,
    next_words,
)

# The first words of PractRand 0.95 with seed 0, printed by `RNG_output sfc64 64 0`. PractRand sets
# a = b = c = 0 and counter = 1, and discards 12 words.
KNOWN = [0x3ACFA029E3CC6041, 0xF5B6515BF2EE419C, 0x1259635894A29B61, 0x0B6AE75395F8EBD6]


def states_of(*seed):
    return initial_states(np.random.SeedSequence(seed))


def zero_states():
    return np.repeat(np.array([0, 0, 0, 1], np.uint64), STREAMS)


def numpy_counts(states, size, base):
    """Return how often the rows of one class are drawn in one replicate, by NumPy."""
    return drawn_counts(states, np.array([[size]]), np.array([base]))[0]


def compiled_counts(states, sizes, bases):
    """Return how often the rows of both classes are drawn in each replicate, by compiled code."""
    k = max(bases)
    layout = row_layout(*(np.arange(n)[None] for n in bases), np.array([k]))
    counts = tuple(np.zeros((len(sizes), 1, k), np.int64) for _ in range(2))
    both_kernels.count(states, tuple(np.array(sizes).T), layout, counts)
    return [c[:, 0, :n] for c, n in zip(counts, bases, strict=True)]


def test_words_of_numpy_are_the_known_words():
    states = zero_states()
    assert len(next_words(states, 3)) == 12 * STREAMS
    words = next_words(states, 1).reshape(STEPS, STREAMS)
    assert (words == np.array(KNOWN, np.uint64)[:, None]).all()


def test_compiled_draws_are_those_of_the_known_words():
    n = 2**16
    _, counts = compiled_counts(zero_states(), [(12 * STREAMS * 2, 2 * BATCH)], (n, n))
    halves = [word >> shift & 0xFFFFFFFF for word in KNOWN for shift in (0, 32)]
    rows = [half >> 16 for half in halves]
    assert counts[0].tolist() == (STREAMS * np.bincount(rows, minlength=n)).tolist()


def test_a_stream_is_numpys_generator_with_the_same_state():
    states = states_of(5)
    first = states.reshape(4, STREAMS).T.copy()
    words = next_words(states, 7).reshape(-1, STREAMS)
    for k in range(STREAMS):
        generator = np.random.SFC64()
        generator.state = generator.state | {"state": {"state": first[k]}}
        assert (generator.random_raw(7 * STEPS) == words[:, k]).all()


@given(
    st.lists(st.tuples(st.integers(0, 255), st.integers(0, 255)), min_size=1, max_size=4),
    st.integers(1, 300),
    st.integers(1, 300),
    st.integers(0, 2**32),
)
def test_compiled_draws_are_those_of_numpy(sizes, n1, n0, seed):
    states, advanced = states_of(seed), states_of(seed)
    compiled = compiled_counts(advanced, sizes, (n1, n0))
    for r, size in enumerate(sizes):
        for counts, number, base in zip(compiled, size, (n1, n0), strict=True):
            assert counts[r].tolist() == numpy_counts(states, number, base).tolist()
    assert states.tolist() == advanced.tolist()


@pytest.mark.parametrize("size", [2 * BATCH - 1, 2 * BATCH, 2 * BATCH + 1, 10 * BATCH, 9_999])
def test_long_samples_are_those_of_numpy(size):
    states, advanced = states_of(size), states_of(size)
    (pos, neg) = compiled_counts(advanced, [(size, 1)], (size, 1))
    assert pos[0].tolist() == numpy_counts(states, size, size).tolist()
    assert neg[0].tolist() == numpy_counts(states, 1, 1).tolist() == [1]
    assert states.tolist() == advanced.tolist()


def test_a_sample_begins_with_a_new_batch():
    """The draws of a class do not depend on the number of draws before them in the same batch."""
    _, few = compiled_counts(states_of(2), [(1, 50)], (9, 50))
    _, many = compiled_counts(states_of(2), [(2 * BATCH, 50)], (40, 50))
    _, more = compiled_counts(states_of(2), [(2 * BATCH + 1, 50)], (40, 50))
    assert (few == many).all()
    assert (few != more).any()


def test_states_come_from_the_seed_sequence():
    seeds = np.random.SeedSequence(7, spawn_key=(3, 0))
    states = initial_states(seeds)
    assert states[: 3 * STREAMS].tolist() == seeds.generate_state(3 * STREAMS, np.uint64).tolist()
    assert (states[3 * STREAMS :] == 1).all()
    assert (initial_states(seeds) == states).all()
    assert len({*states[: 3 * STREAMS].tolist()}) == 3 * STREAMS


def rows_of_halves(lower, upper, n):
    """Return the row that each half of a word draws from n rows, by NumPy and compiled."""
    states = zero_states()
    states[0] = np.uint64(((upper << 32 | lower) - 1) % 2**64)  # the first word is a + b + counter
    drawn = []
    for size in (1, 2):
        counts = numpy_counts(states.copy(), size, n)
        assert compiled_counts(states.copy(), [(size, 1)], (n, 1))[0][0].tolist() == counts.tolist()
        drawn.append(counts)
    return int(drawn[0].argmax()), int((drawn[1] - drawn[0]).argmax())


@pytest.mark.parametrize("n", [1, 2, 3, 7, 9_000, 2**17 + 1])
def test_the_bias_of_a_draw_is_at_most_its_bound(n):
    """Row r is drawn by nearly 2^32 / n halves h, those with r <= h n / 2^32 < r + 1."""
    for r in {0, 1, n // 3, n // 2, n - 2, n - 1} & {*range(n)}:
        first, last = -(-r * 2**32 // n), -(-(r + 1) * 2**32 // n) - 1
        assert rows_of_halves(first, last, n) == (r, r)
        assert rows_of_halves(max(first - 1, 0), min(last + 1, 2**32 - 1), n) == (
            max(r - 1, 0),
            min(r + 1, n - 1),
        )
        assert abs((last - first + 1) * n / 2**32 - 1) <= n / 2**32


@pytest.mark.parametrize(("word", "row"), [(0, 0), (2**64 - 1, 6)])
def test_extreme_words_draw_the_first_and_the_last_row(word, row):
    """The first word of each stream is a + b + counter; a sample of 32 draws uses no others."""
    states = zero_states()
    states[:STREAMS] = np.uint64((word - 1) % 2**64)
    assert (next_words(states.copy(), 1)[:STREAMS] == word).all()
    (counts, _) = compiled_counts(states.copy(), [(2 * STREAMS, 1)], (7, 1))
    assert counts[0].tolist() == [2 * STREAMS * (k == row) for k in range(7)]
    assert numpy_counts(states, 2 * STREAMS, 7).tolist() == counts[0].tolist()


@pytest.mark.parametrize("n", [3, 4])
def test_counts_are_multinomial(n):
    """All outcomes of n draws of n rows, and of another n after them."""
    outcomes = [c for c in itertools.product(range(n + 1), repeat=n) if sum(c) == n]
    share = multinomial(n, [1 / n] * n).pmf(outcomes)
    pos, neg = compiled_counts(states_of(n), [(n, n)] * 60_000, (n, n))
    place = {c: k for k, c in enumerate(outcomes)}
    first, second = ([place[tuple(c)] for c in counts.tolist()] for counts in (pos, neg))
    for found in (first, second):
        observed = np.bincount(found, minlength=len(outcomes))
        assert chisquare(observed, 60_000 * share).pvalue > 1e-3
    pairs = np.bincount(np.array(first) * len(outcomes) + second, minlength=len(outcomes) ** 2)
    expected = 60_000 * np.outer(share, share).ravel()
    large = expected > 5
    z = ((pairs - expected) ** 2 / expected)[large].sum()
    assert abs(z - large.sum()) < 5 * np.sqrt(2 * large.sum())
