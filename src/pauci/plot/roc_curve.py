"""ROC curves, with the part that a measure looks at."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pauci import checks
from pauci.calls import answering
from pauci.errors import InputError, arg
from pauci.inference.band import is_scale
from pauci.inference.sources import Variance
from pauci.intervals.kinds import Kind
from pauci.plot import bands, look, regions
from pauci.plot.classifiers import (
    Classifier,
    Samples,
    Shown,
    caption_of,
    classifiers_of,
    difference,
    estimates_of,
)
from pauci.results import format as fmt
from pauci.results.band import Band
from pauci.results.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_POINTS, _MOST_NAMED = 500, 8
"""Points that are marked, and those that get their thresholds written beside them, at most."""


@answering
def roc(
    sample: "Samples",
    measure: "Shown | None" = None,
    band: Literal["pointwise"] | bands.Band | Mapping[str, bands.Band] | None = None,
    *,
    level: float = 0.95,
    kind: Kind | None = None,
    variance: "Variance | None" = None,
    points: bool | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw ROC curves, with the region of a measure and its estimates.

    Parameters
    ----------
    sample : Sample or list of Sample
        One classifier or several; a list of independent samples.
    measure : Measure, Estimate or a list of them, Estimates, Comparison or Comparisons, optional
        What to shade and to write in the legend, with its interval: a measure, which is estimated
        now, or a result for one measure, which is shown as it is. Of a `Comparison` the difference
        is told too.
    band : "pointwise", object or dict of str to object, optional
        A band around each curve. ``"pointwise"``: the intervals of `Sensitivity` at FPR 0.01 to
        0.99, each of which holds by itself; or what `pauci.band` returns (any object with arrays
        ``.fpr``, ``.low`` and ``.high``); of several classifiers a dict of these by name.
    level : float, default 0.95
        Confidence level of all intervals.
    kind : str, optional
        Kind of interval of the estimates; see `Estimate.interval`.
    variance : str or VarianceMethod, optional
        Where the standard errors of a measure come from; see `estimate`.
    points : bool, optional
        Whether to mark the operating points between the corners, with Wilson intervals of both
        rates (none where rows have weights or clusters). The default is to do so for ratings:
        named categories, counts, or at most 10 distinct scores with 5 rows each on average.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        For anything else than a sample, several measures, an unknown band, estimates that are not
        of this sample, or a measure that is undefined on it.

    Notes
    -----
    Of one classifier both stripes of the region are shaded, as in figures 1 and 9 of Carrington
    et al. (2020): the vertical one below the curve, over the FPR range of the region, and the
    horizontal one to the right of it, over its TPR range. The area of the first is the vertical
    partial area (`PAUC`), that of the second the horizontal one (`PAUCx`), and half of their sum
    the concordant one (`PAUCc`); only what the measure counts is shaded. Of several classifiers a
    range that all share is grey, and other ranges lie between lines of their own.

    Of more than 1,000 points only those are drawn that make a difference of a thousandth of the
    axis; they, and the ends of the region, are exact.

    References
    ----------
    A. M. Carrington et al. (2020), A new concordant partial AUC and partial c statistic for
    imbalanced data in the evaluation of machine learning algorithms, BMC Medical Informatics and
    Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> ax = pauci.plot.roc(sample, pauci.PAUCc(fpr=(0, 0.3)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['svm: 0.325 (0.257 to 0.392)', 'nn: 0.316 (0.247 to 0.386)']
    """
    found = classifiers_of(sample, "roc")
    level = checks.level(level)
    numbers, title, used = [""] * len(found), None, None
    if measure is not None:
        estimates = estimates_of(sample, measure, found, variance)
        title, numbers = caption_of(estimates, level, kind)
        used = estimates[0].measure
    if points:
        _check_number_of_points(found)
    drawn = bands.bands_of(band, found, level)
    named = len(found) > 1 or measure is not None
    with look.drawing(ax) as axes:
        regions.chance(axes)
        if used is not None and len(found) == 1:
            regions.shade(axes, found[0].curve, used)
        elif used is not None:
            colours = [look.colour(i) for i in range(len(found))]
            regions.outline(axes, [c.curve for c in found], used, colours)
        handles = []
        for i, (c, own) in enumerate(zip(found, drawn, strict=True)):
            bands.draw_band(axes, own, look.colour(i), look.dashes(i))
            handles += _curve(axes, c, i)
            if used is not None:
                regions.mark_ends(axes, c.curve, used, look.colour(i))
            if is_scale(c.sample.ratings(c.name)) if points is None else points:
                boxes = isinstance(own, Band) and own.of_points
                _points(axes, c, i, level, named=len(found) == 1, crosses=not boxes)
        regions.frame(axes)
        if named:
            labels = [look.entry(c.name, n) for c, n in zip(found, numbers, strict=True)]
            lines = [h.get_data() for h in handles]
            if isinstance(measure, Comparison):
                handles += axes.plot([], [], ls="none", label="_difference")
                labels.append(difference(measure, level, kind))
            places = ("lower right", "upper left")
            look.legend_beside(
                axes, handles, labels, _wrapped(title), lines, places, grow=ax is None
            )
    return axes


def _check_number_of_points(found: list[Classifier]) -> None:
    """Refuse to mark so many points that their intervals hide each other."""
    for c in found:
        if c.curve.table.size - 1 > _MOST_POINTS:
            raise InputError(
                arg("points", True), f" would mark {c.curve.table.size - 1:,} points of {c.name!r} "
                f"with their intervals, and a figure shows {_MOST_POINTS} at most; leave it out, "
                "or draw some with pauci.operating_points(...).plot().",
            )  # fmt: skip


def _wrapped(title: str | None) -> str | None:
    """Return the title of a legend on lines that fit a column."""
    return None if title is None else look.wrapped(title, 44)


def _curve(ax: "Axes", one: Classifier, i: int) -> Any:
    """Draw one curve."""
    return ax.plot(
        *regions.line(one.curve), color=look.colour(i), ls=look.dashes(i), clip_on=False,
        solid_joinstyle="miter", zorder=3, label=look.plain(f"curve of {one.name}"),
    )  # fmt: skip


def _points(
    ax: "Axes", one: Classifier, i: int, level: float, *, named: bool, crosses: bool
) -> None:
    """Mark the operating points; of one classifier with few, with their thresholds."""
    points = bands.rating_points(one, level)
    if not crosses:
        points = points._replace(fpr_ends=None, tpr_ends=None)
    bands.draw_points(ax, points, look.colour(i), look.marker(i))
    if not named or len(points.thresholds) > _MOST_NAMED:
        return
    sign = "\N{LESS-THAN OR EQUAL TO}" if one.curve.table.lower_is_positive else (
        "\N{GREATER-THAN OR EQUAL TO}"
    )  # fmt: skip
    written: list[tuple[float, float]] = []
    for x, y, threshold in zip(points.fpr, points.tpr, points.thresholds, strict=True):
        left, low = x > 0.85, y < 0.06
        middle = y + (0.03 if low else -0.035)
        if any(abs(x - a) < 0.12 and abs(middle - b) < 0.055 for a, b in written):
            continue  # two labels on one place are none
        written.append((x, middle))
        words = look.minus(look.named(f"{sign} {fmt.bound(threshold)}", 24, 1))
        ax.annotate(
            words, (x, y), (-3 if left else 5, 2 if low else -5), textcoords="offset points",
            fontsize=look.small(), zorder=5, ha="right" if left else "left",
            va="bottom" if low else "top",
        )  # fmt: skip
