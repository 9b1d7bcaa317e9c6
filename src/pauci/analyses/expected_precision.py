r"""The average precision that is expected in a planned study, which is larger in small studies.

A positive is at its own threshold, so that the precision there is 1 if no negative is above it. If
a share P of the other positives and a share Q of the negatives are above, a study with sizes
:math:`n_1, n_0` is expected to have :math:`1 + (n_1 - 1) P` positives and :math:`n_0 Q` negatives
there. The curve of the pilot has these rates if a share s of the positives is added above all
scores, :math:`1/n_1` less what a positive contributes to its own threshold in the pilot:

.. math:: 1 - s = \frac{1 - 1/n_1}{1 - 1/N_1}

with :math:`N_1` positives in the pilot. The expected average precision is the mean over the other
positives. The standard deviation follows from its influence values, and the standard error also
from the changes by half an observation of each class, as in the analysis (`pauci.variance.unseen`).
The highest negative of the study is at the rate :math:`1/n_0`. For the negative predictive value
the classes are exchanged.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.measures.influence import Influence
from pauci.measures.precision import AP
from pauci.sample.ratings import Ratings
from pauci.variance.unseen import changes_of_precision


@dataclass(frozen=True, eq=False)
class ExpectedPrecision:
    """The average precision that is expected in a study, calculated from a pilot.

    Parameters
    ----------
    ratings : Ratings
        The ratings of the pilot.
    measure : AP
        The average precision.
    n_pos, n_neg : int
        Sizes of the study.
    """

    ratings: Ratings
    measure: AP
    n_pos: int
    n_neg: int

    @cached_property
    def _added(self) -> float:
        """The share that is added; 0 if the study has more positives than the pilot.

        A corrected average precision does not depend on it to first order.
        """
        n = self.n_neg if self.measure.negatives else self.n_pos
        rows_pos = self.measure.oriented(self.ratings.table)[0].rows_pos
        of_others = (1.0 - 1.0 / n) / (1.0 - 1.0 / rows_pos)
        return 0.0 if self.measure.corrected else max(1.0 - of_others, 0.0)

    def _curve(self, *, without: float = 0.0) -> Curve:
        """Return the curve with the share, optionally without a share of the highest negatives."""
        table, _ = self.measure.oriented(self.ratings.table)
        pos, neg = (cum[1:].astype(float) for cum in (table.cum_pos, table.cum_neg))
        pos = self._added * table.total_pos + (1.0 - self._added) * pos
        neg = np.where(neg < without * table.total_neg, 0.0, neg)
        first = 0.0, self._added * table.total_pos
        changed = CountTable(
            -np.arange(neg.size + 1.0),
            np.concatenate((first, pos)),
            np.concatenate(((0.0, 0.0), neg)),
            table.rows_pos,
            table.rows_neg,
            fixed_prevalence=table.fixed_prevalence,
        )
        return Curve(changed.swapped() if self.measure.negatives else changed)

    @cached_property
    def bias(self) -> float:
        """The bias, relative to the value on the curve of the pilot."""
        if not self._added:
            return 0.0
        value, pilot_value = (self.measure.on(c) for c in (self._curve(), self.ratings.curve))
        return float(value - self._added) / (1.0 - self._added) - float(pilot_value)

    @property
    def influence(self) -> Influence:
        """The influence of the rows of the pilot."""
        pos, neg, prevalence, _ = self.measure.influence_on(self._curve())
        factor = 1.0 / (1.0 - self._added)
        if self.measure.negatives:
            return Influence(factor * pos[:-1], neg[:-1], factor * prevalence)
        return Influence(pos[1:], factor * neg[1:], factor * prevalence)

    @cached_property
    def changes(self) -> dict[str, float]:
        """The changes by half an observation that the study lacks."""
        sizes = self.n_pos, self.n_neg
        curve = self._curve(without=1.0 / sizes[not self.measure.negatives])
        return changes_of_precision(curve, self.measure, sizes)
