"""All distinct scores of a classifier, sorted by the backend and streamed to an unnamed file.

The file is unlinked when it is created, so it is always removed when the process ends.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pauci.backends.aggregate import Counting, is_one_of, powers_of_weights, to_array
from pauci.backends.frames import as_narwhals, narwhals
from pauci.backends.source import collect
from pauci.checks import AnyArray

BATCH = 2**18


class StreamedColumns:
    """Columns, each of which is written to a temporary file in batches."""

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
            file.close()  # the file exists as long as the memory map
        return result


def sorted_table(
    counting: Counting, i: int, labels: Sequence[Any], *, descending: bool
) -> dict[str, AnyArray]:
    """Return the distinct scores of a classifier in order, with sums over the rows of each score.

    The numbers of rows are "counted 1" for the positives and "counted 0" for the negatives. With
    weights there are also "mass", "squares" and "fourths" for both classes.
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
    score_type = counting.source.scores[i].column.dtype
    is_integer = score_type.is_integer() or score_type == nw.Boolean
    # The look-up table of the second pass is joined on the keys, so their types must agree.
    key_type = np.uint64 if score_type == nw.UInt64 else np.int64 if is_integer else np.float64
    dtypes: dict[str, Any] = {key: key_type}
    dtypes |= {name: np.int64 if name in names[:2] else np.float64 for name in names}
    streamed = StreamedColumns(dtypes)
    for batch in _batches(ordered):
        streamed.add({name: to_array(batch[name]) for name in (key, *names)})
    return streamed.arrays()


def _batches(ordered: Any) -> Iterator[Any]:
    """Yield a sorted lazy frame in batches if the backend supports them, else as a whole."""
    native, backend = ordered.to_native(), ordered.implementation
    if backend.is_duckdb():
        reader = getattr(native, "to_arrow_reader", None) or native.fetch_arrow_reader
        import pyarrow as pa

        for batch in reader(BATCH):
            yield as_narwhals(pa.Table.from_batches([batch]))
        return
    if backend.is_polars() and hasattr(native, "collect_batches"):
        for batch in native.collect_batches(chunk_size=BATCH, maintain_order=True):
            yield as_narwhals(batch)
        return
    yield collect(ordered)
