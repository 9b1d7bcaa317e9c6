"""Operating points against direct counts of rows and the estimates of measures."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.stats.inter_rater import cohens_kappa

import pauci
from fresh_process import loaded_by
from pauci import OperatingPoint, operating_points
from pauci.intervals.mid_p import MidP
from strategies import samples

# Drawn tables and small examples may have an AUC below 0.5.
pytestmark = pytest.mark.filterwarnings("ignore::pauci.errors.ReversedScoresWarning")

MEASURES = ("sensitivity", "specificity", "ppv", "npv", "kappa", "lr_pos", "lr_neg")


@st.composite
def tables(draw):
    """Counts with many zeros, whole groups included, and at least one row of each class."""
    k = draw(st.integers(1, 6))
    counts = st.lists(st.sampled_from([0, 0, 1, 2, 5, 40, 3000]), min_size=k, max_size=k)
    positives, negatives = (draw(counts.filter(any)) for _ in range(2))
    return list(range(k, 0, -1)), positives, negatives


@pytest.fixture(scope="module")
def ct():
    frame = pauci.datasets.load_hanley_mcneil()
    return pauci.Sample.from_counts(
        frame["score"], frame["positives"], frame["negatives"], name="CT"
    )


def ends(frame, measure):
    return frame[[f"{measure}_low", f"{measure}_high"]].to_numpy()


@given(samples(min_size=1))
def test_counts_are_those_of_every_threshold(data):
    y, s = map(np.asarray, data)
    points = operating_points(pauci.Sample(y, s))
    assert [p.threshold for p in points] == sorted(set(s.tolist()), reverse=True)
    assert len(points) == len(points.points)
    for p in points:
        called = s >= p.threshold
        tp, fp = (called & (y == 1)).sum(), (called & (y == 0)).sum()
        fn, tn = (~called & (y == 1)).sum(), (~called & (y == 0)).sum()
        assert p[1:5] == (tp, fp, fn, tn)
        assert p.sensitivity == tp / y.sum()
        assert p.specificity == pytest.approx(tn / (y == 0).sum(), abs=1e-15)
        assert p.ppv == pytest.approx(tp / (tp + fp), abs=1e-15)
        assert p.npv == pytest.approx(tn / (tn + fn) if tn + fn else math.nan, nan_ok=True)
        with np.errstate(all="ignore"):
            positive, negative = p.sensitivity / (fp / (fp + tn)), (fn / (fn + tp)) / p.specificity
        assert p.lr_pos == pytest.approx(positive, nan_ok=True)
        assert p.lr_neg == pytest.approx(negative, nan_ok=True)


OF_COLUMNS = {
    "sensitivity": pauci.Sensitivity,
    "specificity": pauci.Specificity,
    "ppv": pauci.PPV,
    "npv": pauci.NPV,
    "kappa": pauci.Kappa,
    "lr_pos": pauci.LRPositive,
    "lr_neg": pauci.LRNegative,
    "youden": pauci.Youden,
}


def rows_of_all_kinds():
    """Return rows of 40 clusters, with ties, weights and frequencies."""
    rng = np.random.default_rng(12)
    y = np.arange(160) % 4 == 0
    scores = np.round(rng.normal(size=160) + 1.2 * y, 1)
    weight, frequency = rng.gamma(3.0, size=160), rng.integers(1, 4, 160)
    return y, scores, {"weight": weight, "frequency": frequency, "cluster": np.arange(160) // 4}


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("level", [pytest.param(0.8, marks=pytest.mark.long), 0.95])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("prevalence", [None, 0.07])
@pytest.mark.parametrize(
    "names", [[], ["weight"], ["frequency"], ["cluster"], ["weight", "cluster"], ["design"]]
)
def test_every_number_is_that_of_an_estimate_of_the_measure(names, prevalence, level, sign):
    """For all thresholds and for selected ones, of any rows, also if lower is positive."""
    y, scores, more = rows_of_all_kinds()
    options = {name: more.get(name, "case-control") for name in names}
    sample = pauci.Sample(y, sign * scores, lower_is_positive=sign < 0, **options)
    every = operating_points(sample, prevalence=prevalence).to_frame(level)
    assert len(every) == np.unique(scores).size
    chosen = [3, 20, len(every) - 2]
    thresholds = every["threshold"][chosen].tolist()
    some = operating_points(sample, prevalence=prevalence, thresholds=thresholds)
    for row, i in enumerate(chosen):
        for name, kind in OF_COLUMNS.items():
            takes = "prevalence" in kind.__dataclass_fields__ and prevalence is not None
            at = {"prevalence": prevalence} if takes else {}
            e = pauci.estimate(sample, kind(threshold=thresholds[row], **at))
            expected = e.value, *e.interval(level)
            for frame, k in ((every, i), (some.to_frame(level), row)):
                found = frame.loc[k, [name, f"{name}_low", f"{name}_high"]].tolist()
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_points_are_a_family_of_estimates(ct):
    points = operating_points(ct, thresholds=[4, 3], prevalence=0.1)
    estimates = points.estimates
    assert [e.measure.key for e in estimates[:8]] == [m.key for m in OF_COLUMNS.values()]
    expected = pauci.estimate(ct, [pauci.PPV(threshold=t, prevalence=0.1) for t in (4, 3)])
    assert estimates[2].value == points.points[0].ppv
    np.testing.assert_allclose(estimates.cov[np.ix_([2, 10], [2, 10])], expected.cov, rtol=1e-12)
    contrast = estimates.contrast([0, 0, 1] + [0] * 7 + [-1] + [0] * 5)
    assert contrast.value == pytest.approx(points.points[0].ppv - points.points[1].ppv)
    assert contrast.se == pytest.approx(expected.contrast([1, -1]).se)
    every = operating_points(ct).estimates
    assert len(every) == 5 * 8 - 2  # NPV and LR- are undefined at the lowest threshold
    rng = np.random.default_rng(2)
    many = pauci.Sample(np.arange(600) % 2, rng.normal(size=600) + np.arange(600) % 2)
    with pytest.raises(pauci.InputError, match=r"4,800 estimates.*to_frame"):
        operating_points(many).estimates  # noqa: B018


@pytest.mark.filterwarnings("ignore::pauci.errors.HardPredictionsWarning")
def test_values_and_errors_of_dtcompair():
    """DTComPair 1.2 on its data Paired1; its standard errors have the divisor n, not n - 1."""
    counts = {1: [(1, 1, 319), (0, 1, 22), (1, 0, 78), (0, 0, 32)]}
    counts[0] = [(1, 1, 31), (0, 1, 22), (1, 0, 53), (0, 0, 155)]
    rows = [(y, a, b, n) for y, cells in counts.items() for a, b, n in cells]
    y, a, b, n = np.array(rows).T
    sample = pauci.Sample(np.repeat(y, n), {"1": np.repeat(a, n), "2": np.repeat(b, n)})
    first, second = (operating_points(sample[name], thresholds=1) for name in sample.names)
    assert first.points[0][5:9] == pytest.approx((0.880266, 0.678161, 0.825364, 0.766234), abs=1e-6)
    expected = 0.756098, 0.796935, 0.865482, 0.654088
    assert second.points[0][5:9] == pytest.approx(expected, abs=1e-6)
    for i, (rows_of_class, error) in enumerate(((451, 0.0213882), (261, 0.0323563))):
        measure = second.estimates[i].measure
        c = pauci.compare(sample, measure, pair=("2", "1"))
        assert c.difference == pytest.approx(second.points[0][5 + i] - first.points[0][5 + i])
        assert c.se == pytest.approx(
            error * math.sqrt(rows_of_class / (rows_of_class - 1)), rel=2e-6
        )
        assert [e.se for e in c.estimates] == pytest.approx(
            [points.estimates[i].se for points in (second, first)]
        )


@given(samples(min_size=2))
def test_kappa_of_a_cohort_is_that_of_statsmodels(data):
    y, s = map(np.asarray, data)
    points = operating_points(pauci.Sample(y, s))
    for p in points:
        table = [[p.true_positives, p.false_negatives], [p.false_positives, p.true_negatives]]
        with np.errstate(all="ignore"):  # its variance is 0 or just below where all are called
            expected = cohens_kappa(table)
        assert p.kappa == pytest.approx(expected.kappa, abs=1e-13)


@pytest.mark.filterwarnings("ignore::pauci.errors.SamplingRatioWarning")
def test_kappa_without_an_estimated_prevalence_has_a_narrower_interval(ct):
    counts = [ct.ratings("CT").table.pos, ct.ratings("CT").table.neg]
    fixed = pauci.Sample.from_counts([5, 4, 3, 2, 1], *counts, design="case-control")
    width = {}
    for key, points in (
        ("cohort", operating_points(ct)),
        ("case-control", operating_points(fixed)),
        ("given", operating_points(ct, prevalence=ct.prevalence)),
    ):
        frame = points.to_frame()
        width[key] = (frame["kappa_high"] - frame["kappa_low"]).to_numpy()
    np.testing.assert_allclose(width["case-control"], width["given"], rtol=1e-13)
    assert (width["given"] < width["cohort"]).all()


# A given prevalence


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
@given(samples(min_size=2))
def test_a_prevalence_means_replicated_classes(share, data):
    y, s = map(np.asarray, data)
    copies = np.where(y == 1, 50 * share * (y == 0).sum(), 50 * (1 - share) * y.sum())
    expected = operating_points(pauci.Sample(y, s, frequency=np.round(copies).astype(int)))
    found = operating_points(pauci.Sample(y, s), prevalence=share)
    assert found.prevalence == share
    assert expected.prevalence == pytest.approx(share)
    for p, q in zip(found, expected, strict=True):
        for measure in MEASURES:
            a, b = getattr(p, measure), getattr(q, measure)
            assert a == pytest.approx(b, abs=1e-12, nan_ok=True)


# Any data


@settings(max_examples=5)
@given(
    tables(),
    st.sampled_from([None, 1e-6, 0.3, 0.999]),
    st.sampled_from([0.5, 0.95, 1 - 1e-9]),
    st.sampled_from(["cohort", "case-control"]),
    st.sampled_from([1.0, 0.37, 1e-7]),
)
def test_intervals_contain_the_estimate_and_stay_in_range(table, prevalence, level, design, scale):
    scores, *counts = table
    if scale != 1.0:
        counts = [np.array(c) * scale for c in counts]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.SamplingRatioWarning)
        warnings.simplefilter(
            "ignore", pauci.errors.DoubtfulDataWarning
        )  # counts may seem cumulative
        sample = pauci.Sample.from_counts(scores, *counts, design=design, fractional=scale != 1.0)
        points = operating_points(sample, prevalence=prevalence)
    assert [p.threshold for p in points] == scores
    frame = points.to_frame(level)
    tp, fp = frame["true_positives"], frame["false_positives"]
    fn, tn = frame["false_negatives"], frame["true_negatives"]
    undefined = {
        "ppv": (tp == 0) & (fp == 0),
        "lr_pos": (tp == 0) & (fp == 0),
        "npv": (tn == 0) & (fn == 0),
        "lr_neg": (tn == 0) & (fn == 0),
    }
    for measure in MEASURES:
        missing = undefined.get(measure, np.zeros(len(frame), bool))
        value, (low, high) = frame[measure], ends(frame, measure).T
        for column in (value, low, high):
            assert (np.isnan(column) == missing).all()
        assert (missing | ((low <= value) & (value <= high))).all()
        least = -1.0 if measure == "kappa" else 0.0
        most = math.inf if measure.startswith("lr") else 1.0
        assert (missing | ((low >= least) & (high <= most))).all()
    assert points.design == design


def test_groups_without_a_row_remain():
    sample = pauci.Sample.from_counts([4, 3, 2, 1], [0, 5, 0, 5], [0, 1, 0, 9])
    points = operating_points(sample)
    assert [p.threshold for p in points] == [4, 3, 2, 1]
    assert points.points[1][1:] == points.points[2][1:]
    assert math.isnan(points.points[0].ppv)
    assert math.isnan(points.points[0].lr_pos)
    assert points.points[0].npv == 0.5


def test_fractional_counts_are_used_in_operating_points():
    sample = pauci.Sample.from_counts([2, 1], [7.5, 2.5], [1.2, 8.8], fractional=True)
    points = operating_points(sample)
    assert points.points[0].sensitivity == 0.75
    row = points.to_frame().iloc[0]
    assert row["sensitivity_low"] == pytest.approx(MidP(7.5, 10.0).lower(0.025), rel=1e-14)
    assert "7.5/10" in points.summary()
    assert "10 positives, 10 negatives" in points.summary()


# Tables


def test_the_frame_has_all_columns(ct):
    frame = operating_points(ct).to_frame()
    triples = [f"{m}{end}" for m in (*MEASURES, "youden") for end in ("", "_low", "_high")]
    first = OperatingPoint._fields[:5]
    last = ["distance", "classifier", "dropped", "left_out"]
    assert list(frame.columns) == [*first, *triples, *last]
    assert frame["true_positives"].dtype.kind == "i"
    assert frame["threshold"].tolist() == [5, 4, 3, 2, 1]


def test_small_numbers_do_not_read_as_zero():
    sample = pauci.Sample.from_counts([2, 1], [30, 70], [1, 99_999])
    text = operating_points(sample, prevalence=1e-5).summary()
    assert "30000 (" in text
    assert "0.300 (" in text


def test_categories_are_thresholds():
    ratings = pd.Categorical(["no", "yes", "maybe", "yes"], ["no", "maybe", "yes"], ordered=True)
    points = operating_points(pauci.Sample([0, 1, 0, 1], pd.Series(ratings)))
    assert [p.threshold for p in points] == ["yes", "maybe", "no"]
    assert "maybe" in points.summary()
    assert points.to_frame()["threshold"].tolist() == ["yes", "maybe", "no"]


# Selected rows


@pytest.mark.filterwarnings("ignore::pauci.errors.DifferentScalesWarning")
@given(samples(min_size=1), st.lists(st.floats(-2, 14), min_size=1, max_size=5))
def test_rows_at_thresholds_are_those_counted_one_by_one(data, thresholds):
    y, s = map(np.asarray, data)
    points = operating_points(pauci.Sample(y, s), thresholds=thresholds)
    assert [p.threshold for p in points] == thresholds
    for p, threshold in zip(points, thresholds, strict=True):
        called = s >= threshold
        assert p.true_positives == (called & (y == 1)).sum()
        assert p.false_positives == (called & (y == 0)).sum()


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@given(samples(min_size=1), st.fractions(0, 1, max_denominator=20))
def test_rows_at_rates_are_the_best_that_keep_them(data, rate):
    y, s = map(np.asarray, data)
    sample = pauci.Sample(y, s)
    every = [(math.inf, Fraction(0), Fraction(0))]
    for t in sorted(set(s.tolist()), reverse=True):
        x, h = (Fraction(int(((s >= t) & (y == k)).sum()), int((y == k).sum())) for k in (0, 1))
        every.append((t, x, h))
    most = max(x for _, x, _ in every if x <= rate)
    best = max(h for _, x, h in every if x == most)
    lenient = next(t for t, x, h in every if (x, h) == (most, best))
    strict = next(t for t, _, h in every if h >= rate)
    for asked, expected in (
        ({"fpr": rate}, lenient),
        ({"specificity": 1 - rate}, lenient),
        ({"tpr": rate}, strict),
        ({"sensitivity": rate}, strict),
    ):
        for exactness in (Fraction, float):
            (point,) = operating_points(sample, **{k: exactness(v) for k, v in asked.items()})
            assert point.threshold == expected
    if most == rate:  # the strictest with as many false alarms is never better
        assert lenient <= min(t for t, x, _ in every if x == rate)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_requested_points_have_a_column_of_the_request(ct):
    points = operating_points(
        ct, thresholds=[3.5, math.inf, -7], fpr=[0.1, 0], tpr=0.9, specificity=0.9, sensitivity=1
    )
    frame = points.to_frame()
    last = ["classifier", "asked", "rule", "rule_value", "rule_low", "rule_high", "target"]
    assert list(frame.columns[-9:]) == [*last, "dropped", "left_out"]
    assert frame["target"].tolist() == ["fixed threshold"] * 3 + ["threshold found"] * 5
    assert frame["asked"].tolist() == [
        *["threshold"] * 3,
        "fpr <= 0.1",
        "fpr <= 0",
        "specificity >= 0.9",
        "tpr >= 0.9",
        "sensitivity >= 1",
    ]
    assert frame["threshold"].tolist() == [3.5, math.inf, -7, 5, math.inf, 5, 3, 1]
    assert frame["true_positives"].tolist() == [44, 0, 51, 33, 0, 33, 46, 51]
    assert frame["npv"][1] == pytest.approx(58 / 109, abs=1e-15)
    every = operating_points(ct).to_frame()
    common = list(every.columns[1:])
    pd.testing.assert_series_equal(frame.loc[0, common], every.loc[1, common], check_names=False)
    text = points.summary()
    assert "fpr <= 0.1" in " ".join(text.split())
    assert "Intervals treat the thresholds as if they had been fixed" in " ".join(text.split())
    assert "\\n" not in text
    fixed = operating_points(ct, thresholds=4)
    assert "rule" not in fixed.summary()
    assert "found" not in fixed.summary()
    assert list(fixed.to_frame().columns[-4:-2]) == ["asked", "target"]
    assert points.points[0][1:5] == (44, 13, 7, 45)
    assert len(points) == len(points.points) == 8


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_rates_are_exact_beyond_a_millionth():
    sample = pauci.Sample.from_counts([3, 2, 1], [5, 5, 5], [1, 9, 9_999_990])
    assert operating_points(sample, fpr=9e-7).points[0].threshold == 3
    assert operating_points(sample, fpr=0.1 + 0.2).to_frame()["asked"][0] == "fpr <= 0.3"


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_categories_are_selected_by_name():
    ratings = pd.Categorical(["no", "yes", "maybe", "yes"], ["no", "maybe", "yes"], ordered=True)
    sample = pauci.Sample([0, 1, 0, 1], pd.Series(ratings))
    points = operating_points(sample, thresholds="maybe", tpr=1, fpr=[0, 0.5])
    assert [p.threshold for p in points] == ["maybe", "yes", "maybe", "yes"]
    assert [p.threshold for p in operating_points(sample, tpr=0)] == [None]
    assert "score >= above all" not in operating_points(sample, tpr=0).summary()
    with pytest.raises(ValueError, match=r"thresholds='mabe' is not a category.* mean 'maybe'"):
        operating_points(sample, thresholds=["no", "mabe"])


def test_large_integers_are_compared_exactly():
    top = 2**60
    sample = pauci.Sample([0, 1, 0, 1], np.array([top - 1, top, top + 1, top + 2]))
    for threshold in (top, float(top), np.int64(top)):
        assert operating_points(sample, thresholds=threshold).points[0][1:5] == (2, 1, 0, 1)
    assert operating_points(sample, thresholds=[top + 1]).points[0][1:5] == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"thresholds": math.nan}, ValueError, "thresholds=nan is not a threshold"),
        ({"thresholds": "high"}, TypeError, "thresholds='high' is not a threshold; the scores"),
        ({"thresholds": [1, True]}, TypeError, "thresholds=True is not a threshold"),
        ({"thresholds": []}, ValueError, r"thresholds=\[\] is empty"),
        ({"thresholds": {1, 2}}, TypeError, "thresholds is a set; pass a number, or a list"),
        ({"fpr": 10}, ValueError, r"fpr=10 holds 10; .* Did you mean 0\.1\?"),
        ({"sensitivity": [0.5, -1]}, ValueError, "sensitivity=-1 holds -1"),
        ({"tpr": "half"}, TypeError, "tpr='half' holds 'half'"),
    ],
)
def test_invalid_selections_of_operating_points(ct, asked, error, words):
    with pytest.raises(error, match=words) as caught:
        operating_points(ct, **asked)
    assert caught.value.argument == next(iter(asked))


# The interval of a threshold that was found is not that of the rule


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(7)
    y = np.arange(400) % 2
    return pauci.Sample(y, rng.normal(size=400) + 1.3 * y, name="svm")


def test_a_rate_issues_a_warning_about_the_interval_of_the_rule(scores):
    with pytest.warns(pauci.errors.ChosenThresholdWarning, match="do not cover the rule") as caught:
        operating_points(scores, specificity=0.9, sensitivity=[0.85, 0.9])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    for words in ("specificity >= 0.9", "Sensitivity(fpr=0.1)", "thresholds="):
        assert words in message
    assert caught[0].message.argument == "specificity"
    operating_points(scores, thresholds=[0, 1])  # which are fixed, and warn of nothing
    with pytest.warns(pauci.errors.ChosenThresholdWarning) as caught:
        operating_points(scores, specificity=1)
    assert "interval of its own" not in str(caught[0].message)


def test_the_warning_names_all_rules():
    sample = pauci.Sample([0, 1] * 60, np.random.default_rng(3).normal(size=120))
    with pytest.warns(pauci.errors.ChosenThresholdWarning) as caught:
        pauci.operating_points(sample, specificity=[0.8, 0.7], sensitivity=0.8)
    (message,) = [str(w.message) for w in caught]
    names = '"specificity >= 0.8", "specificity >= 0.7" and "sensitivity >= 0.8"'
    assert f"thresholds that were selected for {names} treat them as fixed" in message


@pytest.mark.filterwarnings("ignore::pauci.errors.ChosenThresholdWarning")
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_rule_has_the_interval_of_its_measure(scores, level):
    points = operating_points(
        scores, thresholds=0.5, fpr=0.2, specificity=0.9, tpr=0.7, sensitivity=0.85
    )
    frame = points.to_frame(level)
    measures = [
        None,
        pauci.Sensitivity(fpr=0.2),
        pauci.Sensitivity(specificity=0.9),
        pauci.Specificity(tpr=0.7),
        pauci.Specificity(sensitivity=0.85),
    ]
    assert frame["rule"].tolist()[1:] == ["sensitivity"] * 2 + ["specificity"] * 2
    assert pd.isna(frame["rule"][0])
    assert math.isnan(frame["rule_value"][0])
    for i, measure in enumerate(measures[1:], 1):
        e = pauci.estimate(scores, measure)
        found = frame.loc[i, ["rule_value", "rule_low", "rule_high"]].tolist()
        assert found == [e.value, *e.interval(level)]
        column = frame["rule"][i]
        assert found[0] == pytest.approx(frame[column][i], abs=0.01)
        width = frame[f"{column}_high"][i] - frame[f"{column}_low"][i]
        assert found[2] - found[1] > width  # it counts in that the threshold is found


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_a_rule_at_a_corner_or_with_one_row_has_no_interval(scores):
    points = operating_points(scores, fpr=[0, 1], tpr=1)
    assert "of the rule" not in points.summary().lower()
    frame = points.to_frame()
    assert frame["rule"].isna().all()
    assert frame["target"].tolist() == ["threshold found"] * 3
    frame = operating_points(pauci.Sample([0, 0, 1], [1, 2, 3]), fpr=0.5).to_frame()
    assert frame["rule_low"].isna().all()


@pytest.mark.filterwarnings("ignore::pauci.errors.ChosenThresholdWarning")
def test_few_selected_thresholds_are_printed_side_by_side(scores):
    points = operating_points(scores, thresholds=0.25, specificity=0.9, sensitivity=0.85)
    row = points.to_frame().iloc[1]
    for text in (points.summary(), points.to_markdown()):
        for name in ("sensitivity", "rule", "youden"):
            value = row["rule_value" if name == "rule" else name]
            shown = f"{value:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"
            assert shown in text
        assert "sensitivity of the" in text
        assert "specificity of the" in text
    assert max(map(len, points.summary().splitlines())) <= 80


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_the_interval_of_the_rule_covers_the_rule():
    """For normal scores, the interval of the selected threshold covers the rule in about 80%."""
    rng = np.random.default_rng(3)
    n, truth, held = 100, norm.sf(norm.isf(0.05) - 1.5), np.zeros((400, 2), bool)
    y = np.arange(2 * n) % 2
    for run in held:
        sample = pauci.Sample(y, rng.normal(size=2 * n) + 1.5 * y)
        row = operating_points(sample, specificity=0.95).to_frame().iloc[0]
        run[0] = row["sensitivity_low"] <= truth <= row["sensitivity_high"]
        run[1] = row["rule_low"] <= truth <= row["rule_high"]
    found, rule = held.mean(axis=0)
    assert found < 0.88
    assert rule > 0.91


# Youden's index and the corner


@given(samples(min_size=1))
def test_youden_and_closest_are_the_first_best_of_all(data):
    y, s = map(np.asarray, data)
    points = operating_points(pauci.Sample(y, s))
    n_pos, n_neg = int((y == 1).sum()), int((y == 0).sum())
    index = [Fraction(int(p[1]), n_pos) - Fraction(int(p[2]), n_neg) for p in points]
    square = [Fraction(int(p[3]), n_pos) ** 2 + Fraction(int(p[2]), n_neg) ** 2 for p in points]
    for p, j, d in zip(points, index, square, strict=True):
        assert p.youden == pytest.approx(float(j), abs=1e-15)
        assert p.youden == pytest.approx(p.sensitivity + p.specificity - 1, abs=1e-15)
        assert p.distance == pytest.approx(math.sqrt(d), abs=1e-15)
    every = points.points
    with pytest.warns(pauci.errors.ChosenThresholdWarning, match="largest Youden index"):
        best = points.youden
    assert best.threshold == every[index.index(max(index))].threshold
    with pytest.warns(pauci.errors.ChosenThresholdWarning, match=r"corner \(0, 1\)"):
        best = points.closest
    assert best.threshold == every[square.index(min(square))].threshold


def test_a_threshold_selected_on_the_data_warns_at_the_line_of_the_user(ct):
    points = operating_points(ct)
    with pytest.warns(pauci.errors.ChosenThresholdWarning, match="biased upwards") as caught:
        best = points.youden
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert best.threshold == 4
    text = " ".join(points.summary().split())
    assert "The largest Youden index (J) is 0.639 at 4; closest to the corner (0, 1) is 4." in text
    assert "values are biased upwards" in text


# Invalid arguments


def test_a_case_control_sample_needs_a_prevalence():
    sample = pauci.Sample.from_counts([2, 1], [9, 3], [2, 20], design="case-control")
    with pytest.warns(pauci.errors.SamplingRatioWarning, match=r"of 0\.353 positives") as caught:
        points = operating_points(sample)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "Prevalence 0.3529 (sampling ratio)." in " ".join(points.summary().split())
    assert operating_points(sample, prevalence=0.1).assumed


def test_clusters_and_weights_are_stated():
    y, scores, more = rows_of_all_kinds()
    clustered = operating_points(pauci.Sample(y, scores, cluster=more["cluster"]), thresholds=1)
    assert "40 positives, 120 negatives in 40 clusters." in clustered.summary()
    weighted = operating_points(pauci.Sample(y, scores, weight=more["weight"]), thresholds=1)
    assert "40 positives, 120 negatives, weighted." in weighted.summary()
    with pytest.warns(pauci.errors.FewClustersWarning):
        operating_points(pauci.Sample(y, scores, cluster=np.arange(160) // 40), thresholds=1)


def test_sentences(ct):
    points = operating_points(ct, thresholds=4)
    sentence = points.report()
    for words in (
        "at score >= 4",
        "sensitivity",
        "was 0.863 (44/51; 95% CI 0.747 to 0.938) for CT",
    ):
        assert words in sentence
    with pytest.warns(pauci.errors.ChosenThresholdWarning):
        chosen = operating_points(ct, specificity=0.7).report()
    assert "(specificity >= 0.7)" in chosen
    assert "largest at 4 (0.639)" in operating_points(ct).report()


def test_one_classifier_at_a_time():
    sample = pauci.Sample([0, 1, 0, 1], {"svm": [1, 2, 3, 4], "nn": [1, 3, 2, 4]})
    with pytest.raises(ValueError, match=r"2 classifiers \(svm, nn\).*sample\['svm'\]"):
        operating_points(sample)
    assert operating_points(sample["nn"]).classifier == "nn"


@pytest.mark.parametrize("prevalence", [0, 1, -0.2, 30])
def test_a_prevalence_is_between_0_and_1(ct, prevalence):
    with pytest.raises(ValueError, match=f"prevalence={prevalence} must lie strictly between"):
        operating_points(ct, prevalence=prevalence)


def test_other_arguments_are_checked(ct):
    with pytest.raises(TypeError, match="sample is a list"):
        operating_points([1, 2])
    with pytest.raises(TypeError, match="prevalence='x' must be a number"):
        operating_points(ct, prevalence="x")
    points = operating_points(ct)
    with pytest.raises(ValueError, match=r"kind='logit' does not apply.*result\.estimates"):
        points.summary(kind="logit")
    for call in (points.summary, points.to_frame):
        with pytest.raises(ValueError, match=r"level=95 .* Did you mean 0\.95"):
            call(level=95)


def test_importing_the_module_loads_no_heavy_packages():
    loaded = loaded_by("import pauci.analyses.operating_points")
    assert not loaded & {"pandas", "statsmodels", "scipy.stats"}


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("last", [2**53 - 9, 2**53, 2**53 + 2, 2**60 + 1, 7])
def test_thresholds_of_a_frame_are_exact_beyond_53_bits(last, lower):
    """Also if smaller ones, which are floats, are in the same column."""
    rng = np.random.default_rng(last % 97)
    scores = np.concatenate([2**53 + rng.integers(-9, 40, 60), [last]])
    y = rng.permutation(np.arange(61) % 2)
    points = operating_points(pauci.Sample(y, scores, lower_is_positive=lower))
    expected = sorted({*scores.tolist()}, reverse=not lower)
    assert points.to_frame()["threshold"].tolist() == expected
    selected = operating_points(
        pauci.Sample(y, scores, lower_is_positive=lower),
        thresholds=[expected[0], expected[-1]],
    )
    assert selected.to_frame()["threshold"].tolist() == [expected[0], expected[-1]]
