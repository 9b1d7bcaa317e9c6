"""The confidence set of a best cut-off, against a calculation from its definition by loops."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
from scipy import special, stats

import pauci

LEVEL = 0.9

UNCERTAIN = 0.12
"""Distance from a critical value within which the draws of two simulations may decide."""

CRITERIA = {
    "Youden": (pauci.Youden, lambda tpr, fpr, _: tpr - fpr, False),
    "F2": (
        partial(pauci.F, beta=2),
        lambda tpr, fpr, p: 5 * p * tpr / (p * tpr + (1 - p) * fpr + 4 * p),
        True,
    ),
    "kappa": (
        pauci.Kappa,
        lambda tpr, fpr, p: (
            2 * p * (1 - p) * (tpr - fpr)
            / (p * (1 - p * tpr - (1 - p) * fpr) + (1 - p) * (p * tpr + (1 - p) * fpr))
        ),
        True,
    ),
    "cost": ((2, 0.4), lambda tpr, fpr, _: -(2 * 0.4 * (1 - tpr) + 0.6 * fpr), False),
}  # fmt: skip


def rows(design, seed, n=90):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < 0.4 * n
    s = rng.normal(size=n) + 1.4 * y
    columns = {}
    if "clusters" in design:
        cluster = rng.integers(0, 24, n)
        s += 0.7 * rng.normal(size=24)[cluster]
        columns["cluster"] = cluster
    if "weights" in design:
        columns["weight"] = rng.gamma(3.0, size=n)
    if "ties" in design:
        s = np.round(s, 1)
    return y, s, columns


def at_most(hits, n, p):
    return 1.0 if hits >= n * (1 - 1e-9) else special.betaincc(hits + 1, n - hits, p)


def mid_p_of_at_least(gained, m, p):
    """P(X > gained) + P(X = gained)/2; counts may be fractions."""
    more = 1.0 - at_most(gained, m, p)
    as_many = 1.0 if gained <= 0 else 1.0 - at_most(gained - 1, m, p)
    return 0.5 * (more + as_many)


class Oracle:
    """The candidates of a sample, their comparisons and their decisions."""

    def __init__(self, y, s, columns, value, depends_on_share):
        weight = columns.get("weight", np.ones(y.size))
        self.n = n1, n0 = float(y.sum()), float((~y).sum())
        share = weight[y].sum() / weight.sum()
        scores = np.unique(s)[::-1]
        cut = [math.inf, *scores]
        above = np.array([
            [n * weight[c & (s >= t)].sum() / weight[c].sum() for c, n in ((y, n1), (~y, n0))]
            for t in cut
        ])  # fmt: skip
        rates = above / self.n

        def at(tpr, fpr):
            try:
                return value(float(tpr), float(fpr), float(share))
            except (ZeroDivisionError, ValueError):
                return math.nan

        values = np.array([at(*r) for r in rates])
        defined = np.isfinite(values)
        best = int(np.nanargmax(np.where(values >= np.nanmax(values) - 1e-12, 1.0, np.nan)))
        wanted = {0, best}
        for count in (above.sum(axis=1), above[:, 0]):
            for k in range(1, 26):
                wanted.add(int(np.argmax(count >= k / 25 * count[-1] * (1 - 1e-12))))
        self.entries = np.array(sorted(k for k in wanted if defined[k]))
        self.best, self.cut = best, cut
        self.above = above[self.entries]
        self.slopes = np.array([self.slope(at, *rates[k]) for k in self.entries])
        self.fixed = not depends_on_share
        self.effects = self.design_effects(y, s, columns)
        self.t = self.comparisons()

    def slope(self, at, tpr, fpr):
        h = 1e-6
        a, b = (max(tpr - h, 0), min(tpr + h, 1)), (max(fpr - h, 0), min(fpr + h, 1))
        return (
            max((at(a[1], fpr) - at(a[0], fpr)) / (a[1] - a[0]), 0),
            max(-(at(tpr, b[1]) - at(tpr, b[0])) / (b[1] - b[0]), 0),
        )

    def design_effects(self, y, s, columns):
        if not columns:
            return None
        weight = columns.get("weight", np.ones(y.size))
        unit = np.unique(columns.get("cluster", np.arange(y.size)), return_inverse=True)[1]
        units, size = unit.max() + 1, self.entries.size
        found = np.ones((size, size))
        for i in range(size):
            for j in range(size):
                sums, independent = np.zeros(units), 0.0
                for label, n, slope in zip((y, ~y), self.n, self.slopes[i] * (1, -1), strict=True):
                    moved = (s >= self.cut[self.entries[j]]).astype(float) - (
                        s >= self.cut[self.entries[i]]
                    )
                    w = weight * label / weight[label].sum()
                    mean = (w * moved).sum()
                    sums += np.bincount(unit, slope * w * (moved - mean), units)
                    independent += slope**2 * abs(mean) * (1 - abs(mean)) / n
                if independent > 0:
                    found[i, j] = units / (units - 1) * (sums**2).sum() / independent
        return found

    def comparisons(self):
        (n1, n0), size = self.n, self.entries.size
        t = np.zeros((size, size))
        between = np.abs(self.above[:, None] - self.above[None]).sum(axis=2)
        for i in range(size):
            w1, w0 = self.slopes[i]
            effects = None if self.effects is None else self.effects[i]
            if effects is not None:
                usual = (self.effects * between).sum() / between.sum()
                effects = (between[i] * effects + 10 * usual) / (between[i] + 10)
            for j in range(size):
                m = between[i, j]
                if m <= 1e-12 or m >= n1 + n0 - 1e-9:
                    continue
                if w1 <= 0 or w0 <= 0:
                    share = 0.0 if w0 <= 0 else 1.0
                    share = share if w1 != w0 else math.nan
                else:
                    share = (n1 / w1) / (n1 / w1 + n0 / w0)
                gained = abs(self.above[j, 0 if j > i else 1] - self.above[i, 0 if j > i else 1])
                tail = mid_p_of_at_least(gained, m, share if j > i else 1 - share)
                t[i, j] = -stats.norm.ppf(tail)
                if self.fixed:
                    u = m / (n1 / w1 + n0 / w0)
                    ratio = w1 * (1 - u / w1) / n1 + w0 * (1 - u / w0) / n0
                    t[i, j] /= math.sqrt(max(ratio / (w1 / n1 + w0 / n0), 0.01))
                if effects is not None:
                    t[i, j] /= math.sqrt(max(effects[j], 1))
        return t

    def decisions(self, level):
        """Whether each candidate is in the set; None if two simulations may differ."""
        size = self.entries.size
        covariances = []
        for above, n in zip(self.above.T, self.n, strict=True):
            share = (np.diff(above, prepend=0, append=n) + 2 / (size + 1)) / (n + 2)
            rate = np.cumsum(share)[:-1]
            cov = np.minimum.outer(rate, rate) - self.fixed * np.outer(rate, rate)
            covariances.append(cov / n)
        rng, one = np.random.default_rng(77), stats.norm.ppf(level)
        draws = [rng.multivariate_normal(np.zeros(size), c, 10_000) for c in covariances]
        decided = []
        for i in range(size):
            largest = self.t[i].max()
            slack = np.minimum(self.t[i] / math.sqrt(math.log(sum(self.n))), 0)
            differences, variance = 0.0, 0.0
            for w, x, c in zip(self.slopes[i] * (1, -1), draws, covariances, strict=True):
                differences = differences + w * (x - x[:, [i]])
                variance = variance + w**2 * (c.diagonal() + c[i, i] - 2 * c[i])
            others = np.arange(size) != i
            d = differences[:, others] / np.sqrt(np.where(variance > 0, variance, np.inf)[others])
            critical = max(one, np.quantile((d + slack[others]).max(axis=1), level))
            near = abs(largest - critical) < UNCERTAIN and largest > one
            decided.append(None if near or math.isnan(largest) else bool(largest <= critical))
        return decided


@pytest.mark.parametrize(
    "design",
    ["", "clusters", "weights", pytest.param("weights clusters ties", marks=pytest.mark.keep)],
)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_set_is_that_of_the_definition(criterion, design):
    rule, value, depends_on_share = CRITERIA[criterion]
    y, s, columns = rows(design, seed=len(design) + len(criterion))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        option = {"cost": rule} if criterion == "cost" else {"maximize": rule}
        k = pauci.cutoff(pauci.Sample(y, s, **columns), **option, folds=2, repeats=1, rng=1)
    oracle = Oracle(y, s, columns, value, depends_on_share)
    candidates = [oracle.cut[entry] for entry in oracle.entries]
    assert k.value == oracle.cut[oracle.best]
    found = k.set(LEVEL)
    decided = list(zip(candidates, oracle.decisions(LEVEL), strict=True))
    inside, outside = ({t for t, d in decided if d is kept} for kept in (True, False))
    assert inside <= set(found.cutoffs)
    assert not outside & set(found.cutoffs) - {k.value}
    assert set(found.cutoffs) <= set(candidates)
    assert k.value in found.cutoffs
    assert list(found.cutoffs) == sorted(found.cutoffs, reverse=True)
    assert (found.low, found.high) == (found.cutoffs[-1], found.cutoffs[0])
    assert (found.low, found.high) == k.interval(LEVEL)
    compared = [t for t in candidates if found.low <= t <= found.high]
    assert found.has_gaps == (len(compared) > len(found.cutoffs))
    assert len(outside) >= 3
