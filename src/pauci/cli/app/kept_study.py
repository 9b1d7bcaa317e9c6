"""The study of a file: its table, and the analysis of the columns that were chosen."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING, Any

from pauci.analyses.risk_table import RiskTable, risk_table
from pauci.cli.app.form import Choices
from pauci.cli.app.screen import sentence_on_screen
from pauci.cli.output import Result
from pauci.cli.samples import spelled
from pauci.cutoffs.choose import Cutoff, youdens_cutoff_if_any
from pauci.errors import (
    InputError,
    PauciWarning,
    UndefinedError,
    collected_warnings,
    each_warning_once,
)
from pauci.files.read_table import FileContent, table_in
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.measures.risks import Brier, check_risks
from pauci.report.contents import Contents
from pauci.results.comparison import Comparison
from pauci.results.family import Comparisons
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

LOCK = RLock()
"""Neither matplotlib nor the filters of warnings may be used by two threads at once."""


@contextmanager
def warnings_collected() -> Iterator[list[PauciWarning]]:
    """Collect the warnings of a block, which are displayed on the page and not printed."""
    with warnings.catch_warnings(), each_warning_once(), collected_warnings() as warned:
        warnings.simplefilter("ignore", PauciWarning)
        yield warned


class Study:
    """A file whose table is kept, as it was read last."""

    def __init__(self, file: FileContent) -> None:
        self.file = file
        self._data: tuple[Mapping[str, Any], pd.DataFrame] | None = None
        self._warned: list[PauciWarning] = []
        self._result: tuple[object, StudyResult] | None = None

    def data(self, reading: Mapping[str, Any]) -> "pd.DataFrame":
        """Return the table; `reading` are arguments of `pauci.read_table`."""
        if self._data is None or self._data[0] != reading:
            self._data = None  # two large tables may not fit into memory
            with warnings_collected() as self._warned:
                data = table_in(self.file, **reading)
            self._data = reading, data
        return self._data[1]

    def result(self, reading: Mapping[str, Any], choices: Choices) -> "StudyResult":
        """Return the results of the columns that were chosen."""
        key = (reading, choices)
        if self._result is None or self._result[0] != key:
            self._result = None
            self._result = key, self._analysed(reading, choices)
        return self._result[1]

    def _analysed(self, reading: Mapping[str, Any], choices: Choices) -> "StudyResult":
        data, given = self.data(reading), choices.given
        with warnings_collected() as warned:
            sample = choices.call.sample_in(data)
            read_as = data.attrs["read_as"]
            notes = [f"The file was read with {read_as}."] if read_as else []
            if sample.rows.rest:
                notes.append(
                    f"The outcome has more than two values: {sample.rows.rest}. To leave out rows "
                    "with other values, use negative=."
                )
            contents = _contents_of(sample, choices, notes)
            labels = [
                spelled(data, given["label"], given[name]) if name in given else None
                for name in ("positive", "negative")
            ]
            warned = [*self._warned, *warned]
            return StudyResult(contents, sample, data, (labels[0], labels[1]), warned, notes)


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The results of a study.

    Attributes
    ----------
    contents : Contents
        The sample, estimates, differences, cut-offs, predicted risks and results by group.
    sample : Sample
        The rows that were analysed.
    data : pandas.DataFrame
        The table.
    labels : tuple of object and object
        The positive and the negative value in the column of labels; None if they were not chosen.
    warned : list of PauciWarning
        The warnings of the analysis.
    notes : list of str
        Why parts of the analysis are left out.
    """

    contents: Contents
    sample: Sample
    data: "pd.DataFrame"
    labels: tuple[object, object]
    warned: list[PauciWarning]
    notes: list[str]

    def results(self) -> list[Result]:
        """Return the results as the commands write them, for files of tables."""
        return [
            Result(_title_of(result), result, {"level": self.contents.level})
            for result in self.contents.results
        ]


def _title_of(result: Any) -> str:
    """Return the name of a result in files of tables."""
    name = "differences" if isinstance(result, (Comparison, Comparisons)) else "estimates"
    if isinstance(result, Cutoff):
        return f"cut-off of {result.classifier}"
    if isinstance(result, RiskTable):
        return "predicted risks"
    return f"{name} by {result.by}" if hasattr(result, "by") else name


def _contents_of(sample: Sample, choices: Choices, notes: list[str]) -> Contents:
    """Return the results; `notes` gets a sentence for each part that the data do not allow."""
    measures: Any = list(choices.measures)
    several = len(sample.names) > 1
    results: list[Any] = [sample, estimate(sample, measures)]
    if several:
        results.append(compare(sample, measures if len(measures) > 1 else measures[0]))
    for name in sample.names:
        chosen = youdens_cutoff_if_any(sample[name])
        if chosen is None:
            notes.append(
                f"No cut-off of {name} was chosen: there are too few or too many rows for it."
            )
        else:
            results.append(chosen)
    results += _risks_of(sample, notes)
    if choices.group is not None:
        by: Any = {"by": choices.group, "skip_small": choices.skip_small}
        results.append(estimate(sample, measures, **by))
        if several:
            results.append(compare(sample, measures, **by))
    return Contents(results, choices.level)


def _risks_of(sample: Sample, notes: list[str]) -> tuple[Any, ...]:
    """Return the performance of predicted risks, if all scores are risks."""
    try:
        for name in sample.names:
            check_risks(sample.ratings(name).curve.table, Brier(), inside=False)
    except InputError:
        return ()
    try:
        return (risk_table(sample),)
    except (InputError, UndefinedError) as error:
        notes.append(f"Calibration is not shown: {sentence_on_screen(error)}")
        return ()


def levels_of(data: "pd.DataFrame", label: str) -> list[tuple[str, int, str]]:
    """Return the values of a column with frequencies and value labels; empty if there are many."""
    if label not in data.columns or list(data.columns).count(label) > 1:
        return []
    counts = data[label].value_counts(dropna=True)
    if len(counts) > MOST_LEVELS:
        return []
    names = data.attrs.get("value_labels", {}).get(label, {})
    levels = zip(counts.index.tolist(), counts.tolist(), strict=True)
    return sorted((str(value), int(count), names.get(value, "")) for value, count in levels)


MOST_LEVELS = 20
"""Largest number of values of a column that are listed to choose from."""
