"""Run the vignettes and rewrite what they show.

Usage: python vignettes/build.py [--check] [NAME ...]

A vignette is a Markdown page. Its python blocks run in order, in one namespace, in the repository
root. A text block after a python block holds what that block printed; it is added, rewritten or
taken away. In a console block the output after each line `$ pauci ...` is rewritten. Blocks save
figures as `vignettes/*.png`. A warning that a block does not catch is an error.

With `--check` nothing is written; the exit status is 1 if a page shows something else than its
blocks print now, or other figures than they save. Words and whole numbers must agree exactly,
decimal fractions to 1 in 1000 or to one unit of the last digit shown.
"""

import contextlib
import difflib
import io
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["MPLBACKEND"] = "Agg"

import matplotlib as mpl
import matplotlib.pyplot as plt

from pauci.cli.commands import run

ROOT = Path(__file__).resolve().parents[1]
PAGES = Path(__file__).resolve().parent
TOLERANCE = 1e-3

BLOCK = re.compile(
    r"^```(?P<kind>python|console)\n(?P<body>.*?)^```\n(?:\n*```text\n.*?^```\n)?", re.M | re.S
)
FIGURE = re.compile(r"!\[[^\]]*\]\(([^)]+\.png)\)")
NUMBER = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?)")


def main(arguments: list[str]) -> int:
    """Build or check pages and return the exit status."""
    names = [a.removesuffix(".md") for a in arguments if a != "--check"]
    pages = [PAGES / f"{n}.md" for n in names] or sorted(PAGES.glob("*.md"))
    checks = [process(page, write="--check" not in arguments) for page in pages]
    return 0 if all(checks) else 1


def process(page: Path, write: bool) -> bool:
    """Build a page, write it or compare it, and tell whether the page on disk is right."""
    with checkout() as folder:
        made = build(page)
        figures = list((folder / "vignettes").glob("*.png"))
        if write:
            page.write_text(made)
            for figure in figures:
                shutil.copy(figure, page.parent)
        shown, saved = set(FIGURE.findall(made)), {f.name for f in figures}
        problems = [f"{name} is either not shown or not saved" for name in sorted(shown ^ saved)]
        problems += [f"{n} is missing" for n in sorted(shown) if not (page.parent / n).exists()]
        problems += differences(page.read_text(), made)
    print("\n".join([f"{page.name}: {'wrong' if problems else 'right'}", *problems]))
    return not problems


@contextlib.contextmanager
def checkout() -> Iterator[Path]:
    """Work in a folder that is like the repository root, with no vignettes in it."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for entry in ROOT.iterdir():
            if not entry.name.startswith(".") and entry.name != "vignettes":
                Path(entry.name).symlink_to(entry)
        Path("vignettes").mkdir()
        yield Path(name)


def build(page: Path) -> str:
    """Run the blocks of a page and return the page with their output."""
    text = page.read_text()
    names: dict[str, Any] = {"__name__": "__main__"}

    def renew(match: re.Match[str]) -> str:
        kind, body = match["kind"], match["body"]
        if kind == "console":
            return f"```console\n{console(body)}```\n"
        lines_before = "\n" * text.count("\n", 0, match.start("body"))
        printed = python(compile(lines_before + body, str(page), "exec"), names)
        return f"```python\n{body}```\n" + (f"\n```text\n{printed}```\n" if printed else "")

    with mpl.rc_context():
        mpl.rcdefaults()
        try:
            return BLOCK.sub(renew, text)
        finally:
            plt.close("all")


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


def differences(shown: str, made: str) -> list[str]:
    """Return a diff of two pages, empty where they differ by noise in their numbers alone."""
    old, new = shown.splitlines(), made.splitlines()
    if len(old) == len(new) and all(map(same, old, new)):
        return []
    return list(difflib.unified_diff(old, new, "shown", "printed now", lineterm="", n=0))


def same(first: str, second: str) -> bool:
    """Tell whether two lines agree; the widths of columns and of rules do not matter."""
    plain = [" ".join(re.sub(r"[-=]{4,}", "----", line).split()) for line in (first, second)]
    words, others = map(NUMBER.split, plain)
    return len(words) == len(others) and all(map(close, words, others))


def close(first: str, second: str) -> bool:
    """Tell whether two words are equal, or two decimal fractions as close as they are printed."""
    places = [len(word.partition("e")[0].partition(".")[2]) for word in (first, second)]
    if first == second or not all(NUMBER.fullmatch(w) for w in (first, second)) or 0 in places:
        return first == second
    unit = 10.0 ** (int(first.partition("e")[2] or 0) - max(places))
    values = [float(word.replace(",", "")) for word in (first, second)]
    return math.isclose(*values, rel_tol=TOLERANCE, abs_tol=1.01 * unit)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
