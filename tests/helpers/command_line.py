"""Data for the command line, and checks of its output."""

import json
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from reader_studies import roe_metz

N = 120
SPECIAL = "a|b_c&d%e$f"


def make_frame():
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    return pd.DataFrame(
        {
            "label": y,
            "outcome": np.where(y, "yes", "no"),
            "grade": y + 1,
            "share": y * 1.0,
            "flag": y == 1,
            "svm": (y + rng.normal(size=N)).round(1),
            "nn": (y + rng.normal(size=N)).round(3),
            SPECIAL: y + rng.normal(size=N),
            "copies": rng.integers(1, 4, N),
            "w": rng.uniform(0.5, 2, N).round(2),
            "site": np.arange(N) // 3,
        }
    )


FRAME = make_frame()

READINGS = roe_metz(np.random.default_rng(5), 4, 25, 30)
COLUMNS = "--reader reader --modality modality --case case --label label --score score"
"""The columns of a reader study."""


def fails(answer, *words):
    """Check exit status 2 and one line on standard error that contains `words`."""
    status, out, err = answer
    assert status == 2
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert err.startswith("pauci: error: ")
    assert "Traceback" not in err
    assert err.rstrip("\n").isprintable()
    for word in words:
        assert word in err, err


def succeeds(answer):
    status, out, err = answer
    assert (status, err) == (0, "")
    return out


def _refuse(word):
    raise AssertionError(f"{word} is not JSON")


def json_rows(text):
    """Return the rows of a JSON document, or of several by their names."""
    document = json.loads(text, parse_constant=_refuse)
    if "schema" in document:
        return document["rows"]
    return {name: part["rows"] for name, part in document.items()}


@contextmanager
def small_files(size):
    """Limit the size of files, to simulate a full disk."""
    resource = pytest.importorskip("resource", reason="needs a limit on the size of files")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
