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
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from unittest.mock import patch

import numpy as np

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
    planned_risks,
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
from pauci.curve.near_end import mean_height
from pauci.curve.polyline import Axis, Curve, Point
from pauci.measures import influence
from simulate_bands import MORE_CASES, bands, bands_more, some_bands
from simulate_classes import CASES as CLASSES
from simulate_classes import classes
from simulate_cutoff_choice import PART_OF_CASES, cutoff_choice, cutoff_summary
from simulate_cutoffs import CASES as CUTOFFS
from simulate_cutoffs import TEST_CASES, cutoff_tests, cutoffs
from simulate_degrees import DESIGNS, degrees
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
from simulate_pooled_accuracy import CASES as META
from simulate_pooled_accuracy import pooled_accuracy
from simulate_precision_in_folds import CASES as IN_FOLDS
from simulate_precision_in_folds import CASES_OF_OTHERS as MEASURES_IN_FOLDS
from simulate_precision_in_folds import measures_in_folds, precision_in_folds
from simulate_precision_tests import CASES as PRECISION
from simulate_precision_tests import precision_tests
from simulate_profiles import CASES as PROFILES
from simulate_profiles import profiles
from simulate_readers import reader_averages, readers
from simulate_repeats import CASES as REPEATS
from simulate_repeats import repeats, repeats_jackknife
from simulate_risks import CASES as RISKS
from simulate_risks import risk_tests, risks
from simulate_rule import CASES as PAIRS_OF_SCORES
from simulate_rule import rule, rule_designs
from simulate_scan import CASES, scans
from simulate_small_regions import (
    SMALL,
    few_of_a_class,
    points_beyond,
    region_warnings,
    small_regions,
)
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

# Alternatives to the methods of the package


def upper_end(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:  # noqa: ARG001
    """Return the height of the north-east point of a step."""
    return point.tpr if axis == "fpr" else point.fpr


def lower_end(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:
    """Return the height of the south-west point of a step."""
    if bound in (0, 1):
        return upper_end(curve, axis, bound, point)
    return upper_end(curve, axis, bound, curve.at(axis, bound, "south-west"))


# Steps


def heights(
    replicates: int = 600, all_sizes: Sequence[tuple[int, int]] = SIZES[:3]
) -> dict[str, Table]:
    """Return the table `heights`: standard errors of pAUC with three heights at a step."""
    measure = KNOWN[0]
    kinds = {
        "mean (the package)": mean_height,
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
        "bands_more": partial(bands_more, cases=MORE_CASES[-3:]),
        "largest_kappa": partial(largest_kappa, cases=KAPPA_CASES[3:6]),
        "initial_tpr": partial(initial_tpr, cases=INITIAL_CASES[3:6]),
        "fits": some_fits,
        "fits_ratings": partial(fits_ratings, cases=RATED[:3]),
        "rule": partial(rule, cases=PAIRS_OF_SCORES[:1]),
        "rule_designs": partial(rule_designs, designs={"14 clusters": 150}),
        "bends": partial(bends, curves=BENDS[2:3]),
        "folds": partial(folds, cases=FOLDS[4:]),
        "bias": partial(bias, all_sizes=((20, 20), (50, 55))),
        "heights": partial(heights, all_sizes=SIZES[:1]),
        "degrees": partial(degrees, designs=[DESIGNS[0], DESIGNS[13]]),
        "gaps": partial(gaps, cases=[GROUPS[0], GROUPS[4]]),
        "heterogeneity": partial(heterogeneity, cases=[GROUPS[1], GROUPS[6], FEW_UNITS[0]]),
        "few": partial(few, all_expected=(2, 5)),
        "small_regions": partial(small_regions, all_expected=(1, 3)),
        "region_warnings": partial(region_warnings, all_sizes=SMALL[:1]),
        "points_beyond": partial(points_beyond, all_expected=(1.0,)),
        "few_of_a_class": partial(few_of_a_class, all_positives=(3,)),
        "repeats": partial(repeats, cases=[REPEATS[4]]),
        "repeats_jackknife": partial(repeats_jackknife, cases=[REPEATS[0]]),
        "precision_in_folds": partial(precision_in_folds, cases=IN_FOLDS[1:3]),
        "measures_in_folds": partial(measures_in_folds, cases=MEASURES_IN_FOLDS[:1]),
        "precision_tests": partial(precision_tests, cases=PRECISION[1:3]),
        "pooled_accuracy": partial(pooled_accuracy, cases=META[:1]),
        "profiles": partial(profiles, cases=PROFILES[28:30]),
        "cutoff_choice": partial(cutoff_choice, cases=PART_OF_CASES),
        "cutoffs": partial(cutoffs, cases=[CUTOFFS[0]]),
        "ordinal_regions": partial(ordinal_regions, populations=[SHARP]),
        "prevalence": partial(prevalence, populations=[simulate.BINORMAL]),
        "cutoff_tests": partial(cutoff_tests, cases=TEST_CASES[:1]),
        "risks": partial(risks, cases=[RISKS[2], RISKS[7]]),
        "risk_tests": partial(risk_tests, cases=RISKS[4:5]),
        "horizons": partial(horizons, cases=HORIZONS[-2:]),
        "verified": partial(verified, cases=VERIFIED[10:12]),
        "classes": partial(classes, cases=CLASSES[-2:]),
        "permutations": partial(permutations, count=1),
        "scans": partial(scans, cases=CASES[:2]),
    }

    check = "--check" in arguments
    stale = []
    selected = [a for a in arguments if not a.startswith("--")]
    for simulation in (
        bias,
        heights,
        few,
        small_regions,
        region_warnings,
        points_beyond,
        few_of_a_class,
        bends,
        ordinal_regions,
        rule,
        rule_designs,
        largest_kappa,
        initial_tpr,
        pooled_accuracy,
        prevalence,
        bootstrap_intervals,
        bootstrap_tests,
        permutations,
        few_clusters,
        few_positives,
        degrees,
        planned_power,
        planned_risks,
        scans,
        folds,
        repeats,
        repeats_jackknife,
        precision_in_folds,
        measures_in_folds,
        precision_tests,
        heterogeneity,
        gaps,
        risks,
        risk_tests,
        cutoff_choice,
        cutoff_summary,
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
