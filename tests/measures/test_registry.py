"""Requirements on every registered measure."""

import dataclasses
import itertools

import numpy as np
import pytest

import pauci
from makers import normal_scores
from pauci.measures import REGISTRY
from public_names import PUBLIC_NAMES
from registry import instances

# What is owed holds of a sample too small, or too even, for a measure's own intervals.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pauci.errors.ChosenThresholdWarning",
)
MEASURES = instances((0.1, 0.5))
SCALE_FREE = [m for m in MEASURES if not m.region.scores]
UNCORRECTED = [m for m in MEASURES if not getattr(m, "corrected", False)]
uncorrected = pytest.mark.parametrize("measure", UNCORRECTED, ids=repr)
named = pytest.mark.parametrize("measure", MEASURES, ids=repr)
scale_free = pytest.mark.parametrize("measure", SCALE_FREE, ids=repr)


def make_sample():
    return pauci.Sample(*normal_scores(60, 90, 1, shift=0.5, digits=1, shuffled=True))


@pytest.mark.parametrize("key", REGISTRY)
def test_measures_have_titles_and_references(key):
    cls = REGISTRY[key]
    assert key == cls.key == key.lower()
    for text in (cls.symbol, cls.title, cls.reference):
        assert text.strip()
    assert any(c.isdigit() for c in cls.reference), "a reference has a year"
    for section in ("Notes", "References", "Examples"):
        assert section in cls.__doc__
    assert getattr(pauci, cls.__name__) is cls


@named
def test_measures_are_small_frozen_values(measure):
    assert eval(repr(measure), PUBLIC_NAMES) == measure
    assert hash(eval(repr(measure), PUBLIC_NAMES)) == hash(measure)
    name = dataclasses.fields(measure)[0].name if dataclasses.fields(measure) else "key"
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        setattr(measure, name, 1)


def test_measures_are_equal_only_if_all_arguments_are():
    assert len(set(MEASURES)) == len(MEASURES)
    assert all(a != b for a, b in itertools.combinations(MEASURES, 2))


@named
def test_estimates_lie_in_the_range_with_a_positive_standard_error(measure):
    e = pauci.estimate(make_sample(), measure)
    low, high = e.bounds
    assert measure.range.low <= low < e.value < high <= measure.range.high
    assert 0 < e.se < high - low
    if not measure.has_interval:
        return
    for kind in ("logit", "wald") if np.isfinite([low, high]).all() else ("wald",):
        interval = e.interval(kind=kind)
        assert interval.low < e.value < interval.high
    inside = e.interval(0.999)
    assert low <= inside.low < inside.high <= high


@named
def test_a_frequency_is_equal_to_repeated_rows(measure):
    base = make_sample()
    y, s = base.rows.positive, base.ratings("score").values
    k = np.random.default_rng(2).integers(0, 4, y.size)
    counted = pauci.estimate(pauci.Sample(y, s, frequency=k), measure)
    copied = pauci.estimate(pauci.Sample(np.repeat(y, k), np.repeat(s, k)), measure)
    assert counted.value == pytest.approx(copied.value, rel=1e-14)
    assert counted.se == pytest.approx(copied.se, rel=1e-12)


@scale_free
def test_rows_in_another_order_and_scores_on_another_scale(measure):
    base = make_sample()
    y, s = base.rows.positive, base.ratings("score").values
    order = np.random.default_rng(3).permutation(y.size)
    e = pauci.estimate(base, measure)
    other = pauci.estimate(pauci.Sample(y[order], np.exp(s[order])), measure)
    assert (other.value, other.se) == (e.value, e.se)


@uncorrected
def test_equal_weights_of_any_scale_have_no_effect(measure):
    base = make_sample()
    y, s = base.rows.positive, base.ratings("score").values
    e = pauci.estimate(base, measure)
    weighted = pauci.estimate(pauci.Sample(y, s, weight=np.full(y.size, 0.37)), measure)
    assert weighted.value == pytest.approx(e.value, abs=1e-11)
    # Ends of weighted rows have an effective number of rows, which differs by about 1.
    assert weighted.se == pytest.approx(e.se, rel=0.01 if "pr=" in repr(measure) else 1e-9)


@named
def test_singleton_clusters_are_equivalent_to_rows(measure):
    base = make_sample()
    y, s = base.rows.positive, base.ratings("score").values
    e = pauci.estimate(base, measure)
    clustered = pauci.estimate(pauci.Sample(y, s, cluster=np.arange(y.size)), measure)
    assert clustered.value == e.value
    assert clustered.se == pytest.approx(e.se, rel=1e-12)


@scale_free
@pytest.mark.parametrize("case", ["perfect", "useless", "tied", "two of each"])
@pytest.mark.usefixtures("quiet")
def test_degenerate_data_give_finite_results(measure, case):
    y = [0] * 12 + [1] * 12
    s = {
        "perfect": range(24),
        "useless": [*range(12), *range(12)],
        "tied": [1] * 24,
        "two of each": [1, 2, 2, 3],
    }[case]
    if case == "two of each":
        y = [0, 1, 0, 1]
    try:
        e = pauci.estimate(pauci.Sample(y, list(s)), measure)
    except ValueError as error:
        assert "undefined here" in str(error)  # noqa: PT017
        ratio = getattr(measure, "normalized", True) or getattr(measure, "corrected", False)
        assert ratio, "only ratios and refits may be undefined"
        return
    assert np.isfinite([e.value, e.se]).all()
    kinds = (None, "logit", "wald") if np.isfinite(e.bounds.low) else (None, "wald")
    for kind in kinds if measure.has_interval else ():
        low, high = e.interval(kind=kind)
        assert np.isfinite([low, high]).all() or (e.degenerate and np.isinf(e.bounds).all())
        assert low < high
    if e.degenerate and measure.has_interval:
        assert low <= e.value <= high
        assert e.to_frame()["kind"].item() == ("limit" if e.binomial is None else e.binomial.kind)
    assert "nan" not in e.summary() + e.report()


@named
def test_a_classifier_against_itself(measure):
    base = make_sample()
    y, s = base.rows.positive, base.ratings("score").values
    with pytest.warns(pauci.errors.DegenerateWarning, match="standard error 0"):
        c = pauci.compare(pauci.Sample(y, {"a": s, "again": s.copy()}), measure)
    assert (c.difference, c.se, c.correlation) == (0, 0, 1)
    if not measure.has_interval:
        return
    assert c.pvalue == 1
    assert c.statistic == 0 or c.combines_limits
    low, high = c.interval()
    assert low < 0 < high


@scale_free
def test_one_positive_has_a_value_but_no_standard_error(measure):
    y, s = [1] + [0] * 9, [5.5, *range(9)]
    with pytest.raises(ValueError, match=r"1 row with a positive label|undefined here"):
        pauci.estimate(pauci.Sample(y, s), measure)
