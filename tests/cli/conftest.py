"""The command line as a function, applied to a file with ordinary columns."""

import pytest

from command_line import FRAME, READINGS, options_that_are_lacking
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
        arguments = [path if word == "FILE" else word for word in line.split()]
        arguments += map(str, more)
        status = run(arguments)
        out, err = capsys.readouterr()
        lacking = options_that_are_lacking(arguments, err)
        assert not lacking, f"{arguments[0]} has no {lacking}, which this mentions: {err}"
        return status, out, err

    return call
