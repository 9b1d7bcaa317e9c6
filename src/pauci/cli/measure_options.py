"""Measures on the command line: which options belong to each, and the measures made of them."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import click

from pauci.cli.shell_syntax import SHELL, ShellSyntax, shortened
from pauci.curve.region_arguments import OTHER_NAMES
from pauci.errors import InputError, InputTypeError
from pauci.measures import REGISTRY, Measure
from pauci.measures.other_names import suggestion

_AXIS_OF = {name: axis for axis, name in OTHER_NAMES.items()}
_REGIONS = ("fpr", "tpr", "specificity", "sensitivity", "threshold")


@dataclass(frozen=True)
class AskedMeasures:
    """The measures of a command line, with the options that belong to them.

    Attributes
    ----------
    common : dict
        Options before the first ``--measure``. They hold for every measure that takes them and has
        none of its own.
    each : tuple of (str, dict)
        The key of each measure, and the options after it, up to the next ``--measure``.
    """

    common: Mapping[str, Any]
    each: tuple[tuple[str, Mapping[str, Any]], ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the measures, in their order."""
        return tuple(key for key, _ in self.each)


def asked_measures(
    parameters: Sequence[click.Parameter],
    order: Sequence[click.Parameter],
    values: Mapping[str, Any],
) -> AskedMeasures:
    """Return the measures of a command line with the options that belong to each.

    Parameters
    ----------
    parameters : sequence of click.Parameter
        All parameters of the command.
    order : sequence of click.Parameter
        Those on the command line, one entry each time that they are given.
    values : dict
        The value of every parameter: a tuple for those that may be repeated, in the same order.
    """
    given: dict[click.Parameter, Iterator[Any]] = {}
    for parameter in parameters:
        if isinstance(parameter, click.Option) and getattr(parameter, "of_measure", False):
            value = values[str(parameter.name)]
            given[parameter] = iter(value) if parameter.multiple else repeat(True)
    keys = iter(values["measures"])
    common: dict[str, Any] = {}
    each: list[tuple[str, dict[str, Any]]] = []
    current = common
    for parameter in order:
        name = str(parameter.name)
        if name == "measures":
            current = {}
            each.append((next(keys), current))
        elif parameter in given:
            if name in current:
                place = f"after --measure {each[-1][0]}" if each else "before the first --measure"
                raise InputError(
                    f"{parameter.opts[0]} is given twice {place}; it belongs to the --measure "
                    "before it, so give it once after each.",
                    argument=name,
                )
            current[name] = next(given[parameter])
    return AskedMeasures(common, tuple(each))


def measures_of(asked: AskedMeasures) -> list[Measure]:
    """Make measures from their keys and options.

    The options after a measure are its own, and it must take them. Those before the first measure
    hold for every measure that takes them and has none of its own; a region of its own replaces all
    common ones.
    """
    several = len(asked.each) > 1
    measures, used = [], set()
    for key, own in asked.each:
        kind = kind_of(key)
        replaced = {*own, *(_REGIONS if own.keys() & {*_REGIONS} else ())}
        common = {n: value for n, value in asked.common.items() if n not in replaced}
        used |= common.keys() & _options_of(kind)
        measures.append(_measure(key, kind, common, own, several=several))
    for name in asked.common:
        if name not in used:
            raise InputError(f"{name}= {_why_unused(name, asked)}.", argument=name)
    return measures


def factory_of(key: str, **form: Any) -> Any:
    """Return a function of a region that makes a measure, such as its class.

    `form` are the options of the measure that do not name its region, None or False if not given.
    """
    kind = kind_of(key)
    given = {name: value for name, value in form.items() if value}
    for name in given:
        if name not in kind.__dataclass_fields__:  # type: ignore[attr-defined]
            raise InputError(f"{name}= cannot be combined with --measure {key}.", argument=name)
    return functools.partial(kind, **given) if given else kind


def _options_of(kind: type[Measure]) -> set[str]:
    """Return the options that a measure takes."""
    return {"at"} if kind.scalar else set(kind.__dataclass_fields__)  # type: ignore[attr-defined]


def _why_unused(name: str, asked: AskedMeasures) -> str:
    """Return why no measure takes an option given before the first ``--measure``."""
    if not asked.each:
        return "needs a --measure"
    if any(name in _options_of(kind_of(key)) for key in asked.keys):
        return (
            "stands before the first --measure, and every measure that takes it has one of its "
            "own; leave it out"
        )
    return f"cannot be combined with --measure {' '.join(asked.keys)}"


def _measure(
    key: str,
    kind: type[Measure],
    common: Mapping[str, Any],
    own: Mapping[str, Any],
    *,
    several: bool,
) -> Measure:
    """Make a measure from its own options and the common ones that it takes."""
    taken = _options_of(kind)
    if kind.scalar and "at" not in {**common, **own}:
        raise _without_point(key, kind, [*common, *own], several=several)
    for name in own:
        if name not in taken:
            before = "; an option belongs to the --measure before it" if several else ""
            raise InputError(
                f"{name}= cannot be combined with --measure {key}{before}.", argument=name
            )
    given = {**{name: value for name, value in common.items() if name in taken}, **own}
    if kind.scalar:
        return _at_a_point(kind, given["at"])
    if kind.kinds:
        _check_region(key, kind, given, several=several)
    if "threshold" in given:
        given["threshold"] = tuple(_number(word) for word in given["threshold"])
    return kind(**given)


def kind_of(key: str) -> type[Measure]:
    """Return the class of a measure by its key."""
    if key.lower() not in REGISTRY:
        known = ", ".join(REGISTRY)
        raise InputError(
            f"measure={key!r} is not known{suggestion(shortened(key))} Accepted: {known}.",
            argument="measure",
            value=key,
        )
    return REGISTRY[key.lower()]


_WHERE = " Put it after that --measure, or before the first, where it holds for all that take it."
"""Advice on the region of one of several measures."""


def _without_point(key: str, kind: type[Measure], given: list[str], *, several: bool) -> InputError:
    """Return an error about a measure at a single FPR or TPR, which is missing."""
    wrong = [SHELL.option(name) for name in _REGIONS if name in given]
    instead = f", and {wrong[0]} does not go with it" if wrong else ""
    where = _WHERE if several else ""
    return InputError(
        f"measure={key!r} needs a single {str(kind.scalar).upper()}: --at VALUE{instead}.{where}",
        argument="measure",
        value=key,
    )


def _at_a_point(kind: type[Measure], at: float) -> Measure:
    """Make a measure at a single FPR or TPR."""
    scalar = str(kind.scalar)
    try:
        return kind(**{scalar: at})
    except (InputError, InputTypeError) as error:
        said = ShellSyntax(options={scalar: "--at"}).sentence(error)
        raise InputError(said, argument="at", value=at) from None


def _check_region(key: str, kind: type[Measure], given: dict[str, Any], *, several: bool) -> None:
    """Raise an error for a missing region, and one that the measure does not take."""
    axes = [_AXIS_OF.get(name, name) for name in _REGIONS if name in given]
    way = "both" if {"fpr", "tpr"} <= set(axes) else axes[0] if axes else None
    if way in kind.kinds:
        return
    ways = " or ".join(f"--{k} LOW HIGH" for k in kind.kinds if k != "both")
    if way is None:
        where = _WHERE if several else ""
        raise InputError(
            f"measure={key!r} needs a region: {ways}.{where}", argument="measure", value=key
        )
    asked = " with ".join(SHELL.option(name) for name in _REGIONS if name in given)
    raise InputError(
        f"measure={key!r} does not take {asked}; its region is given by {ways}.",
        argument="measure",
        value=key,
    )


def _number(word: str) -> float:
    try:
        if "_" not in word:
            return float(word)
    except ValueError:
        pass
    raise InputError(f"--threshold takes numbers, not {shortened(word)!r}.", argument="threshold")
