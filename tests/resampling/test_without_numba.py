"""Bootstrap and permutation tests without numba: the same results for all measures and designs.

The environment of a Python in the browser is simulated in a new process: no numba, no joblib, no
threads and no processes.
"""

import sys
import tracemalloc

import numpy as np
import pytest

import both_kernels
import pauci
from both_kernels import IMPLEMENTATIONS, ROUNDING, using
from fresh_process import loaded_by, run
from pauci.resampling import kernels, numpy_kernels
from pauci.resampling.numpy_kernels import request
from reader_studies import viper
from registry import instances, risk_instances

needs_both = pytest.mark.skipif(len(IMPLEMENTATIONS) < 2, reason="numba is not installed")
MEASURES = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.4)), pauci.AP(0.3), pauci.AUK(), pauci.MaxKappa()]


def data(n_pos=25, n_neg=35, *, digits=None, **options):
    rng = np.random.default_rng(n_pos)
    y = np.repeat([1, 0], [n_pos, n_neg])
    scores = {name: rng.normal(size=y.size) + y for name in "ab"}
    if digits is not None:
        scores = {name: np.round(s, digits) for name, s in scores.items()}
    return pauci.Sample(y, scores, **options)


def numbers(result):
    return np.asarray(result.to_frame().select_dtypes("number"), float)


def by_all(calculate):
    """Return the results of a calculation by each implementation."""
    found = []
    for implementation in IMPLEMENTATIONS:
        with using(implementation):
            found.append(calculate())
    return found


def assert_all_agree(calculate):
    first, *others = by_all(calculate)
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e3 * ROUNDING, atol=ROUNDING)


def replicates(sample, measures, **options):
    engine_of = pauci.Bootstrap(40, rng=1, **options)
    found = pauci.estimate(sample, measures, engine_of)
    return np.array([e.resampled.distribution for e in found])


@needs_both
@pytest.mark.parametrize("digits", [None, 0])
@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_replicates_of_every_measure_are_the_same(digits):
    sample = data(digits=digits)["a"]
    for measure in instances((0.2, 0.7), spread=2.0):
        assert_all_agree(lambda m=measure: replicates(sample, [m]))
    risks = pauci.Sample(sample.rows.positive, np.random.default_rng(1).uniform(size=60))
    assert_all_agree(lambda: replicates(risks, risk_instances()))


DESIGNS = {
    "stratified": ({}, {"scheme": "stratified"}),
    "cohort": ({}, {"scheme": "cohort"}),
    "case-control": ({"design": "case-control"}, {}),
    "clusters": ({"cluster": np.arange(60) // 2}, {}),
    "weights": ({"weight": 1.0 + np.arange(60) % 3}, {}),
    "frequencies": ({"frequency": 1 + np.arange(60) % 3}, {}),
    "clusters with weights": (
        {"cluster": np.arange(60) % 20, "weight": 1.0 + np.arange(60) % 3},
        {},
    ),
}


@needs_both
@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_replicates_of_every_design_are_the_same(name):
    of_sample, of_bootstrap = DESIGNS[name]
    for digits in (None, 0):
        sample = data(digits=digits, **of_sample)
        assert_all_agree(lambda s=sample: replicates(s, MEASURES, **of_bootstrap))
    boot = pauci.Bootstrap(60, rng=1, **of_bootstrap)
    assert_all_agree(lambda: numbers(pauci.compare(sample, MEASURES[1], variance=boot)))


@needs_both
@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_other_analyses_are_the_same():
    boot, sample = pauci.Bootstrap(40, rng=1), data()
    folds = pauci.Sample(sample.rows.positive, sample.ratings("a").values, fold=np.arange(60) % 2)
    group = np.arange(60) % 2
    study = viper("challengeMedP")
    for calculate in (
        lambda: numbers(pauci.estimate(folds, MEASURES[0], boot)),
        lambda: numbers(pauci.estimate(sample["a"], MEASURES[0], boot, by=group)),
        lambda: numbers(pauci.mrmc(study, MEASURES[0], method=boot)),
        lambda: [pauci.permutation_test(sample, m, n_resamples=60, rng=1).pvalue for m in MEASURES],
        lambda: [pauci.permutation_test(sample["a"], MEASURES[0], n_resamples=60, rng=1).pvalue],
        lambda: numbers(pauci.scan(sample["a"], pauci.PAUC, fpr=(0.3, 0.6), variance=boot, rng=2)),
    ):
        assert_all_agree(calculate)


@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_results_depend_neither_on_batches_nor_on_workers(monkeypatch):
    sample = data()
    with using(numpy_kernels):
        expected = replicates(sample, MEASURES)
        assert np.array_equal(replicates(sample, MEASURES, n_jobs=2), expected)
        monkeypatch.setattr(numpy_kernels, "_BATCH", 300)
        assert np.array_equal(replicates(sample, MEASURES), expected)


def test_memory_is_bounded_by_the_batch():
    """Counts of all 50 replicates at once would take 8 bytes x 50 x 20,000 rows = 8 MB each."""
    sample = data(5_000, 15_000)["a"]
    with using(numpy_kernels):
        replicates(sample, [pauci.AUC()])
        tracemalloc.start()
        pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(50, rng=1))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 12 * 2**20


def test_numpy_calculates_if_numba_cannot_be_imported(monkeypatch):
    kernels.implementation.cache_clear()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pauci.resampling.numba_kernels", None)
        patch.delattr("pauci.resampling.numba_kernels", raising=False)
        assert kernels.implementation() is numpy_kernels
    kernels.implementation.cache_clear()
    assert kernels.implementation() is IMPLEMENTATIONS[-1]


@pytest.mark.long
def test_a_bootstrap_with_one_worker_does_not_load_joblib_or_tqdm():
    code = """
import pauci
sample = pauci.Sample([0, 1] * 20, range(40))
pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(20, rng=1, n_jobs=1))
pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(20, rng=1)).summary()
"""
    assert not loaded_by(code) & {"joblib", "tqdm", "pandas", "statsmodels"}


BROWSER = """
import multiprocessing, os, subprocess, sys, threading
import numpy.testing  # starts a process in some versions of NumPy
sys.modules |= dict.fromkeys(("numba", "joblib", "tqdm"))

def refuse(*args, **options):
    raise RuntimeError("can't start new thread")

def refuse_process(*args, **options):
    raise OSError("emscripten does not support processes.")

threading.Thread.start = refuse
multiprocessing.Process.start = subprocess.Popen.__init__ = refuse_process
os.fork = os.posix_spawn = refuse_process
import numpy as np, pauci
y = np.repeat([1, 0], [20, 30])
rng = np.random.default_rng(1)
sample = pauci.Sample(y, {name: rng.normal(size=50) + y for name in "ab"})
measure, boot = pauci.PAUC(fpr=(0, 0.5)), pauci.Bootstrap(100, rng=1, n_jobs=1)
results = [
    pauci.estimate(sample, [measure, pauci.AUC()]),
    pauci.compare(sample, measure),
    pauci.estimate(sample["a"], measure, boot),
    pauci.compare(sample, measure, variance=boot),
    pauci.permutation_test(sample, measure, n_resamples=50, rng=1),
    pauci.operating_points(sample["a"], thresholds=[0.5]),
    pauci.band(sample["a"]),
    pauci.scan(sample["a"], pauci.PAUC, fpr=(0.3, 0.6), rng=1),
    pauci.profile(sample["a"]),
    pauci.cutoff(sample["a"], maximize=pauci.Youden, rng=1),
]
for result in results:
    assert str(result)
assert results[2].resampled.distribution.size == 100
import tempfile
with tempfile.TemporaryDirectory() as folder:
    pauci.write_report([sample, *results], f"{folder}/report.html")
from pauci.cli import run
assert run(["compare", "example:ljubljana_scores", "--label", "recurrence", "--positive", "1",
            "--score", "svm", "--score", "nn", "--measure", "auc", "--variance",
            "Bootstrap(50, rng=1)"]) == 0
"""


@pytest.mark.long
def test_everything_works_without_threads_processes_numba_and_joblib():
    assert "paired" in run(BROWSER)


def test_kernels_accept_counts_in_integers_of_any_size():
    """In a Python of 32 bits, NumPy's default integers have 32 bits, those of counts have 64."""
    out = [np.zeros((2, 1, 5)) for _ in range(2)]
    requests = np.array([request("piece")])
    for dtype, result in zip((np.int32, np.int64), out, strict=True):
        counts = tuple(np.array([[[1, 0, 2]], [[2, 1, 0]]], dtype) for _ in range(2))
        both_kernels.sweep_counts(counts, np.array([3]), (requests, np.array([np.nan])), result)
    assert np.array_equal(*out)
