"""Result of `band`: limits of the TPR along the FPR axis, or of the points of a rating scale."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pauci import checks
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.errors import InputError
from pauci.intervals.kinds import Kind
from pauci.sample.rows import NONE_EXCLUDED, ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.data_frames import frame
from pauci.tables.table import (
    Bound,
    Cell,
    Column,
    IntervalCell,
    Note,
    Number,
    Part,
    Table,
    Verbatim,
    bound,
    difference_of,
    ends_column,
)
from pauci.tables.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BandKind = Literal["simultaneous", "pointwise"]

BAND_COLUMNS = (
    "first",
    "second",
    "fpr",
    "value",
    "low",
    "high",
    "level",
    "kind",
    "fpr_low",
    "fpr_high",
    "threshold",
    "dropped",
    "left_out",
)

_MAX_PRINTED = 21
"""Largest number of rows of a printed table of a band along the axis."""


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Band(Tabular):
    """Limits of the TPR at FPRs, of one classifier or of the difference of two.

    Attributes
    ----------
    names : tuple of str
        The classifier, or the two classifiers of the difference first - second.
    fpr : ndarray of shape (g,)
        Nondecreasing false positive rates: a grid inside the region, or the estimated rates of the
        operating points of a rating scale.
    value : ndarray of shape (g,)
        Estimated TPR, or difference, at each FPR; also available as ``tpr`` or ``difference``.
    low, high : ndarray of shape (g,)
        Limits.
    level : float
        Confidence level.
    kind : {"simultaneous", "pointwise"}
        Whether the confidence level is that of the whole band, or of each limit separately.
    region : tuple of float
        Range of the FPR.
    critical : float
        Distance of the limits in standard errors.
    fpr_low, fpr_high : ndarray of shape (g,), or None
        Limits of the FPR of each point of a rating scale.
    thresholds : tuple, or None
        Thresholds of the points of a rating scale.
    excluded : ExcludedRows
        Numbers of rows that are not used, in both samples together if they are independent.
    """

    names: tuple[str, ...]
    fpr: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    kind: BandKind
    region: tuple[float, float]
    critical: float
    sizes: tuple[str, ...]
    paired: bool = True
    lines: bool = False
    """Whether the curve consists of lines between the points of a rating scale."""
    fpr_low: FloatArray | None = None
    fpr_high: FloatArray | None = None
    thresholds: tuple[Any, ...] | None = field(default=None)
    excluded: ExcludedRows = NONE_EXCLUDED

    @property
    def _pairing(self) -> str:
        """The pairing of the classifiers of a difference, for captions."""
        if not self.of_difference:
            return ""
        return " (paired)" if self.paired else " (independent samples)"

    @property
    def of_points(self) -> bool:
        """Whether these are the points of a rating scale, with limits of both rates."""
        return self.fpr_low is not None

    @property
    def of_difference(self) -> bool:
        """Whether this is the difference of two classifiers."""
        return len(self.names) == 2

    @property
    def tpr(self) -> FloatArray:
        """Estimated TPR at each FPR."""
        if self.of_difference:
            raise AttributeError("a band of a difference has .difference (or .value), but no .tpr.")
        return self.value

    @property
    def difference(self) -> FloatArray:
        """Estimated difference of the TPRs, first - second, at each FPR."""
        if not self.of_difference:
            raise AttributeError(
                "a band of one classifier has .tpr (or .value), but no .difference."
            )
        return self.value

    def __len__(self) -> int:
        """Return the number of FPRs, or of points."""
        return int(self.fpr.size)

    def __repr__(self) -> str:
        extent = f"{len(self)} points" if self.of_points else self._where
        names = " - ".join(map(fmt.named, self.names))
        return f"Band({names}, {extent}: {self.kind} {fmt.percent(self.level)})"

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame with a row per FPR, or per point."""
        first, second = (*self.names, None)[:2]
        n = len(self)
        missing = np.full(n, np.nan)
        fpr_ends = [missing if v is None else v for v in (self.fpr_low, self.fpr_high)]
        thresholds = (None,) * n if self.thresholds is None else self.thresholds
        last = self.excluded.dropped, self.excluded.left_out
        rows = [
            dict(
                zip(
                    BAND_COLUMNS,
                    (first, second, *four, self.level, self.kind, *ends, t, *last),
                    strict=True,
                )
            )
            for *four, ends, t in zip(
                self.fpr,
                self.value,
                self.low,
                self.high,
                zip(*fpr_ends, strict=True),
                thresholds,
                strict=True,
            )
        ]
        return frame(BAND_COLUMNS, rows)

    @property
    def _where(self) -> str:
        return f"FPR {self.region[0]:g} to {self.region[1]:g}"

    def report(self) -> str:
        """Return sentences for a paper, which state what is covered."""
        names = " and ".join(self.names)
        level, method = fmt.percent(self.level), "with binomial limits at the corners"
        if self.of_points:
            excluded = f" ({self.excluded.listed})" if any(self.excluded) else ""
            covered = (
                f"The level is that of all rates of the {len(self)} points jointly"
                if self.kind == "simultaneous"
                else "The level is that of each rate separately"
            )
            return (
                f"The operating points of {names} are shown with {self.kind} {level} "
                f"Clopper-Pearson limits{excluded}. {covered}, and the lines between the points "
                "are not covered."
            )
        subject = f"true positive rate of {names}"
        if self.of_difference:
            subject = f"difference in true positive rate, {fmt.difference(*self.names)},"
        covered = (
            f"The band covers the whole {'difference' if self.of_difference else 'curve'} over "
            f"{self._where} with this confidence"
            if self.kind == "simultaneous"
            else "The level is that of each false positive rate separately, not of the whole curve"
        )
        return (
            f"The {subject} is shown with a {self.kind} {level} confidence band ({method}"
            f"{self.excluded.phrase}). "
            f"{covered}."
        )

    def summary(self, level: float | None = None, kind: Kind | BandKind | None = None) -> str:
        """Return a text table, at the level of the band."""
        any_kind: Any = kind
        return super().summary(self.level if level is None else level, any_kind)

    def plot(self, *, ax: "Axes | None" = None) -> "Axes":
        """Draw the band around its curve, its points or its difference.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.bands import BandLimits, draw_band

        limits = BandLimits(self.fpr, self.low, self.high, self.fpr_low, self.fpr_high)
        return draw_band(limits, self.value, self.names, self.kind, self.level, self.region, ax)

    def _table(self, level: float, kind: Any) -> Table:
        if checks.level(level) not in (self.level, 0.95) or kind not in (None, self.kind):
            raise InputError.of(
                "level",
                level,
                f"or kind={kind!r} is not that of this band, which is {self.kind} at level "
                f"{self.level:g}. Calculate another band with pauci.band.",
            )
        value = "difference" if self.of_difference else "TPR"
        described = "Difference in TPR" if self.of_difference else "ROC curve"
        described = "Operating points" if self.of_points else described
        columns: list[Column] = [Column("FPR"), Column(value), ends_column(self.level)]
        rows = self._rows_of_points() if self.of_points else self._rows_along_the_axis()
        if self.of_points:
            columns = [
                Column("threshold"),
                Column("FPR"),
                ends_column(self.level, ", FPR"),
                Column("TPR"),
                ends_column(self.level, ", TPR"),
            ]
        return Table(
            (*self._subject, f": {self.kind} band"),
            (
                f"{described} of ",
                *self._subject,
                self._pairing,
                f" over {self._where}, with {self.kind} {fmt.percent(self.level)} limits",
                f"; {'; '.join(self.sizes)}",
            ),
            columns,
            rows,
            self._notes(len(rows)),
        )

    def _rows_of_points(self) -> list[Sequence[Cell]]:
        assert self.fpr_low is not None
        assert self.fpr_high is not None
        assert self.thresholds is not None
        error = _typical_error(self.low, self.high)
        error_of_fpr = _typical_error(self.fpr_low, self.fpr_high)
        return [
            [
                bound(threshold),
                Number(self.fpr[i], error_of_fpr, True),
                IntervalCell(self.fpr_low[i], self.fpr_high[i], error_of_fpr, True, self.fpr[i]),
                Number(self.value[i], error, True),
                IntervalCell(self.low[i], self.high[i], error, True, self.value[i]),
            ]
            for i, threshold in enumerate(self.thresholds)
        ]

    def _rows_along_the_axis(self) -> list[Sequence[Cell]]:
        error = _typical_error(self.low, self.high)
        step = max(1, -(-len(self) // _MAX_PRINTED))
        columns = (values[::step] for values in (self.fpr, self.value, self.low, self.high))
        return [
            [
                Bound(float(f"{x:.4g}")),
                Number(v, error, True),
                IntervalCell(low, high, error, True, v),
            ]
            for x, v, low, high in zip(*columns, strict=True)
        ]

    @property
    def _subject(self) -> tuple[Part | str, ...]:
        return difference_of(*self.names) if self.of_difference else (Verbatim(self.names[0]),)

    def _notes(self, printed: int) -> list[Note]:
        coverage = f"Simultaneous limits, critical value {self.critical:.3g}."
        if self.kind == "pointwise":
            coverage = "Pointwise limits: the level does not apply to the whole curve."
        notes = [Note(coverage)]
        if self.of_points:
            notes.append(
                Note(
                    "Clopper-Pearson limits of both rates of each point. The lines "
                    "between the points are not covered."
                )
            )
        if self.lines:
            notes.append(
                Note(
                    "The scores are ratings, so that the curve consists of lines between "
                    "its points and applies only to this scale."
                )
            )
        if self.of_difference:
            notes.append(Note("Paired." if self.paired else "Independent samples."))
        if printed < len(self):
            notes.append(Note(f"{printed} of {len(self)} false positive rates are shown."))
        notes.append(Note(f"{'; '.join(self.sizes)}.", page=False))
        return notes


def _typical_error(low: FloatArray, high: FloatArray) -> float:
    """Return a standard error for the decimals of all rows, from the median width."""
    return fmt.error_of_interval(0.0, float(np.median(high - low)))
