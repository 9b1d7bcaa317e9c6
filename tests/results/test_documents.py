"""Results as plain values and as JSON, as numbers and formatted, and wrong names of attributes."""

import datetime
import json
import math
import sys
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import FRAME
from pauci.calls import names_in_other_packages
from pauci.cli import run
from pauci.tables.json_document import plain_value
from tabular_results import MAKERS, result

EVERY = pytest.mark.parametrize("name", MAKERS)
SVM = pauci.Sample(FRAME["label"], FRAME["svm"])


def refuse(word):
    raise AssertionError(f"{word} is not JSON")


def same(cell, value):
    """Return whether a value of the data frame became the value of the document."""
    if isinstance(value, float) and not math.isfinite(value):
        return cell in (None, "Infinity", "-Infinity")
    if value is None:
        return cell is None
    return str(value) == cell if isinstance(cell, str) else value == cell


@EVERY
def test_the_document_has_the_rows_of_the_frame(name):
    found = result(name).to_dict()
    frame = result(name).to_frame()
    assert found["result"] == type(result(name)).__name__
    assert [list(row) for row in found["rows"]] == [list(frame.columns)] * len(frame)
    for row, record in zip(found["rows"], frame.to_dict("records"), strict=True):
        assert all(same(row[key], value) for key, value in record.items()), (row, record)


@EVERY
def test_json_is_the_dictionary_without_nan_and_infinity(name):
    found = result(name).to_dict()
    assert json.loads(result(name).to_json(), parse_constant=refuse) == found
    json.dumps(found, allow_nan=False)
    assert set(found["versions"]) == {"pauci", "python", "numpy", "scipy"}
    assert found["versions"]["numpy"] == np.__version__
    planned = type(result(name)).__name__ == "SampleSize"
    assert all(s["n_pos"] > 0 for s in found["sizes"])
    assert planned or found["sizes"]
    if hasattr(result(name), "report"):
        assert "\n".join(found["report"]) == result(name).report()


def test_plain_values():
    values = {
        "nan": np.float64("nan"),
        "low": -np.inf,
        "count": np.int64(3),
        "flag": np.bool_(True),
        "share": Fraction(1, 4),
        "single": np.float32(0.5),
        "long": np.longdouble(0.25),
        "day": np.datetime64("2020-01-02", "ns"),
        "date": datetime.date(2020, 1, 2),
        "array": np.array([1.0, np.nan]),
        "pair": (1, "a"),
        "text": np.str_("a"),
        "interval": pd.Interval(0, 1),
        3: None,
    }
    assert plain_value(values) == {
        "nan": None,
        "low": "-Infinity",
        "count": 3,
        "flag": True,
        "share": 0.25,
        "single": 0.5,
        "long": 0.25,
        "day": "2020-01-02T00:00:00.000000000",
        "date": "2020-01-02",
        "array": [1.0, None],
        "pair": [1, "a"],
        "text": "a",
        "interval": "(0, 1]",
        "3": None,
    }
    assert type(plain_value(values)["text"]) is str
    assert type(plain_value(values)["flag"]) is bool


def test_level_kind_seed_and_cautions():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        e = pauci.estimate(SVM, pauci.PAUC(fpr=(0, 0.02)), pauci.Bootstrap(99, rng=2**70))
        found = e.to_dict(level=0.8, kind="percentile")
    assert (found["level"], found["rows"][0]["kind"], found["seed"]) == (0.8, "percentile", 2**70)
    assert found["rows"][0]["low"] == e.interval(0.8, "percentile").low
    assert [c["message"] for c in found["cautions"]] == [str(c) for c in e.cautions]
    assert found["cautions"][0]["measure"] == repr(e.measure)
    assert pauci.cutoff(SVM, specificity=0.9, rng=5).to_dict()["seed"] == 5
    assert pauci.band(SVM, level=0.9).to_dict()["level"] == 0.9
    assert pauci.estimate(SVM, pauci.AUC()).to_dict()["seed"] is None


def test_dropped_rows():
    frame = FRAME.assign(svm=FRAME["svm"].where(FRAME.index > 4))
    columns = {"label": "label", "scores": ["svm"], "positive": 1}
    with pytest.warns(pauci.errors.MissingRowsWarning):
        sample = pauci.Sample.from_frame(frame, **columns, drop_missing=True)
    for r in (pauci.estimate(sample, pauci.AUC()), pauci.band(sample)):
        assert r.to_dict()["sizes"][0]["dropped"] == 5


# The command line prints the same document


def test_the_command_line_prints_the_document(tmp_path, capsys):
    path = tmp_path / "data.csv"
    FRAME.to_csv(path, index=False)
    line = f"estimate {path} --label label --score svm --measure auc --format json"
    assert run(line.split()) == 0
    sample = pauci.Sample.from_frame(FRAME, label="label", scores=["svm"], positive=1)
    printed = json.loads(capsys.readouterr().out)
    assert list(printed)[-2:] == ["data", "call"]
    expected = pauci.estimate(sample, [pauci.AUC()]).to_dict()
    assert {k: v for k, v in printed.items() if k not in ("data", "call")} == expected


def test_the_document_has_every_warning_of_the_command(tmp_path, capsys):
    path = tmp_path / "data.csv"
    FRAME.assign(svm=FRAME["svm"].where(FRAME.index > 4)).to_csv(path, index=False)
    line = f"estimate {path} --label label --score svm --measure PAUC(fpr=(0,0.02)) --format json"
    for _ in range(2):  # warnings of an earlier command are not repeated
        assert run([*line.split(), "--drop-missing"]) == 0
        out, err = capsys.readouterr()
        messages = [c["message"] for c in json.loads(out)["cautions"]]
        printed = [x.removeprefix("pauci: warning: ") for x in err.strip().split("\n")]
        assert len(printed) > 1
        starts = {" ".join(m.split())[:40] for m in messages}  # hints name options
        assert {text[:40] for text in printed} <= starts
        assert len(set(messages)) == len(messages)


# Numbers


def test_an_estimate_is_a_number_with_an_interval():
    e = pauci.estimate(SVM, pauci.AUC())
    assert (e.low, e.high) == e.interval()
    assert float(e) == e.value
    assert f"{e:.3f}" == f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f})"
    assert f"{e:.1%}" == f"{e.value:.1%} ({e.low:.1%} to {e.high:.1%})"
    assert f"{e:>40.2f}" == f"{e:.2f}".rjust(40)
    assert f"{e:*^30.2f}" == f"{e:.2f}".center(30, "*")
    assert f"{e}" == str(e) == e.summary()
    for spec in ("d", ".3q", "x", "03d", "s"):
        with pytest.raises(pauci.InputError, match=rf"^format_spec '{spec}' is not a format"):
            format(e, spec)
    np.testing.assert_allclose(np.array([e, e], float), e.value)


def test_a_difference_is_a_number_with_an_interval():
    both = pauci.Sample(FRAME["label"], {n: FRAME[n] for n in ("svm", "nn")})
    c = pauci.compare(both, pauci.AUC(), null=-0.2, alternative="greater")
    assert float(c) == c.difference
    assert f"{c:+.2f}".startswith(f"{c.difference:+.2f} ({c.low:+.2f} to +inf)")
    assert c.high == math.inf
    assert f"{pauci.compare(both, pauci.AUC()):.0f}" == "0 (0 to 0)"  # without a negative zero


# Wrong names


@pytest.mark.parametrize(
    ("name", "attribute", "expected"),
    [
        ("Estimate", "ci", "Use .interval(level=0.95)."),
        ("Estimate", "conf_int", "Use .interval(level=0.95)."),
        ("Estimate", "p_value", "Use .test(null=0.5).pvalue."),
        ("Estimate", "auc", "Use .value."),
        ("Estimate", "std_err", "Use .se."),
        ("Estimate", "upper", "Use .high."),
        ("Estimate", "vale", "Did you mean '.value'?"),
        ("Estimates", "low", "Use .to_frame()['low']."),
        ("Comparison", "p_value", "Use .pvalue."),
        ("Comparison", "auc", "Use .to_frame()[['value_first', 'value_second']]."),
        ("Comparison", "diff", "Use .difference."),
        ("Comparisons", "pvalue", "Use .to_frame()['pvalue']."),
        ("OperatingPoints", "thresholds", "Use .to_frame()['threshold']."),
        ("JointTest", "p", "Use .pvalue."),
        ("PermutationTest", "stat", "Use .statistic."),
    ],
)
def test_names_of_other_packages(name, attribute, expected):
    with pytest.raises(AttributeError) as caught:
        getattr(result(name), attribute)
    assert str(caught.value).startswith(f"{type(result(name)).__name__!r} object has no")
    assert str(caught.value).endswith(expected)


@pytest.mark.parametrize(
    "name", ["Estimate", "Estimates", "Comparisons", "JointTest", "RiskTable", "ReaderAnalysis"]
)
def test_every_hint_can_be_followed(name):
    found = set()
    for attribute in " ".join(names_in_other_packages()["attributes"]).split():
        try:
            getattr(result(name), attribute)
        except AttributeError as error:
            found.add(str(error).partition(". Use .")[2].removesuffix("."))
    assert len(found) > 5
    files = {"", "to_docx('table.docx')", "to_frame().to_csv('table.csv')", "plot()"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        for use in found - files:
            eval(f"r.{use}", {"r": result(name)})


def test_errors_of_properties_are_kept_and_protocols_are_absent():
    band = result("band of a difference")
    with pytest.raises(AttributeError, match=r"no \.tpr"):
        _ = band.tpr
    e = result("Estimate")
    for name in ("__array__", "__dataframe__", "_repr_png_"):
        assert not hasattr(e, name)
    assert hasattr(e, "value")
    assert sys.getsizeof(e)
