"""What the table of a scan holds: caption, columns, a row per region, and notes."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.intervals.kinds import Kind
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results.cells import (
    Cell,
    Column,
    Ends,
    Note,
    Number,
    Own,
    Part,
    PEquals,
    PValue,
    Statistic,
    Symbol,
    Table,
    Words,
    difference_of,
    ends_column,
)  # fmt: skip
from pauci.results.comparison import Comparison
from pauci.results.estimate import Estimate
from pauci.results.table_contents import (
    abbreviations_of,
    capital,
    listed,
    never_above_one,
    numbers_of,
    with_others,
)  # fmt: skip

if TYPE_CHECKING:
    from pauci.results.scan import Scan


_MOST_IN_TEXT, _SPACED = 15, 11
"""Regions that a terminal shows at most, and how many of a larger family, evenly spaced."""

_SIDES = {"two-sided": "other than", "greater": "above", "less": "below"}
"""What a global test looks for, in relation to the null value."""


def table_of_scan(scan: "Scan", level: float, kind: Kind | None) -> Table:
    """Return the table of a scan: a row per region."""
    alone, adjusted, t = scan.pvalues(kind), scan.adjusted(kind), scan.statistic
    own, joint = scan.pointwise(level, kind), scan.simultaneous(level, kind)
    values, errors = scan.value, scan.se
    unit = all(map(never_above_one, scan.measures))
    error = fmt.smallest_error(
        p.se if isinstance(p, Comparison) else p.se_shown for p in scan.parts
    )
    body: list[list[Cell]] = [
        [
            scan.words(i),
            *(Number(v, error, unit) for v in (values[i], errors[i])),
            *(Ends(ends.low[i], ends.high[i], error, unit, values[i]) for ends in (own, joint)),
            Statistic(t[i]), PValue(alone[i]), PValue(adjusted[i]),
        ]
        for i in range(len(scan))
    ]  # fmt: skip
    columns = [Column("region"), Column("difference" if scan.differences else "estimate")]
    columns += [Column(Symbol("SE")), ends_column(level), ends_column(level, ", all")]
    if np.isfinite(alone).any():
        columns += [Column(Symbol("t")), Column(Symbol("p")), Column((Symbol("p"), ", all"))]
    body = [row[: len(columns)] for row in body]
    label = label_of(scan.parts[0].measure)
    title: Words = (f"{label} of ", *_names(scan), f" over {scan.family}")
    notes = _notes(scan, level, kind)
    some = _selection(len(scan), scan.largest_at(level, kind).position)
    if some is not None:
        what = "the largest estimate" if math.isnan(scan.largest.pvalue) else "the most evidence"
        words = f"Shown: {len(some)} of {len(scan):,} regions, and among them that with {what}."
        notes.append(Note(f"{words} Markdown, CSV and to_frame() have all.", page=False))
    meanings = abbreviations_of(scan.measures[:1])
    caption = _caption(scan, level, kind)
    return Table(title, caption, columns, body, notes, meanings, some)


def _selection(n: int, best: int) -> list[int] | None:
    """Return which of n regions a terminal shows: of many some, evenly spaced, and the best."""
    if n <= _MOST_IN_TEXT:
        return None
    return sorted({*np.linspace(0, n - 1, _SPACED).round().astype(int).tolist(), best})


def _names(scan: "Scan") -> tuple[Part | str, ...]:
    """Return the classifier, or both with a minus sign between."""
    return difference_of(*scan.names) if len(scan.names) == 2 else (Own(scan.names[0]),)


def _caption(scan: "Scan", level: float, kind: Any) -> Words:
    """Return what the table is."""
    part = scan.parts[0]
    name = part.measure.name if part.measure.region_phrase else label_of(part.measure)
    intervals = (
        f"over {scan.family}, with {fmt.percent(level)} {', '.join(_kinds(scan, kind))} "
        "confidence intervals for each region and for all at once"
    )
    if isinstance(part, Comparison):
        paired = "paired" if part.paired else "independent samples"
        names = tuple(listed(scan.names))
        return (
            f"Differences in {name} between ", *names, f" ({paired}) {intervals}; {part.sizes}",
        )  # fmt: skip
    return capital(name), " of ", *_names(scan), f" {intervals}", *numbers_of([part])


def _kinds(scan: "Scan", kind: Any) -> list[str]:
    """Return the kinds of the intervals, as sentences have them."""
    used = (p.kind_used(scan.kind_of(p, kind)) for p in scan.parts)
    return list(dict.fromkeys(map(fmt.proper, used)))


def _notes(scan: "Scan", level: float, kind: Any) -> list[Note]:
    best = scan.largest_at(level, kind)
    against = "chance" if scan.by_chance else f"{scan.null[0]:g}"
    kinds = ", ".join(_kinds(scan, kind))
    words: list[Words] = [
        f'{fmt.percent(level)} intervals: {kinds}, each by itself; "all": for all regions at '
        f"once (critical value {scan.critical(level):.3f} of a normal distribution).",
    ]
    at = scan.parts[best.position].measure.region.preposition
    if math.isnan(best.pvalue):
        words.append(f"There is no test without a null value. Largest estimate: {best.region}.")
    else:
        words.append(
            (
                f"Global test (any region {_SIDES[scan.alternative]} {against}): ",
                PEquals(best.pvalue),
                f", with the largest statistic {at} {best.region}. "
                f"{fmt.sided(scan.alternative).capitalize()}.",
            )
        )  # fmt: skip
    words += [
        f"Distribution of the largest of {len(scan)} statistics: {scan.n_draws:,} draws, seed "
        f"{scan.seed}. "
        f"SE: {estimates_behind(scan.parts[0])[0].source}.",
        f"{capital(scan.basis)}. Specificity is 1 - FPR.",
    ]
    if scan.excluded:
        some = ", ".join(scan.excluded[:3]) + ", ..." * (len(scan.excluded) > 3)
        words.append(
            f"Left out for fewer than {scan.fewest:g} observations: "
            f"{fmt.count(len(scan.excluded), 'region')} ({some})."
        )
    doubtful = [c for each in scan.cautions for c in each]
    notes = [Note(line) for line in words]
    if doubtful:
        notes += with_others(f"Cautions: {doubtful[0].reason}", len(doubtful) - 1)
    return notes


def estimates_behind(part: Any) -> tuple[Estimate, ...]:
    """Return the estimate of a region, or both of a comparison."""
    return part.estimates if isinstance(part, Comparison) else (part,)


def label_of(measure: Measure) -> str:
    """Return what a measure is called whatever its region."""
    label = measure.label
    for region in measure.regions if not measure.region_phrase else ():
        label = label.replace(f" ({region})", "")
    return label
