"""Continuous integration: parallel lanes that end with the script, lowest versions, the sdist."""

import os
import re
import runpy
import shutil
import signal
import subprocess
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

BASH = shutil.which("bash")
ENOUGH = "(( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 ))"

needs_bash = pytest.mark.skipif(
    os.name != "posix" or BASH is None or subprocess.call([BASH, "-c", ENOUGH]) != 0,
    reason="needs bash 5.1",
)

# A lane whose process has a child process, like a test with workers.
SCRIPT = """
set -euo pipefail
source {ci}/lanes
slow() {{ (sleep 300 & echo $! >{folder}/pid; wait); }}
failing() {{ until [ -s {folder}/pid ]; do sleep 0.05; done; echo what went wrong; (exit 7); }}
fine() {{ until [ -s {folder}/pid ]; do sleep 0.05; done; echo fine; }}
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie process counts as ended.
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and ") Z " in status.read_text(encoding="utf-8"))


def ends(pid, seconds=10.0):
    limit = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < limit:
        time.sleep(0.05)
    return not is_alive(pid)


def script(folder, text):
    path = folder / "script"
    path.write_text(SCRIPT.format(ci=CI, folder=folder) + text, encoding="utf-8")
    return [BASH, path]


@needs_bash
def test_a_failing_lane_stops_the_others_with_their_children(tmp_path):
    command = script(tmp_path, "run_lanes slow failing; echo not reached\n")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 7
    assert done.stdout == "what went wrong\n"
    assert ends(int((tmp_path / "pid").read_text(encoding="utf-8")))


@needs_bash
def test_lanes_stop_with_the_script(tmp_path):
    with subprocess.Popen(script(tmp_path, "run_lanes slow\n")) as process:
        limit = time.monotonic() + 30
        pid = tmp_path / "pid"
        while not (pid.exists() and pid.read_text(encoding="utf-8")) and time.monotonic() < limit:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 143
    assert ends(int(pid.read_text(encoding="utf-8")))


@needs_bash
def test_all_lanes_are_waited_for(tmp_path):
    text = f"first() {{ sleep 0.2; echo 1 >{tmp_path}/pid; }}\nrun_lanes first fine; echo done\n"
    done = subprocess.run(
        script(tmp_path, text), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "fine\ndone\n")


def test_every_dependency_has_a_lowest_version():
    """The lowest versions are read from pyproject.toml."""
    listed = runpy.run_path(str(CI / "floors"))["floors"]()
    required = [*PROJECT["dependencies"]]
    for name, extra in PROJECT["optional-dependencies"].items():
        required += [] if name == "dev" else extra
    for requirement in required:
        if not requirement.startswith(PROJECT["name"]):
            name, lowest = re.match(r"([\w-]+)(?:\[.*\])?>=([\d.]+)$", requirement).groups()
            assert listed[name] == lowest
