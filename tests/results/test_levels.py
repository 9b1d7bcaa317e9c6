"""Confidence levels: invalid ones raise an error that states the level that was intended."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import pauci
from html_page import report_of
from pauci.cli import run
from tabular_results import MAKERS, result, sample

WITHOUT = {
    "JointTest",
    "OneSampleTest",
    "PermutationTest",
    "Ranks",
    "SampleSize",
    "ReaderStudy",
}
"""Results without an interval; they take a level as all tables do, and do not use it."""

MADE = [name for name in MAKERS if name[0].isupper() and name not in WITHOUT]
"""The plain result of each class."""


def methods_with_level(result):
    """Yield the methods of a result that take a level."""
    for name in dir(type(result)):
        method = None if name.startswith("_") else getattr(type(result), name)
        if inspect.isfunction(method) and "level" in inspect.signature(method).parameters:
            needed = [
                p.name
                for p in inspect.signature(method).parameters.values()
                if p.default is p.empty and p.name not in ("self", "level")
            ]
            yield name, needed


@pytest.mark.parametrize("name", MADE)
def test_every_result_rejects_a_size_passed_as_a_level(name, tmp_path):
    shown = result(name)
    given = {"measure": "pAUC", "null": 0.0}
    methods = dict(methods_with_level(shown))
    assert "summary" in methods
    for method, needed in methods.items():
        if not set(needed) <= {"path", *given}:
            continue  # what takes other numbers beside the level is no way in
        end = method.removeprefix("to_")
        options = {"path": tmp_path / f"t.{end}", **given}
        options = {key: options[key] for key in needed}
        for level, meant in ((0.05, "level=0.95"), (0.1, "level=0.9"), (5, "level=0.95")):
            with pytest.raises(pauci.InputError, match=f"level={level} .*{meant} ") as caught:
                getattr(shown, method)(level=level, **options)
            assert caught.value.argument == "level"


def test_functions_reject_a_size_passed_as_a_level():
    one = sample("a")
    by_bootstrap = pauci.estimate(one, pauci.AUC(), pauci.Bootstrap(200, rng=1))
    for call in (
        lambda level: pauci.band(one, level),
        lambda level: pauci.expected_width(one, pauci.AUC(), 50, 50, level=level),
        lambda level: pauci.sample_size(one, pauci.AUC(), width=0.1, level=level),
        lambda level: report_of(by_bootstrap, level=level),
        lambda level: pauci.plot.roc(one, band="pointwise", level=level),
        lambda level: by_bootstrap.resampled.error_of_interval(level),
    ):
        with pytest.raises(pauci.InputError, match=r"level=0\.95 for a 95% interval"):
            call(0.05)


def test_a_level_of_one_half_is_accepted():
    e = pauci.estimate(sample("a"), pauci.AUC())
    low, high = e.interval(0.5)
    assert low < e.value < high
    assert np.isfinite([low, high]).all()


def test_the_size_of_a_test_is_not_a_level():
    pilot = {
        "error": 0.0008,
        "cov1": 0.00035,
        "cov2": 0.00034,
        "cov3": 0.00024,
        "reader_by_modality": 0.0002,
        "cases": 114,
    }
    assert 0.9 < pauci.mrmc_power(pilot, 10, 60, 105, difference=0.05, alpha=0.05) < 0.91
    for alpha in (0, 1, 5):
        with pytest.raises(pauci.InputError, match=f"alpha={alpha} "):
            pauci.mrmc_power(pilot, 10, 60, 105, difference=0.05, alpha=alpha)


def test_the_command_names_its_option(capsys):
    file = str(Path(__file__).parents[2] / "data" / "ljubljana_scores.csv")
    words = ["--label", "recurrence", "--score", "svm", "--measure", "auc", "--level", "0.05"]
    assert run(["estimate", file, *words]) == 2
    assert "--level 0.95" in capsys.readouterr().err
