"""Recognition of rows that occur in two samples, by their pandas index or by their scores.

Two samples do not say whether their rows are the same. It is inferred from rows that match by the
index, or by a score that occurs once in each sample. If the matched rows are the same rows, their
labels are the same. If they are different rows, two of them have different labels about as often as
two consecutive rows of the same sample, which are independent too; and if the data are sorted by
label, nothing can be inferred.

Tables of counts, and rows that were counted or sorted by a backend, are not checked.
"""

from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve.sorting import ranges
from pauci.sample.rows import InMemoryRows

_MOST_ROWS = 20_000
"""Approximate number of rows that are compared; from larger samples, some are selected."""

_FEWEST_CHANGES = 20
"""Smallest number of consecutive matched rows with different labels."""

_LARGEST_DISAGREEMENT = 0.1
"""Largest number of matched rows with different labels, per pair of consecutive rows with different
labels. For different rows the two numbers have the same expectation; at the limits, the probability
of a Poisson variable is below 1e-6."""

_UNLIKELY = np.log(1e6)
"""Negative logarithm of the probability that scores of different rows match."""


class CommonRows(NamedTuple):
    """Rows that seem to occur in two samples."""

    number: int
    """The number of rows; an approximation if rows were selected."""
    by: str
    """What the rows have in common, for messages."""


def common_rows(
    first: InMemoryRows, second: InMemoryRows, scores: tuple[AnyArray, AnyArray] | None
) -> CommonRows | None:
    """Return the rows that seem to be in both samples, or None.

    Parameters
    ----------
    first, second : InMemoryRows
        The rows of the samples.
    scores : tuple of two ndarray, optional
        The scores of a classifier in each sample.
    """
    if first.frequency is not None or second.frequency is not None:
        return None
    number = _common_by_index(first, second)
    if number:
        return CommonRows(number, "index and label")
    number = 0 if scores is None else _common_by_score(first, second, *scores)
    return CommonRows(number, "score and label") if number else None


def _common_by_index(first: InMemoryRows, second: InMemoryRows) -> int:
    """Return the number of rows with the same index that seem to be the same rows, or 0."""
    a, b = first.index, second.index
    if a is None or b is None or a.nlevels != b.nlevels or (_is_default(a) and _is_default(b)):
        return 0
    if getattr(a, "is_overlapping", False) or getattr(b, "is_overlapping", False):
        return 0  # intervals without unique positions
    label_a, label_b = first.positive, second.positive
    if len(a) < len(b):
        a, b, label_a, label_b = b, a, label_b, label_a
    step = -(-len(b) // _MOST_ROWS)
    b, label_b = b[::step], label_b[::step]
    b, label_b = b[once := ~b.duplicated()], label_b[once]
    matched = np.flatnonzero(a.isin(b))
    matched = matched[~a[matched].duplicated()]
    label_a, label_b = label_a[matched], label_b[b.get_indexer(a[matched])]
    return matched.size * step if _are_same_rows(label_a, label_b) else 0


def _is_default(index: Any) -> bool:
    """Return whether an index numbers the rows from 0, and says nothing about them."""
    return getattr(index, "start", None) == 0 and getattr(index, "step", None) == 1


def _common_by_score(
    first: InMemoryRows, second: InMemoryRows, score_a: AnyArray, score_b: AnyArray
) -> int:
    """Return the number of rows with the same score that seem to be the same rows, or 0.

    Among the scores that occur twice in the union of two samples of different rows, at most half
    are expected to occur once in each sample, whatever the two distributions are (for numbers x and
    y of expected rows, x y is at most (x^2 + y^2)/2). This holds for discrete scores too; the
    probability of the number observed is bounded by Hoeffding's inequality.
    """
    kept_a, kept_b, step = _selected(score_a, score_b)
    scores = np.concatenate((score_a[kept_a].astype(float), score_b[kept_b].astype(float)))
    labels = np.concatenate((first.positive[kept_a], second.positive[kept_b]))
    order = np.argsort(scores, kind="stable")
    changes = np.flatnonzero(np.diff(scores[order]))
    starts = np.concatenate(([0], changes + 1))
    twice = starts[np.diff(np.append(starts, order.size)) == 2]
    one, other = order[twice], order[twice + 1]
    in_both = (one < kept_a.size) & (other >= kept_a.size)
    excess = np.count_nonzero(in_both) - 0.5 * twice.size
    if excess <= 0.0 or 2.0 * excess**2 < _UNLIKELY * twice.size:
        return 0
    one, other = one[in_both], other[in_both]
    return one.size * step if _are_same_rows(labels[one], labels[other]) else 0


def _selected(score_a: AnyArray, score_b: AnyArray) -> tuple[IntArray, IntArray, int]:
    """Return the positions of rows whose scores are compared, and one divided by their share.

    From many rows some scores are selected, by their digits, and with them all their rows.
    """
    step = max(1, (score_a.size + score_b.size) // _MOST_ROWS)
    if step == 1:
        return np.arange(score_a.size), np.arange(score_b.size), 1
    a, b = (_positions_of_some(score, step) for score in (score_a, score_b))
    return a, b, step


def _positions_of_some(score: AnyArray, step: int) -> IntArray:
    """Return the positions of about one in `step` different scores."""
    parts = []
    for block in ranges(score.size):
        bits = score[block].astype(np.float64).view(np.uint64)
        bits ^= bits >> np.uint64(29)
        bits *= np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as in Fibonacci hashing
        parts.append(np.flatnonzero(bits < np.uint64(2**64 // step)) + block.start)
    return np.concatenate(parts)


def _are_same_rows(first: BoolArray, second: BoolArray) -> bool:
    """Return whether labels of matched rows agree too often for different rows."""
    changes = np.count_nonzero(np.diff(first))
    different = np.count_nonzero(first != second)
    return bool(changes >= _FEWEST_CHANGES and different <= _LARGEST_DISAGREEMENT * changes)
