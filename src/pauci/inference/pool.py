"""Results of completed data sets, pooled by Rubin's rules."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from operator import attrgetter
from typing import Any

import numpy as np

from pauci.calls import validate_call
from pauci.checks import AnyArray, FloatArray, count, kind_of
from pauci.curve.region import Bounds
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates, Family
from pauci.results.pooled import (
    PooledComparison,
    PooledComparisons,
    PooledEstimate,
    PooledEstimates,
)
from pauci.results.quantity import PoolingScale
from pauci.results.weighted_sums import variance_of_sum
from pauci.sample.class_rows import ClassRows
from pauci.variance.method import Uncertainty

_POOLED = (Estimate, Estimates, Comparison, Comparisons)


@validate_call
def pool(
    results: "Sequence[Any]",
) -> "PooledEstimate | PooledEstimates | PooledComparison | PooledComparisons":
    r"""Pool the results of multiply imputed data sets by Rubin's rules.

    Missing values are imputed M times by other software, and each completed data set is analysed
    by the same call. The standard error of the pooled result includes the variability between the
    imputations.

    Parameters
    ----------
    results : sequence of Estimate, Estimates, Comparison or Comparisons
        The results of the M completed data sets, all of the same call with the same rows.

    Returns
    -------
    PooledEstimate, PooledEstimates, PooledComparison or PooledComparisons
        The pooled value with ``se``, ``df``, ``interval()``, ``missing_information``, and, for a
        difference, ``pvalue``; or a family of them with ``contrast`` and ``joint``. All have
        ``summary()``, ``report()`` and ``to_frame()``.

    Raises
    ------
    TypeError
        If a result is none of these.
    ValueError
        If there is a single result; if the results differ in their measures, classifiers, rows or
        tests; or if an estimate is at a limit, where the log odds are infinite.

    Notes
    -----
    With values :math:`\theta_m` and covariance matrices :math:`U_m` of the completed data sets, the
    pooled value is the average, and its covariance matrix is

    .. math:: T = W + (1 + 1/M) B, \quad W = \sum_m U_m / M, \quad
              B = \sum_m (\theta_m - \bar\theta)(\theta_m - \bar\theta)^T / (M - 1) .

    Estimates are pooled on the scale of their intervals: log odds on the range of the measure,
    logarithms of ratios, and the original scale of other measures (Marshall et al. 2009);
    differences are pooled on the original scale. The value and `se` are transformed back, the
    latter by the delta method. Degrees of freedom are those of Barnard and Rubin (1999) with the
    smallest degrees of freedom of the M results, or those of Rubin (1987) if these are infinite.
    Joint tests are those of Li, Raghunathan and Rubin (1991), with the average fraction of missing
    information of all quantities; their denominator degrees of freedom are limited by those of the
    completed data sets as by Barnard and Rubin. Intervals are based on the standard error, also for
    measures such as a sensitivity at a threshold, whose intervals from a single data set are not.

    References
    ----------
    D. B. Rubin (1987), Multiple Imputation for Nonresponse in Surveys.

    J. Barnard and D. B. Rubin (1999), Biometrika 86, 948-955.

    K. H. Li, T. E. Raghunathan and D. B. Rubin (1991), Journal of the American Statistical
    Association 86, 1065-1073.

    A. Marshall, D. G. Altman, R. L. Holder and P. Royston (2009), BMC Medical Research Methodology
    9, 57.

    Examples
    --------
    >>> import numpy as np
    >>> import pauci
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(90) % 3 == 0
    >>> score = y + rng.normal(size=90)
    >>> completed = [np.where(score > 1.5, 1.2 + rng.normal(size=90), score) for _ in range(5)]
    >>> pooled = pauci.pool([pauci.estimate(pauci.Sample(y, s), pauci.AUC()) for s in completed])
    >>> print(f"{pooled:.3f}")
    0.786 (0.653 to 0.877)
    """
    of_results = _checked(results)
    scales = [_scale_of(same) for same in zip(*of_results, strict=True)]
    count = len(results)
    raw = np.array([[q.value for q in of_result] for of_result in of_results])
    uncertainties = [_uncertainty_of(r, scales) for r in results]
    slopes = _each(scales, "slope", raw)
    covariances = [
        np.outer(slope, slope) * u.matrix for slope, u in zip(slopes, uncertainties, strict=True)
    ]
    average, within, total = rubins_rules(_each(scales, "transform", raw), covariances)
    values = _each(scales, "inverse", average[None])
    (back,) = 1.0 / _each(scales, "slope", values)
    within, total = (np.outer(back, back) * matrix for matrix in (within, total))
    complete = np.min(
        [[q.df_used(scale.kind) for q, scale in zip(of, scales, strict=True)] for of in of_results],
        axis=0,
    )
    df = [
        barnard_rubin_df(w, t, count, nu)
        for w, t, nu in zip(within.diagonal(), total.diagonal(), complete, strict=True)
    ]
    sources = [  # by which results of the same rows are not joined as independent
        (analysis, np.eye(len(df))) for u in uncertainties for analysis, _ in u.sources
    ]
    uncertainty = PooledUncertainty(
        total, np.array(df), sources=sources, within=within, complete=uncertainties
    )
    quantities = tuple(
        _quantity(same, scale, float(value), uncertainty.marginal(i), math.sqrt(within[i, i]))
        for i, (same, scale, value) in enumerate(
            zip(zip(*of_results, strict=True), scales, values[0], strict=True)
        )
    )
    first = results[0]
    if isinstance(first, Estimates):
        return PooledEstimates(quantities, uncertainty)
    if isinstance(first, Comparisons):
        return PooledComparisons(
            quantities,
            uncertainty,
            max_rank=min(r.max_rank for r in results),
            clusters=min(r.clusters for r in results),
            adjust=first.adjust,
        )
    alone: PooledEstimate | PooledComparison = replace(quantities[0], uncertainty=uncertainty)
    return alone


def rubins_rules(
    values: FloatArray, covariances: "Sequence[FloatArray]"
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the averages of values, their covariance within data sets, and the total covariance.

    `values` has a row for each completed data set.
    """
    average, within = values.mean(axis=0), np.mean(covariances, axis=0)
    deviations = values - average
    between = deviations.T @ deviations / (len(values) - 1)
    return average, within, within + (1.0 + 1.0 / len(values)) * between


@dataclass(frozen=True, eq=False)
class PooledUncertainty(Uncertainty):
    """The uncertainty of pooled quantities, and of weighted sums of them."""

    within: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    """The covariance matrix within the completed data sets."""
    complete: Sequence[Uncertainty] = ()
    """The uncertainty of each completed data set."""

    def df_of(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum."""
        used = weights.nonzero()[0]
        if used.size == 1 and self.df is not None:
            return float(self.df[used[0]])
        complete = min(u.df_of(weights) for u in self.complete)
        within, total = (variance_of_sum(weights, m) for m in (self.within, self.matrix))
        return barnard_rubin_df(within, total, len(self.complete), complete)

    def combined(
        self, weights: FloatArray, matrix: FloatArray | None = None
    ) -> "PooledUncertainty":
        """Return the uncertainty of weighted sums, with a row for each sum."""
        changes = {
            "within": weights @ self.within @ weights.T,
            "complete": [u.combined(weights) for u in self.complete],
        }
        return PooledUncertainty(**vars(super().combined(weights, matrix)) | changes)


def barnard_rubin_df(within: float, total: float, imputations: int, complete: float) -> float:
    """Return the degrees of freedom of a pooled variance (Barnard and Rubin 1999).

    Parameters
    ----------
    within, total : float
        The average variance of the completed data sets, and the pooled variance.
    imputations : int
        The number of completed data sets.
    complete : float
        Degrees of freedom without missing values; if they are infinite, the result is that of
        Rubin (1987).
    """
    between = (total - within) / total if total > 0.0 else 0.0
    known = math.inf if between <= 0.0 else (imputations - 1) / between**2
    if math.isinf(complete) or between >= 1.0:
        return known
    observed = (complete + 1.0) / (complete + 3.0) * complete * (1.0 - between)
    return 1.0 / (1.0 / known + 1.0 / observed)


def _scale_of(same: Sequence[Any]) -> PoolingScale:
    """Return the scale of a quantity of all completed data sets."""
    low, high = zip(*(q.scale for q in same), strict=True)
    return PoolingScale(same[0].kind_of_pooling, Bounds(min(low), max(high)))


def _each(scales: Sequence[PoolingScale], function: str, values: FloatArray) -> FloatArray:
    """Return a function of the scales, evaluated at values with a column for each scale."""
    of_scales = [getattr(scale, function) for scale in scales]
    return np.array(
        [[f(v) for f, v in zip(of_scales, row, strict=True)] for row in values.tolist()]
    )


def _uncertainty_of(result: Any, scales: Sequence[PoolingScale]) -> Uncertainty:
    """Return the uncertainty of a result; for a single quantity, with the df of the scale."""
    known: Uncertainty | None = result.uncertainty
    if known is not None and isinstance(result, Family):
        return known
    sources = () if known is None else known.sources
    df = np.array([result.df_used(scales[0].kind)])
    return Uncertainty(np.array([[result.se**2]]), df, sources=sources)


def _quantity(
    same: Sequence[Any], scale: PoolingScale, value: float, marginal: Any, within: float
) -> Any:
    """Return a pooled quantity."""
    first = same[0]
    is_difference = isinstance(first, Comparison)
    # Estimates without a variance have limits of their own, which intervals of differences add.
    lacking = [
        (w / len(same), e) for q in same for w, e in q.members if is_difference and e.lacks_variance
    ]
    pooled = PooledComparison if is_difference else PooledEstimate
    return pooled(
        (first.short_name,),
        value,
        marginal.se,
        marginal.df,
        within,
        scale.bounds,
        min(map(attrgetter("pairs"), same)),
        first.alternative,
        null=first.null if is_difference else None,
        members=tuple(lacking),
        results=tuple(same),
        analytic_kind=scale.kind,
    )


def _quantities_of(result: Any) -> Sequence[Any]:
    """Return the quantities of a result."""
    return [result] if isinstance(result, (Estimate, Comparison)) else result.quantities


def _checked(results: object) -> list[Sequence[Any]]:
    """Return the quantities of all results; raise an error unless they are of the same call."""
    if not isinstance(results, Sequence) or isinstance(results, (str, bytes, *_POOLED)):
        raise InputTypeError.about(
            "results",
            f"is {kind_of(results)}; pass a list with the result of each completed data "
            "set, such as pauci.pool([e1, e2]).",
            value=results,
        )
    if len(results) < 2:
        raise InputError.about(
            "results",
            f"has {count(len(results), 'result')}, but the variance between imputations needs at "
            "least two.",
            value=results,
            hint="Pass the results of all completed data sets.",
        )
    for i, result in enumerate(results, 1):
        if type(result) not in _POOLED:
            raise InputTypeError(
                f"result {i} is {kind_of(result)}; pass results of estimate or compare.",
                argument="results",
                value=result,
                hint="Results by group are pooled one group at a time: result.in_group(name).",
            )
    of_results = [_quantities_of(result) for result in results]
    for i, result in enumerate(results[1:], 2):
        if any(result is other for other in results[: i - 1]):
            raise InputError(
                f"result {i} is passed twice; each completed data set has its own result.",
                argument="results",
                value=result,
            )
        for what, described in _DESCRIPTIONS.items():
            a, b = described(results[0]), described(result)
            if a != b:
                raise InputError.about(
                    "results",
                    f"1 and {i} differ in their {what}: {a} and {b}.",
                    value=result,
                    hint="Pool results of the same call for completed data sets of the same rows."
                    f"{_OF_OTHER_ROWS * (what == 'numbers of rows')}",
                )
    _check_labels(results)
    for i, of_result in enumerate(of_results, 1):
        for q in of_result:
            if isinstance(q, Estimate) and q.degenerate:
                raise UndefinedError(
                    f"result {i}: {q!r} is at a limit, where it has no normal distribution on any "
                    "scale, so that Rubin's rules do not apply.",
                    argument="results",
                    value=q,
                    hint="Pool a measure of a larger region, or the comparisons of compare.",
                )
    return of_results


def _check_labels(results: Sequence[Any]) -> None:
    """Raise an error for results whose labels agree hardly more often than those of other rows."""
    uncertainties = [result.uncertainty for result in results]
    analyses = [[a for a, _ in u.sources] for u in uncertainties if u is not None]
    for same in zip(*analyses, strict=False):
        # Rows with frequencies have no meaningful order.
        rows = [a.rows for a in same if a.rows.frequency is None]
        labels = [
            np.asarray(r.classes)[r.class_of] if isinstance(r, ClassRows) else r.positive
            for r in rows
        ]
        if len(labels) < len(results) or len({*map(len, labels)}) > 1:
            continue
        changed, by_chance = _disagreement(np.array(labels))
        if changed > _LARGEST_DISAGREEMENT * by_chance:
            raise InputError.about(
                "results",
                f"have labels that differ in {changed:.3g} of {len(labels[0]):,} rows on average, "
                f"about as many as in different rows ({by_chance:.3g}).",
                value=results,
                hint=f"Pool results of completed data sets of the same rows.{_OF_OTHER_ROWS}",
            )


def _disagreement(labels: AnyArray) -> tuple[float, float]:
    """Return the mean number of rows in which labels differ, and its expectation for other rows.

    `labels` has a row for each result; two results of other rows agree by chance only.
    """
    n = labels.shape[1]
    distinct, codes = np.unique(labels, return_inverse=True)
    counts = [np.bincount(of_result, minlength=distinct.size) for of_result in codes.reshape(-1, n)]
    pairs = list(combinations(range(len(labels)), 2))
    changed = np.mean([np.count_nonzero(labels[i] != labels[j]) for i, j in pairs])
    return float(changed), float(np.mean([n - counts[i] @ counts[j] / n for i, j in pairs]))


_LARGEST_DISAGREEMENT = 0.8
"""Disagreement of labels, relative to that of different rows, that imputed outcomes may cause."""

_OF_OTHER_ROWS = " Results of different rows, as of several hospitals, are joined by pauci.join."

_DESCRIPTIONS: dict[str, Any] = {
    "type": lambda r: type(r).__name__,
    "quantities": lambda r: [", ".join(map(str, q.labels)) for q in _quantities_of(r)],
    "measures": lambda r: [repr(q.measure) for q in _quantities_of(r)],
    "numbers of rows": lambda r: [
        e.n_pos + e.n_neg for q in _quantities_of(r) for e in q.estimates_used
    ],
    "designs": lambda r: sorted(
        {e.rows.design for q in _quantities_of(r) for e in q.estimates_used}
    ),
    "tests": lambda r: [
        (q.null, q.alternative, q.pairing) for q in _quantities_of(r) if q.has_null
    ],
    "adjustment": lambda r: getattr(r, "adjust", "none"),
}
"""What results must have in common."""
