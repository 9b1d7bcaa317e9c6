"""Several quantities with their joint uncertainty: contrasts, joint tests and multiplicity.

Estimates, comparisons, scans and reader studies are families. A difference of two estimates, an
average over readers and the difference of two differences are contrasts of a family. The contrasts
of a family form a family again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import numpy as np

from pauci import checks, special
from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.deprecation import RenamedAttribute
from pauci.equality import EqualByFields
from pauci.errors import UndefinedError
from pauci.intervals.analytic import Alternative, Interval
from pauci.intervals.kinds import Kind
from pauci.intervals.simultaneous import DRAWS, SEED, LargestStatistic
from pauci.intervals.student_t import critical_value, upper_tail
from pauci.results.quantity import (
    Difference,
    InvertedTest,
    Quantity,
    scale_of_contrast,
    sums_to_zero,
)
from pauci.tables import number_format as fmt
from pauci.variance.influence_covariance import CANCELLED
from pauci.variance.method import Uncertainty

if TYPE_CHECKING:
    from pauci.intervals.resampled import Resampled
    from pauci.results.joint_test import JointTest

QuantityT = TypeVar("QuantityT", bound=Quantity)  # type: ignore[type-arg]

_HIGHEST_LEVEL = 1.0 - 2.0**-53
"""The largest floating point number below 1."""

_SMALLEST_TAIL = 1e-300


@dataclass(frozen=True, eq=False)
class WeightedSum(EqualByFields, Quantity[Kind]):
    """A weighted sum of the quantities of a family, such as an average.

    Attributes
    ----------
    label : tuple of str
        Name, or names of both parts of a difference.
    value, se, df : float
        The sum, its standard error and the degrees of freedom of the variance.
    se_within : float
        Standard error without the variance between readers or sites.
    scale : Bounds
        Smallest and largest possible value.
    pairs : float
        Number of disjoint positive-negative pairs of the interval at a limit.
    """

    label: tuple[str, ...]
    value: float
    se: float
    df: float
    se_within: float
    scale: Bounds
    pairs: float = math.inf
    alternative: Alternative = "two-sided"
    resolution_bound: float = 0.0
    resampled: "Resampled | None" = None

    se_fixed: ClassVar[RenamedAttribute] = RenamedAttribute("se_within")

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest possible value."""
        return self.scale

    @property
    def name(self) -> str:
        """Name, or that of the first part of a difference."""
        return self.label[0]

    @property
    def second(self) -> str:
        """Name of the second part of a difference; empty for others."""
        return self.label[1] if len(self.label) > 1 else ""


@dataclass(frozen=True, eq=False)
class Contrast(Difference[Kind], WeightedSum):
    """A weighted sum whose weights add up to 0, such as a difference."""


@dataclass(frozen=True, eq=False)
class Family(Generic[QuantityT]):
    """Several quantities with their joint uncertainty.

    Parameters
    ----------
    quantities : sequence of Quantity
        The quantities.
    uncertainty : Uncertainty
        Covariance matrix of the quantities and, if known, the degrees of freedom and the
        replicates of weighted sums of them.
    common_df : bool
        Whether all statistics refer to a t distribution with the smallest degrees of freedom of
        the family. Otherwise each quantity has its own degrees of freedom, and the statistics are
        the normal deviates that have the same p-values.
    max_rank : float
        Largest rank that the covariance matrix can have with this number of rows or clusters.
    clusters : float
        Number of clusters with positives or number with negatives, whichever is smaller; infinite
        without clusters.
    seed, draws : int, optional
        Seed and number of draws of the distribution of the largest statistic.
    """

    quantities: Sequence[QuantityT]
    uncertainty: Uncertainty
    common_df: bool = True
    max_rank: float = math.inf
    clusters: float = math.inf
    seed: int = SEED
    draws: int = DRAWS

    def __len__(self) -> int:
        """Return the number of quantities."""
        return len(self.quantities)

    @property
    def cov(self) -> FloatArray:
        """Covariance matrix."""
        return self.uncertainty.matrix

    @property
    def df(self) -> float:
        """The smallest degrees of freedom of the quantities that are not at a limit."""
        return min((q.df for q in self.quantities if not q.degenerate), default=math.inf)

    def variance(self, weights: FloatArray) -> float:
        """Return the variance of a weighted sum, or 0 if it is a rounding error."""
        (positions,) = weights.nonzero()
        w = weights.take(positions)
        products = w[:, None] * w * self.cov[positions[:, None], positions]
        total, variance = float(products.trace()), float(products.sum())
        return variance if variance > CANCELLED * total else 0.0

    def contrast(
        self,
        weights: FloatArray,
        label: tuple[str, ...] = (),
        *,
        variance: float | None = None,
        df: float | None = None,
        alternative: Alternative = "two-sided",
    ) -> WeightedSum:
        """Return a weighted sum of the quantities.

        Parameters
        ----------
        weights : ndarray of shape (m,)
            Weights of the quantities; for a difference they sum to 0.
        label : tuple of str
            Name, or names of both parts of a difference.
        variance, df : float, optional
            Variance including that between readers or sites, and its degrees of freedom. By
            default, both are those of the uncertainty of the family.
        alternative : str
            Alternative hypothesis of the test, which also determines the side of the interval.
        """
        weights = np.asarray(weights, dtype=np.float64)
        positions = weights.nonzero()[0].tolist()
        w, members = weights[positions].tolist(), [self.quantities[i] for i in positions]
        within = self.variance(weights)
        variance = within if variance is None else variance
        if df is None:
            df = self.uncertainty.df_of(weights) if variance > 0.0 else math.inf
        sum_class = Contrast if sums_to_zero(w) else WeightedSum
        return sum_class(
            label,
            sum(a * q.value for a, q in zip(w, members, strict=True)),
            math.sqrt(variance),
            df,
            math.sqrt(within),
            scale_of_contrast(w, [q.scale for q in members]),
            min(q.pairs for q in members),
            alternative,
            sum(abs(a) * q.resolution_bound for a, q in zip(w, members, strict=True)),
            self._resampled(positions, w),
        )

    def contrasts(self, weights: FloatArray) -> "Family[WeightedSum]":
        """Return the family of several weighted sums, with a row of weights for each."""
        sums = tuple(self.contrast(row) for row in weights)
        cov = self.covariance_of(weights, sums)
        df_of_sum = partial(_df_of_contrasts, self.uncertainty, weights)
        return Family(sums, Uncertainty(cov, df_of_sum=df_of_sum), self.common_df)

    def _resampled(self, positions: list[int], weights: list[float]) -> "Resampled | None":
        """Return the replicates of a weighted sum."""
        if self.uncertainty.replicates is not None:
            resampled: Resampled = self.uncertainty.replicates.combined(positions, weights)
            return resampled
        members = [self.quantities[i].resampled for i in positions]
        if weights == [1.0, -1.0] and members[0] is not None and members[1] is not None:
            return members[0].minus(members[1])
        return None

    def covariance_of(self, weights: FloatArray, sums: Sequence[WeightedSum] = ()) -> FloatArray:
        """Return the covariance matrix of weighted sums, with a row of weights for each.

        The covariances of `sums` with standard error 0 are set to 0.
        """
        cov = _products_of_rows(_products_of_rows(self.cov.T, weights).T, weights)
        exact = [i for i, s in enumerate(sums) if s.se == 0.0]
        if exact:
            cov[exact, :] = cov[:, exact] = 0.0
        cov.flags.writeable = False
        return cov

    def correlation(self, i: int, j: int) -> float:
        """Return the correlation of two quantities, or 0 if either standard error is 0."""
        if not (self.quantities[i].se and self.quantities[j].se):
            return 0.0
        cov = self.cov.item
        correlation = cov(i, j) / math.sqrt(cov(i, i) * cov(j, j))
        return min(max(correlation, -1.0), 1.0)

    @property
    def _sides(self) -> int:
        return 2 if self.quantities[0].alternative == "two-sided" else 1

    @cached_property
    def largest(self) -> LargestStatistic:
        """The distribution of the largest of the correlated statistics."""
        cov, df = self.cov, self.df
        if not self.common_df:
            cov, df = np.array(cov), math.inf
            zero_se = np.diagonal(cov) <= 0.0
            # The p-value of a quantity with standard error 0 is treated as uncorrelated.
            cov[zero_se, :] = cov[:, zero_se] = 0.0
            cov[zero_se, zero_se] = 1.0
        return LargestStatistic(
            cov, two_sided=self._sides == 2, df=df, seed=self.seed, draws=self.draws
        )

    def simultaneous(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return intervals with simultaneous coverage `level`.

        The intervals use the quantile of the largest of the correlated t statistics, with the
        smallest degrees of freedom of the family (`pauci.intervals.simultaneous`), and agree with
        the p-values of `adjusted` by ``"max-t"``.
        """
        level = checks.level(level)
        critical = self.largest.quantile(level)
        return tuple(q.interval_among(level, critical, self.df, len(self)) for q in self.quantities)

    def individual_level(self, level: float) -> float:
        """Return the level of individual intervals whose simultaneous coverage is `level`."""
        tails = self._sides * upper_tail(self.largest.quantile(checks.level(level)))
        return min(max(1.0 - tails, level), _HIGHEST_LEVEL)

    def adjusted(self, method: str, tests: Sequence[InvertedTest]) -> tuple[float, ...]:
        """Return the p-values of tests of the quantities, adjusted for their number.

        `method` is ``"none"``, ``"max-t"`` (single step, from the joint covariance) or a method of
        ``statsmodels.stats.multitest.multipletests``.
        """
        pvalues = [test.pvalue for test in tests]
        if method == "none":
            return tuple(pvalues)
        if method == "max-t":
            return tuple(map(self._single_step, self.quantities, tests))
        from statsmodels.stats.multitest import multipletests

        with np.errstate(divide="ignore"):  # for log(1 - p) at p = 1, whose result is correct
            adjusted = multipletests(pvalues, method=method)[1]
        return tuple(float(p) for p in adjusted)

    def _single_step(self, quantity: QuantityT, test: InvertedTest) -> float:
        """Return the p-value of one test, adjusted by the largest statistic."""
        if not self.common_df:
            if math.isnan(test.pvalue):
                return math.nan
            deviate = critical_value(max(test.pvalue / self._sides, _SMALLEST_TAIL))
            return max(test.pvalue, self.largest.tail(deviate))
        if quantity.at_limit:
            return min(1.0, len(self) * test.pvalue)
        statistics = {"two-sided": abs(test.statistic), "less": -test.statistic}
        return self.largest.tail(statistics.get(quantity.alternative, test.statistic))

    def joint(self) -> "JointTest":
        """Test that all quantities are 0 at once, by Hotelling's T^2 (`JointTest`).

        The test uses the generalized inverse of the covariance matrix. If a quantity has standard
        error 0 and is not 0, the statistic is infinite, and the p-value is combined with that of
        the quantity by Bonferroni's method.

        Raises
        ------
        UndefinedError
            If the degrees of freedom or the number of rows or clusters are too few.

        References
        ----------
        T. W. Anderson (2003), An Introduction to Multivariate Statistical Analysis, 3rd ed., 5.2.
        """
        from pauci.results.joint_test import JointTest

        spread = np.sqrt(np.diag(self.cov))
        positive = spread > 0.0
        z = np.array([q.value for q in self.quantities])[positive] / spread[positive]
        block = np.ix_(positive, positive)
        correlation = self.cov[block] / np.outer(spread, spread)[block]
        eigenvalues, vectors = np.linalg.eigh(correlation)
        in_rank = eigenvalues > 1e-10 * len(self)
        df = int(in_rank.sum())
        whitened = vectors[:, in_rank].T / np.sqrt(eigenvalues[in_rank])[:, None]
        statistic = float(np.square(whitened @ z).sum())
        weights, bounds = self._terms
        if bounds.any():  # a lower bound of the distance from 0 within the binning errors
            scaled = weights[positive] / spread[positive][:, None]
            shifts = np.linalg.norm(whitened @ scaled, axis=0)
            binning = float((bounds[shifts > 0.0] * shifts[shifts > 0.0]).sum())
            statistic = max(math.sqrt(statistic) - binning, 0.0) ** 2
        denominator = self._denominator(df, _rank(weights) - _rank(weights[~positive]))
        pvalue = 1.0
        if not df:
            denominator = math.inf
        elif math.isinf(denominator):
            pvalue = float(special.chdtrc(df, statistic))
        else:
            test = JointTest(statistic, df, 1.0, denominator)
            pvalue = float(special.fdtrc(df, denominator, test.f))
        certain_pvalues = [
            q.inverted_test(0.0, "two-sided").pvalue
            for q in self.quantities
            if q.se == 0.0 and q.value
        ]
        if certain_pvalues:
            pvalues = [*certain_pvalues, pvalue] if df else certain_pvalues
            return JointTest(math.inf, df, min(1.0, len(pvalues) * min(pvalues)), denominator)
        return JointTest(statistic, df, pvalue, denominator)

    @property
    def _terms(self) -> tuple[FloatArray, FloatArray]:
        """Weights of the terms, a row for each quantity, and binning errors of the terms."""
        terms = [q.terms for q in self.quantities]
        columns = {key: i for i, key in enumerate(dict.fromkeys(k for t in terms for k in t))}
        weights, bounds = np.zeros((len(self), len(columns))), np.zeros(len(columns))
        for row, terms_of_quantity in zip(weights, terms, strict=True):
            for key, (weight, bound) in terms_of_quantity.items():
                row[columns[key]] = weight
                bounds[columns[key]] = np.nan_to_num(bound, posinf=np.inf)
        return weights, bounds

    def _denominator(self, df: int, full_rank: int) -> float:
        """Return the denominator degrees of freedom of a joint test of rank `df`.

        `full_rank` is the rank that the covariance matrix has with sufficiently many rows.
        """
        denominator = self.df - df + 1.0
        rank = full_rank if self.max_rank <= df < full_rank else df
        if rank == df and (denominator > 0.0 or not df):
            return denominator
        units, reason = "observations", ""
        if math.isfinite(self.clusters):
            units, reason = "clusters", f" (one class occurs in only {self.clusters:g} clusters)"
        raise UndefinedError(
            f"joint() tests {rank} differences at once, which requires more than {rank - 1} "
            f"degrees of freedom, but their covariance has {fmt.degrees(self.df)}{reason}.",
            argument="samples",
            hint=f"Compare fewer classifiers or measures, collect more {units}, or adjust each "
            "test with adjust='holm'.",
            shell_hint=f"Compare fewer classifiers or measures, collect more {units}, or adjust "
            "each test with --adjust holm.",
        )


def _products_of_rows(matrix: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``matrix @ weights.T``; the sums do not depend on the number of threads.

    Rows with one or two weights, such as those of the differences of all pairs, require two
    products instead of one for each column of the matrix.
    """
    used = weights != 0.0
    if used.sum(axis=1).max(initial=0) > 2:
        return np.asarray(np.einsum("il,jl->ij", matrix, weights))
    first, last = used.argmax(axis=1), weights.shape[1] - 1 - used[:, ::-1].argmax(axis=1)
    rows = np.arange(len(weights))
    of_first, of_last = weights[rows, first], np.where(last > first, weights[rows, last], 0.0)
    result = np.empty((len(matrix), len(weights)))
    for row, values in zip(result, matrix, strict=True):
        np.multiply(values.take(first), of_first, out=row)
        row += values.take(last) * of_last
    return result


def _df_of_contrasts(uncertainty: Uncertainty, contrasts: FloatArray, sums: FloatArray) -> float:
    return uncertainty.df_of(sums @ contrasts)


def _rank(weights: FloatArray) -> int:
    return int(np.linalg.matrix_rank(weights)) if len(weights) else 0
