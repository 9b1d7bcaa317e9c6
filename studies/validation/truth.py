"""True values of the measures of the study, by quadrature from the population.

The vertical area is the integral of the curve, and the horizontal area that of its inverse, so that
no identity of the package is assumed.
"""

import itertools
from collections.abc import Sequence

import numpy as np
from scipy import optimize

import pauci
from pauci.measures.base import Combination, Measure
from populations import Population

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)


def truth(population: Population, measure: Measure, prevalence: float) -> float:
    """Return the true value of a measure at a prevalence."""
    if isinstance(measure, Combination):
        a, b = (truth(population, m, prevalence) for m in measure.parts)
        return {"/": a / b, "-": a - b, "+": a + b}[measure.operation]
    share = getattr(measure, "prevalence", None) or prevalence
    if measure.key in _OTHERS:
        return _OTHERS[measure.key](population, measure, share)
    return _regional(population, measure)


def part_of_curve(population: Population, measure: Measure) -> tuple[float, float, float, float]:
    """Return FPR and TPR at the start, and at the end, of the region."""
    fpr, tpr = (getattr(measure, axis, None) for axis in ("fpr", "tpr"))
    if getattr(measure, "threshold", None) is not None:
        low, high = measure.threshold
        return (
            *(float(f(high)) for f in (population.neg_tail, population.pos_tail)),
            *(float(f(low)) for f in (population.neg_tail, population.pos_tail)),
        )
    if isinstance(fpr, tuple):
        y1, y2 = (_height(population.roc, x) for x in fpr)
        return fpr[0], y1, fpr[1], y2
    if isinstance(tpr, tuple):
        x1, x2 = (_height(population.inverse, y) for y in tpr)
        return x1, tpr[0], x2, tpr[1]
    return 0.0, 0.0, 1.0, 1.0


def inside(population: Population, measure: Measure) -> tuple[float, float]:
    """Return the proportions of positives and of negatives inside the region."""
    if isinstance(measure, Combination):
        both = [inside(population, m) for m in measure.parts]
        return min(b[0] for b in both), min(b[1] for b in both)
    if measure.key in ("sensitivity", "specificity"):
        x, y = _point(population, measure)
        return min(y, 1.0 - y), min(x, 1.0 - x)
    if measure.key == "pai":
        return 1.0 - measure.tpr, 1.0 - float(population.inverse(measure.tpr))
    if getattr(measure, "fpr", None) and getattr(measure, "tpr", None):
        return measure.tpr[1] - measure.tpr[0], measure.fpr[1] - measure.fpr[0]
    x1, y1, x2, y2 = part_of_curve(population, measure)
    return y2 - y1, x2 - x1


def _height(curve, at: float) -> float:
    return at if at in (0.0, 1.0) else float(curve(at))


def _point(population: Population, measure: Measure) -> tuple[float, float]:
    if getattr(measure, "threshold", None) is not None:
        tails = population.neg_tail, population.pos_tail
        return tuple(float(tail(measure.threshold)) for tail in tails)
    if measure.key == "sensitivity":
        return measure.fpr, float(population.roc(measure.fpr))
    return float(population.inverse(measure.tpr)), measure.tpr


def _integral(curve, low: float, high: float, cuts: Sequence[float] = ()) -> float:
    """Return an integral, with nodes concentrated near the ends of each part."""
    total = 0.0
    for a, b in itertools.pairwise([low, *sorted(c for c in cuts if low < c < high), high]):
        if b > a:
            # A double sin^2 transformation removes singular slopes at the ends.
            inner = np.sin(np.pi / 4.0 * (_NODES + 1.0)) ** 2
            share = np.sin(np.pi / 2.0 * inner) ** 2
            slope = np.sin(np.pi * inner) * np.sin(np.pi / 2.0 * (_NODES + 1.0))
            values = curve(a + (b - a) * share) * slope
            total += (b - a) * (np.pi / 2.0) ** 2 / 2.0 * float(_WEIGHTS @ values)
    return total


def _areas(population: Population, ends: Sequence[float]) -> tuple[float, float]:
    """Return the area below a part of the curve, and the area to its right."""
    x1, y1, x2, y2 = ends
    cuts = [k[0] for k in population.knots] or population.breaks
    heights = [k[1] for k in population.knots] or [float(population.roc(c)) for c in cuts]
    below = _integral(population.roc, x1, x2, cuts)
    return below, (y2 - y1) - _integral(population.inverse, y1, y2, heights)


def _regional(population: Population, measure: Measure) -> float:
    if getattr(measure, "fpr", None) and getattr(measure, "tpr", None):
        below, _ = _areas(population, part_of_curve(population, pauci.PAUC(fpr=measure.fpr)))
        _, right = _areas(population, part_of_curve(population, pauci.PAUC(tpr=measure.tpr)))
        width, height = np.diff(measure.fpr)[0], np.diff(measure.tpr)[0]
    else:
        x1, y1, x2, y2 = ends = part_of_curve(population, measure)
        below, right = _areas(population, ends)
        width, height = x2 - x1, y2 - y1
    if measure.key == "localc":
        return (below - y1 * width) / (width * height)
    if measure.key == "spa":
        vertical = measure.fpr is not None
        area, largest = (below, width) if vertical else (right, height)
        low, high = measure.fpr if vertical else measure.tpr
        chance = (high**2 - low**2) / 2.0
        chance = chance if vertical else largest - chance
        return (1.0 + (area - chance) / (largest - chance)) / 2.0
    weight = {"auc": 0.0, "pauc": 0.0, "paucc": 0.5, "partialc": 0.5, "paucx": 1.0}[measure.key]
    value = (1.0 - weight) * below + weight * right
    if getattr(measure, "normalized", False):
        value /= (1.0 - weight) * width + weight * height
    return 2.0 * value - 1.0 if getattr(measure, "rescaled", False) else value


def _ap(population: Population, measure: Measure, share: float) -> float:
    if measure.negatives:
        swapped = Population(
            population.name,
            pos_tail=None,
            neg_tail=None,
            pos_score=None,
            neg_score=None,
            knots=tuple((1.0 - y, 1.0 - x) for x, y in population.knots[::-1]),
        )
        inverse = swapped.inverse if population.knots else lambda y: 1.0 - population.roc(1.0 - y)
        share, knots, corners = 1.0 - share, swapped.knots, [1.0 - c for c in population.breaks]
    else:
        inverse, knots = population.inverse, population.knots
        corners = [float(population.roc(c)) for c in population.breaks]
    if knots:
        x, y = np.array(knots).T
        value = float(np.diff(y) @ (share * y[1:] / (share * y[1:] + (1.0 - share) * x[1:])))
    else:

        def precision(y):
            return share * y / (share * y + (1.0 - share) * inverse(y))

        last = 1.0 if population.tied == 1.0 else float(population.roc(population.tied))
        if measure.negatives and last < 1.0:
            # With swapped classes the tie has the highest score, and is called positive as a whole.
            first = 1.0 - population.tied
            value = float(precision(first)) * first + _integral(precision, first, 1.0, corners)
        else:
            value = _integral(precision, 0.0, last, corners) + share * (1.0 - last)
    return (value - share) / (1.0 - share) if measure.rescaled else value


def _kappa(x, y, share: float):
    called = share * y + (1.0 - share) * x
    return 2.0 * share * (1.0 - share) * (y - x) / (share * (1.0 - called) + (1.0 - share) * called)


def _auk(population: Population, measure: Measure, share: float) -> float:  # noqa: ARG001
    if population.knots:
        x, y = np.array(population.knots).T
        return float(np.trapezoid(_kappa(x, y, share), x))

    def kappa(x):
        return _kappa(x, population.roc(x), share)

    # Within a tie the trapezoid rule applies.
    last = population.tied
    of_the_tie = float(kappa(last)) * (1.0 - last) / 2.0
    return _integral(kappa, 0.0, last, population.breaks) + of_the_tie


def _max_kappa(population: Population, measure: Measure, share: float) -> float:  # noqa: ARG001
    if population.knots:
        x, y = np.array(population.knots).T
        return float(_kappa(x, y, share).max())

    def loss(x):
        return -float(_kappa(x, population.roc(x), share))

    grid = np.sin(np.linspace(0.0, np.pi / 2.0, 4001)[1:-1]) ** 4
    best = grid[np.argmax(_kappa(grid, population.roc(grid), share))]
    around = (best * 0.9, min(best * 1.1, 1.0))
    found = optimize.minimize_scalar(
        loss, bounds=around, method="bounded", options={"xatol": 1e-12}
    )
    return -float(found.fun)


def _initial_tpr(population: Population, measure: Measure, share: float) -> float:  # noqa: ARG001
    return truth(population, pauci.AP(rescaled=True) / pauci.AUC(rescaled=True), share)


def _sensitivity(population: Population, measure: Measure, share: float) -> float:  # noqa: ARG001
    return _point(population, measure)[1]


def _specificity(population: Population, measure: Measure, share: float) -> float:  # noqa: ARG001
    return 1.0 - _point(population, measure)[0]


def _pai(population: Population, measure: Measure, share: float) -> float:  # noqa: ARG001
    return _regional(population, pauci.PAUCx(tpr=(measure.tpr, 1.0), normalized=True))


_OTHERS = {
    "ap": _ap,
    "auk": _auk,
    "maxkappa": _max_kappa,
    "initialtpr": _initial_tpr,
    "sensitivity": _sensitivity,
    "specificity": _specificity,
    "pai": _pai,
}
