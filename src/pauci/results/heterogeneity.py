r"""A test that a measure is the same in all groups.

Let :math:`\theta_g` be the estimates of G groups, on the logit scale of the range of the measure if
it is bounded, with covariance matrix V and :math:`\nu_g` degrees of freedom. With
:math:`w_g = 1/V_{gg}` and :math:`W = \sum_g w_g`, the statistic of Welch (1951, Biometrika
38:330-336) is

.. math:: F = \frac{d^T (C V C^T)^{-1} d/(G - 1)}{1 + 2 (G - 2) \Lambda/(G^2 - 1)}, \qquad
          \Lambda = \sum_g \frac{(1 - w_g/W)^2}{\nu_g} ,

where :math:`d = C \theta` are G - 1 contrasts of the groups. It has an F distribution with G - 1
and :math:`(G^2 - 1)/(3 \Lambda)` degrees of freedom. For independent groups the quadratic form is
the weighted sum of squares :math:`\sum_g w_g (\theta_g - \bar\theta)^2` of Welch. If groups have
units in common, their covariance enters V.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import special
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.equality import EqualByFields
from pauci.errors import UndefinedError
from pauci.intervals.kinds import Kind
from pauci.results.captions import class_sizes_phrase, phrase_by_name
from pauci.results.family import Family
from pauci.results.layout import P_OF_TEST, Layout, TableColumn, View, field_column
from pauci.results.presented import Presented
from pauci.results.quantity import Quantity, estimates_of
from pauci.results.row import PlainRow
from pauci.tables import number_format as fmt
from pauci.tables.table import Degrees, Note, StatisticCell, Symbol

if TYPE_CHECKING:
    from pauci.results.estimates import Estimate


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class HeterogeneityTest(EqualByFields, Presented[Kind]):
    """Welch's test that a measure, or a difference, is the same in all groups.

    Attributes
    ----------
    statistic : float
        F statistic.
    df, df_denominator : float
        Degrees of freedom of the numerator, the number of groups minus one, and of the denominator.
    pvalue : float
        p-value.
    what : str
        What is compared, such as ``"AUC of svm"``.
    quantities : tuple of Quantity
        The estimates, or the differences, of the groups.
    """

    statistic: float
    df: float
    df_denominator: float
    pvalue: float
    what: str
    quantities: tuple[Quantity[Any], ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return f"HeterogeneityTest({self._words})"

    @property
    def _words(self) -> str:
        df = f"{self.df:.0f}, {fmt.degrees(self.df_denominator)}"
        return f"F({df}) = {fmt.number(self.statistic)}, {fmt.p_value(self.pvalue)}"

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        return (
            f"The {self.what} was tested for differences between {self.df + 1:.0f} groups (Welch's "
            f"test: {self._words})."
        )

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        hypothesis = f"{self.what} equal in all groups"
        return [PlainRow(self, hypothesis=hypothesis, groups=int(self.df) + 1)]

    def _layout(self) -> Layout:
        return HETEROGENEITY

    def _described(self, rows: Any) -> "Sequence[Estimate]":  # noqa: ARG002
        return estimates_of(self.quantities)


def _notes(view: View) -> list[Note]:
    sizes = {e.full_name: e.sizes for e in estimates_of(view.result.quantities)}
    return [
        Note("Welch's test on the scale of the intervals of the groups."),
        Note((*phrase_by_name(sizes), ".")),
    ]


HETEROGENEITY = Layout(
    title="Heterogeneity",
    caption=lambda view: (
        f"Test that the {view.result.what} is equal in all groups",
        *class_sizes_phrase(estimates_of(view.result.quantities)),
    ),
    columns=[
        TableColumn("hypothesis", lambda row: f"{row.of.what} equal in {row.of.df + 1:.0f} groups"),
        field_column(Symbol("F"), StatisticCell, "statistic"),
        field_column((Symbol("df"), " 1"), Degrees, "df"),
        field_column((Symbol("df"), " 2"), Degrees, "df_denominator"),
        P_OF_TEST,
    ],
    fields="hypothesis statistic df df_denominator pvalue groups",
    notes=_notes,
    sentences=lambda view: [view.result.sentence],
    meanings=lambda _: {},
)


def heterogeneity_test(family: Family[Any], positions: list[int], what: str) -> HeterogeneityTest:
    """Return the test that some quantities of a family, one for each group, are equal."""
    quantities = [family[i] for i in positions]
    for q in quantities:
        if q.degenerate or not q.se:
            raise UndefinedError(
                f"heterogeneity: {what} in group {q.group!r} has standard error 0 or a value at an "
                "end of its range, so that its variance is unknown. Combine this group with "
                "another.",
            )
    values, slopes = zip(*(_on_scale_of_interval(q) for q in quantities), strict=True)
    scale = np.array(slopes)
    matrix = family.cov[np.ix_(positions, positions)] * np.outer(scale, scale)
    df = np.array([q.df for q in quantities])
    count = len(positions)
    contrasts = np.eye(count)[1:] - np.eye(count)[0]
    d = contrasts @ np.array(values)
    square = float(d @ np.linalg.solve(contrasts @ matrix @ contrasts.T, d))
    weights: FloatArray = 1.0 / matrix.diagonal()
    spread = float(((1.0 - weights / weights.sum()) ** 2 / df).sum())
    statistic = square / (count - 1) / (1.0 + 2.0 * (count - 2) * spread / (count**2 - 1))
    denominator = (count**2 - 1) / (3.0 * spread) if spread > 0.0 else math.inf
    if math.isinf(denominator):
        pvalue = float(special.chdtrc(count - 1, statistic * (count - 1)))
    else:
        pvalue = float(special.fdtrc(count - 1, denominator, statistic))
    return HeterogeneityTest(statistic, count - 1.0, denominator, pvalue, what, tuple(quantities))


def _on_scale_of_interval(q: Any) -> tuple[float, float]:
    """Return a quantity on the scale of its interval, and the slope of the transformation."""
    low, high = q.scale
    if q.analytic_kind == "logit":
        below, above = q.value - low, high - q.value
        return math.log(below / above), (high - low) / (below * above)
    if q.analytic_kind == "log":
        return math.log(q.value), 1.0 / q.value
    return float(q.value), 1.0
