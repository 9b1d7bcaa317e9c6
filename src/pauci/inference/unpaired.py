"""Checks of samples that are treated as independent but may have the same rows or clusters."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pauci.checks import AnyArray
from pauci.errors import InputError, UnpairedWarning, warn
from pauci.inference.common_rows import common_rows
from pauci.sample.rows import InMemoryRows
from pauci.sample.sample import Sample
from pauci.variance.contributions import are_same_integers

if TYPE_CHECKING:
    from pauci.fits.fit import CurveFit


def warn_if_unpaired(samples: "Sequence[Sample] | Sequence[CurveFit]") -> None:
    """Warn about samples in a list that may have the same rows, or some rows in common.

    Tables, rows with frequencies and rows in a backend have no meaningful order and are not
    checked.
    """
    numbered: list[tuple[int, Sample | CurveFit]] = list(enumerate(samples, 1))
    for (i, a), (j, b) in combinations(numbered, 2):
        if a.rows is not b.rows and a.rows.same_in_order(b.rows):
            names = a.names[0], b.names[0]
            name, other = ("a", "b") if names[0] == names[1] else names
            warn(
                UnpairedWarning(
                    f"samples {i} and {j} have the same labels in the same order, and are "
                    "compared as independent.",
                    argument="samples",
                    hint="If they have the same rows, pass one sample, pauci.Sample(y, "
                    f"{{{name!r}: ..., {other!r}: ...}}), for the paired test; otherwise pass "
                    "independent=True.",
                    shell_hint="If they have the same rows, put the scores into one file for the "
                    "paired test; otherwise use --independent.",
                )
            )
        else:
            _warn_about_common_rows((i, a), (j, b), "are compared as independent", "samples")


def _warn_about_common_rows(
    first: "tuple[int, Sample | CurveFit]",
    second: "tuple[int, Sample | CurveFit]",
    treated: str,
    argument: str,
) -> None:
    """Warn about two samples with rows in common, unless their clusters are known to differ."""
    (i, a), (j, b) = first, second
    if not (isinstance(a.rows, InMemoryRows) and isinstance(b.rows, InMemoryRows)):
        return
    if a.rows is b.rows or not (a.rows.cluster_labels is None or b.rows.cluster_labels is None):
        return
    common = common_rows(a.rows, b.rows, _scores_of_both(a, b))
    if common is None:
        return
    warn(
        UnpairedWarning(
            f"samples {i} and {j} seem to have about {common.number:,} rows in common, which have "
            f"the same {common.by}, but {treated}.",
            argument=argument,
            hint="If these are the same rows, pass the identifier of each row as cluster= to "
            "Sample, and shared_clusters=True; otherwise pass independent=True.",
            shell_hint="If these are different rows, use --independent.",
        )
    )


def _scores_of_both(
    first: "Sample | CurveFit", second: "Sample | CurveFit"
) -> tuple[AnyArray, AnyArray] | None:
    """Return the scores of a classifier in both samples; None if they have folds."""
    if first.rows.has_folds or second.rows.has_folds:
        return None
    common = [name for name in first.names if name in second.names]
    a, b = (
        s.ratings(common[0] if common else s.names[0]) if isinstance(s, Sample) else s.ratings
        for s in (first, second)
    )
    return a.values, b.values


def check_no_shared_clusters(samples: "Sequence[Sample] | Sequence[CurveFit]") -> None:
    """Raise an error for samples in a list with cluster labels in common.

    If equal labels are the same clusters, the samples are dependent, and the variance for
    independent samples is not valid. Rows without clusters have no labels and are not compared.
    """
    for i, j, labels in _common_labels(samples):
        examples = ", ".join(repr(label) for label in labels[:3])
        more = ", ..." if len(labels) > 3 else ""
        joint = ""
        if all(isinstance(s, Sample) for s in samples):
            joint = "If these are the same clusters, pass shared_clusters=True to compare. "
        same = (
            "If the rows are the same, make one sample with both classifiers. If equal labels in "
            "different samples are different clusters,"
        )
        raise InputError(
            f"samples {i} and {j} have {len(labels):,} cluster label{'s' * (len(labels) > 1)} in "
            f"common ({examples}{more}). If these are the same clusters, the samples are dependent "
            "and the test for independent samples is not valid.",
            argument="independent",
            value=False,
            hint=f"{joint}{same} pass independent=True.",
            shell_hint=f"{same} use --independent.",
        )


def warn_if_dependent(samples: Sequence[Sample]) -> None:
    """Warn about samples in a list that are dependent, since their covariance is set to 0."""
    for (i, a), (j, b) in combinations(enumerate(samples, 1), 2):
        if a.rows is b.rows:
            names = list(dict.fromkeys((*a.names, *b.names)))
            warn(
                UnpairedWarning(
                    f"samples {i} and {j} have the same rows, but the covariance of their "
                    f"estimates is set to 0. Pass one sample, sample[{names!r}], to estimate it.",
                    argument="sample",
                )
            )
        else:
            treated = "the covariance of their estimates is set to 0"
            _warn_about_common_rows((i, a), (j, b), treated, "sample")
    for i, j, labels in _common_labels(samples):
        warn(
            UnpairedWarning(
                f"samples {i} and {j} have {len(labels):,} cluster label{'s' * (len(labels) > 1)} "
                f"in common, such as {labels[0]!r}, but the covariance of their estimates is set "
                "to 0. The individual estimates are not affected.",
                argument="sample",
                hint="If equal labels are the same clusters, pass shared_clusters=True, and if "
                "labels are local to each sample, independent=True.",
                shell_hint="If labels are local to each sample, pass --independent.",
            )
        )


def _common_labels(
    samples: "Sequence[Sample] | Sequence[CurveFit]",
) -> "Iterator[tuple[int, int, list[object]]]":
    """Yield the numbers of two samples with different rows, and the cluster labels in common."""
    labels = [s.rows.cluster_labels for s in samples] if len(samples) > 1 else []
    for (i, first), (j, second) in combinations(enumerate(labels, 1), 2):
        if first is None or second is None or samples[i - 1].rows is samples[j - 1].rows:
            continue
        if are_same_integers((first, second)):
            common = np.intersect1d(first, second).tolist()
        else:
            labels_of_second = set(second.tolist())
            common = [label for label in first.tolist() if label in labels_of_second]
        if common:
            yield i, j, common


def unique_names(names: Sequence[str], numbers: Iterable[int], noun: str = "sample") -> list[str]:
    """Return names, with the number of the sample if several samples have the same name."""
    return [
        f"{name} ({noun} {i})" if names.count(name) > 1 else name
        for name, i in zip(names, numbers, strict=True)
    ]
