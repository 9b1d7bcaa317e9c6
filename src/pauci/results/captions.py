"""Phrases of captions, notes and sentences, and the conclusions of one-sided tests.

A difference first - second is tested against a margin, with an alternative on one side: the test is
one of non-inferiority, or of superiority by a margin. If the alternative favours the first (larger
values of a measure whose larger values are better, or smaller values of one like `Brier`), the
conclusion is about the first, and otherwise about the second. It follows from the one-sided bound
of the difference: with the alternative "greater", the first is not inferior by m if the lower bound
is above -m, and superior by more than m if it is above m.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pauci.measures.base import Measure
from pauci.results.facts import Fact, printed_factor, printed_label
from pauci.tables import number_format as fmt
from pauci.tables.table import Part, RichText, Verbatim

_MAX_LISTED = 6
"""Largest number of names that a title lists; longer lists are counted."""

MAX_CONCLUSIONS = 12
"""Largest number of differences whose conclusions are in the note of a table."""


def name_on(measure: Measure, rest: str) -> str:
    """Return the name of a measure, with that of the curve in `rest`, the statement on the rows.

    Measures of marks are those of an AFROC, FROC or LROC curve.
    """
    name, curve = measure.name, getattr(rest, "curve", "ROC")
    named = re.sub(r"\bROC curve", f"{curve} curve", name)
    return named if f"{curve} curve" in named or curve == "ROC" else f"{curve} {named}"


def region_suffix(measure: Measure) -> str:
    """Return the region of a measure as text after its name; empty if it has none."""
    phrase = measure.region_phrase
    return f" {measure.region.preposition} {phrase}" if phrase else ""


def label_with_region(measure: Measure) -> str:
    """Return a measure in words, as in tables, rather than as code."""
    return f"{printed_label(measure)}{region_suffix(measure)}"


def capitalized(text: str) -> str:
    """Return a phrase with a capital letter, unless it starts with a symbol such as pAUC."""
    return text[:1].upper() + text[1:] if re.match(r"[a-z]+\b", text) else text


def note_on_scale(measure: Measure) -> str:
    """Return a note on the divisor of an area that is printed as an average rate."""
    assert measure.as_average is not None
    name, _ = measure.as_average
    return f"{capitalized(name)}: {measure.symbol} divided by its largest value."


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


def list_or_count(words: Sequence[str], noun: str) -> str:
    """Return phrases as a list in words, or their number if there are many."""
    return f"{len(words)} {noun}" if len(words) > _MAX_LISTED else fmt.listed(words)


def sizes_phrase(estimates: Iterable[Any], each: str = "") -> tuple[Part | str, ...]:
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


def caution_notes(estimates: Sequence[Any]) -> list[RichText]:
    """Return the cautions about estimates, without those about the data.

    Each caution is stated once, with the estimates to which it applies.
    """
    notes: list[RichText] = []
    affected: dict[str, dict[int, Any]] = {}
    for e in estimates:
        for caution in e.cautions:
            if not caution.about_data:
                affected.setdefault(caution.reason, {})[id(e)] = e
    for reason, of_reason in affected.items():
        names: list[Part | str] = []
        for e in of_reason.values():
            names += [", "] * bool(names) + [Verbatim(e.full_name), f" {e.measure.label}"]
        listed = names if len(of_reason) <= _MAX_LISTED else [f"{len(of_reason)} estimates"]
        notes.append((*listed, ": ", reason))
    return notes


def conclusion_phrase(
    f: Fact,
    level: float,
    *,
    adjusted: bool = False,
    higher_is_better: bool | None = True,
    second: str = "",
    noun: str = "difference",
) -> str:
    """Return the margin, the conclusion and the bound of a one-sided test; empty for other tests.

    Parameters
    ----------
    f : Fact
        The difference first - second, or a value, with its one-sided interval and hypotheses.
    level : float
        Confidence level of the bound; the size of the test is 1 - level.
    adjusted : bool
        Whether the adjusted p-value decides instead of the bound.
    higher_is_better : bool, optional
        Whether larger values of the measure are better; None if neither is.
    second : str
        The name of the second, for conclusions about it.
    noun : str
        What was tested; a difference is tested against a margin, which is not 0.
    """
    if f.alternative == "two-sided" or (noun == "difference" and not f.null):
        return ""
    greater = f.alternative == "greater"
    bound = f.low if greater else f.high
    beyond = bound > f.null if greater else bound < f.null
    shown, claim = _claims(f.null, higher_is_better, second, noun, greater=greater)
    conclusion = shown if (f.p < 1.0 - level if adjusted else beyond) else f"{claim} not shown"
    side = f"{'lower' if greater else 'upper'} {fmt.percent(level)} bound"
    number = fmt.with_places(bound, f.places, distinct_from=f.null)
    return f"{conclusion}: {side} {number}{f', adjusted {fmt.p_value(f.p)}' * adjusted}"


def _claims(
    null: float, higher_is_better: bool | None, second: str, noun: str, *, greater: bool
) -> tuple[str, str]:
    """Return the conclusion of a test that rejects, and the claim of one that does not."""
    if higher_is_better is None:
        claim = f"{noun} {'above' if greater else 'below'} {fmt.hypothesis(null)}"
        return claim, claim
    inferiority = (null < 0.0) == greater
    margin = f"{'at margin' if inferiority else 'by more than'} {fmt.hypothesis(abs(null))}"
    claim = "non-inferiority" if inferiority else "superiority"
    if greater == higher_is_better or not second:
        return f"{claim.removesuffix('ity')} {margin}", f"{claim} {margin}"
    return f"{claim} of {second} {margin} shown", f"{claim} of {second} {margin}"


def conclusion_sentence(phrase: str, difference: str) -> str:
    """Return a conclusion about a difference as a sentence after others; empty if there is none."""
    return f" {capitalized(phrase)} ({difference})." if phrase else ""


def conclusion_of_test(test: Any, level: float) -> str:
    """Return the bound of a one-sided test of an estimate, and whether it is beyond the null."""
    if test.alternative == "two-sided" or level <= 0.5:
        return ""
    e, record = test.estimate, {"null": test.null, "alternative": test.alternative}
    low, high = e.interval(2.0 * level - 1.0, test.kind)
    factor = printed_factor(e.measure)
    f = Fact(e.value * factor, low * factor, high * factor, record=record, factor=factor)
    return conclusion_phrase(f, level, higher_is_better=None, noun=printed_label(e.measure))
