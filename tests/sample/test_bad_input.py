"""Errors about bad input name the value and state a hint; valid input of any type is accepted."""

import re
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci import AUC, PAUC, SPA, PAUCc, PAUCx, Sample, compare, estimate

pytestmark = pytest.mark.usefixtures("quiet")

Y = [0, 1, 0, 1, 0, 1]
SCORE = [1, 2, 2, 4, 3, 5]
AUC_OF_SCORE = 7.5 / 9
NAN, INF = float("nan"), float("inf")


def auc(y, score, **options):
    return estimate(Sample(y, score, **options), AUC()).value


def paired(n=2):
    """Return a sample of n classifiers named a, b, c on the same 54 rows."""
    columns = {"a": SCORE, "b": SCORE[::-1], "c": [1, 3, 2, 5, 4, 6]}
    return Sample(Y * 9, {name: columns[name] * 9 for name in list(columns)[:n]})


def one():
    return Sample(Y * 9, SCORE * 9)


def refuses(call, error, *words):
    """Check that a call raises `error` with every one of `words` in its message."""
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


# Labels


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        pytest.param([], {}, ["y_true is empty", "at least one positive"], id="no rows"),
        pytest.param([1] * 6, {}, ["y_true holds one class only", "6 rows are 1"], id="all 1"),
        pytest.param([0] * 6, {}, ["y_true holds one class only", "6 rows are 0"], id="all 0"),
        pytest.param([True] * 6, {}, ["one class only", "6 rows are True"], id="all True"),
        pytest.param([2] * 6, {}, ["y_true holds one class only", "6 rows are 2"], id="all 2"),
        pytest.param(["a"] * 6, {}, ["y_true holds one class only", "6 rows are 'a'"], id="all a"),
        pytest.param(["a"] * 6, {"positive": "a"}, ["one class only", "'a'"], id="all positive"),
        pytest.param([0, 1, 2] * 2, {}, ["3 distinct values (0, 1, 2)", "swapped"], id="three"),
        pytest.param(
            SCORE, {}, ["5 distinct values (1, 2, 3, 4, ...)", "swapped"], id="scores as labels"
        ),
        pytest.param(list("abc") * 2, {}, ["3 distinct values", "pass positive="], id="a b c"),
        pytest.param(
            [0.5, 1, 2] * 2, {"positive": 1}, ["3 distinct values", "swapped"], id="0.5 1 2"
        ),
        pytest.param([1, 2] * 3, {}, ["labels 1, 2", "positive=2"], id="1 and 2"),
        pytest.param(["no", "yes"] * 3, {}, ["'no', 'yes'", "positive='yes'"], id="no and yes"),
        pytest.param(
            pd.Categorical(["no", "yes"] * 3), {}, ["'no', 'yes'", "positive='yes'"], id="category"
        ),
        pytest.param(
            ["no", "yes"] * 3,
            {"positive": "maybe"},
            ["positive='maybe' is not among the labels of y_true", "'no', 'yes'"],
            id="positive is no label",
        ),
        pytest.param(
            Y, {"positive": "1"}, ["positive='1' is not among", "(0, 1)"], id="positive is text"
        ),
        pytest.param(
            ["0", "1"] * 3, {"positive": 1}, ["positive=1 is not", "'0', '1'"], id="labels are text"
        ),
        pytest.param(
            Y, {"positive": NAN}, ["positive=nan is a missing value"], id="positive is nan"
        ),
        pytest.param(
            np.c_[Y, Y], {}, ["y_true has shape (6, 2)", "x.argmax(axis=1)"], id="one-hot"
        ),
        pytest.param(np.c_[Y], {}, ["y_true has shape (6, 1)", "1-D"], id="a column"),
        pytest.param(np.ma.array(Y, mask=[0, 1, 0, 0, 1, 0]), {}, ["y_true", "2 mask"], id="mask"),
    ],
)
def test_bad_labels(y, options, words):
    score = SCORE if len(y) else []
    refuses(lambda: Sample(y, score, **options), ValueError, *words)


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        pytest.param(None, {}, ["y_true is None", "one value per row"], id="None"),
        pytest.param("y", {}, ["y_true is a str", "one value per row"], id="name of a column"),
        pytest.param({0, 1}, {}, ["y_true is a set", "one value per row"], id="set"),
        pytest.param([[0], [1, 2]], {}, ["y_true is not a flat array"], id="ragged"),
        pytest.param(Y, {"positive": [1]}, ["positive=[1] must be one label"], id="positive list"),
        pytest.param(
            Y, {"positive": np.array([1])}, ["positive=array([1]) must be one"], id="positive array"
        ),
    ],
)
def test_labels_of_a_wrong_type(y, options, words):
    refuses(lambda: Sample(y, SCORE, **options), TypeError, *words)


@pytest.mark.parametrize(
    "y",
    [
        pytest.param(Y, id="integers"),
        pytest.param(np.array(["a", "b"] * 3, dtype=object), id="objects"),
        pytest.param(pd.Series(["a", "b"] * 3, dtype="string"), id="strings"),
    ],
)
def test_a_missing_value_as_positive_is_an_error(y):
    refuses(
        lambda: Sample(y, SCORE, positive=pd.NA), (TypeError, ValueError), "positive=<NA>", "label"
    )


@pytest.mark.parametrize(
    ("y", "options", "where"),
    [
        pytest.param([0, 1, NAN, 1, 0, 1], {}, "1 missing value (row 2)", id="float"),
        pytest.param(
            np.array([NAN, 1, 0, 1, 0, NAN], np.float32),
            {},
            "2 missing values (rows 0, 5)",
            id="float32",
        ),
        pytest.param([0, 1, None, 1, 0, 1], {}, "1 missing value (row 2)", id="None in a list"),
        pytest.param(
            np.array([0, pd.NA, 0, 1, pd.NA, 1], object),
            {},
            "2 missing values (rows 1, 4)",
            id="pd.NA in objects",
        ),
        pytest.param(
            pd.array([0, 1, None, 1, 0, 1], dtype="Int64"),
            {},
            "1 missing value (row 2)",
            id="Int64",
        ),
        pytest.param(
            pd.Series([True, None, False] * 2, dtype="boolean"),
            {},
            "2 missing values (rows 1, 4)",
            id="boolean",
        ),
        pytest.param(
            pd.Series(["y", None, "n"] * 2, dtype="string"),
            {"positive": "y"},
            "2 missing values (rows 1, 4)",
            id="string",
        ),
        pytest.param(
            pd.Series(["y", None, "n"] * 2, dtype=object),
            {"positive": "y"},
            "2 missing values (rows 1, 4)",
            id="object",
        ),
        pytest.param(
            pd.Categorical(["y", None, "n"] * 2),
            {"positive": "y"},
            "2 missing values (rows 1, 4)",
            id="category",
        ),
        pytest.param([NAN] * 6, {}, "6 missing values (rows 0, 1, 2, ...)", id="all missing"),
    ],
)
def test_missing_labels(y, options, where):
    refuses(
        lambda: Sample(y, SCORE, **options),
        ValueError,
        f"y_true has {where}",
        "y_true[keep], y_score[keep]",
    )


def test_missing_values_name_their_column():
    frame = pd.DataFrame({"relapse": [0, 1, None, 1], "svm": [1.0, None, 3.0, None]})
    refuses(
        lambda: Sample.from_frame(frame, "relapse", "svm"),
        ValueError,
        "column 'relapse' has 1 missing value (row 2)",
        "dropna(subset=['relapse'])",
    )
    refuses(
        lambda: Sample.from_frame(frame.fillna({"relapse": 0}), "relapse", "svm"),
        ValueError,
        "column 'svm' has 2 missing values (rows 1, 3)",
        "dropna(subset=['svm'])",
    )


# Ratings


@pytest.mark.parametrize(
    ("score", "words"),
    [
        pytest.param([1, 2, NAN, 4, 5, 6], ["1 missing value (row 2)", "~np.isnan(x)"], id="nan"),
        pytest.param(
            np.array([1, NAN, 3, 4, 5, 6], np.float32), ["1 missing value (row 1)"], id="float32"
        ),
        pytest.param(
            np.array([1, 2, 3, 4, 5, NAN], np.float16), ["1 missing value (row 5)"], id="float16"
        ),
        pytest.param([1, None, 3, None, 5, 6], ["2 missing values (rows 1, 3)"], id="None"),
        pytest.param(
            pd.array([1, None, 3, 4, 5, 6], dtype="Float64"),
            ["1 missing value (row 1)"],
            id="Float64",
        ),
        pytest.param(
            pd.Categorical(["lo", None, "hi"] * 2, categories=["lo", "hi"], ordered=True),
            ["2 missing values (rows 1, 4)"],
            id="ordered category",
        ),
        pytest.param([1, INF, 3, 4, 5, 6], ["1 infinite value (row 1)", "Clip"], id="inf"),
        pytest.param(
            [1, -INF, 3, 4, 5, INF], ["2 infinite values (rows 1, 5)", "rankdata"], id="-inf"
        ),
        pytest.param(np.full(6, INF), ["6 infinite values (rows 0, 1, 2, ...)"], id="all inf"),
        pytest.param(SCORE[:5], ["has 5 rows and y_true has 6", "same rows"], id="too short"),
        pytest.param([*SCORE, 1], ["has 7 rows and y_true has 6", "same rows"], id="too long"),
        pytest.param([], ["empty"], id="empty"),
        pytest.param(np.c_[SCORE, SCORE], ["shape (6, 2)", "proba[:, 1]"], id="predict_proba"),
        pytest.param(np.c_[SCORE, SCORE, SCORE], ["shape (6, 3)", "dict"], id="three columns"),
        pytest.param(np.c_[SCORE], ["shape (6, 1)", "1-D"], id="one column"),
        pytest.param(np.ones((6, 1, 1)), ["shape (6, 1, 1)", "1-D"], id="3-D"),
        pytest.param(np.ma.array(SCORE, mask=[1, 0, 0, 0, 0, 0]), ["1 masked value"], id="mask"),
    ],
)
def test_bad_scores(score, words):
    refuses(lambda: Sample(Y, score), ValueError, "y_score", *words)
    refuses(lambda: Sample(Y, {"ok": SCORE, "nn": score}), ValueError, "y_score['nn']", *words)


@pytest.mark.parametrize(
    ("score", "words"),
    [
        pytest.param(None, ["is None", "one value per row"], id="None"),
        pytest.param("svm", ["is a str", "one value per row"], id="text"),
        pytest.param(set(SCORE), ["is a set", "one value per row"], id="set"),
        pytest.param([[1], [2, 3]], ["not a flat array"], id="ragged"),
        pytest.param(np.array(SCORE) + 1j, ["complex (complex128)", "x.real"], id="complex"),
        pytest.param(
            np.array([1, 2, "high", 4, 5, 6], object),
            ["dtype object", "such as 'high' (row 2)", "pd.to_numeric"],
            id="object",
        ),
        pytest.param(
            list("123x56"), ["not numbers", "such as 'x' (row 3)", "pd.to_numeric"], id="string"
        ),
        pytest.param(
            pd.Series(list("123x56"), dtype="string"),
            ["not numbers", "such as 'x' (row 3)"],
            id="pandas string",
        ),
        pytest.param(
            pd.date_range("2020-01-01", periods=6), ["dtype datetime64", "not numbers"], id="dates"
        ),
        pytest.param(
            pd.Categorical(list("abcabc")),
            ["unordered Categorical ('a', 'b', 'c')", "ordered=True"],
            id="unordered category",
        ),
        pytest.param(
            pd.Series(list("abcabc"), dtype="category"), ["unordered Categorical"], id="series"
        ),
    ],
)
def test_scores_of_a_wrong_type(score, words):
    refuses(lambda: Sample(Y, score), TypeError, "y_score", *words)
    refuses(lambda: Sample(Y, {"nn": score}), TypeError, "y_score['nn']", *words)


@pytest.mark.parametrize("argument", ["y_true", "y_score", "weight"])
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(lambda: 1.0, id="scalar"),
        pytest.param(lambda: np.float64(1.0), id="numpy scalar"),
        pytest.param(lambda: (x for x in SCORE), id="generator"),
    ],
)
def test_hints_about_flattening_are_only_for_arrays(argument, value):
    call = {"y_true": Y, "y_score": SCORE} | {argument: value()}
    refuses(lambda: Sample(**call), (TypeError, ValueError), argument, "one value per row")


@pytest.mark.parametrize(
    ("score", "options", "error", "words"),
    [
        pytest.param({}, {}, ValueError, ["y_score={}", "{'name': scores}"], id="no classifier"),
        pytest.param({1: SCORE}, {}, TypeError, ["key 1", "strings"], id="number as name"),
        pytest.param({"": SCORE}, {}, TypeError, ["key ''", "strings"], id="empty name"),
        pytest.param({"a": SCORE}, {"name": "b"}, ValueError, ["name='b'"], id="two names"),
        pytest.param(
            pd.DataFrame({"a": SCORE}), {}, TypeError, ["DataFrame", "from_frame"], id="frame"
        ),
    ],
)
def test_bad_names(score, options, error, words):
    refuses(lambda: Sample(Y, score, **options), error, *words)


@pytest.mark.parametrize("name", [3, "", ("a",)])
def test_the_name_of_a_classifier_is_text(name):
    refuses(lambda: repr(Sample(Y, SCORE, name=name)), (TypeError, ValueError), f"name={name!r}")


def other_order():
    return pd.Series(SCORE).iloc[::-1]


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        pytest.param({"y_score": other_order()}, "y_score", id="score"),
        pytest.param({"y_score": {"a": SCORE, "b": other_order()}}, "y_score['b']", id="dict"),
        pytest.param({"y_score": SCORE, "weight": other_order()}, "weight", id="weight"),
        pytest.param({"y_score": SCORE, "frequency": other_order()}, "frequency", id="frequency"),
        pytest.param({"y_score": SCORE, "cluster": other_order()}, "cluster", id="cluster"),
    ],
)
def test_one_index_in_two_orders(call, argument):
    refuses(
        lambda: Sample(pd.Series(Y), **call), ValueError, argument, "index", "loc", ".to_numpy()"
    )


def test_other_indexes_pair_by_position():
    assert auc(pd.Series(Y), pd.Series(SCORE, index=range(10, 16))) == AUC_OF_SCORE
    assert auc(pd.Series(Y), other_order().to_numpy()[::-1]) == AUC_OF_SCORE
    assert auc(Y, pd.Series(SCORE, index=range(6)[::-1])) == AUC_OF_SCORE


# Weights, frequencies, clusters, design


@pytest.mark.parametrize(
    ("option", "error", "words"),
    [
        pytest.param(
            {"weight": [1, 1, -2, 1, 1, 1]},
            ValueError,
            ["weight holds -2;", "not be negative"],
            id="negative weight",
        ),
        pytest.param(
            {"weight": [1, 1, 1, NAN, 1, 1]},
            ValueError,
            ["weight has 1 missing value (row 3)"],
            id="nan weight",
        ),
        pytest.param(
            {"weight": [1, 1, 1, INF, 1, 1]},
            ValueError,
            ["weight holds inf;", "finite"],
            id="infinite weight",
        ),
        pytest.param(
            {"weight": [0] * 6}, ValueError, ["weight is 0 in all 3 positives"], id="zero weights"
        ),
        pytest.param(
            {"weight": [0, 1] * 3},
            ValueError,
            ["weight is 0 in all 3 negatives"],
            id="negatives weigh nothing",
        ),
        pytest.param(
            {"weight": [1, 0] * 3},
            ValueError,
            ["weight is 0 in all 3 positives"],
            id="positives weigh nothing",
        ),
        pytest.param(
            {"weight": [1] * 5},
            ValueError,
            ["weight has 5 rows and y_true has 6"],
            id="short weight",
        ),
        pytest.param(
            {"weight": list("abcdef")},
            TypeError,
            ["weight has dtype", "numbers"],
            id="weight of text",
        ),
        pytest.param(
            {"weight": np.ones(6) * 1j},
            TypeError,
            ["weight has dtype complex128"],
            id="complex weight",
        ),
        pytest.param(
            {"frequency": [1, 1, 1.5, 1, 1, 1]},
            ValueError,
            ["frequency holds 1.5,", "weight="],
            id="fractional frequency",
        ),
        pytest.param(
            {"frequency": [1, 1, -1, 1, 1, 1]},
            ValueError,
            ["frequency holds -1;", "not be negative"],
            id="negative frequency",
        ),
        pytest.param(
            {"frequency": [1, 1, NAN, 1, 1, 1]},
            ValueError,
            ["frequency has 1 missing value (row 2)"],
            id="nan frequency",
        ),
        pytest.param(
            {"frequency": [0] * 6},
            ValueError,
            ["frequency is 0 in all 3 positives"],
            id="zero frequencies",
        ),
        pytest.param(
            {"frequency": [0, 1] * 3},
            ValueError,
            ["frequency is 0 in all 3 negatives"],
            id="no negatives",
        ),
        pytest.param(
            {"frequency": [1] * 7},
            ValueError,
            ["frequency has 7 rows and y_true has 6"],
            id="long frequency",
        ),
        pytest.param(
            {"frequency": [1e300] * 6}, ValueError, ["frequency"], id="frequency beyond integers"
        ),
        pytest.param(
            {"frequency": np.full(6, 2**63, np.uint64)},
            ValueError,
            ["frequency"],
            id="frequency beyond int64",
        ),
        pytest.param(
            {"frequency": [2**62] * 6},
            ValueError,
            ["frequency"],
            id="sum of frequencies beyond int64",
        ),
        pytest.param(
            {"weight": [0, 0, 0, 1, 1, 1], "frequency": [1, 1, 1, 1, 0, 1]},
            ValueError,
            ["weight", "3 negatives"],
            id="weight and frequency leave no negatives",
        ),
        pytest.param(
            {"cluster": [1] * 5},
            ValueError,
            ["cluster has 5 rows and y_true has 6"],
            id="short cluster",
        ),
        pytest.param(
            {"cluster": [1, 2, None, 4, 5, 6]},
            ValueError,
            ["cluster has 1 missing value (row 2)"],
            id="missing cluster",
        ),
        pytest.param(
            {"cluster": [{i} for i in range(6)]},
            TypeError,
            ["cluster holds values that cannot be compared", "pass a number or a text"],
            id="cluster of sets",
        ),
        pytest.param(
            {"cluster": pd.Series([1, 2, 3, None, 5, 6])},
            ValueError,
            ["cluster has 1 missing value (row 3)"],
            id="nan cluster",
        ),
        pytest.param(
            {"design": "casecontrol"},
            ValueError,
            ["design='casecontrol'", "Did you mean 'case-control'?"],
            id="design",
        ),
        pytest.param(
            {"design": None},
            ValueError,
            ["design=None", "'cohort', 'case-control'"],
            id="no design",
        ),
    ],
)
def test_bad_rows(option, error, words):
    refuses(lambda: Sample(Y, SCORE, **option), error, *words)


@pytest.mark.parametrize("argument", ["weight", "frequency", "cluster"])
def test_two_columns_of_rows_are_not_treated_as_probabilities(argument):
    with pytest.raises(ValueError, match=rf"{argument} has shape \(6, 2\)") as caught:
        Sample(Y, SCORE, **{argument: np.ones((6, 2))})
    assert "proba" not in str(caught.value)


def test_a_standard_error_needs_two_of_each_class():
    refuses(
        lambda: estimate(Sample([0, 0, 0, 1], [1, 2, 3, 4]), AUC()),
        ValueError,
        "1 row with a positive label",
        "at least two",
    )
    refuses(
        lambda: estimate(Sample([0, 1, 1, 1], [1, 2, 3, 4]), AUC()),
        ValueError,
        "1 row with a negative label",
    )
    refuses(
        lambda: estimate(Sample([0, 0, 1, 1], [1, 2, 3, 4], cluster=[1, 2, 3, 3]), AUC()),
        ValueError,
        "1 cluster with a positive label",
    )
    refuses(
        lambda: estimate(Sample([0, 0, 1, 1], [1, 2, 3, 4], weight=[1, 1, 1, 0]), AUC()),
        ValueError,
        "1 row with a positive label",
    )


# Counts


@pytest.mark.parametrize(
    ("scores", "positives", "negatives", "words"),
    [
        pytest.param([1, 2], [1, -1], [1, 1], ["positives holds -1", "row 1"], id="negative"),
        pytest.param([1, 2], [1, 1], [1.5, 1], ["negatives holds 1.5", "whole"], id="fraction"),
        pytest.param([1, 2], [1, 1, 1], [1, 1], ["positives has 3", "scores has 2"], id="more"),
        pytest.param([1, 2], [1, 1], [1], ["negatives has 1", "scores has 2"], id="fewer"),
        pytest.param([2, 1, 2], [1] * 3, [1] * 3, ["category 2 more than once"], id="duplicate"),
        pytest.param([1, 2], [0, 0], [1, 1], ["positives are all 0"], id="no positives"),
        pytest.param([1, 2], [1, 1], [0, 0], ["negatives are all 0"], id="no negatives"),
        pytest.param([1, 2], [1, NAN], [1, 1], ["positives has 1 missing"], id="nan"),
        pytest.param([1, 2], [1, 1], [1, INF], ["negatives holds inf"], id="inf"),
        pytest.param([1, NAN], [1, 1], [1, 1], ["scores has 1 missing"], id="nan score"),
        pytest.param([], [], [], ["scores is empty"], id="empty"),
        pytest.param([1, 2], [2**62] * 2, [1, 1], ["positives"], id="sum beyond int64"),
    ],
)
def test_bad_counts(scores, positives, negatives, words):
    refuses(lambda: Sample.from_counts(scores, positives, negatives), ValueError, *words)


@pytest.mark.parametrize(
    ("scores", "positives", "word"),
    [
        pytest.param(None, [1, 1], "scores", id="no scores"),
        pytest.param(3, [1, 1], "scores", id="one score"),
        pytest.param(["lo", "hi"], [1, 1], "scores", id="scores of text"),
        pytest.param([1, 2], None, "positives", id="no positives"),
        pytest.param([1, 2], ["a", "b"], "positives", id="positives of text"),
    ],
)
def test_counts_of_a_wrong_type(scores, positives, word):
    refuses(lambda: Sample.from_counts(scores, positives, [1, 1]), (TypeError, ValueError), word)


# Regions


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        pytest.param(
            (0.5, 0.1),
            ValueError,
            ["low must be below high", "Did you mean (0.1, 0.5)?"],
            id="reversed",
        ),
        pytest.param((0.1, 0.1), ValueError, ["low must be below high"], id="empty"),
        pytest.param((0, 1e-9), ValueError, ["low must be below high", "1e-06"], id="too small"),
        pytest.param((-0.1, 0.5), ValueError, ["holds -0.1", "lies in [0, 1]"], id="below 0"),
        pytest.param((0, 10), ValueError, ["holds 10", "Did you mean 0.1?"], id="percent"),
        pytest.param((0, 200), ValueError, ["holds 200", "lies in [0, 1]"], id="above 100"),
        pytest.param((NAN, 1), ValueError, ["holds nan", "lies in [0, 1]"], id="nan low"),
        pytest.param((0, NAN), ValueError, ["holds nan", "lies in [0, 1]"], id="nan high"),
        pytest.param((0, INF), ValueError, ["holds inf", "lies in [0, 1]"], id="inf"),
        pytest.param((0, Fraction(3, 2)), ValueError, ["Fraction(3, 2)"], id="fraction"),
        pytest.param(0.1, TypeError, ["must be a pair (low, high)"], id="number"),
        pytest.param((0, 0.1, 0.2), TypeError, ["must be a pair (low, high)"], id="three"),
        pytest.param((0.1,), TypeError, ["must be a pair (low, high)"], id="one"),
        pytest.param({0.8, 0.1}, TypeError, ["must be a pair (low, high)"], id="set has no order"),
        pytest.param({0: 1, 0.1: 2}, TypeError, ["must be a pair (low, high)"], id="dict"),
        pytest.param("01", TypeError, ["'01'"], id="text"),
        pytest.param(("0", "0.1"), TypeError, ["holds '0'", "number"], id="texts"),
        pytest.param((False, True), TypeError, ["holds False", "number"], id="bools"),
        pytest.param((0, np.True_), TypeError, ["True", "number"], id="numpy bool"),
        pytest.param((0, None), TypeError, ["holds None", "number"], id="None"),
        pytest.param((0, 1j), TypeError, ["holds 1j", "number"], id="complex"),
    ],
)
@pytest.mark.parametrize("measure", [PAUCc, SPA])
def test_bad_region(measure, axis, value, error, words):
    refuses(lambda: measure(**{axis: value}), error, f"{axis}=", *words)


@pytest.mark.parametrize("measure", [PAUC, PAUCx, PAUCc, SPA])
def test_a_partial_measure_needs_a_region(measure):
    refuses(measure, (TypeError, ValueError), "fpr", "(0, 0.1)")


@pytest.mark.parametrize("cls", [SPA, PAUC, PAUCx, pauci.PartialC, pauci.LocalC])
@pytest.mark.parametrize("fpr", [{"fpr": (0, 0.1)}, {"specificity": (0.9, 1)}])
@pytest.mark.parametrize("tpr", [{"tpr": (0.8, 1)}, {"sensitivity": (0.8, 1)}])
def test_only_the_concordant_area_has_ranges_of_both_axes(cls, fpr, tpr):
    """Otherwise one of the ranges would not have an effect."""
    words = f"does not take {next(iter(fpr))} with {next(iter(tpr))}", "one of: fpr=, tpr=", "PAUCc"
    refuses(lambda: cls(**fpr, **tpr), ValueError, *words)
    assert PAUCc(**fpr, **tpr).region.kind == "both"


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param([0, 0.1], id="list"),
        pytest.param(np.array([0, 0.1]), id="array"),
        pytest.param((Fraction(0), Fraction(1, 10)), id="fractions"),
        pytest.param((np.int64(0), np.float32(0.1)), id="numpy scalars"),
        pytest.param((0, 0.30000000000000004 - 0.2), id="rounding"),
    ],
)
def test_a_region_does_not_depend_on_the_type_of_its_numbers(pair):
    assert PAUCc(fpr=pair).region == PAUCc(fpr=(0, 0.1)).region


# Options of results and verbs


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(lambda: estimate(one(), AUC()), id="estimate"),
        pytest.param(lambda: compare(paired(), AUC()), id="compare"),
    ],
)
@pytest.mark.parametrize(
    ("level", "error", "words"),
    [
        pytest.param(95, ValueError, ["level=95 ", "Did you mean 0.95?"], id="percent"),
        pytest.param(0, ValueError, ["level=0 ", "between 0 and 1"], id="zero"),
        pytest.param(1, ValueError, ["level=1 ", "between 0 and 1"], id="one"),
        pytest.param(-0.5, ValueError, ["level=-0.5 ", "between 0 and 1"], id="negative"),
        pytest.param(NAN, ValueError, ["level=nan ", "between 0 and 1"], id="nan"),
        pytest.param("0.95", TypeError, ["level='0.95'", "such as 0.95"], id="text"),
        pytest.param(None, TypeError, ["level=None", "such as 0.95"], id="None"),
        pytest.param(True, TypeError, ["level=True", "such as 0.95"], id="bool"),
        pytest.param([0.9], TypeError, ["level=[0.9]", "such as 0.95"], id="list"),
    ],
)
def test_bad_level(result, level, error, words):
    for method in ("interval", "to_frame", "summary", "report"):
        refuses(lambda name=method: getattr(result(), name)(level=level), error, *words)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        pytest.param("jeffreys", ["kind='jeffreys' is not known", "'wald'"], id="unknown"),
        pytest.param("Wald", ["kind='Wald'", "Did you mean 'wald'?"], id="capital"),
        pytest.param(3, ["kind=3 is not known", "'wald'"], id="number"),
    ],
)
def test_bad_kind(kind, words):
    refuses(lambda: estimate(one(), AUC()).interval(kind=kind), ValueError, *words)
    refuses(lambda: compare(paired(), AUC()).interval(kind=kind), ValueError, *words)


@pytest.mark.parametrize(
    ("measure", "error", "words"),
    [
        pytest.param("auc", TypeError, ["measure='auc'", "pauci.AUC()"], id="name"),
        pytest.param(AUC, TypeError, ["measure=AUC is a class", "pauci.AUC()"], id="class"),
        pytest.param(
            PAUCc, TypeError, ["measure=PAUCc is a class", "PAUCc(fpr=(0, 0.1))"], id="class pAUCc"
        ),
        pytest.param(None, TypeError, ["measure=None", "pauci.AUC()"], id="None"),
        pytest.param([], ValueError, ["measure=[]", "pauci.AUC()"], id="no measure"),
        pytest.param([AUC(), "pauc"], TypeError, ["measure='pauc'"], id="name in a list"),
        pytest.param([AUC], TypeError, ["measure=AUC is a class"], id="class in a list"),
    ],
)
def test_bad_measure(measure, error, words):
    refuses(lambda: estimate(one(), measure), error, *words)
    refuses(lambda: compare(paired(), measure), error, *words)


def test_unknown_variance():
    refuses(
        lambda: estimate(one(), AUC(), variance="hanley"),
        (TypeError, ValueError),
        "variance='hanley'",
        "'influence'",
    )
    refuses(
        lambda: estimate(one(), AUC(), variance="influenc"), ValueError, "Did you mean 'influence'?"
    )


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: estimate(Y, SCORE, AUC()), id="estimate of lists"),
        pytest.param(lambda: estimate(np.array(Y), np.array(SCORE)), id="estimate of arrays"),
        pytest.param(lambda: estimate(Y, {"a": SCORE}), id="estimate of a dict"),
        pytest.param(lambda: compare(Y, SCORE, AUC()), id="compare of lists"),
        pytest.param(lambda: compare(np.array(Y), {"a": SCORE, "b": SCORE}, AUC()), id="compare"),
        pytest.param(lambda: compare([Y, SCORE], AUC()), id="compare of a list of arrays"),
    ],
)
def test_calls_as_in_scikit_learn_raise_errors_with_a_sample(call):
    refuses(call, TypeError, "pauci.Sample(y_true, ")


@pytest.mark.parametrize(
    ("samples", "options", "error", "words"),
    [
        pytest.param(one, {}, ValueError, ["classifier (score)", "needs two"], id="one"),
        pytest.param(
            lambda: paired(3),
            {"pair": ("a", "x")},
            (KeyError, ValueError),
            ["'x' is not a classifier", "a, b, c"],
            id="pair unknown",
        ),
        pytest.param(
            lambda: paired(3),
            {"pair": "ab"},
            TypeError,
            ["pair='ab'", "('a', 'b')"],
            id="pair as text",
        ),
        pytest.param(
            lambda: paired(3),
            {"pair": ("a", "b", "c")},
            (TypeError, ValueError),
            ["pair=('a', 'b', 'c')", "two"],
            id="pair of three",
        ),
        pytest.param(
            lambda: list(paired()),
            {},
            ValueError,
            ["same rows", "not independent", "[['a', 'b']]"],
            id="parts of one sample",
        ),
        pytest.param(
            lambda: [one()], {}, ValueError, ["samples has length 1", "two"], id="list of one"
        ),
        pytest.param(list, {}, ValueError, ["samples has length 0", "two"], id="list of none"),
        pytest.param(
            lambda: [paired(), one()],
            {},
            ValueError,
            ["2 classifiers (a, b)", "sample['a']"],
            id="list with a paired sample",
        ),
        pytest.param(
            lambda: [one(), one()],
            {"pair": ("a", "b")},
            ValueError,
            ["pair=('a', 'b')"],
            id="list and pair",
        ),
        pytest.param(
            lambda: {"a": one(), "b": one()},
            {},
            TypeError,
            ["list of two Samples", "dict"],
            id="dict",
        ),
        pytest.param(
            paired,
            {"alternative": "bigger"},
            ValueError,
            ["alternative='bigger'", "'two-sided', 'greater', 'less'"],
            id="alternative",
        ),
        pytest.param(
            paired,
            {"alternative": "two_sided"},
            ValueError,
            ["alternative='two_sided'", "Did you mean 'two-sided'?"],
            id="two_sided",
        ),
        pytest.param(
            paired, {"null": 1}, ValueError, ["null=1 ", "between 0 and 1"], id="null at the limit"
        ),
        pytest.param(
            paired, {"null": -1.5}, ValueError, ["null=-1.5 ", "between 0 and 1"], id="null below"
        ),
        pytest.param(paired, {"null": NAN}, ValueError, ["null=nan", "finite"], id="nan null"),
        pytest.param(paired, {"null": INF}, ValueError, ["null=inf", "finite"], id="infinite null"),
        pytest.param(paired, {"null": "0"}, TypeError, ["null='0'", "number"], id="null as text"),
        pytest.param(paired, {"null": None}, TypeError, ["null=None", "number"], id="no null"),
    ],
)
def test_bad_comparison(samples, options, error, words):
    refuses(lambda: compare(samples(), AUC(), **options), error, *words)


@pytest.mark.parametrize("rest", [(), (AUC(),)])
def test_two_samples_as_separate_arguments_are_an_error(rest):
    refuses(
        lambda: compare(one(), one(), *rest),
        TypeError,
        "measure is a Sample.",
        "pauci.compare([sample_a, sample_b], measure)",
        "pauci.Sample(y_true, {'a': scores_a",
    )


def test_a_pair_picks_two_of_three_classifiers():
    assert len(compare(paired(3), AUC())) == 3
    c = compare(paired(3), AUC(), pair=("c", "a"))
    assert (c.first, c.second) == ("c", "a")


def test_null_is_bounded_by_the_range_of_the_measure():
    refuses(lambda: compare(paired(), PAUC(fpr=(0, 0.5)), null=0.5), ValueError, "null=0.5 ", "0.5")
    assert compare(paired(), PAUC(fpr=(0, 0.5)), null=0.4).null == 0.4


# Good input


@pytest.mark.parametrize(
    ("y", "positive"),
    [
        pytest.param(Y, None, id="list"),
        pytest.param(tuple(Y), None, id="tuple"),
        pytest.param([0.0, 1.0] * 3, None, id="floats"),
        pytest.param([False, True] * 3, None, id="bools"),
        pytest.param([-1, 1] * 3, None, id="-1 and 1"),
        pytest.param(np.array([-1, 1] * 3, np.int8), None, id="int8"),
        pytest.param(np.array(Y, np.uint8), None, id="uint8"),
        pytest.param(pd.Series(Y), None, id="series"),
        pytest.param(pd.array(Y, dtype="Int64"), None, id="Int64"),
        pytest.param(pd.array([False, True] * 3, dtype="boolean"), None, id="boolean"),
        pytest.param(pd.array(Y, dtype="Float64"), None, id="Float64"),
        pytest.param([1, 0] * 3, 0, id="positive 0"),
        pytest.param([True, False] * 3, False, id="positive False"),
        pytest.param([1, 2] * 3, 2, id="1 and 2"),
        pytest.param(pd.array([1, 2] * 3, dtype="Int64"), 2, id="Int64 1 and 2"),
        pytest.param(["no", "yes"] * 3, "yes", id="strings"),
        pytest.param(["yes", "no"] * 3, "no", id="the other string"),
        pytest.param(np.array(["no", "yes"] * 3, object), "yes", id="objects"),
        pytest.param(pd.Series(["no", "yes"] * 3, dtype="string"), "yes", id="pandas strings"),
        pytest.param(pd.Categorical(["no", "yes"] * 3), "yes", id="category"),
        pytest.param(np.array([False, True] * 3, object), True, id="bool objects"),
    ],
)
def test_accepted_labels(y, positive):
    sample = Sample(y, SCORE, positive=positive)
    assert (sample.n_pos, sample.n_neg) == (3, 3)
    assert estimate(sample, AUC()).value == AUC_OF_SCORE


@pytest.mark.parametrize(
    "score",
    [
        pytest.param(SCORE, id="list"),
        pytest.param(tuple(SCORE), id="tuple"),
        pytest.param(np.array(SCORE, np.int8), id="int8"),
        pytest.param(np.array(SCORE, np.uint8), id="uint8"),
        pytest.param(np.array(SCORE, np.uint64), id="uint64"),
        pytest.param(np.array(SCORE, np.float16), id="float16"),
        pytest.param(np.array(SCORE, np.float32), id="float32"),
        pytest.param(np.array(SCORE, np.longdouble), id="longdouble"),
        pytest.param(np.array(SCORE, ">f8"), id="big-endian"),
        pytest.param(np.ma.array(SCORE), id="nothing masked"),
        pytest.param(pd.Series(SCORE), id="series"),
        pytest.param(pd.Index(SCORE), id="index"),
        pytest.param(pd.array(SCORE, dtype="Int64"), id="Int64"),
        pytest.param(pd.array(SCORE, dtype="Float64"), id="Float64"),
        pytest.param(
            pd.Categorical(SCORE, categories=[1, 2, 3, 4, 5], ordered=True), id="ordered category"
        ),
        pytest.param(
            pd.Series(pd.Categorical(SCORE, categories=[1, 2, 3, 4, 5], ordered=True)),
            id="series of an ordered category",
        ),
        pytest.param([-(10.0**300), 0, 0, 1e-300, 1e-308, 1e300], id="extreme floats"),
    ],
)
def test_accepted_scores(score):
    assert auc(Y, score) == AUC_OF_SCORE


@pytest.mark.parametrize(
    "score",
    [
        pytest.param([True, False, False, True, False, True], id="list"),
        pytest.param(pd.array([True, False, False, True, False, True], dtype="boolean"), id="NA"),
    ],
)
def test_bool_scores(score):
    assert auc(Y, score) == pytest.approx(6 / 9)  # 4 pairs won, 4 tied, 1 lost


def test_polars_series():
    polars = pytest.importorskip("polars")
    assert auc(polars.Series(Y), polars.Series(SCORE)) == AUC_OF_SCORE


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param([2**53, 2**53 + 1], id="list"),
        pytest.param(np.array([2**53, 2**53 + 1]), id="int64"),
        pytest.param(np.array([2**64 - 2, 2**64 - 1], np.uint64), id="uint64"),
        pytest.param(np.array([-(2**63), 2**63 - 1]), id="ends of int64"),
        pytest.param(pd.array([2**53, 2**53 + 1], dtype="Int64"), id="Int64"),
        pytest.param([1.0, np.nextafter(1.0, 2.0)], id="neighbouring floats"),
        pytest.param([-5e-324, 5e-324], id="subnormal floats"),
        pytest.param(
            np.array([1, np.nextafter(np.longdouble(1), np.longdouble(2))]), id="longdouble"
        ),
    ],
)
def test_ties_are_exact_equality(pair):
    repeated = pair[[0, 1, 0, 1]] if hasattr(pair, "dtype") else pair * 2
    assert auc([0, 1, 0, 1], repeated) == 1.0
    assert auc([1, 0, 1, 0], repeated) == 0.0


def test_negative_zero_ties_with_zero():
    assert auc([0, 1, 0, 1], [-0.0, 0.0, 0.0, -0.0]) == 0.5


def test_thresholds_of_an_ordered_category_are_its_categories():
    grades = pd.Categorical(
        ["low", "mid", "mid", "high", "mid", "high"],
        categories=["low", "mid", "high"],
        ordered=True,
    )
    e = estimate(Sample(Y, grades), PAUC(fpr=(0.25, 0.75)))
    assert e.region.threshold == ("low", "high")
    assert e.to_frame()["threshold_low"].tolist() == ["low"]
    assert "scores from low to below high" in e.report()
    swapped = grades.reorder_categories(["high", "mid", "low"])
    assert auc(Y, swapped) == pytest.approx(1 - auc(Y, grades))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32, np.float64])
def test_arrays_of_the_caller_are_not_modified(dtype):
    given = {
        "y_true": np.array(Y, bool),
        "y_score": np.array([0, 0, 1, 1, 0, 1], dtype),
        "weight": np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0]),
        "frequency": np.array([1, 2, 3, 3, 2, 1]),
        "cluster": np.array([0, 1, 2, 3, 4, 5]),
    }
    before = {name: array.copy() for name, array in given.items()}
    sample = Sample(**given)
    first = estimate(sample, AUC())
    for name, array in given.items():
        assert array.flags.writeable
        np.testing.assert_array_equal(array, before[name])
        array[:] = array[0]
    again = estimate(Sample(**before), AUC())
    assert estimate(sample, AUC()) == first == again


def test_later_changes_of_arrays_do_not_affect_the_sample():
    y, score, frequency = np.array(Y, bool), np.array(SCORE, float), np.array([1, 2, 3, 3, 2, 1])
    sample = Sample(y, score, frequency=frequency)
    expected = estimate(Sample(y.copy(), score.copy(), frequency=frequency.copy()), AUC())
    y[:], score[:], frequency[:] = ~y, 0, 1
    assert estimate(sample, AUC()) == expected


def test_read_only_arrays_are_accepted():
    y, score = np.array(Y, bool), np.array(SCORE, float)
    y.flags.writeable = score.flags.writeable = False
    assert auc(y, score) == AUC_OF_SCORE


def test_errors_are_raised_without_prior_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refuses(lambda: Sample(["0", "1"] * 3, SCORE, positive=1), ValueError, "positive=1")
        refuses(lambda: Sample(Y, [1, 2, NAN, 4, INF, 6]), ValueError, "missing")


def test_every_warning_has_the_common_base_class():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimate(Sample([0, 1] * 6, [2, 1] * 6), PAUCc(fpr=(0, 0.5)))
    assert caught
    assert all(issubclass(w.category, pauci.PauciWarning) for w in caught)
    assert any(re.search(r"below 0\.5.*Nothing was flipped", str(w.message)) for w in caught)


@pytest.mark.parametrize("make", [lambda v: np.array(v, dtype=object), pd.Series])
@pytest.mark.parametrize(
    ("values", "row"),
    [
        ([0.5, 0.7, "0.9"], 2),
        ([0.5, "0.9", "x"], 2),
        ([1, 2, True], 2),
        ([0.5, 1, Fraction(1, 3)], 2),
        (["0.5", "0.7", "0.9"], 0),
    ],
)
def test_the_row_that_is_not_a_number_is_named(values, row, make):
    with pytest.raises(pauci.InputTypeError) as raised:
        Sample(Y, make([*values, *values]))
    assert list(raised.value.rows) == [row]
    assert raised.value.value == values[row]
    assert f"(row {row})" in str(raised.value)


def test_texts_are_ordered_as_a_categorical():
    words = ["low", "mid", "mid", "high", "low", "high"]
    with pytest.raises(pauci.InputTypeError, match=r"pd\.Categorical.*ordered=True"):
        Sample(Y, words)
    ordered = pd.Categorical(words, categories=["low", "mid", "high"], ordered=True)
    assert auc(Y, ordered) == auc(Y, [1, 2, 2, 3, 1, 3])


@pytest.mark.parametrize(("text", "side"), [("<0.5", "below"), ("> 100", "above")])
def test_limits_of_detection_are_not_missing_values(text, side):
    with pytest.raises(pauci.InputTypeError, match=f"any number {side} the limit") as raised:
        Sample(Y, [text, "1", "2", "3", "4", "5"])
    assert "to_numeric" not in str(raised.value)


@pytest.mark.parametrize("variance", ["influence", pauci.Jackknife()])
@pytest.mark.parametrize("cluster", [np.zeros(54), np.tile([0, 1], 27)])
def test_a_single_cluster_is_not_a_lack_of_rows(variance, cluster):
    sample = Sample(Y * 9, SCORE * 9, cluster=cluster)
    with pytest.raises(ValueError, match=r"collect (positives|negatives) of other clusters") as e:
        estimate(sample, AUC(), variance)
    assert "Collect more" not in str(e.value)


def test_columns_that_are_named_by_numbers():
    frame = pd.DataFrame({0: Y, 1: SCORE})
    for label, scores in ((0, 1), ("0", 1), (0, "1"), (0, [1])):
        with pytest.raises((pauci.InputError, pauci.InputTypeError), match="astype") as raised:
            Sample.from_frame(frame, label, scores)
        assert "Did you mean" not in str(raised.value)
    frame.columns = frame.columns.astype(str)
    assert Sample.from_frame(frame, "0", "1").names == ("1",)


def test_a_frame_with_one_score_takes_the_name_of_the_classifier():
    frame = pd.DataFrame({"y": Y, "a": SCORE, "b": SCORE[::-1]})
    sample = Sample.from_frame(frame, "y", "a", name="validation", lower_is_positive="a")
    assert sample.names == ("validation",)
    assert sample.ratings("validation").lower_is_positive
    with pytest.raises(pauci.InputError, match="name='x' is for a single score"):
        Sample.from_frame(frame, "y", ["a", "b"], name="x")
    with pytest.raises(pauci.InputTypeError, match="name=3 must be a string"):
        Sample.from_frame(frame, "y", "a", name=3)


def test_the_number_of_dropped_rows_agrees_with_its_verb():
    frame = pd.DataFrame({"y": [*Y, 2], "a": [NAN, *SCORE]})
    with pytest.warns(pauci.MissingRowsWarning) as caught:
        Sample.from_frame(frame, "y", "a", positive=1, negative=0, drop_missing=True)
    texts = [str(w.message) for w in caught]
    assert "1 of 7 rows was left out" in texts[0]
    assert "1 of 7 rows was dropped" in texts[1]
