"""How often each rating was given to positives and to negatives."""

from typing import TYPE_CHECKING

import numpy as np

from pauci.calls import validate_call
from pauci.checks import FloatArray
from pauci.figures import legends, style
from pauci.plot.classifiers import Classifier, single_classifier
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 62 / 25.4
_MOST_BARS, _MAX_COUNTED_RANGE = 15, 7
_BINS = 30
_FACES = (("positives", style.COLOURS[0], ""), ("negatives", "#F2C79A", "/////"))


@validate_call
def ratings(sample: Sample, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how often each rating was given to positives and to negatives.

    Parameters
    ----------
    sample : Sample
        One classifier.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` does not have exactly one classifier.

    Notes
    -----
    Bars are proportions of each class, because there may be many more negatives than positives.
    With up to 7 ratings, the counts are written above the bars. More than 15 distinct numbers are
    drawn as histograms with common bins. The most positive rating is at the right.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    >>> ax = pauci.plot.ratings(ct)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['1', '2', '3', '4', '5']
    """
    classifier = single_classifier(sample, "ratings")
    table = classifier.curve.table
    counts = (table.pos, table.total_pos), (table.neg, table.total_neg)
    shares = [(c / n)[::-1] for c, n in counts]
    named = table.categories is not None
    with style.drawing(ax, height=_HEIGHT) as axes:
        if named or table.size <= _MOST_BARS:
            _bars(axes, classifier, shares)
        else:
            _histograms(axes, classifier, shares)
        axes.set_ylabel("Share of the class")
        handles, labels = axes.get_legend_handles_labels()
        totals = [_count(table.total_pos), _count(table.total_neg)]
        legends.legend(
            axes,
            handles,
            [f"{n} {label}" for n, label in zip(totals, labels, strict=True)],
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=2,
            borderaxespad=0.0,
        )
    return axes


def _bars(ax: "Axes", classifier: Classifier, shares: list[FloatArray]) -> None:
    """Draw two bars for each rating."""
    table = classifier.curve.table
    at = np.arange(table.size)
    counts = [list(map(_count, c[::-1].tolist())) for c in (table.pos, table.neg)]
    upright = max(len(text) for texts in counts for text in texts) > 3
    for i, (label, face, hatch) in enumerate(_FACES):
        bars = ax.bar(
            at + 0.4 * i - 0.2,
            shares[i],
            0.4,
            color=face,
            hatch=hatch,
            edgecolor="black",
            lw=0.4,
            label=label,
        )
        if table.size <= _MAX_COUNTED_RANGE:
            ax.bar_label(
                bars,
                counts[i],
                padding=2,
                fontsize=style.small_size(),
                rotation=90 if upright else 0,
            )
    room = 1.3 if table.size <= _MAX_COUNTED_RANGE else 1.05
    ax.set_ylim(0.0, room * float(max(s.max() for s in shares)))
    names = [style.minus(table.text_at(group + 1)) for group in at[::-1].tolist()]
    wide = sum(map(len, names)) > 42
    labels = [style.wrapped_name(name, 16, 2) for name in names]
    ax.set_xticks(at, labels, rotation=90 if wide else 0)
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel(f"Rating: {style.wrapped_name(classifier.name, 36, 1)}")


def _histograms(ax: "Axes", classifier: Classifier, shares: list[FloatArray]) -> None:
    """Draw the two classes over common bins."""
    table = classifier.curve.table
    scores = np.asarray(table.thresholds(np.arange(table.size)), np.float64)[::-1]
    finite = np.isfinite(scores)
    low, high = scores[finite].min(), scores[finite].max()
    edges = np.linspace(low, high, _BINS + 1)
    for (label, face, hatch), share in zip(_FACES, shares, strict=True):
        heights, _ = np.histogram(np.clip(scores, low, high), edges, weights=share)
        filled = label == "negatives"
        ax.stairs(
            heights,
            edges,
            fill=filled,
            facecolor=face if filled else "none",
            lw=1.2,
            edgecolor="black" if filled else face,
            hatch=hatch if filled else "",
            label=label,
            zorder=1 if filled else 2,
        )
    if table.lower_is_positive:
        ax.invert_xaxis()
    ax.set_xlabel(f"Score: {style.wrapped_name(classifier.name, 36, 1)}")


def _count(value: float) -> str:
    """Return a count, with decimals if it is a sum of weights."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
