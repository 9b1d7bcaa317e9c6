"""The syntax of the command line in messages: options for arguments, lines for rows."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from typing import Any

from pauci.errors import DataName, InputError, InputTypeError, Message, RowNames, numbered
from pauci.measures.base import Measure

_OPTIONS = {
    "y_true": "--label",
    "y_score": "--score",
    "scores": "--score",
    "categories": "--category",
    "n_resamples": "--resamples",
    "rng": "--seed",
    "n_jobs": "--jobs",
    "items": "--item",
    "thresholds": "--at-threshold",
    "sampling": "--design",
}
"""Options whose names differ from those of the arguments in Python."""

_NAMES = {
    "label",
    "y_true",
    "scores",
    "y_score",
    "positive",
    "negative",
    "missing",
    "frequency",
    "weight",
    "cluster",
    "fold",
    "by",
    "row",
    "lower_is_positive",
    "sheet",
    "score",
    "positives-column",
    "negatives-column",
    "reader",
    "modality",
    "case",
    "standalone",
}
"""Options whose value comes from the data or is typed freely: it is quoted in messages."""

_SWITCHES = {"points": "--no-points", "corrected": "--uncorrected"}
"""Flags with another flag for the opposite."""

_NO_OPTIONS = {"sample", "samples", "frame", "pilot", "study", "source", "result", "results"}
"""Arguments without an option, which the command line reads from a file."""

_CUTOFFS = {"threshold": "--at-threshold", "fpr": "--at-specificity", "tpr": "--at-sensitivity"}
"""Options of the fields that specify a cut-off."""

_LONGEST_VALUE = 80


class ShellSyntax:
    """The form of arguments, values, rows and messages on the command line.

    Parameters
    ----------
    rows : callable, optional
        Returns the names of rows from their positions; the default counts from 1.
    options : mapping of str to str, optional
        Options of one command, or of one measure, that differ from those of all others.
    """

    def __init__(
        self, rows: RowNames | None = None, options: Mapping[str, str] | None = None
    ) -> None:
        self._rows = rows or _counted_from_one
        self._options = {**_OPTIONS, **(options or {})}

    def option(self, name: str) -> str:
        """Return the option of an argument."""
        return self._options.get(name) or f"--{name.replace('_', '-')}"

    def assignment(self, name: str, value: object) -> str:
        """Return the option with its value; a flag has no value."""
        option = self.option(name)
        if isinstance(value, bool) and name not in _NAMES:
            return option if value else _SWITCHES.get(name, f"no {option}")
        if name in _NAMES:
            values = value if isinstance(value, (list, tuple)) else [value]
            return " ".join(f"{option} {_quoted(v)}" for v in values)
        if name == "sep":
            return f"{option} {separator(str(value))}"
        return f"{option} {self.value(value)}"

    def value(self, value: object) -> str:
        """Return a value as it is typed on the command line."""
        if isinstance(value, Measure):
            return self._measure(value)
        if isinstance(value, (list, tuple)):
            return " ".join(self.value(v) for v in value)
        if isinstance(value, Mapping):
            return ",".join(f"{shlex.quote(str(k))}={self.value(v)}" for k, v in value.items())
        if isinstance(value, float):
            return f"{value:.15g}"
        return shlex.quote(shortened(str(value)))

    def sentence(self, about: Message, measure: Callable[[Any], str] | None = None) -> str:
        """Return a message with options instead of arguments."""
        return about.sentence(
            hint=about.shell_hint,
            subject=self._subject,
            measure=measure or self.value,
            rows=self._rows,
        )

    def _subject(self, about: Message) -> str:
        """Return the option with its value; the name of an argument without an option."""
        subject, name = about.subject, about.argument
        if subject is None or name is None or name in _NO_OPTIONS:
            return str(subject)
        if isinstance(subject.name, DataName) and subject.name.after_argument:
            return f"{self.option(name)} {subject.name.words}"
        if subject.name != name:
            return str(subject)
        if subject.shows_value:
            return self.assignment(name, about.value)
        return f"{self.option(name)} {subject.shown}" if subject.shown else self.option(name)

    def _measure(self, measure: Measure) -> str:
        """Return a measure by its key and the options that differ from their defaults."""
        parts = [measure.key]
        for f in fields(measure):  # type: ignore[arg-type]  # every measure is a dataclass
            value = getattr(measure, f.name)
            if f.name == measure.scalar == "tpr":
                if value is not None:
                    parts.append(f"--at {self.value(value)}")
            elif measure.region.is_point and f.name in _CUTOFFS:
                if value is not None:
                    at = 1.0 - value if f.name == "fpr" else value
                    parts.append(f"{_CUTOFFS[f.name]} {self.value(at)}")
            elif f.init and value != f.default:
                parts.append(self.assignment(f.name, value))
        return " ".join(parts)


def _counted_from_one(positions: Sequence[int], noun: str) -> str:
    return numbered([p + 1 for p in positions], noun)


def shortened(text: str, longest: int = _LONGEST_VALUE) -> str:
    """Return a text without its middle if it is long: a cell or a name can hold megabytes."""
    return text if len(text) <= longest else f"{text[: longest - 20]}...{text[-10:]}"


def _quoted(value: object) -> str:
    text = shortened(str(value))
    return f"'{text}'" if "'" not in text else shlex.quote(text)


def separator(character: str) -> str:
    """Return a separator as ``--sep`` takes it."""
    return {"\t": "tab", " ": "space"}.get(character) or shlex.quote(character)


SHELL = ShellSyntax()

_current: ContextVar[ShellSyntax] = ContextVar("_current", default=SHELL)


@contextmanager
def warnings_in(syntax: ShellSyntax) -> Iterator[None]:
    """Set the syntax of warnings that are issued in this context, such as names of rows."""
    token = _current.set(syntax)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def naming_options(options: Mapping[str, str]) -> Iterator[None]:
    """Use these options for arguments in errors and warnings."""
    syntax = ShellSyntax(options=options)
    try:
        with warnings_in(syntax):
            yield
    except (InputError, InputTypeError) as error:
        if error.argument not in (*options, None):
            raise
        raise InputError(
            syntax.sentence(error), argument=error.argument, value=error.value
        ) from None


def current_syntax() -> ShellSyntax:
    """Return the present syntax of warnings."""
    return _current.get()
