"""The kernels of the bootstrap by numba and by NumPy, which must agree.

The functions are those of `pauci.resampling.kernels`. Without numba, only NumPy calculates.
"""

import contextlib

import numpy as np
import pytest

from pauci.resampling import kernels, numpy_kernels
from pauci.resampling.draws import layout

IMPLEMENTATIONS = [numpy_kernels]
with contextlib.suppress(ImportError):
    from pauci.resampling import numba_kernels

    IMPLEMENTATIONS.append(numba_kernels)

ROUNDING = 1e-12
"""Largest difference of numbers that are sums in another order."""


@contextlib.contextmanager
def using(implementation):
    """Calculate by one of the implementations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "implementation", lambda: implementation)
        yield


def sweep(states, sizes, layout, requests, out):
    _by_both(
        states,
        (out,),
        lambda states, out: kernels.sweep(states, sizes, layout, requests, out),
    )


def count(states, sizes, layout, counts):
    _by_both(states, counts, lambda states, *counts: kernels.count(states, sizes, layout, counts))


def sweep_counts(counts, groups, requests, out):
    _by_both(
        np.empty(0),
        (out,),
        lambda _, out: kernels.sweep_counts(counts, groups, requests, out),
    )


def _by_both(states, outputs, calculate):
    """Write the results of the last implementation to the outputs, and compare the others."""
    advanced, found = [], []
    for implementation in IMPLEMENTATIONS:
        advanced.append(states.copy())
        found.append([out.copy() for out in outputs])
        with using(implementation):
            calculate(advanced[-1], *found[-1])
    for words, arrays in zip(advanced[:-1], found[:-1], strict=True):
        assert (words == advanced[-1]).all()
        for array, last in zip(arrays, found[-1], strict=True):
            np.testing.assert_allclose(array, last, rtol=ROUNDING, atol=ROUNDING)
    states[:] = advanced[-1]
    for out, last in zip(outputs, found[-1], strict=True):
        out[...] = last


def row_layout(codes_pos, codes_neg, groups):
    """Rank rows by their tie groups, of shape (C, n1) and (C, n0), to draw rows of each class."""
    rows = [(codes, np.arange(codes.shape[1])) for codes in (codes_pos, codes_neg)]
    return layout(rows, groups, [numbers.size for _, numbers in rows])


def cluster_layout(codes, positive, cluster, groups):
    """Rank rows by their tie groups, of shape (C, n), to draw clusters."""
    rows = [(codes[:, chosen], cluster[chosen]) for chosen in (positive, ~positive)]
    return layout(rows, groups, [int(cluster.max()) + 1, 0])
