"""Results pooled over completed data sets by Rubin's rules."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import numpy as np

from pauci.calls import validate_constructor
from pauci.intervals.student_t import f_tail
from pauci.measures.base import Measure
from pauci.results import captions
from pauci.results import layout as layouts
from pauci.results.family import Comparisons, Family, JointTest, Quantities
from pauci.results.presented import PresentedInForest
from pauci.results.quantity import Quantity
from pauci.results.row import Row, rows_of
from pauci.results.weighted_sums import Contrast, WeightedSum
from pauci.special import correlation_matrix
from pauci.tables import number_format as fmt
from pauci.tables.table import Cell, Column, Note, Part, RichText


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
    def terms(self) -> dict[object, float]:
        """Weight of the quantity."""
        return Quantity.terms.fget(self)  # type: ignore[attr-defined, no-any-return]

    def fields(self) -> dict[str, Any]:
        """Return what the quantity is about, and its value, by column of the data frames."""
        return (
            self.results[0].fields()
            | super().fields()
            | {
                "imputations": self.imputations,
                "missing_information": self.missing_information,
            }
        )

    def sentence(self, level: float, kind: Any, adjusted: str = "") -> str:
        """Return one sentence for a paper, with the adjusted p-value in words, if there is one."""
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
            f"(SE {se}; {self.interval_phrase(level, kind)}{test}{adjusted})."
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


def _joint(family: Any, null: Sequence[float] | None = None) -> JointTest:
    r"""Test the values of all quantities at once (Li, Raghunathan and Rubin 1991).

    With the covariance matrices W within completed data sets and T in total, of rank k, the average
    relative increase by imputation is :math:`r = \operatorname{tr}(T W^-)/k - 1`, and
    :math:`F = d^T W^- d / (k (1 + r))` for the differences d from the null hypothesis. The
    denominator degrees of freedom are those of the paper (for k = 1 Rubin's), limited by those of
    the completed data sets, :math:`\nu - k + 1`, as by Barnard and Rubin.

    Parameters
    ----------
    null : sequence of float, optional
        The value of each quantity under the null hypothesis; by default all are 0.
    """
    nulls = family._nulls(null)
    within, total = family.uncertainty.rule.variances()
    spread = np.sqrt(within.diagonal())
    if not spread.all():
        return Family.joint(family, null)
    eigenvalues, vectors = np.linalg.eigh(correlation_matrix(within))
    in_rank = eigenvalues > 1e-10 * len(family)
    whitened = vectors[:, in_rank].T / np.sqrt(eigenvalues[in_rank])[:, None] / spread
    k, count = len(whitened), family[0].imputations
    increase = max(float(np.trace(whitened @ total @ whitened.T)) / k - 1.0, 0.0)
    z = whitened @ (np.array([q.value for q in family]) - nulls)
    statistic = float(z @ z) / (1.0 + increase)
    complete = min(r.df_used(q.analytic_kind) for q in family for r in q.results)
    nu = pooled_f_df(k, increase, count, complete)
    if nu <= 0.0:
        return Family.joint(family, null)
    pvalue = f_tail(statistic / k, k, nu)
    tested = () if null is None else tuple(nulls.tolist())
    return JointTest(statistic, k, pvalue, nu, null=tested, pooled=True)


def pooled_f_df(k: int, increase: float, imputations: int, complete: float) -> float:
    """Return the denominator degrees of freedom of a joint test of rank k; 0 if there are none."""
    t = k * (imputations - 1)
    if not increase:
        known = math.inf
    elif k > 1 and t > 4:
        known = 4.0 + (t - 4.0) * (1.0 + (1.0 - 2.0 / t) / increase) ** 2
    else:
        known = t * (1.0 + 1.0 / k) * (1.0 + 1.0 / increase) ** 2 / 2.0
    observed = complete - k + 1.0
    if observed <= 0.0 or math.isinf(observed):
        return known if observed > 0.0 else 0.0
    observed *= (complete + 1.0) / (complete + 3.0) / (1.0 + increase)
    return 1.0 / (1.0 / known + 1.0 / observed)


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class PooledEstimates(Quantities):
    """Several pooled estimates with their joint covariance."""

    joint = _joint

    _layout_name = "pauci.results.pooled.POOLED"


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class PooledComparisons(Comparisons):
    """Several pooled differences with their joint covariance, and adjusted p-values."""

    _part = Family._part  # type: ignore[assignment]
    joint = _joint

    _layout_name = "pauci.results.pooled.POOLED"


def _title(view: layouts.View) -> RichText:
    pooled = f", pooled over {view.quantities[0].imputations} imputations"
    firsts = [q.results[0] for q in view.quantities]
    if view.quantities[0].has_null:
        return ("Differences in ", *captions.compared_phrase(firsts), pooled)
    names = captions.names_phrase(
        map(attrgetter("full_name"), firsts), captions.noun_of_names(firsts)
    )
    regions = [e.region.words for e in firsts]
    return (*captions.measures_phrase(view.measures, regions), " of ", *names, pooled)


def _name(row: Row) -> Cell:
    first = row.quantity.results[0]
    return (
        layouts.DIFFERENCE.cell(replace(row, quantity=first))
        if first.has_null
        else layouts.CLASSIFIER.cell(row)
    )


def _adjust(view: layouts.View) -> str:
    return getattr(view.result, "adjust", "none")


def _notes(view: layouts.View) -> list[Note]:
    first, *others = layouts.QUANTITIES.notes(view)
    if _adjust(view) != "none":
        nulls = ", ".join(dict.fromkeys(f"{q.null:g}" for q in view.quantities))
        adjusted = f"P-values are adjusted by the method {_adjust(view)!r}."
        first = Note(f"{adjusted} Null value {nulls}.")
    q = max(view.quantities, key=attrgetter("missing_information"))
    missing = fmt.number(q.missing_information, 0.01)
    pooled = f"Pooled over {q.imputations} imputations (Rubin's rules)"
    most = "at most " * (len(view.quantities) > 1)
    return [Note(f"{pooled}; fraction of missing information {most}{missing}."), first, *others]


def _sentences(view: layouts.View) -> list[str]:
    sentences = []
    for row in view.rows:
        p = fmt.p_value(row.record["p_adjusted"])
        adjusted = f", adjusted {p}" if _adjust(view) != "none" else ""
        sentences.append(row.quantity.sentence(view.level, view.kind, adjusted))
    return sentences


def _sizes(view: layouts.View) -> tuple[Part | str, ...]:
    """Return the numbers of observations if all data sets have the same, or that of all rows."""
    sizes = {e.sizes for e in view.estimates}
    if len(sizes) == 1:
        return (sizes.pop(),)
    counts = dict.fromkeys(f"{e.n_pos + e.n_neg:,}" for e in view.estimates)
    each = "" if getattr(view.quantities[0].results[0], "paired", True) else " in each sample"
    return (f"{' and '.join(counts)} observations{each * (len(counts) == 1)}",)


POOLED: layouts.Layout = replace(
    layouts.QUANTITIES,
    title=_title,
    columns=[
        layouts.GROUP,
        layouts.TableColumn(
            lambda view: Column("difference" if view.quantities[0].has_null else "classifier"),
            _name,
        ),
        layouts.MEASURE,
        layouts.REGION,
        *layouts.QUANTITIES.columns[1:],
        replace(layouts.column_of("p_adjusted"), shown=lambda view: _adjust(view) != "none"),
    ],
    fields=f"measure {layouts.QUANTITIES.fields} p_adjusted imputations missing_information",
    notes=_notes,
    sentences=_sentences,
    sizes=_sizes,
    meanings=lambda view: captions.abbreviations_of(view.measures),
)

"""The layout of pooled results."""
