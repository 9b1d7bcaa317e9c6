"""Decision curves: net benefit against the threshold probability."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.checks import FloatArray
from pauci.figures import legends, style
from pauci.figures.bands import BandLimits, fill_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 72 / 25.4


class DecisionLine(NamedTuple):
    """A curve over threshold probabilities, with pointwise limits."""

    label: str
    value: FloatArray
    low: FloatArray
    high: FloatArray


def draw_decision_curves(
    probability: FloatArray,
    lines: Sequence[DecisionLine],
    references: Sequence[tuple[str, FloatArray]],
    *,
    ylabel: str,
    band: str,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw curves over threshold probabilities with their pointwise bands.

    Parameters
    ----------
    probability : ndarray
        Threshold probabilities.
    lines : sequence of DecisionLine
        The curves of classifiers, or of a difference.
    references : sequence of (str, ndarray)
        Curves without bands, such as those of treating all and none.
    ylabel : str
        Label of the vertical axis.
    band : str
        Legend entry of the bands.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    with style.drawing(ax, height=_HEIGHT) as axes:
        handles: list[Any] = []
        for i, line in enumerate(lines):
            colour = style.colour(i)
            fill_band(axes, BandLimits(probability, line.low, line.high), colour, style.dashes(i))
            handles += axes.plot(
                probability, line.value, color=colour, ls=style.dashes(i), zorder=3, label="_curve"
            )
        labels = [line.label for line in lines]
        for (name, values), dashes in zip(references, ("-", (0, (1, 1.5))), strict=False):
            handles += axes.plot(
                probability, values, color="0.35", lw=0.9, ls=dashes, zorder=2, label="_reference"
            )
            labels.append(name)
        fill = axes.fill_between([], [], [], **style.pale(style.colour(0), 0.18), label="_band")
        handles.append(fill)
        labels.append(band)
        axes.set_xlim(float(probability[0]), float(probability[-1]))
        axes.set_ylim(*_limits(lines, references))
        axes.set_xlabel("Threshold probability")
        axes.set_ylabel(ylabel)
        places = ("upper right", "lower left")
        legends.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes


def _limits(
    lines: Sequence[DecisionLine], references: Sequence[tuple[str, FloatArray]]
) -> tuple[float, float]:
    """Return limits that show all curves of classifiers; that of treating all may leave them."""
    lowest = min(float(line.low.min()) for line in lines)
    highest = max(float(line.high.max()) for line in lines)
    if len(references) > 1:  # of treating all, which falls below any limit
        values = max(float(line.value.max()) for line in lines)
        highest = max([highest, *(float(v.max()) for _, v in references)])
        lowest = max(min(lowest, 0.0), -0.35 * max(values, highest))
    margin = 0.05 * (highest - lowest)
    return lowest - margin, highest + margin
