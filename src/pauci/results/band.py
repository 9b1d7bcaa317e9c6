"""Result of `band`: limits of the TPR along the FPR axis, or of the points of a rating scale."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pauci import checks
from pauci.calls import answering_constructor
from pauci.checks import FloatArray
from pauci.errors import InputError, arg
from pauci.intervals.kinds import Kind
from pauci.results import format as fmt
from pauci.results.cells import (
    Bound,
    Cell,
    Column,
    Ends,
    Note,
    Number,
    Own,
    Part,
    Table,
    bound,
    difference_of,
    ends_column,
)
from pauci.results.drawing import Drawable
from pauci.results.frames import frame
from pauci.results.table_contents import capital
from pauci.results.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

BandKind = Literal["simultaneous", "pointwise"]

BAND_COLUMNS = (
    "first", "second", "fpr", "value", "low", "high", "level", "kind", "fpr_low", "fpr_high",
    "threshold",
)  # fmt: skip

_SHOWN = 21
"""Rows of a printed table of a band along the axis, at most."""


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Band(Tabular, Drawable):
    """Limits of the TPR at FPRs, of one classifier or of the difference of two.

    Attributes
    ----------
    names : tuple of str
        The classifier, or the two whose difference first - second it is.
    fpr : ndarray of shape (g,)
        False positive rates, which do not fall: a grid inside the region, or the rates of the
        operating points of a rating scale, which are estimates then.
    value : ndarray of shape (g,)
        Estimated TPR, or difference, at each; ``tpr`` and ``difference`` are other names.
    low, high : ndarray of shape (g,)
        Limits.
    level : float
        Confidence level.
    kind : {"simultaneous", "pointwise"}
        Whether all limits hold at once with that confidence, or each by itself.
    region : tuple of float
        Range of the FPR.
    critical : float
        Distance of the limits in standard errors.
    fpr_low, fpr_high : ndarray of shape (g,), or None
        Limits of the FPR of each point of a rating scale.
    thresholds : tuple, or None
        Of a rating scale the threshold of each point.
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
    """Whether the curve is one of lines that join the points of a rating scale."""
    fpr_low: FloatArray | None = None
    fpr_high: FloatArray | None = None
    thresholds: tuple[Any, ...] | None = field(default=None)

    @property
    def _pairing(self) -> str:
        """How the classifiers of a difference go together, in words."""
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
            raise AttributeError("a band of a difference has .difference (or .value), no .tpr.")
        return self.value

    @property
    def difference(self) -> FloatArray:
        """Estimated difference of the TPRs, first - second, at each FPR."""
        if not self.of_difference:
            raise AttributeError("a band of one classifier has .tpr (or .value), no .difference.")
        return self.value

    def __len__(self) -> int:
        """Return the number of FPRs, or of points."""
        return int(self.fpr.size)

    def __repr__(self) -> str:
        what = f"{len(self)} points" if self.of_points else self._where
        names = " - ".join(map(fmt.named, self.names))
        return f"Band({names}, {what}: {self.kind} {fmt.percent(self.level)})"

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame with a row per FPR, or per point."""
        first, second = (*self.names, None)[:2]
        n = len(self)
        none = np.full(n, np.nan)
        fpr_ends = [none if v is None else v for v in (self.fpr_low, self.fpr_high)]
        thresholds = (None,) * n if self.thresholds is None else self.thresholds
        rows = [
            dict(zip(BAND_COLUMNS, (first, second, *four, self.level, self.kind, *ends, t),
                     strict=True))
            for *four, ends, t in zip(
                self.fpr, self.value, self.low, self.high,
                zip(*fpr_ends, strict=True), thresholds, strict=True,
            )
        ]  # fmt: skip
        return frame(BAND_COLUMNS, rows)

    @property
    def _where(self) -> str:
        return f"FPR {self.region[0]:g} to {self.region[1]:g}"

    def report(self) -> str:
        """Return a sentence for a paper that says what is covered."""
        who = " and ".join(self.names)
        level, method = fmt.percent(self.level), "with binomial limits at the corners"
        if self.of_points:
            together = (
                "all true positive rates and false positive rates of the "
                f"{len(self)} operating points lie within their limits at once"
                if self.kind == "simultaneous"
                else "each limit holds by itself"
            )
            return (
                f"The operating points of {who} are shown with {level} {self.kind} "
                f"Clopper-Pearson limits: {together}. The lines between the points are not covered."
            )
        what = (
            f"difference in true positive rate, {fmt.difference(*self.names)},"
            if self.of_difference else f"true positive rate of {who}"
        )  # fmt: skip
        together = (
            f"the whole of it over {self._where} is covered at once"
            if self.kind == "simultaneous"
            else "each false positive rate by itself is covered, not the whole of the curve"
        )
        return (
            f"The {what} is shown with a {self.kind} {level} confidence band "
            f"({method}): {together}."
        )

    def summary(self, level: float | None = None, kind: Kind | BandKind | None = None) -> str:
        """Return a text table; a band has the level that it was made with."""
        of_band: Any = kind
        return super().summary(self.level if level is None else level, of_band)

    def _table(self, level: float, kind: Any) -> Table:
        if checks.level(level) not in (self.level, 0.95) or kind not in (None, self.kind):
            raise InputError(
                arg("level", level), f" is not that of this band: it is {self.kind}, at level "
                f"{self.level:g}. Make another with pauci.band.",
            )  # fmt: skip
        value = "difference" if self.of_difference else "TPR"
        columns: list[Column] = [Column("FPR"), Column(value), ends_column(self.level)]
        rows: list[Sequence[Cell]] = []
        error = _typical_error(self.low, self.high)
        if self.of_points:
            assert self.fpr_low is not None
            assert self.fpr_high is not None
            assert self.thresholds is not None
            columns = [Column("threshold"), Column("FPR"), ends_column(self.level, ", FPR"),
                       Column("TPR"), ends_column(self.level, ", TPR")]  # fmt: skip
            of_fpr = _typical_error(self.fpr_low, self.fpr_high)
            for i, threshold in enumerate(self.thresholds):
                rows.append([
                    bound(threshold),
                    Number(self.fpr[i], of_fpr, True),
                    Ends(self.fpr_low[i], self.fpr_high[i], of_fpr, True, self.fpr[i]),
                    Number(self.value[i], error, True),
                    Ends(self.low[i], self.high[i], error, True, self.value[i]),
                ])  # fmt: skip
        else:
            step = max(1, -(-len(self) // _SHOWN))
            rows = [
                [Bound(float(f"{x:.4g}")), Number(v, error, True), Ends(low, high, error, True, v)]
                for x, v, low, high in zip(
                    self.fpr[::step], self.value[::step], self.low[::step], self.high[::step],
                    strict=True,
                )
            ]  # fmt: skip
        return Table(
            (*self._of, f": {self.kind} band"),
            (f"{'Operating points' if self.of_points else capital(value) + ' by FPR'} of ",
             *self._of, self._pairing,
             f", {self._where}, with {self.kind} {fmt.percent(self.level)} limits",
             f"; {'; '.join(self.sizes)}"),
            columns, rows, self._notes(),
        )  # fmt: skip

    @property
    def _of(self) -> tuple[Part | str, ...]:
        return difference_of(*self.names) if self.of_difference else (Own(self.names[0]),)

    def _notes(self) -> list[Note]:
        words = {
            "simultaneous": f"All limits hold at once, {self.critical:.3g} SE to each side.",
            "pointwise": "Each limit holds by itself, not all at once.",
        }[self.kind]
        notes = [Note(words)]
        if self.of_points:
            notes.append(Note("Both rates of a point are estimated: the points are covered, not "
                              "the lines that join them. Clopper-Pearson limits."))  # fmt: skip
        if self.lines:
            notes.append(Note("Scores are ratings: the curves are the lines that join the points, "
                              "which hold for the scale alone."))  # fmt: skip
        if self.of_difference:
            notes.append(Note("Paired." if self.paired else "Independent samples."))
        notes.append(Note(f"{'; '.join(self.sizes)}.", page=False))
        return notes


def _typical_error(low: FloatArray, high: FloatArray) -> float:
    """Return what stands for the standard error of most rows: limits close up at both ends."""
    return fmt.error_of_interval(0.0, float(np.median(high - low)))
