"""Power of the next reader study: a published number, simulation, tables, errors."""

import numpy as np
import pytest
from scipy import stats

import pauci
from reader_studies import published, roe_metz, viper

pytestmark = pytest.mark.filterwarnings("ignore::pauci.ReaderVarianceWarning")
COMPONENTS = {
    "error": 0.0008, "cov1": 0.00035, "cov2": 0.00034, "cov3": 0.00024,
    "reader_by_modality": 0.0002, "cases": 114,
}  # fmt: skip


def test_vandyke():
    """10 readers and 165 cases find the observed effect with a power of .805."""
    m = pauci.mrmc(published("vandyke"), pauci.AUC(), method="jackknife")
    assert round(pauci.mrmc_power(m, readers=10, positives=60, negatives=105), 3) == 0.805


def test_a_pilot_is_its_components():
    m = pauci.mrmc(
        pauci.ReaderStudy.from_frame(roe_metz(np.random.default_rng(5), 4, 25, 30)), pauci.AUC()
    )
    named = {**m.components, "cases": 55}
    a = pauci.mrmc_power(m, 8, 50, 60, difference=0.1)
    assert pauci.mrmc_power(named, 8, 50, 60, difference=0.1) == pytest.approx(a, rel=1e-12)
    (d,) = m.contrasts
    assert pauci.mrmc_power(m, 8, 50, 60) == pytest.approx(
        pauci.mrmc_power(named, 8, 50, 60, difference=d.value), rel=1e-12
    )


@pytest.mark.filterwarnings("ignore::pauci.DegenerateWarning")
def test_the_same_study_again_has_the_variance_of_the_pilot():
    """Noncentrality and degrees of freedom are those of the analysis, where nothing was cut."""
    for seed in range(5, 30):
        frame = roe_metz(np.random.default_rng(seed), 4, 25, 30, spread=(0.1, 0.5, 0.3, 0.2))
        m = pauci.mrmc(pauci.ReaderStudy.from_frame(frame), pauci.AUC())
        if m.components["reader_by_modality"] > 0:
            break
    (d,) = m.contrasts
    critical = stats.t(d.df).isf(0.025)
    shift = d.value / d.se
    expected = stats.nct.sf(critical, d.df, shift) + stats.nct.cdf(-critical, d.df, shift)
    # SciPy 1.13 has five digits of the noncentral t distribution.
    assert pauci.mrmc_power(m, 4, 25, 30) == pytest.approx(expected, rel=1e-5)


def test_one_sided_tests():
    greater = pauci.mrmc_power(COMPONENTS, 8, 50, 64, difference=0.03, alternative="greater")
    less = pauci.mrmc_power(COMPONENTS, 8, 50, 64, difference=-0.03, alternative="less")
    assert greater == pytest.approx(less, rel=1e-9)
    assert greater > pauci.mrmc_power(COMPONENTS, 8, 50, 64, difference=0.03)
    shifted = pauci.mrmc_power(
        COMPONENTS, 8, 50, 64, difference=0.0, null=-0.03, alternative="greater"
    )
    assert shifted == pytest.approx(greater, rel=1e-12)
    assert pauci.mrmc_power(COMPONENTS, 8, 50, 64, difference=0.0) == pytest.approx(0.05, abs=1e-9)


def test_a_table_of_readers_and_cases():
    table = pauci.mrmc_power(COMPONENTS, [5, 10], [30, 60], [50, 100], difference=0.04)
    assert table[["readers", "positives", "negatives"]].to_numpy().tolist() == [
        [5, 30, 50], [5, 60, 100], [10, 30, 50], [10, 60, 100],
    ]  # fmt: skip
    assert table["power"].iloc[0] < table["power"].iloc[1:3].min()
    assert table["power"].iloc[3] > table["power"].iloc[1:3].max()
    one = pauci.mrmc_power(COMPONENTS, 10, 30, 50, difference=0.04)
    assert table["power"].iloc[2] == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"readers": 1}, "readers=1 must be at least 2"),
        ({"readers": 2.5}, "whole number"),
        ({"positives": []}, "holds no number"),
        ({"positives": [10, 20]}, "go together"),
        ({"difference": None}, "difference="),
        ({"alpha": 5}, "strictly between"),
        ({"alternative": "bigger"}, "alternative"),
        ({"pilot": {"error": 1.0}}, "lacks 'cov1'"),
        ({"pilot": {**COMPONENTS, "cov1": 1.0}}, "no study"),
        ({"pilot": 3}, "pilot is a int"),
    ],
)
def test_errors(options, words):
    given = {"pilot": COMPONENTS, "readers": 5, "positives": 30, "negatives": 30,
             "difference": 0.05, **options}  # fmt: skip
    pilot = given.pop("pilot")
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        pauci.mrmc_power(pilot, **given)


def test_pilots_of_other_designs():
    with pytest.raises(pauci.UndefinedError, match="another design"):
        pauci.mrmc_power(pauci.mrmc(viper("challengeMedP"), pauci.AUC()), 5, 30, 30)
    study = pauci.ReaderStudy.from_frame(roe_metz(np.random.default_rng(5), 4, 25, 30))
    fixed = pauci.mrmc(study, pauci.AUC(), readers="fixed")
    with pytest.raises(pauci.UndefinedError, match="both for random"):
        pauci.mrmc_power(fixed, 5, 30, 30)
