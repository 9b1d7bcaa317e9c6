"""Copies pages of other folders into the site, and translates links between files.

Sphinx reads one folder. The vignettes and some pages of the root are copied into it before each
build; symbolic links are not available on Windows and in some archives. All sources link to each
other by their paths in the repository, so that the links are valid on a code host; the build
translates them into links of the site.
"""

import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs"

PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "data/README.md": "data.md",
}
PAGES |= {f"vignettes/{p.name}": f"vignettes/{p.name}" for p in (ROOT / "vignettes").glob("*.md")}

LEFT_OUT = {".github/compatibility.md", ".github/releasing.md"}
"""Pages for maintainers, to which the site links as files."""

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|[/#])([^)#\s]+)(#[^)\s]*)?(?=\))")


def place(path: str) -> str:
    """Return the path on the site of a file of the repository."""
    return PAGES.get(path, posixpath.relpath(path, "docs"))


def relocated(text: str, path: str) -> str:
    """Return the text of the page at a path of the repository with the links of the site."""

    def renew(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1]))
        scheme = "path:" if target in LEFT_OUT else ""
        target = posixpath.relpath(place(target), posixpath.dirname(place(path)) or ".")
        return scheme + target + (match[2] or "")

    return LINK.sub(renew, text)


def copy_pages(app: "Sphinx") -> None:  # noqa: ARG001
    """Copy the pages to the folder that Sphinx reads, and delete copies of removed pages."""
    stale = set((SITE / "vignettes").glob("*.md"))
    for path, name in PAGES.items():
        source, target = ROOT / path, SITE / name
        target.parent.mkdir(exist_ok=True)
        target.write_text(relocated(source.read_text(encoding="utf-8"), path), encoding="utf-8")
        times = source.stat()
        os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
        stale.discard(target)
    for target in stale:
        target.unlink()


def contents(text: str, folder: str) -> str:
    """Return a hidden table of contents of the pages in a folder to which a page links, if any."""
    linked = dict.fromkeys(m[1] for m in LINK.finditer(text) if m[1].startswith(f"{folder}/"))
    entries = "".join(f"{page}\n" for page in linked if page.endswith(".md"))
    return f"\n```{{toctree}}\n:hidden:\n\n{entries}```\n" if entries else ""


def relocate(app: "Sphinx", name: str, content: list[str]) -> None:
    """Translate the links of a page that is stored in the folder of the site."""
    path = Path(app.env.doc2path(name))
    if path.suffix == ".md" and posixpath.normpath(f"{name}.md") not in PAGES.values():
        content[0] = relocated(content[0], f"docs/{name}.md") + contents(content[0], name)


def setup(app: "Sphinx") -> dict[str, bool]:
    """Connect both steps to the build."""
    app.connect("builder-inited", copy_pages)
    app.connect("source-read", relocate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
