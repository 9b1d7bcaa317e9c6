"""Tests on Dask, which takes seconds for each table, have a command of their own."""

from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent

_IN_DEFAULT_RUN = ("test_every_engine_and_design",)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests on Dask, except those that only read frames."""
    for item in items:
        if not item.path.is_relative_to(_FOLDER) or not hasattr(item, "callspec"):
            continue
        on_dask = "dask" in item.callspec.params.values()
        if on_dask and item.originalname not in _IN_DEFAULT_RUN:
            item.add_marker("dask")
