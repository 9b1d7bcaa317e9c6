r"""Calibration curves: the proportion of positives as a function of the predicted risk.

The isotonic regression of the label on the risk is the increasing function that fits best. It has
no tuning parameters, and its steps are the bins of a calibration diagram (Dimitriadis, Gneiting and
Jordan 2021, PNAS 118:e2016191118). Beside it, a logistic regression on a restricted cubic spline of
the log odds is a smooth curve.

The pointwise limits are percentiles of bootstrap replicates: of the isotonic regression on
resampled data (``"confidence"``), or on labels that are drawn from the risks (``"consistency"``).
The latter show which deviations from the diagonal are compatible with correct risks.
"""

from typing import Literal

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.figures.calibration import CalibrationCurve
from pauci.measures.logistic import expit, fitted
from pauci.measures.risks import Risks, risks_of
from pauci.resampling.bootstrap import Bootstrap, check_rows, scheme_of
from pauci.resampling.draws import Pool
from pauci.resampling.evaluate import Engine
from pauci.sample.ratings import Ratings

BandKind = Literal["confidence", "consistency"]

_QUANTILES = ((0.05, 0.35, 0.65, 0.95), (0.1, 0.5, 0.9))
"""Positions of the knots of the spline; fewer knots are used if these are not distinct."""

_GRID = 200
_BLOCK = 100


def calibration_curve(
    ratings: Ratings, band: BandKind, level: float, options: Bootstrap
) -> CalibrationCurve:
    """Return the calibration curve of a classifier whose scores are risks."""
    risks = risks_of(ratings.table)
    p, pos, neg = risks.p[::-1], risks.pos[::-1], risks.neg[::-1]
    draw = _resampled_fits if band == "confidence" else _consistent_fits
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draw(ratings, p, options), (tail, 1.0 - tail), axis=0)
    return CalibrationCurve(
        p,
        isotonic(p, pos, neg),
        low,
        high,
        smooth_curve(risks),
        pos / risks.share,
        neg / (1.0 - risks.share),
    )


def isotonic(p: FloatArray, pos: AnyArray, neg: AnyArray) -> FloatArray:
    """Return the isotonic regression of the label at each risk, from weights by class.

    The risks are in increasing order. At risks without any row it is interpolated linearly.
    """
    from scipy.optimize import isotonic_regression

    weight = pos + neg
    (kept,) = np.nonzero(weight > 0.0)
    fitted = isotonic_regression(pos[kept] / weight[kept], weights=weight[kept]).x
    return np.asarray(fitted if kept.size == p.size else np.interp(p, p[kept], fitted))


def _resampled_fits(ratings: Ratings, p: FloatArray, options: Bootstrap) -> FloatArray:
    """Return the isotonic regression on resampled rows, an array of shape (replicates, K)."""
    rows = ratings.rows.single_rows()
    check_rows(rows)
    pool = Pool(rows, [ratings], scheme_of(rows, options), options.seed())
    engine = Engine(pool, [])
    fits: list[FloatArray] = []
    while len(fits) < options.n_resamples:
        size = min(pool.block, options.n_resamples - len(fits))
        block = pool.drawn(len(fits) // pool.block, size)
        for ((pos, neg),) in engine.counts(block, size, _BLOCK):
            fits.append(isotonic(p, pos[::-1], neg[::-1]))
    return np.array(fits)


def _consistent_fits(ratings: Ratings, p: FloatArray, options: Bootstrap) -> FloatArray:
    """Return the isotonic regression on labels that are drawn from the risks of the rows."""
    rows = ratings.rows.single_rows()
    rng = np.random.default_rng(options.seed())
    group = p.size - 1 - ratings.codes
    mass = np.ones(group.size) if rows.mass is None else rows.mass.astype(np.float64)
    of_rows = p[group]
    fits = []
    for _ in range(options.n_resamples):
        label = rng.random(group.size) < of_rows
        pos, neg = (np.bincount(group[c], mass[c], p.size) for c in (label, ~label))
        fits.append(isotonic(p, pos, neg))
    return np.array(fits)


def smooth_curve(risks: Risks) -> tuple[FloatArray, FloatArray] | None:
    """Return risks and a logistic regression on a spline of their log odds.

    None if a risk is 0 or 1, if all risks are equal, or if the regression does not converge.
    """
    if not 0.0 < risks.p[-1] < risks.p[0] < 1.0:
        return None
    x = risks.log_odds[::-1]
    pos, weight = risks.pos[::-1], risks.all[::-1]
    knots = _knots(x, weight)
    grid = np.linspace(x[0], x[-1], _GRID)
    coefficients = fitted(_basis(x, knots), pos, weight)
    if coefficients is None:
        return None
    return expit(grid), expit(_basis(grid, knots) @ coefficients)


def _knots(x: FloatArray, weight: FloatArray) -> FloatArray:
    """Return distinct knots at quantiles of the rows; empty for a straight line."""
    shares = np.cumsum(weight) - weight / 2.0
    for quantiles in _QUANTILES:
        knots = np.interp(quantiles, shares / weight.sum(), x)
        if np.diff(knots).min() > 1e-3 * (x[-1] - x[0]):
            return np.asarray(knots)
    return np.empty(0)


def _basis(x: FloatArray, knots: FloatArray) -> FloatArray:
    """Return the columns of a restricted cubic spline, which is linear beyond the outer knots."""
    columns = [np.ones(x.size), x]
    if knots.size:
        span = (knots[-1] - knots[0]) ** 2

        def cubic(knot: float) -> FloatArray:
            return np.asarray(np.maximum(x - knot, 0.0) ** 3 / span)

        last, before = knots[-1], knots[-2]
        for knot in knots[:-2]:
            shares = (last - knot) / (last - before), (before - knot) / (last - before)
            columns.append(cubic(knot) - shares[0] * cubic(before) + shares[1] * cubic(last))
    return np.column_stack(columns)
