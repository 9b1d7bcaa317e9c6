"""Modules that are loaded in a new process, and those that must not be."""

import subprocess
import sys
from collections.abc import Iterable


def loaded_by(code: str) -> set[str]:
    """Return the modules that are loaded in a new process after it has run the code."""
    return loaded_after([code])[0]


def loaded_after(steps: Iterable[str]) -> list[set[str]]:
    """Return the modules that are loaded after each step of a program in a new process."""
    printing = "\nprint('LOADED', *sys.modules)\n"
    lines = run("import sys\n" + "".join(f"{step}{printing}" for step in steps)).splitlines()
    return [set(line.split()) for line in lines if line.startswith("LOADED ")]


def run(code: str) -> str:
    """Run code in a new process, check its exit status and return its output."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
