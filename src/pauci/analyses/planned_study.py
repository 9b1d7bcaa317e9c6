r"""A planned study: expected standard errors at other sample sizes, from a pilot or an assumption.

The variance of an estimate, or of a difference, is :math:`v_1/n_1 + v_0/n_0` with a constant for
each class. Both constants, and the expected degrees of freedom of the planned study, are calculated
from the influence values of the pilot.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

from pauci.analyses.assumed_sample import (
    ASSUMPTION,
    AssumedSample,
    reweighted,
    with_negatives_reweighted,
)
from pauci.cautions.about_estimates import describe_size, is_too_small
from pauci.curve.region import Bounds
from pauci.errors import FarPrevalenceWarning, InputError, UndefinedError, warn
from pauci.inference.family_of_samples import unique_names
from pauci.measures.base import Measure
from pauci.measures.effective_size import FEWEST_FOR_SE, EffectiveSize
from pauci.results.estimates import Estimate
from pauci.sample.ratings import Ratings
from pauci.sample.rows import ExcludedRows
from pauci.sample.sample import Sample
from pauci.variance.degrees_of_freedom import ClassMoments, Moments, degrees_of_freedom
from pauci.variance.influence_covariance import (
    ArraySums,
    row_contributions,
    standardized_strata,
)
from pauci.variance.problem import Term

_REFERENCE = 200
"""Number of positives for which the change of standard errors with estimates is calculated."""


class ClassVariance(NamedTuple):
    """The contribution of a class of a pilot to the variance, and its number of rows."""

    moments: Moments
    rows: int


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
            size = m.effective_size(*arm.rows.effective_units, arm.prevalence)
            for name in arm.names:
                check_pilot(m, arm.ratings(name), size)

    @property
    def paired(self) -> bool:
        """Whether two classifiers score the same rows."""
        return len(self.arms) == 1 and len(self.arms[0]) == 2

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
                if isinstance(arm, AssumedSample):
                    value = arm.assumed(own_name).value(measure)
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
                ratings_of_arm = [with_negatives_reweighted(r, factor) for r in ratings_of_arm]
            measures = [m.for_classifier(name) for name in names]
            rated.append(list(zip(ratings_of_arm, measures, strict=True)))
        return rated

    @cached_property
    def _parts(self) -> tuple[list[ClassVariance], list[ClassVariance]]:
        """The contributions of the positives and the negatives of every arm to the variance."""
        by_class: tuple[list[ClassVariance], list[ClassVariance]] = [], []
        for arm, rated in zip(self.arms, self._rated, strict=True):
            strata = standardized_strata(
                rated[0][0].rows, [Term(r, m.influence_on(r.curve)) for r, m in rated]
            )
            if len(strata) != 2:
                design_effect = (
                    "multiply the sizes by the design effect, the squared ratio of the standard "
                    "errors with and without"
                )
                raise InputError(
                    "a pilot with clusters cannot be used for sample size.",
                    argument="pilot",
                    hint=f"Plan without cluster=, and {design_effect} cluster=.",
                )
            contrast = np.array([1.0, -1.0][: len(rated)])
            ((pos, neg, _),) = ArraySums([strata]).moments(contrast)
            for parts, moments, rows in zip(
                by_class, (pos, neg), (arm.n_pos, arm.n_neg), strict=True
            ):
                parts.append(ClassVariance(moments, rows))
        return by_class

    @cached_property
    def constants(self) -> tuple[float, float]:
        """The constants v_1 and v_0."""
        pos, neg = (sum(p.moments.second * p.rows for p in parts) for parts in self._parts)
        return pos, neg

    @property
    def pilot_se(self) -> float:
        """The standard error in the pilot."""
        return math.sqrt(sum(p.moments.second for parts in self._parts for p in parts))

    def se(self, n_pos: int, n_neg: int) -> float:
        """Return the standard error of a study of these sizes."""
        v_pos, v_neg = self.constants
        return math.sqrt(v_pos / n_pos + v_neg / n_neg)

    def df(self, n_pos: int, n_neg: int) -> float:
        """Return the expected degrees of freedom of the variance of such a study."""
        arms = [
            ClassMoments(
                pos.moments.scaled_units(n_pos / pos.rows),
                neg.moments.scaled_units(n_neg / neg.rows),
            )
            for pos, neg in zip(*self._parts, strict=True)
        ]
        # With weights the effective number may be 1 or less, so that the variance is undefined.
        fewest = min(m.units for arm in arms for m in (arm.pos, arm.neg))
        return degrees_of_freedom(arms) if fewest > 1.0 else 1.0

    @cached_property
    def _error_slope(self) -> float:
        """The change of the log SE per SE of the estimate, with `_REFERENCE` positives."""
        sizes = _REFERENCE, math.ceil(_REFERENCE * self.ratio)
        (low, low_se), (high, high_se) = (self._tilted(*sizes, z) for z in (-1.0, 1.0))
        if high <= low:
            return 0.0
        return math.log(high_se / low_se) * self.se(*sizes) / (high - low)

    def error_slope(self, n_pos: int, n_neg: int) -> float:
        """Return the increase of the log SE if the estimate increases by one SE."""
        sizes = _REFERENCE, math.ceil(_REFERENCE * self.ratio)
        return self._error_slope * self.se(n_pos, n_neg) / self.se(*sizes)

    def _tilted(self, n_pos: int, n_neg: int, z: float) -> tuple[float, float]:
        """Return the value and SE of one classifier in samples with an estimate z SE higher.

        The rows have the weights of the least favourable family (Efron 1987, Journal of the
        American Statistical Association 82:171-185), exponential in their influence.
        """
        (((ratings, m),),) = self._rated
        rows = ratings.rows.single_rows()
        step = z / self.se(n_pos, n_neg)
        contributions = row_contributions(rows, [Term(ratings, m.influence_on(ratings.curve))])[0]
        (arm,) = self.arms
        per_row = np.where(rows.positive, arm.n_pos / n_pos, arm.n_neg / n_neg)
        tilt = np.exp(step * per_row * contributions)
        tilted = reweighted(ratings, tilt)
        tilted_contributions = row_contributions(
            tilted.rows.single_rows(), [Term(tilted, m.influence_on(tilted.curve))]
        )[0]
        copies = np.ones(tilt.size) if rows.frequency is None else rows.frequency
        variance = 0.0
        for which, n in ((rows.positive, n_pos), (~rows.positive, n_neg)):
            # The tilt is a frequency; a weight would enter the variance with its square.
            squares = float((copies * tilted_contributions**2 / tilt)[which].sum())
            variance += squares * float((copies * tilt)[which].sum()) / n
        return float(m.estimand.on(tilted.curve)), math.sqrt(variance)


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
            n_pos=n_pos,
            n_neg=n_neg,
            df=study.df(n_pos, n_neg),
            pseudo_variance=0.0,
            units=(e.units[0] * pos_factor, e.units[1] * neg_factor),
            support=e.support * min(pos_factor, neg_factor),
            cautions=(),
            dropped=0,
            left_out=0,
            uncounted=0,
        )


def _names_of(arms: Sequence[Sample]) -> list[list[str]]:
    """Return the names of the classifiers of each sample, which are those of `compare`."""
    names = [name for arm in arms for name in arm.names]
    remaining = iter(unique_names(names, range(1, len(names) + 1)))
    return [[next(remaining) for _ in arm.names] for arm in arms]


def _check_arm(measure: Measure, arm: Sample) -> None:
    """Raise an error for a pilot from which a measure cannot be planned."""
    if measure.of_risks and isinstance(arm, AssumedSample):
        raise InputError(
            (
                measure,
                " is a measure of predicted risks, but the scores of an assumption are not risks.",
            ),
            argument="pilot",
            hint="Plan from the risks of a pilot study.",
        )
    if arm.rows.has_folds:
        raise InputError(
            "a cross-validated pilot cannot be used for sample size: its scores come from several "
            "models.",
            argument="pilot",
            hint=f"Plan from scores of a single model, without fold=, or from {ASSUMPTION}.",
        )


def check_pilot(measure: Measure, ratings: Ratings, size: EffectiveSize | None) -> None:
    """Raise an error for a pilot with too few effective observations at the planned prevalence."""
    if not is_too_small(size, ratings) or not size.is_reduced_below(FEWEST_FOR_SE):
        return
    k, noun, where, direction = describe_size(size, ratings)
    hint = (
        f"Plan for a prevalence of {size.prevalence_for(FEWEST_FOR_SE):g} or {direction}, with a "
        f"pilot of at least {size.total_for(FEWEST_FOR_SE):,} {noun}, or from"
    )
    raise UndefinedError(
        (
            f"in the pilot effectively {k}, those with the {where} scores, determine ",
            measure,
            f" of {ratings.name}. For k below {FEWEST_FOR_SE:g} a pilot cannot be used for sample "
            "size.",
        ),
        argument="prevalence",
        value=size.prevalence,
        hint=f"{hint} {ASSUMPTION}.",
    )


def warn_about_plan(measure: Measure, n_pos: int, n_neg: int) -> None:
    """Warn about a planned study with a small effective number at the intended prevalence."""
    size = measure.effective_size(n_pos, n_neg, n_pos / (n_pos + n_neg))
    if size is None or not size.is_reduced_below(size.enough):
        return
    warn(
        FarPrevalenceWarning(
            (
                f"in a study of {n_pos:,} positives and {n_neg:,} negatives effectively k = "
                f"{size.size:.3g} {size.noun} determine ",
                measure,
                f". For k below {size.enough:g} the standard error will be too small, and so is "
                "the planned sample size.",
            ),
            argument="prevalence",
            hint=f"Use at least {size.total_for(size.enough):,} {size.noun}.",
        )
    )
