"""Studies of several readers and cases in one or several modalities, and their designs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from pauci.calls import validate_call, validated_dataclass
from pauci.checks import (
    AnyArray,
    BoolArray,
    EqualByFields,
    FloatArray,
    IntArray,
    Number,
    check_choice,
    check_flag,
    objects_of,
    read_only,
)
from pauci.errors import InputError, InputTypeError, SwappedColumnsWarning, warn
from pauci.readers.read_data import (
    Readings,
    frames_of_rjafroc,
    naming_rows_of,
    readings_of_frame,
    readings_of_imrmc,
    readings_of_marks,
)
from pauci.sample import columns
from pauci.sample.class_rows import ClassRatings, ClassRows, add_up
from pauci.sample.marks import FigureOfMerit, Marks, Places
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Design, ExcludedRows, Rows, list_of_classes
from pauci.tables import number_format as fmt
from pauci.tables.documents import printed_rows, with_gap
from pauci.tables.table import Table, Verbatim, count_cell
from pauci.tables.tabular import DOCUMENT, Tabular
from pauci.tables.tabular import frame as frame_of
from pauci.variance.units import part_context

if TYPE_CHECKING:
    import os

    import pandas as pd

    from pauci.tables.json_document import Content

_COLUMNS = ("modality", "reader", "block", "n_pos", "n_neg", "distinct_scores")


class Cell(NamedTuple):
    """The readings of a reader in a modality."""

    reader: int
    modality: int
    cases: IntArray
    """The case of each reading, by position."""
    ratings: Ratings


Crossing = Literal["crossed", "nested", "partly crossed"]


@dataclass(frozen=True, eq=False)
class StudyDesign(EqualByFields):
    """The design of a study: how readers, cases and modalities are crossed or nested.

    Attributes
    ----------
    name : str
        ``"factorial"``, ``"split-plot"``, ``"cases nested in readers"``, or ``"partly crossed"``
        for any other design, with deviations from these.
    readers_by_modalities : {"crossed", "nested", "partly crossed"}
        Whether every reader reads in every modality, every reader in a single one, or neither.
    cases_by_modalities : {"crossed", "nested", "partly crossed"}
        Whether cases are read in every modality, every case in a single one, or neither. A few
        missing readings are ignored.
    blocks : tuple of tuple of int
        The positions of readers who read the same cases, except for missing readings.
    block_of_reader : ndarray of int
        The block of each reader.
    missing : int
        Number of readings that would complete the design: cases of its block and modality that a
        reader did not read.
    shared : int
        Number of cases that readers of several blocks read.
    """

    name: str
    readers_by_modalities: Crossing
    cases_by_modalities: Crossing
    blocks: tuple[tuple[int, ...], ...]
    block_of_reader: IntArray
    missing: int
    shared: int


@validated_dataclass
class ReaderStudy(Tabular):
    """Readings of many cases by many readers in one or several modalities.

    Studies are created by `ReaderStudy.from_frame` or `ReaderStudy.from_imrmc` and may have any
    design. No reading is imputed or averaged, and none is dropped unless requested.

    Attributes
    ----------
    readers, modalities : tuple of str
        Names of the readers, in the order of the data, and of the modalities, in the order of the
        categories of a pandas Categorical or of the dict of wide data, otherwise sorted.
    n_pos, n_neg : int
        Numbers of cases with and without the condition.
    n_readings : int
        Number of readings.
    clusters : int or None
        Number of clusters of cases, such as patients; None without clusters.
    design : str
        The design, such as ``"factorial"`` or ``"split-plot (4 blocks)"``.
    layout : StudyDesign
        The design in detail: which readers share cases.
    sampling : str
        ``"cohort"`` or ``"case-control"``: whether the proportion of positives was observed or is
        fixed by design.
    weight : ndarray of shape (cases,), or None
        Sampling weight of each case, on any scale.
    dropped : int
        Number of rows dropped for missing values.
    marks : Marks or None
        The marks with places of `from_marks`, for `froc`. Positives are then lesions, and clusters
        are cases.
    rest : str
        The figure of merit of the marks, and what is done with unmarked lesions, in words.

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
    rows: Rows = field(compare=False)
    """The cases, with the labels of their clusters, or without clusters their own."""
    cells: tuple[Cell, ...] = field(compare=False)
    """The readings of each reader in each modality, if any."""
    layout: StudyDesign

    def _compared(self) -> list[Any]:
        r, compared = self.rows, super()._compared()
        compared += [r.positive, r.cluster, r.cluster_labels, r.design, r.dropped]
        compared += [r.weight, r.frequency, r.rest]
        for cell in self.cells:
            scores: Any = np.asarray(cell.ratings.values)
            if not self.classes:
                scores = cell.ratings.table, cell.ratings.codes
            compared.append((*cell[:-1], scores))
        return compared

    @classmethod
    @validate_call
    def from_frame(
        cls,
        frame: Any,
        reader: str | None = "reader",
        modality: str | None = "modality",
        case: str = "case",
        label: str = "label",
        score: str | Sequence[str] | Mapping[str, Any] = "score",
        positive: object = None,
        cluster: str | None = None,
        *,
        sampling: Design = "cohort",
        lower_is_positive: bool = False,
        drop_missing: bool = False,
        classes: "Sequence[Any] | None" = None,
        weight: str | None = None,
    ) -> "ReaderStudy":
        """Create a study from a data frame, with a row for each reading or for each case.

        Parameters
        ----------
        frame : pandas.DataFrame
            Long data have a row for each reading. Wide data have a row for each case (or for each
            case and modality, or each case and reader), with a column of scores for each reader,
            modality or both.
        reader, modality : str
            Columns of the reader and of the modality (test, treatment). With ``modality=None`` all
            readings are of a single modality, called "all".
        case : str
            Column of the case; all readings of a case have the same value.
        label : str
            Column of the truth, the same in all rows of a case.
        score : str, sequence of str, or dict
            Column of the scores, or with `classes` a column for each class. For wide data, a dict
            from each column of scores to the name of the reader (with ``reader=None``), of the
            modality (with ``modality=None``), or to a tuple of both, such as
            ``{"r1_film": ("r1", "film")}``. A missing value in such a column is a case that was not
            read.
        positive : scalar, optional
            The label of the positive class, needed unless labels are 0/1, booleans or -1/1.
        cluster : str, optional
            Column of the cluster of each case, such as the patient of several lesions.
        sampling : {"cohort", "case-control"}, default "cohort"
            Whether the proportion of positives was observed or is fixed by design, for measures
            that depend on the prevalence, such as `AP`.
        lower_is_positive : bool, default False
            Whether lower scores indicate positives.
        drop_missing : bool, default False
            Whether rows with a missing value in one of the columns are dropped and counted.
        classes : sequence of labels, optional
            Several classes, for `VUS`, `CIndex` and `HandTill` in the order of the scores; with a
            column of scores for each class also for `Macro` and `PDI`.
        weight : str, optional
            Column of the sampling weight of each case, the same in all rows of a case. Cases with
            weight 0 are not counted.

        Returns
        -------
        ReaderStudy

        Raises
        ------
        ValueError, TypeError
            If a column does not exist or has missing values without `drop_missing`, a case has two
            truths, clusters or weights, a reader has two readings of a case in a modality, or has
            no positives or no negatives in a modality. The message names reader, modality and case.

        Warns
        -----
        SwappedColumnsWarning
            If there are three or more modalities and fewer readers.

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
        check_flag("drop_missing", drop_missing)
        keys: dict[str, Any] = {"reader": reader, "modality": modality, "case": case}
        keys |= {"label": label, "score": score, "cluster": cluster, "weight": weight}
        if classes is not None and (positive is not None or lower_is_positive):
            raise InputError.of(
                "classes", classes, "has an order; omit positive= and lower_is_positive=."
            )
        readings = readings_of_frame(
            frame, keys, positive, drop_missing=drop_missing, classes=classes
        )
        with naming_rows_of(readings.origin):
            return cls._of(readings, sampling, lower_is_positive)

    @classmethod
    def from_imrmc(
        cls,
        source: "str | os.PathLike[str] | pd.DataFrame",
        *,
        sampling: Design = "cohort",
        lower_is_positive: bool = False,
    ) -> "ReaderStudy":
        """Create a study from the columns of the FDA's iMRMC: reader, case, modality and score.

        Parameters
        ----------
        source : str, os.PathLike or pandas.DataFrame
            A file, with or without the lines up to ``BEGIN DATA:``, or a data frame with these four
            columns in this order. Rows whose reader is -1 or "truth" contain the truth of the case,
            0 or 1, in place of the score.
        sampling, lower_is_positive
            As for `from_frame`.

        Returns
        -------
        ReaderStudy

        Raises
        ------
        ValueError
            If a row does not have four fields or a case has no truth, or as for `from_frame`.

        Examples
        --------
        >>> import pandas as pd, pauci
        >>> rows = [("truth", c, "truth", c > 2) for c in (1, 2, 3, 4)]
        >>> rows += [(r, c, "film", c * 10 % 7) for r in ("Ann", "Bob") for c in (1, 2, 3, 4)]
        >>> pauci.ReaderStudy.from_imrmc(pd.DataFrame(rows))
        ReaderStudy(2 readers, 1 modality, 2 positives, 2 negatives: factorial)
        """
        readings = readings_of_imrmc(source)
        with naming_rows_of(readings.origin):
            return cls._of(readings, sampling, lower_is_positive)

    @classmethod
    @validate_call
    def from_marks(
        cls,
        marks: Any,
        cases: Any,
        case: str = "case",
        reader: str = "reader",
        modality: str | None = "modality",
        rating: str = "rating",
        lesion: str | None = "lesion",
        lesions: str | None = None,
        weights: str = "equal",
        kind: FigureOfMerit = "wAFROC",
        *,
        radius: Number | str | None = None,
        coordinates: Sequence[str] = ("x", "y"),
        read: Any = None,
        sampling: Design = "cohort",
    ) -> "ReaderStudy":
        """Create a study from marks with places (free responses).

        Parameters
        ----------
        marks : pandas.DataFrame
            A row for each mark.
        cases : pandas.DataFrame
            A row for each case, also those without lesions or marks, or a row for each lesion, with
            a single row for each case without lesions.
        case, rating, lesion, lesions, weights, kind, radius, coordinates
            As for `Sample.from_marks`.
        reader, modality : str
            Columns of `marks` with the reader and the modality. With ``modality=None`` all marks
            are of a single modality.
        read : pandas.DataFrame, optional
            A row for each case that a reader read in a modality, with the columns `reader`,
            `modality` and `case`. By default, each reader with marks in a modality read all cases.
            A reader without marks in a modality is then not part of it, and a warning is issued if
            the reader shares another modality with readers of this one.
        sampling : {"cohort", "case-control"}, default "cohort"
            Whether the proportion of cases with lesions was observed or is fixed by design.

        Returns
        -------
        ReaderStudy
            A study in which positives are lesions and clusters are cases: `mrmc` with the AUC
            analyses the figure of merit.

        Raises
        ------
        ValueError, TypeError
            As for `Sample.from_marks`.

        Examples
        --------
        >>> import pandas as pd, pauci
        >>> cases = pd.DataFrame({"case": [1, 2, 3, 4], "lesions": [0, 0, 2, 1]})
        >>> marks = pd.DataFrame({
        ...     "reader": ["Ann", "Ann", "Bob", "Bob"], "case": [1, 3, 3, 4],
        ...     "lesion": [None, 1, 2, None], "rating": [2, 3, 1, 2],
        ... })
        >>> study = pauci.ReaderStudy.from_marks(marks, cases, modality=None, kind="AFROC")
        >>> study.n_pos, study.n_neg, study.clusters
        (3, 2, 4)
        """
        places = Places(case, lesion, lesions, weights, radius, coordinates, (), rating, kind)
        readings = readings_of_marks(marks, cases, reader, modality, places, read)
        return cls._of(readings, sampling, lower_is_positive=False)

    @classmethod
    @validate_call
    def from_rjafroc(
        cls,
        path: "str | os.PathLike[str]",
        kind: FigureOfMerit | None = None,
        *,
        sampling: Design = "cohort",
    ) -> "ReaderStudy":
        """Create a study from an Excel file of RJafroc, with the sheets Truth, TP and FP.

        Parameters
        ----------
        path : str or os.PathLike
            The workbook. The sheets TP and FP may also be called LL and NL. Cases, readers and
            modalities are read as texts. A weight of 0 stands for equal weights; the columns of
            readers and modalities in Truth state who read which case.
        kind : str or callable, optional
            The figure of merit, as for `Sample.from_marks`; the default is "wAFROC", or "ROC" or
            "LROC" if Truth states this paradigm.
        sampling : {"cohort", "case-control"}, default "cohort"
            Whether the proportion of cases with lesions was observed or is fixed by design.

        Returns
        -------
        ReaderStudy

        Raises
        ------
        ValueError, TypeError
            If a sheet or a column is missing, or as for `from_marks`.

        Examples
        --------
        >>> import pandas as pd, pauci, tempfile, pathlib
        >>> ids = {"ReaderID": [1, 1], "ModalityID": [0, 0]}
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "marks.xlsx"
        >>> with pd.ExcelWriter(path) as book:
        ...     pd.DataFrame({"CaseID": [1, 2, 3, 4], "LesionID": [0, 0, 1, 1],
        ...                   "Weight": 0}).to_excel(book, sheet_name="Truth", index=False)
        ...     pd.DataFrame({**ids, "CaseID": [3, 4], "LesionID": [1, 1],
        ...                   "TP_Rating": [3, 2]}).to_excel(book, sheet_name="TP", index=False)
        ...     pd.DataFrame({**ids, "CaseID": [1, 3], "FP_Rating": [2, 1]}).to_excel(
        ...         book, sheet_name="FP", index=False)
        >>> study = pauci.ReaderStudy.from_rjafroc(path)
        >>> study.n_pos, study.n_neg, study.readers
        (2, 2, ('1',))
        """
        marks, cases, read, weights, of_paradigm = frames_of_rjafroc(path)
        chosen: Any = of_paradigm if kind is None else kind
        return cls.from_marks(
            marks, cases, weights=weights, kind=chosen, read=read, sampling=sampling
        )

    @classmethod
    def _of(cls, readings: Readings, sampling: Design, lower_is_positive: object) -> "ReaderStudy":
        """Group readings by reader and modality, with checks of each group."""
        check_choice("sampling", sampling, ("cohort", "case-control"))
        check_flag("lower_is_positive", lower_is_positive)
        n = readings.reader.size
        if not readings.score:
            raise InputError.about("score", "is empty.")
        with _naming_reading(readings):
            of_each = [
                columns.scores(readings.score_name, v, n, lower_is_positive=bool(lower_is_positive))
                for v in readings.score
            ]
        scores = of_each[0]
        if len(of_each) > 1:
            scores = scores._replace(values=np.stack([s.values for s in of_each], axis=1))  # noqa: PD011
            if not add_up(scores.values):
                readings = readings._replace(rest="columns of scores do not add up to 1")
        n_readers, n_modalities = len(readings.readers), len(readings.modalities)
        _check_single_readings(readings)
        if n_modalities > max(n_readers, 2):
            problem = f"and modality may be swapped: the study has {n_modalities} modalities but "
            problem += f"{fmt.count(n_readers, 'reader')}."
            hint = "Exchange the columns of reader and modality, reader= and modality=, unless "
            hint += "this is so."
            warn(SwappedColumnsWarning.about("reader", problem, value=n_readers, hint=hint))
        cell_of = readings.modality * n_readers + readings.reader
        order = np.argsort(cell_of, kind="stable")
        ends = np.searchsorted(cell_of[order], np.arange(n_readers * n_modalities + 1))
        read = np.zeros((n_readers, n_modalities, len(readings.cases)), dtype=bool)
        read[readings.reader, readings.modality, readings.case] = True
        # If every cluster is a single case, cases are independent.
        of_cases = replace(readings.rows, design=sampling).without_single_clusters()
        cells = []
        for i, (first, last) in enumerate(pairwise(ends.tolist())):
            if first == last:
                continue
            rows = order[first:last]
            modality, reader = divmod(i, n_readers)
            cases = readings.case[rows]
            of_cell = replace(of_cases.take(cases), marks=of_cases.marks)
            read_only(of_cell.positive)
            if of_cell.cluster is not None:
                numbers = np.unique(of_cell.cluster, return_inverse=True)[1]
                of_cell = replace(of_cell, cluster=numbers)
            of_cell = of_cell.without_single_clusters()
            named = readings.readers[reader], readings.modalities[modality]
            kind: Any = Ratings
            if isinstance(of_cell, ClassRows):
                kind = ClassRatings
                with part_context(f"reader {named[0]!r} in modality {named[1]!r}"):
                    of_cell = replace(of_cell, rest=readings.rest).checked()
            else:
                _check_classes(readings, rows[0], of_cell.positive)
                of_cell.check()
            of_rows = scores._replace(values=scores.values[rows])  # noqa: PD011
            ratings: Ratings = kind(fmt.of_cell(*named), of_rows, of_cell)
            cells.append(Cell(reader, modality, cases, ratings))
        of_cases = replace(of_cases, rest=readings.rest, dropped=readings.dropped)
        if isinstance(of_cases, ClassRows):
            of_cases = of_cases.checked()
        elif of_cases.cluster_labels is None:
            of_cases = replace(of_cases, cluster_labels=objects_of(readings.cases))
        names = readings.readers, readings.modalities, readings.cases
        return cls(*names, of_cases, tuple(cells), design_of(read))

    @property
    def sampling(self) -> Design:
        """Sampling design: ``"cohort"`` or ``"case-control"``."""
        return self.rows.design

    @property
    def weight(self) -> FloatArray | None:
        """Sampling weight of each case, on any scale."""
        return self.rows.weight

    @property
    def dropped(self) -> int:
        """Number of rows dropped for missing values."""
        return self.rows.dropped

    @property
    def marks(self) -> Marks | None:
        """The marks with places, for `froc`."""
        marks: Marks | None = self.rows.marks
        return marks

    @property
    def rest(self) -> str:
        """The figure of merit of the marks in words."""
        return self.rows.rest

    @property
    def classes(self) -> tuple[Any, ...]:
        """Labels of several ordered classes; empty for positives and negatives."""
        return self.rows.classes

    @property
    def n_pos(self) -> int:
        """Number of positive cases."""
        return int(np.count_nonzero(self.rows.positive))

    @property
    def n_neg(self) -> int:
        """Number of negative cases."""
        return self.rows.positive.size - self.n_pos

    @property
    def n_readings(self) -> int:
        """Number of readings."""
        return sum(cell.cases.size for cell in self.cells)

    @property
    def clusters(self) -> int | None:
        """Number of clusters of cases; None without clusters."""
        return None if self.rows.cluster is None else int(np.unique(self.rows.cluster).size)

    @property
    def design(self) -> str:
        """The design in words."""
        return self.layout.name

    @property
    def sizes(self) -> str:
        """Numbers of readers, cases and readings in words."""
        return f"{fmt.count(len(self.readers), 'reader')}, {self.case_sizes}"

    @property
    def sizes_as_values(self) -> dict[str, Any]:
        """Numbers of readers, cases and readings by name, as in `to_dict`."""
        return {
            "n_readers": len(self.readers),
            "n_modalities": len(self.modalities),
            "n_pos": self.n_pos,
            "n_neg": self.n_neg,
            "n_readings": self.n_readings,
            "clusters": self.clusters,
            "dropped": self.dropped,
        }

    @property
    def case_sizes(self) -> str:
        """Numbers of cases and readings in words."""
        clusters = "" if self.clusters is None else f" in {fmt.count(self.clusters, 'cluster')}"
        excluded = ExcludedRows(self.dropped, rest=self.rest)
        return f"{self._cases}{clusters}, {fmt.count(self.n_readings, 'reading')}{excluded.phrase}"

    @property
    def _cases(self) -> str:
        """Numbers of cases of each class in words."""
        if isinstance(self.rows, ClassRows):
            return list_of_classes(self.rows.class_list)
        return f"{fmt.count(self.n_pos, 'positive')}, {fmt.count(self.n_neg, 'negative')}"

    def __repr__(self) -> str:
        modalities = len(self.modalities)
        words = "modality" if modalities == 1 else "modalities"
        clusters = "" if self.clusters is None else f", {fmt.count(self.clusters, 'cluster')}"
        clusters += ", weights" if self.weight is not None else ""
        return (
            f"ReaderStudy({fmt.count(len(self.readers), 'reader')}, {modalities} {words}, "
            f"{self._cases}{clusters}: {self.design}{f'; {self.rest}' if self.rest else ''})"
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return the design as a data frame, with a row for each reader in each modality.

        The columns are modality, reader, block (whose readers read the same cases, except for
        missing readings), n_pos and n_neg (numbers of cases that were read), and distinct_scores.
        """
        return frame_of(_COLUMNS, self._rows())

    def _content(self, level: float, kind: Any) -> "Content":
        from pauci.tables.json_document import Content

        return Content(self._rows(), self._table(level, kind), sizes=[self.sizes_as_values])

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for cell in self.cells:
            names = self.modalities[cell.modality], self.readers[cell.reader]
            block = int(self.layout.block_of_reader[cell.reader]) + 1
            distinct = np.unique(cell.ratings.values).size
            numbers = *names, block, *cell.ratings.rows.counts, distinct
            rows.append(dict(zip(_COLUMNS, numbers, strict=True)))
        return rows

    @property
    def _missing(self) -> str:
        """The number of missing readings in words, empty if the design is complete."""
        missing = self.layout.missing
        return f", with {fmt.count(missing, 'reading')} missing" if missing else ""

    _without_kinds = "a study, which has no intervals."
    has_intervals = False

    def _table(
        self,
        level: float,
        kind: Any,
        *,
        details: bool = False,  # noqa: ARG002
        width: int = DOCUMENT,  # noqa: ARG002
    ) -> Table:
        self._checked(level, kind)
        rows, shown = self._rows(), {"n_pos": "positives", "n_neg": "negatives"}
        shown = {"block": "block"} | ({} if self.classes else shown)  # `sizes` has those of classes
        shown |= {"distinct_scores": "distinct scores"}
        headings, body = ["reader", "modality", *shown.values()], []
        for row in map(rows.__getitem__, printed_rows(len(rows))):
            names = Verbatim(row["reader"]), Verbatim(row["modality"])
            body.append([*names, *(count_cell(row[column]) for column in shown)])
        blocks = f"Readers of one block read the same cases{self._missing}."
        notes = [f"{self.sizes}; {self.design}.", blocks]
        title = "Readings by reader and modality"
        return Table(title, headings, with_gap(body, len(rows)), notes, stubs=2)


@contextmanager
def _naming_reading(readings: Readings) -> Iterator[None]:
    """Add the case, the reader and the modality to messages about a row."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        if not len(error.rows):
            raise
        reader, modality, case = readings.place(error.rows[0])
        others = " and others" if len(error.rows) > 1 else ""
        place = f": case {case!r}, read by reader {reader!r} in modality {modality!r}{others}."
        raise error.replaced(problem=f"{str(error.problem).rstrip('.')}{place}") from None


def _check_single_readings(readings: Readings) -> None:
    """Raise an error for two readings of a case by the same reader in the same modality."""
    cells = readings.modality.astype(np.int64) * len(readings.readers) + readings.reader
    cells = cells * len(readings.cases) + readings.case
    order = np.argsort(cells, kind="stable")
    repeated = np.flatnonzero(cells[order][1:] == cells[order][:-1])
    if not repeated.size:
        return
    first = order[repeated].min()
    rows = np.flatnonzero(cells == cells[first])
    reader, modality, case = readings.place(first)
    problem = f"reader {reader!r} has {rows.size} readings of case {case!r} in modality "
    problem += f"{modality!r}, but each case must be read once in a modality."
    hint = "Keep one of them, or specify by case= and modality= the columns that distinguish cases "
    hint += "and modalities (or sessions)."
    raise InputError(problem, argument="case", value=case, rows=rows, hint=hint)


def _check_classes(readings: Readings, row: int, positive: BoolArray) -> None:
    """Raise an error for a reader with cases of a single class in a modality."""
    n_pos = int(np.count_nonzero(positive))
    if 0 < n_pos < positive.size:
        return
    (reader, modality, _), are = readings.place(row), "is" if positive.size == 1 else "are"
    missing, found = ("negatives", "positive") if n_pos else ("positives", "negative")
    problem = f"{reader!r} read no {missing} in modality {modality!r}: all "
    problem += f"{fmt.count(positive.size, 'case')} {are} {found}, but a curve requires both "
    problem += "classes."
    hint = "Omit the readings of this reader in the modality, or combine readers."
    raise InputError.about("reader", problem, value=reader, hint=hint)


def design_of(read: BoolArray) -> StudyDesign:
    """Return the design of a study.

    Parameters
    ----------
    read : ndarray of bool, shape (readers, modalities, cases)
        Whether a reader read a case in a modality.
    """
    has_cell: BoolArray = np.asarray(read.any(axis=2))
    by_reader: BoolArray = np.asarray(read.any(axis=1))
    block_of_reader, block_of_case = _blocks(by_reader)
    numbers = range(int(block_of_reader.max()) + 1)
    blocks = tuple(tuple(np.flatnonzero(block_of_reader == i).tolist()) for i in numbers)
    readers_by = _crossing(has_cell.sum(axis=1), has_cell.shape[1])
    cases_by = _cases_by_modalities(read)
    missing = 0
    for i, readers in enumerate(blocks):
        part: BoolArray = np.asarray(read[list(readers)] & (block_of_case == i))
        seen: BoolArray = np.asarray(part.any(axis=0))
        if cases_by == "crossed":
            seen = np.broadcast_to(np.asarray(seen.any(axis=0)), seen.shape)
        expected = (has_cell[list(readers)][:, :, None] & seen[None]).sum()
        missing += int(expected - part.sum())
    # A study with most readings missing is partly crossed, not an incomplete factorial.
    sparse = missing > int(read.sum())
    by_block = np.stack([by_reader[list(readers)].any(axis=0) for readers in blocks])
    shared = int(np.count_nonzero(by_block.sum(axis=0) > 1))
    name = _name(blocks, read, sparse=sparse)
    if read.shape[1] > 1:
        for noun, crossing in (("readers", readers_by), ("cases", cases_by)):
            if crossing != "crossed":
                words = "in" if crossing == "nested" else "with"
                name += f", {noun} {crossing} {words} modalities"
    if missing and not sparse:
        name += f", {fmt.count(missing, 'reading')} missing"
    if shared and not sparse:
        name += f", {fmt.count(shared, 'case')} read by several blocks"
    return StudyDesign(name, readers_by, cases_by, blocks, block_of_reader, missing, shared)


def _name(blocks: tuple[tuple[int, ...], ...], read: BoolArray, *, sparse: bool) -> str:
    """Return the name of the design of readers by cases."""
    if sparse:
        return "partly crossed"
    if len(blocks) == 1:
        return "factorial" if len(read) > 1 else "one reader"
    if all(len(block) == 1 for block in blocks):
        return "cases nested in readers"
    return f"split-plot ({len(blocks)} blocks)"


def _crossing(counts: IntArray, modalities: int) -> Crossing:
    if modalities == 1 or bool((counts == modalities).all()):
        return "crossed"
    return "nested" if bool((counts == 1).all()) else "partly crossed"


def _cases_by_modalities(read: BoolArray) -> Crossing:
    """Return whether modalities share their cases, except for a few missing readings."""
    seen: BoolArray = np.asarray(read.any(axis=0))
    shares = [
        int((a & b).sum()) / max(min(int(a.sum()), int(b.sum())), 1)
        for a, b in combinations(seen, 2)
    ]
    if all(share >= 0.9 for share in shares):
        return "crossed"
    return "nested" if not any(shares) else "partly crossed"


def _blocks(by_reader: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the block of each reader and of each case.

    Two readers are in one block if they share at least half of the cases of the reader with fewer,
    or if readers of the block connect them.
    """
    floats = by_reader.astype(np.float64)
    both, sizes = floats @ floats.T, floats.sum(axis=1)
    connected: AnyArray = 2.0 * both >= np.minimum(sizes[:, None], sizes[None])
    while not np.array_equal(further := connected.astype(int) @ connected > 0, connected):
        connected = further
    of_reader = np.unique(connected.argmax(axis=1), return_inverse=True)[1]
    shares = [floats[of_reader == i].mean(axis=0) for i in range(of_reader.max() + 1)]
    return of_reader, np.argmax(shares, axis=0)
