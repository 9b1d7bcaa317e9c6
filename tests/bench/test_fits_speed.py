"""Processor time of fits, bands and scans: ``python -m pytest -m bench tests/bench -s``."""

import time

import numpy as np
import pytest

import pauci
from fits import hanley_mcneil

pytestmark = pytest.mark.bench


def fastest(job, runs=5):
    """Return the shortest processor time of several runs, after one that is not counted."""
    taken = []
    for _ in range(runs + 1):
        start = time.process_time()
        job()
        taken.append(time.process_time() - start)
    return min(taken[1:])


def drawn(n=10_000):
    rng = np.random.default_rng(1)
    y = np.arange(n) % 2
    return pauci.Sample(y, {name: y + rng.normal(size=n) for name in "ab"})


@pytest.mark.parametrize("fit", [pauci.fit_binormal, pauci.fit_contaminated, pauci.fit_proper])
@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_fits(fit, capsys):
    few, many = hanley_mcneil(), drawn()["a"]
    with capsys.disabled():
        seconds = [fastest(lambda s=s: fit(s), 9) for s in (few, many)]
        print(
            f"\n{fit.__name__}: 5 ratings {1e3 * seconds[0]:.1f} ms, 10,000 scores "
            f"{seconds[1]:.2f} s"
        )
    if fit is pauci.fit_binormal:
        assert seconds[0] < 0.01
    assert seconds[0] < 0.1
    assert seconds[1] < 1.0


def test_measures_of_a_fit(capsys):
    fit = pauci.fit_binormal(hanley_mcneil())
    seconds = fastest(lambda: pauci.estimate(fit, pauci.PAUCc(fpr=(0, 0.2))))
    with capsys.disabled():
        print(f"\nestimate of a fit: {1e3 * seconds:.0f} ms")
    assert seconds < 0.2


def test_bands(capsys):
    sample = drawn()
    one, two = fastest(lambda: pauci.band(sample["a"])), fastest(lambda: pauci.band(sample))
    with capsys.disabled():
        print(f"\n10,000 rows: band {one:.2f} s, of a difference {two:.2f} s")
    assert one < 1.0
    assert two < 2.0


def test_scans(capsys):
    sample, ends = drawn(), np.linspace(0.02, 1, 50)
    with capsys.disabled():
        for kind in (pauci.PAUC, pauci.PAUCc):
            seconds = fastest(lambda kind=kind: pauci.scan(sample, kind, fpr=ends, rng=1), 3)
            print(f"\n50 regions of two classifiers, 10,000 rows: {kind.symbol} {seconds:.2f} s")
            assert seconds < 5.0
