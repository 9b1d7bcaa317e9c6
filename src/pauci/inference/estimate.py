"""`estimate`: measures of one sample with their standard errors and joint covariance."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from pauci.accepted import Function, MaybeSeveral
from pauci.calls import answering
from pauci.checks import FloatArray, check_flag
from pauci.curve.region import resolve
from pauci.errors import (
    InputError,
    InputTypeError,
    Spelled,
    UndefinedError,
    arg,
    collected_warnings,
    shown,
)
from pauci.inference.cautions import (
    warn_about_choice,
    warn_about_corners,
    warn_about_degenerate,
    warn_about_misranked,
    warn_about_regions,
    warn_about_rows,
    warn_about_scores,
)
from pauci.inference.fitted import check_default, is_fit, names_of_fits, solve_fits
from pauci.inference.prevalence_cautions import check_prevalence, warn_about_design
from pauci.inference.resolution import check_bound, hidden_by_cells_of
from pauci.inference.score_cautions import warn_about_scales
from pauci.inference.solution import Solution
from pauci.inference.sources import Variance, check_conservative, measures_of, method_of
from pauci.inference.together import each_reason_once
from pauci.inference.unpaired import told_apart, warn_if_joint
from pauci.intervals.proportions import HeightAtRate
from pauci.measures.base import Measure
from pauci.results.estimate import ROUNDING, Estimate, Estimates
from pauci.sample.rows import Ratings
from pauci.sample.sample import Sample
from pauci.variance.base import Problem, Uncertainty, VarianceMethod
from pauci.variance.binormal import FEWEST_MISRANKED, binormal_variance

if TYPE_CHECKING:
    from pauci.fits.fit import CurveFit


@overload
def estimate(
    sample: Sample,
    measure: "Measure | Function",
    variance: "Variance" = ...,
    *,
    force: bool = ...,
    independent: bool = ...,
    conservative: bool = ...,
) -> Estimate | MaybeSeveral: ...  # how many classifiers a sample has is no type
@overload
def estimate(
    sample: "CurveFit",
    measure: Measure,
    variance: Literal["influence"] = ...,
    *,
    force: bool = ...,
    independent: bool = ...,
    conservative: bool = ...,
) -> Estimate: ...
@overload
def estimate(
    sample: "Sequence[Sample] | Sequence[CurveFit]",
    measure: "Measure | Function",
    variance: "Variance" = ...,
    *,
    force: bool = ...,
    independent: bool = ...,
    conservative: bool = ...,
) -> Estimates: ...
@overload
def estimate(
    sample: "Sample | CurveFit | Sequence[Sample] | Sequence[CurveFit]",
    measure: "Sequence[Measure | Function]",
    variance: "Variance" = ...,
    *,
    force: bool = ...,
    independent: bool = ...,
    conservative: bool = ...,
) -> Estimates: ...
@answering
def estimate(
    sample: "Sample | CurveFit | Sequence[Sample] | Sequence[CurveFit] | None" = None,
    measure: "Measure | Function | Sequence[Measure | Function] | None" = None,
    variance: "Variance" = "influence",
    *,
    force: bool = False,
    independent: bool = False,
    conservative: bool = False,
) -> Estimate | Estimates:
    r"""Estimate measures with standard errors.

    Parameters
    ----------
    sample : Sample, fitted curve, or list of these
        One classifier, or several classifiers on the same rows, or a list of independent samples.
        A fitted curve (from `pauci.fit_binormal` and similar functions), or a list of fitted
        curves, gives the measures of the fitted curves with standard errors by the delta rule;
        `variance` must then be left out.
    measure : Measure or sequence of Measure
        The measures to estimate, such as ``pauci.PAUCc(fpr=(0, 0.1))``.
    variance : {"influence", "delta", "jackknife", "bootstrap"} or VarianceMethod
        The method for standard errors. ``"influence"`` uses the influence values of the
        observations (DeLong's placement values, extended to parts of the curve). ``"delta"`` is the
        multinomial delta method for tables of counts (`pauci.variance.delta`), which has the
        divisors n in place of n - 1. ``pauci.Bootstrap(...)`` resamples the data, and
        ``pauci.Jackknife()`` leaves out single rows; ``"bootstrap"`` and ``"jackknife"`` are these
        with default options. Any other `pauci.variance.VarianceMethod` is also accepted.
    force : bool, default False
        Report a standard error, with a warning instead of an error, if the effective number of
        observations at the specified prevalence is very small (see Notes), or if the binning error
        of scores counted in cells (``resolution=`` of `Sample.from_frame`) may exceed the standard
        error.
    independent : bool, default False
        Whether cluster labels are local to each sample of a list, as for `compare`.
    conservative : bool, default False
        Double the variance of averages over cross-validation folds, which multiplies standard
        errors by :math:`\sqrt 2` (see Notes). At least one sample must have ``fold=``.

    Returns
    -------
    Estimate or Estimates
        An `Estimate` for one classifier and a measure that is not in a list, otherwise `Estimates`.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`, or `measure` is not a measure object.
    ValueError
        If a measure is undefined on these data, a class has fewer than two observations, the
        effective number k of the Notes is below 5, the binning error may exceed the standard
        error, or `conservative` is given without folds.

    Warns
    -----
    ReversedScoresWarning
        If the AUC of a classifier is below 0.5.
    MissingCodeWarning
        If an isolated extreme score occurs repeatedly, as a code of missing values does.
    DifferentScalesWarning
        If the same range of scores is used for classifiers whose scores hardly overlap.
    HardPredictionsWarning
        If the scores of a classifier have only two values, such as predicted labels.
    FewClustersWarning
        If fewer than five clusters contain one of the classes.
    DominantWeightsWarning
        If a few rows have nearly all the weight of a class.
    DegenerateWarning
        If a standard error is 0 or a value is at an end of its range.
    SmallFoldsWarning
        If folds of a cross-validation contain fewer than ten rows of a class, or few in the region:
        an average over them has the bias of small samples (the AUC has none).
    SmallRegionWarning
        If fewer than three observations of the class that bounds a region are expected in it
        (five if an end divides a tie group or the measure is a ratio; ten if both apply, or if the
        class that bounds the region of a ratio is much smaller than the other).
    ChosenThresholdWarning
        If a measure is a maximum over thresholds, and other thresholds are about equally good.
    CornerWarning
        If an end of the region lies within its sampling error of a corner of the curve of a
        rating scale.
    FewInfluentialWarning
        If the class that bounds a region is much smaller than the other, and fewer than two of
        its observations are misranked, n (1 - AUC): in many such samples the standard error is too
        small. For average precision the limit applies to the class that is not averaged over (six,
        if the other class is at least twice as large), for `InitialTPR` to the negatives (twelve,
        or 24 in such a sample). There is no limit for areas without estimated ends, such as the
        AUC.
    PoorFitWarning
        If the goodness-of-fit test rejects a fitted curve (p below .05).
    SamplingRatioWarning
        If a measure depends on the prevalence and the sample is a case-control sample, whose
        prevalence was chosen.
    FarPrevalenceWarning
        If the effective number k of the Notes is below 75 (25 for measures based on kappa).
    UnpairedWarning
        If samples in a list have the same rows, or clusters with the same labels: the covariance
        of their estimates is set to 0.
    ResolutionWarning
        If the binning error may exceed a fifth of the standard error, or is unknown.
    TableWarning
        If ``variance="delta"`` is used for data with more than half as many categories as rows.

    Notes
    -----
    The covariance formula is given in `pauci.variance.influence`, and the influence values in the
    documentation of each measure.

    A measure at a specified `prevalence` :math:`\pi` below that of the sample depends on the upper
    part of the scores, and effectively on :math:`k = n_0 \pi/(1 - \pi)` of the negatives (average
    precision of negatives on :math:`n_1 (1 - \pi)/\pi` of the positives, kappa on the smaller of
    both); with weights or clusters, k is calculated from effective numbers. It is stored as
    ``effective_size`` of the estimate. With a small k no standard error is reliable, including
    those by resampling. Below 75 (25 for kappa) there is a warning, and below 5 an error unless
    `force` is given. Neither applies at the prevalence of the sample, at a prevalence with a larger
    k, or to fitted curves, which extrapolate by their model.

    The variance of an average over folds takes the folds to be independent. Because the models
    share training rows, the true variance is :math:`1 + q` times as large, where q between 0 and 1
    is the proportion due to the variability of the models, which cannot be estimated from a single
    cross-validation. `conservative` uses q = 1: variances and covariances are doubled, while
    degrees of freedom, biases and correlations do not change. The distances of bootstrap replicates
    from the estimate are multiplied by :math:`\sqrt 2`, and intervals of kind "limit" use half as
    many pairs.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.PAUCc(fpr=(0, 0.5)))
    >>> round(e.value, 4), round(e.se, 4)
    (0.5556, 0.062)
    """
    check_flag("force", force)
    check_flag("independent", independent)
    check_flag("conservative", conservative)
    samples: list[Any] = list(sample) if isinstance(sample, (list, tuple)) else [sample]
    if samples and all(is_fit(s) for s in samples):
        check_conservative(conservative, ())
        return _of_fits(sample, samples, measure, variance)
    if not samples or not all(isinstance(s, Sample) for s in samples):
        raise InputTypeError(
            f"sample is a {type(sample).__name__}, but estimate needs a Sample: "
            "pauci.estimate(pauci.Sample(y_true, y_score), pauci.PAUCc(fpr=(0, 0.1))).",
            argument="sample",
            value=sample,
        )
    method, measures = method_of(variance), measures_of(measure)
    check_conservative(conservative, samples)
    with each_reason_once():
        if not independent:
            warn_if_joint(samples)
        for s in samples:
            warn_about_scales([s], s.names, [dict.fromkeys(s.names, m) for m in measures])
        parts = [
            solve(
                s, [(name, m) for name in s.names for m in measures], its_method, force=force,
                conservative=conservative,
            )
            for s, its_method in zip(samples, method.for_samples(len(samples)), strict=True)
        ]  # fmt: skip
    estimates = tuple(e for part in parts for e in part.estimates)
    if len(samples) > 1:
        estimates = _with_unique_names(samples, estimates, len(measures))
    single = isinstance(sample, Sample) and not isinstance(measure, (list, tuple))
    if len(estimates) == 1 and single:
        return estimates[0]
    matrices = [part.uncertainty.matrix for part in parts]
    return Estimates(estimates, matrices[0] if len(parts) == 1 else _diagonal(matrices))


def _of_fits(
    given: object, fits: "list[CurveFit]", measure: Any, variance: object
) -> Estimate | Estimates:
    """Return the estimates of measures on fitted curves."""
    check_default(variance)
    measures = measures_of(measure)
    targets = [(i, m) for i in range(len(fits)) for m in measures]
    estimates, uncertainty = solve_fits(fits, names_of_fits(fits), targets)
    if len(estimates) == 1 and given is fits[0] and not isinstance(measure, (list, tuple)):
        return estimates[0]
    return Estimates(tuple(estimates), uncertainty.matrix)


def _with_unique_names(
    samples: Sequence[Sample], estimates: Sequence[Estimate], measures: int
) -> tuple[Estimate, ...]:
    """Return estimates with unique names of classifiers; the measures of each are consecutive."""
    numbers = [i for i, s in enumerate(samples, 1) for _ in s.names]
    names = told_apart([name for s in samples for name in s.names], numbers)
    return tuple(replace(e, classifier=names[i // measures]) for i, e in enumerate(estimates))


def _diagonal(parts: list[FloatArray]) -> FloatArray:
    """Return a covariance matrix of independent parts."""
    matrix = np.zeros((sum(map(len, parts)),) * 2)
    first = 0
    for part in parts:
        block = slice(first, first + len(part))
        matrix[block, block] = part
        first = block.stop
    matrix.flags.writeable = False
    return matrix


def solve(
    sample: Sample,
    targets: Sequence[tuple[str, Measure]],
    method: VarianceMethod,
    *,
    force: bool | None = None,
    conservative: bool = False,
) -> Solution:
    """Return an estimate for every (classifier, measure), with their joint uncertainty.

    `force` is None if the calling function has no such argument. `conservative` doubles the
    variance of averages over folds.
    """
    solution = _solve(sample, targets, method, force=bool(force), conservative=conservative)
    estimates = []
    for e in solution.estimates:
        with collected_warnings() as cautions:
            check_bound(
                shown(e.measure), f" of {e.classifier}: ", "value", e.resolution_bound, e.se,
                force=force,
            )  # fmt: skip
        estimates.append(replace(e, cautions=(*e.cautions, *cautions)) if cautions else e)
    return Solution(estimates, solution.uncertainty)


def _solve(
    sample: Sample,
    targets: Sequence[tuple[str, Measure]],
    method: VarianceMethod,
    *,
    force: bool,
    conservative: bool = False,
) -> Solution:
    """Return the estimates as `solve` does, without checking the binning error."""
    if sample.rows.fold is not None:
        from pauci.inference.folds import solve_in_folds

        def within(part: Sample, its_method: VarianceMethod) -> Solution:
            return _solve(part, targets, its_method, force=force)

        return Solution(*solve_in_folds(sample, targets, method, within, conservative=conservative))
    if method.takes_rows:
        sample = sample.in_memory()
    problem = Problem(
        tuple(sample.ratings(name) for name, _ in targets), tuple(m for _, m in targets)
    )
    _check_values(problem)
    for ratings in problem.classifiers:
        warn_about_scores(ratings)
    if sample.design == "case-control":
        for measure in problem.measures:
            warn_about_design(measure, sample.prevalence)
    sizes = [m.effective_size(*sample.rows.effective, sample.prevalence) for m in problem.measures]
    for ratings, measure, size in zip(problem.ratings, problem.measures, sizes, strict=True):
        check_prevalence(measure, ratings, size, force=force)
    uncertainty = method.covariance(problem)
    _check_uncertainty(uncertainty, method, problem)
    warn_about_rows(problem.rows, resampled=uncertainty.replicates is not None)
    bounds = [m.bounds(r.curve) for r, m in zip(problem.ratings, problem.measures, strict=True)]
    # Standard errors, biases and distances from a bound below this are rounding errors.
    noise = [ROUNDING * min(high - low, 1.0) for low, high in bounds]
    matrix = np.array(uncertainty.matrix, dtype=np.float64)
    for i, (variance, edge) in enumerate(zip(matrix.diagonal().tolist(), noise, strict=True)):
        if math.sqrt(variance) <= edge:
            matrix[i, :] = matrix[:, i] = 0.0
    matrix.flags.writeable = False
    estimates = []
    for i, (ratings, measure) in enumerate(zip(problem.ratings, problem.measures, strict=True)):
        (low, high), value = bounds[i], problem.values[i]
        if low - noise[i] <= value <= high + noise[i]:
            value = min(max(value, low), high)
        replicates = uncertainty.replicates
        resampled = None if replicates is None else replicates.combined([i], [1.0])
        bias = resampled.bias if uncertainty.bias is None and resampled else None
        bias = bias if uncertainty.bias is None else float(uncertainty.bias[i])
        rows = ratings.rows
        e = Estimate(
            ratings.name, measure, value, math.sqrt(matrix[i, i]),
            resolve(measure.region, ratings.curve, problem.pieces[i]),
            sample.n_pos, sample.n_neg, sample.design, bounds[i], method.key,
            df=rows.cluster_df if uncertainty.df is None else
            min(float(uncertainty.df[i]), rows.cluster_df),
            cluster_df=rows.cluster_df,
            units=rows.units, clusters=rows.clusters, weighted=rows.weight is not None,
            resampled=resampled,
            bias=0.0 if bias is not None and abs(bias) <= noise[i] else bias,
            source=method.phrase, dropped=rows.dropped,
            left_out=rows.left_out, uncounted=rows.uncounted,
            support=float(problem.support[i]),
            unseen=0.0 if uncertainty.unseen is None else float(uncertainty.unseen[i]),
            effective_size=None if (size := sizes[i]) is None else size.size,
            resolution_bound=hidden_by_cells_of(ratings, measure, value),
            binormal_se=_binormal_se(ratings, measure, sample.prevalence),
            height=_height(ratings, measure, value) if method.key == "influence" else None,
        )  # fmt: skip
        with collected_warnings() as cautions:
            if e.degenerate and (e.height is None or ratings.table.size == 1):
                warn_about_degenerate(e, tied=ratings.table.size == 1)
            else:
                warn_about_regions(measure, ratings, problem.pieces[i])
                if resampled is None:
                    warn_about_choice(measure, ratings)
                    warn_about_misranked(measure, ratings)
                    warn_about_corners(measure, problem.terms[i], e.se)
        estimates.append(replace(e, cautions=tuple(cautions)) if cautions else e)
    return Solution(estimates, replace(uncertainty, matrix=matrix))


def _binormal_se(ratings: Ratings, measure: Measure, prevalence: float) -> float:
    """Return the standard error for a binormal curve if that of the sample may be too small."""
    if not measure.has_binormal_floor:
        return 0.0
    rows, auc = ratings.rows, ratings.curve.auc
    # The rows of a cluster may be nearly independent, so with clusters rows are counted.
    n_pos, n_neg = rows.units if rows.cluster is None else rows.counts
    if not (0.5 < auc < 1.0 and min(n_pos, n_neg) * (1.0 - auc) < FEWEST_MISRANKED):
        return 0.0
    return math.sqrt(binormal_variance(measure, auc, n_pos, n_neg, prevalence))


def _height(ratings: Ratings, measure: Measure, value: float) -> HeightAtRate | None:
    """Return the mid-p interval of a height of the curve, for independent rows without weights."""
    rows = ratings.rows
    known = measure.height_at_rate(ratings.curve)
    if (
        known is None
        or rows.weight is not None
        or rows.cluster is not None
        or ratings.cell_tops is not None
    ):
        return None
    return HeightAtRate(*known, value)


def _check_values(problem: Problem) -> None:
    for ratings, measure, value in zip(
        problem.ratings, problem.measures, problem.values, strict=True
    ):
        if not math.isfinite(value):
            raise UndefinedError(
                shown(measure),
                f" of {ratings.name} is {value} on these data; a standard error needs a "
                "finite value.",
            )


def _check_uncertainty(uncertainty: Uncertainty, method: VarianceMethod, problem: Problem) -> None:
    """Raise an error if the result of a variance method is not a covariance matrix."""
    shape, m = np.shape(uncertainty.matrix), len(problem)
    if shape != (m, m):
        raise InputError(
            arg("variance", Spelled(method.key, method.key)),
            f" returned a matrix of shape {shape} for {m} estimate{'s' * (m > 1)}.",
            value=method,
        )
    variances = np.asarray(uncertainty.matrix).diagonal().tolist()
    for measure, variance in zip(problem.measures, variances, strict=True):
        if not (math.isfinite(variance) and variance >= 0.0):
            raise UndefinedError(
                arg("variance", Spelled(method.key, method.key)),
                f" returned {variance:g} as the variance of ",
                shown(measure),
                "; a variance must be finite and not negative.",
                value=method,
            )
