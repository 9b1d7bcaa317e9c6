"""A result of a new kind is presented by its layout alone."""

import json
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

import pauci
from pauci.results.family import Family
from pauci.results.layout import CLASSIFIER, ESTIMATE, INTERVAL, SE, Layout, TableColumn, kinds_of
from pauci.results.presented import PresentedInForest
from pauci.results.row import Row, rows_of
from pauci.tables.table import Count, Note, PValue, Symbol, Verbatim

pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")


def p_against_chance(row):
    return row.quantity.test(0.5).pvalue


TRIAL = Layout(
    title="Trial",
    caption=lambda view: ("Trial of ", Verbatim(view.rows[0].record["classifier"])),
    columns=[
        CLASSIFIER,
        TableColumn("positives", lambda row: Count(row.quantity.n_pos)),
        ESTIMATE,
        SE,
        INTERVAL,
        TableColumn(Symbol("p"), lambda row: PValue(p_against_chance(row))),
        TableColumn("never", lambda row: row, shown=lambda view: len(view.rows) > 99),
    ],
    fields="classifier measure value se low high level kind",
    notes=lambda view: [Note(f"Intervals: {kinds_of(view.rows)}.")],
    sentences=lambda view: [f"{row.record['classifier']} was tried." for row in view.rows],
)


@dataclass(frozen=True, eq=False)
class Trial(Family, PresentedInForest):
    def _rows(self, level, kind):
        return rows_of(self.quantities, level, kind)

    def _layout(self):
        return TRIAL


def trial(sample, measure):
    """A verb: all that it adds to estimates is the layout."""
    estimates = pauci.estimate(sample, [measure])
    return Trial(estimates.quantities, estimates.uncertainty)


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(4)
    y = np.arange(90) % 2
    return trial(pauci.Sample(y, {n: y + rng.normal(size=90) for n in "ab"}), pauci.AUC())


def test_the_frame_has_the_fields_of_the_layout(result):
    frame = result.to_frame(level=0.9, kind="wald")
    assert list(frame.columns) == TRIAL.fields.split()
    for e, row in zip(result, frame.to_dict("records"), strict=True):
        assert (row["classifier"], row["value"], row["se"]) == (e.classifier, e.value, e.se)
        assert (row["low"], row["high"]) == e.interval(0.9, "wald")
        assert (row["level"], row["kind"]) == (0.9, "wald")


def test_the_table_in_all_formats(result, tmp_path):
    pytest.importorskip("docx")
    value = f"{result[0].value:.3f}"
    texts = [result.summary(), result.to_markdown(), result.to_latex(), result.to_html()]
    texts.append(json.dumps(result.to_frame().to_dict("records")))
    for text in texts:
        assert value in text
        assert "never" not in text
    assert "Trial" in result.summary()
    assert "Trial of a" in result.to_markdown()
    assert "Intervals: logit." in result.summary()
    result.to_docx(tmp_path / "trial.docx")
    assert (tmp_path / "trial.docx").stat().st_size > 1000


def test_sentences_and_figure(result):
    pytest.importorskip("matplotlib")
    assert result.report() == "a was tried.\nb was tried."
    ax = result.plot(level=0.9, null=0.5)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a, AUC", "b, AUC"]


def test_the_family_has_its_verbs(result):
    assert pickle.loads(pickle.dumps(result)).report() == result.report()
    assert result.contrast([1, -1]).value == pytest.approx(result[0].value - result[1].value)
    assert result.joint().df == 2


def test_decimals_are_those_of_the_smallest_standard_error_of_like_quantities(result):
    a, b = result
    rows = rows_of([replace(a, se=0.01), replace(b, se=0.002)], 0.95, None)
    assert [row.error for row in rows] == [0.002, 0.002]
    apart = rows_of([replace(a, se=0.01), replace(b, se=0.002)], 0.95, None, alike=id)
    assert [row.error for row in apart] == [0.01, 0.002]


def test_a_row_reports_the_simultaneous_interval_and_the_adjusted_p_value(result):
    gap = result.contrast([1, -1])
    row = Row(gap, 0.95, None)
    assert row.record["p_adjusted"] == row.record["pvalue"] == gap.pvalue
    assert row.ends == gap.interval()
    other = replace(row, p_adjusted=0.5, simultaneous=pauci.Interval(-1.0, 1.0))
    assert other.record["p_adjusted"] == 0.5
    assert other.ends == (-1.0, 1.0)
    assert other.record["kind"] == "simultaneous"


def test_quantities_without_a_null_value_have_no_test(result):
    record = Row(result[0], 0.95, None).record
    assert all(np.isnan(record[name]) for name in ("statistic", "pvalue", "p_adjusted", "null"))
