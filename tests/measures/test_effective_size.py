"""The effective number of observations at a prevalence, compared with manual calculations."""

import math
from dataclasses import replace

import pytest

from pauci.measures import AP, AUC, AUK, REGISTRY, InitialTPR, MaxKappa, PAUCc
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.influence import EffectiveSize


@pytest.mark.parametrize(
    ("measure", "n_pos", "n_neg", "k", "noun"),
    [
        (AP(0.01), 100, 100, 100 / 99, "negatives"),
        (AP(0.05), 100, 100, 100 / 19, "negatives"),
        (AP(0.2), 30, 80, 20, "negatives"),
        (AP(0.05, rescaled=True), 100, 100, 100 / 19, "negatives"),
        (AP(0.05, corrected=True), 100, 100, 100 / 19, "negatives"),
        (AP(0.05, negatives=True), 100, 100, 1900, "positives"),
        (AP(0.95, negatives=True), 100, 100, 100 / 19, "positives"),
        (AP(0.8, negatives=True), 30, 3000, 7.5, "positives"),
        (AUK(0.05), 100, 100, 100 / 19, "negatives"),
        (AUK(0.95), 100, 100, 100 / 19, "positives"),
        (MaxKappa(0.2), 30, 200, 50, "negatives"),
        (MaxKappa(0.8), 30, 200, 7.5, "positives"),
        (AP(0.05) - MaxKappa(0.1), 100, 100, 100 / 19, "negatives"),
        (AP(0.05) / AUC(), 100, 100, 100 / 19, "negatives"),
        (AUC() + AP(0.3) - AP(0.9, negatives=True), 90, 70, 10, "positives"),
    ],
    ids=lambda value: repr(value) if hasattr(value, "key") else None,
)
def test_sizes_by_hand(measure, n_pos, n_neg, k, noun):
    size = measure.effective_size(n_pos, n_neg)
    assert (size.size, size.noun) == (pytest.approx(k, rel=1e-12), noun)


def test_only_a_prevalence_that_is_given_has_a_size():
    for measure in (
        AUC(),
        AP(),
        AUK(),
        MaxKappa(),
        InitialTPR(),
        PAUCc(fpr=(0, 0.1)),
        AP() / AUC(),
    ):
        assert measure.effective_size(100, 100, 0.5) is None
    given = [
        k
        for k in REGISTRY.values()
        if k.__dataclass_fields__.get("prevalence") and not issubclass(k, AtCutoff)
    ]
    assert set(given) == {AUK, MaxKappa, AP}
    assert all(kind(0.1).effective_size(50, 60) is not None for kind in given)


@pytest.mark.parametrize("measure", [AP(0.2), AUK(0.2), MaxKappa(0.2)], ids=repr)
def test_the_prevalence_of_the_sample_is_always_sufficient(measure):
    """At the sample prevalence k is the number of positives; it increases with the prevalence."""
    assert not measure.effective_size(10, 40).is_reduced_below(25)
    assert not measure.effective_size(10, 50).is_reduced_below(25)
    assert measure.effective_size(10, 20).is_reduced_below(25)
    rounded = type(measure)(0.166)  # of 10 in 60
    assert not rounded.effective_size(10, 50).is_reduced_below(25)
    # Of clusters and weights k is another number, and the prevalence the sample's all the same.
    assert measure.effective_size(50, 60).is_reduced_below(25)
    assert not measure.effective_size(50, 60, share=0.2).is_reduced_below(25)


@pytest.mark.parametrize(
    ("measure", "n_pos", "n_neg"),
    [
        (AP(0.01), 100, 100),
        (AP(0.001), 37, 611),
        (AP(0.99, negatives=True), 100, 100),
        (AP(0.9993, negatives=True), 211, 57),
        (AUK(0.01), 80, 300),
        (AUK(0.97), 80, 300),
        (MaxKappa(0.004), 300, 90),
        (AP(0.003), 12, 700),
    ],
    ids=repr,
)
@pytest.mark.parametrize("limit", [5, 25])
def test_the_suggested_value_is_sufficient(measure, n_pos, n_neg, limit):
    size = measure.effective_size(n_pos, n_neg)
    assert size.is_reduced_below(limit)

    def at(share):
        return replace(measure, prevalence=share)

    share = size.prevalence_for(limit)
    assert not at(share).effective_size(n_pos, n_neg).is_reduced_below(limit)
    less = share + 0.08 * (size.prevalence - share)
    assert at(less).effective_size(n_pos, n_neg).size < min(limit, size.at_sample_prevalence)
    more = size.total_for(limit)
    both = (n_pos, more) if size.noun == "negatives" else (more, n_neg)
    fewer = (n_pos, more - 1) if size.noun == "negatives" else (more - 1, n_neg)
    assert not measure.effective_size(*both).is_reduced_below(limit)
    assert measure.effective_size(*fewer).size < limit


def test_sizes_are_exact_at_the_limits():
    """25 = 100 * 0.2/0.8 up to rounding is sufficient, and slightly less is not."""
    assert not EffectiveSize.from_negatives(100, 100, 0.2).is_reduced_below(25)
    assert EffectiveSize.from_negatives(100, 100, 0.1994).is_reduced_below(25)
    assert not EffectiveSize.from_negatives(100, 100, 1 / 21).is_reduced_below(5)
    assert EffectiveSize.from_negatives(100, 95, 0.05).size == pytest.approx(5)
    assert EffectiveSize.from_negatives(100, 94, 0.05).is_reduced_below(5)
    assert not math.isnan(EffectiveSize.from_both(1, 1, 1e-50, 5.0).size)
