"""Groups along the curve, and the regions of a scan."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.checks import FloatArray
from pauci.curve.region import OTHER_NAMES, ResolvedRegion
from pauci.equality import EqualByFields
from pauci.errors import InputError, InputTypeError
from pauci.inference.arguments import values_of
from pauci.intervals.analytic import Kind
from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Measure
from pauci.measures.registry import suggestion
from pauci.results.estimates import Estimate
from pauci.sample.sample import Sample

MEASURES = (
    "paucc",
    "normalized",
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "lr_pos",
    "lr_neg",
    "lr_range",
    "n_pos",
    "n_neg",
)

"""The measures and the numbers of observations of each group."""

COUNTED = {"n_pos": "share_pos", "n_neg": "share_neg"}

"""The proportions of the classes from which numbers of observations are calculated."""


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
            raise KeyError(
                f"{measure!r} is undefined over {self.region}: {self.undefined[measure]}"
            )
        raise KeyError(
            f"{measure!r} is not an estimate of this group"
            f"{checks.nearest(measure, self.estimates)} There are: {', '.join(self.estimates)}."
        )

    def estimate_of(self, measure: str) -> Estimate | None:
        """Return the estimate of a measure, or that of the proportion of a number; None if none."""
        return self.estimates.get(COUNTED.get(measure, measure))

    def cell(self, measure: str, level: float = 0.95, kind: Kind | None = None) -> GroupValue:
        """Return a measure, or a number of observations, with its interval."""
        checks.check_choice("measure", measure, MEASURES)
        e, n = self.estimate_of(measure), 1.0
        if measure in COUNTED:
            if e is None:  # fixed by the edges
                n = self.n_pos if measure == "n_pos" else self.n_neg
                if self.where is None:
                    return _UNDEFINED
                return GroupValue(n, 0.0, n, n, "known", math.inf)
            n = float(e.n_pos if measure == "n_pos" else e.n_neg)
        if e is None:
            return _UNDEFINED
        used = kind_for(e, kind)
        low, high = e.interval(level, used)
        return GroupValue(
            n * e.value, n * e.se, n * low, n * high, e.kind_used(used), e.df_used(used)
        )


def kind_for(e: Estimate, kind: Kind | None) -> Kind | None:
    """Return a kind of interval that the measure has, such as log instead of logit for a ratio."""
    if kind == "logit" and math.isinf(e.bounds.high):
        return "log" if e.resampled is None else None
    if kind == "log" and math.isfinite(e.bounds.high):
        return "logit" if e.resampled is None else None
    return kind


_NESTED = {
    "fpr": "[0, x]",
    "specificity": "[s, 1]",
    "tpr": "[y, 1]",
    "sensitivity": "[y, 1]",
    "threshold": "t up",
}

"""The nested regions on each axis."""

Factory = Callable[..., Measure]


class ScannedRegion(NamedTuple):
    """A region of the family: its ends, its position in plots, and the measure."""

    low: float
    high: float
    x: float
    measure: Measure


def axis_of(axes: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return the axis that was passed, and its values as a list."""
    passed = {axis: values for axis, values in axes.items() if values is not None}
    if len(passed) != 1:
        names = " and ".join(passed) or "none"
        raise InputError(
            f"a scan requires one axis, but {names} {'were' if passed else 'was'} passed.",
            argument=next(iter(passed), "fpr"),
            hint=f"Pass one of {', '.join(f'{a}=' for a in axes)}, such as fpr=(0.1, 0.2, 0.3).",
        )
    ((axis, values),) = passed.items()
    listed = values_of(axis, values, "numbers or pairs")
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
            raise InputError.about(
                axis, "contains a region twice; pass each region once.", value=values
            )
        regions = [
            ScannedRegion(*_ends(low, high), _middle(low, high), measure_at(axis, (low, high)))
            for low, high in pairs
        ]
        return regions, False
    if not all(numbers):
        raise InputTypeError.about(
            axis, "mixes numbers and pairs; pass one or the other.", value=values
        )
    _check_increasing(axis, values)
    if names := _point_axes(measure):
        if axis not in names:
            raise InputError.about(
                axis,
                "is not an axis of this measure at a single point.",
                value=values,
                hint=f"Pass {' or '.join(f'{name}=' for name in names)}.",
            )
        points = [ScannedRegion(float(v), float(v), float(v), measure_at(axis, v)) for v in values]
        return points, True
    return [_nested(axis, v, values, lower, measure_at) for v in values], True


def _check_increasing(axis: str, values: list[Any]) -> None:
    """Raise an error unless numbers are finite and increase."""
    if any(not math.isfinite(v) for v in values):
        raise InputError.about(axis, "contains a number that is not finite.", value=values)
    if any(b <= a for a, b in pairwise(values)):
        raise InputError.about(
            axis,
            f"must increase, because the regions {_NESTED[axis]} of a family are nested.",
            value=values,
            hint="Sort the numbers, or pass pairs (low, high).",
        )


def _nested(
    axis: str, value: Any, values: list[Any], lower: list[bool], measure_at: Factory
) -> ScannedRegion:
    """Return the region with a number as its variable end."""
    if axis == "threshold":
        if len(set(lower)) > 1:
            raise InputError.about(
                axis,
                "specifies the variable end of a region, but the two classifiers have different "
                "directions: lower scores of one are positive.",
                value=values,
                hint="Pass pairs (low, high).",
            )
        region: tuple[Any, Any] = (-math.inf, value) if lower[0] else (value, math.inf)
    else:
        empty, pair = (0, "(0, 0.1)") if axis == "fpr" else (1, "(0.9, 1)")
        if value == empty:
            raise InputError.about(
                axis,
                f"contains {empty}, where the region {_NESTED[axis]} is empty.",
                value=values,
                hint="Omit this number, or for regions with two fixed ends pass pairs: "
                f"{axis}=[{pair}].",
            )
        region = (0, value) if axis == "fpr" else (value, 1)
    return ScannedRegion(*_ends(*region), float(value), measure_at(axis, region))


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


def with_enough_observations(
    regions: list[ScannedRegion], axis: str, fewest: float, samples: list[Sample]
) -> tuple[list[ScannedRegion], tuple[str, ...]]:
    """Return the regions with enough expected observations, and the names of the others."""
    if fewest <= 0.0:
        return regions, ()
    if axis == "threshold":
        raise InputError.of(
            "fewest",
            fewest,
            "requires an FPR or TPR axis, on which the expected number in a region is known in "
            "advance; for a range of scores it is random.",
        )
    positives = axis in ("tpr", "sensitivity")
    n = min(s.rows.units[0 if positives else 1] for s in samples)
    enough = [n * r.measure.region.width >= fewest * (1.0 - 1e-9) for r in regions]
    included = [r for r, is_enough in zip(regions, enough, strict=True) if is_enough]
    if not included:
        noun = "positives" if positives else "negatives"
        raise InputError.of(
            "fewest",
            fewest,
            f"excludes all regions, because there are only {n:g} {noun}. Use wider regions, or a "
            "smaller number.",
        )
    excluded = [r for r, is_enough in zip(regions, enough, strict=True) if not is_enough]
    return included, tuple(str(r.measure.region) for r in excluded)
