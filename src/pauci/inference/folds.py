r"""Averages of measures over the folds of a cross-validation.

The scores of K models do not have the same scale, so rows of different folds are not ranked
together (LeDell, Petersen and van der Laan 2015). With t_k and V_k the estimates and their
covariance in fold k, by any variance method,

.. math:: t = \frac{1}{K} \sum_k t_k, \qquad V = \frac{1}{K^2} \sum_k V_k ,

which is valid if the models do not depend on the rows that are evaluated: models fitted to other
data, or models that hardly change when some training rows are exchanged. Otherwise, because the
model of each fold is fitted to the rows of the other folds, the estimates of two folds are
correlated even given the models, and the true variance is (1 + q) V, where q between 0 and 1 is the
proportion of V that is due to the variability of the models. It has no unbiased estimator from a
single cross-validation (Bengio and Grandvalet 2004, Journal of Machine Learning Research
5:1089-1105); ``conservative=True`` uses 2 V. For influence values, V follows from the formula of
`pauci.variance.influence_covariance` with the fold in place of the sample. If a cluster has rows in
several folds, as a row does in repeated cross-validation, the standardized influence values z of
all its rows, divided by K, are summed first, and V is the variance for clusters. The jackknife
leaves out a cluster in all its folds, and the bootstrap draws it with its rows in all folds: the
estimates of the folds are terms with common units (`pauci.variance.terms`), and the average is a
weighted sum.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pauci.curve.region import Bounds, ResolvedRegion
from pauci.errors import (
    DegenerateWarning,
    FewInfluentialWarning,
    PauciWarning,
    ReversedScoresWarning,
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
from pauci.sample.ratings import single_rows
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample
from pauci.variance.method import (
    Problem,
    Replicated,
    Uncertainty,
    VarianceMethod,
    independent,
)
from pauci.variance.terms import Terms, naming_part

Target = tuple[str, Measure]
Solved = tuple[list[Estimate], Uncertainty]


def solve_in_folds(
    sample: Sample,
    targets: Sequence[Target],
    method: VarianceMethod,
    solve: Callable[[Sample, VarianceMethod], Solved],
    *,
    conservative: bool,
) -> Solved:
    """Return the averages over folds of the estimates by `solve` in each.

    `conservative` doubles their variances and covariances.
    """
    rows, samples = single_rows(sample.rows), sample.folds()
    count, m = len(samples), len(targets)
    names = [f"in fold {name!r}" for name in rows.fold_names]
    average = np.eye(m) / count
    with held_warnings() as of_all:
        if rows.clusters_cross_folds:
            problems = [
                Problem(tuple(part.ratings(n) for n, _ in targets), tuple(t for _, t in targets))
                for part in samples
            ]
            index = [rows.index_of_fold(k) for k in range(count)]
            terms = Terms(rows, problems, index, names)
            together, methods, _ = method.joint(terms, np.hstack([average] * count))
            warn_about_rows(rows, resampled=together.replicates is not None)
        else:
            methods = method.for_folds(count)
    uncertain: list[Uncertainty] = []
    estimates, warned = [], []
    for name, part, its_method in zip(names, samples, methods, strict=True):
        with held_warnings() as held, naming_part(name):
            of_fold, uncertainty = solve(part, its_method)
        warned.append(held)
        estimates.append(of_fold)
        uncertain.append(uncertainty)
    if not rows.clusters_cross_folds:
        together = independent([(average, part) for part in uncertain])
        replicates = [part.replicates for part in uncertain if part.replicates is not None]
        if len(replicates) == count:
            together = replace(together, replicates=_Replicates(replicates))
    if conservative:
        together = _with_noise_of_models(together)
    together.matrix.flags.writeable = False
    averages = []
    for i in range(len(targets)):
        of_target = [of_fold[i] for of_fold in estimates]
        with held_warnings() as small:
            warn_about_small_folds(rows.fold_names, of_target)
        averages.append(_average(of_target, together, i, rows, small))
    if conservative:
        averages = [replace(e, conservative=True) for e in averages]
    of_estimates = {id(c) for of_fold in estimates for e in of_fold for c in e.cautions}
    others = [[w for w in held if id(w) not in of_estimates] for held in warned]
    _issue_warnings(rows.fold_names, others, [c for e in averages for c in e.cautions] + of_all)
    return averages, together


def _issue_warnings(
    names: Sequence[object],
    warned: Sequence[Sequence[PauciWarning]],
    of_averages: list[PauciWarning],
) -> None:
    """Issue one warning of each kind about averages, and about the rows and scores of folds.

    A warning that is not the same in all folds names its fold. An AUC below 0.5 in at most half of
    the folds is attributed to chance.
    """
    reverse = [any(isinstance(w, ReversedScoresWarning) for w in warnings) for warnings in warned]
    by_chance = 2 * sum(reverse) <= len(warned)
    texts = [{str(w) for w in held} for held in warned]
    of_folds = [
        w if all(str(w) in words for words in texts) else w.replaced(where=f"in fold {name!r}")
        for name, held in zip(names, warned, strict=True)
        for w in held
        if not (by_chance and isinstance(w, ReversedScoresWarning))
    ]
    warn_once_per_kind([*of_folds, *of_averages])


def _cautions(
    names: Sequence[object], of_folds: Sequence[Estimate], small: list[PauciWarning]
) -> tuple[PauciWarning, ...]:
    """Return the warnings about an average, one of each kind, from the warnings in the folds.

    An average may be precise even if its parts are not. Warnings about small regions are left to
    `small`.
    """
    by_kind: dict[type[PauciWarning], list[tuple[object, PauciWarning]]] = {}
    for name, e in zip(names, of_folds, strict=True):
        for caution in e.cautions:
            by_kind.setdefault(type(caution), []).append((name, caution))
    if small:
        by_kind.pop(SmallRegionWarning, None)
    few = by_kind.get(FewInfluentialWarning, ())
    if len(few) < len(of_folds) or sum(caution.value for _, caution in few) >= 1.0:
        by_kind.pop(FewInfluentialWarning, None)  # the folds together have enough misranked
    return (*small, *(_combined(same_kind, len(of_folds)) for same_kind in by_kind.values()))


def _combined(cautions: Sequence[tuple[object, PauciWarning]], count: int) -> PauciWarning:
    """Return a warning that names the folds it is about, unless it is the same in all folds."""
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
class _Replicates:
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
        drawn: Resampled = self.replicates.combined(positions, weights)
        return drawn.inflated(self.factor)


def _with_noise_of_models(averages: Uncertainty) -> Uncertainty:
    """Return the uncertainty with q = 1: twice the variance, the same degrees of freedom."""
    replicates, pseudo = averages.replicates, averages.pseudo_variance
    return replace(
        averages,
        matrix=INFLATION * averages.matrix,
        replicates=None if replicates is None else _Inflated(replicates, math.sqrt(INFLATION)),
        pseudo_variance=None if pseudo is None else INFLATION * pseudo,
    )


def _average(
    parts: Sequence[Estimate], together: Uncertainty, i: int, rows: Rows, small: list[PauciWarning]
) -> Estimate:
    """Return the average of the estimates of a measure in the folds."""

    def mean(values: Sequence[float]) -> float:
        return math.fsum(values) / len(parts)

    first = parts[0]
    replicates = together.replicates
    resampled = None if replicates is None else replicates.combined([i], [1.0])
    bias = None if together.bias is None else float(together.bias[i])
    if bias is None and resampled is not None:
        bias = resampled.bias
    df = math.inf if together.df is None else float(together.df[i])
    sizes = [e.effective_size for e in parts if e.effective_size is not None]
    bounds = Bounds(mean([e.bounds.low for e in parts]), mean([e.bounds.high for e in parts]))
    se = math.sqrt(together.matrix[i, i])
    average = replace(
        first,
        value=mean([e.value for e in parts]),
        se=0.0 if se <= rounding_error(bounds) else se,
        region=_region([e.region for e in parts]),
        n_pos=rows.counts[0], n_neg=rows.counts[1],
        bounds=bounds,
        df=min(df, rows.cluster_df), cluster_df=rows.cluster_df,
        units=rows.units, clusters=rows.clusters, weighted=rows.has_weights,
        resampled=resampled, bias=bias,
        dropped=rows.dropped, left_out=rows.left_out, uncounted=rows.uncounted,
        support=math.fsum(e.support for e in parts),
        effective_size=min(sizes) if sizes else None,
        cautions=(),
        pseudo_variance=together.pseudo_variance_of(i),
        folds=len(parts),
        resolution_bound=mean([e.resolution_bound for e in parts]),
        binormal_se=0.0, height=None,  # of a single fold
    )  # fmt: skip
    cautions = _cautions(rows.fold_names, parts, small)
    if average.degenerate:
        with held_warnings() as of_average:
            warn_about_degenerate(average)
        cautions = (*of_average, *(c for c in cautions if not isinstance(c, DegenerateWarning)))
    return replace(average, cautions=cautions)


def _region(parts: Sequence[ResolvedRegion]) -> ResolvedRegion:
    """Return the average position of a region, and the numbers of rows in it over all folds."""
    ends = np.mean([[*p.fpr, *p.tpr] for p in parts], axis=0).tolist()
    same = all(p.threshold == parts[0].threshold for p in parts)
    threshold: tuple[Any, Any] = parts[0].threshold if same else (math.nan, math.nan)
    return replace(
        parts[0], fpr=Bounds(*ends[:2]), tpr=Bounds(*ends[2:]), threshold=threshold,
        n_pos=math.fsum(p.n_pos for p in parts), n_neg=math.fsum(p.n_neg for p in parts),
    )  # fmt: skip
