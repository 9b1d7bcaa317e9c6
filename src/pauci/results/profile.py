"""Result of `profile`: groups along the curve, each with all its measures."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from pauci import checks
from pauci.calls import answering_constructor
from pauci.checks import FloatArray
from pauci.curve.region import ResolvedRegion
from pauci.intervals.analytic import Interval
from pauci.intervals.kinds import Kind
from pauci.results import format as fmt
from pauci.results.cells import Table
from pauci.results.drawing import Drawable
from pauci.results.estimate import Estimate, Estimates
from pauci.results.frames import cautions_of, frame
from pauci.results.profile_contents import (
    AXIS,
    COUNTED,
    MEASURES,
    table_of_profile,
    table_of_profiles,
)  # fmt: skip
from pauci.results.tabular import Tabular, short_list

if TYPE_CHECKING:
    import pandas as pd

PROFILE_COLUMNS = (
    "classifier", "by", "group", "region", "region_low", "region_high", "fpr_low", "fpr_high",
    "tpr_low", "tpr_high", "measure", "value", "se", "low", "high", "undefined", "level", "kind",
    "variance", "design", "df", "cautions",
)  # fmt: skip


class Series(NamedTuple):
    """One measure of all groups: ndarrays of shape (groups,), NaN where it is undefined.

    ``simultaneous_low`` and ``simultaneous_high`` are intervals that hold for all groups at once.
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
    """One measure of one group with its interval, NaN where it is undefined."""

    value: float
    se: float
    low: float
    high: float
    kind: str
    df: float


_NOTHING = GroupValue(math.nan, math.nan, math.nan, math.nan, "", math.nan)


@dataclass(frozen=True, eq=False)
class Group:
    """One group along the curve.

    ``group["sensitivity"]`` is an `Estimate`.

    Attributes
    ----------
    number : int
        Its position, from 0.
    low, high : float
        Its edges.
    region : str
        The group in words.
    where : ResolvedRegion, optional
        Where it lies on the curve: both axes, thresholds, observations inside. None if it holds no
        row.
    estimates : dict of str to Estimate
        All measures that have a value. ``share_pos`` and ``share_neg`` are the shares of the
        classes inside; the one that the edges say is none of them.
    undefined : dict of str to str
        Why the others have none.
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
        """Positives inside, with fractions where an edge cuts a tie group."""
        return 0.0 if self.where is None else self.where.n_pos

    @property
    def n_neg(self) -> float:
        """Negatives inside, with fractions where an edge cuts a tie group."""
        return 0.0 if self.where is None else self.where.n_neg

    def __getitem__(self, measure: str) -> Estimate:
        """Return the estimate of a measure."""
        if measure in self.estimates:
            return self.estimates[measure]
        if measure in self.undefined:
            raise KeyError(
                f"{measure!r} has no value over {self.region}: {self.undefined[measure]}"
            )
        raise KeyError(
            f"{measure!r} is no estimate of this group{checks.nearest(measure, self.estimates)} "
            f"There are: {', '.join(self.estimates)}."
        )

    def cell(self, measure: str, level: float = 0.95, kind: Kind | None = None) -> GroupValue:
        """Return a measure, or a number of observations, with its interval."""
        checks.check_choice("measure", measure, MEASURES)
        e = self.estimates.get(COUNTED.get(measure, measure))
        n = 1.0
        if measure in COUNTED:
            if e is None:  # the edges say how many are inside
                n = self.n_pos if measure == "n_pos" else self.n_neg
                if self.where is None:
                    return _NOTHING
                return GroupValue(n, 0.0, n, n, "known", math.inf)
            n = float(e.n_pos if measure == "n_pos" else e.n_neg)
        if e is None:
            return _NOTHING
        used = _kind_for(e, kind)
        low, high = e.interval(level, used)
        return GroupValue(
            n * e.value, n * e.se, n * low, n * high, e.kind_used(used), e.df_used(used)
        )  # fmt: skip


def _kind_for(e: Estimate, kind: Kind | None) -> Kind | None:
    """Return the kind that is asked for where a measure has it: ratios have no log odds."""
    if kind == "logit" and math.isinf(e.bounds.high):
        return "log" if e.resampled is None else None
    if kind == "log" and math.isfinite(e.bounds.high):
        return "logit" if e.resampled is None else None
    return kind


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Profile(Sequence[Group], Tabular, Drawable):
    """Groups along the curve of one classifier, each with all its measures.

    Iterating gives a ``Group`` each; ``profile[0]`` is the first, ``profile["sensitivity"]`` one
    measure of all groups as a named tuple of arrays.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    by : str
        ``"fpr"``, ``"tpr"``, ``"threshold"`` or ``"rank"``.
    edges : tuple of float
        Where groups begin and end.
    groups : tuple of Group
        The groups.
    estimates : tuple of Estimate
        All estimates, group by group.
    cov : ndarray of shape (m, m)
        Their joint covariance matrix.
    total : Estimate
        The sum of the pAUCc of all groups: its value and standard error are those of `auc`.
    auc : Estimate
        The AUC.
    prevalence : float
        Share of the positives that PPV and NPV are meant for.
    assumed : bool
        Whether it was given, rather than that of the sample.
    """

    classifier: str
    by: str
    edges: tuple[float, ...]
    groups: tuple[Group, ...]
    estimates: tuple[Estimate, ...]
    cov: FloatArray
    total: Estimate
    auc: Estimate
    prevalence: float
    assumed: bool

    @overload
    def __getitem__(self, index: int) -> Group: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Group, ...]: ...
    @overload
    def __getitem__(self, index: str) -> Series: ...
    def __getitem__(self, index: Any) -> Any:
        """Return a group, or one measure of all groups by name."""
        return self.series(index) if isinstance(index, str) else self.groups[index]

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.groups)

    def __iter__(self) -> Iterator[Group]:
        """Iterate over the groups."""
        return iter(self.groups)

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
        place = {id(e): i for i, e in enumerate(self.estimates)}
        known = [(i, g.estimates[name]) for i, g in enumerate(self.groups) if name in g.estimates]
        if known:
            chosen = [place[id(e)] for _, e in known]
            some = Estimates(tuple(e for _, e in known), self.cov[np.ix_(chosen, chosen)])
            for (i, e), ends in zip(known, some.simultaneous(level), strict=True):
                n = {"n_pos": e.n_pos, "n_neg": e.n_neg}.get(measure, 1)
                low[i], high[i] = n * ends.low, n * ends.high
        return low, high

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame with a row per group and measure."""
        return frame(PROFILE_COLUMNS, self.record(level, kind))

    def record(self, level: float = 0.95, kind: Kind | None = None) -> list[dict[str, Any]]:
        """Return the rows of `to_frame` as dicts."""
        level = checks.level(level)
        rows = []
        for g in self.groups:
            nan = Interval(math.nan, math.nan)
            fpr, tpr = (nan, nan) if g.where is None else (g.where.fpr, g.where.tpr)
            for measure in MEASURES:
                c = g.cell(measure, level, kind)
                e = g.estimates.get(COUNTED.get(measure, measure))
                values = (
                    self.classifier, self.by, g.number + 1, g.region, g.low, g.high, *fpr, *tpr,
                    measure, c.value, c.se, c.low, c.high, g.undefined.get(measure), level, c.kind,
                    self.auc.variance, self.auc.design, c.df,
                    None if e is None else cautions_of([e]),
                )  # fmt: skip
                rows.append(dict(zip(PROFILE_COLUMNS, values, strict=True)))
        return rows

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return sentences for a paper: each group's balanced average accuracy, and the sum."""
        level = checks.level(level)
        groups = []
        for g in self.groups:
            c = g.cell("normalized", level, kind)
            n = " + ".join(map(fmt.observations, (g.n_pos, g.n_neg)))
            words = "undefined"
            if not math.isnan(c.value):
                value, low, high = (fmt.number(v, c.se) for v in (c.value, c.low, c.high))
                words = f"{value} ({low} to {high})"
            groups.append(f"{words} over {g.region} ({n} observations)")
        used = self.auc.kind_used(_kind_for(self.auc, kind))
        auc, error = self.auc.value, self.auc.se_shown
        ends = fmt.interval_phrase(*self.auc.interval(level, kind), level, used, error, auc)
        return (
            f"Deep ROC analysis of {self.classifier} in groups by {AXIS[self.by]}: normalized "
            f"concordant partial AUC with {fmt.percent(level)} CI {', '.join(groups)}; positives + "
            "negatives. The unnormalized ones sum to the AUC, "
            f"{fmt.number(auc, error)} ({ends}; {self.auc.basis})."
        )

    def _table(self, level: float, kind: Any) -> Table:
        return table_of_profile(self, checks.level(level), kind)

    def __repr__(self) -> str:
        cells = [g.cell("paucc") for g in self.groups]
        parts = ", ".join(fmt.number(c.value, c.se) for c in cells)
        return (
            f"Profile({self.classifier}, {len(self)} groups by {self.by}: pAUCc {parts}; AUC "
            f"{fmt.number(self.auc.value, self.auc.se_shown)})"
        )


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Profiles(Sequence[Profile], Tabular, Drawable):
    """The profiles of several classifiers; ``profiles["nn"]`` is one of them.

    Attributes
    ----------
    profiles : tuple of Profile
        One per classifier.
    """

    profiles: tuple[Profile, ...]

    @overload
    def __getitem__(self, index: int) -> Profile: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Profile, ...]: ...
    @overload
    def __getitem__(self, index: str) -> Profile: ...
    def __getitem__(self, index: Any) -> Any:
        """Return a profile by position, or by the name of its classifier."""
        if not isinstance(index, str):
            return self.profiles[index]
        for p in self.profiles:
            if p.classifier == index:
                return p
        names = [p.classifier for p in self.profiles]
        raise KeyError(
            f"{index!r} is no classifier here{checks.nearest(index, names)} "
            f"There are: {', '.join(names)}."
        )

    def __len__(self) -> int:
        """Return the number of classifiers."""
        return len(self.profiles)

    def __iter__(self) -> Iterator[Profile]:
        """Iterate over the profiles."""
        return iter(self.profiles)

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame with a row per classifier, group and measure."""
        return frame(PROFILE_COLUMNS, [row for p in self for row in p.record(level, kind)])

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return the sentences of each profile."""
        return "\n".join(p.report(level, kind) for p in self)

    def _table(self, level: float, kind: Any) -> Table:
        return table_of_profiles(self, checks.level(level), kind)

    def __repr__(self) -> str:
        return short_list("Profiles", [repr(p)[len("Profile(") : -1] for p in self])
