"""Operating points of extreme counts and prevalences."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pauci
from pauci import operating_points
from pauci.curve.counts import LARGEST_EXACT

pytestmark = pytest.mark.filterwarnings("ignore::pauci.errors.ReversedScoresWarning")

ALL = ("sensitivity", "specificity", "ppv", "npv", "kappa", "lr_pos", "lr_neg", "youden")


def sample_of(positives, negatives, **options):
    scores = list(range(len(positives), 0, -1))
    return pauci.Sample.from_counts(scores, positives, negatives, **options)


COUNTS = [0, 0, 1, 2, 5, 40, 10**9, 10**11]
# Counts further apart, and rarer prevalences, are refused.
FRACTIONAL = [0.0, 0.0, 1e-7, 0.25, 2.5, 3e9]
PREVALENCES = [None, 1e-50, 1e-40, 1e-16, 1e-6, 0.3, 0.999, 1.0 - 1e-16]


@st.composite
def extreme_tables(draw):
    k, whole = draw(st.integers(1, 5)), draw(st.booleans())
    counts = st.lists(st.sampled_from(COUNTS if whole else FRACTIONAL), min_size=k, max_size=k)
    return whole, draw(counts.filter(any)), draw(counts.filter(any))


@given(
    extreme_tables(),
    st.sampled_from(PREVALENCES),
    st.sampled_from(["cohort", "case-control"]),
    st.sampled_from([0.5, 0.95, 1 - 1e-9]),
)
@pytest.mark.long
def test_extreme_counts_and_prevalences_have_ends_around_each_value(
    table, prevalence, design, level
):
    whole, positives, negatives = table
    sample = sample_of(positives, negatives, design=design, fractional=not whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.SamplingRatioWarning)
        points = operating_points(sample, prevalence=prevalence)
    frame = points.to_frame(level)
    assert points.summary(level)
    tp, fp, fn, tn = (frame[c].to_numpy(float) for c in frame.columns[1:5])
    nobody, everybody = (tp == 0) & (fp == 0), (fn == 0) & (tn == 0)
    undefined = {"ppv": nobody, "lr_pos": nobody, "npv": everybody, "lr_neg": everybody}
    for name in ALL:
        value, low, high = (frame[f"{name}{end}"] for end in ("", "_low", "_high"))
        missing = undefined.get(name, np.zeros(len(frame), bool))
        for column in (value, low, high):
            assert (np.isnan(column) == missing).all(), name
        assert (missing | ((low <= value) & (value <= high))).all(), name
        least = -1.0 if name in ("kappa", "youden") else 0.0
        most = math.inf if name.startswith("lr") else 1.0
        assert (missing | ((low >= least) & (high <= most))).all(), name


@given(st.lists(st.sampled_from([1, 2, 5, 40, 10**4]), min_size=4, max_size=4))
def test_kappa_of_counts_is_right_at_any_size(counts):
    """Against exact arithmetic, for all tables of whole counts."""
    assume(2 * sum(counts[:2]) * sum(counts[2:]) <= LARGEST_EXACT)
    tp, fn, fp, tn = map(Fraction, counts)
    expected = 2 * (tp * tn - fp * fn)
    expected /= (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    found = operating_points(sample_of([int(tp), int(fn)], [int(fp), int(tn)])).points[0].kappa
    assert found == pytest.approx(float(expected), rel=1e-11, abs=1e-15)


def test_a_specified_prevalence_keeps_defined_statistics_defined():
    """At any prevalence NPV is 0 without true negatives, and PPV is 1 without false positives."""
    frame = operating_points(sample_of([1, 2, 3], [0, 5, 0]), prevalence=1e-50).to_frame()
    assert frame["ppv"][0] == 1.0
    assert frame["ppv_high"][0] == 1.0
    assert frame["npv"][1] == 0.0
    assert not frame.loc[1, ["npv_low", "npv_high"]].isna().any()
