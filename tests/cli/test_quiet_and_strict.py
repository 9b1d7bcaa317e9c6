"""--quiet prints no warnings, and --strict makes a warning visible in the exit status."""

import json

import pytest

from command_line import fails
from pauci.cli.commands import derived
from pauci.cli.options import COMMANDS, PrintedWarnings

SMALL = "estimate FILE --label label --score svm --measure 'PAUCc(fpr=(0, 0.01))'"
FINE = "estimate FILE --label label --score svm --measure auc"


def test_every_command_has_both():
    for name in COMMANDS:
        options = [flag for p in derived(name).params for flag in p.opts]
        assert options.count("--quiet") == options.count("--strict") == 1


def test_warnings_are_printed_by_default_with_status_0(cli):
    status, out, err = cli(SMALL)
    assert status == 0
    assert err.startswith("pauci: warning: ")
    assert "pAUCc" in out


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize(
    ("options", "expected", "printed"),
    [("--quiet", 0, False), ("--strict", 3, True), ("--quiet --strict", 3, False)],
)
def test_warnings(cli, options, expected, printed, before):
    _, results, _ = cli(SMALL)
    status, out, err = cli(f"{options} {SMALL}" if before else f"{SMALL} {options}")
    assert (status, out, bool(err)) == (expected, results, printed)


def test_without_a_warning_the_status_is_0(cli):
    assert cli(f"{FINE} --strict") == cli(FINE)
    assert cli(f"{FINE} --strict")[0] == 0
    assert cli("--strict")[0] == cli("--strict demo")[0] == cli("estimate --strict --help")[0] == 0


def test_errors_have_their_status_and_are_printed(cli):
    for options in ("--strict", "--quiet"):
        fails(cli(f"estimate FILE --label y --score svm --measure auc {options}"), "'y'")


def test_a_run_does_not_change_the_next(cli):
    assert cli(f"{SMALL} --quiet --strict")[0] == 3
    status, _, err = cli(SMALL)
    assert (status, bool(err)) == (0, True)


def test_results_are_written_to_files(cli, tmp_path):
    file = tmp_path / "result.json"
    status, out, err = cli(f"{SMALL} --quiet --strict --output", file)
    assert (status, out, err) == (3, "", "")
    assert json.loads(file.read_text(encoding="utf-8"))


def test_warnings_of_all_commands_are_counted(cli, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("score,positives,negatives\n2,9,1\n1,3,9\n", encoding="utf-8")
    data = "--label label --score svm"
    lines = [
        f"compare FILE {data} --score nn --measure 'PAUCc(fpr=(0, 0.01))'",
        f"points FILE {data} --specificity 0.9",
        f"counts {table} --measure 'PAUCc(fpr=(0, 0.01))'",
        f"scan FILE {data} --measure paucc --fpr '(0.01, 0.02)' --rng 1",
    ]
    for line in lines:
        assert cli(line)[0] == 0
        status, _, err = cli(f"{line} --quiet --strict")
        assert (status, err) == (3, ""), line


def test_the_same_warning_is_printed_once(capsys):
    printed = PrintedWarnings()
    for text in ("a", "a", "b"):
        printed.show(text, UserWarning)
    assert capsys.readouterr().err == "pauci: warning: a\npauci: warning: b\n"
    assert list(printed.texts) == ["a", "b"]
