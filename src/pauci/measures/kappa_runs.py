r"""The area under the kappa curve of many scores without ties, by runs of negatives.

Between two positives the TPR is constant, and the FPR increases in steps of h = 1/n, where n is the
number of negatives. Let l be the width of such a run, and m its middle. By the Euler-Maclaurin
formula, the trapezoidal sum of a function f of the FPR over the run is

.. math:: T(f) = l \Big(f(m) + \frac{l^2 + 2 h^2}{24} f''(m)\Big)

apart from terms with the fourth derivative, which are negligible because long runs are divided into
panels. With the derivatives of kappa with respect to the FPR x and the TPR y, the influence of a
positive is the sum of :math:`T(\kappa_y)` over the panels after it. The influence of all negatives
of a panel is the same apart from terms of order h^2, and its mean over a panel that ends at b is

.. math:: \kappa(b) + \frac{h^2}{12} \kappa_{xx}(b) + \frac{h^2}{6} \kappa_{xx}(m)

plus the sum of :math:`T(\kappa_x)` over the panels after it. These are the sums over all operating
points that `pauci.measures.kappa` calculates for other tables. Higher derivatives follow from
:math:`\kappa_{xx} = -2 r \kappa_x`, where r is the derivative of ln D with respect to x, and
:math:`\partial r / \partial x = -r^2`.
"""

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.exact_sums import as_complex, dot, total
from pauci.curve.runs import RunTable
from pauci.curve.sorting import ranges
from pauci.measures.influence import Influence, SummedTerms, influence_from_sums
from pauci.measures.kappa_at import KappaAt
from pauci.measures.prevalence import Shares

_LARGEST_STEP = 5e-4
"""Largest relative change of the denominator of kappa from one negative to the next."""

_TOLERANCE = 1e-13
"""Largest error of kappa and its derivatives, averaged over a panel."""


def _steepness(shares: Shares) -> float:
    """Return the largest relative change of the denominator of kappa for a unit of either rate."""
    odds, inverse_odds = shares.pos / shares.neg, shares.neg / shares.pos
    return float((max(odds, inverse_odds) - 1.0) / (1.0 + min(odds, inverse_odds)))


def has_small_steps(shares: Shares, n_neg: float) -> bool:
    """Return whether the formulas of this module are accurate for this number of negatives."""
    return _steepness(shares) <= _LARGEST_STEP * n_neg


def _largest_panel(shares: Shares, n_neg: int) -> int:
    r"""Return the largest number of negatives of a panel.

    With the steepness r, the error of the mean of kappa over a panel is at most
    :math:`l^4 r^3 (r + 2) / 80`.
    """
    r = _steepness(shares)
    fourth_power = r**3 * (r + 2.0) / (80.0 * _TOLERANCE)
    return n_neg if fourth_power <= 1.0 else max(1, int(n_neg / fourth_power**0.25))


def area(table: RunTable, shares: Shares) -> float:
    """Return the trapezoidal area through all operating points."""
    blocks = (_Panels(table, shares, steps) for steps in ranges(table.steps))
    return float(total([panels.sum_of_values() for panels in blocks]))


def influence(table: RunTable, shares: Shares, *, by_prevalence: bool) -> Influence:
    """Return the influence of the rows by step, optionally also of the prevalence."""

    def terms(steps: slice) -> SummedTerms:
        panels = _Panels(table, shares, steps)
        by_tpr, by_fpr = panels.sums_of_slopes()

        def by_step(pos: FloatArray, neg: FloatArray) -> tuple[FloatArray, FloatArray]:
            """Return the sums over later panels, with the terms of the own panel."""
            neg -= by_fpr
            neg += panels.within_panels()
            return panels.after_runs(pos, by_tpr), panels.means_of_runs(neg)

        return SummedTerms(as_complex(by_tpr, by_fpr), by_step, panels.sum_of_prevalence_slopes)

    return influence_from_sums(table.steps, terms, by_prevalence=by_prevalence)


class _Panels:
    """The runs of some steps of a table, of which long ones are divided into several panels.

    If many runs are empty, they have no panels, except for the last one.
    """

    def __init__(self, table: RunTable, shares: Shares, steps: slice) -> None:
        n = table.rows_neg
        longest = _largest_panel(shares, n)
        before = table.before[steps.start : steps.stop + 1].astype(np.float64)
        start, rows = before[:-1], before[1:] - before[:-1]
        pos = np.arange(steps.start, steps.stop, dtype=np.float64)
        self._panels: AnyArray | None = None
        """The number of panels of each run; None if each has one."""
        self._divided, occupied = bool(rows.max() > longest), rows > 0
        if self._divided or 4 * np.count_nonzero(occupied) < 3 * rows.size:
            panels = (np.ceil(rows / longest) if self._divided else occupied).astype(np.int64)
            panels[-1] = max(panels[-1], 1)
            self._panels = panels
            self._ends = np.cumsum(panels)
            run = np.repeat(np.arange(rows.size), panels) if self._divided else panels.nonzero()[0]
            start, rows, pos = (a.take(run) for a in (start, rows, pos))
        if self._divided:
            skipped = (np.arange(rows.size) - (self._ends - panels).take(run)) * longest
            start += skipped
            rows = np.minimum(rows - skipped, longest)
        self._rows = rows
        step = self._step = 1.0 / n
        x, y = (start + 0.5 * rows) * step, pos / table.rows_pos
        self._at = KappaAt(x, y, *shares)
        self._factor = self._at.factor()
        self._by_fpr = self._at.by_fpr(self._factor)
        self._ratio = self._at.denominator_by_fpr * self._at.inverse
        self._width = rows * step
        self._twice_curvature = (self._width * self._width + 2.0 * step**2) * (1.0 / 12.0)

    def sum_of_values(self) -> float:
        """Return the sum of kappa over all panels."""
        bend = self._twice_curvature * self._ratio * self._by_fpr
        return float(dot(self._width, self._at.value - bend))

    def sums_of_slopes(self) -> tuple[FloatArray, FloatArray]:
        """Return the sums of the derivatives with respect to the TPR and the FPR by panel."""
        at, ratio, by_fpr = self._at, self._ratio, self._by_fpr
        by_tpr, bend = at.by_tpr(self._factor), self._twice_curvature * ratio
        mixed = (2.0 * at.denominator_by_tpr) * at.inverse * by_fpr
        by_tpr += bend * (ratio * by_tpr + mixed)
        bend *= 3.0 * ratio
        return by_tpr * self._width, (by_fpr + bend * by_fpr) * self._width

    def sum_of_prevalence_slopes(self) -> float:
        """Return the sum of the derivatives with respect to the prevalence over all panels."""
        at, bend = self._at, self._twice_curvature
        change = self._ratio * at.value - self._by_fpr
        sums = bend * self._ratio * (self._by_fpr - change)
        sums -= at.value
        sums *= at.denominator_by_prevalence
        # The derivative of the denominator with respect to the FPR and the prevalence is constant.
        sums += (-0.5 / at.share**2) * bend * change
        return float(dot(self._width * at.inverse, sums))

    def within_panels(self) -> FloatArray:
        """Return the terms of the influence of a negative from its own panel, a mean over it."""
        at, half = self._at, 0.5 * self._width
        increase = half * self._ratio
        end = (at.difference - half) * at.inverse / (increase + 1.0)
        increase -= 1.0
        increase *= 0.5 * self._step**2
        return np.asarray(end + increase * self._ratio * self._by_fpr)

    def after_runs(self, sums: FloatArray, own: FloatArray) -> FloatArray:
        """Return sums over the panels after each run.

        `sums` are those from each panel on, and `own` are the terms of each panel.
        """
        after = np.append(sums[1:], sums[-1] - own[-1])
        if self._panels is None:
            return after
        return np.append(sums[:1], after).take(self._ends)

    def means_of_runs(self, values: FloatArray) -> FloatArray:
        """Return the mean of each run over its negatives; arbitrary for a run without negatives."""
        if self._panels is None:
            return values
        first = self._ends - self._panels
        if not self._divided:
            return values.take(first)
        weights = np.maximum(self._rows, 1)
        sums, totals = (np.add.reduceat(a, first) for a in (values * weights, weights))
        return np.asarray(sums / totals)
