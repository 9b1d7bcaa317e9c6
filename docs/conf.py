"""How Sphinx builds the site: `python -m sphinx -W --keep-going -n -b html docs docs/_build/html`.

Nothing is fetched while it is built, and nothing when it is read. Output, tables, numbers and
figures are part of the pages, which `docs/extensions/write_pages.py` runs; only the reference is
computed by the build.
"""

import sys
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
autodoc_typehints = "none"  # the docstrings say more
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# Docstrings name arguments and inner modules as they name what is documented here: only names that
# start like those of classes must have an entry.
default_role = "py:obj"
nitpick_ignore_regex = [
    ("py:obj", r"(?!pauci\.\w+$)[^A-Z].*|[A-Z_]+"),
    ("py:class", r"pauci\.measures\.combination\.Combination"),
]
templates_path = ["_templates"]

# Looks

html_theme = "pydata_sphinx_theme"
html_title = f"pauci {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {name: [] for name in ("index", "start", "gallery")}
html_theme_options = {
    "logo": {"text": "pauci"},
    "show_prev_next": False,
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    # Pages of wide tables take the room of the contents on the right.
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
    """Find the public entry of a name that a docstring of an inner module mentions."""
    if node.get("refdomain") == "py" and node.get("reftype") == "obj":
        domain, where = env.get_domain("py"), node["refdoc"]
        for place in ("pauci", "pauci.measures.base"):
            target = f"{place}.{node['reftarget']}"
            found = domain.resolve_xref(env, where, app.builder, "obj", target, node, content)
            if found is not None:
                return found
    return None


def _wide(app, tree):  # noqa: ARG001
    """Mark tables of more than six columns: they scroll and do not break their lines."""
    for group in tree.findall(nodes.tgroup):
        if group["cols"] > 6:
            group.parent["classes"].append("wide")


def setup(app):
    """Enter the small things of this file."""
    app.connect("missing-reference", _public)
    app.connect("doctree-read", _wide)
