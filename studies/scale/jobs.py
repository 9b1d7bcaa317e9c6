"""The measured jobs: `python studies/scale/jobs.py JOB FILE` runs a job and prints a line of JSON.

Every job reads a Parquet file with the columns y, a and b, and returns the results of its software.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

RESOLUTION = 2**16
"""Largest number of cells of continuous scores."""

Found = dict[str, object]


def _estimated(frame) -> Found:
    import pauci

    sample = pauci.Sample.from_frame(
        frame, label="y", scores="a", positive=1, resolution=RESOLUTION
    )
    e = pauci.estimate(sample, [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.1))])
    low, high = e[0].interval()
    return {
        "value": e[0].value,
        "low": low,
        "high": high,
        "version": pauci.__version__,
        "bound": getattr(sample.ratings().cells, "bound", 0.0),
    }


def _compared(frame) -> Found:
    import pauci

    sample = pauci.Sample.from_frame(
        frame, label="y", scores=["a", "b"], positive=1, resolution=RESOLUTION
    )
    c = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.1)))
    low, high = c.interval()
    return {"value": c.difference, "low": low, "high": high, "version": pauci.__version__}


def _in_memory(path: Path, work: Callable[..., Found]) -> Found:
    import pandas as pd

    columns = ["y", "a"] if work is _estimated else ["y", "a", "b"]
    return work(pd.read_parquet(path, columns=columns))


def _duckdb(path: Path, work: Callable[..., Found]) -> Found:
    import duckdb

    return work(duckdb.read_parquet(str(path)))


def _polars(path: Path, work: Callable[..., Found]) -> Found:
    import polars as pl

    return work(pl.scan_parquet(path))


def _dask(path: Path, work: Callable[..., Found]) -> Found:
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        Client(cluster),
    ):
        return work(dd.read_parquet(str(path), split_row_groups=True))


def _session():
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "6g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )


def _spark(path: Path, work: Callable[..., Found]) -> Found:
    session = _session()
    session.sparkContext.setLogLevel("ERROR")
    try:
        return work(session.read.parquet(str(path)))
    finally:
        session.stop()


def _mllib(path: Path, bins: int) -> Found:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql.functions import col

    session = _session()
    session.sparkContext.setLogLevel("ERROR")
    try:
        frame = session.read.parquet(str(path)).select(col("y").cast("double").alias("y"), "a")
        judge = BinaryClassificationEvaluator(rawPredictionCol="a", labelCol="y", numBins=bins)
        return {"value": judge.evaluate(frame), "version": version("pyspark")}
    finally:
        session.stop()


def _sklearn(path: Path) -> Found:
    import pandas as pd
    from sklearn.metrics import roc_auc_score

    frame = pd.read_parquet(path, columns=["y", "a"])
    value = float(roc_auc_score(frame["y"], frame["a"]))
    return {"value": value, "version": version("scikit-learn")}


def _torcheval(path: Path) -> Found:
    import pyarrow.parquet as pq
    import torch
    from torcheval.metrics.functional import binary_binned_auroc

    table = pq.read_table(path, columns=["y", "a"])
    y, a = (torch.from_numpy(table[name].to_numpy().copy()) for name in ("y", "a"))
    return {"value": float(binary_binned_auroc(a, y)[0]), "version": version("torcheval")}


def _equal_bins(path: Path) -> Found:
    """Return the area by the trapezoid rule for 100 bins of equal width, computed in SQL."""
    import duckdb

    rows = duckdb.sql(
        "select least(floor(a * 100), 99) as bin, sum(y), count(*) - sum(y) "
        f"from read_parquet('{path}') group by bin order by bin desc"
    ).fetchall()
    area = above = 0.0
    for _, positives, negatives in rows:
        area += float(negatives) * (above + float(positives) / 2.0)
        above += float(positives)
    return {
        "value": area / (above * sum(float(r[2]) for r in rows)),
        "version": version("duckdb"),
    }


ENGINES = {
    "memory": _in_memory,
    "duckdb": _duckdb,
    "polars": _polars,
    "dask": _dask,
    "spark": _spark,
}
WORKS = {"estimate": _estimated, "compare": _compared}

JOBS: dict[str, Callable[[Path], Found]] = {
    "scikit-learn": _sklearn,
    "torcheval": _torcheval,
    "bins": _equal_bins,
    "mllib 1000": lambda path: _mllib(path, 1000),
    "mllib 0": lambda path: _mllib(path, 0),
}
for engine, read in ENGINES.items():
    for verb, work in WORKS.items():
        JOBS[f"{verb} {engine}"] = lambda path, read=read, work=work: read(path, work)


def main() -> None:
    """Run one job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    start = time.perf_counter()
    result = JOBS[arguments.job](arguments.file)
    result["job_seconds"] = time.perf_counter() - start
    sys.stdout.write("\n" + json.dumps(result) + "\n")
    sys.stdout.flush()
    os._exit(0)  # some libraries take seconds to shut down


if __name__ == "__main__":
    main()
