"""Warnings about estimates whose standard errors or intervals may be unreliable."""

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple, TypeGuard

import numpy as np

from pauci.checks import AnyArray
from pauci.curve.region import WHOLE, Piece, Region
from pauci.curve.slope import corner_shift
from pauci.errors import (
    ChosenThresholdWarning,
    CornerWarning,
    DegenerateWarning,
    DifferentScalesWarning,
    FarPrevalenceWarning,
    FewInfluentialWarning,
    InputError,
    SamplingRatioWarning,
    SmallRegionWarning,
    UndefinedError,
    collected_warnings,
    warn,
)
from pauci.measures.area import AUC
from pauci.measures.base import Combination, Measure, much_smaller, smaller
from pauci.measures.influence import FEWEST_FOR_SE, EffectiveSize
from pauci.results.estimates import Estimate
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.variance.joint import uncertainty_of_problem
from pauci.variance.method import InfluenceVariance
from pauci.variance.units import Problem, Term


class Fewest(NamedTuple):
    """Numbers of observations in a region, of the class that bounds it, that are required.

    Below them the coverage of 95% intervals may be less than 90%. The smaller this class relative
    to the other, the more of the variance is due to it, and the fewer errors average out.
    """

    if_similar: int
    """If the other class has less than twice as many observations."""
    if_smaller: int
    """If the other class has at least twice as many."""
    if_much_smaller: int
    """If the other class has at least five times as many."""

    def required(self, n: int, other: int) -> int:
        """Return the number for a class of size n, and `other` of the other."""
        if much_smaller(n, other):
            return self.if_much_smaller
        return self.if_smaller if smaller(n, other) else self.if_similar


_FROM_A_CORNER = Fewest(3, 3, 5)
"""For areas over a region that starts or ends at a corner of the curve."""

_BETWEEN_ENDS = Fewest(2, 3, 6)
"""For areas over a region inside an axis."""

_WITH_ESTIMATED_ENDS = Fewest(2, 2, 3)
"""For measures that depend on the estimated ends of the region, whose intervals are wider."""

_OF_A_RATIO = Fewest(3, 5, 5)
"""For ratios, since few observations affect both numerator and denominator."""

_AT_A_POINT = Fewest(0, 0, 3)
"""For heights of the curve at a point; observations between it and the end of the axis count."""

_AMONG_TIES = Fewest(5, 5, 5)
"""If an end divides a tie group; the numbers are doubled for a ratio."""

_IN_A_RANGE_OF_SCORES = 1
"""For both classes in a range of scores. If none is inside, the error of its number is missing; a
larger number would leave those samples without a warning that contain more than expected."""

_FEWEST_OF_A_RARE_CLASS, _RARE = 15, 10
"""Required rows of a class for a scaled Brier score if the other is at least ten times as large. In
simulations with 9 positives and 291 negatives, intervals cover 85 to 98%; with 9 and 81, or 18 and
282, they cover 92 to 98%."""

_ROUNDING = 1e-9
"""Rounding error of a proportion times a number of rows."""

_LARGEST_SHIFT = 0.2
"""Largest acceptable mean shift of a measure by a corner near an end, in standard errors."""

_LARGEST_SHIFT_OF_A_RATIO = 0.05
"""The same for measures in which the errors of both ends cancel except near a corner."""

_LEAST_AUC_OF_A_MAXIMUM = 0.8
"""AUC less its standard error from which on the bias of a maximum over thresholds is small. In
simulations of 12 shapes of curve, 95% intervals of the largest kappa then cover 87 to 100%."""

_CORRECTION = "removes most of the bias of the value, but the standard error remains too small."

_ONLY = "; otherwise only a fitted curve or a bound is available."


def warn_about_degenerate(e: Estimate, *, tied: bool = False) -> None:
    """Warn about an estimate with standard error 0, or at an end of its range."""
    reason = "standard error 0"
    if e.se > e.least_se:
        reason = "a value at an end of its range"
    elif e.se > 0.0:
        reason = (
            f"standard error {fmt.number(e.se, e.se)}, too small for the number of observations"
        )
    reason += ", because all scores are tied" if tied else ""
    finding = f"the estimate, {fmt.number(e.value)}, has {reason}"
    warn(
        DegenerateWarning(
            f'{finding}, and intervals of kind "{e.kind_used()}" are used, which depend only on '
            "the number of observations.",
            finding=finding,
            measure=e.measure,
            classifier=e.classifier,
        )
    )


def with_degenerate_caution(e: Estimate) -> Estimate:
    """Return an estimate with the warning about a standard error of 0, if it applies."""
    if not e.degenerate:
        return e
    with collected_warnings() as cautions:
        warn_about_degenerate(e)
    return replace(e, cautions=(*e.cautions, *cautions))


def warn_about_regions(measure: Measure, ratings: Ratings, piece: Piece) -> None:
    """Warn about regions in which few observations of the class that bounds them are expected."""
    for region in measure.regions:
        if region is WHOLE or (region.is_point and not region.rate_ends):
            continue
        if region is not measure.region:
            piece = region.piece(ratings.curve)
        counts = _counts(region, piece, ratings, measure)
        few = [c for c in counts if c[0] < c[1] - _ROUNDING]
        if few:
            number, required, axis, phrase, side = min(few, key=lambda c: c[0] / c[1])
            noun, total = "positives", ratings.curve.table.rows_pos
            if axis == "fpr":
                noun, total = "negatives", ratings.curve.table.rows_neg
            finding = f"{number:.3g} of {total:,} {noun} {phrase} {side}"
            warn(
                SmallRegionWarning(
                    f"{finding}; below {required}, 95% intervals can cover less than 90%.",
                    finding=finding,
                    measure=measure,
                    classifier=ratings.name,
                    value=number,
                    hint="Use a point farther from this end of the axis."
                    if region.is_point
                    else "Use a wider region.",
                )
            )
            return


def warn_about_cutoffs(measure: Measure, ratings: Ratings) -> None:
    """Warn about a threshold outside the range of scores that are not known to be risks."""
    for part in measure.parts:
        warn_about_cutoffs(part, ratings)
    region = measure.region
    if region.cutoff is not None and not measure.parts and not measure.of_risks:
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


def _counts(
    region: Region, piece: Piece, ratings: Ratings, measure: Measure
) -> Iterator[tuple[float, int, str, str, object]]:
    """Yield the numbers of observations in a region of each class that bounds it.

    For a range on an axis the number is fixed in advance: n times the length of the region. The
    other class is not counted, because the standard error accounts for few observations of it.
    """
    table, (start, end) = ratings.curve.table, piece
    n_pos, n_neg = table.rows_pos, table.rows_neg
    among_ties = region.axis is not None and _cuts_ties(piece, ratings)
    for side in region.sides:
        if side.axis is None:
            for axis, n, share in (
                ("tpr", n_pos, end.tpr - start.tpr),
                ("fpr", n_neg, end.fpr - start.fpr),
            ):
                yield n * share, _IN_A_RANGE_OF_SCORES, axis, "lie in", side
        else:
            n, other = (n_neg, n_pos) if side.axis == "fpr" else (n_pos, n_neg)
            required = _fewest(measure, side, among_ties=among_ties).required(n, other)
            phrase = f"are expected {side.location}"
            yield n * side.width, required, side.axis, phrase, side


def _cuts_ties(piece: Piece, ratings: Ratings) -> bool:
    """Return whether an end lies inside a tie group of both classes, as on a rating scale."""
    table = ratings.curve.table
    for point in piece:
        if point.share > 0.0:
            before, after = table.at(point.group), table.at(point.group + 1)
            if after[0] > before[0] and after[1] > before[1]:
                return True
    return False


def _fewest(measure: Measure, side: Region, *, among_ties: bool) -> Fewest:
    """Return the required numbers of observations in a region, or beside a point, of an axis."""
    if among_ties and not side.is_point:
        return Fewest(*(2 * n for n in _AMONG_TIES)) if measure.is_ratio else _AMONG_TIES
    if measure.is_ratio:
        return _OF_A_RATIO
    if side.is_point:
        return _AT_A_POINT
    if not measure.known_ends:
        return _WITH_ESTIMATED_ENDS
    low, high = side.bounds
    return _FROM_A_CORNER if low == 0.0 or high == 1.0 else _BETWEEN_ENDS


def warn_about_misranked(measure: Measure, ratings: Ratings) -> None:
    """Warn if a sample may lack the rare observations that determine the variance.

    On average, n (1 - AUC) of the n observations of a class are misranked relative to a random
    observation of the other class. If this number is small, a sample may have none of them.
    """
    table = ratings.curve.table
    requirement = measure.fewest_misranked(table.rows_pos, table.rows_neg)
    if requirement is None:
        return
    noun, number = requirement
    n = table.rows_pos if noun == "positives" else table.rows_neg
    misranked = n * (1.0 - ratings.curve.auc)
    if misranked < number - _ROUNDING:
        warn(
            FewInfluentialWarning(
                f"the standard error depends on the {noun} that are misranked, about "
                f"{misranked:.2g} of {n:,}; below {number:g} it can be far too small.",
                measure=measure,
                classifier=ratings.name,
                value=misranked / number,
                hint=f"Collect more {noun}.",
            )
        )


def warn_about_scaled_brier(e: Estimate) -> None:
    """Warn about a scaled Brier score if one class is rare, whose distribution is then skewed."""
    if getattr(e.measure, "key", "") != "brier" or not getattr(e.measure, "scaled", False):
        return
    (n, noun), (other, _) = sorted([(e.n_pos, "positives"), (e.n_neg, "negatives")])
    if n >= _FEWEST_OF_A_RARE_CLASS or other < _RARE * n:
        return
    warn(
        FewInfluentialWarning(
            f"the standard error depends on the {noun}, of which there are {n:,}; below "
            f"{_FEWEST_OF_A_RARE_CLASS} it can be too small.",
            measure=e.measure,
            classifier=e.classifier,
            value=n / _FEWEST_OF_A_RARE_CLASS,
            hint=f"Collect more {noun}.",
        )
    )


def warn_about_corners(measure: Measure, term: Term | None, se: float) -> None:
    """Warn about ends near a corner of the curve, as on a rating scale."""
    if term is None:
        return
    ratings, curve, shifts = term.ratings, term.ratings.curve, {}
    if curve.table.size == curve.table.rows_pos + curve.table.rows_neg:
        return
    for end in term.influence.ends:
        at = curve.at(end.axis, end.bound)
        shifts[end] = abs(end.factor * corner_shift(curve, end.axis, end.bound, at))
    largest = _LARGEST_SHIFT_OF_A_RATIO if measure.divides_by_estimate else _LARGEST_SHIFT
    if not sum(shifts.values()) > largest * se:
        return
    worst = max(shifts, key=lambda end: shifts[end])
    axis = worst.axis.upper()
    hint = f"Use a value of {axis} farther from the corner."
    if not measure.region.is_point:
        hint = f"{hint[:-1]}, or bound the region with threshold=."
    warn(
        CornerWarning(
            f"{axis} {float(worst.bound):g} lies within its sampling error of a corner of the "
            "curve, where the slope changes. Intervals may exclude the true value more often on "
            "one side.",
            measure=measure,
            classifier=ratings.name,
            hint=hint,
        )
    )


def warn_about_choice(measure: Measure, ratings: Ratings) -> None:
    """Warn about a function of a maximum over thresholds, unless the curve is high.

    The limits of a maximum itself account for the bias (`pauci.intervals.extended`).
    """
    if measure.is_maximum or not any(map(attrgetter("is_chosen"), measure.regions)):
        return
    problem = Problem((ratings,), (AUC(),))
    auc, se = ratings.curve.auc, uncertainty_of_problem(problem, InfluenceVariance()).marginal(0).se
    if auc - se < _LEAST_AUC_OF_A_MAXIMUM:
        warn(
            ChosenThresholdWarning(
                "other thresholds are nearly as good, so that the largest value and its interval "
                "are biased upwards, unless the AUC less its standard error exceeds "
                f"{_LEAST_AUC_OF_A_MAXIMUM:g}.",
                measure=measure,
                classifier=ratings.name,
                hint="Specify a threshold in advance, or use variance=pauci.Bootstrap().",
            )
        )


def check_prevalence(
    measure: Measure, ratings: Ratings, size: EffectiveSize, *, force: bool | None
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
        warn(
            FarPrevalenceWarning(
                f"at a prevalence of {size.prevalence:g} effectively {k}, those with the {where} "
                f"scores, determine the value. For k below {size.enough:g} standard errors are "
                "often too small, and values mostly too high.",
                argument="prevalence",
                measure=measure,
                classifier=ratings.name,
                hint=f"Use prevalence={enough:.15g} {instead}{correction}",
            )
        )
        return
    least = size.prevalence_for(FEWEST_FOR_SE)
    instead = f"or at least {size.total_for(FEWEST_FOR_SE):,} {noun}{_ONLY}"
    avoids = f" (prevalence={enough:.15g} avoids the warning)" if enough != least else ""
    raise UndefinedError.of(
        "prevalence",
        size.prevalence,
        (
            f"is too far from that of the sample: effectively {k}, those with the {where} scores, "
            "determine ",
            measure,
            f" of {ratings.name}. For k below {FEWEST_FOR_SE:g} no standard error is reported, "
            "because even one by resampling would be unreliable.",
        ),
        hint=f"Use prevalence={least:.15g} or {towards}{avoids}, {instead} force=True reports the "
        "standard error with a warning.",
    )


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


def check_competing(rows: Rows, measure: Measure | str) -> None:
    """Raise an error for a measure of absolute risk if rows with a competing event are left out."""
    if rows.competing and (isinstance(measure, str) or measure.of_absolute_risk):
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
