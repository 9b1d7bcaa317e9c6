r"""Errors of the ends of regions, and the errors of estimates that do not depend on them.

With f the influence of the units on a weighted sum of estimates, and :math:`\iota` that on the
shares of the classes before the estimated ends, the error of the sum is :math:`b^T \iota + r`,
where :math:`b = V_{\iota\iota}^{-1} V_{\iota f}`, and the variance of the independent remainder r
is :math:`V_{ff} - b^T V_{\iota\iota} b`. The first term is replaced by the values V(s) with moved
ends (`pauci.measures.moved_ends`), whose slopes :math:`\beta` are those of the regression of the
influence of the single rows on :math:`\iota`, so that :math:`(b - \beta)^T \iota` is added. No
slope of the curve is required. With clusters or weights, the share before an end is that of an
effective number of observations (`pauci.variance.cutoff_counts`).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.measures.at_cutoff import FPR, SENSITIVITY, AtCutoff
from pauci.measures.influence import Influence
from pauci.measures.moved_ends import MovedEnds, share_before
from pauci.quadrature import Values, correlated_nodes, normal_nodes, sum_of_independent
from pauci.sample.rows import Rows
from pauci.special import correlation_matrix
from pauci.variance.cutoff_counts import CutoffCounts
from pauci.variance.influence_covariance import unit_sums
from pauci.variance.joint import influence_by_unit
from pauci.variance.units import CommonUnits, Parts, Term, merged_problem

_FEWEST = 1.0

"""Smallest effective number of observations of a share."""

_HALF = 0.5

"""Number of observations whose variance the rest of the error of a point has at least."""


class _EstimatedEnd(NamedTuple):
    """An estimated end of a region of a classifier in a part."""

    part: int
    rate: float
    size: float
    """Effective number of rows of the class of the axis."""
    units: int
    """Number of units of several parts that hold the class; 0 if no unit has several rows of it."""
    independent: bool
    """Whether the rows are independent and without weights."""
    term: Term
    """The influence on the share of the class before the end."""


class AveragedErrors(NamedTuple):
    """The values of a weighted sum for positions of the ends, and the rest of its variance."""

    at_ends: Values
    """The values, as functions of the normal deviates of the positions."""
    explained: float
    """The part of the variance that is due to the ends."""
    least: float
    """Smallest variance of the rest, which is that of half an observation at points."""


class JointEnds:
    """The estimates of all parts of an analysis, and their estimated ends.

    Parameters
    ----------
    parts : Parts
        The estimates.
    averages : bool, default False
        Whether weights are those of averages of the same estimates over the parts of each group.
    inflation : float, default 1
        Factor of all variances.
    """

    def __init__(self, parts: Parts, *, averages: bool = False, inflation: float = 1.0) -> None:
        self._parts: Parts | None = parts
        self._averages, self._inflation = averages, inflation
        self._values, self._count, self._groups = parts.values, len(parts.problems), parts.groups
        self._moved = list(chain.from_iterable(p.moved for p in parts.problems))
        self._repetitions = np.ones(self._groups)
        if averages and parts.common is not None:
            units = [
                np.unique(parts.units(k)[_with_weight(p.rows)])
                for k, p in enumerate(parts.problems)
            ]
            count = self._count // self._groups
            for g in range(self._groups):
                of_group = np.concatenate(units[g * count : (g + 1) * count])
                self._repetitions[g] = of_group.size / np.unique(of_group).size
        self._estimates_of_parts = list(map(len, parts.problems))
        self._sizes = list(chain.from_iterable([p.rows.units] * len(p) for p in parts.problems))

    def with_others(
        self, others: "Sequence[JointEnds]", weights: Sequence[FloatArray]
    ) -> tuple["JointEnds", FloatArray] | None:
        """Return the joint analysis with others of the same parts, and the weights in it.

        None if the data of an analysis are not known, or the analyses have other parts.
        """
        analyses = [self, *others]
        known = [a._parts for a in analyses if a._parts is not None]
        same = {(a._count, a._groups, a._averages) for a in analyses}
        if len(known) < len(analyses) or len(same) > 1:
            return None
        by_part = zip(*[p.problems for p in known], strict=True)
        parts = replace(known[0], problems=[merged_problem(problems) for problems in by_part])
        count = self._groups if self._averages else self._count
        joined = np.concatenate([w.reshape(*w.shape[:-1], count, -1) for w in weights], axis=-1)
        ends = JointEnds(parts, averages=self._averages, inflation=self._inflation)
        return ends, joined.reshape(*joined.shape[:-2], -1)

    def moves(self, weights: FloatArray, *, of_difference: bool = False) -> bool:
        """Return whether ends of a weighted sum, or of one of several, can be moved.

        In a difference they are only if the error of an end has a first-order effect.
        """
        w = np.atleast_2d(self._by_part(weights)).any(axis=0)
        moved = [m for i in np.flatnonzero(w) if (m := self._moved[i]) is not None]
        if of_difference:
            return not all(m.measure.known_ends for m in moved)
        return bool(moved)

    def _by_part(self, weights: FloatArray) -> FloatArray:
        """Return the weights of the estimates of all parts."""
        if not self._averages:
            return weights
        count = self._count // self._groups
        of_groups = weights.reshape(*weights.shape[:-1], self._groups, 1, -1) / count
        repeated = np.repeat(of_groups, count, axis=-2)
        return np.asarray(repeated.reshape(*weights.shape[:-1], -1))

    @cached_property
    def _ends(self) -> tuple[list[_EstimatedEnd], list[list[int]]]:
        """The distinct ends, and the positions of those of each estimate."""
        assert self._parts is not None
        positions: dict[Any, int] = {}
        ends: list[_EstimatedEnd] = []
        of_estimates = []
        for part, problem in enumerate(self._parts.problems):
            for (ratings, *_), moved in zip(problem.evaluated, problem.moved, strict=True):
                own = []
                for k, rate in enumerate(moved.rates if moved else ()):
                    assert moved is not None
                    key = part, id(ratings), moved.axis, rate
                    if key not in positions:
                        positions[key] = len(ends)
                        share = SENSITIVITY if moved.axis == "tpr" else FPR
                        counts = CutoffCounts.at(ratings, moved.points[k])
                        size = float(counts.effective(share, given=True).size)
                        term = Term(ratings, moved.before(k))
                        independent, units = ratings.rows.independent, 0
                        if self._parts.common is not None:
                            rows = problem.rows
                            used = _with_weight(rows)
                            in_class = rows.positive[used] == (moved.axis == "tpr")
                            of_class = self._parts.units(part)[used][in_class]
                            units = np.unique(of_class).size
                            independent = independent and units == of_class.size
                            units = 0 if independent else units
                        ends.append(
                            _EstimatedEnd(part, float(rate), size, units, independent, term)
                        )
                    own.append(positions[key])
                of_estimates.append(own)
        return ends, of_estimates

    @cached_property
    def _covariance(self) -> FloatArray:
        """The covariance matrix of all estimates, followed by all ends."""
        parts, (ends, _) = self._parts, self._ends
        assert parts is not None
        none = Influence(np.zeros(1), np.zeros(1))
        terms, order, first = [], [], 0
        for k, problem in enumerate(parts.problems):
            own = [i for i, end in enumerate(ends) if end.part == k]
            of_estimates = zip(problem.terms, problem.evaluated, strict=True)
            terms.append(
                [t or Term(ratings, none) for t, (ratings, *_) in of_estimates]
                + [ends[i].term for i in own]
            )
            order += [*range(first, first + len(problem)), *(len(parts) + i for i in own)]
            first += len(problem)
        if parts.common is None:
            common = CommonUnits.of_estimated_weights(parts.problems[0].rows)
            parts = replace(parts, common=common)
        matrix = np.zeros((len(order), len(order)))
        if parts.common is None:
            start = 0
            for problem, of_part in zip(parts.problems, terms, strict=True):
                at = order[start : start + len(of_part)]
                matrix[np.ix_(at, at)] = unit_sums(problem.rows, of_part).matrix()
                start += len(of_part)
        else:
            matrix[np.ix_(order, order)] = influence_by_unit(parts, terms=terms).matrix()
        return matrix

    @cached_property
    def _slopes(self) -> FloatArray:
        """The slopes of all estimates in their own ends, from the regression on single rows."""
        assert self._parts is not None
        ends, of_estimates = self._ends
        slopes = np.zeros((len(of_estimates), len(ends)))
        terms = self._parts.terms
        for i, own in enumerate(of_estimates):
            term = terms[i]
            if not own or term is None:
                continue
            if ends[own[0]].independent:
                at = np.array(own) + len(of_estimates)
                covariance = self._covariance
                within, with_estimate = covariance[np.ix_(at, at)], covariance[at, i]
            else:
                within, with_estimate = _of_single_rows(term, [ends[k].term for k in own])
            slopes[i, own] = _regression(within, with_estimate)
        return slopes

    def errors(self, weights: FloatArray, *, of_difference: bool = False) -> AveragedErrors:
        """Return the errors of a weighted sum, or of a part of it, that are due to its ends."""
        w = self._by_part(np.asarray(weights, float))
        estimates, of_estimates = np.flatnonzero(w).tolist(), self._ends[1]
        constant = sum(w[i] * self._values[i] for i in estimates if not of_estimates[i])
        at_ends, explained = Values.known(constant), 0.0
        for block in self._blocks(estimates):
            of_block, variance = self._errors_of(block, estimates, w, of_difference)
            explained += float(variance)
            at_ends = sum_of_independent(at_ends, of_block)
        least, first = 0.0, 0
        for k, size in enumerate(self._estimates_of_parts):
            floors = [self._least(i, w[i]) for i in range(first, first + size) if w[i]]
            least += max(floors, default=0.0) * self._repetitions_of(k)
            first += size
        return AveragedErrors(at_ends, explained, least)

    def moments(self, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the errors of several differences that are due to the ends.

        These are the means and the covariance matrix of their values for positions of the ends, and
        the part of their covariance matrix that is due to the ends. They do not depend on the order
        of the estimates.
        """
        w = self._by_part(weights)
        estimates, of_estimates = np.flatnonzero(w.any(axis=0)).tolist(), self._ends[1]
        known = [i for i in estimates if not of_estimates[i]]
        means = w[:, known] @ np.asarray(self._values)[known]
        spread, explained = np.zeros((2, len(w), len(w)))
        for block in self._blocks(estimates):
            (values, shares, _), of_ends = self._errors_of(block, estimates, w, True)
            of_block = values @ shares
            centred = values - of_block[:, None]
            means, explained = means + of_block, explained + of_ends
            spread += (centred * shares) @ centred.T
        return means, spread, explained

    def _blocks(self, estimates: Sequence[int]) -> list[list[int]]:
        """Return the ends of estimates, with those of parts with common units in one list.

        The order of more than two ends does not depend on that of the estimates, because nodes for
        so many deviates are not symmetric.
        """
        ends, of_estimates = self._ends
        of_parts: dict[int, list[int]] = {}
        for i in estimates:
            for k in of_estimates[i]:
                of_part = of_parts.setdefault(ends[k].part, [])
                if k not in of_part:
                    of_part.append(k)
        blocks: list[list[int]] = []
        first = len(self._values)
        for of_part in of_parts.values():
            rows = self._covariance[first + np.array(of_part)]
            near = [block for block in blocks if rows[:, first + np.array(block)].any()]
            blocks = [block for block in blocks if block not in near]
            blocks.append([*chain.from_iterable(near), *of_part])
        for block in blocks:
            if len(block) > 2:
                columns = [*estimates, *(k + first for k in block)]
                sizes = np.abs(self._covariance[np.ix_([k + first for k in block], columns)])
                order = sizes.sum(axis=1).argsort().tolist()
                block[:] = [block[j] for j in order]
        return blocks

    def _errors_of(
        self, block: list[int], estimates: list[int], w: FloatArray, of_difference: bool
    ) -> tuple[Values, FloatArray]:
        """Return the values for positions of dependent ends, and the variance they explain.

        With a row of weights for each of several sums, these are rows of values and a covariance
        matrix.
        """
        (ends, of_estimates), at = self._ends, np.array(block) + w.shape[-1]
        within = self._covariance[np.ix_(at, at)]
        with_sum = self._covariance[at][:, : w.shape[-1]] @ w.T
        slopes = _regression(within, with_sum)
        explained = slopes.T @ with_sum * self._inflation
        z, shares = correlated_nodes(correlation_matrix(within))
        before = {}
        for j, k in enumerate(block):
            rate, size, units = ends[k].rate, ends[k].size, ends[k].units
            if units > 1 and within[j, j] > 0.0:
                size = min(size, units / (units - 1.0) * rate * (1.0 - rate) / within[j, j])
            size = max(size / self._inflation, _FEWEST)
            before[k] = share_before(rate, size, z[:, j], of_difference=of_difference)
        values = np.zeros((*w.shape[:-1], len(shares)))
        for i in estimates:
            moved, own = self._moved[i], of_estimates[i]
            if moved is None or not own or own[0] not in before:
                continue
            found = moved.values([before[k] for k in own])
            if self._averages and moved.is_point:
                found = found - self._bias(moved, float(found @ shares), ends[own[0]].part)
            values += w[..., i, None] * np.where(np.isnan(found), self._values[i], found)
        errors = np.sqrt(within.diagonal() * self._inflation)
        if len(estimates) > 1 or not ends[block[0]].independent:
            values -= ((slopes.T - w @ self._slopes[:, block]) * errors) @ z.T
        if of_difference:
            distances = np.full(len(shares), math.inf)
        else:
            distances = (normal_nodes(len(block)).deviates ** 2).sum(axis=1)
        return Values(values, shares, distances), explained

    def _repetitions_of(self, part: int) -> float:
        """Return how often units are in the parts of the group of a part, on average."""
        return float(self._repetitions[part * self._groups // self._count])

    def _bias(self, moved: MovedEnds, mean: float, part: int) -> float:
        """Return what the values of a point exceed the parameter by in an average over parts.

        Where the curve bends, the estimate is biased, and the mean of the values for moved ends has
        the same bias again. The variance of an average decreases with the number of parts, but its
        bias does not.
        """
        (at_end,) = moved.values([np.array([float(moved.rates[0])])])
        folds = max(self._count / self._groups / self._repetitions_of(part), 1.0)
        return 2.0 * (1.0 - 1.0 / folds) * (mean - float(at_end))

    def _least(self, i: int, weight: float) -> float:
        """Return the smallest variance of the rest of an estimate: 0 unless it is a point."""
        moved = self._moved[i]
        if moved is None or not isinstance(moved.measure, AtCutoff):
            return 0.0
        (point,), (n_pos, n_neg) = moved.points, self._sizes[i]
        tpr, fpr = (
            (r * n + _HALF) / (n + 1.0) for r, n in ((point.tpr, n_pos), (point.fpr, n_neg))
        )
        by_fpr, by_tpr, _ = moved.measure.rate_slopes(tpr, fpr, moved.share)
        slope, n = (by_tpr, n_pos) if moved.axis == "fpr" else (by_fpr, n_neg)
        return float(_HALF * (weight * slope / n) ** 2 * self._inflation)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the covariance matrix instead of the data."""
        if any(self._moved):
            _ = self._covariance, self._slopes
        state = dict(self.__dict__)
        if "_ends" in state:
            ends, of_estimates = state["_ends"]
            state["_ends"] = [end._replace(term=None) for end in ends], of_estimates
        return state | {"_parts": None}


def _with_weight(rows: Rows) -> Any:
    """Return the rows with weight, which are the members of their part."""
    return slice(None) if rows.copies is None else rows.copies > 0


def _regression(within: FloatArray, with_response: FloatArray) -> FloatArray:
    """Return the coefficients of a regression, from matrices of sums of products."""
    if len(within) == 1:
        return with_response / within[0, 0] if within[0, 0] > 0.0 else np.zeros(1)
    return np.asarray(np.linalg.lstsq(within, with_response, rcond=1e-12)[0])


def _of_single_rows(term: Term, ends: Sequence[Term]) -> tuple[FloatArray, FloatArray]:
    """Return the sums of squares of shares of single rows and of products with an influence."""
    table = term.ratings.table
    by_class = []
    for positive, mass in ((True, table.pos), (False, table.neg)):
        group = np.arange(table.size)
        f, *before = (
            (t.influence.pos if positive else t.influence.neg).take(group, mode="clip")
            for t in (term, *ends)
        )
        centred = np.array(before) - (np.array(before) @ mass / mass.sum())[:, None]
        by_class.append(((centred * mass) @ centred.T, (centred * mass) @ f))
    return by_class[0][0] + by_class[1][0], by_class[0][1] + by_class[1][1]
