"""Commands made from typed functions, with options that are declared once.

An option is declared with the type of its value, ``Level = Annotated[float, option(...)]``. Options
that belong together are fields of a frozen dataclass, ``level: float = option(...)``. The decorator
`command` turns a function whose parameters have such types into a command: the options are those of
its signature, and the function is called with their values, or with an object for a dataclass.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
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
from pauci.cli.measure_options import ParsedMeasures, parsed_measures
from pauci.cli.output import refuse_overwriting
from pauci.cli.printed_warnings import WARNED, set_option
from pauci.cli.shell_syntax import naming_options
from pauci.cli.usage_errors import about_unknown_command, explained
from pauci.datasets import bundled_files
from pauci.errors import InputError
from pauci.measures import REGISTRY

GROUPS = ("Data", "Measure", "Region", "Points", "Rule", "Uncertainty", "Test", "Output")
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

    There may be several flags, separated by blanks, of which the first is used in messages. The
    type, the number of values and whether the option is repeated follow from the type of the
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
        return [GroupedOption([*self.flag.split(), name], group=self.group, **settings)]


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
        settings = {**_settings_of(type_), "type": _FileType()}
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
            arguments = {key: _value_of(key, type_, values) for key, type_ in types.items()}
            parsed = [v for v in arguments.values() if isinstance(v, ParsedMeasures)]
            with naming_options(parsed[0].option_names) if parsed else nullcontext():
                function(**arguments)

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


def options_of(type_: Any) -> list[click.Parameter]:
    """Return click's parameters of a dataclass with declared options."""
    return [p for field, t in _fields_of(type_).items() for p in _parameters_of(field, t)]


def _parameters_of(name: str, type_: Any) -> list[click.Parameter]:
    """Return click's parameters for a parameter of a function or a field of a dataclass."""
    if get_origin(type_) is Annotated:
        type_, declaration = get_args(type_)
        parameters: list[click.Parameter] = declaration.parameters(name, type_)
        return parameters
    return options_of(type_)


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


class _NumberType(click.types.FloatParamType):
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
    _TextType = click.ParamType[str]
else:  # click 8.1 has no type argument
    _Choice = click.Choice
    _TextType = click.ParamType


class _FileType(_TextType):
    """The name of a file; ``example:NAME`` is a bundled data set."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path of a file."""
        prefix, is_example, name = str(value).partition(":")
        if not is_example or prefix != "example":
            return str(value)
        files = bundled_files()
        if name not in files:
            self.fail(f"{value!r} is not bundled. Data sets: {', '.join(files)}.", param, ctx)
        return str(files[name])


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
            settings["type"] = _NumberType()
        super().__init__(*names, **settings)
        self.group = group
        self.of_measure = of_measure


# Commands


def _options_of_warnings() -> list[click.Parameter]:
    """Return the options on warnings, which all commands have."""
    settings: Any = {"group": "Output", "is_flag": True, "is_eager": True}
    settings |= {"expose_value": False, "callback": set_option}
    return [
        GroupedOption(["--quiet"], help="Print no warnings.", **settings),
        GroupedOption(
            ["--strict"],
            help=f"Exit with status {WARNED} if there was a warning; results are printed.",
            **settings,
        ),
    ]


class ExampleFirst(click.Command):
    """A command whose help begins with an example, and which has the options on warnings."""

    example: str = ""

    def __init__(self, *names: Any, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.params += _options_of_warnings()

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example as it is typed, on one line, and then the help."""
        if self.example:
            formatter.write(f"Example:\n  {self.example}\n\n")
        super().format_help(ctx, formatter)


class GroupOfCommands(ExampleFirst, click.Group):
    """The commands of pauci."""

    example = "pauci demo"

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Replace the error for an unknown command by advice."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise click.UsageError(about_unknown_command(args, sorted(self.commands)), ctx)
        return super().resolve_command(ctx, args)


class GroupedCommand(ExampleFirst):
    """A command whose help has an example and the options in groups.

    All numbers that follow an option in `several` belong to it: ``--edges 0 0.1 1``.
    """

    several: tuple[str, ...] = ("--edges",)

    def __init__(self, *names: Any, example: str = "", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.example = example

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line; repeat options in `several` before each of their numbers."""
        arguments = self._repeated(args)
        try:
            remaining = super().parse_args(ctx, [*arguments])
        except click.UsageError as error:
            raise explained(error, self, args, self.example) from None
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
        """Replace the error for an unknown option by advice, if its meaning is known."""
        try:
            return super().make_context(*names, **settings)
        except click.NoSuchOption as error:
            advice = self._advice(error.option_name, settings.get("parent"))
            if advice is None:
                raise
            raise click.UsageError(f"{error.option_name} {advice}", error.ctx) from None

    def _advice(self, word: str, parent: click.Context | None) -> str | None:
        """Return advice on an option that this command lacks; None if its meaning is unknown."""
        if word in _EXPLAINED:
            return _EXPLAINED[word]
        if word.lstrip("-") in _OF_FIGURES:
            return _NO_FIGURE_OPTION
        meant, note = next(((m, n) for words, m, n in _MEANT if word in words.split()), (word, ""))
        if meant in _options_of(self):
            return f"is not an option; use {meant}{note}."
        others = [] if parent is None else getattr(parent.command, "commands", {}).items()
        having = [f"pauci {name}" for name, other in others if meant in _options_of(other)]
        if not having:
            return None
        option = "is" if meant == word else f"is not an option; {meant} is"
        return f"{option} an option of {', '.join(having)}, but not of this command."

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


_AT_A_RATE = (
    "is an option of pauci points and pauci report, and of pauci estimate for the point of "
    "--measure {}."
)

_EXPLAINED = {
    "--fold": "is an option of pauci estimate and pauci compare, which average measures over "
    "folds; scores of different folds have no common curve.",
    "--at-specificity": _AT_A_RATE.format("sensitivity"),
    "--at-sensitivity": _AT_A_RATE.format("specificity"),
    "--at-youden": "is an option of pauci points and pauci report. The accuracy at a cut-off that "
    "is chosen from the same data is too high, and intervals and tests at a fixed threshold ignore "
    "the choice. The accuracy on new observations is estimated by pauci cutoff --maximize youden; "
    "a threshold that was chosen on other data is specified by --at-threshold.",
}
"""Advice on options of other commands."""


_MEANT = (
    (
        "--margin --mu --delta --noninferiority",
        "--null",
        "; a non-inferiority margin of 0.05 is --null -0.05 --alternative greater",
    ),
    ("--ci --conf --conf-level --confidence --confidence-level", "--level", ""),
    ("--alpha --sig-level", "--level", "; --alpha 0.05 is --level 0.95"),
    ("--sided --tail --one-sided --two-sided --hypothesis", "--alternative", ""),
    ("--correction --p-adjust --multiple --multiplicity", "--adjust", ""),
    (
        "--bootstrap --boot --boot-n --n-boot --nboot --n-bootstrap --n-bootstraps --n-resamples "
        "--replicates",
        "--resamples",
        ", with --variance bootstrap",
    ),
    ("--random-state --rng --random-seed", "--seed", ""),
    ("--n-jobs --threads --workers --cores --processes", "--jobs", ""),
    (
        "--method --se --delong",
        "--variance",
        "; its default, influence, is the method of DeLong for the AUC",
    ),
    ("--out --outfile --save --to -o", "--output", ""),
    ("--fig --figure --png --pdf --graph", "--plot", ""),
    ("--pos --pos-label --positive-label --event --case-label", "--positive", ""),
    ("--neg --neg-label --negative-label --control-label", "--negative", ""),
    ("--labels --outcome --truth --target --response --gold --y --y-true", "--label", ""),
    (
        "--scores --predictor --prediction --predictions --marker --test --y-score "
        "--y-pred --y-prob",
        "--score",
        "",
    ),
    ("--cutoff --cut-off --cutpoint --cut-point", "--at-threshold", ""),
    ("--max-fpr", "--fpr", "; --max-fpr 0.1 is --fpr 0 0.1"),
    ("--min-tpr", "--tpr", "; --min-tpr 0.8 is --tpr 0.8 1"),
    ("--patient --patients --subject --subjects --clusters", "--cluster", ""),
    ("--groups --subgroup --subgroups --stratify", "--group", ""),
    ("--id", "--row", ", with --by, for long data"),
    ("--weights --sample-weight --sample-weights", "--weight", ""),
    ("--freq --frequencies --count --counts --copies", "--frequency", ""),
    ("--folds --cv", "--fold", ""),
    ("--na --na-values --missing-value --missing-code", "--missing", ""),
    ("--dropna --drop-na --na-rm --complete-cases", "--drop-missing", ""),
    ("--delimiter --delim --separator", "--sep", ""),
    ("--direction --lower --reverse --flip --negate", "--lower-is-positive", ""),
    ("--sampling", "--design", ""),
    ("--readers", "--reader", ""),
    ("--modalities --treatment", "--modality", ""),
    ("--cases", "--case", ""),
)
"""Other names of options, the option that is meant, and a note on its values."""

_OF_FIGURES = {
    "dpi",
    "width",
    "height",
    "size",
    "figsize",
    "title",
    "xlabel",
    "ylabel",
    "xlim",
    "ylim",
    "color",
    "colors",
    "colour",
    "colours",
    "font",
    "fontsize",
    "legend",
    "grid",
}
"""Settings of figures in other software."""

_NO_FIGURE_OPTION = (
    "is not an option. PNG files have 300 dots per inch; PDF and SVG files have no resolution. In "
    "Python, the methods plot return axes for all changes, and ax.figure.savefig takes dpi=."
)


def _options_of(command: click.Command) -> set[str]:
    """Return the options of a command."""
    return {name for p in command.params for name in (*p.opts, *p.secondary_opts)}


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
    regions = {"fpr": ["--at-fpr"], "tpr": ["--at TPR"]}.get(kind.scalar or "", [])
    regions += [f"--{name}" for name in kind.kinds if name != "both"]
    return f"{first} [{', '.join(regions)}]" if regions else first
