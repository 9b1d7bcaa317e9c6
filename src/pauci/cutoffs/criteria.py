"""Criteria that a cut-off may maximize: measures at a cut-off, and the expected cost."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pauci import checks
from pauci.cutoffs.rules import Criterion
from pauci.errors import InputError, InputTypeError
from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff
from pauci.sample.rows import Design

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


@dataclass(frozen=True, eq=False)
class NamedCriterion:
    """A criterion with its name, and the number that is reported for its value."""

    name: str
    criterion: Criterion = field(compare=False)
    is_cost: bool = False
    """Whether the reported number is minimized."""

    def reported(self, value: Any) -> Any:
        """Return the number that is reported for a value of the criterion."""
        return -value if self.is_cost else value

    @property
    def extreme(self) -> str:
        """The word for the best value of the reported number."""
        return "smallest" if self.is_cost else "largest"


def criterion_of(maximize: Callable[..., Any], prevalence: Any, design: Design) -> NamedCriterion:
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
    criterion = Criterion(measure.of_rates, partial(_slopes, measure), share, of_share)
    return NamedCriterion(measure.name, criterion)


def _slopes(measure: AtCutoff, tpr: Any, fpr: Any, share: Any) -> tuple[Any, Any]:
    slopes = measure.rate_slopes(tpr, fpr, share)
    return slopes.fpr, slopes.tpr


def criterion_of_cost(cost: Any) -> NamedCriterion:
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
    criterion = Criterion(partial(_benefit, ratio), partial(_slopes_of_benefit, ratio), share, True)
    return NamedCriterion("expected cost", criterion, is_cost=True)


def _benefit(ratio: float, tpr: Any, fpr: Any, share: Any) -> Any:
    """Return minus the expected cost."""
    return -(share * ratio * (1.0 - tpr) + (1.0 - share) * fpr)


def _slopes_of_benefit(ratio: float, tpr: Any, fpr: Any, share: Any) -> tuple[Any, Any]:
    return fpr * 0.0 - (1.0 - share), tpr * 0.0 + share * ratio
