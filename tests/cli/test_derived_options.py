"""Options are the arguments of functions, and their values expressions."""

import inspect

import pytest

import pauci
from pauci.cli.commands import _FUNCTIONS, derived
from pauci.cli.options import (
    COMMANDS,
    DerivedOption,
    as_options,
    class_of,
    documentation_of,
    measure_of,
    value_of,
)
from pauci.errors import InputError, PauciError


def test_every_command_has_a_function():
    assert set(_FUNCTIONS) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented_and_unique(name):
    options = [p for p in derived(name).params if isinstance(p, DerivedOption)]
    flags = [option.opts[0] for option in options]
    assert len(flags) == len(set(flags))
    for option in options:
        assert option.help, option.opts
        assert "`" not in option.help
        assert "As for" not in option.help, option.help


@pytest.mark.parametrize("name", ["estimate", "compare", "cutoff", "profile"])
def test_arguments_of_the_function_are_options(name):
    arguments = {p.argument for p in derived(name).params if isinstance(p, DerivedOption)}
    parameters = set(inspect.signature(getattr(pauci, name)).parameters)
    assert parameters - {"sample", "samples"} <= arguments


def test_documentation_of_parameters():
    texts = documentation_of(pauci.ReaderStudy.from_frame)
    assert set(texts) == set(inspect.signature(pauci.ReaderStudy.from_frame).parameters)
    assert texts["reader"] == texts["modality"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("holm", "holm"),
        ("two-sided", "two-sided"),
        ("u-statistic", "u-statistic"),
        ("-.5", -0.5),
        ("(0, inf)", (0, float("inf"))),
        ("0, 0.1", (0, 0.1)),
        ("'a b'", "a b"),
        ("{'a': 1}", {"a": 1}),
        ("None", None),
        ("PAUC(fpr=(0, .1)) - AUC", pauci.PAUC(fpr=(0, 0.1)) - pauci.AUC()),
    ],
)
def test_values(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "open('x')",
        "().__class__",
        "(lambda: 1)()",
        "[x for x in (1,)]",
        "AUC().value",
        "PAUC(**{'fpr': (0, 1)})",
        "Bootstrap(print(1))",
        "2 ** (9 ** 9)",
        "(",
        "(" * 5000,
    ],
)
def test_nothing_else_is_evaluated(text):
    with pytest.raises(InputError):
        value_of(text)


def test_measures_and_methods():
    assert measure_of("auc") == measure_of("AUC") == measure_of("AUC()") == pauci.AUC()
    assert value_of("Bootstrap(50, rng=2)").n_resamples == 50
    assert class_of("youden") is pauci.Youden
    assert class_of("F(beta=2)")(threshold=1) == pauci.F(beta=2, threshold=1)
    with pytest.raises(TypeError, match="Sensitivity"):
        measure_of("sensitivity")
    for text in ("3", "holm", "Bootstrap()"):
        with pytest.raises(InputError, match="measure"):
            measure_of(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Pass positive='yes' or positive=1.", "Pass --positive 'yes' or --positive 1."),
        ("drop_missing=True drops", "--drop-missing drops"),
        ("scores=['a', 'b c'] are", "--score 'a' --score 'b c' are"),
        ("edges=(0, 1) are", '--edges "(0, 1)" are'),
        ("PAUC(positive=(0, 1)) is", "PAUC(positive=(0, 1)) is"),
        ("pauci.Sample(y, positive=1)", "pauci.Sample(y, positive=1)"),
        ("other=1", "other=1"),
        ("Use positive=.", "Use --positive."),
        ("positive=Bootstrap(9, rng=f(1))", '--positive "Bootstrap(9, rng=f(1))"'),
        ("by prevalence=.", 'by --measure "NAME(prevalence=VALUE)".'),
        ("Pass pauci.AP(prevalence=0.1).", "Pass AP(prevalence=0.1)."),
    ],
)
def test_arguments_are_shown_as_options(text, shown):
    names = ["positive", "drop_missing", "scores", "edges", "measure"]
    assert as_options(text, names) == shown
    assert as_options(text, []) == text.replace("pauci.AP", "AP")


def test_arguments_of_measures_are_shown_with_the_option_of_the_measure():
    assert as_options("by harm=.", ["maximize"]) == 'by --maximize "NAME(harm=VALUE)".'


BAD_TEXTS = [
    "",
    "\x00",
    "\ud800",
    "{[1]: 2}",
    "{{}: 1}",
    "{None: [1, {2: 3}]}",
    "[" * 500,
    "9" * 5000,
    "1e999",
    "-'a'",
    "-AUC()",
    "AUC() - 3",
    "AUC()()",
    "AUC(1, 2, 3)",
    "AUC(" + "AUC(" * 60,
    "PAUC(fpr=[[1], [2, [3]]])",
    "PAUC(fpr=(0, " + "9" * 400 + "))",
    "PAUC(fpr={1: 2})",
    "Macro(AUC)",
    "VersusRest(AUC(), [1])",
    "VUS(order={1: 2})",
    "Bootstrap(n_resamples='x')",
    "Bootstrap(rng=1e300)",
    "lambda: 0",
]


def test_a_bad_text_is_accepted_or_raises_an_error_of_the_package():
    for name in COMMANDS:
        for option in derived(name).params:
            if not isinstance(option, DerivedOption) or option.is_switch:
                continue
            for text in BAD_TEXTS:
                try:
                    option.value([text] * max(option.nargs, 1))
                except PauciError:
                    pass
                except Exception as error:
                    pytest.fail(f"{name} {option.opts[0]} {text[:40]!r} raised {error!r}")
