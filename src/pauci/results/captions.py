"""Parts that the captions and notes of several results share."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pauci.errors import ResolutionWarning
from pauci.measures.base import Measure
from pauci.results.sentences import binning_error_phrase, effective_size_phrase
from pauci.tables import number_format as fmt
from pauci.tables.table import Note, Own, Part, difference_of

if TYPE_CHECKING:
    from pauci.results.comparison import Comparison
    from pauci.results.estimates import Estimate

_MOST_NAMED = 6
"""Classifiers, or measures, that a caption names; of more it has the number."""


def never_above_one(measure: Measure) -> bool:
    """Tell whether a measure, and its differences, cannot exceed 1."""
    low, high = measure.range
    return low >= -1.0 and high <= 1.0


def subject(measures: Sequence[Measure], regions: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the measures of a table with their regions, as the start of a caption.

    `regions` are the regions in words, one for each measure, if they were resolved on data.
    """
    words = regions or [m.region_phrase for m in measures]
    phrases = list(
        dict.fromkeys(
            (m.name, m.label, f" {m.region.preposition} {w}" if m.region_phrase else "")
            for m, w in zip(measures, words, strict=True)
        )
    )
    if len(phrases) == 1:
        return (capital(phrases[0][0] + phrases[0][2]),)
    if len(phrases) > _MOST_NAMED:
        return (f"{len(phrases)} measures",)
    each = [label + where for _, label, where in phrases]
    return (capital(f"{', '.join(each[:-1])} and {each[-1]}"),)


def within_sentence(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of `subject` inside a sentence."""
    text = words[0]
    return (text[:1].lower() + text[1:] if re.match(r"[A-Z][a-z]*\b", text) else text,)


def capital(text: str) -> str:
    """Return a caption with a capital, unless it starts with a symbol such as pAUC."""
    return text[:1].upper() + text[1:] if re.match(r"[a-z]+\b", text) else text


def listed(names: Iterable[str]) -> Iterator[str | Part]:
    """Yield the names of classifiers with commas and "and"; of many only their number."""
    distinct = list(dict.fromkeys(names))
    if len(distinct) > _MOST_NAMED:
        yield f"{len(distinct)} classifiers"
        return
    for i, name in enumerate(distinct):
        if i:
            yield " and " if i == len(distinct) - 1 else ", "
        yield Own(name)


def few_listed(words: Sequence[str], noun: str) -> str:
    """Return phrases with commas and "and"; of many only their number."""
    if len(words) > _MOST_NAMED:
        return f"{len(words)} {noun}"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def with_others(first: str, others: int) -> list[Note]:
    """Return one caution of a kind, with the number of others."""
    if not others:
        return [Note(first)]
    return [
        Note(f"{first} ({others} more: see .cautions)", page=False),
        Note(f"{first} ({others} more of this kind).", text=False),
    ]


def intervals_phrase(level: float, kinds: str, n: int = 2) -> str:
    """Return ``95% logit confidence intervals``, with an article before a single one."""
    phrase = f"{fmt.percent(level)} {kinds} confidence interval"
    return f"a {phrase}" if n == 1 else f"{phrase}s"


def numbers_of(estimates: "Iterable[Estimate]") -> tuple[Part | str, ...]:
    """Return the numbers of both classes, of each classifier if they differ, after a ``;``."""
    words = {}
    for e in estimates:
        clusters = "" if e.clusters is None else f" in {e.clusters:,} clusters"
        words[e.classifier] = f"{e.n_pos:,} positives, {e.n_neg:,} negatives{clusters}"
    if len(set(words.values())) == 1:
        return (f"; {next(iter(words.values()))}",)
    if len(words) > _MOST_NAMED:
        return ("; positives and negatives of each below",)
    return tuple(part for name, n in words.items() for part in ("; ", Own(name), f": {n}"))


def prevalence_phrase(prevalence: float, design: str, assumed: bool) -> str:
    """Return ``Prevalence 0.1 (specified)``, or the source of a prevalence that was not."""
    source = "sampling ratio" if design == "case-control" else "of the sample"
    return f"Prevalence {prevalence:.4g} ({'specified' if assumed else source})"


def abbreviations_of(measures: Iterable[Measure]) -> dict[str, str]:
    """Return the meanings of the symbols of measures."""
    pairs = {m.symbol.partition(" at ")[0]: m.title.partition(" at ")[0] for m in measures}
    return {k: v for k, v in pairs.items() if v and k not in v and " " not in k}


def designs_of(estimates: "Iterable[Estimate]") -> str:
    """Return the designs of the samples."""
    return ", ".join(dict.fromkeys(e.design for e in estimates))


def for_each(phrases: dict[str, str]) -> tuple[Part | str, ...]:
    """Return a phrase that all classifiers share, or the phrase of each after its name."""
    if len(set(phrases.values())) == 1:
        return tuple(phrases.values())[:1]
    parts: list[Part | str] = []
    for name, phrase in phrases.items():
        parts += ["; "] * bool(parts) + [Own(name), f": {phrase}"]
    return tuple(parts)


def sizes_of(comparisons: "Sequence[Comparison]") -> tuple[Part | str, ...]:
    """Return the sample sizes of comparisons: of all, or of each independent sample by name."""
    sizes = {e.classifier: e.basis for c in comparisons for e in c.estimates}
    if comparisons[0].paired or len(sizes) == 2:
        return (comparisons[0].sizes,)
    phrases = for_each(sizes)
    return phrases if len(phrases) > 1 else (f"{phrases[0]} in each sample",)


def compared_in_caption(comparisons: "Sequence[Comparison]") -> tuple[Part | str, ...]:
    """Return measures, classifiers and pairing of several comparisons, within a caption."""
    measures = [c.measure for c in comparisons]
    return (
        *within_sentence(subject(measures, [c.region_phrase for c in comparisons])),
        " between ", *listed(name for c in comparisons for name in (c.first, c.second)),
        f" ({comparisons[0].pairing})",
    )  # fmt: skip


def sizes_in_caption(comparisons: "Sequence[Comparison]") -> tuple[Part | str, ...]:
    """Return the sample sizes of comparisons, of few samples, for a caption."""
    parts = sizes_of(comparisons)
    return parts if len(parts) <= 3 * _MOST_NAMED else ("positives and negatives of each below",)


def binning_notes(estimates: "Iterable[Estimate]") -> list[Note]:
    """Return the bound of the binning error of each estimate that has one."""
    return [
        Note((*named(e), f"{binning_error_phrase('value', e.resolution_bound)}."))
        for e in estimates
        if e.resolution_bound != 0.0
    ]


def binning_notes_on_differences(comparisons: "Iterable[Comparison]") -> list[Note]:
    """Return the bound of the binning error of each difference that has one."""
    notes = []
    for c in comparisons:
        if c.resolution_bound != 0.0:
            phrase = binning_error_phrase("difference", c.resolution_bound)
            name = difference_of(c.first, c.second)
            notes.append(Note((*name, f" {c.measure.label}: {phrase}.")))
    return notes


def named(e: "Estimate") -> tuple[Part | str, ...]:
    """Return the classifier and measure of an estimate, before a note on it."""
    return Own(e.classifier), f" {e.measure.label}: "


def caution_notes(estimates: "Sequence[Estimate]") -> list[Note]:
    """Return the cautions of estimates, each with the estimates that it is about."""
    about: dict[str, list[Estimate]] = {}
    for e in estimates:
        if phrase := effective_size_phrase(e.effective_size, e.measure):
            about.setdefault(f"{phrase}.", []).append(e)
    for e in estimates:
        # The binning error has notes of its own.
        cautions = [c for c in e.cautions if type(c) is not ResolutionWarning]
        for reason in dict.fromkeys(c.reason for c in cautions):
            about.setdefault(reason, []).append(e)
    return [Note((*_named_together(some), reason)) for reason, some in about.items()]


def _named_together(estimates: "Sequence[Estimate]") -> tuple[Part | str, ...]:
    """Return classifiers and measures of estimates; of many only their number."""
    if len(estimates) > _MOST_NAMED:
        return (f"{len(estimates)} estimates: ",)
    parts: list[Part | str] = []
    for e in estimates:
        parts += [", "] * bool(parts) + [Own(e.classifier), f" {e.measure.label}"]
    return (*parts, ": ")
