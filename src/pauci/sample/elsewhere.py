"""Rows that stay on an engine: all that is known of them without having them here."""

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from pauci.checks import AnyArray
from pauci.engines.counting import MOST_ROWS
from pauci.engines.frames import spoken
from pauci.engines.joining import RowsOnEngine
from pauci.errors import InputError, InputTypeError, Spelled, arg, shown
from pauci.sample.rows import Design, Grouped, Ratings, Rows

_LOADS = {"duckdb": ".df()", "dask": ".compute()", "pyspark": ".toPandas()", "ibis": ".to_pandas()"}
"""What loads the rows of an engine's frame; of all others it is ``.collect()``."""

Powers = tuple[AnyArray, AnyArray]

Load = Callable[[], tuple[Rows, dict[str, Ratings]] | None]
"""Loads the table of all columns together as a sample; None if it is too large."""


class Sizes(NamedTuple):
    """How many rows there are, and how much they tell; positives first.

    Parameters
    ----------
    counts : tuple of two int
        Rows of each class, copies included.
    units, effective : tuple of two float
        As for `Rows`.
    clusters : int, optional
        Clusters with a row that counts.
    of_class : tuple of two float
        Rows of each class that count, or clusters that hold it.
    prevalence : float
        Share of the positives.
    """

    counts: tuple[int, int]
    units: tuple[float, float]
    effective: tuple[float, float]
    clusters: int | None
    of_class: tuple[float, float]
    prevalence: float


class RowsElsewhere(Rows):
    """Rows on an engine: sizes are known, sums can be asked for, single rows are not here.

    Parameters
    ----------
    away : RowsOnEngine
        The rows on their engine.
    sizes : Sizes
        What is known of all rows.
    names : tuple of str
        The classifiers.
    powers : list
        For each classifier and class the sums of squared weights, and of their fourth powers, in
        each tie group.
    load : callable
        Loads the rows.
    weighted : bool
        Whether rows have sampling weights.
    design, grouped, dropped, left_out
        As for `Rows`.
    """

    elsewhere = True

    def __init__(
        self,
        away: RowsOnEngine,
        sizes: Sizes,
        names: tuple[str, ...],
        powers: list[tuple[Powers, Powers]],
        design: Design,
        grouped: Grouped,
        load: Load,
        *,
        weighted: bool,
        dropped: int = 0,
        left_out: int = 0,
    ) -> None:
        nowhere = _Elsewhere(self)
        self.__dict__.update(
            away=away, names=names, powers=powers, design=design, grouped=grouped, dropped=dropped,
            left_out=left_out,
            load=load, loaded=None,
            _weight=nowhere if weighted else None,
            _cluster=None if sizes.clusters is None else nowhere,
            counts=sizes.counts, units=sizes.units, effective=sizes.effective,
            clusters=sizes.clusters, class_units=sizes.of_class, prevalence=sizes.prevalence,
        )  # fmt: skip

    away: RowsOnEngine
    names: tuple[str, ...]
    powers: list[tuple[Powers, Powers]]
    class_units: tuple[float, float]
    load: Load
    loaded: tuple[Rows, dict[str, Ratings]] | None

    def here(self) -> tuple[Rows, dict[str, Ratings]]:
        """Return the rows in memory, with their ratings; too many are refused."""
        if self.loaded is None:
            with spoken(self.away.counting.source.frame):
                found = self.load()
            if found is None:
                self.refuse()
            self.away.check(sum(found[0].counts))
            self.__dict__["loaded"] = found
        assert self.loaded is not None
        return self.loaded

    @property
    def weight(self) -> Any:
        """What stands for the weights, None if there are none."""
        return self.__dict__["_weight"]

    @property
    def cluster(self) -> Any:
        """What stands for the clusters, None if there are none."""
        return self.__dict__["_cluster"]

    @property
    def positive(self) -> NoReturn:
        """Refuse."""
        self.refuse()

    @property
    def frequency(self) -> NoReturn:
        """Refuse."""
        self.refuse()

    @property
    def mass(self) -> NoReturn:
        """Refuse."""
        self.refuse()

    @property
    def copies(self) -> NoReturn:
        """Refuse."""
        self.refuse()

    def __getstate__(self) -> dict[str, Any]:
        frame = self.away.counting.source.frame
        if str(frame.implementation.value) in ("duckdb", "pyspark", "ibis"):
            raise InputTypeError(
                f"the {self.grouped_rows:,} rows of this sample stay on {self.away.engine}, and no "
                "copy of a connection can be pickled: pickle the estimates, or make the sample "
                "again from the frame.",
                argument="frame",
            )
        return self.__dict__

    def __deepcopy__(self, memo: object) -> "RowsElsewhere":
        return self  # it does not change, and its connection has no copy

    @property
    def cluster_labels(self) -> Any:
        """What the frame calls its clusters; they are asked for each time."""
        return self.away.cluster_labels() if self.away.counting.source.has("cluster") else None

    def position(self, name: str) -> int:
        """Return which classifier has a name."""
        return self.names.index(name)

    def refuse(self) -> NoReturn:
        """Say that something takes single rows, and how to get them."""
        frame = self.away.counting.source.frame
        load = _LOADS.get(str(frame.implementation.value), ".collect()")
        raise InputError(
            f"this takes single rows, and the {self.grouped_rows:,} of this sample stay on "
            f"{self.away.engine}. ",
            shown(Spelled("sample.in_memory() loads", "Memory holds")),
            f" the table of all their columns together if it has no more than {MOST_ROWS:,} rows. "
            "Standard errors with ",
            arg("variance", Spelled("'influence'", "influence")),
            " take no single rows; or take a random sample of the rows",
            shown(Spelled(f", or load them all first (frame{load}).", " with a query.")),
            argument="frame",
        )

    @property
    def grouped_rows(self) -> int:
        """Rows of the frame."""
        assert self.grouped is not None
        return self.grouped.rows


class _Elsewhere:
    """Stands for a column that is on an engine: it is there, and whatever is done to it refuses."""

    def __init__(self, rows: RowsElsewhere) -> None:
        self._rows = rows

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        self._rows.refuse()

    def __array_ufunc__(self, *args: object, **kwargs: object) -> NoReturn:
        self._rows.refuse()

    def __array_function__(self, *args: object, **kwargs: object) -> NoReturn:
        self._rows.refuse()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._rows.refuse()

    def __getitem__(self, key: object) -> NoReturn:
        self._rows.refuse()

    def __gt__(self, other: object) -> NoReturn:
        self._rows.refuse()

    def __mul__(self, other: object) -> NoReturn:
        self._rows.refuse()
