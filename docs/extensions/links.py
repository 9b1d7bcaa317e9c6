"""Check the built site: links, loaded files, and images without a description.

Usage: python docs/extensions/links.py FOLDER

The target of every link within the site must exist, including its anchor. Scripts, styles, fonts
and images must be part of the site, and each image needs a description. Links to other sites are
listed and not followed. The exit status is 1 if there is any problem.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""Elements that a browser loads automatically, and the attribute with the address."""


class Page(HTMLParser):
    """The links, anchors, loaded files and images of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.undescribed: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Store the links, anchors and files of a tag."""
        values = {name: value or "" for name, value in attrs}
        self.places |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if LOADED.get(tag) in values:
            self.loaded.append(values[LOADED[tag]])
        # Without a description, Sphinx uses the name of the file.
        if tag == "img" and (
            not values.get("alt") or (" " not in values["alt"] and "." in values["alt"])
        ):
            self.undescribed.append(values.get("src", ""))


def problems_of(folder: Path) -> tuple[list[str], set[str]]:
    """Return the problems of a site, and its links to other sites."""
    # HTML files of the theme are templates, not pages.
    files = (p for p in folder.rglob("*.html") if p.relative_to(folder).parts[0] != "_static")
    pages = {path: Page(path) for path in sorted(files)}
    wrong, outside = [], set()
    for path, page in pages.items():
        name = path.relative_to(folder)
        for link in dict.fromkeys([*page.links, *page.loaded]):
            parts = urlsplit(link)
            if parts.scheme == "data" or link in ("#", ""):
                continue
            if parts.scheme or parts.netloc:
                if link in page.loaded:
                    wrong.append(f"{name} loads {link}")
                outside.add(link)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not target.is_file():
                wrong.append(f"{name} leads to {link}, which is no file")
            elif place and target in pages and place not in pages[target].places:
                wrong.append(f"{name} leads to {link}, which has no such place")
        wrong += [
            f"{name} shows {picture[:60]} without a description" for picture in page.undescribed
        ]
    for path in sorted(folder.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)", text):
            wrong.append(f"{path.relative_to(folder)} loads {link}")
    return wrong, outside


def main(arguments: list[str]) -> int:
    """Print the problems and return the exit status."""
    folder = Path(arguments[0]).resolve()
    if not (folder / "index.html").is_file():
        sys.exit(f"{folder} does not contain a site")
    wrong, outside = problems_of(folder)
    print(f"{len(outside)} links to other sites, not followed:", *sorted(outside), sep="\n  ")
    print(f"{len(wrong)} problems", *wrong, sep="\n  ")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
