"""Result files: written completely or not at all, with one line if they cannot be written."""

import os
import stat
import sys
from pathlib import Path

import pytest

import pauci
from command_line import small_files
from pauci.tables.json_document import check_writable, write_file


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "a.docx"
    write_file(path, b"one")
    path.chmod(0o640)
    mode = stat.S_IMODE(path.stat().st_mode)
    write_file(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_file(tmp_path / "link", b"one")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"one"


@pytest.fixture
def pipe(tmp_path):
    """Return the path of a pipe and the descriptor of its reading end."""
    if sys.platform == "win32":
        pytest.skip("needs named pipes")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    yield tmp_path / "pipe", reader
    os.close(reader)


def test_devices_and_pipes_are_written_to(pipe):
    path, reader = pipe
    write_file(os.devnull, b"one")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    write_file(path, b"one")
    assert os.read(reader, 9) == b"one"
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("none/a.docx", "No such file or directory"),
        (".", "Is a directory"),
        ("file/a.docx", "Not a directory"),
        ("a\0b", "null"),
        ("x" * 300, "too long"),
    ],
)
def test_output_that_cannot_be_written_is_reported_in_one_line(tmp_path, monkeypatch, path, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("stays", encoding="utf-8")
    with pytest.raises(pauci.InputError, match=reason) as caught:
        write_file(path, b"one")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("path=")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
@pytest.mark.parametrize("before", [b"before", None])
def test_no_file_is_left_if_writing_fails(tmp_path, before):
    path = tmp_path / "a.docx"
    if before is not None:
        path.write_bytes(before)
    with small_files(1000), pytest.raises(pauci.InputError, match="cannot be written"):
        write_file(path, b"after" * 1000)
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [before] * (before is not None)


@pytest.mark.parametrize("name", ["é" * 120, "a" * 250])
def test_names_as_long_as_the_system_allows(tmp_path, name):
    check_writable(tmp_path / name)
    write_file(tmp_path / name, b"one")
    assert [p.name for p in tmp_path.iterdir()] == [name]
    with pytest.raises(pauci.InputError, match="too long"):
        check_writable(tmp_path / (name * 2))


def test_devices_and_pipes_are_writable(pipe):
    path, reader = pipe
    check_writable(os.devnull)
    check_writable(path)
    assert os.read(reader, 9) == b""  # nothing was written
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("path", [None, 3, b"a"])
def test_a_path_is_a_str_or_a_path(path):
    with pytest.raises(TypeError, match="path"):
        write_file(path, b"")
