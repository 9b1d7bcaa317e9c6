"""The study of a file: its table, and the results of the choices, as calls of public functions.

The same calls are made for the page and written as Python code.
"""

import ast
import math
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import pauci
from pauci.cli.app import form
from pauci.cli.app.form import Choices, FieldProblem
from pauci.cli.doctor import unit_of
from pauci.cli.samples import Call, distinct_in, is_spelling_of, spelled
from pauci.drawings import style
from pauci.errors import InputError, Message, PauciError, PauciWarning, held_warnings
from pauci.files.memory_limit import FileContent
from pauci.files.read_table import table_in
from pauci.number_texts import PLAIN, notation_in, numbers_of
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

DRAWING = Lock()
"""Settings of matplotlib are those of the whole process, so that one thread draws at a time."""

_ONE_READS = Lock()
"""One thread reads a file at a time, so that the room of one is enough."""

ROOM = 600e6
"""Memory that reading an upload may take, beside 300 MB for the program and other files."""

MOST_RESULTS, MOST_ROWS = 20, 10**6
"""Largest numbers of results of a file, and of rows in them, that are kept."""

_OF_ROW = 50
"""Number of bytes of a row of a table, and of a row of a sample."""

_MOST_LINES = 8
"""Number of lines that are offered as the header."""


_NOT_READ: tuple[Mapping[str, Any] | None, Any, list[PauciWarning]] = None, (), []
"""How a file was read, its table and the warnings, before it is read."""


class CallOfResult(NamedTuple):
    """A call of a public function on the sample, or on one classifier of it."""

    name: str
    function: str
    options: Mapping[str, Any]
    field: str
    classifier: str | None = None


def planned(values: Mapping[str, Any]) -> tuple[Any, str, list[PauciWarning]]:
    """Return the plan of a study from assumptions, its Python code, and warnings."""
    assumed, measure, size = form.plan_of(values)
    with held_warnings() as warned:
        plan = pauci.sample_size(pauci.binormal(**assumed), measure, **size)
    lines = [
        f"pilot = pauci.binormal({_options(assumed).removeprefix(', ')})",
        f"plan = pauci.sample_size(pilot, {_code(measure)}{_options(size)})",
    ]
    return plan, "\n".join(["import pauci", "", *lines, "print(plan.report())", ""]), warned


@dataclass
class Results:
    """The results of the choices; steps that failed are problems, and the others remain."""

    choices: Choices
    problems: list[FieldProblem]
    code: str = ""
    sample: Any = None
    """The sample, or the reader study."""
    steps: list[tuple[CallOfResult, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def shown(self) -> list[tuple[CallOfResult, Any]]:
        """The results, without estimates that the tables of differences contain."""
        names = {step.name for step, _ in self.steps}
        within = {"estimates": "differences", "by_group": "differences_by_group"}
        return [(step, r) for step, r in self.steps if within.get(step.name) not in names]

    @property
    def sentences(self) -> list[str]:
        """The results of all rows in sentences."""
        all_rows = (result for step, result in self.shown if "by" not in step.options)
        reports = [result.report(level=self.choices.level) for result in all_rows]
        return [line for report in reports for line in report.splitlines() if line]

    @property
    def tables(self) -> list[Any]:
        """The results that are shown as tables."""
        by_reader = [r.by_reader for _, r in self.steps if self.choices.is_study]
        return [result for _, result in self.shown] + by_reader

    @property
    def methods(self) -> tuple[list[str], list[str]]:
        """The methods in paragraphs, and their references."""
        from pauci.report.contents import Contents
        from pauci.report.methods import References, paragraphs

        references = References()
        contents = Contents([self.sample, *(r for _, r in self.shown)], self.choices.level)
        return paragraphs(contents, references.cite), references.entries

    @property
    def figures(self) -> list[str]:
        """The names of the figures."""
        has_risks = self.choices.risks and not self.choices.is_study
        names = ["curve", "calibration"] if has_risks else ["curve"]
        return names if self.steps else []

    def caption(self, figure: str) -> str:
        """Return the caption of a figure."""
        names = self.sample.modalities if self.choices.is_study else self.sample.names
        what = form.CURVES.get(_function_of(self.choices, figure), "ROC curve")
        return f"{what} of {fmt.listed(list(names))}."

    def figure(self, name: str, end: str) -> bytes:
        """Return a figure as the bytes of a file."""
        level, function = self.choices.level, _function_of(self.choices, name)
        estimates = self.steps[0][1] if function not in ("calibration", "reader_curves") else ()
        shown = [e for e in estimates if e.measure == self.choices.measures[0]]
        with DRAWING, style.off_screen(), held_warnings():
            draw = getattr(pauci.plot, function)
            options = {} if self.choices.is_study else {"level": level}
            return style.file_bytes(draw(self.sample, *[shown] * bool(shown), **options), end)


def _function_of(choices: Choices, figure: str) -> str:
    """Return the function of `pauci.plot` that draws a figure."""
    of_curve = "reader_curves" if choices.is_study else choices.measures[0].figure
    return of_curve if figure == "curve" else figure


class Study:
    """A file, its table as it was read last, and its results."""

    def __init__(self, file: FileContent) -> None:
        self.file = file
        self._read = _NOT_READ
        self._results: OrderedDict[str, Results] = OrderedDict()

    def read(self, reading: Mapping[str, Any]) -> tuple[Any, list[PauciWarning]]:
        """Return the table, and warnings; `reading` are arguments of `pauci.read_table`."""
        kept = self._read
        if kept[0] != reading:
            with _ONE_READS:
                if self._read[0] != reading:
                    self._read = _NOT_READ  # two large tables may not fit into memory
                    with held_warnings() as warned:
                        self._read = reading, table_in(self.file, **reading), warned
                kept = self._read
        return kept[1:]

    @property
    def size(self) -> int:
        """About how many bytes the file, its table and its results take."""
        rows = len(self._read[1])
        return len(self.file.content) + rows * _OF_ROW * (1 + len(self._results))

    def readings(
        self, reading: Mapping[str, Any], error: Message
    ) -> Iterator[tuple[str, Any, Any]]:
        """Yield the arguments by which an error can be avoided, with the tables they give."""
        text = str(error)
        stated = re.findall(r"\b(\w+)='([^']*)'", text.replace('"\'"', "'"))
        offered = [(name, value) for name, value in stated if name in form.READING]
        if "header_row=" in text:
            named = re.findall(r"\bheader_row=(\(\d+, \d+\)|\d+)", text)
            rows = map(ast.literal_eval, named) if named else range(1, _MOST_LINES + 1)
            offered += [("header_row", row) for row in rows]
        if error.argument == "sheet" and isinstance(error.value, list):
            offered = [("sheet", name) for name in error.value]
        for name, value in offered:
            with suppress(PauciError), held_warnings():
                with _ONE_READS:
                    table = table_in(self.file, **{**reading, name: value})
                yield name, value, table

    def results(self, reading: Mapping[str, Any], choices: Choices) -> Results:
        """Return the results of the choices."""
        key = repr((reading, choices))
        results = self._results.get(key)
        if results is None:
            most = MOST_ROWS // max(len(self.read(reading)[0]), 1)
            while len(self._results) >= max(1, min(MOST_RESULTS, most)):
                self._results.popitem(last=False)
            results = self._calculated(reading, choices)
        self._results[key] = results
        return results

    def _calculated(self, reading: Mapping[str, Any], choices: Choices) -> Results:
        results, level = Results(choices, list(choices.problems)), choices.level
        if not {"label", "scores"} <= choices.given.keys():
            return results
        table, warned = self.read(reading)
        lines = [f"frame = pauci.read_table({self.file.name!r}{_options(reading)})"]
        try:
            with held_warnings() as of_sample:
                frame = _without_units(table, choices, results.notes, lines)
                if choices.is_study and "case" not in choices.given:
                    raise InputError("Choose the column of the cases.", argument="case")
                call = Call("app", (), dict(choices.given), [])
                sample = call.study_in(frame) if choices.is_study else call.sample_in(frame)
        except (PauciError, MemoryError) as error:
            results.problems.append(form.problem_of(error, "scores"))
            return results
        results.sample, warned = sample, [*warned, *of_sample]
        lines += [*_prepared(frame, choices), *_sample(frame, choices)]
        if choices.is_study:
            results.problems += _refused(choices)
        for step in _steps(choices, sample):
            try:
                with held_warnings() as of_step:
                    on = sample if step.classifier is None else sample[step.classifier]
                    result = getattr(pauci, step.function)(on, **step.options)
                    result.to_html(level=level)  # intervals may warn, and fail
            except (PauciError, MemoryError) as error:
                found = form.problem_of(error, step.field)
                is_choice = step.field in ("rule", "risk_table", "group")
                results.problems.append(found._replace(field=step.field) if is_choice else found)
                if not results.steps:  # the estimates, which the figures need
                    break
            else:
                results.steps.append((step, result))
                on_sample = "sample" + f"[{step.classifier!r}]" * (step.classifier is not None)
                code = f"{step.name} = pauci.{step.function}({on_sample}{_options(step.options)})"
                show = "summary" if "by" in step.options else "report"
                lines += ["", code, f"print({step.name}.{show}(level={level!r}))"]
            warned += of_step
        results.notes += [] if choices.is_study else _about_rows(sample)
        results.notes += dict.fromkeys(map(form.sentence, warned))
        first = {problem.text: problem for problem in reversed(results.problems)}
        results.problems = list(reversed(first.values()))
        lines += [line for name in results.figures for line in _drawn(choices, name)]
        text = "\n".join(lines)
        pandas = "import pandas as pd\n\n" * ("pd." in text)
        results.code = f"{pandas}import pauci\n\n{text}\n"
        return results


def _about_rows(sample: Sample) -> list[str]:
    """Return notes about a third label, and rows that were left out."""
    notes = []
    if sample.rows.rest:
        notes.append(
            f"The outcome has more than two values: {sample.rows.rest}. To leave out rows with "
            "other values, choose a “Negative value”."
        )
    exclusions = " and ".join(sample.rows.exclusions)
    return notes + [f"{exclusions} left out."] * bool(exclusions)


def _refused(choices: Choices) -> list[FieldProblem]:
    """Return problems of choices that do not apply to reader studies."""
    chosen = {"rule": choices.rule, "variance": choices.variance, "risk_table": choices.risks}
    labels = [(name, form.label_of(name)) for name, value in chosen.items() if value]
    return [FieldProblem(f"“{label}” is not for a reader study.", name) for name, label in labels]


def _steps(choices: Choices, sample: Any) -> Iterator[CallOfResult]:
    """Yield the calls for the choices."""
    if choices.is_study:
        for i, measure in enumerate(choices.measures, 1):
            yield CallOfResult(f"analysis_{i}", "mrmc", {"measure": measure}, "measures")
        return
    measures, several = list(choices.measures), len(sample.names) > 1
    shared = {"measure": measures, **choices.variance}
    compared = {**shared, "measure": measures if len(measures) > 1 else measures[0]}
    yield CallOfResult("estimates", "estimate", shared, "measures")
    if several:
        yield CallOfResult("differences", "compare", compared, "scores")
    rule = {**choices.rule, "rng": form.SEED}
    for i, name in enumerate(sample.names if choices.rule else (), 1):
        yield CallOfResult(f"cutoff_{i}", "cutoff", rule, "rule", name)
    if choices.risks:
        yield CallOfResult("risks", "risk_table", {}, "risk_table")
    if choices.by:
        yield CallOfResult("by_group", "estimate", {**shared, **choices.by}, "group")
    if choices.by and several:
        by_group = {**compared, **choices.by}
        yield CallOfResult("differences_by_group", "compare", by_group, "group")


def _without_units(table: Any, choices: Choices, notes: list[str], lines: list[str]) -> Any:
    """Return the table with scores as numbers if all of their cells have the same unit."""
    for c in choices.given["scores"]:
        unit, in_all = unit_of(table, c) or ("", False)
        if not unit or not (in_all or choices.unit):
            continue
        texts = table[c].map(lambda cell, unit=unit: str(cell).strip().removesuffix(unit).strip())
        texts = texts.where(table[c].notna())
        notation = notation_in(texts, table.attrs)
        numbers = numbers_of(texts, notation)  # None with codes of missing values
        table = table.assign(**{c: texts if numbers is None else numbers})
        notes.append(f"The unit {unit} was removed from the cells of {c}.")
        without = f"frame[{c!r}].str.strip().str.removesuffix({unit!r}).str.strip()"
        if numbers is not None:
            decimal, thousands = notation
            if thousands:
                without += f".str.replace({thousands!r}, '', regex=False)"
            if decimal != PLAIN[0]:
                without += f".str.replace({decimal!r}, '.', regex=False)"
            without = f"pd.to_numeric({without})"
        lines.append(f"frame[{c!r}] = {without}")
    return table


# Code


def _drawn(choices: Choices, figure: str) -> list[str]:
    """Return the lines that draw a figure."""
    shown = ", [e for e in estimates if e.measure == estimates[0].measure]"
    shown = "" if figure == "calibration" else shown
    shown += f", level={choices.level!r}"
    call = f"{_function_of(choices, figure)}(sample{'' if choices.is_study else shown})"
    return ["", f"ax = pauci.plot.{call}", f'ax.figure.savefig("{figure}.png", dpi=300)']


def _code(value: Any) -> str:
    """Return a value as Python code."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_code(k)}: {_code(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_code, value))}]"
    if hasattr(value, "isoformat"):
        return f"pd.Timestamp({str(value)!r})"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, type) or not type(value).__module__.startswith("pauci."):
        return f"pauci.{value.__name__}" if isinstance(value, type) else repr(value)
    text = re.sub(r"(?<![\w'\"])inf\b(?!['\"])", 'float("inf")', repr(value))
    return f"pauci.{text.removeprefix('pauci.')}"


def _options(arguments: Mapping[str, Any]) -> str:
    return "".join(f", {name}={_code(value)}" for name, value in arguments.items())


def _sample(table: Any, choices: Choices) -> list[str]:
    """Return the lines that make the sample, or the reader study."""
    given = {k: v for k, v in choices.given.items() if k not in ("category", "missing")}
    for name in given.keys() & {"positive", "negative"}:
        given[name] = spelled(table, given["label"], given[name])
    function = "ReaderStudy.from_frame" if choices.is_study else "Sample.from_frame"
    if choices.is_study:
        score, lower = given.pop("scores")[0], given.pop("lower_is_positive")
        given |= {"score": score, "lower_is_positive": lower}
    else:
        in_categories = Call("app", (), dict(choices.given), []).codes_in_categories(table)
        values = [v for c in [given["label"], *given["scores"]] for v in distinct_in(table, c)]
        words = [word for word in choices.given.get("missing", ()) if word not in in_categories]
        codes = dict.fromkeys(v for word in words for v in values if is_spelling_of(word, v))
        given |= {"missing": list(codes)} if codes else {}
    lines = [f"    {name}={_code(value)}," for name, value in given.items()]
    return [f"sample = pauci.{function}(", "    frame,", *lines, ")"]


def _prepared(table: Any, choices: Choices) -> list[str]:
    """Return the lines that replace values by numbers, their labels, or ordered categories."""
    given, lines = choices.given, []
    categories = given.get("category", [])
    labels = table.attrs.get("value_labels", {}).get(given.get("group"))
    if labels:
        group = f"frame[{given['group']!r}]"
        lines.append(f"{group} = {group}.map({_code(labels)})")
    for score in given["scores"] if categories else ():
        values = table[score].dropna().unique().tolist()
        names = {v: w for v in values for w in categories if is_spelling_of(w, v)}
        column, ordered = f"frame[{score!r}]", f"{categories!r}, ordered=True"
        lines.append(f"{column} = pd.Categorical({column}.map({_code(names)}), {ordered})")
    return lines
