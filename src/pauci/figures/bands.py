"""Confidence bands of ROC curves: limits along the FPR axis, or boxes around points."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.checks import FloatArray
from pauci.figures import legends, roc_plane, style
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class BandLimits(NamedTuple):
    """Limits of the TPR, or of a difference, at false positive rates.

    If the FPR has limits too, they are boxes around points.
    """

    fpr: FloatArray
    low: FloatArray
    high: FloatArray
    fpr_low: FloatArray | None = None
    fpr_high: FloatArray | None = None


def fill_band(ax: "Axes", band: BandLimits, colour: str, dashes: Any) -> None:
    """Fill a band, with thin edges that remain visible in greyscale."""
    fpr, low, high, fpr_low, fpr_high = band
    if fpr_low is not None and fpr_high is not None:
        for left, bottom, right, top in zip(fpr_low, low, fpr_high, high, strict=True):
            ax.fill_between(
                [left, right], bottom, top, **style.pale(colour, 0.13), zorder=1.5, label="_band"
            )
            ax.plot(
                [left, right, right, left, left],
                [bottom, bottom, top, top, bottom],
                color=colour,
                lw=0.5,
                ls=dashes,
                zorder=1.6,
                label="_end of the band",
            )
        return
    ax.fill_between(fpr, low, high, **style.pale(colour, 0.18), zorder=1.5, label="_band")
    for ends in (low, high):
        ax.plot(fpr, ends, color=colour, lw=0.5, ls=dashes, zorder=1.6, label="_end of the band")


def draw_band(
    band: BandLimits,
    value: FloatArray,
    names: Sequence[str],
    kind: str,
    level: float,
    region: tuple[float, float],
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a band around its curve, its points, or the difference of two classifiers.

    Parameters
    ----------
    band : BandLimits
        The limits.
    value : ndarray
        The TPR, or the difference, at each FPR.
    names : sequence of str
        The classifier, or the two whose difference is drawn.
    kind : {"simultaneous", "pointwise"}
        Name of the band in the legend.
    level : float
        Confidence level of the band.
    region : tuple of two float
        Range of the FPR axis of a difference.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    colour, of_difference = style.COLOURS[0], len(names) == 2
    with style.drawing(ax) as axes:
        if of_difference:
            axes.axhline(0.0, color=style.GREY, lw=0.8, zorder=1)
        else:
            roc_plane.chance(axes)
        fill_band(axes, band, colour, "-")
        marks = {"ls": "-"} if band.fpr_low is None else {"ls": "none", "marker": "o", "ms": 3.5}
        (line,) = axes.plot(band.fpr, value, color=colour, zorder=3, **marks)
        if of_difference:
            axes.set_xlim(*region)
            axes.set_xlabel("False positive rate (1 \N{MINUS SIGN} specificity)")
            axes.set_ylabel("Difference in TPR")
        else:
            roc_plane.frame(axes)
        title = style.minus_between(*(style.wrapped_name(fmt.named(name)) for name in names))
        label = f"{title}\n{kind} {fmt.percent(level)} band"
        places = ("lower right", "upper right", "upper left")
        legends.legend_beside(axes, [line], [label], None, places, grow=ax is None)
    return axes
