"""Warnings about thresholds outside the scores, and about the prevalence of a sample."""

import numpy as np

from pauci.checks import AnyArray
from pauci.errors import DifferentScalesWarning, InputError, SamplingRatioWarning, warn
from pauci.measures.base import Combination, Measure, depends_on_risk
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample


def warn_about_cutoffs(measure: Measure, ratings: Ratings) -> None:
    """Warn about a threshold outside the range of scores that are not known to be risks."""
    if isinstance(measure, Combination):
        for part in measure.parts:
            warn_about_cutoffs(part, ratings)
        return
    region = measure.region
    if region.cutoff is not None and not measure.of_risks:
        warn_if_outside("threshold", region.cutoff, ratings)


def warn_if_outside(
    argument: str, threshold: object, ratings: Ratings, consequence: str = ""
) -> None:
    """Warn about a threshold outside the range of the scores; categories have no range."""
    table = ratings.table
    if table.categories is not None:
        return
    ends: AnyArray = table.thresholds(np.array([0, table.size - 1]))
    low, high = sorted(ends.tolist())
    if not low <= table.in_score_type(threshold) <= high:
        warn(
            DifferentScalesWarning.of(
                argument,
                threshold,
                f"lies outside the scores of {ratings.name}, {low:.6g} to {high:.6g}{consequence}. "
                "It may be on another scale.",
            )
        )


def check_competing(rows: Rows, measure: Measure | str) -> None:
    """Raise an error for a measure of absolute risk if rows with a competing event are left out."""
    if rows.competing and (isinstance(measure, str) or depends_on_risk(measure)):
        raise InputError.of(
            "competing",
            "exclude",
            (f"leaves out {rows.competing}, which biases absolute risks, and so ", measure, "."),
            hint="Pass competing='control', which counts these rows as controls.",
        )


def prevalence_of(sample: Sample, specified: float | None, measures: str) -> float:
    """Return a specified prevalence, or that of the sample, for several measures."""
    if specified is not None:
        return specified
    share = sample.prevalence
    check_competing(sample.rows, measures)
    return share


def warn_about_sampling_ratio(sample: Sample, measures: str, hint: str) -> None:
    """Warn about several measures at the prevalence of a case-control sample."""
    problem = f"{measures} depend on the prevalence, which is determined by the design of this "
    problem += "case-control sample: they apply to a proportion of "
    problem += f"{sample.prevalence:.3g} positives."
    warn(SamplingRatioWarning(problem, argument="prevalence", hint=hint))


def warn_about_design(measure: Measure, prevalence: float) -> None:
    """Warn about a measure at the prevalence of a case-control sample."""
    of_sample = measure.of_risks and measure.uses_sample_prevalence
    if not of_sample and measure.at_prevalence(prevalence) == measure:
        return
    hint = "Specify the prevalence of the target population by prevalence=."
    if measure.of_risks and not _takes_prevalence(measure):
        hint = "If the sampling fractions are known, weight the rows by their inverses: "
        hint += "weight=."
    elif not _takes_prevalence(measure):
        hint = "This measure has no argument for the prevalence; average precision has:"
        hint += " pauci.AP(prevalence=0.01)."
    warn(
        SamplingRatioWarning(
            (
                measure,
                " depends on the prevalence, which is determined by the design of this "
                f"case-control sample: the value is that for a proportion of {prevalence:.3g} "
                "positives.",
            ),
            argument="prevalence",
            hint=hint,
        )
    )


def _takes_prevalence(measure: Measure) -> bool:
    """Return whether a measure, or a part of it, has an argument for the prevalence."""
    if isinstance(measure, Combination):
        return _takes_prevalence(measure.first) or _takes_prevalence(measure.second)
    return hasattr(measure, "prevalence")
