"""Cells of scores: about equally many rows in each whatever the scale, and exact thresholds."""

import pickle

import numpy as np
import pandas as pd
import pytest

import pauci
from backend_frames import LAZY, rows
from pauci.backends import aggregate
from pauci.sample import from_backend

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


def with_outlier(logit):
    return np.append(logit[:-1], 1e9)


SCALES = {
    "probabilities": probability,
    "logits": lambda logit: logit,
    "an outlier": with_outlier,
    "two outliers": lambda logit: np.append(with_outlier(logit[:-1]), -1e300),
    "heavy ties": lambda logit: np.where(logit < -12.0, 0.0, probability(logit)),
    "negative": lambda logit: -1e6 - 1e-3 * probability(-logit),
    "single precision": lambda logit: probability(logit).astype(np.float32),
    "near one": lambda logit: 1.0 - probability(logit),
    "jittered ratings": lambda logit: np.round(logit) + 1e-8 * np.arctan(logit),
}


@pytest.mark.parametrize("scale", SCALES)
def test_the_difference_is_the_same_on_every_scale(scale):
    y, better, worse = rare_event()
    frame = pd.DataFrame({"y": y, "a": SCALES[scale](better), "b": worse})
    given = {"label": "y", "scores": ["a", "b"]}
    given["lower_is_positive"] = ["a"] if scale == "near one" else False
    expected = pauci.compare(pauci.Sample.from_frame(frame, **given), pauci.AUC())
    lazy = pauci.Sample.from_frame(LAZY["polars lazy"](frame), resolution=12, **given)
    table, tops = lazy.ratings("a").table, lazy.ratings("a").cell_tops
    assert table.size <= 2**12
    several = tops > table.scores
    shares = (table.pos + table.neg)[several] / y.size
    assert shares.max() <= 8.0 / 2**12
    assert np.square(shares).sum() <= 4.0 / 2**12
    c = pauci.compare(lazy, pauci.AUC())
    assert c.resolution_bound < 0.25 * c.se
    assert abs(c.difference - expected.difference) <= c.resolution_bound
    assert c.se == pytest.approx(expected.se, rel=1e-3)
    assert expected.difference > 5.0 * expected.se


@pytest.mark.parametrize("backend", LAZY)
@pytest.mark.long
def test_continuous_scores_at_the_first_try(monkeypatch, backend):
    """The number of cells follows from the binning error of the estimates and their difference."""
    y, better, worse = rare_event(6000)
    frame = pd.DataFrame({"y": y, "a": probability(better), "b": worse})
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 4000)
    sample = pauci.Sample.from_frame(LAZY[backend](frame), "y", ["a", "b"])
    whole = pauci.Sample.from_frame(frame, "y", ["a", "b"])
    for measure in (pauci.AUC(), pauci.PAUCc(fpr=(0, 0.05)), pauci.Sensitivity(fpr=0.01)):
        c, expected = (pauci.compare(s, measure) for s in (sample, whole))
        assert c.resolution_bound <= 0.2 * c.se
        assert abs(c.difference - expected.difference) <= c.resolution_bound
        assert c.se == pytest.approx(expected.se, rel=0.02)


def test_more_cells_where_the_error_is_too_large(monkeypatch):
    """A region is divided into more cells, and the whole curve if it is the region."""
    frame = rows(20_000, digits=9)
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 16_000)
    monkeypatch.setattr(from_backend, "_CELLS_PER_ROOT", 0.5)
    sample = pauci.Sample.from_frame(LAZY["polars lazy"](frame), "y", "a")
    exact = pauci.Sample.from_frame(frame, "y", "a")
    first = sample.ratings().table.size
    assert first < 200
    for measure, most in ((pauci.AUC(), 0.05), (pauci.PAUC(fpr=(0, 0.01)), 0.1)):
        e, expected = (pauci.estimate(s, measure) for s in (sample, exact))
        assert abs(e.value - expected.value) <= e.resolution_bound <= most * e.se
    assert sample.ratings().table.size == first
    few = pauci.Sample.from_frame(LAZY["polars lazy"](frame), "y", "a", resolution=5)
    assert pauci.estimate(few, pauci.AUC(), force=True).resolution_bound > 0.01


@pytest.mark.parametrize("given", [{}, {"lower_is_positive": True}, {"weight": "w"}], ids=str)
@pytest.mark.parametrize("backend", LAZY)
def test_counts_at_a_threshold_are_exact(backend, given):
    frame = rows(900, digits=9)
    frame["a"] = frame["a"].astype(np.float32)
    threshold = float(np.sort(frame["a"])[400])  # the score of a row
    given = {"label": "y", "scores": "a"} | given
    lazy = pauci.Sample.from_frame(LAZY[backend](frame), resolution=4, **given)
    exact = pauci.Sample.from_frame(frame, **given)
    for t in (threshold, 0.7):
        measures = [
            pauci.Sensitivity(threshold=t),
            pauci.Specificity(threshold=t),
            pauci.Youden(threshold={"a": t}),
            pauci.MCC(threshold=t),
            pauci.LRPositive(threshold=t),
            pauci.PPV(threshold=t, prevalence=0.1),
            pauci.NPV(threshold=t) - pauci.Sensitivity(threshold=t + 1.0),
        ]
        found, expected = (pauci.estimate(s, measures) for s in (lazy, exact))
        for e, other in zip(found, expected, strict=True):
            assert e.resolution_bound == 0.0
            assert e.value == pytest.approx(other.value, rel=1e-12)
            assert e.se == pytest.approx(other.se, rel=1e-10)


def test_net_benefit_is_exact():
    y, better, _ = rare_event(6000)
    frame = pd.DataFrame({"y": y, "a": probability(better)})
    lazy = pauci.Sample.from_frame(LAZY["duckdb"](frame), "y", "a", resolution=5)
    e, other = (
        pauci.estimate(s, pauci.NetBenefit(0.02)) for s in (lazy, pauci.Sample(y, frame["a"]))
    )
    assert e.resolution_bound == 0.0
    assert e.value == pytest.approx(other.value, rel=1e-12)


def test_rates_inside_a_cell_are_bounded():
    """A sample that was pickled is not counted again."""
    frame = rows(900, digits=9)
    sample = pauci.Sample.from_frame(LAZY["polars lazy"](frame), "y", "a", resolution=5)
    sample = pickle.loads(pickle.dumps(sample))
    exact = pauci.Sample.from_frame(frame, "y", "a")
    for t in np.linspace(-1.5, 1.5, 7):
        for measure in (
            pauci.Sensitivity(threshold=t),
            pauci.PPV(threshold=t),
            pauci.Youden(threshold=t),
            pauci.MCC(threshold=t),
            pauci.PPV(specificity=0.9),
        ):
            e, other = (pauci.estimate(s, measure, force=True) for s in (sample, exact))
            assert abs(e.value - other.value) <= e.resolution_bound < 0.3


def test_points_and_profiles_at_thresholds_are_exact():
    frame = rows(900, digits=9)
    lazy = pauci.Sample.from_frame(LAZY["duckdb"](frame), "y", "a", resolution=10)
    exact = pauci.Sample.from_frame(frame, "y", "a")
    points, expected = (
        pauci.operating_points(s, thresholds=[0.123, 1.0]).to_frame() for s in (lazy, exact)
    )
    pd.testing.assert_frame_equal(points, expected)
    groups, expected = (
        pauci.profile(s, by="threshold", edges=[-9.0, 0.123, 1.0, 9.0]) for s in (lazy, exact)
    )
    for group, other in zip(groups.groups, expected.groups, strict=True):
        e, truth = (g.estimates["share_neg"] for g in (group, other))
        assert (e.value, e.resolution_bound) == (truth.value, 0.0)


def test_a_pickled_sample_is_not_counted_again():
    """Its connection is not pickled: a threshold inside a cell is an error."""
    frame = rows(900, digits=9)
    sample = pauci.Sample.from_frame(LAZY["duckdb"](frame), "y", "a", resolution=5)
    other = pickle.loads(pickle.dumps(sample))
    assert other.cells is None
    low = float(other.ratings().table.threshold(3))
    with pytest.raises(pauci.InputError, match=r"inside a bin.*resolution='exact'"):
        pauci.operating_points(other, thresholds=low + 0.001)
    pauci.operating_points(sample, thresholds=low + 0.001)
    assert len(pauci.operating_points(other, thresholds=low).to_frame()) == 1


def test_groups_are_estimated_in_sufficient_cells(monkeypatch):
    frame = rows(6000, digits=9)
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 4000)
    lazy, exact = (
        pauci.Sample.from_frame(f, "y", "a", group="fold")
        for f in (LAZY["polars lazy"](frame), frame)
    )
    found, expected = (pauci.estimate(s, pauci.AUC(), by="fold") for s in (lazy, exact))
    for e, other in zip(found, expected, strict=True):
        assert 0.0 < abs(e.value - other.value) <= e.resolution_bound < 0.2 * e.se
