"""Simulation of fitted curves: standard errors, intervals and paired tests.

Run by studies/evidence.py.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.special import ndtr, ndtri

import pauci
import simulate
from evidence_tables import Table, holds, number, size_of
from pauci.fits import likelihood
from pauci.fits.likelihood import Binormal, Contaminated, CurveModel, Proper

MEASURES = (pauci.AUC(), pauci.PAUC(fpr=(0, 0.2)))
LABELS = ("AUC", "pAUC, FPR [0, 0.2]")
SIZES = ((50, 50), (200, 200))
SCALES = ("5 ratings", "continuous")
_REPLICATES = 120

_MISSPECIFIED = 400
_JUDGED = 400
_LOW, _HIGH, _NARROW = 0.2, 3.5, 0.6
"""Means and standard deviation of the two components of the two-peaked positives."""

_STEPS = 200
"""Steps of the curve from which measures are computed, sufficient for five correct digits."""


def _normals(rng: np.random.Generator, y: np.ndarray, a: float, b: float) -> np.ndarray:
    noise = rng.standard_normal(y.size)
    return np.where(y == 1, (a + noise) / b, noise)


def _ratios(rng: np.random.Generator, y: np.ndarray, a: float, b: float) -> np.ndarray:
    x = _normals(rng, y, a, b)
    return (x**2 - (b * x - a) ** 2) / 2.0


def _contaminated(rng: np.random.Generator, y: np.ndarray, mu: float, alpha: float) -> np.ndarray:
    shown = (y == 1) & (rng.random(y.size) < alpha)
    return rng.standard_normal(y.size) + mu * shown


MODELS: tuple[tuple[str, CurveModel, Any, Any, tuple[float, float]], ...] = (
    ("binormal", Binormal(), pauci.fit_binormal, _normals, (1.1, 0.7)),
    ("proper", Proper(), pauci.fit_proper, _ratios, (1.1, 0.7)),
    ("contaminated", Contaminated(), pauci.fit_contaminated, _contaminated, (2.0, 0.7)),
)
"""Name, model, fit function, function that draws scores, and parameters."""


def fits(replicates: int = _REPLICATES) -> dict[str, Table]:
    """Return the tables `fits`, `fits-tests`, `fits-robust` and `fits-goodness`."""
    with patch.object(likelihood, "_STEPS", _STEPS):
        return {
            "fits": alone(replicates),
            "fits-tests": paired(replicates),
            "fits-robust": covariances(_MISSPECIFIED),
            "fits-goodness": goodness(_JUDGED),
        }


def some_fits() -> dict[str, Table]:
    """Return the rows of `fits` that `--check` recomputes, because all would take too long."""
    with patch.object(likelihood, "_STEPS", _STEPS):
        return {"fits": alone(_REPLICATES, SCALES[:1])}


def alone(replicates: int, scales: Sequence[str] = SCALES) -> Table:
    """Return the accuracy of standard errors and intervals of single fits."""
    rows = []
    for seed, (name, model, fit, draw, theta) in enumerate(MODELS):
        for scale in scales:
            for sizes in SIZES:
                drawn = partial(draw, **_parameters(name, theta))
                cells = behaviour(fit, drawn, model, theta, scale, sizes, replicates, 130 + seed)
                rows.append([name, scale, size_of(sizes), *texts(_HEADER[3:], cells)])
    return [_HEADER, *rows]


def texts(header: Sequence[str], cells: Sequence[float]) -> list[str]:
    """Return percentages, and ratios in the columns SE/SD, as text."""
    pairs = zip(header, cells, strict=True)
    return [f"{x / 100.0:.3f}" if name.endswith("SE/SD") else number(x) for name, x in pairs]


_HEADER = [
    *("model", "scores", "rows"),
    *(f"{m}: {q}" for m in LABELS for q in ("SE/SD", "coverage")),
    *("at a bound, %", "no fit, %"),
]


RATED = {
    "5 ratings": (0.2, 0.4, 0.6, 0.8),
    "10 ratings": tuple(np.arange(0.1, 0.95, 0.1)),
    "4 ratings, 70% the lowest": (0.7, 0.8, 0.9),
}
"""Rating scales: the proportions of the rows of both classes together below each cut."""

MORE_SIZES = ((40, 40), (25, 400), (400, 25))
MORE_CASES = tuple(
    (model, scale, sizes)
    for model in range(len(MODELS))
    for scale in list(RATED)[1:]
    for sizes in MORE_SIZES
)


def fits_ratings(
    replicates: int = 100, cases: Sequence[tuple[int, str, tuple[int, int]]] = MORE_CASES
) -> dict[str, Table]:
    """Return the table `fits-ratings`: fits to other rating scales and to unequal sizes."""
    rows = []
    with patch.object(likelihood, "_STEPS", _STEPS):
        for i, scale, sizes in cases:
            name, model, fit, draw, theta = MODELS[i]
            drawn = partial(draw, **_parameters(name, theta))
            cells = behaviour(fit, drawn, model, theta, scale, sizes, replicates, 170 + i)
            rows.append([name, scale, size_of(sizes), *texts(_HEADER[3:], cells)])
    return {"fits-ratings": [_HEADER, *rows]}


def _parameters(name: str, theta: tuple[float, float]) -> dict[str, float]:
    """Return the parameters of a model by their names."""
    names = ("mu", "alpha") if name == "contaminated" else ("a", "b")
    return dict(zip(names, theta, strict=True))


def cuts_of(draw: Callable[..., np.ndarray], scale: str) -> np.ndarray:
    """Return the cuts of a rating scale."""
    scores = draw(np.random.default_rng(7), np.arange(200_000) % 2)
    return np.quantile(scores, RATED[scale])


def behaviour(
    fit: Callable[[pauci.Sample], Any],
    draw: Callable[..., np.ndarray],
    model: CurveModel,
    theta: tuple[float, float],
    scale: str,
    sizes: tuple[int, int],
    replicates: int,
    seed: int,
) -> list[float]:
    """Return SE/SD and coverage of each measure, and percentages at a bound and without a fit."""
    rng, y = np.random.default_rng([seed, *sizes]), np.repeat([1, 0], sizes)
    curve = likelihood.SmoothCurve(model, theta, 0.5, sizes, True)
    true = [curve.value(m) for m in MEASURES]
    cuts = None if scale == "continuous" else cuts_of(draw, scale)
    found, bound = [], 0
    for _ in range(replicates):
        scores = draw(rng, y)
        if cuts is not None:
            scores = np.digitize(scores, cuts)
        try:
            fitted = fit(pauci.Sample(y, scores))
        except pauci.UndefinedError:
            continue
        bound += any(fitted.maximum.fixed)
        found.append(pauci.estimate(fitted, MEASURES))
    cells = []
    for i, t in enumerate(true):
        values, errors = (np.array([getattr(es[i], k) for es in found]) for k in ("value", "se"))
        cells.append(100.0 * math.sqrt((errors**2).mean()) / values.std(ddof=1))
        cells.append(100.0 * np.mean([holds(es[i].interval(), t) for es in found]))
    return [*cells, 100.0 * bound / replicates, 100.0 * (1.0 - len(found) / replicates)]


def paired(replicates: int) -> Table:
    """Return the results of tests of two binormal fits to the same rows under equality."""
    rows = []
    each = [f"{m}: {q}" for m in LABELS for q in ("SE/SD", "size", "empirical SD, %")]
    for scale in SCALES:
        for correlation in (0.3, 0.8):
            for sizes in SIZES:
                cells = tests(scale, correlation, sizes, replicates, 140)
                rows.append([scale, f"{correlation:g}", size_of(sizes), *texts(each, cells)])
    return [["scores", "correlation", "rows", *each], *rows]


def tests(
    scale: str, correlation: float, sizes: tuple[int, int], replicates: int, seed: int
) -> list[float]:
    """Return SE/SD and size of paired tests, and the SD of the empirical difference in percent."""
    rng, y = np.random.default_rng([seed, *sizes]), np.repeat([1, 0], sizes)
    shape: simulate.Shape = (1.6, 1.4)
    cuts = [-0.3, 0.4, 1.0, 1.9]
    found: list[Sequence[Any]] = []
    plain: list[Sequence[Any]] = []
    for _ in range(replicates):
        noise = rng.standard_normal((2, y.size))
        noise[1] = correlation * noise[0] + math.sqrt(1.0 - correlation**2) * noise[1]
        scores = {n: simulate._shaped(z, y, shape) for n, z in zip("ab", noise, strict=True)}
        if scale != "continuous":
            scores = {n: np.digitize(s, cuts) for n, s in scores.items()}
        sample = pauci.Sample(y, scores)
        try:
            both = [pauci.fit_binormal(classifier) for classifier in sample]
        except pauci.UndefinedError:
            continue
        found.append([pauci.compare(both, m) for m in MEASURES])
        plain.append([pauci.compare(sample, m) for m in MEASURES])
    cells = []
    for i in range(len(MEASURES)):
        errors, values = (np.array([getattr(c[i], k) for c in found]) for k in ("se", "difference"))
        sd = values.std(ddof=1)
        other = np.std([c[i].difference for c in plain], ddof=1)
        size = np.mean([c[i].pvalue < 0.05 for c in found])
        cells += [100.0 * math.sqrt((errors**2).mean()) / sd, 100.0 * size, 100.0 * other / sd]
    return cells


def two_peaks(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    """Return scores with two peaks for positives, whose curve is not binormal."""
    middle = np.where(rng.random(y.size) < 0.5, _LOW, _HIGH)
    noise = rng.standard_normal(y.size)
    return np.where(y == 1, middle + _NARROW * noise, noise)


def _of_two_peaks() -> list[float]:
    """Return the AUC and the pAUC up to an FPR of 0.2 of the two-peaked population."""
    x = (np.arange(200_000) + 0.5) / 200_000
    tpr = np.mean([ndtr((m + ndtri(x)) / _NARROW) for m in (_LOW, _HIGH)], axis=0)
    return [float(tpr.mean()), float(tpr[x < 0.2].sum() / x.size)]


POPULATIONS: tuple[tuple[str, Any], ...] = (
    ("binormal", partial(_normals, a=1.1, b=0.7)),
    ("two peaks", two_peaks),
)


def covariances(replicates: int) -> Table:
    """Return the accuracy of model-based and robust errors for a correct and a wrong model."""
    each = [
        f"{m}: {kind} {q}"
        for m in LABELS
        for kind in ("model", "robust")
        for q in ("SE/SD", "coverage")
    ]
    rows = []
    for name, draw in POPULATIONS:
        for sizes in ((50, 50), (150, 300), (500, 500)):
            rng, y = np.random.default_rng([150, *sizes]), np.repeat([1, 0], sizes)
            true = _of_two_peaks()
            if draw is not two_peaks:
                curve = likelihood.SmoothCurve(Binormal(), (1.1, 0.7), 0.5, sizes, True)
                true = [curve.value(m) for m in MEASURES]
            found: dict[str, list[Any]] = {"model": [], "robust": []}
            for _ in range(replicates):
                fitted = pauci.fit_binormal(pauci.Sample(y, draw(rng, y)))
                for kind, results in found.items():
                    results.append(pauci.estimate(replace(fitted, covariance=kind), MEASURES))
            cells = []
            for i, t in enumerate(true):
                sd = np.std([es[i].value for es in found["model"]], ddof=1)
                for results in found.values():
                    error = math.sqrt(np.mean([es[i].se ** 2 for es in results]))
                    covered = np.mean([holds(es[i].interval(), t) for es in results])
                    cells += [100.0 * error / sd, 100.0 * covered]
            rows.append([name, size_of(sizes), *texts(each, cells)])
    return [["population", "rows", *each], *rows]


def goodness(replicates: int) -> Table:
    """Return how often the goodness-of-fit test rejects at 5%, by population and design."""
    rows = []
    designs = [
        ("independent rows", sizes) for sizes in ((35, 35), (150, 300), (30, 1000), (500, 500))
    ] + [
        ("weights", (150, 300)),
        ("clusters of 3", (60, 60)),
        ("clusters of 3", (240, 240)),
    ]
    for design, sizes in designs:
        cells = []
        for _, draw in POPULATIONS:
            rng, y = np.random.default_rng([160, *sizes]), np.repeat([1, 0], sizes)
            tests = [_fit_of_design(rng, y, draw, design).goodness for _ in range(replicates)]
            cells.append(100.0 * np.mean([t.rejected for t in tests]))
        rows.append([design, size_of(sizes), *map(number, cells)])
    return [["design", "rows", *(f"{name}: rejected, %" for name, _ in POPULATIONS)], *rows]


def _fit_of_design(rng: np.random.Generator, y: np.ndarray, draw: Any, design: str) -> Any:
    """Return a fit to weighted rows, or to clusters of three rows that correlate by .6."""
    scores = draw(rng, y)
    if design == "weights":
        return pauci.fit_binormal(pauci.Sample(y, scores, weight=rng.lognormal(0.0, 0.7, y.size)))
    if design != "independent rows":
        cluster = np.arange(y.size) // 3
        shared = draw(rng, y[::3])[cluster]
        scores = np.where(rng.random(y.size) < 0.6, shared, scores)
        return pauci.fit_binormal(pauci.Sample(y, scores, cluster=cluster))
    return pauci.fit_binormal(pauci.Sample(y, scores))
