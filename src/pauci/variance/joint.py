r"""The uncertainty of estimates by any variance method, on one part of the data or on several.

The method returns the covariance matrix of the estimates of one part, or the contributions of rows.
What does not depend on the method is decided here: the degrees of freedom, pseudo-observations, and
the covariance of estimates on parts that have units in common or are independent.

Pseudo-observations at the ends of a region, which add to a variance.

If an end of a region is estimated, the influence of an observation of the class that determines the
end has one value before the end and another after it. If there are few observations on one side,
the estimated variance is too small, like the estimated variance of a binomial proportion with 0
successes.

Therefore a pseudo-observation is added on each side, or level, with few observations. The variance
is increased by

.. math:: \delta = \sum_l \Big(1 - \frac{m_l}{m_0}\Big)_+ \frac{(u_l - \bar u)^2}{n (n + 1)} ,

where n is the number of observations of the class, m_l the number at level l, u the part of their
influence that is due to the ends, and m_0 = 5. If there are at least five observations at each
level, nothing is added. Two ends that cancel, as in the sum of areas over adjacent regions, do not
separate levels.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray, all_or_none
from pauci.errors import InputError, UndefinedError, held_warnings
from pauci.measures.base import Measure
from pauci.measures.influence import End
from pauci.sample.class_rows import ClassRows
from pauci.special import correlation_matrix
from pauci.variance.contributions import (
    Contributions,
    ContributionsByUnit,
    averages_by_unit,
    by_unit,
    matched,
    unit_numbers,
    units_of_sample,
)
from pauci.variance.degrees_of_freedom import (
    DegreesOfFreedom,
    DfOfParts,
    DfRule,
    LimitedDf,
    block_diagonal,
)
from pauci.variance.influence_covariance import (
    influence_of_units,
    row_influence,
    sums_of,
    with_estimated_weights,
)
from pauci.variance.method import (
    Provenance,
    Replicated,
    Source,
    Uncertainty,
    VarianceMethod,
    unchanged,
)
from pauci.variance.units import (
    CommonUnits,
    Parts,
    Problem,
    Term,
    merged_problem,
    weights_of_averages,
)

_MIN_OBSERVATIONS = 5.0

"""Number of observations at a level from which on no pseudo-observation is added."""


class KnownPart(NamedTuple):
    """The part of a covariance matrix that is not estimated, and the factors of standard errors."""

    matrix: FloatArray
    """The covariance matrix of the pseudo-observations."""
    factor: FloatArray
    """The factor of each standard error for few observations in the region."""
    limits: FloatArray
    """The largest degrees of freedom of each estimate."""

    def added_to(self, matrix: FloatArray) -> FloatArray:
        """Return the covariance matrix of the estimates, from that of the observations."""
        return np.asarray((matrix + self.matrix) * np.outer(self.factor, self.factor))


def uncertainty_of_problem(problem: Problem, method: VarianceMethod) -> Uncertainty:
    """Return the uncertainty of estimates on the same rows."""
    rows = problem.rows
    common = CommonUnits.of_estimated_weights(rows)
    if common is not None:
        return _with_common_units(Parts([problem], [""], common), method)
    uncertainty = method.covariance(problem)
    _check(uncertainty, method, problem.measures, problem.argument)
    has_influence = np.array(list(map(attrgetter("has_influence"), problem.measures)))
    limits = np.full(len(problem.measures), rows.cluster_df)
    known = _known_part(method, problem, uncertainty.matrix)
    influence = partial(_influence_of_problem, problem) if has_influence.all() else None
    units: Callable[[], ContributionsByUnit] | None = None
    if method.key == "influence" and known is None:
        units = influence
    elif method.has_contributions:
        units = partial(_units_of_problem, problem, method, known)
    sums = sums_of(problem) if has_influence.any() else None
    df = DegreesOfFreedom(sums, has_influence, limits, uncertainty.matrix)
    return _completed(uncertainty, known, df, units, influence)


def uncertainty_of_parts(parts: Parts, method: VarianceMethod) -> Uncertainty:
    """Return the joint uncertainty of the estimates of all parts."""
    if parts.common is not None:
        return _with_common_units(parts, method)
    by_word = {"folds": method.for_folds}
    methods = by_word.get(parts.words.parts, method.for_samples)(len(parts.problems))
    each = []
    for k, (problem, method_of_part) in enumerate(zip(parts.problems, methods, strict=True)):
        with parts.part_context(k):
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
    if parts.common is None:
        return terms.combined(weights)
    if not parts.rows.clusters_cross_folds:
        return terms.combined(weights)
    if min(parts.rows.units) < 2:
        raise UndefinedError(
            "a single cluster contains all rows of a class: a standard error needs at least two "
            "clusters in each class."
        )
    with_influence = np.array([t is not None for t in parts.terms])
    with_influence = np.asarray(with_influence.reshape(parts.groups, -1, size).all(axis=1)).ravel()
    by_influence = influence_by_unit(parts, averages=True)
    units, replicates = None, None
    if method.has_contributions:
        z = by_influence
        if method.key != "influence":
            z = _averages_by_unit(parts, _contributions(parts, method))
        matrix, units = z.matrix(), partial(unchanged, z)
    elif terms.replicates is not None:
        replicates = terms.replicates.averaged(parts, weights)  # type: ignore[attr-defined]
        matrix = replicates.covariance
    else:
        raise method.common_units_error(parts.words)
    influence = partial(unchanged, by_influence) if with_influence.all() else None
    bias = None if terms.bias is None else weights @ terms.bias
    rule = DegreesOfFreedom(
        by_influence.selected(with_influence), with_influence, by_influence.limits, matrix
    )
    return _completed(
        Uncertainty(matrix, replicates=replicates, bias=bias), None, rule, units, influence
    )


def independent(parts: Sequence[Uncertainty]) -> Uncertainty:
    """Return the joint uncertainty of estimates on independent parts."""
    if len(parts) == 1:
        return parts[0]
    sizes = [len(p.matrix) for p in parts]
    df = [_filled(p.df, n, math.inf) for p, n in zip(parts, sizes, strict=True)]
    pseudo = [_filled(p.pseudo_variance, n, 0.0) for p, n in zip(parts, sizes, strict=True)]
    bias = all_or_none(p.bias for p in parts)
    replicates = all_or_none(p.replicates for p in parts)
    units, influence = (_joined([getattr(p, k) for p in parts]) for k in ("units", "influence"))
    return Uncertainty(
        block_diagonal([p.matrix for p in parts]),
        np.concatenate(df),
        None if replicates is None else IndependentReplicates(replicates, sizes),
        None if bias is None else np.concatenate(bias),
        DfOfParts([(p.matrix, p.rule) for p in parts]),
        np.concatenate(pseudo),
        units,
        units if all(p.influence is p.units for p in parts) else influence,
        joined_sources(parts, sizes),
    )


def joined_sources(parts: Sequence[Uncertainty], sizes: Sequence[int]) -> Sequence[Source]:
    """Return the sources of independent results; none if those of a result are not known."""
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
    units, influence = (
        None if found is None else partial(_units_of_sample, found, positions)
        for found in (uncertainty.units, uncertainty.influence)
    )
    same = uncertainty.influence is uncertainty.units
    return replace(uncertainty, units=units, influence=units if same else influence)


def _units_of_sample(
    units: Callable[[], ContributionsByUnit], positions: Sequence[IntArray]
) -> ContributionsByUnit:
    """Return the contributions of the units of disjoint parts of a sample, with common labels."""
    z = units()
    labels = z.labels if z.clustered else positions
    return replace(z, labels=[np.concatenate(labels)])


def _joined(
    parts: Sequence[Callable[[], ContributionsByUnit] | None],
) -> Callable[[], ContributionsByUnit] | None:
    """Return the contributions to the estimates of independent parts; None if one has none."""
    known = all_or_none(parts)
    return None if known is None else partial(_side_by_side, known)


def _filled(values: FloatArray | None, count: int, default: float) -> FloatArray:
    """Return values, or copies of a default if there are none."""
    return np.full(count, default) if values is None else values


def of_analyses(analyses: Sequence[Provenance]) -> Uncertainty:
    """Return the uncertainty of the estimates of analyses of the same rows, as of one call."""
    parts = [a.parts for a in analyses if a.parts is not None]
    merged, solve = parts[0], analyses[0].solve
    if len(parts) > 1:
        by_part = zip(*[p.problems for p in parts], strict=True)
        merged = replace(merged, problems=[merged_problem(problems) for problems in by_part])
    assert solve is not None
    with held_warnings():  # they have been issued by the separate calls
        joint = solve(merged)
    sizes = [len(p.problems[0]) for p in parts]
    count = len(joint.matrix) // sum(sizes)  # of parts; 1 for averages over parts
    at = np.arange(len(joint.matrix)).reshape(count, -1)
    order = [of_analysis.ravel() for of_analysis in np.split(at, np.cumsum(sizes)[:-1], axis=1)]
    return joint.selected(np.concatenate(order).tolist())


def with_common_clusters(results: Sequence[Uncertainty], labels: Sequence[AnyArray]) -> Uncertainty:
    """Return the joint uncertainty of results whose units with equal `labels` are the same."""
    z, influence = (
        matched([found() for r in results if (found := getattr(r, name)) is not None], labels)
        for name in ("units", "influence")
    )
    matrix = _with_blocks(z.matrix(), [r.matrix for r in results])
    each, total = zip(*[r.rule.variances() for r in results], strict=True)
    has_known_part = any((t != e).any() for e, t in zip(each, total, strict=True))
    # Estimates with a known part have influence values, without the factors for few rows in a
    # region, which the degrees of freedom do not depend on.
    estimated = _with_blocks(influence.matrix(), each) if has_known_part else matrix
    rule = DegreesOfFreedom(
        influence,
        np.ones(len(matrix), bool),
        np.concatenate([r.rule.limits_of_each() for r in results]),
        estimated,
        _with_blocks(estimated, total) if has_known_part else None,
    )
    bias = all_or_none(r.bias for r in results)
    sizes = [len(r.matrix) for r in results]
    df = [_filled(r.df, n, math.inf) for r, n in zip(results, sizes, strict=True)]
    pseudo = [_filled(r.pseudo_variance, n, 0.0) for r, n in zip(results, sizes, strict=True)]
    return Uncertainty(
        matrix,
        np.concatenate(df),
        bias=None if bias is None else np.concatenate(bias),
        df_of_sum=rule,
        pseudo_variance=np.concatenate(pseudo),
        units=partial(unchanged, z),
        influence=partial(unchanged, influence),
    )


def _with_blocks(matrix: FloatArray, blocks: Sequence[FloatArray]) -> FloatArray:
    """Return a matrix in which the blocks on the diagonal are replaced."""
    result, first = matrix.copy(), 0
    for block in blocks:
        part = slice(first, first + len(block))
        result[part, part] = block
        first = part.stop
    return result


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


def influence_by_unit(
    parts: Parts, *, averages: bool = False, terms: Sequence[Sequence[Term]] | None = None
) -> ContributionsByUnit:
    """Return the influence of the units on the estimates of all parts, or on their averages.

    `terms` are those of each part, if they are not the ones of its estimates.
    """
    influence = _influence_of_parts(parts, terms)
    return _averages_by_unit(parts, influence) if averages else _by_unit(parts, influence)


def _influence_of_parts(
    parts: Parts, terms: Sequence[Sequence[Term | None]] | None
) -> list[Contributions]:
    """Return the influence of the rows of each part; 0 for estimates without influence values."""
    result = []
    for k, problem in enumerate(parts.problems):
        rows = problem.rows
        of_part = problem.terms if terms is None else terms[k]
        z = np.zeros((len(of_part), rows.positive.size))
        known = [i for i, term in enumerate(of_part) if term is not None]
        contributions = Contributions(z, corrected=not isinstance(rows, ClassRows))
        if known:
            with parts.part_context(k):
                found = row_influence(rows, [t for t in of_part if t is not None])
            z[known] = found.by_class
            if found.overall is not None:
                overall = np.zeros_like(z)
                overall[known] = found.overall
                contributions = Contributions(z, overall)
        result.append(with_estimated_weights(rows, contributions))
    return result


def _with_common_units(parts: Parts, method: VarianceMethod) -> Uncertainty:
    """Return the joint uncertainty of estimates on parts with common units."""
    by_influence = influence_by_unit(parts)
    has_influence = np.array([t is not None for t in parts.terms])
    known = units = None
    if method.has_contributions:
        z = by_influence
        if method.key != "influence":
            contributions = _contributions(parts, method)
            z = _by_unit(parts, contributions)
            biases = [c.bias for c in contributions if c.bias is not None]
        else:
            _ = parts.all_terms  # a measure without influence values raises an error
            biases = []
        bias = np.concatenate(biases) if len(biases) == len(parts.problems) else None
        uncertainty = Uncertainty(z.matrix(), bias=bias)
        known = _known_part(method, parts, uncertainty.matrix)
        units = partial(unchanged, z if known is None else z.scaled(known.factor))
    else:
        uncertainty = method.joint(parts)
    _check(uncertainty, method, parts.measures, parts.words.argument)
    df = DegreesOfFreedom(
        by_influence.selected(has_influence),
        has_influence,
        by_influence.limits,
        uncertainty.matrix,
    )
    influence = partial(unchanged, by_influence) if has_influence.all() else None
    return _completed(uncertainty, known, df, units, influence)


def _completed(
    uncertainty: Uncertainty,
    known: KnownPart | None,
    rule: DegreesOfFreedom,
    units: Callable[[], ContributionsByUnit] | None,
    influence: Callable[[], ContributionsByUnit] | None,
) -> Uncertainty:
    """Return an uncertainty with degrees of freedom, pseudo-observations and contributions."""
    estimated = uncertainty.matrix
    matrix, pseudo, limits = estimated, None, rule.limits
    if known is not None:
        matrix, pseudo = known.added_to(estimated), known.matrix.diagonal()
        limits = np.minimum(limits, known.limits)
        rule = replace(rule, limits=limits, total=estimated + known.matrix)
    if uncertainty.df is None and uncertainty.df_of_sum is None:
        df: FloatArray = rule.of_each()
        df_of_sum: DfRule = rule
    else:
        each = np.full(limits.size, math.inf) if uncertainty.df is None else uncertainty.df
        df = np.minimum(each, limits)
        df_of_sum = LimitedDf(uncertainty.df_of, limits, matrix)
    return Uncertainty(
        matrix, df, uncertainty.replicates, uncertainty.bias, df_of_sum, pseudo, units, influence
    )


def _check(
    uncertainty: Uncertainty, method: VarianceMethod, measures: Sequence[Measure], argument: str
) -> None:
    """Raise an error if the matrix is not a covariance matrix of the estimates."""
    matrix, m = np.asarray(uncertainty.matrix), len(measures)
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


def _by_unit(parts: Parts, contributions: Sequence[Contributions]) -> ContributionsByUnit:
    """Return the contributions of the units to the estimates of all parts."""
    rows = [p.rows for p in parts.problems]
    return by_unit(parts.rows, rows, parts.index, contributions)


def _averages_by_unit(parts: Parts, contributions: Sequence[Contributions]) -> ContributionsByUnit:
    """Return the contributions of the units to the averages over all parts."""
    rows = [p.rows for p in parts.problems]
    values = np.array(parts.values).reshape(parts.groups, len(rows) // parts.groups, -1)
    return averages_by_unit(parts.rows, rows, parts.index, contributions, values)


def _contributions(parts: Parts, method: VarianceMethod) -> list[Contributions]:
    """Return the contributions of the rows of each part by a method."""
    result = []
    for k, problem in enumerate(parts.problems):
        with parts.part_context(k):
            units = None if parts.rows.cluster is None else parts.units(k)
            z = method.contributions(problem, units)
        if not method.estimates_weights:
            z = with_estimated_weights(problem.rows, z)
        result.append(z)
    return result


def _units_of_problem(
    problem: Problem, method: VarianceMethod, known: KnownPart | None
) -> ContributionsByUnit:
    """Return the contributions of the units of a sample to its estimates."""
    rows = problem.rows
    units = None if rows.cluster is None else unit_numbers(rows)
    z = units_of_sample(rows, method.contributions(problem, units))
    return z if known is None else z.scaled(known.factor)


def _influence_of_problem(problem: Problem) -> ContributionsByUnit:
    """Return the influence of the units of a sample on its estimates."""
    return influence_of_units(problem.rows, problem.all_terms)


def _side_by_side(parts: Sequence[Any]) -> ContributionsByUnit:
    """Return the contributions of the units of independent parts."""
    found: list[ContributionsByUnit] = [part() for part in parts]
    return reduce(ContributionsByUnit.beside, found)


def _known_part(
    method: VarianceMethod, problem: Problem | Parts, matrix: FloatArray
) -> KnownPart | None:
    r"""Return what pseudo-observations and few rows in a region add to a covariance matrix.

    The variance of the pseudo-observations is treated as known, which increases the degrees of
    freedom according to Satterthwaite's formula.

    For a measure that depends only on the k observations in a region, such as the local c
    statistic, the standard error is multiplied by :math:`\sqrt{(k + 1)/k}`, and there are at most
    k - 1 degrees of freedom.
    """
    if not method.has_pseudo_observations:
        return None
    terms = problem.all_terms
    few_inside = min(problem.support) < math.inf
    if not few_inside and not any(map(attrgetter("influence.ends"), terms)):
        return None
    added = np.array([_pseudo_variance_of_term(t) if t.influence.ends else 0.0 for t in terms])
    k = np.maximum(problem.support, 1.0)
    return KnownPart(
        _joint_pseudo_variances(problem, matrix, added) if added.any() else np.zeros_like(matrix),
        np.where(np.isfinite(k), np.sqrt(1.0 + 1.0 / k), 1.0),
        np.maximum(k - 1.0, 1.0),
    )


def _pseudo_variance_of_term(term: Term) -> float:
    """Return the additional variance of an estimate from both classes."""
    n_pos, n_neg = term.ratings.rows.units
    by_axis: dict[str, list[End]] = {"fpr": [], "tpr": []}
    for end in term.influence.ends:
        by_axis[end.axis].append(end)
    return pseudo_variance(by_axis["fpr"], n_pos) + pseudo_variance(by_axis["tpr"], n_neg)


def pseudo_variance(ends: Sequence[End], n: float) -> float:
    """Return the additional variance from a pseudo-observation at each level with few rows."""
    if not ends:
        return 0.0
    level = sum(e.factor for e in ends)
    shares, levels, reached = [], [], 0.0
    for end in sorted(ends, key=lambda e: (e.share, e.bound)):
        shares.append(end.share - reached)
        levels.append(level)
        level, reached = level - end.factor, end.share
    shares.append(1.0 - reached)
    levels.append(level)
    mean = sum(s * u for s, u in zip(shares, levels, strict=True))
    squares = (
        max(1.0 - n * s / _MIN_OBSERVATIONS, 0.0) * (u - mean) ** 2
        for s, u in zip(shares, levels, strict=True)
    )
    return sum(squares) / (n * (n + 1.0))


def _joint_pseudo_variances(
    problem: Problem | Parts, matrix: FloatArray, added: FloatArray
) -> FloatArray:
    """Return additional variances as a covariance matrix.

    Additional variances of the same classifier have the correlation of the estimates; those of
    different classifiers are uncorrelated.
    """
    if len(added) == 1:
        return added[:, None]
    correlation = correlation_matrix(matrix)
    ratings = problem.ratings
    for i, j in itertools.combinations(range(len(ratings)), 2):
        if ratings[i] is not ratings[j]:
            correlation[i, j] = correlation[j, i] = 0.0
    root = np.sqrt(added)
    return np.asarray(correlation * np.outer(root, root))
