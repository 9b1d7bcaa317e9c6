"""Results of other software for VanDyke, Franken and Kundel, and of iMRMC for VIPER."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pauci
from pauci.readers.contrasts import covariance_of, difference_of, kernels_of
from reader_studies import only, published, viper
from simulate_rule import PlainInfluence

PAUC = pauci.PAUC(fpr=(0, 0.2))
STUDIES = ["screeningLowP", "screeningMedP", "screeningHighP", "challengeMedP", "challengeHighP"]


def test_vandyke():
    m = pauci.mrmc(published("vandyke"), pauci.AUC())
    assert m.estimates["value"].round(7).tolist() == [0.8970370, 0.9408374]
    row = only(m)
    assert (row["first"], row["second"]) == ("1", "2")
    assert row["difference"] == pytest.approx(-0.043800322, abs=5e-10)
    assert row["se"] == pytest.approx(0.0206825048, abs=5e-11)
    assert row["df"] == pytest.approx(15.066108, abs=5e-7)
    assert row["pvalue"] == pytest.approx(0.0512330308, abs=5e-11)
    assert (row["low"], row["high"]) == pytest.approx((-0.0878671960, 0.0002665519), abs=5e-11)
    expected = {
        "error": 0.0007921325,
        "cov1": 0.0003420090,
        "cov2": 0.0003395265,
        "cov3": 0.0002358497,
    }
    for name, value in expected.items():
        assert m.components[name] == pytest.approx(value, abs=5e-11)
    test = m.test()
    assert test.pvalue == pytest.approx(row["pvalue"], rel=1e-12)
    assert test.statistic == pytest.approx(row["statistic"] ** 2, rel=1e-12)


def test_vandyke_with_a_fixed_factor():
    study = published("vandyke")
    fixed = only(pauci.mrmc(study, pauci.AUC(), readers="fixed", method="jackknife"))
    assert fixed["se"] == pytest.approx(0.01871748, abs=5e-9)
    assert 1 < fixed["df"] < study.n_pos + study.n_neg
    cases = only(pauci.mrmc(study, pauci.AUC(), cases="fixed"))
    assert cases["se"] == pytest.approx(0.01484629, abs=5e-9)
    assert cases["df"] == 4
    assert cases["pvalue"] == pytest.approx(0.04195875, abs=5e-9)


@pytest.mark.parametrize(
    ("method", "se", "df", "p"),
    [
        pytest.param("jackknife", 0.00756497, 11.6435, 0.0447820, id="jackknife"),
        pytest.param(PlainInfluence(), 0.0075417, 11.5012, 0.0444962, id="plain"),
    ],
)
def test_vandyke_partial_area(method, se, df, p):
    row = only(pauci.mrmc(published("vandyke"), PAUC, method=method))
    assert row["difference"] == pytest.approx(-0.01700704, abs=5e-9)
    assert row["se"] == pytest.approx(se, abs=5e-9 if method == "jackknife" else 5e-8)
    assert row["df"] == pytest.approx(df, abs=5e-5)
    assert row["pvalue"] == pytest.approx(p, abs=5e-8)


def test_vandyke_u_statistic():
    row = only(pauci.mrmc(published("vandyke"), pauci.AUC(), method="u-statistic"))
    assert row["se"] ** 2 == pytest.approx(0.000427312517, abs=5e-13)


def test_franken_has_a_note_and_supports_the_larger_error():
    study = published("franken")
    m = pauci.mrmc(study, pauci.AUC())
    row = only(m)
    assert row["se"] == pytest.approx(0.00501012, abs=5e-9)
    assert row["df"] == pytest.approx(3)
    assert row["se_fixed_readers"] == pytest.approx(0.01789174, abs=5e-9)
    assert "negative reader component" in " ".join(m.summary().split())
    larger = pauci.mrmc(study, pauci.AUC(), conservative=True)
    assert only(larger)["se"] == pytest.approx(0.01789174, abs=5e-9)
    assert only(larger)["df"] > 100
    u = pauci.mrmc(study, pauci.AUC(), method="u-statistic")
    assert only(u)["se"] == pytest.approx(0.01789174, abs=5e-9)


def test_franken_u_statistic_is_negative():
    study = published("franken")
    cells = [[c for c in study.cells if c.modality == m] for m in (0, 1)]
    first, second = (kernels_of(study, c, np.full(4, 0.25)) for c in cells)
    u = difference_of(
        covariance_of(first, first), covariance_of(second, second), covariance_of(first, second)
    )
    assert u.covariance == pytest.approx(-3.16137071e-05, abs=5e-14)


def test_kundel_has_the_variance_of_each_pair():
    study = published("kundel")
    assert study.design == "factorial, cases partly crossed with modalities"
    rows = pauci.mrmc(study, pauci.AUC()).differences
    row = rows[(rows["first"] == "2") & (rows["second"] == "3")].iloc[0]
    assert row["difference"] == pytest.approx(-0.03748694, abs=5e-9)
    assert row["se"] == pytest.approx(0.01529664, abs=5e-9)
    assert row["df"] == pytest.approx(3)
    assert row["pvalue"] == pytest.approx(0.0916252, abs=5e-8)
    others = rows[(rows["first"] == "1")]["se"]
    assert (others > 2 * row["se"]).all()


@pytest.mark.parametrize("name", STUDIES)
def test_viper_is_that_of_imrmc(name):
    stored = pd.read_csv(Path(__file__).parents[1] / "data" / "viper_imrmc_365.csv")
    stored = stored[stored["study"] == name].to_dict("records")
    m = pauci.mrmc(viper(name), pauci.AUC(), method="u-statistic")
    for estimate, row in zip(m.estimates.to_dict("records"), stored, strict=False):
        assert estimate["value"] == pytest.approx(row["AUCA"], abs=6e-10)
        assert estimate["se"] ** 2 == pytest.approx(row["varAUCA"], rel=6e-9)
        assert estimate["df"] == pytest.approx(row["dfBDG"], rel=6e-9)
    row, both = only(m), stored[2]
    assert row["difference"] == pytest.approx(both["AUCAminusAUCB"], abs=6e-10)
    assert row["se"] ** 2 == pytest.approx(both["varAUCAminusAUCB"], rel=6e-9)
    assert row["df"] == pytest.approx(both["dfBDG"], rel=6e-9)
    # The reference takes whole degrees of freedom, and the normal distribution beyond 50.
    df = row["df"]
    tail = stats.norm if df > 50 else stats.t(int(df))
    assert 2 * tail.sf(abs(row["statistic"])) == pytest.approx(both["pValueBDG"], rel=1e-7)
    assert row["pvalue"] == pytest.approx(2 * stats.t(df).sf(abs(row["statistic"])), rel=1e-12)


@pytest.mark.parametrize("name", STUDIES)
def test_viper_by_influence_agrees_with_the_u_statistic(name):
    """Another formula for the variance of the same weighted averages: within 20%."""
    study = viper(name)
    u = only(pauci.mrmc(study, pauci.AUC(), method="u-statistic"))
    row = only(pauci.mrmc(study, pauci.AUC(), weights="pairs"))
    assert row["difference"] == pytest.approx(u["difference"], rel=1e-12)
    assert row["se"] == pytest.approx(u["se"], rel=0.2)
