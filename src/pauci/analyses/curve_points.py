"""Points of the ROC and related curves, for custom plots and tables."""

from typing import TYPE_CHECKING

import numpy as np

from pauci.accepted import Number
from pauci.calls import validate_call
from pauci.errors import InputTypeError
from pauci.measures.kappa_at import kappa
from pauci.measures.precision import precision
from pauci.measures.prevalence import validate_prevalence
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("classifier", "threshold", "fpr", "tpr", "precision", "kappa", "called", "hits")


@validate_call
def curve_points(sample: Sample, prevalence: Number | None = None) -> "pd.DataFrame":
    r"""Return the points of the ROC, precision-recall, kappa and hit curves.

    Parameters
    ----------
    sample : Sample
        One classifier, or several.
    prevalence : number, optional
        Prevalence of positives, strictly between 0 and 1, for all curves except the ROC curve; the
        default is that of the sample.

    Returns
    -------
    pandas.DataFrame
        A row per classifier and threshold, strictest threshold first, after a row in which no
        observation is called positive. The columns are ``threshold`` (scores of at least this
        value, or of at most this value if lower scores indicate positives, are called positive;
        infinite, or None for named categories, in the first row), ``fpr``, ``tpr``, ``precision``
        (NaN in the first row), ``kappa``, ``called`` (the proportion r called positive) and
        ``hits`` (the proportion h of true positives among all observations). Its ``attrs`` are the
        numbers of rows that were ``dropped`` for missing values and ``left_out`` for their label.

    Notes
    -----
    With the operating points :math:`(Q_k, P_k)`, the points of the hit curve are
    :math:`(r, h) = (\pi P_k + (1 - \pi) Q_k, \pi P_k)` (Su, Yuan and Zhu 2015). Precision is
    :math:`h / r`, so the slope of the hit curve at 0 is the initial precision.

    References
    ----------
    W. Su, Y. Yuan and M. Zhu (2015), A relationship between the average precision and the area
    under the ROC curve, International Conference on the Theory of Information Retrieval, 349-352.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample.from_counts([3, 2, 1], [8, 3, 1], [1, 5, 30])
    >>> frame = pauci.curve_points(sample)
    >>> [round(h, 3) for h in frame["hits"]]
    [0.0, 0.167, 0.229, 0.25]
    """
    import pandas as pd

    if not isinstance(sample, Sample):
        raise InputTypeError(f"sample is a {type(sample).__name__}; pass a pauci.Sample.")
    specified = validate_prevalence(prevalence)
    parts = []
    for name in sample.names:
        curve = sample.ratings(name).curve
        table = curve.table
        thresholds = table.thresholds(np.arange(table.size))
        if isinstance(thresholds, np.ndarray):  # its type holds large integers
            thresholds = np.insert(thresholds, 0, float(table.above_all or 0))
        else:
            thresholds = [None, *thresholds]
        pi = sample.prevalence if specified is None else specified
        hits = pi * curve.tpr
        alarms = (1.0 - pi) * curve.fpr
        called = hits + alarms
        values = (
            name,
            thresholds,
            curve.fpr,
            curve.tpr,
            np.where(called > 0.0, precision(hits, alarms), np.nan),
            kappa(curve.fpr, curve.tpr, pi),
            called,
            hits,
        )
        parts.append(pd.DataFrame(dict(zip(COLUMNS, values, strict=True))))
    points = pd.concat(parts, ignore_index=True)
    points.attrs = {"dropped": sample.rows.dropped, "left_out": sample.rows.left_out}
    return points
