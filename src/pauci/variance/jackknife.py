"""The jackknife as a variance method, with an estimate of the bias."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pauci.calls import answering_constructor
from pauci.curve.counts import Table
from pauci.errors import BOOTSTRAP, JackknifeWarning, arg, shown, warn
from pauci.measures.base import Measure
from pauci.variance.base import (
    Known,
    Problem,
    SharedFolds,
    Together,
    Uncertainty,
    VarianceMethod,
)
from pauci.variance.influence import DfAcrossFolds, InfluenceDf
from pauci.variance.leave_one_out import jackknife_by_unit, joint_jackknife

_ROWS_PER_GROUP = 20
"""Average size of tie groups below which scores are taken to be continuous."""


@answering_constructor
@dataclass(frozen=True)
class Jackknife(VarianceMethod):
    """Standard errors and biases from leaving out rows, as ``variance=`` of `estimate`.

    Each row is left out once (in a case-control sample, and for measures that do not depend on
    the prevalence, within its class), or each cluster if there are any. The bias is in
    ``Estimate.bias``; the value is not corrected for it. For all measures of the package the
    computing time depends only on the number of tie groups, except for ``AP(corrected=True)``,
    plain functions and clusters.

    Notes
    -----
    See `pauci.variance.leave_one_out` for the formulas. The jackknife is not consistent for
    measures that depend on the position of a single point. On continuous scores, the standard
    errors of `PAUCc` on an FPR region, `Sensitivity` or `MaxKappa` can be far off, and a warning is
    issued. Partial areas with known ends, the AUC, average precision and all measures on rating
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
        """Return covariances and biases; warn if the jackknife is not consistent."""
        terms = list(zip(problem.ratings, problem.measures, strict=True))
        for ratings, measure in terms:
            _warn_unless_consistent(ratings.table, measure)
        results, matrix = joint_jackknife(problem.rows, terms)
        bias = np.array([result.bias for result in results])
        df = InfluenceDf(problem)
        return Uncertainty(matrix, df.each, bias=bias, df_of_sum=df.of_sum)

    def across_folds(self, folds: SharedFolds) -> Together:
        """Return covariances and biases from leaving out clusters in all their folds at once.

        The effect of a cluster on the average is the mean of its effects in the folds.
        """
        sums = np.zeros((len(folds.problems[0]), folds.clusters))
        within, biases = [], []
        for k, problem in enumerate(folds.problems):
            terms = list(zip(problem.ratings, problem.measures, strict=True))
            for ratings, measure in terms:
                _warn_unless_consistent(ratings.table, measure)
            rows = folds.rows_of(k)
            numbers, cluster = np.unique(folds.clusters_of(k), return_inverse=True)
            copies = np.ones(cluster.size) if rows.copies is None else rows.copies
            if np.bincount(cluster, copies).max() > 1:
                rows, numbers_of_z = replace(rows, cluster=cluster.reshape(-1)), numbers
            else:  # every cluster is a single row, which is left out within its class
                rows, numbers_of_z = problem.rows, folds.clusters_of(k)
            with folds.fold(k):
                results = jackknife_by_unit(rows, terms)
            z = np.array([values for _, values in results])
            if rows.cluster is None:
                z *= copies
            for i, values in enumerate(z):
                sums[i] += np.bincount(numbers_of_z, values, minlength=sums.shape[1])
            biases.append(np.array([result.bias for result, _ in results]))
            df = InfluenceDf(problem)
            of_fold = Uncertainty(z @ z.T, df.each, bias=biases[-1], df_of_sum=df.of_sum)
            within.append(Known(self, of_fold))
        sums /= len(within)
        known = DfAcrossFolds(folds)
        bias = np.mean(biases, axis=0)
        together = Uncertainty(sums @ sums.T, known.each, bias=bias, df_of_sum=known.of_sum)
        return Together(within, together)


def _warn_unless_consistent(table: Table, measure: Measure) -> None:
    if measure.smoothness == "unknown":
        warn(
            JackknifeWarning,
            "the jackknife is valid for smooth functions of the data, and it is unknown whether ",
            shown(measure),
            " is one: its standard error and bias can be far off. Use ",
            arg("variance", BOOTSTRAP),
            ".",
        )
    rough = table.size * _ROWS_PER_GROUP > table.rows_pos + table.rows_neg
    if rough and measure.smoothness == "quantile":
        warn(
            JackknifeWarning,
            shown(measure),
            " depends on the position of a single point of the curve, and on continuous scores the "
            "jackknife is not consistent for it: its standard error can be far off. Use ",
            arg("variance", "influence"),
            " or ",
            arg("variance", BOOTSTRAP),
            ".",
        )
