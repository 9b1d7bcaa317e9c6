"""The page as a function of a file and the values of the form; no server is needed for it."""

import functools
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlencode

import jinja2
from markupsafe import Markup, escape
from starlette.responses import Response

from pauci.cli.app import form
from pauci.cli.app.kept_study import ROOM, Results, Study, planned
from pauci.cli.doctor import levels_of, order_in, texts_in, unit_of
from pauci.cli.output import Output, Result, content
from pauci.errors import Message, PauciError
from pauci.files.memory_limit import FileContent
from pauci.measures import REGISTRY
from pauci.tables.formatted_table import visible

_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "png": "image/png",
    "svg": "image/svg+xml",
    "py": "text/x-python; charset=utf-8",
}
"""Media types of the files of the results."""

_FIRST_ROWS, _FIRST_COLUMNS = 3, 8
"""Numbers of rows and of columns that are shown of a file."""

_MOST_BOXES, _MOST_LISTED = 40, 200
"""Largest number of columns with a check box each, and of columns in a list."""


def start_page(problem: str | None = None, status: int = 200, root: str = "") -> Response:
    """Return the page on which a file is chosen; `root` leads to it from the address."""
    problems = [] if problem is None else [form.FieldProblem(problem, "file")]
    return _page("start.html.j2", problems, status, title="Choose a file", root=root)


def plan_page(values: form.Values) -> Response:
    """Return the page on which a study is planned from assumptions, without a file."""
    values = values if "show" in values else {"measures": ["auc"]}
    problems, plan, code, warned = [], None, "", list[Any]()
    if "show" in values:
        try:
            plan, code, warned = planned(values)
        except (PauciError, MemoryError) as error:
            problems.append(form.problem_of(error, "auc"))
    return _page(
        "plan.html.j2",
        problems,
        title="Plan a study",
        root="",
        values=values,
        sentence="" if plan is None else plan.report(),
        grids=[] if plan is None else [_grid(plan.to_html())],
        code=code,
        notes=list(map(form.sentence, warned)),
    )


def study_page(study: Study, values: form.Values) -> Response:
    """Return the page of a file: its rows, the choices, and their results."""
    shared: dict[str, Any] = {"title": study.file.name, "root": "../../"}
    try:
        table, values, results = _results(study, values)
    except (PauciError, MemoryError) as error:
        problems, shared = [form.problem_of(error)], shared | _question(study, values, error)
        return _page("study.html.j2", problems, is_read=False, values=values, **shared)
    level = results.choices.level
    return _page(
        "study.html.j2",
        results.problems,
        is_read=True,
        table_of_rows=_first_rows(table),
        data=table,
        results=results,
        grids=[_grid(r.to_html(level=level)) for r in results.tables],
        query=_query(values),
        values=values,
        **_choices(table, values),
        **shared,
    )


def _choices(table: Any, values: form.Values) -> dict[str, Any]:
    """Return what the form offers to choose from."""
    columns = list(dict.fromkeys(c for c in map(str, table.columns) if c.strip()))
    n, used, scores = len(columns), table.attrs["arguments"], values["scores"]
    levels = levels_of(table, next(iter(values["label"]), None))
    units = {c: unit[0] for c in scores if (unit := unit_of(table, c)) is not None}
    orders = [] if "category" in values else [" < ".join(order_in(table, c)) for c in scores]
    query = {**values, "show": ["1"]}
    return {
        "columns": columns,
        "levels": levels,
        "names_of_levels": {text: f"{text} ({name})" for text, name, _ in levels if name},
        "style": "boxes" if n <= _MOST_BOXES else "lists" if n <= _MOST_LISTED else "typed",
        "reading": [(f, used[name] or "none") for name, f in form.READING.items() if name in used],
        "units": units,
        "texts": {c: texts_in(table, c) for c in scores},
        "orders": [(o, _query({**query, "category": [o]})) for o in orders if o],
    }


def _results(study: Study, values: form.Values) -> tuple[Any, dict[str, list[str]], Results]:
    """Return the table, the values of the form with suggestions, and their results."""
    reading = form.reading_of(values)
    table, _ = study.read(reading)
    complete, question = form.completed(values, table)
    choices = form.choices_of(complete, list(map(str, table.columns)), question)
    return table, complete, study.results(reading, choices)


def _question(study: Study, values: form.Values, error: BaseException) -> dict[str, Any]:
    """Return the variables of the page of a file that can be read in several ways, or not."""
    readings = []
    offered = study.readings(form.reading_of(values), error) if isinstance(error, Message) else ()
    for name, value, table in offered:
        words = f"“{form.label_of(name)}: {value}”"
        query = _query({**values, name: [str(value)]})
        readings.append((words, _first_rows(table, getattr(error, "rows", ())), query))
    return {
        "readings": readings,
        "reading": [(field, "") for field in form.READING.values()],
        "hidden": [(n, t) for n, texts in values.items() if n not in form.READING for t in texts],
    }


def _first_rows(table: Any, rows: Sequence[Any] | None = ()) -> dict[str, Any]:
    """Return the first rows of a table as texts, beginning with those that are doubtful."""
    first = dict.fromkeys([*(rows or ()), *table.index[:_FIRST_ROWS]])
    shown = table.loc[[row for row in first if row in table.index][:_FIRST_ROWS]]
    shown = shown.iloc[:, :_FIRST_COLUMNS].astype(object)
    labels, names = table.attrs.get("value_labels", {}), list(map(str, shown.columns))

    def cell(column: str, value: Any) -> str:
        text = f"{value:.12g}" if isinstance(value, float) else str(value)
        name = labels.get(column, {}).get(value)
        missing = value is None or str(value) in ("nan", "NaT", "<NA>")
        return "" if missing else f"{text} ({name})" if name else text

    body = [
        [str(index), *(cell(c, v) for c, v in zip(names, row, strict=True))]
        for index, row in zip(shown.index, shown.to_numpy().tolist(), strict=True)
    ]
    more = table.shape[1] - len(names)
    note = f"{more:,} more columns are not shown." if more > 0 else ""
    headings = [str(table.index.name or "row").capitalize(), *names]
    return {"caption": "First rows", "headings": headings, "rows": body, "notes": note}


def _grid(html: str) -> dict[str, Any]:
    """Return the table of a result as texts, which are laid out for the width of the page."""
    root = ET.fromstring(html)

    def texts(part: ET.Element, path: str) -> list[str]:
        return ["".join(found.itertext()) for found in part.findall(path)]

    rows = [texts(row, "*") for row in root.findall(".//tbody/tr")]
    caption, notes = (" ".join(texts(root, path)) for path in (".//caption", ".//p"))
    headings = texts(root, ".//thead/tr/th")
    return {"caption": caption, "headings": headings, "rows": rows, "notes": notes}


def _query(values: form.Values) -> str:
    return urlencode([(name, text) for name, texts in values.items() for text in texts])


# Files of the results


def download(study: Study, values: form.Values, name: str) -> Response:
    """Return a file of the results: a figure, the Word file, or the Python code."""
    stem, _, end = name.partition(".")
    try:
        results = _results(study, values)[2]
        body = None
        if results.steps and stem in results.figures and end in ("svg", "png"):
            body = results.figure(stem, end)
        elif results.steps and name == "analysis.py":
            body = results.code.encode()
        elif results.steps and name == "results.docx":
            body = _word_file(study, results)
    except (PauciError, MemoryError) as error:
        return start_page(form.problem_of(error).text, 422, "../../")
    if body is None:
        return start_page("There is no such file of these choices.", 404, "../../")
    of_file = re.sub(r"[^A-Za-z0-9_-]+", "-", PurePosixPath(study.file.name).stem).strip("-")[:60]
    header = {"Content-Disposition": f'attachment; filename="{of_file or "study"}-{name}"'}
    return Response(body, 200, {} if end == "svg" else header, _TYPES[end])


def _word_file(study: Study, results: Results) -> bytes:
    """Return a Word document with the sentences, the figures, the tables and the methods."""
    tables = [Result("", r, {"level": results.choices.level}) for r in results.tables]
    written = content(tables, Output("docx"), [f"File: {study.file.name}."])
    assert isinstance(written, bytes)
    import docx
    from docx.shared import Inches

    document, buffer = docx.Document(io.BytesIO(written)), io.BytesIO()
    first = document.paragraphs[0]
    first.insert_paragraph_before("Results", "Heading 1")
    for text in results.sentences:
        first.insert_paragraph_before(visible(text))
    for name in results.figures:
        run = first.insert_paragraph_before().add_run()
        picture = run.add_picture(io.BytesIO(results.figure(name, "png")), width=Inches(4))
        picture._inline.docPr.set("descr", visible(" ".join(results.sentences)))
        first.insert_paragraph_before(visible(results.caption(name)), "Caption")
    for note in results.notes:
        first.insert_paragraph_before(visible(note), "List Bullet")
    for heading, style, texts in zip(
        ("Methods", "References"), ("Normal", "List Number"), results.methods, strict=True
    ):
        document.add_heading(heading, 1)
        for text in texts:
            document.add_paragraph(visible(text), style)
    document.save(buffer)
    return buffer.getvalue()


# Templates


def stylesheet() -> Response:
    """Return the styles of the page."""
    return Response(_templates().get_template("app.css").render(), media_type="text/css")


def _page(
    template: str, problems: Sequence[form.FieldProblem], status: int = 0, **variables: Any
) -> Response:
    """Return a page with its problems, on which the status depends by default."""
    variables |= {"problems": problems, "invalid_fields": {p.field: p.text for p in problems}}
    text = _templates().get_template(template).render(variables).encode("utf-8", "replace")
    return Response(text, status or (422 if problems else 200), media_type="text/html")


@functools.cache
def _templates() -> jinja2.Environment:
    def short(value: object) -> Markup:
        """Return a text without its middle if it is long, which breaks between words of names."""
        text = str(value) if len(str(value)) <= 80 else f"{str(value)[:60]}...{str(value)[-10:]}"
        parts = re.split(r"(?<=[_.:/-])(?=[^\W\d])", visible(text))
        return Markup("<wbr>").join(map(escape, parts))

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pauci.cli.app", ""),
        undefined=jinja2.StrictUndefined,
        autoescape=lambda name: name is not None and not name.endswith(".css"),
        finalize=lambda value: value if isinstance(value, Markup) else visible(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"form": form, "registry": REGISTRY}
    # Control characters are kept in the values of fields.
    environment.filters |= {"short": short, "exact": lambda value: Markup(escape(str(value)))}
    return environment


def study_of(name: str, content_: bytes) -> Study:
    """Return the study of an uploaded file, whose name may be a path."""
    last = re.split(r"[\\/]", name)[-1].strip() or "file"
    return Study(FileContent(last, content_, ROOM))
