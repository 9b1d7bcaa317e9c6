"""The random words from which rows and clusters are drawn, and the same words by NumPy.

The words of a block come from 16 independent streams of the generator SFC64, which compiled code
advances together with vector instructions: word i of the block is word i // 16 of stream i % 16.
The functions here yield the same words by NumPy's own SFC64. The states are random numbers of a
`numpy.random.SeedSequence`, and the counter of each stream starts at 1, as in NumPy. NumPy also
discards the first 12 words, in order to mix a state of few random bits. This is not necessary here,
because all three words of a state are random.

References
----------
C. Doty-Humphrey (2013), PractRand 0.95, generator "sfc64". Every state recurs after at least 2^64
words, because it contains a counter.
"""

import numpy as np

from pauci.checks import AnyArray, IntArray

STREAMS = 16
STEPS = 4
"""Number of words of each stream that are computed at once, while its state is in registers."""

BATCH = STREAMS * STEPS
"""Number of words that are computed at once. The draws of a class begin with a new batch."""


def initial_states(seeds: "np.random.SeedSequence") -> AnyArray:
    """Return the states of the streams, of shape (4 * STREAMS,): all a, b, c and counters."""
    random = seeds.generate_state(3 * STREAMS, np.uint64)
    return np.concatenate((random, np.ones(STREAMS, np.uint64)))


def next_words(states: AnyArray, batches: int) -> AnyArray:
    """Return the next words of all streams, by NumPy's SFC64, and advance the states in place."""
    generator = np.random.SFC64(0)
    words = np.empty((batches * STEPS, STREAMS), np.uint64)
    by_stream = states.reshape(4, STREAMS).T
    for k, state in enumerate(by_stream):
        generator.state = generator.state | {"state": {"state": state.copy()}}
        words[:, k] = generator.random_raw(len(words))
        by_stream[k] = generator.state["state"]["state"]
    return words.ravel()


def drawn_counts(states: AnyArray, size: int, base: int) -> IntArray:
    """Return how often each of `base` rows is drawn, in the same way as `kernels.sweep`.

    Each word gives two draws, from its lower and its upper half.
    """
    words = next_words(states, -(-size // (2 * BATCH)))
    halves = np.column_stack((words & np.uint64(2**32 - 1), words >> np.uint64(32))).ravel()
    rows = halves[:size] * np.uint64(base) >> np.uint64(32)
    return np.bincount(rows.astype(np.int64), minlength=base)
