"""What a page shows but does not say itself: tables of results, of measures, of options.

The block ```` ```{computed} validation summary ```` is replaced by the Markdown that `shown` makes
of its words, and {computed}`validation cells` in a line of text by these figures.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

import shown

MANY = 6
"""A table with more columns scrolls and does not break its lines."""


class Block(SphinxDirective):
    """Tables and paragraphs."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return what is shown."""
        for path in shown.FILES:
            self.env.note_dependency(str(path))
        try:
            text = shown.shown(" ".join(self.arguments[0].split()))
        except LookupError as error:
            raise self.error(f"nothing to show: {error}") from error
        made = self.parse_text_to_nodes(text)
        for node in made:
            node["classes"].append("computed")
            for group in node.findall(nodes.tgroup):
                if group["cols"] > MANY:
                    group.parent["classes"].append("wide")
        return made


class Figure(SphinxRole):
    """A figure in a line of text."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the figure."""
        for path in shown.FILES:
            self.env.note_dependency(str(path))
        try:
            return [nodes.inline(text=shown.shown(self.text), classes=["computed"])], []
        except LookupError as error:
            problem = self.inliner.reporter.error(f"nothing to show: {error}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, problem)], [problem]


def setup(app: Sphinx) -> dict[str, bool]:
    """Enter both."""
    app.add_directive("computed", Block)
    app.add_role("computed", Figure())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
