"""The fast sums over the units of one part are those of the general way for several parts."""

import numpy as np
import pytest

import pauci
from pauci.measures.at_cutoff import AtCutoff
from pauci.variance.joint import uncertainty_of_parts, uncertainty_of_problem
from pauci.variance.leave_one_out import Jackknife
from pauci.variance.method import InfluenceVariance
from pauci.variance.units import CommonUnits, Parts, Problem
from registry import instances

pytestmark = pytest.mark.usefixtures("quiet")

MEASURES = [
    m
    for low in (0.1, 0.5)  # the lower end of regions, and thresholds
    for m in instances((low, 0.6), spread=4.0)
    if m.has_influence and (isinstance(m, AtCutoff) and m.threshold is not None) == (low == 0.5)
]


def sample(design, n=130):
    rng = np.random.default_rng(11)
    y = rng.permutation((np.arange(n) < 0.35 * n).astype(int))
    common = rng.gamma(2.0, size=n) + y
    digits = 0 if design == "ratings" else 2
    scores = {k: np.round(common + rng.gumbel(size=n), digits) for k in "ab"}
    mixed = (30 * rng.random(n) ** 2).astype(int)
    options = {
        "rows": {},
        "ratings": {},
        "case-control": {"design": "case-control"},
        "weights": {"weight": rng.uniform(0.2, 2, n) * (rng.random(n) < 0.9)},
        "frequencies": {"frequency": rng.integers(0, 4, n)},
        "weights and frequencies": {
            "weight": rng.uniform(0.2, 2, n),
            "frequency": rng.integers(0, 4, n),
        },
        "mixed clusters": {"cluster": mixed},
        "pure clusters": {"cluster": mixed + 50 * y},
        "clusters with weights": {
            "cluster": mixed,
            "weight": rng.uniform(0.2, 2, n),
            "frequency": rng.integers(0, 4, n),
        },
        "clusters of one row": {"cluster": np.arange(n)},
    }
    return pauci.Sample(y, scores, **options[design])


DESIGNS = [
    "rows",
    "ratings",
    "case-control",
    "weights",
    "frequencies",
    "weights and frequencies",
    "mixed clusters",
    "pure clusters",
    "clusters with weights",
    "clusters of one row",
]


@pytest.mark.parametrize("estimates", ["single", "two", "all"])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    "method",
    [InfluenceVariance(), pytest.param(Jackknife(), marks=pytest.mark.long)],
    ids=["influence", "jackknife"],
)
def test_one_part_has_the_uncertainty_of_several(design, method, estimates):
    """For a single estimate, for two, and for all measures of two classifiers at once."""
    data = sample(design)
    measures = MEASURES
    if "weights" in design:
        if method.key == "jackknife":
            pytest.skip("not available")
        measures = [m for m in MEASURES if not getattr(m, "corrected", False)]
    ratings = [data.ratings(name) for name in "ab"]
    targets = {
        "single": [((ratings[0],), (m,)) for m in measures],
        "two": [(tuple(ratings), (m, m)) for m in measures],
        "all": [(tuple(r for r in ratings for _ in measures), tuple(2 * measures))],
    }
    for of_ratings, of_measures in targets[estimates]:
        fast = uncertainty_of_problem(Problem(of_ratings, of_measures), method)
        problem = Problem(of_ratings, of_measures)
        common = CommonUnits(data.rows, [np.arange(data.rows.positive.size)])
        general = uncertainty_of_parts(Parts([problem], [""], common), method)
        scale = np.sqrt(np.outer(fast.matrix.diagonal(), fast.matrix.diagonal())).max()
        np.testing.assert_allclose(
            fast.matrix, general.matrix, rtol=1e-10, atol=1e-14 * scale, err_msg=str(of_measures)
        )
        sums = np.eye(len(problem))
        if len(problem) > 1:
            first, middle = sums[[0, len(problem) // 2]]
            sums = [*sums, first - middle, 0.5 * (first + middle)]
        for weights in sums:
            assert fast.df_of(weights) == pytest.approx(general.df_of(weights), rel=1e-8)
        assert (fast.bias is None) == (general.bias is None)
        if fast.bias is not None:
            np.testing.assert_allclose(fast.bias, general.bias, rtol=1e-8, atol=1e-13)
