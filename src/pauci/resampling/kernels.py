"""Kernels of the bootstrap: resampled curves without sorting or copying a row.

A replicate consists of the number of times that each row (or cluster) was drawn. The rows of each
class are ranked once. Cumulative sums of these numbers in rank order are the resampled curve.
Positions agree exactly with `pauci.curve`: integer counts are compared with rational bounds, and
twice an area is summed in integers, so that a piece is the same as that of `Curve` for the
resampled table.

Loops that numba compiles calculate them one replicate at a time (`numba_kernels`), and without
numba, NumPy calculates them for many replicates at once (`numpy_kernels`), with the same draws and
the same formulas. The results differ only by the order in which numbers are added.
"""

from functools import cache
from types import ModuleType

import numpy as np

from pauci.checks import AnyArray
from pauci.errors import InputError
from pauci.resampling import numpy_kernels
from pauci.resampling.draws import Pair, RowLayout, layout
from pauci.resampling.numpy_kernels import OUTPUTS

Sizes = tuple[AnyArray, ...]

LARGEST = 255
"""Largest number of draws of a row that the compiled loops count."""

MOST_PER_UNIT = 4
"""Largest ratio of draws to units in samples of more than 255 draws. A sum of eight counts
overflows if these units are drawn more than 255 times, which has a probability below 1e-120."""


@cache
def implementation() -> ModuleType:
    """Return the module of the compiled loops if numba can be imported, or else that of NumPy."""
    try:
        from pauci.resampling import numba_kernels
    except ImportError:  # numba is not installed, or does not support this version of NumPy
        return numpy_kernels
    return numba_kernels


def sweep(states: AnyArray, sizes: Sizes, layout: RowLayout, requests: Pair, out: AnyArray) -> None:
    """Draw rows of each class, or clusters, with replacement, and evaluate requests.

    Parameters
    ----------
    states : ndarray of uint64
        States of the random streams (see `draws`), which are advanced. The positives of a
        replicate are drawn first, then its negatives, each from the beginning of a batch of words.
        A half h of a word, lower half first, draws row ``(h * n) >> 32`` of n rows.
    sizes : tuple of ndarrays of shape (R,), layout : RowLayout
        Positives and negatives to draw, or (clusters to draw,), and the rows from `layout`. The
        results of a replicate without one of the classes are NaN.
    requests : tuple of ndarrays of shape (Q, 9) and (Q,)
        Rows from `request`, and the prevalences at which numbers are evaluated; NaN means that of
        the replicate.
    out : ndarray of shape (R, Q, 5), float64
        Receives the results (see `OUTPUTS`); entries that a request does not use are unchanged.
    """
    none = np.empty((0, 0, 0), np.int64)
    _run(states, sizes, layout, requests, (none, none), out)


def count(states: AnyArray, sizes: Sizes, layout: RowLayout, counts: Pair) -> None:
    """Count by tie group the replicates that `sweep` draws: int64 arrays of shape (R, C, K)."""
    _run(states, sizes, layout, (np.empty((0, 9)), np.empty(0)), counts, np.empty((0, 0, OUTPUTS)))


def sweep_counts(counts: Pair, groups: AnyArray, requests: Pair, out: AnyArray) -> None:
    """Evaluate requests on counts by tie group, of shape (R, C, K), of which `groups` are used."""
    pos, neg = (np.require(a, np.int64, ["C", "W"]) for a in counts)
    codes = np.broadcast_to(np.arange(pos.shape[2]), pos.shape[1:])
    ranked = layout([(codes, codes[0])] * 2, groups, (0, 0))
    none = np.empty(0, np.uint64), (np.zeros(pos.shape[0], np.int64),)
    _run(*none, ranked, requests, (pos, neg), out)


def _run(
    states: AnyArray, sizes: Sizes, layout: RowLayout, requests: Pair, counts: Pair, out: AnyArray
) -> None:
    """Check the numbers of draws, and run the kernels."""
    both = np.zeros((2, sizes[0].size), np.int64)
    both[: len(sizes)] = sizes
    if ((both > LARGEST) & (both > MOST_PER_UNIT * layout.units[:, None])).any():
        raise InputError(
            f"at most {MOST_PER_UNIT} draws per row, or {LARGEST} draws, are counted without "
            "overflow."
        )
    implementation().run(states, both, layout, requests, counts, out)
