"""Lines on standard error: warnings, which `--quiet` omits and `--strict` counts, and errors."""

import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import click

from pauci.cli.options import DerivedOption, as_options
from pauci.cli.output import encodable

WARNED = 3
"""Exit status with ``--strict`` if there was a warning."""

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
            say("warning", as_options(text, option_names()))
        self.texts.setdefault(text, message)

    @property
    def status(self) -> int:
        """The exit status of a run without an error."""
        return WARNED if self.strict and self.texts else 0


def option_names() -> list[str]:
    """Return the arguments that are options of the command that runs."""
    context = click.get_current_context(silent=True)
    parameters = [] if context is None else context.command.params
    return [p.argument for p in parameters if isinstance(p, DerivedOption)]


def set_option(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Store the value of ``--quiet`` or ``--strict``, which stand before or after the command."""
    if value:
        setattr(context.ensure_object(PrintedWarnings), str(parameter.name), True)
