"""Measures within the folds of a cross-validation."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pauci
from rule import average_of, combined, rows_of

DATA = Path(__file__).parents[3] / "shared" / "data"
MEASURES = (
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.4)),
    pauci.PAUCc(fpr=(0, 0.4)),
    pauci.PAUCx(tpr=(0.5, 1)),
    pauci.AP(corrected=False),
    pauci.AP(corrected=True),
    pauci.Sensitivity(fpr=0.3),
    pauci.Specificity(tpr=0.7),
    pauci.AUK(),
)


def folded(seed=1, n=200, folds=4, **options):
    """Return labels, scores of two classifiers and folds, and the sample of them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    fold = np.repeat(np.arange(folds), n // folds)
    scores = {name: y + rng.normal(size=n) + 5 * fold for name in "ab"}
    return y, scores, fold, pauci.Sample(y, scores, fold=fold, **options)


def of_each(y, scores, fold, **options):
    """Return a plain sample of each fold."""
    return [
        pauci.Sample(y[fold == k], {n: s[fold == k] for n, s in scores.items()}, **options)
        for k in np.unique(fold)
    ]


@pytest.mark.filterwarnings("ignore::pauci.errors.SmallRegionWarning")
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_an_estimate_is_the_mean_within_folds_and_its_variance_that_of_a_mean(measure):
    y, scores, fold, sample = folded()
    found = pauci.estimate(sample["a"], measure)
    each = [pauci.estimate(s["a"], measure) for s in of_each(y, scores, fold)]
    assert found.value == pytest.approx(np.mean([e.value for e in each]), rel=1e-13)
    frames = [e.influence() for e in each]
    shifts = [f.loc["shift"].item() if "shift" in f.index else 0.0 for f in frames]
    variance = sum(e.se**2 - shift**2 for e, shift in zip(each, shifts, strict=True))
    expected = (variance + sum(shifts) ** 2) / 16  # the shifts of all folds are one row
    assert found.se == pytest.approx(math.sqrt(expected), rel=1e-12)
    assert found.folds == 4
    low, high = found.interval()
    assert low < found.value < high


CORRECTED_IN_FOLDS = {
    pauci.AP(): pauci.AP(corrected=True),
    pauci.AP(0.3, negatives=True): pauci.AP(0.3, negatives=True, corrected=True),
    pauci.AP() - pauci.AUC(): pauci.AP(corrected=True) - pauci.AUC(),
    pauci.AP(corrected=False): pauci.AP(corrected=False),
    pauci.InitialTPR(): pauci.InitialTPR(),
}


@pytest.mark.parametrize("variance", ["influence", "jackknife"])
@pytest.mark.parametrize(("measure", "expected"), CORRECTED_IN_FOLDS.items(), ids=repr)
def test_average_precision_is_corrected_in_folds_unless_excluded(measure, expected, variance):
    sample = folded()[-1]["a"]
    e, explicit = (pauci.estimate(sample, m, variance) for m in (measure, expected))
    assert e.measure == expected
    assert (e.value, e.se) == (explicit.value, explicit.se)
    assert pauci.estimate(sample.folds()[0], measure, variance).measure == measure


def test_weighted_average_precision_is_not_corrected_in_folds():
    y, scores, fold, _ = folded()
    sample = pauci.Sample(y, scores["a"], fold=fold, weight=np.arange(y.size) % 3 + 1.0)
    assert pauci.estimate(sample, pauci.AP()).measure == pauci.AP()


@pytest.mark.parametrize(
    ("name", "cluster", "value", "theirs"),
    [
        ("admissions", None, 0.904647342995, 0.0162023811094),
        ("adherence", "id", 0.864804609724, 0.0155188837441),
    ],
)
def test_the_numbers_of_cvauc(name, cluster, value, theirs):
    path = DATA / f"cvauc_{name}.csv"
    if not path.exists():
        pytest.skip(f"{path.name} lies beside the project and not in it")
    frame = pd.read_csv(path)
    sample = pauci.Sample.from_frame(
        frame, label="label", scores="prediction", fold="fold", cluster=cluster
    )
    found = pauci.estimate(sample, pauci.AUC())
    assert found.value == pytest.approx(value, abs=1e-11)
    assert cvauc_error(frame, cluster) == pytest.approx(theirs, abs=1e-12)
    # cvAUC has divisors n instead of n - 1, with about five positives per fold.
    assert theirs < found.se < 1.15 * theirs


@pytest.mark.parametrize(("cluster", "key"), [(None, "rows"), ("subject", "subjects")])
@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_the_numbers_of_an_independent_analysis(cluster, key):
    """Results for simulated folds, computed by `tests/data/readers/analyse.R`."""
    folder = Path(__file__).parents[1] / "data" / "readers"
    stored = json.loads((folder / "analyse.json").read_text(encoding="utf-8"))
    expected = stored[f"folds_by_{key}"]
    frame = pd.read_csv(folder / "folds.csv")
    sample = pauci.Sample.from_frame(
        frame, label="label", scores="score", fold="fold", cluster=cluster
    )
    found = pauci.estimate(sample, pauci.AUC())
    renamed = frame.rename(columns={"score": "prediction"})
    assert found.value == pytest.approx(expected["value"], rel=1e-12)
    assert cvauc_error(renamed, cluster) == pytest.approx(expected["se"], rel=1e-12)
    assert found.se == pytest.approx(expected["se"], rel=0.1)


def cvauc_error(frame, cluster):
    """Return the SE of cvAUC: class proportions of all rows, divisors n, ties ignored."""
    y, s, folds = (frame[c].to_numpy() for c in ("label", "prediction", "fold"))
    share = np.array([np.mean(y == 0), np.mean(y == 1)])
    unit = (
        np.arange(y.size) if cluster is None else np.unique(frame[cluster], return_inverse=True)[1]
    )
    squares = []
    for k in np.unique(folds):
        inside = np.flatnonzero(folds == k)
        pos, neg = (s[inside][y[inside] == label] for label in (1, 0))
        auc = np.mean((pos[:, None] > neg) + 0.5 * (pos[:, None] == neg))
        influence = [
            ((np.mean(neg < s[i]) if y[i] == 1 else np.mean(pos > s[i])) - auc) / share[y[i]]
            for i in inside
        ]
        sums = np.bincount(unit[inside], influence)
        squares.append((sums**2).sum() / np.unique(unit[inside]).size)
    return math.sqrt(np.mean(squares) * np.unique(unit).size) / y.size


def test_repeating_the_same_folds_centres_over_all_folds():
    y, scores, fold, sample = folded(lower_is_positive=False)
    once = pauci.estimate(sample["a"], pauci.AUC())
    thrice = pauci.Sample(
        np.tile(y, 3),
        np.tile(scores["a"], 3),
        cluster=np.tile(np.arange(y.size), 3),
        fold=np.concatenate([fold + 10 * k for k in range(3)]),
    )
    found = pauci.estimate(thrice, pauci.AUC())
    assert found.value == pytest.approx(once.value, rel=1e-13)
    parts = [
        rows_of(y[at], scores["a"][at], at) for at in (np.flatnonzero(fold == k) for k in range(4))
    ]
    expected = combined([average_of(3 * parts, pauci.AUC())], [1])
    assert (found.value, found.se, found.df) == pytest.approx(expected, rel=1e-10)
    again = pauci.estimate(thrice, pauci.AUC(), variance=pauci.Jackknife())
    assert again.se == pytest.approx(found.se, rel=1e-12)
    assert found.se == pytest.approx(once.se, rel=0.02)


@pytest.mark.filterwarnings("ignore:kind='basic'")
def test_the_bootstrap_draws_within_folds_and_agrees_with_influence():
    _, _, _, sample = folded(n=400)
    plain = pauci.estimate(sample["a"], pauci.AUC())
    boot = pauci.estimate(sample["a"], pauci.AUC(), variance=pauci.Bootstrap(2000, rng=3))
    assert boot.se == pytest.approx(plain.se, rel=0.06)
    assert boot.resampled.seed == 3
    assert boot.value == plain.value
    again = pauci.estimate(sample["a"], pauci.AUC(), variance=pauci.Bootstrap(2000, rng=3))
    assert (again.resampled.replicates == boot.resampled.replicates).all()
    for kind in ("bca", "percentile", "basic", "wald", "logit"):
        low, high = boot.interval(kind=kind)
        assert low < plain.value < high
    assert pauci.compare(sample, pauci.AUC(), variance=pauci.Bootstrap(300, rng=3)).se > 0.0


def test_limits_do_not_depend_on_the_order_of_rows_with_texts_as_folds():
    y, scores, fold, _ = folded()
    names, w = np.array([f"fold {k}" for k in fold], object), np.linspace(1, 2, y.size)
    measure = pauci.Sensitivity(fpr=0.2)
    forth, back = (
        pauci.estimate(pauci.Sample(y[r], scores["a"][r], fold=names[r], weight=w[r]), measure)
        for r in (slice(None), slice(None, None, -1))
    )
    assert back.interval() == pytest.approx(forth.interval(), rel=1e-9)


@pytest.mark.parametrize(
    ("fold", "message"),
    [
        ([1, 1, 1, 2, 2, 2, 2], "fold has 7 rows and y_true has 8"),
        ([1] * 8, "all rows into one fold, 1"),
        ([1, 1, 1, 1, 1, 1, 1, 2], "no negative row in fold 2"),
        (["u", "u", "u", "v", "w", "u", "u", "x"], "in folds 'v', 'w'|in folds 'w'|fold 'w'"),
        ([1, 1, 1, 1, None, 2, 2, 2], "fold has 1 missing value"),
    ],
)
def test_invalid_folds(fold, message):
    with pytest.raises(pauci.InputError, match=message) as error:
        pauci.Sample([0, 1] * 4, range(8), fold=fold)
    assert error.value.argument == "fold"


def test_a_fold_too_small_for_an_error_is_named():
    sample = pauci.Sample([0, 1, 0, 1, 0, 1, 0], range(7), fold=["p"] * 4 + ["q"] * 3)
    with pytest.raises(pauci.UndefinedError, match="in fold 'q': the sample has 1 row"):
        pauci.estimate(sample, pauci.AUC())


@pytest.mark.parametrize(
    "verb",
    [
        pauci.operating_points,
        pauci.curve_points,
        pauci.band,
        pauci.fit_binormal,
        lambda s: pauci.scan(s, pauci.PAUC, fpr=[0.2, 0.4]),
        lambda s: s.ratings(),
    ],
)
def test_analyses_of_a_single_curve_reject_folds(verb):
    _, _, _, sample = folded()
    with pytest.raises(pauci.InputError, match="sample is in 4 folds"):
        verb(sample["a"])


@pytest.mark.filterwarnings(
    "ignore::pauci.errors.DegenerateWarning", "ignore::pauci.errors.SmallRegionWarning"
)
def test_pooled_scores_of_an_uninformative_model_issue_a_warning():
    y = np.array([1] * 12 + [0] * 18)
    rng = np.random.default_rng(0)
    fold = rng.permutation(np.arange(30) % 5)
    shares = np.array([y[fold != k].mean() for k in fold])
    for scores in (shares, np.where(y == 1, 11 / 29, 12 / 29)):
        sample = pauci.Sample(y, scores)
        with pytest.warns(pauci.errors.ReversedScoresWarning, match="cross-validation fold"):
            pauci.estimate(sample, pauci.PAUC(fpr=(0, 0.9)))


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_an_average_with_standard_error_0_issues_a_warning():
    """Each row has opposite influence in two folds, so that its sum is 0."""
    sample = pauci.Sample(
        np.tile([1, 1, 0, 0], 2),
        [4.0, 2.0, 3.0, 1.0, 2.0, 4.0, 1.0, 3.0],
        fold=np.repeat([0, 1], 4),
        cluster=np.tile(np.arange(4), 2),
    )
    e = pauci.estimate(sample, pauci.AUC())
    assert (e.value, e.se, e.degenerate) == (0.75, 0.0, True)
    (caution,) = [c for c in e.cautions if isinstance(c, pauci.errors.DegenerateWarning)]
    assert "fold" not in str(caution)
    assert "standard error 0" in str(caution)
    with pytest.warns(pauci.errors.DegenerateWarning, match="0.750, has standard error 0"):
        pauci.estimate(sample, pauci.AUC())
