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
from pauci.sample.ratings import single_rows
from pauci.sample.rows import InMemoryRows
from pauci.sample.sample import Sample
from pauci.variance.method import Uncertainty, VarianceMethod
from pauci.variance.terms import Terms


def check_shared_clusters(shared_clusters: object, independent: object, samples: object) -> None:
    """Raise an error if `shared_clusters` is set for anything but samples with clusters."""
    check_flag("shared_clusters", shared_clusters)
    if not shared_clusters:
        return
    if independent:
        raise _refused(
            "says that equal cluster labels are the same clusters, and independent=True that they "
            "are not.",
            "Pass one of both.",
        )
    if not isinstance(samples, (list, tuple)) or not all(isinstance(s, Sample) for s in samples):
        raise _refused(
            "needs a list of samples; the classifiers of one sample have the same rows, so their "
            "covariance is always estimated, and that of fitted curves of different samples is not "
            "available.",
            "Leave it out.",
        )
    for i, sample in enumerate(samples, 1):
        if sample.rows.cluster_labels is None:
            raise _refused(
                f"needs the cluster of each row, and sample {i} has none.",
                "Pass cluster= to Sample.",
            )
        if sample.rows.has_folds:
            raise _refused(
                f"is not available for averages over folds, and sample {i} has folds.",
                "Leave fold= out, or pass independent=True if the clusters differ.",
            )


def _refused(what: str, hint: str) -> InputError:
    return InputError(
        f"shared_clusters=True {what}", argument="shared_clusters", value=True, hint=hint
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
    """Return the estimates of each sample, or of all together if they share clusters."""
    if shared_clusters:
        return [_solve_with_shared_clusters(samples, targets, method, force=force)]
    methods = method.for_samples(len(samples))
    return [
        solve(sample, of_sample, its_method, force=force, conservative=conservative)
        for sample, of_sample, its_method in zip(samples, targets, methods, strict=True)
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
    problems = [problem_of(s, of_sample) for s, of_sample in zip(samples, targets, strict=True)]
    rows, index = _joined([single_rows(sample.rows) for sample in samples])
    names = [f"in sample {i}" for i in range(1, len(samples) + 1)]
    terms = Terms(rows, problems, index, names, noun="samples", unit_noun="clusters")
    uncertainty, within, _ = method.joint(terms)
    check_uncertainty(uncertainty, method, terms)
    estimates = [
        e
        for sample, of_sample, its_method in zip(samples, targets, within, strict=True)
        for e in solve(sample, of_sample, its_method, force=force).estimates
    ]
    matrix = np.array(uncertainty.matrix)
    constant = [e.se == 0.0 for e in estimates]
    matrix[constant, :] = matrix[:, constant] = 0.0
    matrix.flags.writeable = False
    most = np.array([min(r.rows.units) - 1.0 for r in terms.ratings])
    limited = _LimitedDf(uncertainty, most)
    return Solution(estimates, replace(uncertainty, matrix=matrix, df=None, df_of_sum=limited))


@dataclass(frozen=True, eq=False)
class _LimitedDf:
    """Degrees of freedom of sums, at most the units of a class of the samples less one."""

    uncertainty: Uncertainty
    most: FloatArray

    def __call__(self, weights: FloatArray) -> float:
        return min(self.uncertainty.df_of(weights), float(self.most[np.flatnonzero(weights)].min()))


def _joined(samples: Sequence[InMemoryRows]) -> tuple[InMemoryRows, list[IntArray]]:
    """Return the rows of all samples with common clusters, and which of them each sample has."""
    labels = [_labels_of_rows(rows) for rows in samples]
    if all(of_sample.dtype.kind in "iu" for of_sample in labels):
        cluster = np.unique(np.concatenate(labels), return_inverse=True)[1].reshape(-1)
    else:
        numbers: dict[Any, int] = {}
        all_labels = [label for of_sample in labels for label in of_sample.tolist()]
        cluster = np.array([numbers.setdefault(label, len(numbers)) for label in all_labels])
    ends = np.cumsum([0, *(rows.positive.size for rows in samples)])
    joined = InMemoryRows(
        np.concatenate([rows.positive for rows in samples]),
        _filled([rows.frequency for rows in samples], samples),
        _filled([rows.weight for rows in samples], samples),
        cluster,
        samples[0].design,
    )
    return joined, [np.arange(*ends_of_sample) for ends_of_sample in pairwise(ends)]


def _labels_of_rows(rows: InMemoryRows) -> AnyArray:
    """Return the cluster label of every row."""
    labels = rows.cluster_labels
    assert labels is not None
    return labels if not rows.has_clusters else labels[rows.cluster]


def _filled(arrays: Sequence[AnyArray | None], samples: Sequence[InMemoryRows]) -> AnyArray | None:
    """Return the concatenation of frequencies or weights, 1 where there are none."""
    if all(a is None for a in arrays):
        return None
    each = zip(arrays, samples, strict=True)
    return np.concatenate([np.ones(r.positive.size, int) if a is None else a for a, r in each])
