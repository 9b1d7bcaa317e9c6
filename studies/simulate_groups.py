"""Simulation of estimates in groups: heterogeneity tests, and gaps against all rows.

Groups are independent, have patients in common, or overlap. Run by studies/evidence.py.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtr

import pauci
from evidence_tables import Table, holds, number

MEASURES = (pauci.AUC(), pauci.PAUC(fpr=(0, 0.3)))


class Case(NamedTuple):
    """Proportions of the rows in each group, the number of rows, and what groups share."""

    words: str
    proportions: tuple[float, ...]
    n: int
    kind: str = "independent"
    distance: float = 1.5
    """Distance of the class means."""


TWO, FOUR = (0.2, 0.8), (0.1, 0.2, 0.3, 0.4)
EIGHT = (0.05, 0.05, 0.1, 0.1, 0.1, 0.15, 0.2, 0.25)
CASES = (
    Case("2 groups, 20 and 80%", TWO, 150),
    Case("4 groups, 10 to 40%", FOUR, 300),
    Case("8 groups, 5 to 25%", EIGHT, 600),
    Case("4 groups, 10 to 40%, high AUC", FOUR, 800, distance=2.4),
    Case("4 sites, common patients", FOUR, 300, "patients"),
    Case("8 sites, common patients", EIGHT, 600, "patients"),
    Case("3 overlapping groups", (0.5, 0.3, 0.2), 200, "overlapping"),
)
FEW_UNITS = (
    Case("8 readings of 15 positives and 40 negatives", (0.125,) * 8, 440, "readings"),
    Case("8 groups in the same 10 hospitals", (0.125,) * 8, 800, "hospitals"),
)
"""Groups that share few units, for the test of heterogeneity."""


def heterogeneity(
    replicates: int = 600, cases: Sequence[Case] = CASES + FEW_UNITS
) -> dict[str, Table]:
    """Return the table `heterogeneity`: size of tests that groups are equal."""
    rows = []
    for case in cases:
        rng = np.random.default_rng([850, (CASES + FEW_UNITS).index(case)])
        rejected = np.zeros((len(MEASURES), 2))
        for _ in range(replicates):
            sample, by = _drawn(rng, case, [case.distance] * len(case.proportions))
            found = pauci.estimate(sample, MEASURES, by=by)
            for i, measure in enumerate(MEASURES):
                at = [k for k, e in enumerate(found) if e.measure is measure]
                with suppress(pauci.UndefinedError):  # a standard error of 0 rejects nothing
                    test = found.heterogeneity(measure=found[i].measure.label)
                    rejected[i] += [test.pvalue < 0.05, _chi_squared(found, at) < 0.05]
        cells = map(number, 100.0 * rejected.ravel() / replicates)
        rows.append([case.words, str(case.n), *cells])
    tests = [f"{m}: {t}" for m in ("AUC", "pAUC") for t in ("F test, logit", "chi-squared, raw")]
    return {"heterogeneity": [["groups", "rows", *tests], *rows]}


def _chi_squared(found: pauci.Estimates, at: list[int]) -> float:
    """Return the p-value of the Wald test of equal values, with a chi-squared distribution."""
    contrasts = np.eye(len(at))[1:] - np.eye(len(at))[0]
    d = contrasts @ [found[k].value for k in at]
    matrix = contrasts @ found.cov[np.ix_(at, at)] @ contrasts.T
    return float(chdtrc(len(d), d @ np.linalg.solve(matrix, d)))


OFFSETS = (0.0, 0.6)
"""Smallest and largest shift of the scores of a group, by which scores are miscalibrated."""


def gaps(replicates: int = 300, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `gaps`: coverage of differences between groups and all rows.

    Scores of the groups have different accuracy, and are shifted by different amounts, unless
    groups overlap.
    """
    rows = []
    for case in cases:
        rng = np.random.default_rng([860, CASES.index(case)])
        count, overlapping = len(case.proportions), case.kind == "overlapping"
        spread = 0.0 if overlapping else 0.4
        distances = case.distance + spread * np.linspace(-1.0, 1.0, count)
        offsets = np.linspace(*OFFSETS, count)[::-1] * (not overlapping)
        true = _true_gaps(case, distances, offsets)
        covered = np.zeros((len(MEASURES), 3))
        for _ in range(replicates):
            sample, by = _drawn(rng, case, distances, offsets)
            found = pauci.estimate(sample, MEASURES, by=by, reference="overall")
            for i, measure in enumerate(MEASURES):
                at = [k for k, c in enumerate(found.gaps) if c.measure is measure]
                family = _family(found.gaps, at)
                critical = family.largest_statistic.quantile(0.95)
                gaps_of_measure = zip(family, family.simultaneous(), true[i], strict=True)
                hits = np.array(
                    [
                        [
                            holds(c.interval(), t),
                            holds(together, t),
                            abs(c.difference - t) <= critical * c.se,
                        ]
                        for c, together, t in gaps_of_measure
                    ]
                )
                covered[i, 0] += hits[:, 0].mean()
                covered[i, 1:] += hits[:, 1:].all(axis=0)
        cells = map(number, 100.0 * covered.ravel() / replicates)
        rows.append([case.words, str(case.n), *cells])
    kinds = "pointwise", "simultaneous", "simultaneous, normal quantiles"
    names = [f"{m}: {kind}" for m in ("AUC", "pAUC") for kind in kinds]
    return {"gaps": [["groups", "rows", *names], *rows]}


def _family(found: pauci.Comparisons, at: list[int]) -> pauci.Comparisons:
    """Return the gaps of one measure."""
    uncertainty = found.uncertainty.combined(np.eye(len(found))[at])
    return replace(
        found, quantities=tuple(found[k] for k in at), uncertainty=uncertainty, draws=40_000
    )


def _true_gaps(case: Case, distances: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the value of each measure in each group, minus that in all rows."""
    at = np.linspace(12.0, -8.0, 40_001)[:, None]
    fpr, tpr = ndtr(offsets - at), ndtr(distances + offsets - at)
    share = np.array(case.proportions) / sum(case.proportions)
    curves = [*zip(fpr.T, tpr.T, strict=True), (fpr @ share, tpr @ share)]
    values = np.array([[np.trapezoid(y, x), _area_to(0.3, x, y)] for x, y in curves]).T
    return values[:, :-1] - values[:, -1:]


def _area_to(end: float, x: np.ndarray, y: np.ndarray) -> float:
    """Return the area under a curve from 0 to an FPR."""
    inside = x < end
    x, y = np.append(x[inside], end), np.append(y[inside], np.interp(end, x, y))
    return float(np.trapezoid(y, x))


def _drawn(
    rng: np.random.Generator,
    case: Case,
    distances: Sequence[float],
    offsets: Sequence[float] | None = None,
):
    """Return a sample and its groups, each with at least four rows of each class."""
    count = len(case.proportions)
    shifts = np.zeros(count) if offsets is None else np.asarray(offsets)
    while True:
        cluster = None
        if case.kind == "patients":
            # A patient is examined at each site with a probability that is proportional to the
            # number of rows of the site, at 2.5 sites on average.
            patients = round(case.n / 2.5)
            examined = rng.random((patients, count)) < 2.5 * np.array(case.proportions)
            cluster, group = np.nonzero(examined)
        elif case.kind == "readings":
            cluster, group = np.divmod(np.arange(case.n), count)
        elif case.kind == "hospitals":
            cluster, group = rng.integers(0, 10, case.n), rng.choice(count, case.n)
        elif case.kind == "independent":
            group = rng.choice(count, case.n, p=case.proportions)
        else:
            group = np.zeros(case.n, int)
        y = (rng.random(group.size) < 0.4).astype(int)
        if case.kind == "readings":
            y = (cluster < 15).astype(int)
        noise = rng.standard_normal(y.size)
        if cluster is not None:
            effect = rng.standard_normal(cluster.max() + 1)[cluster]
            noise = math.sqrt(0.4) * effect + math.sqrt(0.6) * noise
        scores = shifts[group] + np.asarray(distances)[group] * y + noise
        masks = [group == g for g in range(count)]
        by = group
        if case.kind == "overlapping":
            masks = [rng.random(y.size) < p for p in case.proportions]
            by = {str(g): mask for g, mask in enumerate(masks)}
        if min(min(y[m].sum(), (1 - y[m]).sum()) for m in masks) >= 4:
            return pauci.Sample(y, scores, cluster=cluster), by
