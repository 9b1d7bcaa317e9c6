"""Simulation of a group of cells of the validation study, with a row of results per measure."""

import pickle
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

import pauci
from design import TESTED, Group, matched, measures, of_the_prevalence
from pauci.errors import (
    PauciWarning,
    UndefinedError,
    collected_warnings,
)
from pauci.measures.base import Measure
from populations import POPULATIONS, Population, binormal
from truth import inside, truth

LEVEL = 0.95
IN_ONE_CALL = 20_000
"""Rows times measures estimated in one call: this saves time, but covariances take time too."""

OF_THE_DESIGN = (
    "SamplingRatioWarning",
    "ReversedScoresWarning",
    "UnpairedWarning",
    "HardPredictionsWarning",
)
"""Warnings about the input or the design, and not about the accuracy of the result."""


class Tally:
    """Counts and values of one measure over the replicates."""

    def __init__(self, true: float) -> None:
        self.true = true
        self.n = self.undefined = self.warned = 0
        self.below = self.above = self.below_unwarned = self.above_unwarned = 0
        self.rejected = self.rejected_unwarned = 0
        self.width: list[float] = []
        self.values: list[float] = []
        self.variance = 0.0
        self.kinds: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self.covered: Counter[str] = Counter()

    def add(self, value, se, low, high, kind, caught) -> None:
        """Count one estimate."""
        self.n += 1
        self.values.append(value)
        self.variance += se * se
        self.width.append(high - low)
        self.kinds[kind] += 1
        below, above = self.true < low, self.true > high  # position of the true value
        self.below += below
        self.above += above
        if caught:
            self.warned += 1
            self.warnings.update(caught)
            self.covered.update(() if below or above else caught)
        else:
            self.below_unwarned += below
            self.above_unwarned += above

    def add_test(self, pvalue, caught) -> None:
        """Count the test that corresponds to an interval."""
        rejects = pvalue < 1.0 - LEVEL
        self.rejected += rejects
        self.rejected_unwarned += rejects and not caught

    def rejections(self) -> dict[str, object]:
        """Return the percentage of tests that reject, of all and of those without a warning."""
        unwarned = self.n - self.warned
        return {
            "rejected": _short(100.0 * self.rejected / max(self.n, 1)),
            "unwarned_rejected": _short(100.0 * self.rejected_unwarned / unwarned)
            if unwarned
            else "",
        }

    def row(self) -> dict[str, object]:
        """Return the results of the measure."""
        n, unwarned = max(self.n, 1), self.n - self.warned
        values = np.array(self.values)
        sd = float(values.std(ddof=1)) if self.n > 1 else np.nan
        missed = self.below_unwarned + self.above_unwarned
        return {
            "truth": _short(self.true),
            "replicates": self.n,
            "undefined": self.undefined,
            "coverage": _short(100.0 * (1.0 - (self.below + self.above) / n)),
            "truth_below": _short(100.0 * self.below / n),
            "truth_above": _short(100.0 * self.above / n),
            "bias_in_sd": _short((values.mean() - self.true) / sd) if sd > 0.0 else "",
            "se_to_sd": _short((self.variance / n) ** 0.5 / sd) if sd > 0.0 else "",
            "width": _short(float(np.mean(self.width))) if self.n else "",
            "median_width": _short(float(np.median(self.width))) if self.n else "",
            "warned": _short(100.0 * self.warned / n),
            "unwarned_coverage": _short(100.0 * (1.0 - missed / unwarned)) if unwarned else "",
            "warnings": self._fired(),
            "kind": self.kinds.most_common(1)[0][0] if self.kinds else "",
        }

    def _fired(self) -> str:
        """Return for each warning the number of samples with it, and of those that cover."""
        return " ".join(f"{k}:{n}:{self.covered[k]}" for k, n in sorted(self.warnings.items()))


def _short(value: float) -> str:
    return f"{value:.5g}"


def caught_in(work) -> tuple[object, list[str]]:
    """Return the result of a call, and the names of the warnings about its accuracy."""
    with collected_warnings() as caught:
        result = work()
    return result, names_of_warnings(caught)


def names_of_warnings(caught: Iterable[PauciWarning]) -> list[str]:
    """Return the names of the warnings about the accuracy of a result."""
    return sorted({type(w).__name__ for w in caught}.difference(OF_THE_DESIGN))


class Simulation(NamedTuple):
    """The simulation of a group."""

    sample: Callable[[np.random.Generator, list[Tally]], None]
    """Function that draws a sample and counts its results."""
    truths: list[float]
    labels: list[dict[str, object]]
    """Columns that describe the measure of each tally."""
    tested: bool = False


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
    simulation = SIMULATIONS[group.kind](group)
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


def sizes(group: Group, rng: np.random.Generator) -> tuple[int, int]:
    """Return the class sizes of a sample."""
    if group.design == "case-control":
        return group.n_pos, group.n_neg
    n, positives = group.n_pos + group.n_neg, 0
    while not 2 <= positives <= n - 2:
        positives = int(rng.binomial(n, group.n_pos / n))
    return positives, n - positives


def estimates(group: Group) -> Simulation:
    """Estimate every measure on the same samples."""
    population = POPULATIONS[group.population]
    cohort = group.design == "cohort"
    selected = (of_the_prevalence if cohort else measures)(population)
    prevalence = _share((group.n_pos, group.n_neg))

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        n_pos, n_neg = sizes(group, rng)
        y = np.repeat([1, 0], (n_pos, n_neg))
        drawn = pauci.Sample(y, population.draw(rng, n_pos, n_neg), design=group.design)
        estimate_all(drawn, selected, tallies)

    truths = [truth(population, m, prevalence) for m in selected]
    return Simulation(sample, truths, [of_measure(population, m, group) for m in selected])


def estimate_all(sample: pauci.Sample, selected: list[Measure], tallies: list[Tally]) -> None:
    """Count the interval of every measure, as if it were estimated alone.

    Estimating several measures in one call saves time; measures that were undefined in an earlier
    sample are estimated alone.
    """
    pairs = list(zip(selected, tallies, strict=True))
    sound = [(measure, tally) for measure, tally in pairs if not tally.undefined]
    size = max(IN_ONE_CALL // (sample.n_pos + sample.n_neg), 1)
    batches = [sound[i : i + size] for i in range(0, len(sound), size)]
    for batch in [*batches, *([pair] for pair in pairs if pair[1].undefined)]:
        try:
            estimate_in_one_call(sample, dict(batch))
        except UndefinedError:
            for measure, tally in batch:
                estimate_or_not(sample, measure, tally)


def estimate_or_not(sample: pauci.Sample, measure: Measure, tally: Tally) -> None:
    """Count the interval of one measure, which may be undefined."""
    try:
        estimate_in_one_call(sample, {measure: tally})
    except UndefinedError:
        tally.undefined += 1


def estimate_in_one_call(sample: pauci.Sample, tallies: dict[Measure, Tally]) -> None:
    """Count the intervals of several measures, and the warnings about each."""
    with collected_warnings() as caught:
        found = pauci.estimate(sample, list(tallies))
    of_all = [w for w in caught if w.measure not in tallies]
    for e, tally in zip(found, tallies.values(), strict=True):
        about_measure = [w for w in caught if w.measure == e.measure]
        low, high = e.interval(LEVEL)
        tally.add(
            e.value, e.se, low, high, e.kind_used(), names_of_warnings([*about_measure, *of_all])
        )


def of_measure(population: Population, measure: Measure, group: Group) -> dict[str, object]:
    """Return the name of the measure, and the expected numbers of observations in its region."""
    pos, neg = inside(population, measure)
    name = repr(measure)
    if getattr(measure, "threshold", None) is not None:
        name = name.replace(f"threshold={measure.threshold}", "threshold=cuts")
    return {
        "measure": name,
        "inside_pos": _short(pos * group.n_pos),
        "inside_neg": _short(neg * group.n_neg),
    }


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


def test_one(samples, measure: Measure, tally: Tally) -> None:
    """Count one test."""
    try:
        independent = isinstance(samples, list)
        c, caught = caught_in(lambda: pauci.compare(samples, measure, independent=independent))
    except UndefinedError:
        tally.undefined += 1
        return
    low, high = c.interval(LEVEL)
    tally.add(c.difference, c.se, low, high, c.kind_used(), caught)
    tally.add_test(c.pvalue, caught)


def _share(n: tuple[int, int]) -> float:
    """Return the proportion of positives."""
    return n[0] / sum(n)


def _second(group: Group, measure: Measure, prevalence: float) -> Population | None:
    """Return the population of the second classifier."""
    if group.second.startswith("sd "):
        return matched(measure, float(group.second[3:]), prevalence)
    return BETTER if group.second == "better" else POPULATIONS[group.population]


BETTER = binormal(2.0, 1.0, "better")


def deviates(rng: np.random.Generator, n: int, correlation: float) -> np.ndarray:
    """Return two rows of uniform numbers whose normal deviates have this correlation."""
    z = rng.standard_normal((2, n))
    z[1] = correlation * z[0] + (1.0 - correlation**2) ** 0.5 * z[1]
    return ndtr(z)


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
            "coverage": _short(100.0 * (1.0 - w.mean())),
            "rejected": _short(100.0 * w.mean()) if name != names[0] else "",
            "warned": _short(100.0 * warned.mean()),
            "unwarned_coverage": _short(100.0 * (1.0 - rest.mean())) if rest.size else "",
            "unwarned_rejected": _short(100.0 * rest.mean()) if rest.size else "",
        }


SIMULATIONS: dict[str, Callable[[Group], Simulation]] = {
    "estimates": estimates,
    "tests": tests,
    "clusters": clusters,
    "weights": weights,
}
"""By kind of group; joint inference is simulated by `family`."""
