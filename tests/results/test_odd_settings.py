"""Texts of results for settings that are rare: one region, one-sided intervals, equal sizes."""

import re

import numpy as np
import pytest

import pauci
from tabular_results import risks, sample

PART = pauci.PAUCc(fpr=(0, 0.3))
GROUP = np.arange(120) % 2


def texts(result):
    """All sentences, the caption and the notes."""
    return "\n".join([result.summary(), result.report(), result.to_markdown()])


@pytest.mark.parametrize(("alternative", "side"), [("greater", "lower"), ("less", "upper")])
def test_one_sided_intervals_are_called_bounds(alternative, side):
    data = sample("a", "b")
    by_group = pauci.compare(data, PART, by=GROUP, alternative=alternative)
    scanned = pauci.scan(data, pauci.PAUC, fpr=[0.3, 1], alternative=alternative, rng=1)
    for result in (by_group, scanned):
        bounds = rf"{side} 95% .* confidence bounds"
        assert re.search(bounds, result.to_markdown().split("\n")[0])
        assert re.search(bounds.capitalize(), result.summary())
    assert "; gaps: 95% joined confidence intervals" in by_group.summary()
    for result in (
        pauci.compare(data, PART, by=GROUP),
        pauci.scan(data, pauci.PAUC, fpr=[0.3, 1], rng=1),
    ):
        assert "bounds" not in texts(result)


def test_a_scan_of_one_region_does_not_select():
    one, two = (
        texts(pauci.scan(sample("a"), pauci.PAUC, fpr=x, rng=1)) for x in ([0.3], [0.3, 0.5])
    )
    assert "selected" not in one
    assert "largest of 1 statistic:" in one
    assert "selected on these data" in two
    assert "largest of 2 statistics:" in two
    point = texts(pauci.scan(sample("a"), pauci.Sensitivity, threshold=[0], rng=1))
    assert "selected" not in point


def test_equal_sizes_are_those_of_each_group_or_sample():
    y, s = np.tile([0, 1], 40), np.random.default_rng(1).normal(size=(2, 80))
    grouped = pauci.estimate(pauci.Sample(y, s[0]), pauci.AUC(), by=np.arange(80) // 40)
    two = [pauci.Sample(y, values, name=name) for values, name in zip(s, "ab", strict=True)]
    independent = pauci.compare(two, pauci.AUC(), independent=True)
    for result, each in (
        (grouped.gaps, "20 positives, 20 negatives in each group"),
        (grouped.gaps[0], "20 positives, 20 negatives in each group"),
        (grouped.heterogeneity(), "20 positives, 20 negatives in each group"),
        (independent, "40 positives, 40 negatives in each sample"),
    ):
        assert each in result.summary()
        assert each in result.to_markdown().split("\n", 1)[0]
        assert " and 20 positives" not in texts(result)
    unequal = pauci.estimate(pauci.Sample(y, s[0]), pauci.AUC(), by=np.arange(80) // 30)
    assert "in each" not in texts(unequal.heterogeneity())


def test_a_joint_test_of_values_is_not_one_of_differences():
    test = pauci.estimate(sample("a", "b"), [pauci.AUC()]).joint([0.5, 0.6])
    assert "difference" not in texts(test)


def test_captions_keep_the_names_of_measures_and_list_kinds():
    data = risks("a", "b")
    for measures, words in (
        ([pauci.OE(), pauci.Brier()], "Differences in O/E and Brier between"),
        ([pauci.Brier(), pauci.OE()], "Differences in Brier and O/E between"),
        ([pauci.AUC()], "Differences in area under the ROC curve"),
        ([pauci.MaxKappa(), pauci.AUC()], "Differences in max kappa "),
    ):
        assert words in pauci.compare(data, measures).to_markdown()
    assert "Max kappa " in pauci.estimate(data, [pauci.MaxKappa(), pauci.AUC()]).to_markdown()
    caption = pauci.estimate(data, [pauci.OE(), pauci.AUC()]).to_markdown().split("\n")[0]
    assert "; 95% confidence intervals (log, logit);" in caption


@pytest.mark.usefixtures("quiet")
def test_statistics_have_a_column_only_if_there_are_any():
    resampled = pauci.compare(sample("a", "b"), PART, variance=pauci.Bootstrap(99, rng=1))
    for kind, heading in (("bca", False), ("wald", True)):
        lines = resampled.summary(kind=kind).split("\n")
        assert (lines[2].split()[-2] in ("t", "z") or "t(" in lines[2]) == heading
