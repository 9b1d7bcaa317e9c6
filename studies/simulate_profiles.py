"""Simulation of `pauci.profile`: coverage of the measures of groups along the curve.

True values are calculated from the distribution functions. Run by studies/evidence.py.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import stats

import pauci
from evidence_tables import Table, holds, number
from pauci.measures.concordance import QUANTITIES

MEASURES = tuple(q for q in QUANTITIES if not q.startswith("share"))
EDGES = (0, 0.1, 0.3, 1)


class Scores(NamedTuple):
    """Tail functions of positives and negatives, functions that draw scores, and thresholds."""

    tails: tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]
    draw: tuple[Callable[..., np.ndarray], Callable[..., np.ndarray]]
    thresholds: tuple[float, ...]
    values: np.ndarray
    """Scores that are compared with the tails, in decreasing order; of ratings all values."""


def _continuous(positives, negatives, thresholds: tuple[float, ...]) -> Scores:
    at = np.linspace(0.0, 1.0, 40_001)[1:-1]
    values = np.concatenate((positives.isf(at), negatives.isf(at)))
    tails, draw = (positives.sf, negatives.sf), (positives.rvs, negatives.rvs)
    return Scores(tails, draw, thresholds, np.unique(values)[::-1])


def _ratings(positives: Sequence[float], negatives: Sequence[float]) -> Scores:
    values = np.arange(len(positives))[::-1]
    laws = [stats.rv_discrete(values=(values[::-1], p)) for p in (positives, negatives)]
    tails = tuple((lambda s, law=law: law.sf(np.ceil(s) - 1)) for law in laws)
    return Scores(tails, tuple(law.rvs for law in laws), (-0.5, 1.5, 3.5, 4.5), values)


_INFINITE = float("inf")
POPULATIONS = {
    "binormal": _continuous(stats.norm(1.2), stats.norm(), (-_INFINITE, 0.5, 1.5, _INFINITE)),
    "unequal variance": _continuous(
        stats.norm(1.5, 1.6), stats.norm(), (-_INFINITE, 0.3, 1.3, _INFINITE)
    ),
    "gamma": _continuous(stats.gamma(4), stats.gamma(2), (-_INFINITE, 2.0, 4.0, _INFINITE)),
    "heavy tails": _continuous(stats.t(3, loc=1.5), stats.t(3), (-_INFINITE, 0.5, 1.8, _INFINITE)),
    "ratings": _ratings((0.05, 0.10, 0.20, 0.30, 0.35), (0.40, 0.30, 0.15, 0.10, 0.05)),
}
GROUPS = ("fpr", "tpr", "threshold", "rank")
SIZES = ((100, 0.5), (2000, 0.02))
"""Numbers of rows, and probabilities of a positive."""


class Case(NamedTuple):
    """The variable that defines the groups, the scores, the rows and the prevalence."""

    by: str
    scores: str
    rows: int
    prevalence: float


CASES = tuple(Case(by, scores, *size) for by in GROUPS for scores in POPULATIONS for size in SIZES)


def profiles(replicates: int = 150, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `profiles`: the lowest coverage of the groups, by measure."""
    rows = []
    for case in cases:
        lowest, silent, warned = _coverage(case, replicates)
        size = [case.by, case.scores, str(case.rows), f"{case.prevalence:g}"]
        rows.append([*size, *map(number, lowest), number(silent), number(warned)])
    names = [QUANTITIES[q].symbol for q in MEASURES]
    columns = [*names, "without a warning, all groups and measures", "warnings, %"]
    return {"profiles": [["groups by", "scores", "rows", "prevalence", *columns], *rows]}


def _coverage(case: Case, replicates: int) -> tuple[list[float], float, float]:
    """Return the lowest coverage of a measure in any group, and that without a warning.

    The last number is the percentage of estimates with a warning.
    """
    rng = np.random.default_rng([930, CASES.index(case)])
    scores = POPULATIONS[case.scores]
    edges = scores.thresholds if case.by == "threshold" else EDGES
    if case.by == "tpr":
        edges = (0, 0.7, 0.9, 1)
    true = _true_values(case, edges)
    hits, counts, silent = np.zeros(true.shape), np.zeros(true.shape), np.zeros(2)
    for _ in range(replicates):
        y = (rng.random(case.rows) < case.prevalence).astype(int)
        drawn = [draw(size=y.size, random_state=rng) for draw in scores.draw]
        found = pauci.profile(pauci.Sample(y, np.where(y == 1, *drawn)), case.by, edges)
        for g, group in enumerate(found):
            for m, measure in enumerate(MEASURES):
                e = group.estimates.get(measure)
                if e is None or not np.isfinite(true[g, m]):
                    continue
                hit = holds(e.interval(), true[g, m])
                hits[g, m] += hit
                counts[g, m] += 1
                if not e.cautions:
                    silent += [hit, 1]
    coverage = 100.0 * np.divide(hits, counts, out=np.ones(hits.shape), where=counts >= 50)
    warned = 100.0 * (1.0 - silent[1] / counts.sum())
    return coverage.min(axis=0).tolist(), 100.0 * silent[0] / max(silent[1], 1), warned


def _true_values(case: Case, edges: Sequence[float]) -> np.ndarray:
    """Return the value of each measure in each group of a population."""
    scores, pi = POPULATIONS[case.scores], case.prevalence
    tpr, fpr = (np.concatenate(([0.0], tail(scores.values), [1.0])) for tail in scores.tails)
    at = {"fpr": fpr, "tpr": tpr, "rank": pi * tpr + (1.0 - pi) * fpr}
    values = []
    for low, high in pairwise(edges):
        if case.by == "threshold":
            # A group by threshold contains the scores from `low` to below `high`.
            ends = [[float(tail(np.array(end))) for end in (high, low)] for tail in scores.tails]
            (y1, y2), (x1, x2) = ends
        else:
            x1, x2 = np.interp([low, high], at[case.by], fpr)
            y1, y2 = np.interp([low, high], at[case.by], tpr)
        inside = (fpr > x1) & (fpr < x2) | (tpr > y1) & (tpr < y2)
        x, y = np.concatenate(([x1], fpr[inside], [x2])), np.concatenate(([y1], tpr[inside], [y2]))
        values.append(_measures(float(np.trapezoid(y, x)), x1, y1, x2, y2, pi))
    return np.array(values)


def _measures(area: float, x1: float, y1: float, x2: float, y2: float, pi: float) -> list[float]:
    """Return the measures of a group from their definitions (`pauci.measures.concordance`)."""
    w, h = x2 - x1, y2 - y1
    right = area + (1.0 - x2) * y2 - (1.0 - x1) * y1
    se, sp = area / w, right / h
    values = {
        "paucc": (area + right) / 2.0,
        "normalized": (area + right) / (w + h),
        "sensitivity": se,
        "specificity": sp,
        "lr_pos": se / (1.0 - sp) if sp < 1.0 else np.nan,
        "lr_neg": (1.0 - se) / sp,
        "lr_range": h / w,
        "ppv": pi * se / (pi * se + (1.0 - pi) * (1.0 - sp)),
        "npv": (1.0 - pi) * sp / ((1.0 - pi) * sp + pi * (1.0 - se)),
    }
    return [values[m] for m in MEASURES]
