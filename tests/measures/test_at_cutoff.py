"""Measures at one cut-off: values, standard errors, thresholds and errors."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pauci
from derivatives import assert_influence_is_the_derivative
from reader_studies import published

MEASURES = [
    pauci.Sensitivity,
    pauci.Specificity,
    pauci.PPV,
    pauci.NPV,
    pauci.LRPositive,
    pauci.LRNegative,
    pauci.PredictedPositiveRate,
    pauci.Accuracy,
    pauci.BalancedAccuracy,
    pauci.Youden,
    pauci.F,
    pauci.Kappa,
    pauci.MCC,
]


def paired():
    """Return the counts of DTComPair's data Paired1: two tests of 451 diseased and 261 healthy."""
    counts = {1: [(1, 1, 319), (0, 1, 22), (1, 0, 78), (0, 0, 32)]}
    counts[0] = [(1, 1, 31), (0, 1, 22), (1, 0, 53), (0, 0, 155)]
    rows = [(y, a, b, n) for y, cells in counts.items() for a, b, n in cells]
    y, a, b, n = np.array(rows).T
    scores = {"test 1": np.repeat(a, n), "test 2": np.repeat(b, n)}
    return pauci.Sample(np.repeat(y, n), scores)


def make_sample():
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.3
    return y, np.round(rng.normal(size=300) + y, 1)


def definitions(y, called, beta=1.0):
    tp, fp = np.sum(called & y), np.sum(called & ~y)
    fn, tn = np.sum(~called & y), np.sum(~called & ~y)
    n, sensitivity, specificity = y.size, tp / (tp + fn), tn / (tn + fp)
    chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    sides = np.array([tp + fp, tp + fn, tn + fp, tn + fn], float)
    return {
        "sensitivity": sensitivity,
        "specificity": specificity,
        "ppv": tp / (tp + fp),
        "npv": tn / (tn + fn),
        "lrpositive": sensitivity / (1 - specificity),
        "lrnegative": (1 - sensitivity) / specificity,
        "positiverate": (tp + fp) / n,
        "accuracy": (tp + tn) / n,
        "balancedaccuracy": (sensitivity + specificity) / 2,
        "youden": sensitivity + specificity - 1,
        "f": (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp),
        "kappa": ((tp + tn) / n - chance) / (1 - chance),
        "mcc": (tp * tn - fp * fn) / np.sqrt(sides.prod()),
    }


@pytest.mark.filterwarnings("ignore::pauci.errors.HardPredictionsWarning")
def test_values_and_standard_errors_of_dtcompair():
    """The standard errors of DTComPair 1.2 have the divisor n instead of n - 1."""
    expected = [
        (pauci.Sensitivity, 0.880266, 0.756098, -0.124169, 0.0213882 * np.sqrt(451 / 450)),
        (pauci.Specificity, 0.678161, 0.796935, 0.118774, 0.0323563 * np.sqrt(261 / 260)),
        (pauci.PPV, 0.825364, 0.865482, 0.040118, None),
        (pauci.NPV, 0.766234, 0.654088, -0.112146, None),
    ]
    for kind, first, second, difference, se in expected:
        c = pauci.compare(paired(), kind(threshold=1), pair=("test 2", "test 1"))
        found = *(e.value for e in c.estimates[::-1]), c.difference
        assert found == pytest.approx((first, second, difference), abs=1.5e-6)
        assert se is None or c.se == pytest.approx(se, rel=2e-6)


@pytest.mark.parametrize("kind", MEASURES)
def test_values_are_those_of_the_definitions(kind):
    y, s = make_sample()
    expected = definitions(y, s >= 0.5)[kind.key]
    assert pauci.estimate(pauci.Sample(y, s), kind(threshold=0.5)).value == pytest.approx(expected)
    lower = pauci.Sample(y, -s, lower_is_positive=True)
    assert pauci.estimate(lower, kind(threshold=-0.5)).value == pytest.approx(expected)
    if kind is pauci.F:
        expected = definitions(y, s >= 0.5, 2.0)["f"]
        e = pauci.estimate(pauci.Sample(y, s), pauci.F(beta=2, threshold=0.5))
        assert e.value == pytest.approx(expected)


@pytest.mark.parametrize("kind", MEASURES)
def test_influence_values_are_derivatives(kind):
    forms = [{}, {"prevalence": 0.1}] if "prevalence" in kind.__dataclass_fields__ else [{}]
    for form in forms:
        assert_influence_is_the_derivative(kind(threshold=2, **form), [7, 9, 5, 3], [2, 6, 8, 9])


@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_a_threshold_for_each_classifier():
    y, s = make_sample()
    sample = pauci.Sample(y, {"a": s, "b": 10 * s})
    m = pauci.PPV(threshold={"a": 0.5, "b": 5})
    a, b = pauci.estimate(sample, m)
    assert (a.value, a.se) == (b.value, b.se)
    assert (a.region.words, b.region.words) == ("scores of 0.5 and above", "scores of 5 and above")
    same_scale = pauci.Sample([0, 1] * 20, {"a": np.arange(40) % 7, "b": np.arange(40) % 5})
    comparison = pauci.compare(same_scale, pauci.PPV(threshold=3))
    assert "(PPV) of a and b at score >= 3" in comparison.summary()
    with pytest.raises(pauci.InputError, match="has no threshold for 'b'"):
        pauci.estimate(sample, pauci.PPV(threshold={"a": 0.5}))
    with pytest.warns(pauci.errors.DegenerateWarning):
        part = pauci.compare(sample, m - pauci.NPV(threshold={"a": 0.5, "b": 5}), pair=("a", "b"))
    assert part.difference == 0


def test_scores_are_compared_in_their_type_and_by_category():
    y = [0, 0, 1, 1] * 5
    single = pauci.Sample(y, np.array([0.1, 0.7, 0.7, 0.9] * 5, np.float32))
    assert pauci.estimate(single, pauci.Specificity(threshold=0.7)).value == 0.5
    words = ["low", "mid", "mid", "high"] * 5
    pd = pytest.importorskip("pandas")
    scale = pd.Categorical(words, categories=["low", "mid", "high"], ordered=True)
    ordinal = pauci.Sample(y, scale)
    e = pauci.estimate(ordinal, pauci.Specificity(threshold="mid"))
    assert (e.value, e.region.words) == (0.5, "scores of mid and above")


@pytest.mark.usefixtures("quiet")
def test_the_recall_decision_of_readers():
    """MRMCaov 0.3's binary sensitivity of VanDyke, where ratings of 3 and above are positive."""
    study = published("vandyke")
    row = pauci.mrmc(study, pauci.Sensitivity(threshold=3)).differences.iloc[0]
    found = row[["difference", "se", "df", "pvalue"]].tolist()
    assert found == pytest.approx([-0.09777778, 0.03780451, 15.71732, 0.02008822], rel=1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pauci.PPV(), "single cut-off.*specificity="),
        (lambda: pauci.Kappa(), "Pass threshold="),
        (lambda: pauci.Youden(threshold=np.nan), "finite"),
        (lambda: pauci.Youden(threshold=True), "single score"),
        (lambda: pauci.Youden(threshold=(1, 2)), "single score"),
        (lambda: pauci.Youden(threshold={}), "contains no threshold"),
        (lambda: pauci.PPV(threshold=1, sensitivity=0.9), "Pass only one"),
        (lambda: pauci.PPV(sensitivity=1), "corner"),
        (lambda: pauci.F(beta=0, threshold=1), "must be positive"),
        (lambda: pauci.PPV(threshold=1, prevalence=0), "strictly between 0 and 1"),
    ],
)
def test_bad_input_is_an_error(call, words):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        call()


def test_undefined_values_are_errors():
    y, s = make_sample()
    sample = pauci.Sample(y, s)
    for kind, t in ((pauci.PPV, 99), (pauci.NPV, -99), (pauci.LRPositive, 99), (pauci.MCC, 99)):
        with pytest.raises(pauci.UndefinedError, match="undefined here"):
            pauci.estimate(sample, kind(threshold=t))
    with pytest.warns(pauci.errors.DifferentScalesWarning, match="outside the scores"):
        pauci.estimate(sample, pauci.Specificity(threshold=99))


REVERSED = {
    pauci.Sensitivity: pauci.Specificity,
    pauci.Specificity: pauci.Sensitivity,
    pauci.PPV: pauci.NPV,
    pauci.NPV: pauci.PPV,
    **{cls: cls for cls in (pauci.Accuracy, pauci.BalancedAccuracy, pauci.Youden, pauci.Kappa)},
    pauci.MCC: pauci.MCC,
}
"""The measure of the reversed problem: labels exchanged, and the sign of scores changed."""


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("cls", REVERSED)
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from(["plain", "weight", "cluster"])
)
def test_exchanged_classes_and_reversed_scores(cls, seed, threshold, form):
    rng = np.random.default_rng(seed)
    y, scores = np.arange(40) % 3 == 0, rng.integers(0, 5, 40)
    assume((scores >= threshold).any())
    assume((scores < threshold).any())
    options = {
        "plain": {},
        "weight": {"weight": rng.uniform(0.5, 2, 40)},
        "cluster": {"cluster": np.arange(40) // 2},
    }[form]
    e = pauci.estimate(pauci.Sample(y, scores, **options), cls(threshold=threshold))
    other = REVERSED[cls]
    # Scores below the threshold are those of at most threshold - 1.
    for sample, cutoff in (
        (pauci.Sample(~y, -scores, **options), 1 - threshold),
        (pauci.Sample(~y, scores, lower_is_positive=True, **options), threshold - 1),
    ):
        r = pauci.estimate(sample, other(threshold=cutoff))
        assert (r.value, r.se) == pytest.approx((e.value, e.se), abs=1e-12)
        if cls not in (pauci.Kappa, pauci.MCC):  # their profiles are evaluated at a few angles
            assert r.interval() == pytest.approx(e.interval(), abs=1e-7)


@pytest.mark.filterwarnings("ignore::pauci.errors.MissingCodeWarning")
def test_thresholds_of_other_types():
    y, tenths = np.arange(40) % 2, np.arange(40) % 3 / 10
    single = pauci.Sample(y, tenths.astype(np.float32))
    for threshold in (0.1, Decimal("0.1"), Fraction(1, 10)):
        measure = pauci.PredictedPositiveRate(threshold=threshold)
        for sample in (single, pauci.Sample(y, tenths)):
            assert pauci.estimate(sample, measure).value == pytest.approx(26 / 40)
    large = pauci.Sample(y, 10**16 + np.arange(40) % 3)
    for k, share in ((0, 1.0), (1, 26 / 40), (Decimal(2), 13 / 40)):
        measure = pauci.PredictedPositiveRate(threshold=10**16 + k)
        assert pauci.estimate(large, measure).value == pytest.approx(share)
    for beyond in (10**400, Decimal("NaN"), -float("inf")):
        with pytest.raises(pauci.InputError, match="must be finite"):
            pauci.PPV(threshold=beyond)
