"""Warnings about codes of missing values, and about one range of scores on different scales."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import pauci
from pauci.cautions.about_data import warn_about_missing_codes

N = 400
Y = np.arange(N) % 2


def warnings_of(scores, kind=pauci.errors.MissingCodeWarning, measure=None, **options):
    """Return the warnings of a kind about some scores."""
    sample = pauci.Sample(Y, scores, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pauci.estimate(sample, measure or pauci.AUC())
    return [str(w.message) for w in caught if issubclass(w.category, kind)]


def markers(seed):
    """Return scores of many populations without codes of missing values."""
    rng = np.random.default_rng(seed)
    s = Y + rng.normal(size=N)
    risk = 1 / (1 + np.exp(-s))
    heavy = np.exp(1.5 * s)
    return {
        "normal": s,
        "rounded": s.round(1),
        "ratings 1-5": np.clip(np.round(s + 2.5), 1, 5),
        "ratings 0-100 in tens": np.clip(np.round(3 * s + 4), 0, 10) * 10,
        "ratings 1-9": np.clip(np.round(2 * s + 4), 1, 9),
        "ratings 1, 3, 5, 9": np.array([1, 3, 5, 9])[np.clip(np.round(s + 1), 0, 3).astype(int)],
        "lower limit of detection": np.maximum(heavy, 3),
        "half the limit of detection": np.where(heavy < 2, 1, heavy),
        "upper limit": np.minimum(np.round(heavy, 1), 99),
        "zero-inflated": np.where(rng.random(N) < 0.4, 0, 50 + heavy),
        "zero-inflated sizes": np.where(rng.random(N) < 0.15, 0, 8 * np.exp(0.5 * s)),
        "undetectable on a log scale": np.where(s < -1, 0, s + 4),
        "ReLU": np.maximum(s, 0),
        "correlations": np.clip(s / 3, -1, 1).round(2),
        "temperatures": np.round(2 * s + 4, 1),
        "zero-inflated counts": rng.poisson(np.exp(s)) * (rng.random(N) < 0.5),
        "counts": rng.negative_binomial(1, 0.02, N) + Y,
        "rounded heavy tail": np.round(np.exp(2 * s)),
        "Pareto": np.round(rng.pareto(0.8, N) + 1),
        "probabilities": risk,
        "clipped probabilities": np.where(risk < 0.2, 0, np.where(risk > 0.95, 1, risk)),
        "rare probabilities with 1": np.where(rng.random(N) < 0.02, 1, risk / 100),
        "percentages": np.round(100 * risk),
        "logarithms of 0": np.where(rng.random(N) < 0.3, np.log(1e-6), s),
        "titres": 2.0 ** np.clip(np.round(2 * s + 3), 0, 9),
        "ages": np.clip(np.round(60 + 12 * s), 18, 99),
        "labels": np.where(s > 0.5, 1, -1),
        "trinary": np.sign(np.round(s)),
        "integers of 64 bits": np.round(s * 1e12).astype(np.int64),
        "centred ratings": np.clip(np.round(s * 3), -9, 9),
        "days": np.round(rng.exponential(300, N)),
    }


@pytest.mark.parametrize("seed", range(8))
def test_ordinary_scores_contain_no_code(seed):
    for name, scores in markers(seed).items():
        assert not warnings_of(scores), name
        assert not warnings_of(-np.asarray(scores), lower_is_positive=True), name


RNG = np.random.default_rng(5)
S0 = Y + np.random.default_rng(12).normal(size=N)
RISK = 1 / (1 + np.exp(-(Y + RNG.normal(size=N))))
RATING = np.clip(np.round(2 + Y + RNG.normal(size=N)), 1, 5)


@pytest.mark.parametrize(
    ("scores", "codes"),
    [
        (RISK, [999]),
        (RISK, [-9]),
        (RISK, [-1e20]),
        (RATING, [9]),
        (RATING, [99]),
        (RATING, [-9]),
        (RATING, [997, 999]),
        (np.exp(6 * RISK), [-99]),
        (np.exp(6 * RISK).round(), [9999]),
        (RISK * 200, [-9]),
        (RISK, [-2147483648]),
        (RATING, [88]),
        (RATING, [8, 9][1:]),
    ],
)
@pytest.mark.parametrize("lower", [False, True])
def test_codes_are_reported_with_a_hint(scores, codes, lower):
    scores = np.asarray(scores, float).copy()
    for i, code in enumerate(codes):
        scores[[7 + i, 50 + i, 101 + i]] = code
    [message] = warnings_of(scores, lower_is_positive=lower)
    assert f"in {3 * len(codes)} rows" in message
    missing = int(codes[0]) if len(codes) == 1 else sorted(int(c) for c in codes)[::-1]
    assert f"missing={missing}" in message or f"missing={missing[::-1]}" in message
    assert "drop_missing=True" in message


@pytest.mark.parametrize(
    ("scores", "found"),
    [
        (50 + 10 * S0, {0: "far below", -1: "far below"}),
        (np.round(120 + 15 * S0), {0: "far below", -1: "far below"}),
        (-50 - 10 * S0, {0: "far above"}),
        (np.exp(S0), {-1: "far below"}),
        (np.round(np.exp(1.5 * S0), 1), {-1: "far below"}),
        (S0, {0: "hardly ever occur twice", -1: "hardly ever occur twice"}),
        (S0.round(1), {}),
        (S0 + 3, {-1: "far below"}),
        (np.clip(np.round(25 * S0 + 45), 0, 100), {}),
    ],
)
@pytest.mark.parametrize("lower", [False, True])
def test_zero_and_minus_one_as_codes(scores, found, lower):
    for code in (0, -1):
        coded = np.where(np.arange(N) % 33 == 5, code, scores)
        messages = warnings_of(coded, lower_is_positive=lower)
        assert [f"is {code} in 12 rows" in m for m in messages] == [True] * (code in found)
        assert all(found[code] in m and f"missing={code} " in m for m in messages)


FEW = np.array([0.05, 0.2, 0.35, 0.6, 0.95, 1.0])[np.arange(N) // 2 % 6]


@pytest.mark.parametrize("scores", [RISK, RISK.round(2), RISK.astype(np.float32), FEW])
@pytest.mark.parametrize("codes", [[-1], [2], [-1, 2], [-1, 999], [-99.5], [-2, -1, 9]])
@pytest.mark.parametrize("lower", [False, True])
def test_values_outside_probabilities_are_codes(scores, codes, lower):
    scores = scores.copy()
    for i, code in enumerate(codes):
        scores[[7 + i, 50 + i, 101 + i]] = code
    [message] = warnings_of(scores, lower_is_positive=lower)
    assert f"in {3 * len(codes)} rows" in message
    shown = codes[0] if len(codes) == 1 else codes
    assert f"missing={shown} " in message
    assert (
        f"far {'below' if codes[-1] < 0 else 'above' if codes[0] > 0 else 'below or above'} all"
        in message
    )


@pytest.mark.parametrize("lower", [False, True])
def test_other_values_outside_0_and_1_are_not_codes(lower):
    rng = np.random.default_rng(3)
    linear = np.where(RISK > 0.9, 1.05, np.where(RISK < 0.1, -0.04, RISK)).round(2)
    for scores in (
        linear,
        rng.exponential(0.2, N).round(1),
        np.tanh(S),
        np.clip(S, -0.5, 1.5),
        rng.choice([-1, 0, 0.5, 1], N),
        rng.integers(-1, 3, N),
        rng.choice([0, 0.25, 0.5, 0.75, 1, 2], N),
        np.where(np.arange(N) == 3, -1, RISK),
        np.where(np.arange(N) == 3, -1.5, RISK),
    ):
        assert not warnings_of(scores, lower_is_positive=lower)


def test_codes_among_probabilities_are_found_on_an_engine():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"y": Y, "s": np.where(np.arange(N) % 40 == 3, -1.0, RISK)}).lazy()
    with pytest.warns(pauci.errors.MissingCodeWarning, match="is -1 in 10 rows"):
        pauci.estimate(pauci.Sample.from_frame(frame, "y", "s"), pauci.AUC())


@pytest.mark.parametrize("code", [9, 99, 999, 9999, -9, -99])
@pytest.mark.parametrize("scores", [RISK, RATING, np.exp(6 * RISK)])
def test_nines_that_occur_once_are_codes_if_they_are_isolated(scores, code):
    scores = np.array(scores)
    low, high = scores.min(), scores.max()
    scores[31] = code
    whole = not (scores % 1).any()
    isolated = code - high > (2 if whole else 0.5) * (high - low)
    if code < 0 or isolated:
        [message] = warnings_of(scores)
        assert f"is {code:,} in 1 row," in message
    elif low < code < high:
        assert not warnings_of(scores)


@pytest.mark.parametrize("seed", range(12))
def test_an_extreme_count_is_rarely_a_code(seed):
    rng = np.random.default_rng(100 + seed)
    found = 0
    for n in (12, 30, 100, 400):
        y = np.arange(n) % 2
        s = y + rng.normal(size=n)
        for scores in (
            np.round(rng.pareto(0.8, n) + 1),
            rng.standard_cauchy(n).round(),
            np.exp(2 * s).round(),
            rng.negative_binomial(0.5, 0.02, n),
            np.round(60 + 12 * s),
        ):
            ratings = pauci.Sample(y, scores).ratings()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                warn_about_missing_codes(ratings)
            found += bool(caught)
    assert found <= 1


def test_an_outlier_that_occurs_once_is_not_a_code():
    scores = RISK.copy()
    scores[3] = 1000
    assert not warnings_of(scores)
    assert warnings_of(scores, frequency=np.where(np.arange(N) == 3, 2, 1))
    assert not warnings_of(scores, weight=np.where(np.arange(N) == 3, 2.0, 1.0))
    scores[4] = 1000
    assert warnings_of(scores, weight=np.linspace(1.1, 1.2, N))


def test_tables_name_their_categories():
    counts = [3, 8, 20, 5], [20, 8, 3, 5]
    table = pauci.Sample.from_counts([1, 2, 3, 99], *counts)
    scores = np.concatenate([np.repeat([1, 2, 3, 99], c) for c in counts])
    rows = pauci.Sample(np.repeat([1, 0], 36), scores)
    with pytest.warns(pauci.errors.MissingCodeWarning):
        pauci.estimate(rows, pauci.AUC())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        e = pauci.estimate(table, pauci.AUC())
    assert caught == []
    assert e.cautions == ()


S = np.random.default_rng(1).normal(size=N) + 1.5 * Y
SIGMOID = 1 / (1 + np.exp(-S))
WEAK = 0.3 + 0.1 * np.random.default_rng(2).random(N)


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        pytest.param(*case, marks=pytest.mark.keep)
        for case in (
            (S, SIGMOID, False),
            (1 + 4 * SIGMOID, 100 * SIGMOID, False),
            (np.exp(3 * S), S, False),
            (SIGMOID, 100 * SIGMOID, False),
            (SIGMOID, 5 + SIGMOID, False),
            (0.3 * S, SIGMOID, True),
            (SIGMOID, SIGMOID**2, True),
            (SIGMOID, WEAK, True),
            (RATING, np.clip(RATING + 1, 1, 7), True),
            (S, 2 * S, True),
            (np.where(SIGMOID < 0.99, 0, SIGMOID), SIGMOID, True),
        )
    ],
)
def test_one_range_of_scores_on_different_scales_issues_a_warning(first, second, alike):
    low = float(np.median(first))
    measure = pauci.PAUCc(threshold=(min(low, float(np.median(second))), None))
    kind = pauci.errors.DifferentScalesWarning
    both = pauci.Sample(Y, {"a": first, "b": second})
    apart = [pauci.Sample(Y, s, name=n) for n, s in (("a", first), ("b", second))]
    calls = [
        lambda m: pauci.compare(both, m),
        lambda m: pauci.estimate(both, m),
        lambda m: pauci.compare(apart, m, independent=True),
        lambda m: pauci.estimate(apart, m),
        lambda m: pauci.compare(both, [pauci.AUC(), m]),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(measure)
        found = [w.message for w in caught if issubclass(w.category, kind)]
        assert len(found) == (not alike)
        for message in found:
            assert message.argument == "threshold"
            assert "a and b" in str(message)


def test_separate_ranges_and_regions_of_rates_issue_no_warning():
    both = pauci.Sample(Y, {"a": S, "b": SIGMOID + WEAK})
    each = {"a": pauci.PAUCc(threshold=(1, None)), "b": pauci.PAUCc(threshold=(0.7, None))}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pauci.compare(both, each)
        pauci.compare(both, pauci.PAUCc(fpr=(0, 0.3)))
    assert not [w for w in caught if issubclass(w.category, pauci.errors.DifferentScalesWarning)]
    one = pauci.Sample(Y, {"a": S, "b": SIGMOID})
    with pytest.warns(pauci.errors.DifferentScalesWarning):
        pauci.compare(one, pauci.PAUCc(threshold=(0.7, None)))


def test_one_range_of_scores_in_opposite_directions_issues_a_warning():
    both = pauci.Sample(Y, {"a": S, "b": 3 - S}, lower_is_positive=["b"])
    with pytest.warns(
        pauci.errors.DifferentScalesWarning, match="a, where higher.* b, where lower"
    ):
        pauci.compare(both, pauci.PAUC(threshold=(0, 2)))


@pytest.mark.filterwarnings("ignore::pauci.errors.ReversedScoresWarning")
@pytest.mark.parametrize("lower", [False, True])
def test_a_threshold_outside_all_scores_warns(lower):
    sample = pauci.Sample(Y, S, lower_is_positive=lower)
    for threshold, called in ((S.max() + 1, lower), (S.min() - 1, not lower)):
        words = f"outside the scores of .* {'all' if called else 'no'} rows"
        with pytest.warns(pauci.errors.DifferentScalesWarning, match=words):
            pauci.operating_points(sample, thresholds=threshold)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pauci.errors.DifferentScalesWarning)
        pauci.operating_points(sample, thresholds=[S.min(), S.max(), np.inf, -np.inf])


def reversed_scores(call):
    """Return the warnings about reversed scores."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [w.message for w in caught if issubclass(w.category, pauci.errors.ReversedScoresWarning)]


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("shift", [0.0, -0.8])
def test_scores_are_reversed_if_the_interval_of_the_auc_lies_below_one_half(shift):
    rng = np.random.default_rng(5)
    warned = 0
    for n_pos, n_neg in rng.integers(8, 50, (25, 2)):
        y = np.repeat([1, 0], [n_pos, n_neg])
        sample = pauci.Sample(y, np.round(rng.normal(size=y.size) + shift * y, 1))
        below = pauci.estimate(sample, pauci.AUC()).interval().high < 0.5
        for call in (
            partial(pauci.estimate, sample, pauci.PAUC(fpr=(0, 0.5))),
            partial(pauci.operating_points, sample, thresholds=[0.0]),
            partial(pauci.fit_binormal, sample),
        ):
            assert len(reversed_scores(call)) == below
        warned += below
    assert (warned <= 3) if shift == 0 else warned > 3


@pytest.mark.parametrize("lower", [True, "b", ["b"]])
def test_a_direction_that_is_wrong_is_stated_without_its_value(lower):
    sample = pauci.Sample(Y, {"b": S}, lower_is_positive=lower)
    (warning,) = reversed_scores(partial(pauci.estimate, sample, pauci.AUC()))
    assert warning.hint.startswith("lower_is_positive= declares that lower scores")


def test_scores_in_folds_are_reversed_if_the_interval_of_the_average_lies_below_one_half():
    """The AUC of a fold of 15 rows has a wide interval."""
    rng = np.random.default_rng(6)
    y, fold = np.arange(150) % 3 == 0, np.arange(150) // 15
    noise, low = (
        pauci.Sample(y, rng.normal(size=150) + shift * y, fold=fold) for shift in (0.0, -0.8)
    )
    assert not reversed_scores(partial(pauci.estimate, noise, pauci.AUC()))
    (warning,) = reversed_scores(partial(pauci.estimate, low, pauci.AUC()))
    assert "averaged over folds, is 0." in str(warning)


CLASSES = np.arange(N) % 3
OF_CLASSES = CLASSES + np.random.default_rng(7).normal(size=N)
COLUMNS = np.random.default_rng(8).random((N, 3)) + 0.3 * np.eye(3)[CLASSES]


@pytest.mark.parametrize(
    ("scores", "measure", "chance"),
    [
        (OF_CLASSES, pauci.VUS(), "1/6"),
        (OF_CLASSES, pauci.VUS(order=(0, 2)), "1/2"),
        (OF_CLASSES, pauci.CIndex(), "1/2"),
        (OF_CLASSES, pauci.HandTill(), "1/2"),
        (COLUMNS, pauci.PDI(), "1/3"),
        (COLUMNS, pauci.HandTill(), "0.5"),
        (COLUMNS, pauci.Macro(pauci.AUC()), "0.5"),
        (COLUMNS, pauci.VersusRest(pauci.AUC(), 1), "0.5"),
    ],
)
@pytest.mark.parametrize("fold", [None, np.arange(N) // 3 % 4])
def test_reversed_scores_of_several_classes(scores, measure, chance, fold):
    """Each measure is compared with its value for uninformative scores; folds by their average."""
    for sign in (1, -1):
        sample = pauci.Sample.from_classes(CLASSES, sign * scores, fold=fold)
        found = reversed_scores(partial(pauci.estimate, sample, measure))
        if chance == "0.5":  # a warning for each of some classes, if they are not in folds
            assert bool(found) == (sign < 0 and fold is None)
            continue
        assert [f", below {chance}" in str(w) for w in found] == [True] * (sign < 0)
        average = fold is not None and sign < 0
        assert all(("averaged over folds" in str(w)) == average for w in found)


@pytest.mark.parametrize(
    "measure", [pauci.PDI(), pauci.HandTill(), pauci.AUC(), pauci.Macro(pauci.Brier())]
)
def test_columns_of_predicted_classes(measure):
    predicted = COLUMNS.argmax(axis=1)
    for columns in (np.eye(3)[predicted], np.eye(3)[predicted] * 0.8 + COLUMNS * 0.1):
        risks = columns / columns.sum(axis=1, keepdims=True)
        sample = pauci.Sample.from_classes(CLASSES, risks)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pauci.estimate(sample, measure)
        found = [str(w.message) for w in caught]
        assert ["predict_proba(X)." in w for w in found] == [True] * bool((risks == 1).any())


def test_reversed_scores_of_a_reader_of_several_classes():
    frame = pd.DataFrame({"reader": np.repeat(["r1", "r2", "r3"], N), "case": np.tile(range(N), 3)})
    frame["label"] = np.tile(CLASSES, 3)
    frame["score"] = np.concatenate([OF_CLASSES, OF_CLASSES**3, -OF_CLASSES])
    study = pauci.ReaderStudy.from_frame(frame, modality=None, classes=[0, 1, 2])
    (warning,) = reversed_scores(partial(pauci.mrmc, study, pauci.VUS()))
    assert str(warning).startswith("1 of 3 reader-modality pairs: the VUS of r3 ")


@pytest.mark.parametrize(
    ("name", "values", "flip"),
    [
        ("patient_id", np.repeat(np.arange(40), 2), False),
        ("caseID", np.arange(80), False),
        ("case", np.repeat(np.arange(40), 2), False),
        ("MRN", 7 * np.arange(80), False),
        ("visit", np.arange(1001, 1081), False),
        ("rank", np.arange(80), True),
        ("risk_index", np.repeat(np.arange(40), 2), True),
        ("score", np.arange(80), True),
        ("crp", np.arange(80) / 7, True),
    ],
)
def test_identifiers_are_not_to_be_reversed(name, values, flip):
    """Rows sorted by class have identifiers that increase from one class to the other."""
    sample = pauci.Sample(np.repeat([1, 0], [30, 50]), {name: values})
    (warning,) = reversed_scores(partial(pauci.estimate, sample, pauci.AUC()))
    assert ("lower_is_positive=" in warning.hint) == flip
    assert ("not a score" in str(warning)) != flip


@pytest.mark.parametrize("dtype", [np.uint64, np.int64])
def test_large_integers_are_not_proportions_of_folds(dtype):
    largest = np.iinfo(dtype).max
    y = np.tile([0, 1], 30)
    scores = np.array([largest - (5 * i) % 7 - 4 * v for i, v in enumerate(y.tolist())], dtype)
    with pytest.warns(pauci.errors.ReversedScoresWarning) as caught:
        pauci.estimate(pauci.Sample(y, scores), pauci.AUC())
    assert not any("cross-validation" in str(w.message) for w in caught)


LARGE = 1.797e308
SPREAD = np.random.default_rng(0).uniform(-1, 1, 60) * LARGE


@pytest.mark.parametrize(
    "scores",
    [
        np.arange(1, 61) * 2.9e306,
        SPREAD,
        np.r_[[-LARGE] * 3, SPREAD[3:] / 1e308],
        np.r_[[-LARGE] * 3, SPREAD[6:] / 10, [LARGE] * 3],
        np.tile([LARGE, -LARGE], 30),
    ],
    ids=["products", "whole range", "low", "both ends", "two"],
)
def test_scores_whose_differences_overflow(scores):
    y = np.random.default_rng(1).random(60) < 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", pauci.PauciWarning)
        estimate = pauci.estimate(pauci.Sample(y, scores), pauci.AUC())
        ranks = pauci.estimate(pauci.Sample(y, rankdata(scores)), pauci.AUC())
    assert (estimate.value, estimate.se) == (ranks.value, ranks.se)


@pytest.mark.parametrize("start", [10**16, 2**63 - 3, -(2**63)])
def test_large_integers_that_are_equal_as_floats_are_not_codes(start):
    near = start + np.minimum(np.arange(N) // 30, 2)
    assert not warnings_of(near)
    code = -999 if start > 0 else 999
    (warning,) = warnings_of(np.where(np.arange(N) < 2, code, near))
    assert f"{code} in 2 rows" in warning
