"""The jackknife as a variance method, with an estimate of the bias."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pauci.calls import validate_constructor
from pauci.checks import FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.errors import JackknifeWarning, warn
from pauci.measures.base import Measure
from pauci.sample.ratings import single_rows
from pauci.variance.influence_covariance import InfluenceDf, JointInfluenceDf
from pauci.variance.leave_one_out import JackknifeResult, jackknife_by_unit, joint_jackknife
from pauci.variance.method import (
    JointUncertainty,
    PrecomputedMethod,
    Problem,
    Uncertainty,
    VarianceMethod,
)
from pauci.variance.terms import Terms

_ROWS_PER_GROUP = 20
"""Average size of tie groups below which scores are treated as continuous."""


@validate_constructor
@dataclass(frozen=True)
class Jackknife(VarianceMethod):
    """Standard errors and biases from leaving out rows, as ``variance=`` of `estimate`.

    Each row, or each cluster if there are any, is left out once. In a case-control sample, and for
    measures that do not depend on the prevalence, rows are left out within their class. The
    estimate of the bias is ``Estimate.bias``; the value is not corrected for it. The computing time
    depends only on the number of tie groups, except for ``AP(corrected=True)``, user-defined
    functions and clusters.

    Notes
    -----
    See `pauci.variance.leave_one_out` for the formulas. The jackknife is not consistent for
    measures that depend on the position of a single point. On continuous scores, the standard
    errors of `PAUCc` on an FPR region, `Sensitivity` or `MaxKappa` can be far off, and a warning is
    issued. Partial areas with joint_df ends, the AUC, average precision and all measures on rating
    scales are sufficiently smooth.

    References
    ----------
    B. Efron and C. Stein (1981), Annals of Statistics 9:586-596.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.AP(), variance=pauci.Jackknife())
    >>> round(e.value, 3), round(e.se, 3)
    (0.867, 0.045)
    """

    key: ClassVar[str] = "jackknife"

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return covariances and biases; issue a warning if the jackknife is not consistent."""
        terms = list(zip(problem.ratings, problem.measures, strict=True))
        for ratings, measure in terms:
            warn_unless_consistent(ratings.table, measure)
        results, matrix = joint_jackknife(single_rows(problem.rows), terms)
        bias = np.array([result.bias for result in results])
        df = InfluenceDf(problem)
        return Uncertainty(matrix, df.each, bias=bias, df_of_sum=df.df_of_sum)

    def contributions(self, problem: Problem, units: IntArray) -> FloatArray:
        """Return the effect of leaving out each row, or each unit with several rows."""
        return self._leave_out(problem, units)[1]

    def joint(self, terms: Terms, weights: FloatArray | None = None) -> JointUncertainty:
        """Return covariances and biases from leaving out units in all parts at once.

        The effect of a unit on a sum of terms is the sum of its effects.
        """
        rows, biases, within = [], [], []
        for k, problem in enumerate(terms.problems):
            with terms.part_context(k):
                results, z = self._leave_out(problem, terms.units(k))
            rows.append(z)
            biases.append(np.array([result.bias for result in results]))
            df = InfluenceDf(problem)
            within.append(PrecomputedMethod(self, Uncertainty(z @ z.T, df.each, bias=biases[-1])))
        by_unit = terms.by_unit(rows, weights)
        bias = np.concatenate(biases)
        joint_df = JointInfluenceDf(terms, weights)
        uncertainty = Uncertainty(
            by_unit @ by_unit.T, joint_df.each, bias=bias if weights is None else weights @ bias,
            df_of_sum=joint_df.df_of_sum,
        )  # fmt: skip
        return JointUncertainty(uncertainty, within, by_unit)

    def _leave_out(
        self, problem: Problem, units: IntArray
    ) -> tuple[list[JackknifeResult], FloatArray]:
        """Return the jackknife of each estimate, and the effect of leaving out each row.

        A unit with several rows is left out as a whole; its effect is assigned to its first row.
        """
        estimates = list(zip(problem.ratings, problem.measures, strict=True))
        for ratings, measure in estimates:
            warn_unless_consistent(ratings.table, measure)
        cluster = np.unique(units, return_inverse=True)[1].reshape(-1)
        rows = replace(single_rows(problem.rows), cluster=cluster)
        rows = rows.without_single_clusters()
        results = jackknife_by_unit(rows, estimates)
        z = np.array([effects for _, effects in results])
        if rows.cluster is None:
            z *= 1 if rows.copies is None else rows.copies
        else:
            by_row = np.zeros((len(z), rows.positive.size))
            by_row[:, np.unique(rows.cluster, return_index=True)[1]] = z
            z = by_row
        return [result for result, _ in results], z


def warn_unless_consistent(table: CountTable, measure: Measure, argument: str = "variance") -> None:
    """Warn if the jackknife may not be consistent; `argument` is that of the variance method."""
    if measure.smoothness == "unknown":
        warn(
            JackknifeWarning(
                "the jackknife is valid for smooth functions of the data, and it is unknown "
                f"whether {measure!r} is one: its standard error and bias can be far off.",
                measure=measure,
                hint=f"Use {argument}=pauci.Bootstrap().",
                shell_hint=f"Use --{argument} bootstrap.",
            )
        )
    rough = table.size * _ROWS_PER_GROUP > table.rows_pos + table.rows_neg
    if rough and measure.smoothness == "quantile":
        warn(
            JackknifeWarning(
                f"{measure!r} depends on the position of a single point of the curve, and on "
                "continuous scores the jackknife is not consistent for it: its standard error can "
                "be far off.",
                measure=measure,
                hint=f"Use {argument}='influence' or {argument}=pauci.Bootstrap().",
                shell_hint=f"Use --{argument} influence or --{argument} bootstrap.",
            )
        )
