r"""Variances of averages over readers, and of their differences, from cells and covariances.

A contrast L weighs cells: an average over the readers of a modality, or the difference of two. With
t the estimates, C their covariance over cases, R_j the readers of modality j and R_ij those of
both, readers and cases bring

.. math:: V_R = \sum_r d_r^2, \quad
          d_r = \sum_{k \in r} L_k \sqrt{\tfrac{R_j}{R_j - 1}}\, (t_k - \bar t_j), \qquad
          B = \sum_{k, l} \tfrac{R_i R_j}{R_i R_j - R_{ij}} L_k L_l C_{kl}

with the second sum over cells of different readers. Then :math:`V = V_R + \max(B, 0)` where readers
and cases are random, on :math:`V^2/(V_R^2/(R - 1))` degrees of freedom, :math:`V_R` where cases are
fixed, on R - 1, and :math:`L^T C L` where readers are. Where all readers read in all modalities,
both factors are R/(R - 1): for a factorial study that is Obuchowski and Rockette (1995) with the
degrees of freedom of Hillis (2007). Readers nested in modalities have a term each in the
denominator, as in Satterthwaite (1946).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray, IntArray
from pauci.readers.cells import CellEstimates


class Spread(NamedTuple):
    """The variance of a contrast, its degrees of freedom, and what would be with fixed readers."""

    variance: float
    df: float
    fixed_readers: float
    shared: float = 0.0
    """What different readers have in common as they read the same cases: max(B, 0)."""
    df_of_readers: float = math.inf
    """Degrees of freedom of the reader part, the variance without `shared`."""

    @property
    def understates(self) -> bool:
        """Whether the reader part is improbably small even if readers do not differ.

        Without reader components it is what the cases alone give, `fixed_readers` without
        `shared`, times a chi-squared variable over its degrees of freedom. Below that variable's
        20 % quantile tests reject too often.
        """
        if math.isinf(self.df_of_readers):
            return False
        quantile = float(special.chdtri(self.df_of_readers, 1.0 - _IMPROBABLE))
        expected = self.fixed_readers - self.shared
        # Less than this is rounding, as where readers agree in all.
        least = max(quantile / self.df_of_readers * expected, 1e-9 * self.fixed_readers)
        return self.variance < self.fixed_readers * (1.0 - 1e-9) and (
            self.variance - self.shared < least
        )


_IMPROBABLE = 0.2
"""Probability of a reader part so small, if readers do not differ, that a warning says so."""


@dataclass(frozen=True, eq=False)
class Group:
    """The cells that are averaged: the readers of a modality, or one standalone algorithm."""

    name: str
    cells: IntArray
    weights: FloatArray
    """Of its cells; their sum is 1."""
    standalone: bool = False


@dataclass(frozen=True, eq=False)
class Averages:
    """Averages over readers and how they vary.

    Parameters
    ----------
    groups : sequence of Group
        What is averaged.
    reader : ndarray of int
        The reader of each cell.
    cells : CellEstimates
        Estimates of the cells and their covariance.
    random_readers, random_cases : bool
        What else there could have been.
    """

    groups: Sequence[Group]
    reader: IntArray
    cells: CellEstimates
    random_readers: bool
    random_cases: bool

    @cached_property
    def means(self) -> FloatArray:
        """The average of each group."""
        return np.array([g.weights @ self.cells.values[g.cells] for g in self.groups])

    def spread(self, signs: dict[int, float]) -> Spread:
        """Return how a sum of averages varies, each with a sign."""
        contrast = np.zeros(self.reader.size)
        for i, sign in signs.items():
            contrast[self.groups[i].cells] = sign * self.groups[i].weights
        fixed = float(contrast @ self.cells.covariance @ contrast)
        if not self.random_readers:
            return Spread(max(fixed, 0.0), math.inf, fixed)
        if all(self.groups[i].standalone for i in signs):
            return Spread(fixed if self.random_cases else 0.0, math.inf, fixed)
        deviations, parts = self._readers(signs)
        among = float(deviations @ deviations)
        df = self._df(parts, among)
        if not self.random_cases:
            return Spread(among, df(among), fixed)
        shared = max(self._cases(signs, contrast), 0.0)
        variance = among + shared
        n, separate = self._numbers(parts)
        df_of_readers = sum(n) - 2.0 if separate else min(n) - 1.0
        return Spread(variance, df(variance), fixed, shared, df_of_readers)

    def _readers(self, signs: dict[int, float]) -> tuple[FloatArray, dict[int, float]]:
        """Return what each reader adds, and the sum of squares by group."""
        deviations = np.zeros(int(self.reader.max()) + 1)
        parts = {}
        for i, sign in signs.items():
            group = self.groups[i]
            if group.standalone:
                continue
            n = group.cells.size
            own = self.cells.values[group.cells] - self.means[i]
            own = sign * group.weights * math.sqrt(n / (n - 1.0)) * own
            deviations[self.reader[group.cells]] += own
            parts[i] = float(own @ own)
        return deviations, parts

    def _df(self, parts: dict[int, float], among: float) -> Callable[[float], float]:
        """Return what gives the degrees of freedom of a variance."""
        n, separate = self._numbers(parts)
        if separate:
            doubt = sum(p**2 / (k - 1.0) for p, k in zip(parts.values(), n, strict=True))
        else:
            doubt = among**2 / (min(n) - 1.0)
        return lambda variance: variance**2 / doubt if doubt > 0.0 else math.inf

    def _numbers(self, parts: Iterable[int]) -> tuple[list[int], bool]:
        """Return the readers of each group, and whether they are the readers of that group only."""
        readers = [set(self.reader[self.groups[i].cells].tolist()) for i in parts]
        separate = len(readers) == 2 and not readers[0] & readers[1]
        return [len(r) for r in readers], separate

    def _cases(self, signs: dict[int, float], contrast: FloatArray) -> float:
        """Return B: what different readers have in common because they read the same cases."""
        total = 0.0
        for i in signs:
            for j in signs:
                a, b = self.groups[i], self.groups[j]
                same = self.reader[a.cells][:, None] == self.reader[b.cells][None]
                products = (
                    np.outer(contrast[a.cells], contrast[b.cells])
                    * self.cells.covariance[np.ix_(a.cells, b.cells)]
                )
                if a.standalone or b.standalone:
                    total += float(products.sum())
                    continue
                shared, pairs = int(same.sum()), a.cells.size * b.cells.size
                total += float(products[~same].sum()) * pairs / (pairs - shared)
        return total
