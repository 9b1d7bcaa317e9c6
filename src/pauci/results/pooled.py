"""Results pooled over completed data sets by Rubin's rules."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.calls import validated_dataclass
from pauci.intervals.student_t import f_tail
from pauci.measures.base import Measure
from pauci.results.family import QUANTITY_COLUMNS, Comparisons, Family, JointTest, Quantities
from pauci.results.presented import PresentedInForest
from pauci.results.quantity import Quantity, Row, estimates_of, rows_of
from pauci.results.weighted_sums import Contrast, WeightedSum
from pauci.special import correlation_matrix
from pauci.tables import number_format as fmt
from pauci.tables.table import RichText

_COLUMNS = f"measure {QUANTITY_COLUMNS} p_adjusted imputations missing_information"


class _Pooled(PresentedInForest[Any]):
    """Base class of a pooled quantity and of a family of them, with the notes of their tables."""

    _fields = _COLUMNS

    if TYPE_CHECKING:

        @property
        def _summands(self) -> tuple[Any, ...]:
            """The quantities."""

    def _rows(self, level: float, kind: Any) -> list[Row]:
        return rows_of(self._summands, level, kind)

    @property
    def _basis(self) -> RichText:  # type: ignore[override]
        """The numbers of observations if all data sets have the same, or that of all rows."""
        estimates = estimates_of(self._summands)
        sizes = {e.sizes for e in estimates}
        first = self._summands[0].results[0]
        pairing = f", {first.pairing}" if hasattr(first, "pairing") else ""
        if len(sizes) == 1:
            return f"{sizes.pop()}{pairing}"
        counts = dict.fromkeys(f"{e.n_pos + e.n_neg:,}" for e in estimates)
        each = "" if getattr(first, "paired", True) else " in each sample"
        return f"{' and '.join(counts)} observations{each * (len(counts) == 1)}{pairing}"

    @property
    def _method(self) -> str:
        """How results were pooled."""
        count = self._summands[0].imputations
        return f"Results are pooled over {count} imputations (Rubin's rules)."

    def _remarks(self, level: float, kind: Any) -> list[RichText]:  # noqa: ARG002
        largest = max(q.missing_information for q in self._summands)
        missing = fmt.number(largest, 0.01)
        return [f"{self._method} The fraction of missing information is at most {missing}."]

    def _sentences_of(self, presentation: Any) -> list[str]:
        return [*super()._sentences_of(presentation), self._method]


@dataclass(frozen=True, eq=False, repr=False)
class _PooledQuantity(_Pooled, WeightedSum):
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
        names = "imputations", "missing_information"
        more = {name: getattr(self, name) for name in names}
        return self.results[0].fields() | super().fields() | more


@validated_dataclass
class PooledEstimate(_PooledQuantity):
    """One measure of one classifier, pooled over completed data sets."""

    @property
    def analytic_kinds(self) -> tuple[str, ...]:
        """The kinds of interval: the one on whose scale the estimates were pooled, and Wald."""
        return tuple(dict.fromkeys((self.analytic_kind, "wald")))

    @property
    def kind_of_pooling(self) -> str:
        """The kind of intervals on whose scale the estimates were pooled."""
        return self.analytic_kind


@validated_dataclass
class PooledComparison(_PooledQuantity, Contrast):
    """A difference between two classifiers, pooled over completed data sets."""


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


class _PooledFamily(Family[Any], _Pooled):
    """Pooled quantities with their joint covariance."""

    _fields = _COLUMNS

    def joint(self, null: Sequence[float] | None = None) -> JointTest:
        r"""Test the values of all quantities at once (Li, Raghunathan and Rubin 1991).

        With the covariance matrices W within completed data sets and T in total, of rank k, the
        average relative increase by imputation is :math:`r = \operatorname{tr}(T W^-)/k - 1`, and
        :math:`F = d^T W^- d / (k (1 + r))` for the differences d from the null hypothesis. The
        denominator degrees of freedom are those of the paper (for k = 1 Rubin's), limited by those
        of the completed data sets, :math:`\nu - k + 1`, as by Barnard and Rubin.

        Parameters
        ----------
        null : sequence of float, optional
            The value of each quantity under the null hypothesis; by default all are 0.
        """
        nulls = self._nulls(null)
        within, total = getattr(self.uncertainty, "within", self.cov), self.cov
        spread = np.sqrt(within.diagonal())
        if not spread.all():
            return super().joint(null)
        eigenvalues, vectors = np.linalg.eigh(correlation_matrix(within))
        in_rank = eigenvalues > 1e-10 * len(self)
        whitened = vectors[:, in_rank].T / np.sqrt(eigenvalues[in_rank])[:, None] / spread
        k, count = len(whitened), self[0].imputations
        increase = max(float(np.trace(whitened @ total @ whitened.T)) / k - 1.0, 0.0)
        z = whitened @ (np.array([q.value for q in self]) - nulls)
        statistic = float(z @ z) / (1.0 + increase)
        complete = min(r.df_used(q.analytic_kind) for q in self for r in q.results)
        nu = pooled_f_df(k, increase, count, complete)
        if nu <= 0.0:
            return super().joint(null)
        pvalue = f_tail(statistic / k, k, nu)
        tested = () if null is None else tuple(nulls.tolist())
        return JointTest(statistic, k, pvalue, nu, null=tested, pooled=True)


@validated_dataclass
class PooledEstimates(_PooledFamily, Quantities):
    """Several pooled estimates with their joint covariance."""


@validated_dataclass
class PooledComparisons(_PooledFamily, Comparisons):
    """Several pooled differences with their joint covariance, and adjusted p-values."""

    _part = Family._part  # type: ignore[assignment]
