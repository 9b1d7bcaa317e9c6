"""Result of `scan`: a family of regions with simultaneous intervals and a global p-value."""

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from pauci import accepted, checks
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.errors import PauciWarning
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.measures.base import Measure
from pauci.results.base_estimate import cautions_of
from pauci.results.captions import (
    abbreviations_of,
    capitalized,
    class_sizes_phrase,
    classifiers_phrase,
    notes_with_count,
)
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Family
from pauci.results.keyed_sequence import KeyedSequence
from pauci.results.layout import ESTIMATE, INTERVAL, SE, Layout, TableColumn, View, value_column
from pauci.results.presented import Presented
from pauci.results.quantity import InvertedTest
from pauci.results.row import Row, rows_of
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    IntervalCell,
    Note,
    Part,
    PEquals,
    PValue,
    RichText,
    StatisticCell,
    Symbol,
    Verbatim,
    difference_of,
    ends_column,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCAN_COLUMNS = (
    "first second measure region axis region_low region_high x value se df statistic null "
    "pvalue p_adjusted low high simultaneous_low simultaneous_high alternative level kind "
    "variance seed n_draws cautions dropped left_out"
)

_MAX_PRINTED, _SPACED = 15, 11

_Part = Estimate | Comparison
"""The result in a region."""
"""Largest family that a text table shows in full, and number of rows of larger families."""

_ALTERNATIVES = {"two-sided": "other than", "greater": "above", "less": "below"}
"""The alternative hypothesis of the global test, in relation to the null value."""


class Limits(NamedTuple):
    """Lower and upper ends of intervals, one per region."""

    low: FloatArray
    high: FloatArray


class Largest(NamedTuple):
    """The region of a family with the smallest p-value.

    ``pvalue`` is adjusted for the family and ``pvalue_alone`` is not; `low` and `high` are the ends
    of the simultaneous interval, by default at level 0.95.
    """

    position: int
    region: str
    x: float
    value: float
    se: float
    low: float
    high: float
    pvalue: float
    pvalue_alone: float


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Scan(KeyedSequence[_Part, tuple[accepted.Bound, accepted.Bound], _Part], Presented[Kind]):
    """Estimates, or differences of two classifiers, over a family of regions.

    Iteration yields the `Estimate` or `Comparison` of each region. An index selects one, by its
    position or by the region as a pair, ``scan[0, 0.1]``; `at` selects it by its variable end.

    Attributes
    ----------
    parts : tuple of Estimate, or of Comparison
        One for each region.
    low, high : ndarray of shape (m,)
        The regions, on `axis`.
    x : ndarray of shape (m,)
        The position of each region in plots: its variable end, or the middle of a region that was
        specified as a pair.
    axis : str
        ``"fpr"``, ``"tpr"``, ``"specificity"``, ``"sensitivity"`` or ``"threshold"``.
    nested : bool
        Whether the regions are nested, with one variable end.
    joint : Family
        The estimates or differences with their joint uncertainty.
    null : ndarray of shape (m,)
        Value in each region under the null hypothesis; NaN if it is not known.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``.
    seed, n_draws : int
        Seed and number of draws of the largest statistic.
    excluded : tuple of str
        Regions that were excluded because fewer than `fewest` observations are expected in them.
    by_chance : bool
        Whether the null is the value of uninformative scores in each region.
    """

    parts: tuple[Estimate, ...] | tuple[Comparison, ...]
    low: FloatArray
    high: FloatArray
    x: FloatArray
    axis: str
    nested: bool
    joint: Family[Any] = field(repr=False)
    null: FloatArray
    alternative: Alternative
    seed: int
    n_draws: int
    excluded: tuple[str, ...] = ()
    fewest: float = 0.0
    by_chance: bool = False

    _key_type: ClassVar[type[Any]] = tuple

    @property
    def _items(self) -> tuple[_Part, ...]:
        return self.parts

    def _selected(self, key: tuple[accepted.Bound, accepted.Bound]) -> _Part:
        """Return the estimate or comparison of the region from one end to another."""
        if len(key) == 2:
            low, high = map(float, key)
            positions = np.flatnonzero(np.isclose(self.low, low) & np.isclose(self.high, high))
            if positions.size:
                return self.parts[int(positions[0])]
        raise KeyError(f"no region {key!r} on {self.axis}; there are {self.span}.")

    def at(self, x: accepted.Number) -> Estimate | Comparison:
        """Return the estimate or comparison of the region with the variable end `x`."""
        positions = np.flatnonzero(np.isclose(self.x, checks.finite("x", x)))
        if not positions.size:
            near = self.x[int(np.nanargmin(np.abs(self.x - x)))]
            raise KeyError(f"no region at {x!r}; the nearest is at {near:.6g}.")
        return self.parts[int(positions[0])]

    @property
    def differences(self) -> bool:
        """Whether the scan is of differences between two classifiers."""
        return isinstance(self.parts[0], Comparison)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the classifier, or of both."""
        first = self.parts[0]
        return (first.first, first.second) if isinstance(first, Comparison) else (first.classifier,)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measure of each region."""
        return tuple(p.measure for p in self.parts)

    @property
    def value(self) -> FloatArray:
        """Estimates, or differences: ndarray of shape (m,)."""
        return np.array([float(p.value) for p in self.parts])

    @property
    def se(self) -> FloatArray:
        """Standard errors: ndarray of shape (m,)."""
        return np.array([p.se for p in self.parts])

    @property
    def cautions(self) -> tuple[tuple[PauciWarning, ...], ...]:
        """The warnings about each region."""
        return tuple(
            tuple(caution for e in _estimates_of(p) for caution in e.cautions) for p in self.parts
        )

    def pointwise(self, level: float = 0.95, kind: Kind | None = None) -> Limits:
        """Return pointwise intervals of all regions, ndarrays of shape (m,).

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            As for the interval of an `Estimate` or a `Comparison`. The default is analytic, also
            with standard errors from the bootstrap: for estimates logit, or mid-p for a sensitivity
            or specificity of independent rows without weights, and Wald for differences.
        """
        return self._limits(checks.level(level), kind)

    def simultaneous(self, level: float = 0.95, kind: Kind | None = None) -> Limits:
        """Return simultaneous intervals of all regions, ndarrays of shape (m,).

        Simultaneous intervals are pointwise intervals at a higher level, which follows from the
        distribution of the largest statistic (see `scan`). At level 1 - alpha, at least one of them
        excludes the null if and only if `pvalue` is below alpha.
        """
        return self._limits(self.joint.individual_level(level), kind)

    def critical(self, level: float = 0.95) -> float:
        """Return the quantile of the largest statistic, in standard errors."""
        return self.joint.largest.quantile(checks.level(level))

    @property
    def pvalue(self) -> float:
        """The p-value of the global test; NaN if no region has a null."""
        return self.pvalue_of()

    def pvalue_of(self, kind: Kind | None = None) -> float:
        """Return the p-value of the global test, from tests that invert intervals of a kind."""
        adjusted = self.adjusted(kind)
        return float(np.nanmin(adjusted)) if np.isfinite(adjusted).any() else math.nan

    @property
    def p_adjusted(self) -> FloatArray:
        """The adjusted p-value of each region: ndarray of shape (m,)."""
        return self.adjusted()

    def adjusted(self, kind: Kind | None = None) -> FloatArray:
        """Return the p-value of each region, adjusted for the family (single step)."""
        return np.array(self.joint.adjusted_by("max-t", self._tests(kind)))

    def pvalues(self, kind: Kind | None = None) -> FloatArray:
        """Return the p-value of each region alone: ndarray of shape (m,)."""
        return np.array([test.pvalue for test in self._tests(kind)])

    @property
    def statistic(self) -> FloatArray:
        """The t or z statistic of each region alone; NaN if it has none."""
        return np.array([test.statistic for test in self._tests()])

    @property
    def largest(self) -> Largest:
        """The region with the smallest p-value."""
        return self.largest_at()

    def largest_at(self, level: float = 0.95, kind: Kind | None = None) -> Largest:
        """Return the region with the smallest p-value, and its simultaneous interval.

        If several regions have the same p-value, the region with the largest statistic is returned.
        Without a null, the region with the largest value is returned.
        """
        alone = self.pvalues(kind)
        if np.isnan(alone).all():
            i = int(np.argmax(self.value))
        else:
            size = np.nan_to_num(np.abs(self.statistic))
            order = np.lexsort((-size, np.where(np.isnan(alone), np.inf, alone)))
            i = int(order[0])
        ends = self.simultaneous(level, kind)
        part = self.parts[i]
        return Largest(
            i,
            self.region_name(i),
            float(self.x[i]),
            float(part.value),
            part.se,
            float(ends.low[i]),
            float(ends.high[i]),
            float(self.adjusted(kind)[i]),
            float(alone[i]),
        )

    def _rows(self, level: float, kind: Any) -> list[Row]:
        level = checks.level(level)
        tests, adjusted = self._tests(kind), self.adjusted(kind)
        first, second = (*self.names, None)[:2]
        rows = rows_of(self.parts, level, None, lambda _: None, _error)
        result = []
        for i, row in enumerate(rows):
            part: Any = self.parts[i]
            used = self.kind_of(part, kind)
            more = {
                "first": first,
                "second": second,
                "measure": part.measure.label_without_region,
                "region": self.region_name(i),
                "axis": self.axis,
                "region_low": self.low[i],
                "region_high": self.high[i],
                "x": self.x[i],
                "value": float(part.value),
                "statistic": tests[i].statistic,
                "null": self.null[i],
                "pvalue": tests[i].pvalue,
                "p_adjusted": adjusted[i],
                "alternative": self.alternative,
                "variance": _estimates_of(part)[0].variance,
                "seed": self.seed,
                "n_draws": self.n_draws,
                "cautions": cautions_of(_estimates_of(part)),
                "dropped": part.excluded.dropped,
                "left_out": part.excluded.left_out,
            }
            ends = part.interval(self.joint.individual_level(level), used)
            more["simultaneous_low"], more["simultaneous_high"] = ends
            result.append(replace(row, kind=used, more=more))
        return result

    def _layout(self) -> Layout:
        return SCAN

    def plot(
        self, *, level: float = 0.95, kind: Kind | None = None, ax: "Axes | None" = None
    ) -> "Axes":
        """Draw values along the family with both intervals; see `pauci.plot.scan`.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Kind of interval; see `pointwise`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.scan_bands import Regions, draw_scan

        level = checks.level(level)
        best, measure = self.largest_at(level, kind), self.measures[0]
        regions = Regions(
            names=self.names,
            measure=measure.label_without_region,
            axis=self.axis,
            regions=[self.region_name(i) for i in range(len(self))],
            x=self.x,
            low=self.low,
            high=self.high,
            nested=self.nested,
            at_points=measure.region.is_point,
            value=self.value,
            se=self.se,
            null=self.null,
            pointwise=self.pointwise(level, kind),
            simultaneous=self.simultaneous(level, kind),
            by_chance=self.by_chance,
            one_sided=self.alternative != "two-sided",
            best=best.position,
            pvalue=best.pvalue,
        )
        return draw_scan(regions, level, ax)

    def region_name(self, i: int) -> str:
        """Return the description of a region, such as ``FPR 0 to 0.1``."""
        part: Any = self.parts[i]
        if not part.measure.region_phrase:
            name = {"fpr": "FPR", "tpr": "TPR", "threshold": "scores"}.get(self.axis, self.axis)
            return fmt.range_phrase(name, float(self.low[i]), float(self.high[i]))
        return str(part.region_phrase if isinstance(part, Comparison) else part.region.words)

    @property
    def basis(self) -> str:
        """The pairing and the sample sizes of the family, in words."""
        part = self.parts[0]
        if isinstance(part, Comparison):
            return f"{'paired' if part.paired else 'independent samples'}, {part.sizes}"
        return part.basis

    @property
    def span(self) -> str:
        """A short description of the family."""
        ends = f"{fmt.bound(float(self.x[0]))} to {fmt.bound(float(self.x[-1]))}"
        if not self.nested:
            return f"{len(self)} regions of the {self.axis} axis"
        return f"{len(self)} regions with their variable end from {ends}"

    @property
    def family(self) -> str:
        """The description of the family: ``50 regions (FPR 0 to x for x from 0.02 to 1)``."""
        count = f"{fmt.count(len(self), 'region')}"
        if not self.nested or len(self) == 1:
            names_of_regions = [self.region_name(i) for i in range(min(len(self), 4))]
            return f"{count} ({'; '.join(names_of_regions)}{'; ...' * (len(self) > 4)})"
        name = {"fpr": "FPR", "tpr": "TPR", "threshold": "score"}.get(self.axis, self.axis)
        ends = f"from {fmt.bound(float(self.x[0]))} to {fmt.bound(float(self.x[-1]))}"
        if self.parts[0].measure.region.is_point:
            return f"{fmt.count(len(self), 'point')} ({name} {ends})"
        shape = "FPR 0 to x" if self.axis == "fpr" else f"{name} x to 1"
        if self.axis == "threshold":
            shape = f"scores from x {'down' if math.isinf(float(self.low[0])) else 'up'}"
        return f"{count} ({shape} for x {ends})"

    @property
    def cov(self) -> FloatArray:
        """Covariance matrix of the estimates or differences."""
        return self.joint.cov

    def kind_of(self, part: Any, kind: Kind | None) -> Any:
        """Return the kind of interval of a region; the default is analytic."""
        if kind is None and isinstance(part, Estimate):
            return part.analytic_kind
        return kind

    def _limits(self, level: float, kind: Any) -> Limits:
        ends = [p.interval(level, self.kind_of(p, kind)) for p in self.parts]
        return Limits(*(np.array(side) for side in zip(*ends, strict=True)))

    def _tests(self, kind: Any = None) -> list[InvertedTest]:
        """Return the test of each region alone, with NaN if there is no null."""
        nulls = self.null.tolist()
        return [self._test(part, nulls[i], kind) for i, part in enumerate(self)]

    def _test(self, part: Estimate | Comparison, null: float, kind: Any) -> InvertedTest:
        if isinstance(part, Comparison):
            return part.inverted_test(null, part.alternative, kind)
        if math.isnan(null):
            return InvertedTest(math.nan, math.nan, math.nan)
        test = part.test(null, kind=self.kind_of(part, kind))
        return InvertedTest(test.statistic, test.df, test.pvalue)

    def __repr__(self) -> str:
        test = fmt.p_value(self.pvalue) if math.isfinite(self.pvalue) else "no test"
        label = self.parts[0].measure.label_without_region
        family = self.family if self.nested else self.span
        return f"Scan({' - '.join(map(fmt.named, self.names))}, {label}: {family}; {test})"


def _selection(n: int, best: int) -> list[int] | None:
    """Return the regions in a text table: evenly spaced regions and the best; None for all."""
    if n <= _MAX_PRINTED:
        return None
    return sorted({*np.linspace(0, n - 1, _SPACED).round().astype(int).tolist(), best})


def _names(scan: Scan) -> tuple[Part | str, ...]:
    """Return the name of the classifier, or of the difference of two."""
    return difference_of(*scan.names) if len(scan.names) == 2 else (Verbatim(scan.names[0]),)


def _title(view: View) -> RichText:
    scan = view.result
    label = scan.parts[0].measure.label_without_region
    return (f"{label} of ", *_names(scan), f" over {scan.family}")


def _caption(view: View) -> RichText:
    """Return the caption of the table."""
    scan, part = view.result, view.result.parts[0]
    name = part.measure.name if part.measure.region_phrase else part.measure.label_without_region
    intervals = (
        f"over {scan.family}, with {fmt.percent(view.level)} {view.kinds} confidence intervals, "
        "pointwise and simultaneous"
    )
    if scan.differences:
        paired = "paired" if part.paired else "independent samples"
        names = tuple(classifiers_phrase(scan.names))
        return (
            f"Differences in {name} between ",
            *names,
            f" ({paired}) {intervals}; {part.sizes}",
        )
    return capitalized(name), " of ", *_names(scan), f" {intervals}", *class_sizes_phrase([part])


def _notes(view: View) -> list[Note]:
    scan, level = view.result, view.level
    best = scan.largest_at(level, view.kind)
    against = "chance" if scan.by_chance else f"{scan.null[0]:g}"
    intervals = (
        f"{fmt.percent(level)} intervals: {view.kinds}, pointwise and simultaneous (sim.; normal "
        f"critical value {scan.critical(level):.3f})."
    )
    at = scan.parts[best.position].measure.region.preposition
    if math.isnan(best.pvalue):
        lines: list[RichText] = [
            intervals,
            f"There is no test without a null value. Largest estimate: {best.region}.",
        ]
    else:
        noun = "difference" if scan.differences else "value"
        lines = [
            f"{intervals} p, adj.: p-values adjusted for all regions.",
            (
                f"Global test ({noun} {_ALTERNATIVES[scan.alternative]} {against} in any region): ",
                PEquals(best.pvalue),
                f", {fmt.sided(scan.alternative)}; smallest p-value {at} {best.region}.",
            ),
        ]
    lines += [
        f"Distribution of the largest of {len(scan)} statistics: {scan.n_draws:,} draws, seed "
        f"{scan.seed}. SE: {fmt.proper(_estimates_of(scan.parts[0])[0].source)}.",
        f"{capitalized(scan.basis)}. Specificity is 1 - FPR.",
    ]
    if scan.excluded:
        first = ", ".join(scan.excluded[:3]) + ", ..." * (len(scan.excluded) > 3)
        lines.append(
            f"{fmt.count(len(scan.excluded), 'region')} with fewer than {scan.fewest:g} expected "
            f"observations excluded ({first})."
        )
    notes = [Note(line) for line in lines]
    cautions = [caution for cautions in scan.cautions for caution in cautions]
    if cautions:
        notes += notes_with_count(f"Cautions: {cautions[0].reason}", len(cautions) - 1)
    rows = _shown(view)
    if rows is not None:
        extreme = "largest estimate" if math.isnan(best.pvalue) else "smallest p-value"
        text = f"{len(rows)} of {len(scan):,} regions are shown, including that with the {extreme}."
        notes.append(Note(f"{text} Markdown, CSV and to_frame() contain all.", page=False))
    return notes


def _shown(view: View) -> list[int] | None:
    """Return the positions of the regions in a text table; None for all."""
    scan = view.result
    return _selection(len(scan), scan.largest_at(view.level, view.kind).position)


def _sentences(view: View) -> list[str]:
    """Return sentences for a paper, which state that the region was selected on the data."""
    scan = view.result
    best = scan.largest_at(view.level, view.kind)
    part = scan.parts[best.position]
    noun = f"difference {fmt.difference(*scan.names)}" if scan.differences else "estimate"
    numbers = best.low, best.high, view.level, "simultaneous", best.se, best.value
    ends, value = fmt.interval_phrase(*numbers), fmt.number(best.value, best.se)
    where = f"{part.measure.region.preposition} {best.region}"
    name = part.measure.name if part.measure.region_phrase else part.measure.label_without_region
    family = f"The {name} of {' and '.join(scan.names)} was evaluated over {scan.family}. "
    side = fmt.side_phrase(scan.alternative)
    if math.isnan(best.pvalue):
        return [
            (
                f"{family}The largest {noun} was {value}, {where} ({ends}). The region "
                f"was selected on these data, which the interval accounts for ({scan.basis})."
            )
        ]
    null = float(scan.null[best.position])
    against = f"chance ({fmt.number(null)})" if scan.by_chance else f"{null:g}"
    return [
        (
            f"{family}The {noun} with the strongest evidence against {against} was {value}, "
            f"{where} ({ends}; "
            f"{fmt.p_value(best.pvalue)}{side}, adjusted for the family by the largest statistic; "
            f"unadjusted {fmt.p_value(best.pvalue_alone)}). The region was selected on these data, "
            f"which the interval and the adjusted p-value account for ({scan.basis})."
        )
    ]


def _estimates_of(part: Any) -> tuple[Estimate, ...]:
    """Return the estimate of a region, or both estimates of a comparison."""
    return part.estimates if isinstance(part, Comparison) else (part,)


def _error(part: Any) -> float:
    """Return the standard error that determines the decimals of a region."""
    return float(part.se if isinstance(part, Comparison) else part.se_shown)


def _simultaneous(row: Row) -> IntervalCell:
    low, high = row.record["simultaneous_low"], row.record["simultaneous_high"]
    return IntervalCell(low, high, row.error, row.unit, row.record["value"])


def _is_tested(view: View) -> bool:
    return any(math.isfinite(row.record["pvalue"]) for row in view.rows)


SCAN = Layout(
    title=_title,
    caption=_caption,
    columns=[
        TableColumn("region", lambda row: row.record["region"]),
        replace(ESTIMATE, shown=lambda view: not view.result.differences),
        replace(value_column("difference"), shown=lambda view: view.result.differences),
        SE,
        INTERVAL,
        TableColumn(lambda view: ends_column(view.level, ", sim."), _simultaneous),
        TableColumn(Symbol("t"), lambda row: StatisticCell(row.record["statistic"]), _is_tested),
        TableColumn(Symbol("p"), lambda row: PValue(row.record["pvalue"]), _is_tested),
        TableColumn(
            (Symbol("p"), ", adj."), lambda row: PValue(row.record["p_adjusted"]), _is_tested
        ),
    ],
    fields=SCAN_COLUMNS,
    notes=_notes,
    sentences=_sentences,
    meanings=lambda view: abbreviations_of(view.measures[:1]),
    in_text=_shown,
)
