"""Simulation of intervals of average precision and of the area under the kappa curve."""

import warnings

import numpy as np
from scipy import integrate

import pauci
from pauci.measures.kappa import kappa

MEASURES = [pauci.AP(), pauci.AP(corrected=True), pauci.AUK()]


def truth(population, measure, prevalence):
    """Return the value in the population, by integration of its curve."""
    if population.knots:
        x = np.array(population.knots)
        y = np.array([population.roc(v) for v in x])
        if measure.key == "auk":
            return np.trapezoid(kappa(x, y, prevalence), x)
        alarms = prevalence * y + (1 - prevalence) * x
        return np.diff(y) @ (prevalence * y[1:] / alarms[1:])
    if measure.key == "auk":
        return integrate.quad(lambda x: kappa(x, population.roc(x), prevalence), 0, 1)[0]

    def precision(y):
        return prevalence * y / (prevalence * y + (1 - prevalence) * population.inverse(y))

    return integrate.quad(precision, 0, 1, limit=200)[0]


def simulate(population, n_pos, prevalence, design, replicates, seed, variance="influence"):
    """Return the coverage of logit and Wald intervals, SE/SD and bias/SD of every measure."""
    rng = np.random.default_rng(seed)
    n = round(n_pos / prevalence)
    true = np.array([truth(population, m, prevalence) for m in MEASURES])
    values, errors, covered = [], [], []
    while len(values) < replicates:
        positives = n_pos if design == "case-control" else rng.binomial(n, prevalence)
        if min(positives, n - positives) < 2:
            continue
        y = np.repeat([1, 0], [positives, n - positives])
        sample = pauci.Sample(y, population.draw(rng, positives, n - positives), design=design)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pauci.PauciWarning)
            es = pauci.estimate(sample, MEASURES, variance=variance)
        values.append([e.value for e in es])
        errors.append([e.se for e in es])
        ends = np.array([[e.interval(kind=kind) for e in es] for kind in ("logit", "wald")])
        covered.append((ends[..., 0] <= true) & (true <= ends[..., 1]))
    values, errors = np.array(values), np.array(errors)
    sd = values.std(axis=0, ddof=1)
    return np.vstack(
        [
            100 * np.mean(covered, axis=0),
            np.sqrt((errors**2).mean(axis=0)) / sd,
            (values.mean(axis=0) - true) / sd,
        ]
    )
