"""The jackknife as a variance method."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from makers import related_scores
from pauci.measures import AP, AUC, PAUC, MaxKappa, PAUCc, Sensitivity

PART = PAUC(fpr=(0, 0.5))


def make_sample(digits=0, **options):
    return pauci.Sample(*related_scores(80, 160, 1, {"a": 1, "b": 1}, digits), **options)


def test_estimates_and_comparisons():
    sample = make_sample()
    measures = [AUC(), PAUCc(fpr=(0, 0.3)), AP()]
    jackknifed = pauci.estimate(sample, measures, pauci.Jackknife())
    plain = pauci.estimate(sample, measures)
    for a, b in zip(jackknifed, plain, strict=True):
        assert a.value == b.value
        assert a.se == pytest.approx(b.se, rel=0.15)
        if a.measure.known_ends:
            assert a.df == pytest.approx(b.df, rel=0.2)
            assert a.df < 400, "so few rows do not know a variance any better"
    assert "Standard errors: jackknife" in " ".join(jackknifed.summary().split())
    assert jackknifed.to_frame()["variance"].unique().tolist() == ["jackknife"]
    c = pauci.compare(sample, AUC(), variance=pauci.Jackknife())
    assert c.se == pytest.approx(pauci.compare(sample, AUC()).se, rel=0.02)


def test_a_corrected_value_has_the_standard_error_of_the_uncorrected_one_and_no_bias():
    sample = make_sample(1)["a"]
    plain, corrected, share = pauci.estimate(
        sample, [AP(), AP(corrected=True), AP(corrected=True) / AUC()], pauci.Jackknife()
    )
    assert corrected.se == plain.se
    assert corrected.bias == 0.0
    assert abs(share.bias) < 0.2 * plain.bias


@pytest.mark.parametrize("options", [{}, {"negatives": True}, {"prevalence": 0.1}], ids=str)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_the_influence_values_of_a_corrected_value_are_those_of_the_jackknife(options, design):
    sample = make_sample(1, design=design)["a"]
    measure = AP(corrected=True, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        by_influence, by_jackknife = (
            pauci.estimate(sample, measure, v) for v in ("influence", "jackknife")
        )
        plain = pauci.estimate(sample, measure.estimand)
    fixed = design == "case-control" or "prevalence" in options
    units = by_influence.influence().iloc[:240].to_numpy()
    se = np.linalg.norm(units)
    assert se == pytest.approx(by_jackknife.se, rel=1e-9 if fixed else 0.02)
    assert by_influence.se > max(plain.se, se)


@pytest.mark.filterwarnings("ignore::pauci.errors.ChosenThresholdWarning")
@pytest.mark.parametrize(
    "measure", [PAUCc(fpr=(0, 0.3)), Sensitivity(fpr=0.2), MaxKappa()], ids=repr
)
def test_estimated_ends_of_continuous_scores_warn(measure):
    sample = make_sample(3)["a"]
    with pytest.warns(pauci.errors.JackknifeWarning, match="not consistent"):
        pauci.estimate(sample, measure, pauci.Jackknife())
    with pytest.warns(pauci.errors.JackknifeWarning):
        pauci.estimate(sample, measure - AUC(), pauci.Jackknife())
    pauci.estimate(sample, PAUC(fpr=(0, 0.3)), pauci.Jackknife())


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("counted", [False, True])
def test_weighted_units_are_left_out_with_their_weights(clustered, counted):
    """Against estimates of the other rows: all clusters, or the rows of each class."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [12, 15])
    x, weight = rng.integers(0, 6, y.size) + 2.0 * y, rng.uniform(0.5, 3.0, y.size)
    weight[3] = 0.0
    frequency = rng.integers(1, 4, y.size) if counted else np.ones(y.size, int)
    cluster = np.arange(y.size) % 9
    columns = {"weight": weight, "cluster": cluster if clustered else None}

    def value(times, keep=slice(None)):
        rest = {k: None if v is None else v[keep] for k, v in columns.items()}
        part = pauci.Sample(y[keep], x[keep], frequency=times[keep], **rest)
        return PART.on(part.ratings("score").curve)

    if clustered:
        values, part = [[value(frequency, cluster != g) for g in range(9)]], [np.ones(9)]
    else:
        left = np.array([value(frequency - (np.arange(y.size) == i)) for i in range(y.size)])
        copies = np.where(weight > 0, frequency, 0)
        values, part = [left[y == 1], left[y == 0]], [copies[y == 1], copies[y == 0]]
    variance = 0.0
    for of_class, k in zip(values, part, strict=True):
        mean = np.average(of_class, weights=k)
        variance += (k.sum() - 1) / k.sum() * (k * (np.array(of_class) - mean) ** 2).sum()
    sample = pauci.Sample(y, x, frequency=frequency, **columns)
    e = pauci.estimate(sample, PART, pauci.Jackknife())
    assert e.se == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert e.se == pytest.approx(pauci.estimate(sample, PART).se, rel=0.2)


def test_the_jackknife_over_both_classes():
    """(n - 1)/n and the mean of all rows, and the same in `mrmc` by this name."""
    y, scores = related_scores(80, 160, 1, {"a": 1, "b": 1})
    sample, y = pauci.Sample(y, scores), np.asarray(y, bool)
    case, frames = np.arange(y.size), []
    for name in ("a", "b"):
        columns = {"modality": name, "case": case, "label": y, "score": scores[name]}
        frames.append({"reader": "r"} | columns)
    study = pauci.ReaderStudy.from_frame(pd.concat(map(pd.DataFrame, frames)))
    found = {}
    for by_class in (True, False):
        method = pauci.Jackknife(by_class=by_class)
        c = pauci.compare(sample, AUC(), variance=method, pair=("a", "b"))
        m = pauci.mrmc(study, AUC(), readers="fixed", method=method)
        assert m.contrasts[0].se == pytest.approx(c.se, rel=1e-12)
        found[by_class] = c.se, m
    n, left = y.size, np.zeros(y.size)
    for name, sign in (("a", 1), ("b", -1)):
        x = scores[name]
        wins = np.heaviside(x[:, None] - x, 0.5)
        for i in range(n):
            keep = case != i
            left[i] += sign * wins[np.ix_(y & keep, ~y & keep)].mean()
    se = np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    assert found[False][0] == pytest.approx(se, rel=1e-9)
    assert found[True][0] != pytest.approx(se, rel=1e-6)
    by_name = pauci.mrmc(study, AUC(), readers="fixed", method="jackknife")
    assert by_name.contrasts[0].se == found[False][1].contrasts[0].se
    assert "within classes" in found[True][1].report()
    assert "within classes" not in by_name.report()
    with pytest.raises(pauci.InputTypeError, match="by_class"):
        pauci.Jackknife(by_class="no")


def test_plain_functions():
    from sklearn.metrics import roc_auc_score

    sample = make_sample()["a"]
    with pytest.warns(pauci.errors.JackknifeWarning, match="unknown whether roc_auc_score"):
        by_function = pauci.estimate(sample, roc_auc_score, pauci.Jackknife())
    by_measure = pauci.estimate(sample, AUC(), pauci.Jackknife())
    assert by_function.se == pytest.approx(by_measure.se, rel=0.05)
