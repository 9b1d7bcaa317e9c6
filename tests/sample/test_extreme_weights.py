"""Weights and counts over the whole range of floats: scaled, or rejected with their values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci import AUC, PAUC, PAUCc, Sample, estimate
from pauci.errors import InputError, UndefinedError

pytestmark = pytest.mark.usefixtures("quiet")

Y = [0, 1, 0, 1, 0, 1, 1, 0, 1, 0]
S = [1, 2, 2, 4, 3, 5, 4, 1, 2, 4]
W = np.array([1, 2, 3, 1, 2, 1, 2, 4, 1, 2]) / 4
MEASURES = [AUC(), PAUC(fpr=(0, 0.3)), PAUCc(fpr=(0.1, 0.6))]


@pytest.mark.parametrize("exponent", [-1074 + 2, -1000, -300, 300, 1000, 1023])
def test_weights_of_any_size_are_the_same_weights(exponent):
    weight = np.ldexp(W, exponent)
    a, b = (estimate(Sample(Y, S, weight=w), MEASURES) for w in (W, weight))
    np.testing.assert_array_equal(a.cov, b.cov)
    assert [e.value for e in a] == [e.value for e in b]


def test_weights_that_differ_between_classes_have_an_effective_size():
    """Kish's size is computed for each class, whatever its total weight."""
    by_class = np.where(Y, W * 2.0**-250, W)
    sample, plain = Sample(Y, S, weight=by_class), Sample(Y, S, weight=W)
    assert sample.rows.units == plain.rows.units
    assert estimate(sample, AUC()).value == estimate(plain, AUC()).value


def test_weights_of_too_different_size_are_an_error():
    weight = np.ones(10)
    weight[[3, 8]] = 1e-300, 1e200
    with pytest.raises(ValueError, match=r"1e-300 and 1e\+200.*\(rows 3, 8\)") as caught:
        Sample(Y, S, weight=weight)
    assert (caught.value.argument, caught.value.value) == ("weight", 1e-300)
    weight[3] = 0
    assert Sample(Y, S, weight=np.where(weight == 1e200, 1e60, weight)).rows.uncounted == 1


def test_a_number_beyond_floats_is_an_error():
    if np.finfo(np.longdouble).max > np.finfo(np.float64).max:
        weight = np.full(10, np.longdouble(10) ** 4000)
        with pytest.raises(ValueError, match=r"weight holds a number beyond 1\.8e"):
            Sample(Y, S, weight=weight)
    with pytest.raises(ValueError, match="frequency adds up to inf"):
        Sample(Y, S, frequency=[1e308] * 10)


@pytest.mark.parametrize(
    ("positives", "words"), [([1e-300, 1], "positives holds 1e-300"), ([1e30, 1], "adds up to 1e")]
)
def test_fractional_counts_are_accepted_for_values(positives, words):
    with pytest.raises(ValueError, match=words.replace("+", r"\+")):
        Sample.from_counts([1, 2], positives, [1, 1], fractional=True)


_EXPONENTS = st.floats(-323, 308)


@st.composite
def masses(draw):
    """Draw weights of equal or different scale, or frequencies of up to 2^60 in total."""
    center, width = draw(_EXPONENTS), draw(st.sampled_from([0, 3, 20, 80, 300, 600]))
    exponents = draw(st.lists(st.floats(-width, width), min_size=10, max_size=10))
    with np.errstate(all="ignore"):
        weight = 10.0 ** np.clip(center + np.array(exponents), -323.4, 308.2)
    options = {"weight": weight}
    if draw(st.booleans()):
        options["frequency"] = draw(st.lists(st.integers(0, 10**17), min_size=10, max_size=10))
    if draw(st.booleans()):
        options["cluster"] = draw(st.lists(st.integers(0, 6), min_size=10, max_size=10))
    return options


@given(masses(), st.permutations(S))
def test_every_sample_gives_an_error_or_finite_results(options, scores):
    try:
        sample = Sample(Y, {"a": S, "b": scores}, **options)
    except InputError as error:
        if error.argument not in ("weight", "frequency"):
            raise
        return
    assert np.isfinite(sample.prevalence)
    sizes = zip(sample.rows.effective_units, sample.rows.units, strict=True)
    assert all(0 < e <= u * (1 + 1e-12) for e, u in sizes)
    try:
        es = estimate(sample, MEASURES)
    except UndefinedError as error:
        if "at least two" not in str(error):
            raise
        return
    for e in es:
        assert np.isfinite([e.value, e.se, *e.interval()]).all()
        assert e.bounds[0] - 1e-12 <= e.value <= e.bounds[1] + 1e-12


@pytest.mark.parametrize("counts", [(10**18, 10**18), (10**17, 3), (2, 4 * 10**18)])
def test_counts_up_to_the_limit_of_integers(counts):
    p, n = counts
    sample = Sample.from_counts([1, 2, 3], [p // 2, 0, p - p // 2], [n // 2, 1, n - n // 2 - 1])
    for e in estimate(sample, MEASURES):
        assert np.isfinite([e.value, e.se, *e.interval()]).all()


def test_rows_without_weight_at_an_end_of_the_scores_change_no_limit():
    y, x = np.arange(60) % 3 == 0, (np.arange(60) * 7) % 23
    w = 1.0 + np.arange(60) % 2
    e = estimate(Sample(y, x, weight=w), AUC())
    more = Sample(
        np.append(y, [False] * 20), np.append(x, np.r_[-10:0, 30:40]), weight=np.append(w, [0] * 20)
    )
    assert estimate(more, AUC()).interval() == pytest.approx(e.interval(), rel=1e-12)
