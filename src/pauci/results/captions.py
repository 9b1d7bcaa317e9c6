"""Phrases of captions, notes and sentences.

Conclusions of one-sided tests against a margin: non-inferiority, or superiority by a margin.

A difference first - second is tested against a null value with an alternative on one side. If the
alternative favours the first (larger values of a measure whose larger values are better, or smaller
values of one like `Brier`), the conclusion is about the first, and otherwise about the second. It
follows from the one-sided bound of the difference: with the alternative "greater", the first is not
inferior by m if the lower bound is above -m, and superior by more than m if it is above m.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pauci.errors import PoorFitWarning, ResolutionWarning
from pauci.intervals.analytic import Alternative, Interval
from pauci.measures.base import Measure
from pauci.sample.rows import DataSizes
from pauci.tables import number_format as fmt
from pauci.tables.table import Note, Part, Verbatim, difference_of

if TYPE_CHECKING:
    from pauci.intervals.analytic import DifferenceKind, Kind
    from pauci.results.comparison import Comparison
    from pauci.results.estimates import Estimate

_MAX_LISTED = 6

"""Largest number of classifiers or measures that a caption lists; longer lists are counted."""


def measures_phrase(
    measures: Sequence[Measure], regions: Sequence[str] | None = None, *, capital: bool = True
) -> tuple[str, ...]:
    """Return the measures of a table with their regions, as the beginning of a caption.

    Inside a sentence, `capital` is False. `regions` are the regions in words, one for each measure,
    if they were resolved on data.
    """
    words = regions or [m.region_phrase for m in measures]
    phrases = list(
        dict.fromkeys(
            (m.name, m.label, f" {m.region.preposition} {w}" if m.region_phrase else "")
            for m, w in zip(measures, words, strict=True)
        )
    )
    if len(phrases) > _MAX_LISTED:
        return (f"{len(phrases)} measures",)
    *first, last = [label + where for _, label, where in phrases]
    text = f"{', '.join(first)} and {last}" if first else phrases[0][0] + phrases[0][2]
    return (capitalized(text) if capital else text,)


def region_suffix(measure: Measure) -> str:
    """Return the region of a measure as text after its name; empty if it has none."""
    return f" {measure.region.preposition} {measure.region_phrase}" * bool(measure.region_phrase)


def capitalized(text: str) -> str:
    """Return a phrase with a capital letter, unless it starts with a symbol such as pAUC."""
    return text[:1].upper() + text[1:] if re.match(r"[a-z]+\b", text) else text


def classifiers_phrase(names: Iterable[str]) -> Iterator[str | Part]:
    """Yield the names of classifiers as a list in words, or their number if there are many."""
    return names_phrase(names, "classifiers")


def names_phrase(names: Iterable[str], noun: str) -> Iterator[str | Part]:
    """Yield names as a list in words, or their number if there are many."""
    distinct = list(dict.fromkeys(names))
    if len(distinct) > _MAX_LISTED:
        yield f"{len(distinct):,} {noun}"
        return
    for i, name in enumerate(distinct):
        if i:
            yield " and " if i == len(distinct) - 1 else ", "
        yield Verbatim(name)


def classifier_or_difference(names: Sequence[str]) -> tuple[str | Part, ...]:
    """Return the name of one classifier, or that of the difference of two."""
    return difference_of(*names) if len(names) == 2 else (Verbatim(names[0]),)


def list_or_count(words: Sequence[str], noun: str) -> str:
    """Return phrases as a list in words, or their number if there are many."""
    if len(words) > _MAX_LISTED:
        return f"{len(words)} {noun}"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def notes_with_count(first: str, others: int) -> list[Note]:
    """Return notes with the first caution of a kind and the number of further ones."""
    if not others:
        return [Note(first)]
    return [
        Note(f"{first} ({others} more: see .cautions)", page=False),
        Note(f"{first} ({others} more of this kind).", text=False),
    ]


def intervals_phrase(
    level: float, kinds: str, n: int = 2, *, alternative: str = "two-sided"
) -> str:
    """Return a phrase such as ``95% logit confidence intervals``, in the singular if n is 1.

    One-sided intervals are confidence bounds.
    """
    if alternative != "two-sided":
        return f"{bound_phrase(level, kinds, alternative)}{'s' * (n > 1)}"
    named, listed = (f" {kinds}", "") if "," not in kinds else ("", f" ({kinds})")
    phrase = f"{fmt.percent(level)}{named} confidence interval{'s' * (n > 1)}{listed}"
    return f"a {phrase}" if n == 1 else phrase


def intervals_note(level: float, kinds: str, alternative: str) -> str:
    """Return the beginning of a note about intervals, or about the bounds of one-sided ones."""
    if alternative == "two-sided":
        return f"{fmt.percent(level)} intervals: {kinds}"
    return capitalized(intervals_phrase(level, kinds, alternative=alternative))


def bound_phrase(level: float, kinds: str, alternative: str) -> str:
    """Return a phrase for a one-sided limit, such as ``lower 95% Wald confidence bound``."""
    side = "lower" if alternative == "greater" else "upper"
    return f"{side} {fmt.percent(level)} {kinds} confidence bound"


def class_sizes_phrase(estimates: "Iterable[Estimate]") -> tuple[Part | str, ...]:
    """Return the class sizes, by classifier if they differ, after a semicolon."""
    words = {}
    for e in estimates:
        words[e.full_name] = str(DataSizes(e.n_pos, e.n_neg, e.clusters))
    if len(set(words.values())) == 1:
        return (f"; {next(iter(words.values()))}",)
    if len(words) > _MAX_LISTED:
        return ("; class sizes of each classifier in the notes",)
    return tuple(part for name, n in words.items() for part in ("; ", Verbatim(name), f": {n}"))


def prevalence_phrase(prevalence: float, design: str, assumed: bool) -> str:
    """Return a phrase such as ``Prevalence 0.1 (specified)``, with the source in parentheses."""
    source = "sampling ratio" if design == "case-control" else "of the sample"
    return f"Prevalence {prevalence:.4g} ({'specified' if assumed else source})"


def abbreviations_of(measures: Iterable[Measure]) -> dict[str, str]:
    """Return the meanings of the symbols of measures."""
    pairs = {m.symbol: m.title for m in measures}
    return {k: v for k, v in pairs.items() if v and k not in v and " " not in k}


def designs_of(estimates: "Iterable[Estimate]") -> str:
    """Return the designs of the samples."""
    return ", ".join(dict.fromkeys(e.design for e in estimates))


def phrase_by_name(phrases: dict[str, str]) -> tuple[Part | str, ...]:
    """Return the phrase that all estimates share, or all phrases preceded by their names."""
    if len(set(phrases.values())) == 1:
        return tuple(phrases.values())[:1]
    parts: list[Part | str] = []
    for name, phrase in phrases.items():
        parts += ["; "] * bool(parts) + [Verbatim(name), f": {phrase}"]
    return tuple(parts)


def sizes_of(comparisons: "Sequence[Comparison]") -> tuple[Part | str, ...]:
    """Return the sample sizes of comparisons, by name if samples or groups differ in size."""
    if comparisons[0].paired:
        return phrase_by_name({fmt.name_of_group(c.group): c.sizes for c in comparisons})
    names = [(c.first, c.second) for c in comparisons]
    sizes = {
        name: e.basis
        for both, c in zip(names, comparisons, strict=True)
        for name, e in zip(both, c.estimates, strict=True)
    }
    if len(sizes) == 2:
        return (comparisons[0].sizes,)
    phrases = phrase_by_name(sizes)
    each = "group" if comparisons[0].between_groups else "sample"
    return phrases if len(phrases) > 1 else (f"{phrases[0]} in each {each}",)


def compared_in_caption(comparisons: "Sequence[Comparison]") -> tuple[Part | str, ...]:
    """Return the measures, classifiers and pairing of several comparisons for a caption."""
    measures = [c.measure for c in comparisons]
    of_classifiers: list[Part | str] = []
    if any(c.between_groups for c in comparisons):
        of_classifiers = [
            " of ",
            *classifiers_phrase(c.estimates[0].classifier for c in comparisons),
        ]
    return (
        *measures_phrase(measures, [c.region_phrase for c in comparisons], capital=False),
        *of_classifiers,
        " between ",
        *names_phrase(
            [name for c in comparisons for name in (c.first, c.second)],
            "groups" if of_classifiers else "classifiers",
        ),
        f" ({comparisons[0].pairing})",
    )


def sizes_in_caption(comparisons: "Sequence[Comparison]") -> tuple[Part | str, ...]:
    """Return the sample sizes of comparisons for a caption, or a reference to the notes."""
    parts = sizes_of(comparisons)
    return (
        parts if len(parts) <= 3 * _MAX_LISTED else ("class sizes of each classifier in the notes",)
    )


def effective_size_phrase(size: float | None, measure: Measure) -> str:
    """Return the effective sample size in words; empty if it is large enough."""
    limits = measure.effective_size(1.0, 1.0)
    if size is None or limits is None or size >= limits.enough:
        return ""
    return f"effective sample size {size:.3g} at this prevalence"


def binning_error_phrase(noun: str, bound: float) -> str:
    """Return the bound of the binning error of a value or a difference."""
    if math.isnan(bound):
        return f"scores were counted in cells, and the binning error of the {noun} is unknown"
    if math.isinf(bound):
        return f"scores were counted in cells, and the binning error of the {noun} is unbounded"
    return (
        f"scores were counted in cells: the binning error of the {noun} is at most "
        f"{fmt.rounded_up(bound)}, and the interval is extended by this amount"
    )


def binning_notes(estimates: "Iterable[Estimate]") -> list[Note]:
    """Return notes with the bounds of the binning errors of estimates."""
    return [
        Note((*name_before_note(e), f"{binning_error_phrase('value', e.resolution_bound)}."))
        for e in estimates
        if e.resolution_bound != 0.0
    ]


def binning_notes_on_differences(comparisons: "Iterable[Comparison]") -> list[Note]:
    """Return notes with the bounds of the binning errors of differences."""
    notes = []
    for c in comparisons:
        if c.resolution_bound != 0.0:
            phrase = binning_error_phrase("difference", c.resolution_bound)
            name = difference_of(c.first, c.second)
            notes.append(Note((*name, f" {c.measure.label}{c.context}: {phrase}.")))
    return notes


def name_before_note(e: "Estimate") -> tuple[Part | str, ...]:
    """Return the classifier and measure of an estimate, before a note on it."""
    return Verbatim(e.full_name), f" {e.measure.label}: "


def caution_notes(estimates: "Sequence[Estimate]") -> list[Note]:
    """Return the cautions of estimates, each with the estimates to which it applies."""
    affected: dict[str, list[Estimate]] = {}
    for e in estimates:
        if phrase := effective_size_phrase(e.effective_size, e.measure):
            affected.setdefault(f"{phrase}.", []).append(e)
    for e in estimates:
        # Binning errors are reported by `binning_notes`.
        cautions = [c for c in e.cautions if type(c) is not ResolutionWarning]
        for reason in dict.fromkeys(c.reason for c in cautions):
            affected.setdefault(reason, []).append(e)
    return [Note((*_names_before_note(es), reason)) for reason, es in affected.items()]


def _names_before_note(estimates: "Sequence[Estimate]") -> tuple[Part | str, ...]:
    """Return the classifiers and measures of estimates, or their number if there are many."""
    if len(estimates) > _MAX_LISTED:
        return (f"{len(estimates)} estimates: ",)
    parts: list[Part | str] = []
    for e in estimates:
        parts += [", "] * bool(parts) + [Verbatim(e.full_name), f" {e.measure.label}"]
    return (*parts, ": ")


def conclusion_phrase(
    null: float,
    alternative: Alternative,
    ends: Interval,
    level: float,
    error: float,
    pvalue: float | None = None,
    *,
    higher_is_better: bool | None = True,
    second: str = "",
) -> str:
    """Return the margin, the conclusion and the bound of the difference; empty without a margin.

    Parameters
    ----------
    null, alternative : float, str
        The hypotheses about the difference first - second.
    ends : Interval
        The one-sided interval of the difference at this level.
    level : float
        Confidence level of the bound; the size of the test is 1 - level.
    error : float
        The standard error that determines the decimals.
    pvalue : float, optional
        The adjusted p-value that decides instead of the bound.
    higher_is_better : bool, optional
        Whether larger values of the measure are better; None if neither is.
    second : str
        The name of the second, for conclusions about it.
    """
    if not null or alternative == "two-sided":
        return ""
    greater = alternative == "greater"
    bound = ends.low if greater else ends.high
    beyond = bound > null if greater else bound < null
    is_shown = beyond if pvalue is None else pvalue < 1.0 - level
    shown, claim = _claims(null, higher_is_better, second, greater=greater)
    side = f"{'lower' if greater else 'upper'} {fmt.percent(level)} bound"
    number = fmt.number(bound, error, distinct_from=(null,)) if math.isfinite(bound) else str(bound)
    adjusted = "" if pvalue is None else f", adjusted {fmt.p_value(pvalue)}"
    return f"{shown if is_shown else f'{claim} not shown'}: {side} {number}{adjusted}"


def _claims(
    null: float, higher_is_better: bool | None, second: str, *, greater: bool
) -> tuple[str, str]:
    """Return the conclusion of a test that rejects, and the claim of one that does not."""
    inferiority = (null < 0.0) == greater
    margin = f"{'at margin' if inferiority else 'by more than'} {abs(null):g}"
    if higher_is_better is None:
        shown = f"difference {'above' if greater else 'below'} {null:g}"
        claim = shown
    elif greater == higher_is_better or not second:
        shown = f"{'non-inferior' if inferiority else 'superior'} {margin}"
        claim = f"{'non-inferiority' if inferiority else 'superiority'} {margin}"
    else:
        claim = f"{'non-inferiority' if inferiority else 'superiority'} of {second} {margin}"
        shown = f"{claim} shown"
    return shown, claim


def sentence_of_estimate(e: "Estimate", level: float, kind: "Kind | None") -> str:
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


def _poor_fits(estimates: "Sequence[Estimate]") -> str:
    """Return sentences on fitted curves that a goodness-of-fit test rejects."""
    reasons = [
        f" For {fmt.named(e.classifier)} {caution.reason}"
        for e in estimates
        for caution in e.cautions
        if isinstance(caution, PoorFitWarning)
    ]
    return "".join(dict.fromkeys(reasons))


def _where(e: "Estimate") -> str:
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
    c: "Comparison",
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
    c: "Comparison", ends: Interval, level: float, adjusted_pvalue: float | None = None
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
    c: "Comparison", ends: Interval, level: float, adjusted_pvalue: float | None
) -> str:
    """Return a sentence with the conclusion of a test against a margin."""
    phrase = conclusion_of_comparison(c, ends, level, adjusted_pvalue)
    name = f"{fmt.difference(c.first, c.second)}{c.context}"
    return f" {capitalized(phrase)} ({name})." if phrase else ""


def _of_each(c: "Comparison") -> tuple[str, str]:
    """Return what distinguishes the estimates, as in ``for svm`` and ``for nn``."""
    if c.between_groups:
        first, second = (fmt.in_group(e.group) or " in all rows" for e in c.estimates)
    else:
        first, second = (f" for {fmt.named(e.classifier)}" for e in c.estimates)
    return first, second


def _where_both(c: "Comparison") -> str:
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
