"""Differences from a classifier with standard error 0, and differences with the order reversed."""

import numpy as np
import pytest
from scipy.stats import t as student

import pauci
from pauci.intervals import analytic
from registry import instances

pytestmark = pytest.mark.usefixtures("quiet")
MEASURES = [*instances((0.1, 0.5)), pauci.AUC() - pauci.AP(), pauci.MaxKappa() + pauci.AUK()]


def zou_and_donner(first, second):
    """Their interval of a difference from (estimate, low, high) of each, independent.

    G. Y. Zou and A. Donner (2008), Statistics in Medicine 27:1693-1702, equation 7.
    """
    (a, a_low, a_high), (b, b_low, b_high) = first, second
    return (
        a - b - np.sqrt((a - a_low) ** 2 + (b_high - b) ** 2),
        a - b + np.sqrt((a_high - a) ** 2 + (b - b_low) ** 2),
    )


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("first", ["perfect", "other"])
@pytest.mark.parametrize(
    "measure", [pauci.AUC(), pauci.PAUC(fpr=(0, 0.3)), pauci.SPA(fpr=(0, 0.3))]
)
def test_a_perfect_classifier_contributes_the_distance_to_its_limit(measure, level, first):
    """An independent perfect classifier: limit and Wald intervals are combined."""
    rng = np.random.default_rng(7)
    y = np.repeat([1, 0], [25, 30])
    other = pauci.Sample(y, {"other": rng.normal(size=55) + 1.5 * y})
    perfect = pauci.Sample(y, {"perfect": np.arange(55)[::-1]})
    e, best = pauci.estimate(other, measure), pauci.estimate(perfect, measure)
    z = student.ppf(0.5 + level / 2, e.df)
    pairs = measure.pairs(25, 30)
    ends = {
        "other": (e.value, e.value - z * e.se, e.value + z * e.se),
        "perfect": (
            best.value,
            *analytic.interval(analytic.Limit(best.value, *best.bounds, pairs), level),
        ),
    }
    samples = [perfect, other] if first == "perfect" else [other, perfect]
    c = pauci.compare(samples, measure, independent=True)
    assert [x.se == 0 for x in c.estimates].count(True) == 1
    expected = zou_and_donner(ends[c.first], ends[c.second])
    assert c.interval(level) == pytest.approx(expected, rel=1e-10)
    null = c.interval(level)[first == "other"]
    edge = pauci.compare(samples, measure, null=null, independent=True)
    assert edge.pvalue == pytest.approx(1 - level, rel=1e-6)


def random_sample(rng):
    """Two classifiers on a few rows, often tied, sometimes perfect or constant."""
    y = np.repeat([1, 0], rng.integers(3, 14, 2))
    levels = rng.integers(1, 12)
    a, b = (rng.integers(0, levels + 1, y.size) for _ in range(2))
    a, b = a + 20 * y * (rng.random() < 0.3), b * (rng.random() > 0.15)
    options = [
        {},
        {"frequency": rng.integers(1, 4, y.size)},
        {"weight": rng.random(y.size) + 0.1},
        {"cluster": np.arange(y.size) // 2},
    ][rng.integers(4)]
    design = str(rng.choice(["cohort", "case-control"]))
    return pauci.Sample(y, {"a": a, "b": b}, design=design, **options)


@pytest.mark.long
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("variance", ["influence", "delta", "jackknife", "bootstrap"])
def test_reversing_the_order_only_changes_the_sign(variance, alternative):
    rng = np.random.default_rng(5)
    sources = {"jackknife": pauci.Jackknife(), "bootstrap": pauci.Bootstrap(59, rng=1)}
    source, checked = sources.get(variance, variance), 0
    other = {"two-sided": "two-sided", "greater": "less"}[alternative]
    resampled = ["percentile", "basic", "bca", "student"] if variance == "bootstrap" else []
    for _ in range(40 if variance == "bootstrap" else 250):
        sample, measure = random_sample(rng), MEASURES[rng.integers(len(MEASURES))]
        try:
            c = pauci.compare(
                sample, measure, source, null=0.05, alternative=alternative, pair=("a", "b")
            )
        except (pauci.errors.InputError, pauci.errors.UndefinedError):
            continue
        d = pauci.compare(sample, measure, source, null=-0.05, alternative=other, pair=("b", "a"))
        assert (d.difference, d.se) == pytest.approx((-c.difference, c.se), rel=1e-9)
        for kind in [None, "wald", *resampled]:
            try:
                ends = c.interval(0.8, kind)
            except pauci.errors.InputError:  # too few replicates have a standard error
                continue
            low, high = d.interval(0.8, kind)
            assert (-high, -low) == pytest.approx(tuple(ends), rel=1e-9, abs=1e-12)
            assert d.pvalue_of(kind) == pytest.approx(c.pvalue_of(kind), rel=1e-8)
        checked += 1
    assert checked >= 15
