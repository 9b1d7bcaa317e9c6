"""Fits compared with other software, and with a maximization without derivatives."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import pauci
from fits import FITS, dmist, hanley_mcneil

SHARED = Path(__file__).parents[3] / "shared" / "data"


def van_dyke(reader, treatment):
    path = SHARED / "vandyke.csv"
    if not path.exists():
        pytest.skip("the data of Van Dyke et al. have no licence to be copied here")
    frame = pd.read_csv(path)
    chosen = frame[(frame["reader"] == reader) & (frame["treatment"] == treatment)]
    return pauci.Sample.from_frame(chosen, label="truth", scores="rating")


def test_hanley_and_mcneil():
    fit = pauci.fit_binormal(hanley_mcneil())
    assert (fit.a, fit.b) == pytest.approx((1.656782, 0.713002), abs=1e-6)
    assert fit.se == pytest.approx((0.310456, 0.215882), abs=1e-6)
    assert fit.loglik == pytest.approx(-123.648553, abs=1e-6)
    assert fit.auc == pytest.approx(0.911331, abs=1e-6)
    assert fit.thresholds == (2, 3, 4, 5)


@pytest.mark.parametrize(
    ("modality", "a", "b", "auc"),
    [("film", 0.720425, 0.539498, 0.736972), ("digital", 0.859109, 0.602598, 0.769084)],
)
def test_dmist(modality, a, b, auc):
    fit = pauci.fit_binormal(dmist(modality))
    # The published a of the digital images is cut off, not rounded.
    assert (fit.a, fit.b, fit.auc) == pytest.approx((a, b, auc), abs=1.1e-6)
    if modality == "film":
        assert fit.se == pytest.approx((0.084986, 0.033680), abs=1e-6)


def test_van_dyke_binormal():
    fit = pauci.fit_binormal(van_dyke(1, 1))
    assert (fit.a, fit.b, fit.auc) == pytest.approx((1.702151, 0.536773, 0.933160), abs=1e-5)
    assert pauci.estimate(fit, pauci.AUC()).se == pytest.approx(0.029863, abs=2e-6)


def test_van_dyke_contaminated():
    fit = pauci.fit_contaminated(van_dyke(1, 1))
    assert (fit.mu, fit.alpha, fit.auc) == pytest.approx((3.112787, 0.883147, 0.929328), abs=3e-6)
    assert pauci.estimate(fit, pauci.AUC()).se == pytest.approx(0.027189, abs=2e-6)


@pytest.mark.parametrize("fit", [pauci.fit_binormal, pauci.fit_contaminated, pauci.fit_proper])
def test_van_dyke_without_interior_points(fit):
    with pytest.raises(pauci.UndefinedError, match="on a side of the unit square"):
        fit(van_dyke(4, 2))


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_ratings_without_interior_points(fit):
    """Only one category contains both classes, as in a reading of VanDyke."""
    sample = pauci.Sample.from_counts(range(5), [0, 0, 1, 6, 38], [44, 21, 4, 0, 0])
    with pytest.raises(pauci.UndefinedError, match="on a side of the unit square"):
        fit(sample)


# A likelihood written from the definition, maximised without derivatives


def survival(model, t, theta):
    """Return the proportions of both classes above a threshold, from the model definitions."""
    a, b = theta
    if model == "contaminated":
        return (1 - b) * stats.norm.sf(t) + b * stats.norm.sf(t, loc=a), stats.norm.sf(t)
    return stats.norm.sf(t, loc=a / b, scale=1 / b), stats.norm.sf(t)


def proper_survival(t, theta):
    """Return the proportions of two normal classes with at least the likelihood ratio at t."""
    a, b = theta
    mean, sd = a / b, 1 / b
    # log f1/f0 is a parabola: where it exceeds its value at t lies between or beyond two roots.
    centre = mean / (1 - sd**2)
    low, high = sorted((t, 2 * centre - t))
    inside = [
        stats.norm.cdf(high, m, s) - stats.norm.cdf(low, m, s) for m, s in ((mean, sd), (0, 1))
    ]
    return inside if sd < 1 else [1 - p for p in inside]


def minus_loglik(parameters, model, pos, neg):
    theta, cuts = parameters[:2], np.cumsum([parameters[2], *np.exp(parameters[3:])])
    one = proper_survival if model == "proper" else lambda t, th: survival(model, t, th)
    shares = np.array([(1, 1), *(one(t, theta) for t in cuts), (0, 0)])
    p = -np.diff(shares, axis=0)
    if (p <= 0).any() or theta[1] <= 0:
        return 1e10
    return -(pos @ np.log(p[:, 0]) + neg @ np.log(p[:, 1]))


@pytest.mark.parametrize("model", FITS)
@pytest.mark.parametrize(
    ("pos", "neg"),
    [
        ([3, 2, 2, 11, 33], [33, 6, 6, 11, 2]),
        ([14, 6, 8, 14], [40, 12, 9, 3]),
        ([5, 12, 33], [30, 20, 5]),
    ],
)
def test_fits_agree_with_a_maximization_without_derivatives(model, pos, neg):
    fit = FITS[model](pauci.Sample.from_counts(range(len(pos)), pos, neg))
    theta = fit.maximum.theta
    start = [*theta, fit.cuts[0] + 0.02, *np.log(np.diff(fit.cuts))]
    start[0] += 0.02
    arguments = model, np.array(pos), np.array(neg)
    options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-9, "fatol": 1e-12, "adaptive": True}
    found = optimize.minimize(minus_loglik, start, arguments, "Nelder-Mead", options=options)
    assert fit.loglik >= -found.fun - 1e-9
    assert fit.loglik == pytest.approx(-found.fun, abs=1e-7)
    assert theta == pytest.approx(tuple(found.x[:2]), abs=2e-4)


@pytest.mark.parametrize("model", FITS)
def test_the_information_is_the_second_derivative_of_the_likelihood(model):
    pos, neg = np.array([14, 6, 8, 14]), np.array([40, 12, 9, 3])
    fit = FITS[model](pauci.Sample.from_counts(range(4), pos, neg))
    at = np.array([*fit.maximum.theta, *fit.cuts])

    def value(x):
        return minus_loglik([*x[:3], *np.log(np.diff(x[2:]))], model, pos, neg)

    n, h = at.size, 1e-3
    hessian = np.empty((n, n))
    for i, j in np.ndindex(n, n):
        e, f = np.eye(n)[i] * h, np.eye(n)[j] * h
        hessian[i, j] = value(at + e + f) - value(at + e - f) - value(at - e + f)
        hessian[i, j] = (hessian[i, j] + value(at - e - f)) / (4 * h * h)
    info = fit.maximum.information
    of_cuts = (
        np.diag(info.diagonal) + np.diag(info.off_diagonal, 1) + np.diag(info.off_diagonal, -1)
    )
    whole = np.block([[info.corner, info.border.T], [info.border, of_cuts]])
    np.testing.assert_allclose(whole, hessian, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(fit.cov, np.linalg.inv(whole), atol=1e-12)
    np.testing.assert_allclose(fit.cov_parameters, fit.cov[:2, :2], rtol=1e-12)


def test_with_b_one_it_is_an_ordered_probit():
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    from pauci.fits.likelihood import Binormal, maximize

    counts = np.array([[14, 6, 8, 14], [40, 12, 9, 3]])
    rating = np.concatenate([np.repeat(range(4), row) for row in counts])
    truth = np.repeat([1.0, 0.0], counts.sum(axis=1))
    probit = OrderedModel(rating, truth[:, None], distr="probit").fit(method="bfgs", disp=False)
    found = maximize(counts.astype(float), Binormal(), (1.0, 1.0), (True, False))
    assert found.theta[0] == pytest.approx(probit.params[0], abs=1e-4)
    assert found.loglik == pytest.approx(probit.llf, abs=1e-7)
    assert found.efficient[0, 0] ** -0.5 == pytest.approx(probit.bse[0], rel=1e-4)


def test_the_likelihood_of_a_contaminated_curve_may_be_largest_at_the_end():
    sample = pauci.Sample.from_counts(range(4), [5, 9, 8, 14], [40, 12, 9, 3])
    with pytest.warns(pauci.errors.DegenerateWarning, match="maximum at alpha = 1"):
        fit = pauci.fit_contaminated(sample)
    assert fit.alpha == 1.0
    assert fit.se[1] == 0.0
    assert fit.cov[1].tolist() == [0.0] * 5
    assert fit.goodness.df == 2
    assert "treat alpha as known" in " ".join(fit.summary().split())
    inside = [
        -minus_loglik(
            [fit.mu, alpha, fit.cuts[0], *np.log(np.diff(fit.cuts))],
            "contaminated",
            np.array([5, 9, 8, 14]),
            np.array([40, 12, 9, 3]),
        )
        for alpha in (1.0, 0.999, 0.9)
    ]
    assert inside[0] == pytest.approx(fit.loglik)
    assert inside == sorted(inside, reverse=True)


def test_points_that_no_concave_curve_with_finite_parameters_fits_best():
    sample = pauci.Sample.from_counts(range(3), [20, 10, 20], [30, 25, 5])
    with pytest.raises(pauci.UndefinedError, match=r"no maximum \(it was .* at mu = 7"):
        pauci.fit_contaminated(sample)
    assert pauci.fit_binormal(sample).goodness.df == 0


def test_a_proper_curve_whose_likelihood_is_flat_is_undefined():
    crossing = pauci.Sample.from_counts(range(3), [20, 15, 15], [5, 40, 15])
    with pytest.raises(pauci.UndefinedError, match="flat near a = 0"):
        pauci.fit_proper(crossing)


@pytest.mark.filterwarnings("ignore::pauci.errors.PoorFitWarning")
@pytest.mark.parametrize(
    ("pos", "neg"),
    [([17, 17, 35, 42, 89], [53, 62, 55, 28, 2]), ([20, 10, 20], [30, 25, 5])],
)
def test_the_likelihood_of_a_proper_curve_may_be_largest_at_a_0(pos, neg):
    from pauci.fits.likelihood import Proper, maximize

    with pytest.warns(pauci.errors.DegenerateWarning, match="maximum at a = 0"):
        fit = pauci.fit_proper(pauci.Sample.from_counts(range(len(pos)), pos, neg))
    assert fit.a == 0.0
    assert fit.se[0] == 0.0
    assert "treat a as known" in " ".join(fit.summary().split())
    counts = np.array([pos, neg], dtype=float)
    profile = [
        maximize(counts, Proper(), (a, fit.b), (False, True)).loglik for a in (0.05, 0.2, 0.5)
    ]
    assert max(profile) < fit.loglik
    # The curve of scores N(0, 1) and N(0, 1/b^2), of which both tails count.
    x = np.array([0.01, 0.2, 0.7])
    both_tails = 2 * stats.norm.sf(fit.b * stats.norm.isf(x / 2))
    np.testing.assert_allclose(fit.tpr(x), both_tails, atol=1e-9)
    e = pauci.estimate(fit, pauci.AUC())
    assert e.value == pytest.approx(fit.auc, abs=1e-8)
    assert 0.0 < e.se < 0.06


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_a_parameter_at_its_bound_has_no_variance_with_weights():
    y, rating = (
        np.repeat([1, 0], [36, 64]),
        np.concatenate([np.repeat(range(4), [5, 9, 8, 14]), np.repeat(range(4), [40, 12, 9, 3])]),
    )
    nearly_equal = 2.0 + 1e-9 * (np.arange(100) % 2)
    fit = pauci.fit_contaminated(pauci.Sample(y, rating, weight=nearly_equal))
    assert fit.alpha == 1.0
    assert fit.robust
    assert fit.se[1] == 0.0
    assert (fit.cov_parameters[1] == 0.0).all()
