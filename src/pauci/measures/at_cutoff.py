r"""Measures at one cut-off: functions of sensitivity, false positive rate and prevalence.

The rule is "score >= threshold" (or <= if lower scores are positive) for a given threshold, or for
the threshold at a given point of the curve. With the true positive rate y, the false positive rate
x and the prevalence :math:`\pi`, the value is :math:`h(y, x, \pi)`. At a given threshold, the rates
are proportions, so that the influence values are

.. math:: u^1 = \frac{\partial h}{\partial y} 1\{S \ge t\}, \qquad
          u^0 = \frac{\partial h}{\partial x} 1\{S \ge t\}

and the derivative with respect to the prevalence, which is estimated in a cohort. At a given point,
one of the rates is known, and the other one has the influence of an estimated end.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field, fields, replace
from inspect import cleandoc
from textwrap import indent
from typing import Any, ClassVar, NamedTuple, TypeVar, dataclass_transform

import numpy as np

from pauci.checks import Bound, Cutoff, FloatArray, Number
from pauci.curve import region as regions
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Axis, Curve
from pauci.curve.region import Bounds, CutoffRegion, Piece, PointRegion, Region
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.measures.base import Measure, Request, register
from pauci.measures.influence import Influence, add_end
from pauci.measures.prevalence import AtPrevalence, validate_prevalence

TP, FP, FN, TN = np.eye(4)
"""The cells, as vectors that select them."""


class CellProportion(NamedTuple):
    """A proportion of rows: the cells that have a property, and all cells, which contain them."""

    part: FloatArray
    whole: FloatArray


SENSITIVITY = CellProportion(TP, TP + FN)
FPR = CellProportion(FP, FP + TN)
SPECIFICITY = CellProportion(TN, FP + TN)
PREVALENCE = CellProportion(TP + FN, TP + FP + FN + TN)

ON_STEP: dict[Axis, Any] = {"fpr": "north-east", "tpr": "south-west"}
"""The point of a step at a given rate, which has the best other rate."""


def ratio(numerator: Any, denominator: Any) -> Any:
    """Return a ratio of numbers or arrays: infinite or NaN if the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.true_divide(numerator, denominator)


def point_of(
    measure: Measure, threshold: Cutoff | None, points: Mapping[Axis, tuple[Any, Any]]
) -> Region:
    """Check the arguments that specify a cut-off, and return it as a region.

    `points` has the values of both names of each axis that the measure takes.
    """
    name = type(measure).__name__
    arguments = [regions.axis_argument(axis, *values) for axis, values in points.items()]
    passed = [a for a in arguments if a is not None]
    names = [a.name for a in passed] + ["threshold"] * (threshold is not None)
    if not names:
        others = [f"{regions.OTHER_NAMES[axis]}=" for axis in reversed(list(points))]
        if len(points) == 1:
            others = [f"{axis}=" for axis in points] + others
        hint = "Pass threshold=."
        if others:
            hint = f"Pass {', '.join(['threshold=', *others[:-1]])} or {others[-1]}."
        problem = f"{name} is evaluated at a single cut-off."
        raise InputTypeError(problem, argument="threshold", hint=hint)
    if len(names) > 1:
        problem = f"{' and '.join(names)} both specify the cut-off of {name}."
        raise InputError(problem, argument=names[0], hint="Pass only one of them.")
    if not passed:
        return CutoffRegion(regions.parse_cutoff(threshold))
    point, bound = passed[0], passed[0].bound(passed[0].value)
    if bound in (0, 1):
        problem = (
            f"is a corner of the curve, where the {measure.title} has no standard error; pass a "
            "value strictly between 0 and 1."
        )
        raise InputError.of(point.name, point.value, problem)
    return PointRegion(point.axis, bound, ON_STEP[point.axis])


AtCutoffMeasure = TypeVar("AtCutoffMeasure", bound="AtCutoff")

PARAMETERS = {
    "beta": """number, default 1
        Weight of the sensitivity relative to the PPV, positive.""",
    "threshold": """number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.""",
    "fpr": """number
        The false positive rate of the rule, instead of a threshold, which is then estimated.
    specificity : number
        The specificity of the rule, instead of `fpr`; it is stored as the FPR, 1 - specificity.""",
    "tpr": """number
        The true positive rate of the rule, instead of a threshold, which is then estimated.
    sensitivity : number
        Alternative name of `tpr`.""",
    "prevalence": """number, optional
        Prevalence of positives in the target population; the default is that of the sample.""",
}
"""What each argument of a measure at a cut-off is."""

EXAMPLE = """
    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> round(pauci.estimate(sample, pauci.{name}(threshold=2)).value, 4)
    {value}
    """


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def documented(value: str) -> Callable[[type[AtCutoffMeasure]], type[AtCutoffMeasure]]:
    """Register a class as a frozen dataclass with descriptions of its arguments and an example.

    `value` is the value of the measure in the example.
    """

    def of_class(cls: type[AtCutoffMeasure]) -> type[AtCutoffMeasure]:
        made = dataclass(frozen=True, eq=False, repr=False)(cls)
        listed = sorted((f.name for f in fields(made) if f.init), key=list(PARAMETERS).index)
        parameters = "\n".join(f"    {name} : {PARAMETERS[name]}" for name in listed)
        # Since Python 3.13, docstrings have no indentation.
        doc = indent(cleandoc(str(cls.__doc__)), "    ").lstrip()
        summary, notes, rest = doc.partition("\n    Notes\n")
        made.__doc__ = (
            f"{summary}\n    Parameters\n    ----------\n{parameters}\n{notes}{rest.rstrip()}\n"
            + EXAMPLE.format(name=cls.__name__, value=value)
        )
        return register(made)

    return of_class


@dataclass(frozen=True, eq=False, repr=False)
class AtCutoff(Measure):
    """A smooth function of sensitivity, false positive rate and prevalence at one cut-off."""

    threshold: "Cutoff | None" = field(default=None, kw_only=True)
    _region: Region = field(init=False, repr=False)

    undefined_if: ClassVar[str] = ""
    """Where the value is undefined, as a clause."""

    proportion: ClassVar[CellProportion | None] = None
    """The rows of which the value is a proportion, if the prevalence is that of the sample."""
    degenerate_maximum: ClassVar[str] = ""
    """Where the value is largest, as a clause, if the maximum is not a useful cut-off."""
    axes: ClassVar[tuple[Axis, ...]] = ()
    """The axes on which a rate can be passed instead of a threshold, each under two names."""
    range: ClassVar[Bounds] = Bounds(0.0, 1.0)

    def __post_init__(self, *other_names: Bound | None) -> None:
        # The fields that specify the region are set in the form in which they are compared.
        points = {a: (getattr(self, a), v) for a, v in zip(self.axes, other_names, strict=True)}
        region = point_of(self, self.threshold, points)
        object.__setattr__(self, "_region", region)
        if isinstance(region, CutoffRegion):
            object.__setattr__(self, "threshold", region.threshold)
        for axis in points:
            at = float(region.at) if isinstance(region, PointRegion) else None
            object.__setattr__(self, axis, at if region.axis == axis else None)

    @property
    def region(self) -> Region:
        """The cut-off."""
        return self._region

    @property
    def region_phrase(self) -> str:
        """The cut-off in words."""
        return str(self._region)

    @property
    def known_ends(self) -> bool:  # type: ignore[override]
        """Whether the threshold is given, so that nothing is estimated but proportions."""
        return not self._region.has_estimated_end

    def for_classifier(self, name: str) -> Measure:
        """Return the measure at the threshold of a classifier."""
        by_name = self.threshold
        if not isinstance(by_name, Mapping):
            return self
        if name not in by_name:
            names = ", ".join(map(repr, by_name))
            problem = f"has no threshold for {name!r}, but for {names}."
            hint = "Pass a threshold for every classifier."
            raise InputError.of("threshold", dict(by_name), problem, hint=hint)
        return replace(self, threshold=by_name[name])

    def proportion_in(self, *, cohort: bool) -> CellProportion | None:  # noqa: ARG002
        """Return the rows of which the value is a proportion, if it is one in such a sample."""
        return self.proportion

    @abstractmethod
    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the value at rates and a prevalence (numbers or arrays); NaN if undefined."""

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> tuple[Any, Any, Any]:
        """Return the derivatives of `of_rates` with respect to FPR, TPR and prevalence.

        They are calculated by a complex step (Squire and Trapp 1998).
        """
        at, step = (fpr, tpr, share), 1e-30
        moved = ([v + 1j * step * (i == k) for i, v in enumerate(at)] for k in range(3))
        by_fpr, by_tpr, slope = (np.imag(self.of_rates(y, x, p)) / step for x, y, p in moved)
        return by_fpr, by_tpr, slope

    def _share(self, table: CountTable) -> float:
        """Return the prevalence that the value depends on."""
        return table.prevalence

    fixed_share: ClassVar[float] = math.nan
    """The specified prevalence; NaN if the value does not depend on one."""

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the value at the point of the curve."""
        point = piece.end
        value = float(self.of_rates(point.tpr, point.fpr, self._share(curve.table)))
        if not math.isfinite(value):
            reason = f" is undefined here: {self.undefined_if} at {self.region_phrase}."
            raise UndefinedError((self, reason), hint="Use another cut-off.")
        return value

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of the two rates and of the prevalence."""
        point, region = piece.end, self._region
        share = self._share(curve.table)
        by_fpr, by_tpr, slope = self.rate_slopes(point.tpr, point.fpr, share)
        by_share = float(slope) if self.uses_sample_prevalence else 0.0
        pos, neg = np.zeros((2, min(point.group + 2, curve.table.size)))
        influence = Influence(pos, neg, by_share)
        if region.has_estimated_end:
            end = region.rate_ends[0]
            by_rate = by_tpr if end.axis == "fpr" else by_fpr
            return add_end(influence, float(by_rate), curve, end.axis, end.rate, point)
        pos[: point.group], neg[: point.group] = by_tpr, by_fpr
        return influence

    def requests(self) -> tuple[Request, ...]:
        """Return the point, and the prevalence of the resampled data if it is needed."""
        point = Request("piece", self._region)
        return (point, Request("prevalence")) if self.uses_sample_prevalence else (point,)

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the values on resampled curves."""
        _, _, _, fpr, tpr = answers[0].T
        share = answers[1][:, 0] if self.uses_sample_prevalence else self.fixed_share
        values = np.asarray(self.of_rates(tpr, fpr, share))
        return np.where(np.isfinite(values), values, np.nan)


@dataclass(frozen=True, eq=False, repr=False)
class AtCutoffAndPrevalence(AtCutoff, AtPrevalence):  # type: ignore[override]
    """A measure at one cut-off and at a prevalence, by default that of the sample."""

    prevalence: "Number | None" = field(default=None, kw_only=True)

    def __post_init__(self, *other_names: Bound | None) -> None:
        validate_prevalence(self.prevalence)
        super().__post_init__(*other_names)

    def effective_size(self, n_pos: float, n_neg: float) -> float | None:  # noqa: ARG002
        """Return None, because the standard error shows how few observations there are."""
        return None

    def proportion_in(self, *, cohort: bool) -> CellProportion | None:
        """Return the rows of which the value is a proportion, if the prevalence is estimated."""
        return self.proportion if cohort and self.prevalence is None else None

    def _share(self, table: CountTable) -> float:
        """Return the specified prevalence, or that of the table."""
        return float(self._shares(table).pos)

    @property
    def fixed_share(self) -> float:  # type: ignore[override]
        """The specified prevalence."""
        return math.nan if self.prevalence is None else float(self.prevalence)


@dataclass(frozen=True, eq=False, repr=False)
class AtPointAndPrevalence(AtCutoffAndPrevalence):
    """A measure at a given threshold, specificity or sensitivity, and at a prevalence."""

    axes: ClassVar[tuple[Axis, ...]] = ("fpr", "tpr")

    fpr: "Bound | None" = field(default=None, kw_only=True)
    tpr: "Bound | None" = field(default=None, kw_only=True)
    specificity: InitVar["Bound | None"] = field(default=None, kw_only=True)
    sensitivity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def half_of_range(self, table: CountTable, half: float) -> float:
        """Return the distance from 0 or 1 if the estimated rate is a distance `half` from them.

        It is at most `half`. At a low prevalence every negative predictive value is near 1. It
        is at least the spacing of floating-point numbers, so that log odds are finite.
        """
        if not self._region.has_estimated_end:
            return half
        end, rates = self._region.rate_ends[0], np.array([half, 1.0 - half])
        tpr, fpr = (rates, end.rate) if end.axis == "fpr" else (end.rate, rates)
        values = self.of_rates(tpr, fpr, self._share(table))
        distance = min(float(values.min()), float(1.0 - values.max()))
        return min(half, max(distance, float(np.finfo(float).eps)))


@register
@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(AtCutoff):
    r"""Sensitivity at a given false positive rate, or at a given threshold.

    Parameters
    ----------
    fpr : number
        The false positive rate, strictly between 0 and 1.
    specificity : number
        The specificity, instead of `fpr`; it is stored as the FPR, 1 - specificity.
    threshold : number, category or dict
        The threshold, instead of a rate: the rule is score >= threshold, or <= if lower scores are
        positive. A dict has the threshold of each classifier by name.

    Notes
    -----
    At a given threshold, the estimate is a proportion of the positives. At a given rate it is R(x),
    the upper end if x is on a step; the threshold is then estimated, so the variance is the
    binomial variance of the positives plus the squared slope times the binomial variance of the
    negatives (Linnet 1987).

    References
    ----------
    K. Linnet (1987), Statistics in Medicine 6:147-158.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 12, [1, 2, 2, 4, 3, 5] * 12)
    >>> round(pauci.estimate(sample, pauci.Sensitivity(fpr=0.5)).value, 4)
    0.8333
    """

    key: ClassVar[str] = "sensitivity"
    symbol: ClassVar[str] = "sensitivity"
    title: ClassVar[str] = "sensitivity"
    reference: ClassVar[str] = "Linnet 1987, Statistics in Medicine 6:147-158"
    scalar: ClassVar[Axis] = "fpr"
    axes: ClassVar[tuple[Axis, ...]] = ("fpr",)
    proportion: ClassVar[CellProportion | None] = SENSITIVITY
    degenerate_maximum: ClassVar[str] = "is largest if all rows are called positive"

    fpr: "Bound | None" = field(default=None, kw_only=True)
    specificity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the true positive rate."""
        return tpr

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of positives, or the size of the smaller class at a given rate."""
        return float(n_pos) if self.known_ends else super().pairs(n_pos, n_neg)


@register
@dataclass(frozen=True, eq=False, repr=False)
class Specificity(AtCutoff):
    r"""Specificity at a given sensitivity, or at a given threshold.

    Parameters
    ----------
    tpr : number
        The true positive rate (sensitivity), strictly between 0 and 1.
    sensitivity : number
        Alternative name of `tpr`.
    threshold : number, category or dict
        The threshold, instead of a rate: rows with score >= threshold are predicted positive, or <=
        if lower scores are positive. A dict has the threshold of each classifier by name.

    Notes
    -----
    At a given threshold, the estimate is a proportion of the negatives. At a given rate it is
    :math:`1 - R^{-1}(y)`. If y is on a step, it is the left (south-west) end, which
    has the highest specificity with this sensitivity. The threshold is estimated, as for
    `Sensitivity`.

    References
    ----------
    K. Linnet (1987), Statistics in Medicine 6:147-158.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1] * 30 + [1] * 30, range(90))
    >>> round(pauci.estimate(sample, pauci.Specificity(tpr=0.8)).value, 4)
    0.4333
    """

    key: ClassVar[str] = "specificity"
    symbol: ClassVar[str] = "specificity"
    title: ClassVar[str] = "specificity"
    reference: ClassVar[str] = "Linnet 1987, Statistics in Medicine 6:147-158"
    scalar: ClassVar[Axis] = "tpr"
    axes: ClassVar[tuple[Axis, ...]] = ("tpr",)
    proportion: ClassVar[CellProportion | None] = SPECIFICITY
    degenerate_maximum: ClassVar[str] = "is largest if no row is called positive"

    tpr: "Bound | None" = field(default=None, kw_only=True)
    sensitivity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return 1 - the false positive rate."""
        return 1.0 - fpr

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of negatives, or the size of the smaller class at a given rate."""
        return float(n_neg) if self.known_ends else super().pairs(n_pos, n_neg)
