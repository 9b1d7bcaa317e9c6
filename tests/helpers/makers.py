"""Functions that create samples, and values without standard errors, for all tests.

The results depend only on the arguments: labels are drawn first, then scores.
"""

import numpy as np

import pauci
from pauci.curve.polyline import Curve

EXACT = 1e-14


def value(y, s, measure):
    """The point estimate alone, without standard errors or warnings."""
    sample = pauci.Sample(y, s)
    curve = Curve(sample.ratings("score").table)
    return measure.value(curve, measure.region.piece(curve))


def normal_scores(n_pos, n_neg, seed, shift=1.0, digits=None, shuffled=False):
    """Labels and scores N(shift * label, 1); rounded to few digits they tie."""
    rng = np.random.default_rng(seed)
    y = _labels(rng, n_pos, n_neg, shuffled)
    return y, _rounded(rng.normal(size=y.size) + shift * y, digits)


def related_scores(n_pos, n_neg, seed, spreads, digits=None, shuffled=False):
    """Labels and scores of several classifiers: a common one and noise of these spreads."""
    rng = np.random.default_rng(seed)
    y = _labels(rng, n_pos, n_neg, shuffled)
    common = rng.normal(size=y.size) + y
    return y, {
        name: _rounded(common + rng.normal(size=y.size) * spread, digits)
        for name, spread in spreads.items()
    }


def _labels(rng, n_pos, n_neg, shuffled):
    y = np.repeat([1, 0], [n_pos, n_neg])
    return rng.permutation(y) if shuffled else y


def _rounded(scores, digits):
    return scores if digits is None else np.round(scores, digits)
