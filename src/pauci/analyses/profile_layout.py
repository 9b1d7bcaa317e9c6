"""The layout of profiles: a row for each measure, and a column for each group."""

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from pauci.analyses.curve_groups import COUNTED, MEASURES, Group, kind_for
from pauci.intervals.kinds import Kind
from pauci.measures.area import PAUCc
from pauci.measures.groups import QUANTITIES
from pauci.results.captions import (
    abbreviations_of,
    class_sizes_phrase,
    classifiers_phrase,
    list_or_count,
    notes_with_count,
    prevalence_phrase,
)
from pauci.results.layout import Layout, TableColumn, View
from pauci.results.row import PlainRow
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Count,
    Note,
    Observations,
    RangeCell,
    RichText,
    Verbatim,
    WithEnds,
    parts_of,
)

_SYMBOLS = {name: QUANTITIES[name].symbol for name in MEASURES if name in QUANTITIES}
_SYMBOLS |= {
    "sensitivity": "avg. sensitivity",
    "specificity": "avg. specificity",
    "n_pos": "positives",
    "n_neg": "negatives",
}

_AXIS = {
    "fpr": "FPR",
    "tpr": "TPR",
    "threshold": "score",
    "rank": "rank (0 is the highest score)",
}

_RATIOS = ("lr_pos", "lr_neg", "lr_range")

_ABBREVIATIONS = abbreviations_of([PAUCc(fpr=(0, 1))])

_DASH = WithEnds(math.nan, math.nan, math.nan)
"""The cell of an undefined measure."""


def _title(view: View) -> RichText:
    profiles = view.result._profiles
    by = f"by {_AXIS[profiles[0].by]}"
    if len(profiles) > 1:
        return f"Groups {by}"
    return "Groups of ", Verbatim(profiles[0].classifier), f" {by}"


def _caption(view: View) -> RichText:
    profiles = view.result._profiles
    first = profiles[0]
    groups = list_or_count([g.region for g in first.groups], "groups")
    return (
        "Deep ROC analysis: pAUCc and other measures of groups along the ROC curve",
        "s of " if len(profiles) > 1 else " of ",
        *classifiers_phrase(p.classifier for p in profiles),
        f", by {_AXIS[first.by]}: {groups}, with {fmt.percent(view.level)} confidence intervals",
        *class_sizes_phrase([p.auc for p in profiles]),
    )


def _group_names(profiles: Sequence[Any]) -> list[str]:
    """Return the names of the groups, which are numbered if they differ between profiles."""
    names = [g.region for g in profiles[0]]
    # They differ if lower scores indicate positives for some of the classifiers.
    if any([g.region for g in p] != names for p in profiles):
        return [f"group {i}" for i in range(1, len(names) + 1)]
    return names


def _table_rows(view: View) -> list[list[Cell]]:
    """Return a row for each measure and axis of each profile, with a cell for each group."""
    profiles = view.result._profiles
    rows: list[list[Cell]] = []
    records = iter(view.rows)
    for p in profiles:
        names = [g.region for g in p]
        if names != _group_names(profiles):
            rows.append([Verbatim(p.classifier), "scores", *names, None])
        low, high = p.auc.interval(view.level, kind_for(p.auc, view.kind))
        whole: dict[str, Cell] = {
            "paucc": WithEnds(p.auc.value, low, high, unit=True),
            "n_pos": Count(p.auc.n_pos),
            "n_neg": Count(p.auc.n_neg),
        }
        of_profile = [[next(records) for _ in MEASURES] for _ in p]
        for measure, cells in zip(MEASURES, zip(*of_profile, strict=True), strict=True):
            row = [_SYMBOLS[measure], *map(_cell, cells), whole.get(measure)]
            rows.append([Verbatim(p.classifier), *row])
        for axis in ("fpr", "tpr"):
            ranges = [_range(g, axis) for g in p]
            row = [axis.upper(), *ranges, RangeCell(0.0, 1.0, unit=True)]
            rows.append([Verbatim(p.classifier), *row])
    return rows


def _range(group: Group, axis: str) -> Cell:
    """Return the range of a group on an axis."""
    if group.where is None:
        return _DASH
    low, high = getattr(group.where, axis)
    return RangeCell(low, high, unit=True)


def _note_on_intervals(view: View, profile: Any) -> Note:
    """Return the kinds of the intervals and the source of the standard errors."""
    used: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for row in profile.rows(view.level, view.kind):
        if row["is_ratio"] is not None:
            used[row["is_ratio"]][fmt.proper(row["kind"])] = None
    proportions, ratios = map(", ".join, used.values())
    kinds = proportions
    if ratios and ratios != proportions:
        kinds = f"{proportions}; {ratios} for ratios"
    return Note(
        f"{fmt.percent(view.level)} pointwise intervals: {kinds}. "
        f"SE: {fmt.proper(profile.auc.source)}."
    )


def _notes_on(profile: Any) -> list[Note]:
    total, se, auc, se_of_auc = (
        fmt.number(v, profile.auc.se_shown)
        for e in (profile.total, profile.auc)
        for v in (e.value, e.se)
    )
    prevalence = prevalence_phrase(profile.prevalence, profile.auc.design, profile.assumed)
    notes = [
        Note(f"Sum of the pAUCc: {total} (SE {se}). AUC: {auc} (SE {se_of_auc})."),
        Note(
            "PPV, NPV, LR+ and LR- are calculated from the average sensitivity and specificity. "
            f"{prevalence}."
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
        cautions: dict[type, list[str]] = {}
        for e in g.estimates.values():
            for c in e.cautions:
                caution = f"{g.region}: {e.measure.label}: {c.reason}"
                cautions.setdefault(type(c), []).append(caution)
        for first, *others in cautions.values():
            notes += notes_with_count(first, len(others))
    return notes


def _notes(view: View) -> list[Note]:
    """Return the notes on each profile with its classifier, then those that all share."""
    profiles = view.result._profiles
    notes_of = [_notes_on(p) for p in profiles]
    shared = [note for note in notes_of[0] if all(note in notes for notes in notes_of)]
    named = [
        replace(note, words=(Verbatim(p.classifier), ": ", *parts_of(note.words)))
        for p, notes in zip(profiles, notes_of, strict=True)
        for note in notes
        if note not in shared
    ]
    return [_note_on_intervals(view, profiles[0]), *named, *shared]


def _sentence(profile: Any, level: float, kind: Kind | None) -> str:
    """Return the normalized pAUCc of each group, and the AUC, in sentences for a paper."""
    groups = []
    for g in profile.groups:
        c = g.cell("normalized", level, kind)
        sizes = "{} positives, {} negatives".format(*map(fmt.observations, (g.n_pos, g.n_neg)))
        result = f"undefined over {g.region} ({sizes})"
        if not math.isnan(c.value):
            value, low, high = (fmt.number(v, c.se) for v in (c.value, c.low, c.high))
            result = f"{value} over {g.region} ({fmt.percent(level)} CI {low} to {high}; {sizes})"
        groups.append(result)
    auc = profile.auc
    return (
        f"Deep ROC analysis of {profile.classifier} in groups by {_AXIS[profile.by]}: the "
        f"normalized concordant partial AUC was {', '.join(groups)}. The unnormalized partial "
        f"areas sum to the AUC, {fmt.number(auc.value, auc.se_shown)} "
        f"({auc.interval_phrase(level, kind_for(auc, kind))}; {auc.basis})."
    )


def _cell(row: PlainRow) -> Cell:
    """Return a value with its interval, or a dash if it is undefined."""
    value, low, high = row["value"], row["low"], row["high"]
    if math.isnan(value):
        return _DASH
    if row["measure"] in COUNTED:
        return Observations(value, low, high)
    return WithEnds(value, low, high, unit=row["measure"] not in _RATIOS)


def layout_of(profiles: Sequence[Any]) -> Layout:
    """Return the layout of one profile or several, whose table has a column for each group."""
    headings = ["classifier", "measure", *_group_names(profiles), "all"]
    columns = [TableColumn(name, itemgetter(i)) for i, name in enumerate(headings)]
    return Layout(
        title=_title,
        caption=_caption,
        columns=columns if len(profiles) > 1 else columns[1:],
        fields="classifier by group region region_low region_high fpr_low fpr_high tpr_low "
        "tpr_high measure value se low high undefined level kind variance design df cautions "
        "dropped left_out",
        notes=_notes,
        sentences=lambda view: [_sentence(p, view.level, view.kind) for p in profiles],
        table_rows=_table_rows,
        meanings=lambda _: _ABBREVIATIONS,
    )
