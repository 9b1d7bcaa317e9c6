"""`pauci points`: accuracy at thresholds, against 2 x 2 tables counted by hand."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import pauci
from command_line import FRAME, SPECIAL, fails, json_rows, succeeds
from pauci.cutoffs.youdens_cutoff import youdens_cutoff

ROWS = "points FILE --label label --score svm"


def warned(answer, *said):
    """Return the standard output of a command that issued these warnings, one per line."""
    status, out, err = answer
    assert status == 0
    assert err.count("\n") == len(said)
    for line, part in zip(err.splitlines(), said, strict=True):
        assert line.startswith("pauci: warning: ")
        assert part in line
    return out


def read(out):
    return pd.read_csv(io.StringIO(out))


@pytest.fixture
def paired(tmp_path):
    """Two tests of 451 diseased and 261 healthy: both positive, only 2, only 1, none."""
    cells = [(1, 1), (0, 1), (1, 0), (0, 0)]
    counts = {1: (319, 22, 78, 32), 0: (31, 22, 53, 155)}
    rows = [
        (d, *cell)
        for d, ns in counts.items()
        for cell, n in zip(cells, ns, strict=True)
        for _ in range(n)
    ]
    path = tmp_path / "paired.csv"
    pd.DataFrame(rows, columns=["d", "t1", "t2"]).to_csv(path, index=False)
    return path


def test_published_accuracy_of_two_tests(cli, paired):
    line = "--label d --score t1 --score t2 --at-threshold 1 --format csv"
    frame = read(succeeds(cli(f"points {paired} {line}")))
    assert frame["classifier"].tolist() == ["t1", "t2"]  # one table, with one header
    published = {
        "sensitivity": (0.880266, 0.756098),
        "specificity": (0.678161, 0.796935),
        "ppv": (0.825364, 0.865482),
        "npv": (0.766234, 0.654088),
    }
    for name, values in published.items():
        assert frame[name].tolist() == pytest.approx(values, abs=5e-7)
    assert frame["target"].tolist() == ["fixed threshold"] * 2
    row = frame.iloc[0]
    assert row[["true_positives", "false_positives"]].tolist() == [397, 84]
    assert row[["false_negatives", "true_negatives"]].tolist() == [54, 177]

    for name, k, n in (
        ("sensitivity", 397, 451),
        ("specificity", 177, 261),
        ("ppv", 397, 481),
        ("npv", 177, 231),
    ):
        low, high = row[[f"{name}_low", f"{name}_high"]]
        for rate, tail in ((high, binom.cdf(k - 1, n, high)), (low, binom.sf(k, n, low))):
            assert tail + binom.pmf(k, n, rate) / 2 == pytest.approx(0.025, rel=1e-9)
    y, x = 397 / 451, 177 / 261
    assert row["youden"] == pytest.approx(y + x - 1)
    assert row["lr_pos"] == pytest.approx(y / (1 - x))
    assert row["lr_neg"] == pytest.approx((1 - y) / x)
    for name in ("youden", "lr_pos", "lr_neg", "kappa"):
        assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]


def test_predictive_values_at_a_prevalence(cli, paired):
    line = f"points {paired} --label d --score t1 --at-threshold 1 --prevalence .02 --format csv"
    row = read(succeeds(cli(line))).iloc[0]
    y, x, odds = 397 / 451, 84 / 261, 0.02 / 0.98
    assert row["ppv"] == pytest.approx(odds * y / (odds * y + x))
    assert row["npv"] == pytest.approx((1 - x) / (1 - x + odds * (1 - y)))
    assert row["ppv_low"] < row["ppv"] < row["ppv_high"]


def test_the_text_has_every_statistic_and_fits_a_terminal(cli):
    out = warned(
        cli(f"{ROWS} --at-threshold 0.5 --at-specificity .9 --prevalence .2"), "do not cover"
    )
    row = FRAME.assign(called=FRAME["svm"] >= 0.5)
    tp, fp = (row["called"] & (row["label"] == k) for k in (1, 0))
    lines = {line.split("  ")[0].rstrip(): line for line in out.splitlines()}
    for name in (
        "threshold",
        "sensitivity",
        "specificity",
        "PPV",
        "NPV",
        "LR+",
        "LR-",
        "J",
        "sensitivity of the rule",
    ):
        assert any(start.split(" 0")[0] == name or start == name for start in lines), name
    assert f"{tp.sum() / 60:.3f} (" in out
    assert f"{1 - fp.sum() / 60:.3f} (" in out
    assert "threshold 0.5" in out
    assert "specificity >= 0.9" in out
    assert "Prevalence 0.2 (specified)." in out
    assert "treat the selected thresholds as fixed" in out.splitlines()[0]


@pytest.mark.filterwarnings("ignore::pauci.ReversedScoresWarning")
def test_the_output_is_that_of_python(cli):
    sample = pauci.Sample.from_frame(
        FRAME, "label", ["nn"], frequency="copies", lower_is_positive=True, design="case-control"
    )
    expected = pauci.operating_points(sample, thresholds=[0.1, -1.5], prevalence=0.1).to_frame(0.9)
    status, out, err = cli(
        "points FILE --label label --score nn --lower-is-positive nn --frequency copies "
        "--design case-control --at-threshold 0.1 --at-threshold -1.5 "
        "--prevalence 0.1 --level 0.9 --format csv"
    )
    assert status == 0
    assert "--lower-is-positive nn declares" in err
    pd.testing.assert_frame_equal(read(out), expected, check_dtype=False)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize(("option", "column"), [("cluster", "site"), ("weight", "w")])
def test_clusters_and_weights(cli, option, column):
    sample = pauci.Sample.from_frame(FRAME, "label", ["svm"], **{option: column})
    expected = pauci.operating_points(sample, thresholds=[0.5]).to_frame()
    status, out, _ = cli(f"{ROWS} --{option} {column} --at-threshold 0.5 --format csv")
    assert status == 0
    pd.testing.assert_frame_equal(read(out), expected, check_dtype=False)
    e = pauci.estimate(sample, pauci.PPV(threshold=0.5))
    assert expected.loc[0, ["ppv", "ppv_low", "ppv_high"]].tolist() == pytest.approx(
        [e.value, *e.interval()]
    )


def test_missing_rows_are_dropped_on_request(cli, tmp_path):
    path = tmp_path / "gaps.csv"
    FRAME.assign(svm=FRAME["svm"].where(FRAME.index > 4)).to_csv(path, index=False)
    line = f"points {path} --label label --score svm --at-threshold 0.5"
    fails(cli(line), "missing", "--drop-missing")
    status, out, err = cli(f"{line} --drop-missing --format json")
    assert status == 0
    assert "5 of 120 rows" in err
    (row,) = json_rows(out)
    assert row["true_positives"] + row["false_negatives"] == FRAME["label"][5:].sum()


@pytest.mark.parametrize("form", ["markdown", "latex", "html", "csv", "json", "text"])
def test_every_form_for_several_classifiers(cli, form):
    line = f"points FILE --label label --score svm --score nn --at-threshold 0.5 --format {form}"
    out = succeeds(cli(line))
    assert "svm" in out
    assert "nn" in out
    if form == "json":
        assert [len(rows) for rows in json_rows(out).values()] == [1, 1]


def test_a_word_document(cli, tmp_path):
    pytest.importorskip("docx")
    path = tmp_path / "points.docx"
    assert succeeds(cli(f"{ROWS} --at-threshold 0.5 --output {path}")) == ""
    assert path.read_bytes().startswith(b"PK")


def test_the_figure_marks_the_points(cli, tmp_path):
    path = tmp_path / "points.svg"
    line = f"{ROWS} --score nn --at-threshold 0.5 --at-specificity .9 --plot {path}"
    warned(cli(line), "do not cover")
    shown = re.findall(r">([^<>]+)</text>", path.read_text(encoding="utf-8"))
    for name in ("svm", "nn", "threshold 0.5", "specificity &gt;= 0.9"):
        assert name in shown


# Without a selected point


def test_few_thresholds_are_all_printed(cli, tmp_path):
    path = tmp_path / "ratings.csv"
    FRAME.assign(rating=FRAME["svm"].clip(-1, 3).round()).to_csv(path, index=False)
    out = succeeds(cli(f"points {path} --label label --score rating --format csv"))
    assert read(out)["threshold"].tolist() == [3, 2, 1, 0, -1]


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_many_thresholds_are_printed_as_two_named_ones(cli, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(1500) % 2
    path, larger = tmp_path / "many.csv", tmp_path / "larger.csv"
    pd.DataFrame({"y": y, "s": rng.normal(size=1500) + y}).to_csv(path, index=False)
    pd.DataFrame({"y": np.arange(2001) % 2, "s": rng.normal(size=2001)}).to_csv(larger, index=False)
    out = succeeds(cli(f"points {path} --label y --score s"))
    assert len(out.splitlines()) < 35
    assert "specificity >= 0.9" in out
    assert "sensitivity >= 0.9" in out
    assert "1,500" in out
    assert "--all" in out
    frame = read(succeeds(cli(f"points {path} --label y --score s --format csv")))
    assert frame["asked"].tolist() == ["specificity >= 0.9", "sensitivity >= 0.9"]
    every = succeeds(cli(f"points {path} --label y --score s --all"))
    assert max(len(part.splitlines()) for part in every.split("\n\n")) < 50
    assert "more" in every
    every = succeeds(cli(f"points {path} --label y --score s --all --format csv"))
    assert len(read(every)) == 1500
    assert "--all" not in succeeds(cli(f"points {larger} --label y --score s --quiet"))
    fails(cli(f"points {larger} --label y --score s --all"), "--at-threshold", "2,001")


# Patterns and cells


def test_files_that_an_engine_counts(cli, tmp_path):
    pytest.importorskip("duckdb")
    for i in range(2):
        FRAME[i::2].to_csv(tmp_path / f"part{i}.csv", index=False)
    line = "--label label --score nn --at-threshold 0.5 --at-threshold 0.6 --format csv"
    out = succeeds(cli(f"points {tmp_path}/part*.csv {line}"))
    assert out == succeeds(cli(f"points FILE {line}"))


def test_counts_at_a_threshold_inside_a_cell_are_exact(cli):
    pytest.importorskip("duckdb")
    line = "points FILE --label label --score nn --resolution 3"
    edges = read(succeeds(cli(f"{line} --all --format csv")))
    threshold = float(edges["threshold"][3]) + 0.01
    frame = read(succeeds(cli(f"{line} --at-threshold {threshold!r} --format csv")))
    called = FRAME["nn"] >= threshold
    assert frame["true_positives"].tolist() == [(called & (FRAME["label"] == 1)).sum()]


# Invalid arguments


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("--at-specificity .9 .95", ["--at-specificity takes one number", "--specificity .9 .95"]),
        ("--at-specificity=.9 .95", ["--at-specificity .9 --at-specificity .95"]),
        ("--at-threshold -1 -2", ["--at-threshold -1 --at-threshold -2"]),
        ("--specificity 0.9", ["--at-specificity NUMBER", "pauci estimate"]),
        ("--specificity 0.9 1", ["--at-specificity NUMBER"]),
        ("--sensitivity=0.9", ["--at-sensitivity NUMBER"]),
        ("--threshold 4 inf", ["--at-threshold NUMBER"]),
        ("--fpr 0 0.1", ["--at-specificity NUMBER"]),
        ("--at-specificity 90", ["--at-specificity 90", "Did you mean 0.9?"]),
        ("--at-sensitivity -1", ["--at-sensitivity -1"]),
        ("--at-threshold high", ["--at-threshold high", "not a number"]),
        ("--at-threshold nan", ["--at-threshold", "not a threshold"]),
        ("--all --at-threshold 1", ["--all", "--at-threshold"]),
        ("--prevalence 2 --at-threshold 1", ["--prevalence 2"]),
        ("--method beta", ["--method is not an option"]),
        ("--level .05", ["--level"]),
    ],
)
def test_errors_name_the_intended_option(cli, more, said):
    fails(cli(f"{ROWS} {more}"), *said)


def test_the_warning_refers_to_options(cli):
    status, _, err = cli(f"{ROWS} --at-sensitivity .8")
    assert status == 0
    assert "sensitivity >= 0.8" in err
    assert "--at-threshold" in err
    assert "specificity --at 0.8" in err


def test_odd_names_stay_as_they_are(cli):
    out = succeeds(cli("points FILE --label label --at-threshold 1 --score", SPECIAL))
    assert f"Operating points of {SPECIAL}" in out


def test_youdens_cutoff_has_its_honest_accuracy(cli):
    """The honest rates are those of the function, whose default here is a fixed seed."""
    k = youdens_cutoff(pauci.Sample.from_frame(FRAME, "label", "svm"))
    line = "points FILE --label label --score svm"
    out = succeeds(cli(f"{line} --at-youden --level 0.9"))
    assert out == f"{k.summary(level=0.9)}\n\n{k.report(level=0.9)}\n"
    assert succeeds(cli(line)).endswith(f"\n{k.report()}\n")
    beside = succeeds(cli(f"{line} --at-youden --at-threshold 0.5"))
    assert beside.lstrip().startswith("Operating points of svm")
    assert k.summary() in beside
    parsed = json_rows(succeeds(cli(f"{line} --at-youden --at-threshold 0.5 --format json")))
    assert list(parsed) == ["operating points of svm", "Youden's cut-off of svm"]
    assert parsed["Youden's cut-off of svm"][0]["honest"] == k.honest.sensitivity.value
    assert "The cut-off of" not in succeeds(cli(f"{line} --at-threshold 0.5"))
    assert isinstance(json_rows(succeeds(cli(f"{line} --at-youden --format json"))), list)


def test_youdens_cutoff_is_refused_where_its_choice_would_be_ignored(cli, tmp_path):
    line = "--label label --score svm --at-youden"
    fails(cli(f"points FILE {line} --plot {tmp_path / 'a.png'}"), "--plot", "pauci cutoff")
    for command in ("estimate", "compare"):
        answer = cli(f"{command} FILE {line} --score nn --measure sensitivity")
        fails(answer, "--at-youden is an option of pauci points", "pauci cutoff --maximize youden")


def test_no_cutoff_is_named_if_none_can_be_chosen(cli, tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("y,s\n1,3\n0,2\n0,1\n", encoding="utf-8")
    line = f"points {file} --label y --score s"
    assert "cut-off" not in succeeds(cli(line))
    fails(cli(f"{line} --at-youden"), "1 row with a positive label")


def test_a_page_with_youdens_cutoff(cli, tmp_path):
    page = tmp_path / "page.html"
    line = f"report FILE --label label --score svm --measure auc --output {page}"
    succeeds(cli(f"{line} --at-youden"))
    assert "with the largest Youden index" in page.read_text(encoding="utf-8")
    answer = cli(f"{line} --at-youden --reader site --case site")
    fails(answer, "--reader is for reader studies")
