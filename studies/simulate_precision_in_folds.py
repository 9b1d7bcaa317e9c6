"""Simulation of measures in the folds of a cross-validation, with fitted models.

The estimand is the mean of the true values of the fitted models. Run by studies/evidence.py.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

import pauci
from evidence_tables import Table, holds, number
from simulate_repeats import _logistic_slopes

FEATURES = 8
PREVALENCE = 0.2
TEST_ROWS = 10_000
"""Rows of new data, in every replicate, from which the true values are calculated."""

PRECISION = {
    "AUC": pauci.AUC(),
    "uncorrected AP": pauci.AP(corrected=False),
    "corrected AP": pauci.AP(corrected=True),
}

OTHERS = {
    "rescaled AP": pauci.AP(rescaled=True),
    "uncorrected AP at 5%": pauci.AP(prevalence=0.05, corrected=False),
    "corrected AP at 5%": pauci.AP(prevalence=0.05, corrected=True),
    "AUK": pauci.AUK(),
    "pAUC": pauci.PAUC(fpr=(0, 0.2)),
    "pAUCc": pauci.PAUCc(fpr=(0, 0.2)),
}

Scores = Callable[[np.ndarray], np.ndarray]
"""A fitted model: the scores of rows."""


class Case(NamedTuple):
    """A kind of model, and the numbers of positives in a fold, of folds and of replicates."""

    model: str
    positives: int
    folds: int
    replicates: int


CASES = (
    *(Case("logistic regression", n, 5, 500) for n in (5, 8, 12, 20, 40)),
    *(Case("logistic regression", n, 10, 500) for n in (5, 12)),
    *(Case("random forest", n, 5, 150) for n in (5, 12, 20)),
    *(Case("boosting", n, 5, 150) for n in (5, 12, 20)),
)

CASES_OF_OTHERS = tuple(CASES[i] for i in (2, 3, 6, 8, 11))


def precision_in_folds(cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `precision-in-folds`: the AUC and average precision."""
    return {"precision-in-folds": _table(cases, PRECISION)}


def measures_in_folds(cases: Sequence[Case] = CASES_OF_OTHERS) -> dict[str, Table]:
    """Return the table `measures-in-folds`: other measures."""
    return {"measures-in-folds": _table(cases, OTHERS)}


def _table(cases: Sequence[Case], named: dict[str, pauci.Measure]) -> Table:
    """Return coverage, bias and SE/SD of averages of measures over folds."""
    measures, rows = list(named.values()), []
    for case in cases:
        rng = np.random.default_rng([810, case.positives, case.folds])
        covered, errors, variances = np.empty((3, case.replicates, len(measures)))
        for i in range(case.replicates):
            sample, true = _drawn(rng, case, measures)
            es = pauci.estimate(sample, measures)
            covered[i] = [holds(e.interval(), t) for e, t in zip(es, true, strict=True)]
            errors[i] = [e.value for e in es] - true
            variances[i] = [e.se**2 for e in es]
        sd = errors.std(axis=0, ddof=1)
        ratios = np.sqrt(variances.mean(axis=0)) / sd
        cells = zip(
            map(number, 100.0 * covered.mean(axis=0)),
            map(number, 100.0 * errors.mean(axis=0) / sd),
            (f"{ratio:.2f}" for ratio in ratios),
            strict=True,
        )
        label = [f"{case.folds} x {case.positives}", case.model]
        rows.append([*label, *(cell for of_measure in cells for cell in of_measure)])
    names = [f"{n}: {what}" for n in named for what in ("coverage", "bias", "SE/SD")]
    return [["folds x positives", "models", *names], *rows]


def _drawn(
    rng: np.random.Generator, case: Case, measures: Sequence[pauci.Measure]
) -> tuple[pauci.Sample, np.ndarray]:
    """Return a stratified cross-validation, and the average true values of its models."""
    n_pos = case.positives * case.folds
    sizes = n_pos, round(n_pos / PREVALENCE) - n_pos
    y = np.repeat([1, 0], sizes)
    fold = np.concatenate([np.arange(n) % case.folds for n in sizes])
    x, scores = _features(rng, y), np.empty(y.size)
    new_y = np.arange(TEST_ROWS) < PREVALENCE * TEST_ROWS
    new_x, true = _features(rng, new_y), []
    for k, fitted in enumerate(_fitted(case, x, y, fold)):
        scores[fold == k] = fitted(x[fold == k])
        curve = pauci.Sample(new_y, fitted(new_x)).ratings("score").curve
        true.append([m.estimand.on(curve) for m in measures])
    return pauci.Sample(y, scores, fold=fold), np.mean(true, axis=0)


def _features(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    """Return features, four of which differ between the classes: in mean, spread and shape."""
    x = rng.standard_normal((y.size, FEATURES))
    x[:, 0] += 0.9 * y
    x[:, 1] += 0.7 * y
    x[:, 2] *= 1.0 + 0.5 * y
    x[:, 3] += y * rng.exponential(0.8, y.size)
    return x


def _fitted(case: Case, x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> list[Scores]:
    """Return the models that are fitted without each fold."""
    outside = [fold != k for k in range(case.folds)]
    if case.model == "logistic regression":
        slopes = _logistic_slopes(x, y, np.array(outside, float))
        return [lambda rows, beta=beta: rows @ beta for beta in slopes]
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

    if case.model == "random forest":
        model = RandomForestClassifier(40, min_samples_leaf=2, random_state=0)
    else:
        model = GradientBoostingClassifier(n_estimators=40, max_depth=2, random_state=0)
    classifiers = [type(model)(**model.get_params()).fit(x[k], y[k]) for k in outside]
    return [lambda rows, c=c: c.predict_proba(rows)[:, 1] for c in classifiers]
