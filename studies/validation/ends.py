"""Cells of measures with estimated ends of their region, in every sampling design."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import ndtr

import pauci
from design import NON_INFERIORITY, Group
from designed_samples import SCREENED, drawn
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from populations import POPULATIONS, Population, improved
from tally import (
    LEVEL,
    Simulation,
    Tally,
    add_difference,
    caught_in,
    estimate_all,
    of_measure,
    short,
    test_one,
)
from truth import truth

SHIFT = 0.5
"""Increase of the TPR of the second classifier under the alternative, on the normal scale."""

FEW = (
    pauci.AUC(),
    pauci.Sensitivity(fpr=0.1),
    pauci.Specificity(tpr=0.8),
    pauci.PAUCc(fpr=(0, 0.1)),
    pauci.PAUCc(tpr=(0.8, 1)),
    pauci.PAUCx(fpr=(0, 0.2)),
)
"""Measures of all designs: with none, and with one estimated end."""

MORE = (
    pauci.Specificity(tpr=0.95),
    pauci.PAUC(tpr=(0, 0.4)),
    pauci.PAUCc(fpr=(0.07, 0.21)),
    pauci.PAUCx(fpr=(0.1, 0.4)),
)
"""More measures of paired differences: with one, and with two estimated ends."""

FURTHER = (
    pauci.PAUC(fpr=(0, 0.1)),
    pauci.PAUC(tpr=(0.4, 0.7)),
    pauci.LocalC(fpr=(0.1, 0.4)),
    pauci.PAUC(fpr=(0, 0.1)) / pauci.AUC(),
    pauci.AP(prevalence=0.5),
)
"""Further measures of intervals."""


def selected_for(group: Group) -> list[Measure]:
    """Return the measures of a group; tests take more time than intervals."""
    population = POPULATIONS[group.population]
    if group.kind == "tests":
        found = [*FEW, *MORE] if group.design == "case-control" else [*FEW, MORE[2]]
        return found[: len(FEW) - 1] if group.design == "folds" else found
    found = [*FEW, *MORE, *FURTHER, pauci.PAUCc(threshold=population.cuts)]
    if group.design == "verification":
        cut = float(population.neg_score(np.array(SCREENED)))
        found += [pauci.Sensitivity(threshold=cut), pauci.Specificity(threshold=cut)]
    return found


def second(group: Group) -> Population:
    """Return the population of the second classifier."""
    first = POPULATIONS[group.population]
    return improved(first, SHIFT, "shifted") if group.second == "shifted" else first


def prevalence(group: Group) -> float:
    """Return the proportion of positives."""
    return group.n_pos / (group.n_pos + group.n_neg)


def difference(group: Group, other: Population, measure: Measure) -> float:
    """Return the true difference from another population."""
    values = (truth(p, measure, prevalence(group)) for p in (POPULATIONS[group.population], other))
    return float(np.subtract(*values))


def intervals(group: Group) -> Simulation:
    """Estimate every measure on the same samples."""
    population, selected = POPULATIONS[group.population], selected_for(group)

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        estimate_all(drawn(group, [population], rng), selected, tallies)

    truths = [truth(population, m, prevalence(group)) for m in selected]
    return Simulation(sample, truths, [of_measure(population, m, group) for m in selected])


def differences(group: Group) -> Simulation:
    """Test the paired difference of every measure on the same samples.

    The null hypothesis of non-inferiority is that the first classifier is worse than the second by
    the margin, the effect of `SHIFT`; the second classifier is indeed better if it is shifted, and
    otherwise equal.
    """
    first, other, selected = POPULATIONS[group.population], second(group), selected_for(group)
    options: list[dict[str, object]] = [{} for _ in selected]
    if group.detail == NON_INFERIORITY:
        worse = improved(first, SHIFT, "shifted")
        options = [
            {"null": difference(group, worse, m), "alternative": "greater"} for m in selected
        ]

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        both = drawn(group, [first, other], rng)
        for measure, more, tally in zip(selected, options, tallies, strict=True):
            test_one(both, measure, tally, **more)

    truths = [difference(group, other, m) for m in selected]
    labels = [of_measure(first, m, group) for m in selected]
    return Simulation(sample, truths, labels, tested=True)


# Readers

READERS = 4


def readings(
    group: Group, populations: Sequence[Population], rng: np.random.Generator
) -> pauci.ReaderStudy:
    """Return a study of four readers with one modality for each population.

    Half of the variance of a score is that of the case, and a quarter that of the reader's error.
    """
    n = group.n_pos + group.n_neg
    z = np.sqrt(0.5) * rng.standard_normal(n) + np.sqrt(0.25) * (
        rng.standard_normal((len(populations), 1, n))
        + rng.standard_normal((len(populations), READERS, n))
    )
    modality, reader, case = (a.ravel() for a in np.indices(z.shape))
    scores = [
        p.scores(u[: group.n_pos], u[group.n_pos :])
        for p, of_readers in zip(populations, ndtr(z), strict=True)
        for u in of_readers
    ]
    frame = pd.DataFrame(
        {
            "reader": reader,
            "modality": np.array(["A", "B"])[modality],
            "case": case,
            "label": (case < group.n_pos).astype(int),
            "score": np.concatenate(scores),
        }
    )
    return pauci.ReaderStudy.from_frame(frame, sampling="case-control")


def readers(group: Group) -> Simulation:
    """Averages of fixed readers in one modality, or their differences between two."""
    first, other = POPULATIONS[group.population], second(group)
    tested = group.kind == "tests"
    populations = [first, other] if tested else [first]

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        study = readings(group, populations, rng)
        for measure, tally in zip(FEW, tallies, strict=True):
            try:
                m, caught = caught_in(lambda q=measure: pauci.mrmc(study, q, readers="fixed"))
            except UndefinedError:
                tally.undefined += 1
                continue
            (q,) = m.contrasts if tested else m.averages
            low, high = q.interval(LEVEL)
            tally.add(q.value, q.se, low, high, q.kind_used(), caught)
            if tested:
                p, wald = (q.inverted_test(0.0, "two-sided", k).pvalue for k in (None, "wald"))
                tally.add_test(p, caught, wald)

    if tested:
        truths = [difference(group, other, m) for m in FEW]
    else:
        truths = [truth(first, m, prevalence(group)) for m in FEW]
    labels = [of_measure(first, m, group) for m in FEW]
    return Simulation(sample, truths, labels, tested=tested)


# Groups


def groups_of_rows(group: Group, count: int) -> Simulation:
    """Test gaps and heterogeneity of groups of equal size, of which the last may be better.

    The gaps are those of the last group against the first, and against all rows if all are equal.
    """
    first, other = POPULATIONS[group.population], second(group)
    populations = [*[first] * (count - 1), other]
    y = np.tile(np.repeat([1, 0], (group.n_pos, group.n_neg)), count)
    by = np.repeat(np.arange(count), group.n_pos + group.n_neg)
    same = other is first
    what = ["gap of ", "heterogeneity of ", *["gap to all rows of "] * same]

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        scores = np.concatenate([p.draw(rng, group.n_pos, group.n_neg) for p in populations])
        s = pauci.Sample(y, scores, design="case-control")
        for i, measure in enumerate(FEW):
            own = tallies[i * len(what) : (i + 1) * len(what)]
            _of_groups(s, measure, by, own)

    truths = []
    for m in FEW:
        gap = -difference(group, other, m)
        truths += [gap, np.nan, *[0.0] * same]
    labels = [
        {**of_measure(first, m, group), "measure": words + repr(m)} for m in FEW for words in what
    ]
    return Simulation(sample, truths, labels, tested=True)


def _of_groups(s: pauci.Sample, measure: Measure, by: np.ndarray, tallies: list[Tally]) -> None:
    """Count the gaps and the test of heterogeneity of one measure."""
    gap, test, *of_all = tallies
    try:
        found, caught = caught_in(lambda: pauci.estimate(s, measure, by=by))
        add_difference(found.gaps[-1], gap, caught)
    except UndefinedError:
        gap.undefined += 1
        test.undefined += 1
    else:
        try:
            h, more = caught_in(found.heterogeneity)
        except UndefinedError:
            test.undefined += 1
        else:
            test.add_statement(h.pvalue < 1.0 - LEVEL, [*caught, *more])
            test.add_test(h.pvalue, [*caught, *more])
    for tally in of_all:
        try:
            found, caught = caught_in(
                lambda: pauci.estimate(s, measure, by=by, reference="overall")
            )
            add_difference(found.gaps[-1], tally, caught)
        except UndefinedError:
            tally.undefined += 1


# Scans

FAMILY = np.arange(1, 11) * 0.05
"""Ends of the regions of a scan: FPR 0 to u."""

SCANNED = (pauci.PAUC, pauci.PAUCc, pauci.PAUCx)
DRAWS = 5000


def scans(group: Group) -> Simulation:
    """Scan families of regions, of one classifier or of a difference: simultaneous intervals.

    The test is that of any difference in the family. Its Wald test is that of the same kind.
    """
    first, other = POPULATIONS[group.population], second(group)
    tested = group.kind == "tests"
    populations = [first, other] if tested else [first]
    true = [
        np.array(
            [
                difference(group, other, kind(fpr=(0, u)))
                if tested
                else truth(first, kind(fpr=(0, u)), prevalence(group))
                for u in FAMILY
            ]
        )
        for kind in SCANNED
    ]

    def sample(rng: np.random.Generator, tallies: list[Tally]) -> None:
        s = drawn(group, populations, rng)
        for kind, values, tally in zip(SCANNED, true, tallies, strict=True):
            try:
                f, caught = caught_in(
                    lambda k=kind: pauci.scan(s, k, fpr=FAMILY, rng=1, n_draws=DRAWS)
                )
            except UndefinedError:
                tally.undefined += 1
                continue
            ends = f.simultaneous(LEVEL)
            low, high = ends.low, ends.high
            tally.width.append(float(np.mean(high - low)))
            tally.add_statement(bool(((values < low) | (values > high)).any()), caught)
            if tested:
                tally.add_test(f.pvalue, caught, f.pvalue_of("wald"))

    labels = [
        {
            "measure": f"scan of {kind.__name__}",
            "inside_pos": "",
            "inside_neg": short(group.n_neg * float(FAMILY[0])),
        }
        for kind in SCANNED
    ]
    return Simulation(sample, [np.nan] * len(SCANNED), labels, tested=tested)


OF_DESIGN = {
    "fixed readers": readers,
    "3 groups": partial(groups_of_rows, count=3),
    "6 groups": partial(groups_of_rows, count=6),
    "scan": scans,
}
"""By design; others are simulated by `intervals` and `differences`."""
