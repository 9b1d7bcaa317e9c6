r"""From influence values to covariances, one rule for every measure and design.

With f the frequency and w the sampling weight of a row, W_c the sum of f w in class c, u~ the
influence centred at its weighted class mean, y the label, pi = W_1/W and g the derivative of the
measure by the prevalence,

.. math:: z_i = \sqrt{\frac{m_c}{m_c - 1}} \frac{w_i \tilde u_i}{W_c}
          + \sqrt{\frac{C}{C - 1}} \frac{g\, w_i (y_i - \pi)}{W}

where the second term is there only for a cohort. Rows are independent, or clusters of rows are:

.. math:: V = \sum_i f_i z_i z_i^T \quad\text{or}\quad
          V = \sum_{\text{clusters}} \Big(\sum_i f_i z_i\Big) \Big(\sum_i f_i z_i\Big)^T ,

with m_c the rows (or clusters) that hold class c and C those of the whole sample. z stacks
classifiers and measures, so one V holds every paired difference. For f = w = 1 this is the
estimator of DeLong et al. (1988); with clusters it is close to that of Obuchowski (1997).
"""

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.exact_sums import dot
from pauci.errors import UndefinedError
from pauci.sample.rows import Ratings, Rows
from pauci.variance.base import Problem, Term, Uncertainty, VarianceMethod
from pauci.variance.unseen import adjusted

CANCELLED = 1e-14
"""A variance of a difference below this share of the two variances is cancellation noise."""


class InfluenceVariance(VarianceMethod):
    """Standard errors from influence values: analytic, for every design."""

    key: ClassVar[str] = "influence"

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance that the influence values of the estimates give."""
        matrix, df, _ = covariance(problem.rows, problem.all_terms)
        return adjusted(problem, matrix, df)


def influence_df(problem: Problem) -> FloatArray:
    """Return the degrees of freedom of the influence variances, infinite where there are none."""
    df = np.full(len(problem), np.inf)
    known = [i for i, term in enumerate(problem.terms) if term is not None]
    if known:
        df[known] = covariance(problem.rows, [t for t in problem.terms if t is not None]).df
    return df


class Block(NamedTuple):
    """One class: its influence values and what its rows, or tie groups, carry."""

    influence: list[FloatArray]
    copies: AnyArray | None
    weight: FloatArray | None
    cluster: AnyArray | None
    positive: bool
    units: float
    """Independent units of the class: clusters that contain it, or rows."""


class Covariance(NamedTuple):
    r"""Covariance matrix of some estimates, and how well each variance in it is known.

    The degrees of freedom match the first two moments of a variance to a scaled chi-squared
    distribution: :math:`2 V^2 / \sum_c (\sum_i f_i z_i^4 - V_c^2 / m_c)`, which is
    :math:`2 V^2 / \sum_c V_c^2 (\kappa_c - 1)/m_c` with the kurtosis of each class, and are at
    most Welch's :math:`V^2 / \sum_c V_c^2 / (m_c - 1)`. Infinite where the variance is 0.
    """

    matrix: FloatArray
    df: FloatArray
    by_class: tuple[FloatArray, FloatArray] | None
    """The parts that positives and negatives contribute; None with clusters that hold both."""


def covariance(rows: Rows, terms: Sequence[Term]) -> Covariance:
    """Return the covariance of the estimates behind `terms`.

    Raises
    ------
    ValueError
        If a class has fewer than two rows, or two clusters: no variance can be estimated then.
    """
    units, both = _by_class(rows, terms)
    m = len(terms)
    doubt, welch = np.zeros(m), np.zeros(m)
    parts = []
    sums = None if rows.cluster is None else np.zeros((m, int(rows.cluster.max()) + 1))
    for block, z in both:
        if sums is None or block.cluster is None:
            parts.append(_cross_products(z, block.copies))
            doubt += _variance_of_variance(z, block.copies, parts[-1], block.units)
            welch += parts[-1].diagonal() ** 2 / (block.units - 1.0)
        else:
            for i, values in enumerate(z):
                if block.copies is not None:
                    values = values * block.copies
                sums[i] += np.bincount(block.cluster, values, minlength=sums.shape[1])
    by_class = None
    if sums is None:
        by_class = parts[0], parts[1]
        matrix = parts[0] + parts[1]
    else:
        matrix = _cross_products(list(sums), None)
        doubt = _variance_of_variance(list(sums), None, matrix, units)
        welch = matrix.diagonal() ** 2 / (units - 1.0)
    variances = matrix.diagonal().tolist()
    df = np.array(list(map(_degrees_of_freedom, variances, doubt.tolist(), welch.tolist())))
    return Covariance(matrix, df, by_class)


def _degrees_of_freedom(variance: float, doubt: float, welch: float) -> float:
    """Return the degrees of freedom from the moments, at most Welch's.

    A kurtosis from a handful of values is bounded by their number and cannot warn of it.
    """
    from_moments = 2.0 * variance**2 / doubt if doubt > 0.0 else math.inf
    return min(from_moments, variance**2 / welch) if welch > 0.0 else from_moments


def standardized(rows: Rows, terms: Sequence[Term]) -> list[tuple[FloatArray, AnyArray | None]]:
    """Return z of every independent unit, of shape (m, units), and how many units are alike."""
    _, both = _by_class(rows, terms)
    if rows.cluster is None:
        return [(np.array(z), block.copies) for block, z in both]
    sums = np.zeros((len(terms), int(rows.cluster.max()) + 1))
    for block, z in both:
        for i, values in enumerate(z):
            mass = values if block.copies is None else values * block.copies
            sums[i] += np.bincount(block.cluster, mass, minlength=sums.shape[1])  # type: ignore[arg-type]
    return [(sums, None)]


def _by_class(
    rows: Rows, terms: Sequence[Term]
) -> tuple[float, Iterator[tuple[Block, list[FloatArray]]]]:
    """Return the number of independent units, and z of the rows of each class."""
    blocks = blocks_of(rows, terms)
    slopes = [t.influence.prevalence if rows.design == "cohort" else 0.0 for t in terms]
    total = sum(mass_sum(block) for block in blocks)
    prevalence = mass_sum(blocks[0]) / total
    units = sum(block.units for block in blocks) if rows.clusters is None else rows.clusters
    correction = np.sqrt(units / (units - 1.0)) / total

    def scaled() -> Iterator[tuple[Block, list[FloatArray]]]:
        for block in blocks:
            yield (
                block,
                [
                    _scaled(u, block, correction * g * (float(block.positive) - prevalence))
                    for u, g in zip(block.influence, slopes, strict=True)
                ],
            )

    return units, scaled()


def blocks_of(rows: Rows, terms: Sequence[Term]) -> list[Block]:
    """Return the positives and the negatives: rows, or tie groups where these suffice."""
    rows_matter = (
        rows.weight is not None
        or rows.cluster is not None
        or any(term.ratings is not terms[0].ratings for term in terms)
    )
    blocks = _row_blocks(rows, terms) if rows_matter else _group_blocks(terms)
    _check_sizes(rows, blocks)
    return blocks


def _variance_of_variance(
    z: list[FloatArray], copies: AnyArray | None, products: FloatArray, units: float
) -> FloatArray:
    """Return the estimated variance, up to a factor, of each variance."""
    fourth = []
    for values in z:
        squares = values * values
        fourth.append(dot(squares if copies is None else squares * copies, squares))
    return np.maximum(np.array(fourth) - products.diagonal() ** 2 / units, 0.0)


def _group_blocks(terms: Sequence[Term]) -> list[Block]:
    """Return one pseudo-row per tie group and class: enough for one classifier without weights."""
    table = terms[0].ratings.table
    blocks = []
    for positive, cum in ((True, table.cum_pos), (False, table.cum_neg)):
        occupied = np.flatnonzero(cum[1:] != cum[:-1])
        once_each = cum.dtype.kind == "i" and occupied.size == cum[-1]
        copies = None if once_each else cum[occupied + 1] - cum[occupied]
        influence = [
            (t.influence.pos if positive else t.influence.neg).take(occupied, mode="clip")
            for t in terms
        ]
        blocks.append(
            Block(influence, copies, None, None, positive, _units(occupied, copies, None))
        )
    return blocks


def _row_blocks(rows: Rows, terms: Sequence[Term]) -> list[Block]:
    """Return the rows themselves, by class."""
    blocks = []
    for positive in (True, False):
        index = np.flatnonzero(rows.positive if positive else ~rows.positive)

        def pick(values: AnyArray | None, index: AnyArray = index) -> AnyArray | None:
            return None if values is None else values.take(index)

        influence = []
        last: tuple[Ratings, AnyArray] | None = None
        for ratings, values in terms:
            if last is None or last[0] is not ratings:
                last = ratings, ratings.codes.take(index)
            influence.append((values.pos if positive else values.neg).take(last[1], mode="clip"))
        copies, cluster = pick(rows.copies), pick(rows.cluster)
        units = _units(index, copies, cluster)
        blocks.append(Block(influence, copies, pick(rows.weight), cluster, positive, units))
    return blocks


def _scaled(u: FloatArray, block: Block, shift: float) -> FloatArray:
    """Return z for one class: centred, weighted, and with the prevalence term."""
    total = mass_sum(block)
    mass = _mass(block)
    mean = (float(u.sum()) if mass is None else dot(mass, u)) / total
    units = block.units
    u -= mean  # the blocks own their arrays
    u *= np.sqrt(units / (units - 1.0)) / total
    if shift:
        u += shift
    if block.weight is not None:
        u *= block.weight
    return u


def _cross_products(z: list[FloatArray], copies: AnyArray | None) -> FloatArray:
    result = np.empty((len(z), len(z)))
    for i, first in enumerate(z):
        counted = first if copies is None else first * copies
        for j in range(i, len(z)):
            result[i, j] = result[j, i] = dot(counted, z[j])
    return result


def _mass(block: Block) -> AnyArray | None:
    if block.weight is None:
        return block.copies
    return block.weight if block.copies is None else block.weight * block.copies


def mass_sum(block: Block) -> float:
    """Return the sum of the weights of a class, its rows where they count alike."""
    mass = _mass(block)
    return float(block.influence[0].size if mass is None else mass.sum())


def _units(positions: AnyArray, copies: AnyArray | None, cluster: AnyArray | None) -> float:
    """Return the independent units of a class: clusters that contain it, or rows."""
    if cluster is not None:
        counted = cluster if copies is None else cluster[copies > 0]
        return float(np.count_nonzero(np.bincount(counted)))
    return float(positions.size if copies is None else copies.sum())


def _check_sizes(rows: Rows, blocks: list[Block]) -> None:
    unit = "row" if rows.cluster is None else "cluster"
    for block in blocks:
        count = block.units
        if count < 2:
            name = "positive" if block.positive else "negative"
            raise UndefinedError(
                f"the sample has {count:g} {unit} with a {name} label: a standard error needs at "
                f"least two {unit}s in each class. Collect more {name}s."
            )
