"""The command line: its output in each format, and one line for each error."""

import csv
import io
import json
import math
import os
import pickle
import re
import shlex
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from fractions import Fraction
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pauci
from columns import COMPARISON_COLUMNS, ESTIMATE_COLUMNS
from command_line import FRAME, SPECIAL, fails, json_rows, succeeds
from pauci import AUC, PAUC, PAUCc, PAUCx, Sample, compare, estimate
from pauci.cli.commands import commands
from pauci.cli.measure_options import ParsedMeasures, measures_of
from pauci.measures import REGISTRY

SVM = Sample.from_frame(FRAME, "label", "svm")
PAIR = Sample.from_frame(FRAME, "label", ["svm", "nn"])
FIRST_PART = PAUCc(fpr=(0, 0.3))


# The demonstration


def test_demo_prints_consistent_numbers(cli):
    out = succeeds(cli("demo"))
    sums = re.findall(r"^(\w+): (.*) = ([\d.]+); AUC ([\d.]+)$", out, re.MULTILINE)
    assert [name for name, *_ in sums] == ["svm", "nn"]
    for _, parts, total, area in sums:
        terms = [float(term) for term in parts.split(" + ")]
        assert len(terms) == 3
        assert total == area
        assert sum(terms) == pytest.approx(float(area), abs=2e-4)


def test_demo_ends_with_a_sentence_for_each_verb(cli):
    *_, single, difference = succeeds(cli("demo")).strip().split("\n")
    assert single.startswith("The concordant partial AUC (pAUCc) of svm over FPR 0 to 0.333")
    interval = r"difference -?[\d.]+ \(95% .* CI .* to .*"
    assert re.search(interval + r"; t\(.*\) = .*, p = ", difference)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("pauci p", {"points", "power", "profile"}),
        ("pauci estimate --me", {"--measure"}),
        ("pauci compare --adjust b", {"bonferroni", "bh", "by"}),
        ("pauci band --fo", {"--format"}),
    ],
)
def test_shells_complete_commands_options_and_choices(cli, monkeypatch, typed, words):
    monkeypatch.setenv("_PAUCI_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    status, out, err = cli("")
    assert (status, err) == (0, "")
    assert {line.partition(",")[2] for line in out.split()} == words


def in_a_process(line):
    done = subprocess.run(
        [sys.executable, "-c", "from pauci.cli import main; main()", *line.split()],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_demo_in_a_separate_process():
    assert "AUC 0.6700" in succeeds(in_a_process("demo"))


def test_an_error_in_a_separate_process():
    fails(in_a_process("estimate no.csv --label y --score s --measure auc"), "'no.csv'")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("--help", ["estimate", "compare", "demo"], id="help"),
        pytest.param("-h", ["estimate", "compare", "demo"], id="short help"),
        pytest.param("estimate --help", ["--label", "--fpr", "1 - FPR", "paucc"], id="estimate"),
        pytest.param("compare --help", ["--null", "--alternative", "paired"], id="compare"),
        pytest.param("--version", [pauci.__version__], id="version"),
    ],
)
def test_help(cli, line, words):
    out = succeeds(cli(line))
    for word in words:
        assert word in out


def test_the_command_without_arguments_prints_its_help(cli):
    out = succeeds(cli(""))
    assert out == succeeds(cli("--help"))
    assert out.startswith("Example:\n  pauci ")
    assert "COMMAND --help" in out


_SHARED = ["Data", "Measure", "Measures", "Region", "Uncertainty"]
GROUPS = {
    "app": ["Example", "Output"],
    "band": ["Example", "Data", "Region", "Uncertainty", "Output"],
    "estimate": ["Example", *_SHARED, "Output"],
    "fit": ["Example", *_SHARED, "Test", "Output"],
    "compare": ["Example", *_SHARED, "Test", "Output"],
    "counts": ["Example", *_SHARED, "Test", "Output"],
    "demo": ["Example", "Output"],
    "points": ["Example", "Data", "Points", "Uncertainty", "Output"],
    "profile": ["Example", "Data", "Region", "Uncertainty", "Output"],
    "cutoff": ["Example", "Data", "Rule", "Uncertainty", "Output"],
    "risks": ["Example", "Data", "Points", "Uncertainty", "Output"],
    "scan": ["Example", *_SHARED, "Test", "Output"],
    "report": ["Example", *_SHARED[:-1], "Points", _SHARED[-1], "Test", "Output"],
    "readers": ["Example", *_SHARED, "Test", "Output"],
    "sample-size": ["Example", *_SHARED, "Test", "Output"],
    "power": ["Example", *_SHARED, "Test", "Output"],
}


@pytest.mark.parametrize("command", sorted(commands.commands))
def test_options_come_in_groups_and_all_of_them(cli, command):
    out = succeeds(cli(f"{command} --help"))
    assert re.findall(r"^(\w+):$", out, re.MULTILINE) == GROUPS[command]
    for parameter in commands.commands[command].params:
        if isinstance(parameter, click.Option):
            assert len(re.findall(rf"^  {parameter.opts[0]}[ ,\n]", out, re.MULTILINE)) == 1


@pytest.mark.parametrize("command", ["estimate", "compare", "counts", "report"])
def test_each_measure_has_a_line_of_explanation(cli, command):
    out = succeeds(cli(f"{command} --help"))
    part = out[out.index("\nMeasures:\n") : out.index("\nRegion:\n")]
    lines = dict(re.findall(r"^  (\w+) +(.+(?:\n {8,}.+)*)$", part, re.MULTILINE))
    assert list(lines) == list(REGISTRY)
    for key, kind in REGISTRY.items():
        words = " ".join(lines[key].split())
        assert words.startswith(kind.__doc__.split("\n")[0].replace("`", "").rstrip("."))
        assert ("--at TPR" in words) == (kind.scalar == "tpr")
        assert ("--at-fpr" in words) == (kind.scalar == "fpr")
        assert ("--threshold" in words) == ("threshold" in kind.kinds)


@pytest.mark.parametrize("command", sorted(commands.commands))
def test_the_example_at_the_beginning_of_the_help_runs(cli, monkeypatch, tmp_path, command):
    """In any folder, with bundled data."""
    monkeypatch.chdir(tmp_path)
    out = succeeds(cli(f"{command} --help"))
    assert out.startswith("Example:\n")
    example = out.removeprefix("Example:\n").split("\n\nUsage: ")[0]
    assert example.startswith(f"  pauci {command}")
    assert "\n" not in example
    words = shlex.split(example)[1:]
    if command == "app":  # which waits for a browser
        words = [
            "estimate",
            words[1],
            "--label",
            "recurrence",
            "--score",
            "svm",
            "--measure",
            "auc",
        ]
    status, out, err = cli("", *words)
    assert (status, err) == (0, "")
    assert len(Path(words[-1]).read_text(encoding="utf-8") if command == "report" else out) > 300


def test_data_sets_that_are_not_bundled(cli):
    answer = cli("estimate example:nothing --label y --score s --measure auc")
    fails(answer, "'example:nothing' is not bundled", "dcurves", "viper_screening")
    answer = cli("estimate example:fawcett --label y --score s --measure auc")
    fails(answer, "file 'example:fawcett': --label 'y' is not a column")


# Formats


def test_estimate_as_text(cli):
    out = succeeds(cli("estimate FILE --label label --score svm --measure paucc --fpr 0 0.3"))
    e = estimate(SVM, FIRST_PART)
    assert out == f"{e.summary()}\n\n{e.report()}\n"


def test_compare_as_text(cli):
    out = succeeds(
        cli("compare FILE --label label --score svm --score nn --measure paucc --fpr 0 0.3")
    )
    c = compare(PAIR, FIRST_PART)
    assert out == f"{c.summary()}\n\n{c.report()}\n"


ESTIMATE = "estimate FILE --label label --score svm --score nn --measure paucc --fpr 0 0.3"
COMPARE = "compare FILE --label label --score svm --score nn --measure paucc --fpr 0 0.3"

RESULTS = pytest.mark.parametrize(
    ("line", "expected", "columns"),
    [
        pytest.param(
            ESTIMATE, lambda: estimate(PAIR, [FIRST_PART]), ESTIMATE_COLUMNS, id="estimate"
        ),
        pytest.param(COMPARE, lambda: compare(PAIR, FIRST_PART), COMPARISON_COLUMNS, id="compare"),
        pytest.param(
            f"{COMPARE} --alternative greater --null -0.05 --level 0.9",
            lambda: compare(PAIR, FIRST_PART, null=-0.05, alternative="greater"),
            COMPARISON_COLUMNS,
            id="non-inferiority",
        ),
    ],
)


def frame_of(result, line):
    return result.to_frame(level=0.9 if "--level" in line else 0.95)


@RESULTS
def test_json(cli, line, expected, columns):
    records = json_rows(succeeds(cli(f"{line} --format json")))
    frame = frame_of(expected(), line)
    assert len(records) == len(frame)
    for record, row in zip(records, frame.to_dict("records"), strict=True):
        assert list(record) == columns
        for key, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                value = None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
            assert record[key] == value


@RESULTS
def test_csv(cli, line, expected, columns):
    out = succeeds(cli(f"{line} --format csv"))
    assert out.split("\n")[0].split(",") == columns
    read = pd.read_csv(io.StringIO(out))
    shown = frame_of(expected(), line).map(lambda v: np.nan if v is None else v)
    pd.testing.assert_frame_equal(read, shown, check_dtype=False, rtol=1e-14)


def rows_of(markdown):
    """Return the lines of a Markdown table, without the text around it."""
    return [line for line in markdown.split("\n") if line.startswith("|")]


@RESULTS
def test_markdown(cli, line, expected, columns):
    header, rule, *rows = rows_of(succeeds(cli(f"{line} --format markdown")))
    names = [cell.strip() for cell in header.strip("|").split("|")]
    assert names[0] == "classifier"
    assert re.fullmatch(r"\|(:?-+:?\|)+", rule)
    frame = frame_of(expected(), line)
    assert len(rows) == (3 if "first" in columns else len(frame))
    cells = [cell.strip() for cell in rows[-1].strip("|").split("|")]
    assert len(cells) == len(names)
    assert rows[0].strip("| ").startswith("svm")
    assert float(cells[names.index("SE")]) == pytest.approx(frame["se"].iloc[-1], abs=5e-4)


@RESULTS
def test_latex(cli, line, expected, columns):
    out = succeeds(cli(f"{line} --format latex"))
    header, *rows = [row for row in out.split("\n") if row.endswith(r"\\")]
    assert header.startswith("classifier & ")
    frame = frame_of(expected(), line)
    assert len(rows) == (3 if "first" in columns else len(frame))
    assert f" {frame['se'].iloc[-1]:.3f} " in rows[-1]
    for command in ("tabular", "toprule", "midrule", "bottomrule"):
        assert f"\\{command}" in out or f"{{{command}}}" in out


def special(cli, style):
    return succeeds(
        cli("estimate FILE --label label --measure auc --score", SPECIAL, "--format", style)
    )


def test_markdown_escapes_the_bar(cli):
    *_, row = rows_of(special(cli, "markdown"))
    cells = re.split(r"(?<!\\)\|", row.strip("|"))
    assert len(cells) == 10
    assert cells[0].strip() == r"a\|b_c&d%e\$f"


def test_latex_escapes_special_characters(cli):
    row = [row for row in special(cli, "latex").split("\n") if row.endswith(r"\\")][1]
    cells = re.split(r"(?<!\\)&", row)
    assert len(cells) == 10
    assert r"b\_c\&d\%e\$f" in cells[0]


def test_csv_and_json_keep_special_names(cli):
    assert next(csv.DictReader(io.StringIO(special(cli, "csv"))))["classifier"] == SPECIAL
    assert json_rows(special(cli, "json"))[0]["classifier"] == SPECIAL


def answer(cli, tmp_path, name, style):
    """Standard output for a classifier of this name."""
    file = tmp_path / "named.csv"
    FRAME.rename(columns={"svm": name}).to_csv(file, index=False)
    line = f"estimate {file} --label label --measure auc --format {style} --score"
    return succeeds(cli(line, name))


FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-log10p", "@SUM(A1)", "\t=1"]


@pytest.mark.parametrize("name", FORMULAS)
def test_csv_cells_do_not_start_formulas(cli, tmp_path, name):
    (row,) = csv.DictReader(io.StringIO(answer(cli, tmp_path, name, "csv"), newline=""))
    assert row["classifier"] == f"'{name}"
    assert float(row["value"]) == estimate(SVM, AUC()).value
    (record,) = json_rows(answer(cli, tmp_path, name, "json"))
    assert record["classifier"] == name


def test_negative_numbers_of_csv_stay_numbers(cli):
    line = "compare FILE --label label --score nn --score svm --measure auc --format csv"
    (row,) = csv.DictReader(io.StringIO(succeeds(cli(line))))
    assert float(row["low"]) < 0


@pytest.mark.parametrize("style", ["markdown", "text", "latex"])
@pytest.mark.parametrize(
    "name", ["a\nb", "a\r\nb", "\x1b[31mred\x1b[0m", "\x9b2J", "a\u202eb", "a\x07b"]
)
def test_names_cannot_control_a_terminal_or_table(cli, tmp_path, name, style):
    plain = answer(cli, tmp_path, repr(name)[1:-1], style)  # codes as plain characters
    out = answer(cli, tmp_path, name, style)
    assert not set(out) & set("\x1b\x9b\x07\r\u202e")
    if style != "text":
        assert out.count("\n") == plain.count("\n")
        assert out.count("|") == plain.count("|")


def test_markdown_has_no_tags(cli, tmp_path):
    out = answer(cli, tmp_path, "<script>x|y\\|z</script>", "markdown")
    assert "<script" not in out
    assert rows_of(out)[2].startswith(r"| &lt;script&gt;x\|y\\\|z&lt;/script&gt; |")


def test_latex_is_escaped(cli, tmp_path):
    out = answer(cli, tmp_path, r"\input{x}_#~^", "latex")
    assert r"\textbackslash input\{x\}\_\#\textasciitilde \textasciicircum" in out


@pytest.mark.parametrize("name", ["00123456", "1e5", "nan", "a,b", 'a"b', "Ångström"])
@pytest.mark.parametrize("style", ["text", "json", "csv", "markdown", "latex"])
def test_names_are_preserved(cli, tmp_path, name, style):
    file = tmp_path / "named.csv"
    FRAME.rename(columns={"svm": name}).to_csv(file, index=False)
    line = f"estimate {file} --label label --measure auc --format {style} --score"
    shown = {"json": json.dumps(name), "csv": name.replace('"', '""')}.get(style, name)
    assert shown in succeeds(cli(line, name))


def in_a_shell(line, **environment):
    """Run a line of a shell in which $PAUCI is the command."""
    if os.name != "posix":
        pytest.skip("needs a POSIX shell")
    code = "from pauci.cli import main; main()"
    done = subprocess.run(
        ["bash", "-c", line],
        env={**os.environ, "PAUCI": f"{sys.executable} -c '{code}'", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    return done


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("line", ["demo", "", "demo --help"])
def test_a_full_disk(line):
    done = in_a_shell(f"eval $PAUCI {line} > /dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith("pauci: error: ")
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("close", ["| true", ">&-"])
def test_a_closed_output_pipe(close):
    done = in_a_shell(f"set -o pipefail; (sleep 0.1; eval $PAUCI demo) {close}")
    assert done.returncode == 1
    assert done.stderr.startswith("pauci: error: standard output")
    assert done.stderr.count("\n") == 1


def test_an_output_stream_with_ascii_encoding(tmp_path):
    FRAME.rename(columns={"svm": "Å"}).to_csv(tmp_path / "d.csv", index=False)
    line = f"eval $PAUCI estimate {tmp_path}/d.csv --label label --score Å --measure auc"
    done = in_a_shell(line, PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "AUC" in done.stdout
    assert r"\xc5" in done.stdout


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (BrokenProcessPool("a process in the pool died"), ["worker", "--jobs 1", "died"]),
        (pickle.PicklingError("cannot pickle"), ["worker", "cannot pickle"]),
        (MemoryError("Unable to allocate 8 TiB"), ["out of memory", "8 TiB"]),
        (MemoryError(), ["out of memory", "fewer"]),
        (
            ImportError("libx.so.5: failed to map segment from shared object"),
            ["out of memory", "libx.so.5"],
        ),
        (RuntimeError("can't start new thread"), ["out of memory", "thread"]),
        (OSError(12, "Cannot allocate memory"), ["out of memory", "allocate"]),
        (OSError(28, "No space left on device", "/tmp/x"), ["No space left on device", "'/tmp/x'"]),
        (ZeroDivisionError("division by zero"), ["ZeroDivisionError", "report it"]),
    ],
)
def test_internal_errors_are_reported_in_one_line(cli, monkeypatch, error, words):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("pauci.cli.commands.estimate", fail)
    status, out, err = cli("estimate FILE --label label --score svm --measure auc")
    assert (status, out) == (1, "")
    assert err.startswith("pauci: error: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


# Options


@pytest.mark.parametrize(
    ("options", "measure"),
    [
        pytest.param("--measure auc", AUC(), id="auc"),
        pytest.param("--measure AUC", AUC(), id="capitals"),
        pytest.param("--measure pauc --fpr 0 0.3", PAUC(fpr=(0, 0.3)), id="pauc"),
        pytest.param("--measure paucx --tpr 0.5 1", PAUCx(tpr=(0.5, 1)), id="paucx"),
        pytest.param(
            "--measure paucc --tpr 0.5 1 --normalized",
            PAUCc(tpr=(0.5, 1), normalized=True),
            id="normalized",
        ),
    ],
)
def test_measure(cli, options, measure):
    out = succeeds(cli(f"estimate FILE --label label --score svm --format json {options}"))
    e = estimate(SVM, measure)
    assert json_rows(out)[0]["value"] == e.value
    assert json_rows(out)[0]["se"] == e.se


@pytest.mark.parametrize(
    ("options", "sample"),
    [
        pytest.param("--weight w", {"weight": "w"}, id="weight"),
        pytest.param("--frequency copies", {"frequency": "copies"}, id="frequency"),
        pytest.param("--cluster site", {"cluster": "site"}, id="cluster"),
        pytest.param("--design case-control", {"design": "case-control"}, id="design"),
    ],
)
def test_rows(cli, options, sample):
    out = succeeds(cli(f"{ESTIMATE} --format json {options}"))
    es = estimate(Sample.from_frame(FRAME, "label", ["svm", "nn"], **sample), [FIRST_PART])
    assert [r["se"] for r in json_rows(out)] == [e.se for e in es]
    assert [r["value"] for r in json_rows(out)] == [e.value for e in es]
    assert json_rows(out)[0]["design"] == es[0].design


def test_level_and_kind(cli):
    out = succeeds(cli(f"{ESTIMATE} --level 0.9 --kind wald --format json"))
    record = json_rows(out)[0]
    low, high = estimate(SVM, FIRST_PART).interval(0.9, "wald")
    assert (record["low"], record["high"]) == (low, high)
    assert (record["level"], record["kind"]) == (0.9, "wald")


@pytest.mark.parametrize(
    ("column", "positive"),
    [
        pytest.param("outcome", "yes", id="string"),
        pytest.param("grade", "2", id="integer"),
        pytest.param("grade", "2.0", id="integer written as a float"),
        pytest.param("share", "1", id="float written as an integer"),
        pytest.param("share", "1.0", id="float"),
        pytest.param("label", "1", id="0 and 1"),
        pytest.param("flag", "True", id="bool"),
        pytest.param("flag", "true", id="bool in small letters"),
    ],
)
def test_positive(cli, column, positive):
    line = f"estimate FILE --label {column} --positive {positive} --score svm --measure auc"
    record = json_rows(succeeds(cli(f"{line} --format json")))[0]
    assert record["value"] == estimate(SVM, AUC()).value


def test_bools_in_lower_case_in_the_file(cli, tmp_path):
    file = tmp_path / "bools.csv"
    FRAME.assign(flag=FRAME["flag"].map({True: "true", False: "false"})).to_csv(file, index=False)
    line = f"estimate {file} --label flag --positive true --score svm --measure auc --format json"
    assert json_rows(succeeds(cli(line)))[0]["value"] == estimate(SVM, AUC()).value


def test_positive_can_be_the_lower_label(cli):
    line = "estimate FILE --label label --positive 0 --score svm --measure auc --format json"
    status, out, err = cli(line)
    assert status == 0
    assert json_rows(out)[0]["value"] == pytest.approx(1 - estimate(SVM, AUC()).value)
    assert "below 0.5" in err


def test_standard_input(cli, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(FRAME.to_csv(index=False)))
    from_input = succeeds(cli(ESTIMATE.replace("FILE", "-")))
    assert from_input == succeeds(cli(ESTIMATE))


def test_a_byte_order_mark_is_not_part_of_a_name(cli, tmp_path):
    file = tmp_path / "bom.csv"
    FRAME.to_csv(file, index=False, encoding="utf-8-sig")
    assert succeeds(cli(ESTIMATE.replace("FILE", str(file)))) == succeeds(cli(ESTIMATE))


# Warnings


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(
            "estimate FILE --label label --score svm --measure paucc --fpr 0 0.03",
            ["1.8 of 60 negatives", "wider region"],
            id="small region",
        ),
        pytest.param(
            "estimate FILE --label grade --positive 1 --score svm --measure auc",
            ["svm", "below 0.5", "Nothing was flipped"],
            id="reversed",
        ),
    ],
)
def test_a_warning_is_one_line_on_standard_error(cli, line, words):
    status, out, err = cli(line)
    assert status == 0
    assert "Estimates" in out
    assert err.startswith("pauci: warning: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


def test_the_command_restores_warning_filters(cli):
    import warnings

    before = warnings.showwarning, list(warnings.filters)
    cli("estimate FILE --label label --score svm --measure paucc --fpr 0 0.05")
    assert (warnings.showwarning, list(warnings.filters)) == before


# Bad input


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(
            "estimate no.csv --label label --score svm --measure auc",
            ["'no.csv'", "does not exist"],
            id="missing file",
        ),
        pytest.param(
            "estimate . --label label --score svm --measure auc",
            ["'.'", "cannot be read"],
            id="folder",
        ),
        pytest.param(
            "estimate FILE --label lable --score svm --measure auc",
            ["'lable'", "Did you mean 'label'?", "svm, nn"],
            id="label column",
        ),
        pytest.param(
            "estimate FILE --label label --score smv --measure auc",
            ["'smv'", "Did you mean 'svm'?"],
            id="score column",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --weight weihgt",
            ["--weight 'weihgt'"],
            id="weight column",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --cluster sites",
            ["--cluster 'sites'", "Did you mean 'site'?"],
            id="cluster column",
        ),
        pytest.param(
            "estimate FILE --label label --score outcome --measure auc",
            ["'outcome'", "(line 2)", "119 more", "'no'"],
            id="score of text",
        ),
        pytest.param(
            "estimate FILE --label svm --score nn --measure auc",
            ["'svm'", "distinct values"],
            id="score as label",
        ),
        pytest.param(
            "estimate FILE --label outcome --score svm --measure auc",
            ["'no', 'yes'", "--positive"],
            id="positive not given",
        ),
        pytest.param(
            "estimate FILE --label outcome --positive YES --score svm --measure auc",
            ["'YES'", "'no', 'yes'"],
            id="positive is no label",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --frequency svm",
            ["frequency", " holds ", "(line "],
            id="bad frequency",
        ),
        pytest.param("estimate FILE --score svm --measure auc", ["--label"], id="no label"),
        pytest.param("estimate FILE --label label --measure auc", ["--score"], id="no score"),
        pytest.param("estimate FILE --label label --score svm", ["--measure"], id="no measure"),
        pytest.param("estimate --label label --score svm --measure auc", ["FILE"], id="no file"),
        pytest.param(
            "estimate FILE more.csv --label label --score svm --measure auc",
            ["more.csv"],
            id="two files",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --lable x",
            ["--lable", "--label"],
            id="unknown option",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure acu",
            ["--measure acu", "Did you mean 'auc'?", "paucc"],
            id="unknown measure",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure paucc",
            ["--fpr", "--tpr"],
            id="no region",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --fpr 0 0.1",
            ["--fpr", "auc"],
            id="region of no use",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure paucc --fpr 0.5 0.1",
            ["--fpr 0.5 0.1 ", "low must be below high", "mean 0.1 0.5?"],
            id="reversed region",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure paucc --fpr 0 10",
            ["10", "[0, 1]", "Did you mean 0.1?"],
            id="region in percent",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure paucc --fpr 0 nan",
            ["nan", "[0, 1]"],
            id="nan region",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure paucc --fpr 0 x",
            ["--fpr", "x is not a number"],
            id="region of text",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure paucc --fpr 0",
            ["--fpr"],
            id="half a region",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --level 95",
            ["95", "Did you mean 0.95?"],
            id="level in percent",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --kind jeffreys",
            ["'jeffreys'", "wald"],
            id="unknown kind",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --format xml",
            ["'xml'", "latex"],
            id="unknown format",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --design x",
            ["'x'", "case-control"],
            id="unknown design",
        ),
        pytest.param(
            "compare FILE --label label --score svm --measure auc",
            ["there is one (svm)", "--score"],
            id="compare one",
        ),
        pytest.param(
            "compare FILE --label label --score svm --score svm --measure auc",
            ["--score names 'svm' twice"],
            id="compare with itself",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --score label --measure auc",
            ["--score names 'label', the column of the labels"],
            id="label as score",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure ap --prevalence 0",
            ["--prevalence 0 must lie strictly between 0 and 1"],
            id="prevalence 0",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure auc --prevalence 0",
            ["--prevalence cannot be combined with --measure auc"],
            id="prevalence 0 of auc",
        ),
        pytest.param(
            "estimate FILE --label label --score svm --measure pauc --specificity 90 100",
            ["holds 90; a bound lies in [0, 1]. Did you mean 0.9?"],
            id="percentages",
        ),
        pytest.param(
            "compare FILE --label label --score svm --score nn --measure auc --null 3",
            ["--null 3 "],
            id="impossible null",
        ),
        pytest.param(
            "compare FILE --label label --score svm --score nn --measure auc --alternative bigger",
            ["'bigger'", "two-sided"],
            id="alternative",
        ),
        pytest.param("estmate FILE", ["estmate"], id="unknown command"),
    ],
)
def test_bad_command_line(cli, line, words):
    fails(cli(line), *words)


# More measures, regions and classifiers


@pytest.mark.parametrize(
    ("line", "measure"),
    [
        ("--measure paucc --threshold 0 1", "PAUCc(threshold=(0, 1))"),
        ("--measure pauc --threshold -inf 1", "PAUC(threshold=(float('-inf'), 1))"),
        ("--measure paucc --fpr 0 0.5 --tpr 0.5 1", "PAUCc(fpr=(0, 0.5), tpr=(0.5, 1))"),
        ("--measure paucc --specificity 0.9 1", "PAUCc(fpr=(0, 0.1))"),
        ("--measure spa --specificity 0.3 0.7", "SPA(fpr=(0.3, 0.7))"),
        ("--measure paucx --sensitivity 0.8 1", "PAUCx(tpr=(0.8, 1))"),
        (
            "--measure paucc --specificity .5 1 --sensitivity .5 1",
            "PAUCc(fpr=(0, 0.5), tpr=(0.5, 1))",
        ),
        ("--measure paucc --specificity .5 1 --tpr .5 1", "PAUCc(fpr=(0, 0.5), tpr=(0.5, 1))"),
        ("--measure paucc --fpr 0.2 0.5 --ends middle", "PAUCc(fpr=(0.2, 0.5), ends='middle')"),
        ("--measure partialc --tpr 0.5 1", "PartialC(tpr=(0.5, 1))"),
        ("--measure localc --fpr 0 0.5", "LocalC(fpr=(0, 0.5))"),
        ("--measure spa --fpr 0 0.5", "SPA(fpr=(0, 0.5))"),
        ("--measure pai --at 0.5", "PAI(tpr=0.5)"),
        ("--measure sensitivity --at-specificity 0.7", "Sensitivity(fpr=0.3)"),
        ("--measure specificity --at 0.7", "Specificity(tpr=0.7)"),
    ],
)
def test_every_way_to_name_a_measure(cli, line, measure):
    out = succeeds(cli(f"estimate FILE --label label --score svm {line} --format json"))
    expected = eval(measure, {**vars(pauci.measures), "float": float})
    assert json_rows(out)[0]["value"] == estimate(SVM, expected).value


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--measure sensitivity", "needs a single cut-off (one of --at-specificity, "),
        ("--measure sensitivity --fpr 0 0.1", "at-threshold), not --fpr."),
        ("--measure auc --at 0.1", "--at cannot be combined with"),
        ("--measure pai --at 1", "leaves no region"),
        ("--measure paucc --threshold a b", "--threshold takes numbers, not 'a'"),
        ("--measure spa --threshold 0 1", "--measure spa does not take --threshold"),
        ("--measure pauc --fpr 0 .1 --tpr .8 1", "does not take --fpr with --tpr"),
        ("--measure paucx --specificity .9 1 --tpr .8 1", "does not take --tpr with --specificity"),
    ],
)
def test_measures_and_regions_that_do_not_fit(cli, line, words):
    status, out, err = cli(f"estimate FILE --label label --score svm {line}")
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


@given(
    st.integers(1, 10**6).flatmap(
        lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))
    )
)
def test_specificity_is_the_other_end_of_the_fpr_exactly(ends):
    low, high, n = Fraction(ends[0], ends[2]), Fraction(ends[1], ends[2]), ends[2]
    assume(low < high)
    own = {"specificity": (float(low), float(high))}
    (m,) = measures_of(ParsedMeasures({}, (("pauc", own),)))
    assert (m.region.low, m.region.high) == (1 - high, 1 - low), n


def test_all_pairs_on_the_command_line(cli, tmp_path):
    file = tmp_path / "three.csv"
    FRAME.assign(third=FRAME["svm"] - FRAME["nn"]).to_csv(file, index=False)
    line = f"compare {file} --label label --score svm --score nn --score third --measure auc"
    status, out, _ = cli(f"{line} --adjust max-t")
    assert status == 0
    assert "Adjustment of p-values: max-t" in out
    status, out, _ = cli(f"{line} --format json")
    assert [r["p_adjusted"] >= r["pvalue"] for r in json_rows(out)] == [True] * 3


@pytest.fixture
def tables(tmp_path):
    frame = pauci.datasets.load_dmist()
    for name, part in frame.groupby("modality"):
        part.drop(columns="modality").to_csv(tmp_path / f"{name}.csv", index=False)
    frame.to_csv(tmp_path / "both.csv", index=False)
    return tmp_path


ASKED = "--measure auc --measure paucc --threshold 4 inf --measure ap"


def test_counts_estimate_and_compare_in_one_command(cli, tables):
    status, out, err = cli(f"counts {tables}/film.csv {tables}/digital.csv {ASKED}")
    assert (status, err) == (0, "")
    for words in ("film", "digital", "0.735", "0.166 0.022", "0.144", "film - digital"):
        assert words in out
    assert "film: 335 positives, 42,410 negatives; digital: 334 positives" in out
    same = cli(f"counts {tables}/both.csv --by modality {ASKED}")
    assert same == (0, out, "")


def test_counts_as_json_are_one_document(cli, tables):
    line = f"counts {tables}/both.csv --by modality {ASKED} --points --format json"
    status, out, _ = cli(line)
    assert status == 0
    document = json_rows(out)
    assert [len(v) for v in document.values()] == [7, 7, 6, 3]
    assert document["estimates"][0]["classifier"] == "film"
    assert document["comparisons"][0]["measure"] == "AUC"


@pytest.mark.long
def test_every_format_names_the_classifier_of_operating_points(cli, tables):
    for style, words in (
        ("csv", ",film,0,0\n"),
        ("csv", ",digital,0,0\n"),
        ("markdown", "Table: Operating points of film at a prevalence of "),
        ("latex", "\\caption{Operating points of digital at a prevalence of "),
        ("html", ">Operating points of film at a prevalence of "),
        ("text", "Operating points of film"),
    ):
        line = f"counts {tables}/both.csv --by modality {ASKED} --points --format {style}"
        status, out, _ = cli(line)
        assert status == 0
        assert words in out


def test_counts_of_one_table(cli, tables):
    status, out, _ = cli(f"counts {tables}/film.csv --measure ap --variance delta --prevalence .01")
    assert status == 0
    assert "SE: delta" in out
    assert "Comparisons" not in out
    for style in ("csv", "markdown", "latex"):
        assert cli(f"counts {tables}/film.csv --measure ap --format {style}")[0] == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("both.csv --measure auc", "more than once"),
        ("film.csv --measure auc --score rating", "--score 'rating' is not a column"),
        ("film.csv --measure auc --positives-column positive", "Did you mean 'positives'?"),
        ("both.csv --measure auc", "name the column that distinguishes them with --by"),
        (
            "film.csv --measure auc --kind bca",
            "--kind bca requires the bootstrap. Use --variance bootstrap",
        ),
        ("film.csv --measure ap --prevalence 2", "--prevalence 2 must"),
        (
            "film.csv --measure auc --prevalence .2",
            "--prevalence cannot be combined with --measure auc",
        ),
        ("none.csv --measure auc", "does not exist"),
        ("film.csv", "--measure"),
    ],
)
def test_counts_that_cannot_be_read(cli, tables, line, words):
    status, out, err = cli(f"counts {tables}/{line}")
    assert (status, out) == (2, "")
    assert words in err


def test_several_measures_in_one_command(cli):
    line = "FILE --label label --score svm --score nn --measure auc --measure pauc --fpr 0 .3"
    status, out, _ = cli(f"estimate {line}")
    assert status == 0
    assert out.count("pAUC") >= 2
    assert "AUC" in cli(f"compare {line}")[1]


def test_resampling_on_the_command_line(cli):
    line = "FILE --label label --score svm --score nn --measure auc --variance"
    status, out, err = cli(f"estimate {line} bootstrap --resamples 200 --seed 3 --kind percentile")
    assert (status, err) == (0, "")
    assert "200 resamples, seed 3" in out
    assert cli(f"compare {line} bootstrap --resamples 200 --seed 3 --jobs 1")[0] == 0
    assert "SE: jackknife" in cli(f"estimate {line} jackknife")[1]
    fails(cli(f"estimate {line} delta --seed 3"), "--seed requires --variance bootstrap")
    fails(cli(f"estimate {line} bootstrap --resamples 0"), "--resamples")
    fails(cli(f"estimate {line} bootstrap --jobs 0"), "0 is not a number of workers")
    fails(cli(f"estimate {line} bootstrap --seed -1"), "--seed")


def test_kinds_of_comparisons_on_the_command_line(cli, tables):
    line = "FILE --label label --score svm --score nn --measure auc --variance bootstrap"
    line += " --resamples 200 --seed 3"
    status, out, _ = cli(f"compare {line} --kind percentile --format json")
    (record,) = json_rows(out)
    assert (status, record["kind"], record["statistic"]) == (0, "percentile", None)
    assert [record[k] for k in ("scheme", "n_resamples", "seed")] == ["cohort", 200, 3]
    text = cli(f"compare {line} --kind bca")[1]
    assert "95% intervals: BCa." in text
    assert "error of p" in text
    assert " z = " not in text
    both = f"counts {tables}/both.csv --by modality --measure auc --variance bootstrap"
    parts = json_rows(cli(f"{both} --resamples 99 --format json")[1])
    seeds = {r["seed"] for r in parts["estimates"]}
    assert parts["comparisons"][0]["seed"] in seeds
    assert len({r["se"] for r in parts["estimates"]}) == 2


# Files and styles


SVM_AUC = "estimate FILE --label label --measure auc --score svm"


@pytest.mark.parametrize(
    ("end", "start"),
    [
        ("txt", "="),
        ("json", "{"),
        ("csv", "classifier,"),
        ("md", "Table: "),
        ("tex", "% "),
        ("html", "<!doctype html>"),
        ("HTM", "<!doctype html>"),
        ("docx", "PK"),
    ],
)
def test_the_extension_of_a_file_determines_its_format(cli, tmp_path, end, start):
    path = tmp_path / f"table.{end}"
    assert succeeds(cli(f"{SVM_AUC} --output {path}")) == ""
    text = path.read_bytes().decode("utf-8", "replace")
    assert (text.split("\n")[1] if end == "txt" else text).startswith(start)
    assert not list(tmp_path.glob(".*"))


def test_a_file_contains_the_printed_output(cli, tmp_path):
    for form in ("text", "json", "csv", "markdown", "latex"):
        path = tmp_path / "table"
        printed = succeeds(cli(f"{SVM_AUC} --format {form}"))
        succeeds(cli(f"{SVM_AUC} --format {form} --output {path}"))
        assert path.read_text(encoding="utf-8") == printed
    page = succeeds(cli(f"{SVM_AUC} --format html"))
    succeeds(cli(f"{SVM_AUC} --format html --output {path}"))
    assert page.strip() in path.read_text(encoding="utf-8")
    assert '<meta charset="utf-8">' in path.read_text(encoding="utf-8")


def test_styles_of_journals(cli):
    e = estimate(SVM, AUC())
    assert f"{e.value:.3f}".lstrip("0") in succeeds(cli(f"{SVM_AUC} --format latex --style apa"))
    assert "95% CI" in succeeds(cli(f"{SVM_AUC} --format markdown --style ama"))
    assert e.to_html(style="apa") in succeeds(cli(f"{SVM_AUC} --format html --style apa"))


def test_tables_of_counts_are_written_to_one_document(cli, tmp_path, tables):
    from docx import Document

    path = tmp_path / "all.docx"
    line = f"counts {tables}/both.csv --by modality {ASKED} --points --output {path}"
    assert succeeds(cli(line)) == ""
    captions = [p.text for p in Document(path).paragraphs if p.style.name == "Caption"]
    assert len(captions) == len(Document(path).tables) == 4
    assert captions[0].startswith("Table 1. Operating points of film")
    assert captions[3].startswith("Table 4. Differences in")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--format docx", ["--format docx", "--output table.docx"]),
        ("--output table", ["--output", "table", ".docx", "--format"]),
        ("--output table.pdf", ["--output", "table.pdf", ".docx"]),
        ("--style apa", ["--style apa", "html", "not to text"]),
        ("--style apa --format csv", ["--style apa", "not to csv"]),
        ("--style nature --format html", ["'nature'", "apa"]),
        (
            "--output none/table.html",
            ["--output", "none/table.html", "cannot be written", "No such file"],
        ),
    ],
)
def test_wrong_files_and_styles(cli, options, words):
    fails(cli(f"{SVM_AUC} {options}"), *words)
    assert not Path("table").exists()
