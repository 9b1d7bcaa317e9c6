"""Estimates of a sample and their joint uncertainty, for all functions of the package."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pauci.checks import read_only
from pauci.curve.region import Bounds, resolve
from pauci.errors import InputError, PauciWarning, UndefinedError, collected_warnings
from pauci.inference.prevalence_warnings import check_prevalence, warn_about_design
from pauci.inference.region_warnings import (
    warn_about_choice,
    warn_about_corners,
    warn_about_misranked,
    warn_about_regions,
)
from pauci.inference.resolution import binning_error_of, check_bound
from pauci.inference.sample_warnings import warn_about_degenerate, warn_about_rows
from pauci.inference.score_warnings import warn_about_scores
from pauci.intervals.proportions import HeightAtRate
from pauci.measures.base import Measure
from pauci.results.estimates import Estimate
from pauci.results.quantity import rounding_error
from pauci.sample.ratings import Ratings
from pauci.sample.sample import Sample
from pauci.variance.binormal import FEWEST_MISRANKED, binormal_variance
from pauci.variance.method import MarginalUncertainty, Problem, Uncertainty, VarianceMethod
from pauci.variance.terms import Terms

Target = tuple[str, Measure]
"""A classifier and a measure of it."""


class Solution(NamedTuple):
    """Estimates and their joint uncertainty, from samples or from fitted curves."""

    estimates: list[Estimate]
    uncertainty: Uncertainty


def solve(
    sample: Sample,
    targets: Sequence[Target],
    method: VarianceMethod,
    *,
    force: bool | None = None,
    conservative: bool = False,
) -> Solution:
    """Return an estimate for every (classifier, measure), with their joint uncertainty.

    `force` is None if the calling function has no such argument. `conservative` doubles the
    variance of averages over folds.
    """
    if not sample.rows.has_folds:
        estimates, uncertainty = _solve(sample, targets, method, force=bool(force))
    else:
        from pauci.inference.folds import solve_in_folds

        def solve_fold(fold: Sample, fold_method: VarianceMethod) -> Solution:
            return _solve(fold, targets, fold_method, force=bool(force))

        estimates, uncertainty = solve_in_folds(
            sample, targets, method, solve_fold, conservative=conservative
        )
    if not any(e.resolution_bound for e in estimates):
        return Solution(estimates, uncertainty)
    checked = []
    for e in estimates:
        with collected_warnings() as cautions:
            check_bound(e.measure, e.classifier, "value", e.resolution_bound, e.se, force=force)
        checked.append(replace(e, cautions=(*e.cautions, *cautions)) if cautions else e)
    return Solution(checked, uncertainty)


def _solve(
    sample: Sample, targets: Sequence[Target], method: VarianceMethod, *, force: bool
) -> Solution:
    """Return the estimates of a sample without folds, without checking the binning error."""
    if method.takes_rows:
        sample = sample.in_memory()
    problem = problem_of(sample, targets)
    sizes = _effective_sizes(sample, problem, force=force)
    uncertainty = method.covariance(problem)
    variances = check_uncertainty(uncertainty, method, problem)
    warn_about_rows(problem.rows, resampled=uncertainty.replicates is not None)
    bounds = [m.bounds(r.curve) for r, m, _ in problem.evaluated]
    matrix = np.asarray(uncertainty.matrix, dtype=np.float64)
    known = [math.sqrt(v) <= rounding_error(b) for v, b in zip(variances, bounds, strict=True)]
    if any(known) or matrix.flags.writeable:
        matrix = np.array(matrix)
        matrix[known, :] = matrix[:, known] = 0.0
        df = None if uncertainty.df is None else np.where(known, np.inf, uncertainty.df)
        uncertainty = replace(uncertainty, matrix=read_only(matrix), df=df)
    estimates = []
    for i, size in enumerate(sizes):
        e = estimate_of(problem, i, method, uncertainty.marginal(i), bounds[i], size)
        cautions = _cautions_of(e, problem, i)
        estimates.append(replace(e, cautions=cautions) if cautions else e)
    return Solution(estimates, uncertainty)


def problem_of(sample: Sample, targets: Sequence[Target]) -> Problem:
    """Return the estimation problem; raise an error if a value is not finite."""
    problem = Problem(
        tuple([sample.ratings(name) for name, _ in targets]), tuple([m for _, m in targets])
    )
    for ratings, measure, value in zip(
        problem.ratings, problem.measures, problem.values, strict=True
    ):
        if not math.isfinite(value):
            raise UndefinedError(
                f"{measure!r} of {ratings.name} is {value} on these data; a standard error "
                "requires a finite value.",
                measure=measure,
            )
    return problem


def _effective_sizes(sample: Sample, problem: Problem, *, force: bool) -> list[float | None]:
    """Return the effective sizes at specified prevalences; warn about scores and prevalences."""
    for ratings in problem.classifiers:
        warn_about_scores(ratings)
    if sample.design == "case-control":
        for measure in problem.measures:
            warn_about_design(measure, sample.prevalence)
    sizes = [
        m.effective_size(*sample.rows.effective_units, sample.prevalence) for m in problem.measures
    ]
    for ratings, measure, size in zip(problem.ratings, problem.measures, sizes, strict=True):
        check_prevalence(measure, ratings, size, force=force)
    return [None if size is None else size.size for size in sizes]


def estimate_of(
    problem: Problem, i: int, method: VarianceMethod, marginal: MarginalUncertainty,
    bounds: Bounds, effective_size: float | None = None,
) -> Estimate:  # fmt: skip
    """Return an estimate of a problem, without its cautions."""
    (ratings, measure, piece), value = problem.evaluated[i], problem.values[i]
    rows, noise = ratings.rows, rounding_error(bounds)
    if bounds.low - noise <= value <= bounds.high + noise:
        value = min(max(value, bounds.low), bounds.high)
    negligible = marginal.bias is not None and abs(marginal.bias) <= noise
    return Estimate(
        ratings.name, measure, value, marginal.se,
        resolve(measure.region, ratings.curve, piece),
        *rows.counts, rows.design, bounds, method.key,
        df=min(marginal.df, rows.cluster_df),
        cluster_df=rows.cluster_df,
        units=rows.units, clusters=rows.clusters, weighted=rows.has_weights,
        resampled=marginal.resampled,
        bias=0.0 if negligible else marginal.bias,
        source=method.phrase, dropped=rows.dropped,
        left_out=rows.left_out, uncounted=rows.uncounted,
        support=float(problem.support[i]),
        pseudo_variance=marginal.pseudo_variance,
        effective_size=effective_size,
        resolution_bound=binning_error_of(ratings, measure, value),
        binormal_se=_binormal_se(ratings, measure),
        height=_height(ratings, measure, value) if method.key == "influence" else None,
    )  # fmt: skip


def _cautions_of(e: Estimate, problem: Problem, i: int) -> tuple[PauciWarning, ...]:
    """Warn about an estimate, and return the warnings."""
    ratings, measure, piece = problem.evaluated[i]
    tied = ratings.table.size == 1
    with collected_warnings() as cautions:
        if e.degenerate and (e.height is None or tied):
            warn_about_degenerate(e, tied=tied)
        else:
            warn_about_regions(measure, ratings, piece)
            if e.resampled is None:
                warn_about_choice(measure, ratings)
                warn_about_misranked(measure, ratings)
                warn_about_corners(measure, problem.terms[i], e.se)
    return tuple(cautions)


def _binormal_se(ratings: Ratings, measure: Measure) -> float:
    """Return the standard error for a binormal curve if that of the sample may be too small."""
    if not measure.has_binormal_floor:
        return 0.0
    rows, auc = ratings.rows, ratings.curve.auc
    # The rows of a cluster may be nearly independent, so with clusters rows are counted.
    n_pos, n_neg = rows.units if not rows.has_clusters else rows.counts
    if not (0.5 < auc < 1.0 and min(n_pos, n_neg) * (1.0 - auc) < FEWEST_MISRANKED):
        return 0.0
    odds = ratings.table.total_pos / ratings.table.total_neg
    return math.sqrt(binormal_variance(measure, auc, n_pos, n_neg, odds))


def _height(ratings: Ratings, measure: Measure, value: float) -> HeightAtRate | None:
    """Return the mid-p interval of a height of the curve, for independent rows without weights."""
    rows = ratings.rows
    counts = measure.height_at_rate(ratings.curve)
    if counts is None or rows.has_weights or rows.has_clusters or ratings.cell_tops is not None:
        return None
    return HeightAtRate(*counts, value)


def check_uncertainty(
    uncertainty: Uncertainty, method: VarianceMethod, problem: Problem | Terms
) -> list[float]:
    """Return the variances; raise an error if the result is not a covariance matrix."""
    argument = problem.argument if isinstance(problem, Terms) else "variance"
    matrix, m = np.asarray(uncertainty.matrix), len(problem)
    if matrix.shape != (m, m):
        raise InputError(
            f"{argument}={method.key} returned a matrix of shape {matrix.shape} for {m} "
            f"estimate{'s' * (m > 1)}.",
            argument=argument,
            value=method,
        )
    variances: list[float] = matrix.diagonal().tolist()
    for measure, variance in zip(problem.measures, variances, strict=True):
        if not (math.isfinite(variance) and variance >= 0.0):
            raise UndefinedError(
                f"{argument}={method.key} returned {variance:g} as the variance of {measure!r}; a "
                "variance must be finite and not negative.",
                argument=argument,
                value=method,
                measure=measure,
            )
    return variances
