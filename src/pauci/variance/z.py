r"""z, the contributions of independent units to estimates, from which all uncertainty follows.

A row of z is a unit: a row of the data, several rows with equal contributions, or a cluster. A
column is an estimate. With n the frequencies of the units, :math:`z^T \mathrm{diag}(n) z` is the
covariance matrix of the estimates, and :math:`z w` are the contributions to a weighted sum. Results
of different units are independent; those of common units are joined by the labels of the units.

The degrees of freedom of a variance V follow from its first two moments, over the strata s of
exchangeable units (Satterthwaite, Welch). With y the contributions to a weighted sum,

.. math:: \nu = \min\Big( \frac{2 V^2}{\sum_s (\sum_{i \in s} y_i^4 - V_s^2/m_s)} ,\;
          \frac{V^2}{\sum_s V_s^2/(m_s - 1)} \Big) .

A stratum consists of the units of one class, or of the units with several classes, in parts of the
data that have units in common. Fewer than five units of a single class are added to those with
several classes, if there are at least five of these; a single unit is added to the smallest
stratum. If units have several rows in a part, :math:`\nu` is at most the smaller effective number
of units that contain a class, minus one; the limits of parts without common units are combined by
the second formula. The degrees of freedom of a covariance matrix average :math:`V^2` and the
denominators over all sums with variance 1, as in Nel and van der Merwe (1986, Communications in
Statistics - Theory and Methods 15:3719-3735) and Pustejovsky and Tipton (2018, Journal of Business
and Economic Statistics 36:672-683). The method page gives the reasons for the rules.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray, objects_of
from pauci.curve.exact_sums import BLOCK, dot
from pauci.curve.sorting import run_jobs
from pauci.sample.vectors import concatenated
from pauci.special import correlation_matrix

NO_CLASS, SEVERAL_CLASSES, ANY_CLASS, FIRST_CLASS = range(4)
"""Strata of units: those without rows in a part, those with rows of several classes, those of any
class if all rows of the part are one stratum, and those of the first class. Negatives are the first
class of two. In a sum over several parts, the other parts determine the stratum of a unit of any
class."""

_LARGE_DF = 50.0
"""Degrees of freedom from which the normal quantile is used for an estimate with an estimated
end."""

_NEGLIGIBLE = 1e-12
"""Smallest share of a squared variance that is due to units; below it the variance is treated as
known."""

_FEWEST_UNITS = 5.0
"""Number of units of a single class below which they join the units that hold several classes."""

HEIGHT, UNSEEN = "height", "unseen"
"""Words in the keys of rows of z that are due to a height without variance, and to observations
that the sample lacks."""

CANCELLED = 1e-14
"""Fraction of the sum of two variances below which the variance of a difference is treated as 0."""

_MIN_STACKED, _STACKED = 16, 2**14
"""Smallest number of estimates for which the contributions to several estimates are multiplied in
a single operation, and the number of values (128 kB) of each operation."""


_POWERS = 2**18
"""Number of powers of correlations (2 MB) that are calculated together."""


class UnitLabels(NamedTuple):
    """The labels of successive units."""

    size: int
    """The number of rows of z."""
    labels: AnyArray | range
    """The label of each unit: that of a cluster, or the position of a row."""
    rows: Any = None
    """The steps of a table whose rows have equal contributions (`Steps`); None if each row of z is
    a unit."""
    clustered: bool = False
    """Whether the labels are cluster labels of the user's data."""
    continues: bool = False
    """Whether the labels have the same meaning as those of the units before."""


class EndErrors(NamedTuple):
    """The curvature of estimates in the errors of estimated ends (`pauci.variance.ends`)."""

    errors: Any
    """Contributions of the units to the shares before the ends, as those of `Z`."""
    estimate: IntArray
    """The estimate of each pair of an estimate and an end."""
    end: IntArray
    """The end of each pair."""
    coefficients: FloatArray
    """The Hermite coefficients of each pair, an array of shape (pairs, degrees)."""

    def cov(self, count: int, n: AnyArray | None) -> FloatArray:
        """Return the covariance of the curvature of the estimates, by Mehler's formula."""
        rho = correlation_matrix(_products(self.errors, n))
        np.fill_diagonal(rho, 1.0)
        rho = rho[np.ix_(self.end, self.end)]
        of_pairs, c = np.zeros_like(rho), self.coefficients[:, 2:]
        step = min(max(_POWERS // max(rho.size, 1), 1), c.shape[1])
        powers = np.multiply.accumulate(np.repeat(rho[None], step, axis=0), axis=0)
        for first in reversed(range(0, c.shape[1], step)):  # by Horner's rule
            own = c[:, first : first + step]
            of_pairs *= powers[-1]
            of_pairs += np.einsum("ik,jk,kij->ij", own, own, powers[: own.shape[1]])
        of_pairs *= rho
        owner = (np.arange(count)[:, None] == self.estimate).astype(float)
        return np.asarray(owner @ of_pairs @ owner.T)

    def combined(self, weights: FloatArray) -> "EndErrors":
        """Return the curvature of weighted sums, with a row of weights for each."""
        sums, pairs = np.nonzero(weights[:, self.estimate])
        factor = weights[sums, self.estimate[pairs]]
        return self._replace(
            estimate=sums,
            end=self.end[pairs],
            coefficients=self.coefficients[pairs] * factor[:, None],
        )


@dataclass(frozen=True, eq=False)
class Z:
    """Contributions of independent units to m estimates.

    Parameters
    ----------
    values : ndarray or sparse array of shape (units, m)
        The contributions; sparse if there are several parts. NaN if they are unknown.
    strata : ndarray or sparse array of int, shape (units, parts)
        The stratum of each unit in each part of the data.
    uses : ndarray of bool, shape (parts, m)
        Whether an estimate is calculated from a part.
    limits : ndarray of shape (m,)
        Largest degrees of freedom of each estimate, and of sums with it.
    labels : sequence of UnitLabels
        The labels of the units, one item for each set whose labels have the same meaning.
    n : ndarray of shape (units,), optional
        The frequency of each unit.
    known : ndarray of shape (rows, m), optional
        Further rows that are not units (`pauci.variance.ends`), which do not change the degrees of
        freedom.
    keys : sequence of tuple
        What each of these rows is about; equal ones of results of the same rows are the same.
    shift : ndarray of shape (m,), optional
        The shifts of estimates with estimated ends, a row that all estimates share.
    ends : EndErrors, optional
        The curvature of estimates with estimated ends.
    relaxed : ndarray of bool, shape (m,), optional
        Whether each estimate has an estimated end. Its variance is conservative in small samples,
        and a smaller quantile than that of the t distribution suffices. Sums, and families, must
        consist of such estimates only.
    sums_of : (Z, ndarray), optional
        The contributions of which these are weighted sums, and the weights, a row for each sum.
    """

    values: Any
    strata: Any
    uses: AnyArray
    limits: FloatArray
    labels: Sequence[UnitLabels]
    n: AnyArray | None = None
    known: FloatArray | None = None
    keys: Sequence[tuple[Any, ...]] = ()
    shift: FloatArray | None = None
    ends: EndErrors | None = None
    relaxed: AnyArray | None = None
    sums_of: "tuple[Z, FloatArray] | None" = None
    _members: dict[tuple[int, ...], list[Any]] = field(default_factory=dict, init=False)
    """The units of each stratum of some parts, for those parts that were used together."""
    _strata_of_sums: "dict[Any, list[Stratum]]" = field(default_factory=dict, init=False)
    """The strata of sums over one part, by their estimates and weights."""

    @cached_property
    def cov(self) -> FloatArray:
        """The covariance matrix."""
        if self.known is None and self.shift is None and self.ends is None:
            return self.cov_of_units
        return self.cov_of_units + self.cov_of_others

    @cached_property
    def cov_of_units(self) -> FloatArray:
        """The part of the covariance matrix that is due to the units."""
        return _products(self.values, self.n)

    @cached_property
    def cov_of_others(self) -> FloatArray:
        """The part of the covariance matrix that is due to other rows."""
        found = np.zeros((self.limits.size, self.limits.size))
        if self.known is not None:
            found += self.known.T @ self.known
        if self.shift is not None:
            found += np.multiply.outer(self.shift, self.shift)
        if self.ends is not None:
            found += self.ends.cov(self.limits.size, self.n)
        return found

    @property
    def other_rows(self) -> tuple[FloatArray, list[str]]:
        """The rows of z that are not units, and their names; their products are `cov_of_others`."""
        count = self.limits.size
        rows = [np.zeros((0, count))]
        names = [" ".join(map(str, key)) for key in self.keys]
        if self.known is not None:
            rows.append(self.known)
        if self.shift is not None:
            rows.append(self.shift[None])
            names.append("shift")
        if self.ends is not None:
            values, vectors = np.linalg.eigh(self.ends.cov(count, self.n))
            positive = values > 0.0
            rows.append((vectors[:, positive] * np.sqrt(values[positive])).T)
            names += [f"curvature {k}" for k in range(1, len(rows[-1]) + 1)]
        return np.concatenate(rows), names

    def columns(self, chosen: Sequence[int]) -> "Z":
        """Return the contributions to some of the estimates, without other rows."""
        at = list(chosen)
        relaxed = None if self.relaxed is None else self.relaxed[at]
        return Z(
            self.values[:, at],
            self.strata,
            self.uses[:, at],
            self.limits[at],
            self.labels,
            self.n,
            relaxed=relaxed,
        )

    def with_keys_of(self, part: int, *, units: bool) -> "Z":
        """Return the contributions with the number of a part in the keys of its other rows.

        If its `units` are shared with other parts, keys about scores that a sample lacks do not
        change.
        """
        keys = [key if not units and UNSEEN in key else (part, *key) for key in self.keys]
        return replace(self, keys=keys) if keys else self

    def rows_with(self, keys: Sequence[tuple[Any, ...]]) -> FloatArray:
        """Return the other rows with some keys, 0 for those that these estimates do not have."""
        rows = np.zeros((len(keys), self.limits.size))
        if self.known is not None:
            rows[[keys.index(key) for key in self.keys]] = self.known
        return rows

    def variance_of_rows(self, word: str, i: int) -> float:
        """Return the variance of an estimate that is due to other rows with a word in the key."""
        if self.known is None:
            return 0.0
        rows = zip(self.keys, self.known[:, i].tolist(), strict=True)
        return float(sum(change**2 for key, change in rows if word in key))

    def variance(self, i: int) -> float:
        """Return the part of the variance of an estimate that is due to the units."""
        z = self.values[:, [i]]
        return float(_products(z, self.n)[0, 0])

    def products(self, other: "Z") -> FloatArray:
        """Return the sums of products with the contributions of the same units to others."""
        z = self.values if self.n is None else self.values * self.n[:, None]
        if isinstance(z, np.ndarray) and isinstance(other.values, np.ndarray):
            return np.array([[dot(a, b) for b in other.values.T] for a in z.T])
        from scipy.sparse import csc_array

        return np.asarray((csc_array(z).T @ csc_array(other.values)).toarray())

    def less(self, ends: EndErrors, scales: FloatArray) -> "Z":
        """Return the contributions less the average slopes times the errors of ends.

        `scales` are the inverse standard errors of the ends.
        """
        slopes = ends.coefficients[:, 1] * scales[ends.end]
        if isinstance(ends.errors, np.ndarray):
            values = np.array(self.dense(), order="F")
            for i, j, slope in zip(
                *map(np.ndarray.tolist, (ends.estimate, ends.end, slopes)), strict=True
            ):
                values[:, i] -= slope * ends.errors[:, j]
            return replace(self, values=values)
        from scipy.sparse import coo_array, csc_array

        shape = ends.errors.shape[1], self.limits.size
        by_end = csc_array(coo_array((slopes, (ends.end, ends.estimate)), shape))
        return replace(self, values=csc_array(csc_array(self.values) - ends.errors @ by_end))

    def sums(self, weights: FloatArray) -> list[FloatArray]:
        """Return the contributions to weighted sums, with a row of weights for each."""
        z, found = self.values, []
        for w in weights:
            used = w.nonzero()[0].tolist()
            if isinstance(z, np.ndarray):
                columns = list(map(z.T.__getitem__, used))
                total = weighted_sum(columns, w[used].tolist(), len(z))
            else:
                total = np.zeros(z.shape[0])
                for i, weight in zip(used, w[used].tolist(), strict=True):
                    own = slice(*z.indptr[i : i + 2])
                    total[z.indices[own]] += weight * z.data[own]
            found.append(total)
        return found

    def combined(self, weights: FloatArray) -> "Z":
        """Return the contributions to weighted sums, with a row of weights for each."""
        if self.sums_of is not None:
            base, own = self.sums_of
            return base.combined(weights @ own)
        used = weights != 0.0
        if isinstance(self.values, np.ndarray):
            values: Any = np.array(self.sums(weights)).T
        else:
            from scipy.sparse import csc_array

            values = csc_array(self.values @ csc_array(weights.T))
        return replace(
            self,
            values=values,
            uses=(self.uses @ used.T.astype(int)) > 0,
            limits=np.where(used, self.limits, math.inf).min(axis=1, initial=math.inf),
            known=None if self.known is None else self.known @ weights.T,
            shift=None if self.shift is None else weights @ self.shift,
            ends=None if self.ends is None else self.ends.combined(weights),
            relaxed=None if self.relaxed is None else (self.relaxed | ~used).all(axis=1),
            sums_of=(self, weights),
        )

    def scaled(self, factors: FloatArray) -> "Z":
        """Return the contributions to the estimates multiplied by a factor for each."""
        if self.sums_of is not None:
            base, own = self.sums_of
            return base.combined(own * factors[:, None])
        values = z = self.values
        if isinstance(z, np.ndarray):
            values = z * factors
        else:
            of_values = np.repeat(factors, np.diff(z.indptr))
            values = _sparse(z.data * of_values, z.indices, z.indptr, z.shape)
        limits = np.where(factors == 0.0, math.inf, self.limits)
        ends = self.ends
        if ends is not None:
            c = ends.coefficients * factors[ends.estimate][:, None]
            ends = ends._replace(coefficients=c)
        return replace(
            self,
            values=values,
            limits=limits,
            known=None if self.known is None else self.known * factors,
            shift=None if self.shift is None else self.shift * factors,
            ends=ends,
        )

    def df(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum.

        With several rows of weights, they are those of the covariance matrix of several sums.
        """
        weights = np.atleast_2d(weights)
        if self.sums_of is not None:
            base, own = self.sums_of
            return base.df(weights @ own)
        used = np.flatnonzero(weights.any(axis=0))
        sets = self._strata(weights, used)
        limit, strata = sets[0] if len(sets) == 1 else _joined_sets(sets)
        if not math.isfinite(sum(map(attrgetter("fourth"), strata))):
            return min(self.limits[used].tolist(), default=math.inf)
        if self.known is not None or self.ends is not None:
            estimated = sum((s.products for s in strata), np.zeros((1, 1)))
            whole = estimated + weights @ self.cov_of_others @ weights.T
            if _mean_square(estimated) <= _NEGLIGIBLE * _mean_square(whole):
                return limit
        if 1.0 in map(attrgetter("units"), strata):
            strata = _without_single_units(strata)
        found = satterthwaite(strata)
        if self.relaxed is not None and self.relaxed[used].all() and math.isinf(limit):
            found = relaxed_df(found)
        return min(found, limit)

    def _strata(self, weights: FloatArray, used: IntArray) -> list[tuple[float, list["Stratum"]]]:
        """Return the strata of weighted sums of the used estimates, for sets of connected parts.

        Parts are connected if they have units in common, or are connected with the same part. Each
        set has the smallest of the limits of its estimates.
        """
        z, strata, n = self.values, self.strata, self.n
        limits = self.limits[used]
        if isinstance(strata, np.ndarray):
            parts = [0]
            if strata.shape[1] > 1:
                parts = np.flatnonzero(self.uses[:, used].any(axis=1)).tolist()
            members = self._members.get(tuple(parts))
            if members is None:
                codes = strata[:, parts[0]] if parts else np.zeros(len(strata), np.int16)
                for k in parts[1:]:
                    codes = joined_codes(codes, strata[:, k])
                members = self._members[tuple(parts)] = _members_of(codes)
            found = _strata_of_set(members, self.sums(weights), n)
            return [(min(limits.tolist(), default=math.inf), found)]
        sets: list[tuple[float, list[Stratum]]] = []
        part_of = self._part_of[used]
        parts = sorted(set(part_of.tolist()))
        if -1 not in parts and self._are_independent(parts):
            for k in parts:
                own = used[part_of == k].tolist()
                of_sums = tuple(map(tuple, weights[:, own].tolist()))
                key = *own, of_sums
                if key not in self._strata_of_sums:
                    at = slice(*strata.indptr[k : k + 2])
                    if (k,) not in self._members:
                        self._members[(k,)] = _members_of(strata.data[at])
                    columns = [z.data[slice(*z.indptr[i : i + 2])] for i in own]
                    size = int(at.stop - at.start)
                    of_part = [weighted_sum(columns, w, size) for w in of_sums]
                    counts = None if n is None else n[strata.indices[at]]
                    strata_of_part = _strata_of_set(self._members[(k,)], of_part, counts)
                    self._strata_of_sums[key] = strata_of_part
                sets.append((float(self.limits[own].min()), self._strata_of_sums[key]))
            return sets
        parts = np.flatnonzero(self.uses[:, used].any(axis=1)).tolist()
        codes = np.zeros(strata.shape[0], np.int16)
        number = np.zeros(strata.shape[0], np.int16)
        set_of = np.array(_connected(self._overlaps[np.ix_(parts, parts)]), int)
        for k, of_set in zip(parts, set_of.tolist(), strict=True):
            at = slice(*strata.indptr[k : k + 2])
            units = strata.indices[at]
            codes[units] = joined_codes(codes[units], strata.data[at])
            number[units] = of_set
        y = self.sums(weights)
        uses = self.uses[parts][:, used]
        for of_set in dict.fromkeys(set_of.tolist()):
            own_codes = np.where(number == of_set, codes, 0)
            limit = limits[uses[set_of == of_set].any(axis=0)].min()
            sets.append((float(limit), _strata_of_set(_members_of(own_codes), y, n)))
        return sets

    @cached_property
    def _overlaps(self) -> BoolArray:
        """Whether two parts have units in common."""
        strata = self.strata
        held = np.ones(strata.indices.size, np.int32)
        present = _sparse(held, strata.indices, strata.indptr, strata.shape)
        return np.asarray((present.T @ present).toarray() > 0)

    def _are_independent(self, parts: Sequence[int]) -> bool:
        """Return whether parts have no units in common."""
        if len(parts) <= 1:
            return True
        ends, units = self.strata.indptr, self.strata.indices
        held = np.concatenate([units[ends[k] : ends[k + 1]] for k in parts])
        return int(np.bincount(held).max(initial=0)) <= 1

    @cached_property
    def _part_of(self) -> IntArray:
        """The part whose units each estimate has; -1 for several parts or other units."""
        z, strata = self.values, self.strata
        found = np.where(self.uses.sum(axis=0) == 1, self.uses.argmax(axis=0), -1)
        for i, k in enumerate(found.tolist()):
            own, of_part = (a.indptr[j : j + 2] for a, j in ((z, i), (strata, k)))
            same = k >= 0 and np.array_equal(
                z.indices[slice(*own)], strata.indices[slice(*of_part)]
            )
            found[i] = k if same else -1
        return found

    def by_unit(self) -> "Z":
        """Return the contributions with one row for each unit, instead of equal rows together."""
        if self.sums_of is not None:
            base, weights = self.sums_of
            return base.by_unit().combined(weights)
        if all(block.rows is None and not block.continues for block in self.labels):
            return self
        at, copies, first = [], [], 0
        labels: list[UnitLabels] = []
        for block in self.labels:
            own = np.arange(block.size)
            n = np.ones(block.size) if self.n is None else self.n[first : first + block.size]
            of_units: AnyArray | range = block.labels
            if block.rows is not None:
                counted, own, n = block.rows.of_units()
                if not isinstance(counted, slice):
                    of_units = np.asarray(of_units)[counted]
            at.append(own + first)
            copies.append(n)
            if block.continues:
                of_units = np.concatenate([labels.pop().labels, of_units])
            labels.append(UnitLabels(len(of_units), of_units, clustered=block.clustered))
            first += block.size
        index = np.concatenate(at)
        n = np.concatenate(copies)
        return replace(
            self,
            values=self.values[index],
            strata=self.strata[index],
            ends=None if self.ends is None else self.ends._replace(errors=self.ends.errors[index]),
            labels=labels,
            n=None if (n == 1).all() else n,
        )

    @property
    def sets(self) -> int:
        """The number of sets of units whose labels have the same meaning."""
        return sum(not block.continues for block in self.labels)

    @property
    def clustered(self) -> bool:
        """Whether units have cluster labels of the user's data."""
        return any(block.clustered for block in self.labels)

    def dense(self) -> FloatArray:
        """Return the contributions as an ordinary array."""
        z = self.values
        return z if isinstance(z, np.ndarray) else np.asarray(z.toarray())

    def labelled(self, labels: Sequence[UnitLabels]) -> "Z":
        """Return the contributions with other labels of the units."""
        if self.sums_of is not None:
            base, own = self.sums_of
            return base.labelled(labels).combined(own)
        return replace(self, labels=labels)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the contributions of the units instead of the data, and sums by their weights."""
        if self.sums_of is not None:
            return Z.combined, self.sums_of
        z = self.by_unit()
        return Z, tuple(getattr(z, f.name) for f in fields(z) if f.init)


def relaxed_df(df: float) -> float:
    """Return increased degrees of freedom for an estimated end, which are infinite from 50 on."""
    return 1.0 / (1.0 / df - 1.0 / _LARGE_DF) if df < _LARGE_DF else math.inf


def limits_of_support(support: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the factors of standard errors, and the largest degrees of freedom, by support.

    If only k rows determine an estimate, they are sqrt(1 + 1/k) and k - 1 (at least 1).
    """
    k = np.maximum(support, 1.0)
    return np.sqrt(1.0 + 1.0 / k), np.maximum(k - 1.0, 1.0)


def _mean_square(matrix: FloatArray) -> float:
    """Return a multiple of the square of a variance, or of its mean over all directions."""
    if matrix.size == 1:
        return 3.0 * float(matrix.item()) ** 2
    return float(matrix.trace() ** 2 + 2.0 * (matrix**2).sum())


class Stratum(NamedTuple):
    """Sums over the units of a stratum, for one or several weighted sums."""

    units: float
    """The number of units."""
    products: FloatArray
    """The matrix of the sums of products of the contributions to two weighted sums."""
    fourth: float
    """The sum over the units of the square of the sum of squared contributions of a unit."""

    @classmethod
    def of(cls, y: Sequence[FloatArray], at: slice | IntArray, n: AnyArray | None) -> "Stratum":
        """Return the sums over the units at some positions, with their frequencies.

        `y` are the contributions of all units to one or several sums.
        """
        first = y[0][at]
        n = None if n is None else n[at]
        units = float(first.size if n is None else n.sum())
        if len(y) == 1:
            squares = first * first
            counted = squares if n is None else squares * n
            return cls(units, np.array([[counted.sum()]]), dot(squares, counted))
        rows = np.array([of_sum[at] for of_sum in y])
        squares = (rows * rows).sum(axis=0)
        return cls(
            units,
            (rows if n is None else rows * n) @ rows.T,
            dot(squares, squares if n is None else squares * n),
        )

    def joined(self, other: "Stratum") -> "Stratum":
        """Return the sums over the units of two strata together."""
        return Stratum(
            self.units + other.units, self.products + other.products, self.fourth + other.fourth
        )


def joined_codes(first: IntArray, second: IntArray) -> IntArray:
    """Return the strata of units in two parts together, from their strata in each part."""
    same = (second == NO_CLASS) | ((second == ANY_CLASS) & (first != NO_CLASS)) | (first == second)
    unknown = (first == NO_CLASS) | (first == ANY_CLASS)
    several = np.int16(SEVERAL_CLASSES)
    return np.where(same, first, np.where(unknown, second, several))


def _members_of(codes: IntArray) -> list[tuple[int, slice | IntArray]]:
    """Return each stratum and the positions of its units."""
    present = np.bincount(codes).nonzero()[0].tolist()
    return [(code, positions_of(codes == code)) for code in present if code != NO_CLASS]


def positions_of(mask: BoolArray) -> slice | IntArray:
    """Return the positions of true values, as a slice if they follow each other."""
    (at,) = mask.nonzero()
    if not at.size or at[-1] - at[0] + 1 > at.size:
        return at
    return slice(int(at[0]), int(at[-1]) + 1)


def _connected(overlaps: BoolArray) -> list[int]:
    """Return the number of the set of connected parts of each part."""
    reached, count = overlaps, 0
    while reached.sum() > count:
        count = int(reached.sum())
        reached = (reached.astype(np.int64) @ reached) > 0
    return reached.argmax(axis=1).tolist()  # type: ignore[no-any-return]


def _strata_of_set(
    members: Sequence[tuple[int, slice | IntArray]], y: Sequence[FloatArray], n: AnyArray | None
) -> list[Stratum]:
    """Return the strata of units of connected parts.

    A few units of one class join those of several classes.
    """
    several, found, enough = None, [], False
    for code, at in members:
        stratum = Stratum.of(y, at, n)
        if code == SEVERAL_CLASSES:
            several, enough = stratum, stratum.units >= _FEWEST_UNITS
        elif several is not None and enough and stratum.units < _FEWEST_UNITS:
            several = several.joined(stratum)
        elif stratum.units:
            found.append(stratum)
    return found if several is None or not several.units else [*found, several]


def _joined_sets(sets: Sequence[tuple[float, list[Stratum]]]) -> tuple[float, list[Stratum]]:
    """Return the strata of independent sets, and their limits combined by the formula of Welch."""
    limits = [limit for limit, _ in sets]
    strata = [stratum for _, of_set in sets for stratum in of_set]
    smallest = min(limits, default=math.inf)
    products = [sum((s.products for s in of_set), np.zeros((1, 1))) for _, of_set in sets]
    denominator = sum(_mean_square(p) / limit for p, limit in zip(products, limits, strict=True))
    total = _mean_square(sum(products, np.zeros((1, 1))))
    combined = max(total / denominator, smallest) if denominator > 0.0 else smallest
    return combined, strata


def _without_single_units(strata: Sequence[Stratum]) -> list[Stratum]:
    """Return strata in which a single unit has joined the smallest other stratum.

    The variance decides between strata of equal size.
    """

    def size(stratum: Stratum) -> tuple[float, float]:
        return stratum.units, float(stratum.products.trace())

    ordered = sorted(strata, key=size)
    while len(ordered) > 1 and ordered[0].units == 1.0:
        first, second, *others = ordered
        ordered = sorted([first.joined(second), *others], key=size)
    return ordered


def satterthwaite(strata: Sequence[Stratum]) -> float:
    """Return the degrees of freedom of a variance, or a covariance matrix, from its strata."""
    square = _mean_square(sum(map(attrgetter("products"), strata), np.zeros((1, 1))))
    between = welch = 0.0
    for stratum in strata:
        own = _mean_square(stratum.products)
        between += max(3.0 * stratum.fourth - own / stratum.units, 0.0)
        welch += own / (stratum.units - 1.0) if stratum.units > 1.0 else 0.0
    from_moments = 2.0 * square / between if between > 0.0 else math.inf
    return min(from_moments, square / welch) if welch > 0.0 else from_moments


def join(
    found: Sequence[Z],
    sets: Sequence[Sequence[int]] | None = None,
    *,
    same_rows: bool = False,
) -> Z:
    """Return the contributions to the estimates of several results.

    Parameters
    ----------
    found : sequence of Z
        The contributions of each result.
    sets : sequence of sequence of int, optional
        For each result, the number of the set to which each item of its labels belongs. Units with
        equal labels in the same set are the same. By default all units are different.
    same_rows : bool, default False
        Whether the results are those of the same rows, so that rows with equal keys are the same.
    """
    if len(found) == 1:
        return found[0]
    if any(z.sums_of is not None for z in found):
        terms = [z.sums_of or (z, np.eye(z.limits.size)) for z in found]
        joined = join([z for z, _ in terms], sets, same_rows=same_rows)
        return joined.combined(block_diagonal([w for _, w in terms]))
    if sets is not None:
        found = [z.by_unit() for z in found]
        places, labels = _numbered_units([z.labels for z in found], sets)
        size = sum(block.size for block in labels)
    else:
        sizes = [z.values.shape[0] for z in found]
        size = sum(sizes)
        places = np.split(np.arange(size), np.cumsum(sizes)[:-1])
        labels = [block for z in found for block in z.labels]
    n: AnyArray | None = None
    if any(z.n is not None for z in found):
        n = np.zeros(size)
        for z, at in zip(found, places, strict=True):
            n[at] = 1 if z.n is None else z.n
    if not same_rows:
        found = [z.with_keys_of(k, units=sets is None) for k, z in enumerate(found)]
    keys = list(dict.fromkeys(key for z in found for key in z.keys))
    counts = [z.limits.size for z in found]
    return Z(
        _side_by_side([z.values for z in found], places, size),
        _side_by_side([z.strata for z in found], places, size),
        block_diagonal([z.uses for z in found]).astype(bool),
        np.concatenate([z.limits for z in found]),
        labels,
        n,
        np.hstack([z.rows_with(keys) for z in found]) if keys else None,
        keys,
        concatenated([z.shift for z in found], counts, 0),
        _ends_of(found, places, size),
        concatenated([z.relaxed for z in found], counts, 0),
    )


def _ends_of(found: Sequence[Z], places: Sequence[IntArray], size: int) -> EndErrors | None:
    """Return the curvature of the estimates of several results."""
    known = [(z.ends, at) for z, at in zip(found, places, strict=True) if z.ends is not None]
    if not known:
        return None
    estimates, ends, first, first_end = [], [], 0, 0
    for z in found:
        if z.ends is not None:
            estimates.append(z.ends.estimate + first)
            ends.append(z.ends.end + first_end)
            first_end += z.ends.errors.shape[1]
        first += z.limits.size
    return EndErrors(
        _side_by_side([e.errors for e, _ in known], [at for _, at in known], size),
        np.concatenate(estimates),
        np.concatenate(ends),
        np.concatenate([e.coefficients for e, _ in known]),
    )


def _numbered_units(
    labels: Sequence[Sequence[UnitLabels]], sets: Sequence[Sequence[int]]
) -> tuple[list[IntArray], list[UnitLabels]]:
    """Return the positions of the units of each result among all units, and the labels of these."""
    blocks = [block for of_result in labels for block in of_result]
    numbers = [number for of_result in sets for number in of_result]
    positions: list[IntArray] = [np.zeros(0, np.int64)] * len(blocks)
    joined: list[UnitLabels] = []
    size = 0
    for number in dict.fromkeys(numbers):
        own = [k for k, other in enumerate(numbers) if other == number]
        at, distinct = numbered_labels([np.asarray(blocks[k].labels) for k in own])
        for k, of_block in zip(own, at, strict=True):
            positions[k] = of_block + size
        joined.append(UnitLabels(len(distinct), distinct, clustered=blocks[own[0]].clustered))
        size += len(distinct)
    ends = np.cumsum([len(of_result) for of_result in labels])
    of_results = [positions[end - len(of) : end] for of, end in zip(labels, ends, strict=True)]
    return list(map(np.concatenate, of_results)), joined


def block_diagonal(blocks: Sequence[AnyArray]) -> FloatArray:
    """Return the matrix with these blocks on its diagonal."""
    rows, columns = (np.cumsum([0, *(b.shape[k] for b in blocks)]).tolist() for k in (0, 1))
    matrix = np.zeros((rows[-1], columns[-1]))
    for block, first, start in zip(blocks, rows, columns, strict=False):
        matrix[first : first + block.shape[0], start : start + block.shape[1]] = block
    return matrix


def _side_by_side(arrays: Sequence[Any], at: Sequence[IntArray], size: int) -> Any:
    """Return a sparse array with the columns of arrays, whose rows have new positions."""
    data, indices, ends = [], [], [0]
    for array, units in zip(arrays, at, strict=True):
        if isinstance(array, np.ndarray):
            data.append(array.T.ravel())
            indices.append(np.tile(units, array.shape[1]))
            ends += [ends[-1] + len(array) * k for k in range(1, array.shape[1] + 1)]
        else:
            data.append(array.data)
            indices.append(units[array.indices])
            ends += (array.indptr[1:] + ends[-1]).tolist()
    return _sparse(np.concatenate(data), np.concatenate(indices), ends, (size, len(ends) - 1))


def _sparse(data: AnyArray, indices: IntArray, ends: Any, shape: tuple[int, int]) -> Any:
    """Return a sparse array of columns."""
    from scipy.sparse import csc_array

    return csc_array((data, indices, ends), shape)


def are_joined_exactly(labels: Sequence[AnyArray]) -> bool:
    """Return whether arrays are integers or times that NumPy joins without changing them.

    It joins signed and unsigned integers as floats, and integers and text as text.
    """
    return {array.dtype.kind for array in labels} in ({"i"}, {"u"}, {"M"}, {"m"})


def numbered_labels(labels: Sequence[AnyArray]) -> tuple[list[IntArray], AnyArray]:
    """Return the number of each label among the distinct labels of all arrays, and these."""
    ends = np.cumsum([array.size for array in labels])[:-1]
    if are_joined_exactly(labels):
        distinct, numbers = np.unique(np.concatenate(labels), return_inverse=True)
        return np.split(numbers.reshape(-1), ends), distinct
    known: dict[Any, int] = {}
    found = [known.setdefault(label, len(known)) for array in labels for label in array.tolist()]
    return np.split(np.array(found), ends), objects_of(list(known))


def label_values(labels: AnyArray) -> list[Any]:
    """Return labels as values of Python, which are equal for times in different units."""
    if labels.dtype.kind in "Mm":
        labels = labels.astype(f"{labels.dtype.kind}8[us]")
    values: list[Any] = labels.tolist()
    return values


def weighted_sum(columns: Sequence[FloatArray], weights: Sequence[float], size: int) -> FloatArray:
    """Return a weighted sum of columns."""
    if not columns:
        return np.zeros(size)
    total = columns[0] if weights[0] == 1.0 else weights[0] * columns[0]
    for column, w in zip(columns[1:], weights[1:], strict=True):
        total = total - column if w == -1.0 else total + w * column
    return total


def _products(z: Any, n: AnyArray | None) -> FloatArray:
    """Return the sums of products of the contributions to two estimates."""
    if not isinstance(z, np.ndarray):
        data = z.data if n is None else z.data * n[z.indices]
        return np.asarray((z.T @ _sparse(data, z.indices, z.indptr, z.shape)).toarray())
    columns = list(z.T)
    result = np.empty((len(columns), len(columns)))
    if len(columns) >= _MIN_STACKED and 0 < columns[0].size <= BLOCK:
        return _products_of_many(columns, n, result)
    for i, first in enumerate(columns):
        counted = first if n is None else first * n
        for j, other in enumerate(columns[i:], i):
            result[i, j] = result[j, i] = dot(counted, other)
    return result


def _products_of_many(
    z: Sequence[FloatArray], copies: AnyArray | None, result: FloatArray
) -> FloatArray:
    """Fill in the sums of products of many estimates, several estimates at a time.

    With few rows, function calls take longer than the sums. The products of several estimates with
    one are summed in one operation, in an array that fits the cache; the sums are those of `dot`.
    """
    m, size = len(z), z[0].size
    step = max(_STACKED // size, 1)

    def fill(start: int) -> None:
        stacked = np.array(z[start : start + step])
        products, end = np.empty_like(stacked), start + len(stacked)
        for i, first in enumerate(z[:end]):
            counted = first if copies is None else first * copies
            others = stacked[max(i - start, 0) :]
            sums = np.multiply(others, counted, out=products[: len(others)]).sum(axis=1)
            result[i, end - len(others) : end] = sums
            result[end - len(others) : end, i] = sums

    run_jobs([partial(fill, start) for start in range(0, m, step)], m * size)
    return result
