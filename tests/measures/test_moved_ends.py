"""Values of measures on stretched curves, against curves and samples with these ends."""

import numpy as np
import pytest

import pauci
from pauci.measures.moved_ends import CurveSection, MovedEnds
from reference import heights

pytestmark = pytest.mark.usefixtures("quiet")

MEASURES = [
    pauci.PAUC(fpr=(0, 0.2)),
    pauci.PAUC(fpr=(0.25, 0.6)),
    pauci.PAUCx(tpr=(0.7, 1)),
    pauci.PAUCx(tpr=(0.3, 0.8)),
    pauci.PAUCc(fpr=(0, 0.3)),
    pauci.PAUCc(fpr=(0.2, 1)),
    pauci.PAUCc(tpr=(0.4, 0.7)),
    pauci.PAUC(tpr=(0, 0.6), normalized=True),
    pauci.PAUCx(fpr=(0.1, 0.4), normalized=True),
    pauci.LocalC(fpr=(0.3, 0.7)),
    pauci.LocalC(tpr=(0.3, 0.7)),
    pauci.SPA(fpr=(0, 0.2)),
    pauci.PAI(tpr=0.6),
    pauci.PartialC(fpr=(0.1, 0.5)),
    pauci.PAUCc(fpr=(0, 0.2)) / pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.1)) / pauci.PAUC(fpr=(0, 0.4)),
    pauci.PAUC(fpr=(0, 0.1)) - pauci.PAUC(fpr=(0.1, 0.4)),
]


def rows(step=None, sizes=(40, 50), seed=4):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    s = rng.normal(size=y.size) + 1.1 * y
    return y, s if step is None else np.round(s / step)


def curve_of(step=None, sizes=(40, 50)):
    return pauci.Sample(*rows(step, sizes)).ratings().curve


def vertices(curve, axis):
    """Return the operating points: the rate on the axis and the other rate."""
    return (curve.fpr, curve.tpr) if axis == "fpr" else (curve.tpr, curve.fpr)


def rows_along(curve, axis):
    """Return the number of rows of the class of an axis."""
    return curve.table.rows_neg if axis == "fpr" else curve.table.rows_pos


def on_stretched_curve(curve, measure, axis, known, positions):
    """The value if the axis is stretched such that each position is moved to the known rate.

    Areas are those below the curve, and heights those at the middle of vertical steps.
    """
    along, across = vertices(curve, axis)
    at_positions = heights(along, across, positions, rows_along(curve, axis))
    knots, known = np.array([0, *positions, 1]), np.array([0, *known, 1])
    of_knots = np.array([0, *at_positions, 1])
    at = np.searchsorted(along, positions)
    across = np.insert(across, at, np.interp(positions, along, across))
    along = np.interp(np.insert(along, at, positions), knots, known)
    answers = []
    for request in measure.requests():
        start, end = map(float, request.region.bounds)
        first, last = (of_knots[known == rate].item() for rate in (start, end))
        inside = (along >= start) & (along <= end)
        area = np.trapezoid(across[inside], along[inside])
        columns = area, start, first, end, last
        if axis == "tpr":
            columns = last * end - first * start - area, first, start, last, end
        answers.append(np.array([columns]))
    return measure.from_replicates(*answers).item()


def shares_of(moved, count=12, seed=3):
    """Return random shares before each end, in increasing order."""
    spread = np.random.default_rng(seed).uniform(-0.08, 0.08, count)
    return [float(r) + spread * (1 + 0.2 * k) for k, r in enumerate(moved.rates)]


@pytest.mark.parametrize("step", [None, 0.3, 1.0])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_values_are_those_on_stretched_curves(measure, step):
    curve = curve_of(step)
    moved = MovedEnds.of(curve, measure)
    shares, known = shares_of(moved), [float(r) for r in moved.rates]
    for positions, value in zip(np.transpose(shares), moved.values(shares), strict=True):
        expected = on_stretched_curve(curve, measure, moved.axis, known, positions)
        assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_without_moves_the_value_is_the_estimate(measure):
    """If every score occurs in both classes, the curve has no vertical steps."""
    y, s = np.arange(120) % 2, np.arange(120) % 9 + 2 * (np.arange(120) % 7 < 3)
    y, s = np.append(y, np.repeat([0, 1], 11)), np.append(s, np.tile(np.arange(11), 2))
    curve = pauci.Sample(y, s).ratings().curve
    moved = MovedEnds.of(curve, measure)
    (found,) = moved.values([np.array([float(r)]) for r in moved.rates])
    assert found == pytest.approx(measure.on(curve), abs=1e-9)


@pytest.mark.parametrize("count", [3, 8, 14])
def test_values_are_those_of_a_weighted_sample(count):
    """Negatives above a score and below it have weights with which the FPR at the score is x."""
    (y, s), measure = rows(), pauci.PAUC(fpr=(0, 0.2)) / pauci.AUC()
    above = np.sort(s[y == 0])[::-1][count - 1]
    share = count / 50
    weight = np.where(s >= above, 0.2 / share, 0.8 / (1 - share))
    weight = np.where(y == 1, 1.0, weight)
    weighted = pauci.Sample(y, s, weight=weight).ratings().curve
    moved = MovedEnds.of(curve_of(), measure)
    found = moved.values([share + np.array([-1e-7, 1e-7])])
    assert min(found) - 1e-5 <= measure.on(weighted) <= max(found) + 1e-5


@pytest.mark.parametrize("step", [None, 0.5])
@pytest.mark.parametrize("measure", [pauci.Sensitivity(fpr=0.2), pauci.Specificity(tpr=0.7)])
def test_values_of_a_rate_are_heights_at_the_middle_of_steps(measure, step):
    curve = curve_of(step)
    moved = MovedEnds.of(curve, measure)
    shares = np.linspace(0.02, 0.98, 49)  # on the steps, and between them
    n = rows_along(curve, moved.axis)
    expected = heights(*vertices(curve, moved.axis), shares, n)
    if moved.axis == "tpr":
        expected = 1.0 - expected
    assert moved.values([shares]) == pytest.approx(expected, abs=1e-12)


def test_values_of_a_point_are_those_of_its_rates():
    curve = curve_of(0.5)
    shares = np.linspace(0.1, 0.9, 9)
    x = heights(curve.tpr, curve.fpr, shares, curve.table.rows_pos)
    moved = MovedEnds.of(curve, pauci.PPV(sensitivity=0.7, prevalence=0.1))
    assert moved.values([shares]) == pytest.approx(0.07 / (0.07 + 0.9 * x), rel=1e-12)
    share = 40 / 90
    moved = MovedEnds.of(curve, pauci.PPV(sensitivity=0.7))
    expected = 0.7 * share / (0.7 * share + (1 - share) * x)
    assert moved.values([shares]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pauci.PAUC(fpr=(0.1, 0.4)), pauci.Sensitivity(fpr=0.1)),
        (pauci.PPV(tpr=0.7), pauci.PAUCc(tpr=(0.5, 0.9))),
        (pauci.Sensitivity(fpr=0.1), pauci.Sensitivity(fpr=0.3)),
    ],
)
def test_combinations_of_points_and_ranges_have_the_values_of_both(first, second):
    """With the other ends fixed, values are those of the part whose end is moved."""
    curve = curve_of(0.5)
    moved = MovedEnds.of(curve, first - second)
    known = {float(r) for m in (first, second) for e in m.region.rate_ends for r in [e.rate]}
    assert list(map(float, moved.rates)) == sorted(known - {0.0, 1.0})
    at = [np.array([float(r) + change for change in (-0.02, 0.0, 0.03)]) for r in moved.rates]
    values = []
    for measure in (first, second):
        alone = MovedEnds.of(curve, measure)
        values.append(alone.values([at[moved.rates.index(r)] for r in alone.rates]))
    assert moved.values(at) == pytest.approx(values[0] - values[1], rel=1e-9)


def test_shares_out_of_order_are_placed_in_order():
    moved = MovedEnds.of(curve_of(), pauci.PAUC(fpr=(0.25, 0.3)))
    found, after = moved.values([np.array([0.33, 0.27]), np.array([0.21, 0.27])])
    assert found == pytest.approx(after)
    three = MovedEnds.of(curve_of(), pauci.PAUC(fpr=(0.2, 0.3)) + pauci.PAUC(fpr=(0.3, 0.4)))
    # The highest so far are .3 .3 .35, and the lowest from there on .1 .1 .35.
    shares = [[0.3, 0.2], [0.1, 0.2], [0.35, 0.35]]
    found, after = three.values(np.array(shares))
    assert found == pytest.approx(after)
    moved = MovedEnds.of(curve_of(), pauci.PAUC(fpr=(0.02, 0.98)))
    assert np.isfinite(moved.values([np.array([0.0, 1.0]), np.array([0.0, 1.0])])).all()


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
def test_the_influence_on_a_share_is_that_of_the_observations_before_the_end(axis):
    curve = curve_of(1.0)
    moved = MovedEnds.of(curve, pauci.PAUCc(**{axis: (0.25, 0.6)}))
    table = curve.table
    mass = table.neg if axis == "fpr" else table.pos
    for k, rate in enumerate((0.25, 0.6)):
        before = moved.before(k)
        own, other = (before.neg, before.pos) if axis == "fpr" else (before.pos, before.neg)
        of_groups = own.take(np.arange(table.size), mode="clip")
        assert of_groups @ mass / mass.sum() == pytest.approx(rate)
        assert (np.diff(of_groups) <= 0.0).all()
        assert set(of_groups[of_groups < 1.0]) - {0.0} == ({own[-2]} - {0.0, 1.0})
        assert not other.any()


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
def test_a_part_of_a_long_curve_has_the_values_of_the_whole(axis):
    curve = curve_of(sizes=(2500, 2600))
    assert curve.table.size > 4096
    along, across = vertices(curve, axis)
    rates = np.linspace(0.3106, 0.3594, 101)  # not in the outermost steps
    section = CurveSection.of(curve, axis, 0.31, 0.36)
    assert section.along.size < 2000
    assert section.along[0] <= 0.31 < 0.36 <= section.along[-1]
    n = rows_along(curve, axis)
    assert section.heights(rates) == pytest.approx(heights(along, across, rates, n), abs=1e-12)
    whole = CurveSection(along, across, 1.0 / n)
    differences = section.areas(rates) - section.areas(rates[:1])
    assert differences == pytest.approx(whole.areas(rates) - whole.areas(rates[:1]), abs=1e-12)


@pytest.mark.parametrize(
    "measure",
    [
        pauci.AUC(),
        pauci.AP(),
        pauci.AUK(),
        pauci.PAUCc(fpr=(0, 0.3), tpr=(0.4, 1)),
        pauci.PAUC(threshold=(0, 1)),
        pauci.Sensitivity(threshold=0.5),
        pauci.PAUC(fpr=(0, 0.3)) / pauci.PAUCx(tpr=(0.3, 1)),
        pauci.AP() - pauci.PAUC(fpr=(0, 0.3)),
        pauci.Sensitivity(fpr=0.2) + pauci.AUK(),
        pauci.MaxKappa() - pauci.PPV(tpr=0.7),
    ],
    ids=repr,
)
def test_other_measures_have_no_moved_ends(measure):
    assert MovedEnds.of(curve_of(), measure) is None
