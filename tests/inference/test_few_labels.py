"""Few labelled rows and many rows with predicted labels."""

import pickle

import numpy as np
import pandas as pd
import pytest

import pauci

MEASURES = [
    pauci.AUC(),
    pauci.PAUC(threshold=(0.5, 1)),
    pauci.PAUCc(threshold=(0.5, 1)),
    pauci.AP(),
    pauci.Sensitivity(threshold=0.5),
    pauci.PPV(threshold=0.5),
    pauci.Brier(),
]


def frame(n: int = 1200, right: float = 0.9, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return pd.DataFrame(
        {
            "y": y,
            "s": 1 / (1 + np.exp(0.6 - 1.2 * y - rng.normal(size=n))),
            "t": 0.7 * y + rng.normal(size=n).round(1),
            "judge": np.where(rng.random(n) < right, y, 1 - y),
            "w": rng.uniform(0.5, 2, n),
            "k": rng.integers(1, 4, n),
        }
    )


def predicted(data: pd.DataFrame, labelled: int = 200, **options: object) -> pauci.Sample:
    options = {"scores": ["s", "t"], "label": "y", "prediction": "judge"} | options
    return pauci.with_predictions(data[:labelled], data[labelled:], **options)


def parts(data: pd.DataFrame, labelled: int = 200, **options: object) -> list[pauci.Sample]:
    """Return the labelled rows by labels and by predictions, and the others by predictions."""
    return [
        pauci.Sample.from_frame(rows, column, ["s", "t"], **options)
        for rows, column in (
            (data[:labelled], "y"),
            (data[:labelled], "judge"),
            (data[labelled:], "judge"),
        )
    ]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
@pytest.mark.parametrize("options", [{}, {"weight": "w"}, {"frequency": "k"}], ids=str)
def test_formula(measure: pauci.Measure, options: dict[str, str]) -> None:
    """Of rows and of scores that the sample lacks; estimated ends are in `test_ends`."""
    data = frame()
    e = pauci.estimate(predicted(data, **options)["s"], measure)
    y, f, u = (pauci.estimate(s["s"], measure) for s in parts(data, **options))
    z, g = (x.influence() for x in (y, f))
    assert set(z.index) == set(g.index)
    covariance = np.sum(z.attrs["n"] * z.to_numpy()[:, 0] * g.loc[z.index].to_numpy()[:, 0])
    w = covariance / (f.se**2 + u.se**2)
    value = y.value + w * (u.value - f.value)
    variance = y.se**2 - covariance**2 / (f.se**2 + u.se**2)
    # The divisors n - 1 of both labellings differ by less than 1/n.
    np.testing.assert_allclose(e.value, value, rtol=2e-3)
    np.testing.assert_allclose(e.se, np.sqrt(variance), rtol=1e-2)
    assert e.se <= y.se * (1 + 1e-12)
    assert "200 labelled rows" in " ".join(e.summary().split()) or "frequency" in options


def test_difference_is_paired() -> None:
    data = frame()
    both = pauci.estimate(predicted(data), pauci.AUC())
    c = pauci.compare(predicted(data), pauci.AUC())
    z = both.influence().to_numpy()
    np.testing.assert_allclose(z.T @ z, both.cov, rtol=1e-12)
    np.testing.assert_allclose(c.se, np.sqrt(np.sum((z[:, 0] - z[:, 1]) ** 2)), rtol=1e-12)
    assert len(z) == len(data)
    assert c.difference == pytest.approx(both[0].value - both[1].value)
    assert "95% CI: logit. Differences: t (" in " ".join(c.summary().split())
    assert c.df < np.inf


def test_uninformative_predictions() -> None:
    data = frame(4000)
    data["judge"] = np.random.default_rng(5).permutation(data["judge"])
    e = pauci.estimate(predicted(data)["s"], pauci.AUC())
    alone = pauci.estimate(parts(data)[0]["s"], pauci.AUC())
    assert 0.95 * alone.se < e.se <= alone.se


def test_perfect_predictions_are_weighted_by_inverse_variances() -> None:
    data = frame(right=1.0)
    e = pauci.estimate(predicted(data)["s"], pauci.AUC())
    a, _, b = (pauci.estimate(s["s"], pauci.AUC()) for s in parts(data))
    precision = np.array([a.se, b.se]) ** -2.0
    assert e.value == pytest.approx(np.average([a.value, b.value], weights=precision))
    assert e.se == pytest.approx(precision.sum() ** -0.5)


@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_clusters_in_both_frames_are_the_same() -> None:
    data = frame().assign(patient=np.tile(np.arange(400), 3))
    e = pauci.estimate(predicted(data, 600, cluster="patient"), pauci.AUC())
    z = e.influence()
    assert len(z) == 400
    np.testing.assert_allclose(z.T @ z, e.cov, rtol=1e-12)
    apart = data.assign(patient=range(1200))
    of_rows = pauci.estimate(predicted(apart, 600, cluster="patient"), pauci.AUC())
    single = pauci.estimate(predicted(frame(), 600), pauci.AUC())
    np.testing.assert_allclose(of_rows.cov, single.cov, rtol=1e-12)


def test_names_of_labels_directions_and_selection() -> None:
    data = frame()
    e = pauci.estimate(predicted(data)["t"], pauci.AUC())
    named = data.replace({"y": {0: "no", 1: "yes"}, "judge": {0: "no", 1: "yes"}})
    other = pauci.estimate(
        predicted(named.assign(t=-data.t), positive="yes", lower_is_positive="t")["t"], pauci.AUC()
    )
    assert (other.value, other.se) == pytest.approx((e.value, e.se))
    renamed = pickle.loads(pickle.dumps(predicted(data)["t"].renamed("new")))
    assert pauci.estimate(renamed, pauci.AUC()).value == e.value


def test_joined_results_and_independent_samples() -> None:
    sample = predicted(frame())
    apart = [pauci.estimate(sample[name], pauci.AUC()) for name in "st"]
    joint = pauci.estimate(sample, pauci.AUC())
    np.testing.assert_allclose(pauci.join(apart).cov, joint.cov, rtol=1e-10)
    other = predicted(frame(seed=8))
    c = pauci.compare([sample["s"], other["s"]], pauci.AUC())
    se = [pauci.estimate(s["s"], pauci.AUC()).se for s in (sample, other)]
    assert c.se == pytest.approx(np.hypot(*se))


@pytest.mark.parametrize(
    "variance", [pauci.Bootstrap(200, rng=1), pauci.Jackknife()], ids=["bootstrap", "jackknife"]
)
def test_other_variance_methods(variance: object) -> None:
    sample = predicted(frame(400), 100)["s"]
    e = pauci.estimate(sample, pauci.AUC(), variance)
    assert e.se == pytest.approx(pauci.estimate(sample, pauci.AUC()).se, rel=0.2)


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    data = frame()
    e = pauci.estimate(predicted(polars.from_pandas(data)), pauci.AUC())
    assert [q.value for q in e] == [q.value for q in pauci.estimate(predicted(data), pauci.AUC())]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.assign(judge=d.judge * 0.3 + 0.1), "0.1.*not one of the labels"),
        (lambda d: d.assign(judge=1), "constant"),
        (lambda d: d.assign(y=1), "y"),
        (lambda d: d.drop(columns="judge"), "no column 'judge'"),
        (lambda d: d.assign(judge=d.judge.where(d.index != 700)), "nan"),
        (lambda d: d[:200], "no rows"),
    ],
)
def test_invalid_data(change: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        predicted(change(frame()))


def test_labelled_rows_among_the_others() -> None:
    data = frame().assign(row=range(1200))
    frames = data[:200], data
    columns = {"label": "y", "scores": "s", "prediction": "judge"}
    with pytest.warns(pauci.errors.UnpairedWarning, match="about 200 rows"):
        pauci.estimate(pauci.with_predictions(*frames, **columns), pauci.AUC())
    pauci.estimate(pauci.with_predictions(*frames, **columns, cluster="row"), pauci.AUC())


def test_scores_that_a_measure_does_not_accept() -> None:
    with pytest.raises(ValueError, match=r"probabilities|between 0 and 1"):
        pauci.estimate(predicted(frame())["t"], pauci.Brier())


def test_other_functions_raise_errors() -> None:
    sample = predicted(frame())["s"]
    for call in (
        lambda: pauci.profile(sample),
        lambda: pauci.cutoff(sample, sensitivity=0.9),
        lambda: pauci.band(sample),
        lambda: pauci.operating_points(sample),
        lambda: sample.ratings(),
        lambda: pauci.plot.roc(sample),
    ):
        with pytest.raises(ValueError, match="predictions"):
            call()
    with pytest.raises(ValueError, match="predictions"):
        pauci.estimate(sample, pauci.AUC(), by=[0, 1] * 600)
    with pytest.raises(TypeError, match="memory"):
        pauci.with_predictions([1], [2], label="y", scores="s", prediction="judge")
    with pytest.raises(ValueError, match="column of the labels"):
        predicted(frame(), prediction="y")
    with pytest.raises(ValueError, match="predictions"):
        sample.n_pos  # noqa: B018
