"""The U-statistic against loops over pairs of triples, on tiny data with gaps."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.readers.u_statistic import UStatistic, covariance_of, difference_of, kernels_of


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
        dict(zip(factors, (2e-3, 5e-3, 1e-2), strict=True)),
        dict(zip(factors, (4, 20, 40), strict=True)),
    )
    by_formula = variance**2 / (2e-3**2 / 4**3 + 5e-3**2 / 20**3 + 1e-2**2 / 40**3)
    assert found.degrees_of_freedom() == pytest.approx(max(by_formula, 4.0), rel=1e-12)
    assert (by_formula > 4.0) == enough
