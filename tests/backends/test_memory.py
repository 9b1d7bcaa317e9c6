"""Memory that may be used: an error before rows are read, or while a stream is read."""

import sys
from pathlib import Path

import numpy as np
import pytest

import pauci
from backend_frames import ESTIMATED_WEIGHTS, LAZY, followed_up, rows
from fresh_process import run
from pauci.backends import frames

pytestmark = pytest.mark.backend


def refused(frame, **given):
    with pytest.raises(pauci.InputError) as caught:
        pauci.Sample.from_frame(frame, **({"label": "y", "scores": ["a", "b"]} | given))
    assert caught.value.argument == "frame"
    return str(caught.value)


@pytest.mark.parametrize("backend", LAZY)
@pytest.mark.parametrize(("resolution", "needed"), [(2**20, "9.9e-05"), (100, "6.3e-05")])
def test_rows_beyond_the_memory_are_not_read(backend, resolution, needed, monkeypatch):
    frame = rows(900, digits=9)
    monkeypatch.setattr(frames, "available_memory", lambda: 40_000.0)
    message = refused(LAZY[backend](frame), resolution=resolution)
    assert f"has 900 rows, which need about {needed} GB of memory, but only 4e-05 GB" in message
    assert "one score at a time" in message
    one = pauci.Sample.from_frame(LAZY[backend](frame), "y", "a", resolution=100)
    assert one.ratings().cells is not None  # of which only the cells are read
    assert "one score" not in refused(LAZY[backend](frame), scores="a", cluster="patient")


@pytest.mark.parametrize("design", ESTIMATED_WEIGHTS)
def test_rows_with_estimated_weights_beyond_the_memory(design, monkeypatch):
    monkeypatch.setattr(frames, "available_memory", lambda: 60_000.0)
    with pytest.raises(pauci.InputError, match=r"has 300 rows, which need about 7\.5e-05 GB"):
        ESTIMATED_WEIGHTS[design](LAZY["polars lazy"](followed_up()))


def test_a_stream_is_not_read_beyond_the_memory(monkeypatch):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pandas(rows(900), preserve_index=False)
    monkeypatch.setattr(frames, "available_memory", lambda: table.nbytes / 2.0)
    read = []

    def batches():
        for batch in table.to_batches(100):
            read.append(batch)
            yield batch

    assert "has more than " in refused(pa.RecordBatchReader.from_batches(table.schema, batches()))
    assert 1 < len(read) < 9


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_the_limit_of_the_process():
    pytest.importorskip("duckdb")
    run(
        "import resource, sys; sys.path[:0] = ['tests/helpers']\n"
        "import numpy, duckdb, pauci\n"
        "from pauci.backends.frames import available_memory\n"
        "before = available_memory()\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, used + 2**28))\n"
        "assert 0 < available_memory() <= 2**28 < before"
    )


@pytest.mark.parametrize("version", [1, 2])
def test_the_limit_of_the_container(tmp_path, monkeypatch, version):
    """The limit of an outer group applies too, and caches of files can be freed."""
    names = frames._FILES["memory" if version == 1 else ""]
    root = tmp_path / ("memory" if version == 1 else "")
    inner = root / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder, limit in ((inner, "max"), (inner.parent, "9000"), (root, "20000")):
        (folder / names[0]).write_text(f"{limit}\n")
        (folder / names[1]).write_text("5000\n")
        (folder / "memory.stat").write_text(f"anon 100\n{names[2]} 700\n")
    line = "4:memory:/outer/inner" if version == 1 else "0::/outer/inner"
    read = frames._read
    monkeypatch.setattr(
        frames, "_read", lambda p: f"3:cpu:/x\n{line}\n" if p == "/proc/self/cgroup" else read(p)
    )
    monkeypatch.setattr(
        frames, "Path", lambda first, *rest: tmp_path.joinpath(*rest) if rest else Path(first)
    )
    assert frames._of_container() == 9000 - 5000 + 700


def test_batches_have_a_bounded_size(monkeypatch):
    """A batch is in memory at a time, and no other columns are read."""
    monkeypatch.setattr(frames, "BATCH", 100)
    seen = []

    def size(columns):
        seen.append((set(columns), len(columns["a"])))
        return np.sum(columns["a"])

    frame = rows(900)
    for name in ("polars lazy", "duckdb", "ibis"):
        if name not in LAZY:
            continue
        lazy = frames.open_frame(LAZY[name](frame)).lazy.select("a", "y")
        found = list(frames.mapped(lazy, size))
        assert sum(n for n, _ in found) == 900
        assert sum(total for _, total in found) == pytest.approx(frame["a"].sum())
    assert {columns == {"a", "y"} for columns, _ in seen} == {True}
