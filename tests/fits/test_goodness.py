"""The goodness-of-fit test from its definition, its warnings, and robust covariances on request."""

import math

import numpy as np
import pytest
from scipy import stats

import pauci
from fits import FITS, hanley_mcneil, two_scores

POS, NEG = np.array([9, 5, 6, 8, 10, 14]), np.array([30, 14, 11, 8, 6, 3])
Y = np.repeat([1, 0], [POS.sum(), NEG.sum()])
RATING = np.concatenate([np.repeat(range(6), POS), np.repeat(range(6), NEG)])


def two_peaks(seed=1, sizes=(150, 300), names=("a", "b")):
    """Return scores whose positives have two peaks, to which no binormal curve fits."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    middle = np.where(rng.random(y.size) < 0.5, 0.2, 3.5)
    scores = {
        name: np.where(y == 1, middle + 0.6 * rng.normal(size=y.size), rng.normal(size=y.size))
        for name in names
    }
    return pauci.Sample(y, scores)


def shares(parameters):
    """Shares of the categories, one row a class, negatives first."""
    a, b, *cuts = parameters
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return np.diff([stats.norm.cdf(ends), stats.norm.cdf(b * ends - a)], axis=1)


def test_more_than_ten_categories_are_judged_in_tenths_of_all_rows():
    """The groups do not depend on the class; otherwise residuals would be too large."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [120, 200])
    s = np.round(1.3 * y + rng.normal(size=y.size), 1)
    test = pauci.fit_binormal(pauci.Sample(y, s)).goodness
    group = ((stats.rankdata(s) - 0.5) // 32).astype(int)  # by the middle of each tie
    pos, neg = (np.bincount(group[y == k]) for k in (1, 0))
    of_groups = pauci.fit_binormal(pauci.Sample.from_counts(range(10), pos, neg))
    assert test.chi_squared == pytest.approx(of_groups.goodness.chi_squared, rel=1e-6)
    expected = np.array([[200], [120]]) * shares([of_groups.a, of_groups.b, *of_groups.cuts])
    pearson = ((np.array([neg, pos]) - expected) ** 2 / expected).sum()
    assert test.chi_squared == pytest.approx(pearson, rel=1e-6)
    assert test.df == 7
    assert test.p == pytest.approx(stats.chi2.sf(pearson, 7), rel=1e-6)
    assert test.design_effect == 1.0


@pytest.mark.long
def test_true_curves_of_few_rows_are_seldom_rejected():
    """200 samples of 35/35: 5% are 10, with a standard deviation of 3 (it was 54% once)."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 35)
    noise = rng.normal(size=(200, 70))
    samples = [pauci.Sample(y, np.where(y == 1, (1.1 + z) / 0.7, z)) for z in noise]
    assert sum(pauci.fit_binormal(s).goodness.rejected for s in samples) < 20


@pytest.mark.parametrize("clustered", [False, True])
def test_weights_and_clusters_have_rao_and_scotts_correction(clustered):
    """The covariance of the proportions is that of the rows; residuals are projected explicitly."""
    rng = np.random.default_rng(6)
    w = rng.uniform(0.3, 2.0, Y.size)
    cluster = rng.permutation(Y.size) // 3 if clustered else np.arange(Y.size)
    options = {"cluster": cluster} if clustered else {}
    fit = pauci.fit_binormal(pauci.Sample(Y, RATING, weight=w, **options))
    w *= Y.size / w.sum()
    totals = np.array([w[k == Y].sum() for k in (0, 1)])
    at, moves = np.array([fit.a, fit.b, *fit.cuts]), np.eye(7) * 1e-5
    mu = (totals[:, None] * shares(at)).ravel()
    slopes = np.array([(shares(at + m) - shares(at - m)) / 2e-5 for m in moves])
    b = (totals[:, None] * slopes).reshape(7, 12).T / np.sqrt(mu)[:, None]
    rest = np.eye(12) - b @ np.linalg.inv(b.T @ b) @ b.T
    rows = np.zeros((Y.size, 12))
    for k in (0, 1):
        own, inside = k == Y, RATING[k == Y, None] == np.arange(6)
        share = w[own] @ inside / totals[k]
        m = len(np.unique(cluster[own]))
        rows[own, 6 * k : 6 * k + 6] = (inside - share) * w[own, None] * math.sqrt(m / (m - 1))
    sums = np.array([rows[cluster == c].sum(axis=0) for c in np.unique(cluster)])
    v = rest @ (sums.T @ sums / np.sqrt(np.outer(mu, mu))) @ rest
    values = np.linalg.eigvalsh(v)
    observed = np.array([w[(k == Y) & (r == RATING)].sum() for k in (0, 1) for r in range(6)])
    squares = ((observed - mu) ** 2 / mu).sum()
    effect = values.sum() / 3
    nu = values.sum() ** 2 / (values**2).sum()
    test = fit.goodness
    assert test.df == pytest.approx(nu, rel=1e-5)
    assert 2.0 < nu < 3.0  # six categories and seven parameters leave three
    assert test.chi_squared == pytest.approx(squares * nu / values.sum(), rel=1e-5)
    assert test.design_effect == pytest.approx(effect, rel=1e-5)
    assert test.smallest_expected == pytest.approx(mu.min() / effect, rel=1e-5)
    p = stats.chi2.sf(squares / values.sum() * nu, nu)
    if clustered:
        masses = [np.bincount(cluster[k == Y], w[k == Y]) for k in (0, 1)]
        fewest = min(m.sum() ** 2 / (m**2).sum() for m in masses)
        p = stats.f.sf(squares / values.sum(), nu, nu * (fewest - 1))
    assert test.p == pytest.approx(p, rel=1e-5)


def test_repeating_rows_in_clusters_does_not_change_the_variance():
    y, s = (two_scores()["a"].rows.positive, two_scores()["a"].ratings().values)
    once = pauci.fit_binormal(pauci.Sample(y, s)).goodness
    even = pauci.fit_binormal(pauci.Sample(y, s, weight=3.0 + 1e-9 * (np.arange(200) % 2))).goodness
    twice = pauci.Sample(np.tile(y, 2), np.tile(s, 2), cluster=np.tile(np.arange(200), 2))
    doubled = pauci.fit_binormal(twice).goodness
    assert even.design_effect == pytest.approx(1.0, abs=0.15)
    assert doubled.design_effect == pytest.approx(2 * even.design_effect, rel=0.02)
    assert doubled.chi_squared == pytest.approx(even.chi_squared, rel=0.02)
    assert doubled.df == pytest.approx(even.df, rel=0.02)
    assert even.df < 7 == once.df
    assert even.p == pytest.approx(once.p, abs=0.1)


def test_a_rejected_fit_warns_wherever_measures_of_it_are_taken():
    sample = two_peaks()
    fits = [pauci.fit_binormal(s) for s in sample]
    p = fits[0].goodness.p
    assert p < 0.001
    with pytest.warns(
        pauci.errors.PoorFitWarning, match=r"binormal curve of a: .*rejects"
    ) as caught:
        e = pauci.estimate(fits[0], pauci.PAUC(fpr=(0, 0.2)))
    assert [w.message.value for w in caught] == [p]
    said = str(caught[0].message)
    for words in ("p < 0.001", "biased", "fit_contaminated", "pauci.estimate(sample", "robust"):
        assert words in said
    assert [type(c) for c in e.cautions] == [pauci.errors.PoorFitWarning]
    assert "rejects the model" in " ".join(e.summary().split())
    assert "rejects the model" in e.to_frame()["cautions"].item()
    with pytest.warns(pauci.errors.PoorFitWarning) as caught:
        c = pauci.compare(fits, [pauci.AUC(), pauci.PAUC(fpr=(0, 0.2))])
    assert len(caught) == 2  # one of each curve, however many measures
    assert " ".join(c.summary().split()).count("rejects the model") == 2
    assert "rejects the model" in " ".join(fits[0].summary().split())
    assert "rejects the model" in fits[0].report()


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_a_fit_that_is_not_rejected_issues_no_warning(fit):
    fitted = fit(hanley_mcneil())
    assert fitted.goodness.p > 0.05
    e = pauci.estimate(fitted, pauci.AUC())
    assert e.cautions == ()
    for words in (e.report(), e.summary(), fitted.summary(), fitted.report()):
        assert "rejects" not in words


def test_fits_without_a_test_are_not_rejected():
    fit = pauci.fit_binormal(pauci.Sample.from_counts(range(3), [20, 10, 20], [30, 25, 5]))
    assert math.isnan(fit.goodness.p)
    assert not fit.goodness.rejected
    assert "no degrees of freedom" in " ".join(fit.summary().split())


@pytest.mark.filterwarnings("ignore::pauci.errors.PoorFitWarning")
@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_a_robust_covariance_is_that_of_clusters_of_one(fit):
    """Pairs of identical rows as clusters give the same covariance up to n/(n - 1)."""
    sample = hanley_mcneil()
    model, robust = fit(sample), fit(sample, covariance="robust")
    frame = pauci.datasets.load_hanley_mcneil()
    counts = np.concatenate([frame["positives"], frame["negatives"]])
    y, s = np.repeat(np.repeat([1, 0], 5), counts), np.repeat(np.tile(frame["score"], 2), counts)
    pairs = pauci.Sample(np.tile(y, 2), np.tile(s, 2), cluster=np.tile(np.arange(y.size), 2))
    np.testing.assert_allclose(robust.cov_parameters, fit(pairs).cov_parameters, rtol=0.02)
    np.testing.assert_allclose(robust.cov[:2, :2], robust.cov_parameters, rtol=1e-8)
    assert model.covariance == "model"
    assert not model.robust
    assert robust.robust
    assert robust.maximum.theta == model.maximum.theta
    assert robust.goodness == model.goodness
    assert robust.se != model.se
    e = pauci.estimate(robust, pauci.AUC())
    assert e.se == pytest.approx(robust.auc_se, rel=1e-4)
    assert "robust covariance" in " ".join(e.summary().split())
    assert "sandwich" in robust.summary()


def test_robust_errors_of_a_wrong_model_are_those_of_repeated_samples():
    """120 samples of 150/300: SE/SD of the pAUC about 1, within 20%."""
    found = []
    for seed in range(120):
        fit = pauci.fit_binormal(two_peaks(seed, names=("a",)), covariance="robust")
        found.append((fit.auc, fit.auc_se))
    values, errors = np.array(found).T
    assert np.sqrt((errors**2).mean()) / values.std(ddof=1) == pytest.approx(1.0, abs=0.2)


def test_tests_of_robust_fits_have_the_joint_sandwich():
    samples = list(two_scores())
    robust = [pauci.fit_binormal(s, covariance="robust") for s in samples]
    c = pauci.compare(robust, pauci.AUC())
    ses = [f.auc_se for f in robust]
    variance = ses[0] ** 2 + ses[1] ** 2 - 2 * c.correlation * ses[0] * ses[1]
    assert c.se == pytest.approx(math.sqrt(variance), rel=1e-4)
    assert c.se != pytest.approx(
        pauci.compare([pauci.fit_binormal(s) for s in samples], pauci.AUC()).se, rel=1e-6
    )


def test_invalid_covariances_are_an_error():
    with pytest.raises(pauci.InputError, match="covariance='sandwich' is not known") as caught:
        pauci.fit_proper(hanley_mcneil(), covariance="sandwich")
    assert caught.value.argument == "covariance"
