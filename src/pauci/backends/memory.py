"""The memory that this process may use, and an error before more of it is used."""

import math
import sys
from pathlib import Path

from pauci.errors import InputError

_FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""The limit and the use of a control group by version 2 and by version 1, and the used memory that
is a cache of files."""


def available_memory() -> float:
    """Return the bytes that this process may still use; infinite if they are unknown.

    They are the least of those of its own limit, of its container and of the machine.
    """
    return min(_of_process(), _of_container(), _of_machine())


def check_memory(needed: float, content: str, hint: str) -> None:
    """Raise an error if more memory is needed than this process may use."""
    available = available_memory()
    if needed > available:
        raise InputError.about(
            "frame",
            f"has {content}, which need about {needed / 1e9:.3g} GB of memory, but only "
            f"{available / 1e9:.3g} GB are available.",
            hint=hint,
        )


def _of_process() -> float:
    """Return the bytes up to the limit of the address space of this process."""
    try:
        import resource
    except ModuleNotFoundError:  # on Windows
        return math.inf
    left = math.inf
    for limit, column in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            left = min(left, most - _pages(column) * resource.getpagesize())
    return left


def _pages(column: int) -> int:
    """Return a size of this process in pages: all of it (0), or its data (5)."""
    used = _read("/proc/self/statm").split()
    return int(used[column]) if used else 0


def _of_container() -> float:
    """Return the bytes up to the limit of the control groups of this process."""
    left = math.inf
    for line in _read("/proc/self/cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers not in _FILES:
            continue
        limit, usage, cache = _FILES[controllers]
        root = Path("/sys/fs/cgroup", controllers)
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            most, used = _read(folder / limit).strip(), _read(folder / usage).strip()
            if most.isdigit() and used.isdigit():
                stat = dict(row.split(" ", 1) for row in _read(folder / "memory.stat").splitlines())
                left = min(left, int(most) - int(used) + int(stat.get(cache, 0)))
            if folder == root:
                break
    return left


def _of_machine() -> float:
    """Return the bytes that are available without swapping."""
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return 1024.0 * int(line.split()[1])
    if sys.platform == "darwin":
        import os

        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return math.inf


def _read(path: str | Path) -> str:
    """Return the content of a file; empty if it cannot be read."""
    try:
        return Path(path).read_text(encoding="ascii")
    except OSError:
        return ""
