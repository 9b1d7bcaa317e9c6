"""Pooled two-by-two tables against brute-force integration, mada, mixmetapy and laws."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.special import expit, logit

import pauci
from pauci.analyses.meta_accuracy import (
    exact_loss,
    mean_height,
    numerical_gradient,
    restricted_loss,
)

AUDIT_C = pauci.datasets.load_audit_c()
COLUMNS = {name: name for name in ("tp", "fn", "fp", "tn")}
COUNTS = AUDIT_C.to_numpy(np.float64)
TYPED = AUDIT_C.assign(type=["x", "y"] * 7)


def pooled(frame=AUDIT_C, **options):
    return pauci.meta_accuracy(frame, **COLUMNS, **options)


@pytest.fixture(scope="module")
def exact():
    return pooled()


@pytest.fixture(scope="module")
def restricted():
    return pooled(method="reml")


# The likelihoods


@pytest.mark.parametrize(
    "counts",
    [(12, 3, 7, 40), pytest.param((9, 0, 2, 30), marks=pytest.mark.keep), (0, 5, 0, 8)],
)
@pytest.mark.parametrize(
    "z", [(1.5, -1.5, 0.8, 0.3, 0.5), (2.0, -1.0, 0.6, -0.9, 0.0), (1.0, -2.0, 0.0, 0.4, 0.3)]
)
def test_exact_likelihood_is_the_integral(counts, z):
    """The integral of binomial probabilities over both random effects, also if one has no variance.

    Where an effect has no variance, the integral over it is 1.
    """
    tp, fn, fp, tn = counts
    m1, m2, a, b, c = z

    grid = np.linspace(-9, 9, 721)  # trapezoid sums of analytic functions converge exponentially
    first, second = np.meshgrid(grid, grid, indexing="ij")
    density = stats.norm.pdf(first) * stats.norm.pdf(second) * (grid[1] - grid[0]) ** 2
    density *= stats.binom.pmf(tp, tp + fn, expit(m1 + a * first))
    density *= stats.binom.pmf(fp, fp + tn, expit(m2 + b * first + c * second))
    integral = density.sum()
    loss, _ = exact_loss(np.array(z), np.array([counts], float), np.ones((1, 1)))
    coefficients = math.comb(tp + fn, tp) * math.comb(fp + tn, fp)
    assert math.exp(-loss) * coefficients == pytest.approx(integral, rel=1e-6)


def test_gradient_is_that_of_the_likelihood():
    design = np.eye(2)[np.arange(14) % 2]
    z = np.array([2.0, 1.5, -1.0, -1.5, 1.1, 0.4, 0.5])
    _, gradient = exact_loss(z, COUNTS, design)
    numerical = numerical_gradient(lambda x: exact_loss(x, COUNTS, design)[0], z)
    assert gradient == pytest.approx(numerical, rel=1e-4, abs=1e-3)


def test_restricted_likelihood_is_that_of_all_contrasts():
    """The normal density of error contrasts, which do not depend on the means (Harville 1974)."""
    rng = np.random.default_rng(2)
    counts = rng.integers(3, 40, (6, 4)).astype(float)
    y = np.log(counts[:, [0, 2]] / counts[:, [1, 3]]).ravel()
    within = (1 / counts[:, [0, 2]] + 1 / counts[:, [1, 3]]).ravel()
    design = np.kron(np.ones((6, 1)), np.eye(2))
    contrasts = np.linalg.svd(design)[0][:, 2:]

    def criterion(lower):
        a, b, c = lower
        between = np.kron(np.eye(6), [[a * a, a * b], [a * b, b * b + c * c]])
        v = contrasts.T @ (np.diag(within) + between) @ contrasts
        return -stats.multivariate_normal.logpdf(contrasts.T @ y, cov=v)

    def at_means(lower):
        a, b, c = lower
        v = np.diag(within) + np.kron(np.eye(6), [[a * a, a * b], [a * b, b * b + c * c]])
        inverse = np.linalg.inv(v)
        means = np.linalg.solve(design.T @ inverse @ design, design.T @ inverse @ y)
        return restricted_loss(np.array([*means, *lower]), counts, np.ones((6, 1)))

    points = [(0.5, 0.2, 0.3), (1.0, -0.4, 0.1), (0.0, 0.2, 0.7)]
    differences = [criterion(x) - at_means(x) for x in points]
    assert differences == pytest.approx([differences[0]] * 3, abs=1e-9)


@pytest.mark.parametrize("method", ["binomial", "reml"])
def test_estimates_are_a_maximum(method):
    a = pooled(TYPED, by="type", method=method)
    design = np.eye(2)[np.arange(14) % 2]
    if method == "binomial":
        at = numerical_gradient(lambda x: exact_loss(x, COUNTS, design)[0], a.z)
    else:
        at = numerical_gradient(lambda x: restricted_loss(x, COUNTS + 0.5, design), a.z)
    assert at == pytest.approx(0.0, abs=1e-3)
    assert np.linalg.eigvalsh(a.cov).min() > 0.0


def test_more_nodes_do_not_change_the_estimates(exact, monkeypatch):
    monkeypatch.setattr("pauci.analyses.meta_accuracy._NODES", 25)
    assert pooled().z == pytest.approx(exact.z, abs=1e-3)


# Other software


def test_mada_on_the_data_of_its_vignette(restricted):
    """mada 0.5.11, reitsma(AuditC): the printed digits."""
    assert restricted.z[:2].round(4).tolist() == [2.0997, -1.2637]
    errors = np.sqrt(restricted.cov.diagonal()[:2])
    assert errors.round(3).tolist() == [0.338, 0.174]
    numbers = (*restricted.sd, restricted.correlation)
    assert [round(x, 3) for x in numbers] == [1.175, 0.638, 0.854]


def test_mixmetapy_with_types():
    """mixmetapy 0.1.1, mixmeta(y, S, X, method="reml") with indicators of types as X."""
    a = pooled(TYPED, by="type", method="reml")
    assert a.z[:4] == pytest.approx([1.98592712, 2.22274827, -1.49479053, -1.04744687], abs=1e-6)
    errors = np.sqrt(a.cov.diagonal()[:4])
    assert errors == pytest.approx([0.48464034, 0.48066989, 0.2435658, 0.23885766], abs=1e-6)
    assert a.cov[0, 2] == pytest.approx(0.0930969, abs=1e-6)
    assert a.sd == pytest.approx(np.sqrt([1.4176929, 0.38892589]), abs=1e-5)


def test_areas_of_mada_divide_98_trapezoids_by_99(restricted):
    """mada 0.5.11 prints .861 over the observed FPRs, 98/99 of the mean height (R/AUC.R)."""
    fpr = AUDIT_C["fp"] / (AUDIT_C["fp"] + AUDIT_C["tn"])
    area = restricted.area((fpr.min(), fpr.max())).value
    assert round(area, 3) == 0.870
    assert round(area * 98 / 99, 3) == 0.861


# Rates, curve and areas


def test_rates_are_those_of_the_means(exact):
    sensitivity, specificity = exact.rate("sensitivity"), exact.rate("specificity")
    assert sensitivity.value == pytest.approx(expit(exact.z[0]), rel=1e-12)
    assert specificity.value == pytest.approx(1 - expit(exact.z[1]), rel=1e-12)
    t = stats.t.ppf(0.975, 13)
    ends = exact.z[0] + np.array([-1, 1]) * t * math.sqrt(exact.cov[0, 0])
    assert sensitivity.interval() == pytest.approx(expit(ends), rel=1e-6)


def test_curve_passes_through_the_pooled_point(exact):
    sensitivity, fpr = exact.rate("sensitivity"), 1 - exact.rate("specificity").value
    at = exact.sroc(fpr)
    assert at.value == pytest.approx(sensitivity.value, abs=1e-5)  # bounds are rational numbers


@pytest.mark.parametrize("ends", [(0, 1), (0, 0.2), (0.05, 0.5), (0.9, 1)])
def test_area_is_the_mean_height(exact, ends):
    first, second = exact.sd
    low, high = ends
    integral, _ = integrate.quad(
        lambda x: expit(exact.z[0] + first / second * (logit(x) - exact.z[1])), low, high
    )
    assert exact.area(ends).value == pytest.approx(integral / (high - low), abs=1e-8)


@pytest.mark.parametrize("slope", [0.05, 0.5, 1.0, 6.0])
def test_mean_height_of_flat_and_steep_curves(slope):
    z = np.array([1.0, -1.5, slope, 0.6, 0.8])
    integral, _ = integrate.quad(lambda x: expit(1 + slope * (logit(x) + 1.5)), 0, 1, limit=500)
    assert mean_height(z, 0, 0.0, 1.0) == pytest.approx(integral, abs=1e-6)


def test_standard_errors_of_areas_are_those_of_draws(exact):
    rng = np.random.default_rng(1)
    draws = rng.multivariate_normal(exact.z, exact.cov / 100, 2000)
    values = [mean_height(z, 0, 0.0, 0.2) for z in draws]
    assert exact.area((0, 0.2)).se == pytest.approx(10 * np.std(values), rel=0.05)


# Laws


def test_exchanging_the_classes_exchanges_the_rates(exact):
    """Negatives as positives, with the other result as positive."""
    exchanged = AUDIT_C.set_axis(["tn", "fp", "fn", "tp"], axis=1)
    a = pooled(exchanged)
    for rate, other in (("sensitivity", "specificity"), ("specificity", "sensitivity")):
        assert a.rate(rate).value == pytest.approx(exact.rate(other).value, abs=1e-4)
        assert a.rate(rate).se == pytest.approx(exact.rate(other).se, abs=1e-4)
    assert a.correlation == pytest.approx(exact.correlation, abs=1e-3)


def test_order_of_studies_and_index_do_not_matter(exact):
    a = pooled(AUDIT_C.iloc[::-1].rename(index=str))
    assert a.z == pytest.approx(exact.z, abs=1e-4)


def test_equal_types_have_equal_rates(exact):
    twice = pd.concat([AUDIT_C.assign(type=t) for t in ("a", "b")])
    a = pooled(twice, by="type")
    assert a.groups == ("a", "b")
    for rate in ("sensitivity", "specificity"):
        assert a.rate(rate, "a").value == pytest.approx(exact.rate(rate).value, abs=1e-3)
    row = a.to_frame().query("group == 'b - a' and measure == 'sensitivity'").iloc[0]
    assert row["value"] == pytest.approx(0.0, abs=1e-5)
    assert row["pvalue"] == pytest.approx(1.0, abs=1e-3)


def test_differences_between_types_are_tested():
    a = pooled(TYPED, by="type")
    row = a.to_frame().query("group == 'y - x' and measure == 'specificity'").iloc[0]
    values = [a.rate("specificity", g) for g in "yx"]
    assert row["value"] == pytest.approx(values[0].value - values[1].value, rel=1e-12)
    assert row["df"] == 12
    assert row["pvalue"] == pytest.approx(2 * stats.t.sf(abs(row["value"] / row["se"]), 12), 1e-9)


# Zero counts and boundaries


def test_zero_counts_bias_the_restricted_estimate():
    """Eight studies of 20 positives near .95: 0.5 pulls the pooled sensitivity down."""
    rng = np.random.default_rng(3)
    tp = rng.binomial(20, 0.96, 8)
    frame = pd.DataFrame({"tp": tp, "fn": 20 - tp, "fp": range(2, 10), "tn": range(38, 30, -1)})
    raw = tp.sum() / 160
    exact, restricted = pooled(frame), pooled(frame, method="reml")
    assert exact.rate("sensitivity").value == pytest.approx(raw, abs=0.01)
    assert restricted.rate("sensitivity").value < raw - 0.01
    assert "0.5 was added to all" in restricted.summary()


def test_without_zero_counts_nothing_is_added():
    frame = AUDIT_C[AUDIT_C["fn"] > 0]
    a = pooled(frame, method="reml")
    assert "0.5 was added" not in a.summary()
    counts, design = frame.to_numpy(float), np.ones((len(frame), 1))
    at = numerical_gradient(lambda x: restricted_loss(x, counts, design), a.z)
    assert at == pytest.approx(0.0, abs=1e-4)


def test_correlation_at_the_boundary():
    frame = pd.DataFrame(
        {
            "tp": [10, 20, 30, 40, 45, 48],
            "fn": [40, 30, 20, 10, 5, 2],
            "fp": [2, 5, 12, 25, 50, 80],
            "tn": [98, 95, 88, 75, 50, 20],
        }
    )
    a = pooled(frame)
    assert a.correlation == pytest.approx(1.0, abs=1e-3)
    assert "at the boundary" in " ".join(a.summary().split())
    assert all(np.isfinite(e.se) and e.se > 0 for e in (a.rate("sensitivity"), a.area()))


def test_equal_studies_have_rates_and_no_curve():
    frame = pd.DataFrame({"tp": [40] * 5, "fn": [10] * 5, "fp": [20] * 5, "tn": [80] * 5})
    a = pooled(frame)
    assert a.rate("sensitivity").value == pytest.approx(0.8, abs=1e-3)
    assert a.rate("specificity").value == pytest.approx(0.8, abs=1e-3)
    binomial = math.sqrt(0.8 * 0.2 / 250)
    assert a.rate("sensitivity").se == pytest.approx(binomial, rel=0.01)
    with pytest.raises(pauci.UndefinedError, match="slope of the summary ROC curve"):
        a.area()
    with pytest.raises(pauci.UndefinedError):
        a.sroc(0.1)
    assert "no SROC curve" in " ".join(a.summary().split())
    assert len(a.to_frame()) == 2
    a.plot()


def test_negative_correlation_is_stated():
    tp, fp = np.array([45, 32, 41, 28, 36, 20]), np.array([5, 12, 18, 14, 30, 26])
    a = pooled(pd.DataFrame({"tp": tp, "fn": 50 - tp, "fp": fp, "tn": 100 - fp}), method="reml")
    assert -0.9 < a.correlation < -0.3
    assert "decreases with the FPR" in " ".join(a.summary().split())


# Results


def test_results_are_values(exact):
    assert pickle.loads(pickle.dumps(exact)) == exact
    assert exact.groups == ("all",)
    between = exact.to_dict()["parts"]["between studies"][0]
    assert between["correlation"] == exact.correlation
    assert exact.report().startswith(
        "The sensitivity in 14 studies was 0.925 (95% CI 0.819 to 0.971).\n"
    )
    assert exact.rate("sensitivity").test(0.8).pvalue == pytest.approx(0.022, abs=0.02)


def test_figure_has_the_curve_the_point_and_the_region(exact):
    ax = exact.plot(level=0.9)
    (x,), (y,) = ax.containers[0][0].get_data()
    assert (1 - x, y) == pytest.approx(
        (exact.rate("specificity").value, exact.rate("sensitivity").value)
    )
    assert "90% region" in ax.get_legend().get_texts()[1].get_text()


# Bad input


@pytest.mark.parametrize(
    ("changes", "argument", "words"),
    [
        ({"tp": [-1, *range(13)]}, "tp", "not be negative"),
        ({"fn": [0.5, *range(13)]}, "fn", "must be whole"),
        ({"fp": [None, *range(13)]}, "fp", "missing"),
        ({"tn": [np.inf, *range(13)]}, "tn", "finite"),
        ({"tn": ["12", *range(13)]}, "tn", "number"),
        ({"tp": [0, *range(1, 14)], "fn": [0, *range(1, 14)]}, "frame", "without positives"),
        ({"fp": [*range(13), 0], "tn": [*range(13, 0, -1), 0]}, "frame", "without negatives"),
        ({"fn": 0}, "fn", "0 in all studies"),
        ({"fp": 0}, "fp", "0 in all studies"),
    ],
)
def test_bad_counts(changes, argument, words):
    with pytest.raises((ValueError, TypeError), match=words) as raised:
        pooled(AUDIT_C.assign(**changes))
    assert raised.value.argument == argument


def test_rows_of_bad_studies_are_named():
    with pytest.raises(pauci.InputError) as raised:
        pooled(AUDIT_C.assign(tp=[1, 0, *range(12)], fn=[1, 0, *range(1, 13)]))
    assert [*raised.value.rows] == [1]


@pytest.mark.parametrize("studies", [0, 1, 3])
def test_too_few_studies(studies):
    with pytest.raises(
        pauci.InputError, match="no rows" if not studies else "at least 4"
    ) as raised:
        pooled(AUDIT_C.head(studies))
    assert raised.value.argument == "frame"


@pytest.mark.parametrize(
    ("types", "words"),
    [
        (["a"] * 13 + ["b"], "single study of the type 'b'"),
        ([*"abcdefghijklmn"], "at least 17"),
        ([None, *"abababababab", "a"], "missing"),
        ([*"aAaAaAaAaAaAaA"], "'A'"),
    ],
)
def test_bad_types(types, words):
    with pytest.raises(pauci.InputError, match=words):
        pooled(AUDIT_C.assign(type=types), by="type")


def test_all_counts_0_within_a_type():
    frame = TYPED.assign(fn=np.where(TYPED["type"] == "x", 0, 5))
    with pytest.raises(pauci.UndefinedError, match="of the type 'x'") as raised:
        pooled(frame, by="type")
    assert raised.value.argument == "fn"
    assert pooled(frame, by="type", method="reml").rate("sensitivity", "x").value > 0.9


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"tp": "fn"}, "tp"),
        ({"tp": "TP"}, "tp"),
        ({"by": "kind"}, "by"),
        ({"method": "ml"}, "method"),
    ],
)
def test_bad_arguments(options, argument):
    with pytest.raises(pauci.InputError) as raised:
        pauci.meta_accuracy(AUDIT_C, **{**COLUMNS, **options})
    assert raised.value.argument == argument


def test_bad_arguments_of_methods(exact):
    for call, argument in (
        (lambda: exact.rate("npv"), "rate"),
        (lambda: exact.rate("sensitivity", "x"), "group"),
        (lambda: exact.sroc(0), "fpr"),
        (lambda: exact.sroc(1), "fpr"),
        (lambda: exact.sroc(20), "fpr"),
        (lambda: exact.area((0.2, 0.1)), "fpr"),
        (lambda: pooled(TYPED, by="type").rate("sensitivity"), "group"),
        (lambda: exact.summary(kind="wald"), "kind"),
        (lambda: exact.plot(level=95), "level"),
    ):
        with pytest.raises(pauci.InputError) as raised:
            call()
        assert raised.value.argument == argument


def test_the_repr_has_the_pooled_rates():
    studies = pauci.datasets.load_audit_c()
    meta = pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp", tn="tn")
    assert repr(meta).splitlines() == [
        "AccuracyMeta(",
        "  14 studies,",
        "  sensitivity: 0.925, SE 0.032,",
        "  specificity: 0.782, SE 0.029,",
        ")",
    ]
