"""How Sphinx builds the site: `python -m sphinx -W --keep-going -n -b html docs docs/_build/html`.

Nothing is fetched while it is built, and nothing when it is read. The vignettes and other notebooks
are run from top to bottom; an error, or a warning that the page does not ask for, fails the build.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
for folder in ("validation", "scale", "extensions", "."):
    sys.path.insert(0, str(HERE / folder))

import pauci  # noqa: E402

# What the kernels of notebooks see: their own set-up and none of the user's, the command of this
# environment, no progress bars.
_settings = tempfile.TemporaryDirectory()
shutil.copytree(HERE / "kernel", Path(_settings.name) / "profile_default")
os.environ["IPYTHONDIR"] = _settings.name
for name, folder in (("PATH", sys.executable), ("PYTHONPATH", Path(pauci.__file__).parent)):
    rest = [os.environ[name]] if os.environ.get(name) else []
    os.environ[name] = os.pathsep.join([str(Path(folder).absolute().parent), *rest])
os.environ["TQDM_DISABLE"] = "1"

project = "pauci"
author = "The pauci developers"
copyright = author
version = release = pauci.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "computed",
    "elsewhere",
    "mathml",
    "notebooks",
]
exclude_patterns = ["_build", "kernel", "validation", "README.md"]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}
nitpicky = True

# Markdown and notebooks

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_show_tb = True
nb_execution_timeout = 900
nb_output_stderr = "error"  # a cell that means it says `mystnb: {output_stderr: show}`

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
    "header_links_before_dropdown": 7,
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


def _keep_pictures_inside(app):
    """Have the pictures of notebooks written below the folder of the build, not beside it."""
    folder = Path(app.doctreedir) / "jupyter_execute"
    app.env.mystnb_config = app.env.mystnb_config.copy(output_folder=str(folder))


def setup(app):
    """Enter the small things of this file."""
    app.connect("missing-reference", _public)
    app.connect("builder-inited", _keep_pictures_inside, priority=900)
