r"""The one-shot U-statistic for the AUC of many readers and many cases (Gallas 2006).

With the kernel S = 1, 1/2 or 0 for a triple of reader r, positive i and negative j, and a weight W
that is 0 if r did not read both, :math:`A = \sum W S / \sum W`. Two triples may share their
reader, their positive and their negative. For each of these eight kinds e of pairs of triples, the
mean product of two kernels is

.. math:: M_e = \frac{\sum_e W S\, W' S'}{\sum_e W W'}, \qquad
          V = \sum_e \frac{\sum_e W W'}{\sum W \sum W'} M_e - M_\text{none} = A A' - M_\text{none}

which is unbiased for any design. With S' and W' of another modality, V is a covariance. The sums
over pairs follow from marginal sums by inclusion and exclusion, in O(R n1 n0) for R readers.

Degrees of freedom (Obuchowski, Gallas and Hillis 2012, Academic Radiology 19:1508-1517): readers,
positives and negatives have :math:`m_f - 1` each, with the effective number

.. math:: m_f = \frac{(\sum W)^2}{\sum_f W W'}, \qquad
          \nu = V^2 / \sum_f \frac{s_f^2}{(m_f - 1)^3}

where :math:`s_f` is the mean product of two triples that share at least f, minus A A'. The degrees
of freedom are at least the smallest :math:`m_f - 1`. In the variance of a difference, a factor that
both modalities share has the component :math:`s_f(A, A) + s_f(B, B) - 2 s_f(A, B)` and the smaller
number; the components of a factor that is nested in modalities, such as readers who each read in
one, are independent, and each has a term of its own.

The reader of a standalone modality is not random. Its triples, and those of other modalities, are
pairs of different readers, so that its variance is that over cases.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.errors import InputError, UndefinedError
from pauci.readers.study import Cell, ReaderStudy

Shared = frozenset[str]
"""The indices that two triples share: "r" (reader), "i" (positive) and "j" (negative)."""

_KINDS: tuple[Shared, ...] = tuple(
    map(frozenset, chain.from_iterable(combinations("rij", n) for n in range(4)))
)
_NONE: Shared = frozenset()
_FACTORS: tuple[Shared, ...] = tuple(map(frozenset, "rij"))


class _Wins(NamedTuple):
    """Twice the kernel of one reader, for the positives and negatives that were read."""

    positives: IntArray
    negatives: IntArray
    twice: AnyArray
    weight: float


@dataclass(frozen=True, eq=False)
class Kernels:
    """Marginal sums of W S and of W over the triples of one modality."""

    wins: dict[int, _Wins]
    by: dict[Shared, FloatArray]
    """Sums over the indices that are not in the key."""
    weight_by: dict[Shared, FloatArray]

    @property
    def auc(self) -> float:
        """The average over all triples."""
        return float(self.by[_NONE] / self.weight_by[_NONE])


class UStatistic(NamedTuple):
    """A variance, or covariance of two averages, with the component of each factor.

    The keys are the factors. A factor that is nested in two modalities has two components, whose
    keys are the factor and the number of the modality, 0 or 1.
    """

    covariance: float
    components: dict[Hashable, float]
    numbers: dict[Hashable, int]
    """The effective number of readers, positives and negatives, minus one."""

    def degrees_of_freedom(self) -> float:
        """Return the degrees of freedom of the variance."""
        denominator = sum(s**2 / max(self.numbers[f], 1) ** 3 for f, s in self.components.items())
        fewest = float(max(min(self.numbers.values()), 1))
        return max(self.covariance**2 / denominator, fewest) if denominator > 0.0 else math.inf


def kernels_of(study: ReaderStudy, cells: Sequence[Cell], weights: FloatArray) -> Kernels:
    """Return the sums of a modality, whose cells have these weights."""
    if study.cluster is not None:
        raise InputError.of(
            "method",
            "u-statistic",
            "assumes independent cases, but these are in clusters.",
            hint="Use method='influence'.",
        )
    position = np.empty(study.positive.size, dtype=np.int64)
    position[study.positive] = np.arange(study.n_pos)
    position[~study.positive] = np.arange(study.n_neg)
    n_readers, n_pos, n_neg = len(study.readers), study.n_pos, study.n_neg
    by, weight_by = (
        {
            frozenset("ri"): np.zeros((n_readers, n_pos)),
            frozenset("rj"): np.zeros((n_readers, n_neg)),
            frozenset("ij"): np.zeros((n_pos, n_neg)),
        }
        for _ in range(2)
    )
    wins = {}
    for cell, cell_weight in zip(cells, weights.tolist(), strict=True):
        positive, scores = cell.ratings.rows.single_rows().positive, cell.ratings.values
        x, y = scores[positive], scores[~positive]
        twice = (x[:, None] > y).astype(np.int8)
        twice += x[:, None] >= y
        i, j = position[cell.cases[positive]], position[cell.cases[~positive]]
        weight = cell_weight / twice.size
        wins[cell.reader] = _Wins(i, j, twice, weight)
        half = weight / 2.0
        by[frozenset("ri")][cell.reader, i] = half * twice.sum(axis=1)
        by[frozenset("rj")][cell.reader, j] = half * twice.sum(axis=0)
        by[frozenset("ij")][np.ix_(i, j)] += half * twice
        weight_by[frozenset("ri")][cell.reader, i] = weight * y.size
        weight_by[frozenset("rj")][cell.reader, j] = weight * x.size
        weight_by[frozenset("ij")][np.ix_(i, j)] += weight
    for sums in (by, weight_by):
        sums[frozenset("r")] = sums[frozenset("ri")].sum(axis=1)
        sums[frozenset("i")] = sums[frozenset("ri")].sum(axis=0)
        sums[frozenset("j")] = sums[frozenset("rj")].sum(axis=0)
        sums[_NONE] = sums[frozenset("r")].sum()
    return Kernels(wins, by, weight_by)


def covariance_of(first: Kernels, second: Kernels, *, random_readers: bool = True) -> UStatistic:
    """Return the covariance of two averages, or the variance of one with itself.

    The reader of a standalone modality is not random: no reader is then shared.
    """
    numerators, denominators = _sums_over_pairs(first, second)
    kinds = [kind for kind in _KINDS if random_readers or "r" not in kind]
    numerator, denominator = (
        sum((-1.0) ** len(kind) * sums[kind] for kind in kinds)
        for sums in (numerators, denominators)
    )
    total = denominators[_NONE]
    # Below the contribution of a single pair of triples, the difference is rounding error.
    if denominator <= 1e-12 * total:
        raise UndefinedError(
            "no two readings differ in reader, positive and negative, so that the variance of the "
            "U-statistic is undefined. At least two readers must read two cases of each class."
        )
    product = first.auc * second.auc
    factors = [f for f in _FACTORS if f in kinds and denominators[f] > 0.0]
    return UStatistic(
        product - numerator / denominator,
        {f: numerators[f] / denominators[f] - product for f in factors},
        {f: round(total / denominators[f] - 1.0) for f in factors},
    )


def difference_of(first: UStatistic, second: UStatistic, cross: UStatistic) -> UStatistic:
    """Return the variance of a difference from two variances and their covariance.

    A factor that both averages share has one component; otherwise each average has its own.
    """
    components: dict[Hashable, float] = {}
    numbers: dict[Hashable, int] = {}
    for f in _FACTORS:
        if f in cross.components:
            components[f] = first.components[f] + second.components[f] - 2.0 * cross.components[f]
            numbers[f] = min(first.numbers[f], second.numbers[f])
            continue
        for i, u in enumerate((first, second)):
            if f in u.components:
                components[f, i], numbers[f, i] = u.components[f], u.numbers[f]
    return UStatistic(
        first.covariance + second.covariance - 2.0 * cross.covariance, components, numbers
    )


def _sums_over_pairs(
    first: Kernels, second: Kernels
) -> tuple[dict[Shared, float], dict[Shared, float]]:
    """Return sums of W S W' S' and of W W' over pairs of triples that share at least each kind."""
    numerators, denominators = (
        {kind: float((a[kind] * b[kind]).sum()) for kind in _KINDS if len(kind) < 3}
        for a, b in ((first.by, second.by), (first.weight_by, second.weight_by))
    )
    numerator = denominator = 0.0
    for reader in first.wins.keys() & second.wins.keys():
        a, b = first.wins[reader], second.wins[reader]
        _, i, k = np.intersect1d(a.positives, b.positives, True, return_indices=True)
        _, j, m = np.intersect1d(a.negatives, b.negatives, True, return_indices=True)
        products = a.twice[np.ix_(i, j)] * b.twice[np.ix_(k, m)]
        numerator += a.weight * b.weight * int(products.sum(dtype=np.int64)) / 4.0
        denominator += a.weight * b.weight * products.size
    everything = frozenset("rij")
    numerators[everything], denominators[everything] = numerator, denominator
    return numerators, denominators
