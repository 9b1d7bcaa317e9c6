"""Groups along the curve: parts that sum to the whole, for every axis and design."""

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
from strategies import samples

RNG = np.random.default_rng(5)
N = 400
Y = (RNG.random(N) < 0.4).astype(int)
A = Y + RNG.normal(size=N)
B = 0.5 * A + 0.6 * Y + RNG.normal(size=N)

GROUPS = {
    "fpr": (0, 0.1, 0.3, 1),
    "tpr": (0, 0.4, 0.7, 1),
    "rank": (0, 0.25, 0.5, 0.75, 1),
    "threshold": (-math.inf, 0, 0.7, math.inf),
}
DESIGNS = {
    "plain": {},
    "case-control": {"design": "case-control"},
    "frequency": {"frequency": np.arange(N) % 3 + 1},
    "weight": {"weight": RNG.uniform(0.2, 2, N)},
    "cluster": {"cluster": np.arange(N) // 3},
}


def positions(p, quantity="paucc"):
    own = {id(g.estimates[quantity]) for g in p if quantity in g.estimates}
    return [i for i, e in enumerate(p.estimates) if id(e) in own]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("by", GROUPS)
@pytest.mark.usefixtures("quiet")
def test_parts_sum_to_the_whole(by, design):
    """Both values and covariances: the sum of the covariance matrix is the variance of the AUC.

    The curves with moved ends of the parts do not add up exactly.
    """
    p = pauci.profile(pauci.Sample(Y, A, **DESIGNS[design]), by, GROUPS[by])
    parts = positions(p)
    assert sum(p["paucc"].value) == pytest.approx(p.auc.value, abs=1e-13)
    assert p.total.value == pytest.approx(p.auc.value, abs=1e-13)
    exact = by in ("rank", "threshold") and design != "weight"
    assert p.total.se == pytest.approx(p.auc.se, rel=1e-12 if exact else 0.03)
    assert p.cov[np.ix_(parts, parts)].sum() == pytest.approx(p.total.se**2, rel=1e-11)
    assert sum(p["n_pos"].value) == pytest.approx(p.auc.n_pos)
    assert sum(p["n_neg"].value) == pytest.approx(p.auc.n_neg)


@given(samples(), st.sampled_from(["fpr", "tpr", "rank", "threshold"]))
def test_parts_sum_to_the_whole_of_small_tied_samples(data, by):
    y, s = data
    edges = (-1, 2, 5, 13) if by == "threshold" else (0, 0.15, 0.4, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        p = pauci.profile(pauci.Sample(y, s), by, edges)
    assert p.total.value == pytest.approx(p.auc.value, abs=1e-12)
    if by in ("rank", "threshold"):
        assert p.total.se == pytest.approx(p.auc.se, rel=1e-9, abs=1e-12)
    for g in p:
        for e in g.estimates.values():
            low, high = e.interval()
            assert math.isfinite(e.value)
            assert low - 1e-12 <= e.value <= high + 1e-12
        assert set(g.estimates).isdisjoint(g.undefined)


@pytest.mark.parametrize("ends", ["north-east", "middle"])
@pytest.mark.parametrize("by", ["fpr", "tpr"])
@pytest.mark.usefixtures("quiet")
def test_areas_are_those_of_estimate(by, ends):
    sample = pauci.Sample(Y, A)
    p = pauci.profile(sample, by, GROUPS[by], ends=ends)
    for g in p:
        where = {by: (g.low, g.high), "ends": ends}
        for name, m in {
            "paucc": pauci.PAUCc(**where),
            "normalized": pauci.PAUCc(**where, normalized=True),
            "sensitivity": pauci.PAUC(**where, normalized=True),
            "specificity": pauci.PAUCx(**where, normalized=True),
        }.items():
            e = pauci.estimate(sample, m)
            assert (g[name].value, g[name].se) == pytest.approx((e.value, e.se), rel=1e-12)
            assert g[name].interval() == pytest.approx(e.interval(), rel=1e-12)


def test_groups_by_rank_against_brute_force():
    """Deciles of untied scores hold whole rows: counts and average sensitivity by loops."""
    order = np.argsort(-A)
    p = pauci.profile(pauci.Sample(Y, A), "rank", np.linspace(0, 1, 5))
    for k, g in enumerate(p):
        inside = order[100 * k : 100 * (k + 1)]
        assert g.n_pos == pytest.approx(Y[inside].sum())
        assert g.n_neg == pytest.approx(100 - Y[inside].sum())
        heights = [(A[Y == 1] > A[i]).mean() for i in inside if Y[i] == 0]
        widths = [(A[Y == 0] < A[i]).mean() for i in inside if Y[i] == 1]
        assert g["sensitivity"].value == pytest.approx(np.mean(heights))
        assert g["specificity"].value == pytest.approx(np.mean(widths))
        se, sp, share = np.mean(heights), np.mean(widths), Y.mean()
        assert g["lr_pos"].value == pytest.approx(se / (1 - sp))
        assert g["lr_neg"].value == pytest.approx((1 - se) / sp)
        ppv = share * se / (share * se + (1 - share) * (1 - sp))
        assert g["ppv"].value == pytest.approx(ppv)
        npv = (1 - share) * sp / ((1 - share) * sp + share * (1 - se))
        assert g["npv"].value == pytest.approx(npv)


@pytest.mark.parametrize("by", ["fpr", "tpr", "rank", "threshold"])
@pytest.mark.usefixtures("quiet")
def test_standard_errors_are_those_of_the_bootstrap(by):
    """All quantities, edges estimated or not, within the accuracy of 600 resamples."""
    sample = pauci.Sample(Y, A)
    edges = (0, 0.45, 1) if by != "threshold" else (-math.inf, 0.6, math.inf)
    p = pauci.profile(sample, by, edges)
    q = pauci.profile(sample, by, edges, variance=pauci.Bootstrap(600, rng=3))
    for one, two in zip(p.estimates, q.estimates, strict=True):
        if math.isinf(one.bounds.high):  # ratios are skewed; their intervals are on the logarithm
            spread = np.log(two.resampled.replicates).std()
            assert one.se / one.value == pytest.approx(spread, rel=0.2), one
        else:
            assert one.se == pytest.approx(two.se, rel=0.2), (one, two)


@pytest.mark.usefixtures("quiet")
def test_tripled_rows_are_frequencies():
    for by, edges in GROUPS.items():
        one = pauci.profile(pauci.Sample(Y, A, frequency=np.full(N, 3)), by, edges)
        three = pauci.profile(pauci.Sample(np.tile(Y, 3), np.tile(A, 3)), by, edges)
        for a, b in zip(one.estimates, three.estimates, strict=True):
            assert (a.value, a.se) == pytest.approx((b.value, b.se), rel=1e-9)


@pytest.mark.usefixtures("quiet")
def test_order_and_monotone_transforms_do_not_matter():
    order = np.random.default_rng(2).permutation(N)
    for by in ("fpr", "tpr", "rank"):
        a = pauci.profile(pauci.Sample(Y, A), by, GROUPS[by])
        b = pauci.profile(pauci.Sample(Y[order], np.exp(A[order])), by, GROUPS[by])
        np.testing.assert_allclose(a.cov, b.cov, rtol=1e-9, atol=1e-15)
        frames = a.to_frame(), b.to_frame()
        np.testing.assert_allclose(*(f[["value", "low", "high"]].to_numpy() for f in frames))


@pytest.mark.usefixtures("quiet")
def test_lower_is_positive_mirrors_the_scale():
    up = pauci.profile(pauci.Sample(Y, A), "threshold", (-math.inf, 0, 0.7, math.inf))
    down = pauci.profile(
        pauci.Sample(Y, -A, lower_is_positive=True), "threshold", (-math.inf, -0.7, 0, math.inf)
    )
    for a, b in zip(up, reversed(down.groups), strict=True):
        assert a["paucc"].value == pytest.approx(b["paucc"].value)
        assert a["lr_pos"].se == pytest.approx(b["lr_pos"].se)
    assert down[0].region == "scores from -0.7 down"


def test_a_known_prevalence_has_no_error():
    p = pauci.profile(pauci.Sample(Y, A), "fpr", (0, 0.2, 1))
    n0 = int((Y == 0).sum())
    assert p[0].cell("n_neg")[:4] == pytest.approx((0.2 * n0, 0.0, 0.2 * n0, 0.2 * n0))
    assert p[0].cell("n_neg").kind == "known"
    assert p[0].cell("n_pos").se > 0


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("kind", "used"), [("log", "logit"), ("logit", "logit"), ("wald", "wald")])
def test_tables_and_sentences_have_a_kind_that_the_auc_has(kind, used):
    p = pauci.profile(pauci.Sample(Y, A), "fpr", (0, 0.2, 1))
    ends = [f"{end:.3f}" for end in p.auc.interval(kind=used)]
    assert all(end in p.summary(kind=kind) for end in ends)
    assert f"(95% CI {ends[0]} to {ends[1]})" in p.report(kind=kind)


@pytest.mark.usefixtures("quiet")
def test_undefined_cells_state_the_reason():
    y = np.repeat([1, 0], 30)
    p = pauci.profile(pauci.Sample(y, np.arange(60)[::-1]), "rank", (0, 0.25, 1))
    assert "no negative" in p[0].undefined["sensitivity"]
    assert math.isnan(p["sensitivity"].value[0])
    assert "no negative" in " ".join(p.summary().split())
    row = p.to_frame().query("group == 1 and measure == 'lr_pos'").iloc[0]
    assert math.isnan(row["value"])
    assert "no negative" in row["undefined"]
    with pytest.raises(KeyError, match="no negative"):
        p[0]["sensitivity"]


@pytest.mark.usefixtures("quiet")
def test_a_range_without_rows_is_undefined_and_not_dropped():
    p = pauci.profile(
        pauci.Sample([1, 0, 1, 0, 1, 0] * 5, [1, 2, 5, 1, 6, 2] * 5), "threshold", (0, 3, 4, 9)
    )
    assert len(p) == 3
    assert "no row" in p[1].undefined["paucc"]
    assert np.isnan(p["paucc"].value).tolist() == [False, True, False]
    assert np.nansum(p["paucc"].value) == pytest.approx(p.auc.value)
    p.report()


def test_several_classifiers_have_a_profile_each():
    both = pauci.profile(pauci.Sample(Y, {"a": A, "b": B}), "fpr", (0, 0.2, 1))
    assert isinstance(both, pauci.Profiles)
    alone = pauci.profile(pauci.Sample(Y, B), "fpr", (0, 0.2, 1))
    np.testing.assert_allclose(both["b"].cov, alone.cov)
    assert set(both.to_frame()["classifier"]) == {"a", "b"}
    with pytest.raises(KeyError, match="c"):
        both["c"]


def test_sentences_list_the_groups_and_the_area():
    y = np.arange(1249) % 2
    score = y + np.random.default_rng(1).normal(size=y.size)
    p = pauci.profile(pauci.Sample(y, score), "fpr", (0, 0.1, 0.5, 1))
    text, note = p.report(), " ".join(p.summary().split())
    assert re.findall(r"([\d.]+) negatives\)", text) == ["62.5", "250", "312"]
    assert ") and 0." in text
    area = p.auc.interval()
    words = f"AUC, {p.auc.value:.3f} ({area.low:.3f} to {area.high:.3f})."
    assert f"The pAUCc sum to the {words}" in note


def test_combined_by_kind():
    with pytest.warns(pauci.PauciWarning) as caught:
        p = pauci.profile(pauci.Sample(Y, A), "fpr", np.linspace(0, 1, 201))
    kinds = [w.category for w in caught]
    assert len(kinds) == len(set(kinds))
    assert pauci.errors.SmallRegionWarning in kinds
    assert "more of this kind" in str(caught[0].message)
    assert any(e.cautions for e in p.estimates)


def test_the_case_control_warning_is_issued_once():
    sample = pauci.Sample(Y, A, design="case-control")
    with pytest.warns(pauci.errors.SamplingRatioWarning) as caught:
        pauci.profile(sample, "rank", (0, 0.3, 1))
    assert len(caught) == 1
    pauci.profile(sample, "fpr", (0, 0.3, 1), prevalence=0.1)
    with pytest.warns(pauci.errors.SamplingRatioWarning, match="groups by rank"):
        pauci.profile(sample, "rank", (0, 0.3, 1), prevalence=0.1)


def test_the_estimates_are_a_family_of_all_groups():
    p = pauci.profile(pauci.Sample(Y, A), "fpr", GROUPS["fpr"])
    assert isinstance(p.estimates, pauci.Estimates)
    at = positions(p, "normalized")
    weights = np.zeros(len(p.estimates))
    weights[at[0]], weights[at[1]] = 1.0, -1.0
    change = p.estimates.contrast(weights)
    variances = p.cov[np.ix_(at[:2], at[:2])]
    assert change.se**2 == pytest.approx(variances.trace() - 2 * variances[0, 1])
    together = pauci.estimate(pauci.Sample(Y, A), [p[i]["normalized"].measure for i in range(3)])
    series = p.series("normalized", 0.9)
    ends = series.simultaneous_low, series.simultaneous_high
    np.testing.assert_allclose(np.transpose(ends), together.simultaneous(0.9), rtol=1e-9)


def test_simultaneous_intervals_are_wider():
    p = pauci.profile(pauci.Sample(Y, A), "fpr", GROUPS["fpr"])
    s = p.series("normalized", 0.9)
    assert (s.simultaneous_low < s.low).all()
    assert (s.simultaneous_high > s.high).all()
    assert s.low_edge.tolist() == [0, 0.1, 0.3]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"by": "fp"}, "Did you mean 'fpr'"),
        ({"edges": (0, 0.5)}, r"edges=\(0, 0.5, 1\)"),
        ({"edges": (0, 0.5, 0.2, 1)}, r"Did you mean \(0, 0.2, 0.5, 1\)"),
        ({"edges": (0, 10, 100)}, "percentages"),
        ({"edges": 0.1}, "single value"),
        ({"edges": "0 1"}, "sequence"),
        ({"by": "threshold", "edges": (0, 1)}, r"edges=\(-inf, inf\)"),
        ({"by": "threshold", "edges": (0, math.nan)}, "numbers"),
        ({"ends": "south"}, "ends='south'"),
        ({"prevalence": 2}, "prevalence=2"),
        ({"variance": "boot"}, "Did you mean 'bootstrap'"),
        ({"level": 0.9}, "level= is not an argument"),
    ],
)
def test_errors_about_bad_input_have_hints(arguments, words):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        pauci.profile(pauci.Sample(Y, A), **arguments)
    with pytest.raises(pauci.InputTypeError, match="needs a Sample"):
        pauci.profile(A)


def test_categories_cannot_be_cut_by_numbers():
    pd = pytest.importorskip("pandas")
    ratings = pd.Categorical(["a", "b", "c"] * 20, ["a", "b", "c"], ordered=True)
    with pytest.raises(pauci.InputError, match="categories"):
        pauci.profile(pauci.Sample([0, 1, 1, 0] * 15, ratings), "threshold", (0, 1))
