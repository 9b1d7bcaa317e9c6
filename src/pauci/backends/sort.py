"""All distinct scores of a classifier, sorted by the backend and streamed to an unnamed file.

The file is unlinked when it is created, so it is removed however the process ends.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pauci.backends.aggregate import Counting, array, is_one_of, powers_of_weights
from pauci.backends.frames import narwhals, wrapped
from pauci.backends.source import collected
from pauci.checks import AnyArray

BATCH = 2**18


class Streamed:
    """Columns, each in a temporary file that grows by batches."""

    def __init__(self, dtypes: dict[str, Any]) -> None:
        import tempfile

        self._files = {name: tempfile.TemporaryFile() for name in dtypes}  # noqa: SIM115
        self._dtypes = dtypes

    def add(self, columns: dict[str, AnyArray]) -> None:
        """Append a batch."""
        for name, values in columns.items():
            np.ascontiguousarray(values, self._dtypes[name]).tofile(self._files[name])

    def arrays(self) -> dict[str, AnyArray]:
        """Return the columns as memory maps."""
        result: dict[str, AnyArray] = {}
        for name, file in self._files.items():
            file.flush()
            result[name] = np.memmap(file, self._dtypes[name], mode="r")
            file.close()  # the mapping keeps it
        return result


def sorted_table(
    counting: Counting, i: int, labels: Sequence[Any], *, descending: bool
) -> dict[str, AnyArray]:
    """Return the distinct scores of a classifier in order, and sums over each.

    The sums are "counted 1" of the positives and "counted 0" of the negatives; with weights there
    are "mass", "squares" and "fourths" of both too.
    """
    nw = narwhals()
    key = f"key{i}"
    positive = is_one_of(labels)
    sums = {"counted": nw.col("counted")}
    if counting.source.has("weight"):
        sums |= powers_of_weights()
    columns = []
    for name, values in sums.items():
        zero = nw.lit(0).cast(nw.Int64) if name == "counted" else nw.lit(0.0)
        columns += [
            nw.when(positive).then(values).otherwise(zero).alias(f"{name} 1"),
            nw.when(positive).then(zero).otherwise(values).alias(f"{name} 0"),
        ]
    names = [f"{name} {label}" for name in sums for label in (1, 0)]
    grouped = counting.frame.select(key, *columns).group_by(key)
    table = grouped.agg(*(nw.col(name).sum() for name in names))
    counts = [nw.col(name).cast(nw.Int64) for name in names[:2]]
    ordered = table.select(key, *counts, *names[2:]).sort(key, descending=descending)
    given = counting.source.scores[i].column.dtype
    whole = given.is_integer() or given == nw.Boolean
    # The look-up table of the second pass is joined by these, so that types must agree.
    of_keys = np.uint64 if given == nw.UInt64 else np.int64 if whole else np.float64
    dtypes: dict[str, Any] = {key: of_keys}
    dtypes |= {name: np.int64 if name in names[:2] else np.float64 for name in names}
    streamed = Streamed(dtypes)
    for batch in _batches(ordered):
        streamed.add({name: array(batch[name]) for name in (key, *names)})
    return streamed.arrays()


def _batches(ordered: Any) -> Iterator[Any]:
    """Yield a sorted lazy frame in batches, if the backend has these; else as a whole."""
    native, backend = ordered.to_native(), ordered.implementation
    if backend.is_duckdb():
        reader = getattr(native, "to_arrow_reader", None) or native.fetch_arrow_reader
        import pyarrow as pa

        for batch in reader(BATCH):
            yield wrapped(pa.Table.from_batches([batch]))
        return
    if backend.is_polars() and hasattr(native, "collect_batches"):
        for batch in native.collect_batches(chunk_size=BATCH, maintain_order=True):
            yield wrapped(batch)
        return
    yield collected(ordered)
