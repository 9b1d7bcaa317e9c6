"""The probabilities of all classes, as classifiers predict them, in place of one score per row."""

from typing import Any

import numpy as np

from pauci.checks import AnyArray, BoolArray, is_pandas, show_first
from pauci.errors import InputError
from pauci.sample.vectors import as_array, distinct_values, refuse_missing, vector

_LARGEST_ERROR = 0.01
"""Largest difference from 1 of the sum of a row, for half precision as well."""


def scores_of_positive(
    name: str, values: Any, label_name: str, labels: Any, positive: BoolArray
) -> Any:
    """Return the column of the positive class of a matrix of probabilities; else the values.

    The columns of ``predict_proba`` are in the order of the sorted labels.

    Parameters
    ----------
    name, label_name : str
        The names of the scores and of the labels in messages.
    values : object
        Scores, or an array of shape (n, k) with the probabilities of k classes.
    labels : array_like of shape (n,)
        The labels.
    positive : ndarray of bool, shape (n,)
        Whether each row is a positive.
    """
    if not _is_matrix(values):
        return values
    matrix = as_array(values)
    if matrix.ndim != 2 or matrix.shape[1] < 2 or matrix.dtype.kind not in "fiu":
        return values
    refuse_missing(name, matrix)
    error = np.abs(matrix.sum(axis=1, dtype=np.float64) - 1.0)
    if not len(matrix) or (matrix < 0).any() or error.max() > _LARGEST_ERROR:
        return values
    classes = distinct_values(vector(label_name, labels))
    if len(classes) != matrix.shape[1] or len(matrix) != positive.size:
        raise InputError.about(
            name,
            f"has the shape {matrix.shape}, but {label_name} has {positive.size:,} rows and "
            f"{len(classes)} labels ({show_first(classes)}).",
            value=values,
            hint="Pass the column of the positive class, "
            "proba[:, list(model.classes_).index(label)].",
        )
    label = as_array(vector(label_name, labels))[positive.argmax()]
    at = next(i for i, other in enumerate(classes) if other == label)
    column: AnyArray = matrix[:, at]
    return column


def _is_matrix(values: Any) -> bool:
    """Return whether values may be a matrix, other than a data frame."""
    if is_pandas(values):
        return False
    if isinstance(values, (list, tuple)):
        rows = all(isinstance(v, (list, tuple)) for v in values)
        return rows and len({len(v) for v in values}) == 1
    return getattr(values, "ndim", 1) == 2
