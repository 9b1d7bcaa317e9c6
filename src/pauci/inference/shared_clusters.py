"""Samples in a list that contain the same clusters, such as patients before and after treatment.

Clusters with the same label are the same units, and the estimates of the samples are terms on these
units (`pauci.variance.terms`): the covariance of two samples is the sum over their common clusters
of the products of the standardized influence of each cluster on both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray, check_flag
from pauci.errors import InputError
from pauci.inference.solve import Solution, Target, check_uncertainty, problem_of, solve
from pauci.inference.unpaired import are_same_integers
from pauci.sample.ratings import single_rows
from pauci.sample.rows import InMemoryRows
from pauci.sample.sample import Sample
from pauci.variance.method import Uncertainty, VarianceMethod
from pauci.variance.terms import Terms


def check_shared_clusters(shared_clusters: object, independent: object, samples: object) -> None:
    """Raise an error if `shared_clusters` is set without a list of samples with clusters."""
    check_flag("shared_clusters", shared_clusters)
    if not shared_clusters:
        return
    if independent:
        raise _invalid(
            "means that equal cluster labels are the same clusters, but independent=True means "
            "that they are not.",
            "Pass only one of them.",
        )
    if not isinstance(samples, (list, tuple)) or not all(isinstance(s, Sample) for s in samples):
        raise _invalid(
            "needs a list of samples. The covariance of classifiers of one sample is always "
            "estimated, and that of curves fitted to different samples is not available.",
            "Omit this argument.",
        )
    for i, sample in enumerate(samples, 1):
        if sample.rows.cluster_labels is None:
            raise _invalid(
                f"needs the cluster of each row, but sample {i} has no clusters.",
                "Pass cluster= to Sample.",
            )
        if sample.rows.has_folds:
            raise _invalid(
                f"is not available for averages over folds, but sample {i} has folds.",
                "Omit fold=, or pass independent=True if the clusters are different.",
            )


def _invalid(message: str, hint: str) -> InputError:
    return InputError(
        f"shared_clusters=True {message}", argument="shared_clusters", value=True, hint=hint
    )


def solve_samples(
    samples: Sequence[Sample],
    targets: Sequence[Sequence[Target]],
    method: VarianceMethod,
    *,
    force: bool,
    shared_clusters: bool,
    conservative: bool,
) -> list[Solution]:
    """Return a solution for each sample, or one for all samples if they share clusters."""
    if shared_clusters:
        return [_solve_with_shared_clusters(samples, targets, method, force=force)]
    methods = method.for_samples(len(samples))
    return [
        solve(sample, sample_targets, sample_method, force=force, conservative=conservative)
        for sample, sample_targets, sample_method in zip(samples, targets, methods, strict=True)
    ]


def _solve_with_shared_clusters(
    samples: Sequence[Sample],
    targets: Sequence[Sequence[Target]],
    method: VarianceMethod,
    *,
    force: bool,
) -> Solution:
    """Return an estimate for every (classifier, measure) of each sample, and their uncertainty."""
    samples = [sample.in_memory() for sample in samples]
    problems = [
        problem_of(s, sample_targets) for s, sample_targets in zip(samples, targets, strict=True)
    ]
    rows, index = _join([single_rows(sample.rows) for sample in samples])
    names = [f"in sample {i}" for i in range(1, len(samples) + 1)]
    terms = Terms(rows, problems, index, names, noun="samples", unit_noun="clusters")
    uncertainty, methods, _ = method.joint(terms)
    check_uncertainty(uncertainty, method, terms)
    estimates = [
        e
        for sample, sample_targets, sample_method in zip(samples, targets, methods, strict=True)
        for e in solve(sample, sample_targets, sample_method, force=force).estimates
    ]
    matrix = np.array(uncertainty.matrix)
    constant = [e.se == 0.0 for e in estimates]
    matrix[constant, :] = matrix[:, constant] = 0.0
    matrix.flags.writeable = False
    max_df = np.array([min(r.rows.units) - 1.0 for r in terms.ratings])
    limited = _LimitedDf(uncertainty, max_df)
    return Solution(estimates, replace(uncertainty, matrix=matrix, df=None, df_of_sum=limited))


@dataclass(frozen=True, eq=False)
class _LimitedDf:
    """Degrees of freedom of sums, at most the units of a class in a sample minus one."""

    uncertainty: Uncertainty
    max_df: FloatArray

    def __call__(self, weights: FloatArray) -> float:
        max_df = float(self.max_df[np.flatnonzero(weights)].min())
        return min(self.uncertainty.df_of(weights), max_df)


def _join(samples: Sequence[InMemoryRows]) -> tuple[InMemoryRows, list[IntArray]]:
    """Return the rows of all samples with common clusters, and the positions of each sample."""
    labels = [_labels_of_rows(rows) for rows in samples]
    if are_same_integers(labels):
        cluster = np.unique(np.concatenate(labels), return_inverse=True)[1].reshape(-1)
    else:
        numbers: dict[Any, int] = {}
        all_labels = [label for array in labels for label in array.tolist()]
        cluster = np.array([numbers.setdefault(label, len(numbers)) for label in all_labels])
    ends = np.cumsum([0, *(rows.positive.size for rows in samples)])
    joined = InMemoryRows(
        np.concatenate([rows.positive for rows in samples]),
        _concatenated([rows.frequency for rows in samples], samples),
        _concatenated([rows.weight for rows in samples], samples),
        cluster,
        samples[0].design,
    )
    return joined, [np.arange(*ends_of_sample) for ends_of_sample in pairwise(ends)]


def _labels_of_rows(rows: InMemoryRows) -> AnyArray:
    """Return the cluster label of every row."""
    labels = rows.cluster_labels
    assert labels is not None
    return labels if not rows.has_clusters else labels[rows.cluster]


def _concatenated(
    arrays: Sequence[AnyArray | None], samples: Sequence[InMemoryRows]
) -> AnyArray | None:
    """Return the concatenation of frequencies or weights, with 1 for samples without them."""
    if all(a is None for a in arrays):
        return None
    return np.concatenate([
        np.ones(rows.positive.size, int) if array is None else array
        for array, rows in zip(arrays, samples, strict=True)
    ])  # fmt: skip
