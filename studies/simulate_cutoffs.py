"""Simulation of intervals and tests of measures at a cut-off, in seven designs.

Run by studies/evidence.py.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import t as student

import pauci
from evidence_tables import Table, holds, number

Rates = Callable[[float], float]


class Population(NamedTuple):
    """Proportions of positives and of negatives above a threshold, and quantiles of the latter."""

    words: str
    tpr: Rates
    fpr: Rates
    threshold: float


def _tail(z: float) -> float:
    return float(ndtr(-z))


BINORMAL = Population("normal", lambda t: _tail(t - 1.3), _tail, 0.8)
SPREAD = Population("unequal spread", lambda t: _tail((t - 1.6) / 1.8), _tail, 1.5)
HEAVY = Population(
    "heavy tails", lambda t: float(student.sf(t - 2.2, 3)), lambda t: float(student.sf(t, 3)), 0.9
)
PERFECT = Population("nearly perfect", lambda t: _tail(t - 3.4), _tail, 1.5)


class Case(NamedTuple):
    """A design: the numbers of rows, and the prevalence of the population."""

    words: str
    population: Population
    n: tuple[int, int]
    """Numbers of positives and negatives; on average, in a cohort."""
    design: str = "cohort"
    """What is fixed or given, or how rows depend on each other."""


GIVEN = 0.1
"""The prevalence of the target population of designs in which it is given."""

CASES = (
    Case("cohort", BINORMAL, (15, 25)),
    Case("cohort", PERFECT, (20, 80)),
    Case("cohort", SPREAD, (100, 100)),
    Case("cohort", HEAVY, (20, 380)),
    Case("cohort", BINORMAL, (50, 950)),
    Case("given prevalence", BINORMAL, (20, 20), "given"),
    Case("given prevalence", PERFECT, (60, 40), "given"),
    Case("given prevalence", SPREAD, (200, 300), "given"),
    Case("case-control", HEAVY, (25, 75), "case-control"),
    Case("case-control", BINORMAL, (150, 100), "case-control"),
    Case("clusters of 1 to 8 rows", BINORMAL, (40, 80), "clusters"),
    Case("clusters of 1 to 8 rows", SPREAD, (150, 300), "clusters"),
    Case("sampling weights", BINORMAL, (40, 60), "weights"),
    Case("sampling weights", SPREAD, (120, 280), "weights"),
    Case("5 folds", BINORMAL, (40, 60), "folds"),
    Case("5 folds", HEAVY, (100, 300), "folds"),
)


def measures_of(case: Case) -> list[pauci.Measure]:
    """Return the measures, at the prevalence of the design."""
    given = {"prevalence": GIVEN} if case.design == "given" else {}
    at = {"threshold": case.population.threshold}
    return [
        pauci.Sensitivity(**at),
        pauci.Specificity(**at),
        pauci.PPV(**at, **given),
        pauci.NPV(**at, **given),
        pauci.Accuracy(**at, **given),
        pauci.PredictedPositiveRate(**at, **given),
        pauci.BalancedAccuracy(**at),
        pauci.Youden(**at),
        pauci.LRPositive(**at),
        pauci.LRNegative(**at),
        pauci.F(**at, **given),
        pauci.Kappa(**at, **given),
        pauci.MCC(**at, **given),
        pauci.PPV(sensitivity=0.8, **given),
        pauci.NPV(sensitivity=0.8, **given),
        pauci.PPV(specificity=0.85, **given),
        pauci.NPV(specificity=0.85, **given),
        pauci.F(sensitivity=0.8, **given),
    ]


NAMES = (
    *("sensitivity", "specificity", "PPV", "NPV", "accuracy", "positive rate", "balanced accuracy"),
    *("J", "LR+", "LR-", "F1", "kappa", "MCC", "PPV at sens. 0.8", "NPV at sens. 0.8"),
    *("PPV at spec. 0.85", "NPV at spec. 0.85", "F1 at sens. 0.8"),
)


def cutoffs(replicates: int = 400, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the tables `cutoffs` and `cutoffs-width`: coverage and width of default intervals.

    Widths are medians, in percent of those of Wald, log or logit intervals (whichever was
    the default before), in samples in which both are finite.
    """
    coverage, widths = [], []
    for case in cases:
        rng = np.random.default_rng([910, CASES.index(case)])
        measures, covered, relative = measures_of(case), [], []
        true = [true_value(case, m) for m in measures]
        for _ in range(replicates):
            sample = drawn(rng, case)
            results = [_one(sample, m, t) for m, t in zip(measures, true, strict=True)]
            covered.append([hit for hit, _ in results])
            relative.append([width for _, width in results])
        cells = [number(100.0 * v) for v in np.nanmean(covered, axis=0)]
        words = f"{case.words}, {case.n[0]}/{case.n[1]}"
        coverage.append([words, case.population.words, *cells])
        cells = [number(100.0 * v) for v in np.nanmedian(relative, axis=0)]
        widths.append([words, case.population.words, *cells])
    heading = ["design, n1/n0", "scores", *NAMES]
    return {"cutoffs": [heading, *coverage], "cutoffs-width": [heading, *widths]}


def _one(sample: pauci.Sample, measure: pauci.Measure, true: float) -> tuple[float, float]:
    """Return whether the interval holds the true value, and its relative width, if defined."""
    try:
        e = pauci.estimate(sample, measure)
    except pauci.UndefinedError:
        return math.nan, math.nan
    interval, width = e.interval(), math.nan
    if not e.degenerate:
        other = e.interval(kind="log" if math.isinf(measure.range.high) else "logit")
        width = (interval.high - interval.low) / (other.high - other.low)
    return float(holds(interval, true)), width if math.isfinite(width) else math.nan


def drawn(rng: np.random.Generator, case: Case) -> pauci.Sample:
    """Return a sample of a design, with at least three rows of each class."""
    while True:
        y, effect, options = _rows(rng, case)
        if min(y.sum(), y.size - y.sum()) >= 3:
            break
    scores = _scores(rng, case.population, y, effect)
    if case.design == "folds":
        fold = np.empty(y.size, int)
        for label in (0, 1):
            rows = np.flatnonzero(y == label)
            fold[rows] = rng.permutation(rows.size) % 5
        options = {"fold": fold}
    if case.design in ("given", "case-control"):
        options = {"design": "case-control"}
    return pauci.Sample(y, scores, **options)


def _rows(rng: np.random.Generator, case: Case):
    """Return labels, effects of clusters on normal scores, and the clusters or weights."""
    n_pos, n_neg = case.n
    n, share = n_pos + n_neg, n_pos / (n_pos + n_neg)
    if case.design == "clusters":
        sizes = rng.integers(1, 9, n)
        sizes = sizes[: np.searchsorted(sizes.cumsum(), n) + 1]
        cluster = np.repeat(np.arange(sizes.size), sizes)[:n]
        # The labels of a cluster are correlated.
        tendency = math.sqrt(0.3) * rng.standard_normal(sizes.size)[cluster]
        liability = tendency + math.sqrt(0.7) * rng.standard_normal(n)
        effect = rng.standard_normal(sizes.size)[cluster]
        return (liability > ndtri(1.0 - share)).astype(int), effect, {"cluster": cluster}
    if case.design in ("cohort", "weights"):
        y = (rng.random(n) < share).astype(int)
    else:
        y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    options = {"weight": rng.gamma(2.0, size=n)} if case.design == "weights" else {}
    return y, None, options


def _scores(
    rng: np.random.Generator, population: Population, y: np.ndarray, effect: np.ndarray | None
) -> np.ndarray:
    """Return scores whose normal deviates within a class have an effect of clusters."""
    z = rng.standard_normal(y.size)
    if effect is not None:
        z = math.sqrt(0.4) * effect + math.sqrt(0.6) * z
    if population is HEAVY:
        return student.ppf(ndtr(z), 3) + 2.2 * y
    mean, spread = {"normal": (1.3, 1.0), "nearly perfect": (3.4, 1.0)}.get(
        population.words, (1.6, 1.8)
    )
    return np.where(y == 1, mean + spread * z, z)


def true_value(case: Case, measure: pauci.Measure) -> float:
    """Return the value in the population."""
    population, (n_pos, n_neg) = case.population, case.n
    share = GIVEN if case.design == "given" else n_pos / (n_pos + n_neg)
    at = measure.threshold
    if at is None:
        axis = measure.region.axis
        rate, wanted = (
            (population.tpr, measure.tpr) if axis == "tpr" else (population.fpr, measure.fpr)
        )
        low, high = -60.0, 60.0
        for _ in range(80):
            at = 0.5 * (low + high)
            low, high = (at, high) if rate(at) > wanted else (low, at)
    return float(measure.of_rates(population.tpr(at), population.fpr(at), share))


class TestCase(NamedTuple):
    """Two classifiers with correlated scores, of the same accuracy at the threshold."""

    words: str
    n: tuple[int, int]
    design: str
    distance: float = 1.3


TEST_CASES = (
    TestCase("paired", (20, 60), "paired"),
    TestCase("paired", (60, 200), "paired"),
    TestCase("paired, few errors", (60, 200), "paired", 3.2),
    TestCase("independent", (30, 60), "independent"),
    TestCase("independent", (100, 100), "independent"),
    TestCase("paired, clusters of 1 to 6 rows", (60, 120), "clusters"),
    TestCase("shared clusters", (60, 120), "shared"),
)

TESTED = ("Sensitivity", "PPV", "Accuracy", "Youden", "LRPositive", "F", "Kappa")


def cutoff_tests(replicates: int = 400, cases: Sequence[TestCase] = TEST_CASES) -> dict[str, Table]:
    """Return the table `cutoff-tests`: size of 5% tests of differences, Newcombe and Wald.

    The tests are two-sided, and one-sided with the true difference as the null.
    """
    rows = []
    for case in cases:
        rng = np.random.default_rng([920, TEST_CASES.index(case)])
        rejected = []
        for _ in range(replicates):
            samples, options = _pair(rng, case)
            found = []
            for name in TESTED:
                measure = getattr(pauci, name)(threshold=0.5 * case.distance)
                try:
                    c = pauci.compare(samples, measure, **options)
                    one = pauci.compare(samples, measure, alternative="greater", **options)
                except pauci.UndefinedError:
                    found.append([math.nan] * 3)
                    continue
                found.append([c.pvalue < 0.05, one.pvalue < 0.05, c.pvalue_of("wald") < 0.05])
            rejected.append(found)
        cells = map(number, 100.0 * np.nanmean(np.array(rejected, float), axis=0).ravel())
        rows.append([f"{case.words}, {case.n[0]}/{case.n[1]}", *cells])
    kinds = ("Newcombe", "Newcombe, one-sided", "Wald")
    symbols = ("sensitivity", "PPV", "accuracy", "J", "LR+", "F1", "kappa")
    heading = ["samples, n1/n0", *(f"{s}: {k}" for s in symbols for k in kinds)]
    return {"cutoff-tests": [heading, *rows]}


def _pair(rng: np.random.Generator, case: TestCase):
    """Return the sample or samples of a comparison, and its options."""
    n_pos, n_neg = case.n
    n = n_pos + n_neg
    drawn_samples = []
    cluster = None
    if case.design in ("clusters", "shared"):
        sizes = rng.integers(1, 7, n)
        cluster = np.repeat(np.arange(n), sizes)[:n]
    effect = rng.standard_normal(n)
    for _ in range(2):
        y = (rng.random(n) < n_pos / n).astype(int)
        common = rng.standard_normal(n)
        if cluster is not None:
            common = math.sqrt(0.5) * effect[cluster] + math.sqrt(0.5) * common
        scores = [
            case.distance * y + math.sqrt(0.6) * common + math.sqrt(0.4) * rng.standard_normal(n)
            for _ in range(2)
        ]
        drawn_samples.append((y, scores))
    (y, (a, b)), (other, (_, c)) = drawn_samples
    if case.design in ("paired", "clusters"):
        return pauci.Sample(y, {"a": a, "b": b}, cluster=cluster), {}
    samples = [
        pauci.Sample(y, {"a": a}, cluster=cluster),
        pauci.Sample(other, {"b": c}, cluster=cluster),
    ]
    return samples, {"shared_clusters": True} if case.design == "shared" else {}
