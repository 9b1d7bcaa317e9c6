"""Messages of the command line refer to options and lines, not to arguments and rows of Python."""

import io
import re

import numpy as np
import pytest

import pauci
from command_line import FRAME, fails
from pauci.cli.shell_syntax import SHELL, ShellSyntax
from pauci.errors import DataName, InputError, UndefinedError

PYTHON = re.compile(
    r"\b[a-z_]+=|\bfloat\(|\bpauci\.\w|\bnp\.|\bpd\.|\bdf\b|\b(True|False|None|y_true|y_score|n_resamples)\b"
    r"|\b[A-Z]\w+\(\w*="
)


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("prevalence", "--prevalence"),
        ("n_resamples", "--resamples"),
        ("scores", "--score"),
        ("y_score", "--score"),
        ("lower_is_positive", "--lower-is-positive"),
    ],
)
def test_options_of_arguments(name, option):
    assert SHELL.option(name) == option
    error = InputError.about(name, "is missing.")
    assert (str(error), SHELL.sentence(error)) == (f"{name} is missing.", f"{option} is missing.")
    error = InputError.of(name, None, "is missing.", shown="")
    assert (str(error), SHELL.sentence(error)) == (f"{name}= is missing.", f"{option} is missing.")
    error = InputError.of(name, str, "is a class.", shown="str")
    assert SHELL.sentence(error) == f"{option} str is a class."


@pytest.mark.parametrize(
    ("name", "value", "typed"),
    [
        ("rng", 3, "--seed 3"),
        ("n_jobs", -1, "--jobs -1"),
        ("scores", ["a", "b"], "--score 'a' --score 'b'"),
        ("label", "y", "--label 'y'"),
        ("positive", 1, "--positive '1'"),
        ("positive", True, "--positive 'True'"),
        ("weight", "it's", "--weight 'it'\"'\"'s'"),
        ("drop_missing", True, "--drop-missing"),
        ("normalized", False, "no --normalized"),
        ("fpr", (0.1, 0.05), "--fpr 0.1 0.05"),
        ("fpr", (0, 0.1 + 0.2), "--fpr 0 0.3"),
        ("threshold", (-np.inf, 2.0), "--threshold -inf 2"),
        ("variance", "influence", "--variance influence"),
        ("sep", "\t", "--sep tab"),
        ("sep", ";", "--sep ';'"),
        ("level", 95.0, "--level 95"),
    ],
)
def test_arguments_with_values(name, value, typed):
    error = InputError.of(name, value, "is not possible.")
    assert str(error) == f"{name}={value!r} is not possible."
    assert SHELL.sentence(error) == f"{typed} is not possible."


@pytest.mark.parametrize(
    ("value", "typed"),
    [
        ((0.1, 0.5), "0.1 0.5"),
        (pauci.AUC(), "auc"),
        (pauci.PAUCc(fpr=(0, 0.1), normalized=True), "paucc --fpr 0 0.1 --normalized"),
        (pauci.Sensitivity(fpr=0.1), "sensitivity --at-specificity 0.9"),
        (pauci.PAI(tpr=0.9), "pai --at 0.9"),
        (pauci.AP(0.01, True), "ap --prevalence 0.01 --negatives"),
    ],
)
def test_values(value, typed):
    assert SHELL.value(value) == typed


def test_data_and_arguments_without_an_option_keep_their_names():
    for name in ("sample", DataName("column 'ct'", "scores", "ct")):
        assert SHELL.sentence(InputError.about(name, "is empty.")) == f"{name} is empty."
        text = f"{name}=3: it is empty."
        assert SHELL.sentence(InputError.of(name, 3, ": it is empty.")) == text
    assert SHELL.sentence(InputError.about(DataName("y_true", "y_true"), "is.")) == "--label is."


def test_messages_have_the_measure_as_attribute():
    measure = pauci.PAUCc(fpr=(0, 0.1))
    error = UndefinedError((measure, " of ct is nan."))
    assert str(error) == "PAUCc(fpr=(0, 0.1)) of ct is nan."
    assert error.measure is measure
    assert SHELL.sentence(error) == "paucc --fpr 0 0.1 of ct is nan."
    error = UndefinedError("it is nan.", measure=measure, classifier="ct", where="in fold 1")
    assert SHELL.sentence(error) == "in fold 1: paucc --fpr 0 0.1 of ct: it is nan."


@pytest.mark.parametrize(
    ("hints", "text"),
    [
        ({"hint": "Take less."}, "it is wrong. Take less."),
        ({"hint": "Use fpr=0.", "shell_hint": "Use --fpr 0."}, "it is wrong. Use --fpr 0."),
        ({"hint": "Use fpr=0.", "shell_hint": ""}, "it is wrong."),
    ],
)
def test_hints(hints, text):
    assert SHELL.sentence(InputError("it is wrong.", **hints)) == text


def test_rows_are_counted_from_one():
    error = InputError("it is wrong.", rows=[0, 4, 7, 8])
    assert SHELL.sentence(error) == "it is wrong (rows 1, 5, 8, ...)."


@pytest.mark.usefixtures("quiet")
def test_measures_in_messages_can_be_used_as_options(cli):
    """The name of a measure in a message is a valid option that creates it."""
    for m in (
        pauci.PAUCc(fpr=(0, 0.5), tpr=(0.5, 1)),
        pauci.PartialC(threshold=(0.0, 1.0)),
        pauci.SPA(tpr=(0.5, 1)),
        pauci.Specificity(tpr=0.7),
        pauci.AUK(0.3),
        pauci.MaxKappa(),
        pauci.LocalC(fpr=(0.1, 0.9), ends="middle"),
        pauci.AP(corrected=True),
        pauci.AUC(rescaled=True),
        pauci.InitialTPR(),
    ):
        status, out, err = cli(
            f"estimate FILE --label label --score svm --format csv --measure {SHELL.value(m)}"
        )
        assert status == 0
        # Some have a warning with the same name.
        assert all(f": {SHELL.value(m)} of svm: " in line for line in err.splitlines())
        expected = pauci.estimate(pauci.Sample.from_frame(FRAME, "label", "svm"), m)
        assert out.split("\n")[1].split(",")[9] == repr(expected.value)


def test_rows_and_options_in_one_message():
    syntax = ShellSyntax(lambda positions, noun: f"{noun} {positions}", {"tpr": "--at"})
    error = InputError.of("tpr", 2, "is wrong.").replaced(rows=[3], row_noun="position")
    assert syntax.sentence(error) == "--at 2 is wrong (position [3])."
    assert str(error) == "tpr=2 is wrong (position 3)."


@pytest.mark.parametrize("said", ["", "boot", "x" * 500])
def test_a_long_value_is_shortened(said):
    assert len(SHELL.assignment("kind", said)) < 100
    assert len(SHELL.assignment("label", said)) < 100


ROWS = "FILE --label label --score svm --score nn --measure"
TIED = "TIED --label label --score svm --score nn --measure"
BOOT = "--variance bootstrap --resamples 20 --seed 1"
LINES = [
    # regions and points
    f"{ROWS} paucc --fpr 0.5 0.1",
    f"{ROWS} paucc --fpr 0 10",
    f"{ROWS} paucc --fpr 0 nan",
    f"{ROWS} paucc --specificity 0.5 0.1",
    f"{ROWS} paucc --specificity 0 10",
    f"{ROWS} paucc --sensitivity 0.5 0.5",
    f"{ROWS} paucc --specificity 0 1 --fpr 0 1",
    f"{ROWS} paucc --threshold 3 1",
    f"{ROWS} paucc --threshold nan 1",
    f"{ROWS} paucc --threshold 40 50",
    f"{ROWS} paucc --threshold 0 1 --fpr 0 0.1",
    f"{ROWS} paucc --threshold 0 1_0",
    f"{ROWS} spa --threshold 0 1",
    f"{ROWS} spa --fpr 0 .5 --tpr .5 1",
    f"{ROWS} localc --fpr 0 .5 --sensitivity .5 1",
    f"{ROWS} paucc",
    f"{ROWS} auc --fpr 0 0.1",
    f"{ROWS} pai",
    f"{ROWS} pai --tpr 0.1 1",
    f"{ROWS} pai --at 1",
    f"{ROWS} pai --at 7",
    f"{ROWS} sensitivity --at-specificity nan",
    f"{ROWS} sensitivity --at-specificity 1",
    f"{ROWS} specificity --at 1 --specificity 0 1",
    # options of measures
    f"{ROWS} ap --prevalence 2",
    f"{ROWS} ap --prevalence nan",
    f"{ROWS} auk --prevalence 0",
    f"{ROWS} auc --at 0.1",
    f"{ROWS} auc --corrected",
    f"{ROWS} acu",
    f"{ROWS} ap --corrected --weight w",
    f"{ROWS} maxkappa --normalized",
    # data
    "FILE --label nn --score svm --measure auc",
    "FILE --label outcome --score svm --measure auc",
    "FILE --label outcome --positive YES --score svm --measure auc",
    "FILE --label site --positive 1 --score svm --measure auc",
    "FILE --label label --score outcome --measure auc",
    "FILE --label label --score svm --measure auc --frequency w",
    "FILE --label label --score svm --measure auc --weight nn",
    "FILE --label label --score svm --measure auc --weight outcome",
    "FILE --label lable --score svm --measure auc",
    "FILE --label label --score x --measure auc",
    "FILE --label label --score svm --score svm --measure auc",
    "FILE --label label --score svm --measure auc --cluster none",
    # uncertainty
    f"{ROWS} auc --level 95",
    f"{ROWS} auc --level 0",
    f"{ROWS} auc --level nan",
    f"{ROWS} auc --kind bca",
    f"{ROWS} initialtpr --kind log",
    f"{ROWS} auc --kind log",
    f"{ROWS} auc --seed 3",
    f"{ROWS} auc --scheme cluster",
    f"{ROWS} auc {BOOT} --scheme cluster",
    f"{ROWS} auc {BOOT} --cluster site --scheme cohort",
    f"{ROWS} ap --variance delta --weight w",
    f"{ROWS} auc {BOOT} --kind bca",
    f"{ROWS} ap --corrected {BOOT} --kind student",
    f"{ROWS} auc {BOOT} --cluster label",
    f"{ROWS} auc --cluster label",
    f"{ROWS} sensitivity --at-specificity .9 --variance jackknife",
    f"{ROWS} ap --variance jackknife --weight w",
    f"{ROWS} localc --fpr 0 .001",
    f"{ROWS} localc --fpr 0 .01 --variance jackknife",
    f"{ROWS} localc --fpr 0 .02 {BOOT}",
    f"{ROWS} paucc --fpr 0 .0001 --normalized",
    # warnings
    f"{ROWS} ap --design case-control",
    f"{ROWS} auk --design case-control {BOOT}",
    f"{ROWS} paucc --fpr 0 0.02",
    f"{ROWS} auc --variance delta",
    f"{TIED} auc",
    f"{TIED} ap",
    f"{TIED} paucc --fpr 0 .3 {BOOT}",
    f"{TIED} pauc --tpr 0 .1",
    f"{TIED} localc --fpr .2 .3",
    f"{TIED} maxkappa {BOOT} --kind student",
]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("verb", ["estimate", "compare"])
@pytest.mark.parametrize("line", LINES)
def test_no_message_contains_python(cli, tmp_path, verb, line):
    path = tmp_path / "tied.csv"
    FRAME.assign(svm=FRAME["label"], nn=1.0).to_csv(path, index=False)
    status, _, err = cli(f"{verb} {line.replace('TIED', str(path))}")
    assert status in (0, 2)
    assert not PYTHON.search(err.replace(str(tmp_path), "")), err
    assert "fault of pauci" not in err


@pytest.mark.parametrize(
    "line",
    [
        "--null 3",
        "--null nan",
        "--null inf",
        "--alternative two_sided",
        "--adjust bonferoni",
        "--kind logit",
        "--row x",
        "--null 1 --measure ap --prevalence .2",
    ],
)
def test_no_message_of_compare_contains_python(cli, line):
    answer = cli(f"compare {ROWS} auc {line}")
    fails(answer)
    assert not PYTHON.search(re.sub(r"file '[^']*'", "", answer[2])), answer[2]


@pytest.mark.parametrize(
    "table",
    [
        "2,5,1\n1,3,9\n2,1,1",
        "2,0,1\n1,0,9",
        "2,1.5,1\n1,3,9",
        "2,-1,1\n1,3,9",
        "2,,1\n1,3,9",
        "2,5,1\nx,3,9",
        "2,5,1\ninf,3,9",
        "2,5,1\n1,1e30,9",
        "2,5,1\n1,9223372036854775807,9",
        "",
        "2,1,0\n1,0,1",
    ],
)
@pytest.mark.parametrize("more", ["", "--measure ap --variance delta", f"{BOOT} --kind basic"])
@pytest.mark.filterwarnings("default")
def test_no_message_of_counts_contains_python(cli, monkeypatch, table, more):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"score,positives,negatives\n{table}\n"))
    status, _, err = cli(f"counts - --measure auc {more}")
    assert status in (0, 2)
    assert not PYTHON.search(err), err
    assert "fault of pauci" not in err


def test_the_case_control_warning_names_the_option(cli):
    line = "estimate FILE --label label --score svm --measure ap --design case-control"
    status, _, err = cli(line)
    assert status == 0
    assert err.endswith("the target population by --prevalence.\n")
    assert err.startswith("pauci: warning: ap depends on the prevalence")


def test_errors_point_to_the_help(cli):
    fails(cli(f"estimate {ROWS} auc --level 95"), "See pauci estimate --help.")
    fails(cli(f"compare {ROWS} auc --levle 1"), "--levle", "See pauci compare --help.")
    fails(cli("counts x.csv"), "See pauci counts --help.")
    fails(cli("estmate x.csv"), "See pauci --help.")
    fails(cli("--nothing"), "See pauci --help.")
