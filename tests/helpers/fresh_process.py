"""Modules that are loaded in a new process, and those that must not be."""

import subprocess
import sys


def loaded_by(code: str) -> set[str]:
    """Return the modules that are loaded in a new process after it has run the code."""
    lines = run(f"import sys\n{code}\nprint(*sys.modules, sep='\\n')")
    return set(lines.split())


def run(code: str) -> str:
    """Run code in a new process, check its exit status and return its output."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
