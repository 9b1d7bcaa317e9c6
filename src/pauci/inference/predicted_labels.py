r"""Samples with labels that are known in some rows and predicted in others, and their estimates.

Rows with known labels, the same rows by their predictions, and all rows, or the others, by their
predictions are three parts with common units. The estimates are weighted sums of those on the parts
(`pauci.with_predictions`; doubly robust estimates of `Sample` have a weight of 1).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pauci.backends.frames import LazyColumns, open_frame
from pauci.calls import validate_call
from pauci.cautions.about_parts import common_rows, warn_once_per_kind
from pauci.cautions.accuracy import with_degenerate_caution
from pauci.checks import AnyArray, FloatArray, count, equal, read_only, some_of
from pauci.errors import InputError, InputTypeError, UnpairedWarning, show, warn
from pauci.inference.arguments import SampleRequest
from pauci.inference.estimates_on_parts import DataPart, Solution, estimates_on
from pauci.sample.rows import Predictions, Rows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.variance.method import Provenance, Uncertainty
from pauci.variance.units import CommonUnits, PartNames

_PARTS = PartNames("labelled and predicted rows", "rows")


def estimates_with_predictions(request: SampleRequest) -> Solution:
    """Return the estimates of a sample with predictions, and their joint uncertainty."""
    sample, method = request.sample, request.method
    rows = sample.rows
    assert rows.predictions is not None
    given, names, words, weight = rows.predictions
    index = [positions for _, positions in given]
    parts = [
        DataPart(part, request.targets, name, warnings=[])
        for part, name in zip(sample.folds(), names, strict=True)
    ]
    if weight is None:
        _warn_about_common_rows(*sample.folds()[1:])
    elif method.estimates_weights:
        raise InputError.of(
            "variance",
            method,
            "is not available with prediction=.",
            shown=method.key,
            hint="Use variance='influence' or variance=pauci.Bootstrap().",
        )
    found = estimates_on(parts, method, CommonUnits(rows, index), _PARTS)
    uncertainty = _combined(found.uncertainty, weight)
    size = len(request.targets)
    weights = _weights(found.uncertainty.matrix, weight)[:, 2 * size :].diagonal()
    if weight is None:
        shown = list(dict.fromkeys(map(fmt.number, (weights.min(), weights.max()))))
        labelled = count(sum(given[0][0].counts), "labelled row")
        words = f"{labelled}, {words}; weight{'s' * (len(shown) > 1)} {' to '.join(shown)}"
    else:
        words = given[0][0].rest
    warnings = [
        w.replaced(where=part.name) if part.name else w
        for part in parts
        for w in part.warnings or ()
    ]
    by_part = zip(*(found.estimates[k * size : (k + 1) * size] for k in range(3)), strict=True)
    estimates = []
    for i, (of_labels, of_labelled, of_others) in enumerate(by_part):
        marginal, change = uncertainty.marginal(i), of_others.value - of_labelled.value
        low, high = of_labels.bounds
        e = replace(
            of_labels,
            value=min(max(of_labels.value + float(weights[i]) * change, low), high),
            se=marginal.se,
            df=marginal.df,
            bias=marginal.bias,
            resampled=marginal.resampled,
            variance_of_heights=marginal.variance_of_heights,
            binormal_se=0.0,
            limits=None,
            rows=of_labels.rows._replace(excluded=of_labels.excluded._replace(rest=words)),
        )
        estimates.append(e if of_labels.degenerate else with_degenerate_caution(e))
    warn_once_per_kind(warnings)
    return estimates, replace(uncertainty, sources=[(Provenance(sample.rows, sample), None)])


def _warn_about_common_rows(labelled: Sample, others: Sample) -> None:
    """Warn about labelled rows that seem to be among the others, unless there are clusters."""
    rows = labelled.rows, others.rows
    if rows[0].cluster_labels is not None:
        return
    name = labelled.names[0]
    scores = labelled.any_ratings(name).values, others.any_ratings(name).values
    common = common_rows(*rows, scores)
    if common is not None:
        number, by = common
        warn(
            UnpairedWarning.about(
                "unlabelled",
                f"seems to contain about {number:,} rows of labelled, which have "
                f"the same {by}, but the rows of both are treated as independent.",
                hint="Leave out these rows, or pass the identifier of each row as cluster=.",
            )
        )


def _combined(uncertainty: Uncertainty, weight: float | None) -> Uncertainty:
    """Return the uncertainty of the weighted sums, from that of the estimates of three parts."""
    combined = uncertainty.combined(_weights(uncertainty.matrix, weight))
    return replace(combined, matrix=read_only(np.array(combined.matrix)))


def _weights(matrix: FloatArray, weight: float | None) -> FloatArray:
    """Return the weights of the estimates of three parts in each sum.

    Without a given weight of the predictions, it minimizes the variance; it is 0 if estimates from
    the predictions have no variance.
    """
    size = len(matrix) // 3
    each = np.eye(size)
    changes = np.hstack([0.0 * each, -each, each])
    if weight is not None:
        w = np.full(size, weight)
    else:
        variance = np.einsum("ij,jk,ik->i", changes, matrix, changes)
        covariance = -np.einsum("ij,ji->i", changes, matrix[:, :size])
        w = np.divide(covariance, variance, out=np.zeros(size), where=variance > 0.0)
    return np.asarray(np.hstack([each, 0.0 * each, 0.0 * each]) + w[:, None] * changes)


# Samples


@validate_call
def with_predictions(
    labelled: Any,
    unlabelled: Any,
    label: str,
    scores: str | Sequence[str],
    prediction: str,
    positive: object = None,
    frequency: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    *,
    lower_is_positive: bool | str | Sequence[str] = False,
) -> Sample:
    r"""Create a sample of few labelled rows and many rows with predictions of the label.

    Predictions, such as those of a language model or of an algorithm that reads reports, are wrong
    in some rows. The labelled rows, which have both labels and predictions, correct the estimate
    for these errors (prediction-powered inference), so that it is consistent for any predictions.
    Apart from the estimation of a weight, it is at least as precise as that of the labelled rows
    alone.

    Parameters
    ----------
    labelled : data frame
        Rows with labels, predictions and scores: a random sample of the same population as
        `unlabelled`, with independent rows or clusters.
    unlabelled : data frame
        Other rows, with predictions and scores. Labels in it are not used. If it contains the
        labelled rows, `estimate` issues an ``UnpairedWarning``, unless there are clusters.
    label : str
        Column of the labels in `labelled`.
    scores : str or sequence of str
        Column or columns of the scores in both frames, one per classifier.
    prediction : str
        Column of the predicted labels in both frames, with the same values as `label`. The
        predictions must not be fitted to the labelled rows.
    positive : scalar, optional
        The label of the positive class, needed unless labels are 0/1, booleans or -1/1.
    frequency, weight, cluster : str, optional
        Columns of both frames, as for `Sample.from_frame`. Clusters with the same label are the
        same clusters in both frames.
    lower_is_positive : bool, str or list of str, default False
        As for `Sample`.

    Returns
    -------
    Sample
        For `estimate` and `compare`. Other functions, and `by=`, raise an error.

    Raises
    ------
    ValueError
        If a column does not exist or has missing values, a frame has no rows, labels or
        predictions are constant, there are more than two labels, or predictions have other values
        than the labels.
    TypeError
        If a frame is lazy; its rows must be in memory.

    Notes
    -----
    With the estimates :math:`\theta_L(y)` and :math:`\theta_L(f)` of the labelled rows by their
    labels and by their predictions, and :math:`\theta_U(f)` of the other rows, the estimate is

    .. math:: \theta_L(y) + w \, \big(\theta_U(f) - \theta_L(f)\big) , \qquad
        w = \frac{\operatorname{cov}(\theta_L(y), \theta_L(f) - \theta_U(f))}
        {\operatorname{var}(\theta_L(f) - \theta_U(f))} ,

    for any measure with influence values, including those that depend on the prevalence
    (Angelopoulos et al. 2023, Science 382:669-674; the weight is that of Angelopoulos, Duchi and
    Zrnic 2023, arXiv:2311.01453). All covariances are those of the influence values, in which each
    labelled row contributes to both of its estimates. The weight is estimated for each estimate, is
    treated as known in the standard error, and is stated with the result: to first order it does
    not change the estimate, whose standard deviation is at most 4% larger than with a known weight
    in simulations with 80 to 300 labelled rows. A difference between classifiers has the weights of
    both estimates, which minimize the variances of these but not that of the difference. Degrees of
    freedom are Satterthwaite's, from the influence values of all rows. Limits are on the scale of
    the measure (logit), and those of differences are Wald limits; both are based on the standard
    error alone, without moved ends or allowance for maxima and unseen scores. An estimate outside
    the range of the measure is set to the nearest end.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pauci
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(0, 2, 2000)
    >>> judge = np.where(rng.random(2000) < 0.95, y, 1 - y)
    >>> frame = pd.DataFrame({"y": y, "s": y + rng.normal(size=2000), "judge": judge})
    >>> sample = pauci.with_predictions(
    ...     frame[:200], frame[200:], label="y", scores="s", prediction="judge"
    ... )
    >>> sample
    Sample(s: 200 labelled rows, 1,800 rows with predictions 'judge')
    >>> few = pauci.Sample.from_frame(frame[:200], label="y", scores="s")
    >>> [round(pauci.estimate(each, pauci.AUC()).se, 3) for each in (few, sample)]
    [0.036, 0.02]
    """
    options: dict[str, Any] = {
        "scores": scores,
        "positive": positive,
        "frequency": frequency,
        "weight": weight,
        "cluster": cluster,
        "lower_is_positive": lower_is_positive,
    }
    if equal(prediction, label):
        raise InputError.of("prediction", prediction, "is the column of the labels.")
    read: list[Sample] = []
    for argument, frame, column in (
        ("labelled", labelled, label),
        ("labelled", labelled, prediction),
        ("unlabelled", unlabelled, prediction),
    ):
        _check_frame(argument, frame, [label, prediction] if argument == "labelled" else [column])
        if read:
            _check_values(argument, labelled[label], frame[column], column)
        sample = Sample.from_frame(frame, column, **options)
        if sample.rows.rest:
            raise InputError.of(
                "label", label, f"has more than two labels: {sample.rows.rest}.", shown=repr(label)
            )
        read.append(sample)
    rows = [sample.rows for sample in read]
    parts = read[1:]
    joined: dict[str, Any] = {
        key: None if option is None else np.concatenate([_column(r, key) for r in rows[1:]])
        for key, option in (("frequency", frequency), ("weight", weight), ("cluster", cluster))
    }
    lower = [name for name in parts[0].names if parts[0].any_ratings(name).lower_is_positive]
    values = {
        name: np.concatenate([_scores(sample, name) for sample in parts]) for name in read[0].names
    }
    joint = Sample(
        np.concatenate([r.positive for r in rows[1:]]), values, **joined, lower_is_positive=lower
    )
    first = rows[0].positive.size
    positions = [np.arange(first)] * 2 + [np.arange(first, first + rows[2].positive.size)]
    predictions = Predictions(
        tuple(zip(rows, positions, strict=True)),
        ("", "by predictions of labelled rows", "by predictions of rows without labels"),
        f"{count(sum(rows[2].counts), 'row')} with predictions {prediction!r}",
    )
    of_all = replace(joint.rows, predictions=predictions)
    return joint.part(of_all, np.arange(of_all.positive.size))


def _check_frame(argument: str, frame: Any, columns: Sequence[str]) -> None:
    """Raise an error for a frame that is empty, lazy or has no such column."""
    if isinstance(open_frame(frame), LazyColumns) or not hasattr(frame, "columns"):
        raise InputTypeError.about(
            argument,
            f"is a {type(frame).__name__}, but must be a data frame of pandas, Polars or PyArrow "
            "in memory.",
            value=frame,
            hint="Collect the rows of lazy frames first.",
        )
    names = list(map(str, getattr(frame, "column_names", frame.columns)))
    if len(frame) == 0:
        raise InputError.about(argument, "has no rows.", value=frame)
    for column in columns:
        if not isinstance(column, str) or column not in names:
            problem = f"has no column {show(column)}. It has: {some_of(names, column)}."
            raise InputError.about(argument, problem, value=frame)


def _check_values(argument: str, labels: Any, predictions: Any, column: str) -> None:
    """Raise an error for predictions that are not labels, such as probabilities."""
    known = set(np.asarray(labels).tolist())
    other = [v for v in dict.fromkeys(np.asarray(predictions).tolist()) if v not in known]
    if other:
        raise InputError(
            f"prediction: the column {column!r} of `{argument}` has the value {other[0]!r}, which "
            f"is not one of the labels: {', '.join(sorted(map(repr, known)))}.",
            argument="prediction",
            value=column,
            hint="Predictions are labels; compare predicted probabilities with a threshold first.",
        )
    if len(set(np.asarray(predictions).tolist())) < 2:
        raise InputError(
            f"prediction: the column {column!r} of `{argument}` is constant, so that no measure "
            "can be calculated from it.",
            argument="prediction",
            value=column,
        )


def _column(rows: Rows, key: str) -> AnyArray:
    """Return the frequency, weight or cluster of every row."""
    labels = rows.cluster_labels
    if key == "cluster" and labels is not None:
        return labels if rows.cluster is None else labels[rows.cluster]
    column: AnyArray | None = getattr(rows, key)
    return np.ones(rows.positive.size, int) if column is None else column


def _scores(sample: Sample, name: str) -> AnyArray:
    """Return the scores of a classifier as the user has them."""
    ratings = sample.any_ratings(name)
    if ratings.categories is not None:
        problem = f"scores: the column {name!r} is an ordered categorical."
        hint = "Pass the ratings as numbers."
        raise InputError(problem, argument="scores", value=name, hint=hint)
    return -ratings.values if ratings.lower_is_positive else ratings.values
