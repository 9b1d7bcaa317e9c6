"""Families of results of separate calls, and estimates of fitted curves."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.calls import validate_call
from pauci.cautions.about_data import warn_about_scores
from pauci.cautions.about_estimates import check_competing, warn_about_design
from pauci.cautions.about_parts import (
    same_scores,
    warn_about_common_rows,
    warn_without_common_labels,
)
from pauci.checks import check_flag, kind_of, read_only
from pauci.curve.region import resolve
from pauci.errors import (
    InputError,
    InputTypeError,
    UndefinedError,
    UnpairedWarning,
    collected_warnings,
    each_warning_once,
    warn,
)
from pauci.inference.arguments import METHODS, check_relation_of_clusters, hint_about_rates
from pauci.inference.family_of_samples import unique_names
from pauci.measures.base import Measure
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates, Family, Quantities
from pauci.results.quantity import Quantity
from pauci.variance.joint import independent, joined_sources, with_common_units
from pauci.variance.joint import independent as independent_results
from pauci.variance.method import Provenance, Uncertainty
from pauci.variance.z import label_values

if TYPE_CHECKING:
    from pauci.fits.curve_fits import CurveFit


@validate_call
def join(
    results: "Sequence[Any]",
    *,
    shared_clusters: bool = False,
    independent: bool = False,
) -> "Estimates | Quantities":
    """Join the results of separate calls to one family, with their joint covariance.

    Contrasts of the family answer questions that a single call cannot answer, such as whether the
    AUC decreases more for one model than for another from the development to the validation sample.

    Parameters
    ----------
    results : sequence of Estimate, Estimates, Comparison, Comparisons, ReaderAnalysis or contrasts
        The results to join. Results of the same sample are joined as if they were from a single
        call, with the covariance from their common rows. From the analysis of a reader study, the
        averages are joined. If readers are fixed, they are joined by the clusters of the cases or,
        without clusters, by the cases, whose identifiers count as cluster labels. If readers are
        random, they are independent of the results of other data, with the reported variances.
    shared_clusters : bool, default False
        Whether equal cluster labels are the same clusters in all results. The covariance of the
        results is then estimated from their common clusters. Otherwise results of different samples
        are independent.
    independent : bool, default False
        Whether different samples have different rows even if they have the same labels in the same
        order, and different clusters even if some cluster labels are equal.

    Returns
    -------
    Estimates or Quantities
        `Estimates` if all results are estimates.

    Raises
    ------
    TypeError
        If a result is none of these.
    ValueError
        If results have cluster labels in common, and neither `shared_clusters` nor `independent` is
        set; if `shared_clusters` is set and a result has no clusters, or no contributions of single
        units, such as the result of a bootstrap; or if results have the same rows and their
        covariance cannot be calculated, as for bootstraps.

    Warns
    -----
    UnpairedWarning
        If different samples have the same labels in the same order, and are therefore joined as the
        same rows; not if they also have equal scores. Or if they seem to have some rows in common,
        but are joined as independent.

    Examples
    --------
    >>> import pauci
    >>> y = [0, 1, 0, 1, 0, 1] * 9
    >>> development = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
    >>> y = [0, 1, 0, 1, 0, 1] * 8
    >>> validation = pauci.Sample(y, {"a": [1, 2, 2, 3, 3, 5] * 8, "b": [2, 3, 1, 1, 2, 3] * 8})
    >>> both = pauci.join([pauci.estimate(s, pauci.AUC()) for s in (development, validation)])
    >>> drop = both.contrast([1, -1, -1, 1], label="drop of a minus drop of b")
    >>> round(drop.value, 4), round(drop.se, 4)
    (0.0556, 0.1539)
    """
    _check_arguments(results, shared_clusters, independent)
    families = [_family_of(i, result) for i, result in enumerate(results, 1)]
    uncertainties = [uncertainty for _, uncertainty in families]
    sets = _sets_with_common_rows(uncertainties, infer=not (shared_clusters or independent))
    joint = _of_sets(sets, uncertainties, shared_clusters=shared_clusters, independent=independent)
    joint = _in_order(joint, sets, uncertainties)
    joined: list[Sequence[Any]] = [members for members, _ in families]
    quantities = [*chain.from_iterable(joined)]
    if not all(isinstance(q, Estimate) for q in quantities):
        return Quantities(tuple(quantities), joint)
    return Estimates(_with_unique_names(joined), joint)


def _positions(uncertainties: Sequence[Uncertainty]) -> list[list[int]]:
    """Return the positions of the quantities of each result among all quantities."""
    ends = np.cumsum([len(u.matrix) for u in uncertainties])
    return [at.tolist() for at in np.split(np.arange(ends[-1]), ends[:-1])]


def _in_order(
    joint: Uncertainty, sets: Sequence[Sequence[int]], uncertainties: Sequence[Uncertainty]
) -> Uncertainty:
    """Return the uncertainty of results in their order, from that in the order of the sets."""
    positions = _positions(uncertainties)
    order = np.concatenate([positions[i] for of_set in sets for i in of_set])
    if (np.diff(order) > 0).all():
        return joint
    return joint.selected(np.argsort(order).tolist())


def _of_sets(
    sets: Sequence[Sequence[int]],
    uncertainties: Sequence[Uncertainty],
    *,
    shared_clusters: bool,
    independent: bool,
) -> Uncertainty:
    """Return the joint uncertainty of the results of all sets, in the order of the sets."""
    of_sets = [_of_common_rows(numbers, uncertainties) for numbers in sets]
    numbers = [of_set[0] + 1 for of_set in sets]
    if len(sets) == 1:
        return of_sets[0]
    if shared_clusters:
        labels = [_cluster_labels(i, u) for i, u in zip(numbers, of_sets, strict=True)]
        warn_without_common_labels(labels, "result")
        return with_common_units(of_sets, [[0]] * len(of_sets), same_rows=False)
    if not independent:
        _check_no_common_labels(numbers, of_sets)
    return independent_results(of_sets)


def _sets_with_common_rows(uncertainties: Sequence[Uncertainty], *, infer: bool) -> list[list[int]]:
    """Return the positions of results in sets; results in different sets have different rows.

    `infer` is whether rows of different samples may be the same, judging by their labels.
    """
    sets: list[list[int]] = []
    for j, second in enumerate(uncertainties):
        dependent = [
            of_set
            for of_set in sets
            if any(
                _have_common_rows((i, a), (j, b), infer=infer)
                for i in of_set
                for a, _ in uncertainties[i].sources
                for b, _ in second.sources
            )
        ]
        sets = [of_set for of_set in sets if of_set not in dependent]
        sets.append(sorted([*(i for of_set in dependent for i in of_set), j]))
    return sorted(sets)


def _have_common_rows(
    first: tuple[int, Provenance], second: tuple[int, Provenance], *, infer: bool
) -> bool:
    """Return whether two analyses have the same rows; warn if other rows seem to be the same."""
    (i, a), (j, b) = first, second
    if a.rows is b.rows:
        return True
    if not infer or a.sample is None or b.sample is None:
        return False
    if not _are_equal_rows(a, b):
        warn_about_common_rows((i + 1, a.sample), (j + 1, b.sample), "are joined as independent")
        return False
    if not same_scores(a.sample, b.sample):
        warn(
            UnpairedWarning.about(
                "results",
                f"{i + 1} and {j + 1} have the same labels in the same order, and are joined as "
                "results of the same rows.",
                hint="If they have different rows, pass independent=True.",
            )
        )
    return True


def _are_equal_rows(a: Provenance, b: Provenance) -> bool:
    """Return whether two analyses have the same rows, or rows without clusters that are equal."""
    if a.rows is b.rows:
        return True
    return (
        a.sample is not None
        and b.sample is not None
        and a.rows.cluster_labels is None
        and a.rows.design == b.rows.design
        and a.rows.same_in_order(b.rows)
    )


def _of_common_rows(numbers: Sequence[int], uncertainties: Sequence[Uncertainty]) -> Uncertainty:
    """Return the joint uncertainty of results that have rows in common."""
    results = [uncertainties[i] for i in numbers]
    if len(results) == 1:
        return results[0]
    # Rows that are equal to those of an earlier result are the same object from here on.
    known: list[Provenance] = []
    sets: list[list[int]] = []
    for i, result in zip(numbers, results, strict=True):
        of_result = []
        for a, _ in result.sources:
            same = (k for k, b in enumerate(known) if _are_equal_rows(b, a))
            of_result.append(next(same, len(known)))
            known += [a] * (of_result[-1] == len(known))
        sets.append(list(dict.fromkeys(of_result)))
        _check_units_of_rows(i + 1, result, len(sets[-1]))
    sources = [
        (a._replace(rows=next(b.rows for b in known if _are_equal_rows(b, a))), w)
        for a, w in joined_sources(results, [len(u.matrix) for u in results])
    ]
    return replace(with_common_units(results, sets, same_rows=True), sources=sources)


def _check_units_of_rows(i: int, uncertainty: Uncertainty, sets: int) -> None:
    """Raise an error for a result without contributions of the units of its sets of rows."""
    if uncertainty.units is None or uncertainty.units.sets != sets:
        raise InputError(
            f"result {i} has rows in common with another result, whose covariance with it needs "
            "the contributions of single units, which it does not have.",
            argument="results",
            value=i,
            hint="Estimate both in one call, such as pauci.estimate(sample, [measure_1, "
            "measure_2]), or use variance='influence', and readers='fixed' for reader studies.",
        )


def _check_arguments(results: object, shared_clusters: object, independent: object) -> None:
    """Raise an error for anything but a list of results, and for contradictory options."""
    check_flag("independent", independent)
    check_relation_of_clusters(shared_clusters, independent)
    is_list = isinstance(results, Sequence) and not isinstance(results, (str, bytes))
    if not is_list or not results:
        what = "empty" if is_list else kind_of(results)
        raise InputTypeError.about(
            "results",
            f"is {what}; pass a list of results, such as pauci.join([e1, e2]).",
            value=results,
        )


def _family_of(i: int, result: object) -> tuple[Sequence[Quantity[Any]], Uncertainty]:
    """Return the quantities of a result and their joint uncertainty."""
    averages = getattr(result, "family", None)  # of a reader study
    family = averages if isinstance(averages, Family) else result
    if isinstance(family, Family):
        return family.quantities, family.uncertainty
    uncertainty = getattr(result, "uncertainty", None)
    if not isinstance(result, Quantity):
        raise InputTypeError(
            f"result {i} is {kind_of(result)}; pass results of estimate, compare or "
            "mrmc, or contrasts.",
            argument="results",
            value=result,
        )
    if uncertainty is None:
        raise InputError(
            f"result {i}, {result!r}, is a member of several results, whose joint covariance is "
            "required. Pass all of them, such as the result of estimate.",
            argument="results",
            value=result,
        )
    return [result], uncertainty


def _cluster_labels(i: int, uncertainty: Uncertainty) -> Any:
    """Return the labels of the units of a result; raise an error if there are none."""
    units = uncertainty.units
    if units is None:
        raise InputError.of(
            "shared_clusters",
            True,
            f"needs the contributions of single units, but result {i} has none.",
            hint="Use variance='influence' or variance=pauci.Jackknife(), and readers='fixed' "
            "for reader studies.",
        )
    if units.sets != 1 or not units.clustered:
        raise InputError.of(
            "shared_clusters",
            True,
            f"needs the cluster of each row, but result {i} has no clusters.",
            hint="Pass cluster= to Sample.",
        )
    return units.by_unit().labels[0].labels


def _check_no_common_labels(numbers: Sequence[int], uncertainties: Sequence[Uncertainty]) -> None:
    """Raise an error for results with cluster labels in common."""
    seen: dict[object, int] = {}
    for i, uncertainty in zip(numbers, uncertainties, strict=True):
        units = uncertainty.units
        if units is None or not units.clustered:
            continue
        for label in {
            label for of in units.labels for label in label_values(np.asarray(of.labels))
        }:
            if label in seen:
                raise InputError(
                    f"results {seen[label]} and {i} have cluster labels in common, such as "
                    f"{label!r}. If these are the same clusters, the results are dependent.",
                    argument="shared_clusters",
                    value=False,
                    hint="Pass shared_clusters=True, or independent=True if equal labels are "
                    "different clusters.",
                )
            seen[label] = i


def _with_unique_names(results: Sequence[Sequence[Estimate]]) -> tuple[Estimate, ...]:
    """Return the estimates of all results with unique names of classifiers."""
    names = [list(dict.fromkeys(e.classifier for e in estimates)) for estimates in results]
    numbers = [i for i, of_result in enumerate(names, 1) for _ in of_result]
    unique = iter(unique_names([n for of_result in names for n in of_result], numbers, "result"))
    joined = []
    for estimates, of_result in zip(results, names, strict=True):
        new = {name: next(unique) for name in of_result}
        joined += [replace(e, classifier=new[e.classifier], uncertainty=None) for e in estimates]
    return tuple(joined)


def check_variance_of_fits(variance: object) -> None:
    """Raise an error if a variance method is specified for a fitted curve."""
    if variance != "influence" and variance is not METHODS["influence"]:
        raise InputError.of(
            "variance",
            variance,
            "applies to samples. The standard errors of a fitted curve are calculated from its "
            "likelihood; omit this argument.",
        )


def names_of_fits(fits: "Sequence[CurveFit]") -> list[str]:
    """Return a unique name for each fit, with the model or a number if necessary."""
    names = [fit.classifier for fit in fits]
    for words in ([f"{f.model.key}" for f in fits], [f"fit {i}" for i in range(1, len(fits) + 1)]):
        names = [
            f"{n} ({w})" if names.count(n) > 1 else n for n, w in zip(names, words, strict=True)
        ]
    return names


def names_to_compare(fits: "Sequence[CurveFit]", pair: object, *, independent: bool) -> list[str]:
    """Check the fitted curves to compare and return their names."""
    if pair is not None:
        raise InputError.of(
            "pair", pair, "applies to a single sample; the order of a list of fits is kept."
        )
    if len(fits) < 2:
        raise InputTypeError.about(
            "samples",
            f"holds a single {type(fits[0]).__name__}, but a comparison needs two: "
            "pauci.compare([fit_a, fit_b], measure).",
            value=fits,
        )
    same = [a.rows is b.rows for a, b in combinations(fits, 2)]
    if independent and any(same):
        raise InputError.of(
            "independent",
            independent,
            "is not possible, because the curves were fitted to the same rows; their comparison "
            "is paired.",
        )
    if any(same) and not all(same):
        raise InputError(
            "some of the curves were fitted to the same rows and some were not, so that only some "
            "comparisons are paired. Compare two curves at a time."
        )
    return names_of_fits(fits)


def family_of_fits(
    fits: "Sequence[CurveFit]", names: Sequence[str], targets: Sequence[tuple[int, Measure]]
) -> Estimates:
    """Return the estimates of fitted curves with their joint uncertainty.

    `names` are unique names of the curves, and `targets` positions of curves with measures of them.
    """
    from pauci.fits.curve_fits import joint_parameters, warn_about_fit

    with each_warning_once():
        covariance, positions = joint_parameters(fits)
        cautions = []
        for fit in fits:
            with collected_warnings() as caught_warnings:
                warn_about_scores(fit.ratings)
                warn_about_fit(fit.goodness, fit.model, fit.classifier)
            cautions.append(caught_warnings)
        gradients = np.zeros((len(targets), len(covariance)))
        values = []
        for row, (i, measure) in enumerate(targets):
            with collected_warnings() as about_design:
                e = _estimate_without_se(fits[i], names[i], measure)
            values.append(replace(e, cautions=(*cautions[i], *about_design)))
            gradients[row, positions[i]] = _gradient(fits[i], measure)
    matrix = read_only(np.dot(np.dot(gradients, covariance), gradients.T))
    errors = np.sqrt(np.maximum(np.diagonal(matrix), 0.0)).tolist()
    estimates = [replace(e, se=se) for e, se in zip(values, errors, strict=True)]
    limits = np.array([e.rows.cluster_df for e in estimates])
    sources = [(Provenance(fit.rows), None) for fit in fits]
    if len({id(fit.rows) for fit in fits}) < len(fits):
        return Estimates(tuple(estimates), Uncertainty(matrix, limits, sources=sources))
    parts = []
    for i in range(len(fits)):
        (of_fit,) = np.nonzero([k == i for k, _ in targets])
        of_one = matrix[np.ix_(of_fit, of_fit)], limits[of_fit]
        parts.append(Uncertainty(*of_one, sources=[sources[i]]))
    return Estimates(tuple(estimates), independent(parts))


def _estimate_without_se(fit: "CurveFit", name: str, measure: Measure) -> Estimate:
    """Return the estimate of a measure without its standard error."""
    if measure.of_risks:
        raise InputError(
            (measure, " is a measure of predicted risks, which a fitted curve does not have."),
            argument="measure",
            value=measure,
            hint="Estimate it from the sample.",
        )
    if any(region.scores for region in measure.regions):
        raise InputError(
            (
                measure,
                f" has a region of scores, but the fitted curve of {fit.classifier} has no scale "
                "of scores.",
            ),
            hint=hint_about_rates(measure) or "Estimate it from the sample.",
        )
    rows, smooth = fit.rows, fit.smooth
    check_competing(rows, measure)
    if rows.design == "case-control":
        warn_about_design(measure, smooth.prevalence)
    curve = smooth.curve(measure)
    value = smooth.value(measure)
    if not math.isfinite(value):
        raise UndefinedError(
            (
                measure,
                f" of {name} is {value} on the fitted curve; a standard error requires a finite "
                "value.",
            )
        )
    region = resolve(measure.region, curve, measure.region.piece(curve))
    return Estimate(
        name,
        measure,
        value,
        0.0,
        replace(region, threshold=(math.nan, math.nan)),
        rows.facts._replace(n_pos=fit.n_pos, n_neg=fit.n_neg),
        measure.bounds(curve),
        f"{fit.model.key} fit",
        df=rows.cluster_df,
        source=f"{fit.model.title} fit{', robust covariance' * (fit.covariance == 'robust')}",
    )


def _gradient(fit: "CurveFit", measure: Measure) -> list[float]:
    """Return the derivatives of a measure with respect to both parameters and the prevalence."""
    from pauci.fits.curve_fits import slopes_of

    prevalence = fit.smooth.prevalence
    slopes = slopes_of(lambda theta: fit.at(theta, prevalence).value(measure), fit).tolist()
    step = 1e-3 * min(prevalence, 1.0 - prevalence)
    ends = [fit.at(fit.maximum.theta, prevalence + s * step).value(measure) for s in (1.0, -1.0)]
    return [*slopes, (ends[0] - ends[1]) / (2.0 * step)]
