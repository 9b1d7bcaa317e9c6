"""Printed digits in tables, sentences and figures: three decimals, or two of the standard error."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell

pytestmark = pytest.mark.usefixtures("quiet")
SMALL = pauci.PAUC(fpr=(0, 0.01))


def large():
    """Return so many rows that a small area has six significant decimals."""
    y = np.repeat([0, 1], 40_000)
    rng = np.random.default_rng(3)
    return pauci.Sample(
        y, {"a": rng.normal(size=80_000) + y, "b": rng.normal(size=80_000) + 0.9 * y}
    )


def test_a_small_area_is_printed_as_an_average_with_digits_of_its_interval():
    es = pauci.estimate(large(), SMALL)
    e = es["a"]
    numbers = [f"{100 * v:.4f}" for v in (e.value, *e.interval())]
    cell = f"{numbers[0]} ({numbers[1]} to {numbers[2]})"
    assert cell in e.summary()
    assert f"was {numbers[0]} (95% CI {numbers[1]} to {numbers[2]}) for a." in e.report()
    words = [text.get_text() for text in e.plot().texts]
    assert cell in words
    (row,) = e.to_frame().to_dict("records")
    assert row["value"] == e.value
    assert row["rescaled"] == pytest.approx(100 * e.value)
    normalized = pauci.estimate(large(), pauci.PAUC(fpr=(0, 0.01), normalized=True))["a"]
    assert cell in normalized.summary()
    assert normalized.to_frame()["rescaled"].item() == pytest.approx(e.value)
    assert math.isnan(pauci.estimate(large()["a"], pauci.AUC()).to_frame()["rescaled"].item())


def test_decimals_are_those_of_each_interval():
    small = pauci.Sample.from_counts([2, 1], [30, 9], [10, 20], name="small")
    many = pauci.Sample.from_counts([2, 1], [30_000, 9000], [10_000, 20_000], name="many")
    es = pauci.estimate([small, many], pauci.AUC())
    text = es.summary()
    assert f"{es['small'].value:.3f} (" in text
    assert f"{es['many'].value:.4f} (" in text


def test_numbers_without_a_standard_error_have_three_decimals():
    e = pauci.estimate(pauci.Sample([0] * 9 + [1] * 9, range(18)), pauci.AUC())
    low, high = e.interval()
    assert f"was 1.000 (95% CI {low:.3f} to 1.000)" in e.report()
    assert high == 1.0


@pytest.mark.parametrize(
    ("error", "decimals"),
    [
        *[(0.11, 3), (0.05, 3), (0.0083, 4), (0.00496, 4), (0.994, 3), (0.996, 1), (3.2, 1)],
        *[(0.0049, 4), (0.00052, 5), (2e-5, 6), (3e-11, 8), (45.0, 0), (4500.0, 0)],
        *[(0.0, 3), (math.nan, 3), (math.inf, 3), (1e-16, 3)],
    ],
)
def test_decimals_are_three_or_show_two_digits_of_the_error(error, decimals):
    assert fmt.decimals_of(error) == decimals
    shown = fmt.number(7.123456789, error)
    assert len(shown.partition(".")[2]) == decimals


@given(st.floats(-1, 1), st.floats(1e-7, 0.5))
def test_estimates_and_ends_have_the_same_decimals_and_are_distinct(value, half):
    cell = EstimateCell(value, value - half, value + half)
    texts = re.findall(r"[<>]?-?\d+\.\d+", cell.plain())
    assert len(texts) == 3
    assert {len(text.partition(".")[2]) for text in texts} == {cell.places}
    assert cell.places >= 3 or abs(value) + half > 1.0
    for number, text in zip((value, value - half, value + half), texts, strict=True):
        shown = float(text.lstrip("<>"))
        if "<" in text or ">" in text:
            assert (number < shown) == ("<" in text)
    assert len(set(texts)) == 3


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.317, 0.222, 0.426), "0.317 (0.222 to 0.426)"),
        ((-0.0014, -0.0033, 0.0005), "-0.0014 (-0.0033 to 0.0005)"),
        ((2.772, 2.381, 3.2), "2.77 (2.38 to 3.20)"),
        ((9.44, 2.99, 29.7), "9 (3 to 30)"),
        ((0.2, 0.0001, 0.4), "0.200 (<0.001 to 0.400)"),
        ((1.0, 0.81, 1.0), "1.000 (0.810 to 1.000)"),
        ((1.0, 1.0, 1.0), "1.000"),
        ((17.0, 17.0, 17.0), "17"),
        ((math.nan, 0.0, 1.0), "-"),
    ],
)
def test_two_digits_of_half_the_width_and_at_least_three_decimals_up_to_1(numbers, text):
    assert EstimateCell(*numbers).plain() == text


@pytest.mark.parametrize(
    ("value", "error", "apart", "text"),
    [
        (0.99996, 0.034, (), ">0.999"),
        (0.99996, 0.0, (), ">0.999"),
        (-0.99996, 0.0, (), "<-0.999"),
        (1.0, 0.034, (), "1.000"),
        (1.0 - 1e-15, 0.034, (), "1.000"),
        (1.0004, 0.034, (), "1.000"),
        (-0.0004, 0.02, (), ">-0.001"),
        (0.0, 0.02, (), "0.000"),
        (0.0, 0.0, (), "0"),
        (1.5e-7, 0.0, (), "<0.001"),
        (2.8e-17, 0.02, (), "0.000"),
        (0.82342, 0.0123, (0.82338,), "0.82342"),
        (0.82342, 0.0123, (0.82342,), "0.823"),
        (0.0014103, 2e-5, (), "0.001410"),
        (1234.5, 45.0, (), "1234"),
        (12.34, 0.0, (), "12.3"),
        (123.4, 0.0, (), "123"),
    ],
)
def test_rounded_numbers_do_not_equal_a_distinct_value(value, error, apart, text):
    assert fmt.number(value, error, distinct_from=apart) == text


def test_cells_with_narrow_intervals_have_more_decimals():
    counts = pauci.Sample.from_counts([2, 1], [700_000, 300_000], [200_000, 800_000])
    assert "0.70000 (0.69910 to 0.70090)" in pauci.operating_points(counts).summary()


def test_the_last_bit_does_not_decide_how_a_number_is_rounded():
    for value in (0.8925, 0.0005, 0.1235, 12.3455):
        texts = {fmt.fixed(v, 3) for v in (value, np.nextafter(value, 1), np.nextafter(value, 0))}
        assert len(texts) == 1
        assert {fmt.number(v, 0.02) for v in (value, np.nextafter(value, 1))} == {
            fmt.number(value, 0.02)
        }
    assert fmt.fixed(0.8924999, 3) == "0.892"
    assert fmt.fixed(0.8925001, 3) == "0.893"


def test_one_is_singular():
    from pauci.sample.rows import DataSizes

    assert str(DataSizes(1, 2, 1)) == "1 positive, 2 negatives in 1 cluster"
