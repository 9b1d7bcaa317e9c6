"""The jackknife as a source of standard errors and of an estimate of bias."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from pauci.checks import FloatArray
from pauci.curve.region import AxisRegion, ChosenPoint, PointRegion
from pauci.errors import JackknifeWarning
from pauci.measures.base import Combination, Measure
from pauci.measures.user_function import Statistic
from pauci.sample.rows import Rows, Scores
from pauci.variance.leave_one_out import Jackknifed, joint_jackknife

_ROWS_PER_GROUP = 20
"""Tie groups smaller than this on average are those of continuous scores."""


@dataclass(frozen=True)
class Jackknife:
    """Standard errors and biases from leaving out rows, as the `variance` of both verbs.

    Each row is left out once (in a case-control sample, and for measures that do not depend on
    the prevalence, within its class), or each cluster if there are any. The bias is in
    ``Estimate.bias``; the value is not corrected for it. For every measure of the package this
    takes a time that grows with the number of tie groups alone, apart from ``AP(corrected=True)``,
    plain functions and clusters.

    Notes
    -----
    See `pauci.variance.leave_one_out` for the formulas. The jackknife is not consistent for measures that
    depend on the place of a single point: on continuous scores, `PAUCc` on an FPR region,
    `Sensitivity` or `MaxKappa` can get standard errors that are far off, and a warning says so.
    Partial areas with known ends, the AUC, average precision and everything on rating scales are
    smooth enough.

    References
    ----------
    B. Efron and C. Stein (1981), Annals of Statistics 9:586-596.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.AP(), variance=pauci.Jackknife())
    >>> round(e.value, 3), round(e.se, 3)
    (0.867, 0.045)
    """


def jackknife_all(
    rows: Rows, terms: Sequence[tuple[Scores, Measure]], stacklevel: int
) -> tuple[list[Jackknifed], FloatArray]:
    """Return the jackknife of several measures, with a warning where it is not consistent."""
    for scores, measure in terms:
        table = scores.table(rows)
        if isinstance(measure, Statistic):
            warnings.warn(
                f"the jackknife is right for smooth functions of the data, and nothing is known of "
                f"{measure!r}: its standard error and bias can be far off. Use pauci.Bootstrap().",
                JackknifeWarning,
                stacklevel=stacklevel + 1,
            )
            continue
        rough = table.size * _ROWS_PER_GROUP > table.rows_pos + table.rows_neg
        if rough and _depends_on_a_quantile(measure):
            warnings.warn(
                f"{measure!r} depends on where a single point lies, and on continuous scores the "
                "jackknife is not consistent for it: its standard error can be far off. Use "
                "variance='influence' or pauci.Bootstrap().",
                JackknifeWarning,
                stacklevel,
            )
    return joint_jackknife(rows, terms)


def _depends_on_a_quantile(measure: Measure) -> bool:
    """Whether an end of the region is estimated, or the point chosen."""
    if isinstance(measure, Combination):
        return any(map(_depends_on_a_quantile, (measure.first, measure.second)))
    region = measure.region
    if isinstance(region, AxisRegion):
        return not measure.known_ends and not (region.low == 0 and region.high == 1)
    return isinstance(region, PointRegion | ChosenPoint)
