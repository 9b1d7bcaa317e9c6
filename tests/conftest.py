"""Settings and helpers shared by all tests."""

import gc
import random
import sys
import time
import warnings
from collections import defaultdict

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

import pauci

CASES = 4


def pytest_addoption(parser):
    group = parser.getgroup("pauci")
    group.addoption(
        "--all-cases",
        action="store_true",
        help=f"run all cases of each test function instead of {CASES} of them",
    )
    group.addoption(
        "--case-seed",
        type=int,
        help="draw the cases of each test function with this seed, instead of the same ones",
    )
    group.addoption(
        "--time-limit",
        type=float,
        help="fail tests of the default run that take more seconds of processor time",
    )


def pytest_configure(config):
    """Draw the same examples in every run; with a seed, draw more and different examples.

    Hypothesis also draws constants of the modules that are loaded from a local folder. They are not
    used, because the examples would depend on the folder and on the tests that ran before.
    """
    providers.is_local_module_file = lambda path: False  # noqa: ARG005
    seeded = config.getoption("--hypothesis-seed") is not None
    examples = 60 if seeded else 25
    settings.register_profile(
        "pauci", deadline=None, max_examples=examples, derandomize=not seeded, database=None
    )
    settings.load_profile("pauci")


def chosen(name, cases, seed):
    """Return which of the cases of a test function are run: the first, the last, some between.

    Those marked `keep`, and those of the frozen numbers, are run as well.
    """
    if seed is None:
        positions = [i * (len(cases) - 1) // (CASES - 1) for i in range(CASES)]
    else:
        positions = random.Random(f"{seed} {name}").sample(range(len(cases)), CASES)
    kept = {
        i
        for i, case in enumerate(cases)
        if case.get_closest_marker("keep") or case.get_closest_marker("frozen")
    }
    return [cases[i] for i in sorted(kept.union(positions))]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Keep a few cases of each test function, unless all or one of them are asked for."""
    if config.getoption("--all-cases") or any("[" in str(arg) for arg in config.args):
        return
    functions = defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    seed = config.getoption("--case-seed")
    kept = set()
    for name, cases in functions.items():
        kept.update(cases if len(cases) <= CASES else chosen(name, cases, seed))
    left_out = [item for item in items if item not in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item in kept]


def pytest_collection():
    """Collect without garbage collection, which would search all cases again and again."""
    gc.disable()


def pytest_collection_finish():
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """With `--time-limit`, fail a test of the default run that takes too much processor time.

    Set-up is left out, because fixtures of a module are shared by its tests. So is the first test
    that loads a large package, or for which numba compiles functions. Without the option no test
    depends on the speed of the machine.
    """
    start, loaded = time.process_time(), len(sys.modules)
    result = yield
    seconds = time.process_time() - start
    limit = item.config.getoption("--time-limit")
    if limit is None or len(sys.modules) >= loaded + 50 or not is_limited(item):
        return result
    if seconds > limit:
        pytest.fail(
            f"The test took {seconds:.1f} s of processor time, and the limit is {limit:.1f} s. "
            "Use smaller data, share results in a fixture or mark it `long`.",
            pytrace=False,
        )
    return result


def is_limited(item):
    """Whether a test belongs to the default run, with the usual number of examples."""
    others = ("long", "slow", "bench", "dask", "spark", "frozen")
    seeded = item.config.getoption("--hypothesis-seed") is not None
    return not seeded and not any(item.get_closest_marker(name) for name in others)


@pytest.fixture
def quiet():
    """Ignore warnings of the package, for data that are intentionally small or degenerate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        yield
