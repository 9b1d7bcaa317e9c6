"""Results by group, and the choice of comparisons, on the command line."""

import pandas as pd
import pytest

import pauci
from columns import COMPARISON_COLUMNS, ESTIMATE_COLUMNS
from command_line import FRAME, fails, json_rows, succeeds
from html_page import check, section, words_of

SEX = ["F", "M", "M"]


@pytest.fixture
def file(tmp_path):
    frame = FRAME.assign(
        sex=[SEX[i % 3] for i in range(len(FRAME))], site=[i // 2 % 2 for i in range(len(FRAME))]
    )
    frame["third"] = frame["svm"] + frame["nn"]
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    return path, frame


def run(cli, file, verb, *options, scores=("svm", "nn")):
    names = [word for name in scores for word in ("--score", name)]
    return cli(verb, str(file[0]), "--label", "label", *names, "--measure", "auc", *options)


def test_estimates_by_group_equal_those_of_the_library(cli, file):
    sample = pauci.Sample.from_frame(file[1], "label", "svm", group=["sex", "site"])
    for column in ("sex", "site"):
        expected = pauci.estimate(sample, pauci.AUC(), by=column)
        out = succeeds(run(cli, file, "estimate", "--group", column, scores=["svm"]))
        assert out == f"{expected.summary()}\n\n{expected.report()}\n"


def test_documents_have_the_estimates_and_the_gaps_of_every_column(cli, file):
    out = succeeds(
        run(cli, file, "estimate", "--group", "sex", "--group", "site", "--format", "json")
    )
    document = json_rows(out)
    assert list(document) == [
        "estimates by sex",
        "gaps by sex",
        "estimates by site",
        "gaps by site",
    ]
    assert list(document["estimates by sex"][0]) == list(ESTIMATE_COLUMNS)
    assert document["estimates by sex"][0]["group"] == "F"
    gap = document["gaps by site"][0]
    assert list(gap) == [*COMPARISON_COLUMNS, "classifier"]
    assert (gap["first"], gap["second"], gap["classifier"]) == ("1", "0", "svm")


def test_the_reference_is_spelled_as_in_the_file(cli, file):
    out = succeeds(
        run(cli, file, "estimate", "--group", "site", "--reference", "1", "--format", "json")
    )
    assert json_rows(out)["gaps by site"][0]["second"] == "1"
    out = succeeds(run(cli, file, "estimate", "--group", "sex", "--reference", "overall"))
    assert "minus all rows" in out
    fails(run(cli, file, "estimate", "--group", "sex", "--reference", "X"), "--reference", "'F'")


def test_the_reference_may_be_the_date_of_a_date_and_time(cli, file, tmp_path):
    days = pd.to_datetime(["2024-01-01", "2024-06-30"]).repeat(len(file[1]))[::2]
    path = tmp_path / "rows.parquet"
    file[1].assign(visit=days).to_parquet(path)
    out = succeeds(run(cli, (path,), "estimate", "--group", "visit", "--reference", "2024-06-30"))
    assert "minus 2024-06-30 00:00:00" in out


def test_small_groups_are_named_and_left_out_on_request(cli, file):
    path, frame = file
    frame.assign(sex=["Q", *frame["sex"][1:]]).to_csv(path, index=False)
    words = "--group 'sex' has 1 group with fewer than two", "'Q' (", "--skip-small"
    for verb in ("estimate", "compare"):
        fails(run(cli, file, verb, "--group", "sex"), *words)
    page = path.with_suffix(".html")
    fails(run(cli, file, "report", "--group", "sex", "--output", page), *words)
    out = succeeds(run(cli, file, "estimate", "--group", "sex", "--skip-small"))
    assert "1 group left out: 'Q'" in out
    csv = "estimate", "--group", "sex", "--skip-small", "--format", "csv"
    _, _, err = run(cli, file, *csv)
    assert err.count("pauci: 1 group left out: 'Q'") == 1


@pytest.mark.long
def test_comparisons_by_group(cli, file):
    sample = pauci.Sample.from_frame(file[1], "label", ["svm", "nn"], group="sex")
    expected = pauci.compare(sample, pauci.AUC(), by="sex")
    out = succeeds(run(cli, file, "compare", "--group", "sex"))
    assert out == f"{expected.summary()}\n\n{expected.report()}\n"
    document = json_rows(succeeds(run(cli, file, "compare", "--group", "sex", "--format", "json")))
    assert list(document) == ["comparisons by sex", "gaps by sex"]


def test_pairs_and_a_baseline(cli, file):
    scores = ("svm", "nn", "third")
    sample = pauci.Sample.from_frame(file[1], "label", list(scores))
    pairs = [("nn", "svm"), ("third", "svm")]
    for options, chosen in (
        (["--baseline", "svm"], {"baseline": "svm"}),
        (["--pair", "nn", "svm", "--pair", "third", "svm"], {"pair": pairs}),
        (["--pair", "third", "nn"], {"pair": ("third", "nn")}),
    ):
        expected = pauci.compare(sample, pauci.AUC(), **chosen)
        out = succeeds(run(cli, file, "compare", *options, scores=scores))
        assert out == f"{expected.summary()}\n\n{expected.report()}\n"
    fails(run(cli, file, "compare", "--baseline", "x", scores=scores), "--baseline", "svm")
    fails(
        run(cli, file, "compare", "--baseline", "svm", "--pair", "nn", "svm", scores=scores),
        "--baseline",
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--reference", "F"], ["--reference", "--group"]),
        (["--skip-small"], ["--skip-small", "--group"]),
        (["--group", "sex", "--group", "sex"], ["--group", "twice"]),
        (["--group", "gender"], ["gender"]),
        (["--group", "label"], ["label"]),
    ],
)
def test_wrong_options_are_named(cli, file, options, words):
    fails(run(cli, file, "estimate", *options), *words)


@pytest.mark.long
def test_the_page_by_group_is_that_of_python(cli, file, tmp_path):
    path = tmp_path / "page.html"
    options = ("--group", "sex", "--group", "site", "--reference", "overall", "--output", path)
    assert succeeds(run(cli, file, "report", *options)) == ""
    sample = pauci.Sample.from_frame(file[1], "label", ["svm", "nn"], group=["sex", "site"])
    expected = pauci.report_page(
        sample,
        pauci.AUC(),
        by=["sex", "site"],
        reference="overall",
        origin={"File": "rows.csv", "Column of labels": "label", "Columns of groups": "sex, site"},
    )
    assert path.read_text(encoding="utf-8") == expected


def test_a_page_by_group_has_the_group_that_is_the_reference(cli, file, tmp_path):
    path = tmp_path / "page.html"
    options = ("--group", "site", "--reference", "1", "--skip-small", "--output", path)
    succeeds(run(cli, file, "report", *options, scores=["svm"]))
    root = check(path.read_text(encoding="utf-8"))
    assert "gaps between each group and 1" in words_of(section(root, "groups"))
    fails(run(cli, file, "report", "--reference", "1", "--output", path), "--reference requires")


def test_a_figure_shows_one_grouping(cli, file, tmp_path):
    path = tmp_path / "forest.svg"
    groups = ("--group", "sex", "--group", "site")
    for verb in ("estimate", "compare"):
        fails(run(cli, file, verb, *groups, "--plot", path), "--plot draws the results of one")
    assert not path.exists()
