"""Warnings about prevalences that are far from that of the sample, or chosen by its design."""

from typing import TypeGuard

from pauci.errors import (
    FarPrevalenceWarning,
    Part,
    SamplingRatioWarning,
    Spelled,
    UndefinedError,
    arg,
    shown,
    warn,
)
from pauci.measures.base import Measure
from pauci.measures.combination import Combination
from pauci.measures.effective_size import FEWEST_FOR_AN_SE, EffectiveSize
from pauci.sample.rows import Ratings


def check_prevalence(
    measure: Measure, ratings: Ratings, size: EffectiveSize | None, *, force: bool
) -> None:
    """Warn about a prevalence with a small effective number of observations, or raise an error.

    With `force` the warning is issued instead of the error.
    """
    if not _falls_short(size, ratings):
        return
    k, noun, where, towards = _words(size, ratings)
    if not size.falls_short_of(FEWEST_FOR_AN_SE) or force:
        warn(
            FarPrevalenceWarning,
            shown(measure),
            f" of {ratings.name}: at a prevalence of {size.prevalence:g} effectively {k} determine "
            f"the value, those with the {where} scores; below {size.enough:g} standard errors are "
            "often too small, and values mostly too high. Use ",
            arg("prevalence", size.prevalence_for(size.enough)),
            f" or {towards}, or at least {size.total_for(size.enough):,} {noun}{_ONLY}",
            *_about_the_correction(measure),
            argument="prevalence",
        )
        return
    least, enough = map(size.prevalence_for, (FEWEST_FOR_AN_SE, size.enough))
    warned: list[Part] = []
    if enough != least:
        warned = [" (without a warning ", arg("prevalence", enough), ")"]
    raise UndefinedError(
        arg("prevalence", size.prevalence),
        f" leaves effectively {k} to determine ",
        shown(measure),
        f" of {ratings.name}, those with the {where} scores: below {FEWEST_FOR_AN_SE:g} no "
        "standard error is reported, because even a resampled one would be unreliable. Use ",
        arg("prevalence", least),
        f" or {towards}",
        *warned,
        f", or at least {size.total_for(FEWEST_FOR_AN_SE):,} {noun}{_ONLY} ",
        arg("force", True),
        " reports the standard error with a warning.",
    )


def check_pilot(measure: Measure, ratings: Ratings, size: EffectiveSize | None) -> None:
    """Raise an error for a pilot with too few effective observations at the planned prevalence."""
    if not _falls_short(size, ratings) or not size.falls_short_of(FEWEST_FOR_AN_SE):
        return
    from pauci.inference.assumptions import ASSUMPTION

    k, noun, where, towards = _words(size, ratings)
    raise UndefinedError(
        f"the pilot leaves effectively {k} to determine ",
        shown(measure),
        f" of {ratings.name}, those with the {where} scores; below {FEWEST_FOR_AN_SE:g} it cannot "
        "be used for sample size. Plan for a prevalence of "
        f"{size.prevalence_for(FEWEST_FOR_AN_SE):g} or {towards}, with a pilot of at least "
        f"{size.total_for(FEWEST_FOR_AN_SE):,} {noun}, or from ",
        ASSUMPTION,
        ".",
        argument="prevalence",
        value=size.prevalence,
    )


def warn_about_plan(measure: Measure, n_pos: int, n_neg: int) -> None:
    """Warn about a planned study with a small effective number at the intended prevalence."""
    size = measure.effective_size(n_pos, n_neg, n_pos / (n_pos + n_neg))
    if size is None or not size.falls_short_of(size.enough):
        return
    warn(
        FarPrevalenceWarning,
        f"a study of {n_pos:,} positives and {n_neg:,} negatives leaves effectively k = "
        f"{size.size:.3g} {size.noun} to determine ",
        shown(measure),
        f"; below {size.enough:g} its standard error will be too small, and so is the planned "
        f"sample size. Use at least {size.total_for(size.enough):,} {size.noun}.",
        argument="prevalence",
    )


_ONLY = "; otherwise only a fitted curve or a bound is available."


def _about_the_correction(measure: Measure) -> list[Part]:
    """Return advice about the bias correction of average precision, if it was not used."""
    if getattr(measure, "corrected", True):
        return []
    return [
        " ", arg("corrected", True),
        " removes most of the bias of the value, but the standard error remains too small.",
    ]  # fmt: skip


def _falls_short(size: EffectiveSize | None, ratings: Ratings) -> TypeGuard[EffectiveSize]:
    """Return whether the effective number is too small; a class of one row has other errors."""
    short = size is not None and size.falls_short_of(size.enough)
    return short and min(ratings.rows.units) >= 2


def _words(size: EffectiveSize, ratings: Ratings) -> tuple[str, str, str, str]:
    """Return k with its unit, the unit, which scores they have, and the direction of larger k."""
    noun = size.noun
    if ratings.rows.cluster is not None:
        noun = f"clusters with {noun}"
    elif ratings.rows.weight is not None:
        noun = f"{noun} of equal weight"
    total = f"{size.total:,.1f}".removesuffix(".0")
    where, towards = ("highest", "more") if size.noun == "negatives" else ("lowest", "less")
    return f"k = {size.size:.3g} of {total} {noun}", noun, where, towards


def warn_about_design(measure: Measure, prevalence: float) -> None:
    """Warn about a measure at a prevalence that was chosen by case-control sampling."""
    fixed = measure.at_prevalence(prevalence)
    if fixed is measure or fixed == measure:
        return
    advice: list[Part] = ["Specify the prevalence of the target population by ", arg("prevalence")]
    if not _takes_prevalence(measure):
        other = Spelled("pauci.AP(prevalence=0.01)", "--measure ap --prevalence 0.01")
        advice = ["It has no argument for another one; average precision does: ", shown(other)]
    warn(
        SamplingRatioWarning,
        shown(measure),
        " depends on the prevalence, which was chosen in this case-control sample: "
        f"the value is that at a proportion of {prevalence:.3g} positives. ",
        *advice,
        ".",
    )


def _takes_prevalence(measure: Measure) -> bool:
    """Return whether a measure, or a part of it, has an argument for the prevalence."""
    if isinstance(measure, Combination):
        return _takes_prevalence(measure.first) or _takes_prevalence(measure.second)
    return hasattr(measure, "prevalence")
