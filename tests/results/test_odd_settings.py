"""Texts of results for settings that are rare: one region, one-sided intervals, equal sizes."""

import re

import numpy as np
import pytest

import pauci
from pauci.tables.table import EstimateCell
from tabular_results import risks, sample

PART = pauci.PAUCc(fpr=(0, 0.3))
GROUP = np.arange(120) % 2


def texts(result):
    """All sentences, the caption and the notes."""
    return "\n".join([result.summary(), result.report(), result.to_markdown()])


@pytest.mark.parametrize(("alternative", "bound"), [("greater", "at least"), ("less", "at most")])
def test_one_sided_intervals_are_bounds(alternative, bound):
    data = sample("a", "b")
    by_group = pauci.compare(data, PART, by=GROUP, alternative=alternative)
    scanned = pauci.scan(data, pauci.PAUC, fpr=[0.3, 1], alternative=alternative, rng=1)
    for result in (by_group, scanned):
        for text in (result.to_markdown(), result.summary(), result.report()):
            assert bound in text
            assert "inf" not in text
    for result in (
        pauci.compare(data, pauci.AUC(), by=GROUP),
        pauci.scan(data, pauci.PAUC, fpr=[0.3, 1], rng=1),
    ):
        assert bound not in texts(result)


def test_a_scan_of_one_region_does_not_select():
    one, two = (
        texts(pauci.scan(sample("a"), pauci.PAUC, fpr=x, rng=1)) for x in ([0.3], [0.3, 0.5])
    )
    assert "selected" not in one
    assert "p (max-t)" not in one
    assert "selected on these data" in two
    assert "p (max-t)" in two
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
        flat = " ".join(texts(result).split())
        assert each in flat.replace("positives, 20 negatives, ", "positives, 20 negatives ")
        assert " and 20 positives" not in texts(result)
    unequal = pauci.estimate(pauci.Sample(y, s[0]), pauci.AUC(), by=np.arange(80) // 30)
    assert "in each" not in texts(unequal.heterogeneity())


def test_a_joint_test_of_values_is_not_one_of_differences():
    test = pauci.estimate(sample("a", "b"), [pauci.AUC()]).joint([0.5, 0.6])
    assert "difference" not in texts(test)


def test_titles_name_a_single_measure_and_list_kinds():
    data = risks("a", "b")
    for measures, words in (
        ([pauci.OE(), pauci.Brier()], "Accuracy of a and b"),
        ([pauci.AUC()], "Area under the ROC curve (AUC) of a and b"),
        ([pauci.MaxKappa()], "Largest kappa (max kappa) of a and b at the best threshold"),
    ):
        assert pauci.compare(data, measures).summary().startswith(words)
    text = pauci.estimate(data, [pauci.OE(), pauci.AUC()]).summary()
    assert "95% CI: log, logit." in " ".join(text.split())


@pytest.mark.usefixtures("quiet")
def test_statistics_are_printed_on_request_if_there_are_any():
    resampled = pauci.compare(sample("a", "b"), PART, variance=pauci.Bootstrap(99, rng=1))
    for kind, shown in (("bca", False), ("wald", True)):
        row = resampled.summary(kind=kind, details=True).split("\n")[6]
        assert row.startswith("a - b")
        statistic = f"{resampled.difference / resampled.se:.3f}"
        assert (statistic in row) == shown
        assert " t " not in resampled.summary(kind=kind).split("\n")[2]


@pytest.mark.usefixtures("quiet")
def test_monte_carlo_errors_are_those_of_the_printed_numbers():
    few = pauci.compare(sample("a", "b"), PART, variance=pauci.Bootstrap(99, rng=1))
    text = " ".join(few.summary(0.99, "bca", details=True).split())
    assert "error of limits not known and of standard errors at most" in text
    resampled = pauci.compare(sample("a", "b"), PART, variance=pauci.Bootstrap(499, rng=1))
    found = [resampled, *resampled.estimates]
    limits = max(x for r in found for x in r.resampled.error_of_interval(0.9, "bca"))
    errors = max(r.resampled.error_of_se for r in found)
    text = " ".join(resampled.summary(0.9, "bca", details=True).split())
    stated = re.search(
        r"error of limits at most (\S+) and of standard errors at most (\S+)\.$", text
    )
    np.testing.assert_allclose(list(map(float, stated.groups())), [limits, errors], rtol=0.05)
    assert "Monte Carlo" not in resampled.summary(0.9, "bca")
    assert " t " not in pauci.estimate(sample("a"), PART).summary(details=True)


def test_a_number_of_zero_without_an_interval_is_zero():
    assert EstimateCell(0.0).plain() == EstimateCell(-1e-17).plain() == "0.000"


def test_a_sentence_does_not_have_an_article_before_a_name():
    text = pauci.estimate(
        sample("a"), [pauci.Kappa(threshold=0), pauci.Youden(threshold=0)]
    ).report()
    assert text.startswith("Cohen's kappa at score >= 0 was")
    assert "\nThe Youden index" in text
