"""``--force``: standard errors at a prevalence at which few observations are informative."""

import numpy as np
import pytest

import pauci
from command_line import fails, json_rows, succeeds
from makers import normal_scores


def test_the_command_line_raises_the_error_unless_forced(cli, tmp_path):
    y, s = normal_scores(100, 100, 1)
    sample = pauci.Sample(y, {"a": s, "b": normal_scores(100, 100, 2)[1]})
    path = tmp_path / "scores.csv"
    rows = np.column_stack([sample.rows.positive, *(sample.ratings(n).values for n in "ab")])
    np.savetxt(path, rows, delimiter=",", header="y,a,b", comments="", fmt="%.17g")
    options = f"{path} --label y --score a --score b --measure ap --format json --prevalence"
    for command in ("estimate", "compare"):
        line = f"{command} {options} 0.01"
        fails(
            cli(line),
            "--prevalence 0.01 is too far from that of the sample: effectively k = 1.01 of 100",
            "--prevalence 0.0477 or more",
            "--force",
        )
        status, out, err = cli(f"{line} --force")
        assert status == 0
        assert "ap --prevalence 0.01 of a" in err
        assert json_rows(out)
    counts = tmp_path / "counts.csv"
    counts.write_text("score,positives,negatives\n3,60,5\n2,30,25\n1,10,70\n", encoding="utf-8")
    line = f"counts {counts} --measure maxkappa --prevalence 0.02 --format json"
    fails(cli(line), "--prevalence 0.02 is too far from that of the sample: effectively k = 2.04")
    (record,) = json_rows(cli(f"{line} --force")[1])["estimates"]
    assert record["effective_size"] == pytest.approx(100 * 0.02 / 0.98)
    assert succeeds(cli(f"counts {counts} --measure maxkappa --prevalence 0.3"))


def test_commands_that_always_report_a_standard_error_do_not_accept_force(cli):
    rows = "data/ljubljana_scores.csv --label recurrence --score svm"
    for line in (f"profile {rows}", f"scan {rows} --measure pauc --fpr 0.1 0.3"):
        fails(cli(f"{line} --force"), "--force")
