"""Effective counts of proportions at a cut-off, against loops over rows and units."""

import math

import numpy as np
import pytest

import pauci
from pauci.curve.polyline import Point
from pauci.measures.at_cutoff import (
    FN,
    FP,
    FPR,
    PREVALENCE,
    SENSITIVITY,
    TN,
    TP,
    CellProportion,
)
from pauci.variance.cutoff_counts import CutoffCounts

PPV = CellProportion(TP, TP + FP)
ACCURACY = CellProportion(TP + TN, TP + FP + FN + TN)
PROPORTIONS = {"sensitivity": SENSITIVITY, "PPV": PPV, "accuracy": ACCURACY}


def data(seed=3, n=60, **options):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    score = np.round(rng.standard_normal(n) + y, 1)
    return y, score, pauci.Sample(y, score, **options)


def counts_at(sample, threshold):
    ratings = sample.ratings("score")
    group = ratings.table.groups_predicted_positive(threshold)
    return CutoffCounts.at(ratings, Point(group, 0.0, math.nan, math.nan))


def members(name, y, positive):
    """Return which rows are in the denominator of a proportion, and which have the property."""
    return {
        "sensitivity": (y, positive),
        "PPV": (positive, y),
        "accuracy": (np.ones(y.size, bool), y == positive),
    }[name]


@pytest.mark.parametrize("name", PROPORTIONS)
def test_independent_rows_have_their_counts(name):
    y, score, sample = data()
    whole, part = members(name, y, score >= 0.5)
    effective = counts_at(sample, 0.5).effective(PROPORTIONS[name])
    assert effective == ((whole & part).sum(), whole.sum(), math.inf)


def weight_on_the_rarer_side(whole, part, weight, positive):
    """The mean weight of at least five rows, of the same decision if the side has fewer."""
    side = whole & (part if weight[whole & part].sum() < 0.5 * weight[whole].sum() else ~part)
    other = np.ones(whole.size, bool)
    if len(set(positive[side])) == 1:
        other = positive == positive[side][0]
    rows = max(side.sum(), 5)
    return (weight[side].sum() + (rows - side.sum()) * weight[other].mean()) / rows


def effective_by_definition(whole, part, weight, unit, *, clustered, positive):
    n, total = whole.sum(), weight[whole].sum()
    rate = weight[whole & part].sum() / total
    masses, errors = [], []
    for u in np.unique(unit):
        rows = whole & (unit == u)
        masses.append(weight[rows].sum())
        errors.append((weight[rows] * (part[rows] - rate)).sum())
    units = total**2 / np.square(masses).sum()
    variance = np.square(errors).sum() / total**2 * units / (units - 1.0)
    near = (n * rate + 1.0) / (n + 2.0)
    v0, v = rate * (1.0 - rate) / (n - 1.0), near * (1.0 - near) / (n - 1.0)
    effect = max(1.0, (variance + n / units * (v - v0)) / v)
    df = 1.0 / (1.0 / (units - 1.0) - (1.0 / (n - 1.0) if clustered else 0.0))
    size = n / effect
    if not clustered:
        size = min(size, total / weight_on_the_rarer_side(whole, part, weight, positive))
    return rate * size, size, df


@pytest.mark.parametrize("threshold", [-9.0, 0.5, 1.5])
@pytest.mark.parametrize("name", PROPORTIONS)
@pytest.mark.parametrize("design", ["clusters", "weights", "both"])
def test_effective_counts_of_the_definition(name, design, threshold):
    rng = np.random.default_rng(8)
    unit, weight = rng.integers(0, 14, 60), rng.gamma(2.0, size=60)
    options = {"clusters": {"cluster": unit}, "weights": {"weight": weight}}.get(design)
    y, score, sample = data(**(options or {"cluster": unit, "weight": weight}))
    whole, part = members(name, y, score >= threshold)
    expected = effective_by_definition(
        whole,
        part,
        np.ones(60) if design == "clusters" else weight,
        np.arange(60) if design == "weights" else unit,
        clustered=design != "weights",
        positive=score >= threshold,
    )
    effective = counts_at(sample, threshold).effective(PROPORTIONS[name])
    assert effective == pytest.approx(expected, rel=1e-12)
    assert effective.size <= whole.sum()


def test_frequencies_are_copies():
    rng = np.random.default_rng(8)
    y, score, _ = data()
    times, weight = rng.integers(1, 4, 60), rng.gamma(2.0, size=60)
    many = pauci.Sample(y, score, frequency=times, weight=weight)
    copies = pauci.Sample(
        *(np.repeat(v, times) for v in (y, score)), weight=np.repeat(weight, times)
    )
    got, expected = (counts_at(s, 0.5).effective(SENSITIVITY) for s in (many, copies))
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("missed", [0, 1, 3, 8])
def test_a_row_on_the_rarer_side_counts_by_its_weight(missed):
    """All screen-positives are verified, and a tenth of the others, which have the weight 10."""
    y = np.repeat([True, False], (30 + missed, 40))
    score = np.concatenate((np.ones(30), np.zeros(missed), np.arange(40) % 2))
    sample = pauci.Sample(y, score, weight=np.where(score == 1.0, 1.0, 10.0))
    total = 30.0 + 10.0 * missed
    effective = counts_at(sample, 1.0).effective(SENSITIVITY)
    if missed < 4:  # the missed positives are the rarer side
        assert effective.size == pytest.approx(total / 10.0)
        assert effective.hits == pytest.approx(3.0)
    low, high = pauci.estimate(sample, pauci.Sensitivity(threshold=1)).interval()
    assert low < 0.5
    assert (high == 1.0) == (missed == 0)


def test_no_variance_gives_the_design_effect_of_kish():
    """With all positives found, each cluster counts as one row if clusters are equal."""
    y = np.repeat([True, False], 40)
    sample = pauci.Sample(y, np.where(y, 5.0, np.arange(80) % 7), cluster=np.arange(80) // 4)
    effective = counts_at(sample, 5.0).effective(SENSITIVITY)
    assert effective == pytest.approx((10.0, 10.0, 1.0 / (1 / 9 - 1 / 39)))


def test_rows_in_one_cluster_have_no_degrees_of_freedom():
    y = np.repeat([True, False], 40)
    sample = pauci.Sample(y, np.arange(80) % 9, cluster=np.where(y, 0, np.arange(80)) // 4)
    effective = counts_at(sample, 5.0).effective(SENSITIVITY)
    assert effective.df == pytest.approx(0.01)


def test_correlations_of_the_multinomial_distribution():
    y, score, sample = data()
    positive = score >= 0.5
    parts = [CellProportion(cell, TP + FP + FN + TN) for cell in (TP, FP)]
    p, q = (y & positive).mean(), (~y & positive).mean()
    correlation = counts_at(sample, 0.5).correlation(parts)
    expected = -p * q / math.sqrt(p * (1 - p) * q * (1 - q))
    assert correlation == pytest.approx(np.array([[1.0, expected], [expected, 1.0]]), rel=1e-12)
    others = counts_at(sample, 0.5).correlation([SENSITIVITY, FPR, PREVALENCE])
    assert others == pytest.approx(np.eye(3), abs=1e-12)


def test_cells_inside_a_tie_group_are_interpolated():
    _, _, sample = data()
    ratings = sample.ratings("score")
    ends = [CutoffCounts.at(ratings, Point(k, 0.0, math.nan, math.nan)).masses for k in (5, 6)]
    inside = CutoffCounts.at(ratings, Point(5, 0.25, math.nan, math.nan))
    assert inside.masses == pytest.approx(0.75 * ends[0] + 0.25 * ends[1])
    weighted = data(weight=np.full(60, 2.0))[2].ratings("score")
    of_weighted = CutoffCounts.at(weighted, Point(5, 0.25, math.nan, math.nan))
    assert of_weighted.masses / of_weighted.masses.sum() == pytest.approx(
        inside.masses / inside.masses.sum()
    )


@pytest.mark.parametrize("design", ["none", "clusters", "weights", "both", "frequencies"])
def test_many_cutoffs_have_the_counts_of_each(design):
    rng = np.random.default_rng(11)
    unit, weight = rng.integers(0, 14, 60), rng.gamma(2.0, size=60)
    options = {
        "none": {},
        "clusters": {"cluster": unit},
        "weights": {"weight": weight},
        "both": {"cluster": unit, "weight": weight},
        "frequencies": {"frequency": rng.integers(1, 4, 60), "cluster": unit},
    }
    _, _, sample = data(**options[design])
    ratings = sample.ratings("score")
    groups = np.arange(ratings.table.size + 1)
    many = CutoffCounts.along(ratings, groups)
    singles = [CutoffCounts.at(ratings, Point(k, 0.0, math.nan, math.nan)) for k in groups]
    for name in ("masses", "rows", "products"):
        expected = np.stack([getattr(counts, name) for counts in singles])
        np.testing.assert_allclose(getattr(many, name), expected, rtol=1e-12, atol=1e-10)
    for proportion in PROPORTIONS.values():
        found = many.effective(proportion)
        for k in groups[1:]:
            at_k = [float(np.broadcast_to(number, groups.shape)[k]) for number in found]
            assert at_k == pytest.approx(singles[k].effective(proportion), rel=1e-9)
