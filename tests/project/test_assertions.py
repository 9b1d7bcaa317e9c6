"""Every test asserts something: a test without an assertion passes for almost any program."""

import ast
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

TESTS = Path(__file__).parents[1]


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


@pytest.mark.long
def test_every_test_asserts_something():
    """Itself, or by a call of a function that does."""
    functions = [
        (
            f"{path.relative_to(TESTS)}:{node.lineno} {node.name}",
            node.name,
            *calls_and_assertions(node),
        )
        for path in TESTS.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
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
    used = [
        str(path.relative_to(TESTS))
        for path in TESTS.rglob("*.py")
        if path.parent.name not in ("bench", "frozen") and path.name != "conftest.py"
        if re.search(r"\b(perf_counter|process_time|timeit)\(", path.read_text(encoding="utf-8"))
    ]
    assert used == []


@pytest.mark.parametrize(
    ("limit", "markers", "seed", "fails"),
    [
        (0.0, "", None, True),
        (60.0, "", None, False),
        (None, "", None, False),
        (0.0, "long", None, False),
        (0.0, "", 7, False),
    ],
)
def test_a_test_of_the_default_run_has_a_limit_of_processor_time(limit, markers, seed, fails):
    hook = runpy.run_path(str(TESTS / "conftest.py"))["pytest_runtest_call"]
    options = {"--time-limit": limit, "--hypothesis-seed": seed}
    config = SimpleNamespace(getoption=options.get)
    item = SimpleNamespace(config=config, get_closest_marker=lambda name: name == markers)
    running = hook(item)
    next(running)
    sum(range(10**6))
    with pytest.raises(pytest.fail.Exception if fails else StopIteration) as ended:
        running.send("the result")
    assert "mark it `long`" in str(ended.value) if fails else ended.value.value == "the result"
