"""Figures of reader studies contain the numbers of the analysis."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import pauci
from reader_studies import roe_metz, viper

FRAME = roe_metz(np.random.default_rng(5), 4, 25, 30)
M = pauci.PAUCc(fpr=(0, 0.3))


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(ax):
    """Return drawn estimates and interval ends by name."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    points = [line.get_xdata()[0] for line in ax.lines if line.get_label() == "_estimate"]
    ends = [tuple(line.get_xdata()) for line in ax.lines if line.get_label() == "_interval"]
    corners = [patch.get_xy()[:3, 0] for patch in ax.patches if patch.get_label() == "_overall"]
    points += [value for _, value, _ in corners]
    ends += [(low, high) for low, _, high in corners]
    return {n: (p, *e) for n, p, e in zip(names, points, ends, strict=True)}


@pytest.mark.parametrize("modalities", [["A", "B"], ["A"]])
def test_the_average_is_a_diamond_below_the_readers(modalities):
    study = pauci.ReaderStudy.from_frame(FRAME[FRAME["modality"].isin(modalities)])
    m = pauci.mrmc(study, M)
    ax = m.plot()
    numbers = (m.differences if m.contrasts else m.estimates).iloc[0]
    value, low, high = numbers[["difference" if m.contrasts else "value", "low", "high"]]
    (diamond,) = [patch for patch in ax.patches if patch.get_label() == "_overall"]
    x, y = diamond.get_xy()[:4].T
    assert x == pytest.approx([low, value, high, value])
    ticks = ax.get_yticks()
    assert y == pytest.approx(ticks[-1] + np.array([0, -0.3, 0, 0.3]))
    assert len([a for a in ax.lines if a.get_label() == "_estimate"]) == len(ticks) - 1
    rows = np.diff(ticks)
    assert rows[-1] > 1.5 * rows[0]
    (rule,) = [a for a in ax.lines if a.get_label() == "_above overall values"]
    assert ticks[-2] < rule.get_ydata()[0] < ticks[-1]


def test_averages_of_modalities_are_set_apart_once():
    frame = FRAME.assign(reader=FRAME["reader"] + FRAME["modality"])
    ax = pauci.mrmc(pauci.ReaderStudy.from_frame(frame), M).plot()
    assert len([patch for patch in ax.patches if patch.get_label() == "_overall"]) == 2
    assert len([a for a in ax.lines if a.get_label() == "_above overall values"]) == 1


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
    with pytest.warns(pauci.errors.DegenerateWarning):
        m = pauci.mrmc(pauci.ReaderStudy.from_frame(perfect), pauci.AUC())
    with pytest.warns(pauci.errors.DegenerateWarning):
        one = pauci.mrmc(
            pauci.ReaderStudy.from_frame(perfect[perfect["reader"] == "r1"]),
            pauci.AUC(),
            readers="fixed",
        )
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
    entries = [t.get_text().replace("\n", " ").partition(":")[::2] for t in texts]
    assert [(name, text.partition(", ")[2]) for name, text in entries[:3]] == [
        ("modality 1", "average of 4 readers"),
        ("modality 2", "average of 4 readers"),
        ("modality 3", "1 reader"),
    ]


def entries(ax):
    """Return the entries of a legend on one line each."""
    return [" ".join(t.get_text().split()) for t in ax.get_legend().get_texts()]


def area(y, x):
    """Return the Mann-Whitney statistic, counted pair by pair."""
    pairs = x[y == 1][:, None] - x[y == 0][None, :]
    return float(np.mean((np.sign(pairs) + 1) / 2))


def readings(reader, modality):
    """Return the labels and scores of a reader in a modality."""
    rows = FRAME[(FRAME["reader"] == reader) & (FRAME["modality"] == modality)]
    return rows["label"].to_numpy(), rows["score"].to_numpy()


def test_the_legend_has_the_auc_of_each_reader():
    ax = pauci.plot.reader_curves(pauci.ReaderStudy.from_frame(FRAME))
    areas = {m: [area(*readings(f"r{i}", m)) for i in range(4)] for m in "AB"}
    averages = [f"{m}: AUC {np.mean(areas[m]):.3f}, average of 4 readers" for m in "AB"]
    readers = [f"r{i}: AUC {areas['A'][i]:.3f} (A); AUC {areas['B'][i]:.3f} (B)" for i in range(4)]
    assert entries(ax) == averages + readers


def test_long_names_of_modalities_are_written_once():
    frame = FRAME.replace({"modality": {"A": "synthetic mammography", "B": "tomosynthesis"}})
    frame = frame[(frame["reader"] != "r2") | (frame["modality"] == "tomosynthesis")]
    texts = entries(pauci.plot.reader_curves(pauci.ReaderStudy.from_frame(frame)))
    assert texts[0].startswith("synthetic mammography: AUC")
    of_a, of_b = area(*readings("r3", "A")), area(*readings("r3", "B"))
    assert f"r3: AUC {of_a:.3f}; AUC {of_b:.3f}" in texts
    assert f"r2: \u2013; AUC {area(*readings('r2', 'B')):.3f}" in texts


def test_curves_of_readers_are_distinct_without_colour():
    """Lines have full opacity; readers differ in dashes, modalities in lightness and width."""
    ax = pauci.plot.reader_curves(pauci.ReaderStudy.from_frame(FRAME))
    lines = [a for a in ax.lines if a.get_label() == "_reader" and len(a.get_xdata())]
    assert len(lines) == 8
    assert {a.get_alpha() or 1.0 for a in lines} == {1.0}
    for colour in {a.get_color() for a in lines}:
        assert len({str(a._dash_pattern) for a in lines if a.get_color() == colour}) == 4
    averages = [a for a in ax.lines if a.get_label() == "_average"]
    assert min(a.get_linewidth() for a in averages) > 1.5 * max(a.get_linewidth() for a in lines)
    single = pauci.plot.reader_curves(pauci.ReaderStudy.from_frame(FRAME[FRAME.modality == "A"]))
    lines = [a for a in single.lines if a.get_label() == "_reader" and len(a.get_xdata())]
    assert len({(a.get_color(), str(a._dash_pattern)) for a in lines}) == 4


def test_many_readers_have_the_dashes_of_their_modality():
    ax = pauci.plot.reader_curves(viper("screeningHighP"))
    assert len(entries(ax)) == 2
    lines = [a for a in ax.lines if a.get_label() == "_reader"]
    assert len(lines) == 40
    assert min(a.get_alpha() for a in lines) >= 0.6
    assert len({(a.get_color(), str(a._dash_pattern)) for a in lines}) == 2


def test_decisions_of_readers_are_points_beside_the_curve_of_an_ai():
    readers = FRAME[FRAME["modality"] == "A"].assign(modality="readers")
    readers["score"] = (readers["score"] > readers["score"].median()).astype(float)
    ai = FRAME[(FRAME["modality"] == "B") & (FRAME["reader"] == "r0")]
    frame = pd.concat([readers, ai.assign(reader="AI", modality="AI")])
    ax = pauci.plot.reader_curves(pauci.ReaderStudy.from_frame(frame))
    rates = {}
    for name, rows in readers.groupby("reader"):
        share = rows.groupby("label")["score"].mean()
        rates[name] = (share[0], share[1])
    drawn_lines = [a for a in ax.lines if len(a.get_xdata())]
    points = [a.get_xydata()[0] for a in drawn_lines if a.get_label() == "_reader"]
    np.testing.assert_allclose(sorted(map(tuple, points)), sorted(rates.values()))
    assert {a.get_linestyle() for a in drawn_lines if a.get_label() == "_reader"} == {"None"}
    curve, average = [a for a in drawn_lines if a.get_label() == "_average"]
    fpr, tpr = np.mean([*rates.values()], axis=0)
    assert average.get_xydata().tolist() == [[pytest.approx(fpr), pytest.approx(tpr)]]
    assert len(curve.get_xdata()) > 100
    assert entries(ax) == [
        f"AI: AUC {area(*readings('r0', 'B')):.3f}, 1 reader",
        f"readers: TPR {tpr:.3f}, FPR {fpr:.3f}, average of 4 readers",
        *(f"{name}: TPR {y:.3f}, FPR {x:.3f}" for name, (x, y) in rates.items()),
    ]


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
