"""Averages over folds in groups: each is that of the group alone, and their covariance."""

import numpy as np
import pytest

import pauci
from pauci.errors import InputError

FOLDS = 3
MEASURES = [
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.4)),
    pauci.Sensitivity(specificity=0.7),
    pauci.PPV(threshold=0.5),
]


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """Small folds have warnings, which other tests examine."""


def columns(repeats=1, seed=1, n=180, size=4):
    """Return columns of rows with patients in several groups, and folds of patients or rows.

    In repeated folds the rows are divided anew; single folds do not divide patients.
    """
    rng = np.random.default_rng(seed)
    patient = np.arange(n) // size
    fold = patient % FOLDS
    if repeats > 1:
        fold = np.concatenate([r * FOLDS + rng.permutation(fold) for r in range(repeats)])
    y = np.arange(n) // 2 % 2
    a = np.tile(y, repeats) + rng.normal(size=n * repeats)
    return {
        "y": np.tile(y, repeats),
        "a": a,
        "b": 0.5 * a + rng.normal(size=n * repeats),
        "fold": fold,
        "group": np.tile(np.arange(n) % 2 + np.arange(n) // (2 * size) % 2, repeats),
        "row": np.tile(np.arange(n), repeats),
        "patient": np.tile(patient, repeats),
        "weight": np.tile(rng.uniform(1, 3, n), repeats),
    }


def make(d, rows=slice(None), **options):
    scores = {name: d[name][rows] for name in "ab"}
    others = {key: d[column][rows] for key, column in options.items()}
    return pauci.Sample(d["y"][rows], scores, fold=d["fold"][rows], **others)


DESIGNS = {
    "folds": (1, {}),
    "weights": (1, {"weight": "weight"}),
    "patients": (1, {"cluster": "patient"}),
    "repeated": (2, {"cluster": "row"}),
    "repeated, weights": (2, {"cluster": "row", "weight": "weight"}),
    "repeated, patients": (2, {"cluster": "patient"}),
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    "variance", ["influence", pytest.param("jackknife", marks=pytest.mark.long)]
)
def test_each_average_is_that_of_the_group_alone(design, variance):
    repeats, options = DESIGNS[design]
    d = columns(repeats)
    measures = MEASURES[:2] if variance == "jackknife" else MEASURES[1:4:2]
    by_group = pauci.estimate(make(d, **options), measures, variance, by=d["group"])
    differences = pauci.compare(make(d, **options), measures, variance, by=d["group"])
    for k, label in enumerate(np.unique(d["group"])):
        alone = make(d, d["group"] == label, **options)
        expected = pauci.estimate(alone, measures, variance)
        found = [e for e in by_group if e.group == label]
        assert len(found) == len(expected) == 2 * len(measures)
        for e, x in zip(found, expected, strict=True):
            assert (e.classifier, e.measure, e.folds, e.n_pos) == (
                x.classifier,
                x.measure,
                x.folds,
                x.n_pos,
            )
            numbers = [(q.value, q.se, q.df, *q.interval()) for q in (e, x)]
            assert numbers[0] == pytest.approx(numbers[1], rel=1e-10)
        for c, x in zip(
            differences[k * len(measures) : (k + 1) * len(measures)],
            pauci.compare(alone, measures, variance),
            strict=True,
        ):
            numbers = [(q.difference, q.se, q.pvalue, *q.interval()) for q in (c, x)]
            assert numbers[0] == pytest.approx(numbers[1], rel=1e-8, abs=1e-12)
    assert by_group.overall[0].value == pauci.estimate(make(d, **options), measures)[0].value


def by_hand(d, name, labels, unit):
    """Return the average AUC of each group, and the contributions of the units to it, by loops.

    A unit in several folds of a group has the factor of all units of the group with its class, and
    moves the average towards the values of its folds.
    """
    units = np.unique(d[unit])
    values, contributions = [], []
    crossing = any(np.unique(d["fold"][d[unit] == u]).size > 1 for u in units)
    for label in labels:
        folds = np.unique(d["fold"])
        parts = [np.flatnonzero((d["group"] == label) & (d["fold"] == k)) for k in folds]
        placements, areas = [], []
        for at in parts:
            y, s = d["y"][at], d[name][at]
            wins = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
            placed = np.empty(at.size)
            placed[y == 1], placed[y == 0] = wins.mean(axis=1), wins.mean(axis=0)
            placements.append(placed)
            areas.append(wins.mean())
        average, z = np.mean(areas), np.zeros(units.size)
        for at, placed, area in zip(parts, placements, areas, strict=True):
            for c in (0, 1):
                own = d["y"][at] == c
                centre = average if crossing else area
                over = np.flatnonzero(d["group"] == label) if crossing else at
                m = np.unique(d[unit][over][d["y"][over] == c]).size
                values_of_rows = (placed[own] - centre) / own.sum() * np.sqrt(m / (m - 1))
                where = np.searchsorted(units, d[unit][at][own])
                np.add.at(z, where, values_of_rows / len(parts))
        values.append(average)
        contributions.append(z)
    return np.array(values), np.array(contributions)


@pytest.mark.parametrize("design", ["patients", "repeated", "repeated, patients"])
def test_covariances_of_groups_by_hand(design):
    repeats, options = DESIGNS[design]
    d = columns(repeats)
    labels = np.unique(d["group"]).tolist()
    result = pauci.estimate(make(d, **options)["a"], pauci.AUC(), by=d["group"])
    values, z = by_hand(d, "a", labels, options["cluster"])
    covariance = z @ z.T
    assert [e.value for e in result] == pytest.approx(values)
    assert [e.se for e in result] == pytest.approx(np.sqrt(np.diag(covariance)))
    assert result.shared == (options["cluster"] == "patient")
    for k, gap in enumerate(result.gaps, 1):
        expected = covariance[0, 0] + covariance[k, k] - 2 * covariance[0, k]
        assert (gap.value, gap.se) == pytest.approx((values[k] - values[0], np.sqrt(expected)))
    off = covariance - np.diag(np.diag(covariance))
    assert (np.abs(off).max() > 1e-5) == result.shared
    contrast = np.array([1.0, -2.0, 1.0])
    found = result.contrast(contrast.tolist())
    assert found.se == pytest.approx(np.sqrt(contrast @ covariance @ contrast))
    # Differences of differences
    compared = pauci.compare(make(d, **options), pauci.AUC(), by=d["group"])
    _, other = by_hand(d, "b", labels, options["cluster"])
    both = (z - other) @ (z - other).T
    assert [c.se for c in compared] == pytest.approx(np.sqrt(np.diag(both)))
    expected = both[0, 0] + both[1, 1] - 2 * both[0, 1]
    assert compared.gaps[0].se == pytest.approx(np.sqrt(expected))
    assert 0 <= compared.heterogeneity().pvalue <= 1


@pytest.mark.parametrize("design", ["folds", "repeated", "repeated, patients"])
def test_gaps_from_all_rows(design):
    repeats, options = DESIGNS[design]
    d = columns(repeats)
    d["weight"][:] = 1
    sample = make(d, **options)["a"]
    result = pauci.estimate(sample, pauci.AUC(), by=d["group"], reference="overall")
    joined = pauci.join([result, pauci.estimate(sample, [pauci.AUC()])])
    by_join = joined.contrast([1, 0, 0, -1])
    assert (result.gaps[0].value, result.gaps[0].se) == pytest.approx((by_join.value, by_join.se))
    twice = pauci.estimate(sample, pauci.AUC(), by={"x": d["group"] < 2, "y": d["group"] < 2})
    assert twice.gaps[0].se == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("design", ["folds", "repeated, patients"])
def test_conservative_averages_have_twice_the_variance(design):
    repeats, options = DESIGNS[design]
    d = columns(repeats)
    sample = make(d, **options)["a"]
    results = [
        pauci.estimate(sample, pauci.AUC(), by=d["group"], conservative=flag)
        for flag in (True, False)
    ]
    ratios = [(a.se / b.se) ** 2 for a, b in zip(*results, strict=True)]
    ratios += [(a.se / b.se) ** 2 for a, b in zip(*(r.gaps for r in results), strict=True)]
    assert ratios == pytest.approx([2.0] * len(ratios))


@pytest.mark.parametrize("design", ["folds", "repeated", "repeated, patients"])
def test_the_bootstrap_draws_patients_with_their_rows_in_all_folds_and_groups(design):
    repeats, options = DESIGNS[design]
    d = columns(repeats)
    sample, bootstrap = make(d, **options)["a"], pauci.Bootstrap(300, rng=1)
    resampled = pauci.estimate(sample, pauci.AUC(), bootstrap, by=d["group"])
    influence = pauci.estimate(sample, pauci.AUC(), by=d["group"])
    for a, b in zip([*resampled, *resampled.gaps], [*influence, *influence.gaps], strict=True):
        assert a.value == b.value
        assert 0.75 < a.se / b.se < 1.4
        assert a.interval(kind="percentile").low < a.value < a.interval(kind="percentile").high
    same = {"x": d["group"] < 2, "y": d["group"] < 2}
    twice = pauci.estimate(sample, pauci.AUC(), bootstrap, by=same)
    assert twice.gaps[0].se == pytest.approx(0, abs=1e-12)


def test_a_fold_without_a_class_in_a_group():
    d = columns()
    rows = (d["group"] == 1) & (d["fold"] == 2) & (d["y"] == 1)
    d["group"][rows] = 0
    with pytest.raises(InputError, match=r"1 \(0 positives, \d+ negatives in fold 2\)") as caught:
        pauci.estimate(make(d), pauci.AUC(), by=d["group"])
    assert caught.value.argument == "by"
    result = pauci.estimate(make(d), pauci.AUC(), by=d["group"], skip_small=True)
    assert [e.group for e in result] == [0, 0, 2, 2]
    assert "in fold 2" in result.skipped.note
    with pytest.raises(InputError, match="0 positives, 0 negatives in fold 1"):
        pauci.estimate(make(d), pauci.AUC(), by=d["fold"])


def test_results_of_separate_calls_are_joined():
    d = columns(2)
    sample = make(d, cluster="patient")["a"]
    both = pauci.estimate(sample, MEASURES[:2], by=d["group"])
    first, second = (pauci.estimate(sample, m, by=d["group"]) for m in MEASURES[:2])
    found = pauci.join([first, second]).contrast([1, 0, 0, 0, -1, 0])
    expected = both.contrast([1, 0, 0, -1, 0, 0])
    numbers = [(c.value, c.se, *c.interval()) for c in (found, expected)]
    assert numbers[0] == pytest.approx(numbers[1])


def test_several_classes():
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 3, 240), rng.dirichlet([2, 2, 2], 240)
    fold, group = np.arange(240) % 2, np.arange(240) // 2 % 2
    sample = pauci.Sample.from_classes(y, p, fold=fold, group=group)
    for measure in (pauci.AUC(), pauci.Macro(pauci.AUC()), pauci.PDI()):
        result = pauci.estimate(sample, measure, by="group")
        for label in (0, 1):
            of = group == label
            alone = pauci.Sample.from_classes(y[of], p[of], fold=fold[of])
            expected = pauci.estimate(alone, [measure])
            found = [e for e in result if e.group == label]
            assert [(e.value, e.se) for e in found] == [(e.value, e.se) for e in expected]


def at_horizon(copies, horizon):
    """Return folds and groups of outcomes at a horizon, of which rows have several copies."""
    rng = np.random.default_rng(5)
    n = copies.size
    risk = rng.normal(size=n)
    ends = [rng.uniform(2, 9, n), rng.exponential(6 * np.exp(-risk))]
    return pauci.Sample.from_survival(
        time=np.min(ends, axis=0),
        event=np.argmin(ends, axis=0),
        scores=risk + rng.normal(size=n),
        horizon=horizon,
        weight=copies,
        fold=np.arange(n) % 2,
        group=np.arange(n) // 2 % 2,
    )


@pytest.mark.long
def test_groups_at_a_horizon_by_finite_differences():
    """The influence of a row is the derivative by its sampling weight, also on other groups."""
    n, step = 80, 1e-4

    def gap(copies):
        result = pauci.estimate(at_horizon(copies, 4), pauci.AUC(), by="group")
        return np.array([*(e.value for e in result), result.gaps[0].value])

    z = np.array([(gap(1 + step * row) - gap(1 - step * row)) / (2 * step) for row in np.eye(n)]).T
    z -= z.mean(axis=1, keepdims=True)
    expected = np.sqrt(n / (n - 1) * (z**2).sum(axis=1))
    result = pauci.estimate(at_horizon(np.ones(n), 4), pauci.AUC(), by="group")
    assert [*(e.se for e in result), result.gaps[0].se] == pytest.approx(expected, rel=1e-4)


def test_folds_at_several_horizons():
    both = at_horizon(np.ones(160), [3, 5])
    result = pauci.estimate(both, MEASURES[:2])
    for k, t in enumerate((3, 5)):
        expected = pauci.estimate(at_horizon(np.ones(160), t), MEASURES[:2])
        for e, x in zip(result[2 * k : 2 * k + 2], expected, strict=True):
            assert (e.value, e.se, e.df) == pytest.approx((x.value, x.se, x.df))
    assert result.gaps[0].se < np.hypot(result[0].se, result[2].se)
