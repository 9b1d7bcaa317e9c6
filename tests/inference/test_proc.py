"""Agreement with R's pROC: values, DeLong variances and test statistics. See data/README.md."""

import json
from pathlib import Path

import pytest
from scipy.stats import norm

import pauci
from pauci.measures import AUC, PAUC, SPA, PAUCx

PROC = json.loads((Path(__file__).parents[1] / "data" / "proc.json").read_text(encoding="utf-8"))
CLASSIFIERS = [(case, name) for case, c in PROC["cases"].items() for name in c["classifiers"]]
PAIRS = [(case, i) for case, c in PROC["cases"].items() for i in range(len(c["pairs"]))]
pytestmark = pytest.mark.usefixtures("quiet")


def sample_of(case):
    data = PROC["cases"][case]
    return pauci.Sample(data["labels"], data["scores"])


@pytest.mark.parametrize(("case", "name"), CLASSIFIERS)
def test_auc_and_its_delong_variance_and_interval(case, name):
    expected = PROC["cases"][case]["classifiers"][name]
    e = pauci.estimate(sample_of(case)[name], AUC())
    assert e.value == pytest.approx(expected["auc"], rel=1e-12)
    assert e.se**2 == pytest.approx(expected["delong_var"], rel=1e-12)
    if e.se > 0:
        low, high = e.interval(kind="wald")
        ci = expected["delong_ci95"]
        assert (max(low, 0), min(high, 1)) == pytest.approx((ci["lower"], ci["upper"]), rel=1e-12)


@pytest.mark.parametrize(("case", "name"), CLASSIFIERS)
@pytest.mark.parametrize(("axis", "measure"), [("fpr", PAUC), ("tpr", PAUCx)])
def test_partial_areas_in_both_foci_and_mcclishs_scaling(case, name, axis, measure):
    """pROC returns NA below the diagonal, where the formula is also valid."""
    for region in PROC["cases"][case]["classifiers"][name][f"pauc_{axis}"]:
        bounds = {axis: (region["lo"], region["hi"])}
        e = pauci.estimate(sample_of(case)[name], measure(**bounds))
        assert e.value == pytest.approx(region["area"], rel=1e-12, abs=1e-15)
        scaled = pauci.estimate(sample_of(case)[name], SPA(**bounds)).value
        if region["corrected"] is None:
            assert scaled < 0.5
        else:
            assert scaled == pytest.approx(region["corrected"], rel=1e-12)


@pytest.mark.parametrize(("case", "index"), PAIRS)
def test_paired_delong(case, index):
    """The statistic and its parts agree; pROC uses the normal, and pauci a t distribution."""
    pair = PROC["cases"][case]["pairs"][index]
    c = pauci.compare(sample_of(case), AUC(), pair=(pair["first"], pair["second"]))
    assert c.statistic == pytest.approx(pair["z"], rel=1e-12)
    assert 2 * norm.sf(abs(c.statistic)) == pytest.approx(pair["p_value"], rel=1e-11)
    ci, margin = pair["diff_ci95"], norm.ppf(0.975) * c.se
    ends = c.difference - margin, c.difference + margin
    assert ends == pytest.approx((ci["lower"], ci["upper"]), rel=1e-11, abs=1e-13)
    low, high = c.interval()
    assert low < ci["lower"] < ci["upper"] < high
    a, b = c.estimates
    assert c.correlation * a.se * b.se == pytest.approx(pair["delong_cov"], rel=1e-12)


@pytest.mark.parametrize("test", PROC["unpaired"], ids=lambda t: t["first"]["case"])
def test_unpaired_delong(test):
    """The statistic agrees; pROC computes df from numbers of rows, pauci from influence values."""
    samples = [sample_of(t["case"])[t["classifier"]] for t in (test["first"], test["second"])]
    c = pauci.compare(samples, AUC())
    assert c.statistic == pytest.approx(test["D"], rel=1e-12)
    assert c.pvalue == pytest.approx(test["p_value"], abs=0.01)


def test_analytic_standard_errors_are_near_the_bootstraps_of_proc():
    """The tolerance is wide because the bootstrap is inexact for 41 and 72 rows (0.93 to 1.10)."""
    boot = PROC["bootstrap"]
    sample = sample_of(boot["case"])
    for region in boot["regions"]:
        m = PAUC(fpr=(region["lo"], region["hi"]))
        for name, expected in region["classifiers"].items():
            assert pauci.estimate(sample[name], m).se == pytest.approx(expected["se"], rel=0.12)
        paired = region["paired_difference"]
        c = pauci.compare(sample, m, pair=(paired["first"], paired["second"]))
        assert c.se == pytest.approx(paired["sd"], rel=0.12)


def test_bootstrap_standard_errors_are_those_of_proc():
    """Both are simulated with 10,000 replicates: each is right within about 1%."""
    boot = PROC["bootstrap"]
    sample = sample_of(boot["case"])
    options = pauci.Bootstrap(10_000, "stratified", rng=1)
    for region in boot["regions"]:
        m = PAUC(fpr=(region["lo"], region["hi"]))
        for name, expected in region["classifiers"].items():
            e = pauci.estimate(sample[name], m, options)
            assert e.se == pytest.approx(expected["se"], rel=0.04)
        paired = region["paired_difference"]
        pair = paired["first"], paired["second"]
        c = pauci.compare(sample, m, pair=pair, variance=options)
        assert c.se == pytest.approx(paired["sd"], rel=0.04)
