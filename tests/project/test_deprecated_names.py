"""Former names of public attributes and arguments work for one release and issue a warning."""

import re
from pathlib import Path

import numpy as np
import pytest

import pauci
from pauci.deprecation import RenamedAttribute
from pauci.variance import Uncertainty
from tabular_results import MAKERS, quiet, reader_study, sample

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"


def results():
    with quiet():
        study = pauci.mrmc(reader_study(), pauci.AUC())
        return {
            ("Scan", "words"): MAKERS["Scan"](),
            ("Uncertainty", "unseen"): Uncertainty(np.eye(1), pseudo_variance=np.ones(1)),
            ("Estimate", "unseen"): pauci.estimate(sample("svm"), pauci.PAUCc(fpr=(0, 0.3))),
            ("OperatingPoints", "picks"): MAKERS["OperatingPoints"](),
            ("OperatingPoints", "found"): MAKERS["OperatingPoints"](),
            ("ReaderAnalysis", "se_fixed"): study.contrasts[0],
        }


@pytest.mark.parametrize("names", results())
def test_a_former_name_works_and_issues_a_warning(names):
    result = results()[names]
    new = vars_of(type(result))[names[1]]
    with pytest.warns(DeprecationWarning, match=f"{names[1]} was renamed.*{new}"):
        former = getattr(result, names[1])
    assert former == getattr(result, new)


def test_a_former_argument_name_works_and_issues_a_warning():
    with pytest.warns(DeprecationWarning, match=r"Uncertainty\(unseen=\) was renamed") as caught:
        former = Uncertainty(np.eye(1), unseen=np.ones(1))
    assert caught[0].filename == __file__
    assert former.pseudo_variance == 1.0


def vars_of(cls):
    """Return the former names of a class, with the current ones."""
    return {
        name: value._new
        for base in cls.__mro__
        for name, value in vars(base).items()
        if isinstance(value, RenamedAttribute)
    }


def test_the_changelog_lists_former_names():
    table = CHANGELOG.read_text().partition("### Renamed")[2].partition("### ")[0]
    for _, name in results():
        assert re.search(rf"\|[^|]*\.{name}\b[^|]*\|", table), name
