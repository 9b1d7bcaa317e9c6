"""The cells of the validation study: which populations, sizes, measures and designs are simulated.

A `Group` is what one task simulates: every measure on the same samples. Its seed comes from its
name, so that no cell depends on which others are run, or in what order.
"""

import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import optimize

import pauci
from pauci.measures.base import Measure
from populations import POPULATIONS, Population, binormal
from truth import truth

SIZES = (
    (10, 40), (20, 20), (20, 200), (50, 50), (50, 500), (30, 3000), (300, 30), (200, 200),
    (500, 5000), (25, 5000), (35, 35), (40, 400), (150, 1500), (1000, 100),
)  # fmt: skip

FAMILY_SIZES = ((20, 20), (50, 500), (200, 200))
"""Sizes at which several intervals and tests at once are simulated: their quantiles take long."""

REGIONS: tuple[dict[str, tuple[float, float]], ...] = (
    {"fpr": (0, 0.05)}, {"fpr": (0, 0.1)}, {"fpr": (0, 0.33)}, {"fpr": (0.2, 0.25)},
    {"fpr": (0.33, 0.66)}, {"tpr": (0.8, 1)}, {"tpr": (0.4, 0.7)},
    {"fpr": (0, 0.33), "tpr": (0.4, 1)},
)  # fmt: skip


def measures(population: Population) -> list[Measure]:
    """Return every measure with a standard error, over the regions."""
    p = pauci
    regions = [*REGIONS, {"threshold": population.cuts}]
    top, high, middle, scores = (
        {"fpr": (0, 0.1)},
        {"tpr": (0.8, 1)},
        {"tpr": (0.4, 0.7)},
        regions[-1],
    )
    found = [
        p.AUC(),
        *(p.PAUCc(**r) for r in regions),
        *(p.PAUC(**r) for r in regions if r not in (REGIONS[0], REGIONS[7], high)),
        *(p.PAUCx(**r) for r in (top, high, middle)),
        *(p.PAUCc(**r, normalized=True) for r in (top, high, scores)),
        p.PAUC(**middle, normalized=True), p.PAUCx(**top, normalized=True),
        *(p.LocalC(**r) for r in ({"fpr": (0, 0.33)}, {"fpr": (0.33, 0.66)}, middle, scores)),
        p.SPA(**top),
        p.Sensitivity(fpr=0.1), p.Sensitivity(fpr=0.33),
        p.Specificity(tpr=0.9), p.Specificity(tpr=0.7),
        p.PAUCc(**top) / p.AUC(), p.PAUC(fpr=(0, 0.05)) / p.PAUC(fpr=(0, 0.33)),
        p.AP(), p.AP(corrected=True), p.AP(negatives=True), p.AUK(), p.MaxKappa(), p.InitialTPR(),
        p.AP(prevalence=0.1), p.AP(prevalence=0.5), p.AUK(prevalence=0.1),
    ]  # fmt: skip
    # Where the AUC is 1/2 the initial TPR divides by 0.
    return [m for m in found if population.name != "AUC .5" or not isinstance(m, p.InitialTPR)]


def of_the_prevalence(population: Population) -> list[Measure]:
    """Return the measures that hang on the sample's prevalence."""
    return [m for m in measures(population) if m.uses_sample_prevalence]


TESTED: tuple[Measure, ...] = (
    pauci.AUC(), pauci.PAUCc(fpr=(0, 0.1)), pauci.PAUC(fpr=(0, 0.1)), pauci.PAUCc(fpr=(0, 0.33)),
    pauci.PAUCc(fpr=(0.33, 0.66)), pauci.PAUCc(tpr=(0.8, 1)), pauci.PAUCx(tpr=(0.8, 1)),
    pauci.PAUCc(fpr=(0, 0.33), tpr=(0.4, 1)), pauci.Sensitivity(fpr=0.1), pauci.AP(), pauci.AUK(),
)  # fmt: skip
"""Measures whose tests are simulated."""


@dataclass(frozen=True)
class Group:
    """Samples that one task draws, and what is asked of them.

    Parameters
    ----------
    kind : str
        ``"estimates"``, ``"tests"``, ``"clusters"``, ``"weights"``, ``"family"``.
    population : str
        Of the scores; of the first classifier.
    n_pos, n_neg : int
        Sizes; of clustered samples the expected ones.
    design : str
        ``"case-control"``: the numbers are fixed; ``"cohort"``: positives are a binomial number.
    second : str
        The second classifier: ``"same"``, ``"sd 0.5"`` (binormal, of equal measure with another
        standard deviation of the positives), ``"better"`` (of another AUC).
    correlation : float
        Of the normal deviates behind the scores of two classifiers, within each class.
    detail : str
        What else there is to say.
    """

    kind: str
    population: str
    n_pos: int
    n_neg: int
    design: str = "case-control"
    second: str = ""
    correlation: float = 0.0
    detail: str = ""

    @property
    def name(self) -> str:
        """Return what tells it from others."""
        parts = (self.kind, self.population, self.n_pos, self.n_neg, self.design, self.second,
                 self.correlation, self.detail)  # fmt: skip
        return "|".join(map(str, parts))

    def rng(self, seed: int) -> np.random.Generator:
        """Return the generator of its samples."""
        return np.random.default_rng([seed, zlib.crc32(self.name.encode())])

    @property
    def cost(self) -> float:
        """Return about how long a replicate takes, in milliseconds."""
        few = self.kind == "estimates" and self.design == "cohort"
        return (2.5 if few else _COSTS[self.kind]) + 0.001 * (self.n_pos + self.n_neg)


_COSTS = {"estimates": 16.0, "tests": 13.0, "clusters": 6.0, "weights": 7.0, "family": 15.0}


SHAPES = (0.4, 0.6, 2.0)
"""Standard deviations of the positives of curves that are unlike the binormal one."""


@cache
def matched(measure: Measure, sd: float, prevalence: float) -> Population | None:
    """Return a binormal curve of another standard deviation with the measure of the first.

    None if no such curve has it.
    """
    target = truth(POPULATIONS["binormal"], measure, prevalence)

    def excess(mean: float) -> float:
        return truth(binormal(mean, sd, "candidate"), measure, prevalence) - target

    # A middle part may have its value at two AUCs; the one that is more like the first is taken.
    means = np.linspace(6.0, 0.0, 25)
    above = np.sign([excess(mean) for mean in means])
    changes = np.flatnonzero(above[1:] != above[:-1])
    if not changes.size:
        return None
    change = changes[0]
    mean = optimize.brentq(excess, means[change + 1], means[change], xtol=1e-10)
    return binormal(mean, sd, f"sd {sd:g}")


FIRST_POPULATIONS = ("binormal", "gamma", "t3", "ordinal, 5", "AUC .98", "AUC .995")


def groups() -> list[Group]:
    """Return the whole study, in the order in which it is run: the widest view comes first."""
    found = []
    for n in SIZES:
        found += [Group("estimates", p, *n) for p in POPULATIONS]
        found += [
            Group("estimates", p, *n, design="cohort")
            for p in ("binormal", "gamma", "ordinal, 5", "AUC .98")
        ]
        found += [
            Group("tests", p, *n, second="same", correlation=r)
            for p, each in (
                ("binormal", (0.0, 0.5, 0.9)), ("AUC .98", (0.0, 0.5, 0.9)), ("gamma", (0.5,)),
                ("ordinal, 5", (0.5,)), ("t3, AUC .964", (0.5,)), ("limit of detection", (0.5,)),
            )
            for r in each
        ]  # fmt: skip
        found += [
            Group("tests", "binormal", *n, second=f"sd {sd:g}", correlation=0.5) for sd in SHAPES
        ]
        found += [
            *(
                Group("tests", p, *n, second="independent")
                for p in ("binormal", "t3, AUC .964", "limit of detection")
            ),
            Group("tests", "binormal", *n, second="independent", detail="against 500/500"),
            Group("tests", "binormal", *n, second="better", correlation=0.5),
        ]
        found += [Group("weights", p, *n) for p in ("binormal", "gamma")]
    for few in (3, 6, 12, 30):
        for clusters in (20, 60):
            if few < clusters:
                found.append(Group("clusters", "binormal", few, clusters, detail="unequal sizes"))
    found += [Group("family", "binormal", *n, correlation=0.5) for n in FAMILY_SIZES]
    return sorted(found, key=_turn)


def _turn(group: Group) -> int:
    """Return in which turn a group is run."""
    if group.kind in ("clusters", "family"):
        return 1
    if group.kind == "tests":
        return 1 if group.correlation == 0.5 or group.detail else 2
    cohort = group.kind == "estimates" and group.design == "cohort"
    if cohort or group.kind == "weights" or group.population not in FIRST_POPULATIONS:
        return 3
    return 0


def reduced() -> list[Group]:
    """Return the part that takes minutes."""
    sizes, names = ((20, 20), (50, 500), (300, 30)), ("binormal", "gamma", "AUC .98", "ordinal, 5")
    return [
        g
        for g in groups()
        if (g.n_pos, g.n_neg) in sizes
        and g.population in names
        and g.design == "case-control"
        and (g.kind == "estimates" or (g.kind == "tests" and g.correlation == 0.5))
    ]
