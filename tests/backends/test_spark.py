"""The same tests on Spark, which requires Java: python -m pytest -m spark tests/backends."""

import os
import shutil
import sys

import numpy as np
import pytest

import pauci
from backend_frames import DESIGNS, ESTIMATED_WEIGHTS, followed_up, rows

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning"),
    # Warnings about new pandas releases, and about files that Spark leaves open.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark.*"),
]

MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.2)), pauci.AP()]


@pytest.fixture(scope="module")
def session():
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark takes Java, and there is none on the path")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]").appName("pauci")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.mark.parametrize("design", ESTIMATED_WEIGHTS)
def test_rows_with_estimated_weights_are_loaded(session, design):
    read, frame = ESTIMATED_WEIGHTS[design], followed_up()
    c, other = (pauci.compare(read(f), MEASURES) for f in (session.createDataFrame(frame), frame))
    np.testing.assert_allclose(c.cov, other.cov, rtol=1e-12)


@pytest.mark.parametrize("resolution", [2**20, 99])
@pytest.mark.parametrize("design", DESIGNS)
def test_every_design(session, design, resolution):
    frame = rows(900, digits=0)
    given = {"label": "y"} | DESIGNS[design]
    lazy = session.createDataFrame(frame)
    sample = pauci.Sample.from_frame(lazy, resolution=resolution, **given)
    expected = pauci.Sample.from_frame(frame, **given)
    assert repr(sample) == repr(expected)
    estimates, others = (pauci.estimate(s, MEASURES) for s in (sample, expected))
    for e, other in zip(estimates, others, strict=True):
        assert e.value == pytest.approx(other.value, rel=1e-12)
        assert e.se == pytest.approx(other.se, rel=1e-12)
        assert e.df == pytest.approx(other.df, rel=1e-10)
    np.testing.assert_allclose(estimates.cov, others.cov, rtol=1e-10, atol=1e-17)


@pytest.mark.parametrize("scores", ["a", ["a", "b"]], ids=str)
def test_cells_are_those_of_other_engines(session, scores):
    pl = pytest.importorskip("polars")
    frame = rows(900, digits=9)
    samples = [
        pauci.Sample.from_frame(f, label="y", scores=scores, resolution=64)
        for f in (session.createDataFrame(frame), pl.from_pandas(frame).lazy())
    ]
    assert repr(samples[0]) == repr(samples[1])
    assert "cells" in repr(samples[0])
    tables = [sample.ratings("a").table for sample in samples]
    for name in ("scores", "cum_pos", "cum_neg"):
        np.testing.assert_array_equal(getattr(tables[0], name), getattr(tables[1], name))


def test_missing_values_and_nan(session):
    frame = rows(60)
    frame.loc[:1, "a"] = np.nan
    lazy = session.createDataFrame(frame)
    with pytest.raises(pauci.InputError, match="column 'a' has 2 missing values"):
        pauci.Sample.from_frame(lazy, label="y", scores="a")
    with pytest.warns(pauci.errors.MissingRowsWarning, match="2 of 60 rows were dropped"):
        pauci.Sample.from_frame(lazy, label="y", scores="a", drop_missing=True)
