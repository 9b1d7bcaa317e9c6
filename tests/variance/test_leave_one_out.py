"""The jackknife against brute force: tables and samples without each row or cluster."""

from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauci
import reference
from makers import normal_scores
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.curve.region import AxisRegion, PointRegion, ThresholdRegion
from pauci.measures.base import Combination, Request
from pauci.variance.leave_one_out import (
    _LeaveOneOutCurves,
    _requested_summary,
    jackknife_by_unit,
    leave_one_out_values,
)
from registry import instances
from strategies import AXES, bounds, samples

COMBINED = [
    lambda region: pauci.PAUCc(fpr=region) / pauci.AUC(),
    lambda region: pauci.AP() - pauci.PAUC(tpr=region),
    lambda region: (pauci.AUK() + pauci.PAI(tpr=region[0])) / pauci.MaxKappa(0.3),
    lambda region: pauci.InitialTPR() - pauci.SPA(fpr=region),
    lambda region: (
        pauci.AP(corrected=True) - (pauci.InitialTPR() + pauci.Sensitivity(fpr=region[1]))
    ),
]


def measures_of(region, spread=1.0):
    """Return every measure for a region, except those at a point that is a corner."""
    for maker in [*instances(spread=spread), *COMBINED]:
        try:
            yield maker(region)
        except ValueError as error:
            assert "corner" in str(error) or "leaves no region" in str(error)  # noqa: PT017


def table_of(pos, neg, **options):
    pos, neg = np.asarray(pos), np.asarray(neg)
    cums = [np.append(0, np.cumsum(c)) for c in (pos, neg)]
    scores = np.arange(pos.size)[::-1] * 1.0
    return CountTable(scores, *cums, int(pos.sum()), int(neg.sum()), **options)


@st.composite
def tables(draw, **options):
    """Counts of up to eight groups, some empty, with at least two rows of each class."""
    k = draw(st.integers(1, 8))
    counts = st.lists(st.integers(0, 3), min_size=k, max_size=k).filter(lambda c: sum(c) >= 2)
    return table_of(draw(counts), draw(counts), **options)


def reduced(table, positive, group):
    counts = {"pos": table.pos.copy(), "neg": table.neg.copy()}
    counts["pos" if positive else "neg"][group] -= 1
    smaller = table_of(**counts, fixed_prevalence=table.fixed_prevalence)
    return Curve(replace(smaller, scores=table.scores))


def at_prevalence(measure, share):
    """Return the measure at a given prevalence instead of that of the sample."""
    if isinstance(measure, pauci.InitialTPR):
        return pauci.AP(share, rescaled=True) / pauci.AUC(rescaled=True)
    if isinstance(measure, Combination):
        parts = (at_prevalence(m, share) for m in (measure.first, measure.second))
        return Combination(*parts, measure.operation)
    names = [f.name for f in fields(measure)]
    if "prevalence" in names and measure.prevalence is None:
        return replace(measure, prevalence=share)
    return measure


def value_of(curve, measure):
    try:
        return measure.value(curve, measure.region.piece(curve))
    except ValueError as error:
        assert "undefined here" in str(error)  # noqa: PT017
        return np.nan


def brute_force(table, measure):
    if table.fixed_prevalence:
        measure = at_prevalence(measure, table.total_pos / (table.total_pos + table.total_neg))
    return [
        [
            value_of(reduced(table, positive, k), measure) if counts[k] else np.nan
            for k in range(table.size)
        ]
        for positive, counts in ((True, table.pos), (False, table.neg))
    ]


def curve_of(sample, name=None):
    return sample.ratings(name or sample.names[0]).curve


def check_left_out(table, region, spread):
    for measure in measures_of(region, spread):
        if isinstance(measure.region, ThresholdRegion):
            held = [s for s in table.scores if measure.region.low <= s < measure.region.high]
            if not held:
                continue
        found, expected = leave_one_out_values(Curve(table), measure), brute_force(table, measure)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=repr(measure))


@pytest.mark.long
@settings(max_examples=20)
@given(tables(), bounds())
def test_left_out_is_brute_force_in_tables(table, region):
    check_left_out(table, region, table.size)


@pytest.mark.long
@settings(max_examples=20)
@given(tables(fixed_prevalence=True), bounds())
def test_left_out_keeps_the_prevalence_of_a_case_control_sample(table, region):
    check_left_out(table, region, table.size)


@pytest.mark.long
@settings(max_examples=20)
@given(samples(), bounds(), st.sampled_from(["cohort", "case-control"]))
def test_left_out_is_brute_force_in_samples(data, region, design):
    y, s = data
    check_left_out(curve_of(pauci.Sample(y, s, design=design)).table, region, max(s) + 1)


RULES = ("north-east", "middle", "south-west")


@given(tables(), bounds(), AXES, st.sampled_from(RULES))
def test_parts_follow_every_rule_for_ends(table, region, axis, ends):
    low, high = region
    regions = [AxisRegion(axis, low, high, ends)]
    regions += [PointRegion(axis, at, ends) for at in region]
    for positive, counts in ((True, table.pos), (False, table.neg)):
        lost = np.flatnonzero(counts)
        for asked in regions:
            found = _requested_summary(
                Request("piece", asked), _LeaveOneOutCurves(table, positive, lost)
            )
            for row, group in zip(found, lost, strict=True):
                curve = reduced(table, positive, group)
                start, end = asked.piece(curve)
                expected = [curve.area(start, end), start.fpr, start.tpr, end.fpr, end.tpr]
                np.testing.assert_allclose(row, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("ends", RULES)
@pytest.mark.parametrize("axis", ["fpr", "tpr"])
def test_bounds_that_meet_knots_with_and_without_the_row(axis, ends):
    table = table_of([2, 0, 1, 3, 0, 1, 0, 4], [0, 3, 2, 0, 4, 1, 2, 0])
    totals = {"fpr": table.total_neg, "tpr": table.total_pos}
    for total in (totals[axis], totals[axis] - 1):
        for i in range(total):
            region = AxisRegion(axis, Fraction(i, total), Fraction(i + 1, total), ends)
            for positive, counts in ((True, table.pos), (False, table.neg)):
                lost = np.flatnonzero(counts)
                found = _requested_summary(
                    Request("piece", region), _LeaveOneOutCurves(table, positive, lost)
                )
                for row, group in zip(found, lost, strict=True):
                    curve = reduced(table, positive, group)
                    (_, _, *start), (_, _, *end) = piece = region.piece(curve)
                    expected = [curve.area(*piece), *start, *end]
                    np.testing.assert_allclose(row, expected, rtol=0, atol=1e-14)


def test_counts_of_billions_stay_exact():
    big = 10**9
    table = table_of([big, 3, 1, big], [1, big, big // 3, 7])
    for measure in (pauci.PAUCc(fpr=(0.1, 0.7)), pauci.AUC(), pauci.PAUCx(tpr=(0.5, 1))):
        found, expected = leave_one_out_values(Curve(table), measure), brute_force(table, measure)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


def by_definition(sample, measure):
    """Bias and variance from samples without a row each, written as in the docstring."""
    y, s = sample.rows.positive, sample.ratings("score").values
    theta = value_of(curve_of(sample), measure)
    share = y.mean()
    fixed = sample.design == "case-control"
    kept = at_prevalence(measure, share) if fixed else measure
    rows = np.arange(y.size)
    left = np.array(
        [value_of(curve_of(pauci.Sample(y[rows != i], s[rows != i])), kept) for i in rows]
    )
    by_class = fixed or not measure.uses_sample_prevalence
    sets = [left[y], left[~y]] if by_class else [left]
    bias = sum((v.size - 1) * (v.mean() - theta) for v in sets)
    return bias, sum((v.size - 1) / v.size * ((v - v.mean()) ** 2).sum() for v in sets)


def make_sample(n_pos, n_neg, seed=1, digits=1, **options):
    y, s = normal_scores(n_pos, n_neg, seed, 0.7, digits, shuffled=True)
    return pauci.Sample(y, np.clip(s, -1, 2) if digits == 0 else s, **options)


# Rounded to whole numbers, two scores lie in the threshold region from 0.5 to 2.5.
MEASURES = [*instances((0.1, 0.5), spread=5), *(maker((0.1, 0.5)) for maker in COMBINED)]
named = pytest.mark.parametrize("measure", MEASURES, ids=repr)


@named
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_bias_and_variance_by_definition(measure, design):
    sample = make_sample(12, 17, seed=4, design=design)
    bias, variance = by_definition(sample, measure)
    (j,), matrix = joint_jackknife(sample.rows, [(only(sample), measure)])
    assert j.value == value_of(curve_of(sample), measure)
    assert j.bias == pytest.approx(bias, abs=1e-11)
    assert matrix.item() == pytest.approx(variance, abs=1e-12)
    of_all = measure.uses_sample_prevalence and design == "cohort"
    assert (j.sizes, j.by_class) == ((29, 29) if of_all else (12, 17), not of_all)


def only(sample):
    """The ratings of the only classifier."""
    return sample.ratings(sample.names[0])


def joint_jackknife(rows, terms):
    """Return the jackknife of each term, and their covariance matrix."""
    estimates, z = zip(*jackknife_by_unit(rows, terms), strict=True)
    z, copies = np.array(z), rows.frequency if rows.cluster is None else None
    return estimates, (z if copies is None else z * copies) @ z.T


@given(samples(classifiers=2), st.sampled_from(["cohort", "case-control"]))
def test_auc_has_delongs_covariance_and_no_bias(data, design):
    y, a, b = data
    sample = pauci.Sample(y, {"a": a, "b": b}, design=design)
    terms = [(scores, pauci.AUC()) for scores in map(sample.ratings, sample.names)]
    estimates, matrix = joint_jackknife(sample.rows, terms)
    expected = [[reference.delong(y, s, t) for t in (a, b)] for s in (a, b)]
    np.testing.assert_allclose(matrix, expected, atol=1e-14, rtol=1e-11)
    for e in estimates:
        assert e.bias == pytest.approx(0, abs=1e-12)


def paired(design, seed=3, **options):
    rng = np.random.default_rng(seed)
    y = np.repeat([True, False], [11, 16])
    a = np.round(rng.normal(size=27) + y, 1)
    return y, a, np.round(a + rng.normal(size=27)), options | {"design": design}


WANTED = [pauci.AP(), pauci.PAUCc(fpr=(0.1, 0.6)), pauci.InitialTPR(), pauci.LocalC(tpr=(0.2, 0.9))]


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_the_joint_covariance_of_pairs_by_rows(design):
    y, a, b, options = paired(design)
    sample = pauci.Sample(y, {"a": a, "b": b}, **options)
    rows, z = np.arange(y.size), []
    for values in (a, b):
        for m in WANTED:
            kept = at_prevalence(m, y.mean()) if design == "case-control" else m
            left = np.array(
                [
                    value_of(curve_of(pauci.Sample(y[rows != i], values[rows != i])), kept)
                    for i in rows
                ]
            )
            sets = [y, ~y]
            if design == "cohort" and m.uses_sample_prevalence:
                sets = [y | True]
            for which in sets:
                n = which.sum()
                left[which] = np.sqrt((n - 1) / n) * (left[which] - left[which].mean())
            z.append(left)
    terms = [(scores, m) for scores in map(sample.ratings, sample.names) for m in WANTED]
    estimates, matrix = joint_jackknife(sample.rows, terms)
    np.testing.assert_allclose(matrix, np.array(z) @ np.array(z).T, rtol=0, atol=1e-12)
    for i, (term, e) in enumerate(zip(terms, estimates, strict=True)):
        (alone,), variance = joint_jackknife(sample.rows, [term])
        assert alone == e
        assert variance.item() == pytest.approx(matrix[i, i], rel=1e-12)


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_clusters_are_left_out_as_a_whole(design, counted):
    y, a, b, options = paired(design)
    rng = np.random.default_rng(5)
    cluster = rng.integers(0, 9, y.size)
    k = rng.integers(0, 3, y.size) if counted else np.ones(y.size, int)
    if counted:
        k[cluster == 4] = 0
    sample = pauci.Sample(
        y, {"a": a, "b": b}, cluster=cluster, frequency=k if counted else None, **options
    )
    terms = [(scores, m) for scores in map(sample.ratings, sample.names) for m in WANTED]
    estimates, matrix = joint_jackknife(sample.rows, terms)
    held = [g for g in range(9) if k[cluster == g].any()]
    assert (4 in held) != counted
    share, n = np.repeat(y, k).mean(), len(held)
    z = []
    for (scores, m), e in zip(terms, estimates, strict=True):
        values = scores.values
        kept = at_prevalence(m, share) if design == "case-control" else m
        left = []
        for g in held:
            others = cluster != g
            yy, ss = (np.repeat(v[others], k[others]) for v in (y, values))
            left.append(value_of(curve_of(pauci.Sample(yy, ss)), kept))
        left = np.array(left)
        assert e.bias == pytest.approx((n - 1) * (left.mean() - e.value), abs=1e-11)
        z.append(np.sqrt((n - 1) / n) * (left - left.mean()))
        assert (e.sizes, e.by_class) == ((n, n), False)
    np.testing.assert_allclose(matrix, np.array(z) @ np.array(z).T, rtol=0, atol=1e-12)


def test_tables_must_have_whole_counts_or_rows():
    y, s = [0, 1, 0, 1, 0, 1], [1, 2, 2, 4, 3, 5]
    weighted = pauci.Sample(y, s, weight=[1, 2, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="sampling weights or fractional"):
        leave_one_out_values(curve_of(weighted), pauci.AUC())
    counts = pauci.Sample.from_counts([1, 2], [1.5, 2], [2, 1], fractional=True)
    with pytest.raises(ValueError, match="weights or fractional counts"):
        joint_jackknife(counts.rows, [(counts.ratings("score"), pauci.AUC())])


@pytest.mark.parametrize("lone", ["positive", "negative"])
def test_each_class_needs_two_rows_or_clusters(lone):
    y = np.array([1, 0, 0, 0]) == (lone == "positive")
    sample = pauci.Sample(y, [4, 3, 2, 1])
    message = f"has 1 row with a {lone} label"
    with pytest.raises(ValueError, match=message):
        leave_one_out_values(curve_of(sample), pauci.AUC())
    with pytest.raises(ValueError, match=message):
        joint_jackknife(sample.rows, [(sample.ratings("score"), pauci.AUC())])
    y = np.array([1, 1, 0, 0]) == (lone == "positive")
    sample = pauci.Sample(y, [4, 3, 2, 1], cluster=[1, 1, 2, 3])
    with pytest.raises(ValueError, match=f"1 cluster with a {lone} label"):
        joint_jackknife(sample.rows, [(sample.ratings("score"), pauci.AUC())])


def test_an_error_names_the_measure_that_is_undefined_without_a_row():
    sample = pauci.Sample([1, 0, 1, 0, 0], [5, 4, 3, 2, 2], cluster=[1, 2, 3, 4, 4])
    measure = pauci.LocalC(threshold=(4, 6))
    message = r"LocalC\(threshold=\(4, 6\)\) is undefined here: without one of 2 of the "
    rows = replace(sample.rows, cluster=None, cluster_labels=None)
    with pytest.raises(ValueError, match=message + "5 rows"):
        joint_jackknife(rows, [(only(sample), measure)])
    with pytest.raises(ValueError, match=message + "4 clusters"):
        joint_jackknife(sample.rows, [(sample.ratings("score"), measure)])
    two = pauci.Sample([1, 0, 1, 0], [4, 3, 2, 1])
    with pytest.raises(ValueError, match="undefined here"):
        joint_jackknife(two.rows, [(only(two), pauci.AP(corrected=True))])
    with pytest.raises(ValueError, match="no row"):
        joint_jackknife(two.rows, [(only(two), pauci.PAUC(threshold=(9, 10)))])
