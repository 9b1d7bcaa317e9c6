"""The page as a function of a file and the values of the form; no server is needed for it."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from pauci.analyses.risk_table import RiskTable
from pauci.cli.app import form
from pauci.cli.app.kept_study import LOCK, Study, StudyResult, levels_of, warnings_collected
from pauci.cli.app.screen import LABELS, REGIONS, on_screen, sentence_on_screen
from pauci.cli.output import ENDS, Output, content
from pauci.errors import Message, PauciError
from pauci.files.read_table import FileContent
from pauci.plot import style
from pauci.report.html import HtmlForm
from pauci.report.page import Section, report, sections_of, warning_texts
from pauci.report.page_figures import curve_drawings
from pauci.tables.formatted_table import visible
from pauci.tables.number_format import style_of

if TYPE_CHECKING:
    from jinja2 import Environment

_FIELDS = {
    "scores": "score",
    "y_score": "score",
    "y_true": "label",
    "lower_is_positive": "lower-is-positive",
    "drop_missing": "drop-missing",
    "by": "group",
    "measures": "measure",
    "categories": "category",
    **{name.replace("-", "_"): "region" for name in REGIONS},
    "tpr": "region",
}
"""The field that an error is about, by the argument, where the names differ."""

_MOST_BOXES, _MOST_LISTED = 24, 200
"""Largest number of columns with a check box each, and of columns in a list."""

_FEWEST_FIELDS = 4
"""Number of fields for scores, if there are too many columns for check boxes."""

_NAMES_OF_FORMATS = {
    "text": "Plain text",
    "json": "JSON",
    "csv": "CSV",
    "markdown": "Markdown",
    "latex": "LaTeX",
    "html": "HTML",
    "docx": "Word",
    "xlsx": "Excel",
}

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tiff": "image/tiff",
    ".eps": "application/postscript",
}
"""Media types of downloads; all others are plain text."""

REPORT = "report.html"


class FormProblem(NamedTuple):
    """An error on the page: its text, and the field that it is about."""

    text: str
    field: str | None


@dataclass(frozen=True)
class Reply:
    """What the server sends back."""

    body: bytes
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    filename: str | None = None


@dataclass
class _FormState:
    """What the form displays."""

    values: form.Values
    columns: list[str] = field(default_factory=list)
    levels: list[tuple[str, int, str]] = field(default_factory=list)
    label: str | None = None
    problems: list[FormProblem] = field(default_factory=list)


def start_page(problem: str | None = None, status: int = 200) -> Reply:
    """Return the page on which a file is chosen."""
    problems = [] if problem is None else [FormProblem(problem, "file")]
    return _reply("start.html.j2", status, title="Choose a file", problems=problems)


def message_page(title: str, text: str, status: int) -> Reply:
    """Return a page with a message."""
    return _reply("message.html.j2", status, title=title, text=text)


def study_page(study: Study, values: form.Values) -> Reply:
    """Return the page of a file: the form, or the results of a form that is complete."""
    with LOCK:
        shown = _form_of(study, values)
        if "show" in values and shown.label is not None and not shown.problems:
            try:
                return _results_page(study, values)
            except (PauciError, MemoryError) as error:
                shown.problems.append(_problem(error))
        status = 422 if shown.problems else 200
        return _reply("form.html.j2", status, **_form_content(study, shown))


def download(study: Study, values: form.Values, name: str) -> Reply:
    """Return a file of the results: a table, the figure, the report, or the code."""
    with LOCK:
        try:
            reading, choices, result = _result(study, values)
            body = _file(study, reading, choices, result, name)
        except (PauciError, MemoryError) as error:
            return message_page("The file was not written", _problem(error).text, 422)
    if body is None:
        return message_page("Page not found", "There is no such file.", 404)
    end = PurePosixPath(name).suffix
    media_type = _TYPES.get(end, "text/plain; charset=utf-8")
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", PurePosixPath(study.file.name).stem).strip("-")[:60]
    return Reply(body, 200, media_type, f"{stem or 'study'}-{name}")


def report_page(study: Study, values: form.Values) -> Reply:
    """Return the report to be displayed in the browser."""
    reply = download(study, values, REPORT)
    return Reply(reply.body, reply.status)


# The form


def _form_of(study: Study, values: form.Values) -> _FormState:
    """Return the columns of the file, and the values of the column of labels."""
    shown = _FormState(values)
    try:
        reading = form.reading_of(values)
        data = study.data(reading)
        columns = list(map(str, data.columns))
        shown.columns = [c for c in dict.fromkeys(columns) if c.strip()]
        label = form.column_in(form.text_of(values, "label"), columns)
        if label is not None and label not in columns:
            shown.problems.append(FormProblem(f"“{shortened(label)}” is not a column.", "label"))
        elif label is not None:
            shown.levels = levels_of(study.data(reading), label)
            shown.label = label
        elif "show" in values or "next" in values:
            shown.problems.append(FormProblem("Choose the column of the outcome.", "label"))
    except (PauciError, MemoryError) as error:
        shown.problems.append(_problem(error))
    return shown


def _problem(error: BaseException) -> FormProblem:
    """Return an error as the page displays it."""
    if not isinstance(error, Message):
        return FormProblem("There is not enough memory for this file; choose fewer columns.", None)
    argument = error.argument or ""
    name = _FIELDS.get(argument, argument.replace("_", "-"))
    known = {*LABELS, "region"}
    return FormProblem(sentence_on_screen(error), name if name in known else None)


def _form_content(study: Study, shown: _FormState) -> dict[str, Any]:
    """Return the variables of the template of the form."""
    values = shown.values
    chosen = form.column_in

    def columns_of(name: str) -> list[str]:
        texts = [chosen(text, shown.columns) for text in values.get(name, ()) if text.strip()]
        return [text for text in texts if text is not None]

    scores = columns_of("score")
    reading = list(map(form.field_of, form.READING))
    return {
        "title": "Choose the columns" if shown.label is not None else "Choose the outcome",
        "file": study.file.name,
        "problems": shown.problems,
        "invalid_fields": {p.field: p.text for p in shown.problems if p.field is not None},
        "columns": shown.columns,
        "style_of_lists": _style_of_lists(len(shown.columns)),
        "label": shown.label,
        "levels": shown.levels,
        "values": {name: list(texts) for name, texts in values.items()},
        "scores": scores,
        "lower": columns_of("lower-is-positive"),
        "single": {name: next(iter(columns_of(name)), None) for name in ("cluster", "group")},
        "score_fields": max(_FEWEST_FIELDS, len(scores) + 2),
        "measures": form.measures_by_group(),
        "others": [
            (name, text)
            for name, texts in values.items()
            if name not in (*reading, "show", "next")
            for text in texts
        ],
        "with_auc": form.WITH_AUC,
        "regions": REGIONS,
        "designs": form.DESIGNS,
        "labels": LABELS,
        "reading": form.READING,
        "reading_open": bool(shown.problems and not shown.columns)
        or any(p.field in reading for p in shown.problems)
        or any(form.text_of(values, name) for name in reading),
    }


def _style_of_lists(number: int) -> str:
    """Return how columns are chosen: by check boxes, from lists, or by typing their names."""
    return "boxes" if number <= _MOST_BOXES else "lists" if number <= _MOST_LISTED else "typed"


# Results


def _result(study: Study, values: form.Values) -> tuple[dict[str, Any], form.Choices, StudyResult]:
    reading = form.reading_of(values)
    choices = form.choices_of(values, list(map(str, study.data(reading).columns)))
    return reading, choices, study.result(reading, choices)


_NO_RISKS = "Calibration is shown if all scores are predicted risks between 0 and 1."


def _results_page(study: Study, values: form.Values) -> Reply:
    from pauci.cli.app.code import python_code

    reading, choices, result = _result(study, values)
    contents = result.contents
    with warnings_collected() as warned:  # of intervals of tables and figures
        sections = list(sections_of(contents, HtmlForm(style_of("plain"))))
        if not contents.of(RiskTable):
            sections.append(Section("calibration", "Calibration", [_NO_RISKS], [], [], []))
        code = python_code(study, reading, choices, result)
    pairs = [(name, text) for name, texts in values.items() for text in texts]
    warnings = warning_texts(
        [*result.warned, *warned],
        lambda message, _: sentence_on_screen(message),
        contents,
    )
    return _reply(
        "results.html.j2",
        title="Results",
        file=study.file.name,
        choices=_summary(choices, result),
        query=urlencode(pairs),
        change=urlencode([(name, text) for name, text in pairs if name != "show"]),
        sections=sections,
        warnings=[*warnings, *(on_screen(note) for note in result.notes)],
        downloads=downloads(),
        code=code,
    )


def _summary(choices: form.Choices, result: StudyResult) -> list[tuple[str, str]]:
    """Return what was chosen, as names of fields and their values."""
    given, sample = choices.given, result.sample
    positive = given.get("positive")
    named = result.data.attrs.get("value_labels", {}).get(given["label"], {}).get(result.labels[0])
    if named not in (None, positive):
        positive = f"{positive}, {named},"
    facts = [
        ("Outcome", f"{given['label']}{'' if positive is None else f' ({positive} is positive)'}"),
        ("Scores", ", ".join(given["scores"])),
        ("Rows", f"{sample.n_pos:,} positives, {sample.n_neg:,} negatives"),
        (
            "Measures",
            ", ".join(f"{m.label} {m.region_phrase or ''}".strip() for m in choices.measures),
        ),
        ("Confidence level", f"{choices.level:g}"),
    ]
    optional = {
        LABELS["lower-is-positive"]: ", ".join(given.get("lower_is_positive", ())),
        LABELS["category"]: ", ".join(given.get("category", ())),
        LABELS["missing"]: ", ".join(given.get("missing", ())),
        LABELS["cluster"]: given.get("cluster"),
        LABELS["group"]: choices.group,
    }
    return [*facts, *((name, text) for name, text in optional.items() if text)]


# Downloads


def downloads() -> dict[str, list[tuple[str, str]]]:
    """Return the files of the results with their formats, by what they contain."""
    tables: dict[str, str] = {}
    for end, format_ in ENDS.items():
        tables.setdefault(format_, end)
    forms = [form_ for form_ in style.FORMATS if form_ != "tif"]  # another suffix of tiff
    figures = [(f"figure.{form_}", form_.upper()) for form_ in forms]
    return {
        "Tables": [
            (f"tables{end}", _NAMES_OF_FORMATS.get(format_, format_))
            for format_, end in sorted(tables.items(), key=_word_first)
        ],
        "Figure": figures,
        "Report": [(REPORT, "HTML page")],
        "Python code": [("analysis.py", "Python")],
    }


def _word_first(item: tuple[str, str]) -> tuple[bool, bool]:
    return item[0] != "docx", item[0] != "xlsx"


def _file(
    study: Study, reading: Mapping[str, Any], choices: form.Choices, result: StudyResult, name: str
) -> bytes | None:
    """Return the content of a file of the results, or None if there is no such file."""
    if name not in {name for files in downloads().values() for name, _ in files}:
        return None
    with warnings_collected():
        stem, end = name.split(".")
        if stem == "tables":
            text = content(result.results(), Output(ENDS[f".{end}"], "plain", name))
            return text if isinstance(text, bytes) else f"{text}\n".encode()
        if stem == "figure":
            style.matplotlib()
            with style.off_screen():
                ax = next(curve_drawings(result.contents)).draw()
            return style.file_bytes(ax, end)
        if stem == "analysis":
            from pauci.cli.app.code import python_code

            return python_code(study, reading, choices, result).encode()
        return report(
            result.contents,
            ".html",
            None,
            _origin(study, choices),
            sentence=lambda message, _: sentence_on_screen(message),
        )


def _origin(study: Study, choices: form.Choices) -> Mapping[str, str]:
    """Return where the data of a report come from."""
    origin = {
        "File": study.file.name,
        "Column of labels": choices.given["label"],
        "Positive label": choices.given.get("positive"),
        "Column of clusters": choices.given.get("cluster"),
        "Column of groups": choices.group,
    }
    return {key: value for key, value in origin.items() if value is not None}


# Templates


def stylesheet() -> bytes:
    """Return the styles of the page: those of the report, and those of the form."""
    templates = _templates()
    return "\n".join(
        templates.get_template(name).render() for name in ("page.css", "app.css")
    ).encode()


def _reply(template: str, status: int = 200, **variables: Any) -> Reply:
    text = _templates().get_template(template).render(variables)
    return Reply(text.encode("utf-8", "replace"), status)


@functools.cache
def _templates() -> "Environment":
    import jinja2

    from pauci.report.html import written

    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("pauci.cli.app", ""), jinja2.PackageLoader("pauci.report", "")]
        ),
        undefined=jinja2.StrictUndefined,
        autoescape=lambda name: name is not None and not name.endswith(".css"),
        finalize=written,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["exact"] = _exact
    environment.filters["short"] = lambda text: visible(shortened(str(text)))
    environment.filters["field"] = form.field_of
    return environment


def shortened(text: str, longest: int = 80) -> str:
    """Return a text without its middle if it is long: a cell or a name can hold megabytes."""
    return text if len(text) <= longest else f"{text[: longest - 20]}...{text[-10:]}"


def _exact(value: object) -> Any:
    """Return a value of a field, in which control characters are kept."""
    from markupsafe import Markup, escape

    return Markup(escape(str(value)))


def study_of(name: str, content_: bytes) -> Study:
    """Return the study of a file, whose name may be a path."""
    last = re.split(r"[\\/]", name)[-1].strip() or "file"
    return Study(FileContent(last, content_))
