"""What the notebooks of the site are run with, beside what every notebook has."""

import subprocess
import sys
import warnings


def _shell(command):
    """Run `!command`; one that fails is an error, and what it warns of is a warning."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode:
        raise RuntimeError(f"{command} has the exit status {done.returncode}")


def _without_place(message, category, *_):
    """Return a warning without the file and the line, which are those of a kernel."""
    return f"{category.__name__}: {message}\n"


get_ipython().system = _shell  # noqa: F821
warnings.formatwarning = _without_place
warnings.showwarning = lambda message, category, *_, **__: print(
    _without_place(message, category), end="", file=sys.stderr
)
