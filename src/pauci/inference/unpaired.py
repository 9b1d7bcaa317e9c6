"""Samples that are taken for independent, but look like the same rows or share clusters."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pauci.checks import AnyArray
from pauci.errors import InputError, UnpairedWarning, arg, warn
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    from pauci.fits.fit import CurveFit


def warn_if_unpaired(samples: "Sequence[Sample] | Sequence[CurveFit]") -> None:
    """Warn of samples in a list that look like the same rows.

    Cells of a table are in an order that says nothing of rows, and so are rows with frequencies,
    and rows on an engine have no order.
    """
    each: list[tuple[int, Sample | CurveFit]] = list(enumerate(samples, 1))
    for (i, a), (j, b) in combinations(each, 2):
        first, second = a.rows, b.rows
        if (
            first is not second
            and not (first.elsewhere or second.elsewhere)
            and first.frequency is None
            and second.frequency is None
            and np.array_equal(first.positive, second.positive)
            and _same(first.weight, second.weight)
            and _same(first.cluster, second.cluster)
        ):
            one, other = a.names[0], b.names[0]
            one, other = ("a", "b") if one == other else (one, other)
            warn(
                UnpairedWarning,
                f"samples {i} and {j} have the same labels in the same order, and are compared as "
                "independent. If they are the same rows, pass one sample, pauci.Sample(y, "
                f"{{{one!r}: ..., {other!r}: ...}}), for the paired test; if not, say so with ",
                arg("independent", True),
                ".",
                argument="samples",
            )


def refuse_shared_clusters(samples: "Sequence[Sample] | Sequence[CurveFit]") -> None:
    """Refuse samples in a list some of whose clusters have the same labels.

    If these are the same clusters the samples are dependent, and no variance of independent
    samples fits. Rows without clusters have no labels, and are never the same.
    """
    for i, j, labels in _shared(samples):
        some = ", ".join(repr(label) for label in labels[:3])
        more = ", ..." if len(labels) > 3 else ""
        raise InputError(
            f"samples {i} and {j} have {len(labels):,} cluster label{'s' * (len(labels) > 1)} in "
            f"common ({some}{more}). The same clusters in both would make the samples dependent, "
            "and the test of independent samples does not hold then: of the same rows make one "
            "sample with both classifiers. If labels are local to each sample, and equal ones "
            "mean different clusters, say so with ",
            arg("independent", True),
            ".",
            argument="independent",
            value=False,
        )


def warn_if_joint(samples: Sequence[Sample]) -> None:
    """Warn of samples in a list whose estimates are correlated, as their covariance is set to 0."""
    for (i, a), (j, b) in combinations(enumerate(samples, 1), 2):
        if a.rows is b.rows:
            names = list(dict.fromkeys((*a.names, *b.names)))
            warn(
                UnpairedWarning,
                f"samples {i} and {j} hold the same rows, and the covariance of their estimates is "
                f"set to 0. Pass one sample, sample[{names!r}], to have it estimated.",
                argument="sample",
            )
    for i, j, labels in _shared(samples):
        warn(
            UnpairedWarning,
            f"samples {i} and {j} have {len(labels):,} cluster label{'s' * (len(labels) > 1)} in "
            f"common, such as {labels[0]!r}, and the covariance of their estimates is set to 0. "
            "Each estimate by itself is not affected. If labels are local to each sample, say so "
            "with ",
            arg("independent", True),
            ".",
            argument="sample",
        )


def _shared(
    samples: "Sequence[Sample] | Sequence[CurveFit]",
) -> "Iterator[tuple[int, int, list[object]]]":
    """Yield the numbers of two samples with different rows, and the cluster labels in common."""
    labels = [s.rows.cluster_labels for s in samples]
    for (i, first), (j, second) in combinations(enumerate(labels, 1), 2):
        if first is None or second is None or samples[i - 1].rows is samples[j - 1].rows:
            continue
        if all(a.dtype.kind in "iu" for a in (first, second)):
            both = np.intersect1d(first, second).tolist()
        else:
            known = set(second.tolist())
            both = [label for label in first.tolist() if label in known]
        if both:
            yield i, j, both


def _same(first: AnyArray | None, second: AnyArray | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


def told_apart(names: Sequence[str], numbers: Iterable[int]) -> list[str]:
    """Return names with the number of their sample where several samples have the same one."""
    each = zip(names, numbers, strict=True)
    return [f"{n} (sample {i})" if names.count(n) > 1 else n for n, i in each]
