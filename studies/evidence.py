"""Rerun the simulations of the pages on the method and rewrite their tables.

Usage: python studies/evidence.py [--check] [--but] [NAME ...]

Every table of docs/simulations.md, and of other pages with simulations, is computed here with fixed
seeds and stored in a file studies/evidence/TABLE.csv. With `--check` nothing is written; the exit
status is 1 if any number of a file differs from the recomputed one by more than 0.1. Of the longest
simulations only some rows are recomputed. Names select simulations, which are functions; after
`--but` they are omitted.
"""

import csv
import io
import math
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from unittest.mock import patch

import numpy as np
from scipy.special import ndtr, ndtri

import pauci
import simulate
from evidence_more import (
    BENDS,
    bends,
    bootstrap_intervals,
    bootstrap_tests,
    few_clusters,
    few_positives,
    permutations,
    planned_power,
    prevalence,
)
from evidence_tables import (
    CONTINUOUS,
    FOLDER,
    ORDINAL,
    Table,
    holds,
    number,
    quiet,
    samples,
    size_of,
)
from pauci.curve import slope as local
from pauci.curve.polyline import Axis, Curve, Point
from pauci.intervals import analytic
from pauci.measures import influence
from simulate_bands import MORE_CASES, bands, bands_more, some_bands
from simulate_classes import CASES as CLASSES
from simulate_classes import classes
from simulate_cutoff_choice import PART_OF_CASES, cutoff_choice, cutoff_summary
from simulate_cutoffs import CASES as CUTOFFS
from simulate_cutoffs import TEST_CASES, cutoff_tests, cutoffs
from simulate_degrees import DESIGNS, degrees
from simulate_ends import CASES as ENDS
from simulate_ends import (
    MOVED_CASES,
    OPPOSITE_CASES,
    PAIRS,
    end_differences,
    ends,
    moved_ends,
    opposite_ends,
)
from simulate_extended import INITIAL_CASES, KAPPA_CASES, initial_tpr, largest_kappa
from simulate_fits import MORE_CASES as RATED
from simulate_fits import fits, fits_ratings, some_fits
from simulate_folds import CASES as FOLDS
from simulate_folds import folds
from simulate_groups import CASES as GROUPS
from simulate_groups import FEW_UNITS, gaps, heterogeneity
from simulate_horizon import CASES as HORIZONS
from simulate_horizon import horizons
from simulate_marks import marks
from simulate_points import CASES as POINTS
from simulate_points import points
from simulate_precision_in_folds import CASES as IN_FOLDS
from simulate_precision_in_folds import precision_in_folds
from simulate_precision_tests import CASES as PRECISION
from simulate_precision_tests import precision_tests
from simulate_profiles import CASES as PROFILES
from simulate_profiles import profiles
from simulate_readers import reader_averages, readers
from simulate_repeats import CASES as REPEATS
from simulate_repeats import repeats, repeats_jackknife
from simulate_risks import CASES as RISKS
from simulate_risks import risk_tests, risks
from simulate_scan import CASES, scans
from simulate_small_regions import small_regions
from simulate_verified import CASES as VERIFIED
from simulate_verified import verified

TOLERANCE = 0.1
NUMBER = r"-?\d*\.?\d+"

SHARP = simulate.ordinal((0.1, 0.1, 0.1, 0.1, 0.6), (0.4, 0.3, 0.15, 0.1, 0.05), "sharp corner")
SIZES = ((30, 30), (50, 55), (100, 100), (50, 500), (500, 500))
REGIONS = ({"fpr": (0, 0.1)}, {"fpr": (0, 0.2)}, {"tpr": (0.8, 1)})
NAMES = ("FPR [0, 0.1]", "FPR [0, 0.2]", "TPR [0.8, 1]")
CONCORDANT = tuple(pauci.PAUCc(**r) for r in REGIONS)
KNOWN = tuple(pauci.PAUCx(**r) if "tpr" in r else pauci.PAUC(**r) for r in REGIONS)

Slope = Callable[[Curve, Axis, Fraction, Point], float]


# Alternatives to the methods of the package


def chord_slope(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:  # noqa: ARG001
    """Return the slope of the chord over the bound -/+ min(n1, n0)^(-1/3), inside [0, 1]."""
    if axis == "tpr":
        curve, bound = curve.swapped, 1 - bound
    half = min(curve.table.rows_pos, curve.table.rows_neg) ** (-1.0 / 3.0)
    reach = Fraction(half).limit_denominator(1000)
    return _chord(curve, max(bound - reach, Fraction(0)), min(bound + reach, Fraction(1)))


def probit_slope(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:  # noqa: ARG001
    """Return the slope of the chord over Phi(Phi^-1(bound) -/+ 1.3 min(n1, n0)^(-1/5))."""
    if axis == "tpr":
        curve, bound = curve.swapped, 1 - bound
    at = float(ndtri(float(bound)))
    half = 1.3 * min(curve.table.rows_pos, curve.table.rows_neg) ** -0.2
    low, high = (Fraction(float(ndtr(z))).limit_denominator(10**5) for z in (at - half, at + half))
    return _chord(curve, low, high)


def _chord(curve: Curve, low: Fraction, high: Fraction) -> float:
    ends = [curve.at("fpr", x).tpr if 0 < x < 1 else float(x) for x in (low, high)]
    return (ends[1] - ends[0]) / float(high - low)


def binormal_slope(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:  # noqa: ARG001
    """Return the slope of the binormal curve with the mean and SD of the probit placements."""
    if axis == "tpr":
        curve, bound = curve.swapped, 1 - bound
    z = local._probit_placements(curve.table)
    at, spread = float(ndtri(float(bound))), float(z.std(ddof=1))
    if spread == 0.0:
        return 0.0
    return math.exp(0.5 * (at * at - ((at - z.mean()) / spread) ** 2)) / spread


def no_slope(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:  # noqa: ARG001
    """Return 0, which treats the end as known."""
    return 0.0


def upper_end(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:  # noqa: ARG001
    """Return the height of the north-east point of a step."""
    return point.tpr if axis == "fpr" else point.fpr


def lower_end(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:
    """Return the height of the south-west point of a step."""
    if bound in (0, 1):
        return upper_end(curve, axis, bound, point)
    return upper_end(curve, axis, bound, curve.at(axis, bound, "south-west"))


def kernel_slope(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:  # noqa: ARG001
    """Return a kernel estimate of the density of the probit placements, as a slope."""
    if axis == "tpr":
        curve, bound = curve.swapped, 1 - bound
    z, at = local._probit_placements(curve.table), float(ndtri(float(bound)))
    quarter = z.size // 4
    spread = min(float(z.std(ddof=1)), float(z[z.size - 1 - quarter] - z[quarter]) / 1.349)
    if spread <= 0.0:
        return 0.0
    width = 1.3 * spread * min(curve.table.rows_pos, curve.table.rows_neg) ** -0.2
    return float(np.exp(0.5 * (at * at - ((at - z) / width) ** 2)).mean()) / width


SLOPES: dict[str, Slope] = {
    "local (the package)": local.slope,
    "kernel": kernel_slope,
    "chord": chord_slope,
    "probit chord": probit_slope,
    "binormal": binormal_slope,
    "none (ends known)": no_slope,
}
OURS = dict(list(SLOPES.items())[:1])


# Coverage


class Coverage:
    """Coverage in percent of the cells of a simulation, by label."""

    def __init__(self, replicates: int) -> None:
        self.replicates = replicates
        self.cells: dict[tuple[str, ...], float] = {}

    def add(self, label: tuple[str, ...], hits: float) -> None:
        self.cells[label] = 100.0 * hits / self.replicates

    def mean(self) -> float:
        return float(np.mean(list(self.cells.values())))

    def rms(self, *words: str) -> float:
        """Root mean square of coverage - 95, without the part due to simulation error."""
        cells = [c for label, c in self.cells.items() if set(words) <= set(label)]
        noise = [c * (100.0 - c) / self.replicates for c in cells]
        return math.sqrt(max(np.mean([(c - 95.0) ** 2 for c in cells]) - np.mean(noise), 0.0))

    def worst(self) -> str:
        label = min(self.cells, key=lambda k: self.cells[k])
        return f"{self.cells[label]:.1f} ({', '.join(label)})"


def quantile_interval(e: pauci.Estimate, df: float) -> analytic.Interval:
    """Return the logit interval with a t quantile with these degrees of freedom."""
    if e.degenerate:
        return e.interval(kind="logit")
    ends = analytic.Logit(e.value, e.se, *e.measure.range, df)
    return analytic.interval(ends, simulate.LEVEL)


def slopes_and_quantiles(
    replicates: int = 400, slopes: Mapping[str, Slope] = SLOPES
) -> dict[str, Table]:
    """Return the tables `slopes` and `quantiles`, which share their samples."""
    smooth = {name: Coverage(replicates) for name in slopes}
    ordinal = {name: Coverage(replicates) for name in slopes}
    known, estimated = ({q: Coverage(replicates) for q in "zt"} for _ in range(2))
    for seed, population in enumerate(simulate.POPULATIONS):
        continuous = population is not ORDINAL
        true = [simulate.truth(population, m) for m in CONCORDANT]
        true_known = [simulate.truth(population, m) for m in KNOWN]
        for sizes in SIZES:
            hits = {name: np.zeros(3) for name in slopes}
            by_quantile = {(m, q): np.zeros(3) for m in "ke" for q in "zt"}
            for sample in samples(population, sizes, replicates, seed):
                for name, slope in slopes.items():
                    with patch.object(influence, "slope", slope):
                        found = list(pauci.estimate(sample, CONCORDANT))
                    limits = [replace(e, limits=None).interval(kind="logit") for e in found]
                    hits[name] += [holds(i, t) for i, t in zip(limits, true, strict=True)]
                    if continuous and slope is local.slope:
                        exact = pauci.estimate(sample, KNOWN)
                        for key, es, ts in (("k", exact, true_known), ("e", found, true)):
                            for q in "zt":
                                by_quantile[key, q] += [
                                    holds(quantile_interval(e, e.df if q == "t" else math.inf), t)
                                    for e, t in zip(es, ts, strict=True)
                                ]
            for i, region in enumerate(NAMES):
                label = (population.name, size_of(sizes), region)
                for name in slopes:
                    (smooth if continuous else ordinal)[name].add(label, hits[name][i])
                if continuous:
                    for q in "zt":
                        known[q].add(label, by_quantile["k", q][i])
                        estimated[q].add(label, by_quantile["e", q][i])
    header = ["slope", *(f"rms {n}" for n in NAMES), "mean", "worst cell", "ordinal: rms", "worst"]
    rows = [
        [
            name,
            *(number(c.rms(n)) for n in NAMES),
            number(c.mean()),
            c.worst(),
            number(ordinal[name].rms()),
            ordinal[name].worst(),
        ]
        for name, c in smooth.items()
    ]
    quantiles = [
        [what, "z" if q == "z" else "t", number(c[q].mean()), number(c[q].rms()), c[q].worst()]
        for what, c in (
            ("pAUC, pAUCx (ends known)", known),
            ("pAUCc (ends estimated)", estimated),
        )
        for q in "zt"
    ]
    return {
        "slopes": [header, *rows],
        "quantiles": [["measure", "quantile", "mean", "rms", "worst cell"], *quantiles],
    }


# Size of tests


def sizes_of_tests(replicates: int = 700, slopes: Mapping[str, Slope] = SLOPES) -> dict[str, Table]:
    """Return the table `tests`: size of the paired Wald test of equal areas."""
    sizes = ((50, 55), (100, 100), (500, 500))
    shape = (1.2, 1.0)
    rejections = partial(simulate.rejections, kind="wald")
    rows = []
    for name, slope in slopes.items():
        for sd in (0.6, 1.8):
            found = []
            for i, measure in enumerate(CONCORDANT):
                shapes = shape, simulate.matched(measure, shape, sd)
                for j, n in enumerate(sizes):
                    seed = 1000 + 10 * i + j
                    with patch.object(influence, "slope", slope):
                        share = rejections(measure, shapes, [n], replicates, seed)
                    found.append(100.0 * share)
            noise = np.mean([p * (100.0 - p) / replicates for p in found])
            error = math.sqrt(max(np.mean([(p - 5.0) ** 2 for p in found]) - noise, 0.0))
            rows.append([name, f"{sd:g}", *map(number, found), number(error), number(max(found))])
    header = [
        "slope",
        "SD",
        *(f"{r}: {size_of(n)}" for r in NAMES for n in sizes),
        "rms",
        "largest",
    ]
    return {"tests": [header, *rows]}


# Steps


def heights(
    replicates: int = 600, all_sizes: Sequence[tuple[int, int]] = SIZES[:3]
) -> dict[str, Table]:
    """Return the table `heights`: standard errors of pAUC with three heights at a step."""
    measure = KNOWN[0]
    kinds = {
        "mean (the package)": local.mean_height,
        "upper end": upper_end,
        "lower end": lower_end,
    }
    rows = []
    for sizes in all_sizes:
        ratios: dict[str, list[float]] = {name: [] for name in kinds}
        covered: dict[str, list[float]] = {name: [] for name in kinds}
        for seed, population in enumerate(CONTINUOUS):
            true = simulate.truth(population, measure)
            values = []
            squares, hits = dict.fromkeys(kinds, 0.0), dict.fromkeys(kinds, 0)
            for sample in samples(population, sizes, replicates, 20 + seed):
                for name, height in kinds.items():
                    with patch.object(influence, "mean_height", height):
                        e = pauci.estimate(sample, measure)
                    squares[name] += e.se**2 / replicates
                    hits[name] += holds(e.interval(), true)
                values.append(e.value)
            for name in kinds:
                ratios[name].append(math.sqrt(squares[name]) / np.std(values, ddof=1))
                covered[name].append(100.0 * hits[name] / replicates)
        for name in kinds:
            coverage = [number(np.mean(covered[name])), number(min(covered[name]))]
            rows.append([size_of(sizes), name, *(f"{x:.3f}" for x in ratios[name]), *coverage])
    header = ["n1/n0", "height", *(p.name for p in CONTINUOUS), "coverage: mean", "worst"]
    return {"heights": [header, *rows]}


def bias(
    replicates: int = 2000,
    all_sizes: Sequence[tuple[int, int]] = ((20, 20), (50, 55), (100, 100), (500, 500)),
) -> dict[str, Table]:
    """Return the table `bias`: north-east and middle ends."""
    regions = REGIONS[0], REGIONS[2]
    both = ("north-east", "middle")
    measures = [pauci.PAUCc(**r, ends=ends) for r in regions for ends in both]
    true = [simulate.truth(simulate.BINORMAL, m) for m in measures]
    rows = []
    for sizes in all_sizes:
        drawn = samples(simulate.BINORMAL, sizes, replicates, 40)
        values = np.array([[e.value for e in pauci.estimate(s, measures)] for s in drawn])
        share = 100.0 * (values.mean(axis=0) - true) / values.std(axis=0, ddof=1)
        rows.append([size_of(sizes), *map(number, share)])
    pairs = [f"{n}: {e}" for n in (NAMES[0], NAMES[2]) for e in both]
    return {"bias": [["n1/n0", *pairs], *rows]}


# Ordinal scales and small regions


def ordinal_regions(
    replicates: int = 600, populations: Sequence[simulate.Population] = (ORDINAL, SHARP)
) -> dict[str, Table]:
    """Return the table `ordinal`: coverage of pAUCc by the kind of region."""
    corner, rated = "at a corner", "the same part"
    regions_of = {
        ORDINAL: [
            (f"FPR [0, 0.05], {corner}", {"fpr": (0, 0.05)}, 0.05),
            (f"score >= 5, {rated}", {"threshold": (5, math.inf)}, 0.05),
            (f"FPR [0, 0.15], {corner}", {"fpr": (0, 0.15)}, 0.15),
            (f"score >= 4, {rated}", {"threshold": (4, math.inf)}, 0.15),
            ("FPR [0, 0.1], between corners", {"fpr": (0, 0.1)}, 0.1),
            ("FPR [0, 0.2], between corners", {"fpr": (0, 0.2)}, 0.2),
        ],
        SHARP: [
            (f"FPR [0, 0.05], {corner}", {"fpr": (0, 0.05)}, 0.05),
            (f"score >= 5, {rated}", {"threshold": (5, math.inf)}, 0.05),
        ],
    }
    rows = []
    for population in populations:
        regions = regions_of[population]
        measures = [pauci.PAUCc(**keywords) for _, keywords, _ in regions]
        true = [simulate.truth(population, pauci.PAUCc(fpr=(0, x))) for _, _, x in regions]
        columns = []
        for sizes in SIZES:
            hits = np.zeros(len(regions))
            for sample in samples(population, sizes, replicates, 50):
                found = pauci.estimate(sample, measures)
                hits += [holds(e.interval(), t) for e, t in zip(found, true, strict=True)]
            columns.append(100.0 * hits / replicates)
        for (name, _, _), row in zip(regions, np.array(columns).T, strict=True):
            rows.append([population.name, name, *map(number, row)])
    return {"ordinal": [["ratings", "region", *map(size_of, SIZES)], *rows]}


def few(replicates: int = 600, all_expected: Sequence[int] = (2, 3, 5, 10, 20)) -> dict[str, Table]:
    """Return the table `few`: coverage by the number of negatives expected inside FPR [0, 0.1]."""
    measures = KNOWN[0], CONCORDANT[0]
    rows = []
    for expected in all_expected:
        sizes = 100, 10 * expected
        covered = []
        for seed, population in enumerate(CONTINUOUS):
            true = [simulate.truth(population, m) for m in measures]
            hits = np.zeros(2)
            for sample in samples(population, sizes, replicates, 60 + seed):
                found = pauci.estimate(sample, measures)
                hits += [holds(e.interval(), t) for e, t in zip(found, true, strict=True)]
            covered.append(100.0 * hits / replicates)
        mean, worst, best = (f(covered, axis=0) for f in (np.mean, np.min, np.max))
        cells = [number(v[i]) for i in range(2) for v in (mean, worst, best)]
        rows.append([str(expected), *cells])
    header = [f"{m}: {w}" for m in ("pAUC", "pAUCc") for w in ("mean", "lowest", "highest")]
    return {"few": [["expected inside", *header], *rows]}


# The files


def written(table: Table) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue()


def same(old: str, new: str) -> bool:
    """Whether two tables have the same text, and numbers within the tolerance."""
    if re.sub(NUMBER, "#", old) != re.sub(NUMBER, "#", new):
        return False
    pairs = zip(re.findall(NUMBER, old), re.findall(NUMBER, new), strict=True)
    return all(abs(float(a) - float(b)) <= TOLERANCE + 1e-9 for a, b in pairs)


def rows_like(part: Table, whole: Table) -> Table:
    """Return the rows of a whole table with the same text as some row of a part of it."""

    def words(row: Sequence[str]) -> tuple[str, ...]:
        rest = (re.sub(NUMBER, "#", cell) for cell in row[1:] if not re.fullmatch(NUMBER, cell))
        return row[0], *rest

    wanted = [words(row) for row in part]
    return [row for row in whole if words(row) in wanted]


def main(arguments: Sequence[str]) -> int:
    """Rewrite the files, or check them."""

    parts = {
        "bands": some_bands,
        "ends": partial(ends, cases=[ENDS[4], ENDS[10]]),
        "end_differences": partial(end_differences, pairs=PAIRS[1:4]),
        "bands_more": partial(bands_more, cases=MORE_CASES[-3:]),
        "opposite_ends": partial(opposite_ends, cases=OPPOSITE_CASES[:3]),
        "moved_ends": partial(moved_ends, cases=MOVED_CASES[6:8]),
        "largest_kappa": partial(largest_kappa, cases=KAPPA_CASES[3:6]),
        "initial_tpr": partial(initial_tpr, cases=INITIAL_CASES[3:6]),
        "fits": some_fits,
        "fits_ratings": partial(fits_ratings, cases=RATED[:3]),
        "bends": partial(bends, curves=BENDS[2:3]),
        "folds": partial(folds, cases=FOLDS[4:]),
        "bias": partial(bias, all_sizes=((20, 20), (50, 55))),
        "heights": partial(heights, all_sizes=SIZES[:1]),
        "degrees": partial(degrees, designs=[DESIGNS[0], DESIGNS[13]]),
        "gaps": partial(gaps, cases=[GROUPS[0], GROUPS[4]]),
        "heterogeneity": partial(heterogeneity, cases=[GROUPS[1], GROUPS[6], FEW_UNITS[0]]),
        "few": partial(few, all_expected=(2, 5)),
        "small_regions": partial(small_regions, all_expected=(1, 3)),
        "repeats": partial(repeats, cases=[REPEATS[4]]),
        "repeats_jackknife": partial(repeats_jackknife, cases=[REPEATS[0]]),
        "precision_in_folds": partial(precision_in_folds, cases=IN_FOLDS[1:3]),
        "precision_tests": partial(precision_tests, cases=PRECISION[1:3]),
        "profiles": partial(profiles, cases=PROFILES[28:30]),
        "cutoff_choice": partial(cutoff_choice, cases=PART_OF_CASES),
        "cutoffs": partial(cutoffs, cases=[CUTOFFS[0]]),
        "ordinal_regions": partial(ordinal_regions, populations=[SHARP]),
        "prevalence": partial(prevalence, populations=[simulate.BINORMAL]),
        "cutoff_tests": partial(cutoff_tests, cases=TEST_CASES[:1]),
        "risks": partial(risks, cases=[RISKS[2], RISKS[7]]),
        "risk_tests": partial(risk_tests, cases=RISKS[4:5]),
        "points": partial(points, cases=[c for c in POINTS if c.first == "two modes"]),
        "horizons": partial(horizons, cases=HORIZONS[-2:]),
        "verified": partial(verified, cases=VERIFIED[10:12]),
        "classes": partial(classes, cases=CLASSES[-2:]),
        "permutations": partial(permutations, count=1),
        "scans": partial(scans, cases=CASES[:2]),
        "sizes_of_tests": partial(sizes_of_tests, slopes=OURS),
        "slopes_and_quantiles": partial(slopes_and_quantiles, slopes=OURS),
    }

    check = "--check" in arguments
    stale = []
    selected = [a for a in arguments if not a.startswith("--")]
    for simulation in (
        bias,
        heights,
        few,
        small_regions,
        bends,
        ordinal_regions,
        ends,
        opposite_ends,
        end_differences,
        moved_ends,
        largest_kappa,
        initial_tpr,
        sizes_of_tests,
        slopes_and_quantiles,
        prevalence,
        bootstrap_intervals,
        bootstrap_tests,
        permutations,
        few_clusters,
        few_positives,
        degrees,
        planned_power,
        scans,
        folds,
        repeats,
        repeats_jackknife,
        precision_in_folds,
        precision_tests,
        heterogeneity,
        gaps,
        risks,
        risk_tests,
        cutoff_choice,
        cutoff_summary,
        points,
        cutoffs,
        cutoff_tests,
        profiles,
        bands,
        bands_more,
        fits,
        fits_ratings,
        readers,
        marks,
        reader_averages,
        horizons,
        verified,
        classes,
    ):
        if selected and (simulation.__name__ in selected) == ("--but" in arguments):
            continue
        started = time.process_time()
        with quiet():
            tables = (parts.get(simulation.__name__, simulation) if check else simulation)()
        for name, table in tables.items():
            path, text = FOLDER / f"{name}.csv", written(table)
            old = path.read_text(encoding="utf-8") if path.exists() else ""
            if check and simulation.__name__ in parts:
                old = written(rows_like(table, list(csv.reader(old.splitlines()))))
            if not same(old, text):
                stale.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
            seconds = time.process_time() - started
            print(
                f"{name}: {seconds:.0f} s of CPU{', differs' if name in stale else ''}", flush=True
            )
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
