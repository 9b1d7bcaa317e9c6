"""What the tables of profiles hold: caption, a column per group, a row per measure, and notes."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pauci.curve.region import ResolvedRegion
from pauci.intervals.kinds import Kind
from pauci.measures.area import PAUCc
from pauci.measures.groups import QUANTITIES
from pauci.results import format as fmt
from pauci.results.cells import (
    Cell,
    Column,
    Count,
    Note,
    Observations,
    Own,
    Range,
    Table,
    WithEnds,
    Words,
    parts_of,
)  # fmt: skip
from pauci.results.table_contents import (
    abbreviations_of,
    few_listed,
    listed,
    numbers_of,
    with_others,
)  # fmt: skip

if TYPE_CHECKING:
    from pauci.results.profile import GroupValue, Profile, Profiles

MEASURES = (
    "paucc", "normalized", "sensitivity", "specificity", "ppv", "npv", "lr_pos", "lr_neg",
    "lr_range", "n_pos", "n_neg",
)  # fmt: skip
"""What a profile has of every group."""

COUNTED = {"n_pos": "share_pos", "n_neg": "share_neg"}

_SYMBOLS = {name: QUANTITIES[name].symbol for name in MEASURES if name in QUANTITIES}
_SYMBOLS |= {
    "sensitivity": "avg. sensitivity", "specificity": "avg. specificity", "n_pos": "positives",
    "n_neg": "negatives",
}  # fmt: skip

AXIS = {
    "fpr": "FPR", "tpr": "TPR", "threshold": "score", "rank": "rank (0 is the highest score)",
}  # fmt: skip

_RATIOS = ("lr_pos", "lr_neg", "lr_range")

_MEANINGS = abbreviations_of([PAUCc(fpr=(0, 1))])

_DASH = WithEnds(math.nan, math.nan, math.nan)
"""What is undefined."""


def _caption(profiles: "Sequence[Profile]", level: float) -> Words:
    """Return what a table of profiles is."""
    first = profiles[0]
    groups = few_listed([g.region for g in first.groups], "groups")
    many = len(profiles) > 1
    return (
        "Deep ROC analysis: pAUCc and other measures of groups along the ROC curve",
        "s of " if many else " of ",
        *listed(p.classifier for p in profiles),
        f", by {AXIS[first.by]}: {groups}, with {fmt.percent(level)} confidence intervals",
        *numbers_of([p.auc for p in profiles]),
    )


def table_of_profile(profile: "Profile", level: float, kind: Kind | None) -> Table:
    """Return the table of a profile: a column per group."""
    columns = [Column("measure"), *(Column(g.region) for g in profile.groups), Column("all")]
    whole: dict[str, Cell] = {
        "paucc": WithEnds(profile.auc.value, *profile.auc.interval(level, kind), unit=True),
        "n_pos": Count(profile.auc.n_pos), "n_neg": Count(profile.auc.n_neg),
    }  # fmt: skip
    body: list[list[Cell]] = [
        [
            _SYMBOLS[measure],
            *(_shown(g.cell(measure, level, kind), measure) for g in profile.groups),
            whole.get(measure),
        ]
        for measure in MEASURES
    ]
    for axis in ("fpr", "tpr"):
        ends = [_DASH if g.where is None else _range(g.where, axis) for g in profile.groups]
        body.append([axis.upper(), *ends, Range(0.0, 1.0, unit=True)])
    title = ("Groups of ", Own(profile.classifier), f" by {AXIS[profile.by]}")
    notes = [Note(words) for words in _on_intervals(profile, level, kind)] + _notes(profile)
    return Table(title, _caption([profile], level), columns, body, notes, _MEANINGS)


def _on_intervals(profile: "Profile", level: float, kind: Any) -> list[str]:
    """Return what kinds of intervals there are, and where they come from."""
    used: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for g in profile.groups:
        for measure in MEASURES:
            e = g.estimates.get(COUNTED.get(measure, measure))
            if e is not None:
                is_ratio = math.isinf(e.bounds.high)
                used[is_ratio][fmt.proper(g.cell(measure, level, kind).kind)] = None
    shares, ratios = map(", ".join, used.values())
    words = shares if shares == ratios or not ratios else f"{shares}; of ratios {ratios}"
    first = f"{fmt.percent(level)} intervals, each by itself: {words}."
    return [f"{first} Standard errors: {profile.auc.source}."]


def _notes(profile: "Profile") -> list[Note]:
    source = "given" if profile.assumed else "the sample's"
    if profile.auc.design == "case-control" and not profile.assumed:
        source = "the ratio of the sampling"
    gap = abs(profile.total.value - profile.auc.value)
    same = "the AUC" if gap < 1e-9 else f"{fmt.number(gap)} from the AUC"
    total, se, se_of_auc = (
        fmt.number(v, profile.auc.se_shown)
        for v in (profile.total.value, profile.total.se, profile.auc.se)
    )
    notes = [
        Note(f"pAUCc sum to {total}, {same}, SE {se} (of the AUC {se_of_auc})."),
        Note(
            "PPV, NPV, LR+ and LR- are those of the average sensitivity and specificity. "
            f"Prevalence {profile.prevalence:.4g}: {source}."
        ),
        Note(f"{profile.auc.sizes}. Design: {profile.auc.design}. Specificity is 1 - FPR."),
    ]
    for g in profile.groups:
        reasons: dict[str, list[str]] = {}
        for measure, why in g.undefined.items():
            if measure in _SYMBOLS:
                reasons.setdefault(why, []).append(_SYMBOLS[measure])
        notes += [Note(f"{g.region}: {', '.join(m)}: {why}") for why, m in reasons.items()]
    for g in profile.groups:
        doubtful: dict[type, list[str]] = {}
        for e in g.estimates.values():
            for c in e.cautions:
                words = f"{g.region}: {e.measure.label}: {c.reason}"
                doubtful.setdefault(type(c), []).append(words)
        for first, *others in doubtful.values():
            notes += with_others(first, len(others))
    return notes


def table_of_profiles(profiles: "Profiles", level: float, kind: Kind | None) -> Table:
    """Return the table of several profiles, one below the other."""
    tables = [table_of_profile(p, level, kind) for p in profiles]
    body: list[list[Cell]] = []
    notes = [Note(words) for words in _on_intervals(profiles[0], level, kind)]
    notes += [
        replace(note, words=(Own(p.classifier), ": ", *parts_of(note.words)))
        for p in profiles
        for note in _notes(p)
    ]
    columns = [Column("classifier"), *tables[0].columns]
    regions = [[g.region for g in p] for p in profiles]
    apart = any(words != regions[0] for words in regions)  # scores run down for some
    if apart:
        columns[2:-1] = [Column(f"group {g.number + 1}") for g in profiles[0]]
    for p, t, words in zip(profiles, tables, regions, strict=True):
        if apart:
            body.append([Own(p.classifier), "scores", *words, None])
        body += [[Own(p.classifier), *row] for row in t.rows]
    title = f"Groups by {AXIS[profiles[0].by]}"
    return Table(title, _caption(profiles, level), columns, body, notes, _MEANINGS)


def _range(where: ResolvedRegion, axis: str) -> Range:
    """Return where a group lies on an axis."""
    low, high = where.fpr if axis == "fpr" else where.tpr
    return Range(low, high, unit=True)


def _shown(c: "GroupValue", measure: str) -> Cell:
    """Return a value with its interval, or a dash for what is undefined."""
    if math.isnan(c.value):
        return _DASH
    if measure in COUNTED:
        return Observations(c.value, c.low, c.high)
    return WithEnds(c.value, c.low, c.high, unit=measure not in _RATIOS)
