"""The command line as a function, applied to a file with ordinary columns."""

import shlex

import pytest

from command_line import FRAME, READINGS
from pauci.cli import run

__all__ = ["cli", "path", "readings"]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "data.csv"
    FRAME.to_csv(file, index=False)
    return str(file)


@pytest.fixture
def readings(tmp_path):
    """The file of a reader study."""
    file = tmp_path / "study.csv"
    READINGS.to_csv(file, index=False)
    return file


@pytest.fixture
def cli(capsys, path):
    """Run a command line, with FILE for the data, and return exit status, output and errors."""

    def call(line, *more):
        words = [path if word == "FILE" else word for word in shlex.split(line)]
        status = run([*words, *map(str, more)])
        return status, *capsys.readouterr()

    return call
