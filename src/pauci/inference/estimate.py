"""`estimate`: measures of one sample with their standard errors and joint covariance."""

import math
import warnings
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from pauci.checks import FloatArray, check_choice
from pauci.curve.polyline import Curve
from pauci.curve.region import resolve
from pauci.errors import (
    DegenerateWarning,
    InputError,
    InputTypeError,
    ReversedScoresWarning,
    SamplingRatioWarning,
    SmallRegionWarning,
    arg,
)
from pauci.intervals.resampled import Resampled
from pauci.measures.base import Measure
from pauci.measures.user_function import Statistic
from pauci.resampling.bootstrap import Bootstrap, Replicates, resample
from pauci.results import format as fmt
from pauci.results.estimate import ROUNDING, VARIANCES, Estimate, Estimates, Variance
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample
from pauci.variance.delta import delta_covariance
from pauci.variance.influence import Term, covariance
from pauci.variance.jackknife import Jackknife, jackknife_all
from pauci.variance.leave_one_out import Jackknifed

_FEWEST_IN_REGION = 5


@overload
def estimate(sample: Sample, measure: Measure, variance: Variance = ...) -> Any: ...
@overload
def estimate(
    sample: Sample | Sequence[Sample],
    measure: Measure | Sequence[Measure],
    variance: Variance = ...,
) -> Estimates: ...
def estimate(
    sample: Sample | Sequence[Sample],
    measure: Measure | Sequence[Measure],
    variance: Variance = "influence",
) -> Estimate | Estimates:
    """Estimate measures with standard errors.

    Parameters
    ----------
    sample : Sample or list of Sample
        One classifier, or several on the same rows; or a list of independent samples.
    measure : Measure or sequence of Measure
        What to estimate, such as ``pauci.PAUCc(fpr=(0, 0.1))``.
    variance : {"influence", "delta"}, Bootstrap or Jackknife, default "influence"
        Where standard errors come from: the influence of each observation (DeLong's placement
        values, extended to parts of the curve), or the multinomial delta method for tables of
        counts (`pauci.variance.delta`), which has divisors n in place of n - 1. ``pauci.Bootstrap(...)``
        resamples the data, ``pauci.Jackknife()`` leaves out rows one by one.

    Returns
    -------
    Estimate or Estimates
        An `Estimate` for one classifier and one measure that is not in a list, else `Estimates`.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`, or `measure` is not a measure object.
    ValueError
        If a measure is undefined on these data, or a class has fewer than two observations.

    Warns
    -----
    ReversedScoresWarning
        If the AUC of a classifier is below 0.5.
    DegenerateWarning
        If a standard error is 0 or a value is at an end of its range.
    SmallRegionWarning
        If the bounding axis is expected to have fewer than five observations inside the region.
    SamplingRatioWarning
        If a measure depends on the prevalence, and the sample is case-control: its prevalence was
        chosen.
    TableWarning
        If ``variance="delta"`` is asked of data with more than half as many categories as rows.

    Notes
    -----
    The covariance formula is in `pauci.variance.influence`, the influence values are with each measure.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.PAUCc(fpr=(0, 0.5)))
    >>> round(e.value, 4), round(e.se, 4)
    (0.5556, 0.0589)
    """
    samples: list[Any] = list(sample) if isinstance(sample, (list, tuple)) else [sample]
    if not samples or not all(isinstance(s, Sample) for s in samples):
        raise InputTypeError(
            f"sample is a {type(sample).__name__}, and estimate takes a Sample: "
            "pauci.estimate(pauci.Sample(y_true, y_score), pauci.PAUCc(fpr=(0, 0.1)))."
        )
    check_variance(variance)
    measures = as_measures(measure)
    estimates: list[Estimate] = []
    parts = []
    for s, seed in zip(samples, seeds(variance, len(samples)), strict=True):
        found, cov, _ = joint(s, [(n, m) for n in s.names for m in measures], variance, 3, seed)
        estimates += found
        parts.append(cov)
    if (
        len(estimates) == 1
        and isinstance(sample, Sample)
        and not isinstance(measure, (list, tuple))
    ):
        return estimates[0]
    return Estimates(tuple(estimates), parts[0] if len(parts) == 1 else _diagonal(parts))


def seeds(variance: Variance, count: int) -> list[int | None]:
    """Return a seed for each of several independent samples, which must not share numbers."""
    if not isinstance(variance, Bootstrap):
        return [None] * count
    seed = variance.seed()
    more = [np.random.SeedSequence([seed, i]).generate_state(1).item() for i in range(1, count)]
    return [seed, *more]


def _diagonal(parts: list[FloatArray]) -> FloatArray:
    """Return a covariance matrix of independent parts."""
    matrix = np.zeros((sum(map(len, parts)),) * 2)
    first = 0
    for part in parts:
        own = slice(first, first + len(part))
        matrix[own, own] = part
        first = own.stop
    matrix.flags.writeable = False
    return matrix


def joint(
    sample: Sample,
    wanted: Sequence[tuple[str, Measure]],
    variance: Variance = "influence",
    stacklevel: int = 3,
    seed: int | None = None,
) -> tuple[list[Estimate], FloatArray, Replicates | None]:
    """Return an estimate for every (classifier, measure) and their covariance matrix.

    With a bootstrap its replicates come as well.
    """
    rows = sample._rows
    several = len({name for name, _ in wanted}) > 1
    want_codes = several or rows.weight is not None or rows.cluster is not None
    curves: dict[str, Curve] = {}
    points = []
    terms: list[Any] = []
    resamples = isinstance(variance, (Bootstrap, Jackknife))
    for name, measure in wanted:
        scores = sample._columns[name]
        if name not in curves:
            curves[name] = scores.curve(rows, want_codes=want_codes)
            _warn_about_scores(name, curves[name], stacklevel + 1)
        chosen = rows.design == "case-control" and measure.uses_sample_prevalence
        if chosen and not isinstance(measure, Statistic):
            _warn_about_design(measure, sample, stacklevel + 1)
        curve = curves[name]
        piece = measure.region.piece(curve)
        value = measure.value(curve, piece)
        if not math.isfinite(value):
            raise InputError(
                f"{measure!r} of {name} is {value} on these data; a standard error takes a finite "
                "number."
            )
        points.append((value, piece))
        known = measure.has_influence or not resamples
        terms.append(Term(scores, measure.influence(curve, piece)) if known else None)
    replicates = None
    left_out: list[Jackknifed] = []
    if isinstance(variance, Bootstrap):
        names = list(curves)
        replicates = resample(
            rows,
            [sample._columns[name] for name in names],
            [(names.index(name), measure) for name, measure in wanted],
            np.array([value for value, _ in points]),
            terms,
            variance,
            variance.seed() if seed is None else seed,
        )
        replicates.check([f"{m!r} of {name}" for name, m in wanted])
        matrix, df = replicates.covariance, np.full(len(wanted), np.inf)
    elif isinstance(variance, Jackknife):
        pairs = [(sample._columns[name], measure) for name, measure in wanted]
        left_out, matrix = jackknife_all(rows, pairs, stacklevel + 1)
        df = _influence_df(rows, terms)
    elif variance == "delta":
        matrix = delta_covariance(rows, terms, stacklevel + 1).matrix
        df = _influence_df(rows, terms)
    else:
        matrix, df, _ = covariance(rows, terms)
    estimates = []
    for i, ((name, measure), (value, piece)) in enumerate(zip(wanted, points, strict=True)):
        limits = measure.limits(curves[name])
        low, high = limits
        edge = ROUNDING * min(high - low, 1.0)
        if low - edge <= value <= high + edge:
            value = min(max(value, low), high)
        se = float(np.sqrt(matrix[i, i]))
        if se <= edge:
            se = 0.0
            matrix[i, :] = matrix[:, i] = 0.0
        region = resolve(measure.region, curves[name], piece)
        resampled = None if replicates is None else replicates.combined(np.eye(len(wanted))[i])
        e = Estimate(
            name, measure, value, se, region, sample.n_pos, sample.n_neg, sample.design,
            variance if isinstance(variance, str) else type(variance).__name__.lower(),
            df=float(df[i]), units=rows.units, clusters=rows.clusters,
            weighted=rows.weight is not None, limits=limits,
            resampled=resampled,
            bias=_bias(left_out[i] if left_out else resampled, edge),
        )  # fmt: skip
        _warn_about_estimate(e, curves[name].table.size == 1, stacklevel + 1)
        estimates.append(e)
    matrix.flags.writeable = False
    return estimates, matrix, replicates


def _influence_df(rows: Rows, terms: Sequence[Term | None]) -> FloatArray:
    """Return the degrees of freedom of the influence variances, infinite for functions."""
    df = np.full(len(terms), np.inf)
    known = [i for i, term in enumerate(terms) if term is not None]
    if known:
        df[known] = covariance(rows, [t for t in terms if t is not None]).df
    return df


def _bias(found: Jackknifed | Resampled | None, edge: float) -> float | None:
    """Return the bias, 0 where it is rounding noise."""
    if found is None:
        return None
    return 0.0 if abs(found.bias) <= edge else found.bias


def check_variance(variance: object) -> None:
    """Refuse anything but a source of standard errors."""
    if isinstance(variance, type) and issubclass(variance, (Bootstrap, Jackknife)):
        name = variance.__name__
        raise InputTypeError(f"variance={name} is a class; pass pauci.{name}().")
    if isinstance(variance, str) and variance.lower() in ("bootstrap", "jackknife"):
        raise InputError(arg("variance", variance), f": pass pauci.{variance.title()}().")
    if not isinstance(variance, (Bootstrap, Jackknife)):
        check_choice("variance", variance, VARIANCES)


def as_measures(measure: object) -> list[Measure]:
    """Return one measure or a sequence of them as a list, or say what was passed instead."""
    measures: list[Any] = [measure]
    if isinstance(measure, (list, tuple)):
        measures = list(measure)
    if not measures:
        raise InputError("measure=[] names no measure; pass one, such as pauci.AUC().")
    for i, m in enumerate(measures):
        if isinstance(m, type) and issubclass(m, Measure):
            example = f"({m.scalar}=0.1)" if m.scalar else "(fpr=(0, 0.1))" if m.kinds else "()"
            raise InputTypeError(
                f"measure={m.__name__} is a class; pass pauci.{m.__name__}{example}."
            )
        if callable(m) and not isinstance(m, type):
            measures[i] = Statistic(m)
        elif not isinstance(m, Measure):
            raise InputTypeError(
                f"measure={_short(m)} is not a measure; pass an object such as "
                "pauci.PAUCc(fpr=(0, 0.1)) or pauci.AUC()."
            )
    return measures


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _warn_about_scores(name: str, curve: Curve, stacklevel: int) -> None:
    if curve.auc < 0.5 and min(curve.table.rows_pos, curve.table.rows_neg) > 1:
        warnings.warn(
            f"the AUC of {name} is {curve.auc:.3g}, below 0.5. Higher scores must mean more "
            "positive; if yours mean less, pass their negatives. Nothing was flipped.",
            ReversedScoresWarning,
            stacklevel,
        )


def _warn_about_design(measure: Measure, sample: Sample, stacklevel: int) -> None:
    warnings.warn(
        f"{measure!r} depends on the prevalence, and in this case-control sample it was chosen: "
        f"the value holds for a share of {sample.prevalence:.3g} positives. Name the prevalence "
        "that is meant with prevalence=.",
        SamplingRatioWarning,
        stacklevel,
    )


def _warn_about_estimate(e: Estimate, tied: bool, stacklevel: int) -> None:
    expected = e.measure.expected(e.n_pos, e.n_neg)
    if expected is not None and expected.inside < _FEWEST_IN_REGION:
        warnings.warn(
            f"{e.measure!r} of {e.classifier}: {expected.total} {expected.noun} leave "
            f"{expected.inside:.3g} expected in {e.measure.place or 'a region'}; below "
            f"{_FEWEST_IN_REGION} standard errors are unreliable. Use a wider region.",
            SmallRegionWarning,
            stacklevel,
        )
    if e.degenerate:
        what = "standard error 0" if e.se == 0.0 else "the value at an end of its range"
        what += ", as all scores tie" if tied else ""
        warnings.warn(
            f"{e.measure!r} of {e.classifier}, {fmt.number(e.value)}, has {what}: intervals of "
            'kind "limit" are used, which rest on the number of observations alone.',
            DegenerateWarning,
            stacklevel,
        )
