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

from collections.abc import Iterator

import numpy as np

from pauci.checks import AnyArray

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


def drawn_counts(states: AnyArray, sizes: AnyArray, bases: AnyArray) -> AnyArray:
    """Return how often each unit is drawn in each replicate, in the same way as the compiled loops.

    Parameters
    ----------
    states : ndarray of uint64
        States of the streams, which are advanced.
    sizes : ndarray of shape (K, R)
        Number of draws from each of the K classes in each replicate.
    bases : ndarray of shape (K,)
        Number of units of each class.

    Returns
    -------
    ndarray of shape (R, sum of `bases`)
        Numbers of draws of the units of all classes. Each word gives two draws, from its lower and
        its upper half.
    """
    replicates, units = sizes.shape[1], int(bases.sum())
    sizes = sizes.T.ravel()
    batches = (-(-sizes // (2 * BATCH))).astype(np.intp)
    words = next_words(states, int(batches.sum())).astype("<u8", copy=False)
    draws = words.view("<u4").reshape(-1, 2 * BATCH) * _repeated(bases, replicates, batches)
    draws >>= np.uint64(32)
    firsts = np.arange(replicates)[:, None] * units + np.cumsum(bases) - bases
    cells = draws.astype(np.intp) + np.repeat(firsts.ravel(), batches)[:, None]
    # The draws of a replicate and class end within its last batch; the others are not counted.
    drawing = sizes > 0
    last = np.cumsum(batches)[drawing] - 1
    left = (sizes - (batches - 1) * 2 * BATCH)[drawing]
    unused = np.arange(2 * BATCH) >= left[:, None]
    cells[last] = np.where(unused, replicates * units, cells[last])
    counts = np.bincount(cells.ravel(), minlength=replicates * units + 1)
    return counts[:-1].reshape(replicates, units)


def _repeated(bases: AnyArray, replicates: int, batches: AnyArray) -> AnyArray:
    """Return the number of units from which each batch draws, as a column."""
    return np.repeat(np.tile(bases.astype(np.uint64), replicates), batches)[:, None]


def draws_in_batches(
    states: AnyArray, sizes: AnyArray, bases: AnyArray, most: int
) -> Iterator[tuple[slice, AnyArray]]:
    """Yield the counts of `drawn_counts` for parts of the replicates.

    A part has about `most` units and draws, and at least one replicate.
    """
    draws = sizes.sum(axis=0).max(initial=0)
    step = max(1, most // int(max(bases.sum(), draws, 2 * BATCH)))
    for first in range(0, sizes.shape[1], step):
        part = slice(first, first + step)
        yield part, drawn_counts(states, sizes[:, part], bases)
