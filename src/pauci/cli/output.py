"""Output of the command: tables, pages and figures.

A command does not write to a file that it reads, even under another name.
"""

import errno
import glob
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import click

from pauci import plot
from pauci.cli.shell_syntax import SHELL
from pauci.cli.where import statements
from pauci.errors import InputError, PauciWarning
from pauci.figures import style
from pauci.intervals.analytic import ESTIMATE_KINDS
from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.measures import Measure
from pauci.sample.row_groups import NONE_SKIPPED
from pauci.sample.sample import Sample
from pauci.tables import data_frames, documents
from pauci.tables.atomic_write import check_writable, write_file
from pauci.tables.formatted_table import visible
from pauci.tables.json_document import as_json, caution_as_values
from pauci.tables.number_styles import StyleName

ENDS = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".docx": "docx",
    ".xlsx": "xlsx",
}
"""Formats of the output by the suffix of the file."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>pauci</title>
</head>
<body style="font-family:sans-serif">
{}
</body>
</html>"""


class Output(NamedTuple):
    """Destination and format of results."""

    form: str
    style: StyleName
    file: str | None


class Result(NamedTuple):
    """A result, its name in a JSON document (none for a single result), and its options."""

    title: str
    result: Any
    options: dict[str, Any]

    @property
    def frame(self) -> Any:
        """Its data frame."""
        return self.result.to_frame(**self.options)


@dataclass(frozen=True)
class DataOnly:
    """A data frame that CSV has as a part of the results."""

    frame: Any

    def to_frame(self) -> Any:
        """Return the data frame."""
        return self.frame


def content(results: Sequence[Result], output: Output) -> str | bytes:
    """Return results in the requested format: bytes of a document, or text."""
    tables, notes = [(r.result, r.options) for r in results], statements()
    if output.form == "docx":
        return documents.word_document(tables, output.style, notes)
    if output.form == "xlsx":
        return documents.excel_workbook(tables, output.style, notes)
    if output.form in documents.PAGES:
        text = documents.written(tables, output.form, output.style, notes)
        # A file must be a complete page that declares its encoding.
        return _PAGE.format(text) if output.form == "html" and output.file is not None else text
    if output.form == "text":
        return "\n\n".join([*map(_text, results), *map(visible, notes)])
    if output.form == "csv":
        return "\n\n".join(map(data_frames.as_csv, _joined(results)))
    return as_json(_documents(results))


def _documents(results: Sequence[Result]) -> dict[str, Any]:
    """Return the `to_dict` of a result, or those of several by their names.

    Each has all warnings of the command, also those about the file.
    """
    documents: list[dict[str, Any]] = [
        r.result._document(
            r.options.get("level", 0.95), r.options.get("kind"), sentence=SHELL.sentence
        )
        for r in results
    ]
    context = click.get_current_context(silent=True)
    issued: dict[str, Warning] = getattr(None if context is None else context.obj, "texts", {})
    printed = [
        caution_as_values(warning, text)
        for text, warning in issued.items()
        if isinstance(warning, PauciWarning)
    ]
    for document in documents:
        known = [caution["message"] for caution in document["cautions"]]
        document["notes"] += statements()
        document["cautions"] += [w for w in printed if w["message"] not in known]
    if not results[0].title:
        return documents[0]
    return {r.title: document for r, document in zip(results, documents, strict=True)}


def _joined(results: Sequence[Result]) -> list[Any]:
    """Return the data frames of results, joined if they have the same columns and classifiers."""
    frames = [r.frame for r in results]
    columns = [list(frame.columns) for frame in frames]
    if (
        len(frames) == 1
        or "classifier" not in columns[0]
        or columns.count(columns[0]) < len(frames)
    ):
        return frames
    import pandas as pd

    return [pd.concat(frames, ignore_index=True)]


def _text(result: Result) -> str:
    """Return the table of a result, and its sentences."""
    text = result.result.summary(**result.options)
    if hasattr(result.result, "report"):
        text += f"\n\n{result.result.report(**result.options)}"
    return "\n".join(visible(line) for line in re.split("\n", text))


def give(results: Sequence[Result], output: Output) -> None:
    """Print results, or write them to a file."""
    text = content(results, output)
    if output.form == "csv":  # which has no place for notes
        skipped = [getattr(r.result, "_skipped", NONE_SKIPPED).note for r in results]
        for line in [*statements(), *dict.fromkeys(filter(None, skipped))]:
            click.echo(encodable(f"pauci: {visible(line)}", sys.stderr), err=True)
    if output.file is not None:
        text = f"{text}\n".encode("utf-8", "backslashreplace") if isinstance(text, str) else text
        write_file(output.file, text, "output")
    elif isinstance(text, str):
        if output.form == "csv" and sys.stdout is not None and sys.stdout.isatty():
            # Names of columns may contain characters that control a terminal.
            text = "\n".join(visible(line) for line in text.split("\n"))
        write_line(text)


def write_line(text: str) -> None:
    """Print a text; an error names standard output."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    try:
        click.echo(encodable(text, sys.stdout), color=True)  # names of columns are not changed
    except OSError as error:
        raise OSError(error.errno, f"standard output: {error.strerror}") from None


def encodable(text: str, stream: Any) -> str:
    """Return a text with the characters that a stream cannot encode written as escapes."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


# Figures


@dataclass(frozen=True)
class FigureFile:
    """A figure of the results of a command: ``--plot FILE``, ``--curves FILE``, or none."""

    path: str | None
    form: str = ""
    option: str = "plot"
    dpi: int | None = None

    @classmethod
    def of(cls, path: str | None, option: str = "plot", dpi: int | None = None) -> "FigureFile":
        """Check the destination of a figure before long calculations."""
        if path is None:
            if dpi is not None and option == "plot":
                raise InputError.of("dpi", dpi, "requires --plot FILE.")
            return cls(None)
        form = style.format_of(option, path)
        style.check_dpi(dpi, form)
        style.matplotlib()
        check_writable(path, option)
        return cls(path, form, option, dpi)

    def write(self, draw: Callable[..., Any], *results: Any, **options: Any) -> None:
        """Draw with a function of `pauci.plot` or the method of a result, to the file."""
        if self.path is None:
            return
        with style.off_screen():
            ax = draw(*results, **options)
        write_file(self.path, style.file_bytes(ax, self.form, self.dpi), self.option)

    def write_estimates(
        self, sample: Any, measures: Sequence[Measure], result: Any, *, level: float, kind: Any
    ) -> None:
        """Draw the curve of a measure to the file, or a forest plot.

        A forest plot is drawn for several measures, and for folds, which have no common curve.
        """
        in_folds = isinstance(sample, Sample) and sample.rows.has_folds
        if in_folds or len(measures) > 1 or not measures[0].has_region:
            self.write(plot.forest, result, level=level, kind=kind)
            return
        # The figure shows estimates, which do not have every kind of interval of a difference.
        kind = kind if kind in (*ESTIMATE_KINDS, *BOOTSTRAP_KINDS) else None
        self.write(getattr(plot, measures[0].figure), sample, result, level=level, kind=kind)


# Files that are read

_QUERY = "duckdb:"
_QUOTED = re.compile(r"""'((?:[^']|'')*)'|"((?:[^"]|"")*)"|\$\$(.*?)\$\$""", re.DOTALL)
"""Quoted texts and names in a query, any of which may be a file."""


def refuse_overwriting(parameters: Sequence[click.Parameter], values: Mapping[str, Any]) -> None:
    """Raise an error if a file is both read and written, or written twice.

    The arguments of a command and the files of its data options are read; the files of its output
    options are written.
    """
    read, written = _files_read_and_written(parameters, values)
    existing = {name: path for name, path in written.items() if os.path.isfile(path)}  # noqa: PTH113  # False if too long
    if existing and values.get("database") is not None:
        read += _views_of(values["database"])
    for name, path in existing.items():
        if any(_names(word, path) for word in read):
            raise InputError.of(
                name, path, "is a file that this command reads; choose another one."
            )
    for (first, path), (second, other) in combinations(written.items(), 2):
        if os.path.realpath(path) == os.path.realpath(other) or _same(path, other):
            raise InputError.of(
                second, other, f"is also the file of {SHELL.option(first)}; choose another one."
            )


def _files_read_and_written(
    parameters: Sequence[click.Parameter], values: Mapping[str, Any]
) -> tuple[list[str], dict[str, str]]:
    """Return the files that a command reads, and those it writes to by the name of the option."""
    read: list[str] = []
    written: dict[str, str] = {}
    for parameter in parameters:
        value, name = values.get(str(parameter.name)), str(parameter.name)
        if value is None:
            continue
        if isinstance(parameter, click.Argument):
            read += [value] if isinstance(value, str) else value
        elif str(parameter.metavar or "").startswith("FILE"):
            if getattr(parameter, "group", None) == "Output":
                written[name] = value
            else:
                read.append(value)
    return read, written


def _names(word: str, path: str) -> bool:
    """Return whether a file, a pattern or a query of the command line names an existing file."""
    if word == "-":
        return _is_standard_input(path)
    return any(_same(file, path) for file in _files_of(word))


def _files_of(word: str) -> Iterator[str]:
    """Yield the files that a file name, a pattern or a query may refer to."""
    if word.startswith(_QUERY):
        for quoted in _QUOTED.findall(word):
            text = "".join(quoted).replace("''", "'").replace('""', '"')
            yield from _files_of(str(Path(text).expanduser()))
        return
    yield word
    if glob.has_magic(word):
        yield from glob.iglob(word, recursive=True)  # noqa: PTH207


def _views_of(database: str) -> list[str]:
    """Return the definitions of the views and macros of a database, as queries.

    There are none if it cannot be opened, for which an error is raised when it is read.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        return []
    try:
        with duckdb.connect(database, read_only=True) as connection:
            definitions = connection.execute(
                "select sql from duckdb_views() where not internal union all "
                "select macro_definition from duckdb_functions() where not internal"
            ).fetchall()
    except duckdb.Error:
        return []
    return [f"{_QUERY}{text}" for (text,) in definitions if text]


def _same(first: str, second: str) -> bool:
    """Return whether two paths lead to one file."""
    try:
        return os.path.samefile(first, second)  # noqa: PTH121
    except (OSError, ValueError):
        return False


def _is_standard_input(path: str) -> bool:
    """Return whether standard input is redirected from a file."""
    try:
        return os.path.samestat(os.fstat(sys.stdin.fileno()), os.stat(path))  # noqa: PTH116
    except (OSError, ValueError, AttributeError):  # closed, or without a descriptor
        return False
