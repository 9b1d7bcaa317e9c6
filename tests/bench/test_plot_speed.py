"""Speed of figures as ratios: ``python -m pytest -m bench tests/bench/test_plot_speed.py -s``.

Curves of a million rows are thinned, so that a figure takes little longer than sorting the rows,
and drawing it takes no longer than for a few rows.
"""

import statistics
import time

import numpy as np
import pytest

import pauci
from pauci.drawings import style

pytestmark = pytest.mark.bench
N = 1_000_000
M = pauci.PAUCc(fpr=(0, 0.1))


def seconds(job, runs=5):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def data(n):
    rng = np.random.default_rng(7)
    y = rng.random(n) < 0.3
    return y, rng.normal(size=n) + y


FIGURES = {
    "roc": lambda s: pauci.plot.roc(s, M),
    "concordance": lambda s: pauci.plot.concordance(s, M),
    "precision_recall": pauci.plot.precision_recall,
    "kappa": pauci.plot.kappa,
    "hits": pauci.plot.hits,
    "ratings": pauci.plot.ratings,
}


@pytest.mark.parametrize("name", FIGURES)
def test_speed_for_a_million_rows(name):
    draw = FIGURES[name]
    y, s = data(N)
    few = data(500)

    def figure(form, *rows):
        with style.off_screen():
            return style.file_bytes(draw(pauci.Sample(*rows)), form)

    sort = seconds(lambda: np.argsort(s))
    small, large = seconds(lambda: figure("png", *few)), seconds(lambda: figure("png", y, s))
    size = len(figure("svg", y, s))
    print(f"\n{name}: {large:.2f} s, of 500 rows {small:.2f} s, argsort {sort:.2f} s")
    print(f"SVG of {size:,} bytes")
    assert large - small < 12.0 * sort
    assert size < 200_000
