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
the formula of `pauci.variance.influence_covariance` with the fold in place of the sample. If a
cluster has rows in several folds, as a row has in repeated cross-validation, the standardized
influence values z of all its rows, divided by K, are summed first, and V is the variance for
clusters. The jackknife leaves out a cluster in all its folds, and the bootstrap draws a cluster
with its rows in all folds: the estimates of the folds are terms with common units
(`pauci.variance.terms`), and the average is a weighted sum of these terms.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pauci.curve.region import Bounds, ResolvedRegion
from pauci.errors import (
    DegenerateWarning,
    FewInfluentialWarning,
    PauciWarning,
    ReversedScoresWarning,
    SmallFoldsWarning,
    SmallRegionWarning,
    held_warnings,
)
from pauci.inference.combined_warnings import warn_once_per_kind
from pauci.inference.fold_warnings import warn_about_small_folds
from pauci.inference.sample_warnings import warn_about_degenerate, warn_about_rows
from pauci.intervals.resampled import Resampled
from pauci.measures.base import Measure
from pauci.results.estimates import INFLATION, Estimate
from pauci.results.quantity import rounding_error
from pauci.results.reversed_scores import warn_if_reversed
from pauci.sample.ratings import single_rows
from pauci.sample.rows import InMemoryRows
from pauci.sample.sample import Sample
from pauci.variance.method import (
    MarginalUncertainty,
    Problem,
    Replicated,
    Uncertainty,
    VarianceMethod,
    independent_uncertainty,
)
from pauci.variance.terms import Terms, part_context

Target = tuple[str, Measure]
Solved = tuple[list[Estimate], Uncertainty]


class _FoldSolution(NamedTuple):
    """The estimates in a fold, their uncertainty, and the warnings about its rows and scores."""

    phrase: str
    """The fold in messages, such as "in fold 1"."""
    estimates: list[Estimate]
    uncertainty: Uncertainty
    warnings: list[PauciWarning]


def solve_in_folds(
    sample: Sample,
    targets: Sequence[Target],
    method: VarianceMethod,
    solve: Callable[[Sample, VarianceMethod], Solved],
    *,
    conservative: bool,
) -> Solved:
    """Return the averages over folds of the estimates that `solve` returns for each fold.

    `conservative` doubles the variances and covariances of the averages.
    """
    rows, samples = single_rows(sample.rows), sample.folds()
    phrases = [f"in fold {name!r}" for name in rows.fold_names]
    row_warnings: list[PauciWarning] = []
    if rows.clusters_cross_folds:
        with held_warnings() as row_warnings:
            uncertainty, methods = _uncertainty_of_joint_folds(
                rows, samples, targets, method, phrases
            )
        folds = _solve_each(samples, methods, phrases, solve)
    else:
        folds = _solve_each(samples, method.for_folds(len(samples)), phrases, solve)
        uncertainty = _uncertainty_of_independent_folds([fold.uncertainty for fold in folds])
    if conservative:
        uncertainty = _with_variability_of_models(uncertainty)
    uncertainty.matrix.flags.writeable = False
    averages = [
        _average([fold.estimates[i] for fold in folds], uncertainty.marginal(i), rows)
        for i in range(len(targets))
    ]
    if conservative:
        averages = [replace(e, conservative=True) for e in averages]
    with held_warnings() as reversed_scores:
        for name in dict.fromkeys(name for name, _ in targets):
            warn_if_reversed([part.ratings(name) for part in samples])
    cautions = [c for e in averages for c in e.cautions]
    _issue_warnings(folds, [*reversed_scores, *cautions, *row_warnings])
    return averages, uncertainty


def _uncertainty_of_joint_folds(
    rows: InMemoryRows,
    samples: Sequence[Sample],
    targets: Sequence[Target],
    method: VarianceMethod,
    phrases: Sequence[str],
) -> tuple[Uncertainty, Sequence[VarianceMethod]]:
    """Return the uncertainty of averages over folds with common clusters, and methods by fold."""
    count = len(samples)
    problems = [
        Problem(tuple(part.ratings(n) for n, _ in targets), tuple(m for _, m in targets))
        for part in samples
    ]
    terms = Terms(rows, problems, [rows.fold_index(k) for k in range(count)], phrases)
    average = np.eye(len(targets)) / count
    uncertainty, methods, _ = method.joint(terms, np.hstack([average] * count))
    warn_about_rows(rows, resampled=uncertainty.replicates is not None)
    return uncertainty, methods


def _uncertainty_of_independent_folds(parts: Sequence[Uncertainty]) -> Uncertainty:
    """Return the uncertainty of averages over folds without common clusters."""
    average = np.eye(len(parts[0].matrix)) / len(parts)
    uncertainty = independent_uncertainty([(average, part) for part in parts])
    replicates = [part.replicates for part in parts if part.replicates is not None]
    if len(replicates) < len(parts):
        return uncertainty
    return replace(uncertainty, replicates=_AveragedReplicates(replicates))


def _solve_each(
    samples: Sequence[Sample],
    methods: Sequence[VarianceMethod],
    phrases: Sequence[str],
    solve: Callable[[Sample, VarianceMethod], Solved],
) -> list[_FoldSolution]:
    """Return the estimates in each fold, and the warnings that are not about an estimate."""
    folds = []
    for part, method, phrase in zip(samples, methods, phrases, strict=True):
        with held_warnings() as collected, part_context(phrase):
            estimates, uncertainty = solve(part, method)
        listed = {id(caution) for e in estimates for caution in e.cautions}
        others = [w for w in collected if id(w) not in listed]
        folds.append(_FoldSolution(phrase, estimates, uncertainty, others))
    return folds


def _issue_warnings(folds: Sequence[_FoldSolution], average_warnings: list[PauciWarning]) -> None:
    """Issue one warning of each kind about averages, and about the rows and scores of folds.

    A warning that is not the same in all folds mentions the fold. Whether scores are reversed is
    decided by the average AUC.
    """
    texts = [{str(w) for w in fold.warnings} for fold in folds]
    fold_warnings = [
        w if all(str(w) in words for words in texts) else w.replaced(where=fold.phrase)
        for fold in folds
        for w in fold.warnings
        if not isinstance(w, ReversedScoresWarning)
    ]
    warn_once_per_kind([*fold_warnings, *average_warnings])


def _cautions(
    average: Estimate, parts: Sequence[Estimate], names: Sequence[object]
) -> list[PauciWarning]:
    """Return the warnings about an average, one of each kind, from the warnings in the folds.

    An average may be precise even if the estimates in the folds are not. A warning about small
    folds includes small regions.
    """
    by_kind: dict[type[PauciWarning], list[tuple[object, PauciWarning]]] = {}
    for name, e in zip(names, parts, strict=True):
        for caution in e.cautions:
            by_kind.setdefault(type(caution), []).append((name, caution))
    with held_warnings() as cautions:
        if average.degenerate:
            by_kind.pop(DegenerateWarning, None)
            warn_about_degenerate(average)
        warn_about_small_folds(names, parts)
    if any(isinstance(caution, SmallFoldsWarning) for caution in cautions):
        by_kind.pop(SmallRegionWarning, None)
    influential = by_kind.get(FewInfluentialWarning, ())
    misranked = sum(caution.value for _, caution in influential)
    if len(influential) < len(parts) or misranked >= 1.0:
        by_kind.pop(FewInfluentialWarning, None)  # all folds together have enough misranked rows
    return [*cautions, *(_caution_of_folds(group, len(parts)) for group in by_kind.values())]


def _caution_of_folds(cautions: Sequence[tuple[object, PauciWarning]], count: int) -> PauciWarning:
    """Return a warning for several folds, which mentions them unless it is equal in all folds."""
    name, caution = cautions[0]
    if len(cautions) == count and len({c.reason for _, c in cautions}) == 1:
        return caution
    where = f"in fold {name!r}"
    if len(cautions) > 1:
        where = f"in {len(cautions):,} of {count:,} folds, such as fold {name!r}"
    reason = caution.reason
    if isinstance(caution, DegenerateWarning):
        reason = reason.partition(", and intervals")[0]
        reason += ", so that the standard error of the average may be too small."
    return caution.replaced(message=f"{where}, {reason}")


@dataclass(frozen=True, eq=False)
class _AveragedReplicates:
    """Replicates of averages over folds."""

    parts: Sequence[Replicated]

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some averages."""
        return Resampled.mean([part.combined(positions, weights) for part in self.parts])


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
    replicates, pseudo = averages.replicates, averages.pseudo_variance
    return replace(
        averages,
        matrix=INFLATION * averages.matrix,
        replicates=None if replicates is None else _Inflated(replicates, math.sqrt(INFLATION)),
        pseudo_variance=None if pseudo is None else INFLATION * pseudo,
    )


def _average(
    parts: Sequence[Estimate], uncertainty: MarginalUncertainty, rows: InMemoryRows
) -> Estimate:
    """Return the average of the estimates of a measure in the folds."""

    def mean(values: Sequence[float]) -> float:
        return math.fsum(values) / len(parts)

    sizes = [e.effective_size for e in parts if e.effective_size is not None]
    bounds = Bounds(mean([e.bounds.low for e in parts]), mean([e.bounds.high for e in parts]))
    average = replace(
        parts[0],
        value=mean([e.value for e in parts]),
        se=0.0 if uncertainty.se <= rounding_error(bounds) else uncertainty.se,
        region=_region([e.region for e in parts]),
        n_pos=rows.counts[0], n_neg=rows.counts[1],
        bounds=bounds,
        df=min(uncertainty.df, rows.cluster_df), cluster_df=rows.cluster_df,
        units=rows.units, clusters=rows.clusters, weighted=rows.has_weights,
        resampled=uncertainty.resampled, bias=uncertainty.bias,
        dropped=rows.dropped, left_out=rows.left_out, uncounted=rows.uncounted,
        support=math.fsum(e.support for e in parts),
        effective_size=min(sizes) if sizes else None,
        cautions=(),
        pseudo_variance=uncertainty.pseudo_variance,
        folds=len(parts),
        resolution_bound=mean([e.resolution_bound for e in parts]),
        binormal_se=0.0, height=None,  # which apply to a single fold
    )  # fmt: skip
    return replace(average, cautions=tuple(_cautions(average, parts, rows.fold_names)))


def _region(parts: Sequence[ResolvedRegion]) -> ResolvedRegion:
    """Return the average position of a region, and the numbers of rows in it over all folds."""
    ends = np.mean([[*p.fpr, *p.tpr] for p in parts], axis=0).tolist()
    same = all(p.threshold == parts[0].threshold for p in parts)
    threshold: tuple[Any, Any] = parts[0].threshold if same else (math.nan, math.nan)
    return replace(
        parts[0], fpr=Bounds(*ends[:2]), tpr=Bounds(*ends[2:]), threshold=threshold,
        n_pos=math.fsum(p.n_pos for p in parts), n_neg=math.fsum(p.n_neg for p in parts),
    )  # fmt: skip
