"""Measures of the FROC curve: lesion sensitivity against false marks per case.

The rows are those of `pauci.sample.marks.froc_rows`: the negatives are a number of places in each
case, so that the false positive rate is the number of false marks per case divided by that number,
and the FROC curve is the ROC curve on another scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Bounds, Piece, Region
from pauci.measures.area import PAUC
from pauci.measures.base import Measure, Request
from pauci.measures.influence import Influence, combine
from pauci.measures.point import Sensitivity

BANDOS = "Bandos, Rockette, Song and Gur 2009, Biometrics 65:247-256"


CPM_POINTS = tuple(Fraction(2) ** k for k in range(-3, 4))
"""The numbers of false marks per image of the competition performance metric."""


def _text(false_marks: Fraction) -> str:
    """Return a number of false marks as a fraction of a small denominator, or as a decimal."""
    return str(false_marks) if false_marks.denominator <= 16 else f"{float(false_marks):.4g}"


def _per_image(false_marks: Fraction) -> str:
    """Return a number of false marks per image in words."""
    return f"{_text(false_marks)} false mark{'s' * (false_marks != 1)} per image"


@dataclass(frozen=True, eq=False, repr=False)
class LesionSensitivity(Sensitivity):
    """The fraction of lesions that are marked, at a number of false marks per case.

    Parameters
    ----------
    fpr : Fraction
        The number of false marks per case divided by `slots`.
    slots : int
        The number of places in each case.
    """

    key: ClassVar[str] = "lesion-sensitivity"
    symbol: ClassVar[str] = "lesion sensitivity"
    title: ClassVar[str] = "lesion sensitivity"

    slots: int = field(default=1, kw_only=True)

    @property
    def false_marks(self) -> Fraction:
        """The number of false marks per case."""
        return Fraction(self.region.rate_ends[0].rate) * self.slots

    @property
    def region_phrase(self) -> str:
        """The number of false marks in words."""
        return f"at {_per_image(self.false_marks)}"

    @property
    def label(self) -> str:
        """The sensitivity with the number of false marks, which tells the points apart."""
        return f"sensitivity at {_text(self.false_marks)}"

    def __repr__(self) -> str:
        return f"LesionSensitivity({_text(self.false_marks)})"


@dataclass(frozen=True, eq=False, repr=False)
class FrocSum(Measure):
    """A sum of measures of the FROC curve with a common weight.

    Parameters
    ----------
    members : tuple of Measure
        The measures.
    weight : float
        Their weight.
    symbol, title : str
        The names of the sum.
    """

    key: ClassVar[str] = "froc-sum"
    reference: ClassVar[str] = BANDOS
    has_region: ClassVar[bool] = False
    region: ClassVar[Region] = WHOLE

    members: tuple[Measure, ...]
    weight: float
    symbol: str  # type: ignore[misc]
    title: str  # type: ignore[misc]

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions of all members."""
        return tuple(region for m in self.members for region in m.regions)

    @property
    def smoothness(self) -> Literal["smooth", "quantile", "unknown"]:
        """Whether a member depends on an estimated threshold."""
        kinds = [m.smoothness for m in self.members]
        return "quantile" if "quantile" in kinds else "smooth"

    @property
    def known_ends(self) -> bool:
        """Whether the ends of all members are known."""
        return all(m.known_ends for m in self.members)

    @property
    def range(self) -> Bounds:
        """The weighted sums of the ends of the ranges."""
        return Bounds(
            self.weight * sum(m.range.low for m in self.members),
            self.weight * sum(m.range.high for m in self.members),
        )

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the weighted sum of the values."""
        return self.weight * sum(m.on(curve) for m in self.members)

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return the weighted sum of the influence values."""
        influences = [m.influence_on(curve) for m in self.members]
        return combine(influences, [self.weight] * len(influences))

    def requests(self) -> tuple[Request, ...]:
        """Return the requests of all members, of which each has one."""
        return tuple(request for m in self.members for request in m.requests())

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the values on resampled curves."""
        values: Sequence[Any] = [
            m.from_replicates(answer) for m, answer in zip(self.members, answers, strict=True)
        ]
        return np.asarray(self.weight * np.sum(values, axis=0))

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the smallest number of pairs."""
        return min(m.pairs(n_pos, n_neg) for m in self.members)

    def __repr__(self) -> str:
        return self.symbol


def froc_measures(
    false_marks: Sequence[Fraction], limit: Fraction, slots: int
) -> tuple[list[Measure], Measure, Measure]:
    """Return the lesion sensitivities, their average, and the area up to a limit."""
    points = [LesionSensitivity(fpr=x / slots, slots=slots) for x in false_marks]
    numbers = ", ".join(map(_text, false_marks))
    symbol = "CPM" if tuple(false_marks) == CPM_POINTS else "average sensitivity"
    title = f"average lesion sensitivity at {numbers} false marks per image"
    average = FrocSum(
        tuple(points), 1.0 / len(points), symbol, f"{title} (CPM)" if symbol == "CPM" else title
    )
    area = FrocSum(
        (PAUC(fpr=(0, limit / slots)),),
        float(slots),
        "FROC area",
        f"area under the FROC curve up to {_per_image(limit)}",
    )
    return [*points], average, area
