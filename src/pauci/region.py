"""Regions of the curve: which part of it a measure looks at.

A requested region is a pair of exact rationals on one axis; resolved on a curve it is the piece
of the polyline between two points, which carries both coordinates and the scores at its ends.
"""

from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, NamedTuple

from pauci.curve import Axis, Curve, Point
from pauci.rows import Scores

_FINEST = 10**6
"""Largest denominator of a bound: 0.1 + 0.2 then means 3/10."""


class Bounds(NamedTuple):
    """The two ends of a range on one axis."""

    low: float
    high: float


@dataclass(frozen=True)
class Region:
    """A range of the FPR or of the TPR axis, with exact rational ends."""

    axis: Axis
    low: Fraction
    high: Fraction

    @property
    def width(self) -> Fraction:
        """Length of the range."""
        return self.high - self.low

    def piece(self, curve: Curve) -> "Piece":
        """Return the part of the curve inside the region.

        Ends that meet a step follow Carrington et al. (2020): a region from 0 starts at (0, 0),
        every other end is the north-east point of the step, so that regions which partition an
        axis partition the curve.
        """
        start = curve.start if self.low == 0 else curve.at(self.axis, self.low)
        return Piece(start, curve.at(self.axis, self.high))

    def __str__(self) -> str:
        return f"{self.axis.upper()} {float(self.low):g} to {float(self.high):g}"


class Piece(NamedTuple):
    """The part of a curve between two of its points."""

    start: Point
    end: Point


@dataclass(frozen=True)
class ResolvedRegion:
    """Where a region lies on the curve of one classifier.

    Parameters
    ----------
    fpr, tpr : Bounds
        False positive rate and true positive rate at the two ends (specificity is 1 - FPR).
    threshold : tuple of two scores
        The smallest score range ``low <= score < high`` that holds every tie group with a share
        inside the region; `high` is infinite where the region starts at (0, 0).
    n_pos, n_neg : float
        Positives and negatives inside, with fractions where an end cuts a tie group.
    """

    fpr: Bounds
    tpr: Bounds
    threshold: tuple[Any, Any]
    n_pos: float
    n_neg: float


WHOLE = Region("fpr", Fraction(0), Fraction(1))


def resolve(piece: Piece, scores: Scores, n_pos: int, n_neg: int) -> ResolvedRegion:
    """Describe a piece of the curve by its coordinates, its thresholds and what lies inside."""
    start, end = piece
    last = end.group if end.share > 0.0 else end.group - 1
    above = scores.threshold(start.group - 1) if start.group > 0 else float("inf")
    return ResolvedRegion(
        Bounds(start.fpr, end.fpr),
        Bounds(start.tpr, end.tpr),
        (scores.threshold(last), above),
        (end.tpr - start.tpr) * n_pos,
        (end.fpr - start.fpr) * n_neg,
    )


def parse_region(fpr: object = None, tpr: object = None) -> Region:
    """Check the `fpr` or `tpr` argument of a measure and return it as a region."""
    if (fpr is None) == (tpr is None):
        given = "both fpr and tpr" if fpr is not None else "neither fpr nor tpr"
        raise ValueError(
            f"{given} given: name the one axis that bounds the region, such as fpr=(0, 0.1), or "
            "tpr=(0.8, 1). A specificity range (s1, s2) is fpr=(1 - s2, 1 - s1)."
        )
    axis: Axis = "fpr" if fpr is not None else "tpr"
    value: Any = fpr if fpr is not None else tpr
    if isinstance(value, (str, set, frozenset, dict)) or len(_as_list(value)) != 2:
        raise TypeError(f"{axis}={value!r} must be a pair (low, high), such as {axis}=(0, 0.1).")
    low, high = value
    ends = [parse_bound(axis, value, bound) for bound in (low, high)]
    if ends[0] >= ends[1]:
        swapped = f" Did you mean ({high!r}, {low!r})?" if ends[0] > ends[1] else ""
        raise ValueError(
            f"{axis}={value!r} is empty: low must be below high, both exact to "
            f"{1 / _FINEST:g}.{swapped}"
        )
    return Region(axis, *ends)


def _as_list(value: Any) -> list[object]:
    try:
        return list(value)
    except TypeError:
        return []


def parse_bound(argument: str, value: object, bound: object) -> Fraction:
    """Return a bound in [0, 1] as the nearest rational with a denominator up to one million."""
    if isinstance(bound, bool) or not isinstance(bound, Real):
        raise TypeError(f"{argument}={value!r} holds {bound!r}; a bound is a number in [0, 1].")
    number = Fraction(bound) if isinstance(bound, Rational) else float(bound)
    if not 0 <= number <= 1:
        hint = f" Did you mean {float(number) / 100:g}?" if 2 <= number <= 100 else ""
        raise ValueError(f"{argument}={value!r} holds {bound!r}; a bound lies in [0, 1].{hint}")
    return Fraction(number).limit_denominator(_FINEST)
