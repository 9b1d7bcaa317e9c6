"""Run the README and rewrite what it shows.

Usage: python docs/readme.py [--check]

Its python blocks run in order, in one namespace, in the root of the repository. The text block
after a python block holds what that block printed; it is added, rewritten or taken away. In a
console block the output after each line `$ pauci ...` is rewritten. A warning is an error. With
`--check` nothing is written; the exit status is 1 if the page shows something else than is printed
now.

A figure between `<!--validation silent median-->` and `<!--end-->` is rewritten too: the first
comment holds the words by which the pages of the site ask for it (see `docs/shown.py`).
"""

import contextlib
import difflib
import io
import re
import shlex
import sys
import warnings
from pathlib import Path
from typing import Any

from pauci.cli import run

ROOT = Path(__file__).resolve().parents[1]
for _folder in ("", "validation", "scale"):
    sys.path.append(str(ROOT / "docs" / _folder))

from shown import shown  # noqa: E402

README = ROOT / "README.md"

BLOCK = re.compile(
    r"^```(?P<kind>python|console)\n(?P<body>.*?)^```\n(?:\n*```text\n.*?^```\n)?", re.M | re.S
)
FIGURE = re.compile(r"(?P<open><!--(?P<words>\w[^>]*?)-->).*?(?P<end><!--end-->)")


def main(arguments: list[str]) -> int:
    """Rewrite or check the page and return the exit status."""
    before = README.read_text(encoding="utf-8")
    with contextlib.chdir(ROOT):
        made = build(before, str(README))
    if "--check" not in arguments:
        README.write_text(made, encoding="utf-8")
        return 0
    lines = [text.splitlines() for text in (before, made)]
    print("\n".join(difflib.unified_diff(*lines, "shown", "printed now", lineterm="", n=0)))
    return int(before != made)


def build(text: str, name: str) -> str:
    """Run the blocks of a page and return the page with their output."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def renew(match: re.Match[str]) -> str:
        kind, body = match["kind"], match["body"]
        if kind == "console":
            return f"```console\n{console(body)}```\n"
        lines_before = "\n" * text.count("\n", 0, match.start("body"))
        printed = python(compile(lines_before + body, name, "exec"), names)
        return f"```python\n{body}```\n" + (f"\n```text\n{printed}```\n" if printed else "")

    return FIGURE.sub(_figure, BLOCK.sub(renew, text))


def _figure(match: re.Match[str]) -> str:
    return match["open"] + shown(match["words"]) + match["end"]


def python(code: Any, names: dict[str, Any]) -> str:
    """Run a block and return what it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(code, names)
    return tidy(out.getvalue())


def console(body: str) -> str:
    """Run the commands of a block and return them with their output."""
    parts = []
    for command in re.findall(r"^\$ (.*)$", body, flags=re.M):
        program, *arguments = shlex.split(command)
        if program != "pauci":
            raise ValueError(f"only pauci runs in a console block, not {command!r}.")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = run(arguments)
        if status or err.getvalue():
            raise RuntimeError(f"{command!r} has status {status} and says: {err.getvalue()}")
        parts.append(f"$ {command}\n{tidy(out.getvalue())}")
    return "\n".join(parts)


def tidy(text: str) -> str:
    """Return text without blanks at the ends of lines and empty lines at its ends."""
    body = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return f"{body}\n" if body else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
