"""Equal results are equal, NaN fields included, on every version of Python."""

import copy
import pickle
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import pauci
import tabular_results
from pauci import AUC, PAUC
from pauci.analyses.profile import Group
from pauci.checks import EqualByFields
from pauci.cutoffs.cutoff_results import CutoffSet, RateAtCutoff, RatesAtCutoff
from pauci.readers.contrasts import ReaderTest
from pauci.readers.study import StudyDesign
from registry import instances, risk_instances

Y = np.tile([0, 1], 30)
S = np.random.default_rng(3).normal(size=(2, 60)) + Y
SAMPLE = pauci.Sample(Y, {"a": S[0], "b": S[1]})
FOLDED = pauci.Sample(Y, S[0], fold=np.arange(60) // 20)
REGION = PAUC(fpr=(0, 0.5))
PARTS_OF_RESULTS = [Group, CutoffSet, RateAtCutoff, RatesAtCutoff, ReaderTest, StudyDesign]


@dataclass(frozen=True, eq=False)
class Record(EqualByFields):
    a: object
    b: object
    c: object
    d: object


@dataclass(frozen=True, eq=False)
class Inner:
    """Internal numbers, which have no own definition of equality."""

    a: object
    b: object = field(compare=False)


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


@pytest.mark.parametrize("name", tabular_results.MAKERS)
def test_results_of_the_same_numbers_are_equal(name):
    result = tabular_results.result(name)
    with tabular_results.quiet():
        others = tabular_results.MAKERS[name](), copy.deepcopy(result)
    for other in others:
        assert result == other
        assert hash(result) == hash(other)
    assert result != tabular_results.result("odd test" if name == "perfect" else "perfect")


def test_all_results_have_one_definition_of_equality():
    """Not that of `dataclasses`, which differs between versions of Python if a field is NaN."""
    for cls in [*tabular_results.tabular_classes(), *PARTS_OF_RESULTS]:
        assert cls.__eq__ is EqualByFields.__eq__, cls
        assert cls.__hash__ is EqualByFields.__hash__, cls


def test_equal_numbers_of_all_types():
    nan = float("nan")
    fields = (nan, np.array([1.0, nan]), {"a": (1, nan), "b": [np.array([nan])]}, ("x", None))
    same = (float("inf") - float("inf"), np.array([1, np.nan]), {**fields[2]}, ("x", None))
    same[2]["a"] = (1, np.float64("nan"))
    one, two = Record(*fields), Record(*same)
    assert one == two
    assert hash(one) == hash(two)
    for i, other in enumerate([1.0, np.array([1.0, 2.0]), {"a": (1, nan)}, ("x", 0)]):
        assert one != Record(*fields[:i], other, *fields[i + 1 :])
    assert Record(one, two, one, two) == Record(two, one, two, one)
    assert Record(Inner(nan, 1), 0, 0, 0) == Record(Inner(nan, 2), 0, 0, 0)
    assert Record(Inner(nan, 1), 0, 0, 0) != Record(Inner(1.0, 1), 0, 0, 0)


def test_results_of_other_numbers_are_not_equal():
    cohort, other = SAMPLE["a"], SAMPLE["b"]
    clusters = pauci.Sample(Y, {"a": S[0]}, cluster=np.arange(60) // 2)
    for function in (
        pauci.operating_points,
        pauci.profile,
        pauci.band,
        pauci.fit_binormal,
        lambda s: pauci.fit_binormal(s, covariance="robust"),
        lambda s: pauci.estimate(s, [AUC(), REGION]),
        lambda s: pauci.scan(s, PAUC, fpr=[0.5, 1], rng=1),
        lambda s: pauci.cutoff(s, specificity=0.8, rng=1),
    ):
        with tabular_results.quiet():
            assert function(cohort) == function(pauci.Sample(Y, {"a": S[0]}))
            assert function(cohort) != function(other)
            if function not in (pauci.profile, pauci.fit_binormal):
                assert function(cohort) != function(clusters)


@pytest.mark.usefixtures("quiet")
def test_replicates_are_compared():
    one, two, three = (
        pauci.estimate(SAMPLE["a"], AUC(), pauci.Bootstrap(99, rng=seed)) for seed in (1, 1, 2)
    )
    assert one == two
    assert hash(one) == hash(two)
    assert one != three


def test_results_that_differ_in_one_field_are_not_equal():
    e = pauci.estimate(SAMPLE["a"], AUC())
    assert e != replace(e, value=e.value + 1e-12)
    assert e != replace(e, df=e.df + 1.0)
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
    """Also those whose limits are functions of several rates or of the values in folds.

    Of the forms of a measure with the same kind of interval, one is pickled.
    """
    y = np.tile([0, 1], 60)
    s = np.random.default_rng(3).normal(size=(2, 120)) + 0.7 * y
    fold = None if folds == 1 else np.arange(120) // 60
    for measures, scores in (
        (instances((0.1, 0.6)), s),
        (risk_instances(), 1.0 / (1.0 + np.exp(-s))),
    ):
        sample = pauci.Sample(y, {"a": scores[0], "b": scores[1]}, fold=fold)
        different = {}
        for measure in measures[::folds]:
            variance = "influence" if measure.has_influence else "jackknife"
            es = pauci.estimate(sample, measure, variance)
            different.setdefault((type(measure), type(measure.region), es[0].kind_used()), es)
        for es in different.values():
            again = pickle.loads(pickle.dumps(es))
            np.testing.assert_equal([e.interval(0.9) for e in again], [e.interval(0.9) for e in es])
            pvalue = pickle.loads(pickle.dumps(es.contrast([1, -1]))).pvalue
            assert pvalue >= 0.0 or not measure.has_interval
            assert copy.deepcopy(es[0]) == es[0]
