"""Influence values computed in blocks are equal to those computed at once."""

import warnings

import numpy as np
import pytest

import pauci
from blocks import use_small_blocks
from pauci.curve.runs import ConstantBetweenRows
from registry import instances

MEASURES = [
    pauci.AUC(),
    pauci.AUC(rescaled=True),
    pauci.PAUC(fpr=(0, 0.3)),
    pauci.PAUCc(fpr=(0.1, 0.4)),
    pauci.PAUCc(tpr=(0.2, 0.9)),
    pauci.PAUCx(tpr=(0.5, 1)),
    pauci.SPA(fpr=(0, 0.25)),
    pauci.AP(),
    pauci.AP(prevalence=0.3),
    pauci.AP(negatives=True),
    pauci.AP(rescaled=True),
    pauci.AP(corrected=True),
    pauci.AUK(),
    pauci.AUK(prevalence=0.4),
    pauci.MaxKappa(),
    pauci.AP() - pauci.AUC(),
]
MODULES = [
    "curve.sorting",
    "curve.counts",
    "curve.exact_sums",
    "measures.influence",
    "variance.units",
    "variance.z",
]


def data(ties, n=700):
    rng = np.random.default_rng(5)
    y = rng.random(n) < 0.35
    a, b = (rng.normal(size=n) + y for _ in "ab")
    if ties:
        a, b = np.round(a, 1), np.round(b, 1)
    return y, {"a": a, "b": b}


def numbers(sample, measure):
    """Return the numbers of an estimate and a comparison."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        e = pauci.estimate(sample["a"], measure)
        c = pauci.compare(sample, measure)
        both = pauci.estimate(sample["a"], [measure, pauci.AUC()])
    intervals = [*e.interval(), *c.interval()]
    return [e.value, e.se, e.df, c.difference, c.se, c.df, *both.cov.ravel(), *intervals]


@pytest.mark.parametrize("extra", [{}, {"frequency": 2}, {"weight": 0.5}], ids=str)
@pytest.mark.parametrize("ties", [False, True], ids=["untied", "ties"])
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_blocks_change_no_number(measure, ties, extra, monkeypatch):
    if "weight" in extra and getattr(measure, "corrected", False):
        pytest.skip("a correction leaves out rows that count alike")
    y, scores = data(ties)
    extra = {name: value + np.arange(y.size) % 3 for name, value in extra.items()}
    at_once = numbers(pauci.Sample(y, scores, **extra), measure)
    use_small_blocks(monkeypatch, 32, *MODULES)
    monkeypatch.setattr("pauci.curve.sorting._MIN_ROWS_FOR_THREADS", 0)
    monkeypatch.setattr("pauci.curve.sorting._MIN_ROWS_TO_PACK", 0)
    in_blocks = numbers(pauci.Sample(y, scores, **extra), measure)
    assert in_blocks == pytest.approx(at_once, rel=1e-11, abs=1e-13)


@pytest.mark.parametrize("label", ["positives", "negatives"])
@pytest.mark.parametrize("ties", [False, True], ids=["different scores", "ties"])
def test_runs_without_a_class_can_be_merged_where_a_measure_declares_it(label, ties, monkeypatch):
    y, scores = data(ties)
    use_small_blocks(monkeypatch, 32, "curve.counts")
    ratings = pauci.Sample(y, scores["a"]).ratings()
    merged = ratings.merged(label)
    assert merged.table.size < (0.97 if ties else 0.85) * ratings.table.size
    assert merged.curve.auc == ratings.curve.auc
    measures = [
        m
        for m in instances((0.1, 0.6))
        if isinstance(m, ConstantBetweenRows)
        and label in m.constant_between(ratings.rows.counts, untied=False)
    ]
    assert {type(m).__name__ for m in measures} == {"AUC", "AP"}
    for measure in measures:
        values, pos, neg = [], [], []
        for r in (ratings, merged):
            piece = measure.region.piece(r.curve)
            values.append(measure.value(r.curve, piece))
            influence = measure.influence(r.curve, piece)
            pos.append(influence.pos.take(r.codes, mode="clip")[y])
            neg.append(influence.neg.take(r.codes, mode="clip")[~y])
        assert values[0] == pytest.approx(values[1], rel=1e-13)
        assert pos[0] == pytest.approx(pos[1], rel=1e-11)
        assert neg[0] == pytest.approx(neg[1], rel=1e-11)
    scores_of_groups = merged.table.scores
    assert scores_of_groups.tolist() == [merged.table.score(k) for k in range(merged.table.size)]
    assert set(scores_of_groups) <= set(ratings.table.scores)


def test_a_constant_influence_has_no_variance():
    # The mean of many equal values must not have a rounding error.
    rng = np.random.default_rng(0)
    y = np.arange(40_000) < 40
    scores = rng.normal(size=y.size) + y + 100.0 * y
    for frequency in (None, rng.integers(1, 4, y.size)):
        sample = pauci.Sample(y, scores, frequency=frequency)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pauci.PauciWarning)
            for measure in (pauci.AP(negatives=True, rescaled=True), pauci.AP(), pauci.AUC()):
                units = pauci.estimate(sample, measure).influence().loc[: y.size - 1]
                assert (units == 0.0).all(axis=None)


@pytest.mark.parametrize("classifiers", [1, 2])
def test_the_delta_method_warns_however_many_rows_there_are(classifiers):
    rng = np.random.default_rng(0)
    y = np.arange(30_000) < 3_000
    sample = pauci.Sample(y, {f"c{i}": rng.normal(size=y.size) + y for i in range(classifiers)})
    with pytest.warns(pauci.errors.TableWarning):
        pauci.estimate(sample, pauci.AUC(), variance="delta")
