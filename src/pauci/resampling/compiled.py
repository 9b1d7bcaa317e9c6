"""Compilation by numba, with machine code cached on disk where possible.

Importing this module imports numba, so only a bootstrap does.
"""

import threading
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

from pauci.progress import announce_compilation

_SECONDS = 6
"""Approximate seconds of compilation on a busy core of a server of 2021; 5 s on an idle one."""

# Inlining spares the short replicates of small samples a share of calls and reference counts.
_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "forceinline": True}
# Python never calls a part, so it needs no way in: that took a third of the time of compilation.
_OPTIONS_OF_PARTS: Any = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile on first use, as a part of the function that Python calls."""
    return numba.njit(function, **_OPTIONS_OF_PARTS)


def compiled_in_place(function: Callable[..., Any]) -> Any:
    """Compile as lines of the one function that calls it, rather than once more by itself."""
    return numba.njit(function, inline="always", **_OPTIONS)


class KeptOnDisk:
    """A function that is compiled on first use, with all that it calls, and kept on disk.

    Where its machine code cannot be kept or read (no folder can be written, the disk is full, a
    file is damaged), it is compiled for this process alone, and `trouble` says why.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function
        self.trouble: str | None = None
        self._lock = threading.Lock()
        self.announced: Any = None
        self._ran = False
        try:
            self._machine_code = numba.njit(function, cache=True, **_OPTIONS)
        except RuntimeError as error:  # no folder can be written
            self._machine_code = numba.njit(function, **_OPTIONS)
            self.trouble = _told(error, "__pycache__")

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments that there is machine code for."""
        return list(self._machine_code.signatures)

    def __call__(self, *arguments: Any) -> None:
        """Run the machine code."""
        if self.trouble is None:
            try:
                self._run(self._machine_code, arguments)
                return
            except Exception as error:  # reading a damaged file can raise anything
                self._compile_here(error, arguments)
        else:
            self._run(self._machine_code, arguments)

    def _run(self, machine_code: Any, arguments: tuple[Any, ...]) -> None:
        """Run machine code; if it must be compiled first, print a message."""
        if self._ran:
            machine_code(*arguments)
            return
        with event.install_listener("numba:compile", _Announcement(self, machine_code)):
            machine_code(*arguments)
        self._ran = True

    def _compile_here(self, error: Exception, arguments: tuple[Any, ...]) -> None:
        """Compile for this process only, and run the result."""
        with self._lock:
            if self.trouble is None:
                kept = self._machine_code
                # Where only the writing failed it has been compiled.
                machine_code = kept if kept.signatures else numba.njit(self.function, **_OPTIONS)
                self._run(machine_code, arguments)  # raises by itself what is not the disk's fault
                folder = kept.stats.cache_path
                self._machine_code, self.trouble = machine_code, _told(error, folder)
                return
        self._machine_code(*arguments)


class _Announcement(event.Listener):
    """Prints a message when the compilation of a function begins.

    Numba alone knows whether the disk serves it, and begins no compilation if so.
    """

    def __init__(self, function: KeptOnDisk, machine_code: Any) -> None:
        self.function, self.machine_code = function, machine_code

    def on_start(self, event: Any) -> None:
        """Tell them, unless one of several threads has; the parts of the function are no news."""
        code, function = event.data["dispatcher"], self.function
        if code is self.machine_code and code is not function.announced:
            function.announced = code
            announce_compilation("the bootstrap", _SECONDS, once=code.stats.cache_path is not None)

    def on_end(self, event: Any) -> None:
        """Say nothing."""


def _told(error: Exception, folder: str) -> str:
    """Return a message about why compiled code is not cached, and what can be done."""
    return (
        f"the compiled code of the bootstrap cannot be kept on disk ({type(error).__name__}: "
        f"{error}), so each process compiles it again, which takes some seconds; the numbers are "
        f"the same. See that there is room, delete what is damaged in {folder}, or name another "
        "folder in the variable NUMBA_CACHE_DIR."
    )
