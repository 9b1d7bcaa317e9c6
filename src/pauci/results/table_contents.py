"""What the tables of estimates and comparisons hold: captions, columns, cells and notes."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pauci.errors import ResolutionWarning, UndefinedError
from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results.cell_notes import notes_on_cells, notes_on_cells_of
from pauci.results.cells import (
    Cell,
    Coefficient,
    Column,
    Degrees,
    Ends,
    Note,
    Number,
    Own,
    Part,
    PValue,
    Range,
    Statistic,
    Symbol,
    Table,
    bound,
    difference_of,
    ends_column,
)  # fmt: skip

if TYPE_CHECKING:
    from pauci.results.comparison import Comparison
    from pauci.results.comparisons import Comparisons, JointTest
    from pauci.results.estimate import Estimate

_MOST_NAMED = 6
"""Classifiers, or measures, that a caption names; of more it says how many there are."""


def table_of_estimates(estimates: "Sequence[Estimate]", level: float, kind: str | None) -> Table:
    """Return the table of some estimates."""
    columns = [Column("classifier"), Column("measure"), Column("region"), Column("estimate")]
    columns += [Column(Symbol("SE")), ends_column(level), Column("FPR"), Column("TPR")]
    columns.append(Column("score from"))
    body: list[list[Cell]] = []
    kinds = []
    for e in estimates:
        low, high = e.interval(level, kind)  # type: ignore[arg-type]
        kinds.append(e.kind_used(kind))
        on_a_curve = e.measure.has_region
        error = fmt.smallest_error(
            o.se_shown for o in estimates if o.measure.label == e.measure.label
        )
        unit = never_above_one(e.measure)
        cut: Cell = bound(e.region.cut)
        if e.region.lower_is_positive:
            cut = (bound(e.region.cut), " down")
        body.append(
            [
                Own(e.classifier),
                e.measure.label,
                e.region.words if e.measure.region_phrase else "whole curve" * on_a_curve,
                *(Number(v, error, unit) for v in (e.value, e.se)),
                Ends(low, high, error, unit, e.value),
                *(
                    Range(*ends, unit=True) if on_a_curve else None
                    for ends in (e.region.fpr, e.region.tpr)
                ),
                cut if on_a_curve and e.folds is None and e.region.on_scores else None,
            ]
        )
    used = ", ".join(dict.fromkeys(map(fmt.proper, kinds)))
    caption = (
        *subject([e.measure for e in estimates], [e.region.words for e in estimates]),
        " of ",
        *listed(e.classifier for e in estimates),
        f", with {intervals_phrase(level, used, len(estimates))}",
        *numbers_of(estimates),
    )
    notes = _notes_on_estimates(estimates, level, kinds)
    meanings = abbreviations_of(e.measure for e in estimates)
    return Table("Estimates", caption, columns, body, notes, meanings)


def never_above_one(measure: Measure) -> bool:
    """Tell whether a measure, and its differences, cannot exceed 1."""
    low, high = measure.range
    return low >= -1.0 and high <= 1.0


def subject(measures: Sequence[Measure], regions: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the measures of a table with their regions, as the start of a caption.

    `regions` are in words, one for each measure, where they were resolved on data.
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
    """Return words of ours with commas and "and"; of many only their number."""
    if len(words) > _MOST_NAMED:
        return f"{len(words)} {noun}"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def with_others(first: str, others: int) -> list[Note]:
    """Return a caution that stands for some of its kind; text says where the others are."""
    if not others:
        return [Note(first)]
    return [
        Note(f"{first} ({others} more: .cautions)", page=False),
        Note(f"{first} ({others} more of this kind).", text=False),
    ]


def intervals_phrase(level: float, kinds: str, n: int = 2) -> str:
    """Return ``95% logit confidence intervals``."""
    return f"{fmt.percent(level)} {kinds} confidence interval{'s' * (n != 1)}"


def numbers_of(estimates: "Iterable[Estimate]") -> tuple[Part | str, ...]:
    """Return the numbers of both classes, of each classifier where they differ, after a ``;``."""
    words = {}
    for e in estimates:
        clusters = "" if e.clusters is None else f" in {e.clusters:,} clusters"
        words[e.classifier] = f"{e.n_pos:,} positives, {e.n_neg:,} negatives{clusters}"
    if len(set(words.values())) == 1:
        return (f"; {next(iter(words.values()))}",)
    if len(words) > _MOST_NAMED:
        return ("; positives and negatives of each below",)
    return tuple(part for name, said in words.items() for part in ("; ", Own(name), f": {said}"))


def abbreviations_of(measures: Iterable[Measure]) -> dict[str, str]:
    """Return what the symbols of measures stand for."""
    pairs = {m.symbol.partition(" at ")[0]: m.title.partition(" at ")[0] for m in measures}
    return {k: v for k, v in pairs.items() if v and k not in v and " " not in k}


def _notes_on_estimates(
    estimates: "Sequence[Estimate]", level: float, kinds: list[str]
) -> list[Note]:
    designs = ", ".join(dict.fromkeys(e.design for e in estimates))
    sources = dict.fromkeys(
        e.source if e.resampled is None else e.resampled.source for e in estimates
    )
    used = ", ".join(dict.fromkeys(map(fmt.proper, kinds)))
    notes = [
        Note(
            f"{fmt.percent(level)} intervals: {used}. SE: {'; '.join(sources)}. Design: {designs}."
        ),
        Note((*_sizes(estimates), ". Specificity is 1 - FPR.")),
    ]
    notes += [
        Note((*_of(e), f"{e.resampled.note(level, used_kind)}."))
        for e, used_kind in zip(estimates, kinds, strict=True)
        if e.resampled is not None
    ]
    notes += [
        Note((*_of(e), f"bias {fmt.number(e.bias, e.se_shown)} ({e.source})."))
        for e in estimates
        if e.bias is not None and e.resampled is None
    ]
    return notes + notes_on_cells(estimates) + _cautions(estimates)


def _of(e: "Estimate") -> tuple[Part | str, ...]:
    """Return which estimate a note is about."""
    return Own(e.classifier), f" {e.measure.label}: "


def _cautions(estimates: "Sequence[Estimate]") -> list[Note]:
    """Return why estimates are doubtful, each reason once: few observations, or a limit."""
    about: dict[str, list[Estimate]] = {}
    for e in estimates:
        if words := fmt.few_effective(e.effective_size, e.measure):
            about.setdefault(f"{words}.", []).append(e)
    for e in estimates:
        # Notes of their own tell of cells.
        cautions = [c for c in e.cautions if type(c) is not ResolutionWarning]
        for reason in dict.fromkeys(c.reason for c in cautions):
            about.setdefault(reason, []).append(e)
    return [Note((*_of_some(some), reason)) for reason, some in about.items()]


def _of_some(estimates: "Sequence[Estimate]") -> tuple[Part | str, ...]:
    """Return which estimates a note is about; of many only their number."""
    if len(estimates) > _MOST_NAMED:
        return (f"{len(estimates)} estimates: ",)
    parts: list[Part | str] = []
    for e in estimates:
        parts += [", "] * bool(parts) + [Own(e.classifier), f" {e.measure.label}"]
    return (*parts, ": ")


def _sizes(estimates: "Sequence[Estimate]") -> tuple[Part | str, ...]:
    """Return what all rest on, or each classifier if they differ."""
    return _of_each({e.classifier: e.sizes for e in estimates})


def _of_each(words: dict[str, str]) -> tuple[Part | str, ...]:
    """Return what is said of all classifiers, or of each by name if they differ."""
    if len(set(words.values())) == 1:
        return tuple(words.values())[:1]
    parts: list[Part | str] = []
    for name, said in words.items():
        parts += ["; "] * bool(parts) + [Own(name), f": {said}"]
    return tuple(parts)


def _sizes_compared(cs: "Comparisons") -> tuple[Part | str, ...]:
    """Return what comparisons rest on: the rows of all, or of each independent sample by name."""
    sizes = {e.classifier: e.basis for c in cs for e in c.estimates}
    if cs[0].paired or len(sizes) == 2:
        return (cs[0].sizes,)
    words = _of_each(sizes)
    return words if len(words) > 1 else (f"{words[0]} in each sample",)


def _sizes_in_caption(cs: "Comparisons") -> tuple[Part | str, ...]:
    words = _sizes_compared(cs)
    return words if len(words) <= 3 * _MOST_NAMED else ("positives and negatives of each below",)


def table_of_comparison(c: "Comparison", level: float, kind: str | None) -> Table:
    """Return the table of one comparison: both estimates and their difference."""
    ends = c.interval(level, kind)  # type: ignore[arg-type]
    error, unit = c.se_shown, _unit(c)
    body: list[list[Cell]] = []
    for e in c.estimates:
        own = e.interval(level, kind)  # type: ignore[arg-type]
        numbers = (Number(v, error, unit) for v in (e.value, e.se))
        body.append([Own(e.classifier), *numbers, Ends(*own, error, unit, e.value), None, None])
    statistic = c.statistic_of(kind)  # type: ignore[arg-type]
    body.append(
        [
            "difference",
            *(Number(v, error, unit) for v in (c.difference, c.se)),
            Ends(*ends, error, unit, c.difference),
            None if statistic is None else Statistic(statistic),
            PValue(c.p_value(kind)),  # type: ignore[arg-type]
        ]
    )
    region = f" over {c.region_phrase}" if c.measure.region_phrase else ""
    of_estimates = dict.fromkeys(fmt.proper(e.kind_used(kind)) for e in c.estimates)
    kinds, of_difference = ", ".join(of_estimates), fmt.proper(c.kind_used(kind))
    in_caption = f"{intervals_phrase(level, kinds)}, of the difference {of_difference}"
    if kinds == of_difference:
        in_caption = intervals_phrase(level, kinds)
    else:
        kinds = f"{kinds}; of the difference {of_difference}"
    paired = "Paired" if c.paired else "Independent"
    hypothesis = f"Null difference {c.null:g}, {fmt.sided(c.alternative)}."
    notes = [
        Note((f"{paired}, correlation ", Coefficient(c.correlation), f". {hypothesis}")),
        Note(f"{fmt.percent(level)} intervals: {kinds}. {c.sizes}."),
        *_notes_on_errors(c, level, kind),
        Note(f"Design: {_designs(c.estimates)}. Difference: first - second.", text=False),
        *_cautions(c.estimates),
    ]
    caption = (
        *subject([c.measure], [c.region_phrase]), " of ", *listed([c.first, c.second]),
        f", and their difference ({_pairing(c)}), with {in_caption}; {c.sizes}",
    )  # fmt: skip
    title = (f"{c.measure.label}{region}: ", *_difference(c.first, c.second))
    deviate = ("z",) if statistic is None or math.isinf(c.df) else ("t", f"({fmt.degrees(c.df)})")
    columns = [Column("classifier"), Column("estimate"), Column(Symbol("SE")), ends_column(level)]
    columns += [Column((Symbol(deviate[0]), *deviate[1:])), Column(Symbol("p"))]
    return Table(title, caption, columns, body, notes, abbreviations_of([c.measure]))


def _difference(first: str, second: str) -> tuple[Part | str, ...]:
    """Return the names of a difference."""
    return difference_of(first, second)


def _unit(c: "Comparison") -> bool:
    return never_above_one(c.measure)


def _pairing(c: "Comparison") -> str:
    return "paired" if c.paired else "independent samples"


def _designs(estimates: "Iterable[Estimate]") -> str:
    return ", ".join(dict.fromkeys(e.design for e in estimates))


def _notes_on_errors(c: "Comparison", level: float, kind: str | None) -> list[Note]:
    """Return what a table says of standard errors; of analytic ones a paper says it too."""
    notes = [Note(f"SE: {c.source or c.estimates[0].source}.", text=c.source is not None)]
    if c.resampled is not None:
        used = c.kind_used(kind)
        words = c.resampled.note(level, used, c.alternative)
        if used in BOOTSTRAP_KINDS:
            error = c.resampled.error_of_pvalue(c.null, c.alternative, used)
            words += f"; error of p {error:.1g}"
        notes.append(Note(f"Difference: {words}."))
    elif c.bias is not None:
        words = f"Difference: bias {fmt.number(c.bias, c.se)} ({c.estimates[0].source})."
        notes.append(Note(words))
    return notes + notes_on_cells_of([c])


def table_of_comparisons(cs: "Comparisons", level: float, kind: str | None) -> Table:
    """Return the table of several comparisons, a row each."""
    rows = cs.record(level, kind)  # type: ignore[arg-type]
    adjusted_p = cs.adjust != "none"
    with_df = any(math.isfinite(r["df"]) for r in rows)
    body: list[list[Cell]] = []
    for c, r in zip(cs, rows, strict=True):
        unit = _unit(c)
        error = fmt.smallest_error(o.se for o in cs if o.measure.label == c.measure.label)
        body.append(
            [
                _difference(r["first"], r["second"]),
                r["measure"],
                r["region"] if c.measure.region_phrase else "whole curve" * c.measure.has_region,
                *(Number(r[k], error, unit) for k in ("difference", "se")),
                Ends(r["low"], r["high"], error, unit, c.difference),
                Statistic(r["statistic"]),
                *[Degrees(r["df"])] * with_df,
                PValue(r["pvalue"]),
                *[PValue(r["p_adjusted"])] * adjusted_p,
            ]
        )
    columns = [Column("difference"), Column("measure"), Column("region"), Column("estimate")]
    columns += [Column(Symbol("SE")), ends_column(level), Column(Symbol("t" if with_df else "z"))]
    columns += [Column(Symbol("df"))] * with_df + [Column(Symbol("p"))]
    columns += [Column(("adjusted ", Symbol("p")))] * adjusted_p
    kinds = ", ".join(dict.fromkeys(fmt.proper(r["kind"]) for r in rows))
    adjusted = f"Adjusted by {fmt.proper(cs.adjust)}" if adjusted_p else "Not adjusted"
    together = ", all at once" if cs.adjust == "max-t" else ", each by itself"
    if cs.adjust == "max-t" and math.isfinite(cs.df):
        together += f" (with the fewest degrees of freedom, {fmt.degrees(cs.df)})"
    first = cs[0]
    notes = [
        Note(
            f"{'Paired' if first.paired else 'Independent'}. {adjusted}. "
            f"Null difference {first.null:g}, {fmt.sided(first.alternative)}."
        ),
        Note((f"{fmt.percent(level)} intervals: {kinds}{together}. ", *_sizes_compared(cs), ".")),
    ]
    errors = [c.resampled.error_of_se for c in cs if c.resampled is not None]
    most = f" Monte Carlo error of SE at most {max(errors):.1g}." if errors else ""
    source = first.source or first.estimates[0].source
    notes.append(Note(f"SE: {source}.{most}", text=first.source is not None))
    if not first.null:
        notes.append(Note(("All differences 0: ", *_joint(cs), ".")))
    designs = _designs(e for c in cs for e in c.estimates)
    notes.append(Note(f"Design: {designs}. Differences: first - second.", text=False))
    compared = {(e.classifier, repr(e.measure)): e for c in cs for e in c.estimates}
    notes += notes_on_cells_of(cs) + _cautions(list(compared.values()))
    measures = [c.measure for c in cs]
    caption = (
        "Differences in ", *within_sentence(subject(measures, [c.region_phrase for c in cs])),
        " between ", *listed(name for c in cs for name in (c.first, c.second)),
        f" ({_pairing(first)}), with {intervals_phrase(level, kinds)}{together}; "
        f"{adjusted[0].lower()}{adjusted[1:]}; ", *_sizes_in_caption(cs),
    )  # fmt: skip
    return Table("Comparisons", caption, columns, body, notes, abbreviations_of(measures))


def within_sentence(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of `subject` inside a sentence."""
    text = words[0]
    return (text[:1].lower() + text[1:] if re.match(r"[A-Z][a-z]*\b", text) else text,)


def _joint(cs: "Comparisons") -> tuple[Part | str, ...]:
    """Return the joint test in words, or why there is none."""
    try:
        return cs.joint().words
    except UndefinedError:
        known = f"{fmt.degrees(cs.df)} degrees of freedom"
        return (f"no joint test, as the covariance is known with {known} only",)


def table_of_joint_test(test: "JointTest") -> Table:
    """Return the table of a joint test: what was tested, and the test."""
    known = math.isfinite(test.df_denominator)
    columns = [Column("hypothesis"), Column("T-squared" if known else "chi-squared")]
    row: list[Cell] = ["all differences 0", Statistic(test.statistic)]
    if known:
        columns += [Column(Symbol("F")), Column((Symbol("df"), " 1")), Column((Symbol("df"), " 2"))]
        row += [Statistic(test.f), Degrees(test.df), Degrees(test.df_denominator)]
    else:
        columns.append(Column(Symbol("df")))
        row.append(Degrees(test.df))
    columns.append(Column(Symbol("p")))
    row.append(PValue(test.pvalue))
    notes = [Note("Hotelling's test that all differences are 0 at once.")]
    cs = test.comparisons
    if cs is None:
        return Table("Joint test", "Joint test of all differences", columns, [row], notes)
    measures = [c.measure for c in cs]
    first = cs[0]
    caption = (
        f"Joint test of {len(cs)} differences in ",
        *within_sentence(subject(measures, [c.region_phrase for c in cs])),
        " between ", *listed(name for c in cs for name in (c.first, c.second)),
        f" ({_pairing(first)}); ", *_sizes_in_caption(cs),
    )  # fmt: skip
    source = first.source or first.estimates[0].source
    notes.append(Note(f"{'Paired' if first.paired else 'Independent'}. SE: {source}."))
    notes.append(Note((*_sizes_compared(cs), ".")))
    return Table("Joint test", caption, columns, [row], notes, abbreviations_of(measures))
