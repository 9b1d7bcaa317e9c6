r"""Limits of measures with estimated ends, joined from an area and the heights at the ends.

The standard error of a measure with an estimated end includes the slope of the curve there. If the
curve is not smooth, the slope is estimated with a large error, and an interval that is based on
this standard error can be far too narrow. The area with known ends requires no slope, and the
limits of the heights are mid-p limits (`pauci.intervals.proportions`), so joined limits
(`pauci.intervals.joined`) depend on the slope only by the correlations. If a height has the
opposite sign of the area, as the height at the start of an FPR region, the limits depend on the
correlations more. Therefore the interval is extended to the logit interval where that is wider, on
all regions except FPR regions from 0 and TPR regions up to 1, and for normalized areas, which are
not linear in the heights.
"""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pauci.correlation import correlation_matrix
from pauci.curve.polyline import Curve
from pauci.curve.region import Piece
from pauci.intervals.joined import JoinedLimits, WeightedPart
from pauci.intervals.proportions import HeightAtRate
from pauci.measures.base import AreaPart
from pauci.measures.influence import End
from pauci.variance.area_and_heights import covariance_with_heights
from pauci.variance.binormal import least_se

if TYPE_CHECKING:
    from pauci.results.estimates import Estimate


@dataclass(frozen=True, eq=False)
class EstimatedEnds:
    """The part of a curve and the estimated ends from which the limits of a measure are joined.

    Parameters
    ----------
    curve : Curve
        The curve of a classifier, for independent rows without weights.
    piece : Piece
        Its part inside the region.
    part : AreaPart
        The area over the region whose ends are known.
    ends : tuple of End
        The estimated ends.
    """

    curve: Curve
    piece: Piece
    part: AreaPart
    ends: tuple[End, ...]

    @property
    def suffices(self) -> bool:
        """Whether joined limits need not be extended to the logit interval.

        A height with the opposite sign of the area makes the limits depend on the correlation of
        the estimates, and therefore on the slope.
        """
        return self.part.is_linear and min(self._height(e).weight for e in self.ends) > 0.0

    def limits(self, e: "Estimate", df: float) -> JoinedLimits:
        """Return the joined limits of an estimate with these ends, with `df` for the area."""
        (measure, weight, _), table = self.part, self.curve.table
        value = float(measure.value(self.curve, self.piece))
        heights = [self._height(end) for end in self.ends]
        weights = np.array([weight, *(h.weight for h in heights)])
        covariance = covariance_with_heights(table, self.piece, value, self.ends)
        others = float(weights @ covariance @ weights)
        variance = max(e.se**2 - e.pseudo_variance - others, 0.0) / weight**2
        covariance[0, 0] = variance
        area = replace(
            e,
            measure=measure,
            value=value,
            se=math.sqrt(variance),
            bounds=measure.bounds(self.curve),
            binormal_se=least_se(measure, self.curve, *e.units),
            pseudo_variance=0.0,
            estimated_ends=None,
            moved_ends=None,
        )
        parts = [WeightedPart(weight, value, area._ends(area.analytic_ends, df)), *heights]
        # The variance of the area is a difference, so that correlations can exceed 1.
        correlation = np.minimum(np.maximum(correlation_matrix(covariance), -1.0), 1.0)
        return JoinedLimits(e.value, parts, correlation)

    def _height(self, end: End) -> WeightedPart:
        """Return the height of the curve at an end, with its weight and its mid-p limits.

        For a TPR it is the height of the curve with the classes exchanged.
        """
        table, rate, value, weight = self.curve.table, end.bound, end.share, end.factor
        if end.axis == "tpr":
            table, rate, value, weight = self.curve.swapped.table, 1 - rate, 1.0 - value, -weight
        return WeightedPart(weight, value, HeightAtRate(table, float(rate), value))
