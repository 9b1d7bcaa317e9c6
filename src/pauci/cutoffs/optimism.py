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

from dataclasses import dataclass

import numpy as np

from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.cutoffs.rules import Rule


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
            unit = self.cluster
            has_pos, has_neg = (np.bincount(unit, labels) > 0 for labels in self._of_class)
            kind = has_pos.astype(np.intp) - has_neg
        order = np.lexsort((rng.random(kind.size), kind))
        fold = np.empty(kind.size, np.intp)
        fold[order] = np.arange(kind.size) % count
        return fold if unit is None else fold[unit]

    @property
    def _of_class(self) -> tuple[BoolArray, BoolArray]:
        return self.positive, ~self.positive

    def cumulative(self, fold: IntArray, count: int) -> tuple[FloatArray, FloatArray]:
        """Return the cumulative counts of positives and of negatives in each fold."""
        cumulative = []
        for label in self._of_class:
            cell = fold[label] * self.groups + self.code[label]
            mass = None if self.mass is None else self.mass[label]
            counts = np.bincount(cell, mass, count * self.groups).reshape(count, self.groups)
            cum = np.zeros((count, self.groups + 1))
            np.cumsum(counts, axis=1, out=cum[:, 1:])
            cumulative.append(cum)
        return cumulative[0], cumulative[1]


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
    for _ in range(repeats):
        held_out = coded.cumulative(coded.folds(rng, folds), folds)
        training = [cum.sum(axis=0) - cum for cum in held_out]
        entry = rule.entry(*training)[:, None]
        for i, (train, test) in enumerate(zip(training, held_out, strict=True)):
            rate = np.take_along_axis(train, entry, 1)[:, 0] / train[:, -1]
            above, size = np.take_along_axis(test, entry, 1)[:, 0], test[:, -1]
            total[i] += float((size * rate - above).sum() / size.sum())
    mean = total / repeats * ((folds - 1) / folds) ** rule.order_of_optimism
    return Optimism(float(mean[0]), float(-mean[1]))
