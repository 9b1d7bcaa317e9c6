"""The rows of a sample, which its classifiers share."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray, count, read_only
from pauci.errors import InputError, UndefinedError

Design = Literal["cohort", "case-control"]


class DataOptions(NamedTuple):
    """Options that describe the data."""

    positive: object
    design: Design
    lower_is_positive: object
    name: str | None = None
    """Name of a single classifier."""


class RowOptions(NamedTuple):
    """Options of `Sample.from_frame` that select rows, and those of the cells of lazy frames."""

    drop_missing: Any
    missing: Any
    negative: Any
    resolution: Any
    thresholds: Any


WeightMap = Callable[[FloatArray], FloatArray]
"""Adds to contributions of rows for known weights those of their estimated weights, such as weights
for censoring. It takes and returns an array of shape (estimates, rows), without factors for the
numbers of units, and is linear."""


class FrameRows(NamedTuple):
    """Properties of the rows of a frame on an engine, which may have grouped equal rows.

    Parameters
    ----------
    zero_weight : int
        Number of rows with weight or frequency 0.
    has_frequencies : bool
        Whether the rows of the frame had frequencies.
    """

    zero_weight: int
    has_frequencies: bool


class Grouping(NamedTuple):
    """The group of every row."""

    name: str
    codes: IntArray
    """Number of the group of each row."""
    labels: tuple[object, ...]
    """Labels of the groups, in the order of an ordered categorical or sorted."""


class CurveStatement(str):
    """A statement on rows whose curve is not the ROC curve of positives and negatives.

    Attributes
    ----------
    curve : str
        The name of the curve, such as ``"wAFROC"``.
    """

    curve: str

    @classmethod
    def of(cls, parts: Iterable[str], curve: str) -> "CurveStatement":
        """Return the statement with these parts."""
        statement = cls("; ".join(parts))
        statement.curve = curve
        return statement


class ExcludedRows(NamedTuple):
    """Numbers of rows of the user's data that are not used, and negatives of several labels.

    Parameters
    ----------
    dropped : int
        Number of rows dropped for missing values.
    left_out : int
        Number of rows left out because of their label.
    uncounted : int
        Number of rows with weight or frequency 0.
    rest : str
        The positive label and those of the negatives, in words, if the negatives have several.
    """

    dropped: int = 0
    left_out: int = 0
    uncounted: int = 0
    rest: str = ""

    @property
    def columns(self) -> dict[str, int]:
        """The numbers by column of the data frames."""
        return {"dropped": self.dropped, "left_out": self.left_out}

    @property
    def phrase(self) -> str:
        """The facts in words, each after a semicolon; empty if there are none."""
        return f"; {self.listed}" if any(self) else ""

    @property
    def listed(self) -> str:
        """The facts in words, between semicolons; empty if there are none."""
        words = (
            (self.uncounted, "of weight or frequency 0 not counted"),
            (self.dropped, "with missing values dropped"),
            (self.left_out, "with other labels left out"),
        )
        facts = [f"{count(n, 'row')} {reason}" for n, reason in words if n]
        return "; ".join([self.rest] * bool(self.rest) + facts)

    @staticmethod
    def of_samples(excluded: Iterable["ExcludedRows"]) -> "ExcludedRows":
        """Return the numbers of the rows of several samples."""
        parts = list(excluded)
        return ExcludedRows(
            sum(part.dropped for part in parts),
            sum(part.left_out for part in parts),
            sum(part.uncounted for part in parts),
            " and ".join(dict.fromkeys(part.rest for part in parts if part.rest)),
        )


NONE_EXCLUDED = ExcludedRows()


class Skipped(tuple[tuple[object, str], ...]):
    """Groups that were left out, each with the reason."""

    __slots__ = ()

    @property
    def listed(self) -> str:
        """The first groups with their reasons, and the number of further ones."""
        listed = "; ".join(f"{group!r} ({reason})" for group, reason in self[:10])
        return listed + f"; and {len(self) - 10:,} more" * (len(self) > 10)

    @property
    def attributes(self) -> dict[str, dict[str, str]]:
        """The groups and the reasons, as ``attrs`` of data frames; empty if there are none."""
        return {"skipped": {str(group): reason for group, reason in self}} if self else {}

    @property
    def note(self) -> str:
        """A sentence about the groups; empty if there are none."""
        return f"{count(len(self), 'group')} left out: {self.listed}." if self else ""


NONE_SKIPPED = Skipped()


def list_of_classes(classes: tuple[tuple[Any, int], ...]) -> str:
    """Return the number of rows of each class in words."""
    return ", ".join(
        f"{n:,} {label}" if isinstance(label, str) else f"{n:,} of class {label}"
        for label, n in classes
    )


class DataSizes(NamedTuple):
    """Numbers of observations, clusters and rows that are not used; `str` returns them in words.

    Parameters
    ----------
    n_pos, n_neg : int
        Numbers of positives and of negatives.
    clusters : int, optional
        Number of clusters, if the rows have clusters.
    excluded : ExcludedRows
        Numbers of rows that are not used.
    classifier : str, optional
        Name of the classifier, if the sizes are not those of all classifiers.
    of_clusters : str
        What is said about the clusters.
    classes : tuple of (label, int)
        Numbers of rows of several classes, in place of positives and negatives.
    """

    n_pos: int
    n_neg: int
    clusters: int | None = None
    excluded: ExcludedRows = NONE_EXCLUDED
    classifier: str | None = None
    of_clusters: str = ""
    classes: tuple[tuple[Any, int], ...] = ()

    def __str__(self) -> str:
        clusters = "" if self.clusters is None else f" in {count(self.clusters, 'cluster')}"
        words = f"{count(self.n_pos, 'positive')}, {count(self.n_neg, 'negative')}{clusters}"
        if self.classes:
            words = f"{list_of_classes(self.classes)}{clusters}"
        return f"{words}{self.of_clusters if clusters else ''}{self.excluded.phrase}"

    def as_values(self, *, group: object = None, folds: int | None = None) -> dict[str, Any]:
        """Return the numbers by name, as in `to_dict` of results."""
        classes = {"classes": {str(label): n for label, n in self.classes}} if self.classes else {}
        return {
            "classifier": self.classifier,
            "group": group,
            "n_pos": self.n_pos,
            "n_neg": self.n_neg,
            "clusters": self.clusters,
            "folds": folds,
            **self.excluded._asdict(),
            **classes,
        }


class RowFacts(NamedTuple):
    """Facts about the rows from which a result was calculated.

    Parameters
    ----------
    n_pos, n_neg : int
        Numbers of positives and of negatives.
    design : str
        Sampling design.
    units : tuple of two float
        Independent positives and negatives: rows, clusters, or the effective number of weighted
        rows.
    cluster_df : float
        Effective number of clusters with positives or with negatives, whichever is smaller, minus
        one; infinite if no cluster has several rows.
    clusters : int, optional
        Number of clusters, if the rows have clusters.
    weighted : bool
        Whether the rows have sampling weights.
    excluded : ExcludedRows
        Numbers of rows that are not used.
    classes : tuple of (object, int)
        The label and the number of rows of each class, for a measure of several classes; `n_pos`
        and `n_neg` are then those of the last class and of all others.
    group : object, optional
        The group of the rows, if the result is that of a group.
    positive_class : object, optional
        The class that is evaluated against the rest, in a sample of several classes.
    folds : int, optional
        Number of folds, if the result is an average over folds.
    conservative : bool
        Whether the variance of an average over folds was doubled (see `estimate`).
    effective_size : float, optional
        Effective number of observations at the specified prevalence (see `estimate`); None if no
        prevalence was specified.
    """

    n_pos: int
    n_neg: int
    design: Design
    units: tuple[float, float] = (math.inf, math.inf)
    cluster_df: float = math.inf
    clusters: int | None = None
    weighted: bool = False
    excluded: ExcludedRows = NONE_EXCLUDED
    classes: tuple[tuple[Any, int], ...] = ()
    group: object = None
    positive_class: object = None
    folds: int | None = None
    conservative: bool = False
    effective_size: float | None = None


def too_few_units(units: float, label: str, method: str, *, clusters: bool) -> str:
    """Return the message for a class with fewer than two rows, or fewer than two clusters."""
    unit = "cluster" if clusters else "row"
    advice = (
        f"Further rows of the same cluster do not help: collect {label}s of other clusters, and "
        "check that the values of cluster are those of the units that were sampled."
        if clusters
        else f"Collect more {label}s."
    )
    return (
        f"the sample has {count(units, unit)} with a {label} label: {method} needs "
        f"at least two {unit}s in each class. {advice}"
    )


class Predictions(NamedTuple):
    """Parts with known and with predicted labels, whose estimates are combined.

    The estimate is that from known labels, plus a weight times the difference between estimates
    from the predicted labels of all rows, or of other rows, and of the rows with known labels.
    """

    parts: "tuple[tuple[Rows, IntArray], ...]"
    """The rows with known labels, the same rows with predicted labels, and all or the other rows
    with predicted labels, each with their positions in the rows of the sample."""
    names: tuple[str, str, str]
    """The name of each part in messages."""
    words: str
    """The predictions, such as "1,800 rows with predictions 'judge'"."""
    weight: float | None = None
    """The weight; None if it is estimated."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with a label, weight, cluster and fold each, shared by all classifiers.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Whether each row is a positive.
    frequency, weight, cluster : ndarray of shape (n,), or None
        Validated values; the weights are scaled by a common factor.
    design : {"cohort", "case-control"}
        Sampling design.
    dropped : int, default 0
        Number of rows dropped for missing values.
    is_count_table : bool, default False
        Whether the rows are the cells of a table of counts.
    fold : ndarray of int, shape (n,), or None
        Fold of each row, 0..K-1, if measures are evaluated within folds.
    fold_names : tuple
        Labels of the folds.
    frame_rows : FrameRows, optional
        The rows of a frame on an engine.
    cluster_labels : ndarray, optional
        Labels of the clusters 0..C-1, used to identify clusters that two samples share. If every
        cluster is a single row and `cluster` is therefore None, the cluster label of each row.
    left_out : int, default 0
        Number of rows left out because of their label.
    rest : str
        The positive label and those of the negatives in words, if these have several.
    groups : tuple of Grouping
        Groups of the rows, for estimates by group.
    weight_map : callable, optional
        Adds the contributions of estimated weights to those of the rows. It applies to all rows,
        not to a part of them.
    index : Index of pandas, optional
        The index of the user's data, used to recognize rows that two samples share.
    horizons : tuple of (float, Rows)
        Several horizons, each with the labels and weights of the same rows at it. Those of these
        rows are at the first.
    predictions : Predictions, optional
        Parts with known and with predicted labels.
    marks : Marks, optional
        The marks with places from which the rows were made (`pauci.sample.marks`).
    competing : str
        The rows that are left out for a competing event, such as "34 rows with a competing event by
        5"; empty if there are none.
    """

    positive: BoolArray
    frequency: AnyArray | None
    weight: FloatArray | None
    cluster: IntArray | None
    design: Design
    dropped: int = 0
    is_count_table: bool = False
    fold: IntArray | None = None
    fold_names: tuple[object, ...] = ()
    frame_rows: FrameRows | None = None
    cluster_labels: AnyArray | None = None
    left_out: int = 0
    rest: str = ""
    groups: tuple[Grouping, ...] = ()
    weight_map: WeightMap | None = None
    index: Any = None
    horizons: "tuple[tuple[float, Rows], ...]" = ()
    predictions: "Predictions | None" = None
    marks: Any = None
    competing: str = ""

    classes: ClassVar[tuple[Any, ...]] = ()
    """Labels of several classes (`ClassRows`); empty for positives and negatives."""
    _columns: ClassVar[tuple[str, ...]] = ("positive", "frequency", "weight", "cluster")
    """Attributes with one value per row, of which `take` selects some."""
    _of_all: ClassVar[tuple[str, ...]] = ("design",)
    """Attributes that `take` copies unchanged."""

    has_folds: bool = field(init=False)
    """Whether measures are evaluated within folds."""
    has_one_curve: bool = field(init=False)
    """Whether the rows have a single ROC curve, with one label and one scale of scores."""
    has_frequencies: bool = field(init=False)
    """Whether the rows of the user's data have frequencies."""
    has_weights: bool = field(init=False)
    """Whether the rows have sampling weights."""
    has_estimated_weights: bool = field(init=False)
    """Whether weights are estimated from all rows."""
    has_clusters: bool = field(init=False)
    """Whether the rows are in clusters, some of them with several rows."""
    independent: bool = field(init=False)
    """Whether the rows are independent and without sampling weights."""

    def __post_init__(self) -> None:
        several = self.fold_names or self.horizons or self.classes or self.predictions
        frame = self.frame_rows
        vars(self).update(
            has_folds=bool(self.fold_names),
            has_one_curve=not several,
            has_frequencies=self.frequency is not None if frame is None else frame.has_frequencies,
            has_weights=self.weight is not None,
            has_estimated_weights=self.weight_map is not None,
            has_clusters=self.cluster is not None,
            independent=self.weight is None and self.cluster is None,
        )

    @cached_property
    def cluster_df(self) -> float:
        """Degrees of freedom of the class with fewer clusters; infinite if no cluster has two rows.

        This is an upper limit of the degrees of freedom of variances without estimated ends,
        because the class with fewer clusters usually contributes most of the variance. Clusters of
        unequal sizes count as a smaller effective number, since the largest ones determine the
        variance.
        """
        if self.clusters is None or self.clusters >= self.unit_rows:
            return math.inf
        return df_of_clusters(self.effective_units)

    @cached_property
    def facts(self) -> RowFacts:
        """The facts about these rows that results report."""
        return RowFacts(
            *self.counts,
            self.design,
            self.units,
            self.cluster_df,
            self.clusters,
            self.has_weights,
            self.excluded,
        )

    @property
    def few_clusters(self) -> str:
        """The number of clusters that contain the rarest class, in words."""
        fewest = min(self.units)
        among = "" if fewest == self.clusters else f" of {self.clusters}"
        return f"one of the classes occurs in only {fewest:g}{among} clusters"

    @property
    def excluded(self) -> ExcludedRows:
        """Numbers of rows that are not used."""
        return ExcludedRows(self.dropped, self.left_out, self.uncounted, self.rest)

    @property
    def exclusions(self) -> list[str]:
        """Descriptions of the rows that were dropped or left out, with their number."""
        return [
            f"{count(number, 'row')} with {why}"
            for number, why in ((self.dropped, "missing values"), (self.left_out, "other labels"))
            if number
        ]

    @property
    def effective_classes(self) -> list[tuple[str, float, float]]:
        """Each class with its effective number of rows or clusters, and their number."""
        counts = self.units if self.has_clusters else self.counts
        return list(zip(("positives", "negatives"), self.effective_units, counts, strict=True))

    def check_units(self, pos: float, neg: float) -> None:
        """Raise an error for a class with fewer than two independent units."""
        for label, units in (("positive", pos), ("negative", neg)):
            if units < 2:
                raise UndefinedError(
                    too_few_units(units, label, "a standard error", clusters=self.has_clusters)
                )

    def make_read_only(self) -> None:
        """Make the arrays read-only."""
        arrays = self.positive, self.frequency, self.weight, self.cluster, self.fold
        for array in (*arrays, self.cluster_labels):
            if array is not None:
                read_only(array)

    @cached_property
    def mass(self) -> AnyArray | None:
        """Frequency times weight; None if there are neither frequencies nor weights."""
        if self.weight is None:
            return self.frequency
        return self.weight if self.frequency is None else self.weight * self.frequency

    @cached_property
    def copies(self) -> AnyArray | None:
        """Frequency of each row with positive weight, else 0; None if each row counts once."""
        if self.weight is None or (present := self.weight > 0.0).all():
            return self.frequency
        return present.astype(np.int64) if self.frequency is None else self.frequency * present

    @property
    def unit_copies(self) -> AnyArray | None:
        """Number of copies of each row; 0 for rows without weight.

        If weights are estimated, this is the sampling weight: rows without estimated weight affect
        the weights of the others.
        """
        if self.weight_map is None:
            return self.copies
        sampling: FloatArray | None = getattr(self.weight_map, "sampling", None)
        if sampling is None or sampling.all():
            return self.frequency
        ones = np.ones(self.positive.size, np.int64) if self.frequency is None else self.frequency
        # With predicted labels each row is there twice.
        return np.where(np.tile(sampling, ones.size // sampling.size) > 0.0, ones, 0)

    def reweighted(self, copies: IntArray) -> FloatArray:
        """Return numbers of copies times the weights that are estimated from these copies."""
        of_copies = getattr(self.weight_map, "weights", None)
        if of_copies is None:
            raise estimated_weights_error()
        assert self.weight is not None
        return np.where(self.weight > 0.0, copies * of_copies(copies), 0.0)

    @property
    def unit_rows(self) -> int:
        """Number of rows with weight, copies included, or of all rows if weights are estimated."""
        if self.weight_map is None:
            return sum(self.counts)
        return self.positive.size if self.unit_copies is None else int(self.unit_copies.sum())

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
    def uncounted(self) -> int:
        """Number of rows with weight or frequency 0; 0 for the cells of a table of counts."""
        if self.frame_rows is not None:
            return self.frame_rows.zero_weight
        if self.unit_copies is None or self.is_count_table:
            return 0
        return int(np.count_nonzero(self.unit_copies == 0))

    @cached_property
    def prevalence(self) -> float:
        """Proportion of positives, weighted if there are weights."""
        if self.mass is None:
            n_pos, n_neg = self.counts
            return n_pos / (n_pos + n_neg)
        return float(self.mass[self.positive].sum() / self.mass.sum())

    def within(self, index: IntArray) -> "Rows":
        """Return all rows with weight 0 outside some positions, for estimated weights.

        The rows outside affect the estimated weights of the others.
        """
        assert self.weight is not None
        inside = np.zeros(self.weight.size, bool)
        inside[index] = True
        weight = np.where(inside, self.weight, 0.0)
        return replace(self, weight=weight, groups=(), fold=None, fold_names=())

    def without_single_clusters(self) -> "Rows":
        """Return the rows without clusters if each cluster has a single row."""
        if self.cluster is None or self.clusters != self.unit_rows:
            return self
        labels = None if self.cluster_labels is None else self.cluster_labels[self.cluster]
        return replace(self, cluster=None, cluster_labels=labels)

    @cached_property
    def clusters(self) -> int | None:
        """Number of clusters with a row of positive weight; None without clusters.

        If weights are estimated, all clusters count.
        """
        if self.cluster is None:
            return None
        copies = self.unit_copies
        counted = self.cluster if copies is None else self.cluster[copies > 0]
        return int(np.count_nonzero(np.bincount(counted)))

    @cached_property
    def units(self) -> tuple[float, float]:
        """Independent observations of each class: clusters, or the effective number of rows.

        With sampling weights, the effective number is that of Kish, (sum w)^2 / sum w^2.
        """
        if self.cluster is None and self.weight is None:
            n_pos, n_neg = self.counts
            return float(n_pos), float(n_neg)
        return self.units_of(self.positive), self.units_of(~self.positive)

    def units_of(self, rows: BoolArray) -> float:
        """Return the number of independent observations of some rows."""
        counted = rows if self.copies is None else rows & (self.copies > 0)
        if self.cluster is not None:
            return float(np.count_nonzero(np.bincount(self.cluster[counted])))
        copies = None if self.frequency is None else self.frequency[counted]
        if self.weight is None:
            return float(np.count_nonzero(counted) if copies is None else copies.sum())
        return kish(self.weight[counted], copies) if counted.any() else 0.0

    @cached_property
    def effective_units(self) -> tuple[float, float]:
        """Kish's effective number of rows of each class, or of clusters with their weights."""
        if self.cluster is None:
            return self.units
        return effective_clusters(self.cluster, self.positive, self.mass)

    @cached_property
    def clusters_cross_folds(self) -> bool:
        """Whether a cluster has rows in several folds, as in a repeated cross-validation."""
        if self.cluster is None or self.fold is None:
            return False
        pairs = np.unique(np.column_stack((self.cluster, self.fold)), axis=0)
        return len(pairs) > np.unique(self.cluster).size

    def fold_part(self, k: int) -> tuple["Rows", IntArray]:
        """Return the rows of one fold and their positions.

        They have no clusters if these have rows in several folds. If weights are estimated, they
        are all rows, with weight 0 in other folds.
        """
        index = np.flatnonzero(self.fold == k)
        if self.has_estimated_weights:
            return self.within(index), np.arange(self.positive.size)
        if self.cluster is None or self.clusters_cross_folds:
            return replace(self.take(index), cluster=None), index
        return self.part(index), index

    def group_rows(self, index: IntArray) -> "Rows":
        """Return the rows of a group with their folds.

        If weights are estimated, they are all rows, with weight 0 in other groups.
        """
        if self.has_estimated_weights:
            rows, fold = self.within(index), self.fold
        else:
            rows, fold = self.part(index), None if self.fold is None else self.fold.take(index)
        return replace(rows, fold=fold, fold_names=self.fold_names)

    def part(self, index: IntArray) -> "Rows":
        """Return the rows at some positions, with the labels of their clusters."""
        rows, labels = self.take(index), self.cluster_labels
        if rows.cluster is None:
            return rows if labels is None else replace(rows, cluster_labels=labels[index])
        present, cluster = np.unique(rows.cluster, return_inverse=True)
        labels = None if labels is None else labels[present]
        rows = replace(rows, cluster=cluster.reshape(-1), cluster_labels=labels)
        return rows.without_single_clusters()

    def take(self, index: IntArray) -> Self:
        """Return the rows at some positions, without folds and cluster labels.

        Rows with estimated weights raise an error: the weights of some rows depend on all rows, so
        that rows outside a part contribute to its estimates (`within`).
        """
        if self.weight_map is not None:
            raise estimated_weights_error()
        values: dict[str, Any] = {name: getattr(self, name) for name in self._of_all}
        columns = {name: getattr(self, name) for name in self._columns}
        values |= {name: c if c is None else c.take(index) for name, c in columns.items()}
        return type(self)(**values)

    def same_in_order(self, other: "Rows") -> bool:
        """Return whether other rows have the same labels, weights and clusters in the same order.

        Rows with frequencies, such as tables of counts, and rows of an engine have no meaningful
        order.
        """
        if any(r.frame_rows is not None or r.frequency is not None for r in (self, other)):
            return False
        columns = ((r.positive, r.weight, r.cluster) for r in (self, other))
        return all(map(np.array_equal, *columns))  # also None and None

    def check(
        self,
        names: tuple[str, str] = ("positives", "negatives"),
        sizes: tuple[int, int] | None = None,
    ) -> None:
        """Raise an error for weights or frequencies that are 0 in a whole class.

        `sizes` are the numbers of rows of each class if these rows are groups of them.
        """
        if self.mass is None:
            return
        given = [name for name in ("weight", "frequency") if getattr(self, name) is not None]
        classes = self.positive, ~self.positive
        for label, which, size in zip(names, classes, sizes or (None, None), strict=True):
            if not (which & (self.mass != 0.0)).any():
                problem = (
                    f"{' times '.join(given)} is 0 in all {size or int(which.sum())} {label}; each "
                    "class needs a row with positive weight."
                )
                raise InputError(problem, argument=given[0], value=0)


def estimated_weights_error() -> InputError:
    """Return the error for parts and resamples of rows with estimated weights."""
    return InputError(
        "weights that are estimated from all rows are not supported here: parts and resamples of "
        "the rows have other weights.",
        hint="Use variance='influence' or pauci.Bootstrap().",
        argument="weight",
    )


def effective_clusters(
    cluster: IntArray, positive: BoolArray, mass: AnyArray | None
) -> tuple[float, float]:
    """Return the effective number of clusters of each class, by the masses of their rows."""
    classes = positive, ~positive
    sums = [np.bincount(cluster[c], None if mass is None else mass[c]) for c in classes]
    n_pos, n_neg = map(kish, sums)
    return n_pos, n_neg


def df_of_clusters(effective: Iterable[float]) -> float:
    """Return the degrees of freedom of the class with fewer effective clusters, at least 1."""
    return max(min(effective) - 1.0, 1.0)


def kish(weight: AnyArray, copies: AnyArray | None = None) -> float:
    """Return Kish's effective number of observations, (sum w)^2 / sum w^2."""
    # Weights can be so small compared to those of the other class that their squares underflow.
    _, exponent = np.frexp(weight.max())
    weight = np.ldexp(weight, -int(exponent))
    mass = weight if copies is None else weight * copies
    return float(mass.sum() ** 2 / (mass * weight).sum())
