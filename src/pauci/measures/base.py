"""What a measure is, and the registry of all of them.

A measure is a small frozen object. It says what it is called and what values it can take, and
turns a piece of a curve into a value and into influence values, from which every standard error
in this package follows. The region is part of the measure.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from pauci.curve import Curve
from pauci.region import Bounds, Piece, Region
from pauci.validate import FloatArray

M = TypeVar("M", bound="type[Measure]")

REGISTRY: dict[str, "type[Measure]"] = {}
"""Every measure by the key that the command line uses."""


class Influence(NamedTuple):
    """First-order effect of one observation, by tie group; constants within a class do not count.

    Parameters
    ----------
    pos, neg : ndarray of shape (L,), L <= K
        Influence of a positive and of a negative in each tie group, best group first. Groups past
        the last entry have the value of the last entry, so that a short region costs little.
    prevalence : float
        Derivative of the measure by the prevalence.
    """

    pos: FloatArray
    neg: FloatArray
    prevalence: float = 0.0


class Measure(ABC):
    """Base class of all measures."""

    key: ClassVar[str]
    symbol: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]] = ()
    """How the region of this measure can be given: "fpr", "tpr", "threshold", "both"."""

    scalar: ClassVar[str | None] = None
    """The argument that is a single FPR or TPR rather than a region, if there is one."""

    @property
    def place(self) -> str:
        """The region in words, empty for the whole curve."""
        return str(self.region) if self.kinds or self.scalar else ""

    @property
    @abstractmethod
    def region(self) -> Region:
        """The part of the curve that the measure looks at."""

    @property
    @abstractmethod
    def range(self) -> Bounds:
        """Smallest and largest value that the measure can take."""

    @abstractmethod
    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the estimate on a piece of an empirical curve."""

    @abstractmethod
    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of a positive and of a negative in each tie group."""

    @abstractmethod
    def pairs(self, n_pos: int, n_neg: int) -> float:
        """Return how many disjoint positive-negative pairs inform the measure.

        They bound what data without any visible error can exclude (Hoeffding 1963): see
        `pauci.interval`.
        """

    def __repr__(self) -> str:
        options = (
            f"{f.name}={_plain(getattr(self, f.name))}"
            for f in fields(self)  # type: ignore[arg-type]  # every measure is a dataclass
            if f.init and getattr(self, f.name) != f.default
        )
        return f"{type(self).__name__}({', '.join(options)})"


def combine(parts: Sequence[Influence], weights: Sequence[float]) -> Influence:
    """Return a weighted sum of influences, whose arrays may end at different groups."""
    sums = []
    for arrays in ([part.pos for part in parts], [part.neg for part in parts]):
        total = np.zeros(max(a.size for a in arrays))
        for array, weight in zip(arrays, weights, strict=True):
            total[: array.size] += weight * array
            total[array.size :] += weight * array[-1]
        sums.append(total)
    slope = sum(w * part.prevalence for part, w in zip(parts, weights, strict=True))
    return Influence(sums[0], sums[1], slope)


def register(cls: M) -> M:
    """Enter a measure in the registry under its key."""
    if cls.key in REGISTRY:
        raise ValueError(f"two measures have the key {cls.key!r}")
    REGISTRY[cls.key] = cls
    return cls


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_plain(v) for v in value)})"
    return f"{value:.10g}" if isinstance(value, float) else repr(value)
