"""The command ``pauci``: an error is one line on standard error and an exit status."""

import errno
import os
import re
import sys
import warnings

import click

from pauci.cli.commands import commands, derived
from pauci.cli.options import COMMANDS, PrintedWarnings, as_options, say
from pauci.errors import Message, PauciWarning

__all__ = ["main", "run"]

WARNED = 3
"""Exit status with ``--strict`` if there was a warning."""

_NO_MEMORY = re.compile(
    "failed to map segment|annot (allocate memory|enable executable stack)|an't start new thread"
)
"""Messages of errors when memory is lacking to load a library or to start a thread."""


def main() -> None:
    """Run the command; bad input gives one line on standard error and exit status 2."""
    status = run(sys.argv[1:])
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        # The rest is still buffered, and Python would try to write it again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run the command on a list of arguments and return its exit status.

    It is 2 for bad input, 1 for other errors, and with ``--strict`` 3 if there was a warning.
    """
    printed = PrintedWarnings(arguments=arguments)
    names = list(filter(COMMANDS.__contains__, arguments))[:1]
    see_help = " ".join(["See pauci", *names, "--help."])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PauciWarning)
            warnings.showwarning = printed.show
            commands.main(arguments, prog_name="pauci", standalone_mode=False, obj=printed)
    except click.ClickException as error:
        return _fail(error.format_message(), see_help)
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return 130
    except SystemExit as leaving:
        if not leaving.code:  # raised by click after the words of a shell completion
            return 0
        return _fail("standard output was closed before everything was written.", status=1)
    except Exception as error:
        if isinstance(error, Message):
            sentence = as_options(str(error), derived(names[0]).arguments if names else ())
            return _fail(sentence, "" if error.argument is None else see_help)
        return _fail(_description_of_error(error), status=1)
    return WARNED if printed.strict and printed.texts else 0


def _description_of_error(error: Exception) -> str:
    """Return one line on an error that is not about the input."""
    text = f"{type(error).__name__}: {error}"
    memory_error = _lack_of_memory(error)
    if memory_error is not None:
        reason = str(memory_error).rstrip(".")
        hint = f": {reason}" if reason else "; use fewer measures, classifiers or rows"
        return f"out of memory{hint}."
    if isinstance(error, OSError):
        if error.errno == errno.EPIPE:
            return "standard output was closed before everything was written."
        return f"{error.strerror or text}{f' ({error.filename!r})' if error.filename else ''}."
    import pickle
    from concurrent.futures import BrokenExecutor
    from multiprocessing import ProcessError

    if isinstance(error, (BrokenExecutor, ProcessError, pickle.PicklingError)):
        return f"a worker process terminated unexpectedly; try n_jobs=1 ({text})."
    return f"{text}. This is a bug in pauci; please report it with the command."


def _lack_of_memory(error: BaseException) -> BaseException | None:
    """Return the error, or the cause of it, that reports a lack of memory.

    If a library cannot be loaded for lack of memory, the error is an ImportError or an OSError; if
    a thread cannot be started, it is a RuntimeError.
    """
    visited: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in visited:
        lacking = isinstance(cause, MemoryError) or getattr(cause, "errno", None) == errno.ENOMEM
        loading = isinstance(cause, (ImportError, OSError, RuntimeError))
        if lacking or (loading and _NO_MEMORY.search(str(cause))):
            return cause
        visited.append(cause)
        cause = cause.__cause__ or cause.__context__
    return None


def _fail(message: str, hint: str = "", status: int = 2) -> int:
    if hint:
        message += f"{'' if message.rstrip().endswith(('.', '?')) else '.'} {hint}"
    say("error", message)
    return status
