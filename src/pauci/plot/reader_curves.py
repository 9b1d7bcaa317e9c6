"""The ROC curves of readers, and their averages."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import validate_call
from pauci.figures import legends, roc_plane, style
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.study import Cell, ReaderStudy
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.linspace(0.0, 1.0, 1001)

_MOST_LISTED = len(style.MARKERS)
"""Largest number of readers with a line style and a legend entry each."""

_SHORT = 12
"""Length of the names of all modalities up to which the entry of each reader repeats them."""


@validate_call
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
    below it is the mean of the readers' areas. A modality with a single reader, such as an AI
    system, has the curve of that reader.

    Up to six readers of modalities with several readers have a line style and a legend entry each.
    Readers with two different scores, such as the decisions 0 and 1, are drawn as points, and their
    average as a star. To compare the curve of an AI system with the operating points of readers,
    use 0 and 1 as scores of the readers, such as ``score >= 3`` for ratings from 1 to 5.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365")
    >>> ax = pauci.plot.reader_curves(study)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['digital: AUC 0.707, average of 20 readers', 'film: AUC 0.769, average of 20 readers']
    """
    if isinstance(study, ReaderAnalysis):
        study = study.study
    if not isinstance(study, ReaderStudy):
        raise checks.wrong_type("study", study, "a ReaderStudy, or what pauci.mrmc returns")
    groups = _ModalityCells(study)
    with style.drawing(ax) as axes:
        roc_plane.chance(axes)
        entries = [_draw_modality(axes, groups, i) for i in range(len(study.modalities))]
        entries += [_draw_key(axes, groups, reader) for reader in groups.listed]
        handles, labels = zip(*entries, strict=True)
        roc_plane.frame(axes)
        places = ("lower right", "upper left")
        legends.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes


class _ModalityCells:
    """The cells of each modality, and the readers that the legend lists."""

    def __init__(self, study: ReaderStudy) -> None:
        self.study = study
        self.cells = [
            [c for c in study.cells if c.modality == i] for i in range(len(study.modalities))
        ]
        self.several = [i for i, cells in enumerate(self.cells) if len(cells) > 1]
        readers = list(dict.fromkeys(c.reader for i in self.several for c in self.cells[i]))
        self.listed = readers if len(readers) <= _MOST_LISTED else []

    def cells_of(self, reader: int) -> list[Cell]:
        """Return the cells of a reader in modalities with several readers."""
        return [c for i in self.several for c in self.cells[i] if c.reader == reader]

    def look(self, cell: Cell) -> dict[str, Any]:
        """Return the style of a reader: the colour of the modality, and dashes of the reader.

        If a single modality has several readers, each listed reader also has a colour. Readers that
        the legend does not list have the dashes of their modality.
        """
        colour = look = cell.modality
        if self.listed:
            look = self.listed.index(cell.reader)
            colour = cell.modality if len(self.several) > 1 else look + 1
        return {
            "color": style.colour(colour),
            "ls": style.dashes(look),
            "marker": style.marker(look),
            "lw": 0.9 if self.listed else 0.5,
            "ms": 4.0,
            "mec": "white",
            "mew": 0.4,
            "label": "_reader",
        }


def _draw_modality(ax: "Axes", groups: _ModalityCells, i: int) -> tuple[Any, str]:
    """Draw the readers of a modality and their average; return its legend entry."""
    cells = groups.cells[i]
    several = len(cells) > 1
    for c in cells if several else ():
        _draw_reader(ax, c, groups.look(c))
    readers = fmt.count(len(cells), "reader")
    numbers = f"{_numbers(cells)}, {f'average of {readers}' if several else readers}"
    name = fmt.named(groups.study.modalities[i], "modality")
    return _draw_average(ax, cells, i), legends.entry(name, style.wrapped(numbers, 40))


def _draw_key(ax: "Axes", groups: _ModalityCells, reader: int) -> tuple[Any, str]:
    """Return the legend entry of a reader, grey if the colours are those of modalities."""
    cells = groups.cells_of(reader)
    look = groups.look(cells[0])
    if len(groups.several) > 1:
        look["color"] = "0.35"
    if all(map(_is_decision, cells)):
        look["ls"] = "none"
    if not any(map(_is_decision, cells)):
        look["marker"] = ""
    (handle,) = ax.plot([], [], **look)
    return handle, _entry(groups.study, cells, groups.several)


def _is_decision(cell: Cell) -> bool:
    """Return whether a reader gave two different scores only, such as 0 and 1: a single point."""
    return cell.ratings.curve.table.size == 2


def _point(cell: Cell) -> tuple[float, float]:
    """Return the FPR and TPR of the decisions of a reader."""
    curve = cell.ratings.curve
    return float(curve.fpr[1]), float(curve.tpr[1])


def _draw_reader(ax: "Axes", cell: Cell, look: dict[str, Any]) -> None:
    """Draw the curve of a reader, or the point of a reader who decided between two classes."""
    if _is_decision(cell):
        fpr, tpr = _point(cell)
        ax.plot([fpr], [tpr], **{**look, "ls": "none"}, zorder=3.5, clip_on=False)
        return
    x, y = roc_plane.line(cell.ratings.curve)
    ax.plot(x, y, **{**look, "marker": ""}, alpha=1.0 if look["lw"] > 0.5 else 0.6)


def _draw_average(ax: "Axes", cells: list[Cell], i: int) -> Any:
    """Draw the average of the curves of a modality, or of the points if there are only points."""
    if all(map(_is_decision, cells)):
        x, y = np.mean([_point(c) for c in cells], axis=0)
        (handle,) = ax.plot(
            [x],
            [y],
            ls="none",
            marker="*",
            ms=10.0,
            mfc="white",
            mew=1.1,
            zorder=4.5,
            color=style.colour(i),
            label="_average",
            clip_on=False,
        )
        return handle
    lines = [roc_plane.line(c.ratings.curve) for c in cells]
    mean = np.mean([np.interp(_GRID, x, y) for x, y in lines], axis=0)
    mean[0] = 0.0
    (handle,) = ax.plot(
        _GRID,
        mean,
        color=style.colour(i),
        ls=style.dashes(i),
        lw=1.8,
        zorder=4,
        clip_on=False,
        label="_average",
    )
    return handle


def _numbers(cells: list[Cell]) -> str:
    """Return the mean AUC of readers, or the mean rates if all readers decided between classes."""
    if all(map(_is_decision, cells)):
        fpr, tpr = np.mean([_point(c) for c in cells], axis=0)
        return f"TPR {fmt.fixed(tpr, 3)}, FPR {fmt.fixed(fpr, 3)}"
    return f"AUC {fmt.fixed(float(np.mean([c.ratings.curve.auc for c in cells])), 3)}"


def _entry(study: ReaderStudy, cells: list[Cell], modalities: list[int]) -> str:
    """Return the legend entry of a reader, with the numbers of each modality.

    Modalities with long names are not named; their order is that of the entries of the averages.
    """
    name = fmt.named(study.readers[cells[0].reader], "reader")
    numbers = {c.modality: _numbers([c]) for c in cells}
    if len(modalities) == 1:
        return legends.entry(name, *numbers.values())
    names = {m: fmt.named(study.modalities[m], "modality") for m in modalities}
    if sum(map(len, names.values())) <= _SHORT:
        texts = [f"{text} ({names[m]})" for m, text in numbers.items()]
    else:
        texts = [numbers.get(m, "\N{EN DASH}") for m in modalities]
    return legends.entry(name, style.wrapped("; ".join(texts), 46))
