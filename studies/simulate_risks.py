"""Simulation of measures of predicted risks: coverage, and size of paired and joint tests.

The log odds of the true risk are normal. Reported risks are the true ones, or too extreme and too
high. Paired tests compare two models with independent errors of the same size. Run by
studies/evidence.py.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

import pauci
from evidence_tables import Table, holds, number, quiet

SPREAD = 1.2
"""Standard deviation of the log odds of the true risk."""

DISTORTED = (0.4, 1.6)
"""Intercept and slope of the reported log odds on the true ones, if these are distorted."""

ERROR = 0.5
"""Standard deviation of the error of the log odds of each of two models."""


class Case(NamedTuple):
    """Number of rows, prevalence, and whether the reported risks are distorted."""

    n: int
    prevalence: float
    distorted: bool = False


CASES = tuple(
    Case(n, prevalence, distorted)
    for n in (100, 500)
    for prevalence in (0.05, 0.2, 0.5)
    for distorted in (False, True)
)
NAMES = ("O/E", "intercept", "slope", "Brier", "scaled Brier", "log loss", "net benefit")


def measures(case: Case) -> list[pauci.Measure]:
    """Return the measures; net benefit is at the prevalence."""
    return [
        pauci.OE(),
        pauci.CalibrationIntercept(),
        pauci.CalibrationSlope(),
        pauci.Brier(),
        pauci.Brier(scaled=True),
        pauci.LogLoss(),
        pauci.NetBenefit(case.prevalence),
    ]


def expit(x: np.ndarray) -> np.ndarray:
    """Return probabilities from log odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


_GRID = np.linspace(-8.0, 8.0, 8001)
_MASS = np.exp(-0.5 * _GRID**2)
_MASS /= _MASS.sum()


def centre(prevalence: float) -> float:
    """Return the mean of the log odds of the true risk."""

    def excess(mean: float) -> float:
        return float((_MASS * expit(mean + SPREAD * _GRID)).sum()) - prevalence

    return float(brentq(excess, -20.0, 20.0))


def reported(log_odds: np.ndarray, case: Case) -> np.ndarray:
    """Return the reported risks."""
    shift, slope = DISTORTED if case.distorted else (0.0, 1.0)
    return expit(shift + slope * log_odds)


def truths(case: Case) -> list[float]:
    """Return the values of the measures in the population, by numerical integration."""
    x = centre(case.prevalence) + SPREAD * _GRID
    true, p = expit(x), reported(x, case)
    pi = float((_MASS * true).sum())
    offset = np.log(p) - np.log1p(-p)

    def excess(a: float) -> float:
        return float((_MASS * (true - expit(a + offset))).sum())

    brier = float((_MASS * (true * (1.0 - p) ** 2 + (1.0 - true) * p**2)).sum())
    loss = -float((_MASS * (true * np.log(p) + (1.0 - true) * np.log1p(-p))).sum())
    treated = p >= case.prevalence
    odds = case.prevalence / (1.0 - case.prevalence)
    benefit = float((_MASS * treated * (true - odds * (1.0 - true))).sum())
    return [
        pi / float((_MASS * p).sum()),
        float(brentq(excess, -10.0, 10.0)),
        1.0 / (DISTORTED[1] if case.distorted else 1.0),
        brier,
        1.0 - brier / (pi * (1.0 - pi)),
        loss,
        benefit,
    ]


def drawn(rng: np.random.Generator, case: Case, errors: int = 0) -> pauci.Sample:
    """Return a sample of one model, or of several with errors, whose risks overlap.

    Samples with fewer than two positives, or in which the slope is undefined, are drawn again.
    """
    while True:
        x = centre(case.prevalence) + SPREAD * rng.standard_normal(case.n)
        y = rng.random(case.n) < expit(x)
        models = [x + ERROR * rng.standard_normal(case.n) for _ in range(errors)] or [x]
        if y.sum() >= 2 and all(m[y].min() < m[~y].max() for m in models):
            break
    columns = {f"model {i}": reported(m, case) for i, m in enumerate(models)}
    return pauci.Sample(y, columns)


def risks(replicates: int = 1000, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `risks`: coverage of 95% intervals."""
    rows = []
    for case in cases:
        rng = np.random.default_rng([880, CASES.index(case)])
        true, used = truths(case), measures(case)
        hits = np.zeros(len(true))
        with quiet():
            for _ in range(replicates):
                found = pauci.estimate(drawn(rng, case), used)
                hits += [holds(e.interval(), t) for e, t in zip(found, true, strict=True)]
        rows.append([*_words(case), *map(number, 100.0 * hits / replicates)])
    return {"risks": [["sample", "risks", *NAMES], *rows]}


def risk_tests(replicates: int = 600, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `risk-tests`: size of paired tests, and of the joint test of calibration.

    The joint test is that of an intercept of 0 and a slope of 1, for the true risks.
    """
    rows = []
    for case in cases:
        rng = np.random.default_rng([890, CASES.index(case)])
        used = measures(case)
        rejected, joint = np.zeros(len(used)), 0
        with quiet():
            for _ in range(replicates):
                compared = pauci.compare(drawn(rng, case, 2), used)
                rejected += [c.pvalue < 0.05 for c in compared]
                if not case.distorted:
                    found = pauci.estimate(drawn(rng, case), used[1:3])
                    joint += found.joint(null=[0.0, 1.0]).pvalue < 0.05
        of_joint = "" if case.distorted else number(100.0 * joint / replicates)
        rows.append([*_words(case), *map(number, 100.0 * rejected / replicates), of_joint])
    return {"risk-tests": [["sample", "risks", *NAMES, "joint"], *rows]}


def _words(case: Case) -> list[str]:
    sample = f"{case.n} rows, prevalence {case.prevalence:g}"
    return [sample, "distorted" if case.distorted else "true"]
