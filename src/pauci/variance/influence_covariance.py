r"""Covariances from influence values, with the same formula for every measure and design.

Let f be the frequency and w the sampling weight of a row, W_c the sum of f w in class c, W the sum
of f w over all rows, u~ the influence centred at its weighted class mean, y the label, pi = W_1/W,
and g the derivative of the measure with respect to the prevalence. Then

.. math:: z_i = \sqrt{\frac{m_c}{m_c - 1}} \frac{w_i \tilde u_i}{W_c}
          + \sqrt{\frac{C}{C - 1}} \frac{g\, w_i (y_i - \pi)}{W}

where the second term applies only to a cohort. For independent rows, or independent clusters,

.. math:: V = \sum_i f_i z_i z_i^T \quad\text{or}\quad
          V = \sum_{\text{clusters}} \Big(\sum_i f_i z_i\Big) \Big(\sum_i f_i z_i\Big)^T ,

with m_c the number of rows of class c (or clusters that contain it) and C that of the whole sample.
z contains all classifiers and measures, so the matrix V contains the covariances for all paired
differences. For f = w = 1 this is the estimator of DeLong et al. (1988); with clusters it is close
to that of Obuchowski (1997).

The degrees of freedom are calculated from the same z. For a weighted sum of estimates, such as a
difference, z is the weighted sum of the z of the estimates. The first two moments of the variance
estimate V are matched to those of a scaled chi-squared distribution,

.. math:: \nu = \frac{2 V^2}{\sum_c (\sum_i f_i z_i^4 - V_c^2/m_c)}
          = \frac{2 V^2}{\sum_c V_c^2 (\kappa_c - 1)/m_c} ,

where :math:`\kappa_c` is the kurtosis of z in class c. The degrees of freedom are limited to those
of Welch, :math:`V^2 / \sum_c V_c^2 / (m_c - 1)`. With clusters, the sum over the classes is
replaced by a single sum over the clusters. The degrees of freedom are infinite if the variance is
0.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import mul
from typing import ClassVar, NamedTuple

import numpy as np

from pauci.cached import cached_property
from pauci.checks import AnyArray, FloatArray, IntArray, read_only
from pauci.curve.exact_sums import BLOCK, MANY_VALUES, dot, float_sum, total
from pauci.curve.sorting import LARGE_BLOCK, ranges, run_jobs
from pauci.errors import UndefinedError
from pauci.sample.ratings import single_rows
from pauci.sample.rows import InMemoryRows, Rows
from pauci.variance.method import (
    JointUncertainty,
    Problem,
    Term,
    Uncertainty,
    VarianceMethod,
    uncertainty_from_contributions,
)
from pauci.variance.moments import (
    BlockMoments,
    Covariance,
    Moments,
    StratumSums,
    UnitSums,
    covariance_of,
    df_of_sum,
    exact_sum,
    weighted_sum,
)
from pauci.variance.pseudo_observations import with_pseudo_observations
from pauci.variance.terms import Terms
from pauci.variance.units import (
    ClassBlock,
    check_size,
    concatenate,
    concatenate_copies,
    iterate_blocks,
    number_of_units,
    requires_rows,
    row_blocks,
    step_blocks,
    total_weight,
    unit_weights,
)

CANCELLED = 1e-14
"""Fraction of the sum of two variances below which the variance of a difference is treated as 0."""

_MAX_STORED = 2**18
"""Largest number of rows or steps whose contributions are stored, in 2 MB for each estimate.
More contributions are recalculated in each pass, which is faster than allocating the memory."""

_MIN_STACKED, _STACKED = 16, 2**14
"""Smallest number of estimates for which the influence values of several estimates are multiplied
in a single operation, and the number of values (128 kB) of each operation."""


class InfluenceVariance(VarianceMethod):
    """Analytic standard errors from influence values, for every design."""

    key: ClassVar[str] = "influence"
    takes_rows: ClassVar[bool] = False

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance from the influence values of the estimates."""
        sums = unit_sums(problem.rows, problem.all_terms)
        matrix, df = covariance_of(sums)
        of_sum = partial(df_of_sum, sums)
        uncertainty = Uncertainty(read_only(matrix), df, df_of_sum=of_sum)
        return with_pseudo_observations(problem, uncertainty)

    def contributions(self, problem: Problem, units: IntArray) -> FloatArray:  # noqa: ARG002
        """Return the standardized influence values of all copies of each row."""
        return _contributions_of_copies(problem.rows, problem.all_terms)

    def joint(self, terms: Terms, weights: FloatArray | None = None) -> JointUncertainty:
        """Return the joint covariance of all parts from their influence values."""
        _ = terms.all_terms  # a measure without influence values raises an error
        by_unit = influence_by_unit(terms, weights)
        uncertainty = uncertainty_from_contributions(terms, by_unit, weights)
        if weights is None:
            uncertainty = with_pseudo_observations(terms, uncertainty)
        return JointUncertainty(uncertainty, [self] * len(terms.problems), by_unit)


class InfluenceDf:
    """Degrees of freedom of the influence variances of a problem.

    The degrees of freedom are also used for the variances of other methods, which have about the
    same precision. Measures without influence values, and weighted sums with such measures, have
    infinite degrees of freedom.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    @cached_property
    def _has_influence(self) -> list[int]:
        return [i for i, term in enumerate(self._problem.terms) if term is not None]

    @cached_property
    def _sums(self) -> UnitSums:
        terms = [t for t in self._problem.terms if t is not None]
        return unit_sums(self._problem.rows, terms)

    @property
    def each(self) -> FloatArray:
        """The degrees of freedom of every estimate."""
        df = np.full(len(self._problem), np.inf)
        if self._has_influence:
            df[self._has_influence] = covariance_of(self._sums).df
        return df

    def df_of_sum(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of a weighted sum of the estimates."""
        if not set(np.flatnonzero(weights).tolist()) <= set(self._has_influence):
            return math.inf
        return df_of_sum(self._sums, weights[self._has_influence])


class JointInfluenceDf:
    """Degrees of freedom of the influence variances of terms, or of weighted sums of them.

    As for `InfluenceDf`, the degrees of freedom are infinite if a term has no influence values.
    """

    def __init__(self, terms: Terms, weights: FloatArray | None = None) -> None:
        self._terms, self._weights = terms, weights

    @cached_property
    def _uncertainty(self) -> Uncertainty:
        by_unit = influence_by_unit(self._terms, self._weights)
        return uncertainty_from_contributions(self._terms, by_unit, self._weights)

    @cached_property
    def _has_influence(self) -> AnyArray:
        """Whether each term or sum has influence values."""
        missing = np.array([t is None for t in self._terms.terms])
        if self._weights is None:
            return ~missing
        return np.asarray(~(self._weights[:, missing] != 0.0).any(axis=1))

    @property
    def each(self) -> FloatArray:
        """The degrees of freedom of every term or sum."""
        df = np.full(self._has_influence.size, np.inf)
        if self._has_influence.any():
            assert self._uncertainty.df is not None
            df[self._has_influence] = self._uncertainty.df[self._has_influence]
        return df

    def df_of_sum(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of a weighted sum of the terms or sums."""
        if not self._has_influence[np.flatnonzero(weights)].all():
            return math.inf
        return self._uncertainty.df_of(weights)


def influence_by_unit(terms: Terms, weights: FloatArray | None = None) -> FloatArray:
    """Return the standardized influence of every unit on each term, or on weighted sums of them.

    The influence on terms without influence values is 0. In weighted sums, such as averages over
    folds, the rows of a part are treated as independent; the units are the clusters of the whole
    analysis, for which the factor C/(C - 1) is applied.
    """
    rows = []
    for k, problem in enumerate(terms.problems):
        z = np.zeros((len(problem), single_rows(problem.rows).positive.size))
        known = [i for i, term in enumerate(problem.terms) if term is not None]
        if known:
            with terms.part_context(k):
                z[known] = _contributions_of_copies(
                    problem.rows, [t for t in problem.terms if t is not None]
                )
        rows.append(z)
    by_unit = terms.by_unit(rows, weights)
    if weights is None:
        return by_unit
    if min(terms.rows.units) < 2:
        raise UndefinedError(
            "a single cluster contains all rows of a class: a standard error needs at least two "
            "clusters in each class."
        )
    units = float(terms.unit_count)
    by_unit *= math.sqrt(units / (units - 1.0))
    return by_unit


def _contributions_of_copies(rows: Rows, terms: Sequence[Term]) -> FloatArray:
    """Return z of every row, multiplied by its frequency."""
    rows = single_rows(rows)
    z = row_contributions(rows, terms)
    return z if rows.copies is None else z * rows.copies


class Stratum(NamedTuple):
    """Independent units (the rows of a class, or clusters) and their contributions."""

    z: list[FloatArray]
    """Contributions to each estimate."""
    copies: AnyArray | None
    """Frequency of each unit; None if all are 1."""
    units: float
    """Number of units in the whole stratum."""


Parts = Iterable[Sequence[Stratum]]
"""Blocks of units, each with its part of every stratum; the iterable can be reused."""


class ArraySums:
    """Sums over independent units whose contributions are arrays; implements `UnitSums`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def strata(self) -> list[StratumSums]:
        """Return the sums of each stratum."""
        parts = [[_sums_of_stratum(stratum) for stratum in part] for part in self._parts]
        if len(parts) == 1:
            return parts[0]
        return [
            StratumSums(
                _exact_sums_by_row([s.products for s in sums]),
                exact_sum(np.array([s.fourth for s in sums])).tolist(),
                sums[0].units,
            )
            for sums in zip(*parts, strict=True)
        ]

    def moments(self, weights: FloatArray) -> list[Moments]:
        """Return the moments of a weighted sum of the estimates in each stratum."""
        w = weights.tolist()
        parts = [[_moments_of_stratum(stratum, w) for stratum in part] for part in self._parts]
        if len(parts) == 1:
            return parts[0]
        return [
            Moments(
                total([m.second for m in of_parts]),
                total([m.fourth for m in of_parts]),
                of_parts[0].units,
            )
            for of_parts in zip(*parts, strict=True)
        ]


def _exact_sums_by_row(
    parts: Sequence[list[list[float]] | FloatArray],
) -> list[list[float]] | FloatArray:
    """Return the sums of matrices, rounded once."""
    rows = [exact_sum(np.array(rows_of_parts)) for rows_of_parts in zip(*parts, strict=True)]
    return [row.tolist() for row in rows] if len(rows) < _MIN_STACKED else np.array(rows)


class OnePassSums:
    """Sums over rows or steps without weights and clusters, block by block; implements `UnitSums`.

    The influence values are calculated once, block by block, and not stored.
    """

    def __init__(self, rows: Rows, terms: Sequence[Term]) -> None:
        self._rows, self._terms = rows, terms

    def strata(self) -> list[StratumSums]:
        """Return the sums of each stratum."""
        m = len(self._terms)
        if m == len(self._first_weights):
            return self._first_pass
        return [s.first(m) for s in self._first_pass]

    def moments(self, weights: FloatArray) -> list[Moments]:
        """Return the moments of a weighted sum of the estimates in each stratum."""
        w = weights.tolist()
        if w in self._first_weights:
            return [s.moments(self._first_weights.index(w)) for s in self._first_pass]
        return [s.moments(0) for s in self._sums([w])]

    @cached_property
    def _first_weights(self) -> list[list[float]]:
        """The weights of the estimates in the first pass: each one, and the difference of two."""
        m = len(self._terms)
        each = [[float(i == j) for j in range(m)] for i in range(m)]
        return each if m != 2 else [*each, [1.0, -1.0]]

    @cached_property
    def _first_pass(self) -> list[StratumSums]:
        return self._sums(self._first_weights)

    def _sums(self, weights: list[list[float]]) -> list[StratumSums]:
        """Return the sums for weighted sums of the estimates, one for each item of the weights."""
        rows, joint = self._rows, len(self._terms)
        both = BlockMoments(joint), BlockMoments(joint)

        def add(blocks: Sequence[ClassBlock]) -> None:
            for block, moments in zip(blocks, both, strict=True):
                values = [weighted_sum(block.influence, w) for w in weights]
                moments.add(values, block.copies, block.units)

        def add_rows(rows: InMemoryRows, part: slice) -> None:
            add(row_blocks(rows, self._terms, part))

        if requires_rows(rows, self._terms):
            single = single_rows(rows)
            size = single.positive.size
            if size < LARGE_BLOCK:  # threads would mostly wait for each other
                for part in ranges(size, BLOCK):
                    add_rows(single, part)
            else:
                # An empty part, so that the influence values by step and the steps of the rows are
                # calculated before the threads start. The order in which the threads add their
                # blocks does not change the moments.
                row_blocks(single, self._terms, slice(0))
                parts = ranges(size, min(LARGE_BLOCK, (size + 1) // 2))
                run_jobs([partial(add_rows, single, part) for part in parts], size)
        else:
            for blocks in step_blocks(self._terms):
                add(blocks)
        combined = [moments.combined() for moments in both]
        for positive, c in zip((True, False), combined, strict=True):
            check_size(rows, c.units, positive=positive)
        units = [c.units for c in combined]
        of_terms = _prevalence_slopes(rows, self._terms)
        slopes = [sum(map(mul, w, of_terms)) for w in weights]
        factors = _factors(rows, units, units, slopes)
        return [c.transformed(*f) for c, f in zip(combined, factors, strict=True)]


def covariance(rows: Rows, terms: Sequence[Term]) -> Covariance:
    """Return the covariance of the estimates with these terms.

    Raises
    ------
    ValueError
        If a class has fewer than two rows or clusters, so that no variance can be estimated.
    """
    return covariance_of(unit_sums(rows, terms))


def unit_sums(rows: Rows, terms: Sequence[Term]) -> UnitSums:
    """Return the sums over the independent units, in memory or on the backend of the rows."""
    if isinstance(rows, InMemoryRows) or not requires_rows(rows, terms):
        unweighted = not (rows.has_weights or rows.has_clusters)
        if unweighted and len(terms) == 1:
            return OnePassSums(rows, terms)
        units = number_of_units(rows, terms)
        many = units > _MAX_STORED
        # One pass suffices for all sums of two estimates.
        if unweighted and (many or (len(terms) == 2 and units > MANY_VALUES)):
            return OnePassSums(rows, terms)
        return ArraySums(contributions(rows, terms, stored=not many))
    from pauci.sample.on_backend import BackendRows
    from pauci.variance.backend_sums import BackendSums

    assert isinstance(rows, BackendRows)
    return BackendSums(rows, terms)


def _sums_of_stratum(stratum: Stratum) -> StratumSums:
    """Return the sums over the units of a stratum, or of a part of it."""
    z, copies, units = stratum
    return StratumSums(_cross_products(z, copies), [_fourth(u, copies) for u in z], units)


def _moments_of_stratum(stratum: Stratum, weights: Sequence[float]) -> Moments:
    """Return the moments of a weighted sum of the estimates, or those of a part of the units."""
    z = weighted_sum(stratum.z, weights)
    return Moments(_second(z, stratum.copies), _fourth(z, stratum.copies), stratum.units)


def _second(z: FloatArray, copies: AnyArray | None) -> float:
    """Return the sum of the squares."""
    return float(dot(z if copies is None else z * copies, z))


def _fourth(z: FloatArray, copies: AnyArray | None) -> float:
    """Return the sum of the fourth powers."""
    return _second(z * z, copies)


def standardized_strata(rows: Rows, terms: Sequence[Term]) -> list[Stratum]:
    """Return z of every independent unit: positives and negatives separately, or clusters."""
    return [
        Stratum(
            [concatenate(z) for z in zip(*(s.z for s in strata), strict=True)],
            concatenate_copies([s.copies for s in strata], [s.z[0].size for s in strata]),
            strata[0].units,
        )
        for strata in zip(*contributions(rows, terms, stored=True), strict=True)
    ]


def contributions(rows: Rows, terms: Sequence[Term], *, stored: bool) -> Parts:
    """Return the result of `standardized_strata` in blocks.

    If the blocks are not stored, they are calculated in each iteration, and memory use does not
    depend on the number of rows. Clusters are returned in a single block, because the rows of a
    cluster can be in any block.
    """
    pieces = partial(iterate_blocks, rows, terms)
    if not rows.has_clusters:
        if not stored:
            return _RecalculatedBlocks(partial(_strata_of_pieces, rows, terms, pieces))
        all_pieces = list(pieces())
        classes = _classes(rows, all_pieces)
        return [_standardized(rows, terms, blocks, classes) for blocks in all_pieces]
    blocks = next(pieces())
    strata, units = _strata(rows, terms, blocks)
    size = 1 + max(int(block.cluster.max()) for block in blocks if block.cluster is not None)
    sums = np.zeros((len(terms), size))
    for block, stratum in zip(blocks, strata, strict=True):
        for i, values in enumerate(stratum.z):
            mass = values if block.copies is None else values * block.copies
            sums[i] += np.bincount(block.cluster, mass, minlength=sums.shape[1])  # type: ignore[arg-type]
    return [[Stratum(list(sums), None, units)]]


class _RecalculatedBlocks:
    """Blocks of strata that are recalculated in each iteration."""

    def __init__(self, start: Callable[[], Iterator[list[Stratum]]]) -> None:
        self._start = start

    def __iter__(self) -> Iterator[list[Stratum]]:
        return self._start()


def row_contributions(rows: InMemoryRows, terms: Sequence[Term]) -> FloatArray:
    """Return z of every row, in the order of the rows, as an array of shape (terms, rows).

    The covariance is the sum of the products over the rows, or over clusters after summing over the
    rows of each cluster. The rows can be joined with those of other estimates by an identifier.
    """
    blocks = row_blocks(rows, terms)
    z = np.empty((len(terms), rows.positive.size))
    for block, stratum in zip(blocks, _strata(rows, terms, blocks)[0], strict=True):
        z[:, rows.positive == block.positive] = stratum.z
    return z


class _Class(NamedTuple):
    """The sum of the weights of a class, its number of units, and the mean of each influence."""

    mass: float
    units: float
    means: list[float]


def _classes(rows: Rows, pieces: Iterable[list[ClassBlock]]) -> list[_Class]:
    """Return the sums over positives and over negatives, from pieces of both."""
    by_class = zip(*[[_sums(block) for block in piece] for piece in pieces], strict=True)
    classes = []
    for positive, sums in zip((True, False), by_class, strict=True):
        mass, units, *term_sums = sums[0] if len(sums) == 1 else map(total, zip(*sums, strict=True))
        check_size(rows, units, positive=positive)
        classes.append(_Class(mass, units, [term_sum / mass for term_sum in term_sums]))
    return classes


def _sums(block: ClassBlock) -> list[float]:
    """Return the weight of a block, its units, and the sum of each influence over it."""
    mass = unit_weights(block)
    sums = [float_sum(u) if mass is None else float(dot(mass, u)) for u in block.influence]
    return [total_weight(block), block.units, *sums]


def _strata(
    rows: Rows, terms: Sequence[Term], blocks: list[ClassBlock]
) -> tuple[list[Stratum], float]:
    """Return z of each class before summing over clusters, and the number of independent units."""
    classes = _classes(rows, [blocks])
    units = _units_of_both(rows, [c.units for c in classes])
    return _standardized(rows, terms, blocks, classes), units


def _strata_of_pieces(
    rows: Rows, terms: Sequence[Term], pieces: Callable[[], Iterator[list[ClassBlock]]]
) -> Iterator[list[Stratum]]:
    """Yield z of both classes block by block, after a first pass for their means."""
    classes = _classes(rows, pieces())
    for blocks in pieces():
        yield _standardized(rows, terms, blocks, classes)


def _units_of_both(rows: Rows, units: Sequence[float]) -> float:
    return sum(units) if rows.clusters is None else rows.clusters


def _standardized(
    rows: Rows, terms: Sequence[Term], blocks: list[ClassBlock], classes: list[_Class]
) -> list[Stratum]:
    """Return z of each class: centred, weighted, and with the prevalence term."""
    slopes = _prevalence_slopes(rows, terms)
    factors = _factors(rows, [c.mass for c in classes], [c.units for c in classes], slopes)
    strata = []
    for block, c, (scale, shifts) in zip(blocks, classes, factors, strict=True):
        for i, (mean, shift) in enumerate(zip(c.means, shifts, strict=True)):
            z = block.influence[i] - mean
            z *= scale
            if shift:
                z += shift
            if block.weight is not None:
                z *= block.weight
            block.influence[i] = z  # the influence is not used again, so its memory is freed
        strata.append(Stratum(block.influence, block.copies, c.units))
    return strata


def _prevalence_slopes(rows: Rows, terms: Sequence[Term]) -> list[float]:
    """Return the derivative g of each estimate with respect to the prevalence, 0 if it is fixed."""
    return [t.influence.prevalence if rows.design == "cohort" else 0.0 for t in terms]


def _factors(
    rows: Rows, masses: Sequence[float], units: Sequence[float], slopes: Sequence[float]
) -> list[tuple[float, list[float]]]:
    """Return the factor of the centred influence in z, and the prevalence term of each estimate.

    There is a pair for the positives and one for the negatives, without sampling weights. `masses`
    and `units` are the sums of the weights of both classes and their numbers of units.
    """
    mass = sum(masses)
    prevalence = masses[0] / mass
    all_units = _units_of_both(rows, units)
    correction = math.sqrt(all_units / (all_units - 1.0)) / mass
    return [
        (math.sqrt(n / (n - 1.0)) / m, [correction * slope * label for slope in slopes])
        for m, n, label in zip(masses, units, (1.0 - prevalence, -prevalence), strict=True)
    ]


def _cross_products(z: list[FloatArray], copies: AnyArray | None) -> list[list[float]] | FloatArray:
    """Return the sums of the products of the contributions to two estimates."""
    if len(z) >= _MIN_STACKED and 0 < z[0].size <= BLOCK:
        return _many_cross_products(z, copies)
    result = [[0.0] * len(z) for _ in z]
    for i, first in enumerate(z):
        counted = first if copies is None else first * copies
        for j, other in enumerate(z[i:], i):
            result[i][j] = result[j][i] = dot(counted, other)
    return result


def _many_cross_products(z: list[FloatArray], copies: AnyArray | None) -> FloatArray:
    """Return the sums of products of many estimates, several estimates at a time.

    With few rows, function calls take longer than the sums. The products of several estimates with
    one are summed in one operation, in an array that fits the cache; the sums are those of `dot`.
    """
    m, size = len(z), z[0].size
    result = np.empty((m, m))
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
