"""Validation of labels, scores, weights, clusters and folds of a sample."""

from dataclasses import replace

from pauci.checks import check_choice
from pauci.errors import DataName
from pauci.sample import columns, weights
from pauci.sample.frame_columns import DataOptions, NamedColumn
from pauci.sample.groupings import grouping_of
from pauci.sample.probabilities import scores_of_positive
from pauci.sample.ratings import Ratings
from pauci.sample.recurring_rows import warn_if_rows_recur
from pauci.sample.rows import InMemoryRows

EXTRAS = ("frequency", "weight", "cluster", "fold")
"""Optional values of each row besides the label and the scores."""

GROUP = "group "
"""Precedes the name of a grouping in the keys of further optional values."""


def is_extra(key: str) -> bool:
    """Return whether a key is that of an optional value of each row."""
    return key in EXTRAS or key.startswith(GROUP)


_ABSENT = NamedColumn(DataName("", ""), None)


def validate(
    label: NamedColumn,
    scores: dict[str, NamedColumn],
    extras: dict[str, NamedColumn],
    options: DataOptions,
    dropped: int = 0,
    left_out: int = 0,
) -> tuple[InMemoryRows, dict[str, Ratings]]:
    """Validate the data of a sample and return its rows and ratings."""
    positive, design, lower_is_positive = options
    check_choice("design", design, ("cohort", "case-control"))
    lower = columns.names_with_lower_positive(lower_is_positive, list(scores))
    is_positive, rest = columns.labels(label.values, positive, label.name)
    n = is_positive.size
    values: dict[str, columns.Scores] = {}
    inputs = (label, *scores.values(), *extras.values())
    columns.check_same_order(inputs)
    for name, (words, column) in scores.items():
        column = scores_of_positive(words, column, label.name, label.values, is_positive)
        values[name] = columns.scores(words, column, n, lower_is_positive=name in lower)
    frequency, weight, cluster, fold = [extras.get(key, _ABSENT) for key in EXTRAS]
    clusters, cluster_labels = weights.cluster(cluster.values, n, cluster.name)
    rows = InMemoryRows(
        is_positive,
        weights.frequency(frequency.values, n, frequency.name),
        weights.weight(weight.values, n, weight.name),
        clusters,
        design,
        dropped,
        cluster_labels=cluster_labels,
        left_out=left_out,
        rest=rest,
        index=next((i for i in (columns.index_of(v) for _, v in inputs) if i is not None), None),
    )
    rows.check()
    weights.warn_if_probabilities(weight.values, is_positive, clusters, weight.name)
    if fold.values is not None:
        codes, fold_names = weights.fold(fold.values, is_positive, rows.mass, fold.name)
        rows = replace(rows, fold=codes, fold_names=fold_names)
        if codes is not None and clusters is None and rows.frequency is None:
            warn_if_rows_recur(codes, is_positive, [v.values for v in values.values()], rows.index)
    groups = []
    for key, column in extras.items():
        if key.startswith(GROUP):
            groups.append(grouping_of(column.name, column.values, key.removeprefix(GROUP)))
            groups[-1].check(column.name, is_positive)
    rows = rows.without_single_clusters()
    if groups:
        rows = replace(rows, groups=tuple(groups))
    ratings = {
        name: Ratings(
            name,
            v.values,
            rows,
            v.categories,
            lower_is_positive=name in lower,
            score_type=v.score_type,
        )
        for name, v in values.items()
    }
    return rows, ratings
