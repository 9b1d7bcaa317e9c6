"""Measures of fitted curves by `estimate` and `compare`."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

import pauci
from fits import FITS, dmist, hanley_mcneil, two_scores


def height(fit, x):
    """The curve at an FPR, from the definition of the model."""
    z, theta = stats.norm.ppf(x), fit.maximum.theta
    if fit.model.key == "contaminated":
        return (1 - theta[1]) * x + theta[1] * stats.norm.cdf(theta[0] + z)
    return stats.norm.cdf(theta[0] + theta[1] * z)


def test_hanley_and_mcneil():
    fit = pauci.fit_binormal(hanley_mcneil())
    measures = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.1)), pauci.PAUC(fpr=(0, 0.2))]
    es = pauci.estimate(fit, measures)
    assert [e.value for e in es] == pytest.approx([0.911331, 0.065320, 0.147134], abs=1e-6)
    assert [e.se for e in es] == pytest.approx([0.029506, 0.009724, 0.014859], abs=1.1e-6)


@pytest.mark.filterwarnings("ignore::pauci.errors.PoorFitWarning")
@pytest.mark.parametrize(
    ("modality", "auc", "se"), [("film", 0.736972, 0.022417), ("digital", 0.769084, 0.020512)]
)
def test_dmist(modality, auc, se):
    e = pauci.estimate(pauci.fit_binormal(dmist(modality)), pauci.AUC())
    assert (e.value, e.se) == pytest.approx((auc, se), abs=1.1e-6)


@pytest.mark.parametrize("model", ["binormal", "contaminated"])
def test_areas_are_those_by_quadrature(model):
    fit = FITS[model](hanley_mcneil())
    area = integrate.quad(lambda x: height(fit, x), 0, 0.15, epsabs=1e-12)[0]
    top = float(height(fit, 0.15))
    right = top - (0.15 * top - area)
    es = pauci.estimate(
        fit,
        [
            pauci.PAUC(fpr=(0, 0.15)),
            pauci.PAUCx(fpr=(0, 0.15)),
            pauci.PAUCc(fpr=(0, 0.15)),
            pauci.Sensitivity(fpr=0.15),
            pauci.PAUC(fpr=(0, 0.15), normalized=True),
        ],
    )
    wanted = [area, right, (area + right) / 2, top, area / 0.15]
    assert [e.value for e in es] == pytest.approx(wanted, abs=1e-8)
    np.testing.assert_allclose(fit.tpr([0, 0.15, 1]), [0, top, 1], atol=1e-12)


@pytest.mark.filterwarnings("ignore::pauci.errors.PoorFitWarning")
@pytest.mark.long
def test_the_area_of_a_proper_curve_agrees_with_quadrature():
    fit = pauci.fit_proper(dmist("film"))
    grid = np.linspace(0, 1, 400_001)[1:-1]
    heights = fit.tpr(grid)
    assert (np.diff(heights, 2) < 1e-9).all()
    assert integrate.trapezoid([0, *heights, 1], [0, *grid, 1]) == pytest.approx(fit.auc, abs=2e-7)
    assert pauci.estimate(fit, pauci.AUC()).value == pytest.approx(fit.auc, abs=1e-9)


def test_precision_at_a_prevalence_by_quadrature():
    fit = pauci.fit_binormal(hanley_mcneil())
    share = 0.2

    def precision(y):
        x = stats.norm.cdf((stats.norm.ppf(y) - fit.a) / fit.b)
        return share * y / (share * y + (1 - share) * x)

    wanted = integrate.quad(precision, 0, 1, epsabs=1e-11)[0]
    e = pauci.estimate(fit, pauci.AP(prevalence=share))
    assert e.value == pytest.approx(wanted, abs=1e-7)


def test_the_prevalence_of_a_cohort_adds_its_variance():
    fit = pauci.fit_binormal(hanley_mcneil())
    own, given = pauci.estimate(fit, [pauci.AP(), pauci.AP(prevalence=51 / 109)])
    step = 1e-4
    ends = [pauci.estimate(fit, pauci.AP(prevalence=51 / 109 + s * step)).value for s in (1, -1)]
    slope = (ends[0] - ends[1]) / (2 * step)
    added = slope**2 * (51 * 58 / 109**2) / 108
    assert own.value == pytest.approx(given.value, abs=1e-6)
    assert own.se**2 - given.se**2 == pytest.approx(added, rel=1e-3)


def test_standard_errors_are_those_of_the_delta_rule():
    fit = pauci.fit_binormal(hanley_mcneil())
    e = pauci.estimate(fit, pauci.Sensitivity(fpr=0.1))
    z = stats.norm.ppf(0.1)
    slope = stats.norm.pdf(fit.a + fit.b * z) * np.array([1, z])
    assert e.se == pytest.approx(math.sqrt(slope @ fit.cov[:2, :2] @ slope), rel=1e-6)


@pytest.mark.parametrize("model", FITS)
def test_paired_comparisons(model):
    sample = two_scores()
    fits = [FITS[model](s) for s in sample]
    c = pauci.compare(fits, pauci.PAUCc(fpr=(0, 0.3)))
    nonparametric = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.3)))
    assert c.paired
    assert (c.first, c.second) == ("a", "b")
    assert c.correlation == pytest.approx(nonparametric.correlation, abs=0.15)
    each = pauci.estimate(fits, pauci.PAUCc(fpr=(0, 0.3)))
    assert c.se == pytest.approx(math.sqrt([1, -1] @ each.cov @ [1, -1]))
    alone = [pauci.estimate(f, pauci.PAUCc(fpr=(0, 0.3))) for f in fits]
    assert [e.se for e in each] == pytest.approx([e.se for e in alone])
    assert math.isinf(c.df)


def test_a_curve_against_itself_has_no_error():
    fit = pauci.fit_binormal(two_scores()["a"])
    with pytest.warns(pauci.errors.DegenerateWarning):
        c = pauci.compare([fit, fit], pauci.AUC())
    assert (c.difference, c.se, c.pvalue) == (0.0, 0.0, 1.0)
    assert (c.first, c.second) == ("a (binormal) (fit 1)", "a (binormal) (fit 2)")


def test_models_of_the_same_scores_are_compared_as_paired():
    sample = two_scores()["a"]
    c = pauci.compare([pauci.fit_binormal(sample), pauci.fit_contaminated(sample)], pauci.AUC())
    assert (c.first, c.second) == ("a (binormal)", "a (contaminated)")
    assert c.paired
    assert c.correlation > 0.9
    assert "binormal fit; contaminated binormal fit" in " ".join(c.summary().split())


@pytest.mark.filterwarnings("ignore::pauci.errors.PoorFitWarning")
def test_independent_comparisons():
    fits = [pauci.fit_binormal(dmist(m)) for m in ("film", "digital")]
    c = pauci.compare(fits, pauci.AUC())
    assert not c.paired
    assert c.se == pytest.approx(math.hypot(0.022417, 0.020512), abs=2e-6)
    assert c.correlation == 0.0
    cs = pauci.compare([*fits, pauci.fit_proper(hanley_mcneil())], pauci.AUC())
    assert len(cs) == 3


def test_partly_paired_comparisons_are_an_error():
    first = [pauci.fit_binormal(s) for s in two_scores()]
    with pytest.raises(pauci.InputError, match="two curves"):
        pauci.compare([*first, pauci.fit_binormal(hanley_mcneil())], pauci.AUC())
    with pytest.raises(pauci.InputError, match="independent=True is not possible"):
        pauci.compare(first, pauci.AUC(), independent=True)
    with pytest.raises(pauci.InputTypeError, match="single BinormalFit"):
        pauci.compare(first[0], pauci.AUC())
    with pytest.raises(pauci.InputTypeError, match="a Sample"):
        pauci.compare([first[0], two_scores()["a"]], pauci.AUC())
    with pytest.raises(pauci.InputTypeError, match="estimate needs a Sample"):
        pauci.estimate([first[0], two_scores()["a"]], pauci.AUC())


def test_samples_with_equal_labels_issue_a_warning():
    fits = [pauci.fit_binormal(two_scores()[name]) for name in "ab"]
    with pytest.warns(pauci.errors.UnpairedWarning):
        pauci.compare(fits, pauci.AUC())


def test_unsupported_calls_with_fits_are_an_error():
    fit = pauci.fit_binormal(hanley_mcneil())
    with pytest.raises(pauci.InputError, match="has a region of scores"):
        pauci.estimate(fit, pauci.PAUCc(threshold=(3, None)))
    with pytest.raises(pauci.InputError, match="calculated from its likelihood"):
        pauci.estimate(fit, pauci.AUC(), pauci.Bootstrap(99))
    with pytest.raises(pauci.InputError, match="calculated from its likelihood"):
        pauci.compare([fit, fit], pauci.AUC(), variance="delta")
    with pytest.raises(pauci.InputError, match="is a function of rows"):
        pauci.estimate(fit, lambda *_: 0.5)


def test_a_case_control_sample_issues_a_warning_about_the_prevalence():
    frame = pauci.datasets.load_hanley_mcneil()
    columns = (frame[c] for c in ("score", "positives", "negatives"))
    fit = pauci.fit_binormal(pauci.Sample.from_counts(*columns, design="case-control"))
    with pytest.warns(pauci.errors.SamplingRatioWarning):
        e = pauci.estimate(fit, pauci.AP())
    assert e.se == pytest.approx(pauci.estimate(fit, pauci.AP(prevalence=51 / 109)).se, rel=1e-5)


def test_output_of_fits_contains_no_thresholds():
    fit = pauci.fit_binormal(hanley_mcneil())
    measures = [pauci.AUC(), pauci.Sensitivity(fpr=0.1), pauci.PAUCc(fpr=(0, 0.3), tpr=(0.5, 1))]
    es = pauci.estimate(fit, measures)
    text = es.summary() + es.report() + repr([e.region for e in es])
    assert "nan" not in text
    assert "()" not in text
    assert es.to_frame()["threshold_low"].isna().all()
    assert set(es.to_frame()["variance"]) == {"binormal fit"}
