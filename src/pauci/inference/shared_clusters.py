"""Samples in a list that contain the same clusters, such as patients before and after treatment.

Clusters with the same label are the same units. The covariance of two samples is the sum over their
common clusters of the products of the contributions of each cluster to both
(`pauci.variance.contributions`).
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pauci.cautions.about_parts import warn_without_common_labels
from pauci.checks import AnyArray
from pauci.sample.rows import InMemoryRows
from pauci.variance.contributions import numbered_labels
from pauci.variance.parts import CommonUnits


def common_clusters(samples: Sequence[InMemoryRows]) -> CommonUnits:
    """Return the rows of all samples with common clusters, and the positions of each sample."""
    labels = [_labels_of_clusters(rows) for rows in samples]
    warn_without_common_labels(labels, "sample")
    numbers, distinct = numbered_labels(
        [
            of_clusters[rows.cluster] if rows.has_clusters else of_clusters
            for rows, of_clusters in zip(samples, labels, strict=True)
        ]
    )
    cluster = np.concatenate(numbers)
    ends = np.cumsum([0, *(rows.positive.size for rows in samples)])
    joined = InMemoryRows(
        np.concatenate([rows.positive for rows in samples]),
        _concatenated([rows.frequency for rows in samples], samples),
        _concatenated([rows.weight for rows in samples], samples),
        cluster,
        samples[0].design,
        cluster_labels=distinct,
    )
    return CommonUnits(joined, [np.arange(*ends_of_sample) for ends_of_sample in pairwise(ends)])


def _labels_of_clusters(rows: InMemoryRows) -> AnyArray:
    """Return the label of every cluster, which is that of every row if each is a cluster."""
    labels = rows.cluster_labels
    assert labels is not None
    return labels


def _concatenated(
    arrays: Sequence[AnyArray | None], samples: Sequence[InMemoryRows]
) -> AnyArray | None:
    """Return the concatenation of frequencies or weights, with 1 for samples without them."""
    if all(a is None for a in arrays):
        return None
    return np.concatenate(
        [
            np.ones(rows.positive.size, int) if array is None else array
            for array, rows in zip(arrays, samples, strict=True)
        ]
    )
