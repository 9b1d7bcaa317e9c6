"""Cells of bands, permutation tests, bootstrap intervals and families of tests."""

from functools import partial

import numpy as np

import pauci
from design import Group
from designed_samples import drawn
from ends import difference, prevalence, second
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from populations import POPULATIONS
from tally import LEVEL, Simulation, Tally, caught_in, of_measure, test_one
from truth import truth

RESAMPLES = 400
"""Bootstrap replicates."""

PERMUTATIONS = 999

REGIONS = ((0, 1), (0, 0.2))
"""Ranges of the FPR of simultaneous bands."""

POINTS = (0.05, 0.1, 0.3)
"""FPR at which pointwise bands are evaluated."""


def _without_measure(names: list[str]) -> list[dict[str, object]]:
    return [{"measure": name, "inside_pos": "", "inside_neg": ""} for name in names]


def bands(group: Group) -> Simulation:
    """Bands of a curve, or of the difference of two curves: simultaneous and pointwise.

    The pointwise band is right at an FPR if it contains the true value there.
    """
    first, other = POPULATIONS[group.population], second(group)
    of_two = group.kind == "tests"
    populations = [first, other] if of_two else [first]

    def true(fpr: np.ndarray) -> np.ndarray:
        ends = np.clip(fpr, 1e-12, 1.0 - 1e-12)
        heights = np.array([np.asarray(p.roc(ends)) for p in populations])
        heights = np.where(fpr <= 0.0, 0.0, np.where(fpr >= 1.0, 1.0, heights))
        return heights[0] - heights[1] if of_two else heights[0]

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        s = drawn(group, populations, rng)
        for fpr, tally in zip(REGIONS, tallies, strict=False):
            b, caught = caught_in(lambda r=fpr: pauci.band(s, LEVEL, fpr=r, points=False))
            values = true(b.fpr)
            outside = (values < b.low - 1e-9) | (values > b.high + 1e-9)
            tally.width.append(float(np.mean(b.high - b.low)))
            tally.add_statement(bool(outside.any()), caught)
        b, caught = caught_in(lambda: pauci.band(s, LEVEL, kind="pointwise", points=False))
        for fpr, tally in zip(POINTS, tallies[len(REGIONS) :], strict=True):
            at = int(np.argmin(np.abs(b.fpr - fpr)))
            value, low, high = true(b.fpr[[at]])[0], b.low[at], b.high[at]
            tally.width.append(float(high - low))
            tally.add_statement(not low - 1e-9 <= value <= high + 1e-9, caught)

    names = [f"simultaneous band, FPR {a:g} to {b:g}" for a, b in REGIONS]
    names += [f"pointwise band at FPR {x:g}" for x in POINTS]
    return Simulation(sample, [np.nan] * len(names), _without_measure(names))


RESAMPLED: tuple[Measure, ...] = (
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.1)),
    pauci.AP(prevalence=0.5),
)
"""Measures of permutation tests and of the bootstrap."""


def permutations(group: Group) -> Simulation:
    """Permutation tests of two classifiers; Wald's test is that of the measure (DeLong's)."""
    first, other = POPULATIONS[group.population], second(group)

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        s, seed = drawn(group, [first, other], rng), int(rng.integers(2**31))
        for measure, tally in zip(RESAMPLED, tallies, strict=True):
            try:
                p, caught = caught_in(
                    lambda m=measure: pauci.permutation_test(s, m, PERMUTATIONS, rng=seed).pvalue
                )
                wald, _ = caught_in(lambda m=measure: pauci.compare(s, m).pvalue_of("wald"))
            except UndefinedError:
                tally.undefined += 1
                continue
            tally.add_statement(p < 1.0 - LEVEL, caught)
            tally.add_test(p, caught, wald)

    labels = [of_measure(first, m, group) for m in RESAMPLED]
    return Simulation(sample, [np.nan] * len(labels), labels, tested=True)


KINDS = ("bca", "percentile", "student", "basic", "wald", "logit")


def bootstraps(group: Group) -> Simulation:
    """Bootstrap intervals of all kinds, or bootstrap tests of a paired difference."""
    first, other = POPULATIONS[group.population], second(group)

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        s, seed = drawn(group, [first], rng), int(rng.integers(2**31))
        variance = pauci.Bootstrap(RESAMPLES, rng=seed, progress=False)
        for i, measure in enumerate(RESAMPLED):
            own = tallies[i * len(KINDS) : (i + 1) * len(KINDS)]
            try:
                e, caught = caught_in(lambda m=measure: pauci.estimate(s, m, variance=variance))
            except UndefinedError:
                for tally in own:
                    tally.undefined += 1
                continue
            for kind, tally in zip(KINDS, own, strict=True):
                (low, high), more = caught_in(partial(e.interval, LEVEL, kind))
                tally.add(e.value, e.se, low, high, e.kind_used(kind), sorted({*caught, *more}))

    def sample_of_tests(rng: np.random.Generator, tallies: list[Tally]) -> None:
        s, seed = drawn(group, [first, other], rng), int(rng.integers(2**31))
        variance = pauci.Bootstrap(RESAMPLES, rng=seed, progress=False)
        for measure, tally in zip(RESAMPLED, tallies, strict=True):
            test_one(s, measure, tally, variance=variance)

    labels = [of_measure(first, m, group) for m in RESAMPLED]
    if group.kind == "tests":
        truths = [difference(group, other, m) for m in RESAMPLED]
        return Simulation(sample_of_tests, truths, labels, tested=True)
    truths = [truth(first, m, prevalence(group)) for m in RESAMPLED for _ in KINDS]
    by_kind = [{**x, "measure": f"{x['measure']}, {kind}"} for x in labels for kind in KINDS]
    return Simulation(sample, truths, by_kind)


CLASSIFIERS = 4


def families(group: Group) -> Simulation:
    """Joint inference for four classifiers and three measures, under the null hypothesis."""
    population = POPULATIONS[group.population]
    true = [truth(population, m, prevalence(group)) for m in RESAMPLED]
    names = ["simultaneous intervals", "max-t", "holm", "joint test"]

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        intervals, max_t, holm, joint = tallies
        s = drawn(group, [population] * CLASSIFIERS, rng)
        try:
            es, caught = caught_in(lambda: pauci.estimate(s, list(RESAMPLED)))
            ends = es.simultaneous(LEVEL)
            cs, caught_of_tests = caught_in(
                lambda: pauci.compare(s, list(RESAMPLED), adjust="max-t")
            )
        except UndefinedError:
            for tally in tallies:
                tally.undefined += 1
            return
        values = [true[RESAMPLED.index(e.measure)] for e in es]
        missed = any(not i.low <= t <= i.high for i, t in zip(ends, values, strict=True))
        intervals.add_statement(missed, caught)
        raw = np.array([c.pvalue for c in cs])
        for tally, p in ((max_t, min(cs.p_adjusted)), (holm, float(raw.min()) * raw.size)):
            tally.add_statement(p < 1.0 - LEVEL, caught_of_tests)
            tally.add_test(p, caught_of_tests)
        try:
            p = cs.joint().pvalue
        except UndefinedError:
            joint.undefined += 1
        else:
            joint.add_statement(p < 1.0 - LEVEL, caught_of_tests)
            joint.add_test(p, caught_of_tests)

    return Simulation(sample, [np.nan] * len(names), _without_measure(names), tested=True)


OF_DESIGN = {
    "bands": bands,
    "permutation": permutations,
    "bootstrap": bootstraps,
    "bootstrap of clusters": bootstraps,
    "4 classifiers": families,
}
"""By design."""
