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
