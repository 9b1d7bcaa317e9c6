"""Simulation of intervals of measures with estimated ends, on curves that are not smooth.

Most populations are those of the validation study. The default intervals of estimates and of
differences are compared with Wald intervals. Run by studies/evidence.py.
"""

import math
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import ndtr

sys.path.append(str(Path(__file__).with_name("validation")))

import pauci
from design import matched
from evidence_tables import Table, holds, number, size_of
from populations import POPULATIONS, Population, mixture, of_distributions
from tally import silent_estimate
from truth import truth

MEASURES = {
    "pAUCc, FPR [0, 0.2]": pauci.PAUCc(fpr=(0, 0.2)),
    "pAUCx, FPR [0.02, 0.2]": pauci.PAUCx(fpr=(0.02, 0.2)),
    "pAUCc, TPR [0.8, 1]": pauci.PAUCc(tpr=(0.8, 1)),
    "pAUCc, FPR [0.2, 0.5]": pauci.PAUCc(fpr=(0.2, 0.5)),
    "normalized pAUCc, FPR [0, 0.1]": pauci.PAUCc(fpr=(0, 0.1), normalized=True),
}

STUDIED = POPULATIONS | {
    p.name: p
    for p in (
        of_distributions("t2, AUC .97", stats.t(2, loc=5.2), stats.t(2)),
        mixture(
            "five modes of negatives",
            [(0.6, 2.5, 1.0), (0.4, 0.5, 1.0)],
            [(0.1, 4.0, 0.1), (0.1, 3.0, 0.1), (0.1, 2.0, 0.1), (0.2, 1.0, 0.1), (0.5, -0.5, 0.3)],
            between=(3.5, 2.5, 1.5, 0.5),
        ),
    )
}
"""The populations of the validation study, and others."""


class Case(NamedTuple):
    """A population, and the sizes of the classes."""

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
    Case("t2, AUC .97", (100, 60)),
)


OPPOSITE = {
    "pAUCc, FPR [0.35, 1]": pauci.PAUCc(fpr=(0.35, 1)),
    "pAUCc, TPR [0, 0.6]": pauci.PAUCc(tpr=(0, 0.6)),
    "pAUC, TPR [0, 0.4]": pauci.PAUC(tpr=(0, 0.4)),
}
"""Measures with one estimated end, whose height has the opposite sign of the area."""

OPPOSITE_CASES = (
    Case("binormal", (300, 300)),
    Case("crossing binormal", (60, 300)),
    Case("skewed Weibull", (60, 300)),
    Case("bend at the end", (60, 300)),
    Case("three modes of negatives", (40, 40)),
    Case("tie in the middle", (60, 300)),
    Case("ordinal, 7", (60, 300)),
    Case("five modes of negatives", (60, 300)),
    Case("five modes of negatives", (300, 300)),
)

MOVED = {
    "pAUC, FPR [0, 0.1]": pauci.PAUC(fpr=(0, 0.1)),
    "pAUCc, FPR [0, 0.1]": pauci.PAUCc(fpr=(0, 0.1)),
    "pAUCc / AUC": pauci.PAUCc(fpr=(0, 0.1)) / pauci.AUC(),
    "local c, FPR [0.33, 0.66]": pauci.LocalC(fpr=(0.33, 0.66)),
    "pAUCx, TPR [0.4, 0.7]": pauci.PAUCx(tpr=(0.4, 0.7)),
}
"""Measures of which some have a known area, or are ratios."""

MOVED_CASES = tuple(
    Case(name, sizes)
    for name in (
        "binormal",
        "gamma",
        "skewed Weibull",
        "outliers of negatives",
        "three modes of negatives",
        "three modes of positives",
        "U-shaped",
        "ordinal, 4",
    )
    for sizes in ((50, 50), (300, 300))
)


def ends(replicates: int = 500, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `ends`: coverage and width of logit and Wald intervals."""
    seeds = [[870, CASES.index(case)] for case in cases]
    return {"ends": _covered(MEASURES, cases, seeds, replicates)}


def opposite_ends(
    replicates: int = 400, cases: Sequence[Case] = OPPOSITE_CASES
) -> dict[str, Table]:
    """Return the table `opposite-ends`, for regions at the other corner of the curve."""
    seeds = [[872, OPPOSITE_CASES.index(case)] for case in cases]
    return {"opposite-ends": _covered(OPPOSITE, cases, seeds, replicates)}


def moved_ends(replicates: int = 250, cases: Sequence[Case] = MOVED_CASES) -> dict[str, Table]:
    """Return the table `moved-ends`, for measures with known areas and for ratios too."""
    seeds = [[941, MOVED_CASES.index(case)] for case in cases]
    return {"moved-ends": _covered(MOVED, cases, seeds, replicates)}


def _covered(
    measures: dict[str, pauci.Measure],
    cases: Sequence[Case],
    seeds: Sequence[Sequence[int]],
    replicates: int,
) -> Table:
    """Return the coverage of logit and Wald intervals, and the ratio of their median widths.

    Only samples without a warning about the measure are counted; "-" is for fewer than a fifth.
    """
    names = [f"{m}: {c}" for m in measures for c in ("logit", "Wald", "width")]
    rows = []
    for case, seed in zip(cases, seeds, strict=True):
        population, y = STUDIED[case.population], np.repeat([1, 0], case.sizes)
        true = [truth(population, m, 0.5) for m in measures.values()]
        rng = np.random.default_rng(seed)
        covered = np.zeros((len(true), 2))
        widths: list[list[list[float]]] = [[] for _ in true]
        for _ in range(replicates):
            sample = pauci.Sample(y, population.draw(rng, *case.sizes), design="case-control")
            for i, measure in enumerate(measures.values()):
                e = silent_estimate(sample, measure)
                if e is None:
                    continue
                intervals = e.interval(), e.interval(kind="wald")
                covered[i] += [holds(limits, true[i]) for limits in intervals]
                widths[i].append([high - low for low, high in intervals])
        cells = []
        for hits, of_samples in zip(covered, widths, strict=True):
            if len(of_samples) < replicates / 5:
                cells += ["-"] * 3
            else:
                logit, wald = np.median(of_samples, axis=0)
                cells += [*map(number, 100.0 * hits / len(of_samples)), f"{logit / wald:.2f}"]
        rows.append([case.population, size_of(case.sizes), *cells])
    return [["scores", "n1/n0", *names], *rows]


LOW, BOTTOM = pauci.PAUCc(fpr=(0, 0.2)), pauci.PAUCc(fpr=(0.35, 1))
TOP, HALF = pauci.PAUCc(tpr=(0.8, 1)), pauci.PAUC(tpr=(0.5, 1))
MIDDLE, LOCAL = pauci.PAUCc(fpr=(0.1, 0.3)), pauci.LocalC(fpr=(0.1, 0.3))
FIRST = pauci.PAUCc(fpr=(0, 0.1))


class Pair(NamedTuple):
    """Two curves: populations, or a binormal curve with this SD and an equal value."""

    first: str
    second: str | float
    sizes: tuple[int, int]
    measure: pauci.Measure
    paired: bool = True

    def populations(self) -> tuple[Population, Population]:
        """Return the populations of both classifiers."""
        if isinstance(self.second, str):
            return POPULATIONS[self.first], POPULATIONS[self.second]
        second = matched(self.measure, self.second, 0.5)
        assert second is not None
        return POPULATIONS[self.first], second


PAIRS = (
    Pair("binormal", "binormal", (40, 60), LOW),
    Pair("binormal", 2.0, (40, 60), TOP),
    Pair("binormal", 0.5, (60, 300), TOP),
    Pair("binormal", "binormal", (40, 60), TOP, paired=False),
    Pair("three modes of negatives", "three modes of negatives", (60, 300), BOTTOM),
    Pair("two modes of positives", "two modes of positives", (60, 300), HALF),
    Pair("crossing Gumbel", "crossing Gumbel", (40, 60), HALF),
    Pair("two modes of positives", "binormal", (300, 300), HALF),
    Pair("binormal", "binormal", (300, 300), MIDDLE),
    Pair("outliers of negatives", "outliers of negatives", (100, 300), MIDDLE),
    Pair("outliers of negatives", "outliers of negatives", (100, 300), FIRST),
    Pair("binormal", "binormal", (60, 100), LOCAL),
)


def end_differences(replicates: int = 400, pairs: Sequence[Pair] = PAIRS) -> dict[str, Table]:
    """Return the table `end-differences`: coverage of differences, and median width.

    Paired scores have the correlation 0.5 within each class, as normal deviates.
    """
    rows = []
    for pair in pairs:
        populations, measure, sizes = pair.populations(), pair.measure, pair.sizes
        true = float(np.subtract(*(truth(p, measure, 0.5) for p in populations)))
        rng = _rng(f"{pair.first} {pair.second}", sizes)
        covered, widths = np.zeros(2), []
        for _ in range(replicates):
            c = pauci.compare(_drawn(rng, pair, populations), measure)
            both = c.interval(kind="joined"), c.interval(kind="wald")
            covered += [holds(i, true) for i in both]
            widths.append([i.high - i.low for i in both])
        joined, wald = np.median(widths, axis=0)
        second = f"SD {pair.second:g}" if isinstance(pair.second, float) else pair.second
        names = pair.first, second, "paired" if pair.paired else "independent"
        cells = *(100.0 * covered / replicates), 100.0 * joined / wald
        rows.append([*names, size_of(sizes), repr(measure), *map(number, cells)])
    header = ["first", "second", "samples", "n1/n0", "measure", "joined", "Wald", "width"]
    return {"end-differences": [header, *rows]}


def _drawn(rng: np.random.Generator, pair: Pair, populations: Sequence[Population]):
    """Return a sample of both classifiers, or two samples."""
    n_pos = pair.sizes[0]
    deviates = rng.normal(size=(2, sum(pair.sizes)))
    if pair.paired:
        deviates[1] = 0.5 * deviates[0] + math.sqrt(0.75) * deviates[1]
    scores = [
        p.scores(u[:n_pos], u[n_pos:]) for p, u in zip(populations, ndtr(deviates), strict=True)
    ]
    if pair.paired:
        return _case_control(pair.sizes, dict(zip("ab", scores, strict=True)))
    return [_case_control(pair.sizes, s) for s in scores]


def _case_control(sizes: tuple[int, int], scores) -> pauci.Sample:
    return pauci.Sample(np.repeat([1, 0], sizes), scores, design="case-control")


def _rng(name: str, sizes: tuple[int, int]) -> np.random.Generator:
    return np.random.default_rng([3403, zlib.crc32(name.encode()), *sizes])
