"""Limits of measures with estimated ends, against an implementation of the formula by loops."""

import copy
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import pauci
from pauci.results.extensions import EstimatedEnds
from pauci.variance.ends import JointEnds
from reference import binomial_shares, heights

pytestmark = pytest.mark.usefixtures("quiet")

MIDDLES = (np.arange(800) + 0.5) / 800
"""Tail probabilities whose quantiles have the distribution of an end."""


def data(n_pos=60, n_neg=110, seed=3, digits=None, common=0.7, modes=False):
    """Labels and correlated scores of two classifiers; with modes the curves jump."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    shared = rng.normal(size=y.size)
    scores = [
        shift * y + common * shared + math.sqrt(1 - common**2) * rng.normal(size=y.size)
        for shift in (1.4, 1.0)
    ]
    if modes:
        scores = [s + 3.0 * (rng.random(y.size) < 0.3) * (1 - y) for s in scores]
    if digits is not None:
        scores = [np.round(s, digits) for s in scores]
    return y, scores


def options_of(design, y, seed=5):
    rng = np.random.default_rng(seed)
    if design == "clusters":
        return {"cluster": rng.integers(0, 60, y.size)}
    return {"weight": rng.uniform(0.4, 2.5, y.size)} if design == "weights" else {}


def concordant_areas(curve, starts, ends, region, n):
    """Return half of the area below the curve and that to its right, if its ends are moved.

    The part of the curve between both FPRs is stretched to the region. Heights are those at the
    middle of vertical steps; n is the number of negatives.
    """
    x, y = np.transpose(curve)
    rates = sorted(set(x.tolist()))
    steps = [y[x == v] for v in rates]
    last, first = [s[-1] for s in steps], [s[0] for s in steps]
    # Between two rates the curve is a line from the end of a step to the start of the next one.
    below = [0.0]
    for i in range(len(rates) - 1):
        below.append(below[-1] + (rates[i + 1] - rates[i]) * (last[i] + first[i + 1]) / 2.0)

    def integral(at):
        i = np.clip(np.searchsorted(rates, at, side="right") - 1, 0, len(rates) - 2)
        left, right = np.take(rates, i), np.take(rates, i + 1)
        slope = (np.take(first, i + 1) - np.take(last, i)) / (right - left)
        return np.take(below, i) + (at - left) * (np.take(last, i) + (at - left) * slope / 2.0)

    low, high = region
    area = (integral(ends) - integral(starts)) * (high - low) / (ends - starts)
    y1 = heights(x, y, starts, n) if low > 0.0 else 0.0
    y2 = heights(x, y, ends, n) if high < 1.0 else 1.0
    return area + (y2 * (1.0 - high) - y1 * (1.0 - low)) / 2.0


def operating_points(y, s, w):
    points = [(0.0, 0.0)]
    for v in sorted(set(s.tolist()), reverse=True):
        above = s >= v
        points.append(tuple(w[above & (y == c)].sum() / w[y == c].sum() for c in (0, 1)))
    points[-1] = (1.0, 1.0)
    return points


def before_end(y, s, w, x):
    """Return for each row the part of it before the score with an FPR of x; 0 for positives."""
    share, total = np.zeros(y.size), w[y == 0].sum()
    for v in set(s[y == 0].tolist()):
        tied = (s == v) & (y == 0)
        above = w[(s > v) & (y == 0)].sum()
        share[tied] = np.clip((x * total - above) / w[tied].sum(), 0.0, 1.0)
    return share


def by_unit(rows, cluster):
    if cluster is None:
        return rows
    return np.array([rows[cluster == g].sum() for g in np.unique(cluster)])


DEVIATES = np.linspace(-5.0, 5.0, 401)
TAILS = stats.norm.cdf(DEVIATES)


def oracle(y, scores, region, options, signs):
    """Return values for positions of the ends, and the variance of the rest of the error.

    Positions have equal probabilities, and a sum of squares of their independent deviates. `signs`
    are the weights of the classifiers.
    """
    w, cluster = options.get("weight", np.ones(y.size)), options.get("cluster")
    names = [f"c{k}" for k in range(len(signs))]
    sample = pauci.Sample(y, dict(zip(names, scores, strict=False)), **options)
    rows = {k: v for k, v in options.items() if k != "cluster"}
    of_rows = pauci.Sample(y, dict(zip(names, scores, strict=False)), **rows)
    m = pauci.PAUCc(fpr=region)
    f = pauci.estimate(sample, [m]).influence().to_numpy(float)[:, -len(signs) :] @ signs
    single = pauci.estimate(of_rows, [m]).influence().to_numpy(float)[:, -len(signs) :]
    negatives, inner = y == 0, [x for x in region if 0.0 < x < 1.0]
    total = w[negatives].sum()
    units = np.unique(cluster[negatives]).size if cluster is not None else negatives.sum()
    factor = math.sqrt(units / (units - 1.0))
    iota, slopes, sizes = [], [], []
    for k, sign in enumerate(signs):
        befores = [before_end(y, scores[k], w, x) for x in inner]
        centred = [np.where(negatives, b - x, 0.0) for b, x in zip(befores, inner, strict=True)]
        moments = [[(w * a * b).sum() / total for b in centred] for a in centred]
        own = np.linalg.solve(moments, [(c * single[:, k]).sum() for c in centred])
        slopes += (sign * own).tolist()
        for c, x in zip(centred, inner, strict=True):
            iota.append(by_unit(w * c / total, cluster) * factor)
            variance = (iota[-1] ** 2).sum()
            effective = units / (units - 1.0) * x * (1.0 - x) / variance
            sizes.append(min(negatives.sum(), effective))
    within = np.array([[(a * b).sum() for b in iota] for a in iota])
    with_sum = np.array([(a * f).sum() for a in iota])
    b = np.linalg.solve(within, with_sum)
    explained = b @ with_sum
    rest = max((f**2).sum() - explained, 0.05**2 * explained)
    errors = np.sqrt(np.diag(within))
    # Deviates with the correlation of the shares.
    count = len(iota)
    lattice = (np.arange(2000) + 0.5)[:, None] / 2000
    if count > 1:
        lattice = stats.qmc.Sobol(count, scramble=False).random(2**14) + 0.5**15
    independent = stats.norm.ppf(lattice)
    z = independent @ np.linalg.cholesky(within / np.outer(errors, errors)).T
    values = np.zeros(len(z))
    for k, sign in enumerate(signs):
        curve = operating_points(y, scores[k], w)
        moved = {}
        for j, x in enumerate(inner):
            own = k * len(inner) + j
            n = sizes[own]
            if signs.sum() == 0.0:
                quantiles = stats.beta.ppf(TAILS, n * x + 0.5, n * (1.0 - x) + 0.5)
            else:
                quantiles = binomial_shares(TAILS, x, n)
            moved[x] = np.interp(z[:, own], DEVIATES, quantiles)
        starts, ends = (moved.get(x, np.full(len(z), x)) for x in region)
        if len(inner) == 2:  # both in the middle, a small distance apart
            crossed, middle = starts > ends, (starts + ends) / 2.0
            starts = np.where(crossed, middle - 5e-5 / total, starts)
            ends = np.where(crossed, middle + 5e-5 / total, ends)
        values += sign * concordant_areas(curve, starts, ends, region, negatives.sum())
    if cluster is not None or "weight" in options or len(signs) > 1:
        # The estimate is too high by b'iota, and its own moved ends account for slopes'iota.
        values -= z @ ((b - slopes) * errors)
    return values, (independent**2).sum(axis=1), rest


def logit_interval(e, values, distances, rest, level):
    (low, high), df = e.scale, e.df_used()
    edge = 1e-6 * (high - low)

    def g(v):
        v = np.clip(v, low + edge, high - edge)
        return np.log((v - low) / (high - v))

    se = math.sqrt(rest) * (high - low) / ((e.value - low) * (high - e.value))

    def tail_at(t, sign):
        """Return the mean tail, or that of the nearest deviates if it is larger."""
        tails = stats.t.cdf(sign * (g(t) - g(values)) / se, df)
        errors = np.minimum(stats.norm.ppf(tails), 0.0)
        nearest = math.sqrt((distances + errors**2).min())
        return max(tails.mean(), stats.norm.sf(nearest + 0.1))

    tail, ends = (1.0 - level) / 2.0, (low + edge, high - edge)
    return [brentq(lambda t, s=sign: tail_at(t, s) - tail, *ends) for sign in (1.0, -1.0)]


CASES = [
    ((0.0, 0.2), {}, "rows"),
    ((0.0, 0.23), {"digits": 1}, "rows"),
    ((0.1, 1.0), {}, "rows"),
    ((0.0, 0.3), {"modes": True}, "rows"),
    ((0.1, 0.4), {}, "rows"),
    ((0.2, 0.5), {"modes": True, "n_pos": 150, "n_neg": 150}, "rows"),
    ((0.0, 0.2), {}, "clusters"),
    ((0.1, 0.4), {}, "clusters"),
    ((0.0, 0.3), {"modes": True}, "clusters"),
    ((0.0, 0.2), {}, "weights"),
    ((0.1, 0.4), {"digits": 1}, "weights"),
]


@pytest.mark.parametrize(("region", "shape", "design"), CASES, ids=str)
def test_the_interval_is_that_of_the_formula(region, shape, design):
    y, scores = data(**shape)
    options = options_of(design, y)
    e = pauci.estimate(pauci.Sample(y, scores[0], **options), pauci.PAUCc(fpr=region))
    e = replace(e, limits=replace(e.limits, unseen=None))
    assert (e.kind_used(), e.pseudo_variance) == ("logit", 0.0)
    assert e.binormal_se <= e.se
    found = oracle(y, scores, region, options, np.array([1.0]))
    for level in (0.8, 0.95):
        expected = logit_interval(e, *found, level)
        assert e.interval(level) == pytest.approx(expected, abs=0.01 * np.ptp(expected))


@pytest.mark.parametrize(("region", "shape", "design"), CASES, ids=str)
def test_the_p_value_of_a_difference_is_that_of_the_formula(region, shape, design):
    y, scores = data(**shape)
    options = options_of(design, y)
    sample = pauci.Sample(y, {"a": scores[0], "b": scores[1]}, **options)
    values, _, rest = oracle(y, scores, region, options, np.array([1.0, -1.0]))
    for null in (0.0, -0.05, 0.1):
        c = pauci.compare(sample, pauci.PAUCc(fpr=region), null=null)
        assert c.kind_used() == "joined"
        below = stats.t.cdf((null - values) / math.sqrt(rest), c.df).mean()
        ends = c._joined(c.df)  # without one more row of the largest weight
        # 1% of a standard error
        assert ends.tail(null, below=True) == pytest.approx(below, rel=0.02, abs=0.002)
        if design != "weights":
            assert c.pvalue == pytest.approx(2.0 * min(below, 1.0 - below), rel=0.02, abs=0.004)
        assert (c.statistic > 0.0) == (below < 0.5)


def mirrored(y, s, region):
    """Exchange the classes: the FPR axis is then the TPR axis of the mirrored region."""
    return 1 - y, -s, tuple(1.0 - x for x in region[::-1])


@pytest.mark.parametrize("design", ["rows", "clusters", "weights"])
def test_ends_on_the_other_axis(design):
    y, (s, _) = data(digits=2)
    options = options_of(design, y)
    of_fpr = pauci.estimate(
        pauci.Sample(y, s, **options), pauci.PAUCc(fpr=(0.1, 0.4), ends="middle")
    )
    other, negated, region = mirrored(y, s, (0.1, 0.4))
    mirrored_measure = pauci.PAUCc(tpr=region, ends="middle")
    of_tpr = pauci.estimate(pauci.Sample(other, negated, **options), mirrored_measure)
    assert of_tpr.interval() == pytest.approx(of_fpr.interval(), rel=1e-6)


def errors_of(e):
    """Return the errors due to the ends of an estimate or difference."""
    ends = e.ends if hasattr(e, "ends") else e.limits
    assert isinstance(ends, EstimatedEnds)
    return ends.errors


def moments(errors):
    """Return the mean and the variance of the values for positions of the ends."""
    values, shares, _ = errors.at_ends
    mean = shares @ values
    return mean, shares @ (values - mean) ** 2


def test_the_explained_variance_is_a_part_of_the_variance():
    y, scores = data()
    sample = pauci.Sample(y, {"a": scores[0], "b": scores[1]})
    for m in (pauci.PAUCc(fpr=(0, 0.2)), pauci.PAUC(tpr=(0.3, 0.8)), pauci.PAUCx(fpr=(0.1, 1))):
        for e in (*pauci.estimate(sample, [m]), pauci.compare(sample, m)):
            errors = errors_of(e)
            assert 0.0 < errors.explained < e.se**2
            assert errors.at_ends.shares.sum() == pytest.approx(1.0)
            _, variance = moments(errors)
            # The values vary about as much as the ends explain.
            assert 0.3 * errors.explained < variance < 3.0 * errors.explained


@pytest.mark.parametrize("design", ["rows", "clusters"])
@pytest.mark.parametrize(
    "measure", [pauci.PAUCc(fpr=(0, 0.3)), pauci.PAUCc(tpr=(0.6, 1)), pauci.Sensitivity(fpr=0.3)]
)
def test_the_whole_variance_of_a_smooth_curve_is_that_of_the_standard_error(measure, design):
    """The effects of a cluster on both classes compensate: its ends explain little variance."""
    rng = np.random.default_rng(12)
    clusters = np.repeat(np.arange(300), 8) if design == "clusters" else np.arange(2400)
    y = np.tile([0, 1], 1200)
    effects = rng.normal(size=(3, 2400))[:, clusters]
    a, b = effects[:2] + effects[2] + rng.normal(size=(2, 2400)) + 1.5 * y
    options = {"cluster": clusters} if design == "clusters" else {}
    sample = pauci.Sample(y, {"a": a, "b": b}, **options)
    for q in (*pauci.estimate(sample, [measure]), pauci.compare(sample, measure)):
        if not isinstance(getattr(q, "ends", None) or q.limits, EstimatedEnds):
            continue  # mid-p limits of a point
        errors = errors_of(q)
        _, variance = moments(errors)
        rest = max(q.se**2 - errors.explained, errors.least)
        assert math.sqrt(variance + rest) == pytest.approx(q.se, rel=0.08)


@pytest.mark.parametrize("n", [30, 80])
def test_the_rest_at_a_point_is_at_least_that_of_half_an_observation(n):
    """All positives exceed the threshold in both samples, so that their counts do not vary."""
    rng = np.random.default_rng(n)
    y = np.repeat([1, 0], [n, 2 * n])
    scores = {"a": rng.normal(size=y.size) + 9 * y, "b": rng.normal(size=y.size) + 9.5 * y}
    scores["a"][:3] = -1.0
    scores["b"][1:4] = -1.0
    c = pauci.compare(pauci.Sample(y, scores), pauci.Sensitivity(specificity=0.8))
    assert errors_of(c).least == pytest.approx(0.5 / n**2)
    area = pauci.compare(pauci.Sample(y, scores), pauci.PAUCc(fpr=(0, 0.2)))
    assert errors_of(area).least == 0.0


def test_the_slope_at_a_point_scales_the_least_variance():
    y, scores = data(40, 80)
    sample = pauci.Sample(y, {"a": scores[0], "b": scores[1]})
    c = pauci.compare(sample, pauci.Specificity(sensitivity=0.7))
    assert errors_of(c).least == pytest.approx(0.5 / 80**2)


def test_more_clustered_ends_are_further_apart():
    """Rows of a cluster are equal: the shares vary as those of a number of rows = clusters."""
    y, (s, _) = data(50, 100)
    m = pauci.PAUCc(fpr=(0, 0.2))
    once = pauci.estimate(pauci.Sample(y, s), m)
    cluster = np.tile(np.arange(y.size), 3)
    three = pauci.estimate(pauci.Sample(np.tile(y, 3), np.tile(s, 3), cluster=cluster), m)
    assert three.se == pytest.approx(once.se, rel=0.02)
    found, expected = errors_of(three), errors_of(once)
    assert found.explained == pytest.approx(expected.explained, rel=0.02)
    assert found.at_ends.values.std() == pytest.approx(expected.at_ends.values.std(), rel=0.03)
    assert three.interval() == pytest.approx(once.interval(), abs=0.03 * np.ptp(once.interval()))


@pytest.mark.parametrize("conservative", [False, True])
def test_folds_have_independent_ends(conservative):
    """The explained variance of an average is that of the folds, divided by their number."""
    y, (s, _) = data(90, 150)
    fold, m = np.arange(y.size) % 3, pauci.PAUCc(fpr=(0, 0.2))
    average = pauci.estimate(pauci.Sample(y, s, fold=fold), m, conservative=conservative)
    parts = [pauci.estimate(pauci.Sample(y[fold == k], s[fold == k]), m) for k in range(3)]
    explained = sum(errors_of(e).explained for e in parts) / 9
    factor = 2.0 if conservative else 1.0
    assert errors_of(average).explained == pytest.approx(factor * explained)
    assert average.se**2 == pytest.approx(factor * sum(e.se**2 for e in parts) / 9)
    mean = []
    for k in range(3):
        inside = fold == k
        # A larger variance is that of fewer negatives.
        n = (1 - y[inside]).sum()
        ends = binomial_shares(MIDDLES, 0.2, n / factor).clip(1e-4 / n)
        curve = operating_points(y[inside], s[inside], np.ones(inside.sum()))
        mean.append(concordant_areas(curve, np.zeros(MIDDLES.size), ends, (0.0, 0.2), n).mean())
    found, _ = moments(errors_of(average))
    assert found == pytest.approx(np.mean(mean), abs=0.01 * average.se)


def test_independent_samples_have_independent_ends():
    (y, (s, _)), (y2, (s2, _)), m = data(), data(50, 90, 8), pauci.PAUCc(fpr=(0, 0.2))
    two = [pauci.Sample(y, s, name="a"), pauci.Sample(y2, s2, name="b")]
    c = pauci.compare(two, m)
    # Those of a part of a difference.
    a, b = (replace(pauci.estimate(x, m).limits, of_difference=True).errors for x in two)
    found = errors_of(c)
    assert found.explained == pytest.approx(a.explained + b.explained, rel=1e-9)
    means, variances = zip(*map(moments, (a, b, found)), strict=True)
    assert means[2] == pytest.approx(means[0] - means[1], abs=1e-4)
    assert variances[2] == pytest.approx(variances[0] + variances[1], rel=0.02)


def test_a_difference_of_equal_classifiers_has_no_errors_of_ends():
    """Both ends are at the same score: their errors cancel."""
    y, (s, _) = data()
    sample = pauci.Sample(y, {"a": s, "b": s + 0.3, "c": s + np.where(s > 1.2, 0.0, 1e-9)})
    errors = errors_of(pauci.estimate(sample, pauci.PAUCc(fpr=(0, 0.2))).contrast([1, -1, 0]))
    values = errors.at_ends.values
    assert values == pytest.approx(np.zeros(values.size), abs=1e-6)
    assert errors.explained == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("measure", [pauci.PAUCx, pauci.PAUCc, pauci.LocalC])
def test_a_difference_with_two_ends_changes_its_sign_with_the_order_of_classifiers(measure):
    y, (a, b) = data()
    c, other = (
        pauci.compare(pauci.Sample(y, scores), measure(fpr=(0.1, 0.4)))
        for scores in ({"a": a, "b": b}, {"b": b, "a": a})
    )
    assert other.pvalue == pytest.approx(c.pvalue, rel=1e-9)
    low, high = c.interval()
    assert other.interval() == pytest.approx((-high, -low), rel=1e-9)


def test_pickled_ends_have_no_data_and_equal_errors():
    y, scores = data()
    sample = pauci.Sample(y, {"a": scores[0], "b": scores[1]}, cluster=np.arange(y.size) // 2)
    es = pauci.estimate(sample, [pauci.PAUCc(fpr=(0.1, 0.3)), pauci.Sensitivity(fpr=0.2)])
    cs = pauci.compare(sample, [pauci.PAUCc(fpr=(0.1, 0.3)), pauci.Sensitivity(fpr=0.2)])
    for results in (es, cs):
        expected = [q.interval() for q in results]
        for other in (pickle.loads(pickle.dumps(results)), copy.deepcopy(results)):
            assert [q.interval() for q in other] == expected
    (restored, _), *_ = pickle.loads(pickle.dumps(cs))[0].ends.analyses
    assert isinstance(restored, JointEnds)
    assert restored._parts is None


@pytest.mark.parametrize("design", ["rows", "clusters", "weights"])
def test_ends_are_pickled_before_they_are_used(design):
    y, scores = data()
    sample = pauci.Sample(y, {"a": scores[0], "b": scores[1]}, **options_of(design, y))
    for measure in (pauci.PAUCc(fpr=(0.1, 0.3)), pauci.Sensitivity(fpr=0.2)):
        c = pauci.compare(sample, measure)
        restored = pickle.loads(pickle.dumps(c))
        assert restored.interval() == c.interval()


def test_the_rest_has_a_smallest_variance():
    y, scores = data()
    sample = pauci.Sample(y, {"a": scores[0], "b": scores[1]})
    (e, _), c = (
        pauci.estimate(sample, [pauci.PAUCc(fpr=(0, 0.2))]),
        pauci.compare(sample, pauci.Sensitivity(specificity=0.8)),
    )
    explained = errors_of(e).explained
    for variance, rest in ((0.0, 0.0025), (2.0, 1.0)):
        found = e.limits.averaged(e.value, variance * explained, math.inf).se ** 2
        assert found == pytest.approx(rest * explained)
    least = c.ends.averaged(c.difference, errors_of(c).explained, math.inf).se ** 2
    expected = max(errors_of(c).least, 0.0025 * errors_of(c).explained)
    assert least == pytest.approx(expected)
    assert expected == errors_of(c).least


def test_wald_intervals_are_those_of_the_standard_error():
    y, (s, _) = data()
    e = pauci.estimate(pauci.Sample(y, s), pauci.PAUCc(fpr=(0, 0.2)))
    half = stats.norm.isf(0.025) * e.se
    assert e.interval(kind="wald") == pytest.approx((e.value - half, e.value + half))


@pytest.mark.parametrize("folds", [2, 4])
def test_values_at_points_of_folds_are_corrected_for_the_bend_of_the_curve(folds):
    """The bias of the estimate, and that of the mean value for moved ends, are subtracted."""
    y, (s, _) = data(120, 200)
    fold, m = np.arange(y.size) % folds, pauci.Sensitivity(specificity=0.8)
    found, _ = moments(errors_of(pauci.estimate(pauci.Sample(y, s, fold=fold), m)))
    expected = []
    for k in range(folds):
        inside = fold == k
        curve = operating_points(y[inside], s[inside], np.ones(inside.sum()))
        n = (1 - y[inside]).sum()
        shares = binomial_shares(MIDDLES, 0.2, n)
        mean, at_end = (heights(*np.transpose(curve), v, n) for v in (shares, 0.2))
        expected.append(mean.mean() - 2.0 * (1.0 - 1.0 / folds) * (mean.mean() - at_end))
    assert found == pytest.approx(np.mean(expected), abs=1e-3)
