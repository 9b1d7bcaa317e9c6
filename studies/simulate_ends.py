"""Simulation of intervals of measures with estimated ends, on curves that are not smooth.

The populations are those of the validation study. Run by studies/evidence.py.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.append(str(Path(__file__).with_name("validation")))

import pauci
from cells import names_of_warnings
from evidence import Table, holds, number, size_of
from pauci.errors import collected_warnings
from populations import POPULATIONS
from truth import truth

MEASURES = {
    "pAUCc, FPR [0, .2]": pauci.PAUCc(fpr=(0, 0.2)),
    "pAUCx, FPR [.02, .2]": pauci.PAUCx(fpr=(0.02, 0.2)),
    "pAUCc, TPR [.8, 1]": pauci.PAUCc(tpr=(0.8, 1)),
    "pAUCc, FPR [.2, .5]": pauci.PAUCc(fpr=(0.2, 0.5)),
}


class Case(NamedTuple):
    """A population of the validation study, and the sizes of the classes."""

    population: str
    sizes: tuple[int, int]


CASES = (
    Case("binormal", (50, 50)),
    Case("binormal", (300, 300)),
    Case("binormal, positives wide", (60, 100)),
    Case("crossing binormal", (50, 200)),
    Case("crossing Gumbel", (60, 100)),
    Case("skewed Weibull", (40, 60)),
    Case("t2.5, AUC .985", (40, 40)),
    Case("three modes of negatives", (100, 100)),
    Case("three modes of negatives", (2000, 2000)),
    Case("outliers of negatives", (100, 400)),
    Case("two modes of positives", (50, 50)),
    Case("three modes of positives", (100, 200)),
    Case("U-shaped", (50, 50)),
    Case("U-shaped", (600, 600)),
    Case("plateau", (150, 150)),
    Case("limit of detection", (30, 3000)),
    Case("hurdle gamma", (40, 40)),
    Case("tie in the middle", (80, 80)),
    Case("ordinal, 4", (40, 4000)),
)


def ends(replicates: int = 500, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `ends`: coverage and width of logit and joined intervals.

    Only samples without a warning about the measure are counted; "-" is for fewer than a fifth.
    """
    names = [f"{m}: {c}" for m in MEASURES for c in ("logit", "joined", "width")]
    rows = []
    for case in cases:
        population, y = POPULATIONS[case.population], np.repeat([1, 0], case.sizes)
        true = [truth(population, m, 0.5) for m in MEASURES.values()]
        rng = np.random.default_rng([870, CASES.index(case)])
        silent = np.zeros(len(true))
        covered, width = np.zeros((2, len(true), 2))
        for _ in range(replicates):
            sample = pauci.Sample(y, population.draw(rng, *case.sizes), design="case-control")
            with collected_warnings() as caught:
                found = pauci.estimate(sample, list(MEASURES.values()))
            for i, e in enumerate(found):
                if names_of_warnings(w for w in caught if w.measure in (None, e.measure)):
                    continue
                intervals = e.interval(kind="logit"), e.interval()
                silent[i] += 1
                covered[i] += [holds(limits, true[i]) for limits in intervals]
                width[i] += [high - low for low, high in intervals]
        cells = []
        for count, hits, (logit, joined) in zip(silent, covered, width, strict=True):
            if count < replicates / 5:
                cells += ["-"] * 3
            else:
                cells += [*map(number, 100.0 * hits / count), f"{joined / logit:.2f}"]
        rows.append([case.population, size_of(case.sizes), *cells])
    return {"ends": [["scores", "n1/n0", *names], *rows]}
