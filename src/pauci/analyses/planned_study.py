"""Expected standard errors of a planned study, from a pilot sample or an assumption.

Expected standard errors at other sample sizes are calculated from a pilot, or from an assumption:
classifiers with known curves, or the risks that a model predicts. A large sample of the assumed
scores or risks then takes the place of the pilot. The values of measures are calculated from the
known curve itself, on a fine grid of thresholds; only the constants of the variance are estimated
from the sample, whose scores lie on a lattice so that they hardly depend on the seed. Risks are
equally spaced quantiles of their distribution in each class, so that no random numbers are drawn.

The variance of an estimate, or of a difference, is :math:`v_1/n_1 + v_0/n_0` with a constant for
each class. Both constants, and the expected degrees of freedom of the planned study, are calculated
from the influence values of the pilot or of the assumed sample.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pauci import checks, special
from pauci.analyses.expected_precision import ExpectedPrecision
from pauci.calls import validate_call
from pauci.cautions.accuracy import warn_about_pilot
from pauci.checks import FloatArray, IntArray
from pauci.curve.polyline import Curve
from pauci.curve.region import Bounds
from pauci.errors import InputError, PlanningWarning, warn
from pauci.fits.likelihood import curve_between, extrapolated_value
from pauci.inference.family_of_samples import unique_names
from pauci.measures.area import AUC
from pauci.measures.base import Measure
from pauci.measures.influence import End
from pauci.measures.precision import AP
from pauci.measures.risks import intercept_at
from pauci.results.estimates import Estimate
from pauci.sample.ratings import Ratings
from pauci.sample.rows import NONE_EXCLUDED, Design, ExcludedRows, Rows
from pauci.sample.sample import Sample
from pauci.special import expit
from pauci.variance.contributions import z_of_terms
from pauci.variance.ends import variance_within_tie
from pauci.variance.units import Term
from pauci.variance.z import FIRST_CLASS, Stratum, limits_of_support, relaxed_df, satterthwaite

ASSUMPTION = "an assumption made by pauci.binormal or pauci.assumed_risks"
"""The alternative to a pilot study, for messages."""

_REACH, _STEPS = 10.0, 50_000
"""Number of standard deviations that the grid covers on either side, and its number of steps."""

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
        scores = chain.from_iterable(region.scores for region in measure.regions)
        cuts = [float(score) for score in scores if math.isfinite(score)]
        edges = np.unique(np.concatenate((z, self.mean + self.sd * z, cuts)))
        return extrapolated_value(measure, edges, self._curve)

    def _curve(self, edges: FloatArray) -> Curve:
        """Return the curve through the operating points at these thresholds."""
        cuts = edges[::-1]
        return curve_between(cuts, special.ndtr((self.mean - cuts) / self.sd), special.ndtr(-cuts))


Assumption = BinormalCurve | str
"""What is assumed about a classifier: its curve or, for risks, the assumption in words."""


class AssumedSample(Sample):
    """A sample of assumed scores, created by `pauci.binormal` or `pauci.assumed_risks`.

    It can be used like any `Sample`. `power` and `sample_size` calculate values and differences
    from the curves, if these are known, instead of the scores.
    """

    __slots__ = ("_assumed",)
    _assumed: dict[str, Assumption]

    @classmethod
    def from_sample(cls, sample: Sample, assumed: dict[str, Assumption]) -> "AssumedSample":
        """Return a sample with the curves of its classifiers, or assumptions in words."""
        found = cls._of(sample.rows, {name: sample.ratings(name) for name in sample.names})
        object.__setattr__(found, "_assumed", assumed)
        return found

    def assumed(self, name: str) -> Assumption:
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
    is_single = aucs.shape == ()
    if is_single and checks.shape_of("sd", sd):
        raise InputError.of("sd", sd, "must be one number for a single AUC.")
    if is_single and correlation is not None:
        problem = "is for two classifiers, but there is a single AUC."
        hint = "Pass two numbers, such as auc=(0.85, 0.8)."
        raise InputError.of("correlation", correlation, problem, hint=hint)
    default = 0.0 if is_single else 0.5
    r = _pair("correlation", default if correlation is None else correlation)
    if not (np.abs(r) <= 1).all():
        raise InputError.of("correlation", correlation, "must lie in [-1, 1].")
    sds = _pair("sd", sd)
    if not ((sds > 0) & np.isfinite(sds)).all():
        raise InputError.of("sd", sd, "must be above 0 and finite.")
    checks.check_whole("n", n, 2)
    checks.check_choice("design", design, ("cohort", "case-control"))
    checks.check_seed("rng", rng)
    generator = np.random.default_rng(rng)
    shift = special.ndtri(aucs) * np.sqrt(1.0 + sds**2)
    positives, negatives = (_lattice(n, float(of_class), generator) for of_class in r)
    names = ("first",) if is_single else ("first", "second")
    scores = zip(names, np.concatenate((positives * sds + shift, negatives)).T, strict=False)
    sample = Sample(np.repeat([True, False], n), dict(scores), design=design)
    words = f"{r[0]:g}"
    if r[0] != r[1]:
        words += f" among positives and {r[1]:g} among negatives"
    curves: dict[str, Assumption] = {}
    for name, mean, spread in zip(names, shift.tolist(), sds.tolist(), strict=False):
        curves[name] = BinormalCurve(mean, spread, words)
    return AssumedSample.from_sample(sample, curves)


_POINTS = 50_000
"""Number of risks in each class."""

_REACH_OF_RISKS, _STEPS_OF_RISKS = 7.0, 200_000
"""Standard deviations of log odds that the grid covers on either side, and its steps."""

_MOST_LOG_ODDS = 700.0
"""Log odds of the smallest risks, which are above 0 in floating-point arithmetic."""

_SHARES = 1e-4, 1.0 - 1e-4
"""Smallest and largest prevalence."""


@validate_call
def assumed_risks(
    auc: float | None = None,
    prevalence: float | None = None,
    *,
    mean: float | None = None,
    sd: float | None = None,
    beta: tuple[float, float] | None = None,
    slope: float = 1.0,
    oe: float = 1.0,
) -> AssumedSample:
    r"""Assume the predicted risks of a model, for planning its validation without a pilot study.

    The assumption is the AUC and the prevalence, the mean and the standard deviation of the log
    odds of the risks, or a beta distribution of the risks. By default the risks are calibrated.

    Parameters
    ----------
    auc : float, optional
        The AUC, above 0.5 and below 1, with `prevalence`.
    prevalence : float, optional
        The prevalence of the event, with `auc`; from 0.0001 to 0.9999.
    mean, sd : float, optional
        Mean and standard deviation of the log odds of the predicted risks of all observations,
        which are assumed to be normal.
    beta : pair of numbers, optional
        The parameters of a beta distribution of the predicted risks of all observations.
    slope : float, default 1
        The calibration slope; below 1 if the risks are too extreme.
    oe : float, default 1
        The ratio of observed to expected events; above 1 if the risks are too low on average.

    Returns
    -------
    Sample
        A cohort with the classifier ``"model"``, for `sample_size`, `power` and `expected_width`
        of any measure. It is not a data set: it has the same number of distinct risks in both
        classes, and their frequencies are in proportion to the prevalence.

    Raises
    ------
    ValueError
        If the assumptions contradict each other: log odds with a specified mean and standard
        deviation, for example, have one prevalence and one AUC, which the message states. Or if an
        argument is outside its range.

    See Also
    --------
    binormal : An assumption about scores that are not risks, and about two classifiers.

    Notes
    -----
    With an AUC and a prevalence :math:`\pi`, the log odds of the true risk are normal with variance
    :math:`d^2` in both classes, where :math:`d = \sqrt 2\, \Phi^{-1}(AUC)`, and with means
    :math:`\log(\pi/(1-\pi)) \pm d^2/2`. By Bayes' theorem, the log odds of the event given such a
    value are this value, so that the risks are exactly calibrated. The predicted log odds l are
    related to the true ones by :math:`a + b l`, with the slope b and the intercept a that gives
    the ratio of observed to expected events.

    A distribution of the predicted risks (`mean` and `sd`, or `beta`) determines the true risks by
    the same relation, and therefore the prevalence, the AUC and the distribution in each class:
    the density of l among positives is proportional to that among all times the true risk. With a
    slope and a ratio of 1, these are the assumptions of Riley et al. (2021).

    References
    ----------
    R. D. Riley, T. P. A. Debray, G. S. Collins et al. (2021), Minimum sample size for external
    validation of a clinical prediction model with a binary outcome, Statistics in Medicine
    40:4230-4251.

    Examples
    --------
    >>> import pauci
    >>> risks = pauci.assumed_risks(auc=0.8, prevalence=0.1)
    >>> plan = pauci.sample_size(risks, pauci.CalibrationSlope(), width=0.4)
    >>> plan.n_pos, plan.n_neg
    (108, 972)

    A plan states the prevalence and the AUC that a published distribution implies:

    >>> risks = pauci.assumed_risks(mean=-5, sd=2.5)
    >>> print(pauci.sample_size(risks, pauci.AUC(), width=0.1).assumption)
    risks with log odds of mean -5 and SD 2.5 (prevalence 0.0523, AUC 0.927), calibrated
    """
    slope, oe = _inside("slope", slope, 0.0), _inside("oe", oe, 0.0)
    specified = {"mean": mean, "sd": sd, "beta": beta, "auc": auc, "prevalence": prevalence}
    stated = [name for name, value in specified.items() if value is not None]
    forms = ["mean", "sd"], ["beta"], ["auc", "prevalence"]
    form = next((form for form in forms if stated[: len(form)] == form), None)
    if form is None or "beta" in stated[len(form) :]:
        ways = "auc= and prevalence=, by mean= and sd= of their log odds, or by beta="
        raise InputError(f"risks are assumed by {ways}; specify one of these.")
    z = np.linspace(-_REACH_OF_RISKS, _REACH_OF_RISKS, _STEPS_OF_RISKS + 1)
    if form == ["auc", "prevalence"]:
        d = math.sqrt(2.0) * float(special.ndtri(_inside("auc", auc, 0.5, 1.0)))
        share = _inside("prevalence", prevalence, *_SHARES)
        words = f"risks with AUC {auc:g} and prevalence {share:g}"
        z *= 1.0 + d / (2.0 * _REACH_OF_RISKS)
        density = share * _normal(z - d / 2.0) + (1.0 - share) * _normal(z + d / 2.0)
        true = float(special.logit(share)) + d * z
        predicted = true / slope
        predicted += intercept_at(predicted, density, share / _inside("oe", oe, share))
    else:
        words, predicted = _distribution(z, mean, sd, beta)
        density = _normal(z)
        share = oe * float(density @ expit(predicted))
        _inside("prevalence", float(f"{share:.3g}"), *_SHARES)
        true = slope * predicted
        true += intercept_at(true, density, share)
    sample = _sample(predicted, density, expit(true), share)
    if form[0] != "auc":
        implied = f"prevalence {share:.3g}, AUC {AUC().on(sample.ratings().curve):.3g}"
        for name in stated[len(form) :]:
            problem = f"contradicts {words}, or repeats it: they imply {implied}."
            raise InputError.of(name, specified[name], problem, hint=f"Omit {name}=.")
        words += f" ({implied})"
    calibration = "calibrated" if slope == oe == 1.0 else f"calibration slope {slope:g}, O/E {oe:g}"
    return AssumedSample.from_sample(sample, {"model": f"{words}, {calibration}"})


def _normal(z: FloatArray) -> FloatArray:
    """Return the normal density on a grid, with sum 1."""
    density = np.exp(-0.5 * z * z)
    return np.asarray(density / density.sum())


def _distribution(
    z: FloatArray, mean: float | None, sd: float | None, beta: tuple[float, float] | None
) -> tuple[str, FloatArray]:
    """Return a distribution of risks in words, and the log odds at normal quantiles."""
    if beta is None:
        centre, spread = checks.finite("mean", mean), _inside("sd", sd, 0.0)
        return f"risks with log odds of mean {mean:g} and SD {sd:g}", centre + spread * z
    if checks.shape_of("beta", beta) != (2,):
        raise InputError.of("beta", beta, "must be a pair of numbers above 0.")
    a, b = (_inside("beta", number, 0.0) for number in beta)
    log_odds = special.logit(special.betaincinv(a, b, special.ndtr(z)))
    words = f"risks of a beta({a:g}, {b:g}) distribution"
    return words, np.clip(log_odds, -_MOST_LOG_ODDS, _MOST_LOG_ODDS)


def _sample(log_odds: FloatArray, density: FloatArray, true: FloatArray, share: float) -> Sample:
    """Return a cohort whose risks are quantiles of their distribution in each class."""
    even = (np.arange(_POINTS) + 0.5) / _POINTS
    quantiles = []
    for weight in (density * true, density * (1.0 - true)):
        below = np.cumsum(weight) - weight / 2.0
        quantiles.append(np.interp(even, below / weight.sum(), log_odds))
    risks, at = np.unique(expit(np.concatenate(quantiles)), return_inverse=True)
    pos, neg = (np.bincount(own, minlength=risks.size) for own in np.split(at, 2))
    copies, total = Fraction(share).limit_denominator(10**5).as_integer_ratio()
    return Sample.from_counts(risks, copies * pos, (total - copies) * neg, name="model")


def _inside(name: str, value: object, low: float, high: float = math.inf) -> float:
    """Return a number strictly between two others."""
    number = checks.finite(name, value)
    if not low < number < high:
        limits = f"above {low:g}" + f" and below {high:g}" * math.isfinite(high)
        raise InputError.of(name, value, f"must lie {limits}.")
    return number


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


def _by_row(terms: Sequence[Term]) -> FloatArray:
    """Return the contributions of all rows, an array of shape (terms, rows)."""
    rows = terms[0].ratings.rows
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
"""Contributions are limited to the value that this expected number of rows of a study exceeds. The
degrees of freedom are then those of the median study, as simulated for areas, points and AP."""


_STRAIGHT = 1.5
"""Distance from an end, in observations, up to which the curve of a sample is its tangent."""


Sizes = tuple[int, int]
"""Numbers of positives and negatives."""


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


Parts = tuple[list[ClassVariance], list[ClassVariance]]
"""The contributions of the positives, and of the negatives, of every arm to the variance."""


def _terms_of(rated: "Sequence[tuple[Ratings, Measure]]") -> list[Term]:
    """Return the influence values of each measure for its ratings."""
    return [Term(ratings, measure.influence_on(ratings.curve)) for ratings, measure in rated]


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
        self._known_parts: dict[Sizes | None, Parts] = {}
        self._known_precision: dict[Sizes, list[list[ExpectedPrecision]]] = {}
        # The names of the classifiers of each sample are those of `compare`.
        names = [name for arm in arms for name in arm.names]
        remaining = iter(unique_names(names, range(1, len(names) + 1)))
        self._names = [[next(remaining) for _ in arm.names] for arm in arms]
        single = [len(arm) for arm in arms] == [1]
        self.measure = measure.for_classifier(arms[0].names[0]) if single else measure
        self.assumed = all(isinstance(arm, AssumedSample) for arm in arms)
        for arm in arms:
            _check_arm(measure, arm)
        n_pos, n_neg = (sum(getattr(arm, n) for arm in arms) for n in ("n_pos", "n_neg"))
        self.ratio: float = n_neg / max(n_pos, 1) if ratio is None else ratio
        self.measures = [self._at_ratio(arm, specified=ratio is not None) for arm in arms]
        excluded = [arm.rows.excluded for arm in arms if not isinstance(arm, AssumedSample)]
        self.excluded = ExcludedRows.of_samples(excluded)
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
        of_arms = zip(self.arms, self._names, self.measures, self._rated, strict=True)
        for arm, names, at_ratio, rated in of_arms:
            for own_name, name, (ratings, of_rated) in zip(arm.names, names, rated, strict=True):
                measure = at_ratio.for_classifier(name)
                curve = arm.assumed(own_name) if isinstance(arm, AssumedSample) else ""
                if not isinstance(curve, str):
                    values.append(curve.value(measure))
                elif measure.uses_sample_prevalence:
                    values.append(float(of_rated.on(ratings.curve)))
                else:
                    values.append(float(measure.on(arm.ratings(own_name).curve)))
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

    def _parts(self, sizes: Sizes | None = None) -> Parts:
        """Return the contributions of each class to the variance, a list with those of every arm.

        Those to an average precision are not the same in the pilot and in a study of other sizes.
        """
        if not isinstance(self.measure, AP):
            sizes = None
        if sizes not in self._known_parts:
            self._known_parts[sizes] = self._parts_at(sizes)
        return self._known_parts[sizes]

    def _parts_at(self, sizes: Sizes | None) -> Parts:
        by_class: Parts = [], []
        expected = self._precision(sizes) if sizes else [[] for _ in self.arms]
        for arm, rated, of_arm in zip(self.arms, self._rated, expected, strict=True):
            rows = rated[0][0].rows
            terms = [Term(e.ratings, e.influence) for e in of_arm] or _terms_of(rated)
            z = z_of_terms(rows, terms)
            if rows.has_clusters:
                hint = "Plan without cluster=, and multiply the sizes by the design effect, the "
                hint += "squared ratio of the standard errors with and without cluster=."
                problem = "a pilot with clusters cannot be used for sample size."
                raise InputError(problem, argument="pilot", hint=hint)
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

    @property
    def pilot_se(self) -> float:
        """The standard error in the pilot."""
        return math.sqrt(sum(p.variance for parts in self._parts() for p in parts))

    def sd(self, n_pos: int, n_neg: int) -> float:
        """Return the standard deviation of the estimate, or the difference, of such a study."""
        parts_of_classes = self._parts((n_pos, n_neg))
        v_pos, v_neg = (sum(p.variance * p.rows for p in parts) for parts in parts_of_classes)
        return math.sqrt(v_pos / n_pos + v_neg / n_neg)

    def bias(self, n_pos: int, n_neg: int) -> float:
        """Return the bias of an average precision, or of a difference, in a study of these sizes.

        That of other measures, and of a corrected average precision, is 0.
        """
        expected = chain.from_iterable(self._precision((n_pos, n_neg)))
        return sum(sign * e.bias for sign, e in zip((1.0, -1.0), expected, strict=False))

    def _precision(self, sizes: Sizes) -> list[list[ExpectedPrecision]]:
        """Return the expected average precision of the classifiers of each arm in a study.

        There is none for other measures.
        """
        if sizes not in self._known_precision:
            self._known_precision[sizes] = [
                [ExpectedPrecision(r, m, *sizes) for r, m in rated if isinstance(m, AP)]
                for rated in self._rated
            ]
        return self._known_precision[sizes]

    def se(self, n_pos: int, n_neg: int) -> float:
        r"""Return the standard error of a study of these sizes.

        With an estimated end it includes the mean squared difference between the curve of a sample
        and its tangent over the error of the end. At a distance t from the end x, the expectation
        is :math:`(|R'|/n_1 + R'^2/n_0) t` on an FPR axis. The part of :math:`|s - x|` above one and
        a half observations takes the place of t, because curves are straight between observations;
        this number was chosen by simulation. Ends inside a tie have no such term. If only k rows
        determine the estimate, the standard error is multiplied by the root of 1 + 1/k, as in the
        analysis.
        """
        variance = self.sd(n_pos, n_neg) ** 2
        signs, unseen = iter((1.0, -1.0)), Counter[tuple[int, str]]()
        for k, of_arm in enumerate(self._precision((n_pos, n_neg))):
            for e in of_arm:
                sign = next(signs)
                unseen.update({(k, label): sign * change for label, change in e.changes.items()})
        variance += sum(change**2 for change in unseen.values())
        for end in self._estimated_ends:
            along, across = (n_neg, n_pos) if end.axis == "fpr" else (n_pos, n_neg)
            size = math.sqrt(float(end.bound * (1 - end.bound)) / along)
            z = _STRAIGHT / (along * size)
            density = math.exp(-0.5 * z * z) * math.sqrt(2.0 / math.pi)
            distance = size * (density - 2.0 * z * float(special.ndtr(-z)))
            of_steps = abs(end.slope) / across + end.slope**2 / along
            variance += end.factor**2 * distance * of_steps
        factor, _ = limits_of_support(np.array(self.support(n_pos, n_neg)))
        return math.sqrt(variance) * float(factor)

    @cached_property
    def _estimated_ends(self) -> list[End]:
        """The estimated ends of all classifiers that are not inside a tie."""
        return [
            end
            for ratings, influence in _terms_of([*chain.from_iterable(self._rated)])
            for end in influence.ends
            if not variance_within_tie(ratings, end.axis, ratings.curve.at(end.axis, end.bound))
        ]

    def df(self, n_pos: int, n_neg: int) -> float:
        """Return the expected degrees of freedom of the variance of such a study."""
        of_classes = zip(self._parts((n_pos, n_neg)), (n_pos, n_neg), strict=True)
        strata = [p.in_study(n) for parts, n in of_classes for p in parts]
        # With weights the effective number may be 1 or less, so that the variance is undefined.
        df = satterthwaite(strata) if min(s.units for s in strata) > 1.0 else 1.0
        support = self.support(n_pos, n_neg)
        if math.isfinite(support):
            _, limit = limits_of_support(np.array(support))
            return min(df, float(limit))
        ends = (m.known_ends for m in self.measures)
        return df if any(ends) else relaxed_df(df)

    def support(self, n_pos: int, n_neg: int) -> float:
        """Return the expected number of rows that determine an estimate, at least 1."""
        expected = [
            k * min(n_pos / arm.n_pos, n_neg / arm.n_neg)
            for arm, of_arm in zip(self.arms, self._supports, strict=True)
            for k in of_arm
        ]
        return max(min(expected), 1.0)

    @cached_property
    def _supports(self) -> list[list[float]]:
        """The number of rows of each pilot that determine the estimate of each classifier."""
        return [
            [m.support(r.curve, m.region.piece(r.curve)) for r, m in rated] for rated in self._rated
        ]

    @cached_property
    def _error_slope(self) -> float:
        """The change of the log SE with the estimate."""
        sizes = _REFERENCE, math.ceil(_REFERENCE * self.ratio)
        (low, low_se), (high, high_se) = (self._tilted(*sizes, z) for z in (-1.0, 1.0))
        return math.log(high_se / low_se) / (high - low) if high > low else 0.0

    def error_slope(self, n_pos: int, n_neg: int) -> float:
        """Return the increase of the log SE if the estimate increases by one SE."""
        return self._error_slope * self.sd(n_pos, n_neg)

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
            per_row = np.where(rows.positive, arm.n_pos / n_pos, arm.n_neg / n_neg)
            tilt = np.exp(step * per_row * (contrast @ _by_row(_terms_of(rated))))
            tilted = [(reweighted(r, tilt), m) for r, m in rated]
            values = [float(m.estimand.on(r.curve)) for r, m in tilted]
            value += float(contrast @ values)
            contributions = contrast @ _by_row(_terms_of(tilted))
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
        units = e.rows.units[0] * pos_factor, e.rows.units[1] * neg_factor
        excluded = NONE_EXCLUDED._replace(rest=e.excluded.rest)
        bias = study.bias(n_pos, n_neg) * self._error_at_value
        return replace(
            e,
            measure=study.measure,
            value=self.scale.clip(self.value + bias),
            se=study.se(n_pos, n_neg) * self._error_at_value,
            rows=e.rows._replace(n_pos=n_pos, n_neg=n_neg, units=units, excluded=excluded),
            df=study.df(n_pos, n_neg),
            variance_of_heights=0.0,
            limits=e.binomial,
            support=study.support(n_pos, n_neg),
            cautions=(),
        )


def _check_arm(measure: Measure, arm: Sample) -> None:
    """Raise an error for a pilot from which a measure cannot be planned."""
    rows = arm.rows
    assumed = [arm.assumed(name) for name in arm.names] if isinstance(arm, AssumedSample) else []
    if measure.of_risks and any(isinstance(curve, BinormalCurve) for curve in assumed):
        problem = " is a measure of predicted risks, but the scores of an assumption are not risks."
        hint = "Plan from pauci.assumed_risks, or from the risks of a pilot study."
        raise InputError((measure, problem), argument="pilot", hint=hint)
    if not measure.has_interval:
        problem = " is reported without an interval and without a test."
        hint = "Plan for AP(rescaled=True)."
        raise InputError((measure, problem), argument="measure", hint=hint)
    pilot = ""
    if rows.has_folds:
        pilot, why = "a cross-validated pilot", "its scores come from several models"
        hint = f"Plan from scores of a single model, without fold=, or from {ASSUMPTION}."
    elif rows.has_estimated_weights:
        pilot = "a pilot at a horizon, or with unverified rows,"
        why = "its standard error also depends on the rows without a label"
        hint = "Four times as many rows halve its standard error."
    if pilot:
        problem = f"{pilot} cannot be used for sample size: {why}."
        raise InputError(problem, argument="pilot", hint=hint)
