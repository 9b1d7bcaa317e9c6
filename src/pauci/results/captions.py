"""Phrases of captions, notes and sentences.

Conclusions of one-sided tests against a margin: non-inferiority, or superiority by a margin.

A difference first - second is tested against a null value with an alternative on one side. If the
alternative favours the first (larger values of a measure whose larger values are better, or smaller
values of one like `Brier`), the conclusion is about the first, and otherwise about the second. It
follows from the one-sided bound of the difference: with the alternative "greater", the first is not
inferior by m if the lower bound is above -m, and superior by more than m if it is above m.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pauci.errors import PoorFitWarning
from pauci.intervals.analytic import Interval
from pauci.measures.base import Measure
from pauci.tables import number_format as fmt
from pauci.tables.table import Note, Part, Verbatim, difference_of

if TYPE_CHECKING:
    from pauci.intervals.analytic import DifferenceKind, Kind
    from pauci.results.comparison import Comparison
    from pauci.results.estimates import Estimate

_MAX_LISTED = 6

"""Largest number of classifiers or measures that a caption lists; longer lists are counted."""


def name_on(measure: Measure, rest: str) -> str:
    """Return the name of a measure, with the curve that `rest`, the statement on the rows, names.

    Measures of marks are those of an AFROC, FROC or LROC curve.
    """
    name, curve = measure.name, getattr(rest, "curve", "ROC")
    named = re.sub(r"\bROC curve", f"{curve} curve", name)
    return named if f"{curve} curve" in named or curve == "ROC" else f"{curve} {named}"


def measures_phrase(
    measures: Sequence[Measure],
    regions: Sequence[str] | None = None,
    *,
    capital: bool = True,
    rest: str = "",
) -> tuple[str, ...]:
    """Return the measures of a table with their regions, as the beginning of its title.

    Inside a sentence, `capital` is False. `regions` are the regions in words, one for each measure,
    if they were resolved on data. `rest` is the statement on the rows.
    """
    labels = {}
    for measure, words in zip(measures, regions or [""] * len(measures), strict=True):
        where = region_suffix(measure, words)
        labels[name_on(measure, rest) + where] = measure.label + where
    if len(labels) > _MAX_LISTED:
        return (f"{len(labels)} measures",)
    *first, last = labels.values()
    text = f"{', '.join(first)} and {last}" if first else next(iter(labels))
    return (capitalized(text) if capital else text,)


def region_suffix(measure: Measure, region: str = "") -> str:
    """Return the region of a measure as text after its name; empty if it has none.

    `region` are the words of the region if it was resolved on data.
    """
    if not measure.region_phrase:
        return ""
    return f" {measure.region.preposition} {region or measure.region_phrase}"


def capitalized(text: str) -> str:
    """Return a phrase with a capital letter, unless it starts with a symbol such as pAUC."""
    return text[:1].upper() + text[1:] if re.match(r"[a-z]+\b", text) else text


def noun_of_names(estimates: "Iterable[Estimate]") -> str:
    """Return the noun for many names, which in a sample of several classes contain the class."""
    several = any(e.positive_class is not None for e in estimates)
    return "classifiers and classes" if several else "classifiers"


def names_phrase(names: Iterable[str], noun: str = "classifiers") -> Iterator[str | Part]:
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


def names_compared(c: "Comparison") -> tuple[str, str, str]:
    """Return both names of a comparison, and the noun for what they are."""
    noun = fmt.noun_of_group(c.group) if c.between_groups else "classifier"
    return c.first, c.second, noun


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
        side = "lower" if alternative == "greater" else "upper"
        return f"{side} {fmt.percent(level)} {kinds} confidence bound{'s' * (n > 1)}"
    named, listed = (f" {kinds}", "") if "," not in kinds else ("", f" ({kinds})")
    return f"{fmt.percent(level)}{named} confidence interval{'s' * (n > 1)}{listed}"


def intervals_of_both(
    level: float,
    kinds: str,
    kinds_of_others: str,
    noun: str,
    n: int = 2,
    *,
    alternative: str = "two-sided",
    alternative_of_others: str = "two-sided",
) -> str:
    """Return the phrase about intervals, and about those of `n` others, such as differences."""
    intervals = intervals_phrase(level, kinds, alternative=alternative)
    if alternative != alternative_of_others:
        bounds = intervals_phrase(level, kinds_of_others, n, alternative=alternative_of_others)
        return f"{intervals}; {noun}{'s' * (n > 1)}: {bounds}"
    if kinds_of_others in ("", kinds):
        return intervals
    return f"{intervals}, {kinds_of_others} for {f'{noun}s' if n > 1 else f'the {noun}'}"


def intervals_note(level: float, kinds: str, alternative: str) -> str:
    """Return the beginning of a note about intervals, or about the bounds of one-sided ones."""
    return capitalized(intervals_phrase(level, kinds, alternative=alternative))


def class_sizes_phrase(estimates: "Iterable[Estimate]") -> tuple[Part | str, ...]:
    """Return the class sizes, by classifier if they differ, after a semicolon."""
    sizes = sizes_phrase(estimates)
    return ("; ", *sizes) if len(sizes) <= LONGEST_SIZES else (f"; {SIZES_BELOW}",)


LONGEST_SIZES = 3 * _MAX_LISTED

"""Largest number of parts of sizes in a caption; longer ones are a note."""

SIZES_BELOW = "numbers of observations below the table"


def sizes_phrase(estimates: "Iterable[Estimate]", each: str = "") -> tuple[Part | str, ...]:
    """Return the numbers of observations, by name if they differ: of groups or of classifiers.

    `each` follows numbers that several samples or groups share, as in ``in each sample``.
    """
    of_groups, phrases, pairs = {}, {}, set()
    for e in estimates:
        of_groups[e.group] = phrases[e.full_name] = sizes = e.sizes
        pairs.add((e.group, sizes))
    if len(of_groups) == len(pairs) > 1:
        phrases = {fmt.name_of_group(group): sizes for group, sizes in of_groups.items()}
    distinct = set(phrases.values())
    if len(distinct) == 1:
        return (f"{distinct.pop()}{each}",)
    parts: list[Part | str] = []
    for name, phrase in phrases.items():
        parts += ["; "] * bool(parts) + [Verbatim(name), f": {phrase}"]
    return tuple(parts)


def sizes_of_comparisons(comparisons: "Sequence[Comparison]") -> tuple[Part | str, ...]:
    """Return the numbers of observations of comparisons, by name if they differ."""
    if not comparisons:
        return ()
    c = comparisons[0]
    each = "" if c.paired else f" in each {'group' if c.between_groups else 'sample'}"
    return sizes_phrase([e for c in comparisons for e in c.estimates], each)


def prevalence_phrase(prevalence: float, design: str, assumed: bool) -> str:
    """Return a phrase such as ``Prevalence 0.1 (specified)``, with the source in parentheses."""
    source = "sampling ratio" if design == "case-control" else "of the sample"
    return f"Prevalence {prevalence:.4g} ({'specified' if assumed else source})"


def abbreviations_of(measures: Iterable[Measure], rest: str = "") -> dict[str, str]:
    """Return the meanings of the symbols of measures; `rest` is the statement on the rows."""
    curve = getattr(rest, "curve", "ROC")
    return {
        m.symbol: re.sub(r"\bROC curve", f"{curve} curve", m.title)
        for m in measures
        if m.title and m.symbol not in m.title and " " not in m.symbol
    }


def compared_phrase(comparisons: "Sequence[Comparison]") -> tuple[Part | str, ...]:
    """Return the measures, classifiers and pairing of several comparisons."""
    c = comparisons[0]
    between_groups = any(c.between_groups for c in comparisons)
    of_classifiers: tuple[Part | str, ...] = ()
    if between_groups:
        of_classifiers = (
            " of ",
            *names_phrase(c.estimates[0].classifier for c in comparisons),
        )
    return (
        *measures_phrase(
            [c.measure for c in comparisons],
            [c.region_phrase for c in comparisons],
            capital=False,
            rest=c.estimates[0].rest,
        ),
        *of_classifiers,
        " between ",
        *names_phrase(
            [name for c in comparisons for name in (c.first, c.second)],
            "groups" if between_groups else noun_of_names([c.estimates[0] for c in comparisons]),
        ),
        f" ({c.pairing})",
    )


def effective_size_phrase(size: float | None, measure: Measure) -> str:
    """Return the effective sample size in words; empty if it is large enough."""
    if size is None:
        return ""
    limits = measure.effective_size(1.0, 1.0)
    if limits is None or size >= limits.enough:
        return ""
    return f"effective sample size {size:.3g} at this prevalence"


def name_before_note(quantity: Any) -> tuple[Part | str, ...]:
    """Return the names and the measure of an estimate or a difference, before a note on it."""
    label = quantity.measure.label
    if quantity.has_null:
        names = difference_of(*names_compared(quantity))
        return *names, f" {label}{quantity.context}: "
    return Verbatim(quantity.full_name), f" {label}: "


def caution_notes(estimates: "Sequence[Estimate]") -> list[Note]:
    """Return the cautions of estimates.

    Each caution is stated once, with the estimates to which it applies.
    """
    notes = []
    affected: dict[str, dict[int, Estimate]] = {}
    for e in estimates:
        if phrase := effective_size_phrase(e.effective_size, e.measure):
            affected.setdefault(f"{phrase}.", {})[id(e)] = e
    for e in estimates:
        for caution in e.cautions:
            affected.setdefault(caution.reason, {})[id(e)] = e
    for reason, of_reason in affected.items():
        names: list[Part | str] = []
        for e in of_reason.values():
            names += [", "] * bool(names) + [Verbatim(e.full_name), f" {e.measure.label}"]
        listed = names if len(of_reason) <= _MAX_LISTED else [f"{len(of_reason)} estimates"]
        notes.append(Note((*listed, ": ", reason)))
    return notes


def conclusion_phrase(
    null: float,
    alternative: str,
    ends: Interval,
    level: float,
    error: float,
    pvalue: float | None = None,
    *,
    higher_is_better: bool | None = True,
    second: str = "",
    noun: str = "difference",
) -> str:
    """Return the margin, the conclusion and the bound of a one-sided test; empty for other tests.

    Parameters
    ----------
    null, alternative : float, str
        The hypotheses about the difference first - second, or about a value.
    ends : Interval
        The one-sided interval at this level.
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
    noun : str
        What was tested; a difference is tested against a margin, which is not 0.
    """
    if alternative == "two-sided" or (noun == "difference" and not null):
        return ""
    greater = alternative == "greater"
    bound = ends.low if greater else ends.high
    beyond = bound > null if greater else bound < null
    is_shown = beyond if pvalue is None else pvalue < 1.0 - level
    shown, claim = _claims(null, higher_is_better, second, noun, greater=greater)
    side = f"{'lower' if greater else 'upper'} {fmt.percent(level)} bound"
    number = fmt.number(bound, error, distinct_from=(null,))
    adjusted = "" if pvalue is None else f", adjusted {fmt.p_value(pvalue)}"
    return f"{shown if is_shown else f'{claim} not shown'}: {side} {number}{adjusted}"


def _claims(
    null: float, higher_is_better: bool | None, second: str, noun: str, *, greater: bool
) -> tuple[str, str]:
    """Return the conclusion of a test that rejects, and the claim of one that does not."""
    if higher_is_better is None:
        claim = f"{noun} {'above' if greater else 'below'} {null:g}"
        return claim, claim
    inferiority = (null < 0.0) == greater
    margin = f"{'at margin' if inferiority else 'by more than'} {abs(null):g}"
    claim = "non-inferiority" if inferiority else "superiority"
    if greater == higher_is_better or not second:
        return f"{'non-inferior' if inferiority else 'superior'} {margin}", f"{claim} {margin}"
    return f"{claim} of {second} {margin} shown", f"{claim} of {second} {margin}"


def sentence_of_estimate(e: "Estimate", level: float, kind: "Kind | None") -> str:
    """Return a sentence about one estimate."""
    few = effective_size_phrase(e.effective_size, e.measure)
    basis = "; ".join(filter(None, (e.basis, few)))
    value, se = (fmt.number(v, e.se_shown) for v in (e.value, e.se))
    error = f"SE {se}"
    if e.resampled is not None:
        error = f"bootstrap {error} from {e.resampled.replicates.size:,} resamples"
    elif e.variance != "influence":
        method = "-".join(e.variance_phrase.split())
        error = ", ".join(filter(None, (f"{method} {error}", e.variance_detail)))
    return (
        f"The {name_on(e.measure, e.rest)} of {fmt.named(e.classifier)}{fmt.in_group(e.group)}"
        f"{_where(e)} was {value} "
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
    region, resolved = e.measure.region, e.region
    where = region_suffix(e.measure, resolved.words)
    if not where:
        return ""
    if region.is_chosen:
        fpr, tpr = map(fmt.bound, (resolved.fpr.low, resolved.tpr.low))
        score = f"score {resolved.cut_text}, " if resolved.has_thresholds else ""
        return f"{where} ({score}FPR {fpr}, TPR {tpr})"
    if region.is_point:
        found = resolved.has_thresholds and not region.scores
        return where + f" (score {resolved.cut_text})" * found
    axes = [("TPR", resolved.tpr), ("FPR", resolved.fpr)]
    ends = [fmt.range_phrase(name, *bounds) for name, bounds in axes if name not in resolved.words]
    if not region.scores and resolved.has_thresholds:
        thresholds = fmt.threshold_phrase(
            *resolved.texts, lower_is_positive=resolved.lower_is_positive
        )
        ends.append(thresholds)
    return where + f" ({', '.join(ends)})" * bool(ends)


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
    words = fmt.interval_phrase(*ends, level, used, error, c.alternative)
    first, second, difference = (fmt.number(v, error) for v in (a.value, b.value, c.difference))
    null = f", null difference {c.null:g}" if c.null else ""
    side = fmt.side_phrase(c.alternative)
    of_first, of_second = _of_each(c)
    conclusion = conclusion_of_comparison(c, ends, level, adjusted_pvalue)
    name = f"{fmt.difference(*names_compared(c))}{c.context}"
    return (
        f"The {name_on(c.measure, a.rest)}{c.context}{_where_both(c)} was {first}{of_first} and "
        f"{second}{of_second}: difference {difference} "
        f"({words}; {test}{adjusted}{null}{side}; "
        f"{c.pairing}, {source}{c.sizes})."
        f"{_poor_fits(c.estimates)}{conclusion_sentence(conclusion, name)}"
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
        second=fmt.named(*names_compared(c)[1:]),
    )


def conclusion_sentence(phrase: str, difference: str) -> str:
    """Return a conclusion about a difference as a sentence after others; empty if there is none."""
    return f" {capitalized(phrase)} ({difference})." if phrase else ""


def _of_each(c: "Comparison") -> tuple[str, str]:
    """Return what distinguishes the estimates, as in ``for svm`` and ``for nn``."""
    if c.between_groups:
        first, second = (fmt.in_group(e.group) or " in all rows" for e in c.estimates)
    else:
        first, second = (f" for {fmt.named(e.classifier)}" for e in c.estimates)
    return first, second


def _where_both(c: "Comparison") -> str:
    """Return the region of a comparison and where its ends lie on each curve."""
    where = region_suffix(c.measure, c.region_phrase)
    if not where or c.measure.region.is_point:
        return where
    others = [
        f"{fmt.range_phrase(axis.upper(), *getattr(e.region, axis))}{name}"
        for axis in ("tpr", "fpr")
        for e, name in zip(c.estimates, _of_each(c), strict=True)
        if axis.upper() not in e.region.words
    ]
    return where + f" ({', '.join(others)})" * bool(others)
