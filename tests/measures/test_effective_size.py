"""The effective number of observations at a prevalence, compared with manual calculations."""

import pytest

from pauci.measures import AP, AUC, AUK, REGISTRY, InitialTPR, MaxKappa, PAUCc
from pauci.measures.at_cutoff import AtCutoff


@pytest.mark.parametrize(
    ("measure", "n_pos", "n_neg", "k"),
    [
        (AP(0.01), 100, 100, 100 / 99),
        (AP(0.2), 30, 80, 20),
        (AP(0.05, rescaled=True), 100, 100, 100 / 19),
        (AP(0.05, corrected=True), 100, 100, 100 / 19),
        (AP(0.05, negatives=True), 100, 100, 1900),
        (AP(0.8, negatives=True), 30, 3000, 7.5),
        (AUK(0.05), 100, 100, 100 / 19),
        (AUK(0.95), 100, 100, 100 / 19),
        (MaxKappa(0.2), 30, 200, 50),
        (MaxKappa(0.8), 30, 200, 7.5),
        (AP(0.05) - MaxKappa(0.1), 100, 100, 100 / 19),
        (AP(0.05) / AUC(), 100, 100, 100 / 19),
        (AUC() + AP(0.3) - AP(0.9, negatives=True), 90, 70, 10),
    ],
    ids=repr,
)
def test_sizes_by_hand(measure, n_pos, n_neg, k):
    assert measure.effective_size(n_pos, n_neg) == pytest.approx(k, rel=1e-12)


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
        assert measure.effective_size(100, 100) is None
    given = [
        k
        for k in REGISTRY.values()
        if k.__dataclass_fields__.get("prevalence") and not issubclass(k, AtCutoff)
    ]
    assert set(given) == {AUK, MaxKappa, AP}
    assert all(kind(0.1).effective_size(50, 60) is not None for kind in given)
