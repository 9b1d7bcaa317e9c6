"""How a result draws itself: by the room above, which is loaded when it is asked for."""

from typing import TYPE_CHECKING

from pauci.calls import answering_methods

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypedDict, Unpack

    from matplotlib.axes import Axes

    from pauci.intervals.kinds import Kind

    class PlotOptions(TypedDict, total=False):
        """What figures of results take; not every figure takes all of it."""

        ax: Axes | None
        level: float
        kind: Kind | None
        null: float | None
        measures: str | Sequence[str] | None
        pair: tuple[str, str] | None


@answering_methods
class Drawable:
    """A result with a figure."""

    def plot(self, **options: "Unpack[PlotOptions]") -> "Axes":
        """Draw this result with matplotlib.

        The figure is the one that needs no more than the result holds: replicates of a bootstrap
        as a distribution (`pauci.plot.replicates`), estimates and differences with their intervals
        and numbers (`pauci.plot.forest`), operating points on their curve
        (`pauci.plot.operating_points`), groups along the curve (`pauci.plot.profile`), a family of
        regions (`pauci.plot.scan`). A result does not keep the data, so that it stays small and
        can be sent to other processes; for the curve behind an estimate pass both:
        ``pauci.plot.roc(sample, estimate)``.

        Parameters
        ----------
        **options
            Those of the function in `pauci.plot`, such as ``ax=`` and ``level=``.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import pauci
        >>> frame = pauci.datasets.load_ljubljana_scores()
        >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
        >>> ax = pauci.estimate(sample, pauci.AUC()).plot(level=0.9)
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['svm', 'nn']
        """
        # Users look for the figure at the result; drawing it takes rooms above this one.
        from pauci.plot.of_results import figure_of

        return figure_of(self, **options)
