"""Speed and memory as ratios within one run: ``python -m pytest -m bench tests/bench -s``.

Every ratio is the median of seven runs from raw arrays, including `Sample` and its validation, on
new copies. The first line of the output names the processor.
"""

import platform
import statistics
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import pauci
from pauci.calls import validate_call

pytestmark = pytest.mark.bench
M = pauci.PAUCc(fpr=(0, 0.1))
N = 1_000_000


def processor():
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            v
            for v in cpuinfo.read_text(encoding="utf-8").splitlines()
            if v.startswith("model name")
        ]
        return names[0].partition(":")[2].strip() if names else platform.machine()
    return platform.processor() or platform.machine()


def data(prevalence, rounded):
    rng = np.random.default_rng(7)
    y = rng.random(N) < prevalence
    scores = [rng.normal(size=N) + y for _ in range(2)]
    if rounded:
        scores = [np.floor((s - s.min()) / (s.max() - s.min()) * 999) for s in scores]
    return y, *scores


def together(*jobs, runs=7):
    """Return the median seconds of several jobs, which alternate to share changes of speed."""
    times = [[] for _ in jobs]
    for _ in range(runs + 1):
        for i, (make, job) in enumerate(jobs):
            arguments = make()
            start = time.perf_counter()
            job(*arguments)
            times[i].append(time.perf_counter() - start)
    return [statistics.median(t[1:]) for t in times]


def estimate_from_arrays(y, s):
    return pauci.estimate(pauci.Sample(y, s), M).interval()


def compare_from_arrays(y, a, b):
    return pauci.compare(pauci.Sample(y, {"a": a, "b": b}), M).interval()


@pytest.mark.parametrize("rounded", [False, True], ids=["untied", "1000 values"])
@pytest.mark.parametrize("prevalence", [0.1, 0.5])
def test_speed_for_a_million_rows(prevalence, rounded, capsys):
    y, a, b = data(prevalence, rounded)
    sort, one, two, sklearn = together(
        (lambda: (a.copy(),), np.argsort),
        (lambda: (y.copy(), a.copy()), estimate_from_arrays),
        (lambda: (y.copy(), a.copy(), b.copy()), compare_from_arrays),
        (lambda: (y.copy(), a.copy()), roc_auc_score),
    )
    with capsys.disabled():
        print(
            f"\n{processor()}: n = {N:,}, {prevalence:.0%} positives, "
            f"{'1,000 values' if rounded else 'untied'}: argsort {sort * 1e3:.0f} ms, "
            f"estimate {one / sort:.2f} x, compare {two / sort:.2f} x, "
            f"scikit-learn's roc_auc_score {sklearn / sort:.2f} x"
        )
    assert one <= 2.5 * sort
    assert two <= 6.0 * sort
    if not rounded:
        assert one < sklearn


def test_outcomes_at_a_horizon(capsys):
    """Weights of Kaplan-Meier and their influence: at most three times known weights."""
    rng = np.random.default_rng(7)
    marker = rng.normal(size=N)
    event, censored = rng.exponential(8 * np.exp(-marker)), rng.exponential(15, N)
    years, died, scores = (
        np.minimum(event, censored),
        event <= censored,
        marker + rng.normal(size=N),
    )

    def sample(*data):
        return pauci.Sample.from_survival(None, *data, horizon=5)

    rows = sample(years, died, scores).rows
    estimated, known = together(
        (
            lambda: (years.copy(), died.copy(), scores.copy()),
            lambda *data: pauci.estimate(sample(*data), pauci.AUC()).interval(),
        ),
        (
            lambda: (rows.positive.copy(), scores.copy(), rows.weight.copy()),
            lambda y, s, w: pauci.estimate(pauci.Sample(y, s, weight=w), pauci.AUC()).interval(),
        ),
    )
    with capsys.disabled():
        print(
            f"\n{N:,} rows: known weights {known * 1e3:.0f} ms, weights for censoring "
            f"{estimated / known:.2f} x"
        )
    assert estimated <= 3.0 * known


@pytest.mark.parametrize("rounded", [False, True], ids=["untied", "1000 values"])
@pytest.mark.parametrize("prevalence", [0.1, 0.5])
def test_peak_memory(prevalence, rounded, capsys):
    y, a, b = data(prevalence, rounded)
    peaks = []
    for job, scores in ((estimate_from_arrays, [a]), (compare_from_arrays, [a, b])):
        tracemalloc.start()
        job(y, *scores)
        peaks.append(tracemalloc.get_traced_memory()[1] / sum(s.nbytes for s in scores))
        tracemalloc.stop()
    with capsys.disabled():
        print(f"\npeak memory in score arrays: estimate {peaks[0]:.1f}, compare {peaks[1]:.1f}")
    assert max(peaks) <= 12


SMALL = {
    "AUC": (pauci.estimate, pauci.AUC(), 1.7),
    "PAUC": (pauci.estimate, pauci.PAUC(fpr=(0, 0.1)), 2.2),
    "PAUCc": (pauci.estimate, M, 3.2),
    "AP": (pauci.estimate, pauci.AP(), 2.0),
    "AUK": (pauci.estimate, pauci.AUK(), 2.3),
    "compare": (pauci.compare, pauci.AUC(), 3.1),
}
"""Functions and measures, and the goals in units of 100 sums of squares of 200 scores."""


@pytest.mark.parametrize("name", SMALL)
def test_two_hundred_rows(name, capsys):
    """Function calls take most of the time, so the unit is that of short calls of NumPy."""
    function, measure, goal = SMALL[name]
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.3
    a, b = (rng.normal(size=200) + y for _ in "ab")
    scores = {"a": a, "b": b} if name == "compare" else a
    unit, seconds = together(
        (lambda: (a,), lambda s: [(s * s).sum() for _ in range(100)]),
        (lambda: (), lambda: function(pauci.Sample(y, scores), measure).interval()),
        runs=501,
    )
    with capsys.disabled():
        print(
            f"\n{name}, n = 200: {seconds * 1e3:.2f} ms, {seconds / unit:.2f} units (goal {goal})"
        )
    assert seconds <= goal * unit


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize(
    "region", [{"fpr": (0, 0.1)}, {"tpr": (0.8, 1)}, {"fpr": (0.1, 0.4)}], ids=str
)
def test_extended_intervals(region, capsys):
    """An estimate with its interval, relative to one without the extension of moved ends."""
    goal = 1.5
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 100)
    s, measure = rng.normal(size=200) + 1.2 * y, pauci.PAUCc(**region)

    def interval(*limits):
        e = replace(pauci.estimate(pauci.Sample(y, s), measure), **dict.fromkeys(limits))
        e.interval()

    logit, extended = together((lambda: ("limits",), interval), (lambda: (), interval), runs=501)
    with capsys.disabled():
        print(f"\nextended, n = 200: {extended / logit:.2f} x the logit one (goal {goal})")
    assert extended <= goal * logit


def test_check_of_arguments(capsys):
    """A check takes less than two short calls of NumPy; an estimate takes more than a hundred."""

    def plain(a, b=1, *, c=2):
        return a, b, c

    s, checked = np.ones(200), validate_call(plain)

    def repeated(function):
        return lambda: [function(1, c=3) for _ in range(1000)]

    unit, without, with_check = together(
        (lambda: (), lambda: [(s * s).sum() for _ in range(1000)]),
        (lambda: (), repeated(plain)),
        (lambda: (), repeated(checked)),
        runs=51,
    )
    with capsys.disabled():
        print(f"\ncheck of arguments: {(with_check - without) / unit:.2f} units (goal 2)")
    assert with_check - without <= 2 * unit


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_scan_of_fifty_regions(capsys):
    """A scan estimates its regions and simulates the largest statistic."""
    rng = np.random.default_rng(0)
    y = (rng.random(10_000) < 0.3).astype(int)
    scores = {k: y + rng.normal(size=10_000) for k in "ab"}
    ends = np.linspace(0.02, 1, 50)
    measures = [pauci.PAUCc(fpr=(0, x)) for x in ends.tolist()]
    one, scan = together(
        (lambda: (pauci.Sample(y, scores),), lambda sample: pauci.compare(sample, measures)),
        (
            lambda: (pauci.Sample(y, scores),),
            lambda sample: pauci.scan(sample, pauci.PAUCc, fpr=ends, rng=1).pvalue,
        ),
    )
    with capsys.disabled():
        print(f"\nscan of 50 regions: {scan / one:.2f} x compare of the same regions (goal 5)")
    assert scan <= 5 * one


def test_speed_of_a_thousand_groups(capsys):
    """A thousand groups of a million rows: about as long as an estimate for each group alone."""
    y, scores, _ = data(0.3, rounded=False)
    group = np.random.default_rng(8).integers(0, 1000, N)
    order = np.argsort(group, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(group))[:-1])

    def by_group(y, s):
        pauci.estimate(pauci.Sample(y, s), pauci.AUC(), by=group)

    def one_by_one(y, s):
        for rows in parts:
            pauci.estimate(pauci.Sample(y[rows], s[rows]), pauci.AUC())

    def ungrouped(y, s):
        pauci.estimate(pauci.Sample(y, s), pauci.AUC())

    def arrays():
        return y.copy(), scores.copy()

    one, grouped, apart = together(
        (arrays, ungrouped), (arrays, by_group), (arrays, one_by_one), runs=3
    )
    with capsys.disabled():
        print(
            f"\n{processor()}: 1,000 groups of n = {N:,}: {grouped / one:.1f} x the ungrouped "
            f"estimate, {grouped / apart:.2f} x an estimate for each group alone"
        )
    assert grouped <= 1.5 * apart


def test_speed_of_the_gaps_of_a_thousand_groups(capsys):
    """Gaps from all rows, and of comparisons, take at most ten times the estimates by group."""
    y, a, b = data(0.3, rounded=False)
    group = np.random.default_rng(8).integers(0, 1000, N)
    one = pauci.Sample(y, a, group=group)
    two = pauci.Sample(y, {"a": a, "b": b}, group=group)
    alone, from_all, compared = together(
        (lambda: (pauci.Sample(y, a),), lambda s: pauci.estimate(s, pauci.AUC(), by=group)),
        (
            lambda: (pauci.estimate(one, pauci.AUC(), by="group", reference="overall"),),
            lambda r: r.gaps,
        ),
        (lambda: (pauci.compare(two, pauci.AUC(), by="group"),), lambda r: r.gaps),
        runs=2,
    )
    with capsys.disabled():
        print(
            f"\n{processor()}: gaps of 1,000 groups of n = {N:,}: from all rows "
            f"{from_all / alone:.1f} x the estimates by group, of comparisons "
            f"{compared / alone:.1f} x"
        )
    assert from_all <= 10.0 * alone
    assert compared <= 10.0 * alone
