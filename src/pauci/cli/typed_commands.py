"""Commands made from typed functions, with options that are declared once.

An option is declared with the type of its value, ``Level = Annotated[float, option(...)]``. Options
that belong together are fields of a frozen dataclass, ``level: float = option(...)``. The decorator
`command` turns a function whose parameters have such types into a command: the options are those of
its signature, and the function is called with their values, or with an object for a dataclass.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import click

from pauci.checks import choice_advice
from pauci.cli.measure_options import parsed_measures
from pauci.cli.output import refuse_overwriting
from pauci.errors import InputError
from pauci.measures import REGISTRY

GROUPS = ("Data", "Measure", "Region", "Points", "Uncertainty", "Test", "Output")
"""Groups of options in the help, in their order."""

_RULES = "Give an option once, unless its help says that it may be repeated."
_RULES_OF_MEASURES = (
    "Options of the groups Measure and Region apply to the --measure before them. Before the first "
    "--measure they apply to every measure that takes them and does not have its own (its own "
    "region replaces the whole common region)."
)


# Declarations


@dataclass(frozen=True)
class Option:
    """The declaration of an option: its group in the help, its flag, and settings of click.

    The type, the number of values and whether the option is repeated follow from the type of the
    parameter, unless the settings say otherwise: a ``bool`` is a flag, a ``Literal`` a choice, a
    ``tuple[float, float]`` takes two numbers, and a ``tuple[str, ...]`` is repeated.
    """

    group: str
    flag: str
    settings: Mapping[str, Any]

    def required(self) -> "Option":
        """Return the same option, required."""
        return replace(self, settings={**self.settings, "required": True})

    def parameters(self, name: str, type_: Any) -> list[click.Parameter]:
        """Return the parameter of click that hands over its value under a name."""
        settings = {**_settings_of(type_), **self.settings}
        settings["show_default"] = settings.get("default") is not None
        return [GroupedOption([self.flag, name], group=self.group, **settings)]


def option(group: str, flag: str, **settings: Any) -> Any:
    """Declare an option of a group, in ``Annotated`` or as the default of a field."""
    return Option(group, flag, settings)


@dataclass(frozen=True)
class FileArgument:
    """The declaration of an argument, with a paragraph for the help of the command."""

    about: str = ""
    required: bool = True

    def parameters(self, name: str, type_: Any) -> list[click.Parameter]:
        """Return the parameter of click that hands over its value under a name."""
        settings = _settings_of(type_)
        if settings.pop("multiple", False):
            settings["nargs"] = -1
        return [click.Argument([name], required=self.required, **settings)]


def _settings_of(type_: Any) -> dict[str, Any]:
    """Return the settings of click that follow from the type of a parameter."""
    if get_origin(type_) in (Union, UnionType):
        (type_,) = (t for t in get_args(type_) if t is not NoneType)
    if type_ is bool:
        return {"is_flag": True}
    if get_origin(type_) is Literal:
        return {"type": Choice(get_args(type_))}
    if get_origin(type_) is tuple:
        first, *others = get_args(type_)
        several = {"multiple": True} if others == [...] else {"nargs": 1 + len(others)}
        return {**_settings_of(first), **several}
    return {"type": type_}


def command(
    name: str, *, short_help: str, example: str, cls: "type[GroupedCommand] | None" = None
) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator that makes a command of a function with declared parameters.

    The docstring of the function and the paragraphs on its arguments are the help.
    """

    def command_of(function: Callable[..., None]) -> click.Command:
        types = get_type_hints(function, include_extras=True)
        del types["return"]

        def callback(**values: Any) -> None:
            function(**{key: _value_of(key, type_, values) for key, type_ in types.items()})

        declared = [d for type_ in types.values() for d in getattr(type_, "__metadata__", ())]
        about = [d.about for d in declared if isinstance(d, FileArgument) and d.about]
        return (cls or GroupedCommand)(
            name,
            callback=callback,
            params=[p for key, type_ in types.items() for p in _parameters_of(key, type_)],
            help="\n\n".join([inspect.cleandoc(function.__doc__ or ""), *about]),
            short_help=short_help,
            example=example,
        )

    return command_of


def _parameters_of(name: str, type_: Any) -> list[click.Parameter]:
    """Return click's parameters for a parameter of a function or a field of a dataclass."""
    if get_origin(type_) is Annotated:
        type_, declaration = get_args(type_)
        parameters: list[click.Parameter] = declaration.parameters(name, type_)
        return parameters
    return [p for field, t in _fields_of(type_).items() for p in _parameters_of(field, t)]


def _value_of(name: str, type_: Any, values: Mapping[str, Any]) -> Any:
    """Return the value of a parameter of a function, from the values of click's parameters."""
    if get_origin(type_) is Annotated:
        return values[name]
    return type_(**{field: _value_of(field, t, values) for field, t in _fields_of(type_).items()})


def _fields_of(type_: Any) -> dict[str, Any]:
    """Return the types of the fields of a dataclass, annotated with the options declared there."""
    types = get_type_hints(type_)
    return {
        field.name: Annotated[types[field.name], field.default]
        if isinstance(field.default, Option)
        else types[field.name]
        for field in fields(type_)
    }


# Values


def is_number(word: str) -> bool:
    """Return whether an option value is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def not_a_number(word: str) -> str:
    """Return why a value is not a number, and how the number is written."""
    meant = word.strip().rstrip("%").strip().replace(",", ".", 1)
    if not is_number(meant):
        return f"{word} is not a number."
    if "%" in word:
        return f"{word} is not a number; write a proportion, {float(meant) / 100:.10g}."
    return f"{word} is not a number; write it with a decimal point, {meant}."


class _Number(click.types.FloatParamType):
    """A number, with advice on words that are not numbers."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that a word spells."""
        if not isinstance(value, str) or is_number(value):
            return super().convert(value, param, ctx)
        if param is not None and param.nargs > 1 and value.startswith("--"):
            self.fail(f"it takes {param.nargs} numbers, but {value} follows the first.", param, ctx)
        return self.fail(not_a_number(value), param, ctx)


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:  # click 8.1 has no type argument
    _Choice = click.Choice


class Choice(_Choice):
    """A choice of words, with advice on the names used by other packages."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or raise an error with advice."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            advice = choice_advice(param.name or "", value) if param else None
            if advice is None:
                raise
            raise click.BadParameter(f"{error.message} {advice}", ctx, param) from None


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


# Commands


class GroupedCommand(click.Command):
    """A command whose help has the options in groups, and an example.

    All numbers that follow an option in `several` belong to it: ``--edges 0 0.1 1``.
    """

    several: tuple[str, ...] = ("--edges",)

    def __init__(self, *names: Any, example: str = "", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.example = example

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line; repeat options in `several` before each of their numbers."""
        arguments = self._repeated(args)
        remaining = super().parse_args(ctx, [*arguments])
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(arguments)
            _refuse_repeated(order)
            if self._takes_measures:
                ctx.params["measures"] = parsed_measures(self.params, order, ctx.params)
            refuse_overwriting(self.params, ctx.params)
        return remaining

    def _repeated(self, args: Sequence[str]) -> list[str]:
        """Return the words of a command line with options in `several` repeated for each value."""
        arguments: list[str] = []
        current = ""
        for argument in args:
            if argument in self.several:
                arguments += [current] if current else []
                current, first = argument, True
            elif current and is_number(argument):
                arguments.append(f"{current}={argument}")
                first = False
            else:
                arguments += [current] if current and first else []
                arguments.append(argument)
                current = ""
        return arguments + ([current] if current and first else [])

    @property
    def _takes_measures(self) -> bool:
        return any(parameter.name == "measures" for parameter in self.params)

    def make_context(self, *names: Any, **settings: Any) -> click.Context:
        """Name the commands that have an option if users often try it with another command."""
        try:
            return super().make_context(*names, **settings)
        except click.NoSuchOption as error:
            explanation = _EXPLAINED.get(error.option_name)
            if explanation is None:
                raise
            raise click.UsageError(f"{error.option_name} {explanation}", error.ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group, the list of measures, and the rules of repetition."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = (
                None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            )
            if record is not None:
                groups[getattr(parameter, "group", GROUPS[-1])].append(record)
        for group, records in groups.items():
            _write_section(formatter, group, records)
            if group == "Measure" and records:
                _write_section(formatter, "Measures", [(k, line_of(k)) for k in REGISTRY])
        formatter.write_paragraph()
        formatter.write_text(f"{_RULES} {_RULES_OF_MEASURES}" if self._takes_measures else _RULES)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the example as it is typed, on one line."""
        if self.example:
            formatter.write(f"\nExample:\n  {self.example}\n")


_AT_A_RATE = (
    "is an option of pauci points and pauci report, and of pauci estimate for the point of "
    "--measure {}."
)

_EXPLAINED = {
    "--fold": "is an option of pauci estimate and pauci compare, which average measures over "
    "folds; scores of different folds have no common curve.",
    "--at-specificity": _AT_A_RATE.format("sensitivity"),
    "--at-sensitivity": _AT_A_RATE.format("specificity"),
}
"""Advice on options of other commands."""


def _refuse_repeated(order: Iterable[click.Parameter]) -> None:
    """Raise an error for options with one value that are given several times."""
    for parameter, times in Counter(order).items():
        single = isinstance(parameter, click.Option) and not parameter.multiple
        if times > 1 and single and not getattr(parameter, "of_measure", False):
            often = "twice" if times == 2 else f"{times} times"
            raise InputError(
                f"{parameter.opts[0]} is given {often}, but it takes one value.",
                argument=parameter.name,
            )


def _write_section(
    formatter: click.HelpFormatter, title: str, records: Sequence[tuple[str, str]]
) -> None:
    if records:
        with formatter.section(title):
            formatter.write_dl(records)


def line_of(key: str) -> str:
    """Return the description of a measure in one line, with the options of its region."""
    kind = REGISTRY[key]
    first = (kind.__doc__ or kind.title).strip().split("\n")[0].replace("`", "").rstrip(".")
    regions = ["--at " + kind.scalar.upper()] if kind.scalar else []
    regions += [f"--{name}" for name in kind.kinds if name != "both"]
    return f"{first} [{', '.join(regions)}]" if regions else first
