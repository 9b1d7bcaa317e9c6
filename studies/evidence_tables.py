"""The tables of simulations: their folder, type and numbers, and samples of common populations."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import pauci
import simulate
from pauci.intervals import analytic

FOLDER = Path(__file__).with_name("evidence")

CONTINUOUS = simulate.POPULATIONS[:-1]
ORDINAL = simulate.POPULATIONS[-1]

Table = list[Sequence[str]]
"""The header and the rows."""


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings about small regions, which are studied here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        yield


def samples(
    population: simulate.Population, sizes: tuple[int, int], replicates: int, seed: int
) -> Iterator[pauci.Sample]:
    """Draw samples, which depend only on the arguments."""
    rng = np.random.default_rng([seed, *sizes])
    labels = np.repeat([1, 0], sizes)
    for _ in range(replicates):
        yield pauci.Sample(labels, population.draw(rng, *sizes))


def holds(limits: analytic.Interval, true: float) -> bool:
    """Whether an interval contains the true value."""
    return limits.low <= true <= limits.high


def size_of(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]}/{sizes[1]}"


def number(value: float) -> str:
    text = f"{value:.1f}"
    return "0.0" if text == "-0.0" else text
