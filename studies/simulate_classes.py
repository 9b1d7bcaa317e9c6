"""Simulation of intervals and paired tests for several classes. Run by studies/evidence.py."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import pauci
from evidence_tables import Table, number

LABELS = ("none", "early", "late", "spread")
MACRO = pauci.Macro(pauci.AUC()), pauci.Macro(pauci.PAUC(fpr=(0, 0.2)))
COLUMNS = (*MACRO, pauci.HandTill(), pauci.PDI())
SINGLE = (pauci.VUS(), pauci.CIndex())
LARGE = 2000
"""Rows of each class from which true values are calculated, in 40 samples."""


class Case(NamedTuple):
    """The sizes of the classes, the distance of their means, and the kind of scores."""

    sizes: tuple[int, ...]
    distance: float
    scores: str = "normal"


CASES = (
    *[Case((n, n, n), 1.0) for n in (10, 20, 50, 200)],
    *[Case((n, n, n), 2.2) for n in (10, 20, 50, 200)],
    *[
        Case(sizes, 1.0)
        for sizes in ((100, 30, 10), (10, 30, 200), (20, 20, 20, 20), (10, 10, 10, 200))
    ],
    *[Case(sizes, 1.0, "ratings") for sizes in ((20, 20, 20), (50, 50, 50), (100, 30, 10))],
    *[Case((50, 50, 50), 1.0, kind) for kind in ("skewed", "clusters")],
)


def classes(replicates: int = 300, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return coverage, ratios of standard errors and sizes of tests, by case and measure."""
    header = ["scores", "distance", "sizes", *(m.label for m in (*COLUMNS, *SINGLE))]
    names = "classes", "class-errors", "class-tests"
    tables: dict[str, Table] = {name: [header] for name in names}
    for case in cases:
        first = [case.scores, f"{case.distance:g}", "/".join(map(str, case.sizes))]
        covered, ratio, size = _results(case, replicates)
        for name, row in zip(tables, (covered, ratio, size), strict=True):
            text = (f"{v:.2f}" for v in row) if name == "class-errors" else map(number, row)
            tables[name].append([*first, *text])
    return tables


def _results(case: Case, replicates: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return coverage (%), the ratio of standard errors to standard deviations, and size (%)."""
    rng = np.random.default_rng([911, CASES.index(case)])
    true = _true_values(case)
    values, variances = [], []
    covered, rejected = np.zeros(len(true)), np.zeros(len(true))
    for _ in range(replicates):
        estimates, comparisons = [], []
        for sample, measures in zip(drawn(rng, case, case.sizes), (COLUMNS, SINGLE), strict=True):
            found = pauci.estimate(sample["a"], measures)
            estimates += [found] if isinstance(found, pauci.Estimate) else list(found)
            comparisons += list(pauci.compare(sample, measures))
        limits = [e.interval() for e in estimates]
        covered += [i.low <= t <= i.high for i, t in zip(limits, true, strict=True)]
        rejected += [c.pvalue < 0.05 for c in comparisons]
        values.append([e.value for e in estimates])
        variances.append([e.se**2 for e in estimates])
    ratio = np.sqrt(np.mean(variances, axis=0)) / np.std(values, axis=0, ddof=1)
    return 100.0 * covered / replicates, ratio, 100.0 * rejected / replicates


def _true_values(case: Case) -> np.ndarray:
    """Return the value of each measure, from large samples without clusters."""
    rng, values = np.random.default_rng(912), []
    independent = case._replace(scores="normal" if case.scores == "clusters" else case.scores)
    for _ in range(40):
        samples = drawn(rng, independent, (LARGE,) * len(case.sizes))
        values.append(
            [
                m.on(s["a"].any_ratings("a").curve)
                for s, measures in zip(samples, (COLUMNS, SINGLE), strict=True)
                for m in measures
            ]
        )
    if len(set(case.sizes)) > 1:  # the C-index depends on the proportions of the classes
        times = np.array(case.sizes) * 40
        single = [drawn(rng, independent, tuple(times))[1]["a"] for _ in range(20)]
        for row in values:
            row[-1] = np.mean([pauci.CIndex().on(s.any_ratings("a").curve) for s in single])
    return np.mean(values, axis=0)


def drawn(
    rng: np.random.Generator, case: Case, sizes: Sequence[int]
) -> tuple[pauci.Sample, pauci.Sample]:
    """Return a sample with a column for each class, and one with a score, of two classifiers.

    Both classifiers are equally good, and their scores have the correlation 0.5 in each class.
    """
    count = len(sizes)
    class_of = np.repeat(np.arange(count), sizes)
    shape = class_of.size, count + 1
    common = rng.standard_normal(shape)
    means = case.distance * np.column_stack([np.eye(count)[class_of], class_of])
    cluster = None
    if case.scores == "clusters":  # five rows of a cluster, of any class
        cluster = rng.permutation(np.arange(class_of.size) // 5)
        effects = rng.standard_normal((cluster.max() + 1, count + 1))[cluster]
        common = math.sqrt(0.5) * (common + effects)
    scores = {}
    for name in "ab":
        noise = math.sqrt(0.5) * (common + rng.standard_normal(shape))
        values = means + noise
        if case.scores == "skewed":
            values = means + np.exp(noise) / 2.0
        elif case.scores == "ratings":
            values = np.clip(np.floor(values), -2.0, 4.0)
        scores[name] = values
    y = np.array(LABELS)[class_of]
    of_classes = {"classes": LABELS[:count], "cluster": cluster, "design": "case-control"}
    columns = {name: v[:, :count] for name, v in scores.items()}
    single = {name: v[:, count] for name, v in scores.items()}
    return (
        pauci.Sample.from_classes(y, columns, **of_classes),
        pauci.Sample.from_classes(y, single, **of_classes),
    )
