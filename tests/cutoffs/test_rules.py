"""Rules that choose a cut-off, against loops over all thresholds."""

import numpy as np
import pytest

from pauci.cutoffs.uncertainty import (
    AtSensitivity,
    AtSpecificity,
    Criterion,
    EqualRates,
    Maximize,
)


def kappa(tpr, fpr, share):
    agree = share * tpr + (1 - share) * (1 - fpr)
    called = share * tpr + (1 - share) * fpr
    chance = share * called + (1 - share) * (1 - called)
    return (agree - chance) / (1 - chance)


YOUDEN = Criterion(lambda tpr, fpr, _: tpr - fpr, None)
KAPPA = Criterion(kappa, None, of_share=True)
KAPPA_AT = Criterion(kappa, None, 0.1, of_share=True)
RULES = {
    "specificity": AtSpecificity(0.8),
    "sensitivity": AtSensitivity(0.9),
    "equal": EqualRates(),
    "youden": Maximize(YOUDEN),
    "kappa": Maximize(KAPPA),
    "kappa at a prevalence": Maximize(KAPPA_AT),
}


def table(seed, groups=30):
    rng = np.random.default_rng(seed)
    pos = rng.integers(0, 4, groups)[::1] * (np.arange(groups) < 20) + (np.arange(groups) == 0)
    neg = rng.integers(0, 4, groups) * (np.arange(groups) > 8) + (np.arange(groups) == 12)
    return pos, neg


def chosen(name, pos, neg):
    """Return the chosen entry, by a loop over entries."""
    n1, n0, best, at = pos.sum(), neg.sum(), None, None
    for k in range(pos.size + 1):
        y, s = pos[:k].sum() / n1, neg[k:].sum() / n0
        if name == "specificity":
            at = k if s >= 0.8 else at
            continue
        if name == "sensitivity":
            if at is None and y >= 0.9:
                at = k
            continue
        value = {
            "equal": -abs(y - s),
            "youden": y + s,
            "kappa": kappa(y, 1 - s, n1 / (n1 + n0)),
            "kappa at a prevalence": kappa(y, 1 - s, 0.1),
        }[name]
        if best is None or value > best + 1e-12:
            best, at = value, k
    return at


@pytest.mark.parametrize("name", RULES)
def test_rules_choose_the_entry_of_a_loop(name):
    tables = [table(seed) for seed in range(8)]
    cum_pos, cum_neg = (
        np.array([np.r_[0, np.cumsum(t[i])] for t in tables], float) for i in (0, 1)
    )
    expected = [chosen(name, *t) for t in tables]
    assert RULES[name].entry(cum_pos, cum_neg).tolist() == expected
    one = [int(RULES[name].entry(p, n)) for p, n in zip(cum_pos, cum_neg, strict=True)]
    assert one == expected


def test_rates_that_are_reached_except_for_rounding_are_reached():
    cum = np.arange(11.0)
    assert int(AtSpecificity(0.7).entry(cum, cum)) == 3
    assert int(AtSensitivity(0.3).entry(cum, cum)) == 3


def test_entries_at_which_a_criterion_is_undefined_are_not_chosen():
    ratio = Criterion(lambda tpr, fpr, _: -fpr / tpr, None)
    cum_pos, cum_neg = np.array([0.0, 1, 2, 4]), np.array([0.0, 1, 1, 3])
    assert int(Maximize(ratio).entry(cum_pos, cum_neg)) == 2


@pytest.mark.parametrize("name", RULES)
def test_scores_without_counted_rows_are_no_cutoffs(name):
    """In cross-fitting, scores of the rows that were left out do not move the cut-off."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pos, neg = (rng.random(40) < np.linspace(*ends, 40) for ends in ((0.5, 0.1), (0.1, 0.5)))
        present = np.flatnonzero(pos | neg)
        full, alone = (
            [np.r_[0.0, np.cumsum(c)] for c in counts]
            for counts in ((pos, neg), (pos[present], neg[present]))
        )
        entry, expected = (int(RULES[name].entry(*cum)) for cum in (full, alone))
        assert entry == (present[expected - 1] + 1 if expected else 0)
