"""Measures at a cut-off and of risks on the command line: options, scales, errors, JSON."""

import io
import json
import math

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import json_rows
from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    y = np.arange(160) % 4 == 0
    a, b = (1 / (1 + np.exp(-rng.normal(1.4 * y - 1))) for _ in "ab")
    return pd.DataFrame(
        {
            "y": y.astype(int),
            "a": a,
            "b": b,
            "percent": 100 * b,
            "minus": -a,
            "rating": np.digitize(a, [0.2, 0.3, 0.5]) + 1,
            "word": np.array(["low", "mid", "high"])[np.digitize(a, [0.2, 0.4])],
        }
    )


@pytest.fixture
def call(cli, data, tmp_path):
    """Run a command on the data, and return exit status, output and errors."""
    file = tmp_path / "risks.csv"
    data.to_csv(file, index=False)

    def run(command, line):
        return cli(f"{command} {file} --label y --positive 1 {line}")

    return run


@pytest.fixture
def study(cli, tmp_path):
    """Run pauci readers, or report, on readings of two modalities."""
    rng = np.random.default_rng(2)
    rows = []
    for reader in "pqr":
        for modality, scale in (("film", 1), ("digital", 10)):
            for case in range(40):
                score = rng.normal(case % 2)
                word = ("no", "maybe", "yes")[int(np.digitize(score, [0, 1]))]
                rating = int(np.digitize(score, [0, 1])) + 1
                rows.append((reader, modality, case, case % 2, scale * score, word, rating))
    names = ["reader", "modality", "case", "label", "score", "word", "rating"]
    file = tmp_path / "readings.csv"
    pd.DataFrame(rows, columns=names).to_csv(file, index=False)
    columns = "--reader reader --modality modality --case case --label label --positive 1"

    def run(line, command="readers"):
        return cli(f"{command} {file} {columns} {line}")

    return run


@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_every_measure_at_a_cutoff_or_of_risks_is_that_of_python(call, data, key):
    cls = REGISTRY[key]
    if issubclass(cls, AtCutoff) and "threshold" in cls.arguments():
        option, measure = "--at-threshold 0.4", cls(threshold=0.4)
    elif key == "netbenefit":
        option, measure = "--probability 0.2", cls(0.2)
    elif cls.of_risks is not pauci.Measure.of_risks:
        option, measure = "", cls()
    else:
        pytest.skip("has a region, or is one of the whole curve")
    line = f"--score a --score b --measure {key} {option} --format json"
    status, out, err = call("compare", line)
    assert (status, err) == (0, "")
    (row,) = json_rows(out)
    c = pauci.compare(pauci.Sample(data["y"], {n: data[n] for n in "ab"}), measure)
    assert row["difference"] == pytest.approx(c.difference)
    assert (row["low"], row["high"]) == pytest.approx(c.interval())
    assert all(v is None or not isinstance(v, float) or math.isfinite(v) for v in row.values())


def test_points_by_rates_and_options_of_measures(call, data):
    s = pauci.Sample(data["y"], data["a"], name="a")
    for option, measure in (
        ("f --at-sensitivity 0.8 --beta 2", pauci.F(sensitivity=0.8, beta=2)),
        ("ppv --at-specificity 0.8 --prevalence 0.1", pauci.PPV(specificity=0.8, prevalence=0.1)),
        ("sensitivity --at-specificity 0.8", pauci.Sensitivity(specificity=0.8)),
        ("specificity --at 0.8", pauci.Specificity(tpr=0.8)),
        ("brier --scaled", pauci.Brier(scaled=True)),
    ):
        status, out, _ = call("estimate", f"--score a --measure {option} --format json")
        (row,) = json_rows(out)
        assert (status, row["value"]) == (0, pytest.approx(pauci.estimate(s, measure).value))


def test_lower_scores_are_positive_at_a_threshold(call, data):
    line = "--score minus --lower-is-positive minus --measure sensitivity --at-threshold=-0.4"
    status, out, _ = call("estimate", f"{line} --format json")
    (row,) = json_rows(out)
    assert status == 0
    assert row["value"] == (data["a"][data["y"] == 1] >= 0.4).mean()
    status, out, _ = call("estimate", line)
    assert "scores of -0.4 and below" in out


def test_thresholds_by_classifier(call, data):
    line = "--score a --score percent --measure youden --at-threshold"
    status, out, err = call("compare", f"{line} a=0.4,percent=30 --format json")
    (row,) = json_rows(out)
    both = pauci.Sample(data["y"], {n: data[n] for n in ("a", "percent")})
    c = pauci.compare(both, pauci.Youden(threshold={"a": 0.4, "percent": 30}))
    assert (status, err, row["difference"]) == (0, "", pytest.approx(c.difference))
    status, _, err = call("compare", f"{line} 0.4")
    assert status == 0
    assert "specify a threshold for each: --at-threshold a=NUMBER,percent=NUMBER." in err
    assert "--at-threshold 0.4 lies outside the scores of percent" in err
    status, _, err = call("compare", f"{line} a=0.4")
    assert status == 2
    assert "--at-threshold a=0.4 has no threshold for 'percent', but for 'a'." in err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ppv", "needs a single cut-off (one of --at-specificity, --at-sensitivity, --at-th"),
        ("youden --at-specificity 0.9", "(one of --at-threshold), not --at-specificity"),
        ("ppv --at-threshold nan", "--at-threshold nan must be finite."),
        ("ppv --at-threshold x", "--at-threshold contains 'x', but the scores are numbers."),
        ("ppv --at-threshold 4", "ppv --at-threshold 4 is undefined here: no row is predicted"),
        ("lrpositive --at-threshold 4", "no negative is predicted positive"),
        ("ppv --at-threshold 0.4 --prevalence 0", "--prevalence 0 must lie strictly between"),
        ("ppv --at-specificity 1", "--at-specificity 1 is a corner of the curve"),
        ("ppv --at-specificity 90", "Did you mean 0.9?"),
        ("ppv --at-specificity 0.9 --at-threshold 1", "are the same point; give one of them."),
        ("f --at-threshold 0.4 --beta 0", "--beta 0 must be positive"),
        ("kappa --at-threshold 0.4 --beta 2", "--beta cannot be combined with --measure kappa"),
        ("netbenefit --probability 20", "Did you mean 0.2?"),
        ("netbenefit --probability 1", "must lie strictly between 0 and 1"),
        ("netbenefit", "needs --probability VALUE"),
    ],
)
def test_errors_name_the_option_the_value_and_the_solution(call, line, words):
    status, _, err = call("estimate", f"--score a --measure {line}")
    assert status == 2
    assert words in err


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("percent", "If they are per cent, divide them by 100."),
        ("minus", "If they are log odds, convert them by 1 / (1 + exp(-score))."),
    ],
)
@pytest.mark.parametrize("key", ["oe", "logloss", "netbenefit --probability 0.2"])
def test_scores_that_are_no_risks(call, column, words, key):
    status, _, err = call("estimate", f"--score {column} --measure {key}")
    assert status == 2
    assert words in err
    assert "(rows 1, 2, 3, ...)" in err


def test_reader_studies_have_thresholds_of_ratings_and_of_modalities(study):
    words = "--score word --category no --category maybe --category yes"
    numbers = "--score rating --category 1 --category 2 --category 3"
    values = []
    for columns, threshold in ((words, "maybe"), (numbers, "2"), ("--score rating", "2")):
        line = f"{columns} --measure ppv --at-threshold {threshold} --format json"
        status, out, _ = study(line)
        assert status == 0
        values.append([row["value"] for row in json.loads(out)["parts"]["estimates"]])
    assert values[0] == values[1] == values[2]
    status, out, _ = study(f"{words} --measure ppv --at-threshold film=maybe,digital=yes")
    assert status == 0
    assert "scores of maybe (film), yes (digital) and above" in out
    status, out, err = study("--score score --measure ppv --at-threshold film=0.5,digital=5")
    assert status == 0
    assert "scores of 0.5 (film), 5 (digital) and above" in out
    for line, message in (
        (f"{words} --measure ppv --at-threshold 2", "--at-threshold contains '2', which is not a"),
        ("--score score --measure brier", "risks between 0 and 1 for brier"),
    ):
        status, _, err = study(line)
        assert status == 2
        assert message in err
        assert "reader 'p' in modality 'digital'" in err


ORDER = "--category low --category mid --category high"


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("estimate", "--measure auc --measure ppv --at-threshold {mid}"),
        ("estimate", "--measure ppv --at-threshold {mid} --resolution 10"),
        ("compare", "--score {score}2 --measure sensitivity --at-threshold {mid}"),
        ("points", "--at-threshold {mid}"),
        ("cutoff", "--maximize youden --seed 1"),
        ("sample-size", "--measure sensitivity --at-threshold {mid} --null 0.2"),
    ],
)
def test_ratings_in_words_have_the_results_of_ratings_in_numbers(
    cli, data, tmp_path, command, line
):
    levels = ["low", "mid", "high"]
    other = np.roll(data["word"], 3)
    frame = data[["y", "word"]].assign(word2=other)
    frame["code"], frame["code2"] = (frame[c].map(levels.index) for c in ("word", "word2"))
    file = tmp_path / "words.csv"
    frame.to_csv(file, index=False)

    def outcome(column, mid, options=""):
        words = line.format(score=column, mid=mid)
        called = f"{command} {file} --label y --score {column} {words} {options} --format csv"
        status, out, err = cli(called)
        assert status == 0, err
        return pd.read_csv(io.StringIO(out)).select_dtypes("number")

    in_words, in_numbers = outcome("word", "mid", ORDER), outcome("code", "1")
    shared = [c for c in in_words if "threshold" not in c and c in in_numbers and c != "cutoff"]
    assert len(shared) >= 4
    pd.testing.assert_frame_equal(in_words[shared], in_numbers[shared])


@pytest.mark.parametrize("engine", ["", "--resolution 10"])
def test_ratings_in_words_must_be_categories(call, engine):
    line = f"--score word --measure auc {engine}"
    for options, words in (
        ("", "word"),
        ("--category low --category mid", "'high', which is not one of the categories low, mid"),
        (f"{ORDER} --category low", "--category low is given twice"),
    ):
        status, _, err = call("estimate", f"{line} {options}")
        assert status == 2
        assert words in err
    assert "--category VALUE for each" in call("estimate", "--score word --measure auc")[2]


def test_pages_estimate_measures_at_the_point_of_the_page(call, study, tmp_path):
    page = tmp_path / "page.html"
    ending = f"--output {page}"
    status, _, err = call("report", f"--score a --measure ppv --at-threshold 0.4 {ending}")
    assert (status, err) == (0, "")
    assert "scores of 0.4 and above" in page.read_text("utf-8")
    line = "--score rating --measure sensitivity --at-threshold 2"
    status, _, err = study(f"{line} --output {tmp_path / 'readers.html'}", command="report")
    assert status == 0
    assert "scores of 2 and above" in (tmp_path / "readers.html").read_text("utf-8")
    for points in (
        "--at-threshold 0.4 --at-threshold 0.5",
        "--at-threshold 0.4 --at-sensitivity 1",
    ):
        status, _, err = call(
            "report", f"--score a --measure ppv {points} --output {tmp_path}/other.html"
        )
        assert status == 2
        assert "needs a single cut-off, but the points of the page are 2" in err
