"""The table of predicted risks: its numbers, sentences and errors."""

import numpy as np
import pytest

import pauci
from pauci.analyses.risk_table import aspect_of

FRAME = pauci.datasets.load_dcurves()
Y, P = FRAME["cancer"].to_numpy(), FRAME["cancerpredmarker"].to_numpy()
DISTORTED = 1 / (1 + np.exp(-(1.4 * np.log(P / (1 - P)) - 0.5 + 0.3 * np.sin(np.arange(P.size)))))
ONE = pauci.Sample(Y, P, name="model")
TWO = pauci.Sample(Y, {"model": P, "distorted": DISTORTED})


def test_numbers_are_those_of_estimate_and_compare():
    table = pauci.risk_table(TWO, probability=[0.1, 0.25])
    frame = table.to_frame(0.9)
    assert list(frame["aspect"].unique()) == [
        "discrimination",
        "calibration",
        "overall accuracy",
        "net benefit",
        "distribution",
    ]
    for measure in (pauci.AUC(), pauci.OE(), pauci.Brier(scaled=True), pauci.NetBenefit(0.25)):
        rows = frame[frame["statistic"] == measure.label].set_index("classifier")
        c = pauci.compare(TWO, measure)
        for e in c.estimates:
            assert rows.loc[e.classifier, "value"] == e.value
            assert (rows.loc[e.classifier, "low"], rows.loc[e.classifier, "high"]) == e.interval(
                0.9
            )
        difference = rows.loc["model - distorted"]
        assert difference["value"] == pytest.approx(c.difference)
        assert difference["pvalue"] == pytest.approx(c.pvalue)


def test_the_joint_test_and_treating_all():
    table = pauci.risk_table(TWO, probability=0.25)
    for name in TWO.names:
        es = pauci.estimate(TWO[name], [pauci.CalibrationIntercept(), pauci.CalibrationSlope()])
        assert table.joint[name].pvalue == pytest.approx(es.joint(null=[0, 1]).pvalue)
    assert table.treat_all == {0.25: pytest.approx(-0.1466667, abs=1e-7)}
    at_prevalence = pauci.risk_table(ONE, probability=0.25, prevalence=0.15, harm=0.01)
    assert at_prevalence.treat_all == {0.25: pytest.approx(-0.1333333, abs=1e-7)}


def test_the_default_probability_is_the_prevalence():
    assert list(pauci.risk_table(ONE).treat_all) == [0.14]


def test_quartiles():
    quartiles = pauci.risk_table(ONE).distribution
    assert [(q.classifier, q.label, q.total) for q in quartiles] == [
        ("model", "positives", 105),
        ("model", "negatives", 645),
    ]
    for q, c in zip(quartiles, (1, 0), strict=True):
        expected = np.quantile(P[c == Y], (0.25, 0.5, 0.75), method="inverted_cdf")
        assert (q.low, q.median, q.high) == pytest.approx(tuple(expected))
    weighted = pauci.risk_table(pauci.Sample(Y, P, frequency=np.full(Y.size, 3)))
    assert weighted.distribution[0][3:] == pytest.approx(quartiles[0][3:])


@pytest.mark.parametrize("copies", [None, 1, 3])
def test_quartiles_are_the_smallest_risks_with_their_share(copies):
    """Where a quarter of the observations is a whole number, no larger risk is taken."""
    risk = np.linspace(0.05, 0.9, 20)
    y = np.arange(20) % 5 < 2
    options = {} if copies is None else {"frequency": np.full(20, copies)}
    for q, label in zip(
        pauci.risk_table(pauci.Sample(y, risk, **options)).distribution, (1, 0), strict=True
    ):
        expected = np.quantile(risk[y == label], [0.25, 0.5, 0.75], method="inverted_cdf")
        assert [q.low, q.median, q.high] == pytest.approx(expected.tolist(), abs=0.0)


def test_sentences_about_each_aspect():
    sentences = pauci.risk_table(ONE, probability=0.25).report().split("\n")
    assert len(sentences) == 8
    assert sentences[-1].startswith("The net benefit at risk 0.25 was ")
    assert sentences[-1].endswith(" and -0.147 for treat all.")
    both = pauci.risk_table(TWO).report().split("\n")
    assert len(both) == 8
    assert all("; difference " in sentence for sentence in both)


def test_risks_of_0_and_1_leave_out_what_is_undefined():
    p = P.copy()
    p[0] = 0
    table = pauci.risk_table(pauci.Sample(Y, p))
    assert [type(m) for m in table.undefined] == [
        pauci.CalibrationIntercept,
        pauci.CalibrationSlope,
        pauci.LogLoss,
    ]
    assert not table.joint
    words = "Undefined for these risks: calibration intercept, calibration slope and log loss"
    assert words in " ".join(table.summary().split())


def test_folds_clusters_and_weights():
    for options in (
        {"fold": np.arange(Y.size) % 3},
        {"cluster": np.arange(Y.size) // 3},
        {"weight": np.linspace(1, 2, Y.size)},
    ):
        sample = pauci.Sample(Y, P, **options)
        table = pauci.risk_table(sample, probability=0.1)
        frame = table.to_frame().set_index("statistic")
        assert frame.loc["O/E", "value"] == pauci.estimate(sample, pauci.OE()).value


def test_more_than_two_classifiers_have_no_differences():
    table = pauci.risk_table(pauci.Sample(Y, {"a": P, "b": DISTORTED, "c": P**2}))
    assert table.differences == ()
    assert "p" not in table.summary().split("\n")[2].split()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pauci.risk_table(P), "risk_table needs a Sample"),
        (lambda: pauci.risk_table(pauci.Sample(Y, 100 * P)), "divide them by 100"),
        (lambda: pauci.risk_table(ONE, probability=1), "strictly between 0 and 1"),
        (lambda: pauci.risk_table(ONE, probability=[]), "is empty"),
        (lambda: pauci.risk_table(ONE, prevalence=2), "prevalence=2"),
        (lambda: pauci.risk_table(ONE, harm=-1), "must not be negative"),
    ],
)
def test_wrong_arguments(make, words):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        make()


def test_every_measure_of_the_table_has_an_aspect():
    table = pauci.risk_table(ONE)
    assert [aspect_of(e.measure) for e in table.estimates] == (
        ["discrimination", *["calibration"] * 3, *["overall accuracy"] * 3, "net benefit"]
    )


# The figure with four panels


def test_panels():
    ax = pauci.plot.risk_panels(TWO, probability=0.2)
    titles = [panel.get_xlabel() for panel in ax.child_axes]
    assert titles[1:] == ["Predicted risk", "Threshold probability", "Predicted risk: model"]
    assert ax.figure.get_figwidth() == pytest.approx(170 / 25.4)
    ax.figure.canvas.draw()
    boxes = [
        text.get_window_extent()
        for panel in ax.child_axes
        for text in (panel.xaxis.label, panel.yaxis.label, *panel.get_legend().get_texts())
    ]
    width, height = ax.figure.get_size_inches() * ax.figure.dpi
    for box in boxes:
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= width + 1
        assert box.y1 <= height + 1
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
