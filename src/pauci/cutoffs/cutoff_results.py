"""Results of the choice of a cut-off, and their tables and sentences."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from pauci import checks
from pauci.calls import known, validate_constructor, validated_dataclass
from pauci.cautions.about_parts import in_common
from pauci.checks import EqualByFields
from pauci.curve.counts import CountTable
from pauci.cutoffs.uncertainty import Criterion, LimitsOfRate, SetOfBest, cumulative_counts, rates
from pauci.drawings.curves import CutoffDrawing, draw_cutoff, draw_cutoffs
from pauci.errors import InputError, UndefinedError, held_warnings
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Interval, Kind
from pauci.intervals.analytic import interval as interval_of
from pauci.intervals.mid_p import MID_P, MidP
from pauci.measures.area import AUC
from pauci.measures.at_cutoff import Sensitivity, Specificity
from pauci.measures.base import Measure
from pauci.measures.decisions import NPV, PPV, Youden
from pauci.measures.risks import OE, CalibrationIntercept, CalibrationSlope
from pauci.results.captions import capitalized, names_phrase
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.facts import Fact, facts_of_rows
from pauci.results.forest import forest_row
from pauci.results.limits import BinomialLimits
from pauci.results.pivot import Presentation
from pauci.results.presented import Presented, PresentedInForest
from pauci.results.quantity import PlainRow, Row, estimates_of
from pauci.sample.rows import NONE_SKIPPED, DataSizes, ExcludedRows, Skipped
from pauci.sample.sample import Sample
from pauci.sample.weights import row_groups
from pauci.tables import number_format as fmt
from pauci.tables.table import RichText, Verbatim
from pauci.tables.tabular import short_list

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content

THESE, NEW = "these data", "new observations"
"""The data in which the accuracy of a cut-off is stated."""

YOUDEN = f"{Youden.title} ({Youden.symbol})"
"""The criterion whose limits follow from those of both rates."""

RATES = ("sensitivity", "specificity")
"""The rates at a cut-off."""

_MEASURED = ("apparent", "apparent_low", "apparent_high", "honest", "honest_low", "honest_high")
"""The fields of a measure."""


@dataclass(frozen=True)
class CorrectedMidP(MidP):
    """Mid-p limits of a rate that was corrected for optimism.

    Parameters
    ----------
    apparent : float
        The rate before the correction. If it is 1 or 0, the interval extends to it.
    """

    apparent: float = math.nan

    def end(self, tail: Any, *, below: bool) -> Any:
        """Return the lower or the upper end."""
        bound = 0.0 if below else 1.0
        return bound if self.apparent == bound else super().end(tail, below=below)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the mid-p tail beyond the null."""
        tail = super().tail(null, below=below)
        return max(tail, 0.5) if self.apparent == (0.0 if below else 1.0) else tail


@dataclass(frozen=True, eq=False)
class RateAtCutoff(EqualByFields):
    """A sensitivity or specificity at a cut-off.

    Attributes
    ----------
    value : float
        The rate.
    size : float
        Effective number of observations.
    df : float
        Degrees of freedom; infinite for independent rows.
    apparent : float, optional
        For a rate that was corrected for optimism, the rate in the data that chose the cut-off.
    """

    value: float
    size: float
    df: float = math.inf
    apparent: float = math.nan

    @property
    def se(self) -> float:
        """Standard error at a fixed cut-off."""
        return math.sqrt(self.value * (1.0 - self.value) / max(self.size - 1.0, 1.0))

    def interval(self, level: float = 0.95) -> Interval:
        """Return the mid-p interval.

        If all or none of the rows of the class are classified correctly at the cut-off, the data
        are compatible with a rate of 1 or 0, so that the interval of a corrected rate extends to
        this value.
        """
        return interval_of(self.limits.ends, checks.level(level))

    @property
    def limits(self) -> BinomialLimits:
        """The mid-p limits."""
        ends = CorrectedMidP(self.value * self.size, self.size, self.df, self.apparent)
        return BinomialLimits(MID_P, ends)


@dataclass(frozen=True, eq=False)
class RatesAtCutoff(EqualByFields):
    """Sensitivity and specificity at a cut-off, and the value of the criterion.

    Attributes
    ----------
    sensitivity, specificity : RateAtCutoff
        The rates.
    criterion : float
        The value of the criterion that the cut-off maximizes (or of the expected cost); NaN for
        other rules.
    """

    sensitivity: RateAtCutoff
    specificity: RateAtCutoff
    criterion: float = math.nan


@validate_constructor
@dataclass(frozen=True, eq=False)
class CutoffSet(EqualByFields):
    """The cut-offs that are compatible with the data.

    Attributes
    ----------
    cutoffs : tuple
        The cut-offs in the set, the highest first. For a criterion, about 50 cut-offs are compared.
    low, high : number or category
        The range of the set, as in `Cutoff.interval`.
    level : float
        Confidence level.
    has_gaps : bool
        Whether the range contains cut-offs that were compared and are not in the set. Gaps are
        frequent and are not evidence against the cut-offs in them.
    """

    cutoffs: tuple[Any, ...]
    low: Any
    high: Any
    level: float
    has_gaps: bool

    def __contains__(self, cutoff: object) -> bool:
        """Return whether a number is in the range of the set, or a category is in the set."""
        ends = self.low, self.high, cutoff
        if all(isinstance(end, Real) for end in ends):
            return bool(self.low <= cutoff <= self.high)
        return cutoff in self.cutoffs


class PresentedCutoffs(Presented[Kind]):
    """One cut-off, or several."""

    @property
    @abstractmethod
    def _members(self) -> "list[tuple[Any, Cutoff]]":
        """All cut-offs with their groups; the group None for the whole sample."""

    def __repr__(self) -> str:
        return short_list(type(self).__name__, [k._repr_words for _, k in self._members])

    def _content(self, level: float, kind: Any) -> "Content":
        sizes = [k.sizes.as_values(group=label) for label, k in self._members]
        return replace(super()._content(level, kind), sizes=sizes, seed=self._members[0][1].seed)

    _without_kinds = "cut-offs."

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        return [row for group, k in self._members for row in k.rows(level, group)]

    _fields = (
        "group classifier rule cutoff cutoff_low cutoff_high measure apparent apparent_low "
        "apparent_high honest honest_low honest_high level dropped left_out"
    )

    @property
    def _basis(self) -> str:  # type: ignore[override]
        sizes = {label: k.sizes for label, k in self._members}.values()
        n_pos, n_neg = sum(s.n_pos for s in sizes), sum(s.n_neg for s in sizes)
        total = DataSizes(n_pos, n_neg, known(self, "clusters", None))
        _, first = self._members[0]
        weighted = ", weighted" * first.sample.rows.has_weights
        return f"{total}{weighted}{first.excluded.phrase}"

    def _topic(self, level: float) -> RichText:  # type: ignore[override]
        (_, k), *others = self._members
        if others:
            rules = " and ".join(dict.fromkeys(k.rule for _, k in self._members))
            return ("Cut-offs of ", Verbatim(k.classifier), f" with {rules}; accuracy")
        ends = self._with_interval(k, level)
        return (f"Cut-off {ends} of ", Verbatim(k.classifier), f" with {k.rule}; accuracy")

    def _with_interval(self, k: "Cutoff", level: float) -> str:
        """Return a cut-off with its confidence set or interval."""
        low, high = map(k.text_of, k.interval(level))
        name = "set" if k.is_best else "CI"
        return f"{k.text_of(k.value)} ({fmt.percent(level)} {name} {low} to {high})"

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        """Return the facts about these data and about new observations."""
        facts, several = [], len(self._members) > 1
        for row in rows:
            k: Cutoff = row.of
            names = {} if row["group"] is None else {"group": str(row["group"])}
            if several:
                names["place"] = self._with_interval(k, level)
            for data, which in ((THESE, "apparent"), (NEW, "honest")):
                value, low, high = (row[f"{which}{end}"] for end in ("", "_low", "_high"))
                counts = k.counts_of(row["measure"]) if data == THESE else None
                about = {**names, "measure": row["measure"], "data": data}
                facts.append(Fact(value, low, high, counts, names=about, record={"kind": "mid-p"}))
        return facts

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        """Return what the intervals and the values on new observations are."""
        first = self._members[0][1]
        side = "most" if first.table.lower_is_positive else "least"
        notes: list[RichText] = [f"Scores of at {side} the cut-off are positive."]
        if first.is_best:
            notes.append("Set: the cut-offs that no other one exceeds significantly.")
        notes.append(
            f"New observations: the optimism in these data is subtracted, which was estimated by "
            f"{first.folds}-fold cross-fitting ({fmt.count(first.repeats, 'repetition')}, seed "
            f"{first.seed})."
        )
        if first.has_youden and first.clusters is not None:
            notes.append(
                "The Youden index has no interval, because sensitivity and specificity are "
                "dependent in clusters."
            )
        return [*notes, *self._further_sentences]

    def _sentences_of(self, presentation: Any) -> list[str]:
        """Return one paragraph: a sentence about each cut-off, and how optimism was estimated."""
        level, texts = presentation.level, []
        for group, k in self._members:
            facts = Presentation(k._facts(k.rows(level, None), level, None), level, k).facts
            where = "" if group is None else f"{capitalized(fmt.in_group(group).strip())}: "
            texts.append(f"{where}{_sentence(k, facts, level)}")
        k = self._members[0][1]
        fitting = (
            "Values in these data are biased upwards; for new observations the optimism was "
            f"estimated by {k.folds}-fold cross-fitting with {fmt.count(k.repeats, 'repetition')} "
            "and subtracted."
        )
        text = " ".join([*texts, *self._further_sentences, fitting])
        return [text] + [self.skipped.note] * bool(self.skipped)

    def validate(
        self,
        new: "Sample | Mapping[Any, Sample]",
        *,
        development: "Sample | None" = None,
        risks: bool = False,
    ) -> "Validation":
        r"""Estimate the accuracy of the cut-off, and of its scores, in other cohorts.

        Parameters
        ----------
        new : Sample, or dict of str to Sample
            The new cohort, or several by name, with a score of the same name and direction as that
            of the cut-off. For cut-offs of groups, they have the same groups.
        development : Sample, optional
            Out-of-fold scores of the development data, with ``fold=``, of which the AUC is
            compared. By default, it is the apparent AUC of the sample that chose the cut-off.
        risks : bool, default False
            Whether the scores are predicted risks. Their calibration in the new cohorts is then
            estimated: O/E, intercept and slope.

        Returns
        -------
        Validation
            Sensitivity, specificity and AUC in the development data and in each cohort, with their
            changes; predictive values and calibration in each cohort.

        Raises
        ------
        TypeError, ValueError
            If a cohort is not a `Sample`, lacks the score or its groups, has scores of the opposite
            direction (as declared, or with an AUC significantly below 0.5), or has rows or cluster
            labels in common with the development data.

        Warns
        -----
        DifferentScalesWarning
            If the cut-off lies outside the scores of a cohort.

        Notes
        -----
        The rates in a cohort are proportions at a fixed cut-off, with mid-p intervals, which allow
        for clusters and sampling weights. The development rates are the `honest` ones, because the
        apparent rates are expected to decrease in any new data. The limits of a change :math:`d =
        p_1 - p_0` are :math:`d - \sqrt{(p_1 - l_1)^2 + (u_0 - p_0)^2}` and :math:`d + \sqrt{(u_1 -
        p_1)^2 + (p_0 - l_0)^2}`, with the limits l and u of both rates (Newcombe 1998; Zou and
        Donner 2008); p-values are 1 minus the level at which a limit is 0. AUCs are compared as
        those of independent samples. If the scores are those of a model that was fitted to the
        development data, its AUC there is too high unless `development` has out-of-fold scores.

        If the cut-off was chosen to have a specificity or a sensitivity, the result states whether
        the interval in a cohort confirms or excludes it. Measures that are undefined, such as the
        PPV if no row is positive, are listed. PPV and NPV are not estimated in case-control
        samples.

        Rows that are also in the development data are recognized by their cluster labels, by an
        index of pandas that is not the default one, and by equal scores. The safest way is to pass
        identifiers of patients as ``cluster=`` of both samples.

        References
        ----------
        R. G. Newcombe (1998), Statistics in Medicine 17:873-890. G. Y. Zou and A. Donner (2008),
        Statistics in Medicine 27:1693-1702.

        Examples
        --------
        >>> import pauci
        >>> y, score = [0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9
        >>> k = pauci.cutoff(pauci.Sample(y, score), specificity=0.6, rng=1)
        >>> v = k.validate(pauci.Sample([0, 0, 1, 1] * 9, [1, 4, 3, 2] * 9))
        >>> change = v.quantities[0]
        >>> round(change.difference, 3), round(change.pvalue, 3)
        (-0.166, 0.275)
        """
        return validated(self, new, development, risks=risks)

    _further_sentences: Sequence[str] = ()
    _headings: ClassVar[dict[str, str]] = {"place": "cut-off"}

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw the criterion, or the rates, against the cut-off, with the intervals shaded.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the intervals or sets.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide, or 170 mm for more than two
            groups.

        Returns
        -------
        matplotlib.axes.Axes
            Each of several groups has a panel; these are in ``child_axes``.
        """
        level = checks.level(level)
        of_group: dict[object, list[PlainRow]] = {}
        for row in self._rows(level, None):
            if row["first"]:
                of_group.setdefault(row["group"], []).append(row)
        drawings = {group: _drawing(rows, level) for group, rows in of_group.items()}
        if not isinstance(self, Cutoffs):
            return draw_cutoff(drawings[None], ax)
        return draw_cutoffs([(f"{self.by}: {g}", d) for g, d in drawings.items()], ax)


@validated_dataclass
class Cutoff(PresentedCutoffs):
    """A cut-off of one classifier, with its uncertainty and accuracy.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    rule : str
        The rule that chose the cut-off.
    value : number or category
        The cut-off: scores of at least this value are positive, or at most if lower scores are
        positive. If no row is positive, it is the next number beyond all scores, or None on an
        ordinal scale.
    apparent : RatesAtCutoff
        Rates at the cut-off in the data that chose it, which are biased upwards.
    honest : RatesAtCutoff
        Estimated rates at this cut-off on new observations.
    folds, repeats, seed : int
        Number of folds and repetitions of the cross-fitting, and their seed.
    """

    classifier: str
    rule: str
    entry: int = field(repr=False)
    """Number of tie groups that are called positive."""
    apparent: RatesAtCutoff
    honest: RatesAtCutoff
    criterion: Criterion | None
    table: CountTable
    uncertainty: SetOfBest | LimitsOfRate
    folds: int
    repeats: int
    seed: int
    excluded: ExcludedRows
    sample: Sample = field(repr=False, compare=False)
    """The sample that chose the cut-off."""
    clusters: int | None = None

    @property
    def sizes(self) -> DataSizes:
        """Numbers of rows of both classes, and of those that are not used."""
        counts = self.table.rows_pos, self.table.rows_neg
        return DataSizes(*counts, self.clusters, self.excluded, self.classifier)

    @property
    def value(self) -> Any:
        """The cut-off on the scale of the scores."""
        return self._at(self.entry)

    def _at(self, entry: int) -> Any:
        """Return the cut-off at which the first tie groups are positive, or for 0 one above all."""
        return self.table.threshold_at(entry) if entry else self.table.least_above_all

    def interval(self, level: float = 0.95) -> Interval:
        """Return the confidence interval of the cut-off.

        For a cut-off that maximizes a criterion this is the range of `set`. An end is infinite, or
        None on an ordinal scale, if no cut-off of the data is a limit.
        """
        first, last, _, _ = self.uncertainty.entries(checks.level(level), self.entry)
        return self._ends(first, last)

    def _ends(self, first: int | None, last: int | None) -> Interval:
        """Return the interval of cut-offs from their first to their last entry."""
        beyond = self.table.above_all
        high = self.table.threshold_at(first or 0)
        low: Any = None if beyond is None else -beyond
        if last is not None:
            low = self._at(last)
        ends: tuple[Any, Any] = (high, low) if self.table.lower_is_positive else (low, high)
        return Interval(*ends)

    def set(self, level: float = 0.95) -> CutoffSet:
        """Return the cut-offs that are compatible with the data.

        With the confidence level, the range of the set contains the cut-off that is best in the
        population (or that has the given rate).
        """
        level = checks.level(level)
        first, last, entries, gaps = self.uncertainty.entries(level, self.entry)
        above = () if entries.all() else (self._at(0),)
        others = self.table.thresholds(entries[entries > 0] - 1)
        cutoffs = others if isinstance(others, list) else others.tolist()
        return CutoffSet((*above, *cutoffs), *self._ends(first, last), level, gaps)

    def text_of(self, cutoff: object) -> str:
        """Return a cut-off as text: the shortest decimal at which the same scores are positive."""
        return "beyond all scores" if cutoff is None else self.table.text_of(cutoff)

    def counts_of(self, measure: str) -> tuple[float, float] | None:
        """Return the numbers of correct calls and of rows of a rate; None for others."""
        (pos, neg), table = self.table.at(self.entry), self.table
        if measure not in RATES or not table.exact:
            return None
        if measure == "sensitivity":
            return float(pos), float(table.total_pos)
        return float(table.total_neg - neg), float(table.total_neg)

    @property
    def is_best(self) -> bool:
        """Whether the cut-off maximizes a criterion."""
        return self.criterion is not None

    @property
    def _repr_words(self) -> str:
        """The cut-off with its interval, for the repr."""
        low, high = map(self.text_of, self.interval())
        return (
            f"{self.classifier}, {self.rule}: {self.text_of(self.value)}, 95% "
            f"{interval_name(self)} {low} to {high}"
        )

    @property
    def has_youden(self) -> bool:
        """Whether the criterion is the Youden index."""
        return self.criterion is not None and self.criterion.name == YOUDEN

    def rows(self, level: float, group: object) -> list[PlainRow]:
        """Return a row for each rate, and one for the criterion."""
        ends = self.interval(level)
        common = {"group": group, "level": level, **self.excluded.columns}
        common |= {"cutoff": self.value, "cutoff_low": ends.low, "cutoff_high": ends.high}
        both, measured = (self.apparent, self.honest), {}
        for name in RATES:
            of_data = [getattr(accuracy, name) for accuracy in both]
            measured[name] = [v for rate in of_data for v in (rate.value, *rate.interval(level))]
        if self.criterion is not None:
            limits = [(math.nan, math.nan)] * 2
            if self.has_youden and self.clusters is None:
                limits = [_limits_of_youden(accuracy, level) for accuracy in both]
            pairs = zip(both, limits, strict=True)
            measured[self.criterion.name] = [v for a, ends in pairs for v in (a.criterion, *ends)]
        rows: list[PlainRow] = []
        for name, values in measured.items():
            numbers = dict(zip(_MEASURED, values, strict=True))
            rows.append(PlainRow(self, **common, measure=name, first=not rows, **numbers))
        return rows

    @property
    def _members(self) -> "list[tuple[Any, Cutoff]]":
        return [(None, self)]


@validated_dataclass
class UncertainZone(PresentedCutoffs):
    """Two cut-offs with an uncertain zone between them.

    Attributes
    ----------
    upper : Cutoff
        The cut-off with the specificity of ruling in: scores from it on are positive.
    lower : Cutoff
        The cut-off with the sensitivity of ruling out: scores beyond it are negative.
    value : tuple
        Both cut-offs, those of `lower` and of `upper`.
    """

    upper: Cutoff
    lower: Cutoff

    @property
    def sample(self) -> Sample:
        """The sample that chose the cut-offs."""
        return self.upper.sample

    @property
    def value(self) -> tuple[Any, Any]:
        """Both cut-offs, the one for ruling out first."""
        return self.lower.value, self.upper.value

    @property
    def clusters(self) -> int | None:
        """Number of clusters; None for independent rows."""
        return self.upper.clusters

    @property
    def zone(self) -> tuple[float, float]:
        """The proportions of positives and of negatives in the zone."""
        table = self.upper.table
        (pos, neg), (pos_above, neg_above) = map(table.at, (self.lower.entry, self.upper.entry))
        of_pos, of_neg = (pos - pos_above) / table.total_pos, (neg - neg_above) / table.total_neg
        return float(of_pos), float(of_neg)

    def interval(self, level: float = 0.95) -> tuple[Interval, Interval]:
        """Return the confidence intervals of both cut-offs."""
        return self.lower.interval(level), self.upper.interval(level)

    @property
    def _members(self) -> list[tuple[Any, Cutoff]]:
        return [(None, self.upper), (None, self.lower)]

    @property
    def _further_sentences(self) -> list[str]:  # type: ignore[override]
        pos, neg = self.zone
        return [
            f"The uncertain zone between the cut-offs contains {100 * pos:.3g}% of the positives "
            f"and {100 * neg:.3g}% of the negatives of the sample."
        ]


@validated_dataclass
class Cutoffs(PresentedCutoffs):
    """Cut-offs of the groups of a sample, each chosen in its own group.

    Iteration yields the results of the groups, and ``cutoffs[label]`` is that of a group.

    Attributes
    ----------
    by : str
        Name of the grouping.
    labels : tuple
        Labels of the groups.
    """

    by: str
    labels: tuple[Any, ...]
    results: tuple[Cutoff | UncertainZone, ...]
    sample: Sample = field(repr=False, compare=False)
    """The sample with all groups."""
    skipped: Skipped = NONE_SKIPPED
    """Groups that were left out, with the reason."""
    clusters: int | None = None

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.results)

    def __iter__(self) -> Iterator[Cutoff | UncertainZone]:
        """Iterate over the results of the groups."""
        return iter(self.results)

    def __getitem__(self, label: Any) -> Cutoff | UncertainZone:
        """Return the result of a group."""
        if label not in self.labels:
            known = ", ".join(map(repr, self.labels))
            raise KeyError(f"{label!r} is not one of the groups {known}")
        return self.results[self.labels.index(label)]

    def __repr__(self) -> str:
        parts = [f"{self.by}={label!r}: {k._repr_words}" for label, k in self._members]
        return short_list("Cutoffs", parts)

    @property
    def _members(self) -> list[tuple[Any, Cutoff]]:
        results = zip(self.labels, self.results, strict=True)
        return [(label, k) for label, result in results for _, k in result._members]


def _limits_of_youden(rates: RatesAtCutoff, level: float) -> tuple[float, float]:
    """Return the limits of sensitivity + specificity - 1 from those of both.

    The distances to the limits are added in squares, as for a difference of proportions (Newcombe
    1998, Statistics in Medicine 17:873-890), because the classes are independent.
    """
    both = rates.sensitivity, rates.specificity
    value = sum(rate.value for rate in both) - 1.0
    ends = np.array([rate.interval(level) for rate in both])
    below, above = np.linalg.norm(ends - [[rate.value] for rate in both], axis=0).tolist()
    return max(value - below, -1.0), min(value + above, 1.0)


def interval_name(k: Cutoff) -> str:
    """Return the name of the interval of a cut-off."""
    return "confidence set" if k.is_best else "confidence interval"


def _sentence(k: Cutoff, facts: Sequence[Fact], level: float) -> str:
    """Return a sentence with the cut-off, its interval and its accuracy on new observations."""
    name = f"{fmt.percent(level)} CI"
    texts = {(f.names["measure"], f.names["data"]): f.sentence(name) for f in facts}
    accuracy = ", and ".join(
        f"its {rate} is {texts[rate, NEW]}, compared with {texts[rate, THESE]} in these data"
        for rate in RATES
    )
    side = "below" if k.table.lower_is_positive else "above"
    value, low, high = map(k.text_of, (k.value, *k.interval(level)))
    decision = f"scores of {value} and {side} are positive" if k.entry else "no score is positive"
    return (
        f"The cut-off of {k.classifier} with {k.rule} is {value} ({fmt.percent(level)} "
        f"{interval_name(k)} {low} to {high}): {decision}. On new observations {accuracy}."
    )


def _drawing(rows: Sequence[PlainRow], level: float) -> CutoffDrawing:
    """Return the curves of a classifier and its cut-offs: one, or those of an uncertain zone."""
    first: Cutoff = rows[0].of
    table, groups = first.table, np.arange(first.table.size)
    is_ordinal = table.categories is not None
    positions = table.scores[groups].astype(float) if is_ordinal else table.thresholds(groups)
    pos, neg = cumulative_counts(table)
    along = {"sensitivity": rates(pos)[1:], "specificity": 1.0 - rates(neg)[1:]}
    fixed = first.uncertainty.fixed_rate
    if first.criterion is not None:
        values = first.criterion.reported(first.criterion.along(pos, neg))[1:]
        along = {first.criterion.name: values}
    elif fixed and len(rows) == 1:
        along = {fixed: along[fixed]}
    marks = []
    for row in rows:
        beyond = {"cutoff": math.inf, "cutoff_low": -math.inf, "cutoff_high": math.inf}
        at, low, high = (_position(row, name, end) for name, end in beyond.items())
        label = f"{row['rule']}: {row.of.text_of(row['cutoff'])}"
        marks.append((label, at, low, high))
    order, axis = np.argsort(positions, kind="stable"), " and ".join(along)
    return CutoffDrawing(
        positions[order],
        [(noun, values[order]) for noun, values in along.items()],
        marks,
        f"{fmt.percent(level)} {interval_name(first)}",
        f"Cut-off of {first.classifier}",
        f"{axis[0].upper()}{axis[1:]}",
        None if table.categories is None else list(map(str, table.categories)),
    )


def _position(row: PlainRow, name: str, beyond: float) -> float:
    """Return the position of a cut-off on the axis; `beyond` if it is beyond all categories."""
    cutoff, categories = row[name], row.of.table.categories
    if cutoff is None:
        return beyond
    return float(cutoff if categories is None else categories.index(cutoff))


DEVELOPMENT = "development"

_NEW = "new data"
"""The name of a single cohort."""


@validated_dataclass
class Validation(PresentedInForest[Literal["wald"]]):
    """The accuracy of cut-offs, and of their scores, in other cohorts.

    Attributes
    ----------
    quantities : tuple of Comparison and Estimate
        For the rates and the AUC, the change in each cohort: a `Comparison` whose ``estimates``
        are those of the cohort and of the development data. For other measures, the `Estimate` in
        each cohort. The names of their classifiers are those of the cohorts.
    cutoffs : tuple of (group, Cutoff)
        The cut-offs; the group is None for all rows.
    undefined : tuple of str
        Measures that are undefined in a cohort, such as the PPV if no row is called positive.
    """

    quantities: tuple[Comparison | Estimate, ...]
    cutoffs: tuple[tuple[Any, Any], ...]
    undefined: tuple[str, ...] = ()

    _without_kinds = "validations."
    _noun_of_names = "cohort"
    _fields = "group cohort measure value se df low high level kind pvalue cutoff target"

    def __repr__(self) -> str:
        _, k = self.cutoffs[0]
        return f"Validation({k.classifier}, {k.rule}: {', '.join(self._cohorts)})"

    @property
    def _cohorts(self) -> list[str]:
        return list(dict.fromkeys(q.estimates_used[0].classifier for q in self.quantities))

    def _rows(self, level: float, kind: Any) -> list[Row]:  # noqa: ARG002
        """Return the rows of all estimates, the development data first, and of the changes."""
        estimates = [e for q in self.quantities for e in reversed(q.estimates_used)]
        distinct = {(e.group, e.measure, e.classifier): e for e in estimates}
        quantities: list[Comparison | Estimate] = [*distinct.values()]
        quantities += [q for q in self.quantities if isinstance(q, Comparison)]
        several = len(dict(self.cutoffs)) < len(self.cutoffs)
        rows = []
        for q in quantities:
            e, *_ = used = q.estimates_used
            more = {"cohort": " - ".join(e.classifier for e in used), "target": math.nan}
            more |= {"place": "", "rule": "", "cutoff": known(e.measure, "threshold", None)}
            for group, k in self.cutoffs:
                if group == e.group and k.value == more["cutoff"]:
                    more["place"] = f"cut-off {k.text_of(k.value)}" * several
                    if k.uncertainty.fixed_rate == e.measure.label:
                        more |= {"rule": k.rule, "target": k.uncertainty.rule.rate}
            rows.append(Row(q, level, None, more=more))
        return rows

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        places = [{"place": row.more["place"]} for row in rows]
        facts = zip(facts_of_rows(rows), places, strict=True)
        return [replace(f, names={**f.names, **place}) for f, place in facts]

    def _topic(self, level: float) -> tuple[Any, ...]:  # type: ignore[override] # noqa: ARG002
        (_, k), *others = self.cutoffs
        what = "Cut-offs" if others else f"Cut-off {k.text_of(k.value)}"
        rules = " and ".join(dict.fromkeys(k.rule for _, k in self.cutoffs))
        where = names_phrase(self._cohorts, "cohorts")
        return (f"{what} of ", Verbatim(k.classifier), f", {rules}: accuracy in ", *where)

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        _, k = self.cutoffs[0]
        side = "most" if k.table.lower_is_positive else "least"
        return [f"Scores of at {side} the cut-off are positive.", *self._statements(level)]

    def _statements(self, level: float) -> Iterator[str]:
        """Yield the cut-offs of groups, what the development values are, and the conclusions."""
        for group, k in self.cutoffs:
            if group is not None:
                yield f"Cut-off{fmt.in_group(group)}: {k.text_of(k.value)}."
        folds = max(e.folds or 0 for e in estimates_of(self.quantities))
        yield (
            f"Development: honest rates, from which the optimism was subtracted ({k.folds}-fold "
            f"cross-fitting, {fmt.count(k.repeats, 'repetition')}, seed {k.seed}), and the "
            f"{f'AUC within {folds} folds' if folds else 'apparent AUC'}."
        )
        for row in self._rows(level, None):
            q, target, (low, high) = row.quantity, row.more["target"], row.ends
            if target == target and isinstance(q, Estimate) and q.classifier != DEVELOPMENT:
                unclear = "excluded" if high < target else "not confirmed and not excluded"
                conclusion = "confirmed" if low >= target else unclear
                yield f"{capitalized(row.more['rule'])} is {conclusion} in {q.full_name}."
        if self.undefined:
            yield f"Undefined: {fmt.listed(self.undefined)}."

    def _sentences_of(self, presentation: Any) -> list[str]:
        statements = " ".join(self._statements(presentation.level))
        title = "".join(known(part, "text", part) for part in self._topic(presentation.level))
        return [f"{title}.", *super()._sentences_of(presentation), statements]

    def _forest_rows(self, level: float, kind: Any) -> list[Any]:
        drawn = []
        for row in self._rows(self._checked(level, kind), kind):
            if isinstance(row.quantity, Estimate):
                names = row.quantity.measure.label, row.more["place"]
                drawn.append(forest_row(row)._replace(quantity=", ".join(filter(None, names))))
        return drawn


def validated(cutoffs: Any, new: Any, development: Any, *, risks: bool) -> Validation:
    """Return the accuracy of cut-offs in new cohorts (`Cutoff.validate`)."""
    checks.check_flag("risks", risks)
    cohorts = new if isinstance(new, Mapping) else {_NEW: new}
    names, members = [*map(str, cohorts)], cutoffs._members
    if not names or len({*names, DEVELOPMENT}) <= len(names):
        problem = f"must have at least one cohort, and distinct names other than {DEVELOPMENT!r}."
        raise InputError.about("new", problem, value=new)
    if any(k.value is None for _, k in members):
        raise UndefinedError("no category is positive at the cut-off, which has no accuracy.")
    ks = {group: [k for of_group, k in members if of_group == group] for group, _ in members}
    fitted = None
    if development is not None:
        fitted = _scores_of(development, "development", DEVELOPMENT, cutoffs)
        if not fitted.rows.has_folds or [*ks] != [None]:
            problem = "must have out-of-fold scores, with fold=, and applies to one cut-off."
            raise InputError.about("development", problem)
    samples = [_scores_of(cohorts[key], "new", str(key), cutoffs) for key in cohorts]
    parts = [_parts(sample, cutoffs, {*ks}) for sample in samples]
    quantities: list[Comparison | Estimate] = []
    undefined: list[str] = []
    for group, own in ks.items():
        before = fitted or own[0].sample.renamed(DEVELOPMENT)
        for q in _quantities(own, [part[group] for part in parts], before, risks=risks):
            if isinstance(q, str):
                undefined.append(f"{q}{fmt.in_group(group)}")
            else:
                quantities.append(_in_group(q, group))
    return Validation(tuple(quantities), tuple(members), tuple(undefined))


def _scores_of(sample: Any, argument: str, name: str, cutoffs: Any) -> Sample:
    """Return the scores of a cut-off in a sample, with the name of the cohort."""
    (score,) = cutoffs.sample.names
    if not isinstance(sample, Sample):
        expected = "a Sample, or a dict of samples by the names of the cohorts"
        raise checks.wrong_type(argument, sample, expected)
    if score not in sample.names:
        others = checks.some_of(sample.names, score)
        problem = f"has no score {score!r}, that of the cut-off, in {name}, but {others}."
        raise InputError.about(argument, problem, hint=f"Rename it to {score!r}.")
    return sample[score].renamed(name)


def _parts(sample: Sample, cutoffs: Any, groups: set[Any]) -> dict[Any, Sample]:
    """Return the sample of each group that has a cut-off, or of all rows, of another cohort."""
    parts: dict[Any, Sample] = {None: sample}
    by = known(cutoffs, "by", None)
    if by is not None:
        found = row_groups(sample.rows, by, None, skip_small=False)
        rows = zip(found.labels, found.rows, strict=True)
        parts = {label: sample.part(sample.rows.part(at), at) for label, at in rows}
    both, (name,) = (sample, cutoffs.sample), sample.names
    lower, of_cutoff = (s.ratings().lower_is_positive for s in both)
    with held_warnings():
        auc, before = (estimate(s, AUC()) for s in both)
    shared, others = in_common(cutoffs.sample, sample), [*(parts.keys() ^ groups)]
    problem = hint = ""
    if lower != of_cutoff or auc.high < 0.5 <= before.value:
        which = "lower" if lower else "higher"
        problem = f"has the opposite direction in {name}: {which} scores are positive, and the "
        problem += f"AUC is {auc.value:.3g}."
        hint = "Convert its scores to the scale of the cut-off, with the same lower_is_positive=."
    elif shared:
        problem = "has rows of the data that chose the cut-off: "
        problem += f"{name} has {shared} in common with it."
        hint = "The rates in these data are k.apparent and k.honest. If the rows are others, "
        hint += "pass identifiers that differ as cluster= of both samples."
    elif others:
        problem = f"has other groups in {name} than the cut-offs: {checks.show_first(others)}."
        hint = "Validate the cut-off of each group, k[group], in its rows."
    if problem:
        raise InputError.about("new", problem, hint=hint)
    return parts


def _quantities(
    ks: Sequence[Any], samples: Sequence[Sample], development: Sample, *, risks: bool
) -> Iterator[Comparison | Estimate | str]:
    """Yield the changes and the estimates in cohorts, by measure, or what is undefined."""
    for k in ks:
        yield from _changes(Sensitivity(threshold=k.value), k.honest.sensitivity, k, samples)
        yield from _changes(Specificity(threshold=k.value), k.honest.specificity, k, samples)
    for sample in samples:
        yield compare([sample, development], AUC(), independent=True)
    others: list[Any] = [of(threshold=k.value) for k in ks for of in (PPV, NPV)]
    others += [OE(), CalibrationIntercept(), CalibrationSlope()] * risks
    for measure, sample in product(others, samples):
        if measure.of_risks or sample.rows.design == "cohort":
            try:
                yield estimate(sample, measure)
            except UndefinedError:
                yield f"{measure.label} in {sample.names[0]}"


def _changes(rate: Measure, honest: Any, k: Any, samples: Sequence[Sample]) -> Iterator[Comparison]:
    r"""Yield the changes of a rate from its honest value in the development data.

    Their limits are :math:`d - \sqrt{(p_1 - l_1)^2 + (u_0 - p_0)^2}` and :math:`d + \sqrt{(u_1 -
    p_1)^2 + (p_0 - l_0)^2}` with the rates p, their difference d and their limits l and u (Newcombe
    1998, method 10; Zou and Donner 2008).
    """
    with held_warnings():
        e = estimate(k.sample.renamed(DEVELOPMENT), rate)
    old = replace(
        e, value=honest.value, se=honest.se, limits=honest.limits, cautions=(), uncertainty=None
    )
    for sample in samples:
        new, r = estimate(sample, rate), np.eye(2)
        # Without a standard error, the limits would not be those of both rates.
        se, d = math.hypot(new.se, old.se) or math.ulp(0.0), new.value - old.value
        yield Comparison((new, old), d, se, 0.0, 0.0, "two-sided", paired=False, correlations=r)


def _in_group(q: Any, group: Any) -> Any:
    """Return a quantity with its group."""
    if isinstance(q, Estimate):
        return replace(q, rows=q.rows._replace(group=group))
    return replace(q, estimates=tuple(_in_group(e, group) for e in q.estimates))
