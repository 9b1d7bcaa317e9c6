"""Progress bars: shown after a second, on terminals and in notebooks only."""

import functools
import os
import re
import subprocess
import sys
import types

import numpy as np
import pytest
import tqdm

import pauci
from pauci import progress
from pauci.progress import ProgressBar, is_interactive
from pauci.resampling import evaluate


class Terminal:
    """A stream that reports to be a terminal."""

    encoding = "utf-8"

    def __init__(self, *, terminal=True):
        self.text, self.terminal = "", terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return self.terminal


def stderr_is(monkeypatch, stream):
    """Replace stderr of the module, because pytest captures that of the process."""
    of_module = types.SimpleNamespace(stderr=stream, modules=sys.modules)
    monkeypatch.setattr(progress, "sys", of_module)
    return stream


@pytest.fixture
def terminal(monkeypatch):
    """Replace stderr by a terminal."""
    stream = stderr_is(monkeypatch, Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return stream


@pytest.fixture
def clock(monkeypatch):
    """A clock that is advanced only by the test."""
    at = types.SimpleNamespace(now=100.0)
    monkeypatch.setattr(progress, "time", types.SimpleNamespace(monotonic=lambda: at.now))
    return at


def run_blocks(clock, seconds_each, **options):
    """Run ten blocks of 500 replicates with a given duration."""

    def values(index, size):  # noqa: ARG001
        clock.now += seconds_each
        return np.zeros((size, 1))

    pool = types.SimpleNamespace(block=500)
    engine = types.SimpleNamespace(pool=pool, values=values, all_swept=True, prepare=lambda: None)
    return evaluate.run(engine, "values", 5000, **options)


@pytest.fixture
def bars(monkeypatch):
    """All progress bars that are created, with their calls."""
    made = []

    class Bar:
        disable = False

        def __init__(self, **options):
            self.options, self.n, self.start_t, self.closed = options, 0, 0.0, False
            self.calls = []
            made.append(self)

        def update(self, count):
            self.n += count
            self.calls.append("update")

        def clear(self):
            self.calls.append("clear")

        def close(self):
            self.closed = True

    monkeypatch.setattr("tqdm.tqdm", Bar)
    return made


def test_a_progress_bar_appears_after_a_second_and_is_removed(terminal, clock, bars):
    run_blocks(clock, 0.4)
    (bar,) = bars
    # The third of ten blocks ends after 1.2 seconds.
    assert bar.options["total"] == bar.n == 5000
    assert bar.calls == ["update"] * 8
    assert bar.start_t == pytest.approx(-1.2)
    assert bar.closed
    assert not bar.options["leave"]
    assert bar.options["file"] is terminal


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("seconds", "options"), [(0.09, {}), (9.0, {"progress": False})])
def test_no_progress_bar_for_short_or_unattended_runs(clock, bars, seconds, options):
    run_blocks(clock, seconds, **options)
    assert bars == []


@pytest.mark.usefixtures("terminal")
def test_no_progress_bar_starts_with_the_last_block(clock, bars):
    """Nine blocks take less than a second, and the last one more."""
    with ProgressBar(10, "work", " rows") as wait:
        wait.add(9)
        clock.now += 5
        wait.add(1)
    assert bars == []


@pytest.mark.parametrize("stream", [Terminal(terminal=False), None, "closed"])
def test_no_progress_bar_without_a_terminal(monkeypatch, clock, bars, stream, tmp_path):
    if stream == "closed":
        stream = (tmp_path / "log").open("w")
        stream.close()
    stderr_is(monkeypatch, stream)
    run_blocks(clock, 9.0)
    assert bars == []


def test_a_dumb_terminal_has_no_bar(terminal, monkeypatch):
    assert terminal.isatty()
    assert is_interactive()
    monkeypatch.setenv("TERM", "dumb")
    assert not is_interactive()


def test_progress_true_shows_a_permanent_bar_everywhere(monkeypatch, clock, bars):
    stderr_is(monkeypatch, Terminal(terminal=False))
    run_blocks(clock, 0.0, progress=True)
    assert len(bars) == 1
    assert bars[0].options["leave"]
    assert bars[0].calls == ["update"] * 10


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_a_progress_bar_is_closed_after_success_and_failure(clock, bars, error):
    def work():
        with ProgressBar(10, "work", " rows") as wait:
            wait.add(1)
            clock.now += 2
            wait.add(1)
            raise error

    with pytest.raises(error):
        work()
    assert bars[0].closed
    assert progress._open_bars == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_progress_bar_on_a_terminal(terminal, monkeypatch, n_jobs):
    """The progress bar of a bootstrap on a terminal is shown and removed at the end."""
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    monkeypatch.setattr("tqdm.tqdm", functools.partial(tqdm.tqdm, mininterval=0))
    rng = np.random.default_rng(1)
    sample = pauci.Sample(np.arange(3000) % 2, rng.normal(size=3000))
    pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(4000, rng=1, n_jobs=n_jobs))
    assert re.search(r"bootstrap: +\d+%.* \d+/4000 ", terminal.text)
    assert terminal.text.endswith("\r")
    assert terminal.text.rpartition("\r")[0].rpartition("\r")[2].strip() == ""


def test_a_progress_bar_that_the_environment_disables_is_not_shown(terminal, monkeypatch):
    monkeypatch.setattr("tqdm.tqdm", functools.partial(tqdm.tqdm, disable=True))
    with progress.ProgressBar(2, "work", " parts", progress=True) as bar:
        bar.add(2)
    assert terminal.text == ""


def kernel(*, asks):
    """Simulate the kernel of an interactive or non-interactive notebook."""
    shell = types.SimpleNamespace(kernel=types.SimpleNamespace(_allow_stdin=asks))
    return types.SimpleNamespace(get_ipython=lambda: shell)


def widget_of(made, bar):
    """A progress bar that is appended to a list."""

    def widget(**options):
        made.append(bar(**options))
        return made[-1]

    return widget


def test_notebooks_show_progress_and_notebook_builds_do_not(monkeypatch, clock, bars):
    stderr_is(monkeypatch, Terminal(terminal=False))
    monkeypatch.setitem(sys.modules, "IPython", kernel(asks=False))
    run_blocks(clock, 9.0)
    assert bars == []
    monkeypatch.setitem(sys.modules, "IPython", kernel(asks=True))
    find_spec = progress.importlib.util.find_spec
    monkeypatch.setattr(
        progress.importlib.util,
        "find_spec",
        lambda name: None if name == "ipywidgets" else find_spec(name),
    )
    run_blocks(clock, 9.0)  # as text, and without the warning of tqdm
    assert len(bars) == 1
    monkeypatch.setattr(progress.importlib.util, "find_spec", lambda name: name)
    widgets = []
    for loaded in (None, True):  # tqdm may not get along with the version there is
        notebook = types.SimpleNamespace(IProgress=loaded, tqdm=widget_of(widgets, tqdm.tqdm))
        monkeypatch.setattr("tqdm.notebook", notebook, raising=False)
        run_blocks(clock, 9.0)
    assert (len(bars), len(widgets)) == (3, 1)


def test_ipython_in_a_terminal_is_a_terminal(terminal, monkeypatch):
    shell = types.SimpleNamespace()
    for answer in (shell, None):
        fake = types.SimpleNamespace(get_ipython=lambda answer=answer: answer)
        monkeypatch.setitem(sys.modules, "IPython", fake)
        terminal.terminal = True
        assert is_interactive()
        terminal.terminal = False
        assert not is_interactive()


@pytest.mark.usefixtures("terminal")
def test_the_jackknife_shows_progress(clock, bars, quiet):  # noqa: ARG001
    def mean(y, s):
        clock.now += 0.3
        return float(s[y == 1].mean())

    y, s = np.arange(20) % 2, np.arange(20.0)
    pauci.estimate(pauci.Sample(y, s), mean, pauci.Jackknife())
    assert [bar.options["desc"] for bar in bars] == ["jackknife"] * 2  # one for each class
    bars.clear()
    pauci.estimate(pauci.Sample(y, s, cluster=np.arange(20) // 2), mean, pauci.Jackknife())
    assert [bar.options["unit"] for bar in bars] == [" clusters"]
    assert all(bar.closed for bar in bars)


@pytest.mark.usefixtures("terminal")
def test_a_permutation_test_shows_progress(clock, bars):
    def mean(y, s):
        clock.now += 0.01
        return float(s[y == 1].mean())

    sample = pauci.Sample(np.arange(60) % 2, np.random.default_rng(1).normal(size=60))
    pauci.permutation_test(sample, mean, 1200, rng=1)
    assert [bar.options["desc"] for bar in bars] == ["permutations"]
    pauci.permutation_test(sample, mean, 1200, rng=1, progress=False)
    assert len(bars) == 1
    with pytest.raises(TypeError, match="progress=1 must be True, False or"):
        pauci.permutation_test(sample, mean, progress=1)


def double(values, out):
    """A short function that compiles quickly."""
    for i in range(values.size):
        out[i] = 2.0 * values[i]


LINE = "pauci: compiling the bootstrap once, about 6 s ...\n"


def call(function, **options):
    out = np.zeros(3)
    with ProgressBar(10, "work", " rows", **options) as wait:
        function(np.array([1.0, 2.0, 3.0]), out)
        wait.add(1)
    assert out.tolist() == [2.0, 4.0, 6.0]
    return wait


def kept_on_disk(function):
    from pauci.resampling.numba_kernels import KeptOnDisk

    return KeptOnDisk(function)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A separate folder for the cache of numba."""
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_compilation_is_reported(terminal):
    function = kept_on_disk(double)
    call(function)
    assert terminal.text == LINE
    call(function)
    call(kept_on_disk(double))  # from the disk
    assert terminal.text == LINE


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [{"progress": False}, {}])
def test_compilation_is_reported_only_on_terminals(monkeypatch, options):
    stream = stderr_is(monkeypatch, Terminal(terminal=bool(options)))
    call(kept_on_disk(double), **options)
    assert stream.text == ""


def test_a_function_that_cannot_be_cached_is_compiled_in_each_process(
    terminal, folder, monkeypatch
):
    call(kept_on_disk(double))
    for file in folder.rglob("*.nbc"):
        os.truncate(file, 10)
    call(kept_on_disk(double))
    told = "pauci: compiling the bootstrap for this process alone, about 6 s ...\n"
    assert terminal.text == LINE + told

    import numba

    from pauci.resampling import numba_kernels

    def njit(function, *, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return numba.njit(function, **options)

    monkeypatch.setattr(numba_kernels, "numba", types.SimpleNamespace(njit=njit))
    call(kept_on_disk(double))
    assert terminal.text == LINE + 2 * told


@pytest.mark.usefixtures("folder", "terminal")
def test_compilation_time_is_not_part_of_progress(clock, bars):
    """Compilation is slow, but does not affect the estimated remaining time."""
    function = kept_on_disk(double)

    def slowly(*arguments):
        function(*arguments)
        clock.now += 20.0

    wait = call(slowly)
    assert wait.start == 120.0
    assert bars == []


SCRIPT = """
import io, sys, numpy as np, pauci
class Stream(io.TextIOWrapper):
    def isatty(self):
        return "terminal" in sys.argv
sys.stderr = Stream(sys.stderr.buffer)
y = np.repeat([1, 0], [20, 30])
sample = pauci.Sample(y, np.random.default_rng(1).normal(size=50) + y)
pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(200, rng=1))
"""


@pytest.mark.slow
def test_only_processes_that_compile_report_it(tmp_path):
    told = []
    for folder, where in (("a", "pipe"), ("b", "terminal"), ("b", "terminal")):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, where],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / folder), "TERM": "xterm"},
        )
        told.append(done.stderr)
    assert told == ["", LINE, ""]
