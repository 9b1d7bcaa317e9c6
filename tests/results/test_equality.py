"""Equal results are equal, NaN fields included, on every version of Python."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import pauci
from pauci import AUC, PAUC
from registry import instances, risk_instances

Y = np.tile([0, 1], 30)
S = np.random.default_rng(3).normal(size=(2, 60)) + Y
SAMPLE = pauci.Sample(Y, {"a": S[0], "b": S[1]})
FOLDED = pauci.Sample(Y, S[0], fold=np.arange(60) // 20)
REGION = PAUC(fpr=(0, 0.5))
RESULTS = {
    "sample size": lambda: pauci.sample_size(SAMPLE["a"], AUC(), null=0.5),
    "width": lambda: pauci.sample_size(SAMPLE["a"], AUC(), width=0.1),
    "average over folds": lambda: pauci.estimate(FOLDED, REGION),
    "estimate": lambda: pauci.estimate(SAMPLE["a"], REGION),
    "test of a limit": lambda: pauci.estimate(pauci.Sample(Y, Y), AUC()).test(0.5),
    "comparison": lambda: pauci.compare(SAMPLE, REGION),
    "region": lambda: replace(
        pauci.estimate(SAMPLE["a"], REGION).region, threshold=(float("nan"), float("nan"))
    ),
}


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("name", RESULTS)
def test_copies_are_equal_and_have_equal_hashes(name):
    result, again = RESULTS[name](), RESULTS[name]()
    copies = [again, copy.deepcopy(result), pickle.loads(pickle.dumps(result))]
    for other in copies:
        assert result == other
        assert hash(result) == hash(other)
    assert result != name
    assert len({result, *copies}) == 1


def test_results_that_differ_in_one_field_are_not_equal():
    e = pauci.estimate(SAMPLE["a"], AUC())
    assert e != replace(e, value=e.value + 1e-12)
    assert e != replace(e, resolution_bound=float("nan"))
    assert e == replace(e, cautions=(pauci.PauciWarning("not compared"),))


def test_layouts_contain_arrays():
    frame = pauci.datasets.load_viper()
    frame = frame[frame["study"] == "screeningHighP"]
    layouts = [
        pauci.ReaderStudy.from_frame(frame, label="cancer_365", score="score").layout
        for _ in range(2)
    ]
    assert layouts[0] == layouts[1]
    assert layouts[0] != replace(layouts[0], block_of_reader=layouts[0].block_of_reader + 1)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("folds", [1, 2])
def test_estimates_of_every_measure_are_pickled(folds):
    """Also those whose limits are functions of several rates or of the values in folds."""
    y = np.tile([0, 1], 60)
    s = np.random.default_rng(3).normal(size=(2, 120)) + 0.7 * y
    fold = None if folds == 1 else np.arange(120) // 60
    for measures, scores in (
        (instances((0.1, 0.6)), s),
        (risk_instances(), 1.0 / (1.0 + np.exp(-s))),
    ):
        sample = pauci.Sample(y, {"a": scores[0], "b": scores[1]}, fold=fold)
        for measure in measures[::folds]:
            variance = "influence" if measure.has_influence else "jackknife"
            es = pauci.estimate(sample, measure, variance)
            again = pickle.loads(pickle.dumps(es))
            assert [e.interval(0.9) for e in again] == [e.interval(0.9) for e in es]
            assert pickle.loads(pickle.dumps(es.contrast([1, -1]))).pvalue >= 0.0
            assert copy.deepcopy(es[0]) == es[0]
