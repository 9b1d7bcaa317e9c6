"""Simulation of regions with few negatives, for several numbers of positives per negative.

Run by studies/evidence.py.
"""

from collections.abc import Sequence

import numpy as np

import pauci
import simulate
from evidence_tables import CONTINUOUS, Table, holds, number, samples

MEASURES = (pauci.PAUC(fpr=(0, 0.1)), pauci.PAUC(fpr=(0.2, 0.3)))
RATIOS = (1, 2, 5)
EXPECTED = (1, 2, 3, 5, 8)


def small_regions(
    replicates: int = 300, all_expected: Sequence[int] = EXPECTED
) -> dict[str, Table]:
    """Return the table `small-regions`: coverage by the class sizes and the negatives inside."""
    rows = []
    for expected in all_expected:
        for ratio in RATIOS:
            sizes = 10 * expected * ratio, 10 * expected
            covered = []
            for seed, population in enumerate(CONTINUOUS):
                true = [simulate.truth(population, m) for m in MEASURES]
                hits = np.zeros(len(MEASURES))
                for sample in samples(population, sizes, replicates, 870 + seed):
                    found = pauci.estimate(sample, MEASURES)
                    hits += [holds(e.interval(), t) for e, t in zip(found, true, strict=True)]
                covered.append(100.0 * hits / replicates)
            mean, worst = np.mean(covered, axis=0), np.min(covered, axis=0)
            cells = [number(v[i]) for i in range(len(MEASURES)) for v in (mean, worst)]
            rows.append([str(expected), str(ratio), *cells])
    header = [f"FPR {r}: {w}" for r in ("[0, 0.1]", "[0.2, 0.3]") for w in ("mean", "lowest")]
    return {"small-regions": [["expected inside", "positives per negative", *header], *rows]}
