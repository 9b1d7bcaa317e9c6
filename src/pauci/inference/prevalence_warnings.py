"""Warnings about prevalences far from that of the sample, or determined by its design."""

from typing import TypeGuard

from pauci.errors import FarPrevalenceWarning, SamplingRatioWarning, UndefinedError, warn
from pauci.measures.base import Measure
from pauci.measures.combination import Combination
from pauci.measures.effective_size import FEWEST_FOR_SE, EffectiveSize
from pauci.sample.ratings import Ratings


def check_prevalence(
    measure: Measure, ratings: Ratings, size: EffectiveSize | None, *, force: bool
) -> None:
    """Warn about a prevalence with a small effective number of observations, or raise an error.

    With `force` the warning is issued instead of the error.
    """
    if not is_too_small(size, ratings):
        return
    k, noun, where, towards = describe_size(size, ratings)
    enough = size.prevalence_for(size.enough)
    if not size.is_reduced_below(FEWEST_FOR_SE) or force:
        instead = f"or {towards}, or at least {size.total_for(size.enough):,} {noun}{_ONLY}"
        corrected = getattr(measure, "corrected", True)
        correction = "" if corrected else f" corrected=True {_CORRECTION}"
        shell_correction = "" if corrected else f" --corrected {_CORRECTION}"
        warn(
            FarPrevalenceWarning(
                f"at a prevalence of {size.prevalence:g} effectively {k}, those with the {where} "
                f"scores, determine the value. For k below {size.enough:g} standard errors are "
                "often too small, and values mostly too high.",
                argument="prevalence",
                measure=measure,
                classifier=ratings.name,
                hint=f"Use prevalence={enough:.15g} {instead}{correction}",
                shell_hint=f"Use --prevalence {enough:.15g} {instead}{shell_correction}",
            )
        )
        return
    least = size.prevalence_for(FEWEST_FOR_SE)
    instead = f"or at least {size.total_for(FEWEST_FOR_SE):,} {noun}{_ONLY}"
    hint, shell_hint = (
        f"Use {option}{least:.15g} or {towards}"
        f"{f' ({option}{enough:.15g} avoids the warning)' if enough != least else ''}, {instead} "
        f"{force} reports the standard error with a warning."
        for option, force in (("prevalence=", "force=True"), ("--prevalence ", "--force"))
    )
    raise UndefinedError(
        f"prevalence={size.prevalence!r} is too far from that of the sample: effectively {k}, "
        f"those with the {where} scores, determine {measure!r} of {ratings.name}. For k below "
        f"{FEWEST_FOR_SE:g} no standard error is reported, because even one by resampling would "
        "be unreliable.",
        argument="prevalence",
        value=size.prevalence,
        measure=measure,
        hint=hint,
        shell_hint=shell_hint,
    )


_CORRECTION = "removes most of the bias of the value, but the standard error remains too small."

_ONLY = "; otherwise only a fitted curve or a bound is available."


def is_too_small(size: EffectiveSize | None, ratings: Ratings) -> TypeGuard[EffectiveSize]:
    """Return whether the effective number is too small.

    A class of a single row or cluster raises another error.
    """
    short = size is not None and size.is_reduced_below(size.enough)
    return short and min(ratings.rows.units) >= 2


def describe_size(size: EffectiveSize, ratings: Ratings) -> tuple[str, str, str, str]:
    """Return phrases for k, its unit, the scores that count, and prevalences with a larger k."""
    noun = size.noun
    if ratings.rows.has_clusters:
        noun = f"clusters with {noun}"
    elif ratings.rows.has_weights:
        noun = f"{noun} of equal weight"
    total = f"{size.total:,.1f}".removesuffix(".0")
    where, towards = ("highest", "more") if size.noun == "negatives" else ("lowest", "less")
    return f"k = {size.size:.3g} of {total} {noun}", noun, where, towards


def warn_about_design(measure: Measure, prevalence: float) -> None:
    """Warn about a measure at the prevalence of a case-control sample."""
    fixed = measure.at_prevalence(prevalence)
    if fixed is measure or fixed == measure:
        return
    hint = "Specify the prevalence of the target population by prevalence=."
    shell_hint = "Specify the prevalence of the target population by --prevalence."
    if not _takes_prevalence(measure):
        hint = "This measure has no argument for the prevalence; average precision has:"
        shell_hint = f"{hint} --measure ap --prevalence 0.01."
        hint += " pauci.AP(prevalence=0.01)."
    warn(
        SamplingRatioWarning(
            f"{measure!r} depends on the prevalence, which is determined by the design of this "
            f"case-control sample: the value is that for a proportion of {prevalence:.3g} "
            "positives.",
            argument="prevalence",
            measure=measure,
            hint=hint,
            shell_hint=shell_hint,
        )
    )


def _takes_prevalence(measure: Measure) -> bool:
    """Return whether a measure, or a part of it, has an argument for the prevalence."""
    if isinstance(measure, Combination):
        return _takes_prevalence(measure.first) or _takes_prevalence(measure.second)
    return hasattr(measure, "prevalence")
