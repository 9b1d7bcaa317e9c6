r"""Models of a smooth ROC curve: the survival functions of both classes and their derivatives.

Each model has two parameters, and one threshold for each boundary between categories. Only the
order of the scores is used. On the latent scale of a model the negatives are distributed N(0, 1).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray

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
    names: ClassVar[tuple[str, str]]
    """Names of the parameters."""

    @abstractmethod
    def shares(self, t: FloatArray, theta: Pair) -> tuple[FloatArray, FloatArray]:
        """Return the proportions of positives and of negatives above thresholds."""

    @abstractmethod
    def classes(self, t: FloatArray, theta: Pair) -> tuple[Share, Share]:
        """Return the proportions of positives and of negatives with all derivatives."""

    @abstractmethod
    def allows(self, theta: Pair) -> bool:
        """Return whether the parameters are within their bounds."""

    def domain(self, theta: Pair) -> Pair:  # noqa: ARG002
        """Return the lower and upper bound of the thresholds."""
        return -math.inf, math.inf

    @abstractmethod
    def starts(self, a: float, b: float, auc: float) -> Sequence[Pair]:
        """Return starting values from an approximate binormal curve and the AUC."""

    @abstractmethod
    def auc(self, theta: Pair) -> float:
        """Return the area under the curve in closed form."""

    @abstractmethod
    def edges(self, steps: int, theta: Pair) -> FloatArray:
        """Return a fine grid of thresholds in increasing order."""


class _Normal:
    """The normal distribution function of a function of the threshold and the parameters."""

    def __init__(self, u: FloatArray, first: Sequence[object], second: object = None) -> None:
        """Set the argument and its derivatives, which are constants or arrays."""
        self.u, density = u, np.asarray(np.exp(-0.5 * u * u) / _ROOT_OF_TAU)
        d = np.array([np.broadcast_to(np.asarray(x, dtype=float), u.shape) for x in first])
        with np.errstate(over="ignore", invalid="ignore"):
            outer = -u * density * d[:, None] * d[None, :]
            if second is not None:
                outer = outer + density * np.asarray(second)
            self.first = density * d
        if not density.all():  # beyond 38 standard deviations the density underflows
            underflow = density == 0.0
            self.first[:, underflow] = 0.0
            outer[:, :, underflow] = 0.0
        self.second = outer


class Binormal(CurveModel):
    """Negatives N(0, 1), positives N(a/b, 1/b^2)."""

    key = "binormal"
    title = "binormal"
    reference = "Dorfman and Alf 1969, Journal of Mathematical Psychology 6:487-496"
    names: ClassVar[tuple[str, str]] = ("a", "b")

    def shares(self, t: FloatArray, theta: Pair) -> tuple[FloatArray, FloatArray]:
        """Return the proportions above thresholds."""
        a, b = theta
        return special.ndtr(a - b * t), special.ndtr(-t)

    def classes(self, t: FloatArray, theta: Pair) -> tuple[Share, Share]:
        """Return the proportions with all derivatives."""
        a, b = theta
        mixed = np.zeros((3, 3, t.size))
        mixed[0, 2] = mixed[2, 0] = -1.0
        pos = _Normal(a - b * t, (-b, 1.0, -t), mixed)
        return _share(pos), _negatives(t)

    def allows(self, theta: Pair) -> bool:
        """Return whether b is positive."""
        return theta[1] > 0.0 and all(map(math.isfinite, theta))

    def starts(self, a: float, b: float, auc: float) -> Sequence[Pair]:  # noqa: ARG002
        """Return the approximate curve."""
        return [(a, b)]

    def auc(self, theta: Pair) -> float:
        """Return the area under the curve."""
        a, b = theta
        return float(special.ndtr(a / math.hypot(1.0, b)))

    def edges(self, steps: int, theta: Pair) -> FloatArray:
        """Return equally spaced thresholds on the scales of both classes."""
        a, b = theta
        z = np.linspace(-10.0, 10.0, steps + 1)
        return np.unique(np.concatenate((z, (a + z) / b)))


def _share(normal: _Normal) -> Share:
    return Share(special.ndtr(normal.u), special.ndtr(-normal.u), normal.first, normal.second)


def _negatives(t: FloatArray) -> Share:
    """Return the proportion of N(0, 1) above thresholds."""
    return _share(_Normal(-t, (-1.0, 0.0, 0.0)))


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
        signal = _share(_Normal(mu - t, (-1.0, 1.0, 0.0)))
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

    def edges(self, steps: int, theta: Pair) -> FloatArray:
        """Return equally spaced thresholds on the scales of both normal components."""
        z = np.linspace(-10.0, 10.0, steps + 1)
        return np.unique(np.concatenate((z, theta[0] + z)))


class Proper(CurveModel):
    r"""The binormal model with the likelihood ratio as decision variable; the curve is concave.

    The likelihood ratio has its extremum at :math:`x_0 = ab/(b^2 - 1)`. The scores with a
    likelihood ratio above a value lie above a threshold t or below its mirror image
    :math:`2 x_0 - t` if b < 1, and between the two if b > 1.
    """

    key = "proper"
    title = "proper binormal"
    reference = "Metz and Pan 1999, Journal of Mathematical Psychology 43:1-33"
    names: ClassVar[tuple[str, str]] = ("a", "b")

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
        mirrored = 2.0 * a * b / gap - t
        if gap > 0.0:
            neg = special.ndtr(-t) - special.ndtr(-mirrored)
            pos = special.ndtr(a - b * t) - special.ndtr(a - b * mirrored)
        else:
            neg = special.ndtr(-t) + special.ndtr(mirrored)
            pos = special.ndtr(a - b * t) + special.ndtr(b * mirrored - a)
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
        pos = _Normal(a - b * t, (-b, 1.0, -t), mixed), _Normal(b * v - a, pos_slopes, pos_second)
        neg = _Normal(-t, (-1.0, 0.0, 0.0)), _Normal(v, slopes, second)
        return _two_sided(*pos, between=gap > 0.0), _two_sided(*neg, between=gap > 0.0)

    def allows(self, theta: Pair) -> bool:
        """Return whether b is positive; -a gives the same curve as a."""
        return theta[1] > 0.0 and all(map(math.isfinite, theta))

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
        return float(
            1.0 - 2.0 * special.owens_t(a / math.hypot(1.0, b), 2.0 * b / abs(self._gap(b)))
        )

    def edges(self, steps: int, theta: Pair) -> FloatArray:
        """Return equally spaced thresholds on the scales of both classes, within the domain."""
        a, b = theta
        z = np.linspace(-10.0, 10.0, steps + 1)
        low, high = self.domain(theta)
        t = np.unique(np.concatenate((z, (a + z) / b)))
        t = t[(t > low) & (t < high)]
        return np.concatenate(([low] * math.isfinite(low), t, [high] * math.isfinite(high)))


def _two_sided(upper: _Normal, lower: _Normal, *, between: bool) -> Share:
    """Return the proportion above one threshold or below another, or between the two."""
    if between:
        above = special.ndtr(upper.u) - special.ndtr(-lower.u)
        below = special.ndtr(-upper.u) + special.ndtr(-lower.u)
    else:
        above = special.ndtr(upper.u) + special.ndtr(lower.u)
        below = special.ndtr(-upper.u) - special.ndtr(lower.u)
    return Share(above, below, upper.first + lower.first, upper.second + lower.second)
