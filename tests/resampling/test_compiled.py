"""Compiled code that cannot be written to disk or read from it."""

import os
import subprocess
import sys
import types

import numpy as np
import pytest

import pauci
from pauci.resampling import evaluate, kernels

numba = pytest.importorskip("numba")
from pauci.resampling import numba_kernels  # noqa: E402
from pauci.resampling.numba_kernels import KeptOnDisk  # noqa: E402


def double(values, out):
    """A short function that compiles quickly."""
    for i in range(values.size):
        out[i] = 2.0 * values[i]


def doubled(function):
    out = np.zeros(3)
    function(np.array([1.0, 2.0, 3.0]), out)
    return out.tolist()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A separate folder for the cache of numba."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def test_compiled_code_is_stored_and_loaded(folder):
    for hits in (0, 1):
        function = KeptOnDisk(double)
        assert doubled(function) == [2.0, 4.0, 6.0]
        assert sum(function._machine_code.stats.cache_hits.values()) == hits
        assert function.trouble is None
    assert list(folder.rglob("*.nbc"))


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("size", [0, 20, 1000])
def test_a_damaged_file_is_not_read(folder, suffix, size):
    doubled(KeptOnDisk(double))
    (file,) = folder.rglob(f"*.{suffix}")
    os.truncate(file, min(size, file.stat().st_size - 1))
    function = KeptOnDisk(double)
    assert doubled(function) == [2.0, 4.0, 6.0]
    assert str(file.parent) in function.trouble
    assert "NUMBA_CACHE_DIR" in function.trouble
    assert doubled(function) == [2.0, 4.0, 6.0]
    assert len(function.signatures) == 1


@pytest.mark.usefixtures("folder")
def test_code_of_other_files_is_a_part_of_the_name():
    """numba compares the date of the file of a function, not those of the functions it calls."""
    names = set()
    for other in (lambda p, q: p / q, lambda p, q: q / p, lambda p, q: p / (q + 1e-300)):

        def function(values, out):
            double(values, out)

        names.add(KeptOnDisk(function, [other]).function.__qualname__)
    assert len(names) == 3
    assert numba_kernels._core.function.__qualname__.startswith("_core-")


@pytest.mark.usefixtures("folder")
def test_a_full_disk_leaves_no_cache_files():
    """The size of files is limited to 0, to simulate a full disk."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    function = KeptOnDisk(double)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        assert doubled(function) == [2.0, 4.0, 6.0]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "OSError" in function.trouble


def test_code_is_compiled_without_a_writable_folder(monkeypatch):
    def njit(function, *, cache=False, **options):  # noqa: ARG001
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return function

    monkeypatch.setattr(numba_kernels, "numba", types.SimpleNamespace(njit=njit))
    function = KeptOnDisk(double)
    assert doubled(function) == [2.0, 4.0, 6.0]
    assert "no locator available" in function.trouble


@pytest.mark.usefixtures("folder")
def test_argument_errors_are_not_reported_as_disk_errors():
    function = KeptOnDisk(double)
    with pytest.raises(numba.TypingError):
        function("text", None)
    assert function.trouble is None
    assert doubled(function) == [2.0, 4.0, 6.0]


def test_a_problem_is_reported_once(monkeypatch):
    sample = pauci.Sample([0, 1] * 10, range(20))
    assert kernels.implementation() is numba_kernels
    monkeypatch.setattr(numba_kernels._core, "trouble", "the code cannot be kept")
    monkeypatch.setattr(evaluate, "_warned_messages", set())
    with pytest.warns(pauci.errors.ResamplingWarning, match="the code cannot be kept") as told:
        pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(50, rng=1))
    pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(50, rng=1))
    assert [w.filename for w in told] == [__file__]


SCRIPT = """
import warnings, numpy as np, pauci
y = np.repeat([1, 0], [20, 30])
sample = pauci.Sample(y, np.random.default_rng(1).normal(size=50) + y)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for seed in (1, 1):
        e = pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(200, rng=seed))
print(e.se, [w.category.__name__ for w in told])
"""


@pytest.mark.slow
def test_a_bootstrap_runs_with_a_damaged_cache_or_a_full_disk(tmp_path):
    resource = pytest.importorskip("resource")

    def run(before=None):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            preexec_fn=before,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split(maxsplit=1)

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    se, warned = run(no_room)
    assert warned.strip() == "['ResamplingWarning']"
    assert run() == [se, "[]\n"]
    for file in tmp_path.rglob("*.nbc"):
        os.truncate(file, 1000)
    assert run() == [se, warned]
