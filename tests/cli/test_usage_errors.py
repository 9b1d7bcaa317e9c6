"""Command lines that cannot be parsed, and the messages that say how they are corrected."""

import pytest

from command_line import fails
from pauci.cli.commands import commands

SVM = "--label label --score svm"


def test_all_missing_options_are_named_at_once(cli):
    answer = cli("estimate FILE")
    fails(answer, "--label (column of the labels)", "--score (column of scores)", "--measure")
    fails(answer, "are missing. Example: pauci estimate example:")
    fails(cli(f"estimate FILE {SVM}"), "--measure (one of those that --help lists) is missing")
    answer = cli("estimate FILE --label=label --measure auc")
    fails(answer, "error: --score (column of scores) is missing")


NOT_ALONE = [n for n, c in commands.commands.items() if any(p.required for p in c.params)]


@pytest.mark.parametrize("command", sorted(NOT_ALONE))
def test_a_command_alone_is_answered_by_its_example(cli, command):
    fails(cli(command), "missing", f"Example: {commands.commands[command].example}.")


def test_names_with_blanks_are_quoted(cli):
    answer = cli("estimate FILE --label label --score AI score --measure auc")
    fails(answer, "'score' is one word too many", "quote it: --score 'AI score'")
    answer = cli(f"estimate my study.csv {SVM} --measure auc")
    fails(answer, "If 'my study.csv' is one name, quote it: 'my study.csv'")
    fails(cli(f"estimate FILE word {SVM} --measure auc"), "unexpected extra argument")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--fpr 0.1", "--fpr takes 2 numbers: --fpr LOW HIGH, such as --fpr 0 0.1."),
        ("--specificity 90%", "such as --specificity 0.9 1."),
        ("--threshold 3", "such as --threshold 2 inf."),
    ],
)
def test_a_region_has_two_ends(cli, words, message):
    fails(cli(f"estimate FILE {SVM} --measure pauc {words}"), message)


def test_other_options_with_two_values(cli):
    fails(cli(f"compare FILE {SVM} --score nn --measure auc --pair svm"), "--pair takes 2 values")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("FILE --label label", "a command must precede the file, such as pauci estimate /"),
        ("study.xlsx", "pauci estimate study.xlsx --label COLUMN"),
        ("help", "use pauci --help."),
        ("help points", "use pauci points --help."),
        ("roc FILE", "Did you mean 'report'?"),
        ("mrmc", "Did you mean 'readers'?"),
        ("auroc FILE", "'auroc' is a measure, not a command"),
        ("estimat FILE", "Did you mean 'estimate'?"),
        ("zzz", "'zzz' is not a command. Commands: app, band,"),
    ],
)
def test_words_that_are_not_commands(cli, words, message):
    fails(cli(words), message)


def test_other_names_of_a_threshold(cli):
    fails(cli(f"points FILE {SVM} --cutoff 0.5"), "--cutoff is not an option; use --at-threshold.")
