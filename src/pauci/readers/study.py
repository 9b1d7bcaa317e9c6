"""The data: which reader gave which case which score, in which modality."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.calls import answering, answering_constructor
from pauci.checks import (
    BoolArray,
    IntArray,
    check_choice,
    check_flag,
    read_only,
)
from pauci.errors import InputError, InputTypeError, RowNumbers, arg
from pauci.readers.layout import Layout, layout_of
from pauci.readers.long_data import Readings, readings_of_frame, readings_of_imrmc
from pauci.readers.origin import row_named_by, telling_rows
from pauci.results import format as fmt
from pauci.results.cells import Column, Count, Note, Own, Table
from pauci.results.frames import frame as frame_of
from pauci.results.tables import printed_rows, with_gap
from pauci.results.tabular import Tabular
from pauci.sample import columns
from pauci.sample.rows import Design, Ratings, Rows

if TYPE_CHECKING:
    import os

    import pandas as pd

_COLUMNS = ("modality", "reader", "block", "n_pos", "n_neg", "distinct_scores")


class Cell(NamedTuple):
    """What one reader read in one modality."""

    reader: int
    modality: int
    cases: IntArray
    """The case of each reading, by position."""
    ratings: Ratings


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class ReaderStudy(Tabular):
    """Readings of many cases by many readers in one or several modalities.

    Made by `ReaderStudy.from_frame` or `ReaderStudy.from_imrmc`. Nothing is completed, dropped or
    averaged: a study is what was read, in any design.

    Attributes
    ----------
    readers, modalities : tuple of str
        Their names, in the order of the data.
    n_pos, n_neg : int
        Numbers of cases with and without the condition.
    n_readings : int
        Number of readings.
    clusters : int or None
        Number of clusters of cases, such as patients; None without clusters.
    design : str
        The design that was found, such as ``"factorial"`` or ``"split-plot (4 blocks)"``.
    layout : Layout
        The same in numbers: who shares cases with whom.
    sampling : str
        ``"cohort"`` or ``"case-control"``: whether the share of the positives was observed, or
        chosen.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365", score="score")
    >>> study
    ReaderStudy(20 readers, 2 modalities, 87 positives, 152 negatives: split-plot (4 blocks))
    """

    readers: tuple[str, ...]
    modalities: tuple[str, ...]
    case_ids: tuple[object, ...]
    positive: BoolArray
    """Whether each case is a positive."""
    cluster: IntArray | None
    """The cluster of each case."""
    cells: tuple[Cell, ...]
    """What each reader read in each modality, where there is something."""
    layout: Layout
    sampling: Design

    @classmethod
    @answering
    def from_frame(
        cls,
        frame: Any,
        reader: str | None = "reader",
        modality: str | None = "modality",
        case: str = "case",
        label: str = "label",
        score: str | Mapping[str, Any] = "score",
        positive: object = None,
        cluster: str | None = None,
        *,
        sampling: Design = "cohort",
        lower_is_positive: bool = False,
    ) -> "ReaderStudy":
        """Make a study from a data frame, with a row for each reading or for each case.

        Parameters
        ----------
        frame : pandas.DataFrame
            Long: a row for each reading. Wide: a row for each case, or for each case in each
            modality or of each reader, with a column of scores per reader, modality or both.
        reader, modality : str
            Columns of the reader and of the modality (test, treatment). Without a column of the
            modality, ``modality=None``, all is one modality, called "all".
        case : str
            Column of the case. Readings of one case, by whomever, have the same value here.
        label : str
            Column of the truth, the same in all rows of a case.
        score : str or dict
            Column of the scores. Of wide data a dict of what each column holds: the reader's name
            (with ``reader=None``), the modality's (with ``modality=None``), or both as a pair, as
            in ``{"r1_film": ("r1", "film")}``. An empty cell of such a column is a case that was
            not read.
        positive : scalar, optional
            The label of the positive class, needed unless labels are 0/1, booleans or -1/1.
        cluster : str, optional
            Column of the cluster of each case, such as the patient of several lesions.
        sampling : {"cohort", "case-control"}, default "cohort"
            Whether the share of the positives was observed or chosen; it matters to measures that
            depend on the prevalence, such as `AP`.
        lower_is_positive : bool, default False
            Whether lower scores mean more positive.

        Returns
        -------
        ReaderStudy

        Raises
        ------
        ValueError, TypeError
            For columns that are not there, missing values, a case with two truths or two clusters,
            two readings of a case by one reader in one modality, or a reader without positives or
            without negatives in a modality. The message names reader, modality and case.

        Examples
        --------
        >>> import pandas as pd, pauci
        >>> frame = pd.DataFrame({
        ...     "case": [1, 2, 3, 4], "cancer": [0, 0, 1, 1],
        ...     "ann": [1, 2, 2, 4], "bob": [2, 1, 3, 3],
        ... })
        >>> pauci.ReaderStudy.from_frame(
        ...     frame, reader=None, modality=None, label="cancer",
        ...     score={"ann": "Ann", "bob": "Bob"},
        ... )
        ReaderStudy(2 readers, 1 modality, 2 positives, 2 negatives: factorial)
        """
        readings = readings_of_frame(frame, reader, modality, case, label, score, positive, cluster)
        with telling_rows(readings.origin):
            return cls._of(readings, sampling, lower_is_positive)

    @classmethod
    def from_imrmc(
        cls,
        source: "str | os.PathLike[str] | pd.DataFrame",
        *,
        sampling: Design = "cohort",
        lower_is_positive: bool = False,
    ) -> "ReaderStudy":
        """Make a study from the four columns of the FDA's iMRMC: reader, case, modality, score.

        Parameters
        ----------
        source : str, os.PathLike or pandas.DataFrame
            A file, with or without the lines up to ``BEGIN DATA:``, or a frame of four columns in
            this order. The rows whose reader is -1 or "truth" hold the truth of their case, 0 or 1,
            in place of the score.
        sampling, lower_is_positive
            As for `from_frame`.

        Returns
        -------
        ReaderStudy

        Raises
        ------
        ValueError
            For rows without four fields, cases without a truth, or what `from_frame` refuses.

        Examples
        --------
        >>> import pandas as pd, pauci
        >>> rows = [("truth", c, "truth", c > 2) for c in (1, 2, 3, 4)]
        >>> rows += [(r, c, "film", c * 10 % 7) for r in ("Ann", "Bob") for c in (1, 2, 3, 4)]
        >>> pauci.ReaderStudy.from_imrmc(pd.DataFrame(rows))
        ReaderStudy(2 readers, 1 modality, 2 positives, 2 negatives: factorial)
        """
        readings = readings_of_imrmc(source)
        with telling_rows(readings.origin):
            return cls._of(readings, sampling, lower_is_positive)

    @classmethod
    def _of(cls, readings: Readings, sampling: Design, lower_is_positive: object) -> "ReaderStudy":
        """Put readings together by reader and modality, and check each cell."""
        check_choice("sampling", sampling, ("cohort", "case-control"))
        check_flag("lower_is_positive", lower_is_positive)
        n = readings.reader.size
        with _naming_the_reading(readings):
            scores, categories = columns.scores(
                readings.score_name, readings.score, n, lower_is_positive=bool(lower_is_positive)
            )
        n_readers, n_modalities = len(readings.readers), len(readings.modalities)
        _refuse_twice(readings)
        cell_of = readings.modality * n_readers + readings.reader
        order = np.argsort(cell_of, kind="stable")
        ends = np.searchsorted(cell_of[order], np.arange(n_readers * n_modalities + 1))
        read = np.zeros((n_readers, n_modalities, len(readings.cases)), dtype=bool)
        read[readings.reader, readings.modality, readings.case] = True
        # Clusters of one case each are cases.
        of_cases = Rows(readings.positive, None, None, readings.cluster, sampling)
        clusters = of_cases.without_single_clusters().cluster
        cells = []
        for i, (first, last) in enumerate(pairwise(ends.tolist())):
            if first == last:
                continue
            rows = order[first:last]
            modality, reader = divmod(i, n_readers)
            cases = readings.case[rows]
            positive = read_only(readings.positive[cases])
            _refuse_one_class(readings, reader, modality, positive)
            cluster = None
            if clusters is not None:
                _, cluster = np.unique(clusters[cases], return_inverse=True)
            ratings = Ratings(
                fmt.of_cell(readings.readers[reader], readings.modalities[modality]),
                scores[rows],
                Rows(positive, None, None, cluster, sampling).without_single_clusters(),
                categories,
                lower_is_positive=bool(lower_is_positive),
            )
            cells.append(Cell(reader, modality, cases, ratings))
        return cls(
            readings.readers, readings.modalities, readings.cases, readings.positive,
            clusters, tuple(cells), layout_of(read), sampling,
        )  # fmt: skip

    @property
    def n_pos(self) -> int:
        """Number of cases with the condition."""
        return int(np.count_nonzero(self.positive))

    @property
    def n_neg(self) -> int:
        """Number of cases without it."""
        return self.positive.size - self.n_pos

    @property
    def n_readings(self) -> int:
        """Number of readings."""
        return sum(cell.cases.size for cell in self.cells)

    @property
    def clusters(self) -> int | None:
        """Number of clusters of cases; None without clusters."""
        return None if self.cluster is None else int(np.unique(self.cluster).size)

    @property
    def design(self) -> str:
        """The design that was found, in words."""
        return self.layout.name

    @property
    def sizes(self) -> str:
        """Numbers of readers, cases and readings in words."""
        clusters = "" if self.clusters is None else f" in {self.clusters:,} clusters"
        return (
            f"{fmt.count(len(self.readers), 'reader')}, {fmt.count(self.n_pos, 'positive')}, "
            f"{fmt.count(self.n_neg, 'negative')}{clusters}, "
            f"{fmt.count(self.n_readings, 'reading')}"
        )

    def __repr__(self) -> str:
        modalities = len(self.modalities)
        words = "modality" if modalities == 1 else "modalities"
        clusters = "" if self.clusters is None else f", {self.clusters:,} clusters"
        return (
            f"ReaderStudy({fmt.count(len(self.readers), 'reader')}, {modalities} {words}, "
            f"{fmt.count(self.n_pos, 'positive')}, {fmt.count(self.n_neg, 'negative')}{clusters}: "
            f"{self.design})"
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return the design as a data frame, with a row for each reader in each modality.

        Columns modality, reader, block (its readers read the same cases, except for missing
        readings), n_pos and n_neg (cases that were read), distinct_scores.
        """
        return frame_of(_COLUMNS, [dict(zip(_COLUMNS, row, strict=True)) for row in self._rows()])

    def _rows(self) -> list[tuple[Any, ...]]:
        rows = []
        for cell in self.cells:
            n_pos, n_neg = cell.ratings.rows.counts
            block = int(self.layout.block_of_reader[cell.reader]) + 1
            distinct = cell.ratings.table.size
            rows.append(
                (self.modalities[cell.modality], self.readers[cell.reader], block, n_pos, n_neg,
                 distinct)
            )  # fmt: skip
        return rows

    @property
    def _missing(self) -> str:
        """The readings that would complete the design, in words; nothing if it is complete."""
        missing = self.layout.missing
        return f", with {fmt.count(missing, 'reading')} missing" if missing else ""

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        rows = self._rows()
        body = [
            [Own(rows[i][1]), Own(rows[i][0]), *(Count(v) for v in rows[i][2:])]
            for i in printed_rows(len(rows))
        ]
        headings = ("reader", "modality", "block", "positives", "negatives", "distinct scores")
        notes = [
            Note(f"Design: {self.design}. {self.sizes}."),
            Note(f"Readers of one block read the same cases{self._missing}."),
        ]
        return Table(
            "Reader study",
            (f"Readings by reader and modality, {self.design} design; {self.sizes}",),
            [Column(h) for h in headings],
            with_gap(body, len(rows)),
            notes,
        )


@contextmanager
def _naming_the_reading(readings: Readings) -> Iterator[None]:
    """Say whose reading of what it is that a message names the row of."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        row = row_named_by(error)
        if row is None:
            raise
        reader, modality, case = (
            names[codes[row]]
            for names, codes in (
                (readings.readers, readings.reader), (readings.modalities, readings.modality),
                (readings.cases, readings.case),
            )
        )  # fmt: skip
        more = f" It is of case {case!r}, read by reader {reader!r} in modality {modality!r}."
        raise type(error)(*error.parts, more, argument=error.argument, value=error.value) from None


def _refuse_twice(readings: Readings) -> None:
    """Refuse two readings of one case by one reader in one modality."""
    cells = (readings.modality.astype(np.int64) * len(readings.readers) + readings.reader) * len(
        readings.cases
    ) + readings.case
    order = np.argsort(cells, kind="stable")
    again = np.flatnonzero(cells[order][1:] == cells[order][:-1])
    if not again.size:
        return
    first = order[again].min()
    rows = np.flatnonzero(cells == cells[first])
    raise InputError(
        f"reader {readings.readers[readings.reader[first]]!r} has {rows.size} readings of case "
        f"{readings.cases[readings.case[first]]!r} in modality "
        f"{readings.modalities[readings.modality[first]]!r} (",
        RowNumbers.first(rows),
        "), and each case is read once in a modality. Keep one, or name with ",
        arg("case"),
        " and ",
        arg("modality"),
        " the columns that tell cases and modalities (or sessions) apart.",
        argument="case",
        value=readings.cases[readings.case[first]],
    )


def _refuse_one_class(readings: Readings, reader: int, modality: int, positive: BoolArray) -> None:
    """Refuse a reader who saw one class only in a modality."""
    n_pos = int(np.count_nonzero(positive))
    if 0 < n_pos < positive.size:
        return
    lacking = "negatives" if n_pos else "positives"
    raise InputError(
        f"reader {readings.readers[reader]!r} read no {lacking} in modality "
        f"{readings.modalities[modality]!r}: all {fmt.count(positive.size, 'case')} there "
        f"{'is' if positive.size == 1 else 'are'} {'positive' if n_pos else 'negative'}. A curve "
        "needs both; leave this reader out of the modality, or put readers together.",
        argument="reader",
        value=readings.readers[reader],
    )
