"""Standard errors of measures with estimated ends, against the rule by sums over pairs of rows.

The oracle follows the docstring of `pauci.variance.ends` and shares no code with it: influence by
the double sum over pairs of rows, values on stretched curves, and expectations by integration over
normal deviates.
"""

import copy
import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pauci
from pauci.measures.moved_ends import MovedEnds
from reference import heights

pytestmark = pytest.mark.usefixtures("quiet")

DEVIATES = np.linspace(-6.0, 6.0, 61)
"""Deviates at which values are calculated: the rule names their range and number."""


def data(n_pos=60, n_neg=111, seed=3, digits=None, modes=False):
    """Labels and correlated scores of two classifiers; with modes the curves jump."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    common = 0.7 * rng.normal(size=y.size)
    scores = [shift * y + common + 0.7 * rng.normal(size=y.size) for shift in (1.4, 1.0)]
    if modes:
        scores = [s + 3.0 * (rng.random(y.size) < 0.25) * (1 - y) for s in scores]
    return y, [s if digits is None else np.round(s, digits) for s in scores]


def options_of(design, y, seed=5):
    rng = np.random.default_rng(seed)
    return {
        "clusters": {"cluster": rng.integers(0, 60, y.size)},
        "weights": {"weight": rng.uniform(0.5, 1.5, y.size)},
        "frequencies": {"frequency": rng.integers(1, 4, y.size)},
    }.get(design, {})


class Scored:
    """The rows of a classifier, and its curve as a polyline."""

    def __init__(self, y, s, w, cluster):
        self.y, self.s, self.w, self.cluster = y, s, w, cluster
        self.mass = [w[y == c].sum() for c in (0, 1)]
        points = [(0.0, 0.0)]
        for v in sorted(set(s.tolist()), reverse=True):
            above = s >= v
            points.append(tuple(w[above & (y == c)].sum() / self.mass[c] for c in (0, 1)))
        points[-1] = (1.0, 1.0)
        self.x, self.height = np.transpose(points)
        # The area below the polyline up to each point.
        widths, sums = np.diff(self.x), self.height[1:] + self.height[:-1]
        self.below = np.concatenate(([0.0], np.cumsum(widths * sums / 2.0)))

    def part_before(self, x):
        """Return the part of each row that is before the score with an FPR of x, of any class."""
        part = np.zeros(self.y.size)
        for v in set(self.s.tolist()):
            tied, negative = self.s == v, self.y == 0
            above = self.w[(self.s > v) & negative].sum()
            inside = self.w[tied & negative].sum()
            left = x * self.mass[0] - above
            part[tied] = np.clip(left / inside, 0.0, 1.0) if inside else float(left > 0.0)
        return part

    def area(self, ends):
        """Return the area below the curve up to each FPR."""
        i = np.clip(np.searchsorted(self.x, ends, side="right") - 1, 0, self.x.size - 2)
        width = np.where(self.x[i + 1] > self.x[i], self.x[i + 1] - self.x[i], 1.0)
        slope = (self.height[i + 1] - self.height[i]) / width
        at = ends - self.x[i]
        return self.below[i] + at * (self.height[i] + at * slope / 2.0)

    def height_at(self, ends):
        return heights(self.x, self.height, ends, (self.y == 0).sum())

    def row_area(self, x):
        """Return the effect of each row on the area up to the score with an FPR of x."""
        part, effect = self.part_before(x), np.zeros(self.y.size)
        pos, neg = np.flatnonzero(self.y == 1), np.flatnonzero(self.y == 0)
        for j in neg:
            # A pair of tied rows counts 1/2; in a tie that x divides, the square of the part.
            won = self.s[pos] > self.s[j]
            wins = won * part[j] + (self.s[pos] == self.s[j]) * part[j] ** 2 / 2.0
            effect[pos] += self.w[j] * wins / self.mass[0]
            effect[j] = (self.w[pos] * wins).sum() / self.mass[1]
        return effect

    def row_height(self, x):
        """Return the effect of each row on the height at the score with an FPR of x."""
        return np.where(self.y == 1, self.part_before(x), 0.0)

    def variance_within_tie(self, x):
        """Return the variance of the share before x that is due to the order of tied rows."""
        part = self.part_before(x)
        cut = (self.y == 0) & (part > 0.0) & (part < 1.0)
        if cut.sum() < 2:
            return 0.0
        return (self.w[cut] ** 2 * part[cut] * (1.0 - part[cut])).sum() / self.mass[0] ** 2

    def with_divided_ties(self, ends):
        """Return rows of which those tied at an end are divided: a part before it, the rest after.

        Each part has the weight of its share, so that the curve does not change.
        """
        parts = np.array(
            [np.zeros(self.y.size), *map(self.part_before, ends), np.ones(self.y.size)]
        )
        shares = np.diff(parts, axis=0)
        order = np.arange(len(shares))[:, None] * 1e-9
        kept = shares.ravel() > 0.0
        y, s, w = np.tile(self.y, len(shares)), (self.s - order).ravel(), (self.w * shares).ravel()
        return Scored(y[kept], s[kept], w[kept], None)

    def slopes(self, effect, ends):
        """Return the differences of the mean effects of negatives before and after each end."""
        negative = self.y == 0
        columns = [self.part_before(x)[negative] for x in ends]
        root, f = np.sqrt(self.w[negative]), effect(self)[negative]
        design = np.transpose([np.ones(f.size), *columns]) * root[:, None]
        return np.linalg.lstsq(design, f * root, rcond=None)[0][1:]

    def centred(self, effect):
        result = np.zeros(self.y.size)
        for c in (0, 1):
            own = self.y == c
            mean = (self.w * effect)[own].sum() / self.mass[c]
            result[own] = (self.w * (effect - mean))[own] / self.mass[c]
        return result


def of_concordant_area(region):
    low, high = region

    def value(r, starts, ends):
        first = r.height_at(starts) * (1.0 - low) if low > 0.0 else 0.0
        last = r.height_at(ends) * (1.0 - high)
        stretch = (high - low) / (ends - starts)
        return (r.area(ends) - r.area(starts)) * stretch + (last - first) / 2.0

    def effect(r):
        first = r.row_height(low) * (1.0 - low) if low > 0.0 else 0.0
        last = r.row_height(high) * (1.0 - high)
        return r.row_area(high) - (r.row_area(low) if low else 0.0) + (last - first) / 2.0

    return pauci.PAUCc(fpr=region), region, value, effect


def of_area(region):
    def value(r, starts, ends):
        return (r.area(ends) - r.area(starts)) * (region[1] - region[0]) / (ends - starts)

    return (
        pauci.PAUC(fpr=region),
        region,
        value,
        lambda r: r.row_area(region[1]) - (r.row_area(region[0]) if region[0] else 0.0),
    )


def of_standardized(high):
    """McClish's index: (1 + (A - min)/(max - min))/2."""
    least, most = high**2 / 2.0, high
    _, region, value, effect = of_area((0.0, high))
    return (
        pauci.SPA(fpr=(0.0, high)),
        region,
        lambda *ends: 0.5 * (1.0 + (value(*ends) - least) / (most - least)),
        lambda r: effect(r) / (2.0 * (most - least)),
    )


def of_sensitivity(x):
    return (
        pauci.Sensitivity(fpr=x),
        (0.0, x),
        lambda r, _, ends: r.height_at(ends),
        lambda r: r.row_height(x),
    )


FORMS = {
    "concordant area to the right": of_concordant_area((0.3, 1.0)),
    "concordant area": of_concordant_area((0.0, 0.2)),
    "sensitivity": of_sensitivity(0.17),
    "area with two ends": of_area((0.1, 0.4)),
    "standardized area": of_standardized(0.23),
    "concordant area with two ends": of_concordant_area((0.15, 0.45)),
}


class Estimate:
    """The value of an estimate, and the functions of deviates of its ends.

    With a `transform`, a function and its derivative, they are those of the transformed value.
    """

    def __init__(self, r, form, transform=None):
        self.measure, region, value_with, effect = form
        inner = [x for x in region if 0.0 < x < 1.0]
        negative = r.y == 0
        before = [r.centred(np.where(negative, r.part_before(x), 0.0)) for x in inner]
        within = [r.variance_within_tie(x) for x in inner]
        f = r.centred(effect(r))
        of_ties = r.with_divided_ties(inner).slopes(effect, inner)
        for b, slope, divides in zip(before, of_ties, within, strict=True):
            if divides:
                f = f - slope * b
        others = np.transpose([b for b, w in zip(before, within, strict=True) if not w])
        if others.size:
            f = f - others @ np.linalg.lstsq(others, f, rcond=None)[0]
        self.rest = by_unit(r, f)
        self.errors = [by_unit(r, b) for b in before]
        n = negative.sum()
        self.sizes = [
            math.sqrt(e @ e + n / (n - 1.0) * w) for e, w in zip(self.errors, within, strict=True)
        ]
        units = (r.cluster is None or np.unique(r.cluster[negative]).size == n) and np.ptp(
            r.w
        ) == 0.0
        shares = []
        for x, size in zip(inner, self.sizes, strict=True):
            m = n if units else min(n, x * (1.0 - x) / size**2)
            tails = stats.norm.cdf(DEVIATES)
            shares.append(stats.beta.ppf(tails, m * x + 0.5, m * (1.0 - x) + 0.5))
        self.value = pauci.estimate(pauci.Sample(r.y, r.s, weight=r.w), self.measure).value
        changed = (lambda v: v) if transform is None else transform[0]
        if transform is not None:
            self.rest = self.rest * transform[1](self.value)
            self.value = float(changed(self.value))
        if len(inner) == 1:
            fixed = 0.0 * shares[0] if region[0] == 0.0 else 0.0 * shares[0] + region[1]
            own = (fixed, shares[0]) if region[0] == 0.0 else (shares[0], fixed)
            self.functions = [changed(value_with(r, *own))]
            self.mean = expectation(self.functions[0])
            self.moved, self.distance = self.functions[0] - self.value, DEVIATES**2
        else:
            starts, ends = np.meshgrid(*shares, indexing="ij")
            gap = 1e-4 / n
            crossed, middle = ends < starts, (starts + ends) / 2.0
            starts = np.where(crossed, middle - gap / 2.0, starts)
            ends = np.where(crossed, middle + gap / 2.0, ends)
            values = changed(value_with(r, starts.ravel(), ends.ravel())).reshape(starts.shape)
            rho = correlation(*zip(self.errors, self.sizes, strict=True))
            pairs = pair_probabilities(rho)
            self.mean = (pairs * values).sum()
            self.functions = projection(values - self.mean, pairs)
            first, second = np.meshgrid(DEVIATES, DEVIATES, indexing="ij")
            self.moved = values - self.value
            self.distance = first**2 + (second - rho * first) ** 2 / (1.0 - rho**2)
        self.shift = self.mean - self.value
        self.slopes = [expectation(g * DEVIATES) for g in self.functions]
        self.curved = [
            g - expectation(g) - c * DEVIATES
            for g, c in zip(self.functions, self.slopes, strict=True)
        ]

    @property
    def units(self):
        """The contributions of the units, with average slopes."""
        z = self.rest
        for c, e, size in zip(self.slopes, self.errors, self.sizes, strict=True):
            z = z - c * e / size
        return z


def by_unit(r, f):
    """Return the contributions of the units, with a factor for the number of each class."""
    z, labels = np.zeros(f.size), np.arange(f.size) if r.cluster is None else r.cluster
    for c in (0, 1):
        units = np.unique(labels[r.y == c]).size
        z[r.y == c] = math.sqrt(units / (units - 1.0)) * f[r.y == c]
    return np.array([z[labels == u].sum() for u in np.unique(labels)])


def correlation(a, b):
    """Return the correlation of two errors, each with its size, in which ties are in any order."""
    (first, of_first), (second, of_second) = a, b
    return (first @ second) / (of_first * of_second)


def expectation(values):
    p = stats.norm.pdf(DEVIATES)
    return (p * values).sum() / p.sum()


def pair_probabilities(rho):
    """Return the probabilities of pairs of deviates with a correlation, from their density."""
    a, b = np.meshgrid(DEVIATES, DEVIATES, indexing="ij")
    q = np.exp(-(a * a - 2.0 * rho * a * b + b * b) / (2.0 * (1.0 - rho * rho)))
    return q / q.sum()


def projection(values, pairs):
    """Return the functions of each deviate whose sum is nearest, from the normal equations."""
    n, v = DEVIATES.size, values * pairs
    within = [np.diag(pairs.sum(axis=1)), np.diag(pairs.sum(axis=0))]
    matrix = np.block([[within[0], pairs], [pairs.T, within[1]]])
    found = np.linalg.lstsq(matrix, np.concatenate((v.sum(axis=1), v.sum(axis=0))), rcond=1e-14)[0]
    return [found[:n], found[n:]]


def curvature(a, b):
    """Return the covariance of the curved parts, by integration over pairs of deviates."""
    total = 0.0
    for (f, *e), (g, *o) in itertools.product(
        zip(a.curved, a.errors, a.sizes, strict=True),
        zip(b.curved, b.errors, b.sizes, strict=True),
    ):
        rho = correlation(e, o)
        if rho > 0.8:  # the density is too narrow for sums over pairs; Mehler's formula
            root = np.sqrt(stats.norm.pdf(DEVIATES))
            root /= np.sqrt((root**2).sum())
            columns = np.polynomial.chebyshev.chebvander(DEVIATES / 6.0, DEVIATES.size - 1)
            basis = np.linalg.qr(root[:, None] * columns)[0].T
            powers = rho ** np.arange(DEVIATES.size)
            total += powers @ ((basis @ (root * f)) * (basis @ (root * g)))
        else:
            total += (pair_probabilities(rho) * f[:, None] * g).sum()
    return total


def covariance(estimates):
    return np.array(
        [
            [a.units @ b.units + a.shift * b.shift + curvature(a, b) for b in estimates]
            for a in estimates
        ]
    )


def oracle(y, scores, form, options):
    """Return the estimates of the classifiers, and their covariance matrix."""
    copies = options.get("frequency", np.ones(y.size, int))
    w = np.repeat(options.get("weight", np.ones(y.size)), copies)
    cluster = options.get("cluster")
    estimates = [
        Estimate(Scored(np.repeat(y, copies), np.repeat(s, copies), w, cluster), form)
        for s in scores
    ]
    return estimates, covariance(estimates)


def sample_of(y, scores, options):
    return pauci.Sample(y, dict(zip("abcd", scores, strict=False)), **options)


CASES = [
    ("concordant area", {}, "rows"),
    ("concordant area", {"modes": True}, "rows"),
    ("concordant area to the right", {}, "rows"),
    ("concordant area", {}, "clusters"),
    ("concordant area", {"digits": 1}, "weights"),
    ("concordant area", {"digits": 1}, "frequencies"),
    ("sensitivity", {}, "rows"),
    ("sensitivity", {}, "clusters"),
    ("sensitivity", {"modes": True}, "weights"),
    ("sensitivity", {"digits": 1}, "frequencies"),
    ("area with two ends", {"n_pos": 30, "n_neg": 51}, "rows"),
    ("area with two ends", {}, "clusters"),
    ("area with two ends", {}, "weights"),
    ("standardized area", {}, "rows"),
    ("standardized area", {"digits": 1}, "clusters"),
    ("concordant area with two ends", {"digits": 1}, "rows"),
    ("concordant area", {"digits": 0}, "weights"),
    ("sensitivity", {"digits": 0}, "rows"),
    ("area with two ends", {"digits": 0}, "clusters"),
]


@pytest.mark.parametrize(("form", "shape", "design"), CASES, ids=str)
def test_the_covariance_is_that_of_the_rule(form, shape, design):
    y, scores = data(**{"n_pos": 120, "n_neg": 131, **shape} if design == "weights" else shape)
    options = options_of(design, y)
    (a, b), cov = oracle(y, scores, FORMS[form], options)
    sample = sample_of(y, scores, options)
    es, c = pauci.estimate(sample, [a.measure]), pauci.compare(sample, a.measure)
    assert [e.value for e in es] == pytest.approx([a.value, b.value], rel=1e-12)
    tolerance = 1e-4 if "two" in form else 2e-6
    assert es.cov == pytest.approx(cov, abs=tolerance * cov.max())
    assert [e.se for e in es] == pytest.approx(np.sqrt(cov.diagonal()), rel=tolerance)
    expected = math.sqrt(cov[0, 0] + cov[1, 1] - 2.0 * cov[0, 1])
    assert c.se == pytest.approx(expected, rel=2.0 * tolerance)


@pytest.mark.parametrize("form", ["area", "concordant area"])
@pytest.mark.parametrize("design", ["rows", "weights", "frequencies"])
def test_predicted_labels_are_weighted_by_the_covariance_of_both_labellings(form, design):
    """The labels and the predictions of the same rows have ends with a correlation below 1."""
    y, (s, _) = data(280, 420, digits=1)
    rng = np.random.default_rng(8)
    judged = np.where(rng.random(y.size) < 0.9, y, 1 - y)
    options, known = options_of(design, y), slice(150)
    frame = pd.DataFrame({"y": y, "judged": judged, "s": s, **options})
    names = {name: name for name in options}
    sample = pauci.with_predictions(
        frame[known], frame[150:], scores="s", label="y", prediction="judged", **names
    )
    of_form = FORMS.get(form) or of_area((0.0, 0.2))

    def estimate_of(labels, rows):
        own = {name: values[rows] for name, values in options.items()}
        return oracle(labels[rows], [s[rows]], of_form, own)[0][0]

    a, f, u = (
        estimate_of(y, known),
        estimate_of(judged, known),
        estimate_of(judged, slice(150, 700)),
    )
    (of_labels, both), (_, of_predictions) = covariance([a, f])
    # Rows without a label are independent of the others, but have the same shift.
    variance = of_predictions + covariance([u]).item() - 2.0 * f.shift * u.shift
    shared = both - a.shift * u.shift
    e, w = pauci.estimate(sample, a.measure), shared / variance
    assert e.value == pytest.approx(a.value + w * (u.value - f.value), rel=1e-7)
    assert e.se**2 == pytest.approx(of_labels - w * shared, rel=2e-6)
    assert e.se <= math.sqrt(of_labels)


def bounded_log_odds(bounds, half):
    """Return the log odds of the position in a range, and their derivative."""
    low, high = bounds

    def position(value):
        return np.clip((value - low) / (high - low), half, 1.0 - half)

    return (
        lambda v: np.log(position(v) / (1.0 - position(v))),
        lambda v: 1.0 / (position(v) * (1.0 - position(v)) * (high - low)),
    )


@pytest.mark.parametrize(
    ("form", "shape", "design"),
    [pytest.param(*c, marks=pytest.mark.keep if c[2] == "clusters" else ()) for c in CASES[:9]]
    + CASES[9::2],
    ids=str,
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_have_the_error_of_the_log_odds(form, shape, design, level):
    """Each side reaches the extreme value with errors of ends and heights of at most two SEs."""
    y, scores = data(**{"n_pos": 120, "n_neg": 131, **shape} if design == "weights" else shape)
    options = options_of(design, y)
    e = pauci.estimate(pauci.Sample(y, scores[0], **options), FORMS[form][0])
    copies = options.get("frequency", np.ones(y.size, int))
    cluster = options.get("cluster")
    units = [
        copies[y == c].sum() if cluster is None else np.unique(cluster[y == c]).size for c in (0, 1)
    ]
    half = 0.5 / min(units)
    w = np.repeat(options.get("weight", np.ones(y.size)), copies)
    g = bounded_log_odds(e.bounds, half)
    r = Scored(np.repeat(y, copies), np.repeat(scores[0], copies), w, cluster)
    found = Estimate(r, FORMS[form], g)
    (variance,) = covariance([found]).ravel()
    q, (low, high) = stats.t.isf(0.5 - level / 2.0, e.df), e.bounds
    few = e.pairs * min(e.value - low, high - e.value) < 5.0 * (high - low)
    near = found.distance <= 4.0 + 1e-9
    margin = np.sqrt(np.maximum(4.0 - found.distance[near], 0.0) * (found.rest**2).sum())
    for sign, limit in zip((-1.0, 1.0), e.interval(level), strict=True):
        farthest = max(0.0, (sign * found.moved[near] + margin).max())
        reach = max((farthest / 2.0) ** 2 - variance, 0.0)
        at = found.value + sign * q * math.sqrt(variance + reach)
        share = 1.0 / (1.0 + math.exp(-at))
        share = 0.0 if share <= half else 1.0 if share >= 1.0 - half else share
        expected = low + share * (high - low)
        if few:  # at most the limit of binomial pairs and of the error of the ends
            assert sign * (limit - expected) <= 1e-5
        else:
            assert limit == pytest.approx(expected, abs=1e-5)


def test_the_slope_with_which_the_influence_was_calculated_does_not_matter(monkeypatch):
    y, scores = data()
    measure, options = pauci.PAUCx(fpr=(0.1, 0.4)), options_of("clusters", y)
    expected = pauci.compare(sample_of(y, scores, options), measure)
    original = pauci.PAUCx.influence

    def changed(self, curve, piece):
        found = original(self, curve, piece)
        before = MovedEnds.of(curve, self).before(1)
        length = max(found.length, before.length)

        def filled(values):
            return np.append(values, np.full(length - values.size, values[-1]))

        return found._replace(pos=filled(found.pos), neg=filled(found.neg) + 3 * filled(before.neg))

    monkeypatch.setattr(pauci.PAUCx, "influence", changed)
    other = pauci.compare(sample_of(y, scores, options), measure)
    assert (other.se, other.df) == pytest.approx((expected.se, expected.df), rel=1e-9)


TIED = [pauci.PAUC(fpr=(0, 0.1)), pauci.PAUCc(fpr=(0.1, 0.4)), pauci.Sensitivity(fpr=0.1)]


@pytest.mark.parametrize("measure", [*TIED, pauci.PAUCc(tpr=(0.8, 1))], ids=str)
def test_the_slope_does_not_matter_if_an_end_divides_a_tie(monkeypatch, measure):
    y, scores = data(digits=0)
    expected = pauci.compare(sample_of(y, scores, {}), measure)
    monkeypatch.setattr("pauci.measures.influence.slope", lambda *_: 5.0)
    other = pauci.compare(sample_of(y, scores, {}), measure)
    assert (other.se, other.df) == pytest.approx((expected.se, expected.df), rel=1e-9)


@pytest.mark.parametrize("measure", TIED, ids=str)
def test_an_end_deep_inside_a_tie_has_the_first_order_standard_error(measure):
    """No more than the order of a rating scale varies there: the delta method is exact."""
    counts = 400 * np.array([[30, 25, 20, 15, 10], [4, 12, 20, 24, 40]]).ravel()
    y, s = np.repeat([1, 0], 5), np.tile(np.arange(5)[::-1], 2)
    sample = pauci.Sample(y, s, frequency=counts)
    expected = pauci.estimate(sample, measure, variance="delta")
    assert pauci.estimate(sample, measure).se == pytest.approx(expected.se, rel=5e-4)


@pytest.mark.parametrize("measure", [pauci.PAUC(fpr=(0, 0.22)), pauci.PAUC(fpr=(0.1, 0.38))])
def test_contributions_are_derivatives_at_fixed_scores(measure):
    """The value on the stretched curve, as a function of the weight of each row."""
    y, (s, _) = data(30, 50)
    low, high = map(float, measure.region.bounds)
    r = Scored(y, s, np.ones(y.size), None)
    parts = [r.part_before(x) for x in (low, high) if x]
    before = np.array([r.centred(np.where(y == 0, p, 0.0)) for p in parts])

    def value(weight):
        """Return the area between the scores at the ends, stretched to the region."""
        moved = [0.0] * (low == 0.0)
        moved += [(weight * p)[y == 0].sum() / weight[y == 0].sum() for p in parts]
        other = Scored(y, s, weight, None)
        area = other.area(np.array(moved))
        return (area[1] - area[0]) * (high - low) / (moved[1] - moved[0])

    derivative = np.empty(y.size)
    for i in range(y.size):
        step = np.where(np.arange(y.size) == i, 1e-5, 0.0)
        derivative[i] = (value(1.0 + step) - value(1.0 - step)) / 2e-5

    def rest(f):
        return f - before.T @ np.linalg.lstsq(before.T, f, rcond=None)[0]

    frame = pauci.estimate(pauci.Sample(y, s), measure).influence()
    found = frame.to_numpy(float)[: y.size, 0]
    factors = np.where(y == 1, math.sqrt(30 / 29), math.sqrt(50 / 49))
    assert rest(found / factors) == pytest.approx(rest(derivative), abs=1e-8)


MANY = [
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.Sensitivity(fpr=0.2),
    pauci.PAUC(tpr=(0.3, 0.8)),
    pauci.AP(),
    pauci.PAUC(fpr=(0, 0.1)) / pauci.PAUC(fpr=(0.1, 0.3)),
    pauci.AUC(),
]


@pytest.mark.parametrize("design", ["rows", "clusters", "weights", "frequencies"])
def test_an_estimate_alone_has_the_error_of_one_among_many(design):
    y, scores = data()
    options = options_of(design, y)
    sample = sample_of(y, scores, options)
    together, pairs = pauci.estimate(sample, MANY), pauci.compare(sample, MANY)
    for k, measure in enumerate(MANY):
        alone = pauci.estimate(sample["b"], measure)
        (e,) = [e for e in together if (e.classifier, e.measure) == ("b", measure)]
        assert (e.se, e.df) == pytest.approx((alone.se, alone.df), rel=1e-11)
        assert e.interval() == pytest.approx(alone.interval(), rel=1e-11)
        c = pauci.compare(sample, measure)
        assert (c.se, c.df) == pytest.approx((pairs[k].se, pairs[k].df), rel=1e-11)


@pytest.mark.parametrize("design", ["rows", "clusters", "weights"])
def test_the_order_of_rows_and_classifiers_does_not_matter(design):
    y, scores = data()
    options, order = options_of(design, y), np.random.default_rng(2).permutation(y.size)
    cs = pauci.compare(sample_of(y, scores, options), MANY)
    moved = {k: v[order] for k, v in options.items()}
    exchanged = sample_of(y[order], [s[order] for s in scores[::-1]], moved)
    for c, d in zip(cs, pauci.compare(exchanged, MANY), strict=True):
        assert d.difference == pytest.approx(-c.difference, abs=1e-14)
        assert (d.se, d.df, d.pvalue) == pytest.approx((c.se, c.df, c.pvalue), rel=1e-10)


@pytest.mark.parametrize("design", ["rows", "clusters", "weights"])
def test_exchanging_the_classes_mirrors_the_region(design):
    y, (s, _) = data(digits=2)
    options = options_of(design, y)
    along = pauci.PAUCc(fpr=(0.1, 0.4), ends="middle")
    across = pauci.PAUCc(tpr=(0.6, 0.9), ends="middle")
    e = pauci.estimate(pauci.Sample(y, s, **options), along)
    other = pauci.estimate(pauci.Sample(1 - y, -s, **options), across)
    assert other.se == pytest.approx(e.se, rel=1e-9)
    assert other.interval() == pytest.approx(e.interval(), rel=1e-9)


def rows_of(q):
    """Return the rows of z of a quantity: those of the units, and the shift."""
    f = q.influence()
    column = f.iloc[:, -1]
    shift = float(column["shift"])
    n = f.attrs["n"]
    return float(((column**2) * n).sum()) - shift**2, shift


def test_folds_have_independent_ends_and_a_common_shift():
    y, (s, _) = data(90, 150)
    fold, m = np.arange(y.size) % 3, pauci.PAUCc(fpr=(0, 0.2))
    average = pauci.estimate(pauci.Sample(y, s, fold=fold), m)
    parts = [pauci.estimate(pauci.Sample(y[fold == k], s[fold == k]), m) for k in range(3)]
    variances, shifts = np.transpose([rows_of(e) for e in parts])
    assert average.se**2 == pytest.approx(variances.sum() / 9 + shifts.mean() ** 2, rel=1e-9)


def test_independent_samples_have_independent_ends_and_a_common_shift():
    (y, (s, _)), (y2, (s2, _)), m = data(), data(50, 90, 8), pauci.PAUCc(fpr=(0, 0.2))
    samples = pauci.Sample(y, s, name="a"), pauci.Sample(y2, s2, name="b")
    c = pauci.compare(list(samples), m, independent=True)
    (a, a_shift), (b, b_shift) = (rows_of(pauci.estimate(x, m)) for x in samples)
    assert c.se**2 == pytest.approx(a + b + (a_shift - b_shift) ** 2, rel=1e-9)


def test_the_error_of_ends_of_equal_classifiers_cancels():
    y, (s, _) = data()
    sample = sample_of(y, [s, np.exp(s), s + 0.05 * np.cos(40 * s)], {})
    for measure in (MANY[0], pauci.PAUCx(fpr=(0.1, 0.4)), MANY[4]):
        es = pauci.estimate(sample, measure)
        assert es.contrast([1, -1, 0]).se == pytest.approx(0.0, abs=1e-9)
        assert 0.0 < es.contrast([1, 0, -1]).se < 0.4 * es[0].se


def test_copies_of_rows_in_a_cluster_have_the_ends_of_the_clusters():
    y, (s, _) = data(50, 100)
    m, cluster = pauci.PAUCc(fpr=(0, 0.2)), np.tile(np.arange(150), 3)
    once = pauci.estimate(pauci.Sample(y, s), m)
    three = pauci.estimate(pauci.Sample(np.tile(y, 3), np.tile(s, 3), cluster=cluster), m)
    assert three.se == pytest.approx(once.se, rel=0.02)
    assert three.interval() == pytest.approx(once.interval(), abs=0.03 * np.ptp(once.interval()))


@pytest.mark.parametrize("measure", [pauci.PAUCc(fpr=(0, 0.3)), pauci.Sensitivity(fpr=0.3)])
def test_a_smooth_curve_has_the_error_of_wald(measure):
    """In large samples values are linear in the end, and the slope is that of the curve."""
    n = 1500
    quantiles = stats.norm.isf((np.arange(n) + 0.5) / n)
    scores = np.concatenate((quantiles + 1.2, quantiles))
    e = pauci.estimate(pauci.Sample(np.repeat([1, 0], n), scores), measure)
    jackknife = pauci.estimate(pauci.Sample(np.repeat([1, 0], n), scores), measure, "delta")
    threshold = stats.norm.isf(0.3)
    slope = stats.norm.pdf(threshold - 1.2) / stats.norm.pdf(threshold)
    if measure.key == "sensitivity":
        tpr = stats.norm.sf(threshold - 1.2)
        expected = math.sqrt((tpr * (1.0 - tpr) + slope**2 * 0.3 * 0.7) / n)
        assert e.se == pytest.approx(expected, rel=0.005)
    assert e.se == pytest.approx(jackknife.se, rel=0.02)


def test_heights_without_variance_have_the_error_of_half_an_observation():
    """All positives exceed the threshold of two classifiers, and three do not of a third."""
    rng = np.random.default_rng(7)
    y = np.repeat([1, 0], [30, 80])
    scores = rng.normal(size=(3, 110)) + [[9.0], [10.0], [8.0]] * y
    scores[2, :3] = -1.5
    sample, measure = sample_of(y, list(scores), {}), pauci.Sensitivity(specificity=0.8)
    es = pauci.estimate(sample, measure)
    assert [e.value for e in es] == [1.0, 1.0, 0.9]
    assert es[0].se == pytest.approx(0.5 / 30, rel=1e-12)
    cov = es.cov
    assert cov[0, 1] == pytest.approx(0.0, abs=1e-15)
    assert cov[0, 0] == cov[1, 1]
    c = pauci.compare(sample, measure, pair=("a", "c"))
    assert c.se == pytest.approx(math.hypot(es[0].se, es[2].se), rel=1e-9)
    names = es.influence().index.astype(str)
    assert sum("height" in name for name in names) == 2
    area = pauci.estimate(sample["a"], pauci.PAUCc(fpr=(0, 0.2)))
    assert area.se == pytest.approx(0.5 * 0.8 * 0.5 / 30, rel=1e-9)


def test_a_rise_without_variance_has_the_error_of_half_an_observation():
    """No positive has a score between the ends: the curve is flat there, at a height of 1/2."""
    y = np.repeat([0, 1], [100, 20])
    scores = np.append(np.arange(100.0), np.repeat([95.5, 20.5], 10) + np.arange(20) / 1000.0)
    e = pauci.estimate(pauci.Sample(y, scores), pauci.PAUCc(fpr=(0.2, 0.3)))
    frame = e.influence()
    (row,) = (i for i in frame.index if "height" in str(i))
    # A positive at FPR 0.2 adds half of the width 1 - 0.2 of a stripe, at FPR 0.3 of 1 - 0.3.
    expected = (0.8 + 0.7) / 2.0 / 2.0 * 0.5 / 20
    assert float(frame.loc[row].iloc[0]) == pytest.approx(expected, rel=1e-12)
    assert e.interval().high > e.value + 2.0 * expected
    risen = pauci.Sample(y, np.where(np.arange(120) == 100, 75.5, scores))
    names = pauci.estimate(risen, pauci.PAUCc(fpr=(0.2, 0.3))).influence().index
    assert not any("height" in str(i) for i in names)


def test_heights_of_clusters_have_the_error_of_half_a_cluster():
    rng = np.random.default_rng(7)
    y = np.repeat([1, 0], [30, 90])
    cluster = np.concatenate((np.arange(30) // 2, 100 + np.arange(90) // 3))
    sample = pauci.Sample(y, rng.normal(size=120) + 9.0 * y, cluster=cluster)
    e = pauci.estimate(sample, pauci.Sensitivity(specificity=0.8))
    assert e.se == pytest.approx(0.5 / 15, rel=1e-12)


def test_undefined_values_are_replaced_by_the_estimate():
    """Between neighbouring ends there may be no pairs, so that a local c is undefined."""
    y, s = np.repeat([1, 0], [30, 12]), np.random.default_rng(4).normal(size=42)
    e = pauci.estimate(pauci.Sample(y, s + y), pauci.LocalC(tpr=(0.4, 0.6)))
    assert math.isfinite(e.se)
    low, high = e.interval()
    assert 0.0 <= low < e.value < high <= 1.0


def test_pickled_results_have_equal_errors_and_intervals():
    y, scores = data()
    sample = sample_of(y, scores, {"cluster": np.arange(y.size) // 2})
    for results in (pauci.estimate(sample, MANY), pauci.compare(sample, MANY)):
        expected = [(q.se, *q.interval()) for q in results]
        for other in (pickle.loads(pickle.dumps(results)), copy.deepcopy(results)):
            assert [(q.se, *q.interval()) for q in other] == expected
            weights = [1.0, -1.0, *[0.0] * (len(results) - 2)]
            found = [r.contrast(weights).se for r in (results, other)]
            assert found[0] == pytest.approx(found[1], rel=1e-12)


@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_an_end_whose_share_has_no_error():
    """All clusters with negatives have the same share before one end, inside a tie or not."""
    sample = pauci.Sample(
        np.repeat([1, 0], [3, 4]), [0, 1, 2, 1, 2, 0, 2], cluster=[0, 0, 1, 2, 2, 3, 3]
    )
    e = pauci.estimate(sample, pauci.PAUCc(fpr=(0.1, 0.5)))
    assert np.isfinite([e.value, e.se, *e.interval()]).all()
