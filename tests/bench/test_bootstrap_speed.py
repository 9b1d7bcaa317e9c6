"""Speed of the bootstrap as ratios within one run: ``python -m pytest -m bench tests/bench -s``.

The unit u is the time of ``np.bincount(rng.integers(0, n, n), minlength=n)`` at n = 10,000, one
draw of n rows with NumPy. Compiled code is loaded before the measurement.
"""

import statistics
import time
import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import pauci
from pauci.measures import AP, AUC, PAUC, PAUCc

pytestmark = pytest.mark.bench
N = 10_000
REPLICATES = 2000


def seconds(job, runs=7):
    """Return the median seconds of a job, after one run that is not counted."""
    job()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def unit(runs=201):
    rng = np.random.default_rng(1)
    return seconds(lambda: np.bincount(rng.integers(0, N, N), minlength=N), runs=runs)


def per_unit(job, runs=9):
    """Return the median time of a job, in units that are measured before each run."""
    job()
    return statistics.median(1 / unit(51) * seconds(job, runs=1) for _ in range(runs))


def sample(n, share, *, rounded, seed=2):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [round(n * share), n - round(n * share)])
    scores = [rng.normal(size=n) + y for _ in range(2)]
    if rounded:
        scores = [np.floor((s - s.min()) / (s.max() - s.min()) * 99) for s in scores]
    return pauci.Sample(y, dict(zip("ab", scores, strict=True)), design="case-control")


# Draws are slower by up to 3 microseconds (0.08 u) for some positions of the counts in memory.
JOBS = {
    "AUC": (AUC(), 0.32),
    "paired pAUC": (PAUC(fpr=(0, 0.1)), 0.32),
    "PAUCc": (PAUCc(fpr=(0, 0.1)), 0.26),
    "AP": (AP(0.1), 0.34),
}


@pytest.mark.parametrize("name", JOBS)
@pytest.mark.parametrize(("share", "rounded"), [(0.1, False), (0.5, False), (0.1, True)])
def test_a_replicate_costs_less_than_a_draw_with_numpy(name, share, rounded):
    measure, most = JOBS[name]
    data = sample(N, share, rounded=rounded)
    boot = pauci.Bootstrap(REPLICATES, rng=1)
    fewer = pauci.Bootstrap(2, rng=1)

    def run(options):
        if name.startswith("paired"):
            return pauci.compare(data, measure, variance=options)
        return pauci.estimate(data["a"], measure, options)

    each = (per_unit(lambda: run(boot)) - per_unit(lambda: run(fewer))) / (REPLICATES - 2)
    plain = share == 0.1 and not rounded
    print(f"\n{name}, {share:.0%} positives, rounded: {rounded}: {each:.2f} u")
    assert each <= most * (1 if plain else 1.3)


def test_ten_thousand_paired_replicates_at_a_thousand_rows():
    data = sample(1000, 0.1, rounded=False)
    boot = pauci.Bootstrap(10_000, rng=1)
    took = seconds(lambda: pauci.compare(data, PAUC(fpr=(0, 0.1)), variance=boot))
    print(f"\n10,000 paired pAUC replicates, n = 1000: {took:.3f} s, {took / unit():.0f} u")
    assert took <= 1500 * unit()


def test_ten_thousand_replicates_of_an_ordinal_table():
    film = pauci.datasets.load_dmist().query("modality == 'film'")
    data = pauci.Sample.from_counts(film["score"], film["positives"], film["negatives"])
    took = seconds(lambda: pauci.estimate(data, AP(), pauci.Bootstrap(10_000, rng=1)))
    print(f"\n10,000 AP replicates of DMIST: {took:.3f} s, {took / unit():.0f} u")
    assert took <= 2500 * unit()


@pytest.mark.parametrize(
    ("measure", "function", "least"),
    [(AUC(), roc_auc_score, 80), (AP(0.1), average_precision_score, 40)],
    ids=["AUC", "AP"],
)
def test_scipy_with_scikit_learn(measure, function, least):
    from scipy.stats import bootstrap

    data = sample(N, 0.1, rounded=False)["a"]
    y = data.rows.positive.astype(int)
    s = data.ratings("a").values

    def by_scipy():
        return bootstrap(
            (y, s),
            function,
            paired=True,
            vectorized=False,
            n_resamples=999,
            method="percentile",
            rng=1,
        )

    theirs = seconds(by_scipy, runs=1)
    ours = seconds(lambda: pauci.estimate(data, measure, pauci.Bootstrap(999, "cohort", rng=1)))
    print(f"\n999 resamples, n = 10,000: {theirs / ours:.0f} times faster ({ours:.3f} s)")
    assert theirs >= least * ours


def test_two_workers():
    data = sample(N, 0.1, rounded=False)["a"]
    one, two = (
        seconds(
            lambda jobs=jobs: pauci.estimate(
                data, AUC(), pauci.Bootstrap(60_000, rng=1, n_jobs=jobs)
            ),
            runs=3,
        )
        for jobs in (1, 2)
    )
    print(f"\ntwo workers: {one / two:.2f} times faster than one ({one:.2f} s)")
    assert one >= 1.5 * two


def test_memory_stays_within_the_budget():
    """Counts of all replicates at once would take 16 bytes x 200 x 1e5 groups = 320 MB and more."""
    data = sample(100_000, 0.1, rounded=False)["a"]
    boot = pauci.Bootstrap(200, rng=1)
    measures = [AUC(), PAUCc(threshold=(0, 2))]
    pauci.estimate(data, measures, pauci.Bootstrap(2, rng=1))
    tracemalloc.start()
    pauci.estimate(data, measures, boot)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"\npeak memory of 200 resamples, n = 100,000: {peak / 2**20:.0f} MB")
    assert peak <= 300 * 2**20
