"""Warnings that depend on several samples, folds or estimates, and their combination."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from pauci.cautions.accuracy import warn_about_degenerate, warn_about_maximum
from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve.sorting import ranges
from pauci.errors import (
    DegenerateWarning,
    InputError,
    PauciWarning,
    ReversedScoresWarning,
    UnpairedWarning,
    each_warning_once,
    held_warnings,
    warn,
)
from pauci.results.estimates import Estimate
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample
from pauci.variance.z import are_joined_exactly, label_values

_MAX_LISTED = 6
"""Largest number of classifiers that a combined warning lists."""

_MOST_ROWS = 20_000
"""Approximate number of rows that are compared; from larger samples, some are selected."""

_FEWEST_CHANGES = 20
"""Smallest number of consecutive matched rows with different labels."""

_LARGEST_DISAGREEMENT = 0.1
"""Largest number of matched rows with different labels, per pair of consecutive rows with different
labels. For different rows the two numbers have the same expectation; at the limits, the probability
of a Poisson variable is below 1e-6."""

_UNLIKELY = np.log(1e6)
"""Negative logarithm of the probability that scores of different rows match."""


@contextmanager
def combined_by_kind() -> Iterator[None]:
    """Issue the first warning of each kind with the number of others, at the end of the block.

    The warnings about a single estimate remain in its ``cautions``.
    """
    with each_warning_once():
        with held_warnings() as collected:
            yield
        warn_once_per_kind(collected)


@contextmanager
def combined_by_reason() -> Iterator[None]:
    """Issue equal warnings about several classifiers once, at the end of the block."""
    collected: list[PauciWarning] = []
    try:
        with held_warnings() as collected:
            yield
    finally:  # warnings are issued even if an error occurred
        if collected:
            _warn_with_all_names(collected)


def _warn_with_all_names(collected: Sequence[PauciWarning]) -> None:
    """Issue warnings; warnings that differ only in the classifier are combined."""
    groups: dict[tuple[type[PauciWarning], str], list[PauciWarning]] = {}
    for warning in collected:
        anonymous = warning if warning.classifier is None else warning.replaced(classifier="")
        groups.setdefault((type(warning), str(anonymous)), []).append(warning)
    for first, *others in groups.values():
        names = list(dict.fromkeys(str(w.classifier) for w in (first, *others)))
        if len(names) > 1:
            all_names = f"{', '.join(names[:-1])} and {names[-1]}"
            if len(names) > _MAX_LISTED:
                all_names = f"{len(names)} classifiers"
            first = first.replaced(classifier=all_names)
        warn(first)


def warn_once_per_kind(collected: Sequence[PauciWarning]) -> None:
    """Issue the first warning of each kind with the number of others."""
    kinds: dict[type[PauciWarning], dict[str, PauciWarning]] = {}
    for warning in collected:
        kinds.setdefault(type(warning), {}).setdefault(str(warning), warning)
    for messages in kinds.values():
        first, *others = messages.values()
        if others:
            more = f"({len(others):,} more of this kind; see .cautions.)"
            first = first.replaced(hint=f"{first.hint} {more}".strip())
        warn(first)


def cautions_of_average(
    average: Estimate,
    parts: Sequence[Estimate],
    names: Sequence[object],
    about_all: Sequence[PauciWarning],
) -> list[PauciWarning]:
    """Return the warnings about an average, one of each kind, from the warnings in the folds.

    An average may be precise even if the estimates in the folds are not, and scores that seem to be
    reversed in a fold need not be so in the average. `about_all` are warnings about the scores and
    rows of all folds.
    """
    by_kind: dict[type[PauciWarning], list[tuple[object, PauciWarning]]] = {}
    for name, e in zip(names, parts, strict=True):
        for caution in e.cautions:
            by_kind.setdefault(type(caution), []).append((name, caution))
    with held_warnings() as cautions:
        if average.degenerate and average.binomial is None:
            warn_about_degenerate(average)
        warn_about_maximum(average)
    cautions += about_all
    for kind in (ReversedScoresWarning, *map(type, cautions)):
        by_kind.pop(kind, None)
    return [*cautions, *(_caution_of_folds(group, len(parts)) for group in by_kind.values())]


def _caution_of_folds(cautions: Sequence[tuple[object, PauciWarning]], count: int) -> PauciWarning:
    """Return a warning for several folds, which mentions them unless it is equal in all folds."""
    name, caution = cautions[0]
    if len(cautions) == count and len({c.reason for _, c in cautions}) == 1:
        return caution
    where = f"in fold {name!r}"
    if len(cautions) > 1:
        where = f"in {len(cautions):,} of {count:,} folds, such as fold {name!r}"
    reason = caution.parts()
    if isinstance(caution, DegenerateWarning) and caution.finding:
        consequence = "so that the standard error of the average may be too small."
        reason = (f"{caution.finding}, {consequence}",)
    return caution.replaced(problem=(f"{where}, ", *reason), subject=None)


class ScoredRows(Protocol):
    """Rows with the scores of classifiers: a sample, or a curve that was fitted to a sample."""

    @property
    def rows(self) -> Rows:
        """The rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classifiers."""

    def _scores_of(self, name: str) -> AnyArray:
        """Return the scores of a classifier."""


def warn_if_unpaired(samples: Sequence[ScoredRows]) -> None:
    """Warn about samples in a list that may have the same rows, or some rows in common.

    Tables, rows with frequencies and rows of an engine have no meaningful order, in which they
    could be compared.
    """
    for (i, a), (j, b) in combinations(enumerate(samples, 1), 2):
        if a.rows is not b.rows and a.rows.same_in_order(b.rows):
            names = a.names[0], b.names[0]
            name, other = ("a", "b") if names[0] == names[1] else names
            warn(
                UnpairedWarning.about(
                    "samples",
                    f"{i} and {j} have the same labels in the same order, and are compared as "
                    "independent.",
                    hint="If they have the same rows, pass one sample, pauci.Sample(y, "
                    f"{{{name!r}: ..., {other!r}: ...}}), for the paired test; otherwise pass "
                    "independent=True.",
                )
            )
        else:
            warn_about_common_rows((i, a), (j, b), "are compared as independent", "samples")


def warn_about_common_rows(
    first: tuple[int, ScoredRows],
    second: tuple[int, ScoredRows],
    treated: str,
    argument: str = "results",
) -> None:
    """Warn about two samples with rows in common, unless their clusters are known to differ."""
    (i, a), (j, b) = first, second
    if a.rows is b.rows or not (a.rows.cluster_labels is None or b.rows.cluster_labels is None):
        return
    common = common_rows(a.rows, b.rows, _scores_of_both(a, b))
    if common is None:
        return
    number, by = common
    warn(
        UnpairedWarning(
            f"{argument.rstrip('s')}s {i} and {j} seem to have about {number:,} rows in common, "
            f"which have the same {by}, but {treated}.",
            argument=argument,
            hint="If these are the same rows, pass the identifier of each row as cluster= to "
            "Sample, and shared_clusters=True; otherwise pass independent=True.",
        )
    )


def in_common(first: ScoredRows, second: ScoredRows) -> str:
    """Return which rows or clusters two samples have in common, in words; empty if none are known.

    If both have labels of clusters, these alone are compared.
    """
    a, b = first.rows, second.rows
    if a.cluster_labels is not None and b.cluster_labels is not None:
        shared = _labels_of_both(a.cluster_labels, b.cluster_labels)
        return f"{len(shared):,} cluster labels, such as {shared[0]!r}," if shared else ""
    if a is b or (a.same_in_order(b) and same_scores(first, second)):
        return "all rows"
    common = common_rows(a, b, _scores_of_both(first, second))
    return "" if common is None else f"the {common[1]} of about {common[0]:,} rows"


def same_scores(first: ScoredRows, second: ScoredRows) -> bool:
    """Return whether a classifier of both samples has the same scores in the same order."""
    common = [name for name in first.names if name in second.names]
    return any(np.array_equal(first._scores_of(n), second._scores_of(n)) for n in common)


def _scores_of_both(first: ScoredRows, second: ScoredRows) -> tuple[AnyArray, AnyArray] | None:
    """Return the scores of a classifier in both samples; None if they have folds."""
    if first.rows.has_folds or second.rows.has_folds or not (first.names and second.names):
        return None
    common = [name for name in first.names if name in second.names]
    a, b = (s._scores_of(common[0] if common else s.names[0]) for s in (first, second))
    return a, b


def check_no_shared_clusters(samples: Sequence[ScoredRows]) -> None:
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
            warn_about_common_rows((i, a), (j, b), treated, "sample")
    for i, j, labels in _common_labels(samples):
        warn(
            UnpairedWarning(
                f"samples {i} and {j} have {len(labels):,} cluster label{'s' * (len(labels) > 1)} "
                f"in common, such as {labels[0]!r}, but the covariance of their estimates is set "
                "to 0. The individual estimates are not affected.",
                argument="sample",
                hint="If equal labels are the same clusters, pass shared_clusters=True, and if "
                "labels are local to each sample, independent=True.",
            )
        )


def _common_labels(
    samples: Sequence[ScoredRows],
) -> Iterator[tuple[int, int, list[object]]]:
    """Yield the numbers of two samples with different rows, and the cluster labels in common."""
    labels = [s.rows.cluster_labels for s in samples] if len(samples) > 1 else []
    for (i, first), (j, second) in combinations(enumerate(labels, 1), 2):
        if first is None or second is None or samples[i - 1].rows is samples[j - 1].rows:
            continue
        common = _labels_of_both(first, second)
        if common:
            yield i, j, common


def _labels_of_both(first: AnyArray, second: AnyArray) -> list[object]:
    """Return the labels that occur in both arrays."""
    if are_joined_exactly((first, second)):
        return label_values(np.intersect1d(first, second))
    labels_of_second = set(second.tolist())
    return [label for label in first.tolist() if label in labels_of_second]


def warn_without_common_labels(labels: Sequence[AnyArray], noun: str) -> None:
    """Warn about samples or results that share no cluster with the others, although they should.

    `labels` are the distinct labels of the clusters of each.
    """
    for i, own in enumerate(labels):
        others = [other for j, other in enumerate(labels) if j != i]
        if not others or any(_labels_of_both(own, other) for other in others):
            continue
        example, different = (label_values(array[:1])[0] for array in (own, others[0]))
        warn(
            UnpairedWarning.about(
                "shared_clusters",
                f"is True, but {noun} {i + 1} has no cluster label in common with the others, and "
                f"is treated as independent: it has labels such as {example!r}, and the others "
                f"such as {different!r}.",
                hint="Pass the same labels, of the same type, as cluster= in all samples.",
            )
        )
        return


def common_rows(
    first: Rows, second: Rows, scores: tuple[AnyArray, AnyArray] | None
) -> tuple[int, str] | None:
    """Return the number of rows that seem to be in both samples and what they share, or None.

    Parameters
    ----------
    first, second : Rows
        The rows of the samples.
    scores : tuple of two ndarray, optional
        The scores of a classifier in each sample.

    Notes
    -----
    Whether two samples have the same rows is not stated by the data. It is inferred from rows that
    match by the index, or by a score that occurs once in each sample. If matched rows are the same
    row, they have the same label. If they are different rows, their labels differ about as often as
    those of two consecutive rows of one sample, which are also independent; if the data are sorted
    by label, nothing can be inferred.

    Tables of counts, and rows that were grouped by an engine, are not checked.
    """
    if first.frequency is not None or second.frequency is not None:
        return None
    number = _common_by_index(first, second)
    if number:
        return number, "index and label"
    number = 0 if scores is None else _common_by_score(first, second, *scores)
    return (number, "score and label") if number else None


def _common_by_index(first: Rows, second: Rows) -> int:
    """Return the number of rows with the same index that seem to be the same rows, or 0."""
    a, b = first.index, second.index
    if a is None or b is None or a.nlevels != b.nlevels or _number_rows(a, b):
        return 0
    if getattr(a, "is_overlapping", False) or getattr(b, "is_overlapping", False):
        return 0  # intervals without unique positions
    label_a, label_b = first.positive, second.positive
    if len(a) < len(b):
        a, b, label_a, label_b = b, a, label_b, label_a
    step = -(-len(b) // _MOST_ROWS)
    b, label_b = b[::step], label_b[::step]
    b, label_b = b[once := ~b.duplicated()], label_b[once]
    matched = np.flatnonzero(a.isin(b))
    matched = matched[~a[matched].duplicated()]
    label_a, label_b = label_a[matched], label_b[b.get_indexer(a[matched])]
    return matched.size * step if _are_same_rows(label_a, label_b) else 0


def _number_rows(first: Any, second: Any) -> bool:
    """Return whether two indices merely number the rows, from the same number on."""
    starts = [index.start if getattr(index, "step", 0) == 1 else None for index in (first, second)]
    return starts[0] is not None and starts[0] == starts[1]


def _common_by_score(first: Rows, second: Rows, score_a: AnyArray, score_b: AnyArray) -> int:
    """Return the number of rows with the same score that seem to be the same rows, or 0.

    Among the scores that occur twice in the union of two samples of different rows, at most half
    are expected to occur once in each sample, whatever the two distributions are (for numbers x and
    y of expected rows, x y is at most (x^2 + y^2)/2). This holds for discrete scores too; the
    probability of the number observed is bounded by Hoeffding's inequality.
    """
    kept_a, kept_b, step = _selected(score_a, score_b)
    scores = np.concatenate((score_a[kept_a].astype(float), score_b[kept_b].astype(float)))
    labels = np.concatenate((first.positive[kept_a], second.positive[kept_b]))
    order = np.argsort(scores, kind="stable")
    changes = np.flatnonzero(np.diff(scores[order]))
    starts = np.concatenate(([0], changes + 1))
    twice = starts[np.diff(np.append(starts, order.size)) == 2]
    one, other = order[twice], order[twice + 1]
    in_both = (one < kept_a.size) & (other >= kept_a.size)
    excess = np.count_nonzero(in_both) - 0.5 * twice.size
    if excess <= 0.0 or 2.0 * excess**2 < _UNLIKELY * twice.size:
        return 0
    one, other = one[in_both], other[in_both]
    return one.size * step if _are_same_rows(labels[one], labels[other]) else 0


def _selected(score_a: AnyArray, score_b: AnyArray) -> tuple[IntArray, IntArray, int]:
    """Return the positions of rows whose scores are compared, and the inverse of their share.

    If there are many rows, some of the scores are selected by a hash, each with all of its rows.
    """
    step = max(1, (score_a.size + score_b.size) // _MOST_ROWS)
    if step == 1:
        return np.arange(score_a.size), np.arange(score_b.size), 1
    a, b = (_positions_of_some(score, step) for score in (score_a, score_b))
    return a, b, step


def _positions_of_some(score: AnyArray, step: int) -> IntArray:
    """Return the positions of about one in `step` different scores."""
    parts = []
    for block in ranges(score.size):
        bits = score[block].astype(np.float64).view(np.uint64)
        bits ^= bits >> np.uint64(29)
        bits *= np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as in Fibonacci hashing
        parts.append(np.flatnonzero(bits < np.uint64(2**64 // step)) + block.start)
    return np.concatenate(parts)


def _are_same_rows(first: BoolArray, second: BoolArray) -> bool:
    """Return whether labels of matched rows agree too often for different rows."""
    changes = np.count_nonzero(np.diff(first))
    different = np.count_nonzero(first != second)
    return bool(changes >= _FEWEST_CHANGES and different <= _LARGEST_DISAGREEMENT * changes)
