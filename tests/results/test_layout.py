"""A result of a new kind is presented by its rows alone."""

import json
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

import pauci
from pauci.results.facts import Fact, facts_of_rows
from pauci.results.family import Family
from pauci.results.pivot import Presentation
from pauci.results.presented import PresentedInForest
from pauci.results.quantity import Row, rows_of
from pauci.tables.formatted_table import text_table

pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")


@dataclass(frozen=True, eq=False)
class Trial(Family, PresentedInForest):
    """A family whose table states how many positives there are."""

    _fields = "classifier measure value se low high level kind"
    _topic = "Trial"

    def _rows(self, level, kind):
        return rows_of(self.quantities, level, kind)

    def _remarks(self, level, kind):  # noqa: ARG002
        return [f"Tried with {self[0].n_pos} positives at level {level:g}."]


def trial(sample, measure):
    """A verb: all that it adds to estimates is the class of the result."""
    estimates = pauci.estimate(sample, [measure])
    return Trial(estimates.quantities, estimates.uncertainty)


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(4)
    y = np.arange(90) % 2
    return trial(pauci.Sample(y, {n: y + rng.normal(size=90) for n in "ab"}), pauci.AUC())


def test_the_frame_has_the_fields_of_the_class(result):
    frame = result.to_frame(level=0.9, kind="wald")
    assert list(frame.columns) == Trial._fields.split()
    for e, row in zip(result, frame.to_dict("records"), strict=True):
        assert (row["classifier"], row["value"], row["se"]) == (e.classifier, e.value, e.se)
        assert (row["low"], row["high"]) == e.interval(0.9, "wald")
        assert (row["level"], row["kind"]) == (0.9, "wald")


def test_the_table_in_all_formats(result, tmp_path):
    pytest.importorskip("docx")
    value = f"{result[0].value:.3f}"
    texts = [result.summary(), result.to_markdown(), result.to_latex(), result.to_html()]
    for text in [*texts, json.dumps(result.to_dict())]:
        assert value in text
        assert "Trial" in text
        assert "Tried with 45 positives at level 0.95." in text
    result.to_docx(tmp_path / "trial.docx")
    assert (tmp_path / "trial.docx").stat().st_size > 1000


def test_sentences_and_figure(result):
    pytest.importorskip("matplotlib")
    assert result.report().startswith("The area under the ROC curve (AUC) was 0.")
    ax = result.plot(level=0.9, null=0.5)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_the_family_has_its_verbs(result):
    assert pickle.loads(pickle.dumps(result)).report() == result.report()
    assert result.contrast([1, -1]).value == pytest.approx(result[0].value - result[1].value)
    assert result.joint().df == 2


def test_other_rows_are_facts_by_their_names():
    @dataclass(frozen=True, eq=False)
    class Weights(Trial):
        def _facts(self, rows, level, kind):  # noqa: ARG002
            shares = {"a": 0.25, "b": 0.75}
            names = ({"measure": "weight", "classifier": name} for name in shares)
            return [
                Fact(v, v - 0.1, v + 0.1, names=n)
                for v, n in zip(shares.values(), names, strict=True)
            ]

    rng = np.random.default_rng(4)
    y = np.arange(90) % 2
    sample = pauci.Sample(y, {n: y + rng.normal(size=90) for n in "ab"})
    estimates = pauci.estimate(sample, [pauci.AUC()])
    weights = Weights(estimates.quantities, estimates.uncertainty)
    assert "a  0.250 (0.150 to 0.350)" in weights.summary()
    expected = "The weight was 0.250 (95% CI 0.150 to 0.350) for a and 0.750 "
    assert weights.report().startswith(expected)


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


def test_results_with_the_same_names_are_numbered():
    rng = np.random.default_rng(4)
    y = np.arange(90) % 2
    each = [pauci.estimate(pauci.Sample(y, y + rng.normal(size=90)), pauci.AUC()) for _ in "ab"]
    presentation = Presentation(facts_of_rows(rows_of([*each, each[0]], 0.95, None)), 0.95)
    text = text_table(presentation.table(80))
    assert "score [2]" in text
    assert "score [3]" not in text
    assert all(f"{e.value:.3f} (" in text for e in each)
