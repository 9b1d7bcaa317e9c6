"""The jackknife as a variance method, with an estimate of the bias."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pauci.calls import validate_constructor
from pauci.checks import FloatArray, IntArray, check_flag
from pauci.curve.counts import CountTable
from pauci.errors import JackknifeWarning, warn
from pauci.measures.base import Measure
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows, estimated_weights_error
from pauci.variance.contributions import Contributions
from pauci.variance.leave_one_out import JackknifeResult, jackknife_by_unit, joint_jackknife
from pauci.variance.method import Uncertainty, VarianceMethod
from pauci.variance.problem import Problem

_ROWS_PER_GROUP = 20
"""Average size of tie groups below which scores are treated as continuous."""


@validate_constructor
@dataclass(frozen=True)
class Jackknife(VarianceMethod):
    """Standard errors and biases from leaving out rows, as ``variance=`` of `estimate`.

    Each row, or each cluster if there are any, is left out once; sampling weights of the other rows
    do not change. The
    estimate of the bias is ``Estimate.bias``; the value is not corrected for it, except that of
    ``AP(corrected=True)``, whose standard error is that of the uncorrected value. The computing
    time depends only on the number of tie groups, except for user-defined functions, clusters and
    weights.

    Parameters
    ----------
    by_class : bool, default True
        Whether rows are left out within their class, if the sample is a case-control sample or the
        measure does not depend on the prevalence: deviations are from the mean of the class, with
        its number n of rows in the factor (n - 1)/n. This is the jackknife of ``"jackknife"`` in
        `estimate` and `compare`, whose variance of the AUC is that of DeLong. With
        ``by_class=False`` the mean and the number are those of all rows, as in the jackknife of
        cases of Obuchowski and Rockette (1995) and the software for reader studies: that of
        ``"jackknife"`` in `mrmc`. Clusters are left out among all clusters in either case.

    Notes
    -----
    See `pauci.variance.leave_one_out` for the formulas. The jackknife is not consistent for
    measures that depend on the position of a single point. On continuous scores, the standard
    errors of `PAUCc` on an FPR region, `Sensitivity` or `MaxKappa` can be far off, and a warning is
    issued. Partial areas with known ends, the AUC, average precision and all measures on rating
    scales are sufficiently smooth.

    References
    ----------
    B. Efron and C. Stein (1981), Annals of Statistics 9:586-596. N. A. Obuchowski and H. E.
    Rockette (1995), Communications in Statistics - Simulation and Computation 24:285-308.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.AP(), variance=pauci.Jackknife())
    >>> round(e.value, 3), round(e.se, 3)
    (0.867, 0.045)
    """

    key: ClassVar[str] = "jackknife"

    by_class: bool = True

    def __post_init__(self) -> None:
        check_flag("by_class", self.by_class)

    @property
    def phrase(self) -> str:
        """The name of the method in sentences and tables."""
        return self.key if self.by_class else "jackknife over both classes"

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return covariances and biases; issue a warning if the jackknife is not consistent."""
        terms = self._checked(problem)
        rows = problem.rows.single_rows()
        results, matrix = joint_jackknife(rows, terms, by_class=self.by_class)
        return Uncertainty(matrix, bias=_remaining_biases(problem, results))

    def contributions(self, problem: Problem, units: IntArray | None) -> Contributions:
        """Return the effect of leaving out each row, or each unit with several rows.

        A unit with several rows is left out as a whole; its effect is assigned to its first row.
        The effects have the sign of the influence values.
        """
        terms = self._checked(problem)
        rows = replace(problem.rows.single_rows(), cluster=None, cluster_labels=None)
        if units is not None:
            cluster = np.unique(units, return_inverse=True)[1].reshape(-1)
            rows = replace(rows, cluster=cluster).without_single_clusters()
        found = jackknife_by_unit(rows, terms, by_class=self.by_class)
        z = np.array([effects for _, effects in found])
        sizes = np.array([result.sizes for result, _ in found])
        if rows.cluster is not None:
            copies = np.ones(rows.positive.size) if rows.copies is None else rows.copies
            mass = copies if rows.mass is None else rows.mass
            counted = np.flatnonzero(mass)
            clusters, first = np.unique(rows.cluster[counted], return_index=True)
            by_row = np.zeros((len(z), rows.positive.size))
            by_row[:, counted[first]] = z[:, clusters] / copies[counted[first]]
            z = by_row
        by_class = np.array([result.by_class for result, _ in found])[:, None]
        n = np.where(rows.positive, sizes[:, :1], sizes[:, 1:])
        # The estimate falls if a row with positive influence is left out.
        z *= -np.sqrt((n - 1.0) / n)
        bias = _remaining_biases(problem, [result for result, _ in found])
        return Contributions(np.where(by_class, z, 0.0), np.where(by_class, 0.0, z), bias=bias)

    @staticmethod
    def _checked(problem: Problem) -> list[tuple[Ratings, Measure]]:
        """Return the ratings and uncorrected measures, with warnings if one is not smooth."""
        rows = problem.rows
        if isinstance(rows, InMemoryRows) and rows.weight_map is not None:
            raise estimated_weights_error()
        terms = [(r, m.estimand) for r, m in zip(problem.ratings, problem.measures, strict=True)]
        for ratings, measure in terms:
            warn_unless_consistent(ratings.table, measure, problem.argument)
        return terms


def _remaining_biases(problem: Problem, results: Sequence[JackknifeResult]) -> FloatArray:
    """Return the biases of the values, which are smaller than estimated by the correction."""
    corrections = [
        0.0 if measure == measure.estimand else result.value - value
        for measure, value, result in zip(problem.measures, problem.values, results, strict=True)
    ]
    return np.array([result.bias for result in results]) - corrections


def warn_unless_consistent(table: CountTable, measure: Measure, argument: str) -> None:
    """Warn if the jackknife may not be consistent; `argument` is that of the variance method."""
    if measure.smoothness == "unknown":
        warn(
            JackknifeWarning(
                (
                    "the jackknife is valid for smooth functions of the data, and it is unknown "
                    "whether ",
                    measure,
                    " is one: its standard error and bias can be far off.",
                ),
                hint=f"Use {argument}=pauci.Bootstrap().",
            )
        )
    rough = table.size * _ROWS_PER_GROUP > table.rows_pos + table.rows_neg
    if rough and measure.smoothness == "quantile":
        warn(
            JackknifeWarning(
                (
                    measure,
                    " depends on the position of a single point of the curve, and on continuous "
                    "scores the jackknife is not consistent for it: its standard error can be far "
                    "off.",
                ),
                hint=f"Use {argument}='influence' or {argument}=pauci.Bootstrap().",
            )
        )
