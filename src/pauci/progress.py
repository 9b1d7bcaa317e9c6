"""What is shown to people who wait: a bar for what takes over a second, and what is compiled.

All of it goes to stderr, and by default only where somebody looks on: never into a pipe, a file,
the log of a build, or a notebook that is run by a program.
"""

import importlib.util
import os
import sys
import time
from typing import Any, Literal

from pauci.errors import InputError, InputTypeError, arg

Progress = bool | Literal["auto"]

SECONDS = 1.0
"""So long nothing is shown."""

_waits: list["Wait"] = []


def check_progress(progress: Any) -> None:
    """Refuse what does not say whether to show a bar."""
    ways = " must be True, False or ", arg("progress", "auto"), "."
    if isinstance(progress, str) and progress != "auto":
        raise InputError(arg("progress", progress), *ways)
    if not isinstance(progress, (bool, str)):
        raise InputTypeError(arg("progress", progress), *ways)


def somebody_looks_on() -> bool:
    """Whether stderr is a terminal, or a notebook that somebody works in."""
    return _in_notebook() or _on_terminal()


def _on_terminal() -> bool:
    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # there is no stderr, or it is closed
        return False


def _in_notebook() -> bool:
    """Whether this is a Jupyter kernel whose user can be asked things: builds say they cannot."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(getattr(shell, "kernel", None), "_allow_stdin", False) is True


class Wait:
    """Shows how much of all is done, once that has taken over a second; for use by ``with``.

    Parameters
    ----------
    total : int
        How much is to be done.
    what, unit : str
        What is under way, and what is counted, such as " rows".
    progress : bool or "auto", default "auto"
        True shows the bar wherever stderr goes, at once, and leaves it there; False shows nothing.
    """

    def __init__(self, total: int, what: str, unit: str, progress: Progress = "auto") -> None:
        self.total, self.what, self.unit, self.progress = total, what, unit, progress
        self.done = 0
        self.bar: Any = None
        self.shown = somebody_looks_on() if progress == "auto" else progress
        self.compiled = False
        self.start = time.monotonic()

    def __enter__(self) -> "Wait":
        _waits.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _waits.remove(self)
        if self.bar is not None:
            self.bar.close()

    def add(self, count: int) -> None:
        """Count as done."""
        if not self.shown:
            return
        if self.compiled:  # compilation says nothing about the rest
            self.compiled, self.start = False, time.monotonic()
        if self.bar is not None:
            self.bar.update(count)
        elif self.progress is True or (
            self.done + count < self.total and time.monotonic() - self.start > SECONDS
        ):
            self.bar = self._new_bar()
            self.bar.update(count)
        self.done += count

    def _new_bar(self) -> Any:
        """Return a bar, as a widget where there are any, that has run since the start."""
        from tqdm import tqdm

        # Without ipywidgets tqdm.auto warns, so tqdm is not left to choose.
        if _in_notebook() and importlib.util.find_spec("ipywidgets") is not None:
            from tqdm import notebook

            tqdm = tqdm if notebook.IProgress is None else notebook.tqdm
        # Any delay keeps a bar from being drawn before it is told how far things are.
        bar = tqdm(
            total=self.total, desc=self.what, unit=self.unit, file=sys.stderr, delay=1e-6,
            leave=self.progress is True, dynamic_ncols=True,
        )  # fmt: skip
        bar.n = bar.last_print_n = self.done
        bar.start_t -= time.monotonic() - self.start
        return bar


def compiling(what: str, seconds: int, *, once: bool) -> None:
    """Tell those who wait that something is compiled, and how long that takes about."""
    waits = [wait for wait in _waits if wait.shown]
    for wait in waits:
        wait.compiled = True
        if wait.bar is not None:
            wait.bar.clear()
    if waits:
        how_often = "once" if once else "for this process alone"
        text = f"pauci: compiling {what} {how_often}, about {seconds} s ..."
        print(text, file=sys.stderr, flush=True)
