"""`join`: one family of results from separate calls."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pauci.calls import validate_call
from pauci.cautions.about_parts import warn_without_common_labels
from pauci.checks import check_flag
from pauci.errors import InputError, InputTypeError
from pauci.inference.arguments import check_relation_of_clusters
from pauci.inference.family_of_samples import unique_names
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates, Family, Quantities
from pauci.results.quantity import Quantity
from pauci.variance.contributions import label_values
from pauci.variance.joint import independent as independent_results
from pauci.variance.joint import with_common_clusters
from pauci.variance.method import Uncertainty


@validate_call
def join(
    results: "Sequence[Any]",
    *,
    shared_clusters: bool = False,
    independent: bool = False,
) -> "Estimates | Quantities":
    """Join the results of separate calls to one family, with their joint covariance.

    Contrasts of the family answer questions that no single call does: whether the drop of the AUC
    from the development sample to the validation sample is larger for one model than for another.

    Parameters
    ----------
    results : sequence of Estimate, Estimates, Comparison, Comparisons, ReaderAnalysis or contrasts
        The results to join. Of the analysis of a reader study, the averages are joined: by the
        clusters of the cases, or without clusters by the cases, whose identifiers count as cluster
        labels, if readers are fixed; and independently of the other results, with the reported
        variances, if readers are random.
    shared_clusters : bool, default False
        Whether equal cluster labels are the same clusters in all results. The covariance of the
        results is then estimated from their common clusters. Otherwise the results are independent.
        Rows without clusters are never the same rows.
    independent : bool, default False
        Whether cluster labels are local to each result.

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
        set; if `shared_clusters` is set and a result has no clusters, or no contributions of
        single units, such as one from a bootstrap.

    Examples
    --------
    >>> import pauci
    >>> y = [0, 1, 0, 1, 0, 1] * 9
    >>> development = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
    >>> validation = pauci.Sample(y, {"a": [1, 2, 2, 3, 3, 5] * 9, "b": [2, 3, 1, 1, 2, 3] * 9})
    >>> both = pauci.join([pauci.estimate(s, pauci.AUC()) for s in (development, validation)])
    >>> drop = both.contrast([1, -1, -1, 1], label="drop of a minus drop of b")
    >>> round(drop.value, 4), round(drop.se, 4)
    (0.0556, 0.1494)
    """
    _check_arguments(results, shared_clusters, independent)
    families = [_family_of(i, result) for i, result in enumerate(results, 1)]
    quantities = [q for members, _ in families for q in members]
    uncertainties = [uncertainty for _, uncertainty in families]
    if shared_clusters:
        labels = [_cluster_labels(i, u) for i, u in enumerate(uncertainties, 1)]
        warn_without_common_labels(labels, "result")
        joint = with_common_clusters(uncertainties, labels)
    else:
        if not independent:
            _check_no_common_labels(uncertainties)
        joint = independent_results(uncertainties)
    estimates = [[q for q in members if isinstance(q, Estimate)] for members, _ in families]
    if sum(map(len, estimates)) < len(quantities):
        return Quantities(tuple(quantities), joint)
    return Estimates(_with_unique_names(estimates), joint)


def _check_arguments(results: object, shared_clusters: object, independent: object) -> None:
    """Raise an error for anything but a list of results, and for contradictory options."""
    check_flag("independent", independent)
    check_relation_of_clusters(shared_clusters, independent)
    is_list = isinstance(results, Sequence) and not isinstance(results, (str, bytes))
    if not is_list or not results:
        what = "empty" if is_list else f"a {type(results).__name__}"
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
            f"result {i} is a {type(result).__name__}; pass results of estimate, compare or "
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
    units = None if uncertainty.units is None else uncertainty.units()
    if units is None or uncertainty.influence is None:
        raise InputError.of(
            "shared_clusters",
            True,
            f"needs the contributions of single units, but result {i} has none.",
            hint="Use variance='influence' or variance=pauci.Jackknife(), and readers='fixed' "
            "for reader studies.",
        )
    if len(units.labels) != 1 or not units.clustered:
        raise InputError.of(
            "shared_clusters",
            True,
            f"needs the cluster of each row, but result {i} has no clusters.",
            hint="Pass cluster= to Sample.",
        )
    return units.labels[0]


def _check_no_common_labels(uncertainties: Sequence[Uncertainty]) -> None:
    """Raise an error for results with cluster labels in common."""
    seen: dict[object, int] = {}
    for i, uncertainty in enumerate(uncertainties, 1):
        units = uncertainty.units() if uncertainty.units is not None else None
        if units is None or not units.clustered:
            continue
        for label in {label for array in units.labels for label in label_values(array)}:
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
