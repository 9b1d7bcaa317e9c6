"""The multinomial delta method against the inverse information matrix and influence values."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pauci
from derivatives import clear_of, difference_quotient, has_one_best_point, table_of
from makers import normal_scores
from pauci.curve.polyline import Curve
from pauci.errors import UndefinedError
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.moved_ends import MovedEnds
from pauci.variance import ends
from pauci.variance.contributions import z_of_sample
from pauci.variance.method import DeltaVariance
from pauci.variance.units import Problem
from registry import instances
from simulate_rule import PlainInfluence

COUNTS = st.lists(st.tuples(st.integers(10, 40), st.integers(10, 60)), min_size=2, max_size=5)


def by_information(measure, pos, neg, design):
    """Gradient and inverse information with the last category eliminated, by differences."""
    n_pos, n_neg = sum(pos), sum(neg)
    n = n_pos + n_neg
    start = np.array([n_pos / n, *np.array(pos[:-1]) / n_pos, *np.array(neg[:-1]) / n_neg])
    k = len(pos)

    def value(parameters):
        pi, p, q = parameters[0], parameters[1:k], parameters[k:]
        p, q = np.append(p, 1 - p.sum()), np.append(q, 1 - q.sum())
        curve = Curve(table_of(n * pi * p, n * (1 - pi) * q, n_pos, n_neg))
        return measure.value(curve, measure.region.piece(curve))

    gradient = np.array(
        [difference_quotient(lambda h, d=d: value(start + h * d)) for d in np.eye(start.size)]
    )
    if design == "case-control":
        gradient[0] = 0
    information = np.zeros((start.size, start.size))
    information[0, 0] = n / (start[0] * (1 - start[0]))
    for shares, size, first in ((start[1:k], n_pos, 1), (start[k:], n_neg, k)):
        last = 1 - shares.sum()
        block = size * (np.diag(1 / shares) + 1 / last)
        information[first : first + k - 1, first : first + k - 1] = block
    return gradient @ np.linalg.inv(information) @ gradient


SMOOTH = [m for m in instances((0.137, 0.613), spread=5.0) if not getattr(m, "corrected", False)]


def at_threshold(measure):
    """Return whether a measure is evaluated at a given threshold."""
    return isinstance(measure, AtCutoff) and measure.threshold is not None


ON_FIVE_CATEGORIES = [
    *(m for m in SMOOTH if not at_threshold(m)),
    *filter(at_threshold, instances((0.5, 0.613), spread=5.0)),
]


COPIES = 10**6
"""So many of every row that no corner of the curve is within reach of an end's error."""


@settings(max_examples=150)
@given(COUNTS, st.sampled_from(SMOOTH), st.sampled_from(["cohort", "case-control"]))
@pytest.mark.usefixtures("quiet")
def test_every_measure_has_the_variance_of_the_information_matrix(groups, measure, design):
    pos, neg = map(list, zip(*groups, strict=True))
    assume(has_one_best_point(measure, pos, neg))
    for cum in (np.cumsum(pos), np.cumsum(neg)):
        assume(clear_of(cum, (0.137, 0.613), 1e-3))
    counts = (COPIES * np.array(v) for v in (pos, neg))
    sample = pauci.Sample.from_counts(range(len(pos))[::-1], *counts, design=design)
    try:
        problem = Problem((sample.ratings(),), (measure,))
        z = z_of_sample(sample.rows, DeltaVariance().contributions(problem, None))
    except UndefinedError:  # a score range without a row, or a ratio over 0
        assume(False)
    expected = by_information(measure, pos, neg, design)
    variance = COPIES * z.cov[0, 0]
    assert variance == pytest.approx(expected, rel=2e-3, abs=1e-10)


@pytest.mark.parametrize("measure", ON_FIVE_CATEGORIES, ids=repr)
@pytest.mark.filterwarnings(
    "ignore::pauci.errors.SamplingRatioWarning",
    "ignore::pauci.errors.ChosenThresholdWarning",
)
def test_delta_equals_influence_up_to_the_divisors(measure, monkeypatch):
    monkeypatch.setattr(ends, "changes_by_unseen", lambda *_: {})
    pos, neg = [20, 15, 12, 10, 13], [11, 14, 20, 40, 80]
    sample = pauci.Sample.from_counts([5, 4, 3, 2, 1], pos, neg, design="case-control")
    delta = pauci.estimate(sample, [measure], variance="delta")
    # The delta method does not move estimated ends.
    moves = MovedEnds.of(sample.ratings().curve, measure)
    methods = [PlainInfluence()] if moves else [PlainInfluence(), "influence"]
    for method in methods:
        influence = pauci.estimate(sample, [measure], variance=method)
        assert delta[0].value == influence[0].value
        ratio = delta[0].se ** 2 / influence[0].se ** 2
        assert 69 / 70 - 1e-12 <= ratio <= 164 / 165 + 1e-12
    assert delta[0].variance == "delta"
    assert "Standard errors: delta" in " ".join(delta.summary().split())


def test_paired_tables_have_the_covariance_of_the_joint_multinomial():
    rng = np.random.default_rng(4)
    pos, neg = (rng.poisson(lam, (4, 4)) for lam in (6, 15))
    pos += 4 * np.arange(4, 0, -1) + 4 * np.arange(4, 0, -1)[:, None]
    sample = pauci.Sample.from_counts([4, 3, 2, 1], pos, neg, names=("a", "b"))
    m = pauci.AP()
    delta, influence = (pauci.compare(sample, m, variance=v) for v in ("delta", "influence"))
    assert delta.difference == influence.difference
    assert delta.se == pytest.approx(influence.se, rel=0.01)
    assert delta.se < influence.se
    assert delta.correlation == pytest.approx(influence.correlation, rel=0.02)


def test_rows_that_are_not_multinomial_draws_are_an_error():
    y, s = [0, 1] * 6, range(12)
    for name, values in (("weight", np.arange(1, 13)), ("cluster", np.arange(12) // 2)):
        sample = pauci.Sample(y, s, **{name: values})
        with pytest.raises(ValueError, match=f"the sample has {name}s"):
            pauci.estimate(sample, pauci.AUC(), variance="delta")


def test_continuous_scores_issue_a_table_warning():
    sample = pauci.Sample(*normal_scores(40, 60, 8))
    with pytest.warns(pauci.errors.TableWarning, match="100 categories for 100 rows"):
        delta = pauci.estimate(sample, pauci.AUC(), variance="delta")
    assert delta.se == pytest.approx(pauci.estimate(sample, pauci.AUC()).se, rel=0.02)


def test_paired_ratings_as_rows_are_a_table_too():
    y, a, b = np.repeat([1, 0], [30, 40]), np.arange(70) % 3, np.arange(70) % 2
    sample = pauci.Sample(y, {"a": a + y, "b": b + y})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pauci.estimate(sample, pauci.AUC(), variance="delta")
    with pytest.warns(pauci.errors.TableWarning, match="70 categories for 70 rows"):
        pauci.estimate(
            pauci.Sample(y, {"a": np.arange(70) + 45 * y, "b": b + 1}),
            pauci.AUC(),
            variance="delta",
        )
