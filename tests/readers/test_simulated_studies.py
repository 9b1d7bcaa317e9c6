"""Simulated studies, compared with an independent analysis in R (`tests/data/readers`).

The studies have the structure of published studies that may not be redistributed.
`test_published.py` uses the published data if they are available next to the checkout.
"""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f, norm, t

import pauci
from pauci.readers.contrasts import covariance_of, difference_of, kernels_of
from reader_studies import only
from simulate_rule import PlainInfluence

DATA = Path(__file__).parents[1] / "data" / "readers"
R = json.loads((DATA / "analyse.json").read_text(encoding="utf-8"))
PART = pauci.PAUC(fpr=(0, 0.2))
EXACT = 1e-8
"""R differentiates by differences; its numbers have about ten digits."""

quietly = pytest.mark.filterwarnings("ignore::pauci.errors.SmallRegionWarning")


def study(name):
    return pauci.ReaderStudy.from_frame(pd.read_csv(DATA / f"{name}.csv"))


def assert_pair(row, expected):
    """Check that a row of differences has the results of R."""
    assert row["difference"] == pytest.approx(expected["difference"], rel=EXACT)
    assert row["se"] == pytest.approx(expected["se"], rel=EXACT)
    assert row["df"] == pytest.approx(expected["df"], rel=EXACT)
    if "p" in expected:
        assert row["pvalue"] == pytest.approx(expected["p"], rel=EXACT)
        ends = expected["low"], expected["high"]
        assert (row["low"], row["high"]) == pytest.approx(ends, rel=EXACT)
    assert row["se_fixed_readers"] == pytest.approx(expected["se_fixed_readers"], rel=EXACT)


def assert_components(m, expected):
    for name in (
        "error",
        "cov1",
        "cov2",
        "cov3",
        "ms_reader",
        "ms_reader_by_modality",
        "reader",
        "reader_by_modality",
    ):
        if name in expected:
            assert m.components[name] == pytest.approx(expected[name], rel=1e-7), name


@quietly
@pytest.mark.parametrize(
    ("measure", "method", "key"),
    [
        (pauci.AUC(), "influence", "factorial_auc"),
        (pauci.AUC(), "jackknife", "factorial_auc_jackknife"),
        (PART, PlainInfluence(), "factorial_partial"),
        (PART, "jackknife", "factorial_partial_jackknife"),
    ],
)
def test_a_factorial_study(measure, method, key):
    expected, s = R[key], study("factorial")
    assert s.design == "factorial"
    m = pauci.mrmc(s, measure, method=method)
    assert m.estimates["value"].tolist() == pytest.approx(expected["means"], rel=EXACT)
    assert_pair(only(m), expected)
    assert_components(m, expected)
    assert m.test().pvalue == pytest.approx(expected["p"], rel=EXACT)
    fixed = only(pauci.mrmc(s, measure, readers="fixed", method=method))
    assert fixed["se"] == pytest.approx(expected["se_fixed_readers"], rel=EXACT)
    # MRMCaov uses the normal distribution.
    assert 2 * norm.sf(abs(fixed["statistic"])) == pytest.approx(
        expected["p_fixed_readers"], rel=1e-7
    )
    assert fixed["pvalue"] == pytest.approx(2 * t.sf(abs(fixed["statistic"]), fixed["df"]))
    wide = pd.read_csv(DATA / "factorial.csv").pivot_table(
        index=["case", "label"], columns=["modality", "reader"], values="score"
    )
    weights = [(1 if m == wide.columns[0][0] else -1) / (wide.shape[1] / 2) for m, _ in wide]
    sample = pauci.Sample(
        wide.index.get_level_values("label"), {str(c): wide[c].to_numpy() for c in wide}
    )
    over_rows = pauci.Jackknife(by_class=False) if method == "jackknife" else method
    es = pauci.estimate(sample, measure, over_rows)
    assert fixed["df"] == pytest.approx(es.contrast(weights).df, rel=1e-9)
    cases = only(pauci.mrmc(s, measure, cases="fixed", method=method))
    assert cases["se"] == pytest.approx(expected["se_fixed_cases"], rel=EXACT)
    assert cases["df"] == 4
    assert cases["pvalue"] == pytest.approx(expected["p_fixed_cases"], rel=EXACT)


def test_a_study_of_one_modality():
    expected = R["one_modality"]
    frame = pd.read_csv(DATA / "factorial.csv")
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(frame[frame["modality"] == 2]), pauci.AUC())
    (row,) = m.estimates.to_dict("records")
    assert (row["value"], row["se"]) == pytest.approx((expected["mean"], expected["se"]), rel=EXACT)
    assert row["df"] == pytest.approx(expected["df"], rel=EXACT)
    assert_components(m, expected)


@quietly
@pytest.mark.parametrize("name", ["factorial", "split_plot"])
def test_the_u_statistic(name):
    expected = R[f"{name}_u"]
    row = only(pauci.mrmc(study(name), pauci.AUC(), method="u-statistic"))
    assert row["difference"] == pytest.approx(expected["difference"], rel=1e-12)
    assert row["se"] ** 2 == pytest.approx(expected["variance"], rel=1e-10)


def test_readers_who_differ_less_than_the_cases_explain():
    """The variance is smaller with random than with fixed readers; the U-statistic is negative."""
    s, expected = study("agreeing"), R["agreeing_auc"]
    m = pauci.mrmc(s, pauci.AUC())
    assert_pair(only(m), expected)
    assert_components(m, expected)
    assert "negative reader component" in " ".join(m.summary().split())
    row = only(pauci.mrmc(s, pauci.AUC(), conservative=True))
    assert row["se"] == pytest.approx(expected["se_fixed_readers"], rel=EXACT)
    assert row["df"] == pytest.approx(expected["df_conservative"], rel=1e-7)
    assert only(m)["df"] == pytest.approx(3)
    cells = [[c for c in s.cells if c.modality == k] for k in (0, 1)]
    first, second = (kernels_of(s, c, np.full(4, 0.25)) for c in cells)
    u = difference_of(
        covariance_of(first, first), covariance_of(second, second), covariance_of(first, second)
    )
    assert u.covariance == pytest.approx(R["agreeing_u"]["variance"], rel=1e-9)
    assert u.covariance < 0
    row = only(pauci.mrmc(s, pauci.AUC(), method="u-statistic"))
    assert row["se"] == pytest.approx(expected["se_fixed_readers"], rel=EXACT)


@quietly
def test_three_modalities_of_which_one_has_other_cases():
    s, expected = study("three_modalities"), R["three_auc"]
    assert s.design == "factorial, cases partly crossed with modalities"
    m = pauci.mrmc(s, pauci.AUC())
    assert m.estimates["value"].tolist() == pytest.approx(expected["means"], rel=EXACT)
    for (a, b), row in zip(((1, 2), (1, 3), (2, 3)), m.differences.to_dict("records"), strict=True):
        assert (row["first"], row["second"]) == (str(a), str(b))
        assert_pair(row, R[f"three_{a}_{b}"])
    assert_components(m, expected)
    test = m.test()
    assert (test.statistic, test.df, test.df_denominator, test.pvalue) == pytest.approx(
        (expected["f"], 2, expected["df_denominator"], expected["p"]), rel=EXACT
    )
    wald = pauci.mrmc(s, pauci.AUC(), readers="fixed").test()
    nu = wald.df_denominator + 1
    hotelling = expected["wald"] * (nu - 1) / (2 * nu)
    assert (wald.statistic, wald.df) == pytest.approx((hotelling, 2), rel=EXACT)
    assert wald.pvalue == pytest.approx(f.sf(hotelling, 2, nu - 1), rel=EXACT)


@quietly
def test_a_split_plot_study_with_missing_readings():
    s = study("split_plot")
    assert "split-plot (2 blocks)" in s.design
    assert "missing" in s.design
    assert_pair(only(pauci.mrmc(s, pauci.AUC())), R["split_plot_auc"])


# Curves fitted to the ratings of one reader


def first_reader():
    frame = pd.read_csv(DATA / "factorial.csv")
    chosen = frame[(frame["reader"] == 1) & (frame["modality"] == 1)]
    return pauci.Sample.from_frame(chosen, label="label", scores="score")


@pytest.mark.parametrize(
    ("fit", "key"), [(pauci.fit_binormal, "binormal"), (pauci.fit_contaminated, "contaminated")]
)
def test_curves_fitted_to_ratings(fit, key):
    """R maximizes over all parameters, with numerical derivatives."""
    expected, found = R[key], fit(first_reader())
    assert found.maximum.theta == pytest.approx((expected["first"], expected["second"]), abs=2e-5)
    assert found.se == pytest.approx((expected["se_first"], expected["se_second"]), rel=2e-4)
    assert found.loglik == pytest.approx(expected["loglik"], abs=1e-8)
    assert found.auc == pytest.approx(expected["auc"], abs=5e-6)
    assert pauci.estimate(found, pauci.AUC()).se == pytest.approx(expected["auc_se"], rel=2e-4)


@quietly
def test_a_standalone_algorithm_has_only_the_variance_of_cases():
    """Its error is that of its cell, and 0 if cases are fixed."""
    frame = pd.read_csv(DATA / "factorial.csv")
    machine = frame[(frame["modality"] == 2) & (frame["reader"] == 1)]
    people = frame[frame["modality"] == 1]
    s = pauci.ReaderStudy.from_frame(
        pd.concat([people, machine.assign(reader="AI", modality="AI")])
    )
    random = pauci.mrmc(s, pauci.AUC(), standalone="AI")
    fixed = pauci.mrmc(s, pauci.AUC(), standalone="AI", cases="fixed")
    rows = [m.estimates.set_index("modality") for m in (random, fixed)]
    cell = next(c for c in random.cells if c.reader == "AI")
    assert rows[0].loc["AI", "se"] == pytest.approx(cell.se, rel=1e-12)
    assert rows[1].loc["AI", "se"] == 0.0
    values = [c.value for c in random.cells if c.reader != "AI"]
    among = np.std(values, ddof=1) / math.sqrt(5)
    assert rows[1].loc["1", "se"] == pytest.approx(among, rel=1e-12)
    assert only(fixed)["se"] == pytest.approx(among, rel=1e-12)
    assert only(fixed)["df"] == pytest.approx(4)
