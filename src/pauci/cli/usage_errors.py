"""Messages about command lines that cannot be parsed: what is missing, and how it is written."""

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from pauci.checks import nearest
from pauci.measures.other_names import suggestion

_OTHER_NAMES = {
    "compare": "delong test paired",
    "cutoff": "youden optimal best",
    "points": "threshold thresholds operating-points accuracy ppv npv confusion",
    "readers": "mrmc reader",
    "report": "roc plot curve page html",
    "risks": "calibration dca decision-curve net-benefit risk",
    "sample-size": "size samplesize n",
}
"""Words that are not commands, by the command that may be meant."""


_RANGES = {
    "--fpr": "0 0.1",
    "--tpr": "0.8 1",
    "--specificity": "0.9 1",
    "--sensitivity": "0.8 1",
    "--threshold": "2 inf",
}
"""Examples of regions."""


def explained(
    error: click.UsageError, command: click.Command, words: Sequence[str], example: str
) -> click.UsageError:
    """Return an error with a message that says how the command line is corrected.

    `words` are those after the name of the command.
    """
    message = None
    if isinstance(error, click.MissingParameter):
        message = _what_is_missing(error, command, words, example)
    elif isinstance(error, click.BadOptionUsage):
        message = _number_of_values(error, command)
    elif "unexpected extra argument" in error.message:
        message = _several_files(error, words) or _unquoted_name(command, words)
    return error if message is None else click.UsageError(message, error.ctx)


def _what_is_missing(
    error: click.MissingParameter, command: click.Command, words: Sequence[str], example: str
) -> str:
    """Return which argument, or which of the required options, are missing."""
    shown = f" Example: {example}." if example else ""
    if isinstance(error.param, click.Argument):
        return f"{str(error.param.name).upper()}, the file of the data, is missing.{shown}"
    typed = {word.partition("=")[0] for word in words}
    missing = [
        f"{p.opts[0]} ({_meaning(p)})"
        for p in command.params
        if isinstance(p, click.Option) and p.required and not typed.intersection(p.opts)
    ]
    if not missing:
        return error.format_message()
    return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing.{shown}"


def _meaning(option: click.Option) -> str:
    """Return the first clause of the help of an option."""
    clause = (option.help or "").partition(";")[0].rstrip(".")
    return clause[:1].lower() + clause[1:].replace("those below", "those that --help lists")


def _number_of_values(error: click.BadOptionUsage, command: click.Command) -> str | None:
    """Return how many values an option takes, if it takes several."""
    for p in command.params:
        if isinstance(p, click.Option) and error.option_name in p.opts and p.nargs > 1:
            name, of_numbers = p.opts[0], isinstance(p.type, click.types.FloatParamType)
            text = f"{name} takes {p.nargs} {'numbers' if of_numbers else 'values'}"
            text += f": {name} {p.metavar}" if p.metavar else ""
            return f"{text}, such as {name} {_RANGES[name]}." if name in _RANGES else f"{text}."
    return None


def _several_files(error: click.UsageError, words: Sequence[str]) -> str | None:
    """Return a message about several files, such as those of an expanded pattern."""
    files = [word for word in words if word in error.message and Path(word).is_file()]
    if not files:
        return None
    others = "and others are" if len(files) > 1 else "is"
    return (
        f"one file is read, but {files[0]!r} {others} given as well. If this was a pattern, "
        "quote it, so that the shell does not expand it: 'scores/*.parquet'."
    )


def _unquoted_name(command: click.Command, words: Sequence[str]) -> str | None:
    """Return a message about a name that contains blanks and is not quoted."""
    options = {name: p for p in command.params if isinstance(p, click.Option) for name in p.opts}
    for option, values in _values_of_options(words):
        p = options.get(option)
        expected = 1 if p is None and not option else 0 if p is None or p.is_flag else p.nargs
        is_file = not option and bool(values) and Path(values[0]).is_file()
        if expected == 1 and len(values) > 1 and not is_file:
            name = " ".join(values)
            quoted = f"{option} {shlex.quote(name)}".strip()
            return (
                f"{values[1]!r} is one word too many. If {name!r} is one name, quote it: {quoted}"
            )
    return None


def _values_of_options(words: Sequence[str]) -> Iterable[tuple[str, list[str]]]:
    """Yield each option with the words that follow it; the first words have the option ``""``."""
    option, values = "", list[str]()
    for word in words:
        if word.startswith("--"):
            yield option, values
            option, _, joined = word.partition("=")
            values = [joined] if joined else []
        else:
            values.append(word)
    yield option, values


def about_unknown_command(words: Sequence[str], commands: Sequence[str]) -> str:
    """Return a message about a first word that is not a command."""
    word, *others = words
    if word == "help":
        of_command = f" {others[0]}" if others else ""
        return f"'help' is not a command; use pauci{of_command} --help."
    if Path(word).exists() or re.search(r"\.\w{2,5}$", word):
        return (
            f"a command must precede the file, such as pauci estimate {shlex.quote(word)} --label "
            "COLUMN --score COLUMN --measure auc."
        )
    meant = next((name for name, others in _OTHER_NAMES.items() if word in others.split()), None)
    if meant is not None:
        return f"{word!r} is not a command. Did you mean {meant!r}?"
    if suggestion(word) != ".":
        return f"{word!r} is a measure, not a command: pauci estimate FILE ... --measure NAME."
    return f"{word!r} is not a command{nearest(word, commands)} Commands: {', '.join(commands)}."
