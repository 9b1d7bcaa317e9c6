"""`estimate`: measures of one sample with their standard errors and joint covariance."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, overload

from pauci.calls import validate_call
from pauci.cautions.about_data import warn_about_scales
from pauci.cautions.about_parts import combined_by_reason, warn_if_dependent
from pauci.checks import By, Function, MaybeSeveral
from pauci.inference.arguments import (
    SampleRequest,
    Variance,
    check_options,
    measures_of,
    measures_of_classes,
    method_of,
    pooled_over_imputations,
    samples_or_fits,
)
from pauci.inference.family_of_samples import family, unique_names
from pauci.measures.base import Measure
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.sample.sample import Imputations, Sample

if TYPE_CHECKING:
    from pauci.fits.curve_fits import CurveFit
    from pauci.results.heterogeneity import GroupEstimates
    from pauci.results.pooled import PooledEstimate, PooledEstimates

    class _EstimateOptions(TypedDict, total=False):
        """Arguments that all overloads take."""

        independent: bool
        shared_clusters: bool
        conservative: bool
        reference: object
        skip_small: bool


@overload
def estimate(
    sample: Sample,
    measure: "Measure | Function",
    variance: "Variance" = ...,
    *,
    by: None = ...,
    **options: "Unpack[_EstimateOptions]",
) -> Estimate | MaybeSeveral: ...  # the number of classifiers is not part of the type
@overload
def estimate(
    sample: "CurveFit",
    measure: Measure,
    variance: Literal["influence"] = ...,
    *,
    by: None = ...,
    **options: "Unpack[_EstimateOptions]",
) -> Estimate: ...
@overload
def estimate(
    sample: "Sequence[Sample] | Sequence[CurveFit]",
    measure: "Measure | Function",
    variance: "Variance" = ...,
    *,
    by: None = ...,
    **options: "Unpack[_EstimateOptions]",
) -> Estimates: ...
@overload
def estimate(
    sample: "Sample | CurveFit | Sequence[Sample] | Sequence[CurveFit]",
    measure: "Sequence[Measure | Function]",
    variance: "Variance" = ...,
    *,
    by: None = ...,
    **options: "Unpack[_EstimateOptions]",
) -> Estimates: ...
@overload
def estimate(
    sample: Sample,
    measure: "Measure | Function | Sequence[Measure | Function]",
    variance: "Variance" = ...,
    *,
    by: "By",
    **options: "Unpack[_EstimateOptions]",
) -> "GroupEstimates": ...
@overload
def estimate(
    sample: "Imputations",
    measure: "Measure | Function | Sequence[Measure | Function]",
    variance: "Variance" = ...,
    *,
    by: None = ...,
    **options: "Unpack[_EstimateOptions]",
) -> "PooledEstimate | PooledEstimates": ...
@validate_call
@pooled_over_imputations
def estimate(
    sample: "Sample | CurveFit | Sequence[Sample] | Sequence[CurveFit] | Imputations",
    measure: "Measure | Function | Sequence[Measure | Function]",
    variance: "Variance" = "influence",
    *,
    independent: bool = False,
    shared_clusters: bool = False,
    conservative: bool = False,
    by: "By | None" = None,
    reference: object = None,
    skip_small: bool = False,
) -> "Estimate | Estimates | PooledEstimate | PooledEstimates":
    r"""Estimate measures with standard errors.

    Parameters
    ----------
    sample : Sample, fitted curve, or list of these
        One classifier, or several classifiers on the same rows, or a list of independent samples.
        For a fitted curve (from `pauci.fit_binormal` and similar functions), or a list of fitted
        curves, the measures of the fitted curves are estimated, with standard errors by the delta
        method; `variance` must then be omitted. Results of `Sample.from_imputations` are pooled.
    measure : Measure or sequence of Measure
        The measures to estimate, such as ``pauci.PAUCc(fpr=(0, 0.1))``.
    variance : {"influence", "delta", "jackknife", "bootstrap"} or VarianceMethod
        The method for standard errors. ``"influence"`` uses the influence values of the
        observations (DeLong's placement values, extended to parts of the curve). ``"delta"`` is the
        multinomial delta method for tables of counts (`pauci.variance.method`), with divisors n in
        place of n - 1. ``pauci.Bootstrap(...)`` resamples the data, and
        ``pauci.Jackknife()`` leaves out single rows; ``"bootstrap"`` and ``"jackknife"`` are these
        with default options. Any other `pauci.variance.VarianceMethod` is also accepted.
    independent : bool, default False
        Whether cluster labels are local to each sample of a list, as for `compare`.
    shared_clusters : bool, default False
        Whether equal cluster labels in the samples of a list are the same clusters, as for
        `compare`. The covariance of the estimates of different samples is then estimated.
    conservative : bool, default False
        Double the variance of averages over cross-validation folds, which multiplies standard
        errors by :math:`\sqrt 2` (see Notes). At least one sample must have ``fold=``.
    by : str, array_like of shape (n,), or dict of masks, optional
        Estimate within groups: the name of a grouping of the sample (``group=`` of `Sample`), the
        group of every row, or a dict of boolean masks, whose groups may overlap.
    reference : object, optional
        The group from which the gaps of the others are calculated: by default the first, and
        ``"overall"`` for all rows.
    skip_small : bool, default False
        Leave out groups with fewer than two observations (or clusters) of a class, which otherwise
        raise an error. They are listed in every table, sentence and figure, and in
        ``attrs["skipped"]`` of data frames.

    Returns
    -------
    Estimate, Estimates or GroupEstimates
        An `Estimate` for one classifier and a measure that is not in a list, otherwise `Estimates`;
        `GroupEstimates` with `by`.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`, or `measure` is not a measure object.
    ValueError
        If a measure is undefined on these data, a class has fewer than two observations, the
        interval of the denominator of a ratio contains 0, `conservative` is set without folds, or
        `shared_clusters` without clusters.

    Warns
    -----
    PauciWarning
        If the data may be wrong, or if intervals may be too narrow. The classes of warnings state
        their conditions, and the page "Validity" lists them with evidence.

    Notes
    -----
    For a sample of several classes (`Sample.from_classes`), a measure of two classes is estimated
    for each class against the rest; the names of these estimates contain the class.

    The covariance formula is given in `pauci.variance.contributions`, and the influence
    values in the documentation of each measure.

    A measure at a specified `prevalence` :math:`\pi` below that of the sample depends on the upper
    part of the scores, and effectively on :math:`k = n_0 \pi/(1 - \pi)` of the negatives (average
    precision of negatives on :math:`n_1 (1 - \pi)/\pi` of the positives, kappa on the smaller of
    the two). With weights or clusters, k is calculated from effective numbers. The value of k is
    stored as ``effective_size`` of the estimate.

    The variance of an average over folds treats the folds as independent. Because the models
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
    (0.5556, 0.0617)
    """
    needed = (
        "estimate needs a Sample: "
        "pauci.estimate(pauci.Sample(y_true, y_score), pauci.PAUCc(fpr=(0, 0.1)))."
    )
    samples, fits = samples_or_fits(sample, "sample", needed)
    flags = {
        "independent": independent,
        "shared_clusters": shared_clusters,
        "conservative": conservative,
        "skip_small": skip_small,
    }
    by = check_options(sample, samples, flags, by, reference)
    measures = measures_of_classes(measures_of(measure), samples)
    if fits:
        from pauci.inference.join import (
            check_variance_of_fits,
            family_of_fits,
            names_of_fits,
        )

        check_variance_of_fits(variance)
        targets = [(i, m) for i in range(len(fits)) for m in measures]
        estimates = family_of_fits(fits, names_of_fits(fits), targets)
    else:
        method = method_of(variance)
        requests = [
            SampleRequest(s, list(product(s.names, measures)), method, conservative)
            for s in samples
        ]
        if by is not None:
            from pauci.inference.by_group import estimate_by_group

            return estimate_by_group(requests[0], by, reference, skip_small=skip_small)
        with combined_by_reason():
            if len(requests[0].targets) > 1 or len(requests) > 1:
                related = independent or shared_clusters
                _warn_about_several(samples, measures, known_relation=related)
            estimates = family(requests, shared_clusters=shared_clusters)
    in_lists = isinstance(sample, (list, tuple)) or isinstance(measure, (list, tuple))
    if len(estimates.quantities) == 1 and not in_lists:
        e = estimates.quantities[0]
        return e if e.uncertainty else replace(e, uncertainty=estimates.uncertainty)
    return estimates


def _warn_about_several(
    samples: Sequence[Sample], measures: Sequence[Measure], *, known_relation: bool
) -> None:
    """Warn about dependent samples, and about one range of scores for classifiers that differ."""
    if not known_relation:
        warn_if_dependent(samples)
    for sample in samples:
        if len(sample) > 1:
            of_classifiers = [{n: m.for_classifier(n) for n in sample.names} for m in measures]
            warn_about_scales([sample], sample.names, of_classifiers)
    own = [sample.names[0] for sample in samples if len(sample) == 1]
    if len(own) == len(samples) > 1:
        names = unique_names(own, range(1, len(own) + 1))
        by_name = [
            {n: m.for_classifier(name) for n, name in zip(names, own, strict=True)}
            for m in measures
        ]
        warn_about_scales(samples, names, by_name)
