"""Labels that are known in some rows only: weights and their influence, by brute force.

The oracles calculate probabilities of verification by statsmodels or by counts, areas by loops over
pairs, and the influence of a row by finite differences in its number of copies.
"""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm

import pauci
from contributions import se_of_units
from pauci.errors import MissingRowsWarning, VerificationWarning
from pauci.resampling.draws import EstimatedWeightsPool

STEP = 1e-5
N = 90


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """Small samples have warnings, which are tested separately."""


def screened(n=N, seed=1):
    """Return a frame with ties of scores, in which verification depends on `a` and `site`."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    frame = pd.DataFrame({name: np.round(2 * (y + rng.normal(size=n))) for name in ("a", "b")})
    frame["age"], frame["site"] = rng.normal(60, 9, n), rng.choice(["x", "y", "z"], n)
    frame["p"] = 1 / (1 + np.exp(-0.4 * frame["a"] - 0.8 * (frame["site"] == "x")))
    frame["known"] = rng.random(n) < frame["p"]
    frame["y"] = np.where(frame["known"], y, np.nan)
    return frame.assign(w=rng.uniform(1, 3, n), k=rng.integers(1, 4, n), one=np.ones(n), every=y)


def logistic(columns):
    """Return probabilities from ten steps of Newton, for the weights of all rows."""

    def probabilities(frame, mass):
        x = columns(frame).to_numpy(float)
        x = np.column_stack([np.ones(len(x)), x - x.mean(axis=0)])
        b = np.zeros(x.shape[1])
        for _ in range(10):
            p = 1 / (1 + np.exp(-x @ b))
            information = x.T @ (x * (mass * p * (1 - p))[:, None])
            b = b + np.linalg.solve(information, x.T @ (mass * (frame["known"] - p)))
        return 1 / (1 + np.exp(-x @ b))

    return probabilities


def shares(frame, mass):
    """Return the share of verified rows in each site, by a loop."""
    p = np.empty(len(frame))
    for site in "xyz":
        inside = frame["site"].to_numpy() == site
        p[inside] = mass[inside & frame["known"].to_numpy()].sum() / mass[inside].sum()
    return p


def with_sites(frame):
    return frame[["a", "age"]].assign(y=frame["site"] == "y", z=frame["site"] == "z")


DESIGNS = {
    "scores": ({}, logistic(lambda f: f[["a", "b"]])),
    "given": ({"verification": "p"}, lambda f, _: f["p"].to_numpy()),
    "strata": ({"verification": "site"}, shares),
    "covariates": ({"verification": ["a", "age", "site"]}, logistic(with_sites)),
    "weight": ({"verification": ["a"], "weight": "w"}, logistic(lambda f: f[["a"]])),
    "frequency": ({"verification": "site", "frequency": "k"}, shares),
    "copies": (
        {"verification": ["a", "age"], "frequency": "k"},
        logistic(lambda f: f[["a", "age"]]),
    ),
}


def area(frame, marker, weight):
    """Return the weighted area under the curve, by a loop over pairs."""
    known = frame["known"].to_numpy()
    positive, s = frame["every"].to_numpy(), frame[marker].to_numpy()
    total = concordant = 0.0
    for i in np.flatnonzero(known & positive):
        for j in np.flatnonzero(known & ~positive):
            total += weight[i] * weight[j]
            concordant += weight[i] * weight[j] * ((s[i] > s[j]) + 0.5 * (s[i] == s[j]))
    return concordant / total


def values(frame, measures, mass, probabilities, inside=True):
    """Return the values of measures of both markers, of shape (markers, measures)."""
    weight = np.where(frame["known"], mass / probabilities(frame, mass), 0.0)
    used = frame["known"].to_numpy() & inside
    found = []
    for marker in ("a", "b"):
        y, s = (frame[name].to_numpy()[used] for name in ("every", marker))
        curve = pauci.Sample(y, s, weight=weight[used]).ratings().curve
        found.append([measure.on(curve) for measure in measures])
    return np.array(found)


def derivatives(of_copies, n=N):
    """Return the derivative by the number of copies of each row."""
    steps = STEP * np.eye(n)
    return np.array([(of_copies(1 + s) - of_copies(1 - s)) / (2 * STEP) for s in steps])


def standard_error(z, unit=None):
    z = z - z.mean()
    sums = z if unit is None else np.bincount(unit, z)
    return np.sqrt(sums.size / (sums.size - 1) * (sums**2).sum())


def read(frame, scores="a", **options):
    return pauci.Sample.from_frame(frame, "y", scores, verified="known", **options)


def assert_results(sample, measures, known, z):
    """Compare values and standard errors of both markers, and of their difference."""
    for i, measure in enumerate(measures):
        es, c = pauci.estimate(sample, measure), pauci.compare(sample, measure)
        assert [e.value for e in es] == pytest.approx(known[:, i], rel=1e-9)
        assert se_of_units(es) == pytest.approx(
            [standard_error(z[:, k, i]) for k in (0, 1)], rel=1e-5
        )
        assert se_of_units(c) == pytest.approx(standard_error(z[:, 0, i] - z[:, 1, i]), rel=1e-5)


@pytest.mark.parametrize("design", DESIGNS)
def test_values_and_standard_errors_by_brute_force(design):
    frame, measures = screened(), [pauci.PAUC(threshold=(-1.5, 2.5)), pauci.AP()]
    options, probabilities = DESIGNS[design]
    base = frame[options.get("weight", options.get("frequency", "one"))].to_numpy()
    known = values(frame, measures, base, probabilities)
    z = derivatives(lambda c: values(frame, measures, base * c, probabilities))
    if "frequency" in options:  # a share of the derivative by all copies of a row
        z = np.repeat(z / base[:, None, None], base, axis=0)
    sample = read(frame, ["a", "b"], **options)
    assert_results(sample, measures, known, z)
    weighted = pauci.Sample(
        frame["every"], frame["a"], weight=sample.rows.weight, frequency=sample.rows.frequency
    )
    for measure in measures:
        if design != "given":
            e = pauci.estimate(sample["a"], measure)
            assert e.se != pytest.approx(pauci.estimate(weighted, measure).se, rel=1e-3)


@pytest.mark.parametrize(
    ("design", "prediction", "cluster"),
    [
        ("strata", None, True),
        ("covariates", "strata", False),
        ("strata", "covariates", True),
        ("covariates", "covariates", False),
    ],
)
def test_weights_and_frequencies_by_brute_force(design, prediction, cluster):
    """Some rows have the weight or frequency 0."""
    frame, measures = screened(n=45, seed=7), [pauci.AUC()]
    frame["c"] = np.random.default_rng(5).integers(0, 30, 45)
    frame.loc[[3, 17], "w"], frame.loc[[5, 17, 30], "k"] = 0.0, 0
    options, probabilities = DESIGNS[design]
    options = {**options, "weight": "w", "frequency": "k"}
    options |= {"cluster": "c"} if cluster else {}
    weight, copies = frame["w"].to_numpy(), frame["k"].to_numpy()
    if prediction is None:
        function = partial(values, frame, measures, probabilities=probabilities)
    else:
        options["prediction"], of_label = LABELS[prediction]
        function = partial(robust, frame, measures, probabilities=probabilities, of_label=of_label)
    known = function(weight * copies)[:, 0]
    z = derivatives(lambda c: function(mass=weight * copies * c), 45)[:, :, 0]
    es = pauci.estimate(read(frame, ["a", "b"], **options), measures)
    counted = (weight > 0) & (copies > 0)
    unit = np.unique(frame["c"][counted], return_inverse=True)[1] if cluster else None
    z = z[counted] if cluster else np.repeat(z[counted] / copies[counted, None], copies[counted], 0)
    assert [e.value for e in es] == pytest.approx(known, rel=1e-9)
    assert se_of_units(es) == pytest.approx([standard_error(x, unit) for x in z.T], rel=1e-5)


@pytest.mark.parametrize(
    "variance", ["influence", "jackknife", pauci.Bootstrap(20, rng=1)], ids=repr
)
@pytest.mark.parametrize(("name", "column"), [("weight", "w"), ("frequency", "k")])
def test_rows_of_weight_zero_change_nothing(name, column, variance):
    frame = screened(n=60).assign(c=np.arange(60) // 2)
    more = pd.concat([frame, frame.sample(15, random_state=1).assign(**{column: 0})])
    designs = [{}, {"verification": "site"}, {"cluster": "c"}, {"weight": "w", "frequency": "k"}]
    designs += [{"prediction": "site"}] * (variance != "jackknife")
    for options in designs:
        options = {**options, name: column}
        numbers = []
        for rows in (frame, more.reset_index(drop=True)):
            e = pauci.estimate(read(rows, **options), pauci.AUC(), variance)
            numbers.append([e.value, e.se, e.df, *e.rows.units, *e.interval()])
        assert numbers[1] == pytest.approx(numbers[0], rel=1e-9)


def test_probabilities_of_statsmodels():
    frame = screened()
    x = sm.add_constant(with_sites(frame).astype(float))
    model = sm.GLM(frame["known"].astype(float), x, sm.families.Binomial(), freq_weights=frame["k"])
    sample = read(frame, verification=["a", "age", "site"], frequency="k")
    expected = model.fit(tol=1e-13).fittedvalues
    assert sample.rows.weight_map.fitted == pytest.approx(expected.to_numpy(), rel=1e-9)


LABELS = {
    "covariates": (["a", "age", "site"], logistic(with_sites)),
    "strata": ("site", shares),
    "given": ("q", lambda f, _: f["q"].to_numpy()),
}


def robust(frame, measures, mass, probabilities, of_label):
    """Return doubly robust values of both markers, from curves with each row in both classes."""
    known, p = frame["known"].to_numpy(), probabilities(frame, mass)
    outcome = frame.assign(known=known & frame["every"])
    q = np.asarray(of_label(outcome, mass * known))
    found = values(frame, measures, mass, probabilities)
    y = np.repeat([1, 0], len(frame))
    for sign, base in ((1, mass), (-1, np.where(known, mass / p, 0.0))):
        weight = np.concatenate([base * q, base * (1 - q)])
        for i, marker in enumerate(("a", "b")):
            curve = pauci.Sample(y, np.tile(frame[marker], 2), weight=weight).ratings().curve
            found[i] += sign * np.array([m.on(curve) for m in measures])
    return found


@pytest.mark.parametrize("prediction", LABELS)
@pytest.mark.parametrize("design", ["scores", "given", "strata", "weight", "frequency"])
def test_doubly_robust_estimates_by_brute_force(design, prediction):
    frame = screened().assign(q=lambda f: 1 / (1 + np.exp(-f["a"] + 0.5)))
    measures = [pauci.PAUC(threshold=(-1.5, 2.5)), pauci.AP()]
    options, probabilities = DESIGNS[design]
    columns, of_label = LABELS[prediction]
    base = frame[options.get("weight", options.get("frequency", "one"))].to_numpy()
    known = robust(frame, measures, base, probabilities, of_label)
    z = derivatives(lambda c: robust(frame, measures, base * c, probabilities, of_label))
    if "frequency" in options:
        z = np.repeat(z / base[:, None, None], base, axis=0)
    assert_results(read(frame, ["a", "b"], prediction=columns, **options), measures, known, z)


def test_doubly_robust_estimates_in_clusters_and_their_bootstrap():
    frame = screened(n=240, seed=3).assign(c=np.arange(240) // 2)
    options = {"verification": ["a"], "prediction": ["a", "age"]}
    e = pauci.estimate(read(frame, **options), pauci.AUC())
    drawn = pauci.estimate(read(frame, **options), pauci.AUC(), pauci.Bootstrap(300, rng=1))
    assert drawn.se == pytest.approx(e.se, rel=0.15)
    frame = pd.concat([frame, frame], ignore_index=True)
    twice = pauci.estimate(
        read(frame.assign(c=frame.index % 240), cluster="c", **options), pauci.AUC()
    )
    assert twice.value == pytest.approx(e.value, rel=1e-9)
    assert twice.se == pytest.approx(se_of_units(e)[0], rel=1e-9)  # which has no other rows
    assert "on a, age (doubly robust)" in " ".join(e.summary().split())


def test_either_model_suffices_for_doubly_robust_estimates():
    """If strata hold all information, the other model may be wrong."""
    frame = screened(n=20_000, seed=4)
    y = frame["every"].to_numpy()
    frame["q"] = frame["site"].map({"x": 0.9, "y": 0.4, "z": 0.2})
    rng = np.random.default_rng(5)
    frame["a"] = 2.0 * y + frame["q"] + rng.normal(size=y.size)
    frame["grade"] = np.digitize(frame["a"], np.arange(-2, 5, 0.5)).astype(str)
    frame["grade"] += frame["site"]
    frame["known"] = rng.random(y.size) < frame["q"] * np.where(frame["a"] > 1, 1.0, 0.4)
    frame["y"], frame["half"] = np.where(frame["known"], y, np.nan), 0.5
    full = pauci.estimate(pauci.Sample(y, frame["a"]), pauci.AUC()).value
    wrong = pauci.estimate(read(frame, verification="half"), pauci.AUC())
    assert abs(wrong.value - full) > 4 * wrong.se
    for options in (
        {"verification": "grade", "prediction": "half"},
        {"verification": "half", "prediction": "grade"},
    ):
        e = pauci.estimate(read(frame, **options), pauci.AUC())
        assert abs(e.value - full) < 2 * e.se


@pytest.mark.parametrize("design", ["scores", "given", "strata", "covariates"])
def test_area_by_pairs_of_rows(design):
    frame = screened()
    options, probabilities = DESIGNS[design]
    weight = 1 / probabilities(frame, np.ones(N))
    e = pauci.estimate(read(frame, ["a", "b"], **options)["b"], pauci.AUC())
    assert e.value == pytest.approx(area(frame, "b", weight), rel=1e-9)


def test_sensitivity_and_specificity_of_begg_and_greenes():
    """Hepatic scintigraphy (Drum and Christacopoulos 1972), with the variance of a closed form."""
    counts = np.array([231, 32, 166, 27, 54, 140])
    sample = pauci.Sample(
        [1, 0, np.nan] * 2,
        [1, 1, 1, 0, 0, 0],
        frequency=counts,
        verified=[1, 1, 0] * 2,
        verification=["positive"] * 3 + ["negative"] * 3,
    )
    n, tested = counts.sum(), (429, 221)
    at_1 = {"threshold": 1}
    for measure, (a, b) in {
        pauci.Sensitivity(**at_1): ((231, 32), (27, 54)),
        pauci.Specificity(**at_1): ((54, 27), (32, 231)),
    }.items():
        first, second = tested if measure.symbol == "sensitivity" else tested[::-1]
        share = first * a[0] / sum(a) / (first * a[0] / sum(a) + second * b[0] / sum(b))
        log_odds = n / (first * second) + a[1] / (a[0] * sum(a)) + b[1] / (b[0] * sum(b))
        e = pauci.estimate(sample, measure)
        assert e.value == pytest.approx(share, rel=1e-12)
        variance = (share * (1 - share)) ** 2 * log_odds
        assert e.se**2 == pytest.approx(n / (n - 1) * variance, rel=1e-10)
    assert round(pauci.estimate(sample, pauci.Sensitivity(**at_1)).value, 3) == 0.836
    assert round(pauci.estimate(sample, pauci.Specificity(**at_1)).value, 3) == 0.738


def test_clusters_groups_and_folds_by_brute_force():
    frame = screened().assign(c=np.arange(N) // 2, sex=np.arange(N) % 2, fold=np.arange(N) % 3)
    measure, (options, probabilities) = pauci.AUC(), DESIGNS["strata"]
    parts = [
        True,
        *(frame[g].to_numpy() == k for g, n in (("sex", 2), ("fold", 3)) for k in range(n)),
    ]

    def of_copies(copies):
        return [values(frame, [measure], copies, probabilities, rows)[0, 0] for rows in parts]

    known, z = of_copies(np.ones(N)), derivatives(lambda c: np.array(of_copies(c)))
    e = pauci.estimate(read(frame, cluster="c", **options), measure)
    assert e.se == pytest.approx(standard_error(z[:, 0], frame["c"]), rel=1e-5)
    assert e.rows.clusters == 45
    r = pauci.estimate(read(frame, group="sex", **options), measure, by="sex")
    assert [e.value for e in r] == pytest.approx(known[1:3], rel=1e-9)
    assert se_of_units(r) == pytest.approx([standard_error(z[:, k]) for k in (1, 2)], rel=1e-5)
    assert se_of_units(r.gaps[0]) == pytest.approx(standard_error(z[:, 2] - z[:, 1]), rel=1e-5)
    e = pauci.estimate(read(frame, fold="fold", **options), measure)
    assert e.value == pytest.approx(np.mean(known[3:]), rel=1e-9)
    assert se_of_units(e) == pytest.approx(standard_error(z[:, 3:].mean(axis=1)), rel=1e-5)


@pytest.mark.parametrize("design", ["scores", "strata", "covariates", "weight"])
def test_resamples_estimate_the_probabilities_again(design):
    frame = screened()
    options, probabilities = DESIGNS[design]
    sample = read(frame, ["a", "b"], **options)
    copies = np.random.default_rng(3).multinomial(N, np.full(N, 1 / N))
    base = frame["w"].to_numpy() if "weight" in options else np.ones(N)
    found = sample.rows.weight_map.weights(copies)
    drawn = (copies > 0) & frame["known"]
    expected = base / probabilities(frame, base * copies)
    assert found[drawn] / found[drawn].max() == pytest.approx(
        expected[drawn] / expected[drawn].max(), rel=1e-9
    )
    assert not found[~frame["known"]].any()
    e = pauci.estimate(sample["a"], pauci.AUC())
    drawn = pauci.estimate(sample["a"], pauci.AUC(), pauci.Bootstrap(300, rng=1))
    assert drawn.se == pytest.approx(e.se, rel=0.2)


@pytest.mark.parametrize("prediction", LABELS)
@pytest.mark.parametrize("weight", [{}, {"weight": "w"}], ids=len)
def test_resamples_estimate_the_predictions_again(prediction, weight):
    """Also the probabilities of verification, for predictions of verified rows."""
    frame = screened().assign(q=lambda f: 1 / (1 + np.exp(-f["a"] + 0.5)))
    columns, of_label = LABELS[prediction]
    sample = read(frame, verification="site", prediction=columns, **weight)
    copies = np.random.default_rng(3).multinomial(N, np.full(N, 1 / N))
    base, known = frame["w"].to_numpy() if weight else np.ones(N), frame["known"].to_numpy()
    mass = base * copies
    p = np.asarray(of_label(frame.assign(known=known & frame["every"]), mass * known))
    both, drawn = np.concatenate((p, 1 - p)), np.tile(copies > 0, 2)
    of_verified = np.where(known, base / shares(frame, mass), 0.0)
    parts = sample.rows.predictions.parts
    for (rows, _), weights in zip(parts[1:], (of_verified, base), strict=True):
        found = rows.weight_map.weights(np.tile(copies, 2))
        expected = both * np.tile(weights, 2)
        found, expected = (w[drawn] / w[drawn].max() for w in (found, expected))
        assert found == pytest.approx(expected, rel=1e-9)


def test_a_resample_without_a_finite_solution_has_the_coefficients_of_all_rows():
    frame = screened()
    weight_map = read(frame, verification=["a", "age"]).rows.weight_map
    copies = frame["known"].to_numpy().astype(int)  # all verified
    of_all = DESIGNS["copies"][1](frame, np.ones(N))
    expected = np.where(frame["known"], 1 / of_all, 0)
    assert weight_map.weights(copies) == pytest.approx(expected, rel=1e-9)


def test_arrays_and_frames_are_the_same_data():
    frame = screened()
    base = read(frame, ["a", "b"], verification=["a", "age"])
    e = pauci.compare(base, pauci.AUC())
    scores = {"a": frame["a"], "b": frame["b"]}
    columns = frame[["a", "age"]]
    for verification in (columns, columns.to_numpy(), dict(columns), pl.from_pandas(columns)):
        sample = pauci.Sample(
            frame["y"], scores, verified=frame["known"], verification=verification
        )
        c = pauci.compare(sample, pauci.AUC())
        assert (c.difference, c.se) == (e.difference, e.se)
    for y, known in (
        ([None if v != v else int(v) for v in frame["y"]], frame["known"].astype(int).tolist()),
        (frame["y"].astype("Int64").replace({pd.NA: None}).astype("Int64"), frame["known"]),
    ):
        sample = pauci.Sample(y, scores, verified=known, verification=columns)
        assert pauci.compare(sample, pauci.AUC()).se == e.se
    texts = frame.assign(y=frame["y"].map({0.0: "no", 1.0: "yes"}))
    for other in (texts, texts.astype({"y": "category"}), pl.from_pandas(texts)):
        sample = read(other, ["a", "b"], verification=["a", "age"], positive="yes")
        assert pauci.compare(pickle.loads(pickle.dumps(sample)), pauci.AUC()).se == e.se


def test_strata_are_a_regression_on_their_indicators():
    frame = screened()
    first, second = (
        pauci.estimate(read(frame, verification=v), pauci.AP()) for v in ("site", ["site"])
    )
    assert [first.value, first.se] == pytest.approx([second.value, second.se], rel=1e-10)
    assert "by shares within site" in " ".join(first.summary().split())
    assert "by logistic regression on site" in " ".join(second.summary().split())
    assert f"labels known in {frame['known'].sum()} of 90 rows" in " ".join(first.summary().split())


def test_categories_and_booleans_are_strata():
    frame = screened().assign(x=lambda f: f["site"] == "x", number=lambda f: f["age"] // 10)
    texts = frame["number"].astype(str)
    e = pauci.estimate(read(frame.assign(number=texts), verification="number"), pauci.AUC())
    for of_site in (
        frame.assign(number=frame["number"].astype("category")),
        pl.from_pandas(frame.assign(number=texts)).with_columns(
            pl.col("number").cast(pl.Categorical)
        ),
    ):
        same = pauci.estimate(read(of_site, verification="number"), pauci.AUC())
        assert (same.value, same.se) == pytest.approx((e.value, e.se), rel=1e-12)
    first, second = (pauci.estimate(read(frame, verification=v), pauci.AUC()) for v in ("x", ["x"]))
    assert (first.value, first.se) == pytest.approx((second.value, second.se), rel=1e-9)


def test_a_stratum_may_be_verified_completely():
    frame = screened()
    full = frame["site"] == "x"
    frame["known"] |= full
    frame["y"] = np.where(frame["known"], frame["every"], np.nan)
    sample = read(frame, verification="site")
    z = derivatives(lambda c: values(frame, [pauci.AUC()], c, shares)[0, 0])
    e = pauci.estimate(sample, pauci.AUC())
    assert se_of_units(e) == pytest.approx(standard_error(z), rel=1e-5)
    weight = sample.rows.weight
    assert set(weight[full]) == {weight[weight > 0].min()}


@pytest.mark.parametrize(
    "options", [{}, {"verification": "site"}, {"prediction": "site"}], ids=repr
)
def test_degrees_of_freedom_do_not_depend_on_the_order_of_rows(options):
    frame = screened()
    label = frame["y"].to_numpy()
    numbers = set()
    for first in (0, 1):
        order = np.argsort(label != first, kind="stable")
        e = pauci.estimate(read(frame.iloc[order].reset_index(drop=True), **options), pauci.AUC())
        numbers.add((round(e.se, 9), round(e.df, 6)))
    assert len(numbers) == 1


def test_units_of_covariates_and_order_of_rows_change_nothing():
    frame = screened()
    e = pauci.estimate(read(frame, verification=["a", "age"]), pauci.AUC())
    other = frame.assign(age=1e6 - 365.25 * frame["age"]).sample(frac=1, random_state=2)
    same = pauci.estimate(read(other, verification=["a", "age"]), pauci.AUC())
    assert [same.value, same.se] == pytest.approx([e.value, e.se], rel=1e-9)
    copies = frame.loc[frame.index.repeat(frame["k"])].reset_index(drop=True)
    ones, counts = (
        pauci.estimate(read(f, verification=["a"], frequency=k), pauci.AP())
        for f, k in ((copies, None), (frame, "k"))
    )
    assert [ones.value, ones.se] == pytest.approx([counts.value, counts.se], rel=1e-9)


def test_missing_scores_can_be_dropped_and_missing_labels_stay():
    frame = screened()
    frame.loc[[3, 8], "a"] = np.nan
    with pytest.warns(MissingRowsWarning, match="2 of 90 rows were dropped"):
        sample = read(frame, verification="site", drop_missing=True)
    complete = read(frame.drop(index=[3, 8]), verification="site")
    first, second = (pauci.estimate(s, pauci.AUC()) for s in (sample, complete))
    assert (first.value, first.se) == (second.value, second.se)


def test_small_probabilities_have_a_warning():
    frame = screened().assign(p=lambda f: np.where(f.index == 5, 0.008, f["p"]))
    with pytest.warns(VerificationWarning, match=r"down to 0\.008"):
        read(frame, verification="p")


def refused(match, frame=None, **options):
    frame = screened() if frame is None else frame
    with pytest.raises((ValueError, TypeError), match=match) as caught:
        read(frame, **options)
    return caught.value


def test_bad_input():
    frame = screened()
    first = int(np.flatnonzero(~frame["known"])[0])
    error = refused(
        "a label in 1 row that is not verified",
        frame.assign(y=frame["y"].where(frame.index != first, 0)),
    )
    assert list(error.rows) == [first]
    known = np.flatnonzero(frame["known"])[:2]
    error = refused(
        "no label in 2 rows that are verified",
        frame.assign(y=frame["y"].where(~frame.index.isin(known))),
    )
    assert list(error.rows) == known.tolist()
    refused("true in all rows", frame.assign(known=True, y=frame["every"]))
    refused("false in all rows", frame.assign(known=False, y=np.nan))
    refused("must be true or false", frame.assign(known=2 * frame["known"]))
    texts = np.where(frame["known"], "yes", "no")
    refused("must be true or false .* == 'yes'", frame.assign(known=texts))
    refused("one class only", frame.assign(y=frame["y"] * 0))
    empty = frame.assign(known=frame["known"] & (frame["site"] != "z"))
    empty["y"] = empty["y"].where(empty["known"])
    refused("strata without a verified row: 'z'", empty, verification="site")
    for p in (0.0, -0.1, 1.5):
        refused("it must", frame.assign(p=frame["p"].where(frame.index != 4, p)), verification="p")
    refused("of a row that is not verified", frame.assign(p=1.0), verification="p")
    refused("missing value", frame.assign(p=frame["p"].where(frame.index != 4)), verification="p")
    refused("missing or infinite", frame.assign(age=np.inf), verification=["age"])
    refused("no finite solution", frame.assign(age=3.0), verification=["age"])
    refused("no finite solution", frame.assign(age=frame["known"] + 0.0), verification=["age"])
    refused("names no column", verification=[])
    refused("is 0 in all verified rows", frame.assign(w=~frame["known"] * 1.0), weight="w")
    refused("is not a column", verification=["nothing"])
    refused("design='case-control' is not available", design="case-control")
    refused("missing= is not available", missing=9)
    with pytest.raises(TypeError, match="verified= is missing"):
        pauci.Sample.from_frame(frame, "y", "a", verification="p")
    with pytest.raises(ValueError, match="has no columns"):
        pauci.Sample(frame["y"], frame["a"], verified=frame["known"], verification={})
    with pytest.raises(ValueError, match="rows"):
        pauci.Sample(frame["y"], frame["a"], verified=frame["known"][:9])
    for q in (-0.1, 1.5):
        refused("must", frame.assign(q=q), prediction="q")
    refused("missing value", frame.assign(q=np.nan), prediction="q")
    for q in (0, 1):
        refused(f"all verified rows the probability {q}", frame.assign(q=q), prediction="q")
    refused("strata without a verified row: 'z'", empty, prediction="site")
    refused("regression of the label has no", frame.assign(age=frame["every"]), prediction=["age"])
    refused("names no column", prediction=[])
    refused("fold= is not available with prediction=", frame, fold="site", prediction="site")
    with pytest.raises(TypeError, match="verified= is missing"):
        pauci.Sample.from_frame(frame, "every", "a", prediction="site")
    sample = read(frame.assign(sex=np.arange(N) % 2), group="sex", prediction="site")
    for call in (
        lambda: pauci.estimate(sample, pauci.AUC(), by="sex"),
        lambda: pauci.cutoff(sample, equal=True),
        lambda: pauci.estimate(sample, pauci.AUC(), "jackknife"),
        lambda: sample.n_pos,
    ):
        with pytest.raises(ValueError, match="prediction"):
            call()


@pytest.mark.parametrize("verification", ["site", ["a", "age"]], ids=repr)
def test_the_jackknife_estimates_probabilities_without_each_row(verification):
    frame = screened()

    def area(rows):
        return pauci.AUC().on(read(rows, verification=verification).ratings().curve)

    v = np.array([area(frame.drop(i)) for i in frame.index])
    e = pauci.estimate(read(frame, verification=verification), pauci.AUC(), "jackknife")
    assert e.se == pytest.approx(np.sqrt((N - 1) / N * ((v - v.mean()) ** 2).sum()), rel=1e-9)
    assert e.bias == pytest.approx((N - 1) * (v.mean() - e.value), rel=1e-6)


OF_CLASSES = [
    pauci.VUS(),
    pauci.VUS(order=["a", "c"]),
    pauci.CIndex(),
    pauci.PDI(),
    pauci.PDI(of="b"),
    pauci.HandTill(),
    pauci.Macro(pauci.AUC(), "prevalence"),
]


@pytest.mark.parametrize("combined", [False, pytest.param(True, marks=pytest.mark.keep)])
@pytest.mark.parametrize("measure", OF_CLASSES, ids=repr)
def test_several_classes_by_brute_force(measure, combined):
    """By regression on the scores, or by strata with weights, frequencies, clusters and groups."""
    n, rng = 48, np.random.default_rng(8)
    classes = rng.integers(0, 3, n)
    z = np.round(rng.normal(size=(n, 3)) + np.eye(3)[classes])
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    y = np.array(list("abc"))[classes]
    scores = z[:, 2] - z[:, 0] if isinstance(measure, pauci.VUS | pauci.CIndex) else p
    chance = 1 / (1 + np.exp(-0.5 * z[:, 2] - 0.5))
    frame = pd.DataFrame({"known": rng.random(n) < chance, "site": rng.choice(list("xyz"), n)})
    frame = frame.assign(w=np.ones(n), k=np.ones(n, int), c=rng.integers(0, 30, n))
    options, probabilities = {}, logistic(lambda _: pd.DataFrame(scores).iloc[:, :2])
    if combined:
        frame = frame.assign(w=rng.uniform(1, 3, n), k=rng.integers(1, 4, n))
        frame.loc[[2, 9], "w"], frame.loc[[5, 9], "k"] = 0.0, 0
        columns = {"weight": "w", "frequency": "k", "cluster": "c", "verification": "site"}
        options, probabilities = {name: frame[c] for name, c in columns.items()}, shares
    known, mass, group = frame["known"].to_numpy(), frame["w"] * frame["k"], np.arange(n) % 2
    sample = pauci.Sample.from_classes(
        np.where(known, y, None), scores, list("abc"), verified=known, group=group, **options
    )

    def value(inside, copies):
        weight = mass.to_numpy() * copies
        weight = np.where(known & inside, weight / probabilities(frame, weight), 0.0)
        used = weight > 0.0
        return measure(y[used], scores[used], positive=list("abc"), weight=weight[used])

    counted = mass > 0
    unit = np.unique(frame["c"][counted], return_inverse=True)[1] if combined else None
    every, of_group = (pauci.estimate(sample, measure, by=by) for by in (None, "group"))
    for e, se, inside in (
        (every, se_of_units(every)[0], True),
        (of_group[1], se_of_units(of_group)[1], group == 1),
    ):
        slopes = derivatives(partial(value, inside), n)
        assert e.value == pytest.approx(value(inside, np.ones(n)), rel=1e-9)
        assert se == pytest.approx(standard_error(slopes[counted], unit), rel=1e-4)
    assert "labels known in" in " ".join(every.summary().split())


@pytest.mark.parametrize("clustered", [False, True])
def test_resamples_of_several_classes(clustered):
    """The jackknife leaves out each row or cluster, and estimates the probabilities again."""
    n, rng = 90, np.random.default_rng(3)
    y, site = rng.integers(0, 3, n), rng.choice(["x", "y"], n)
    s, known = np.round(y + rng.normal(size=n), 1), rng.random(n) < 0.8
    given = {"verified": known, "verification": site, "weight": rng.uniform(1, 2, n)}
    unit = np.arange(n)
    if clustered:
        given |= {"cluster": unit // 2, "frequency": rng.integers(0, 3, n)}
        counted = np.bincount(unit // 2, given["frequency"])[unit // 2] > 0
        unit = np.where(counted, unit // 2, -1)

    def sample(rows):
        labels = np.where(known[rows], y[rows], np.nan)
        options = {name: values[rows] for name, values in given.items()}
        return pauci.Sample.from_classes(labels, s[rows], [0, 1, 2], **options)

    units = np.unique(unit[unit >= 0])
    for measure in (pauci.VUS(), pauci.CIndex()):
        left = [measure.on(sample(unit != u).any_ratings("score").curve) for u in units]
        e = pauci.estimate(sample(unit >= -1), measure, "jackknife")
        assert e.se == pytest.approx(np.sqrt((units.size - 1) * np.var(left)), rel=1e-9)
        for variance in ("influence", pauci.Bootstrap(150, rng=1)):
            other = pauci.estimate(sample(unit >= -1), measure, variance)
            assert other.se == pytest.approx(e.se, rel=0.25)


def test_a_resample_of_several_classes_has_its_own_weights():
    frame, rng = screened(), np.random.default_rng(2)
    y = np.where(frame["known"], rng.integers(0, 3, N), np.nan)
    given = {"verified": frame["known"], "verification": frame["site"], "weight": frame["w"]}
    sample = pauci.Sample.from_classes(y, frame["a"], [0, 1, 2], **given)
    column, times = sample.any_ratings("score"), rng.integers(0, 3, N)
    pool = EstimatedWeightsPool(sample.rows, [column], "cohort", 1, index=[np.arange(N)])
    ((mass, _),) = pool.weighted(times)
    drawn = times * frame["w"].to_numpy()
    expected = np.where(frame["known"], drawn / shares(frame, drawn), 0.0)
    assert mass / mass.max() == pytest.approx(expected / expected.max(), rel=1e-9)
    resampled = column.resampled(mass).rows
    assert resampled.weight == pytest.approx(mass[mass > 0])
    assert resampled.weight_map is None


def test_folds_of_several_classes_have_the_probabilities_of_all_rows():
    n, rng = 90, np.random.default_rng(3)
    y, site, fold = rng.integers(0, 3, n), rng.choice(["x", "y"], n), np.arange(n) % 2
    s, known = np.round(y + rng.normal(size=n), 1), rng.random(n) < 0.8
    frame = pd.DataFrame({"known": known, "site": site})
    labels = np.where(known, y, np.nan)
    sample = pauci.Sample.from_classes(labels, s, verified=known, verification=site, fold=fold)

    def value(copies):
        weight = np.where(known, copies / shares(frame, copies), 0.0)
        parts = [(weight > 0) & (fold == k) for k in (0, 1)]
        return np.mean([pauci.VUS()(y[i], s[i], weight=weight[i]) for i in parts])

    def shares(frame, mass):
        sums = [
            frame.assign(m=m).groupby("site")["m"].transform("sum") for m in (mass * known, mass)
        ]
        return (sums[0] / sums[1]).to_numpy()

    e = pauci.estimate(sample, pauci.VUS())
    assert e.value == pytest.approx(value(np.ones(n)), rel=1e-9)
    assert e.se == pytest.approx(standard_error(derivatives(value, n)), rel=1e-4)


def test_wrong_arguments_for_several_classes():
    y, p = ["a", "b", "c", None] * 9, np.random.default_rng(1).dirichlet([1, 1, 1], 36)
    known = np.array([True, True, True, False] * 9)
    with pytest.raises(ValueError, match="9 rows that are not verified"):
        pauci.Sample.from_classes(["a", "b", "c", "a"] * 9, p, verified=known)
    with pytest.raises(TypeError, match="verified"):
        pauci.Sample.from_classes(y, p, verification=p[:, 0])
    with pytest.raises(ValueError, match="design"):
        pauci.Sample.from_classes(y, p, verified=known, design="case-control")
    sample = pauci.Sample.from_classes(y, p, verified=known)
    assert sample.versus_rest("a").n_pos == 9
    assert pauci.estimate(sample, pauci.Brier())[0].value > 0


@pytest.mark.parametrize("n", [200, 2000])
@pytest.mark.parametrize("seed", [pytest.param(i, marks=pytest.mark.keep) for i in range(4)])
def test_probabilities_that_the_verified_rows_contradict(n, seed, recwarn):
    """A covariate from 0 to 1 is not a probability of being verified."""
    frame = screened(n, seed)
    options = {"label": "y", "scores": "a", "verified": "known"}
    rng = np.random.default_rng(seed)
    hospital = np.arange(n) * 20 // n
    together = rng.random(20)[hospital] < 0.5
    columns = {
        "right": frame["p"],
        "share": rng.uniform(0.01, 0.35, n),
        "reversed": np.minimum(1.02 - frame["p"], 0.99),
        "same": 0.5,
    }
    frame = frame.assign(**columns, hospital=hospital)
    hospitals = frame.assign(known=together, y=np.where(together, frame["every"], np.nan))
    for data, column, cluster, doubtful in (
        (frame, "right", None, False),
        (frame, "share", None, True),
        (frame, "reversed", None, True),
        (hospitals, "same", "hospital", False),
    ):
        recwarn.clear()
        pauci.Sample.from_frame(data, verification=column, cluster=cluster, **options)
        found = [str(w.message) for w in recwarn if w.category is VerificationWarning]
        assert ["should be verified" in message for message in found] == [True] * doubtful
