"""The house rules: imports run one way, modules stay small, heavy packages load on use."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pauci

SOURCE = Path(pauci.__file__).parent
ORDER = [
    "errors", "validate", "masses", "sums", "table", "curve", "rows", "sample", "region",
    "layout", "kernels", "local",
    "measures.base", "measures.stripe", "measures.regional", "measures.area",
    "measures.standard", "measures.point", "measures.prevalence", "measures.precision",
    "measures.kappa", "measures.function", "measures", "covariance", "delta",
    "leave_one_out", "jackknife", "pool", "engine", "parallel", "interval", "resampled",
    "bootstrap",
    "curves",
    "simultaneous", "report", "operating", "estimates", "estimate", "comparison",
    "comparisons", "compare", "arrangements", "permutation",
    "planning", "datasets", "options", "cli",
]  # fmt: skip
HEAVY = [
    "pandas",
    "statsmodels",
    "scipy.stats",
    "matplotlib",
    "joblib",
    "numba",
    "sklearn",
    "click",
]


def modules():
    files = {p.relative_to(SOURCE).with_suffix("") for p in SOURCE.rglob("*.py")}
    names = {".".join(f.parts).removesuffix(".__init__") for f in files}
    return sorted(names - {"__init__"})


def test_every_module_has_a_place_in_the_order():
    families = [m for m in modules() if m.startswith("measures.")]
    assert set(modules()) == set(ORDER) | set(families)


@pytest.mark.parametrize("module", modules())
def test_imports_run_one_way(module):
    path = SOURCE / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("pauci"):
            continue
        base = node.module.removeprefix("pauci").lstrip(".")
        below = [f"{base}.{a.name}".lstrip(".") for a in node.names]
        for name in [b for b in below if b in ORDER] or [base]:
            assert ORDER.index(name) < ORDER.index(module), f"{module} imports {name}"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.name)
def test_modules_fit_in_the_head(path):
    assert len(path.read_text().splitlines()) <= 400


def test_importing_the_package_loads_nothing_heavy():
    code = f"import sys, pauci; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_public_names_are_complete():
    for name in pauci.__all__:
        assert hasattr(pauci, name)
    assert len(set(pauci.__all__)) == len(pauci.__all__)
