r"""Variances of averages over readers and of their differences.

An average over the readers of a modality, or the difference of two averages, is a weighted sum of
the estimates t of the cells (a reader in a modality) with weights L. With C the covariance of the
cells over cases, R_j the number of readers of modality j and R_ij the number of readers of both
modalities, the parts of its variance that are due to readers and to cases shared by readers are

.. math:: V_R = \sum_r d_r^2, \quad
          d_r = \sum_{k \in r} L_k \sqrt{\tfrac{R_j}{R_j - 1}}\, (t_k - \bar t_j), \qquad
          B = \sum_{k, l} \tfrac{R_i R_j}{R_i R_j - R_{ij}} L_k L_l C_{kl}

where the second sum is over cells of different readers. If readers and cases are random, the
variance is :math:`V = V_R + \max(B, 0)` with :math:`V^2/(V_R^2/(R - 1))` degrees of freedom. If the
cases are fixed, it is :math:`V_R` with R - 1 degrees of freedom; if the readers are fixed, it is
:math:`L^T C L`. If all readers read in all modalities, both factors are R/(R - 1), and the variance
is that of Obuchowski and Rockette (1995) with the degrees of freedom of Hillis (2007). If readers
are nested in modalities, the denominator has a term for each modality, as in Satterthwaite (1946).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray, IntArray
from pauci.curve.region import Bounds
from pauci.intervals.analytic import Ends, LimitOfDifference
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.results.weighted_sums import WeightedSum

_IMPROBABLE = 0.2
"""Probability of a warning about the reader part if readers do not differ."""


@dataclass(frozen=True, eq=False, repr=False)
class ReaderEstimate(Estimate):
    """The estimate of a reader in a modality, with its standard error over cases.

    Its interval is that of `pauci.estimate` for the readings of this reader in this modality.

    Attributes
    ----------
    reader, modality : str
        Names of the reader and of the modality.
    """

    reader: str = ""
    modality: str = ""


@dataclass(frozen=True, eq=False)
class SingleReaderAverage(WeightedSum):
    """The "average" of a modality with one reader, whose readers are not a random sample.

    Intervals and tests are those of the estimate of this reader.
    """

    estimate: ReaderEstimate | None = None

    @property
    def _of_reader(self) -> ReaderEstimate:
        assert self.estimate is not None
        return self.estimate

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest possible value of the estimate."""
        return self._of_reader.bounds

    @property
    def degenerate(self) -> bool:
        """Whether the interval of the estimate is of kind "limit"."""
        return self._of_reader.degenerate

    @property
    def analytic_kinds(self) -> tuple[str, ...]:
        """The kinds of interval of the estimate."""
        return self._of_reader.analytic_kinds

    def kind_used(self, kind: str | None = None) -> str:
        """Return the kind of interval that is reported if this kind is requested."""
        return self._of_reader.kind_used(kind)

    @property
    def analytic_ends(self) -> str:
        """The kind of the limits that are joined to those of other quantities."""
        return self._of_reader.analytic_ends

    @property
    def joins_differences(self) -> bool:
        """Whether intervals of differences join the limits of the quantities by default."""
        return self._of_reader.joins_differences

    def _df_of(self, used: str) -> float:
        return self._of_reader._df_of(used)

    def _ends(self, kind: str, df: float) -> Ends:
        return self._of_reader._ends(kind, df)


@dataclass(frozen=True, eq=False, repr=False)
class FixedCasesAverage(WeightedSum):
    """An average over readers for fixed cases, whose errors are those of the readers alone.

    A standard error of 0, of a standalone reader or of readers with equal estimates, is that of
    the readers: differences with this average are tested by their own standard error.
    """

    @property
    def lacks_variance(self) -> bool:
        """Always false: the cases do not vary."""
        return False

    @property
    def _limit(self) -> Ends:
        if math.isinf(self.pairs):  # the value of a standalone reader is known
            return LimitOfDifference(self.value, (1.0, 1.0), self.pairs)
        return super()._limit


def single_reader_average(name: str, estimate: ReaderEstimate) -> SingleReaderAverage:
    """Return the average of a modality whose only reader has this estimate."""
    return SingleReaderAverage(
        (name,),
        estimate.value,
        estimate.se,
        estimate.df,
        estimate.se,
        estimate.scale,
        estimate.pairs,
        null=None,
        estimate=estimate,
    )


class ReaderVariance(NamedTuple):
    """The variance of an average or a difference, and the part of it due to cases."""

    variance: float
    df: float
    fixed_readers: float
    """Variance if the readers are fixed."""
    shared_cases: float = 0.0
    """Part of the variance that is due to cases shared by different readers: max(B, 0)."""
    df_of_readers: float = math.inf
    """Degrees of freedom of the reader part, which is the variance without `shared_cases`."""

    random_cases: bool = True

    @property
    def below_fixed_readers(self) -> bool:
        """Whether the variance is below that with fixed readers, apart from rounding errors."""
        return self.random_cases and self.variance < self.fixed_readers * (1.0 - 1e-9)

    @property
    def understated(self) -> bool:
        """Whether the variance is not positive, or the reader part is improbably small.

        If readers do not differ, the reader part is the part due to cases, `fixed_readers` minus
        `shared_cases`, times a chi-squared variable divided by its degrees of freedom. Below the
        20% quantile of that variable, tests reject too often.
        """
        if not self.below_fixed_readers or self.variance <= 0.0:
            return self.below_fixed_readers
        if math.isinf(self.df_of_readers):
            return False
        quantile = float(special.chdtri(self.df_of_readers, 1.0 - _IMPROBABLE))
        expected = self.fixed_readers - self.shared_cases
        # Smaller values are rounding errors, as for readers with identical scores.
        limit = max(quantile / self.df_of_readers * expected, 1e-9 * self.fixed_readers)
        return self.variance - self.shared_cases < limit

    def is_raised(self, *, conservative: bool) -> bool:
        """Return whether the variance with fixed readers is used instead."""
        return self.below_fixed_readers and (conservative or self.variance <= 0.0)

    def reported(self, *, conservative: bool) -> tuple[float, float]:
        """Return the variance that is reported, and its degrees of freedom."""
        if not self.is_raised(conservative=conservative):
            return self.variance, self.df
        ratio = self.fixed_readers / self.variance if self.variance > 0.0 else math.inf
        return self.fixed_readers, self.df * ratio**2


@dataclass(frozen=True, eq=False)
class ReaderGroup:
    """The cells of an average: the readers of a modality, or a standalone algorithm."""

    name: str
    cells: IntArray
    weights: FloatArray
    """Weights of the cells; their sum is 1."""
    standalone: bool = False


@dataclass(frozen=True, eq=False)
class ReaderAverages:
    """Averages over readers, and the variances of their sums.

    Parameters
    ----------
    groups : sequence of ReaderGroup
        The cells of each average.
    reader : ndarray of int
        The reader of each cell.
    cells : Estimates
        Estimates of the cells, with their uncertainty over cases.
    random_readers, random_cases : bool
        Whether readers and cases are samples from larger populations.
    """

    groups: Sequence[ReaderGroup]
    reader: IntArray
    cells: Estimates
    random_readers: bool
    random_cases: bool

    @cached_property
    def values(self) -> FloatArray:
        """The estimates of the cells."""
        return np.array([cell.value for cell in self.cells.quantities])

    @cached_property
    def means(self) -> FloatArray:
        """The average of each group."""
        return np.array([g.weights @ self.values[g.cells] for g in self.groups])

    @cached_property
    def weights(self) -> FloatArray:
        """The weights of all cells in each average, by row."""
        weights = np.zeros((len(self.groups), self.reader.size))
        for row, group in zip(weights, self.groups, strict=True):
            row[group.cells] = group.weights
        return weights

    @cached_property
    def group(self) -> IntArray:
        """The number of the group of each cell."""
        numbers = np.empty(self.reader.size, dtype=np.int64)
        for i, group in enumerate(self.groups):
            numbers[group.cells] = i
        return numbers

    def variance(self, signs: dict[int, float]) -> ReaderVariance:
        """Return the variance of a sum of averages, each multiplied by a sign."""
        contrast = np.asarray(sum(sign * self.weights[i] for i, sign in signs.items()))
        fixed = self.cells.variance(contrast)
        df_of_cases = self.cells.uncertainty.df_of(contrast) if fixed > 0.0 else math.inf
        if not self.random_readers:
            return ReaderVariance(fixed, df_of_cases, fixed)
        if all(self.groups[i].standalone for i in signs):
            if not self.random_cases:
                return ReaderVariance(0.0, math.inf, fixed, random_cases=False)
            return ReaderVariance(fixed, df_of_cases, fixed)
        deviations, parts = self._deviations(signs)
        among = float(deviations @ deviations)
        df = self._df(parts, among)
        if not self.random_cases:
            return ReaderVariance(among, df(among), fixed, random_cases=False)
        shared = max(self._shared_cases(signs, contrast), 0.0)
        variance = among + shared
        n, disjoint = self._reader_counts(parts)
        df_of_readers = sum(n) - 2.0 if disjoint else min(n) - 1.0
        return ReaderVariance(variance, df(variance), fixed, shared, df_of_readers)

    def _deviations(self, signs: dict[int, float]) -> tuple[FloatArray, dict[int, float]]:
        """Return d_r for each reader, and the sum of squares of each group."""
        deviations = np.zeros(int(self.reader.max()) + 1)
        parts = {}
        for i, sign in signs.items():
            group = self.groups[i]
            if group.standalone:
                continue
            n = group.cells.size
            residuals = self.values[group.cells] - self.means[i]
            residuals = sign * group.weights * math.sqrt(n / (n - 1.0)) * residuals
            deviations[self.reader[group.cells]] += residuals
            parts[i] = float(residuals @ residuals)
        return deviations, parts

    def _df(self, parts: dict[int, float], among: float) -> Callable[[float], float]:
        """Return a function that calculates the degrees of freedom from the variance."""
        n, disjoint = self._reader_counts(parts)
        if disjoint:
            denominator = sum(p**2 / (k - 1.0) for p, k in zip(parts.values(), n, strict=True))
        else:
            denominator = among**2 / (min(n) - 1.0)
        return lambda variance: variance**2 / denominator if denominator > 0.0 else math.inf

    def _reader_counts(self, parts: Iterable[int]) -> tuple[list[int], bool]:
        """Return the number of readers of each group, and whether two groups share no reader."""
        readers = [set(self.reader[self.groups[i].cells].tolist()) for i in parts]
        disjoint = len(readers) == 2 and not readers[0] & readers[1]
        return [len(r) for r in readers], disjoint

    def _shared_cases(self, signs: dict[int, float], contrast: FloatArray) -> float:
        """Return B, the part of the variance due to cases that different readers share."""
        total = 0.0
        for i in signs:
            for j in signs:
                a, b = self.groups[i], self.groups[j]
                same = self.reader[a.cells][:, None] == self.reader[b.cells][None]
                products = (
                    np.outer(contrast[a.cells], contrast[b.cells])
                    * self.cells.cov[np.ix_(a.cells, b.cells)]
                )
                if a.standalone or b.standalone:
                    total += float(products.sum())
                    continue
                shared, pairs = int(same.sum()), a.cells.size * b.cells.size
                total += float(products[~same].sum()) * pairs / (pairs - shared)
        return total
