"""Options of commands, which are the arguments of public functions with their documentation.

The options of a command are derived from the signatures and the docstrings of the functions that
it calls. Arguments of the data are not options: they are read from files.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args

import click

import pauci
from pauci.calls import equivalent_arguments, refuse_unknown_arguments
from pauci.checks import nearest
from pauci.cli.output import FORMATS
from pauci.cli.values import class_of, expression_instead, measure_of, value_of
from pauci.errors import InputError, InputTypeError
from pauci.tables.number_format import StyleName

_DATA = {
    "self",
    "cls",
    "frame",
    "sample",
    "samples",
    "study",
    "pilot",
    "results",
    "path",
    "names",
    "y",
}
"""Arguments that are not options."""

_SINGULAR = {"scores": "score", "thresholds": "threshold", "classes": "class"}
"""Options of arguments with several values, which are repeated for each."""

_WORDS = {"by", "score", "name", "reference", "positive", "negative", "missing", "classes"}
"""Arguments whose values are words of the data, such as columns, labels and groups."""

_SEVERAL = re.compile(r"Sequence|Iterable|Measures?\b|By\b|Any|object|Rates|Vector|Mapping")
"""Annotations of arguments that accept several values."""

_TEXTS = re.compile(r"\bstr\b|^(?:typing\.)?(?:Optional\[)?Literal")
"""Annotations of arguments that are words, such as names of columns, and never expressions."""

OUTPUT = {
    "output": "File of the results; its suffix is the format: .txt, .csv, .json, .md, .tex, .html, "
    ".docx or .xlsx.",
    "format": f"Format of the output: {', '.join(FORMATS)}.",
    "style": f"Format of numbers in tables: {', '.join(get_args(StyleName))}.",
    "plot": "File of a figure, such as figure.pdf, .svg, .png or .tiff.",
    "dpi": "Dots per inch of the figure.",
    "level": "Confidence level of intervals, by default 0.95.",
    "kind": "Kind of the intervals; the default is that of the measure.",
}
"""Options of the presentation of results, which all commands share."""


class DerivedOption(click.Option):
    """An option for an argument of functions.

    Parameters
    ----------
    argument : str
        The name of the argument.
    text : str
        Its documentation.
    parameter : inspect.Parameter, optional
        The parameter of the function; without one, the value is a text.
    group : str
        The heading of its group in the help.
    parse : bool
        Whether the value is an expression, for options without a parameter.
    switch : bool
        Whether the option has no value, for options without a parameter.
    nargs : int
        Number of values.
    several : bool
        Whether it may be repeated, for options without a parameter.
    """

    def __init__(
        self,
        argument: str,
        text: str,
        parameter: inspect.Parameter | None = None,
        group: str = "Analysis",
        *,
        parse: bool = False,
        switch: bool = False,
        nargs: int = 1,
        several: bool = False,
    ) -> None:
        annotation = "" if parameter is None else _words_of(parameter.annotation)
        is_word = parameter is None and not parse and nargs == 1
        self.argument, self.group = argument, group
        self.is_pair = annotation.startswith("tuple[str, str]")
        self.several = several or self.is_pair or bool(_SEVERAL.search(annotation))
        self.convert = _conversion(argument, annotation, is_word=is_word or argument in _WORDS)
        of_columns = "str" in annotation and "bool" in annotation
        default = getattr(parameter, "default", None)
        self.is_switch = switch or (isinstance(default, bool) and not of_columns)
        options: dict[str, Any] = {"is_flag": True} if self.is_switch else {"multiple": nargs == 1}
        metavar = None if self.is_switch else "VALUE" + "..." * (nargs > 1)
        super().__init__(
            [flag_of(argument), argument], help=text, metavar=metavar, nargs=nargs, **options
        )

    def value(self, words: Sequence[str]) -> Any:
        """Return the value of the argument."""
        if len(words) > 1 and not self.several:
            raise InputError.of(self.argument, list(words), "is given twice.")
        values = list(map(self.convert, words))
        if self.argument == "thresholds" and len(values) == 1 and isinstance(values[0], tuple):
            return list(values[0])
        if self.is_pair and len(values) == 2 and all(isinstance(v, str) for v in values):
            return tuple(values)
        return values if len(values) > 1 or self.argument in _SINGULAR else values[0]


def _conversion(argument: str, annotation: str, *, is_word: bool) -> Callable[[str], Any]:
    """Return the function from the word of an option to its value."""
    if argument in ("measure", "maximize"):
        return class_of if argument == "maximize" or "type[" in annotation else measure_of
    is_text = bool(_TEXTS.search(annotation)) and not annotation.startswith("tuple")
    return str if is_word or is_text else value_of


def _words_of(annotation: Any) -> str:
    """Return an annotation as a text."""
    if isinstance(annotation, str):
        return annotation
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def options_of(
    functions: Iterable[Callable[..., Any]], without: Iterable[str] = (), group: str = ""
) -> dict[str, DerivedOption]:
    """Return the options for the arguments of functions by name; the first has precedence."""
    options: dict[str, DerivedOption] = {}
    for function in functions:
        documented = documentation_of(function)
        for parameter in inspect.signature(function).parameters.values():
            name = parameter.name
            flags = {option.opts[0] for option in options.values()}
            if name not in {*_DATA, *without} and flag_of(name) not in flags:
                options[name] = DerivedOption(name, documented.get(name, ""), parameter, group)
    return options


def flag_of(argument: str) -> str:
    """Return the option of an argument."""
    return f"--{_SINGULAR.get(argument, argument).replace('_', '-')}"


def documentation_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return the text on each parameter in a numpydoc docstring, with its type."""
    doc = inspect.getdoc(function) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", doc, re.M | re.S)
    texts: dict[str, str] = {}
    for match in re.finditer(
        r"^(\w[\w, ]*?)(?: : ([^\n]*(?:\n {2,}\S[^\n]*)??))?\n((?:(?: {4}[^\n]*)?\n)*)",
        section[1] + "\n" if section else "",
        re.M,
    ):
        names, kind, text = match.groups()
        kind = re.sub(r", optional|(?:, )?default .*", "", kind or "")
        choices = re.search(r"\{(.*)\}", kind)
        accepted = f" One of: {choices[1].replace(chr(34), '')}." if choices else ""
        for name in names.split(", "):
            full = _with_reference(_plain(text), name)
            texts[name] = full + accepted * ("One of:" not in full)
    return texts


def _with_reference(text: str, name: str) -> str:
    """Return a text that refers to another function, with the text of that function."""
    reference = re.match(r"As for (\w+(?:\.\w+)?)(?:[:,] |\.$|\. |$)", text)
    owner, _, method = reference[1].partition(".") if reference else ("", "", "")
    function = getattr(pauci, owner, None)
    function = getattr(function, method, None) if method else function
    if reference is None or function is None:
        return text
    rest = text[reference.end() :]
    text = documentation_of(function).get(name, reference[0]).rstrip(".")
    return f"{text}: {rest}" if rest.strip() else f"{text}."


def summary_of(function: Callable[..., Any]) -> str:
    """Return the first paragraphs of a docstring, before its sections."""
    doc = re.split(r"\n\n?\w[\w ]*\n---", inspect.getdoc(function) or "")[0]
    return "\n\n".join(map(_plain, doc.split("\n\n")))


def _plain(text: str) -> str:
    """Return a text of a docstring in one line, without its markup."""
    text = re.sub(r":\w+:`([^`]*)`", r"\1", text)
    return re.sub(r"`+([^`]*)`+", r"\1", " ".join(text.split()))


class DerivedCommand(click.Command):
    """A command whose options are arguments of public functions."""

    example: str = ""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace former options by an error that states the expression of today."""
        accepted = {name for p in self.params for name in p.opts}
        advice = expression_instead(args, accepted)
        if advice is not None:
            raise click.UsageError(advice)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            unknown = error.option_name.removeprefix("--").replace("-", "_")
            flags = [name for p in self.params for name in p.opts if name.startswith("--")]
            names = [p.argument for p in self.params if isinstance(p, DerivedOption)]
            problem = f"is not an option of pauci {self.name}{nearest(flag_of(unknown), flags)}"
            problem = f"{error.option_name} {problem}"
            if flag_of(unknown) not in flags and unknown.lower() in equivalent_arguments():
                try:
                    refuse_unknown_arguments({unknown: None}, f"pauci {self.name}", names)
                except InputTypeError as advice_on_it:
                    problem = as_options(str(advice_on_it), [unknown, *names])
            raise click.UsageError(problem) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "Output"), []).append(record)
        for name, records in groups.items():
            with formatter.section(name):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the example."""
        if self.example:
            with formatter.section("Example"):
                formatter.write(f"  {self.example}\n")


def given_in(command: click.Command, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given on the command line, by name."""
    given: dict[str, Any] = {}
    for parameter in command.params:
        words = values.get(str(parameter.name))
        if isinstance(parameter, DerivedOption) and words:
            given[parameter.argument] = (
                True if parameter.is_switch else parameter.value(list(words))
            )
    return given


def as_options(text: str, names: Iterable[str]) -> str:
    """Return a message with options instead of the arguments of these names.

    ``weight='w'`` is ``--weight w``; arguments of calls, such as ``PAUC(fpr=(0, 0.1))``, remain.
    """
    return with_arguments(text, names, _option)


def with_arguments(text: str, names: Iterable[str], shown: Callable[[str, str], str]) -> str:
    """Return a message with its arguments of these names as a function shows them.

    The function gets the name and the value as it stands in the message, which may be empty.
    """
    listed = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not listed:
        return text
    value = r"'[^']*'|\"[^\"]*\"|\((?:[^()])*\)|\[[^\[\]]*\]|[\w.+-]*\w|"
    call = r"(?<![\w.])[A-Za-z_][\w.]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
    return re.sub(
        rf"{call}|(?<![\w.])(?P<name>{listed})=(?P<value>{value})",
        lambda m: m[0] if m["name"] is None else shown(m["name"], m["value"]),
        text.replace(" of pauci.Sample.from_frame", ""),
    )


def items_of(value: str) -> list[str]:
    """Return the items of a list as it stands in a message."""
    return re.findall(r"'[^']*'|\"[^\"]*\"|[^\s,\[\]]+", value)


def _option(name: str, value: str) -> str:
    """Return an argument with its value as an option."""
    flag = flag_of(name)
    if value in ("True", "False", ""):
        return f"no {flag}" if value == "False" else flag
    if value.startswith("["):
        return " ".join(f"{flag} {item}" for item in items_of(value))
    return f'{flag} "{value}"' if value.startswith("(") else f"{flag} {value}"
