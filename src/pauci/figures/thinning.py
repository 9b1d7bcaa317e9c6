"""Reduction of curves of a million points to a few thousand points for drawing.

The axis is divided into columns narrower than a printed dot. In each column the first, the last,
the lowest and the highest point are kept. The line through these points has the same range of
heights in every column as the line through all points, so it differs from that line by no more
than the width of a column.
"""

import numpy as np

from pauci.checks import AnyArray, IntArray

COLUMNS = 1000
"""A thousandth of the axis is 0.07 mm in a figure one column wide."""


def thinned_positions(x: AnyArray, y: AnyArray, axis: float = 1.0) -> IntArray:
    """Return the positions of the points to draw, of a curve whose `x` does not decrease.

    `axis` is the length of the whole axis. All points are kept if there are at most 1,000,
    otherwise at most four per column.
    """
    n = x.size
    if n <= COLUMNS:
        return np.arange(n)
    column = np.floor((x - x[0]) * (COLUMNS / axis))
    first = np.append(True, column[1:] != column[:-1])
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], n) - 1
    of = np.cumsum(first) - 1
    parts = [starts, ends]
    for extreme in (np.minimum, np.maximum):
        at = np.flatnonzero(y == extreme.reduceat(y, starts)[of])
        parts.append(at[np.unique(of[at], return_index=True)[1]])
    return np.unique(np.concatenate(parts))
