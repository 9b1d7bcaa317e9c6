r"""Rules that choose a cut-off, as functions of cumulative counts.

Entry k of the cumulative counts, k = 0..K, is the cut-off at which the first k tie groups are
called positive, best score first. At entry 0 no row is called positive. A rule returns the entry
that it chooses, for one table of counts or for many at once (along the last axis), which makes
cross-fitting fast.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.curve.largest import first_largest

_ROUNDING = 1e-9
"""Relative distance of a rate from a limit that it reaches except for rounding."""


def rates(cum: FloatArray) -> FloatArray:
    """Return cumulative counts divided by their total, along the last axis."""
    return np.asarray(cum / cum[..., -1:])


class Rule(ABC):
    """A rule that chooses an entry of the cumulative counts of positives and of negatives."""

    order_of_optimism: ClassVar[float] = 1.0
    """The optimism in n observations is of order n to minus this power."""

    fixed_rate: ClassVar[str] = ""
    """The name of the rate that the rule fixes, if it fixes one."""

    @abstractmethod
    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the chosen entry, along the last axis."""

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries.

        A rate changes in one direction, so the entry is beside the one that `entry` returns, or
        beside an entry with equally many rows.
        """
        called = cum_pos + cum_neg
        chosen = np.take_along_axis(called, self.entry(cum_pos, cum_neg)[..., None], -1)
        below = called[..., :-1] <= chosen * (1.0 + _ROUNDING)
        return np.asarray(below & (called[..., 1:] >= chosen * (1.0 - _ROUNDING)))


@dataclass(frozen=True)
class AtSpecificity(Rule):
    """The lowest cut-off whose specificity is at least `rate`."""

    fixed_rate: ClassVar[str] = "specificity"

    rate: float

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the last entry that reaches the specificity, at a score of the counted rows.

        Between two of their scores there may be scores of rows that were left out. A cut-off there
        would depend on them: it would be the lowest one above the next negative that is counted.
        """
        reached = 1.0 - rates(cum_neg) >= self.rate * (1.0 - _ROUNDING)
        last = reached.sum(axis=-1, keepdims=True) - 1
        called = cum_pos + cum_neg
        fewer = called < np.take_along_axis(called, last, -1) * (1.0 - _ROUNDING)
        return np.asarray(fewer.sum(axis=-1))


@dataclass(frozen=True)
class AtSensitivity(Rule):
    """The highest cut-off whose sensitivity is at least `rate`."""

    fixed_rate: ClassVar[str] = "sensitivity"

    rate: float

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:  # noqa: ARG002
        """Return the first entry that reaches the sensitivity."""
        return np.asarray((rates(cum_pos) >= self.rate * (1.0 - _ROUNDING)).argmax(axis=-1))


@dataclass(frozen=True)
class EqualRates(Rule):
    """The cut-off whose sensitivity and specificity are closest to each other."""

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the first entry with the smallest difference."""
        return first_largest(-np.abs(rates(cum_pos) + rates(cum_neg) - 1.0))

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries."""
        gap = rates(cum_pos) + rates(cum_neg) - 1.0
        nearest = np.maximum(np.maximum(gap[..., :-1], -gap[..., 1:]), 0.0)
        return np.asarray(nearest <= np.abs(gap).min(axis=-1, keepdims=True) + _ROUNDING)


@dataclass(frozen=True)
class Criterion:
    """A function of a point of the curve, which increases in the TPR and decreases in the FPR.

    Parameters
    ----------
    value, slopes : callable
        Functions of TPR, FPR and the proportion of positives: the value, and the derivatives with
        respect to FPR and TPR.
    share : float, optional
        The proportion of positives if it is known; otherwise it is that of the data.
    of_share : bool, default False
        Whether the criterion depends on the proportion of positives.
    """

    value: Callable[[Any, Any, Any], Any]
    slopes: Callable[[Any, Any, Any], tuple[Any, Any]]
    share: float | None = None
    of_share: bool = False

    @property
    def share_is_estimated(self) -> bool:
        """Whether the criterion depends on a proportion of positives that is estimated."""
        return self.of_share and self.share is None

    def share_of(self, cum_pos: FloatArray, cum_neg: FloatArray) -> Any:
        """Return the proportion of positives, along the last axis."""
        if self.share is not None:
            return self.share
        return cum_pos[..., -1:] / (cum_pos[..., -1:] + cum_neg[..., -1:])

    def along(self, cum_pos: FloatArray, cum_neg: FloatArray) -> FloatArray:
        """Return the values at all entries; NaN where the criterion is undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.share_of(cum_pos, cum_neg)
            return np.asarray(self.value(rates(cum_pos), rates(cum_neg), share))


@dataclass(frozen=True)
class Maximize(Rule):
    """The highest cut-off with the largest value of a criterion."""

    order_of_optimism: ClassVar[float] = 2.0 / 3.0

    criterion: Criterion

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the first entry with the largest value."""
        values = self.criterion.along(cum_pos, cum_neg)
        return first_largest(np.where(np.isnan(values), -np.inf, values))

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries.

        The TPR at the second and the FPR at the first give an upper bound of the values between.
        """
        values = self.criterion.along(cum_pos, cum_neg)
        largest = np.where(np.isnan(values), -np.inf, values).max(axis=-1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.criterion.share_of(cum_pos, cum_neg)
            at = rates(cum_pos)[..., 1:], rates(cum_neg)[..., :-1]
            bound = np.asarray(self.criterion.value(*at, share))
            return np.asarray(~(bound < largest - _ROUNDING * np.maximum(np.abs(largest), 1.0)))
