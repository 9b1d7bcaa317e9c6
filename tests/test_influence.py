"""Influence values against finite differences, for every registered measure."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pauci.curve import Curve
from pauci.measures import AUC, PAUC, SPA, PAUCx
from pauci.table import Table
from registry import instances

STEP = 1e-6


def table_of(pos, neg, rows_pos, rows_neg):
    """A table with any real masses in its tie groups."""
    cum = [np.concatenate(([0.0], np.cumsum(v, dtype=float))) for v in (pos, neg)]
    return Table(np.arange(len(pos))[::-1], *cum, rows_pos, rows_neg)


def value(measure, pos, neg):
    curve = Curve(table_of(pos, neg, 100, 100))
    return measure.value(curve, measure.region.piece(curve))


def derivative(measure, pos, neg, side, group):
    """Gateaux derivative of the value: shift the class's distribution towards one group."""
    masses = [np.asarray(pos, float), np.asarray(neg, float)]
    results = []
    for step in (STEP, -STEP):
        moved = [m.copy() for m in masses]
        moved[side] = (1 - step) * masses[side]
        moved[side][group] += step * masses[side].sum()
        results.append(value(measure, *moved))
    return (results[0] - results[1]) / (2 * STEP)


def derivative_by_prevalence(measure, pos, neg):
    """Derivative of the value when both classes keep their shapes and change their sizes."""
    shapes = [np.asarray(m, float) / sum(m) for m in (pos, neg)]
    pi = sum(pos) / (sum(pos) + sum(neg))
    up, down = (
        value(measure, (pi + step) * shapes[0], (1 - pi - step) * shapes[1])
        for step in (STEP, -STEP)
    )
    return (up - down) / (2 * STEP)


def assert_influence_is_the_derivative(measure, pos, neg):
    cum = [np.concatenate(([0], np.cumsum(v))) for v in (pos, neg)]
    table = Table(np.arange(len(pos))[::-1], *cum, sum(pos), sum(neg))
    curve = Curve(table)
    influence = measure.influence(curve, measure.region.piece(curve))
    for side, (counts, u) in enumerate(((pos, influence.pos), (neg, influence.neg))):
        u = u.take(range(len(counts)), mode="clip")
        centred = u - np.average(u, weights=counts)
        for group in np.flatnonzero(counts):
            expected = derivative(measure, pos, neg, side, group)
            assert centred[group] == pytest.approx(expected, abs=2e-5), (side, group)
    expected = derivative_by_prevalence(measure, pos, neg)
    assert influence.prevalence == pytest.approx(expected, abs=2e-5)


def clear_of(cum, bounds, gap):
    """Whether bounds keep a distance from the corners of the curve, where it has no derivative."""
    shares = np.asarray(cum) / cum[-1]
    return all(b in (0, 1) or np.abs(shares - float(b)).min() > gap for b in bounds)


# A corrected value has the influence of the plain one, to first order.
DIFFERENTIABLE = [m for m in instances(spread=5.0) if "corrected" not in m.args[-1]]
REGIONS = st.tuples(st.integers(0, 9), st.integers(1, 10)).filter(lambda r: r[0] < r[1])


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.integers(12, 40), st.integers(12, 40)), min_size=1, max_size=5),
    REGIONS,
    st.sampled_from(DIFFERENTIABLE),
)
def test_on_ordinal_data_every_measure_is_exact(groups, tenths, make):
    """Large mixed groups: the chord is the slope and the height is the curve's own."""
    pos, neg = map(list, zip(*groups, strict=True))
    low, high = Fraction(tenths[0], 10), Fraction(tenths[1], 10)
    try:
        measure = make((low, high))
        value(measure, pos, neg)
    except ValueError:  # a corner, or a score range between two groups
        assume(False)
    for cum in (np.cumsum([0, *pos]), np.cumsum([0, *neg])):
        assume(clear_of(cum, (low, high), 1e-4))
    assert_influence_is_the_derivative(measure, pos, neg)


@st.composite
def stepped(draw):
    """Groups that may be pure, and a region whose ends lie well inside groups of negatives."""
    wide = st.tuples(st.integers(0, 3), st.integers(5, 9))
    steps = st.tuples(st.integers(1, 3), st.just(0))
    groups = draw(st.lists(st.one_of(wide, steps), min_size=3, max_size=8))
    groups += [(2, 6), (0, 5)]
    neg = [n for _, n in groups]
    places = st.tuples(
        st.sampled_from([i for i, n in enumerate(neg) if n]), st.sampled_from([0.4, 0.5, 0.6])
    )
    ends = draw(st.sets(places, min_size=2, max_size=2))
    low, high = sorted(
        Fraction((sum(neg[:i]) + share * neg[i]) / sum(neg)).limit_denominator(10**6)
        for i, share in ends
    )
    return [p for p, _ in groups], neg, low, high


@given(stepped())
def test_areas_with_known_ends_are_exact_on_steps_too(data):
    """Pure groups give steps; inside a flat stretch the mean height is the height."""
    pos, neg, low, high = data
    for measure in (PAUC(fpr=(low, high)), PAUC(fpr=(0, high)), SPA(fpr=(low, 1)), AUC()):
        assert_influence_is_the_derivative(measure, pos, neg)
    for region in ((1 - high, 1 - low), (0, 1 - low), (1 - high, 1)):
        assert_influence_is_the_derivative(PAUCx(tpr=region), neg[::-1], pos[::-1])
