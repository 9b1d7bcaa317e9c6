"""`profile`: deep ROC analysis, all measures of several groups along the curve."""

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
    r"""Estimate all measures of groups along the curve: deep ROC analysis.

    Parameters
    ----------
    sample : Sample
        One classifier, or several.
    by : {"fpr", "tpr", "threshold", "rank"}, default "fpr"
        The variable that defines the groups: the false positive rate, the true positive rate, the
        scores on the user's scale, or the rank, which is the proportion of all rows that score
        higher (0.1 to 0.2 is the second tenth from the top).
    edges : sequence of numbers, default (0, 0.1, 0.3, 1)
        Increasing limits of the groups, which must cover the whole curve: from 0 to 1, or for
        scores the range of all rows, with infinite outer limits allowed.
    ends : {"north-east", "middle"}, default "north-east"
        As for `PAUCc`, for groups by FPR or TPR.
    prevalence : number, optional
        Prevalence of positives in the target population for PPV and NPV, strictly between 0 and 1;
        the default is that of the sample.
    variance : {"influence", "delta"}, Bootstrap, Jackknife or VarianceMethod, default "influence"
        The method for standard errors, as for `estimate`.

    Returns
    -------
    Profile or Profiles
        The profile of a single classifier, or those of several.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`.
    ValueError
        For an unknown `by`, edges that do not increase or leave out a part of the curve, and the
        errors of `estimate`.

    Warns
    -----
    SamplingRatioWarning
        If a prevalence is needed for a case-control sample but is not specified.
    PauciWarning
        The warnings of `estimate`, once for each kind; ``.cautions`` of an estimate contains its
        own.

    Notes
    -----
    The groups partition the curve, so their pAUCc sum to the AUC, and so do their influence values:
    ``.total`` is the estimate of the sum, with the value and the standard error of ``.auc``
    (approximately for groups by rank with the jackknife, which leaves out rows of both classes for
    measures that depend on the prevalence). The sum of all entries of the covariance matrix of the
    parts is also the variance of the AUC, provided that there are at least five observations
    between the edges; with fewer, the variance of each part includes pseudo-observations
    (`pauci.variance.unseen`), which that of the sum does not.

    With w and h the proportions of negatives and of positives in the group, V the area below its
    piece of the curve and H the area to its right, average sensitivity Se = V/w, average
    specificity Sp = H/h, pAUCc = (V + H)/2, normalized by (w + h)/2; LR+, LR-, PPV and NPV are
    calculated from Se and Sp (`pauci.measures.groups`), and the likelihood ratio of the range is
    h/w. The toolkit of Carrington et al. averages PPV, NPV and the ratios over the points of the
    empirical curve instead, where those of single points are infinite or depend on the order of
    tied scores.

    A measure that is undefined in a group (for example, because it contains no negative) is NaN,
    and ``.undefined`` of the group gives the reason. Intervals are calculated on the scale of each
    measure: the log odds for proportions, the logarithm for likelihood ratios. The prevalence of a
    cohort is estimated, and its error is included, as is that of an edge on an axis on which it is
    not known.

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
            f"sample is a {type(sample).__name__}, but profile needs a Sample: "
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
    """Check the edges and return the groups between them."""
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
            " leaves out a part of the curve, but the groups must sum to the AUC; begin with 0 "
            "and end with 1: ",
            arg("edges", tuple(full)), ". For a single region use ",
            shown(Spelled("pauci.estimate", "pauci estimate")), ".",
        )  # fmt: skip
    if by == "rank":
        return [RankRegion(a, b) for a, b in pairwise(bounds)]
    axis: Axis = "fpr" if by == "fpr" else "tpr"
    return [AxisRegion(axis, a, b, ends) for a, b in pairwise(bounds)]


def _is_number(value: object) -> bool:
    """Return whether an edge is a number, possibly infinite, but not a boolean or NaN."""
    return not isinstance(value, bool) and isinstance(value, Real) and bool(value == value)


def _check_increasing(edges: list[Any], bounds: Sequence[Any]) -> None:
    if any(b <= a for a, b in pairwise(bounds)):
        raise InputError(
            arg("edges", tuple(edges)), " must be strictly increasing. ",
            "Did you mean ", shown(tuple(sorted(set(edges)))), "?",
        )  # fmt: skip


def _warn_about_design(sample: Sample, by: str, prevalence: float | None) -> None:
    """Warn about a prevalence that was chosen."""
    if sample.design != "case-control":
        return
    dependent = ["PPV and NPV"] if prevalence is None else []
    dependent += ["groups by rank"] if by == "rank" else []
    if not dependent:
        return
    if prevalence is None:
        advice: tuple[Any, ...] = (" Specify the prevalence for PPV and NPV by ",
                                   arg("prevalence"), ".")  # fmt: skip
    else:
        advice = (" Groups by FPR, TPR or threshold do not depend on it.",)
    warn(
        SamplingRatioWarning,
        f"{' and '.join(dependent)} depend on the prevalence, which was chosen in this "
        f"case-control sample: they hold at a proportion of {sample.prevalence:.3g} positives.",
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
    # There was a single warning about design and prevalence for all measures.
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
    """Return the quantities that are fixed by the edges."""
    return {"fpr": ("share_neg",), "tpr": ("share_pos",)}.get(by, ())


def _measure(quantity: str, region: Region, prevalence: float | None) -> Measure:
    """Return a measure of a group, as one of the public measures if possible."""
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
    """Return why a measure of a group is undefined."""
    try:
        GroupMeasure(quantity, region).on(ratings.curve)
    except UndefinedError as error:
        return error.said().rpartition("undefined here: ")[2]
    return "it is undefined in this group."


def _sum(parts: Sequence[Measure]) -> Measure:
    """Return the sum of measures as a measure, a balanced tree of pairwise sums."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return _sum(parts[:half]) + _sum(parts[half:])


def _check_covers(ratings: Ratings, regions: list[Region]) -> None:
    """Raise an error if edges leave out scores."""
    table = ratings.table
    if table.categories is not None:
        raise InputError(
            "edges are numbers, but the scores of this sample are categories; code these as "
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
            f" leaves out scores of {ratings.name}, which range from {bottom:g} to {top:g} (a "
            f"group contains {condition}), but the groups must sum to the AUC. Use open outer "
            "groups: ",
            arg("edges", full), ".",
        )  # fmt: skip


def _words(region: Region, ratings: Ratings) -> str:
    if isinstance(region, ThresholdRegion):
        return region.said(lower_is_positive=ratings.lower_is_positive)
    return str(region)
