"""Result of `band`: limits of the TPR along the FPR axis, or of the points of a rating scale."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.errors import InputError
from pauci.intervals.kinds import Kind
from pauci.results.layout import Layout, TableColumn, View, field_column
from pauci.results.presented import Presented
from pauci.results.row import PlainRow
from pauci.sample.rows import NONE_EXCLUDED, DataSizes, ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Bound,
    Column,
    IntervalCell,
    Note,
    Number,
    Part,
    RichText,
    Verbatim,
    bound,
    difference_of,
    ends_column,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content

BandKind = Literal["simultaneous", "pointwise"]

_MAX_PRINTED = 21
"""Largest number of rows of a printed table of a band along the axis."""


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Band(Presented[Kind]):
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
    sizes: tuple[DataSizes, ...]
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

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:
        if level not in (self.level, 0.95) or kind not in (None, self.kind):
            raise InputError.of(
                "level",
                level,
                f"or kind={kind!r} is not that of this band, which is {self.kind} at level "
                f"{self.level:g}. Calculate another band with pauci.band.",
            )
        missing = np.full(len(self), np.nan)
        fpr_ends = [missing if v is None else v for v in (self.fpr_low, self.fpr_high)]
        columns = {
            "fpr": self.fpr,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "fpr_low": fpr_ends[0],
            "fpr_high": fpr_ends[1],
            "threshold": self.thresholds or [None] * len(self),
        }
        first, second = (*self.names, None)[:2]
        common = {
            "first": first,
            "second": second,
            "error": _typical_error(self.low, self.high),
            "error_of_fpr": _typical_error(*fpr_ends),
            **self.excluded.columns,
        }
        return [
            PlainRow(self, **dict(zip(columns, values, strict=True)), **common)
            for values in zip(*columns.values(), strict=True)
        ]

    def _layout(self) -> Layout:
        return BAND

    @property
    def _where(self) -> str:
        return f"FPR {self.region[0]:g} to {self.region[1]:g}"

    @property
    def sentences(self) -> str:
        """Sentences for a paper, which state what is covered."""
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
                f"{self._limits_of_points} limits{excluded}. {covered}, and the lines between the "
                "points are not covered."
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

    def _content(self, level: float, kind: Any) -> "Content":
        content = super()._content(level, kind)
        return replace(content, sizes=[sizes.as_values() for sizes in self.sizes])

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

    @property
    def _limits_of_points(self) -> str:
        """The kind of the limits of the points of a rating scale."""
        return "Clopper-Pearson" if self.kind == "simultaneous" else "mid-p"

    @property
    def _subject(self) -> tuple[Part | str, ...]:
        return difference_of(*self.names) if self.of_difference else (Verbatim(self.names[0]),)


def _typical_error(low: FloatArray, high: FloatArray) -> float:
    """Return a standard error for the decimals of all rows, from the median width."""
    return fmt.error_of_interval(0.0, float(np.median(high - low)))


def _printed(view: View) -> Sequence[PlainRow]:
    """Return all points, or evenly spaced FPRs."""
    step = 1 if view.result.of_points else max(1, -(-len(view.rows) // _MAX_PRINTED))
    return view.rows[::step]


def _caption(view: View) -> RichText:
    band: Band = view.result
    described = "Difference in TPR" if band.of_difference else "ROC curve"
    described = "Operating points" if band.of_points else described
    return (
        f"{described} of ",
        *band._subject,
        band._pairing,
        f" over {band._where}, with {band.kind} {fmt.percent(band.level)} limits",
        f"; {'; '.join(map(str, band.sizes))}",
    )


def _notes(view: View) -> list[Note]:
    band: Band = view.result
    coverage = f"Simultaneous limits, critical value {band.critical:.3g}."
    if band.kind == "pointwise":
        coverage = "Pointwise limits: the level does not apply to the whole curve."
    notes = [Note(coverage)]
    if band.of_points:
        notes.append(
            Note(
                f"{band._limits_of_points} limits of both rates of each point. The lines "
                "between the points are not covered."
            )
        )
    if band.lines:
        notes.append(
            Note(
                "The scores are ratings, so that the curve consists of lines between "
                "its points and applies only to this scale."
            )
        )
    if band.of_difference:
        notes.append(Note("Paired." if band.paired else "Independent samples."))
    if len(view.rows) < len(band):
        notes.append(Note(f"{len(view.rows)} of {len(band)} false positive rates are shown."))
    notes.append(Note(f"{'; '.join(map(str, band.sizes))}.", page=False))
    return notes


def _number(name: str, error: str) -> Callable[[PlainRow], Number]:
    return lambda row: Number(row[name], row[error], True)


def _interval(low: str, high: str, error: str, value: str) -> Callable[[PlainRow], IntervalCell]:
    return lambda row: IntervalCell(row[low], row[high], row[error], True, row[value])


def _of_points(view: View) -> bool:
    return bool(view.result.of_points)


BAND = Layout(
    title=lambda view: (*view.result._subject, f": {view.result.kind} band"),
    caption=_caption,
    columns=[
        field_column("threshold", bound, "threshold", _of_points),
        TableColumn("FPR", _number("fpr", "error_of_fpr"), _of_points),
        TableColumn(
            lambda view: ends_column(view.result.level, ", FPR"),
            _interval("fpr_low", "fpr_high", "error_of_fpr", "fpr"),
            _of_points,
        ),
        TableColumn(
            "FPR",
            lambda row: Bound(float(f"{row['fpr']:.4g}")),
            lambda view: not _of_points(view),
        ),
        TableColumn(
            lambda view: Column("difference" if view.result.of_difference else "TPR"),
            _number("value", "error"),
        ),
        TableColumn(
            lambda view: ends_column(view.result.level, ", TPR" * _of_points(view)),
            _interval("low", "high", "error", "value"),
        ),
    ],
    fields="first second fpr value low high level kind fpr_low fpr_high threshold dropped left_out",
    notes=_notes,
    sentences=lambda view: [view.result.sentences],
    table_rows=_printed,
    meanings=lambda _: {},
)
