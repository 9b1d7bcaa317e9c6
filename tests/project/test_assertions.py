"""Every test asserts something: a test without an assertion passes for almost any program."""

import ast
import functools
from pathlib import Path

TESTS = Path(__file__).parents[1]


@functools.cache
def nodes():
    """Return the nodes of the syntax tree of each file of tests."""
    paths = TESTS.rglob("*.py")
    return {p: [*ast.walk(ast.parse(p.read_text(encoding="utf-8")))] for p in paths}


def calls_and_assertions(function):
    """Return the names that a function calls, and whether it asserts something itself."""
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise):
            return set(), True
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name):
                names.add(called.id)
            if isinstance(called, ast.Attribute):
                if called.attr in ("raises", "warns", "fail") or called.attr.startswith("assert_"):
                    return set(), True
                # A program that fails is an error.
                if called.attr == "run" and any(k.arg == "check" for k in node.keywords):
                    return set(), True
    return names, False


def test_every_test_asserts_something():
    """Itself, or by a call of a function that does."""
    functions = [
        (
            f"{path.relative_to(TESTS)}:{node.lineno} {node.name}",
            node.name,
            *calls_and_assertions(node),
        )
        for path, tree in nodes().items()
        for node in tree
        if isinstance(node, ast.FunctionDef)
    ]
    asserting, count = set(), -1
    while len(asserting) != count:
        count = len(asserting)
        asserting |= {
            name
            for _, name, calls, asserts in functions
            if not name.startswith("test_") and (asserts or calls & asserting)
        }
    without = [
        place
        for place, name, calls, asserts in functions
        if name.startswith("test_") and not (asserts or calls & asserting)
    ]
    assert without == []


def test_no_test_of_the_default_run_depends_on_the_clock():
    """Limits of seconds fail on a busy machine; tests/bench has ratios within one run."""
    clocks = {"perf_counter", "process_time", "timeit"}
    used = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path, tree in nodes().items()
        if path.parent.name not in ("bench", "frozen")
        for node in tree
        if (isinstance(node, ast.Attribute) and node.attr in clocks)
        or (isinstance(node, ast.alias) and node.name in clocks)
    ]
    assert used == []
