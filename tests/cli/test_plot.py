"""``--plot FILE``: the right figure in the file, or one line and no file."""

import re
import subprocess
import sys

import pytest

from command_line import SPECIAL, fails, succeeds

ONE = "estimate FILE --label label --score svm --measure"
TWO = "compare FILE --label label --score svm --score nn --measure"
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
        ("profile FILE --label label --score svm", "normalized pAUCc"),
        ("profile FILE --label label --score svm --score nn --level 0.9", "90% CI"),
        ("scan FILE --label label --score svm --measure pauc --fpr 0.2 0.8 --points 9", "chance"),
        (
            "scan FILE --label label --score svm --score nn --measure paucc --fpr 0.1 0.8 --points 15 "
            "--seed 1",
            "together",
        ),
        (f"{TWO} auc", "True positive rate (sensitivity)"),
        (f"{TWO} auc --measure ap", "Difference (95% CI)"),
        (f"{TWO} auc --variance bootstrap --seed 1 --resamples 99 --kind basic", "p = "),
    ],
)
def test_the_right_figure(cli, tmp_path, line, expected):
    path = tmp_path / "figure.svg"
    succeeds(cli(f"{line} --plot", path))
    assert any(expected in word for word in words(path))


def test_tables_of_counts(cli, tmp_path):
    table = tmp_path / "ct.csv"
    table.write_text("score,positives,negatives\n3,8,1\n2,30,50\n1,10,300\n")
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
        ("nowhere/figure.png", "which is no folder"),
        ("folder.png", "is a folder; name a file"),
    ],
)
def test_files_that_cannot_be(cli, tmp_path, name, expected):
    (tmp_path / "folder.png").mkdir()
    before = sorted(tmp_path.rglob("*"))
    fails(cli(f"{ONE} auc --plot", tmp_path / name), "--plot", expected)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_disk_that_fails_leaves_no_partial_file(cli, tmp_path, monkeypatch):
    from pathlib import Path

    def full(self, _):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    path = tmp_path / "figure.png"
    fails(cli(f"{ONE} auc --plot", path), "cannot be written: no space left on device.")
    assert not path.exists()


def test_without_matplotlib_the_extra_is_named(cli, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    fails(cli(f"{ONE} auc --plot", tmp_path / "figure.png"), "pip install 'pauci[plot]'")


def test_no_figure_no_matplotlib(path):
    code = (
        "import sys\nfrom pauci.cli import run\n"
        f"run(['estimate', {path!r}, '--label', 'label', '--score', 'svm', '--measure', 'auc'])\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
