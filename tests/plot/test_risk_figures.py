"""Calibration curves and figures of predicted risks."""

import numpy as np
import pytest
from scipy.optimize import minimize

import pauci
from pauci.analyses import risk_table as curves
from pauci.measures.risks import risks_of

FRAME = pauci.datasets.load_dcurves()
SAMPLE = pauci.Sample.from_frame(FRAME, label="cancer", scores="cancerpredmarker")


def make_sample(n=200, seed=1, digits=2, **options):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 3, n).round(digits).clip(0.01, 0.99)
    return pauci.Sample(rng.random(n) < p, p, **options)


def pooled(pos, neg):
    """Isotonic regression by pooling adjacent violators, in a list."""
    blocks = []
    for a, b in zip(pos, neg, strict=True):
        blocks.append([a, a + b, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1] = [x + y for x, y in zip(blocks[-1], last, strict=True)]
    return np.concatenate([[a / w] * k for a, w, k in blocks])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_isotonic_curve_pools_adjacent_violators(seed):
    weight = np.random.default_rng(seed).uniform(0.5, 2, 200)
    for options in ({}, {"weight": weight}):
        sample = make_sample(seed=seed, **options)
        risks = risks_of(sample.ratings("score").table)
        p, pos, neg = risks.p[::-1], risks.pos[::-1], risks.neg[::-1]
        assert curves.isotonic(p, pos, neg) == pytest.approx(pooled(pos, neg), rel=1e-9)


def test_the_smooth_curve_is_a_logistic_regression_on_a_restricted_spline():
    risks = risks_of(SAMPLE.ratings("cancerpredmarker").table)
    x, y = curves.smooth_curve(risks)
    log_odds = risks.log_odds
    knots = np.quantile(log_odds, (0.05, 0.35, 0.65, 0.95))
    basis = curves._basis(log_odds, curves._knots(log_odds[::-1], risks.all[::-1]))
    assert curves._knots(log_odds[::-1], risks.all[::-1]) == pytest.approx(knots, abs=0.02)

    def loss(b):
        eta = basis @ b
        return (risks.all * np.logaddexp(0, eta)).sum() - (risks.pos * eta).sum()

    best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    fitted = 1 / (1 + np.exp(-basis @ best.x))
    assert np.interp(risks.p, x, y) == pytest.approx(fitted, abs=2e-3)
    grid = np.linspace(20, 30, 5)  # beyond the last knot
    assert np.diff(curves._basis(grid, knots), n=2, axis=0) == pytest.approx(0, abs=1e-9)


def test_curves_without_a_smooth_curve():
    y = np.tile([0, 1], 20)
    assert curves.smooth_curve(risks_of(pauci.Sample(y, y * 0.5).ratings("score").table)) is None
    tied = pauci.Sample(y, np.full(40, 0.3))
    assert curves.smooth_curve(risks_of(tied.ratings("score").table)) is None
    apart = pauci.Sample(y, y * 0.5 + 0.2)
    assert curves.smooth_curve(risks_of(apart.ratings("score").table)) is None


@pytest.mark.parametrize(
    "options",
    [{}, {"cluster": np.arange(200) // 2}, {"weight": np.linspace(1, 2, 200)}],
    ids=["rows", "clusters", "weights"],
)
def test_bands(options):
    ratings = make_sample(**options).ratings("score")
    drawn = pauci.Bootstrap(200, rng=1)
    confidence = curves.calibration_curve(ratings, "confidence", 0.95, drawn)
    inside = (confidence.low <= confidence.observed) & (confidence.observed <= confidence.high)
    assert inside.mean() > 0.9
    consistency = curves.calibration_curve(ratings, "consistency", 0.95, drawn)
    inside = (consistency.low <= consistency.risk) & (consistency.risk <= consistency.high)
    assert inside.mean() > 0.9
    for curve in (confidence, consistency):
        assert (np.diff(curve.risk) > 0).all()
        assert curve.pos.sum() == pytest.approx(1)
        assert curve.neg.sum() == pytest.approx(1)
        assert (np.diff(curve.low) >= -1e-12).all()
    narrow = curves.calibration_curve(ratings, "confidence", 0.5, drawn)
    assert (narrow.high <= confidence.high + 1e-12).all()


def at_horizon(n=150, seed=1, **options):
    rng = np.random.default_rng(seed)
    risk = rng.beta(2, 3, n).round(2).clip(0.01, 0.99)
    ends = [rng.uniform(1, 9, n), rng.exponential(-5 / np.log1p(-risk))]
    return pauci.Sample.from_survival(
        time=np.min(ends, axis=0), event=np.argmin(ends, axis=0), scores=risk, horizon=5, **options
    )


@pytest.mark.parametrize("options", [{}, {"frequency": 1 + np.arange(150) % 2}])
def test_bands_at_a_horizon_estimate_the_weights_of_each_resample(options):
    """Resamples with all copies of a row drawn equally often are frequencies of the rows."""
    sample = at_horizon(**options)
    ratings, rows = sample.ratings("score"), sample.rows
    p = risks_of(ratings.table).p[::-1]
    pool = curves.resampled_pool(ratings, pauci.Bootstrap(2, rng=1))
    copies = 1 + np.random.default_rng(2).integers(0, 3, 150)
    times = np.repeat(copies, options.get("frequency", 1))
    ((pos, neg),) = pool.weighted(times)
    again = at_horizon(frequency=copies * options.get("frequency", 1))
    risks = risks_of(again.ratings("score").table)
    found = curves.isotonic(p, pos[::-1], neg[::-1])
    assert found == pytest.approx(curves.isotonic(p, risks.pos[::-1], risks.neg[::-1]))
    assert rows.has_estimated_weights


def test_a_calibration_figure_at_a_horizon():
    sample = at_horizon(cluster=np.arange(150) // 2)
    ratings = sample.ratings("score")
    curve = curves.calibration_curve(ratings, "confidence", 0.95, pauci.Bootstrap(100, rng=1))
    inside = (curve.low <= curve.observed) & (curve.observed <= curve.high)
    assert inside.mean() > 0.9
    rates = ratings.curve.table.pos[::-1], ratings.curve.table.neg[::-1]
    assert curve.observed == pytest.approx(curves.isotonic(curve.risk, *rates))
    n_pos, n_neg = sample.rows.counts
    text = [t.get_text() for t in pauci.plot.risks(sample).get_legend().get_texts()]
    assert text[0].startswith(f"{n_pos} positives, mean risk")
    assert text[1].startswith(f"{n_neg} negatives, mean risk")
    assert [q.total for q in pauci.risk_table(sample).distribution] == [n_pos, n_neg]


def test_the_legend_of_a_calibration_figure():
    sample = pauci.Sample(FRAME["cancer"], {"a": FRAME["cancerpredmarker"] / 2})
    ax = pauci.plot.calibration(sample, n_resamples=99, level=0.9)
    name, band, *others = [t.get_text() for t in ax.get_legend().get_texts()]
    e = pauci.estimate(sample, pauci.OE())
    low, high = e.interval(0.9)
    assert name.startswith(f"a\nO/E {e.value:.2f} ({low:.2f} to {high:.2f})\nintercept ")
    assert band == "isotonic curve,\npointwise 90% confidence band"
    assert others == ["smooth curve (spline)", "ideal"]
    assert ax.get_xlim()[1] < 0.6 or sample.ratings("a").table.score(0) > 0.45


def test_risks_of_0_and_1_have_a_curve_but_no_slope():
    p = FRAME["cancerpredmarker"].to_numpy().copy()
    p[0] = 0
    ax = pauci.plot.calibration(pauci.Sample(FRAME["cancer"], p), n_resamples=99)
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert "intercept undefined\nslope undefined" in texts[0]
    assert "smooth curve (spline)" not in texts


def test_dots_and_histograms():
    few = make_sample(60)
    ax = pauci.plot.risks(few, threshold=0.2)
    assert ax.get_ylabel() == "Rows"
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [line.get_xdata().size for line in dots] == [few.n_pos, few.n_neg]
    assert (dots[0].get_ydata() > 0).all()
    assert (dots[1].get_ydata() < 0).all()
    ax = pauci.plot.risks(SAMPLE)
    assert ax.get_ylabel() == "Share of the class"


@pytest.mark.parametrize(
    "draw", [pauci.plot.calibration, pauci.plot.risks, pauci.plot.decision_curve]
)
def test_scores_that_are_not_risks(draw):
    y, p = FRAME["cancer"], FRAME["cancerpredmarker"]
    with pytest.raises(pauci.InputError, match="divide them by 100"):
        draw(pauci.Sample(y, 100 * p))


def test_wrong_arguments():
    with pytest.raises(pauci.InputError, match="band"):
        pauci.plot.calibration(SAMPLE, band="none")
    with pytest.raises(pauci.InputError, match="threshold"):
        pauci.plot.risks(SAMPLE, threshold=float("nan"))
    with pytest.raises(pauci.InputError, match="folds"):
        pauci.plot.calibration(
            pauci.Sample(FRAME["cancer"], FRAME["cancerpredmarker"], fold=FRAME["age"] > 65)
        )


# Decision curves

TWO = pauci.Sample(
    FRAME["cancer"], {"a": FRAME["cancerpredmarker"], "b": FRAME["cancerpredmarker"] ** 2}
)


def curve_of(ax, label="_curve", i=0):
    return np.array([line.get_ydata() for line in ax.lines if line.get_label() == label][i])


def test_a_decision_curve_is_net_benefit():
    ax = pauci.plot.decision_curve(SAMPLE, probabilities=(0.05, 0.25), level=0.9)
    grid = ax.lines[-1].get_xdata()
    assert (grid[0], grid[-1]) == (0.05, 0.25)
    values = curve_of(ax)
    for i in (0, 30, 59):
        e = pauci.estimate(SAMPLE, pauci.NetBenefit(grid[i]))
        assert values[i] == pytest.approx(e.value)
        low, high = e.interval(0.9)
        assert curve_of(ax, "_end of the band")[i] == pytest.approx(low)
        assert curve_of(ax, "_end of the band", 1)[i] == pytest.approx(high)
    share, odds = SAMPLE.prevalence, grid / (1 - grid)
    assert curve_of(ax, "_reference") == pytest.approx(share - (1 - share) * odds)
    assert (curve_of(ax, "_reference", 1) == 0).all()


def test_net_interventions_avoided_of_dcurves():
    """At 0.25: 63.2 per 100 by the model, and 44 if none is treated."""
    ax = pauci.plot.decision_curve(SAMPLE, show="interventions avoided", probabilities=(0.25, 0.5))
    assert curve_of(ax)[0] == pytest.approx(63.2, abs=1e-9)
    assert curve_of(ax, "_reference")[0] == pytest.approx(0, abs=1e-12)
    assert curve_of(ax, "_reference", 1)[0] == pytest.approx(44, abs=1e-9)
    # The gain over treating all, divided by the odds.
    benefit = pauci.plot.decision_curve(SAMPLE, probabilities=(0.25, 0.5), harm=0.01)
    avoided = pauci.plot.decision_curve(
        SAMPLE, show="interventions avoided", probabilities=(0.25, 0.5), harm=0.01
    )
    grid = np.linspace(0.25, 0.5, 60)
    gain = (curve_of(benefit) - curve_of(benefit, "_reference")) * (1 - grid) / grid
    assert curve_of(avoided) == pytest.approx(100 * gain)


@pytest.mark.parametrize("standardized", [False, True])
def test_the_difference_of_two_curves(standardized, monkeypatch):
    monkeypatch.setattr("pauci.plot.risk_figures._POINTS", 12)
    options = {"probabilities": (0.05, 0.4), "standardized": standardized}
    ax = pauci.plot.decision_curve(TWO, show="difference", harm={"a": 0.01, "b": 0}, **options)
    both = pauci.plot.decision_curve(TWO, harm={"a": 0.01, "b": 0}, **options)
    expected = curve_of(both) - curve_of(both, i=1)
    assert curve_of(ax) == pytest.approx(expected)
    measure = pauci.NetBenefit(0.05, standardized=standardized)
    low, _ = pauci.compare(TWO, measure).interval()
    shift = 0.01 / (TWO.prevalence if standardized else 1)
    assert curve_of(ax, "_end of the band")[0] == pytest.approx(low - shift)
    apart = [pauci.Sample(FRAME["cancer"], FRAME["cancerpredmarker"], name=n) for n in "ab"]
    ax = pauci.plot.decision_curve(apart, show="difference", **options)
    assert curve_of(ax) == pytest.approx(np.zeros(12))


def test_the_prevalence_of_a_decision_curve():
    sample = pauci.Sample.from_frame(
        FRAME, label="case", scores="cancerpredmarker", design="case-control"
    )
    ax = pauci.plot.decision_curve(sample, prevalence=0.15, probabilities=(0.25, 0.5))
    assert curve_of(ax)[0] == pytest.approx(0.0149567, abs=1e-7)
    assert curve_of(ax, "_reference")[0] == pytest.approx(-0.1333333, abs=1e-7)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"show": "difference"}, "requires two classifiers, but sample has 1"),
        ({"show": "bands"}, "show"),
        ({"probabilities": (0.5, 0.1)}, "in increasing order"),
        ({"probabilities": (0, 1)}, "in increasing order"),
        ({"probabilities": 0.5}, "two numbers"),
        ({"harm": {"b": 1}}, "has no entry for 'cancerpredmarker'"),
        ({"harm": -1}, "must not be negative"),
        ({"show": "interventions avoided", "standardized": True}, "applies to net benefit"),
    ],
)
def test_wrong_arguments_of_decision_curves(options, words):
    with pytest.raises(pauci.InputError, match=words):
        pauci.plot.decision_curve(SAMPLE, **options)
