"""Figures of reader studies contain the numbers of the analysis."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import pauci
from reader_studies import roe_metz, viper

FRAME = roe_metz(np.random.default_rng(5), 4, 25, 30)
M = pauci.PAUCc(fpr=(0, 0.3))
pytestmark = pytest.mark.filterwarnings("ignore::pauci.ReaderVarianceWarning")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(ax):
    """Return drawn estimates and interval ends by name."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    points = [line.get_xdata()[0] for line in ax.lines if line.get_label() == "_estimate"]
    ends = [tuple(line.get_xdata()) for line in ax.lines if line.get_label() == "_interval"]
    return {n: (p, *e) for n, p, e in zip(names, points, ends, strict=True)}


def test_each_reader_and_the_average():
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(FRAME), M)
    shown = drawn(m.plot())
    (row,) = m.differences.to_dict("records")
    assert shown["average"] == pytest.approx((row["difference"], row["low"], row["high"]))
    one = FRAME[FRAME["reader"] == "r2"].pivot_table(
        index=["case", "label"], columns="modality", values="score"
    )
    sample = pauci.Sample.from_frame(one.reset_index(), "label", ["A", "B"])
    c = pauci.compare(sample, M)
    value, low, high = shown["r2"]
    assert value == pytest.approx(c.difference, rel=1e-9)
    cov = pauci.mrmc(
        pauci.ReaderStudy.from_frame(FRAME[FRAME["reader"] == "r2"]), M, readers="fixed"
    )
    assert (low, high) == pytest.approx(cov.differences[["low", "high"]].to_numpy()[0], rel=1e-9)


def test_reversing_the_order_of_classifiers():
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(FRAME), M)
    one, other = drawn(m.plot()), drawn(m.plot(pair=("B", "A")))
    for name, (value, low, high) in one.items():
        assert other[name] == pytest.approx((-value, -high, -low))


def test_readers_of_one_modality_each():
    frame = FRAME.assign(reader=FRAME["reader"] + FRAME["modality"])
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(frame), M)
    assert [*drawn(m.plot())][-2:] == ["average (A)", "average (B)"]
    single = pauci.ReaderStudy.from_frame(FRAME[FRAME["modality"] == "A"])
    assert [*drawn(pauci.mrmc(single, M).plot())][-1] == "average"


def test_the_area_below_the_average_curve_is_the_average_area():
    study = viper("screeningHighP")
    ax = pauci.plot.reader_curves(study)
    averages = [line.get_data() for line in ax.lines if line.get_label() == "_average"]
    areas = [np.trapezoid(y, x) for x, y in averages]
    expected = pauci.mrmc(study, pauci.AUC()).estimates["value"]
    assert areas == pytest.approx(expected.tolist(), abs=0.002)


def test_errors():
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(FRAME), M)
    with pytest.raises(pauci.InputTypeError, match="mrmc"):
        pauci.plot.readers(FRAME)
    with pytest.raises(pauci.InputTypeError, match="ReaderStudy"):
        pauci.plot.reader_curves(FRAME)
    with pytest.raises(pauci.InputError, match="is not a modality"):
        m.plot(pair=("A", "C"))
    with pytest.raises(pauci.InputError, match="twice"):
        m.plot(pair=("A", "A"))
    with pytest.raises(pauci.InputError, match="level"):
        m.plot(level=95)


def test_readers_who_separate_the_classes_have_limit_intervals_in_figures():
    """Like the average, and like an analysis of a single reader."""
    perfect = FRAME.assign(score=FRAME["score"] + 100 * FRAME["label"])
    with pytest.warns(pauci.DegenerateWarning):
        m = pauci.mrmc(pauci.ReaderStudy.from_frame(perfect), pauci.AUC())
    with pytest.warns(pauci.DegenerateWarning):
        one = pauci.mrmc(
            pauci.ReaderStudy.from_frame(perfect[perfect["reader"] == "r1"]), pauci.AUC(),
            readers="fixed",
        )  # fmt: skip
    value, low, high = drawn(m.plot())["r1"]
    assert value == 0.0
    assert (low, high) == pytest.approx(one.differences[["low", "high"]].to_numpy()[0])
    assert high == -low > 0.05


def test_modalities_with_numbers_for_names():
    """Numbers are not treated as sizes; modalities are named as in the frame."""
    frame = FRAME.assign(modality=FRAME["modality"].map({"A": 1.0, "B": 2.0}))
    study = pauci.ReaderStudy.from_frame(frame)
    m = pauci.mrmc(study, M)
    one = drawn(m.plot(pair=(2, 1)))["average"]
    assert one == pytest.approx(drawn(m.plot(pair=("2", "1")))["average"])
    single = FRAME[(FRAME["modality"] == "B") & (FRAME["reader"] == "r0")]
    alone = single.assign(modality=3, reader="AI")
    many = pauci.ReaderStudy.from_frame(pd.concat([frame, alone]))
    texts = pauci.plot.reader_curves(many).get_legend().get_texts()
    assert [t.get_text().replace("\n", " ") for t in texts] == [
        "modality 1: average of 4 readers", "modality 2: average of 4 readers",
        "modality 3: 1 reader",
    ]  # fmt: skip


def test_all_differences_of_three_modalities_are_drawn():
    third = FRAME[FRAME["modality"] == "A"].assign(modality="C")
    third["score"] += np.random.default_rng(2).normal(size=len(third))
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(pd.concat([FRAME, third])), M)
    panels = m.plot().child_axes
    averages = [drawn(panel)["average"] for panel in panels]
    rows = m.differences[["difference", "low", "high"]].to_numpy()
    assert np.array(averages) == pytest.approx(rows)
    for panel, label in zip(panels, ("A - B", "A - C", "B - C"), strict=True):
        assert label in panel.get_xlabel().replace("\N{MINUS SIGN}", "-").replace("\n", " ")
    one = pauci.mrmc(m.study, M, pair=("C", "A"))
    assert drawn(one.plot())["average"][0] == pytest.approx(-rows[1, 0])
    with pytest.raises(pauci.InputError, match="was not compared"):
        one.plot(pair=("A", "B"))
