"""Distributions: the replicates of a bootstrap, and the arrangements of a permutation test."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import answering
from pauci.checks import FloatArray
from pauci.errors import BOOTSTRAP, InputError, InputTypeError, arg
from pauci.inference.permutation import PermutationTest
from pauci.intervals.kinds import Kind
from pauci.plot import look
from pauci.results import format as fmt
from pauci.results.comparison import Comparison
from pauci.results.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 58 / 25.4
_MOST_BINS = 60


@answering
def replicates(
    result: Estimate | Comparison,
    *,
    level: float = 0.95,
    kind: Kind | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the replicates of a bootstrap with the estimate and its interval.

    Parameters
    ----------
    result : Estimate or Comparison
        Made with ``variance=pauci.Bootstrap(...)``.
    level : float, default 0.95
        Confidence level of the interval, which is shaded.
    kind : str, optional
        Kind of interval; the default is that of the result.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        For anything else, or a result without replicates.

    Notes
    -----
    Replicates in which the measure is undefined are left out, and counted in the legend. A
    comparison has a line at its null difference.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(500, rng=0))
    >>> ax = pauci.plot.replicates(e)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['estimate 0.833', '95% BCa CI 0.702 to 0.921']
    """
    if not isinstance(result, Estimate | Comparison):
        raise InputTypeError(
            f"result is a {type(result).__name__}; pass one Estimate or Comparison, such as "
            "estimates[0].",
            argument="result",
            value=result,
        )
    resampled = result.resampled
    if resampled is None:
        raise InputError(
            "result has no replicates: they come with ", arg("variance", BOOTSTRAP), ".",
            argument="result",
        )  # fmt: skip
    its_kind: Any = kind
    low, high = result.interval(level, its_kind)
    used = result.kind_used(kind)
    difference = isinstance(result, Comparison)
    value = result.difference if isinstance(result, Comparison) else result.value
    with look.drawing(ax, height=_HEIGHT) as axes:
        _histogram(axes, resampled.distribution, None)
        handles: list[Any] = [axes.axvline(value, color=look.COLOURS[0], lw=1.3, label="_estimate")]
        labels = [f"{'difference' if difference else 'estimate'} {look.number(value, result.se)}"]
        left, right = axes.get_xlim()
        ends = [low if math.isfinite(low) else left, high if math.isfinite(high) else right]
        handles.append(
            axes.axvspan(*ends, color=look.COLOURS[1], alpha=0.25, lw=0, zorder=0.5, label="_CI")
        )
        level = checks.level(level)
        labels.append(look.minus(fmt.interval_phrase(low, high, level, used, result.se, value)))
        if isinstance(result, Comparison):
            handles.append(
                axes.axvline(result.null, color=look.GREY, lw=0.9, ls=(0, (3, 2)), label="_null")
            )
            labels.append(f"null {result.null:g}")
        if resampled.n_undefined:
            handles += axes.plot([], [], ls="none")
            labels.append(f"undefined in {fmt.count(resampled.n_undefined, 'replicate')}")
        axes.set_xlabel(look.wrapped(_title(result), 48))
        axes.set_ylabel("Replicates")
        _legend_above(axes, handles, labels)
    return axes


@answering
def permutations(test: PermutationTest, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the statistic on all arrangements of a permutation test, and the one observed.

    Parameters
    ----------
    test : PermutationTest
        What `pauci.permutation_test` returns.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> test = pauci.permutation_test(sample, pauci.AUC(), 999, rng=0)
    >>> ax = pauci.plot.permutations(test)
    >>> ax.get_legend().get_texts()[0].get_text().startswith("observed ")
    True
    """
    if not isinstance(test, PermutationTest):
        raise InputTypeError(
            f"test is a {type(test).__name__}; pass what pauci.permutation_test returns.",
            argument="test",
            value=test,
        )
    values = test.distribution
    with look.drawing(ax, height=_HEIGHT) as axes:
        _histogram(axes, values, test.probabilities)
        line = axes.axvline(test.statistic, color=look.COLOURS[1], lw=1.5, label="_observed")
        words = f"observed {look.number(test.statistic, test.spread)}, {fmt.p_value(test.pvalue)}"
        phrase = test.measure.region_phrase
        what = "Difference in " if len(test.names) == 2 else ""
        where = f", {look.short(phrase)}" if phrase else ""
        title = f"{what}{test.measure.label}{where}, under the null of {test.null}"
        axes.set_xlabel(look.wrapped(title, 48))
        axes.set_ylabel("Arrangements" if test.probabilities is None else "Probability")
        _legend_above(axes, [line], [words])
    return axes


def _histogram(ax: "Axes", values: FloatArray, weights: Any) -> None:
    """Draw a histogram as one shape, which stays small in a vector file."""
    finite = np.isfinite(values)
    values = values[finite]
    weights = None if weights is None else weights[finite]
    bins = int(np.clip(2.0 * values.size ** (1.0 / 3.0), 8, _MOST_BINS))
    span = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if span[1] - span[0] <= 1e-9 * max(1.0, abs(span[0])):  # all alike but for rounding
        span = (span[0] - 0.5e-3, span[1] + 0.5e-3)
    counts, edges = np.histogram(values, bins, span, weights=weights)
    ax.stairs(
        counts, edges, fill=True, facecolor="0.75", edgecolor="0.45", lw=0.4, zorder=1,
        label="_histogram",
    )  # fmt: skip
    ax.set_ylim(0.0, 1.05 * max(float(counts.max()), 1e-12))
    ax.locator_params(axis="x", nbins=5)


def _legend_above(ax: "Axes", handles: list[Any], labels: list[str]) -> None:
    """Put the legend over the axes, where no bar is."""
    look.legend(ax, handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.0)


def _title(result: Estimate | Comparison) -> str:
    """Return what a distribution is of."""
    if isinstance(result, Comparison):
        where = f", {look.short(result.region_phrase)}" if result.measure.region_phrase else ""
        return f"{result.measure.label}{where}: {look.difference_of(result.first, result.second)}"
    where = f", {look.short(result.region.words)}" if result.measure.region_phrase else ""
    return f"{result.measure.label}{where}: {result.classifier}"
