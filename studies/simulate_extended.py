"""Simulation of intervals that are extended: to a largest kappa, and to Fieller's limits.

The populations are those of the validation study, and weak markers. Run by studies/evidence.py.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.append(str(Path(__file__).with_name("validation")))

import pauci
from evidence_tables import Table, holds, number, size_of
from populations import POPULATIONS, Population, binormal
from tally import silent_estimate
from truth import truth


class Case(NamedTuple):
    """A population, and the sizes of the classes."""

    population: Population
    sizes: tuple[int, int]


RATIO = pauci.AP(rescaled=True) / pauci.AUC(rescaled=True)

WEAK, WIDE = binormal(0.3, 1.0, "AUC .58"), binormal(0.35, 1.8, "AUC .57, wide")

_MODELS = [POPULATIONS[name] for name in ("beta", "binormal", "lognormal")]

KAPPA_CASES = tuple(
    Case(population, sizes)
    for population in (POPULATIONS["AUC .5"], WEAK, WIDE, *_MODELS)
    for sizes in ((35, 35), (30, 300), (300, 30))
)

INITIAL_CASES = tuple(
    Case(population, sizes)
    for population in (WEAK, WIDE, *(POPULATIONS[n] for n in ("plateau", "U-shaped", "binormal")))
    for sizes in ((60, 60), (100, 1000), (300, 300))
)


def largest_kappa(replicates: int = 250, cases: Sequence[Case] = KAPPA_CASES) -> dict[str, Table]:
    """Return the table `largest-kappa`: coverage with the limits of one threshold, and of all."""
    rows = [
        [
            case.population.name,
            size_of(case.sizes),
            *_compared(case, pauci.MaxKappa(), replicates, lambda e: replace(e, limits=None)),
        ]
        for case in cases
    ]
    return {"largest-kappa": [["scores", "n1/n0", "one threshold", "all", "width"], *rows]}


def initial_tpr(replicates: int = 250, cases: Sequence[Case] = INITIAL_CASES) -> dict[str, Table]:
    """Return the table `initial-tpr`: coverage of Wald and extended intervals of this ratio."""
    rows = [
        [
            case.population.name,
            size_of(case.sizes),
            *_compared(case, RATIO, replicates, lambda e: replace(e, limits=None)),
        ]
        for case in cases
    ]
    return {"initial-tpr": [["scores", "n1/n0", "Wald", "extended", "width"], *rows]}


def _compared(
    case: Case,
    measure: pauci.Measure,
    replicates: int,
    before: Callable[[pauci.Estimate], pauci.Estimate],
) -> list[str]:
    """Return the coverage of intervals before and after, and the ratio of their median widths.

    Only samples without a warning are counted; "-" is for fewer than a fifth of them.
    """
    n_pos, n_neg = case.sizes
    y, rng = np.repeat([1, 0], case.sizes), np.random.default_rng([941, n_pos, n_neg])
    true = truth(case.population, measure, n_pos / (n_pos + n_neg))
    covered, widths = np.zeros(2), []
    for _ in range(replicates):
        sample = pauci.Sample(y, case.population.draw(rng, *case.sizes), design="case-control")
        e = silent_estimate(sample, measure)
        if e is None:
            continue
        intervals = before(e).interval(), e.interval()
        covered += [holds(limits, true) for limits in intervals]
        widths.append([high - low for low, high in intervals])
    if len(widths) < replicates / 5:
        return ["-"] * 3
    old, new = np.median(widths, axis=0)
    return [*map(number, 100.0 * covered / len(widths)), f"{new / old:.2f}"]
