r"""Averages of measures over the folds of a cross-validation.

The scores of K models do not have the same scale, so rows of different folds are not ranked
together (LeDell, Petersen and van der Laan 2015). With t_k and V_k the estimates and their
covariance in fold k, by any variance method,

.. math:: t = \frac{1}{K} \sum_k t_k, \qquad V = \frac{1}{K^2} \sum_k V_k ,

which is valid if the models do not depend on the rows that are evaluated: models fitted to other
data, or models that hardly change when some training rows are exchanged. Otherwise, because the
model of each fold is fitted to the rows of the other folds, the estimates of two folds are
correlated even conditionally on the models, and the true variance is (1 + q) V, where q between 0
and 1 is the proportion of V that is due to the variability of the models. There is no unbiased
estimator of q from a single cross-validation (Bengio and Grandvalet 2004, Journal of Machine
Learning Research 5:1089-1105); ``conservative=True`` uses 2 V. For influence values, V follows from
the formula of `pauci.variance.contributions` with the fold in place of the sample. If a
cluster has rows in several folds, as a row has in repeated cross-validation, the contributions of
its rows to the average are summed first, and centred over the class of all folds
(`pauci.variance.contributions`). The jackknife leaves out a cluster in all its folds, and the
bootstrap draws a cluster with its rows in all folds. The same holds for averages in groups of the
rows, whose covariance is that of their common clusters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pauci.cautions.about_data import warn_if_below_chance, warn_if_reversed
from pauci.cautions.about_parts import cautions_of_average, warn_once_per_kind
from pauci.cautions.accuracy import warn_about_rows
from pauci.checks import FloatArray, IntArray, read_only
from pauci.curve.region import Bounds, ResolvedRegion
from pauci.errors import PauciWarning, held_warnings
from pauci.inference.arguments import SampleRequest, Target
from pauci.inference.estimates_on_parts import (
    DataPart,
    Solution,
    estimates_on,
    facts_of,
    replicates_of,
)
from pauci.intervals.resampled import Resampled
from pauci.results.estimates import INFLATION, Estimate
from pauci.results.limits import limits_of_average
from pauci.results.quantity import rounding_error
from pauci.sample.class_rows import ClassRows
from pauci.sample.rows import Rows
from pauci.special import correlation_matrix
from pauci.variance.joint import of_one_sample, uncertainty_of_averages
from pauci.variance.method import MarginalUncertainty, Provenance, Replicated, Uncertainty
from pauci.variance.units import FOLDS, CommonUnits, weights_of_averages


def averages_over_folds(
    request: SampleRequest,
    groups: Sequence[DataPart] = (),
    positions: Sequence[IntArray] = (),
    *,
    shared: bool = False,
) -> Solution:
    """Return averages over the folds of a sample, or of each group, and their joint uncertainty.

    Parameters
    ----------
    request : SampleRequest
        The sample and its targets.
    groups : sequence of DataPart
        Groups of the rows, with their folds; by default all rows.
    positions : sequence of ndarray of int
        The positions of the rows of each group.
    shared : bool, default False
        Whether groups have units in common.
    """
    sample, method, conservative = request.sample, request.method, request.conservative
    rows = sample.rows
    targets = _targets_in_folds(request.targets, rows)
    groups = groups or [DataPart(sample, targets)]
    folds, index = _folds_of(groups, positions or [np.arange(rows.positive.size)], targets)
    common = None
    of_classes = bool(sample.classes)
    if rows.clusters_cross_folds and not (of_classes or method.takes_clusters):
        raise method.common_units_error(FOLDS)
    if shared or of_classes or rows.has_estimated_weights or rows.clusters_cross_folds:
        common = CommonUnits(rows, index)
    solution = estimates_on(folds, method, common, FOLDS)
    size, count = len(targets), len(folds) // len(groups)

    terms, parts = solution.uncertainty, solution.parts
    if common is None:
        terms = of_one_sample(terms, index)
    if len(groups) > 1:
        parts = replace(parts, groups=len(groups))
    if of_classes:
        uncertainty = terms.combined(weights_of_averages(len(groups), len(folds), size))
    else:
        uncertainty = uncertainty_of_averages(parts, method, terms)
    if conservative:
        uncertainty = _with_variability_of_models(uncertainty)
    uncertainty = replace(
        uncertainty,
        matrix=read_only(np.array(uncertainty.matrix)),
        sources=[(Provenance(sample.rows, sample), None)],
    )
    averages: list[Estimate] = []
    for g, group in enumerate(groups):
        of_folds = folds[g * count : (g + 1) * count]
        with held_warnings() as about_rows:
            if common is not None:
                resampled = uncertainty.replicates is not None
                warn_about_rows(group.sample.rows, resampled=resampled)
        about_scores = _about_scores(of_folds)
        for i, (name, _) in enumerate(targets):
            at = np.arange(count) * size + g * count * size + i
            found = [
                replace(e, rows=e.rows._replace(conservative=conservative))
                for e in (solution.estimates[j] for j in at)
            ]
            covariance = solution.uncertainty.matrix[np.ix_(at, at)]
            marginal = uncertainty.marginal(len(averages))
            average = _average(found, marginal, group.sample.rows, covariance)
            about = [*about_rows, *about_scores.get(name, ())]
            if of_classes:
                with held_warnings() as below_chance:
                    warn_if_below_chance(average, of_folds[0].sample.any_ratings(name))
                about += below_chance
            cautions = cautions_of_average(average, found, rows.fold_names, about)
            averages.append(replace(average, cautions=tuple(cautions)))
    warn_once_per_kind([caution for average in averages for caution in average.cautions])
    return averages, uncertainty


def _about_scores(folds: Sequence[DataPart]) -> dict[str, list[PauciWarning]]:
    """Return the warnings about reversed scores of each classifier, by the average AUC in folds.

    There are none for several classes, which have no reversed order.
    """
    found: dict[str, list[PauciWarning]] = {}
    for name, _ in () if folds[0].sample.classes else folds[0].targets:
        if name not in found:
            with held_warnings() as found[name]:
                warn_if_reversed([fold.sample.ratings(name) for fold in folds])
    return found


def _folds_of(
    groups: Sequence[DataPart], positions: Sequence[IntArray], targets: Sequence[Target]
) -> tuple[list[DataPart], list[IntArray]]:
    """Return the folds of all groups, and the positions of their rows."""
    folds, index = [], []
    for group, at in zip(groups, positions, strict=True):
        rows = group.sample.rows
        for k, (fold, name) in enumerate(zip(group.sample.folds(), rows.fold_names, strict=True)):
            where = ", ".join(filter(None, [group.name, f"in fold {name!r}"]))
            folds.append(DataPart(fold, targets, where, group.group, warnings=[]))
            index.append(at if rows.has_estimated_weights else at[rows.fold == k])
    return folds, index


def _targets_in_folds(targets: Sequence[Target], rows: Rows) -> Sequence[Target]:
    """Return the measures that are averaged: corrected for bias, unless there are weights."""
    if rows.has_weights or isinstance(rows, ClassRows):
        return targets
    return [(name, measure.in_folds) for name, measure in targets]


@dataclass(frozen=True, eq=False)
class _Inflated:
    """Replicates of averages over folds with increased distances from the estimates."""

    replicates: Replicated
    factor: float

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some averages."""
        resampled: Resampled = self.replicates.combined(positions, weights)
        return resampled.inflated(self.factor)


def _with_variability_of_models(averages: Uncertainty) -> Uncertainty:
    """Return the uncertainty with q = 1: twice the variance, the same degrees of freedom."""
    factor, replicates = math.sqrt(INFLATION), averages.replicates
    return replace(
        averages.scaled(np.full(len(averages.matrix), factor)),
        matrix=INFLATION * averages.matrix,
        replicates=None if replicates is None else _Inflated(replicates, factor),
    )


def _average(
    parts: Sequence[Estimate],
    uncertainty: MarginalUncertainty,
    rows: Rows,
    covariance: FloatArray,
) -> Estimate:
    """Return the average of estimates in the folds with this covariance, without its cautions."""

    def mean(values: Sequence[float]) -> float:
        return math.fsum(values) / len(parts)

    value = mean([e.value for e in parts])
    sizes = [e.effective_size for e in parts if e.effective_size is not None]
    bounds = Bounds(mean([e.bounds.low for e in parts]), mean([e.bounds.high for e in parts]))
    limits = [(e.value, e.binomial) for e in parts]
    deviates = partial(_covariance_of_deviates, parts, covariance, rows)
    return replace(
        parts[0],
        value=value,
        se=0.0 if uncertainty.se <= rounding_error(bounds) else uncertainty.se,
        region=_region([e.region for e in parts]),
        rows=facts_of(parts[0].measure, rows)._replace(
            cluster_df=math.inf if rows.clusters_cross_folds else rows.cluster_df,
            group=parts[0].group,
            positive_class=parts[0].positive_class,
            folds=len(parts),
            conservative=parts[0].conservative,
            effective_size=min(sizes) if sizes else None,
        ),
        bounds=bounds,
        df=uncertainty.df,
        resampled=uncertainty.resampled and replicates_of(parts[0].measure, uncertainty.resampled),
        bias=uncertainty.bias,
        support=math.fsum(e.support for e in parts),
        variance_of_heights=uncertainty.variance_of_heights,
        binormal_se=0.0,
        limits=limits_of_average(limits, value, uncertainty, rows, deviates),
    )


def _covariance_of_deviates(
    parts: Sequence[Estimate], covariance: FloatArray, rows: Rows
) -> FloatArray:
    """Return the covariance matrix of the normal deviates of the values in the folds.

    If clusters have rows in several folds, the limits in a fold are those of independent rows, so
    that the variance of the deviate is the design effect that applies if all rows of a cluster
    agree. The covariance is that of the contributions of the rows. For the part of the variance
    without contributions, as at a rate of 0 or 1, the correlation is that of clusters in which all
    rows agree.
    """
    correlation = correlation_matrix(covariance)
    if rows.clusters_cross_folds:
        assert rows.fold is not None
        assert rows.cluster is not None
        counts = np.zeros((len(parts), rows.cluster.max() + 1))
        np.add.at(counts, (rows.fold, rows.cluster), 1.0)
        common = counts @ counts.T
        variances = covariance.diagonal()
        with np.errstate(divide="ignore", invalid="ignore"):
            unshared = np.sqrt([e.variance_of_heights for e in parts] / variances)
        unshared[variances <= 0.0] = 1.0
        agreed = correlation_matrix(common) * np.outer(unshared, unshared)
        correlation = np.where(np.eye(len(parts)) > 0.0, correlation, correlation + agreed)
        effects = np.sqrt(common.diagonal() / counts.sum(axis=1))
        correlation *= np.outer(effects, effects)
    return correlation * parts[0]._inflation


def _region(parts: Sequence[ResolvedRegion]) -> ResolvedRegion:
    """Return the average position of a region, and the numbers of rows in it over all folds."""
    ends = np.mean([[*p.fpr, *p.tpr] for p in parts], axis=0).tolist()
    same = all(p.threshold == parts[0].threshold for p in parts)
    threshold: tuple[Any, Any] = parts[0].threshold if same else (math.nan, math.nan)
    return replace(
        parts[0],
        fpr=Bounds(*ends[:2]),
        tpr=Bounds(*ends[2:]),
        threshold=threshold,
        n_pos=math.fsum(p.n_pos for p in parts),
        n_neg=math.fsum(p.n_neg for p in parts),
    )
