"""`scan`: a family of regions evaluated together, with a global p-value."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.accepted import Family, Seed
from pauci.analyses.scan_results import Scan
from pauci.calls import validate_call
from pauci.cautions.about_parts import combined_by_kind
from pauci.checks import FloatArray, check_choice
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.curve.region_arguments import OTHER_NAMES
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.inference.arguments import Variance, method_of, one_or_two_samples, values_of
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Alternative
from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Measure
from pauci.measures.other_names import suggestion
from pauci.resampling.bootstrap import Bootstrap
from pauci.sample.sample import Sample

AXES = ("fpr", "tpr", "specificity", "sensitivity", "threshold")

_FAMILY = {
    "fpr": "[0, x]",
    "specificity": "[s, 1]",
    "tpr": "[y, 1]",
    "sensitivity": "[y, 1]",
    "threshold": "t up",
}

_EXAMPLE = "pauci.scan(pauci.Sample(y_true, y_score), pauci.PAUCc, fpr=[0.1, 0.2, 0.3])."

_CHANCE = Curve(CountTable(np.zeros(1), np.array([0, 1]), np.array([0, 1]), 1, 1))
"""The curve if all scores are tied: the diagonal."""

Factory = Callable[..., Measure]


class _Member(NamedTuple):
    """A region of the family: its ends, its position in plots, and the measure."""

    low: float
    high: float
    x: float
    measure: Measure


def _check_alternative(alternative: Alternative, *, differences: bool) -> None:
    """Raise an error for a one-sided alternative of estimates."""
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    if alternative != "two-sided" and not differences:
        raise InputError.of(
            "alternative",
            alternative,
            "is for differences of two classifiers; intervals of estimates are two-sided.",
        )


@validate_call
def scan(
    samples: Sample | Sequence[Sample],
    measure: type[Measure] | Factory,
    *,
    fpr: "Family | None" = None,
    tpr: "Family | None" = None,
    specificity: "Family | None" = None,
    sensitivity: "Family | None" = None,
    threshold: Iterable[Any] | None = None,
    null: float | None = None,
    alternative: Alternative = "two-sided",
    variance: "Variance" = "influence",
    fewest: float = 0.0,
    independent: bool = False,
    rng: "Seed | None" = None,
    n_draws: int = 100_000,
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
        Seed of the draws, or a generator from which the seed is drawn. If None, a random seed is
        used, which ``summary()`` shows.
    n_draws : int, default 100000
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
    _check_alternative(alternative, differences=differences)
    null = None if null is None else checks.finite("null", null)
    fewest = checks.finite("fewest", fewest)
    checks.check_whole("n_draws", n_draws, 1000)
    seed = Bootstrap(rng=rng).seed()
    method = method_of(variance)
    axis, values = _axis_of(
        {
            "fpr": fpr,
            "tpr": tpr,
            "specificity": specificity,
            "sensitivity": sensitivity,
            "threshold": threshold,
        }
    )
    lower = [s.ratings(n).lower_is_positive for s in checked for n in s.names]
    members, nested = _family(measure, axis, values, lower)
    members, excluded = _with_enough_observations(members, axis, fewest, checked)
    measures = [m.measure for m in members]
    results: Any
    with combined_by_kind():
        if differences:
            results = compare(
                pair,
                measures,
                null or 0.0,
                alternative,
                adjust="none",
                variance=method,
                independent=independent,
            )
        else:
            results = estimate(checked[0], measures, method)
        against_chance = null is None and not differences
        nulls = [_chance_value(m) if against_chance else null or 0.0 for m in measures]
    low, high, x = (
        np.array([getattr(m, name) for m in members], float) for name in ("low", "high", "x")
    )
    family = replace(results, common_df=False, seed=seed, draws=n_draws)
    return Scan(
        tuple(results),
        _read_only(low),
        _read_only(high),
        _read_only(x),
        axis,
        nested,
        family,
        _read_only(np.array(nulls)),
        alternative,
        seed,
        n_draws,
        excluded,
        fewest,
        by_chance=against_chance,
    )


def _read_only(values: FloatArray) -> FloatArray:
    return checks.read_only(values)  # type: ignore[no-any-return]


def _axis_of(arguments: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return the axis that was passed, and its values as a list."""
    passed = {axis: values for axis, values in arguments.items() if values is not None}
    if len(passed) != 1:
        names = " and ".join(passed) or "none"
        raise InputError(
            f"a scan requires one axis, but {names} {'were' if passed else 'was'} passed.",
            argument=next(iter(passed), "fpr"),
            hint=f"Pass one of {', '.join(f'{a}=' for a in AXES)}, such as fpr=(0.1, 0.2, 0.3).",
            shell_hint=f"Pass one of {', '.join(f'--{a}' for a in AXES)}, such as --fpr 0.02 1.",
        )
    ((axis, values),) = passed.items()
    listed = values_of(axis, values, "numbers or pairs")
    if not listed:
        raise InputError.of(axis, values, "contains no region; pass at least one.")
    return axis, listed


def _family(
    measure: Any, axis: str, values: list[Any], lower: list[bool]
) -> tuple[list[_Member], bool]:
    """Return the measure of each region, and whether the regions are nested."""
    _check_measure(measure)
    measure_at = partial(_measure_of, measure)
    numbers = [isinstance(v, Real) and not isinstance(v, bool) for v in values]
    if not any(numbers):
        pairs = [_pair(axis, v) for v in values]
        if len(set(pairs)) < len(pairs):
            raise InputError.about(
                axis, "contains a region twice; pass each region once.", value=values
            )
        members = [
            _Member(*_ends(low, high), _middle(low, high), measure_at(axis, (low, high)))
            for low, high in pairs
        ]
        return members, False
    if not all(numbers):
        raise InputTypeError.about(
            axis, "mixes numbers and pairs; pass one or the other.", value=values
        )
    _check_increasing(axis, values)
    if names := _point_axes(measure):
        if axis not in names:
            hint, shell_hint = (
                f"Pass {' or '.join(form.format(name) for name in names)}."
                for form in ("{}=", "--{}")
            )
            raise InputError.about(
                axis,
                "is not an axis of this measure at a single point.",
                value=values,
                hint=hint,
                shell_hint=shell_hint,
            )
        return [_Member(float(v), float(v), float(v), measure_at(axis, v)) for v in values], True
    return [_nested(axis, v, values, lower, measure_at) for v in values], True


def _check_increasing(axis: str, values: list[Any]) -> None:
    """Raise an error unless numbers are finite and increase."""
    if any(not math.isfinite(v) for v in values):
        raise InputError.about(axis, "contains a number that is not finite.", value=values)
    if any(b <= a for a, b in pairwise(values)):
        raise InputError.about(
            axis,
            f"must increase, because the regions {_FAMILY[axis]} of a family are nested.",
            value=values,
            hint="Sort the numbers, or pass pairs (low, high).",
            shell_hint="Specify LOW before HIGH.",
        )


def _nested(
    axis: str, value: Any, values: list[Any], lower: list[bool], measure_at: Factory
) -> _Member:
    """Return the region with a number as its variable end."""
    if axis == "threshold":
        if len(set(lower)) > 1:
            raise InputError.about(
                axis,
                "specifies the variable end of a region, but the two classifiers have different "
                "directions: lower scores of one are positive.",
                value=values,
                hint="Pass pairs (low, high).",
                shell_hint="",
            )
        region: tuple[Any, Any] = (-math.inf, value) if lower[0] else (value, math.inf)
    else:
        empty, pair = (0, "(0, 0.1)") if axis == "fpr" else (1, "(0.9, 1)")
        if value == empty:
            raise InputError.about(
                axis,
                f"contains {empty}, where the region {_FAMILY[axis]} is empty.",
                value=values,
                hint="Omit this number, or for regions with two fixed ends pass pairs: "
                f"{axis}=[{pair}].",
                shell_hint=f"{'Begin slightly above' if empty == 0 else 'End slightly below'} "
                f"{empty}.",
            )
        region = (0, value) if axis == "fpr" else (value, 1)
    return _Member(*_ends(*region), float(value), measure_at(axis, region))


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
        raise InputTypeError.of(
            axis,
            value,
            "in a scan must be a number, the variable end of a region, or a pair (low, high).",
        )
    low, high = (v.item() if isinstance(v, np.generic) else v for v in items)
    return low, high


def _point_axes(measure: Any) -> list[str]:
    """Return the axes on which a measure is evaluated at single points."""
    kind: Any = measure.func if isinstance(measure, partial) else measure
    if not isinstance(kind, type) or not issubclass(kind, Measure):
        return []
    if kind.scalar is None and not issubclass(kind, AtCutoff):
        return []
    arguments = kind.arguments()
    axes = [name for axis in OTHER_NAMES if axis in arguments for name in (axis, OTHER_NAMES[axis])]
    return [*axes, *(name for name in ("threshold",) if name in arguments)]


def _check_measure(measure: Any) -> None:
    """Raise an error unless `measure` is callable and, if it is a measure, has a region."""
    if isinstance(measure, Measure):
        name = type(measure).__name__
        raise InputTypeError.about(
            "measure",
            (
                "is ",
                measure,
                f", which has a fixed region; pass the class pauci.{name}, or "
                f"functools.partial(pauci.{name}, ...) with options.",
            ),
            value=measure,
        )
    if not callable(measure):
        raise InputTypeError.about(
            "measure",
            f"is a {type(measure).__name__}; pass the class of a measure, such as "
            f"pauci.PAUCc{suggestion(measure)}",
            value=measure,
        )
    kind = measure.func if isinstance(measure, partial) else measure
    if not isinstance(kind, type):
        return
    if not issubclass(kind, Measure):
        raise InputTypeError.about(
            "measure", f"is {kind.__name__}, which is not a measure.", value=kind
        )
    if not kind.kinds and not _point_axes(kind):
        others = ", ".join(sorted(m.__name__ for m in REGISTRY.values() if m.kinds))
        points = ", ".join(sorted(m.__name__ for m in REGISTRY.values() if _point_axes(m)))
        raise InputError.about(
            "measure",
            f"is {kind.__name__}, which has no region to scan; measures with a region: {others}; "
            f"at a single point: {points}.",
            value=kind,
        )


def _measure_of(measure: Factory, axis: str, region: Any) -> Measure:
    """Return the measure of a region, or raise an error."""
    try:
        of_region = measure(**{axis: region})
    except InputTypeError:
        raise
    except TypeError as error:
        raise InputTypeError.about(
            "measure",
            f"could not be created with {axis}={region!r}: {error}. It must accept a region by "
            f"the name of the axis, such as lambda {axis}: pauci.PAUCc({axis}={axis}).",
            value=measure,
        ) from None
    if not isinstance(of_region, Measure):
        raise InputTypeError.about(
            "measure",
            f"returned a {type(of_region).__name__} for {axis}={region!r}; it must return a "
            "measure.",
            value=measure,
        )
    return of_region


def _with_enough_observations(
    members: list[_Member], axis: str, fewest: float, samples: list[Sample]
) -> tuple[list[_Member], tuple[str, ...]]:
    """Return the regions with enough expected observations, and the names of the others."""
    if fewest <= 0.0:
        return members, ()
    if axis == "threshold":
        raise InputError.of(
            "fewest",
            fewest,
            "requires an FPR or TPR axis, on which the expected number in a region is known in "
            "advance; for a range of scores it is random.",
        )
    positives = axis in ("tpr", "sensitivity")
    n = min(s.rows.units[0 if positives else 1] for s in samples)
    enough = [n * m.measure.region.width >= fewest * (1.0 - 1e-9) for m in members]
    included = [m for m, is_enough in zip(members, enough, strict=True) if is_enough]
    if not included:
        noun = "positives" if positives else "negatives"
        raise InputError.of(
            "fewest",
            fewest,
            f"excludes all regions, because there are only {n:g} {noun}. Use wider regions, or a "
            "smaller number.",
        )
    excluded = [m for m, is_enough in zip(members, enough, strict=True) if not is_enough]
    return included, tuple(str(m.measure.region) for m in excluded)


def _chance_value(measure: Measure) -> float:
    """Return the value on the diagonal, or NaN if the region is not defined there."""
    if not all(region.rate_ends for region in measure.regions):
        return math.nan
    try:
        return float(measure.on(_CHANCE))
    except UndefinedError:
        return math.nan
