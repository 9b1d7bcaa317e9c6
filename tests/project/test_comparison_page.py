"""The page on the comparison with other software shows the contents of its CSV file."""

import csv
import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "studies" / "validation" / "comparison_page.py"


@pytest.fixture(scope="module")
def page():
    spec = importlib.util.spec_from_file_location("comparison_page", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_software_of_the_file_is_on_the_page(page):
    text = page.parts()["versions"]
    for row in page.read():
        assert f"{row['software']} {row['version']}" in text


def test_every_method_has_results_for_the_same_cells(page):
    rows = page.read()
    default = page.of(rows, page.DEFAULT)
    cells = {(r["kind"], page.cell_of(r)) for r in default}
    for software in {r["software"] for r in rows}:
        assert {(r["kind"], page.cell_of(r)) for r in rows if r["software"] == software} == cells


def test_misses_on_both_sides_and_coverage_add_up(page):
    for row in page.read():
        if row["coverage"]:
            shares = [float(row[c]) for c in ("coverage", "truth_below", "truth_above")]
            assert sum(shares) == pytest.approx(100.0, abs=0.01)


def test_a_changed_figure_changes_the_page(page):
    rows = page.read()
    before = page.parts_of(rows)
    assert before == page.parts()
    rows[0]["coverage"] = "12.3"
    changed = page.parts_of(rows)
    assert {name for name in before if changed[name] != before[name]} >= {"summary", "auc"}


def test_a_row_of_an_unknown_method_is_an_error(page, tmp_path):
    rows = page.read()
    rows[0]["method"] = "another"
    path = tmp_path / "comparison.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(ValueError, match="unknown method"):
        page.read(path)
