"""Net benefit against counts of rows, dcurves, and finite differences."""

import numpy as np
import pytest

import pauci
from pauci.measures.base import Measure
from registry import risk_instances

FRAME = pauci.datasets.load_dcurves()
SAMPLE = pauci.Sample.from_frame(FRAME, label="cancer", scores="cancerpredmarker")
FORMS = [m for m in risk_instances() if isinstance(m, pauci.NetBenefit)]


def reference(m, y, p, w=None):
    """Count the rows that are treated."""
    w = np.ones(len(y)) if w is None else w
    share = np.average(y, weights=w) if m.prevalence is None else m.prevalence
    treated = p >= m.probability
    tpr, fpr = (np.average(treated[y == c], weights=w[y == c]) for c in (1, 0))
    value = share * tpr - (1 - share) * fpr * m.probability / (1 - m.probability) - m.harm
    return value / share if m.standardized else value


def make_risks(n=150, seed=1):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 2, n).round(2)
    return (rng.random(n) < p).astype(int), p


DCURVES = [
    (0.05, 0.1055438596, 0.0125538836),
    (0.10, 0.0874074074, 0.0122030496),
    (0.15, 0.0792156863, 0.0120287310),
    (0.20, 0.0673333333, 0.0117627236),
]


@pytest.mark.parametrize(("probability", "value", "se"), DCURVES)
def test_numbers_of_dcurves(probability, value, se):
    e = pauci.estimate(SAMPLE, pauci.NetBenefit(probability))
    assert e.value == pytest.approx(value, abs=1e-10)
    assert e.se == pytest.approx(se, rel=2e-3)  # another divisor
    boot = pauci.estimate(SAMPLE, pauci.NetBenefit(probability), pauci.Bootstrap(800, rng=1))
    assert boot.se == pytest.approx(se, rel=0.1)


def test_case_control_data_of_dcurves():
    sample = pauci.Sample.from_frame(
        FRAME, label="case", scores="cancerpredmarker", design="case-control"
    )
    e = pauci.estimate(sample, pauci.NetBenefit(0.25, prevalence=0.15))
    assert e.value == pytest.approx(0.0149567, abs=6e-8)


def test_harm_and_standardization():
    plain = pauci.estimate(SAMPLE, pauci.NetBenefit(0.25))
    assert plain.value == pytest.approx(0.064, abs=1e-12)
    harmed = pauci.estimate(SAMPLE, pauci.NetBenefit(0.25, harm=0.01))
    assert harmed.value == pytest.approx(plain.value - 0.01, abs=1e-14)
    assert harmed.se == pytest.approx(plain.se, rel=1e-12)
    scaled = pauci.estimate(SAMPLE, pauci.NetBenefit(0.25, standardized=True))
    assert scaled.value == pytest.approx(0.064 / 0.14, abs=1e-12)


@pytest.mark.parametrize("measure", FORMS, ids=repr)
def test_values_and_influence_by_the_weight_of_one_row(measure):
    y, p = make_risks()
    w = np.random.default_rng(2).uniform(0.5, 2, y.size)
    assert pauci.estimate(pauci.Sample(y, p, weight=w), measure).value == pytest.approx(
        reference(measure, y, p, w), rel=1e-12
    )
    es = pauci.estimate(pauci.Sample(y, p), [measure])
    assert es[0].value == pytest.approx(reference(measure, y, p), rel=1e-12)
    contributions = es.influence().to_numpy()[:, 0]
    u, step = [], 1e-5
    for i in range(y.size):
        changed = []
        for sign in (1, -1):
            w = np.ones(y.size)
            w[i] += sign * step
            changed.append(reference(measure, y, p, w))
        u.append((changed[0] - changed[1]) / (2 * step))
    # The factors for the sizes of the classes and of the sample differ from 1 by less than 2%.
    assert contributions == pytest.approx(u, abs=0.02 * np.abs(u).max())
    assert es[0].se == pytest.approx(np.sqrt(np.square(u).sum()), rel=0.02)


def test_a_risk_equal_to_the_probability_is_treated():
    y, p = [0, 1] * 20, [0.2, 0.4] * 20
    assert pauci.estimate(pauci.Sample(y, p), pauci.NetBenefit(0.2)).value == (
        pytest.approx(0.5 - 0.5 * 0.25)
    )
    p32 = np.array([0.7, 0.7] * 20, np.float32)
    e = pauci.NetBenefit(0.7).on(pauci.Sample(y, p32).ratings("score").curve)
    assert e == pytest.approx(0.5 - 0.5 * 7 / 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"probability": 0}, "strictly between 0 and 1"),
        ({"probability": 1}, "strictly between 0 and 1"),
        ({"probability": 10}, r"Did you mean 0\.1\?"),
        ({"probability": float("nan")}, "probability"),
        ({"probability": 0.1, "prevalence": 0}, "prevalence=0"),
        ({"probability": 0.1, "harm": float("inf")}, "harm"),
        ({"probability": 0.1, "harm": -0.1}, "must not be negative"),
        ({"probability": 0.1, "standardized": "yes"}, "must be True or False"),
    ],
)
def test_wrong_arguments(arguments, words):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        pauci.NetBenefit(**arguments)


@pytest.mark.parametrize("measure", FORMS, ids=repr)
def test_bounds_contain_the_values_of_extreme_rules(measure: Measure):
    y = np.repeat([0, 1], [30, 20])
    for p in (y * 0.9 + 0.05, 0.95 - y * 0.9):
        curve = pauci.Sample(y, p).ratings("score").curve
        low, high = measure.bounds(curve)
        assert low - 1e-12 <= measure.on(curve) <= high + 1e-12
        assert measure.range.low <= low
        assert high <= measure.range.high + 1e-12


@pytest.mark.parametrize("harm", [0.0, 0.02])
def test_interventions_avoided_are_the_gain_over_treating_all(harm):
    """The value, and the influence by that of net benefit and of the prevalence."""
    from pauci.measures.risks import InterventionsAvoided

    y, p = make_risks(400)
    sample = pauci.Sample(y, p)
    for prevalence in (None, 0.2):
        options = {"harm": harm, "prevalence": prevalence}
        es = pauci.estimate(
            sample, [pauci.NetBenefit(0.3, **options), InterventionsAvoided(0.3, **options)]
        )
        share, odds = sample.prevalence if prevalence is None else prevalence, 0.3 / 0.7
        treat_all = share - (1 - share) * odds
        assert es[1].value == pytest.approx((es[0].value - treat_all) / odds, rel=1e-12)
        u = es.influence().to_numpy()
        by_share = (1 + odds) * (y - share) / y.size if prevalence is None else 0
        assert u[:, 1] == pytest.approx((u[:, 0] - by_share) / odds, abs=1e-4)


def test_no_warning_about_the_scale_of_risks():
    """A threshold probability beyond all risks treats all rows, or none."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], 50)
    sample = pauci.Sample(y, rng.uniform(0.2, 0.6, 100))
    assert pauci.estimate(sample, pauci.NetBenefit(0.1)).value == pytest.approx(0.5 - 0.5 / 9)
    with pytest.warns(pauci.errors.DifferentScalesWarning, match="threshold=2 lies outside"):
        pauci.estimate(sample, pauci.NetBenefit(0.1) - pauci.Specificity(threshold=2))
