"""Output of the command: tables, pages and figures."""

import errno
import os
import shlex
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, get_args

import click

from pauci.checks import check_choice
from pauci.errors import InputError, PauciWarning
from pauci.files.read_table import is_for_duckdb
from pauci.sample.rows import NONE_SKIPPED
from pauci.tables.formatted_table import visible
from pauci.tables.json_document import check_writable, write_file
from pauci.tables.number_format import StyleName

_FILES = files("pauci.cli")

TABLE = tomllib.loads(_FILES.joinpath("commands.toml").read_text("utf-8"))
"""The commands, their options and the formats, which ``commands.toml`` describes."""

ENDS: dict[str, str] = TABLE["formats"]
"""Formats of the output by the suffix of the file."""

FORMATS = tuple(dict.fromkeys(ENDS.values()))
"""Formats of the output; the last ones are pages with tables, and of these two are documents."""

_PAGES, _DOCUMENTS = FORMATS[3:], FORMATS[-2:]


class Result(NamedTuple):
    """A result, its name in a JSON document (none for a single result), and its options."""

    title: str
    result: Any
    options: dict[str, Any]


class Output(NamedTuple):
    """Destination and format of results."""

    form: str = "text"
    style: StyleName = "plain"
    file: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Output":
        """Return the checked destination of the given options, before long calculations."""
        file, form, numbers = map(given.get, ("output", "format", "style"))
        check_choice("format", form or "text", FORMATS)
        check_choice("style", numbers or "plain", get_args(StyleName))
        end = Path(file or "").suffix.lower()
        if file and not form and end not in ENDS:
            raise InputError.of("output", file, f"must end in one of {', '.join(ENDS)}.")
        form = form or ENDS.get(end, "text")
        if numbers and form not in _PAGES:
            raise InputError.of("style", numbers, f"applies to tables, not to {form}.")
        if form in _DOCUMENTS:
            if ENDS.get(end) != form:
                raise InputError.of("format", form, f"needs output=FILE that ends in .{form}.")
            from pauci.tables.documents import check_installed

            check_installed(form)
        if file:
            check_writable(file, "output")
        return cls(form, numbers or "plain", file)


def content(
    results: Sequence[Result], output: Output, notes: Sequence[str] = (), files: Sequence[str] = ()
) -> str | bytes:
    """Return results in the requested format: bytes of a document, or text.

    `notes` are on the `files` that were read. JSON states the files with their SHA-256, all
    warnings so far, and the command.
    """
    if output.form in _PAGES:
        from pauci.tables.documents import written

        tables = [(r.result, r.options) for r in results]
        text = written(tables, output.form, output.style, notes)
        if output.form == "html" and output.file is not None:
            # A file must be a complete page that declares its encoding.
            page = _FILES.joinpath("page.html").read_text("utf-8").rstrip()
            return page.format(text)
        return text
    if output.form == "text":
        texts = []
        for _, result, options in results:
            texts.append(result.summary(**options))
            if hasattr(result, "report"):
                texts.append(result.report(**options))
        lines = map(visible, "\n\n".join(texts).split("\n"))
        return "\n\n".join(["\n".join(lines), *map(visible, notes)])
    if output.form == "csv":
        from pauci.tables.tabular import as_csv

        return as_csv(_joined(results))
    from pauci.tables.json_document import as_json, caution_as_values, file_as_values

    data = [file_as_values(file) for file in files if Path(file).is_file()]
    found = {r.title: r.result.to_dict(**r.options) for r in results}
    warned = click.get_current_context().obj.texts.values()
    others = [caution_as_values(w) for w in warned if isinstance(w, PauciWarning)]
    for document in found.values():
        known = [caution["message"] for caution in document["cautions"]]
        document["notes"] += notes
        document["cautions"] += [w for w in others if w["message"] not in known]
        document |= {"data": data, "call": command()}
    return as_json(found if results[0].title else found[""])


def command() -> str:
    """Return the command that runs, as it is typed in a shell."""
    return shlex.join(["pauci", *click.get_current_context().obj.arguments])


def _joined(results: Sequence[Result]) -> Any:
    """Return the rows of results in one data frame.

    If the results are others than those of several classifiers, a column has their names.
    """
    frames = [r.result.to_frame(**r.options) for r in results]
    if len(frames) == 1:
        return frames[0]
    columns = [list(frame.columns) for frame in frames]
    if columns.count(columns[0]) < len(frames) or "classifier" not in columns[0]:
        for frame, result in zip(frames, results, strict=True):
            frame.insert(0, "table", result.title)
    import pandas as pd

    # Integers stay integers in a column that other tables do not have.
    frames = [f.astype(dict.fromkeys(f.select_dtypes("integer"), "Int64")) for f in frames]
    return pd.concat(frames, ignore_index=True)


def give(
    results: Sequence[Result], output: Output, notes: Sequence[str], files: Sequence[str]
) -> None:
    """Print results, or write them to a file."""
    text = content(results, output, notes, files)
    if output.form == "csv":  # which has no place for notes
        skipped = [getattr(r.result, "skipped", NONE_SKIPPED).note for r in results]
        for line in [*notes, *dict.fromkeys(filter(None, skipped))]:
            click.echo(encodable(f"pauci: {visible(line)}", sys.stderr), err=True)
    if output.file is not None:
        text = f"{text}\n".encode("utf-8", "backslashreplace") if isinstance(text, str) else text
        write_file(output.file, text, "output")
    elif isinstance(text, str):
        if output.form == "csv" and sys.stdout is not None and sys.stdout.isatty():
            # Names of columns may contain characters that control a terminal.
            text = "\n".join(map(visible, text.split("\n")))
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


def check_files(files: Sequence[str], given: Mapping[str, Any]) -> None:
    """Check the files of figures before long calculations, and that no other file is overwritten.

    An error is raised if a file is both read and written, or written twice.
    """
    written = {name: given[name] for name in ("output", "plot", "curves") if name in given}
    for name, path in written.items():
        read = [f for f in files if f != "-" and _names(f, path)]
        others = [n for n, other in written.items() if n != name and _same(other, path)]
        if read or others:
            problem = "a file that this command reads" if read else f"also the file of {others[0]}="
            raise InputError.of(name, path, f"is {problem}; choose another one.")
    figures = given.keys() & {"plot", "curves"}
    for option in sorted(figures, reverse=True):
        from pauci.drawings import style

        style.check_dpi(given.get("dpi"), style.format_of(option, given[option]))
        style.matplotlib()
        check_writable(given[option], option)
    if "dpi" in given and not figures:
        raise InputError.of("dpi", given["dpi"], "requires plot=FILE.")


def write_figure(
    given: Mapping[str, Any],
    draw: Callable[..., Any],
    *arguments: Any,
    option: str = "plot",
    **options: Any,
) -> None:
    """Draw to the file of an option, if it was given."""
    path = given.get(option)
    if path is not None:
        from pauci.drawings import style

        with style.off_screen():
            ax = draw(*arguments, **options)
        form = style.format_of(option, path)
        write_file(path, style.file_bytes(ax, form, given.get("dpi")), option)


def _names(word: str, path: str) -> bool:
    """Return whether a file, a pattern or a query reads an existing file."""
    if not is_for_duckdb(word):
        return _same(word, path)
    return Path(path).exists() and (Path(path).name in word or Path(path).match(Path(word).name))


def _same(first: str, second: str) -> bool:
    """Return whether two paths lead to one file."""
    with suppress(OSError, ValueError):
        return os.path.realpath(first) == os.path.realpath(second) or Path(first).samefile(second)
    return False
