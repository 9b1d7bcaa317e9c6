"""Every registered measure through every public function.

A new measure enters by being registered. A function either returns a result that agrees with that
of `estimate` on the same rows, in every form of output, or raises an error with advice.
"""

import json
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pauci
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import constructor_arguments
from pauci.variance.leave_one_out import depends_on_a_point
from registry import instances, risk_instances

N = 160
Y = np.arange(N) % 4 == 0


def risks_of(y, rng):
    """Return the risks of two models for rows with these labels."""
    latent = rng.normal(1.3 * y)
    return {
        "a": 1 / (1 + np.exp(1.5 - 1.2 * latent)),
        "b": 1 / (1 + np.exp(1.2 - 0.6 * latent - rng.normal(0.5 * y, 0.8))),
    }


SCORES = risks_of(Y, np.random.default_rng(7))
FOLD = np.arange(N) // 4 % 4
GROUP = np.array(["F", "M"])[np.arange(N) // 4 % 2]
CLUSTER = np.arange(N) // 2


def _unique(measures):
    """Return the default form of each measure: at each kind of cut-off, or in one region."""
    first = {}
    for m in measures:
        kind = (m.region.kind, m.region.axis) if isinstance(m, AtCutoff) else ""
        first.setdefault((type(m), kind), m)
    return list(first.values())


MEASURES = sorted(
    [*_unique(instances((0.15, 0.4), spread=2)), *_unique(risk_instances())], key=repr
)
UNDEFINED_IN_FOLDS = pauci.InitialTPR, pauci.LocalC
"""Measures that are undefined if few observations lie in the region, or the AUC may be 0.5."""

pytestmark = [
    pytest.mark.usefixtures("quiet"),
    pytest.mark.parametrize("measure", MEASURES, ids=repr),
]


def sample(**options):
    return pauci.Sample(Y, SCORES, **options)


def written(result):
    """Write a result in every form, and return its data frame."""
    for text in (result.summary(), result.to_markdown(), result.to_latex(), result.to_html()):
        assert text
    assert result.report()
    if hasattr(result, "to_json"):
        json.loads(result.to_json(), parse_constant=pytest.fail)
    return result.to_frame()


def same(estimate, other):
    """Check that two estimates have the same value, standard error and interval."""
    np.testing.assert_allclose(estimate.value, other.value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(estimate.se, other.se, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(estimate.interval(), other.interval(), rtol=1e-6, atol=1e-9)


WITHOUT_TEST = "without an interval and without a test"


def se_of_influence(measure):
    """Return the SE of a difference from centred influence values, with divisors n.

    If only k rows determine a value, its influence is multiplied by the root of 1 + 1/k.
    """
    of_rows, slopes = [], []
    for name in "ab":
        ratings = sample().ratings(name)
        pos, neg, by_share = measure.influence_on(ratings.curve)[:3]
        values = (u.take(ratings.codes, mode="clip") for u in (pos, neg))
        k = measure.support(ratings.curve, measure.region.piece(ratings.curve))
        factor = math.sqrt(1.0 + 1.0 / k)
        of_rows.append(np.where(Y, *values) * factor)
        slopes.append(by_share * factor)
    d = of_rows[0] - of_rows[1]
    for of_class in (Y, ~Y):
        d[of_class] = (d[of_class] - d[of_class].mean()) / of_class.sum()
    d += (slopes[0] - slopes[1]) * (Y - Y.mean()) / N
    return math.sqrt(d @ d)


def has_scores(measure):
    return any(region.scores for region in measure.regions)


def test_estimates_and_differences(measure):
    es, c = pauci.estimate(sample(), measure), pauci.compare(sample(), measure)
    assert written(es).value.tolist() == [e.value for e in es]
    assert written(c).difference[0] == pytest.approx(es[0].value - es[1].value)
    influence = es.influence().to_numpy()
    np.testing.assert_allclose(influence.T @ influence, es.cov, rtol=1e-9, atol=1e-15)
    for alone, name in zip(es, "ab", strict=True):
        same(alone, pauci.estimate(sample()[name], measure))
        if not measure.has_interval:
            with pytest.raises(pauci.UndefinedError, match=WITHOUT_TEST):
                alone.test(null=0.5)
            continue
        # The p-value jumps where an interval is limited by a value of the sample.
        for limit, out in zip(alone.interval(), (-1e-7, 1e-7), strict=True):
            if measure.range.low + 1e-3 < limit < measure.range.high - 1e-3:
                assert alone.test(null=limit - out).pvalue > 0.05 - 2e-4
                assert alone.test(null=limit + out).pvalue < 0.05 + 2e-4
    low, high = c.interval()
    if measure.has_interval:
        assert (c.pvalue < 0.05) == (not low <= 0.0 <= high)
        margin = pauci.compare(sample(), measure, null=low, alternative="greater")
        assert margin.pvalue == pytest.approx(0.025, abs=2e-4)
    else:
        assert np.isnan([low, high, c.pvalue]).all()
    assert pauci.permutation_test(sample()["a"], measure, n_resamples=20, rng=1).pvalue > 0
    contrast = es.contrast({"a": 1, "b": -1})
    assert (contrast.value, contrast.se) == pytest.approx((c.difference, c.se))


def test_groups_are_estimates_of_their_rows(measure):
    groups = pauci.estimate(sample(), measure, by=GROUP)
    assert {"F", "M"} <= set(groups.to_frame()["group"])
    for name in ("F", "M"):
        rows = name == GROUP
        alone = pauci.Sample(Y[rows], {k: s[rows] for k, s in SCORES.items()})
        for e, other in zip(groups[name], pauci.estimate(alone, measure), strict=True):
            same(e, other)
    if measure.has_interval:
        assert 0 <= groups.heterogeneity(classifier="a").pvalue <= 1
    else:
        with pytest.raises(pauci.UndefinedError, match=WITHOUT_TEST):
            groups.heterogeneity(classifier="a")
    differences = pauci.compare(sample(), measure, by=GROUP)
    assert differences["F"].difference == pytest.approx(groups["F"][0].value - groups["F"][1].value)


@pytest.mark.long
def test_folds_are_averaged(measure):
    if isinstance(measure, UNDEFINED_IN_FOLDS):
        return
    fold_estimates = pauci.estimate(sample(fold=FOLD), measure)
    written(fold_estimates)
    written(pauci.compare(sample(fold=FOLD), measure))
    of_folds = [
        pauci.estimate(pauci.Sample(Y[k == FOLD], SCORES["a"][k == FOLD]), measure.in_folds).value
        for k in range(4)
    ]
    assert fold_estimates[0].value == pytest.approx(np.mean(of_folds))  # of equal sizes


def test_clusters_weights_and_strata_in_every_variance_method(measure):
    data = sample(cluster=CLUSTER, weight=1.0 + np.arange(N) % 3)
    analytic = pauci.compare(data, measure)
    bootstrap = pauci.Bootstrap(n_resamples=100, rng=1)
    assert 0.6 < pauci.compare(data, measure, variance=bootstrap).se / analytic.se < 1.7
    clustered, jackknife = sample(cluster=CLUSTER), pauci.Jackknife()
    left_out = pauci.compare(clustered, measure, variance=jackknife)
    # The jackknife is not consistent for quantiles.
    if depends_on_a_point(measure) is False:
        assert 0.6 < left_out.se / pauci.compare(clustered, measure).se < 1.7
    delta = pauci.compare(sample(), measure, variance="delta")
    if depends_on_a_point(measure):  # the delta method does not move estimated ends
        assert delta.se == pytest.approx(se_of_influence(measure), rel=1e-9)
    else:
        assert delta.se == pytest.approx(pauci.compare(sample(), measure).se, rel=0.05)
    estimate = pauci.estimate(sample()["a"], measure, variance=bootstrap)
    for kind in (None, "percentile", "bca"):
        low, high = estimate.interval(level=0.9, kind=kind)
        if measure.has_interval:
            assert low < estimate.value < high
        else:
            assert np.isnan([low, high]).all()
    written(pauci.compare(sample(design="case-control"), measure))


def test_plans(measure):
    if not measure.has_interval:
        with pytest.raises(pauci.InputError, match=WITHOUT_TEST):
            pauci.power(sample(), measure, 40, 120, difference=0.1)
        return
    c, pilot = pauci.compare(sample(), measure), sample()
    planned = pauci.power(pilot, measure, 40, 120, difference=3 * c.se, kind="wald")
    if not is_moved(measure):  # otherwise the error of the pilot is not that of the plan
        assert planned == pytest.approx(0.85, abs=0.06)
    e = pauci.estimate(pilot["a"], measure)
    assert pauci.expected_width(pilot["a"], measure, 40, 120) > 0
    plan = pauci.sample_size(pilot["a"], measure, null=e.interval()[0], power=0.8)
    assert plan.n_pos > 1
    written(plan)
    if measure.of_risks:
        advice = r"Plan from pauci\.assumed_risks, or from the risks of a pilot"
        with pytest.raises(pauci.InputError, match=advice):
            pauci.power(pauci.binormal((0.8, 0.7)), measure, 40, 120)
    elif isinstance(measure, AtCutoff):
        assert 0 < pauci.power(pauci.binormal((0.8, 0.7)), measure, 40, 120) < 1


def is_moved(measure):
    """Return whether standard errors of analyses are those with moved ends."""
    return not measure.known_ends


@cache
def studies(number=200):
    """Return cohorts of 160 rows on average a quarter of which are positive."""
    drawn = []
    for seed in range(number):
        rng = np.random.default_rng([9, seed])
        y = rng.random(N) < 0.25
        drawn.append(pauci.Sample(y, risks_of(y, rng)))
    return drawn


@pytest.mark.long
def test_the_planned_power_is_that_of_simulated_studies(measure):
    """For a true difference that is 3 standard errors from the null, with a large pilot.

    Of a local c, which 8 positives determine, the standard error is larger than planned.
    """
    if not measure.has_interval:
        return
    rng, n = np.random.default_rng(1), 8000
    y = np.arange(n) % 4 == 0
    pilot = pauci.Sample(y, risks_of(y, rng))
    excess = 3 * pauci.compare(pilot, measure).se * math.sqrt(n / N)
    planned = pauci.power(pilot, measure, 40, 120, difference=excess, kind="wald")
    found = [pauci.compare(study, measure) for study in studies()]
    difference, se, df = np.transpose([(c.difference, c.se, c.df) for c in found])
    null = difference.mean() - excess
    power = np.mean(np.abs(difference - null) / se > stats.t.isf(0.025, df))
    noise = 3 * math.sqrt(planned * (1 - planned) / len(found))
    if isinstance(measure, pauci.LocalC):
        assert 0.0 < planned - power < 0.12 + noise
    else:
        assert abs(power - planned) < 0.06 + noise


def test_scans(measure):
    cls, values = type(measure), (0.3, 0.5)
    axes = {"fpr", "tpr", "threshold"} & ({*cls.kinds} or constructor_arguments(cls))
    if not axes:
        with pytest.raises(pauci.InputError, match="has no region to scan"):
            pauci.scan(sample(), cls, fpr=values)
    for axis in sorted(axes):
        f = pauci.scan(sample()["a"], cls, **{axis: values}, rng=1, n_draws=2000)
        intervals = [e.interval() for e in pauci.estimate(sample()["a"], list(f.measures))]
        np.testing.assert_allclose(f.pointwise(), intervals)
        written(f)


def test_permutations_of_ranks_and_fitted_curves(measure):
    """They have no scores: measures of scores are refused with advice that applies to them.

    At a given threshold, the calls are permuted.
    """
    fits = [pauci.fit_binormal(sample()[name]) for name in "ab"]
    refused = []
    if measure.of_risks or (has_scores(measure) and not isinstance(measure, AtCutoff)):
        refused.append((pauci.permutation_test, sample()))
    else:
        assert 0 < pauci.permutation_test(sample(), measure, n_resamples=20, rng=1).pvalue <= 1
    if measure.of_risks or has_scores(measure):
        refused.append((pauci.compare, fits))
    else:
        written(pauci.compare(fits, measure))
    for function, data in refused:
        with pytest.raises(pauci.InputError) as caught:
            function(data, measure)
        hint = caught.value.hint
        assert hint
        for axis, other in (("fpr", "specificity"), ("tpr", "sensitivity")):
            if f"{axis}=" in hint or f"{other}=" in hint:
                assert axis in constructor_arguments(type(measure))


def test_reader_studies(measure):
    rng = np.random.default_rng(3)
    rows = [
        (reader, modality, case, int(Y[case]), 1 / (1 + np.exp(-x)))
        for reader in range(3)
        for modality, scores in SCORES.items()
        for case, x in enumerate(np.log(scores / (1 - scores)) + rng.normal(0, 0.4, N))
    ]
    names = ["reader", "modality", "case", "label", "score"]
    frame = pd.DataFrame(rows, columns=names)
    columns = {name: name for name in names}
    study = pauci.ReaderStudy.from_frame(frame, **columns, positive=1)
    m = pauci.mrmc(study, measure)
    written(m)
    for reader in range(3):
        for modality in SCORES:
            part = frame[(frame["reader"] == reader) & (frame["modality"] == modality)]
            e = pauci.estimate(pauci.Sample(part["label"], part["score"]), measure)
            (cell,) = [c for c in m.cells if (c.reader, c.modality) == (str(reader), modality)]
            same(cell, e)
    for options in ({"readers": "fixed"}, {"cases": "fixed"}, {"method": "jackknife"}):
        low = pauci.mrmc(study, measure, **options).to_frame().low
        assert np.isfinite(low).all() == measure.has_interval
    assert 0 <= pauci.mrmc_power(m, readers=5, positives=40, negatives=60) <= 1


def test_thresholds_by_classifier(measure):
    """A threshold for each classifier is that of scores on a common scale."""
    if not isinstance(measure, AtCutoff) or measure.threshold is None or measure.of_risks:
        return
    by_name = replace(measure, threshold={"a": measure.threshold, "b": 10 * measure.threshold})
    scaled = pauci.Sample(Y, {"a": SCORES["a"], "b": 10 * SCORES["b"]})
    same_scale = pauci.compare(sample(), measure)
    c = pauci.compare(scaled, by_name)
    assert (c.difference, c.se, c.pvalue) == (
        same_scale.difference,
        same_scale.se,
        same_scale.pvalue,
    )
    with pytest.raises(pauci.InputError, match="no threshold for 'b', but for 'a', 'bb'"):
        pauci.estimate(scaled, replace(measure, threshold={"a": 1, "bb": 1}))
    fold_scaled = pauci.Sample(Y, {"a": SCORES["a"], "b": 10 * SCORES["b"]}, fold=FOLD)
    assert pauci.compare(fold_scaled, by_name).difference == pytest.approx(
        pauci.compare(sample(fold=FOLD), measure).difference
    )
    groups = pauci.compare(scaled, by_name, by=GROUP)
    assert groups["F"].difference == pauci.compare(sample(), measure, by=GROUP)["F"].difference
