"""Progress bars of calculations that take more than a second, and messages about compilation.

The output is written to stderr and, by default, only in interactive sessions. Nothing is written to
a pipe, a file, the log of a build, or a notebook that is executed by a program.
"""

import importlib.util
import os
import sys
import time
from typing import Any, Literal

from pauci.errors import InputError, InputTypeError

Progress = bool | Literal["auto"]

SECONDS = 1.0
"""Seconds before a progress bar is shown."""

_open_bars: list["ProgressBar"] = []


def check_progress(progress: Any) -> None:
    """Raise an error if `progress` is not True, False or "auto"."""
    problem = "must be True, False or 'auto'."
    if isinstance(progress, str) and progress != "auto":
        raise InputError.of("progress", progress, problem)
    if not isinstance(progress, (bool, str)):
        raise InputTypeError.of("progress", progress, problem)


def is_interactive() -> bool:
    """Return whether stderr is a terminal or the session is an interactive notebook."""
    if _in_notebook():
        return True
    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # there is no stderr, or it is closed
        return False


def _in_notebook() -> bool:
    """Return whether the session is a Jupyter kernel that allows input from the user."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(getattr(shell, "kernel", None), "_allow_stdin", False) is True


class ProgressBar:
    """A context manager that shows a progress bar after one second.

    Parameters
    ----------
    total : int
        Number of units of work.
    description, unit : str
        Description of the work, and the name of its unit, such as " rows".
    progress : bool or "auto", default "auto"
        True shows the bar immediately, even if stderr is not a terminal, and keeps it when the work
        is complete; False shows nothing.
    """

    def __init__(
        self, total: int, description: str, unit: str, progress: Progress = "auto"
    ) -> None:
        self.total, self.description, self.unit, self.progress = total, description, unit, progress
        self.done = 0
        self.bar: Any = None
        self.shown = is_interactive() if progress == "auto" else progress
        self.compiled = False
        self.start = time.monotonic()

    def __enter__(self) -> "ProgressBar":
        _open_bars.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _open_bars.remove(self)
        if self.bar is not None:
            self.bar.close()

    def add(self, count: int) -> None:
        """Add to the number of completed units."""
        if not self.shown:
            return
        if self.compiled:  # the time of compilation does not predict the rest
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
        """Return a progress bar, a widget if available, that counts time from the start."""
        from tqdm import tqdm

        # tqdm.auto would warn if ipywidgets is not installed, so the class is chosen here.
        if _in_notebook() and importlib.util.find_spec("ipywidgets") is not None:
            from tqdm import notebook

            tqdm = tqdm if notebook.IProgress is None else notebook.tqdm
        # A positive delay prevents the bar from being drawn before its position is set.
        bar = tqdm(
            total=self.total,
            desc=self.description,
            unit=self.unit,
            file=sys.stderr,
            delay=1e-6,
            leave=self.progress is True,
            dynamic_ncols=True,
        )
        bar.n = bar.last_print_n = self.done
        if not bar.disable:  # by the environment variable TQDM_DISABLE
            bar.start_t -= time.monotonic() - self.start
        return bar


def announce_compilation(name: str, seconds: int, *, once: bool) -> None:
    """Print that a calculation is being compiled, and the approximate time in seconds.

    Nothing is printed unless a progress bar is shown or would be shown after one second.
    """
    shown = [bar for bar in _open_bars if bar.shown]
    for progress_bar in shown:
        progress_bar.compiled = True
        if progress_bar.bar is not None:
            progress_bar.bar.clear()
    if shown:
        how_often = "once" if once else "for this process alone"
        text = f"pauci: compiling {name} {how_often}, about {seconds} s ..."
        print(text, file=sys.stderr, flush=True)
