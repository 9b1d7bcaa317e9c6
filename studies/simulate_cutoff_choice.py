"""Simulation of cut-offs that are chosen from the data.

The interval or set of a cut-off is compared with the cut-off of the rule in the population, the
honest and apparent rates with the rates of the chosen cut-off in the population. Run by
studies/evidence.py.
"""

import csv
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import ndtr

import pauci
from evidence_tables import FOLDER, Table, number, quiet

FEWEST = 4
"""Samples with fewer rows of a class are drawn again."""

CORRELATION = 0.5
"""Correlation of the normal scores of the rows of a cluster."""

PER_CLUSTER = 4


class Mixture:
    """The scores of two kinds of positives, in equal numbers."""

    first, second = stats.norm(0.3, 1.0), stats.norm(3.0, 0.6)

    def sf(self, x: Any) -> Any:
        """Return the probability of larger scores."""
        return 0.5 * (self.first.sf(x) + self.second.sf(x))

    @functools.cached_property
    def _grid(self) -> tuple[np.ndarray, np.ndarray]:
        x = np.linspace(-7.0, 8.0, 60_001)
        return 1.0 - self.sf(x), x

    def ppf(self, u: np.ndarray) -> np.ndarray:
        """Return quantiles."""
        return np.interp(u, *self._grid)


class Population(NamedTuple):
    """Distributions of the scores of both classes, and the prevalence."""

    name: str
    pos: Any
    neg: Any
    prevalence: float
    is_discrete: bool = False

    @property
    def cutoffs(self) -> np.ndarray:
        """Cut-offs on a fine grid, or all of a discrete scale."""
        if self.is_discrete:
            return np.arange(0.0, 60.0)
        u = np.linspace(0.0, 1.0, 20_001)[1:-1]
        return np.unique(np.r_[self.pos.ppf(u), self.neg.ppf(u)])

    def rates(self, cutoff: Any) -> tuple[Any, Any]:
        """Return sensitivity and specificity of the rule score >= cutoff."""
        at = np.ceil(cutoff) - 1.0 if self.is_discrete else cutoff
        return self.pos.sf(at), 1.0 - self.neg.sf(at)

    def draw(self, rng: np.random.Generator, n: int, *, clustered: bool) -> pauci.Sample:
        """Return a cohort of n rows."""
        while True:
            label = rng.random(n) < self.prevalence
            if FEWEST <= label.sum() <= n - FEWEST:
                break
        z, cluster = rng.standard_normal(n), None
        if clustered:
            cluster = np.arange(n) // PER_CLUSTER
            shared = rng.standard_normal(n)[cluster]
            z = math.sqrt(CORRELATION) * shared + math.sqrt(1.0 - CORRELATION) * z
        u = ndtr(z)
        return pauci.Sample(
            label, np.where(label, self.pos.ppf(u), self.neg.ppf(u)), cluster=cluster
        )


POPULATIONS = (
    Population("gamma", stats.gamma(4.0), stats.gamma(2.0), 0.35),
    Population("wide positives", stats.norm(1.3, 2.0), stats.norm(), 0.35),
    Population("two kinds of positives", Mixture(), stats.t(5), 0.2),
    Population("counts", stats.nbinom(3, 3.0 / 8.0), stats.poisson(2.0), 0.5, True),
    Population("weak marker", stats.logistic(0.8), stats.logistic(), 0.35),
)
SIZES = (40, 100, 200, 1000)

Best = Callable[[Population], np.ndarray]
"""Returns the cut-offs of a rule in the population; several if they are equally good."""


def _largest(criterion: Callable[[Any, Any, float], Any]) -> Best:
    def best(population: Population) -> np.ndarray:
        cutoffs = population.cutoffs
        with np.errstate(divide="ignore", invalid="ignore"):
            values = criterion(*population.rates(cutoffs), population.prevalence)
        return np.asarray(cutoffs[values >= np.nanmax(values) - 1e-12])

    return best


def _at_specificity(population: Population) -> np.ndarray:
    _, specificity = population.rates(population.cutoffs)
    return population.cutoffs[specificity >= 0.9][:1]


def _at_sensitivity(population: Population) -> np.ndarray:
    sensitivity, _ = population.rates(population.cutoffs)
    return population.cutoffs[sensitivity >= 0.9][-1:]


def _mcc(y: Any, spec: Any, p: float) -> Any:
    called = p * y + (1.0 - p) * (1.0 - spec)
    return math.sqrt(p * (1.0 - p)) * (y + spec - 1.0) / np.sqrt(called * (1.0 - called))


class Rule(NamedTuple):
    """The arguments of a rule, and its cut-offs in the population."""

    name: str
    arguments: dict[str, Any]
    best: tuple[Best, ...]
    clustered: bool = False


_YOUDEN = _largest(lambda y, spec, _: y + spec)
RULES = (
    Rule("Youden", {"maximize": pauci.Youden}, (_YOUDEN,)),
    Rule("specificity 0.9", {"specificity": 0.9}, (_at_specificity,)),
    Rule(
        "cost ratio 5, prevalence 0.1",
        {"cost": (5.0, 0.1)},
        (_largest(lambda y, spec, _: 0.5 * y + 0.9 * spec),),
    ),
    Rule("equal rates", {"equal": True}, (_largest(lambda y, spec, _: -abs(y - spec)),)),
    Rule(
        "uncertain zone, 0.9 and 0.9",
        {"rule_in": 0.9, "rule_out": 0.9},
        (_at_specificity, _at_sensitivity),
    ),
    Rule("MCC", {"maximize": pauci.MCC}, (_largest(_mcc),)),
    Rule("Youden, clusters", {"maximize": pauci.Youden}, (_YOUDEN,), True),
    Rule("specificity 0.9, clusters", {"specificity": 0.9}, (_at_specificity,), True),
)
NAMES = ("cut-off", "honest sensitivity", "honest specificity")
APPARENT = ("apparent sensitivity", "apparent specificity")
OPTIMISM = ("apparent error", "honest error")


class Case(NamedTuple):
    """A rule in samples of a population."""

    rule: Rule
    population: Population
    n: int

    @property
    def seed(self) -> list[int]:
        """The seed of the samples."""
        return [940, RULES.index(self.rule), POPULATIONS.index(self.population), self.n]


CASES = tuple(Case(r, p, n) for r in RULES for p in POPULATIONS for n in SIZES)
PART_OF_CASES = tuple(
    case
    for case in CASES
    if (case.rule.name, case.population.name)
    in (("Youden", "counts"), ("specificity 0.9", "gamma"))
)


def cutoff_choice(replicates: int = 200, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return the table `cutoff-choice`: coverage of 95% intervals, and errors of the rates."""
    header = ["rule", "scores", "n", *NAMES, *APPARENT, *OPTIMISM, "undefined"]
    return {"cutoff-choice": [header, *(_row(case, replicates) for case in cases)]}


def _row(case: Case, replicates: int) -> list[str]:
    rng = np.random.default_rng(case.seed)
    rule, population = case.rule, case.population
    best = [of(population) for of in rule.best]
    hits, errors, defined = np.zeros(5), np.zeros(2), 0
    with quiet():
        for _ in range(replicates):
            sample = population.draw(rng, case.n, clustered=rule.clustered)
            try:
                found = pauci.cutoff(sample, **rule.arguments, rng=1)
            except pauci.UndefinedError:
                continue
            defined += 1
            pair = (
                (found.upper, found.lower) if isinstance(found, pauci.UncertainZone) else (found,)
            )
            hits += _hits(pair, best, population)
            errors += _errors(pair, population)
    shares = 100.0 * hits / max(defined, 1)
    cells = [*shares, *(100.0 * errors / max(defined, 1)), 100.0 * (1 - defined / replicates)]
    return [rule.name, population.name, str(case.n), *map(number, cells)]


def _hits(
    pair: Sequence[pauci.Cutoff], best: Sequence[np.ndarray], population: Population
) -> np.ndarray:
    """Return which intervals hold their targets.

    For an uncertain zone this is the mean of both cut-offs. The sensitivity is that of the lower
    cut-off, the specificity that of the upper one.
    """
    held = np.mean([_in(k.interval(), targets) for k, targets in zip(pair, best, strict=True)])
    upper, lower = pair[0], pair[-1]
    sensitivity, specificity = population.rates(lower.value)[0], population.rates(upper.value)[1]
    covered = [held]
    for which in ("honest", "apparent"):
        rates = getattr(lower, which).sensitivity, getattr(upper, which).specificity
        for rate, true in zip(rates, (sensitivity, specificity), strict=True):
            low, high = rate.interval()
            covered.append(low <= true <= high)
    return np.array(covered, float)


def _in(interval: pauci.Interval, targets: np.ndarray) -> bool:
    return bool(((targets >= interval.low) & (targets <= interval.high)).any())


def _errors(pair: Sequence[pauci.Cutoff], population: Population) -> np.ndarray:
    """Return the mean errors of the two rates, apparent and honest."""
    upper, lower = pair[0], pair[-1]
    true = population.rates(lower.value)[0] + population.rates(upper.value)[1]
    return np.array(
        [
            (
                getattr(lower, which).sensitivity.value
                + getattr(upper, which).specificity.value
                - true
            )
            / 2.0
            for which in ("apparent", "honest")
        ]
    )


def cutoff_summary() -> dict[str, Table]:
    """Return the table `cutoff-summary`: means and smallest values over the populations."""
    with (FOLDER / "cutoff-choice.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = (*NAMES, *APPARENT)
    header = ["rule", "n", *names, *OPTIMISM]
    table: Table = [header]
    for rule in RULES:
        for n in SIZES:
            of = [r for r in rows if r["rule"] == rule.name and r["n"] == str(n)]
            cells = [
                f"{number(np.mean([float(r[c]) for r in of]))} "
                f"({number(min(float(r[c]) for r in of))})"
                for c in names
            ]
            errors = [number(float(np.mean([float(r[c]) for r in of]))) for c in OPTIMISM]
            table.append([rule.name, str(n), *cells, *errors])
    return {"cutoff-summary": table}
