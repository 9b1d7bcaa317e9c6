"""Fits to continuous scores, weights and clusters, and tables without a fit."""

import pickle

import numpy as np
import pytest

import pauci
from fits import FITS, hanley_mcneil, two_scores
from pauci.fits import likelihood


def of(pos, neg):
    return pauci.Sample.from_counts(range(len(pos)), pos, neg)


@pytest.mark.parametrize("model", FITS)
def test_merging_neighbours_of_one_class_does_not_change_the_fit(model, monkeypatch):
    sample = two_scores(120)["a"]
    together = FITS[model](sample)
    monkeypatch.setattr(likelihood, "MAX_UNMERGED", 10_000)
    apart = FITS[model](sample)
    assert together.counts.shape[1] < apart.counts.shape[1] == 120
    assert together.maximum.theta == pytest.approx(apart.maximum.theta, rel=1e-5)
    np.testing.assert_allclose(together.cov_parameters, apart.cov_parameters, rtol=1e-4)


@pytest.mark.parametrize("model", FITS)
def test_only_the_order_of_scores_matters(model):
    sample = two_scores()["a"]
    values = sample.ratings().values
    bent = pauci.Sample(sample.rows.positive, np.exp(values / 2.0), name="a")
    down = pauci.Sample(sample.rows.positive, -values, lower_is_positive=True)
    first, second, third = (FITS[model](s) for s in (sample, bent, down))
    assert first.maximum.theta == second.maximum.theta == third.maximum.theta
    assert (np.diff(first.cuts) > 0).all()


def test_normal_scores_give_their_own_parameters():
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], 4000)
    fit = pauci.fit_binormal(
        pauci.Sample(
            y,
            np.where(y, 1.5 + 2 * rng.normal(size=8000), 0) + np.where(y, 0, rng.normal(size=8000)),
        )
    )
    assert abs(fit.a - 0.75) < 4 * fit.se[0]
    assert abs(fit.b - 0.5) < 4 * fit.se[1]
    assert fit.goodness.df == 7


def test_frequencies_are_rows():
    rows = hanley_mcneil()
    frame = pauci.datasets.load_hanley_mcneil()
    counts = np.concatenate([frame["positives"], frame["negatives"]])
    y, s = np.repeat([1, 0], 5), np.tile(frame["score"], 2)
    long = pauci.Sample(np.repeat(y, counts), np.repeat(s, counts))
    assert pauci.fit_binormal(long).maximum.theta == pauci.fit_binormal(rows).maximum.theta


def test_weights_and_clusters_use_the_sandwich():
    sample = two_scores()["a"]
    plain = pauci.fit_binormal(sample)
    y, s = sample.rows.positive, sample.ratings().values
    even = pauci.fit_binormal(pauci.Sample(y, s, weight=3.0 + 1e-9 * (np.arange(200) % 2)))
    assert even.maximum.theta == pytest.approx(plain.maximum.theta, rel=1e-9)
    assert even.loglik == pytest.approx(plain.loglik)
    assert even.se == pytest.approx(plain.se, rel=0.2)
    twice = pauci.Sample(np.tile(y, 2), np.tile(s, 2), cluster=np.tile(np.arange(200), 2))
    doubled = pauci.fit_binormal(twice)
    assert doubled.maximum.theta == pytest.approx(plain.maximum.theta, rel=1e-6)
    assert doubled.se == pytest.approx(even.se, rel=1e-2)
    np.testing.assert_allclose(even.cov[:2, :2], even.cov_parameters, rtol=1e-8)
    e = pauci.estimate(doubled, pauci.PAUC(fpr=(0, 0.2)))
    assert e.se == pytest.approx(pauci.estimate(even, e.measure).se, rel=1e-2)


DEGENERATE = {
    "two categories": ([3, 9], [8, 2], "two categories"),
    "one category": ([3], [8], "all scores are equal"),
    "separated": ([0, 0, 4, 9], [8, 3, 0, 0], "all positives lie above"),
    "reversed": ([8, 3, 0, 0], [0, 0, 4, 9], "all positives lie below"),
    "sides": ([0, 0, 1, 6, 38], [44, 21, 4, 0, 0], "on a side of the unit square"),
    "horizontal": ([5, 0, 0, 9], [20, 6, 4, 2], "have the same TPR"),
    "vertical": ([9, 3, 4, 20], [20, 0, 0, 5], "have the same FPR"),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_tables_without_a_fit_are_an_error_with_the_reason(name):
    pos, neg, words = DEGENERATE[name]
    with pytest.raises(pauci.UndefinedError, match=words):
        pauci.fit_binormal(of(pos, neg))


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.usefixtures("quiet")
def test_small_random_tables_are_fitted_or_an_error(fit, seed):
    rng = np.random.default_rng(seed)
    pos, neg = rng.multinomial(12, [0.2] * 5), rng.multinomial(12, [0.2] * 5)
    try:
        found = fit(of(pos, neg))
    except pauci.UndefinedError:
        return
    assert np.isfinite(found.cov).all()
    assert (np.diagonal(found.cov) >= 0).all()
    assert 0 < found.auc < 1
    assert np.isfinite(found.maximum.theta).all()


def test_invalid_arguments_of_fit_functions_are_an_error():
    with pytest.raises(pauci.InputError, match="holds 2 classifiers"):
        pauci.fit_binormal(two_scores())
    with pytest.raises(pauci.InputTypeError, match="fit_proper takes a Sample"):
        pauci.fit_proper([1, 2])


def test_a_fit_can_be_pickled():
    fit = pauci.fit_binormal(hanley_mcneil())
    copy = pickle.loads(pickle.dumps(fit))
    assert repr(copy) == repr(fit)
    assert "\n" not in repr(fit)


@pytest.mark.slow
def test_standard_errors_and_intervals_are_accurate():
    """300 samples of 60 + 90 ratings: SE/SD within 12%, coverage within 4 points of 95%."""
    rng = np.random.default_rng(11)
    cuts = [-0.5, 0.3, 0.9, 1.6]
    measures = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.2))]
    truth = pauci.estimate(_expected(cuts), measures)
    found = []
    for _ in range(300):
        pos, neg = (
            np.bincount(np.digitize(x, cuts), minlength=5)
            for x in (1.5 + 1.4 * rng.normal(size=60), rng.normal(size=90))
        )
        found.append(pauci.estimate(pauci.fit_binormal(of(pos, neg)), measures))
    for i, true in enumerate(truth):
        values, errors = (np.array([getattr(es[i], k) for es in found]) for k in ("value", "se"))
        assert np.sqrt((errors**2).mean()) / values.std(ddof=1) == pytest.approx(1, abs=0.12)
        inside = [es[i].interval()[0] < true.value < es[i].interval()[1] for es in found]
        assert np.mean(inside) == pytest.approx(0.95, abs=0.04)


def _expected(cuts):
    """A fit to the expected counts of a large study."""
    from scipy import stats

    shares = [np.diff([0, *stats.norm.cdf(cuts, *law), 1]) for law in ((1.5, 1.4), (0.0, 1.0))]
    return pauci.fit_binormal(of(*(np.round(1e7 * s).astype(int) for s in shares)))
