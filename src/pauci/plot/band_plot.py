"""A confidence band by itself: limits along the FPR axis, or boxes around points."""

from typing import TYPE_CHECKING

from pauci.calls import answering
from pauci.errors import InputTypeError
from pauci.plot import bands, look, regions
from pauci.results import format as fmt
from pauci.results.band import Band

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@answering
def band(result: Band, *, ax: "Axes | None" = None) -> "Axes":
    """Draw a band: around its curve, around a difference, or boxes around points.

    Parameters
    ----------
    result : Band
        What `pauci.band` returns.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError
        For anything else than a band.

    See Also
    --------
    roc : the whole empirical curve with its band.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores=["svm", "nn"])
    >>> ax = pauci.plot.band(pauci.band(sample, fpr=(0, 0.2)))
    >>> ax.get_ylabel()
    'Difference in TPR'
    """
    if not isinstance(result, Band):
        raise InputTypeError(
            f"result is a {type(result).__name__}; pass what pauci.band returns.",
            argument="result",
            value=result,
        )
    colour = look.COLOURS[0]
    with look.drawing(ax) as axes:
        if result.of_difference:
            axes.axhline(0.0, color=look.GREY, lw=0.8, zorder=1)
        else:
            regions.chance(axes)
        bands.draw_band(axes, result, colour, "-")
        dots = {"ls": "none", "marker": "o", "ms": 3.5} if result.of_points else {"ls": "-"}
        (line,) = axes.plot(result.fpr, result.value, color=colour, zorder=3, **dots)
        if result.of_difference:
            axes.set_xlim(*result.region)
            axes.set_xlabel("False positive rate (1 \N{MINUS SIGN} specificity)")
            axes.set_ylabel("Difference in TPR")
        else:
            regions.frame(axes)
        names = " \N{MINUS SIGN} ".join(look.named(fmt.named(n)) for n in result.names)
        words = f"{names}\n{result.kind} {fmt.percent(result.level)} band"
        drawn = [(result.fpr, y) for y in (result.value, result.low, result.high)]
        look.legend_beside(
            axes, [line], [words], None, drawn, ("lower right", "upper right", "upper left"),
            grow=ax is None,
        )  # fmt: skip
    return axes
