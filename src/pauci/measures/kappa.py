"""The area under the kappa curve, and the largest kappa (`pauci.measures.kappa_at`)."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeGuard

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import CountTable, Label, UntiedTable
from pauci.curve.exact_sums import as_complex, total
from pauci.curve.polyline import Curve
from pauci.curve.region import Bounds, ChosenPoint, Piece, Region
from pauci.curve.runs import ConstantBetweenRows, RunTable
from pauci.curve.sorting import ranges
from pauci.measures import kappa_runs
from pauci.measures.base import Figure, Request, register
from pauci.measures.effective_size import FEWEST_FOR_SE
from pauci.measures.influence import Influence, SummedTerms, influence_from_sums
from pauci.measures.kappa_at import KappaAt, kappa, kappa_slopes
from pauci.measures.prevalence import AtPrevalence, Shares

if TYPE_CHECKING:
    from pauci.measures.binning_error import BinnedCurve

__all__ = ["AUK", "MaxKappa"]

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
    fewest_effective: ClassVar[float] = FEWEST_FOR_SE
    symbol: ClassVar[str] = "AUK"
    figure: ClassVar[Figure] = "kappa"
    title: ClassVar[str] = "area under the kappa curve"
    reference: ClassVar[str] = _KAYMAK

    @property
    def has_binormal_floor(self) -> bool:
        """Return True."""
        return True

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
        return ("positives",) if kappa_runs.has_small_steps(shares, n_neg) else ()

    def bounds(self, curve: Curve) -> Bounds:
        """Return the areas for these class sizes if all positives were last, or all first."""
        table, shares = curve.table, self._shares(curve.table)
        untied = _is_by_runs(table) or isinstance(table, UntiedTable)
        if untied and kappa_runs.has_small_steps(shares, table.rows_neg):
            return Bounds(*(_area_on_grid(tpr, shares, table.rows_neg) for tpr in (0.0, 1.0)))
        return Bounds(*_trapezoids(curve, shares, _LIMITS))

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the trapezoids between the chord and the tangent in the middle of each cell."""
        curve, shares = binned.curve, self._shares(binned.curve.table)
        x, y = curve.fpr, curve.tpr
        width, heights = np.diff(x), kappa(x, y, *shares)
        means = (heights[1:] + heights[:-1]) / 2.0
        ends = []
        for level, extreme in ((y[:-1], np.minimum), (y[1:], np.maximum)):
            chord = (kappa(x[:-1], level, *shares) + kappa(x[1:], level, *shares)) / 2.0
            middle = kappa((x[:-1] + x[1:]) / 2.0, level, *shares)
            heights = np.where(binned.several_scores, extreme(chord, middle), means)
            ends.append(float(np.dot(heights, width)))
        return Bounds(*ends)

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the trapezoidal area through all operating points."""
        table, shares = curve.table, self._shares(curve.table)
        if _is_by_runs(table):
            return kappa_runs.area(table, shares)
        return _trapezoids(curve, shares)[0]

    def requests(self) -> tuple[Request, ...]:
        """Return the area."""
        return self._request("auk")

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the area on resampled curves."""
        return answers[0][:, 0]

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return sums of the derivatives over the points that an observation affects."""
        table, shares = curve.table, self._shares(curve.table)
        estimated = self.uses_sample_prevalence
        if _is_by_runs(table):
            return kappa_runs.influence(table, shares, by_prevalence=estimated)

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

            return SummedTerms(
                as_complex(at.by_tpr(factor)[points], at.by_fpr(factor)[points]),
                by_step,
                lambda: float(at.by_prevalence(factor).sum()),
            )

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
    figure: ClassVar[Figure] = "kappa"
    title: ClassVar[str] = "largest kappa"
    reference: ClassVar[str] = "Cohen 1960, Educational and Psychological Measurement 20:37-46"

    @property
    def region(self) -> Region:
        """The best threshold."""
        return ChosenPoint("the best threshold", self._best)

    @property
    def region_phrase(self) -> str:
        """The region in words."""
        return str(self.region)

    @property
    def is_maximum(self) -> bool:
        """Return True."""
        return True

    @property
    def range(self) -> Bounds:
        """From 0, the value if all rows are predicted positive, to 1."""
        return Bounds(0.0, 1.0)

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the values on the extreme curves, because the measure increases with the curve."""
        return binned.between_extremes(self.on)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return kappa at the best point."""
        return float(kappa(piece.end.fpr, piece.end.tpr, *self._shares(curve.table)))

    def requests(self) -> tuple[Request, ...]:
        """Return the largest kappa, with the best threshold of each resampled curve."""
        return self._request("max kappa")

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the largest kappa on resampled curves."""
        return answers[0][:, 0]

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of kappa at the best point, which is treated as fixed."""
        by = kappa_slopes(piece.end.fpr, piece.end.tpr, *self._shares(curve.table))
        before = np.append(np.ones(piece.end.group), 0.0)[: curve.table.size]
        slope = by.prevalence if self.uses_sample_prevalence else 0.0
        return Influence(by.tpr * before, by.fpr * before, slope)

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
    start, end = (kappa_slopes(fpr, tpr, *shares).fpr for fpr in (0.0, 1.0))
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
