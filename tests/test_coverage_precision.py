"""Coverage of intervals of average precision and of the area under the kappa curve, simulated.

python -m pytest -m slow -s tests/test_coverage_precision.py
"""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import integrate

import pauci
from pauci.measures.kappa import kappa
from simulate import BINORMAL, POPULATIONS, binormal

REPLICATES = 1000
MEASURES = [pauci.AP(), pauci.AP(corrected=True), pauci.AUK()]
SETTINGS = [
    (n_pos, pi)
    for n_pos in (20, 50, 100, 500)
    for pi in (0.01, 0.02, 0.1, 0.5)
    if n_pos / pi <= 10_000
]
ORDINAL = POPULATIONS[-1]


def truth(population, measure, prevalence):
    """The value in the population, by integrals of its own curve."""
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


def simulate(population, n_pos, prevalence, design, replicates, seed):
    """Coverage of logit and Wald, SE/SD and bias/SD of every measure."""
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
            es = pauci.estimate(sample, MEASURES)
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


def show(name, n_pos, prevalence, design, table):
    cells = ("{:.1f} {:.1f} {:.2f} {:+.2f}".format(*column) for column in table.T)
    print(f"{name:10}{design:14}{n_pos:4}{prevalence:6}" + "".join(f"{c:>23}" for c in cells))


def check(table, departure, ratio, replicates):
    """Logit intervals cover, and standard errors match, up to a departure and the noise."""
    noise = 300 * np.sqrt(0.05 * 0.95 / replicates)
    low, high = 95 - departure - noise, 95 + departure + noise
    # The third measure has no bias to speak of; average precision has, unless corrected.
    assert (low <= table[0]).all(), table
    assert (table[0] <= high).all(), table
    assert (np.abs(table[2] - 1) <= ratio + 3 / np.sqrt(2 * replicates)).all(), table
    assert abs(table[3, 1]) <= abs(table[3, 0]) + 3 / np.sqrt(replicates), table


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("population", [BINORMAL, ORDINAL], ids=lambda p: p.name)
def test_intervals_cover(population, design):
    table = simulate(population, 100, 0.2, design, 600, seed=5)
    check(table, 1.5, 0.08, 600)


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_intervals_cover_for_strong_classifiers(design):
    """The largest AUK depends on the prevalence, which a cohort only estimates."""
    table = simulate(binormal(2.8, 1.0, "strong"), 75, 0.25, design, 600, seed=7)
    check(table, 1.5, 0.08, 600)


@pytest.mark.slow
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("population", [BINORMAL, ORDINAL], ids=lambda p: p.name)
def test_intervals_cover_at_every_size_and_prevalence(population, design):
    run = partial(simulate, population, design=design, replicates=REPLICATES, seed=6)
    print("\nlogit and Wald coverage (%), SE/SD, bias/SD of", *map(repr, MEASURES))
    tables = {}
    for n_pos, prevalence in SETTINGS:
        tables[n_pos, prevalence] = run(n_pos, prevalence)
        show(population.name, n_pos, prevalence, design, tables[n_pos, prevalence])
    for (n_pos, _), table in tables.items():
        check(table, *((4.0, 0.15) if n_pos < 50 else (2.5, 0.08)), REPLICATES)
