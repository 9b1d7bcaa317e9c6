"""Weights that are estimated from all rows, here those of Kaplan-Meier for censored outcomes.

With known weights, z is the derivative of a measure by the weight of a row. Weights 1/G, with G
the Kaplan-Meier estimate of the distribution of censoring, depend on all rows, which a map adds.
"""

from dataclasses import replace

import numpy as np
import pytest

import pauci
from pauci.variance import ends

pytestmark = pytest.mark.usefixtures("quiet")

HORIZON = 4.0
STEP = 1e-5


def follow_up(n=90, seed=1, digits=1):
    """Times with ties, whether an event was observed, and two markers on rating scales."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n)
    event, censored = rng.exponential(6 * np.exp(-risk)), rng.exponential(9.0, n)
    time = np.round(np.minimum(event, censored), digits) + 0.1
    markers = {k: np.round(2 * (risk + rng.normal(size=n))) for k in ("a", "b")}
    return time, event <= censored, markers


def survival_of_censoring(time, event, copies):
    """Return G(T-) of every row and G(horizon); at ties events precede censorings."""
    before, at_horizon = np.ones(time.size), 1.0
    for u in np.unique(time[~event]):
        lost = copies[(time == u) & ~event].sum()
        at_risk = copies[time > u].sum() + lost
        factor = 1.0 - lost / at_risk
        before[time > u] *= factor
        if u <= HORIZON:
            at_horizon *= factor
    return before, at_horizon


def weights_of(time, event, copies):
    """Return cases before the horizon, and weights: 0 for rows censored before it."""
    before, at_horizon = survival_of_censoring(time, event, copies)
    case = event & (time <= HORIZON)
    weight = np.where(case, 1 / before, np.where(time > HORIZON, 1 / at_horizon, 0.0))
    return case, weight


def kaplan_meier_map(time, event):
    """Return the map z -> z + g, the exact derivative of Kaplan-Meier."""
    case, control = event & (time <= HORIZON), time > HORIZON

    def mapped(z):
        g = np.zeros_like(z)
        for u in np.unique(time[~event]):
            leaves = (time == u) & ~event
            lost, at_risk = leaves.sum(), leaves.sum() + (time > u).sum()
            later = case & (u < time) | control & (u <= HORIZON)
            martingale = leaves - ((time > u) | leaves) * lost / at_risk
            if at_risk > lost:
                g += np.multiply.outer(z[:, later].sum(axis=1), martingale / (at_risk - lost))
        return z + g

    return mapped


def sample_of(time, event, markers, **options):
    """Return a sample whose rows have the map of their weights."""
    case, weight = weights_of(time, event, np.ones(time.size))
    sample = pauci.Sample(case, markers, weight=weight, **options)
    rows = replace(sample.rows, weight_map=kaplan_meier_map(time, event))
    return sample.part(rows, np.arange(time.size))


def derivatives(time, event, marker, measure):
    """Return the derivatives of a measure by the frequency of every row, through Kaplan-Meier."""

    def value(copies):
        case, weight = weights_of(time, event, copies)
        sample = pauci.Sample(case, marker, weight=weight * copies)
        return measure.on(sample.ratings().curve)

    z = np.empty(time.size)
    for k in range(time.size):
        up, down = np.ones(time.size), np.ones(time.size)
        up[k], down[k] = 1 + STEP, 1 - STEP
        z[k] = (value(up) - value(down)) / (2 * STEP)
    return z


@pytest.fixture(autouse=True)
def without_unseen(monkeypatch):
    """Leave out the rows for scores that the sample lacks (`test_unseen`)."""
    monkeypatch.setattr(ends, "changes_by_unseen", lambda *_: {})


def standard_error(z, cluster=None):
    """V = m/(m - 1) times the sum of squares of z, centred over all rows, by unit."""
    z = z - z.mean()
    sums = z if cluster is None else np.bincount(cluster, z)
    return np.sqrt(sums.size / (sums.size - 1) * (sums**2).sum())


MEASURES = [
    pauci.AUC(),
    pauci.PAUC(threshold=(-0.4, 0.9)),
    pauci.PAUCx(threshold=(0.1, 1.2), normalized=True),
    pauci.AP(),
    pauci.AP(prevalence=0.2),
]


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_weights_of_kaplan_meier(measure):
    time, event, markers = follow_up()
    sample = sample_of(time, event, markers)
    case, weight = weights_of(time, event, np.ones(time.size))
    assert (weight == 0).sum() > 10
    assert (~event & (time <= HORIZON)).sum() > (np.unique(time[~event]) <= HORIZON).sum(), "ties"
    z = {k: derivatives(time, event, s, measure) for k, s in markers.items()}
    es = pauci.estimate(sample, measure)
    for e, (name, marker) in zip(es, markers.items(), strict=True):
        known = pauci.Sample(case, marker, weight=weight)
        assert e.value == pauci.estimate(known, measure).value
        assert e.se == pytest.approx(standard_error(z[name]), rel=1e-6)
        assert e.se != pytest.approx(pauci.estimate(known, measure).se, rel=1e-3)
        assert 2 < e.df < time.size
    c = pauci.compare(sample, measure)
    assert c.se == pytest.approx(standard_error(z["a"] - z["b"]), rel=1e-6)
    assert c.df == es.contrast({"a": 1, "b": -1}).df
    f = es.influence()
    assert f.shape == (time.size, 2), "rows without weight affect the weights of others"
    np.testing.assert_allclose(f.T @ f, es.cov, rtol=1e-10)


def test_clusters_of_rows_with_estimated_weights():
    time, event, markers = follow_up()
    cluster = np.arange(90) // 3
    sample = sample_of(time, event, markers, cluster=cluster)
    z = {k: derivatives(time, event, s, pauci.AUC()) for k, s in markers.items()}
    c = pauci.compare(sample, pauci.AUC())
    assert c.se == pytest.approx(standard_error(z["a"] - z["b"], cluster), rel=1e-6)
    e = pauci.estimate(sample["a"], pauci.AUC())
    assert e.se == pytest.approx(standard_error(z["a"], cluster), rel=1e-6)


def test_an_identity_map_leaves_the_contributions_of_known_weights():
    """They are centred over all rows, with the factor for the number of all rows."""
    time, event, markers = follow_up()
    case, weight = weights_of(time, event, np.ones(90))
    sample = pauci.Sample(case, markers["a"], weight=weight)
    same = sample.part(replace(sample.rows, weight_map=lambda z: z), np.arange(90))
    z = []
    for k in range(90):
        values = []
        for step in (STEP, -STEP):
            changed = weight * (1 + step * (np.arange(90) == k))
            curve = pauci.Sample(case, markers["a"], weight=changed).ratings().curve
            values.append(pauci.AUC().on(curve))
        z.append((values[0] - values[1]) / (2 * STEP))
    e = pauci.estimate(same, pauci.AUC())
    assert e.se == pytest.approx(standard_error(np.array(z)), rel=1e-6)


def test_groups_depend_on_the_weights_of_all_rows():
    """Rows outside a group have influence on its estimates, by the weights of its rows."""
    time, event, markers = follow_up()
    group = np.arange(time.size) % 2

    def value(copies):
        case, weight = weights_of(time, event, copies)
        inside = group == 0
        part = pauci.Sample(case[inside], markers["a"][inside], weight=(weight * copies)[inside])
        return pauci.AUC().on(part.ratings().curve)

    z = np.empty(time.size)
    for k in range(time.size):
        step = STEP * (np.arange(time.size) == k)
        z[k] = (value(1 + step) - value(1 - step)) / (2 * STEP)
    lost = (group == 1) & ~event & (time <= HORIZON)
    assert (np.abs(z[lost]) > 1e-5).any()
    sample = sample_of(time, event, markers)["a"]
    r = pauci.estimate(sample, pauci.AUC(), by=group)
    assert r[0].value == pytest.approx(value(np.ones(time.size)), rel=1e-12)
    assert r[0].se == pytest.approx(standard_error(z), rel=1e-6)


def test_resamples_have_other_weights():
    time, event, markers = follow_up()
    sample = sample_of(time, event, markers)["a"]
    for call in (
        lambda: pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(50, rng=1)),
        lambda: pauci.estimate(sample, pauci.AUC(), pauci.Jackknife()),
        lambda: sample.rows.take(np.arange(9)),
    ):
        with pytest.raises(pauci.InputError, match="estimated from all rows"):
            call()
