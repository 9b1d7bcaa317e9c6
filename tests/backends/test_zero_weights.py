"""Rows of weight 0 have no effect on any result."""

import functools

import numpy as np
import pytest

import pauci
from backend_frames import LAZY, rows

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]

GIVEN = {"label": "y", "scores": ["a", "b"], "weight": "w"}
MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.3)), pauci.AP()]


@pytest.fixture(params=["all rows", "two passes"])
def way(request):
    """Whether the rows are read as they are, or after a pass that draws from them."""
    return {} if request.param == "all rows" else {"resolution": 200}


def with_zeros(digits):
    """Return rows with some weights of 0: whole clusters, one class of a cluster, single rows."""
    frame = rows(900, digits=digits)
    frame["w"] = frame["w"].where(~frame["ward"].isin([0, 1, 2]), 0.0)
    frame["w"] = frame["w"].where((frame["ward"] != 3) | (frame["y"] == 0), 0.0)
    frame["w"] = frame["w"].where((frame["ward"] != 4) | (frame["y"] == 1), 0.0)
    frame.loc[np.random.default_rng(4).random(900) < 0.2, "w"] = 0.0
    frame.loc[frame["w"] == 0.0, "a"] -= 1.0  # where they count the curve is another
    return frame


@functools.cache
def of_counted_rows(digits, spread=False, **more):
    """Return the sample in memory of the rows that count, and its results."""
    frame = with_zeros(digits)
    if spread:
        frame["w"] *= scales(frame)
    counts = frame["w"] > 0.0
    if "frequency" in more:
        counts &= frame["f"] > 0
    sample = pauci.Sample.from_frame(frame[counts], **GIVEN, **more)
    return (~counts).sum(), sample, pauci.estimate(sample, MEASURES)


def scales(frame):
    return np.where(frame["ward"] % 2, 1e30, 1e-30)


@pytest.mark.parametrize("more", [{}, {"cluster": "ward"}, {"frequency": "f"}], ids=str)
@pytest.mark.parametrize("backend", LAZY)
def test_rows_of_weight_0_have_no_effect(backend, way, more):
    digits = 1
    found = pauci.Sample.from_frame(LAZY[backend](with_zeros(digits)), **GIVEN, **more, **way)
    uncounted, expected, others = of_counted_rows(digits, **more)
    assert (found.n_pos, found.n_neg) == (expected.n_pos, expected.n_neg)
    assert (found.rows.uncounted, found.rows.clusters) == (uncounted, expected.rows.clusters)
    for name in ("units", "effective_units"):
        assert getattr(found.rows, name) == pytest.approx(getattr(expected.rows, name), rel=1e-12)
    assert found.prevalence == pytest.approx(expected.prevalence, rel=1e-12)
    estimates = pauci.estimate(found, MEASURES)
    np.testing.assert_allclose(estimates.cov, others.cov, rtol=1e-10, atol=1e-16)
    for e, other in zip(estimates, others, strict=True):
        assert e.value == pytest.approx(other.value, rel=1e-12)
        assert e.df == pytest.approx(other.df, rel=1e-9)
        assert e.region.n_pos == pytest.approx(other.region.n_pos)
    c, other = (pauci.compare(s, MEASURES[1]) for s in (found, expected))
    assert c.pvalue == pytest.approx(other.pvalue, rel=1e-9)


@pytest.mark.parametrize("backend", LAZY)
def test_weights_of_different_size_with_zeros(backend, way):
    """The smallest weight is the smallest positive one, and the scale that of the largest."""
    digits = 1
    frame = with_zeros(digits)
    frame["w"] *= scales(frame)
    found = pauci.Sample.from_frame(LAZY[backend](frame), **GIVEN, **way)
    *_, others = of_counted_rows(digits, spread=True)
    np.testing.assert_allclose(pauci.estimate(found, MEASURES).cov, others.cov, rtol=1e-10)
    frame["w"] *= scales(frame)
    with pytest.raises(pauci.InputError, match="differ by more than a factor"):
        pauci.Sample.from_frame(LAZY[backend](frame), **GIVEN, **way)
