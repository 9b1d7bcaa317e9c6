"""What the text of a notebook says must be there: the numbers that it quotes, and its pictures.

The output is made anew with each build, the text is not. A cell whose picture is described must
show one. A number with a decimal point counts as quoted; it must be some printed number, rounded to
its own places, as a share or in per cent. Formulas, code and references are left alone, and so are
tables and figures that are computed, and what comes from elsewhere, such as a paper, and says so:
`[92.7]{.cited}`.
"""

import re
from collections.abc import Callable, Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[-+]?\d+)?(?!\w|\.\d)")


def numbers(text: str) -> Iterator[str]:
    """Return the numbers of a text, as they are written."""
    return (m[0] for m in NUMBER.finditer(text.replace("−", "-")) if any(c.isdigit() for c in m[0]))


def is_printed(quoted: str, printed: list[float]) -> bool:
    """Tell whether a printed number is the one that is quoted, to its own places."""
    places = len(quoted.partition(".")[2])
    value, room = float(quoted.replace(",", "")), 0.501 * 10.0**-places
    return any(abs(factor * p - value) <= room for p in printed for factor in (1.0, 100.0, 0.01))


def check(app: Sphinx, tree: nodes.document) -> None:  # noqa: ARG001
    """Warn of numbers that nothing prints, and of pictures that are not shown."""
    cells = [n for n in tree.findall(nodes.container) if "cell" in n["classes"]]
    if not cells:
        return
    for cell in cells:
        image = cell.get("cell_metadata", {}).get("mystnb", {}).get("image", {})
        if image.get("alt") and not list(cell.findall(nodes.image)):
            LOGGER.warning("a cell shows no picture: %s", image["alt"], location=cell)
    printed = [float(n.replace(",", "")) for cell in cells for n in numbers(_text(cell))]
    inside = {id(n) for cell in cells for n in cell.findall(nodes.Node)}
    for node in tree.findall(nodes.paragraph):
        if id(node) in inside or _is_within(node, _is_reference) or _is_within(node, _is_computed):
            continue
        for quoted in numbers(_prose(node)):
            if "." in quoted and not is_printed(quoted, printed):
                LOGGER.warning("no cell prints %s", quoted, location=node, type="quoted")


def _text(cell: nodes.Element) -> str:
    return "\n".join(node.astext() for node in cell.findall(nodes.Text))


def _prose(paragraph: nodes.paragraph) -> str:
    texts = paragraph.findall(nodes.Text)
    return " ".join(node.astext() for node in texts if not _is_within(node, _is_apart))


def _is_apart(node: nodes.Node) -> bool:
    apart = isinstance(node, nodes.literal | nodes.math)
    return apart or (
        isinstance(node, nodes.inline) and bool({"cited", "computed"} & {*node["classes"]})
    )


def _is_computed(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Element) and "computed" in node.get("classes", ())


def _is_reference(node: nodes.Node) -> bool:
    return isinstance(node, nodes.section) and "references" in node["ids"]


def _is_within(node: nodes.Node | None, test: Callable[[nodes.Node], bool]) -> bool:
    while node is not None and not test(node):
        node = node.parent
    return node is not None


def setup(app: Sphinx) -> dict[str, bool]:
    """Enter the check."""
    app.connect("doctree-read", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
