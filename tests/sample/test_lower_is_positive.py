"""Markers with low positive values: equal to negated scores, with thresholds on their scale."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
from pauci import AUC, PAUC, MaxKappa, PAUCc, Sample, Sensitivity, estimate
from strategies import samples

pytestmark = pytest.mark.usefixtures("quiet")

Y = [0, 1, 0, 1, 0, 1, 1, 0, 1, 0]
LOW = [9, 2, 7, 3, 4, 2, 5, 8, 4, 6]
MEASURES = [AUC(), PAUC(fpr=(0, 0.4)), PAUCc(fpr=(0.1, 0.6)), Sensitivity(fpr=0.2), MaxKappa()]


def lower(**options):
    return Sample(Y, LOW, lower_is_positive=True, **options)


def turned():
    return Sample(Y, [-x for x in LOW])


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize(
    "variance", ["influence", pauci.Jackknife(), pauci.Bootstrap(50, rng=1)], ids=repr
)
def test_lower_is_positive_negates_the_scores(measure, variance):
    a, b = estimate(lower(), measure, variance), estimate(turned(), measure, variance)
    assert (a.value, a.se, a.interval()) == (b.value, b.se, b.interval())


@given(samples(), st.integers(-1, 13), st.integers(-1, 13))
def test_a_range_of_scores_is_mirrored(data, low, high):
    """The range low < s <= high is -high <= -s < -low of the negated scores."""
    y, s = data
    negated = Sample(y, [-x for x in s])
    sample = Sample(y, s, lower_is_positive=True)
    low, high = min(low, high), max(low, high) + 1
    inside = [low < x <= high for x in s]
    m, mirrored = PAUCc(threshold=(low, high)), PAUCc(threshold=(-high, -low))
    if not any(inside):
        with pytest.raises(pauci.errors.UndefinedError, match="low < score <= high"):
            estimate(sample, m)
        return
    a, b = estimate(sample, m), estimate(negated, mirrored)
    assert (a.value, a.se) == (b.value, b.se)
    held = [x for x, i in zip(s, inside, strict=True) if i]
    assert a.region.threshold[1] == max(held)
    above = [x for x in s if x < min(held)]
    assert a.region.threshold[0] == max(above, default=-math.inf)


def test_an_open_end_is_called_positive():
    down = PAUCc(threshold=(None, 4))
    assert estimate(lower(), down).region.tpr == (0, 0.8)
    assert estimate(lower(), down).region.fpr == (0, 0.2)
    rest = PAUCc(threshold=(4, None))
    parts = [estimate(lower(), m).value for m in (down, rest)]
    assert sum(parts) == pytest.approx(estimate(lower(), AUC()).value)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_thresholds_are_on_the_scale_of_the_user(measure):
    a, b = estimate(lower(), measure), estimate(turned(), measure)
    assert a.region.threshold == tuple(-t for t in b.region.threshold)[::-1]
    assert a.region.cut == -b.region.cut
    row = a.to_frame().iloc[0]
    assert (row["threshold_low"], row["threshold_high"]) == a.region.threshold


def test_operating_points_and_curves_are_positive_below_the_threshold():
    points = pauci.operating_points(lower())
    assert [p.threshold for p in points] == sorted(set(LOW))
    first = points.points[0]
    assert (first.threshold, first.true_positives, first.false_positives) == (2, 2, 0)
    frame = pauci.curve_points(lower())
    assert frame["threshold"].tolist() == [-math.inf, *sorted(set(LOW))]


def test_a_threshold_above_all_scores_calls_none_positive():
    sample = Sample([1, 0, 1, 0, 1, 0], [1, 1, 2, 2, 3, 3], lower_is_positive=True)
    (nobody,) = pauci.operating_points(sample, fpr=0)
    assert nobody[:3] == (-math.inf, 0, 0)
    (again,) = pauci.operating_points(sample, thresholds=nobody.threshold)
    assert again[:3] == nobody[:3]
    with pytest.raises(ValueError, match="-inf calls no row positive"):
        pauci.operating_points(sample, thresholds=math.nan)
    grades = pd.Categorical(["a", "a", "b", "b"], ["a", "b"], ordered=True)
    ordinal = Sample([1, 0, 1, 0], grades, lower_is_positive=True)
    assert "below all" in pauci.operating_points(ordinal, tpr=0).summary()


def test_only_named_classifiers_are_negated():
    sample = Sample(Y, {"a": LOW, "b": LOW, "c": LOW}, lower_is_positive=["a", "c"])
    values = {e.classifier: e.value for e in estimate(sample, [AUC()])}
    assert values["a"] == values["c"] == pytest.approx(1 - values["b"])
    one = Sample(Y, {"a": LOW, "b": LOW}, lower_is_positive="a")
    assert [r.lower_is_positive for r in map(one.ratings, "ab")] == [True, False]
    frame = pd.DataFrame({"y": Y, "a": LOW, "b": LOW})
    again = Sample.from_frame(frame, "y", ["a", "b"], lower_is_positive="a")
    assert [e.value for e in estimate(again, [AUC()])] == [e.value for e in estimate(one, [AUC()])]


def test_tables_of_counts_too():
    p, n = [8, 3, 1], [1, 5, 30]
    a = estimate(Sample.from_counts([1, 2, 3], p, n, lower_is_positive=True), PAUC(fpr=(0, 0.1)))
    b = estimate(Sample.from_counts([-1, -2, -3], p, n), PAUC(fpr=(0, 0.1)))
    assert (a.value, a.se) == (b.value, b.se)
    assert a.region.threshold == (-math.inf, 2)
    pair = np.array([[3, 1, 0], [1, 2, 1], [0, 1, 1]])
    both = Sample.from_counts(
        [1, 2, 3], pair, pair[::-1, ::-1], names=("A", "B"), lower_is_positive="A"
    )
    first, second = (e.value for e in estimate(both, [AUC()]))
    assert first == pytest.approx(1 - second)


def test_ordered_categories_are_reversed():
    grades = pd.Categorical(
        ["poor", "fair", "good", "poor"], ["poor", "fair", "good"], ordered=True
    )
    sample = Sample([1, 1, 0, 0], grades, lower_is_positive=True)
    e = estimate(sample, PAUCc(threshold=("poor", "fair")))
    assert e.region.threshold == ("poor", "fair")
    assert [p.threshold for p in pauci.operating_points(sample)] == ["poor", "fair", "good"]
    assert estimate(sample, PAUCc(threshold=(None, "poor"))).region.threshold == (-math.inf, "poor")
    assert estimate(sample, PAUCc(threshold=("poor", None))).region.threshold == ("poor", "good")


@pytest.mark.parametrize(
    "scores",
    [
        np.array([0, 255, 3, 4], np.uint8),
        np.array([-128, 127, 3, 4], np.int8),
        np.array([0, 2**63 - 1, 2**53, 2**53 + 1], np.uint64),
        np.array([-(2**63) + 1, 2**63 - 1, 2**53, 2**53 + 1]),
        np.array([True, False, True, False]),
        np.array([0.0, -0.0, 5e-324, -1e308]),
        np.array([1, 1 + 1e-7, 3, 4], np.float32),
        pd.array([1, 2, 3, 3], dtype="Int64"),
    ],
)
def test_negation_is_exact(scores):
    y = [1, 0, 1, 0]
    values = [float(v) if isinstance(v, np.floating) else int(v) for v in np.asarray(scores)]
    wins = sum(
        (values[i] < values[j]) + (values[i] == values[j]) / 2 for i in (0, 2) for j in (1, 3)
    )
    sample = Sample(y, scores, lower_is_positive=True)
    assert estimate(sample, AUC()).value == wins / 4
    expected = sorted(set(values))
    assert [p.threshold for p in pauci.operating_points(sample)] == expected
    for threshold in (expected[0], np.asarray(scores)[0]):
        estimate(sample, PAUCc(threshold=(None, threshold)))


@pytest.mark.parametrize("worst", [np.array(-(2**63)), np.array(2**64 - 1, np.uint64)])
def test_scores_that_cannot_be_negated_are_an_error(worst):
    scores = np.array([worst, worst, 0, 1], worst.dtype)
    with pytest.raises(ValueError, match=f"y_score holds {worst}.*Rank the scores") as caught:
        Sample([1, 0, 1, 0], scores, lower_is_positive=True)
    assert caught.value.argument == "y_score"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ("b", ValueError, "'b' is not a classifier of this sample.*It has: crp"),
        ("cpr", ValueError, "Did you mean 'crp'?"),
        (["crp", "x"], ValueError, "'x' is not a classifier"),
        (1, TypeError, "lower_is_positive=1 must be True, False, or the names"),
        (None, TypeError, "lower_is_positive=None"),
        ({"crp": True}, TypeError, "lower_is_positive="),
    ],
)
def test_lower_is_positive_must_be_a_bool_or_names(given, error, words):
    with pytest.raises(error, match=words.replace("?", r"\?")) as caught:
        Sample(Y, {"crp": LOW}, lower_is_positive=given)
    assert caught.value.argument == "lower_is_positive"


def test_functions_of_the_user_get_negated_scores():
    def difference(y, s):
        return float(s[y == 1].mean() - s[y == 0].mean())

    values = [
        estimate(sample, difference, pauci.Bootstrap(20, rng=1)).value
        for sample in (lower(), turned())
    ]
    assert values[0] == values[1] > 0
