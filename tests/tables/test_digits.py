"""Printed digits in tables, sentences and figures: three decimals, or two of the standard error."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
from pauci.tables import number_format as fmt
from pauci.tables.table import IntervalCell, Number, WithEnds
from tabular_results import ratings, sample

pytestmark = pytest.mark.usefixtures("quiet")
SMALL = pauci.PAUC(fpr=(0, 0.01))


def large():
    """Return so many rows that a small area has six significant decimals."""
    y = np.repeat([0, 1], 40_000)
    rng = np.random.default_rng(3)
    return pauci.Sample(
        y, {"a": rng.normal(size=80_000) + y, "b": rng.normal(size=80_000) + 0.9 * y}
    )


def test_a_small_area_is_printed_with_digits_of_its_standard_error():
    es = pauci.estimate(large(), SMALL)
    e = es["a"]
    assert 1e-5 < e.se < 1e-4
    numbers = [f"{v:.6f}" for v in (e.value, e.se, *e.interval())]
    sentence = f"was {numbers[0]} (SE {numbers[1]}; 95% logit CI {numbers[2]} to {numbers[3]};"
    assert sentence in e.report()
    assert " ".join(numbers) in e.summary()
    assert f"{numbers[0]}, SE {numbers[1]}" in repr(e)
    figure = e.plot()
    words = [text.get_text() for text in figure.texts]
    assert f"{numbers[0]} ({numbers[2]} to {numbers[3]})" in words
    assert e.to_frame()["value"].item() == e.value


def test_a_comparison_has_one_number_of_decimals():
    c = pauci.compare(large(), SMALL)
    shown = re.findall(r"-?\d\.\d+", c.report().split(" was ")[1].split(";")[0])
    assert {len(number.partition(".")[2]) for number in shown} == {6}
    assert [float(v) for v in shown[:3]] == pytest.approx(
        [*(e.value for e in c.estimates), c.difference], abs=6e-7
    )


def test_a_column_has_the_decimals_of_its_smallest_error():
    small = pauci.Sample.from_counts([2, 1], [30, 9], [10, 20], name="small")
    many = pauci.Sample.from_counts([2, 1], [30_000, 9000], [10_000, 20_000], name="many")
    perfect = pauci.Sample.from_counts([2, 1], [9, 0], [0, 9], name="perfect")
    es = pauci.estimate([small, many, perfect], [pauci.AUC(), pauci.AP()])
    assert [fmt.decimals_of(e.se) for e in es["many"]] == [4, 4]
    rows = [line.split() for line in es.summary().splitlines()[4:10]]
    numbers = [number for row in rows for number in row[4:8] if number != "0.0000"]
    assert {len(number.partition(".")[2]) for number in numbers} == {4}
    e = es["small"][0]
    assert f"was {e.value:.3f} (SE {e.se:.3f}" in e.report()


def test_numbers_without_a_standard_error_have_three_decimals():
    e = pauci.estimate(pauci.Sample([0] * 9 + [1] * 9, range(18)), pauci.AUC())
    low, high = e.interval()
    assert f"was 1.000 (SE 0; 95% limit CI {low:.3f} to 1.000;" in e.report()
    assert high == 1.0


@pytest.mark.parametrize(
    ("error", "decimals"),
    [
        *[(0.11, 3), (0.05, 3), (0.0083, 3), (0.00496, 3), (0.994, 3), (0.996, 1), (3.2, 1)],
        *[(0.0049, 4), (0.00052, 5), (2e-5, 6), (3e-11, 8), (45.0, 0), (4500.0, 0)],
        *[(0.0, 3), (math.nan, 3), (math.inf, 3), (1e-16, 3)],
    ],
)
def test_decimals_are_three_or_show_two_digits_of_the_error(error, decimals):
    assert fmt.decimals_of(error) == decimals
    shown = fmt.number(7.123456789, error)
    assert len(shown.partition(".")[2]) == decimals


@given(st.floats(-1, 1), st.floats(1e-7, 0.5))
def test_estimate_error_and_ends_have_the_same_decimals_and_are_distinct(value, error):
    ends = IntervalCell(value - 2 * error, value + 2 * error, error)
    numbers = [value, error, ends.low, ends.high]
    texts = [cell.plain() for cell in (Number(value, error), Number(error, error), *ends.ends)]
    for number, text in zip(numbers, texts, strict=True):
        assert len(text.partition(".")[2]) == fmt.decimals_of(error)
        shown = float(text.lstrip("<>"))
        if "<" in text or ">" in text:
            assert (number < shown) == ("<" in text)
        else:
            assert (
                shown not in (-1.0, 0.0, 1.0)
                or number == pytest.approx(shown, abs=1e-6)
                or (abs(number) > 1.0)
            )
    assert float(texts[1]) > 0.0
    assert len({texts[0], texts[2], texts[3]}) == 3


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


def test_cells_with_intervals_have_three_decimals_unless_the_intervals_are_narrow():
    counts = pauci.Sample.from_counts([2, 1], [700_000, 300_000], [200_000, 800_000])
    assert "0.7000 (0.6991-0.7009)" in pauci.operating_points(counts).summary()
    assert WithEnds(0.8282, 0.8134, 0.8463).plain() == "0.828 (0.813-0.846)"
    assert WithEnds(0.2, 0.0001, 0.4).plain() == "0.200 (<0.001 to 0.400)"
    assert WithEnds(12.34, 8.12, 33.1).plain() == "12.3 (8.120-33.1)"
    assert WithEnds(12.34, 8.12, np.inf).plain() == "12.3 (8.120-inf)"


def test_reader_studies_fits_and_bands_have_three_decimals():
    fit = pauci.fit_binormal(ratings())
    assert f"AUC {fit.auc:.3f} (SE" in fit.report()
    band = pauci.band(sample("svm"), fpr=(0, 0.2))
    cells = band.summary().splitlines()[8].split()
    assert {len(cell.partition(".")[2]) for cell in cells[1:]} == {3}


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
