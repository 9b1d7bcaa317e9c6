"""`pauci sample-size` and `pauci power`: the results of Python, and errors that name options."""

import io

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import fails, json_rows, succeeds

RNG = np.random.default_rng(5)
Y = np.repeat([1, 0], [60, 90])
FRAME = pd.DataFrame(
    {"label": Y, "a": RNG.normal(size=150) + 1.5 * Y, "b": RNG.normal(size=150) + Y}
)
ONE = pauci.Sample.from_frame(FRAME, "label", "a")
TWO = pauci.Sample.from_frame(FRAME, "label", ["a", "b"])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pilot.csv"
    FRAME.to_csv(path, index=False)
    return f"{path} --label label"


def rows(cli, line):
    return pd.read_csv(io.StringIO(succeeds(cli(f"{line} --format csv"))))


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("--null 0.7 --alternative greater", {"null": 0.7, "alternative": "greater"}),
        (
            "--null 0.7 --kind wald --power 0.9 --alpha 0.01",
            {"null": 0.7, "kind": "wald", "power": 0.9, "alpha": 0.01},
        ),
        ("--null 0.7 --value 0.8 --ratio 3", {"null": 0.7, "value": 0.8, "ratio": 3}),
        ("--width 0.1 --level 0.9", {"width": 0.1, "level": 0.9}),
    ],
)
def test_sizes_of_one_are_those_of_python(cli, file, line, options):
    got = rows(cli, f"sample-size {file} --score a --measure auc {line}")
    expected = pauci.sample_size(ONE, pauci.AUC(), **options).to_frame()
    for column in ("n_pos", "n_neg"):
        assert got[column].item() == expected[column].item()
    for column in ("power", "value", "width"):
        assert got[column].item() == pytest.approx(expected[column].item(), nan_ok=True)


def test_sizes_of_two_are_those_of_python(cli, file):
    region = "--score a --score b --measure paucc --fpr 0 0.3"
    for line, options in (
        ("--difference 0.1", {"difference": 0.1}),
        ("--width 0.1", {"width": 0.1}),
    ):
        got = rows(cli, f"sample-size {file} {region} {line} --kind wald")
        expected = pauci.sample_size(TWO, pauci.PAUCc(fpr=(0, 0.3)), kind="wald", **options)
        assert (got["n_pos"].item(), got["n_neg"].item()) == (expected.n_pos, expected.n_neg)


def test_power_and_width_of_given_sizes(cli, file):
    out = succeeds(
        cli(f"power {file} --score a --measure auc --null 0.7 --n-pos 50 --n-neg 80 --format json")
    )
    parts = json_rows(out)
    assert list(parts) == ["power", "width"]
    power = pauci.power(ONE, pauci.AUC(), 50, 80, null=0.7)
    width = pauci.expected_width(ONE, pauci.AUC(), 50, 80)
    assert parts["power"][0]["power"] == pytest.approx(power)
    assert parts["width"][0]["width"] == pytest.approx(width)
    alone = rows(cli, f"power {file} --score a --measure auc --n-pos 50 --n-neg 80 --level 0.9")
    expected = pauci.expected_width(ONE, pauci.AUC(), 50, 80, level=0.9)
    assert alone["width"].item() == pytest.approx(expected)
    text = succeeds(
        cli(
            f"power {file} --score a --score b --measure auc --difference 0.1 --n-pos 50 --n-neg 80"
        )
    )
    assert "50 positives and 80 negatives can detect a difference of 0.1" in text
    assert "give a 95% confidence interval of the difference" in text


def test_plans_from_assumptions(cli):
    got = rows(cli, "sample-size --auc 0.85 --sd 1.5 --measure auc --null 0.75 --ratio 2")
    expected = pauci.sample_size(pauci.binormal(0.85, sd=1.5), pauci.AUC(), null=0.75, ratio=2)
    assert got["n_pos"].item() == expected.n_pos
    got = rows(cli, "sample-size --auc 0.85 --auc 0.8 --correlation 0.6 --measure auc --ratio 1")
    assert got["n_pos"].item() == 238


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sample-size --measure auc", ["--auc", "FILE with --label and --score"]),
        ("sample-size --score a --measure auc", ["--score 'a' is a column of FILE"]),
        ("sample-size --auc 0.8 --measure auc", ["--null", "--width"]),
        ("sample-size --auc 0.8 --correlation 0.5 --measure auc --null 0.7", ["--auc twice"]),
        ("sample-size --auc 1.8 --measure auc --null 0.7", ["--auc 1.8"]),
        ("sample-size FILE --score a --auc 0.8 --measure auc", ["--auc 0.8 is an assumption"]),
        ("sample-size FILE --measure auc --null 0.7", ["--score COLUMN"]),
        ("sample-size FILE --score a --score b --score label --measure auc", ["one or two"]),
        ("sample-size FILE --score a --measure auc --measure ap", ["several measures"]),
        (
            "sample-size FILE --score a --measure auc --width 0.1 --null 0.7",
            ["--null 0.7 is for a"],
        ),
        ("sample-size FILE --score a --measure auc --width 0.1 --alpha 0.1", ["--level"]),
        ("sample-size FILE --score a --measure auc --difference 0.1", ["by --value"]),
        ("sample-size FILE --score a --score b --measure auc --value 0.8", ["--difference"]),
        ("sample-size FILE --score a --measure auc --null 70", ["--null 70", "0.7?"]),
        ("power FILE --score a --measure auc --n-pos 1 --n-neg 9", ["--n-pos 1 must be"]),
        ("power FILE --score a --measure auc --n-pos 9 --n-neg 9 --alpha 0.1", ["by --null"]),
    ],
)
def test_errors_refer_to_options(cli, file, line, words):
    fails(cli(line.replace("FILE ", f"{file} ", 1) if "FILE " in line else line), *words)


def test_a_pilot_with_standard_error_0_names_the_option(cli, tmp_path):
    path = tmp_path / "apart.csv"
    pd.DataFrame({"y": [0, 0, 0, 1, 1, 1], "s": [1, 2, 3, 4, 5, 6]}).to_csv(path, index=False)
    status, _, err = cli(f"sample-size {path} --label y --score s --measure auc --width 0.1")
    assert status == 2
    assert "Plan from an assumption (--auc)" in err


def test_a_pilot_far_from_the_prevalence_names_the_option(cli, file):
    status, _, err = cli(f"sample-size {file} --score a --measure ap --prevalence 0.001 --null 0.1")
    assert status == 2
    assert "or from an assumption (--auc)." in err
