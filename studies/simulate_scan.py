"""Simulation of `pauci.scan`: simultaneous intervals and the global p-value of a family of regions.

Run by studies/evidence.py.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import pauci
import simulate
from evidence_tables import number

FAMILY = np.arange(1, 21) * 0.05
"""The regions FPR 0 to u for u = 0.05, 0.10, ... 1."""

DRAWS = 5000

Case = tuple[str, str, Any, tuple[simulate.Shape, simulate.Shape], bool]

CASES: tuple[Case, ...] = (
    ("different", "paired", pauci.PAUC, ((1.5, 1.0), (1.0, 1.0)), False),
    ("equal", "paired", pauci.PAUC, ((1.2, 1.0), (1.2, 1.0)), False),
    ("equal, unequal variance", "paired", pauci.PAUC, ((1.5, 1.6), (1.5, 1.6)), False),
    ("equal", "independent", pauci.PAUC, ((1.2, 1.0), (1.2, 1.0)), True),
    ("equal", "paired", pauci.PAUCc, ((1.2, 1.0), (1.2, 1.0)), False),
    ("equal, unequal variance", "independent", pauci.PAUCc, ((1.5, 1.6), (1.5, 1.6)), True),
)
"""Binormal curves: means and standard deviations of the positives of both classifiers."""


def scans(
    replicates: int = 500, sizes: tuple[int, int] = (60, 120), cases: Sequence[Case] = CASES
) -> dict[str, list[Sequence[str]]]:
    """Return the table `scans`: simultaneous coverage of all regions, and the size of the test."""
    rows = []
    for i, (curves, pairing, kind, shapes, independent) in enumerate(cases):
        cells = behaviour(kind, shapes, sizes, replicates, 90 + i, independent=independent)
        simultaneous, pointwise, rejected = (100.0 * v for v in cells)
        size = "-" if curves == "different" else number(rejected)
        rows.append([kind.symbol, curves, pairing, number(simultaneous), number(pointwise), size])
    header = ["measure", "curves", "rows", "simultaneous", "pointwise", "p < 0.05"]
    return {"scans": [header, *rows]}


def behaviour(
    kind: Callable[..., pauci.Measure],
    shapes: Sequence[simulate.Shape],
    sizes: tuple[int, int],
    replicates: int,
    seed: int,
    *,
    independent: bool,
    correlation: float = 0.6,
) -> np.ndarray:
    """Return how often each kind of interval covers all regions, and how often p < .05."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([1, 0], sizes)
    populations = [simulate.binormal(mean, sd, "binormal") for mean, sd in shapes]
    first, second = (
        np.array([simulate.truth(p, kind(fpr=(0, u))) for u in FAMILY]) for p in populations
    )
    counts = np.zeros(3)
    with simulate.warnings.catch_warnings():
        simulate.warnings.simplefilter("ignore", pauci.PauciWarning)
        for i in range(replicates):
            noise = rng.standard_normal((2, labels.size))
            if not independent:
                noise[1] = correlation * noise[0] + np.sqrt(1.0 - correlation**2) * noise[1]
            scores = [
                np.where(labels == 1, mean + sd * z, z)
                for (mean, sd), z in zip(shapes, noise, strict=True)
            ]
            samples: Any = pauci.Sample(labels, dict(zip("ab", scores, strict=True)))
            if independent:
                samples = [pauci.Sample(labels, s) for s in scores]
            f = pauci.scan(samples, kind, fpr=FAMILY, rng=i, n_draws=DRAWS, independent=independent)
            for k, ends in enumerate((f.simultaneous(), f.pointwise())):
                inside = (ends.low <= first - second) & (first - second <= ends.high)
                counts[k] += bool(inside.all())
            counts[2] += f.pvalue < 0.05
    return counts / replicates
