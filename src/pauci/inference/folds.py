r"""Measures within the folds of a cross-validation, averaged.

The scores of K models are not on one scale, so nothing is ranked across folds (LeDell, Petersen
and van der Laan 2015). With t_k and V_k the estimates and their covariance within fold k, by any
source of standard errors,

.. math:: t = \frac{1}{K} \sum_k t_k, \qquad V = \frac{1}{K^2} \sum_k V_k ,

which is right if the models do not depend on the rows that are evaluated: models of other data, or
models that hardly change when some training rows are exchanged. The model of each fold is fitted
to the rows of the other folds, so the estimates of two folds are correlated even given the models,
and the true variance is (1 + q) V, with q between 0 and 1 the share of V that comes from the
models' own noise. No unbiased estimator of it exists from one cross-validation (Bengio and
Grandvalet 2004, Journal of Machine Learning Research 5:1089-1105), and ``conservative=True`` takes
2 V. For influence values V is the
rule of `pauci.variance.influence` with the fold in place of the sample. Where a cluster lies in
several folds, as a row does in a repeated cross-validation, the standardized influence values z of
all its rows, over K, are summed first, and V is that of clusters; the jackknife leaves out a
cluster in all its folds, and the bootstrap draws it with its rows in all of them
(`VarianceMethod.across_folds`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.region import Bounds, ResolvedRegion
from pauci.errors import (
    DegenerateWarning,
    FewInfluentialWarning,
    PauciWarning,
    ReversedScoresWarning,
    SmallRegionWarning,
    held_warnings,
)
from pauci.inference.cautions import warn_about_degenerate, warn_about_rows
from pauci.inference.small_folds import warn_of_small_folds
from pauci.inference.together import say_together
from pauci.intervals.resampled import Resampled
from pauci.measures.base import Measure
from pauci.results.estimate import INFLATION, ROUNDING, Estimate
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample
from pauci.variance.base import (
    Problem,
    Replicated,
    SharedFolds,
    Uncertainty,
    VarianceMethod,
    in_fold,
)

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
    """Return the averages over folds of what `solve` says of each.

    `conservative` doubles their variances and covariances.
    """
    rows, samples = sample.rows, sample.folds()
    shared = rows.clusters_cross_folds
    if shared:
        problems = [
            Problem(tuple(part.ratings(name) for name, _ in targets), tuple(m for _, m in targets))
            for part in samples
        ]
    uncertain: list[Uncertainty] = []
    estimates, heard = [], []
    with held_warnings() as of_all:
        if shared:
            methods, of_averages = method.across_folds(SharedFolds(rows, problems))
            warn_about_rows(rows, resampled=of_averages.replicates is not None)
        else:
            methods = method.for_folds(len(samples))
    for name, part, its_method in zip(rows.fold_names, samples, methods, strict=True):
        with held_warnings() as held, in_fold(name):
            found, uncertainty = solve(part, its_method)
        heard.append(held)
        estimates.append(found)
        uncertain.append(uncertainty)
    together = of_averages if shared else _mean(uncertain)
    if conservative:
        together = _with_noise_of_models(together)
    together.matrix.flags.writeable = False
    averages = []
    for i in range(len(targets)):
        of_target = [of_fold[i] for of_fold in estimates]
        with held_warnings() as small:
            warn_of_small_folds(rows.fold_names, of_target)
        averages.append(_average(of_target, together, i, rows, small))
    if conservative:
        averages = [replace(e, conservative=True) for e in averages]
    of_estimates = {id(c) for found in estimates for e in found for c in e.cautions}
    others = [[w for w in held if id(w) not in of_estimates] for held in heard]
    _say(rows.fold_names, others, [c for e in averages for c in e.cautions] + of_all)
    return averages, together


def _say(
    names: Sequence[object],
    heard: Sequence[Sequence[PauciWarning]],
    of_averages: list[PauciWarning],
) -> None:
    """Say once a kind what was warned of averages, and of the rows and scores of folds.

    A warning that is not the same in all folds names its fold. That a few folds rank badly is
    chance.
    """
    backwards = [any(isinstance(w, ReversedScoresWarning) for w in warnings) for warnings in heard]
    by_chance = 2 * sum(backwards) <= len(heard)
    texts = [{str(w) for w in held} for held in heard]
    each = [
        w if all(str(w) in said for said in texts) else _named(w, f"in fold {name!r}: ")
        for name, held in zip(names, heard, strict=True)
        for w in held
        if not (by_chance and isinstance(w, ReversedScoresWarning))
    ]
    say_together([*each, *of_averages])


def _named(warning: PauciWarning, words: str) -> PauciWarning:
    """Return a warning with the fold that it is about before it."""
    value = warning.value
    return type(warning)(words, *warning.parts, argument=warning.argument, value=value)


def _cautions(
    names: Sequence[object], found: Sequence[Estimate], small: list[PauciWarning]
) -> tuple[PauciWarning, ...]:
    """Return what to warn of an average, once a kind, from what was warned within the folds.

    An average may be well known where its parts are not, and of small regions `small` tells.
    """
    told: dict[type[PauciWarning], list[tuple[object, PauciWarning]]] = {}
    for name, e in zip(names, found, strict=True):
        for caution in e.cautions:
            told.setdefault(type(caution), []).append((name, caution))
    if small:
        told.pop(SmallRegionWarning, None)
    few = told.get(FewInfluentialWarning, ())
    if len(few) < len(found) or sum(caution.value for _, caution in few) >= 1.0:
        told.pop(FewInfluentialWarning, None)  # the folds together have enough misranked
    return (*small, *(_of_folds(each, len(found)) for each in told.values()))


def _of_folds(told: Sequence[tuple[object, PauciWarning]], many: int) -> PauciWarning:
    """Return a caution that says which of many folds it is about; none where all say the same."""
    name, caution = told[0]
    if len(told) == many and len({c.reason for _, c in told}) == 1:
        return caution
    where = f"in fold {name!r}"
    if len(told) > 1:
        where = f"in {len(told):,} of {many:,} folds, such as fold {name!r}"
    reason = caution.reason
    if isinstance(caution, DegenerateWarning):
        reason = reason.partition(", and intervals")[0]
        reason += ", so that the standard error of the average may be too small."
    subject, of, _, *advice = caution.parts
    parts = subject, of, f"{where}, {reason}", *advice
    return type(caution)(*parts, argument=caution.argument, value=caution.value)


@dataclass(frozen=True, eq=False)
class _Replicates:
    """Replicates of averages over folds."""

    parts: Sequence[Replicated]

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some averages."""
        return Resampled.mean([part.combined(positions, weights) for part in self.parts])


@dataclass(frozen=True, eq=False)
class _Inflated:
    """Replicates of averages over folds whose distances from the estimates are larger."""

    replicates: Replicated
    factor: float

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some averages."""
        drawn: Resampled = self.replicates.combined(positions, weights)
        return drawn.inflated(self.factor)


def _mean(parts: Sequence[Uncertainty]) -> Uncertainty:
    """Return how uncertain the averages of independent estimates are."""
    k = len(parts)
    matrix = np.sum([part.matrix for part in parts], axis=0) / k**2
    replicates = [part.replicates for part in parts if part.replicates is not None]
    biases = [part.bias for part in parts if part.bias is not None]
    unseen = [part.unseen for part in parts if part.unseen is not None]
    of_sum = partial(_df_of_mean, parts)
    return Uncertainty(
        matrix,
        np.array([of_sum(row) for row in np.eye(len(matrix))]),
        _Replicates(replicates) if len(replicates) == k else None,
        np.mean(biases, axis=0) if len(biases) == k else None,
        of_sum,
        np.sum(unseen, axis=0) / k**2 if unseen else None,
    )


def _with_noise_of_models(found: Uncertainty) -> Uncertainty:
    """Return what averages have with q = 1: twice the variance, as well known as before."""
    replicates = found.replicates
    return replace(
        found,
        matrix=INFLATION * found.matrix,
        replicates=None if replicates is None else _Inflated(replicates, math.sqrt(INFLATION)),
        unseen=None if found.unseen is None else INFLATION * found.unseen,
    )


def _df_of_mean(parts: Sequence[Uncertainty], weights: FloatArray) -> float:
    """Return the degrees of freedom of a weighted sum of averages (Satterthwaite)."""
    total = doubt = 0.0
    for part in parts:
        variance = float(weights @ part.matrix @ weights)
        total += variance
        doubt += variance**2 / part.df_of(weights)
    return total**2 / doubt if doubt > 0.0 else math.inf


def _average(
    found: Sequence[Estimate], together: Uncertainty, i: int, rows: Rows, small: list[PauciWarning]
) -> Estimate:
    """Return the average of the estimates of one measure within the folds."""

    def mean(values: Sequence[float]) -> float:
        return math.fsum(values) / len(found)

    first = found[0]
    replicates = together.replicates
    resampled = None if replicates is None else replicates.combined([i], [1.0])
    bias = None if together.bias is None else float(together.bias[i])
    if bias is None and resampled is not None:
        bias = resampled.bias
    df = math.inf if together.df is None else float(together.df[i])
    sizes = [e.effective_size for e in found if e.effective_size is not None]
    bounds = Bounds(mean([e.bounds.low for e in found]), mean([e.bounds.high for e in found]))
    se = math.sqrt(together.matrix[i, i])
    average = replace(
        first,
        value=mean([e.value for e in found]),
        se=0.0 if se <= ROUNDING * min(bounds.high - bounds.low, 1.0) else se,
        region=_region([e.region for e in found]),
        n_pos=rows.counts[0], n_neg=rows.counts[1],
        bounds=bounds,
        df=min(df, rows.cluster_df), cluster_df=rows.cluster_df,
        units=rows.units, clusters=rows.clusters, weighted=rows.weight is not None,
        resampled=resampled, bias=bias,
        dropped=rows.dropped, left_out=rows.left_out, uncounted=rows.uncounted,
        support=math.fsum(e.support for e in found),
        effective_size=min(sizes) if sizes else None,
        cautions=(),
        unseen=0.0 if together.unseen is None else float(together.unseen[i]),
        folds=len(found),
        resolution_bound=mean([e.resolution_bound for e in found]),
        binormal_se=0.0, height=None,  # of a single fold
    )  # fmt: skip
    cautions = _cautions(rows.fold_names, found, small)
    if average.degenerate:
        with held_warnings() as own:
            warn_about_degenerate(average)
        cautions = (*own, *(c for c in cautions if not isinstance(c, DegenerateWarning)))
    return replace(average, cautions=cautions)


def _region(parts: Sequence[ResolvedRegion]) -> ResolvedRegion:
    """Return the average place of a region, and what all folds hold inside it."""
    ends = np.mean([[*p.fpr, *p.tpr] for p in parts], axis=0).tolist()
    same = all(p.threshold == parts[0].threshold for p in parts)
    threshold: tuple[Any, Any] = parts[0].threshold if same else (math.nan, math.nan)
    return replace(
        parts[0], fpr=Bounds(*ends[:2]), tpr=Bounds(*ends[2:]), threshold=threshold,
        n_pos=math.fsum(p.n_pos for p in parts), n_neg=math.fsum(p.n_neg for p in parts),
    )  # fmt: skip
