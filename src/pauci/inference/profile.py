"""`profile`: deep ROC analysis, every measure of each of several groups along the curve."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, Literal

import numpy as np

from pauci import checks
from pauci.accepted import MaybeSeveral, Number, RegionEnds
from pauci.calls import answering
from pauci.checks import check_choice
from pauci.curve.given import parse_bound
from pauci.curve.polyline import Axis, StepEnd
from pauci.curve.region import (
    AxisRegion,
    RankRegion,
    Region,
    ThresholdRegion,
    resolve,
)
from pauci.errors import (
    InputError,
    InputTypeError,
    SamplingRatioWarning,
    Spelled,
    UndefinedError,
    arg,
    shown,
    warn,
)
from pauci.inference.estimate import solve
from pauci.inference.sources import Variance, method_of
from pauci.inference.together import one_warning_of_a_kind
from pauci.measures.area import AUC, PAUC, PAUCc, PAUCx
from pauci.measures.base import Measure
from pauci.measures.groups import QUANTITIES, GroupMeasure
from pauci.measures.prevalence import checked_prevalence
from pauci.results.profile import Group, Profile, Profiles
from pauci.sample.rows import Ratings
from pauci.sample.sample import Sample
from pauci.variance.base import VarianceMethod

BY = ("fpr", "tpr", "threshold", "rank")


@answering
def profile(
    sample: Sample,
    by: Literal["fpr", "tpr", "threshold", "rank"] = "fpr",
    edges: Iterable[Any] = (0, 0.1, 0.3, 1),
    *,
    ends: RegionEnds = "north-east",
    prevalence: "Number | None" = None,
    variance: "Variance" = "influence",
) -> Profile | MaybeSeveral:
    r"""Describe groups along the curve: deep ROC analysis.

    Parameters
    ----------
    sample : Sample
        One classifier, or several.
    by : {"fpr", "tpr", "threshold", "rank"}, default "fpr"
        What the groups are ranges of: the false positive rate, the true positive rate, the scores
        on the user's own scale, or the rank, which is the share of all rows that score higher
        (0.1 to 0.2 is the second tenth from the top).
    edges : sequence of numbers, default (0, 0.1, 0.3, 1)
        Where groups begin and end, increasing. From 0 to 1, so that the groups are the whole
        curve; scores must hold all rows, and the outer ones may be infinite.
    ends : {"north-east", "middle"}, default "north-east"
        As for `PAUCc`, for groups by FPR or TPR.
    prevalence : number, optional
        Share of the positives in the population that PPV and NPV are meant for, strictly between 0
        and 1; the default is the sample's.
    variance : {"influence", "delta"}, Bootstrap, Jackknife or VarianceMethod, default "influence"
        Where standard errors come from, as for `estimate`.

    Returns
    -------
    Profile or Profiles
        Of one classifier, or of each of several.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`.
    ValueError
        For an unknown `by`, edges that do not increase or leave out a part of the curve, and
        whatever `estimate` refuses.

    Warns
    -----
    SamplingRatioWarning
        If the sample is case-control, and a prevalence is needed and not given.
    PauciWarning
        What `estimate` warns of, once for each kind; ``.cautions`` of an estimate has its own.

    Notes
    -----
    Groups partition the curve, so their pAUCc sum to the AUC. Their influence values do too, and
    so do the standard errors that follow: ``.total`` is the sum as an estimate of its own, with
    the value and the standard error of ``.auc`` (by rank with the jackknife nearly so, as it leaves
    out rows of both classes where the prevalence matters). The sum of all entries of the covariance
    matrix of the parts is the variance of the AUC too, wherever there are five observations between
    the edges; where there are fewer, each part by itself has an allowance for what was not seen
    (`pauci.variance.unseen`), which the sum does not need.

    With w and h the shares of the negatives and of the positives in the group, V the area below
    its piece of the curve and H that to its right, average sensitivity Se = V/w, average
    specificity Sp = H/h, pAUCc = (V + H)/2, normalized by (w + h)/2; LR+, LR-, PPV and NPV are
    those of Se and Sp (`pauci.measures.groups`), and the likelihood ratio of the range is h/w. The
    toolkit of Carrington et al. averages PPV, NPV and the ratios over the points of the staircase
    instead, where those of single points are infinite or depend on the order of tied scores.

    What has no value in a group (no negative lies inside, say) is NaN, and ``.undefined`` of the
    group says why. Intervals are on the scale of each measure: the log odds for shares, the
    logarithm for likelihood ratios. A prevalence of a cohort is estimated and its error counts; so
    is that of an edge, on whichever axis it is not known.

    References
    ----------
    A. M. Carrington et al. (2023), IEEE Transactions on Pattern Analysis and Machine Intelligence
    45:329-341.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores="svm")
    >>> p = pauci.profile(sample, by="rank", edges=(0, 0.25, 0.5, 1))
    >>> [round(g["paucc"].value, 4) for g in p], round(p.auc.value, 4)
    ([0.3445, 0.2405, 0.3734], 0.9584)
    """
    if not isinstance(sample, Sample):
        raise InputTypeError(
            f"sample is a {type(sample).__name__}, and profile takes a Sample: "
            "pauci.profile(pauci.Sample(y_true, y_score), by='fpr', edges=(0, 0.1, 0.3, 1)).",
            argument="sample",
            value=sample,
        )
    check_choice("by", by, BY)
    check_choice("ends", ends, ("north-east", "middle"))
    share = checked_prevalence(prevalence)
    regions = _regions(by, _listed(edges), "middle" if ends == "middle" else "north-east")
    method = method_of(variance)
    with one_warning_of_a_kind():
        _warn_about_design(sample, by, share)
        profiles = [_profile(sample, name, by, regions, share, method) for name in sample.names]
    return profiles[0] if len(profiles) == 1 else Profiles(tuple(profiles))


def _listed(edges: Any) -> list[Any]:
    if isinstance(edges, (str, bytes, dict, set, frozenset)):
        raise InputTypeError(arg("edges", edges), " must be a sequence of increasing numbers.")
    try:
        values = edges.tolist() if isinstance(edges, np.ndarray) else list(edges)
    except TypeError:
        values = []
    values = [v.item() if isinstance(v, np.generic) else v for v in values]
    if len(values) < 2:
        raise InputError(
            arg("edges", edges), " must hold at least the two ends of one group, such as ",
            arg("edges", (0, 0.1, 0.3, 1)), ".",
        )  # fmt: skip
    return values


def _regions(by: str, edges: list[Any], ends: StepEnd) -> list[Region]:
    """Return the groups between the edges, checked."""
    if by == "threshold":
        if not all(_is_number(e) for e in edges):
            raise InputTypeError(
                arg("edges", edges), " must be numbers on the scale of the scores."
            )
        _check_increasing(edges, edges)
        return [ThresholdRegion(float(a), float(b)) for a, b in pairwise(edges)]
    bounds = [parse_bound("edges", edges, e) for e in edges]
    _check_increasing(edges, bounds)
    if bounds[0] != 0 or bounds[-1] != 1:
        full = [*([0] if bounds[0] else []), *edges, *([1] if bounds[-1] != 1 else [])]
        raise InputError(
            arg("edges", tuple(edges)),
            " leaves out a part of the curve, and the groups are to sum to the AUC; begin with 0 "
            "and end with 1: ",
            arg("edges", tuple(full)), ". For one region alone there is ",
            shown(Spelled("pauci.estimate", "pauci estimate")), ".",
        )  # fmt: skip
    if by == "rank":
        return [RankRegion(a, b) for a, b in pairwise(bounds)]
    axis: Axis = "fpr" if by == "fpr" else "tpr"
    return [AxisRegion(axis, a, b, ends) for a, b in pairwise(bounds)]


def _is_number(value: object) -> bool:
    """Tell whether an edge is a number, infinite or not; a boolean and NaN are none."""
    return not isinstance(value, bool) and isinstance(value, Real) and bool(value == value)


def _check_increasing(edges: list[Any], bounds: Sequence[Any]) -> None:
    if any(b <= a for a, b in pairwise(bounds)):
        raise InputError(
            arg("edges", tuple(edges)), " must increase, each above the one before it. ",
            "Did you mean ", shown(tuple(sorted(set(edges)))), "?",
        )  # fmt: skip


def _warn_about_design(sample: Sample, by: str, prevalence: float | None) -> None:
    """Warn of a prevalence that was chosen."""
    if sample.design != "case-control":
        return
    what = ["PPV and NPV"] if prevalence is None else []
    what += ["groups by rank"] if by == "rank" else []
    if not what:
        return
    if prevalence is None:
        advice: tuple[Any, ...] = (" Name the prevalence that PPV and NPV are meant for with ",
                                   arg("prevalence"), ".")  # fmt: skip
    else:
        advice = (" Groups by FPR, TPR or threshold do not depend on it.",)
    warn(
        SamplingRatioWarning,
        f"{' and '.join(what)} depend on the prevalence, and in this case-control sample it was "
        f"chosen: they hold for a share of {sample.prevalence:.3g} positives.",
        *advice,
        argument="prevalence",
    )


def _profile(
    sample: Sample,
    name: str,
    by: str,
    regions: list[Region],
    prevalence: float | None,
    method: VarianceMethod,
) -> Profile:
    """Return the profile of one classifier."""
    ratings = sample.ratings(name)
    if by == "threshold":
        _check_covers(ratings, regions)
    quantities = list(QUANTITIES)
    measures: list[Measure] = []
    places: dict[tuple[int, str], int] = {}
    undefined: list[dict[str, str]] = [{} for _ in regions]
    for i, region in enumerate(regions):
        try:
            region.piece(ratings.curve)
        except UndefinedError as error:
            undefined[i] = {q: error.said() for q in quantities}
            continue
        for quantity in quantities:
            if quantity in _known(by):
                continue
            measure = _measure(quantity, region, prevalence)
            try:
                measure.on(ratings.curve)
            except UndefinedError:
                undefined[i][quantity] = _why(quantity, region, ratings)
                continue
            places[i, quantity] = len(measures)
            measures.append(measure)
    parts = [measures[places[i, "paucc"]] for i in range(len(regions)) if (i, "paucc") in places]
    measures += [_sum(parts), AUC()]
    # Design and prevalence were spoken of for all measures at once.
    solution = solve(sample, [(name, m) for m in measures], method)
    estimates = solution.estimates
    groups = []
    for i, region in enumerate(regions):
        cells = {q: estimates[places[i, q]] for q in quantities if (i, q) in places}
        where = None
        if cells:
            where = resolve(region, ratings.curve, region.piece(ratings.curve))
        low, high = (float(region.low), float(region.high))  # type: ignore[union-attr]
        groups.append(Group(i, low, high, _words(region, ratings), where, cells, undefined[i]))
    matrix = np.array(solution.uncertainty.matrix)
    edges = (groups[0].low, *(g.high for g in groups))
    return Profile(
        name, by, edges, tuple(groups), tuple(estimates[:-2]), checks.read_only(matrix[:-2, :-2]),
        estimates[-2], estimates[-1], sample.prevalence if prevalence is None else prevalence,
        prevalence is not None,
    )  # fmt: skip


def _known(by: str) -> tuple[str, ...]:
    """Return what the edges say of a group beforehand."""
    return {"fpr": ("share_neg",), "tpr": ("share_pos",)}.get(by, ())


def _measure(quantity: str, region: Region, prevalence: float | None) -> Measure:
    """Return a measure of a group: one of those that `estimate` has, where it has it."""
    kinds: dict[str, Any] = {
        "paucc": (PAUCc, False), "normalized": (PAUCc, True), "sensitivity": (PAUC, True),
        "specificity": (PAUCx, True),
    }  # fmt: skip
    if quantity in kinds and not isinstance(region, RankRegion):
        kind, normalized = kinds[quantity]
        if isinstance(region, ThresholdRegion):
            made: Measure = kind(threshold=(region.low, region.high), normalized=normalized)
        else:
            assert isinstance(region, AxisRegion)
            made = kind(
                **{region.axis: (region.low, region.high)}, ends=region.ends, normalized=normalized
            )
        return made
    by_prevalence = QUANTITIES[quantity].by_prevalence
    return GroupMeasure(quantity, region, prevalence if by_prevalence else None)


def _why(quantity: str, region: Region, ratings: Ratings) -> str:
    """Return why a measure of a group has no value."""
    try:
        GroupMeasure(quantity, region).on(ratings.curve)
    except UndefinedError as error:
        return error.said().rpartition("undefined here: ")[2]
    return "it has no value in this group."


def _sum(parts: Sequence[Measure]) -> Measure:
    """Return the sum of measures as a measure, in the shape of a balanced tree."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return _sum(parts[:half]) + _sum(parts[half:])


def _check_covers(ratings: Ratings, regions: list[Region]) -> None:
    """Refuse edges that leave out scores."""
    table = ratings.table
    if table.categories is not None:
        raise InputError(
            "edges are numbers, and the scores of this sample are categories; score them "
            f"0, 1, ... in the order {', '.join(map(repr, table.categories))}.",
            argument="edges",
        )
    scores = [float(table.threshold(k)) for k in (0, table.size - 1)]  # type: ignore[arg-type]
    first, last = regions[0], regions[-1]
    assert isinstance(first, ThresholdRegion)
    assert isinstance(last, ThresholdRegion)
    bottom, top = min(scores), max(scores)
    lower = table.lower_is_positive
    holds = (
        first.low < bottom and top <= last.high
        if lower
        else (first.low <= bottom and top < last.high)
    )
    if not holds:
        edges = [first.low, *(r.high for r in regions)]  # type: ignore[union-attr]
        condition = "low < score <= high" if lower else "low <= score < high"
        full = (-math.inf, *edges[1:-1], math.inf)
        raise InputError(
            arg("edges", tuple(edges)),
            f" leaves out scores of {ratings.name}, which run from {bottom:g} to {top:g} (a group "
            f"holds {condition}), and the groups are to sum to the AUC. Let the outer ones be "
            "open: ",
            arg("edges", full), ".",
        )  # fmt: skip


def _words(region: Region, ratings: Ratings) -> str:
    if isinstance(region, ThresholdRegion):
        return region.said(lower_is_positive=ratings.lower_is_positive)
    return str(region)
