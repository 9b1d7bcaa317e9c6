"""Intervals of average precision that are extended to an unseen share of a class."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import pauci
from pauci import AP
from pauci.errors import FarPrevalenceWarning, FewInfluentialWarning
from pauci.intervals.extended import EndsWithExcess
from pauci.results.unseen_share import UnseenShare

LEVELS = (0.6, 0.9, 0.95, 0.99, 0.9999)
FORMS = [
    AP(),
    AP(0.1),
    AP(0.1, rescaled=True),
    AP(0.1, corrected=True),
    AP(0.85, negatives=True),
    AP(0.85, negatives=True, rescaled=True),
]


def rows(sizes=(30, 60), shift=1.0, seed=4, step=None):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    s = rng.normal(size=y.size) + shift * y
    return y, s if step is None else np.round(s / step)


def brute_force(y, s, measure, share, *, lower):
    """The change of the value if a row of the weight of an unseen share is added."""
    if measure.negatives:
        y, s = 1 - y, -s
        measure = replace(measure, negatives=False, prevalence=1.0 - measure.prevalence)
    measure, weight = replace(measure, corrected=False), np.ones(y.size)
    seen = pauci.estimate(pauci.Sample(y, s), measure, force=True).value
    n = (y == (0 if lower else 1)).sum()
    at = s.max() + 1.0
    if lower:
        above = np.sort(s[(y == 1) & (s > s[y == 0].max())])[::-1]
        if above.size:
            at = above[-(-above.size // 2) - 1]
            s = np.where(s > at, at, s)
    y, s = np.append(y, 0 if lower else 1), np.append(s, at)
    sample = pauci.Sample(y, s, weight=np.append(weight, n * share / (1.0 - share)))
    return pauci.estimate(sample, measure, force=True).value - seen


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("measure", FORMS[1:], ids=repr)
def test_margins_are_those_of_an_added_row(measure, seed):
    y, s = rows(seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = pauci.estimate(pauci.Sample(y, s), measure, force=True)
        for tail in (0.4, 0.025, 1e-4):
            for side in (0, 1):
                n = (y == (side if not measure.negatives else 1 - side)).sum()
                share = 1.0 - (2.0 * tail) ** (1.0 / n)
                expected = brute_force(y, s, measure, share, lower=side == 0)
                margin = e.limits.margins(np.array([tail]), side).item()
                assert (-margin, margin)[side] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("step", [None, 0.7])
@pytest.mark.parametrize("measure", FORMS, ids=repr)
def test_tests_invert_nested_intervals(measure, step):
    y, s = rows(shift=1.8, step=step)
    e = pauci.estimate(pauci.Sample(y, s), measure)
    assert isinstance(e.limits, UnseenShare)
    before = e.interval(level=0.51)
    for level in LEVELS:
        low, high = e.interval(level=level)
        plain = replace(e, limits=None).interval(level=level)
        assert low <= min(before.low, plain.low)
        assert high >= max(before.high, plain.high)
        before = e.interval(level=level)
        for end in before:
            if e.scale.low < end < e.scale.high:
                assert e.test(end).pvalue == pytest.approx(1.0 - level, rel=1e-6)
    assert e.interval(kind="wald") == replace(e, limits=None).interval(kind="wald")


def test_outlying_negatives_that_are_not_in_the_sample_are_inside():
    """1.5% of the negatives score higher than all positives, but none of 80 in this sample."""
    y, s = rows((40, 80), shift=2.3, seed=12)
    sample = pauci.Sample(y, s, design="case-control")
    with pytest.warns(pauci.errors.SamplingRatioWarning):
        e = pauci.estimate(sample, AP())
    x = np.sort(s[y == 1])[::-1]
    negatives = np.array([(s[y == 0] >= v).mean() for v in x])
    ranks = np.arange(1, 41) / 40
    truth = np.mean(ranks / (ranks + 2.0 * (0.015 + 0.985 * negatives)))
    assert replace(e, limits=None).interval().low > truth
    assert e.interval().low < truth


def test_averages_over_folds_have_the_share_of_all_rows():
    y, s = rows((40, 80), shift=2.5)
    fold = np.arange(120) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = pauci.estimate(pauci.Sample(y, s, fold=fold), AP(0.1), force=True)
        parts = [
            pauci.estimate(pauci.Sample(y[fold == k], s[fold == k]), AP(0.1), force=True)
            for k in (0, 1)
        ]
    tails = np.array([0.025])
    expected = np.mean([replace(p.limits, units=(40.0, 80.0)).margins(tails, 0) for p in parts])
    assert e.limits.margins(tails, 0).item() == pytest.approx(expected)
    low = e.value - min(expected, e.value)
    assert e.interval().low == min(low, replace(e, limits=None).interval().low)


def test_differences_have_the_excess_of_both_limits():
    y, s = rows((40, 80), shift=2.3, seed=12)
    sample = pauci.Sample(y, {"a": s, "b": rows((40, 80), shift=2.0, seed=13)[1]})
    c = pauci.compare(sample, AP(0.1))
    ends = c._ends("wald", c.df)
    assert isinstance(ends, EndsWithExcess)
    tail = 0.5 * (1.0 - AT_2)
    widths = c.interval(level=1.0 - 2.0 * tail)
    wald = ends.ends
    for side, other in ((0, 1), (1, 0)):
        excess = []
        for q, k in zip((q for _, q in c.members), (side, other), strict=True):
            margin = q.limits.margins(np.array([tail]), k).item()
            known = pauci.intervals.analytic.Logit(q.value, q.se, *q.scale, c.df)
            distance = abs((known.lower, known.upper)[k](tail) - q.value)
            excess.append(max(margin**2 - distance**2, 0.0))
        margin = abs((wald.lower, wald.upper)[side](tail) - c.value)
        assert abs(widths[side] - c.value) >= np.sqrt(margin**2 + sum(excess)) - 1e-9
    before = c.interval(level=0.51)
    for level in LEVELS:
        low, high = c.interval(level=level)
        assert low <= before.low
        assert high >= before.high
        before = low, high = c.interval(level=level)
        for null in (low, high):
            if -1.0 < null < 1.0:
                p = pauci.compare(sample, AP(0.1), null=null).pvalue
                assert p == pytest.approx(1.0 - level, rel=1e-6)


def test_warnings_about_prevalences_start_where_no_standard_error_is_reported():
    y, s = rows((40, 80))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pauci.estimate(pauci.Sample(y, s), AP(0.06))
        pauci.estimate(pauci.Sample(*rows((80, 20), shift=3.0)), AP())
    with pytest.warns(FarPrevalenceWarning):
        pauci.estimate(pauci.Sample(y, s), AP(0.05), force=True)
    with pytest.warns(FarPrevalenceWarning):
        pauci.estimate(pauci.Sample(y, s), AP(0.3), pauci.Jackknife())
    with pytest.warns(FewInfluentialWarning):
        pauci.estimate(pauci.Sample(*rows((80, 20), shift=3.0)), AP(), pauci.Jackknife())


def test_long_curves_are_represented_by_a_part_of_their_steps():
    y, s = rows((20_000, 300), shift=1.5)
    e = pauci.estimate(pauci.Sample(y, s), AP(0.5))
    short = e.limits.margins(np.array([0.025]), 0).item()
    share = 1.0 - 0.05 ** (1.0 / 300)
    expected = brute_force(y, s, AP(0.5), share, lower=True)
    assert -short == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("measure", "n"),
    [(pauci.PAUCx(threshold=(0, None)), 40), (pauci.PAUC(threshold=(0, None)), 80)],
)
def test_areas_over_scores_that_contain_a_whole_class(measure, n):
    """The standard error does not contain the error of the share inside."""
    y, s = rows((40, 80), shift=3.0)
    e = pauci.estimate(pauci.Sample(y, s + 8.0), measure)
    before = e.interval(level=0.51)
    for level in LEVELS:
        low, high = e.interval(level=level)
        plain = replace(e, limits=None).interval(level=level)
        assert low == pytest.approx(min(plain.low, e.value * (1.0 - level) ** (1.0 / n)))
        assert high == plain.high
        assert low <= before.low
        before = e.interval(level=level)
        assert e.test(low).pvalue == pytest.approx(1.0 - level, rel=1e-6)
    normalized = replace(measure, normalized=True)
    assert pauci.estimate(pauci.Sample(y, s + 8.0), normalized).limits is None


def verified(seed=4, sizes=(40, 80), shift=2.0):
    """All screen-positives are verified, and a tenth of the others, which have the weight 10."""
    y, s = rows(sizes, shift=shift, seed=seed)
    return y, s, np.where(s > 0.5, 1.0, 10.0)


AT_2 = 0.9544997361036416
"""The level whose ends have the deviate 2, at which the excess is known."""


def changes_by_a_row(y, s, weight, measure, tail=0.5 * (1.0 - AT_2)):
    """The largest decrease and increase of the value by a row with the weights at an end."""
    seen = pauci.estimate(pauci.Sample(y, s, weight=weight), measure).value
    order, found = np.argsort(s), []
    for label, at, near in ((1, -9.0, order[:5]), (0, 9.0, order[-5:])):
        total = weight[y == label].sum()
        share = 1.0 - (2.0 * tail) ** (weight[near].mean() / total / 3.0)
        added = np.append(weight, total * share / (1.0 - share))
        sample = pauci.Sample(np.append(y, label), np.append(s, at), weight=added)
        found.append(pauci.estimate(sample, measure).value - seen)
    return max(0.0, *(-v for v in found)), max(0.0, *found)


WITH_WEIGHTS = [
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.PAUCc(tpr=(0.8, 1)),
    pauci.PAUCx(fpr=(0.1, 0.4)),
    pauci.LocalC(fpr=(0.1, 0.4)),
    pauci.PAUCc(threshold=(0, 2)),
    pauci.Specificity(sensitivity=0.8),
    pauci.Specificity(sensitivity=0.95),
]


@pytest.mark.parametrize("measure", WITH_WEIGHTS, ids=repr)
@pytest.mark.usefixtures("quiet")
def test_limits_with_weights_allow_for_a_row_at_an_end(measure):
    y, s, weight = verified()
    e = pauci.estimate(pauci.Sample(y, s, weight=weight), measure)
    unseen = getattr(e.limits, "unseen", None) or e.limits
    if e.binomial:
        plain = e.binomial.ends.ends
    else:
        limits = replace(e.limits, unseen=None) if e.has_moved_ends else None
        plain = replace(e, limits=limits)._ends("logit", e._df_of("logit"))
    decrease, increase = changes_by_a_row(y, s, weight, measure)
    tail = 0.5 * (1.0 - AT_2)
    tails = np.array([tail])
    assert unseen.margins(tails, 0).item() == pytest.approx(decrease, abs=1e-12)
    assert unseen.margins(tails, 1).item() == pytest.approx(increase, abs=1e-12)
    low, high = e.interval(level=AT_2)
    margins = plain.lower(tail), plain.upper(tail)
    lowest = e.value - np.hypot(e.value - margins[0], decrease)
    highest = e.value + np.hypot(margins[1] - e.value, increase)
    assert low == pytest.approx(max(lowest, e.scale.low), abs=1e-9)
    assert high == pytest.approx(min(highest, e.scale.high), abs=1e-9)
    before = e.interval(level=0.51)
    for level in LEVELS:
        low, high = e.interval(level=level)
        assert low <= before.low
        assert high >= before.high
        before = e.interval(level=level)
        for end in (low, high):
            if e.scale.low < end < e.scale.high:
                assert e.test(end).pvalue == pytest.approx(1.0 - level, rel=1e-5)


@pytest.mark.usefixtures("quiet")
def test_differences_with_weights_allow_for_a_row_at_an_end():
    y, s, weight = verified()
    other = s + np.random.default_rng(3).normal(size=s.size)
    sample = pauci.Sample(y, {"a": s, "b": other}, weight=weight)
    for measure in (pauci.AUC(), pauci.PAUCc(tpr=(0.8, 1))):
        c = pauci.compare(sample, measure)
        ends = c._ends(c.kind_used(), c.df)
        assert isinstance(ends, EndsWithExcess)
        margin = c.value - ends.ends.lower(0.5 * (1.0 - AT_2))
        downs, ups = zip(
            *(changes_by_a_row(y, v, weight, measure) for v in (s, other)), strict=True
        )
        expected = c.value - np.sqrt(margin**2 + 0.75**2 * (downs[0] ** 2 + ups[1] ** 2))
        assert c.interval(level=AT_2).low == pytest.approx(expected, abs=1e-9)
        margin = ends.ends.upper(0.5 * (1.0 - AT_2)) - c.value
        expected = c.value + np.sqrt(margin**2 + 0.75**2 * (ups[0] ** 2 + downs[1] ** 2))
        assert c.interval(level=AT_2).high == pytest.approx(expected, abs=1e-9)


def test_weights_that_do_not_dominate_change_nothing():
    y, s = rows((1500, 1500), shift=1.0)
    sample = pauci.Sample(y, s, weight=np.random.default_rng(1).uniform(0.7, 1.3, y.size))
    assert pauci.estimate(sample, pauci.AUC()).limits is None
    assert pauci.estimate(sample, pauci.PAUCc(fpr=(0, 0.1))).limits.unseen is None


def design_effect(y, s, cluster, of, *, top):
    """The design effect of a tenth of a class at an end of the scores, if rows are not added."""
    own = y == of
    ranked = np.sort(s[own])
    k = int(np.ceil(0.1 * own.sum() if top else 0.9 * own.sum()))
    called = s[own] >= ranked[-k]
    p, members = called.mean(), [cluster[own] == c for c in np.unique(cluster[own])]
    sums = np.array([(called - p)[c].sum() for c in members])
    units = own.sum() ** 2 / sum(c.sum() ** 2 for c in members)
    variance = units / (units - 1.0) * (sums**2).sum() / own.sum() ** 2
    near = (own.sum() * p + 1.0) / (own.sum() + 2.0)
    independent, at_near = (r * (1.0 - r) / (own.sum() - 1.0) for r in (p, near))
    return max(1.0, (variance + own.sum() / units * (at_near - independent)) / at_near)


@pytest.mark.parametrize("negatives", [False, True])
@pytest.mark.parametrize("effect", [0.0, 1.0, 4.0])
def test_units_in_clusters_have_the_design_effect_of_the_outermost_tenth(effect, negatives):
    rng = np.random.default_rng(int(effect))
    cluster = np.repeat(np.arange(30), 10)
    y = rng.integers(0, 2, cluster.size)
    s = rng.normal(size=y.size) + y + effect * rng.normal(size=30)[cluster]
    sample = pauci.Sample(y, s, cluster=cluster)
    e = pauci.estimate(sample, AP(0.5, negatives=negatives))
    for of, units in ((1, e.limits.units[0]), (0, e.limits.units[1])):
        expected = (y == of).sum() / design_effect(y, s, cluster, of, top=not negatives)
        assert units == pytest.approx(expected, rel=1e-9)
        assert sample.rows.units[1 - of] * 0.5 < units <= (y == of).sum()


def test_units_of_clusters_of_single_rows_are_rows():
    y, s = rows()
    single = pauci.estimate(pauci.Sample(y, s, cluster=np.arange(y.size)), AP(0.5))
    plain = pauci.estimate(pauci.Sample(y, s), AP(0.5))
    assert single.limits.units == plain.limits.units == (30.0, 60.0)
