"""What the command prints, or writes to a file."""

import errno
import json
import re
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import click

from pauci.results import tables
from pauci.results.output import write_file
from pauci.results.styles import StyleName

ENDS = {
    ".txt": "text", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex",
    ".html": "html", ".htm": "html", ".docx": "docx",
}  # fmt: skip
"""How the name of a file ends that holds a form."""

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
    """Where results go, and in what form."""

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


def content(results: Sequence[Result], output: Output) -> str | bytes:
    """Return results in the form asked for: bytes of a Word document, else text."""
    shown = [(r.result, r.options) for r in results]
    if output.form == "docx":
        return tables.word_document(shown, output.style)
    if output.form in tables.PAGES:
        text = tables.written(shown, output.form, output.style)
        # A file is opened by itself, so that it must say how its letters are written.
        return _PAGE.format(text) if output.form == "html" and output.file is not None else text
    if output.form == "text":
        return "\n\n".join(map(_text, results))
    if output.form == "csv" or not results[0].title:
        return "\n\n".join(tables.render(f, output.form) for f in _joined(results))
    parts = (f"{json.dumps(r.title)}: {tables.render(r.frame, 'json')}" for r in results)
    return "{" + ",\n".join(parts) + "}"


def _joined(results: Sequence[Result]) -> list[Any]:
    """Return the data frames of results: one frame, if all have the same columns and say whose."""
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
    return "\n".join(tables.visible(line) for line in re.split("\n", text))


def give(results: Sequence[Result], output: Output) -> None:
    """Print results, or write them to a file."""
    made = content(results, output)
    if output.file is not None:
        made = f"{made}\n".encode("utf-8", "backslashreplace") if isinstance(made, str) else made
        write_file(output.file, made, "output")
    elif isinstance(made, str):
        write_line(made)


def write_line(text: str) -> None:
    """Print a text, and say what is wrong where that cannot be."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    try:
        click.echo(encodable(text, sys.stdout))
    except OSError as error:
        raise OSError(error.errno, f"standard output: {error.strerror}") from None


def encodable(text: str, stream: Any) -> str:
    """Return a text whose characters a stream can take; the others are written as codes."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
