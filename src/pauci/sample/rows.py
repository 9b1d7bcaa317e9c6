"""What a sample holds: the rows that its classifiers share, and the scores of each."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray
from pauci.curve.counts import Table, codes_of, tabulate
from pauci.curve.polyline import Curve
from pauci.errors import InputError

Design = Literal["cohort", "case-control"]


@dataclass(frozen=True, eq=False)
class Rows:
    """What the classifiers of a sample share: one label, weight and cluster per row."""

    positive: BoolArray
    frequency: AnyArray | None
    weight: FloatArray | None
    cluster: IntArray | None
    design: Design

    @cached_property
    def mass(self) -> AnyArray | None:
        """Frequency times weight, None where every row counts once."""
        if self.weight is None:
            return self.frequency
        return self.weight if self.frequency is None else self.weight * self.frequency

    @cached_property
    def copies(self) -> AnyArray | None:
        """Copies of each row that carry weight, None where every row counts once."""
        if self.weight is None:
            return self.frequency
        ones = np.ones(self.weight.size, np.int64) if self.frequency is None else self.frequency
        return np.where(self.weight > 0, ones, 0)

    @cached_property
    def counts(self) -> tuple[int, int]:
        """Numbers of positives and of negatives, copies included."""
        if self.copies is None:
            n_pos = int(np.count_nonzero(self.positive))
            return n_pos, self.positive.size - n_pos
        sums = [self.copies[which].sum().item() for which in (self.positive, ~self.positive)]
        n_pos, n_neg = (s if isinstance(s, int) else max(1, round(s)) for s in sums)
        return n_pos, n_neg

    @cached_property
    def clusters(self) -> int | None:
        """Number of clusters with a row that counts, None without clusters."""
        if self.cluster is None:
            return None
        held = self.cluster if self.copies is None else self.cluster[self.copies > 0]
        return int(np.count_nonzero(np.bincount(held)))

    @cached_property
    def units(self) -> tuple[float, float]:
        """Independent observations of each class: clusters, or the effective number of rows.

        With sampling weights that is Kish's (sum w)^2 / sum w^2.
        """
        found = []
        for which in (self.positive, ~self.positive):
            if self.cluster is not None:
                held = which if self.copies is None else which & (self.copies > 0)
                found.append(float(np.count_nonzero(np.bincount(self.cluster[held]))))
            elif self.weight is None or self.mass is None:
                found.append(float((which if self.copies is None else self.copies[which]).sum()))
            else:
                mass = self.mass[which]
                found.append(float(mass.sum() ** 2 / (mass * self.weight[which]).sum()))
        return found[0], found[1]

    def check(self) -> None:
        """Refuse weights or frequencies that leave a class without any row."""
        if self.mass is None:
            return
        argument = "frequency" if self.weight is None else "weight"
        for label, which in (("positives", self.positive), ("negatives", ~self.positive)):
            if not self.mass[which].any():
                raise InputError(
                    f"{argument} is 0 in all {int(which.sum())} {label}; each class needs a row "
                    "that counts."
                )


class Scores:
    """One classifier: its scores in row order and, once asked for, its tie-grouped table."""

    __slots__ = ("_codes", "_curve", "categories", "name", "values")

    def __init__(
        self, name: str, values: AnyArray, categories: tuple[object, ...] | None = None
    ) -> None:
        self.name = name
        self.values = values
        self.categories = categories
        self._curve: Curve | None = None
        self._codes: IntArray | None = None

    def table(self, rows: Rows, *, want_codes: bool = False) -> Table:
        """Return the tie-grouped table; `want_codes` keeps the codes that the same sort gives."""
        return self.curve(rows, want_codes=want_codes).table

    def curve(self, rows: Rows, *, want_codes: bool = False) -> Curve:
        """Return the empirical ROC curve of the table."""
        if self._curve is None:
            table, self._codes = tabulate(
                self.values, rows.positive, rows.mass, rows.counts, want_codes=want_codes
            )
            fixed = rows.design == "case-control"
            table = replace(table, categories=self.categories, fixed_prevalence=fixed)
            self._curve = Curve(table)
        return self._curve

    def codes(self, rows: Rows) -> IntArray:
        """Return the tie group of every row."""
        table = self.table(rows, want_codes=True)
        if self._codes is None:
            self._codes = codes_of(table, self.values)
        return self._codes
