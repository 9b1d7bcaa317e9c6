"""`compare`: tests of differences between classifiers, paired or independent."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, TypedDict, Unpack, overload

from pauci.calls import validate_call
from pauci.cautions.about_data import warn_about_scales
from pauci.cautions.about_parts import (
    check_no_shared_clusters,
    combined_by_reason,
    warn_if_unpaired,
)
from pauci.cautions.accuracy import warn_about_few_of_a_class
from pauci.checks import By, Function, MaybeSeveral, check_choice, nearest, some_of
from pauci.errors import DegenerateWarning, InputError, InputTypeError, show, warn
from pauci.inference.arguments import (
    DifferenceTests,
    SampleRequest,
    Variance,
    check_number_of_differences,
    check_options,
    measures_of,
    measures_of_classes,
    method_of,
    pooled_over_imputations,
    possible_difference,
    samples_or_fits,
)
from pauci.inference.family_of_samples import family, unique_names
from pauci.inference.join import (
    check_variance_of_fits,
    family_of_fits,
    names_to_compare,
)
from pauci.intervals.analytic import Alternative
from pauci.intervals.simultaneous import ADJUSTMENTS, Adjustment
from pauci.measures.base import Combination, Measure
from pauci.results.comparison import Comparison, difference_between
from pauci.results.family import Comparisons, Estimates
from pauci.results.weighted_sums import WeightedSum
from pauci.sample.sample import Imputations, Sample

if TYPE_CHECKING:
    from pauci.fits.curve_fits import CurveFit
    from pauci.results.heterogeneity import GroupComparisons
    from pauci.results.pooled import PooledComparison, PooledComparisons

    class _CompareOptions(TypedDict, total=False):
        """Arguments that all overloads take."""

        null: float
        alternative: Alternative
        adjust: "Adjustment | None"
        independent: bool
        shared_clusters: bool
        conservative: bool
        reference: object
        skip_small: bool
        baseline: str | None


Measures = Measure | Function | Mapping[str, Measure]


@overload
def compare(
    samples: Sample,
    measure: "Measures",
    variance: "Variance" = ...,
    *,
    pair: tuple[str, str],
    by: None = ...,
    **options: "Unpack[_CompareOptions]",
) -> Comparison: ...
@overload
def compare(
    samples: "tuple[Sample, Sample] | tuple[CurveFit, CurveFit]",
    measure: "Measures",
    variance: "Variance" = ...,
    *,
    by: None = ...,
    **options: "Unpack[_CompareOptions]",
) -> Comparison: ...
@overload
def compare(
    samples: "Sample | Sequence[Sample] | Sequence[CurveFit]",
    measure: "Measures",
    variance: "Variance" = ...,
    *,
    pair: "tuple[str, str] | Sequence[tuple[str, str]] | None" = ...,
    by: None = ...,
    **options: "Unpack[_CompareOptions]",
) -> Comparison | MaybeSeveral: ...  # the number of classifiers is not part of the type
@overload
def compare(
    samples: "Sample | Sequence[Sample] | Sequence[CurveFit]",
    measure: "Sequence[Measures]",
    variance: "Variance" = ...,
    *,
    pair: "tuple[str, str] | Sequence[tuple[str, str]] | None" = ...,
    by: None = ...,
    **options: "Unpack[_CompareOptions]",
) -> Comparisons: ...
@overload
def compare(
    samples: Sample,
    measure: "Measures | Sequence[Measures]",
    variance: "Variance" = ...,
    *,
    pair: "tuple[str, str] | Sequence[tuple[str, str]] | None" = ...,
    by: "By",
    **options: "Unpack[_CompareOptions]",
) -> "GroupComparisons": ...
@overload
def compare(
    samples: "Imputations",
    measure: "Measures | Sequence[Measures]",
    variance: "Variance" = ...,
    *,
    by: None = ...,
    **options: "Unpack[_CompareOptions]",
) -> "PooledComparison | PooledComparisons": ...
@validate_call
@pooled_over_imputations
def compare(
    samples: "Sample | Sequence[Sample] | Sequence[CurveFit] | Imputations",
    measure: "Measures | Sequence[Measures]",
    variance: "Variance" = "influence",
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    pair: "tuple[str, str] | Sequence[tuple[str, str]] | None" = None,
    adjust: Adjustment | None = "holm",
    independent: bool = False,
    shared_clusters: bool = False,
    conservative: bool = False,
    by: "By | None" = None,
    reference: object = None,
    skip_small: bool = False,
    baseline: str | None = None,
) -> "Comparison | Comparisons | PooledComparison | PooledComparisons":
    """Test the differences of measures between classifiers.

    Parameters
    ----------
    samples : Sample, list of Sample, or list of fitted curves
        One sample with classifiers on the same rows (paired tests), or a list of independent
        samples of one classifier each. Tests of curves fitted by `pauci.fit_binormal` and similar
        functions are paired if the curves were fitted to the same sample. Results of
        `Sample.from_imputations` are pooled.
    measure : Measure, dict of str to Measure, or a sequence of these
        The measures to compare, such as ``pauci.PAUCc(fpr=(0, 0.1))``. If the classifiers have
        different scales, a dict specifies the measure of each; the measures may differ only in the
        region, such as
        ``{"a": pauci.PAUCc(threshold=(3, 5)), "b": pauci.PAUCc(threshold=(0.4, 0.8))}``.
    variance : {"influence", "delta", "jackknife", "bootstrap"} or VarianceMethod
        The method for standard errors, as for `estimate`.
    null : float, default 0
        Difference under the null hypothesis, in the units of the measure:
        ``null=-0.05, alternative="greater"`` tests that the first classifier is not inferior by
        0.05. For a margin of an average sensitivity or specificity, as tables print it, pass
        ``normalized=True`` to the partial area.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the difference first - second under the alternative hypothesis.
    pair : tuple of two str, or sequence of these, optional
        The two classifiers to compare, in this order, or several such pairs; the default is all
        pairs.
    adjust : str, optional
        Adjustment of the p-values of several comparisons: ``"holm"`` (the default), ``"max-t"``
        (single step, from the joint covariance), ``"bonferroni"``, ``"bh"`` or ``"by"`` (the false
        discovery rate, by Benjamini and Hochberg or by Benjamini and Yekutieli), or ``"none"``.
    independent : bool, default False
        Whether the samples in a list have different rows even if they have the same labels in the
        same order, and different clusters even if some cluster labels are equal. Cluster labels are
        then local to each sample.
    shared_clusters : bool, default False
        Whether equal cluster labels in the samples of a list are the same clusters, such as
        patients who are measured in both samples. The variance of a difference then includes the
        covariance of the samples, which is summed over the common clusters.
    conservative : bool, default False
        As for `estimate`: double the variance of averages over cross-validation folds, and
        therefore of their differences. At least one sample must have ``fold=``.
    by, reference, skip_small
        As for `estimate`: compare within groups. The gaps are differences of differences.
    baseline : str, optional
        Compare every other classifier with this one, first minus second; p-values are adjusted for
        these comparisons alone.

    Returns
    -------
    Comparison, Comparisons or GroupComparisons
        A `Comparison` for two classifiers and a measure that is not in a list, otherwise
        `Comparisons`; `GroupComparisons` with `by`.

    Raises
    ------
    TypeError
        If `samples` or `measure` has another type.
    ValueError
        If there are fewer than two classifiers, an option is invalid, samples in a list have
        cluster labels in common and neither `independent` nor `shared_clusters` is set,
        `shared_clusters` is set without clusters, `conservative` is set without folds, or
        `estimate` raises an error.

    Warns
    -----
    DegenerateWarning
        If the standard error of the difference is 0, for example of a classifier and itself.
    DifferentScalesWarning
        If the same range of scores is used for classifiers whose scores hardly overlap.
    UnpairedWarning
        If samples in a list have the same labels in the same order, and may therefore have the same
        rows; the paired test requires a single sample with both classifiers. Or if they seem to
        have rows in common, by their pandas index or by scores and labels; pass the identifier of
        each row as `cluster` to `Sample`, and `shared_clusters`. Tables of counts and rows that an
        engine grouped are not checked.
    PauciWarning
        The warnings of `estimate`, for each classifier.

    Notes
    -----
    The variance of a paired difference is :math:`V_{11} + V_{22} - 2 V_{12}` with the joint
    covariance V of `pauci.variance.contributions`; for the AUC this is the test of DeLong et al.
    (1988). Independent samples have :math:`V_{12} = 0`. The statistic is compared with a t
    distribution, whose degrees of freedom are those of the influence values of the difference
    (`pauci.variance.z`). For measures without influence values the normal distribution is used.
    Tests of measures at a given threshold invert their limits and have no statistic
    (`Comparison.interval`). With a bootstrap, tests of other kinds invert its intervals
    (`Comparison.pvalue_of`).

    Examples
    --------
    >>> import pauci
    >>> y = [0, 1, 0, 1, 0, 1] * 9
    >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
    >>> c = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.5)))
    >>> round(c.difference, 4), round(c.pvalue, 4)
    (0.0556, 0.6183)
    """
    if isinstance(measure, Sample):
        raise InputTypeError.about(
            "measure",
            "is a Sample. For two samples of different rows: pauci.compare([sample_a, sample_b], "
            "measure); for the same rows one sample with both classifiers: "
            "pauci.compare(pauci.Sample(y_true, {'a': scores_a, 'b': scores_b}), measure).",
            value=measure,
        )
    needed = (
        "compare needs a Sample, pauci.Sample(y_true, {'a': scores_a, 'b': scores_b}), for "
        "classifiers on the same rows, or a list of two Samples."
    )
    listed, fits = samples_or_fits(samples, "samples", needed)
    flags = {
        "independent": independent,
        "shared_clusters": shared_clusters,
        "conservative": conservative,
        "skip_small": skip_small,
    }
    by = check_options(samples, listed, flags, by, reference)
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    adjust = "none" if adjust is None else adjust
    check_choice("adjust", adjust, ADJUSTMENTS)
    method = method_of(variance)
    chosen = pair if baseline is None else _with_baseline(samples, baseline, pair)
    if fits:
        check_variance_of_fits(variance)
        names = names_to_compare(fits, chosen, independent=independent)
        pairs = list(combinations(names, 2))
    elif isinstance(samples, Sample):
        pairs = pairs_of(samples, chosen)
        # Bootstrap draws depend on the order of classifiers; the order of the sample is used so
        # that b - a is always the negative of a - b.
        names = sorted(set(chain(*pairs)), key=samples.names.index)
    else:
        names = _names_of(listed, chosen)
        pairs = list(combinations(names, 2))
    targets = _measures_by_name(measure, names, listed)
    null = possible_difference("null", null, chain(*map(dict.values, targets)))
    # The estimates of the measures of a classifier are consecutive.
    places = {name: i * len(targets) for i, name in enumerate(names)}
    positions = [(places[a] + k, places[b] + k) for k in range(len(targets)) for a, b in pairs]
    check_number_of_differences(names, len(positions), paired=len(listed) == 1)
    tests = DifferenceTests(positions, null, alternative, adjust)
    # The classifiers of a single sample, or of several samples with one classifier each
    own = [[(name, name) for name in names]]
    if len(listed) > 1:
        own = [[(s.names[0], name)] for s, name in zip(listed, names, strict=True)]
    requests = [
        SampleRequest(
            s, [(of_s, t[n]) for of_s, n in of_sample for t in targets], method, conservative
        )
        for s, of_sample in zip(listed, own, strict=False)
    ]
    if by is not None:
        from pauci.inference.by_group import compare_by_group

        return compare_by_group(requests[0], tests, by, reference, skip_small=skip_small)
    with combined_by_reason():
        if not isinstance(samples, Sample) and not independent and not shared_clusters:
            check_no_shared_clusters(fits or listed)
            warn_if_unpaired(fits or listed)
        if fits:
            of_fits = [(i, t[name]) for i, name in enumerate(names) for t in targets]
            estimates = family_of_fits(fits, names, of_fits)
            paired, shared_clusters = fits[0].rows is fits[1].rows, False
        else:
            warn_about_scales(listed, names, targets)
            estimates = family(requests, shared_clusters=shared_clusters)
            paired = len(requests) == 1
        several = isinstance(measure, (list, tuple)) or isinstance(chosen, list)
        differences = estimates.differences(tests.positions)
        comparisons = [
            _comparison(estimates, both, difference, tests, paired=paired, shared=shared_clusters)
            for both, difference in zip(tests.positions, differences.quantities, strict=True)
        ]
    if len(comparisons) == 1 and not several:
        return replace(comparisons[0], uncertainty=differences.uncertainty)
    # The largest rank that a covariance matrix of the differences can have
    ranks = {
        e.classifier: e.n_pos + e.n_neg - 2.0
        if e.rows.clusters is None or math.isinf(e.rows.cluster_df)
        else e.rows.clusters - 1.0
        for e in estimates
    }.values()
    return Comparisons(
        tuple(comparisons),
        differences.uncertainty,
        max_rank=min(ranks) if paired or shared_clusters else sum(ranks),
        clusters=estimates.fewest_clusters,
        adjust=tests.adjust,
    )


def _with_baseline(samples: object, baseline: str, pair: object) -> list[tuple[str, str]]:
    """Return the pairs of every other classifier with the baseline."""
    if pair is not None:
        raise InputError.of(
            "baseline", baseline, f"and pair={pair!r} both select comparisons; pass only one."
        )
    if not isinstance(samples, Sample):
        raise InputError.of("baseline", baseline, "applies to the classifiers of a single sample.")
    if not isinstance(baseline, str) or baseline not in samples.names:
        raise InputError.of(
            "baseline",
            baseline,
            f"is not a classifier of this sample{nearest(baseline, samples.names)} It has: "
            f"{some_of(samples.names, baseline)}.",
        )
    return [(name, baseline) for name in samples.names if name != baseline]


def pairs_of(sample: Sample, pair: object) -> list[tuple[str, str]]:
    """Return the pairs of classifiers of one sample that are compared."""
    if isinstance(pair, (list, tuple)) and pair and isinstance(pair[0], (list, tuple)):
        pairs = [tuple(names_of_pair(sample, p)) for p in pair]
        if len(set(map(frozenset, pairs))) < len(pairs):
            raise InputError.of("pair", pair, "contains a pair twice.")
        return [(first, second) for first, second in pairs]
    names = names_of_pair(sample, pair)
    return [(names[0], names[1])] if pair is not None else list(combinations(names, 2))


def _comparison(
    family: Estimates,
    positions: tuple[int, int],
    difference: WeightedSum,
    tests: DifferenceTests,
    *,
    paired: bool,
    shared: bool,
) -> Comparison:
    """Return the comparison of two estimates, with the warnings about their difference."""
    a, b = (family.quantities[i] for i in positions)
    if not (paired or shared):
        warn_about_few_of_a_class((a, b))
    if difference.se == 0.0:
        warn(
            DegenerateWarning(
                (
                    "the difference of ",
                    a.measure,
                    f" between {a.classifier} and {b.classifier} has standard error 0: its "
                    'interval and p-value are of kind "limit", which depend only on the number of '
                    "observations.",
                )
            )
        )
    return difference_between(
        family,
        positions,
        difference,
        null=tests.null,
        alternative=tests.alternative,
        paired=paired,
        shared=shared,
    )


def _measures_by_name(
    measure: object, names: list[str], samples: Sequence[Sample]
) -> list[dict[str, Measure]]:
    """Return, for each comparison, the measure of every classifier."""
    listed = list(measure) if isinstance(measure, (list, tuple)) else [measure]
    result = []
    for m in listed or [measure]:
        if not isinstance(m, Mapping):
            listed_measures = measures_of_classes(measures_of(m), samples)
            result += [{n: each.for_classifier(n) for n in names} for each in listed_measures]
            continue
        if set(m) != set(names):
            raise InputError.about(
                "measure",
                f"has the keys {', '.join(map(show, m))}, but must have a measure for each of "
                f"{', '.join(map(repr, names))}.",
                value=m,
            )
        by_name = {}
        for name in names:
            if not isinstance(m[name], Measure):
                raise InputTypeError.of(
                    "measure",
                    m,
                    "must be a measure for each classifier.",
                    shown=f"{{{name!r}: {m[name]!r}}}",
                )
            by_name[name] = m[name]
        if len({_without_region(v) for v in by_name.values()}) > 1:
            raise InputError(
                "measure contains different measures for different classifiers; only their regions "
                f"may differ: {by_name}."
            )
        result.append(by_name)
    return result


def _without_region(measure: Measure) -> tuple[object, ...]:
    """Return the class and options of a measure without the region."""
    if type(measure) is Combination:
        return measure.operation, *map(_without_region, measure.parts)
    region = ("fpr", "tpr", "threshold", "ends", "_region")
    names = [f.name for f in fields(measure) if f.name not in region]  # type: ignore[arg-type]
    return type(measure), *(getattr(measure, name) for name in names)


def _names_of(samples: Sequence[Sample], pair: object) -> list[str]:
    """Check a list of samples, and return a unique name for the classifier of each."""
    if pair is not None:
        raise InputError.of(
            "pair", pair, "applies to a single sample; the order of a list of samples is kept."
        )
    if len(samples) < 2:
        raise InputError(f"samples has length {len(samples)}, but a comparison needs two samples.")
    for s in samples:
        if len(s) != 1:
            raise InputError(
                f"a sample in the list has {len(s)} classifiers ({', '.join(s.names)}); "
                f"select one, such as sample[{s.names[0]!r}]."
            )
    for a, b in combinations(samples, 2):
        if a.rows is b.rows:
            raise InputError(
                "two samples in the list have the same rows, so they are not independent. For the "
                f"paired test pass one sample: sample[[{a.names[0]!r}, {b.names[0]!r}]]."
            )
    names = [s.names[0] for s in samples]
    return unique_names(names, range(1, len(names) + 1))


def names_of_pair(sample: Sample, pair: object) -> list[str]:
    """Return the classifiers of one sample that are compared."""
    names = sample.names
    if pair is not None:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise InputTypeError.of("pair", pair, "must name two classifiers, such as ('a', 'b').")
        for name in pair:
            if not isinstance(name, str) or name not in names:
                raise InputError.of(
                    "pair",
                    pair,
                    f": {show(name)} is not a classifier of this sample{nearest(name, names)} "
                    f"It has: {some_of(names, name)}.",
                )
        if pair[0] == pair[1]:
            raise InputError.of("pair", pair, "names the same classifier twice.")
        return list(pair)
    if len(names) == 1:
        raise InputError(
            f"the sample has a single classifier ({names[0]}), but a comparison needs two: "
            "pauci.Sample(y_true, {'a': scores_a, 'b': scores_b}) for the same rows, or "
            "pauci.compare([sample_a, sample_b], measure) for different ones."
        )
    return list(names)
