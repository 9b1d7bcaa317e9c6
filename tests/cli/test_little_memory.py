"""A small address space is reported in one line, and no command waits forever."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and RLIMIT_AS")

LEFT = """
import resource, sys
from pauci.cli import run
import pandas, pauci.special
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]) * 2**20,) * 2)
"""


def python(code, *arguments):
    words = [sys.executable, "-c", LEFT + code, *map(str, arguments)]
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "2"},
    )


@pytest.mark.parametrize("megabytes", [45, 75, 100])
def test_too_little_memory_for_scipy_is_reported_before_loading(path, megabytes):
    code = "sys.exit(run(sys.argv[2:]))"
    line = f"estimate {path} --label label --score svm --measure Youden(threshold=0)".split()
    done = python(code, megabytes, *line)
    assert done.returncode == 1, done.stderr
    assert "pauci: error: out of memory" in done.stderr
    assert "OPENBLAS_NUM_THREADS" in done.stderr
    assert "fault of pauci" not in done.stderr


def test_a_sufficient_address_space_is_accepted():
    done = python("print(pauci.special.ndtr(0.0))", 300)
    assert (done.returncode, done.stdout.strip()) == (0, "0.5"), done.stderr


def test_memory_errors_are_raised_in_python():
    code = "import pauci\ntry: pauci.special.ndtr\nexcept MemoryError as e: print(e)"
    done = python(code, 50)
    assert "address space" in done.stdout, done.stderr
