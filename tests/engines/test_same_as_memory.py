"""Whatever frame rows come in, the numbers are those of pandas."""

import numpy as np
import pytest

import pauci
from engine_frames import DESIGNS, EAGER, LAZY, rows

pytestmark = [
    pytest.mark.engine,
    pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning"),
]

MEASURES = [
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.PAUC(tpr=(0.5, 1)),
    pauci.LocalC(fpr=(0.1, 0.6)),
    pauci.AP(prevalence=0.2),
    pauci.AUK(),
    pauci.PAUCc(threshold=(0.5, 1.5)),
]


def sample_of(frame, design):
    given = {"label": "y", "positive": None} | DESIGNS[design]
    return pauci.Sample.from_frame(frame, **given)


def same(sample, expected):
    estimates, others = (pauci.estimate(s, MEASURES) for s in (sample, expected))
    np.testing.assert_allclose(
        [e.value for e in estimates], [e.value for e in others], rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(estimates.cov, others.cov, rtol=1e-11, atol=1e-17)
    for e, other in zip(estimates, others, strict=True):
        assert e.se == pytest.approx(other.se, rel=1e-12)
        assert e.df == pytest.approx(other.df, rel=1e-10)
        assert e.interval() == pytest.approx(other.interval(), rel=1e-12)
        assert (e.n_pos, e.n_neg, e.uncounted) == (other.n_pos, other.n_neg, other.uncounted)
        assert e.units == pytest.approx(other.units, rel=1e-12)
        assert e.region.threshold == other.region.threshold
    if len(sample) > 1:
        c, other = (pauci.compare(s, pauci.PAUCc(fpr=(0, 0.2))) for s in (sample, expected))
        assert c.se == pytest.approx(other.se, rel=1e-12)
        assert c.df == pytest.approx(other.df, rel=1e-10)
        assert c.pvalue == pytest.approx(other.pvalue, rel=1e-10)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", [*EAGER, *LAZY])
def test_every_engine_and_design(backend, design):
    frame = rows()
    sample = sample_of((EAGER | LAZY)[backend](frame), design)
    expected = sample_of(frame, design)
    assert repr(sample) == repr(expected)
    same(sample, expected)
