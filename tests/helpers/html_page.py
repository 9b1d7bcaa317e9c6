"""HTML pages as trees, and checks for all pages."""

import tempfile
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pauci

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}
OUTSIDE = ("http:", "https:", "//", "file:", "ftp:")


class Tree(HTMLParser):
    """Parser of HTML that rejects markup which a browser would have to repair."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = None
        self._open = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, names)
        made = ET.Element(tag, {name: value or "" for name, value in attrs})
        if self._open:
            self._open[-1].append(made)
        else:
            self.root = made
        if tag not in VOID:
            self._open.append(made)

    def handle_endtag(self, tag):
        assert self._open.pop().tag == tag

    def handle_data(self, data):
        if not self._open:
            assert not data.strip()
        elif len(self._open[-1]):
            self._open[-1][-1].tail = (self._open[-1][-1].tail or "") + data
        else:
            self._open[-1].text = (self._open[-1].text or "") + data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


def tree_of(page):
    """Parse a page; every element must be closed where it should be."""
    parser = Tree()
    parser.feed(page)
    parser.close()
    assert not parser._open
    return parser.root


def words_of(element):
    """The text of an element, with single spaces."""
    return " ".join("".join(element.itertext()).split())


def check(page):
    """Check the requirements on all pages, and return the tree."""
    assert page.startswith("<!doctype html>")
    root = tree_of(page)
    assert root.attrib["lang"] == "en"
    assert not {"iframe", "object", "embed", "link", "base", "form"} & tags(root)
    assert "script" not in tags(root)
    assert words_of(root.find("head/title"))
    for landmark in ("header", "nav", "main", "footer"):
        assert len(root.findall(f"body/{landmark}")) == 1
    check_headings(root)
    check_ids(root)
    for part in root.iter():
        assert not [n for n in part.attrib if n.startswith("on")], part.attrib
        for name in ("href", "src", "xlink:href", "style"):
            value = part.attrib.get(name, "")
            assert not value.lower().startswith((*OUTSIDE, "javascript:")), value
            assert "url(" not in value.replace("url(#", "")
    style = root.find("head/style").text
    assert "url(" not in style
    assert "@import" not in style
    for figure in root.iter("figure"):
        check_figure(figure)
    for table in root.iter("table"):
        assert words_of(table.find("caption"))
        assert all(th.attrib["scope"] in ("col", "row") for th in table.iter("th"))
        assert len({len(row) for row in table.iter("tr")}) == 1
    return root


def tags(root):
    return {part.tag for part in root.iter()}


def check_headings(root):
    """Check that there is one h1, and that no level is skipped."""
    levels = [int(p.tag[1]) for p in root.iter() if p.tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def check_ids(root):
    """Check that ids are unique, and that references are to existing ids of the same figure."""
    ids = [p.attrib["id"] for p in root.iter() if "id" in p.attrib]
    assert len(set(ids)) == len(ids)
    for scope in (root, *root.iter("svg")):
        known = {p.attrib["id"] for p in scope.iter() if "id" in p.attrib}
        for part in scope.iter():
            for name, value in part.attrib.items():
                if name in ("aria-labelledby", "aria-describedby"):
                    assert set(value.split()) <= known
                elif name == "href" and value.startswith("#"):
                    assert value[1:] in known, value
                elif "url(#" in value:
                    for piece in value.split("url(#")[1:]:
                        assert piece.partition(")")[0] in known, value


def check_figure(figure):
    """Check that a figure has a title and a description."""
    svg = figure.find("div/svg")
    assert svg.attrib["role"] == "img"
    title, description = svg.attrib["aria-labelledby"].split()
    assert svg[0].attrib["id"] == title
    assert svg[1].attrib["id"] == description
    assert words_of(svg[0])
    assert words_of(svg[1])
    assert words_of(figure.find("figcaption"))
    assert not {"style", "metadata", "script"} & tags(svg)


def section(root, name):
    """Return a section of a page."""
    return next(s for s in root.iter("section") if s.attrib["id"] == name)


def report_of(results, **options):
    """The page of a report of results, as a text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        pauci.write_report(results, path, **options)
        return path.read_text(encoding="utf-8")
