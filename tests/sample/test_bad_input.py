"""Errors about bad input name the value and state a hint; valid input of any type is accepted."""

from datetime import date
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
        ([], {}, ["y_true is empty", "at least one positive"]),
        ([1] * 6, {}, ["y_true holds one class only", "6 rows are 1"]),
        (["a"] * 6, {"positive": "a"}, ["one class only", "'a'"]),
        ([0, 1, 2] * 2, {}, ["3 distinct values (0, 1, 2)", "swapped"]),
        (SCORE, {}, ["5 distinct values (1, 2, 3, 4, ...)", "swapped"]),
        (list("abc") * 2, {}, ["3 distinct values", "pass positive="]),
        ([1, 2] * 3, {}, ["labels 1, 2", "positive=2"]),
        (["no", "yes"] * 3, {}, ["'no', 'yes'", "positive='yes'"]),
        (
            ["no", "yes"] * 3,
            {"positive": "maybe"},
            ["positive='maybe' is not among the labels of y_true", "'no', 'yes'"],
        ),
        (Y, {"positive": "1"}, ["positive='1' is not among", "(0, 1)"]),
        (["0", "1"] * 3, {"positive": 1}, ["positive=1 is not", "'0', '1'"]),
        (Y, {"positive": NAN}, ["positive=nan is a missing value"]),
        (np.c_[Y, Y], {}, ["y_true has shape (6, 2)", "x.argmax(axis=1)"]),
        (np.ma.array(Y, mask=[0, 1, 0, 0, 1, 0]), {}, ["y_true", "2 mask"]),
    ],
)
def test_bad_labels(y, options, words):
    score = SCORE if len(y) else []
    refuses(lambda: Sample(y, score, **options), ValueError, *words)


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        (None, {}, ["y_true is None", "one value per row"]),
        ("y", {}, ["y_true is a str", "one value per row"]),
        ({0, 1}, {}, ["y_true is a set", "one value per row"]),
        ([[0], [1, 2]], {}, ["y_true is not a flat array"]),
        (Y, {"positive": [1]}, ["positive=[1] must be one label"]),
        (Y, {"positive": np.array([1])}, ["positive=array([1]) must be one"]),
    ],
)
def test_labels_of_a_wrong_type(y, options, words):
    refuses(lambda: Sample(y, SCORE, **options), TypeError, *words)


@pytest.mark.parametrize(
    "y", [Y, np.array(["a", "b"] * 3, dtype=object), pd.Series(["a", "b"] * 3, dtype="string")]
)
def test_a_missing_value_as_positive_is_an_error(y):
    refuses(
        lambda: Sample(y, SCORE, positive=pd.NA), (TypeError, ValueError), "positive=<NA>", "label"
    )


@pytest.mark.parametrize(
    ("y", "options", "where"),
    [
        ([0, 1, NAN, 1, 0, 1], {}, "1 missing value (row 2)"),
        (np.array([NAN, 1, 0, 1, 0, NAN], np.float32), {}, "2 missing values (rows 0, 5)"),
        (np.array([0, pd.NA, 0, 1, pd.NA, 1], object), {}, "2 missing values (rows 1, 4)"),
        (pd.Series([True, None, False] * 2, dtype="boolean"), {}, "2 missing values (rows 1, 4)"),
        (
            pd.Series(["y", None, "n"] * 2, dtype="string"),
            {"positive": "y"},
            "2 missing values (rows 1, 4)",
        ),
        (pd.Categorical(["y", None, "n"] * 2), {"positive": "y"}, "2 missing values (rows 1, 4)"),
    ],
)
def test_missing_labels(y, options, where):
    refuses(
        lambda: Sample(y, SCORE, **options),
        ValueError,
        f"y_true has {where}",
        "y_true[keep], y_score[keep]",
    )


# Ratings


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ([1, 2, NAN, 4, 5, 6], ["1 missing value (row 2)", "~np.isnan(x)"]),
        (np.array([1, 2, 3, 4, 5, NAN], np.float16), ["1 missing value (row 5)"]),
        ([1, None, 3, None, 5, 6], ["2 missing values (rows 1, 3)"]),
        (
            pd.Categorical(["lo", None, "hi"] * 2, categories=["lo", "hi"], ordered=True),
            ["2 missing values (rows 1, 4)"],
        ),
        ([1, INF, 3, 4, 5, 6], ["1 infinite value (row 1)", "Clip"]),
        ([1, -INF, 3, 4, 5, INF], ["2 infinite values (rows 1, 5)", "rankdata"]),
        ([*SCORE, 1], ["has 7 rows and y_true has 6", "same rows"]),
        ([], ["empty"]),
        (np.c_[SCORE, SCORE], ["shape (6, 2)", "proba[:, 1]"]),
        (np.c_[SCORE, SCORE, SCORE], ["shape (6, 3)", "dict"]),
        (np.ones((6, 1, 1)), ["shape (6, 1, 1)", "1-D"]),
        (np.ma.array(SCORE, mask=[1, 0, 0, 0, 0, 0]), ["1 masked value"]),
    ],
)
def test_bad_scores(score, words):
    refuses(lambda: Sample(Y, score), ValueError, "y_score", *words)
    refuses(lambda: Sample(Y, {"ok": SCORE, "nn": score}), ValueError, "y_score['nn']", *words)


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (None, ["is None", "one value per row"]),
        ("svm", ["is a str", "one value per row"]),
        ([[1], [2, 3]], ["not a flat array"]),
        (np.array(SCORE) + 1j, ["complex (complex128)", "x.real"]),
        (
            np.array([1, 2, "high", 4, 5, 6], object),
            ["dtype object", "such as 'high' (row 2)", "pd.to_numeric"],
        ),
        (list("123x56"), ["not numbers", "such as 'x' (row 3)", "pd.to_numeric"]),
        (
            ["51.3%", "7%", "1.2%"] * 2,
            ["'51.3%'", "(rows 0, 1, 2, ...). Remove the per cent signs"],
        ),
        (["0,25", "0,3", "1"] * 2, ["point as the decimal mark"]),
        (["1.234,5", "0,3", "1"] * 2, ["without other marks"]),
        (["1", "2.5", "1e3"] * 2, ["pd.to_numeric"]),
        (["1", "nan", "3"] * 2, ["'nan' (rows 1, 4)", "by NaN, or state missing="]),
        (pd.date_range("2020-01-01", periods=6), ["dtype datetime64", "not numbers", "days since"]),
        (np.arange(6).astype("datetime64[ns]"), ["datetime.datetime(1970, 1, 1", "It is a date"]),
        ([date(2020, 1, i) for i in range(1, 7)], ["dtype object", "It is a date"]),
        (pd.Categorical(list("abcabc")), ["unordered Categorical ('a', 'b', 'c')", "ordered=True"]),
    ],
)
def test_scores_of_a_wrong_type(score, words):
    refuses(lambda: Sample(Y, score), TypeError, "y_score", *words)
    refuses(lambda: Sample(Y, {"nn": score}), TypeError, "y_score['nn']", *words)


@pytest.mark.parametrize(
    ("score", "options", "error", "words"),
    [
        ({}, {}, ValueError, ["y_score={}", "{'name': ...}"]),
        ({1: SCORE}, {}, TypeError, ["key 1", "strings"]),
        ({"": SCORE}, {}, TypeError, ["key ''", "strings"]),
        ({"a": SCORE}, {"name": "b"}, ValueError, ["name='b'"]),
        (pd.DataFrame({"a": SCORE}), {}, TypeError, ["DataFrame", "from_frame"]),
    ],
)
def test_bad_names(score, options, error, words):
    refuses(lambda: Sample(Y, score, **options), error, *words)


def test_other_indexes_pair_by_position():
    assert auc(pd.Series(Y), pd.Series(SCORE, index=range(10, 16))) == AUC_OF_SCORE
    assert auc(pd.Series(Y), np.array(SCORE)) == AUC_OF_SCORE
    assert auc(Y, pd.Series(SCORE, index=range(6)[::-1])) == AUC_OF_SCORE


# Weights, frequencies, clusters, design


@pytest.mark.parametrize(
    ("option", "error", "words"),
    [
        ({"weight": [1, 1, -2, 1, 1, 1]}, ValueError, ["weight holds -2;", "not be negative"]),
        ({"weight": [1, 1, 1, NAN, 1, 1]}, ValueError, ["weight has 1 missing value (row 3)"]),
        ({"weight": [1, 1, 1, INF, 1, 1]}, ValueError, ["weight holds inf;", "finite"]),
        ({"weight": [0] * 6}, ValueError, ["weight is 0 in all 3 positives"]),
        ({"weight": [0, 1] * 3}, ValueError, ["weight is 0 in all 3 negatives"]),
        ({"weight": [1] * 5}, ValueError, ["weight has 5 rows and y_true has 6"]),
        ({"weight": list("abcdef")}, TypeError, ["weight has dtype", "numbers"]),
        ({"frequency": [1, 1, 1.5, 1, 1, 1]}, ValueError, ["frequency holds 1.5,", "weight="]),
        (
            {"frequency": [1, 1, NAN, 1, 1, 1]},
            ValueError,
            ["frequency has 1 missing value (row 2)"],
        ),
        ({"frequency": [0, 1] * 3}, ValueError, ["frequency is 0 in all 3 negatives"]),
        ({"frequency": np.full(6, 2**63, np.uint64)}, ValueError, ["frequency"]),
        ({"frequency": [2**62] * 6}, ValueError, ["frequency"]),
        (
            {"weight": [0, 0, 0, 1, 1, 1], "frequency": [1, 1, 1, 1, 0, 1]},
            ValueError,
            ["weight", "3 negatives"],
        ),
        ({"cluster": [1] * 5}, ValueError, ["cluster has 5 rows and y_true has 6"]),
        ({"cluster": [1, 2, None, 4, 5, 6]}, ValueError, ["cluster has 1 missing value (row 2)"]),
        (
            {"cluster": [{i} for i in range(6)]},
            TypeError,
            ["cluster holds values that cannot be compared", "pass a number or a text"],
        ),
        (
            {"design": "casecontrol"},
            ValueError,
            ["design='casecontrol'", "Did you mean 'case-control'?"],
        ),
        ({"design": None}, ValueError, ["design=None", "'cohort', 'case-control'"]),
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
        ([1, 2], [1, -1], [1, 1], ["positives holds -1", "row 1"]),
        ([1, 2], [1, 1], [1.5, 1], ["negatives holds 1.5", "whole"]),
        ([1, 2], [1, 1, 1], [1, 1], ["positives has 3", "scores has 2"]),
        ([1, 2], [1, 1], [1], ["negatives has 1", "scores has 2"]),
        ([2, 1, 2], [1] * 3, [1] * 3, ["category 2 more than once"]),
        ([1, 2], [0, 0], [1, 1], ["positives are all 0"]),
        ([1, 2], [1, 1], [0, 0], ["negatives are all 0"]),
        ([1, 2], [1, NAN], [1, 1], ["positives has 1 missing"]),
        ([1, 2], [1, 1], [1, INF], ["negatives holds inf"]),
        ([1, NAN], [1, 1], [1, 1], ["scores has 1 missing"]),
        ([], [], [], ["scores is empty"]),
        ([1, 2], [2**62] * 2, [1, 1], ["positives"]),
    ],
)
def test_bad_counts(scores, positives, negatives, words):
    refuses(lambda: Sample.from_counts(scores, positives, negatives), ValueError, *words)


@pytest.mark.parametrize(
    ("scores", "positives", "word"),
    [
        (None, [1, 1], "scores"),
        (3, [1, 1], "scores"),
        (["lo", "hi"], [1, 1], "scores"),
        ([1, 2], None, "positives"),
        ([1, 2], ["a", "b"], "positives"),
    ],
)
def test_counts_of_a_wrong_type(scores, positives, word):
    refuses(lambda: Sample.from_counts(scores, positives, [1, 1]), (TypeError, ValueError), word)


# Regions


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        ((0.5, 0.1), ValueError, ["low must be below high", "Did you mean (0.1, 0.5)?"]),
        ((0, 1e-9), ValueError, ["low must be below high", "1e-06"]),
        ((-0.1, 0.5), ValueError, ["holds -0.1", "lies in [0, 1]"]),
        ((0, 10), ValueError, ["holds 10", "Did you mean 0.1?"]),
        ((NAN, 1), ValueError, ["holds nan", "lies in [0, 1]"]),
        ((0, Fraction(3, 2)), ValueError, ["Fraction(3, 2)"]),
        (0.1, TypeError, ["must be a pair (low, high)"]),
        ((0, 0.1, 0.2), TypeError, ["must be a pair (low, high)"]),
        ({0.8, 0.1}, TypeError, ["must be a pair (low, high)"]),
        ("01", TypeError, ["'01'"]),
        (("0", "0.1"), TypeError, ["holds '0'", "number"]),
        ((False, True), TypeError, ["holds False", "number"]),
        ((0, 1j), TypeError, ["holds 1j", "number"]),
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
        [0, 0.1],
        np.array([0, 0.1]),
        (Fraction(0), Fraction(1, 10)),
        (np.int64(0), np.float32(0.1)),
        (0, 0.30000000000000004 - 0.2),
    ],
)
def test_a_region_does_not_depend_on_the_type_of_its_numbers(pair):
    assert PAUCc(fpr=pair).region == PAUCc(fpr=(0, 0.1)).region


# Options of results and verbs


@pytest.mark.parametrize(
    "result", [lambda: estimate(one(), AUC()), lambda: compare(paired(), AUC())]
)
@pytest.mark.parametrize(
    ("level", "error", "words"),
    [
        (95, ValueError, ["level=95 ", "Did you mean 0.95?"]),
        (0, ValueError, ["level=0 ", "must be at least 0.5 and below 1"]),
        (NAN, ValueError, ["level=nan ", "must be at least 0.5 and below 1"]),
        ("0.95", TypeError, ["level='0.95'", "such as 0.95"]),
        (True, TypeError, ["level=True", "such as 0.95"]),
    ],
)
def test_bad_level(result, level, error, words):
    for method in ("interval", "to_frame", "summary", "report"):
        refuses(lambda name=method: getattr(result(), name)(level=level), error, *words)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("jeffreys", ["kind='jeffreys' is not known", "'wald'"]),
        ("Wald", ["kind='Wald'", "Did you mean 'wald'?"]),
        (3, ["kind=3 is not known", "'wald'"]),
    ],
)
def test_bad_kind(kind, words):
    refuses(lambda: estimate(one(), AUC()).interval(kind=kind), ValueError, *words)
    refuses(lambda: compare(paired(), AUC()).interval(kind=kind), ValueError, *words)


@pytest.mark.parametrize(
    ("measure", "error", "words"),
    [
        ("auc", TypeError, ["measure='auc'", "pauci.AUC()"]),
        (AUC, TypeError, ["measure=AUC is a class", "pauci.AUC()"]),
        (PAUCc, TypeError, ["measure=PAUCc is a class", "PAUCc(fpr=(0, 0.1))"]),
        ([], ValueError, ["measure=[]", "pauci.AUC()"]),
        ([AUC(), "pauc"], TypeError, ["measure='pauc'"]),
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
        lambda: estimate(Y, SCORE, AUC()),
        lambda: estimate(np.array(Y), np.array(SCORE)),
        lambda: estimate(Y, {"a": SCORE}),
        lambda: compare(Y, SCORE, AUC()),
        lambda: compare(np.array(Y), {"a": SCORE, "b": SCORE}, AUC()),
        lambda: compare([Y, SCORE], AUC()),
    ],
)
def test_calls_as_in_scikit_learn_raise_errors_with_a_sample(call):
    refuses(call, TypeError, "pauci.Sample(y_true, ")


@pytest.mark.parametrize(
    ("samples", "options", "error", "words"),
    [
        (one, {}, ValueError, ["classifier (score)", "needs two"]),
        (
            lambda: paired(3),
            {"pair": ("a", "x")},
            (KeyError, ValueError),
            ["'x' is not a classifier", "a, b, c"],
        ),
        (lambda: paired(3), {"pair": "ab"}, TypeError, ["pair='ab'", "('a', 'b')"]),
        (
            lambda: paired(3),
            {"pair": ("a", "b", "c")},
            (TypeError, ValueError),
            ["pair=('a', 'b', 'c')", "two"],
        ),
        (lambda: list(paired()), {}, ValueError, ["same rows", "not independent", "[['a', 'b']]"]),
        (lambda: [one()], {}, ValueError, ["samples has length 1", "two"]),
        (list, {}, ValueError, ["samples has length 0", "two"]),
        (lambda: [paired(), one()], {}, ValueError, ["2 classifiers (a, b)", "sample['a']"]),
        (lambda: [one(), one()], {"pair": ("a", "b")}, ValueError, ["pair=('a', 'b')"]),
        (lambda: {"a": one(), "b": one()}, {}, TypeError, ["list of two Samples", "dict"]),
        (
            paired,
            {"alternative": "two_sided"},
            ValueError,
            ["alternative='two_sided'", "Did you mean 'two-sided'?"],
        ),
        (paired, {"null": 1}, ValueError, ["null=1 ", "between 0 and 1"]),
        (paired, {"null": NAN}, ValueError, ["null=nan", "finite"]),
        (paired, {"null": "0"}, TypeError, ["null='0'", "number"]),
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


def test_null_is_bounded_by_the_range_of_the_measure():
    refuses(lambda: compare(paired(), PAUC(fpr=(0, 0.5)), null=0.5), ValueError, "null=0.5 ", "0.5")
    assert compare(paired(), PAUC(fpr=(0, 0.5)), null=0.4).null == 0.4


# Good input


@pytest.mark.parametrize(
    ("y", "positive"),
    [
        (Y, None),
        ([False, True] * 3, None),
        ([-1, 1] * 3, None),
        (np.array([-1, 1] * 3, np.int8), None),
        (pd.Series(Y), None),
        (pd.array(Y, dtype="Int64"), None),
        (pd.array([False, True] * 3, dtype="boolean"), None),
        ([1, 0] * 3, 0),
        ([True, False] * 3, False),
        ([1, 2] * 3, 2),
        (["no", "yes"] * 3, "yes"),
        (np.array(["no", "yes"] * 3, object), "yes"),
        (pd.Series(["no", "yes"] * 3, dtype="string"), "yes"),
        (pd.Categorical(["no", "yes"] * 3), "yes"),
        (np.array([False, True] * 3, object), True),
    ],
)
def test_accepted_labels(y, positive):
    sample = Sample(y, SCORE, positive=positive)
    assert (sample.n_pos, sample.n_neg) == (3, 3)
    assert estimate(sample, AUC()).value == AUC_OF_SCORE


@pytest.mark.parametrize(
    "score",
    [
        SCORE,
        tuple(SCORE),
        np.array(SCORE, np.int8),
        np.array(SCORE, np.uint8),
        np.array(SCORE, np.uint64),
        np.array(SCORE, np.float16),
        np.array(SCORE, np.float32),
        np.array(SCORE, np.longdouble),
        np.array(SCORE, ">f8"),
        np.ma.array(SCORE),
        pd.Series(SCORE),
        pd.Index(SCORE),
        pd.array(SCORE, dtype="Int64"),
        pd.array(SCORE, dtype="Float64"),
        pd.Categorical(SCORE, categories=[1, 2, 3, 4, 5], ordered=True),
        pd.Series(pd.Categorical(SCORE, categories=[1, 2, 3, 4, 5], ordered=True)),
        [-(10.0**300), 0, 0, 1e-300, 1e-308, 1e300],
    ],
)
def test_accepted_scores(score):
    assert auc(Y, score) == AUC_OF_SCORE


@pytest.mark.parametrize(
    "score",
    [
        [True, False, False, True, False, True],
        pd.array([True, False, False, True, False, True], dtype="boolean"),
    ],
)
def test_bool_scores(score):
    assert auc(Y, score) == pytest.approx(6 / 9)  # 4 pairs won, 4 tied, 1 lost


@pytest.mark.parametrize(
    "pair",
    [
        [2**53, 2**53 + 1],
        np.array([2**53, 2**53 + 1]),
        np.array([2**64 - 2, 2**64 - 1], np.uint64),
        np.array([-(2**63), 2**63 - 1]),
        pd.array([2**53, 2**53 + 1], dtype="Int64"),
        [1.0, np.nextafter(1.0, 2.0)],
        [-5e-324, 5e-324],
        np.array([1, np.nextafter(np.longdouble(1), np.longdouble(2))]),
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


@pytest.mark.parametrize("make", [lambda v: np.array(v, dtype=object), pd.Series])
@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([0.5, 0.7, "0.9"], [2]),
        ([0.5, "0.9", "x"], [2]),
        ([1, 2, True], [2]),
        ([0.5, 1, Fraction(1, 3)], [2]),
        (["0.5", "0.7", "0.9"], [0, 1, 2]),
        (["0,5", "1,7", "x"], [2]),
        (["37,1 %", "-", "0,2%"], [1]),
        (["37,1 %", "0,5", "12"], [0]),
        (["0,5", "1.700,5", "2.5"], [2]),
    ],
)
def test_the_rows_that_are_not_numbers_are_named(values, rows, make):
    with pytest.raises(pauci.InputTypeError) as raised:
        Sample(Y, make([*values, *values]))
    assert list(raised.value.rows) == [*rows, *(3 + row for row in rows)]
    assert raised.value.value == values[rows[0]]
    assert f"such as {values[rows[0]]!r}" in str(raised.value)
    assert f"(rows {rows[0]}, " in str(raised.value)


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


def test_a_message_lists_a_few_of_many_columns():
    frame = pd.DataFrame(np.eye(60, 800), columns=[f"x{i}" for i in range(800)])
    with pytest.raises(ValueError, match="is not a column") as caught:
        Sample.from_frame(frame.assign(y=Y * 10), "y", "x79x")
    names = str(caught.value).partition("The columns are: ")[2]
    assert "x79" in names.split(", ")
    assert names.endswith(" and 793 others.")
