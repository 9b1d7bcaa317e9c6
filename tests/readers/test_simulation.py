"""The simulation of reader studies runs, and its stored tables have the current format."""

import csv
from pathlib import Path

import numpy as np
import pytest

import pauci
import simulate_readers
from evidence_tables import FOLDER

pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")


def stored(name):
    with (Path(FOLDER) / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.mark.long
def test_a_small_simulation_has_the_rows_of_the_stored_table():
    for name, table in simulate_readers.readers(0.004).items():
        old = stored(name)
        words = 3 if name == "readers" else 2
        assert [row[:words] for row in table] == [row[:words] for row in old]
        assert table[0] == old[0]
        assert all(len(row) == len(table[0]) for row in table)


def test_statements_of_the_page_about_the_tables():
    header, *rows = stored("readers")
    for row in rows:
        found = dict(zip(header, row, strict=True))
        assert abs(float(found["SE/SD, no difference"]) - 1) <= 0.05
        assert 3.9 <= float(found["p < 0.05"]) <= (7.4 if found["measure"] == "pAUC" else 6.5)
        assert 92.8 <= float(found["coverage"]) <= 96.5
    for *_, conservative in stored("few-readers")[1:]:
        assert 4.5 <= float(conservative) <= 6.2


def test_expected_values_are_those_of_large_studies():
    """Averages over readers with different class distances, by quadrature and simulation."""
    rng = np.random.default_rng(1)
    design = simulate_readers.Design(60, 1, 1)
    frame = simulate_readers.empty(design)
    values = np.zeros((6, len(simulate_readers.MEASURES)))
    for row in values:
        study = pauci.ReaderStudy.from_frame(
            frame.assign(score=simulate_readers.scores(rng, frame, design, 0.0))
        )
        for k, measure in enumerate(simulate_readers.MEASURES):
            row[k] = np.mean([measure.on(c.ratings.curve) for c in study.cells])
    expected = [simulate_readers.expected(m, 1.5) for m in simulate_readers.MEASURES]
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - expected) < 4 * error + 0.005).all()
