r"""Measures of predicted risks: scores that are probabilities of the positive class.

These measures are functions of sums over rows of the label y and the risk p, and therefore of the
table of counts and its scores. If :math:`\psi(y, p)` is the influence of a row of a cohort, and
:math:`\pi` the prevalence, the influence values within the classes and the derivative with respect
to the prevalence are

.. math:: u^1_k = \pi \psi(1, p_k), \qquad u^0_k = (1 - \pi) \psi(0, p_k), \qquad
          g = E[\psi(1, p) \mid y = 1] - E[\psi(0, p) \mid y = 0] ,

so that the contributions of the rows are those of :math:`\psi`
(`pauci.variance.influence_covariance`). In a case-control sample, the class proportions are those
of the design.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Bounds, Piece, Region
from pauci.errors import InputError
from pauci.measures.base import Measure
from pauci.measures.influence import Influence

if TYPE_CHECKING:
    from pauci.measures.binning_error import BinnedCurve

_LARGEST_PER_CENT = 100.0


class Risks(NamedTuple):
    """The distinct risks of a table, and the proportions of rows that have them."""

    p: FloatArray
    pos: FloatArray
    """Positives with each risk, as a proportion of all rows."""
    neg: FloatArray
    """Negatives with each risk, as a proportion of all rows."""
    share: float
    """Proportion of positives."""

    @property
    def all(self) -> FloatArray:
        """Rows with each risk, as a proportion of all rows."""
        return self.pos + self.neg

    @property
    def log_odds(self) -> FloatArray:
        """The log odds of the risks."""
        return np.asarray(np.log(self.p) - np.log1p(-self.p))

    def mean(self, of_pos: Any, of_neg: Any) -> float:
        """Return the mean over all rows of values of positives and of negatives."""
        return float((self.pos * of_pos).sum() + (self.neg * of_neg).sum())


def risks_of(table: CountTable) -> Risks:
    """Return the risks of a table whose scores are risks (`check_risks`)."""
    total = float(table.total_pos) + float(table.total_neg)
    return Risks(
        table.wide_scores.astype(np.float64),
        table.pos / total,
        table.neg / total,
        float(table.total_pos) / total,
    )


def check_risks(table: CountTable, measure: Measure, *, inside: bool) -> None:
    """Raise an error if scores are not risks; `value` of the error has the scores in question.

    With `inside`, risks of exactly 0 or 1 are refused as well.
    """
    if table.categories is not None:
        raise InputError.about(
            "scores",
            ("are ordered categories, but ", measure, " needs a risk between 0 and 1."),
            hint="Pass predicted probabilities of the positive class.",
        )
    if table.lower_is_positive:
        raise InputError.about(
            "scores",
            ("are lower in positives, but ", measure, " needs the risk of the positive class."),
            hint="Pass 1 minus the score without lower_is_positive, if the scores are "
            "probabilities of the negative class.",
        )
    highest, lowest = float(table.score(0)), float(table.score(table.size - 1))
    if not 0.0 <= lowest <= highest <= 1.0:
        scores = table.wide_scores
        raise _outside_error(measure, scores[(scores < 0.0) | (scores > 1.0)], lowest, highest)
    if inside and (lowest == 0.0 or highest == 1.0):
        which = "0" if highest < 1.0 else "1" if lowest > 0.0 else "0 and 1"
        raise InputError(
            (
                f"risks of exactly {which} have no finite log odds, so that ",
                measure,
                " is undefined.",
            ),
            argument="scores",
            value=[v for v, found in ((0.0, lowest), (1.0, highest)) if v == found],
            hint="OE() and Brier() accept such risks. A model that rounds them should return more "
            "digits; if you replace them, for example by 0.0001 and 0.9999, report that.",
        )


def _outside_error(
    measure: Measure, outside: FloatArray, lowest: float, highest: float
) -> InputError:
    """Return the error for scores outside 0 and 1, with the reason that is most likely."""
    if lowest >= 0.0 and highest <= _LARGEST_PER_CENT:
        hint = "If they are per cent, divide them by 100."
    elif lowest < 0.0:
        hint = "If they are log odds, convert them by 1 / (1 + exp(-score))."
    else:
        hint = "Pass predicted probabilities of the positive class."
    first = float(outside[0] if highest > 1.0 else outside[-1])
    return InputError(
        (
            "scores must be risks between 0 and 1 for ",
            measure,
            f", but {'some are' if outside.size > 1 else 'one is'} outside, such as {first:.6g}.",
        ),
        argument="scores",
        value=outside.tolist(),
        hint=hint,
    )


@dataclass(frozen=True, eq=False, repr=False)
class OfRisks(Measure):
    """A measure of predicted risks on all rows."""

    takes_0_and_1: ClassVar[bool] = True
    """Whether risks of exactly 0 and 1 are accepted."""

    is_monotone: ClassVar[bool] = True
    """Whether the value is a monotone function of each risk, given its class."""

    @property
    def region(self) -> Region:
        """The whole curve."""
        return WHOLE

    @property
    def has_region(self) -> bool:
        """Return False, because the measure is not one of a part of the curve."""
        return False

    @property
    def known_ends(self) -> bool:
        """Return True, because nothing is estimated but sums over rows."""
        return True

    @property
    def uses_sample_prevalence(self) -> bool:
        """Return True, because the value depends on the proportion of positives."""
        return True

    @property
    def of_risks(self) -> bool:
        """Return True."""
        return True

    def check_scores(self, table: CountTable) -> None:
        """Raise an error if scores are not risks."""
        check_risks(table, self, inside=not self.takes_0_and_1)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of rows, over which the value is an average."""
        return n_pos + n_neg

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the value for the risks of a table."""
        self.check_scores(curve.table)
        return self.of_risks_value(risks_of(curve.table))

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return the influence values by class from those of the rows of a cohort."""
        risks = risks_of(curve.table)
        pos, neg = self.row_influence(risks)
        share, rest = risks.share, 1.0 - risks.share
        by_share = (risks.pos * pos).sum() / share - (risks.neg * neg).sum() / rest
        return Influence(share * pos, rest * neg, float(by_share))

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the bounds if the risks in each cell lie between its lowest and highest score."""
        if not self.is_monotone:
            return super().binned_bounds(binned)
        risks = risks_of(binned.curve.table)
        ends = risks.p, np.asarray(binned.tops, dtype=np.float64)
        none = np.zeros_like(risks.p)
        pos, neg = np.append(risks.pos, none), np.append(none, risks.neg)
        with np.errstate(divide="ignore", invalid="ignore"):  # risks of 1 at the end of a cell
            values = [
                self.of_risks_value(Risks(np.append(of_pos, of_neg), pos, neg, risks.share))
                for of_pos in ends
                for of_neg in ends
            ]
        return Bounds(float(np.min(values)), float(np.max(values)))

    @abstractmethod
    def of_risks_value(self, risks: Risks) -> float:
        """Return the value."""

    @abstractmethod
    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the influence of a positive and of a negative row, up to a constant."""
