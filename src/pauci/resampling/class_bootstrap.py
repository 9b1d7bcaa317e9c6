"""The bootstrap of samples of several classes: rows are drawn for all pairs of classes together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pauci.checks import AnyArray
from pauci.curve.polyline import Curve
from pauci.resampling.draws import Counts, ReplicateBlock
from pauci.resampling.evaluate import Engine
from pauci.resampling.joint_bootstrap import RowPool
from pauci.sample.class_rows import ClassRatings, ClassRows


@dataclass(frozen=True, eq=False)
class ClassPool(RowPool):
    """The rows of an analysis of several classes; a column may have the scores of all classes."""

    @cached_property
    def groups(self) -> list[int]:
        """Number of tie groups of each column; 1 for scores of all classes, which have none."""
        return [1 if isinstance(c, ClassRatings) else c.table.size for c in self.columns]

    def multinomial(self, block: ReplicateBlock) -> Counts:
        """Return how often each row is drawn: two arrays of shape (R, rows)."""
        if self.scheme != "stratified":
            return super().multinomial(block)
        assert isinstance(self.rows, ClassRows)
        assert self.cells is not None
        times = np.zeros((block.sizes[0].size, self.cells.size), np.int64)
        for mask in self.rows.class_masks:
            at = self.positions[mask]
            in_class = self.cells[at]
            size = int(in_class.sum())
            times[:, at] = block.rng.multinomial(size, in_class / size, len(times))
        return times[:, : self.classes[0]], times[:, self.classes[0] :]


class ClassEngine(Engine):
    """Evaluates measures of pairs of classes, and of all classes, on resampled rows."""

    pool: ClassPool

    def counts(self, block: ReplicateBlock, size: int, batch: int) -> Iterator[list[Counts]]:  # noqa: ARG002
        """Yield the counts by tie group of each column, or twice those of its rows."""
        drawn = self.pool.multinomial(block)
        pos, neg = self.pool.tables(drawn)
        times = np.concatenate(drawn, axis=1)[:, self.pool.positions]
        for r in range(size):
            columns: list[Counts] = []
            for c, (ratings, k) in enumerate(zip(self.pool.columns, self.pool.groups, strict=True)):
                if isinstance(ratings, ClassRatings):
                    columns.append((times[r].take(self.pool.index[c]),) * 2)
                else:
                    columns.append((pos[r, c, :k], neg[r, c, :k]))
            yield columns

    def _curve(self, c: int, counts: Sequence[AnyArray], sizes: tuple[int, int]) -> Any:
        ratings = self.pool.columns[c]
        if isinstance(ratings, ClassRatings):
            return ratings.resampled(counts[0])
        curve: Curve = super()._curve(c, (counts[0], counts[1]), sizes)
        return curve
