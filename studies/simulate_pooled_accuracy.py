"""Simulation of pooled two-by-two tables: coverage of rates, areas and confidence regions.

The log odds of the sensitivity and the false positive rate of a study are bivariate normal with
standard deviations 0.8 and 0.6 and correlation 0.5; the mean of the latter is -1.5. Small studies
have 15 to 49 positives and 30 to 99 negatives, large ones four to six times as many. Run by
studies/evidence.py.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

import pauci
from evidence_tables import Table, holds, number
from pauci.analyses.meta_accuracy import mean_height
from pauci.intervals.student_t import expit


class Case(NamedTuple):
    """The number of studies, the mean log odds of the sensitivity, and the size of studies."""

    studies: int
    mean: float
    large: bool = False


CASES = (Case(5, 1.5), Case(8, 1.5), Case(8, 3.0), Case(8, 1.5, True), Case(15, 1.5))

_SD, _CORRELATION, _MEAN_OF_FPR = (0.8, 0.6), 0.5, -1.5

_COLUMNS = {name: name for name in ("tp", "fn", "fp", "tn")}


def pooled_accuracy(replicates: int = 200, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `pooled-accuracy`: coverage of 95% intervals and biases of log odds."""
    header = ["studies", "mean sensitivity", "size", "method", "sensitivity", "specificity", "AUC"]
    header += ["FPR 0 to 0.2", "at FPR 0.1", "bias of sensitivity"]
    rows = []
    for case in cases:
        name = [str(case.studies), f"{expit(case.mean):.2f}", "large" if case.large else "small"]
        for method, results in _results(case, replicates).items():
            *covered, bias = np.nanmean(results, axis=0)
            rows.append([*name, method, *(number(100.0 * c) for c in covered), f"{bias:.2f}"])
    return {"pooled-accuracy": [header, *rows]}


def _results(case: Case, replicates: int) -> dict[str, list[list[float]]]:
    """Return whether intervals of each method cover, and the error of the mean log odds."""
    rng = np.random.default_rng([953, case.studies, int(10 * case.mean), case.large])
    factor = np.array([[1.0, 0.0], [_CORRELATION, math.sqrt(1.0 - _CORRELATION**2)]])
    lower = np.array(_SD)[:, None] * factor
    z = np.array([case.mean, _MEAN_OF_FPR, *lower[[0, 1, 1], [0, 0, 1]]])
    curve = [(0.0, 1.0), (0.0, 0.2), (0.1, 0.1)]
    true = [expit(case.mean), expit(-_MEAN_OF_FPR), *(mean_height(z, 0, *r) for r in curve)]
    found: dict[str, list[list[float]]] = {"binomial": [], "reml": []}
    for _ in range(replicates):
        log_odds = z[:2] + rng.standard_normal((case.studies, 2)) @ lower.T
        least, most = (60, 300) if case.large else (15, 50)
        sizes = rng.integers(least, most, (case.studies, 2)) * [1, 2]
        hits = rng.binomial(sizes, 1.0 / (1.0 + np.exp(-log_odds)))
        counts = np.column_stack((hits[:, 0], sizes[:, 0] - hits[:, 0]))
        counts = np.column_stack((counts, hits[:, 1], sizes[:, 1] - hits[:, 1]))
        frame = pd.DataFrame(counts, columns=[*_COLUMNS])
        for method, results in found.items():
            a = pauci.meta_accuracy(frame, **_COLUMNS, method=method)
            estimates = [a.rate("sensitivity"), a.rate("specificity")]
            if a.sd[1] > 0.01:
                estimates += [a.area(curve[0]), a.area(curve[1]), a.sroc(0.1)]
            covers = [float(holds(e.interval(), t)) for e, t in zip(estimates, true, strict=False)]
            covers += [math.nan] * (5 - len(covers))
            results.append([*covers, float(a.z[0] - case.mean)])
    return found
