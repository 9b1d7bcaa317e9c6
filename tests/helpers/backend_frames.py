"""The same rows on every backend, and the designs in which they are read."""

import atexit
import warnings

import numpy as np
import pandas as pd
import pytest

import pauci

_OPEN = []
atexit.register(_OPEN.clear)  # DuckDB tells of connections that are left at the very end


def rows(n=1200, seed=1, digits=1):
    """Return a frame with labels of all kinds, tied scores, and all kinds of columns."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return pd.DataFrame(
        {
            "y": y.astype(np.int64),
            "truth": np.where(y, "ill", "well"),
            "sick": y,
            "a": np.round(rng.normal(size=n) + y, digits),
            "b": np.round(rng.normal(size=n) + 0.7 * y, digits),
            "rating": rng.integers(0, 6, n).astype(np.int32) + 2 * y.astype(np.int32),
            "w": rng.uniform(0.5, 2.0, n),
            "f": rng.integers(0, 4, n).astype(np.int32),
            "ward": rng.integers(0, 150, n),
            "patient": [f"p{i}" for i in rng.integers(0, 400, n)],
            "fold": rng.integers(0, 3, n),
        }
    )


def _polars(frame):
    return pytest.importorskip("polars").from_pandas(frame)


def _arrow(frame):
    return pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False)


def _duckdb(frame):
    connection = pytest.importorskip("duckdb").connect()
    _OPEN.append(connection)  # relations of older versions do not keep it
    return connection.from_arrow(_arrow(frame))


def _dask(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Dask's own imports warn of
        dd = pytest.importorskip("dask.dataframe")
        return dd.from_pandas(frame, npartitions=3)


def _ibis(frame):
    connection = pytest.importorskip("ibis").duckdb.connect()
    connection.con.register("rows_of_a_test", _arrow(frame))
    return connection.table("rows_of_a_test")


def _lazy(frame):
    return _polars(frame).lazy()


EAGER = {"polars": _polars, "pyarrow": _arrow}
LAZY = {"polars lazy": _lazy, "duckdb": _duckdb, "dask": _dask, "ibis": _ibis}

DESIGNS = {
    "plain": {"scores": "a"},
    "ratings": {"scores": "rating"},
    "paired": {"scores": ["a", "b"]},
    "strings": {"scores": ["a", "rating"], "label": "truth", "positive": "ill"},
    "booleans": {"scores": "a", "label": "sick"},
    "frequency": {"scores": ["a", "b"], "frequency": "f"},
    "weight": {"scores": "a", "weight": "w"},
    "cluster": {"scores": "a", "cluster": "ward"},
    "cluster of strings": {"scores": ["a", "b"], "cluster": "patient"},
    "all": {"scores": ["a", "b"], "weight": "w", "frequency": "f", "cluster": "ward"},
    "case-control": {"scores": ["a", "rating"], "design": "case-control"},
    "lower": {"scores": ["a", "b"], "lower_is_positive": ["b"]},
    "all lower": {"scores": "rating", "lower_is_positive": True},
    "folds": {"scores": ["a", "b"], "fold": "fold"},
}


def followed_up():
    """Return rows with follow-up times, and labels that are known in some rows."""
    frame, rng = rows(300), np.random.default_rng(2)
    event, censored = (rng.exponential(m, 300) for m in (5 * np.exp(-frame["a"]), 9))
    known = rng.random(300) < 1 / (1 + np.exp(-frame["a"]))
    return frame.assign(
        years=np.round(np.minimum(event, censored), 1),
        died=(event <= censored).astype(int),
        known=known,
        y=frame["y"].where(known),
    )


ESTIMATED_WEIGHTS = {
    "horizons": lambda frame: pauci.Sample.from_survival(
        frame, "years", "died", ["a", "b"], [2, 4], strata="sick", weight="w", cluster="patient"
    ),
    "verified": lambda frame: pauci.Sample.from_frame(
        frame, "y", ["a", "b"], verified="known", verification=["a", "truth"], frequency="f"
    ),
}
