"""Permutation tests: enumeration, Mann-Whitney, level, seeds, bad input."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import pauci
from blocks import use_small_blocks
from pauci.analyses.permutation import enumerated_tables, permutation_test
from pauci.checks import count
from pauci.measures import AP, AUC, AUK, PAUC, MaxKappa, PAUCc
from strategies import samples

pytestmark = pytest.mark.usefixtures("quiet")
MEASURES = [
    AUC(),
    PAUC(fpr=(0, 0.3)),
    PAUCc(tpr=(0.2, 0.7)),
    PAUCc(fpr=(0.1, 0.5), ends="middle"),
    AP(),
    AP(corrected=True),
    AUK(),
    MaxKappa(),
    PAUC(fpr=(0, 0.5)) / AUC(),
]
ALTERNATIVES = ["two-sided", "greater", "less"]


def value_of(measure, labels, scores):
    sample = pauci.Sample(labels, scores)
    curve = sample.ratings("score").curve
    try:
        return measure.value(curve, measure.region.piece(curve))
    except ValueError:
        return math.nan


def swapped_by_hand(measure, labels, a, b, units=None):
    """The difference after every choice of rows, or of groups of rows, that swap."""
    a, b = stats.rankdata(a), stats.rankdata(b)
    units = np.arange(len(a)) if units is None else np.unique(units, return_inverse=True)[1]
    found = []
    for chosen in itertools.product([False, True], repeat=units.max() + 1):
        swap = np.array(chosen)[units]
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        found.append(value_of(measure, labels, first) - value_of(measure, labels, second))
    return np.array(found)


def dealt_by_hand(measure, labels, scores):
    found = []
    for chosen in itertools.combinations(range(len(labels)), sum(labels)):
        dealt = np.zeros(len(labels), int)
        dealt[list(chosen)] = 1
        found.append(value_of(measure, dealt, scores))
    return np.array(found)


def p_by_hand(null, observed, alternative, symmetric):
    null = null[~np.isnan(null)]
    upper, lower = (null >= observed - 1e-11).mean(), (null <= observed + 1e-11).mean()
    if alternative == "two-sided":
        if symmetric:
            return (np.abs(null) >= abs(observed) - 1e-11).mean()
        return min(1.0, 2.0 * min(upper, lower))
    return upper if alternative == "greater" else lower


def outcome(sample, measure, **options):
    """The test, unless the measure is undefined."""
    try:
        return permutation_test(sample, measure, **options)
    except ValueError as error:
        assume("undefined" not in str(error) and " is 0" not in str(error))
        raise


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@settings(max_examples=15)
@given(data=samples(classifiers=2, max_size=4), alternative=st.sampled_from(ALTERNATIVES))
@pytest.mark.long
def test_all_swaps_by_hand(measure, data, alternative):
    labels, a, b = data
    test = outcome(pauci.Sample(labels, {"a": a, "b": b}), measure, alternative=alternative)
    null = swapped_by_hand(measure, labels, a, b)
    assert test.exact
    assert test.error_of_pvalue == 0.0
    assert test.statistic == pytest.approx(null[0])
    assert test.pvalue == pytest.approx(p_by_hand(null, null[0], alternative, symmetric=True))
    # Rows with equal ranks repeat permutations; undefined ones are counted and omitted.
    repeats, undefined = len(null) // test.n_resamples, np.isnan(null)
    assert test.n_undefined * repeats == undefined.sum()
    np.testing.assert_allclose(
        np.sort(np.repeat(test.distribution, repeats)), np.sort(null[~undefined]), atol=1e-12
    )


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@settings(max_examples=15)
@given(data=samples(max_size=4), alternative=st.sampled_from(ALTERNATIVES))
def test_all_labels_by_hand(measure, data, alternative):
    labels, scores = data
    test = outcome(pauci.Sample(labels, scores), measure, alternative=alternative)
    null, observed = dealt_by_hand(measure, labels, scores), value_of(measure, labels, scores)
    assert test.exact
    assert test.probabilities.sum() == pytest.approx(1.0)
    assert test.pvalue == pytest.approx(p_by_hand(null, observed, alternative, symmetric=False))
    assert test.probabilities @ test.distribution == pytest.approx(np.nanmean(null))


@settings(max_examples=25)
@given(samples(classifiers=2, min_size=3, max_size=5), st.data())
@pytest.mark.long
def test_clusters_are_swapped_as_a_whole(data, draw):
    labels, a, b = data
    cluster = draw.draw(st.lists(st.integers(0, 4), min_size=len(a), max_size=len(a)))
    test = permutation_test(pauci.Sample(labels, {"a": a, "b": b}, cluster=cluster), AUC())
    null = swapped_by_hand(AUC(), labels, a, b, cluster)
    assert test.pvalue == pytest.approx(p_by_hand(null, null[0], "two-sided", symmetric=True))
    assert f"in {count(len(set(cluster)), 'cluster')}" in " ".join(test.summary().split())


@settings(max_examples=20)
@given(samples(classifiers=2, max_size=4), st.data())
def test_copies_of_a_row_are_permuted_separately(data, draw):
    labels, a, b = map(np.array, data)
    times = np.array(draw.draw(st.lists(st.integers(0, 2), min_size=a.size, max_size=a.size)))
    assume(times[labels == 1].any() and times[labels == 0].any())
    short = pauci.Sample(labels, {"a": a, "b": b}, frequency=times)
    long = pauci.Sample(*(np.repeat(v, times) for v in (labels, a)), name="a")
    both = {"a": np.repeat(a, times), "b": np.repeat(b, times)}
    for one, other in ((short, pauci.Sample(np.repeat(labels, times), both)), (short["a"], long)):
        p, q = (permutation_test(s, PAUC(fpr=(0, 0.4)), 199, rng=1) for s in (one, other))
        assert p.exact == q.exact
        assert p.statistic == pytest.approx(q.statistic)
        assert p.pvalue == pytest.approx(q.pvalue, abs=0.0 if p.exact else 0.25)


@settings(max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.data())
def test_tables_are_listed_with_their_probabilities(totals, draw):
    assume(sum(totals) > 0)
    n_pos = draw.draw(st.integers(0, sum(totals)))
    choices, chances = enumerated_tables(np.array(totals), n_pos, 10**5)
    known = {
        x: math.prod(map(math.comb, totals, x)) / math.comb(sum(totals), n_pos)
        for x in itertools.product(*(range(t + 1) for t in totals))
        if sum(x) == n_pos
    }
    found = dict(zip(map(tuple, choices.tolist()), chances, strict=True))
    assert found == pytest.approx(known)
    assert (enumerated_tables(np.array(totals), n_pos, len(known) - 1) is None) == (len(known) > 0)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_labels_test_of_the_auc_is_mann_whitney(alternative):
    rng = np.random.default_rng(4)
    labels, scores = np.repeat([0, 1], [9, 7]), rng.normal(size=16) + np.repeat([0, 0.8], [9, 7])
    known = stats.mannwhitneyu(
        scores[labels == 1], scores[labels == 0], alternative=alternative, method="exact"
    ).pvalue
    sample = pauci.Sample(labels, scores)
    exact = permutation_test(sample, AUC(), alternative=alternative)
    assert exact.exact
    assert exact.pvalue == pytest.approx(known, rel=1e-9)


@pytest.mark.parametrize("ties", [1, 40])
def test_drawn_labels_agree_with_the_normal_limit(ties):
    rng = np.random.default_rng(5)
    labels, scores = rng.permutation(np.repeat([0, 1], 200)), np.arange(400) // ties
    test = permutation_test(pauci.Sample(labels, scores), AUC(), 1999, rng=1)
    known = stats.mannwhitneyu(
        scores[labels == 1], scores[labels == 0], method="asymptotic", use_continuity=False
    )
    assert not test.exact
    assert test.pvalue == pytest.approx(known.pvalue, abs=5 * test.error_of_pvalue)
    assert test.distribution.mean() == pytest.approx(0.5, abs=0.01)


def test_drawn_swaps_agree_with_all_of_them(monkeypatch):
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1], 6)
    a, b = rng.integers(0, 9, (2, 12)) + 2 * labels
    sample = pauci.Sample(labels, {"a": a, "b": b})
    for measure in MEASURES[:-2]:
        exact = permutation_test(sample, measure)
        with monkeypatch.context() as patched:
            patched.setattr("pauci.analyses.permutation._MAX_ENUMERATED", 0)
            drawn = permutation_test(sample, measure, 999, rng=2)
        assert exact.exact
        assert not drawn.exact
        # Every random permutation is among the enumerated ones.
        gaps = np.abs(np.subtract.outer(drawn.distribution, exact.distribution)).min(axis=1)
        assert gaps.max() < 1e-12
        assert drawn.pvalue == pytest.approx(exact.pvalue, abs=5 * drawn.error_of_pvalue + 1e-3)
        assert drawn.pvalue >= 1 / 1000


def test_level_of_the_paired_test():
    rng = np.random.default_rng(11)
    labels, rejected = np.repeat([0, 1], 20), 0
    for _ in range(200):
        common = rng.normal(size=40) + labels
        a, b = common + rng.normal(size=(2, 40))
        sample = pauci.Sample(labels, {"a": a, "b": np.exp(b)})
        rejected += permutation_test(sample, AUC(), 199, rng=1).pvalue <= 0.05
    assert 2 <= rejected <= 22  # a binomial of 200 at 5% is outside once in a thousand


@pytest.mark.parametrize("measure", [PAUCc(fpr=(0, 0.2)), AP(corrected=True)], ids=repr)
@pytest.mark.parametrize("classifiers", [1, 2])
def test_results_do_not_depend_on_workers(measure, classifiers):
    rng = np.random.default_rng(6)
    labels = np.repeat([0, 1], 150)
    scores = {n: rng.normal(size=300) + labels for n in "ab"[:classifiers]}
    sample = pauci.Sample(labels, scores)
    one, two = (permutation_test(sample, measure, 300, rng=8, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.distribution, two.distribution)
    assert (one.pvalue, one.seed) == (two.pvalue, 8)
    other = permutation_test(sample, measure, 300, rng=np.random.default_rng(1))
    again = permutation_test(sample, measure, 300, rng=other.seed)
    np.testing.assert_array_equal(other.distribution, again.distribution)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_classifiers_that_rank_alike_do_not_differ(measure):
    labels, a = np.tile([0, 1, 1], 30), np.arange(90) % 17
    test = permutation_test(pauci.Sample(labels, {"a": a, "b": np.exp(a)}), measure)
    assert (test.statistic, test.pvalue, test.exact, test.n_resamples) == (0.0, 1.0, True, 1)


def test_curves_that_differ_are_detected():
    rng = np.random.default_rng(2)
    labels = np.repeat([0, 1], 60)
    noise = rng.normal(size=120)
    sample = pauci.Sample(labels, {"a": noise + 2 * labels, "b": noise, "c": -noise})
    test = permutation_test(sample, PAUCc(fpr=(0, 0.3)), 999, pair=("a", "b"), rng=1)
    assert test.pvalue == 1 / 1000
    assert test.names == ("a", "b")
    turned = permutation_test(sample, PAUCc(fpr=(0, 0.3)), 999, pair=("b", "a"), rng=1)
    assert turned.statistic == -test.statistic
    low = permutation_test(sample["a"], AUC(), 999, alternative="less", rng=1)
    assert low.pvalue == 1.0


def test_a_function_of_ranks_can_be_a_measure():
    def youden(y, s):
        return max((s[y == 1] >= t).mean() - (s[y == 0] >= t).mean() for t in s)

    labels, a, b = [0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], [2, 1, 6, 3, 5, 4]
    test = permutation_test(pauci.Sample(labels, {"a": a, "b": b}), youden)
    assert test.values == pytest.approx((2 / 3, 2 / 3))
    assert test.pvalue == 1.0
    with pytest.raises(ValueError, match="changes if ranks replace scores"):
        permutation_test(
            pauci.Sample(labels, {"a": np.square(a), "b": b}), lambda y, s: float(s[y == 1].mean())
        )


def test_a_result_has_a_summary():
    labels = np.repeat([0, 1], 30)
    scores = {"a": np.arange(60) * 7 % 60, "b": np.arange(60) * 11 % 60}
    sample = pauci.Sample(labels, scores)
    drawn = permutation_test(sample, PAUCc(fpr=(0, 0.2)), 99, rng=1, alternative="greater")
    text = " ".join(drawn.summary().split())
    assert "one-sided (greater)" in text
    assert "Permutation test of no difference: 99 random swaps of ranks, seed 1." in text
    assert "30 positives, 30 negatives, paired" in text
    assert "at FPR 0 to 0.2 was" in drawn.report()
    assert "one-sided (greater)" in drawn.report()
    frame = drawn.to_frame()
    assert frame.loc[0, ["first", "second"]].tolist() == ["a", "b"]
    assert frame.loc[0, "pvalue"] == drawn.pvalue
    exact = permutation_test(pauci.Sample([0, 1, 0, 1], [1, 2, 3, 4], name="a"), AUC())
    assert "exact, from all permutations of labels" in exact.report()
    assert exact.to_frame().loc[0, "second"] is None
    assert "difference" not in exact.summary()
    assert "|" in drawn.to_markdown()


@pytest.mark.long
def test_undefined_permutations_are_omitted_or_an_error():
    labels, scores = np.repeat([0, 1], [8, 8]), np.arange(16)

    def picky(y, s):
        if s[y == 1].sum() < limit:
            return math.nan
        return float(s[y == 1].mean())

    limit = 43
    test = permutation_test(pauci.Sample(labels, scores), picky)
    assert test.n_undefined > 0
    assert test.distribution.size == test.n_resamples - test.n_undefined
    assert test.probabilities.sum() == pytest.approx(1.0)
    limit = 55
    with pytest.raises(ValueError, match=r"undefined in .*% of arrangements"):
        permutation_test(pauci.Sample(labels, scores), picky)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [3, 7, 11])
@pytest.mark.parametrize(
    "measure",
    [
        AP(prevalence=0.01, rescaled=True),
        AP(prevalence=0.3, rescaled=True),
        AUC(rescaled=True),
        AP(prevalence=0.01, rescaled=True) / AUC(),
        AUC() - AP(prevalence=0.01),
        AUK(0.1),
    ],
    ids=repr,
)
def test_tied_scores_have_p_value_1(measure, n, alternative):
    """Differences that should be 0 are rounding errors, and must not affect the p-value."""
    labels = [0, 1] * n + [1]
    for scores in ([1.0] * len(labels), {k: [1.0] * len(labels) for k in "ab"}):
        test = permutation_test(pauci.Sample(labels, scores), measure, alternative=alternative)
        assert test.pvalue == 1.0


@pytest.mark.parametrize("classifiers", [1, 2])
def test_the_data_are_one_of_the_permutations(classifiers):
    """The observed value is always counted, whatever the rounding of a measure."""
    calls = []

    def drifting(y, s):
        calls.append(1)
        return float(np.corrcoef(y, s)[0, 1]) - 1e-11 * len(calls)

    labels = np.repeat([0, 1], [4, 5])
    scores = {"a": np.arange(9), "b": [3, 1, 4, 0, 5, 8, 2, 6, 7]}
    sample = pauci.Sample(labels, scores)[["a", "b"][:classifiers]]
    test = permutation_test(sample, drifting, alternative="greater")
    assert test.exact
    assert test.pvalue > 0.0


def test_a_probability_below_the_smallest_float_is_not_zero():
    sample = pauci.Sample.from_counts([2, 1], [9000, 0], [0, 9000])
    test = permutation_test(sample, AUC(), alternative="greater")
    assert test.exact
    assert 0.0 < test.pvalue < 1e-300


@pytest.mark.parametrize(("gap", "tied"), [(3e-13, True), (1e-11, False)])
def test_rounding_is_a_share_of_the_largest_value(gap, tied):
    """Of 3 x 2 choices of 2 positives of 4 rows, those that differ by rounding tie."""

    def value(y, s):
        return 100.0 * (1.0 + gap * float(s[y == 1].sum()))

    sample = pauci.Sample([0, 0, 1, 1], [0.0, 0.1, 0.2, 0.4])
    test = permutation_test(sample, value, alternative="greater")
    assert test.pvalue == pytest.approx(1.0 if tied else 1 / 6)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("classifiers", [1, 2])
def test_the_monte_carlo_error_is_binomial(classifiers, alternative):
    rng = np.random.default_rng(7)
    labels = np.repeat([0, 1], 40)
    sample = pauci.Sample(labels, {n: rng.normal(size=80) for n in "ab"[:classifiers]})
    test = permutation_test(sample, AUC(), 999, rng=1, alternative=alternative)
    tails = 2 if alternative == "two-sided" and classifiers == 1 else 1
    tail = test.pvalue / tails
    assert 0.01 < tail < 0.99
    assert test.error_of_pvalue == pytest.approx(tails * math.sqrt(tail * (1 - tail) / 999))


def test_undefined_permutations_count_by_their_probability():
    """Of 11 tables 5 are undefined, but so rare that they are 2% of all arrangements."""

    def value(y, s):
        in_top_group = int(s[y == 1].sum())
        return math.nan if in_top_group in (0, 1, 2, 9, 10) else float(in_top_group)

    test = permutation_test(pauci.Sample.from_counts([1, 0], [6, 4], [6, 8]), value)
    assert (test.n_resamples, test.n_undefined) == (11, 5)
    assert test.exact


LABELS = [0, 1, 0, 1]
TWO = pauci.Sample(LABELS, {"a": [1, 2, 3, 4], "b": [2, 1, 3, 4]})
THREE = pauci.Sample(LABELS, {n: [1, 2, 3, 4] for n in "abc"})


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((TWO, AUC(), 0), {}, ValueError, "n_resamples=0 must be at least 1"),
        ((TWO, AUC(), 10**8), {}, ValueError, "times 2 estimates is too large"),
        ((TWO, AUC(), 9.5), {}, TypeError, "n_resamples=9.5 must be a whole number"),
        ((TWO, AUC(), True), {}, TypeError, "n_resamples=True"),
        ((TWO, AUC()), {"alternative": "bigger"}, ValueError, "alternative='bigger'"),
        ((TWO, AUC()), {"rng": -1}, ValueError, "rng=-1"),
        ((TWO, AUC()), {"n_jobs": 0}, ValueError, "n_jobs=0"),
        ((TWO, AUC), {}, TypeError, "is a class"),
        ((TWO, "auc"), {}, TypeError, "is not a measure"),
        ((TWO, [AUC(), AP()]), {}, TypeError, "measure contains 2 measures"),
        ((LABELS, AUC()), {}, TypeError, "sample is a list"),
        (([TWO["a"], TWO["b"]], AUC()), {}, TypeError, r"pauci.compare\(\[sample_a, sample_b\]"),
        ((THREE, AUC()), {}, ValueError, "3 classifiers; select two: pair="),
        ((THREE, AUC()), {"pair": ("a", "d")}, ValueError, "'d' is not a classifier"),
        ((THREE, AUC()), {"pair": "ab"}, TypeError, "pair='ab' must name two"),
        ((THREE, AUC()), {"pair": ("a", "a")}, ValueError, "same classifier twice"),
        (
            (TWO, PAUC(threshold=(2, None))),
            {},
            ValueError,
            "is not defined for the ranks .* fpr= or tpr=",
        ),
        (
            (TWO, AUC() - PAUC(threshold=(2, None))),
            {},
            ValueError,
            "is not defined for the ranks .* fpr= or tpr=",
        ),
    ],
)
def test_bad_arguments(arguments, options, error, words):
    with pytest.raises(error, match=words):
        permutation_test(*arguments, **options)


@pytest.mark.parametrize(
    ("design", "classifiers", "words"),
    [
        ({"weight": [1, 2, 1, 2]}, 2, "weight= are not exchangeable; use pauci.compare"),
        ({"weight": [1, 2, 1, 2]}, 1, "weight= are not exchangeable; use pauci.estimate"),
        ({"cluster": [1, 1, 2, 2]}, 1, "labels within a cluster= are not exchangeable"),
        ({"frequency": [10**6, 1, 1, 1]}, 2, "frequency or counts add up to"),
    ],
)
def test_bad_designs(design, classifiers, words):
    scores = {n: [1, 3, 2, 4] for n in "ab"[:classifiers]}
    with pytest.raises(ValueError, match=words):
        permutation_test(pauci.Sample(LABELS, scores, **design), AUC())


def test_fractional_counts_are_an_error():
    sample = pauci.Sample.from_counts([1, 2], [1.5, 2], [3, 2], fractional=True)
    with pytest.raises(ValueError, match="they must be whole"):
        permutation_test(sample, AUC())


def test_thresholds_by_classifier():
    """The exact test of a rule against chance is Fisher's."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [8, 12])
    sample = pauci.Sample(y, {"a": y + rng.integers(0, 3, 20), "b": rng.normal(size=20)})
    measure = pauci.Youden(threshold={"a": 2, "b": 0})
    found = pauci.permutation_test(sample["a"], measure, alternative="greater")
    table = [
        [((sample["a"].ratings().values >= 2) == p)[y == k].sum() for k in (1, 0)]
        for p in (True, False)
    ]
    assert found.pvalue == pytest.approx(stats.fisher_exact(table, "greater").pvalue)
    with pytest.raises(pauci.InputError, match=r"Use pauci\.compare"):
        pauci.permutation_test(sample, measure - AUC())


def calls_and_sample(n=26, **options):
    rng = np.random.default_rng(12)
    y = np.arange(n) % 2
    a, b = np.round(rng.normal(size=n) + y, 1), np.round(rng.normal(size=n) + 0.4 * y, 1)
    sample = pauci.Sample(y, {"a": a, "b": -100 * b}, lower_is_positive=["b"], **options)
    return y, np.stack((a >= 0.3, -100 * b <= -40.0)), sample


THRESHOLDS = {"a": 0.3, "b": -40.0}


@pytest.mark.parametrize(("kind", "label"), [(pauci.Sensitivity, 1), (pauci.Specificity, 0)])
def test_the_test_of_a_rate_at_thresholds_is_that_of_mcnemar(kind, label):
    y, (a, b), sample = calls_and_sample()
    assert set(THRESHOLDS) == set(sample.names)
    test = permutation_test(sample, kind(threshold=THRESHOLDS))
    only_a, only_b = ((y == label) & (a > b)).sum(), ((y == label) & (a < b)).sum()
    assert test.exact
    assert test.pvalue == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue)
    assert "swaps of calls" in test.report()


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("kind", [pauci.PPV, pauci.Kappa, pauci.F])
def test_calls_at_thresholds_are_swapped(kind, clustered):
    """The null distribution is that of the swaps of units, one after the other."""
    n = 26
    unit = np.arange(n) // 3 if clustered else np.arange(n)
    y, calls, sample = calls_and_sample(cluster=unit if clustered else None)
    measure = kind(threshold=THRESHOLDS)
    test = permutation_test(sample, measure)
    changed = np.unique(unit[calls[0] != calls[1]])
    null = []
    for swaps in itertools.product([False, True], repeat=changed.size):
        swapped = np.isin(unit, changed[list(swaps)])
        one, other = np.where(swapped, calls[::-1], calls)
        null.append(value_at_1(kind, y, one) - value_at_1(kind, y, other))
    null = np.array(null)
    assert test.exact
    assert test.n_resamples == null.size
    assert np.sort(test.distribution) == pytest.approx(np.sort(null))
    p = (np.abs(null) >= abs(test.statistic) - 1e-12).mean()
    assert test.pvalue == pytest.approx(p)


def value_at_1(kind, y, calls):
    sample = pauci.Sample(y, calls.astype(int))
    return float(kind(threshold=1).on(sample.ratings().curve))


def test_thresholds_are_unchanged_if_only_labels_are_permuted():
    labels, scores = [0, 0, 1, 0, 1, 1], [1, 2, 2, 3, 3, 4]
    measure = PAUC(threshold=(3, None))
    test = permutation_test(pauci.Sample(labels, scores), measure, alternative="greater")
    null = dealt_by_hand(measure, labels, scores)
    observed = value_of(measure, labels, scores)
    assert test.pvalue == pytest.approx(p_by_hand(null, observed, "greater", symmetric=False))


def test_large_tables_of_counts_are_dealt_by_group():
    sample = pauci.Sample.from_counts([3, 2, 1], [30_000, 30_000, 30_000], [29_900, 30_000, 30_100])
    test = permutation_test(sample, AUC(), 499, rng=1)
    assert not test.exact
    assert 0.0 < test.pvalue < 1.0


def test_many_different_scores(monkeypatch):
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.4
    scores = {name: rng.normal(size=200) + y for name in "ab"}

    def pvalue():
        return permutation_test(pauci.Sample(y, scores), AUC(), 99, rng=1).pvalue

    whole = pvalue()
    use_small_blocks(monkeypatch, 32, "curve.counts")
    assert pvalue() == whole
