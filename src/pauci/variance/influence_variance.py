"""Analytic standard errors from influence values, as a variance method."""

from typing import ClassVar

from pauci.checks import FloatArray, IntArray, read_only
from pauci.variance.contributions import Contributions
from pauci.variance.influence_covariance import row_influence, sums_of
from pauci.variance.method import Uncertainty, VarianceMethod
from pauci.variance.parts import Parts
from pauci.variance.problem import Problem
from pauci.variance.pseudo_observations import KnownPart, known_part


class InfluenceVariance(VarianceMethod):
    """Analytic standard errors from influence values, for every design."""

    key: ClassVar[str] = "influence"
    takes_rows: ClassVar[bool] = False

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance from the influence values of the estimates."""
        _ = problem.all_terms  # a measure without influence values raises an error
        return Uncertainty(read_only(sums_of(problem).matrix()))

    def contributions(
        self,
        problem: Problem,
        units: IntArray | None,  # noqa: ARG002
    ) -> Contributions:
        """Return the influence of each row."""
        return row_influence(problem.rows.single_rows(), problem.all_terms)

    def known_part(self, problem: Problem | Parts, matrix: FloatArray) -> KnownPart | None:
        """Return the part of the variances that is due to pseudo-observations."""
        return known_part(problem, matrix)
