r"""The degrees of freedom of variances that are sums of squares over independent units.

With :math:`z_i` the contribution of unit i to an estimate or a weighted sum, :math:`V = \sum_i
z_i^2` has by its first two moments, over the strata s of exchangeable units (Satterthwaite, Welch),

.. math:: \nu = \min\Big( \frac{2 V^2}{\sum_s (\sum_{i \in s} z_i^4 - V_s^2/m_s)} ,\;
          \frac{V^2}{\sum_s V_s^2/(m_s - 1)} \Big) .

A stratum holds only positives, only negatives, or both, of one independent part of the data. Fewer
than five units of a single class join those of both classes, if these are at least five; a single
unit joins the smallest stratum. If units have several rows in a part, :math:`\nu` is at most the
smallest effective number of units that hold a class in a part, minus one. The degrees of freedom of
a covariance matrix average :math:`V^2` and the denominator over all contrasts with variance 1, as
in Nel and van der Merwe (1986, Communications in Statistics - Theory and Methods 15:3719-3735) and
Pustejovsky and Tipton (2018, Journal of Business and Economic Statistics 36:672-683). The method
page gives the reasons for the rules.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, Protocol

import numpy as np

from pauci.checks import BoolArray, FloatArray, IntArray

_FEWEST_UNITS = 5.0
"""Number of units of a single class below which they join the units that hold both classes."""

_SMALLEST_SHARE = 1e-6
"""Proportion of a variance that is estimated below which the whole variance is treated as known."""


class Moments(NamedTuple):
    """Sums of squares and of fourth powers over the units of a stratum, and their number."""

    second: float
    fourth: float
    units: float

    def scaled_units(self, factor: float) -> "Moments":
        """Return the expected moments if the number of units is multiplied by a factor."""
        return Moments(self.second / factor, self.fourth / factor**3, self.units * factor)

    def joined(self, other: "Moments") -> "Moments":
        """Return the moments of the units of two strata together."""
        return Moments(
            self.second + other.second, self.fourth + other.fourth, self.units + other.units
        )


NO_UNITS = Moments(0.0, 0.0, 0.0)


class ClassMoments(NamedTuple):
    """Moments of units that are independent of others, by the classes that they hold."""

    pos: Moments
    neg: Moments
    both: Moments = NO_UNITS

    @classmethod
    def of_classes(
        cls, pos: Moments, neg: Moments, both: Moments, *others: Moments
    ) -> "list[ClassMoments]":
        """Return moments with those of the units that hold a single class of further ones."""
        many = [m for m in others if not _join(m, both)]
        few = [m for m in others if _join(m, both)]
        joined = reduce(Moments.joined, few, both)
        return [cls(pos, neg, joined), *(cls(m, NO_UNITS) for m in many)]


class UnitSums(Protocol):
    """Sums over the independent units of estimates."""

    def of_each(self) -> list[list[ClassMoments]]:
        """Return the moments of every estimate."""

    def of_sums(self, weights: FloatArray) -> list[list[ClassMoments]]:
        """Return the moments of weighted sums of the estimates, with a row of weights for each."""


def degrees_of_freedom(*sums: Iterable[ClassMoments], shares: Sequence[float] = (1.0,)) -> float:
    """Return the degrees of freedom of a variance from the moments of its strata.

    Parameters
    ----------
    *sums : iterable of ClassMoments
        The moments of each set of units that is independent of the others; for a covariance matrix
        those of several weighted sums.
    shares : sequence of float
        The weight of each sum in averages.
    """
    square = var_of_variance = of_welch = 0.0
    for independent, share in zip(sums, shares, strict=True):
        variance = between = welch = 0.0
        for second, fourth, units in _strata(independent):
            variance += second
            between += max(fourth - second**2 / units, 0.0)
            welch += second**2 / (units - 1.0) if units > 1.0 else 0.0
        square += share * variance**2
        var_of_variance += share * between
        of_welch += share * welch
    from_moments = 2.0 * square / var_of_variance if var_of_variance > 0.0 else math.inf
    return min(from_moments, square / of_welch) if of_welch > 0.0 else from_moments


def _directions(count: int) -> tuple[FloatArray, FloatArray]:
    """Return weights whose averages, with shares, are those over all directions.

    The averages of polynomials of degree four over the unit sphere are exact (Stroud 1971,
    Approximate Calculation of Multiple Integrals, U_n: 5-2).
    """
    axes = np.eye(count)
    pairs = [axes[i] + sign * axes[j] for i in range(count) for j in range(i) for sign in (1, -1)]
    share = 1.0 / (count * (count + 2.0))
    shares = np.repeat([(4.0 - count) * share, share / 2.0], [count, len(pairs)])
    return np.array([*axes, *pairs]), shares


def _join(of_class: Moments, both: Moments) -> bool:
    """Return whether the units of a single class join those that hold several."""
    return of_class.units < _FEWEST_UNITS <= both.units


def _strata(independent: Iterable[ClassMoments]) -> list[Moments]:
    """Return the strata, of which those with few units have joined others.

    A few units of a single class join those that hold both classes, and a stratum with a single
    unit joins the smallest other one. The variance decides between strata of equal size.
    """
    strata = []
    for pos, neg, both in independent:
        for of_class in (pos, neg):
            if _join(of_class, both):
                both = both.joined(of_class)
            elif of_class.units:
                strata.append(of_class)
        if both.units:
            strata.append(both)
    by_size = attrgetter("units", "second")
    strata.sort(key=by_size)
    while len(strata) > 1 and strata[0].units == 1.0:
        first, second, *others = strata
        strata = sorted([first.joined(second), *others], key=by_size)
    return strata


class Evidence(NamedTuple):
    """What the degrees of freedom of a weighted sum of estimates are calculated from."""

    moments: list[ClassMoments] | None
    """The moments of the units; None if an estimate has no influence values."""
    estimated: float
    """The variance that is estimated from the units."""
    total: float
    """The variance with a part that is treated as known."""
    limit: float


class DfRule(ABC):
    """The degrees of freedom of the variances of weighted sums of estimates."""

    @abstractmethod
    def __call__(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the estimates."""

    @abstractmethod
    def evidence(self, weights: FloatArray) -> list[list[Evidence]] | None:
        """Return the moments of each independent part for weighted sums, with a row for each.

        None if the moments do not determine the degrees of freedom.
        """

    def of_matrix(self, weights: FloatArray) -> float | None:
        """Return the degrees of freedom of the covariance matrix of several weighted sums.

        The sums are uncorrelated and have variance 1. None if the moments do not determine them.
        """
        directions, shares = _directions(len(weights))
        evidence = self.evidence(directions @ weights)
        return None if evidence is None else _df_of_independent(evidence, shares.tolist())

    @abstractmethod
    def limits_of_each(self) -> FloatArray:
        """Return the largest degrees of freedom of each estimate, and of all sums with it."""

    @abstractmethod
    def variances(self) -> tuple[FloatArray, FloatArray]:
        """Return the covariance matrices without and with a part that is treated as known."""

    @property
    def uses_moments(self) -> bool:
        """Whether the moments of the units determine the degrees of freedom."""
        return True


@dataclass(frozen=True, eq=False)
class DegreesOfFreedom(DfRule):
    """The degrees of freedom of the variances of estimates and of weighted sums of them.

    Parameters
    ----------
    sums : UnitSums, optional
        Sums over the units of the influence on the estimates that have influence values, if any.
    has_influence : ndarray of bool, shape (m,)
        Whether each estimate has influence values. Sums with estimates that have none have infinite
        degrees of freedom.
    limits : ndarray of shape (m,)
        Largest degrees of freedom of each estimate, and of all sums with it.
    estimated : ndarray of shape (m, m)
        The covariance matrix that is estimated from the units.
    total : ndarray of shape (m, m), optional
        The covariance matrix with a part that is treated as known, which increases the degrees of
        freedom by the squared ratio of the variances (Satterthwaite 1946).
    """

    sums: UnitSums | None
    has_influence: BoolArray
    limits: FloatArray
    estimated: FloatArray
    total: FloatArray | None = None

    def of_each(self) -> FloatArray:
        """Return the degrees of freedom of every estimate."""
        df = np.full(self.limits.size, math.inf)
        if self.sums is not None:
            df[self.has_influence] = list(map(degrees_of_freedom, self.sums.of_each()))
        if self.total is not None:
            df *= _factor_of_known_part(self.estimated.diagonal(), self.total.diagonal())
        return np.asarray(np.minimum(df, self.limits))

    def __call__(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the estimates."""
        return _df_of_independent(self.evidence(weights[None]))

    def evidence(self, weights: FloatArray) -> list[list[Evidence]]:
        """Return the moments and the variances of weighted sums of the estimates."""
        moments: list[list[ClassMoments] | None] = [None] * len(weights)
        known = (self.has_influence | (weights == 0.0)).all(axis=1)
        if self.sums is not None and known.any():
            found = self.sums.of_sums(weights[known][:, self.has_influence])
            for i, of_known in zip(np.flatnonzero(known).tolist(), found, strict=True):
                moments[i] = of_known
        result = []
        for row, of_sum in zip(weights, moments, strict=True):
            used = np.flatnonzero(row)
            limit = float(self.limits[used].min(initial=math.inf))
            part, w = (used[:, None], used), row[used]
            estimated = float(w @ self.estimated[part] @ w)
            total = estimated if self.total is None else float(w @ self.total[part] @ w)
            result.append([Evidence(of_sum, estimated, total, limit)])
        return result

    def limits_of_each(self) -> FloatArray:
        """Return the largest degrees of freedom of each estimate."""
        return self.limits

    def variances(self) -> tuple[FloatArray, FloatArray]:
        """Return the covariance matrices without and with a part that is treated as known."""
        return self.estimated, self.estimated if self.total is None else self.total


@dataclass(frozen=True, eq=False)
class LimitedDf(DfRule):
    """Degrees of freedom that a variance method determines itself, with limits."""

    df_of: Callable[[FloatArray], float]
    limits: FloatArray
    matrix: FloatArray

    def __call__(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the estimates."""
        return min(self.df_of(weights), float(self.limits[np.flatnonzero(weights)].min()))

    def evidence(self, weights: FloatArray) -> None:  # noqa: ARG002
        """Return None, because the method decides."""
        return

    def limits_of_each(self) -> FloatArray:
        """Return the degrees of freedom of each estimate."""
        return np.array([self(weights) for weights in np.eye(self.limits.size)])

    def variances(self) -> tuple[FloatArray, FloatArray]:
        """Return the same matrix twice, because the method treats no part as known."""
        return self.matrix, self.matrix

    @property
    def uses_moments(self) -> bool:
        """Whether the moments of the units determine the degrees of freedom: they do not."""
        return False


@dataclass(frozen=True, eq=False)
class DfOfSums(DfRule):
    """The degrees of freedom of weighted sums of sums of estimates."""

    rule: DfRule
    sums: FloatArray
    """The weights of the estimates in each sum."""

    def __call__(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the sums."""
        return self.rule(self._of_estimates(weights))

    def evidence(self, weights: FloatArray) -> list[list[Evidence]] | None:
        """Return the moments of each independent part."""
        return self.rule.evidence(np.array([self._of_estimates(row) for row in weights]))

    def _of_estimates(self, weights: FloatArray) -> FloatArray:
        """Return the weights of the estimates in a weighted sum of the sums."""
        used = np.flatnonzero(weights)  # usually a few of many sums
        return np.asarray(weights[used] @ self.sums[used])

    def limits_of_each(self) -> FloatArray:
        """Return the largest degrees of freedom of each sum."""
        limits = self.rule.limits_of_each()
        return np.array([limits[row != 0.0].min(initial=math.inf) for row in self.sums])

    def variances(self) -> tuple[FloatArray, FloatArray]:
        """Return the covariance matrices without and with a part that is treated as known."""
        first, second = (np.asarray(self.sums @ m @ self.sums.T) for m in self.rule.variances())
        return first, second

    @property
    def uses_moments(self) -> bool:
        """Whether the moments of the units determine the degrees of freedom."""
        return self.rule.uses_moments


@dataclass(frozen=True, eq=False)
class DfOfParts(DfRule):
    """The degrees of freedom of weighted sums of the estimates of independent parts.

    The moments of the units of all parts are used together. If a variance method determines the
    degrees of freedom of a part, those of the parts are combined by the formula of Satterthwaite
    (1946).
    """

    parts: Sequence[tuple[FloatArray, DfRule]]
    """The covariance matrix and the rule of each part."""

    def _used(self, weights: FloatArray) -> list[tuple[FloatArray, FloatArray, DfRule]]:
        """Return the weights of the estimates of each part that has any, its matrix and rule."""
        ends = self._ends
        numbers = np.searchsorted(ends, np.flatnonzero(weights.any(axis=0)), side="right")
        used = []
        for k in dict.fromkeys(numbers.tolist()):
            matrix, rule = self.parts[k]
            used.append((weights[:, ends[k] - len(matrix) : ends[k]], matrix, rule))
        return used

    @cached_property
    def _ends(self) -> IntArray:
        """The end of the positions of the estimates of each part."""
        return np.cumsum([len(matrix) for matrix, _ in self.parts])

    def __call__(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the estimates."""
        evidence = self.evidence(weights[None])
        if evidence is not None:
            return _df_of_independent(evidence)
        total = denominator = 0.0
        for (w,), matrix, rule in self._used(weights[None]):
            variance = float(w @ matrix @ w)
            total += variance
            denominator += variance**2 / rule(w)
        return total**2 / denominator if denominator > 0.0 else math.inf

    def evidence(self, weights: FloatArray) -> list[list[Evidence]] | None:
        """Return the moments of each independent part; None if they are unknown for one."""
        result: list[list[Evidence]] = [[] for _ in weights]
        for w, _, rule in self._used(weights):
            rows = np.flatnonzero(w.any(axis=1))
            found = rule.evidence(w[rows])
            if found is None:
                return None
            for i, evidence in zip(rows.tolist(), found, strict=True):
                result[i] += evidence
        return result

    def limits_of_each(self) -> FloatArray:
        """Return the largest degrees of freedom of each estimate."""
        return np.concatenate([rule.limits_of_each() for _, rule in self.parts])

    def variances(self) -> tuple[FloatArray, FloatArray]:
        """Return the covariance matrices without and with a part that is treated as known."""
        first, second = zip(*[rule.variances() for _, rule in self.parts], strict=True)
        return block_diagonal(first), block_diagonal(second)

    @property
    def uses_moments(self) -> bool:
        """Whether the moments of the units determine the degrees of freedom."""
        return all(rule.uses_moments for _, rule in self.parts)


def block_diagonal(blocks: Sequence[FloatArray]) -> FloatArray:
    """Return the matrix with these square blocks on its diagonal."""
    ends = np.cumsum([0, *map(len, blocks)]).tolist()
    matrix = np.zeros((ends[-1], ends[-1]))
    for block, first, end in zip(blocks, ends, ends[1:], strict=False):
        matrix[first:end, first:end] = block
    return matrix


def _df_of_independent(
    sums: Sequence[Sequence[Evidence]], shares: Sequence[float] = (1.0,)
) -> float:
    """Return the degrees of freedom of a sum over independent parts, or the average of several."""
    evidence = list(chain(*sums))
    limit = min(map(attrgetter("limit"), evidence), default=math.inf)
    if None in map(attrgetter("moments"), evidence):
        return limit
    moments, estimated, total = [], [], []
    for parts in sums:
        moments.append(chain(*map(attrgetter("moments"), parts)))
        estimated.append(math.fsum(map(attrgetter("estimated"), parts)))
        total.append(math.fsum(map(attrgetter("total"), parts)))
    df = degrees_of_freedom(*moments, shares=shares)
    if estimated == total:
        return min(df, limit)
    mean_squares = (np.array([estimated, total]) ** 2) @ np.array(shares)
    factor = _factor_of_known_part(*np.sqrt(mean_squares))
    return min(df * float(factor), limit)


def _factor_of_known_part(estimated: FloatArray, total: FloatArray) -> FloatArray:
    """Return the factor of the degrees of freedom if a part of the variance is known."""
    share = np.divide(estimated, total, out=np.ones_like(total), where=total > 0.0)
    return np.where(share < _SMALLEST_SHARE, np.inf, 1.0 / np.maximum(share, _SMALLEST_SHARE) ** 2)


def barnard_rubin_df(within: float, total: float, imputations: int, complete: float) -> float:
    """Return the degrees of freedom of a pooled variance (Barnard and Rubin 1999).

    Parameters
    ----------
    within, total : float
        The average variance of the completed data sets, and the pooled variance.
    imputations : int
        The number of completed data sets.
    complete : float
        Degrees of freedom without missing values; if they are infinite, the result is that of
        Rubin (1987).
    """
    between = (total - within) / total if total > 0.0 else 0.0
    known = math.inf if between <= 0.0 else (imputations - 1) / between**2
    if math.isinf(complete) or between >= 1.0:
        return known
    observed = (complete + 1.0) / (complete + 3.0) * complete * (1.0 - between)
    return 1.0 / (1.0 / known + 1.0 / observed)
