"""Validation of the arguments ``variance=`` and ``measure=``, and conversion to objects."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pauci.checks import check_choice, check_flag
from pauci.errors import InputError, InputTypeError, Spelled, arg
from pauci.measures.base import Measure
from pauci.measures.user_function import Statistic
from pauci.variance import VarianceMethod
from pauci.variance.delta import DeltaVariance
from pauci.variance.influence import InfluenceVariance

if TYPE_CHECKING:
    from pauci.sample.sample import Sample

METHODS: dict[str, VarianceMethod] = {m.key: m for m in (InfluenceVariance(), DeltaVariance())}
"""Methods without options, by name."""

VarianceName = Literal["influence", "delta", "jackknife", "bootstrap"]
Variance = VarianceName | VarianceMethod


def method_of(variance: object) -> VarianceMethod:
    """Return the variance method for the argument `variance`."""
    refuse_measure("variance", variance)
    if isinstance(variance, VarianceMethod):
        return variance
    if isinstance(variance, type) and issubclass(variance, VarianceMethod):
        name = variance.__name__
        shown = f"pauci.{name}" if name in ("Bootstrap", "Jackknife") else name
        raise InputTypeError(
            arg("variance", Spelled(name, name)), f" is a class; pass {shown}().", value=variance
        )
    if variance == "bootstrap":
        from pauci.resampling.bootstrap import Bootstrap

        return Bootstrap()
    if variance == "jackknife":
        from pauci.variance.jackknife import Jackknife

        return Jackknife()
    if not isinstance(variance, str) and variance is not None:
        raise InputTypeError(
            arg("variance", variance),
            f" is not a variance method. Pass one of {', '.join(map(repr, METHODS))}, "
            "pauci.Bootstrap(), pauci.Jackknife(), or an object of a class derived from "
            "pauci.variance.VarianceMethod.",
        )
    check_choice("variance", variance, (*METHODS, "jackknife", "bootstrap"))
    return METHODS[str(variance)]


def check_conservative(conservative: object, samples: "Sequence[Sample]") -> None:
    """Raise an error if `conservative` is set although no sample has folds."""
    check_flag("conservative", conservative)
    if conservative and all(s.rows.fold is None for s in samples):
        raise InputError(
            arg("conservative", True),
            " is for cross-validation folds, but there are none; specify the fold of each row by ",
            arg("fold"),
            ".",
            value=True,
        )


def refuse_measure(argument: str, value: object) -> None:
    """Raise an error for a measure passed as another argument instead of in a list."""
    if isinstance(value, Measure) or (isinstance(value, type) and issubclass(value, Measure)):
        raise InputTypeError(
            arg(argument, value),
            " is a measure. Pass several measures as a list: [pauci.AUC(), pauci.AP()].",
        )


def measures_of(measure: object) -> list[Measure]:
    """Return a measure or a sequence of measures as a list, or raise an error."""
    measures: list[Any] = [measure]
    if isinstance(measure, (list, tuple)):
        measures = list(measure)
    if not measures:
        raise InputError("measure=[] contains no measure; pass one, such as pauci.AUC().")
    for i, m in enumerate(measures):
        if isinstance(m, type) and issubclass(m, Measure):
            example = f"({m.scalar}=0.1)" if m.scalar else "(fpr=(0, 0.1))" if m.kinds else "()"
            raise InputTypeError(
                arg("measure", Spelled(m.__name__, m.__name__)),
                f" is a class; pass pauci.{m.__name__}{example}.",
                value=m,
            )
        if callable(m) and not isinstance(m, type):
            measures[i] = Statistic(m)
        elif not isinstance(m, Measure):
            raise InputTypeError(
                f"measure={_short(m)} is not a measure; pass an object such as "
                "pauci.PAUCc(fpr=(0, 0.1)) or pauci.AUC().",
                argument="measure",
                value=m,
            )
    return measures


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
