"""`profile`: deep ROC analysis, all measures of several groups along the curve."""

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_call, validated_dataclass
from pauci.cautions.about_estimates import prevalence_of, warn_about_sampling_ratio
from pauci.cautions.about_parts import combined_by_kind
from pauci.checks import EqualByFields, FloatArray, MaybeSeveral, Number, RegionEnds
from pauci.curve.exact_sums import exact_number
from pauci.curve.polyline import Axis, StepEnd
from pauci.curve.region import (
    AxisRegion,
    RankRegion,
    Region,
    ResolvedRegion,
    ThresholdRegion,
    parse_bound,
    resolve,
)
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.inference.arguments import SampleRequest, Variance, check_sample, method_of
from pauci.inference.family_of_samples import family
from pauci.intervals.analytic import Interval, Kind
from pauci.measures.area import AUC, PAUC, PAUCc, PAUCx
from pauci.measures.base import Measure
from pauci.measures.concordance import QUANTITIES, GroupMeasure
from pauci.measures.prevalence import validate_prevalence
from pauci.results.captions import prevalence_phrase
from pauci.results.estimates import Estimate, KeyedSequence, cautions_of
from pauci.results.facts import Fact
from pauci.results.family import Estimates
from pauci.results.presented import Presented
from pauci.results.quantity import PlainRow
from pauci.sample.ratings import Ratings
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell, Part, RichText, Verbatim
from pauci.tables.tabular import short_list
from pauci.variance.method import VarianceMethod

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.drawings.forest_plot import DrawnGroups

COUNTED = {"n_pos": "share_pos", "n_neg": "share_neg"}
"""The proportions of the classes from which numbers of observations are calculated."""

MEASURES = (*(name for name in QUANTITIES if name not in COUNTED.values()), *COUNTED)
"""The measures and the numbers of observations of each group."""


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
class Group(EqualByFields):
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
            why = self.undefined[measure]
            raise KeyError(f"{measure!r} is undefined over {self.region}: {why}")
        raise KeyError(
            f"{measure!r} is not an estimate of this group"
            f"{checks.nearest(measure, self.estimates)} There are: {', '.join(self.estimates)}."
        )

    def estimate_of(self, measure: str) -> Estimate | None:
        """Return the estimate of a measure, or of the proportion for a number; None without one."""
        return self.estimates.get(COUNTED.get(measure, measure))

    def cell(self, measure: str, level: float = 0.95, kind: Kind | None = None) -> GroupValue:
        """Return a measure, or a number of observations, with its interval."""
        checks.check_choice("measure", measure, MEASURES)
        e = self.estimate_of(measure)
        if e is None and measure in COUNTED and self.where is not None:  # fixed by the edges
            n = getattr(self, measure)
            return GroupValue(n, 0.0, n, n, "known", math.inf)
        if e is None:
            return _UNDEFINED
        n, used = number_in(measure, e), kind_for(e, kind)
        value, se, low, high = (n * v for v in (e.value, e.se, *e.interval(level, used)))
        return GroupValue(value, se, low, high, e.kind_used(used), e.df_used(used))


def number_in(measure: str, e: Estimate) -> float:
    """Return the number of observations of which an estimate is a proportion; 1 for measures."""
    return float(getattr(e, measure)) if measure in COUNTED else 1.0


def kind_for(e: Estimate, kind: Kind | None) -> Kind | None:
    """Return a kind of interval that the measure has, such as log instead of logit for a ratio."""
    if checks.equal(kind, "logit") and math.isinf(e.bounds.high):
        return "log" if e.resampled is None else None
    if checks.equal(kind, "log") and math.isfinite(e.bounds.high):
        return "logit" if e.resampled is None else None
    return kind


_SYMBOLS = {name: QUANTITIES[name].symbol for name in MEASURES if name in QUANTITIES}

_SYMBOLS |= {
    "sensitivity": "average sensitivity",
    "specificity": "average specificity",
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

_EDGES = ("region_low", "region_high", "fpr_low", "fpr_high", "tpr_low", "tpr_high")


def _cell(e: Estimate, level: float, kind: Kind | None) -> EstimateCell:
    """Return an estimate with its interval as a cell."""
    return EstimateCell(e.value, *e.interval(level, kind_for(e, kind)))


def _notes_on(profile: Any, level: float, kind: Kind | None) -> list[str]:
    """Return the notes on a profile: the sum of the areas, and what is undefined or doubtful."""
    auc = _cell(profile.auc, level, kind).plain()
    prevalence = prevalence_phrase(profile.prevalence, profile.auc.rows.design, profile.assumed)
    notes = [
        f"The pAUCc sum to the AUC, {auc}.",
        "PPV, NPV, LR+ and LR- are calculated from the average sensitivity and specificity. "
        f"{prevalence}.",
    ]
    for g in profile.groups:
        reasons: dict[str, list[str]] = {}
        for measure, why in g.undefined.items():
            if measure in _SYMBOLS:
                reasons.setdefault(why, []).append(_SYMBOLS[measure])
        notes += [f"{g.region}: {', '.join(m)}: {why}" for why, m in reasons.items()]
    return notes


def _sentence(profile: Any, level: float, kind: Kind | None) -> str:
    """Return the normalized pAUCc of each group, and the AUC, in sentences for a paper."""
    groups, name = [], f"{fmt.percent(level)} CI"
    for g in profile.groups:
        c = g.cell("normalized", level, kind)
        sizes = "{} positives, {} negatives".format(*map(fmt.observations, (g.n_pos, g.n_neg)))
        result = f"undefined over {g.region} ({sizes})"
        if not math.isnan(c.value):
            cell = EstimateCell(c.value, c.low, c.high)
            result = f"{cell.sentence(name)} over {g.region} ({sizes})"
        groups.append(result)
    auc = _cell(profile.auc, level, kind)
    return (
        f"Deep ROC analysis of {profile.classifier} in groups by {_AXIS[profile.by]}: the "
        f"normalized concordant partial AUC was {fmt.listed(groups)}. The unnormalized partial "
        f"areas sum to the AUC, {auc.sentence(name)}."
    )


_Range = AxisRegion | ThresholdRegion | RankRegion
"""The region of a group, between two edges."""


class PresentedProfiles(Presented[Kind]):
    """One profile, or several."""

    @property
    @abstractmethod
    def _profiles(self) -> "tuple[Profile, ...]": ...

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:
        return [row for p in self._profiles for row in p.rows(level, kind)]

    _unit = "place"
    _fields = (
        "classifier by group region region_low region_high fpr_low fpr_high tpr_low tpr_high "
        "measure value se low high undefined level kind variance design df cautions dropped "
        "left_out"
    )

    @property
    def _topic(self) -> RichText:  # type: ignore[override]
        names = [Verbatim(p.classifier) for p in self._profiles]
        of: list[str | Part] = ["Deep ROC analysis of ", names[0]]
        for name in names[1:]:
            of += [" and ", name]
        return (*of, f", groups by {_AXIS[self._profiles[0].by]}")

    @property
    def _described(self) -> list[Estimate]:  # type: ignore[override]
        return [e for p in self._profiles for e in p.joint.estimates]

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        """Return the facts of all measures that are defined."""
        groups = [g.region for g in self._profiles[0].groups]
        # They differ if lower scores indicate positives for some of the classifiers.
        if any([g.region for g in p.groups] != groups for p in self._profiles):
            groups = [f"group {i}" for i in range(1, len(groups) + 1)]
        facts = []
        for row in rows:
            value, low, high = row["value"], row["low"], row["high"]
            names = {"measure": _SYMBOLS[row["measure"]], "place": groups[row["group"] - 1]}
            names["classifier"] = row["classifier"]
            record = {name: row[name] for name in ("se", "df", "kind")}
            unit = row["measure"] not in (*_RATIOS, *COUNTED)
            if not math.isnan(value):
                facts.append(Fact(value, low, high, names=names, record=record, unit=unit))
        return facts

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":
        """Return the notes on each profile with its classifier, then those that all share."""
        notes_of = [_notes_on(p, level, kind) for p in self._profiles]
        shared = [note for note in notes_of[0] if all(note in notes for notes in notes_of)]
        named: list[RichText] = [
            (Verbatim(p.classifier), f": {note}")
            for p, notes in zip(self._profiles, notes_of, strict=True)
            for note in notes
            if note not in shared
        ]
        return [*named, *shared]

    def _sentences_of(self, presentation: Any) -> list[str]:
        return [_sentence(p, presentation.level, presentation.kind) for p in self._profiles]

    def plot(
        self,
        measures: str | Sequence[str] | None = None,
        *,
        level: float = 0.95,
        kind: Kind | None = None,
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw measures of the groups with their intervals.

        Parameters
        ----------
        measures : str or sequence of str, optional
            ``"paucc"``, ``"normalized"``, ``"sensitivity"``, ``"specificity"``, ``"ppv"``,
            ``"npv"``, the ratios ``"lr_pos"``, ``"lr_neg"``, ``"lr_range"``, or the numbers of
            observations ``"n_pos"``, ``"n_neg"``. Proportions, ratios and numbers are drawn in
            separate figures, with at most 12 intervals in each group. The default is the normalized
            pAUCc and, for one classifier, also the average sensitivity and specificity.
        level : float, default 0.95
            Confidence level of each interval; the intervals are not simultaneous.
        kind : str, optional
            Kind of interval; see `Estimate.interval`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes

        Notes
        -----
        All groups are drawn equally wide. For one classifier, the numbers of positives and
        negatives in each group are written below the axis. The axis of ratios is logarithmic.
        Undefined values are marked as such. The dotted line is the value of uninformative scores:
        0.5 for the normalized pAUCc, 1 for ratios.
        """
        from pauci.drawings.forest_plot import draw_groups, measures_drawn

        names = measures_drawn(measures, several=len(self._profiles) > 1)
        drawn: list[DrawnGroups] = []
        for p in self._profiles:
            groups = [(g.low, g.high, g.n_pos, g.n_neg) for g in p.groups]
            cells = {name: [g.cell(name, level, kind) for g in p.groups] for name in names}
            intervals = {n: [(c.value, c.low, c.high) for c in of] for n, of in cells.items()}
            drawn.append((p.classifier, p.by, groups, intervals))
        return draw_groups(drawn, names, level, ax)


@validated_dataclass
class Profile(KeyedSequence[Group, Series], PresentedProfiles):
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
    def estimates(self) -> Estimates:
        """The estimates of all groups, ordered by group, as a family."""
        return self.joint._part(list(range(len(self.joint) - 2)))

    @property
    def cov(self) -> FloatArray:
        """Covariance matrix of the estimates of all groups."""
        return self.estimates.cov

    @property
    def total(self) -> Estimate:
        """The sum of the pAUCc of all groups, which has the value of `auc`."""
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
        value, se, *ends = np.array([c[:4] for c in cells]).T
        simultaneous = np.array(ends)
        position = {id(e): i for i, e in enumerate(self.joint)}
        estimates = {i: e for i, g in enumerate(self.groups) if (e := g.estimate_of(measure))}
        if estimates:
            family = self.joint._part([position[id(e)] for e in estimates.values()])
            numbers = [number_in(measure, e) for e in family]
            simultaneous[:, list(estimates)] = numbers * np.transpose(family.simultaneous(level))
        edges = np.array(self.edges)
        return Series(edges[:-1], edges[1:], value, se, *ends, *simultaneous)

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
                **dict(zip(_EDGES, (g.low, g.high, *fpr, *tpr), strict=True)),
                "level": level,
                "variance": self.auc.variance,
                "design": self.auc.rows.design,
                **self.auc.excluded.columns,
            }
            for measure in MEASURES:
                e = g.estimate_of(measure)
                of_measure = {
                    "measure": measure,
                    "undefined": g.undefined.get(measure),
                    "cautions": None if e is None else cautions_of([e]),
                }
                rows.append(PlainRow(g.cell(measure, level, kind), **of_group, **of_measure))
        return rows

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


@validated_dataclass
class Profiles(KeyedSequence[Profile, Profile], PresentedProfiles):
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

    _profiles = _items

    def __repr__(self) -> str:
        return short_list("Profiles", [p.repr_words for p in self])


@validate_call
def profile(
    sample: Sample,
    by: Literal["fpr", "tpr", "threshold", "rank"] = "fpr",
    edges: Iterable[Any] = (0, 0.1, 0.3, 1),
    *,
    ends: RegionEnds = "north-east",
    prevalence: "Number | None" = None,
    variance: "Variance" = "influence",
) -> Profile | MaybeSeveral:
    r"""Estimate all measures of groups along the curve: deep ROC analysis.

    Parameters
    ----------
    sample : Sample
        One classifier, or several.
    by : {"fpr", "tpr", "threshold", "rank"}, default "fpr"
        The variable that defines the groups: the false positive rate, the true positive rate, the
        scores on the user's scale, or the rank, which is the proportion of all rows that score
        higher (0.1 to 0.2 is the second tenth from the top).
    edges : sequence of numbers, default (0, 0.1, 0.3, 1)
        Increasing limits of the groups, which must cover the whole curve: from 0 to 1, or for
        scores the range of all rows, with infinite outer limits allowed.
    ends : {"north-east", "middle"}, default "north-east"
        As for `PAUCc`, for groups by FPR or TPR.
    prevalence : number, optional
        Prevalence of positives in the target population for PPV and NPV, strictly between 0 and 1;
        the default is that of the sample.
    variance : {"influence", "delta"}, Bootstrap, Jackknife or VarianceMethod, default "influence"
        The method for standard errors, as for `estimate`.

    Returns
    -------
    Profile or Profiles
        The profile of a single classifier, or those of several.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`.
    ValueError
        For an unknown `by`, edges that do not increase or leave out a part of the curve, and the
        errors of `estimate`.

    Warns
    -----
    SamplingRatioWarning
        If a prevalence is needed for a case-control sample but is not specified.
    PauciWarning
        The warnings of `estimate`, once for each kind; ``.cautions`` of an estimate contains the
        warnings about this estimate.

    Notes
    -----
    The groups partition the curve, so that their pAUCc sum to the AUC: ``.total`` is the estimate
    of the sum, and has the value of ``.auc``. For groups by scores or ranks, it also has the
    standard error of ``.auc`` (approximately for ranks with the jackknife, which leaves out rows of
    both classes for measures that depend on the prevalence), and the sum of all entries of the
    covariance matrix of the parts is its squared standard error. For groups by FPR or TPR, whose
    edges are estimated on the other axis, both hold approximately.

    With w and h the proportions of negatives and of positives in the group, V the area below its
    piece of the curve and H the area to its right, average sensitivity Se = V/w, average
    specificity Sp = H/h, pAUCc = (V + H)/2, normalized by (w + h)/2; LR+, LR-, PPV and NPV are
    calculated from Se and Sp (`pauci.measures.concordance`), and the likelihood ratio of the range
    is h/w. The toolkit of Carrington et al. averages PPV, NPV and the ratios over the points of the
    empirical curve instead, although their values at single points can be infinite or depend on the
    order of tied scores.

    A measure that is undefined in a group (for example, because it contains no negative) is NaN,
    and ``.undefined`` of the group gives the reason. Intervals are calculated on the scale of each
    measure: the log odds for proportions, the logarithm for likelihood ratios. Standard
    errors include the error of the prevalence, which is estimated in a cohort, and the error of the
    edges on an axis on which they are estimated.

    References
    ----------
    A. M. Carrington et al. (2023), IEEE Transactions on Pattern Analysis and Machine Intelligence
    45:329-341.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores="svm")
    >>> p = pauci.profile(sample, by="rank", edges=(0, 0.25, 0.5, 1))
    >>> [round(g["paucc"].value, 4) for g in p], round(p.auc.value, 4)
    ([0.3445, 0.2405, 0.3734], 0.9584)
    """
    check_sample(sample, "profile", ", by='fpr', edges=(0, 0.1, 0.3, 1)")
    checks.check_choice("by", by, ("fpr", "tpr", "threshold", "rank"))
    checks.check_choice("ends", ends, ("north-east", "middle"))
    specified = validate_prevalence(prevalence)
    regions = _regions(by, edges, ends)
    method = method_of(variance)
    with combined_by_kind():
        _warn_about_design(sample, by, specified)
        profiles = [_profile(sample, name, by, regions, specified, method) for name in sample.names]
    return profiles[0] if len(profiles) == 1 else Profiles(tuple(profiles))


def _regions(by: str, values: Iterable[Any], ends: StepEnd) -> Sequence[_Range]:
    """Check the edges and return the groups between them."""
    edges = checks.values_of("edges", values, "increasing numbers")
    if len(edges) < 2:
        problem = "must contain at least the two ends of one group, such as (0, 0.1, 0.3, 1)."
        raise InputError.of("edges", values, problem)
    if by == "threshold":
        # Infinite edges are numbers, but not NaN.
        if not all(not isinstance(e, bool) and isinstance(e, Real) and e == e for e in edges):
            raise InputTypeError.of("edges", edges, "must be numbers on the scale of the scores.")
        bounds: list[Any] = list(map(exact_number, edges))
    else:
        bounds = [parse_bound("edges", edges, e) for e in edges]
    if any(b <= a for a, b in pairwise(bounds)):
        hint = f"Did you mean {tuple(sorted(set(edges)))!r}?"
        raise InputError.of("edges", tuple(edges), "must be strictly increasing.", hint=hint)
    if by == "threshold":
        return [ThresholdRegion(a, b) for a, b in pairwise(bounds)]
    if bounds[0] != 0 or bounds[-1] != 1:
        full = [*([0] if bounds[0] else []), *edges, *([1] if bounds[-1] != 1 else [])]
        problem = "leaves out a part of the curve, but the groups must sum to the AUC."
        hint = f"Begin with 0 and end with 1: edges={tuple(full)!r}. For a single region use "
        hint += "pauci.estimate."
        raise InputError.of("edges", tuple(edges), problem, hint=hint)
    if by == "rank":
        return [RankRegion(a, b) for a, b in pairwise(bounds)]
    axis: Axis = "fpr" if by == "fpr" else "tpr"
    return [AxisRegion(axis, a, b, ends) for a, b in pairwise(bounds)]


def _warn_about_design(sample: Sample, by: str, prevalence: float | None) -> None:
    """Warn about a prevalence that is determined by the design."""
    dependent = ["PPV and NPV"] if prevalence is None else []
    dependent += ["groups by rank"] if by == "rank" else []
    if sample.design != "case-control" or not dependent:
        return
    hint = "Groups by FPR, TPR or threshold do not depend on the prevalence."
    if prevalence is None:
        hint = "Specify the prevalence for PPV and NPV by prevalence=."
    warn_about_sampling_ratio(sample, " and ".join(dependent), hint)


def _profile(
    sample: Sample,
    name: str,
    by: str,
    regions: Sequence[_Range],
    prevalence: float | None,
    method: VarianceMethod,
) -> Profile:
    """Return the profile of one classifier."""
    ratings = sample.ratings(name)
    if by == "threshold":
        _check_covers(ratings, regions)
    of_groups = [_measures_of_group(region, by, prevalence, ratings) for region in regions]
    measures, undefined = zip(*of_groups, strict=True)
    parts = [group_measures["paucc"] for group_measures in measures if "paucc" in group_measures]
    targets = [m for group_measures in measures for m in group_measures.values()]
    targets += [_sum_of(parts), AUC()]
    # `_warn_about_design` has issued a single warning about the prevalence of all measures.
    solution = family([SampleRequest(sample, [(name, m) for m in targets], method)])
    *estimates, _, _ = solution
    remaining = iter(estimates)
    groups = []
    for i, (region, group_measures) in enumerate(zip(regions, measures, strict=True)):
        where = None
        if group_measures:
            where = resolve(region, ratings.curve, region.piece(ratings.curve))
        low, high = float(region.low), float(region.high)
        estimates_of_group = {quantity: next(remaining) for quantity in group_measures}
        title = region.description(lower_is_positive=ratings.lower_is_positive)
        groups.append(Group(i, low, high, title, where, estimates_of_group, undefined[i]))
    edges = (groups[0].low, *(g.high for g in groups))
    share = prevalence_of(sample, prevalence, "PPV and NPV")
    return Profile(name, by, edges, tuple(groups), solution, share, prevalence is not None)


def _measures_of_group(
    region: Region, by: str, prevalence: float | None, ratings: Ratings
) -> tuple[dict[str, Measure], dict[str, str]]:
    """Return the measures that are defined in a group, and reasons why others are undefined."""
    try:
        region.piece(ratings.curve)
    except UndefinedError as error:
        return {}, dict.fromkeys(QUANTITIES, str(error))
    measures, undefined = {}, {}
    for quantity in QUANTITIES:
        if quantity == {"fpr": "share_neg", "tpr": "share_pos"}.get(by):  # fixed by the edges
            continue
        measure = _measure(quantity, region, prevalence)
        try:
            measure.on(ratings.curve)
            measures[quantity] = measure
        except UndefinedError:
            undefined[quantity] = "it is undefined in this group."
            try:
                GroupMeasure(quantity, region).on(ratings.curve)
            except UndefinedError as error:
                undefined[quantity] = error.finding or str(error)
    return measures, undefined


def _measure(quantity: str, region: Region, prevalence: float | None) -> Measure:
    """Return a measure of a group, as one of the public measures if possible."""
    measure_classes: dict[str, Any] = {
        "paucc": (PAUCc, False),
        "normalized": (PAUCc, True),
        "sensitivity": (PAUC, True),
        "specificity": (PAUCx, True),
    }
    if quantity in measure_classes and region.arguments:
        measure_class, normalized = measure_classes[quantity]
        measure: Measure = measure_class(**region.arguments, normalized=normalized)
        return measure
    by_prevalence = QUANTITIES[quantity].by_prevalence
    return GroupMeasure(quantity, region, prevalence if by_prevalence else None)


def _sum_of(parts: Sequence[Measure]) -> Measure:
    """Return the sum of measures as a measure, a balanced tree of pairwise sums."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return _sum_of(parts[:half]) + _sum_of(parts[half:])


def _check_covers(ratings: Ratings, regions: Sequence[_Range]) -> None:
    """Raise an error if the edges do not cover all scores."""
    table = ratings.table
    if table.categories is not None:
        problem = "are numbers, but the scores of this sample are categories; code these as 0, 1, "
        problem += f"... in the order {', '.join(map(repr, table.categories))}."
        raise InputError.about("edges", problem)
    scores = [float(table.threshold(k)) for k in (0, table.size - 1)]  # type: ignore[arg-type]
    first, last = regions[0], regions[-1]
    bottom, top = min(scores), max(scores)
    lower = table.lower_is_positive
    low, high = (table.in_score_type(edge) for edge in (first.low, last.high))
    covered = low < bottom and top <= high if lower else low <= bottom and top < high
    if not covered:
        edges = [first.low, *(r.high for r in regions)]
        condition = "low < score <= high" if lower else "low <= score < high"
        full = (-math.inf, *edges[1:-1], math.inf)
        problem = f"leaves out scores of {ratings.name}, which range from {bottom:g} to {top:g} "
        problem += f"(a group contains {condition}), but the groups must sum to the AUC."
        hint = f"Use open outer groups: edges={full!r}."
        raise InputError.of("edges", tuple(edges), problem, hint=hint)
