"""Measures whose region the user chooses."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pauci.curve.region import AxisRegion, Region, parse_region
from pauci.errors import InputError
from pauci.measures.base import Measure


@dataclass(frozen=True, repr=False)
class Regional(Measure):
    """A measure over a part of the curve, given in one of the ways of `pauci.curve.region`."""

    kinds: ClassVar[tuple[str, ...]] = ("fpr", "tpr")

    fpr: Any = None
    tpr: Any = field(default=None, kw_only=True)
    threshold: Any = field(default=None, kw_only=True)
    ends: Any = field(default="north-east", kw_only=True)
    _region: Region = field(init=False, repr=False)

    def __post_init__(self) -> None:
        region = parse_region(self.fpr, self.tpr, self.threshold, self.ends)
        object.__setattr__(self, "_region", region)
        given = [k for k in ("fpr", "tpr", "threshold") if getattr(self, k) is not None]
        kind = "both" if len(given) == 2 else given[0]
        if kind not in self.kinds:
            accepted = ", ".join(f"{k}=" if k != "both" else "fpr= with tpr=" for k in self.kinds)
            raise InputError(
                f"{type(self).__name__} does not take {'= with '.join(given)}=. "
                f"Its region is given by one of: {accepted}."
            )
        for name in given:
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def region(self) -> Region:
        """The part of the curve, with exact rational ends."""
        return self._region

    @property
    @abstractmethod
    def largest_area(self) -> float:
        """The largest area that a curve can have in the region."""

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the disjoint pairs that the region leaves.

        The class on the bounding axis counts in proportion to the largest area.
        """
        largest = min(self.largest_area, 1.0)
        if not isinstance(self._region, AxisRegion):
            return min(n_pos, n_neg) * largest
        if self._region.axis == "fpr":
            return min(n_pos, n_neg * largest)
        return min(n_pos * largest, n_neg)
