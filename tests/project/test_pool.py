"""Pooled runs of the validation study with different seeds."""

import numpy as np

from cells import Tally
from pool import pooled


def row_of(tally):
    return {k: str(v) for k, v in {**tally.row(), **tally.rejections(), "measure": "AUC()"}.items()}


def test_pooled_counts_are_those_of_one_run_with_all_samples():
    rng = np.random.default_rng(7)
    parts, whole = [Tally(0.8), Tally(0.8)], Tally(0.8)
    for i in range(900):
        value, se = rng.normal(0.8, 0.05), rng.uniform(0.03, 0.06)
        caught = list(rng.choice(["A", "B"], rng.integers(0, 3), replace=False))
        p = rng.random() / 4.0
        for tally in (parts[i % 3 == 0], whole):
            tally.add(value, se, value - 1.5 * se, value + 1.5 * se, "logit", sorted(caught))
            tally.add_test(p, caught)
    rows = [row_of(tally) for tally in parts]
    together, expected = pooled(rows), row_of(whole)
    averaged = {"bias_in_sd", "se_to_sd", "width", "median_width"}
    assert {k: v for k, v in together.items() if k not in averaged} == {
        k: v for k, v in expected.items() if k not in averaged
    }
    for name in averaged:
        assert np.isclose(float(together[name]), float(expected[name]), atol=0.02)


def test_a_cell_without_silent_samples_has_no_silent_coverage():
    always, never = Tally(0.5), Tally(0.5)
    for _ in range(10):
        always.add(0.5, 0.1, 0.4, 0.6, "logit", ["A"])
        never.add(0.5, 0.1, 0.6, 0.7, "logit", [])
    rows = [row_of(always), row_of(never)]
    assert pooled([rows[0], rows[0]])["unwarned_coverage"] == ""
    assert pooled(rows)["unwarned_coverage"] == "0"
    assert pooled(rows)["coverage"] == "50"
