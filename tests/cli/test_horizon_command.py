"""Predicted risks of outcomes at a horizon on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import fails, succeeds


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(4)
    x = rng.normal(size=300)
    ends = [
        rng.uniform(1, 12, 300),
        rng.exponential(14 * np.exp(-x)),
        rng.exponential(20.0, 300),
    ]
    risk = 1 / (1 + np.exp(1.2 - x))
    return pd.DataFrame(
        {"years": np.min(ends, axis=0), "died": np.argmin(ends, axis=0), "model": risk}
    )


@pytest.fixture
def options(frame, tmp_path):
    path = tmp_path / "follow_up.csv"
    frame.to_csv(path, index=False)
    return f"{path} --time years --event died --score model"


def test_risks_are_those_of_the_sample_at_a_horizon(cli, frame, options):
    given = f"risks {options} --horizon 5 --competing control --probability 0.1"
    found = succeeds(cli(f"{given} --format csv"))
    sample = pauci.Sample.from_survival(frame, "years", "died", "model", 5, competing="control")
    expected = pauci.risk_table(sample, probability=0.1).to_frame()
    rows = [line.split(",") for line in found.splitlines()[1:]]
    assert [float(row[3]) for row in rows] == pytest.approx(expected["value"], rel=1e-6)


@pytest.mark.long
def test_the_figure_of_risks_at_a_horizon(cli, options, tmp_path):
    figure = tmp_path / "risks.svg"
    succeeds(cli(f"risks {options} --horizon 5 --competing control --plot {figure}"))
    assert "negatives, mean risk" in figure.read_text()


def test_each_of_several_horizons_has_a_table(cli, frame, options):
    given = f"risks {options} --horizon 3 --horizon 6 --competing control"
    found = json.loads(succeeds(cli(f"{given} --format json")))
    assert list(found) == ["risks at horizon 3", "risks at horizon 6"]
    for table, t in zip(found.values(), (3, 6), strict=True):
        sample = pauci.Sample.from_survival(frame, "years", "died", "model", t, competing="control")
        values = [row["value"] for row in table["rows"]]
        assert values == pytest.approx(pauci.risk_table(sample).to_frame()["value"])
    fails(cli(f"{given} --plot x.svg"), "--plot", "one horizon")


def test_absolute_risks_without_competing_events(cli, options):
    fails(cli(f"risks {options} --horizon 5"), "--competing 'exclude'", "--competing 'control'")
    fails(cli(f"risks {options}"), "--horizon is missing")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("{rows} --competing control", "--competing is not for rows with a label"),
        ("{rows} --strata died", "--strata is not"),
        ("{rows} --event-value 2", "for outcomes at a horizon"),
        ("{rows} --fractional", "for tables of counts"),
        ("{times} --horizon 5 --category 1", "--category is not for outcomes at a horizon"),
        ("{times} --horizon 5 --verified died", "--verified is not for outcomes at a horizon"),
        ("{counts} --cluster died", "--cluster is not for tables of counts"),
    ],
)
def test_options_of_other_data_are_refused(cli, options, command, words):
    file = options.split()[0]
    given = {
        "rows": f"{file} --label died --positive 1 --score model",
        "times": options,
        "counts": f"{file} --positives died --negatives years --score model",
    }
    fails(cli(f"estimate {command.format(**given)} --measure auc"), words)


def test_options_of_rows_and_of_marks_are_refused_for_a_reader_study(cli, tmp_path):
    study = (
        "example:viper_screening --reader reader --modality modality --case case "
        "--label cancer_365 --score score --measure auc"
    )
    fails(cli(f"readers {study} --radius 3"), "--radius is not for a reader study")
    report = f"report {study} --output {tmp_path / 'a.html'} --fold case"
    fails(cli(report), "--fold is not for a reader study")


def test_several_horizons_are_refused_by_options(cli, options):
    _, _, error = cli(f"cutoff {options} --horizon 2 --horizon 5 --sensitivity 0.8")
    assert "such as --horizon 2" in error
    assert "sample.at" not in error
