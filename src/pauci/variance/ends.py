r"""Rows of z for estimated ends of regions, average precision, and heights without variance.

An estimate with an estimated end x is V(x), and V(s) is the measure on the curve whose end is moved
to the share s (`pauci.measures.moved_ends`). The share has the distribution of an order statistic,
Beta(n x + 1/2, n (1 - x) + 1/2), where n is the number of rows of the class, or with clusters or
weights :math:`x (1 - x)/|\iota|^2` with :math:`\iota` the influence of the units on the share. With
d its normal deviate and h the orthonormal Hermite polynomials,

.. math:: V(s(d)) = \sum_k c_k h_k(d), \qquad c_k = E\, V(s(d)) h_k(d) .

- :math:`c_1` is the *average slope*: the contributions of the units are :math:`f - a^T \iota - c_1
  \iota/|\iota|`, with f their influence and a the coefficients of its regression on :math:`\iota`
  over single rows, so that they do not depend on the slope with which f was calculated.
- The terms of k = 2 and more are the *curvature*, with the covariance :math:`\sum_k c_{ik} c_{jk}
  \rho_{ij}^k` of two estimates whose ends have the correlation :math:`\rho` (Mehler's formula).
- :math:`c_0 - V(x)` is the *shift*, a row of z that all estimates share.

If an end divides a tie of several rows, a share of them is on either side of it. The formulas hold
for the rows of the tie in a random order, and the estimate is the mean over all orders:
:math:`|\iota|` includes the variance within the tie, a is the derivative -dV/ds on the polyline,
and :math:`c_k` is multiplied by the k-th power of the correlation of d with its mean.

For two ends, V is projected on the sum of a function of each end, whose equations are separate for
each degree; of more ends, one is moved at a time. The variance of a height of 0 or n of n
observations is estimated as 0. Its standard error is that of half an observation, 1/(2n), in a row
of z for each such end; the same holds for a rise of 0 of n observations between two ends. The
average precision has two further rows, and so have other measures with sampling weights
(`pauci.variance.unseen`).

The interval of a single estimate is that of its log odds, for which V is replaced by the log odds
of V. It includes at least the lowest and the highest value for errors of the ends and of the
heights whose squared deviates have a sum of at most :math:`2^2`.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray, IntArray, read_only
from pauci.curve.exact_sums import dot
from pauci.curve.near_end import NODES, WEIGHTS, order_statistic
from pauci.curve.polyline import Axis, Point
from pauci.measures.at_cutoff import AtPointAndPrevalence
from pauci.measures.influence import End, Influence
from pauci.measures.moved_ends import MovedEnds
from pauci.sample.class_rows import ClassRatings
from pauci.sample.ratings import Ratings
from pauci.variance.contributions import Contributions, influence_of_rows
from pauci.variance.units import Parts, Problem, Term
from pauci.variance.unseen import HALF, changes_by_unseen
from pauci.variance.z import HEIGHT, UNSEEN, EndErrors, Z

_REACH = 2.0
"""Number of standard errors by which ends are moved to the most extreme values that the interval of
a single estimate includes."""

_FEWEST_TIED = 2.0
"""Smallest number of rows of a class in a group that is treated as a tie if an end divides it."""

_LEAST = 1e-9
"""Smallest distance of a power of a correlation from 1 in the equations for two ends."""


class LogOdds(NamedTuple):
    """The error of the log odds of an estimate."""

    se: float
    reach: tuple[float, float]
    """Variances that are added below and above, so that the interval includes the values with moved
    ends."""
    half: float
    """Half an observation, as a share of the range."""
    of_others: float
    """Standard error of the estimate that is not due to the observations at known ends: the largest
    change by ends that are moved by up to two standard errors, and the changes by scores that the
    sample lacks."""


class _EstimatedEnd(NamedTuple):
    """An estimated end of a classifier in a part."""

    part: int
    axis: str
    rate: float
    term: Term
    within: float
    """Variance of the share that is due to the order of rows in a tie that the end divides."""


class EndRows:
    """The estimated ends of the estimates of all parts, and the rows of z that are due to them.

    Parameters
    ----------
    parts : Parts
        The estimates.
    moves : bool, default True
        Whether ends are moved; otherwise only heights without variance have rows.
    averages : bool, default False
        Whether the rows are those of averages over the parts of each group.
    """

    def __init__(self, parts: Parts, *, moves: bool = True, averages: bool = False) -> None:
        self._averages = averages
        self._found: dict[int, tuple[list[FloatArray], float]] = {}
        self.parts, self._moves = parts, moves
        self.ends: list[_EstimatedEnd] = []
        self._of_estimates: list[list[int]] = []
        self._moved: list[MovedEnds | None] = []
        self._values = parts.values
        self._scales = []
        for k, problem in enumerate(parts.problems):
            known: dict[Any, int] = {}
            of_problem = problem.moved if moves else [None] * len(problem)
            for (ratings, measure, _), moved in zip(problem.evaluated, of_problem, strict=True):
                own = []
                for j, rate in enumerate(moved.rates if moved else ()):
                    assert moved is not None
                    key = id(ratings), moved.axis, rate
                    if key not in known:
                        known[key] = len(self.ends)
                        term = Term(ratings, moved.before(j))
                        within = variance_within_tie(ratings, moved.axis, moved.points[j])
                        self.ends.append(_EstimatedEnd(k, moved.axis, float(rate), term, within))
                    own.append(known[key])
                self._of_estimates.append(own)
                self._moved.append(moved)
                low, high = measure.bounds(ratings.curve)
                half = HALF / min(ratings.rows.units)
                if isinstance(measure, AtPointAndPrevalence):
                    half = measure.half_of_range(ratings.table, half)
                self._scales.append(_BoundedRange(low, high, half))

    def contributions(self, k: int) -> Contributions:
        """Return the influence on the estimates of a part, apart from their ends, and on the ends.

        The part of the influence that is due to the ends is its regression on the shares before
        them, over single rows. For an end that divides a tie, it is the derivative with respect to
        the share, because the rows of the tie are on both sides of the end.
        """
        problem, of_part = self.parts.problems[k], self._of_estimates[self.parts.positions[k]]
        terms = problem.all_terms
        numbers = [j for j, end in enumerate(self.ends) if end.part == k]
        found = influence_of_rows(problem.rows, [*terms, *(self.ends[j].term for j in numbers)])
        copies = problem.rows.copies
        if found.steps is not None:
            copies = np.concatenate(found.steps.copies)
        for i, (f, own) in enumerate(zip(found.by_class, of_part, strict=False)):
            shares = {j: found.by_class[len(terms) + numbers.index(j)] for j in own}
            for n, j in enumerate(own):
                if self.ends[j].within:
                    f -= _slope_in_tie(problem.moved[i], terms[i].influence, n) * shares.pop(j)
            if shares:
                before = np.array([*shares.values()])
                counted = before if copies is None else before * copies
                within = np.array([[dot(a, b) for b in before] for a in counted])
                slopes = _regression(within, np.array([dot(a, f) for a in counted]))
                for slope, of_end in zip(slopes.tolist(), before, strict=True):
                    f -= slope * of_end
        has_ends = [*has_estimated_ends(problem), *[True] * len(numbers)]
        return found._replace(has_ends=np.array(has_ends))

    def divided(self, z: Z) -> tuple[Z, Z]:
        """Return z of the estimates, and of the ends, from that of all contributions."""
        estimates: list[int] = []
        ends: list[int] = []
        first = 0
        for k, problem in enumerate(self.parts.problems):
            last = first + len(problem)
            estimates += range(first, last)
            first = last + sum(end.part == k for end in self.ends)
            ends += range(last, first)
        return z.columns(estimates), z.columns(ends)

    def others_added_to(self, z: Z, weights: FloatArray | None = None) -> Z:
        """Return z with the rows of heights without variance and of scores that samples lack.

        `weights` are those of the estimates in averages.
        """
        if not self._other_rows:
            return z
        keys, known = list(self._other_rows), np.array([*self._other_rows.values()])
        return replace(z, known=known if weights is None else known @ weights.T, keys=keys)

    def ends_added_to(self, z: Z, errors: Z, weights: FloatArray | None = None) -> Z:
        """Return z with average slopes, curvature and shifts.

        Parameters
        ----------
        z, errors : Z
            The contributions to the estimates apart from their ends, or to averages of them, and
            to the shares of the class before the ends.
        weights : ndarray of shape (averages, estimates), optional
            The weights of the estimates in the averages.
        """
        matrix = errors.cov
        found = []
        for i in self._with_ends:
            values, rho = self._with_moved_ends(i, matrix)
            changes = [v - self._values[i] for v in values]
            found.append(self._coefficients(i, changes, rho, matrix))
        estimates = np.repeat(self._with_ends, list(map(len, found)))
        own = np.array([j for ends in self._of_estimates for j in ends], int)
        ends = EndErrors(errors.values, estimates, own, np.concatenate(found))
        if weights is not None:
            ends = ends.combined(weights)
        shifts = np.bincount(ends.estimate, ends.coefficients[:, 0], len(z.limits))
        return replace(z.less(ends, _inverse_sizes(matrix)), ends=ends, shift=shifts.astype(float))

    @property
    def unseen(self) -> bool:
        """Whether scores that the samples lack change an estimate."""
        return any(UNSEEN in key for key in self._other_rows)

    @property
    def _with_ends(self) -> list[int]:
        """The positions of the estimates with estimated ends that can be moved."""
        return [i for i, own in enumerate(self._of_estimates) if own]

    @cached_property
    def _sets(self) -> list[tuple[int, float]]:
        """The number of the set of parts that lack the same scores, for each part, and a factor.

        For an average, half an observation is missing from all of its parts together.
        """
        parts = self.parts
        if not self._averages:
            return [(number, 1.0) for number in parts.connected]
        result = []
        count = len(parts.problems) // parts.groups
        for first in range(0, len(parts.problems), count):
            group = range(first, first + count)
            units = [np.unique(parts.units(k)) for k in group]
            total = np.unique(np.concatenate(units)).size
            result += [(parts.connected[first], of_part.size / total) for of_part in units]
        return result

    @cached_property
    def _other_rows(self) -> dict[tuple[Any, ...], FloatArray]:
        """Rows of z that are due neither to units nor to ends, by what they are about."""
        rows: dict[tuple[Any, ...], FloatArray] = {}
        positions = iter(range(len(self._of_estimates)))
        for k, problem in enumerate(self.parts.problems):
            of_estimates = zip(problem.evaluated, problem.all_terms, problem.values, strict=True)
            for (ratings, measure, _), term, value in of_estimates:
                i = next(positions)
                changes = _changes_by_heights(term.influence.ends, ratings.rows.units)
                own: dict[tuple[Any, ...], float] = {}
                if changes:
                    name = _ranked_as(ratings, problem)
                    own = {(k, HEIGHT, name, *place): v for place, v in changes.items()}
                if self._moves and not isinstance(ratings, ClassRatings):
                    for what, change in changes_by_unseen(term, measure, value).items():
                        number, share = self._sets[k]
                        own[number, UNSEEN, what] = share * change
                for key, change in own.items():
                    rows.setdefault(key, np.zeros(len(self._of_estimates)))[i] += change
        return rows

    def _coefficients(
        self, i: int, changes: Sequence[FloatArray], rho: float, matrix: FloatArray
    ) -> FloatArray:
        """Return the coefficients of changes of an estimate, an array of shape (ends, degrees).

        An estimate is the mean over all orders of tied rows, so those of degree k are multiplied by
        the k-th power of the correlation of the deviate with its mean over these orders.
        """
        own = self._of_estimates[i]
        found, within = _coefficients(changes, rho), self._within_ties(own)
        if within.any():
            total = matrix[own, own] + within
            share = np.divide(matrix[own, own], total, out=np.ones(total.size), where=total > 0.0)
            found *= np.sqrt(share)[:, None] ** np.arange(NODES.size)
        return found

    def _within_ties(self, own: Sequence[int]) -> FloatArray:
        """Return the variances of the shares before ends that are due to the order of tied rows."""
        return np.array([self.ends[j].within for j in own])

    def _with_moved_ends(self, i: int, matrix: FloatArray) -> tuple[list[FloatArray], float]:
        """Return the values of an estimate with moved ends, and the correlation of two ends.

        `matrix` is the covariance matrix of the errors of the ends.
        """
        if i not in self._found:
            moved, own = self._moved[i], self._of_estimates[i]
            assert moved is not None
            variances = (matrix[own, own] + self._within_ties(own)).tolist()
            shares = list(map(self._shares, own, variances))
            rho = 0.0
            if len(own) == 2 and min(variances) > 0.0:
                rho = matrix.item(*own) / math.sqrt(math.prod(variances))
            found = _values_with(moved, shares)
            self._found[i] = [np.where(np.isfinite(v), v, self._values[i]) for v in found], rho
        return self._found[i]

    def _shares(self, j: int, variance: float) -> FloatArray:
        """Return the shares of the class before an end at the nodes."""
        end, rows = self.ends[j], self.parts.problems[self.ends[j].part].rows
        n = float(rows.counts[end.axis == "fpr"])
        if not (rows.independent and self._are_units(end)) and variance > 0.0:
            n = max(min(n, end.rate * (1.0 - end.rate) / variance), 1.0)
        return order_statistic(end.rate, n)

    def _are_units(self, end: _EstimatedEnd) -> bool:
        """Return whether no unit has several rows of the class of an end in its part."""
        if self.parts.common is None or self.parts.rows.cluster is None:
            return True
        rows = self.parts.problems[end.part].rows
        in_class = rows.positive == (end.axis == "tpr")
        if rows.copies is not None:
            in_class = in_class & (rows.copies > 0)
        units = self.parts.units(end.part)[in_class]
        return bool(np.unique(units).size == units.size)

    def log_odds(self, z: Z, errors: Z | None) -> list[LogOdds | None]:
        """Return the error of the log odds of each estimate; None if that of the value suffices."""
        result: list[LogOdds | None] = []
        if errors is not None:
            matrix = errors.cov
            inverse = _inverse_sizes(matrix)
            with_errors = z.products(errors) * inverse
        for i, (own, scale) in enumerate(zip(self._of_estimates, self._scales, strict=True)):
            unseen = [row[i] for key, row in self._other_rows.items() if row[i] and UNSEEN in key]
            if not scale.is_finite or not (own or unseen):
                result.append(None)
                continue
            value, slope = self._values[i], scale.slope(self._values[i])
            of_value = scale.log_odds(value)
            variance, reach = slope**2 * z.variance(i), (0.0, 0.0)
            of_heights, of_others = variance, sum(change**2 for change in unseen)
            if own:
                values, of_two = self._with_moved_ends(i, matrix)
                changes = [scale.log_odds(v) - of_value for v in values]
                c = self._coefficients(i, changes, of_two, matrix)
                variance -= 2.0 * slope * float(with_errors[i, own] @ c[:, 1])
                variance += float((c * c).sum())
                for (first, j), (second, k) in combinations(zip(c, own, strict=True), 2):
                    rho = matrix[j, k] * inverse[j] * inverse[k]
                    variance += 2.0 * float(first * second @ rho ** np.arange(NODES.size))
            for key, row in self._other_rows.items():
                if UNSEEN in key:
                    variance += (scale.log_odds(value + row[i]) - of_value) ** 2
                else:
                    variance += (slope * row[i]) ** 2
            if own:
                reach = _reach(changes, of_two, of_heights, variance)
                of_others += max(_reach([v - value for v in values], of_two))
            se = math.sqrt(max(variance, 0.0))
            result.append(LogOdds(se, reach, scale.half, math.sqrt(of_others)))
        return result


class _BoundedRange(NamedTuple):
    """The range of an estimate; for log odds, values are at least half an observation within it."""

    low: float
    high: float
    half: float
    """Half an observation, as a share of the range."""

    @property
    def is_finite(self) -> bool:
        """Whether log odds are defined."""
        return math.isfinite(self.high - self.low)

    def _position(self, value: Any) -> Any:
        """Return the position of a value in the range."""
        position = (value - self.low) / (self.high - self.low)
        return np.minimum(np.maximum(position, self.half), 1.0 - self.half)

    def log_odds(self, value: Any) -> Any:
        """Return the log odds of values."""
        position = self._position(value)
        return np.log(position / (1.0 - position))

    def slope(self, value: float) -> float:
        """Return the derivative of the log odds."""
        position = float(self._position(value))
        return 1.0 / (position * (1.0 - position) * (self.high - self.low))


def variance_within_tie(ratings: Ratings, axis: Axis, point: Point) -> float:
    """Return the variance of the share before a point that is due to the order of tied rows."""
    if not point.share:
        return 0.0
    table, rows, k = ratings.table, ratings.rows, int(axis == "fpr")
    before, after, total = (table.at(g)[k] for g in (point.group, point.group + 1, table.size))
    size = squares = float(after - before)
    if rows.weight is not None:
        tied = (ratings.codes == point.group) & (rows.positive == (axis == "tpr"))
        copies = np.ones(tied.size) if rows.copies is None else rows.copies
        size, squares = float(copies[tied].sum()), float(copies[tied] @ rows.weight[tied] ** 2)
    if size < _FEWEST_TIED:
        return 0.0
    n = float(rows.counts[k])
    return n / (n - 1.0) * point.share * (1.0 - point.share) * squares / float(total) ** 2


def has_estimated_ends(problem: Problem) -> list[bool]:
    """Return whether each estimate depends on an estimated coordinate of an end.

    Areas between known rates are not included: their influence values do not depend on the slope,
    and their standard errors are not conservative.
    """
    return [
        not measure.known_ends and math.isinf(support)
        for measure, support in zip(problem.measures, problem.support, strict=True)
    ]


def _changes_by_heights(
    ends: Sequence[End], units: tuple[float, float]
) -> dict[tuple[Any, ...], float]:
    """Return the changes of an estimate by half an observation, by the axis and place of a height.

    The height at an end, and the rise from one end to the next, have a change only as far as half
    an observation exceeds their own standard error. The change by a rise is the mean of the changes
    by the heights at both of its ends.
    """
    changes: dict[tuple[Any, ...], float] = {}
    for end in ends:
        missing = _missing_error(end.share, units[end.axis == "tpr"])
        if missing > 0.0:
            changes[end.axis, float(end.bound)] = end.factor * missing
    for first, last in pairwise(sorted(ends, key=attrgetter("axis", "bound"))):
        if first.axis == last.axis and not {first.share, last.share} & {0.0, 1.0}:
            missing = _missing_error(abs(last.share - first.share), units[first.axis == "tpr"])
            if missing > 0.0:
                place = first.axis, float(first.bound), float(last.bound)
                changes[place] = (last.factor - first.factor) / 2.0 * missing
    return changes


def _missing_error(share: float, n: float) -> float:
    """Return the error that, with the variance of a proportion, makes up half an observation."""
    return math.sqrt(max((HALF / n) ** 2 - share * (1.0 - share) / n, 0.0))


def _ranked_as(ratings: Ratings, problem: Problem) -> str:
    """Return the name of the first classifier of a part that ranks all rows like this one."""
    evaluated = (r for r, _, _ in problem.evaluated)
    return next(r.name for r in evaluated if r is ratings or np.array_equal(r.codes, ratings.codes))


def _slope_in_tie(moved: MovedEnds | None, influence: Influence, n: int) -> float:
    """Return the coefficient of the share before an end that divides a tie."""
    assert moved is not None
    return -moved.slope(n) - influence.by_slope(moved.axis, moved.rates[n])


def _regression(within: FloatArray, with_response: FloatArray) -> FloatArray:
    """Return the coefficients of a regression, from matrices of sums of products."""
    if len(within) == 1:
        return with_response / within[0, 0] if within[0, 0] > 0.0 else np.zeros(1)
    return np.asarray(np.linalg.lstsq(within, with_response, rcond=1e-12)[0])


def _inverse_sizes(matrix: FloatArray) -> FloatArray:
    """Return the inverse standard errors of the ends, 0 for an end without error."""
    sizes = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
    return np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0.0)


@lru_cache(maxsize=1)
def _hermite() -> FloatArray:
    """Return the orthonormal polynomials at the nodes, an array of shape (degrees, nodes).

    There are as many as nodes, so that sums over all degrees are exact for correlations of 1.
    """
    root = np.sqrt(WEIGHTS)
    found: list[FloatArray] = []
    for k in range(NODES.size):  # Gram-Schmidt, twice for accuracy
        new = root if k == 0 else NODES * found[-1]
        for _ in range(2):
            for old in found:
                new = new - (new @ old) * old
        found.append(new / math.sqrt(new @ new))
    return np.asarray(read_only(np.array(found) / root))


def _values_with(moved: MovedEnds, shares: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the values with ends moved to the nodes: all pairs for two ends, otherwise one end."""
    n = NODES.size
    if len(shares) == 2:
        return [moved.values([np.repeat(shares[0], n), np.tile(shares[1], n)])]
    fixed = [np.full(n, float(rate)) for rate in moved.rates]
    return [
        moved.values([shares[j] if j == k else fixed[j] for j in range(len(shares))])
        for k in range(len(shares))
    ]


def _coefficients(values: Sequence[FloatArray], rho: float) -> FloatArray:
    """Return the coefficients of changes, an array of shape (ends, degrees).

    For two ends, the changes are projected on the sums of a function of each end.
    """
    basis, n = _hermite(), NODES.size
    if values[0].size == n:
        return np.array([basis @ (WEIGHTS * v) for v in values])
    power = rho ** np.arange(n)
    v = _of_pairs(rho) * values[0].reshape(n, n)
    first, second = basis @ v.sum(axis=1), basis @ v.sum(axis=0)
    singular = np.maximum(1.0 - power**2, _LEAST)
    found = np.array([(first - power * second) / singular, (second - power * first) / singular])
    found[:, 0] = first[0] / 2.0  # the mean, in halves
    return found


def _of_pairs(rho: float) -> FloatArray:
    """Return the probabilities of pairs of nodes with a correlation."""
    basis, power = _hermite(), rho ** np.arange(NODES.size)
    return np.asarray(WEIGHTS[:, None] * ((basis.T * power) @ basis) * WEIGHTS)


def _reach(
    changes: Sequence[FloatArray], rho: float, of_heights: float = 0.0, variance: float = 0.0
) -> tuple[float, float]:
    """Return the variances to be added on each side, so that the extreme values are included.

    If the ends are moved by d standard errors, the heights are moved by sqrt(4 - d^2) standard
    errors, so that nothing is added if the changes are linear in d.
    """
    near, left = _near(changes[0].size > NODES.size, rho)
    margin = math.sqrt(of_heights) * left
    low = min(float((v[near] - margin).min()) for v in changes)
    high = max(float((v[near] + margin).max()) for v in changes)
    return (
        max((min(low, 0.0) / _REACH) ** 2 - variance, 0.0),
        max((max(high, 0.0) / _REACH) ** 2 - variance, 0.0),
    )


@lru_cache(maxsize=16)
def _near(of_two: bool, rho: float) -> tuple[IntArray, FloatArray]:
    """Return the nodes, or pairs of nodes, within `_REACH`, and the deviates left for heights."""
    distance = NODES**2
    if of_two:
        first, second = np.repeat(NODES, NODES.size), np.tile(NODES, NODES.size)
        distance = first**2 + (second - rho * first) ** 2 / max(1.0 - rho**2, _LEAST)
    (near,) = (distance <= _REACH**2 + _LEAST).nonzero()
    return near, np.sqrt(np.maximum(_REACH**2 - distance[near], 0.0))
