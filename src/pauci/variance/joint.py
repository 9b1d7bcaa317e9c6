r"""The uncertainty of estimates by any variance method, on one part of the data or on several.

The method returns the covariance matrix of the estimates of one part, or the contributions of rows.
From these follow the degrees of freedom, rows of z for estimated ends, and the covariance of
estimates on parts that have units in common or are independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from pauci.checks import FloatArray, IntArray, all_or_none
from pauci.errors import InputError, UndefinedError
from pauci.measures.base import Measure
from pauci.variance.contributions import (
    Contributions,
    influence_of_rows,
    with_estimated_weights,
    z_of_averages,
    z_of_parts,
    z_of_sample,
)
from pauci.variance.ends import EndRows, LogOdds, has_estimated_ends
from pauci.variance.method import Replicated, Source, SumOverParts, Uncertainty, VarianceMethod
from pauci.variance.units import (
    CommonUnits,
    Parts,
    Problem,
    Term,
    part_context,
    unit_numbers,
    weights_of_averages,
)
from pauci.variance.z import Z, block_diagonal, join, limits_of_support


def uncertainty_of_problem(problem: Problem, method: VarianceMethod) -> Uncertainty:
    """Return the uncertainty of estimates on the same rows."""
    rows, common = problem.rows, None
    if rows.weight_map is not None:
        common = CommonUnits(rows, [np.arange(rows.positive.size)])
    return _uncertainty(Parts([problem], [""], common), method)


def uncertainty_of_parts(parts: Parts, method: VarianceMethod) -> Uncertainty:
    """Return the joint uncertainty of the estimates of all parts."""
    if parts.common is not None:
        return _uncertainty(parts, method)
    by_word = {"folds": method.for_folds}
    methods = by_word.get(parts.words.parts, method.for_samples)(len(parts.problems))
    each = []
    for k, (problem, method_of_part) in enumerate(zip(parts.problems, methods, strict=True)):
        with part_context(parts.names[k]):
            each.append(uncertainty_of_problem(problem, method_of_part))
    return independent(each)


def uncertainty_of_averages(
    parts: Parts, method: VarianceMethod, terms: Uncertainty
) -> Uncertainty:
    """Return the uncertainty of the averages of the same estimates over the parts of each group.

    `terms` is the uncertainty of the estimates of all parts.
    """
    count, size = len(parts.problems), len(parts.problems[0])
    weights = weights_of_averages(parts.groups, count, size)
    if parts.common is None or not parts.rows.clusters_cross_folds:
        return terms.combined(weights)
    parts.rows.check_units(*parts.rows.units)
    bias = None if terms.bias is None else weights @ terms.bias
    if method.has_contributions:
        # Averages over overlapping folds need no correction for few observations in a region.
        return Uncertainty.of_units(_z_by_rows(parts, method, weights)[0], bias)
    if terms.replicates is None:
        raise method.common_units_error(parts.words)
    replicates = terms.replicates.averaged(parts, weights)  # type: ignore[attr-defined]
    z = z_of_influence(parts, averages=True)
    return Uncertainty(replicates.covariance, replicates=replicates, bias=bias, z=z)


def _uncertainty(parts: Parts, method: VarianceMethod) -> Uncertainty:
    """Return the uncertainty of the estimates of a sample, or of parts with common units."""
    argument = parts.words.argument if parts.common else parts.problems[0].argument
    if not method.has_contributions:
        if parts.common is None:
            uncertainty = method.covariance(parts.problems[0])
        else:
            uncertainty = method.joint(parts)
        _check(uncertainty.matrix, method, parts.measures, argument)
        if uncertainty.z is None:
            uncertainty = replace(uncertainty, z=z_of_influence(parts))
        return uncertainty
    z, bias, log_odds = _z_by_rows(parts, method)
    support = np.array(parts.support)
    if support.min() < math.inf:
        factors, limits = limits_of_support(support)
        z = z.scaled(factors)
        log_odds = [
            e and e._replace(se=e.se * f) for e, f in zip(log_odds, factors.tolist(), strict=False)
        ]
        z = replace(z, limits=np.minimum(z.limits, limits))
    uncertainty = Uncertainty(z.cov, bias=bias, z=z, has_units=True, log_odds=log_odds)
    _check(uncertainty.matrix, method, parts.measures, argument)
    return uncertainty


def _z_by_rows(
    parts: Parts, method: VarianceMethod, weights: FloatArray | None = None
) -> tuple[Z, FloatArray | None, Sequence[LogOdds | None]]:
    """Return z, the biases, and the errors of log odds, from contributions of rows.

    With weights, z is that of averages over the parts of each group.
    """
    of_parts = _z if weights is None else _z_of_averages
    if not method.has_rows_of_ends:
        contributions = _contributions(parts, method)
        biases = [c.bias for c in contributions if c.bias is not None]
        bias = np.concatenate(biases) if len(biases) == len(parts.problems) else None
        return _relaxed(of_parts(parts, contributions), parts), bias, ()
    if all(map(attrgetter("of_whole_curves"), parts.problems)):
        return of_parts(parts, _contributions(parts, method)), None, ()
    rows = EndRows(parts, moves=method.key == "influence", averages=weights is not None)
    contributions = _contributions(parts, method, rows)
    if not rows.ends:
        z = rows.others_added_to(_relaxed(of_parts(parts, contributions), parts), weights)
        return z, None, rows.log_odds(z, None) if rows.unseen and weights is None else ()
    z, errors = rows.divided(_z(parts, contributions))
    log_odds = rows.log_odds(z, errors) if weights is None else ()
    if weights is not None:
        of_estimates = zip(contributions, parts.problems, strict=True)
        z = _z_of_averages(parts, [c.first(len(p)) for c, p in of_estimates])
    z = rows.others_added_to(_relaxed(z, parts), weights)
    return rows.ends_added_to(z, errors, weights), None, log_odds


def _relaxed(z: Z, parts: Parts) -> Z:
    """Return z with the information whether each estimate, or average, has estimated ends."""
    each = [end for problem in parts.problems for end in has_estimated_ends(problem)]
    return replace(z, relaxed=np.array(each[: z.limits.size])) if any(each) else z


def independent(parts: Sequence[Uncertainty]) -> Uncertainty:
    """Return the joint uncertainty of estimates on independent parts."""
    if len(parts) == 1:
        return parts[0]
    sizes = [len(p.matrix) for p in parts]
    bias = all_or_none(p.bias for p in parts)
    replicates = all_or_none(p.replicates for p in parts)
    z = all_or_none(None if p.df is not None else p.z for p in parts)
    has_units = z is not None and all(p.has_units for p in parts)
    of_all = join(z) if z is not None else None
    joined = Uncertainty(
        of_all.cov if of_all and has_units else block_diagonal([p.matrix for p in parts]),
        replicates=None if replicates is None else IndependentReplicates(replicates, sizes),
        bias=None if bias is None else np.concatenate(bias),
        z=of_all,
        sources=joined_sources(parts, sizes),
        has_units=has_units,
        log_odds=[e for p, n in zip(parts, sizes, strict=True) for e in p.log_odds or [None] * n],
    )
    if z is not None:
        return joined
    of_sums = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    added = [p.combined(own) for p, own in zip(parts, of_sums, strict=True)]
    return SumOverParts(**vars(joined) | {"parts": added})


def joined_sources(parts: Sequence[Uncertainty], sizes: Sequence[int]) -> Sequence[Source]:
    """Return the sources of independent results; empty if those of a result are unknown."""
    if not all(p.sources for p in parts):
        return ()
    ends, joined = np.cumsum([0, *sizes]), []
    for part, size, first in zip(parts, sizes, ends.tolist(), strict=False):
        for analysis, weights in part.sources:
            own = np.eye(size) if weights is None else weights
            of_all = np.zeros((ends[-1], own.shape[1]))
            of_all[first : first + size] = own
            joined.append((analysis, of_all))
    return joined


def of_one_sample(uncertainty: Uncertainty, positions: Sequence[IntArray]) -> Uncertainty:
    """Return the uncertainty of estimates on disjoint parts of one sample.

    Without clusters, units are named by the `positions` of the rows of each part in the sample.
    """
    if uncertainty.z is None:
        return uncertainty
    z = uncertainty.z
    labels = [
        block._replace(labels=block.labels if z.clustered else own, continues=k > 0)
        for k, (block, own) in enumerate(zip(z.labels, positions, strict=True))
    ]
    return replace(uncertainty, z=z.labelled(labels))


def with_common_units(
    results: Sequence[Uncertainty], sets: Sequence[Sequence[int]], *, same_rows: bool
) -> Uncertainty:
    """Return the joint uncertainty of results, whose units with equal labels in a set are the same.

    `sets` has the number of the set of each item of the labels of each result, and `same_rows` is
    whether the results are those of the same rows.
    """
    z = join([r.units for r in results if r.units is not None], sets, same_rows=same_rows)
    bias = all_or_none(r.bias for r in results)
    return Uncertainty.of_units(z, None if bias is None else np.concatenate(bias))


@dataclass(frozen=True, eq=False)
class IndependentReplicates:
    """Replicates of the estimates of independent parts."""

    parts: Sequence[Replicated]
    sizes: Sequence[int]

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Any:
        """Return the replicates of a weighted sum of some estimates."""
        drawn, first = [], 0
        for part, size in zip(self.parts, self.sizes, strict=True):
            chosen = [
                (i - first, w)
                for i, w in zip(positions, weights, strict=True)
                if first <= i < first + size
            ]
            if chosen:
                drawn.append(part.combined(*map(list, zip(*chosen, strict=True))))
            first += size
        return drawn[0].total(drawn)


def z_of_influence(
    parts: Parts,
    *,
    averages: bool = False,
) -> Z:
    """Return the influence of the units on the estimates of all parts, or on their averages.

    The influence on estimates without influence values is NaN.
    """
    found = []
    for k, problem in enumerate(parts.problems):
        of_part = problem.terms
        known = [i for i, term in enumerate(of_part) if term is not None]
        with part_context(parts.names[k]):
            found.append(_influence(problem, of_part, known))
    return _z_of_averages(parts, found) if averages else _z(parts, found)


def _influence(
    problem: Problem, terms: Sequence[Term | None], known: Sequence[int]
) -> Contributions:
    """Return the influence of rows on all estimates; NaN for estimates that are not `known`."""
    rows = problem.rows
    if not known:
        return Contributions(np.full((len(terms), rows.positive.size), math.nan), corrected=False)
    found = influence_of_rows(rows, [t for t in terms if t is not None])
    if len(known) < len(terms):
        found = found._replace(
            by_class=_in_places(found.by_class, known, len(terms), math.nan),
            overall=None
            if found.overall is None
            else _in_places(found.overall, known, len(terms), 0.0),
        )
    return with_estimated_weights(rows, found)


def _in_places(values: FloatArray, known: Sequence[int], count: int, other: float) -> FloatArray:
    """Return an array with a row for every estimate, from the rows of the `known` estimates."""
    found = np.full((count, values.shape[1]), other)
    found[list(known)] = values
    return found


def _contributions(
    parts: Parts, method: VarianceMethod, rows_of_ends: EndRows | None = None
) -> list[Contributions]:
    """Return the contributions of the rows of each part by a method, or by influence values."""
    result = []
    for k, problem in enumerate(parts.problems):
        with part_context(parts.names[k]):
            rows = problem.rows if parts.common is None else parts.rows
            units = None
            if rows.cluster is not None:
                units = unit_numbers(rows) if parts.common is None else parts.units(k)
            if rows_of_ends is not None and rows_of_ends.ends:
                z = rows_of_ends.contributions(k)
            else:
                z = method.contributions(problem, units)
        if not method.estimates_weights:
            z = with_estimated_weights(problem.rows, z)
        result.append(z)
    return result


def _z(parts: Parts, contributions: Sequence[Contributions]) -> Z:
    """Return the contributions of the units to the estimates of all parts."""
    if parts.common is None:
        return z_of_sample(parts.problems[0].rows, contributions[0])
    rows = [p.rows for p in parts.problems]
    return z_of_parts(parts.rows, rows, parts.index, contributions)


def _z_of_averages(parts: Parts, contributions: Sequence[Contributions]) -> Z:
    """Return the contributions of the units to the averages over the parts of each group."""
    rows = [p.rows for p in parts.problems]
    values = np.array(parts.values).reshape(parts.groups, len(rows) // parts.groups, -1)
    return z_of_averages(parts.rows, rows, parts.index, contributions, values)


def _check(
    found: FloatArray, method: VarianceMethod, measures: Sequence[Measure], argument: str
) -> None:
    """Raise an error for a matrix of a wrong shape, or with invalid variances."""
    matrix, m = np.asarray(found), len(measures)
    if matrix.shape != (m, m):
        raise InputError.of(
            argument,
            method,
            f"returned a matrix of shape {matrix.shape} for {m} estimate{'s' * (m > 1)}.",
            shown=method.key,
        )
    for measure, variance in zip(measures, matrix.diagonal().tolist(), strict=True):
        if not (math.isfinite(variance) and variance >= 0.0):
            raise UndefinedError.of(
                argument,
                method,
                (
                    f"returned {variance:g} as the variance of ",
                    measure,
                    "; a variance must be finite and not negative.",
                ),
                shown=method.key,
            )
