"""The largest possible ratio of a part of the curve to the whole, or to a larger part."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pauci
from derivatives import table_of
from makers import normal_scores
from pauci.curve.polyline import Curve
from pauci.measures import AUC, PAUC, SPA, PartialC, PAUCc, PAUCx

AREAS = [PAUC, PAUCx, PAUCc]
COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=7)
BOUNDS = st.lists(st.integers(0, 40), min_size=4, max_size=4, unique=True).map(sorted)


def curve_of(groups):
    pos, neg = map(list, zip(*groups, strict=True))
    assume(sum(pos) > 0 < sum(neg))
    return Curve(table_of(pos, neg, sum(pos), sum(neg)))


def pairs(cls, axis, bounds, ends="north-east"):
    """Yield a part and a larger region of the same axis that contains it, or the AUC."""
    a, b, c, d = (x / 40 for x in bounds)
    part = cls(**{axis: (b, c)}, ends=ends)
    larger = (a, d), (b, d), (a, c), (b, c)
    wholes = [AUC(), *(cls(**{axis: region}, ends=ends) for region in larger)]
    return [part / whole for whole in wholes]


@settings(max_examples=150)
@given(
    COUNTS,
    BOUNDS,
    st.sampled_from(AREAS),
    st.sampled_from(["fpr", "tpr"]),
    st.sampled_from(["north-east", "middle"]),
)
def test_no_curve_exceeds_it(groups, bounds, cls, axis, ends):
    curve = curve_of(groups)
    for ratio in pairs(cls, axis, bounds, ends):
        low, high = ratio.range
        assert (low, high) == (0, ratio.first.largest_share(ratio.second))
        if ratio.second.on(curve) > 1e-9:
            assert ratio.on(curve) <= high + 1e-12


@given(COUNTS, BOUNDS, st.sampled_from(AREAS))
def test_no_curve_exceeds_it_on_regions_of_scores_or_of_both_axes(groups, bounds, cls):
    curve = curve_of(groups)
    a, b, c, d = bounds
    scores = cls(threshold=(b / 6, c / 6))
    a, b, c, d = (x / 40 for x in bounds)
    box = PAUCc(fpr=(b, c), tpr=(b, c))
    for ratio in (
        scores / AUC(),
        scores / cls(threshold=(bounds[0] / 6, None)),
        box / AUC(),
        box / PAUCc(fpr=(a, d), tpr=(a, c)),
    ):
        assert ratio.range == (0, 1)
        try:
            value = ratio.on(curve)
        except pauci.InputError:  # a score range without a row
            continue
        except pauci.UndefinedError:
            continue
        if ratio.second.on(curve) > 1e-9:
            assert value <= 1 + 1e-12


@given(BOUNDS, st.sampled_from(AREAS), st.sampled_from(["fpr", "tpr"]))
def test_a_single_step_attains_the_largest_ratio(bounds, cls, axis):
    """All positives lie just beyond the start of the region (on a TPR region, before its end)."""
    n = 10**7
    first, last = bounds[1] / 40, 1 - bounds[2] / 40
    before = round(n * (first if axis == "fpr" else last)) + 1
    counts = ([0, 1, 0], [before, 0, n - before])
    if axis == "tpr":  # the mirror image: best last, classes swapped
        counts = tuple(c[::-1] for c in counts[::-1])
    curve = Curve(table_of(*counts, n, n))
    for ratio in pairs(cls, axis, bounds):
        assert ratio.on(curve) == pytest.approx(ratio.range.high, rel=1e-5)


@pytest.mark.parametrize("cls", AREAS)
def test_the_largest_ratio_is_that_of_the_formula(cls):
    """(x2 - x1 + lambda (1 - x2)) / (1 - x1) of the AUC, on FPR 0.2 to 0.3."""
    weight = {PAUC: 0.0, PAUCc: 0.5, PAUCx: 1.0}[cls]
    share = (cls(fpr=(0.2, 0.3)) / AUC()).range.high
    assert share == pytest.approx((0.1 + weight * 0.7) / 0.8)


def test_partial_c_has_that_of_its_area():
    for whole, other in ((AUC(), AUC()), (PartialC(fpr=(0, 0.5)), PAUCc(fpr=(0, 0.5)))):
        ratio = PartialC(fpr=(0.1, 0.3)) / whole
        assert ratio.range == (PAUCc(fpr=(0.1, 0.3)) / other).range


def test_combinations_that_are_not_shares_have_no_largest_ratio():
    small, large = {"fpr": (0.1, 0.2)}, {"fpr": (0, 0.5)}
    for ratio in (
        PAUC(**large) / PAUC(**small),
        PAUC(**small) / PAUCc(**large),
        AUC() / PAUC(**small),
        PAUC(**small, normalized=True) / AUC(),
        PAUC(**small) / PAUC(**large, normalized=True),
        PAUC(**small) / AUC(rescaled=True),
        PAUC(**small) / PAUC(tpr=(0, 0.5)),
        PAUC(**small) / PAUC(**large, ends="middle"),
        SPA(**small) / AUC(),
        pauci.AP() / AUC(),
        PAUCc(**small) / PAUCc(fpr=(0, 0.5), tpr=(0, 1)),
        PAUC(fpr=(0.1, 0.6)) / PAUC(**large),
    ):
        assert np.isinf(ratio.range.high), ratio


def test_intervals_of_shares_stay_below_it():
    """On the logit scale of 0 to the bound, with the degrees of freedom of the ratio."""
    sample = pauci.Sample(*normal_scores(60, 80, 1, shift=1.5))
    for part, whole in itertools.product((PAUCc(fpr=(0, 0.2)), PAUC(fpr=(0.1, 0.3))), (AUC(),)):
        e = pauci.estimate(sample, part / whole)
        top = part.largest_share(whole)
        assert e.bounds == (0, top)
        assert e.to_frame()["kind"].item() == "logit"
        for level in (0.9, 0.99, 0.99999):
            low, high = e.interval(level)
            assert 0 < low < e.value < high < top
