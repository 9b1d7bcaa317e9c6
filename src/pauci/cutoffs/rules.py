"""Rules by which a cut-off is chosen, and the criteria that a rule maximizes.

Rules that choose a cut-off, as functions of cumulative counts.

Entry k of the cumulative counts, k = 0..K, is the cut-off at which the first k tie groups are
called positive, best score first. At entry 0 no row is called positive. A rule returns the entry
that it chooses, for one table of counts or for many at once (along the last axis), which makes
cross-fitting fast.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from pauci import checks
from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.curve.exact_sums import first_largest
from pauci.errors import InputError, InputTypeError
from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff
from pauci.sample.rows import Design

_ROUNDING = 1e-9

"""Relative distance of a rate from a limit that it reaches except for rounding."""


def rates(cum: FloatArray) -> FloatArray:
    """Return cumulative counts divided by their total, along the last axis."""
    return np.asarray(cum / cum[..., -1:])


class Rule(ABC):
    """A rule that chooses an entry of the cumulative counts of positives and of negatives."""

    order_of_optimism: ClassVar[float] = 1.0
    """The optimism in n observations is of order n to minus this power."""

    fixed_rate: ClassVar[str] = ""
    """The name of the rate that the rule fixes, if it fixes one."""

    @property
    @abstractmethod
    def phrase(self) -> str:
        """The rule in words, after "the cut-off of <classifier> with"."""

    @abstractmethod
    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the chosen entry, along the last axis."""

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries.

        A rate changes in one direction, so the entry is beside the one that `entry` returns, or
        beside an entry with equally many rows.
        """
        called = cum_pos + cum_neg
        chosen = np.take_along_axis(called, self.entry(cum_pos, cum_neg)[..., None], -1)
        below = called[..., :-1] <= chosen * (1.0 + _ROUNDING)
        return np.asarray(below & (called[..., 1:] >= chosen * (1.0 - _ROUNDING)))


@dataclass(frozen=True)
class AtRate(Rule):
    """A cut-off at which a rate is at least `rate`, which was passed as `argument`."""

    rate: float
    argument: str = ""

    @property
    def phrase(self) -> str:
        """The rule in words."""
        return f"a {self.fixed_rate} of at least {self.rate:.10g}"


class AtSpecificity(AtRate):
    """The lowest cut-off whose specificity is at least `rate`."""

    fixed_rate: ClassVar[str] = "specificity"

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the last entry that reaches the specificity, at a score of the counted rows.

        Between two of their scores there may be scores of rows that were left out. A cut-off there
        would depend on them: it would be the lowest one above the next negative that is counted.
        """
        reached = 1.0 - rates(cum_neg) >= self.rate * (1.0 - _ROUNDING)
        last = reached.sum(axis=-1, keepdims=True) - 1
        called = cum_pos + cum_neg
        fewer = called < np.take_along_axis(called, last, -1) * (1.0 - _ROUNDING)
        return np.asarray(fewer.sum(axis=-1))


class AtSensitivity(AtRate):
    """The highest cut-off whose sensitivity is at least `rate`."""

    fixed_rate: ClassVar[str] = "sensitivity"

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:  # noqa: ARG002
        """Return the first entry that reaches the sensitivity."""
        return np.asarray((rates(cum_pos) >= self.rate * (1.0 - _ROUNDING)).argmax(axis=-1))


@dataclass(frozen=True)
class EqualRates(Rule):
    """The cut-off whose sensitivity and specificity are closest to each other."""

    phrase = "equal sensitivity and specificity"

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the first entry with the smallest difference."""
        return first_largest(-np.abs(rates(cum_pos) + rates(cum_neg) - 1.0))

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries."""
        gap = rates(cum_pos) + rates(cum_neg) - 1.0
        nearest = np.maximum(np.maximum(gap[..., :-1], -gap[..., 1:]), 0.0)
        return np.asarray(nearest <= np.abs(gap).min(axis=-1, keepdims=True) + _ROUNDING)


@dataclass(frozen=True, eq=False)
class Criterion:
    """A function of a point of the curve, which increases in the TPR and decreases in the FPR.

    Parameters
    ----------
    value, slopes : callable
        Functions of TPR, FPR and the proportion of positives: the value, and the derivatives with
        respect to FPR and TPR.
    share : float, optional
        The proportion of positives if it is known; otherwise it is that of the data.
    of_share : bool, default False
        Whether the criterion depends on the proportion of positives.
    name : str
        The name of the measure.
    is_cost : bool, default False
        Whether the number that is reported is a cost, minus the value.
    """

    value: Callable[[Any, Any, Any], Any] = field(compare=False)
    slopes: Callable[[Any, Any, Any], tuple[Any, ...]] = field(compare=False)
    share: float | None = None
    of_share: bool = False
    name: str = ""
    is_cost: bool = False

    def reported(self, value: Any) -> Any:
        """Return the number that is reported for a value of the criterion."""
        return -value if self.is_cost else value

    @property
    def share_is_estimated(self) -> bool:
        """Whether the criterion depends on a proportion of positives that is estimated."""
        return self.of_share and self.share is None

    def share_of(self, cum_pos: FloatArray, cum_neg: FloatArray) -> Any:
        """Return the proportion of positives, along the last axis."""
        if self.share is not None:
            return self.share
        return cum_pos[..., -1:] / (cum_pos[..., -1:] + cum_neg[..., -1:])

    def along(self, cum_pos: FloatArray, cum_neg: FloatArray) -> FloatArray:
        """Return the values at all entries; NaN where the criterion is undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.share_of(cum_pos, cum_neg)
            return np.asarray(self.value(rates(cum_pos), rates(cum_neg), share))


@dataclass(frozen=True)
class Maximize(Rule):
    """The highest cut-off with the largest value of a criterion."""

    order_of_optimism: ClassVar[float] = 2.0 / 3.0

    criterion: Criterion

    @property
    def phrase(self) -> str:
        """The rule in words."""
        return f"the {'smallest' if self.criterion.is_cost else 'largest'} {self.criterion.name}"

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the first entry with the largest value."""
        values = self.criterion.along(cum_pos, cum_neg)
        return first_largest(np.where(np.isnan(values), -np.inf, values))

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries.

        The TPR at the second and the FPR at the first give an upper bound of the values between.
        """
        values = self.criterion.along(cum_pos, cum_neg)
        largest = np.where(np.isnan(values), -np.inf, values).max(axis=-1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.criterion.share_of(cum_pos, cum_neg)
            at = rates(cum_pos)[..., 1:], rates(cum_neg)[..., :-1]
            bound = np.asarray(self.criterion.value(*at, share))
            return np.asarray(~(bound < largest - _ROUNDING * np.maximum(np.abs(largest), 1.0)))


_EXAMPLES = "pauci.Youden, or functools.partial(pauci.F, beta=2)"

_FIXED = ("threshold", "specificity", "sensitivity", "fpr", "tpr")

"""Arguments of measures that fix the cut-off."""


def accepted_measures() -> dict[str, type[AtCutoff]]:
    """Return the measures that a cut-off may maximize, by their keys on the command line."""
    return {
        key: kind
        for key, kind in REGISTRY.items()
        if issubclass(kind, AtCutoff) and not kind.degenerate_maximum
    }


def criterion_of(maximize: Callable[..., Any], prevalence: Any, design: Design) -> Criterion:
    """Return the criterion of a class of a measure, or of a partial of one."""
    kind: Any = maximize
    values, options = (), {}
    if isinstance(maximize, partial):
        kind, values, options = maximize.func, maximize.args, dict(maximize.keywords)
    if not isinstance(kind, type):
        raise InputTypeError.of(
            "maximize", maximize, "is not the class of a measure.", hint=f"Pass {_EXAMPLES}."
        )
    name, accepted = kind.__name__, accepted_measures()
    names = ", ".join(measure.__name__ for measure in accepted.values())
    if not issubclass(kind, AtCutoff):
        raise InputError.of(
            "maximize",
            maximize,
            "is not a measure of the accuracy at a cut-off.",
            shown=name,
            hint=f"Pass one of {names}.",
        )
    if kind.degenerate_maximum:
        raise InputError.of(
            "maximize",
            maximize,
            f"{kind.degenerate_maximum}, so that its maximum is no useful cut-off.",
            shown=name,
            hint=f"Maximize one of {names}, or specify specificity= or sensitivity=.",
        )
    for fixed in _FIXED:
        if fixed in options:
            raise InputError.about(
                "maximize",
                f"fixes the cut-off, which is to be chosen: {name} has {fixed}={options[fixed]!r}.",
                value=maximize,
            )
    arguments = kind.arguments()
    of_share = "prevalence" in arguments
    if prevalence is not None:
        if not of_share:
            raise InputError.of(
                "prevalence", prevalence, f"does not apply: {name} does not depend on it."
            )
        if "prevalence" in options:
            raise InputError.of("prevalence", prevalence, f"is specified twice, also for {name}.")
        options["prevalence"] = prevalence
    if "threshold" in arguments:
        options["threshold"] = 0.0
    measure = kind(*values, **options)
    share = getattr(measure, "prevalence", None)
    if of_share and share is None and design == "case-control":
        raise InputError.about(
            "prevalence",
            f"is required: {name} depends on the prevalence, which is not known in a case-control "
            "sample.",
            hint="Specify the prevalence of the target population by prevalence=, or maximize "
            "pauci.Youden.",
        )
    return Criterion(measure.of_rates, measure.rate_slopes, share, of_share, measure.name)


def criterion_of_cost(cost: Any) -> Criterion:
    """Return the criterion of a cost ratio and a prevalence: minus the expected cost.

    The unit is the cost of a false positive.
    """
    try:
        ratio, prevalence = cost
    except (TypeError, ValueError):
        raise InputTypeError.of(
            "cost",
            cost,
            "must be a pair: the cost of a false negative divided by that of a false positive, and "
            "the prevalence.",
            hint="Pass for example cost=(10, 0.02).",
        ) from None
    ratio = checks.finite("cost", ratio)
    if ratio <= 0.0:
        raise InputError.of(
            "cost",
            cost,
            "has a ratio that is not positive; it is the cost of a false negative divided by that "
            "of a false positive.",
        )
    share = checks.finite("cost", prevalence)
    if not 0.0 < share < 1.0:
        raise InputError.of(
            "cost", cost, "has a prevalence that does not lie strictly between 0 and 1."
        )
    functions = partial(_benefit, ratio), partial(_slopes_of_benefit, ratio)
    return Criterion(*functions, share, True, "expected cost", is_cost=True)


def _benefit(ratio: float, tpr: Any, fpr: Any, share: Any) -> Any:
    """Return minus the expected cost."""
    return -(share * ratio * (1.0 - tpr) + (1.0 - share) * fpr)


def _slopes_of_benefit(ratio: float, tpr: Any, fpr: Any, share: Any) -> tuple[Any, Any]:
    return fpr * 0.0 - (1.0 - share), tpr * 0.0 + share * ratio
