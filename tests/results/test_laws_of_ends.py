"""Laws of limits of measures with estimated ends, for random designs."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauci
from pauci.intervals import analytic

pytestmark = pytest.mark.usefixtures("quiet")

MEASURES = [
    pauci.PAUCc(fpr=(0, 0.25)),
    pauci.PAUCc(tpr=(0.6, 1), ends="middle"),
    pauci.PAUCc(fpr=(0.2, 0.6), ends="middle"),
    pauci.PAUC(tpr=(0.3, 0.8)),
    pauci.PAUCx(fpr=(0, 0.4)),
    pauci.PAUC(fpr=(0.1, 0.5), normalized=True),
    pauci.PAUC(fpr=(0, 0.2)) - pauci.PAUC(fpr=(0.2, 0.6)),
    pauci.Sensitivity(specificity=0.8),
    pauci.Specificity(sensitivity=0.75),
    pauci.PPV(sensitivity=0.7),
]
DESIGNS = ["rows", "ties", "frequencies", "clusters", "weights"]
LEVELS = [0.1, 0.3, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999]
ALTERNATIVES = ["two-sided", "greater", "less"]


def numbers(name, n, rng):
    """Return the options of a sample of a design."""
    if name == "frequencies":
        return {"frequency": rng.integers(1, 4, n)}
    if name == "clusters":
        return {"cluster": rng.integers(0, max(n // 3, 8), n)}
    return {"weight": rng.uniform(0.5, 2.0, n)} if name == "weights" else {}


@st.composite
def drawn(draw, designs=DESIGNS):
    """Labels and scores of two classifiers, and the options of a design."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    name = draw(st.sampled_from(designs))
    sizes = draw(st.integers(12, 40)), draw(st.integers(12, 60))
    y = rng.permutation(np.repeat([1, 0], sizes))
    common = rng.normal(size=y.size)
    shapes = draw(st.sampled_from(["normal", "modes", "heavy"]))
    scores = []
    for shift in (1.5, 0.9):
        s = common + shift * y + rng.normal(size=y.size)
        if shapes == "modes":
            s += 4.0 * (rng.random(y.size) < 0.2) * (1 - y)
        if shapes == "heavy":
            s += rng.standard_t(2, y.size)
        scores.append(np.round(s, 0 if name == "ties" else 6))
    return y, scores, numbers(name, y.size, rng)


def quantities(data, measure, null=0.0, alternative="two-sided"):
    """Return the estimate of a classifier and the difference of two."""
    y, (a, b), options = data
    sample = pauci.Sample(y, {"a": a, "b": b}, **options)
    c = pauci.compare(sample, measure, null=null, alternative=alternative)
    return pauci.estimate(sample["a"], measure), c


def interval(q, level, alternative="two-sided"):
    """Return the interval of any level; those of users are at least 0.5."""
    return analytic.interval(q._limits(q.kind_used()), level, alternative)


def possible(null, low, high):
    return min(max(null, low + 1e-6), high - 1e-6)


DATA, MEASURE = drawn(), st.sampled_from(MEASURES)


@given(DATA, MEASURE)
@settings(max_examples=15)
def test_intervals_are_nested_in_their_level(data, measure):
    for q in quantities(data, measure):
        low, high = np.transpose([interval(q, level) for level in LEVELS])
        slack = 1e-9 * max(high[-1] - low[-1], 1e-3)
        assert (np.diff(low) <= slack).all()
        assert (np.diff(high) >= -slack).all()
        assert (low <= high + slack).all()


@given(DATA, MEASURE, st.floats(0.02, 0.98), st.sampled_from(ALTERNATIVES))
def test_p_is_below_alpha_if_the_null_is_outside(data, measure, place, alternative):
    for q in quantities(data, measure):
        low, high = interval(q, 0.999)
        null = possible(low + place * (high - low), *q.scale)
        p = q.inverted_test(null, alternative).pvalue
        assert 0.0 <= p <= 1.0
        for alpha in (0.001, 0.05, 0.3, 0.8, 0.9):
            # Limits of profiles are those of users, whose levels are at least 0.5.
            if abs(p - alpha) > 1e-6 * alpha and not (q.kind_used() == "profile" and alpha > 0.5):
                low, high = interval(q, 1.0 - alpha, alternative)
                assert (p < alpha) == (not low <= null <= high)


@given(DATA, MEASURE, st.sampled_from(["greater", "less"]))
@settings(max_examples=10)
def test_p_values_are_monotone_and_continuous_in_the_null(data, measure, alternative):
    for q in quantities(data, measure):
        low, high = interval(q, 0.99)
        nulls = np.linspace(low, high, 27)[1:-1]

        def pvalue(null, q=q):
            return q.inverted_test(possible(null, *q.scale), alternative).pvalue

        p = np.array([pvalue(v) for v in nulls.tolist()])
        steps = np.diff(p) if alternative == "greater" else -np.diff(p)
        assert (steps >= -1e-9).all()
        if q.kind_used() in ("logit", "wald", "mid-p"):
            # Where p-values change most, they have no jump.
            left, right = nulls[np.argmax(steps)], nulls[np.argmax(steps) + 1]
            for _ in range(24):
                middle = 0.5 * (left + right)
                increases = [abs(pvalue(middle) - pvalue(v)) for v in (left, right)]
                left, right = (left, middle) if np.argmax(increases) == 0 else (middle, right)
            assert pvalue(left) == pytest.approx(pvalue(right), abs=1e-5)


@given(DATA, MEASURE)
def test_exchanging_the_classifiers_mirrors_the_difference(data, measure):
    y, (a, b), options = data
    sample = pauci.Sample(y, {"a": a, "b": b}, **options)
    c, d = pauci.compare(sample, measure), pauci.compare(sample, measure, pair=("b", "a"))
    (low, high), other = c.interval(), d.interval()
    assert (-low, -high) == pytest.approx(other[::-1], abs=1e-9)
    assert d.pvalue == pytest.approx(c.pvalue, rel=1e-8, abs=1e-12)


MIRRORED = [
    (pauci.PAUCc(fpr=(0, 0.25), ends="middle"), pauci.PAUCc(tpr=(0.75, 1), ends="middle")),
    (pauci.PAUCc(fpr=(0.2, 0.6), ends="middle"), pauci.PAUCc(tpr=(0.4, 0.8), ends="middle")),
    (pauci.PAUC(tpr=(0.3, 0.8), ends="middle"), pauci.PAUCx(fpr=(0.2, 0.7), ends="middle")),
    (pauci.Sensitivity(specificity=0.8), pauci.Specificity(sensitivity=0.8)),
]
"""Measures and those with the classes exchanged."""


@given(DATA, st.sampled_from(MIRRORED))
def test_exchanging_the_classes_mirrors_the_measure(data, pair):
    measure, mirrored = pair
    y, (a, b), options = data
    found = quantities((y, (a, b), options), measure)
    other = quantities((1 - y, (-a, -b), options), mirrored)
    for q, r in zip(found, other, strict=True):
        # Ends that cross depend on the order of the ends.
        assert tuple(q.interval()) == pytest.approx(r.interval(), abs=0.01 * np.ptp(q.interval()))


TRANSFORMATIONS = [np.exp, lambda s: s**3 + s, lambda s: 7.0 * s - 100.0]


@given(DATA, MEASURE, st.sampled_from(TRANSFORMATIONS))
def test_monotone_transformations_change_nothing(data, measure, transformation):
    y, (a, b), options = data
    other = y, (transformation(a / 8), transformation(b / 8)), options
    for q, r in zip(quantities(data, measure), quantities(other, measure), strict=True):
        assert q.interval() == r.interval()


@given(drawn(["rows", "ties"]), MEASURE)
def test_a_frequency_of_2_is_two_rows(data, measure):
    y, (a, b), _ = data
    counts = 1 + (np.arange(y.size) % 3 == 0)
    once = quantities((y, (a, b), {"frequency": counts}), measure)
    each = quantities(
        (np.repeat(y, counts), (np.repeat(a, counts), np.repeat(b, counts)), {}), measure
    )
    for q, r in zip(once, each, strict=True):
        assert q.interval() == pytest.approx(r.interval(), rel=1e-7, abs=1e-9)


@given(DATA, st.lists(MEASURE, min_size=2, max_size=3, unique_by=id))
@settings(max_examples=12)
def test_measures_together_have_the_intervals_of_each_alone(data, measures):
    y, (a, b), options = data
    sample = pauci.Sample(y, {"a": a, "b": b}, **options)
    together, pairs = pauci.estimate(sample, measures), pauci.compare(sample, measures)
    for k, m in enumerate(measures):
        alone = pauci.estimate(sample, m)
        for name in "ab":
            (q,) = [e for e in together if e.measure == m and e.classifier == name]
            (r,) = [e for e in alone if e.classifier == name]
            assert q.interval() == pytest.approx(r.interval(), rel=1e-9, abs=1e-12)
        c = pauci.compare(sample, m)
        assert pairs[k].interval() == pytest.approx(c.interval(), rel=1e-9, abs=1e-12)


@given(DATA, MEASURE)
@settings(max_examples=12)
def test_pickled_results_have_the_same_intervals(data, measure):
    for q in quantities(data, measure):
        restored = pickle.loads(pickle.dumps(q))  # before the limits are calculated
        expected = q.interval(), q.interval(0.6)
        assert (restored.interval(), restored.interval(0.6)) == expected
        again = pickle.loads(pickle.dumps(q))
        assert (again.interval(), again.interval(0.6)) == expected


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("design", DESIGNS)
def test_the_order_of_the_rows_does_not_matter(measure, design):
    rng = np.random.default_rng(11)
    y = rng.permutation(np.repeat([1, 0], (25, 40)))
    scores = [np.round(rng.normal(size=y.size) + y, 1) for _ in range(2)]
    options, order = numbers(design, y.size, rng), rng.permutation(y.size)
    moved = y[order], [s[order] for s in scores], {k: v[order] for k, v in options.items()}
    for q, r in zip(
        quantities((y, scores, options), measure), quantities(moved, measure), strict=True
    ):
        assert q.interval() == pytest.approx(r.interval(), rel=1e-7, abs=1e-9)
