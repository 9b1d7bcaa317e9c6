"""The U-statistic against loops over pairs of triples, on tiny data with gaps."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.readers.contrasts import UStatistic, covariance_of, difference_of, kernels_of


def tiny(seed, *, gaps=True, nested=False):
    """Return 3 readers, 2 modalities and 9 cases, with ties and missing readings."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"r{r}", "AB"[m], c, int(c < 4), int(rng.integers(0, 4) + (c < 4)))
        for r, m, c in product(range(3), range(2), range(9))
        if not gaps or rng.random() > 0.25 or c in (0, 1, 4, 5)
    ]
    frame = pd.DataFrame(rows, columns=["reader", "modality", "case", "label", "score"])
    if nested:
        frame["case"] = frame["case"] + 10 * (frame["modality"] == "B")
    return pauci.ReaderStudy.from_frame(frame)


def triples(study, modality, weighing):
    """Every triple of a modality: reader, positive, negative, weight, kernel."""
    for cell in study.cells:
        if cell.modality != modality:
            continue
        positive, scores = cell.ratings.rows.positive, np.asarray(cell.ratings.values)
        n_pos, n_neg = int(positive.sum()), int((~positive).sum())
        w = 1.0 if weighing == "pairs" else 1.0 / (n_pos * n_neg)
        for i, j in product(np.flatnonzero(positive), np.flatnonzero(~positive)):
            x, y = scores[i], scores[j]
            yield cell.reader, cell.cases[i], cell.cases[j], w, (x > y) + 0.5 * (x == y)


def brute_force(study, one, other, weighing):
    """Covariance of two averages by Gallas's eight moments, each from pairs of triples."""
    first, second = (list(triples(study, m, weighing)) for m in (one, other))
    top, bottom = {}, {}
    for r, i, j, w, s in first:
        for q, k, m, v, t in second:
            kind = (r == q, i == k, j == m)
            top[kind] = top.get(kind, 0.0) + w * s * v * t
            bottom[kind] = bottom.get(kind, 0.0) + w * v
    whole = sum(t[3] for t in first) * sum(t[3] for t in second)
    moments = {kind: top[kind] / bottom[kind] for kind in top}
    none = moments[False, False, False]
    return sum(bottom[kind] / whole * moments[kind] for kind in top) - none


@pytest.mark.parametrize("weighing", ["pairs", "equal"])
@pytest.mark.parametrize("options", [{}, {"gaps": False}, {"nested": True}], ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_variance_is_the_sum_over_pairs_of_triples(seed, options, weighing):
    study = tiny(seed, **options)
    kernels, averages = [], []
    for m in (0, 1):
        cells = [c for c in study.cells if c.modality == m]
        pairs = np.array([float(np.prod(c.ratings.rows.counts)) for c in cells])
        weights = pairs / pairs.sum() if weighing == "pairs" else np.full(len(cells), 1 / 3)
        kernels.append(kernels_of(study, cells, weights))
        found = list(triples(study, m, weighing))
        averages.append(sum(w * s for *_, w, s in found) / sum(t[3] for t in found))
    for one, other in ((0, 0), (1, 1), (0, 1)):
        expected = brute_force(study, one, other, weighing)
        found = covariance_of(kernels[one], kernels[other]).covariance
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-14)
    assert [k.auc for k in kernels] == pytest.approx(averages, rel=1e-12)
    v = difference_of(
        covariance_of(kernels[0], kernels[0]),
        covariance_of(kernels[1], kernels[1]),
        covariance_of(kernels[0], kernels[1]),
    )
    expected = brute_force(study, 0, 0, weighing) + brute_force(study, 1, 1, weighing)
    expected -= 2 * brute_force(study, 0, 1, weighing)
    assert v.covariance == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_the_u_statistic_is_for_the_auc_only():
    study = tiny(1)
    with pytest.raises(pauci.InputError, match="is for the AUC"):
        pauci.mrmc(study, pauci.AP(), method="u-statistic")
    with pytest.raises(pauci.InputError, match="random readers and cases"):
        pauci.mrmc(study, pauci.AUC(), method="u-statistic", readers="fixed")


def test_two_readings_of_one_kind_have_no_variance():
    frame = pd.DataFrame(
        {"reader": list("aabb"), "case": [1, 2, 1, 3], "label": [1, 0, 1, 0], "score": [2, 1, 3, 1]}
    )
    study = pauci.ReaderStudy.from_frame(frame, modality=None)
    cells = kernels_of(study, study.cells, np.array([0.5, 0.5]))
    with pytest.raises(pauci.UndefinedError, match="two readers must read two cases"):
        covariance_of(cells, cells)


@pytest.mark.parametrize(("variance", "enough"), [(8e-4, True), (2e-4, False)])
def test_degrees_of_freedom_are_at_least_those_of_the_fewest_factor(variance, enough):
    """V^2 over the sum of s^2 / (m - 1)^3, and at least the smallest m - 1."""
    factors = [frozenset(f) for f in "rij"]
    found = UStatistic(
        variance,
        dict(zip(factors, ((2e-3, 4), (5e-3, 20), (1e-2, 40)), strict=True)),
    )
    by_formula = variance**2 / (2e-3**2 / 4**3 + 5e-3**2 / 20**3 + 1e-2**2 / 40**3)
    assert found.degrees_of_freedom() == pytest.approx(max(by_formula, 4.0), rel=1e-12)
    assert (by_formula > 4.0) == enough


def nested_readers(readers=(4, 6), cases=(9, 12), seed=3):
    """Return a study in which every reader reads all cases in one modality."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], cases)
    effect = rng.normal(size=y.size)
    rows = [
        (f"{m}{r}", m, c, y[c], effect[c] + rng.normal() + y[c] * (1 + 0.2 * r))
        for m, count in zip("AB", readers, strict=True)
        for r in range(count)
        for c in range(y.size)
    ]
    return pd.DataFrame(rows, columns=["reader", "modality", "case", "label", "score"])


def products_that_share(study, first, second, shared):
    """Mean product of two triples that share some indices, minus the product of the averages."""
    one, other = (list(triples(study, m, "pairs")) for m in (first, second))
    found = [(a[4] * b[4]) for a in one for b in other if all(a[k] == b[k] for k in shared)]
    return np.mean(found) - np.mean([a[4] for a in one]) * np.mean([b[4] for b in other])


@pytest.mark.parametrize("readers", [(2, 4), (3, 3)])
def test_components_of_readers_nested_in_modalities_are_independent(readers):
    """Readers have a term for each modality; positives and negatives, which are shared, one."""
    frame = nested_readers(readers, (4, 5))
    s = pauci.ReaderStudy.from_frame(frame)
    m = pauci.mrmc(s, pauci.AUC(), method="u-statistic")
    d = m.contrasts[0]
    denominator = sum(
        products_that_share(s, k, k, [0]) ** 2 / (r - 1) ** 3 for k, r in enumerate(readers)
    )
    for index, size in ((1, 4), (2, 5)):
        a, b, both = (products_that_share(s, *k, [index]) for k in ((0, 0), (1, 1), (0, 1)))
        denominator += (a + b - 2 * both) ** 2 / (size - 1) ** 3
    fewest = min(*readers, 4) - 1
    assert d.df == pytest.approx(max(d.se**4 / denominator, fewest), rel=1e-9)


def test_a_standalone_reader_is_an_algorithm_that_is_entered_twice():
    """No pair of triples shares the reader of the algorithm, who has no reader component."""
    frame = nested_readers((1, 5))
    alone = pauci.ReaderStudy.from_frame(frame)
    copies = frame[frame["modality"] == "A"]
    twice = pauci.ReaderStudy.from_frame(pd.concat([frame, copies.assign(reader="copy")]))
    m = pauci.mrmc(alone, pauci.AUC(), method="u-statistic", standalone="A")
    expected = pauci.mrmc(twice, pauci.AUC(), method="u-statistic").contrasts[0]
    d = m.contrasts[0]
    assert (d.value, d.se, d.df) == pytest.approx((expected.value, expected.se, expected.df))
    assert d.df > 5
    by_influence = pauci.mrmc(alone, pauci.AUC(), standalone="A")
    assert d.se == pytest.approx(by_influence.contrasts[0].se, rel=0.15)
    one, other = m.averages[0], by_influence.averages[0]
    assert (one.se, one.interval()) == (other.se, other.interval())
    assert m.family.contrast({"A": 1, "B": -1}).se == pytest.approx(d.se, rel=1e-9)
    same_name = frame.assign(reader=frame["reader"].replace({"A0": "B0"}))
    again = pauci.mrmc(
        pauci.ReaderStudy.from_frame(same_name), pauci.AUC(), method="u-statistic", standalone="A"
    )
    assert again.contrasts[0].se == pytest.approx(d.se, rel=1e-9)


@pytest.mark.slow
def test_the_variance_against_a_standalone_reader_is_unbiased():
    values, variances, rejected, runs = [], [], 0, 400
    for seed in range(runs):
        rng = np.random.default_rng([11, seed])
        y = np.repeat([1, 0], [15, 20])
        effect = 0.5 * rng.normal(size=35)
        rows = []
        for m, r in [("A", 0), *(("B", k) for k in range(4))]:
            shift = 1.0 + 0.3 * rng.normal() * (m == "B")
            scores = effect + 0.8 * rng.normal(size=35) + shift * y
            rows += [(f"{m}{r}", m, c, y[c], scores[c]) for c in range(35)]
        frame = pd.DataFrame(rows, columns=["reader", "modality", "case", "label", "score"])
        study = pauci.ReaderStudy.from_frame(frame)
        m = pauci.mrmc(study, pauci.AUC(), method="u-statistic", standalone="A")
        d = m.contrasts[0]
        values.append(d.value)
        variances.append(d.se**2)
        rejected += d.pvalue < 0.05
    assert np.mean(variances) / np.var(values, ddof=1) == pytest.approx(1.0, abs=0.25)
    assert 0.015 < rejected / runs < 0.09
