"""The results are those of pandas for rows in any type of frame."""

import copy
import functools
import pickle

import numpy as np
import pandas as pd
import pytest

import pauci
from backend_frames import (
    DESIGNS,
    EAGER,
    ESTIMATED_WEIGHTS,
    LAZY,
    followed_up,
    rows,
)
from pauci.sample import from_frame

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]

MEASURES = (
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.PAUC(tpr=(0.5, 1)),
    pauci.LocalC(fpr=(0.1, 0.6)),
    pauci.AP(prevalence=0.2),
    pauci.AUK(),
    pauci.PAUCc(threshold=(0.5, 1.5)),
)


def sample_of(frame, design):
    given = {"label": "y", "positive": None} | DESIGNS[design]
    return pauci.Sample.from_frame(frame, **given)


@functools.cache
def in_memory(design):
    return sample_of(rows(), design)


def results(sample, measures=MEASURES):
    """Return estimates and, of several classifiers, differences."""
    estimates = pauci.estimate(sample, list(measures))
    return estimates, pauci.compare(sample, MEASURES[1:2]) if len(sample) > 1 else ()


@functools.cache
def results_in_memory(design, measures=MEASURES):
    return results(in_memory(design), measures)


def same(found, expected):
    """Check that results are equal."""
    for family, others in zip(found, expected, strict=True):
        for q, other in zip(family, others, strict=True):
            assert q.value == pytest.approx(other.value, rel=1e-12, abs=1e-15)
            assert q.se == pytest.approx(other.se, rel=1e-12)
            assert q.df == pytest.approx(other.df, rel=1e-10)
            assert q.interval() == pytest.approx(other.interval(), rel=1e-12)
    np.testing.assert_allclose(found[0].cov, expected[0].cov, rtol=1e-11, atol=1e-17)
    for e, other in zip(found[0], expected[0], strict=True):
        assert (e.n_pos, e.n_neg, e.excluded) == (other.n_pos, other.n_neg, other.excluded)
        assert e.rows.units == pytest.approx(other.rows.units, rel=1e-12)
        assert e.region.threshold == other.region.threshold


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", [*EAGER, *LAZY])
def test_every_engine_and_design(backend, design):
    sample = sample_of((EAGER | LAZY)[backend](rows()), design)
    assert repr(sample) == repr(in_memory(design))
    same(results(sample), results_in_memory(design))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", LAZY)
def test_rows_that_are_grouped_or_read_in_two_passes(backend, design, monkeypatch):
    """Few distinct rows are grouped by the engine, and all numbers are those of all rows."""
    grouped = []
    original = from_frame._grouped
    monkeypatch.setattr(from_frame, "_grouped", lambda *args: grouped.append(1) or original(*args))
    frame = rows(900, digits=0).assign(patient=lambda f: "p" + (f["ward"] % 3).astype(str))
    frame["ward"] %= 5
    given = {"label": "y", "positive": None} | DESIGNS[design]
    sample = pauci.Sample.from_frame(LAZY[backend](frame), resolution=99, **given)
    expected = pauci.Sample.from_frame(frame, **given)
    assert bool(grouped) == ("weight" not in DESIGNS[design])
    assert repr(sample) == repr(expected)
    some = MEASURES[1:3] + MEASURES[4:5]
    same(results(sample, some), results(expected, some))


def test_the_decision_does_not_depend_on_the_first_rows():
    """A file that is sorted begins with equal rows, or with different ones."""
    pl = pytest.importorskip("polars")
    y = np.tile([0, 1], 2000)
    few, many = np.repeat([1.0, 2.0], 2000), np.arange(4000.0)
    for scores in (np.append(few, many), np.append(many, few)):
        frame = pl.DataFrame({"y": np.append(y, y), "a": scores})
        sample = pauci.Sample.from_frame(frame.lazy(), "y", "a", resolution=1000)
        assert sample.ratings().cells is not None
        expected = pauci.Sample.from_frame(frame, "y", "a")
        found, other = (pauci.estimate(s, pauci.AUC()) for s in (sample, expected))
        assert found.value == pytest.approx(other.value, abs=sample.ratings().cells.bound)


@pytest.mark.parametrize("design", ESTIMATED_WEIGHTS)
@pytest.mark.parametrize("backend", LAZY)
def test_rows_with_estimated_weights_are_loaded(backend, design):
    read, frame = ESTIMATED_WEIGHTS[design], followed_up()
    sample, expected = read(LAZY[backend](frame)), read(frame)
    assert repr(sample) == repr(expected)
    found, here = (pauci.compare(s, list(MEASURES[:2])) for s in (sample, expected))
    for c, other in zip(found, here, strict=True):
        numbers = other.difference, other.se, other.df
        assert (c.difference, c.se, c.df) == pytest.approx(numbers, rel=1e-13)


@pytest.mark.parametrize("resolution", [2**20, 99])
@pytest.mark.parametrize("backend", LAZY)
@pytest.mark.long
def test_methods_that_draw_rows(backend, resolution):
    """The order of rows that are read is that of the frame, and the order of groups is sorted."""
    frame = rows(900, digits=0)
    bootstrap = pauci.Bootstrap(49, rng=1)
    samples = [
        [pauci.Sample.from_frame(f, "y", ["a", "b"], resolution=resolution, **more) for f in frames]
        for frames in ((LAZY[backend](frame), LAZY["polars lazy"](frame)),)
        for more in ({}, {"cluster": "ward"})
    ]
    for both in samples:
        for call in (
            lambda s: pauci.estimate(s, pauci.AUC(), variance=bootstrap),
            lambda s: pauci.compare(s, pauci.AUC(), variance=pauci.Jackknife()),
            lambda s: pauci.permutation_test(s, pauci.AUC(), n_resamples=49, rng=1),
            lambda s: pauci.operating_points(s["a"], thresholds=[0, 1]),
        ):
            frames = [call(s).to_frame() for s in both]
            pd.testing.assert_frame_equal(*frames, rtol=1e-12)


@pytest.mark.parametrize("backend", LAZY)
def test_negative_zeros_are_grouped_with_zeros(backend):
    frame = rows(900, digits=0)
    assert np.signbit(frame["a"][frame["a"] == 0]).any()
    sample = pauci.Sample.from_frame(LAZY[backend](frame), "y", "a", resolution=99)
    assert sample.rows.positive.size == len(frame[["y", "a"]].drop_duplicates())
    assert not np.signbit(sample.ratings().table.scores).any() or frame["a"].min() < 0


@pytest.mark.parametrize("backend", LAZY)
def test_copies_and_pickles_have_no_connection(backend):
    sample = pauci.Sample.from_frame(LAZY[backend](rows()), "y", ["a", "b"])
    expected = pauci.compare(sample, pauci.AUC()).se
    for other in (copy.deepcopy(sample), pickle.loads(pickle.dumps(sample))):
        assert pauci.compare(other, pauci.AUC()).se == expected


AT_CUTOFFS = [
    pauci.Sensitivity(threshold=0.5),
    pauci.PPV(threshold=0.5),
    pauci.Kappa(threshold=1),
    pauci.F(threshold=1, prevalence=0.2),
    pauci.Specificity(sensitivity=0.83),
    pauci.PPV(sensitivity=0.9),
]


@pytest.mark.parametrize(
    ("backend", "design"),
    [
        ("polars lazy", "cluster"),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (("duckdb", "all"), ("polars lazy", "weight"), ("dask", "all"))
        ),
    ],
)
def test_limits_of_dependent_rows(backend, design):
    sample, expected = sample_of(LAZY[backend](rows()), design), in_memory(design)
    estimates, others = (pauci.estimate(s, AT_CUTOFFS) for s in (sample, expected))
    for e, other in zip(estimates, others, strict=True):
        kinds = ("mid-p", "profile") if e.measure.known_ends else ("logit",)
        assert e.kind_used() == other.kind_used() in kinds
        assert e.interval() == pytest.approx(other.interval(), rel=1e-9, abs=1e-12)
