r"""Estimates from known and predicted labels.

Rows with known labels, the same rows by their predictions, and all rows, or the others, by their
predictions are three parts with common units. The estimates are weighted sums of those on the parts
(`pauci.with_predictions`; doubly robust estimates of `Sample` have a weight of 1).
"""

from dataclasses import replace

import numpy as np

from pauci.cautions.about_parts import common_rows, warn_once_per_kind
from pauci.cautions.accuracy import with_degenerate_caution
from pauci.checks import FloatArray, count, read_only
from pauci.errors import InputError, UnpairedWarning, warn
from pauci.inference.arguments import SampleRequest
from pauci.inference.estimates_on_parts import DataPart, Solution, estimates_on
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.variance.method import Provenance, Uncertainty
from pauci.variance.units import CommonUnits, PartNames

_PARTS = PartNames("labelled and predicted rows", "rows")


def estimates_with_predictions(request: SampleRequest) -> Solution:
    """Return the estimates of a sample with predictions, and their joint uncertainty."""
    sample, method = request.sample, request.method
    rows = sample.rows
    assert rows.predictions is not None
    given, names, words, weight = rows.predictions
    index = [positions for _, positions in given]
    parts = [
        DataPart(part, request.targets, name, warnings=[])
        for part, name in zip(sample.folds(), names, strict=True)
    ]
    if weight is None:
        _warn_about_common_rows(*sample.folds()[1:])
    elif method.estimates_weights:
        raise InputError.of(
            "variance",
            method,
            "is not available with prediction=.",
            shown=method.key,
            hint="Use variance='influence' or variance=pauci.Bootstrap().",
        )
    found = estimates_on(parts, method, CommonUnits(rows, index), _PARTS)
    uncertainty = _combined(found.uncertainty, weight)
    size = len(request.targets)
    weights = _weights(found.uncertainty.matrix, weight)[:, 2 * size :].diagonal()
    if weight is None:
        shown = list(dict.fromkeys(map(fmt.number, (weights.min(), weights.max()))))
        labelled = count(sum(given[0][0].counts), "labelled row")
        words = f"{labelled}, {words}; weight{'s' * (len(shown) > 1)} {' to '.join(shown)}"
    else:
        words = given[0][0].rest
    warnings = [
        w.replaced(where=part.name) if part.name else w
        for part in parts
        for w in part.warnings or ()
    ]
    by_part = zip(*(found.estimates[k * size : (k + 1) * size] for k in range(3)), strict=True)
    estimates = []
    for i, (of_labels, of_labelled, of_others) in enumerate(by_part):
        marginal, change = uncertainty.marginal(i), of_others.value - of_labelled.value
        low, high = of_labels.bounds
        e = replace(
            of_labels,
            value=min(max(of_labels.value + float(weights[i]) * change, low), high),
            se=marginal.se,
            df=marginal.df,
            bias=marginal.bias,
            resampled=marginal.resampled,
            variance_of_heights=marginal.variance_of_heights,
            binormal_se=0.0,
            limits=None,
            rows=of_labels.rows._replace(excluded=of_labels.excluded._replace(rest=words)),
        )
        estimates.append(e if of_labels.degenerate else with_degenerate_caution(e))
    warn_once_per_kind(warnings)
    return estimates, replace(uncertainty, sources=[(Provenance(sample.rows, sample), None)])


def _warn_about_common_rows(labelled: Sample, others: Sample) -> None:
    """Warn about labelled rows that seem to be among the others, unless there are clusters."""
    rows = labelled.rows, others.rows
    if rows[0].cluster_labels is not None:
        return
    name = labelled.names[0]
    scores = labelled.any_ratings(name).values, others.any_ratings(name).values
    common = common_rows(*rows, scores)
    if common is not None:
        number, by = common
        warn(
            UnpairedWarning.about(
                "unlabelled",
                f"seems to contain about {number:,} rows of labelled, which have "
                f"the same {by}, but the rows of both are treated as independent.",
                hint="Leave out these rows, or pass the identifier of each row as cluster=.",
            )
        )


def _combined(uncertainty: Uncertainty, weight: float | None) -> Uncertainty:
    """Return the uncertainty of the weighted sums, from that of the estimates of three parts."""
    combined = uncertainty.combined(_weights(uncertainty.matrix, weight))
    return replace(combined, matrix=read_only(np.array(combined.matrix)))


def _weights(matrix: FloatArray, weight: float | None) -> FloatArray:
    """Return the weights of the estimates of three parts in each sum.

    Without a given weight of the predictions, it minimizes the variance; it is 0 if estimates from
    the predictions have no variance.
    """
    size = len(matrix) // 3
    each = np.eye(size)
    changes = np.hstack([0.0 * each, -each, each])
    if weight is not None:
        w = np.full(size, weight)
    else:
        variance = np.einsum("ij,jk,ik->i", changes, matrix, changes)
        covariance = -np.einsum("ij,ji->i", changes, matrix[:, :size])
        w = np.divide(covariance, variance, out=np.zeros(size), where=variance > 0.0)
    return np.asarray(np.hstack([each, 0.0 * each, 0.0 * each]) + w[:, None] * changes)
