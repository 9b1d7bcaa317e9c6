"""`conservative=True`: twice the variance of averages over folds, in all results."""

import math
from dataclasses import replace

import numpy as np
import pytest

import pauci
from pauci.intervals.analytic import Limit, LimitOfDifference

TWICE = math.sqrt(2.0)
PART = pauci.PAUC(fpr=(0, 0.4))
MEASURES = [
    pauci.AUC(),
    PART,
    pauci.PAUCc(fpr=(0, 0.4)),
    pauci.PAUCx(tpr=(0.5, 1)),
    pauci.AP(),
    pauci.Sensitivity(fpr=0.3),
    pauci.AUK(),
]
SOURCES = ["influence", "delta", pauci.Jackknife(), pauci.Bootstrap(199, rng=1)]
REPEATED = [s for s in SOURCES if s != "delta"]

pytestmark = pytest.mark.filterwarnings(
    "ignore::pauci.errors.SmallRegionWarning",
    "ignore::pauci.errors.ResamplingWarning",
    "ignore::pauci.errors.TableWarning",
    "ignore::pauci.errors.JackknifeWarning",
    "ignore::pauci.errors.DegenerateWarning",
)


def folded(repeats=1, n=120, seed=1, names="ab", **options):
    """Return a sample in four folds, or in four for each repeat with rows as clusters."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    base = {name: y + rng.normal(size=n) for name in names}
    fold = np.concatenate([rng.permutation(n // 2).repeat(2) % 4 + 4 * r for r in range(repeats)])
    scores = {k: np.tile(v, repeats) + 0.3 * rng.normal(size=n * repeats) for k, v in base.items()}
    cluster = {"cluster": np.tile(np.arange(n), repeats)} if repeats > 1 else {}
    return pauci.Sample(np.tile(y, repeats), scores, fold=fold, **cluster, **options)


def both(verb, *arguments, **options):
    """Return the results of a function without and with the option."""
    return (verb(*arguments, **options, conservative=c) for c in (False, True))


def same(value):
    return pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_conservative_doubles_covariances_only(source):
    plain, safe = both(pauci.estimate, folded(), MEASURES, source)
    assert (safe.cov == 2.0 * plain.cov).all()
    for e, other in zip(plain, safe, strict=True):
        assert other.se == same(TWICE * e.se)
        assert (other.value, other.bias) == (e.value, e.bias)
        assert other.df == same(e.df)
        assert (e.conservative, other.conservative) == (False, True)
    assert any(e.bias for e in plain) == (source not in ("influence", "delta"))


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("source", REPEATED, ids=str)
def test_a_paired_difference(source, repeats):
    plain, safe = both(pauci.compare, folded(repeats), pauci.AUC(), variance=source)
    assert safe.se == same(TWICE * plain.se)
    assert safe.statistic == same(plain.statistic / TWICE)
    assert safe.correlation == same(plain.correlation)
    assert (safe.difference, safe.bias) == (plain.difference, plain.bias)
    assert safe.df == same(plain.df)
    for a, b in zip(plain.interval(), safe.interval(), strict=True):
        assert b - safe.difference == same(TWICE * (a - plain.difference))


def test_joint_tests_and_simultaneous_intervals():
    plain, safe = both(pauci.compare, folded(names="abc"), [pauci.AUC(), PART], adjust="max-t")
    assert safe.cov == same(2.0 * plain.cov)
    assert safe.joint().statistic == same(plain.joint().statistic / 2.0)
    assert safe.joint().df_denominator == same(plain.joint().df_denominator)
    for c, other, a, b in zip(plain, safe, plain.simultaneous(), safe.simultaneous(), strict=True):
        assert b.high - other.difference == pytest.approx(TWICE * (a.high - c.difference), rel=1e-3)


def test_conservative_doubles_only_samples_with_folds():
    rng = np.random.default_rng(5)
    y = np.arange(150) % 2
    whole = pauci.Sample(y, y + rng.normal(size=150))
    first, second = folded(names="a"), folded(names="a", seed=2)
    for others, factors in (((first, second), (2, 2)), ((first, whole), (2, 1))):
        for source in ("influence", pauci.Bootstrap(99, rng=1)):
            options = {"variance": source, "independent": True}
            plain, safe = both(pauci.compare, others, pauci.AUC(), **options)
            parts = [f * e.se**2 for f, e in zip(factors, plain.estimates, strict=True)]
            assert safe.se == same(math.sqrt(sum(parts)))
            assert safe.bias is None or safe.bias == same(plain.bias)
    e = pauci.estimate([first, whole], pauci.AUC(), conservative=True)
    assert [x.conservative for x in e] == [True, False]
    assert e.cov[1, 1] == same(pauci.estimate(whole, pauci.AUC()).se ** 2)


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize(
    "kind", ["wald", "percentile", "basic", "bca", pytest.param("student", marks=pytest.mark.keep)]
)
def test_every_bootstrap_interval_is_inflated_by_the_factor(kind, repeats):
    boot = pauci.Bootstrap(399, rng=1)
    plain, safe = both(pauci.compare, folded(repeats), PART, boot, null=0.05)
    if kind == "student" and repeats > 1:
        with pytest.raises(pauci.InputError, match="clusters are in several parts"):
            safe.interval(kind=kind)
        return
    for a, b in zip(plain.interval(kind=kind), safe.interval(kind=kind), strict=True):
        assert b - safe.difference == pytest.approx(TWICE * (a - plain.difference), rel=1e-9)
    assert safe.pvalue_of(kind) > plain.pvalue_of(kind)


def test_conservative_limits_depend_on_half_as_many_pairs():
    y, fold = np.arange(80) % 2, np.arange(80) // 20
    s = np.arange(80) + 100.0 * y
    sample = pauci.Sample(y, {"a": s, "b": s + 1.0}, fold=fold)
    plain, safe = both(pauci.estimate, sample["a"], pauci.AUC())
    assert (plain.pairs, safe.pairs) == (40, 20)
    for e in (plain, safe):
        assert e.interval().low == same(Limit(1.0, 0.0, 1.0, e.pairs).lower(0.025))
    differences = list(both(pauci.compare, sample, pauci.AUC()))
    for c, pairs in zip(differences, (40, 20), strict=True):
        margin = LimitOfDifference(0.0, (1.0, 1.0), pairs).upper(0.025)
        assert c.interval().high == pytest.approx(margin)
    half = pauci.Sample(y, {"a": s, "b": np.sin(s) + y}, fold=fold)
    narrow, wide = (c.interval() for c in both(pauci.compare, half, pauci.AUC()))
    assert wide.high > narrow.high  # of the limit of a
    for e, pairs in ((plain, 10), (safe, 5)):  # of ten observations in a region
        low = Limit(1.0, 0.0, 1.0, pairs).lower(0.025)
        assert replace(e, support=10.0).interval().low == same(low)


@pytest.mark.parametrize("verb", [pauci.estimate, pauci.compare])
def test_conservative_is_an_error_without_folds(verb):
    y = np.arange(60) % 2
    rng = np.random.default_rng(1)
    sample = pauci.Sample(y, {name: y + rng.normal(size=60) for name in "ab"})
    words = "conservative=True is for cross-validation folds"
    rated = pauci.Sample(y, {name: rng.integers(1, 6, 60) + y for name in "ab"})
    fits = [pauci.fit_binormal(rated[name]) for name in "ab"]
    for samples in (sample, [sample["a"], folded()["a"].folds()[0]], fits):
        with pytest.raises(pauci.InputError, match=words) as error:
            verb(samples, pauci.AUC(), conservative=True)
        assert (error.value.argument, error.value.value) == ("conservative", True)
    for value in (1, None, "yes"):
        with pytest.raises(pauci.InputTypeError, match=r"conservative=.* must be True or False"):
            verb(folded(), pauci.AUC(), conservative=value)
