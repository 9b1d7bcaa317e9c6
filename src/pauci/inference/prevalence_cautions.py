"""What prevalences give cause to warn of: far from the sample's, or chosen by its design."""

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
    """Warn of a prevalence that few observations tell of, and refuse one that hardly any does.

    `force` turns the refusal into the warning.
    """
    if not _falls_short(size, ratings):
        return
    k, noun, where, towards = _words(size, ratings)
    if not size.falls_short_of(FEWEST_FOR_AN_SE) or force:
        warn(
            FarPrevalenceWarning,
            shown(measure),
            f" of {ratings.name}: at a prevalence of {size.prevalence:g} effectively {k} decide, "
            f"those at the {where} of the curve; below {size.enough:g} standard errors are often "
            "too small, and values mostly too high. Use ",
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
        f" leaves effectively {k} to decide ",
        shown(measure),
        f" of {ratings.name}, those at the {where} of the curve, which so few have not shown: "
        f"below {FEWEST_FOR_AN_SE:g} no standard error, resampled or not, is worth giving. Use ",
        arg("prevalence", least),
        f" or {towards}",
        *warned,
        f", or at least {size.total_for(FEWEST_FOR_AN_SE):,} {noun}{_ONLY} ",
        arg("force", True),
        " gives the standard error all the same.",
    )


def check_pilot(measure: Measure, ratings: Ratings, size: EffectiveSize | None) -> None:
    """Refuse a pilot that tells hardly anything of the prevalence that is planned for."""
    if not _falls_short(size, ratings) or not size.falls_short_of(FEWEST_FOR_AN_SE):
        return
    from pauci.inference.assumptions import ASSUMPTION

    k, noun, where, towards = _words(size, ratings)
    raise UndefinedError(
        f"the pilot leaves effectively {k} to decide ",
        shown(measure),
        f" of {ratings.name}, those at the {where} of the curve; below {FEWEST_FOR_AN_SE:g} it "
        f"plans nothing. Plan for a prevalence of {size.prevalence_for(FEWEST_FOR_AN_SE):g} or "
        f"{towards}, with a pilot of at least {size.total_for(FEWEST_FOR_AN_SE):,} {noun}, or "
        "from ",
        ASSUMPTION,
        ".",
        argument="prevalence",
        value=size.prevalence,
    )


def warn_about_plan(measure: Measure, n_pos: int, n_neg: int) -> None:
    """Warn of a planned study that will tell too little of the prevalence that is meant."""
    size = measure.effective_size(n_pos, n_neg, n_pos / (n_pos + n_neg))
    if size is None or not size.falls_short_of(size.enough):
        return
    warn(
        FarPrevalenceWarning,
        f"a study of {n_pos:,} positives and {n_neg:,} negatives leaves effectively k = "
        f"{size.size:.3g} {size.noun} to decide ",
        shown(measure),
        f"; below {size.enough:g} its standard error will be too small, and so is this plan. "
        f"Take at least {size.total_for(size.enough):,} {size.noun}.",
        argument="prevalence",
    )


_ONLY = "; of what has not been sampled, only a fitted curve or a bound can tell."


def _about_the_correction(measure: Measure) -> list[Part]:
    """Return what the bias correction of average precision does about it, if it was not used."""
    if getattr(measure, "corrected", True):
        return []
    return [
        " ", arg("corrected", True),
        " removes most of the bias of the value, but not the shortfall of the standard error.",
    ]  # fmt: skip


def _falls_short(size: EffectiveSize | None, ratings: Ratings) -> TypeGuard[EffectiveSize]:
    """Tell whether a prevalence leaves too few; one row has no standard error at any."""
    short = size is not None and size.falls_short_of(size.enough)
    return short and min(ratings.rows.units) >= 2


def _words(size: EffectiveSize, ratings: Ratings) -> tuple[str, str, str, str]:
    """Return k of what, what is counted, which end of the curve, and where more would be left."""
    noun = size.noun
    if ratings.rows.cluster is not None:
        noun = f"clusters with {noun}"
    elif ratings.rows.weight is not None:
        noun = f"{noun} of equal weight"
    total = f"{size.total:,.1f}".removesuffix(".0")
    where, towards = ("top", "more") if size.noun == "negatives" else ("bottom", "less")
    return f"k = {size.size:.3g} of {total} {noun}", noun, where, towards


def warn_about_design(measure: Measure, prevalence: float) -> None:
    """Warn of a measure at a prevalence that was chosen by case-control sampling."""
    there = measure.at_prevalence(prevalence)
    if there is measure or there == measure:
        return
    advice: list[Part] = ["Name the prevalence that is meant with ", arg("prevalence")]
    if not _takes_prevalence(measure):
        other = Spelled("pauci.AP(prevalence=0.01)", "--measure ap --prevalence 0.01")
        advice = ["It takes no other; average precision does: ", shown(other)]
    warn(
        SamplingRatioWarning,
        shown(measure),
        " depends on the prevalence, and in this case-control sample it was chosen: "
        f"the value holds for a share of {prevalence:.3g} positives. ",
        *advice,
        ".",
    )


def _takes_prevalence(measure: Measure) -> bool:
    """Tell whether a measure, or one that it is made of, has an argument for the prevalence."""
    if isinstance(measure, Combination):
        return _takes_prevalence(measure.first) or _takes_prevalence(measure.second)
    return hasattr(measure, "prevalence")
