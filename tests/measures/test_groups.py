"""Measures of one group along the curve: derivatives and definitions."""

from fractions import Fraction

import numpy as np
import pytest

import pauci
from derivatives import MANY, assert_influence_is_the_derivative
from pauci.curve.region import AxisRegion, RankRegion, ThresholdRegion
from pauci.errors import UndefinedError
from pauci.measures.concordance import QUANTITIES, GroupMeasure

POS, NEG = [60, 45, 30, 25, 12], [11, 22, 34, 41, 80]
"""Each tie group holds more than ten of each class, so that its chord is the slope."""

REGIONS = [
    AxisRegion("fpr", Fraction(1, 10), Fraction(6, 10)),
    AxisRegion("fpr", Fraction(0), Fraction(3, 10)),
    AxisRegion("tpr", Fraction(1, 5), Fraction(9, 10)),
    AxisRegion("tpr", Fraction(1, 2), Fraction(1)),
    ThresholdRegion(1, 4),
    RankRegion(Fraction(0), Fraction(1, 4)),
    RankRegion(Fraction(1, 10), Fraction(7, 10)),
    RankRegion(Fraction(3, 10), Fraction(1)),
]


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_influence_is_the_derivative(quantity, region):
    """By the proportion of each group, and by the prevalence, on which ends at a rank depend."""
    assert_influence_is_the_derivative(GroupMeasure(quantity, region), POS, NEG, MANY)


@pytest.mark.parametrize("quantity", ["ppv", "npv"])
def test_a_given_prevalence_has_no_influence(quantity):
    measure = GroupMeasure(quantity, REGIONS[0], 0.02)
    curve = pauci.Sample.from_counts(range(5)[::-1], POS, NEG).ratings().curve
    assert measure.influence_on(curve).prevalence == 0.0
    assert not measure.uses_sample_prevalence
    assert_influence_is_the_derivative(measure, POS, NEG, MANY)


def test_numbers_by_hand():
    """The part from (.1, .4) to (.5, .8) is a single segment: elementary geometry."""
    sample = pauci.Sample.from_counts([3, 2, 1], [40, 40, 20], [10, 40, 50])
    curve = sample.ratings().curve
    values = {q: GroupMeasure(q, ThresholdRegion(2, 3)).on(curve) for q in QUANTITIES}
    assert values["share_pos"] == pytest.approx(0.4)
    assert values["share_neg"] == pytest.approx(0.4)
    assert values["sensitivity"] == pytest.approx(0.6)
    assert values["specificity"] == pytest.approx(0.7)
    assert values["paucc"] == pytest.approx((0.6 + 0.7) * 0.4 / 2)
    assert values["normalized"] == pytest.approx(0.65)
    assert values["lr_pos"] == pytest.approx(0.6 / 0.3)
    assert values["lr_neg"] == pytest.approx(0.4 / 0.7)
    assert values["lr_range"] == pytest.approx(1.0)
    assert values["ppv"] == pytest.approx(0.6 / 0.9)
    assert values["npv"] == pytest.approx(0.7 / 1.1)


@pytest.mark.parametrize("quantity", ["paucc", "normalized", "sensitivity", "specificity"])
@pytest.mark.parametrize("region", REGIONS[:5], ids=str)
def test_the_areas_are_those_of_the_package(quantity, region):
    kinds = {"sensitivity": pauci.PAUC, "specificity": pauci.PAUCx}
    kind = kinds.get(quantity, pauci.PAUCc)
    where = (
        {"threshold": (region.low, region.high)}
        if isinstance(region, ThresholdRegion)
        else {region.axis: (region.low, region.high)}
    )
    other = kind(**where, normalized=quantity != "paucc")
    curve = pauci.Sample.from_counts(range(5)[::-1], POS, NEG).ratings().curve
    measure = GroupMeasure(quantity, region)
    assert measure.on(curve) == pytest.approx(other.on(curve), rel=1e-13)
    for one, two in zip(
        measure.influence_on(curve)[:2], other.influence_on(curve)[:2], strict=True
    ):
        length = range(5)
        a, b = one.take(length, mode="clip"), two.take(length, mode="clip")
        np.testing.assert_allclose(a - a.mean(), b - b.mean(), atol=1e-13)


def test_undefined_group_measures_state_the_reason():
    curve = pauci.Sample([1, 1, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1]).ratings().curve
    top = ThresholdRegion(4, 7)
    for quantity, why in (
        ("sensitivity", "no negative"),
        ("lr_pos", "no negative"),
        ("lr_range", "no negative"),
    ):
        with pytest.raises(UndefinedError, match=why):
            GroupMeasure(quantity, top).on(curve)
    with pytest.raises(UndefinedError, match="no positive"):
        GroupMeasure("specificity", ThresholdRegion(1, 4)).on(curve)


@pytest.mark.parametrize("rank", [Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)])
def test_a_rank_is_the_share_of_rows_called(rank):
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [30, 47])
    curve = pauci.Sample(y, rng.integers(0, 9, y.size)).ratings().curve
    _, _, fpr, tpr = curve.at_rank(rank)
    assert (30 * tpr + 47 * fpr) / 77 == pytest.approx(float(rank), abs=1e-15)
