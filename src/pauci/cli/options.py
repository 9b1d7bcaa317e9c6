"""Options of commands, which are the arguments of public functions with their documentation.

The options of a command are derived from the signatures and the docstrings of the functions that
it calls. Arguments of the data are not options: they are read from files.
"""

import ast
import functools
import inspect
import operator
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, get_args

import click

import pauci
from pauci.calls import advice_on, equivalent_arguments, refuse_unknown_arguments
from pauci.checks import nearest
from pauci.cli.output import FORMATS, TABLE, encodable
from pauci.errors import InputError, InputTypeError
from pauci.measures import REGISTRY, Measure
from pauci.measures.base import constructor_arguments
from pauci.measures.classes import PDI, VUS, CIndex, HandTill, Macro, VersusRest
from pauci.measures.registry import suggestion
from pauci.tables.number_format import StyleName

COMMANDS: dict[str, dict[str, str]] = TABLE["commands"]
"""The commands by name; ``commands.toml`` describes the entries."""

OPTIONS: dict[str, list[Any]] = TABLE["options"]
"""Text, type and group of options that are not derived: those of the presentation of results,
which most commands share, and those of single commands."""
for _name, _accepted in (("format", FORMATS), ("style", get_args(StyleName))):
    OPTIONS[_name][0] += f" {', '.join(_accepted)}."

_SINGULAR = {"scores": "score", "thresholds": "threshold", "classes": "class"}
"""Options of arguments with several values, which are repeated for each."""

_WORDS = {"by", "score", "name", "reference", "positive", "negative", "missing", "classes"}
"""Arguments whose values are words of the data, such as columns, labels and groups."""

_COUNTS = {"positives", "negatives"}
"""Arguments for counts, which are columns of files."""

_SEVERAL = re.compile(
    r"Sequence|Iterable|Measures?\b|By\b|Any|object|Rates|RegionFamily|Vector|Mapping"
)
"""Annotations of arguments that accept several values."""

_TEXTS = re.compile(r"\bstr\b|^(?:typing\.)?(?:Optional\[)?Literal")
"""Annotations of arguments that are words, such as names of columns, and never expressions."""

_PATHS = ("output", "plot", "curves", "marks", "read")
"""Arguments whose values are files, with the names that the system accepts."""


class DerivedOption(click.Option):
    """An option for an argument of functions.

    Parameters
    ----------
    argument : str
        The name of the argument.
    text : str
        Its documentation.
    annotation : str
        Its type: a ``bool`` is a switch, words are texts, and other values are expressions.
    group : str
        The heading of its group in the help.
    nargs : int
        Number of values.
    """

    def __init__(
        self,
        argument: str,
        text: str,
        annotation: str = "str",
        group: str = "Analysis",
        nargs: int = 1,
    ) -> None:
        self.argument, self.group, self.is_switch = argument, group, annotation == "bool"
        self.is_pair = annotation.startswith("tuple[str, str]")
        self.several = self.is_pair or bool(_SEVERAL.search(annotation))
        self.convert: Callable[[str], Any] = value_of
        is_text = bool(_TEXTS.search(annotation)) and not annotation.startswith("tuple")
        if argument in ("measure", "maximize"):
            of_class = argument == "maximize" or "type[" in annotation
            self.convert = class_of if of_class else measure_of
        elif is_text or argument in _WORDS or (group == "Data" and argument in _COUNTS):
            self.convert = word_or_flag if re.search(r"\bbool\b", annotation) else str
        options: dict[str, Any] = {"is_flag": True} if self.is_switch else {"multiple": nargs == 1}
        metavar = None if self.is_switch else "VALUE" + "..." * (nargs > 1)
        super().__init__(
            [flag_of(argument), argument], help=text, metavar=metavar, nargs=nargs, **options
        )

    def value(self, words: Any) -> Any:
        """Return the value of the argument for its words, or for True if it is a switch."""
        if self.is_switch:
            return words
        if len(words) > 1 and not self.several:
            raise InputError.of(self.argument, list(words), "is given twice; give it once.")
        decoded = words if self.argument in _PATHS else map(in_utf8, words)
        values = list(map(self.convert, decoded))
        if (
            self.argument == "thresholds"
            and len(values) == 1
            and isinstance(values[0], (list, tuple))
        ):
            return list(values[0])
        if self.is_pair and len(values) == 2 and all(isinstance(v, str) for v in values):
            return tuple(values)
        return values if len(values) > 1 or self.argument in _SINGULAR else values[0]


def word_or_flag(text: str) -> str | bool:
    """Return the value of an argument that is a name, or true or false."""
    return {"true": True, "false": False}.get(text.lower(), text)


def in_utf8(word: str) -> str:
    """Return a word of the command line as data have it: in the C locale, letters are bytes."""
    try:
        return os.fsencode(word).decode(errors="surrogateescape")
    except UnicodeEncodeError:  # not from a command line
        return word


def options_of(functions: str, without: str, group: str = "Analysis") -> dict[str, DerivedOption]:
    """Return the options for the arguments of functions by name; the first has precedence.

    The names of the functions, and of the arguments that are not options, are separated by blanks.
    """
    options: dict[str, DerivedOption] = {}
    flags = set(map(flag_of, f"{TABLE['not_options']} {without}".split()))
    for path in functions.split():
        function = attrgetter(path)(pauci)
        documented = documentation_of(function)
        for name, parameter in inspect.signature(function).parameters.items():
            if flag_of(name) not in flags:
                flags.add(flag_of(name))
                kind = parameter.annotation
                annotation = kind.__name__ if isinstance(kind, type) else str(kind)
                options[name] = DerivedOption(name, documented.get(name, ""), annotation, group)
    return options


def flag_of(argument: str) -> str:
    """Return the option of an argument."""
    return f"--{_SINGULAR.get(argument, argument).replace('_', '-')}"


@functools.cache
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
    if reference is None:
        return text
    try:
        function = attrgetter(reference[1])(pauci)
    except AttributeError:
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
    """A command whose options are arguments of public functions, by name; it has an example."""

    def __init__(self, name: str, arguments: dict[str, DerivedOption], **others: Any) -> None:
        files = click.Argument(["files"], nargs=-1, metavar="FILE...")
        super().__init__(name, params=[files, *arguments.values(), *switches()], **others)
        self.arguments = arguments

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let an unknown option raise an error that names the equivalent one."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            unknown = error.option_name.removeprefix("--").replace("-", "_").lower()
            word = flag_of(unknown).removeprefix("--")
            words = [flag.removeprefix("--") for p in self.params for flag in p.opts]
            problem = f" is not an option of pauci {self.name}{nearest(word, words, prefix='--')}"
            known = unknown in equivalent_arguments() or advice_on(unknown, f"pauci {self.name}")
            if word not in words and known:
                try:
                    refuse_unknown_arguments({unknown: None}, f"pauci {self.name}", self.arguments)
                except InputTypeError as advice:
                    problem = as_options(str(advice).removeprefix(f"{unknown}="), self.arguments)
            raise click.UsageError(f"{error.option_name}{problem}") from None

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
        if self.epilog:
            with formatter.section("Example"):
                formatter.write(f"  {self.epilog}\n")


def as_options(text: str, names: Iterable[str]) -> str:
    """Return a message with options instead of the arguments of these names.

    ``weight='w'`` is ``--weight w``; arguments of calls, such as ``PAUC(fpr=(0, 0.1))``, remain.
    Measures are written as the command reads them, and the name of an argument of measures, such as
    ``prevalence=``, as ``--measure "NAME(prevalence=VALUE)"``, or with ``--maximize``.
    """
    text = with_arguments(text, names, _option)
    of_measure = next((name for name in ("measure", "maximize") if name in names), None)
    if of_measure is not None:
        of_measures = {name for kind in REGISTRY.values() for name in constructor_arguments(kind)}
        others = "|".join(sorted(of_measures.difference(names)))
        pattern = rf"(?<![\w.(-])({others})=(?=[\s.,;]|$)"
        text = re.sub(pattern, rf'--{of_measure} "NAME(\1=VALUE)"', text)
    classes = [kind.__name__ for kind in (*REGISTRY.values(), *OF_CLASSES.values())]
    return re.sub(rf"\bpauci\.(?=(?:{'|'.join([*classes, *_METHODS])})\b)", "", text)


def with_arguments(text: str, names: Iterable[str], shown: Callable[[str, str], str]) -> str:
    """Return a message with its arguments of these names as a function shows them.

    The function gets the name and the value as it stands in the message, which may be empty.
    """
    listed = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not listed:
        return text
    call = r"(?<![\w.])[A-Za-z_][\w.]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
    value = rf"'[^']*'|\"[^\"]*\"|\((?:[^()])*\)|\[[^\[\]]*\]|{call}|[\w.+-]*\w|"
    return re.sub(
        rf"{call}|(?<![\w.])(?P<name>{listed})=(?P<value>{value})",
        lambda m: m[0] if m["name"] is None else shown(m["name"], m["value"]),
        re.sub(" of (?:pauci.Sample.from_frame|a measure)", "", text),
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
    return f'{flag} "{value}"' if value.endswith(")") else f"{flag} {value}"


OF_CLASSES: dict[str, type[Measure]] = {
    kind.__name__.lower(): kind for kind in (CIndex, HandTill, Macro, PDI, VersusRest, VUS)
}
"""Measures of several classes by name."""

_NUMBERS = {"inf": float("inf"), "nan": float("nan")}
_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Div: operator.truediv}
_METHODS = ("Bootstrap", "Jackknife")


def value_of(text: str) -> Any:
    """Return the value of an expression; a text that is none, such as ``holm``, is itself."""
    try:
        return _evaluated(_parsed(text))
    except SyntaxError as error:
        if "(" in text:
            reason = f": {error.msg}" if error.msg else ", such as PAUC(fpr=(0, 0.1))"
            raise InputError(
                f"{text!r} is not an expression of numbers, measures and methods{reason}."
            ) from None
        return text


def measure_of(text: str) -> Any:
    """Return a measure: a name such as ``auc``, or an expression such as ``PAUC(fpr=(0, .1))``."""
    try:
        value = value_of(text)
        if isinstance(value, str):
            value = kind_of(value)()
    except (InputError, InputTypeError) as error:
        where = "" if error.argument == "measure" else f"measure={text}"
        raise error.replaced(where=where) from None
    if not isinstance(value, (Measure, dict)):  # a dict has the measure of each classifier
        raise InputError.of(
            "measure", text, "must be a measure, such as auc or PAUC(fpr=(0, 0.1))."
        )
    return value


def class_of(text: str) -> Callable[..., Any]:
    """Return the class of a measure, with the options in its expression: ``F(beta=2)``."""
    with suppress(SyntaxError):
        tree = _parsed(text)
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            kind, (arguments, by_name) = kind_of(tree.func.id), _arguments(tree)
            return functools.partial(kind, *arguments, **by_name)
    return kind_of(text)


def kind_of(name: str) -> type[Measure]:
    """Return the class of a measure by its key or its name."""
    kind = REGISTRY.get(name.lower()) or OF_CLASSES.get(name.lower())
    kind = kind or next((kind for kind in REGISTRY.values() if kind.__name__ == name), None)
    if kind is None:
        listed = ", ".join([*REGISTRY, *OF_CLASSES])
        raise InputError.of(
            "measure", name, f"is not known{suggestion(name[:80])} Accepted: {listed}."
        )
    return kind


def _parsed(text: str) -> ast.expr:
    """Return an expression; raise a SyntaxError for a text that is none."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from None


def _evaluated(node: ast.expr) -> Any:
    """Return the value of a node, or raise an error for one that is not allowed."""
    match node:
        case ast.Constant(value=value) if isinstance(value, (int, float, str, type(None))):
            return value
        case ast.Tuple(elts=items):
            return tuple(map(_evaluated, items))
        case ast.List(elts=items):
            return list(map(_evaluated, items))
        case ast.Dict(keys=keys, values=values) if None not in keys:
            with suppress(TypeError):  # of keys that cannot be hashed
                return {
                    _evaluated(k): _evaluated(v) for k, v in zip(keys, values, strict=True) if k
                }
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            value = _evaluated(operand)
            if isinstance(value, (int, float)):
                return -value if isinstance(sign, ast.USub) else value
        case ast.Name(id=name) if name in _NUMBERS:
            return _NUMBERS[name]
        case ast.Call(func=ast.Name(id=name)):
            arguments, by_name = _arguments(node)
            function = getattr(pauci, name) if name in _METHODS else kind_of(name)
            return function(*arguments, **by_name)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            both = [_measure_in(side) for side in (left, right)]
            return _OPERATIONS[type(op)](*both)
    raise SyntaxError


def _measure_in(node: ast.expr) -> Measure:
    """Return a measure of an arithmetic expression, whose name may stand alone."""
    if isinstance(node, ast.Name) and node.id in {k.__name__ for k in REGISTRY.values()}:
        return kind_of(node.id)()
    value = _evaluated(node)
    if isinstance(value, Measure):
        return value
    raise SyntaxError


def _arguments(call: ast.Call) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call, by position and by name."""
    if any(keyword.arg is None for keyword in call.keywords):
        raise SyntaxError
    by_name = {str(k.arg): _evaluated(k.value) for k in call.keywords}
    return list(map(_evaluated, call.args)), by_name


_LONGEST_MESSAGE = 1000


def say(kind: str, text: str = "") -> None:
    """Write one line on standard error, with ? for characters that cannot be printed."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    if len(line) > _LONGEST_MESSAGE:
        line = f"{line[: _LONGEST_MESSAGE - 300]} ... {line[-250:]}"
    with suppress(OSError):
        click.echo(encodable(f"pauci: {kind}{f': {line}' if line else ''}", sys.stderr), err=True)


@dataclass
class PrintedWarnings:
    """The warnings of a run of the command.

    Attributes
    ----------
    quiet : bool
        Whether no warnings are printed (``--quiet``).
    strict : bool
        Whether a warning changes the exit status (``--strict``).
    texts : dict of str to Warning or str
        The warnings so far, by their text.
    arguments : list of str
        The arguments of the command.
    """

    quiet: bool = False
    strict: bool = False
    texts: dict[str, Warning | str] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)

    def show(self, message: Warning | str, *_: object, **__: object) -> None:
        """Print a warning, as `warnings.showwarning` does; a repeated one is printed once."""
        text = str(message)
        if text not in self.texts and not self.quiet:
            context = click.get_current_context(silent=True)
            names = getattr(context.command, "arguments", {}) if context else {}
            say("warning", as_options(text, names))
        self.texts.setdefault(text, message)


def switches() -> list[click.Option]:
    """Return ``--quiet`` and ``--strict``, which stand before or after the command."""

    def store(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            setattr(context.ensure_object(PrintedWarnings), str(parameter.name), True)

    look: dict[str, Any] = {"is_flag": True, "expose_value": False, "callback": store}
    return [
        click.Option(["--quiet"], help="Print no warnings.", **look),
        click.Option(["--strict"], help="Exit with status 3 if there was a warning.", **look),
    ]
