"""Options that name measures and their regions, and the measures made of them."""

import functools
from typing import Any

import click
import numpy as np

from pauci.cli.help import option
from pauci.cli.options import alternative_option
from pauci.cli.parsing import AskedMeasures
from pauci.cli.wording import COMMAND, CommandWording, shortened
from pauci.curve.given import OTHER_NAMES
from pauci.errors import InputError, InputTypeError, arg
from pauci.measures import REGISTRY, Measure
from pauci.measures.other_names import suggestion

_AXIS_OF = {name: axis for axis, name in OTHER_NAMES.items()}
_REGIONS = ("fpr", "tpr", "specificity", "sensitivity", "threshold")


def measure_options(*, required: bool = True) -> list[Any]:
    """Return what names measures and their regions."""
    own = functools.partial(option, of_measure=True)
    pair = {"nargs": 2, "type": float, "metavar": "LOW HIGH"}
    return [
        option("Measure", "--measure", "measures", multiple=True, required=required,
               help="One of those below; repeat it for several, each followed by its options."),
        own("Measure", "--normalized", is_flag=True,
            help="Divide the area by the region's length."),
        own("Measure", "--prevalence", type=float,
            help="Share of positives that ap, auk and maxkappa are meant for."),
        own("Measure", "--negatives", is_flag=True, help="Average precision of the negatives."),
        own("Measure", "--rescaled", is_flag=True, help="Rescale ap or auc: 0 is chance."),
        own("Measure", "--corrected", is_flag=True,
            help="Correct ap for bias by the jackknife."),
        own("Region", "--fpr", **pair,
            help="Range of the FPR, such as 0 0.1 (specificity is 1 - FPR)."),
        own("Region", "--tpr", **pair, help="Range of the TPR (sensitivity), such as 0.8 1."),
        own("Region", "--specificity", **pair,
            help="Instead of --fpr: --specificity 0.9 1 is --fpr 0 0.1."),
        own("Region", "--sensitivity", **pair, help="Another name of --tpr."),
        own("Region", "--threshold", nargs=2, metavar="LOW HIGH",
            help="Range of the scores, low <= score < high, such as 3 5; inf is allowed."),
        own("Region", "--at", type=float,
            help="The FPR or TPR of a measure at one point: sensitivity, pai, ..."),
        own("Region", "--ends", type=click.Choice(["north-east", "middle"]),
            help="Where an end on a step of the curve lies.  [default: north-east]"),
    ]  # fmt: skip


def scan_options() -> list[Any]:
    """Return what names a measure and a family of regions."""
    pair = {"nargs": 2, "type": float, "metavar": "LOW HIGH"}
    moving = "The end that moves, from LOW to HIGH: regions"
    return [
        option("Measure", "--measure", "key", required=True,
               help="One of those below that has a region, or is taken at a point."),
        option("Measure", "--normalized", is_flag=True,
               help="Divide the area by the region's length."),
        option("Region", "--fpr", **pair, help=f"{moving} FPR 0 to x."),
        option("Region", "--tpr", **pair, help=f"{moving} TPR y to 1."),
        option("Region", "--specificity", **pair, help=f"{moving} specificity s to 1."),
        option("Region", "--sensitivity", **pair, help="Another name of --tpr."),
        option("Region", "--threshold", **pair,
               help="The end that moves: scores from there up (down, where lower is positive)."),
        option("Region", "--points", type=click.IntRange(min=1), default=50, show_default=True,
               help="How many regions, at equal distances."),
        option("Region", "--fewest", type=float, default=0.0, show_default=True,
               help="Leave out regions expected to hold fewer observations."),
        option("Region", "--ends", type=click.Choice(["north-east", "middle"]),
               help="Where an end on a step of the curve lies.  [default: north-east]"),
        option("Test", "--null", type=float,
               help="Value under the null hypothesis.  [default: 0, or chance for one score]"),
        alternative_option(),
        option("Test", "--draws", type=click.IntRange(min=1000), default=100_000,
               show_default=True, help="Draws of the largest statistic; --seed repeats them."),
    ]  # fmt: skip


def family_of(key: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return what makes the measure of a region, and the family, taken out of all options."""
    kind, points = _kind(key), options.pop("points")
    asked = {name: options.pop(name) for name in _REGIONS}
    family = {
        name: np.linspace(ends[0], ends[1], points) if points > 1 else [ends[0]]
        for name, ends in asked.items() if ends is not None
    }  # fmt: skip
    form = {name: options.pop(name) for name in ("normalized", "ends")}
    given = {name: value for name, value in form.items() if value}
    for name in given:
        if name not in kind.__dataclass_fields__:  # type: ignore[attr-defined]
            raise InputError(arg(name), f" does not go with --measure {key}.")
    return (functools.partial(kind, **given) if given else kind), family


def measures_of(asked: AskedMeasures) -> list[Measure]:
    """Make measures of their keys and options.

    The options after a measure are its own, and it must take them. Those before the first measure
    hold for every measure that takes them and has none of its own; a region of its own replaces all
    common ones.
    """
    several = len(asked.each) > 1
    measures, used = [], set()
    for key, own in asked.each:
        kind = _kind(key)
        replaced = {*own, *(_REGIONS if own.keys() & {*_REGIONS} else ())}
        common = {n: value for n, value in asked.common.items() if n not in replaced}
        used |= common.keys() & _options_of(kind)
        measures.append(_measure(key, kind, common, own, several=several))
    for name in asked.common:
        if name not in used:
            raise InputError(arg(name), f" {_why_unused(name, asked)}.")
    return measures


def _options_of(kind: type[Measure]) -> set[str]:
    """Return the options that a measure takes."""
    return {"at"} if kind.scalar else set(kind.__dataclass_fields__)  # type: ignore[attr-defined]


def _why_unused(name: str, asked: AskedMeasures) -> str:
    """Return why no measure uses an option that stands before all of them."""
    if not asked.each:
        return "needs a --measure"
    if any(name in _options_of(_kind(key)) for key in asked.keys):
        return (
            "stands before the first --measure, and every measure that takes it has one of its "
            "own; leave it out"
        )
    return f"does not go with --measure {' '.join(asked.keys)}"


def _measure(
    key: str, kind: type[Measure], common: dict[str, Any], own: dict[str, Any], *, several: bool
) -> Measure:
    """Make a measure of its own options and of those common ones that it takes."""
    taken = _options_of(kind)
    if kind.scalar and "at" not in {**common, **own}:
        raise _without_point(key, kind, [*common, *own], several=several)
    for name in own:
        if name not in taken:
            before = "; an option belongs to the --measure before it" if several else ""
            raise InputError(arg(name), f" does not go with --measure {key}{before}.")
    given = {**{name: value for name, value in common.items() if name in taken}, **own}
    if kind.scalar:
        return _at_a_point(kind, given["at"])
    if kind.kinds:
        _check_region(key, kind, given, several=several)
    if "threshold" in given:
        given["threshold"] = tuple(_number(word) for word in given["threshold"])
    return kind(**given)


def _kind(key: str) -> type[Measure]:
    """Return the class of a measure by its key."""
    if key.lower() not in REGISTRY:
        known = ", ".join(REGISTRY)
        raise InputError(
            arg("measure", key), f" is not known{suggestion(shortened(key))} "
            f"Accepted: {known}.",
        )  # fmt: skip
    return REGISTRY[key.lower()]


_WHERE = " Put it after that --measure, or before the first, where it holds for all that take it."
"""Where the region of one of several measures belongs."""


def _without_point(key: str, kind: type[Measure], given: list[str], *, several: bool) -> InputError:
    """Return an error about a measure at a single FPR or TPR that is not given."""
    wrong = [COMMAND.argument(name) for name in _REGIONS if name in given]
    instead = f", and {wrong[0]} does not go with it" if wrong else ""
    where = _WHERE if several else ""
    return InputError(
        arg("measure", key), f" needs a single {str(kind.scalar).upper()}: --at VALUE{instead}."
        f"{where}",
    )  # fmt: skip


def _at_a_point(kind: type[Measure], at: float) -> Measure:
    """Make a measure at a single FPR or TPR."""
    scalar = str(kind.scalar)
    try:
        return kind(**{scalar: at})
    except (InputError, InputTypeError) as error:
        said = error.said(CommandWording(options={scalar: "--at"}))
        raise InputError(said, argument="at", value=at) from None


def _check_region(key: str, kind: type[Measure], given: dict[str, Any], *, several: bool) -> None:
    """Refuse no region, and one that the measure does not have."""
    axes = [_AXIS_OF.get(name, name) for name in _REGIONS if name in given]
    way = "both" if {"fpr", "tpr"} <= set(axes) else axes[0] if axes else None
    if way in kind.kinds:
        return
    ways = " or ".join(f"--{k} LOW HIGH" for k in kind.kinds if k != "both")
    if way is None:
        where = _WHERE if several else ""
        raise InputError(arg("measure", key), f" needs a region: {ways}.{where}")
    asked = " with ".join(COMMAND.argument(name) for name in _REGIONS if name in given)
    raise InputError(arg("measure", key), f" does not take {asked}; its region is given by {ways}.")


def _number(word: str) -> float:
    try:
        if "_" not in word:
            return float(word)
    except ValueError:
        pass
    raise InputError(arg("threshold"), f" takes numbers, not {shortened(word)!r}.")
