"""`compare`: tests of classifiers on one part of the curve, paired or independent."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, overload

import numpy as np

from pauci import checks
from pauci.accepted import Function, MaybeSeveral
from pauci.calls import answering
from pauci.checks import FloatArray, check_choice, check_flag, nearest
from pauci.errors import (
    DegenerateWarning,
    InputError,
    InputTypeError,
    arg,
    shown,
    warn,
)
from pauci.inference.cautions import warn_about_unequal
from pauci.inference.estimate import solve
from pauci.inference.fitted import check_default, fits_in, names_to_compare, solve_fits
from pauci.inference.resolution import check_bound
from pauci.inference.score_cautions import warn_about_scales
from pauci.inference.sources import (
    Variance,
    check_conservative,
    measures_of,
    method_of,
    refuse_measure,
)
from pauci.inference.together import each_reason_once
from pauci.inference.unpaired import refuse_shared_clusters, told_apart, warn_if_unpaired
from pauci.intervals.analytic import Alternative
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons
from pauci.results.estimate import Estimate
from pauci.sample.sample import Sample
from pauci.variance.base import Replicated, Uncertainty, VarianceMethod
from pauci.variance.influence import CANCELLED

if TYPE_CHECKING:
    from pauci.fits.fit import CurveFit

Adjustment = Literal[
    "holm", "max-t", "bonferroni", "sidak", "holm-sidak", "simes-hochberg", "hommel",
    "fdr_bh", "fdr_by", "none",
]  # fmt: skip
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)

Measures = Measure | Function | Mapping[str, Measure]


class _Estimated(NamedTuple):
    """All estimates that are compared, by classifier, and their uncertainty.

    There is a single uncertainty for all paired estimates, and one for each independent sample.
    """

    estimates: list[list[Estimate]]
    cov: FloatArray
    uncertain: list[Uncertainty]
    paired: bool

    @property
    def replicates(self) -> Replicated | None:
        """Joint replicates of all estimates."""
        return self.uncertain[0].replicates if self.paired else None

    def contrast(self, positions: tuple[int, int]) -> FloatArray:
        """Return the weights of all estimates in a difference."""
        weights = np.zeros(len(self.cov))
        weights[list(positions)] = 1.0, -1.0
        return weights

    def df(self, positions: tuple[int, int]) -> float:
        """Return the degrees of freedom of the variance of a difference.

        For independent samples they are those of Satterthwaite (1946), from the variances and the
        degrees of freedom of both.
        """
        flat = [e for row in self.estimates for e in row]
        each = [flat[i].cluster_df for i in positions]
        if self.paired:
            return min(self.uncertain[0].df_of(self.contrast(positions)), *each)
        measures = len(self.estimates[0])
        for i, (position, most) in enumerate(zip(positions, each, strict=True)):
            sample, measure = divmod(position, measures)
            alone = np.eye(measures)[measure]
            each[i] = min(self.uncertain[sample].df_of(alone), most)
        variances = [float(self.cov[i, i]) for i in positions]
        spread = sum(v**2 / df for v, df in zip(variances, each, strict=True))
        return sum(variances) ** 2 / spread if spread > 0.0 else min(each)


@overload
def compare(
    samples: Sample,
    measure: "Measures",
    null: float = ...,
    alternative: Alternative = ...,
    *,
    pair: tuple[str, str],
    adjust: Adjustment | None = ...,
    variance: "Variance" = ...,
    independent: bool = ...,
    force: bool = ...,
    conservative: bool = ...,
) -> Comparison: ...
@overload
def compare(
    samples: "tuple[Sample, Sample] | tuple[CurveFit, CurveFit]",
    measure: "Measures",
    null: float = ...,
    alternative: Alternative = ...,
    pair: None = ...,
    adjust: Adjustment | None = ...,
    variance: "Variance" = ...,
    *,
    independent: bool = ...,
    force: bool = ...,
    conservative: bool = ...,
) -> Comparison: ...
@overload
def compare(
    samples: "Sample | Sequence[Sample] | Sequence[CurveFit]",
    measure: "Measures",
    null: float = ...,
    alternative: Alternative = ...,
    pair: tuple[str, str] | None = ...,
    adjust: Adjustment | None = ...,
    variance: "Variance" = ...,
    *,
    independent: bool = ...,
    force: bool = ...,
    conservative: bool = ...,
) -> Comparison | MaybeSeveral: ...  # how many classifiers a sample has is no type
@overload
def compare(
    samples: "Sample | Sequence[Sample] | Sequence[CurveFit]",
    measure: "Sequence[Measures]",
    null: float = ...,
    alternative: Alternative = ...,
    pair: tuple[str, str] | None = ...,
    adjust: Adjustment | None = ...,
    variance: "Variance" = ...,
    *,
    independent: bool = ...,
    force: bool = ...,
    conservative: bool = ...,
) -> Comparisons: ...
@answering
def compare(
    samples: "Sample | Sequence[Sample] | Sequence[CurveFit] | None" = None,
    measure: "Measures | Sequence[Measures] | None" = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    pair: tuple[str, str] | None = None,
    adjust: Adjustment | None = "holm",
    variance: "Variance" = "influence",
    *,
    independent: bool = False,
    force: bool = False,
    conservative: bool = False,
) -> Comparison | Comparisons:
    """Test the differences of measures between classifiers.

    Parameters
    ----------
    samples : Sample, list of Sample, or list of fitted curves
        One sample with classifiers on the same rows (paired tests), or a list of independent
        samples of one classifier each. Tests of curves fitted by `pauci.fit_binormal` and similar
        functions are paired if the curves were fitted to the same sample.
    measure : Measure, dict of str to Measure, or a sequence of these
        The measures to compare, such as ``pauci.PAUCc(fpr=(0, 0.1))``. If the classifiers have
        different scales, a dict specifies the measure of each; the measures may differ only in the
        region, such as
        ``{"a": pauci.PAUCc(threshold=(3, 5)), "b": pauci.PAUCc(threshold=(0.4, 0.8))}``.
    null : float, default 0
        Difference under the null hypothesis: ``null=-0.05, alternative="greater"`` tests that the
        first classifier is not inferior by 0.05.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the difference first - second under the alternative hypothesis.
    pair : tuple of two str, optional
        The two classifiers to compare, in this order; the default is all pairs.
    adjust : str, optional
        Adjustment of the p-values of several comparisons: ``"holm"`` (the default), ``"max-t"``
        (single step, from the joint covariance), another method of statsmodels'
        ``multipletests`` (``"bonferroni"``, ``"sidak"``, ``"holm-sidak"``, ``"simes-hochberg"``,
        ``"hommel"``, ``"fdr_bh"``, ``"fdr_by"``), or ``"none"``.
    variance : {"influence", "delta", "jackknife", "bootstrap"} or VarianceMethod
        The method for standard errors, as for `estimate`.
    independent : bool, default False
        Whether the samples in a list have different rows even if they have the same labels in the
        same order, and different clusters even if some cluster labels are equal. Cluster labels are
        then local to each sample.
    force : bool, default False
        As for `estimate`: report standard errors, with a warning instead of an error, if the
        effective number of observations at the specified prevalence is very small, or if the
        binning error may exceed the standard error.
    conservative : bool, default False
        As for `estimate`: double the variance of averages over cross-validation folds, and
        therefore of their differences. At least one sample must have ``fold=``.

    Returns
    -------
    Comparison or Comparisons
        A `Comparison` for two classifiers and a measure that is not in a list, otherwise
        `Comparisons`.

    Raises
    ------
    TypeError
        If `samples` or `measure` has another type.
    ValueError
        If there are fewer than two classifiers, an option is invalid, samples in a list have
        cluster labels in common (see `independent`), `conservative` is given without folds, or
        `estimate` raises an error.

    Warns
    -----
    DegenerateWarning
        If the standard error of the difference is 0, as for a classifier against itself.
    UnequalSamplesWarning
        If nearly all of the variance of a difference of independent samples is due to a sample with
        few observations of a class.
    DifferentScalesWarning
        If the same range of scores is used for classifiers whose scores hardly overlap.
    UnpairedWarning
        If samples in a list have the same labels in the same order and so may have the same rows.
        The paired test then needs a single sample with both classifiers.
    PauciWarning
        The warnings of `estimate`, for each classifier.

    Notes
    -----
    The variance of a paired difference is :math:`V_{11} + V_{22} - 2 V_{12}` with the joint
    covariance V of `pauci.variance.influence`: for the AUC the test of DeLong et al. (1988).
    Independent samples have :math:`V_{12} = 0`. The statistic is compared with a t distribution.
    For every variance method, its degrees of freedom are those of the influence values of the
    difference (`pauci.variance.influence`); for independent samples they are Satterthwaite's. With
    clusters they are at most the number of clusters that contain the class in fewer clusters, minus
    one. For measures without influence values the normal distribution is used. With a bootstrap,
    tests of other kinds invert its intervals (`Comparison.p_value`).

    Examples
    --------
    >>> import pauci
    >>> y = [0, 1, 0, 1, 0, 1] * 9
    >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
    >>> c = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.5)))
    >>> round(c.difference, 4), round(c.pvalue, 4)
    (0.0556, 0.6186)
    """
    if isinstance(measure, Sample):
        raise InputTypeError(
            "measure is a Sample. For two samples of different rows: pauci.compare([sample_a, "
            "sample_b], measure); for the same rows one sample with both classifiers: "
            "pauci.compare(pauci.Sample(y_true, {'a': scores_a, 'b': scores_b}), measure).",
            argument="measure", value=measure,
        )  # fmt: skip
    fits = fits_in(samples)
    checked: Any = samples
    if fits is None and not isinstance(samples, Sample):
        checked = _check_list(samples)
    _check_independent(independent, samples)
    check_flag("force", force)
    in_folds = checked if fits is None else ()
    check_conservative(conservative, [in_folds] if isinstance(in_folds, Sample) else in_folds)
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    adjust = "none" if adjust is None else adjust
    check_choice("adjust", adjust, ADJUSTMENTS)
    method = method_of(variance)
    if fits is not None:
        check_default(variance)
    refuse_measure("null", null)
    null, asked_null = checks.finite("null", null), null
    names = (
        _names_of(checked, pair)
        if fits is None
        else names_to_compare(fits, pair, independent=independent)
    )
    targets = _measures_by_name(measure, names)
    for measures in targets:
        for m in measures.values():
            low, high = m.range
            if abs(null) >= high - low:
                raise InputError(
                    arg("null", asked_null),
                    " is not a possible difference: ",
                    shown(m),
                    f" lies between {low:g} and {high:g}.",
                )
    with each_reason_once():
        if not independent and not isinstance(samples, Sample):
            refuse_shared_clusters(checked)
            warn_if_unpaired(checked)
        if fits is None:
            each_sample = [checked] if isinstance(checked, Sample) else checked
            warn_about_scales(each_sample, names, targets)
            both = _estimate_all(
                checked, names, targets, method, force=force, conservative=conservative
            )
        else:
            both = _estimate_fits(fits, names, targets)
        pairs = list(combinations(range(len(names)), 2))
        if pair is not None:
            pairs = [(names.index(pair[0]), names.index(pair[1]))]
        comparisons, contrasts = [], []
        for i in range(len(targets)):
            for first, second in pairs:
                positions = first * len(targets) + i, second * len(targets) + i
                two = both.estimates[first][i], both.estimates[second][i]
                c = _compare_two(two, both, positions, null, alternative)
                check_bound(
                    shown(c.measure), f" of {c.first} and {c.second}: ", "difference",
                    c.resolution_bound, c.se, force=force,
                )  # fmt: skip
                comparisons.append(c)
                contrasts.append(both.contrast(positions))
    if len(comparisons) == 1 and not isinstance(measure, (list, tuple)):
        return comparisons[0]
    matrix = np.array(contrasts)
    cov = np.einsum("il,jl->ij", np.einsum("ik,kl->il", matrix, both.cov), matrix)
    same = [c.se == 0.0 for c in comparisons]
    cov[same, :] = cov[:, same] = 0.0
    cov.flags.writeable = False
    return Comparisons(tuple(comparisons), cov, adjust)


def _compare_two(
    two: tuple[Estimate, Estimate],
    both: _Estimated,
    positions: tuple[int, int],
    null: float,
    alternative: Alternative,
) -> Comparison:
    a, b = two
    v = both.cov[np.ix_(positions, positions)]
    correlation = float(v[0, 1]) / math.sqrt(v[0, 0] * v[1, 1]) if a.se and b.se else 0.0
    total = float(v[0, 0] + v[1, 1])
    variance = total - 2.0 * float(v[0, 1])
    se = math.sqrt(variance) if variance > CANCELLED * total else 0.0
    if se == 0.0:
        warn(
            DegenerateWarning,
            "the difference of ",
            shown(a.measure),
            f" between {a.classifier} and {b.classifier} has "
            'standard error 0: its interval and p-value are of kind "limit", which depend only on '
            "the number of observations.",
        )
    elif not both.paired and both.replicates is None and a.resampled is None:
        warn_about_unequal(two)
    correlation = min(max(correlation, -1.0), 1.0)
    resampled = None
    if both.replicates is not None:
        resampled = both.replicates.combined(positions, (1.0, -1.0))
    elif a.resampled is not None and b.resampled is not None:
        resampled = a.resampled.minus(b.resampled)
    return Comparison(
        two, a.value - b.value, se, correlation, null, alternative, both.paired, resampled,
        both.df(positions) if se else min(a.cluster_df, b.cluster_df),
    )  # fmt: skip


def _estimate_all(
    samples: Sample | Sequence[Sample],
    names: list[str],
    targets: list[dict[str, Measure]],
    method: VarianceMethod,
    *,
    force: bool,
    conservative: bool,
) -> _Estimated:
    """Estimate every measure of every classifier, with one covariance matrix for all."""
    m, options = len(targets), {"force": force, "conservative": conservative}
    if isinstance(samples, Sample):
        (its_method,) = method.for_samples(1)
        each_target = [(n, t[n]) for n in names for t in targets]
        flat, uncertainty = solve(samples, each_target, its_method, **options)
        rows = [flat[i : i + m] for i in range(0, len(flat), m)]
        return _Estimated(rows, uncertainty.matrix, [uncertainty], paired=True)
    cov = np.zeros((len(names) * m, len(names) * m))
    rows, uncertain = [], []
    each = zip(samples, names, method.for_samples(len(names)), strict=True)
    for i, (sample, name, its_method) in enumerate(each):
        its_targets = [(sample.names[0], t[name]) for t in targets]
        row, part = solve(sample, its_targets, its_method, **options)
        cov[i * m : (i + 1) * m, i * m : (i + 1) * m] = part.matrix
        rows.append([replace(e, classifier=name) for e in row])
        uncertain.append(part)
    return _Estimated(rows, cov, uncertain, paired=False)


def _estimate_fits(
    fits: "Sequence[CurveFit]", names: list[str], targets: list[dict[str, Measure]]
) -> _Estimated:
    """Estimate every measure of every fitted curve, with one covariance matrix for all."""
    m = len(targets)
    each_target = [(i, t[name]) for i, name in enumerate(names) for t in targets]
    flat, uncertainty = solve_fits(fits, names, each_target)
    rows = [flat[i : i + m] for i in range(0, len(flat), m)]
    paired = fits[0].rows is fits[1].rows
    return _Estimated(rows, uncertainty.matrix, [uncertainty] * len(fits), paired)


def _measures_by_name(measure: object, names: list[str]) -> list[dict[str, Measure]]:
    """Return, for each comparison, the measure of every classifier."""
    given = list(measure) if isinstance(measure, (list, tuple)) else [measure]
    result = []
    for m in given or [measure]:
        if not isinstance(m, Mapping):
            (common,) = measures_of(m)
            result.append(dict.fromkeys(names, common))
            continue
        if set(m) != set(names):
            raise InputError(
                f"measure has the keys {', '.join(map(repr, m))}; it must have a measure for each "
                f"of {', '.join(map(repr, names))}."
            )
        by_name = {}
        for name in names:
            if not isinstance(m[name], Measure):
                raise InputTypeError(
                    f"measure={{{name!r}: {m[name]!r}}} must be a measure for each classifier."
                )
            by_name[name] = m[name]
        if len({v.form for v in by_name.values()}) > 1:
            raise InputError(
                "measure contains different measures for different classifiers; only their regions "
                f"may differ: {by_name}."
            )
        result.append(by_name)
    return result


def _names_of(samples: Sample | Sequence[Sample], pair: object) -> list[str]:
    """Check and return the names of the classifiers to compare, unique for several samples."""
    if isinstance(samples, Sample):
        # Bootstrap draws depend on the order of classifiers; the order of the sample is used so
        # that b - a is always the negative of a - b.
        return sorted(chosen(samples, pair), key=samples.names.index)
    if pair is not None:
        raise InputError(
            arg("pair", pair), " needs a single sample; a list of samples is compared in its order."
        )
    if len(samples) < 2:
        raise InputError(f"samples has length {len(samples)}; a comparison needs two samples.")
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
    return told_apart(names, range(1, len(names) + 1))


def chosen(sample: Sample, pair: object) -> list[str]:
    """Return the classifiers of one sample that are compared."""
    names = sample.names
    if pair is not None:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise InputTypeError(
                arg("pair", pair), " must name two classifiers, such as ('a', 'b')."
            )
        for name in pair:
            if name not in names:
                raise InputError(
                    arg("pair", pair),
                    f": {name!r} is not a classifier of this sample"
                    f"{nearest(name, names)} It has: {', '.join(names)}.",
                )
        if pair[0] == pair[1]:
            raise InputError(arg("pair", pair), " names the same classifier twice.")
        return list(pair)
    if len(names) == 1:
        raise InputError(
            f"the sample has a single classifier ({names[0]}), but a comparison needs two: "
            "pauci.Sample(y_true, {'a': scores_a, 'b': scores_b}) for the same rows, or "
            "pauci.compare([sample_a, sample_b], measure) for different ones."
        )
    return list(names)


def _check_list(samples: object) -> Sequence[Sample]:
    """Return a list of samples, or raise an error."""
    if not isinstance(samples, (list, tuple)) or not all(isinstance(s, Sample) for s in samples):
        raise InputTypeError(
            f"samples is a {type(samples).__name__}; compare needs a Sample, "
            "pauci.Sample(y_true, {'a': scores_a, 'b': scores_b}), for classifiers on the same "
            "rows, or a list of two Samples.",
            argument="samples",
            value=samples,
        )
    return samples


def _check_independent(independent: object, samples: object) -> None:
    """Raise an error if classifiers of the same sample are declared independent."""
    check_flag("independent", independent)
    if independent and isinstance(samples, Sample):
        raise InputError(
            arg("independent", independent),
            " needs a list of samples; the classifiers of one sample have the same rows, so their "
            "comparison is paired.",
        )
