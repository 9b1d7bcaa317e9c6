"""Printed cut-offs: read back as thresholds, they have the rates that are printed beside them."""

import math
import re
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pauci
from pauci import plot
from pauci.curve.exact_sums import threshold_text
from pauci.errors import PauciWarning, UndefinedError

NUMBER = r"-?(?:\d[\d.]*(?:e[+-]\d+)?|inf)"

SCALES = {
    "floats": lambda z: z,
    "next to each other": lambda z: 1.0 + np.rint(8 * z) * 2.0**-52,
    "close": lambda z: 0.3 + 1e-9 * z,
    "huge": lambda z: 1e300 * z,
    "tiny": lambda z: 1e-300 * np.rint(20 * z),
    "denormal": lambda z: 5e-324 * np.rint(3 * z),
    "negative": lambda z: -np.exp(z + 3.0),
    "tied": lambda z: np.round(z, 1) + 0.0,
    "minus zero": lambda z: np.round(z) * -0.0 + np.round(z),
    "ratings": lambda z: np.clip(np.rint(z + 3.0), 1, 5).astype(int),
    "large integers": lambda z: np.rint(5 * z).astype(np.int64) + 2**53,
    "largest integers": lambda z: 2**63 - 50 + np.rint(5 * z).astype(np.int64),
    "single precision": lambda z: np.round(z, 2).astype(np.float32),
    "half precision": lambda z: z.astype(np.float16),
    "thousands": lambda z: 123456.0 + np.rint(9 * z),
}


def labels_and_scores(kind, seed, n=60):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 5 < 2
    return y, SCALES[kind](rng.normal(size=n) + 1.2 * y)


def read(text):
    """Return a printed number as it is typed."""
    return int(text) if text.lstrip("-").isdecimal() else float(text)


def counts_at(y, s, text, *, lower):
    """Return the rates at a printed cut-off, by a comparison of Python numbers and scores."""
    threshold = np.asarray(read(text)).astype(s.dtype).item() if s.dtype.kind == "f" else read(text)
    positive = np.array([v <= threshold if lower else v >= threshold for v in s.tolist()])
    return positive[y].mean(), 1.0 - positive[~y].mean()


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PauciWarning)
        yield


RULES = [
    {"maximize": pauci.Youden},
    {"specificity": 0.9},
    {"sensitivity": 0.8},
    {"equal": True},
    {"cost": (2, 0.3)},
    {"maximize": partial(pauci.F, beta=2)},
]

samples = st.tuples(st.sampled_from(sorted(SCALES)), st.integers(0, 10**6), st.booleans())


@settings(max_examples=30)
@given(samples, st.sampled_from(RULES))
@example(("next to each other", 1, False), {"specificity": 0.9})
@example(("next to each other", 1, True), {"sensitivity": 0.8})
@example(("largest integers", 1, False), {"specificity": 0.9})
@example(("single precision", 2, False), {"specificity": 0.9})
@pytest.mark.long
def test_a_cutoff_read_back_has_the_printed_rates(sample, rule):
    kind, seed, lower = sample
    y, s = labels_and_scores(kind, seed)
    y = ~y if lower else y
    whole = pauci.Sample(y, s, lower_is_positive=lower)
    try:
        k = pauci.cutoff(whole, **rule, folds=2, repeats=1, rng=1)
    except UndefinedError:
        return
    report = k.report()
    apparent = [float(v) for v in re.findall(r"compared with (\d\.\d+)", report)]
    if k.entry:
        (text,) = re.findall(rf"scores of ({NUMBER}) and", report)
        assert np.allclose(counts_at(y, s, text, lower=lower), apparent, atol=6e-4)
        assert threshold_text(k.value) == text or len(text) <= len(repr(k.value))
        for measure, rate in (
            (pauci.Sensitivity, "sensitivity"),
            (pauci.Specificity, "specificity"),
        ):
            e = pauci.estimate(whole, measure(threshold=read(text)))
            assert e.value == pytest.approx(getattr(k.apparent, rate).value, abs=1e-12)
        assert text in k.summary()
        assert text in repr(k)
        assert text in k.to_latex().replace("$-$", "-").replace("{,}", "")
    # The ends of the interval
    table = whole.ratings().table
    low, high = re.findall(rf"(?:set|interval) ({NUMBER}) to ({NUMBER})\)", report)[0]
    for end, value in ((low, k.interval().low), (high, k.interval().high)):
        same = [table.groups_predicted_positive(v) for v in (read(end), value)]
        assert same[0] == same[1], (end, value)


@settings(max_examples=30)
@given(samples)
@example(("next to each other", 1, False))
@example(("half precision", 3, True))
@pytest.mark.long
def test_operating_points_read_back_have_the_printed_rates(sample):
    kind, seed, lower = sample
    y, s = labels_and_scores(kind, seed)
    y = ~y if lower else y
    points = pauci.operating_points(
        pauci.Sample(y, s, lower_is_positive=lower), specificity=[0.5, 0.9], sensitivity=0.7
    )
    texts = re.findall(rf"The sensitivity at score [<>]= ({NUMBER}) \(", points.report())
    for text, point in zip(texts, points, strict=True):
        if math.isinf(float(point.threshold)):
            continue
        rates = counts_at(y, s, text, lower=lower)
        assert np.allclose(rates, (point.sensitivity, point.specificity), atol=1e-12)
        assert text in points.summary()


@settings(max_examples=30)
@given(samples)
@example(("next to each other", 1, False))
def test_scores_of_a_region_read_back_are_those_of_the_region(sample):
    kind, seed, lower = sample
    y, s = labels_and_scores(kind, seed)
    y = ~y if lower else y
    whole = pauci.Sample(y, s, lower_is_positive=lower)
    table = whole.ratings().table
    e = pauci.estimate(whole, pauci.PAUC(fpr=(0.2, 0.6)))
    for text, value in zip(map(str, e.region.cutoffs), e.region.threshold, strict=True):
        assert table.groups_predicted_positive(read(text)) == table.groups_predicted_positive(value)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("ties", [0, 20])
@pytest.mark.parametrize("measure", [pauci.PAUC(fpr=(0.1, 0.2)), pauci.PAUC(tpr=(0.3, 0.6))])
def test_scores_of_a_region_of_many_rows(dtype, ties, measure):
    """Tables of many rows merge groups of scores, between which a cut-off must not be rounded."""
    rng = np.random.default_rng(5)
    y = rng.random(40_000) < 0.03
    s = (0.5 + 1e-7 * (rng.normal(size=y.size) + y)).astype(dtype)
    s[:ties] = s[ties : 2 * ties]
    e = pauci.estimate(pauci.Sample(y, s), measure)
    for text, value in zip(map(str, e.region.cutoffs), e.region.threshold, strict=True):
        assert len(text) <= len(repr(value))
        assert (s >= dtype(text)).sum() == (s >= dtype(value)).sum()


def test_thresholds_of_scores_in_cells():
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(5)
    y = rng.random(30_000) < 0.3
    s = rng.normal(size=y.size) + y
    frame = pl.DataFrame({"y": y.astype(int), "s": s}).lazy()
    sample = pauci.Sample.from_frame(frame, label="y", scores="s", resolution=1000)
    points = pauci.operating_points(sample, specificity=[0.3, 0.7, 0.9])
    texts = list(dict.fromkeys(re.findall(rf"score >= ({NUMBER})", points.report())))
    again = pauci.operating_points(sample, thresholds=[read(text) for text in texts])
    assert [p.false_positives for p in again] == [p.false_positives for p in points]
    for text, point in zip(texts, points, strict=True):
        assert abs((s[y] >= read(text)).sum() - point.true_positives) <= 0.01 * y.size


def test_groups_and_classifiers_have_their_own_text():
    y, s = labels_and_scores("close", 3, 120)
    group = np.arange(120) % 2
    sample = pauci.Sample(y, {"a": s, "b": 1e6 * s}, group=group)
    ks = pauci.cutoff(sample["a"], by=group, specificity=0.9, rng=1)
    texts = re.findall(rf"scores of ({NUMBER}) and", ks.report())
    for text, k, g in zip(texts, ks, (0, 1), strict=True):
        rates = counts_at(y[group == g], s[group == g], text, lower=False)
        assert np.allclose(
            rates, (k.apparent.sensitivity.value, k.apparent.specificity.value), atol=1e-12
        )
    for name in ("a", "b"):
        value = pauci.cutoff(sample[name], equal=True, rng=1).value
        e = pauci.estimate(sample[name], pauci.Sensitivity(threshold=value))
        (text,) = re.findall(rf"score >= ({NUMBER})", e.report())
        assert read(text) == value


def test_an_uncertain_zone_has_two_texts():
    y, s = labels_and_scores("close", 3, 200)
    zone = pauci.cutoff(pauci.Sample(y, s), rule_in=0.9, rule_out=0.9, rng=1)
    texts = re.findall(rf"scores of ({NUMBER}) and", zone.report())
    for text, k in zip(texts, (zone.upper, zone.lower), strict=True):
        rates = counts_at(y, s, text, lower=False)
        assert np.allclose(
            rates, (k.apparent.sensitivity.value, k.apparent.specificity.value), atol=1e-12
        )


def test_figures_have_the_same_text():
    y, s = labels_and_scores("next to each other", 2, 40)
    k = pauci.cutoff(pauci.Sample(y, s), maximize=pauci.Youden, rng=1)
    texts = [t.get_text() for t in k.plot().figure.findobj(lambda a: hasattr(a, "get_text"))]
    assert any(k.text_of(k.value) in text for text in texts)
    sample = pauci.Sample(y[:8], s[:8])
    table = sample.ratings().table
    names = {t.get_text().replace("\n", "") for t in plot.ratings(sample).get_xticklabels()}
    assert {table.text_at(i + 1) for i in range(table.size)} == names
    assert len(names) == table.size


@pytest.mark.parametrize(
    ("number", "other", "text"),
    [
        (0.123456, 0.1, "0.1235"),
        (0.123446, 0.1, "0.1234"),
        (0.123456, 0.12345, "0.123456"),
        (0.123456789, 0.12345, "0.123456"),
        (-0.0, -1.0, "0"),
        (1e-300, 0.0, "1e-300"),
        (123456.0, 123455.0, "123456"),
        (37.0, 12.0, "37"),
        (1.0 + 2.0**-52, 1.0, "1.0000000000000002"),
        (1.7976931348623157e308, 1e308, "1.797e+308"),
    ],
)
def test_the_text_is_the_shortest_that_lies_between_the_scores(number, other, text):
    expected = "0.1234" if text == "0.1235" else text  # not above the cut-off
    assert threshold_text(number, lambda t: other < t <= number) == expected
    assert read(threshold_text(number)) == number


def test_large_integers_are_exact_everywhere():
    s = np.arange(40) + 2**53 + 1
    y = np.arange(40) % 3 > 0
    y[30:] = True
    y[:8] = False
    sample = pauci.Sample(y, s)
    k = pauci.cutoff(sample, specificity=0.9, rng=1)
    assert k.value in s.tolist()
    assert set(k.set().cutoffs) <= set(s.tolist())
    assert k.apparent.specificity.value == (s[~y] < k.value).mean()
    assert k.set().low in s.tolist()
    assert pauci.operating_points(sample).to_frame()["threshold"].tolist() == s[::-1].tolist()
    (p,) = pauci.operating_points(sample, thresholds=int(s[20]))
    assert (p.threshold, p.true_positives) == (int(s[20]), int((s[y] >= s[20]).sum()))
    assert pauci.curve_points(sample)["threshold"].tolist() == [math.inf, *s[::-1].tolist()]
    lower = pauci.Sample(~y, s, lower_is_positive=True)
    assert pauci.operating_points(lower).to_frame()["threshold"].tolist() == s.tolist()
    e = pauci.estimate(sample, pauci.Sensitivity(threshold=int(s[21])))
    assert str(s[21]) in e.report()
    assert e.value == (s[y] >= s[21]).mean()
    at = pauci.estimate(sample, pauci.Sensitivity(fpr=0.3)).region
    assert at.cut in s.tolist()


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[pytest.mark.keep] * (k == "single precision")) for k in SCALES],
)
def test_a_cutoff_at_which_no_row_is_positive_is_the_next_number(kind, lower):
    """It is finite, calls no row positive, and so does its text; the number before it is a score.

    The set contains it, and the interval contains the set.
    """
    y, s = labels_and_scores(kind, 3)
    y = y & (np.arange(60) % 20 == 0)
    s = -s if lower else s
    s[-1] = s.min() if lower else s.max()
    k = pauci.cutoff(pauci.Sample(y, s, lower_is_positive=lower), cost=(1e-6, 0.01), rng=1)
    assert k.entry == 0
    assert math.isfinite(k.value)
    assert counts_at(y, s, k.text_of(k.value), lower=lower) == (0.0, 1.0)
    assert counts_at(y, s, repr(k.value), lower=lower) == (0.0, 1.0)
    best = (s.min() if lower else s.max()).item()
    if s.dtype.kind == "f":
        nearest = np.nextafter(np.array(best, s.dtype), s.dtype.type(-np.inf if lower else np.inf))
        assert k.value == nearest
    else:
        step = 1 if abs(best) > 2**53 else math.ulp(float(best))
        assert k.value - best == (-step if lower else step)
    assert k.value in k.set()
    assert k.set().cutoffs[0] == k.value
    low, high = k.interval()
    assert low <= k.value <= high
    assert (low if lower else high) == (-math.inf if lower else math.inf)
