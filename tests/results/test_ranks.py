"""Simultaneous sets of ranks against all pairwise comparisons, and adjusted tests of estimates."""

import functools
import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
import tqdm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pauci
from pauci.intervals.simultaneous import ADJUSTMENTS, LargestDifference, adjusted_pvalues
from pauci.results.family import Estimates

SIZES = 40, 30


def study(k=6, sizes=SIZES, seed=1, shift=1.5, **options):
    """Return a sample with k markers of decreasing accuracy."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    x = rng.normal(size=(y.size, k)) + np.outer(y, np.linspace(shift, 0.0, k))
    return pauci.Sample(y, {f"m{i}": x[:, i] for i in range(k)}, **options)


def errors_of(cov):
    v = np.diag(cov)
    return np.sqrt(np.maximum(v[:, None] + v - 2 * cov, 0.0))


def differences(es):
    """Return the family of all pairwise differences, with the general implementation."""
    return es.differences(list(itertools.combinations(range(len(es)), 2)))


@pytest.mark.parametrize("measure", [pauci.AUC(), pauci.AP(), pauci.PAUC(fpr=(0, 0.3))])
@pytest.mark.usefixtures("quiet")
def test_the_largest_difference_is_that_of_all_pairs(measure):
    """The general implementation forms the covariance matrix of the 15 differences."""
    es = pauci.estimate(study(), measure)
    general = differences(es).largest_statistic
    largest = LargestDifference(es.cov, errors_of(es.cov))
    for level in (0.5, 0.9, 0.95, 0.99):
        # The Monte Carlo standard errors of the tails are at most 0.0016.
        tail = stats.norm.sf(largest.quantile(level))
        assert general.tail(stats.norm.isf(tail)) == pytest.approx(1 - level, abs=6e-3)


@pytest.mark.usefixtures("quiet")
@pytest.mark.long
def test_more_markers_than_rows_are_drawn_in_the_rank_of_z():
    """Direct draws of the contributions of the 30 units have the same distribution."""
    es = pauci.estimate(study(50, (15, 15), seed=4, shift=0.5), pauci.AUC())
    z = es.uncertainty.z.values
    u = np.random.default_rng(2).normal(size=(20_000, len(z))) @ z
    errors, direct = errors_of(es.cov), np.zeros(20_000)
    for i, j in itertools.combinations(range(50), 2):
        np.maximum(direct, np.abs(u[:, i] - u[:, j]) / errors[i, j], out=direct)
    largest = LargestDifference(es.cov, errors_of(es.cov))
    for level in (0.5, 0.95):
        # The Monte Carlo standard error of the difference of the tails is at most 0.004.
        assert largest.tail(np.quantile(direct, level)) == pytest.approx(1 - level, abs=0.016)


@pytest.mark.parametrize("k", [3, 8])
def test_independent_equal_variances_have_the_studentized_range(k):
    largest = LargestDifference(np.eye(k), errors_of(np.eye(k)))
    exact = stats.studentized_range.ppf(0.95, k, math.inf) / math.sqrt(2)
    assert largest.quantile(0.95) == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("options", [{}, {"cluster": np.arange(70) % 20}])
@pytest.mark.parametrize(
    "measure", [pauci.AUC(), pauci.AP(), pauci.PAUC(fpr=(0, 0.3)), pauci.PAUC(tpr=(0.5, 1))]
)
@pytest.mark.usefixtures("quiet")
def test_sets_are_those_of_all_pairwise_tests(measure, options):
    """A set is 1 + the number of better markers, to k - the number of worse ones."""
    es = pauci.estimate(study(**options), measure)
    ranks = es.ranks(best=2)
    order = [[e.classifier for e in es].index(e.classifier) for e in ranks.estimates]
    c = differences(es).largest_statistic.quantile(0.95)
    df = min(SIZES) - 1 if not options else es.fewest_clusters - 1
    critical = stats.t.isf(stats.norm.sf(c), df)
    assert ranks.critical == pytest.approx(critical, rel=0.005)
    for i, rank, low, high in zip(order, ranks.rank, ranks.low, ranks.high, strict=True):
        better = worse = 0
        for j in range(6):
            d = es.contrast(np.eye(6)[j] - np.eye(6)[i]) if j != i else None
            better += d is not None and d.value > ranks.critical * d.se
            worse += d is not None and -d.value > ranks.critical * d.se
        assert (low, high) == (1 + better, 6 - worse)
        assert rank == 1 + sum(es[j].value > es[i].value for j in range(6))
        assert low <= rank <= high


@given(st.integers(0, 10**6), st.integers(2, 12), st.floats(0.5, 0.999))
@pytest.mark.usefixtures("quiet")
@pytest.mark.long
def test_sets_contain_the_rank_and_grow_with_the_level(seed, k, level):
    es = pauci.estimate(study(k, (12, 15), seed), pauci.AUC())
    ranks, wider = es.ranks(1, level), es.ranks(1, 1 - (1 - level) / 2)
    assert [e.classifier for e in wider.estimates] == [e.classifier for e in ranks.estimates]
    sets = zip(wider.low, ranks.low, ranks.rank, ranks.high, wider.high, strict=True)
    assert all(1 <= a <= b <= r <= c <= d <= k for a, b, r, c, d in sets)
    assert ranks == es.ranks(1, level)
    words = ranks.among_best
    assert words.count("yes") <= 1 <= k - words.count("no")


def test_lower_values_of_the_brier_score_have_the_first_ranks():
    y = np.repeat([1, 0], 60)
    rng = np.random.default_rng(1)
    noise = rng.normal(size=120)
    risks = {str(s): 1 / (1 + np.exp(noise - s * (2 * y - 1))) for s in (0, 1, 3)}
    es = pauci.estimate(pauci.Sample(y, risks), pauci.Brier())
    ranks = es.ranks(best=1)
    assert [e.classifier for e in ranks.estimates] == ["3", "1", "0"]
    assert (ranks.low, ranks.high) == ((1, 2, 3), (1, 2, 3))
    assert ranks.among_best == ("yes", "no", "no")
    assert "Surely among the best 1: 1 (3); possibly: 0." in ranks.report()


@pytest.mark.usefixtures("quiet")
def test_a_marker_without_variance_is_as_uncertain_as_its_limit():
    """The limit of a perfect marker of 10 + 10 patients is that of 10 pairs, tail^(1/10)."""
    y = np.repeat([1, 0], 10)
    x = np.arange(20.0)[::-1]
    near = x.copy()
    near[[9, 12]] = near[[12, 9]]
    scores = {"perfect": x, "near": near, "poor": -near, "reversed": -x, "also perfect": 2 * x}
    es = pauci.estimate(pauci.Sample(y, scores), pauci.AUC())
    assert [e.se for e in es][::3] == [0.0, 0.0]
    ranks = es.ranks(best=1)
    assert ranks.rank == (1, 1, 3, 4, 5)
    distance = 1 - stats.t.sf(ranks.critical, 9) ** 0.1
    worse = {e.classifier for e in es if 1 - e.value > np.hypot(ranks.critical * e.se, distance)}
    assert worse == {"poor", "reversed"}
    highest = {e.classifier: high for e, high in zip(ranks.estimates, ranks.high, strict=True)}
    assert highest["perfect"] == highest["also perfect"] == 3


def test_a_copy_of_a_marker_is_never_better():
    x = np.random.default_rng(3).normal(size=70)
    y = np.repeat([1, 0], SIZES)
    es = pauci.estimate(pauci.Sample(y, {"a": x + y, "copy": x + y, "c": x}), pauci.AP())
    ranks = es.ranks(best=2)
    assert ranks.rank == (1, 1, 3)
    assert ranks.low[:2] == (1, 1)
    assert min(ranks.high[:2]) >= 2


@pytest.mark.long
def test_groups_and_bootstraps_have_ranks():
    group = np.tile(["a", "b"], 35)
    of_groups = pauci.estimate(study(1, group=group)["m0"], pauci.AUC(), by="group").ranks(best=1)
    assert sorted(e.group for e in of_groups.estimates) == ["a", "b"]
    assert list(of_groups.to_frame()["group"]) == [e.group for e in of_groups.estimates]
    es = pauci.estimate(study(), pauci.AUC(), variance=pauci.Bootstrap(400, rng=1))
    analytic = pauci.estimate(study(), pauci.AUC()).ranks(best=2)
    ranks = es.ranks(best=2)
    assert ranks.rank == analytic.rank
    np.testing.assert_allclose(ranks.low, analytic.low, atol=1)
    np.testing.assert_allclose(ranks.high, analytic.high, atol=1)


@pytest.mark.long
def test_ranks_are_written_in_all_formats():
    ranks = pauci.estimate(study(25), pauci.AUC()).ranks(best=3, level=0.9)
    table = ranks.to_frame()
    assert list(table["rank"]) == list(ranks.rank)
    assert list(table["among_best"]) == list(ranks.among_best)
    assert set(table["level"]) == {0.9}
    assert len(table) == len(json.loads(ranks.to_json())["rows"]) == 25
    lines = ranks.summary().splitlines()
    first = next(line for line in lines if line.startswith(table["classifier"][0]))
    assert f"{ranks.low[0]} to {ranks.high[0]}" in first
    assert "The first 20 of 25" in ranks.summary().replace("\n", " ")
    assert len(ranks.plot().get_yticklabels()) == 20
    assert f"with ranks {ranks.low[0]} to {ranks.high[0]}" in ranks.report()
    assert repr(ranks) == f"Ranks({ranks.report()})"


def test_a_progress_bar_counts_the_draws(capsys, monkeypatch):
    monkeypatch.setattr("tqdm.tqdm", functools.partial(tqdm.tqdm, disable=False))
    es = pauci.estimate(study(3), pauci.AUC())
    assert es.ranks(best=1, progress=True) == es.ranks(best=1, progress=False)
    assert "largest statistic: 100%" in capsys.readouterr().err
    es.ranks(best=1)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"best": 0}, "best"),
        ({"best": 7}, "best"),
        ({"best": 2.0}, "best"),
        ({"best": True}, "best"),
        ({"level": 0}, "level"),
        ({"level": 95}, "level"),
        ({"level": math.nan}, "level"),
        ({"progress": "always"}, "progress"),
        ({"of": [pauci.AUC(), pauci.AP()]}, "measure"),
        ({"of": [pauci.PAUC(fpr=(0, 0.2)), pauci.PAUC(fpr=(0, 0.3))]}, "measure"),
        ({"of": [pauci.PredictedPositiveRate(threshold=0)]}, "measure"),
        ({"classifiers": ["m1"], "best": 1}, "estimates"),
    ],
)
def test_bad_arguments_of_ranks(change, argument):
    sample = study()[change.pop("classifiers", [f"m{i}" for i in range(6)])]
    es = pauci.estimate(sample, change.pop("of", [pauci.AUC()]))
    with pytest.raises((pauci.InputError, pauci.InputTypeError)) as info:
        es.ranks(**{"best": 2} | change)
    assert info.value.argument == argument


@pytest.mark.usefixtures("quiet")
def test_estimates_without_standard_errors_have_no_ranks():
    with pytest.raises(pauci.UndefinedError, match="without an interval"):
        pauci.estimate(study(3)[["m0", "m1"]], pauci.InitialTPR()).ranks(best=1)
    es = pauci.estimate(study(3), pauci.AUC())
    unknown = Estimates((es[0], replace(es[1], se=math.nan), es[2]), es.uncertainty)
    with pytest.raises(pauci.UndefinedError, match="standard error of m1 is undefined"):
        unknown.ranks(best=1)


# Tests of all estimates


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("adjust", ADJUSTMENTS)
def test_p_values_are_those_of_single_tests_and_adjusted(adjust, alternative):
    es = pauci.estimate(study(), pauci.AUC())
    tests = es.tests(0.6, alternative, adjust)
    table = tests.to_frame()
    single = [e.test(0.6, alternative) for e in es]
    assert list(table["pvalue"]) == [t.pvalue for t in single]
    assert list(table["statistic"]) == [t.statistic for t in single]
    assert tuple(table["p_adjusted"]) == tests.p_adjusted
    if adjust == "none":
        expected = table["pvalue"]
    elif adjust == "max-t":
        sides = 2 if alternative == "two-sided" else 1
        root = np.linalg.cholesky(es.cov / np.outer(*[np.sqrt(np.diag(es.cov))] * 2))
        draws = np.random.default_rng(8).normal(size=(200_000, 6)) @ root.T
        largest = np.sort((np.abs(draws) if sides == 2 else draws).max(1))
        deviates = stats.norm.isf(table["pvalue"] / sides)
        expected = 1 - np.searchsorted(largest, deviates) / largest.size
        # The Monte Carlo standard errors of both are at most 0.0016.
        assert list(table["p_adjusted"]) == pytest.approx(expected, abs=8e-3)
        return
    else:
        expected = adjusted_pvalues(list(table["pvalue"]), adjust)
    assert list(table["p_adjusted"]) == pytest.approx(list(expected), rel=1e-12)


def test_null_values_may_differ_and_names_select_tests():
    es = pauci.estimate(study(3), [pauci.AUC(), pauci.AP()])
    tests = es.tests([0.5, 0.4] * 3, adjust="bonferroni")
    assert list(tests.to_frame()["null"]) == [0.5, 0.4] * 3
    of_auc = tests["AUC"]
    assert isinstance(of_auc, pauci.OneSampleTests)
    assert of_auc.nulls == (0.5,) * 3
    assert of_auc.p_adjusted == tuple(min(3 * p, 1) for p in of_auc.to_frame()["pvalue"])
    assert tests.joint([0.5] * 6).pvalue == es.joint([0.5] * 6).pvalue


@pytest.mark.usefixtures("quiet")
def test_figures_of_partial_areas_have_the_null_as_an_average_rate():
    es = pauci.estimate(study(3), pauci.PAUC(fpr=(0, 0.3)))
    for tests in (es.tests(0.045), es[0].test(0.045)):
        assert [row.null for row in tests._forest_rows(0.95, None)] == pytest.approx(
            [0.15] * len(tests.to_frame())
        )


@pytest.mark.long
def test_tables_and_figures_of_many_tests_have_the_smallest_p_values():
    tests = pauci.estimate(study(25), pauci.AUC()).tests(0.5, adjust="by")
    table = tests.to_frame().sort_values("pvalue", kind="stable")
    shown = list(table["classifier"][:20])
    assert len(table) == 25
    text = tests.summary()
    assert [line.split()[0] for line in text.splitlines() if line.startswith("m")] == shown
    assert [label.get_text() for label in tests.plot().get_yticklabels()] == shown
    below = (table["p_adjusted"] < 0.05).sum()
    assert tests.report().startswith(f"p (Benjamini and Yekutieli) < 0.05 in {below} of 25 tests.")
    assert "of 25 p-values; to_frame() has all" in text.replace("\n", " ")
    assert text.startswith("Area under the ROC curve (AUC) of 25 classifiers\n")
    two = pauci.estimate(study(2), pauci.AUC()).tests(0.5, adjust="none")
    assert "p < 0.05 in" in two.summary()
    assert "p < 0.05 in" not in two.report()


def test_a_single_test_states_its_bound():
    e = pauci.estimate(study(1), pauci.AUC())
    for alternative in ("two-sided", "greater"):
        test = e.test(0.6, alternative=alternative)
        tests = pauci.estimate(study(1), [pauci.AUC()]).tests(0.6, alternative=alternative)
        assert tests.summary() == test.summary()
        assert tests.report() == test.report()
        assert ("lower 95% bound" in tests.report()) == (alternative == "greater")


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"null": 1.5}, "null"),
        ({"null": math.nan}, "null"),
        ({"null": [0.5] * 5}, "null"),
        ({"null": []}, "null"),
        ({"null": "0.5"}, "null"),
        ({"null": None}, "null"),
        ({"adjust": "hochberg"}, "adjust"),
        ({"adjust": None}, "adjust"),
        ({"alternative": "above"}, "alternative"),
    ],
)
def test_bad_arguments_of_tests(change, argument):
    es = pauci.estimate(study(), pauci.AUC())
    with pytest.raises((pauci.InputError, pauci.InputTypeError)) as info:
        es.tests(**{"null": 0.5} | change)
    assert info.value.argument == argument


@pytest.mark.slow
def test_sets_of_ranks_cover_all_true_ranks():
    """With 30 markers in 40 + 40 patients, 4 standard errors of 400 samples are 4.4 points."""
    covered, shifts = 0, np.r_[np.linspace(1.2, 0.2, 8), np.zeros(22)]
    for seed in range(400):
        rng = np.random.default_rng(seed)
        y = np.repeat([1, 0], 40)
        x = rng.normal(size=(80, 30)) + np.outer(y, shifts)
        es = pauci.estimate(pauci.Sample(y, {str(i): x[:, i] for i in range(30)}), pauci.AUC())
        ranks = es.ranks(best=5)
        true = shifts[[int(e.classifier) for e in ranks.estimates]]
        smallest = 1 + (true > true[:, None]).sum(axis=1)
        largest = 30 - (true < true[:, None]).sum(axis=1)
        covered += bool((smallest >= ranks.low).all() and (largest <= ranks.high).all())
    assert covered / 400 >= 0.95 - 4.4e-2
