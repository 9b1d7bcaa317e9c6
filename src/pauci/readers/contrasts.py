r"""Contrasts of modalities, components of variance, and the U-statistic for the AUC.

With t the estimates of the cells (a reader in a modality), C their covariance over cases, L the
weights of a contrast, :math:`R_j` readers in modality j and :math:`R_{ij}` in both,

.. math:: V_R = \sum_r d_r^2, \quad
          d_r = \sum_{k \in r} L_k \sqrt{\tfrac{R_j}{R_j - 1}}\, (t_k - \bar t_j), \qquad
          B = \sum_{k, l} \tfrac{R_i R_j}{R_i R_j - R_{ij}} L_k L_l C_{kl}

over cells k and l of different readers. The variance is :math:`V_R + \max(B, 0)` with
:math:`V^2/(V_R^2/(R - 1))` degrees of freedom for random readers and cases, :math:`V_R` for fixed
cases and :math:`L^T C L` for fixed readers (Obuchowski and Rockette 1995, Hillis 2007;
Satterthwaite 1946 for readers nested in modalities).

The one-shot U-statistic (Gallas 2006) has the kernel S = 1, 1/2 or 0 and the weight W = 1 or 0 of a
triple of reader, positive and negative. For the eight kinds e of pairs of triples by what they
share,

.. math:: M_e = \frac{\sum_e W S\, W' S'}{\sum_e W W'}, \qquad
          V = \sum_e \frac{\sum_e W W'}{\sum W \sum W'} M_e - M_\text{none} = A A' - M_\text{none} ,

from marginal sums by inclusion and exclusion. Its degrees of freedom (Obuchowski, Gallas and Hillis
2012, Academic Radiology 19:1508-1517), with :math:`s_f` the mean product of triples that share at
least the factor f, minus A A', are at least the smallest :math:`m_f - 1`:

.. math:: m_f = \frac{(\sum W)^2}{\sum_f W W'}, \qquad
          \nu = V^2 / \sum_f \frac{s_f^2}{(m_f - 1)^3} .
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pauci import special
from pauci.calls import validate_constructor
from pauci.checks import AnyArray, EqualByFields, FloatArray, IntArray
from pauci.errors import UndefinedError
from pauci.intervals.analytic import Ends, LimitOfDifference
from pauci.readers.study import Cell, ReaderStudy
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.results.weighted_sums import WeightedSum

_IMPROBABLE = 0.2
"""Probability of a note on the reader part if readers do not differ."""


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

    _noun_of_groups, _noun_of_names = "reader", "modality"


def _of_estimate(name: str) -> Any:
    """Return a property that is an attribute, or a method, of the estimate of a single reader."""
    return property(attrgetter(f"estimate.{name}"), doc=f"`{name}` of the estimate.")


@dataclass(frozen=True, eq=False)
class SingleReaderAverage(WeightedSum):
    """The "average" of a modality with a single reader, who is not from a random sample.

    Intervals and tests are those of the estimate of this reader.
    """

    estimate: ReaderEstimate | None = None

    bounds: ClassVar[Any] = _of_estimate("bounds")
    degenerate: ClassVar[Any] = _of_estimate("degenerate")
    analytic_kinds: ClassVar[Any] = _of_estimate("analytic_kinds")
    kind_used: ClassVar[Any] = _of_estimate("kind_used")
    analytic_ends: ClassVar[Any] = _of_estimate("analytic_ends")
    joins_differences: ClassVar[Any] = _of_estimate("joins_differences")
    _df_of: ClassVar[Any] = _of_estimate("_df_of")
    _ends: ClassVar[Any] = _of_estimate("_ends")

    @property
    def estimates_used(self) -> list[Any]:
        """The estimate of this reader."""
        return [self.estimate]


@dataclass(frozen=True, eq=False, repr=False)
class FixedCasesAverage(WeightedSum):
    """An average over readers for fixed cases, whose errors are those of the readers alone.

    The standard error may be 0, for a standalone reader or for readers with equal estimates.
    Differences from this average are nevertheless tested with their own standard errors.
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

    @cached_property
    def components(self) -> tuple[float, ...]:
        """The variance components, without the cells of a standalone reader."""
        positions = np.flatnonzero([not self.groups[i].standalone for i in self.group])
        covariance = self.cells.cov[np.ix_(positions, positions)]
        reader, group = self.reader[positions], self.group[positions]
        return tuple(components_of(self.values[positions], covariance, reader, group))

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
        readers = [set(self.reader[self.groups[i].cells].tolist()) for i in parts]
        if len(readers) == 2 and not readers[0] & readers[1]:
            df_of_readers = sum(map(len, readers)) - 2.0
            sizes = zip(parts.values(), readers, strict=True)
            denominator = sum(p**2 / (len(r) - 1.0) for p, r in sizes)
        else:
            df_of_readers = min(map(len, readers)) - 1.0
            denominator = among**2 / df_of_readers

        def df(variance: float) -> float:
            return variance**2 / denominator if denominator > 0.0 else math.inf

        if not self.random_cases:
            return ReaderVariance(among, df(among), fixed, random_cases=False)
        units = self.cells.uncertainty.units
        others = 0.0 if units is None else float(contrast @ units.cov_of_others @ contrast)
        shared = max(self._shared_cases(signs, contrast), 0.0) + others
        variance = among + shared
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

    def _shared_cases(self, signs: dict[int, float], contrast: FloatArray) -> float:
        """Return B, the part of the variance due to cases that different readers share.

        The variance due to other rows of z than those of units is not included.
        """
        total, units = 0.0, self.cells.uncertainty.units
        covariance = self.cells.cov if units is None else units.cov_of_units
        for i in signs:
            for j in signs:
                a, b = self.groups[i], self.groups[j]
                same = self.reader[a.cells][:, None] == self.reader[b.cells][None]
                products = np.outer(contrast[a.cells], contrast[b.cells])
                products *= covariance[np.ix_(a.cells, b.cells)]
                if a.standalone or b.standalone:
                    total += float(products.sum())
                    continue
                shared, pairs = int(same.sum()), a.cells.size * b.cells.size
                total += float(products[~same].sum()) * pairs / (pairs - shared)
        return total


COVARIANCE_NAMES = ("error", "cov1", "cov2", "cov3")

COMPONENT_NAMES = (
    *COVARIANCE_NAMES,
    *("ms_reader", "ms_reader_by_modality", "reader", "reader_by_modality"),
    *("r1", "r2", "r3"),
)


@validate_constructor
@dataclass(frozen=True, eq=False)
class ReaderTest(EqualByFields):
    """A test that all modalities are equal.

    Attributes
    ----------
    statistic : float
        F statistic; the square of t for two modalities.
    df : float
        Degrees of freedom of the numerator: the number of modalities minus one.
    df_denominator : float
        Degrees of freedom of the denominator.
    pvalue : float
        p-value.
    """

    statistic: float
    df: float
    df_denominator: float
    pvalue: float


def mean_covariances(
    covariance: FloatArray, reader: Any, group: Any, block: Any = None
) -> tuple[float, float, float, float]:
    """Return the mean variance of cells, and the mean covariances of Obuchowski and Rockette.

    Covariances of different readers are within blocks, if there are any. The mean is NaN if there
    is no pair.
    """
    same_reader, same_group = (codes[:, None] == codes for codes in (reader, group))
    others = ~same_reader if block is None else ~same_reader & (block[:, None] == block)
    error, cov1, cov2, cov3 = (
        float(covariance[pairs].mean()) if pairs.any() else math.nan
        for readers in (same_reader, others)
        for pairs in (readers & same_group, readers & ~same_group)
    )
    return error, cov1, cov2, cov3


def components_of(
    values: FloatArray, covariance: FloatArray, reader: Any, group: Any
) -> Sequence[float]:
    """Return the components of Obuchowski and Rockette, in the order of `COMPONENT_NAMES`."""
    error, cov1, cov2, cov3 = mean_covariances(covariance, reader, group)
    readers, groups = np.unique(reader), np.unique(group)
    r, m = readers.size, groups.size
    ms_r = ms_rm = reader_component = interaction = math.nan
    if values.size == r * m and r > 1:
        table = np.empty((r, m))
        table[np.searchsorted(readers, reader), np.searchsorted(groups, group)] = values
        by_reader = table.mean(axis=1)
        ms_r = m * float(by_reader.var(ddof=1))
        if m > 1:
            residuals = table - by_reader[:, None] - table.mean(axis=0) + table.mean()
            ms_rm = float((residuals**2).sum()) / ((r - 1) * (m - 1))
            interaction = ms_rm - error + cov1 + max(cov2 - cov3, 0.0)
            reader_component = (ms_r - ms_rm) / m - cov1 + cov3
        else:
            reader_component = ms_r - error + cov2
    correlations = [c / error if error > 0.0 else math.nan for c in (cov1, cov2, cov3)]
    return error, cov1, cov2, cov3, ms_r, ms_rm, reader_component, interaction, *correlations


Shared = frozenset[str]
"""The indices that two triples share: "r" (reader), "i" (positive) and "j" (negative)."""

_KINDS: tuple[Shared, ...] = tuple(
    map(frozenset, chain.from_iterable(combinations("rij", n) for n in range(4)))
)

_NONE: Shared = frozenset()

_FACTORS: tuple[Shared, ...] = tuple(map(frozenset, "rij"))


@dataclass(frozen=True, eq=False)
class Kernels:
    """Marginal sums of W S and of W over the triples of one modality."""

    wins: dict[int, tuple[IntArray, IntArray, AnyArray, float]]
    """Positives and negatives that each reader has read, twice the kernel, and its weight."""
    by: dict[Shared, FloatArray]
    """Both sums over the indices that are not in the key, along the first axis."""
    standalone: bool = False
    """Whether the reader is not random."""

    @property
    def auc(self) -> float:
        """The average over all triples."""
        total, weight = self.by[_NONE].tolist()
        return float(total / weight)


class UStatistic(NamedTuple):
    """A variance, or covariance of two averages, with the component of each factor.

    The keys are the factors. A factor that is nested in two modalities has two components, whose
    keys are the factor and the number of the modality, 0 or 1.
    """

    covariance: float
    components: dict[Hashable, tuple[float, int]]
    """Each component with the effective number of readers, positives or negatives, minus one."""

    def degrees_of_freedom(self) -> float:
        """Return the degrees of freedom of the variance."""
        denominator = sum(s**2 / max(m, 1) ** 3 for s, m in self.components.values())
        fewest = float(max(min(m for _, m in self.components.values()), 1))
        return max(self.covariance**2 / denominator, fewest) if denominator > 0.0 else math.inf


def kernels_of(
    study: ReaderStudy, cells: Sequence[Cell], weights: FloatArray, *, standalone: bool = False
) -> Kernels:
    """Return the sums of a modality, whose cells have these weights."""
    positive, position = study.rows.positive, np.empty(study.rows.positive.size, dtype=np.int64)
    position[positive] = np.arange(study.n_pos)
    position[~positive] = np.arange(study.n_neg)
    n_readers, n_pos, n_neg = len(study.readers), study.n_pos, study.n_neg
    shapes = {"ri": (n_readers, n_pos), "rj": (n_readers, n_neg), "ij": (n_pos, n_neg)}
    by = {frozenset(kind): np.zeros((2, *shape)) for kind, shape in shapes.items()}
    wins = {}
    for cell, cell_weight in zip(cells, weights.tolist(), strict=True):
        positive, scores = cell.ratings.rows.positive, cell.ratings.values
        x, y = scores[positive], scores[~positive]
        twice = (x[:, None] > y).astype(np.int8)
        twice += x[:, None] >= y
        i, j = position[cell.cases[positive]], position[cell.cases[~positive]]
        weight = cell_weight / twice.size
        wins[cell.reader] = i, j, twice, weight
        pairs = np.broadcast_to(np.int8(1), twice.shape)
        for k, (unit, kernel) in enumerate(((weight / 2.0, twice), (weight, pairs))):
            by[frozenset("ri")][k, cell.reader, i] = unit * kernel.sum(axis=1)
            by[frozenset("rj")][k, cell.reader, j] = unit * kernel.sum(axis=0)
            by[frozenset("ij")][k][np.ix_(i, j)] += unit * kernel
    by[frozenset("r")] = by[frozenset("ri")].sum(axis=2)
    by[frozenset("i")] = by[frozenset("ri")].sum(axis=1)
    by[frozenset("j")] = by[frozenset("rj")].sum(axis=1)
    by[_NONE] = by[frozenset("r")].sum(axis=1)
    return Kernels(wins, by, standalone)


def covariance_of(first: Kernels, second: Kernels) -> UStatistic:
    """Return the covariance of two averages, or the variance of one of them.

    The reader of a standalone modality is not random: no reader is then shared.
    """
    sums, alone = _sums_over_pairs(first, second), first.standalone or second.standalone
    kinds = [kind for kind in _KINDS if not (alone and "r" in kind)]
    numerator, denominator = np.asarray(sum((-1.0) ** len(k) * sums[k] for k in kinds)).tolist()
    total = float(sums[_NONE][1])
    # Below the contribution of a single pair of triples, the difference is rounding error.
    if denominator <= 1e-12 * total:
        problem = "no two readings differ in reader, positive and negative, so that the variance "
        problem += "of the U-statistic is undefined. At least two readers must read two cases of "
        problem += "each class."
        raise UndefinedError(problem)
    product = first.auc * second.auc
    components: dict[Hashable, tuple[float, int]] = {}
    for f in _FACTORS:
        of_factor, weight = sums[f].tolist()
        if f in kinds and weight > 0.0:
            components[f] = of_factor / weight - product, round(total / weight - 1.0)
    return UStatistic(product - numerator / denominator, components)


def difference_of(first: UStatistic, second: UStatistic, cross: UStatistic) -> UStatistic:
    """Return the variance of a difference from two variances and their covariance.

    A factor that both averages share has one component; otherwise each average has its own.
    """
    components: dict[Hashable, tuple[float, int]] = {}
    for f in _FACTORS:
        if f in cross.components:
            (a, m), (b, n), (both, _) = (u.components[f] for u in (first, second, cross))
            components[f] = a + b - 2.0 * both, min(m, n)
            continue
        for i, u in enumerate((first, second)):
            if f in u.components:
                components[f, i] = u.components[f]
    return UStatistic(first.covariance + second.covariance - 2.0 * cross.covariance, components)


def _sums_over_pairs(first: Kernels, second: Kernels) -> dict[Shared, FloatArray]:
    """Return sums of W S W' S' and of W W' over pairs of triples that share at least each kind."""
    sums: dict[Shared, FloatArray] = {
        kind: (first.by[kind] * second.by[kind]).reshape(2, -1).sum(axis=1) for kind in _KINDS[:-1]
    }
    of_same = np.zeros(2)
    for reader in first.wins.keys() & second.wins.keys():
        pos_a, neg_a, twice_a, weight_a = first.wins[reader]
        pos_b, neg_b, twice_b, weight_b = second.wins[reader]
        _, i, k = np.intersect1d(pos_a, pos_b, True, return_indices=True)
        _, j, m = np.intersect1d(neg_a, neg_b, True, return_indices=True)
        products = twice_a[np.ix_(i, j)] * twice_b[np.ix_(k, m)]
        weight = weight_a * weight_b
        of_same += weight * int(products.sum(dtype=np.int64)) / 4.0, weight * products.size
    return sums | {_KINDS[-1]: of_same}
