"""Cut-offs in other cohorts: rates, changes from the development data, targets and refusals."""

import math
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

import pauci
from pauci.cutoffs.cutoff_results import RateAtCutoff
from pauci.errors import DifferentScalesWarning, InputError, InputTypeError, UndefinedError


def rows(seed, n=240, shift=1.3, share=0.25):
    """Return labels and scores of a cohort."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) < share * n
    return label, rng.normal(size=n) + shift * label


def cohort(seed, n=240, shift=1.3, name="marker", sign=1, **options):
    label, score = rows(seed, n, shift)
    return pauci.Sample(label, sign * score, name=name, **options)


@cache
def chosen(**rule):
    return pauci.cutoff(cohort(1, 320), **(rule or {"specificity": 0.9}), rng=1)


def changes(v):
    return [q for q in v.quantities if isinstance(q, pauci.Comparison)]


def values(v, name="new data"):
    """Return the values of a cohort by measure."""
    frame = v.to_frame()
    frame = frame[frame["cohort"] == name]
    return dict(zip(frame["measure"], frame["value"], strict=True))


def test_rates_in_a_cohort_are_those_of_its_rows():
    k = chosen()
    label, score = rows(2)
    positive = score >= k.value
    found = values(k.validate(pauci.Sample(label, score, name="marker")))
    assert found["sensitivity"] == pytest.approx(positive[label].mean(), abs=1e-15)
    assert found["specificity"] == pytest.approx((~positive)[~label].mean(), abs=1e-15)
    assert found["PPV"] == pytest.approx(label[positive].mean(), abs=1e-15)
    assert found["NPV"] == pytest.approx((~label)[~positive].mean(), abs=1e-15)
    pairs = score[label][:, None] - score[~label]
    assert found["AUC"] == pytest.approx(np.mean((pairs > 0) + (pairs == 0) / 2), abs=1e-12)


@pytest.mark.parametrize("rule", [{"specificity": 0.9}, {"maximize": pauci.Youden}])
def test_a_copy_of_the_development_data_has_the_apparent_rates(rule):
    """Identifiers that differ say that the rows are others."""
    k = pauci.cutoff(cohort(1, cluster=np.arange(240)), **rule, rng=1)
    v = k.validate(cohort(1, cluster=np.arange(240) + 1000))
    found = values(v)
    assert found["sensitivity"] == k.apparent.sensitivity.value
    assert found["specificity"] == k.apparent.specificity.value
    for change, rate in zip(changes(v)[:2], ("sensitivity", "specificity"), strict=True):
        optimism = getattr(k.apparent, rate).value - getattr(k.honest, rate).value
        assert change.difference == pytest.approx(optimism, abs=1e-15)
    of_auc = changes(v)[2]
    assert of_auc.difference == 0.0
    assert of_auc.pvalue == 1.0


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_changes_have_the_limits_of_zou_and_donner(level):
    """d -/+ the root of the sum of the squared distances of both rates to their limits."""
    k = chosen()
    v = k.validate(cohort(2))
    for change, honest in zip(
        changes(v)[:2], (k.honest.sensitivity, k.honest.specificity), strict=True
    ):
        new, old = change.estimates
        (low, high), (low_old, high_old) = new.interval(level), honest.interval(level)
        assert old.interval(level) == honest.interval(level)
        d = new.value - honest.value
        below = math.hypot(new.value - low, high_old - honest.value)
        above = math.hypot(high - new.value, honest.value - low_old)
        assert change.interval(level) == pytest.approx((d - below, d + above), abs=1e-14)


def test_the_p_value_is_1_minus_the_level_at_which_a_limit_is_0():
    label, score = rows(2)
    for moved in (-0.6, -0.2, 0.2, 0.3):
        v = chosen().validate(pauci.Sample(label, score + moved, name="marker"))
        for change in changes(v)[:2]:
            side = 0 if change.difference > 0 else 1
            p = brentq(lambda q, c=change, s=side: c.interval(1 - q)[s], 1e-9, 0.49, xtol=1e-14)
            assert change.pvalue == pytest.approx(p, rel=1e-6)


@settings(max_examples=25)
@given(st.integers(2, 10**6), st.sampled_from([0.5, 0.9, 0.99]), st.floats(0.3, 2.5))
def test_p_is_below_alpha_exactly_if_the_interval_excludes_0(seed, level, shift):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        v = chosen(maximize=pauci.Youden).validate(cohort(seed, 60, shift))
    for change in changes(v):
        low, high = change.interval(level)
        assert (change.pvalue < 1 - level) == (low > 0 or high < 0)


def test_two_rates_of_1_have_the_limits_of_both():
    label = np.arange(60) < 20
    separated = pauci.Sample(label, label * 2.0 + np.arange(60) / 60, name="marker")
    k = pauci.cutoff(separated, maximize=pauci.Youden, rng=1)
    assert k.honest.specificity.value == 1.0
    other = np.arange(90) < 30
    new = pauci.Sample(other, other * 2.0 + np.arange(90) / 99, name="marker")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        change = changes(k.validate(new))[1]
    assert change.difference == 0.0
    assert change.pvalue == 1.0
    tail = 0.05 ** (1 / 60), 0.05 ** (1 / 40)  # mid-p limits, for a tail of .025
    assert change.interval() == pytest.approx((tail[0] - 1, 1 - tail[1]), abs=1e-9)


def test_no_rate_up_to_an_apparent_rate_of_1_is_excluded():
    ends = RateAtCutoff(0.95, 40.0, apparent=1.0).limits.ends
    assert ends.upper(0.001) == 1.0
    assert ends.tail(0.999, below=False) >= 0.5
    assert ends.tail(0.5, below=True) < 1e-6
    ends = RateAtCutoff(0.05, 40.0, apparent=0.0).limits.ends
    assert ends.lower(0.001) == 0.0
    assert ends.tail(0.001, below=True) >= 0.5


def test_the_change_of_the_auc_is_that_of_independent_samples():
    development, new = cohort(1, 320), cohort(2)
    change = changes(chosen().validate(new))[2]
    expected = pauci.compare([new, development], pauci.AUC(), independent=True)
    assert change.interval() == expected.interval()
    assert change.pvalue == expected.pvalue


def test_the_auc_of_the_development_data_may_be_that_of_folds():
    folds = cohort(1, 320, fold=np.arange(320) % 5)
    v = chosen().validate(cohort(2), development=folds)
    change = changes(v)[2]
    assert change.estimates[1].value == pauci.estimate(folds, pauci.AUC()).value
    assert "the AUC within 5 folds" in v.report()
    assert "the apparent AUC" in chosen().validate(cohort(2)).report()


def test_lower_scores_that_are_positive():
    reversed_scores = {"sign": -1, "lower_is_positive": True}
    k = pauci.cutoff(cohort(1, 320, **reversed_scores), specificity=0.9, rng=1)
    v, expected = k.validate(cohort(2, **reversed_scores)), chosen().validate(cohort(2))
    assert values(v) == values(expected)
    assert [c.pvalue for c in changes(v)] == [c.pvalue for c in changes(expected)]
    assert "Scores of at most the cut-off" in " ".join(v.summary().split())


def test_clusters_and_weights_count():
    new = cohort(2, cluster=np.arange(240) // 3 + 1000, weight=np.arange(240) % 3 + 1.0)
    k = pauci.cutoff(cohort(1, 320, cluster=np.arange(320) // 2), specificity=0.9, rng=1)
    change = changes(k.validate(new))[0]
    expected = pauci.estimate(new, pauci.Sensitivity(threshold=k.value))
    assert change.estimates[0].interval() == expected.interval()
    assert change.estimates[1].interval() == k.honest.sensitivity.interval()


def test_both_cutoffs_of_a_zone_are_validated():
    zone = pauci.cutoff(cohort(1, 320), rule_in=0.9, rule_out=0.9, rng=1)
    v = zone.validate(cohort(2))
    assert len(changes(v)) == 5  # four rates and the AUC
    for k, own in ((zone.upper, changes(v)[:2]), (zone.lower, changes(v)[2:4])):
        alone = k.validate(cohort(2))
        assert [c.interval() for c in own] == [c.interval() for c in changes(alone)[:2]]
        assert f"cut-off {k.text_of(k.value)}" in " ".join(v.summary().split())
    assert v.report().count("of at least 0.9 is ") == 2


def test_cutoffs_of_groups_are_validated_in_the_groups():
    sex = np.where(np.arange(320) % 2, "F", "M")
    by_sex = pauci.cutoff(cohort(1, 320, group=sex), specificity=0.8, by="group", rng=1)
    group = np.where(np.arange(240) % 3, "F", "M")
    label, score = rows(2)
    v = by_sex.validate({"Berlin": pauci.Sample(label, score, name="marker", group=group)})
    for name in ("F", "M"):
        part = pauci.Sample(label[group == name], score[group == name], name="marker")
        alone = changes(by_sex[name].validate(part))
        own = [c for c in changes(v) if c.group == name]
        assert [c.interval() for c in own] == [c.interval() for c in alone]
        assert f'Cut-off in "{name}"' in v.report()
    assert set(v.to_frame()["group"]) == {"F", "M"}


def test_several_cohorts_stand_in_one_table():
    v = chosen().validate({"Berlin": cohort(2), "Paris": cohort(3, shift=0.7)})
    assert len(changes(v)) == 6
    text = v.summary()
    assert max(map(len, text.splitlines())) <= 80
    assert "accuracy in\nBerlin and Paris" in text
    for name in ("development", "Berlin", "Paris", "Berlin - development", "Paris - development"):
        assert name in text
    alone = chosen().validate({"Paris": cohort(3, shift=0.7)})
    assert values(v, "Paris") == values(alone, "Paris")
    sentence = next(s for s in v.report().splitlines() if s.startswith("The sensitivity"))
    assert sentence.count("95% CI") == 5  # three rates and two changes
    assert f"{round(values(v, 'Paris')['sensitivity'] * 60)}/60" in sentence
    labels = [label.get_text() for label in v.plot().get_yticklabels()]
    assert sum("Paris" in label for label in labels) == 5


@pytest.mark.parametrize(
    ("shift", "conclusion"),
    [(-3.0, "confirmed"), (-0.2, "not confirmed and not excluded"), (1.0, "excluded")],
)
def test_the_target_of_the_rule(shift, conclusion):
    label, score = rows(7)
    k = pauci.cutoff(cohort(1, 320), specificity=0.92, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DifferentScalesWarning)
        v = k.validate({"Berlin": pauci.Sample(label, score + shift, name="marker")})
    assert f"A specificity of at least 0.92 is {conclusion} in Berlin." in v.report()
    frame = v.to_frame()
    found = frame[(frame["cohort"] == "Berlin") & (frame["measure"] == "specificity")].iloc[0]
    assert (found["low"] >= 0.92) == (conclusion == "confirmed")
    assert (found["value"] >= 0.92) == (conclusion != "excluded")
    targets = frame.loc[frame["target"].notna(), ["measure", "target"]]
    assert targets.drop_duplicates().to_numpy().tolist() == [["specificity", 0.92]]


def test_a_criterion_has_no_target():
    v = chosen(maximize=pauci.Youden).validate(cohort(2))
    assert v.to_frame()["target"].isna().all()
    assert "confirmed" not in v.report()


def test_a_cutoff_beyond_all_new_scores_has_no_ppv():
    label, score = rows(2)
    new = pauci.Sample(label, score - 9.0, name="marker")
    with pytest.warns(DifferentScalesWarning, match="outside the scores of new data"):
        v = chosen().validate(new)
    found = values(v)
    assert found["sensitivity"] == 0.0
    assert "PPV" not in found
    assert v.undefined == ("PPV in new data",)
    assert "Undefined: PPV in new data." in v.report()
    assert "Undefined: PPV in new data." in v.to_dict()["report"][-1]


def test_a_cutoff_at_which_no_row_is_positive():
    label, score = rows(1, 60)
    score[30] = 4.0
    with pytest.warns(pauci.errors.DegenerateWarning, match="no row positive"):
        k = pauci.cutoff(pauci.Sample(label, score), cost=(0.001, 0.5), rng=1)
    label, score = rows(2)
    score[:3] = 4.5
    v = k.validate(pauci.Sample(label, score))
    assert values(v)["sensitivity"] == 3 / 60
    assert changes(v)[0].estimates[1].interval().low == 0.0


def test_risks_are_calibrated_or_not():
    label, score = rows(2)
    risk = 1 / (1 + np.exp(-score))
    own_label, own = rows(1)
    k = pauci.cutoff(pauci.Sample(own_label, 1 / (1 + np.exp(-own))), specificity=0.9, rng=1)
    new = pauci.Sample(label, risk)
    found = values(k.validate(new, risks=True))
    for measure in (pauci.OE(), pauci.CalibrationIntercept(), pauci.CalibrationSlope()):
        assert found[measure.label] == pauci.estimate(new, measure).value
    assert "O/E" not in values(k.validate(new))


def test_case_control_samples_have_no_predictive_values():
    assert {*values(chosen().validate(cohort(2, design="case-control")))} == {
        "sensitivity",
        "specificity",
        "AUC",
    }


def test_categories():
    order = ["no", "maybe", "yes"]
    draw = np.random.default_rng(5).integers
    grades = [
        pd.Series(pd.Categorical(np.take(order, draw(0, 3, 90)), order, ordered=True), name="x")
        for _ in range(2)
    ]
    label = np.arange(90) % 3 == 0
    grades[0][label] = "yes"
    k = pauci.cutoff(pauci.Sample(label, grades[0]), maximize=pauci.Youden, rng=1)
    v = k.validate(pauci.Sample(label, grades[1]))
    assert values(v)["sensitivity"] == (grades[1][label] == "yes").mean()


def test_a_cutoff_beyond_all_categories_is_not_validated():
    order = ["no", "maybe", "yes"]
    grade = pd.Series(pd.Categorical(np.take(order, np.arange(90) % 3), order, ordered=True))
    sample = pauci.Sample(np.arange(90) % 5 == 0, grade.rename("x"))
    with pytest.warns(pauci.errors.DegenerateWarning, match="no row positive"):
        k = pauci.cutoff(sample, cost=(0.001, 0.5), rng=1)
    assert k.value is None
    with pytest.raises(UndefinedError, match="no category is positive at the cut-off"):
        k.validate(pauci.Sample(np.arange(90) % 4 == 0, grade.rename("x")))


def test_errors_of_rates_are_not_those_of_delong():
    assert "Standard errors: DeLong's method for the AUC." in " ".join(
        chosen().validate(cohort(2)).summary().split()
    )


BAD = {
    "the same rows": ({}, cohort(1, 320), "has rows of the data that chose"),
    "some of the rows": (
        {},
        pauci.Sample(*(a[::-2] for a in rows(1, 320)), name="marker"),
        "of about 160 rows in common",
    ),
    "patients": (
        {"cluster": np.arange(320) // 2},
        cohort(2, cluster=np.arange(240) // 2 + 150),
        "10 cluster labels, such as 150,",
    ),
    "identifiers": (
        {"cluster": np.arange(320)},
        cohort(2, cluster=np.arange(240) + 318),
        "2 cluster labels, such as 318,",
    ),
    "another score": ({}, cohort(2, name="age"), "has no score 'marker'"),
    "lower scores": (
        {},
        cohort(2, sign=-1, lower_is_positive=True),
        "opposite direction in new data: lower scores are positive",
    ),
    "reversed scores": ({}, cohort(2, sign=-1), "opposite direction in new data"),
    "folds": ({}, cohort(2, fold=np.arange(240) % 5), "is in 5 folds"),
    "no cohort": ({}, {}, "at least one cohort"),
    "a name": ({}, {"development": cohort(2)}, "names other than 'development'"),
    "equal names": ({}, {1: cohort(2), "1": cohort(3)}, "distinct names"),
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.keep) for name in BAD])
def test_refused_cohorts(name):
    options, new, words = BAD[name]
    k = pauci.cutoff(cohort(1, 320, **options), specificity=0.9, rng=1)
    with pytest.raises(InputError, match=words) as caught:
        k.validate(new)
    assert caught.value.argument in ("new", "fold")


def test_the_sample_that_chose_the_cutoff_is_refused():
    sample = cohort(1, 320)
    k = pauci.cutoff(sample, specificity=0.9, rng=1)
    with pytest.raises(InputError, match="b has all rows in common") as caught:
        k.validate({"a": cohort(2), "b": sample})
    assert "k.apparent" in caught.value.hint


def test_a_pandas_index_identifies_rows():
    index = pd.Index([f"p{i}" for i in range(320)])
    label, score = rows(1, 320)
    order = np.random.default_rng(3).permutation(320)
    label, score = pd.Series(label[order], index), pd.Series(score[order], index, name="marker")
    k = pauci.cutoff(pauci.Sample(label, score), specificity=0.9, rng=1)
    with pytest.raises(InputError, match="the index and label of about 200 rows"):
        k.validate(pauci.Sample(label[:200], score[:200] + 0.01))


@pytest.mark.parametrize("new", [None, [1, 2], "cohort", {"a": 3}, [cohort(2)]])
def test_cohorts_are_samples(new):
    with pytest.raises(InputTypeError, match="pass a Sample") as caught:
        chosen().validate(new)
    assert caught.value.argument == "new"


def test_other_arguments_that_are_refused():
    k, new = chosen(), cohort(2)
    with pytest.raises(InputError, match="out-of-fold scores") as caught:
        k.validate(new, development=cohort(1, 320))
    assert caught.value.argument == "development"
    with pytest.raises(InputTypeError, match="development is"):
        k.validate(new, development=[1])
    with pytest.raises(InputTypeError, match="risks"):
        k.validate(new, risks=1)
    with pytest.raises(InputError, match="risks between 0 and 1"):
        k.validate(new, risks=True)
    label, score = rows(2)
    one = pauci.Sample(label & (np.arange(240) == 0), score, name="marker")
    with pytest.raises(UndefinedError, match="1 row with a positive label"):
        k.validate(one)
    with pytest.raises(InputError, match="does not apply to validations"):
        k.validate(new).summary(kind="wald")


def test_groups_that_differ_are_refused():
    sex = np.where(np.arange(320) % 2, "F", "M")
    by_sex = pauci.cutoff(cohort(1, 320, group=sex), specificity=0.8, by="group", rng=1)
    with pytest.raises(InputError, match="is not a grouping of this sample"):
        by_sex.validate(cohort(2))
    other = cohort(2, group=np.take(["F", "M", "X"], np.arange(240) % 3))
    with pytest.raises(InputError, match="has other groups in new data") as caught:
        by_sex.validate(other)
    assert caught.value.argument == "new"
    folds = cohort(1, 320, fold=np.arange(320) % 5)
    with pytest.raises(InputError, match="applies to one cut-off"):
        by_sex.validate(cohort(2, group=sex[:240]), development=folds)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "shift"),
    [({"maximize": pauci.Youden}, 0.0), ({"specificity": 0.9}, 0.0), ({"specificity": 0.9}, 0.4)],
)
def test_coverage_of_changes(rule, shift):
    """500 pairs of studies; the true rates of each cut-off are known."""
    rng, pairs = np.random.default_rng(11), 500
    covered = np.zeros(3)
    for _ in range(pairs):
        samples = []
        for n, moved in ((300, 0.0), (200, shift)):
            label = np.arange(n) < n / 4
            samples.append(pauci.Sample(label, rng.normal(size=n) + 1.2 * label + moved))
        k = pauci.cutoff(samples[0], **rule, repeats=10, rng=1)
        c = k.value
        truth = norm.sf(c - 1.2 - shift) - norm.sf(c - 1.2), norm.cdf(c - shift) - norm.cdf(c), 0.0
        for i, change in enumerate(changes(k.validate(samples[1]))):
            low, high = change.interval()
            covered[i] += low <= truth[i] <= high
    assert (covered / pairs > 0.915).all()  # .95 less 3.6 standard errors
    assert (covered / pairs < 0.99).all()
