r"""Cohen's kappa at operating points, the area under the kappa curve, and the largest kappa.

At the operating point (x, y), and with the odds :math:`o = \pi / (1 - \pi)` of the prevalence,

.. math:: \kappa = \frac{2 (y - x)}{D}, \qquad D = o (1 - y) + (1 - x) + y + x / o .

This is :math:`2 \pi (1 - \pi) (y - x)` divided by the proportion
:math:`\pi (1 - f) + (1 - \pi) f` of disagreements by chance, where :math:`f = \pi y + (1 - \pi) x`
is the proportion of rows predicted positive. No term of D is negative, so there is no cancellation
even if a class is rare.

The area under the kappa curve of many scores without ties is calculated by runs of negatives.
Between two positives the TPR is constant, and the FPR increases in steps of h = 1/n, where n is the
number of negatives. Let l be the width of such a run, and m its middle. By the Euler-Maclaurin
formula, the trapezoidal sum of a function f of the FPR over the run is

.. math:: T(f) = l \Big(f(m) + \frac{l^2 + 2 h^2}{24} f''(m)\Big)

apart from terms with the fourth derivative, which are negligible because long runs are divided into
panels. With the derivatives of kappa with respect to the FPR x and the TPR y, the influence of a
positive is the sum of :math:`T(\kappa_y)` over the panels after it. The influence of all negatives
of a panel is the same apart from terms of order h^2, and its mean over a panel that ends at b is

.. math:: \kappa(b) + \frac{h^2}{12} \kappa_{xx}(b) + \frac{h^2}{6} \kappa_{xx}(m)

plus the sum of :math:`T(\kappa_x)` over the panels after it. For tables with ties or few scores,
the sums are calculated over all operating points instead (`AUK`). Higher derivatives follow from
:math:`\kappa_{xx} = -2 r \kappa_x`, where r is the derivative of ln D with respect to x, and
:math:`\partial r / \partial x = -r^2`.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeGuard

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.counts import CountTable, Label, LargeCountTable
from pauci.curve.exact_sums import as_complex, dot, total
from pauci.curve.polyline import Curve
from pauci.curve.region import Bounds, ChosenPoint, Piece, Region
from pauci.curve.runs import ConstantBetweenRows, RunTable
from pauci.curve.sorting import ranges
from pauci.measures.base import Figure, register
from pauci.measures.influence import Influence, SummedTerms, influence_from_sums
from pauci.measures.prevalence import AtPrevalence, Shares


class KappaAt:
    r"""Kappa and its derivatives at operating points, with shared terms calculated once.

    If o is at most 1, let (u, v) be the point (x, y), and otherwise (1 - x, 1 - y). Then no term is
    negative in

    .. math:: D = m + |1/o - 1| u + |o - 1| v, \qquad
              \frac{\partial \kappa}{\partial x} = - 2 \frac{m + |1/o - o| v}{D^2}, \qquad
              \frac{\partial \kappa}{\partial y} = 2 \frac{m + |1/o - o| u}{D^2}

    with :math:`m = 1 + \min(o, 1/o)`.

    The attribute ``difference`` is y - x, and ``denominator_by_fpr`` and ``denominator_by_tpr`` are
    the derivatives of D/2.

    Parameters
    ----------
    fpr, tpr : float or ndarray
        The points.
    share : float or ndarray
        Proportion of positives.
    rest, misses : float or ndarray, optional
        The proportion of negatives and 1 - TPR, if they are available without cancellation.
    """

    def __init__(
        self, fpr: Any, tpr: Any, share: Any, rest: Any = None, misses: Any = None
    ) -> None:
        self.fpr, self.tpr, self.share, self._misses = fpr, tpr, share, misses
        self.rest = 1.0 - share if rest is None else rest
        odds, inverse_odds = share / self.rest, self.rest / share
        few_pos = odds <= 1.0
        if isinstance(few_pos, np.ndarray):
            self._u = np.where(few_pos, fpr, 1.0 - fpr)
            self._v = np.where(few_pos, tpr, self.misses)
            smaller_odds = np.minimum(odds, inverse_odds)
        else:
            self._u, self._v = (fpr, tpr) if few_pos else (1.0 - fpr, self.misses)
            smaller_odds = min(odds, inverse_odds)
        # All terms are divided by 2.
        self._constant = 0.5 + 0.5 * smaller_odds
        self._steepness = 0.5 * abs(inverse_odds - odds)
        self.denominator_by_fpr = 0.5 * (inverse_odds - 1.0)
        self.denominator_by_tpr = 0.5 * (1.0 - odds)
        by_u, by_v = abs(self.denominator_by_fpr), abs(self.denominator_by_tpr)
        self.difference = tpr - fpr
        self._denominator = by_u * self._u + (by_v * self._v + self._constant)
        self.value = self.difference / self._denominator

    @cached_property
    def inverse(self) -> Any:
        """2/D."""
        return 1.0 / self._denominator

    @property
    def misses(self) -> Any:
        """1 - TPR."""
        return 1.0 - self.tpr if self._misses is None else self._misses

    @property
    def denominator_by_prevalence(self) -> Any:
        """Derivative of D/2 with respect to the prevalence."""
        return self.misses * (0.5 / self.rest**2) - self.fpr * (0.5 / self.share**2)

    def factor(self, weights: Any = 1.0) -> Any:
        """Return weights divided by the square of the denominator."""
        return self.inverse * self.inverse * weights

    def by_fpr(self, factor: Any) -> Any:
        """Return the derivative with respect to the FPR, for the result of `factor`."""
        return (-self._steepness * self._v - self._constant) * factor

    def by_tpr(self, factor: Any) -> Any:
        """Return the derivative with respect to the TPR, for the result of `factor`."""
        return (self._steepness * self._u + self._constant) * factor

    def by_prevalence(self, factor: Any) -> Any:
        """Return the derivative with respect to the prevalence, for the result of `factor`."""
        return -self.difference * self.denominator_by_prevalence * factor


def kappa(fpr: Any, tpr: Any, share: Any, rest: Any = None, misses: Any = None) -> Any:
    """Return Cohen's kappa at operating points; the parameters are those of `KappaAt`."""
    return KappaAt(fpr, tpr, share, rest, misses).value


def kappa_slopes(
    fpr: Any, tpr: Any, share: Any, rest: Any = None, misses: Any = None
) -> tuple[Any, Any, Any]:
    """Return the derivatives of `kappa` with respect to FPR, TPR and the prevalence."""
    at = KappaAt(fpr, tpr, share, rest, misses)
    factor = at.factor()
    return at.by_fpr(factor), at.by_tpr(factor), at.by_prevalence(factor)


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

        return as_complex(by_tpr, by_fpr), by_step, panels.sum_of_prevalence_slopes

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
        return after if self._panels is None else np.append(sums[:1], after).take(self._ends)

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


_KAYMAK = "Kaymak, Ben-David and Potharst 2012, Engineering Applications of AI 25:1082-1089"


_LARGEST_REVERSED = 0.50896
"""Minus the smallest possible area over all prevalences, which occurs at a prevalence of 0.447."""

_NEARLY_BALANCED = 0.1

_LIMITS = np.array([[0.0], [1.0]])
"""The TPR of a ranking with all positives last, and of one with all positives first."""


@register
@dataclass(frozen=True, repr=False)
class AUK(AtPrevalence, ConstantBetweenRows):
    r"""Area under the kappa curve.

    The average of Cohen's kappa over the false positive rate. For balanced classes the AUK is
    AUC - 1/2; otherwise the classes are weighted according to the prevalence.

    Parameters
    ----------
    prevalence : number, optional
        Prevalence of positives in the target population, strictly between 0 and 1; the default is
        that of the sample.

    Notes
    -----
    The area is :math:`\sum_k (x_k - x_{k-1}) (\kappa_{k-1} + \kappa_k) / 2` over all operating
    points from (0, 0) to (1, 1), where kappa is 0 (Kaymak, Ben-David and Potharst 2012, but with
    the first segment). Influence values are sums of the derivatives with respect to :math:`x_l` and
    :math:`y_l` over the points at or after group k. In a cohort the prevalence is estimated, which
    adds to the variance. The largest possible value depends on the prevalence and is 1/2 only if
    the classes are balanced. Logit intervals use the largest value possible with these negatives
    or, if the prevalence is estimated, the largest value at any prevalence.

    References
    ----------
    U. Kaymak, A. Ben-David and R. Potharst (2012), The AUK: a simple alternative to the AUC,
    Engineering Applications of Artificial Intelligence 25:1082-1089.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 4, [1, 2, 2, 4, 3, 5] * 4)
    >>> round(pauci.estimate(sample, pauci.AUK()).value, 4)
    0.3333
    """

    key: ClassVar[str] = "auk"
    symbol: ClassVar[str] = "AUK"
    title: ClassVar[str] = "area under the kappa curve"
    summary: ClassVar[str] = "auk"
    figure: ClassVar[Figure] = "kappa"
    reference: ClassVar[str] = _KAYMAK
    has_binormal_floor: ClassVar[bool] = True

    @property
    def range(self) -> Bounds:
        """The areas of rankings with all positives last, and with all positives first."""
        if self.prevalence is None:
            return Bounds(-_LARGEST_REVERSED, 2.0 - 2.0 * float(np.log(2.0)))
        share = float(self.prevalence)
        low = min(float(kappa(1.0, 0.0, share)) / 2.0, -_reversed_area(share))
        return Bounds(low, max(0.5, _perfect_area(share)))

    def constant_between(self, counts: tuple[int, int], *, untied: bool) -> tuple[Label, ...]:
        """Return the positives, if kappa changes little from one negative to the next."""
        if not untied:
            return ()
        n_pos, n_neg = counts
        share = n_pos / (n_pos + n_neg) if self.prevalence is None else float(self.prevalence)
        shares = Shares(share, 1.0 - share)
        return ("positives",) if has_small_steps(shares, n_neg) else ()

    def bounds(self, curve: Curve) -> Bounds:
        """Return the areas for these class sizes if all positives were last, or all first."""
        table, shares = curve.table, self._shares(curve.table)
        untied = _is_by_runs(table) or (isinstance(table, LargeCountTable) and table.is_untied)
        if untied and has_small_steps(shares, table.rows_neg):
            return Bounds(*(_area_on_grid(tpr, shares, table.rows_neg) for tpr in (0.0, 1.0)))
        return Bounds(*_trapezoids(curve, shares, _LIMITS))

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the trapezoidal area through all operating points."""
        table, shares = curve.table, self._shares(curve.table)
        return area(table, shares) if _is_by_runs(table) else _trapezoids(curve, shares)[0]

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return sums of the derivatives over the points that an observation affects."""
        table, shares = curve.table, self._shares(curve.table)
        estimated = self.uses_sample_prevalence
        if _is_by_runs(table):
            return influence(table, shares, by_prevalence=estimated)

        def terms(groups: slice) -> SummedTerms:
            # The last point is the corner (1, 1), which does not depend on the data.
            x, y = curve.part(groups.start, min(groups.stop + 1, table.size))
            # Half the widths around inner points, and 0 at the first and last point
            weights = np.zeros(x.size)
            np.subtract(x[2:], x[:-2], out=weights[1:-1])
            weights *= 0.5
            at, points = KappaAt(x, y, *shares), slice(1, groups.stop - groups.start + 1)
            factor = at.factor(weights)

            def by_step(pos: FloatArray, neg: FloatArray) -> tuple[FloatArray, FloatArray]:
                # Half the sum of the changes of kappa around the points, up to a constant
                neg += (at.value[: neg.size] + at.value[points]) * 0.5
                return pos, neg

            both = as_complex(at.by_tpr(factor)[points], at.by_fpr(factor)[points])
            return both, by_step, lambda: float(at.by_prevalence(factor).sum())

        return influence_from_sums(table.size, terms, by_prevalence=estimated)


@register
@dataclass(frozen=True, repr=False)
class MaxKappa(AtPrevalence):
    r"""Largest kappa over all thresholds; the threshold is in the `region` of an estimate.

    Parameters
    ----------
    prevalence : number, optional
        Prevalence of positives in the target population, strictly between 0 and 1; the default is
        that of the sample.

    Notes
    -----
    The value is :math:`\max_k \kappa_k` over the operating points, and the threshold is the first
    of several with the same value. A maximum over thresholds is biased upwards, especially in small
    samples and with many thresholds. To first order its influence is that of kappa at the best
    point. This approximation requires a unique maximum; if kappa is about equal at two thresholds,
    the standard error is unreliable.

    References
    ----------
    J. Cohen (1960), Educational and Psychological Measurement 20:37-46.

    Examples
    --------
    >>> import pauci
    >>> e = pauci.estimate(pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 3, 2, 4, 3, 5] * 9),
    ...                    pauci.MaxKappa())
    >>> round(e.value, 4), e.region.threshold[0]
    (0.6667, 3.0)
    """

    key: ClassVar[str] = "maxkappa"
    symbol: ClassVar[str] = "max kappa"
    title: ClassVar[str] = "largest kappa"
    summary: ClassVar[str] = "max kappa"
    figure: ClassVar[Figure] = "kappa"
    reference: ClassVar[str] = "Cohen 1960, Educational and Psychological Measurement 20:37-46"
    range: ClassVar[Bounds] = Bounds(0.0, 1.0)

    @property
    def region(self) -> Region:  # type: ignore[override]
        """The best threshold."""
        return ChosenPoint("the best threshold", self._best)

    @property
    def region_phrase(self) -> str:
        """The region in words."""
        return str(self.region)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return kappa at the best point."""
        return float(kappa(piece.end.fpr, piece.end.tpr, *self._shares(curve.table)))

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of kappa at the best point, which is treated as fixed."""
        point = piece.end
        fpr, tpr, prevalence = kappa_slopes(point.fpr, point.tpr, *self._shares(curve.table))
        before = np.append(np.ones(point.group), 0.0)[: curve.table.size]
        by_share = prevalence if self.uses_sample_prevalence else 0.0
        return Influence(tpr * before, fpr * before, by_share)

    def _best(self, curve: Curve) -> int:
        """Return the number of groups predicted positive at the best threshold."""
        heights = kappa(curve.fpr[1:], curve.tpr[1:], *self._shares(curve.table))
        return int(np.argmax(heights)) + 1


def _is_by_runs(table: CountTable) -> TypeGuard[RunTable]:
    """Return whether a table is one by runs, for which `AUK` is constant between positives."""
    return isinstance(table, RunTable) and table.untied and table.label == "positives"


def _trapezoids(curve: Curve, shares: Shares, tpr: FloatArray | None = None) -> list[float]:
    """Return the areas under kappa over the FPR on the curve, or at fixed TPRs of shape (m, 1)."""
    sums = []
    for groups in ranges(curve.table.size):
        x, y = curve.part(groups.start, groups.stop)
        heights = kappa(x, y if tpr is None else tpr, *shares)
        areas = (x[1:] - x[:-1]) * (heights[..., 1:] + heights[..., :-1])
        sums.append(np.add.reduce(areas, axis=-1).reshape(-1).tolist())
    return [total(of_blocks) / 2.0 for of_blocks in zip(*sums, strict=True)]


def _area_on_grid(tpr: float, shares: Shares, n: int) -> float:
    r"""Return the trapezoidal area under kappa at the FPRs 0, 1/n, ..., 1 and a TPR of 0 or 1.

    By the Euler-Maclaurin formula it is the integral plus
    :math:`(\kappa'(1) - \kappa'(0)) / (12 n^2)`, and the next term is negligible.
    """
    integral = _perfect_area(shares.pos) if tpr else -_reversed_area(shares.pos)
    start, end = (kappa_slopes(fpr, tpr, *shares)[0] for fpr in (0.0, 1.0))
    return float(integral + (end - start) / (12.0 * n**2))


def _perfect_area(share: float) -> float:
    r"""Return the area of a perfect ranking without ties, :math:`\int 2 \pi u / (1 - c u) du`."""
    return 2.0 * share * _integral(1.0 - 2.0 * share, 2.0 * share)


def _reversed_area(share: float) -> float:
    r"""Return minus the area of a reversed ranking, :math:`\int 2 \pi (1 - \pi) x / B dx`."""
    c = (1.0 - share) * (1.0 - 2.0 * share) / share
    return 2.0 * (1.0 - share) * _integral(-c, 1.0 + c)


def _integral(c: float, complement: float) -> float:
    r"""Return :math:`\int_0^1 u / (1 - c u) du`; `complement` is 1 - c without cancellation."""
    if abs(c) < _NEARLY_BALANCED:  # the closed form is inaccurate
        return math.fsum(c**k / (k + 2.0) for k in range(20))
    return -(1.0 + math.log(complement) / c) / c
