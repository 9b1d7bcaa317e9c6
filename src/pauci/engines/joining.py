"""Sums over rows that stay on the engine: look-up tables are joined to them, and sums come back.

What a row contributes to an estimate is a function of its label and its tie group, times its
weight. So a table from group to contribution goes to the engine for each classifier, and sums of
products by class, or of squares of sums by cluster, come back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.engines.counting import Counting, is_one_of
from pauci.engines.frames import narwhals
from pauci.engines.lookups import uploaded
from pauci.engines.source import collected
from pauci.errors import InputError

_MOST_SUMS = 80
"""Sums that are asked for at once; pandas, behind Dask, warns of more than 100 columns."""


class ClusterFacts(NamedTuple):
    """Clusters with a row that counts, of any class, with positives and with negatives."""

    any: int
    pos: int
    neg: int
    squares: tuple[float, float]
    """Sums over clusters of the squared weight of their positives, and of their negatives."""


class Sums(NamedTuple):
    """Sums over rows of a class, or over clusters, of products of contributions."""

    products: FloatArray
    """Of two estimates, shape (m, m)."""
    second: FloatArray
    fourth: FloatArray
    """Of powers of weighted sums of the estimates, as many as were asked for."""


class Contribution(NamedTuple):
    """What a row of weight 1 contributes to an estimate, by the tie group of one classifier."""

    classifier: int
    pos: FloatArray
    neg: FloatArray


@dataclass(frozen=True, eq=False)
class RowsOnEngine:
    """The rows of a sample on an engine.

    Parameters
    ----------
    counting : Counting
        The columns, and how their scores make groups.
    labels : list
        Labels of the positives.
    keys : list of ndarray
        For each classifier the keys of its tie groups, best first.
    expected : tuple of two int
        Copies of positives and of negatives that were counted.
    clustered : bool
        Whether sums are taken over clusters: there are some, and not all of them hold one row.
    """

    counting: Counting
    labels: Sequence[Any]
    keys: Sequence[AnyArray]
    expected: tuple[int, int]
    clustered: bool

    @property
    def engine(self) -> str:
        """What messages call the engine."""
        return self.counting.source.engine

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
        labels = collected(self._frame.select("cluster").unique())["cluster"].to_list()
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
        return array

    def cluster_facts(self) -> ClusterFacts:
        """Return how many clusters there are, and how much weight they carry."""
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
        found = collected(flags.select(*(nw.col(name).sum() for name in wanted)))
        some, pos, neg, square1, square0 = (found[name].to_list()[0] for name in wanted)
        return ClusterFacts(int(some), int(pos), int(neg), (float(square1), float(square0)))

    def sums(self, terms: Sequence[Contribution], combined: FloatArray) -> list[Sums]:
        """Return sums over the positives and over the negatives, or over all clusters.

        `combined` has a row of weights for each weighted sum of the estimates.
        """
        nw = narwhals()
        m = len(terms)
        units = self._contributions(terms)
        by = [] if self.clustered else ["positive"]
        columns: dict[str, Any] = {}
        counted = 1 if by == [] else nw.col("copies")
        for i in range(m):
            for j in range(i, m):
                columns[f"{i} {j}"] = nw.col(f"z{i}") * nw.col(f"z{j}") * counted
        for k, weights in enumerate(combined):
            total: Any = None
            for i in np.flatnonzero(weights).tolist():
                part = nw.col(f"z{i}") * float(weights[i])
                total = part if total is None else total + part
            square = total * total
            columns[f"second {k}"] = square * counted
            columns[f"fourth {k}"] = square * square * counted
        found: dict[bool, dict[str, float]] = {True: {}, False: {}}
        names = list(columns)
        for first in range(0, len(names), _MOST_SUMS):
            some = names[first : first + _MOST_SUMS]
            part = units.select(*by, "counted", *(columns[name].alias(name) for name in some))
            added = [nw.col(name).sum() for name in ("counted", *some)]
            table = collected(part.group_by("positive").agg(*added) if by else part.select(*added))
            lines = list(table.iter_rows(named=True))
            self.check(sum(int(line["counted"] or 0) for line in lines))
            for line in lines:
                found[bool(line.get("positive", True))] |= {n: float(line[n]) for n in some}
        result = []
        for values in (found[True], found[False]) if by else (found[True],):
            products = np.empty((m, m))
            for i in range(m):
                for j in range(i, m):
                    products[i, j] = products[j, i] = values[f"{i} {j}"]
            second, fourth = (
                np.array([values[f"{power} {k}"] for k in range(len(combined))])
                for power in ("second", "fourth")
            )
            result.append(Sums(products, second, fourth))
        return result

    def _contributions(self, terms: Sequence[Contribution]) -> Any:
        """Return the frame of "z0", "z1" and so on of every row, or of every cluster."""
        nw = narwhals()
        frame = self._frame
        for c in sorted({t.classifier for t in terms}):
            table: dict[str, AnyArray] = {f"group{c}": self.keys[c]}
            for i, term in enumerate(terms):
                if term.classifier == c:
                    table |= {f"pos{i}": term.pos, f"neg{i}": term.neg}
            frame = frame.join(
                uploaded(frame, table), left_on=f"key{c}", right_on=f"group{c}", how="inner"
            )
        z = []
        for i in range(len(terms)):
            chosen = (
                nw.when(nw.col("positive")).then(nw.col(f"pos{i}")).otherwise(nw.col(f"neg{i}"))
            )
            if self.counting.source.has("weight"):
                chosen = chosen * nw.col("w")
            z.append(chosen.alias(f"z{i}"))
        frame = frame.select(
            *(["cluster"] if self.clustered else ["positive"]), "copies", "counted", *z
        )
        if not self.clustered:
            return frame
        names = [f"z{i}" for i in range(len(terms))]
        copied = frame.select(
            "cluster", "counted", *((nw.col(z) * nw.col("copies")).alias(z) for z in names)
        )
        return copied.group_by("cluster").agg(*(nw.col(z).sum() for z in ("counted", *names)))

    def check(self, now: int) -> None:
        """Refuse a frame that gives other rows than when it was counted."""
        if now != sum(self.expected):
            raise InputError(
                f"frame has other rows now than when they were counted: {now:,} and "
                f"{sum(self.expected):,} match. A query that draws at random, or a table that "
                "somebody changes, must be stored first.",
                argument="frame",
            )
