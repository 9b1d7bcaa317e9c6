"""The warning about scores that may be reversed, for results and fits."""

import math
import re
import shlex
from collections.abc import Sequence

import numpy as np

from pauci.curve.counts import CountTable
from pauci.errors import ReversedScoresWarning, warn
from pauci.measures.area import AUC
from pauci.results.family import WeightedSum
from pauci.sample.ratings import Ratings
from pauci.variance.influence_variance import InfluenceVariance
from pauci.variance.joint import independent, uncertainty_of_problem
from pauci.variance.problem import Problem

_MAX_SCORES = 1000
"""Largest number of distinct scores that are compared with class proportions of folds."""

_IDENTIFIERS = {"id", "ids", "identifier", "nr", "key", "uid", "uuid", "mrn"}
"""Last words of the names of columns that identify rows or patients."""

_UNITS = {"case", "patient", "subject", "participant", "person", "record", "row"}
"""Names of columns that identify rows or patients."""

_UNNAMED = "score"
"""The name of scores without one."""

_FEWEST_NUMBERED = 20
"""Smallest number of rows whose scores are taken for row numbers if they are consecutive."""


def warn_if_reversed(parts: Sequence[Ratings], *, same_direction: bool = False) -> None:
    """Warn if the interval of the AUC of a classifier lies below 0.5.

    `parts` are the ratings of a classifier, or of each fold. There may be different reasons.
    `same_direction` states that all scores of the data have the same direction.
    """
    auc = _auc_below_chance(parts)
    if auc is None:
        return
    ratings = parts[0]
    digits = next(d for d in range(3, 18) if float(f"{auc:.{d}g}") < 0.5)
    average = ", averaged over folds," if len(parts) > 1 else ""
    message = f"the AUC of {ratings.name}{average} is {auc:.{digits}g}, below 0.5."
    option = "--lower-is-positive"
    if not same_direction:
        option += f" {shlex.quote(ratings.name)}"
    direction: str | None = "lower_is_positive"
    if ratings.lower_is_positive:
        reason = "declares that lower scores indicate positives, but here higher scores do."
        hint = f"lower_is_positive=True {reason} Nothing else was flipped."
        shell_hint = f"{option} {reason} Nothing else was flipped."
    elif _are_training_prevalences(ratings.table):
        message = (
            f"{message} Each score is the proportion of positives among the training rows of a "
            "cross-validation fold, the prediction of a model without any information. A fold with "
            "more positives leaves fewer for training, so that pooled scores rank the folds in "
            "reverse order."
        )
        direction = None
        hint = "Specify the fold of each row by fold=."
        shell_hint = "Specify the fold of each row by --fold."
    elif _identifies_rows(ratings):
        message = f"{message} It seems to identify or number rows, so that it is not a score."
        direction = None
        hint = shell_hint = "Specify the column of the scores."
    else:
        message = f"{message} Higher scores must indicate positives. Nothing was flipped."
        hint = "If lower scores indicate positives, use lower_is_positive=True."
        shell_hint = f"If lower scores indicate positives, use {option}."
    warn(ReversedScoresWarning(message, argument=direction, hint=hint, shell_hint=shell_hint))


def _auc_below_chance(parts: Sequence[Ratings]) -> float | None:
    """Return the AUC, averaged over parts, if its 95% interval lies below 0.5."""
    curves = [part.known_curve for part in parts]
    auc = math.fsum(curve.auc for curve in curves) / len(parts)
    if not auc < 0.5:
        return None
    if any(min(part.rows.units) < 2 for part in parts):
        return None
    bound = math.fsum(map(_binning_error, parts)) / len(parts)
    method, k = InfluenceVariance(), len(parts)
    of_parts = [uncertainty_of_problem(Problem((part,), (AUC(),)), method) for part in parts]
    se, df, *_ = independent(of_parts).combined(np.full((1, k), 1.0 / k)).marginal(0)
    pairs = math.fsum(min(part.rows.units) for part in parts)
    estimate = WeightedSum((), auc, se, df, se, AUC().range, pairs, resolution_bound=bound)
    return auc if estimate.interval().high < 0.5 else None


def _identifies_rows(ratings: Ratings) -> bool:
    """Return whether a column numbers the rows, or has the name of an identifier."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", ratings.name)
    last = words[-1].lower() if words else ""
    if last in _IDENTIFIERS or (len(words) == 1 and last in _UNITS):
        return True
    table = ratings.known_curve.table
    if table.categories is not None or ratings.name == _UNNAMED or last.startswith("rank"):
        return False
    high, low = ratings.ends
    rows = table.rows_pos + table.rows_neg
    numbered = ratings.table.size == rows and high - low == rows - 1
    return numbered and rows >= _FEWEST_NUMBERED and float(high).is_integer()


def _binning_error(ratings: Ratings) -> float:
    """Return the bound of the binning error of the AUC; 0 if scores were not counted in cells."""
    if ratings.cell_tops is None:
        return 0.0
    from pauci.measures.binning_error import binning_error

    curve = ratings.curve
    return binning_error(AUC(), curve, ratings.cell_tops, curve.auc)


def _are_training_prevalences(table: CountTable) -> bool:
    """Return whether each score is the proportion of positives outside a fold.

    If c folds with m rows and m1 positives in total have the same score, this score is
    (n1 - m1/c)/(n - m/c), from which c is calculated.
    """
    if table.categories is not None or not table.exact or not 2 <= table.size <= _MAX_SCORES:
        return False
    pos, rows = np.diff(table.cum_pos), np.diff(table.cum_pos) + np.diff(table.cum_neg)
    n_pos, n = table.total_pos, table.total_pos + table.total_neg
    scores = table.wide_scores
    if scores.min() < 0 or scores.max() > 1:  # otherwise large integers would overflow
        return False
    excess = scores * n - n_pos
    at_the_mean = np.abs(excess) < 1e-9 * n
    folds = (scores * rows - pos) / np.where(at_the_mean, 1.0, excess)
    whole = (np.abs(folds - np.rint(folds)) < 1e-6 * rows) & (np.rint(folds) >= 1)
    return bool(np.where(at_the_mean, np.abs(pos * n - n_pos * rows) < 1e-6, whole).all())
