"""Coverage of intervals of average precision and of the area under the kappa curve, simulated.

python -m pytest -m slow -s tests/inference/test_coverage_precision.py
"""

import numpy as np
import pytest

import pauci
from simulate import BINORMAL, POPULATIONS, binormal
from simulate_precision import simulate
from simulate_rule import PlainInfluence

ORDINAL = POPULATIONS[-1]
STRONG = binormal(2.8, 1.0, "strong")


def check(table, departure, ratio, replicates):
    """Check coverage and standard errors, up to a deviation and simulation error."""
    noise = 300 * np.sqrt(0.05 * 0.95 / replicates)
    low, high = 95 - departure - noise, 95 + departure + noise
    # The third measure has almost no bias; average precision has, unless corrected.
    assert (low <= table[0]).all(), table
    assert (table[0] <= high).all(), table
    assert (np.abs(table[2] - 1) <= ratio + 3 / np.sqrt(2 * replicates)).all(), table
    assert abs(table[3, 1]) <= abs(table[3, 0]) + 3 / np.sqrt(replicates), table


@pytest.mark.long
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("population", [BINORMAL, ORDINAL], ids=lambda p: p.name)
def test_intervals_cover(population, design):
    table = simulate(population, 100, 0.2, design, 600, seed=5)
    check(table, 1.5, 0.08, 600)


@pytest.mark.long
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_intervals_cover_for_strong_classifiers(design):
    """The largest AUK depends on the prevalence, which is estimated in a cohort.

    The standard error of average precision includes half an observation of each class that the
    sample lacks, which is a large part of it: the interval without it has the nominal coverage,
    and with it more.
    """
    table = simulate(STRONG, 75, 0.25, design, 600, 7, PlainInfluence())
    check(table, 1.5, 0.08, 600)
    whole = simulate(STRONG, 75, 0.25, design, 600, 7)
    np.testing.assert_array_equal(whole[[0, 2], 2], table[[0, 2], 2])
    assert (whole[0, :2] >= table[0, :2]).all()
    assert (whole[2, :2] / table[2, :2] > 1.0).all()
    assert (whole[2, :2] / table[2, :2] < 1.3).all()


def with_half_an_observation(y, s, label):
    """Return rows and weights with half an observation of a class, in place of its other weight.

    Positives score highest; negatives are tied with half of the positives above the others.
    """
    above = np.sort(s[(y == 1) & (s > s[y == 0].max())])
    at = above[above.size // 2] if label == 0 and above.size else s.max() + 1.0
    share = 0.5 / np.count_nonzero(y == label)
    weight = np.append(np.where(y == label, 1.0 - share, 1.0), 0.5)
    return np.append(y, label), np.append(np.minimum(s, at), at), weight


def precision_of(y, s, w):
    """Return the mean over the positives of the precision at their scores."""
    total = sum(
        w[i] * (w * y)[s >= s[i]].sum() / w[s >= s[i]].sum() for i in np.flatnonzero(y == 1)
    )
    return total / (w * y).sum()


@pytest.mark.parametrize("seed", range(3))
def test_the_error_of_average_precision_includes_half_an_observation_of_each_class(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [75, 225])
    s = STRONG.draw(rng, 75, 225) if seed < 2 else rng.normal(size=300) + y
    sample, ap = pauci.Sample(y, s), pauci.AP()
    whole, plain = (pauci.estimate(sample, ap, v).se for v in ("influence", PlainInfluence()))
    seen = precision_of(y, s, np.ones(300))
    changes = [precision_of(*with_half_an_observation(y, s, k)) - seen for k in (0, 1)]
    assert pauci.estimate(sample, ap).value == pytest.approx(seen)
    assert changes[0] < 0.0 < changes[1]
    assert whole**2 == pytest.approx(plain**2 + changes[0] ** 2 + changes[1] ** 2, rel=1e-9)
