"""Sphinx configuration: `python -m sphinx -W --keep-going -n -b html docs docs/_build/html`.

Neither the build nor the site requires network access. Output, tables, numbers and figures are
stored in the pages by `docs/extensions/write_pages.py`; the build computes only the reference.
"""

import re
import sys
import textwrap
from pathlib import Path

from docutils import nodes

HERE = Path(__file__).parent
for folder in ("../studies", "../studies/validation", "../studies/scale", "extensions"):
    sys.path.insert(0, str((HERE / folder).resolve()))

import pauci  # noqa: E402

project = "pauci"
author = "The pauci developers"
copyright = author
version = release = pauci.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "computed",
    "copied_pages",
    "mathml",
]
exclude_patterns = ["_build", "README.md"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
nitpicky = True

# Markdown

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4

# Reference

autosummary_generate = True
autodoc_typehints = "none"  # types are described in the docstrings
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# Docstrings also mark arguments and internal modules by backquotes, so only names that start with a
# capital letter must have an entry.
default_role = "py:obj"
nitpick_ignore_regex = [
    ("py:obj", r"(?!pauci\.\w+$)[^A-Z].*|[A-Z_]+"),
]
templates_path = ["_templates"]

# Appearance

html_theme = "pydata_sphinx_theme"
html_title = f"pauci {version}"
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_extra_path = ["../src/pauci/llms.txt", "../src/pauci/SKILL.md"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {name: [] for name in ("index", "start", "gallery")}
html_theme_options = {
    "logo": {
        "text": "pauci",
        "alt_text": "Logo: a ROC curve with its first part shaded",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo-dark.svg",
    },
    "show_prev_next": False,
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    # Pages with wide tables use the space of the table of contents on the right.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "comparison": [],
        "scale": [],
        "validation": [],
    },
    "footer_start": ["copyright"],
    "footer_end": [],
}
copybutton_exclude = ".linenos, .gp, .go"


def _public(app, env, node, content):
    """Resolve a name in the docstring of an internal module to its public entry."""
    if node.get("refdomain") == "py" and node.get("reftype") == "obj":
        domain, where = env.get_domain("py"), node["refdoc"]
        for place in ("pauci", "pauci.measures.base"):
            target = f"{place}.{node['reftarget']}"
            found = domain.resolve_xref(env, where, app.builder, "obj", target, node, content)
            if found is not None:
                return found
    return None


def _wide(app, tree):  # noqa: ARG001
    """Mark tables of more than six columns, which scroll and do not wrap lines."""
    for group in tree.findall(nodes.tgroup):
        if group["cols"] > 6:
            group.parent["classes"].append("wide")


def _broken(app, tree):  # noqa: ARG001
    """Break sentences in output, without the abbreviations of manuscripts; lines of tables remain.

    The browser breaks the lines of blocks without a table, at the width of the window.
    """
    for block in tree.findall(nodes.literal_block):
        if block.get("language") in ("console", "text"):
            lines = re.sub(r" *\bAbbreviations: .*", "", block.astext()).splitlines()
            tabular = [bool(re.search(r"\S {2,}\S|^[-=]{9,}$|^ *[|{]", line)) for line in lines]
            if any(tabular):
                pairs = zip(lines, tabular, strict=True)
                lines = [line if table else textwrap.fill(line, 98) for line, table in pairs]
            else:
                block["classes"].append("sentences")
            block.rawsource = "\n".join(lines)
            block.children = [nodes.Text(block.rawsource)]


def setup(app):
    """Connect the functions of this file to the build."""
    app.connect("missing-reference", _public)
    app.connect("doctree-read", _wide)
    app.connect("doctree-read", _broken)
