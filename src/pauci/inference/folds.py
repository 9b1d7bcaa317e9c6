r"""Measures within the folds of a cross-validation, averaged.

The scores of K models are not on one scale, so nothing is ranked across folds (LeDell, Petersen
and van der Laan 2015). With t_k and V_k the estimates and their covariance within fold k, by any
source of standard errors,

.. math:: t = \frac{1}{K} \sum_k t_k, \qquad V = \frac{1}{K^2} \sum_k V_k ,

as rows of different folds are independent given the models. For influence values this is the rule
of `pauci.variance.influence` with the fold in place of the sample. Where a cluster lies in several
folds, as a row does in a repeated cross-validation, the standardized influence values z of all
its rows, over K, are summed first, and V is that of clusters.
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
    FewInfluentialWarning,
    InputError,
    PauciWarning,
    ReversedScoresWarning,
    Spelled,
    UndefinedError,
    arg,
    held_warnings,
)
from pauci.inference.together import say_together
from pauci.intervals.resampled import Resampled
from pauci.measures.base import Measure
from pauci.results.estimate import Estimate
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample
from pauci.variance.base import Problem, Replicated, Uncertainty, VarianceMethod
from pauci.variance.influence import Stratum, covariance_of, df_of_sum, standardized

Target = tuple[str, Measure]
Solved = tuple[list[Estimate], Uncertainty]

_WELL_KNOWN = 16.0
"""Degrees of freedom of an average from which on those of its parts do not matter."""


def solve_in_folds(
    sample: Sample,
    targets: Sequence[Target],
    method: VarianceMethod,
    solve: Callable[[Sample, VarianceMethod], Solved],
) -> Solved:
    """Return the averages over folds of what `solve` says of each."""
    rows = sample.rows
    crossing = rows.clusters_cross_folds
    if crossing and method.key != "influence":
        raise InputError(
            arg("variance", Spelled(method.key, method.key)),
            " takes folds to be independent, and the clusters of this sample lie in several folds. "
            "Use ", arg("variance", "influence"), ".",
        )  # fmt: skip
    samples = sample.folds()
    estimates, uncertain, heard = [], [], []
    methods = method.for_folds(len(samples))
    for name, part, its_method in zip(rows.fold_names, samples, methods, strict=True):
        with held_warnings() as held:
            try:
                found, uncertainty = solve(part, its_method)
            except UndefinedError as error:
                raise UndefinedError(
                    f"in fold {name!r}: ", *error.parts, argument=error.argument, value=error.value
                ) from None
        heard.append(held)
        estimates.append(found)
        uncertain.append(uncertainty)
    together = _of_crossing_clusters(rows, samples, targets) if crossing else _mean(uncertain)
    together.matrix.flags.writeable = False
    averages = [
        _average([found[i] for found in estimates], together, i, rows) for i in range(len(targets))
    ]
    _say(heard, [e.df for e in averages])
    return averages, together


def _say(heard: Sequence[Sequence[PauciWarning]], df: Sequence[float]) -> None:
    """Say what was warned of in folds, once a kind.

    That a few folds rank badly is chance, and an average may be well known where its parts are not.
    """
    backwards = [any(isinstance(w, ReversedScoresWarning) for w in warnings) for warnings in heard]
    no_news: list[type[PauciWarning]] = []
    if 2 * sum(backwards) <= len(heard):
        no_news.append(ReversedScoresWarning)
    if min(df) >= _WELL_KNOWN:
        no_news.append(FewInfluentialWarning)
    say_together([w for held in heard for w in held if not isinstance(w, tuple(no_news))])


@dataclass(frozen=True, eq=False)
class _Replicates:
    """Replicates of averages over folds."""

    parts: Sequence[Replicated]

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some averages."""
        return Resampled.mean([part.combined(positions, weights) for part in self.parts])


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


def _df_of_mean(parts: Sequence[Uncertainty], weights: FloatArray) -> float:
    """Return the degrees of freedom of a weighted sum of averages (Satterthwaite)."""
    total = doubt = 0.0
    for part in parts:
        variance = float(weights @ part.matrix @ weights)
        total += variance
        doubt += variance**2 / part.df_of(weights)
    return total**2 / doubt if doubt > 0.0 else math.inf


def _of_crossing_clusters(
    rows: Rows, samples: Sequence[Sample], targets: Sequence[Target]
) -> Uncertainty:
    """Return the influence covariance of averages whose clusters lie in several folds."""
    assert rows.cluster is not None
    sums = np.zeros((len(targets), int(rows.cluster.max()) + 1))
    for k, part in enumerate(samples):
        problem = Problem(
            tuple(part.ratings(name) for name, _ in targets), tuple(m for _, m in targets)
        )
        # Each row is a cluster of its own here, so that z comes by rows and not by tie groups.
        alone = replace(part.rows, cluster=np.arange(part.rows.positive.size))
        cluster = rows.cluster.take(rows.index_of_fold(k))
        strata = standardized(alone, problem.all_terms)
        for positive, stratum in zip((True, False), strata, strict=True):
            at = cluster[part.rows.positive == positive]
            for i, z in enumerate(stratum.z):
                mass = z if stratum.copies is None else z * stratum.copies
                sums[i] += np.bincount(at, mass, minlength=sums.shape[1])
    sums /= len(samples)
    units = float(rows.clusters or 0)
    if min(rows.units) < 2:
        raise UndefinedError(
            "one cluster holds a whole class: a standard error needs at least two clusters in each."
        )
    sums *= math.sqrt(units / (units - 1.0))
    parts = [[Stratum(list(sums), None, units)]]
    matrix, df, _ = covariance_of(parts)
    return Uncertainty(matrix, df, df_of_sum=partial(df_of_sum, parts))


def _average(found: Sequence[Estimate], together: Uncertainty, i: int, rows: Rows) -> Estimate:
    """Return the average of the estimates of one measure within the folds."""

    def mean(values: Sequence[float]) -> float:
        return math.fsum(values) / len(found)

    first = found[0]
    replicates = together.replicates
    resampled = None if replicates is None else replicates.combined([i], [1.0])
    bias = None if together.bias is None else float(together.bias[i])
    if bias is None and resampled is not None:
        bias = resampled.bias
    cautions: dict[type[PauciWarning], PauciWarning] = {}
    for e in found:
        for caution in e.cautions:
            cautions.setdefault(type(caution), caution)
    df = math.inf if together.df is None else float(together.df[i])
    if df >= _WELL_KNOWN:
        cautions.pop(FewInfluentialWarning, None)
    sizes = [e.effective_size for e in found if e.effective_size is not None]
    return replace(
        first,
        value=mean([e.value for e in found]),
        se=math.sqrt(together.matrix[i, i]),
        region=_region([e.region for e in found]),
        n_pos=rows.counts[0], n_neg=rows.counts[1],
        bounds=Bounds(mean([e.bounds.low for e in found]), mean([e.bounds.high for e in found])),
        df=min(df, rows.cluster_df), cluster_df=rows.cluster_df,
        units=rows.units, clusters=rows.clusters, weighted=rows.weight is not None,
        resampled=resampled, bias=bias,
        dropped=rows.dropped, uncounted=rows.uncounted,
        support=math.fsum(e.support for e in found),
        effective_size=min(sizes) if sizes else None,
        cautions=tuple(cautions.values()),
        unseen=0.0 if together.unseen is None else float(together.unseen[i]),
        folds=len(found),
    )  # fmt: skip


def _region(parts: Sequence[ResolvedRegion]) -> ResolvedRegion:
    """Return the average place of a region, and what all folds hold inside it."""
    ends = np.mean([[*p.fpr, *p.tpr] for p in parts], axis=0).tolist()
    same = all(p.threshold == parts[0].threshold for p in parts)
    threshold: tuple[Any, Any] = parts[0].threshold if same else (math.nan, math.nan)
    return replace(
        parts[0], fpr=Bounds(*ends[:2]), tpr=Bounds(*ends[2:]), threshold=threshold,
        n_pos=math.fsum(p.n_pos for p in parts), n_neg=math.fsum(p.n_neg for p in parts),
    )  # fmt: skip
