"""Tables of the reference that the build computes: measures, and options of the command line.

The block ```` ```{computed} measures estimand ```` is replaced by the Markdown that
`computed_parts` returns for its argument.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import computed_parts


class Block(SphinxDirective):
    """Tables and paragraphs."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the content of the table."""
        for path in computed_parts.FILES:
            self.env.note_dependency(str(path))
        try:
            text = computed_parts.part(" ".join(self.arguments[0].split()))
        except LookupError as error:
            raise self.error(f"no such part: {error}") from error
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("computed", Block)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
