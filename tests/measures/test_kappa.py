"""The kappa curve: scikit-learn's kappa, its area by definition, and balanced data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import pauci
from blocks import use_small_blocks
from makers import normal_scores
from pauci.measures import AUC, AUK, MaxKappa
from pauci.measures.kappa import kappa
from strategies import samples

pytestmark = pytest.mark.usefixtures("quiet")


def points(y, s):
    """(FPR, kappa) from (0, 0) on, each kappa by scikit-learn."""
    result = [(0.0, 0.0)]
    for t in sorted(set(s.tolist()), reverse=True):
        called = s >= t
        everyone = called.all()  # scikit-learn's kappa is 0 there, by 0/0 or by rounding
        result.append((called[y == 0].mean(), 0.0 if everyone else cohen_kappa_score(y, called)))
    return result


def estimate(y, s, measure, **options):
    return pauci.estimate(pauci.Sample(y, s, **options), measure)


@given(samples(min_size=2))
def test_values_come_from_kappa_at_every_threshold(data):
    y, s = map(np.asarray, data)
    curve = np.array(points(y, s))
    area = np.trapezoid(curve[:, 1], curve[:, 0])
    assert estimate(y, s, AUK()).value == pytest.approx(area, abs=1e-12)
    best = estimate(y, s, MaxKappa())
    assert best.value == pytest.approx(max(curve[1:, 1]), abs=1e-12)
    threshold = best.region.threshold[0]
    assert cohen_kappa_score(y, s >= threshold) == pytest.approx(best.value, abs=1e-12) or (
        best.value == 0
    )


@given(samples(min_size=2), st.sampled_from([0.1, 0.5, 0.9]))
def test_a_prevalence_means_replicated_classes(data, prevalence):
    y, s = map(np.asarray, data)
    copies = np.where(y == 1, 10 * prevalence * (y == 0).sum(), 10 * (1 - prevalence) * y.sum())
    copies = np.round(copies).astype(int)
    for make in (AUK, MaxKappa):
        expected = estimate(y, s, make(), frequency=copies).value
        assert estimate(y, s, make(prevalence)).value == pytest.approx(expected, abs=1e-12)


@given(samples(min_size=2))
def test_balanced_data_give_the_auc_less_one_half(data):
    y, s = map(np.asarray, data)
    for e in (estimate(y, s, AUK(0.5)), estimate(y, s, AUC())):
        assert np.isfinite(e.se)
    difference = estimate(y, s, AUK(0.5)).value - estimate(y, s, AUC()).value
    assert difference == pytest.approx(-0.5, abs=1e-13)


def test_balanced_data_give_the_standard_error_of_the_auc():
    y, s = normal_scores(80, 80, 1, digits=1)
    auk, auc = (estimate(y, s, m, design="case-control") for m in (AUK(), AUC()))
    assert auk.value == pytest.approx(auc.value - 0.5, abs=1e-14)
    assert auk.se == pytest.approx(auc.se, rel=1e-12)


@given(samples(min_size=2))
def test_limits_are_those_of_the_best_and_worst_ranking_with_these_negatives(data):
    y, s = map(np.asarray, data)
    e = estimate(y, s, AUK())
    assert e.bounds.low - 1e-12 <= e.value <= e.bounds.high + 1e-12
    first = estimate(y, np.where(y == 1, 100, s), AUK())
    assert first.value == pytest.approx(e.bounds.high, abs=1e-12)
    last = estimate(y, np.where(y == 1, -100, s), AUK())
    assert last.value == pytest.approx(e.bounds.low, abs=1e-12)


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.7, 0.97])
@pytest.mark.parametrize("prevalence", [None, 1e-4, 0.1, 0.45, 0.5, 0.9, 0.9999])
def test_limits_without_ties_are_the_same_trapezoidal_areas(share, prevalence):
    rng = np.random.default_rng(6)
    y, s = rng.random(200_000) < share, rng.normal(size=200_000)
    curve = pauci.Sample(y, s).ratings().curve
    auk, x = AUK(prevalence), np.linspace(0, 1, curve.table.rows_neg + 1)
    shares = (y.mean(), (~y).mean()) if prevalence is None else (prevalence, 1 - prevalence)
    for bound, tpr in zip(auk.bounds(curve), (0.0, 1.0), strict=True):
        assert bound == pytest.approx(np.trapezoid(kappa(x, tpr, *shares), x), abs=1e-14)


def by_points(monkeypatch, y, s, measure):
    """Estimate with one term for each row."""
    with monkeypatch.context() as patch:
        patch.setattr(AUK, "constant_between", lambda *_, **__: ())
        return estimate(y, s, measure)


@pytest.mark.parametrize(
    ("tied", "first", "prevalence"),
    [
        ("none", "curve", None),
        ("negatives", None, 0.3),
        ("negatives", AUC(), None),
        ("classes", "curve", 0.3),
        ("neighbours", AUC(), None),
    ],
)
def test_estimates_by_runs_are_those_of_all_rows(monkeypatch, tied, prevalence, first):
    """Runs are used only without ties, also after other estimates of the same sample."""
    y, s = normal_scores(9_000, 20_000, 1)
    if tied in ("negatives", "classes"):
        of_neg = np.flatnonzero(y == 0)
        s[of_neg[0]] = s[of_neg[1]] if tied == "negatives" else s[y == 1][0]
    elif tied == "neighbours":
        s[0] = np.nextafter(s[1], 9.0)
    expected = by_points(monkeypatch, y, s, AUK(prevalence))
    sample = pauci.Sample(y, s)
    if first == "curve":
        assert sample.ratings().curve.table.size > 28_000
    elif first is not None:
        pauci.estimate(sample, first)
    for found in (
        pauci.estimate(sample, AUK(prevalence)),
        pauci.estimate(sample, [AUK(prevalence), AUC()])[0],
    ):
        assert found.value == pytest.approx(expected.value, abs=1e-14)
        assert found.se == pytest.approx(expected.se, rel=1e-12)
        assert found.df == pytest.approx(expected.df, rel=1e-12)
        assert tuple(found.interval()) == pytest.approx(tuple(expected.interval()), abs=1e-13)


@pytest.mark.parametrize("prevalence", [None, 0.02])
@pytest.mark.parametrize("order", ["mixed", "positives first", "positives last", "separated"])
def test_runs_without_negatives_have_no_panels(monkeypatch, order, prevalence):
    """In blocks that begin or end with such runs, and in blocks that consist of them."""
    y, s = normal_scores(9_000, 15_000, 1)
    if order != "mixed":
        shift = {"positives first": 3.0, "positives last": -3.0, "separated": 20.0}[order]
        s[y == 1] += shift
    expected = by_points(monkeypatch, y, s, AUK(prevalence))
    use_small_blocks(monkeypatch, 512, "curve.exact_sums", "curve.sorting", "measures.influence")
    found = estimate(y, s, AUK(prevalence))
    assert found.value == pytest.approx(expected.value, abs=1e-13)
    assert found.se == pytest.approx(expected.se, rel=1e-11)
    assert found.df == pytest.approx(expected.df, rel=1e-10)


def test_a_rare_class_is_not_summed_by_runs():
    """Kappa changes so much between two negatives that the formulas by runs are inaccurate."""
    assert AUK().constant_between((10, 1_000_000), untied=True) == ()
    assert AUK(1e-5).constant_between((10_000, 1_000_000), untied=True) == ()
    assert AUK(1.0 - 1e-5).constant_between((10_000, 1_000_000), untied=True) == ()
    assert AUK().constant_between((10_000, 1_000_000), untied=True) == ("positives",)


def test_a_perfect_ranking_has_a_limit_interval():
    y, s = np.repeat([1, 0], [10, 90]), np.arange(100)[::-1]
    e = estimate(y, s, AUK(), design="case-control")
    assert e.value == pytest.approx(e.bounds.high)
    assert e.se < 1e-4
    assert e.to_frame()["kind"].item() == "limit"
    low, high = e.interval()
    assert low < e.value == pytest.approx(high)
    cohort = estimate(y, s, AUK())
    assert cohort.to_frame()["kind"].item() == "limit"
    assert cohort.interval().high > cohort.bounds.high, "the prevalence may be larger"


def test_the_best_threshold_is_reported():
    y, s = normal_scores(50, 150, 2, shift=2, digits=1)
    e = estimate(y, s, MaxKappa())
    (low, high), (fpr, _), (tpr, _) = e.region.threshold, e.region.fpr, e.region.tpr
    assert low == high
    assert fpr == (s[y == 0] >= low).mean()
    assert tpr == (s[y == 1] >= low).mean()
    assert "at the best threshold was" in e.report()
    assert "the best threshold" in e.summary()


def test_scores_worse_than_chance_have_a_largest_kappa_of_zero():
    e = estimate([1, 0] * 8, [1, 2] * 8, MaxKappa())
    assert e.value == 0
    assert e.region.threshold[0] == 1


@pytest.mark.parametrize("measure", [MaxKappa(0.05), MaxKappa(0.01), MaxKappa(0.95)], ids=repr)
def test_limits_of_a_perfect_ranking_account_for_the_prevalence(measure):
    """The effect of unobserved negatives on kappa increases with decreasing prevalence."""
    y = np.repeat([1, 0], [100, 100])
    e = estimate(y, y * 1.0, measure)
    share = 1 - 0.025 ** (1 / 100)  # of a class, unseen on the wrong side
    fpr, tpr = (share, 1.0) if measure.prevalence < 0.5 else (0.0, 1.0 - share)
    assert e.value == 1
    assert 0 < e.interval().low < kappa(fpr, tpr, measure.prevalence)
