"""`scan`: a family of regions evaluated together, with a global p-value."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from pauci import checks
from pauci.calls import validate_call, validate_constructor
from pauci.cautions.about_parts import combined_by_kind
from pauci.checks import Bound, FloatArray, Number, RegionFamily, Seed, read_only
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import threshold_text
from pauci.curve.polyline import Curve
from pauci.curve.region import OTHER_NAMES
from pauci.errors import InputError, InputTypeError, PauciWarning, UndefinedError
from pauci.inference.arguments import Variance, check_independent, method_of, one_or_two_samples
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Alternative, Intervals, Kind
from pauci.intervals.simultaneous import DRAWS, SEED
from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Measure, constructor_arguments
from pauci.measures.registry import suggestion
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.facts import printed_factor, printed_label
from pauci.results.family import Family, JointTest
from pauci.results.presented import Presented
from pauci.results.quantity import InvertedTest, Row, rows_of
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import WIDTH
from pauci.tables.table import RichText, Table
from pauci.tables.tabular import DOCUMENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_PRINTED = 15
"""Largest number of regions that a text table shows in full."""

_SPACED = 11
"""Number of evenly spaced regions that a text table of more regions shows."""

_ALTERNATIVES = {"two-sided": "other than", "greater": "above", "less": "below"}
"""The alternative hypothesis of the global test, in relation to the null value."""


Factory = Callable[..., Measure]

RegionResult = Estimate | Comparison
"""The result in a region."""

_EXAMPLE = "pauci.scan(pauci.Sample(y_true, y_score), pauci.PAUCc, fpr=[0.1, 0.2, 0.3])."

_CHANCE = Curve(CountTable(np.zeros(1), np.array([0, 1]), np.array([0, 1]), 1, 1))
"""The curve if all scores are tied: the diagonal."""


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
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scan(Family[RegionResult], Presented[Kind]):
    """Estimates, or differences of two classifiers, over a family of regions.

    Iteration yields the `Estimate` or `Comparison` of each region. An index selects one, by its
    position or by the region as a pair, ``scan[0, 0.1]``; `at` selects it by its variable end.
    `contrast`, `contrasts`, `simultaneous` and `influence` are those of `Estimates`.

    Attributes
    ----------
    parts : tuple of Estimate, or of Comparison
        One for each region.
    cov : ndarray of shape (m, m)
        Covariance matrix of the estimates or differences.
    low, high : ndarray of shape (m,)
        The regions, on `axis`.
    x : ndarray of shape (m,)
        The position of each region in plots: its variable end, or the middle of a region that was
        specified as a pair.
    axis : str
        ``"fpr"``, ``"tpr"``, ``"specificity"``, ``"sensitivity"`` or ``"threshold"``.
    nested : bool
        Whether the regions are nested, with one variable end.
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

    low: FloatArray
    high: FloatArray
    x: FloatArray
    axis: str
    nested: bool
    null: FloatArray
    alternative: Alternative
    excluded: tuple[str, ...] = ()
    fewest: float = 0.0
    by_chance: bool = False

    @overload
    def __getitem__(self, index: int) -> RegionResult: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RegionResult, ...]: ...
    @overload
    def __getitem__(self, index: str | tuple[Bound, Bound]) -> RegionResult: ...
    def __getitem__(self, index: Any) -> Any:
        """Return a result by position or by its region, or a tuple of results for a slice."""
        if not isinstance(index, tuple):
            return super().__getitem__(index)
        if len(index) == 2:
            low, high = map(float, index)
            positions = np.flatnonzero(np.isclose(self.low, low) & np.isclose(self.high, high))
            if positions.size:
                return self.quantities[int(positions[0])]
        raise KeyError(f"no region {index!r} on {self.axis}; there are {self.family}.")

    def at(self, x: Number) -> RegionResult:
        """Return the estimate or comparison of the region with the variable end `x`."""
        positions = np.flatnonzero(np.isclose(self.x, checks.finite("x", x)))
        if not positions.size:
            near = self.x[int(np.nanargmin(np.abs(self.x - x)))]
            raise KeyError(f"no region at {x!r}; the nearest is at {near:.6g}.")
        return self.quantities[int(positions[0])]

    @property
    def parts(self) -> tuple[RegionResult, ...]:
        """The estimates or comparisons."""
        return self.quantities

    @property
    def n_draws(self) -> int:
        """Number of draws of the largest statistic."""
        return self.draws

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
            tuple(caution for e in p.estimates_used for caution in e.cautions) for p in self.parts
        )

    def pointwise(self, level: float = 0.95, kind: Kind | None = None) -> Intervals:
        """Return pointwise intervals of all regions, with arrays ``low`` and ``high``.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            As for the interval of an `Estimate` or a `Comparison`. The default is analytic, also
            with standard errors from the bootstrap: for estimates logit, and for differences Wald.
        """
        return Intervals(q.interval(level, q.kind_or_analytic(kind)) for q in self)

    def joint(self, null: Sequence[float] | None = None) -> JointTest:
        """Test all regions at once by Hotelling's T^2 (`JointTest`), by default against `null`."""
        return super().joint(self.null.tolist() if null is None else null)

    def critical(self, level: float = 0.95) -> float:
        """Return the quantile of the largest statistic, in standard errors."""
        return self.largest_statistic.quantile(checks.level(level))

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
        return np.array(self.adjusted_by("max-t", self._tests(kind)))

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
            i = int(np.lexsort((-size, np.where(np.isnan(alone), np.inf, alone)))[0])
        part, ends = self.quantities[i], self.simultaneous(level, kind)[i]
        estimate_with_ends = float(part.value), part.se, *ends
        tests = float(self.adjusted(kind)[i]), float(alone[i])
        return Largest(i, self.region_name(i), float(self.x[i]), *estimate_with_ends, *tests)

    def _rows(self, level: float, kind: Any) -> list[Row]:
        tests, adjusted = self._tests(kind), self.adjusted(kind)
        joint = self.simultaneous(level, kind)
        first, second = (*self.names, None)[:2]
        result = []
        for i, row in enumerate(rows_of(self.quantities, level, kind)):
            part = row.quantity
            more = {
                "first": first,
                "second": second,
                "measure": part.measure.label_without_region,
                "region": self.region_name(i),
                "axis": self.axis,
                "region_low": self.low[i],
                "region_high": self.high[i],
                "x": self.x[i],
                "statistic": tests[i].statistic,
                "null": self.null[i],
                "pvalue": tests[i].pvalue,
                "p_adjusted": adjusted[i],
                "simultaneous_low": joint[i].low,
                "simultaneous_high": joint[i].high,
                "seed": self.seed,
                "n_draws": self.draws,
                **part.excluded.columns,
            }
            result.append(replace(row, kind=part.kind_or_analytic(kind), more=more))
        return result

    @property
    def _adjusted_by(self) -> str:
        return "max-t" if len(self) > 1 else ""

    _fields = (
        "first second measure region axis region_low region_high x value se df statistic null "
        "pvalue p_adjusted low high simultaneous_low simultaneous_high alternative level kind "
        "variance seed n_draws cautions dropped left_out rescaled"
    )

    def _table(
        self, level: float, kind: Any, *, details: bool = False, width: int = DOCUMENT
    ) -> Table:
        """Return the table of all regions, or on a screen of evenly spaced ones and the best."""
        rows, shown = self._rows(level, kind), range(len(self))
        if width == WIDTH and len(self) > _MAX_PRINTED:
            spaced = np.linspace(0, len(self) - 1, _SPACED).round().astype(int).tolist()
            shown = sorted({*spaced, self.largest_at(level, kind).position})  # type: ignore[assignment]
        presentation = self._presentation(level, kind, [rows[i] for i in shown])
        table = presentation.table(width, details=details)
        if len(shown) == len(self):
            return table
        words = f"{len(shown)} of {len(self):,} regions are shown; to_frame() has all."
        return replace(table, notes=[*table.notes, words])

    @property
    def _null_in_words(self) -> str:
        """The null value of average rates if it is the same in all regions, or that of areas."""
        if self.by_chance:
            return "chance"
        raw = float(self.null[0])
        nulls = {fmt.hypothesis(raw * printed_factor(m)) for m in self.measures}
        return nulls.pop() if len(nulls) == 1 else f"{raw:g} in the {self.measures[0].symbol}"

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        """Return the global test, and the distribution of the largest statistic."""
        best = self.largest_at(level)
        at = self.parts[best.position].measure.region.preposition
        if math.isnan(best.pvalue):
            notes = [f"Largest estimate {at} {best.region}."]
        else:
            against = self._null_in_words
            noun = "difference" if len(self.names) > 1 else "value"
            notes = [
                f"Global test ({noun} {_ALTERNATIVES[self.alternative]} {against} in any of "
                f"{fmt.count(len(self), 'region')}): {fmt.p_value(best.pvalue)}, smallest {at} "
                f"{best.region}."
            ]
        notes.append(f"Largest statistic: {self.n_draws:,} draws, seed {self.seed}.")
        if self.excluded:
            first = ", ".join(self.excluded[:3]) + ", ..." * (len(self.excluded) > 3)
            notes.append(
                f"{fmt.count(len(self.excluded), 'region')} with fewer than {self.fewest:g} "
                f"expected observations excluded ({first})."
            )
        return list(notes)

    def _sentences_of(self, presentation: Any) -> list[str]:
        """Return sentences about the best region, which state that it was selected on the data."""
        level, kind = presentation.level, presentation.kind
        best = self.largest_at(level, kind)
        rows = [self._rows(level, kind)[best.position]]
        (text,) = self._presentation(level, kind, rows).sentences()
        names, measure = " and ".join(self.names), self.parts[0].measure
        title = measure.name if measure.region_phrase else measure.label_without_region
        title = printed_label(measure, title)
        family = f"The {title} of {names} was evaluated over {self.family}."
        if len(self) == 1:
            return [f"{family} {text}"]
        accounts = "accounts" if math.isnan(best.pvalue) else "and the adjusted p-value account"
        chosen = "The region was selected on these data, for which the simultaneous interval"
        return [f"{family} {text} {chosen} {accounts}."]

    def plot(
        self, *, level: float = 0.95, kind: Kind | None = None, ax: "Axes | None" = None
    ) -> "Axes":
        """Draw estimates or differences over the regions, with both kinds of bands.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of both bands.
        kind : str, optional
            Kind of interval; see `pointwise`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes

        Notes
        -----
        The dark band is pointwise, the pale one simultaneous: where it excludes the null, the
        difference is significant although the region was selected on the same data. The region with
        the smallest p-value is marked, with its simultaneous interval and adjusted p-value. Regions
        given as pairs are drawn at their midpoints, with a thick pointwise and a thin simultaneous
        interval, and a line as wide as the region.
        """
        from pauci.drawings.bands import Regions, draw_scan

        best, measure = self.largest_at(level, kind), self.measures[0]
        factors = np.array(list(map(printed_factor, self.measures)))
        regions = Regions(
            names=self.names,
            measure=printed_label(measure, measure.label_without_region),
            axis=self.axis,
            regions=[self.region_name(i) for i in range(len(self))],
            x=self.x,
            low=self.low,
            high=self.high,
            nested=self.nested,
            at_points=measure.region.is_point,
            value=self.value * factors,
            null=self.null * factors,
            pointwise=np.transpose(self.pointwise(level, kind)) * factors,
            simultaneous=np.transpose(self.simultaneous(level, kind)) * factors,
            null_name="chance" if self.by_chance else f"null: {self._null_in_words}",
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
            return f"{name} {self._text(self.low[i])} to {self._text(self.high[i])}"
        return str(part.region_phrase if isinstance(part, Comparison) else part.region.words)

    @property
    def family(self) -> str:
        """The description of the family: ``50 regions (FPR 0 to x for x from 0.02 to 1)``."""
        count = fmt.count(len(self), "region")
        if not self.nested or len(self) == 1:
            names_of_regions = [self.region_name(i) for i in range(min(len(self), 4))]
            return f"{count} ({'; '.join(names_of_regions)}{'; ...' * (len(self) > 4)})"
        name = {"fpr": "FPR", "tpr": "TPR", "threshold": "score"}.get(self.axis, self.axis)
        if self.parts[0].measure.region.is_point:
            return f"{fmt.count(len(self), 'point')} ({name} {self._variable_ends})"
        shape = "FPR 0 to x" if self.axis == "fpr" else f"{name} x to 1"
        if self.axis == "threshold":
            shape = f"scores from x {'down' if math.isinf(float(self.low[0])) else 'up'}"
        return f"{count} ({shape} for x {self._variable_ends})"

    @property
    def _variable_ends(self) -> str:
        return f"from {self._text(self.x[0])} to {self._text(self.x[-1])}"

    def _text(self, end: float) -> str:
        """Return an end of a region; a threshold in full."""
        return threshold_text(float(end)) if self.axis == "threshold" else fmt.bound(float(end))

    def _tests(self, kind: Any = None) -> list[InvertedTest]:
        """Return the test of each region alone, with NaN if there is no null."""
        tests = []
        for q, null in zip(self, self.null.tolist(), strict=True):
            test = InvertedTest(math.nan, math.nan, math.nan)
            if not math.isnan(null):
                null = q.possible_null(null, repr(q.measure))
                test = q.inverted_test(null, q.alternative, q.kind_or_analytic(kind))
            tests.append(test)
        return tests

    def __repr__(self) -> str:
        test = fmt.p_value(self.pvalue) if math.isfinite(self.pvalue) else "no test"
        label = self.parts[0].measure.label_without_region
        family = self.family
        return f"Scan({' - '.join(map(fmt.named, self.names))}, {label}: {family}; {test})"


@validate_call
def scan(
    samples: Sample | Sequence[Sample],
    measure: type[Measure] | Factory,
    *,
    fpr: "RegionFamily | None" = None,
    tpr: "RegionFamily | None" = None,
    specificity: "RegionFamily | None" = None,
    sensitivity: "RegionFamily | None" = None,
    threshold: Iterable[Any] | None = None,
    null: float | None = None,
    alternative: Alternative = "two-sided",
    variance: "Variance" = "influence",
    fewest: float = 0.0,
    independent: bool = False,
    rng: "Seed | None" = SEED,
    n_draws: int = DRAWS,
) -> Scan:
    r"""Evaluate a family of regions together, such as FPR 0 to x for many x.

    The results allow valid inference for a region that was selected after several regions were
    evaluated: the intervals hold simultaneously for all regions, and a global p-value tests the
    null hypothesis for the whole family.

    Parameters
    ----------
    samples : Sample or list of two Sample
        One classifier, for estimates; two classifiers on the same rows, for paired differences
        first - second; or two independent samples of one classifier each.
    measure : class of a measure, or callable
        A class such as ``pauci.PAUCc``, or a callable that takes a region by the name of its axis
        and returns a measure: ``functools.partial(pauci.PAUCc, normalized=True)``, or
        ``lambda fpr: pauci.PAUC(fpr=fpr) / pauci.AUC()``.
    fpr, tpr, specificity, sensitivity, threshold : sequence of numbers or of pairs
        The family, on a single axis. Increasing numbers specify the variable end of nested regions:
        x of `fpr` is the region [0, x]; y of `tpr` (or `sensitivity`) is [y, 1]; s of `specificity`
        is [s, 1], that is, the FPR [0, 1 - s]; t of `threshold` is all scores of at least t (at
        most t if lower scores are positive). Pairs (low, high) specify the regions directly. For a
        measure at a single point, such as ``pauci.Sensitivity``, the numbers are the points: rates,
        or thresholds for measures that accept a threshold.
    null : float, optional
        The value in every region under the null hypothesis. The default is 0 for differences. For
        estimates it is the value of uninformative scores in each region, if it is known (which is
        the case on the FPR and the TPR axis).
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the differences under the alternative hypothesis; for estimates "two-sided".
    variance : {"influence", "delta"}, Bootstrap, Jackknife or VarianceMethod, default "influence"
        The method for standard errors and the joint covariance, as for `estimate`.
    fewest : number, default 0
        Exclude regions in which fewer observations of the class on their axis are expected
        (:math:`n_0 (x_2 - x_1)` for an FPR region). This number does not depend on the scores. The
        excluded regions are listed in ``.excluded`` of the result and in its notes.
    independent : bool, default False
        As for `compare`.
    rng : int or numpy.random.Generator, optional
        Seed of the draws, or a generator from which the seed is drawn. The default is the seed of
        all simultaneous intervals; with None a random seed is used, which ``summary()`` shows.
    n_draws : int, optional
        Number of draws of the largest statistic. With the default, the Monte Carlo error of
        p = 0.05 is 0.0007.

    Returns
    -------
    Scan
        Estimates or differences with pointwise and simultaneous intervals, the global p-value, and
        the region with the smallest p-value.

    Raises
    ------
    TypeError
        If `samples` or `measure` has another type.
    ValueError
        For more than two classifiers, a measure without a region, no axis or several, numbers that
        do not increase, and the errors of `estimate` and `compare`.

    Warns
    -----
    PauciWarning
        The warnings of `estimate` and `compare`, once for each kind; ``.cautions`` of an estimate
        contains the warnings about this estimate.

    Notes
    -----
    All regions have influence values, from which a joint covariance follows. Let :math:`p_i` be the
    p-value of region i alone, with its degrees of freedom and on its scale (for estimates the log
    odds on the range of the measure), and :math:`z_i = \Phi^{-1}(1 - p_i/2)`. With Z jointly normal
    with the correlation of the regions, drawn `n_draws` times,

    .. math:: p = P(\max_i |Z_i| \ge \max_i z_i) ,

    and with q the quantile of :math:`\max_i |Z_i|`, the simultaneous intervals are the pointwise
    intervals at level :math:`1 - 2 \Phi(-q)`. Therefore p < alpha exactly if some simultaneous
    interval at level 1 - alpha excludes the null, and for a family of one region both results are
    those of `estimate` and `compare`. For the difference of two pAUCs this is a test of the process
    :math:`u \mapsto pAUC(0, u)`. The global null hypothesis is that the null holds in *every*
    region. The null of a single region is rejected if its simultaneous interval excludes the null
    or, equivalently, if its ``p_adjusted`` is below alpha.

    Regions with a standard error of 0 or a value at a limit have the interval of `estimate` and
    `compare`, and are treated as independent of the others, which is conservative.

    References
    ----------
    T. Hothorn, F. Bretz and P. Westfall (2008), Biometrical Journal 50:346-363.

    Examples
    --------
    >>> import numpy as np, pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(
    ...     frame, label="recurrence", scores=["svm", "nn"], positive=1)
    >>> f = pauci.scan(sample, pauci.PAUCc, fpr=np.linspace(0.1, 0.8, 8), rng=1)
    >>> f.largest.region, round(f.largest.pvalue_alone, 2), round(f.pvalue, 1)
    ('FPR 0 to 0.8', 0.26, 0.7)
    """
    checked = one_or_two_samples(samples, "samples", _EXAMPLE)
    pair = checked if len(checked) == 2 else checked[0]
    differences = len(checked) == 2 or len(checked[0]) == 2
    checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    if alternative != "two-sided" and not differences:
        problem = "is for differences of two classifiers; intervals of estimates are two-sided."
        raise InputError.of("alternative", alternative, problem)
    null = None if null is None else checks.finite("null", null)
    fewest = checks.finite("fewest", fewest)
    checks.check_whole("n_draws", n_draws, 1000)
    seed = Bootstrap(rng=rng).seed()
    method = method_of(variance)
    axis, values = axis_of(
        fpr=fpr, tpr=tpr, specificity=specificity, sensitivity=sensitivity, threshold=threshold
    )
    lower = [s.ratings(n).lower_is_positive for s in checked for n in s.names]
    regions, nested = family_of_regions(measure, axis, values, lower)
    regions, excluded = with_enough_observations(regions, axis, fewest, checked)
    low, high, x, measures = zip(*regions, strict=True)
    check_independent(samples, independent)
    results: Any
    with combined_by_kind():
        if differences:
            results = compare(
                pair,
                measures,
                null=null or 0.0,
                alternative=alternative,
                adjust="none",
                variance=method,
                independent=independent,
            )
        else:
            results = estimate(checked[0], measures, method)
        against_chance = null is None and not differences
        nulls = [_chance_value(m) if against_chance else null or 0.0 for m in measures]
    return Scan(
        results.quantities,
        results.uncertainty,
        results.max_rank,
        results.clusters,
        seed,
        n_draws,
        low=read_only(np.array(low)),
        high=read_only(np.array(high)),
        x=read_only(np.array(x)),
        axis=axis,
        nested=nested,
        null=read_only(np.array(nulls)),
        alternative=alternative,
        excluded=excluded,
        fewest=fewest,
        by_chance=against_chance,
    )


def _chance_value(measure: Measure) -> float:
    """Return the value on the diagonal, or NaN if the region is not defined there."""
    if not all(region.rate_ends for region in measure.regions):
        return math.nan
    try:
        return float(measure.on(_CHANCE))
    except UndefinedError:
        return math.nan


_NESTED = {
    "fpr": "[0, x]",
    "specificity": "[s, 1]",
    "tpr": "[y, 1]",
    "sensitivity": "[y, 1]",
    "threshold": "t up",
}
"""The nested regions on each axis."""


ScannedRegion = tuple[float, float, float, Measure]
"""A region of the family: its ends, its position in plots, and the measure."""


def axis_of(**axes: Any) -> tuple[str, list[Any]]:
    """Return the axis that was passed, and its values as a list."""
    passed = {axis: values for axis, values in axes.items() if values is not None}
    if len(passed) != 1:
        names = " and ".join(passed) or "none"
        problem = f"a scan requires one axis, but {names} {'were' if passed else 'was'} passed."
        hint = f"Pass one of {', '.join(f'{a}=' for a in axes)}, such as fpr=(0.1, 0.2, 0.3)."
        raise InputError(problem, argument=next(iter(passed), "fpr"), hint=hint)
    ((axis, values),) = passed.items()
    listed = checks.values_of(axis, values, "numbers or pairs")
    if not listed:
        raise InputError.of(axis, values, "contains no region; pass at least one.")
    return axis, listed


def family_of_regions(
    measure: Any, axis: str, values: list[Any], lower: list[bool]
) -> tuple[list[ScannedRegion], bool]:
    """Return the measure of each region, and whether the regions are nested."""
    _check_measure(measure)
    measure_at = partial(_measure_of, measure)
    numbers = [isinstance(v, Real) and not isinstance(v, bool) for v in values]
    if not any(numbers):
        pairs = [_pair(axis, v) for v in values]
        if len(set(pairs)) < len(pairs):
            problem = "contains a region twice; pass each region once."
            raise InputError.about(axis, problem, value=values)
        return [(*_ends(*p), _middle(*p), measure_at(axis, p)) for p in pairs], False
    if not all(numbers):
        problem = "mixes numbers and pairs; pass one or the other."
        raise InputTypeError.about(axis, problem, value=values)
    _check_increasing(axis, values)
    if names := _point_axes(measure):
        if axis not in names:
            problem = "is not an axis of this measure at a single point."
            hint = f"Pass {' or '.join(f'{name}=' for name in names)}."
            raise InputError.about(axis, problem, value=values, hint=hint)
        return [(float(v), float(v), float(v), measure_at(axis, v)) for v in values], True
    return [_nested(axis, v, values, lower, measure_at) for v in values], True


def _check_increasing(axis: str, values: list[Any]) -> None:
    """Raise an error unless numbers are finite and increase."""
    if not all(map(checks.is_finite, values)):
        raise InputError.about(axis, "contains a number that is not finite.", value=values)
    if any(b <= a for a, b in pairwise(values)):
        problem = f"must increase, because the regions {_NESTED[axis]} of a family are nested."
        hint = "Sort the numbers, or pass pairs (low, high)."
        raise InputError.about(axis, problem, value=values, hint=hint)


def _nested(
    axis: str, value: Any, values: list[Any], lower: list[bool], measure_at: Factory
) -> ScannedRegion:
    """Return the region with a number as its variable end."""
    if axis == "threshold":
        if len(set(lower)) > 1:
            problem = "specifies the variable end of a region, but the two classifiers have "
            problem += "different directions: lower scores of one are positive."
            raise InputError.about(axis, problem, value=values, hint="Pass pairs (low, high).")
        region: tuple[Any, Any] = (-math.inf, value) if lower[0] else (value, math.inf)
    else:
        empty, pair = (0, "(0, 0.1)") if axis == "fpr" else (1, "(0.9, 1)")
        if value == empty:
            problem = f"contains {empty}, where the region {_NESTED[axis]} is empty."
            hint = "Omit this number, or for regions with two fixed ends pass pairs: "
            hint += f"{axis}=[{pair}]."
            raise InputError.about(axis, problem, value=values, hint=hint)
        region = (0, value) if axis == "fpr" else (value, 1)
    return *_ends(*region), float(value), measure_at(axis, region)


def _ends(low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of a region as numbers, NaN for categories."""
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    return tuple(float(v) if isinstance(v, Real) else math.nan for v in (low, high))  # type: ignore[return-value]


def _middle(low: Any, high: Any) -> float:
    """Return the position in plots of a region that is not in a nested family."""
    ends = _ends(low, high)
    finite = [v for v in ends if math.isfinite(v)]
    return sum(finite) / len(finite) if finite else math.nan


def _pair(axis: str, value: Any) -> tuple[Any, Any]:
    items = list(value) if isinstance(value, (list, tuple, np.ndarray)) else []
    if len(items) != 2:
        problem = "in a scan must be a number, the variable end of a region, or a pair (low, high)."
        raise InputTypeError.of(axis, value, problem)
    low, high = (v.item() if isinstance(v, np.generic) else v for v in items)
    return low, high


def _point_axes(measure: Any) -> list[str]:
    """Return the axes on which a measure is evaluated at single points."""
    kind: Any = measure.func if isinstance(measure, partial) else measure
    if not isinstance(kind, type) or not issubclass(kind, Measure):
        return []
    if kind.scalar is None and not issubclass(kind, AtCutoff):
        return []
    arguments = constructor_arguments(kind)
    axes = [name for axis in OTHER_NAMES if axis in arguments for name in (axis, OTHER_NAMES[axis])]
    return axes + ["threshold"] * ("threshold" in arguments)


def _check_measure(measure: Any) -> None:
    """Raise an error unless `measure` is callable and, if it is a measure, has a region."""
    if isinstance(measure, Measure):
        name = type(measure).__name__
        advice = f", which has a fixed region; pass the class pauci.{name}, or "
        advice += f"functools.partial(pauci.{name}, ...) with options."
        raise InputTypeError.about("measure", ("is ", measure, advice), value=measure)
    kind: Any = measure.func if isinstance(measure, partial) else measure
    is_class = isinstance(kind, type)
    if not callable(measure) or (is_class and not issubclass(kind, Measure)):
        name = kind.__name__ if is_class else f"a {type(measure).__name__}"
        problem = f"is {name}, which is not a measure; pass the class of one, such as "
        problem += f"pauci.PAUCc{suggestion(measure)}"
        raise InputTypeError.about("measure", problem, value=kind)
    if not is_class:
        return
    if not kind.kinds and not _point_axes(kind):
        others = ", ".join(sorted(m.__name__ for m in REGISTRY.values() if m.kinds))
        points = ", ".join(sorted(m.__name__ for m in REGISTRY.values() if _point_axes(m)))
        problem = f"is {kind.__name__}, which has no region to scan; measures with a region: "
        problem += f"{others}; at a single point: {points}."
        raise InputError.about("measure", problem, value=kind)


def _measure_of(measure: Factory, axis: str, region: Any) -> Measure:
    """Return the measure of a region, or raise an error."""
    try:
        of_region: Any = measure(**{axis: region})
    except InputTypeError:
        raise
    except TypeError as error:
        problem = f"could not be created with {axis}={region!r}: {error}. It must accept a region "
        problem += f"by the name of the axis, such as lambda {axis}: pauci.PAUCc({axis}={axis})."
        raise InputTypeError.about("measure", problem, value=measure) from None
    if not isinstance(of_region, Measure):
        returned = f"returned a {type(of_region).__name__} for {axis}={region!r}"
        problem = f"{returned}; it must return a measure."
        raise InputTypeError.about("measure", problem, value=measure)
    return of_region


def with_enough_observations(
    regions: list[ScannedRegion], axis: str, fewest: float, samples: list[Sample]
) -> tuple[list[ScannedRegion], tuple[str, ...]]:
    """Return the regions with enough expected observations, and the names of the others."""
    if fewest <= 0.0:
        return regions, ()
    if axis == "threshold":
        problem = "requires an FPR or TPR axis, on which the expected number in a region is known "
        problem += "in advance; for a range of scores it is random."
        raise InputError.of("fewest", fewest, problem)
    positives = axis in ("tpr", "sensitivity")
    n = min(s.rows.units[0 if positives else 1] for s in samples)
    limit = fewest * (1.0 - 1e-9)
    included = [r for r in regions if n * r[-1].region.width >= limit]
    if not included:
        noun = "positives" if positives else "negatives"
        problem = f"excludes all regions, because there are only {n:g} {noun}. Use wider regions, "
        problem += "or a smaller number."
        raise InputError.of("fewest", fewest, problem)
    excluded = [m.region for *_, m in regions if n * m.region.width < limit]
    return included, tuple(map(str, excluded))
