"""Design of the validation study: populations, sizes, measures and sampling designs.

A `Group` is simulated by one task, with all measures on the same samples. Its seed depends on its
name, so that results do not depend on which other groups are run, or in which order. There are 864
groups; 518 of them are the 37 populations with classes of each of the 14 sizes.
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
    (10, 40),
    (20, 20),
    (20, 200),
    (50, 50),
    (50, 500),
    (30, 3000),
    (300, 30),
    (200, 200),
    (500, 5000),
    (25, 5000),
    (35, 35),
    (40, 400),
    (150, 1500),
    (1000, 100),
)

FAMILY_SIZES = ((20, 20), (50, 500), (200, 200))
"""Sizes for joint inference, which is slow because its quantiles are simulated."""

REGIONS: tuple[dict[str, tuple[float, float]], ...] = (
    {"fpr": (0, 0.05)},
    {"fpr": (0, 0.1)},
    {"fpr": (0, 0.33)},
    {"fpr": (0.2, 0.25)},
    {"fpr": (0.33, 0.66)},
    {"tpr": (0.8, 1)},
    {"tpr": (0.4, 0.7)},
    {"fpr": (0, 0.33), "tpr": (0.4, 1)},
)


def measures(population: Population) -> list[Measure]:
    """Return all measures with a standard error, for all regions."""
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
        p.PAUC(**middle, normalized=True),
        p.PAUCx(**top, normalized=True),
        *(p.LocalC(**r) for r in ({"fpr": (0, 0.33)}, {"fpr": (0.33, 0.66)}, middle, scores)),
        p.SPA(**top),
        p.Sensitivity(fpr=0.1),
        p.Sensitivity(fpr=0.33),
        p.Specificity(tpr=0.9),
        p.Specificity(tpr=0.7),
        p.PAUCc(**top) / p.AUC(),
        p.PAUC(fpr=(0, 0.05)) / p.PAUC(fpr=(0, 0.33)),
        p.AP(),
        p.AP(corrected=True),
        p.AP(negatives=True),
        p.AUK(),
        p.MaxKappa(),
        p.InitialTPR(),
        p.AP(prevalence=0.1),
        p.AP(prevalence=0.5),
        p.AUK(prevalence=0.1),
    ]
    # If the AUC is 1/2 the initial TPR is undefined.
    return [m for m in found if population.name != "AUC .5" or not isinstance(m, p.InitialTPR)]


def of_the_prevalence(population: Population) -> list[Measure]:
    """Return the measures that depend on the prevalence of the sample."""
    return [m for m in measures(population) if m.uses_sample_prevalence]


TESTED: tuple[Measure, ...] = (
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.1)),
    pauci.PAUC(fpr=(0, 0.1)),
    pauci.PAUCc(fpr=(0, 0.33)),
    pauci.PAUCc(fpr=(0.33, 0.66)),
    pauci.PAUCc(tpr=(0.8, 1)),
    pauci.PAUCx(tpr=(0.8, 1)),
    pauci.PAUCc(fpr=(0, 0.33), tpr=(0.4, 1)),
    pauci.Sensitivity(fpr=0.1),
    pauci.AP(),
    pauci.AUK(),
)
"""Measures whose tests are simulated."""


@dataclass(frozen=True)
class Group:
    """The samples drawn by one task, and the analyses of these samples.

    Parameters
    ----------
    kind : str
        ``"estimates"``, ``"tests"``, ``"clusters"``, ``"weights"``, ``"family"``.
    population : str
        Population of the scores; of the first classifier if there are two.
    n_pos, n_neg : int
        Sizes of the classes; numbers of clusters with positives, and of all clusters.
    design : str
        ``"case-control"``: the sizes are fixed; ``"cohort"``: the number of positives is binomial.
    second : str
        The second classifier: ``"same"`` (the same curve), ``"sd 0.5"`` (a binormal curve with
        another standard deviation of the positives and the same value of the measure),
        ``"better"`` (a larger AUC) or ``"independent"`` (the same curve, independent samples).
    correlation : float
        Correlation, within each class, of the normal deviates of the scores of two classifiers.
    detail : str
        Other properties of the group.
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
        """Return the name that identifies the group."""
        parts = (
            self.kind,
            self.population,
            self.n_pos,
            self.n_neg,
            self.design,
            self.second,
            self.correlation,
            self.detail,
        )
        return "|".join(map(str, parts))

    def rng(self, seed: int) -> np.random.Generator:
        """Return the random number generator of the samples."""
        return np.random.default_rng([seed, zlib.crc32(self.name.encode())])

    @property
    def cost(self) -> float:
        """Return the approximate time of a replicate in milliseconds."""
        few = self.kind == "estimates" and self.design == "cohort"
        return (2.5 if few else _COSTS[self.kind]) + 0.001 * (self.n_pos + self.n_neg)


_COSTS = {"estimates": 16.0, "tests": 13.0, "clusters": 6.0, "weights": 7.0, "family": 15.0}


SHAPES = (0.4, 0.6, 2.0)
"""Standard deviations of the positives of curves that differ from the first one."""


@cache
def matched(measure: Measure, sd: float, prevalence: float) -> Population | None:
    """Return a binormal curve with another standard deviation and the same value of the measure.

    The result is None if there is no such curve.
    """
    target = truth(POPULATIONS["binormal"], measure, prevalence)

    def excess(mean: float) -> float:
        return truth(binormal(mean, sd, "candidate"), measure, prevalence) - target

    # For a region in the middle there may be two solutions; that with the larger AUC is used.
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
    """Return all groups in the order in which they are run, the most important first."""
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
                ("binormal", (0.0, 0.5, 0.9)),
                ("AUC .98", (0.0, 0.5, 0.9)),
                ("gamma", (0.5,)),
                ("ordinal, 5", (0.5,)),
                ("t3, AUC .964", (0.5,)),
                ("limit of detection", (0.5,)),
            )
            for r in each
        ]
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
    """Return the priority of a group; groups with small numbers are run first."""
    if group.kind in ("clusters", "family"):
        return 1
    if group.kind == "tests":
        return 1 if group.correlation == 0.5 or group.detail else 2
    cohort = group.kind == "estimates" and group.design == "cohort"
    if cohort or group.kind == "weights" or group.population not in FIRST_POPULATIONS:
        return 3
    return 0


def reduced() -> list[Group]:
    """Return a part of the groups that takes a few minutes."""
    sizes, names = ((20, 20), (50, 500), (300, 30)), ("binormal", "gamma", "AUC .98", "ordinal, 5")
    return [
        g
        for g in groups()
        if (g.n_pos, g.n_neg) in sizes
        and g.population in names
        and g.design == "case-control"
        and (g.kind == "estimates" or (g.kind == "tests" and g.correlation == 0.5))
    ]
