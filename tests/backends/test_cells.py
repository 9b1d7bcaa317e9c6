"""Scores in cells: values of all scores, whatever their scale and order, and exact thresholds."""

import pickle
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauci
from backend_frames import LAZY, rows
from pauci.backends.cells import DRAWN, ScoreCells, draw, joined
from pauci.sample import from_frame
from pauci.sample.ratings import CellFacts

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]


def rare_event(n=60_000, seed=5):
    """Return labels with 1% positives, and the logits of two classifiers."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.01
    common = rng.normal(size=n)
    better, worse = (common + rng.normal(size=n) + d * y for d in (2.6, 1.9))
    return y.astype(np.int64), 2.5 * better - 14.0, worse


def probability(logit):
    return 1.0 / (1.0 + np.exp(-logit))


def alternating(logit, other):
    return np.where(np.arange(logit.size) % 5 < 2, logit, other)


SCALES = {
    "probabilities": probability,
    "logits": lambda logit: logit,
    "outliers": lambda logit: np.append(logit[:-2], [1e9, -1e300]),
    "a heavy tail": lambda logit: np.tan(np.pi * (probability(logit + 14) - 0.5) * 0.999),
    "two far modes": lambda logit: alternating(logit, logit + 1e9),
    "heavy ties": lambda logit: np.where(logit < -12.0, 0.0, probability(logit)),
    "ties and others": lambda logit: alternating(np.round(logit, 1), logit),
    "negative": lambda logit: -1e6 - 1e-3 * probability(-logit),
    "single precision": lambda logit: probability(logit).astype(np.float32),
    "near one": lambda logit: 1.0 - probability(logit),
    "jittered ratings": lambda logit: np.round(logit) + 1e-8 * np.arctan(logit),
}
MEASURES = [
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.1)),
    pauci.PAUC(tpr=(0.8, 1)),
    pauci.AP(),
    pauci.Sensitivity(fpr=0.05),
]


@pytest.mark.parametrize("scale", SCALES)
def test_values_are_those_of_all_scores_on_every_scale(scale):
    """Cells of 60,000 rows; the errors decrease with their number faster than standard errors."""
    y, better, worse = rare_event()
    frame = pd.DataFrame({"y": y, "a": SCALES[scale](better), "b": worse})
    given = {"label": "y", "scores": ["a", "b"]}
    given["lower_is_positive"] = ["a"] if scale == "near one" else False
    lazy = pauci.Sample.from_frame(LAZY["polars lazy"](frame), resolution=2**13, **given)
    exact = pauci.Sample.from_frame(frame, **given)
    assert lazy.ratings("a").table.size <= 2**13
    for measure in MEASURES:
        c, expected = (pauci.compare(s, measure) for s in (lazy, exact))
        assert abs(c.difference - expected.difference) < 0.05 * expected.se
        assert c.se == pytest.approx(expected.se, rel=0.01)
    auc, other = (pauci.estimate(s["a"], pauci.AUC()) for s in (lazy, exact))
    assert abs(auc.value - other.value) < 0.001 * other.se
    cells = lazy.ratings("a").cells
    assert cells is None or abs(auc.value - other.value) <= cells.bound < 0.003


@pytest.mark.parametrize("name", ["polars lazy", "duckdb"])
def test_cells_do_not_depend_on_the_order_of_the_rows(name):
    y, better, worse = rare_event(8000)
    frame = pd.DataFrame({"y": y, "a": better, "b": worse})
    found = [
        pauci.compare(
            pauci.Sample.from_frame(LAZY[name](f), "y", ["a", "b"], resolution=300), pauci.AUC()
        )
        for f in (frame, frame.sort_values("a"), frame.sample(frac=1.0, random_state=1))
    ]
    for c in found[1:]:
        assert (c.difference, c.se) == pytest.approx((found[0].difference, found[0].se), rel=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300, 1e9])
def test_cells_are_equal_on_all_engines(scale):
    frame = rows(900, digits=9)
    frame["a"] = frame["a"] * scale + (0.0 if scale != 1e9 else 1e15)
    tables = [
        pauci.Sample.from_frame(lazy(frame), "y", "a", resolution=100).ratings().table
        for lazy in LAZY.values()
    ]
    for table in tables[1:]:
        for name in ("scores", "cum_pos", "cum_neg"):
            np.testing.assert_array_equal(getattr(table, name), getattr(tables[0], name))
    assert 20 < tables[0].size <= 100


GIVEN = {
    "one": {"scores": "a"},
    "lower": {"scores": "a", "lower_is_positive": True},
    "frequency": {"scores": "a", "frequency": "f"},
    "weight": {"scores": ["a", "b"], "weight": "w"},
    "cluster": {"scores": ["a", "b"], "cluster": "patient"},
}


@pytest.mark.parametrize("design", GIVEN)
def test_many_rows_may_have_the_largest_score(design):
    frame = rows(900, digits=9)
    frame["a"], frame["b"] = frame["a"].clip(-1.0, 1.0), -frame["b"].clip(-1.0, 1.0)
    options = GIVEN[design] | {"thresholds": [1.0, -1.0]}
    lazy = pauci.Sample.from_frame(LAZY["duckdb"](frame), "y", resolution=100, **options)
    exact = pauci.Sample.from_frame(frame, "y", **options)
    for measure in (pauci.Sensitivity(threshold=1.0), pauci.Specificity(threshold=-1.0)):
        found, expected = (pauci.estimate(s["a"], measure) for s in (lazy, exact))
        assert found.value == pytest.approx(expected.value, rel=1e-12)


@pytest.mark.parametrize("design", GIVEN)
@pytest.mark.parametrize("backend", LAZY)
def test_counts_at_given_thresholds_are_exact(backend, design):
    frame = rows(900, digits=9)
    frame["a"] = frame["a"].astype(np.float32)
    thresholds = [float(np.sort(frame["a"])[400]), 0.7]  # one of them is the score of a row
    lazy = pauci.Sample.from_frame(
        LAZY[backend](frame), "y", resolution=16, thresholds={"a": thresholds}, **GIVEN[design]
    )
    exact = pauci.Sample.from_frame(frame, "y", **GIVEN[design])
    for t in thresholds:
        measures = [
            pauci.Sensitivity(threshold=t),
            pauci.Specificity(threshold=t),
            pauci.MCC(threshold=t),
            pauci.PPV(threshold=t, prevalence=0.1),
        ]
        found, expected = (pauci.estimate(s["a"], measures) for s in (lazy, exact))
        for e, other in zip(found, expected, strict=True):
            assert e.value == pytest.approx(other.value, rel=1e-12)
            assert e.se == pytest.approx(other.se, rel=1e-10)
            assert e.interval() == pytest.approx(other.interval(), rel=1e-9)


@pytest.mark.parametrize("given", [{"scores": "a"}, {"scores": "a", "frequency": "f"}], ids=str)
@pytest.mark.parametrize("backend", LAZY)
def test_rows_of_a_single_score_are_counted(backend, given, monkeypatch):
    """The memory does not increase with the number of rows."""
    frame = rows(900, digits=9)
    frame["f"] = frame["f"].astype(np.int64) * 2**50
    frame.loc[frame["y"].idxmax(), "f"] += 1  # beyond the precision of doubles
    read = from_frame._rows
    monkeypatch.setattr(from_frame, "_rows", None)
    lazy = pauci.Sample.from_frame(LAZY[backend](frame), "y", resolution=100, **given)
    monkeypatch.setattr(from_frame, "_rows", read)
    exact = pauci.Sample.from_frame(frame, "y", **given)
    assert lazy.rows.positive.size <= 200
    assert repr(lazy).partition(", scores in")[0] == repr(exact)[:-1]
    (found, expected) = (pauci.estimate(s, pauci.AUC()) for s in (lazy, exact))
    assert abs(found.value - expected.value) <= lazy.ratings().cells.bound


def test_the_sample_states_its_cells():
    frame = rows(900, digits=9)
    sample = pauci.Sample.from_frame(LAZY["duckdb"](frame), "y", ["a", "b"], resolution=100)
    cells = [sample.ratings(name).cells for name in "ab"]
    stated = re.search(r"scores in ([\d,]+) cells \(AUC within ([\d.e-]+)\)", repr(sample))
    assert int(stated[1]) == max(c.number for c in cells)
    assert 0.0 <= float(stated[2]) - max(c.bound for c in cells) < 0.001
    assert str(CellFacts(9, 0.00101)).endswith("0.002)")
    same = pickle.loads(pickle.dumps(sample))
    assert repr(same) == repr(sample)
    assert "cells" not in repr(pauci.Sample.from_frame(LAZY["duckdb"](frame), "y", "a"))
    for resolution in ("exact", None):
        every = pauci.Sample.from_frame(LAZY["duckdb"](frame), "y", "a", resolution=resolution)
        assert every.ratings().table.size == 900


@pytest.mark.parametrize("value", [1, 0, -3, 2.5, True, "all"])
def test_resolutions_that_are_invalid(value):
    with pytest.raises((pauci.InputError, pauci.InputTypeError)) as caught:
        pauci.Sample.from_frame(LAZY["duckdb"](rows(60)), "y", "a", resolution=value)
    assert caught.value.argument == "resolution"


@pytest.mark.parametrize("value", ["0.5", [0.1, None], {"c": 1.0}, float("nan")])
def test_thresholds_that_are_invalid(value):
    for frame in (rows(60), LAZY["duckdb"](rows(60))):
        with pytest.raises((pauci.InputError, pauci.InputTypeError)) as caught:
            pauci.Sample.from_frame(frame, "y", "a", thresholds=value)
        assert caught.value.argument == "thresholds"


def cells_of(values, thresholds, resolution, batches=3):
    """Return the cells of scores that are read in batches."""
    of_batch = partial(draw, ["a"], ["a"], min(1.0, DRAWN / values.size))
    drawn = joined([of_batch({"a": part}) for part in np.array_split(values, batches)])
    ends = float(values.min()), float(values.max())
    return ScoreCells.of(*drawn[0], *drawn[1], ends, thresholds, resolution)


@pytest.mark.parametrize("scale", ["two far modes", "logits", "a heavy tail"])
def test_cells_are_not_wasted_on_gaps(scale):
    scores = SCALES[scale](rare_event(40_000)[1])
    number = cells_of(scores, [], 2**12).number(scores)
    counts = np.bincount(number, minlength=2**12)
    assert np.count_nonzero(counts) > 0.9 * 2**12
    assert counts.max() < 4 * scores.size / 2**12


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False, width=64) | st.integers(-3, 3).map(float),
        min_size=2,
        max_size=80,
    ),
    st.integers(2, 200),
    st.integers(0, 79),
)
def test_cells_are_intervals_and_thresholds_are_their_ends(values, resolution, which):
    scores = np.array(values) / 4.0 + 0.0  # so that differences do not overflow
    thresholds = [scores[which % scores.size], 0.5]
    cells = cells_of(scores, thresholds, resolution)
    number = cells.number(scores)
    order = np.argsort(scores, kind="stable")
    assert (np.diff(number[order]) >= 0).all()
    assert (np.diff(cells.scores) >= 0.0).all()
    assert number.max() == cells.scores.size - 1
    for t in thresholds:
        np.testing.assert_array_equal(scores >= t, cells.scores[number] >= t)
    for k in np.unique(number[cells.single[number]]):
        assert np.ptp(scores[number == k]) == 0.0


@pytest.mark.parametrize("scale", SCALES)
def test_a_table_of_lines_gives_the_cells_of_bisection(scale):
    scores = SCALES[scale](rare_event(30_000)[1]).astype(float)
    cells = cells_of(scores, [0.3, float(scores[7])], 2**12)
    few = np.concatenate([cells.number(part) for part in np.array_split(scores, 30)])
    many = cells.number(scores)
    assert np.mean(few != many) < 0.01
    assert np.abs(few - many).max() <= 1
    for t in (0.3, float(scores[7])):
        np.testing.assert_array_equal(scores >= t, cells.scores[many] >= t)


def test_scores_of_another_reading_above_the_largest_are_in_no_cell():
    scores = rare_event(30_000)[1].astype(float)
    cells, largest = cells_of(scores, [], 2**8), scores.max()
    for size in (2, 30_000):
        number = cells.number(np.repeat([largest, np.nextafter(largest, np.inf)], size))
        assert (number == np.repeat([cells.scores.size - 1, cells.scores.size], size)).all()


def test_the_number_of_distinct_rows_is_estimated():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 400, 60_000).astype(float), rng.normal(size=60_000).round(1)
    of_batch = partial(draw, ["a", "b"], ["a", "b"], 0.25)
    scores, _, keys = joined([of_batch({"a": a[k::4], "b": b[k::4]}) for k in range(4)])
    distinct = len(np.unique(np.stack([a, b]), axis=1).T)
    assert keys.size / 0.25 == pytest.approx(distinct, rel=0.05)
    for values, column in zip(scores, (a, b), strict=True):
        assert values.size / 0.25 == pytest.approx(np.unique(column).size, rel=0.35)
