"""Simulation of tests of the difference of average precision between unequal curves.

Run by studies/evidence.py.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import optimize

import pauci
import simulate
import simulate_precision as precision
from evidence_tables import Table, number

CORRELATION = 0.5
MEASURES = (pauci.AP(), pauci.AP(corrected=True))
NAMES = ("AP", "corrected AP")
SIDES = ("two-sided", "greater", "less")


class Case(NamedTuple):
    """Positives, prevalence, standard deviations of the positives, and average precisions."""

    positives: int
    prevalence: float
    spreads: tuple[float, float]
    values: tuple[float, float]

    @property
    def words(self) -> str:
        """The number of positives, the two curves, and their average precisions."""
        sds, values = (" and ".join(f"{v:g}" for v in pair) for pair in (self.spreads, self.values))
        return f"{self.positives} positives, SD {sds}, AP {values}"


CASES = tuple(
    Case(n_pos, *curves)
    for n_pos in (40, 60, 100)
    for curves in (
        (0.05, (1.0, 2.0), (0.2, 0.25)),
        (0.1, (0.5, 2.5), (0.4, 0.45)),
        (0.2, (1.0, 2.0), (0.6, 0.6)),
        (0.3, (1.0, 2.5), (0.7, 0.8)),
    )
)


def precision_tests(replicates: int = 2000, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `precision-tests`: sizes of paired tests of the true difference."""
    rows = []
    for case in cases:
        rng = np.random.default_rng([820, case.positives, round(100 * case.prevalence)])
        means = [_mean(case.prevalence, *curve) for curve in zip(*case[2:], strict=True)]
        null = case.values[0] - case.values[1]
        rejected = np.zeros((len(MEASURES), len(SIDES)))
        for _ in range(replicates):
            sample = _drawn(rng, case, means)
            for i, measure in enumerate(MEASURES):
                c = pauci.compare(sample, measure, null=null)
                sides = (c.inverted_test(null, side) for side in SIDES)
                rejected[i] += [test.pvalue < 0.05 for test in sides]
        label = [case.words, f"{case.prevalence:g}"]
        rows.append([*label, *map(number, (100.0 * rejected / replicates).ravel())])
    header = ["positives and curves", "prevalence", *(f"{n}: {s}" for n in NAMES for s in SIDES)]
    return {"precision-tests": [header, *rows]}


def _mean(prevalence: float, sd: float, value: float) -> float:
    """Return the mean of the positives with which a binormal curve has an average precision."""

    def excess(mean: float) -> float:
        population = simulate.binormal(mean, sd, "candidate")
        return precision.truth(population, MEASURES[0], prevalence) - value

    return optimize.brentq(excess, -1.0, 8.0, xtol=1e-6)


def _drawn(rng: np.random.Generator, case: Case, means: Sequence[float]) -> pauci.Sample:
    """Return a cohort with the scores of two correlated classifiers."""
    n = round(case.positives / case.prevalence)
    n_pos = rng.binomial(n, case.prevalence)
    y = np.repeat([1, 0], [n_pos, n - n_pos])
    common, *own = rng.standard_normal((3, n))
    scores = {}
    for name, noise, mean, sd in zip("ab", own, means, case.spreads, strict=True):
        z = np.sqrt(CORRELATION) * common + np.sqrt(1.0 - CORRELATION) * noise
        scores[name] = np.where(y == 1, mean + sd * z, z)
    return pauci.Sample(y, scores)
