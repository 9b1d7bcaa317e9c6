"""Warnings about prevalences that are far from that of the sample, or chosen by its design."""

from typing import TypeGuard

from pauci.errors import FarPrevalenceWarning, SamplingRatioWarning, UndefinedError, warn
from pauci.measures.base import Measure
from pauci.measures.combination import Combination
from pauci.measures.effective_size import FEWEST_FOR_AN_SE, EffectiveSize
from pauci.sample.ratings import Ratings


def check_prevalence(
    measure: Measure, ratings: Ratings, size: EffectiveSize | None, *, force: bool
) -> None:
    """Warn about a prevalence with a small effective number of observations, or raise an error.

    With `force` the warning is issued instead of the error.
    """
    if not falls_short(size, ratings):
        return
    k, noun, where, towards = count_and_scores(size, ratings)
    enough = size.prevalence_for(size.enough)
    if not size.falls_short_of(FEWEST_FOR_AN_SE) or force:
        instead = f"or {towards}, or at least {size.total_for(size.enough):,} {noun}{_ONLY}"
        corrected = getattr(measure, "corrected", True)
        correction = "" if corrected else f" corrected=True {_CORRECTION}"
        shell_correction = "" if corrected else f" --corrected {_CORRECTION}"
        warn(
            FarPrevalenceWarning(
                f"at a prevalence of {size.prevalence:g} effectively {k} determine the value, "
                f"those with the {where} scores; below {size.enough:g} standard errors are often "
                "too small, and values mostly too high.",
                argument="prevalence",
                measure=measure,
                classifier=ratings.name,
                hint=f"Use prevalence={enough:.15g} {instead}{correction}",
                shell_hint=f"Use --prevalence {enough:.15g} {instead}{shell_correction}",
            )
        )
        return
    least = size.prevalence_for(FEWEST_FOR_AN_SE)
    instead = f"or at least {size.total_for(FEWEST_FOR_AN_SE):,} {noun}{_ONLY}"
    hint, shell_hint = (
        f"Use {option}{least:.15g} or {towards}"
        f"{f' (without a warning {option}{enough:.15g})' if enough != least else ''}, {instead} "
        f"{force} reports the standard error with a warning."
        for option, force in (("prevalence=", "force=True"), ("--prevalence ", "--force"))
    )
    raise UndefinedError(
        f"prevalence={size.prevalence!r} leaves effectively {k} to determine {measure!r} of "
        f"{ratings.name}, those with the {where} scores: below {FEWEST_FOR_AN_SE:g} no standard "
        "error is reported, because even a resampled one would be unreliable.",
        argument="prevalence",
        value=size.prevalence,
        measure=measure,
        hint=hint,
        shell_hint=shell_hint,
    )


_CORRECTION = "removes most of the bias of the value, but the standard error remains too small."

_ONLY = "; otherwise only a fitted curve or a bound is available."


def falls_short(size: EffectiveSize | None, ratings: Ratings) -> TypeGuard[EffectiveSize]:
    """Return whether the effective number is too small; a class of one row has other errors."""
    short = size is not None and size.falls_short_of(size.enough)
    return short and min(ratings.rows.units) >= 2


def count_and_scores(size: EffectiveSize, ratings: Ratings) -> tuple[str, str, str, str]:
    """Return k with its unit, the unit, which scores they have, and the direction of larger k."""
    noun = size.noun
    if ratings.rows.has_clusters:
        noun = f"clusters with {noun}"
    elif ratings.rows.has_weights:
        noun = f"{noun} of equal weight"
    total = f"{size.total:,.1f}".removesuffix(".0")
    where, towards = ("highest", "more") if size.noun == "negatives" else ("lowest", "less")
    return f"k = {size.size:.3g} of {total} {noun}", noun, where, towards


def warn_about_design(measure: Measure, prevalence: float) -> None:
    """Warn about a measure at a prevalence that was chosen by case-control sampling."""
    fixed = measure.at_prevalence(prevalence)
    if fixed is measure or fixed == measure:
        return
    hint = "Specify the prevalence of the target population by prevalence=."
    shell_hint = "Specify the prevalence of the target population by --prevalence."
    if not _takes_prevalence(measure):
        hint = "It has no argument for another one; average precision does:"
        shell_hint = f"{hint} --measure ap --prevalence 0.01."
        hint += " pauci.AP(prevalence=0.01)."
    warn(
        SamplingRatioWarning(
            f"{measure!r} depends on the prevalence, which was chosen in this case-control "
            f"sample: the value is that at a proportion of {prevalence:.3g} positives.",
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
