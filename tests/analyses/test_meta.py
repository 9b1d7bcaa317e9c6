"""Meta-analysis against other software, brute force and simulation."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import pauci
from pauci.analyses.meta import predicted, reml, tau2_quantiles, weighted
from tabular_results import quiet

pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")

# dat.bcg of metafor: positive and negative among the vaccinated and the controls.
BCG = np.array(
    [
        [4, 119, 11, 128],
        [6, 300, 29, 274],
        [3, 228, 11, 209],
        [62, 13536, 248, 12619],
        [33, 5036, 47, 5761],
        [180, 1361, 372, 1079],
        [8, 2537, 10, 619],
        [505, 87886, 499, 87892],
        [29, 7470, 45, 7232],
        [17, 1699, 65, 1600],
        [186, 50448, 141, 27197],
        [5, 2493, 3, 2338],
        [27, 16886, 29, 17825],
    ],
    float,
)


def bcg():
    """Return log relative risks and their variances."""
    a, b, c, d = BCG.T
    return np.log(a / (a + b) / (c / (c + d))), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


def drawn(seed, k, tau):
    rng = np.random.default_rng(seed)
    v = rng.uniform(0.01, 0.1, k)
    return rng.normal(0.3, np.sqrt(v + tau**2)), v


def sites(count=5, names=("svm",), size=160, seed=0):
    """Return the samples of sites."""
    rng = np.random.default_rng(seed)
    y = np.arange(size) % 3 == 0
    return {
        f"site {i}": pauci.Sample(
            y, {n: y * rng.normal(1.2, 0.3) + rng.normal(size=size) for n in names}
        )
        for i in range(count)
    }


def estimates(measure=None, **options):
    return {n: pauci.estimate(s, measure or pauci.AUC()) for n, s in sites(**options).items()}


# Numbers


def test_metafor():
    """rma(yi, vi, data=escalc("RR", ...)) and confint() of metafor, as in its documentation."""
    y, v = bcg()
    tau2 = reml(y, v)
    assert round(tau2, 4) == 0.3132
    mean, se, _ = weighted(y, v, tau2)
    assert round(mean[0], 4) == -0.7145
    assert round((1 / (v + tau2)).sum() ** -0.5, 4) == 0.1798
    assert round(se[0], 4) == 0.1808  # test="knha"
    assert round(weighted(y, v, 0.0)[2][0], 4) == 152.2330
    assert np.round(tau2_quantiles(y, v, np.array([0.025, 0.975])), 4).tolist() == [0.1197, 1.1115]


@pytest.mark.parametrize(("seed", "k", "tau"), [(1, 2, 0.2), (2, 5, 0.3), (3, 12, 0), (4, 40, 0.5)])
def test_statsmodels(seed, k, tau):
    from statsmodels.stats.meta_analysis import combine_effects

    y, v = drawn(seed, k, tau)
    expected = combine_effects(y, v, method_re="iterated", use_t=True)
    mean, se, _ = weighted(y, v, expected.tau2)
    assert mean[0] == pytest.approx(expected.mean_effect_re, abs=1e-9)
    assert se[0] == pytest.approx(expected.sd_eff_w_re_hksj, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("k", "tau"), [(2, 0.3), (5, 0), (5, 0.3), (20, 0.2)])
def test_reml_has_the_largest_likelihood_of_contrasts(seed, k, tau):
    """The restricted likelihood is that of k - 1 orthonormal contrasts between the studies."""
    y, v = drawn(seed, k, tau)
    contrasts = np.linalg.qr(np.column_stack((np.ones(k), np.eye(k)[:, 1:])))[0][:, 1:].T

    def loss(tau):
        cov = contrasts @ np.diag(v + tau**2) @ contrasts.T
        return -stats.multivariate_normal.logpdf(contrasts @ y, cov=cov)

    starts = np.linspace(0, 3, 61)
    best = min(
        (
            optimize.minimize_scalar(loss, bounds=(a, b), method="bounded", options={"xatol": 1e-9})
            for a, b in pairwise(starts)
        ),
        key=lambda r: r.fun,
    )
    found = reml(y, v)
    assert loss(math.sqrt(found)) <= best.fun + 1e-10
    assert math.sqrt(found) == pytest.approx(best.x, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_quantiles_invert_the_generalized_q(seed):
    y, v = drawn(seed, 7, 0.3)
    p = np.array([0.1, 0.5, 0.9, 0.99])
    q = weighted(y, v, tau2_quantiles(y, v, p))[2]
    positive = tau2_quantiles(y, v, p) > 0
    assert positive.any()
    assert stats.chi2.sf(q, 6)[positive] == pytest.approx(p[positive], abs=1e-12)
    assert (stats.chi2.sf(weighted(y, v, 0.0)[2], 6) >= p[~positive]).all()


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "k", "tau"), [(5, 2, 0.2), (6, 3, 0.3), (7, 5, 0), (8, 5, 0.2), (9, 15, 0.3)]
)
def test_the_prediction_interval_is_that_of_random_numbers(seed, k, tau):
    y, v = drawn(seed, k, tau)
    rng = np.random.default_rng(seed)
    tau2 = np.concatenate([tau2_quantiles(y, v, rng.random(50_000)) for _ in range(4)])
    mean, se, _ = weighted(y, v, tau2)
    draws = mean + np.sqrt(tau2) * rng.normal(size=tau2.size)
    draws -= se * rng.standard_t(k - 1, tau2.size)
    low, high = predicted(y, v, 0.9)
    # The shares below both limits, with four standard errors of the simulation.
    assert [np.mean(draws < low), np.mean(draws < high)] == pytest.approx([0.05, 0.95], abs=0.003)
    assert predicted(y, v, 0.9) == (low, high)


def test_the_prediction_interval_without_heterogeneity_and_many_studies():
    """It tends to the normal distribution with the variance of the true values."""
    rng = np.random.default_rng(3)
    y = rng.normal(0, 0.5, 400)
    v = np.full(400, 1e-6)
    low, high = predicted(y, v, 0.95)
    assert (high - low) / 2 == pytest.approx(1.966 * y.std(ddof=1), rel=0.01)


@given(st.integers(0, 1000), st.floats(0.1, 10), st.floats(-5, 5))
def test_intervals_move_with_the_values(seed, factor, shift):
    y, v = drawn(seed, 4, 0.2)
    expected = predicted(y, v, 0.9)
    found = predicted(factor * y + shift, factor**2 * v, 0.9)
    assert found == pytest.approx([factor * end + shift for end in expected], abs=1e-6 * factor)
    assert reml(factor * y, factor**2 * v) == pytest.approx(factor**2 * reml(y, v), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "spread", "least"), [(5, 0.0, 0.93), (5, 0.15, 0.90), (8, 0.35, 0.92), (15, 0.35, 0.88)]
)
def test_coverage(k, spread, least):
    """Part of the table of docs/studies.md: AUC of studies whose d' varies with this SD."""
    rng = np.random.default_rng(1)
    true = stats.norm.cdf(1.2 / math.sqrt(2))
    hits = np.zeros((200, 3))
    for run in hits:
        found = []
        for d in rng.normal(1.2, spread, k):
            size = int(rng.integers(60, 400))
            y = np.arange(size) % 4 == 0
            found.append(
                pauci.estimate(pauci.Sample(y, y * d + rng.normal(size=size)), pauci.AUC())
            )
        new = stats.norm.cdf(rng.normal(1.2, spread) / math.sqrt(2))
        m, fixed = (pauci.meta(found, effects=effects) for effects in ("random", "fixed"))
        for i, (x, ends) in enumerate(
            ((true, m.interval()), (new, m.prediction()), (true, fixed.interval()))
        ):
            run[i] = ends.low < x < ends.high
    mean, prediction, of_fixed = hits.mean(axis=0)
    assert mean > 0.91
    assert prediction > least
    assert of_fixed < (0.92 if spread else 0.99)


# Results


@pytest.mark.parametrize(
    "measure",
    [
        pauci.AUC(),
        pauci.PAUC(fpr=(0, 0.2)),
        pauci.PAUCc(fpr=(0, 0.2)),
        pauci.AP(prevalence=0.2),
        pytest.param(pauci.AUK(), marks=pytest.mark.keep),  # its range is wider than its bounds
        pauci.Sensitivity(threshold=0.5),
        pauci.LRPositive(threshold=0.5),
        pauci.Youden(threshold=0.5),
    ],
)
def test_a_measure_is_pooled_on_its_scale(measure):
    found = estimates(measure)
    m = pauci.meta(found)
    low, high = next(iter(found.values())).scale
    to_scale = {
        "logit": lambda x: np.log((x - low) / (high - x)),
        "log": np.log,
    }["log" if math.isinf(high) else "logit"]
    y = np.array([to_scale(e.value) for e in found.values()])
    step = 1e-6
    v = np.array(
        [
            (e.se * (to_scale(e.value + step) - to_scale(e.value - step)) / (2 * step)) ** 2
            for e in found.values()
        ]
    )
    assert m.y == pytest.approx(y)
    assert m.v == pytest.approx(v, rel=1e-6)
    w = 1 / (v + m.tau2)
    mean = (w * y).sum() / w.sum()
    se = math.sqrt((w * (y - mean) ** 2).sum() / 4 / w.sum())
    assert to_scale(m.value) == pytest.approx(mean, rel=1e-6)
    reach = stats.t.ppf(0.95, 4) * se
    assert [to_scale(x) for x in m.interval(0.9)] == pytest.approx(
        [mean - reach, mean + reach], rel=1e-5
    )
    assert m.weights == pytest.approx(w / w.sum(), rel=1e-6)
    inside = low < m.prediction().low < m.interval().low < m.value
    assert inside
    assert m.value < m.interval().high < m.prediction().high < high


def test_documents_files_and_results_give_the_same_numbers(tmp_path):
    found = estimates()
    expected = pauci.meta(found)
    paths = {}
    for name, e in found.items():
        paths[name] = tmp_path / f"{name}.json"
        paths[name].write_text(e.to_json(), encoding="utf-8")
    for same in (
        {n: e.to_json() for n, e in found.items()},
        {n: pauci.read_result(e.to_json()) for n, e in found.items()},
        paths,
    ):
        m = pauci.meta(same)
        assert (m.value, m.se, m.interval(), m.prediction()) == (
            expected.value,
            expected.se,
            expected.interval(),
            expected.prediction(),
        )
        assert m.summary() == expected.summary()
    assert [r.name for r in pauci.meta(list(found.values())).studies] == [
        f"study {i}" for i in range(1, 6)
    ]


def test_differences_are_pooled():
    found = {
        n: pauci.compare(s, pauci.PAUC(fpr=(0, 0.2))) for n, s in sites(names=("svm", "nn")).items()
    }
    m = pauci.meta(found)
    assert m.y.tolist() == [c.difference for c in found.values()]
    assert m.scale.kind == "wald"
    assert m.df == 4
    # Tables print areas as average rates, and results are areas.
    low, high = m.interval()
    assert f"{5 * m.value:.3f} ({5 * low:.3f} to {5 * high:.3f})" in m.summary()
    assert m.report().startswith(
        "In 5 studies, the mean difference in average sensitivity of svm - nn at FPR 0 to 0.2 was "
    )


def test_the_table_the_frame_and_the_sentence():
    m = pauci.meta(estimates())
    frame = m.to_frame()
    assert frame["study"].tolist() == [*(f"site {i}" for i in range(5)), "mean", "new study"]
    assert frame["weight"][:5].sum() == pytest.approx(1)
    assert frame.loc[5, ["value", "se", "low", "high"]].tolist() == [m.value, m.se, *m.interval()]
    assert frame.loc[6, ["low", "high"]].tolist() == list(m.prediction())
    assert frame["n_pos"].tolist() == [54] * 5 + [270] * 2
    summary = " ".join(m.summary().split())
    assert "Area under the ROC curve (AUC) of svm in 5 studies" in summary
    assert "mean 270/800" in summary
    h = m.heterogeneity
    assert f"Q(4) = {h.Q:.2f}" in summary
    assert f"I2 = {100 * h.I2:.0f}%" in m.report()
    assert h.pvalue == pytest.approx(stats.chi2.sf(h.Q, 4))
    assert max(0, 1 - 4 / h.Q) == h.I2
    assert h.tau2_low <= m.tau2 == h.tau2 <= h.tau2_high
    document = json.loads(m.to_json())
    assert [row["study"] for row in document["rows"]] == frame["study"].tolist()
    assert len(document["sizes"]) == 5
    assert repr(m).startswith("MetaAnalysis(5 studies, AUC(): 0.7")


@pytest.mark.parametrize("name", ["mean", "new study"])
def test_studies_may_have_the_names_of_other_rows(name):
    pytest.importorskip("matplotlib")
    plain, found = (
        pauci.meta(dict(zip(n, estimates().values(), strict=True)))
        for n in ("abcde", [name, *"bcde"])
    )
    expected = [line.split() for line in plain.summary().splitlines() if line.startswith("a ")]
    lines = [line for line in found.summary().splitlines() if line.startswith(name)]
    assert lines[0].removeprefix(name).split() == expected[0][1:]
    assert len(expected[0]) == 7
    assert len(lines) == 2
    overall, squares = (
        [line.get_label() for line in ax.patches + ax.lines].count(label)
        for ax, label in ((found.plot(), "_overall"), (found.plot(), "_estimate"))
    )
    assert (overall, squares) == (1, 6)


def test_names_that_are_equal_as_texts_are_studies():
    a, b = estimates(count=2).values()
    assert [r.name for r in pauci.meta({1: a, "1": b}).studies] == ["1", "1"]


def test_intervals_of_studies_at_other_levels():
    found = estimates()
    stored = pauci.meta(found).to_frame()
    assert stored["low"][0] == found["site 0"].interval().low
    m = pauci.meta(found)
    other = m.to_frame(0.9)
    assert other["low"][0] == pytest.approx(found["site 0"].interval(0.9).low, abs=2e-3)
    assert "from the SE" in " ".join(m.summary(0.9).split())
    assert "from the SE" not in m.summary()
    with pytest.raises(pauci.InputError, match="kind"):
        m.summary(kind="wald")


def test_fixed_effects_are_stated():
    m = pauci.meta(estimates(), effects="fixed")
    mean = (m.y / m.v).sum() / (1 / m.v).sum()
    assert m.scale.transform(m.value) == pytest.approx(mean)
    reach = stats.norm.ppf(0.975) / math.sqrt((1 / m.v).sum())
    assert [m.scale.transform(x) for x in m.interval()] == pytest.approx(
        [mean - reach, mean + reach]
    )
    assert "too narrow" in " ".join(m.summary().split())
    assert m.to_frame()["study"].tolist()[-1] == "mean"
    with pytest.raises(pauci.InputError, match="no prediction interval") as caught:
        m.prediction()
    assert caught.value.argument == "effects"


def test_cautions_of_studies_are_stated():
    found = estimates(pauci.PAUCc(fpr=(0, 0.02)), size=90)
    m = pauci.meta(found)
    cautions = {str(c) for e in found.values() for c in e.cautions}
    assert cautions
    summary = " ".join(m.summary().split())
    assert all(" ".join(c.split()) in summary for c in cautions)


def test_the_forest_plot():
    pytest.importorskip("matplotlib")
    found = estimates()
    ax = pauci.meta(found).plot()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [*found, "mean", "new study"]
    assert "New study: 95% prediction interval" in " ".join(ax.get_xlabel().split())


def test_groups_of_one_sample_are_studies():
    joined = pauci.Sample.concat(sites(3))
    by_site = pauci.estimate(joined, pauci.AUC(), by="sample")
    m = pauci.meta({str(e.group): e for e in by_site})
    assert m.value == pytest.approx(pauci.meta(estimates(count=3)).value)


# Bad input


def two(**options):
    return list(estimates(count=2, **options).values())


E1, E2 = two()
PAIR = sites(count=2, names=("svm", "nn"))
C1, C2 = (pauci.compare(s, pauci.AUC()) for s in PAIR.values())
with quiet():
    PERFECT = pauci.estimate(pauci.Sample([0] * 9 + [1] * 9, range(18)), pauci.AUC())
    RESCALED = two(measure=pauci.AP(rescaled=True))[:1]
    RESCALED += two(measure=pauci.AP(rescaled=True), size=100)[1:]


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([E1], "1 result; .* at least two"),
        ({}, "0 results"),
        ("a.json", "results"),
        (3, "results"),
        ([E1, E1], "the same result"),
        ({"a": E1, "b": E1.to_json()}, "a and b have the same result"),
        ([E1, two(measure=pauci.AP())[1]], r"different measures: AUC\(\), AP\(\)"),
        (
            [two(measure=pauci.PAUC(fpr=(0, f)))[i] for i, f in enumerate((0.1, 0.2))],
            "different measures: .*0.1.*0.2",
        ),
        (
            [
                two(measure=pauci.PAUC(fpr=(0, 0.1), normalized=n))[i]
                for i, n in enumerate((False, True))
            ],
            "different measures: .*normalized",
        ),
        ([E1, C1], "different kinds of value: estimate, difference"),
        (
            [C1, pauci.compare(PAIR["site 1"][["nn", "svm"]], pauci.AUC())],
            "different differences: svm - nn, nn - svm",
        ),
        ([pauci.estimate(PAIR["site 0"][n], pauci.AUC()) for n in ("svm", "nn")], "same rows"),
        ([E1, PERFECT], "standard error 0, and therefore no weight"),
        (RESCALED, "different ranges"),
        ([E1, "{}"], "study 2: .*schema"),
        ([E1, 3], "study 2: .*document"),
        ([E1, pauci.compare(PAIR["site 0"], [pauci.AUC(), pauci.AP()])], "study 2: .*2 results"),
    ],
)
def test_bad_results(results, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        pauci.meta(results)
    assert caught.value.argument in ("results", "document")


def test_bad_effects():
    with pytest.raises(pauci.InputError, match="random") as caught:
        pauci.meta([E1, E2], effects="mixed")
    assert caught.value.argument == "effects"


def test_equal_values_have_no_variance():
    documents = [E1.to_dict(), E1.to_dict()]
    documents[1]["quantities"][0]["se"] *= 2
    with pytest.raises(pauci.UndefinedError, match="same value"):
        pauci.meta(documents)
    assert pauci.meta(documents, effects="fixed").value == pytest.approx(E1.value)
