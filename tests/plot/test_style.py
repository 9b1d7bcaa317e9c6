"""Style: colours distinct in grey, text of 7 points, no open figures, matplotlib loaded on use."""

import io
import os
import subprocess
import sys
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.text import Text

import pauci
from pauci.drawings import bands, style
from pauci.plot import other_curves
from registry import instances
from tabular_results import two_by_two

FRAME = pauci.datasets.load_ljubljana_scores()
BOTH = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm", "nn"])
SVM, NN = BOTH["svm"], BOTH["nn"]
FOLDS = pauci.Sample(FRAME["recurrence"], FRAME["svm"], fold=np.arange(len(FRAME)) % 2)
M = pauci.PAUCc(fpr=(0, 1 / 3))
CT = pauci.Sample.from_counts([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33])
STUDY = pauci.ReaderStudy.from_frame(
    pauci.datasets.load_viper().query("study == 'screeningHighP'"), label="cancer_365"
)
PATIENTS = pauci.datasets.load_dcurves()
RISKS = pauci.Sample(
    PATIENTS["cancer"],
    {"model": PATIENTS["cancerpredmarker"], "low": PATIENTS["cancerpredmarker"] / 4},
)
FIGURES = {
    "roc": lambda **o: pauci.plot.roc(SVM, M, **o),
    "roc of two": lambda **o: pauci.plot.roc(BOTH, pauci.compare(BOTH, M), **o),
    "roc of ratings": lambda **o: pauci.plot.roc(CT, pauci.AUC(), **o),
    "roc of folds": lambda **o: pauci.plot.roc(FOLDS, M, **o),
    "concordance": lambda **o: pauci.plot.concordance(SVM, M, **o),
    "precision_recall": lambda **o: pauci.plot.precision_recall(BOTH, **o),
    "kappa": lambda **o: pauci.plot.kappa(BOTH, **o),
    "cutoff": lambda **o: pauci.cutoff(SVM, maximize=pauci.Youden, rng=1).plot(**o),
    "cutoff of a zone": lambda **o: pauci.cutoff(SVM, rule_in=0.95, rule_out=0.9, rng=1).plot(**o),
    "cutoffs of groups": lambda **o: pauci.cutoff(
        SVM, specificity=0.9, by=np.arange(len(FRAME)) % 2, rng=1
    ).plot(**o),
    "cutoff of ratings": lambda **o: pauci.cutoff(CT, specificity=0.75, rng=1).plot(**o),
    "hits": lambda **o: pauci.plot.hits(BOTH, **o),
    "ratings": lambda **o: pauci.plot.ratings(CT, **o),
    "calibration": lambda **o: pauci.plot.calibration(RISKS, n_resamples=99, **o),
    "calibration of one": lambda **o: pauci.plot.calibration(RISKS["low"], band="consistency", **o),
    "decision_curve": lambda **o: pauci.plot.decision_curve(RISKS, **o),
    "interventions": lambda **o: pauci.plot.decision_curve(
        RISKS, show="interventions avoided", **o
    ),
    "risk_panels": lambda **o: pauci.plot.risk_panels(RISKS["model"], **o),
    "risks": lambda **o: pauci.plot.risks(RISKS["model"], threshold=[0.1, 0.2], **o),
    "fitted": lambda **o: pauci.plot.fitted(pauci.fit_binormal(CT), **o),
    "fitted to two": lambda **o: pauci.plot.fitted([pauci.fit_binormal(s) for s in BOTH], **o),
    "forest": lambda **o: pauci.plot.forest(pauci.estimate(BOTH, [M, pauci.AUC()]), **o),
    "replicates": lambda **o: pauci.estimate(SVM, M, pauci.Bootstrap(99, rng=0)).plot(**o),
    "operating_points": lambda **o: pauci.operating_points(SVM, fpr=[0.1, 0.2]).plot(**o),
    "profile": lambda **o: pauci.profile(SVM).plot(**o),
    "profile of two": lambda **o: pauci.profile(BOTH, "rank", np.arange(11) / 10).plot(**o),
    "scan": lambda **o: pauci.scan(BOTH, pauci.PAUCc, fpr=np.arange(1, 51) / 50, rng=1).plot(**o),
    "scan of pairs": lambda **o: pauci.scan(
        SVM, pauci.PAUC, tpr=[(0, 0.3), (0.2, 0.6), (0.6, 1)], rng=1
    ).plot(**o),
    "band": lambda **o: pauci.band(BOTH, fpr=(0, 0.3)).plot(**o),
    "band of one": lambda **o: pauci.band(SVM).plot(**o),
    "readers": lambda **o: pauci.mrmc(STUDY, M).plot(**o),
    "reader_curves": lambda **o: pauci.plot.reader_curves(STUDY, **o),
    "summary curves": lambda **o: two_by_two().plot(**o),
    "summary curves of types": lambda **o: two_by_two("type").plot(**o),
    "permutations": lambda **o: pauci.permutation_test(BOTH, M, 99, rng=0).plot(**o),
}


_PATH = {k: v for k, v in os.environ.items() if k != "MPLBACKEND"}


@pytest.fixture(params=FIGURES, ids=str)
def draw(request):
    def quietly(**options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pauci.PauciWarning)
            return FIGURES[request.param](**options)

    return quietly


def lightness(colour):
    """L* of CIELAB."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    y = linear @ [0.2126, 0.7152, 0.0722]
    return 116 * np.cbrt(y) - 16 if y > 0.008856 else 903.3 * y


def test_colours_are_distinct_in_grey_and_on_white():
    values = [lightness(c) for c in style.COLOURS]
    assert min(abs(a - b) for a, b in combinations(values, 2)) > 9
    assert max(values) < 80
    pairs = [lightness(c) for c in other_curves._COLOURS]
    assert min(abs(a - b) for a, b in combinations(pairs, 2)) > 15


def confused(colour, lacking):
    """Colours as seen without one kind of cone (Vienot, Brettel and Mollon 1999), linear RGB."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    weights = {"red": (0.11238, 0.88762, 0), "green": (0.29275, 0.70725, 0)}[lacking]
    mixed = np.dot(weights, linear)
    blue = {"red": (0.00401, -0.00401, 1), "green": (-0.02234, 0.02234, 1)}[lacking]
    return np.array([mixed, mixed, np.dot(blue, linear)]).clip(0, 1)


@pytest.mark.parametrize("lacking", ["red", "green"])
def test_colours_are_distinct_for_the_colour_blind(lacking):
    for a, b in combinations(style.COLOURS, 2):
        assert np.abs(np.cbrt(confused(a, lacking)) - np.cbrt(confused(b, lacking))).max() > 0.08


def test_lines_of_42_classifiers_are_distinct():
    assert len({(style.colour(i), str(style.dashes(i))) for i in range(42)}) == 42
    assert bands.VERTICAL != bands.HORIZONTAL


def outside_of_view(ax):
    """Return the labels of ticks beyond the ends of an axis, which are not drawn."""
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                yield tick.label1


def test_a_figure_has_letters_of_7_points_a_low_legend_and_nothing_cut_off(draw):
    before = dict(plt.rcParams)
    ax = draw()
    assert dict(plt.rcParams) == before  # settings of the user stay
    figure = ax.figure
    figure.canvas.draw()
    assert figure.get_figwidth() > 84 / 25.4
    sizes = [t.get_fontsize() for t in figure.findobj(Text) if t.get_text() and t.get_visible()]
    assert min(sizes) >= 7
    width, height = figure.get_size_inches() * figure.dpi
    not_drawn = {t for one in (ax, *ax.child_axes) for t in outside_of_view(one)}
    for text in set(figure.findobj(Text)) - not_drawn:
        if text.get_text().strip() and text.get_visible():
            box = text.get_window_extent()
            assert min(box.x0, box.y0) >= -1.5, text
            assert box.x1 <= width + 1.5, text
            assert box.y1 <= height + 1.5, text
    legend = ax.get_legend()
    if legend is not None and legend.get_window_extent().y0 >= ax.get_window_extent().y1 - 1:
        assert legend.get_window_extent().height < 0.15 * height


def test_axes_of_the_user_make_no_figure(draw):
    figure, ax = plt.subplots(figsize=(6, 6))
    assert draw(ax=ax) is ax
    assert plt.get_fignums() == [figure.number]
    figure.canvas.draw()


def test_a_failure_leaves_no_figure(monkeypatch):
    monkeypatch.setattr(style, "roc_plane", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pauci.plot.roc(SVM)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("form", style.FORMATS)
@pytest.mark.parametrize(
    "name",
    ["roc of two", *(pytest.param(n, marks=pytest.mark.long) for n in ("concordance", "forest"))],
)
def test_files_are_reproducible(name, form):
    with style.off_screen():
        first, second = (style.file_bytes(FIGURES[name](), form) for _ in range(2))
    assert first == second
    assert plt.get_fignums() == []
    assert first[:4] in (b"\x89PNG", b"<?xm", b"%PDF", b"%!PS", b"II*\0")


def test_tiff_files_are_rgb_and_compressed():
    image = pytest.importorskip("PIL.Image")
    with style.off_screen():
        ax = pauci.plot.roc(BOTH, M)
        files = {dpi: style.file_bytes(ax, "tiff", dpi) for dpi in (None, 600)}
    for dpi, content in files.items():
        found = image.open(io.BytesIO(content))
        assert (found.mode, found.info["compression"]) == ("RGB", "tiff_lzw")
        assert found.info["dpi"] == (dpi or 300, dpi or 300)
        assert found.width == pytest.approx(85 / 25.4 * (dpi or 300), rel=0.1)


def test_bands_of_eps_files_do_not_hide_the_curve():
    with style.off_screen():
        ax = pauci.plot.roc(SVM, band=pauci.band(SVM))
        text = style.file_bytes(ax, "eps").decode("latin-1")
        fills = [c for c in ax.collections if c.get_alpha() is not None]
        lines = [line for line in ax.get_lines() if line.get_color() == style.colour(0)]
        assert fills
        assert max(c.get_zorder() for c in fills) < min(line.get_zorder() for line in lines)
    assert "1970" in text  # the same figure gives the same file


def test_text_stays_text_in_vector_files():
    with style.off_screen():
        svg = style.file_bytes(pauci.plot.roc(BOTH, M), "svg").decode()
    assert "True positive rate (sensitivity)</text>" in svg
    assert "svm: 0.339" in svg


def test_vector_files_of_many_rows_are_small():
    rng = np.random.default_rng(0)
    y = np.arange(100_000) % 2
    sample = pauci.Sample(y, rng.normal(size=y.size) + y)
    with style.off_screen():
        for ax in (
            pauci.plot.roc(sample, M),
            pauci.plot.precision_recall(sample),
            pauci.plot.kappa(sample),
            pauci.plot.hits(sample),
            pauci.plot.concordance(sample, M),
        ):
            assert len(style.file_bytes(ax, "svg")) < 200_000


@pytest.mark.long
def test_matplotlib_is_loaded_with_the_first_figure():
    code = (
        "import sys, pauci; pauci.plot.roc; assert 'matplotlib' not in sys.modules\n"
        "s = pauci.Sample([0, 1] * 5, range(10)); pauci.plot.ratings(s)\n"
        "assert 'matplotlib' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**_PATH, "MPLBACKEND": "Agg"})


@pytest.mark.long
def test_off_screen_figures_load_no_pyplot():
    code = (
        "import sys, pauci\nfrom pauci.drawings import style\n"
        "s = pauci.Sample([0, 1] * 5, range(10))\n"
        "with style.off_screen(): ax = pauci.plot.roc(s)\n"
        "style.file_bytes(ax, 'png'); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=_PATH)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(pauci.InputError, match="Install the extra plot: "):
        pauci.plot.roc(SVM)
    with pytest.raises(pauci.InputError, match="Install the extra plot: "):
        pauci.estimate(SVM, M).plot()


@pytest.mark.parametrize("name", pauci.plot.__all__)
def test_every_function_has_a_documented_axes_argument(name):
    text = getattr(pauci.plot, name).__doc__
    assert "ax : matplotlib.axes.Axes, optional" in text
    assert "Examples" in text
    assert name in {n.split(" ")[0] for n in FIGURES}


def test_numbers_have_two_digits_of_the_interval_and_true_minus_signs():
    assert style.number(-0.01234) == "\u22120.012"
    assert style.number(-0.0) == "0.000"
    assert style.number(0.0014103, 0.00137, 0.00145) == "0.001410 (0.001370 to 0.001450)"
    assert style.number(-0.1, -0.2, np.inf) == "\u22120.100 (\u22120.200 to \u221e)"
    assert style.shorter_numbers("FPR 0 to 0.333333") == "FPR 0 to 0.333"
    assert (
        style.shorter_numbers("scores from 0.125 to below 12.5")
        == "scores from 0.125 to below 12.5"
    )


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("measure", instances((Fraction(1, 10), Fraction(3, 5))), ids=repr)
def test_every_measure_has_its_figure(measure):
    assert set(measure.stripes) <= {"vertical", "horizontal"}
    figure = getattr(pauci.plot, measure.figure)
    ax = figure(NN, measure)
    value = pauci.estimate(NN, measure).value
    if "normalized" not in repr(measure) and repr(measure).startswith(("PAUC(fpr", "PAUCx(tpr")):
        value /= 0.5  # the average rate
    words = next(t.get_text() for t in ax.get_legend().get_texts() if ":" in t.get_text())
    number = float(words.partition(": ")[2].partition(" (")[0].replace("−", "-"))
    decimals = len(words.partition(": ")[2].partition(" (")[0].partition(".")[2])
    assert number == pytest.approx(value, abs=0.6 * 10.0**-decimals)
    if measure.figure == "roc":
        pauci.plot.concordance(NN, measure)


def _on_white(rgba):
    return [1 - rgba[3] * (1 - channel) for channel in rgba[:3]]


@pytest.mark.parametrize("opacity", [0.13, 0.18, 0.27])
@pytest.mark.parametrize("colour", style.COLOURS)
def test_fills_are_pale_without_transparency(colour, opacity):
    """EPS files have no transparency: a fill must not have the colour of the line above it."""
    fill = style.pale(colour, opacity)
    assert _on_white((*fill["facecolor"], fill["alpha"])) == pytest.approx(
        _on_white(to_rgba(colour, opacity))
    )
    darkness = [sum(1 - channel for channel in to_rgb(c)) for c in (fill["facecolor"], colour)]
    assert darkness[0] < 0.6 * darkness[1]


def test_no_filled_band_has_the_colour_of_its_line():
    sample = pauci.Sample([0, 1] * 40, np.random.default_rng(3).normal(size=80) + [0, 1] * 40)
    figures = [
        pauci.band(sample).plot(),
        pauci.plot.roc(sample, band="pointwise"),
        pauci.scan(sample, pauci.PAUC, fpr=[0.2, 0.4, 0.6], rng=1).plot(),
        pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(200, rng=1)).plot(),
    ]
    for ax in figures:
        lines = {to_hex(line.get_color()) for line in ax.get_lines()}
        fills = [p for p in (*ax.collections, *ax.patches) if p.get_alpha() is not None]
        assert fills
        for fill in fills:
            (face,) = np.atleast_2d(fill.get_facecolor())
            assert to_hex(face[:3]) not in lines
