r"""A test that a measure is the same in all groups.

Let :math:`\theta_g` be the estimates of G groups on the scale of their intervals, with covariance
matrix V and :math:`\nu_g` degrees of freedom. It is the logit scale of the range of a measure, the
log scale of a ratio, and the original scale of a difference and of a proportion at a cut-off, which
has an exact interval. With :math:`w_g = 1/V_{gg}` and :math:`W = \sum_g w_g`, the statistic of
Welch (1951, Biometrika 38:330-336) is

.. math:: F = \frac{d^T (C V C^T)^{-1} d/(G - 1)}{1 + 2 (G - 2) \Lambda/(G^2 - 1)}, \qquad
          \Lambda = \sum_g \frac{(1 - w_g/W)^2}{\nu_g} ,

where :math:`d = C \theta` are G - 1 contrasts of the groups. It has an F distribution with G - 1
and :math:`(G^2 - 1)/(3 \Lambda)` degrees of freedom. For independent groups the quadratic form is
the weighted sum of squares :math:`\sum_g w_g (\theta_g - \bar\theta)^2` of Welch. If groups have
units in common, their covariance enters V.

The covariances of a few units are poorly estimated, and their errors increase the quadratic form
:math:`T^2 = d^T (C V C^T)^{-1} d` more than the formula of Welch allows for. If groups have units
in common, the test of Hotelling, :math:`F = T^2 (\nu - G + 2)/(\nu (G - 1))` with G - 1 and
:math:`\nu - G + 2` degrees of freedom (Anderson 2003, 5.2), is calculated as well, and replaces
that of Welch if its p-value is larger. Here :math:`\nu` are the degrees of freedom of the average
of the groups or, with clusters of several rows, the smaller of the numbers of clusters with
positives and with negatives in all groups together, minus one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import special
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.errors import UndefinedError
from pauci.intervals.kinds import Kind
from pauci.results.captions import class_sizes_phrase, phrase_by_name
from pauci.results.family import Family
from pauci.results.layout import P_OF_TEST, Layout, TableColumn, View, field_column
from pauci.results.presented import Presented
from pauci.results.quantity import Difference, Quantity, estimates_of
from pauci.results.row import PlainRow
from pauci.sample.row_groups import NONE_SKIPPED, Skipped
from pauci.tables import number_format as fmt
from pauci.tables.table import Degrees, Note, RichText, StatisticCell, Symbol

if TYPE_CHECKING:
    from pauci.results.estimates import Estimate


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class HeterogeneityTest(Presented[Kind]):
    """Test that a measure, or a difference, is the same in all groups.

    The test is that of Welch, or that of Hotelling for groups with rows or clusters in common
    (`pauci.results.heterogeneity`).

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
    test : str
        ``"Welch's test"`` or ``"Hotelling's test"``.
    skipped : tuple of (group, reason)
        Groups that were left out.
    """

    statistic: float
    df: float
    df_denominator: float
    pvalue: float
    what: str
    quantities: tuple[Quantity[Any], ...] = field(default=(), compare=False)
    test: str = "Welch's test"
    skipped: Skipped = NONE_SKIPPED

    @property
    def _skipped(self) -> Skipped:
        return self.skipped

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
            f"The {self.what} was tested for differences between {self.df + 1:.0f} groups "
            f"({self.test}: {self._words})."
        )

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        hypothesis = f"{self.what} equal in all groups"
        return [PlainRow(self, hypothesis=hypothesis, groups=int(self.df) + 1)]

    def _layout(self) -> Layout:
        return HETEROGENEITY

    def _described(self, rows: Any) -> "Sequence[Estimate]":  # noqa: ARG002
        return estimates_of(self.quantities)


def _notes(view: View) -> list[Note]:
    sizes = phrase_by_name({e.full_name: e.sizes for e in estimates_of(view.result.quantities)})
    return [
        Note(f"{view.result.test} on the scale of the intervals of the groups."),
        Note((*sizes, " in each group" * (len(sizes) == 1), ".")),
    ]


def _caption(view: View) -> RichText:
    estimates = estimates_of(view.result.quantities)
    same = len({(e.n_pos, e.n_neg, e.clusters) for e in estimates}) == 1
    begin = f"Test that the {view.result.what} is equal in all groups"
    return (begin, *class_sizes_phrase(estimates), " in each group" * same)


HETEROGENEITY = Layout(
    title="Heterogeneity",
    caption=_caption,
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


def heterogeneity_test(
    family: Family[Any], positions: list[int], what: str, shared_df: float
) -> HeterogeneityTest:
    """Return the test that some quantities of a family, one for each group, are equal.

    `shared_df` are the degrees of freedom of the covariances between groups; infinite if groups
    have no units in common.
    """
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
    rank = len(positions) - 1
    if shared_df < rank:
        raise UndefinedError(
            f"heterogeneity: a test that the {what} is equal in {rank + 1} groups with common rows "
            f"or clusters requires {rank} degrees of freedom, but there are {shared_df:.3g}. "
            "Combine groups."
        )
    square = _square_of_contrasts(np.array(values), matrix, what)
    df = np.array([q.df for q in quantities])
    tests = {"Welch's test": _welch(square, matrix.diagonal(), df)}
    if math.isfinite(shared_df):
        denominator = shared_df - rank + 1.0
        hotelling = square * denominator / (shared_df * rank)
        pvalue = _tail(rank, denominator, hotelling)
        tests["Hotelling's test"] = pvalue, hotelling, denominator
    test, (pvalue, statistic, denominator) = max(tests.items(), key=lambda item: item[1][0])
    return HeterogeneityTest(
        statistic, float(rank), denominator, pvalue, what, tuple(quantities), test, family.skipped
    )


def _square_of_contrasts(values: FloatArray, matrix: FloatArray, what: str) -> float:
    """Return the quadratic form of the contrasts of the groups."""
    contrasts = np.eye(values.size)[1:] - np.eye(values.size)[0]
    covariance = contrasts @ matrix @ contrasts.T
    spread = np.sqrt(matrix.diagonal()[1:] + matrix[0, 0])  # without the covariances of groups
    if np.linalg.eigvalsh(covariance / np.outer(spread, spread))[0] < 1e-10 * values.size:
        raise UndefinedError(
            f"heterogeneity: the covariance matrix of the {what} in {values.size} groups is "
            "singular, because groups have the same rows or too few units. Omit or combine groups."
        )
    d = contrasts @ values
    return float(d @ np.linalg.solve(covariance, d))


def _welch(square: float, variances: FloatArray, df: FloatArray) -> tuple[float, float, float]:
    """Return the p-value, the statistic and the denominator of the test of Welch."""
    count = variances.size
    weights: FloatArray = 1.0 / variances
    spread = float(((1.0 - weights / weights.sum()) ** 2 / df).sum())
    statistic = square / (count - 1) / (1.0 + 2.0 * (count - 2) * spread / (count**2 - 1))
    denominator = (count**2 - 1) / (3.0 * spread) if spread > 0.0 else math.inf
    return _tail(count - 1, denominator, statistic), statistic, denominator


def _tail(df: int, denominator: float, statistic: float) -> float:
    """Return the probability that a value of the F distribution is larger."""
    if math.isinf(denominator):
        return float(special.chdtrc(df, statistic * df))
    return float(special.fdtrc(df, denominator, statistic))


def _on_scale_of_interval(q: Any) -> tuple[float, float]:
    """Return a quantity on the scale of its interval, and the slope of the transformation.

    Binomial limits have no scale: a proportion is tested on the logit scale, a ratio on the log
    scale.
    """
    low, high = q.scale
    kind = q.analytic_kind if isinstance(q, Difference) else q._kind_of_measure
    if kind == "logit":
        below, above = q.value - low, high - q.value
        return math.log(below / above), (high - low) / (below * above)
    if kind == "log":
        return math.log(q.value), 1.0 / q.value
    return float(q.value), 1.0
