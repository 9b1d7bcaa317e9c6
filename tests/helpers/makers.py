"""Makers of samples and of values without standard errors, for all tests."""

import pauci
from pauci.curve.polyline import Curve

EXACT = 1e-14


def value(y, s, measure):
    """The point estimate alone, without standard errors or warnings."""
    sample = pauci.Sample(y, s)
    curve = Curve(sample.ratings("score").table)
    return measure.value(curve, measure.region.piece(curve))
