"""Intervals along and around the ROC curve: bands, and the points of rating data."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from pauci import checks
from pauci.checks import FloatArray
from pauci.curve.counts import Table
from pauci.errors import (
    DegenerateWarning,
    FewInfluentialWarning,
    InputError,
    InputTypeError,
    SmallRegionWarning,
    arg,
    each_warning_once,
)
from pauci.inference.estimate import estimate
from pauci.intervals.two_by_two import proportion
from pauci.measures.point import Sensitivity
from pauci.plot.classifiers import Classifier
from pauci.results.band import Band as MadeBand
from pauci.sample.rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = 100


@runtime_checkable
class Band(Protocol):
    """What `roc` draws as a band: TPRs from `low` to `high` at each `fpr`."""

    @property
    def fpr(self) -> Any:
        """False positive rates, which do not fall."""

    @property
    def low(self) -> Any:
        """Lower ends."""

    @property
    def high(self) -> Any:
        """Upper ends."""


class PointwiseBand(NamedTuple):
    """Intervals of the sensitivity, each by itself, at a grid of false positive rates."""

    fpr: FloatArray
    low: FloatArray
    high: FloatArray


def pointwise(one: Classifier, level: float) -> PointwiseBand:
    """Return intervals of `Sensitivity` at FPR 0.01, 0.02, ..., 0.99.

    That a point near a corner rests on few rows shows in its interval, and is not warned of.
    """
    grid = np.arange(1, _GRID) / _GRID
    sample = one.sample[one.name]
    with warnings.catch_warnings(), each_warning_once():
        for category in (DegenerateWarning, FewInfluentialWarning, SmallRegionWarning):
            warnings.simplefilter("ignore", category)
        ends = [estimate(sample, Sensitivity(fpr=x)).interval(level) for x in grid.tolist()]
    low, high = np.array(ends).T
    return PointwiseBand(grid, low, high)


def bands_of(band: Any, found: Sequence[Classifier], level: float) -> list[Band | None]:
    """Return the band of each classifier, made now or passed."""
    if band is None:
        return [None] * len(found)
    if isinstance(band, str):
        if band != "pointwise":
            raise InputError(
                arg("band", band), " is not known. Possible are None, 'pointwise', and an object "
                "with arrays .fpr, .low and .high.",
            )  # fmt: skip
        return [pointwise(c, level) for c in found]
    if isinstance(band, Mapping):
        strange = [name for name in band if name not in [c.name for c in found]]
        if strange:
            raise InputError(
                f"band holds {strange[0]!r}, which is no classifier of this figure "
                f"({', '.join(c.name for c in found)}).",
                argument="band",
                value=band,
            )
        return [_checked(band[c.name]) if c.name in band else None for c in found]
    if len(found) > 1:
        raise InputError(
            f"band is one object, and there are {len(found)} classifiers: pass a dict of bands by "
            "name.",
            argument="band",
            value=band,
        )
    return [_checked(band)]


def _checked(band: Any) -> Band:
    """Return a band whose arrays can be drawn."""
    if not isinstance(band, Band):
        raise InputTypeError(
            f"band is a {type(band).__name__}. Possible are None, 'pointwise', and an object with "
            "arrays .fpr, .low and .high.",
            argument="band",
            value=band,
        )
    if isinstance(band, MadeBand):
        if band.of_difference:
            raise InputError(
                f"band is that of the difference {' - '.join(band.names)}, which has a figure of "
                "its own, band.plot(); for the curves pass those of each, such as "
                f"{{{band.names[0]!r}: pauci.band(sample[{band.names[0]!r}])}}.",
                argument="band",
                value=band,
            )
        return band
    fpr, low, high = (np.asarray(v, np.float64) for v in (band.fpr, band.low, band.high))
    if fpr.ndim != 1 or not fpr.shape == low.shape == high.shape or (np.diff(fpr) < 0).any():
        raise InputError(
            f"band has arrays of the shapes {fpr.shape}, {low.shape} and {high.shape}; .fpr, .low "
            "and .high must be alike and .fpr must not fall.",
            argument="band",
            value=band,
        )
    return PointwiseBand(fpr, low, high)


def draw_band(ax: "Axes", band: Band | None, colour: str, dashes: Any) -> None:
    """Fill a band, with thin edges that grey does not lose."""
    if band is None:
        return
    if isinstance(band, MadeBand) and band.fpr_low is not None and band.fpr_high is not None:
        for corner in zip(band.fpr_low, band.low, band.fpr_high, band.high, strict=True):
            x, y = [corner[0], corner[2]], corner[1::2]
            ax.fill_between(
                x, *y, facecolor=colour, edgecolor="none", alpha=0.13, lw=0, zorder=1.5,
                label="_band",
            )  # fmt: skip
            ax.plot(
                [*x, *x[::-1], x[0]], np.repeat(y, 2)[[0, 1, 2, 3, 0]], color=colour, lw=0.5,
                ls=dashes, zorder=1.6, label="_end of the band",
            )  # fmt: skip
        return
    fpr, low, high = (np.asarray(v) for v in (band.fpr, band.low, band.high))
    ax.fill_between(fpr, low, high, color=colour, alpha=0.18, lw=0, zorder=1.5, label="_band")
    for ends in (low, high):
        ax.plot(fpr, ends, color=colour, lw=0.5, ls=dashes, zorder=1.6, label="_end of the band")


class RatingPoints(NamedTuple):
    """The K - 1 operating points of K ratings, with intervals of both rates where there are any."""

    thresholds: list[Any]
    fpr: FloatArray
    tpr: FloatArray
    fpr_ends: tuple[FloatArray, FloatArray] | None
    tpr_ends: tuple[FloatArray, FloatArray] | None

    def only(self, i: int) -> "RatingPoints":
        """Return one of the points."""
        one = slice(i, i + 1)
        ends = [None if e is None else (e[0][one], e[1][one]) for e in self[3:]]
        return RatingPoints(self.thresholds[one], self.fpr[one], self.tpr[one], *ends)


def rating_points(one: Classifier, level: float) -> RatingPoints:
    """Return the operating points of a classifier."""
    return points_of(one.curve.table, one.sample.rows, level)


def points_of(table: Table, rows: Rows, level: float) -> RatingPoints:
    """Return the operating points between the corners, with Wilson intervals.

    They take rows to be independent and alike: with weights or clusters there are none.
    """
    alpha = 1.0 - checks.level(level)
    at = np.arange(1, table.size)
    tp, fp = table.cum_pos[at], table.cum_neg[at]
    ends = (
        [None, None]
        if rows.weight is not None or rows.cluster is not None
        else [proportion(fp, table.total_neg, alpha, "wilson"),
              proportion(tp, table.total_pos, alpha, "wilson")]
    )  # fmt: skip
    rates = fp / table.total_neg, tp / table.total_pos
    return RatingPoints(list(table.thresholds(at - 1)), *rates, *ends)


def draw_points(ax: "Axes", points: RatingPoints, colour: str, marker: str) -> None:
    """Draw operating points with crosses of intervals."""
    errors = [
        None if ends is None else np.maximum([rate - ends[0], ends[1] - rate], 0.0)
        for rate, ends in ((points.fpr, points.fpr_ends), (points.tpr, points.tpr_ends))
    ]
    ax.errorbar(
        points.fpr, points.tpr, xerr=errors[0], yerr=errors[1], ls="none", marker=marker, ms=3.5,
        color=colour, mec="white", mew=0.4, elinewidth=0.8, zorder=3.5, label="_points",
    )  # fmt: skip
