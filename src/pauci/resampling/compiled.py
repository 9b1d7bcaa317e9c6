"""Compilation by numba, with machine code cached on disk where possible.

Importing this module imports numba, which only the bootstrap needs.
"""

import threading
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numba
from numba.core import event

from pauci.progress import announce_compilation

_SECONDS = 6
"""Approximate compilation time on a busy core of a server of 2021 (on an idle core: 5 s)."""

# Inlining saves calls and reference counting, which slow down replicates of small samples.
_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "forceinline": True}
# Python calls these functions only through others, so they need no wrappers, whose compilation took
# a third of the time.
_OPTIONS_OF_PARTS: Any = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function on first use; only other compiled functions call it."""
    return numba.njit(function, **_OPTIONS_OF_PARTS)


def compiled_in_place(function: Callable[..., Any]) -> Any:
    """Compile a function by inserting its code into the only function that calls it."""
    return numba.njit(function, inline="always", **_OPTIONS)


class KeptOnDisk:
    """A function that is compiled on first use, with all functions it calls, and cached on disk.

    If the machine code cannot be written or read (no folder is writable, the disk is full, a file
    is damaged), the function is compiled for this process only, and `trouble` is the reason.

    numba compiles again what is on disk if the file of the function has changed. `others` are
    functions of other files that it calls: their code becomes a part of the name on disk.
    """

    def __init__(
        self, function: Callable[..., None], others: Sequence[Callable[..., Any]] = ()
    ) -> None:
        for other in others:
            code = other.__code__
            text = repr((code.co_code, code.co_consts, code.co_names)).encode()
            function.__qualname__ += f"-{zlib.crc32(text):08x}"
        self.function = function
        self.trouble: str | None = None
        self._lock = threading.Lock()
        self.announced: Any = None
        self._ran = False
        try:
            self._machine_code = numba.njit(function, cache=True, **_OPTIONS)
        except RuntimeError as error:  # no folder is writable
            self._machine_code = numba.njit(function, **_OPTIONS)
            self.trouble = _cache_message(error, "__pycache__")

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments for which there is machine code."""
        return list(self._machine_code.signatures)

    def __call__(self, *arguments: Any) -> None:
        """Run the machine code."""
        if self.trouble is None:
            try:
                self._run(self._machine_code, arguments)
                return
            except Exception as error:  # reading a damaged file can raise anything
                self._compile_uncached(error, arguments)
        else:
            self._run(self._machine_code, arguments)

    def _run(self, machine_code: Any, arguments: tuple[Any, ...]) -> None:
        """Run machine code, with a message if it must be compiled first."""
        if self._ran:
            machine_code(*arguments)
            return
        with event.install_listener("numba:compile", _Announcement(self, machine_code)):
            machine_code(*arguments)
        self._ran = True

    def _compile_uncached(self, error: Exception, arguments: tuple[Any, ...]) -> None:
        """Compile for this process only, and run the result."""
        with self._lock:
            if self.trouble is None:
                cached = self._machine_code
                # If only writing failed, the function has been compiled already.
                machine_code = (
                    cached if cached.signatures else numba.njit(self.function, **_OPTIONS)
                )
                self._run(machine_code, arguments)  # an error that is not due to the disk recurs
                folder = cached.stats.cache_path
                self._machine_code, self.trouble = machine_code, _cache_message(error, folder)
                return
        self._machine_code(*arguments)


class _Announcement(event.Listener):
    """Prints a message when the compilation of a function begins.

    If the machine code is in the cache of numba, there is no such event.
    """

    def __init__(self, function: KeptOnDisk, machine_code: Any) -> None:
        self.function, self.machine_code = function, machine_code

    def on_start(self, event: Any) -> None:
        """Print the message once for all threads, and not for the functions that are called."""
        code, function = event.data["dispatcher"], self.function
        if code is self.machine_code and code is not function.announced:
            function.announced = code
            announce_compilation("the bootstrap", _SECONDS, once=code.stats.cache_path is not None)

    def on_end(self, event: Any) -> None:
        """Do nothing."""


def _cache_message(error: Exception, folder: str) -> str:
    """Return a message about why compiled code is not cached, and what can be done."""
    return (
        f"the compiled code of the bootstrap cannot be cached on disk ({type(error).__name__}: "
        f"{error}), so that each process compiles it again, which takes a few seconds. The results "
        f"are the same. Make space on the disk, delete damaged files in {folder}, or set the "
        "environment variable NUMBA_CACHE_DIR to another folder."
    )
