"""The ROC curves of readers, and their averages."""

from typing import TYPE_CHECKING

import numpy as np

from pauci import checks
from pauci.calls import validate_call
from pauci.figures import legends, roc_plane, style
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.study import ReaderStudy
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.linspace(0.0, 1.0, 1001)


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
        raise checks.wrong_type("study", study, "a ReaderStudy, or what pauci.mrmc returns")
    with style.drawing(ax) as axes:
        roc_plane.chance(axes)
        handles, labels = [], []
        for i, name in enumerate(study.modalities):
            lines = [roc_plane.line(c.ratings.curve) for c in study.cells if c.modality == i]
            for x, y in lines:
                axes.plot(x, y, color=style.colour(i), lw=0.4, alpha=0.35, label="_reader")
            mean = np.mean([np.interp(_GRID, x, y) for x, y in lines], axis=0)
            mean[0] = 0.0
            handles += axes.plot(
                _GRID, mean, color=style.colour(i), ls=style.dashes(i), lw=1.8, zorder=4,
                label="_average",
            )  # fmt: skip
            readers = fmt.count(len(lines), "reader")
            labels.append(
                legends.entry(
                    fmt.named(name, "modality"),
                    f"average of {readers}" if len(lines) > 1 else readers,
                )
            )
        roc_plane.frame(axes)
        data = [h.get_data() for h in handles]
        legends.legend_beside(
            axes, handles, labels, None, data, ("lower right", "upper left"), grow=ax is None
        )
    return axes
