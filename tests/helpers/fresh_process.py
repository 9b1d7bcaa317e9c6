"""Modules that are loaded in a new process, and those that must not be."""

import subprocess
import sys


def loaded_by(code: str) -> set[str]:
    """Return the modules that a fresh process has once it has run the code."""
    lines = run(f"import sys\n{code}\nprint(*sys.modules, sep='\\n')")
    return set(lines.split())


def run(code: str) -> str:
    """Return what a fresh process prints that runs the code; it must end well."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
