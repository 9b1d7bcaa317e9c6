"""Design of the validation study: populations, sizes, measures and sampling designs.

A `Group` is simulated by one task, with all measures on the same samples. Its seed depends on its
name, so that results do not depend on which other groups are run, or in which order. The part
"crossed" has 864 groups; 518 of them are the 37 populations with classes of each of the 14 sizes.
The other parts have one kind of sampling design each, and populations that are difficult for
measures with estimated ends of their region.
"""

import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import optimize

import pauci
from pauci.measures.base import Measure
from populations import CROSSED, DIFFICULT, POPULATIONS, Population, binormal
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
    """Return all measures with an interval, for all regions."""
    p = pauci
    regions = [*REGIONS, {"threshold": population.cuts}]
    top, high, middle, scores = (
        {"fpr": (0, 0.1)},
        {"tpr": (0.8, 1)},
        {"tpr": (0.4, 0.7)},
        regions[-1],
    )
    return [
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
        p.AP(prevalence=0.1),
        p.AP(prevalence=0.5),
        p.AUK(prevalence=0.1),
    ]


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
        ``"case-control"``: the sizes are fixed; ``"cohort"``: the number of positives is binomial;
        clusters, weights or folds (`designed_samples`), with fixed sizes; readers, groups or scans
        (`ends`); or another procedure, such as ``"bands"`` or ``"bootstrap"`` (`procedures`).
    second : str
        The second classifier: ``"same"`` (the same curve), ``"sd 0.5"`` (a binormal curve with
        another standard deviation of the positives and the same value of the measure),
        ``"better"`` (a larger AUC), ``"shifted"`` (a TPR that is larger by a constant on the normal
        scale) or ``"independent"`` (the same curve, independent samples).
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
        cost = 2.5 if few else _COSTS_OF_DESIGNS.get(self.design, _COSTS[self.kind])
        return cost + 0.001 * (self.n_pos + self.n_neg)


_COSTS = {"estimates": 16.0, "tests": 13.0, "clusters": 6.0, "weights": 7.0, "family": 15.0}
_COSTS_OF_DESIGNS = {
    "clusters of 4-5": 40.0,
    "unequal clusters": 60.0,
    "weights 0.7-1.3": 40.0,
    "weights 10:1": 40.0,
    "verification": 40.0,
    "folds": 100.0,
    "fixed readers": 70.0,
    "3 groups": 120.0,
    "6 groups": 170.0,
    "scan": 80.0,
    "bands": 250.0,
    "permutation": 30.0,
    "bootstrap": 150.0,
    "bootstrap of clusters": 300.0,
    "4 classifiers": 350.0,
}
"""Of designs that take another time than independent rows."""


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


def crossed() -> list[Group]:
    """Return populations by sizes in the order in which they are run, the most important first."""
    found = []
    for n in SIZES:
        found += [Group("estimates", p, *n) for p in CROSSED]
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


# Parts of one design each

NON_INFERIORITY = "non-inferiority"
DETAILS = ("ends", NON_INFERIORITY)
"""Details of groups of independent rows whose measures are those of the other designs."""

ENDS_SIZES = ((40, 40), (60, 120), (100, 300))
ENDS_OF = (
    "binormal",
    "narrow mode at FPR .1",
    "gaps at TPR .4, .8",
    "comb",
    "rare outliers of negatives",
)
"""Populations of the designs other than independent rows."""

TESTS_OF = (
    *ENDS_OF,
    "gamma",
    "outliers of negatives",
    "narrow modes at FPR .07, .21",
    "outliers of positives",
    "inverted at the start",
    "80% tied at the highest score",
    "Poisson",
)
"""Populations of paired tests."""

REGULAR = (
    "binormal",
    "binormal, positives narrow",
    "binormal, positives wide",
    "gamma",
    "lognormal",
    "logistic",
    "beta",
    "t3",
    "Weibull",
    "Laplace",
    "calibrated risks",
)
"""Populations with a smooth curve and an AUC well below 1."""

UNEQUAL_SHARES = ("8 effective clusters", "11 effective clusters")


def _of(
    design: str, populations, sizes, detail: str = "", seconds=("same", "shifted")
) -> list[Group]:
    """Return the intervals of a design, and the tests under both hypotheses."""
    found = [
        Group("estimates", p, *n, design=design, detail=detail) for n in sizes for p in populations
    ]
    return found + [
        Group("tests", p, *n, design=design, second=second, correlation=0.5, detail=detail)
        for n in sizes
        for p in populations
        for second in seconds
    ]


def _differences(detail: str, populations, sizes, correlation: float = 0.5) -> list[Group]:
    """Return paired tests under both hypotheses."""
    return [
        Group("tests", p, *n, second=second, correlation=correlation, detail=detail)
        for n in sizes
        for p in populations
        for second in ("same", "shifted")
    ]


@cache
def parts() -> dict[str, list[Group]]:
    """Return the groups of each part of the study."""
    two = ("binormal", "gaps at TPR .4, .8")
    audited = ("binormal", "rare outliers of negatives", "80% tied at the highest score")
    return {
        "crossed": crossed(),
        "ends": [
            Group("estimates", p, *n, detail="ends")
            for n in ENDS_SIZES
            for p in ("binormal", "outliers of negatives", *DIFFICULT)
        ],
        "differences": [
            *_differences("ends", ENDS_OF, ((40, 40),)),
            *_differences("ends", TESTS_OF, ((100, 200),)),
            *_differences("ends", ("binormal",), ((70, 70),)),
            *_differences("ends", ("binormal",), ((100, 100),), correlation=0.8),
        ],
        "non-inferiority": _differences(
            NON_INFERIORITY, ("binormal", "gamma", *ENDS_OF[1:3]), ((40, 40), (100, 200))
        ),
        "clusters": _of("clusters of 4-5", ENDS_OF[:4], ((80, 160), (150, 300))),
        "unequal clusters": [
            g for d in UNEQUAL_SHARES for g in _of("unequal clusters", ENDS_OF[:3], ((80, 160),), d)
        ],
        "weights": [
            g
            for design in ("weights 0.7-1.3", "weights 10:1")
            for g in _of(design, ENDS_OF[:4], ((60, 120), (100, 300)), seconds=("same",))
        ],
        "verification": _of(
            "verification", ENDS_OF[:4], ((60, 240), (200, 800)), seconds=("same",)
        ),
        "folds": _of("folds", ENDS_OF[:4], ((100, 200),), seconds=("same",)),
        "readers": _of("fixed readers", ENDS_OF[:4], ((40, 80),)),
        "groups": [
            Group("tests", p, 40, 80, design=design, second=second)
            for design in ("3 groups", "6 groups")
            for p in ENDS_OF[:4]
            for second in ("same", "shifted")
        ],
        "scans": _of("scan", ENDS_OF, ((60, 120),)),
        "bands": _of("bands", audited, ((40, 80),), seconds=("same",)),
        "permutation": _of_tests("permutation", audited, ((25, 25), (60, 120))),
        "bootstrap": _of("bootstrap", audited[:2], ((20, 40), (60, 120))),
        "bootstrap of clusters": _of("bootstrap of clusters", two, ((80, 160),)),
        "families": [
            Group("tests", p, *n, design="4 classifiers", second="same", correlation=0.5)
            for p in ("binormal", "comb")
            for n in ((20, 20), (60, 120))
        ],
    }


def _of_tests(design: str, populations, sizes) -> list[Group]:
    return [g for g in _of(design, populations, sizes) if g.kind == "tests"]


def groups() -> list[Group]:
    """Return all groups, those of the part "crossed" first."""
    return [g for part in parts().values() for g in part]


def reduced() -> list[Group]:
    """Return a part of the groups that takes a few minutes: some of each part."""
    sizes, names = ((20, 20), (50, 500), (300, 30)), ("binormal", "gamma", "AUC .98", "ordinal, 5")
    chosen = [
        g
        for g in crossed()
        if (g.n_pos, g.n_neg) in sizes
        and g.population in names
        and g.design == "case-control"
        and (g.kind == "estimates" or (g.kind == "tests" and g.correlation == 0.5))
    ]
    return chosen + [g for part in list(parts().values())[1:] for g in _first_of_each(part)]


def _first_of_each(part: list[Group]) -> list[Group]:
    """Return the first group of each kind, design, detail and second classifier."""
    found: dict[tuple[str, ...], Group] = {}
    for g in part:
        found.setdefault((g.kind, g.design, g.detail, g.second), g)
    return list(found.values())
