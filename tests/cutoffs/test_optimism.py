"""Cross-fitted optimism, against a loop over folds and rows."""

import numpy as np
import pytest

import pauci
from pauci.cutoffs import uncertainty as module
from pauci.cutoffs.uncertainty import (
    AtSensitivity,
    AtSpecificity,
    CodedRows,
    Criterion,
    EqualRates,
    Maximize,
    _sorted_by,
    accepted_measures,
    criterion_of,
    criterion_of_cost,
    optimism,
)

YOUDEN = Maximize(Criterion(lambda tpr, fpr, _: tpr - fpr, None))


def rows(design="", seed=5, n=90):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    code = np.clip((12 - 4 * positive + rng.integers(-6, 7, n)), 0, 19)
    code[:20] = np.arange(20)
    mass = rng.gamma(2.0, size=n) if "weights" in design else None
    cluster = rng.integers(0, 25, n) if "clusters" in design else None
    if cluster is not None:
        cluster = np.unique(cluster, return_inverse=True)[1]
    return CodedRows(code, positive, 20, mass, cluster)


def by_loop(data, rule, folds, repeats, rng):
    mass = np.ones(data.code.size) if data.mass is None else data.mass
    totals = np.zeros(2)
    for _ in range(repeats):
        fold = data.folds(rng, folds)
        for i, label in enumerate((data.positive, ~data.positive)):
            total = size = 0.0
            for k in range(folds):
                train, test = fold != k, fold == k
                cum = [
                    np.array([mass[train & c & (data.code < e)].sum() for e in range(21)])
                    for c in (data.positive, ~data.positive)
                ]
                entry = int(rule.entry(*cum))
                rate = cum[i][entry] / cum[i][-1]
                held_out = test & label
                above = mass[held_out & (data.code < entry)].sum()
                total += mass[held_out].sum() * rate - above
                size += mass[held_out].sum()
            totals[i] += total / size
    fewer = ((folds - 1) / folds) ** (2 / 3 if rule is YOUDEN else 1)
    return fewer * totals[0] / repeats, -fewer * totals[1] / repeats


@pytest.mark.parametrize("rule", [YOUDEN, AtSensitivity(0.8)], ids=["youden", "sensitivity"])
@pytest.mark.parametrize("design", ["", "weights", "clusters", "weights and clusters"])
def test_optimism_of_the_definition(design, rule):
    data = rows(design)
    found = optimism(data, rule, 4, 3, np.random.default_rng(2))
    expected = by_loop(data, rule, 4, 3, np.random.default_rng(2))
    assert found == pytest.approx(expected, abs=1e-12)


def test_folds_are_stratified():
    data = rows()
    fold = data.folds(np.random.default_rng(1), 5)
    for label in (data.positive, ~data.positive):
        sizes = np.bincount(fold[label], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_clusters_are_not_divided_and_each_class_is_in_all_folds():
    data = rows("clusters", n=120)
    fold = data.folds(np.random.default_rng(1), 3)
    assert all(len(set(fold[data.cluster == c])) == 1 for c in range(data.cluster.max() + 1))
    assert {*fold[data.positive]} == {*fold[~data.positive]} == {0, 1, 2}


def test_noise_has_about_as_much_optimism_as_it_seems_informative():
    rng = np.random.default_rng(4)
    data = CodedRows(rng.permutation(200), np.arange(200) < 100, 200)
    found = optimism(data, YOUDEN, 5, 20, rng)
    cum = [
        np.r_[0.0, np.cumsum(np.bincount(data.code[c], minlength=200))]
        for c in (data.positive, ~data.positive)
    ]
    entry = int(YOUDEN.entry(*cum))
    apparent = (cum[0][entry] - cum[1][entry]) / 100
    assert apparent > 0.08
    assert abs(apparent - sum(found)) < 0.07


ALL_RULES = [
    *(AtSpecificity(rate) for rate in (0.05, 0.5, 0.9, 0.99)),
    *(AtSensitivity(rate) for rate in (0.05, 0.5, 0.9, 0.99)),
    EqualRates(),
    *(
        Maximize(criterion_of(kind, None, "cohort"))
        for key, kind in accepted_measures().items()
        if key != "netbenefit"
    ),
    *(Maximize(criterion_of_cost((ratio, 0.3))) for ratio in (0.01, 1, 50)),
]


@pytest.mark.parametrize("rule", ALL_RULES, ids=[str(i) for i in range(len(ALL_RULES))])
@pytest.mark.parametrize("shift", [-1.0, 0.0, 1.5])
@pytest.mark.parametrize("design", ["", "ties", "clusters"])
def test_merged_tie_groups_give_the_same_optimism(monkeypatch, rule, shift, design):
    """Blocks of tie groups are only merged where the rule chooses no entry."""
    rng = np.random.default_rng(8)
    positive = rng.random(700) < 0.4
    score = rng.normal(size=700) + shift * positive
    if design == "ties":
        score = np.round(score, 1)
    if design == "clusters":  # whole blocks of groups are in one fold
        score = np.sort(score)
    code = np.unique(-score, return_inverse=True)[1]
    cluster = np.arange(700) // 40 if design == "clusters" else None
    data = CodedRows(code, positive, int(code.max()) + 1, None, cluster)
    expected = optimism(data, rule, 3, 4, np.random.default_rng(2))
    for bits in (1, 3):
        monkeypatch.setattr(module, "_FEWEST", 2)
        monkeypatch.setattr(module, "_BITS", bits)
        assert optimism(data, rule, 3, 4, np.random.default_rng(2)) == expected


@pytest.mark.parametrize("decimals", [2, 17])
@pytest.mark.parametrize("n", [1, 2, 255, 256, 3000])
def test_rows_are_sorted_by_kind_and_a_random_number(n, decimals):
    rng = np.random.default_rng(n)
    random, kind = np.round(rng.random(n), decimals) % 1.0, rng.integers(-1, 2, n)
    if decimals == 2:  # numbers whose leading bits are equal
        random += rng.integers(0, 8, n) * 2.0**-53
    assert np.array_equal(_sorted_by(kind, random), np.lexsort((random, kind)))


def test_cross_fitting_shows_its_progress(monkeypatch):
    bars = []

    class Recorded(module.ProgressBar):
        def __enter__(self):
            bars.append(self)
            return super().__enter__()

    monkeypatch.setattr("pauci.progress.is_interactive", lambda: True)
    monkeypatch.setattr(module, "ProgressBar", Recorded)
    data = rows()
    pauci.cutoff(pauci.Sample(data.positive, -data.code), equal=True, repeats=7, rng=1)
    assert [(bar.done, bar.total) for bar in bars] == [(7, 7)]
