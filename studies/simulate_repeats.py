"""Simulation of the standard errors of averages over the folds of a repeated cross-validation.

Scores are fixed, with a skewed population, or those of logistic regression models that are fitted
to the other folds. Run by studies/evidence.py.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import expit

import pauci
import simulate
import simulate_precision as precision
from evidence_tables import Table, size_of
from pauci.inference.estimates_on_parts import problem_of
from pauci.variance import joint
from pauci.variance.units import CommonUnits, Parts

MEASURES = (
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.3)),
    pauci.PAUCc(fpr=(0, 0.3)),
    pauci.AP(corrected=True),
    pauci.AUK(),
)
NAMES = ("AUC", "pAUC", "pAUCc", "corrected AP", "AUK")
FIXED = simulate.power(1.0 / 3.0, "skewed")

FEATURES = 5
SEPARATION = 1.3
"""Distance of the class means, along the first feature."""


class Case(NamedTuple):
    """Numbers of positives, negatives, folds and repeats."""

    n_pos: int
    n_neg: int
    folds: int
    repeats: int
    fitted: bool = False

    @property
    def words(self) -> str:
        """The numbers of folds and repeats, and of rows."""
        return f"{self.folds} x {self.repeats}, {size_of(self[:2])}"


CASES = (
    Case(20, 20, 5, 10),
    Case(20, 20, 10, 10),
    Case(10, 100, 5, 10),
    Case(100, 100, 10, 10),
    Case(20, 20, 5, 10, fitted=True),
    Case(10, 100, 5, 10, fitted=True),
    Case(100, 100, 5, 10, fitted=True),
)


def repeats(replicates: int = 300, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `repeats`: SE/SD with contributions centred over all folds, and in each."""
    rows = []
    for case in cases:
        rng = np.random.default_rng([800, *case])
        errors, variances = np.empty((replicates, 5)), np.empty((2, replicates, 5))
        for i in range(replicates):
            sample, true = _drawn(rng, case)
            values, variances[:, i] = _values_and_variances(sample)
            errors[i] = values - true
            if i == 0:
                # The standard errors of the others also allow for ends and unseen observations.
                es, plain = pauci.estimate(sample, MEASURES), [0, -1]
                expected = np.sqrt(variances[0, 0, plain])
                np.testing.assert_allclose([es[k].se for k in plain], expected)
        ratios = np.sqrt(variances.mean(axis=1)) / errors.std(axis=0, ddof=1)
        models = "logistic regression" if case.fitted else "fixed"
        label = [case.words, models]
        rows.append([*label, *(f"{v:.2f}" for v in ratios.T.ravel())])
    header = ["folds x repeats, n1/n0", "scores"]
    cells = [f"{n}: {centre}" for n in NAMES for centre in ("all", "each")]
    return {"repeats": [[*header, *cells], *rows]}


def repeats_jackknife(
    replicates: int = 40, cases: Sequence[Case] = (CASES[0], CASES[2])
) -> dict[str, Table]:
    """Return the table `repeats-jackknife`: SE by the jackknife over SE by influence values."""
    rows = []
    for case in cases:
        rng = np.random.default_rng([801, *case])
        variances = np.empty((2, replicates, 5))
        for i in range(replicates):
            sample, _ = _drawn(rng, case)
            variances[1, i] = _values_and_variances(sample)[1][0]
            variances[0, i] = [
                e.se**2 for e in pauci.estimate(sample, MEASURES, variance="jackknife")
            ]
        ratios = np.sqrt(np.divide(*variances.mean(axis=1)))
        rows.append([case.words, *(f"{v:.2f}" for v in ratios)])
    return {"repeats-jackknife": [["folds x repeats, n1/n0", *NAMES], *rows]}


def _values_and_variances(sample: pauci.Sample) -> tuple[np.ndarray, np.ndarray]:
    """Return averages over folds, and their variances centred over all folds and in each."""
    rows, folds = sample.rows, sample.folds()
    targets = [(sample.names[0], m) for m in MEASURES]
    index = [rows.fold_part(k)[1] for k in range(len(folds))]
    problems = [problem_of(fold, targets) for fold in folds]
    parts = Parts(problems, [""] * len(folds), CommonUnits(rows, index))
    weights = np.tile(np.eye(len(MEASURES)) / len(folds), len(folds))
    over_all = joint.z_of_influence(parts, averages=True).cov.diagonal()
    in_each = joint.z_of_influence(parts).combined(weights).cov.diagonal()
    return weights @ parts.values, np.stack((over_all, in_each))


def _drawn(rng: np.random.Generator, case: Case) -> tuple[pauci.Sample, np.ndarray]:
    """Return a sample with the folds of all repeats, and the average true values."""
    sizes, models = case[:2], case.folds * case.repeats
    y = np.repeat([1, 0], sizes)
    fold = np.concatenate(
        [
            case.folds * r + np.concatenate([rng.permutation(n) % case.folds for n in sizes])
            for r in range(case.repeats)
        ]
    )
    row = np.tile(np.arange(y.size), case.repeats)
    if case.fitted:
        x = rng.standard_normal((y.size, FEATURES))
        x[:, 0] += SEPARATION * y
        outside = np.ones((models, y.size))
        outside[fold, row] = 0.0
        slopes = _logistic_slopes(x, y, outside)
        scores = (x[row] * slopes[fold]).sum(axis=1)
        distances = SEPARATION * slopes[:, 0] / np.sqrt((slopes**2).sum(axis=1))
        true = _truth(case.n_pos / y.size)(distances).mean(axis=0)
    else:
        scores, true = FIXED.draw(rng, *sizes)[row], np.zeros(len(MEASURES))
    return pauci.Sample(y[row], scores, fold=fold, cluster=row), true


def _logistic_slopes(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the slopes of logistic regressions, one for each row of weights.

    The sum of the squared slopes is penalized as by the default of scikit-learn.
    """
    design = np.column_stack((np.ones(len(x)), x))
    penalty = np.diag([0.0, *[1.0] * x.shape[1]])
    beta = np.zeros((len(weights), design.shape[1]))
    for _ in range(8):
        p = expit(beta @ design.T)
        gradient = (weights * (y - p)) @ design - beta @ penalty
        hessian = np.einsum("mn,ni,nj->mij", weights * p * (1.0 - p), design, design) + penalty
        beta += np.linalg.solve(hessian, gradient[..., None])[..., 0]
    return beta[:, 1:]


@cache
def _truth(prevalence: float) -> CubicSpline:
    """Return the values of the measures by the distance of two normal classes."""
    distances = np.linspace(-1.4, 1.4, 29)
    values = []
    for distance in distances.tolist():
        population = simulate.binormal(distance, 1.0, "normal classes")
        values.append(
            [simulate.truth(population, m) for m in MEASURES[:3]]
            + [precision.truth(population, m, prevalence) for m in MEASURES[3:]]
        )
    return CubicSpline(distances, values)
