"""``--plot FILE``, ``--curves FILE``: figures of what a command has done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pauci import plot
from pauci.intervals.analytic import ESTIMATE_KINDS
from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.measures import Measure
from pauci.plot import look
from pauci.results.output import check_writable, write_file
from pauci.sample.sample import Sample


@dataclass(frozen=True)
class Figure:
    """A figure that was asked for, or none."""

    path: str | None
    form: str
    option: str = "plot"

    @classmethod
    def of(cls, path: str | None, option: str = "plot") -> "Figure":
        """Check where a figure is to be written, before anything takes time."""
        if path is None:
            return cls(None, "", option)
        form = look.format_of(option, path)
        look.matplotlib()
        check_writable(path, option)
        return cls(path, form, option)

    def write(
        self, sample: Any, measures: Sequence[Measure], result: Any, *, level: float, kind: Any
    ) -> None:
        """Draw the curve that shows the one measure, or a forest plot, to the file.

        The latter shows several measures, and folds, which have no curve in common.
        """
        if self.path is None:
            return
        with look.off_screen():
            in_folds = isinstance(sample, Sample) and sample.rows.fold is not None
            if in_folds or len(measures) > 1 or not measures[0].has_region:
                ax = plot.forest(result, level=level, kind=kind)
            else:
                # What is drawn are the estimates, and not every kind of a difference is theirs.
                own = kind if kind in (*ESTIMATE_KINDS, *BOOTSTRAP_KINDS) else None
                draw = getattr(plot, measures[0].figure)
                ax = draw(sample, result, level=level, kind=own)
        self._save(ax)

    def write_own(self, result: Any, *, level: float, kind: Any = None) -> None:
        """Draw the figure of a result that needs no data beside it, to the file."""
        if self.path is None:
            return
        with look.off_screen():
            ax = result.plot(level=level, **({} if kind is None else {"kind": kind}))
        self._save(ax)

    def write_with(self, draw: Callable[..., Any], *results: Any, **options: Any) -> None:
        """Draw with a function of `pauci.plot`, to the file."""
        if self.path is None:
            return
        with look.off_screen():
            ax = draw(*results, **options)
        self._save(ax)

    def _save(self, ax: Any) -> None:
        """Write a figure to the file, or leave none."""
        if self.path is None:
            return
        write_file(self.path, look.written(ax, self.form), self.option)
