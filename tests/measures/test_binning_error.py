"""The binning error of scores in cells: never exceeds its bound, and nearly attains it."""

import contextlib
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauci
from pauci.curve.counts import tabulate
from pauci.curve.polyline import Curve
from pauci.curve.region import AxisRegion, RankRegion, ThresholdRegion
from pauci.measures.binning_error import binning_error
from pauci.measures.concordance import QUANTITIES, GroupMeasure
from registry import instances

WIDTH = 10.0
"""Of a cell, on the scale of the scores."""


def curve_of(positive, scores):
    counts = int(positive.sum()), int((~positive).sum())
    return Curve(tabulate(scores, positive, None, counts, want_codes=False)[0])


def measures_on(region, cells):
    """Return all measures in all forms that accept a region."""
    spread = WIDTH * cells
    made = []
    for make in instances():
        own = [b * spread for b in region] if make.args[1] == "threshold" else region
        with contextlib.suppress(pauci.InputError):
            made.append(make(own))
    low, high = (Fraction(b).limit_denominator(1000) for b in region)
    for quantity in QUANTITIES:
        regions = [AxisRegion("fpr", low, high), AxisRegion("tpr", low, high)]
        regions += [RankRegion(low, high), ThresholdRegion(*(b * spread for b in region))]
        made += [GroupMeasure(quantity, r) for r in regions]
    made += [pauci.PAUCc(fpr=region) / pauci.AUC(), pauci.AUC() - pauci.AP()]
    return made


class Cells:
    """Rows in cells, with known labels and extreme scores of each cell."""

    def __init__(self, rng, sizes):
        self.rng, self.count = rng, len(sizes)
        self.cell = np.repeat(np.arange(self.count), sizes)
        self.positive = rng.random(self.cell.size) < rng.uniform(0.3, 0.7)
        self.positive[:2] = True, False
        self.low = WIDTH * np.arange(self.count) + rng.integers(0, 3, self.count)
        self.high = np.where(
            np.array(sizes) > 1, self.low + rng.integers(3, 7, self.count), self.low
        )
        self.curve = curve_of(self.positive, self.low[self.cell])
        self.tops = self.high[::-1]

    def ordered(self):
        """Return a curve of scores that is compatible with the cells."""
        rng = self.rng
        scores = np.empty(self.cell.size)
        for c in range(self.count):
            index = np.flatnonzero(self.cell == c)
            low, width = self.low[c], self.high[c] - self.low[c]
            pos, neg = index[self.positive[index]], index[~self.positive[index]]
            if rng.random() < 0.5:
                pos, neg = neg, pos
            cut = rng.integers(0, pos.size + 1) if rng.random() < 0.5 else pos.size
            order = np.concatenate((pos[:cut], neg, pos[cut:]))
            if rng.random() < 0.2:
                order = rng.permutation(index)
            steps = rng.random(index.size)
            if rng.random() < 0.4:
                steps = np.round(2.0 * steps) / 2.0
            steps = np.sort(steps)
            if index.size > 1:
                steps[0], steps[-1] = 0.0, 1.0
            scores[order] = low + width * steps
        return curve_of(self.positive, scores)


def value_on(measure, curve):
    try:
        value = measure.on(curve)
    except pauci.UndefinedError:
        return np.nan
    return float(value)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 6), min_size=2, max_size=4),
    st.tuples(st.integers(0, 11), st.integers(1, 12)).filter(lambda r: r[0] < r[1]),
)
@pytest.mark.long
def test_no_order_within_cells_exceeds_the_bound(seed, sizes, region):
    cells = Cells(np.random.default_rng(seed), sizes)
    measures = measures_on((region[0] / 12, region[1] / 12), cells.count)
    values = [value_on(m, cells.curve) for m in measures]
    bounds = [
        np.nan if np.isnan(v) else binning_error(m.binned_bounds, cells.curve, cells.tops, v)
        for m, v in zip(measures, values, strict=True)
    ]
    for _ in range(25):
        curve = cells.ordered()
        for measure, value, bound in zip(measures, values, bounds, strict=True):
            error = abs(value_on(measure, curve) - value)
            assert not error > bound + 1e-12, (measure, value, bound, error)


TIGHT = [
    pauci.AUC(),
    pauci.PAUC(fpr=(0.1, 0.6)),
    pauci.PAUCx(tpr=(0.3, 0.8)),
    pauci.PAUCc(fpr=(0.1, 0.6)),
    pauci.PAUCc(tpr=(0.2, 0.7), normalized=True),
    pauci.PAUCc(threshold=(12.0, 45.0)),
    pauci.LocalC(fpr=(0.1, 0.7)),
    pauci.SPA(fpr=(0, 0.3)),
    pauci.PAI(tpr=0.6),
    pauci.Sensitivity(fpr=0.2),
    pauci.Specificity(tpr=0.7),
    pauci.AP(),
    pauci.AP(negatives=True),
    pauci.AUK(),
    pauci.MaxKappa(),
]


@pytest.mark.parametrize("measure", TIGHT, ids=repr)
def test_the_bound_is_nearly_reached(measure):
    """With many rows per cell the largest error found is at least a third of the bound."""
    rng = np.random.default_rng(8)
    ratios = []
    for _ in range(2):
        cells = Cells(rng, rng.integers(20, 60, 6))
        value = value_on(measure, cells.curve)
        bound = binning_error(measure.binned_bounds, cells.curve, cells.tops, value)
        curves = [cells.ordered() for _ in range(150)] + list(extremes(cells))
        errors = [abs(value_on(measure, curve) - value) for curve in curves]
        assert np.nanmax(errors) <= bound + 1e-12
        ratios.append(bound / np.nanmax(errors))
    assert max(ratios) < 3.0


def extremes(cells):
    """Yield curves with the positives of every cell first or last, except for one cell."""
    for first in (True, False):
        for odd in range(-1, cells.count):
            for cut in (0.0, 0.5, 1.0):
                scores = np.empty(cells.cell.size)
                for c in range(cells.count):
                    index = np.flatnonzero(cells.cell == c)
                    pos, neg = index[cells.positive[index]], index[~cells.positive[index]]
                    one, other = (pos, neg) if first else (neg, pos)
                    at = round(cut * one.size) if c == odd else one.size
                    order = np.concatenate((one[:at], other, one[at:]))[::-1]
                    steps = np.linspace(0.0, 1.0, index.size)
                    scores[order] = cells.low[c] + (cells.high[c] - cells.low[c]) * steps
                yield curve_of(cells.positive, scores)


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_of_negated_scores_is_that_of_the_scores(seed):
    """If lower scores are positive, thresholds have the sign of the user's scores."""
    cells = Cells(np.random.default_rng(seed), [4, 6, 1, 5])
    lower = Curve(replace(cells.curve.table, lower_is_positive=True))
    for t in np.arange(-1.0, 45.0, 0.5):
        for above, below in (
            (pauci.Sensitivity(threshold=t), pauci.Sensitivity(threshold=-t)),
            (pauci.Youden(threshold=t), pauci.Youden(threshold=-t)),
            (pauci.PAUCc(threshold=(t, 60)), pauci.PAUCc(threshold=(-60, -t))),
            (pauci.PAUCc(threshold=(-2, t)), pauci.PAUCc(threshold=(-t, 2))),
        ):
            bounds = [
                np.nan
                if np.isnan(value := value_on(m, curve))
                else binning_error(m.binned_bounds, curve, cells.tops, value)
                for m, curve in ((above, cells.curve), (below, lower))
            ]
            assert bounds[0] == pytest.approx(bounds[1], abs=1e-15, nan_ok=True)


def test_exact_scores_have_no_binning_error():
    y = np.arange(12) % 2 == 0
    curve = curve_of(y, np.arange(12.0))
    for measure in TIGHT[:5]:
        assert (
            binning_error(measure.binned_bounds, curve, curve.table.scores, measure.on(curve))
            < 1e-15
        )
