"""Result of `profile`: groups along the curve with their measures, and the tables of profiles."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.curve.region import ResolvedRegion
from pauci.intervals.analytic import Interval
from pauci.intervals.kinds import Kind
from pauci.measures.area import PAUCc
from pauci.measures.groups import QUANTITIES
from pauci.results.base_estimate import cautions_of
from pauci.results.captions import (
    abbreviations_of,
    class_sizes_phrase,
    classifiers_phrase,
    list_or_count,
    notes_with_count,
    prevalence_phrase,
)
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.results.keyed_sequence import KeyedSequence
from pauci.results.layout import Layout, TableColumn, View
from pauci.results.presented import Presented
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
from pauci.tables.tabular import short_list

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.figures.grouped_intervals import DrawnGroups

MEASURES = (
    "paucc",
    "normalized",
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "lr_pos",
    "lr_neg",
    "lr_range",
    "n_pos",
    "n_neg",
)
"""The measures and the numbers of observations of each group."""

COUNTED = {"n_pos": "share_pos", "n_neg": "share_neg"}
"""The proportions of the classes from which numbers of observations are calculated."""

_SYMBOLS = {name: QUANTITIES[name].symbol for name in MEASURES if name in QUANTITIES}
_SYMBOLS |= {
    "sensitivity": "avg. sensitivity",
    "specificity": "avg. specificity",
    "n_pos": "positives",
    "n_neg": "negatives",
}

AXIS = {
    "fpr": "FPR",
    "tpr": "TPR",
    "threshold": "score",
    "rank": "rank (0 is the highest score)",
}

_RATIOS = ("lr_pos", "lr_neg", "lr_range")

_ABBREVIATIONS = abbreviations_of([PAUCc(fpr=(0, 1))])

_DASH = WithEnds(math.nan, math.nan, math.nan)
"""The cell of an undefined measure."""


class Series(NamedTuple):
    """One measure of all groups: ndarrays of shape (groups,), NaN if it is undefined.

    ``simultaneous_low`` and ``simultaneous_high`` are the ends of simultaneous intervals.
    """

    low_edge: FloatArray
    high_edge: FloatArray
    value: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    simultaneous_low: FloatArray
    simultaneous_high: FloatArray


class GroupValue(NamedTuple):
    """One measure of one group with its interval, NaN if it is undefined."""

    value: float
    se: float
    low: float
    high: float
    kind: str
    df: float


_UNDEFINED = GroupValue(math.nan, math.nan, math.nan, math.nan, "", math.nan)


@dataclass(frozen=True, eq=False)
class Group:
    """One group along the curve.

    ``group["sensitivity"]`` is an `Estimate`.

    Attributes
    ----------
    number : int
        Position of the group, from 0.
    low, high : float
        The edges.
    region : str
        The name of the group, such as ``FPR 0 to 0.1``.
    where : ResolvedRegion, optional
        Position of the group on the curve: both axes, thresholds, observations inside. None if the
        group contains no row.
    estimates : dict of str to Estimate
        All measures that are defined. ``share_pos`` and ``share_neg`` are the proportions of the
        classes in the group; a proportion that is fixed by the edges is not estimated.
    undefined : dict of str to str
        Reasons why the other measures are undefined.
    """

    number: int
    low: float
    high: float
    region: str
    where: ResolvedRegion | None
    estimates: dict[str, Estimate] = field(repr=False)
    undefined: dict[str, str]

    @property
    def n_pos(self) -> float:
        """Number of positives in the group, a fraction if an edge divides a tie group."""
        return 0.0 if self.where is None else self.where.n_pos

    @property
    def n_neg(self) -> float:
        """Number of negatives in the group, a fraction if an edge divides a tie group."""
        return 0.0 if self.where is None else self.where.n_neg

    def __getitem__(self, measure: str) -> Estimate:
        """Return the estimate of a measure."""
        if measure in self.estimates:
            return self.estimates[measure]
        if measure in self.undefined:
            raise KeyError(
                f"{measure!r} is undefined over {self.region}: {self.undefined[measure]}"
            )
        raise KeyError(
            f"{measure!r} is not an estimate of this group"
            f"{checks.nearest(measure, self.estimates)} There are: {', '.join(self.estimates)}."
        )

    def cell(self, measure: str, level: float = 0.95, kind: Kind | None = None) -> GroupValue:
        """Return a measure, or a number of observations, with its interval."""
        checks.check_choice("measure", measure, MEASURES)
        e = self.estimates.get(COUNTED.get(measure, measure))
        n = 1.0
        if measure in COUNTED:
            if e is None:  # fixed by the edges
                n = self.n_pos if measure == "n_pos" else self.n_neg
                if self.where is None:
                    return _UNDEFINED
                return GroupValue(n, 0.0, n, n, "known", math.inf)
            n = float(e.n_pos if measure == "n_pos" else e.n_neg)
        if e is None:
            return _UNDEFINED
        used = _kind_for(e, kind)
        low, high = e.interval(level, used)
        return GroupValue(
            n * e.value, n * e.se, n * low, n * high, e.kind_used(used), e.df_used(used)
        )


def _kind_for(e: Estimate, kind: Kind | None) -> Kind | None:
    """Return a kind of interval that the measure has, such as log instead of logit for a ratio."""
    if kind == "logit" and math.isinf(e.bounds.high):
        return "log" if e.resampled is None else None
    if kind == "log" and math.isfinite(e.bounds.high):
        return "logit" if e.resampled is None else None
    return kind


class PresentedProfiles(Presented[Kind]):
    """One profile, or several."""

    @property
    @abstractmethod
    def _profiles(self) -> "tuple[Profile, ...]": ...

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:
        return [row for p in self._profiles for row in p.rows(level, kind)]

    def _layout(self) -> Layout:
        return replace(PROFILES, columns=_columns(self._profiles))

    def _described(self, rows: Any) -> list[Estimate]:  # noqa: ARG002
        return [e for p in self._profiles for e in p.joint.estimates]

    def plot(
        self,
        measures: str | Sequence[str] | None = None,
        *,
        level: float = 0.95,
        kind: Kind | None = None,
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw measures of the groups with their intervals; see `pauci.plot.profile`.

        Parameters
        ----------
        measures : str or sequence of str, optional
            The measures to draw; see `pauci.plot.profile`.
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Kind of interval; see `Estimate.interval`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.grouped_intervals import draw_groups, measures_drawn

        level, names = (
            checks.level(level),
            measures_drawn(measures, several=len(self._profiles) > 1),
        )
        drawn = [p._drawn_groups(names, level, kind) for p in self._profiles]
        return draw_groups(drawn, names, level, ax)


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Profile(KeyedSequence[Group, str, Series], PresentedProfiles):
    """Groups along the curve of one classifier, with all measures of each.

    Iteration yields the groups. ``profile[0]`` is the first group, and ``profile["sensitivity"]``
    one measure of all groups, as a named tuple of arrays.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    by : str
        ``"fpr"``, ``"tpr"``, ``"threshold"`` or ``"rank"``.
    edges : tuple of float
        Limits of the groups.
    groups : tuple of Group
        The groups.
    joint : Estimates
        All estimates with their joint covariance, ordered by group; the last two are `total` and
        `auc`.
    prevalence : float
        The prevalence for PPV and NPV.
    assumed : bool
        Whether the prevalence was specified, instead of that of the sample.
    """

    classifier: str
    by: str
    edges: tuple[float, ...]
    groups: tuple[Group, ...]
    joint: Estimates
    prevalence: float
    assumed: bool

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The estimates of all groups, ordered by group."""
        return self.joint.estimates[:-2]

    @property
    def cov(self) -> FloatArray:
        """Covariance matrix of the estimates of all groups."""
        return self.joint.cov[:-2, :-2]

    @property
    def total(self) -> Estimate:
        """The sum of the pAUCc of all groups, with the value and the standard error of `auc`."""
        return self.joint[-2]

    @property
    def auc(self) -> Estimate:
        """The AUC."""
        return self.joint[-1]

    @property
    def _items(self) -> tuple[Group, ...]:
        return self.groups

    def _selected(self, key: str) -> Series:
        """Return one measure of all groups."""
        return self.series(key)

    def series(self, measure: str, level: float = 0.95, kind: Kind | None = None) -> Series:
        """Return one measure of all groups as arrays.

        Parameters
        ----------
        measure : str
            One of ``paucc``, ``normalized``, ``sensitivity``, ``specificity``, ``ppv``, ``npv``,
            ``lr_pos``, ``lr_neg``, ``lr_range``, ``n_pos`` and ``n_neg``.
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Kind of interval, as for an `Estimate`.
        """
        level = checks.level(level)
        cells = [g.cell(measure, level, kind) for g in self.groups]
        value, se, low, high = (np.array(v) for v in zip(*(c[:4] for c in cells), strict=True))
        ends = self._simultaneous(measure, level, cells)
        edges = np.array(self.edges)
        return Series(edges[:-1], edges[1:], value, se, low, high, *ends)

    def _simultaneous(
        self, measure: str, level: float, cells: Sequence[GroupValue]
    ) -> tuple[FloatArray, FloatArray]:
        low, high = np.array([c.low for c in cells]), np.array([c.high for c in cells])
        name = COUNTED.get(measure, measure)
        position = {id(e): i for i, e in enumerate(self.estimates)}
        defined = [(i, g.estimates[name]) for i, g in enumerate(self.groups) if name in g.estimates]
        if defined:
            positions = [position[id(e)] for _, e in defined]
            chosen = np.eye(len(self.joint))[positions]
            estimates = replace(
                self.joint,
                quantities=tuple(e for _, e in defined),
                uncertainty=self.joint.uncertainty.combined(chosen),
            )
            for (i, e), ends in zip(defined, estimates.simultaneous(level), strict=True):
                n = {"n_pos": e.n_pos, "n_neg": e.n_neg}.get(measure, 1)
                low[i], high[i] = n * ends.low, n * ends.high
        return low, high

    @property
    def _profiles(self) -> tuple["Profile", ...]:
        return (self,)

    def rows(self, level: float, kind: Any) -> list[PlainRow]:
        """Return a row for each group and measure."""
        rows = []
        for g in self.groups:
            nan = Interval(math.nan, math.nan)
            fpr, tpr = (nan, nan) if g.where is None else (g.where.fpr, g.where.tpr)
            of_group = {
                "classifier": self.classifier,
                "by": self.by,
                "group": g.number + 1,
                "region": g.region,
                "region_low": g.low,
                "region_high": g.high,
                "fpr_low": fpr.low,
                "fpr_high": fpr.high,
                "tpr_low": tpr.low,
                "tpr_high": tpr.high,
                "level": level,
                "variance": self.auc.variance,
                "design": self.auc.design,
                **self.auc.excluded.columns,
            }
            for measure in MEASURES:
                e = g.estimates.get(COUNTED.get(measure, measure))
                of_measure = {
                    "measure": measure,
                    "is_ratio": None if e is None else math.isinf(e.bounds.high),
                    "undefined": g.undefined.get(measure),
                    "cautions": None if e is None else cautions_of([e]),
                }
                rows.append(PlainRow(g.cell(measure, level, kind), **of_group, **of_measure))
        return rows

    def _drawn_groups(self, measures: list[str], level: float, kind: Kind | None) -> "DrawnGroups":
        from pauci.figures.grouped_intervals import DrawnGroup, DrawnGroups

        groups = [DrawnGroup(g.low, g.high, g.n_pos, g.n_neg) for g in self.groups]
        intervals = {}
        for name in measures:
            cells = [g.cell(name, level, kind) for g in self.groups]
            intervals[name] = [(c.value, c.low, c.high) for c in cells]
        return DrawnGroups(self.classifier, self.by, groups, intervals)

    def __repr__(self) -> str:
        return f"Profile({self.repr_words})"

    @property
    def repr_words(self) -> str:
        """The words of the repr, which lists of results share."""
        cells = [g.cell("paucc") for g in self.groups]
        parts = ", ".join(fmt.number(c.value, c.se) for c in cells)
        return (
            f"{self.classifier}, {len(self)} groups by {self.by}: pAUCc {parts}; AUC "
            f"{fmt.number(self.auc.value, self.auc.se_shown)}"
        )


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Profiles(KeyedSequence[Profile, str, Profile], PresentedProfiles):
    """The profiles of several classifiers, such as ``profiles["nn"]``.

    Attributes
    ----------
    profiles : tuple of Profile
        One per classifier.
    """

    profiles: tuple[Profile, ...]

    @property
    def _items(self) -> tuple[Profile, ...]:
        return self.profiles

    def _selected(self, key: str) -> Profile:
        """Return the profile of a classifier."""
        for p in self.profiles:
            if p.classifier == key:
                return p
        names = [p.classifier for p in self.profiles]
        raise KeyError(
            f"{key!r} is not a classifier of these profiles{checks.nearest(key, names)} "
            f"There are: {', '.join(names)}."
        )

    @property
    def _profiles(self) -> tuple[Profile, ...]:
        return self.profiles

    def __repr__(self) -> str:
        return short_list("Profiles", [p.repr_words for p in self])


def _title(view: View) -> RichText:
    profiles: tuple[Profile, ...] = view.result._profiles
    by = f"by {AXIS[profiles[0].by]}"
    return (
        f"Groups {by}"
        if len(profiles) > 1
        else ("Groups of ", Verbatim(profiles[0].classifier), f" {by}")
    )


def _caption(view: View) -> RichText:
    profiles: tuple[Profile, ...] = view.result._profiles
    first = profiles[0]
    groups = list_or_count([g.region for g in first.groups], "groups")
    return (
        "Deep ROC analysis: pAUCc and other measures of groups along the ROC curve",
        "s of " if len(profiles) > 1 else " of ",
        *classifiers_phrase(p.classifier for p in profiles),
        f", by {AXIS[first.by]}: {groups}, with {fmt.percent(view.level)} confidence intervals",
        *class_sizes_phrase([p.auc for p in profiles]),
    )


def _columns(profiles: Sequence[Profile]) -> list[TableColumn]:
    """Return the columns of a table, with one for each group."""
    headings = ["classifier", "measure", *_group_names(profiles), "all"]
    columns = [TableColumn(name, itemgetter(i)) for i, name in enumerate(headings)]
    return columns if len(profiles) > 1 else columns[1:]


def _group_names(profiles: Sequence[Profile]) -> list[str]:
    """Return the names of the groups, which are numbered if they differ between profiles."""
    names = [g.region for g in profiles[0]]
    # They differ if lower scores indicate positives for some of the classifiers.
    if any([g.region for g in p] != names for p in profiles):
        return [f"group {i}" for i in range(1, len(names) + 1)]
    return names


def _table_rows(view: View) -> list[list[Cell]]:
    """Return a row for each measure and axis of each profile, with a cell for each group."""
    profiles: tuple[Profile, ...] = view.result._profiles
    rows: list[list[Cell]] = []
    records = iter(view.rows)
    for p in profiles:
        names = [g.region for g in p]
        if names != _group_names(profiles):
            rows.append([Verbatim(p.classifier), "scores", *names, None])
        whole: dict[str, Cell] = {
            "paucc": WithEnds(p.auc.value, *p.auc.interval(view.level, view.kind), unit=True),
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


def _note_on_intervals(view: View, profile: Profile) -> Note:
    """Return the kinds of the intervals and the source of the standard errors."""
    used: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for row in profile.rows(view.level, view.kind):
        if row["is_ratio"] is not None:
            used[row["is_ratio"]][fmt.proper(row["kind"])] = None
    proportions, ratios = map(", ".join, used.values())
    kinds = proportions
    if ratios and ratios != proportions:
        kinds = f"{proportions}; {ratios} for ratios"
    level = fmt.percent(view.level)
    return Note(f"{level} pointwise intervals: {kinds}. SE: {fmt.proper(profile.auc.source)}.")


def _notes_on(profile: Profile) -> list[Note]:
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
    profiles: tuple[Profile, ...] = view.result._profiles
    notes_of = [_notes_on(p) for p in profiles]
    shared = [note for note in notes_of[0] if all(note in notes for notes in notes_of)]
    named = [
        replace(note, words=(Verbatim(p.classifier), ": ", *parts_of(note.words)))
        for p, notes in zip(profiles, notes_of, strict=True)
        for note in notes
        if note not in shared
    ]
    return [_note_on_intervals(view, profiles[0]), *named, *shared]


def _sentence(profile: Profile, level: float, kind: Kind | None) -> str:
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
    used = profile.auc.kind_used(_kind_for(profile.auc, kind))
    auc, error = profile.auc.value, profile.auc.se_shown
    ends = fmt.interval_phrase(*profile.auc.interval(level, kind), level, used, error, auc)
    return (
        f"Deep ROC analysis of {profile.classifier} in groups by {AXIS[profile.by]}: the "
        f"normalized concordant partial AUC was {', '.join(groups)}. The unnormalized partial "
        f"areas sum to the AUC, {fmt.number(auc, error)} ({ends}; {profile.auc.basis})."
    )


def _cell(row: PlainRow) -> Cell:
    """Return a value with its interval, or a dash if it is undefined."""
    value, low, high = row["value"], row["low"], row["high"]
    if math.isnan(value):
        return _DASH
    if row["measure"] in COUNTED:
        return Observations(value, low, high)
    return WithEnds(value, low, high, unit=row["measure"] not in _RATIOS)


PROFILES = Layout(
    title=_title,
    caption=_caption,
    columns=(),
    fields="classifier by group region region_low region_high fpr_low fpr_high tpr_low tpr_high "
    "measure value se low high undefined level kind variance design df cautions dropped left_out",
    notes=_notes,
    sentences=lambda view: [_sentence(p, view.level, view.kind) for p in view.result._profiles],
    table_rows=_table_rows,
    meanings=lambda _: _ABBREVIATIONS,
)
