"""Joined limits of weighted sums, from their formula."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from pauci.intervals.analytic import Logit
from pauci.intervals.extended import JoinedLimits, WeightedPart

FIRST, SECOND = Logit(0.9, 0.04, 0.0, 1.0, 20.0), Logit(0.7, 0.06, 0.0, 1.0, 30.0)


def difference(correlation, weights=(1.0, -1.0)):
    parts = [
        WeightedPart(w, v, ends)
        for w, v, ends in zip(weights, (0.9, 0.7), (FIRST, SECOND), strict=True)
    ]
    value = sum(p.weight * p.value for p in parts)
    return JoinedLimits(value, parts, np.array([[1.0, correlation], [correlation, 1.0]]))


@pytest.mark.parametrize("correlation", [0.0, 0.6, -0.3])
@pytest.mark.parametrize("tail", [0.025, 0.1])
def test_limits_of_a_difference(correlation, tail):
    """L = d - sqrt((a - l1)^2 + (u2 - b)^2 - 2 r (a - l1)(u2 - b)), Zou (2007), equation 15."""
    down, up = 0.9 - FIRST.lower(tail), SECOND.upper(tail) - 0.7
    low = 0.2 - math.sqrt(down**2 + up**2 - 2 * correlation * down * up)
    up, down = FIRST.upper(tail) - 0.9, 0.7 - SECOND.lower(tail)
    high = 0.2 + math.sqrt(up**2 + down**2 - 2 * correlation * up * down)
    joined = difference(correlation)
    assert (joined.lower(tail), joined.upper(tail)) == pytest.approx((low, high), rel=1e-12)
    assert not math.isclose(0.2 - low, high - 0.2, rel_tol=0.01), "the limits are not symmetric"


def test_limits_of_an_average():
    joined = difference(0.4, (0.5, 0.5))
    down = [0.5 * (0.9 - FIRST.lower(0.05)), 0.5 * (0.7 - SECOND.lower(0.05))]
    margin = math.sqrt(down[0] ** 2 + down[1] ** 2 + 2 * 0.4 * down[0] * down[1])
    assert joined.lower(0.05) == pytest.approx(0.8 - margin, rel=1e-12)


@pytest.mark.parametrize("null", [0.0, 0.15, 0.25])
def test_the_test_inverts_the_limits(null):
    joined = difference(0.6)
    below = null < 0.2
    end = joined.lower if below else joined.upper
    expected = brentq(lambda tail: end(tail) - null, 1e-12, 0.4999)
    assert joined.tail(null, below=below) == pytest.approx(expected, rel=1e-6)
