"""Results pooled over completed data sets by Rubin's rules."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

from pauci.calls import validate_constructor
from pauci.measures.base import Measure
from pauci.results.family import Comparisons, Family, Quantities
from pauci.results.layout import QUANTITIES, Layout, View, column_of
from pauci.results.presented import PresentedInForest
from pauci.results.quantity import Quantity
from pauci.results.row import Row, rows_of
from pauci.results.weighted_sums import Contrast, WeightedSum
from pauci.tables import number_format as fmt
from pauci.tables.table import Note, Part


@dataclass(frozen=True, eq=False, repr=False)
class _PooledQuantity(PresentedInForest[Any], WeightedSum):
    """An average of the results of completed data sets; ``se_within`` is that within them."""

    results: tuple[Quantity[Any], ...] = field(default=(), compare=False)
    analytic_kind: str = "wald"

    @property
    def imputations(self) -> int:
        """Number of completed data sets."""
        return len(self.results)

    @property
    def missing_information(self) -> float:
        """Fraction of the information that is missing (Rubin 1987); NaN if the SE is 0."""
        if not self.se:
            return math.nan
        share = (self.se**2 - self.se_within**2) / self.se**2
        return share + 2.0 / (self.df + 3.0) * (1.0 - share)

    @property
    def measure(self) -> Measure:
        """The measure of all results."""
        measure: Measure = self.results[0].measure  # type: ignore[attr-defined]
        return measure

    @property
    def labels(self) -> list[object]:
        """Names by which the quantity can be selected: those of the results."""
        return self.results[0].labels

    @property
    def estimates_used(self) -> list[Any]:
        """The estimates of all completed data sets."""
        return [e for q in self.results for e in q.estimates_used]

    @property
    def terms(self) -> dict[object, tuple[float, float]]:
        """Weight and binning error of the quantity."""
        return Quantity.terms.fget(self)  # type: ignore[attr-defined, no-any-return]

    def fields(self) -> dict[str, Any]:
        """Return what the quantity is about, and its value, by column of the data frames."""
        return super().fields() | {
            "imputations": self.imputations,
            "missing_information": self.missing_information,
        }

    def sentence(self, level: float, kind: Any) -> str:
        """Return one sentence for a paper."""
        value, se = (fmt.number(v, self.se_shown) for v in (self.value, self.se))
        test = ""
        if self.has_null:
            tested = self.inverted_test(self.null or 0.0, self.alternative, kind)
            test = f"; {tested.phrase}{f' against {self.null:g}' if self.null else ''}"
            test += "" if self.alternative == "two-sided" else f", {fmt.sided(self.alternative)}"
        *groups, name, measure = map(str, self.labels)
        what = f"{'difference in ' * self.has_null}{measure} of {', '.join([name, *groups])}"
        return (
            f"The {what}, pooled over {self.imputations} imputations (Rubin's rules), was {value} "
            f"(SE {se}; {self.interval_phrase(level, kind)}{test})."
        )

    def _rows(self, level: float, kind: Any) -> list[Row]:
        return rows_of([self], level, kind, alike=lambda _: None)

    _layout_name = "pauci.results.pooled.POOLED"


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class PooledEstimate(_PooledQuantity):
    """One measure of one classifier, pooled over completed data sets."""

    @property
    def analytic_kinds(self) -> tuple[str, ...]:
        """The kinds of interval: the one on whose scale the estimates were pooled, and Wald."""
        return tuple(dict.fromkeys((self.analytic_kind, "wald")))


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class PooledComparison(_PooledQuantity, Contrast):
    """A difference between two classifiers, pooled over completed data sets."""


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class PooledEstimates(Quantities):
    """Several pooled estimates with their joint covariance."""

    _layout_name = "pauci.results.pooled.POOLED"


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class PooledComparisons(Comparisons):
    """Several pooled differences with their joint covariance, and adjusted p-values."""

    _part = Family._part  # type: ignore[assignment]
    joint = Family.joint

    _layout_name = "pauci.results.pooled.POOLED"


def _notes(view: View) -> list[Note]:
    adjust = getattr(view.result, "adjust", "none")
    first, *others = QUANTITIES.notes(view)
    if adjust != "none":
        first = Note(f"P-values are adjusted by the method {adjust!r}.")
    pooled = f"Pooled over {view.quantities[0].imputations} imputations (Rubin's rules)."
    return [Note(pooled), first, *others]


def _sizes(view: View) -> tuple[Part | str, ...]:
    """Return the numbers of observations if all data sets have the same, or that of all rows."""
    sizes = {e.sizes for e in view.estimates}
    e = view.estimates[0]
    return (sizes.pop() if len(sizes) == 1 else f"{e.n_pos + e.n_neg:,} observations",)


POOLED: Layout = replace(
    QUANTITIES,
    title=lambda view: f"Results pooled over {view.quantities[0].imputations} imputations",
    columns=[
        *QUANTITIES.columns,
        replace(
            column_of("p_adjusted"),
            shown=lambda view: getattr(view.result, "adjust", "none") != "none",
        ),
        column_of("missing_information"),
    ],
    fields=f"{QUANTITIES.fields} p_adjusted imputations missing_information",
    notes=_notes,
    sentences=lambda view: [q.sentence(view.level, view.kind) for q in view.quantities],
    sizes=_sizes,
)

"""The layout of pooled results."""
