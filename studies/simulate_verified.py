"""Simulation of intervals and paired tests of partly verified samples. Run by evidence.py."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import pauci
from evidence_tables import Table
from simulate_horizon import MEASURES, accuracy, accuracy_tables

LARGE = 200_000
"""Rows from which true values are calculated."""


class Case(NamedTuple):
    """How verification depends on the scores, how it is modelled, and the number of rows."""

    verification: str
    rows: int
    level: float
    """Log odds of being verified where both scores are 1, or for negative tests."""


CASES = (
    *[Case("given", n, c) for n in (300, 1000) for c in (1.0, -0.5)],
    *[Case("scores", n, c) for n in (300, 1000) for c in (1.0, -0.5, -2.0)],
    *[Case("strata", n, -1.5) for n in (300, 1000)],
    *[Case("covariate", n, 0.5) for n in (300, 1000)],
    *[
        Case(v, n, 0.5)
        for v in ("robust", "robust: verification", "robust: label")
        for n in (300, 1000)
    ],
)


def verified(replicates: int = 500, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return coverage, ratios of standard errors and sizes of tests, by case and measure."""
    header = ["verification", "rows", "verified", "smallest", *(m.label for m in MEASURES)]
    rows = []
    for case in cases:
        (share, smallest), *columns = _results(case, replicates)
        first = [case.verification, str(case.rows), f"{100 * share:.0f}", f"{smallest:.2f}"]
        rows.append((first, columns))
    return accuracy_tables(("verified", "verified-errors", "verified-tests"), header, rows)


def _results(case: Case, replicates: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean share and the median smallest probability, and the results."""
    rng = np.random.default_rng([924, CASES.index(case)])
    described = []

    def drawn() -> Iterator[pauci.Sample]:
        for _ in range(replicates):
            y, scores, p, options = _data(case, case.rows, rng)
            known = rng.random(case.rows) < p
            described.append([known.mean(), p.min()])
            label = np.where(known, y, np.nan)
            yield pauci.Sample(label, scores, verified=known, **options)

    columns = accuracy(drawn(), _true_values(case))
    share, smallest = np.array(described).T
    return np.array([share.mean(), np.median(smallest)]), *columns


def _true_values(case: Case) -> np.ndarray:
    """Return the values of the measures in large samples that are verified completely."""
    rng = np.random.default_rng(925)
    values = []
    for _ in range(4):
        y, scores, _, _ = _data(case, LARGE, rng)
        sample = pauci.Sample(y, scores["a"])
        values.append([m.on(sample.ratings().curve) for m in MEASURES])
    return np.mean(values, axis=0)


def _data(
    case: Case, rows: int, rng: np.random.Generator
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray, dict[str, Any]]:
    """Return labels, two equally good scores, probabilities, and arguments of `pauci.Sample`.

    After "robust", the name of the case says which of both regressions lacks a column.
    """
    y = rng.random(rows) < 0.3
    common = 0.7 * rng.normal(size=rows)
    scores = {name: 1.4 * y + common + 0.7 * rng.normal(size=rows) for name in ("a", "b")}
    mean = (scores["a"] + scores["b"]) / 2.0
    if case.verification == "strata":
        tested = mean > 1.0
        p = np.where(tested, 0.9, 1.0 / (1.0 + np.exp(-case.level)))
        return y, scores, p, {"verification": np.where(tested, "positive", "negative")}
    history = y + rng.normal(size=rows)
    slope = case.verification not in ("given", "scores")
    p = 1.0 / (1.0 + np.exp(-case.level - (mean - 1.0) - slope * (history - 0.5)))
    complete = {**scores, "history": history}
    options: dict[str, dict[str, Any]] = {
        "given": {"verification": p},
        "covariate": {"verification": complete},
        "robust": {"verification": complete, "prediction": complete},
        "robust: verification": {"verification": scores, "prediction": complete},
        "robust: label": {"verification": complete, "prediction": {"history": history}},
    }
    return y, scores, p, options.get(case.verification, {})
