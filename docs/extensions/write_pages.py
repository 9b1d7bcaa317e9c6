"""Run the code of the pages and write its output into them.

Usage: python docs/extensions/write_pages.py [--check] [PAGE ...]

The pages are README.md, src/pauci/llms.txt, docs/*.md, docs/migration/*.md and vignettes/*.md.
Output, tables, numbers and figures are stored in the files, so that the pages can be read in the
repository. With `--check` nothing is written; the exit status is 1 if the content of a page differs
from what is computed.

- Blocks of ```` ```python ```` are executed in order, in one namespace for each page, in an empty
  folder with links to the folders `data` and `studies` of the repository. The printed output of a
  block follows it as a text block. If its last line is an expression, the value follows as well; a
  result or a data frame is written as a table between `<!--output-->` and `<!--end-->`. Figures are
  written to docs/images, and an image with a description follows the block.
- In ```` ```console ```` blocks the output after each line `$ pauci ...` is rewritten.
- A warning is an error, unless the block begins with ```` ```python warns ```` or
  ```` ```console warns ````; such blocks show warnings and error messages.
- Code in a comment `<!--check ... -->` is executed and not shown. It contains assertions of
  statements in the text, or draws a figure, which follows.
- Text between `<!--validation silent median-->` and `<!--end-->` is rewritten: the comment has the
  name of a number or of a table that `computed_parts.py` returns.
"""

import ast
import contextlib
import difflib
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

os.environ["MPLBACKEND"] = "Agg"

ROOT = Path(__file__).resolve().parents[2]
for _folder in ("studies", "studies/validation", "studies/scale"):
    sys.path.append(str(ROOT / _folder))

from computed_parts import part  # noqa: E402

IMAGES = ROOT / "docs" / "images"
COPIES = {"changelog.md", "contributing.md", "data.md"}
"""Pages from other folders, which the build of the site copies into docs."""

BLOCK = re.compile(
    r"(?:^```(?P<kind>python|console)(?P<warns> warns)?\n(?P<body>.*?)^```\n"
    r"(?:\n+```text\n.*?^```\n)?"
    r"(?:\n+<!--output-->\n.*?^<!--end-->\n)?"
    r"|^<!--check\n(?P<check>.*?)^-->\n)"
    r"(?P<images>(?:\n+!\[[^\]]*\]\([^)\s]*images/[^)]*\)\n)*)",
    re.M | re.S,
)
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]*)\)")
COMPUTED = re.compile(
    r"<!--(?P<words>(?!(?:output|cited|end)-->|check\s)\w[^>]*?)-->(?P<old>.*?)<!--end-->", re.S
)
ABBREVIATIONS = re.compile(r"\bAbbreviations: .*$", re.M)
"""The note for manuscripts, which the site does not display."""
SVG = {"svg.hashsalt": "pauci", "savefig.bbox": "tight"}


def pages() -> list[Path]:
    """Return the pages, README.md first."""
    own = [p for p in (ROOT / "docs").glob("*.md") if p.name not in COPIES]
    first = [ROOT / "README.md", ROOT / "src" / "pauci" / "llms.txt"]
    folders = ("docs/migration", "vignettes")
    return [*first, *sorted(own), *(p for f in folders for p in sorted((ROOT / f).glob("*.md")))]


def main(arguments: list[str]) -> int:
    """Rewrite or check pages and return the exit status."""
    os.environ["TQDM_DISABLE"] = "1"
    check = "--check" in arguments
    named = [Path(a).resolve() for a in arguments if a != "--check"]
    differs = [differences(p, write=not check) for p in named or pages()]
    print("\n".join(line for lines in differs for line in lines))
    return int(check and any(differs))


def differences(path: Path, write: bool = False) -> list[str]:
    """Run a page and return the differences from its stored output; optionally rewrite it."""
    before = path.read_text(encoding="utf-8")
    after, figures = build(before, path)
    changed = [lines.splitlines() for lines in (before, after)]
    messages = list(
        difflib.unified_diff(*changed, f"{path.name}: shown", "computed", lineterm="", n=0)
    )
    for name, drawing in figures.items():
        image = IMAGES / name
        old = image.read_text(encoding="utf-8") if image.exists() else ""
        if not same_drawing(old, drawing):
            messages.append(f"docs/images/{name} differs from the figure that is drawn")
            if write:
                IMAGES.mkdir(exist_ok=True)
                image.write_text(drawing, encoding="utf-8")
    if write:
        path.write_text(after, encoding="utf-8")
    return messages


def build(text: str, path: Path) -> tuple[str, dict[str, str]]:
    """Run the blocks of a page and return the page with their output, and its figures."""
    names: dict[str, Any] = {"__name__": "__main__"}
    figures: dict[str, str] = {}

    def renew(match: re.Match[str]) -> str:
        if match["check"] is not None:
            drawn = python(match["check"], f"{path.name}, check", names)[2]
            return f"<!--check\n{match['check']}-->\n{images(match, drawn)}"
        kind, warns, body = match["kind"], match["warns"] or "", match["body"]
        if kind == "console":
            return f"```console{warns}\n{console(body, bool(warns))}```\n{match['images']}"
        code = "\n" * text.count("\n", 0, match.start("body")) + body
        printed, table, drawn = python(code, str(path), names, bool(warns))
        block = f"```python{warns}\n{body}```\n"
        block += f"\n```text\n{printed}```\n" if printed else ""
        block += f"\n<!--output-->\n\n{table}\n\n<!--end-->\n" if table else ""
        return block + images(match, drawn)

    def images(match: re.Match[str], drawn: list[str]) -> str:
        descriptions = [alt for alt, _ in IMAGE.findall(match["images"])]
        links = ""
        for number, drawing in enumerate(drawn):
            name = f"{path.stem}-{len(figures) + 1}.svg".lower()
            figures[name] = drawing
            alt = descriptions[number] if number < len(descriptions) else ""
            links += f"\n![{alt}]({os.path.relpath(IMAGES, path.parent)}/{name})\n"
        return links

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name in ("data", "studies"):
            Path(name).symlink_to(ROOT / name, target_is_directory=True)
        page = BLOCK.sub(renew, text)
    return COMPUTED.sub(_computed, page), figures


def _computed(match: re.Match[str]) -> str:
    value = part(match["words"]).strip("\n")
    if match["old"].startswith("\n"):
        value = f"\n\n{value}\n\n"
    return f"<!--{match['words']}-->{value}<!--end-->"


def python(
    code: str, name: str, names: dict[str, Any], warns: bool = False
) -> tuple[str, str, list[str]]:
    """Run a block; return what it prints, its value as a table, and its figures."""
    tree = ast.parse(code, name)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("always" if warns else "error")
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        warnings.showwarning = _print_warning
        if last is None:
            exec(compile(tree, name, "exec"), names)
        else:
            exec(compile(ast.Module(tree.body[:-1], []), name, "exec"), names)
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
        drawn = _drawings()
    table = ""
    if hasattr(value, "to_markdown"):
        table = value.to_markdown().strip("\n")
        table = ABBREVIATIONS.sub(r'<span class="abbreviations">\g<0></span>', table)
    elif value is not None and not drawn:
        out.write(repr(value))
    return tidy(out.getvalue()), table, drawn


def _print_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    print(f"{category.__name__}: {message}")


def _drawings() -> list[str]:
    """Return the open figures as SVG, and close them."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    import matplotlib.pyplot as plt

    drawings = []
    for number in plt.get_fignums():
        out = io.StringIO()
        with plt.rc_context(SVG):
            plt.figure(number).savefig(out, format="svg", metadata={"Date": None})
        drawings.append(re.sub(r" +$", "", out.getvalue(), flags=re.M))
    plt.close("all")
    return drawings


def same_drawing(old: str, new: str) -> bool:
    """Whether two figures have the same text and the same lines, to a point of 1/72 inch."""
    if _texts(old) != _texts(new):
        return False
    a, b = _numbers(old), _numbers(new)
    return len(a) == len(b) and all(abs(x - y) <= 1.0 for x, y in zip(a, b, strict=True))


def _texts(drawing: str) -> list[str]:
    return [t for t in re.findall(r"<!-- (.*?) -->", drawing, flags=re.S) if "matplotlib" not in t]


def _numbers(drawing: str) -> list[float]:
    outside = re.sub(r"<defs>.*?</defs>", "", drawing, flags=re.S)
    paths = re.findall(r' (?:d|x|y)="([^"]*)"', outside)
    return [float(n) for path in paths for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", path)]


def console(body: str, warns: bool = False) -> str:
    """Run the commands of a block and return them with their output."""
    from pauci.cli import run

    parts = []
    for command in re.findall(r"^\$ (.*)$", body, flags=re.M):
        program, *arguments = shlex.split(command)
        if program != "pauci":
            raise ValueError(f"only pauci runs in a console block, not {command!r}.")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = run(arguments)
        if (status or err.getvalue()) and not warns:
            raise RuntimeError(f"{command!r} has exit status {status}: {err.getvalue()}")
        parts.append(f"$ {command}\n{tidy(err.getvalue() + out.getvalue())}")
    return "\n".join(parts)


def tidy(text: str) -> str:
    """Return text without blanks at the ends of lines and empty lines at its ends."""
    body = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return f"{body}\n" if body else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
