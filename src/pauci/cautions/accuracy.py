"""Warnings about the accuracy of results: all conditions in one table, and what issues them.

The reference documentation shows the conditions of this table. They depend on the design: the sizes
of the classes, the clusters and weights, the measure and its region. Statistics of the sample
itself, such as the skewness of its influence values, are not used, because the samples with the
narrowest intervals are those that lack the rare observations.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from pauci.curve.region import WHOLE, Piece
from pauci.errors import (
    ChosenThresholdWarning,
    DegenerateWarning,
    DominantWeightsWarning,
    FewClustersWarning,
    FewInfluentialWarning,
    PauciWarning,
    PlanningWarning,
    SmallRegionWarning,
    collected_warnings,
    warn,
)
from pauci.measures.base import Combination, Measure
from pauci.results.estimates import Estimate
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.tables import number_format as fmt


class Condition(NamedTuple):
    """A condition under which the interval or the test of a result may be inaccurate."""

    warning: type[PauciWarning]
    words: str
    """The condition, with braces in place of the number."""
    number: float
    evidence: str
    """Coverage of 95% intervals of the validation study, unless stated otherwise."""

    def __str__(self) -> str:
        return self.words.format(f"{self.number:g}")


EXTREME = Condition(
    DegenerateWarning,
    "If the standard error is {}, or the value is at an end of its range. The interval then "
    "depends only on the numbers of observations.",
    0,
    "98%",
)

FEW_INSIDE = Condition(
    SmallRegionWarning,
    "If fewer than {} observations are expected in a range of the FPR or TPR: the length of the "
    "range times the number of negatives or positives.",
    2,
    "63% or more with 12 to 20 rows of a class, and 55% or more on average over such folds; 85% or "
    "more if two are expected (in simulations)",
)

FEW_OF_A_RARE_CLASS = Condition(
    SmallRegionWarning,
    "If fewer than {} observations are expected in such a range, the other class is at least five "
    "times as large, and no end of the region is estimated, as for `PAUC` over a range of the FPR.",
    3,
    "89.7% or more with 12 to 20 rows of the class if three are expected (in simulations)",
)

FEW_IN_A_RATIO = Condition(
    SmallRegionWarning,
    "If fewer than {} observations are expected in the range of an area in a ratio of two areas.",
    3,
    "below 90% in 36% of such cells, and in 4% of the others",
)

FEW_BEYOND = Condition(
    SmallRegionWarning,
    "If less than {} observation is expected beyond a point of the curve: the FPR times the number "
    "of negatives, or 1 - TPR times the number of positives.",
    1,
    "46% or more, and below 90% in 44% of such cells; 84% or more if one is expected (in "
    "simulations)",
)

FEW_SCORES = Condition(
    SmallRegionWarning,
    "If a class has no observation in a range of scores.",
    1,
    "90% for `PAUCc`, and 97% for `PAUC`",
)

FEW_CLUSTERS = Condition(
    FewClustersWarning,
    "If fewer than {} clusters contain one of the classes, or a few clusters have nearly all of "
    "its rows, by Kish's effective number.",
    5,
    "tests with 3 clusters of a class reject in up to 15%",
)

DOMINANT_WEIGHTS = Condition(
    DominantWeightsWarning,
    "If the rows of a class are equivalent to fewer than {} rows of equal weight, and to fewer "
    "than half of their number.",
    5,
    "that of as few rows",
)

FEW_OF_A_CLASS = Condition(
    FewInfluentialWarning,
    "If estimates of different rows are compared, as of groups or of independent samples, and one "
    "of them has fewer than {} positives or negatives.",
    10,
    "tests reject in up to 9% with ten observations of a class, 11% with seven, 14% with five and "
    "17% with three (in simulations)",
)

FAR_PREVALENCE = Condition(
    ChosenThresholdWarning,
    "If the largest kappa at a given prevalence is determined by effectively fewer than {} "
    "observations of a class, and by fewer than in the sample.",
    25,
    "73 to 98% at 8, and 13 to 75% at 0.5 (in simulations)",
)

CHOSEN = Condition(
    ChosenThresholdWarning,
    "If the largest kappa is averaged over folds or a part of another measure, so that the limits "
    "do not allow for the choice of the threshold.",
    0,
    "23 to 82% for averages over folds (in simulations)",
)

FEW_IN_PILOT = Condition(
    PlanningWarning,
    "If a sample size is planned at a prevalence at which effectively fewer than {} observations "
    "of a class of the pilot determine the measure, and fewer than it has.",
    25,
    "the standard error of `AP` is 0.84 of the standard deviation at 5 to 12",
)

NO_INTERVAL = Condition(
    FewInfluentialWarning,
    "For `InitialTPR`, which is reported without an interval and without a test.",
    0,
    "below 90% in 32% of the cells, whatever the kind of interval",
)

OF_ESTIMATES = (
    EXTREME,
    FEW_INSIDE,
    FEW_OF_A_RARE_CLASS,
    FEW_IN_A_RATIO,
    FEW_BEYOND,
    FEW_SCORES,
    FEW_CLUSTERS,
    DOMINANT_WEIGHTS,
    FEW_OF_A_CLASS,
    FAR_PREVALENCE,
    CHOSEN,
    NO_INTERVAL,
)
"""The conditions under which `pauci.estimate` issues warnings."""

CONDITIONS = (*OF_ESTIMATES, FEW_IN_PILOT)

_TIMES = 5
"""A class is rare if the other has at least this many times its observations."""

_SLACK = 0.95
"""Smallest ratio of an effective number to that of the sample for which both are treated as
equal."""

_ROUNDING = 1e-9
"""Rounding error of a proportion times a number of rows."""


def warn_about_estimate(e: Estimate, ratings: Ratings, piece: Piece) -> None:
    """Warn about an estimate of a sample of positives and negatives."""
    tied = ratings.table.size == 1
    if not e.measure.has_interval:
        warn_without_interval(e.measure, ratings.name)
    elif e.degenerate and (e.binomial is None or tied):
        warn_about_degenerate(e, tied=tied)
    elif e.measure.regions != (WHOLE,):
        warn_about_regions(e.measure, ratings, piece)
        warn_about_maximum(e)


def warn_about_degenerate(e: Estimate, *, tied: bool = False) -> None:
    """Warn about an estimate with standard error 0, or at an end of its range."""
    reason = "standard error 0"
    if e.se > e.least_se:
        reason = "a value at an end of its range"
    elif e.se > EXTREME.number:
        reason = (
            f"standard error {fmt.number(e.se, e.se)}, too small for the number of observations"
        )
    reason += ", because all scores are tied" if tied else ""
    finding = f"the estimate, {value_in_words(e.measure, e.value)}, has {reason}"
    warn(
        DegenerateWarning(
            f'{finding}, and intervals of kind "{e.kind_used()}" are used, which depend only on '
            "the number of observations.",
            finding=finding,
            measure=e.measure,
            classifier=e.classifier,
        )
    )


def value_in_words(measure: Measure, value: float) -> str:
    """Return a value on the scale of tables: of a partial area, the average rate with its name."""
    if measure.as_average is None:
        return fmt.number(value)
    name, factor = measure.as_average
    return f"an {name} of {fmt.number(value * factor)}"


def with_degenerate_caution(e: Estimate) -> Estimate:
    """Return an estimate with the warning about a standard error of 0, if it applies."""
    if not e.degenerate:
        return e
    with collected_warnings() as cautions:
        warn_about_degenerate(e)
    return replace(e, cautions=(*e.cautions, *cautions))


def warn_without_interval(measure: Measure, classifier: str) -> None:
    """Warn that a measure has no interval."""
    warn(
        FewInfluentialWarning(
            "no interval and no test are reported, because in many samples few observations "
            "determine the ratio, and intervals of every kind cover too little.",
            measure=measure,
            classifier=classifier,
            hint="Report intervals of AP(rescaled=True) and AUC(rescaled=True).",
        )
    )


def warn_about_regions(measure: Measure, ratings: Ratings, piece: Piece) -> None:
    """Warn about few expected observations, in a region or beyond a point, of their class."""
    few = [c for c in _counts(measure, ratings, piece) if c[0] < c[1].number - _ROUNDING]
    if not few:
        return
    number, condition, axis, phrase = min(few, key=lambda c: c[0] / c[1].number)
    noun, total = "positives", ratings.curve.table.rows_pos
    if axis == "fpr":
        noun, total = "negatives", ratings.curve.table.rows_neg
    finding = f"{number:.3g} of {total:,} {noun} {phrase}"
    beyond = condition is FEW_BEYOND
    warn(
        SmallRegionWarning(
            f"{finding}; below {condition.number:g}, 95% intervals can cover less than 90%.",
            finding=finding,
            measure=measure,
            classifier=ratings.name,
            value=number,
            hint="Use a larger FPR or a smaller TPR." if beyond else "Use a wider region.",
        )
    )


def _counts(
    measure: Measure, ratings: Ratings, piece: Piece
) -> Iterator[tuple[float, Condition, str, str]]:
    """Yield the numbers of observations in each region, the conditions on them, and their class.

    For a range on an axis the number is fixed in advance: n times the length of the range. The
    other class is not counted, because the standard error accounts for few observations of it. For
    a point it is the number with scores above that of the FPR, or below that of the TPR, where the
    curve of the sample has at most the first step.
    """
    table = ratings.curve.table
    rows = {"tpr": table.rows_pos, "fpr": table.rows_neg}
    for region in measure.regions:
        if region.is_point and region.axis is not None:
            share, phrase = region.bounds.low, "up to"
            if region.axis == "tpr":
                share, phrase = 1.0 - share, "beyond"
            number = rows[region.axis] * share
            yield number, FEW_BEYOND, region.axis, f"are expected {phrase} {region}"
        if region is WHOLE or region.is_point:
            continue
        start, end = piece if region is measure.region else region.piece(ratings.curve)
        for side in region.sides:
            if side.axis is None:
                for axis, n in rows.items():
                    inside = n * (getattr(end, axis) - getattr(start, axis))
                    yield inside, FEW_SCORES, axis, f"lie in {side}"
            else:
                n, other = rows[side.axis], rows["tpr" if side.axis == "fpr" else "fpr"]
                condition = FEW_IN_A_RATIO if _is_ratio(measure) else FEW_INSIDE
                if measure.known_ends and other >= _TIMES * n:
                    condition = FEW_OF_A_RARE_CLASS
                yield n * side.width, condition, side.axis, f"are expected in {side}"


def _is_ratio(measure: Measure) -> bool:
    """Return whether a measure, or a part of it, is a ratio of two measures."""
    return isinstance(measure, Combination) and (
        measure.operation == "/" or any(map(_is_ratio, measure.parts))
    )


def warn_about_few_of_a_class(estimates: Iterable[Estimate]) -> None:
    """Warn about estimates of few rows of a class that are compared with those of other rows.

    Few clusters have their own warning.
    """
    for e in estimates:
        number, noun = min(zip(e.rows.units, ("positives", "negatives"), strict=True))
        if e.rows.clusters is None and number < FEW_OF_A_CLASS.number:
            warn(
                FewInfluentialWarning(
                    f"{e.full_name} has {number:.3g} {noun}; with fewer than "
                    f"{FEW_OF_A_CLASS.number:g}, tests of differences from estimates of other rows "
                    "reject too often, and their intervals are too narrow."
                )
            )


def warn_about_maximum(e: Estimate) -> None:
    """Warn about a maximum over thresholds whose limits do not allow for the choice."""
    if not any(map(attrgetter("is_chosen"), e.measure.regions)):
        return
    k, reason = e.effective_size, ""
    hint = "Specify a threshold in advance."
    if e.folds is not None or (isinstance(e.measure, Combination) and e.resampled is None):
        place = "averages over folds" if e.folds is not None else "functions of it"
        reason = f"the threshold is chosen on the same data, so that {place} are biased upwards."
    elif k is not None and _is_below(FAR_PREVALENCE, k, e.rows.units):
        reason = (
            f"at this prevalence effectively {k:.3g} observations of a class determine the value; "
            f"below {FAR_PREVALENCE.number:g} it is biased upwards."
        )
        hint = "Use a prevalence closer to that of the sample."
    if reason:
        warn(ChosenThresholdWarning(reason, measure=e.measure, classifier=e.classifier, hint=hint))


def warn_about_pilot(measure: Measure, units: tuple[float, float]) -> None:
    """Warn about a pilot with few effective observations at the planned prevalence."""
    k = measure.effective_size(*units)
    if k is not None and _is_below(FEW_IN_PILOT, k, units):
        warn(
            PlanningWarning(
                (
                    f"in the pilot effectively {k:.3g} observations of a class determine ",
                    measure,
                    f"; below {FEW_IN_PILOT.number:g} the standard error is often too small, and "
                    "so is the planned sample size.",
                ),
                argument="prevalence",
                hint="Use a larger pilot.",
            )
        )


def _is_below(condition: Condition, k: float, units: tuple[float, float]) -> bool:
    """Return whether a prevalence makes an effective number smaller than required."""
    return k < min(condition.number, _SLACK * min(units))


def warn_about_rows(rows: Rows, *, resampled: bool) -> None:
    """Warn about few clusters, and about weights or sizes of clusters with few effective units.

    The bootstrap has its own warning about few clusters.
    """
    few = rows.has_clusters and min(rows.units) < FEW_CLUSTERS.number
    if few and not resampled:
        warn(
            FewClustersWarning(
                f"{rows.few_clusters}: standard errors from so few clusters are unreliable and "
                "usually too small.",
                argument="cluster",
            )
        )
    if rows.independent or (few and not rows.has_weights):
        return
    noun = "clusters" if rows.has_clusters else "rows"
    what = "weight" if rows.has_weights else "rows"
    fewest = DOMINANT_WEIGHTS if rows.has_weights else FEW_CLUSTERS
    for label, effective, count in rows.effective_classes:
        if effective < min(fewest.number, count / 2.0):
            warn(
                fewest.warning(
                    f"a few {noun} have nearly all the {what} of the {label}, which are "
                    f"equivalent to {effective:.3g} {noun} of equal weight: standard errors from "
                    f"fewer than {fewest.number:g} {noun} are unreliable and usually too small.",
                    argument="weight" if rows.has_weights else "cluster",
                )
            )
