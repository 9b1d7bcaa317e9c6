"""What an option belongs to: the measure before it, all measures, or the whole command."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import click

from pauci.errors import InputError


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

    common: dict[str, Any]
    each: tuple[tuple[str, dict[str, Any]], ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the measures, in their order."""
        return tuple(key for key, _ in self.each)


def is_number(word: str) -> bool:
    """Tell whether a word of the command line is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def no_number(word: str) -> str:
    """Return what to say of a word that is no number, and how the number is written."""
    meant = word.strip().rstrip("%").strip().replace(",", ".", 1)
    if not is_number(meant):
        return f"{word} is no number."
    if "%" in word:
        return f"{word} is no number; write a share, {float(meant) / 100:.10g}."
    return f"{word} is no number; write it with a decimal point, {meant}."


class _Number(click.types.FloatParamType):
    """A number; what is none is explained."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that a word is."""
        if not isinstance(value, str) or is_number(value):
            return super().convert(value, param, ctx)
        if param is not None and param.nargs > 1 and value.startswith("--"):
            self.fail(f"it takes {param.nargs} numbers, and {value} comes after one.", param, ctx)
        return self.fail(no_number(value), param, ctx)


class GroupedOption(click.Option):
    """An option that belongs to one group of the help.

    `of_measure` is set for the options of a measure, such as its region: the same one may be given
    once for each measure.
    """

    def __init__(self, *names: Any, group: str, of_measure: bool = False, **settings: Any) -> None:
        if of_measure and not settings.get("is_flag"):
            settings["multiple"] = True
        if settings.get("type") is float:
            settings["type"] = _Number()
        super().__init__(*names, **settings)
        self.group = group
        self.of_measure = of_measure


def refuse_repeated(order: Iterable[click.Parameter]) -> None:
    """Refuse options that were given twice and mean one thing, of which the last would hold."""
    for parameter, times in Counter(order).items():
        single = isinstance(parameter, click.Option) and not parameter.multiple
        if times > 1 and single and not getattr(parameter, "of_measure", False):
            raise InputError(
                f"{parameter.opts[0]} is given {_times(times)}, and it takes one value; "
                "give it once.",
                argument=parameter.name,
            )


def asked_measures(
    parameters: Sequence[click.Parameter], order: Sequence[click.Parameter], values: dict[str, Any]
) -> AskedMeasures:
    """Return the measures of a command line with their options, which are taken out of `values`.

    Parameters
    ----------
    parameters : sequence of click.Parameter
        All parameters of the command.
    order : sequence of click.Parameter
        Those on the command line, one entry each time that they are given.
    values : dict
        The value of every parameter: a tuple of those that may be repeated, in the same order.
    """
    given: dict[click.Parameter, Iterator[Any]] = {}
    for parameter in parameters:
        if isinstance(parameter, GroupedOption) and parameter.of_measure:
            value = values.pop(str(parameter.name))
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


def _times(times: int) -> str:
    return "twice" if times == 2 else f"{times} times"
