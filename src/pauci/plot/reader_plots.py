"""Figures of reader studies: each reader beside the average of all."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import answering
from pauci.errors import InputError, InputTypeError, arg
from pauci.intervals.kinds import Kind
from pauci.plot import look, regions
from pauci.plot.forest_plot import Forest, Row, draw_forest
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.long_data import name_of
from pauci.readers.study import ReaderStudy
from pauci.results import format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.linspace(0.0, 1.0, 1001)


@answering
def readers(
    result: ReaderAnalysis,
    *,
    pair: tuple[str, str] | None = None,
    level: float = 0.95,
    kind: Kind | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the difference of two modalities for each reader and for their average.

    Parameters
    ----------
    result : ReaderAnalysis
        What `mrmc` returns.
    pair : tuple of two str, optional
        The two modalities; the default are the first two. Of a study of one modality, or of readers
        who read in one each, readers' estimates are shown in place of differences.
    level : float, default 0.95
        Confidence level.
    kind : None
        Readers have intervals over cases (of differences Wald), and the average that of the
        analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, as high as it takes.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        For anything else, or modalities that the study does not have.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365")
    >>> ax = pauci.plot.readers(pauci.mrmc(study, pauci.AUC()))
    >>> ax.get_yticklabels()[-1].get_text()
    'average'
    """
    if not isinstance(result, ReaderAnalysis):
        raise InputTypeError(
            f"result is a {type(result).__name__}, and pauci.plot.readers takes what pauci.mrmc "
            "returns.",
            argument="result",
            value=result,
        )
    level = checks.level(level)
    if kind is not None:
        checks.check_choice("kind", kind, ("wald",))
    first, second = _pair(result, pair)
    places = {(c.reader, c.modality): i for i, c in enumerate(result.cells)}
    rows = []
    for name in result.study.readers if second else ():
        a, b = places.get((name, first)), places.get((name, second))
        if a is None or b is None:
            continue
        v = result.covariance
        se = math.sqrt(max(float(v[a, a] + v[b, b] - 2.0 * v[a, b]), 0.0))
        of_reader = result.cells[a].minus(result.cells[b], se)
        rows.append(Row(name, "", of_reader.value, se, *of_reader.interval(level)))
    label = result.title
    head = f"({fmt.percent(level)} CI)"
    if rows:
        whole = next(d for d in result.contrasts if {d.name, d.second} == {first, second})
        low, high = whole.interval(level)
        value, ends = whole.value, (low, high)
        if whole.name != first:
            value, ends = -value, (-high, -low)
        rows.append(Row("average", "", value, whole.se, *ends))
        axis = f"Difference in {label}, {look.difference_of(first, second, 'modality')}"
        return draw_forest([Forest(rows, axis, f"Difference {head}", "", result.null, False)], ax)
    several = len(result.averages) > 1
    for c in result.cells:
        name = fmt.of_cell(c.reader, c.modality) if several else c.reader
        rows.append(Row(name, "", c.value, c.se, *c.alone.interval(level, kind=kind)))
    for average in result.averages:
        name = f"average ({fmt.named(average.name, 'modality')})" if several else "average"
        rows.append(Row(name, "", average.value, average.se, *average.interval(level, kind=kind)))
    return draw_forest([Forest(rows, label, f"Estimate {head}", "", None, False)], ax)


def _pair(result: ReaderAnalysis, pair: Any) -> tuple[str, str]:
    """Return the two modalities to show; the second is empty where there is one."""
    names = [a.name for a in result.averages]
    if pair is None:
        return (names[0], names[1]) if len(names) > 1 else (names[0], "")
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise InputTypeError(arg("pair", pair), " must name two modalities, such as ('a', 'b').")
    first, second = (name_of(name) for name in pair)
    for name in (first, second):
        if name not in names:
            raise InputError(
                arg("pair", pair),
                f": {name!r} is not a modality{checks.nearest(name, names)} There are: "
                f"{', '.join(names)}.",
            )
    if first == second:
        raise InputError(arg("pair", pair), " names one modality twice.")
    return first, second


@answering
def reader_curves(study: "ReaderStudy | ReaderAnalysis", *, ax: "Axes | None" = None) -> "Axes":
    """Draw the ROC curve of every reader, and the average of the readers of each modality.

    Parameters
    ----------
    study : ReaderStudy or ReaderAnalysis
        The readings.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Notes
    -----
    The average is vertical, the mean TPR at each FPR (Chen and Samuelson 2014), so that the area
    below it is the mean of the readers' areas.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365")
    >>> ax = pauci.plot.reader_curves(study)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['digital: average of 20 readers', 'film: average of 20 readers']
    """
    if isinstance(study, ReaderAnalysis):
        study = study.study
    if not isinstance(study, ReaderStudy):
        raise InputTypeError(
            f"study is a {type(study).__name__}; pass a ReaderStudy or what pauci.mrmc returns.",
            argument="study",
            value=study,
        )
    with look.drawing(ax) as axes:
        regions.chance(axes)
        handles, labels = [], []
        for i, name in enumerate(study.modalities):
            lines = [regions.line(c.ratings.curve) for c in study.cells if c.modality == i]
            for x, y in lines:
                axes.plot(x, y, color=look.colour(i), lw=0.4, alpha=0.35, label="_reader")
            mean = np.mean([np.interp(_GRID, x, y) for x, y in lines], axis=0)
            mean[0] = 0.0
            handles += axes.plot(
                _GRID, mean, color=look.colour(i), ls=look.dashes(i), lw=1.8, zorder=4,
                label="_average",
            )  # fmt: skip
            whose = fmt.count(len(lines), "reader")
            labels.append(
                look.entry(
                    fmt.named(name, "modality"), f"average of {whose}" if len(lines) > 1 else whose
                )
            )
        regions.frame(axes)
        data = [h.get_data() for h in handles]
        look.legend_beside(
            axes, handles, labels, None, data, ("lower right", "upper left"), grow=ax is None
        )
    return axes
