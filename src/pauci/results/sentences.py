"""Sentences for papers about estimates and comparisons: measure, region, numbers and sizes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pauci.errors import PoorFitWarning
from pauci.intervals.analytic import Interval
from pauci.results.captions import binning_error_phrase, capitalized, effective_size_phrase
from pauci.results.margins import conclusion_phrase
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from pauci.intervals.kinds import DifferenceKind, Kind
    from pauci.results.base_comparison import BaseComparison
    from pauci.results.base_estimate import BaseEstimate


def sentence_of_estimate(e: "BaseEstimate", level: float, kind: "Kind | None") -> str:
    """Return a sentence about one estimate."""
    cells = binning_error_phrase("value", e.resolution_bound) if e.resolution_bound else ""
    few = effective_size_phrase(e.effective_size, e.measure)
    basis = "; ".join(filter(None, (e.basis, few, cells)))
    value, se = (fmt.number(v, e.se_shown) for v in (e.value, e.se))
    error = f"SE {se}"
    if e.resampled is not None:
        error = f"bootstrap {error} from {e.resampled.replicates.size:,} resamples"
    elif e.variance != "influence":
        method = "-".join(e.variance_phrase.split())
        error = ", ".join(filter(None, (f"{method} {error}", e.variance_detail)))
    return (
        f"The {e.measure.name} of {fmt.named(e.classifier)}{fmt.in_group(e.group)}{_where(e)} "
        f"was {value} "
        f"({error}; {e.interval_phrase(level, kind)}; {basis}).{_poor_fits([e])}"
    )


def _poor_fits(estimates: "Sequence[BaseEstimate]") -> str:
    """Return sentences on fitted curves that a goodness-of-fit test rejects."""
    reasons = [
        f" For {fmt.named(e.classifier)} {caution.reason}"
        for e in estimates
        for caution in e.cautions
        if isinstance(caution, PoorFitWarning)
    ]
    return "".join(dict.fromkeys(reasons))


def _where(e: "BaseEstimate") -> str:
    """Return the region of an estimate and where its ends lie on the curve."""
    region, resolved, phrase = e.measure.region, e.region, e.region.words
    if not e.measure.region_phrase:
        return ""
    if region.is_chosen:
        fpr, tpr = map(fmt.bound, (resolved.fpr.low, resolved.tpr.low))
        score = f"score {resolved.cut_text}, " if resolved.has_thresholds else ""
        return f" at {phrase} ({score}FPR {fpr}, TPR {tpr})"
    if region.is_point:
        found = resolved.has_thresholds and not region.scores
        return f" at {phrase}" + f" (score {resolved.cut_text})" * found
    axes = [("TPR", resolved.tpr), ("FPR", resolved.fpr)]
    ends = [fmt.range_phrase(name, *bounds) for name, bounds in axes if name not in phrase]
    if not region.scores and resolved.has_thresholds:
        thresholds = fmt.threshold_phrase(
            *resolved.texts, lower_is_positive=resolved.lower_is_positive
        )
        ends.append(thresholds)
    return f" over {phrase}" + f" ({', '.join(ends)})" * bool(ends)


def sentence_of_comparison(
    c: "BaseComparison",
    level: float,
    kind: "DifferenceKind | None",
    ends: Interval,
    adjusted: str = "",
    kind_phrase: str = "",
    adjusted_pvalue: float | None = None,
) -> str:
    """Return a sentence about one comparison, with the conclusion of a test against a margin.

    The interval `ends`, its kind, the adjusted p-value and the phrase about it may be those of a
    family of comparisons.
    """
    a, b = c.estimates
    test = c.inverted_test(c.null, c.alternative, kind).phrase
    method = a.source if c.resampled is not None else c.source or a.source
    source = "" if a.variance == "influence" else f"standard error: {method}, "
    used, error = kind_phrase or c.kind_used(kind), c.se_shown
    words = fmt.interval_phrase(*ends, level, used, error, c.difference, c.alternative)
    first, second, difference = (fmt.number(v, error) for v in (a.value, b.value, c.difference))
    null = f", null difference {c.null:g}" if c.null else ""
    side = fmt.side_phrase(c.alternative)
    bound = c.resolution_bound
    cells = f"; {binning_error_phrase('difference', bound)}" if bound else ""
    of_first, of_second = _of_each(c)
    return (
        f"The {c.measure.name}{c.context}{_where_both(c)} was {first}{of_first} and "
        f"{second}{of_second}: difference {difference} "
        f"({words}; {test}{adjusted}{null}{side}; "
        f"{c.pairing}, {source}{c.sizes}{cells})."
        f"{_poor_fits(c.estimates)}{_conclusion(c, ends, level, adjusted_pvalue)}"
    )


def conclusion_of_comparison(
    c: "BaseComparison", ends: Interval, level: float, adjusted_pvalue: float | None = None
) -> str:
    """Return the conclusion of a test against a margin; empty without a margin."""
    return conclusion_phrase(
        c.null,
        c.alternative,
        ends,
        level,
        c.se_shown,
        adjusted_pvalue,
        higher_is_better=c.measure.higher_is_better,
        second=fmt.named(c.second),
    )


def _conclusion(
    c: "BaseComparison", ends: Interval, level: float, adjusted_pvalue: float | None
) -> str:
    """Return a sentence with the conclusion of a test against a margin."""
    phrase = conclusion_of_comparison(c, ends, level, adjusted_pvalue)
    name = f"{fmt.difference(c.first, c.second)}{c.context}"
    return f" {capitalized(phrase)} ({name})." if phrase else ""


def _of_each(c: "BaseComparison") -> tuple[str, str]:
    """Return what distinguishes the estimates, as in ``for svm`` and ``for nn``."""
    if c.between_groups:
        first, second = (fmt.in_group(e.group) or " in all rows" for e in c.estimates)
    else:
        first, second = (f" for {fmt.named(e.classifier)}" for e in c.estimates)
    return first, second


def _where_both(c: "BaseComparison") -> str:
    """Return the region of a comparison and where its ends lie on each curve."""
    if not c.measure.region_phrase:
        return ""
    phrase = c.region_phrase
    if c.measure.region.is_point:
        return f" at {phrase}"
    others = [
        f"{fmt.range_phrase(axis.upper(), *getattr(e.region, axis))}{name}"
        for axis in ("tpr", "fpr")
        for e, name in zip(c.estimates, _of_each(c), strict=True)
        if axis.upper() not in e.region.words
    ]
    return f" over {phrase} ({', '.join(others)})" if others else f" over {phrase}"
