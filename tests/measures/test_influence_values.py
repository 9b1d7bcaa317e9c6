"""Influence values against finite differences, for every registered measure."""

from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from derivatives import (
    MANY,
    assert_influence_is_the_derivative,
    clear_of,
    has_one_best_point,
    value,
)
from pauci.measures import AUC, PAUC, SPA, PAUCx
from registry import instances

# A corrected value has the influence of the plain one, to first order.
DIFFERENTIABLE = [m for m in instances(spread=5.0) if "corrected" not in m.args[-1]]
REGIONS = st.tuples(st.integers(0, 9), st.integers(1, 10)).filter(lambda r: r[0] < r[1])


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(12, 40), st.integers(12, 40)), min_size=1, max_size=5),
    REGIONS,
    st.sampled_from(DIFFERENTIABLE),
)
def test_on_ordinal_data_every_measure_is_exact(groups, tenths, make):
    """Large mixed groups without a corner nearby: the slope is that of the chord."""
    pos, neg = map(list, zip(*groups, strict=True))
    low, high = Fraction(tenths[0], 10), Fraction(tenths[1], 10)
    try:
        measure = make((low, high))
        value(measure, pos, neg)
    except ValueError:  # a corner, or a score range between two groups
        assume(False)
    for cum in (np.cumsum([0, *pos]), np.cumsum([0, *neg])):
        assume(clear_of(cum, (low, high), 1e-4))
    assume(has_one_best_point(measure, pos, neg))
    assert_influence_is_the_derivative(measure, pos, neg, MANY)


@st.composite
def stepped(draw):
    """Return groups that may be pure, and a region whose ends lie inside groups of negatives."""
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


@settings(max_examples=15)
@given(stepped())
def test_areas_with_known_ends_are_exact_on_steps_too(data):
    """Pure groups give steps; inside a horizontal step the mean height is the height."""
    pos, neg, low, high = data
    for measure in (PAUC(fpr=(low, high)), PAUC(fpr=(0, high)), SPA(fpr=(low, 1)), AUC()):
        assert_influence_is_the_derivative(measure, pos, neg)
    for region in ((1 - high, 1 - low), (0, 1 - low), (1 - high, 1)):
        assert_influence_is_the_derivative(PAUCx(tpr=region), neg[::-1], pos[::-1])
