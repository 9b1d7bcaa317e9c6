"""The study of a file: its table, and the analysis of the columns that were chosen."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

from pauci.cli.app.form import Choices
from pauci.cli.app.screen import sentence_on_screen
from pauci.cli.data import Data, refuse_repeated
from pauci.cli.options import Reading
from pauci.cli.output import Result
from pauci.cli.read_files import FileContent, read
from pauci.cli.samples import label_of, sample_in, text_codes
from pauci.cli.shell_syntax import ShellSyntax
from pauci.cutoffs.youdens_cutoff import youdens_cutoff_if_any
from pauci.errors import (
    InputError,
    PauciWarning,
    UndefinedError,
    collected_warnings,
    each_warning_once,
)
from pauci.inference.estimate import estimate
from pauci.measures.brier import Brier
from pauci.measures.risks import check_risks
from pauci.report.page_analysis import Analysis, GroupOptions, Options, analyse
from pauci.sample.sample import Sample

LOCK = RLock()
"""Neither matplotlib nor the filters of warnings may be used by two threads at once."""


@contextmanager
def warnings_collected() -> Iterator[list[PauciWarning]]:
    """Collect the warnings of a block, which are displayed on the page and not printed."""
    with warnings.catch_warnings(), each_warning_once(), collected_warnings() as warned:
        warnings.simplefilter("ignore", PauciWarning)
        yield warned


_NO_COLUMN = "\0"
"""A name that no column has; if it is needed, other separators are tried."""


class Study:
    """A file whose table is kept, as it was read last."""

    def __init__(self, file: FileContent) -> None:
        self.file = file
        self._data: tuple[Reading, Mapping[str, Sequence[str]], Data] | None = None
        self._warned: list[PauciWarning] = []
        self._result: tuple[object, StudyResult] | None = None

    def data(
        self,
        reading: Reading,
        needed: Sequence[str] = (),
        codes: Mapping[str, Sequence[str]] | None = None,
    ) -> Data:
        """Return the table; `needed` and `codes` are those of `read`, None for any codes."""
        if self._data is not None:
            previous, of_codes, data = self._data
            same = previous == reading and codes in (None, of_codes)
            complete = len(data.columns) == data.frame.shape[1]
            if same and (complete or set(needed) <= set(data.frame.columns)):
                return data
        self._data = None  # two large tables may not fit into memory
        with warnings_collected() as self._warned:
            data = read(self.file, reading, needed, codes) if needed else self._first(reading)
        self._data = reading, codes or {}, data
        return data

    def _first(self, reading: Reading) -> Data:
        """Return the table before its columns are known; propose another separator if it fits."""
        try:
            data = read(self.file, reading, [])
        except InputError:
            read(self.file, reading, [_NO_COLUMN])
            raise
        return data if len(data.columns) > 1 else read(self.file, reading, [_NO_COLUMN])

    def result(self, reading: Reading, choices: Choices) -> "StudyResult":
        """Return the results of the columns that were chosen."""
        key = (reading, choices)
        if self._result is None or self._result[0] != key:
            self._result = None
            self._result = key, self._analysed(reading, choices)
        return self._result[1]

    def _analysed(self, reading: Reading, choices: Choices) -> "StudyResult":
        rows, group = choices.rows, choices.group
        codes = text_codes(rows.missing, reading)
        others = [c for c in (rows.cluster, group) if c is not None]
        needed = [rows.label, *rows.scores, *others]
        data = self.data(reading, needed, dict.fromkeys(rows.scores, codes) if codes else {})
        refuse_repeated(data.columns, needed, data.name)
        groups = () if group is None else (group,)
        with warnings_collected() as warned:
            sample = sample_in(data, rows, choices.design, groups=groups)
            notes: list[str] = []
            if sample.rows.rest:
                notes.append(
                    f"The outcome has more than two values: {sample.rows.rest}. To leave out rows "
                    "with other values, use --negative."
                )
            analysis = _analysis_of(sample, choices, notes, data.syntax)
            positive = label_of(data, rows.label, rows.positive)
            negative = label_of(data, rows.label, rows.negative)
            warned = [*self._warned, *warned]
            return StudyResult(analysis, sample, data, (positive, negative), warned, notes)


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The results of a study.

    Attributes
    ----------
    analysis : Analysis
        Estimates, differences, cut-offs, predicted risks and results by group.
    sample : Sample
        The rows that were analysed.
    data : Data
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
    data: Data
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


def _analysis_of(
    sample: Sample, choices: Choices, notes: list[str], syntax: ShellSyntax
) -> Analysis:
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
        risks=_risks_of(sample, notes, syntax),
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


def _risks_of(sample: Sample, notes: list[str], syntax: ShellSyntax) -> tuple[Any, ...]:
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
        notes.append(f"Calibration is not shown: {sentence_on_screen(error, syntax)}")
        return ()


def levels_of(data: Data, label: str) -> list[tuple[str, int, str]]:
    """Return the values of a column with frequencies and value labels; empty if there are many."""
    if label not in data.frame.columns or list(data.frame.columns).count(label) > 1:
        return []
    counts = data.frame[label].value_counts(dropna=True)
    if len(counts) > MOST_LEVELS:
        return []
    levels = zip(counts.index.tolist(), counts.tolist(), strict=True)
    named = data.value_labels.get(label, {})
    return sorted((str(value), int(count), named.get(value, "")) for value, count in levels)


MOST_LEVELS = 20
"""Largest number of values of a column that are listed to choose from."""
