"""Every test asserts something: a test without an assertion passes for almost any program."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}
FUNCTIONS = [
    (path, node)
    for path, tree in TREES.items()
    for node in ast.walk(tree)
    if isinstance(node, ast.FunctionDef)
]


def asserts(function, helpers):
    """Return whether a function asserts something, itself or by a call of one of the helpers."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in helpers:
                return True
            if isinstance(called, ast.Attribute):
                if called.attr in ("raises", "warns", "fail") or called.attr.startswith("assert_"):
                    return True
                # A program that fails is an error.
                if called.attr == "run" and any(k.arg == "check" for k in node.keywords):
                    return True
    return False


def asserting_helpers():
    """Return the names of the functions that assert something and are not tests."""
    helpers = set()
    while True:
        found = {f.name for _, f in FUNCTIONS if not is_test(f) and asserts(f, helpers)}
        if found == helpers:
            return helpers
        helpers = found


def is_test(function):
    return function.name.startswith("test_")


def test_every_test_asserts_something():
    helpers = asserting_helpers()
    without = [
        f"{path.relative_to(TESTS)}:{function.lineno} {function.name}"
        for path, function in FUNCTIONS
        if is_test(function) and not asserts(function, helpers)
    ]
    assert without == []


def test_no_test_of_the_default_run_depends_on_the_clock():
    """Limits of seconds fail on a busy machine; tests/bench has ratios within one run."""
    clocks = {"perf_counter", "process_time", "timeit"}
    used = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path, tree in TREES.items()
        if path.parent.name not in ("bench", "frozen")
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in clocks)
        or (isinstance(node, ast.alias) and node.name in clocks)
    ]
    assert used == []
