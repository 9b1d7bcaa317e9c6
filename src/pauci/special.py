"""`scipy.special`, loaded when one of its functions is first asked for.

It takes longer to load than numpy and this package together, and an estimate needs none of it:
only intervals and tests do. ``special.ndtr`` here is ``scipy.special.ndtr``.
"""

import os
import sys
from typing import Any

_MEGABYTE = 2**20
_TO_LOAD = 60 * _MEGABYTE
_OF_A_THREAD = 40 * _MEGABYTE
"""Address space that OpenBLAS reserves for each of its threads: a buffer and a stack."""


def __getattr__(name: str) -> Any:
    """Return a function of `scipy.special`, and keep it."""
    if name.startswith("__"):
        raise AttributeError(name)
    if "scipy.special" not in sys.modules:
        _refuse_little_memory()
    import scipy.special

    function = getattr(scipy.special, name)
    globals()[name] = function
    return function


def _refuse_little_memory() -> None:
    """Raise a MemoryError where the limit of the address space leaves too little for SciPy.

    Its OpenBLAS asks again and again for a buffer that it cannot have, and so never returns.
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    try:
        with open("/proc/self/statm", encoding="ascii") as status:  # noqa: PTH123
            used = int(status.read().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux
        return
    needed = _TO_LOAD + _threads() * _OF_A_THREAD
    if limit - used < needed:
        raise MemoryError(
            f"the limit of the address space (ulimit -v) leaves {(limit - used) // _MEGABYTE:,} MB "
            f"of {limit // _MEGABYTE:,} MB, and loading SciPy takes about "
            f"{needed // _MEGABYTE:,} MB; raise the limit, or set OPENBLAS_NUM_THREADS=1"
        )


def _threads() -> int:
    """Return how many threads OpenBLAS starts."""
    asked = os.environ.get("OPENBLAS_NUM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) else os.cpu_count() or 1
