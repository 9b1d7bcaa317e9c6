"""The tables of the validation page, computed from small frames with known counts."""

import numpy as np
import pandas as pd
import pytest

import design
import pages
import run
import silent
import study_cells
from populations import POPULATIONS
from study_rows import a_test, cell, cells


def row(**given):
    return next(cells(cell(**given)).itertuples())


# Exceptions


def test_a_cell_is_an_exception_according_to_its_silent_samples():
    """334 covering samples of 400 are too few beyond simulation error; 350 are not."""
    frame = cells(
        cell(warned=60, unwarned_coverage=83.5),
        cell(warned=60, unwarned_coverage=87.5),
        cell(coverage=80, warned=60, unwarned_coverage=95),
        cell(coverage=95, warned=0, unwarned_coverage=95),
    )
    assert frame["silent"].tolist() == [400, 400, 400, 1000]
    assert frame["silent_covered"].tolist() == [334, 350, 380, 950]
    assert study_cells.failing(study_cells.with_silent_samples(frame)).tolist() == [
        True,
        False,
        False,
        False,
    ]
    bad = silent.short(frame)
    assert bad.index.tolist() == [0]


def test_the_test_of_a_cell_is_one_sided_and_exact():
    """At a coverage of 90%, at most 6 of 10 cover with probability 1.28%, 7 with 7.02%."""
    frame = cells(*(cell(replicates=10, unwarned_coverage=c) for c in (60,)))
    assert study_cells.failing(frame).tolist() == [True]
    frame = cells(*(cell(replicates=10, unwarned_coverage=c) for c in (70,)))
    assert study_cells.failing(frame).tolist() == [False]
    assert study_cells.failing(cells(cell(unwarned_coverage=100))).tolist() == [False]


def test_the_adjustment_is_over_all_cells_of_the_study():
    """A single exception is not significant among a hundred cells."""
    low = cell(replicates=10, unwarned_coverage=60)
    assert len(silent.short(cells(low))) == 1
    assert silent.short(cells(low, *[cell()] * 99)).empty


def test_the_adjustment_is_holms():
    p = np.array([0.001, 0.04, 0.2, 0.01, 0.9])  # times 5, 3, 2, 4 and 1
    np.testing.assert_allclose(study_cells.holm(p), [0.005, 0.12, 0.4, 0.04, 0.9])
    assert study_cells.holm(np.array([])).size == 0


def test_cells_with_few_silent_samples_are_left_out_and_counted():
    frame = cells(
        cell(), cell(warned=80.1, unwarned_coverage=50), cell(warned=100, unwarned_coverage="")
    )
    assert study_cells.with_silent_samples(frame).index.tolist() == [0]
    assert silent.short(frame).empty
    (line,) = [x for x in silent.summary(frame).splitlines() if x.startswith("| all ")]
    assert line == "| all | 1 | 2 | 95.0 | 95.0 | 95.0 | 95.0 | 95.0 | 0.0 | 0 |"


def test_cells_are_summarized_by_smaller_class_and_measure():
    frame = cells(
        cell(n_pos=10, n_neg=40),
        cell(n_pos=300, n_neg=30, measure="PAUC(fpr=(0, 0.1))"),
        cell(measure="PAUCc(fpr=(0, 0.1)) / AUC()", kind="weights"),
    )
    members = {k: v[v].index.tolist() for k, v in silent.families(frame).items()}
    assert members["all"] == [0, 1, 2]
    assert members["smaller class: up to 20"] == [0]
    assert members["smaller class: 25 to 40"] == [1]
    assert members["smaller class: 150 and more"] == [2]
    assert members["`AUC`"] == [0]
    assert members["`PAUC`"] == [1]
    assert members["ratios of areas"] == [2]
    smallest = {min(n) for n in design.SIZES}
    assert all(any(a <= n <= b for a, b in silent.SMALLEST.values()) for n in smallest)


def test_silent_tests_that_reject_too_often_are_exceptions():
    """A test of the true difference rejects if its interval excludes it."""
    frame = cells(
        a_test(unwarned_coverage=88, population="gamma"),
        a_test(unwarned_coverage=91.5),
        a_test(unwarned_coverage=80, second="better"),
    )
    assert silent.liberal(frame)["population"].tolist() == ["gamma"]
    text = silent.exceptions(silent.liberal(frame), "unwarned_rejected")
    assert text.startswith("Not explained: 1 cell.\n")
    assert "| gamma, same curve, r = 0.5 | 200/200 | 1,000 | 100 | 12.0 |" in text
    (line,) = [x for x in silent.sizes(frame).splitlines() if x.startswith("| all ")]
    assert line == "| all | 2 | 0 | 8.5 | 10.2 | 11.7 | 12.0 | 12.0 | 100.0 | 1 |"


# Why


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"population": "improper mixture", "measure": "PAUCx(tpr=(0.4, 0.7))"}, "bends at an end"),
        ({"population": "bend at the end", "measure": "PAUCc(fpr=(0, 0.1))"}, "bends at an end"),
        ({"population": "zero-inflated", "measure": "Specificity(tpr=0.7)"}, "bends at an end"),
        ({"population": "AUC .995", "measure": "AP()"}, "close to 1"),
        ({"population": "AUC .98", "measure": "PAUCc(fpr=(0, 0.1)) / AUC()"}, "close to 1"),
        ({"kind": "clusters", "n_pos": 6, "n_neg": 60, "measure": "AP()"}, "clusters"),
        ({"n_pos": 35, "truth_below": 5}, "One class has few"),
        ({"n_neg": 30, "truth_above": 9}, "One class has few"),
        ({"warned": 60, "unwarned_coverage": 80}, "depends on the estimate"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.get("measure", ""),
)
def test_a_mechanism_is_a_rule_on_the_cell(given, words):
    found = silent.mechanism(row(**given))
    assert words in found
    text = silent.exceptions(cells(cell(**given)).assign(mechanism=found), "unwarned_coverage")
    assert text.startswith(f"{found}: 1 cell.\n")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"population": "improper mixture", "measure": "PAUCc(tpr=(0.8, 1))"},
        {"population": "zero-inflated", "measure": "PAUCc(fpr=(0, 0.33), tpr=(0.4, 1))"},
        {"measure": "PAUCx(tpr=(0.4, 0.7))"},
        {"population": "ordinal, 5", "measure": "PAUCc(fpr=(0, 0.1))"},
        {"population": "AUC .98"},
        {"population": "t3, AUC .964", "measure": "AP()", "n_pos": 500, "n_neg": 5000},
        {"n_pos": 35, "truth_below": 3},
        {"n_pos": 51, "truth_below": 9},
        {"warned": 40, "unwarned_coverage": 80},
        {"warned": 60, "coverage": 85, "unwarned_coverage": 80},
    ],
    ids=str,
)
def test_cells_without_a_rule_are_unexplained(given):
    assert silent.mechanism(row(**given)) == silent.UNEXPLAINED


def test_unexplained_cells_are_listed_first():
    names = ("gamma", "improper mixture")
    low = [cell(population=p, measure="Specificity(tpr=0.7)", unwarned_coverage=80) for p in names]
    text = silent.exceptions(silent.short(cells(*low)), "unwarned_coverage")
    heads = [line for line in text.splitlines() if line.endswith(": 1 cell.")]
    assert heads == [f"{silent.UNEXPLAINED}: 1 cell.", f"{silent.MECHANISMS[0].words}: 1 cell."]
    assert silent.exceptions(silent.short(cells(cell())), "unwarned_coverage") == "None.\n"


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("AUC()", []),
        ("PAUCc(fpr=(0, 0.1), normalized=True)", [("fpr", 0.1)]),
        ("PAUC(tpr=(0.4, 0.7))", [("tpr", 0.4), ("tpr", 0.7)]),
        ("Sensitivity(fpr=0.33)", [("fpr", 0.33)]),
        ("PAUCc(fpr=(0, 0.33), tpr=(0.4, 1))", []),
        ("PAUCc(threshold=(3, 5))", []),
        ("AP(prevalence=0.1)", []),
        ("PAUC(fpr=(0, 0.05)) / PAUC(fpr=(0, 0.33))", [("fpr", 0.05), ("fpr", 0.33)]),
        ("PAUCc(fpr=(0, 0.1)) / AUC()", [("fpr", 0.1)]),
    ],
)
def test_the_ends_of_a_region_are_read_from_the_measure(measure, expected):
    assert silent.ends(measure) == expected


def test_every_sharp_bend_is_known():
    assert {name for name, p in POPULATIONS.items() if p.corners} < set(silent.bends())
    for name, points in silent.bends().items():
        step = 0.001 if POPULATIONS[name].corners else 0.05  # the others are smooth
        for x, y in points:
            before, after = (POPULATIONS[name].roc(np.array(x + d)) for d in (-step, step))
            slopes = sorted([y - before, after - y])
            assert slopes[1] > 1.7 * slopes[0]


# Warnings


def test_false_alarms_are_those_of_cells_that_cover():
    frame = cells(
        cell(warned=20, unwarned_coverage=95, warnings="A:200:190 B:40:40"),
        cell(coverage=96, unwarned_coverage=96),
        cell(warned=50, coverage=90, unwarned_coverage=96, warnings="A:500:420"),
        cell(warned=4, coverage=98.5, unwarned_coverage=99, warnings="B:40:35"),
    )
    # The first two cells cover; in them 200 of 2,000 samples carry A.
    lines = silent.alarms(frame).splitlines()[2:]
    assert lines[0] == "| `A` | 10.0 | 1 of 2 | 700 | 87.1 | 84.0 |"
    assert lines[1] == "| `B` | 2.0 | 0 of 2 | 80 | 93.8 |  |"  # no cell has 50 of them
    # Of the first cell 760 of 800 silent samples cover, and 950 of all: 190 of 200 with a warning.
    assert lines[2] == "| any warning | 10.0 | 1 of 2 | 740 | 87.2 | 84.0 |"
    assert silent.covered_if_warned(frame) == pytest.approx(100 * (190 + 420 + 35) / 740)
    assert len(lines) == 3


# The rest of the page


def a_study():
    many = {"replicates": 4000, "undefined": 0}
    return [
        cell(),
        cell(measure="PAUCc(fpr=(0, 0.1))", **many),
        cell(measure="AP()", design="cohort", replicates=50, undefined=950),
        cell(measure="PAUCc(fpr=(0, 0.1))", n_pos=20, warned=100, unwarned_coverage=""),
        cell(kind="weights"),
        a_test(rejected=5, unwarned_rejected=5),
        a_test(second="better", rejected=80, unwarned_rejected=80),
        a_test(kind="clusters", second="", n_pos=3, n_neg=20),
        cell(
            kind="family",
            measure="joint test",
            inside_pos="",
            inside_neg="",
            truth="",
            truth_below="",
            truth_above="",
            bias_in_sd="",
            se_to_sd="",
            replicates=250,
            rejected=5,
            unwarned_rejected=5,
        ),
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    "kinds",
    [
        ["estimates"],
        ["tests"],
        ["weights"],
        ["clusters"],
        ["family"],
        ["estimates", "tests", "weights", "clusters", "family"],
    ],
    ids=",".join,
)
def test_the_page_can_be_made_of_any_part_of_a_study(kinds, tmp_path):
    path = tmp_path / "study.csv"
    some = [r for r in a_study() if r["kind"] in kinds]
    pd.DataFrame(some, columns=run.COLUMNS).to_csv(path, index=False)
    frame = study_cells.load(path)
    parts = pages.parts_of(frame, frame)
    assert parts.keys() == pages.parts().keys()
    assert parts["cells"] == str(len(some))


def test_the_page_states_the_design():
    frame = cells(*a_study())
    parts = pages.parts_of(frame, frame)
    assert parts["samples"] == "1,000 in 7 cells, 4,000 in 1 cell"
    assert parts["error"] == "0.69 (1,000 samples) or 0.34 (4,000 samples)"
    assert (parts["seed"], parts["second seed"]) == ("1", "2")
    assert all(f"| {name} |" in parts["populations"] for name in POPULATIONS)
    assert set(parts["sizes"].split(", ")) == {f"{a}/{b}" for a, b in design.SIZES}
    assert parts["silent cells"] == "3"
    table = parts["by_measure"].splitlines()
    assert table[0] == "| measure | 20/200 | 200/200 |"
    assert "| `PAUCc(fpr=(0, 0.1))` | warned | 95, 95.0 |" in table
    assert "| `AUC()` | refused | 95, 95.0 |" in table


def test_two_seeds_agree_within_their_error():
    first, second = (cells(cell(coverage=c, unwarned_coverage=c)) for c in (95, 94))
    line = pages.agreement(first, second).splitlines()[2]
    error = (100 * (95 * 0.05 + 94 * 0.06) / 1000) ** 0.5
    assert (
        line == f"| coverage | 1 | 1.00 | 1.0 | {np.nan:.2f} | {100.0 * (1 / error > 1.96):.1f} |"
    )
