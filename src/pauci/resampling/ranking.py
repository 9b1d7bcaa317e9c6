"""The rows ranked by each classifier, in the format of the kernels."""

from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray

Pair = tuple[AnyArray, AnyArray]


class RowLayout(NamedTuple):
    """The rows of each class, positives first, ranked by each classifier from the best score down.

    The arrays of a class have a row for each classifier. `order` contains the number of the row (in
    its class) or cluster at each rank, `codes` its tie group, and `ends` the number of rows in the
    first k groups. `before` and `after` contain, at each rank, the numbers of rows of the other
    class in the groups before that of the row, and in these and its own group. `consecutive` is 1
    if the order is 0, 1, 2, ..., so that it need not be looked up, and `untied` is 1 if no two rows
    of the class are in the same tie group. `groups` contains the number of
    groups of each classifier, and `units` the numbers of rows of the two classes, or the number of
    clusters and 0.
    """

    units: AnyArray
    groups: AnyArray
    order: Pair
    codes: Pair
    ends: Pair
    before: Pair
    after: Pair
    consecutive: Pair
    untied: Pair


def row_layout(codes_pos: AnyArray, codes_neg: AnyArray, groups: AnyArray) -> RowLayout:
    """Rank rows by their tie groups, of shape (C, n1) and (C, n0), to draw rows of each class."""
    rows = [(codes, np.arange(codes.shape[1])) for codes in (codes_pos, codes_neg)]
    return layout(rows, groups, [numbers.size for _, numbers in rows])


def cluster_layout(
    codes: AnyArray,
    positive: BoolArray,
    cluster: AnyArray,
    groups: AnyArray,
    clusters: int | None = None,
) -> RowLayout:
    """Rank rows by their tie groups, of shape (C, n), to draw clusters.

    Clusters are numbered from 0 to `clusters` - 1; some of them may have no row.
    """
    rows = [(codes[:, chosen], cluster[chosen]) for chosen in (positive, ~positive)]
    return layout(rows, groups, [int(cluster.max()) + 1 if clusters is None else clusters, 0])


def layout(rows: list[Pair], groups: AnyArray, units: list[int]) -> RowLayout:
    """Rank the rows of each class; `rows` are their tie groups, and the units that are drawn."""
    knots = np.arange(int(np.max(groups)) + 1)
    orders, ranked_codes, ends = [], [], []
    for codes, units_of_rows in rows:
        order = np.argsort(codes, axis=1, kind="stable")
        ranked = np.take_along_axis(codes, order, axis=1)
        orders.append(units_of_rows[order])
        ranked_codes.append(ranked)
        ends.append(np.stack([np.searchsorted(row, knots) for row in ranked]))
    sides = []
    for order, codes, own, other in zip(orders, ranked_codes, ends, ends[::-1], strict=True):
        before, after = (np.take_along_axis(other, codes + step, axis=1) for step in (0, 1))
        consecutive = (order == np.arange(order.shape[1])).all(axis=1)
        untied = (codes[:, 1:] > codes[:, :-1]).all(axis=1)
        arrays = order, codes, own, before, after, consecutive, untied
        sides.append([read_only(a, np.uint32) for a in arrays])
    pairs = zip(*sides, strict=True)
    return RowLayout(read_only(units, np.int64), read_only(groups, np.int64), *pairs)


def read_only(array: Any, dtype: Any) -> AnyArray:
    """Return a read-only view, so that numba need not compile code for writable arrays as well."""
    view: AnyArray = np.ascontiguousarray(array, dtype)
    if view.flags.writeable:
        view = view.view()
        view.flags.writeable = False
    return view
