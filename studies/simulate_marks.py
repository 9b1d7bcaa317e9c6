"""Simulation of marks with places: standard errors, coverage and size. Run by studies/evidence.py.

A case has an effect that all its lesions, false marks and both algorithms share, so that lesions of
a case are correlated, and algorithms are paired. The true value is the mean of all estimates.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

import pauci
from evidence_tables import Table, number, quiet

WITHOUT, WITH = 70, 60
"""Numbers of cases without and with lesions."""

EFFECT, SEPARATION, FALSE_MARKS, MARKED = 0.6, 1.0, 0.8, 0.75
"""Standard deviation of the effect of a case, mean rating of hits, mean number of false marks of a
case, and probability that a lesion is marked."""

POINTS, LIMIT = (0.125, 0.25, 0.5, 1), 1
AREAS = (pauci.AUC(), pauci.PAUC(fpr=(0, 0.2)))
KINDS = ("wAFROC", "AFROC1")


def marks(replicates: int = 300) -> dict[str, Table]:
    """Return the table `marks`."""
    found: dict[str, list[tuple[float, ...]]] = {}
    rng = np.random.default_rng(170)
    for _ in range(replicates):
        drawn, cases = study(rng)
        for name, numbers in analysed(drawn, cases):
            found.setdefault(name, []).append(numbers)
    return {
        "marks": [
            ["quantity", "SE/SD", "coverage", "SE/SD, difference", "p < 0.05"],
            *([name, *summary(np.array(rows))] for name, rows in found.items()),
        ]
    }


def summary(rows: np.ndarray) -> list[str]:
    """Return the ratios of standard errors, the coverage and the size of tests."""
    value, se, low, high, difference, se_of_difference, pvalue = rows.T
    true = value.mean()
    ratios = [
        float(np.sqrt(np.mean(errors**2)) / values.std(ddof=1))
        for values, errors in ((value, se), (difference, se_of_difference))
    ]
    covered = 100.0 * np.mean((low <= true) & (true <= high))
    size = 100.0 * np.mean(pvalue < 0.05)
    return [f"{ratios[0]:.3f}", number(covered), f"{ratios[1]:.3f}", number(size)]


def study(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the marks of two equal algorithms, and the cases."""
    n = WITHOUT + WITH
    numbers = rng.integers(1, 4, WITH)
    case = np.repeat(np.arange(WITHOUT, n), numbers)
    name = np.concatenate([np.arange(1, k + 1) for k in numbers])
    effect = rng.normal(0.0, EFFECT, n)
    parts = []
    for algorithm in "AB":
        false = np.repeat(np.arange(n), rng.poisson(FALSE_MARKS, n))
        hit = rng.random(case.size) < MARKED
        at = np.concatenate([false, case[hit]])
        shift = np.repeat([0.0, SEPARATION], [false.size, hit.sum()])
        columns = {
            "case": at,
            "lesion": np.concatenate([np.full(false.size, np.nan), name[hit]]),
            "rating": effect[at] + shift + rng.normal(size=at.size),
        }
        parts.append(pd.DataFrame(columns).assign(algorithm=algorithm))
    cases = pd.DataFrame({"case": np.arange(n), "lesions": np.append(np.zeros(WITHOUT), numbers)})
    return pd.concat(parts, ignore_index=True), cases.astype({"lesions": int})


def analysed(drawn: pd.DataFrame, cases: pd.DataFrame) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each quantity with the numbers of the first algorithm and of the difference."""
    with quiet():
        for kind in KINDS:
            sample = pauci.Sample.from_marks(drawn, cases, kind=kind, classifier="algorithm")
            for measure in AREAS:
                e, c = pauci.estimate(sample["A"], measure), pauci.compare(sample, measure)
                name = f"{kind}, {measure.region_phrase}" if measure.region_phrase else kind
                yield name, (e.value, e.se, *e.interval(), c.difference, c.se, c.pvalue)
        curve = pauci.froc(sample, POINTS, LIMIT)
        rows = curve.to_frame()
        for measure, part in rows.groupby("measure", sort=False):
            first = part[(part["first"] == "A") & (part["second"] == "")]
            difference = part[part["second"] != ""]
            (numbers,) = first[["value", "se", "low", "high"]].to_numpy().tolist()
            (others,) = difference[["value", "se", "pvalue"]].to_numpy().tolist()
            yield f"FROC, {measure}", (*numbers, *others)
