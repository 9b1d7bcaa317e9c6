"""Measures as criteria of a cut-off, against formulas of the table of decisions and labels."""

import functools
import math
import warnings

import numpy as np
import pytest
from scipy import stats

import pauci
from pauci.cutoffs.uncertainty import accepted_measures, candidates, comparisons, criterion_of
from pauci.errors import InputError, InputTypeError
from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff


def of_table(kind, share=None):
    """Return a function of (true positives, positives, false positives, negatives)."""

    def value(tp, p, fp, n):
        if share is not None:
            tp, p, fp, n = share * tp / p, share, (1 - share) * fp / n, 1 - share
        fn, tn = p - tp, n - fp
        called, total = tp + fp, p + n
        if kind == "youden":
            return tp / p - fp / n
        if kind == "balanced":
            return (tp / p + tn / n) / 2
        if kind == "accuracy":
            return (tp + tn) / total
        if kind == "f1":
            return 2 * tp / (2 * tp + fp + fn)
        if kind == "f2":
            return 5 * tp / (5 * tp + fp + 4 * fn)
        if kind == "kappa":
            chance = (called * p + (total - called) * n) / total**2
            return ((tp + tn) / total - chance) / (1 - chance)
        if kind == "mcc":
            below = called * (total - called) * p * n
            return (tp * tn - fp * fn) / math.sqrt(below) if below > 0 else math.nan
        return (tp - fp * 0.2 / 0.8) / total  # net benefit at 0.2

    return value


CRITERIA = {
    "youden": (pauci.Youden, of_table("youden")),
    "balanced": (pauci.BalancedAccuracy, of_table("balanced")),
    "accuracy": (pauci.Accuracy, of_table("accuracy")),
    "accuracy at .3": (
        functools.partial(pauci.Accuracy, prevalence=0.1),
        of_table("accuracy", 0.1),
    ),
    "f1": (pauci.F, of_table("f1")),
    "f2 at .3": (functools.partial(pauci.F, beta=2, prevalence=0.3), of_table("f2", 0.3)),
    "kappa": (pauci.Kappa, of_table("kappa")),
    "kappa at .1": (functools.partial(pauci.Kappa, prevalence=0.1), of_table("kappa", 0.1)),
    "mcc": (pauci.MCC, of_table("mcc")),
    "mcc at .3": (functools.partial(pauci.MCC, prevalence=0.3), of_table("mcc", 0.3)),
    "net benefit": (functools.partial(pauci.NetBenefit, 0.2), of_table("net benefit")),
}

by_criterion = pytest.mark.parametrize(("maximize", "of"), CRITERIA.values(), ids=CRITERIA)


def data(seed, n_pos=23, n_neg=41, decimals=1):
    rng = np.random.default_rng(seed)
    score = np.r_[rng.normal(1.1, 1.2, n_pos), rng.normal(size=n_neg)].round(decimals)
    return np.arange(n_pos + n_neg) < n_pos, score


def values_at(label, score, of):
    """Return the values at all thresholds and beyond the scores, the highest threshold first."""
    thresholds = np.r_[np.inf, np.unique(score)[::-1]]
    p, n = label.sum(), (~label).sum()
    values = [
        of((label & (score >= t)).sum(), p, (~label & (score >= t)).sum(), n) for t in thresholds
    ]
    return thresholds, np.array(values)


def cumulative(label, score):
    thresholds = np.unique(score)[::-1]
    return [
        np.array([0.0, *((score[c][:, None] >= thresholds).sum(axis=0))]) for c in (label, ~label)
    ]


@by_criterion
def test_values_at_all_thresholds(maximize, of):
    label, score = data(5)
    criterion = criterion_of(maximize, None, "cohort")
    found = criterion.along(*cumulative(label, score))
    _, expected = values_at(label, score, of)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@by_criterion
def test_the_highest_threshold_with_the_largest_value_is_chosen(maximize, of):
    for seed in range(12):
        label, score = data(seed, decimals=seed % 2)
        thresholds, values = values_at(label, score, of)
        best = np.nanmax(values)
        thresholds[0] = np.nextafter(score.max(), np.inf)
        expected = thresholds[np.flatnonzero(values >= best - 1e-12)[0]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pauci.errors.DegenerateWarning)
            k = pauci.cutoff(pauci.Sample(label, score), maximize=maximize, rng=1, repeats=1)
        assert k.value == expected
        assert k.apparent.criterion == pytest.approx(best)


@pytest.mark.parametrize("maximize", [pauci.Youden, pauci.Accuracy, pauci.MCC])
def test_the_highest_of_tied_thresholds(maximize):
    """Two thresholds have equal values exactly: the table of counts is symmetric."""
    score, pos, neg = [3, 2, 1], [6, 3, 1], [1, 3, 6]
    k = pauci.cutoff(pauci.Sample.from_counts(score, pos, neg), maximize=maximize, rng=1)
    values = values_at(
        np.repeat([True, False], 10),
        np.r_[np.repeat(score, pos), np.repeat(score, neg)],
        CRITERIA[{"Youden": "youden", "Accuracy": "accuracy", "MCC": "mcc"}[maximize.__name__]][1],
    )[1]
    assert values[1] == pytest.approx(values[2], abs=1e-15)
    assert k.value == 3


@by_criterion
def test_comparisons_weight_the_classes_by_the_slopes(maximize, of):
    """Weights by finite differences of the formula, and binomial tails by scipy."""
    label, score = data(7, 60, 80)
    named = criterion_of(maximize, None, "cohort")
    c = candidates(*cumulative(label, score), (60, 80), named)
    t = comparisons(c)
    h = 1e-5
    for i in range(1, c.entries.size, 3):
        tp, fp = c.pos[i], c.neg[i]
        w1 = (of(tp + h, 60, fp, 80) - of(tp - h, 60, fp, 80)) / (2 * h) * 60
        w0 = -(of(tp, 60, fp + h, 80) - of(tp, 60, fp - h, 80)) / (2 * h) * 80
        assert c.by_tpr[i] == pytest.approx(max(w1, 0), rel=1e-5, abs=1e-6)
        assert c.by_fpr[i] == pytest.approx(max(w0, 0), rel=1e-5, abs=1e-6)
        if min(w1, w0) <= 0 or c.pos[i] in (0, 60) or c.neg[i] in (0, 80):
            continue
        share = (60 / w1) / (60 / w1 + 80 / w0)
        for j in range(0, c.entries.size, 4):
            pos, neg = (np.rint(abs(v[j] - v[i])) for v in (c.pos, c.neg))
            m = pos + neg
            if m in (0, 140):
                continue
            gained, p = (pos, share) if j > i else (neg, 1 - share)
            tail = stats.binom.sf(gained, m, p) + 0.5 * stats.binom.pmf(gained, m, p)
            ratio = 1.0
            if c.fixed_sizes:
                u = m / (60 / w1 + 80 / w0)
                ratio = w1 * (1 - u / w1) / 60 + w0 * (1 - u / w0) / 80
                ratio /= w1 / 60 + w0 / 80
            expected = -stats.norm.ppf(tail) / math.sqrt(max(ratio, 0.01))
            if abs(expected) < 5:
                assert t[i, j] == pytest.approx(expected, rel=1e-4, abs=1e-4)


@by_criterion
def test_the_set_holds_the_best_cutoff_and_excludes_useless_ones(maximize, of):
    label, score = data(11, 300, 300, decimals=3)
    k = pauci.cutoff(pauci.Sample(label, score), maximize=maximize, rng=1, repeats=1)
    thresholds, values = values_at(label, score, of)
    low, high = k.interval()
    assert low <= k.value <= high
    inside = (thresholds >= low) & (thresholds <= high)
    assert np.nanmax(values[inside]) == pytest.approx(np.nanmax(values))
    assert not inside.all()
    assert k.interval(0.5).low >= low


def test_every_measure_at_a_cutoff_is_a_criterion_or_has_a_reason():
    accepted = accepted_measures()
    assert {kind.__name__ for kind in accepted.values()} == {
        "Youden",
        "BalancedAccuracy",
        "Accuracy",
        "F",
        "Kappa",
        "MCC",
        "NetBenefit",
    }
    sample = pauci.Sample([0, 1] * 20, range(40))
    for key, kind in REGISTRY.items():
        if key in accepted or not issubclass(kind, AtCutoff):
            continue
        with pytest.raises(InputError, match="no useful cut-off") as raised:
            pauci.cutoff(sample, maximize=kind)
        assert kind.degenerate_maximum in str(raised.value)
        assert "BalancedAccuracy" in raised.value.hint


def test_names_have_the_options_of_the_measure():
    sample = pauci.Sample(*data(3))
    f2 = pauci.cutoff(sample, maximize=functools.partial(pauci.F, beta=2), rng=1)
    assert "F2 score" in f2.rule
    benefit = functools.partial(pauci.NetBenefit, 0.2)
    assert "net benefit at 0.2" in pauci.cutoff(sample, maximize=benefit, rng=1).rule
    kappa = pauci.cutoff(sample, maximize=pauci.Kappa, prevalence=0.1, rng=1)
    assert "at prevalence 0.1" in kappa.rule
    mcc = pauci.cutoff(sample, maximize=pauci.MCC, rng=1)
    assert mcc.plot().get_ylabel() == "Matthews correlation coefficient (MCC)"


@pytest.mark.parametrize(
    ("maximize", "options", "words"),
    [
        (functools.partial(pauci.F, specificity=0.9), {}, "fixes the cut-off"),
        (functools.partial(pauci.MCC, threshold=1), {}, "fixes the cut-off"),
        (functools.partial(pauci.MCC, prevalence=0.1), {"prevalence": 0.2}, "twice"),
        (functools.partial(pauci.F, beta=0), {}, "beta"),
        (pauci.NetBenefit, {}, "probability"),
        (functools.partial(max, 3), {}, "class of a measure"),
        (pauci.Sample, {}, "accuracy at a cut-off"),
        (functools.partial(pauci.NetBenefit, probability=1), {}, "strictly between"),
    ],
)
def test_wrong_options_of_criteria(maximize, options, words):
    with pytest.raises((InputError, InputTypeError), match=words):
        pauci.cutoff(pauci.Sample(*data(3)), maximize=maximize, **options)
