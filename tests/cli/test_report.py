"""``pauci report``: one page in a file, or one line and no file."""

import sys
from pathlib import Path

import pytest

import pauci
from command_line import FRAME, SPECIAL, fails, succeeds
from html_page import check, words_of
from pauci.cli import commands

TWO = "report FILE --label label --score svm --score nn --measure paucc --fpr 0 0.3"


@pytest.mark.long
def test_the_page_is_that_of_python(cli, tmp_path):
    path = tmp_path / "page.html"
    line = f"{TWO} --measure auc --level 0.9 --style apa --adjust max-t --alternative greater"
    assert succeeds(cli(line, "--title", "A & <b>", "--output", path)) == ""
    sample = pauci.Sample.from_frame(FRAME, label="label", scores=["svm", "nn"])
    expected = pauci.report_page(
        sample,
        [pauci.PAUCc(fpr=(0, 0.3)), pauci.AUC()],
        title="A & <b>",
        level=0.9,
        style="apa",
        adjust="max-t",
        alternative="greater",
        origin={"File": "data.csv", "Column of labels": "label"},
    )
    assert path.read_bytes() == expected.encode("utf-8")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("report FILE --label label --score svm --measure auc", "AUC"),
        ("report FILE --label outcome --positive yes --score svm --measure ap", "yes"),
        (f"{TWO} --cluster site", "40; standard errors account for them"),
        (f"{TWO} --weight w", "sampling weights; effective sizes: "),
        (f"{TWO} --frequency copies", "frequencies: a row represents several"),
        (f"{TWO} --design case-control", "case-control: the numbers"),
        (f"{TWO} --variance bootstrap --resamples 199 --seed 1", "199 resamples, seed 1"),
        (f"{TWO} --score {SPECIAL}", SPECIAL),
    ],
)
def test_each_kind_of_data(cli, tmp_path, line, words):
    path = tmp_path / "page.HTML"
    succeeds(cli(f"{line} --output", path))
    root = check(path.read_text(encoding="utf-8"))
    assert words in words_of(root.find("body/main"))
    assert str(tmp_path) not in path.read_text(encoding="utf-8")


def test_long_data(cli, tmp_path):
    long = FRAME.reset_index().melt(["index", "label"], ["svm", "nn"], "by", "score")
    data, path = tmp_path / "long.csv", tmp_path / "page.html"
    long.to_csv(data, index=False)
    line = "--label label --score score --by by --row index --measure auc --output"
    succeeds(cli("report", data, *line.split(), path))
    root = check(path.read_text(encoding="utf-8"))
    assert "svm and nn, compared on the same rows" in words_of(root)
    assert "Column of casesindex" in words_of(root)


def test_warnings_refer_to_options(cli, tmp_path):
    path = tmp_path / "page.html"
    line = "report FILE --label label --score svm --measure ap --design case-control --output"
    status, out, err = cli(line, path)
    assert (status, out) == (0, "")
    assert "--prevalence" in err
    warned = check(path.read_text(encoding="utf-8")).find(".//section[@id='warnings']")
    assert "AP depends on the prevalence" in words_of(warned)
    assert "--prevalence" in words_of(warned)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("page.pdf", "must end in .html or .docx; pauci estimate and pauci compare write tables"),
        ("page", "must end in .html"),
        ("nowhere/page.html", "cannot be written: No such file or directory."),
        ("folder.html", "is a directory; name a file."),
        ("data.csv/page.html", "cannot be written: Not a directory."),
        ("x" * 300 + ".html", "cannot be written: File name too long."),
    ],
)
def test_invalid_paths_are_reported_first(cli, tmp_path, monkeypatch, name, expected):
    def never(*_, **__):
        raise AssertionError("read")

    monkeypatch.setattr(commands, "sample_of", never)
    (tmp_path / "folder.html").mkdir()
    before = sorted(tmp_path.rglob("*"))
    fails(cli(f"{TWO} --output", tmp_path / name), "--output", expected)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_disk_error_leaves_no_partial_file(cli, tmp_path, monkeypatch):
    real, calls = Path.open, []

    def full(self, mode="r", *more, **options):
        if mode == "xb":
            calls.append(self)
            if len(calls) > 1:
                raise OSError(28, "No space left on device")
        return real(self, mode, *more, **options)

    monkeypatch.setattr(Path, "open", full)
    path = tmp_path / "page.html"
    fails(cli(f"{TWO} --output", path), "cannot be written: No space left on device.")
    assert [p.name for p in tmp_path.iterdir()] == ["data.csv"]


def test_a_failed_report_keeps_the_old_page(cli, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old", encoding="utf-8")
    line = "report FILE --label label --score nosuch --measure auc --output"
    fails(cli(line, path), "nosuch")
    assert path.read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "page.html"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--title", " "], "--title ' ' is blank"),
        (["--row", "site"], "--row requires --by"),
        (["--by", "site"], "--by requires --row COLUMN"),
        (["--kind", "bca"], "--kind bca requires the bootstrap. Use --variance bootstrap"),
    ],
)
def test_bad_options(cli, tmp_path, more, words):
    fails(cli(TWO, *more, "--output", tmp_path / "page.html"), words)
    assert [p.name for p in tmp_path.iterdir()] == ["data.csv"]


def test_the_output_must_be_named(cli):
    fails(cli(TWO), "--output (file of the page", "is missing. Example: pauci report")


def test_without_matplotlib_the_extra_is_named(cli, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    fails(cli(f"{TWO} --output", tmp_path / "page.html"), "Install the extra plot: ")


def test_points_are_those_of_python(cli, tmp_path):
    path = tmp_path / "page.html"
    line = "--at-threshold 0.5 --at-sensitivity 0.8 --prevalence 0.2 --output"
    status, _, err = cli(f"{TWO} {line}", path)
    assert status == 0
    assert "do not cover the rule" in err
    asked = {"thresholds": 0.5, "sensitivity": 0.8, "prevalence": 0.2}
    sample = pauci.Sample.from_frame(FRAME, label="label", scores=["svm", "nn"])
    with pytest.warns(pauci.ChosenThresholdWarning):
        expected = pauci.report_page(
            sample,
            pauci.PAUCc(fpr=(0, 0.3)),
            points=asked,
            origin={"File": "data.csv", "Column of labels": "label"},
        )
    made, expected = (check(page) for page in (path.read_text(encoding="utf-8"), expected))
    for name in ("td", "figcaption"):
        assert [*map(words_of, made.iter(name))] == [*map(words_of, expected.iter(name))]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("--at-specificity .9 .95", ["--at-specificity takes one number"]),
        ("--at-specificity 90", ["--at-specificity 90", "Did you mean 0.9?"]),
        ("--at-threshold x", ["--at-threshold x"]),
    ],
)
def test_invalid_points(cli, tmp_path, more, words):
    path = tmp_path / "page.html"
    fails(cli(f"{TWO} {more} --output", path), *words)
    assert not path.exists()
