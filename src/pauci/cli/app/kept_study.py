"""The study of a file: its table, and the analysis of the columns that were chosen."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import RLock
from typing import TYPE_CHECKING, Any

from pauci.cli.app.form import Choices
from pauci.cli.app.screen import sentence_on_screen
from pauci.cli.output import Result
from pauci.cli.samples import spelled
from pauci.cutoffs.choose import youdens_cutoff_if_any
from pauci.errors import (
    InputError,
    PauciWarning,
    UndefinedError,
    collected_warnings,
    each_warning_once,
)
from pauci.files.read_table import FileContent, table_in
from pauci.inference.estimate import estimate
from pauci.measures.risks import Brier, check_risks
from pauci.report.page_analysis import Analysis, GroupOptions, Options, analyse
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
            analysis = _analysis_of(sample, choices, notes)
            labels = [
                spelled(data, given["label"], given[name]) if name in given else None
                for name in ("positive", "negative")
            ]
            warned = [*self._warned, *warned]
            return StudyResult(analysis, sample, data, (labels[0], labels[1]), warned, notes)


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The results of a study.

    Attributes
    ----------
    analysis : Analysis
        Estimates, differences, cut-offs, predicted risks and results by group.
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

    analysis: Analysis
    sample: Sample
    data: "pd.DataFrame"
    labels: tuple[object, object]
    warned: list[PauciWarning]
    notes: list[str]

    def results(self) -> list[Result]:
        """Return the results as the commands write them, for files of tables."""
        analysis = self.analysis
        options = {"level": analysis.options.level}
        listed: list[tuple[str, Any]] = [
            ("estimates", estimate(self.sample, list(analysis.measures)))
        ]
        if analysis.comparisons is not None:
            listed.append(("differences", analysis.comparisons))
        listed += [("predicted risks", table) for table in analysis.risks]
        listed += [(f"cut-off of {name}", cutoff) for name, cutoff in analysis.cutoffs.items()]
        for groups in analysis.groups:
            listed.append((f"estimates by {groups.name}", groups.estimates))
            if groups.comparisons is not None:
                listed.append((f"differences by {groups.name}", groups.comparisons))
        return [Result(title, result, options) for title, result in listed]


def _analysis_of(sample: Sample, choices: Choices, notes: list[str]) -> Analysis:
    """Return the analysis; `notes` gets a sentence for each part that the data do not allow."""
    options = Options(level=choices.level)
    analysis = analyse(sample, list(choices.measures), options)
    cutoffs = {name: youdens_cutoff_if_any(sample[name]) for name in sample.names}
    notes += [
        f"No cut-off of {name} was chosen: there are too few or too many rows for it."
        for name, cutoff in cutoffs.items()
        if cutoff is None
    ]
    chosen = {name: cutoff for name, cutoff in cutoffs.items() if cutoff is not None}
    complete = len(chosen) == len(sample.names)
    analysis = replace(
        analysis,
        cutoffs=chosen,
        risks=_risks_of(sample, notes),
        options=replace(options, points={"youden": True} if complete else None),
    )
    if choices.group is None:
        return analysis
    grouping = GroupOptions(choices.group, None, choices.skip_small)
    by_group = analyse(sample, list(choices.measures), replace(options, groupings=(grouping,)))
    return replace(
        analysis,
        groups=by_group.groups,
        options=replace(analysis.options, groupings=(grouping,)),
    )


def _risks_of(sample: Sample, notes: list[str]) -> tuple[Any, ...]:
    """Return the performance of predicted risks, if all scores are risks."""
    from pauci.analyses.risk_table import risk_table

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
