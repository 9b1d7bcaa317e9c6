"""Formulas as MathML, which browsers render without scripts, fonts or network access.

Screen readers support MathML, and it is rendered in full resolution on screen and in print.
"""

import html
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def converted(node: nodes.Element, display: str) -> str:
    """Return the formula of a node as MathML, with its LaTeX source as an attribute."""
    source = node.astext().strip()
    try:
        made = convert(source, display=display)
    except Exception as error:
        raise ExtensionError(f"{node.source}:{node.line}: no MathML of {source!r}") from error
    if "\\" in made:
        raise ExtensionError(f"{node.source}:{node.line}: {source!r} is not fully supported")
    label = html.escape(" ".join(source.split()), quote=True)
    return made.replace("<math ", f'<math data-latex="{label}" ', 1)


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line of text."""
    writer.body.append(converted(node, "inline"))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a displayed formula."""
    writer.body.append(f'<div class="formula">{converted(node, "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
