"""What a sample holds: the rows that its classifiers share, and the ratings of each."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple, NoReturn

import numpy as np

from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray
from pauci.curve.counts import Table, codes_of, tabulate
from pauci.curve.polyline import Curve
from pauci.errors import InputError, UndefinedError

Design = Literal["cohort", "case-control"]


class Grouped(NamedTuple):
    """What is known of the rows of a frame that an engine has counted.

    Parameters
    ----------
    rows : int
        Rows of the frame.
    idle : int
        Rows that count for nothing.
    frequencies : bool
        Whether rows of the frame had frequencies of their own.
    """

    rows: int
    idle: int
    frequencies: bool


@dataclass(frozen=True, eq=False)
class Rows:
    """What the classifiers of a sample share: one label, weight and cluster per row.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Whether each row is a positive.
    frequency, weight, cluster : ndarray of shape (n,), or None
        As the user gave them, checked; weights up to a common factor.
    design : {"cohort", "case-control"}
        Sampling design.
    dropped : int, default 0
        Rows that the user had dropped for missing values.
    of_counts : bool, default False
        Whether the rows are the cells of a table of counts.
    fold : ndarray of int, shape (n,), or None
        Fold of each row, 0..K-1, where measures are taken within folds.
    fold_names : tuple
        What the user calls the folds.
    grouped : Grouped, optional
        The rows of the frame behind these, where an engine has counted equal ones.
    cluster_labels : ndarray, optional
        What the user calls the clusters 0..C-1, to find those that two samples share; also where
        each holds one row, so that `cluster` is None.
    left_out : int, default 0
        Rows whose label is none of the two that the user wanted.
    """

    positive: BoolArray
    frequency: AnyArray | None
    weight: FloatArray | None
    cluster: IntArray | None
    design: Design
    dropped: int = 0
    of_counts: bool = False
    fold: IntArray | None = None
    fold_names: tuple[object, ...] = ()
    grouped: Grouped | None = None
    cluster_labels: AnyArray | None = None
    left_out: int = 0

    elsewhere: ClassVar[bool] = False
    """Whether the rows themselves are not here, but on an engine."""

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

    @property
    def not_used(self) -> list[str]:
        """In words, how many rows of the data were dropped or left out, and why."""
        return [
            f"{number:,} row{'s' * (number != 1)} with {why}"
            for number, why in ((self.dropped, "missing values"), (self.left_out, "other labels"))
            if number
        ]

    @property
    def uncounted(self) -> int:
        """Number of rows that count for nothing, with weight or frequency 0; cells are no rows."""
        if self.grouped is not None:
            return self.grouped.idle
        if self.copies is None or self.of_counts:
            return 0
        return int(np.count_nonzero(self.copies == 0))

    @cached_property
    def prevalence(self) -> float:
        """Share of the positives, weighted if there are weights."""
        if self.mass is None:
            n_pos, n_neg = self.counts
            return n_pos / (n_pos + n_neg)
        return float(self.mass[self.positive].sum() / self.mass.sum())

    @property
    def has_frequencies(self) -> bool:
        """Whether the user's rows stand for several each."""
        if self.grouped is not None:
            return self.grouped.frequencies
        return self.frequency is not None

    def without_single_clusters(self) -> "Rows":
        """Return the rows without clusters if each cluster holds one row: rows are independent."""
        if self.cluster is None or self.clusters != sum(self.counts):
            return self
        return replace(self, cluster=None)

    @cached_property
    def clusters(self) -> int | None:
        """Number of clusters with a row that counts, None without clusters."""
        if self.cluster is None:
            return None
        counted = self.cluster if self.copies is None else self.cluster[self.copies > 0]
        return int(np.count_nonzero(np.bincount(counted)))

    @cached_property
    def units(self) -> tuple[float, float]:
        """Independent observations of each class: clusters, or the effective number of rows.

        With sampling weights that is Kish's (sum w)^2 / sum w^2.
        """
        if self.cluster is None and self.weight is None:
            n_pos, n_neg = self.counts
            return float(n_pos), float(n_neg)
        sizes = []
        for which in (self.positive, ~self.positive):
            if self.cluster is not None:
                counted = which if self.copies is None else which & (self.copies > 0)
                sizes.append(float(np.count_nonzero(np.bincount(self.cluster[counted]))))
            else:
                assert self.weight is not None
                copies = None if self.frequency is None else self.frequency[which]
                sizes.append(_kish(self.weight[which], copies))
        return sizes[0], sizes[1]

    @cached_property
    def cluster_df(self) -> float:
        """Clusters of the smaller class less one; infinite where no cluster holds two rows.

        No variance is known better than from that many clusters, as the class with fewer of them
        brings most of it.
        """
        if self.clusters is None or self.clusters >= sum(self.counts):
            return math.inf
        return min(self.units) - 1.0

    @cached_property
    def effective(self) -> tuple[float, float]:
        """Kish's number of rows of each class, or of clusters with the weights of their rows."""
        if self.cluster is None or self.weight is None or self.mass is None:
            return self.units
        classes = (self.positive, ~self.positive)
        n_pos, n_neg = (_kish(np.bincount(self.cluster[c], self.mass[c]), None) for c in classes)
        return n_pos, n_neg

    @cached_property
    def clusters_cross_folds(self) -> bool:
        """Whether a cluster has rows in several folds, as in a repeated cross-validation."""
        if self.cluster is None or self.fold is None:
            return False
        pairs = np.unique(np.column_stack((self.cluster, self.fold)), axis=0)
        return len(pairs) > np.unique(self.cluster).size

    def of_fold(self, k: int) -> "Rows":
        """Return the rows of one fold; clusters that lie in several folds are left out."""
        index = self.index_of_fold(k)

        def pick(values: AnyArray | None) -> AnyArray | None:
            return None if values is None else values.take(index)

        cluster = None if self.clusters_cross_folds else pick(self.cluster)
        labels = None
        if cluster is not None:
            present, cluster = np.unique(cluster, return_inverse=True)
            cluster = cluster.reshape(-1)
            labels = None if self.cluster_labels is None else self.cluster_labels[present]
        rows = Rows(
            self.positive.take(index), pick(self.frequency), pick(self.weight), cluster,
            self.design, cluster_labels=labels,
        )  # fmt: skip
        return rows.without_single_clusters()

    def here(self) -> "tuple[Rows, dict[str, Ratings]]":
        """Return rows that are elsewhere, and their ratings, in memory."""
        raise NotImplementedError

    def refuse(self) -> NoReturn:
        """Say that something takes single rows, which are not here."""
        raise NotImplementedError

    def index_of_fold(self, k: int) -> IntArray:
        """Return which rows are those of a fold."""
        return np.flatnonzero(self.fold == k)

    def check_units(self, pos: float, neg: float) -> None:
        """Refuse a class with fewer than two independent units, which has no standard error."""
        unit = "row" if self.cluster is None else "cluster"
        for name, count in (("positive", pos), ("negative", neg)):
            if count < 2:
                raise UndefinedError(
                    f"the sample has {count:g} {unit} with a {name} label: a standard error needs "
                    f"at least two {unit}s in each class. Collect more {name}s."
                )

    def check(self) -> None:
        """Refuse weights or frequencies that leave a class without any row."""
        if self.mass is None:
            return
        argument = "frequency" if self.weight is None else "weight"
        both = self.weight is not None and self.frequency is not None
        words = "weight times frequency" if both else argument
        for label, which in (("positives", self.positive), ("negatives", ~self.positive)):
            if not self.mass[which].any():
                raise InputError(
                    f"{words} is 0 in all {int(which.sum())} {label}; each class needs a row "
                    "that counts.",
                    argument=argument,
                    value=0,
                )


def _kish(weight: AnyArray, copies: AnyArray | None) -> float:
    """Return (sum w)^2 / sum w^2, the number of equal weights that tell as much."""
    # Weights may be so small next to those of the other class that their squares would be 0.
    _, exponent = np.frexp(weight.max())
    weight = np.ldexp(weight, -int(exponent))
    mass = weight if copies is None else weight * copies
    return float(mass.sum() ** 2 / (mass * weight).sum())


class Ratings:
    """The scores of one classifier on its rows, and what follows from both together.

    The curve is made when it is first asked for, and kept. Asking for `codes` first makes both
    with one sort of the rows; the curve alone takes a faster one. `values` are the scores, negated
    where lower ones are positive: higher always means more positive here. `cells` are
    the scores of the tie groups and the best score of each, upwards, where some hold several.
    """

    __slots__ = (
        "_codes", "_curve", "categories", "cells", "lower_is_positive", "name", "rows", "values",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        values: AnyArray,
        rows: Rows,
        categories: tuple[object, ...] | None = None,
        *,
        lower_is_positive: bool = False,
        cells: tuple[AnyArray, AnyArray] | None = None,
    ) -> None:
        self.name: str = name
        self.values: AnyArray = values
        self.rows: Rows = rows
        self.categories: tuple[object, ...] | None = categories
        self.lower_is_positive: bool = lower_is_positive
        self.cells: tuple[AnyArray, AnyArray] | None = cells
        self._curve: Curve | None = None
        self._codes: IntArray | None = None

    @classmethod
    def of_curve(
        cls, name: str, rows: Rows, curve: Curve, codes: IntArray | None = None
    ) -> "Ratings":
        """Return ratings whose curve, and the tie group of every row, are known already."""
        table = curve.table
        ratings = cls(
            name, np.empty(0), rows, table.categories, lower_is_positive=table.lower_is_positive
        )
        ratings._curve, ratings._codes = curve, codes
        return ratings

    @property
    def curve(self) -> Curve:
        """The empirical ROC curve."""
        if self._curve is None:
            self._tabulate(want_codes=False)
        assert self._curve is not None
        return self._curve

    @property
    def cell_tops(self) -> AnyArray | None:
        """The best score of each tie group, best group first, where some hold several."""
        if self.cells is None:
            return None
        scores, tops = self.cells
        return tops[np.searchsorted(scores, self.table.scores)]

    @property
    def table(self) -> Table:
        """The tie-grouped table behind the curve."""
        return self.curve.table

    @property
    def codes(self) -> IntArray:
        """The tie group of every row."""
        if self._curve is None:
            self._tabulate(want_codes=True)
        if self.rows.elsewhere:
            self.rows.refuse()
        if self._codes is None:
            self._codes = codes_of(self.table, self.values)
        return self._codes

    def tabulate_rows(self) -> None:
        """Make the codes together with the curve, unless they are there."""
        _ = self.codes

    def _tabulate(self, *, want_codes: bool) -> None:
        rows = self.rows
        table, self._codes = tabulate(
            self.values, rows.positive, rows.mass, rows.counts, want_codes=want_codes
        )
        fixed = rows.design == "case-control"
        self._curve = Curve(
            table.described(
                self.categories,
                fixed_prevalence=fixed,
                lower_is_positive=self.lower_is_positive,
            )
        )
