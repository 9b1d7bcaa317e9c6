r"""Maximum likelihood estimation of smooth ROC curves from ratings or scores.

Each model of a curve has two parameters, and one threshold for each boundary between categories.
Only the order of the scores is used. On the latent scale of a model the negatives are distributed
N(0, 1), and the survival function of each class and its derivatives are known.

The likelihood is that of a 2 x K table. With S the proportion of a class above a threshold, the
probability of category k is :math:`p_k = S(t_k) - S(t_{k+1})`, and :math:`\ell = \sum_k m_k \ln
p_k`, summed over both classes. A threshold affects only the two adjacent categories, so that the
information matrix of the thresholds is tridiagonal and a step of Newton's method takes O(K)
operations.

Measures of a smooth curve are evaluated on a table of narrow groups of scores, which are treated as
tied. The error is proportional to the width h of the groups for average precision, and to
:math:`h^2` for other measures; Richardson extrapolation removes it.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pauci import special
from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.errors import UndefinedError
from pauci.measures.base import Measure

Pair = tuple[float, float]

_ROOT_OF_TAU = math.sqrt(2.0 * math.pi)


class Share(NamedTuple):
    """The proportion of a class above each threshold, with its derivatives.

    Parameters
    ----------
    above, below : ndarray of shape (J,)
        The proportion and its complement, both with full relative precision.
    first : ndarray of shape (3, J)
        Derivatives with respect to the threshold and the two parameters.
    second : ndarray of shape (3, 3, J)
        Second derivatives.
    """

    above: FloatArray
    below: FloatArray
    first: FloatArray
    second: FloatArray


class CurveModel(ABC):
    """A family of ROC curves with two parameters."""

    key: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]
    names: ClassVar[tuple[str, str]] = "a", "b"
    """Names of the parameters."""

    @abstractmethod
    def shares(self, t: FloatArray, theta: Pair) -> tuple[FloatArray, FloatArray]:
        """Return the proportions of positives and of negatives above thresholds."""

    @abstractmethod
    def classes(self, t: FloatArray, theta: Pair) -> tuple[Share, Share]:
        """Return the proportions of positives and of negatives with all derivatives."""

    def allows(self, theta: Pair) -> bool:
        """Return whether the parameters are within their bounds: the second is positive."""
        return theta[1] > 0.0 and all(map(math.isfinite, theta))

    def domain(self, theta: Pair) -> Pair:  # noqa: ARG002
        """Return the lower and upper bound of the thresholds."""
        return -math.inf, math.inf

    @abstractmethod
    def starts(self, a: float, b: float, auc: float) -> Sequence[Pair]:
        """Return starting values from an approximate binormal curve and the AUC."""

    @abstractmethod
    def auc(self, theta: Pair) -> float:
        """Return the area under the curve in closed form."""

    def latent_scale(self, theta: Pair) -> Pair:
        """Return a and b for which b t - a is standard normal among positives with a signal."""
        return theta

    def edges(self, steps: int, theta: Pair) -> FloatArray:
        """Return increasing thresholds, equally spaced on the scales of both classes."""
        (a, b), (low, high) = self.latent_scale(theta), self.domain(theta)
        z = np.linspace(-10.0, 10.0, steps + 1)
        t = np.unique(np.concatenate((z, (a + z) / b)))
        t = t[(t > low) & (t < high)]
        return np.concatenate(([low] * math.isfinite(low), t, [high] * math.isfinite(high)))


def _normal(u: FloatArray, first: Sequence[object], second: object = None) -> Share:
    """Return the normal distribution function of a function of the threshold and the parameters.

    The derivatives of its argument u are constants or arrays.
    """
    density = np.asarray(np.exp(-0.5 * u * u) / _ROOT_OF_TAU)
    d = np.array([np.broadcast_to(np.asarray(x, dtype=float), u.shape) for x in first])
    with np.errstate(over="ignore", invalid="ignore"):
        outer = -u * density * d[:, None] * d[None, :]
        if second is not None:
            outer = outer + density * np.asarray(second)
        slopes = density * d
    if not density.all():  # beyond 38 standard deviations the density underflows
        underflow = density == 0.0
        slopes[:, underflow] = 0.0
        outer[:, :, underflow] = 0.0
    return Share(special.ndtr(u), special.ndtr(-u), slopes, outer)


class Binormal(CurveModel):
    """Negatives N(0, 1), positives N(a/b, 1/b^2)."""

    key = "binormal"
    title = "binormal"
    reference = "Dorfman and Alf 1969, Journal of Mathematical Psychology 6:487-496"

    def shares(self, t: FloatArray, theta: Pair) -> tuple[FloatArray, FloatArray]:
        """Return the proportions above thresholds."""
        a, b = theta
        return special.ndtr(a - b * t), special.ndtr(-t)

    def classes(self, t: FloatArray, theta: Pair) -> tuple[Share, Share]:
        """Return the proportions with all derivatives."""
        a, b = theta
        mixed = np.zeros((3, 3, t.size))
        mixed[0, 2] = mixed[2, 0] = -1.0
        return _normal(a - b * t, (-b, 1.0, -t), mixed), _negatives(t)

    def starts(self, a: float, b: float, auc: float) -> Sequence[Pair]:  # noqa: ARG002
        """Return the approximate curve."""
        return [(a, b)]

    def auc(self, theta: Pair) -> float:
        """Return the area under the curve."""
        a, b = theta
        return float(special.ndtr(a / math.hypot(1.0, b)))


def _negatives(t: FloatArray) -> Share:
    """Return the proportion of N(0, 1) above thresholds."""
    return _normal(-t, (-1.0, 0.0, 0.0))


class Contaminated(CurveModel):
    """Negatives N(0, 1); positives N(mu, 1) with probability alpha, otherwise N(0, 1)."""

    key = "contaminated"
    title = "contaminated binormal"
    reference = "Dorfman and Berbaum 2000, Academic Radiology 7:427-437"
    names: ClassVar[tuple[str, str]] = ("mu", "alpha")

    def shares(self, t: FloatArray, theta: Pair) -> tuple[FloatArray, FloatArray]:
        """Return the proportions above thresholds."""
        mu, alpha = theta
        return (1.0 - alpha) * special.ndtr(-t) + alpha * special.ndtr(mu - t), special.ndtr(-t)

    def classes(self, t: FloatArray, theta: Pair) -> tuple[Share, Share]:
        """Return the proportions with all derivatives."""
        mu, alpha = theta
        neg = _negatives(t)
        signal = _normal(mu - t, (-1.0, 1.0, 0.0))
        parts = [(1.0 - alpha) * x + alpha * y for x, y in zip(neg, signal, strict=True)]
        pos = Share(*parts)
        pos.first[2] = signal.above - neg.above
        by_alpha = signal.first - neg.first
        pos.second[2] += by_alpha
        pos.second[:, 2] += by_alpha
        return pos, neg

    def allows(self, theta: Pair) -> bool:
        """Return whether mu is positive and alpha in (0, 1]."""
        mu, alpha = theta
        return 0.0 < mu < math.inf and 0.0 < alpha <= 1.0

    def starts(self, a: float, b: float, auc: float) -> Sequence[Pair]:  # noqa: ARG002
        """Return parameters of curves of about the same area for several alpha."""
        values = []
        for alpha in (0.3, 0.6, 0.9):
            area = min(max((auc - 0.5 * (1.0 - alpha)) / alpha, 0.55), 0.995)
            values.append((math.sqrt(2.0) * float(special.ndtri(area)), alpha))
        return values

    def auc(self, theta: Pair) -> float:
        """Return the area under the curve."""
        mu, alpha = theta
        return float(0.5 * (1.0 - alpha) + alpha * special.ndtr(mu / math.sqrt(2.0)))

    def latent_scale(self, theta: Pair) -> Pair:
        """Return mu and 1."""
        return theta[0], 1.0


class Proper(CurveModel):
    r"""The binormal model with the likelihood ratio as decision variable; the curve is concave.

    The likelihood ratio has its extremum at :math:`x_0 = ab/(b^2 - 1)`. The scores with a
    likelihood ratio above a value lie above a threshold t or below its mirror image
    :math:`2 x_0 - t` if b < 1, and between the two if b > 1.
    """

    key = "proper"
    title = "proper binormal"
    reference = "Metz and Pan 1999, Journal of Mathematical Psychology 43:1-33"

    @staticmethod
    def _gap(b: float) -> float:
        """Return b^2 - 1, bounded away from 0, where the mirror image is at infinity."""
        gap = (b - 1.0) * (b + 1.0)
        return gap if abs(gap) > 1e-7 else math.copysign(1e-7, gap)

    def domain(self, theta: Pair) -> Pair:
        """Return the range of thresholds on one side of the extremum of the likelihood ratio."""
        a, b = theta
        gap = self._gap(b)
        centre = a * b / gap
        return (-math.inf, centre) if gap > 0.0 else (centre, math.inf)

    def shares(self, t: FloatArray, theta: Pair) -> tuple[FloatArray, FloatArray]:
        """Return the proportions above values of the likelihood ratio."""
        a, b = theta
        gap = self._gap(b)
        mirrored, sign = 2.0 * a * b / gap - t, math.copysign(1.0, gap)
        neg = special.ndtr(-t) - sign * special.ndtr(-sign * mirrored)
        pos = special.ndtr(a - b * t) - sign * special.ndtr(sign * (a - b * mirrored))
        return np.maximum(pos, 0.0), np.maximum(neg, 0.0)

    def classes(self, t: FloatArray, theta: Pair) -> tuple[Share, Share]:
        """Return the proportions with all derivatives."""
        a, b = theta
        gap = self._gap(b)
        centre, by_a = a * b / gap, b / gap
        by_b = -a * (b * b + 1.0) / gap**2
        by_ab = -(b * b + 1.0) / gap**2
        by_bb = a * (2.0 * b**3 + 6.0 * b) / gap**3
        v = 2.0 * centre - t
        second = np.zeros((3, 3, t.size))
        second[1, 2] = second[2, 1] = 2.0 * by_ab
        second[2, 2] = 2.0 * by_bb
        slopes = (-1.0, 2.0 * by_a, 2.0 * by_b)
        pos_second = b * second
        pos_second[0, 2] = pos_second[2, 0] = -1.0
        pos_second[1, 2] += 2.0 * by_a
        pos_second[2, 1] += 2.0 * by_a
        pos_second[2, 2] += 4.0 * by_b
        pos_slopes = (-b, 2.0 * b * by_a - 1.0, v + 2.0 * b * by_b)
        mixed = np.zeros((3, 3, t.size))
        mixed[0, 2] = mixed[2, 0] = -1.0
        pos = _normal(a - b * t, (-b, 1.0, -t), mixed), _normal(b * v - a, pos_slopes, pos_second)
        neg = _negatives(t), _normal(v, slopes, second)
        return _two_sided(*pos, between=gap > 0.0), _two_sided(*neg, between=gap > 0.0)

    def starts(self, a: float, b: float, auc: float) -> Sequence[Pair]:
        """Return the approximate curve, and two with nearly equal variances."""
        a = max(a, 0.05)
        equal = max(math.sqrt(2.0) * float(special.ndtri(min(max(auc, 0.52), 0.995))), 0.05)
        return [(a, b), (equal, 0.9), (equal, 1.1)]

    def auc(self, theta: Pair) -> float:
        r"""Return the area under the curve.

        The sum of a normal and twice a bivariate normal probability in Metz and Pan equals
        :math:`1 - 2 T(a/\sqrt{1 + b^2}, 2b/|1 - b^2|)`.
        """
        a, b = theta
        ratio = 2.0 * b / abs(self._gap(b))
        return float(1.0 - 2.0 * special.owens_t(a / math.hypot(1.0, b), ratio))


def _two_sided(upper: Share, lower: Share, *, between: bool) -> Share:
    """Return the proportion above one threshold or below another, or between the two."""
    if between:
        above, below = upper.above - lower.below, upper.below + lower.below
    else:
        above, below = upper.above + lower.above, upper.below - lower.above
    return Share(above, below, upper.first + lower.first, upper.second + lower.second)


_MAX_STEPS = 200

_TOLERANCE = 1e-11
"""Predicted increase of the log-likelihood per row below which the search ends."""


class Information(NamedTuple):
    """The negative Hessian: tridiagonal in the thresholds, with a border for the parameters.

    Parameters
    ----------
    diagonal, off_diagonal : ndarray of shape (J,) and (J - 1,)
        Block of the thresholds.
    border : ndarray of shape (J, 2)
        Thresholds by parameters.
    corner : ndarray of shape (2, 2)
        Block of the parameters.
    """

    diagonal: FloatArray
    off_diagonal: FloatArray
    border: FloatArray
    corner: FloatArray

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve a linear system with the block of the thresholds."""
        # Imported on use, because scipy.linalg is slow to import.
        from scipy.linalg import solveh_banded

        band = np.zeros((2, self.diagonal.size))
        band[0, 1:] = self.off_diagonal
        band[1] = self.diagonal
        solved: FloatArray = solveh_banded(band, right)
        return solved


Step = tuple[float, FloatArray, FloatArray, Information]
"""The log-likelihood at one point, its gradients in the thresholds and in the parameters, and the
observed information."""


def probabilities_of(share: Share) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the probabilities of the K categories of one class, and their derivatives.

    The second array, of shape (K + 1,), is the derivative of the proportion above each threshold, 0
    at both ends; the third, of shape (2, K), contains the derivatives by the parameters.
    """
    above = np.concatenate(([1.0], share.above, [0.0]))
    below = np.concatenate(([0.0], share.below, [1.0]))
    p = np.where(above[:-1] < 0.5, above[:-1] - above[1:], below[1:] - below[:-1])
    first = np.pad(share.first, ((0, 0), (1, 1)))
    return p, first[0], first[1:, :-1] - first[1:, 1:]


def loglik(counts: FloatArray, model: CurveModel, t: FloatArray, theta: Pair) -> float:
    """Return the log-likelihood; minus infinity if an observed category has probability 0."""
    total = 0.0
    for m, share in zip(counts, model.classes(t, theta), strict=True):
        p = probabilities_of(share)[0][m > 0]
        if not (p > 0.0).all():
            return -np.inf
        total += float(np.dot(m[m > 0], np.log(p)))
    return total


def derivatives_at(counts: FloatArray, model: CurveModel, t: FloatArray, theta: Pair) -> Step:
    """Return the log-likelihood with its gradient and information."""
    j = t.size
    value, gradient_t, gradient = 0.0, np.zeros(j), np.zeros(2)
    diagonal, off_diagonal = np.zeros(j), np.zeros(max(j - 1, 0))
    border, corner = np.zeros((j, 2)), np.zeros((2, 2))
    for m, share in zip(counts, model.classes(t, theta), strict=True):
        p, cut, by = probabilities_of(share)
        observed = m > 0
        safe = np.where(observed, p, 1.0)
        value += float(np.dot(m, np.log(safe)))
        ratio, weight = m / safe, m / safe / safe
        jump = np.diff(ratio)
        inner = cut[1:-1]
        gradient_t += jump * inner
        gradient += np.dot(by, ratio)
        second = share.second
        diagonal += (weight[1:] + weight[:-1]) * inner**2 - jump * second[0, 0]
        off_diagonal -= weight[1:-1] * inner[:-1] * inner[1:]
        cross = weight * by
        border += (inner * np.diff(cross) - jump * second[0, 1:]).T
        corner += np.dot(cross, by.T) - np.dot(second[1:, 1:], jump)
    return value, gradient_t, gradient, Information(diagonal, off_diagonal, border, corner)


class NoMaximumError(Exception):
    """The likelihood has no maximum; the search stopped at `theta`."""

    def __init__(self, theta: Pair) -> None:
        super().__init__(theta)
        self.theta = theta


class Maximum(NamedTuple):
    """The maximum of the likelihood."""

    theta: Pair
    cuts: FloatArray
    loglik: float
    information: Information
    efficient: FloatArray
    """Efficient information of the parameters, with unknown thresholds, shape (2, 2).

    For a fixed parameter the diagonal is 1 and the other entries are 0."""
    fixed: tuple[bool, bool]
    """Whether each parameter was fixed at its starting value."""
    solved: FloatArray
    """Inverse information of the thresholds times the border, shape (J, 2)."""
    gradient: FloatArray
    """Derivatives with respect to the parameters: 0 unless a parameter is fixed, shape (2,)."""


def cuts_at(counts: FloatArray, model: CurveModel, theta: Pair) -> FloatArray:
    """Return thresholds for which the expected category proportions equal the observed ones."""
    beyond = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    totals = beyond[:, 0]
    # Half an observation is added at both ends, so that the outer thresholds are finite.
    targets = (beyond[:, 1:].sum(axis=0) + 0.5) / (totals.sum() + 1.0) * totals.sum()
    low, high = model.domain(theta)

    def beyond_targets(t: FloatArray) -> BoolArray:
        pos, neg = model.shares(t, theta)
        return np.asarray(totals[0] * pos + totals[1] * neg > targets)

    low, high = max(low, -40.0), min(high, 40.0)
    lower, upper = (np.full(targets.size, end) for end in (low, high))
    return special.bisected(beyond_targets, lower, upper, 60)


def approximate_curve(counts: FloatArray) -> tuple[float, float, float]:
    """Return a and b of a line fitted to the operating points on probit axes, and the AUC."""
    beyond = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    totals = beyond[:, :1]
    pos, neg = special.ndtri((beyond[:, 1:] + 0.5) / (totals + 1.0))
    above = beyond[0] - counts[0] / 2.0
    auc = float(np.dot(above, counts[1]) / totals.prod())
    weight = counts.sum(axis=0)
    weight = weight[1:] + weight[:-1]
    weight = weight / weight.sum()
    centre = [float(np.dot(weight, x)) for x in (pos, neg)]
    pairs = zip((pos, neg), centre, strict=True)
    spread = [float(np.sqrt(np.dot(weight, (x - c) ** 2))) for x, c in pairs]
    b = min(max(spread[0] / spread[1], 0.2), 5.0) if min(spread) > 0.0 else 1.0
    return centre[0] - b * centre[1], b, auc


def maximize(
    counts: FloatArray, model: CurveModel, start: Pair, free: tuple[bool, bool] = (True, True)
) -> Maximum:
    """Return the maximum of the likelihood by Newton's method.

    Every step increases the likelihood. To this end the block of the thresholds is made positive
    definite if necessary, and the absolute eigenvalues of the Schur complement are used for the
    parameters.

    Raises
    ------
    NoMaximumError
        If no maximum is found.
    """
    theta, t = start, cuts_at(counts, model, start)
    converged = False
    for _ in range(_MAX_STEPS):
        step = derivatives_at(counts, model, t, theta)
        value, _, gradient, information = step
        direction = _direction(step, free)
        if direction is None:
            break
        before, converged = converged, direction.is_last(theta, counts.sum())
        if before and converged:
            fixed = not free[0], not free[1]
            efficient, solved = direction.efficient, direction.solved
            return Maximum(theta, t, value, information, efficient, fixed, solved, gradient)
        size = 1.0
        while size > 1e-10:
            theta_new, t_new = direction.moved(theta, t, size)
            if _allowed(model, theta_new, t_new):
                new = loglik(counts, model, t_new, theta_new)
                noise = 1e-12 * abs(value)
                if converged or new >= value + 1e-4 * size * direction.gain - noise:
                    break
            size /= 2.0
        else:
            break
        theta, t = theta_new, t_new
    raise NoMaximumError(theta)


class _Direction(NamedTuple):
    """A step of Newton's method."""

    theta: FloatArray
    t: FloatArray
    gain: float
    """Predicted increase of the log-likelihood."""
    efficient: FloatArray
    solved: FloatArray
    well_conditioned: bool
    """Whether the information matrix is positive definite and well conditioned."""

    def is_last(self, theta: Pair, rows: float) -> bool:
        """Return whether the search has converged.

        If the likelihood is flat, the predicted increase is small although the step is long, so
        that the length of the step is checked as well.
        """
        short = bool((np.abs(self.theta) < 1e-4 * (1.0 + np.abs(theta))).all())
        return self.well_conditioned and short and self.gain < _TOLERANCE * rows

    def moved(self, theta: Pair, t: FloatArray, size: float) -> tuple[Pair, FloatArray]:
        """Return parameters and thresholds after a fraction of the step."""
        moved = theta[0] + size * float(self.theta[0]), theta[1] + size * float(self.theta[1])
        return moved, t + size * self.t


def _direction(step: Step, free: tuple[bool, bool]) -> _Direction | None:
    """Return the step of Newton's method; None if the information matrix is not usable."""
    _, gradient_t, gradient, info = step
    try:
        solved = info.solve(np.column_stack((info.border, gradient_t)))
        usable = info
    except np.linalg.LinAlgError:
        beside = np.abs(info.off_diagonal)
        dominant = np.abs(info.diagonal) + 2.0 * (np.append(beside, 0.0) + np.append(0.0, beside))
        usable = info._replace(diagonal=dominant)
        solved = usable.solve(np.column_stack((usable.border, gradient_t)))
    efficient = usable.corner - np.dot(usable.border.T, solved[:, :2])
    residual = gradient - np.dot(usable.border.T, solved[:, 2])
    for i in np.flatnonzero(~np.array(free)).tolist():
        residual[i] = efficient[i, :] = efficient[:, i] = 0.0
        efficient[i, i] = 1.0
    if not (np.isfinite(efficient).all() and efficient.any()):
        return None
    values, vectors = np.linalg.eigh(efficient)
    sizes = np.maximum(np.abs(values), 1e-8 * np.abs(values).max())
    theta = np.dot(vectors, np.dot(vectors.T, residual) / sizes)
    t = solved[:, 2] - np.dot(solved[:, :2], theta)
    gain = float(np.dot(theta, gradient) + np.dot(t, gradient_t))
    well_conditioned = usable is info and bool(values.min() > 1e-7 * values.max())
    return _Direction(theta, t, gain, efficient, solved[:, :2], well_conditioned)


def _allowed(model: CurveModel, theta: Pair, t: FloatArray) -> bool:
    """Return whether parameters and thresholds are within bounds and thresholds increase."""
    if not model.allows(theta) or not np.isfinite(t).all():
        return False
    low, high = model.domain(theta)
    return bool(low < t[0] and t[-1] < high and (np.diff(t) > 0.0).all())


MAX_UNMERGED = 50
"""Largest number of categories of which none are merged (see `categories_of`)."""

EMPIRICAL = "the empirical curve: pauci.estimate(sample, measure)"
"""Alternative to a fit, for the hints of errors."""


class Categories(NamedTuple):
    """Counts from the lowest category to the highest.

    Parameters
    ----------
    counts : ndarray of shape (2, K)
        Positives and negatives; no category is empty.
    category_of_group : ndarray of shape (tie groups,)
        The category of each tie group of the table, in decreasing order of the score.
    thresholds : list
        The lowest score above each boundary, on the scale of the data.
    merged : bool
        Whether adjacent categories were merged.
    """

    counts: FloatArray
    category_of_group: IntArray
    thresholds: list[Any]
    merged: bool


def categories_of(table: CountTable, scale: float) -> Categories:
    """Return the categories of a table; masses are multiplied by `scale`.

    Adjacent categories that contain only positives, or only negatives, can be merged: the division
    of their joint probability has its own parameter, so that the curve and its information do not
    change (Metz, Herman and Shen 1998).
    """
    groups = np.array([table.pos, table.neg], dtype=float)[:, ::-1]
    filled: BoolArray = np.asarray(groups.any(axis=0))
    starts = filled.copy()
    starts[int(np.argmax(filled))] = False
    merged = int(filled.sum()) > MAX_UNMERGED
    if merged:
        at = np.flatnonzero(filled)
        kind = (groups[0, at] > 0) * 2 + (groups[1, at] > 0)
        starts[at[1:]] = (kind[1:] != kind[:-1]) | (kind[1:] == 3)
    index = np.cumsum(starts)
    counts = np.array([np.bincount(index, g) for g in groups]) * scale
    lowest = np.flatnonzero(starts)
    thresholds = [table.threshold(groups.shape[1] - 1 - i) for i in lowest.tolist()]
    return Categories(counts, np.asarray(index[::-1]), thresholds, merged)


def _points(counts: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return counts above each boundary, rounding tolerances, and which counts are inside."""
    beyond = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    totals = beyond[:, :1]
    edge, beyond = 1e-12 * totals, beyond[:, 1:]
    return beyond, edge[:, 0], (beyond > edge) & (beyond < totals - edge)


def check_points(name: str, counts: FloatArray, title: str) -> None:
    """Raise an error if no operating point lies strictly inside the unit square."""
    beyond, _, inside = _points(counts)
    totals = counts.sum(axis=1)
    n_categories, reason = counts.shape[1], ""
    separated = [
        words
        for words, a, b in (("above", 0, 1), ("below", 1, 0))
        if ((beyond[a] >= totals[a] * (1.0 - 1e-12)) & (beyond[b] <= totals[b] * 1e-12)).any()
    ]
    if n_categories < 3:
        reason = "all scores are equal" if n_categories < 2 else "the scores are in two categories"
        reason += f", but a {title} curve, which has two parameters, requires scores in at least "
        reason += "three categories."
    elif separated:
        reason = f"the scores separate the classes, as all positives lie {separated[0]} all "
        reason += f"negatives. A {title} curve through the corner has no finite parameters."
    elif not (inside[0] & inside[1]).any():
        reason = "every operating point lies on a side of the unit square, because at most one "
        reason += f"category contains both classes. A {title} curve has no finite parameters then."
    if reason:
        raise UndefinedError(f"{name}: {reason}", hint=f"Use {EMPIRICAL}.")


def check_line(name: str, counts: FloatArray, title: str) -> None:
    """Raise an error if the inner operating points lie on a horizontal or a vertical line.

    The likelihood of the binormal curve then approaches its supremum as the curve approaches line
    segments (Dorfman and Berbaum 1995).
    """
    beyond, edge, inside = _points(counts)
    for axis, other_axis, rate in ((0, 1, "TPR"), (1, 0, "FPR")):
        at = beyond[axis][inside[other_axis]]
        if at.size == 0 or at.max() - at.min() <= edge[axis]:
            missing = "positives" if rate == "TPR" else "negatives"
            problem = f"{name}: all operating points inside the unit square have the same {rate}, "
            problem += f"as categories between them contain no {missing}. The {title} likelihood "
            problem += "then has no maximum: it increases as the curve approaches straight lines."
            raise UndefinedError(problem, hint=f"Use pauci.fit_contaminated, or {EMPIRICAL}.")


_STEPS = 4_000


def with_midpoints(edges: FloatArray) -> FloatArray:
    """Return increasing thresholds with the midpoints between them."""
    result = np.empty(2 * edges.size - 1)
    result[::2] = edges
    result[1::2] = (edges[1:] + edges[:-1]) / 2.0
    return result


def curve_between(
    edges: FloatArray,
    pos: FloatArray,
    neg: FloatArray,
    totals: tuple[float, float] = (1.0, 1.0),
    rows: tuple[int, int] | None = None,
    *,
    fixed_prevalence: bool = False,
) -> Curve:
    """Return the curve through the operating points at thresholds, the highest first.

    `pos` and `neg` are the proportions above the thresholds, and `totals` the class weights.
    """
    scores = np.append(edges, -np.inf)
    above_pos = np.concatenate(([0.0], pos * totals[0], [totals[0]]))
    above_neg = np.concatenate(([0.0], neg * totals[1], [totals[1]]))
    counted = above_pos, above_neg, *(rows or (scores.size, scores.size))
    return Curve(CountTable(scores, *counted, fixed_prevalence=fixed_prevalence))


def extrapolated_value(
    measure: Measure, edges: FloatArray, curve_at: Callable[[FloatArray], Curve], halvings: int = 1
) -> float:
    """Return the value of a measure on a smooth curve by Richardson extrapolation."""
    values = []
    for _ in range(halvings + 1):
        values.append(measure.on(curve_at(edges)))
        edges = with_midpoints(edges)
    factor = 2.0
    while len(values) > 1:
        values = [(factor * fine - coarse) / (factor - 1.0) for coarse, fine in pairwise(values)]
        factor *= 2.0
    return float(measure.range.clip(values[0]))


class SmoothCurve(NamedTuple):
    """The curve of a model for given parameters and sample sizes.

    Parameters
    ----------
    model : CurveModel
        The family of curves.
    theta : tuple of two float
        Parameters of the model.
    prevalence : float
        Proportion of positives.
    rows : tuple of two int
        Numbers of positives and negatives.
    fixed_prevalence : bool
        Whether the proportion of positives is fixed by design.
    """

    model: CurveModel
    theta: Pair
    prevalence: float
    rows: tuple[int, int]
    fixed_prevalence: bool

    def value(self, measure: Measure) -> float:
        """Return the value of a measure on this curve, with an error of about 1e-8."""
        measure = measure.estimand
        return extrapolated_value(measure, self._edges(measure), self._curve, halvings=2)

    def curve(self, measure: Measure) -> Curve:
        """Return a fine polyline with points at the ends of the region of a measure."""
        return self._curve(with_midpoints(self._edges(measure.estimand)))

    def at(self, rates: FloatArray, which: int) -> FloatArray:
        """Return thresholds with given proportions of a class (0: positives) above them."""
        low, high = self.model.domain(self.theta)
        reach = 60.0 / min([1.0, *(p for p in self.theta if p > 0.0)])
        low, high = max(low, -reach), min(high, reach)
        lower, upper = (np.full(rates.size, end) for end in (low, high))
        shares = partial(self.model.shares, theta=self.theta)
        return special.bisected(lambda t: shares(t)[which] > rates, lower, upper, 80)

    def _edges(self, measure: Measure) -> FloatArray:
        """Return a fine grid of thresholds that contains the ends of all regions."""
        ends: dict[str, list[float]] = {"tpr": [], "fpr": []}
        for region in measure.regions:
            for end in region.rate_ends:
                ends[end.axis].append(float(end.rate))
        grids = [self.model.edges(_STEPS, self.theta)]
        for which, rates in enumerate(ends.values()):
            inside = [r for r in rates if 0.0 < r < 1.0]
            if inside:
                grids.append(self.at(np.array(inside), which))
        return np.unique(np.concatenate(grids))

    def _curve(self, edges: FloatArray) -> Curve:
        decreasing = edges[::-1]
        totals = self.prevalence, 1.0 - self.prevalence
        pos, neg = self.model.shares(decreasing, self.theta)
        # Rounding errors must not make a proportion decrease as the threshold decreases.
        pos, neg = (np.maximum.accumulate(np.minimum(x, 1.0)) for x in (pos, neg))
        return curve_between(
            decreasing, pos, neg, totals, self.rows, fixed_prevalence=self.fixed_prevalence
        )
