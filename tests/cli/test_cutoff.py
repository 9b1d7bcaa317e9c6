"""`pauci cutoff`: every rule, formats, figures, groups, and errors for bad input."""

import functools
import io
import zipfile

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pauci
from command_line import FRAME, fails, json_rows, succeeds

BASE = "cutoff FILE --label label --score svm --seed 3"
RULES = {
    "--maximize youden": {"maximize": pauci.Youden},
    "--maximize balancedaccuracy": {"maximize": pauci.BalancedAccuracy},
    "--maximize accuracy --prevalence 0.3": {"maximize": pauci.Accuracy, "prevalence": 0.3},
    "--maximize F": {"maximize": pauci.F},
    "--maximize f --beta 2": {"maximize": functools.partial(pauci.F, beta=2)},
    "--maximize kappa": {"maximize": pauci.Kappa},
    "--maximize mcc --prevalence 0.4": {"maximize": pauci.MCC, "prevalence": 0.4},
    "--maximize netbenefit --probability 0.4": {
        "maximize": functools.partial(pauci.NetBenefit, probability=0.4)
    },
    "--specificity 0.8": {"specificity": 0.8},
    "--sensitivity 0.9": {"sensitivity": 0.9},
    "--equal": {"equal": True},
    "--cost 2 0.4": {"cost": (2, 0.4)},
    "--rule-in 0.9 --rule-out 0.9": {"rule_in": 0.9, "rule_out": 0.9},
}


AS_READ = {"rtol": 1e-15, "check_dtype": False}
"""Older versions of pandas do not read the last digit; texts of a file have another type."""


def read(text):
    return pd.read_csv(io.StringIO(text))


def sample(**options):
    return pauci.Sample.from_frame(FRAME, "label", "svm", **options)


@pytest.mark.parametrize("words", RULES)
def test_every_rule_is_that_of_the_function(cli, words):
    k = pauci.cutoff(sample(), **RULES[words], rng=3)
    out = succeeds(cli(f"{BASE} {words} --level 0.9"))
    assert out == f"{k.summary(level=0.9)}\n\n{k.report(level=0.9)}\n"
    frame = read(succeeds(cli(f"{BASE} {words} --format csv")))
    assert_frame_equal(frame.drop(columns="group"), k.to_frame().drop(columns="group"), **AS_READ)


def test_clusters_weights_folds_and_direction(cli):
    line = f"{BASE} --equal --cluster site --weight w --folds 4 --repeats 3 --format json"
    rows = json_rows(succeeds(cli(line)))
    k = pauci.cutoff(sample(cluster="site", weight="w"), equal=True, folds=4, repeats=3, rng=3)
    assert rows[0]["honest"] == pytest.approx(k.honest.sensitivity.value)
    assert rows[0]["cutoff_low"] == k.interval().low
    words = "--label label --positive 0 --score svm --lower-is-positive svm --equal"
    assert "and below are positive" in succeeds(cli(f"cutoff FILE {words}"))


def test_case_control_data_require_the_prevalence(cli):
    line = f"{BASE} --maximize accuracy --design case-control"
    fails(cli(line), "--prevalence is required", "maximize youden")
    assert "accuracy at prevalence 0.3" in succeeds(cli(f"{line} --prevalence 0.3"))
    succeeds(cli(f"{BASE} --maximize youden --design case-control"))


def test_several_columns(cli):
    line = f"{BASE} --equal --score nn --format"
    frame = read(succeeds(cli(f"{line} csv")))
    assert list(frame["classifier"].unique()) == ["svm", "nn"]
    assert list(json_rows(succeeds(cli(f"{line} json")))) == ["cut-off of svm", "cut-off of nn"]


@pytest.mark.parametrize("rule", ["--maximize youden", "--rule-in 0.9 --rule-out 0.9"])
def test_groups_have_cutoffs_of_their_own(cli, tmp_path, rule):
    file = tmp_path / "groups.csv"
    frame = FRAME.assign(half=FRAME["site"] % 2)
    frame.to_csv(file, index=False)
    line = f"cutoff {file} --label label --score svm --seed 3 --group half {rule}"
    by_half = pauci.Sample.from_frame(frame, "label", "svm", group="half")
    k = pauci.cutoff(by_half, by="half", **RULES[rule], rng=3)
    rows = read(succeeds(cli(f"{line} --format csv")))
    assert_frame_equal(rows, k.to_frame(), **AS_READ)
    assert "In group 0:" in succeeds(cli(line))
    figure = tmp_path / "groups.svg"
    succeeds(cli(f"{line} --plot", figure))
    assert figure.read_text(encoding="utf-8").count("Cut-off of svm") == 2


@pytest.mark.parametrize("suffix", ["docx", "html", "md", "tex", "csv", "json", "txt"])
def test_files(cli, tmp_path, suffix):
    file = tmp_path / f"table.{suffix}"
    succeeds(cli(f"{BASE} --maximize youden --output", file))
    if suffix == "docx":
        with zipfile.ZipFile(file) as document:
            text = document.read("word/document.xml").decode()
    else:
        text = file.read_text(encoding="utf-8")
    assert "Youden index (J)" in text


def test_figures(cli, tmp_path):
    for rule in ("--maximize youden", "--rule-in 0.9 --rule-out 0.9"):
        file = tmp_path / "cutoff.svg"
        succeeds(cli(f"{BASE} {rule} --plot", file))
        assert "Cut-off of svm" in file.read_text(encoding="utf-8")
    fails(cli(f"{BASE} --equal --score nn --plot", file), "2 --score columns")


def test_the_help_begins_with_an_example(cli):
    out = succeeds(cli("cutoff --help"))
    assert out.startswith("Example:\n  pauci cutoff example:dcurves")
    assert "--rule-out" in out
    assert "Rule:" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", ["one rule", "--rule-in and --rule-out"]),
        ("--equal --specificity 0.9", ["specificity and equal"]),
        ("--maximize ppv", ["no useful cut-off", "youden", "--specificity"]),
        ("--maximize sensitivity", ["all rows are called positive"]),
        ("--maximize auc", ["accuracy at a cut-off"]),
        ("--maximize yuden", ["--maximize yuden is not known", "'youden'"]),
        ("--maximize f --beta 0", ["--beta 0"]),
        ("--maximize f --probability 0.1", ["--probability cannot be combined", "--maximize f"]),
        ("--equal --beta 2", ["--beta requires --maximize"]),
        ("--maximize netbenefit", ["needs --probability VALUE"]),
        ("--maximize netbenefit --probability 1", ["--probability 1", "strictly between"]),
        ("--maximize youden --prevalence 0.1", ["--prevalence 0.1 does not apply"]),
        ("--specificity 1", ["--specificity 1", "strictly between 0 and 1"]),
        ("--specificity nan", ["--specificity nan"]),
        ("--specificity 95%", ["write a proportion, 0.95"]),
        ("--sensitivity 0.9 --prevalence 0.1", ["--prevalence 0.1", "maximized"]),
        ("--cost 0 0.1", ["--cost 0 0.1", "not positive"]),
        ("--cost 2 1", ["--cost 2 1", "prevalence"]),
        ("--rule-in 0.9", ["--rule-out is missing", "--specificity or --sensitivity"]),
        ("--rule-in 0.4 --rule-out 0.4", ["no uncertain zone", "--rule-in and --rule-out"]),
        ("--equal --folds 1", ["--folds"]),
        ("--equal --group nope", ["--group nope"]),
        ("--equal --group site", ["--group 'site'", "--skip-small"]),
        ("--equal --skip-small", ["--skip-small applies to groups", "--group"]),
        ("--equal --group flag", ["flag"]),
        ("--equal --fold site", ["--fold is an option of"]),
        ("--equal --level 2", ["--level 2"]),
    ],
)
def test_wrong_options(cli, words, message):
    fails(cli(f"{BASE} {words}"), *message)


def test_unsuitable_data(cli, tmp_path):
    file = tmp_path / "constant.csv"
    pd.DataFrame({"y": [0, 1] * 10, "s": 1.0}).to_csv(file, index=False)
    for rule in ("--specificity 0.9", "--sensitivity 0.9", "--equal"):
        fails(cli(f"cutoff {file} --label y --score s {rule}"), "all scores of s are 1")
    pd.DataFrame({"y": [0, 1, 1], "s": [1, 2, 3]}).to_csv(file, index=False)
    fails(cli(f"cutoff {file} --label y --score s --equal"), "1 row with a negative label")
    pd.DataFrame({"y": [0, 1, 1, 0], "s": [1, None, 3, 2]}).to_csv(file, index=False)
    fails(cli(f"cutoff {file} --label y --score s --equal"), "--drop-missing")
