"""Simulations of the method page for measures that depend on the prevalence, and the bootstrap.

Run by studies/evidence.py.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri

import pauci
import simulate
import simulate_precision as precision
from evidence_tables import ORDINAL, Table, holds, number, samples, size_of
from simulate import clustered

STRONG = simulate.binormal(2.8, 1.0, "strong binormal")
SETTINGS = [(n_pos, pi) for n_pos in (20, 100) for pi in (0.02, 0.1, 0.5)]


def prevalence(
    replicates: int = 400,
    populations: Sequence[simulate.Population] = (simulate.BINORMAL, STRONG, ORDINAL),
) -> dict[str, Table]:
    """Return the table `prevalence`: coverage of average precision and AUK."""
    rows = []
    for population in populations:
        for design in ("cohort", "case-control"):
            for n_pos, pi in SETTINGS:
                if population is STRONG and n_pos == 20:
                    continue
                found = precision.simulate(population, n_pos, pi, design, replicates, seed=70)
                cells = [*found[0], *(100.0 * found[3, :2])]
                rows.append([population.name, design, str(n_pos), f"{pi:g}", *map(number, cells)])
    names = ["AP", "AP corrected", "AUK"]
    header = ["scores", "design", "positives", "prevalence", *(f"{n}: coverage" for n in names)]
    return {"prevalence": [[*header, "AP: bias", "AP corrected: bias"], *rows]}


KINDS = ("bca", "percentile", "basic", "wald", "logit")
MEASURES = (
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.2)),
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.PAUCc(tpr=(0.8, 1)),
)
LABELS = ("AUC", "pAUC, FPR [0, 0.2]", "pAUCc, FPR [0, 0.2]", "pAUCc, TPR [0.8, 1]")


def bootstrap_intervals(replicates: int = 300, resamples: int = 599) -> dict[str, Table]:
    """Return the table `bootstrap`: coverage by the kind of interval."""
    rows = []
    for sizes in ((30, 30), (50, 200)):
        true = [simulate.truth(simulate.BINORMAL, m) for m in MEASURES]
        hits = np.zeros((len(MEASURES), len(KINDS) + 1))
        for seed, sample in enumerate(samples(simulate.BINORMAL, sizes, replicates, 80)):
            boot = pauci.estimate(sample, MEASURES, pauci.Bootstrap(resamples, "stratified", seed))
            plain = pauci.estimate(sample, MEASURES)
            for i, t in enumerate(true):
                ends = [boot[i].interval(kind=kind) for kind in KINDS]
                hits[i] += [holds(e, t) for e in (*ends, plain[i].interval())]
        for label, row in zip(LABELS, 100.0 * hits / replicates, strict=True):
            rows.append([size_of(sizes), label, *map(number, row)])
    header = ["n1/n0", "measure", *KINDS, "analytic"]
    return {"bootstrap": [header, *rows]}


def pairs(shapes, sizes, replicates: int, seed: int):
    """Yield samples of two binormal classifiers with correlation 0.6 in each class."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    for _ in range(replicates):
        common = rng.normal(size=y.size)
        columns = {}
        for name, (mean, sd) in zip("ab", shapes, strict=True):
            noise = math.sqrt(0.6) * common + math.sqrt(0.4) * rng.normal(size=y.size)
            columns[name] = np.where(y == 1, mean + sd * noise, noise)
        yield pauci.Sample(y, columns)


TESTED = ("bca", "percentile", "wald")


def bootstrap_tests(replicates: int = 400, resamples: int = 599) -> dict[str, Table]:
    """Return the table `bootstrap-tests`: size of paired tests by kind."""
    rows = []
    for measure, label in zip(MEASURES[1:3], LABELS[1:3], strict=True):
        for sizes in ((50, 55), (100, 100)):
            shapes = (1.2, 1.0), simulate.matched(measure, (1.2, 1.0), 1.5)
            rejected = np.zeros(len(TESTED) + 1)
            for seed, sample in enumerate(pairs(shapes, sizes, replicates, 90)):
                boot = pauci.Bootstrap(resamples, "stratified", seed)
                c = pauci.compare(sample, measure, variance=boot)
                ps = [c.pvalue_of(kind) for kind in TESTED]
                rejected += [p < 0.05 for p in (*ps, pauci.compare(sample, measure).pvalue)]
            row = map(number, 100.0 * rejected / replicates)
            rows.append([label, size_of(sizes), *row])
    return {"bootstrap-tests": [["measure", "n1/n0", *TESTED, "analytic"], *rows]}


def permutations(replicates: int = 600, resamples: int = 499, count: int = 3) -> dict[str, Table]:
    """Return the table `permutations`: size of paired permutation tests."""
    rows = []
    for label, measure in zip(LABELS[:count], MEASURES[:count], strict=True):
        for curves, sd in (("same curve", 1.0), ("equal areas", 2.0)):
            shapes = (
                (1.2, 1.0),
                (1.2, 1.0) if sd == 1.0 else simulate.matched(measure, (1.2, 1.0), sd),
            )
            cells = []
            for sizes in ((15, 20), (100, 100)):
                rejected = np.zeros(2)
                for seed, sample in enumerate(pairs(shapes, sizes, replicates, 95)):
                    test = pauci.permutation_test(sample, measure, resamples, rng=seed)
                    rejected += [test.pvalue < 0.05, pauci.compare(sample, measure).pvalue < 0.05]
                cells += map(number, 100.0 * rejected / replicates)
            rows.append([label, curves, *cells])
    names = [f"{n}: {test}" for n in ("15/20", "100/100") for test in ("permutation", "analytic")]
    return {"permutations": [["measure", "curves", *names], *rows]}


def few_clusters(replicates: int = 600) -> dict[str, Table]:
    """Return the table `clusters`: size of paired tests and coverage with few clusters."""
    rows = []
    for clusters in (6, 10, 20, 60):
        rejected, covered = np.zeros(4), np.zeros(2)
        measures = [pauci.AUC(), pauci.AP(prevalence=0.5)]
        # The effect of a cluster and the noise of a row together have variance 2.
        true = [ndtr(0.5), precision.truth(simulate.binormal(2**-0.5, 1.0, ""), measures[1], 0.5)]
        for seed in range(replicates):
            y, scores, cluster = clustered([97, seed], clusters, 20)
            sample = pauci.Sample(y, scores, cluster=cluster)
            tests = [pauci.compare(sample, m) for m in measures]
            rejected += [p < 0.05 for t in tests for p in (2 * ndtr(-abs(t.statistic)), t.pvalue)]
            covered += [
                holds(t.estimates[0].interval(), v) for t, v in zip(tests, true, strict=True)
            ]
        shares = 100.0 * np.concatenate((rejected, covered)) / replicates
        rows.append([str(clusters), *map(number, shares)])
    sizes = [f"{m}: {q}" for m in ("AUC", "AP") for q in ("size, normal", "size, t")]
    return {"clusters": [["clusters", *sizes, "AUC: coverage", "AP: coverage"], *rows]}


def few_positives(replicates: int = 800) -> dict[str, Table]:
    """Return the table `positives`: size of paired tests with few positives."""
    rows = []
    measures = [pauci.AUC(), pauci.AP()]
    shape = 1.2, 1.0
    for sizes in ((5, 100), (8, 100), (15, 100), (30, 100)):
        rejected = np.zeros(2)
        for sample in pairs((shape, shape), sizes, replicates, 98):
            rejected += [pauci.compare(sample, m).pvalue < 0.05 for m in measures]
        rows.append([size_of(sizes), *map(number, 100.0 * rejected / replicates)])
    return {"positives": [["n1/n0", "AUC", "AP"], *rows]}


Bend = tuple[str, tuple[float, float], tuple[float, float]]

BENDS: tuple[Bend, ...] = (
    ("concave, ends at the bend", (0.1, 0.6), (0.0, 0.1)),
    ("concave, sharper, ends at it", (0.1, 0.8), (0.0, 0.1)),
    ("concave, starts at the bend", (0.1, 0.6), (0.1, 0.3)),
    ("concave, sharper, starts at it", (0.1, 0.8), (0.1, 0.3)),
    ("convex, ends at the bend", (0.3, 0.1), (0.0, 0.3)),
)
"""Curves of two straight segments: where they meet (FPR, TPR), and a region with an end there."""


def bends(
    replicates: int = 500, resamples: int = 999, curves: Sequence[Bend] = BENDS
) -> dict[str, Table]:
    """Return the table `bends`: coverage of pAUCc if the curve bends at an end of the region."""
    rows = []
    sizes = ((80, 120), (300, 300), (500, 500))
    for label, (at, height), (low, high) in curves:
        fpr, tpr = (0.0, at, 1.0), (0.0, height, 1.0)
        measure = pauci.PAUCc(fpr=(low, high))
        bottom, top = np.interp((low, high), fpr, tpr)
        width, rise = high - low, top - bottom
        # Half of the sum of the area below the segment and the area to the right of it.
        true = (width * (bottom + top) / 2.0 + rise * (1.0 - (low + high) / 2.0)) / 2.0
        cells = []
        for size in sizes:
            rng, y = np.random.default_rng([98, *size]), np.repeat([1, 0], size)
            covered = np.zeros(2)
            for seed in range(replicates):
                u = rng.random(y.size)
                scores = 1.0 - np.where(y == 1, np.interp(u, tpr, fpr), u)
                sample = pauci.Sample(y, scores, design="case-control")
                e = pauci.estimate(sample, measure)
                boot = pauci.estimate(sample, measure, pauci.Bootstrap(resamples, rng=seed))
                intervals = e.interval(), boot.interval()
                covered += [holds(limits, true) for limits in intervals]
            cells += map(number, 100.0 * covered / replicates)
        rows.append([label, *cells])
    names = [f"{size_of(n)}: {kind}" for n in sizes for kind in ("logit", "BCa")]
    return {"bends": [["curve and region", *names], *rows]}


_PLANNED = (
    "measure",
    "n1/n0 for power",
    "planned power",
    "power",
    "n1/n0 for width",
    "planned width",
    "mean width",
)


def _planned_row(
    name: str,
    plan: pauci.SampleSize,
    powers: tuple[float, float],
    narrow: pauci.SampleSize,
    widths: list[str],
) -> list[str]:
    """Return a row of planned and simulated powers and widths of intervals."""
    sizes = [size_of((p.n_pos, p.n_neg)) for p in (plan, narrow)]
    return [name, sizes[0], *[number(100.0 * p) for p in powers], sizes[1], *widths]


def planned_power(replicates: int = 500) -> dict[str, Table]:
    """Return the table `planned-power`: planned and actual power and interval width."""
    aucs, correlation = (0.90, 0.80), 0.5
    measures = {
        "AUC": (pauci.AUC(), 0.1),
        "AP": (pauci.AP(), 0.12),
        "pAUC, FPR [0, 0.2]": (pauci.PAUC(fpr=(0, 0.2)), 0.04),
        "pAUCc, FPR [0, 0.2]": (pauci.PAUCc(fpr=(0, 0.2)), 0.12),
        "sensitivity at FPR 0.1": (pauci.Sensitivity(fpr=0.1), 0.25),
    }
    means = np.sqrt(2.0) * ndtri(aucs)
    rows = []
    for i, (name, (measure, width)) in enumerate(measures.items()):
        plan = pauci.sample_size(
            pauci.binormal(auc=aucs, correlation=correlation), measure, power=0.8, ratio=2
        )
        narrow = pauci.sample_size(pauci.binormal(auc=aucs[1]), measure, width=width, ratio=2)
        significant, widths = 0, []
        rng = np.random.default_rng(900 + i)
        for _ in range(replicates):
            s = _binormal_pair(rng, means, correlation, plan.n_pos, plan.n_neg)
            significant += pauci.compare(s, measure).pvalue < 0.05
            s = _binormal_pair(rng, means, correlation, narrow.n_pos, narrow.n_neg)
            low, high = pauci.estimate(s["b"], measure).interval()
            widths.append(high - low)
        powers = plan.power, significant / replicates
        rows.append(
            _planned_row(name, plan, powers, narrow, [f"{width:g}", f"{np.mean(widths):.3f}"])
        )
    return {"planned-power": [[*_PLANNED], *rows]}


def planned_risks(replicates: int = 1000) -> dict[str, Table]:
    """Return the table `planned-risks`: plans of a calibrated model, and simulated cohorts."""
    auc, share = 0.8, 0.1
    measures = {
        "O/E": (pauci.OE(), 0.4, {"null": 1.3, "alternative": "less"}),
        "calibration slope": (
            pauci.CalibrationSlope(),
            0.4,
            {"null": 0.75, "alternative": "greater"},
        ),
        "calibration intercept": (
            pauci.CalibrationIntercept(),
            0.4,
            {"null": 0.3, "alternative": "less"},
        ),
        "Brier score": (pauci.Brier(), 0.02, {"null": 0.1, "alternative": "less"}),
        "net benefit at 0.1": (pauci.NetBenefit(probability=0.1), 0.03, {"null": 0.02}),
        "AUC": (pauci.AUC(), 0.1, {"null": 0.72}),
        "pAUC, FPR [0, 0.2]": (pauci.PAUC(fpr=(0, 0.2)), 0.03, {"null": 0.06}),
        "sensitivity at FPR 0.1": (pauci.Sensitivity(fpr=0.1), 0.25, {"null": 0.25}),
    }
    risks = pauci.assumed_risks(auc, share)
    rows = []
    for i, (name, (measure, width, test)) in enumerate(measures.items()):
        kind: dict[str, Any] = {"kind": "wald"} if isinstance(measure, pauci.NetBenefit) else {}
        plan = pauci.sample_size(risks, measure, **test, **kind)
        narrow = pauci.sample_size(risks, measure, width=width, **kind)
        rng = np.random.default_rng(950 + i)
        significant, widths = 0, []
        for _ in range(replicates):
            e = pauci.estimate(_cohort_of_risks(rng, auc, share, plan), measure)
            alternative = test.get("alternative", "two-sided")
            significant += e.test(test["null"], alternative, **kind).pvalue < 0.05
            e = pauci.estimate(_cohort_of_risks(rng, auc, share, narrow), measure)
            low, high = e.interval(**kind)
            widths.append(high - low)
        powers = plan.power, significant / replicates
        rows.append(
            _planned_row(name, plan, powers, narrow, [f"{width:g}", f"{np.mean(widths):.4f}"])
        )
    return {"planned-risks": [[*_PLANNED], *rows]}


def _cohort_of_risks(rng, auc: float, share: float, plan: pauci.SampleSize) -> pauci.Sample:
    """Return a cohort of the planned size whose log odds are normal and calibrated."""
    d = math.sqrt(2.0) * ndtri(auc)
    y = rng.random(plan.n_pos + plan.n_neg) < share
    shift = math.log(share / (1.0 - share)) + np.where(y, 0.5, -0.5) * d * d
    return pauci.Sample(y.astype(int), expit(shift + d * rng.normal(size=y.size)))


def _binormal_pair(rng, means, correlation: float, n_pos: int, n_neg: int) -> pauci.Sample:
    """Return a sample of two classifiers with these means of positives, correlated by class."""
    y = np.repeat([1, 0], [n_pos, n_neg])
    z = rng.normal(size=(y.size, 3))
    noise = np.sqrt(correlation) * z[:, :1] + np.sqrt(1.0 - correlation) * z[:, 1:]
    a, b = (y[:, None] * means + noise).T
    return pauci.Sample(y, {"a": a, "b": b}, design="case-control")
