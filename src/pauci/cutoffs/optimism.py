r"""Cross-fitted optimism of the sensitivity and specificity at a cut-off chosen from the data.

The rates at a cut-off that was chosen on the same data are biased upwards. In each of K folds, the
rule chooses a cut-off on the other folds; the optimism is the difference between the rates at it on
these folds and on the fold that was left out, averaged over folds (by their number of observations)
and over repetitions with other folds. The honest rate is the rate on all data minus this optimism.
It estimates the rate of the chosen cut-off on new observations, whereas the mean of the rates on
the folds that were left out estimates the rates of other cut-offs, which were chosen on fewer data.

The optimism on the :math:`n (K - 1)/K` observations that chose a cut-off is larger than that on all
n. It is of order :math:`n^{-2/3}` for a cut-off that maximizes a criterion, which converges at the
rate :math:`n^{-1/3}` (Kim and Pollard 1990, Annals of Statistics 18:191-219), and of order
:math:`1/n` for quantiles, so it is multiplied by this power of :math:`(K - 1)/K`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.cutoffs.rules import Rule
from pauci.progress import ProgressBar

_BITS = 8
"""Tie groups are merged in blocks of 2^8."""

_FEWEST = 2**14
"""Smallest number of tie groups that are merged."""


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of one classifier: their tie groups (best first), labels, weights and clusters.

    Parameters
    ----------
    code : ndarray of int, shape (n,)
        Tie group of each row.
    positive : ndarray of bool, shape (n,)
        Whether it is a positive.
    groups : int
        Number K of tie groups.
    mass : ndarray, optional
        Sampling weights.
    cluster : ndarray of int, optional
        Cluster of each row.
    """

    code: IntArray
    positive: BoolArray
    groups: int
    mass: FloatArray | None = None
    cluster: IntArray | None = None

    def folds(self, rng: "np.random.Generator", count: int) -> IntArray:
        """Return a random fold of each row, with equal proportions of both classes in all folds.

        Rows of a cluster are in the same fold. Units are numbered from those with positives only
        to those with negatives only, so that consecutive units of each class are in all folds.
        """
        if self.cluster is None:
            unit, kind = None, self.positive.astype(np.intp)
        else:
            unit, both = self.cluster, (self.positive, ~self.positive)
            has_pos, has_neg = (np.bincount(unit, labels) > 0 for labels in both)
            kind = has_pos.astype(np.intp) - has_neg
        fold = np.empty(kind.size, np.intp)
        order = _sorted_by(kind, rng.random(kind.size))
        fold[order] = np.resize(np.arange(count), kind.size)
        return fold if unit is None else fold[unit]

    @cached_property
    def _cells(self) -> IntArray:
        """The tie group of each positive, and after all groups that of each negative."""
        return self.code + self.groups * ~self.positive

    def cumulative(self, fold: IntArray, count: int) -> tuple[FloatArray, FloatArray]:
        """Return the cumulative counts of positives and of negatives in each fold."""
        shape = (count, 2, self.groups)
        counts = np.bincount(fold * (2 * self.groups) + self._cells, self.mass, np.prod(shape))
        cum = np.zeros((count, 2, self.groups + 1))
        np.cumsum(counts.reshape(shape), axis=2, out=cum[:, :, 1:])
        return cum[:, 0], cum[:, 1]

    def merged(self, divided: BoolArray) -> "CodedRows":
        """Return the rows with one tie group for each block of groups that is not divided."""
        block = self.code >> _BITS
        sizes = np.where(divided, 2**_BITS, 1)
        code = (np.cumsum(sizes) - sizes)[block] + (self.code % 2**_BITS) * divided[block]
        return replace(self, code=code, groups=int(sizes.sum()))


def _sorted_by(kind: IntArray, random: FloatArray) -> IntArray:
    """Return the positions in order of kind, a number from -1 to 1, and of random numbers.

    It is the result of ``np.lexsort((random, kind))``. Integers of kind, leading bits of the random
    number and position are sorted much faster; equal leading bits are rare.
    """
    bits = kind.size.bit_length()
    keys = (random * 2.0 ** (61 - bits)).astype(np.int64)
    keys <<= bits
    keys += np.arange(kind.size)
    keys += kind.astype(np.int64) << 61
    keys.sort()
    order = keys & (2**bits - 1)
    equal = np.flatnonzero(keys[1:] >> bits == keys[:-1] >> bits)
    if equal.size:
        at = np.union1d(equal, equal + 1)
        order[at] = order[at][np.lexsort((random[order[at]], keys[at] >> bits))]
    return np.asarray(order)


def _held_out(
    coded: CodedRows, rule: Rule, rng: "np.random.Generator", folds: int, repeats: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the cumulative counts of both classes in each fold, for each repetition.

    The blocks of many tie groups in which the rule chooses no entry are merged, except for weights,
    whose sums would be rounded differently.
    """
    if coded.groups < _FEWEST or coded.mass is not None:
        for _ in range(repeats):
            yield coded.cumulative(coded.folds(rng, folds), folds)
        return
    divided = np.zeros((coded.groups - 1 >> _BITS) + 1, np.bool_)
    merged = coded.merged(divided)
    for _ in range(repeats):
        fold = coded.folds(rng, folds)
        while True:
            counts = merged.cumulative(fold, folds)
            ends = np.append(0, np.cumsum(np.where(divided, 2**_BITS, 1)))
            of_blocks = [(cum.sum(axis=0) - cum)[:, ends] for cum in counts]
            wanted = rule.may_contain(*of_blocks).any(axis=0)
            if not (wanted & ~divided).any():
                break
            divided |= wanted
            merged = coded.merged(divided)
        yield counts


@dataclass(frozen=True)
class Optimism:
    """The optimism of both rates."""

    sensitivity: float
    specificity: float


NO_OPTIMISM = Optimism(0.0, 0.0)
"""The optimism at a cut-off above all scores, where the rates are known."""


def optimism(
    coded: CodedRows, rule: Rule, folds: int, repeats: int, rng: "np.random.Generator"
) -> Optimism:
    """Return the cross-fitted optimism of the sensitivity and the specificity."""
    total = np.zeros(2)
    with ProgressBar(repeats, "cross-fitting", " repetitions") as progress_bar:
        for held_out in _held_out(coded, rule, rng, folds, repeats):
            training = [cum.sum(axis=0) - cum for cum in held_out]
            entry = rule.entry(*training)[:, None]
            for i, (train, test) in enumerate(zip(training, held_out, strict=True)):
                rate = np.take_along_axis(train, entry, 1)[:, 0] / train[:, -1]
                above, size = np.take_along_axis(test, entry, 1)[:, 0], test[:, -1]
                total[i] += float((size * rate - above).sum() / size.sum())
            progress_bar.add(1)
    mean = total / repeats * ((folds - 1) / folds) ** rule.order_of_optimism
    return Optimism(float(mean[0]), float(-mean[1]))
