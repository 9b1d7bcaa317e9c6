"""Partial areas: values against brute force, and properties that hold for all inputs."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import pauci
import reference
from makers import EXACT, value
from pauci.curve.polyline import Curve
from pauci.measures import AUC, PAUC, SPA, PAUCc, PAUCx
from strategies import AXES, bounds, samples


@given(samples())
def test_auc_is_the_concordance_over_all_pairs(data):
    assert value(*data, AUC()) == pytest.approx(float(reference.auc(*data)), abs=EXACT)


@given(samples(), AXES, bounds())
def test_areas_are_the_integrals_of_their_definitions(data, axis, region):
    vertical, horizontal = reference.areas(*data, axis, *region)
    assert value(*data, PAUC(**{axis: region})) == pytest.approx(float(vertical), abs=EXACT)
    assert value(*data, PAUCx(**{axis: region})) == pytest.approx(float(horizontal), abs=EXACT)
    half = float(vertical + horizontal) / 2
    assert value(*data, PAUCc(**{axis: region})) == pytest.approx(half, abs=EXACT)


@given(samples(), AXES, bounds())
def test_paucc_is_the_partial_c_statistic_over_all_pairs(data, axis, region):
    expected = float(reference.partial_c(*data, axis, *region))
    assert value(*data, PAUCc(**{axis: region})) == pytest.approx(expected, abs=EXACT)


@given(samples(), AXES, st.sets(st.fractions(0, 1, max_denominator=60), max_size=5))
def test_paucc_adds_up_to_the_auc_over_every_partition(data, axis, cuts):
    ends = sorted({Fraction(0), Fraction(1), *cuts})
    parts = [value(*data, PAUCc(**{axis: r})) for r in pairwise(ends)]
    assert sum(parts) == pytest.approx(value(*data, AUC()), abs=EXACT * len(parts))


@given(samples(), AXES, bounds())
def test_results_are_invariant_to_monotone_transforms(data, axis, region):
    y, s = data
    for measure in (PAUC, PAUCx, PAUCc):
        m = measure(**{axis: region})
        assert value(y, np.exp(np.asarray(s) / 3.0), m) == value(y, s, m)


@given(samples(), AXES, bounds())
def test_normalized_areas_are_ratios_to_the_length_of_the_region(data, axis, region):
    """In exact fractions; floats carry the rounding of area and length, magnified by 1/length."""
    points = reference.operating_points(*data)
    (x1, y1), (x2, y2) = reference.ends(points, axis, *region)
    vertical, horizontal = reference.areas(*data, axis, *region)
    for measure, area, length in (
        (PAUC, vertical, x2 - x1),
        (PAUCx, horizontal, y2 - y1),
        (PAUCc, (vertical + horizontal) / 2, (x2 - x1 + y2 - y1) / 2),
    ):
        m = measure(**{axis: region}, normalized=True)
        if length == 0:
            with pytest.raises(ValueError, match="does not advance along the normalizing axis"):
                value(*data, m)
        else:
            rounding = 4 * np.finfo(float).eps / float(length)
            assert value(*data, m) == pytest.approx(float(area / length), rel=0, abs=rounding)
            assert -rounding <= value(*data, m) <= 1 + rounding


@given(samples(), AXES, bounds())
def test_values_stay_in_the_stated_range(data, axis, region):
    for measure in (PAUC, PAUCx, PAUCc, SPA):
        m = measure(**{axis: region})
        assert m.range.low - EXACT <= value(*data, m) <= m.range.high + EXACT


@pytest.mark.parametrize("measure", [PAUC, PAUCx, PAUCc, SPA])
@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize("region", [(0, 0.1), (0.2, 0.5), (0.7, 1), (0, 1)])
def test_the_range_is_attained(measure, axis, region):
    """The best curve rises just after the start of the region, the worst at the far corner."""
    m = measure(**{axis: region})
    n = 20_000
    if axis == "fpr":
        ahead = round(n * region[0]) + 1
        best = [(0, ahead), (1, n), (0, n - ahead)]
    else:
        ahead = round(n * region[1])
        best = [(1, ahead), (0, n), (1, n - ahead)]
    worst = [(0, n), (1, n)]
    for blocks, limit in ((best, m.range.high), (worst, m.range.low)):
        y = [label for label, count in blocks for _ in range(count)]
        s = [-i for i, (_, count) in enumerate(blocks) for _ in range(count)]
        assert value(y, s, m) == pytest.approx(limit, abs=1e-3)


@pytest.mark.parametrize(
    ("axis", "third", "expected"),
    [
        ("fpr", 0, (0.14, 0.54, 0.34)),
        ("fpr", 1, (0.243333333333333, 0.11, 0.176666666666667)),
        ("fpr", 2, (0.296666666666667, 0.03, 0.163333333333333)),
        ("tpr", 0, (0.02, 0.32, 0.17)),
        ("tpr", 1, (0.16, 0.26, 0.21)),
        ("tpr", 2, (0.50, 0.10, 0.30)),
    ],
)
def test_fawcetts_thirds(axis, third, expected):
    """Values by the original authors' code for the 20 instances of Fawcett (2006)."""
    frame = pauci.datasets.load_fawcett()
    region = {axis: (third / 3, (third + 1) / 3)}
    got = [
        value(frame["label"], frame["score"].to_numpy(), m(**region)) for m in (PAUC, PAUCx, PAUCc)
    ]
    assert got == pytest.approx(expected, abs=1e-15 + 5e-16)


@pytest.mark.parametrize(("third", "expected"), [(0, 0.652), (1, 0.73), (2, 0.67)])
def test_fawcetts_standardized_areas(third, expected):
    frame = pauci.datasets.load_fawcett()
    m = SPA(fpr=(third / 3, (third + 1) / 3))
    assert value(frame["label"], frame["score"].to_numpy(), m) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    "bound", [0.1 + 0.2, 0.3, Fraction(3, 10), np.float32(0.3), np.float64(0.3)]
)
def test_bounds_mean_exact_rationals(bound):
    """0.1 + 0.2 is 3/10, so with ten negatives it is exactly three of them."""
    y = [0] * 10 + [1, 1]
    s = [*range(10), 6.5, 6.5]
    assert value(y, s, PAUC(fpr=(0, bound))) == 0.0
    sample = pauci.Sample(y, s)
    curve = Curve(sample.ratings("score").table)
    end = PAUCc(fpr=(0, bound)).region.piece(curve).end
    assert (end.fpr, end.tpr, end.share) == (0.3, 1.0, 0.0)


@pytest.mark.parametrize("rounded", [1, 3])
@pytest.mark.parametrize("max_fpr", [0.1, 0.25, 0.6, 1.0])
def test_agreement_with_scikit_learn(rounded, max_fpr):
    """Its max_fpr is McClish's scaling of an FPR region from 0."""
    rng = np.random.default_rng(3)
    y = rng.random(150) < 0.3
    s = np.round(rng.normal(size=150) + y, rounded)
    expected = roc_auc_score(y, s, max_fpr=max_fpr)
    measure = SPA(fpr=(0, max_fpr)) if max_fpr < 1 else AUC()
    assert value(y, s, measure) == pytest.approx(expected, abs=1e-13)
