"""Estimates of measures on fitted curves."""

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np

from pauci.cautions.about_data import warn_about_scores
from pauci.cautions.about_estimates import warn_about_design
from pauci.checks import read_only
from pauci.curve.region import resolve
from pauci.errors import (
    InputError,
    InputTypeError,
    UndefinedError,
    collected_warnings,
    each_warning_once,
)
from pauci.inference.arguments import METHODS, hint_about_rates
from pauci.measures.base import Measure
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.variance.joint import independent
from pauci.variance.method import Provenance, Uncertainty

if TYPE_CHECKING:
    from pauci.fits.fit import CurveFit


class FitsRequest(NamedTuple):
    """Fitted curves, and what is estimated of them."""

    fits: "Sequence[CurveFit]"
    names: Sequence[str]
    """The unique name of each curve."""
    targets: Sequence[tuple[int, Measure]]
    """The positions of curves, and measures of them."""


def is_fit(value: object) -> "TypeGuard[CurveFit]":
    """Return whether an object is a fitted curve, without importing `pauci.fits`."""
    fits = sys.modules.get("pauci.fits.fit")
    return fits is not None and isinstance(value, fits.CurveFit)


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
        raise InputError(f"samples holds {len(fits)} fitted curve, but a comparison needs two.")
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


def fits_in(samples: object) -> "Sequence[CurveFit] | None":
    """Return a list of fitted curves; None for anything else."""
    if is_fit(samples):
        raise InputTypeError.about(
            "samples",
            f"is a single {type(samples).__name__}, but a comparison needs two: "
            "pauci.compare([fit_a, fit_b], measure).",
            value=samples,
        )
    if not isinstance(samples, (list, tuple)) or not samples:
        return None
    return samples if all(is_fit(s) for s in samples) else None


def family_of_fits(request: FitsRequest) -> Estimates:
    """Return the estimates of all fitted curves with their joint uncertainty."""
    from pauci.fits.goodness import warn_about_fit
    from pauci.fits.joint_parameters import joint_parameters

    fits, names, targets = request
    with each_warning_once():
        joint = joint_parameters(fits)
        cautions = []
        for fit in fits:
            warn_about_scores(fit.ratings)
            with collected_warnings() as caught_warnings:
                warn_about_fit(fit.goodness, fit.model, fit.classifier)
            cautions.append(tuple(caught_warnings))
        gradients = np.zeros((len(targets), len(joint.matrix)))
        values = []
        for row, (i, measure) in enumerate(targets):
            values.append(_estimate_without_se(fits[i], names[i], measure))
            gradients[row, joint.positions[i]] = _gradient(fits[i], measure)
    matrix = read_only(np.dot(np.dot(gradients, joint.matrix), gradients.T))
    errors = np.sqrt(np.maximum(np.diagonal(matrix), 0.0)).tolist()
    estimates = [
        replace(e, se=se, cautions=cautions[i])
        for e, se, (i, _) in zip(values, errors, targets, strict=True)
    ]
    limits = np.array([e.cluster_df for e in estimates])
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
        fit.n_pos,
        fit.n_neg,
        rows.design,
        measure.bounds(curve),
        f"{fit.model.key} fit",
        cluster_df=rows.cluster_df,
        df=rows.cluster_df,
        units=rows.units,
        clusters=rows.clusters,
        weighted=rows.has_weights,
        variance_phrase=f"{fit.model.title} fit",
        variance_detail="robust covariance" if fit.covariance == "robust" else "",
        dropped=rows.dropped,
        left_out=rows.left_out,
        uncounted=rows.uncounted,
        rest=rows.rest,
    )


def _gradient(fit: "CurveFit", measure: Measure) -> list[float]:
    """Return the derivatives of a measure with respect to both parameters and the prevalence."""
    from pauci.fits.fit import slopes_of

    prevalence = fit.smooth.prevalence
    slopes = slopes_of(lambda theta: fit.at(theta, prevalence).value(measure), fit).tolist()
    step = 1e-3 * min(prevalence, 1.0 - prevalence)
    ends = [fit.at(fit.maximum.theta, prevalence + s * step).value(measure) for s in (1.0, -1.0)]
    return [*slopes, (ends[0] - ends[1]) / (2.0 * step)]
