"""Scores in cells: the same cells on every engine, and a bound that holds."""

import numpy as np
import pytest

import pauci
from engine_frames import LAZY, rows

pytestmark = [
    pytest.mark.engine,
    pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning"),
]

MEASURES = [
    pauci.AUC(),
    pauci.PAUCc(fpr=(0.1, 0.3)),
    pauci.PAUCc(tpr=(0.4, 0.8), normalized=True),
    pauci.PAUC(fpr=(0, 0.2)),
    pauci.PAUCx(fpr=(0.05, 0.5)),
    pauci.LocalC(fpr=(0.1, 0.6)),
    pauci.AP(),
    pauci.AP(negatives=True, prevalence=0.1),
    pauci.AUK(),
    pauci.MaxKappa(),
    pauci.Sensitivity(fpr=0.1),
    pauci.PAUCc(threshold=(0.51, 1.77)),
    pauci.PAUCc(fpr=(0, 0.2)) / pauci.AUC(),
]


def both(backend, frame, resolution, **given):
    given = {"label": "y", "scores": ["a", "b"]} | given
    lazy = LAZY[backend](frame)
    return (
        pauci.Sample.from_frame(lazy, resolution=resolution, **given),
        pauci.Sample.from_frame(frame, **given),
    )


@pytest.mark.parametrize("given", [{}, {"lower_is_positive": "a"}, {"weight": "w"}], ids=str)
@pytest.mark.parametrize("backend", LAZY)
def test_the_error_is_within_the_bound(backend, given):
    sample, exact = both(backend, rows(600, digits=9), 5, **given)
    estimates, others = (pauci.estimate(s, MEASURES) for s in (sample, exact))
    for e, other in zip(estimates, others, strict=True):
        assert 0.0 < e.resolution_bound < 0.4 or e.value == 0.0
        assert abs(e.value - other.value) <= e.resolution_bound
        assert e.to_frame()["resolution_bound"].item() == e.resolution_bound
        assert e.se == pytest.approx(other.se, rel=0.25)
    c = pauci.compare(sample, pauci.AUC())
    assert c.resolution_bound == sum(e.resolution_bound for e in c.estimates)
    assert "counted in cells, which hide at most" in c.summary()
    assert "counted in cells, which hide at most" in estimates.summary()


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300, 1e9])
def test_cells_are_alike_on_all_engines(scale):
    frame = rows(500, digits=9)
    frame["a"] = frame["a"] * scale + (0.0 if scale != 1e9 else 1e15)
    tables = [both(backend, frame, 7, scores="a")[0].ratings().table for backend in LAZY]
    for table in tables[1:]:
        for name in ("scores", "cum_pos", "cum_neg"):
            np.testing.assert_array_equal(getattr(table, name), getattr(tables[0], name))
    assert 20 < tables[0].size <= 2**7 + 1


@pytest.mark.parametrize("backend", LAZY)
def test_cells_of_one_score_each_hide_nothing(backend):
    for scores, bits in (("a", 16), ("rating", 4), ("rating", 3)):
        sample, exact = both(backend, rows(), bits, scores=scores)
        for measure in MEASURES[:4]:
            e, other = (pauci.estimate(s, measure) for s in (sample, exact))
            assert e.resolution_bound == 0.0
            assert e.value == pytest.approx(other.value, rel=1e-12)
            assert e.se == pytest.approx(other.se, rel=1e-12)
        assert "cells" not in e.summary()


def test_of_the_auc_half_the_pairs_within_cells_are_hidden():
    sample, _ = both("polars lazy", rows(500, digits=9), 4, scores="a")
    e, table = pauci.estimate(sample, pauci.AUC()), sample.ratings().table
    hides = sample.ratings().cell_tops > table.scores
    pairs = float((table.pos * table.neg)[hides].sum())
    assert e.resolution_bound == pytest.approx(pairs / table.total_pos / table.total_neg / 2)


def test_of_functions_of_the_user_nothing_is_known():
    sample, _ = both("polars lazy", rows(500, digits=9), 4, scores="a")
    e = pauci.estimate(sample, pauci.AP(corrected=True))
    assert np.isnan(e.resolution_bound)
    assert "how much of the value they hide is not known" in e.summary()


@pytest.mark.parametrize("resolution", [0, 53, 2.5, "fine", True])
def test_what_is_no_resolution(resolution):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match="resolution="):
        both("polars lazy", rows(50), resolution)


def test_folds_average_the_bounds():
    sample, exact = both("polars lazy", rows(900, digits=9), 6, fold="fold")
    for measure in MEASURES[:3]:
        for e, other in zip(*(pauci.estimate(s, [measure]) for s in (sample, exact)), strict=True):
            assert 0 < abs(e.value - other.value) <= e.resolution_bound < 0.3
