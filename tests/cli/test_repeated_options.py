"""Repeated options: one for each measure, or an error."""

import warnings

import click
import pytest

import pauci
from command_line import FRAME, fails, json_rows, succeeds
from pauci.cli.commands import commands
from pauci.cli.measure_options import ParsedMeasures, measures_of
from pauci.cli.typed_commands import GroupedCommand
from pauci.errors import InputError

pytestmark = pytest.mark.filterwarnings("default::pauci.PauciWarning")
DATA = "FILE --label label --score svm"
SVM = pauci.Sample.from_frame(FRAME, "label", "svm")
PAIR = pauci.Sample.from_frame(FRAME, "label", ["svm", "nn"])
TAKE_MEASURES = sorted(
    name
    for name, command in commands.commands.items()
    if any(p.name == "measures" for p in command.params)
)


def values(cli, line):
    status, out, _ = cli(f"{line} --format json")
    assert status == 0
    found = json_rows(out)
    rows = found["estimates"] if isinstance(found, dict) else found
    return [row.get("value", row.get("difference")) for row in rows]


def expected(*measures):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        return pytest.approx([pauci.estimate(SVM, m).value for m in measures])


@pytest.mark.parametrize(
    ("line", "measures"),
    [
        ("--measure sensitivity --at-specificity .9", [pauci.Sensitivity(specificity=0.9)]),
        ("--measure specificity --at-sensitivity .8", [pauci.Specificity(sensitivity=0.8)]),
        ("--measure pai --at-sensitivity .6", [pauci.PAI(sensitivity=0.6)]),
        (  # the point of a measure replaces the common one, also under its other name
            "--at .3 --measure pai --measure sensitivity --at-specificity .9",
            [pauci.PAI(tpr=0.3), pauci.Sensitivity(specificity=0.9)],
        ),
    ],
)
def test_points_by_specificity_and_sensitivity(cli, line, measures):
    assert values(cli, f"estimate {DATA} {line}") == expected(*measures)


@pytest.mark.parametrize("command", ["estimate", "report"])
def test_the_help_says_what_a_point_is_for_each_measure(cli, command):
    words = " ".join(succeeds(cli(f"{command} --help")).split())
    assert "The FPR at which sensitivity is estimated" in words
    assert "The TPR at which specificity is estimated" in words
    assert "lowest TPR of pai" in words


def test_each_point_belongs_to_the_measure_before_it(cli):
    line = (
        f"estimate {DATA} --measure sensitivity --at-specificity 0.7 --measure specificity --at 0.7"
    )
    assert values(cli, line) == expected(pauci.Sensitivity(fpr=0.3), pauci.Specificity(tpr=0.7))


@pytest.mark.parametrize(
    ("line", "measures"),
    [
        (
            "--measure pauc --fpr 0 .1 --measure pauc --fpr 0 .3 --normalized",
            [pauci.PAUC(fpr=(0, 0.1)), pauci.PAUC(fpr=(0, 0.3), normalized=True)],
        ),
        (
            "--fpr 0 .2 --measure auc --measure pauc --measure paucc",
            [pauci.AUC(), pauci.PAUC(fpr=(0, 0.2)), pauci.PAUCc(fpr=(0, 0.2))],
        ),
        (  # a region of its own replaces the common one, also where it is on the other axis
            "--fpr 0 .2 --ends middle --measure pauc --measure paucc --tpr .8 1",
            [pauci.PAUC(fpr=(0, 0.2), ends="middle"), pauci.PAUCc(tpr=(0.8, 1), ends="middle")],
        ),
        (
            "--prevalence .4 --measure ap --measure ap --prevalence .6 --measure auc",
            [pauci.AP(prevalence=0.4), pauci.AP(prevalence=0.6), pauci.AUC()],
        ),
        (
            "--measure auc --measure paucc --specificity .8 1 --tpr .5 1",
            [pauci.AUC(), pauci.PAUCc(specificity=(0.8, 1), tpr=(0.5, 1))],
        ),
        (
            "--at-specificity .8 --measure sensitivity --measure specificity --at .7",
            [pauci.Sensitivity(fpr=0.2), pauci.Specificity(tpr=0.7)],
        ),
    ],
)
def test_options_of_measures(cli, line, measures):
    assert values(cli, f"estimate {DATA} {line}") == expected(*measures)
    first, *others = line.split(" --measure ", 1)
    moved = f"estimate {first} --measure {others[0]} {DATA}" if others else f"estimate {line}"
    assert values(cli, moved) == expected(*measures)


def test_the_order_is_kept_in_commands_with_several_measures(cli, tmp_path):
    asked = "--measure pauc --fpr 0 .1 --measure paucc --tpr .5 1 --measure auc"
    measures = [pauci.PAUC(fpr=(0, 0.1)), pauci.PAUCc(tpr=(0.5, 1)), pauci.AUC()]
    found = values(cli, f"compare {DATA} --score nn {asked}")
    assert found == pytest.approx([c.difference for c in pauci.compare(PAIR, measures)])
    table = tmp_path / "table.csv"
    table.write_text("score,positives,negatives\n1,10,80\n2,20,60\n3,40,40\n", encoding="utf-8")
    sample = pauci.Sample.from_counts([1, 2, 3], [10, 20, 40], [80, 60, 40])
    assert values(cli, f"counts {table} {asked}") == pytest.approx(
        [pauci.estimate(sample, m).value for m in measures]
    )
    page = tmp_path / "page.html"
    succeeds(cli(f"report {DATA} {asked} --output", page))
    text = page.read_text(encoding="utf-8")
    assert "FPR 0 to 0.1" in text
    assert "TPR 0.5 to 1" in text


REFUSED = [
    ("--measure paucc --measure pauc --fpr 0 .1", ["--measure paucc needs a region", "before"]),
    ("--measure paucc --measure auc --fpr 0 .1", ["--measure paucc needs a region", "after"]),
    ("--measure auc --fpr 0 .1 --measure pauc --fpr 0 .2", ["--fpr cannot", "auc", "before"]),
    (
        "--measure sensitivity --measure specificity --at .9",
        ["sensitivity needs a single cut-off", "one of --at-specificity"],
    ),
    (
        "--measure sensitivity --at-sensitivity .9",
        ["a single cut-off (one of --at-specificity", ", not --at-sens"],
    ),
    ("--measure specificity --at .1 --at-sensitivity .9", ["--at and --at-sensitivity", "one"]),
    (
        "--measure sensitivity --at .9",
        ["--at-fpr 0.1 for a specificity of 0.9", "--at-fpr 0.9 for a false"],
    ),
    (
        "--measure specificity --at .8 --measure sensitivity --at .25",
        ["--at-fpr 0.75 for", "--at-fpr 0.25 for"],
    ),
    ("--at .2 --measure auc --measure sensitivity", ["--at-fpr 0.8 for", "--at-fpr 0.2 for"]),
    ("--measure sensitivity --at-specificity 90", ["--at-specificity 90", "Did you mean 0.9?"]),
    ("--measure auc --at-specificity .9", ["--at-specificity", "auc", "pauci points"]),
    ("--measure pauc --fpr 0 .1 --fpr 0 .2", ["--fpr", "twice", "--measure pauc"]),
    ("--measure pauc --normalized --fpr 0 .1 --normalized", ["--normalized", "twice"]),
    ("--fpr 0 .1 --fpr 0 .2 --measure pauc", ["--fpr", "twice", "before the first --measure"]),
    ("--fpr 0 .1 --measure pauc --fpr 0 .2", ["--fpr", "before the first", "its own"]),
    (
        "--fpr 0 .1 --measure auc --measure ap",
        ["--fpr", "cannot be combined with --measure auc ap"],
    ),
    ("--measure pauc --fpr 0 .1 --tpr 0 .2 --tpr 0 .3 --measure auc", ["--tpr", "twice"]),
]


@pytest.mark.parametrize(("line", "words"), REFUSED)
def test_unused_options_are_an_error(cli, line, words):
    fails(cli(f"estimate {DATA} {line}"), *words)


@pytest.mark.parametrize(
    ("line", "option"),
    [
        (f"estimate {DATA} --label label --measure auc", "--label"),
        (f"estimate {DATA} --measure auc --level .9 --level .95", "--level"),
        (f"estimate {DATA} --measure auc --drop-missing --drop-missing", "--drop-missing"),
        (f"estimate {DATA} --measure auc --output a.csv --output b.csv", "--output"),
        (f"scan {DATA} --measure pauc --fpr .1 .5 --fpr .2 .6", "--fpr"),
        (f"scan {DATA} --measure pauc --measure paucc --fpr .1 .5", "--measure"),
        (f"profile {DATA} --ends middle --ends middle", "--ends"),
        (f"band {DATA} --points --no-points", "--points"),
        (f"fit {DATA} --null 0 --null 1", "--null"),
        ("power --auc .8 --measure auc --n-pos 9 --n-pos 10 --n-neg 20 --null .5", "--n-pos"),
    ],
)
def test_repeating_other_options_is_an_error(cli, line, option):
    fails(cli(line), f"{option} is given twice")


def test_errors_are_typed_and_name_the_option():
    with pytest.raises(InputError) as caught:
        measures_of(ParsedMeasures({}, (("auc", {"fpr": (0, 0.1)}),)))
    assert caught.value.argument == "fpr"
    line = "estimate f.csv --label a --label b --score s --measure auc"
    with pytest.raises(InputError) as caught:
        commands.main(line.split(), standalone_mode=False)
    assert caught.value.argument == "label"


def test_one_prevalence_for_operating_points(cli, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("score,positives,negatives\n1,10,80\n2,20,60\n3,40,40\n", encoding="utf-8")
    asked = "--measure ap --prevalence .1 --measure auk --prevalence"
    fails(cli(f"counts {table} --points {asked} .2"), "--points", "--prevalence")
    assert cli(f"counts {table} --points {asked} .1")[0] == 0


@pytest.mark.parametrize("name", TAKE_MEASURES)
def test_help_states_that_options_belong_to_measures(name):
    command = commands.commands[name]
    text = " ".join(command.get_help(click.Context(command)).split())
    assert "apply to the --measure before them" in text
    assert "Give an option once" in text
    owned = {p.name for p in command.params if getattr(p, "of_measure", False)}
    assert {"fpr", "tpr", "threshold", "at", "ends", "normalized", "prevalence"} <= owned


def test_every_repeatable_option_is_documented_as_such():
    assert len(TAKE_MEASURES) == 8
    for name, command in commands.commands.items():
        assert isinstance(command, GroupedCommand), name
        for option in command.params:
            several = isinstance(option, click.Option) and option.multiple
            if several and not option.of_measure and option.opts[0] not in command.several:
                assert "repeat" in option.help, (name, option.opts)
