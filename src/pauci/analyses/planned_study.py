"""A planned study: expected standard errors at other sample sizes, from a pilot or an assumption.

The variance of an estimate, or of a difference, is :math:`v_1/n_1 + v_0/n_0` with a constant for
each class. Both constants, and the expected degrees of freedom of the planned study, are calculated
from the influence values of the pilot.

Assumptions for planning: classifiers with known curves, and a large sample of their scores.

The values of measures are calculated from the curves themselves, on a fine grid of thresholds. The
variance constants are estimated from a large sample, whose scores lie on a lattice so that they
hardly depend on the seed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pauci import checks, special
from pauci.calls import validate_call
from pauci.cautions.accuracy import warn_about_pilot
from pauci.checks import FloatArray, IntArray, check_choice, check_whole
from pauci.curve.polyline import Curve
from pauci.curve.region import Bounds
from pauci.errors import InputError, PlanningWarning, warn
from pauci.fits.likelihood import curve_between, extrapolated_value
from pauci.inference.family_of_samples import unique_names
from pauci.measures.base import Measure
from pauci.measures.influence import End
from pauci.results.estimates import Estimate
from pauci.sample.ratings import Ratings
from pauci.sample.rows import NONE_EXCLUDED, Design, ExcludedRows, Rows
from pauci.sample.sample import Sample
from pauci.variance.contributions import z_of_terms
from pauci.variance.ends import variance_within_tie
from pauci.variance.units import Term
from pauci.variance.z import FIRST_CLASS, Stratum, relaxed_df, satterthwaite

ASSUMPTION = "an assumption made by pauci.binormal or pauci.assumed_risks"

"""The alternative to a pilot study, for messages."""

_REACH, _STEPS = 10.0, 50_000

"""Standard deviations that the grid covers on either side, and its number of steps."""

_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0

"""The number whose multiples have the most evenly distributed fractional parts."""


class BinormalCurve(NamedTuple):
    """The curve of scores N(0, 1) of negatives and N(mean, sd^2) of positives."""

    mean: float
    sd: float
    correlation: str = ""
    """The correlation with the scores of the other classifier, in words."""

    def __str__(self) -> str:
        auc = special.ndtr(self.mean / math.hypot(1.0, self.sd))
        return f"{auc:.4g}" if self.sd == 1.0 else f"{auc:.4g} (SD {self.sd:g})"

    def value(self, measure: Measure) -> float:
        """Return the value of a measure on this curve, to about 1e-8 (`pauci.fits.likelihood`)."""
        measure = measure.estimand
        z = np.linspace(-_REACH, _REACH, _STEPS + 1)
        cuts = [
            float(score)
            for region in measure.regions
            for score in region.scores
            if math.isfinite(score)
        ]
        edges = np.unique(np.concatenate((z, self.mean + self.sd * z, cuts)))
        return extrapolated_value(measure, edges, self._curve)

    def _curve(self, edges: FloatArray) -> Curve:
        """Return the curve through the operating points at these thresholds."""
        decreasing = edges[::-1]
        return curve_between(
            decreasing, special.ndtr((self.mean - decreasing) / self.sd), special.ndtr(-decreasing)
        )


class AssumedSample(Sample):
    """A sample of assumed scores, created by `pauci.binormal` or `pauci.assumed_risks`.

    It can be used like any `Sample`. `power` and `sample_size` calculate values and differences
    from the curves, if these are known, instead of the scores.
    """

    __slots__ = ("_assumed",)
    _assumed: dict[str, "BinormalCurve | str"]

    @classmethod
    def from_sample(
        cls, sample: Sample, assumed: "dict[str, BinormalCurve | str]"
    ) -> "AssumedSample":
        """Return a sample with the curves of its classifiers, or assumptions in words."""
        found = cls._of(sample.rows, {name: sample.ratings(name) for name in sample.names})
        object.__setattr__(found, "_assumed", assumed)
        return found

    def assumed(self, name: str) -> "BinormalCurve | str":
        """Return the curve of a classifier; for risks, the assumption in words."""
        return self._assumed[name]

    @property
    def assumption(self) -> str:
        """The assumption in words."""
        first, *second = self._assumed.values()
        if isinstance(first, str):
            return first
        words = f"binormal scores with AUC {' and '.join(map(str, (first, *second)))}"
        return f"{words}, correlation {first.correlation}" if second else words

    def __getitem__(self, names: str | Sequence[str]) -> "AssumedSample":
        """Return the sample of one classifier, or of a list of them, with their curves."""
        part = super().__getitem__(names)
        return self.from_sample(part, {name: self._assumed[name] for name in part.names})

    def __getstate__(self) -> Any:
        return (*super().__getstate__(), self._assumed)

    def __setstate__(self, state: Any) -> None:
        *sample, assumed = state
        super().__setstate__((sample[0], sample[1]))
        object.__setattr__(self, "_assumed", assumed)


@validate_call
def binormal(
    auc: float | Sequence[float],
    correlation: float | Sequence[float] | None = None,
    sd: float | Sequence[float] = 1.0,
    n: int = 50_000,
    rng: int = 0,
    *,
    design: Design = "case-control",
) -> AssumedSample:
    r"""Assume binormal classifiers for planning, with a large sample of them (paired).

    Parameters
    ----------
    auc : number or sequence of two numbers
        The AUC of one classifier, or of each of two, strictly between 0 and 1.
    correlation : number or pair of numbers, optional
        Correlation of the two scores among positives and among negatives; the default is 0.5. Not
        allowed for a single classifier.
    sd : number or pair of numbers, default 1
        Standard deviation of the scores of positives for each classifier; that of negatives is 1.
    n : int, default 50000
        Rows of each class in the sample.
    rng : int, default 0
        Seed of the sample.
    design : {"case-control", "cohort"}, default "case-control"
        Whether the numbers of positives and negatives are fixed in the planned study, or its
        prevalence is estimated. The design affects measures at the prevalence of the sample.

    Returns
    -------
    Sample
        A sample with the classifier ``"first"`` and, for two, ``"second"``. `power` and
        `sample_size` calculate the assumed value or difference from the curves, and only variances
        from the sample.

    Raises
    ------
    ValueError
        For an AUC outside (0, 1), a correlation outside [-1, 1] or a standard deviation that is not
        positive.

    Notes
    -----
    The scores are not drawn independently. The scores of each classifier are the normal quantiles
    of :math:`(i + 1/2)/n`, and their pairs are obtained from points that are spread evenly over the
    plane: the sum and the difference of a pair are half-normal quantiles at :math:`(i + 1/2)/m` and
    at the fractional parts of :math:`i g + v`, with g the golden ratio and a random v, with all
    combinations of signs. Plans from different seeds differ by a few tenths of a percent. For an
    average precision at a low prevalence, which depends on few scores, they differ by one or two
    percent; a larger `n` reduces this.

    Examples
    --------
    >>> import pauci
    >>> assumption = pauci.binormal(auc=(0.85, 0.80), correlation=0.6)
    >>> pauci.sample_size(assumption, pauci.AUC(), ratio=1).n_pos
    237
    >>> pauci.binormal(auc=0.85).names
    ('first',)
    """
    needed = "must be one number, or two numbers, strictly between 0 and 1."
    aucs = checks.array_of_numbers("auc", auc, needed)
    if aucs.shape not in ((), (2,)) or not ((aucs > 0) & (aucs < 1)).all():
        raise InputError.of("auc", auc, needed)
    if aucs.shape == ():
        if checks.shape_of("sd", sd):
            raise InputError.of("sd", sd, "must be one number for a single AUC.")
        if correlation is not None:
            raise InputError.of(
                "correlation",
                correlation,
                "is for two classifiers, but there is a single AUC.",
                hint="Pass two numbers, such as auc=(0.85, 0.8).",
            )
        aucs, correlation, count = np.repeat(aucs, 2), 0.0, 1
    else:
        count = 2
    r = _pair("correlation", 0.5 if correlation is None else correlation)
    if not (np.abs(r) <= 1).all():
        raise InputError.of("correlation", correlation, "must lie in [-1, 1].")
    sds = _pair("sd", sd)
    if not ((sds > 0) & np.isfinite(sds)).all():
        raise InputError.of("sd", sd, "must be above 0 and finite.")
    check_whole("n", n, 2)
    check_choice("design", design, ("cohort", "case-control"))
    checks.check_seed("rng", rng)
    generator = np.random.default_rng(rng)
    shift = special.ndtri(aucs) * np.sqrt(1.0 + sds**2)
    groups = []
    for which, (spread, centre) in enumerate(((sds, shift), (np.ones(2), np.zeros(2)))):
        groups.append(_lattice(n, float(r[which]), generator) * spread + centre)
    scores = np.concatenate(groups)
    names = ("first", "second")[:count]
    sample = Sample(
        np.repeat([True, False], n), dict(zip(names, scores.T, strict=False)), design=design
    )
    pairs = zip(names, shift.tolist(), sds.tolist(), strict=False)
    words = f"{r[0]:g}"
    if r[0] != r[1]:
        words += f" among positives and {r[1]:g} among negatives"
    curves = {name: BinormalCurve(mean, sd, words) for name, mean, sd in pairs}
    return AssumedSample.from_sample(sample, {**curves})


def _pair(name: str, value: float | Sequence[float]) -> FloatArray:
    """Return a pair of numbers, from a pair or from a single number."""
    needed = "must be one number or a pair of numbers."
    values = checks.array_of_numbers(name, value, needed)
    if values.shape not in ((), (2,)):
        raise InputError.of(name, value, needed)
    return np.broadcast_to(values, 2)


def _lattice(n: int, correlation: float, generator: "np.random.Generator") -> FloatArray:
    """Return n pairs of correlated standard normal scores, spread as evenly as possible."""
    quarter = -(-n // 4)
    points = np.arange(quarter)
    even = (points + 0.5) / quarter
    around = even[_ranks(np.fmod(points * _GOLDEN + generator.random(), 1.0))]
    # Half the sum and half the difference of a pair are independent, and symmetric about 0.
    s, d = (
        special.ndtri((1.0 + u) / 2.0) * math.sqrt((1.0 + sign * correlation) / 2.0)
        for u, sign in ((even, 1.0), (around, -1.0))
    )
    pairs = ((s + d, s - d), (s - d, s + d), (d - s, -s - d), (-s - d, d - s))
    scores = special.ndtri((np.arange(n) + 0.5) / n)
    columns = (np.concatenate(column)[:n] for column in zip(*pairs, strict=True))
    return np.column_stack([scores[_ranks(column)] for column in columns])


def _ranks(values: FloatArray) -> IntArray:
    """Return the rank of each value."""
    ranks: IntArray = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return ranks


def reweighted(ratings: Ratings, factor: FloatArray) -> Ratings:
    """Return ratings of the same rows with their weights multiplied by `factor`."""
    rows = ratings.rows
    weight = factor if rows.weight is None else rows.weight * factor
    weighted = Rows(rows.positive, rows.frequency, weight, rows.cluster, rows.design)
    return ratings.with_values(ratings.values, weighted)


def _by_row(rows: Rows, terms: Sequence[Term]) -> FloatArray:
    """Return the contributions of all rows, an array of shape (terms, rows)."""
    z = z_of_terms(rows, terms).by_unit().dense().T
    found = np.zeros((len(terms), rows.positive.size))
    counted = slice(None) if rows.copies is None or z.shape == found.shape else rows.copies > 0
    found[:, counted] = z
    return found


_REFERENCE = 200

"""Number of positives for which the change of standard errors with estimates is calculated."""


_ROUNDED = 0.1

"""Relative change of the prevalence that rounding to whole numbers may cause."""

_RARE = 0.3

"""Expected number of rows of a study with larger contributions at which these are limited. The
degrees of freedom then are those of the median study, as simulated for areas, points and AP."""


_STRAIGHT = 1.5
"""Distance from an end, in observations, up to which the curve of a sample is its tangent."""


class ClassVariance(NamedTuple):
    """The contribution of a class of a pilot to the variance."""

    variance: float
    rows: int
    fourth_powers: FloatArray
    """Fourth powers of the contributions, the largest first."""
    copies: FloatArray
    """Number of rows with each of them."""

    def in_study(self, n: int) -> Stratum:
        """Return the moments that are expected in a study with n rows of the class.

        Contributions that few studies contain are limited, because they do not affect the degrees
        of freedom of most studies.
        """
        rare = np.searchsorted(np.cumsum(self.copies), _RARE * self.rows / n, side="right")
        limited = np.minimum(self.fourth_powers, self.fourth_powers[rare])
        factor = n / self.rows
        variance = np.array([[self.variance / factor]])
        fourth = float(limited @ self.copies) / factor**3
        return Stratum(float(self.copies.sum()) * factor, variance, fourth)


class PlannedStudy:
    """The classifiers of the pilot at the prevalence of the planned study.

    Parameters
    ----------
    measure : Measure
        The measure to estimate or compare.
    arms : sequence of Sample
        One sample of one or two classifiers, or two samples of one classifier each.
    ratio : float, optional
        Negatives per positive of the planned study; the default is that of the pilot.
    """

    def __init__(self, measure: Measure, arms: Sequence[Sample], ratio: float | None) -> None:
        self.arms = arms
        self._names = _names_of(arms)
        single = [len(arm) for arm in arms] == [1]
        self.measure = measure.for_classifier(arms[0].names[0]) if single else measure
        self.assumed = all(isinstance(arm, AssumedSample) for arm in arms)
        for arm in arms:
            _check_arm(measure, arm)
        n_pos, n_neg = (sum(getattr(arm, n) for arm in arms) for n in ("n_pos", "n_neg"))
        self.ratio: float = n_neg / max(n_pos, 1) if ratio is None else ratio
        self.measures = [self._at_ratio(arm, specified=ratio is not None) for arm in arms]
        excluded = [arm.rows.excluded for arm in arms if not isinstance(arm, AssumedSample)]
        self.excluded = reduce(ExcludedRows.plus, excluded, ExcludedRows())
        for arm, m in zip(arms, self.measures, strict=True):
            warn_about_pilot(m, arm.rows.effective_units)
            planned, assumed = 1.0 / (1.0 + self.ratio), arm.prevalence
            is_other = not math.isclose(planned, assumed, rel_tol=_ROUNDED)
            depends = measure.of_risks and measure.uses_sample_prevalence
            if isinstance(arm, AssumedSample) and depends and is_other:
                problem = f"the planned prevalence is {planned:.3g}, but risks with one of "
                problem += f"{assumed:.3g} are assumed, on which the result depends."
                warn(PlanningWarning(problem, argument="ratio"))

    @property
    def paired(self) -> bool:
        """Whether two classifiers score the same rows."""
        return len(self.arms) == 1 and len(self.arms[0]) == 2

    @property
    def assumption(self) -> str:
        """The assumptions about classifiers without a pilot, in words."""
        assumed = [arm.assumption for arm in self.arms if isinstance(arm, AssumedSample)]
        return "; ".join(dict.fromkeys(assumed))

    @property
    def difference(self) -> float:
        """The difference first - second of two classifiers."""
        first, second = self.values
        return first - second

    def _at_ratio(self, arm: Sample, *, specified: bool) -> Measure:
        """Return the measure, at the prevalence of the planned study if it depends on it."""
        if not self.measure.uses_sample_prevalence:
            return self.measure
        odds = arm.prevalence / (1.0 - arm.prevalence) / self._factor(arm)
        prevalence = odds / (1.0 + odds)
        # With a specified ratio, the prevalence of a case-control study is specified as well.
        is_specified = specified and arm.design == "case-control"
        if math.isclose(prevalence, arm.prevalence) and not is_specified:
            return self.measure
        return self.measure.at_prevalence(prevalence)

    def _factor(self, arm: Sample) -> float:
        """Return the planned ratio of negatives to positives, divided by that of the pilot."""
        return self.ratio * arm.n_pos / arm.n_neg

    @cached_property
    def values(self) -> list[float]:
        """The value of each classifier, from the assumed curve or the pilot."""
        values = []
        for arm, names, m, rated in zip(
            self.arms, self._names, self.measures, self._rated, strict=True
        ):
            for own_name, name, (ratings, of_rated) in zip(arm.names, names, rated, strict=True):
                measure = m.for_classifier(name)
                curve = arm.assumed(own_name) if isinstance(arm, AssumedSample) else ""
                if not isinstance(curve, str):
                    value = curve.value(measure)
                elif m.uses_sample_prevalence:
                    value = float(of_rated.on(ratings.curve))
                else:
                    value = float(measure.on(arm.ratings(own_name).curve))
                values.append(value)
        return values

    @cached_property
    def _rated(self) -> list[list[tuple[Ratings, Measure]]]:
        """The ratings of each arm at the prevalence of the planned study, with their measures."""
        rated = []
        for arm, names, m in zip(self.arms, self._names, self.measures, strict=True):
            ratings_of_arm = [arm.ratings(name) for name in arm.names]
            if arm.design == "cohort":
                # The planned cohort estimates its prevalence, so the measure must depend on it.
                m = self.measure
            factor = self._factor(arm)
            if m.uses_sample_prevalence and not math.isclose(factor, 1.0):
                ratings_of_arm = [
                    reweighted(r, np.where(r.rows.positive, 1.0, factor)) for r in ratings_of_arm
                ]
            measures = [m.for_classifier(name) for name in names]
            rated.append(list(zip(ratings_of_arm, measures, strict=True)))
        return rated

    @cached_property
    def _parts(self) -> tuple[list[ClassVariance], list[ClassVariance]]:
        """The contributions of the positives and the negatives of every arm to the variance."""
        by_class: tuple[list[ClassVariance], list[ClassVariance]] = [], []
        for arm, rated in zip(self.arms, self._rated, strict=True):
            rows = rated[0][0].rows
            z = z_of_terms(rows, [Term(r, m.influence_on(r.curve)) for r, m in rated])
            if rows.has_clusters or rows.has_estimated_weights:
                design_effect = (
                    "multiply the sizes by the design effect, the squared ratio of the standard "
                    "errors with and without"
                )
                raise InputError(
                    "a pilot with clusters cannot be used for sample size.",
                    argument="pilot",
                    hint=f"Plan without cluster=, and {design_effect} cluster=.",
                )
            contrast = np.array([[1.0, -1.0][: len(rated)]])
            squares = z.sums(contrast)[0] ** 2
            n = np.ones(squares.size) if z.n is None else z.n
            positive = z.strata[:, 0] > FIRST_CLASS
            for parts, of_class, count in zip(
                by_class, (positive, ~positive), (arm.n_pos, arm.n_neg), strict=True
            ):
                own, copies = squares[of_class], n[of_class]
                order = np.argsort(-own, kind="stable")
                variance = float(copies @ own)
                parts.append(ClassVariance(variance, count, own[order] ** 2, copies[order]))
        return by_class

    @cached_property
    def constants(self) -> tuple[float, float]:
        """The constants v_1 and v_0."""
        pos, neg = (sum(p.variance * p.rows for p in parts) for parts in self._parts)
        return pos, neg

    @property
    def pilot_se(self) -> float:
        """The standard error in the pilot."""
        return math.sqrt(sum(p.variance for parts in self._parts for p in parts))

    def sd(self, n_pos: int, n_neg: int) -> float:
        """Return the standard deviation of the estimate, or the difference, of such a study."""
        v_pos, v_neg = self.constants
        return math.sqrt(v_pos / n_pos + v_neg / n_neg)

    def se(self, n_pos: int, n_neg: int) -> float:
        r"""Return the standard error of a study of these sizes.

        With an estimated end it includes the mean squared difference between the curve of a sample
        and its tangent over the error of the end. At a distance t from the end x, the expectation
        is :math:`(|R'|/n_1 + R'^2/n_0) t` on an FPR axis. The part of :math:`|s - x|` above one and
        a half observations takes the place of t, because curves are straight between observations;
        this number was chosen by simulation. Ends inside a tie have none.
        """
        variance = self.sd(n_pos, n_neg) ** 2
        for end in self._estimated_ends:
            along, across = (n_neg, n_pos) if end.axis == "fpr" else (n_pos, n_neg)
            size = math.sqrt(float(end.bound * (1 - end.bound)) / along)
            z = _STRAIGHT / (along * size)
            density = math.exp(-0.5 * z * z) * math.sqrt(2.0 / math.pi)
            distance = size * (density - 2.0 * z * float(special.ndtr(-z)))
            of_steps = abs(end.slope) / across + end.slope**2 / along
            variance += end.factor**2 * distance * of_steps
        return math.sqrt(variance)

    @cached_property
    def _estimated_ends(self) -> list[End]:
        """The estimated ends of all classifiers that are not inside a tie."""
        return [
            end
            for ratings, measure in chain.from_iterable(self._rated)
            for end in measure.influence_on(ratings.curve).ends
            if not variance_within_tie(ratings, end.axis, ratings.curve.at(end.axis, end.bound))
        ]

    def df(self, n_pos: int, n_neg: int) -> float:
        """Return the expected degrees of freedom of the variance of such a study."""
        of_classes = zip(self._parts, (n_pos, n_neg), strict=True)
        strata = [p.in_study(n) for parts, n in of_classes for p in parts]
        # With weights the effective number may be 1 or less, so that the variance is undefined.
        df = satterthwaite(strata) if min(s.units for s in strata) > 1.0 else 1.0
        ends = (m.known_ends for m in self.measures)
        return df if any(ends) else relaxed_df(df)

    @cached_property
    def _error_slope(self) -> float:
        """The change of the log SE per SE of the estimate, with `_REFERENCE` positives."""
        sizes = _REFERENCE, math.ceil(_REFERENCE * self.ratio)
        (low, low_se), (high, high_se) = (self._tilted(*sizes, z) for z in (-1.0, 1.0))
        if high <= low:
            return 0.0
        return math.log(high_se / low_se) * self.sd(*sizes) / (high - low)

    def error_slope(self, n_pos: int, n_neg: int) -> float:
        """Return the increase of the log SE if the estimate increases by one SE."""
        sizes = _REFERENCE, math.ceil(_REFERENCE * self.ratio)
        return self._error_slope * self.sd(n_pos, n_neg) / self.sd(*sizes)

    def _tilted(self, n_pos: int, n_neg: int, z: float) -> tuple[float, float]:
        """Return the value, or the difference, and its SE in samples with one that is z SE higher.

        The rows have the weights of the least favourable family (Efron 1987, Journal of the
        American Statistical Association 82:171-185), exponential in their influence.
        """
        step = z / self.sd(n_pos, n_neg)
        value = variance = 0.0
        signs = iter((1.0, -1.0))
        for arm, rated in zip(self.arms, self._rated, strict=True):
            rows = rated[0][0].rows
            contrast = np.array([next(signs) for _ in rated])
            terms = [Term(r, m.influence_on(r.curve)) for r, m in rated]
            per_row = np.where(rows.positive, arm.n_pos / n_pos, arm.n_neg / n_neg)
            tilt = np.exp(step * per_row * (contrast @ _by_row(rows, terms)))
            tilted = [(reweighted(r, tilt), m) for r, m in rated]
            value += sum(
                sign * float(m.estimand.on(r.curve))
                for sign, (r, m) in zip(contrast.tolist(), tilted, strict=True)
            )
            terms = [Term(r, m.influence_on(r.curve)) for r, m in tilted]
            contributions = contrast @ _by_row(tilted[0][0].rows, terms)
            copies = np.ones(tilt.size) if rows.frequency is None else rows.frequency
            for which, n in ((rows.positive, n_pos), (~rows.positive, n_neg)):
                # The tilt is a frequency; a weight would enter the variance with its square.
                squares = float((copies * contributions**2 / tilt)[which].sum())
                variance += squares * float((copies * tilt)[which].sum()) / n
        return value, math.sqrt(variance)


@dataclass(frozen=True)
class ExpectedEstimate:
    """The expected estimate of a study of one classifier, at any sizes.

    Intervals and tests are those of `Estimate`, as in the analysis of the planned study.
    """

    study: PlannedStudy
    pilot: Estimate
    value: float

    @property
    def scale(self) -> Bounds:
        """The range of the value."""
        return replace(self.pilot, measure=self.study.measure).scale

    @cached_property
    def _error_at_value(self) -> float:
        """The ratio of the SE at a specified value to that of the pilot, as for a proportion."""
        low, high = self.scale

        def spread(value: float) -> float:
            below = 1.0 if math.isinf(low) else value - low
            above = 1.0 if math.isinf(high) else high - value
            # The error of the logarithm of a ratio is constant.
            return below if math.isinf(high) else math.sqrt(below * above)

        (pilot_value,) = self.study.values
        return spread(self.value) / spread(pilot_value) if self.value != pilot_value else 1.0

    def error_slope(self, n_pos: int, n_neg: int, null: float, kind: Any) -> float:
        """Return the increase of the log SE if the estimate increases by one SE.

        The estimate and its SE are on the scale of the interval of this kind.
        """
        e = self.at(n_pos, n_neg)
        step = 1e-4 * min(abs(e.value - end) for end in (*self.scale, null))

        def inverse_se(value: float) -> float:
            """Return the inverse of the SE on the scale, up to a factor."""
            shifted = replace(e, value=value)
            near, far = (shifted.test(a, kind=kind).statistic for a in (self.value, null))
            return abs(far - near)

        ratio = inverse_se(self.value - step) / inverse_se(self.value + step)
        curvature = math.log(ratio) * e.se / (2.0 * step)
        return curvature + self.study.error_slope(n_pos, n_neg)

    def at(self, n_pos: int, n_neg: int) -> Estimate:
        """Return the estimate of a study of these sizes."""
        e, study = self.pilot, self.study
        pos_factor, neg_factor = n_pos / e.n_pos, n_neg / e.n_neg
        return replace(
            e,
            measure=study.measure,
            value=self.value,
            se=study.se(n_pos, n_neg) * self._error_at_value,
            rows=e.rows._replace(
                n_pos=n_pos,
                n_neg=n_neg,
                units=(e.rows.units[0] * pos_factor, e.rows.units[1] * neg_factor),
                excluded=NONE_EXCLUDED._replace(rest=e.excluded.rest),
            ),
            df=study.df(n_pos, n_neg),
            variance_of_heights=0.0,
            limits=e.binomial,
            support=e.support * min(pos_factor, neg_factor),
            cautions=(),
        )


def _names_of(arms: Sequence[Sample]) -> list[list[str]]:
    """Return the names of the classifiers of each sample, which are those of `compare`."""
    names = [name for arm in arms for name in arm.names]
    remaining = iter(unique_names(names, range(1, len(names) + 1)))
    return [[next(remaining) for _ in arm.names] for arm in arms]


def _check_arm(measure: Measure, arm: Sample) -> None:
    """Raise an error for a pilot from which a measure cannot be planned."""
    assumed = [arm.assumed(name) for name in arm.names] if isinstance(arm, AssumedSample) else []
    if measure.of_risks and any(isinstance(curve, BinormalCurve) for curve in assumed):
        raise InputError(
            (
                measure,
                " is a measure of predicted risks, but the scores of an assumption are not risks.",
            ),
            argument="pilot",
            hint="Plan from pauci.assumed_risks, or from the risks of a pilot study.",
        )
    if not measure.has_interval:
        raise InputError(
            (measure, " is reported without an interval and without a test."),
            argument="measure",
            hint="Plan for AP(rescaled=True).",
        )
    if arm.rows.has_folds:
        raise InputError(
            "a cross-validated pilot cannot be used for sample size: its scores come from several "
            "models.",
            argument="pilot",
            hint=f"Plan from scores of a single model, without fold=, or from {ASSUMPTION}.",
        )
    if arm.rows.has_estimated_weights:
        raise InputError(
            "a pilot at a horizon, or with unverified rows, cannot be used for sample size: its "
            "standard error also depends on the rows without a label.",
            argument="pilot",
            hint="Four times as many rows halve its standard error.",
        )
