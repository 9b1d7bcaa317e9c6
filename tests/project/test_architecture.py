"""Rules for the source: imports run one way, heavy packages load on use, functions are simple."""

import ast
import functools
import graphlib
import importlib
import re
from collections import Counter
from pathlib import Path

import pauci
from fresh_process import loaded_by

SOURCE = Path(pauci.__file__).parent
LAYERS = [
    ["installation"],
    ["errors"],
    ["checks", "equality", "progress"],
    ["special"],
    ["calls"],
    ["datasets"],
    ["curve"],
    ["backends"],
    ["sample", "files"],
    ["measures"],
    ["variance", "intervals"],
    ["tables"],
    ["drawings"],
    ["results", "resampling"],
    ["cautions"],
    ["fits"],
    ["inference"],
    ["analyses", "cutoffs"],
    ["readers"],
    ["plot"],
    ["report"],
    ["cli"],
]
HEAVY = [
    "scipy",
    "pandas",
    "statsmodels",
    "scipy.stats",
    "matplotlib",
    "joblib",
    "numba",
    "sklearn",
    "click",
    "jinja2",
    "narwhals",
    # Packages that an estimate does not need.
    "pauci.analyses",
    "pauci.cutoffs",
    "pauci.fits",
    "pauci.plot",
    "pauci.readers",
    "pauci.resampling",
    "pauci.tables.table",
    "pauci.results.comparison",
]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DECISIONS = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.Assert,
    ast.match_case,
)
MOST_COMPLEX = 15
MODULES = sorted(
    ".".join(p.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for p in SOURCE.rglob("*.py")
    if p.parent != SOURCE or p.stem != "__init__"
)


DRAWINGS = [f"plot.{m}" for m in ("bands", "curves", "distributions", "forest_plot", "style")]
"""Modules that draw plain numbers: results load them to draw themselves."""


def room(module):
    return "drawings" if module in DRAWINGS else module.partition(".")[0]


@functools.cache
def syntax_tree(module):
    path = SOURCE / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(module):
    """Return the modules of the package that a module imports, also those only for annotations."""
    for node in ast.walk(syntax_tree(module)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "pauci":
            base = node.module.removeprefix("pauci").lstrip(".")
            for alias in node.names:
                below = f"{base}.{alias.name}".lstrip(".")
                yield below if below in MODULES else base


def test_every_folder_has_a_layer():
    assert {room(m) for m in MODULES} == {name for layer in LAYERS for name in layer}


def test_imports_follow_the_layers():
    level = {name: i for i, layer in enumerate(LAYERS) for name in layer}
    upwards = [
        f"{module} imports {other}"
        for module in MODULES
        for other in imports(module)
        if room(other) != room(module) and level[room(other)] >= level[room(module)]
    ]
    assert upwards == []


def test_no_import_cycle_within_a_folder():
    below = {m: {*imports(m)} - {m} for m in MODULES}
    order = list(graphlib.TopologicalSorter(below).static_order())  # a cycle is an error
    assert {*order} >= {*MODULES}


def repeated(names):
    """The names that occur more than once."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def test_module_names_are_unique():
    assert not repeated(p.stem for p in SOURCE.rglob("*.py") if p.stem != "__init__")


def test_class_names_are_unique():
    """An underscore does not make another name."""
    trees = [syntax_tree(module) for module in MODULES]
    classes = [n.name for tree in trees for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    assert not repeated(name.lstrip("_") for name in classes)


def decisions(node):
    """Return the number of decisions at a node of a syntax tree, without those below it."""
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return int(isinstance(node, DECISIONS))


def complexity(function):
    """Return McCabe's number of a function: decisions plus 1, without nested functions."""
    nodes, number = list(function.body), 1
    while nodes:
        node = nodes.pop()
        if not isinstance(node, FUNCTIONS):
            number += decisions(node)
            nodes += ast.iter_child_nodes(node)
    return number


def test_complexity_is_that_of_mccabe():
    (function,) = ast.parse(
        """
def f(x):
    assert x                                    # 1
    def inner():                                # counted as a function of its own
        return 1 if x else 2
    for i in x:                                 # 2
        while i and (i > 1 or i < 0):           # 3, and 2 operators
            try:
                y = [j for j in i if j if -j]   # 6, and 2 conditions
            except ValueError:                  # 9
                y = 2 if x else 3               # 10
            else:
                y = lambda z: z or i            # 11
        else:
            pass
    with x:
        match x:
            case 1:                             # 12
                pass
            case _:                             # 13
                if x:                           # 14
                    pass
                elif y:                         # 15
                    pass
"""
    ).body
    assert complexity(function) == 1 + 15
    assert complexity(function.body[1]) == 1 + 1


def test_functions_are_not_complex():
    found = [
        f"{module}.{node.name}, line {node.lineno}: {complexity(node)}"
        for module in MODULES
        for node in ast.walk(syntax_tree(module))
        if isinstance(node, FUNCTIONS) and complexity(node) > MOST_COMPLEX
    ]
    assert found == []


def test_importing_the_package_loads_no_heavy_packages():
    assert not loaded_by("import pauci").intersection(HEAVY)


def test_public_names_are_complete():
    for name in pauci.__all__:
        assert hasattr(pauci, name)
    assert len(set(pauci.__all__)) == len(pauci.__all__)


def test_only_public_names_are_listed():
    assert set(dir(pauci)) == {*pauci.__all__, "__version__"}


def test_no_folder_has_the_name_of_a_public_function():
    for name in {m.partition(".")[0] for m in MODULES}:
        assert importlib.import_module(f"pauci.{name}") is getattr(pauci, name)


def test_tests_and_docs_import_no_test_modules():
    root = Path(__file__).parents[2]
    for path in [
        p for folder in ("tests", "docs", "studies") for p in (root / folder).rglob("*.py")
    ]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) (test_|tests\.)", text, flags=re.M), path


def test_tests_mirror_the_folders():
    folders = {p.name for p in (Path(__file__).parents[1]).iterdir() if p.is_dir()}
    packages = {p.name for p in SOURCE.iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert packages <= folders


def test_a_first_estimate_loads_no_heavy_packages():
    estimating = (
        "import numpy as np, pauci\n"
        "s = pauci.Sample(np.arange(99) % 3 == 0, np.arange(99.0) % 17)\n"
        "pauci.estimate(s, [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.4)), pauci.AP(), pauci.AUK()])\n"
    )
    assert not loaded_by(estimating).intersection(HEAVY)


def test_importing_the_package_loads_no_statistics():
    """Public names are imported on first use."""
    loaded = {m for m in loaded_by("import pauci") if m.startswith("pauci.")}
    assert {room(m.removeprefix("pauci.")) for m in loaded} <= {
        "calls",
        "checks",
        "errors",
    }


def test_texts_are_read_and_written_with_an_encoding():
    """The default encoding differs between systems."""
    without = [
        f"{module}: {ast.unparse(node)}"
        for module in MODULES
        for node in ast.walk(syntax_tree(module))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "read_text"
        if not node.args and "encoding" not in {k.arg for k in node.keywords}
    ]
    assert without == []
