"""`pauci.cutoff`: values, intervals, sets, accuracy, tables, and errors for bad input."""

import functools
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pauci
from pauci.errors import InputError, InputTypeError, UndefinedError

RATING = [5, 4, 3, 2, 1]
PER_POS, PER_NEG = [30, 11, 6, 2, 1], [2, 9, 12, 17, 40]
NET_BENEFIT = functools.partial(pauci.NetBenefit, probability=0.25)


def ratings(**options):
    return pauci.Sample.from_counts(RATING, PER_POS, PER_NEG, name="film", **options)


def rows(n=120, seed=1):
    """Return labels and scores."""
    label = np.arange(n) % 3 == 0
    return label, np.random.default_rng(seed).normal(size=n) + 1.4 * label


def continuous(n=120, seed=1, **options):
    label, score = rows(n, seed)
    return pauci.Sample(label, {"svm": score}, **options)


def test_value_and_rates_at_a_specificity():
    k = pauci.cutoff(ratings(), specificity=0.85, rng=1)
    assert k.value == 4.0
    assert k.apparent.specificity.value == pytest.approx(69 / 80)
    assert k.apparent.sensitivity.value == pytest.approx(41 / 50)
    assert math.isnan(k.apparent.criterion)
    assert (k.folds, k.repeats, k.seed) == (5, 20, 1)


def test_value_at_a_sensitivity_and_at_equal_rates():
    assert pauci.cutoff(ratings(), sensitivity=0.9, rng=1).value == 3.0
    k = pauci.cutoff(ratings(), equal=True, rng=1)
    assert k.value == 4.0
    assert "equal sensitivity and specificity" in k.rule


def test_value_by_cost():
    k = pauci.cutoff(ratings(), cost=(10, 0.1), rng=1)
    costs = []
    for called in range(6):
        y, x = sum(PER_POS[:called]) / 50, sum(PER_NEG[:called]) / 80
        costs.append(0.1 * 10 * (1 - y) + 0.9 * x)
    assert k.value == RATING[int(np.argmin(costs)) - 1]
    assert k.apparent.criterion == pytest.approx(min(costs))
    y, x = k.honest.sensitivity.value, 1 - k.honest.specificity.value
    assert k.honest.criterion == pytest.approx(0.1 * 10 * (1 - y) + 0.9 * x)


def test_net_benefit_at_a_probability_is_a_cost_ratio():
    sample = pauci.Sample([0, 0, 0, 1] * 30, np.random.default_rng(3).random(120))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        k = pauci.cutoff(sample, maximize=NET_BENEFIT, rng=1)
        same = pauci.cutoff(sample, cost=(3, 0.25), rng=1)
    assert k.value == same.value
    assert k.apparent.criterion == pytest.approx(0.25 - same.apparent.criterion / 3)


def test_intervals_of_rates_are_mid_p():
    k = pauci.cutoff(ratings(), specificity=0.85, rng=1)
    low, high = k.apparent.sensitivity.interval(0.9)
    for end, side in ((high, 1), (low, -1)):
        mid_p = stats.binom.cdf(41, 50, end) - 0.5 * stats.binom.pmf(41, 50, end)
        assert mid_p == pytest.approx(0.05 if side == 1 else 0.95, abs=1e-9)
    assert k.honest.sensitivity.se == pytest.approx(
        math.sqrt(k.honest.sensitivity.value * (1 - k.honest.sensitivity.value) / 49)
    )


def test_honest_rates_are_lower_for_a_criterion():
    k = pauci.cutoff(continuous(), cost=(2, 1 / 3), rng=1)
    total = {
        which: getattr(k, which).sensitivity.value + getattr(k, which).specificity.value
        for which in ("apparent", "honest")
    }
    assert total["honest"] < total["apparent"]


def test_lower_is_positive_is_the_opposite_scale():
    labels, scores = rows()
    one = pauci.cutoff(pauci.Sample(labels, scores), specificity=0.9, rng=1)
    other = pauci.cutoff(
        pauci.Sample(labels, -scores, lower_is_positive=True), specificity=0.9, rng=1
    )
    assert other.value == -one.value
    assert other.interval() == (-one.interval().high, -one.interval().low)
    assert other.honest == one.honest
    assert "and below are positive" in other.report()
    assert "at most the cut-off" in other.summary()


def test_frequencies_are_copies():
    label, score = (np.repeat(v, PER_POS + PER_NEG) for v in ([1] * 5 + [0] * 5, RATING * 2))
    samples = pauci.Sample(label, score), ratings()
    one, other = (pauci.cutoff(s, cost=(1, 0.4), rng=3) for s in samples)
    assert one.value == other.value
    assert one.interval() == other.interval()
    assert one.honest == other.honest


def test_equal_weights_are_no_weights_except_for_degrees_of_freedom():
    weighted = pauci.cutoff(continuous(weight=np.full(120, 2.5)), cost=(2, 0.3), rng=3)
    plain = pauci.cutoff(continuous(), cost=(2, 0.3), rng=3)
    assert weighted.value == plain.value
    assert weighted.interval() == plain.interval()
    assert weighted.honest.sensitivity.value == pytest.approx(plain.honest.sensitivity.value)
    assert weighted.honest.sensitivity.size == pytest.approx(plain.honest.sensitivity.size)


def test_clusters_widen_sets_and_intervals():
    label, score = (np.repeat(values, 5) for values in rows(60))
    cluster = np.repeat(np.arange(60), 5)
    rng = np.random.default_rng(2)
    score = score + 0.01 * rng.random(300)
    plain = pauci.Sample(label, score)
    clustered = pauci.Sample(label, score, cluster=cluster)
    for rule in ({"specificity": 0.8}, {"cost": (1, 0.5)}, {"equal": True}):
        (a, b), (c, d) = (pauci.cutoff(s, rng=1, **rule).interval() for s in (plain, clustered))
        assert c <= a <= b <= d
        assert d - c > b - a
    sizes = [
        pauci.cutoff(s, specificity=0.8, rng=1).honest.sensitivity.size for s in (plain, clustered)
    ]
    assert sizes[1] < sizes[0] / 3


def test_the_set_has_its_range_and_gaps():
    k = pauci.cutoff(continuous(300), cost=(1, 0.5), rng=1)
    found = k.set(0.9)
    assert (found.low, found.high) == k.interval(0.9)
    assert found.low == min(found.cutoffs)
    assert found.high == max(found.cutoffs)
    assert k.value in found.cutoffs
    assert k.value in found
    assert 99.0 not in found
    assert isinstance(found.has_gaps, bool)
    assert len(k.set(0.99).cutoffs) >= len(found.cutoffs)


def test_categories_are_cutoffs():
    grades = pd.Categorical(["no", "yes", "maybe", "yes"] * 9, ["no", "maybe", "yes"], ordered=True)
    k = pauci.cutoff(pauci.Sample([0, 1, 0, 1] * 9, pd.Series(grades)), cost=(1, 0.5), rng=1)
    assert k.value == "yes"
    assert "yes" in k.summary()
    assert "yes" in k.set()
    assert "no" not in k.set()
    assert repr(k.interval()) == "Interval(low='yes', high='yes')"


def test_an_uncertain_zone():
    zone = pauci.cutoff(ratings(), rule_in=0.95, rule_out=0.9, rng=1)
    assert zone.value == (3.0, 5.0)
    assert zone.zone == (pytest.approx(17 / 50), pytest.approx(21 / 80))
    assert zone.interval()[1] == zone.upper.interval()
    assert "uncertain zone" in zone.report()
    assert len(zone.to_frame()) == 4


def test_groups_have_cutoffs_of_their_own():
    sample = continuous(240, group=np.where(np.arange(240) % 2, "a", "b"))
    found = pauci.cutoff(sample, cost=(1, 0.3), by="group", rng=4)
    assert {*found.labels} == {"a", "b"}
    mask = np.arange(240) % 2 == 1
    label, score = rows(240)
    alone = pauci.cutoff(pauci.Sample(label[mask], score[mask]), cost=(1, 0.3), rng=4)
    assert found["a"].value == alone.value
    assert found["a"].honest == alone.honest
    frame = found.to_frame()
    assert list(frame["group"].unique()) == list(found.labels)
    assert len(found) == len(list(found)) == 2
    with pytest.raises(KeyError):
        found["c"]


@pytest.mark.parametrize("rule", [{"equal": True}, {"rule_in": 0.9, "rule_out": 0.9}])
def test_tables_of_groups_state_the_size_of_the_sample(rule):
    sample = continuous(240, group=np.where(np.arange(240) % 2, "a", "b"))
    found = pauci.cutoff(sample, by="group", rng=1, **rule)
    assert "80 positives, 160 negatives" in found.summary()
    assert found.to_dict()["notes"][0] == "80 positives, 160 negatives."


def test_the_order_of_rows_and_names_of_clusters_do_not_matter():
    label, score = rows()
    order, cluster = np.random.default_rng(1).permutation(120), np.arange(120) // 3
    for options in ({}, {"weight": 1.0 + cluster % 5}, {"cluster": cluster}):
        shuffled = {k: v[order] for k, v in options.items()}
        one = pauci.cutoff(pauci.Sample(label, score, **options), cost=(1, 0.4), rng=2)
        again = pauci.Sample(label[order], score[order], **shuffled)
        other = pauci.cutoff(again, cost=(1, 0.4), rng=2)
        assert other.value == one.value
        assert other.honest.sensitivity.value == pytest.approx(one.honest.sensitivity.value)
        assert other.interval() == one.interval()


def test_the_same_seed_gives_the_same_result():
    one, same, other = (pauci.cutoff(continuous(), cost=(1, 0.3), rng=s) for s in (1, 1, 2))
    assert one.honest == same.honest != other.honest
    assert one.interval() == other.interval()


@pytest.mark.parametrize(
    "rule", [{"maximize": pauci.Youden}, {"maximize": NET_BENEFIT}, {"cost": (2, 0.3)}]
)
def test_results_can_be_pickled(rule):
    k = pauci.cutoff(ratings(), rng=1, **rule)
    other = pickle.loads(pickle.dumps(k))
    assert other.to_json() == k.to_json()
    assert other.set(0.8) == k.set(0.8)


def test_small_samples_have_fewer_folds():
    sample = pauci.Sample([1, 1, 1, 0, 0, 0, 0, 0, 0], [8, 9, 3, 2, 4, 1, 5, 6, 0])
    assert pauci.cutoff(sample, cost=(1, 0.5), rng=1).folds == 3


def test_table_and_sentences_name_the_targets():
    k = pauci.cutoff(ratings(), cost=(1, 0.4), rng=1)
    text = k.summary(level=0.9)
    assert "90% set" in text
    assert "expected cost" in text
    assert "new observations" in text
    assert "seed 1" in text
    sentence = k.report()
    assert "95% confidence set" in sentence
    assert "On new observations its sensitivity is" in sentence
    assert "5-fold cross-fitting with 20 repetitions" in sentence
    frame = k.to_frame()
    assert list(frame["measure"]) == ["sensitivity", "specificity", "expected cost"]
    assert (frame["cutoff"] == k.value).all()
    with pytest.raises(InputError):
        k.summary(kind="wald")


def test_a_cutoff_at_which_all_rows_are_positive_is_reported_with_a_warning():
    score = np.random.default_rng(8).normal(size=60)
    score[:2] = 9.0, -9.0  # the highest score is that of a negative
    noise = pauci.Sample([0, 1] * 30, score)
    with pytest.warns(pauci.errors.DegenerateWarning, match="all rows positive"):
        k = pauci.cutoff(noise, cost=(500, 0.5), rng=1)
    assert k.apparent.sensitivity.value == 1.0
    with pytest.warns(pauci.errors.DegenerateWarning, match="no row positive"):
        k = pauci.cutoff(noise, cost=(0.001, 0.5), rng=1)
    assert k.value == np.nextafter(9.0, math.inf)
    assert k.text_of(k.value) == "9.001"
    assert k.interval() == (k.value, math.inf)
    assert k.set().cutoffs == (k.value,)
    assert k.apparent.specificity.value == k.honest.specificity.value == 1.0
    assert k.honest.sensitivity.value == 0.0


@pytest.mark.parametrize("lower", [False, True])
def test_a_cutoff_beyond_all_scores_is_drawn_beside_the_best_score(lower):
    score = np.random.default_rng(8).normal(size=60)
    score[:2] = 9.0, -9.0
    noise = pauci.Sample([0, 1] * 30, -score if lower else score, lower_is_positive=lower)
    with pytest.warns(pauci.errors.DegenerateWarning, match="no row positive"):
        k = pauci.cutoff(noise, cost=(0.001, 0.5), rng=1)
    ax = k.plot()
    at = ax.get_lines()[-1].get_xdata()[0]
    assert at == k.value == np.nextafter(-9.0 if lower else 9.0, -math.inf if lower else math.inf)


@pytest.mark.parametrize(
    ("options", "argument", "words"),
    [
        ({}, "maximize", ["one rule", "none"]),
        ({"specificity": 0.9, "equal": True}, "specificity", ["specificity and equal"]),
        ({"specificity": 1}, "specificity", ["strictly between 0 and 1"]),
        ({"specificity": 0}, "specificity", ["strictly between 0 and 1"]),
        ({"sensitivity": 1.5}, "sensitivity", ["1.5"]),
        ({"sensitivity": "high"}, "sensitivity", ["high"]),
        ({"cost": (0, 0.1)}, "cost", ["not positive"]),
        ({"cost": (-2, 0.1)}, "cost", ["not positive"]),
        ({"cost": (2, 0)}, "cost", ["prevalence", "strictly between"]),
        ({"cost": 3}, "cost", ["pair"]),
        ({"cost": (math.inf, 0.1)}, "cost", ["finite"]),
        ({"maximize": pauci.Sensitivity}, "maximize", ["all rows", "specificity="]),
        ({"maximize": pauci.Specificity}, "maximize", ["no row"]),
        ({"maximize": pauci.AUC}, "maximize", ["AUC", "accuracy at a cut-off"]),
        ({"maximize": "youden"}, "maximize", ["class of a measure"]),
        ({"maximize": pauci.AUC()}, "maximize", ["class of a measure"]),
        ({"maximize": NET_BENEFIT, "prevalence": 2}, "prevalence", ["between 0 and 1"]),
        ({"specificity": 0.9, "prevalence": 0.1}, "prevalence", ["maximized"]),
        ({"rule_in": 0.95}, "rule_out", ["missing"]),
        ({"rule_in": 0.6, "rule_out": 0.6}, "rule_in", ["no uncertain zone"]),
        ({"rule_in": 0.99, "rule_out": 0.9}, "rule_in", ["0.975", "at 5"]),
        ({"specificity": 0.99}, "specificity", ["0.975", "at 5", "smaller"]),
        ({"sensitivity": 0.99}, "sensitivity", ["0.98", "at 2"]),
        ({"equal": True, "folds": 1}, "folds", ["at least 2"]),
        ({"equal": True, "repeats": 0}, "repeats", ["at least 1"]),
        ({"equal": 3}, "equal", ["True or False"]),
        ({"equal": True, "rng": -1}, "rng", ["negative"]),
        ({"equal": True, "by": "sex"}, "by", ["grouping"]),
        ({"equal": True, "skip_small": True}, "skip_small", ["by="]),
        ({"equal": True, "skip_small": 1}, "skip_small", ["True or False"]),
    ],
)
def test_errors_name_the_argument(options, argument, words):
    with pytest.raises((InputError, InputTypeError, UndefinedError)) as raised:
        pauci.cutoff(ratings(), **options)
    assert raised.value.argument == argument
    assert all(word in str(raised.value) for word in words)


def test_a_criterion_that_depends_on_the_prevalence_of_a_case_control_sample():
    sample = continuous(design="case-control")
    with pytest.raises(InputError, match="prevalence") as raised:
        pauci.cutoff(sample, maximize=NET_BENEFIT)
    assert raised.value.argument == "prevalence"


def test_several_classifiers_folds_and_a_single_row_of_a_class():
    two = pauci.Sample([0, 1] * 20, {"a": range(40), "b": range(40)})
    with pytest.raises(InputError, match=r"sample\['a'\]"):
        pauci.cutoff(two, equal=True)
    folds = pauci.Sample([0, 1] * 20, range(40), fold=np.arange(40) // 10)
    with pytest.raises(InputError, match="folds"):
        pauci.cutoff(folds, equal=True)
    with pytest.raises(UndefinedError, match="1 row with a positive label"):
        pauci.cutoff(pauci.Sample([1, 0, 0, 0], [4, 1, 2, 3]), equal=True)
    with pytest.raises(InputTypeError, match="needs a Sample"):
        pauci.cutoff([0, 1], equal=True)
    expected = pauci.Sample.from_counts([2, 1], [3.5, 2.0], [1.0, 4.0], fractional=True)
    with pytest.raises(InputError, match="integers"):
        pauci.cutoff(expected, equal=True)


@pytest.mark.parametrize("rule", [{"specificity": 0.9}, {"equal": True}, {"cost": (1, 0.5)}])
def test_equal_scores_have_no_cutoff(rule):
    with pytest.raises(UndefinedError, match=r"all scores of score are 2, so"):
        pauci.cutoff(pauci.Sample([0, 1] * 20, np.full(40, 2.0)), **rule)


def test_a_reversed_marker_has_a_warning():
    label, score = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.DegenerateWarning)
        with pytest.warns(pauci.errors.ReversedScoresWarning, match="below 0.5"):
            k = pauci.cutoff(pauci.Sample(label, -score), maximize=pauci.Youden, rng=1)
    assert k.value == np.nextafter((-score).max(), math.inf)
    assert "no score is positive" in k.report()


def test_small_groups_are_left_out_on_request():
    group = np.where(np.arange(120) == 0, "c", np.where(np.arange(120) % 2, "a", "b"))
    sample = continuous(group=group)
    with pytest.raises(InputError, match="skip_small=True"):
        pauci.cutoff(sample, equal=True, by="group")
    found = pauci.cutoff(sample, equal=True, by="group", skip_small=True, rng=1)
    assert found.labels == ("a", "b")
    assert found.skipped[0][0] == "c"
    for text in (found.summary(), found.report()):
        assert "1 group left out: 'c'" in " ".join(text.split())


def test_youdens_cutoff_has_the_largest_index():
    k = pauci.cutoff(ratings(), maximize=pauci.Youden, rng=1)
    indices = [sum(PER_POS[:c]) / 50 - sum(PER_NEG[:c]) / 80 for c in range(1, 6)]
    assert k.value == RATING[int(np.argmax(indices))]
    assert k.apparent.criterion == pytest.approx(max(indices))
    assert k.apparent.criterion == pytest.approx(
        pauci.estimate(ratings(), pauci.Youden(threshold=k.value)).value
    )
    with pytest.raises(InputError, match="does not depend on it"):
        pauci.cutoff(ratings(), maximize=pauci.Youden, prevalence=0.1)
    with pytest.raises(InputError, match="to be chosen"):
        pauci.cutoff(ratings(), maximize=functools.partial(pauci.Youden, threshold=4))


@pytest.mark.parametrize("measure", [pauci.PPV, pauci.NPV])
def test_predictive_values_have_degenerate_maxima(measure):
    with pytest.raises(InputError, match="few rows"):
        pauci.cutoff(ratings(), maximize=measure)


def test_tables_have_the_number_of_clusters_and_the_weights():
    label, score = rows()
    cluster, group = np.arange(label.size) // 3, np.arange(label.size) // 3 % 2
    sample = pauci.Sample(label, score, cluster=cluster, weight=1 + group)
    n = len(set(cluster.tolist()))
    k = pauci.cutoff(sample, equal=True, folds=2, repeats=1, rng=1)
    assert f"in {n} clusters, weighted." in k.summary()
    assert "(1 repetition," in " ".join(k.summary().split())
    assert k.to_dict()["sizes"][0]["clusters"] == n
    zone = pauci.cutoff(sample, rule_in=0.95, rule_out=0.95, folds=2, repeats=1, rng=1)
    assert f"in {n} clusters" in zone.summary()
    groups = pauci.cutoff(sample, equal=True, by=group, folds=2, repeats=1, rng=1)
    assert f"in {n} clusters" in groups.summary()
    split = pauci.cutoff(
        sample, equal=True, by=np.arange(label.size) % 2, folds=2, repeats=1, rng=1
    )
    assert f"in {n} clusters" in split.summary()  # a cluster in both groups is one cluster
    plain = pauci.cutoff(pauci.Sample(label, score), equal=True, rng=1).summary()
    assert "clusters" not in plain
    assert "weighted" not in plain


def test_a_youden_index_without_interval_has_a_note():
    label, score = rows()
    options = {"maximize": pauci.Youden, "folds": 2, "repeats": 1, "rng": 1}
    for cluster in (None, np.arange(label.size) // 3):
        k = pauci.cutoff(pauci.Sample(label, score, cluster=cluster), **options)
        without = k.to_frame()["apparent_low"].isna().any()
        assert (
            ("The Youden index has no interval" in k.summary()) == without == (cluster is not None)
        )


def test_an_honest_interval_ends_at_1_if_all_rows_of_the_class_are_called_correctly():
    k = pauci.cutoff(continuous(60, 4), specificity=0.99, rng=1)
    honest = k.honest.specificity
    assert k.apparent.specificity.value == 1.0
    assert honest.value < 1.0
    mid_p = pauci.cutoffs.cutoff_results.RateAtCutoff(honest.value, honest.size).interval(0.9)
    assert mid_p.high < 1.0
    assert honest.interval(0.9) == (mid_p.low, 1.0)


def test_an_honest_interval_ends_at_0_if_no_row_of_the_class_is_called_correctly():
    rate = pauci.cutoffs.cutoff_results.RateAtCutoff(0.1, 20.0, apparent=0.0)
    assert rate.interval().low == 0.0
    assert rate.interval().high < 1.0
