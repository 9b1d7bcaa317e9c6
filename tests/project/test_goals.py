"""The results of the validation study against its goals, in small frames with known counts."""

import numpy as np
import pandas as pd
import pytest

import goals
import run
import study_cells
from design import NON_INFERIORITY
from study_rows import a_test, cell, cells


def found(*rows):
    """Return the goals of some cells by the first words."""
    return {g.words: g for g in goals.goals(cells(*rows))}


def starting(results, words):
    (goal,) = [g for name, g in results.items() if name.startswith(words)]
    return goal


def a_wald_test(**given):
    return a_test(
        **{"rejected": 5, "unwarned_rejected": 5, "wald_rejected": 5, "p_is_1": 0} | given
    )


def test_warnings_are_counted_in_cells_that_cover():
    results = found(
        cell(warned=30, unwarned_coverage=95),
        cell(warned=0),
        cell(warned=90, coverage=90),
        cell(design="clusters of 4-5", warned=5),
        cell(design="folds", warned=40),
    )
    goal = starting(results, "samples with a warning (%) in cells that are right: intervals, ind")
    assert (goal.evaluated, goal.result, goal.met) == (2, "15.0", False)
    assert goal.missing["warned"].tolist() == [30]
    assert starting(
        results, "samples with a warning (%) in cells that are right: intervals, cl"
    ).met
    assert not starting(
        results, "samples with a warning (%) in cells that are right: intervals, oth"
    ).met


def test_cells_below_90_are_a_share_of_the_cells_of_a_design():
    rows = [cell(measure=f"AUC() {i}") for i in range(99)]
    low = cell(unwarned_coverage=85)
    results = found(*rows, low, cell(design="weights 10:1", unwarned_coverage=89))
    goal = starting(results, "cells (%) without a warning that cover less than 90%: independent")
    assert goal.result == "1.00 (1 cells beyond simulation error; estimated without it: 1.00)"
    assert not goal.met
    assert goal.missing["unwarned_coverage"].tolist() == [85]
    goal = starting(results, "cells (%) without a warning that cover less than 90%: clusters or")
    assert goal.result.startswith("100.00 (0 cells beyond simulation error")
    assert found(*rows)[
        "cells (%) without a warning that cover less than 90%: independent rows"
    ].met


def test_the_estimated_share_of_cells_has_no_simulation_error():
    rng = np.random.default_rng(1)
    for low, few in ((0.95, 0.0), (0.6, 10.0)):
        coverage = np.repeat([0.95, low], [1800, 200])
        part = pd.DataFrame({"silent_covered": rng.binomial(60, coverage), "silent": 60})
        observed = 100 * (part["silent_covered"] / 60 < 0.9).mean()
        assert observed > few + 2
        assert study_cells.share_below(part) == pytest.approx(few, abs=0.3)
        assert study_cells.share_below(part, 50.0) == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize(
    ("given", "words", "met"),
    [
        ({}, "regular", False),
        ({"n_pos": 39}, "other", True),
        ({"population": "comb"}, "other", True),
        ({"design": "clusters of 4-5"}, "other", True),
        ({"design": "folds"}, "regular", False),
        ({"unwarned_rejected": 8.5, "population": "comb"}, "other", False),
        ({"second": "shifted", "detail": NON_INFERIORITY, "truth": -0.1}, "regular", False),
    ],
    ids=str,
)
def test_the_size_of_regular_cells_is_smaller(given, words, met):
    results = found(a_wald_test(**{"unwarned_rejected": 7.5, "rejected": 7.5} | given))
    assert starting(results, f"size of tests without a warning (%): {words}").met == met


def test_a_difference_that_is_not_0_is_tested_by_its_interval():
    part = goals.null_tests(
        cells(
            a_wald_test(truth=0.02, rejected=40, unwarned_rejected=40),
            a_wald_test(rejected=6, unwarned_rejected=6),
            a_wald_test(second="shifted", rejected=80),
            a_wald_test(detail=NON_INFERIORITY, rejected=80),
        )
    )
    assert part["unwarned_rejected"].tolist() == [5, 6]


def test_the_power_is_compared_where_the_size_of_wald_is_right():
    point = {"measure": "Sensitivity(fpr=0.1)"}
    results = found(
        a_wald_test(),
        a_wald_test(second="shifted", rejected=40, wald_rejected=45),
        a_wald_test(**point),
        a_wald_test(**point, second="shifted", rejected=40, wald_rejected=45),
        a_wald_test(n_pos=50, wald_rejected=12),
        a_wald_test(n_pos=50, second="shifted", rejected=10, wald_rejected=90),
    )
    assert starting(
        results, "power below that of Wald's test if its size is at most 5.5: areas"
    ).met
    goal = starting(results, "power below that of Wald's test if its size is at most 5.5: points")
    assert goal.result == "5.0, median 5.0, 1 cells"
    assert "power 40.0, Wald 45.0 (size 5.0)" in goals.listed(goal, 3)


def test_no_test_is_certain_of_an_estimate_that_is_not_null():
    words = "p = 1 although"
    assert starting(found(a_wald_test()), words).met
    goal = starting(found(a_wald_test(p_is_1=0.5)), words)
    assert goal.result == "0.5, 1 cells"
    assert not [name for name in found(cell()) if name.startswith(words)]


def test_an_older_file_has_no_wald_tests(tmp_path):
    path = tmp_path / "study.csv"
    columns = [c for c in run.COLUMNS if c not in ("wald_rejected", "p_is_1")]
    pd.DataFrame([a_test()], columns=columns).to_csv(path, index=False)
    frame = study_cells.load(path)
    assert frame["wald_rejected"].isna().all()
    assert goals.summary(goals.goals(frame)).count("\n") >= 3
    run.write(path, run.COLUMNS, run.read(path))
    assert study_cells.load(path).equals(frame)


def test_cells_are_summarized_by_design():
    table = goals.by_design(
        cells(
            cell(),
            cell(design="folds", warned=10),
            a_wald_test(design="folds", unwarned_rejected=6),
            a_wald_test(second="shifted", detail=NON_INFERIORITY, unwarned_rejected=4, truth=-0.1),
        )
    ).splitlines()[2:]
    assert table == [
        "| folds | coverage | 1 | 0 | 95.0 | 95.0 | 95.0 | 10.0 |",
        "| folds | size | 1 | 0 | 6.0 | 6.0 | 6.0 | 0.0 |",
        "| non-inferiority | size | 1 | 0 | 4.0 | 4.0 | 4.0 | 0.0 |",
    ]
