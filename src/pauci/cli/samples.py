"""Samples and studies from the files of a command, by the arguments of public functions.

Words on the command line are texts. The labels, groups and codes that they name are the values in
the data that are spelled in this way.
"""

import inspect
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import pauci
from pauci.backends.frames import ConnectedRelation
from pauci.checks import is_finite
from pauci.cli.options import in_utf8
from pauci.cli.output import TABLE, Output
from pauci.errors import InputError, InputTypeError
from pauci.files.read_table import read_table
from pauci.sample.frame_columns import Code, column_of
from pauci.sample.sample import Sample
from pauci.tables.json_document import Content
from pauci.tables.table import Table, count_cell, number_cell
from pauci.tables.tabular import Tabular, frame

_OF_ANALYSES = ("cases", "kind", "thresholds", "weights")
_OF_POWER = ("design", "negatives", "positives")
"""Arguments of these functions that are also arguments of analyses, and of power."""


class Call(NamedTuple):
    """The files of a command, the arguments that were given, by name, and where results go."""

    command: str
    files: Sequence[str]
    given: dict[str, Any]
    notes: list[str]
    output: Output = Output()

    def arguments(self, function: Callable[..., Any], *without: str) -> dict[str, Any]:
        """Return the given arguments that a function takes."""
        names = set(inspect.signature(function).parameters) - set(without)
        return {name: value for name, value in self.given.items() if name in names}

    def apply(self, function: Callable[..., Any], *values: Any, **others: Any) -> Any:
        """Call a function with values, and with the given arguments that it takes besides them."""
        parameters = list(inspect.signature(function).parameters.values())
        taken = [p.name for p in parameters[: len(values)]]
        for p in parameters[len(values) :]:
            if p.default is p.empty and p.name not in others:
                self.required(p.name)
        return function(*values, **{**self.arguments(function, *taken), **others})

    def required(self, name: str, what: str = "") -> Any:
        """Return the value of an argument; raise an error that states what is missing."""
        if self.given.get(name) is None:
            raise InputError.of(name, None, f"is missing{what}.", shown="")
        return self.given[name]

    def refuse(self, names: Iterable[str], problem: str) -> None:
        """Raise an error for the first of these arguments that was given."""
        for name in names:
            if name in self.given:
                raise InputError.of(name, self.given[name], problem)

    @property
    def measures(self) -> list[Any]:
        """The measures, of which there is at least one."""
        return _listed(self.required("measure", ", such as auc"))

    def table(self, file: str) -> Any:
        """Return the table in a file, as pandas or DuckDB have it."""
        table = read_table(file, **self.arguments(read_table))
        found = getattr(table, "attrs", {}).get("read_as")
        if found:
            self.notes.append(f"{file} was read with {found}.")
        return table

    def one_table(self, problem: str) -> Any:
        """Return the table in the only file; the problem is that there is none, or several."""
        if len(self.files) != 1:
            raise InputError(problem)
        return self.table(self.files[0])

    def samples(self) -> list[Sample]:
        """Return the samples of all files: a file of counts may have several."""
        if not self.files:
            raise InputError("FILE, the file of the data, is missing.")
        of_counts = self.given.keys() & {"positives", "negatives"} or self.command == "counts"
        several, call, samples = len(self.files) > 1, self, list[Sample]()
        for file in self.files:
            frame = self.table(file)
            if several and len(_listed(self.given.get("scores"))) == 1:
                call = self._replace(given={"name": name_of(file), **self.given})
            if not isinstance(frame, ConnectedRelation):
                counted = f"is for what DuckDB counts: \"duckdb:SELECT * FROM '{file}'\"."
                self.refuse(["resolution"], counted)
            try:
                samples += self._tables(frame, file) if of_counts else [call.sample_in(frame)]
            except (InputError, InputTypeError) as error:
                where = f"file {file!r}" if several else error.where
                raise error.replaced(where=where) from None
        return samples

    def marked(self) -> Any:
        """Return the study of marks with places, or for froc their sample; FILE has the cases.

        Marks with readers are also a study for froc, unless it is about a classifier.
        """
        path = self.required("marks", ": the file of the marks")
        if not self.files and Path(path).suffix.lower() == ".xlsx":
            return pauci.ReaderStudy.from_rjafroc(path, self.given.get("kind"))
        cases = self.one_table("FILE, the one file of the cases of these marks, is missing.")
        marks = self.table(path)
        of_readers = "reader" in self.given or "reader" in marks.columns
        as_study = self.command != "froc" or ("classifier" not in self.given and of_readers)
        create = pauci.ReaderStudy.from_marks if as_study else pauci.Sample.from_marks
        arguments = self.arguments(create, "marks", "cases", "read")
        if as_study and "read" in self.given:
            arguments["read"] = self.table(self.given["read"])
        if as_study and "modality" not in {*arguments, *marks.columns}:
            arguments["modality"] = None
        if "by" in self.given:
            arguments["group"] = self.given["by"]
        if "radius" in arguments:
            with suppress(ValueError):
                arguments["radius"] = float(arguments["radius"])
        return create(marks, cases, **arguments)

    def study(self) -> Any:
        """Return the reader study in the one file, or of marks with places."""
        if "marks" in self.given:
            return self.marked()
        return self.study_in(self.one_table("a reader study is one FILE."), _OF_POWER)

    def study_in(self, frame: Any, accepted: Iterable[str] = ()) -> Any:
        """Return the reader study of a table with a row per reading; others are also `accepted`."""
        arguments = self.arguments(pauci.ReaderStudy.from_frame, "frame")
        self.refuse_others({*arguments, *accepted, "scores", "category"}, "a reader study")
        score = _single(arguments.get("score", self.given.get("scores", "score")), "score")
        label = arguments.get("label", "label")
        names = [arguments.get(name, name) for name in ("reader", "modality")]
        frame = _with_value_labels(frame, names)
        frame = self._with_categories(frame, [score])
        if "modality" not in {*arguments, *frame.columns}:
            arguments["modality"] = None
        if "positive" in arguments:
            arguments["positive"] = spelled(frame, label, arguments["positive"])
        return pauci.ReaderStudy.from_frame(frame, **{**arguments, "score": score})

    @property
    def grouped_by(self) -> list[str]:
        """The columns of the groups for which results are requested."""
        of_rows = None if "positives" in self.given else self.given.get("group")
        return _listed(self.given.get("by", of_rows))

    @property
    def groupings(self) -> list[str]:
        """The columns of groups, those of `by` as well."""
        by = self.given.get("by") if self.command != "profile" else None
        return list(dict.fromkeys(_listed(self.given.get("group")) + _listed(by)))

    def sample_in(self, frame: Any) -> Sample:
        """Return the sample of a table with a row per observation."""
        if self.given.keys() & {"time", "event", "horizon"}:
            return self._at_horizon(frame)
        if self.given.keys() & {"classes", "probabilities"}:
            return self._of_classes(frame)
        arguments = self.arguments(Sample.from_frame, "frame", "missing", "thresholds")
        for name in ("label", "scores"):
            self.required(name, ": the name of a column")
        self.refuse_others({*arguments, "missing", "category"}, "rows with a label")
        groups, label = self.groupings, arguments["label"]
        scores = _listed(arguments["scores"])
        if not isinstance(frame, ConnectedRelation):
            for column in {*groups} - {*_listed(self.given.get("group"))}:
                column_of(frame, "by", column)
        if groups:
            arguments["group"], frame = groups, _with_value_labels(frame, groups)
        if "missing" in self.given:
            in_categories, arguments["missing"] = self.codes_in_categories(frame), []
            for word in dict.fromkeys(_listed(self.given["missing"])):
                code: list[object] = [word]
                with suppress(ValueError):  # a word may also be a number in the data
                    code.append(float(word))
                arguments["missing"].append(Code(code, word not in in_categories))
        frame = self._with_categories(frame, scores)
        for name in ("positive", "negative"):
            if name in arguments:
                arguments[name] = spelled(frame, label, arguments[name])
        if isinstance(frame, ConnectedRelation):
            arguments["thresholds"] = self._thresholds(scores)
        return Sample.from_frame(frame, **arguments)

    def _thresholds(self, scores: Sequence[str]) -> list[float]:
        """Return the thresholds of the measures and of the points of a command."""
        ends = _listed(self.given.get("thresholds"))
        for measure, score in product(_listed(self.given.get("measure")), scores):
            regions = measure.for_classifier(self.given.get("name", score)).regions
            ends += [end for region in regions for end in region.scores]
        return [float(end) for end in ends if isinstance(end, (int, float)) and is_finite(end)]

    def _at_horizon(self, frame: Any) -> Sample:
        """Return the sample of outcomes at a horizon in a table with a row per observation."""
        arguments = self.arguments(Sample.from_survival, "frame")
        for name in ("time", "event", "scores", "horizon"):
            self.required(name)
        self.refuse_others(arguments, "outcomes at a horizon")
        return Sample.from_survival(frame, **arguments)

    def _of_classes(self, frame: Any) -> Sample:
        """Return the sample of several classes in a table with a row per observation.

        Columns of probabilities are those of one classifier, or lists by classifier.
        """
        label = self.required("label", ": the column of the classes")
        named = self.given.get("probabilities") or _listed(self.given.get("scores"))
        if not named:
            needed = ": the column of each class, or scores= for a single column"
            self.required("probabilities", needed)
        if isinstance(frame, ConnectedRelation):
            frame = frame.relation.df()
        if "probabilities" in self.given:
            self.refuse(["scores"], "is not for columns of classes.")
            self.required("classes", ": the class of each column")
        groups, arguments = self.groupings, self.arguments(Sample.from_classes)
        self.refuse_others({*arguments, "label", "scores"}, "several classes")
        for name in ("frequency", "weight", "cluster", "fold", "verified", "verification"):
            if name in arguments:
                arguments[name] = _columns(frame, name, arguments[name])
        if groups:
            arguments["group"] = _columns(frame, "group", groups)
        if "classes" in arguments:
            listed = _listed(arguments["classes"])
            arguments["classes"] = [spelled(frame, label, word) for word in listed]
        if "probabilities" not in self.given:
            arguments["probabilities"] = _columns(frame, "scores", named)
        elif isinstance(named, dict):
            arguments["probabilities"] = {k: _matrix(frame, names) for k, names in named.items()}
        else:
            arguments["probabilities"] = _matrix(frame, named)
        return Sample.from_classes(column_of(frame, "label", label), **arguments)

    def refuse_others(self, known: Iterable[str], data: str) -> None:
        """Raise an error for options that describe data of another kind."""
        names = {*known, *_OF_ANALYSES, *inspect.signature(read_table).parameters}
        for kind, create in TABLE["kinds_of_data"].items():
            for name in (*inspect.signature(attrgetter(create)(pauci)).parameters, "category"):
                if name in self.given and name not in names:
                    problem = f"is not for {data}, but for {kind}."
                    raise InputError.of(name, self.given[name], problem, shown="")

    def _tables(self, frame: Any, file: str) -> list[Sample]:
        """Return the samples of a table of counts, or one for each group."""
        arguments = self.arguments(Sample.from_counts, "names", "positive")
        classes = _listed(arguments.pop("classes", None))
        usual = {"scores": "score", "positives": "positives", "negatives": "negatives"}
        named = list(usual.items())[: 1 if classes else 3]
        columns = [_single(arguments.pop(name, column), name) for name, column in named] + classes
        groups = _listed(self.given.get("group"))
        known = {*inspect.signature(Sample.from_counts).parameters, "group", "category"}
        self.refuse_others(known, "tables of counts")
        frame = self._with_categories(frame, columns[:1])
        roles = [*dict(named), *["classes"] * len(classes), *["group"] * len(groups)]
        for name, column in zip(roles, [*columns, *groups], strict=True):
            column_of(frame, name, column)
        lower = arguments.pop("lower_is_positive", False)
        parts = list(frame.groupby(groups, sort=False)) if groups else [(name_of(file), frame)]
        samples = []
        for key, part in parts:
            name = " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
            options = {"name": name, **arguments}
            is_lower = bool({name, columns[0]} & set(_listed(lower)))
            options["lower_is_positive"] = lower is True or is_lower
            counts = [part[c].to_numpy() for c in columns[1:]]
            if classes:
                options["classes"], counts = dict(zip(classes, counts, strict=True)), []
            scores = part[columns[0]]
            listed = scores.array if str(scores.dtype) == "category" else scores.tolist()
            samples.append(Sample.from_counts(listed, *counts, **options))
        return samples

    def codes_in_categories(self, frame: Any) -> set[str]:
        """Return the codes among ratings in words, which are missing in the ordered categories."""
        if "category" not in self.given or isinstance(frame, ConnectedRelation):
            return set()
        values = [v for c in _listed(self.given["scores"]) for v in distinct_in(frame, c)]
        words = _listed(self.given.get("missing"))
        return {word for word in words if any(is_spelling_of(word, v) for v in values)}

    def _with_categories(self, frame: Any, scores: Sequence[str]) -> Any:
        """Return the table with ratings in words as ordered categories."""
        if "category" not in self.given:
            return frame
        categories = in_order(_listed(self.given["category"]))
        if isinstance(frame, ConnectedRelation):
            raise InputError(
                "ratings in words are cast by the query of DuckDB.", argument="category"
            )
        import pandas as pd

        ordered, codes = {}, _listed(self.given.get("missing"))
        for column in scores:
            if column in frame.columns:
                values = frame[column].map(
                    lambda v: next((c for c in categories if is_spelling_of(c, v)), v),
                    na_action="ignore",
                )
                known = values.isin(categories)
                others = values[~known].dropna().unique().tolist()
                unknown = [v for v in others if not any(is_spelling_of(c, v) for c in codes)]
                if unknown:
                    problem = f"lacks {unknown[0]!r} of column {column!r}."
                    raise InputError.of("category", categories, problem)
                rated = values.where(known)
                ordered[column] = pd.Categorical(rated, pd.Index(categories), ordered=True)
        return frame.assign(**ordered)


def _columns(frame: Any, argument: str, names: Any) -> Any:
    """Return the column of a name, or those of several by their names."""
    if isinstance(names, (list, tuple)):
        return {name: column_of(frame, argument, name) for name in names}
    return column_of(frame, argument, names)


def _matrix(frame: Any, names: Any) -> Any:
    """Return the columns of the probabilities of a classifier as a matrix."""
    return np.column_stack([column_of(frame, "probabilities", name) for name in _listed(names)])


def in_order(words: list[str]) -> list[str]:
    """Return the categories in a single text such as ``2 < 3 < 4a``, or the texts themselves."""
    return [part.strip() for part in words[0].split(" < ")] if len(words) == 1 else words


def name_of(file: str) -> str:
    """Return the name of a sample in a file: that of the file, without its suffixes."""
    stem = in_utf8(Path(file.removeprefix("example:")).name).partition(".")[0]
    return "score" if file == "-" or not stem else stem


def _single(value: Any, argument: str) -> Any:
    """Return the one column that an option names."""
    values = _listed(value)
    if len(values) != 1:
        raise InputError.of(argument, values, "must be one column.")
    return values[0]


def _listed(value: Any) -> list[Any]:
    if value is None or value is False:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def is_spelling_of(text: str, value: object) -> bool:
    """Return whether a word spells a value of the data: a text, number, boolean or date."""
    if isinstance(value, bool):  # DuckDB reads the texts yes and no as booleans
        return text.lower() in (str(value).lower(), "yes" if value else "no", str(int(value)))
    if str(value) == text:
        return True
    with suppress(ValueError, TypeError):
        if isinstance(value, datetime):
            return datetime.fromisoformat(text) == value
        return isinstance(value, (int, float)) and float(text) == value
    return False


def spelled(frame: Any, column: str, word: str) -> Any:
    """Return the value in a column that a word spells, or whose label it is; else the word."""
    values = distinct_in(frame, column)
    labels = {} if isinstance(frame, ConnectedRelation) else frame.attrs.get("value_labels", {})
    named = {v: label for v, label in labels.get(column, {}).items() if label == word}
    return next((v for v in values if is_spelling_of(word, v) or v in named), word)


def distinct_in(frame: Any, column: str) -> list[Any]:
    """Return distinct values of a column; of DuckDB the first hundred."""
    if not isinstance(frame, ConnectedRelation):
        if column not in frame.columns or list(frame.columns).count(column) > 1:
            return []
        return list(frame[column].dropna().unique().tolist())
    if column not in frame.relation.columns:
        return []
    doubled = column.replace('"', '""')
    rows = frame.relation.project(f'"{doubled}"').distinct().limit(100).fetchall()
    return [value for (value,) in rows if value is not None]


def _with_value_labels(frame: Any, columns: Sequence[Any]) -> Any:
    """Return a table in which columns of names have the labels of their values."""
    if isinstance(frame, ConnectedRelation) or not frame.attrs.get("value_labels"):
        return frame
    named = {}
    for column in columns:
        labels = frame.attrs["value_labels"].get(column, {})
        if labels and column in frame.columns:
            texts = [labels.get(v) for v in frame[column].dropna().unique().tolist()]
            if None not in texts and len(set(texts)) == len(texts):
                named[column] = frame[column].map(labels)
    return frame.assign(**named)


def first_group(sample: Any, column: str, word: str | None) -> Any:
    """Return the group of a sample that a word spells, for `reference`."""
    if word is None or word == "overall" or not isinstance(sample, pauci.Sample):
        return word
    labels = [label for g in sample.rows.groups if g.name == column for label in g.labels]
    return next((label for label in labels if is_spelling_of(word, label)), word)


_COLUMNS = ("readers", "positives", "negatives", "power")
_LARGEST = 2**20
"""Largest number of positives of a plan."""


@dataclass(frozen=True, eq=False)
class ReaderPlans(Tabular):
    """The power of planned studies of readers and cases.

    Attributes
    ----------
    rows : list of tuple
        Numbers of readers, positives and negatives, with the power.
    pilot : str
        The pilot study in words.
    """

    rows: list[tuple[Any, ...]]
    pilot: str

    def to_frame(self) -> Any:
        """Return a data frame with a row for each plan."""
        return frame(_COLUMNS, self._content().rows)

    def _content(self, *_: object) -> Content:
        records = [dict(zip(_COLUMNS, row, strict=True)) for row in self.rows]
        return Content(records, self._table())

    def _table(self, *_: object, **__: object) -> Table:
        body = [[*map(count_cell, row[:3]), number_cell(row[3])] for row in self.rows]
        note = f"From a pilot study ({self.pilot})."
        return Table("Power of studies of readers", _COLUMNS, body, [note])


def reader_plans(call: Call, analysis: "pauci.ReaderAnalysis", *, sized: bool) -> ReaderPlans:
    """Return the power at numbers of readers and cases, or the smallest numbers for a power."""
    for name in _COLUMNS[: 3 if sized else 1]:
        call.required(name, ", a number of the plan")
    arguments = call.arguments(pauci.mrmc_power)
    if sized:
        numbers = {name: _listed(arguments[name]) for name in _COLUMNS[:3]}
        table: Any = pauci.mrmc_power(analysis, **{**arguments, **numbers})
        return ReaderPlans(
            list(table[list(_COLUMNS)].itertuples(index=False)), analysis.study.sizes
        )
    readers, least = _listed(arguments.pop("readers")), call.given.get("power", 0.8)
    ratio = call.given.get("ratio", analysis.study.n_neg / analysis.study.n_pos)

    def plan(number: int, positives: int) -> tuple[int, int, int, float]:
        sizes = number, positives, max(2, math.ceil(ratio * positives))
        return *sizes, float(pauci.mrmc_power(analysis, *sizes, **arguments))

    def smallest(number: int) -> tuple[Any, ...]:
        n = bisect_left(range(_LARGEST), least, 2, key=lambda n: plan(number, n)[3])
        found = plan(number, n)
        return found if found[3] >= least else (number, math.nan, math.nan, found[3])

    return ReaderPlans(list(map(smallest, readers)), analysis.study.sizes)
