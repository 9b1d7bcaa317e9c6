"""Rules for the source: imports run one way, heavy packages load on use, functions are simple."""

import ast
import functools
import graphlib
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

import pauci
from fresh_process import loaded_after

SOURCE = Path(pauci.__file__).parent
LAYERS = [
    ["installation"],
    ["errors"],
    ["checks", "progress"],
    ["number_texts"],
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
    ["__main__"],
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
MODULES = sorted(
    ".".join(p.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for p in SOURCE.rglob("*.py")
    if p.parent != SOURCE or p.stem != "__init__"
)


def room(module):
    return module.partition(".")[0]


@pytest.fixture(scope="module", autouse=True)
def parsed():
    """Parse all modules once, before the first test."""
    for module in MODULES:
        syntax_tree(module)


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


def test_public_names_are_complete_and_listed():
    assert all(hasattr(pauci, name) for name in pauci.__all__)
    assert sorted(dir(pauci)) == sorted([*pauci.__all__, "__version__"])


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


STEPS = {
    "import pauci": {*HEAVY, "pauci.results", "pauci.measures", "pauci.sample", "pauci.curve"},
    """
import numpy as np
s = pauci.Sample(np.arange(99) % 3 == 0, np.arange(99.0) % 17)
es = pauci.estimate(s, [pauci.AUC(), pauci.AP(), pauci.AUK()])
""": set(HEAVY),
    """
for e in es:
    e.interval(kind="wald")
    if e.measure in (pauci.AUC(), pauci.AUK()):
        e.interval(kind="logit"), e.test(0.1, kind="logit")
""": {"scipy", "pandas"},
    """
pair = pauci.Sample(np.arange(99) % 3 == 0, {"a": np.arange(99.0) % 17, "b": np.arange(99.0) % 23})
pauci.compare(pair, pauci.AUC()).pvalue
""": {"pandas", "statsmodels", "scipy.stats"},
    """
pauci.estimate(s, pauci.AUC(), pauci.Bootstrap(20, rng=1, n_jobs=1)).summary()
import pauci.analyses.operating_points
""": {"pandas", "statsmodels", "joblib", "tqdm"},
}
"""Steps of a program, and what must not be loaded after each of them."""


def test_modules_are_loaded_when_they_are_used():
    for loaded, unused in zip(loaded_after(STEPS), STEPS.values(), strict=True):
        assert "pauci" in loaded
        assert not loaded & unused


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
