r"""The multinomial delta method for tables: gradient and inverse information.

The counts of a table are multinomial within each class, with proportions :math:`p_k` of the
positives and :math:`q_k` of the negatives; in a cohort the number of positives is binomial with
prevalence :math:`\pi`. Their maximum likelihood estimates are the observed proportions, with the
inverse information

.. math:: J^{-1} = \mathrm{diag}\Big(\frac{\pi (1 - \pi)}{n},
          \frac{\mathrm{diag}(p) - p p^T}{n_1}, \frac{\mathrm{diag}(q) - q q^T}{n_0}\Big) ,

and the variance of an estimate with gradient :math:`\nabla` is :math:`\nabla^T J^{-1} \nabla` (Su,
Yuan and Zhu 2013, arXiv:1310.5103). The gradient with respect to the proportions is the influence
of the tie groups, so the result is that of `pauci.variance.influence_covariance` with the divisors
n1, n0 and n in place of n1 - 1, n0 - 1 and n - 1.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.exact_sums import dot
from pauci.errors import InputError, TableWarning, warn
from pauci.sample.rows import Rows
from pauci.variance.contributions import Contributions
from pauci.variance.influence_covariance import row_influence
from pauci.variance.method import Uncertainty, VarianceMethod
from pauci.variance.parts import Parts
from pauci.variance.problem import Problem, Term
from pauci.variance.pseudo_observations import KnownPart, known_part
from pauci.variance.units import class_blocks, total_weight


class DeltaVariance(VarianceMethod):
    """Standard errors by the multinomial delta method, for tables of counts."""

    key: ClassVar[str] = "delta"
    takes_clusters: ClassVar[bool] = False

    @property
    def phrase(self) -> str:
        """The name of the method."""
        return "delta method"

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance by the delta method."""
        return Uncertainty(delta_covariance(problem.rows, problem.all_terms, problem.argument))

    def contributions(
        self,
        problem: Problem,
        units: IntArray | None,  # noqa: ARG002
    ) -> Contributions:
        """Return the influence of every row, without factors for the numbers of units."""
        rows, terms = problem.rows.single_rows(), problem.all_terms
        _check(rows, terms, problem.argument)
        return row_influence(rows, terms)._replace(corrected=False)

    def known_part(self, problem: Problem | Parts, matrix: FloatArray) -> KnownPart | None:
        """Return the part of the variances that is due to pseudo-observations."""
        return known_part(problem, matrix)


def delta_covariance(rows: Rows, terms: Sequence[Term], argument: str = "variance") -> FloatArray:
    """Return the covariance of the estimates with these terms by the delta method.

    Raises
    ------
    ValueError
        If the sample has clusters or sampling weights.

    Warns
    -----
    TableWarning
        If there are more than half as many categories as rows.
    """
    _check(rows, terms, argument)
    blocks = class_blocks(rows, terms)
    n = sum(total_weight(b) for b in blocks)
    matrix = np.zeros((len(terms), len(terms)))
    for block in blocks:
        matrix += _quadratic_form(block.influence, block.copies, total_weight(block))
    if rows.design == "cohort":
        slope = np.array([t.influence.prevalence for t in terms])
        share = total_weight(blocks[0]) / n
        matrix += np.multiply.outer(slope, slope) * (share * (1.0 - share) / n)
    return matrix


def _check(rows: Rows, terms: Sequence[Term], argument: str = "variance") -> None:
    """Raise an error for weights and clusters; warn if categories have few rows."""
    for name, present in (("weight", rows.has_weights), ("cluster", rows.has_clusters)):
        if present:
            raise InputError.of(
                argument,
                "delta",
                f"is based on the multinomial likelihood of counts, but the sample has {name}s.",
                hint=f"Use {argument}='influence', which allows for them.",
            )
    cells, n = _cells(rows, terms), sum(rows.counts)
    if cells > n / 2:
        warn(
            TableWarning.of(
                argument,
                "delta",
                f"with {cells:,} categories for {n:,.0f} rows: most categories have only one or "
                "two rows, too few for the first-order approximation.",
                hint=f"The result is the variance of {argument}='influence' without its factors "
                "m/(m - 1).",
            )
        )


def _cells(rows: Rows, terms: Sequence[Term]) -> int:
    """Return the number of nonempty cells of the joint table of all classifiers."""
    all_ratings = list({id(t.ratings): t.ratings.unmerged for t in terms}.values())
    if len(all_ratings) == 1:
        table = all_ratings[0].table
        return int(np.count_nonzero(table.pos) + np.count_nonzero(table.neg))
    rows = rows.single_rows()
    counted = slice(None) if rows.copies is None else rows.copies > 0
    codes = np.column_stack([rows.positive, *(r.codes for r in all_ratings)])[counted]
    return len(np.unique(codes, axis=0))


def _quadratic_form(gradients: list[FloatArray], counts: AnyArray | None, n: float) -> FloatArray:
    """Return the quadratic form of gradients in (diag(p) - p p^T)/n, where p = counts/n."""
    centred = []
    for gradient in gradients:
        weighted = gradient if counts is None else counts * gradient
        centred.append(gradient - weighted.sum() / n)
    result = np.empty((len(centred), len(centred)))
    for i, first in enumerate(centred):
        weighted = first if counts is None else counts * first
        for j, second in enumerate(centred):
            result[i, j] = dot(weighted, second) / n**2
    return result
