"""Threshold regions, regions on both axes, and ends in the middle of a step."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pauci
import reference
from makers import EXACT, value
from pauci.curve.polyline import Curve
from pauci.curve.region import AxisRegion, Bounds, Piece, PointRegion, Region
from pauci.measures import AUC, PAUC, LocalC, Measure, PartialC, PAUCc, PAUCx
from strategies import AXES, bounds, samples

CUTS = st.sets(st.integers(0, 13), max_size=4).map(lambda c: [-np.inf, *sorted(c), np.inf])


@given(samples(), st.integers(-1, 12), st.integers(1, 14))
def test_threshold_areas_count_the_pairs_of_their_scores(data, low, width):
    y, s = data
    assume(any(low <= v < low + width for v in s))
    region = (low, low + width)
    vertical, horizontal = map(float, reference.concordance_in_range(y, s, *region))
    assert value(y, s, PAUC(threshold=region)) == pytest.approx(vertical, abs=EXACT)
    assert value(y, s, PAUCx(threshold=region)) == pytest.approx(horizontal, abs=EXACT)
    half = (vertical + horizontal) / 2
    assert value(y, s, PAUCc(threshold=region)) == pytest.approx(half, abs=EXACT)
    assert value(y, s, PartialC(threshold=region)) == pytest.approx(half, abs=EXACT)


@given(samples(), CUTS)
def test_threshold_regions_add_up_to_the_auc(data, cuts):
    y, s = data
    parts = [r for r in pairwise(cuts) if any(r[0] <= v < r[1] for v in s)]
    total = sum(value(y, s, PAUCc(threshold=r)) for r in parts)
    assert total == pytest.approx(value(y, s, AUC()), abs=EXACT * len(cuts))


@given(samples(), st.integers(-1, 12), st.integers(1, 14))
def test_threshold_ends_are_operating_points(data, low, width):
    y, s = data
    assume(any(low <= v < low + width for v in s))
    m = PAUC(threshold=(low, low + width))
    sample = pauci.Sample(y, s)
    piece = m.region.piece(Curve(sample.ratings("score").table))
    expected = reference.threshold_ends(y, s, low, low + width)
    for point, (x, v) in zip(piece, expected, strict=True):
        assert (point.fpr, point.tpr) == pytest.approx((float(x), float(v)), abs=1e-15)


@given(samples(), bounds(), bounds())
def test_both_axes_fixed_is_the_plain_half_sum(data, fpr, tpr):
    vertical = value(*data, PAUC(fpr=fpr))
    horizontal = value(*data, PAUCx(tpr=tpr))
    m = PAUCc(fpr=fpr, tpr=tpr)
    assert value(*data, m) == pytest.approx((vertical + horizontal) / 2, abs=EXACT)
    length = float(fpr[1] - fpr[0] + tpr[1] - tpr[0]) / 2
    n = PAUCc(fpr=fpr, tpr=tpr, normalized=True)
    rounding = 4 * np.finfo(float).eps / length
    assert value(*data, n) == pytest.approx(value(*data, m) / length, rel=0, abs=rounding)


@given(samples(), AXES, bounds())
def test_partial_c_is_paucc_on_every_axis_region(data, axis, region):
    for ends in ("north-east", "middle"):
        options = {axis: region, "ends": ends}
        expected = value(*data, PAUCc(**options))
        assert value(*data, PartialC(**options)) == pytest.approx(expected, abs=EXACT)


@given(samples(), AXES, bounds())
def test_local_c_is_the_concordance_inside_the_box(data, axis, region):
    points = reference.operating_points(*data)
    (x1, y1), (x2, y2) = reference.ends(points, axis, *region)
    m = LocalC(**{axis: region})
    if (x2 - x1) * (y2 - y1) == 0:
        with pytest.raises(ValueError, match="undefined here"):
            value(*data, m)
        return
    vertical, _ = reference.areas(*data, axis, *region)
    box = (x2 - x1) * (y2 - y1)
    expected = (vertical - y1 * (x2 - x1)) / box
    rounding = 4 * np.finfo(float).eps / float(box)  # that of an area, magnified
    assert value(*data, m) == pytest.approx(float(expected), rel=0, abs=rounding)
    assert 0 <= expected <= 1


@given(samples(), AXES, st.fractions(0, 1, max_denominator=30))
def test_middle_ends_lie_in_the_middle_of_their_step(data, axis, bound):
    assume(0 < bound < 1)
    sample = pauci.Sample(*data)
    curve = Curve(sample.ratings("score").table)
    point = curve.at(axis, bound, "middle")
    expected = reference.middle(reference.operating_points(*data), axis, bound)
    assert (point.fpr, point.tpr) == pytest.approx(tuple(map(float, expected)), abs=1e-14)


@given(samples(), AXES, st.sets(st.fractions(0, 1, max_denominator=20), max_size=4))
def test_middle_ends_are_additive(data, axis, cuts):
    knots = sorted({Fraction(0), Fraction(1), *cuts})
    parts = [value(*data, PAUCc(**{axis: r}, ends="middle")) for r in pairwise(knots)]
    assert sum(parts) == pytest.approx(value(*data, AUC()), abs=EXACT * len(parts))


@given(samples(), AXES, bounds())
@pytest.mark.usefixtures("quiet")
def test_exchanging_the_classes_exchanges_the_axes(data, axis, region):
    """With ends in the middle of steps, for all positions of the ends; value and standard error."""
    y, s = data
    swapped = [1 - v for v in y], [-v for v in s]
    low, high = region
    assume(low > 0 or axis == "fpr")
    other = "tpr" if axis == "fpr" else "fpr"
    pairs = [(PAUCc, PAUCc), (PAUC, PAUCx), (PAUCx, PAUC)]
    for measure, mirror in pairs:
        a = pauci.estimate(pauci.Sample(y, s), measure(**{axis: region}, ends="middle"))
        b = pauci.estimate(
            pauci.Sample(*swapped), mirror(**{other: (1 - high, 1 - low)}, ends="middle")
        )
        assert a.value == pytest.approx(b.value, abs=1e-13)
        assert a.se == pytest.approx(b.se, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("third", "expected"), [(0, 0.70), (1, 0.65), (2, 0.45)])
def test_fawcetts_local_c(third, expected):
    frame = pauci.datasets.load_fawcett()
    m = LocalC(fpr=(third / 3, (third + 1) / 3))
    assert value(frame["label"], frame["score"].to_numpy(), m) == pytest.approx(expected, abs=1e-14)


def test_categories_bound_a_threshold_region():
    scale = pd.CategoricalDtype(["no", "maybe", "yes"], ordered=True)
    ratings = pd.Series(["no", "maybe", "yes", "maybe"] * 5, dtype=scale)
    sample = pauci.Sample([0, 0, 1, 1] * 5, ratings)
    e = pauci.estimate(sample, PAUCc(threshold=("maybe", "yes")))
    assert e.region.threshold == ("maybe", "yes")
    assert e.value == pytest.approx(
        value([0, 0, 1, 1] * 5, [0, 1, 2, 1] * 5, PAUCc(threshold=(1, 2)))
    )
    with pytest.raises(ValueError, match=r"'perhaps', .*category .*'no', 'maybe', 'yes'"):
        pauci.estimate(sample, PAUCc(threshold=("perhaps", "yes")))
    with pytest.raises(ValueError, match="no row"):
        pauci.estimate(sample, PAUCc(threshold=("yes", "maybe")))


def test_threshold_regions_need_rows_and_a_scale():
    sample = pauci.Sample([0, 1] * 5, list(range(10)))
    with pytest.raises(ValueError, match=r"no row .* from 0.0 to 9.0"):
        pauci.estimate(sample, PAUCc(threshold=(20, 30)))
    with pytest.raises(TypeError, match=r"'b'.*scores are numbers"):
        pauci.estimate(sample, PAUCc(threshold=("a", "b")))


@pytest.mark.parametrize("bound", [0, 1, 2, -0.1, "a", True])
@pytest.mark.parametrize(("name", "axis"), [("Sensitivity", "fpr"), ("Specificity", "tpr")])
def test_points_lie_inside_the_axis(name, axis, bound):
    with pytest.raises((ValueError, TypeError), match=f"{axis}={bound!r}"):
        getattr(pauci, name)(**{axis: bound})


@given(samples(), st.integers(1, 29))
def test_sensitivity_and_specificity_are_coordinates_of_the_curve(data, thirtieths):
    bound = Fraction(thirtieths, 30)
    points = reference.operating_points(*data)
    height = float(reference.height(points, bound))
    assert value(*data, pauci.Sensitivity(fpr=bound)) == pytest.approx(height, abs=1e-15)
    best = float(reference.height(reference.mirrored(points), 1 - bound))
    assert value(*data, pauci.Specificity(tpr=bound)) == pytest.approx(best, abs=1e-15)


def test_pai_is_the_average_specificity_above_a_sensitivity():
    frame = pauci.datasets.load_fawcett()
    y, s = frame["label"], frame["score"].to_numpy()
    assert value(y, s, pauci.PAI(tpr=0.9)) == pytest.approx(
        value(y, s, PAUCx(tpr=(0.9, 1))) / 0.1, abs=1e-14
    )
    with pytest.raises(ValueError, match="tpr=1 leaves no region"):
        pauci.PAI(tpr=1)


@given(samples(), AXES, bounds(), st.sampled_from(["north-east", "middle"]))
def test_known_rates_locate_the_ends(data, axis, region, ends):
    curve = pauci.Sample(*data).ratings("score").curve
    low, high = map(Fraction, region)
    for r in (AxisRegion(axis, low, high, ends), PointRegion(axis, low, ends)):
        assert Piece(*(curve.at(*end) for end in r.rate_ends)) == r.piece(curve)


@pytest.mark.parametrize(
    "arguments",
    [
        {"fpr": (0.1, 0.3), "ends": "middle"},
        {"tpr": (0.7, 1.0)},
        {"fpr": (0.0, 0.2), "tpr": (0.8, 1.0), "ends": "middle"},
        {"threshold": (2, np.inf)},
    ],
)
def test_arguments_specify_the_region_again(arguments):
    region = PAUCc(**arguments).region
    assert PAUCc(**region.arguments).region == region


def test_a_new_region_needs_only_its_class():
    class FirstGroups(Region):
        axis, kind, has_estimated_end = None, "groups", False

        def piece(self, curve):
            return Piece(curve.start, curve.knot(2))

        def __str__(self):
            return "the two highest scores"

    @dataclass(frozen=True, repr=False, eq=False)
    class AreaOfFirstGroups(Measure):
        key, symbol, title = "first groups", "A", "area of the first groups"
        reference, kinds = "", ("groups",)
        region, range, has_influence = FirstGroups(), Bounds(0.0, 1.0), False

        def value(self, curve, piece):
            return curve.area(*piece)

        def influence(self, curve, piece):
            raise NotImplementedError

        def pairs(self, n_pos, n_neg):
            return min(n_pos, n_neg)

    sample = pauci.Sample([0, 1, 1] * 30, np.arange(90) // 10)
    e = pauci.estimate(sample, AreaOfFirstGroups(), "jackknife")
    assert e.value == pytest.approx(0.1 * (3.5 + 10.5) / 60, abs=EXACT)
    assert e.se > 0
    assert "at the two highest scores was 0." in e.report()


@given(samples(), bounds(), bounds())
def test_the_two_way_area_is_a_combination_of_areas(data, fpr, tpr):
    """The area below the curve with FPR up to x and TPR from y; the curve passes above (x, y)."""
    x, y = fpr[1], tpr[0]
    points = reference.operating_points(*data)
    assume(reference.height(points, x) >= y)
    knots = [p[0] for p in points] + [reference.reach(points, y)]
    inside = reference.integral(lambda u: reference.height(points, u) - y, knots, knots[-1], x)
    measure = PAUC(fpr=(0, x)) + PAUCx(tpr=(y, 1)) - AUC()
    expected = float(inside - (1 - x) * y)
    assert value(*data, measure) == pytest.approx(expected, abs=EXACT)
