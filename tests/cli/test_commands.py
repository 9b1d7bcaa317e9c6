"""The command line: what it prints, in each format, and one line for whatever is wrong."""

import csv
import io
import json
import math
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import pauci
from columns import COMPARISON_COLUMNS, ESTIMATE_COLUMNS
from pauci import AUC, PAUC, PAUCc, PAUCx, Sample, compare, estimate
from pauci.cli.commands import run

N = 120
SPECIAL = "a|b_c&d%e$f"


def make_frame():
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    return pd.DataFrame(
        {
            "label": y,
            "outcome": np.where(y, "yes", "no"),
            "grade": y + 1,
            "share": y * 1.0,
            "flag": y == 1,
            "svm": (y + rng.normal(size=N)).round(1),
            "nn": (y + rng.normal(size=N)).round(3),
            SPECIAL: y + rng.normal(size=N),
            "copies": rng.integers(1, 4, N),
            "w": rng.uniform(0.5, 2, N).round(2),
            "site": np.arange(N) // 3,
        }
    )


FRAME = make_frame()
SVM = Sample.from_frame(FRAME, "label", "svm")
PAIR = Sample.from_frame(FRAME, "label", ["svm", "nn"])
FIRST_PART = PAUCc(fpr=(0, 0.3))


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "data.csv"
    FRAME.to_csv(file, index=False)
    return str(file)


@pytest.fixture
def cli(capsys, path):
    """Run a command line, with FILE for the data, and return exit status, output and errors."""

    def call(line, *more):
        arguments = [path if word == "FILE" else word for word in line.split()]
        status = run([*arguments, *map(str, more)])
        return status, *capsys.readouterr()

    return call


def fails(answer, *words):
    """Check exit status 2 and one line on standard error that holds `words`."""
    status, out, err = answer
    assert status == 2
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert err.startswith("pauci: error: ")
    assert "Traceback" not in err
    assert err.rstrip("\n").isprintable()
    for word in words:
        assert word in err


def succeeds(answer):
    status, out, err = answer
    assert (status, err) == (0, "")
    return out


# The demonstration


def test_demo_adds_up(cli):
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
    assert re.search(r"difference -?[\d.]+ \(95% .* CI .* to .*; z = .*, p = ", difference)


def in_a_process(line):
    done = subprocess.run(
        [sys.executable, "-c", "from pauci.cli import main; main()", *line.split()],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_demo_in_a_process_of_its_own():
    assert "AUC 0.6700" in succeeds(in_a_process("demo"))


def test_an_error_in_a_process_of_its_own():
    fails(in_a_process("estimate no.csv --label y --score s --measure auc"), "'no.csv'")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("--help", ["estimate", "compare", "demo"], id="help"),
        pytest.param("-h", ["estimate", "compare", "demo"], id="short help"),
        pytest.param("estimate --help", ["--label", "--fpr", "1 - FPR", "paucc"], id="estimate"),
        pytest.param("compare --help", ["--null", "--alternative", "paired"], id="compare"),
        pytest.param("--version", ["0.1.0"], id="version"),
    ],
)
def test_help(cli, line, words):
    out = succeeds(cli(line))
    for word in words:
        assert word in out


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
            lambda: compare(PAIR, FIRST_PART, -0.05, "greater"),
            COMPARISON_COLUMNS,
            id="non-inferiority",
        ),
    ],
)


def frame_of(result, line):
    return result.to_frame(level=0.9 if "--level" in line else 0.95)


@RESULTS
def test_json(cli, line, expected, columns):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    records = json.loads(succeeds(cli(f"{line} --format json")), parse_constant=refuse)
    frame = frame_of(expected(), line)
    assert len(records) == len(frame)
    for record, row in zip(records, frame.to_dict("records"), strict=True):
        assert list(record) == columns
        for key, value in row.items():
            infinite = isinstance(value, float) and not math.isfinite(value)
            assert record[key] == (None if infinite else value)


@RESULTS
def test_csv(cli, line, expected, columns):
    out = succeeds(cli(f"{line} --format csv"))
    assert out.split("\n")[0].split(",") == columns
    read = pd.read_csv(io.StringIO(out))
    shown = frame_of(expected(), line).map(lambda v: np.nan if v is None else v)
    pd.testing.assert_frame_equal(read, shown, check_dtype=False, rtol=1e-14)


@RESULTS
def test_markdown(cli, line, expected, columns):
    header, rule, *rows = succeeds(cli(f"{line} --format markdown")).strip().split("\n")
    names = [cell.strip() for cell in header.strip("|").split("|")]
    assert names[0] == "classifier"
    assert re.fullmatch(r"\|(:?-+:?\|)+", rule)
    frame = frame_of(expected(), line)
    assert len(rows) == (3 if "first" in columns else len(frame))
    cells = [cell.strip() for cell in rows[-1].strip("|").split("|")]
    assert len(cells) == len(names)
    assert rows[0].strip("| ").startswith("svm")
    assert float(cells[names.index("SE")]) == pytest.approx(frame["se"].iloc[-1], abs=5e-5)


@RESULTS
def test_latex(cli, line, expected, columns):
    out = succeeds(cli(f"{line} --format latex"))
    header, *rows = [row for row in out.split("\n") if row.endswith(r"\\")]
    assert header.startswith("classifier & ")
    frame = frame_of(expected(), line)
    assert len(rows) == (3 if "first" in columns else len(frame))
    assert f"{frame['se'].iloc[-1]:.4f}" in rows[-1]
    for command in ("tabular", "toprule", "midrule", "bottomrule"):
        assert f"\\{command}" in out or f"{{{command}}}" in out


def special(cli, style):
    return succeeds(
        cli("estimate FILE --label label --measure auc --score", SPECIAL, "--format", style)
    )


def test_markdown_escapes_the_bar(cli):
    *_, row = special(cli, "markdown").strip().split("\n")
    cells = re.split(r"(?<!\\)\|", row.strip("|"))
    assert len(cells) == 10
    assert cells[0].strip() == r"a\|b_c&d%e$f"


def test_latex_escapes_what_it_would_act_on(cli):
    row = [row for row in special(cli, "latex").split("\n") if row.endswith(r"\\")][1]
    cells = re.split(r"(?<!\\)&", row)
    assert len(cells) == 10
    assert r"b\_c\&d\%e\$f" in cells[0]


def test_csv_and_json_keep_special_names(cli):
    assert next(csv.DictReader(io.StringIO(special(cli, "csv"))))["classifier"] == SPECIAL
    assert json.loads(special(cli, "json"))[0]["classifier"] == SPECIAL


@pytest.mark.parametrize("name", ["00123456", "1e5", "nan", "a,b", 'a"b', "Ångström"])
@pytest.mark.parametrize("style", ["text", "json", "csv", "markdown", "latex"])
def test_names_stay_as_they_are(cli, tmp_path, name, style):
    file = tmp_path / "named.csv"
    FRAME.rename(columns={"svm": name}).to_csv(file, index=False)
    line = f"estimate {file} --label label --measure auc --format {style} --score"
    shown = {"json": json.dumps(name), "csv": name.replace('"', '""')}.get(style, name)
    assert shown in succeeds(cli(line, name))


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
    assert json.loads(out)[0]["value"] == e.value
    assert json.loads(out)[0]["se"] == e.se


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
    assert [r["se"] for r in json.loads(out)] == [e.se for e in es]
    assert [r["value"] for r in json.loads(out)] == [e.value for e in es]
    assert json.loads(out)[0]["design"] == es[0].design


def test_level_and_kind(cli):
    out = succeeds(cli(f"{ESTIMATE} --level 0.9 --kind wald --format json"))
    record = json.loads(out)[0]
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
    record = json.loads(succeeds(cli(f"{line} --format json")))[0]
    assert record["value"] == estimate(SVM, AUC()).value


def test_bools_in_small_letters_in_the_file(cli, tmp_path):
    file = tmp_path / "bools.csv"
    FRAME.assign(flag=FRAME["flag"].map({True: "true", False: "false"})).to_csv(file, index=False)
    line = f"estimate {file} --label flag --positive true --score svm --measure auc --format json"
    assert json.loads(succeeds(cli(line)))[0]["value"] == estimate(SVM, AUC()).value


def test_positive_can_be_the_lower_label(cli):
    line = "estimate FILE --label label --positive 0 --score svm --measure auc --format json"
    status, out, err = cli(line)
    assert status == 0
    assert json.loads(out)[0]["value"] == pytest.approx(1 - estimate(SVM, AUC()).value)
    assert "below 0.5" in err


def test_standard_input(cli, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(FRAME.to_csv(index=False)))
    from_input = succeeds(cli(ESTIMATE.replace("FILE", "-")))
    assert from_input == succeeds(cli(ESTIMATE))


def test_a_byte_order_mark_is_no_part_of_a_name(cli, tmp_path):
    file = tmp_path / "bom.csv"
    FRAME.to_csv(file, index=False, encoding="utf-8-sig")
    assert succeeds(cli(ESTIMATE.replace("FILE", str(file)))) == succeeds(cli(ESTIMATE))


# Warnings


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(
            "estimate FILE --label label --score svm --measure paucc --fpr 0 0.05",
            ["60 negatives", "wider region"],
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


def test_the_command_leaves_warnings_as_they_were(cli):
    import warnings

    before = warnings.showwarning, list(warnings.filters)
    cli("estimate FILE --label label --score svm --measure paucc --fpr 0 0.05")
    assert (warnings.showwarning, list(warnings.filters)) == before


# Bad input


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("estimate no.csv --label label --score svm --measure auc",
                     ["'no.csv'", "does not exist"], id="missing file"),
        pytest.param("estimate . --label label --score svm --measure auc",
                     ["'.'", "cannot be read"], id="folder"),
        pytest.param("estimate FILE --label lable --score svm --measure auc",
                     ["'lable'", "Did you mean 'label'?", "svm, nn"], id="label column"),
        pytest.param("estimate FILE --label label --score smv --measure auc",
                     ["'smv'", "Did you mean 'svm'?"], id="score column"),
        pytest.param("estimate FILE --label label --score svm --measure auc --weight weihgt",
                     ["weight='weihgt'"], id="weight column"),
        pytest.param("estimate FILE --label label --score svm --measure auc --cluster sites",
                     ["cluster='sites'", "Did you mean 'site'?"], id="cluster column"),
        pytest.param("estimate FILE --label label --score outcome --measure auc",
                     ["'outcome'", "row 0", "'no'"], id="score of text"),
        pytest.param("estimate FILE --label svm --score nn --measure auc",
                     ["'svm'", "distinct values"], id="score as label"),
        pytest.param("estimate FILE --label outcome --score svm --measure auc",
                     ["'no', 'yes'", "--positive"], id="positive not given"),
        pytest.param("estimate FILE --label outcome --positive YES --score svm --measure auc",
                     ["'YES'", "'no', 'yes'"], id="positive is no label"),
        pytest.param("estimate FILE --label label --score svm --measure auc --frequency svm",
                     ["frequency", "row"], id="bad frequency"),
        pytest.param("estimate FILE --score svm --measure auc", ["--label"], id="no label"),
        pytest.param("estimate FILE --label label --measure auc", ["--score"], id="no score"),
        pytest.param("estimate FILE --label label --score svm", ["--measure"], id="no measure"),
        pytest.param("estimate --label label --score svm --measure auc", ["FILE"], id="no file"),
        pytest.param("estimate FILE more.csv --label label --score svm --measure auc",
                     ["more.csv"], id="two files"),
        pytest.param("estimate FILE --label label --score svm --measure auc --lable x",
                     ["--lable", "--label"], id="unknown option"),
        pytest.param("estimate FILE --label label --score svm --measure acu",
                     ["'acu'", "Did you mean 'auc'?", "paucc"], id="unknown measure"),
        pytest.param("estimate FILE --label label --score svm --measure paucc",
                     ["--fpr", "--tpr"], id="no region"),
        pytest.param("estimate FILE --label label --score svm --measure auc --fpr 0 0.1",
                     ["--fpr", "auc"], id="region of no use"),
        pytest.param("estimate FILE --label label --score svm --measure paucc --fpr 0.5 0.1",
                     ["(0.5, 0.1)", "low must be below high", "(0.1, 0.5)"], id="reversed region"),
        pytest.param("estimate FILE --label label --score svm --measure paucc --fpr 0 10",
                     ["10", "[0, 1]", "Did you mean 0.1?"], id="region in percent"),
        pytest.param("estimate FILE --label label --score svm --measure paucc --fpr 0 nan",
                     ["nan", "[0, 1]"], id="nan region"),
        pytest.param("estimate FILE --label label --score svm --measure paucc --fpr 0 x",
                     ["--fpr", "'x'"], id="region of text"),
        pytest.param("estimate FILE --label label --score svm --measure paucc --fpr 0",
                     ["--fpr"], id="half a region"),
        pytest.param("estimate FILE --label label --score svm --measure auc --level 95",
                     ["95", "Did you mean 0.95?"], id="level in percent"),
        pytest.param("estimate FILE --label label --score svm --measure auc --kind jeffreys",
                     ["'jeffreys'", "wald"], id="unknown kind"),
        pytest.param("estimate FILE --label label --score svm --measure auc --format xml",
                     ["'xml'", "latex"], id="unknown format"),
        pytest.param("estimate FILE --label label --score svm --measure auc --design x",
                     ["'x'", "case-control"], id="unknown design"),
        pytest.param("compare FILE --label label --score svm --measure auc",
                     ["one classifier (svm)", "--score"], id="compare one"),
        pytest.param("compare FILE --label label --score svm --score svm --measure auc",
                     ["'svm' twice"], id="compare with itself"),
        pytest.param("compare FILE --label label --score svm --score nn --measure auc --null 3",
                     ["null=3"], id="impossible null"),
        pytest.param("compare FILE --label label --score svm --score nn --measure auc "
                     "--alternative bigger", ["'bigger'", "two-sided"], id="alternative"),
        pytest.param("estmate FILE", ["estmate"], id="unknown command"),
        pytest.param("", ["ommand"], id="nothing"),
    ],
)  # fmt: skip
def test_bad_command_line(cli, line, words):
    fails(cli(line), *words)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", ["is empty"], id="empty"),
        pytest.param(b"\n\n", ["is empty"], id="blank lines"),
        pytest.param(b"label,svm\n", ["'label' is empty"], id="header only"),
        pytest.param(b"label,svm\n1,0.5\n0,bad\n1,0.3\n", ["'svm'", "row 1", "'bad'"], id="text"),
        pytest.param(b"label,svm\n1,0.5\n0,\n1,\n", ["'svm'", "2 missing", "1, 2"], id="missing"),
        pytest.param(b"label,svm\n1,0.5\n,0.2\n0,1\n", ["'label'", "1 missing"], id="no label"),
        pytest.param(b"label,svm\n1,0.5\n0,inf\n", ["'svm'", "1 infinite"], id="infinite"),
        pytest.param(b"label,svm\n1,0.5\n1,0.2\n", ["one class only", "2 rows are 1"], id="class"),
        pytest.param(b"label,svm\n1,2\n0,1,2,3\n", ["cannot be read"], id="ragged"),
        pytest.param(b"label;svm\n1;2\n0;1\n", ["'label;svm'", "by commas"], id="semicolons"),
        pytest.param(bytes(range(256)) * 20, ["cannot be read"], id="binary"),
        pytest.param(b"\x00\x01\x02\n\x00,\x03\n", ["data.csv"], id="control characters"),
        pytest.param("label,svm\n1,ö\n".encode("latin-1"), ["cannot be read"], id="latin-1"),
        pytest.param(b"label,svm\n1,0.5\n0,0.2\n0,1\n", ["1 row", "positive"], id="one positive"),
    ],
)
def test_bad_file(capsys, tmp_path, monkeypatch, content, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_bytes(content)
    status = run(["estimate", "data.csv", "--label", "label", "--score", "svm", "--measure", "auc"])
    fails((status, *capsys.readouterr()), *words)


def test_bad_standard_input(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    status = run(["estimate", "-", "--label", "label", "--score", "svm", "--measure", "auc"])
    fails((status, *capsys.readouterr()), "empty", "standard input")


def test_one_bad_value_far_down_a_long_file(cli, tmp_path):
    lines = ["label,svm", *(f"{i % 2},{i % 97}" for i in range(300_000)), "1,bad"]
    (tmp_path / "long.csv").write_text("\n".join(lines))
    line = f"estimate {tmp_path / 'long.csv'} --label label --score svm --measure auc"
    fails(cli(line), "row 300000", "'bad'")


# More measures, regions and classifiers


@pytest.mark.parametrize(
    ("line", "measure"),
    [
        ("--measure paucc --threshold 0 1", "PAUCc(threshold=(0, 1))"),
        ("--measure pauc --threshold -inf 1", "PAUC(threshold=(float('-inf'), 1))"),
        ("--measure paucc --fpr 0 0.5 --tpr 0.5 1", "PAUCc(fpr=(0, 0.5), tpr=(0.5, 1))"),
        ("--measure paucc --fpr 0.2 0.5 --ends middle", "PAUCc(fpr=(0.2, 0.5), ends='middle')"),
        ("--measure partialc --tpr 0.5 1", "PartialC(tpr=(0.5, 1))"),
        ("--measure localc --fpr 0 0.5", "LocalC(fpr=(0, 0.5))"),
        ("--measure spa --fpr 0 0.5", "SPA(fpr=(0, 0.5))"),
        ("--measure pai --at 0.5", "PAI(tpr=0.5)"),
        ("--measure sensitivity --at 0.3", "Sensitivity(fpr=0.3)"),
        ("--measure specificity --at 0.7", "Specificity(tpr=0.7)"),
    ],
)
def test_every_way_to_name_a_measure(cli, line, measure):
    import pauci

    out = succeeds(cli(f"estimate FILE --label label --score svm {line} --format json"))
    expected = eval(measure, {**vars(pauci), "float": float})
    assert json.loads(out)[0]["value"] == estimate(SVM, expected).value


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--measure sensitivity", "needs a single FPR: --at VALUE"),
        ("--measure sensitivity --fpr 0 0.1", "--fpr does not go with"),
        ("--measure auc --at 0.1", "--at does not go with"),
        ("--measure pai --at 1", "leaves no region"),
        ("--measure paucc --threshold a b", "--threshold takes numbers, not 'a'"),
        ("--measure spa --threshold 0 1", "SPA does not take threshold="),
    ],
)
def test_measures_and_regions_that_do_not_fit(cli, line, words):
    status, out, err = cli(f"estimate FILE --label label --score svm {line}")
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_all_pairs_on_the_command_line(cli, tmp_path):
    file = tmp_path / "three.csv"
    FRAME.assign(third=FRAME["svm"] - FRAME["nn"]).to_csv(file, index=False)
    line = f"compare {file} --label label --score svm --score nn --score third --measure auc"
    status, out, _ = cli(f"{line} --adjust max-t")
    assert status == 0
    assert "Adjusted by max-t" in out
    status, out, _ = cli(f"{line} --format json")
    assert [r["p_adjusted"] >= r["pvalue"] for r in json.loads(out)] == [True] * 3


@pytest.fixture
def tables(tmp_path):
    frame = pauci.datasets.load_dmist()
    for name, part in frame.groupby("modality"):
        part.drop(columns="modality").to_csv(tmp_path / f"{name}.csv", index=False)
    frame.to_csv(tmp_path / "both.csv", index=False)
    return tmp_path


ASKED = "--measure auc --measure paucc --measure ap --threshold 4 inf"


def test_counts_estimate_and_compare_in_one_command(cli, tables):
    status, out, err = cli(f"counts {tables}/film.csv {tables}/digital.csv {ASKED}")
    assert (status, err) == (0, "")
    for words in ("film", "digital", "0.7351", "0.1659 0.0219", "0.1439", "film - digital"):
        assert words in out
    assert "film: 335 positives, 42,410 negatives; digital: 334 positives" in out
    same = cli(f"counts {tables}/both.csv --by modality {ASKED}")
    assert same == (0, out, "")


def test_counts_as_json_are_one_document(cli, tables):
    line = f"counts {tables}/both.csv --by modality {ASKED} --points --format json"
    status, out, _ = cli(line)
    assert status == 0
    document = json.loads(out)
    assert [len(v) for v in document.values()] == [7, 7, 6, 3]
    assert document["estimates"][0]["classifier"] == "film"
    assert document["comparisons"][0]["measure"] == "AUC"


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
        ("both.csv --measure auc", "--by names the column"),
        ("film.csv --measure auc --kind bca", "kind='bca' goes with --variance bootstrap"),
        ("film.csv --measure ap --prevalence 2", "prevalence=2.0"),
        ("film.csv --measure auc --prevalence .2", "--prevalence does not go with --measure auc"),
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
    fails(cli(f"estimate {line} delta --seed 3"), "--seed goes with --variance bootstrap")
    fails(cli(f"estimate {line} bootstrap --resamples 0"), "--resamples")
    fails(cli(f"estimate {line} bootstrap --jobs 0"), "0 leaves no worker")
    fails(cli(f"estimate {line} bootstrap --seed -1"), "--seed")


def test_kinds_of_comparisons_on_the_command_line(cli, tables):
    line = "FILE --label label --score svm --score nn --measure auc --variance bootstrap"
    line += " --resamples 200 --seed 3"
    status, out, _ = cli(f"compare {line} --kind percentile --format json")
    (record,) = json.loads(out)
    assert (status, record["kind"], record["statistic"]) == (0, "percentile", None)
    assert [record[k] for k in ("scheme", "n_resamples", "seed")] == ["cohort", 200, 3]
    text = cli(f"compare {line} --kind bca")[1]
    assert "95% intervals: BCa." in text
    assert "error of p" in text
    assert " z = " not in text
    both = f"counts {tables}/both.csv --by modality --measure auc --variance bootstrap"
    parts = json.loads(cli(f"{both} --resamples 99 --format json")[1])
    seeds = {r["seed"] for r in parts["estimates"]}
    assert parts["comparisons"][0]["seed"] in seeds
    assert len({r["se"] for r in parts["estimates"]}) == 2
