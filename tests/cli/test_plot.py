"""``--plot FILE``: the right figure in the file, or one line and no file."""

import re
import subprocess
import sys

import numpy as np
import pytest

from command_line import SPECIAL, fails, small_files, succeeds
from reader_studies import roe_metz

ONE = "estimate FILE --label label --score svm --measure"
TWO = "compare FILE --label label --score svm --score nn --measure"
DATA = "FILE --label label --score svm"
HEADS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-"}


def words(path):
    """Texts of an SVG file."""
    return re.findall(r">([^<>]+)</text>", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("form", HEADS)
def test_each_format(cli, tmp_path, form):
    path = tmp_path / f"figure.{form.upper()}"
    out = succeeds(cli(f"{ONE} paucc --fpr 0 0.3 --plot", path))
    assert path.read_bytes().startswith(HEADS[form])
    assert out == succeeds(cli(f"{ONE} paucc --fpr 0 0.3"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{ONE} paucc --fpr 0 0.3", "pAUCc, FPR 0 to 0.3 (95%\xa0CI)"),
        (f"{ONE} auc --level 0.9", "AUC (90%\xa0CI)"),
        (f"{ONE} ap", "Recall (sensitivity)"),
        (f"{ONE} auk", "Cohen's kappa"),
        (f"{ONE} auc --measure ap", "Estimate (95% CI)"),
        (f"profile {DATA}", "normalized pAUCc"),
        (f"profile {DATA} --score nn --level 0.9", "90% CI"),
        (f"scan {DATA} --measure pauc --fpr 0.2 0.8 --points 9", "chance"),
        (f"scan {DATA} --score nn --measure paucc --fpr 0.1 0.4 --points 4", "simultaneous"),
        (f"{TWO} auc", "True positive rate (sensitivity)"),
        (f"{TWO} auc --measure ap", "Difference (95% CI)"),
        (f"{TWO} auc --variance bootstrap --seed 1 --resamples 99 --kind percentile", "p = "),
    ],
)
def test_the_figure_matches_the_command(cli, tmp_path, line, expected):
    path = tmp_path / "figure.svg"
    succeeds(cli(f"{line} --plot", path))
    assert any(expected in word for word in words(path))


def test_tables_of_counts(cli, tmp_path):
    table = tmp_path / "ct.csv"
    table.write_text("score,positives,negatives\n3,8,1\n2,30,50\n1,10,300\n", encoding="utf-8")
    path = tmp_path / "figure.svg"
    succeeds(cli("counts", table, "--measure", "auc", "--plot", path))
    assert "≥ 3" in words(path)


def test_a_name_of_special_characters(cli, tmp_path):
    path = tmp_path / "figure.svg"
    succeeds(cli("estimate FILE --label label --measure auc --score", SPECIAL, "--plot", path))
    assert any(word.startswith("a|b_c&amp;d%e$f") for word in words(path))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("figure.jpg", "must end in one of .png, .svg, .pdf"),
        ("figure", "must end in one of .png, .svg, .pdf"),
        ("nowhere/figure.png", "cannot be written: No such file or directory"),
        ("folder.png", "is a directory; name a file"),
    ],
)
def test_files_that_cannot_be_read(cli, tmp_path, name, expected):
    (tmp_path / "folder.png").mkdir()
    before = sorted(tmp_path.rglob("*"))
    fails(cli(f"{ONE} auc --plot", tmp_path / name), "--plot", expected)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
@pytest.mark.parametrize("before", [b"before", None])
@pytest.mark.parametrize("option", ["--plot", "--curves"])
def test_a_disk_error_leaves_the_old_file(cli, tmp_path, option, before):
    line = f"{ONE} auc"
    if option == "--curves":
        study = tmp_path / "study.csv"
        roe_metz(np.random.default_rng(5), 4, 25, 30).to_csv(study, index=False)
        line = f"readers {study} --reader reader --modality modality --case case --label label"
        line += " --score score --measure auc"
    folder = tmp_path / "figures"
    folder.mkdir()
    path = folder / "figure.png"
    if before is not None:
        path.write_bytes(before)
    with small_files(1000):
        fails(cli(f"{line} {option}", path), option, "cannot be written: File too large")
    assert [p.read_bytes() for p in folder.iterdir()] == [before] * (before is not None)


def test_without_matplotlib_the_extra_is_named(cli, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    fails(cli(f"{ONE} auc --plot", tmp_path / "figure.png"), "Install the extra plot: ")


def test_extras_are_checked_before_any_file_is_written(cli, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    files = ["--plot", tmp_path / "figure.png", "--output", tmp_path / "table.docx"]
    fails(cli(f"{ONE} auc", *files), "Install the extra docx: ")
    fails(cli(f"{ONE} auc --format docx --output", tmp_path / "table.doc"), "must end in .docx")
    assert list(tmp_path.glob("[ft]*")) == []


def test_matplotlib_is_not_loaded_without_figures(path):
    code = (
        "import sys\nfrom pauci.cli import run\n"
        f"run(['estimate', {path!r}, '--label', 'label', '--score', 'svm', '--measure', 'auc'])\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
