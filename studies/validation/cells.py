"""Simulation of a group of cells of the validation study, with a row of results per measure."""

import pickle
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import ends
import pauci
import procedures
from design import DETAILS, TESTED, Group, matched, measures, of_the_prevalence
from designed_samples import deviates, sizes
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from populations import POPULATIONS, Population, binormal
from tally import (
    LEVEL,
    Simulation,
    Tally,
    caught_in,
    estimate_all,
    of_measure,
    short,
    test_one,
)
from truth import truth


def rows_of(
    group: Group, replicates: int, seed: int, kept: Path | None = None
) -> Iterator[dict[str, object]]:
    """Yield the rows of a group.

    The counts and the state of the generator are stored in the folder `kept`, if there is one, so
    that a later call for more samples continues the simulation.
    """
    if group.kind == "family":
        yield from family(group, replicates, seed)
        return
    simulation = simulation_of(group)
    rng, done, tallies = group.rng(seed), 0, [Tally(t) for t in simulation.truths]
    path = kept and kept / f"{zlib.crc32(group.name.encode()):08x}-{seed}.pickle"
    if path and path.exists():
        before = pickle.loads(path.read_bytes())
        if before[0] <= replicates:
            done, rng, tallies = before
    for _ in range(done, replicates):
        simulation.sample(rng, tallies)
    if path:
        part = path.with_suffix(".part")
        part.write_bytes(pickle.dumps((replicates, rng, tallies)))
        part.replace(path)
    for label, tally in zip(simulation.labels, tallies, strict=True):
        yield {**label, **tally.row(), **(tally.rejections() if simulation.tested else {})}


def simulation_of(group: Group) -> Simulation:
    """Return the simulation of a group."""
    simulate = OF_DESIGN.get(group.design) or SIMULATIONS[group.kind]
    if simulate in (estimates, tests) and (
        group.detail in DETAILS or group.design not in ("case-control", "cohort")
    ):
        simulate = ends.intervals if simulate is estimates else ends.differences
    return simulate(group)


def estimates(group: Group) -> Simulation:
    """Estimate every measure on the same samples."""
    population = POPULATIONS[group.population]
    cohort = group.design == "cohort"
    selected = (of_the_prevalence if cohort else measures)(population)
    prevalence = _share((group.n_pos, group.n_neg))

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        n_pos, n_neg = sizes(group, rng)
        y = np.repeat([1, 0], (n_pos, n_neg))
        scores = population.draw(rng, n_pos, n_neg)
        estimate_all(pauci.Sample(y, scores, design=group.design), selected, tallies)

    truths = [truth(population, m, prevalence) for m in selected]
    return Simulation(sample, truths, [of_measure(population, m, group) for m in selected])


def tests(group: Group) -> Simulation:
    """Test the difference between two classifiers in every measure."""
    first = POPULATIONS[group.population]
    prevalence = _share((group.n_pos, group.n_neg))
    pairs = [(m, _second(group, m, prevalence)) for m in TESTED]
    selected, others = zip(*((m, o) for m, o in pairs if o is not None), strict=True)
    n = group.n_pos, group.n_neg
    y = np.repeat([1, 0], n)
    other_n = (500, 500) if group.detail == "against 500/500" else n

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        u, v = deviates(rng, y.size, group.correlation)
        shared: dict[int, object] = {}
        for measure, other, tally in zip(selected, others, tallies, strict=True):
            if id(other) not in shared:
                a = first.scores(u[: n[0]], u[n[0] :])
                if group.second == "independent":
                    b = other.draw(rng, *other_n)
                    ys = y, np.repeat([1, 0], other_n)
                    shared[id(other)] = [
                        pauci.Sample(t, s, design="case-control")
                        for t, s in zip(ys, (a, b), strict=True)
                    ]
                else:
                    b = other.scores(v[: n[0]], v[n[0] :])
                    shared[id(other)] = pauci.Sample(y, {"a": a, "b": b}, design="case-control")
            test_one(shared[id(other)], measure, tally)

    truths = [
        truth(first, m, prevalence) - truth(o, m, _share(other_n))
        for m, o in zip(selected, others, strict=True)
    ]
    labels = [of_measure(first, m, group) for m in selected]
    return Simulation(sample, truths, labels, tested=True)


def _share(n: tuple[int, int]) -> float:
    """Return the proportion of positives."""
    return n[0] / sum(n)


def _second(group: Group, measure: Measure, prevalence: float) -> Population | None:
    """Return the population of the second classifier."""
    if group.second.startswith("sd "):
        return matched(measure, float(group.second[3:]), prevalence)
    return BETTER if group.second == "better" else POPULATIONS[group.population]


BETTER = binormal(2.0, 1.0, "better")


def clusters(group: Group) -> Simulation:
    """Test and estimate in clusters of unequal sizes, few of which contain positives."""
    few, total = group.n_pos, group.n_neg
    selected = TESTED[:1] + TESTED[1:3] + TESTED[5:6] + (pauci.AP(),)

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        size = rng.integers(2, 20, total)
        cluster = np.repeat(np.arange(total), size)
        y = np.zeros(cluster.size, bool)
        for c in range(few):
            rows = np.flatnonzero(cluster == c)
            y[rows[: max(1, rows.size // 2)]] = True
        effect = rng.standard_normal((2, total))[:, cluster]
        a, b = 1.5 * y + effect + rng.standard_normal((2, y.size))
        drawn = pauci.Sample(y, {"a": a, "b": b}, cluster=cluster)
        for measure, tally in zip(selected, tallies, strict=True):
            test_one(drawn, measure, tally)

    labels = [{"measure": repr(m), "inside_pos": few, "inside_neg": total} for m in selected]
    return Simulation(sample, [0.0] * len(selected), labels, tested=True)


def weights(group: Group) -> Simulation:
    """Estimate from samples in which negatives with high scores are overrepresented."""
    population = POPULATIONS[group.population]
    selected = [m for m in measures(population) if not m.uses_sample_prevalence][:18]
    prevalence = _share((group.n_pos, group.n_neg))
    y = np.repeat([1, 0], (group.n_pos, group.n_neg))

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        # Negatives above the median are sampled three times as often as those below it.
        high = rng.random(group.n_neg) < 0.75
        u = np.where(high, rng.random(group.n_neg) / 2.0, 0.5 + rng.random(group.n_neg) / 2.0)
        weight = np.concatenate((np.ones(group.n_pos), np.where(high, 1.0, 3.0)))
        scores = population.scores(rng.random(group.n_pos), u)
        drawn = pauci.Sample(y, scores, weight=weight, design="case-control")
        estimate_all(drawn, selected, tallies)

    truths = [truth(population, m, prevalence) for m in selected]
    return Simulation(sample, truths, [of_measure(population, m, group) for m in selected])


def family(group: Group, replicates: int, seed: int) -> Iterator[dict[str, object]]:
    """Joint inference for several measures: simultaneous intervals and joint tests.

    The quantiles are simulated for every sample, so a quarter of the replicates is drawn.
    """
    replicates = max(replicates // 4, 1)
    population, rng = POPULATIONS[group.population], group.rng(seed)
    selected = [
        pauci.AUC(),
        pauci.PAUCc(fpr=(0, 0.1)),
        pauci.PAUC(fpr=(0, 0.33)),
        pauci.PAUCc(tpr=(0.8, 1)),
        pauci.AP(prevalence=0.5),
    ]
    true = [truth(population, m, 0.5) for m in selected]
    y = np.repeat([1, 0], (group.n_pos, group.n_neg))
    names = ("simultaneous intervals", "joint test", "max-t", "holm")
    wrong, warned = np.zeros((len(names), replicates), bool), np.zeros(replicates, bool)
    refused = 0
    for r in range(replicates):
        u, v = deviates(rng, y.size, group.correlation)
        scores = {
            name: population.scores(w[: group.n_pos], w[group.n_pos :])
            for name, w in (("a", u), ("b", v))
        }
        sample = pauci.Sample(y, scores, design="case-control")
        es, caught = caught_in(lambda s=sample: pauci.estimate(s, selected))
        cs, more = caught_in(lambda s=sample: pauci.compare(s, selected, adjust="max-t"))
        warned[r] = bool(caught or more)
        ends = es.simultaneous(LEVEL)
        wrong[0, r] = any(
            not i.low <= t <= i.high for i, t in zip(ends, [*true, *true], strict=True)
        )
        try:
            wrong[1, r] = cs.joint().pvalue < 1.0 - LEVEL
        except UndefinedError:  # too few degrees of freedom for the number of differences
            refused += 1
        wrong[2, r] = min(cs.p_adjusted) < 1.0 - LEVEL
        raw = np.sort([c.pvalue for c in cs])
        wrong[3, r] = raw[0] * len(raw) < 1.0 - LEVEL
    for name, w in zip(names, wrong, strict=True):
        rest = w[~warned]
        yield {
            "measure": name,
            "inside_pos": "",
            "inside_neg": "",
            "replicates": replicates,
            "undefined": refused if name == names[1] else 0,
            "coverage": short(100.0 * (1.0 - w.mean())),
            "rejected": short(100.0 * w.mean()) if name != names[0] else "",
            "warned": short(100.0 * warned.mean()),
            "unwarned_coverage": short(100.0 * (1.0 - rest.mean())) if rest.size else "",
            "unwarned_rejected": short(100.0 * rest.mean()) if rest.size else "",
        }


SIMULATIONS: dict[str, Callable[[Group], Simulation]] = {
    "estimates": estimates,
    "tests": tests,
    "clusters": clusters,
    "weights": weights,
}
"""By kind of group; joint inference is simulated by `family`."""

OF_DESIGN = ends.OF_DESIGN | procedures.OF_DESIGN
