"""The rows of a sample that stay on a backend: summary statistics, and sums over the rows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pauci.backends.aggregate import MAX_ROWS
from pauci.backends.frames import backend_errors
from pauci.backends.unit_sums import RowSums
from pauci.checks import AnyArray
from pauci.errors import InputError, InputTypeError
from pauci.sample.rows import DerivedFacts, Design, FrameRows, InMemoryRows, Rows

if TYPE_CHECKING:
    from pauci.sample.ratings import Ratings

_LOADS = {"duckdb": ".df()", "dask": ".compute()", "pyspark": ".toPandas()", "ibis": ".to_pandas()"}
"""The method that loads the rows of a lazy frame, if it is not ``.collect()``."""


class GroupSums(NamedTuple):
    """Sums over the rows of a class in each tie group of a classifier."""

    rows: AnyArray
    """Numbers of rows with positive weight, including copies."""
    squares: AnyArray
    """Sums of squared weights."""
    fourths: AnyArray
    """Sums of fourth powers of the weights."""


Load = Callable[[], "tuple[InMemoryRows, dict[str, Ratings]] | None"]
"""Loads the table of all columns as rows and ratings in memory; None if it is too large."""


@dataclass(frozen=True, eq=False)
class BackendRows(DerivedFacts):
    """Rows on a backend; the properties of `Rows` are summary statistics.

    Parameters
    ----------
    sums : RowSums
        Calculates sums over the rows on the backend.
    names : tuple of str
        The classifiers.
    by_group : list
        For each classifier, for positives and for negatives, the sums over the rows of each tie
        group.
    load : callable
        Function that loads the rows.
    frame_rows : FrameRows
        The numbers of rows of the frame and of rows with zero weight, and whether the frame has
        frequencies.
    class_units : tuple of two float
        Number of rows of each class with positive weight, or of clusters that contain such rows.
    counts, units, effective_units, clusters, prevalence, design, has_weights
        As for `Rows`.
    dropped, left_out, rest
        As for `Rows`.
    """

    sums: RowSums
    names: tuple[str, ...]
    by_group: list[tuple[GroupSums, GroupSums]]
    load: Load
    frame_rows: FrameRows
    class_units: tuple[float, float]
    counts: tuple[int, int]
    units: tuple[float, float]
    effective_units: tuple[float, float]
    clusters: int | None
    prevalence: float
    design: Design
    has_weights: bool
    dropped: int = 0
    left_out: int = 0
    rest: str = ""
    cells_at: dict[Any, Any] = field(default_factory=dict)
    """The counts at cut-offs that were queried before, by classifier and point."""

    @property
    def has_clusters(self) -> bool:
        """Whether the rows are in clusters, some of them with several rows."""
        return self.clusters is not None

    @property
    def has_frequencies(self) -> bool:
        """Whether the rows of the frame have frequencies."""
        return self.frame_rows.has_frequencies

    @property
    def uncounted(self) -> int:
        """Number of rows with weight or frequency 0."""
        return self.frame_rows.zero_weight

    @property
    def fold_names(self) -> tuple[object, ...]:
        """An empty tuple, because folds require the rows in memory."""
        return ()

    @property
    def is_count_table(self) -> bool:
        """False, because the rows of a frame are not the cells of a table of counts."""
        return False

    @property
    def cluster_labels(self) -> AnyArray | None:
        """Labels of the clusters, which are queried from the backend at each call."""
        return self.sums.cluster_labels() if self.sums.counting.source.has("cluster") else None

    def same_in_order(self, other: Rows) -> bool:  # noqa: ARG002
        """Return False, because the rows of a backend have no order."""
        return False

    @cached_property
    def loaded(self) -> "tuple[InMemoryRows, dict[str, Ratings]]":
        """The rows in memory, with their ratings; an error is raised if there are too many rows."""
        with backend_errors(self.sums.counting.source.frame):
            loaded = self.load()
        if loaded is None:
            self.single_rows()
        self.sums.check(sum(loaded[0].counts))
        return loaded

    def single_rows(self) -> NoReturn:
        """Raise an error for a method that requires single rows."""
        frame = self.sums.counting.source.frame
        load = _LOADS.get(str(frame.implementation.value), ".collect()")
        raise InputError(
            f"this requires single rows, but the {self.frame_rows.total:,} rows of this sample "
            f"stay on {self.sums.backend}.",
            hint="sample.in_memory() loads the table of all columns if it has no more than "
            f"{MAX_ROWS:,} rows. Standard errors with variance='influence' do not require single "
            "rows, except by group. Otherwise draw a random sample of the rows, or load all of "
            f"them first (frame{load}).",
            argument="frame",
        )

    def __getstate__(self) -> dict[str, Any]:
        frame = self.sums.counting.source.frame
        if str(frame.implementation.value) in ("duckdb", "pyspark", "ibis"):
            raise InputTypeError(
                f"the {self.frame_rows.total:,} rows of this sample stay on {self.sums.backend}, "
                "whose connection cannot be pickled. Pickle the estimates, or create the sample "
                "from the frame again.",
                argument="frame",
            )
        return self.__dict__

    def __deepcopy__(self, memo: object) -> "BackendRows":
        return self  # immutable, and its connection cannot be copied
