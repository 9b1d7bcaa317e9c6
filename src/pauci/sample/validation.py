"""Validation of the columns of a sample."""

from dataclasses import replace

from pauci.checks import AnyArray, check_choice
from pauci.sample import columns, repeated_rows, weights
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataOptions, Rows, WeightMap
from pauci.sample.vectors import ABSENT, EXTRAS, GROUP, VERIFIED, DataColumns, scores_of_positive


def validate(
    data: DataColumns,
    options: DataOptions,
    weight_map: WeightMap | None = None,
    rest: str = "",
    names: tuple[str, str] = ("positives", "negatives"),
    competing: str = "",
    sizes: tuple[int, int] | None = None,
) -> tuple[Rows, dict[str, Ratings]]:
    """Validate the data of a sample and return its rows and ratings.

    `weight_map` is that of estimated weights, and `rest` describes the classes of labels that were
    derived from other data. `names` are those of positives and negatives in messages, and `sizes`
    their numbers of rows, if the data are groups of rows. `competing` are the rows that are left
    out for a competing event.
    """
    positive, design, lower_is_positive, _ = options
    label, scores, extras = data.label, data.scores, data.extras
    check_choice("design", design, ("cohort", "case-control"))
    lower = columns.names_with_lower_positive(lower_is_positive, list(scores))
    is_positive, described = columns.labels(label.values, positive, label.name)
    n = is_positive.size
    values: dict[str, columns.Scores] = {}
    inputs = (label, *scores.values(), *extras.values())
    columns.check_same_order(inputs)
    for name, (words, column) in scores.items():
        column = scores_of_positive(words, column, label.name, label.values, is_positive)
        values[name] = columns.scores(words, column, n, lower_is_positive=name in lower)
    predicted = None
    if VERIFIED in extras:
        from pauci.sample.verified import predictions_of, verification_weights

        found = verification_weights(values, is_positive, extras, design)
        inverse, verified, predicted, how = found
        extras, weight_map = {**extras, "weight": inverse}, verified
        described = "; ".join(filter(None, (described, how)))
    frequency, weight, cluster, fold = [extras.get(key, ABSENT) for key in EXTRAS]
    clusters = cluster_labels = None
    if cluster.values is not None:
        clusters, cluster_labels = weights.coded(cluster.name, cluster.values, n)
    rows = Rows(
        is_positive,
        weights.frequency(frequency.values, n, frequency.name),
        weights.weight(weight.values, n, weight.name, estimated=weight_map is not None),
        clusters,
        design,
        data.dropped,
        cluster_labels=cluster_labels,
        left_out=data.left_out,
        rest=rest or described,
        weight_map=weight_map,
        index=next((i for i in (columns.index_of(v) for _, v in inputs) if i is not None), None),
        competing=competing,
    )
    rows.check(names, sizes)
    weights.warn_if_probabilities(weight.values, is_positive, clusters, weight.name)
    if fold.values is not None:
        codes, fold_names = weights.fold(fold.name, fold.values, is_positive, rows.mass)
        rows = replace(rows, fold=codes, fold_names=fold_names)
        if clusters is not None:
            repeated_rows.warn_if_cases_cross_folds(clusters, codes)
        elif rows.frequency is None:
            scored = [v.values for v in values.values()]
            repeated_rows.warn_if_rows_recur(codes, is_positive, scored, rows.index)
    groups = []
    for key, column in extras.items():
        if key.startswith(GROUP):
            groups.append(weights.grouping_of(column.name, column.values, key.removeprefix(GROUP)))
            weights.check_grouping(groups[-1], column.name, is_positive)
    rows = rows.without_single_clusters()
    if groups:
        rows = replace(rows, groups=tuple(groups))
    if predicted is not None:
        rows = replace(rows, predictions=predictions_of(rows, verified, predicted))
    return rows, {name: Ratings(name, v, rows) for name, v in values.items()}


def warn_if_rows_depend(rows: Rows, scores: AnyArray) -> None:
    """Warn about rows without clusters, or clusters, that seem to be readings of the same cases.

    Copies of rows without clusters are reported with the estimates.
    """
    names, positive = rows.cluster_labels, rows.positive
    if rows.frequency is not None:
        return
    if names is not None:
        repeated_rows.warn_if_clusters_depend(rows, names, scores)
    elif not rows.has_folds and not repeated_rows.order_repeats(positive, scores):
        repeated_rows.warn_about_copies(repeated_rows.labels_repeat(positive))
