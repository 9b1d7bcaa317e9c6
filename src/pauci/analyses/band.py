"""`band`: confidence limits of the curve over a region, or of the points of a rating scale."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pauci import checks, special
from pauci.calls import validate_call, validated_dataclass
from pauci.cautions.about_data import warn_about_scores
from pauci.cautions.about_parts import check_no_shared_clusters, warn_if_unpaired
from pauci.cautions.accuracy import FEW_BEYOND, warn_about_rows
from pauci.checks import AnyArray, FloatArray, RegionBounds, read_only
from pauci.errors import InputError, each_warning_once, show
from pauci.inference.arguments import check_independent, one_or_two_samples
from pauci.inference.estimates_on_parts import estimate_of
from pauci.inference.family_of_samples import unique_names
from pauci.intervals import simultaneous
from pauci.intervals.analytic import Kind
from pauci.intervals.mid_p import TINY
from pauci.intervals.simultaneous import LargestStatistic
from pauci.intervals.student_t import critical_value, upper_tail
from pauci.measures.area import PAUC
from pauci.measures.at_cutoff import Sensitivity
from pauci.results.limits import limits_of_rates
from pauci.results.pivot import Statement, part_of
from pauci.results.presented import Presented
from pauci.results.quantity import PlainRow
from pauci.sample.ratings import Ratings
from pauci.sample.rows import NONE_EXCLUDED, DataSizes, ExcludedRows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.table import Digits, EstimateCell, RichText, parts_of, score_cell
from pauci.variance.contributions import z_of_terms
from pauci.variance.joint import uncertainty_of_problem
from pauci.variance.method import InfluenceVariance
from pauci.variance.units import Problem, Term
from pauci.variance.z import CANCELLED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content

_MAX_PRINTED = 21
"""Largest number of rows of a printed table of a band along the axis."""


def range_of_fpr(region: tuple[float, float]) -> str:
    """Return the range of a band: ``FPR 0 to 0.2``."""
    return f"FPR {region[0]:g} to {region[1]:g}"


BandKind = Literal["simultaneous", "pointwise"]

_DRAWS = 50_000
"""Draws of the largest statistic; the error of a tail probability of 0.05 is 0.001."""

_N_CORRELATED = 40
"""Number of FPRs at which the correlation is estimated."""

_WINDOW = 9
"""Number of these FPRs in the window of a moving average."""

_GRID = 100
"""Number of equal steps between the FPRs of a band."""

_EXAMPLE = "pauci.band(pauci.Sample(y_true, y_score), fpr=(0, 0.2))."

_ROUNDING = 1e-12
"""Relative deviation of influence values, to the largest, below which they are rounding errors."""

_NO_VARIANCE = 1e-20
"""Variance of a TPR up to which it is treated as a rounding error: no standard error is 1e-10."""


@validated_dataclass
class Band(Presented[Kind]):
    """Limits of the TPR at FPRs, of one classifier or of the difference of two.

    Attributes
    ----------
    names : tuple of str
        The classifier, or the two classifiers of the difference first - second.
    fpr : ndarray of shape (g,)
        Nondecreasing false positive rates: a grid inside the region, or the estimated rates of the
        operating points of a rating scale.
    value : ndarray of shape (g,)
        Estimated TPR, or difference, at each FPR; also available as ``tpr`` or ``difference``.
    low, high : ndarray of shape (g,)
        Limits.
    level : float
        Confidence level.
    kind : {"simultaneous", "pointwise"}
        Whether the confidence level is that of the whole band, or of each limit separately.
    region : tuple of float
        Range of the FPR.
    critical : float
        Distance of the limits in standard errors.
    fpr_low, fpr_high : ndarray of shape (g,), or None
        Limits of the FPR of each point of a rating scale.
    thresholds : tuple, or None
        Thresholds of the points of a rating scale.
    excluded : ExcludedRows
        Numbers of rows that are not used, in both samples together if they are independent.
    """

    names: tuple[str, ...]
    fpr: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    critical: float
    level: float
    kind: BandKind
    region: tuple[float, float]
    sizes: tuple[DataSizes, ...]
    paired: bool = True
    lines: bool = False
    """Whether the curve consists of lines between the points of a rating scale."""
    fpr_low: FloatArray | None = None
    fpr_high: FloatArray | None = None
    thresholds: tuple[Any, ...] | None = None
    threshold_texts: tuple[str, ...] = ()
    """The thresholds as the shortest decimals at which the same scores are positive."""
    excluded: ExcludedRows = NONE_EXCLUDED

    @property
    def of_points(self) -> bool:
        """Whether these are the points of a rating scale, with limits of both rates."""
        return self.fpr_low is not None

    @property
    def of_difference(self) -> bool:
        """Whether this is the difference of two classifiers."""
        return len(self.names) == 2

    @property
    def tpr(self) -> FloatArray:
        """Estimated TPR at each FPR."""
        if self.of_difference:
            raise AttributeError("a band of a difference has .difference (or .value), but no .tpr.")
        return self.value

    @property
    def difference(self) -> FloatArray:
        """Estimated difference of the TPRs, first - second, at each FPR."""
        if not self.of_difference:
            raise AttributeError(
                "a band of one classifier has .tpr (or .value), but no .difference."
            )
        return self.value

    def __len__(self) -> int:
        """Return the number of FPRs, or of points."""
        return int(self.fpr.size)

    def __repr__(self) -> str:
        extent = f"{len(self)} points" if self.of_points else range_of_fpr(self.region)
        names = " - ".join(map(fmt.named, self.names))
        return f"Band({names}, {extent}: {self.kind} {fmt.percent(self.level)})"

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:
        if checks.level(level) not in (self.level, 0.95) or (
            kind is not None and not checks.equal(kind, self.kind)
        ):
            problem = f"or kind={show(kind)} is not that of this band, which is {self.kind} at "
            problem += f"level {self.level:g}. Calculate another band with pauci.band."
            raise InputError.of("level", level, problem)
        missing = np.full(len(self), np.nan)
        fpr_ends = [missing if v is None else v for v in (self.fpr_low, self.fpr_high)]
        columns = {
            "fpr": self.fpr,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "fpr_low": fpr_ends[0],
            "fpr_high": fpr_ends[1],
            "threshold": self.thresholds or [None] * len(self),
            "text": self.threshold_texts or [""] * len(self),
        }
        first, second = (*self.names, None)[:2]
        common = {"first": first, "second": second, **self.excluded.columns}
        return [
            PlainRow(self, **dict(zip(columns, values, strict=True)), **common)
            for values in zip(*columns.values(), strict=True)
        ]

    _fields = (
        "first second fpr value low high level kind fpr_low fpr_high threshold dropped left_out"
    )

    def _arranged(self, rows: Any, level: float, kind: Any) -> Statement:  # noqa: ARG002
        step = 1 if self.of_points else max(1, -(-len(rows) // _MAX_PRINTED))
        shown, notes = rows[::step], self._notes()
        if step > 1:
            notes.append(f"{len(shown)} of {len(rows)} false positive rates are shown.")
        ci = f" ({fmt.percent(self.level)} limits)"

        def cells(name: str) -> list[Any]:
            ends = "" if name == "value" else f"{name}_"
            return [EstimateCell(r[name], r[f"{ends}low"], r[f"{ends}high"]) for r in shown]

        named = f"{'difference in ' * self.of_difference}TPR{ci}"
        columns: list[Any] = [("FPR", [Digits(fmt.bound(r["fpr"])) for r in shown])]
        if self.of_points:
            thresholds = [score_cell(r["threshold"], r["text"]) for r in shown]
            columns = [("threshold", thresholds), (f"FPR{ci}", cells("fpr"))]
        columns.append((named, cells("value")))
        what = "Operating points of " if self.of_points else f"{self.kind.capitalize()} band of "
        names = self.names if self.of_difference else self.names[0]
        title = (what, *parts_of(part_of(names)), f" over {range_of_fpr(self.region)}")
        sentence = self._sentence_on_points() if self.of_points else self._sentence()
        return Statement(title, columns, notes, [sentence])

    @property
    def _limits_of_points(self) -> str:
        """The kind of the limits of the points of a rating scale."""
        return "Clopper-Pearson" if self.kind == "simultaneous" else "mid-p"

    def _notes(self) -> list[RichText]:
        """Return the sizes, and what the limits cover."""
        coverage = f"Simultaneous limits, critical value {self.critical:.3g}."
        if self.kind == "pointwise":
            coverage = "Pointwise limits: the level does not apply to the whole curve."
            few = FEW_BEYOND.number / self.sizes[0].n_neg
            of_curve = not (self.of_points or self.of_difference)
            if of_curve and self.region[0] < few and self.region != (0.0, 1.0):
                coverage += f" Below FPR {few:.2g}, less than {FEW_BEYOND.number:g} negative is "
                coverage += "expected, and 95% limits can cover less than 90%."
        pairing = ", paired" if self.paired else ", independent samples"
        sizes = f"{'; '.join(map(str, self.sizes))}{pairing * self.of_difference}."
        notes: list[RichText] = [sizes, coverage]
        if self.of_points:
            limits = f"{self._limits_of_points} limits of both rates of each point."
            notes.append(f"{limits} The lines between the points are not covered.")
        if self.lines:
            notes.append(
                "The scores are ratings, so that the curve consists of lines between its points "
                "and applies only to this scale."
            )
        return notes

    def _sentence(self) -> str:
        """Return the sentences about a band along the axis, which state what is covered."""
        subject, covered = f"true positive rate of {self.names[0]}", "curve"
        if self.of_difference:
            subject = f"difference in true positive rate, {fmt.difference(*self.names)},"
            covered = "difference"
        whole = f"The band covers the whole {covered} over {range_of_fpr(self.region)}"
        coverage = f"{whole} with this confidence"
        if self.kind == "pointwise":
            coverage = "The level is that of each false positive rate separately, not of the whole "
            coverage += "curve"
        return (
            f"The {subject} is shown with a {self.kind} {fmt.percent(self.level)} confidence band "
            f"(with binomial limits at the corners{self.excluded.phrase}). {coverage}."
        )

    def _sentence_on_points(self) -> str:
        """Return the sentences about the points of a rating scale, which state what is covered."""
        level = "that of each rate separately"
        if self.kind == "simultaneous":
            level = f"that of all rates of the {len(self)} points jointly"
        return (
            f"The operating points of {self.names[0]} are shown with {self.kind} "
            f"{fmt.percent(self.level)} {self._limits_of_points} limits"
            f"{f' ({self.excluded.listed})' * any(self.excluded)}. The level is {level}, and the "
            "lines between the points are not covered."
        )

    @property
    def sentences(self) -> str:
        """Sentences for a paper, which state what is covered."""
        return self.report()

    def _content(self, level: float, kind: Any) -> "Content":
        content = super()._content(level, kind)
        return replace(content, sizes=[sizes.as_values() for sizes in self.sizes])

    def summary(
        self,
        level: float | None = None,
        kind: Kind | BandKind | None = None,
        *,
        details: bool = False,
    ) -> str:
        """Return a text table, at the level of the band."""
        any_kind: Any = kind
        return super().summary(self.level if level is None else level, any_kind, details=details)

    def plot(self, *, ax: "Axes | None" = None) -> "Axes":
        """Draw the band around its curve, its points or its difference.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.drawings.bands import BandLimits, draw_band

        limits = BandLimits(self.fpr, self.low, self.high, self.fpr_low, self.fpr_high)
        return draw_band(limits, self.value, self.names, self.kind, self.level, self.region, ax)


@validate_call
def band(
    sample: Sample | Sequence[Sample],
    level: float = 0.95,
    kind: BandKind = "simultaneous",
    fpr: "RegionBounds | None" = None,
    *,
    specificity: "RegionBounds | None" = None,
    points: bool | None = None,
    independent: bool = False,
) -> Band:
    r"""Return a confidence band of the ROC curve: limits of the TPR along the FPR axis.

    Parameters
    ----------
    sample : Sample or list of two Sample
        One classifier, for the band of its curve; or two classifiers on the same rows, or two
        independent samples of one classifier each, for the band of the difference in TPR, first -
        second. For the curve of a single classifier pass ``sample["a"]``.
    level : float, default 0.95
        Confidence level.
    kind : {"simultaneous", "pointwise"}, default "simultaneous"
        Whether the band covers the whole curve over the region with this confidence, or each FPR
        separately. A pointwise band excludes a part of the true curve far more often than
        1 - `level`.
    fpr : tuple of two numbers, optional
        Range of the FPR; the default is the whole axis. A simultaneous band is narrower over a
        shorter range.
    specificity : tuple of two numbers, optional
        The range as specificities, 1 - FPR.
    points : bool, optional
        Whether to return limits of the K - 1 operating points of a scale with K ratings instead of
        a band along the axis. The default is True for one classifier with ratings: named
        categories, counts, or at most 10 distinct scores with 5 rows each on average. A band of a
        difference is always along the axis.
    independent : bool, default False
        Whether cluster labels are local to each sample of a list, as for `compare`.

    Returns
    -------
    Band

    Raises
    ------
    TypeError, ValueError
        If `sample` is not one or two samples, there are more than two classifiers, the range of the
        FPR or the kind is invalid, points are requested for a difference, simultaneous limits of
        points for weighted or clustered rows, or no points are in the region.

    See Also
    --------
    pauci.plot.roc : plots the band, ``pauci.plot.roc(sample, band=band)``.

    Notes
    -----
    Pointwise limits are those of the sensitivity at each FPR (`pauci.Sensitivity`). Next to jumps
    of the curve they can be wider than simultaneous ones, as they allow for the error of the end.

    Simultaneous limits at an FPR are the TPRs that are compatible with the binomial counts at some
    neighbouring threshold (`pauci.intervals.simultaneous`). In the middle of the curve they are the
    estimate plus and minus `critical` standard errors on a scale that respects 0 and 1; at the
    corners they are binomial limits, which have a positive width. `critical` is the quantile of the
    largest of the correlated errors at 40 FPRs of the region, whose covariance is that of the
    influence values of `Sensitivity`. The limits are calculated at about 100 FPRs of the region,
    more densely near the corners of the curve. Because a ROC curve is nondecreasing, the
    interval between two of these FPRs has the lower limit at its left end and the upper limit at
    its right end; the parts beyond the first and the last FPR are treated similarly.

    For a difference, the margins of both limits are combined with the correlation of the two
    estimates (Zou and Donner 2008), which is reduced if there are few negatives and far more
    positives. With weights or clusters, the counts are divided by the design
    effect near each FPR: the variances from the influence values divided by those of the same
    number of independent rows.

    For a rating scale, both rates of each point are estimated. Pointwise, they have the mid-p
    limits of `Sensitivity` and `Specificity` at the threshold. Simultaneously, all 2 (K - 1) rates
    have Clopper-Pearson limits, at an individual level that is calculated from the correlations
    between the cumulative counts. The lines between the points are not covered. `fpr` selects
    points by their estimated FPR, but the level refers to all K - 1 points.

    The coverage in simulations is reported in the documentation of the method.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores="svm")
    >>> band = pauci.band(sample, fpr=(0, 0.2))
    >>> band
    Band(svm, FPR 0 to 0.2: simultaneous 95%)
    >>> bool((band.low <= band.tpr).all() and (band.tpr <= band.high).all())
    True
    """
    level = checks.level(level)
    checks.check_choice("kind", kind, ("simultaneous", "pointwise"))
    if points is not None:
        checks.check_flag("points", points)
    check_independent(sample, independent)
    samples = one_or_two_samples(sample, "sample", _EXAMPLE)
    region = 0.0, 1.0
    if fpr is not None or specificity is not None:
        region = PAUC(fpr=fpr, specificity=specificity).region.bounds
    ratings = [s.ratings(name) for s in samples for name in s.names]
    with each_warning_once():
        for r in ratings:
            warn_about_scores(r)
        for s in samples:
            warn_about_rows(s.rows, resampled=False)
        if not independent:
            check_no_shared_clusters(samples)
            warn_if_unpaired(samples)
    scale, rows = [is_scale(r) for r in ratings], [r.rows for r in ratings]
    band_of = partial(
        Band,
        tuple(unique_names([r.name for r in ratings], range(1, len(ratings) + 1))),
        level=level,
        kind=kind,
        region=region,
        sizes=tuple(dict.fromkeys(DataSizes(*s.counts, s.clusters, s.excluded) for s in rows)),
        excluded=ExcludedRows.of_samples(s.rows.excluded for s in samples),
    )
    if len(ratings) == 2:
        if points:
            problem = "needs a single classifier: the points of two scales have different FPRs. "
            problem += "Omit it for the band of the difference."
            raise InputError.of("points", points, problem)
    elif scale[0] if points is None else points:
        return _band_of_points(band_of, ratings[0], level, kind, region)
    paired = len(samples) == 1
    limits = _limits_along(ratings, level, kind, region, paired)
    return band_of(*limits, paired=paired, lines=any(scale))


def is_scale(ratings: Ratings, max_scores: int = 10, rows_per_score: int = 5) -> bool:
    """Return whether scores are ratings: named categories, counts, or few distinct scores."""
    table = ratings.table
    if table.categories is not None:
        return True
    return table.size <= max_scores and (
        ratings.rows.is_count_table
        or table.rows_pos + table.rows_neg >= rows_per_score * table.size
    )


def _equally_spaced(low: float, high: float, count: int) -> FloatArray:
    """Return equally spaced FPRs of a region, without the corners of the curve."""
    x = np.linspace(low, high, count + 1)
    return x[int(low == 0.0) : x.size - int(high == 1.0)]


def _grid(low: float, high: float, negatives: float) -> FloatArray:
    """Return the FPRs of a band: equally spaced, with steps halved towards the corners."""
    x = _equally_spaced(low, high, _GRID)
    step = (high - low) / _GRID
    halves = step * 0.5 ** np.arange(1, 12)
    halves = halves[halves > 0.25 / negatives]
    if low == 0.0:
        x = np.concatenate((halves[::-1], x))
    if high == 1.0:
        x = np.concatenate((x, 1.0 - halves))
    return x


class _Errors:
    """Joint errors of the TPRs of one or two classifiers at FPRs of a region."""

    def __init__(self, ratings: Sequence[Ratings], region: tuple[float, float]) -> None:
        self.fpr, self.count = _equally_spaced(*region, _N_CORRELATED), len(ratings)
        x = self.fpr
        measures = tuple(Sensitivity(fpr=float(v)) for v in x)
        problem = Problem(tuple(r for r in ratings for _ in measures), measures * len(ratings))
        self.terms = problem.all_terms
        self.matrix = z_of_terms(problem.rows, self.terms).cov
        constant = self.matrix.diagonal() <= _NO_VARIANCE
        self.matrix[constant, :] = self.matrix[:, constant] = 0.0

    def block(self, i: int, j: int) -> FloatArray:
        """Return the covariance of the errors of two classifiers."""
        m = self.fpr.size
        return self.matrix[i * m : (i + 1) * m, j * m : (j + 1) * m]

    @property
    def combined(self) -> FloatArray:
        """The covariance of the errors of the curve, or of the difference."""
        if self.count == 1:
            return self.matrix
        cross = self.block(0, 1)
        return self.block(0, 0) + self.block(1, 1) - cross - cross.T

    def correlation(self, grid: FloatArray) -> FloatArray:
        """Return the correlation of the TPRs of both classifiers at other FPRs."""
        variances = np.diag(self.block(0, 0)) * np.diag(self.block(1, 1))
        positive = variances > 0.0
        covariances = np.where(positive, np.diag(self.block(0, 1)), 0.0)
        rho = covariances / np.sqrt(np.where(positive, variances, 1.0))
        return np.interp(grid, self.fpr, np.clip(rho, -1.0, 1.0))

    def effect(self, i: int, grid: FloatArray) -> FloatArray:
        """Return the design effects of a classifier at other FPRs, at least 1.

        Design effects are 1 for independent rows without weights. The variances, and those of
        independent rows, are averaged over nearby FPRs, so that their ratio varies slowly along the
        axis. Design effects below 1 are replaced by 1, so that clusters never make limits narrower.
        """
        m = self.fpr.size
        terms = self.terms[i * m : (i + 1) * m]
        ratings = terms[0].ratings
        rows, table = ratings.rows, ratings.table
        if not rows.has_weights and not rows.has_clusters:
            return np.ones(grid.size)
        actual, independent = (
            np.convolve(v, np.ones(_WINDOW), "same")
            for v in (np.diag(self.block(i, i)), _independent_variances(terms))
        )
        largest = max(0.5 * min(table.rows_pos, table.rows_neg), 1.0)
        rows_per_unit = max(table.rows_pos / rows.units[0], table.rows_neg / rows.units[1])
        ratios = np.full(m, rows_per_unit)
        np.divide(actual, independent, out=ratios, where=independent > 0.0)
        return np.asarray(np.interp(grid, self.fpr, np.clip(ratios, 1.0, largest)))


def _independent_variances(terms: Sequence[Term]) -> FloatArray:
    """Return the variance of each term with the same number of independent rows."""
    ratings = terms[0].ratings
    rows, table = ratings.rows, ratings.table
    variances = np.zeros(len(terms))
    for which, n in ((rows.positive, table.rows_pos), (~rows.positive, table.rows_neg)):
        mass = np.ones(which.size) if rows.mass is None else np.asarray(rows.mass, float)
        mass, codes = mass[which] / mass[which].sum(), ratings.codes[which]
        for k, (_, influence) in enumerate(terms):
            values = influence.pos if which is rows.positive else influence.neg
            u = values.take(codes, mode="clip")
            deviation = u - mass @ u
            # Equal values may differ from their mean by rounding errors.
            deviation[np.abs(deviation) <= _ROUNDING * np.abs(u).max()] = 0.0
            # The divisor is that of the variances from influence values.
            variances[k] += float(mass @ deviation**2) / (n - 1.0)
    return variances


def _critical(errors: FloatArray, fpr: FloatArray, level: float) -> float:
    """Return the distance of simultaneous limits from the estimate, in standard errors.

    If a variance is 0, for example that of a perfect classifier, the correlation of proportions
    above fixed thresholds is used as well, and the larger distance is returned.
    """

    def quantile(matrix: FloatArray) -> float:
        return LargestStatistic(matrix, two_sided=True, draws=_DRAWS).quantile(level)

    if not (np.diag(errors) > CANCELLED).all():
        return max(quantile(errors), quantile(_bridge(fpr)))
    return quantile(errors)


def _bridge(rates: FloatArray) -> FloatArray:
    """Return n times the covariance of the proportions of a class above fixed thresholds."""
    low, high = np.minimum.outer(rates, rates), np.maximum.outer(rates, rates)
    return np.asarray(low * (1.0 - high))


Limits = tuple[FloatArray, FloatArray, FloatArray, FloatArray, float]
"""FPRs, values, lower and upper limits, and the critical value."""


def _limits_along(
    ratings: list[Ratings], level: float, kind: BandKind, region: tuple[float, float], paired: bool
) -> Limits:
    """Return the band of a single curve, or of the difference of two classifiers."""
    grid = _grid(*region, min(r.table.rows_neg for r in ratings))
    pointwise, single = kind == "pointwise", len(ratings) == 1
    samples = [ratings] if paired else [[r] for r in ratings]
    errors = [] if pointwise and single else [_Errors(sample, region) for sample in samples]
    if pointwise:
        critical = critical_value((1.0 - level) / 2.0)
        limits = [_pointwise_limits(r, grid, critical) for r in ratings]
    else:
        matrix = np.sum([e.combined for e in errors], axis=0)
        critical = _critical(matrix, errors[0].fpr, level)
        effects = [e.effect(i, grid) for e in errors for i in range(e.count)]
        pairs = zip(ratings, effects, strict=True)
        limits = [_limits(r, grid, critical, effect) for r, effect in pairs]
    value, low, high = limits[0]
    if not single:
        correlation = np.zeros(grid.size)
        if paired:
            correlation = errors[0].correlation(grid)
            correlation = simultaneous.shrunken_correlation(correlation, ratings[0].table)
        low, high = simultaneous.difference_limits(limits[0], limits[1], correlation)
        value = value - limits[1][0]
    elif not pointwise:
        # The curve is nondecreasing: lower limits hold to the right, upper limits to the left.
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return read_only(grid), read_only(value), read_only(low), read_only(high), critical


def _limits(
    ratings: Ratings, grid: FloatArray, critical: float, effect: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the TPRs of a classifier with their limits, which always contain them."""
    curve = ratings.curve
    value = np.array([Sensitivity(fpr=float(x)).on(curve) for x in grid])
    low, high = simultaneous.limits(curve.table, grid, critical, effect)
    return value, np.minimum(low, value), np.maximum(high, value)


def _pointwise_limits(
    ratings: Ratings, grid: FloatArray, critical: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the TPRs of a classifier with the limits of the sensitivity at each FPR."""
    ratings.rows.check_units(*ratings.rows.units)
    tail, method = upper_tail(critical), InfluenceVariance()
    problem = Problem((ratings,) * grid.size, tuple(Sensitivity(fpr=x) for x in grid.tolist()))
    uncertainty = uncertainty_of_problem(problem, method)
    rows = []
    for i in range(grid.size):
        e = estimate_of(problem, i, method, uncertainty.marginal(i))
        ends = e._limits(e.kind_used())
        rows.append((e.value, ends.lower(tail), ends.upper(tail)))
    value, low, high = np.array(rows).T
    return value, low, high


def _band_of_points(
    band_of: Callable[..., Band],
    ratings: Ratings,
    level: float,
    kind: BandKind,
    region: tuple[float, float],
) -> Band:
    """Return the limits of both rates of the points of a rating scale."""
    rows, table = ratings.rows, ratings.table
    if kind == "simultaneous" and not rows.independent:
        units = "weights" if rows.has_weights else "clusters"
        problem = "simultaneous limits of the points of a rating scale assume independent rows "
        problem += f"without weights, but this sample has {units}."
        along = "points=False for a band along the axis, which account for them."
        raise InputError(problem, argument="points", hint=f"Use kind='pointwise', or {along}")
    at = np.arange(1, table.size)
    fpr, tpr = table.cum_neg[at] / table.total_neg, table.cum_pos[at] / table.total_pos
    inside = np.flatnonzero((fpr >= region[0]) & (fpr <= region[1]))
    if not inside.size:
        ends = f"{region[0]:g} to {region[1]:g}"
        problem = f"no operating point of {ratings.name} has an FPR from {ends}."
        hint = "Use a wider range, or points=False for the band of the lines between the points."
        raise InputError(problem, argument="fpr", hint=hint)
    critical = critical_value((1.0 - level) / 2.0)
    if kind == "simultaneous":
        matrix = np.zeros((2 * at.size, 2 * at.size))
        matrix[: at.size, : at.size] = _bridge(fpr)
        matrix[at.size :, at.size :] = _bridge(tpr)
        critical = LargestStatistic(matrix, two_sided=True, draws=_DRAWS).quantile(level)
    selected, tail = at[inside], upper_tail(critical)
    if kind == "pointwise":
        limits = limits_of_rates(ratings, selected, tail)
    else:
        limits = (
            _exact_limits(table.cum_neg[selected], table.total_neg, tail),
            _exact_limits(table.cum_pos[selected], table.total_pos, tail),
        )
    (fpr_low, fpr_high), (tpr_low, tpr_high) = ([*map(read_only, ends)] for ends in limits)
    return band_of(
        read_only(fpr[inside]),
        read_only(tpr[inside]),
        tpr_low,
        tpr_high,
        critical=critical,
        fpr_low=fpr_low,
        fpr_high=fpr_high,
        thresholds=tuple(table.thresholds(selected - 1)),
        threshold_texts=tuple(map(table.text_at, selected.tolist())),
    )


def _exact_limits(count: AnyArray, total: float, tail: float) -> tuple[FloatArray, FloatArray]:
    """Return the limits of Clopper and Pearson (1934, Biometrika 26:404-413)."""
    rest = total - count
    low = special.betaincinv(np.maximum(count, TINY), rest + 1.0, tail)
    high = special.betainccinv(count + 1.0, np.maximum(rest, TINY), tail)
    return np.where(count > 0.0, low, 0.0), np.where(rest > 0.0, high, 1.0)
