"""What a fresh process has loaded, and that it does without what it need not have."""

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
