"""Counts of the results of a cell: coverage, rejections, warnings and widths."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

import pauci
from design import Group
from pauci.errors import (
    PauciWarning,
    UndefinedError,
    collected_warnings,
)
from pauci.measures.base import Measure
from populations import Population
from truth import inside

LEVEL = 0.95
IN_ONE_CALL = 20_000
"""Rows times measures estimated in one call: this saves time, but covariances take time too."""

SHOWN_AS_1 = 0.9995
"""Smallest p-value that is printed as 1.000."""

ERRORS = (ArithmeticError, IndexError, ValueError)
"""Errors of an undefined result, or of a fault in the calculation, which is counted by name."""

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
        self.tests = self.wald_tests = self.wald = self.certain = 0
        self.width: list[float] = []
        self.values: list[float] = []
        self.variance = 0.0
        self.kinds: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self.covered: Counter[str] = Counter()

    def add(self, value, se, low, high, kind, caught) -> None:
        """Count one estimate; the width of a one-sided interval is that from the estimate."""
        self.values.append(value)
        self.variance += se * se
        width = high - low
        self.width.append(width if np.isfinite(width) else min(high - value, value - low))
        self.kinds[kind] += 1
        self._count(self.true < low, self.true > high, caught)

    def add_statement(self, wrong, caught) -> None:
        """Count a statement without an interval for a single true value, which may be wrong."""
        self._count(wrong, False, caught)

    def _count(self, below, above, caught) -> None:
        """Count a statement that excludes the true value, which is below or above."""
        self.n += 1
        self.below += below
        self.above += above
        if caught:
            self.warned += 1
            self.warnings.update(caught)
            self.covered.update(() if below or above else caught)
        else:
            self.below_unwarned += below
            self.above_unwarned += above

    def add_test(self, pvalue, caught, wald=None, *, certain=False) -> None:
        """Count the test that corresponds to an interval, and that of Wald if there is one.

        A test is `certain` if p = 1 although the estimate is not the null value.
        """
        rejects = pvalue < 1.0 - LEVEL
        self.tests += 1
        self.rejected += rejects
        self.rejected_unwarned += rejects and not caught
        self.certain += certain
        if wald is not None:
            self.wald_tests += 1
            self.wald += wald < 1.0 - LEVEL

    def add_error(self, error: Exception) -> None:
        """Count a sample without a result because of a fault in the calculation."""
        self.undefined += 1
        self.warnings[type(error).__name__] += 1

    def rejections(self) -> dict[str, object]:
        """Return the percentage of tests that reject, of all and of those without a warning."""
        if not self.tests:
            return {}
        unwarned, of_wald = self.n - self.warned, self.wald_tests
        return {
            "rejected": short(100.0 * self.rejected / max(self.n, 1)),
            "unwarned_rejected": short(100.0 * self.rejected_unwarned / unwarned)
            if unwarned
            else "",
            "wald_rejected": short(100.0 * self.wald / of_wald) if of_wald else "",
            "p_is_1": short(100.0 * self.certain / max(self.n, 1)),
        }

    def row(self) -> dict[str, object]:
        """Return the results of the measure."""
        n, unwarned = max(self.n, 1), self.n - self.warned
        values, single = np.array(self.values), not np.isnan(self.true)
        sd = float(values.std(ddof=1)) if values.size > 1 else np.nan
        missed = self.below_unwarned + self.above_unwarned
        return {
            "truth": short(self.true) if single else "",
            "replicates": self.n,
            "undefined": self.undefined,
            "coverage": short(100.0 * (1.0 - (self.below + self.above) / n)),
            "truth_below": short(100.0 * self.below / n) if single else "",
            "truth_above": short(100.0 * self.above / n) if single else "",
            "bias_in_sd": short((values.mean() - self.true) / sd) if sd > 0.0 else "",
            "se_to_sd": short((self.variance / n) ** 0.5 / sd) if sd > 0.0 else "",
            "width": short(float(np.mean(self.width))) if self.width else "",
            "median_width": short(float(np.median(self.width))) if self.width else "",
            "warned": short(100.0 * self.warned / n),
            "unwarned_coverage": short(100.0 * (1.0 - missed / unwarned)) if unwarned else "",
            "warnings": self._fired(),
            "kind": self.kinds.most_common(1)[0][0] if self.kinds else "",
        }

    def _fired(self) -> str:
        """Return for each warning the number of samples with it, and of those that cover."""
        return " ".join(f"{k}:{n}:{self.covered[k]}" for k, n in sorted(self.warnings.items()))


def short(value: float) -> str:
    """Return a number with five digits."""
    return f"{value:.5g}"


def caught_in(work) -> tuple[object, list[str]]:
    """Return the result of a call, and the names of the warnings about its accuracy."""
    with collected_warnings() as caught:
        result = work()
    return result, names_of_warnings(caught)


def names_of_warnings(caught: Iterable[PauciWarning]) -> list[str]:
    """Return the names of the warnings about the accuracy of a result."""
    return sorted({type(w).__name__ for w in caught}.difference(OF_THE_DESIGN))


def silent_estimate(sample: pauci.Sample, measure: Measure) -> pauci.Estimate | None:
    """Return an estimate; None if it is undefined, or has a warning about its accuracy."""
    with collected_warnings() as caught:
        try:
            e = pauci.estimate(sample, measure)
        except UndefinedError:
            return None
    return None if names_of_warnings(caught) else e


class Simulation(NamedTuple):
    """The simulation of a group."""

    sample: Callable[[np.random.Generator, list[Tally]], None]
    """Function that draws a sample and counts its results."""
    truths: list[float]
    labels: list[dict[str, object]]
    """Columns that describe the measure of each tally."""
    tested: bool = False


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
        except ERRORS:
            for measure, tally in batch:
                estimate_or_not(sample, measure, tally)


def estimate_or_not(sample: pauci.Sample, measure: Measure, tally: Tally) -> None:
    """Count the interval of one measure, which may be undefined."""
    try:
        estimate_in_one_call(sample, {measure: tally})
    except UndefinedError:
        tally.undefined += 1
    except ERRORS as error:
        tally.add_error(error)


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
        "inside_pos": short(pos * group.n_pos),
        "inside_neg": short(neg * group.n_neg),
    }


def test_one(samples, measure: Measure, tally: Tally, **options) -> None:
    """Count one test."""
    try:
        independent = isinstance(samples, list)
        c, caught = caught_in(
            lambda: pauci.compare(samples, measure, independent=independent, **options)
        )
        add_difference(c, tally, caught)
    except UndefinedError:
        tally.undefined += 1
    except ERRORS as error:
        tally.add_error(error)


def add_difference(c: pauci.Comparison, tally: Tally, caught: list[str]) -> None:
    """Count the interval and the test of a difference."""
    low, high = c.interval(LEVEL)
    tally.add(c.difference, c.se, low, high, c.kind_used(), caught)
    p = c.pvalue
    certain = (
        p > SHOWN_AS_1
        and c.alternative == "two-sided"
        and abs(c.difference - c.null) > one_observation(c.estimates)
    )
    tally.add_test(p, caught, c.pvalue_of("wald"), certain=certain)


def one_observation(estimates) -> float:
    """Return the change of a measure that is attributed to a single observation."""
    e = estimates[0]
    if e.measure.key in ("sensitivity", "specificity"):
        return max(
            1.0 / (x.n_pos if e.measure.key == "sensitivity" else x.n_neg) for x in estimates
        )
    return max((x.bounds[1] - x.bounds[0]) / min(x.n_pos, x.n_neg) for x in estimates)
