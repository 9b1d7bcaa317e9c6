"""Central moments from blocks, against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.variance.moments import BlockMoments, Moments

NUMBERS = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


def exact(values, copies, power):
    """Return the sum of a power of the deviations, in exact arithmetic."""
    x = [Fraction(v) for v in values.tolist()]
    total = sum(copies)
    mean = sum(c * v for c, v in zip(copies, x, strict=True)) / total
    return sum(c * (v - mean) ** power for c, v in zip(copies, x, strict=True))


@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(0, 4)), min_size=1, max_size=30).filter(
        lambda rows: any(row[2] for row in rows)
    ),
    st.integers(1, 7),
    st.booleans(),
)
def test_moments_of_blocks_are_those_of_all_values(rows, block, counted):
    a, b, copies = (np.array(column) for column in zip(*rows, strict=True))
    if not counted:
        copies = np.ones(a.size, dtype=int)
    moments = BlockMoments()
    for i in range(0, a.size, block):
        part = slice(i, i + block)
        units = float(copies[part].sum())
        moments.add([a[part], b[part]], copies[part] if counted else None, units)
    result = moments.combined()
    assert result.units == copies.sum()
    for i, values in enumerate((a, b)):
        scale = [float(exact(values, copies.tolist(), p)) for p in (2, 4)]
        assert result.products[i][i] == pytest.approx(scale[0], rel=1e-12, abs=1e-20)
        third = float(exact(values, copies.tolist(), 3))
        assert result.third[i] == pytest.approx(third, rel=1e-9, abs=1e-9 * (1 + scale[1]))
        assert result.fourth[i] == pytest.approx(scale[1], rel=1e-11, abs=1e-15)
    cross = (exact(a + b, copies.tolist(), 2) - exact(a - b, copies.tolist(), 2)) / 4
    assert result.products[0][1] == pytest.approx(float(cross), rel=1e-9, abs=1e-5)
    assert result.products[1][0] == result.products[0][1]


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=2, max_size=20), st.booleans())
def test_products_that_are_not_required_are_0(rows, counted):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    copies = np.arange(1, len(rows) + 1) if counted else None
    moments = [BlockMoments(), BlockMoments(joint=2)]
    for m in moments:
        m.add(columns, copies, float(len(rows) if copies is None else copies.sum()))
    all_moments, some = (m.combined() for m in moments)
    found, expected = np.array(some.products), np.array(all_moments.products)
    assert not found[2, :2].any()
    assert not found[:2, 2].any()
    assert found[:2, :2].tolist() == expected[:2, :2].tolist()
    assert found[2, 2] == expected[2, 2]
    assert some.fourth == all_moments.fourth


@given(st.lists(NUMBERS, min_size=2, max_size=20), st.floats(-3, 3), st.floats(-3, 3))
def test_sums_of_transformed_values(values, scale, shift):
    x = np.array(values)
    moments = BlockMoments()
    moments.add([x], None, float(x.size))
    sums = moments.combined().transformed(scale, [shift])
    z = scale * (x - x.mean()) + shift
    size = 1.0 + np.abs(z).max()
    assert sums.products[0][0] == pytest.approx((z**2).sum(), rel=1e-10, abs=1e-10 * size**2)
    assert sums.fourth[0] == pytest.approx((z**4).sum(), rel=1e-10, abs=1e-10 * size**4)
    assert sums.units == x.size


@given(st.lists(NUMBERS, min_size=2, max_size=20), st.integers(1, 5))
def test_moments_of_more_units(values, k):
    """A mean over k times as many units has contributions that are smaller by the factor k."""
    x = np.array(values)
    repeated = np.tile(x, k) / k
    found = Moments((x**2).sum(), (x**4).sum(), float(x.size)).scaled_units(float(k))
    expected = (repeated**2).sum(), (repeated**4).sum(), repeated.size
    assert found == pytest.approx(expected, rel=1e-12)
