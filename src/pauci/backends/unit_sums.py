"""Sums over rows on a backend: look-up tables are joined to the rows, and sums are returned.

The contribution of a row to an estimate is a function of its label and its tie group, multiplied by
its weight. For each classifier, a table of the contributions by tie group is therefore joined to
the rows. The backend returns sums of products over the rows of each class, or over clusters.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.aggregate import Counting, is_one_of
from pauci.backends.frames import as_narwhals, backend_of, collect, narwhals
from pauci.checks import AnyArray, FloatArray, objects_of
from pauci.errors import InputError, InputTypeError

_MAX_SUMS = 80
"""Largest number of sums in a query; pandas, which Dask uses, warns of more than 100 columns."""


class Sums(NamedTuple):
    """Sums over rows of a class, or over clusters, of products of contributions."""

    products: FloatArray
    """Sums of products of the contributions to two estimates, shape (m, m)."""
    second: FloatArray
    """Sums of squares of each weighted sum of the contributions."""
    fourth: FloatArray
    """Sums of fourth powers of each weighted sum of the contributions."""


class GroupKeys(NamedTuple):
    """The keys of the tie groups of a classifier on the backend, several per group if merged."""

    key: AnyArray
    group: Any
    """The position of the group of each key, best group first: an array, or a slice of all."""


class Contribution(NamedTuple):
    """The contribution of a row of weight 1 to an estimate, by tie group of one classifier."""

    classifier: int
    pos: FloatArray
    neg: FloatArray


@dataclass(frozen=True, eq=False)
class RowSums:
    """Sums over the rows of a sample on a backend.

    Parameters
    ----------
    counting : Counting
        The columns and the groups of their scores.
    labels : list
        Labels of the positives.
    keys : list of GroupKeys
        For each classifier, the keys of its tie groups.
    expected : tuple of two int
        Numbers of positives and of negatives in the first pass, including copies.
    clustered : bool
        Whether sums are calculated over clusters, some of which have several rows.
    """

    counting: Counting
    labels: Sequence[Any]
    keys: Sequence[GroupKeys]
    expected: tuple[int, int]
    clustered: bool

    @property
    def backend(self) -> str:
        """Name of the backend in messages."""
        return self.counting.source.backend

    @cached_property
    def _frame(self) -> Any:
        keys = [f"key{i}" for i in range(len(self.keys))]
        extras = [name for name in ("cluster",) if self.counting.source.has(name)]
        extras += ["w"] if self.counting.source.has("weight") else []
        return self.counting.frame.select(
            is_one_of(self.labels).alias("positive"), *keys, *extras, "copies", "counted"
        )

    def cluster_labels(self) -> AnyArray:
        """Return the labels of all clusters."""
        return objects_of(collect(self._frame.select("cluster").unique())["cluster"].to_list())

    def cluster_facts(self) -> tuple[int, tuple[int, int], tuple[float, float]]:
        """Return the numbers of clusters, and the sums of their squared weights by class.

        Clusters with a row of positive weight are counted: all, and those with rows of each class.
        """
        nw = narwhals()
        zero = nw.lit(0).cast(nw.Int64)
        positive, counted = nw.col("positive"), nw.col("counted")
        mass = counted.cast(nw.Float64)
        if self.counting.source.has("weight"):
            mass = mass * nw.col("w")
        none = nw.lit(0.0)
        by_row = self._frame.select(
            "cluster",
            nw.when(positive).then(counted).otherwise(zero).alias("pos"),
            nw.when(positive).then(zero).otherwise(counted).alias("neg"),
            nw.when(positive).then(mass).otherwise(none).alias("mass1"),
            nw.when(positive).then(none).otherwise(mass).alias("mass0"),
        )
        names = ["pos", "neg", "mass1", "mass0"]
        clusters = by_row.group_by("cluster").agg(*(nw.col(name).sum() for name in names))
        flags = clusters.with_columns(
            (nw.col("pos") > 0).cast(nw.Int64).alias("has pos"),
            (nw.col("neg") > 0).cast(nw.Int64).alias("has neg"),
            (nw.col("pos") + nw.col("neg") > 0).cast(nw.Int64).alias("has any"),
            (nw.col("mass1") * nw.col("mass1")).alias("square1"),
            (nw.col("mass0") * nw.col("mass0")).alias("square0"),
        )
        wanted = ["has any", "has pos", "has neg", "square1", "square0"]
        table = collect(flags.select(*(nw.col(name).sum() for name in wanted)))
        total, pos, neg, square1, square0 = (table[name].to_list()[0] for name in wanted)
        return int(total), (int(pos), int(neg)), (float(square1), float(square0))

    def sums(self, terms: Sequence[Contribution], combined: FloatArray) -> list[Sums]:
        """Return sums over the positives and over the negatives, or over clusters.

        Clusters are divided into those with positives only, with negatives only, and with both.
        Each row of `combined` contains the weights of a weighted sum of the estimates.
        """
        m = len(terms)
        summands = self._summands(m, combined)
        result = []
        for totals in self._totals(self._contributions(terms), summands):
            products = np.empty((m, m))
            for i, j in combinations_with_replacement(range(m), 2):
                products[i, j] = products[j, i] = totals[f"{i} {j}"]
            second, fourth = (
                np.array([totals[f"{power} {k}"] for k in range(len(combined))])
                for power in ("second", "fourth")
            )
            result.append(Sums(products, second, fourth))
        return result

    def _summands(self, m: int, combined: FloatArray) -> dict[str, Any]:
        """Return the expressions to sum: products for pairs of m estimates, and powers of sums."""
        nw = narwhals()
        copies = 1 if self.clustered else nw.col("copies")
        z = [nw.col(f"z{i}") for i in range(m)]
        summands: dict[str, Any] = {
            f"{i} {j}": z[i] * z[j] * copies for i, j in combinations_with_replacement(range(m), 2)
        }
        for k, weights in enumerate(combined):
            weighted = [z[i] * float(weights[i]) for i in np.flatnonzero(weights).tolist()]
            total = reduce(operator.add, weighted)
            square = total * total
            summands[f"second {k}"] = square * copies
            summands[f"fourth {k}"] = square * square * copies
        return summands

    def _totals(self, units: Any, summands: dict[str, Any]) -> list[dict[str, float]]:
        """Return the totals over the units of each stratum: see `sums`."""
        nw = narwhals()
        names = list(summands)
        strata: dict[int, dict[str, float]] = {
            k: dict.fromkeys(names, 0.0) for k in ((1, 2, 3) if self.clustered else (1, 2))
        }
        for first in range(0, len(names), _MAX_SUMS):
            some = names[first : first + _MAX_SUMS]
            columns = ["counted", *(summands[name].alias(name) for name in some)]
            added = [nw.col(name).sum() for name in ("counted", *some)]
            table = units.select("stratum", *columns).group_by("stratum").agg(*added)
            lines = list(collect(table).iter_rows(named=True))
            self.check(sum(int(line["counted"] or 0) for line in lines))
            for line in lines:
                if line["stratum"]:  # clusters with frequency 0 are not counted
                    strata[int(line["stratum"])] |= {name: float(line[name]) for name in some}
        return list(strata.values())

    def _contributions(self, terms: Sequence[Contribution]) -> Any:
        """Return a frame with the contributions "z0", "z1", ... of every row or cluster.

        The column "stratum" is 1 for positives, 2 for negatives, and 3 for clusters with both.
        """
        nw = narwhals()
        frame = self._frame
        for c in sorted({t.classifier for t in terms}):
            key, group = self.keys[c]
            table: dict[str, AnyArray] = {f"group{c}": key}
            for i, term in enumerate(terms):
                if term.classifier == c:
                    table |= {f"pos{i}": term.pos[group], f"neg{i}": term.neg[group]}
            uploaded = upload_table(frame, table, self.counting.source.connection)
            frame = frame.join(uploaded, left_on=f"key{c}", right_on=f"group{c}", how="inner")
        z = []
        for i in range(len(terms)):
            chosen = (
                nw.when(nw.col("positive")).then(nw.col(f"pos{i}")).otherwise(nw.col(f"neg{i}"))
            )
            if self.counting.source.has("weight"):
                chosen = chosen * nw.col("w")
            z.append(chosen.alias(f"z{i}"))
        one, two, zero = (nw.lit(k).cast(nw.Int64) for k in (1, 2, 0))
        positive = nw.col("positive")
        if not self.clustered:
            stratum = nw.when(positive).then(one).otherwise(two).alias("stratum")
            return frame.select(stratum, "copies", "counted", *z)
        counted = nw.col("counted")
        frame = frame.select(
            "cluster",
            "copies",
            "counted",
            nw.when(positive).then(counted).otherwise(zero).alias("pos"),
            nw.when(positive).then(zero).otherwise(counted).alias("neg"),
            *z,
        )
        names = [f"z{i}" for i in range(len(terms))]
        copied = frame.select(
            "cluster",
            "counted",
            "pos",
            "neg",
            *((nw.col(name) * nw.col("copies")).alias(name) for name in names),
        )
        summed = copied.group_by("cluster").agg(
            *(nw.col(name).sum() for name in ("counted", "pos", "neg", *names))
        )
        holds_pos = nw.when(nw.col("pos") > 0).then(one).otherwise(zero)
        holds_neg = nw.when(nw.col("neg") > 0).then(two).otherwise(zero)
        return summed.select((holds_pos + holds_neg).alias("stratum"), "counted", *names)

    def check(self, n_rows: int) -> None:
        """Raise an error if the number of rows differs from that of the first pass."""
        if n_rows != sum(self.expected):
            raise InputError(
                f"the rows of frame have changed since they were counted: {n_rows:,} rows instead "
                f"of {sum(self.expected):,} match. Store the result of a random query, or of a "
                "table that is being changed, and use the stored rows.",
                argument="frame",
            )


def upload_table(frame: Any, table: dict[str, AnyArray], connection: Any) -> Any:
    """Return a small table as a lazy frame on the backend of `frame`, to join the two.

    `connection` is that of a relation of DuckDB, if it is known.
    """
    backend = frame.implementation
    native = frame.to_native()
    if backend.is_polars():
        import polars as pl

        return as_narwhals(pl.DataFrame(table).lazy())
    if backend.is_ibis():
        import ibis
        import pyarrow as pa

        return as_narwhals(ibis.memtable(pa.table(table)))
    import pandas as pd

    columns = pd.DataFrame(table)
    if backend.is_dask():
        import dask.dataframe as dd

        make: Any = dd.from_pandas
        return as_narwhals(make(columns, npartitions=1))
    if backend.is_duckdb():
        known = connection is not None
        return as_narwhals(connection.from_df(columns) if known else _in_duckdb(native, columns))
    if backend.is_pyspark():
        from pyspark.sql.functions import broadcast

        return as_narwhals(broadcast(native.sparkSession.createDataFrame(columns)))
    raise InputTypeError.about(
        "frame",
        f"is on {backend_of(frame)}, for which joins with a look-up table are not supported. Load "
        "the rows first.",
    )


def _in_duckdb(relation: Any, pauci_lookup: Any) -> Any:  # noqa: ARG001  # named in the query
    """Return a data frame as a relation in the connection of another relation."""
    import duckdb

    try:
        return relation.query("pauci_rows", "select * from pauci_lookup")
    except duckdb.CatalogException as error:
        if "pauci_lookup" not in str(error):
            raise
        raise InputError.about(
            "frame",
            "belongs to a DuckDB connection that cannot read data frames of Python, which is "
            "required to join a look-up table. Use a connection with the settings "
            "python_enable_replacements = true and enable_external_access = true.",
        ) from None
