"""Thinned curves: few points, all on the curve, without a visible difference."""

import numpy as np
import pytest

from pauci.drawings.style import COLUMNS, thinned_positions


@pytest.mark.parametrize("shape", ["rising", "falling", "jagged", "steep"])
def test_no_point_is_further_off_than_a_column(shape):
    rng = np.random.default_rng(3)
    n = 50_000
    x = np.sort(rng.random(n))
    x[[0, -1]] = 0, 1
    y = {
        "rising": np.sort(rng.random(n)),
        "falling": np.sort(rng.random(n))[::-1],
        "jagged": rng.random(n),
        "steep": (x > 0.3) * 1.0,
    }[shape]
    at = thinned_positions(x, y)
    assert at.size <= 4 * (COLUMNS + 1)
    assert (at[0], at[-1]) == (0, n - 1)
    assert (np.diff(at) > 0).all()
    # Every point left out has drawn ones in its own column, at most 1/1000 to the side, both at
    # and above and at and below its height: the line between them passes through that height.
    column = np.floor(x * COLUMNS)
    for c in np.unique(column):
        here, drawn = y[column == c], y[at[column[at] == c]]
        assert (drawn.min(), drawn.max()) == (here.min(), here.max())


def test_few_points_are_not_thinned():
    x = np.linspace(0, 1, COLUMNS)
    assert thinned_positions(x, x).size == COLUMNS


def test_a_vertical_line_keeps_its_ends():
    y = np.linspace(0, 1, 10_000)
    assert list(thinned_positions(np.zeros(10_000), y)) == [0, 9_999]


def test_a_part_has_the_columns_of_its_axis():
    x = np.linspace(0.2, 0.3, 50_000)
    assert thinned_positions(x, x).size <= 2 * (COLUMNS / 10 + 1)
