"""Settings and helpers shared by all tests."""

import warnings

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

import pauci


def pytest_configure(config):
    """Draw the same examples in every run; with a seed, draw more and different examples.

    Hypothesis also draws constants of the modules that are loaded from a local folder. They are not
    used, because the examples would depend on the folder and on the tests that ran before.
    """
    providers.is_local_module_file = lambda path: False  # noqa: ARG005
    seeded = config.getoption("--hypothesis-seed") is not None
    examples = 60 if seeded else 25
    settings.register_profile(
        "pauci", deadline=None, max_examples=examples, derandomize=not seeded, database=None
    )
    settings.load_profile("pauci")


@pytest.fixture
def quiet():
    """Ignore warnings of the package, for data that are intentionally small or degenerate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        yield
